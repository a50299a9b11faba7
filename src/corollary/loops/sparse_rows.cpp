// Whether the indices of a CSR (or CSC) matrix can be trusted: every other loop does.
//
//   pointers_rise   0 = p_0 <= p_1 <= ... <= p_n <= the number of stored entries     (1)
//   indices_within  0 <= j < d for every stored entry                                (2)
//   indices_rise    j_p < j_{p+1} within each row: sorted, and none of them twice    (3)
//
// (2) and (3) read the indices by (1).

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

template <class P>
bool pointers_rise(const P* p, Index n, Index entries) {
    if (p[0] != 0 || Index(p[n]) > entries) return false;
    bool rise = true;
    for (Index i = 0; i < n; ++i) rise &= p[i] <= p[i + 1];
    return rise;
}

// Negative numbers are large ones without a sign.
template <class I>
bool indices_within(const I* j, Index entries, Index d) {
    using Unsigned = std::make_unsigned_t<I>;
    bool within = true;
    for (Index e = 0; e < entries; ++e)
        within &= std::uint64_t(Unsigned(j[e])) < std::uint64_t(d);
    return within;
}

template <class I, class P>
bool indices_rise(const I* j, const P* p, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
        bool rise = true;
        for (Index e = Index(p[i]) + 1; e < Index(p[i + 1]); ++e)
            rise &= j[e - 1] < j[e];
        if (!rise) return false;
    }
    return true;
}

// True where look(begin, end) holds for every block of the numbers 0..n.
template <class F>
bool everywhere(Index n, Index block, int threads, F look) {
    std::atomic<bool> holds = true;
    for_blocks(n, block, threads, [&](int, Index begin, Index end) {
        if (holds.load(std::memory_order_relaxed) && !look(begin, end))
            holds.store(false, std::memory_order_relaxed);
    });
    return holds.load();
}

template <class I>
void bind(nb::module_& m) {
    m.def(
        "pointers_rise",
        [](Vector<const I> indptr, Index entries) {
            nb::gil_scoped_release free;
            return pointers_rise(indptr.data(), Index(indptr.shape(0)) - 1, entries);
        },
        as_is("indptr"), nb::arg("entries"));
    m.def(
        "indices_within",
        [](Vector<const I> indices, Index d, int threads) {
            nb::gil_scoped_release free;
            const I* j = indices.data();
            return everywhere(Index(indices.shape(0)), 1 << 15, threads,
                              [&](Index begin, Index end) {
                                  return indices_within(j + begin, end - begin, d);
                              });
        },
        as_is("indices"), nb::arg("d"), nb::arg("threads"));
    m.def(
        "indices_rise",
        [](Vector<const I> indices, Vector<const I> indptr, int threads) {
            nb::gil_scoped_release free;
            const I *j = indices.data(), *p = indptr.data();
            return everywhere(
                Index(indptr.shape(0)) - 1, 1 << 10, threads,
                [&](Index begin, Index end) { return indices_rise(j, p, begin, end); });
        },
        as_is("indices"), as_is("indptr"), nb::arg("threads"));
}

}  // namespace

void bind_sparse_rows(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
}

}  // namespace corollary
