// What a loop over several trees adds up: each tree's values, and where they go.
#pragma once

#include <vector>

#include "common/tree_nodes.hpp"

namespace corollary {

// What one tree adds to: outputs first .. first + k of K.
struct Task {
    TreeView tree;
    const double* value;  // (nodes, k)
    Index k, first;
};

struct Out {
    double* values;  // (n, K, d)
    double* pairs;   // (n, K, d, d) or null
    Index K, d;

    double* row(Index i, Index output) const { return values + (i * K + output) * d; }
    double* table(Index i, Index output) const {
        return pairs + (i * K + output) * d * d;
    }
};

inline bool goes_left(const TreeView& tree, Index node, double x) {
    const double t = tree.threshold[node];
    return x <= t ? true : x > t ? false : goes_left_by_set(tree, node, x);
}

inline std::vector<Task> tasks_of(const nb::list& trees,
                                  const Vector<const std::int32_t>& first) {
    std::vector<Task> tasks;
    for (const HeldTree* tree : held_trees(trees))
        tasks.push_back(
            {tree->view, tree->value, tree->k, Index(first.data()[tasks.size()])});
    return tasks;
}

}  // namespace corollary
