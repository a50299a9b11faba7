// Rows through many trees: their leaves, or the sum of their leaves' values.
//
// Blocks of rows are shared out among the threads; a block goes through one tree after
// the other, so the sum of a row is taken in the order of the trees whatever the threads.

#include "cart/bootstrap.hpp"
#include "common/threads.hpp"
#include "common/tree_nodes.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

constexpr Index BLOCK = 512;  // rows that go through a tree together
constexpr Index FEW = 32;     // rows for which packing the nodes does not pay,
constexpr Index STEPS = 8;    // nor where they are fewer than a share of a tree's nodes
constexpr Index SCRATCH = 1 << 18;  // values of a block of sparse rows

template <class T>
Index block_rows(const Dense<T>&) {
    return BLOCK;
}

template <class T>
Index block_rows(const Csr<T>& X) {
    return std::clamp<Index>(SCRATCH / std::max<Index>(1, X.d), 1, BLOCK);
}

template <class T>
Index scratch_size(const Dense<T>&) {
    return 0;
}

template <class T>
Index scratch_size(const Csr<T>& X) {
    return block_rows(X) * X.d;
}

// The memory of an array as it is: what Python would convert is refused.
template <class Array>
Array as_given(nb::handle array) {
    return nb::cast<Array>(array, false);
}

// The tuple (left, right, feature, threshold, missing_left, set, sets) of Python.
TreeView tree_view(const nb::tuple& t) {
    using Ints = Vector<const std::int32_t>;
    TreeView v{};
    const auto left = as_given<Ints>(t[0]);
    v.left = left.data();
    v.nodes = Index(left.shape(0));
    v.right = as_given<Ints>(t[1]).data();
    v.feature = as_given<Ints>(t[2]).data();
    v.threshold = as_given<Vector<const double>>(t[3]).data();
    v.missing_left = as_given<Vector<const std::uint8_t>>(t[4]).data();
    if (!t[5].is_none()) {
        v.set = as_given<Ints>(t[5]).data();
        const auto sets = as_given<Matrix<const std::uint32_t>>(t[6]);
        v.sets = sets.data();
        v.words = Index(sets.shape(1));
    }
    return v;
}

HeldTree held_tree(const nb::tuple& arrays, const nb::object& value) {
    HeldTree held{nb::make_tuple(arrays, value), tree_view(arrays), nullptr, 0};
    if (!value.is_none()) {
        const auto values = as_given<Matrix<const double>>(value);
        held.value = values.data();
        held.k = Index(values.shape(1));
    }
    return held;
}

// Call take(row, tree, leaves, rows) for every block of rows and every tree.
template <class Rows, class Take>
void through(const std::vector<const HeldTree*>& trees, const Rows& X, int threads,
             Take take) {
    using T = typename Rows::Scalar;
    std::vector<PackedTree> nodes(trees.size());
    Index size = 0;
    for (const HeldTree* tree : trees) size += tree->view.nodes;
    const bool pack = X.n > FEW && X.n * STEPS * Index(trees.size()) > size;
    if (pack)
        for (std::size_t t = 0; t < trees.size(); ++t)
            nodes[t] = packed(trees[t]->view);
    const Index block = block_rows(X);
    std::vector<std::vector<T>> scratch(std::max(1, threads));
    std::vector<std::vector<std::int32_t>> leaf(std::max(1, threads));
    for_blocks(X.n, block, threads, [&](int worker, Index begin, Index end) {
        scratch[worker].resize(scratch_size(X));
        leaf[worker].resize(block);
        std::int32_t* leaves = leaf[worker].data();
        const T* x = dense_block(X, begin, end, scratch[worker].data());
        for (std::size_t t = 0; t < trees.size(); ++t) {
            if (pack)
                leaves_of(trees[t]->view, nodes[t], x, X.d, end - begin, leaves);
            else
                for (Index i = 0; i < end - begin; ++i)
                    leaves[i] = leaf_of(trees[t]->view, x + i * X.d);
            take(begin, Index(t), leaves, end - begin);
        }
        clear_block(X, begin, end, scratch[worker].data());
    });
}

template <class Rows>
void tree_leaves(const nb::list& trees, const Rows& X, Matrix<std::int32_t>& out,
                 int threads) {
    const std::vector<const HeldTree*> held = held_trees(trees);
    std::int32_t* leaf = out.data();
    const Index T = Index(held.size());
    nb::gil_scoped_release free;
    through(held, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                for (Index i = 0; i < rows; ++i) leaf[(row + i) * T + t] = leaves[i];
            });
}

// out[:, first[t] : first[t] + k] += value[leaf] of each tree t.
template <class Rows>
void tree_sums(const nb::list& trees, const std::int32_t* first, const Rows& X,
               Matrix<double>& out, int threads) {
    const std::vector<const HeldTree*> held = held_trees(trees);
    const Index K = Index(out.shape(1));
    double* sum = out.data();
    nb::gil_scoped_release free;
    through(held, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                const Index k = held[t]->k, begin = first ? first[t] : 0;
                for (Index i = 0; i < rows; ++i) {
                    double* __restrict s = sum + (row + i) * K + begin;
                    const double* __restrict v = held[t]->value + leaves[i] * k;
                    for (Index c = 0; c < k; ++c) s[c] += v[c];
                }
            });
}

// The same over the trees whose bootstrap sample a row is not in; votes counts them.
template <class Rows>
void out_of_bag_sums(const nb::list& trees, const Rows& X, const std::uint64_t* seeds,
                     const cart::Bag& bag, Matrix<double>& out, std::int64_t* votes,
                     int threads) {
    const std::vector<const HeldTree*> held = held_trees(trees);
    const Index k = Index(out.shape(1)), T = Index(held.size());
    double* sum = out.data();
    nb::gil_scoped_release free;
    std::vector<std::vector<bool>> inside(T);
    for_blocks(T, 1, threads, [&](int, Index t, Index end) {
        std::vector<std::int32_t> drawn(bag.draws);
        for (; t < end; ++t) {
            cart::draw_rows(seeds[t], X.n, bag, drawn.data());
            inside[t].assign(X.n, false);
            for (const std::int32_t i : drawn) inside[t][i] = true;
        }
    });
    through(held, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                for (Index i = 0; i < rows; ++i) {
                    if (inside[t][row + i]) continue;
                    ++votes[row + i];
                    const double* v = held[t]->value + leaves[i] * k;
                    for (Index c = 0; c < k; ++c) sum[(row + i) * k + c] += v[c];
                }
            });
}

// How many splits are above each node; children come after their parent.
void tree_depths(const std::int32_t* feature, const std::int32_t* left,
                 const std::int32_t* right, Index nodes, std::int32_t* depth) {
    std::fill(depth, depth + nodes, 0);
    for (Index i = 0; i < nodes; ++i)
        if (feature[i] >= 0) depth[left[i]] = depth[right[i]] = depth[i] + 1;
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "tree_leaves",
        [](Matrix<const T> X, Index, nb::list trees, Matrix<std::int32_t> out,
           int threads) { tree_leaves(trees, rows(X), out, threads); },
        as_is("X"), nb::arg("d"), nb::arg("trees"), as_is("out"), nb::arg("threads"));
    m.def(
        "tree_leaves_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Index d, nb::list trees, Matrix<std::int32_t> out, int threads) {
            tree_leaves(trees, rows(data, indices, indptr, d), out, threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("d"),
        nb::arg("trees"), as_is("out"), nb::arg("threads"));
    m.def(
        "tree_sums",
        [](Matrix<const T> X, Index, nb::list trees,
           Optional<Vector<const std::int32_t>> first, Matrix<double> out,
           int threads) {
            tree_sums(trees, data_or_null(first), rows(X), out, threads);
        },
        as_is("X"), nb::arg("d"), nb::arg("trees"), as_is("first").none(), as_is("out"),
        nb::arg("threads"));
    m.def(
        "tree_sums_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Index d, nb::list trees, Optional<Vector<const std::int32_t>> first,
           Matrix<double> out, int threads) {
            tree_sums(trees, data_or_null(first), rows(data, indices, indptr, d), out,
                      threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("d"),
        nb::arg("trees"), as_is("first").none(), as_is("out"), nb::arg("threads"));
    m.def(
        "out_of_bag_sums",
        [](Matrix<const T> X, Index, nb::list trees, Vector<const std::uint64_t> seeds,
           Index draws, Vector<const std::int32_t> order,
           Optional<Vector<const double>> cumulative, Matrix<double> out,
           Vector<std::int64_t> votes, int threads) {
            out_of_bag_sums(trees, rows(X), seeds.data(),
                            {draws, order.data(), data_or_null(cumulative)}, out,
                            votes.data(), threads);
        },
        as_is("X"), nb::arg("d"), nb::arg("trees"), as_is("seeds"), nb::arg("draws"),
        as_is("order"), as_is("cumulative").none(), as_is("out"), as_is("votes"),
        nb::arg("threads"));
    m.def(
        "out_of_bag_sums_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Index d, nb::list trees, Vector<const std::uint64_t> seeds, Index draws,
           Vector<const std::int32_t> order, Optional<Vector<const double>> cumulative,
           Matrix<double> out, Vector<std::int64_t> votes, int threads) {
            out_of_bag_sums(trees, rows(data, indices, indptr, d), seeds.data(),
                            {draws, order.data(), data_or_null(cumulative)}, out,
                            votes.data(), threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("d"),
        nb::arg("trees"), as_is("seeds"), nb::arg("draws"), as_is("order"),
        as_is("cumulative").none(), as_is("out"), as_is("votes"), nb::arg("threads"));
}

}  // namespace

void bind_tree_predict(nb::module_& m) {
    nb::class_<HeldTree>(m, "TreeNodes")
        .def(
            "__init__",
            [](HeldTree* self, nb::tuple arrays, nb::object value) {
                new (self) HeldTree(held_tree(arrays, value));
            },
            nb::arg("arrays"), nb::arg("value").none());
    m.def(
        "tree_depths",
        [](Vector<const std::int32_t> feature, Vector<const std::int32_t> left,
           Vector<const std::int32_t> right, Vector<std::int32_t> depths) {
            nb::gil_scoped_release free;
            tree_depths(feature.data(), left.data(), right.data(),
                        Index(feature.shape(0)), depths.data());
        },
        as_is("feature"), as_is("left"), as_is("right"), as_is("depths"));
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
