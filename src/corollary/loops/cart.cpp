// Trees and forests from rank codes: every tree by one call, or one tree by all threads.
//
// See cart/growing.hpp for the growing of a tree, cart/splitting.hpp for its splits.

#include "cart/bootstrap.hpp"
#include "cart/growing.hpp"
#include "common/arrays.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using namespace cart;

// Rows of all trees that make a table for drawn thresholds worth its making.
constexpr Index GUIDED = 1 << 14;

// The sample that a tree is grown from.
struct Sample {
    const double* weight;  // (n,) of the rows, null = ones
    Bag bag;               // what bootstrap samples are drawn from
    bool balanced;         // classes weigh alike in each sample
};

// Multiply the weights so that the classes of each output weigh alike.
void balance(const Targets& target, Index n, std::vector<double>& w) {
    std::vector<double> factor(n, 1.0);
    for (Index o = 0; o < target.m; ++o) {
        std::vector<double> count(target.classes[o], 0.0);
        double all = 0, present = 0;
        for (Index i = 0; i < n; ++i) {
            count[target.z[i * target.m + o]] += w[i];
            all += w[i];
        }
        for (const double c : count) present += c > 0;
        for (Index i = 0; i < n; ++i) {
            const double c = count[target.z[i * target.m + o]];
            factor[i] *= c > 0 ? all / (present * c) : 1.0;
        }
    }
    for (Index i = 0; i < n; ++i) w[i] *= factor[i];
}

std::vector<Grown> grow_trees(const Columns& X, const Targets& target,
                              const Rules& rules, const Sample& sample,
                              const Word* seeds, Index trees, int threads) {
    std::vector<Grown> grown(trees);
    std::vector<Scratch> scratch(threads);
    Stop stop(threads);
    std::optional<Guide> guide;
    if (rules.random && X.n * trees >= GUIDED) guide.emplace(X);
    for_blocks(trees, 1, threads, [&](int worker, Index begin, Index end) {
        std::vector<double> weight;
        std::vector<std::int32_t> drawn(sample.bag.draws);
        for (Index t = begin; t < end && !stop.ask(worker); ++t) {
            const double* w = sample.weight;
            if (sample.bag.draws > 0) {
                draw_rows(seeds[t], X.n, sample.bag, drawn.data());
                weight.assign(X.n, 0.0);
                for (const std::int32_t i : drawn) weight[i] += 1;
                if (sample.balanced) balance(target, X.n, weight);
                w = weight.data();
            }
            Grower grower(X, guide ? &*guide : nullptr, target, rules, w, scratch,
                          worker, stop);
            grown[t] = grower.grow(seeds[t], trees == 1 ? threads : 1);
        }
    });
    stop.raise();
    return grown;
}

template <class T>
nb::object array_of(std::vector<T>&& values, std::vector<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept,
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(
        nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

template <class T, class F>
nb::object column_of(const Grown& tree, F field) {
    std::vector<T> values;
    values.reserve(tree.nodes.size());
    for (const GrownNode& node : tree.nodes) values.push_back(T(field(node)));
    const std::size_t size = values.size();
    return array_of(std::move(values), {size});
}

// The arrays of a tree in the order of the fields of Python's Tree.
nb::tuple as_arrays(Grown& tree, const Targets& target, Index words) {
    using Node = GrownNode;
    const std::size_t nodes = tree.nodes.size();
    nb::object set = nb::none(), sets = nb::none();
    if (!tree.sets.empty()) {
        set = column_of<std::int32_t>(tree, [](const Node& a) { return a.set; });
        const std::size_t count = tree.sets.size() / std::size_t(words);
        sets = array_of(std::move(tree.sets), {count, std::size_t(words)});
    }
    nb::object value =
        array_of(std::move(tree.values),
                 {nodes, std::size_t(target.m), std::size_t(target.most_classes)});
    return nb::make_tuple(
        column_of<std::int32_t>(tree, [](const Node& a) { return a.left; }),
        column_of<std::int32_t>(tree, [](const Node& a) { return a.right; }),
        column_of<std::int32_t>(tree, [](const Node& a) { return a.feature; }),
        column_of<double>(tree, [](const Node& a) { return a.threshold; }),
        column_of<std::uint8_t>(tree, [](const Node& a) { return a.missing_left; }),
        value, column_of<double>(tree, [](const Node& a) { return a.impurity; }),
        column_of<std::int64_t>(tree, [](const Node& a) { return a.rows; }),
        column_of<double>(tree, [](const Node& a) { return a.weight; }), set, sets);
}

using Codes = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Longs = Vector<const std::int64_t>;
using Doubles = Vector<const double>;

nb::list grow(Codes codes, Longs counts, Longs start, Doubles low, Doubles high,
              Optional<Vector<const std::uint8_t>> category,
              Optional<Vector<const std::int8_t>> monotonic, Index words, int measure,
              Optional<Matrix<const std::int32_t>> z, Optional<Matrix<const double>> y,
              Longs classes, Optional<Doubles> weight, Index draws,
              Optional<Vector<const std::int32_t>> order, Optional<Doubles> cumulative,
              bool balanced, Doubles rules, Vector<const Word> seeds, int threads) {
    const Columns X{codes.data(),
                    int(codes.itemsize()),
                    Index(codes.shape(1)),
                    Index(codes.shape(0)),
                    counts.data(),
                    start.data(),
                    low.data(),
                    high.data(),
                    data_or_null(category),
                    data_or_null(monotonic),
                    words};
    const std::int64_t* k = classes.data();
    const Index m = Index(classes.shape(0));
    const Targets target{Measure(measure), m, data_or_null(z),
                         data_or_null(y),  k, *std::max_element(k, k + m)};
    const double* r = rules.data();
    const Rules by{r[0] != 0, Index(r[1]), Index(r[2]), Index(r[3]),
                   r[4],      r[5],        r[6],        r[7]};
    const Bag bag{draws, data_or_null(order), data_or_null(cumulative)};
    const Sample sample{data_or_null(weight), bag, balanced};
    std::vector<Grown> grown;
    {
        nb::gil_scoped_release free;
        grown = grow_trees(X, target, by, sample, seeds.data(), Index(seeds.shape(0)),
                           std::max(1, threads));
    }
    nb::list trees;
    for (Grown& tree : grown) {
        trees.append(as_arrays(tree, target, words));
        tree = Grown{};
    }
    return trees;
}

}  // namespace

void bind_cart(nb::module_& m) {
    m.def("grow_trees", &grow, as_is("codes"), as_is("counts"), as_is("start"),
          as_is("low"), as_is("high"), as_is("category").none(),
          as_is("monotonic").none(), nb::arg("words"), nb::arg("measure"),
          as_is("z").none(), as_is("y").none(), as_is("classes"),
          as_is("weight").none(), nb::arg("draws"), as_is("order").none(),
          as_is("cumulative").none(), nb::arg("balanced"), as_is("rules"),
          as_is("seeds"), nb::arg("threads"));
    m.def(
        "bootstrap_rows",
        [](Word seed, Vector<const std::int32_t> order, Optional<Doubles> cumulative,
           Vector<std::int32_t> out) {
            nb::gil_scoped_release free;
            draw_rows(seed, Index(order.shape(0)),
                      {Index(out.shape(0)), order.data(), data_or_null(cumulative)},
                      out.data());
        },
        nb::arg("seed"), as_is("order"), as_is("cumulative").none(), as_is("out"));
}

}  // namespace corollary
