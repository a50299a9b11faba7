// The losses of a linear support vector machine, and all that a pass over a chunk says of
// them, in one read of X. svm/linear_problem.py has the mathematics; with
// r_i = q_i - x_i.coef - b,
//
//   u_i = (q_i r_i)_+ for classes q_i = +-1,   (|r_i| - eps)_+ for numbers             (1)
//
// and either L = u^2, or L = u with its corner rounded off over a width delta:
//
//   p_i = 2 u_i sign(r_i),   or   clip(S(a_i + r_i / delta, eps / delta), lo, hi)      (2)
//   v += sum_i C_i p_i x_i,   pulled = sum_i C_i p_i                                   (3)
//   target = sum_i C_i (p_i q_i - eps |p_i|)                                           (4)
//   h_i = 2 C_i or C_i / delta where p_i is inside its bounds, 0 elsewhere             (5)
//   H += sum_i h_i x~_i x~_i',   x~ = (x, B)                                           (6)

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

// loss, its excess over (4) with r for q, sum C (p - a)^2, target, pulled
using Sums = std::tuple<double, double, double, double, double>;

// The losses of all rows; eps < 0 stands for classes, delta = 0 for squared losses.
struct Losses {
    const double *q, *C;
    double eps, delta;
    const double* a;  // (n,) guesses, or null: 0

    double width() const { return std::max(eps, 0.0); }

    double excess(double q_i, double r) const {
        return std::max(eps < 0 ? q_i * r : std::abs(r) - eps, 0.0);  // (1)
    }

    // (2), and whether it is inside its bounds.
    std::pair<double, bool> slope(Index i, double r, double u) const {
        if (delta == 0) return {2 * std::copysign(u, r), u > 0};
        double z = (a ? a[i] : 0.0) + r / delta;
        if (eps > 0) z = std::copysign(std::max(std::abs(z) - eps / delta, 0.0), z);
        const double lo = eps < 0 ? std::min(q[i], 0.0) : -1.0;
        const double hi = eps < 0 ? std::max(q[i], 0.0) : 1.0;
        const double p = std::min(std::max(z, lo), hi);
        return {p, p == z && p != 0};
    }
};

// Where the rows' scores are asked for.
struct Place {
    const double* coef;
    double b;
};

struct Curvature {
    double* h;        // (n,) or null
    double* H;        // (d, d), or (d + 1, d + 1) with the constant, or null
    double constant;  // B
};

// Add h x~ x~' on and below the diagonal (6).
template <class T>
void add_outer(const Dense<T>& X, Index i, double h, const Curvature& to) {
    const T* x = X.row(i);
    const Index p = X.d + (to.constant > 0);
    for (Index j = 0; j < X.d; ++j) {
        const double hx = h * double(x[j]);
        double* row = to.H + j * p;
        for (Index k = 0; k <= j; ++k) row[k] += hx * double(x[k]);
    }
    if (to.constant <= 0) return;
    double* last = to.H + X.d * p;
    for (Index k = 0; k < X.d; ++k) last[k] += h * to.constant * double(x[k]);
    last[X.d] += h * to.constant * to.constant;
}

template <class T>
void add_outer(const Csr<T>& X, Index i, double h, const Curvature& to) {
    const SparseRow<T> x = X.row(i);
    const Index p = X.d + (to.constant > 0);
    double* last = to.H + X.d * p;
    for (Index s = 0; s < x.count; ++s) {
        const double hx = h * double(x.x[s]);
        double* row = to.H + x.j[s] * p;
        for (Index t = 0; t < x.count; ++t)
            if (x.j[t] <= x.j[s]) row[x.j[t]] += hx * double(x.x[t]);
        if (to.constant > 0) last[x.j[s]] += hx * to.constant;
    }
    if (to.constant > 0) last[X.d] += h * to.constant * to.constant;
}

void mirror(double* H, Index p) {
    for (Index j = 0; j < p; ++j)
        for (Index k = 0; k < j; ++k) H[k * p + j] = H[j * p + k];
}

template <class Rows, class T = typename Rows::Scalar>
Sums support_losses(const Rows& X, const Losses& L, const Place& at, double* v,
                    const Curvature& curved) {
    const Index block = rows_in(X, 24 << 10);
    const std::vector<T> coef(at.coef, at.coef + X.d);
    std::vector<T> part(static_cast<std::size_t>(X.d));
    std::vector<double> f(static_cast<std::size_t>(block));
    const double kappa = L.delta == 0 ? 2 : 1 / L.delta, eps = L.width();
    double loss = 0, rounding = 0, moved = 0, target = 0, pulled = 0;
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        dots(X, begin, end, coef.data(), f.data());
        for (Index i = begin; i < end; ++i) {
            const double r = L.q[i] - (f[std::size_t(i - begin)] + at.b);
            const double u = L.excess(L.q[i], r);
            const auto [p, inside] = L.slope(i, r, u);
            const double pull = L.C[i] * p, from = p - (L.a ? L.a[i] : 0.0);
            const double value = L.C[i] * (L.delta == 0 ? u * u : u);
            loss += value;
            rounding += value - (pull * r - eps * std::abs(pull));
            moved += L.C[i] * from * from;
            target += pull * L.q[i] - eps * std::abs(pull);  // (4)
            pulled += pull;
            f[std::size_t(i - begin)] = pull;
            const double h = inside ? L.C[i] * kappa : 0.0;  // (5)
            if (curved.h) curved.h[i] = h;
            if (curved.H && h > 0) add_outer(X, i, h, curved);
        }
        add_rows(X, begin, end, f.data(), part.data(), v);  // (3)
    }
    if (curved.H) mirror(curved.H, X.d + (curved.constant > 0));
    return {loss, rounding, moved, target, pulled};
}

// What one row adds to the slopes at some lengths of a step: C p s. For `SQUARED` losses
// the lengths go side by side through the vector unit.
template <bool SQUARED>
void add_slopes(const Losses& L, Index i, double r, double s, const double* lengths,
                Index count, double* slopes) {
    const double weight = L.C[i] * s, q = L.q[i];
    for (Index t = 0; t < count; ++t) {
        const double r_t = r - lengths[t] * s;
        if constexpr (SQUARED) {
            const double u = L.eps < 0 ? q * r_t : std::abs(r_t) - L.eps;
            slopes[t] -= weight * 2 * std::copysign(u > 0 ? u : 0.0, r_t);
        } else {
            slopes[t] -= weight * L.slope(i, r_t, 0.0).first;
        }
    }
}

// The slopes of the losses at some lengths t of a step, -sum_i C_i p_i s_i with s_i the
// step of row i's score.
template <class Rows, class T = typename Rows::Scalar>
void support_slopes(const Rows& X, const Losses& L, const Place& at, const Place& along,
                    const double* lengths, Index count, double* slopes) {
    const Index block = rows_in(X, 24 << 10);
    const std::vector<T> coef(at.coef, at.coef + X.d);
    const std::vector<T> step(along.coef, along.coef + X.d);
    std::vector<double> f(static_cast<std::size_t>(block)), s(f.size());
    std::vector<double> sums(static_cast<std::size_t>(count));
    for (Index begin = 0; begin < X.n; begin += block) {
        const Index end = std::min(X.n, begin + block);
        dots(X, begin, end, coef.data(), f.data());
        dots(X, begin, end, step.data(), s.data());
        for (Index i = begin; i < end; ++i) {
            const double s_i = s[std::size_t(i - begin)] + along.b;
            const double r = L.q[i] - (f[std::size_t(i - begin)] + at.b);
            const auto add = L.delta == 0 ? add_slopes<true> : add_slopes<false>;
            add(L, i, r, s_i, lengths, count, sums.data());
        }
    }
    for (Index t = 0; t < count; ++t) slopes[t] += sums[std::size_t(t)];
}

using Doubles = Vector<const double>;
using Maybe = Optional<Doubles>;
using Out = Vector<double>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "support_losses",
        [](Matrix<const T> X, Doubles q, Doubles C, double eps, double delta, Maybe a,
           Doubles coef, double b, double constant, Out v, Optional<Out> h,
           Optional<Matrix<double>> H) {
            nb::gil_scoped_release free;
            const Losses losses{q.data(), C.data(), eps, delta, data_or_null(a)};
            return support_losses(rows(X), losses, {coef.data(), b}, v.data(),
                                  {data_or_null(h), data_or_null(H), constant});
        },
        as_is("X"), as_is("q"), as_is("C"), nb::arg("eps"), nb::arg("delta"),
        as_is("a").none(), as_is("coef"), nb::arg("b"), nb::arg("constant"), as_is("v"),
        as_is("h").none(), as_is("H").none());
    m.def(
        "support_losses_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Doubles q, Doubles C, double eps, double delta, Maybe a, Doubles coef,
           double b, double constant, Out v, Optional<Out> h,
           Optional<Matrix<double>> H) {
            const Csr<T> X = rows(data, indices, indptr, Index(coef.shape(0)));
            nb::gil_scoped_release free;
            const Losses losses{q.data(), C.data(), eps, delta, data_or_null(a)};
            return support_losses(X, losses, {coef.data(), b}, v.data(),
                                  {data_or_null(h), data_or_null(H), constant});
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("q"), as_is("C"),
        nb::arg("eps"), nb::arg("delta"), as_is("a").none(), as_is("coef"),
        nb::arg("b"), nb::arg("constant"), as_is("v"), as_is("h").none(),
        as_is("H").none());
    m.def(
        "support_slopes",
        [](Matrix<const T> X, Doubles q, Doubles C, double eps, double delta, Maybe a,
           Doubles coef, double b, Doubles step, double step_b, Doubles lengths,
           Out slopes) {
            nb::gil_scoped_release free;
            const Losses losses{q.data(), C.data(), eps, delta, data_or_null(a)};
            support_slopes(rows(X), losses, {coef.data(), b}, {step.data(), step_b},
                           lengths.data(), Index(lengths.shape(0)), slopes.data());
        },
        as_is("X"), as_is("q"), as_is("C"), nb::arg("eps"), nb::arg("delta"),
        as_is("a").none(), as_is("coef"), nb::arg("b"), as_is("step"),
        nb::arg("step_b"), as_is("lengths"), as_is("slopes"));
    m.def(
        "support_slopes_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Doubles q, Doubles C, double eps, double delta, Maybe a, Doubles coef,
           double b, Doubles step, double step_b, Doubles lengths, Out slopes) {
            const Csr<T> X = rows(data, indices, indptr, Index(coef.shape(0)));
            nb::gil_scoped_release free;
            const Losses losses{q.data(), C.data(), eps, delta, data_or_null(a)};
            support_slopes(X, losses, {coef.data(), b}, {step.data(), step_b},
                           lengths.data(), Index(lengths.shape(0)), slopes.data());
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("q"), as_is("C"),
        nb::arg("eps"), nb::arg("delta"), as_is("a").none(), as_is("coef"),
        nb::arg("b"), as_is("step"), nb::arg("step_b"), as_is("lengths"),
        as_is("slopes"));
}

}  // namespace

void bind_support_losses(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
