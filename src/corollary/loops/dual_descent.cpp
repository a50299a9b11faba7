// Dual coordinate descent for linear machines, and for any quadratic in a box;
// solvers/dual_descent.py has the mathematics, and its equation numbers stand here.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/interrupt.hpp"
#include "common/splitmix.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

struct Box {
    const double *q, *lo, *hi, *ridge;  // (n,)
    double eps;
};

// What a look at one variable says: how much it violates, and where it is best.
struct Look {
    double violation, best;
    bool rests;  // even if the slope errs by `slack`
};

// g = slope of the smooth part of (1) in b_i, h = its curvature. (4), (5)
inline Look look(double lo, double hi, double eps, double b, double g, double h,
                 double slack) {
    const double up = g + (b >= 0 ? eps : -eps), low = g + (b > 0 ? eps : -eps);
    Look found{0.0, b, false};
    if (b < hi) found.violation = std::max(0.0, -up);
    if (b > lo) found.violation = std::max(found.violation, low);
    if (found.violation > 0) {
        const double z = h * b - g;
        const double soft = z > eps ? z - eps : (z < -eps ? z + eps : 0.0);
        found.best = std::clamp(soft / h, lo, hi);
    } else {
        found.rests = (b >= hi || up > slack) && (b <= lo || low < -slack);
    }
    return found;
}

// The same order everywhere for the same seed.
inline Index below(std::uint64_t& state, Index n) {
    return splitmix::below(splitmix::next(state), n);
}

template <class T>
inline void fetch(const Dense<T>& X, Index i) {
    const char* row = reinterpret_cast<const char*>(X.row(i));
    const Index bytes = std::min<Index>(X.d * Index(sizeof(T)), 1024);
    for (Index p = 0; p < bytes; p += 64) __builtin_prefetch(row + p);
}

template <class T>
inline void fetch(const Csr<T>& X, Index i) {
    const SparseRow<T> row = X.row(i);
    const Index most = std::min<Index>(row.count, 128);
    for (Index p = 0; p < most; p += Index(64 / sizeof(T)))
        __builtin_prefetch(row.x + p);
    for (Index p = 0; p < most; p += 16) __builtin_prefetch(row.j + p);
}

// All that is known of a variable, in one line of the cache: they are visited in an
// order all at random, which coordinate descent needs and memory does not like.
struct alignas(64) Variable {
    double q, lo, hi, ridge, curvature, beta;
};

std::vector<Variable> gathered(const Box& box, const double* squares,
                               const double* beta, Index n) {
    std::vector<Variable> v(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
        v[std::size_t(i)] = {
            box.q[i], box.lo[i], box.hi[i], box.ridge[i], squares[i] + box.ridge[i],
            beta[i]};
    return v;
}

// Rounds over the variables at work, those of order[0 .. active). Variables that rest by
// more than `slack`, which is the violation of the round before, move behind them.
// Returns (rounds, active, violation of the last round).
template <class Rows>
std::tuple<Index, Index, double> rounds_of(const Rows& X, const Box& box,
                                           const double* squares, double constant,
                                           std::int64_t* order, Index active,
                                           double slack, Index rounds, double tol,
                                           bool shrink, std::uint64_t seed,
                                           double* beta, double* w, double* b) {
    std::vector<Variable> variables = gathered(box, squares, beta, X.n);
    Variable* v = variables.data();
    double worst = 0.0;
    Index round = 0;
    Watch watch;
    for (; round < rounds && !watch.stopped(); ++round) {
        worst = 0.0;
        for (Index t = 0; t < active; ++t)
            std::swap(order[t], order[t + below(seed, active - t)]);
        for (Index t = 0; t < active; ++t) {
            if (t % 256 == 0 && watch.stopped()) break;
            const Index i = order[t];
            if (t + 8 < active) {
                __builtin_prefetch(v + order[t + 8]);
                X.prefetch(order[t + 8]);
            }
            if (t + 3 < active) fetch(X, order[t + 3]);
            Variable& one = v[i];
            if (!(one.curvature > 0)) continue;
            const double f = dot(X, i, w) + constant * *b;
            const double g = f + one.ridge * one.beta - one.q;
            const Look at =
                look(one.lo, one.hi, box.eps, one.beta, g, one.curvature, slack);
            worst = std::max(worst, at.violation);
            if (at.rests && shrink) {
                std::swap(order[t], order[--active]);
                --t;
                continue;
            }
            const double change = at.best - one.beta;
            if (change == 0) continue;
            add_row(X, i, change, w);  // (3)
            *b += change * constant;
            one.beta = at.best;
        }
        if (worst <= tol) {
            ++round;
            break;
        }
        slack = worst;
    }
    for (Index i = 0; i < X.n; ++i) beta[i] = v[i].beta;
    watch.raise();
    return {round, active, worst};
}

// The same on a matrix: f = K beta is kept for every variable.
std::pair<Index, double> matrix_rounds(const double* K, Index n, const Box& box,
                                       Index rounds, double tol, double* beta,
                                       double* f) {
    double worst = 0.0;
    Index round = 0;
    Watch watch;
    while (round < rounds) {
        ++round;
        worst = 0.0;
        for (Index i = 0; i < n; ++i) {
            if (i % 64 == 0 && watch.stopped()) watch.raise();
            const double* row = K + i * n;
            const double h = row[i] + box.ridge[i];
            const double g = f[i] + box.ridge[i] * beta[i] - box.q[i];
            Look at = look(box.lo[i], box.hi[i], box.eps, beta[i], g, h, 0.0);
            worst = std::max(worst, at.violation);
            if (!(h > 0) && at.violation > 0)  // straight: as far as the box allows
                at.best = g < 0 ? box.hi[i] : box.lo[i];
            const double change = at.best - beta[i];
            if (change == 0 || !std::isfinite(change)) continue;
            for (Index j = 0; j < n; ++j) f[j] += change * row[j];
            beta[i] = at.best;
        }
        if (worst <= tol) break;
    }
    return {round, worst};
}

using Doubles = Vector<const double>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "dual_rounds",
        [](Matrix<const T> X, Doubles q, Doubles lo, Doubles hi, Doubles ridge,
           double eps, Doubles squares, double constant, Vector<std::int64_t> order,
           Index active, double slack, Index rounds, double tol, bool shrink,
           std::uint64_t seed, Vector<double> beta, Vector<double> w,
           Vector<double> b) {
            const Box box{q.data(), lo.data(), hi.data(), ridge.data(), eps};
            nb::gil_scoped_release free;
            return rounds_of(rows(X), box, squares.data(), constant, order.data(),
                             active, slack, rounds, tol, shrink, seed, beta.data(),
                             w.data(), b.data());
        },
        as_is("X"), as_is("q"), as_is("lo"), as_is("hi"), as_is("ridge"), as_is("eps"),
        as_is("squares"), as_is("constant"), as_is("order"), as_is("active"),
        as_is("slack"), as_is("rounds"), as_is("tol"), as_is("shrink"), as_is("seed"),
        as_is("beta"), as_is("w"), as_is("b"));
    m.def(
        "dual_rounds_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Doubles q, Doubles lo, Doubles hi, Doubles ridge, double eps,
           Doubles squares, double constant, Vector<std::int64_t> order, Index active,
           double slack, Index rounds, double tol, bool shrink, std::uint64_t seed,
           Vector<double> beta, Vector<double> w, Vector<double> b) {
            const Csr<T> X = corollary::rows(data, indices, indptr, Index(w.shape(0)));
            const Box box{q.data(), lo.data(), hi.data(), ridge.data(), eps};
            nb::gil_scoped_release free;
            return rounds_of(X, box, squares.data(), constant, order.data(), active,
                             slack, rounds, tol, shrink, seed, beta.data(), w.data(),
                             b.data());
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("q"), as_is("lo"),
        as_is("hi"), as_is("ridge"), as_is("eps"), as_is("squares"), as_is("constant"),
        as_is("order"), as_is("active"), as_is("slack"), as_is("rounds"), as_is("tol"),
        as_is("shrink"), as_is("seed"), as_is("beta"), as_is("w"), as_is("b"));
}

}  // namespace

void bind_dual_descent(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "box_rounds",
        [](Matrix<const double> K, Doubles q, Doubles lo, Doubles hi, Doubles ridge,
           double eps, Index rounds, double tol, Vector<double> beta,
           Vector<double> f) {
            const Box box{q.data(), lo.data(), hi.data(), ridge.data(), eps};
            nb::gil_scoped_release free;
            return matrix_rounds(K.data(), Index(K.shape(0)), box, rounds, tol,
                                 beta.data(), f.data());
        },
        as_is("K"), as_is("q"), as_is("lo"), as_is("hi"), as_is("ridge"), as_is("eps"),
        as_is("rounds"), as_is("tol"), as_is("beta"), as_is("f"));
}

}  // namespace corollary
