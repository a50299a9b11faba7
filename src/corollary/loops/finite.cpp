// The size of the largest entry of an array; infinity or NaN where one is not finite.
//
// Without their signs floats are ordered as the integers of the same bits, NaN above
// infinity above all numbers, so one comparison of integers an entry finds the largest,
// at the pace of memory.

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

template <class T>
using Word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
Word<T> largest_size(const T* x, Index n) {
    constexpr Word<T> unsigned_bits = std::numeric_limits<Word<T>>::max();
    constexpr Index lanes = 128 / sizeof(T);  // so that no comparison waits for one
    auto size = [&](Index i) { return std::bit_cast<Word<T>>(x[i]) & unsigned_bits; };
    Word<T> largest[lanes] = {};
    Index i = 0;
    for (; i + lanes <= n; i += lanes)
        for (Index k = 0; k < lanes; ++k)
            largest[k] = std::max(largest[k], size(i + k));
    for (; i < n; ++i) largest[0] = std::max(largest[0], size(i));
    return *std::max_element(largest, largest + lanes);
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "largest_size",
        [](Vector<const T> x, int threads) {
            nb::gil_scoped_release free;
            std::atomic<Word<T>> largest = 0;
            auto look = [&](int, Index begin, Index end) {
                const Word<T> found = largest_size(x.data() + begin, end - begin);
                Word<T> before = largest.load(std::memory_order_relaxed);
                while (found > before) {  // each failure has seen a larger one
                    if (largest.compare_exchange_weak(before, found)) break;
                }
            };
            constexpr Index block = 1 << 15;
            Team::of_this_process().for_blocks(Index(x.shape(0)), block, threads, look);
            return double(std::bit_cast<T>(largest.load()));
        },
        as_is("x"), nb::arg("threads"));
}

}  // namespace

void bind_finite(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
