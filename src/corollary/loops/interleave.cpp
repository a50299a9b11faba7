// Columns side by side as the rows of a matrix:  out_ij = column_j[i].
//
// A tile of rows is filled column after column while it lies in the first cache, so
// that both columns and rows cross memory once.

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "common/arrays.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr Index tile_bytes = 1 << 14;

template <class T>
void interleave(const std::vector<const T*>& columns, Index n, T* out) {
    const Index d = Index(columns.size());
    const Index tile = std::max<Index>(16, tile_bytes / Index(d * sizeof(T)));
    for (Index begin = 0; begin < n; begin += tile) {
        const Index end = std::min(n, begin + tile);
        for (Index j = 0; j < d; ++j) {
            const T* column = columns[j];
            for (Index i = begin; i < end; ++i) out[i * d + j] = column[i];
        }
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "interleave",
        [](const std::vector<Vector<const T>>& columns, Matrix<T> out) {
            std::vector<const T*> starts;
            for (const auto& column : columns) starts.push_back(column.data());
            nb::gil_scoped_release free;
            interleave(starts, Index(out.shape(0)), out.data());
        },
        as_is("columns"), as_is("out"));
}

}  // namespace

void bind_interleave(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
