// Gaussian naive Bayes: moments of each class, and the joint log-likelihood.
//
//   n_c       = sum_{i: z_i=c} w_i                                                  (1)
//   mean_cj   = (1/n_c) sum_{i: z_i=c} w_i x_ij                                     (2)
//   M2_cj     = sum_{i: z_i=c} w_i (x_ij - mean_cj)^2                               (3)
//   log p(x_i, c) = constant_c - 1/2 sum_j (x_ij - theta_cj)^2 precision_cj         (4)
//
// (2) and (3) take two passes over a block of rows that is in cache, and blocks a, b
// are merged by Chan's rule, so no digits cancel and X is read from memory once:
//
//   delta = mean_b - mean_a,  n = n_a + n_b,  mean = mean_a + delta n_b/n,
//   M2 = M2_a + M2_b + delta^2 n_a n_b/n                                            (5)
//
// Reference: Chan, Golub and LeVeque (1983), Algorithms for computing the sample
// variance.

#include <algorithm>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

template <class T>
void class_moments(const Dense<T>& X, const std::int32_t* z, const double* w, Index k,
                   double* n, double* mean, double* M2) {
    const Index d = X.d, block = rows_in(X, 24 << 10);
    std::fill_n(n, k, 0.);
    std::fill_n(mean, k * d, 0.);
    std::fill_n(M2, k * d, 0.);
    std::vector<double> n_b(k), mean_b(k * d), M2_b(k * d);
    std::vector<Index> present;  // the classes of the block
    std::vector<char> seen(k, 0);
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        for (Index i = begin; i < end; ++i) {
            const Index c = z[i];
            double* __restrict m = &mean_b[c * d];
            if (!seen[c]) {
                seen[c] = 1;
                present.push_back(c);
                n_b[c] = 0;
                std::fill_n(m, d, 0.);
                std::fill_n(&M2_b[c * d], d, 0.);
            }
            const double w_i = w ? w[i] : 1;
            const T* __restrict x = X.row(i);
            n_b[c] += w_i;                                     // (1)
            for (Index j = 0; j < d; ++j) m[j] += w_i * x[j];  // (2)
        }
        for (const Index c : present) {
            const double scale = n_b[c] > 0 ? 1 / n_b[c] : 0;
            for (Index j = 0; j < d; ++j) mean_b[c * d + j] *= scale;
        }
        for (Index i = begin; i < end; ++i) {  // (3)
            const Index c = z[i];
            const double w_i = w ? w[i] : 1;
            const T* __restrict x = X.row(i);
            const double* __restrict m = &mean_b[c * d];
            double* __restrict m2 = &M2_b[c * d];
            for (Index j = 0; j < d; ++j) {
                const double t = x[j] - m[j];
                m2[j] += w_i * t * t;
            }
        }
        for (const Index c : present) {  // (5)
            seen[c] = 0;
            if (!(n_b[c] > 0)) continue;
            const double total = n[c] + n_b[c];
            const double share = n_b[c] / total, cross = n[c] * share;
            const double *m_b = &mean_b[c * d], *m2_b = &M2_b[c * d];
            double* __restrict m = mean + c * d;
            double* __restrict m2 = M2 + c * d;
            for (Index j = 0; j < d; ++j) {
                const double delta = m_b[j] - m[j];
                m[j] += delta * share;
                m2[j] += m2_b[j] + delta * delta * cross;
            }
            n[c] = total;
        }
        present.clear();
    }
}

// theta and precision as T, each row in whole vectors, the last as load_rest gives it.
template <class T>
struct Gaussians {
    Index k, d, stride;
    std::vector<T> theta, precision;

    Gaussians(const double* theta, const double* precision, Index k, Index d)
        : k(k),
          d(d),
          stride((d + lanes<T> - 1) / lanes<T> * lanes<T>),
          theta(pack(theta)),
          precision(pack(precision)) {}

  private:
    std::vector<T> pack(const double* rows) const {
        const Index whole = d / lanes<T> * lanes<T>;
        std::vector<T> packed(k * stride), row(d);
        for (Index c = 0; c < k; ++c) {
            std::copy_n(rows + c * d, d, row.begin());
            std::copy_n(row.begin(), whole, packed.begin() + c * stride);
            if (whole < d) store(&packed[c * stride + whole], load_rest(row.data(), d));
        }
        return packed;
    }
};

// (4) for R rows and C classes, whose sums stay in registers.
template <int R, int C, class T>
inline void log_likelihood_tile(const T* x, const Gaussians<T>& g, Index c,
                                const double* constant, T* out) {
    constexpr int L = lanes<T>;
    const Index d = g.d;
    Vec<T> q[R][C];
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < C; ++s) q[r][s] = splat(T(0));
    for (Index j = 0; j < d; j += L) {
        Vec<T> x_j[R];
        for (int r = 0; r < R; ++r)
            x_j[r] = j + L <= d ? load(x + r * d + j) : load_rest(x + r * d, d);
        for (int s = 0; s < C; ++s) {
            const Vec<T> theta = load(&g.theta[(c + s) * g.stride + j]);
            const Vec<T> precision = load(&g.precision[(c + s) * g.stride + j]);
            for (int r = 0; r < R; ++r) {
                const Vec<T> t = x_j[r] - theta;
                q[r][s] += t * precision * t;
            }
        }
    }
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < C; ++s)
            out[r * g.k + c + s] = T(constant[c + s] - 0.5 * sum<T>(q[r][s]));
}

template <int R, class T>
inline void log_likelihood_rows(const T* x, const Gaussians<T>& g,
                                const double* constant, T* out) {
    Index c = 0;
    for (; c + 2 <= g.k; c += 2) log_likelihood_tile<R, 2>(x, g, c, constant, out);
    if (c < g.k) log_likelihood_tile<R, 1>(x, g, c, constant, out);
}

template <class T>
void joint_log_likelihood(const Dense<T>& X, const double* theta,
                          const double* precision, const double* constant, Index k,
                          T* out, int threads) {
    const Gaussians<T> g(theta, precision, k, X.d);
    for_blocks(X.n, rows_in(X, 128 << 10), threads, [&](int, Index begin, Index end) {
        Index i = begin;
        for (; i + 4 <= end; i += 4)
            log_likelihood_rows<4>(X.row(i), g, constant, out + i * k);
        for (; i < end; ++i) log_likelihood_rows<1>(X.row(i), g, constant, out + i * k);
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "class_moments",
        [](Matrix<const T> X, Vector<const std::int32_t> z,
           Optional<Vector<const double>> w, Vector<double> n, Matrix<double> mean,
           Matrix<double> M2) {
            nb::gil_scoped_release free;
            class_moments(rows(X), z.data(), data_or_null(w), n.shape(0), n.data(),
                          mean.data(), M2.data());
        },
        as_is("X"), as_is("z"), as_is("w").none(), as_is("n"), as_is("mean"),
        as_is("M2"));
    m.def(
        "joint_log_likelihood",
        [](Matrix<const T> X, Matrix<const double> theta,
           Matrix<const double> precision, Vector<const double> constant, Matrix<T> out,
           int threads) {
            nb::gil_scoped_release free;
            joint_log_likelihood(rows(X), theta.data(), precision.data(),
                                 constant.data(), theta.shape(0), out.data(), threads);
        },
        as_is("X"), as_is("theta"), as_is("precision"), as_is("constant"), as_is("out"),
        nb::arg("threads"));
}

}  // namespace

void bind_naive_bayes(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
