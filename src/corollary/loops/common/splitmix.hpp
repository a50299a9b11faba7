// Random numbers from a key: splitmix64 (Steele, Lea and Flood, 2014). The same key gives
// the same numbers on every machine and in every thread.
#pragma once

#include <cstdint>

namespace corollary::splitmix {

inline constexpr std::uint64_t STEP = 0x9e3779b97f4a7c15u;

// Turn any number into one whose bits look random.
inline std::uint64_t finish(std::uint64_t h) {
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

// The next number of a stream.
inline std::uint64_t next(std::uint64_t& state) { return finish(state += STEP); }

// A number in 0..n-1 from a random one.
inline std::int64_t below(std::uint64_t random, std::int64_t n) {
    __extension__ using DoubleWord = unsigned __int128;
    return std::int64_t((DoubleWord(random) * DoubleWord(n)) >> 64);
}

}  // namespace corollary::splitmix
