// What is optimal in a machine's dual, how far from it, and the exact move of its free
// variables; solvers/smo.py has the mathematics, and its equation numbers stand here.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/arrays.hpp"
#include "common/dual_variables.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double NOISE = 1e-16;   // of the sum f'b, below which a gap is rounding
constexpr double LEAST = 1e-3;    // share of a gap that a better offset might take off
constexpr double ROUGHLY = 0.02;  // the same of a gap that is only compared
constexpr double WORSE = 1.1;     // times the least gap that an offset may have

// A variable beside a bound, or beside 0, is put on it.
void snapped(const double* b, const double* lo, const double* hi, Index n, double share,
             double* out) {
    double largest = 0;
    for (Index t = 0; t < n; ++t) largest = std::max(largest, std::abs(b[t]));
    const double near = share * largest;
    for (Index t = 0; t < n; ++t) {
        double to = b[t];
        if (std::abs(to) <= near) to = std::min(std::max(0.0, lo[t]), hi[t]);
        if (to - lo[t] <= near) to = lo[t];
        out[t] = hi[t] - to <= near ? hi[t] : to;
    }
}

// (8) of group g at rho, and its slope there; f may be wrong by `rounding`.
std::pair<double, double> gap_at(const Variables& v, Index n, int g, double rounding,
                                 double rho) {
    double value = 0, slope = 0;
    for (Index t = 0; t < n; ++t) {
        if (v.of(t) != g) continue;
        const double b = v.b[t], s = v.f[t] - rho, eps = v.eps[t];
        double best = 0, to = b;
        // a maximum is at an end or at the kink
        for (const double end : {v.lo[t], v.hi[t], std::clamp(0.0, v.lo[t], v.hi[t])}) {
            const double gain = s * (b - end) + eps * (std::abs(b) - std::abs(end)) +
                                rounding * std::abs(b - end);
            if (gain > best) best = gain, to = end;
        }
        value += best;
        slope += to - b;
    }
    return {value, slope};
}

constexpr int CUTS =
    4400;  // halve any interval of doubles down to nothing, each second

// The least (8) for low <= rho <= high, from a first guess, and where. It is convex in
// rho and at least 0: the interval is cut at its middle and where the tangent is 0 in
// turn, until what is left to gain is `least` of the gap, or less than `floor`.
std::pair<double, double> least_gap(const Variables& v, Index n, int g, double rounding,
                                    double low, double high, double rho, double least,
                                    double floor) {
    double best = std::numeric_limits<double>::infinity(), at = rho;
    for (int cut = 0; cut < CUTS; ++cut) {
        const auto [value, slope] = gap_at(v, n, g, rounding, rho);
        if (value < best) best = value, at = rho;
        if (std::abs(slope) * (high - low) <= std::max(least * value, floor)) break;
        (slope < 0 ? low : high) = rho;
        const double tangent = rho - value / slope;
        rho = cut % 2 == 0 && low < tangent && tangent < high ? tangent
                                                              : (low + high) / 2;
        if (!(low < rho && rho < high)) break;
    }
    return {best, at};
}

// The least and the largest offset that (4) allows group g: the mean slope of its free
// variables, where it has some.
std::pair<double, double> offsets(const Variables& v, Index n, int g) {
    double top = INF, bottom = -INF, sum = 0;
    Index free = 0;
    for (Index t = 0; t < n; ++t) {
        if (v.of(t) != g) continue;
        const bool rises = v.b[t]<v.hi[t], falls = v.b[t]> v.lo[t];
        const double up = v.up(t), low = v.low(t);
        if (rises && falls && up == low) sum += up, ++free;
        if (rises) top = std::min(top, up);
        if (falls) bottom = std::max(bottom, low);
    }
    if (free > 0) return {sum / double(free), sum / double(free)};
    if (!std::isfinite(top) || !std::isfinite(bottom)) {
        const double end = std::isfinite(bottom) ? bottom
                           : std::isfinite(top)  ? top
                                                 : 0.0;
        return {end, end};
    }
    if (bottom > top) bottom = top = (bottom + top) / 2;  // by no more than tol
    return {bottom, top};
}

// The least (8) of group g but for a share of it, from the offset `first` on, and where.
std::pair<double, double> least_gap(const Variables& v, Index n, int g, double rounding,
                                    double first, double share) {
    double low = INF, high = -INF, size = 0;
    for (Index t = 0; t < n; ++t) {
        if (v.of(t) != g) continue;
        low = std::min(low, v.f[t] - v.eps[t]);
        high = std::max(high, v.f[t] + v.eps[t]);
        size += std::abs(v.f[t]) * std::abs(v.b[t]);
    }
    if (low > high) return {0.0, 0.0};  // it is empty
    const double guess = std::min(std::max(first, low), high);
    return least_gap(v, n, g, rounding, low, high, guess, share, NOISE * size);
}

// (8) at the best offsets, or at those that (4) allows if that is little enough.
double duality_gap(const Variables& v, Index n, int groups, double enough) {
    double first = 0, least = 0;
    for (int g = 0; g < groups; ++g)
        first += gap_at(v, n, g, 0.0, offsets(v, n, g).first).first;
    if (first <= enough) return first;
    for (int g = 0; g < groups; ++g)
        least += least_gap(v, n, g, 0.0, offsets(v, n, g).first, LEAST).first;
    return least;
}

// (8) at an offset of group g; a sum that rounding took from the one that is kept adds
// what it may hide.
double whole_gap(const Variables& v, const double* start, Index n, int g,
                 double rounding, double rho) {
    double drift = 0;
    for (Index t = 0; t < n; ++t)
        if (v.of(t) == g) drift += v.b[t] - start[t];
    return gap_at(v, n, g, rounding, rho).first + std::abs(rho * drift);
}

// (8) at the offsets to keep, and from where to where each may lie. Where a search ended
// early the middle of what (4) allows may be far from the best offset, which is taken.
double kept_offsets(const Variables& v, const double* start, Index n, int groups,
                    double rounding, double* ends) {
    double total = 0;
    for (int g = 0; g < groups; ++g) {
        auto [low, high] = offsets(v, n, g);
        const double middle = (low + high) / 2;
        const double gap = gap_at(v, n, g, rounding, middle).first;
        if (gap > WORSE * least_gap(v, n, g, rounding, low, ROUGHLY).first)
            low = high = least_gap(v, n, g, rounding, low, LEAST).second;
        total += whole_gap(v, start, n, g, rounding, (low + high) / 2);
        ends[2 * g] = low;
        ends[2 * g + 1] = high;
    }
    return total;
}

// The variables that are strictly between their bounds and not at the kink.
Index free_variables(const Variables& v, Index n, std::int64_t* free) {
    Index m = 0;
    for (Index t = 0; t < n; ++t)
        if (v.b[t] > v.lo[t] && v.b[t] < v.hi[t] && (v.b[t] != 0 || v.eps[t] == 0))
            free[m++] = t;
    return m;
}

// The system (7), divided by the largest K_tt lest 1 drowns in K, and the largest sum of
// |A| in a column.
template <class T>
double exact_system(const T* K, Index n, const std::int64_t* slots,
                    const std::int64_t* columns, const Variables& v,
                    const std::int64_t* free, Index m, int groups, double* A,
                    double* target) {
    double unit = 0;
    for (Index s = 0; s < m; ++s)
        unit = std::max(unit, std::abs(double(K[slots[s] * n + columns[s]])));
    if (unit == 0) unit = 1;
    const Index size = m + groups;
    std::fill_n(A, size * size, 0.0);
    std::fill_n(target, size, 0.0);
    double largest = 0;
    for (Index s = 0; s < m; ++s) {
        const Index t = free[s], g = m + v.of(t);
        for (Index r = 0; r < m; ++r)
            A[s * size + r] = double(K[slots[s] * n + columns[r]]) / unit;
        A[s * size + g] = A[g * size + s] = -1;
        const double sign = double(v.b[t] > 0) - double(v.b[t] < 0);
        target[s] = -(v.f[t] + v.eps[t] * sign) / unit;
    }
    for (Index s = 0; s < size; ++s) {
        double sum = 0;
        for (Index r = 0; r < size; ++r) sum += std::abs(A[s * size + r]);
        largest = std::max(largest, sum);
    }
    return largest;
}

// Keep the groups' sums in a step of the free variables; tell whether it meets no bound
// and no kink.
bool exact_step(const Variables& v, const std::int64_t* free, Index m, int groups,
                double* step) {
    bool inside = true;
    for (int g = 0; g < groups; ++g) {
        double sum = 0;
        Index count = 0;
        for (Index s = 0; s < m; ++s)
            if (v.of(free[s]) == g) sum += step[s], ++count;
        for (Index s = 0; s < m; ++s)
            if (v.of(free[s]) == g) step[s] -= sum / double(count);
    }
    for (Index s = 0; s < m; ++s) {
        const Index t = free[s];
        const double to = v.b[t] + step[s];
        inside &= to > v.lo[t] && to < v.hi[t] && !(v.eps[t] > 0 && to * v.b[t] < 0);
    }
    return inside;
}

using Doubles = Vector<const double>;
using Groups = Optional<Vector<const std::int8_t>>;
using Indices = Vector<const std::int64_t>;

Variables variables(const Doubles& f, const Doubles& b, const Doubles& lo,
                    const Doubles& hi, const Doubles& eps, const Groups& group) {
    return {f.data(), b.data(), lo.data(), hi.data(), eps.data(), data_or_null(group)};
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "exact_system",
        [](Matrix<const T> K, Indices slots, Indices columns, Doubles f, Doubles b,
           Doubles lo, Doubles hi, Doubles eps, Groups group, int groups, Indices free,
           Matrix<double> A, Vector<double> target) {
            nb::gil_scoped_release release;
            return exact_system(K.data(), Index(K.shape(1)), slots.data(),
                                columns.data(), variables(f, b, lo, hi, eps, group),
                                free.data(), Index(free.shape(0)), groups, A.data(),
                                target.data());
        },
        as_is("K"), as_is("slots"), as_is("columns"), as_is("f"), as_is("b"),
        as_is("lo"), as_is("hi"), as_is("eps"), as_is("group").none(),
        nb::arg("groups"), as_is("free"), as_is("A"), as_is("target"));
}

}  // namespace

void bind_box_dual(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "snapped",
        [](Doubles b, Doubles lo, Doubles hi, double share, Vector<double> out) {
            nb::gil_scoped_release release;
            snapped(b.data(), lo.data(), hi.data(), Index(b.shape(0)), share,
                    out.data());
        },
        as_is("b"), as_is("lo"), as_is("hi"), nb::arg("share"), as_is("out"));
    m.def(
        "violation",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group) {
            nb::gil_scoped_release release;
            const Variables v = variables(f, b, lo, hi, eps, group);
            return extremes(v, Index(f.shape(0))).violation();
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none());
    m.def(
        "offsets",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group,
           int g) {
            nb::gil_scoped_release release;
            return offsets(variables(f, b, lo, hi, eps, group), Index(f.shape(0)), g);
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none(), nb::arg("g"));
    m.def(
        "least_gap",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, double rounding,
           double low, double high, double rho, double least, double floor) {
            nb::gil_scoped_release release;
            const Variables v = variables(f, b, lo, hi, eps, {});
            return least_gap(v, Index(f.shape(0)), 0, rounding, low, high, rho, least,
                             floor);
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        nb::arg("rounding"), nb::arg("low"), nb::arg("high"), nb::arg("rho"),
        nb::arg("least"), nb::arg("floor"));
    m.def(
        "duality_gap",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group,
           int groups, double enough) {
            nb::gil_scoped_release release;
            const Variables v = variables(f, b, lo, hi, eps, group);
            return duality_gap(v, Index(f.shape(0)), groups, enough);
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none(), nb::arg("groups"), nb::arg("enough"));
    m.def(
        "gap_at",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group,
           Doubles start, double rounding, Doubles rho) {
            nb::gil_scoped_release release;
            const Variables v = variables(f, b, lo, hi, eps, group);
            double total = 0;
            for (int g = 0; g < int(rho.shape(0)); ++g)
                total += whole_gap(v, start.data(), Index(f.shape(0)), g, rounding,
                                   rho.data()[g]);
            return total;
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none(), as_is("start"), nb::arg("rounding"), as_is("rho"));
    m.def(
        "kept_offsets",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group,
           Doubles start, double rounding, Matrix<double> ends) {
            nb::gil_scoped_release release;
            return kept_offsets(variables(f, b, lo, hi, eps, group), start.data(),
                                Index(f.shape(0)), int(ends.shape(0)), rounding,
                                ends.data());
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none(), as_is("start"), nb::arg("rounding"), as_is("ends"));
    m.def(
        "free_variables",
        [](Doubles b, Doubles lo, Doubles hi, Doubles eps, Vector<std::int64_t> free) {
            nb::gil_scoped_release release;
            return free_variables(variables(b, b, lo, hi, eps, {}), Index(b.shape(0)),
                                  free.data());
        },
        as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"), as_is("free"));
    m.def(
        "exact_step",
        [](Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group, int groups,
           Indices free, Vector<double> step) {
            nb::gil_scoped_release release;
            return exact_step(variables(b, b, lo, hi, eps, group), free.data(),
                              Index(free.shape(0)), groups, step.data());
        },
        as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"), as_is("group").none(),
        nb::arg("groups"), as_is("free"), as_is("step"));
}

}  // namespace corollary
