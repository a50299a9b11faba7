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
// Threads own features: each builds, subtracts and searches the histograms of its own, and
// no sum is split between two. For the partition they own blocks of rows: each moves the
// entries of its own area, those of the left child forward, those of the right backward.
// All threads take the same decisions from the same published splits.
//
// References: Chen and Guestrin (2016); Ke et al. (2017); Shi et al. (2022).

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/arrays.hpp"
#include "common/splitmix.hpp"
#include "common/threads.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Code = std::uint8_t;
using Word = std::uint64_t;
constexpr int BINS = 256;      // cells of a feature's histogram
constexpr int GROUP = 16;      // features whose codes stand together in a row
constexpr int AHEAD = 16;      // entries that are fetched in advance
constexpr Index BLOCK = 2048;  // rows that a thread owns together
constexpr int NONE = -1;
constexpr Index FEW = 96;      // rows that are searched without a full histogram
constexpr int SPARSE = 2;      // the slot for those: all zero between two searches
constexpr int RESERVED = 3;    // slots of histograms that are not kept
constexpr double SMOOTH = 10;  // hessian added to a category before it is ordered

// -- forms of a cell -------------------------------------------------------------------
// What all forms share: what the integers stand for.
struct Scale {
    double gradient, hessian;     // real value of one unit
    int hessian_at, gradient_at;  // places of the fields; the count is at 0
};

struct PackedEntry {
    std::uint32_t row;
    std::int32_t g;
};

// One number: gradient | hessian | count. A constant hessian is the count itself.
template <bool CONSTANT>
struct Packed {
    using Cell = std::int64_t;
    using Entry = PackedEntry;
    Scale s;
    bool counted;
    Word hessian_mask, count_mask;

    explicit Packed(Scale s)
        : s(s),
          counted(CONSTANT || s.hessian_at > 0),
          hessian_mask((Word(1) << (s.gradient_at - s.hessian_at)) - 1),
          count_mask((Word(1) << (CONSTANT ? s.gradient_at : s.hessian_at)) - 1) {}

    Cell of(std::int32_t g) const {
        if constexpr (CONSTANT) return (Cell(g) << s.gradient_at) + 1;
        return (Cell(g >> 16) << s.gradient_at) + (Cell(g & 0xffff) << s.hessian_at) +
               Cell(counted);
    }
    Cell of(const Entry& e) const { return of(e.g); }
    static Entry entry(Index i, const std::int32_t* q, const std::int32_t*) {
        return {std::uint32_t(i), q[i]};
    }
    double gradient(Cell c) const { return double(c >> s.gradient_at) * s.gradient; }
    double hessian(Cell c) const {
        if constexpr (CONSTANT) return count(c) * s.hessian;
        return double(Cell((Word(c) >> s.hessian_at) & hessian_mask)) * s.hessian;
    }
    double count(Cell c) const { return double(Cell(Word(c) & count_mask)); }
};

struct WideCell {
    std::int64_t g = 0, h = 0;
    WideCell& operator+=(WideCell o) {
        g += o.g;
        h += o.h;
        return *this;
    }
    friend WideCell operator-(WideCell a, WideCell b) { return {a.g - b.g, a.h - b.h}; }
    friend WideCell operator+(WideCell a, WideCell b) { return {a.g + b.g, a.h + b.h}; }
    explicit operator bool() const { return h != 0; }  // it counts the rows
};

struct WideEntry {
    std::uint32_t row;
    std::int32_t g, h;
};

// Two numbers: gradient, and hessian | count.
struct Wide {
    using Cell = WideCell;
    using Entry = WideEntry;
    Scale s;
    static constexpr bool counted = true;
    Word count_mask;

    explicit Wide(Scale s) : s(s), count_mask((Word(1) << s.hessian_at) - 1) {}

    Cell of(const Entry& e) const {
        return {e.g, (std::int64_t(e.h) << s.hessian_at) + 1};
    }
    static Entry entry(Index i, const std::int32_t* g, const std::int32_t* h) {
        return {std::uint32_t(i), g[i], h[i]};
    }
    double gradient(Cell c) const { return double(c.g) * s.gradient; }
    double hessian(Cell c) const { return double(c.h >> s.hessian_at) * s.hessian; }
    double count(Cell c) const { return double(std::int64_t(Word(c.h) & count_mask)); }
};

// -- histograms (1) --------------------------------------------------------------------
template <class Cell, int... f>
[[gnu::always_inline]] inline void add(Cell* __restrict H, const Code* b, Cell value,
                                       std::integer_sequence<int, f...>) {
    Word low, high = 0;
    std::memcpy(&low, b, 8);
    if constexpr (sizeof...(f) > 8) std::memcpy(&high, b + 8, 8);
    ((H[f * BINS + Code((f < 8 ? low : high) >> (8 * (f & 7)))] += value), ...);
}

// The form is a copy and the arrays are apart: what a sum changes, nothing else reads.
template <int W, class Form>
void add_all(const Form form, const Code* __restrict codes,
             const std::int32_t* __restrict g, const std::int32_t* __restrict h,
             Index n, typename Form::Cell* __restrict H) {
    for (Index i = 0; i < n; ++i)
        add(H, codes + GROUP * i, form.of(Form::entry(i, g, h)),
            std::make_integer_sequence<int, W>());
}

template <int W, class Form>
void add_entries(const Form form, const Code* __restrict codes,
                 const typename Form::Entry* __restrict e, Index count,
                 typename Form::Cell* __restrict H) {
    for (Index r = 0; r < count; ++r) {
        __builtin_prefetch(codes + GROUP * Index(e[r + AHEAD].row));
        add(H, codes + GROUP * Index(e[r].row), form.of(e[r]),
            std::make_integer_sequence<int, W>());
    }
}

template <class Form>
struct Adders {
    using All = void (*)(Form, const Code*, const std::int32_t*, const std::int32_t*,
                         Index, typename Form::Cell*);
    using Entries = void (*)(Form, const Code*, const typename Form::Entry*, Index,
                             typename Form::Cell*);
    std::array<All, GROUP> all;
    std::array<Entries, GROUP> entries;

    template <int... w>
    explicit Adders(std::integer_sequence<int, w...>)
        : all{add_all<w + 1, Form>...}, entries{add_entries<w + 1, Form>...} {}
};

// -- what is asked for ---------------------------------------------------------------
struct Request {
    Index n, d;
    const Code* columns;             // (d, n)
    const Code* groups;              // (n_groups, n, GROUP)
    const std::int32_t* group_ends;  // (n_groups,) features before the end of each
    Index n_groups;
    const std::int32_t *g, *h;  // (n,), packed in g where the form is
    const std::int32_t* bins;   // (d,) that hold numbers; the next one is for missing
    const std::uint8_t* categorical;  // (d,)
    const std::int8_t* monotone;      // (d,) or null
    const Word* feature_sets;  // (d, words) which sets of features have it, or null
    Index words;
    Index max_leaves, max_depth;  // 0 = any
    double min_samples, min_hessian, l2, shrinkage;
    Index max_features;  // of a node, 0 = all
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
    double low, high, value;
    double strict;           // factor of the estimate of a child's count
    std::vector<Word> sets;  // of features that may still be used
    Split<Cell> best;
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

// -- search (3) --------------------------------------------------------------------
// The best split of one leaf by one feature after another.
template <class Form>
class Search {
    using Cell = typename Form::Cell;

  public:
    Search(const Form& form, const Request& request) : form_(form), r_(request) {}

    void begin(const Leaf<Cell>& leaf) {
        leaf_ = &leaf;
        best = {};
        G_ = form_.gradient(leaf.total);
        h_ = form_.hessian(leaf.total);
        parent_ = r_.monotone ? twice_loss(G_, h_ + r_.l2, leaf.value)
                              : -G_ * G_ / (h_ + r_.l2);
        least_h_ = r_.min_hessian;
        if (!form_.counted)
            least_h_ = std::max(least_h_,
                                h_ * r_.min_samples / double(leaf.rows) * leaf.strict);
        best.gain = 1e-12 * std::abs(parent_);
    }

    // H has rows in the bins present[0..count), rising; `bins` is that of missing values.
    void feature(int f, const Cell* H, const int* present, int count) {
        if (count < 2) return;
        const int bins = r_.bins[f];
        if (r_.categorical[f]) return categories(f, H, present, count);
        const bool seen = present[count - 1] == bins;
        const int numbers = count - int(seen);
        take(f, sum_up(H, present, numbers, Cell{}), false, seen);
        if (seen) take(f, sum_up(H, present, numbers, H[bins]), true, seen);
    }

    void feature(int f, const Cell* H) {
        int present[BINS], count = 0;
        for (int v = 0; v <= r_.bins[f]; ++v) {
            present[count] = v;
            count += bool(H[v]);
        }
        feature(f, H, present, count);
    }

    Split<Cell> best;

  private:
    static double twice_loss(double G, double h_l2, double v) {
        return (2 * G + h_l2 * v) * v;
    }

    // Note the sums up to each bin that leave enough rows on both sides; return how many.
    int sum_up(const Cell* H, const int* present, int count, Cell sum) {
        const double most = double(leaf_->rows) - r_.min_samples;
        int at = 0;
        for (int c = 0; c < count; ++c) {
            sum += H[present[c]];
            if (form_.counted) {
                const double rows = form_.count(sum);
                if (rows < r_.min_samples) continue;
                if (rows > most) break;
            }
            put(at++, present[c], sum);
        }
        return at;
    }

    void put(int at, int bin, Cell sum) {
        bin_[at] = bin;
        sum_[at] = sum;
        G_left_[at] = form_.gradient(sum);
        h_left_[at] = form_.hessian(sum);
        count_left_[at] = form_.counted ? form_.count(sum) : 0;
    }

    void categories(int f, const Cell* H, const int* present, int count) {
        const int bins = r_.bins[f];
        std::pair<double, int> order[BINS];
        for (int c = 0; c < count; ++c) {
            const Cell cell = H[present[c]];
            order[c] = {form_.gradient(cell) / (form_.hessian(cell) + SMOOTH),
                        present[c]};
        }
        std::sort(order, order + count);
        Cell sum{};
        for (int c = 0; c < count; ++c) {
            sum += H[order[c].second];
            put(c, c, sum);
        }
        const int before = best.feature;
        const double gain = best.gain;
        take(f, count, false, present[count - 1] == bins);
        if (best.feature == before && best.gain == gain) return;
        best.set = {};
        for (int c = 0; c <= best.bin; ++c)
            best.set[order[c].second / 32] |= 1u << (order[c].second % 32);
        best.missing_left = (best.set[bins / 32] >> (bins % 32)) & 1;
    }

    void take(int f, int count, bool missing_left, bool seen) {
        const double most = form_.counted ? double(leaf_->rows) : 1e300;
        const double least = form_.counted ? r_.min_samples : 0;
        const double G = G_, h = h_, l2 = r_.l2, least_h = least_h_, parent = parent_;
        if (r_.monotone) {
            for (int c = 0; c < count; ++c) gain_[c] = clipped_gain(f, c);
        } else {
            for (int c = 0; c < count; ++c) {
                const double a = h_left_[c] + l2, b = h - h_left_[c] + l2;
                const double x = G_left_[c], y = G - x;
                gain_[c] = (x * x * b + y * y * a) / (a * b) + parent;
            }
        }
        int at = NONE;
        for (int c = 0; c < count; ++c)
            if (gain_[c] > best.gain && h_left_[c] >= least_h &&
                h - h_left_[c] >= least_h && count_left_[c] >= least &&
                most - count_left_[c] >= least) {
                best.gain = gain_[c];
                at = c;
            }
        if (at == NONE) return;
        best.feature = f;
        best.bin = bin_[at];
        best.missing_left = missing_left;
        best.missing_seen = seen;
        best.left = sum_[at];
        best.set = {};
    }

    // (3) with the values of both children clipped, 0 where they are in the wrong order.
    double clipped_gain(int f, int c) const {
        const double a = h_left_[c] + r_.l2, b = h_ - h_left_[c] + r_.l2;
        if (!(a > 0) || !(b > 0)) return 0;
        const double x = G_left_[c], y = G_ - x;
        const double left = std::clamp(-x / a, leaf_->low, leaf_->high);
        const double right = std::clamp(-y / b, leaf_->low, leaf_->high);
        if (r_.monotone[f] * (right - left) < 0) return 0;
        const double h_l2 = h_ + r_.l2;
        return twice_loss(G_, h_l2, leaf_->value) - twice_loss(x, a, left) -
               twice_loss(y, b, right);
    }

    const Form& form_;
    const Request& r_;
    const Leaf<Cell>* leaf_ = nullptr;
    double G_ = 0, h_ = 0, parent_ = 0, least_h_ = 0;
    int bin_[BINS];
    Cell sum_[BINS];
    double G_left_[BINS], h_left_[BINS], count_left_[BINS], gain_[BINS];
};

// -- growth ----------------------------------------------------------------------------
template <class Form>
class Growth {
    using Cell = typename Form::Cell;
    using Entry = typename Form::Entry;

  public:
    Growth(const Form& form, const Request& request, Nodes nodes, Cell* histograms,
           Entry* first, Entry* second, double* scores, std::int32_t* leaf_of)
        : form_(form),
          r_(request),
          nodes_(nodes),
          H_(histograms),
          entries_{first, second},
          scores_(scores),
          leaf_of_(leaf_of) {}

    Index grow(int threads) {
        const Index blocks = (r_.n + BLOCK - 1) / BLOCK;
        threads = int(std::min<Index>({Index(threads), blocks, r_.n_groups}));
        Watch watch;
        auto work = [&](int worker, Barrier& barrier) {
            if (worker == 0) prepare(barrier.workers);
            barrier.wait();
            Worker(*this, worker, barrier, watch).work();
        };
        together(threads, work);
        watch.raise();
        return n_nodes_;
    }

  private:
    struct Worker;

    void prepare(int workers) {
        published_.assign(std::size_t(workers) * 2, {});
        segments_.assign(std::size_t(workers) * std::size_t(r_.max_leaves), {0, 0});
    }

    const Form& form_;
    const Request& r_;
    Nodes nodes_;
    Cell* H_;  // (slots, d, BINS)
    Entry* entries_[2];
    double* scores_;         // (n,) += value, or null
    std::int32_t* leaf_of_;  // (n,) node of each row, or null
    const Adders<Form> adders_{std::make_integer_sequence<int, GROUP>()};
    std::vector<Split<Cell>> published_;  // (workers, 2)
    Cell root_{};                         // sum of all rows
    std::vector<Segment> segments_;       // (leaves, workers) rows of a leaf by owner
    std::atomic<bool> stopped_ = false;
    Index n_nodes_ = 0;
};

template <class Form>
struct Growth<Form>::Worker {
    Growth& shared;
    const Request& r;
    const Form& form;
    const int worker;
    Barrier& barrier;
    Watch& watch;
    Search<Form> search;
    std::vector<Leaf<Cell>> leaves;
    std::vector<int> free_slots;
    std::vector<std::pair<double, int>> waiting;  // gains and minus numbers: a heap
    std::vector<std::pair<Word, int>> draws;
    std::vector<Code> allowed;
    Index nodes = 0;

    Worker(Growth& shared, int worker, Barrier& barrier, Watch& watch)
        : shared(shared),
          r(shared.r_),
          form(shared.form_),
          worker(worker),
          barrier(barrier),
          watch(watch),
          search(form, r),
          allowed(std::size_t(r.d), 1) {
        for (Index slot = r.slots - 1; slot >= RESERVED; --slot)
            free_slots.push_back(int(slot));
    }

    void work() {
        start();
        while (Index(leaves.size()) < r.max_leaves) {
            const int l = next_leaf();
            if (l == NONE || shared.stopped_.load(std::memory_order_relaxed)) break;
            if (worker == 0 && watch.stopped()) shared.stopped_ = true;
            split(l);
        }
        finish();
    }

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
        return shared.H_ + (Index(slot) * r.d + feature) * BINS;
    }

    Segment& segment(Index leaf, int owner) const {
        return shared.segments_[std::size_t(leaf * barrier.workers + owner)];
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
        Leaf<Cell> root{r.n,
                        {},
                        0,
                        0,
                        NONE,
                        take_slot(0),
                        -INFINITY,
                        INFINITY,
                        0,
                        1,
                        std::vector<Word>(std::size_t(r.words), ~Word(0)),
                        {}};
        own_groups([&](Index q, Index begin, Index end) {
            Cell* H = histogram(root.slot, begin);
            std::fill_n(H, (end - begin) * BINS, Cell{});
            shared.adders_.all[end - begin - 1](form, r.groups + q * r.n * GROUP, r.g,
                                                r.h, r.n, H);
        });
        if (worker == 0) shared.n_nodes_ = 1;
        for (Index v = 0; v < BINS && worker == 0; ++v)  // feature 0 is its own
            shared.root_ += histogram(root.slot, 0)[v];
        barrier.wait();
        root.total = shared.root_;
        root.value = value_of(root);
        leaves.push_back(root);
        nodes = 1;
        find_best(0, 0);
        barrier.wait();
        settle(0, 0);
    }

    double value_of(const Leaf<Cell>& leaf) const {  // (2)
        const double h = form.hessian(leaf.total) + r.l2;
        const double v = h > 0 ? -form.gradient(leaf.total) / h : 0;
        return std::clamp(v, leaf.low, leaf.high);
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

    // The features that a leaf may use: of sets that it has kept to, and drawn ones.
    bool narrowed(const Leaf<Cell>& leaf) {
        if (!r.feature_sets && !r.max_features) return false;
        draws.clear();
        const Word key = splitmix::finish(r.seed + Word(leaf.node) * splitmix::STEP);
        for (Index f = 0; f < r.d; ++f) {
            bool any = !r.feature_sets;
            for (Index w = 0; w < r.words && !any; ++w)
                any =
                    (r.feature_sets[f * r.words + w] & leaf.sets[std::size_t(w)]) != 0;
            allowed[std::size_t(f)] = any;
            if (any) draws.emplace_back(splitmix::finish(key + Word(f)), int(f));
        }
        if (r.max_features && Index(draws.size()) > r.max_features) {
            std::nth_element(draws.begin(), draws.begin() + r.max_features,
                             draws.end());
            for (auto one = draws.begin() + r.max_features; one != draws.end(); ++one)
                allowed[std::size_t(one->second)] = 0;
        }
        return true;
    }

    // Publish the best split of leaf number l by this worker's features.
    void find_best(int l, int place) {
        const Leaf<Cell>& leaf = leaves[std::size_t(l)];
        search.begin(leaf);
        if (may_split(leaf)) {
            const bool some = narrowed(leaf);
            own_groups([&](Index q, Index begin, Index end) {
                if (leaf.slot == SPARSE) return search_rows(l, q, begin, end, some);
                for (Index f = begin; f < end; ++f)
                    if (!some || allowed[std::size_t(f)])
                        search.feature(int(f), histogram(leaf.slot, f));
            });
        }
        shared.published_[std::size_t(worker * 2 + place)] = search.best;
    }

    // Search few rows by the bins that they fill, and leave the cells empty again.
    void search_rows(int l, Index q, Index begin, Index end, bool some) {
        const Index width = end - begin;
        Cell* H = histogram(SPARSE, begin);
        Word filled[GROUP][BINS / 64] = {};
        const Code* codes = r.groups + q * r.n * GROUP;
        for_entries(l, [&](const Entry& e) {
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
            for (int w = 0; w < BINS / 64; ++w)
                for (Word bits = filled[f][w]; bits; bits &= bits - 1)
                    present[count++] = 64 * w + std::countr_zero(bits);
            Cell* cells = H + f * BINS;
            if (!some || allowed[std::size_t(begin + f)])
                search.feature(int(begin + f), cells, present, count);
            for (int c = 0; c < count; ++c) cells[present[c]] = Cell{};
        }
    }

    template <class F>
    void for_entries(int l, F f) const {
        const Entry* entries = shared.entries_[leaves[std::size_t(l)].buffer];
        for (int u = 0; u < barrier.workers; ++u)
            for (Index i = segment(l, u).begin; i < segment(l, u).end; ++i)
                f(entries[i]);
    }

    bool may_split(const Leaf<Cell>& leaf) const {
        return double(leaf.rows) >= 2 * r.min_samples &&
               (r.max_depth == 0 || leaf.depth < r.max_depth);
    }

    // Take the best of the published splits of leaf number l; the first feature where
    // several are best.
    void settle(int l, int place) {
        Leaf<Cell>& leaf = leaves[std::size_t(l)];
        leaf.best = shared.published_[std::size_t(place)];
        for (int u = 1; u < barrier.workers; ++u) {
            const Split<Cell>& other = shared.published_[std::size_t(u * 2 + place)];
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

    // table[code] tells whether a row goes left.
    std::array<Code, BINS> table_of(const Split<Cell>& s) const {
        std::array<Code, BINS> table{};
        const int missing = r.bins[s.feature];
        for (int v = 0; v < BINS; ++v)
            table[std::size_t(v)] = r.categorical[s.feature]
                                        ? (s.set[std::size_t(v / 32)] >> (v % 32)) & 1
                                        : v <= s.bin && v != missing;
        if (!r.categorical[s.feature]) table[std::size_t(missing)] = s.missing_left;
        return table;
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

    Index partition(const Leaf<Cell>& parent, int into, Segment own) {
        const std::array<Code, BINS> left = table_of(parent.best);
        const Code* codes = r.columns + Index(parent.best.feature) * r.n;
        Entry* to = shared.entries_[into];
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
            const Entry* from = shared.entries_[parent.buffer];
            for (Index i = own.begin; i < own.end; ++i)
                move(from[i], left[codes[from[i].row]]);
        }
        return a;
    }

    // A child has too few rows: search again, or leave the leaf whole.
    void refuse(int l, Segment own) {
        Leaf<Cell>& leaf = leaves[std::size_t(l)];
        barrier.wait();  // all have counted
        segment(l, worker) = own;
        leaf.strict *= 2;
        if (leaf.slot == NONE || form.counted) {
            leaf.best = {};
            return give_back(leaf);
        }
        find_best(l, 0);
        barrier.wait();
        settle(l, 0);
    }

    void divide(int l, const Leaf<Cell>& parent, const Split<Cell>& best, int into,
                Index left_rows) {
        Leaf<Cell> left = parent, right = parent;
        left.rows = left_rows;
        right.rows = parent.rows - left_rows;
        left.total = best.left;
        right.total = parent.total - best.left;
        left.node = int(nodes++);
        right.node = int(nodes++);
        for (Leaf<Cell>* child : {&left, &right}) {
            child->depth = parent.depth + 1;
            child->buffer = into;
            child->slot = NONE;
            child->strict = 1;
            child->best = {};
            for (Index w = 0; w < r.words; ++w)
                child->sets[std::size_t(w)] &=
                    r.feature_sets[Index(best.feature) * r.words + w];
        }
        if (r.monotone) bound(left, right, best.feature);
        left.value = value_of(left);
        right.value = value_of(right);
        if (worker == 0) write_split(parent, best, left, right);
        leaves[std::size_t(l)] = left;
        leaves.push_back(right);
    }

    void bound(Leaf<Cell>& left, Leaf<Cell>& right, int feature) const {
        const int sign = r.monotone[feature];
        if (sign == 0) return;
        const double middle = (value_of(left) + value_of(right)) / 2;
        (sign > 0 ? left.high : left.low) = middle;
        (sign > 0 ? right.low : right.high) = middle;
    }

    void write_split(const Leaf<Cell>& parent, const Split<Cell>& best,
                     const Leaf<Cell>& left, const Leaf<Cell>& right) const {
        const Nodes& to = shared.nodes_;
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
        shared.n_nodes_ = nodes;
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
            if (small.slot == SPARSE) return take_away(q, width, smaller, b);
            const Cell* a = histogram(small.slot, begin);
            for (Index c = 0; c < width * BINS; ++c) b[c] = b[c] - a[c];
        });
    }

    void take_away(Index q, Index width, int l, Cell* H) const {
        const Code* codes = r.groups + q * r.n * GROUP;
        for_entries(l, [&](const Entry& e) {
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
            shared.adders_.entries[std::size_t(width - 1)](
                form, r.groups + q * r.n * GROUP, shared.entries_[buffer] + s.begin,
                s.end - s.begin, H);
        }
    }

    // Write the leaves, and move the scores of the own rows.
    void finish() {
        for (Index l = 0; l < Index(leaves.size()); ++l) {
            const Leaf<Cell>& leaf = leaves[std::size_t(l)];
            const double v = r.shrinkage * leaf.value;
            if (worker == 0) {
                shared.nodes_.feature[leaf.node] = NONE;
                shared.nodes_.value[leaf.node] = v;
                shared.nodes_.count[leaf.node] = std::int32_t(leaf.rows);
            }
            auto move = [&](Index i) {
                if (shared.scores_) shared.scores_[i] += v;
                if (shared.leaf_of_) shared.leaf_of_[i] = leaf.node;
            };
            if (leaf.buffer == NONE) {
                own_rows([&](Index begin, Index end) {
                    for (Index i = begin; i < end; ++i) move(i);
                });
                continue;
            }
            const Segment own = segment(l, worker);
            for (Index i = own.begin; i < own.end; ++i)
                move(shared.entries_[leaf.buffer][i].row);
        }
    }
};

template <class Form>
Index grow(const Form& form, const Request& request, Nodes nodes, std::int64_t* cells,
           std::int32_t* first, std::int32_t* second, double* scores,
           std::int32_t* leaf_of, int threads) {
    using Entry = typename Form::Entry;
    using Cell = typename Form::Cell;
    return Growth<Form>(form, request, nodes, reinterpret_cast<Cell*>(cells),
                        reinterpret_cast<Entry*>(first),
                        reinterpret_cast<Entry*>(second), scores, leaf_of)
        .grow(threads);
}

using Integers = Vector<const std::int32_t>;
using Limits = std::tuple<Index, Index, double, double, double, double, Index>;
using Fields = std::tuple<double, double, int, int>;

}  // namespace

void bind_histogram_tree(nb::module_& m) {
    m.def(
        "grow_tree",
        [](Matrix<const Code> columns,
           nb::ndarray<const Code, nb::ndim<3>, nb::c_contig, nb::device::cpu> groups,
           Integers group_ends, Integers g, Optional<Integers> h, bool constant,
           Fields fields, Integers bins, Vector<const std::uint8_t> categorical,
           Optional<Vector<const std::int8_t>> monotone,
           Optional<Matrix<const Word>> feature_sets, Limits limits, Word seed,
           Vector<std::int64_t> cells, Vector<std::int32_t> first,
           Vector<std::int32_t> second, Vector<std::int32_t> feature,
           Vector<std::uint8_t> bin, Vector<std::uint8_t> missing_left,
           Vector<std::int32_t> left, Vector<std::int32_t> right, Vector<double> value,
           Vector<std::int32_t> count, Matrix<std::uint32_t> sets,
           Optional<Vector<double>> scores, Optional<Vector<std::int32_t>> leaf_of,
           int threads) {
            const auto [max_leaves, max_depth, min_samples, min_hessian, l2, shrinkage,
                        max_features] = limits;
            const auto [unit_g, unit_h, hessian_at, gradient_at] = fields;
            const Index d = Index(columns.shape(0));
            const Index width = h ? 2 : 1;
            const Request request{Index(columns.shape(1)),
                                  d,
                                  columns.data(),
                                  groups.data(),
                                  group_ends.data(),
                                  Index(groups.shape(0)),
                                  g.data(),
                                  data_or_null(h),
                                  bins.data(),
                                  categorical.data(),
                                  data_or_null(monotone),
                                  data_or_null(feature_sets),
                                  feature_sets ? Index(feature_sets->shape(1)) : 0,
                                  max_leaves,
                                  max_depth,
                                  min_samples,
                                  min_hessian,
                                  l2,
                                  shrinkage,
                                  max_features,
                                  seed,
                                  Index(cells.shape(0)) / (d * BINS * width)};
            const Nodes nodes{feature.data(), bin.data(),   missing_left.data(),
                              left.data(),    right.data(), value.data(),
                              count.data(),   sets.data()};
            const Scale scale{unit_g, unit_h, hessian_at, gradient_at};
            auto run = [&](const auto& form) {
                return grow(form, request, nodes, cells.data(), first.data(),
                            second.data(), data_or_null(scores), data_or_null(leaf_of),
                            threads);
            };
            nb::gil_scoped_release free;
            if (h) return run(Wide(scale));
            return constant ? run(Packed<true>(scale)) : run(Packed<false>(scale));
        },
        as_is("columns"), as_is("groups"), as_is("group_ends"), as_is("g"),
        as_is("h").none(), nb::arg("constant"), nb::arg("fields"), as_is("bins"),
        as_is("categorical"), as_is("monotone").none(), as_is("feature_sets").none(),
        nb::arg("limits"), nb::arg("seed"), as_is("cells"), as_is("first"),
        as_is("second"), as_is("feature"), as_is("bin"), as_is("missing_left"),
        as_is("left"), as_is("right"), as_is("value"), as_is("count"), as_is("sets"),
        as_is("scores").none(), as_is("leaf_of").none(), nb::arg("threads"));
}

}  // namespace corollary
