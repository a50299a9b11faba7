// Which of a feature's bins a value is in: at most 255 edges, padded with infinity to 256,
// are searched in two steps of 16 comparisons at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/rows.hpp"

namespace corollary {

class BinSearch {
  public:
    static constexpr Index EDGES = 256;

    BinSearch(const double* edges, std::int32_t missing)
        : edges_(edges), missing_(std::uint8_t(missing)) {
        for (int j = 0; j < 16; ++j) pivots_[j] = edges[16 * j + 15];
    }

    // #{edges < x}, or the code of a missing value for NaN.
    std::uint8_t code(double x) const {
        if (std::isnan(x)) return missing_;
        const int part = std::min(below(pivots_, x), 15);
        return std::uint8_t(16 * part + below(edges_ + 16 * part, x));
    }

  private:
    static int below(const double* e, double x) {
        constexpr int L = lanes<double>;
        int count = 0;
        for (int c = 0; c < 16; c += L)
            count += std::popcount(lane_bits<double>(load(e + c) < x));
        return count;
    }

    const double* edges_;
    double pivots_[16];
    std::uint8_t missing_;
};

}  // namespace corollary
