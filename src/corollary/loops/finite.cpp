// Whether an array holds neither NaN nor infinity.
//
// A float is finite unless every bit of its exponent is set, so one comparison of
// integers an entry decides it, at the pace of memory.

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
bool all_finite(const T* x, Index n) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Word exponent = std::bit_cast<Word>(std::numeric_limits<T>::infinity());
    Word found = 0;
    for (Index i = 0; i < n; ++i)
        found |= Word((std::bit_cast<Word>(x[i]) & exponent) == exponent);
    return found == 0;
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "all_finite",
        [](Vector<const T> x, int threads) {
            nb::gil_scoped_release free;
            std::atomic<bool> finite = true;
            auto look = [&](int, Index begin, Index end) {
                if (finite.load(std::memory_order_relaxed) &&
                    !all_finite(x.data() + begin, end - begin))
                    finite.store(false, std::memory_order_relaxed);
            };
            constexpr Index block = 1 << 15;
            Team::of_this_process().for_blocks(Index(x.shape(0)), block, threads, look);
            return finite.load();
        },
        as_is("x"), nb::arg("threads"));
}

}  // namespace

void bind_finite(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
