// Rank codes: each column's distinct values by their order, 0, 1, 2, ...
//
// Equal values share a code and larger values have larger codes, so a split x <= t is a
// split of the codes. NaN has the code after the last. With at most `bins` codes, values
// that follow each other share one, such that each holds about as many rows.

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

struct Entry {
    std::uint64_t key;  // orders as the value does
    std::uint32_t row;
};

// Bits of a value that order as values do; NaN comes last.
inline std::uint64_t order_key(double v) {
    if (std::isnan(v)) return ~std::uint64_t(0);
    const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);  // -0 is 0
    return bits >> 63 ? ~bits : bits | (std::uint64_t(1) << 63);
}

inline double value_of(std::uint64_t key) {
    return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t(1) << 63) : ~key);
}

// Sort by key, eleven bits at a time from the last; digits that all share are skipped.
void radix_sort(std::vector<Entry>& a, std::vector<Entry>& spare) {
    constexpr int bits = 11, buckets = 1 << bits;
    std::uint64_t differ = 0;
    for (const Entry& e : a) differ |= e.key ^ a[0].key;
    for (int shift = 0; shift < 64; shift += bits) {
        if (((differ >> shift) & (buckets - 1)) == 0) continue;
        std::uint32_t start[buckets] = {};
        for (const Entry& e : a) ++start[(e.key >> shift) & (buckets - 1)];
        std::uint32_t sum = 0;
        for (std::uint32_t& s : start) {
            const std::uint32_t count = s;
            s = sum;
            sum += count;
        }
        for (const Entry& e : a) spare[start[(e.key >> shift) & (buckets - 1)]++] = e;
        a.swap(spare);
    }
}

struct Column {
    std::vector<Entry> entries, spare;
};

// Codes of one column; returns how many, without NaN's.
Index code_column(std::vector<Entry>& a, Index bins, std::uint32_t* codes, double* low,
                  double* high) {
    const Index n = Index(a.size());
    Index present = n;
    while (present > 0 && a[present - 1].key == ~std::uint64_t(0)) --present;
    Index distinct = present > 0;
    for (Index i = 1; i < present; ++i) distinct += a[i].key != a[i - 1].key;
    const bool every = distinct <= bins;
    Index code = -1, used = 0;  // used: rows of the bins before this one
    for (Index i = 0; i < present;) {
        Index end = i + 1;
        while (end < present && a[end].key == a[i].key) ++end;
        const double v = value_of(a[i].key);
        // a bin is full when it holds its share of the rows that are left
        const bool full =
            code < 0 || every || (i - used) * (bins - code) >= present - used;
        if (full && code + 1 < bins) {
            ++code;
            used = i;
            low[code] = v;
        }
        high[code] = v;
        for (; i < end; ++i) codes[a[i].row] = std::uint32_t(code);
    }
    for (Index i = present; i < n; ++i) codes[a[i].row] = std::uint32_t(code + 1);
    return code + 1;
}

template <class T>
void rank_codes(const Dense<T>& X, const std::int64_t* bins, std::uint32_t* codes,
                double* low, double* high, std::int64_t* counts, int threads) {
    std::vector<Column> scratch(std::max(1, threads));
    for_blocks(X.d, 1, threads, [&](int worker, Index begin, Index end) {
        Column& s = scratch[worker];
        s.entries.resize(X.n);
        s.spare.resize(X.n);
        for (Index j = begin; j < end; ++j) {
            for (Index i = 0; i < X.n; ++i)
                s.entries[i] = {order_key(double(X.row(i)[j])), std::uint32_t(i)};
            if (X.n < 1024)
                std::stable_sort(
                    s.entries.begin(), s.entries.end(),
                    [](const Entry& a, const Entry& b) { return a.key < b.key; });
            else
                radix_sort(s.entries, s.spare);
            counts[j] = code_column(s.entries, bins[j], codes + j * X.n, low + j * X.n,
                                    high + j * X.n);
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
