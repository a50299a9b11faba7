// A cell of a histogram: the sums of gradients, of hessians and of rows as integers.
//
// It is one 64-bit number that holds them as bit fields (`Packed`), or two (`Wide`) where
// the fields would be too narrow. A packed cell may have no room for the count of rows.
#pragma once

#include <bit>
#include <cstdint>

#include "common/rows.hpp"

namespace corollary::histogram {

using Code = std::uint8_t;
using Word = std::uint64_t;
constexpr int BINS = 256;  // cells of a feature's histogram
constexpr int GROUP = 16;  // features whose codes stand together in a row
constexpr int AHEAD = 16;  // entries that are fetched in advance
constexpr int NONE = -1;

// What all forms share: what the integers stand for.
struct Scale {
    double gradient, hessian;     // real value of one unit
    int hessian_at, gradient_at;  // places of the fields; the count is at 0
};

// The number as a double, for sizes up to 2^51: vectors have no instruction for it.
inline double real(std::int64_t x) {
    constexpr double LARGE = 0x1.8p52;
    return std::bit_cast<double>(x + std::bit_cast<std::int64_t>(LARGE)) - LARGE;
}

struct PackedEntry {
    std::uint32_t row;
    std::int32_t g;
};

// One number: gradient | hessian | count. A constant hessian is the count itself.
template <bool CONSTANT>
struct Packed {
    using Cell = std::int64_t;
    using Entry = PackedEntry;
    Scale s;
    bool counted;
    Word hessian_mask, count_mask;

    explicit Packed(Scale s)
        : s(s),
          counted(CONSTANT || s.hessian_at > 0),
          hessian_mask((Word(1) << (s.gradient_at - s.hessian_at)) - 1),
          count_mask((Word(1) << (CONSTANT ? s.gradient_at : s.hessian_at)) - 1) {}

    Cell of(std::int32_t g) const {
        if constexpr (CONSTANT) return (Cell(g) << s.gradient_at) + 1;
        return (Cell(g >> 16) << s.gradient_at) + (Cell(g & 0xffff) << s.hessian_at) +
               Cell(counted);
    }
    Cell of(const Entry& e) const { return of(e.g); }
    static Entry entry(Index i, const std::int32_t* q, const std::int32_t*) {
        return {std::uint32_t(i), q[i]};
    }
    double gradient(Cell c) const { return real(c >> s.gradient_at) * s.gradient; }
    double hessian(Cell c) const {
        if constexpr (CONSTANT) return count(c) * s.hessian;
        return real(Cell((Word(c) >> s.hessian_at) & hessian_mask)) * s.hessian;
    }
    double count(Cell c) const { return real(Cell(Word(c) & count_mask)); }
};

struct WideCell {
    std::int64_t g = 0, h = 0;
    WideCell& operator+=(WideCell o) {
        g += o.g;
        h += o.h;
        return *this;
    }
    friend WideCell operator-(WideCell a, WideCell b) { return {a.g - b.g, a.h - b.h}; }
    friend WideCell operator+(WideCell a, WideCell b) { return {a.g + b.g, a.h + b.h}; }
    explicit operator bool() const { return h != 0; }  // it counts the rows
};

struct WideEntry {
    std::uint32_t row;
    std::int32_t g, h;
};

// Two numbers: gradient, and hessian | count.
struct Wide {
    using Cell = WideCell;
    using Entry = WideEntry;
    Scale s;
    static constexpr bool counted = true;
    Word count_mask;

    explicit Wide(Scale s) : s(s), count_mask((Word(1) << s.hessian_at) - 1) {}

    Cell of(const Entry& e) const {
        return {e.g, (std::int64_t(e.h) << s.hessian_at) + 1};
    }
    static Entry entry(Index i, const std::int32_t* g, const std::int32_t* h) {
        return {std::uint32_t(i), g[i], h[i]};
    }
    double gradient(Cell c) const { return real(c.g) * s.gradient; }
    double hessian(Cell c) const { return real(c.h >> s.hessian_at) * s.hessian; }
    double count(Cell c) const { return real(std::int64_t(Word(c.h) & count_mask)); }
};

}  // namespace corollary::histogram
