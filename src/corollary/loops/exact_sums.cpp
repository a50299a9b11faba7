// Exact sums of numbers, by parts of their binary digits.
//
//   x = m 2^e,  m = high 2^32 + low,  of the sign of x                               (1)
//
// The sums of `high` and of `low` over the numbers of each exponent e are integers, thus
// the same for any order of the numbers, and add up.

#include <algorithm>
#include <bit>

#include "common/arrays.hpp"
#include "common/interrupt.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Word = std::uint64_t;
constexpr Index EXPONENTS = 2048;
constexpr Index BLOCK = 1 << 16;

void exact_sums(const double* x, Index n, std::int64_t* sums) {
    Watch watch;
    for (Index begin = 0; begin < n && !watch.stopped(); begin += BLOCK)
        for (Index i = begin; i < std::min(n, begin + BLOCK); ++i) {
            const Word bits = std::bit_cast<Word>(x[i]);
            const Index e = Index((bits >> 52) & 2047);
            const Word m = (bits & ((Word(1) << 52) - 1)) | (Word(e != 0) << 52);
            const std::int64_t sign = std::int64_t(bits) >> 63;  // 0 or -1
            const std::int64_t high = std::int64_t(m >> 32),
                               low = std::int64_t(m & 0xffffffffu);
            sums[e] += (high ^ sign) - sign;
            sums[EXPONENTS + e] += (low ^ sign) - sign;
        }
    watch.raise();
}

}  // namespace

void bind_exact_sums(nb::module_& m) {
    m.def(
        "exact_sums",
        [](Vector<const double> x, Matrix<std::int64_t> sums) {
            nb::gil_scoped_release free;
            exact_sums(x.data(), Index(x.shape(0)), sums.data());
        },
        as_is("x"), as_is("sums"));
}

}  // namespace corollary
