// K-means, one pass of Lloyd's algorithm over a chunk of rows.
//
//   z_i = argmin_k ||x_i - mu_k||^2 = argmin_k s_ik,  s_ik = ||mu_k||^2/2 - x_i.mu_k (1)
//   D_i = ||x_i - mu_{z_i}||^2                                                       (2)
//   n_k = sum_{i: z_i=k} w_i,   sum_x_k = sum_{i: z_i=k} w_i x_i                     (3)
//   J   = sum_i w_i D_i                                                              (4)
//
// A pass may be spared (1) for a row by Hamerly's test. Let l_i be a lower bound on the
// distance from x_i to every centre but mu_{z_i}. When no centre moves farther than
// drift, l_i - drift is one for the next pass, and z_i stands if
//
//   l_i^2 > D_i + slack                                                              (5)
//
// The slack makes the test exact in floating point: a row that passes it would get the
// same z_i from (1) as computed here. Let M = max_k ||mu_k|| and gamma = (d + 16) eps.
// The score of a row is a sum of d + 1 terms, computed to within
//   E = gamma (||mu_k||^2/2 + ||x|| ||mu_k||) <= gamma (2 M^2 + D/2),
// because ||x|| <= M + sqrt(D); D itself is computed to within gamma D. Two scores
// differ by (l^2 - D)/2, thus slack = 4 E + 2 gamma D = gamma (8 M^2 + 4 D) will do. By
// the same argument, from the two smallest scores s_1 <= s_2 of a row,
//
//   l_i^2 = D_i + 2 (s_2 - s_1) - slack                                              (6)
//
// Reference: Hamerly (2010), Making k-means even faster.

#define COROLLARY_WIDE
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "common/tile.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

// The two smallest of a row's scores, and the first place of the smallest.
template <class T>
struct Best {
    std::int32_t k = 0;
    T first = std::numeric_limits<T>::infinity();
    T second = std::numeric_limits<T>::infinity();
};

// The first place of `value` in s[0..count), 0 if it has none (NaN). From the last word
// of 64 to the first, without a branch that depends on the place.
template <class T>
inline Index place_of(T value, const T* s, Index count) {
    Index place = 0;
    for (Index c = (count - 1) / 64 * 64; c >= 0; c -= 64) {
        std::uint64_t bits = 0;
        for (Index q = c; q < std::min(count, c + 64); q += lanes<T>)
            bits |= lane_bits<T>(load(s + q) == value) << (q - c);
        place = bits != 0 ? c + std::countr_zero(bits) : place;
    }
    return place;
}

// Lane 0 gets the smallest and the second smallest of all lanes.
template <int half, class T>
inline void fold(Vec<T>& least, Vec<T>& next) {
    const Vec<T> other = turned<half, T>(least);
    next = minimum(minimum(next, turned<half, T>(next)), maximum(least, other));
    least = minimum(least, other);
    if constexpr (half > 1) fold<half / 2, T>(least, next);
}

// Of s[0..count), a multiple of 2 lanes; ties go to the lowest index.
template <class T>
inline void take_best(const T* s, Index count, std::int32_t offset, Best<T>& best) {
    constexpr int L = lanes<T>;
    Vec<T> a1 = load(s), b1 = load(s + L);  // per lane: the smallest,
    Vec<T> a2 = splat(std::numeric_limits<T>::infinity()), b2 = a2;  // the second
    for (Index c = 2 * L; c < count; c += 2 * L) {
        const Vec<T> a = load(s + c), b = load(s + c + L);
        a2 = minimum(a2, maximum(a1, a));
        b2 = minimum(b2, maximum(b1, b));
        a1 = minimum(a1, a);
        b1 = minimum(b1, b);
    }
    Vec<T> least = minimum(a1, b1), next = minimum(minimum(a2, b2), maximum(a1, b1));
    fold<L / 2, T>(least, next);
    if (!(least[0] < best.first)) {
        best.second = std::min(best.second, least[0]);
        return;
    }
    best.second = std::min(best.first, next[0]);
    best.first = least[0];
    best.k = offset + std::int32_t(place_of(least[0], s, count));
}

// Centres and what (1), (2), (5), (6) need of them.
template <class T>
struct Centres {
    static constexpr int R = 6, V = 2;  // 6 x 16 float32 or 6 x 8 float64 with AVX2
    static constexpr Index group = 128;

    const T* mu;
    Index k, d;
    Panels<T> minus_mu;         // -mu^T
    std::vector<T> half_norms;  // ||mu_k||^2/2, infinite for the padding
    std::vector<double> norms;  // ||mu_k||^2
    double gamma, M2 = 0;

    Centres(const T* mu, Index k, Index d, Index width, double roundings)
        : mu(mu),
          k(k),
          d(d),
          minus_mu(k, d, width),
          half_norms(minus_mu.padded(), std::numeric_limits<T>::infinity()),
          norms(k),
          gamma(roundings * double(d + 16) * std::numeric_limits<T>::epsilon()) {
        for (Index c = 0; c < k; ++c) {
            for (Index q = 0; q < d; ++q) {
                const double m = mu[c * d + q];
                norms[c] += m * m;
                minus_mu.at(c, q) = T(-m);
            }
            half_norms[c] = T(norms[c] / 2);
            M2 = std::max(M2, norms[c]);
        }
    }

    double slack(double D) const {
        const double scale = 8 * M2 + 4 * D;
        constexpr double tiny = 16 * double(std::numeric_limits<T>::min());
        constexpr double huge = double(std::numeric_limits<T>::max()) / 16;
        return scale < huge ? gamma * scale + tiny
                            : std::numeric_limits<double>::infinity();
    }

    bool stands(T lower, double D) const {  // (5)
        return lower > 0 && double(lower) * lower > D + slack(D);
    }

    T lower_bound(const Best<T>& best, double D) const {  // (6)
        const double l2 = D + 2 * (double(best.second) - best.first) - slack(D);
        return l2 > 0 ? T(std::sqrt(l2) * shrink) : T(0);
    }

    static T after_drift(T lower, double drift) { return T((lower - drift) * shrink); }

    static constexpr double shrink = 1 - 4 * double(std::numeric_limits<T>::epsilon());
};

// D = ||x - mu_z||^2 (2). Not inlined, so that every caller gets the same bits.
template <class T>
[[gnu::noinline]] double own_distance(const Dense<T>& X, Index i,
                                      const Centres<T>& centres, Index z) {
    constexpr int L = lanes<T>;
    const T *x = X.row(i), *m = centres.mu + z * X.d;
    const Index d = X.d;
    if (d < L) {
        T D = 0;
        for (Index j = 0; j < d; ++j) D += (x[j] - m[j]) * (x[j] - m[j]);
        return D;
    }
    Vec<T> even = {}, odd = {};
    Index j = 0;
    for (; j + 2 * L <= d; j += 2 * L) {
        const Vec<T> a = load(x + j) - load(m + j);
        const Vec<T> b = load(x + j + L) - load(m + j + L);
        even += a * a;
        odd += b * b;
    }
    for (; j + L <= d; j += L) {
        const Vec<T> a = load(x + j) - load(m + j);
        even += a * a;
    }
    if (j < d) {
        const Vec<T> a = load_rest(x, d) - load_rest(m, d);
        odd += a * a;
    }
    return sum<T>(even + odd);
}

// ||mu_z||^2 + sum_p x_p (x_p - 2 mu_zp), in float64: the work of the stored values
// only.
template <class T>
[[gnu::noinline]] double own_distance(const Csr<T>& X, Index i,
                                      const Centres<T>& centres, Index z) {
    const T* m = centres.mu + z * X.d;
    const double D = sum_stored(
        X.row(i), [m](double x, std::int32_t j) { return x * (x - 2 * double(m[j])); });
    return std::max(0., D + centres.norms[z]);
}

template <class T>
Centres<T> centres_for(const Dense<T>& X, const T* mu, Index k) {
    return Centres<T>(mu, k, X.d, Centres<T>::V * lanes<T>, 1);
}

template <class T>  // one panel; (2) by differences doubles the slack
Centres<T> centres_for(const Csr<T>& X, const T* mu, Index k) {
    const Index width = 2 * lanes<T>;
    return Centres<T>(mu, k, X.d, (k + width - 1) / width * width, 2);
}

// The scores of R rows for `used` vectors of centres from c on; infinite beyond them.
template <int used, class T>
inline void score_tile(const T* const* x, const Centres<T>& centres, Index c, T* s) {
    constexpr int R = Centres<T>::R, V = Centres<T>::V, L = lanes<T>;
    Vec<T> a[R][used];
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < used; ++v) a[r][v] = load(&centres.half_norms[c + v * L]);
    multiply_tile(x, centres.minus_mu.panel(c / (V * L)), centres.d, a, V * L);
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v)
            store(s + r * Centres<T>::group + v * L,
                  v < used ? a[r][std::min(v, used - 1)]
                           : splat(std::numeric_limits<T>::infinity()));
}

// best[t] for the rows i[t], 0 <= t < count (1). Six rows make a tile wherever they
// lie; the last tile repeats a row. Centres go in groups, whose panels stay in cache.
template <class T>
void find_best(const Dense<T>& X, const Index* i, Index count,
               const Centres<T>& centres, T* s, Best<T>* best) {
    constexpr int R = Centres<T>::R, V = Centres<T>::V, L = lanes<T>;
    constexpr Index group = Centres<T>::group;
    std::fill_n(best, count, Best<T>{});
    for (Index g = 0; g < centres.minus_mu.padded(); g += group) {
        const Index size = std::min(group, centres.minus_mu.padded() - g);
        for (Index t = 0; t < count; t += R) {
            const T* x[R];
            for (int r = 0; r < R; ++r) x[r] = X.row(i[std::min(t + r, count - 1)]);
            for (Index c = 0; c < size; c += V * L)
                if (g + c + L < centres.k)
                    score_tile<V>(x, centres, g + c, s + c);
                else  // the other vectors hold no centre
                    score_tile<1>(x, centres, g + c, s + c);
            for (int r = 0; r < R && t + r < count; ++r)
                take_best(s + r * group, size, std::int32_t(g), best[t + r]);
        }
    }
}

template <class T>
void find_best(const Csr<T>& X, const Index* i, Index count, const Centres<T>& centres,
               T* s, Best<T>* best) {
    const Panels<T>& panels = centres.minus_mu;
    for (Index t = 0; t < count; ++t) {
        best[t] = {};
        multiply_sparse(X.row(i[t]), panels.panel(0), panels.width,
                        centres.half_norms.data(), s);
        take_best(s, panels.width, 0, best[t]);
    }
}

// What a worker needs for a block of rows.
template <class T>
struct Scratch {
    std::vector<T> scores;
    std::vector<Index> pending;
    std::vector<Best<T>> best;
    std::vector<double> D;

    Scratch(const Centres<T>& centres, Index block)
        : scores(
              std::max(Centres<T>::R * Centres<T>::group, centres.minus_mu.padded())),
          pending(block),
          best(block),
          D(block) {}
};

template <class Rows, class T = typename Rows::Scalar>
void nearest(const Rows& X, const T* mu, Index k, std::int32_t* labels, T* d2,
             int threads) {
    const Index block = rows_in(X, 128 << 10);
    const Centres<T> centres = centres_for(X, mu, k);
    std::vector<Scratch<T>> scratch(std::max(1, threads), Scratch<T>(centres, block));
    for_blocks(X.n, block, threads, [&](int worker, Index begin, Index end) {
        Scratch<T>& own = scratch[worker];
        for (Index i = begin; i < end; ++i) own.pending[i - begin] = i;
        find_best(X, own.pending.data(), end - begin, centres, own.scores.data(),
                  own.best.data());  // (1)
        for (Index i = begin; i < end; ++i) {
            labels[i] = own.best[i - begin].k;
            d2[i] = T(own_distance(X, i, centres, labels[i]));  // (2)
        }
    });
}

template <class Rows, class T = typename Rows::Scalar>
std::pair<double, Index> assign(const Rows& X, const double* w, const T* mu, Index k,
                                std::int32_t* labels, T* lower, bool fresh,
                                double drift_max, double* n, double* sum_x) {
    const Index block = rows_in(X, 128 << 10);
    const Centres<T> centres = centres_for(X, mu, k);
    Scratch<T> scratch(centres, block);
    Index* pending = scratch.pending.data();
    double* D = scratch.D.data();
    double J = 0;
    Index n_computed = 0;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        Index count = 0;  // of pending rows
        for (Index i = begin; i < end; ++i) {
            if (!fresh) {
                lower[i] = Centres<T>::after_drift(lower[i], drift_max);
                D[i - begin] = own_distance(X, i, centres, labels[i]);
                if (centres.stands(lower[i], D[i - begin])) continue;
            }
            pending[count++] = i;
        }
        find_best(X, pending, count, centres, scratch.scores.data(),
                  scratch.best.data());
        for (Index t = 0; t < count; ++t) {
            const Index i = pending[t];
            const Best<T>& best = scratch.best[t];
            if (fresh || labels[i] != best.k)
                D[i - begin] = own_distance(X, i, centres, best.k);
            labels[i] = best.k;
            lower[i] = centres.lower_bound(best, D[i - begin]);
        }
        n_computed += count;
        for (Index i = begin; i < end; ++i) {
            const double w_i = w ? w[i] : 1;
            n[labels[i]] += w_i;                                 // (3)
            add_row(X, i, w_i, sum_x + Index(labels[i]) * X.d);  // (3)
            J += w_i * D[i - begin];                             // (4)
        }
    }
    return {J, n_computed};
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "nearest",
        [](Matrix<const T> X, Matrix<const T> mu, Vector<std::int32_t> labels,
           Vector<T> d2, int threads) {
            nb::gil_scoped_release free;
            nearest(rows(X), mu.data(), mu.shape(0), labels.data(), d2.data(), threads);
        },
        as_is("X"), as_is("mu"), as_is("labels"), as_is("d2"), nb::arg("threads"));
    m.def(
        "nearest_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Matrix<const T> mu, Vector<std::int32_t> labels, Vector<T> d2, int threads) {
            const Csr<T> X = rows(data, indices, indptr, mu.shape(1));
            nb::gil_scoped_release free;
            nearest(X, mu.data(), mu.shape(0), labels.data(), d2.data(), threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("mu"), as_is("labels"),
        as_is("d2"), nb::arg("threads"));
    m.def(
        "assign",
        [](Matrix<const T> X, Optional<Vector<const double>> w, Matrix<const T> mu,
           Vector<std::int32_t> labels, Vector<T> lower, bool fresh, double drift_max,
           Vector<double> n, Matrix<double> sum_x) {
            nb::gil_scoped_release free;
            return assign(rows(X), data_or_null(w), mu.data(), mu.shape(0),
                          labels.data(), lower.data(), fresh, drift_max, n.data(),
                          sum_x.data());
        },
        as_is("X"), as_is("w").none(), as_is("mu"), as_is("labels"), as_is("lower"),
        nb::arg("fresh"), nb::arg("drift_max"), as_is("n"), as_is("sum_x"));
    m.def(
        "assign_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Optional<Vector<const double>> w, Matrix<const T> mu,
           Vector<std::int32_t> labels, Vector<T> lower, bool fresh, double drift_max,
           Vector<double> n, Matrix<double> sum_x) {
            const Csr<T> X = rows(data, indices, indptr, mu.shape(1));
            nb::gil_scoped_release free;
            return assign(X, data_or_null(w), mu.data(), mu.shape(0), labels.data(),
                          lower.data(), fresh, drift_max, n.data(), sum_x.data());
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("w").none(),
        as_is("mu"), as_is("labels"), as_is("lower"), nb::arg("fresh"),
        nb::arg("drift_max"), as_is("n"), as_is("sum_x"));
}

}  // namespace

void bind_k_means(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
