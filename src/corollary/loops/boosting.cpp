// Gradients of a loss at the scores of the rows, rounded to integers at one scale.
//
// Logistic loss, y_i in {0, 1}, f_i the score:
//   p_i = 1/(1 + e^-f_i),   g_i = p_i - y_i,   h_i = p_i (1 - p_i)                   (1)
// and any loss, from its g_i and h_i:
//   packed_i = round(g_i / unit_g) 2^16 + round(h_i / unit_h)                        (2)
// or both apart.

#include <algorithm>
#include <cmath>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr Index BLOCK = 4096;  // rows

// The nearest integer of a number below 2^22 in size.
inline Vec<std::int32_t> rounded(Vec<float> x) {
    constexpr float magic = 0x1.8p23f;
    return std::bit_cast<Vec<std::int32_t>>(x + magic) -
           std::bit_cast<Vec<std::int32_t>>(splat(magic));
}

void logistic_gradients(const double* y, const double* f, Index n, float per_g,
                        float per_h, std::int32_t* packed, int threads) {
    constexpr int L = lanes<float>;
    for_blocks(n, BLOCK, threads, [&](int, Index begin, Index end) {
        for (Index i = begin; i < end; i += L) {
            const Index count = std::min<Index>(L, end - i);
            float score[L] = {}, label[L] = {};
            for (Index l = 0; l < count; ++l) {
                score[l] = float(f[i + l]);
                label[l] = float(y[i + l]);
            }
            const Vec<float> p = 1.f / (1.f + exp<float>(-load(score)));  // (1)
            const Vec<std::int32_t> both = (rounded((p - load(label)) * per_g) << 16) +
                                           rounded(p * (1.f - p) * per_h);  // (2)
            std::int32_t out[L];
            store(out, both);
            std::copy_n(out, count, packed + i);
        }
    });
}

// The same in float64, g and h apart.
void logistic_gradients_apart(const double* y, const double* f, Index n, double per_g,
                              double per_h, std::int32_t* g, std::int32_t* h) {
    constexpr int L = lanes<double>;
    for (Index i = 0; i < n; i += L) {
        const Index count = std::min<Index>(L, n - i);
        double score[L] = {}, first[L], second[L];
        std::copy_n(f + i, count, score);
        const Vec<double> p = 1. / (1. + exp<double>(-load(score)));  // (1)
        store(first, p);
        store(second, p * (1. - p) * per_h);
        for (Index l = 0; l < count; ++l) {
            g[i + l] = std::int32_t(std::nearbyint((first[l] - y[i + l]) * per_g));
            h[i + l] = std::int32_t(std::nearbyint(second[l]));
        }
    }
}

void pack_gradients(const double* g, const double* h, Index n, double per_g,
                    double per_h, std::int32_t* packed, std::int32_t* apart,
                    int threads) {
    for_blocks(n, BLOCK, threads, [&](int, Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const std::int32_t gradient = std::int32_t(std::nearbyint(g[i] * per_g));
            const std::int32_t hessian =
                h ? std::int32_t(std::nearbyint(h[i] * per_h)) : 0;
            if (apart) {
                packed[i] = gradient;
                apart[i] = hessian;
            } else {
                packed[i] = h ? gradient * 65536 + hessian : gradient;  // (2)
            }
        }
    });
}

}  // namespace

void bind_boosting(nb::module_& m) {
    m.def(
        "logistic_gradients",
        [](Vector<const double> y, Vector<const double> f, float per_g, float per_h,
           Vector<std::int32_t> packed, int threads) {
            nb::gil_scoped_release free;
            logistic_gradients(y.data(), f.data(), Index(y.shape(0)), per_g, per_h,
                               packed.data(), threads);
        },
        as_is("y"), as_is("f"), nb::arg("per_g"), nb::arg("per_h"), as_is("packed"),
        nb::arg("threads"));
    m.def(
        "logistic_gradients_apart",
        [](Vector<const double> y, Vector<const double> f, double per_g, double per_h,
           Vector<std::int32_t> g, Vector<std::int32_t> h) {
            nb::gil_scoped_release free;
            logistic_gradients_apart(y.data(), f.data(), Index(y.shape(0)), per_g,
                                     per_h, g.data(), h.data());
        },
        as_is("y"), as_is("f"), nb::arg("per_g"), nb::arg("per_h"), as_is("g"),
        as_is("h"));
    m.def(
        "pack_gradients",
        [](Vector<const double> g, Optional<Vector<const double>> h, double per_g,
           double per_h, Vector<std::int32_t> packed,
           Optional<Vector<std::int32_t>> apart, int threads) {
            nb::gil_scoped_release free;
            pack_gradients(g.data(), data_or_null(h), Index(g.shape(0)), per_g, per_h,
                           packed.data(), data_or_null(apart), threads);
        },
        as_is("g"), as_is("h").none(), nb::arg("per_g"), nb::arg("per_h"),
        as_is("packed"), as_is("apart").none(), nb::arg("threads"));
}

}  // namespace corollary
