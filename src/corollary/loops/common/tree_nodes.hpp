// Trees as arrays of nodes, and the way of a row from the root to its leaf.
//
// A node with feature >= 0 is split: a row goes left where
//
//   x_j <= threshold,                                                               (1)
//   or, at a node with a set of categories, where x_j is a category of the set.     (2)
//
// What is neither (1) nor its opposite, NaN or a category without a bit, follows the
// missing values. The caller has checked that children come after their parent, that
// features and sets exist: every way ends.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "common/arrays.hpp"

namespace corollary {

// One tree as the caller holds it.
struct TreeView {
    const std::int32_t *left, *right, *feature;
    const double* threshold;
    const std::uint8_t* missing_left;
    const std::int32_t* set;    // (nodes,) row of `sets`, -1 = none; or null
    const std::uint32_t* sets;  // (m, words) bits of the categories that go left
    Index nodes, words;
};

namespace COROLLARY_LOOPS {  // Python tells the types of the modules apart by name

// A tree that Python holds on to: its arrays, read once.
struct HeldTree {
    nb::object arrays;  // keeps the memory of the view
    TreeView view;
    const double* value;  // (nodes, k), what a leaf adds; or null
    Index k;
};

}  // namespace COROLLARY_LOOPS
using COROLLARY_LOOPS::HeldTree;

// Trees in a list, as the loops read them.
inline std::vector<const HeldTree*> held_trees(const nb::list& trees) {
    std::vector<const HeldTree*> held;
    held.reserve(trees.size());
    for (nb::handle tree : trees) held.push_back(nb::cast<const HeldTree*>(tree));
    return held;
}

// (2), or where the missing values go.
inline bool goes_left_by_set(const TreeView& tree, Index node, double x) {
    const std::int32_t set = tree.set ? tree.set[node] : -1;
    if (set >= 0 && x >= 0 && x < double(32 * tree.words)) {
        const Index category = Index(x);
        if (double(category) == x)
            return (tree.sets[set * tree.words + category / 32] >> (category % 32)) & 1;
    }
    return tree.missing_left[node] != 0;
}

// The leaf of one row, read from the caller's arrays.
template <class T>
inline std::int32_t leaf_of(const TreeView& tree, const T* x) {
    std::int32_t node = 0;
    while (tree.feature[node] >= 0) {
        const double v = double(x[tree.feature[node]]), t = tree.threshold[node];
        const bool left = v <= t  ? true
                          : v > t ? false
                                  : goes_left_by_set(tree, node, v);
        node = left ? tree.left[node] : tree.right[node];
    }
    return node;
}

// The nodes of a tree level by level, 16 bytes each: both children of a node are
// neighbours, and a leaf leads to itself.
struct PackedNode {
    double threshold;
    std::int32_t feature, child;  // the left one; the right one follows it
};

struct PackedTree {
    std::vector<PackedNode> nodes;
    std::vector<std::int32_t>
        origin;  // the numbers of the nodes in the caller's arrays
};

inline PackedTree packed(const TreeView& tree) {
    PackedTree p;
    p.nodes.reserve(tree.nodes);
    p.origin.reserve(tree.nodes);
    p.origin.push_back(0);
    for (std::size_t at = 0; at < p.origin.size(); ++at) {
        const std::int32_t i = p.origin[at];
        if (tree.feature[i] < 0) {
            constexpr double all = std::numeric_limits<double>::infinity();
            p.nodes.push_back({all, 0, std::int32_t(at)});
            continue;
        }
        const auto child = std::int32_t(p.origin.size());
        p.nodes.push_back({tree.threshold[i], tree.feature[i], child});
        p.origin.push_back(tree.left[i]);
        p.origin.push_back(tree.right[i]);
    }
    return p;
}

// Where NaN goes, and a category.
inline std::int32_t special(const TreeView& tree, const PackedTree& p, std::int32_t at,
                            double v) {
    const std::int32_t i = p.origin[at];
    if (tree.feature[i] < 0) return at;
    return p.nodes[at].child + !goes_left_by_set(tree, i, v);
}

// The leaves of `count` rows that follow each other in x, each of d values; eight go
// down side by side, so that their loads overlap.
template <class T>
inline void leaves_of(const TreeView& tree, const PackedTree& p, const T* x, Index d,
                      Index count, std::int32_t* leaf) {
    constexpr Index side = 8;
    const PackedNode* nodes = p.nodes.data();
    Index i = 0;
    for (; i + side <= count; i += side) {
        std::int32_t at[side] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (std::int32_t active = 1; active != 0;) {
            active = 0;
            for (Index r = 0; r < side; ++r) {
                const PackedNode node = nodes[at[r]];
                const double v = double(x[(i + r) * d + node.feature]);
                std::int32_t next = node.child + (v > node.threshold);
                if (std::isunordered(v, node.threshold))  // the one branch; foreseen
                    next = special(tree, p, at[r], v);
                active |= next ^ at[r];
                at[r] = next;
            }
        }
        for (Index r = 0; r < side; ++r) leaf[i + r] = p.origin[at[r]];
    }
    for (; i < count; ++i) leaf[i] = leaf_of(tree, x + i * d);
}

// Rows begin..end of X in the dense form that trees read; `scratch` (rows, d) is all 0
// before and after.
template <class T>
inline const T* dense_block(const Dense<T>& X, Index begin, Index, T*) {
    return X.row(begin);
}

template <class T>
inline const T* dense_block(const Csr<T>& X, Index begin, Index end, T* scratch) {
    for (Index i = begin; i < end; ++i) {
        const SparseRow<T> row = X.row(i);
        for (Index p = 0; p < row.count; ++p)
            scratch[(i - begin) * X.d + row.j[p]] = row.x[p];
    }
    return scratch;
}

template <class T>
inline void clear_block(const Dense<T>&, Index, Index, T*) {}

template <class T>
inline void clear_block(const Csr<T>& X, Index begin, Index end, T* scratch) {
    for (Index i = begin; i < end; ++i) {
        const SparseRow<T> row = X.row(i);
        for (Index p = 0; p < row.count; ++p)
            scratch[(i - begin) * X.d + row.j[p]] = T(0);
    }
}

}  // namespace corollary
