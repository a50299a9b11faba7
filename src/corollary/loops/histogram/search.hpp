// The best split of a leaf, from its histograms.
//
// With G, h the sums of a set of rows in real numbers, the gain of a split is
//
//   gain = G_L^2/(h_L + l2) + G_R^2/(h_R + l2) - G^2/(h + l2)                        (1)
//
// or with clipped values where a feature is monotone: gain = loss - loss_L - loss_R with
// loss = G v + (h + l2) v^2 / 2, times 2. Where a cell has no room for counts of rows, a
// child's count is estimated by its share of h.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "histogram/leaf.hpp"

namespace corollary::histogram {

constexpr double SMOOTH = 10;  // hessian added to a category before it is ordered

// The best split of one leaf by one feature after another.
template <class Form>
class Search {
    using Cell = typename Form::Cell;

  public:
    Search(const Form& form, const Rules& rules) : form_(form), r_(rules) {}

    void begin(const Leaf<Cell>& leaf) {
        leaf_ = &leaf;
        best = {};
        G_ = form_.gradient(leaf.total);
        h_ = form_.hessian(leaf.total);
        parent_ = r_.monotone ? twice_loss(G_, h_ + r_.l2, leaf.value)
                              : -G_ * G_ / (h_ + r_.l2);
        least_h_ = r_.min_hessian;
        if (!form_.counted)
            least_h_ = std::max(least_h_,
                                h_ * r_.min_samples / double(leaf.rows) * leaf.strict);
        best.gain = 1e-12 * std::abs(parent_);
    }

    // H has rows in the bins present[0..count), rising; `bins` is that of missing values.
    [[gnu::noinline]] void feature(int f, const Cell* H, const int* present,
                                   int count) {
        if (count < 2) return;
        const int bins = r_.bins[f];
        if (r_.categorical[f]) return categories(f, H, present, count);
        const bool seen = present[count - 1] == bins;
        const int numbers = count - int(seen);
        take(f, sum_up(H, present, numbers, Cell{}), false, seen);
        if (seen) take(f, sum_up(H, present, numbers, H[bins]), true, seen);
    }

    void feature(int f, const Cell* H) {
        int present[BINS], count = 0;
        for (int v = 0; v <= r_.bins[f]; ++v) {
            present[count] = v;
            count += bool(H[v]);
        }
        feature(f, H, present, count);
    }

    Split<Cell> best;

  private:
    static double twice_loss(double G, double h_l2, double v) {
        return (2 * G + h_l2 * v) * v;
    }

    // Note the sums up to each bin that leave enough rows on both sides; return how many.
    int sum_up(const Cell* H, const int* present, int count, Cell sum) {
        const double most = double(leaf_->rows) - r_.min_samples;
        int at = 0;
        for (int c = 0; c < count; ++c) {
            sum += H[present[c]];
            if (form_.counted) {
                const double rows = form_.count(sum);
                if (rows < r_.min_samples) continue;
                if (rows > most) break;
            }
            put(at++, present[c], sum);
        }
        return at;
    }

    void put(int at, int bin, Cell sum) {
        bin_[at] = bin;
        sum_[at] = sum;
        G_left_[at] = form_.gradient(sum);
        h_left_[at] = form_.hessian(sum);
        count_left_[at] = form_.counted ? form_.count(sum) : 0;
    }

    void categories(int f, const Cell* H, const int* present, int count) {
        const int bins = r_.bins[f];
        std::pair<double, int> order[BINS];
        for (int c = 0; c < count; ++c) {
            const Cell cell = H[present[c]];
            order[c] = {form_.gradient(cell) / (form_.hessian(cell) + SMOOTH),
                        present[c]};
        }
        std::sort(order, order + count);
        Cell sum{};
        for (int c = 0; c < count; ++c) {
            sum += H[order[c].second];
            put(c, c, sum);
        }
        const int before = best.feature;
        const double gain = best.gain;
        take(f, count, false, present[count - 1] == bins);
        if (best.feature == before && best.gain == gain) return;
        best.set = {};
        for (int c = 0; c <= best.bin; ++c)
            best.set[order[c].second / 32] |= 1u << (order[c].second % 32);
        best.missing_left = (best.set[bins / 32] >> (bins % 32)) & 1;
    }

    void take(int f, int count, bool missing_left, bool seen) {
        const double most = form_.counted ? double(leaf_->rows) : 1e300;
        const double least = form_.counted ? r_.min_samples : 0;
        const double G = G_, h = h_, l2 = r_.l2, least_h = least_h_, parent = parent_;
        if (r_.monotone) {
            for (int c = 0; c < count; ++c) gain_[c] = clipped_gain(f, c);
        } else {
            for (int c = 0; c < count; ++c) {
                const double a = h_left_[c] + l2, b = h - h_left_[c] + l2;
                const double x = G_left_[c], y = G - x;
                gain_[c] = (x * x * b + y * y * a) / (a * b) + parent;
            }
        }
        int at = NONE;
        for (int c = 0; c < count; ++c)
            if (gain_[c] > best.gain && h_left_[c] >= least_h &&
                h - h_left_[c] >= least_h && count_left_[c] >= least &&
                most - count_left_[c] >= least) {
                best.gain = gain_[c];
                at = c;
            }
        if (at == NONE) return;
        best.feature = f;
        best.bin = bin_[at];
        best.missing_left = missing_left;
        best.missing_seen = seen;
        best.left = sum_[at];
        best.set = {};
    }

    // (3) with the values of both children clipped, 0 where they are in the wrong order.
    double clipped_gain(int f, int c) const {
        const double a = h_left_[c] + r_.l2, b = h_ - h_left_[c] + r_.l2;
        if (!(a > 0) || !(b > 0)) return 0;
        const double x = G_left_[c], y = G_ - x;
        const double left = std::clamp(-x / a, leaf_->low, leaf_->high);
        const double right = std::clamp(-y / b, leaf_->low, leaf_->high);
        if (r_.monotone[f] * (right - left) < 0) return 0;
        const double h_l2 = h_ + r_.l2;
        return twice_loss(G_, h_l2, leaf_->value) - twice_loss(x, a, left) -
               twice_loss(y, b, right);
    }

    const Form& form_;
    const Rules& r_;
    const Leaf<Cell>* leaf_ = nullptr;
    double G_ = 0, h_ = 0, parent_ = 0, least_h_ = 0;
    int bin_[BINS];
    Cell sum_[BINS];
    double G_left_[BINS], h_left_[BINS], count_left_[BINS], gain_[BINS];
};

}  // namespace corollary::histogram
