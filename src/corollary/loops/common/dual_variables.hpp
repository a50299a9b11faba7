// The variables of a machine's dual; solvers/smo.py has the mathematics, and its equation
// numbers stand here.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arrays.hpp"
#include "vector.hpp"

namespace corollary {

inline constexpr double BIG = 1e30;

// One variable of the dual, its box, the slope of |b| and its group.
struct Variables {
    const double *f, *b, *lo, *hi, *eps;
    const std::int8_t* group;  // may be null

    int of(Index t) const { return group == nullptr ? 0 : group[t]; }
    // The slope of the objective as b_t rises, and as it falls. (3)
    double up(Index t) const {
        return b[t] < hi[t] ? f[t] + (b[t] >= 0 ? eps[t] : -eps[t]) : BIG;
    }
    double low(Index t) const {
        return b[t] > lo[t] ? f[t] + (b[t] > 0 ? eps[t] : -eps[t]) : -BIG;
    }
};

struct Extremes {
    double up[2] = {BIG, BIG}, low[2] = {-BIG, -BIG};

    double violation() const { return std::max(low[0] - up[0], low[1] - up[1]); }
};

inline Extremes extremes(const Variables& v, const double* up, const double* low,
                         Index n) {
    Extremes e;
    Index t = 0;
    if (v.group == nullptr) {
        constexpr int L = lanes<double>;
        Vec<double> least = splat(BIG), top = splat(-BIG);
        for (; t + L <= n; t += L) {
            least = minimum(least, load(up + t));
            top = maximum(top, load(low + t));
        }
        for (int l = 0; l < L; ++l) {
            e.up[0] = std::min<double>(e.up[0], least[l]);
            e.low[0] = std::max<double>(e.low[0], top[l]);
        }
    }
    for (; t < n; ++t) {
        const int g = v.of(t);
        e.up[g] = std::min(e.up[g], up[t]);
        e.low[g] = std::max(e.low[g], low[t]);
    }
    return e;
}

inline Extremes extremes(const Variables& v, Index n) {
    Extremes e;
    for (Index t = 0; t < n; ++t) {
        const int g = v.of(t);
        e.up[g] = std::min(e.up[g], v.up(t));
        e.low[g] = std::max(e.low[g], v.low(t));
    }
    return e;
}

}  // namespace corollary
