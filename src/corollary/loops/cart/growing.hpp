// Growing one tree: depth first, or best first where the number of leaves is bounded.
//
// A node's draws depend on the tree's key and the node's place in the tree, so neither the
// order of growing nor the threads matter. Large nodes share their features out among the
// threads; the subtrees below them are grown one by one, each by one thread.
#pragma once

#include <cmath>
#include <queue>

#include "cart/splitting.hpp"
#include "common/threads.hpp"

namespace corollary::cart {

constexpr int COARSE = 20;  // bits of a number near the mean

// Work that has to be done to a node, of rows begin..end.
struct Task {
    Index begin, end, depth;
    Word key;
    double lower, upper;
    NodeSums sums;
    std::int32_t parent;  // -1 = the root
    bool left;
};

// Ctrl-C: whoever hears of it first lets all others end.
struct Stop {
    std::atomic<bool> asked = false;
    std::vector<Watch> watches;

    explicit Stop(int threads) : watches(threads) {}
    // A look at the clock is worth it once in a while.
    bool ask(int worker, bool look = true) {
        if (look && !asked.load(std::memory_order_relaxed) && watches[worker].stopped())
            asked = true;
        return asked.load(std::memory_order_relaxed);
    }
    void raise() const {
        for (const Watch& watch : watches) watch.raise();
    }
};

// The features in the order in which a node looks at them: their own, or drawn by a key,
// as many as are asked for. `order` is 0, 1, 2, ... before and after.
class FeatureOrder {
  public:
    FeatureOrder(std::vector<std::int32_t>& all, Index count, bool drawn, Word key)
        : order(all), d(count), random(drawn), draws{key} {
        if (random && Index(order.size()) != d) {
            order.resize(d);
            std::iota(order.begin(), order.end(), 0);
        }
    }
    ~FeatureOrder() {
        for (Index v = Index(swaps.size()) - 1; v >= 0; --v)
            std::swap(order[v], order[swaps[v]]);
    }
    // The feature at place v, after those before it.
    Index next(Index v) {
        if (!random) return v;
        if (v >= Index(swaps.size())) {
            swaps.push_back(v + draws.below(d - v));
            std::swap(order[v], order[swaps.back()]);
        }
        return order[v];
    }
    std::vector<Index> first(Index count) {
        std::vector<Index> features(count);
        for (Index v = 0; v < count; ++v) features[v] = next(v);
        return features;
    }

  private:
    std::vector<std::int32_t>& order;
    Index d;
    bool random;
    Draws draws;
    std::vector<Index> swaps;
};

class Grower {
  public:
    // Rows of weight 0 are left out; `weight` null stands for ones.
    Grower(const Columns& columns, const Guide* values, const Targets& targets,
           const Rules& given, const double* weight, std::vector<Scratch>& scratch,
           int base, Stop& stopper)
        : X(columns),
          guide(values),
          target(targets),
          rules(given),
          w(weight),
          scratches(scratch),
          first(base),
          stop(stopper) {
        offset.assign(target.m, 0);
        if (target.labels())
            for (Index o = 1; o < target.m; ++o)
                offset[o] = offset[o - 1] + target.classes[o - 1];
        sums_size =
            target.labels() ? offset.back() + target.classes[target.m - 1] : target.m;
        rows.reserve(X.n);
        for (Index i = 0; i < X.n; ++i)
            if (w == nullptr || w[i] > 0) rows.push_back(Row(i));
    }

    Grown grow(Word key, int threads) {
        Task root{0, Index(rows.size()), 0, key, -INFINITE, INFINITE, {}, -1, true};
        root.sums = sums(0, root.end, -INFINITE, INFINITE, first);
        min_weight = rules.min_weight * root.sums.weight;
        all_weight = root.sums.weight;
        if (rules.max_leaves > 0) return best_first(std::move(root), threads);
        const Index small = std::max<Index>(root.end / (4 * threads), 2048);
        if (threads <= 1 || root.end <= small) {
            Grown grown;
            depth_first(std::move(root), grown, first, 1, 0, nullptr);
            return grown;
        }
        return in_parallel(std::move(root), threads, small);
    }

  private:
    const Columns& X;
    const Guide* guide;
    const Targets& target;
    const Rules& rules;
    const double* w;
    std::vector<Scratch>& scratches;
    int first;  // the scratch of the caller's thread
    Stop& stop;
    std::vector<Row> rows;
    std::vector<std::int64_t> offset;  // (m,) where an output's sums begin
    Index sums_size;
    double min_weight = 0, all_weight = 0;

    struct Children {
        Index middle;
        Split split;
        Task left, right;
        double decrease;
    };

    // -- orders of growing -----------------------------------------------------------
    void depth_first(Task root, Grown& grown, int worker, int threads, Index small,
                     std::vector<Task>* later) {
        std::vector<Task> stack;
        stack.push_back(std::move(root));
        Children children;
        while (!stack.empty()) {
            Task task = std::move(stack.back());
            stack.pop_back();
            const std::int32_t at = place(task, grown);
            if (later != nullptr && task.end - task.begin <= small) {
                task.parent = at;
                later->push_back(std::move(task));
                continue;
            }
            if (!split(task, children, worker, threads)) continue;
            grown.split(at, children.split, X.words);
            children.left.parent = children.right.parent = at;
            stack.push_back(std::move(children.right));
            stack.push_back(std::move(children.left));
        }
    }

    // Large nodes first, then the subtrees below them; the numbers of the nodes are
    // those of growing depth first.
    Grown in_parallel(Task root, int threads, Index small) {
        Grown top;
        std::vector<Task> later;
        depth_first(std::move(root), top, first, threads, small, &later);
        std::vector<std::size_t> order(later.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return later[a].end - later[a].begin > later[b].end - later[b].begin;
        });
        std::vector<Grown> below(later.size());
        std::vector<std::int32_t> subtree(top.nodes.size(), -1);
        for (std::size_t t = 0; t < later.size(); ++t)
            subtree[later[t].parent] = int(t);
        for_blocks(Index(order.size()), 1, threads, [&](int worker, Index b, Index e) {
            for (; b < e; ++b) {
                Task task = std::move(later[order[b]]);
                task.parent = -1;
                depth_first(std::move(task), below[order[b]], worker, 1, 0, nullptr);
            }
        });
        Grown all;
        append(top, 0, subtree, below, all);
        return all;
    }

    // Copy node `at` and what is below it.
    void append(const Grown& top, std::int32_t root,
                const std::vector<std::int32_t>& sub, const std::vector<Grown>& below,
                Grown& all) const {
        const Index width = target.m * target.most_classes;
        struct Copy {
            std::int32_t at, parent;
            bool left;
        };
        std::vector<Copy> stack{{root, -1, true}};
        while (!stack.empty()) {
            const Copy next = stack.back();
            stack.pop_back();
            const auto at = std::int32_t(all.nodes.size());
            if (next.parent >= 0) {
                GrownNode& parent = all.nodes[next.parent];
                (next.left ? parent.left : parent.right) = at;
            }
            if (sub[next.at] >= 0) {
                join(below[sub[next.at]], all);
                continue;
            }
            GrownNode node = top.nodes[next.at];
            const double* value = top.values.data() + next.at * width;
            all.values.insert(all.values.end(), value, value + width);
            if (node.set >= 0) node.set = copy_set(top, node.set, all);
            all.nodes.push_back(node);
            if (node.feature < 0) continue;
            stack.push_back({node.right, at, false});
            stack.push_back({node.left, at, true});
        }
    }

    void join(const Grown& part, Grown& all) const {
        const auto shift = std::int32_t(all.nodes.size());
        const auto sets = std::int32_t(X.words ? all.sets.size() / X.words : 0);
        for (GrownNode node : part.nodes) {
            if (node.feature >= 0) {
                node.left += shift;
                node.right += shift;
            }
            if (node.set >= 0) node.set += sets;
            all.nodes.push_back(node);
        }
        all.values.insert(all.values.end(), part.values.begin(), part.values.end());
        all.sets.insert(all.sets.end(), part.sets.begin(), part.sets.end());
    }

    std::int32_t copy_set(const Grown& from, std::int32_t set, Grown& to) const {
        const auto at = std::int32_t(to.sets.size() / X.words);
        const std::uint32_t* bits = from.sets.data() + set * X.words;
        to.sets.insert(to.sets.end(), bits, bits + X.words);
        return at;
    }

    // The node whose split gains most is split next.
    Grown best_first(Task root, int threads) {
        struct Waiting {
            double decrease;
            std::int32_t at;
            std::size_t children;
            bool operator<(const Waiting& other) const {
                return decrease != other.decrease ? decrease < other.decrease
                                                  : at > other.at;
            }
        };
        Grown grown;
        std::vector<Children> found;
        std::priority_queue<Waiting> queue;
        const auto add = [&](Task task) {
            const std::int32_t at = place(task, grown);
            Children children;
            if (!split(task, children, first, threads)) return;
            queue.push({children.decrease, at, found.size()});
            found.push_back(std::move(children));
        };
        add(std::move(root));
        for (Index leaves = 1; leaves < rules.max_leaves && !queue.empty(); ++leaves) {
            const Waiting best = queue.top();
            queue.pop();
            Children children = std::move(found[best.children]);
            grown.split(best.at, children.split, X.words);
            children.left.parent = children.right.parent = best.at;
            add(std::move(children.left));
            add(std::move(children.right));
        }
        return grown;
    }

    std::int32_t place(const Task& task, Grown& grown) const {
        const std::int32_t at = grown.add(task.sums, task.end - task.begin);
        if (task.parent >= 0) {
            GrownNode& parent = grown.nodes[task.parent];
            (task.left ? parent.left : parent.right) = at;
        }
        return at;
    }

    // -- one node --------------------------------------------------------------------
    bool split(const Task& task, Children& out, int worker, int threads) {
        const Index n = task.end - task.begin;
        const double count = double(n);
        if (task.depth >= rules.max_depth || count < rules.min_split ||
            count < 2 * rules.min_leaf || task.sums.weight < 2 * min_weight ||
            task.sums.pure || stop.ask(worker, n >= 1024 || (task.key & 63) == 0))
            return false;
        Local& local = scratches[worker].local;
        gather(task, local);
        out.split = Split{};
        const Question question{X,
                                rules,
                                local,
                                rows.data() + task.begin,
                                rules.min_leaf,
                                min_weight,
                                task.lower,
                                task.upper,
                                rounding(task.sums),
                                task.key,
                                guide};
        find(question, out.split, worker, threads);
        if (out.split.feature < 0) return false;
        const Index middle = partition(task, out.split, scratches[worker]);
        if (middle == task.begin || middle == task.end) return false;
        bear(task, middle, out, worker);
        return rules.min_decrease <= 0 || out.decrease + EPSILON >= rules.min_decrease;
    }

    // How far rounding may move a gain.
    double rounding(const NodeSums& s) const {
        constexpr double share = 1e-13;
        return share * s.weight * (target.labels() ? 1.0 : s.impurity);
    }

    // The two children, and the decrease of impurity that they bring.
    void bear(const Task& task, Index middle, Children& out, int worker) {
        double lower[2] = {task.lower, task.lower}, upper[2] = {task.upper, task.upper};
        const int sign = X.monotonic ? X.monotonic[out.split.feature] : 0;
        if (sign != 0) {
            upper[sign > 0 ? 0 : 1] = out.split.middle;
            lower[sign > 0 ? 1 : 0] = out.split.middle;
        }
        out.left = {task.begin,
                    middle,
                    task.depth + 1,
                    child_key(task.key, true),
                    lower[0],
                    upper[0],
                    {},
                    -1,
                    true};
        out.right = {middle,
                     task.end,
                     task.depth + 1,
                     child_key(task.key, false),
                     lower[1],
                     upper[1],
                     {},
                     -1,
                     false};
        out.left.sums = sums(task.begin, middle, lower[0], upper[0], worker);
        out.right.sums = sums(middle, task.end, lower[1], upper[1], worker);
        const NodeSums &l = out.left.sums, &r = out.right.sums;
        const double wl = l.weight / task.sums.weight, wr = r.weight / task.sums.weight;
        out.decrease = task.sums.weight / all_weight *
                       (task.sums.impurity - wl * l.impurity - wr * r.impurity);
    }

    void find(const Question& q, Split& best, int worker, int threads) {
        const bool weighted = w != nullptr;
        const bool two = target.labels() && target.m == 1 && target.classes[0] == 2;
        const auto by = [&]<class Criterion>() {
            search<Criterion>(q, best, worker, threads);
        };
        const auto either = [&]<template <bool> class Criterion>() {
            weighted ? by.template operator()<Criterion<true>>()
                     : by.template operator()<Criterion<false>>();
        };
        switch (target.measure) {
            case Measure::gini:
                return two ? either.template operator()<TwoClasses>()
                           : either.template operator()<Gini>();
            case Measure::entropy:
                return either.template operator()<Entropy>();
            case Measure::squared:
                return target.m == 1 ? either.template operator()<OneNumber>()
                                     : either.template operator()<Squared>();
            case Measure::poisson:
                return either.template operator()<Poisson>();
            case Measure::absolute:
                return either.template operator()<Absolute>();
        }
    }

    // Draw features until as many as asked for were looked at, one of them not constant.
    template <class Criterion>
    void search(const Question& q, Split& best, int worker, int threads) {
        const Index d = X.d, most = std::min(rules.max_features, d);
        FeatureOrder order(scratches[worker].features, d, most < d, q.key);
        Index visited = 0;
        bool varies = false;  // whether a feature is not constant
        if (threads > 1 && most > 1 && q.a.n * most >= 1 << 16) {
            varies = search_shared<Criterion>(q, best, threads, order.first(most));
            visited = most;
        }
        if (visited == d || (visited >= most && varies)) return;
        FeatureSearch<Criterion> one(q, scratches[worker]);
        for (; visited < d && (visited < most || !varies); ++visited)
            varies |= one.search(order.next(visited), best);
    }

    template <class Criterion>
    bool search_shared(const Question& q, Split& best, int threads,
                       const std::vector<Index>& features) {
        const Index most = Index(features.size());
        std::vector<Split> found(most);
        std::vector<char> varies(most, 0);
        for_blocks(most, 1, threads, [&](int worker, Index b, Index e) {
            FeatureSearch<Criterion> one(q, scratches[worker]);
            for (; b < e; ++b) varies[b] = one.search(features[b], found[b]);
        });
        for (Split& each : found)
            if (each.gain > best.gain + q.rounding) best = std::move(each);
        return std::find(varies.begin(), varies.end(), 1) != varies.end();
    }

    // Put the rows that go left first, both sides in their order.
    Index partition(const Task& task, const Split& by, Scratch& s) {
        const Index n = task.end - task.begin, j = by.feature;
        Row* all = rows.data() + task.begin;
        s.code.resize(n);
        s.rows.resize(n);
        Code least, most;
        X.gather(j, all, n, s.code.data(), least, most);
        const auto missing = Code(X.counts[j]);
        Index left = 0, right = 0;
        const auto put = [&](Index i, bool goes_left) {
            const Row row = all[i];
            all[left] = row;
            s.rows[right] = row;
            left += goes_left;
            right += !goes_left;
        };
        if (by.categories.empty()) {
            const Code last = by.alone ? missing - 1 : by.code;
            for (Index i = 0; i < n; ++i) {
                const Code c = s.code[i];
                put(i, c == missing ? by.missing_left : c <= last);
            }
        } else {
            const double* value = X.low + X.start[j];
            for (Index i = 0; i < n; ++i) {
                const Code c = s.code[i];
                const Index k = c == missing ? 0 : Index(value[c]);
                const bool in = (by.categories[k / 32] >> (k % 32)) & 1;
                put(i, c == missing ? by.missing_left : in);
            }
        }
        std::copy(s.rows.begin(), s.rows.begin() + right, all + left);
        return task.begin + left;
    }

    // -- sums over a node's rows -------------------------------------------------------
    double weight_of(Row row) const { return w == nullptr ? 1.0 : w[row]; }

    NodeSums sums(Index begin, Index end, double lower, double upper, int worker) {
        NodeSums s;
        s.value.assign(target.m * target.most_classes, 0.0);
        if (w == nullptr)
            s.weight = double(end - begin);
        else
            for (Index i = begin; i < end; ++i) s.weight += w[rows[i]];
        for (Index o = 0; o < target.m; ++o) {
            double* value = s.value.data() + o * target.most_classes;
            if (target.labels())
                s.impurity += of_labels(begin, end, o, s, value);
            else if (target.measure == Measure::absolute)
                s.impurity += of_medians(begin, end, o, s, value, scratches[worker]);
            else
                s.impurity += of_numbers(begin, end, o, s, value);
        }
        s.impurity /= double(target.m);
        if (X.monotonic != nullptr) {
            double& v = s.value[target.labels() && s.value.size() > 1 ? 1 : 0];
            v = std::clamp(v, lower, upper);
            if (target.labels() && s.value.size() > 1) s.value[0] = 1 - v;
        }
        return s;
    }

    double of_labels(Index begin, Index end, Index o, NodeSums& s,
                     double* value) const {
        const std::int32_t* z = target.z + o;
        const Index m = target.m, k = target.classes[o];
        for (Index i = begin; i < end; ++i) value[z[rows[i] * m]] += weight_of(rows[i]);
        double impurity = target.measure == Measure::gini ? 1.0 : 0.0;
        for (Index c = 0; c < k; ++c) {
            if (value[c] > 0 && value[c] < s.weight) s.pure = false;
            const double p = value[c] /= s.weight;
            if (target.measure == Measure::gini)
                impurity -= p * p;
            else if (p > 0)
                impurity -= p * std::log2(p);
        }
        return std::max(0.0, impurity);
    }

    double of_numbers(Index begin, Index end, Index o, NodeSums& s,
                      double* value) const {
        const double* y = target.y + o;
        const Index m = target.m;
        double least = INFINITE, most = -INFINITE, sum = 0;
        const double base = y[rows[begin] * m];
        for (Index i = begin; i < end; ++i) {
            const double v = y[rows[i] * m];
            least = std::min(least, v);
            most = std::max(most, v);
            sum += weight_of(rows[i]) * (v - base);
        }
        if (least < most) s.pure = false;
        const double mean = least == most ? least : base + sum / s.weight;
        value[0] = std::clamp(mean, least, most);
        double error = 0;
        for (Index i = begin; i < end && least < most; ++i) {
            const double v = y[rows[i] * m], d = v - mean;
            if (target.measure == Measure::squared)
                error += weight_of(rows[i]) * d * d;
            else if (v > 0)
                error += weight_of(rows[i]) * v * std::log(v / mean);
        }
        return std::max(0.0, error / s.weight);
    }

    double of_medians(Index begin, Index end, Index o, NodeSums& s, double* value,
                      Scratch& scratch) const {
        const double* y = target.y + o;
        const Index m = target.m, n = end - begin;
        scratch.rows.assign(rows.begin() + begin, rows.begin() + end);
        std::sort(scratch.rows.begin(), scratch.rows.end(),
                  [&](Row a, Row b) { return y[a * m] < y[b * m]; });
        double below = 0;
        Index i = 0;
        for (; i + 1 < n; ++i) {
            below += weight_of(scratch.rows[i]);
            if (below >= s.weight / 2) break;
        }
        double median = y[scratch.rows[i] * m];
        if (below == s.weight / 2 && i + 1 < n)
            median = 0.5 * (median + y[scratch.rows[i + 1] * m]);
        if (y[scratch.rows[0] * m] < y[scratch.rows[n - 1] * m]) s.pure = false;
        value[0] = median;
        double error = 0;
        for (const Row row : scratch.rows)
            error += weight_of(row) * std::abs(y[row * m] - median);
        return error / s.weight;
    }

    // What the features of a node look at.
    void gather(const Task& task, Local& a) const {
        const Index n = task.end - task.begin, m = target.m;
        const Row* all = rows.data() + task.begin;
        a.n = n;
        a.m = m;
        a.weight = task.sums.weight;
        a.weighted = w != nullptr;
        a.w.resize(a.weighted ? n : 0);
        for (Index i = 0; a.weighted && i < n; ++i) a.w[i] = w[all[i]];
        a.total.assign(sums_size, 0.0);
        if (target.labels())
            gather_labels(all, a);
        else
            gather_numbers(task, all, a);
    }

    void gather_labels(const Row* all, Local& a) const {
        const Index m = a.m;
        a.z.resize(a.n * m);
        for (Index i = 0; i < a.n; ++i)
            for (Index o = 0; o < m; ++o)
                a.z[i * m + o] = std::int32_t(offset[o] + target.z[all[i] * m + o]);
        for (Index i = 0; i < a.n * m; ++i)
            a.total[a.z[i]] += a.weighted ? a.w[i / m] : 1.0;
    }

    // A number near the mean, of few bits: targets of few bits have exact sums about it,
    // and splits that are equally good are equal to the bit.
    double coarse(double mean, const Row* all, Index o, Index n) const {
        double size = 0;
        for (Index i = 0; i < n; ++i)
            size = std::max(size, std::abs(target.y[all[i] * target.m + o]));
        if (!(size > 0)) return mean;
        const double unit = std::ldexp(1.0, std::ilogb(size) - COARSE);
        return unit > 0 ? std::nearbyint(mean / unit) * unit : mean;
    }

    void gather_numbers(const Task& task, const Row* all, Local& a) const {
        const Index m = a.m;
        a.y.resize(a.n * m);
        a.centre.assign(m, 0.0);
        if (target.measure == Measure::squared)
            for (Index o = 0; o < m; ++o)
                a.centre[o] = coarse(task.sums.value[o], all, o, a.n);
        for (Index i = 0; i < a.n; ++i)
            for (Index o = 0; o < m; ++o) {
                const double v = target.y[all[i] * m + o] - a.centre[o];
                a.y[i * m + o] = a.weighted ? a.w[i] * v : v;
                a.total[o] += a.y[i * m + o];
            }
        if (target.measure != Measure::absolute) return;
        a.rank.resize(a.n * m);
        a.sorted.resize(a.n * m);
        std::vector<std::uint32_t> order(a.n);
        for (Index o = 0; o < m; ++o) {
            const auto y = [&](std::uint32_t i) { return target.y[all[i] * m + o]; };
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(),
                      [&](std::uint32_t p, std::uint32_t r) { return y(p) < y(r); });
            for (Index p = 0; p < a.n; ++p) {
                a.rank[o * a.n + order[p]] = std::uint32_t(p);
                a.sorted[o * a.n + p] = y(order[p]);
            }
        }
    }
};

}  // namespace corollary::cart
