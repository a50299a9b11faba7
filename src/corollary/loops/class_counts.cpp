// Discrete naive Bayes: the counts of each class, and the scores of rows.
//
//   n_c  = sum_{i: z_i=c} w_i                                                       (1)
//   N_cj = sum_{i: z_i=c} w_i v(x_ij)                                               (2)
//   s_ic = constant_c + sum_j v(x_ij) W_jc                                          (3)
//
// with v(x) = x, or v(x) = 1 where x > threshold and 0 elsewhere. Rows are dense, CSR,
// or codes: the columns of a row that hold a 1, of which every row has equally many.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

struct AsIs {
    template <class T>
    double operator()(T x) const {
        return x;
    }
};

struct Above {
    double threshold;
    template <class T>
    double operator()(T x) const {
        return x > T(threshold) ? 1. : 0.;
    }
};

// f(v) with the v that the threshold asks for.
template <class F>
auto with_value(const Optional<double>& threshold, F f) {
    return threshold ? f(Above{*threshold}) : f(AsIs{});
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double x) {
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
};

// out += w v(x_i), and the range of x_i.
template <class T, class V>
inline void add_values(const Dense<T>& X, Index i, double w, V v,
                       double* __restrict out, Range& range) {
    const T* __restrict x = X.row(i);
    T low = std::numeric_limits<T>::infinity(), high = -low;
    for (Index j = 0; j < X.d; ++j) {
        out[j] += w * v(x[j]);
        low = x[j] < low ? x[j] : low;
        high = x[j] > high ? x[j] : high;
    }
    range.add(low);
    range.add(high);
}

template <class T, class V>
inline void add_values(const Csr<T>& X, Index i, double w, V v, double* out,
                       Range& range) {
    const SparseRow<T> row = X.row(i);
    for (Index p = 0; p < row.count; ++p) {
        out[row.j[p]] += w * v(row.x[p]);
        range.add(row.x[p]);
    }
}

template <class V>
inline void add_values(const Dense<std::int32_t>& codes, Index i, double w, V,
                       double* out, Range&) {
    const std::int32_t* j = codes.row(i);
    for (Index p = 0; p < codes.d; ++p) out[j[p]] += w;
}

template <class Rows, class V>
Range class_counts(const Rows& X, V v, const std::int32_t* z, const double* w, Index d,
                   double* n, double* N) {
    Range range;
    for (Index i = 0; i < X.n; ++i) {
        const Index c = z[i];
        const double w_i = w ? w[i] : 1;
        n[c] += w_i;                                 // (1)
        add_values(X, i, w_i, v, N + c * d, range);  // (2)
    }
    return range;
}

// The columns of a row and the values in them, one interface for CSR and codes.
template <class T>
struct Ones {
    const T* j;
    Index count;
};

template <class T>
inline SparseRow<T> stored(const Csr<T>& X, Index i) {
    return X.row(i);
}

inline Ones<std::int32_t> stored(const Dense<std::int32_t>& codes, Index i) {
    return {codes.row(i), codes.d};
}

template <class T, class V>
inline double value(SparseRow<T> row, Index p, V v) {
    return v(row.x[p]);
}

template <class V>
inline double value(Ones<std::int32_t>, Index, V) {
    return 1;
}

// (3) for one row and C vectors of classes from the first on, whose scores stay in
// registers. The rows of W that come next are fetched ahead: they lie anywhere.
template <int C, class Row, class V>
inline void score_vectors(Row row, V v, const double* W, Index k, double* s) {
    constexpr int L = lanes<double>;
    constexpr Index ahead = 12;
    Vec<double> sum[C];
    for (int c = 0; c < C; ++c) sum[c] = load(s + c * L);
    for (Index p = 0; p < row.count; ++p) {
        if (p + ahead < row.count) {
            const double* next = W + row.j[p + ahead] * k;
            for (int c = 0; c < C * L; c += 8) __builtin_prefetch(next + c);
        }
        const double* w = W + row.j[p] * k;
        const Vec<double> x = splat(value(row, p, v));
        for (int c = 0; c < C; ++c) sum[c] += x * load(w + c * L);
    }
    for (int c = 0; c < C; ++c) store(s + c * L, sum[c]);
}

// (3) for one row: whole vectors of classes, then those that are left over.
template <class Row, class V>
inline void score(Row row, V v, const double* W, Index k, double* s) {
    constexpr int L = lanes<double>;
    Index c = 0;
    for (; c + 8 * L <= k; c += 8 * L) score_vectors<8>(row, v, W + c, k, s + c);
    for (; c + 5 * L <= k; c += 5 * L) score_vectors<5>(row, v, W + c, k, s + c);
    for (; c + 2 * L <= k; c += 2 * L) score_vectors<2>(row, v, W + c, k, s + c);
    for (; c + L <= k; c += L) score_vectors<1>(row, v, W + c, k, s + c);
    if (c == k) return;
    for (Index p = 0; p < row.count; ++p) {
        const double* w = W + row.j[p] * k;
        const double x = value(row, p, v);
        for (Index b = c; b < k; ++b) s[b] += x * w[b];
    }
}

template <class Rows, class V, class T>
void row_scores(const Rows& X, V v, const double* W, const double* constant, Index k,
                T* out, int threads) {
    for_blocks(X.n, 256, threads, [&](int, Index begin, Index end) {
        std::vector<double> s(k);
        for (Index i = begin; i < end; ++i) {
            std::copy_n(constant, k, s.begin());
            score(stored(X, i), v, W, k, s.data());
            std::copy_n(s.begin(), k, out + i * k);
        }
    });
}

using Bounds = std::pair<double, double>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "class_counts",
        [](Matrix<const T> X, Vector<const std::int32_t> z,
           Optional<Vector<const double>> w, Optional<double> threshold,
           Vector<double> n, Matrix<double> N) {
            nb::gil_scoped_release free;
            const Range range = with_value(threshold, [&](auto v) {
                return class_counts(rows(X), v, z.data(), data_or_null(w), N.shape(1),
                                    n.data(), N.data());
            });
            return Bounds(range.low, range.high);
        },
        as_is("X"), as_is("z"), as_is("w").none(), nb::arg("threshold").none(),
        as_is("n"), as_is("N"));
    m.def(
        "class_counts_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Vector<const std::int32_t> z, Optional<Vector<const double>> w,
           Optional<double> threshold, Vector<double> n, Matrix<double> N) {
            const Csr<T> X = rows(data, indices, indptr, Index(N.shape(1)));
            nb::gil_scoped_release free;
            const Range range = with_value(threshold, [&](auto v) {
                return class_counts(X, v, z.data(), data_or_null(w), N.shape(1),
                                    n.data(), N.data());
            });
            return Bounds(range.low, range.high);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("z"), as_is("w").none(),
        nb::arg("threshold").none(), as_is("n"), as_is("N"));
    m.def(
        "row_scores_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Optional<double> threshold, Matrix<const double> W,
           Vector<const double> constant, Matrix<T> out, int threads) {
            const Csr<T> X = rows(data, indices, indptr, Index(W.shape(0)));
            nb::gil_scoped_release free;
            with_value(threshold, [&](auto v) {
                row_scores(X, v, W.data(), constant.data(), W.shape(1), out.data(),
                           threads);
            });
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("threshold").none(),
        as_is("W"), as_is("constant"), as_is("out"), nb::arg("threads"));
    m.def(
        "code_scores",
        [](Matrix<const std::int32_t> codes, Matrix<const double> W,
           Vector<const double> constant, Matrix<T> out, int threads) {
            nb::gil_scoped_release free;
            row_scores(rows(codes), AsIs{}, W.data(), constant.data(), W.shape(1),
                       out.data(), threads);
        },
        as_is("codes"), as_is("W"), as_is("constant"), as_is("out"),
        nb::arg("threads"));
}

}  // namespace

void bind_class_counts(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "code_counts",
        [](Matrix<const std::int32_t> codes, Vector<const std::int32_t> z,
           Optional<Vector<const double>> w, Vector<double> n, Matrix<double> N) {
            nb::gil_scoped_release free;
            class_counts(rows(codes), AsIs{}, z.data(), data_or_null(w), N.shape(1),
                         n.data(), N.data());
        },
        as_is("codes"), as_is("z"), as_is("w").none(), as_is("n"), as_is("N"));
}

}  // namespace corollary
