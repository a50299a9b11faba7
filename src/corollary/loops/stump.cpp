// Decision stumps: columns sorted once, then the best cut of each for any weights.
//
//   order_j[p] = the row with the p-th smallest value of feature j                  (1)
//   S_j(p)     = sum_{q <= p} s[order_j[q]],   s_i = w_i y_i, y_i = +-1             (2)
//   G_j(p)     = max_c L_c(p) + max_c R_c(p)                                        (3)
//
// L_c(p) and R_c(p) are the weight of class c in the first p + 1 rows and in the others.
// A cut after place p is possible where the next value is larger. Elsewhere, and in the
// last place, the order holds the complement ~i of the row i: one number says both.
//
// Columns are sorted by the digits of their bits, the least significant first, which
// keeps equal values in the order of the rows.

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr Index GROUP = 8;  // columns that are read together: a line of the cache
constexpr int DIGIT = 11;   // bits

template <class T>
using Bits =
    std::conditional_t<sizeof(T) == sizeof(double), std::uint64_t, std::uint32_t>;

// Whole numbers in the order of the values: negative ones are turned round.
template <class T>
inline Bits<T> rising_bits(T x) {
    const auto b = std::bit_cast<Bits<T>>(x);
    constexpr Bits<T> sign = Bits<T>(1) << (8 * sizeof(T) - 1);
    return b & sign ? ~b : b | sign;
}

template <class T>
struct Sorter {
    struct Item {
        Bits<T> key;
        std::int32_t row;
    };
    static constexpr int DIGITS = (8 * sizeof(T) + DIGIT - 1) / DIGIT;
    static constexpr Index BINS = Index(1) << DIGIT;
    std::vector<Item> items, other;
    std::vector<std::array<std::int32_t, BINS>> counts;

    explicit Sorter(Index n) : items(n), other(n), counts(DIGITS) {}

    // (1) for one column, whose values stand one after the other.
    void sort(const T* x, Index n, std::int32_t* order) {
        for (auto& each : counts) each.fill(0);
        for (Index i = 0; i < n; ++i) {
            const Bits<T> key = rising_bits(x[i]);
            items[i] = {key, std::int32_t(i)};
            for (int r = 0; r < DIGITS; ++r) ++counts[r][digit(key, r)];
        }
        for (int r = 0; r < DIGITS; ++r) {
            auto& place = counts[r];
            if (n == 0 || place[digit(items[0].key, r)] == n) continue;  // all equal
            std::int32_t sum = 0;
            for (Index b = 0; b < BINS; ++b) sum += std::exchange(place[b], sum);
            for (const Item& item : items) other[place[digit(item.key, r)]++] = item;
            items.swap(other);
        }
        for (Index p = 0; p < n; ++p) {
            const std::int32_t i = items[p].row;
            const bool cut = p + 1 < n && x[i] < x[items[p + 1].row];
            order[p] = cut ? i : ~i;
        }
    }

  private:
    static Index digit(Bits<T> key, int r) {
        return Index(key >> (r * DIGIT)) & (BINS - 1);
    }
};

template <class T>
void sorted_columns(const Dense<T>& X, std::int32_t* order, int threads) {
    const Index n = X.n;
    for_blocks(X.d, GROUP, threads, [&](int, Index begin, Index end) {
        std::vector<T> columns((end - begin) * n);
        for (Index i = 0; i < n; ++i)
            for (Index j = begin; j < end; ++j)
                columns[(j - begin) * n + i] = X.row(i)[j];
        Sorter<T> sorter(n);
        for (Index j = begin; j < end; ++j)
            sorter.sort(columns.data() + (j - begin) * n, n, order + j * n);
    });
}

inline std::int32_t row_of(std::int32_t entry) { return entry ^ (entry >> 31); }

// The least and the largest S of one column, 0 before the first row included.
struct Extremes {
    double low = 0, high = 0;
    Index at_low = -1, at_high = -1;
};

// (2) for F columns, whose sums run side by side. An extreme must be beaten by more than
// `slack`, so that of cuts that are equal but for rounding the first wins.
template <int F>
void sweep(const std::int32_t* order, Index n, const double* s, double slack,
           Extremes* out) {
    double S[F] = {}, low[F], high[F];
    for (int f = 0; f < F; ++f) low[f] = -slack, high[f] = slack;
    for (Index p = 0; p < n; ++p)
        for (int f = 0; f < F; ++f) {
            const std::int32_t entry = order[f * n + p];
            S[f] += s[row_of(entry)];
            if (entry < 0) continue;
            if (S[f] < low[f]) {
                low[f] = S[f] - slack;
                out[f].low = S[f], out[f].at_low = p;
            } else if (S[f] > high[f]) {
                high[f] = S[f] + slack;
                out[f].high = S[f], out[f].at_high = p;
            }
        }
}

void sign_cuts(const Dense<std::int32_t>& order, const double* s, double slack,
               double* low, Index* at_low, double* high, Index* at_high, int threads) {
    constexpr int F = 2;
    for_blocks(order.n, F, threads, [&](int, Index begin, Index end) {
        Extremes found[F];
        if (end - begin == F)
            sweep<F>(order.row(begin), order.d, s, slack, found);
        else
            sweep<1>(order.row(begin), order.d, s, slack, found);
        for (Index j = begin; j < end; ++j) {
            const Extremes& e = found[j - begin];
            low[j] = e.low, at_low[j] = e.at_low;
            high[j] = e.high, at_high[j] = e.at_high;
        }
    });
}

// The largest (3) of each column; -1 for the cut that leaves all rows on one side.
void class_cuts(const Dense<std::int32_t>& order, const std::int32_t* z,
                const double* w, Index k, double slack, double* best, Index* at,
                int threads) {
    const Index n = order.d;
    for_blocks(order.n, 1, threads, [&](int, Index begin, Index end) {
        std::vector<double> right(n + 1), N(k);
        for (Index j = begin; j < end; ++j) {
            const std::int32_t* row = order.row(j);
            std::fill(N.begin(), N.end(), 0.);
            right[n] = 0;
            for (Index p = n; p-- > 0;) {
                const Index i = row_of(row[p]);
                right[p] = std::max(right[p + 1], N[z[i]] += w[i]);
            }
            std::fill(N.begin(), N.end(), 0.);
            double left = 0;
            best[j] = right[0], at[j] = -1;
            for (Index p = 0; p < n; ++p) {
                const Index i = row_of(row[p]);
                left = std::max(left, N[z[i]] += w[i]);
                if (row[p] < 0 || !(left + right[p + 1] > best[j] + slack)) continue;
                best[j] = left + right[p + 1], at[j] = p;
            }
        }
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "sorted_columns",
        [](Matrix<const T> X, Matrix<std::int32_t> order, int threads) {
            nb::gil_scoped_release free;
            sorted_columns(rows(X), order.data(), threads);
        },
        as_is("X"), as_is("order"), nb::arg("threads"));
}

}  // namespace

void bind_stump(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "sign_cuts",
        [](Matrix<const std::int32_t> order, Vector<const double> s, double slack,
           Vector<double> low, Vector<Index> at_low, Vector<double> high,
           Vector<Index> at_high, int threads) {
            nb::gil_scoped_release free;
            sign_cuts(rows(order), s.data(), slack, low.data(), at_low.data(),
                      high.data(), at_high.data(), threads);
        },
        as_is("order"), as_is("s"), nb::arg("slack"), as_is("low"), as_is("at_low"),
        as_is("high"), as_is("at_high"), nb::arg("threads"));
    m.def(
        "class_cuts",
        [](Matrix<const std::int32_t> order, Vector<const std::int32_t> z,
           Vector<const double> w, Index k, double slack, Vector<double> best,
           Vector<Index> at, int threads) {
            nb::gil_scoped_release free;
            class_cuts(rows(order), z.data(), w.data(), k, slack, best.data(),
                       at.data(), threads);
        },
        as_is("order"), as_is("z"), as_is("w"), nb::arg("k"), nb::arg("slack"),
        as_is("best"), as_is("at"), nb::arg("threads"));
}

}  // namespace corollary
