// Sums over the features of a function of two rows, for all pairs of rows:
//
//   distance      sum_j |x_j - z_j|                                                 (1)
//   chi-square    sum_j (x_j - z_j)^2 / (x_j + z_j)                                 (2)
//   harmonic      sum_j 2 x_j z_j / (x_j + z_j)                                     (3)
//   intersection  sum_j min(x_j, z_j)                                               (4)
//
// where 0 / 0 is 0. The columns z come packed as for kernel_rows.cpp: a tile of rows and
// columns stays in registers while the features run.

#include <algorithm>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "common/tile.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

enum class Term : int { distance, chi_square, harmonic, intersection };

template <Term term, class T>
Vec<T> of(Vec<T> x, Vec<T> z) {
    if constexpr (term == Term::distance) return maximum(x - z, z - x);  // (1)
    if constexpr (term == Term::intersection) return minimum(x, z);      // (4)
    const Vec<T> total = x + z;
    const Vec<T> safe = total > T(0) ? total : splat(T(1));
    if constexpr (term == Term::harmonic) return T(2) * x * z / safe;  // (3)
    return (x - z) * (x - z) / safe;                                   // (2)
}

template <Term term, int R, class T>
void sum_tile(const T* const* x, const T* panel, Index d, Index here, T* const* out) {
    constexpr int L = lanes<T>, V = 64 / sizeof(T) / L;
    Vec<T> a[R][V] = {};
    for (Index q = 0; q < d; ++q, panel += V * L) {
        Vec<T> z[V];
        for (int v = 0; v < V; ++v) z[v] = load(panel + v * L);
        for (int r = 0; r < R; ++r) {
            const Vec<T> x_rq = splat(x[r][q]);
            for (int v = 0; v < V; ++v) a[r][v] += of<term, T>(x_rq, z[v]);
        }
    }
    for (int r = 0; r < R; ++r) {
        T row[V * L];
        for (int v = 0; v < V; ++v) store(row + v * L, a[r][v]);
        std::copy_n(row, here, out[r]);
    }
}

// out[i, :] = the sums of x_i with every z, several panels at a time.
template <Term term, class T>
void pair_sums(const Dense<T>& X, const T* panels, Index n, T* out, int threads) {
    constexpr int R = 4;
    constexpr Index width = 64 / sizeof(T);
    const Index count = (n + width - 1) / width, d = X.d;
    const Index block =
        std::clamp<Index>((1 << 18) / (64 * std::max<Index>(1, d)), 4, 64);
    for_blocks(count, block, threads, [&](int, Index begin, Index end) {
        const T* x[R];
        T* to[R];
        for (Index i = 0; i < X.n; i += R) {
            const int rows = int(std::min<Index>(R, X.n - i));
            for (Index p = begin; p < end; ++p) {
                const Index first = p * width, here = std::min(width, n - first);
                const T* panel = panels + p * d * width;
                for (int r = 0; r < rows; ++r) {
                    x[r] = X.row(i + r);
                    to[r] = out + (i + r) * n + first;
                }
                if (rows == R)
                    sum_tile<term, R>(x, panel, d, here, to);
                else
                    for (int r = 0; r < rows; ++r)
                        sum_tile<term, 1>(x + r, panel, d, here, to + r);
            }
        }
    });
}

template <class T>
void pair_sums(int term, const Dense<T>& X, const T* panels, Index n, T* out,
               int threads) {
    switch (Term(term)) {
        case Term::distance:
            return pair_sums<Term::distance>(X, panels, n, out, threads);
        case Term::chi_square:
            return pair_sums<Term::chi_square>(X, panels, n, out, threads);
        case Term::harmonic:
            return pair_sums<Term::harmonic>(X, panels, n, out, threads);
        default:
            return pair_sums<Term::intersection>(X, panels, n, out, threads);
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "pair_sums",
        [](Matrix<const T> X,
           nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,
           int term, Matrix<T> out, int threads) {
            nb::gil_scoped_release free;
            pair_sums(term, rows(X), panels.data(), Index(out.shape(1)), out.data(),
                      threads);
        },
        as_is("X"), as_is("panels"), nb::arg("term"), as_is("out"), nb::arg("threads"));
}

}  // namespace

void bind_pair_sums(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
