// Sequential minimal optimisation; solvers/smo.py has the mathematics, and its equation
// numbers stand here.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "common/arrays.hpp"
#include "common/dual_variables.hpp"
#include "common/threads.hpp"
#include "common/vector.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

// The `most` numbers with the largest leads; of equal leads the first numbers.
class Leaders {
  public:
    explicit Leaders(Index most) : most_(std::size_t(most)) {
        best_.reserve(2 * most_);
    }

    // Numbers come in ascending order, so that one at the bar itself is too late.
    double bar() const { return bar_; }

    void offer(double lead, Index t) {
        best_.push_back({lead, t});
        if (best_.size() < 2 * most_) return;
        std::nth_element(best_.begin(), best_.begin() + Index(most_) - 1, best_.end());
        best_.resize(most_);
        bar_ = best_.back().lead;
    }

    // Take up to `want` that are not taken yet, the largest lead first.
    Index take(Index want, std::uint8_t* taken, std::int64_t* chosen) {
        std::sort(best_.begin(), best_.end());
        Index got = 0;
        for (const Leader& one : best_) {
            if (got == want) break;
            if (taken[one.t]) continue;
            taken[one.t] = 1;
            chosen[got++] = one.t;
        }
        return got;
    }

  private:
    struct Leader {
        double lead;
        Index t;
        bool operator<(const Leader& other) const {
            return lead != other.lead ? lead > other.lead : t < other.t;
        }
    };
    std::size_t most_;
    double bar_ = 0;
    std::vector<Leader> best_;
};

// The variables that violate (4) most, half of them from above and half from below;
// `taken` marks those that are in the set already, and grows.
std::pair<Index, double> working_set(const Variables& v, Index n, Index want,
                                     std::uint8_t* taken, std::int64_t* chosen) {
    constexpr Index BLOCK = 64;
    std::vector<double> up(std::size_t(n), 0.0), low(std::size_t(n), 0.0);
    for (Index t = 0; t < n; ++t) {
        up[std::size_t(t)] = v.up(t);
        low[std::size_t(t)] = v.low(t);
    }
    const Extremes e = extremes(v, up.data(), low.data(), n);
    Leaders rising(want), falling(want);
    for (Index first = 0; first < n; first += BLOCK) {
        const Index m = std::min(BLOCK, n - first);
        double rise[BLOCK], fall[BLOCK];
        for (Index t = 0; t < m; ++t) {
            const int g = v.of(first + t);
            rise[t] = e.low[g] - up[std::size_t(first + t)];
            fall[t] = low[std::size_t(first + t)] - e.up[g];
        }
        const auto offer = [&](const double* lead, Leaders& to) {
            int over = 0;
            for (Index t = 0; t < m; ++t) over |= lead[t] > to.bar();
            if (!over) return;
            for (Index t = 0; t < m; ++t)
                if (lead[t] > to.bar() && !taken[first + t])
                    to.offer(lead[t], first + t);
        };
        offer(rise, rising);
        offer(fall, falling);
    }
    Index count = rising.take(want / 2, taken, chosen);
    count += falling.take(want - want / 2, taken, chosen + count);
    return {count, e.violation()};
}

// The problem of the working set, in registers' width: f in T, b in double. A row of K is
// gathered when it is first read: most rows of a large set never are.
template <class T>
class Inner {
  public:
    Inner(const Variables& v, Index q, const T* K, Index n, const std::int64_t* slots,
          const std::int64_t* rows, double* b, int groups)
        : v_(v),
          q_(q),
          width_((q + lanes<T> - 1) / lanes<T> * lanes<T>),
          n_(n),
          K_(K),
          slots_(slots),
          rows_(rows),
          b_(b),
          groups_(groups),
          gathered_(new T[std::size_t(q * width_)]),
          at_(std::size_t(q), nullptr),
          f_(std::size_t(width_)),
          diagonal_(std::size_t(width_)),
          gain_(std::size_t(width_)) {
        for (int g = 0; g < groups; ++g) {
            up_[g].assign(std::size_t(width_), NEVER);
            low_[g].assign(std::size_t(width_), -NEVER);
        }
        for (Index t = 0; t < q; ++t) {
            f_[std::size_t(t)] = T(v.f[t]);
            diagonal_[std::size_t(t)] = K[slots[t] * n + rows[t]];
            mark(t);
        }
    }

    std::pair<Index, double> run(double tol, Index most, Watch& watch) {
        Index steps = 0;
        double left = 0;
        for (;; ++steps) {
            const Pair pair = choose();
            left = pair.violation;
            if (left < tol || pair.i < 0 || steps == most) break;
            if (steps % LISTEN == LISTEN - 1 && watch.stopped()) break;
            step(pair.i, pair.j);
        }
        return {steps, left};
    }

    // f += K (b - old) in double, for all variables of the set. (2)
    void update(const double* old, double* f) {
        for (Index s = 0; s < q_; ++s) {
            const double change = b_[s] - old[s];
            if (change == 0) continue;
            const T* k = row(s);
            for (Index t = 0; t < q_; ++t) f[t] += change * double(k[t]);
        }
    }

  private:
    struct Pair {
        Index i = -1, j = -1;
        double violation = 0;
    };

    const T* row(Index s) {
        const T*& at = at_[std::size_t(s)];
        if (at != nullptr) return at;
        T* to = gathered_.get() + count_++ * width_;
        const T* from = K_ + slots_[s] * n_;
        for (Index t = 0; t < q_; ++t) to[t] = from[rows_[t]];
        std::fill(to + q_, to + width_, T(0));
        return at = to;
    }

    // What turns f_t into the slopes (3). A slope of NEVER, which the lanes past the
    // last variable have too, is never chosen, however large the others are.
    void mark(Index t) {
        const int g = v_.of(t);
        const double eps = v_.eps[t], b = b_[t];
        up_[g][std::size_t(t)] = b < v_.hi[t] ? T(b >= 0 ? eps : -eps) : NEVER;
        low_[g][std::size_t(t)] = b > v_.lo[t] ? T(b > 0 ? eps : -eps) : -NEVER;
    }

    // The variable that rises: the least slope. The one that falls: the largest gain (5).
    Pair choose() {
        constexpr int L = lanes<T>;
        Pair best;
        T most = 0;
        for (int g = 0; g < groups_; ++g) {
            const T *up = up_[g].data(), *low = low_[g].data(), *f = f_.data();
            Vec<T> least = splat(NEVER);
            for (Index t = 0; t < width_; t += L)
                least = minimum(least, load(f + t) + load(up + t));
            const T m = smallest(least);
            if (!(m < NEVER)) continue;
            const Index i =
                place([&](Index t) { return load(f + t) + load(up + t); }, m);
            const T *Ki = row(i), k_ii = diagonal_[std::size_t(i)];
            Vec<T> top = splat(-NEVER), gains = Vec<T>{};
            for (Index t = 0; t < width_; t += L) {
                const Vec<T> slope = load(f + t) + load(low + t);
                top = maximum(top, slope);
                const Vec<T> lead = maximum(slope - m, Vec<T>{});
                const Vec<T> eta =
                    k_ii + load(diagonal_.data() + t) - T(2) * load(Ki + t);
                const Vec<T> gain = lead * lead / maximum(eta, splat(T(FLAT)));
                store(gain_.data() + t, gain);
                gains = maximum(gains, gain);
            }
            best.violation =
                std::max(best.violation, double(-smallest(-top)) - double(m));
            const T gain = -smallest(-gains);
            if (gain > most) {
                most = gain;
                best.i = i;
                best.j = place([&](Index t) { return load(gain_.data() + t); }, gain);
            }
        }
        return best;
    }

    // b_i rises and b_j falls by the same, as far as box and kink allow. (6)
    void step(Index i, Index j) {
        const int g = v_.of(i);
        const T *Ki = row(i), *Kj = row(j);
        const double eta = double(Ki[i]) + double(Kj[j]) - 2 * double(Ki[j]);
        const double lead = (double(f_[std::size_t(j)]) + low_[g][std::size_t(j)]) -
                            (double(f_[std::size_t(i)]) + up_[g][std::size_t(i)]);
        const double to_i = b_[i] < 0 && v_.eps[i] > 0 ? 0 : v_.hi[i];
        const double to_j = b_[j] > 0 && v_.eps[j] > 0 ? 0 : v_.lo[j];
        const double room_i = to_i - b_[i], room_j = b_[j] - to_j;
        const double most = std::min(room_i, room_j);
        const double length = std::min(lead / std::max(eta, FLAT), most);
        b_[i] = length == room_i ? to_i : b_[i] + length;
        b_[j] = length == room_j ? to_j : b_[j] - length;
        const T change = T(length);
        for (Index t = 0; t < width_; t += lanes<T>)
            store(f_.data() + t,
                  load(f_.data() + t) + change * (load(Ki + t) - load(Kj + t)));
        mark(i);
        mark(j);
    }

    static T smallest(Vec<T> v) {
        T least = v[0];
        for (int l = 1; l < lanes<T>; ++l) least = std::min<T>(least, v[l]);
        return least;
    }

    template <class F>
    Index place(F values, T wanted) const {
        for (Index t = 0; t < width_; t += lanes<T>)
            if (const std::uint64_t bits = lane_bits<T>(values(t) == wanted); bits != 0)
                return t + std::countr_zero(bits);
        return 0;
    }

    static constexpr T NEVER = std::numeric_limits<T>::infinity();
    static constexpr double FLAT = 1e-12;  // curvature below which a pair is flat
    static constexpr Index LISTEN = 1000;  // steps between two looks for Ctrl-C

    Variables v_;
    Index q_, width_, n_, count_ = 0;
    const T* K_;
    const std::int64_t *slots_, *rows_;
    double* b_;
    int groups_;
    std::unique_ptr<T[]> gathered_;
    std::vector<const T*> at_;
    std::vector<T> f_, diagonal_, gain_, up_[2], low_[2];
};

// f += sum_s change[s] K[slots[s], :]; eight rows are summed in T, then in double.
template <class T>
void add_kernel_rows(const T* K, Index n, const std::int64_t* slots,
                     const double* change, Index count, double* f, int threads) {
    constexpr Index block = 1024;
    for_blocks(n, block, threads, [&](int, Index begin, Index end) {
        const Index m = end - begin;
        double sum[block] = {};
        Index s = 0;
        for (; s + 8 <= count; s += 8) {
            const T* k[8];
            T c[8];
            for (int r = 0; r < 8; ++r) {
                k[r] = K + slots[s + r] * n + begin;
                c[r] = T(change[s + r]);
            }
            for (Index t = 0; t < m; ++t) {
                const T a = (c[0] * k[0][t] + c[1] * k[1][t]) +
                            (c[2] * k[2][t] + c[3] * k[3][t]);
                const T b = (c[4] * k[4][t] + c[5] * k[5][t]) +
                            (c[6] * k[6][t] + c[7] * k[7][t]);
                sum[t] += double(a + b);
            }
        }
        for (; s < count; ++s) {
            const T* k = K + slots[s] * n + begin;
            for (Index t = 0; t < m; ++t) sum[t] += change[s] * double(k[t]);
        }
        for (Index t = 0; t < m; ++t) f[begin + t] += sum[t];
    });
}

// The same for some columns of a small matrix: f += sum_s change[s] K[slots[s], columns].
template <class T>
void add_columns(const T* K, Index n, const std::int64_t* slots, const double* change,
                 Index count, double* f, const std::int64_t* columns, Index m) {
    for (Index s = 0; s < count; ++s) {
        const T* k = K + slots[s] * n;
        for (Index t = 0; t < m; ++t) f[t] += change[s] * double(k[columns[t]]);
    }
}

// Move rows to the front of K and cut them to some columns, in place: K begins as rows
// of n numbers, and ends as `count` rows of m < n. `rows` and `keep` ascend, so that no
// row is overwritten before it was read.
template <class T>
void cut_rows(T* K, Index n, const std::int64_t* rows, Index count,
              const std::int64_t* keep, Index m, int threads) {
    constexpr Index BATCH = 16;
    std::vector<T> cut(std::size_t(BATCH * m));
    for (Index first = 0; first < count; first += BATCH) {
        const Index some = std::min(BATCH, count - first);
        for_blocks(some, 1, threads, [&](int, Index begin, Index end) {
            for (Index r = begin; r < end; ++r) {
                const T* row = K + rows[first + r] * n;
                T* to = cut.data() + r * m;
                for (Index c = 0; c < m; ++c) to[c] = row[keep[c]];
            }
        });
        std::copy_n(cut.data(), some * m, K + first * m);
    }
}

using Doubles = Vector<const double>;
using Groups = Optional<Vector<const std::int8_t>>;
using Indices = Vector<const std::int64_t>;

template <class T>
void bind(nb::module_& m) {
    m.def(
        "smo",
        [](Matrix<const T> K, Indices slots, Indices rows, Vector<double> f, Doubles lo,
           Doubles hi, Doubles eps, Groups group, int groups, double tol, Index most,
           Vector<double> b) {
            Watch watch;
            std::pair<Index, double> found;
            {
                nb::gil_scoped_release free;
                const Index q = Index(b.shape(0));
                const Variables v{f.data(),  b.data(),   lo.data(),
                                  hi.data(), eps.data(), data_or_null(group)};
                const std::vector<double> old(b.data(), b.data() + q);
                Inner<T> inner(v, q, K.data(), Index(K.shape(1)), slots.data(),
                               rows.data(), b.data(), groups);
                found = inner.run(tol, most, watch);
                inner.update(old.data(), f.data());
            }
            watch.raise();
            return found;
        },
        as_is("K"), as_is("slots"), as_is("rows"), as_is("f"), as_is("lo"), as_is("hi"),
        as_is("eps"), as_is("group").none(), nb::arg("groups"), nb::arg("tol"),
        nb::arg("most"), as_is("b"));
    m.def(
        "cut_rows",
        [](Vector<T> K, Index n, Indices rows, Indices keep, int threads) {
            nb::gil_scoped_release free;
            cut_rows(K.data(), n, rows.data(), Index(rows.shape(0)), keep.data(),
                     Index(keep.shape(0)), threads);
        },
        as_is("K"), nb::arg("n"), as_is("rows"), as_is("keep"), nb::arg("threads"));
    m.def(
        "add_kernel_rows",
        [](Matrix<const T> K, Indices slots, Doubles change, Vector<double> f,
           int threads, Optional<Indices> columns) {
            nb::gil_scoped_release free;
            if (columns)
                return add_columns(K.data(), Index(K.shape(1)), slots.data(),
                                   change.data(), Index(slots.shape(0)), f.data(),
                                   columns->data(), Index(f.shape(0)));
            add_kernel_rows(K.data(), Index(K.shape(1)), slots.data(), change.data(),
                            Index(slots.shape(0)), f.data(), threads);
        },
        as_is("K"), as_is("slots"), as_is("change"), as_is("f"), nb::arg("threads"),
        as_is("columns") = nb::none());
}

}  // namespace

void bind_smo(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "working_set",
        [](Doubles f, Doubles b, Doubles lo, Doubles hi, Doubles eps, Groups group,
           Index want, Vector<std::uint8_t> taken, Vector<std::int64_t> chosen) {
            nb::gil_scoped_release free;
            const Variables v{f.data(),  b.data(),   lo.data(),
                              hi.data(), eps.data(), data_or_null(group)};
            return working_set(v, Index(f.shape(0)), want, taken.data(), chosen.data());
        },
        as_is("f"), as_is("b"), as_is("lo"), as_is("hi"), as_is("eps"),
        as_is("group").none(), nb::arg("want"), as_is("taken"), as_is("chosen"));
}

}  // namespace corollary
