// Rank codes: each column's distinct values by their order, 0, 1, 2, ...
//
// Equal values share a code and larger values have larger codes, so a split x <= t is a
// split of the codes. NaN has the code after the last. With at most `bins` codes, values
// that follow each other share one, such that each holds about as many rows.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr std::uint64_t MISSING = ~std::uint64_t(0);

// Bits of a value that order as values do; NaN comes last.
inline std::uint64_t order_key(double v) {
    if (std::isnan(v)) return MISSING;
    const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);  // -0 is 0
    return bits >> 63 ? ~bits : bits | (std::uint64_t(1) << 63);
}

inline double value_of(std::uint64_t key) {
    return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t(1) << 63) : ~key);
}

// The rows in the order of their keys. The upper halves are sorted with the rows, eleven
// bits at a time, or eight of not so many rows; runs that they do not tell apart are
// sorted by the whole keys.
struct Sorter {
    std::vector<std::uint64_t> keys, a, spare;

    void sort(const std::uint64_t* key, Index n) {
        a.resize(n);
        spare.resize(n);
        std::uint64_t differ = 0;
        for (Index i = 0; i < n; ++i) {
            a[i] = (key[i] & UPPER) | std::uint64_t(i);
            differ |= key[i] ^ key[0];
        }
        if (n < FEW) {
            std::sort(a.begin(), a.end());
        } else if (n < MANY) {
            passes<8>(differ);
        } else {
            passes<11>(differ);
        }
        if ((differ & ~UPPER) == 0) return;
        for (Index i = 0; i < n;) {
            Index end = i + 1;
            while (end < n && (a[end] & UPPER) == (a[i] & UPPER)) ++end;
            if (end - i > 1)
                std::sort(a.begin() + i, a.begin() + end,
                          [key](std::uint64_t p, std::uint64_t q) {
                              return key[p & ~UPPER] < key[q & ~UPPER];
                          });
            i = end;
        }
    }
    Index row(Index i) const { return Index(a[i] & ~UPPER); }

  private:
    static constexpr std::uint64_t UPPER = ~std::uint64_t(0) << 32;
    static constexpr Index FEW = 128, MANY = 8192;

    // A pass for each digit that not all share; one look counts all digits.
    template <int BITS>
    void passes(std::uint64_t differ) {
        constexpr std::uint64_t mask = (1 << BITS) - 1;
        constexpr int digits = (32 + BITS - 1) / BITS;
        std::uint32_t start[digits][mask + 1] = {};
        for (const std::uint64_t e : a)
            for (int k = 0; k < digits; ++k) ++start[k][(e >> (32 + k * BITS)) & mask];
        for (int k = 0; k < digits; ++k) {
            const int shift = 32 + k * BITS;
            if (((differ >> shift) & mask) == 0) continue;
            std::uint32_t sum = 0;
            for (std::uint32_t& s : start[k]) sum += std::exchange(s, sum);
            for (const std::uint64_t e : a) spare[start[k][(e >> shift) & mask]++] = e;
            a.swap(spare);
        }
    }
};

// Codes of one column; returns how many, without NaN's.
Index code_column(const Sorter& s, const std::uint64_t* key, Index n, Index bins,
                  std::uint32_t* codes, double* low, double* high) {
    const auto at = [&](Index i) { return key[s.row(i)]; };
    Index present = n;
    while (present > 0 && at(present - 1) == MISSING) --present;
    Index distinct = present > 0;
    for (Index i = 1; bins < n && i < present; ++i) distinct += at(i) != at(i - 1);
    const bool every = bins >= n || distinct <= bins;
    Index code = -1, used = 0;  // used: rows of the bins before this one
    for (Index i = 0; i < present;) {
        const std::uint64_t same = at(i);
        // a bin is full when it holds its share of the rows that are left
        const bool full =
            code < 0 || every || (i - used) * (bins - code) >= present - used;
        if (full && code + 1 < bins) {
            ++code;
            used = i;
            low[code] = value_of(same);
        }
        high[code] = value_of(same);
        for (; i < present && at(i) == same; ++i) codes[s.row(i)] = std::uint32_t(code);
    }
    for (Index i = present; i < n; ++i) codes[s.row(i)] = std::uint32_t(code + 1);
    return code + 1;
}

// Codes of a column of small whole numbers, which need no sort; -1 where it is none, or
// where several numbers must share a code.
Index code_small(const std::uint64_t* key, Index n, Index bins, std::uint32_t* codes,
                 double* low, double* high) {
    constexpr std::uint32_t small = 256;
    bool present[small] = {};
    for (Index i = 0; i < n; ++i) {
        const double v = value_of(key[i]);
        if (!(v >= 0 && v < small)) return -1;  // NaN too
        const auto whole = std::uint32_t(v);
        if (double(whole) != v) return -1;
        present[whole] = true;
        codes[i] = whole;
    }
    if (std::count(present, present + small, true) > bins) return -1;
    std::uint32_t code[small], count = 0;
    for (std::uint32_t v = 0; v < small; ++v) {
        code[v] = count;
        if (present[v]) low[count] = high[count] = double(v), ++count;
    }
    for (Index i = 0; i < n; ++i) codes[i] = code[codes[i]];
    return Index(count);
}

// Columns begin..end of X as keys, one column after the other; a row's cache line serves
// all of them.
template <class T>
void order_keys(const Dense<T>& X, Index begin, Index end, std::uint64_t* keys) {
    for (Index i = 0; i < X.n; ++i)
        for (Index j = begin; j < end; ++j)
            keys[(j - begin) * X.n + i] = order_key(double(X.row(i)[j]));
}

template <class T>
void rank_codes(const Dense<T>& X, const std::int64_t* bins, std::uint32_t* codes,
                double* low, double* high, std::int64_t* counts, int threads) {
    constexpr Index together = 8;
    const Index block = std::min(together, (X.d + threads - 1) / std::max(1, threads));
    std::vector<Sorter> sorters(std::max(1, threads));
    for_blocks(X.d, block, threads, [&](int worker, Index begin, Index end) {
        Sorter& s = sorters[worker];
        s.keys.resize(X.n * (end - begin));
        order_keys(X, begin, end, s.keys.data());
        for (Index j = begin; j < end; ++j) {
            const std::uint64_t* key = s.keys.data() + (j - begin) * X.n;
            const Index first = j * X.n;
            counts[j] =
                code_small(key, X.n, bins[j], codes + first, low + first, high + first);
            if (counts[j] >= 0) continue;
            s.sort(key, X.n);
            counts[j] = code_column(s, key, X.n, bins[j], codes + first, low + first,
                                    high + first);
        }
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "rank_codes",
        [](Matrix<const T> X, Vector<const std::int64_t> bins,
           Matrix<std::uint32_t> codes, Matrix<double> low, Matrix<double> high,
           Vector<std::int64_t> counts, int threads) {
            nb::gil_scoped_release free;
            rank_codes(rows(X), bins.data(), codes.data(), low.data(), high.data(),
                       counts.data(), threads);
        },
        as_is("X"), as_is("bins"), as_is("codes"), as_is("low"), as_is("high"),
        as_is("counts"), nb::arg("threads"));
}

}  // namespace

void bind_rank_codes(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
