// Which of a feature's bins a value is in: at most 255 edges, in order, padded with
// infinity to 256.
//
//   code(x) = #{edges < x}                                                          (1)
//
// Few values are sought in two steps of 16 comparisons at once. For many, a grid of cells
// of equal width says where to look:
//
//   cell(x) = (x - first edge) scale, clamped and cut to a whole number              (2)
//   code(x) = #{edges in cells below cell(x)} + #{edges in cell(x) < x}              (3)
//
// (2) never falls as x grows, also in floating point, so that (3) is (1) to the bit. It is
// used where no cell holds more edges than one comparison of vectors looks at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "common/rows.hpp"

namespace corollary {

class BinSearch {
  public:
    static constexpr Index EDGES = 256;

    BinSearch(const double* edges, std::int32_t missing, Index values)
        : edges_(edges), missing_(std::uint8_t(missing)) {
        for (int j = 0; j < 16; ++j) pivots_[j] = edges[16 * j + 15];
        if (values >= MANY) make_grid();
    }

    // The codes of x[0], x[step], ..., or the code of missing values for NaN.
    template <class T>
    void codes(const T* x, Index step, Index n, std::uint8_t* out) const {
        if (grid_.empty())
            for (Index i = 0; i < n; ++i) out[i] = code(double(x[i * step]));
        else
            for (Index i = 0; i < n; ++i) out[i] = code_by_grid(double(x[i * step]));
    }

  private:
    static constexpr int CELLS = 1024;
    static constexpr int NEAR = 4;       // edges of one cell
    static constexpr Index MANY = 4096;  // values for which a grid pays

    std::uint8_t code(double x) const {
        if (std::isnan(x)) return missing_;
        const int part = std::min(below<16>(pivots_, x), 15);
        return std::uint8_t(16 * part + below<16>(edges_ + 16 * part, x));
    }

    std::uint8_t code_by_grid(double x) const {
        const int begin = grid_[std::size_t(cell(x))];
        const int found = begin + below<NEAR>(edges_ + begin, x);  // (3)
        return std::isnan(x) ? missing_ : std::uint8_t(found);
    }

    int cell(double x) const {  // (2), 0 for NaN
        double place = (x - edges_[0]) * scale_;
        place = place > 0 ? place : 0;
        return int(place < CELLS - 1 ? place : CELLS - 1);
    }

    // Where the edges of each cell begin; stays empty where a cell has too many.
    void make_grid() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const Index count = std::lower_bound(edges_, edges_ + EDGES, infinity) - edges_;
        if (count < 2) return;
        scale_ = CELLS / (edges_[count - 1] - edges_[0]);
        if (!(scale_ > 0 && scale_ < infinity)) return;
        std::array<int, CELLS> size{};
        for (Index j = 0; j < count; ++j) ++size[std::size_t(cell(edges_[j]))];
        if (*std::max_element(size.begin(), size.end()) > NEAR) return;
        grid_.resize(CELLS);
        int begin = 0;
        for (std::size_t c = 0; c < CELLS; ++c) {
            // The edges before count for (3) too, so that no vector reads beyond 256.
            grid_[c] = std::uint8_t(std::min(begin, int(EDGES) - NEAR));
            begin += size[c];
        }
    }

    template <int N>
    static int below(const double* e, double x) {
        constexpr int L = lanes<double>;
        int count = 0;
        for (int c = 0; c < N; c += L)
            count += std::popcount(lane_bits<double>(load(e + c) < x));
        return count;
    }

    const double* edges_;
    double pivots_[16], scale_ = 0;
    std::vector<std::uint8_t> grid_;
    std::uint8_t missing_;
};

}  // namespace corollary
