// Logistic regression: loss and gradient of a chunk, without penalty, in one read of X.
//
// Binary, y_i in [0, 1]:
//   f_i  = x_i.coef + b,   sigma_i = 1/(1 + e^-f_i)                                 (1)
//   loss = sum_i w_i (log(1 + e^f_i) - y_i f_i)                                     (2)
//   grad = sum_i r_i x_i,  grad_b = sum_i r_i,   r_i = w_i (sigma_i - y_i)          (3)
//   curvature_i = w_i sigma_i (1 - sigma_i)                                         (4)
// with e = e^-|f|, so that nothing overflows and no digits cancel:
//   log(1 + e^f) = max(f, 0) + log(1 + e),  1 - sigma or sigma = e/(1 + e)          (5)
//
// Multinomial, z_i in 0..K-1:
//   f_ic = x_i.W_c + b_c,  p_ic = e^f_ic / sum_k e^f_ik                             (6)
//   loss = sum_i w_i (log sum_k e^f_ik - f_{i,z_i})                                 (7)
//   grad = R^T X,  grad_b = sum_i R_i,  R_ic = w_i (p_ic - [c = z_i])               (8)

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/arrays.hpp"
#include "common/tile.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

// (2), (3), (4) of a block of rows: f becomes r. Lanes past the end have weight 0.
struct BinarySums {
    Vec<double> loss = {}, grad_b = {};

    void add(const double* y, const double* w, Index count, double* f,
             double* curvature) {
        constexpr int L = lanes<double>;
        constexpr double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
        Index i = 0;
        for (; i + L <= count; i += L)
            step(load(y + i), w ? load(w + i) : splat(1.), f + i, curvature + i);
        if (i == count) return;
        const Index rest = count - i;
        std::fill_n(f + count, L - rest, 0.);
        step(load_part(y + i, rest), load_part(w ? w + i : ones, rest), f + i,
             curvature + i);
    }

  private:
    void step(Vec<double> y, Vec<double> w, double* f, double* curvature) {
        const Vec<double> f_i = load(f);
        const auto positive = f_i > 0.;
        const Vec<double> e = exp<double>(positive ? -f_i : f_i);
        const Vec<double> q = e / (1. + e);  // (5)
        const Vec<double> line = (positive ? f_i : Vec<double>{}) - y * f_i;
        const Vec<double> r = w * (positive ? (1. - y) - q : q - y);
        loss += w * (log1p_unit<double>(e) + line);  // (2)
        grad_b += r;                                 // (3)
        store(f, r);
        store(curvature, w * q / (1. + e));  // (4)
    }
};

template <class Rows, class T = typename Rows::Scalar>
std::pair<double, double> binary(const Rows& X, const double* y, const double* w,
                                 const double* coef, double intercept, double* grad,
                                 T* curvature) {
    const Index block = rows_in(X, 24 << 10), padded = block + lanes<double>;
    const std::vector<T> coef_T(coef, coef + X.d);
    std::vector<T> part(X.d);
    std::vector<double> f(padded), c(padded);
    BinarySums sums;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block), count = end - begin;
        dots(X, begin, end, coef_T.data(), f.data());  // (1)
        for (Index i = 0; i < count; ++i) f[i] += intercept;
        sums.add(y + begin, w ? w + begin : nullptr, count, f.data(), c.data());
        add_rows(X, begin, end, f.data(), part.data(), grad);  // (3)
        if (curvature)
            for (Index i = 0; i < count; ++i) curvature[begin + i] = T(c[i]);
    }
    return {sum<double>(sums.loss), sum<double>(sums.grad_b)};
}

// F[i - begin] = X_i W^T + b (6), R rows and V vectors of classes at a time.
template <int R, int V, class T>
void scores_of(const Dense<T>& X, Index begin, Index end, const Panels<T>& W,
               const T* b, T* F) {
    constexpr int L = lanes<T>;
    const Index K = W.padded();
    for (Index i = begin; i < end; i += R) {
        const T* x[R];
        for (int r = 0; r < R; ++r) x[r] = X.row(std::min(i + r, end - 1));
        for (Index p = 0; p < W.count; ++p) {
            Vec<T> a[R][V];
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < V; ++v) a[r][v] = load(b + p * W.width + v * L);
            multiply_tile(x, W.panel(p), X.d, a);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < V; ++v)
                    store(F + (i - begin + r) * K + p * W.width + v * L, a[r][v]);
        }
    }
}

// The panel's width, 1 to 3 vectors, that wastes fewest lanes on K classes.
template <class T>
Index panel_width(const Dense<T>&, Index K) {
    constexpr Index L = lanes<T>;
    const auto padded = [K](Index width) { return (K + width - 1) / width * width; };
    return K <= L ? L : padded(3 * L) < padded(2 * L) ? 3 * L : 2 * L;
}

template <class T>
void scores(const Dense<T>& X, Index begin, Index end, const Panels<T>& W, const T* b,
            T* F) {
    switch (W.width / lanes<T>) {
        case 1:
            return scores_of<8, 1>(X, begin, end, W, b, F);
        case 2:
            return scores_of<6, 2>(X, begin, end, W, b, F);
        default:
            return scores_of<4, 3>(X, begin, end, W, b, F);
    }
}

template <class T>
Index panel_width(const Csr<T>&, Index K) {
    return (K + lanes<T> - 1) / lanes<T> * lanes<T>;  // all in one panel
}

template <class T>
void scores(const Csr<T>& X, Index begin, Index end, const Panels<T>& W, const T* b,
            T* F) {
    for (Index i = begin; i < end; ++i)
        multiply_sparse(X.row(i), W.panel(0), W.width, b, F + (i - begin) * W.width);
}

// Turns a row's scores f into probabilities (6) and returns log sum_k e^f_k; `padded`
// is a multiple of the lanes, and padding has f = -inf.
template <class T>
double softmax(T* f, Index padded) {
    constexpr int L = lanes<T>;
    Vec<T> top = load(f);
    for (Index c = L; c < padded; c += L) top = maximum(top, load(f + c));
    T highest = top[0];
    for (int l = 1; l < L; ++l) highest = std::max(highest, top[l]);
    Vec<T> total = {};
    for (Index c = 0; c < padded; c += L) {
        const Vec<T> e = exp<T>(load(f + c) - highest);
        total += e;
        store(f + c, e);
    }
    const T normaliser = sum<T>(total);
    for (Index c = 0; c < padded; c += L) store(f + c, load(f + c) * (1 / normaliser));
    return std::log(double(normaliser)) + highest;
}

// The gradient of W (8), summed where the rows are at hand: tiles of a dense block are
// added straight to grad (K, d); sparse rows are scattered over its transpose first.
template <class Rows>
struct Gradient;

template <class T>
struct Gradient<Dense<T>> {
    const Dense<T>& X;
    Index K, stride;
    double* grad;

    void add(Index begin, Index end, const T* R) {
        const Index tiles = (K + 5) / 6, rows = (K + tiles - 1) / tiles;
        for (Index c = 0; c < K; c += rows) switch (std::min(rows, K - c)) {
                case 1:
                    add_classes<1>(begin, end, R, c);
                    break;
                case 2:
                    add_classes<2>(begin, end, R, c);
                    break;
                case 3:
                    add_classes<3>(begin, end, R, c);
                    break;
                case 4:
                    add_classes<4>(begin, end, R, c);
                    break;
                case 5:
                    add_classes<5>(begin, end, R, c);
                    break;
                default:
                    add_classes<6>(begin, end, R, c);
            }
    }
    void finish() {}

  private:
    template <int C>
    void add_classes(Index begin, Index end, const T* R, Index c) {
        constexpr int L = lanes<T>;
        Index j = 0;
        for (; j + 2 * L <= X.d; j += 2 * L) add_tile<C, 2>(begin, end, R, c, j, L);
        for (; j < X.d; j += L)
            add_tile<C, 1>(begin, end, R, c, j, std::min<Index>(L, X.d - j));
    }

    // `last`: how many columns of the last vector exist.
    template <int C, int V>
    void add_tile(Index begin, Index end, const T* R, Index c, Index j, Index last) {
        constexpr int L = lanes<T>;
        Vec<T> a[C][V];
        for (int s = 0; s < C; ++s)
            for (int v = 0; v < V; ++v) a[s][v] = splat(T(0));
        for (Index i = begin; i < end; ++i) {
            const T* x = X.row(i) + j;
            const T* R_i = R + (i - begin) * stride + c;
            Vec<T> x_j[V];
            for (int v = 0; v < V; ++v)
                x_j[v] = last == L ? load(x + v * L) : load_part(x + v * L, last);
            for (int s = 0; s < C; ++s)
                for (int v = 0; v < V; ++v) a[s][v] += splat(R_i[s]) * x_j[v];
        }
        for (int s = 0; s < C; ++s)
            for (int v = 0; v < V; ++v) {
                double* g = grad + (c + s) * X.d + j + v * L;
                T part[L];
                store(part, a[s][v]);
                for (int l = 0; l < (v + 1 < V ? L : last); ++l) g[l] += part[l];
            }
    }
};

template <class T>
struct Gradient<Csr<T>> {
    const Csr<T>& X;
    Index K, stride;
    double* grad;
    std::vector<double> transposed = std::vector<double>(X.d * stride);
    std::vector<double> r = std::vector<double>(stride);

    void add(Index begin, Index end, const T* R) {
        constexpr int L = lanes<double>;
        for (Index i = begin; i < end; ++i) {
            std::copy_n(R + (i - begin) * stride, stride, r.begin());
            const SparseRow<T> row = X.row(i);
            for (Index p = 0; p < row.count; ++p) {
                const Vec<double> x = splat(double(row.x[p]));
                double* g = &transposed[row.j[p] * stride];
                for (Index c = 0; c < stride; c += L)
                    store(g + c, load(g + c) + x * load(&r[c]));
            }
        }
    }
    void finish() {
        for (Index j = 0; j < X.d; ++j)
            for (Index c = 0; c < K; ++c)
                grad[c * X.d + j] += transposed[j * stride + c];
    }
};

template <class Rows, class T = typename Rows::Scalar>
double multinomial(const Rows& X, const std::int32_t* z, const double* w,
                   const double* W, const double* b, Index K, double* grad,
                   double* grad_b, T* P) {
    Panels<T> panels(K, X.d, panel_width(X, K));
    const Index stride = panels.padded(), block = rows_in(X, 48 << 10);
    for (Index c = 0; c < K; ++c)
        for (Index j = 0; j < X.d; ++j) panels.at(c, j) = T(W[c * X.d + j]);
    std::vector<T> start(stride, -std::numeric_limits<T>::infinity());
    std::copy_n(b, K, start.begin());
    std::vector<T> F((block + 8) * stride);  // tiles may write past the last row
    Gradient<Rows> gradient{X, K, stride, grad};
    double loss = 0;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        scores(X, begin, end, panels, start.data(), F.data());
        for (Index i = begin; i < end; ++i) {
            T* f = &F[(i - begin) * stride];
            const double f_z = f[z[i]], w_i = w ? w[i] : 1;
            loss += w_i * (softmax(f, stride) - f_z);  // (7)
            if (P) std::copy_n(f, K, P + i * K);
            f[z[i]] -= 1;
            for (Index c = 0; c < K; ++c) {
                f[c] *= T(w_i);
                grad_b[c] += f[c];  // (8)
            }
        }
        gradient.add(begin, end, F.data());  // (8)
    }
    gradient.finish();
    return loss;
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "binary",
        [](Matrix<const T> X, Vector<const double> y, Optional<Vector<const double>> w,
           Vector<const double> coef, double intercept, Vector<double> grad,
           Optional<Vector<T>> curvature) {
            nb::gil_scoped_release free;
            return binary(rows(X), y.data(), data_or_null(w), coef.data(), intercept,
                          grad.data(), data_or_null(curvature));
        },
        as_is("X"), as_is("y"), as_is("w").none(), as_is("coef"), nb::arg("intercept"),
        as_is("grad"), as_is("curvature").none());
    m.def(
        "binary_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Vector<const double> y, Optional<Vector<const double>> w,
           Vector<const double> coef, double intercept, Vector<double> grad,
           Optional<Vector<T>> curvature) {
            const Csr<T> X = rows(data, indices, indptr, coef.shape(0));
            nb::gil_scoped_release free;
            return binary(X, y.data(), data_or_null(w), coef.data(), intercept,
                          grad.data(), data_or_null(curvature));
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("y"), as_is("w").none(),
        as_is("coef"), nb::arg("intercept"), as_is("grad"), as_is("curvature").none());
    m.def(
        "multinomial",
        [](Matrix<const T> X, Vector<const std::int32_t> z,
           Optional<Vector<const double>> w, Matrix<const double> W,
           Vector<const double> b, Matrix<double> grad, Vector<double> grad_b,
           Optional<Matrix<T>> P) {
            nb::gil_scoped_release free;
            return multinomial(rows(X), z.data(), data_or_null(w), W.data(), b.data(),
                               W.shape(0), grad.data(), grad_b.data(), data_or_null(P));
        },
        as_is("X"), as_is("z"), as_is("w").none(), as_is("W"), as_is("b"),
        as_is("grad"), as_is("grad_b"), as_is("P").none());
    m.def(
        "multinomial_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Vector<const std::int32_t> z, Optional<Vector<const double>> w,
           Matrix<const double> W, Vector<const double> b, Matrix<double> grad,
           Vector<double> grad_b, Optional<Matrix<T>> P) {
            const Csr<T> X = rows(data, indices, indptr, W.shape(1));
            nb::gil_scoped_release free;
            return multinomial(X, z.data(), data_or_null(w), W.data(), b.data(),
                               W.shape(0), grad.data(), grad_b.data(), data_or_null(P));
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("z"), as_is("w").none(),
        as_is("W"), as_is("b"), as_is("grad"), as_is("grad_b"), as_is("P").none());
}

}  // namespace

void bind_logistic(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
