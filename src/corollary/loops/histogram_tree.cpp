// Regression trees from histograms of integer gradients: growing one at once, and the
// parts of growing for rows that lie apart: their sums, their partition, and the search.

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include <nanobind/stl/tuple.h>

#include "common/arrays.hpp"
#include "histogram/growth.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using namespace histogram;

using Integers = Vector<const std::int32_t>;
using Bytes = Vector<const Code>;
using Signs = Optional<Vector<const std::int8_t>>;
using Sets = Optional<Matrix<const Word>>;
using Groups = nb::ndarray<const Code, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Limits = std::tuple<Index, Index, double, double, double, double, Index>;
using Fields = std::tuple<double, double, int, int>;
using Bounds = std::tuple<Index, double, double, double, double, Word>;
using Found = std::tuple<double, int, int, bool, bool, double>;

Rules rules_of(const Integers& bins, const Bytes& categorical, const Signs& monotone,
               const Sets& sets, const Limits& limits) {
    return {Index(bins.shape(0)), bins.data(),
            categorical.data(),   data_or_null(monotone),
            data_or_null(sets),   sets ? Index(sets->shape(1)) : 0,
            std::get<2>(limits),  std::get<3>(limits),
            std::get<4>(limits),  std::get<6>(limits)};
}

// Call with the form of cells of one or two numbers.
template <class F>
auto with_form(Index width, bool constant, const Fields& fields, F&& run) {
    const auto [unit_g, unit_h, hessian_at, gradient_at] = fields;
    const Scale scale{unit_g, unit_h, hessian_at, gradient_at};
    if (width == 2) return run(Wide(scale));
    return constant ? run(Packed<true>(scale)) : run(Packed<false>(scale));
}

// The histograms of some rows, (d, BINS).
template <class Form>
void sum_rows(const Form& form, const Code* groups, const std::int32_t* ends,
              Index n_groups, Index n, const std::int32_t* g, const std::int32_t* h,
              const std::int32_t* rows, Index count, typename Form::Cell* H) {
    const Adders<Form> adders{std::make_integer_sequence<int, GROUP>()};
    Watch watch;
    std::fill_n(H, ends[n_groups - 1] * BINS, typename Form::Cell{});
    for (Index q = 0; q < n_groups && !watch.stopped(); ++q) {
        const Index begin = q ? ends[q - 1] : 0;
        adders.rows[std::size_t(ends[q] - begin - 1)](form, groups + q * n * GROUP, g,
                                                      h, rows, count, H + begin * BINS);
    }
    watch.raise();
}

// Move the rows that go left before the others, both in their order; return their end.
Index part_rows(const Code* codes, const Code* left, std::int32_t* rows, Index begin,
                Index end, std::int32_t* others) {
    Index a = begin, b = 0;
    for (Index i = begin; i < end; ++i) {
        const std::int32_t row = rows[i];
        const Index go = left[codes[row]] != 0;
        rows[a] = row;
        others[b] = row;
        a += go;
        b += 1 - go;
    }
    std::copy_n(others, b, rows + a);
    return a;
}

// What a child is, as numbers.
template <class Cell>
void write_child(const Leaf<Cell>& child, std::int64_t* total, double* bounds,
                 Word* sets, Word* key) {
    std::memcpy(total, &child.total, sizeof(Cell));
    bounds[0] = child.low;
    bounds[1] = child.high;
    bounds[2] = child.value;
    std::copy(child.sets.begin(), child.sets.end(), sets);
    *key = child.key;
}

// A leaf as the caller states it.
template <class Cell>
Leaf<Cell> stated_leaf(const std::int64_t* total, const Bounds& bounds,
                       const Word* sets, Index words) {
    const auto [rows, low, high, value, strict, key] = bounds;
    Leaf<Cell> leaf{.rows = rows,
                    .total = {},
                    .node = 0,
                    .depth = 0,
                    .buffer = NONE,
                    .slot = NONE,
                    .low = low,
                    .high = high,
                    .value = value,
                    .strict = strict,
                    .sets = std::vector<Word>(sets, sets + words),
                    .key = key};
    leaf.total = *reinterpret_cast<const Cell*>(total);
    return leaf;
}

struct Outcome {           // of a search
    std::uint8_t* table;   // (BINS,) codes that go left
    std::uint32_t* set;    // (8,)
    std::int64_t* totals;  // (2, width) of the children
    double* bounds;        // (2, 3) low, high, value
    Word *sets, *keys;     // (2, words), (2,)
};

template <class Form>
Found find_split(const Form& form, const Rules& rules, const std::int64_t* cells,
                 const std::int64_t* places, Leaf<typename Form::Cell> leaf,
                 const Outcome& out) {
    using Cell = typename Form::Cell;
    constexpr Index width = sizeof(Cell) / 8;
    Search<Form> search(form, rules);
    Features features(rules);
    search.begin(leaf);
    features.narrow(leaf);
    for (Index f = 0; f < rules.d; ++f)
        if (features.allow(f))
            search.feature(int(f), reinterpret_cast<const Cell*>(cells) + places[f]);
    const Split<Cell>& best = leaf.best = search.best;
    if (best.feature == NONE) return {0, NONE, 0, false, false, 0};
    const auto [left, right] = halves(form, rules, leaf);
    write_child(left, out.totals, out.bounds, out.sets, out.keys);
    write_child(right, out.totals + width, out.bounds + 3, out.sets + rules.words,
                out.keys + 1);
    const auto table = table_of(rules, best);
    std::copy(table.begin(), table.end(), out.table);
    std::copy(best.set.begin(), best.set.end(), out.set);
    return {best.gain,         best.feature,
            best.bin,          best.missing_left,
            best.missing_seen, form.hessian(best.left) / form.hessian(leaf.total)};
}

void bind_grow_tree(nb::module_& m) {
    m.def(
        "grow_tree",
        [](Matrix<const Code> columns, Groups groups, Integers group_ends, Integers g,
           Optional<Integers> h, bool constant, Fields fields, Integers bins,
           Vector<const std::uint8_t> categorical,
           Optional<Vector<const std::int8_t>> monotone,
           Optional<Matrix<const Word>> feature_sets, Limits limits, Word seed,
           Vector<std::int64_t> cells, Vector<std::int32_t> first,
           Vector<std::int32_t> second, Vector<std::int32_t> feature,
           Vector<std::uint8_t> bin, Vector<std::uint8_t> missing_left,
           Vector<std::int32_t> left, Vector<std::int32_t> right, Vector<double> value,
           Vector<std::int32_t> count, Matrix<std::uint32_t> sets,
           Optional<Vector<double>> scores, Optional<Vector<std::int32_t>> leaf_of,
           int threads) {
            const Index max_leaves = std::get<0>(limits),
                        max_depth = std::get<1>(limits);
            const double shrinkage = std::get<5>(limits);
            const Index d = Index(columns.shape(0));
            const Index width = h ? 2 : 1;
            const Request request{
                rules_of(bins, categorical, monotone, feature_sets, limits),
                Index(columns.shape(1)),
                columns.data(),
                groups.data(),
                group_ends.data(),
                Index(groups.shape(0)),
                g.data(),
                data_or_null(h),
                max_leaves,
                max_depth,
                shrinkage,
                seed,
                Index(cells.shape(0)) / (d * BINS * width)};
            const Nodes nodes{feature.data(), bin.data(),   missing_left.data(),
                              left.data(),    right.data(), value.data(),
                              count.data(),   sets.data()};
            auto run = [&](const auto& form) {
                return grow(form, request, nodes, cells.data(), first.data(),
                            second.data(), data_or_null(scores), data_or_null(leaf_of),
                            threads);
            };
            nb::gil_scoped_release free;
            return with_form(width, constant, fields, run);
        },
        as_is("columns"), as_is("groups"), as_is("group_ends"), as_is("g"),
        as_is("h").none(), nb::arg("constant"), nb::arg("fields"), as_is("bins"),
        as_is("categorical"), as_is("monotone").none(), as_is("feature_sets").none(),
        nb::arg("limits"), nb::arg("seed"), as_is("cells"), as_is("first"),
        as_is("second"), as_is("feature"), as_is("bin"), as_is("missing_left"),
        as_is("left"), as_is("right"), as_is("value"), as_is("count"), as_is("sets"),
        as_is("scores").none(), as_is("leaf_of").none(), nb::arg("threads"));
}

void bind_parts(nb::module_& m) {
    m.def(
        "sum_histograms",
        [](Groups groups, Integers group_ends, Integers g, Optional<Integers> h,
           bool constant, Fields fields, Integers rows, Vector<std::int64_t> cells) {
            nb::gil_scoped_release free;
            with_form(h ? 2 : 1, constant, fields, [&]<class Form>(const Form& form) {
                sum_rows(form, groups.data(), group_ends.data(), Index(groups.shape(0)),
                         Index(groups.shape(1)), g.data(), data_or_null(h), rows.data(),
                         Index(rows.shape(0)),
                         reinterpret_cast<typename Form::Cell*>(cells.data()));
            });
        },
        as_is("groups"), as_is("group_ends"), as_is("g"), as_is("h").none(),
        nb::arg("constant"), nb::arg("fields"), as_is("rows"), as_is("cells"));
    m.def(
        "part_rows",
        [](Bytes codes, Bytes left, Vector<std::int32_t> rows, Index begin, Index end,
           Vector<std::int32_t> others) {
            nb::gil_scoped_release free;
            return part_rows(codes.data(), left.data(), rows.data(), begin, end,
                             others.data());
        },
        as_is("codes"), as_is("left"), as_is("rows"), nb::arg("begin"), nb::arg("end"),
        as_is("others"));
    m.def(
        "leaf_value",
        [](Vector<const std::int64_t> total, bool constant, Fields fields, double l2) {
            Rules rules{};
            rules.l2 = l2;
            return with_form(Index(total.shape(0)), constant, fields,
                             [&]<class Form>(const Form& form) {
                                 using Cell = typename Form::Cell;
                                 return value_of(
                                     form, rules,
                                     *reinterpret_cast<const Cell*>(total.data()));
                             });
        },
        as_is("total"), nb::arg("constant"), nb::arg("fields"), nb::arg("l2"));
    m.def(
        "root_key", [](Word seed) { return splitmix::finish(seed); }, nb::arg("seed"));
    m.def(
        "find_split",
        [](Matrix<const std::int64_t> cells, Vector<const std::int64_t> places,
           Vector<const std::int64_t> total, Bounds bounds, Vector<const Word> own_sets,
           bool constant, Fields fields, Integers bins, Bytes categorical,
           Signs monotone, Sets feature_sets, Limits limits, Vector<Code> table,
           Vector<std::uint32_t> set, Matrix<std::int64_t> totals,
           Matrix<double> child_bounds, Matrix<Word> sets, Vector<Word> keys) {
            const Rules rules =
                rules_of(bins, categorical, monotone, feature_sets, limits);
            const Outcome out{table.data(),        set.data(),  totals.data(),
                              child_bounds.data(), sets.data(), keys.data()};
            nb::gil_scoped_release free;
            return with_form(
                Index(cells.shape(1)), constant, fields,
                [&]<class Form>(const Form& form) {
                    return find_split(
                        form, rules, cells.data(), places.data(),
                        stated_leaf<typename Form::Cell>(total.data(), bounds,
                                                         own_sets.data(), rules.words),
                        out);
                });
        },
        as_is("cells"), as_is("places"), as_is("total"), nb::arg("bounds"),
        as_is("own_sets"), nb::arg("constant"), nb::arg("fields"), as_is("bins"),
        as_is("categorical"), as_is("monotone").none(), as_is("feature_sets").none(),
        nb::arg("limits"), as_is("table"), as_is("set"), as_is("totals"),
        as_is("child_bounds"), as_is("sets"), as_is("keys"));
}

}  // namespace

void bind_histogram_tree(nb::module_& m) {
    bind_grow_tree(m);
    bind_parts(m);
}

}  // namespace corollary
