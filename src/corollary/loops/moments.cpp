// Sums and products of the columns of z = [x, y] about a shift, in one read of the rows:
//
//   s_j  = sum_i w_i (z_ij - shift_j)                                               (1)
//   G_jk = sum_i w_i (z_ij - shift_j)(z_ik - shift_k)                               (2)
//
// A block of rows is copied, shifted and scaled by the root of its weight, into a buffer
// that stays in the cache; (2) is then summed in tiles of 6 columns by two vectors of
// columns, kept in registers, of the upper triangle only. A block is summed in T, the
// blocks in float64.

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/arrays.hpp"
#include "common/tile.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

// Rows and columns at any distance, so that matrices stored by column are not copied.
template <class T>
struct Strided {
    const T* data;
    Index n, d, row_step, column_step;
};

constexpr int across = 6;  // columns of a tile, each against two vectors of them

template <class T>
struct Buffer {
    Index p, stride, rows;
    std::vector<T> z;

    explicit Buffer(Index p) : p(p) {
        constexpr Index L = lanes<T>;
        const Index whole = std::max<Index>(1, (p + across - 1) / across) * across;
        stride = (whole + L - 1) / L * L;
        rows = std::clamp<Index>((128 << 10) / (stride * Index(sizeof(T))), 32, 256);
        z.assign(std::size_t(stride * rows), T(0));
    }
    T* row(Index r) { return z.data() + r * stride; }

    // z = x - shift for some rows, in the columns from `first` on.
    void copy(const Strided<T>& X, Index begin, Index count, Index first,
              const T* shift) {
        const T* __restrict from = X.data + begin * X.row_step;
        if (X.column_step == 1)
            for (Index r = 0; r < count; ++r, from += X.row_step) {
                T* __restrict to = row(r) + first;
                for (Index j = 0; j < X.d; ++j) to[j] = from[j] - shift[first + j];
            }
        else
            for (Index j = 0; j < X.d; ++j, from += X.column_step) {
                T* __restrict to = row(0) + first + j;
                for (Index r = 0; r < count; ++r)
                    to[r * stride] = from[r * X.row_step] - shift[first + j];
                for (Index r = count; r < 2 * count; r += 64 / Index(sizeof(T)))
                    __builtin_prefetch(from + r * X.row_step);  // for the next block
            }
    }
};

// G[i.., j..] += the tile of (2) over the rows of the buffer, V vectors wide.
template <int V, class T>
void add_tile(Buffer<T>& b, Index rows, Index i, Index j, double* G) {
    constexpr int L = lanes<T>;
    Vec<T> a[across][V];
    for (auto& line : a)
        for (auto& sum : line) sum = splat(T(0));
    const T* z = b.row(0);
    for (Index r = 0; r < rows; ++r, z += b.stride) {
        Vec<T> z_j[V];
        for (int v = 0; v < V; ++v) z_j[v] = load(z + j + v * L);
        for (int c = 0; c < across; ++c) {
            const Vec<T> z_i = splat(z[i + c]);
            for (int v = 0; v < V; ++v) a[c][v] += z_i * z_j[v];
        }
    }
    for (int c = 0; c < across && i + c < b.p; ++c)
        for (int v = 0; v < V; ++v) {
            T part[L];
            store(part, a[c][v]);
            double* g = G + (i + c) * b.p + j + v * L;
            const Index count = b.p - j - v * L;
            if (count >= L)
                for (Index l = 0; l < L; ++l) g[l] += part[l];
            else
                for (Index l = 0; l < count; ++l) g[l] += part[l];
        }
}

template <class T>
void moments(const Strided<T>& X, const Strided<T>& Y, const double* w, const T* shift,
             double* s, double* G) {
    constexpr Index L = lanes<T>;
    const Index p = X.d + Y.d;
    Buffer<T> b(p);
    std::vector<T> part(b.stride);
    std::fill_n(s, p, 0.);
    std::fill_n(G, p * p, 0.);
    for (Index begin = 0; begin < X.n; begin += b.rows) {
        const Index rows = std::min(b.rows, X.n - begin);
        std::fill(part.begin(), part.end(), T(0));
        b.copy(X, begin, rows, 0, shift);
        b.copy(Y, begin, rows, X.d, shift);
        for (Index r = 0; r < rows; ++r) {
            T* __restrict z = b.row(r);
            if (w) {
                const T w_i = T(w[begin + r]), root = std::sqrt(w_i);
                for (Index j = 0; j < p; ++j) part[j] += w_i * z[j];  // (1)
                for (Index j = 0; j < p; ++j) z[j] *= root;
            } else {
                for (Index j = 0; j < p; ++j) part[j] += z[j];  // (1)
            }
        }
        for (Index j = 0; j < p; ++j) s[j] += part[j];
        for (Index i = 0; i < p; i += across) {  // (2)
            Index j = i / L * L;
            for (; j + L < p; j += 2 * L) add_tile<2>(b, rows, i, j, G);
            if (j < p) add_tile<1>(b, rows, i, j, G);
        }
    }
    for (Index i = 0; i < p; ++i)
        for (Index j = 0; j < i; ++j) G[i * p + j] = G[j * p + i];
}

template <class T>
using AnyMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
Strided<T> strided(const AnyMatrix<T>& X) {
    return {X.data(), Index(X.shape(0)), Index(X.shape(1)), Index(X.stride(0)),
            Index(X.stride(1))};
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "moments",
        [](AnyMatrix<T> X, Optional<AnyMatrix<T>> Y, Optional<Vector<const double>> w,
           Vector<const T> shift, Vector<double> s, Matrix<double> G) {
            nb::gil_scoped_release free;
            const Strided<T> none{nullptr, Index(X.shape(0)), 0, 0, 1};
            moments(strided<T>(X), Y ? strided<T>(*Y) : none, data_or_null(w),
                    shift.data(), s.data(), G.data());
        },
        as_is("X"), as_is("Y").none(), as_is("w").none(), as_is("shift"), as_is("s"),
        as_is("G"));
}

}  // namespace

void bind_moments(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
