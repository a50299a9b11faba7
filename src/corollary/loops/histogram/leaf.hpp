// A leaf of a growing tree, what bounds it, and what a split makes of it.
//
// With G, h the sums of its rows in real numbers, a leaf's best value is
//
//   v = -G / (h + l2)                                                                (1)
//
// clipped to the bounds that splits by monotone features above it have set. A leaf draws
// its features by a key of its own, that of its place in the tree: whoever grows the
// tree, and in whatever order, finds the same split.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "common/splitmix.hpp"
#include "histogram/cells.hpp"

namespace corollary::histogram {

struct Rules {  // what bounds the splits of every leaf
    Index d;
    const std::int32_t* bins;  // (d,) that hold numbers; the next one is for missing
    const std::uint8_t* categorical;  // (d,)
    const std::int8_t* monotone;      // (d,) or null
    const Word* feature_sets;  // (d, words) which sets of features have it, or null
    Index words;
    double min_samples, min_hessian, l2;
    Index max_features;  // of a leaf, 0 = all
};

template <class Cell>
struct Split {
    double gain = 0;
    int feature = NONE, bin = 0;
    bool missing_left = false, missing_seen = false;
    std::array<std::uint32_t, 8> set{};  // of a categorical feature
    Cell left{};
};

template <class Cell>
struct Leaf {
    Index rows;
    Cell total;
    int node, depth;
    int buffer;  // which of the two lists of entries has its rows, NONE = all rows
    int slot;    // of its histograms, NONE where they were not kept
    double low = -INFINITY, high = INFINITY, value = 0;
    double strict = 1;       // factor of the estimate of a child's count
    std::vector<Word> sets;  // of features that may still be used
    Word key = 0;
    Split<Cell> best{};
};

template <class Form>
[[gnu::noinline]] double value_of(const Form& form, const Rules& r,
                                  typename Form::Cell total) {  // (1)
    const double h = form.hessian(total) + r.l2;
    return h > 0 ? -form.gradient(total) / h : 0;
}

// The children of a leaf: their sums, bounds, values, sets of features and keys.
template <class Form>
std::pair<Leaf<typename Form::Cell>, Leaf<typename Form::Cell>> halves(
    const Form& form, const Rules& r, const Leaf<typename Form::Cell>& parent) {
    auto left = parent, right = parent;
    left.total = parent.best.left;
    right.total = parent.total - parent.best.left;
    left.key = splitmix::finish(parent.key + splitmix::STEP);
    right.key = splitmix::finish(parent.key + 2 * splitmix::STEP);
    for (auto* child : {&left, &right}) {
        child->depth = parent.depth + 1;
        child->strict = 1;
        child->best = {};
        for (Index w = 0; w < r.words; ++w)
            child->sets[std::size_t(w)] &=
                r.feature_sets[Index(parent.best.feature) * r.words + w];
        child->value =
            std::clamp(value_of(form, r, child->total), parent.low, parent.high);
    }
    if (const int sign = r.monotone ? r.monotone[parent.best.feature] : 0; sign != 0) {
        const double middle = (left.value + right.value) / 2;
        (sign > 0 ? left.high : left.low) = middle;
        (sign > 0 ? right.low : right.high) = middle;
        left.value = std::clamp(left.value, left.low, left.high);
        right.value = std::clamp(right.value, right.low, right.high);
    }
    return {left, right};
}

// table[code] tells whether a row goes left.
template <class Cell>
std::array<Code, BINS> table_of(const Rules& r, const Split<Cell>& s) {
    std::array<Code, BINS> table{};
    const int missing = r.bins[s.feature];
    for (int v = 0; v < BINS; ++v)
        table[std::size_t(v)] = r.categorical[s.feature]
                                    ? (s.set[std::size_t(v / 32)] >> (v % 32)) & 1
                                    : v <= s.bin && v != missing;
    if (!r.categorical[s.feature]) table[std::size_t(missing)] = s.missing_left;
    return table;
}

// The features that a leaf may use: of sets that it has kept to, and drawn ones.
class Features {
  public:
    explicit Features(const Rules& r) : r_(r), allowed_(std::size_t(r.d), 1) {}

    template <class Cell>
    void narrow(const Leaf<Cell>& leaf) {
        if (!r_.feature_sets && !r_.max_features) return;
        draws_.clear();
        for (Index f = 0; f < r_.d; ++f) {
            bool any = !r_.feature_sets;
            for (Index w = 0; w < r_.words && !any; ++w)
                any = (r_.feature_sets[f * r_.words + w] & leaf.sets[std::size_t(w)]) !=
                      0;
            allowed_[std::size_t(f)] = any;
            if (any) draws_.emplace_back(splitmix::finish(leaf.key + Word(f)), int(f));
        }
        if (!r_.max_features || Index(draws_.size()) <= r_.max_features) return;
        std::nth_element(draws_.begin(), draws_.begin() + r_.max_features,
                         draws_.end());
        for (auto one = draws_.begin() + r_.max_features; one != draws_.end(); ++one)
            allowed_[std::size_t(one->second)] = 0;
    }

    bool allow(Index f) const { return allowed_[std::size_t(f)]; }

  private:
    const Rules& r_;
    std::vector<std::pair<Word, int>> draws_;
    std::vector<Code> allowed_;
};

}  // namespace corollary::histogram
