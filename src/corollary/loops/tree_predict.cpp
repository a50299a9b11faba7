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

// Call take(row, tree, leaves, rows) for every block of rows and every tree.
template <class Rows, class Take>
void through(const std::vector<TreeView>& trees, const Rows& X, int threads,
             Take take) {
    using T = typename Rows::Scalar;
    std::vector<PackedTree> nodes(trees.size());
    Index size = 0;
    for (const TreeView& tree : trees) size += tree.nodes;
    const bool pack = X.n > FEW && X.n * STEPS * Index(trees.size()) > size;
    if (pack)
        for (std::size_t t = 0; t < trees.size(); ++t) nodes[t] = packed(trees[t]);
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
                leaves_of(trees[t], nodes[t], x, X.d, end - begin, leaves);
            else
                for (Index i = 0; i < end - begin; ++i)
                    leaves[i] = leaf_of(trees[t], x + i * X.d);
            take(begin, Index(t), leaves, end - begin);
        }
        clear_block(X, begin, end, scratch[worker].data());
    });
}

template <class Rows>
void tree_leaves(const nb::list& trees, const Rows& X, Matrix<std::int32_t>& out,
                 int threads) {
    const std::vector<TreeView> views = tree_views(trees);
    std::int32_t* leaf = out.data();
    const Index T = Index(views.size());
    nb::gil_scoped_release free;
    through(views, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                for (Index i = 0; i < rows; ++i) leaf[(row + i) * T + t] = leaves[i];
            });
}

// out += sum over trees of values[t][leaf], (n, k).
template <class Rows>
void tree_sums(const nb::list& trees, const nb::list& values, const Rows& X,
               Matrix<double>& out, int threads) {
    const std::vector<TreeView> views = tree_views(trees);
    std::vector<const double*> value;
    value.reserve(views.size());
    for (nb::handle each : values)
        value.push_back(nb::cast<Matrix<const double>>(each).data());
    const Index k = Index(out.shape(1));
    double* sum = out.data();
    nb::gil_scoped_release free;
    through(views, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                for (Index i = 0; i < rows; ++i) {
                    double* __restrict s = sum + (row + i) * k;
                    const double* __restrict v = value[t] + leaves[i] * k;
                    for (Index c = 0; c < k; ++c) s[c] += v[c];
                }
            });
}

// The same over the trees whose bootstrap sample a row is not in; votes counts them.
template <class Rows>
void out_of_bag_sums(const nb::list& trees, const nb::list& values, const Rows& X,
                     const std::uint64_t* seeds, const cart::Bag& bag,
                     Matrix<double>& out, std::int64_t* votes, int threads) {
    const std::vector<TreeView> views = tree_views(trees);
    std::vector<const double*> value;
    value.reserve(views.size());
    for (nb::handle each : values)
        value.push_back(nb::cast<Matrix<const double>>(each).data());
    const Index k = Index(out.shape(1)), T = Index(views.size());
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
    through(views, X, threads,
            [&](Index row, Index t, const std::int32_t* leaves, Index rows) {
                for (Index i = 0; i < rows; ++i) {
                    if (inside[t][row + i]) continue;
                    ++votes[row + i];
                    const double* v = value[t] + leaves[i] * k;
                    for (Index c = 0; c < k; ++c) sum[(row + i) * k + c] += v[c];
                }
            });
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
        [](Matrix<const T> X, Index, nb::list trees, nb::list values,
           Matrix<double> out,
           int threads) { tree_sums(trees, values, rows(X), out, threads); },
        as_is("X"), nb::arg("d"), nb::arg("trees"), nb::arg("values"), as_is("out"),
        nb::arg("threads"));
    m.def(
        "tree_sums_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Index d, nb::list trees, nb::list values, Matrix<double> out, int threads) {
            tree_sums(trees, values, rows(data, indices, indptr, d), out, threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("d"),
        nb::arg("trees"), nb::arg("values"), as_is("out"), nb::arg("threads"));
    m.def(
        "out_of_bag_sums",
        [](Matrix<const T> X, Index, nb::list trees, nb::list values,
           Vector<const std::uint64_t> seeds, Index draws,
           Vector<const std::int32_t> order, Optional<Vector<const double>> cumulative,
           Matrix<double> out, Vector<std::int64_t> votes, int threads) {
            out_of_bag_sums(trees, values, rows(X), seeds.data(),
                            {draws, order.data(), data_or_null(cumulative)}, out,
                            votes.data(), threads);
        },
        as_is("X"), nb::arg("d"), nb::arg("trees"), nb::arg("values"), as_is("seeds"),
        nb::arg("draws"), as_is("order"), as_is("cumulative").none(), as_is("out"),
        as_is("votes"), nb::arg("threads"));
    m.def(
        "out_of_bag_sums_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Index d, nb::list trees, nb::list values, Vector<const std::uint64_t> seeds,
           Index draws, Vector<const std::int32_t> order,
           Optional<Vector<const double>> cumulative, Matrix<double> out,
           Vector<std::int64_t> votes, int threads) {
            out_of_bag_sums(trees, values, rows(data, indices, indptr, d), seeds.data(),
                            {draws, order.data(), data_or_null(cumulative)}, out,
                            votes.data(), threads);
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("d"),
        nb::arg("trees"), nb::arg("values"), as_is("seeds"), nb::arg("draws"),
        as_is("order"), as_is("cumulative").none(), as_is("out"), as_is("votes"),
        nb::arg("threads"));
}

}  // namespace

void bind_tree_predict(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
