// One round of dual descent for the multiclass hinge, row by row;
// svm/crammer_singer.py has the mathematics, and its equation numbers stand here.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/arrays.hpp"
#include "common/interrupt.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

struct Model {
    double* alpha;  // (n, K)
    double* W;      // (K, d)
    double* b;      // (K,)
    Index K;
    double constant;  // the feature that b weighs
};

// The best alpha of a row for the largest violation: s holds the scores, and a is
// changed. (6), (7)
void largest(double* a, const double* s, Index K, Index y, double A, double C,
             std::vector<double>& D, std::vector<double>& B) {
    for (Index k = 0; k < K; ++k) {
        B[k] = s[k] + (k == y ? 0.0 : 1.0) - A * a[k];
        D[k] = B[k] + (k == y ? A * C : 0.0);
    }
    std::sort(D.begin(), D.end(), std::greater<double>());
    double sum = D[0] - A * C;
    Index r = 1;
    while (r < K && sum < double(r) * D[r]) sum += D[r++];
    const double beta = sum / double(r);
    for (Index k = 0; k < K; ++k) a[k] = std::min(k == y ? C : 0.0, (beta - B[k]) / A);
}

// A step along each pair (y, k) for the sum of violations. (8)
void each(double* a, double* s, Index K, Index y, double A, double C) {
    for (Index k = 0; k < K; ++k) {
        if (k == y) continue;
        const double want = -a[k] + (1 - s[y] + s[k]) / (2 * A);
        const double step = std::clamp(want, 0.0, C) + a[k];
        a[k] -= step;
        a[y] += step;
        s[k] -= step * A;
        s[y] += step * A;
    }
}

template <class Rows>
void round_of(const Rows& X, const std::int32_t* y, const std::int64_t* order,
              Index count, const double* C, const double* squares, bool sum,
              const Model& model) {
    const Index K = model.K;
    std::vector<double> s(K), D(K), B(K), a(K);
    Watch watch;
    for (Index t = 0; t < count; ++t) {
        if (t % 64 == 0 && watch.stopped()) watch.raise();
        const Index i = order[t];
        double* alpha = model.alpha + i * K;
        const double A = squares[i];
        if (!(A > 0)) continue;
        for (Index k = 0; k < K; ++k)
            s[k] = dot(X, i, model.W + k * X.d) + model.constant * model.b[k];
        std::copy_n(alpha, K, a.begin());
        if (sum)
            each(a.data(), s.data(), K, y[i], A, C[i]);
        else
            largest(a.data(), s.data(), K, y[i], A, C[i], D, B);
        for (Index k = 0; k < K; ++k) {
            const double change = a[k] - alpha[k];
            if (change == 0) continue;
            add_row(X, i, change, model.W + k * X.d);
            model.b[k] += change * model.constant;
            alpha[k] = a[k];
        }
    }
}

Model model_of(const Matrix<double>& alpha, const Matrix<double>& W,
               const Vector<double>& b, double constant) {
    return {alpha.data(), W.data(), b.data(), Index(b.shape(0)), constant};
}

template <class T>
void bind(nb::module_& m) {
    using Codes = Vector<const std::int32_t>;
    using Order = Vector<const std::int64_t>;
    using Doubles = Vector<const double>;
    m.def(
        "hinge_round",
        [](Matrix<const T> X, Codes y, Order order, Doubles C, Doubles squares,
           bool sum, double constant, Matrix<double> alpha, Matrix<double> W,
           Vector<double> b) {
            const Model model = model_of(alpha, W, b, constant);
            nb::gil_scoped_release free;
            round_of(rows(X), y.data(), order.data(), Index(order.shape(0)), C.data(),
                     squares.data(), sum, model);
        },
        as_is("X"), as_is("y"), as_is("order"), as_is("C"), as_is("squares"),
        as_is("sum"), as_is("constant"), as_is("alpha"), as_is("W"), as_is("b"));
    m.def(
        "hinge_round_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Codes y, Order order, Doubles C, Doubles squares, bool sum, double constant,
           Matrix<double> alpha, Matrix<double> W, Vector<double> b) {
            const Csr<T> X = rows(data, indices, indptr, Index(W.shape(1)));
            const Model model = model_of(alpha, W, b, constant);
            nb::gil_scoped_release free;
            round_of(X, y.data(), order.data(), Index(order.shape(0)), C.data(),
                     squares.data(), sum, model);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("y"), as_is("order"),
        as_is("C"), as_is("squares"), as_is("sum"), as_is("constant"), as_is("alpha"),
        as_is("W"), as_is("b"));
}

}  // namespace

void bind_multiclass_hinge(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
