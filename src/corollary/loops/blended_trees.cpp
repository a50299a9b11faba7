// The sum of many trees over bin codes, without a walk from node to node.
//
// A tree of at most 256 leaves is a short programme over bytes: from the last node to the
// root, and for 32 rows at once,
//
//   leaf[node] = code[feature] <= bin ? leaf[left] : leaf[right]                     (1)
//
// where leaf[] of a leaf is its own number. The root's byte is the leaf of each row:
//
//   score_i = base + sum over trees of value[leaf_i]                                 (2)
//
// in the order of the trees, a few trees at a time. Larger trees are walked. Trees of
// several outputs take turns.
//
// Reference: Lucchese et al. (2015), QuickScorer, for another way without walks.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "common/arrays.hpp"
#include "common/bin_search.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Code = std::uint8_t;
using Bytes = Vec<Code>;
constexpr Index ROWS = 256;     // of a block
constexpr Index BLOCKS = 4096;  // rows of a thread's turn
constexpr Index MOST = 256;     // leaves of a programme
constexpr int TOGETHER = 4;     // trees whose values are added in one go

// One number for each row of a block; vectors of them do not cross cache lines.
template <class T>
struct alignas(64) Lane {
    T of[ROWS];
};

struct Nodes {
    const std::int32_t* feature;  // -1 at a leaf
    const Code* bin;
    const Code* missing_left;
    const std::int32_t *left, *right;  // counted from the root of the tree
    const double* value;
    const std::int32_t* set;    // row of `sets`, -1 where the split is by bin
    const std::uint32_t* sets;  // (sets, 8)
};

// One step of (1); slots 0..255 are leaves, the others nodes.
struct Step {
    std::int32_t feature;
    std::int32_t to, left, right;
    std::int32_t set;
    Code bin, missing;  // missing: the code that goes left although above bin, or bin
};

struct Programme {
    Index first, steps;  // in the list of all steps
    Index values;        // first of its leaves' values
    std::int32_t root;   // slot
};

class Forest {
    const Nodes& nodes_;

  public:
    Forest(const Nodes& nodes, const std::int32_t* starts, Index trees,
           const std::int32_t* bins, Index d)
        : nodes_(nodes), used(std::size_t(d), 0) {
        for (Index t = 0; t < trees; ++t) add(starts[t], starts[t + 1], bins);
    }

    std::vector<Programme> programmes;  // steps < 0: a tree that is walked
    std::vector<Step> steps;
    std::vector<double> values;
    std::vector<std::int32_t> roots;
    std::vector<Code> used;
    Index slots = MOST;

  private:
    void add(Index begin, Index end, const std::int32_t* bins) {
        const Index size = end - begin, leaves = (size + 1) / 2;
        roots.push_back(std::int32_t(begin));
        for (Index k = begin; k < end; ++k)
            if (nodes_.feature[k] >= 0) used[std::size_t(nodes_.feature[k])] = 1;
        Programme p{Index(steps.size()), leaves > MOST ? -1 : leaves - 1,
                    Index(values.size()), 0};
        if (p.steps >= 0) write(p, begin, end, bins);
        programmes.push_back(p);
    }

    // Children stand after their parents, so that backwards they come first.
    void write(Programme& p, Index begin, Index end, const std::int32_t* bins) {
        std::vector<std::int32_t> slot(std::size_t(end - begin));
        std::int32_t leaf = 0, inner = std::int32_t(MOST);
        for (Index k = end - 1; k >= begin; --k) {
            std::int32_t& own = slot[std::size_t(k - begin)];
            const std::int32_t f = nodes_.feature[k];
            if (f < 0) {
                own = leaf++;
                values.push_back(nodes_.value[k]);
                continue;
            }
            own = inner++;
            const Code missing = nodes_.missing_left[k] ? Code(bins[f]) : nodes_.bin[k];
            steps.push_back({f, own, slot[std::size_t(nodes_.left[k])],
                             slot[std::size_t(nodes_.right[k])], nodes_.set[k],
                             nodes_.bin[k], missing});
        }
        p.root = slot[0];
        slots = std::max<Index>(slots, inner);
    }
};

class Worker {
    const Nodes& nodes_;
    const Forest& forest_;
    const std::int32_t* bins_;
    std::vector<Lane<Code>> leaf_;  // (slots,)
    Lane<Code> root_[TOGETHER];     // leaves of whole trees
    std::vector<char> missing_;     // (d,) whether the block has missing values
    const double* value_[TOGETHER];
    int held_ = 0;  // trees whose leaves are known and whose values are not added

  public:
    std::vector<Lane<Code>> codes;   // (d,)
    std::vector<Lane<double>> sums;  // (outputs,)

    Worker(const Nodes& nodes, const Forest& forest, const std::int32_t* bins, Index d,
           Index outputs)
        : nodes_(nodes),
          forest_(forest),
          bins_(bins),
          leaf_(std::size_t(forest.slots)),
          missing_(std::size_t(d)),
          codes(std::size_t(d)),
          sums(std::size_t(outputs)) {
        for (Index k = 0; k < MOST; ++k)
            std::memset(leaf_[std::size_t(k)].of, int(k), ROWS);
    }

    void look_for_missing(Index rows) {
        for (std::size_t f = 0; f < missing_.size(); ++f) {
            const Code *x = codes[f].of, code = Code(bins_[f]);
            Code any = 0;
            for (Index i = 0; i < rows; ++i) any |= x[i] == code;
            missing_[f] = char(any);
        }
    }

    // Add the trees of output k to its sums (2).
    void add(Index k, Index rows) {
        const Index outputs = Index(sums.size());
        double* to = sums[std::size_t(k)].of;
        for (Index t = k; t < Index(forest_.programmes.size()); t += outputs) {
            const Programme& p = forest_.programmes[std::size_t(t)];
            if (p.steps < 0) {
                add_held(to);
                walk(forest_.roots[std::size_t(t)], rows, to);
                continue;
            }
            run(p, root_[held_].of);
            value_[held_++] = forest_.values.data() + p.values;
            if (held_ == TOGETHER) add_held(to);
        }
        add_held(to);
    }

  private:
    void run(const Programme& p, Code* root) {
        if (p.steps == 0) {
            std::memset(root, int(p.root), ROWS);
            return;
        }
        const Step* step = forest_.steps.data() + p.first;
        for (Index s = 0; s + 1 < p.steps; ++s)
            run(step[s], leaf_[std::size_t(step[s].to)].of);
        run(step[p.steps - 1], root);
    }

    void run(const Step& s, Code* to) const {  // (1)
        constexpr Index L = Index(sizeof(Bytes));
        const Code* x = codes[std::size_t(s.feature)].of;
        const Code *a = leaf_[std::size_t(s.left)].of,
                   *b = leaf_[std::size_t(s.right)].of;
        if (s.set >= 0) {
            const std::uint32_t* set = nodes_.sets + Index(s.set) * 8;
            for (Index i = 0; i < ROWS; ++i)
                to[i] = (set[x[i] / 32] >> (x[i] % 32)) & 1 ? a[i] : b[i];
            return;
        }
        const Bytes bin = splat(s.bin);
        if (s.missing == s.bin || !missing_[std::size_t(s.feature)]) {
            for (Index i = 0; i < ROWS; i += L)
                store(to + i, load(x + i) <= bin ? load(a + i) : load(b + i));
            return;
        }
        const Bytes missing = splat(s.missing);
        for (Index i = 0; i < ROWS; i += L) {
            const Bytes code = load(x + i);
            store(to + i,
                  (code <= bin) | (code == missing) ? load(a + i) : load(b + i));
        }
    }

    void add_held(double* __restrict to) {
        if (held_ == TOGETHER) {
            const auto [a, b, c, d] = std::to_array(value_);
            for (Index i = 0; i < ROWS; ++i)
                to[i] = to[i] + a[root_[0].of[i]] + b[root_[1].of[i]] +
                        c[root_[2].of[i]] + d[root_[3].of[i]];
        } else {
            for (int g = 0; g < held_; ++g)
                for (Index i = 0; i < ROWS; ++i) to[i] += value_[g][root_[g].of[i]];
        }
        held_ = 0;
    }

    void walk(Index root, Index rows, double* to) const {
        for (Index i = 0; i < rows; ++i) {
            Index k = root;
            while (nodes_.feature[k] >= 0)
                k = root + (goes_left(k, codes[std::size_t(nodes_.feature[k])].of[i])
                                ? nodes_.left[k]
                                : nodes_.right[k]);
            to[i] += nodes_.value[k];
        }
    }

    bool goes_left(Index k, Code code) const {
        if (nodes_.set[k] >= 0)
            return (nodes_.sets[Index(nodes_.set[k]) * 8 + code / 32] >> (code % 32)) &
                   1;
        return code <= nodes_.bin[k] ||
               (nodes_.missing_left[k] && code == bins_[nodes_.feature[k]]);
    }
};

template <class Fill>
void scores(const Nodes& nodes, const Forest& forest, const std::int32_t* bins, Index n,
            Index d, Index outputs, const double* base, double* out, int threads,
            const Fill& fill) {
    for_blocks(n, BLOCKS, threads, [&](int, Index begin, Index end) {
        Worker own(nodes, forest, bins, d, outputs);
        for (Index i0 = begin; i0 < end; i0 += ROWS) {
            const Index rows = std::min(ROWS, end - i0);
            fill(i0, rows, own.codes);
            own.look_for_missing(rows);
            for (Index k = 0; k < outputs; ++k) {
                std::fill_n(own.sums[std::size_t(k)].of, ROWS, base[k]);
                own.add(k, rows);
            }
            for (Index i = 0; i < rows; ++i)
                for (Index k = 0; k < outputs; ++k)
                    out[(i0 + i) * outputs + k] = own.sums[std::size_t(k)].of[i];
        }
    });
}

using Integers = Vector<const std::int32_t>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "tree_scores",
        [](nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X,
           Matrix<const double> edges, Integers bins, Integers starts, Integers feature,
           Vector<const Code> bin, Vector<const Code> missing_left, Integers left,
           Integers right, Vector<const double> value, Integers set,
           Matrix<const std::uint32_t> sets, Vector<const double> base,
           Matrix<double> out, int threads) {
            nb::gil_scoped_release free;
            const Nodes nodes{feature.data(), bin.data(),   missing_left.data(),
                              left.data(),    right.data(), value.data(),
                              set.data(),     sets.data()};
            const Index n = Index(X.shape(0)), d = Index(X.shape(1));
            const Forest forest(nodes, starts.data(), Index(starts.shape(0)) - 1,
                                bins.data(), d);
            std::vector<BinSearch> search;
            for (Index f = 0; f < d; ++f)
                search.emplace_back(edges.data() + f * BinSearch::EDGES, bins.data()[f],
                                    n);
            const T* x = X.data();
            const Index row_step = Index(X.stride(0)), column_step = Index(X.stride(1));
            auto fill = [&](Index i0, Index rows, std::vector<Lane<Code>>& codes) {
                for (Index f = 0; f < d; ++f) {
                    if (!forest.used[std::size_t(f)]) continue;
                    search[std::size_t(f)].codes(x + i0 * row_step + f * column_step,
                                                 row_step, rows,
                                                 codes[std::size_t(f)].of);
                }
            };
            scores(nodes, forest, bins.data(), n, d, Index(base.shape(0)), base.data(),
                   out.data(), threads, fill);
        },
        as_is("X"), as_is("edges"), as_is("bins"), as_is("starts"), as_is("feature"),
        as_is("bin"), as_is("missing_left"), as_is("left"), as_is("right"),
        as_is("value"), as_is("set"), as_is("sets"), as_is("base"), as_is("out"),
        nb::arg("threads"));
}

}  // namespace

void bind_blended_trees(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "coded_tree_scores",
        [](Matrix<const Code> columns, Integers bins, Integers starts, Integers feature,
           Vector<const Code> bin, Vector<const Code> missing_left, Integers left,
           Integers right, Vector<const double> value, Integers set,
           Matrix<const std::uint32_t> sets, Vector<const double> base,
           Matrix<double> out, int threads) {
            nb::gil_scoped_release free;
            const Nodes nodes{feature.data(), bin.data(),   missing_left.data(),
                              left.data(),    right.data(), value.data(),
                              set.data(),     sets.data()};
            const Index d = Index(columns.shape(0)), n = Index(columns.shape(1));
            const Forest forest(nodes, starts.data(), Index(starts.shape(0)) - 1,
                                bins.data(), d);
            auto fill = [&](Index i0, Index rows, std::vector<Lane<Code>>& codes) {
                for (Index f = 0; f < d; ++f)
                    if (forest.used[std::size_t(f)])
                        std::memcpy(codes[std::size_t(f)].of,
                                    columns.data() + f * n + i0, std::size_t(rows));
            };
            scores(nodes, forest, bins.data(), n, d, Index(base.shape(0)), base.data(),
                   out.data(), threads, fill);
        },
        as_is("columns"), as_is("bins"), as_is("starts"), as_is("feature"),
        as_is("bin"), as_is("missing_left"), as_is("left"), as_is("right"),
        as_is("value"), as_is("set"), as_is("sets"), as_is("base"), as_is("out"),
        nb::arg("threads"));
}

}  // namespace corollary
