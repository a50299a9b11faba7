// Squared hinge and squared insensitive loss of a linear machine, and what a pass over a
// chunk says of them, in one read of X. With r_i = q_i - x_i.coef - b,
//
//   u_i  = (q_i r_i)_+ for classes q_i = +-1,   (|r_i| - eps)_+ for numbers            (1)
//   loss = sum_i C_i u_i^2                                                             (2)
//   p_i  = 2 u_i sign(r_i),   v += sum_i C_i p_i x_i,   pulled = sum_i C_i p_i         (3)
//   target = sum_i C_i (p_i q_i - eps |p_i|)                                           (4)

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "common/arrays.hpp"
#include "common/rows.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Sums = std::tuple<double, double, double>;  // loss, target, pulled

// eps < 0 stands for classes.
template <class Rows, class T = typename Rows::Scalar>
Sums squared_losses(const Rows& X, const double* q, const double* C, double eps,
                    const double* coef, double b, double* v) {
    const Index block = rows_in(X, 24 << 10);
    const std::vector<T> coef_T(coef, coef + X.d);
    std::vector<T> part(static_cast<std::size_t>(X.d));
    std::vector<double> f(static_cast<std::size_t>(block));
    double loss = 0, target = 0, pulled = 0;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        dots(X, begin, end, coef_T.data(), f.data());
        for (Index i = begin; i < end; ++i) {
            const double r = q[i] - (f[std::size_t(i - begin)] + b);
            const double u = std::max(eps < 0 ? q[i] * r : std::abs(r) - eps, 0.0);
            const double pull = 2 * C[i] * std::copysign(u, r);
            loss += C[i] * u * u;                                            // (2)
            target += pull * q[i] - (eps < 0 ? 0.0 : eps * std::abs(pull));  // (4)
            pulled += pull;
            f[std::size_t(i - begin)] = pull;
        }
        add_rows(X, begin, end, f.data(), part.data(), v);  // (3)
    }
    return {loss, target, pulled};
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "squared_losses",
        [](Matrix<const T> X, Vector<const double> q, Vector<const double> C,
           double eps, Vector<const double> coef, double b, Vector<double> v) {
            nb::gil_scoped_release free;
            return squared_losses(rows(X), q.data(), C.data(), eps, coef.data(), b,
                                  v.data());
        },
        as_is("X"), as_is("q"), as_is("C"), nb::arg("eps"), as_is("coef"), nb::arg("b"),
        as_is("v"));
    m.def(
        "squared_losses_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Vector<const double> q, Vector<const double> C, double eps,
           Vector<const double> coef, double b, Vector<double> v) {
            const Csr<T> X = rows(data, indices, indptr, coef.shape(0));
            nb::gil_scoped_release free;
            return squared_losses(X, q.data(), C.data(), eps, coef.data(), b, v.data());
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("q"), as_is("C"),
        nb::arg("eps"), as_is("coef"), nb::arg("b"), as_is("v"));
}

}  // namespace

void bind_squared_losses(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
