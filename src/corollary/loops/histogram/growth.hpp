// One regression tree, grown best first from histograms of integer gradients.
//
// A row has a gradient g and a hessian h of the loss, rounded to integers at one scale,
// and a bin code b_j for each feature j. For the rows I of a leaf and each bin v of j,
//
//   H_j(v) = sum_{i in I: b_ij = v} (g_i, h_i, 1)                                    (1)
//
// sums of integers, thus the same for any order of the rows. Of two children the smaller
// one is summed, the other is a difference: H_j(parent) - H_j(child). With G, h the sums
// of a set of rows in real numbers, its best value and the gain of a split are
//
//   v = -G / (h + l2)                                                                (2)
//   gain = G_L^2/(h_L + l2) + G_R^2/(h_R + l2) - G^2/(h + l2)                        (3)
//
// or with clipped values where a feature is monotone: gain = loss - loss_L - loss_R with
// loss = G v + (h + l2) v^2 / 2, times 2.
//
// A cell of (1) is one 64-bit number that holds the sums as bit fields (`Packed`), or two
// (`Wide`) where the fields would be too narrow. Where a packed cell has no room for
// counts of rows, a child's count is estimated by its share of h; a split whose true
// count is too small is searched again with a stricter estimate.
//
// Threads own features and blocks of rows (`own_rows.hpp`); all take the same decisions
// from the same published splits.
//
// References: Chen and Guestrin (2016); Ke et al. (2017); Shi et al. (2022).
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "common/threads.hpp"
#include "histogram/own_rows.hpp"
#include "histogram/search.hpp"

namespace corollary::histogram {

constexpr Index FEW = 96;    // rows that are searched without a full histogram
constexpr int SPARSE = 2;    // the slot for those: all zero between two searches
constexpr int RESERVED = 3;  // slots of histograms that are not kept

// One of the threads that grow a tree; all take the same decisions.
template <class Form>
struct Worker : OwnRows<Form> {
    using Base = OwnRows<Form>;
    using Base::for_entries, Base::partition, Base::sum_rows, Base::take_away;
    using Base::own_rows, Base::own_groups, Base::histogram, Base::segment;
    using Base::shared, Base::r, Base::form, Base::worker, Base::barrier;
    using typename Base::Cell, typename Base::Entry;

    Watch& watch;
    Search<Form> search;
    std::vector<Leaf<Cell>> leaves{};
    std::vector<int> free_slots{};
    std::vector<std::pair<double, int>> waiting{};  // gains and minus numbers: a heap
    Features features;
    Index nodes = 0;

    Worker(Shared<Form>& shared, int worker, Barrier& barrier, Watch& watch)
        : Base(shared, worker, barrier), watch(watch), search(form, r), features(r) {
        for (Index slot = r.slots - 1; slot >= RESERVED; --slot)
            free_slots.push_back(int(slot));
    }

    void work() {
        start();
        while (Index(leaves.size()) < r.max_leaves) {
            const int l = next_leaf();
            if (l == NONE || shared.stopped.load(std::memory_order_relaxed)) break;
            if (worker == 0 && watch.stopped()) shared.stopped = true;
            split(l);
        }
        finish();
    }

    void start() {
        Index before = 0, own = 0;
        for (Index b = 0; b * BLOCK < r.n; ++b) {
            const Index size = std::min(r.n, (b + 1) * BLOCK) - b * BLOCK;
            const int owner = int(b % barrier.workers);
            before += owner < worker ? size : 0;
            own += owner == worker ? size : 0;
        }
        segment(0, worker) = {before, before + own};
        Leaf<Cell> root{.rows = r.n,
                        .total = {},
                        .node = 0,
                        .depth = 0,
                        .buffer = NONE,
                        .slot = take_slot(0),
                        .sets = std::vector<Word>(std::size_t(r.words), ~Word(0)),
                        .key = splitmix::finish(r.seed)};
        own_groups([&](Index q, Index begin, Index end) {
            Cell* H = histogram(root.slot, begin);
            std::fill_n(H, (end - begin) * BINS, Cell{});
            shared.adders.all[end - begin - 1](form, r.groups + q * r.n * GROUP, r.g,
                                               r.h, r.n, H);
        });
        if (worker == 0) shared.n_nodes = 1;
        for (Index v = 0; v < BINS && worker == 0; ++v)  // feature 0 is its own
            shared.root += histogram(root.slot, 0)[v];
        barrier.wait();
        root.total = shared.root;
        root.value = value_of(form, r, root.total);
        leaves.push_back(root);
        nodes = 1;
        find_best(0, 0);
        barrier.wait();
        settle(0, 0);
    }

    int take_slot(int otherwise) {
        if (free_slots.empty()) return otherwise;
        const int slot = free_slots.back();
        free_slots.pop_back();
        return slot;
    }

    void keep_for_others(int slot) {
        if (slot >= RESERVED) free_slots.push_back(slot);
    }

    void give_back(Leaf<Cell>& leaf) {
        keep_for_others(leaf.slot);
        leaf.slot = NONE;
    }

    // Publish the best split of leaf number l by this worker's features.
    void find_best(int l, int place) {
        const Leaf<Cell>& leaf = leaves[std::size_t(l)];
        search.begin(leaf);
        if (may_split(leaf)) {
            features.narrow(leaf);
            own_groups([&](Index q, Index begin, Index end) {
                if (leaf.slot == SPARSE) return search_rows(l, q, begin, end);
                for (Index f = begin; f < end; ++f)
                    if (features.allow(f))
                        search.feature(int(f), histogram(leaf.slot, f));
            });
        }
        shared.published[std::size_t(worker * 2 + place)] = search.best;
    }

    // Search few rows by the bins that they fill, and leave the cells empty again.
    void search_rows(int l, Index q, Index begin, Index end) {
        const Index width = end - begin;
        Cell* H = histogram(SPARSE, begin);
        Word filled[GROUP][BINS / 64] = {};
        const Code* codes = r.groups + q * r.n * GROUP;
        for_entries(l, leaves[std::size_t(l)].buffer, [&](const Entry& e) {
            const Code* b = codes + GROUP * Index(e.row);
            const Cell value = form.of(e);
            for (Index f = 0; f < width; ++f) {
                H[f * BINS + b[f]] += value;
                filled[f][b[f] / 64] |= Word(1) << (b[f] % 64);
            }
        });
        int present[BINS];
        for (Index f = 0; f < width; ++f) {
            int count = 0;
            Cell* cells = H + f * BINS;
            for (int w = 0; w < BINS / 64; ++w)
                for (Word bits = filled[f][w]; bits; bits &= bits - 1) {
                    present[count] = 64 * w + std::countr_zero(bits);
                    count += bool(cells[present[count]]);
                }
            if (features.allow(begin + f))
                search.feature(int(begin + f), cells, present, count);
            for (int c = 0; c < count; ++c) cells[present[c]] = Cell{};
        }
    }

    bool may_split(const Leaf<Cell>& leaf) const {
        return double(leaf.rows) >= 2 * r.min_samples &&
               (r.max_depth == 0 || leaf.depth < r.max_depth);
    }

    // Take the best of the published splits of leaf number l; the first feature where
    // several are best.
    void settle(int l, int place) {
        Leaf<Cell>& leaf = leaves[std::size_t(l)];
        leaf.best = shared.published[std::size_t(place)];
        for (int u = 1; u < barrier.workers; ++u) {
            const Split<Cell>& other = shared.published[std::size_t(u * 2 + place)];
            if (other.feature == NONE) continue;
            if (leaf.best.feature == NONE || other.gain > leaf.best.gain ||
                (other.gain == leaf.best.gain && other.feature < leaf.best.feature))
                leaf.best = other;
        }
        if (leaf.best.feature == NONE || leaf.slot < RESERVED) give_back(leaf);
        if (leaf.best.feature == NONE) return;
        waiting.emplace_back(leaf.best.gain, -l);
        std::push_heap(waiting.begin(), waiting.end());
    }

    // The leaf of the largest gain, the first of several.
    int next_leaf() {
        if (waiting.empty()) return NONE;
        std::pop_heap(waiting.begin(), waiting.end());
        const int leaf = -waiting.back().second;
        waiting.pop_back();
        return leaf;
    }

    void split(int l) {
        Leaf<Cell> parent = leaves[std::size_t(l)];
        const Split<Cell> best = parent.best;
        const int into = parent.buffer == 0 ? 1 : 0;
        const Index right_leaf = Index(leaves.size());
        const Segment own = segment(l, worker);
        const Index middle = partition(parent, into, own);
        segment(l, worker) = {own.begin, middle};
        segment(right_leaf, worker) = {middle, own.end};
        barrier.wait();
        Index left_rows = 0;
        for (int u = 0; u < barrier.workers; ++u)
            left_rows += segment(l, u).end - segment(l, u).begin;
        if (double(std::min(left_rows, parent.rows - left_rows)) < r.min_samples)
            return refuse(l, own);
        divide(l, parent, best, into, left_rows);
        if (Index(leaves.size()) == r.max_leaves) return;
        search_children(l, int(right_leaf), parent.slot);
    }

    // A child has too few rows: search again with a stricter estimate.
    void refuse(int l, Segment own) {
        barrier.wait();  // all have counted
        segment(l, worker) = own;
        barrier.wait();
        Leaf<Cell>& leaf = leaves[std::size_t(l)];
        leaf.strict *= 2;
        if (leaf.slot == NONE) sum_again(l);
        find_best(l, 0);
        barrier.wait();
        settle(l, 0);
    }

    // The histograms of a leaf, which were not kept.
    void sum_again(int l) {
        Leaf<Cell>& leaf = leaves[std::size_t(l)];
        leaf.slot = leaf.rows <= FEW ? SPARSE : 0;
        if (leaf.slot == SPARSE) return;
        own_groups([&](Index q, Index begin, Index end) {
            sum_rows(q, end - begin, l, leaf.buffer, histogram(leaf.slot, begin));
        });
    }

    void divide(int l, const Leaf<Cell>& parent, const Split<Cell>& best, int into,
                Index left_rows) {
        auto [left, right] = halves(form, r, parent);
        left.rows = left_rows;
        right.rows = parent.rows - left_rows;
        left.node = int(nodes++);
        right.node = int(nodes++);
        for (Leaf<Cell>* child : {&left, &right}) {
            child->buffer = into;
            child->slot = NONE;
        }
        if (worker == 0) write_split(parent, best, left, right);
        leaves[std::size_t(l)] = left;
        leaves.push_back(right);
    }

    void write_split(const Leaf<Cell>& parent, const Split<Cell>& best,
                     const Leaf<Cell>& left, const Leaf<Cell>& right) const {
        const Nodes& to = shared.nodes;
        const int at = parent.node;
        to.feature[at] = best.feature;
        to.bin[at] = Code(r.categorical[best.feature] ? 0 : best.bin);
        const bool missing_left =
            best.missing_seen ? best.missing_left : left.rows > right.rows;
        to.missing_left[at] = missing_left;
        to.left[at] = left.node;
        to.right[at] = right.node;
        to.value[at] = r.shrinkage * parent.value;
        to.count[at] = std::int32_t(parent.rows);
        shared.n_nodes = nodes;
        if (!r.categorical[best.feature]) return;
        std::uint32_t* set = to.sets + at * 8;
        std::copy(best.set.begin(), best.set.end(), set);
        const int missing = r.bins[best.feature];
        if (missing_left) set[missing / 32] |= 1u << (missing % 32);
    }

    // Sum the smaller child; the larger is what it leaves of the parent. Few rows are
    // taken from the parent one by one.
    void search_children(int l, int right_leaf, int parent_slot) {
        const bool left_smaller =
            leaves[std::size_t(l)].rows <= leaves[std::size_t(right_leaf)].rows;
        const int smaller = left_smaller ? l : right_leaf;
        const int larger = left_smaller ? right_leaf : l;
        Leaf<Cell>&small = leaves[std::size_t(smaller)],
        &large = leaves[std::size_t(larger)];
        if (!may_split(large)) return keep_for_others(parent_slot);
        small.slot = !may_split(small) || small.rows <= FEW ? SPARSE : take_slot(0);
        large.slot = large.rows <= FEW     ? SPARSE
                     : parent_slot == NONE ? take_slot(1)
                                           : parent_slot;
        if (large.slot == SPARSE) keep_for_others(parent_slot);
        if (large.slot != SPARSE) sum_children(smaller, larger, parent_slot != NONE);
        find_best(l, 0);
        find_best(right_leaf, 1);
        barrier.wait();  // and the next split waits again before it publishes
        settle(l, 0);
        settle(right_leaf, 1);
    }

    void sum_children(int smaller, int larger, bool from_parent) {
        const Leaf<Cell>&small = leaves[std::size_t(smaller)],
              &large = leaves[std::size_t(larger)];
        own_groups([&](Index q, Index begin, Index end) {
            const Index width = end - begin;
            Cell* b = histogram(large.slot, begin);
            if (small.slot != SPARSE)
                sum_rows(q, width, smaller, small.buffer, histogram(small.slot, begin));
            if (!from_parent) return sum_rows(q, width, larger, large.buffer, b);
            if (small.slot == SPARSE)
                return take_away(q, width, smaller, small.buffer, b);
            const Cell* a = histogram(small.slot, begin);
            for (Index c = 0; c < width * BINS; ++c) b[c] = b[c] - a[c];
        });
    }

    // Write the leaves, and move the scores of the own rows.
    void finish() {
        for (Index l = 0; l < Index(leaves.size()); ++l) {
            const Leaf<Cell>& leaf = leaves[std::size_t(l)];
            const double v = r.shrinkage * leaf.value;
            if (worker == 0) {
                shared.nodes.feature[leaf.node] = NONE;
                shared.nodes.bin[leaf.node] = shared.nodes.missing_left[leaf.node] = 0;
                shared.nodes.left[leaf.node] = shared.nodes.right[leaf.node] = 0;
                shared.nodes.value[leaf.node] = v;
                shared.nodes.count[leaf.node] = std::int32_t(leaf.rows);
            }
            auto move = [&](Index i) {
                if (shared.scores) shared.scores[i] += v;
                if (shared.leaf_of) shared.leaf_of[i] = leaf.node;
            };
            if (leaf.buffer == NONE) {
                own_rows([&](Index begin, Index end) {
                    for (Index i = begin; i < end; ++i) move(i);
                });
                continue;
            }
            const Segment own = segment(l, worker);
            for (Index i = own.begin; i < own.end; ++i)
                move(shared.entries[leaf.buffer][i].row);
        }
    }
};

template <class Form>
Index grow(const Form& form, const Request& r, Nodes nodes, std::int64_t* cells,
           std::int32_t* first, std::int32_t* second, double* scores,
           std::int32_t* leaf_of, int threads) {
    using Entry = typename Form::Entry;
    using Cell = typename Form::Cell;
    Shared<Form> shared{
        form,
        r,
        nodes,
        reinterpret_cast<Cell*>(cells),
        {reinterpret_cast<Entry*>(first), reinterpret_cast<Entry*>(second)},
        scores,
        leaf_of};
    const Index blocks = (r.n + BLOCK - 1) / BLOCK;
    threads = int(std::min<Index>({Index(threads), blocks, r.n_groups}));
    Watch watch;
    auto work = [&](int worker, Barrier& barrier) {
        if (worker == 0) shared.prepare(barrier.workers);
        barrier.wait();
        Worker<Form>(shared, worker, barrier, watch).work();
    };
    together(threads, work);
    watch.raise();
    return shared.n_nodes;
}

}  // namespace corollary::histogram
