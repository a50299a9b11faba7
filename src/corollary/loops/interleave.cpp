// Columns side by side as the rows of a matrix:  out_ij = column_j[i].
//
// A tile of rows is filled a few columns at a time while it lies in the first cache, so
// that both columns and rows cross memory once; L columns by L rows, L the lanes of a
// vector, are turned about in registers.

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/arrays.hpp"
#include "common/vector.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr Index tile_bytes = 1 << 14;

// Exchanges the lanes of a with bit `step` set for those of b without it.
template <int step, class T>
void exchange(Vec<T>& a, Vec<T>& b) {
    Vec<Bits<T>> low, high;  // positions in a, then b
    for (int l = 0; l < lanes<T>; ++l) {
        low[l] = l & step ? lanes<T> + l - step : l;
        high[l] = l & step ? lanes<T> + l : l + step;
    }
    const Vec<T> first = shuffle<T>(a, b, low);
    b = shuffle<T>(a, b, high);
    a = first;
}

template <int step, class T, std::size_t L>
void transpose(std::array<Vec<T>, L>& rows) {
    if constexpr (step < int(L)) {
        for (int i = 0; i < int(L); ++i)
            if (!(i & step)) exchange<step, T>(rows[i], rows[i + step]);
        transpose<2 * step, T>(rows);
    }
}

// out_ij for L rows from i on and L columns from j on.
template <class T>
void square(const T* const* columns, Index d, Index i, Index j, T* out) {
    std::array<Vec<T>, lanes<T>> tile;
    for (int l = 0; l < lanes<T>; ++l) tile[l] = load(columns[j + l] + i);
    transpose<1, T>(tile);
    for (int l = 0; l < lanes<T>; ++l) store(out + (i + l) * d + j, tile[l]);
}

template <class T>
void interleave(const std::vector<const T*>& columns, Index n, T* out) {
    constexpr Index L = lanes<T>;
    const Index d = Index(columns.size());
    const Index tile = std::max<Index>(16, tile_bytes / Index(d * sizeof(T)) / L * L);
    for (Index begin = 0; begin < n; begin += tile) {
        const Index end = std::min(n, begin + tile);
        const bool squares = end - begin >= L && d >= L;
        for (Index j = 0; j < d; j += squares ? L : 1)
            if (squares)  // the last ones overlap those before
                for (Index i = begin; i < end; i += L)
                    square(columns.data(), d, std::min(i, end - L), std::min(j, d - L),
                           out);
            else
                for (Index i = begin; i < end; ++i) out[i * d + j] = columns[j][i];
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
