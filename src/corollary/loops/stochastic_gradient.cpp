// Epochs of stochastic gradient descent on a linear model, batch after batch.
//
//   p    = w'x + b                                                                    (1)
//   w   <- (1 - l2 eta) w - eta mean_B [L'(p, y) x],   b <- b - eta mean_B L'(p, y)   (2)
//
// over batches B of visits; a batch of less weight than 1 counts as that share of a
// step. w = scale v, so that shrinking costs one
// product. The l1 penalty is cumulative (Tsuruoka, Tsujii, Ananiadou 2009): u is what a
// weight should have paid, q_j what w_j has. The mean of the iterates is
//
//   sum_t scale_t v_t = S v - z,   S = sum_t scale_t,  z += S dv at each change dv    (3)
//
// so that it costs as much as the row has entries (Xu 2011). The passive-aggressive
// schedules give every row a rate of its own, C = eta0 (Crammer et al. 2006):
//
//   PA1  min(C, L / ||x||^2),   PA2  L / (||x||^2 + 1 / (2 C))                        (4)
//
// After an epoch the cost, its mean loss and the penalty, judges whether to go on:
//
//   diverged      w is not finite, or the mean loss is beyond a limit
//   at rest       nothing moved w, and there is no penalty
//   has waited    the cost has not fallen by tol below the lowest for so many epochs  (5)

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/arrays.hpp"
#include "common/interrupt.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

enum LossName {
    HINGE,
    PERCEPTRON,
    LOG_LOSS,
    MODIFIED_HUBER,
    SQUARED_HINGE,
    SQUARED_ERROR,
    HUBER,
    EPSILON_INSENSITIVE,
    SQUARED_EPSILON_INSENSITIVE,
    EXPONENTIAL,
    SIGMOID,
    QUANTILE
};

constexpr Index AHEAD = 8;  // visits

enum ScheduleName { CONSTANT, OPTIMAL, INVSCALING, PA1, PA2 };

// What lives on from one call to the next, as an array of doubles.
enum Slot {
    INTERCEPT,      // b
    TIME,           // t, the visits so far and 1
    PAID,           // u
    LOSS,           // sum of the losses, each before its update
    WEIGHT,         // of the visits of LOSS
    WINDOW_LOSS,    // the same since the last entry of the monitor
    WINDOW_WEIGHT,  //
    ENTRIES,        // of the monitor in this call
    UPDATES,        // visits that moved w in this call
    MEAN_COUNT,     // visits in the mean
    MEAN_INTERCEPT,
    RUN,  // visits since the last update
    BEST_RUN,
    BEST_INTERCEPT,
    STEPS,  // in this call
    SLOTS
};

// The plan as it comes: doubles in this order.
struct Plan {
    int loss;
    double parameter;  // epsilon, delta or q
    int schedule;
    double eta0, power, start;  // start: of the optimal schedule
    double alpha, l1, l2;
    double positive, negative;  // weights of the two classes
    bool intercept;
    double average_from;  // visit at which the mean begins
    double window;        // visits of an entry of the monitor
    double batch;         // visits of a step

    explicit Plan(const double* p)
        : loss(int(p[0])),
          parameter(p[1]),
          schedule(int(p[2])),
          eta0(p[3]),
          power(p[4]),
          start(p[5]),
          alpha(p[6]),
          l1(p[7]),
          l2(p[8]),
          positive(p[9]),
          negative(p[10]),
          intercept(p[11] != 0),
          average_from(p[12]),
          window(p[13]),
          batch(p[14]) {}
};

struct Work {
    double* v;            // (d,) w
    double* slots;        // (SLOTS,)
    double* q;            // (d,) or null
    double* mean;         // (d,) the sum in (3) so far, or null
    double* best;         // (d,) w of the longest run without an update, or null
    double* monitor;      // one entry a window of weight, or null
    Index windows;        // room of `monitor`
    std::int64_t* moved;  // rows of the visits that moved w, or null
    Index room;           // of `moved`
};

struct Slope {
    double value, slope;
};

struct Pending {
    Index i;
    double slope;
};

inline double sigmoid(double u) {
    return u >= 0 ? 1 / (1 + std::exp(-u)) : std::exp(u) / (1 + std::exp(u));
}

// phi(u) and phi'(u), u = y p.
inline Slope of_margin(int loss, double u) {
    switch (loss) {
        case HINGE:
            return u <= 1 ? Slope{1 - u, -1} : Slope{0, 0};
        case PERCEPTRON:
            return u <= 0 ? Slope{-u, -1} : Slope{0, 0};
        case LOG_LOSS: {
            const double e = std::exp(-std::abs(u));
            return {std::max(0.0, -u) + std::log1p(e),
                    -(u >= 0 ? e / (1 + e) : 1 / (1 + e))};
        }
        case MODIFIED_HUBER:
            if (u >= 1) return {0, 0};
            return u < -1 ? Slope{-4 * u, -4} : Slope{(1 - u) * (1 - u), -2 * (1 - u)};
        case SQUARED_HINGE:
            return u < 1 ? Slope{(1 - u) * (1 - u), -2 * (1 - u)} : Slope{0, 0};
        case EXPONENTIAL:
            return {std::exp(-u), -std::exp(-u)};
        default: {  // SIGMOID
            const double s = sigmoid(-u);
            return {s * s, -2 * s * s * (1 - s)};
        }
    }
}

// rho(r) and rho'(r), r = p - y.
inline Slope of_residual(int loss, double r, double parameter) {
    const double size = std::abs(r), sign = r > 0 ? 1.0 : r < 0 ? -1.0 : 0.0;
    const double beyond = size - parameter;
    switch (loss) {
        case HUBER:
            if (beyond <= 0) return {0.5 * r * r, r};
            return {parameter * (size - 0.5 * parameter), parameter * sign};
        case EPSILON_INSENSITIVE:
            return beyond > 0 ? Slope{beyond, sign} : Slope{0, 0};
        case SQUARED_EPSILON_INSENSITIVE:
            return beyond > 0 ? Slope{beyond * beyond, 2 * beyond * sign} : Slope{0, 0};
        case QUANTILE:
            if (r > 0) return {(1 - parameter) * r, 1 - parameter};
            return r < 0 ? Slope{-parameter * r, -parameter} : Slope{0, 0};
        default:
            return {0.5 * r * r, r};  // SQUARED_ERROR
    }
}

inline Slope loss_of(const Plan& plan, double y, double p) {
    switch (plan.loss) {
        case SQUARED_ERROR:
        case HUBER:
        case EPSILON_INSENSITIVE:
        case SQUARED_EPSILON_INSENSITIVE:
        case QUANTILE:
            return of_residual(plan.loss, p - y, plan.parameter);
        default: {
            const Slope s = of_margin(plan.loss, y * p);
            return {s.value, y * s.slope};
        }
    }
}

// t^power; the usual powers are roots, which cost a fraction of it.
inline double raised(double t, double power) {
    if (power == 0.25) return std::sqrt(std::sqrt(t));
    return power == 0.5 ? std::sqrt(t) : std::pow(t, power);
}

inline double rate(const Plan& plan, double t) {
    switch (plan.schedule) {
        case OPTIMAL:
            return 1 / (plan.alpha * (plan.start + t - 1));
        case INVSCALING:
            return plan.eta0 / raised(t, plan.power);
        default:
            return plan.eta0;
    }
}

template <class T>
inline double squared_length(const Dense<T>& X, Index i) {
    double s = 0;
    for (Index j = 0; j < X.d; ++j) s += double(X.row(i)[j]) * double(X.row(i)[j]);
    return s;
}

template <class T>
inline double squared_length(const Csr<T>& X, Index i) {
    return sum_stored(X.row(i), [](double x, std::int32_t) { return x * x; });
}

// The rate of a row with this loss (4), 1 under the other schedules; a row of zeros
// has nothing to move along.
template <class Rows>
inline double own_rate(const Plan& plan, const Rows& X, Index i, double loss) {
    if (plan.schedule < PA1) return 1;
    const double square = squared_length(X, i);
    if (plan.schedule == PA2) return loss / (square + 0.5 / plan.eta0);
    return square > 0 ? std::min(plan.eta0, loss / square) : 0;
}

template <class T, class F>
inline void for_entries(const Dense<T>& X, Index, F f) {
    for (Index j = 0; j < X.d; ++j) f(j);
}

template <class T, class F>
inline void for_entries(const Csr<T>& X, Index i, F f) {
    const SparseRow<T> row = X.row(i);
    for (Index p = 0; p < row.count; ++p) f(Index(row.j[p]));
}

// Ask for a row that will be visited soon: the order is random, the memory far.
template <class T>
inline void ask_for(const Dense<T>& X, Index i) {
    const char* x = reinterpret_cast<const char*>(X.row(i));
    const Index bytes = std::min<Index>(X.d * Index(sizeof(T)), 1024);
    for (Index at = 0; at < bytes; at += 64) __builtin_prefetch(x + at);
}

template <class T>
inline void ask_for(const Csr<T>& X, Index i) {
    const SparseRow<T> row = X.row(i);
    const Index count = std::min<Index>(row.count, 128);
    for (Index p = 0; p < count; p += 8) __builtin_prefetch(row.x + p);
    for (Index p = 0; p < count; p += 16) __builtin_prefetch(row.j + p);
}

template <class Rows>
struct Epoch {
    const Rows& X;
    const Plan& plan;
    const Work& work;
    std::vector<Pending> batch = {};
    double scale = 1, S = 0, total = 0;

    // Let w_j pay what it owes of the l1 penalty.
    void pay(Index j) {
        const double u = work.slots[PAID], w = scale * work.v[j];
        double left = w;
        if (w > 0) left = std::max(0.0, w - (u + work.q[j]));
        if (w < 0) left = std::min(0.0, w + (u - work.q[j]));
        if (left == w) return;
        work.q[j] += left - w;
        change(j, left / scale);
    }

    void change(Index j, double v) {
        if (work.mean) work.mean[j] -= S * (v - work.v[j]);  // (3)
        work.v[j] = v;
    }

    void fold() {
        for (Index j = 0; j < X.d; ++j) work.v[j] *= scale;
        S /= scale;
        scale = 1;
    }

    void keep_best() {
        double* m = work.slots;
        if (!work.best || m[RUN] <= m[BEST_RUN]) return;
        m[BEST_RUN] = m[RUN];
        m[BEST_INTERCEPT] = m[INTERCEPT];
        for (Index j = 0; j < X.d; ++j) work.best[j] = scale * work.v[j];
    }

    void shrink(double factor) {
        if (factor <= 0) {  // all that w was is gone
            for (Index j = 0; j < X.d; ++j) change(j, 0.0);
            return;
        }
        scale *= factor;
        if (scale < 1e-9) fold();
    }

    void observe(double loss, double o) {
        double* m = work.slots;
        m[LOSS] += o * loss;
        m[WEIGHT] += o;
        if (!work.monitor) return;
        m[WINDOW_LOSS] += o * loss;
        m[WINDOW_WEIGHT] += o;
        if (m[WINDOW_WEIGHT] < plan.window) return;
        if (m[ENTRIES] < double(work.windows))
            work.monitor[Index(m[ENTRIES]++)] = m[WINDOW_LOSS] / m[WINDOW_WEIGHT];
        m[WINDOW_LOSS] = m[WINDOW_WEIGHT] = 0;
    }

    void move(Index i, double step) {
        double* m = work.slots;
        if (step == 0) {
            ++m[RUN];
            return;
        }
        keep_best();
        m[RUN] = 0;
        add_row(X, i, step / scale, work.v);
        if (work.mean) add_row(X, i, -S * step / scale, work.mean);  // (3)
        if (plan.intercept) m[INTERCEPT] += step;
        if (work.moved && m[UPDATES] < double(work.room))
            work.moved[Index(m[UPDATES])] = i;
        ++m[UPDATES];
    }

    void visit(Index i, double y, double o) {
        if (work.q) for_entries(X, i, [&](Index j) { pay(j); });
        const double p = scale * dot(X, i, work.v) + work.slots[INTERCEPT];  // (1)
        const Slope L = loss_of(plan, y, p);
        observe(L.value, o);
        const double of_class = y > 0 ? plan.positive : plan.negative;
        const double own = own_rate(plan, X, i, L.value);
        batch.push_back({i, o * of_class * own * std::clamp(L.slope, -1e12, 1e12)});
        total += o;
        if (total >= plan.batch * (1 - 1e-12) || plan.batch <= 1) step();
    }

    void step() {
        double* m = work.slots;
        const double share = std::min(1.0, total), eta = rate(plan, m[TIME]);
        const double along = plan.schedule < PA1 ? eta : 1;  // rows have their own
        if (plan.l2 > 0) shrink(1 - plan.l2 * eta * share);
        for (const Pending& row : batch) {
            const double pull = -along * row.slope;
            move(row.i, total > 1 ? pull / total : pull);  // (2)
        }
        if (work.mean && m[TIME] >= plan.average_from) {
            S += scale * share;
            m[MEAN_COUNT] += share;
            m[MEAN_INTERCEPT] += share * m[INTERCEPT];
        }
        if (work.q) {
            m[PAID] += plan.l1 * eta * share;
            for (const Pending& row : batch)
                for_entries(X, row.i, [&](Index j) { pay(j); });
        }
        m[TIME] += share;
        ++m[STEPS];
        batch.clear();
        total = 0;
    }

    void finish() {
        if (!batch.empty()) step();
        if (work.q)
            for (Index j = 0; j < X.d; ++j) pay(j);
        keep_best();
        fold();
        if (work.mean)
            for (Index j = 0; j < X.d; ++j) work.mean[j] += S * work.v[j];  // (3)
    }
};

template <class Rows>
void epoch(const Rows& X, const double* y, const std::int64_t* at, Index count,
           const double* o, const std::int32_t* times, const Plan& plan,
           const Work& work) {
    Epoch<Rows> run{X, plan, work};
    Watch watch;
    for (Index k = 0; k < count; ++k) {
        if (k % 256 == 0 && watch.stopped()) break;
        const Index i = at[k];
        if (k + AHEAD < count) {
            ask_for(X, at[k + AHEAD]);
            __builtin_prefetch(y + at[k + AHEAD]);
        }
        const double weight = o ? o[i] : 1.0;
        for (std::int32_t r = times ? times[i] : 1; r > 0; --r)
            run.visit(i, y[i], weight);
    }
    run.finish();
    watch.raise();
}

enum Verdict { GO_ON, AT_REST, HAS_WAITED, DIVERGED };

// What epochs are judged by, as an array of doubles.
struct Rule {
    double limit, tol, patience;

    explicit Rule(const double* r) : limit(r[0]), tol(r[1]), patience(r[2]) {}
};

// What the judge remembers, as an array: the lowest cost, and the epochs since it fell.
struct Memory {
    double &lowest, &waited;

    explicit Memory(double* m) : lowest(m[0]), waited(m[1]) {}
};

double penalty_of(const Plan& plan, const double* w, Index d) {
    double sizes = 0, squares = 0;
    for (Index j = 0; j < d; ++j) {
        sizes += std::abs(w[j]);
        squares += w[j] * w[j];
    }
    return plan.l1 * sizes + 0.5 * plan.l2 * squares;
}

// Judge an epoch by its own mean loss, or by that of rows held out. (5)
std::pair<Verdict, double> judged(const Plan& plan, const double* w, Index d,
                                  const double* slots, const Rule& rule,
                                  const double* held_out, Memory memory) {
    const double loss = slots[LOSS] / slots[WEIGHT];
    const bool finite =
        std::isfinite(slots[INTERCEPT]) &&
        std::all_of(w, w + d, [](double value) { return std::isfinite(value); });
    if (!finite || !(loss <= rule.limit)) return {DIVERGED, loss};
    const double cost = (held_out ? *held_out : loss) + penalty_of(plan, w, d);
    if (slots[UPDATES] == 0 && plan.l1 == 0 && plan.l2 == 0) return {AT_REST, cost};
    memory.waited = cost > memory.lowest - rule.tol ? memory.waited + 1 : 0;
    memory.lowest = std::min(memory.lowest, cost);
    return {memory.waited >= rule.patience ? HAS_WAITED : GO_ON, cost};
}

// All that judges epochs, or nothing: then they are made without being judged.
struct Judge {
    const double* rule;  // or null
    double *memory, *costs;
};

struct Made {
    Index epochs = 0;
    Verdict verdict = GO_ON;
    double updates = 0;
};

// Epochs in given orders, until one is judged to be the last.
template <class Rows>
Made epochs(const Rows& X, const double* y, const Matrix<const std::int64_t>& orders,
            const double* o, const std::int32_t* times, const Plan& plan,
            const Work& work, const Judge& judge) {
    Made made;
    const Index n = Index(orders.shape(1)), most = Index(orders.shape(0));
    while (made.epochs < most && made.verdict == GO_ON) {
        if (judge.rule)
            for (const Slot slot : {LOSS, WEIGHT, UPDATES, STEPS, RUN, BEST_RUN})
                work.slots[slot] = 0;
        epoch(X, y, orders.data() + made.epochs * n, n, o, times, plan, work);
        made.updates += work.slots[UPDATES];
        if (judge.rule)
            std::tie(made.verdict, judge.costs[made.epochs]) =
                judged(plan, work.v, X.d, work.slots, Rule(judge.rule), nullptr,
                       Memory(judge.memory));
        ++made.epochs;
    }
    return made;
}

using Doubles = Vector<double>;

Work work_of(const Doubles& w, const Doubles& slots, const Optional<Doubles>& q,
             const Optional<Doubles>& mean, const Optional<Doubles>& best,
             const Optional<Doubles>& monitor,
             const Optional<Vector<std::int64_t>>& moved) {
    return {w.data(),
            slots.data(),
            data_or_null(q),
            data_or_null(mean),
            data_or_null(best),
            data_or_null(monitor),
            monitor ? Index(monitor->shape(0)) : 0,
            data_or_null(moved),
            moved ? Index(moved->shape(0)) : 0};
}

using Said = std::tuple<Index, int, double>;  // what `epochs` says to Python

template <class T>
void bind(nb::module_& m) {
    using Orders = Matrix<const std::int64_t>;
    using Weights = Optional<Vector<const double>>;
    using Times = Optional<Vector<const std::int32_t>>;
    using Maybe = Optional<Doubles>;
    using Rows = Optional<Vector<std::int64_t>>;
    m.def(
        "sgd_epochs",
        [](Matrix<const T> X, Vector<const double> y, Orders orders, Weights o,
           Times times, Vector<const double> plan, Doubles w, Doubles slots, Maybe q,
           Maybe mean, Maybe best, Maybe monitor, Rows moved, Weights rule,
           Maybe memory, Maybe costs) -> Said {
            const Work work = work_of(w, slots, q, mean, best, monitor, moved);
            const Judge judge{data_or_null(rule), data_or_null(memory),
                              data_or_null(costs)};
            nb::gil_scoped_release free;
            const Made made =
                epochs(rows(X), y.data(), orders, data_or_null(o), data_or_null(times),
                       Plan(plan.data()), work, judge);
            return {made.epochs, made.verdict, made.updates};
        },
        as_is("X"), as_is("y"), as_is("orders"), as_is("o").none(),
        as_is("times").none(), as_is("plan"), as_is("w"), as_is("slots"),
        as_is("q").none(), as_is("mean").none(), as_is("best").none(),
        as_is("monitor").none(), as_is("moved").none(), as_is("rule").none(),
        as_is("memory").none(), as_is("costs").none());
    m.def(
        "sgd_epochs_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Vector<const double> y, Orders orders, Weights o, Times times,
           Vector<const double> plan, Doubles w, Doubles slots, Maybe q, Maybe mean,
           Maybe best, Maybe monitor, Rows moved, Weights rule, Maybe memory,
           Maybe costs) -> Said {
            const Csr<T> X = rows(data, indices, indptr, Index(w.shape(0)));
            const Work work = work_of(w, slots, q, mean, best, monitor, moved);
            const Judge judge{data_or_null(rule), data_or_null(memory),
                              data_or_null(costs)};
            nb::gil_scoped_release free;
            const Made made =
                epochs(X, y.data(), orders, data_or_null(o), data_or_null(times),
                       Plan(plan.data()), work, judge);
            return {made.epochs, made.verdict, made.updates};
        },
        as_is("data"), as_is("indices"), as_is("indptr"), as_is("y"), as_is("orders"),
        as_is("o").none(), as_is("times").none(), as_is("plan"), as_is("w"),
        as_is("slots"), as_is("q").none(), as_is("mean").none(), as_is("best").none(),
        as_is("monitor").none(), as_is("moved").none(), as_is("rule").none(),
        as_is("memory").none(), as_is("costs").none());
}

}  // namespace

void bind_stochastic_gradient(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "sgd_judge",
        [](Vector<const double> plan, Vector<const double> w,
           Vector<const double> slots, Vector<const double> rule,
           std::optional<double> held_out, Doubles memory) {
            const auto [verdict, cost] =
                judged(Plan(plan.data()), w.data(), Index(w.shape(0)), slots.data(),
                       Rule(rule.data()), held_out ? &*held_out : nullptr,
                       Memory(memory.data()));
            return std::pair<int, double>(verdict, cost);
        },
        as_is("plan"), as_is("w"), as_is("slots"), as_is("rule"),
        nb::arg("held_out").none(), as_is("memory"));
}

}  // namespace corollary
