// Shapley values of trees against background rows.
//
// The features outside a coalition come from a background row b. A leaf of value v that
// needs A features of the row and B of b, which take other branches there, gives
//
//   phi_i = v beta(A-1, B)  or  -v beta(A, B-1),  beta(a, b) = a! b! / (a + b + 1)!    (1)
//
// to the features of the row and of b, the integrals of t^a (1 - t)^b. A walk visits the
// leaves that the two can reach together.

#include <algorithm>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "common/tree_tasks.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

// beta(a, b) of (1) for a + b < size.
class Beta {
    std::vector<double> table_;
    Index size_;

  public:
    explicit Beta(Index size) : table_(size * size), size_(size) {
        for (Index a = 0; a < size; ++a) {
            table_[a * size] = 1 / double(a + 1);
            for (Index b = 1; a + b < size; ++b)
                table_[a * size + b] =
                    table_[a * size + b - 1] * double(b) / double(a + b + 1);
        }
    }
    double operator()(Index a, Index b) const { return table_[a * size_ + b]; }
};

struct Turn {  // where to go on: a node, and how many features are decided there
    std::int32_t node, decided;
};

struct Choice {  // a feature whose branches only the row takes (1), or only b (-1)
    std::int32_t feature, sign;
};

struct Comparison {
    std::vector<Turn> open;
    std::vector<Choice> chosen;

    void run(const Task& task, const Beta& beta, const double* x, const double* b,
             Index i, const Out& out) {
        const TreeView& tree = task.tree;
        open.clear();
        std::int32_t node = 0;
        Index decided = 0;
        for (;;) {
            while (tree.feature[node] >= 0) {
                const std::int32_t f = tree.feature[node];
                bool left = goes_left(tree, node, x[f]);
                if (left != goes_left(tree, node, b[f])) {
                    Index p = 0;
                    while (p < decided && chosen[p].feature != f) ++p;
                    if (p == decided) {
                        chosen[decided++] = {f, 1};
                        open.push_back({left ? tree.right[node] : tree.left[node],
                                        std::int32_t(decided)});
                    } else if (chosen[p].sign < 0) {
                        left = !left;
                    }
                }
                node = left ? tree.left[node] : tree.right[node];
            }
            if (decided) add(task, beta, node, decided, i, out);
            if (open.empty()) return;
            node = open.back().node;
            decided = open.back().decided;
            chosen[decided - 1].sign = -1;
            open.pop_back();
        }
    }

  private:
    // (1) of one leaf.
    void add(const Task& task, const Beta& beta, Index leaf, Index decided, Index i,
             const Out& out) const {
        Index A = 0;
        for (Index p = 0; p < decided; ++p) A += chosen[p].sign > 0;
        const Index B = decided - A;
        for (Index c = 0; c < task.k; ++c) {
            const double v = task.value[leaf * task.k + c];
            const double own = A ? v * beta(A - 1, B) : 0;
            const double other = B ? -v * beta(A, B - 1) : 0;
            double* row = out.row(i, task.first + c);
            for (Index p = 0; p < decided; ++p)
                row[chosen[p].feature] += chosen[p].sign > 0 ? own : other;
            if (out.pairs && decided > 1)
                add_pairs(beta, v / 2, A, B, out.table(i, task.first + c), out.d);
        }
    }

    void add_pairs(const Beta& beta, double v, Index A, Index B, double* pair,
                   Index d) const {
        const double both = A > 1 ? v * beta(A - 2, B) : 0;
        const double none = B > 1 ? v * beta(A, B - 2) : 0;
        const double one = A && B ? -v * beta(A - 1, B - 1) : 0;
        for (Index p = 0; p < A + B; ++p)
            for (Index r = 0; r < p; ++r) {
                const std::int32_t s = chosen[p].sign + chosen[r].sign;
                const double share = s > 0 ? both : s < 0 ? none : one;
                pair[chosen[p].feature * d + chosen[r].feature] += share;
                pair[chosen[r].feature * d + chosen[p].feature] += share;
            }
    }
};

void by_background(const std::vector<Task>& tasks, const double* X, Index n,
                   const double* background, Index m, Index most, const Out& out,
                   int threads) {
    const Beta beta(most + 1);
    std::vector<Comparison> workers(std::max(1, threads));
    for (Comparison& each : workers) each.chosen.resize(most + 1);
    for (Comparison& each : workers) each.open.reserve(most + 1);
    for_blocks(n, 1, threads, [&](int worker, Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
            for (const Task& task : tasks)
                for (Index b = 0; b < m; ++b)
                    workers[worker].run(task, beta, X + i * out.d,
                                        background + b * out.d, i, out);
    });
}

}  // namespace

void bind_background_shap(nb::module_& m) {
    m.def(
        "background_shap",
        [](Matrix<const double> X, Matrix<const double> background, nb::list trees,
           Vector<const std::int32_t> first, Index outputs, Index most,
           Matrix<double> out, Optional<Matrix<double>> pairs, int threads) {
            const std::vector<Task> tasks = tasks_of(trees, first);
            const Out to{out.data(), data_or_null(pairs), outputs, Index(X.shape(1))};
            nb::gil_scoped_release free;
            by_background(tasks, X.data(), Index(X.shape(0)), background.data(),
                          Index(background.shape(0)), most, to, threads);
        },
        as_is("X"), as_is("background"), nb::arg("trees"), as_is("first"),
        nb::arg("outputs"), nb::arg("most"), as_is("out"), as_is("pairs").none(),
        nb::arg("threads"));
}

}  // namespace corollary
