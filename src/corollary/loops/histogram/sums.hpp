// Histograms: sums of integers over rows, for 16 features at a time.
//
//   H_j(v) = sum_{i in I: b_ij = v} (g_i, h_i, 1)                                    (1)
//
// over all rows, over entries that carry their gradients, or over rows by their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "histogram/cells.hpp"

namespace corollary::histogram {

template <class Cell, int... f>
[[gnu::always_inline]] inline void add(Cell* __restrict H, const Code* b, Cell value,
                                       std::integer_sequence<int, f...>) {
    Word low, high = 0;
    std::memcpy(&low, b, 8);
    if constexpr (sizeof...(f) > 8) std::memcpy(&high, b + 8, 8);
    ((H[f * BINS + Code((f < 8 ? low : high) >> (8 * (f & 7)))] += value), ...);
}

// The form is a copy and the arrays are apart: what a sum changes, nothing else reads.
template <int W, class Form>
void add_all(const Form form, const Code* __restrict codes,
             const std::int32_t* __restrict g, const std::int32_t* __restrict h,
             Index n, typename Form::Cell* __restrict H) {
    for (Index i = 0; i < n; ++i)
        add(H, codes + GROUP * i, form.of(Form::entry(i, g, h)),
            std::make_integer_sequence<int, W>());
}

template <int W, class Form>
void add_entries(const Form form, const Code* __restrict codes,
                 const typename Form::Entry* __restrict e, Index count,
                 typename Form::Cell* __restrict H) {
    for (Index r = 0; r < count; ++r) {
        __builtin_prefetch(codes + GROUP * Index(e[r + AHEAD].row));
        add(H, codes + GROUP * Index(e[r].row), form.of(e[r]),
            std::make_integer_sequence<int, W>());
    }
}

template <int W, class Form>
void add_rows(const Form form, const Code* __restrict codes,
              const std::int32_t* __restrict g, const std::int32_t* __restrict h,
              const std::int32_t* __restrict rows, Index count,
              typename Form::Cell* __restrict H) {
    for (Index r = 0; r < count; ++r) {
        __builtin_prefetch(codes + GROUP * Index(rows[std::min(r + AHEAD, count - 1)]));
        const Index i = rows[r];
        add(H, codes + GROUP * i, form.of(Form::entry(i, g, h)),
            std::make_integer_sequence<int, W>());
    }
}

template <class Form>
struct Adders {
    using Cell = typename Form::Cell;
    using All = void (*)(Form, const Code*, const std::int32_t*, const std::int32_t*,
                         Index, Cell*);
    using Entries = void (*)(Form, const Code*, const typename Form::Entry*, Index,
                             Cell*);
    using Rows = void (*)(Form, const Code*, const std::int32_t*, const std::int32_t*,
                          const std::int32_t*, Index, Cell*);
    std::array<All, GROUP> all;
    std::array<Entries, GROUP> entries;
    std::array<Rows, GROUP> rows;

    template <int... w>
    explicit Adders(std::integer_sequence<int, w...>)
        : all{add_all<w + 1, Form>...},
          entries{add_entries<w + 1, Form>...},
          rows{add_rows<w + 1, Form>...} {}
};

}  // namespace corollary::histogram
