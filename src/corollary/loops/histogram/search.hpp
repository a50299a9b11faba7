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
#include <numeric>
#include <utility>

#include "histogram/leaf.hpp"

namespace corollary::histogram {

constexpr int LANES = 8;       // running maxima beside each other
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
        std::copy_n(present, numbers, bin_);
        auto sum_up = [&](Cell sum) {
            for (int c = 0; c < numbers; ++c) sum_[c] = sum += H[present[c]];
        };
        sum_up(Cell{});
        take(f, numbers, false, seen);
        if (!seen) return;
        sum_up(H[bins]);
        take(f, numbers, true, seen);
    }

    // The sums stay as they are in an empty bin, and of equal gains the first is taken.
    [[gnu::noinline]] void feature(int f, const Cell* H) {
        const int bins = r_.bins[f];
        if (r_.categorical[f]) return filled(f, H);
        int first = 0, end = bins;
        while (first < end && !H[first]) ++first;
        while (end > first && !H[end - 1]) --end;
        const int count = end - first;
        std::iota(bin_, bin_ + count, first);
        auto sum_up = [&](Cell sum) {
            for (int c = 0; c < count; ++c) sum_[c] = sum += H[first + c];
        };
        const bool seen = bool(H[bins]);
        sum_up(Cell{});
        take(f, count, false, seen);
        if (!seen) return;
        sum_up(H[bins]);
        take(f, count, true, seen);
    }

    Split<Cell> best;

  private:
    static double twice_loss(double G, double h_l2, double v) {
        return (2 * G + h_l2 * v) * v;
    }

    void filled(int f, const Cell* H) {
        int present[BINS], count = 0;
        for (int v = 0; v <= r_.bins[f]; ++v) {
            present[count] = v;
            count += bool(H[v]);
        }
        feature(f, H, present, count);
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
            sum_[c] = sum += H[order[c].second];
            bin_[c] = c;
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

    // The best of the splits after bin_[c] with the sums sum_[c] on the left.
    void take(int f, int count, bool missing_left, bool seen) {
        weigh(f, count);
        double top[LANES];
        std::fill_n(top, LANES, best.gain);
        std::fill_n(gain_ + count, LANES - 1, -INFINITY);
        for (int c = 0; c < count; c += LANES)
            for (int lane = 0; lane < LANES; ++lane)
                top[lane] = gain_[c + lane] > top[lane] ? gain_[c + lane] : top[lane];
        const double most = *std::max_element(top, top + LANES);
        if (!(most > best.gain)) return;
        const auto at = std::find(gain_, gain_ + count, most) - gain_;
        best.gain = most;
        best.feature = f;
        best.bin = bin_[at];
        best.missing_left = missing_left;
        best.missing_seen = seen;
        best.left = sum_[at];
        best.set = {};
    }

    // The gains (1), or -infinity where a child has too little: in plain loops that
    // compilers make vectors of.
    void weigh(int f, int count) {
        const Form form = form_;
        for (int c = 0; c < count; ++c) {
            G_left_[c] = form.gradient(sum_[c]);
            h_left_[c] = form.hessian(sum_[c]);
            count_left_[c] = form.count(sum_[c]);
        }
        if (r_.monotone) {
            for (int c = 0; c < count; ++c) gain_[c] = clipped_gain(f, c);
        } else {
            const double G = G_, h = h_, l2 = r_.l2, parent = parent_;
            for (int c = 0; c < count; ++c) {
                const double a = h_left_[c] + l2, b = h - h_left_[c] + l2;
                const double x = G_left_[c], y = G - x;
                gain_[c] = (x * x * b + y * y * a) / (a * b) + parent;
            }
        }
        const double h = h_, least_h = least_h_;
        const double least = form.counted ? r_.min_samples : 0;
        const double most = form.counted ? double(leaf_->rows) - least : INFINITY;
        for (int c = 0; c < count; ++c) {
            double gain = gain_[c];
            gain = h_left_[c] >= least_h ? gain : -INFINITY;
            gain = h - h_left_[c] >= least_h ? gain : -INFINITY;
            gain = count_left_[c] >= least ? gain : -INFINITY;
            gain_[c] = count_left_[c] <= most ? gain : -INFINITY;
        }
    }

    // (1) with the values of both children clipped, 0 where they are in the wrong order.
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
    double G_left_[BINS], h_left_[BINS], count_left_[BINS], gain_[BINS + LANES];
};

}  // namespace corollary::histogram
