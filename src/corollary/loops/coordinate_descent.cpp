// Coordinate descent for the elastic net on a Gram matrix; solvers/coordinate_descent.py
// has the mathematics, and its equation numbers stand here.
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/arrays.hpp"
#include "common/interrupt.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

struct Penalty {
    double l1, l2;
    bool positive;

    // The minimiser over one coordinate whose gradient vanishes at u / (g + l2). (3)
    double shrink(double u, double g) const {
        const double over = std::abs(u) - l1;
        if (over <= 0 || (positive && u < 0)) return 0;
        return std::copysign(over, u) / (g + l2);
    }
    double over(double z) const {
        return std::max(0., (positive ? z : std::abs(z)) - l1);
    }
};

// The duality gap of the columns in the set: the lesser of (6) and (7).
double gap(Index p, const double* c, double y2, const double* b, const double* q,
           const Penalty& penalty) {
    const auto [l1, l2, positive] = penalty;
    double bcq = 0, b2 = 0, b1 = 0, bz = 0, top = 0, unscaled = 0;
    for (Index j = 0; j < p; ++j) {
        const double z = q[j] - l2 * b[j], over = penalty.over(q[j]);
        bcq += b[j] * (c[j] + q[j]);
        b2 += b[j] * b[j];
        b1 += std::abs(b[j]);
        bz += b[j] * z;
        top = std::max(top, positive ? z : std::abs(z));
        if (l2 > 0)
            unscaled += l1 * std::abs(b[j]) + l2 * b[j] * b[j] / 2 +
                        over * over / (2 * l2) - b[j] * q[j];
    }
    const double r2 = std::max(0., y2 - bcq) + l2 * b2;
    double s = r2 > 0 ? std::max(0., 1 + bz / r2) : 1;  // (5)
    if (s * top > l1) s = l1 / top;
    const double scaled = (1 - s) * (1 - s) * r2 / 2 + std::max(0., l1 * b1 - s * bz);
    return l2 > 0 ? std::min(scaled, std::max(0., unscaled)) : scaled;
}

std::pair<Index, double> descend(const double* G, Index stride, Index p,
                                 const double* c, double y2, const Penalty& penalty,
                                 Index epochs, double goal, double* __restrict b,
                                 double* __restrict q) {
    constexpr Index between = 10;  // epochs from one look at the gap to the next
    double left = gap(p, c, y2, b, q, penalty);
    Index epoch = 0;
    Watch watch;
    while (epoch < epochs && left > goal) {
        for (Index j = 0; j < p; ++j) {
            if (j % 64 == 0 && watch.stopped()) watch.raise();
            const double* __restrict g = G + j * stride;
            if (!(g[j] > 0)) continue;  // a column that never moves
            const double fresh = penalty.shrink(q[j] + g[j] * b[j], g[j]);
            const double step = fresh - b[j];
            if (step == 0) continue;
            b[j] = fresh;
            for (Index i = 0; i < p; ++i) q[i] -= step * g[i];  // (4)
        }
        if (++epoch % between == 0 || epoch == epochs)
            left = gap(p, c, y2, b, q, penalty);
    }
    return {epoch, left};
}

}  // namespace

void bind_coordinate_descent(nb::module_& m) {
    m.def(
        "descend",
        [](Matrix<const double> G, Vector<const double> c, double y2, double l1,
           double l2, bool positive, Index epochs, double goal, Vector<double> b,
           Vector<double> q) {
            nb::gil_scoped_release free;
            return descend(G.data(), Index(G.shape(1)), Index(b.shape(0)), c.data(), y2,
                           {l1, l2, positive}, epochs, goal, b.data(), q.data());
        },
        as_is("G"), as_is("c"), nb::arg("y2"), nb::arg("l1"), nb::arg("l2"),
        nb::arg("positive"), nb::arg("epochs"), nb::arg("goal"), as_is("b"),
        as_is("q"));
}

}  // namespace corollary
