// Shapley values of trees: how much each feature moves the answer for a row.
//
// A leaf of value v is reached through the features j of its path. With o_j = 1 where the
// row takes all its branches at j, else 0, and z_j the share of the training rows that do,
//
//   phi_i = v (o_i - z_i) int_0^1 prod_{j != i} a_j(t) dt,  a_j = z_j + t (o_j - z_j)  (1)
//   phi_ij = v/2 (o_i - z_i) (o_j - z_j) int_0^1 prod_{l != i, j} a_l(t) dt            (2)
//
// summed over leaves. The integrands are polynomials: Gauss' rule with half as many points
// t_q as a path has features is exact, and all its terms are products of positive numbers.
//
// One walk over the tree adds up all leaves. Going down an edge of feature i, which moves
// (o, z) of i, P_q = prod_j a_j(t_q) is multiplied by the ratio of the new a_i to the old.
// Coming back, H_q = sum over the leaves below of v w_q P_q, and with g = (o - z) / a,
//
//   phi_i  += sum_q H_q (g_new - g_old)                                                (3)
//   phi_ij += sum_q H_q (g_new - g_old) g_j / 2    for the other features j above      (4)
//
// which telescopes to (1) and (2). An edge that neither the row nor its like ever took
// changes g = -1/(1 - t) by nothing. Four rows are walked at once, one in each lane.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "common/arrays.hpp"
#include "common/threads.hpp"
#include "common/tree_tasks.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Lanes = Vec<double>;
using Mask = Vec<std::int64_t>;
constexpr Index L = lanes<double>;
constexpr Index BLOCK = 64;  // rows of a thread's turn

// -- Gauss' rule on [0, 1] -----------------------------------------------------------
struct Rule {
    std::vector<double> t, s, w;  // points, 1 - t, weights

    explicit Rule(Index points) : t(points), s(points), w(points) {
        const double n = double(points);
        for (Index q = 0; q < (points + 1) / 2; ++q) {
            double x = std::cos(std::numbers::pi * (double(q) + 0.75) / (n + 0.5));
            double slope = 1;
            for (int step = 0; step < 20; ++step) {  // Newton's, on Legendre's
                double p = 1, before = 0;
                for (double k = 0; k < n; ++k) {
                    const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
                    before = p;
                    p = next;
                }
                slope = n * (x * p - before) / (x * x - 1);
                const double move = p / slope;
                x -= move;
                if (std::abs(move) < 1e-15) break;
            }
            const Index mirror = points - 1 - q;
            t[q] = s[mirror] = (1 - x) / 2;
            s[q] = t[mirror] = (1 + x) / 2;
            w[q] = w[mirror] = 1 / ((1 - x * x) * slope * slope);
        }
    }
};

// -- a tree as the edges of a walk ---------------------------------------------------
struct Edge {
    std::int32_t parent, node, depth;  // the root has depth 0
    std::int32_t old;      // depth of the last edge above of its feature, or 0
    std::int32_t feature;  // among those of the tree
    bool left, leaf;
    double share;     // of the parent's rows
    double z, z_old;  // of (1), and at the last edge above of its feature
};

struct Walk {
    std::vector<Edge> edges;             // parents first, left before right
    std::vector<std::int32_t> features;  // of the tree
    Index depth = 0, points = 1;
    std::vector<double> tables;          // (edges, 5, points): see fill
    std::vector<double> weights, never;  // (points,) of the rule; g where o = 0

    Walk(const TreeView& tree, const double* cover, Index d) {
        list_edges(tree, cover, d);
        fill();
    }

    const double* of(Index edge) const { return tables.data() + edge * 5 * points; }

  private:
    void list_edges(const TreeView& tree, const double* cover, Index d) {
        std::vector<std::int32_t> place(d, -1);     // of a feature among the tree's
        std::vector<std::vector<std::int32_t>> on;  // edges of a feature on the way
        std::vector<std::int32_t> path;             // edges on the way
        std::vector<std::pair<std::int32_t, bool>> open;
        Index distinct = 0;
        auto plan = [&](std::int32_t node) {
            if (tree.feature[node] < 0) return;
            open.push_back({node, false});
            open.push_back({node, true});
        };
        plan(0);
        std::vector<std::int32_t> depth_of(tree.nodes, 0);
        while (!open.empty()) {
            const auto [parent, left] = open.back();
            open.pop_back();
            for (; Index(path.size()) > depth_of[parent]; path.pop_back()) {
                auto& gone = on[edges[path.back()].feature];
                gone.pop_back();
                distinct -= gone.empty();
            }
            const std::int32_t f = tree.feature[parent];
            if (place[f] < 0) {
                place[f] = std::int32_t(features.size());
                features.push_back(f);
                on.emplace_back();
            }
            auto& same = on[place[f]];
            const std::int32_t child = left ? tree.left[parent] : tree.right[parent];
            const double whole = cover[parent];
            const double share = whole > 0 ? cover[child] / whole : 0.5;
            const Edge* above = same.empty() ? nullptr : &edges[same.back()];
            const std::int32_t deep = depth_of[child] = depth_of[parent] + 1;
            const double z_old = above ? above->z : 1;
            const Edge edge{parent,
                            child,
                            deep,
                            above ? above->depth : 0,
                            place[f],
                            left,
                            tree.feature[child] < 0,
                            share,
                            z_old * share,
                            z_old};
            distinct += same.empty();
            same.push_back(std::int32_t(edges.size()));
            path.push_back(std::int32_t(edges.size()));
            edges.push_back(edge);
            depth = std::max<Index>(depth, deep);
            points = std::max<Index>(points, (distinct + 1) / 2);
            plan(child);
        }
    }

    // Ratios of a: both taken, no longer taken; steps of g for the same; g where taken.
    void fill() {
        const Rule rule(points);
        tables.resize(edges.size() * 5 * points);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const double z = edges[e].z, z_old = edges[e].z_old;
            double* table = tables.data() + e * 5 * points;
            for (Index q = 0; q < points; ++q) {
                const double t = rule.t[q], s = rule.s[q];
                const double a = z * s + t, a_old = z_old * s + t;
                const double g = (1 - z) / a, g_old = (1 - z_old) / a_old;
                table[q] = a / a_old;
                table[points + q] = z * s / a_old;
                table[2 * points + q] = g - g_old;
                table[3 * points + q] = -1 / s - g_old;
                table[4 * points + q] = g;
            }
        }
        weights = rule.w;
        never.resize(points);
        for (Index q = 0; q < points; ++q) never[q] = -1 / rule.s[q];
    }
};

// -- one walk of four rows -----------------------------------------------------------
class Walker {
    std::vector<Lanes> P, H;       // (depth + 1, points), (depth + 1, k, points)
    std::vector<Mask> taken, go;   // (depth + 1,): o of the edge; left at its node
    std::vector<Lanes> phi;        // (k, features of the tree)
    std::vector<std::int32_t> at;  // (depth + 1,) edge
    std::vector<std::uint8_t> replaced;  // (depth + 1,) by a deeper edge of its feature

  public:
    void make_room(const Walk& walk, Index k) {
        const std::size_t levels = walk.depth + 1;
        P.assign(levels * walk.points, splat(1.0));
        H.assign(levels * k * walk.points, Lanes{});
        taken.assign(levels, ~Mask{});
        go.assign(levels, Mask{});
        phi.assign(k * walk.features.size(), Lanes{});
        at.assign(levels, 0);
        replaced.assign(levels, 0);
    }

    // Add the values of `count` <= 4 rows from row i on.
    void run(const Walk& walk, const Task& task, const double* X, Index i, Index count,
             const Out& out) {
        const double* x[L];
        for (Index l = 0; l < L; ++l) x[l] = X + (i + std::min(l, count - 1)) * out.d;
        std::fill(phi.begin(), phi.end(), Lanes{});
        Index deep = 0;
        for (std::size_t e = 0; e < walk.edges.size(); ++e) {
            const Edge& edge = walk.edges[e];
            for (; deep >= edge.depth; --deep)
                back(walk, task, at[deep], i, count, out);
            if (edge.left) go[edge.depth] = look(task.tree, edge.parent, x);
            down(walk, task, edge, e);
            deep = edge.depth;
        }
        for (; deep > 0; --deep) back(walk, task, at[deep], i, count, out);
        const Index F = Index(walk.features.size());
        for (Index c = 0; c < task.k; ++c)
            for (Index l = 0; l < count; ++l) {
                double* row = out.row(i + l, task.first + c);
                for (Index f = 0; f < F; ++f)
                    row[walk.features[f]] += phi[c * F + f][l];
            }
    }

  private:
    // Which of the rows go left.
    static Mask look(const TreeView& tree, Index node, const double* const* x) {
        const std::int32_t f = tree.feature[node];
        const double t = tree.threshold[node];
        Lanes v;
        for (Index l = 0; l < L; ++l) v[l] = x[l][f];
        Mask left = v <= t;
        if (lane_bits<double>(left | (v > t)) != (1u << L) - 1)
            for (Index l = 0; l < L; ++l)
                left[l] = goes_left(tree, node, v[l]) ? -1 : 0;
        return left;
    }

    void down(const Walk& walk, const Task& task, const Edge& edge, std::size_t e) {
        const Index Q = walk.points, deep = edge.depth;
        const Mask before = taken[edge.old];
        const Mask now = (edge.left ? go[deep] : ~go[deep]) & before;
        taken[deep] = now;
        at[deep] = std::int32_t(e);
        replaced[edge.old] = 1;
        replaced[deep] = 0;
        const double* table = walk.of(e);
        const Lanes* above = P.data() + (deep - 1) * Q;
        Lanes* own = P.data() + deep * Q;
        const Lanes still = splat(edge.share);
        for (Index q = 0; q < Q; ++q)
            own[q] = above[q] *
                     (now ? splat(table[q]) : (before ? splat(table[Q + q]) : still));
        Lanes* sums = H.data() + deep * task.k * Q;
        if (!edge.leaf) {
            std::fill_n(sums, task.k * Q, Lanes{});
            return;
        }
        const double* v = task.value + Index(edge.node) * task.k;
        for (Index c = 0; c < task.k; ++c)
            for (Index q = 0; q < Q; ++q)
                sums[c * Q + q] = own[q] * (v[c] * walk.weights[q]);
    }

    // (3), and the sums of an edge become its parent's.
    void back(const Walk& walk, const Task& task, std::size_t e, Index i, Index count,
              const Out& out) {
        const Edge& edge = walk.edges[e];
        const Index Q = walk.points, deep = edge.depth, F = Index(walk.features.size());
        const Mask now = taken[deep], before = taken[edge.old];
        const double* table = walk.of(e);
        for (Index c = 0; c < task.k; ++c) {
            const Lanes* own = H.data() + (deep * task.k + c) * Q;
            Lanes* above = H.data() + ((deep - 1) * task.k + c) * Q;
            Lanes sum{};
            for (Index q = 0; q < Q; ++q) {
                const Lanes step = now ? splat(table[2 * Q + q])
                                       : (before ? splat(table[3 * Q + q]) : Lanes{});
                sum += own[q] * step;
                above[q] += own[q];
            }
            phi[c * F + edge.feature] += sum;
        }
        if (out.pairs) pair_up(walk, task, e, i, count, out);
        replaced[edge.old] = 0;
    }

    // (4), for every feature above but the edge's own.
    void pair_up(const Walk& walk, const Task& task, std::size_t e, Index i,
                 Index count, const Out& out) {
        const Edge& edge = walk.edges[e];
        const Index Q = walk.points, deep = edge.depth;
        const Mask now = taken[deep], before = taken[edge.old];
        const double* table = walk.of(e);
        const Index f = walk.features[edge.feature];
        for (Index up = 1; up < deep; ++up) {
            if (replaced[up]) continue;
            const double* g = walk.of(at[up]) + 4 * Q;
            const Index j = walk.features[walk.edges[at[up]].feature];
            for (Index c = 0; c < task.k; ++c) {
                const Lanes* own = H.data() + (deep * task.k + c) * Q;
                Lanes sum{};
                for (Index q = 0; q < Q; ++q) {
                    const Lanes step =
                        now ? splat(table[2 * Q + q])
                            : (before ? splat(table[3 * Q + q]) : Lanes{});
                    sum += own[q] * step *
                           (taken[up] ? splat(g[q]) : splat(walk.never[q]));
                }
                for (Index l = 0; l < count; ++l) {
                    double* pair = out.table(i + l, task.first + c);
                    pair[f * out.d + j] += sum[l] / 2;
                    pair[j * out.d + f] += sum[l] / 2;
                }
            }
        }
    }
};

// The answer where no feature is known: every leaf by the share of the rows in it.
void add_base(const Task& task, const Walk& walk, double* base) {
    std::vector<double> share(task.tree.nodes, 1.0);
    for (const Edge& edge : walk.edges)
        share[edge.node] = share[edge.parent] * edge.share;
    for (Index node = 0; node < task.tree.nodes; ++node)
        if (task.tree.feature[node] < 0)
            for (Index c = 0; c < task.k; ++c)
                base[task.first + c] += share[node] * task.value[node * task.k + c];
}

void by_coverage(const std::vector<Task>& tasks,
                 const std::vector<const double*>& covers, const double* X, Index n,
                 double* base, const Out& out, int threads) {
    std::vector<Walker> walkers(std::max(1, threads));
    Watch watch;
    for (std::size_t t = 0; t < tasks.size() && !watch.stopped(); ++t) {
        const Walk walk(tasks[t].tree, covers[t], out.d);
        add_base(tasks[t], walk, base);
        for (Walker& walker : walkers) walker.make_room(walk, tasks[t].k);
        for_blocks(n, BLOCK, threads, [&](int worker, Index begin, Index end) {
            for (Index i = begin; i < end; i += L)
                walkers[worker].run(walk, tasks[t], X, i, std::min(L, end - i), out);
        });
    }
    watch.raise();
}

}  // namespace

void bind_tree_shap(nb::module_& m) {
    m.def(
        "tree_shap",
        [](Matrix<const double> X, nb::list trees, Vector<const std::int32_t> first,
           nb::list covers, Vector<double> base, Matrix<double> out,
           Optional<Matrix<double>> pairs, int threads) {
            const std::vector<Task> tasks = tasks_of(trees, first);
            std::vector<const double*> cover;
            for (nb::handle each : covers)
                cover.push_back(nb::cast<Vector<const double>>(each).data());
            const Out to{out.data(), data_or_null(pairs), Index(base.shape(0)),
                         Index(X.shape(1))};
            nb::gil_scoped_release free;
            by_coverage(tasks, cover, X.data(), Index(X.shape(0)), base.data(), to,
                        threads);
        },
        as_is("X"), nb::arg("trees"), as_is("first"), nb::arg("covers"), as_is("base"),
        as_is("out"), as_is("pairs").none(), nb::arg("threads"));
}

}  // namespace corollary
