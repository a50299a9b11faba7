// A bootstrap sample: rows drawn with replacement, all alike or by their weights.
#pragma once

#include <algorithm>
#include <vector>

#include "cart/records.hpp"

namespace corollary::cart {

// The rows put in an order of their content, and what they are drawn by there.
struct Bag {
    Index draws;                // rows of a sample, 0 = no bootstrap
    const std::int32_t* order;  // (n,)
    const double* cumulative;   // (n,) sums of the weights in that order, null = ones
};

// Draw rows: where rows stand in an order of their content, neither their own order nor
// copies in place of weights change the sample.
inline void draw_rows(Word seed, Index n, const Bag& bag, std::int32_t* drawn) {
    Draws random{splitmix::finish(seed ^ 0xd6e8feb86659fd93u)};
    const double* sums = bag.cumulative;
    for (Index i = 0; i < bag.draws; ++i) {
        const double u = random.uniform() * (sums ? sums[n - 1] : double(n));
        const Index at = sums ? std::upper_bound(sums, sums + n, u) - sums : Index(u);
        drawn[i] = bag.order[std::min(at, n - 1)];
    }
}

}  // namespace corollary::cart
