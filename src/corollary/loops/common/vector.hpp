// Short vectors as wide as the target's registers, through the vector extensions of
// GCC and Clang: + - * / < ?: work lane by lane, and there are no intrinsics to port.
//
// Registers of 512 bits are for files that define COROLLARY_WIDE before they include
// anything: those whose time goes into register tiles. Elsewhere rows and classes are too
// few to fill them. What depends on the width is in a namespace of that width, so that
// files of both may be linked together.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX512DQ__) && defined(COROLLARY_WIDE)
#define COROLLARY_VECTOR_BYTES 64
#define COROLLARY_VECTORS vectors_of_64
#elif defined(__AVX2__)
#define COROLLARY_VECTOR_BYTES 32
#define COROLLARY_VECTORS vectors_of_32
#else
#define COROLLARY_VECTOR_BYTES 16
#define COROLLARY_VECTORS vectors_of_16
#endif

namespace corollary {
inline namespace COROLLARY_VECTORS {

inline constexpr int vector_bytes = COROLLARY_VECTOR_BYTES;

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vec = typename VectorOf<T>::type;

template <class T>
inline constexpr int lanes = vector_bytes / sizeof(T);

// The integer as wide as T; comparisons of Vec<T> give Vec<Bits<T>> (0 or -1).
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T>
inline Vec<T> load(const T* p) {
    Vec<T> v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

template <class T>
inline void store(T* p, Vec<T> v) {
    std::memcpy(p, &v, sizeof v);
}

template <class T>
inline Vec<T> splat(T x) {
    return x - Vec<T>{};
}

// 0, 1, 2, ...
template <class T>
inline Vec<T> ramp() {
    Vec<T> v;
    for (int l = 0; l < lanes<T>; ++l) v[l] = T(l);
    return v;
}

// Lane l of the result is lane at[l] of a followed by b; `at` is known to the compiler.
template <class T>
inline Vec<T> shuffle(Vec<T> a, Vec<T> b, Vec<Bits<T>> at) {
#if defined(__clang__)
    Vec<T> v;
    for (int l = 0; l < lanes<T>; ++l)
        v[l] = at[l] < lanes<T> ? a[at[l]] : b[at[l] - lanes<T>];
    return v;
#else
    return __builtin_shuffle(a, b, at);
#endif
}

// Lane l of the result is lane (l + by) mod lanes of v.
template <int by, class T>
inline Vec<T> turned(Vec<T> v) {
    Vec<Bits<T>> at;
    for (int l = 0; l < lanes<T>; ++l) at[l] = (l + by) % lanes<T>;
    return shuffle<T>(v, v, at);
}

// The first `count` < lanes values of p; the other lanes are zero.
template <class T>
inline Vec<T> load_part(const T* p, std::int64_t count) {
    Vec<T> v = {};
    for (int l = 0; l < lanes<T> - 1; ++l)
        if (l < count) v[l] = p[l];
    return v;
}

// The last d % lanes values of x[0..d), in an order that depends on d alone; the other
// lanes are zero. Reads one whole vector where it can.
template <class T>
inline Vec<T> load_rest(const T* x, std::int64_t d) {
    constexpr int L = lanes<T>;
    const std::int64_t rest = d % L;
    if (d < L) return load_part(x, d);
    return ramp<Bits<T>>() < Bits<T>(L - rest) ? Vec<T>{} : load(x + d - L);
}

// Bit l is set where lane l of a comparison holds.
template <class T>
inline std::uint64_t lane_bits(Vec<Bits<T>> mask) {
#if COROLLARY_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4)
        return __builtin_ia32_cvtd2mask512(mask);
    else
        return __builtin_ia32_cvtq2mask512(std::bit_cast<Vec<long long>>(mask));
#elif COROLLARY_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 4)
        return std::uint32_t(
            __builtin_ia32_movmskps256(std::bit_cast<Vec<float>>(mask)));
    else
        return std::uint32_t(
            __builtin_ia32_movmskpd256(std::bit_cast<Vec<double>>(mask)));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4)
        return std::uint32_t(__builtin_ia32_movmskps(std::bit_cast<Vec<float>>(mask)));
    else
        return std::uint32_t(__builtin_ia32_movmskpd(std::bit_cast<Vec<double>>(mask)));
#else
    std::uint64_t bits = 0;
    for (int l = 0; l < lanes<T>; ++l) bits |= std::uint64_t(mask[l] & 1) << l;
    return bits;
#endif
}

template <class V>
inline V minimum(V a, V b) {
    return a < b ? a : b;
}

template <class V>
inline V maximum(V a, V b) {
    return a > b ? a : b;
}

// Sum of the lanes, halves first.
template <class T>
inline T sum(Vec<T> v) {
    T part[lanes<T>];
    store(part, v);
    for (int half = lanes<T> / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) part[l] += part[l + half];
    return part[0];
}

// c[0] + c[1] x + c[2] x^2 + ..., even and odd powers apart: two short chains of fused
// multiply-adds instead of a long one.
template <class T, int N>
inline Vec<T> polynomial(const double (&c)[N], int degree, Vec<T> x) {
    const Vec<T> x2 = x * x;
    Vec<T> high = splat(T(c[degree])), low = splat(T(c[degree - 1]));
    int k = degree - 2;
    for (; k >= 1; k -= 2) {
        high = high * x2 + T(c[k]);
        low = low * x2 + T(c[k - 1]);
    }
    // high holds the powers of degree's parity. When the degree is even, c[0] is left.
    return k == 0 ? (high * x2 + T(c[0])) + low * x : high * x + low;
}

// The smallest x whose e^x is a normal number, and the largest whose e^x is finite.
template <class T>
inline constexpr T exp_lowest = sizeof(T) == 8 ? T(-708) : T(-87);
template <class T>
inline constexpr T exp_highest = sizeof(T) == 8 ? T(709.78271289338397) : T(88.72283);

// e^x for x between these: 2^m e^r with m = round(x / ln 2), |r| <= ln(2)/2, and Taylor's
// series for e^r. Relative error < 1e-15 (double), 2e-7 (float).
template <class T>
inline Vec<T> exp_within(Vec<T> x) {
    constexpr bool wide = sizeof(T) == 8;
    constexpr T log2e = T(1.4426950408889634074);
    constexpr T ln2_high = wide ? T(0x1.62e42fefa3800p-1) : T(0x1.62e400p-1);
    constexpr T ln2_low = wide ? T(0x1.ef35793c76730p-45) : T(0x1.7f7d1cp-20);
    constexpr T magic = wide ? T(0x1.8p52) : T(0x1.8p23);  // rounds when added
    constexpr double inverse_factorial[] = {1.,
                                            1.,
                                            1. / 2,
                                            1. / 6,
                                            1. / 24,
                                            1. / 120,
                                            1. / 720,
                                            1. / 5040,
                                            1. / 40320,
                                            1. / 362880,
                                            1. / 3628800,
                                            1. / 39916800,
                                            1. / 479001600,
                                            1. / 6227020800.};
    const Vec<T> shifted = x * log2e + magic;
    const Vec<T> m = shifted - magic;
    const Vec<T> r = (x - m * ln2_high) - m * ln2_low;
    const Vec<T> series = polynomial<T>(inverse_factorial, wide ? 13 : 7, r);
    // m, in the last bits of `shifted`, is added to the exponent of the series.
    using I = Vec<Bits<T>>;
    return std::bit_cast<Vec<T>>(std::bit_cast<I>(series) +
                                 (std::bit_cast<I>(shifted) << (wide ? 52 : 23)));
}

// e^x. Results below the smallest normal number are 0, above the largest inf; NaN stays
// NaN.
template <class T>
inline Vec<T> exp(Vec<T> x) {
    constexpr T lowest = exp_lowest<T>, highest = exp_highest<T>;
    const Vec<T> y = exp_within<T>(x < lowest    ? splat(lowest)
                                   : x > highest ? splat(highest)
                                                 : x);
    return x < lowest    ? Vec<T>{}
           : x > highest ? splat(std::numeric_limits<T>::infinity())
                         : y;
}

// e^x for x <= 0, where 0 is the answer below the smallest normal number.
template <class T>
inline Vec<T> exp_falling(Vec<T> x) {
    const Vec<T> y = exp_within<T>(maximum(x, splat(exp_lowest<T>)));
    return x < exp_lowest<T> ? Vec<T>{} : y;
}

// log(1 + x) for 0 <= x <= 1:  2 artanh(s) with s = x/(2+x), or ln 2 + 2 artanh(s) with
// s = (x-1)/(x+3) when 1+x > sqrt(2), so that |s| <= 0.172. Same accuracy as exp.
template <class T>
inline Vec<T> log1p_unit(Vec<T> x) {
    constexpr int degree = sizeof(T) == 8 ? 10 : 4;
    constexpr double odd_inverse[] = {1.,      1. / 3,  1. / 5,  1. / 7,
                                      1. / 9,  1. / 11, 1. / 13, 1. / 15,
                                      1. / 17, 1. / 19, 1. / 21};
    const auto upper = x > T(0.41421356237309505);
    const Vec<T> s = (upper ? x - T(1) : x) / (upper ? x + T(3) : x + T(2));
    const Vec<T> y = T(2) * s * polynomial<T>(odd_inverse, degree, s * s);
    return upper ? y + T(0.69314718055994530942) : y;
}

}  // namespace COROLLARY_VECTORS
}  // namespace corollary
