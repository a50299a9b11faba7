// Rows of a kernel's Gram matrix, by register tiles. With u = x.z,
//
//   linear      u                                                                   (1)
//   polynomial  (gamma u + c)^p                                                     (2)
//   sigmoid     tanh(gamma u + c)                                                   (3)
//   gaussian    exp(-gamma (|x|^2 - 2 u + |z|^2))                                   (4)
//   wave        gamma cos(u + b_z), where b_z stands in for |z|^2, 0 for |x|^2      (5)
//
// The columns z come packed: panel p holds 64 bytes of them for each feature, padded
// with zeros, so that a tile of rows and columns stays in registers while the features
// run, and the kernel is taken there before it is stored. An expansion
//
//   g_j(x) = sum_s B_js k(x, z_s)                                                   (6)
//
// sums the tiles at once and stores no kernel value; every row is summed in the same
// order, whatever rows are beside it.

#define COROLLARY_WIDE
#include <algorithm>
#include <cmath>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "common/tile.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

enum class Kind : int { linear, polynomial, sigmoid, gaussian, wave };

// cos x = (-1)^k cos(x - k pi) with k = round(x / pi), and Taylor's series. Error
// < 1e-15 (double), 2e-7 (float) while |x| < 1e5; always within [-1, 1].
template <class T>
Vec<T> cosine(Vec<T> x) {
    constexpr bool wide = sizeof(T) == 8;
    constexpr T magic = wide ? T(0x1.8p52) : T(0x1.8p23);  // rounds when added
    constexpr T high = wide ? T(0x1.921fb54400000p+1) : T(0x1.920000p+1);
    constexpr T middle = wide ? T(0x1.0b4611a600000p-33) : T(0x1.fb4000p-11);
    constexpr T low = wide ? T(0x1.3198a2e037073p-68) : T(0x1.4442d2p-23);
    constexpr T half_pi = T(1.57079632679489661923);
    constexpr double c[] = {1.,
                            -1. / 2,
                            1. / 24,
                            -1. / 720,
                            1. / 40320,
                            -1. / 3628800,
                            1. / 479001600,
                            -1. / 87178291200.,
                            1. / 20922789888000.,
                            -1. / 6402373705728000.,
                            1. / 2432902008176640000.,
                            -1. / 1124000727777607680000.};
    const Vec<T> shifted = x * T(0.31830988618379067154) + magic;
    const Vec<T> k = shifted - magic;
    Vec<T> r = ((x - k * high) - k * middle) - k * low;
    r = minimum(maximum(r, splat(-half_pi)), splat(half_pi));
    const Vec<T> y = polynomial<T>(c, wide ? 11 : 7, r * r);
    const auto odd = (std::bit_cast<Vec<Bits<T>>>(shifted) & 1) != 0;
    return odd ? -y : y;
}

template <class T, Kind kind>
struct Kernel {
    T gamma, c;
    int degree;

    Vec<T> operator()(Vec<T> u, Vec<T> squares) const {
        if constexpr (kind == Kind::linear) {
            return u;
        } else if constexpr (kind == Kind::polynomial) {
            Vec<T> base = gamma * u + c, power = splat(T(1));
            for (int p = degree; p > 0; p /= 2, base *= base)
                if (p % 2 == 1) power *= base;  // (2), as base^1 base^2 base^4 ...
            return power;
        } else if constexpr (kind == Kind::sigmoid) {  // tanh v = 1 - 2 / (e^2v + 1)
            return T(1) - T(2) / (exp<T>(T(2) * (gamma * u + c)) + T(1));
        } else if constexpr (kind == Kind::wave) {
            return gamma * cosine<T>(u + squares);  // (5)
        } else {
            return exp_falling<T>(
                minimum(gamma * (T(2) * u - squares), Vec<T>{}));  // (4)
        }
    }
};

// A kernel's parameters as they come from Python; `with` gives f the kernel itself.
template <class T>
struct Parameters {
    int kind;
    double gamma, coef0;
    int degree;

    template <class F>
    void with(F f) const {
        switch (Kind(kind)) {
            case Kind::linear:
                return f(make<Kind::linear>());
            case Kind::polynomial:
                return f(make<Kind::polynomial>());
            case Kind::sigmoid:
                return f(make<Kind::sigmoid>());
            case Kind::gaussian:
                return f(make<Kind::gaussian>());
            case Kind::wave:
                return f(make<Kind::wave>());
        }
    }

    template <Kind k>
    Kernel<T, k> make() const {
        return {T(gamma), T(coef0), degree};
    }
};

template <class T>
struct Columns {
    const T* panels;   // (count, d, width)
    const T* squares;  // (count * width,)
    Index n, d;
    static constexpr Index width = 64 / sizeof(T);
};

constexpr int R = 6;  // rows of a tile

// Some rows by P panels; each of several panels is one vector.
template <int rows, int P, class T, class K>
void fill_tile(const T* const* x, const T* x2, const Columns<T>& z, Index p,
               const K& kernel, T* const* out) {
    constexpr int L = lanes<T>, V = P * Columns<T>::width / L;
    Vec<T> a[rows][V] = {};
    multiply_tile<rows, V>(x, z.panels + p * z.d * z.width, z.d, a, z.width,
                           P == 1 ? L : z.d * z.width);
    const Index first = p * z.width, here = std::min<Index>(V * L, z.n - first);
    for (int r = 0; r < rows; ++r) {
        T part[V * L];
        T* to = here == V * L ? out[r] + first : part;
        for (int v = 0; v < V; ++v)
            store(to + v * L, kernel(a[r][v], x2[r] + load(z.squares + first + v * L)));
        if (here < V * L) std::copy_n(part, here, out[r] + first);
    }
}

// The panels begin..end, two at a time where each is one vector.
template <int rows, class T, class K>
void fill_panels(const T* const* x, const T* x2, const Columns<T>& z, Index begin,
                 Index end, const K& kernel, T* const* out) {
    constexpr int P = z.width == lanes<T> ? 2 : 1;
    Index p = begin;
    for (; p + P <= end; p += P) fill_tile<rows, P>(x, x2, z, p, kernel, out);
    for (; p < end; ++p) fill_tile<rows, 1>(x, x2, z, p, kernel, out);
}

// out[r][the panels' columns] = k(x_r, z) for at most R rows.
template <class T, class K>
void fill_rows(const T* const* x, const T* x2, int rows, const Columns<T>& z,
               Index begin, Index end, const K& kernel, T* const* out) {
    if (rows == R) return fill_panels<R>(x, x2, z, begin, end, kernel, out);
    for (int r = 0; r < rows; ++r)
        fill_panels<1>(x + r, x2 + r, z, begin, end, kernel, out + r);
}

// out[slots[i], :] = k(x_i, z), several panels at a time so that they stay in cache.
template <class T, class K>
void kernel_rows(const Dense<T>& X, const T* x2, const Columns<T>& z, const K& kernel,
                 T* out, const std::int64_t* slots, int threads) {
    const Index count = (z.n + z.width - 1) / z.width;
    const Index panels_bytes = 64 * std::max<Index>(1, z.d);
    const Index block = std::clamp<Index>((1 << 18) / panels_bytes, 4, 64);
    for_blocks(count, block, threads, [&](int, Index begin, Index end) {
        const T* x[R];
        T* to[R];
        for (Index i = 0; i < X.n; i += R) {
            const int rows = int(std::min<Index>(R, X.n - i));
            for (int r = 0; r < rows; ++r) {
                x[r] = X.row(i + r);
                to[r] = out + slots[i + r] * z.n;
            }
            fill_rows(x, x2 + i, rows, z, begin, end, kernel, to);
        }
    });
}

// out = k(X, X) of the rows that z packs: tiles up to the diagonal, and their mirror. A
// block is whole panels, so that no other block writes beside the diagonal.
template <class T, class K>
void kernel_square(const Dense<T>& X, const T* x2, const Columns<T>& z, const K& kernel,
                   T* out, int threads) {
    constexpr Index BLOCK = 48, ALONE = 1 << 19;
    const Index work = X.n * X.n / 2 * (X.d + 16);  // done before another thread wakes?
    threads = work < ALONE ? 1 : threads;
    for_blocks(X.n, BLOCK, threads, [&](int, Index begin, Index end) {
        const T* x[R];
        T* to[R];
        for (Index i = begin; i < end; i += R) {
            const int rows = int(std::min<Index>(R, end - i));
            for (int r = 0; r < rows; ++r) {
                x[r] = X.row(i + r);
                to[r] = out + (i + r) * z.n;
            }
            const Index last = (i + rows - 1) / z.width;
            fill_rows(x, x2 + i, rows, z, 0, last + 1, kernel, to);
        }
        for (Index t = 0; t < end; ++t)
            for (Index i = std::max(begin, t + 1); i < end; ++i)
                out[t * z.n + i] = out[i * z.n + t];
    });
}

template <class T>
double dot(const T* a, const T* b, Index n) {
    constexpr int L = lanes<T>;
    Vec<T> sum{};
    for (Index t = 0; t < n; t += L) sum += load(a + t) * load(b + t);
    double total = 0;
    for (int l = 0; l < L; ++l) total += double(sum[l]);
    return total;
}

// out[i, :] += (6). B (m, padded columns) is 0 where the columns are padded.
template <class T, class K>
void kernel_sums(const Dense<T>& X, const T* x2, const Columns<T>& z, const K& kernel,
                 const T* B, Index m, double* out, int threads) {
    constexpr Index W = Columns<T>::width, BLOCK = 16;  // panels summed at a time
    const Index count = (z.n + W - 1) / W, padded = count * W;
    const Columns<T> whole{z.panels, z.squares, padded, z.d};
    for_blocks(X.n, 16 * R, threads, [&](int, Index begin, Index end) {
        alignas(64) T values[R][BLOCK * W];
        const T* x[R];
        T* to[R];
        for (Index first = 0; first < count; first += BLOCK) {
            const Index last = std::min(count, first + BLOCK);
            for (Index i = begin; i < end; i += R) {
                const int rows = int(std::min<Index>(R, end - i));
                for (int r = 0; r < rows; ++r) {
                    x[r] = X.row(i + r);
                    to[r] = values[r] - first * W;
                }
                fill_rows(x, x2 + i, rows, whole, first, last, kernel, to);
                for (int r = 0; r < rows; ++r)
                    for (Index j = 0; j < m; ++j)
                        out[(i + r) * m + j] +=
                            dot(values[r], B + j * padded + first * W,
                                (last - first) * W);  // (6)
            }
        }
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "kernel_sums",
        [](Matrix<const T> X, Vector<const T> x2,
           nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,
           Vector<const T> squares, int kind, double gamma, double coef0, int degree,
           Matrix<const T> B, Matrix<double> out, int threads) {
            nb::gil_scoped_release free;
            const Columns<T> z{panels.data(), squares.data(), Index(B.shape(1)),
                               Index(X.shape(1))};
            Parameters<T>{kind, gamma, coef0, degree}.with([&](const auto& kernel) {
                kernel_sums(rows(X), x2.data(), z, kernel, B.data(), Index(B.shape(0)),
                            out.data(), threads);
            });
        },
        as_is("X"), as_is("x2"), as_is("panels"), as_is("squares"), nb::arg("kind"),
        nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"), as_is("B"), as_is("out"),
        nb::arg("threads"));
    m.def(
        "kernel_rows",
        [](Matrix<const T> X, Vector<const T> x2,
           nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,
           Vector<const T> squares, int kind, double gamma, double coef0, int degree,
           Matrix<T> out, Vector<const std::int64_t> slots, int threads) {
            nb::gil_scoped_release free;
            const Columns<T> z{panels.data(), squares.data(), Index(out.shape(1)),
                               Index(X.shape(1))};
            Parameters<T>{kind, gamma, coef0, degree}.with([&](const auto& kernel) {
                kernel_rows(rows(X), x2.data(), z, kernel, out.data(), slots.data(),
                            threads);
            });
        },
        as_is("X"), as_is("x2"), as_is("panels"), as_is("squares"), nb::arg("kind"),
        nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"), as_is("out"),
        as_is("slots"), nb::arg("threads"));
    m.def(
        "kernel_square",
        [](Matrix<const T> X, Vector<const T> x2,
           nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,
           Vector<const T> squares, int kind, double gamma, double coef0, int degree,
           Matrix<T> out, int threads) {
            nb::gil_scoped_release free;
            const Columns<T> z{panels.data(), squares.data(), Index(X.shape(0)),
                               Index(X.shape(1))};
            Parameters<T>{kind, gamma, coef0, degree}.with([&](const auto& kernel) {
                kernel_square(rows(X), x2.data(), z, kernel, out.data(), threads);
            });
        },
        as_is("X"), as_is("x2"), as_is("panels"), as_is("squares"), nb::arg("kind"),
        nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"), as_is("out"),
        nb::arg("threads"));
}

}  // namespace

void bind_kernel_rows(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
