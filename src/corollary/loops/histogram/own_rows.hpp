// What the threads that grow a tree share, and which rows and features each has.
//
// Threads own features: each builds, subtracts and searches the histograms of its own, and
// no sum is split between two. For the partition they own blocks of rows: each moves the
// entries of its own area, those of the left child forward, those of the right backward.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "common/threads.hpp"
#include "histogram/leaf.hpp"
#include "histogram/sums.hpp"

namespace corollary::histogram {

constexpr Index BLOCK = 2048;  // rows that a thread owns together

struct Request : Rules {
    Index n;
    const Code* columns;             // (d, n)
    const Code* groups;              // (n_groups, n, GROUP)
    const std::int32_t* group_ends;  // (n_groups,) features before the end of each
    Index n_groups;
    const std::int32_t *g, *h;    // (n,), packed in g where the form is
    Index max_leaves, max_depth;  // 0 = any
    double shrinkage;
    Word seed;
    Index slots;  // histograms that may be kept
};

struct Nodes {              // of the tree that is made
    std::int32_t* feature;  // -1 at a leaf
    std::uint8_t* bin;      // codes up to it go left
    std::uint8_t* missing_left;
    std::int32_t *left, *right;
    double* value;
    std::int32_t* count;
    std::uint32_t* sets;  // (nodes, 8) codes that go left, of a categorical split
};

struct Segment {
    Index begin, end;
};

inline Index chosen(bool condition, Index a, Index b) {  // without a branch
    Index mask = -Index(condition);
#if defined(__GNUC__)
    asm("" : "+r"(mask));
#endif
    return b ^ ((a ^ b) & mask);
}

template <class Form>
struct Shared {
    using Cell = typename Form::Cell;
    using Entry = typename Form::Entry;

    const Form& form;
    const Request& r;
    Nodes nodes;
    Cell* H;  // (slots, d, BINS)
    Entry* entries[2];
    double* scores;         // (n,) += value, or null
    std::int32_t* leaf_of;  // (n,) node of each row, or null
    const Adders<Form> adders{std::make_integer_sequence<int, GROUP>()};
    std::vector<Split<Cell>> published{};  // (workers, 2)
    Cell root{};                           // sum of all rows
    std::vector<Segment> segments{};       // (leaves, workers) rows of a leaf by owner
    std::atomic<bool> stopped = false;
    Index n_nodes = 0;

    void prepare(int workers) {
        published.assign(std::size_t(workers) * 2, {});
        segments.assign(std::size_t(workers) * std::size_t(r.max_leaves), {0, 0});
    }
};

// The rows and the features of one thread.
template <class Form>
struct OwnRows {
    using Cell = typename Form::Cell;
    using Entry = typename Form::Entry;

    Shared<Form>& shared;
    const Request& r;
    const Form& form;
    const int worker;
    Barrier& barrier;

    OwnRows(Shared<Form>& shared, int worker, Barrier& barrier)
        : shared(shared),
          r(shared.r),
          form(shared.form),
          worker(worker),
          barrier(barrier) {}

    // The rows that this worker owns, block after block.
    template <class F>
    void own_rows(F f) const {
        for (Index b = worker * BLOCK; b < r.n; b += barrier.workers * BLOCK)
            f(b, std::min(r.n, b + BLOCK));
    }

    template <class F>
    void own_groups(F f) const {
        for (Index q = worker; q < r.n_groups; q += barrier.workers)
            f(q, q ? r.group_ends[q - 1] : 0, r.group_ends[q]);
    }

    Cell* histogram(int slot, Index feature) const {
        return shared.H + (Index(slot) * r.d + feature) * BINS;
    }

    Segment& segment(Index leaf, int owner) const {
        return shared.segments[std::size_t(leaf * barrier.workers + owner)];
    }

    template <class F>
    void for_entries(int leaf, int buffer, F f) const {
        const Entry* entries = shared.entries[buffer];
        for (int u = 0; u < barrier.workers; ++u)
            for (Index i = segment(leaf, u).begin; i < segment(leaf, u).end; ++i)
                f(entries[i]);
    }

    Index partition(const Leaf<Cell>& parent, int into, Segment own) {
        const std::array<Code, BINS> left = table_of(r, parent.best);
        const Code* codes = r.columns + Index(parent.best.feature) * r.n;
        Entry* to = shared.entries[into];
        Index a = own.begin, b = own.end - 1;
        auto move = [&](const Entry& e, bool go) {
            to[chosen(go, a, b)] = e;
            a += go;
            b += Index(go) - 1;
        };
        if (parent.buffer == NONE) {
            own_rows([&](Index begin, Index end) {
                for (Index i = begin; i < end; ++i)
                    move(Form::entry(i, r.g, r.h), left[codes[i]]);
            });
        } else {
            const Entry* from = shared.entries[parent.buffer];
            for (Index i = own.begin; i < own.end; ++i)
                move(from[i], left[codes[from[i].row]]);
        }
        return a;
    }

    void take_away(Index q, Index width, int leaf, int buffer, Cell* H) const {
        const Code* codes = r.groups + q * r.n * GROUP;
        for_entries(leaf, buffer, [&](const Entry& e) {
            const Code* b = codes + GROUP * Index(e.row);
            const Cell value = form.of(e);
            for (Index f = 0; f < width; ++f)
                H[f * BINS + b[f]] = H[f * BINS + b[f]] - value;
        });
    }

    void sum_rows(Index q, Index width, int leaf, int buffer, Cell* H) const {
        std::fill_n(H, width * BINS, Cell{});
        for (int u = 0; u < barrier.workers; ++u) {
            const Segment s = segment(leaf, u);
            shared.adders.entries[std::size_t(width - 1)](
                form, r.groups + q * r.n * GROUP, shared.entries[buffer] + s.begin,
                s.end - s.begin, H);
        }
    }
};

}  // namespace corollary::histogram
