// A bootstrap sample: rows drawn with replacement, all alike or by their weights.
#pragma once

#include <algorithm>
#include <vector>

#include "cart/records.hpp"

namespace corollary::cart {

// How often each row is drawn; `cumulative` (n,) sums the weights, null = all alike.
inline void draw_rows(Word seed, Index n, Index draws, const double* cumulative,
                      std::int32_t* drawn) {
    Draws random{Draws::finish(seed ^ 0xd6e8feb86659fd93u)};
    for (Index i = 0; i < draws; ++i) {
        if (cumulative == nullptr) {
            drawn[i] = std::int32_t(random.below(n));
        } else {
            const double u = random.uniform() * cumulative[n - 1];
            const Index at =
                std::upper_bound(cumulative, cumulative + n, u) - cumulative;
            drawn[i] = std::int32_t(std::min(at, n - 1));
        }
    }
}

}  // namespace corollary::cart
