// What a tree is grown from, by which rules, and what becomes of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "common/rows.hpp"
#include "common/splitmix.hpp"

namespace corollary::cart {

using Word = std::uint64_t;
using Code = std::uint32_t;
using Row = std::uint32_t;

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double EPSILON = std::numeric_limits<double>::epsilon();

enum class Measure { gini, entropy, squared, absolute, poisson };

// The columns as rank codes (see rank_codes.cpp), and the values that the codes stand for.
struct Columns {
    const void* codes;  // (d, n)
    int bytes;          // of a code: 1, 2 or 4
    Index n, d;
    const std::int64_t* counts;    // (d,) codes of a column, without that of NaN
    const std::int64_t* start;     // (d,) where a column's values begin
    const double *low, *high;      // least and largest value of each code
    const std::uint8_t* category;  // (d,) whether codes are categories; or null
    const std::int8_t* monotonic;  // (d,) +1 rising, -1 falling, 0 free; or null
    Index words;                   // of a set of categories

    // out[i] = code of column j at rows[i]; tells the least and the largest.
    void gather(Index j, const Row* rows, Index count, Code* out, Code& least,
                Code& most) const {
        if (bytes == 1)
            gather_as<std::uint8_t>(j, rows, count, out, least, most);
        else if (bytes == 2)
            gather_as<std::uint16_t>(j, rows, count, out, least, most);
        else
            gather_as<std::uint32_t>(j, rows, count, out, least, most);
    }

  private:
    template <class C>
    void gather_as(Index j, const Row* rows, Index count, Code* __restrict out,
                   Code& least, Code& most) const {
        const C* __restrict column = static_cast<const C*>(codes) + j * n;
        Code a = ~Code(0), b = 0;
        for (Index i = 0; i < count; ++i) {
            const Code c = column[rows[i]];
            out[i] = c;
            a = std::min(a, c);
            b = std::max(b, c);
        }
        least = a;
        most = b;
    }
};

// Where to look for a value among the values of a column: a table over equal steps from
// the least to the largest, for thresholds that are drawn.
class Guide {
  public:
    explicit Guide(const Columns& columns) : X(columns), first(X.d * (STEPS + 1)) {
        for (Index j = 0; j < X.d; ++j) {
            const double* high = X.high + X.start[j];
            const Index count = X.counts[j];
            for (Index s = 0, c = 0; s <= STEPS; ++s) {
                while (c < count && step(j, high[c]) < s) ++c;
                first[j * (STEPS + 1) + s] = std::int32_t(c);
            }
        }
    }

    // The last code whose values are at most v.
    Code last_code(Index j, double v) const {
        const double* high = X.high + X.start[j];
        const std::int32_t* at = first.data() + j * (STEPS + 1) + step(j, v);
        const Index begin = at[0];
        const Index end = std::min<Index>(at[1], X.counts[j]);
        return Code(std::max<Index>(
            0, std::upper_bound(high + begin, high + end, v) - high - 1));
    }

  private:
    static constexpr Index STEPS = 1024;
    const Columns& X;
    std::vector<std::int32_t>
        first;  // (d, STEPS + 1) the first code of a step or above

    Index step(Index j, double v) const {
        const double a = X.high[X.start[j]], b = X.high[X.start[j] + X.counts[j] - 1];
        if (!(b > a)) return 0;
        const double share = (v / 2 - a / 2) / (b / 2 - a / 2);
        return Index(std::clamp(share, 0.0, 1.0) * double(STEPS - 1));
    }
};

// The targets: class codes or numbers of m outputs.
struct Targets {
    Measure measure;
    Index m;
    const std::int32_t* z;        // (n, m) classes, or null
    const double* y;              // (n, m) numbers, or null
    const std::int64_t* classes;  // (m,) how many; 1 for numbers
    Index most_classes;

    bool labels() const { return z != nullptr; }
};

struct Rules {
    bool random;                                // thresholds are drawn, one a feature
    Index max_features, max_depth, max_leaves;  // leaves: 0 = no bound
    double min_split, min_leaf;                 // rows
    double min_weight;                          // share of all weight in a leaf
    double min_decrease;
};

// A source of random numbers with a key.
struct Draws {
    Word state;

    Word next() { return splitmix::next(state); }
    Index below(Index n) { return splitmix::below(next(), n); }
    double uniform() { return double(next() >> 11) * 0x1p-53; }  // in [0, 1)
};

// The key of a child: draws depend on a node's place in its tree alone.
inline Word child_key(Word key, bool left) {
    return splitmix::finish(key ^ (left ? 0x94d049bb133111ebu : 0xbf58476d1ce4e5b9u));
}

// What is known of the rows of a node.
struct NodeSums {
    double weight = 0, impurity = 0;
    bool pure = true;           // no split can tell its rows apart by their targets
    std::vector<double> value;  // (m, most_classes)
};

// A split, as it is found.
struct Split {
    Index feature = -1;
    double gain = -INFINITE;  // a number that orders splits of one node
    Code code = 0, next = 0;  // the last code on the left, the first on the right
    bool alone = false;       // on the right there are missing values alone
    double threshold = -2;
    bool missing_left = false;
    double middle = 0;  // between the children's values, for monotonic features
    std::vector<std::uint32_t> categories;  // those that go left, as bits
};

struct GrownNode {
    std::int32_t left = -1, right = -1, feature = -2;
    double threshold = -2;
    std::uint8_t missing_left = 0;
    double impurity = 0, weight = 0;
    Index rows = 0;
    std::int32_t set = -1;
};

struct Grown {
    std::vector<GrownNode> nodes;
    std::vector<double> values;       // (nodes, m * most_classes)
    std::vector<std::uint32_t> sets;  // (sets, words)

    std::int32_t add(const NodeSums& sums, Index rows) {
        GrownNode node;
        node.impurity = sums.impurity;
        node.weight = sums.weight;
        node.rows = rows;
        nodes.push_back(node);
        values.insert(values.end(), sums.value.begin(), sums.value.end());
        return std::int32_t(nodes.size()) - 1;
    }
    void split(std::int32_t at, const Split& by, Index words) {
        GrownNode& node = nodes[at];
        node.feature = std::int32_t(by.feature);
        node.threshold = by.threshold;
        node.missing_left = by.missing_left;
        if (!by.categories.empty()) {
            node.threshold = std::numeric_limits<double>::quiet_NaN();
            node.set = std::int32_t(sets.size() / words);
            sets.insert(sets.end(), by.categories.begin(), by.categories.end());
        }
    }
};

// The rows of one node, gathered once for all features.
struct Local {
    Index n = 0, m = 1;
    bool weighted = false;
    double weight = 0;
    std::vector<double> w;        // (n,) where weighted
    std::vector<std::int32_t> z;  // (n, m) places among the sums
    std::vector<double> y;        // (n, m) w (y - centre)
    std::vector<double> centre;   // (m,)
    std::vector<double> total;    // (S,) sums over all rows
    // of the absolute error: places of the rows by y, and the numbers in that order
    std::vector<std::uint32_t> rank;
    std::vector<double> sorted;
};

}  // namespace corollary::cart
