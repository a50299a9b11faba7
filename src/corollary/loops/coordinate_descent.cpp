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

// Blocks: coordinate j is a column of m targets, and its size is its length;
// solvers/block_descent.py has the mathematics, and its equation numbers stand here.
// c, b and q are (m, p), so that (4) runs along their rows.
struct Blocks {
    Index p, m;
    double y2, l1, l2;

    // The duality gap of the columns in the set.
    double gap(const double* c, const double* b, const double* q) const {
        double bcq = 0, b2 = 0, b1 = 0, bz = 0, top = 0, unscaled = 0;
        for (Index j = 0; j < p; ++j) {
            double bb = 0, bc = 0, bq = 0, qq = 0, zz = 0;
            for (Index i = j; i < m * p; i += p) {
                const double z = q[i] - l2 * b[i];
                bb += b[i] * b[i];
                bc += b[i] * c[i];
                bq += b[i] * q[i];
                qq += q[i] * q[i];
                zz += z * z;
            }
            const double over = std::max(0., std::sqrt(qq) - l1),
                         length = std::sqrt(bb);
            bcq += bc + bq;
            b2 += bb;
            b1 += length;
            bz += bq - l2 * bb;
            top = std::max(top, zz);
            if (l2 > 0)
                unscaled += l1 * length + l2 * bb / 2 + over * over / (2 * l2) - bq;
        }
        top = std::sqrt(top);
        const double r2 = std::max(0., y2 - bcq) + l2 * b2;
        double s = r2 > 0 ? std::max(0., 1 + bz / r2) : 1;
        if (s * top > l1) s = l1 / top;
        const double scaled =
            (1 - s) * (1 - s) * r2 / 2 + std::max(0., l1 * b1 - s * bz);
        return l2 > 0 ? std::min(scaled, std::max(0., unscaled)) : scaled;
    }

    // Minimise over coordinate j (3), whose column has the square g; `step` (m,)
    // becomes its change. Returns whether it has one.
    bool move(Index j, double g, double* b, const double* q, double* step) const {
        double uu = 0;
        for (Index t = 0, i = j; t < m; ++t, i += p) {
            step[t] = q[i] + g * b[i];
            uu += step[t] * step[t];
        }
        const double length = std::sqrt(uu);
        const double share = length > l1 ? (1 - l1 / length) / (g + l2) : 0;
        bool moved = false;
        for (Index t = 0, i = j; t < m; ++t, i += p) {
            const double fresh = share * step[t];
            step[t] = fresh - b[i];
            b[i] = fresh;
            moved = moved || step[t] != 0;
        }
        return moved;
    }

    std::pair<Index, double> descend(const double* G, Index stride, const double* c,
                                     Index epochs, double goal, double* b, double* q,
                                     double* step) const {
        constexpr Index between = 3;
        double left = gap(c, b, q);
        Index epoch = 0;
        Watch watch;
        while (epoch < epochs && left > goal) {
            for (Index j = 0; j < p; ++j) {
                if (j % 16 == 0 && watch.stopped()) watch.raise();
                const double* __restrict g = G + j * stride;
                if (!(g[j] > 0)) continue;  // a column that never moves
                if (!move(j, g[j], b, q, step)) continue;
                for (Index t = 0; t < m; ++t) {
                    double* __restrict row = q + t * p;
                    const double change = step[t];
                    for (Index i = 0; i < p; ++i) row[i] -= change * g[i];  // (4)
                }
            }
            if (++epoch % between == 0 || epoch == epochs) left = gap(c, b, q);
        }
        return {epoch, left};
    }
};

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
    m.def(
        "descend_blocks",
        [](Matrix<const double> G, Matrix<const double> c, double y2, double l1,
           double l2, Index epochs, double goal, Matrix<double> b, Matrix<double> q,
           Vector<double> step) {
            nb::gil_scoped_release free;
            const Blocks blocks{Index(b.shape(1)), Index(b.shape(0)), y2, l1, l2};
            return blocks.descend(G.data(), Index(G.shape(1)), c.data(), epochs, goal,
                                  b.data(), q.data(), step.data());
        },
        as_is("G"), as_is("c"), nb::arg("y2"), nb::arg("l1"), nb::arg("l2"),
        nb::arg("epochs"), nb::arg("goal"), as_is("b"), as_is("q"), as_is("step"));
}

}  // namespace corollary
