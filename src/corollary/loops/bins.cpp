// Bin codes: which of a feature's bins each value is in.
//
//   b = #{edges < x},   so that x <= edges[b] and x > edges[b - 1]                   (1)
//
// and the number of the feature's bins for NaN. Codes are written by column, for
// partitions; a copy in groups of 16 features by row serves the histograms.

#include "common/arrays.hpp"
#include "common/bin_search.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Code = std::uint8_t;
constexpr Index GROUP = 16;
constexpr Index BLOCK = 1024;  // rows

template <class T>
void bin_codes(const T* X, Index n, Index row_step, Index column_step, Index d,
               const double* edges, const std::int32_t* bins, Code* codes,
               int threads) {
    std::vector<BinSearch> search;
    for (Index f = 0; f < d; ++f)
        search.emplace_back(edges + f * BinSearch::EDGES, bins[f], n);
    for_blocks(n, BLOCK, threads, [&](int, Index begin, Index end) {
        for (Index f = 0; f < d; ++f)
            search[std::size_t(f)].codes(X + begin * row_step + f * column_step,
                                         row_step, end - begin,
                                         codes + f * n + begin);  // (1)
    });
}

void group_codes(const Code* columns, Index n, const std::int32_t* ends, Index groups,
                 Code* out, int threads) {
    for_blocks(n, BLOCK, threads, [&](int, Index begin, Index end) {
        for (Index q = 0; q < groups; ++q) {
            const Index first = q ? ends[q - 1] : 0, last = ends[q];
            Code* to = out + q * n * GROUP;
            for (Index f = first; f < last; ++f)
                for (Index i = begin; i < end; ++i)
                    to[i * GROUP + f - first] = columns[f * n + i];
        }
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "bin_codes",
        [](nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X,
           Matrix<const double> edges, Vector<const std::int32_t> bins,
           Matrix<Code> codes, int threads) {
            nb::gil_scoped_release free;
            bin_codes(X.data(), Index(X.shape(0)), Index(X.stride(0)),
                      Index(X.stride(1)), Index(X.shape(1)), edges.data(), bins.data(),
                      codes.data(), threads);
        },
        as_is("X"), as_is("edges"), as_is("bins"), as_is("codes"), nb::arg("threads"));
}

}  // namespace

void bind_bins(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "group_codes",
        [](Matrix<const Code> columns, Vector<const std::int32_t> ends,
           nb::ndarray<Code, nb::ndim<3>, nb::c_contig, nb::device::cpu> groups,
           int threads) {
            nb::gil_scoped_release free;
            group_codes(columns.data(), Index(columns.shape(1)), ends.data(),
                        Index(ends.shape(0)), groups.data(), threads);
        },
        as_is("columns"), as_is("ends"), as_is("groups"), nb::arg("threads"));
}

}  // namespace corollary
