// Register tiles: R rows times V vectors of columns, kept in registers while the inner
// dimension runs. 6 x 2 (or 4 x 3) accumulators fill the 16 vector registers of AVX2, and keep both
// multipliers of AVX-512 busy.
#pragma once

#include <vector>

#include "common/rows.hpp"

namespace corollary {
inline namespace COROLLARY_VECTORS {

// The columns of M^T, for M (k, d), packed in panels of `width` columns each:
// panel p holds M[p width + c, q] at [p][q][c]. k is padded with zero columns.
template <class T>
struct Panels {
    Index k, d, width, count;
    std::vector<T> data;

    Panels(Index k, Index d, Index width)
        : k(k),
          d(d),
          width(width),
          count((k + width - 1) / width),
          data(static_cast<std::size_t>(count * width * d), T(0)) {}

    T& at(Index c, Index q) {
        return data[static_cast<std::size_t>((c / width * d + q) * width + c % width)];
    }
    const T* panel(Index p) const { return data.data() + p * width * d; }
    Index padded() const { return count * width; }
};

// a[r][v] += sum_q x[r][q] panel[q][v], in the order of q; `width` is the panel's, and
// `apart` is from a vector of it to the next, which may be one of the next panel.
template <int R, int V, class T>
inline void multiply_tile(const T* const* x, const T* panel, Index d, Vec<T> (&a)[R][V],
                          Index width = V * lanes<T>, Index apart = lanes<T>) {
    for (Index q = 0; q < d; ++q, panel += width) {
        Vec<T> column[V];
        for (int v = 0; v < V; ++v) column[v] = load(panel + v * apart);
        for (int r = 0; r < R; ++r) {
            const Vec<T> x_rq = splat(x[r][q]);
            for (int v = 0; v < V; ++v) a[r][v] += x_rq * column[v];
        }
    }
}

// out[c] = start[c] + sum_p x_p M^T[j_p, c] for one sparse row, V vectors of columns
// from c on; M^T in one panel.
template <int V, class T>
inline void multiply_sparse(SparseRow<T> row, const T* panel, Index width,
                            const T* start, T* out, Index c) {
    constexpr int L = lanes<T>;
    Vec<T> a[V];
    for (int v = 0; v < V; ++v) a[v] = load(start + c + v * L);
    for (Index p = 0; p < row.count; ++p) {
        const Vec<T> x_p = splat(row.x[p]);
        const T* column = panel + row.j[p] * width + c;
        for (int v = 0; v < V; ++v) a[v] += x_p * load(column + v * L);
    }
    for (int v = 0; v < V; ++v) store(out + c + v * L, a[v]);
}

// The same for all the columns; their number is a multiple of the lanes.
template <class T>
inline void multiply_sparse(SparseRow<T> row, const T* panel, Index width,
                            const T* start, T* out) {
    constexpr int L = lanes<T>;
    Index c = 0;
    for (; c + 6 * L <= width; c += 6 * L)
        multiply_sparse<6>(row, panel, width, start, out, c);
    switch ((width - c) / L) {
        case 5:
            return multiply_sparse<5>(row, panel, width, start, out, c);
        case 4:
            return multiply_sparse<4>(row, panel, width, start, out, c);
        case 3:
            return multiply_sparse<3>(row, panel, width, start, out, c);
        case 2:
            return multiply_sparse<2>(row, panel, width, start, out, c);
        case 1:
            return multiply_sparse<1>(row, panel, width, start, out, c);
    }
}

}  // namespace COROLLARY_VECTORS
}  // namespace corollary
