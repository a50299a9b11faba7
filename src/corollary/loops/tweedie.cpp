// Tweedie regression with a log link: the loss of a chunk, its gradient and the weights
// of its Fisher information, without penalty, in one read of X.
//
//   eta_i = x_i.coef + b,   mu_i = e^eta_i,   variance mu^p                           (1)
//   loss  = sum_i w_i d_p(y_i, mu_i) / 2                                              (2)
//   grad  = sum_i r_i x_i,  grad_b = sum_i r_i,   r_i = w_i (mu_i - y_i) mu_i^(1-p)   (3)
//   h_i   = w_i mu_i^(2-p)                                                            (4)
//   pearson = sum_i w_i (y_i - mu_i)^2 / mu_i^p                                       (5)
//
// d_p is the unit deviance of objectives/families.py, infinite where mu is no mean.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "common/arrays.hpp"
#include "common/rows.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr double LOWEST = -700, HIGHEST = 700;  // where e^eta is a normal number

struct Terms {
    double loss, slope, weight, pearson;
};

// Half of d_p(y, mu), given mu^(1-p) and mu^(2-p).
double half_deviance(double p, double y, double mu, double ratio, double weight) {
    if (p == 0) return 0.5 * (y - mu) * (y - mu);
    if (p == 1) return (y > 0 ? y * std::log(y / mu) : 0.0) - y + mu;
    if (p == 2) return y / mu - 1 - std::log(y / mu);
    if (p == 3) return 0.5 * (y - mu) * (y - mu) / (y * mu * mu);
    const double saturated = std::pow(std::max(y, 0.0), 2 - p) / ((1 - p) * (2 - p));
    return saturated - y * ratio / (1 - p) + weight / (2 - p);
}

Terms terms_of(double p, double y, double eta) {
    eta = std::clamp(eta, LOWEST, HIGHEST);  // NaN stays
    const double mu = std::exp(eta);
    const double ratio = p == 1 ? 1 : p == 2 ? 1 / mu : std::exp((1 - p) * eta);
    const double weight = mu * ratio, loss = half_deviance(p, y, mu, ratio, weight);
    const double pearson = (y - mu) * (y - mu) / mu * ratio;
    if (std::isfinite(loss)) return {loss, (mu - y) * ratio, weight, pearson};
    return {std::numeric_limits<double>::infinity(), (mu - y) * ratio, 0, pearson};
}

using Sums = std::tuple<double, double, double>;  // loss, grad_b, pearson

template <class Rows, class T = typename Rows::Scalar>
Sums tweedie(const Rows& X, const double* y, const double* w, double power,
             const double* coef, double intercept, double* grad, T* h) {
    const Index block = rows_in(X, 24 << 10);
    const std::vector<T> coef_T(coef, coef + X.d);
    std::vector<T> part(static_cast<std::size_t>(X.d));
    std::vector<double> r(static_cast<std::size_t>(block));
    double loss = 0, grad_b = 0, pearson = 0;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        dots(X, begin, end, coef_T.data(), r.data());
        for (Index i = begin; i < end; ++i) {
            double& r_i = r[std::size_t(i - begin)];
            const Terms at = terms_of(power, y[i], r_i + intercept);
            const double w_i = w ? w[i] : 1;
            loss += w_i * at.loss;        // (2)
            pearson += w_i * at.pearson;  // (5)
            r_i = w_i * at.slope;
            grad_b += r_i;
            if (h) h[i] = T(w_i * at.weight);  // (4)
        }
        add_rows(X, begin, end, r.data(), part.data(), grad);  // (3)
    }
    return {loss, grad_b, pearson};
}

using Doubles = Vector<const double>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "tweedie",
        [](Matrix<const T> X, Doubles y, Optional<Doubles> w, double power,
           Doubles coef, double intercept, Vector<double> grad, Optional<Vector<T>> h) {
            nb::gil_scoped_release free;
            return tweedie(rows(X), y.data(), data_or_null(w), power, coef.data(),
                           intercept, grad.data(), data_or_null(h));
        },
        as_is("X"), as_is("y"), as_is("w").none(), nb::arg("power"), as_is("coef"),
        nb::arg("intercept"), as_is("grad"), as_is("h").none());
    m.def(
        "tweedie_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Doubles y, Optional<Doubles> w, double power, Doubles coef, double intercept,
           Vector<double> grad, Optional<Vector<T>> h) {
            const Csr<T> X = rows(data, indices, indptr, Index(coef.shape(0)));
            nb::gil_scoped_release free;
            return tweedie(X, y.data(), data_or_null(w), power, coef.data(), intercept,
                           grad.data(), data_or_null(h));
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("y"), as_is("w").none(),
        nb::arg("power"), as_is("coef"), nb::arg("intercept"), as_is("grad"),
        as_is("h").none());
}

}  // namespace

void bind_tweedie(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
