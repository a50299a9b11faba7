// Criteria: what a split of a node's rows is worth, from sums over the rows on its left.
//
// A criterion moves rows, or histogram bins of rows, from right to left and orders the
// splits by a gain that differs from the decrease of impurity by a constant of the node:
//
//   gini      sum_k L_k^2 / w_L + R_k^2 / w_R                                       (1)
//   entropy   sum_k L_k log(L_k / w_L) + R_k log(R_k / w_R)                         (2)
//   squared   S_L^2 / w_L + S_R^2 / w_R,  S the sums of y minus the node's mean     (3)
//   poisson   S_L log(S_L / w_L) + S_R log(S_R / w_R)                               (4)
//   absolute  - sum_L w |y - median_L| - sum_R w |y - median_R|                     (5)
//
// A bin of a histogram is: rows, weight (where rows have weights), then the sums.
#pragma once

#include "cart/records.hpp"

namespace corollary::cart {

// Share of a sum that may be rounding: what is below counts as no counts at all.
constexpr double NOTHING = 1e-10;

inline double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

// What all criteria share: rows and weights on the left.
template <bool W>
struct Sides {
    static constexpr bool SORTS = false, ONE_SUM = false;
    static constexpr Index HEAD = W ? 2 : 1;  // where a bin's sums begin
    const Local& a;
    Index rows = 0;
    double weight = 0;

    explicit Sides(const Local& local) : a(local) {}
    void clear() {
        rows = 0;
        weight = 0;
    }
    double w(Index i) const {
        if constexpr (W)
            return a.w[i];
        else
            return 1.0;
    }
    void move_weight(Index i) {
        ++rows;
        weight += w(i);
    }
    void take_weight(const double* bin) {
        rows += Index(bin[0]);
        weight += bin[W ? 1 : 0];
    }
    void put_weight(double* bin, Index i) const {
        bin[0] += 1;
        if constexpr (W) bin[1] += a.w[i];
    }
    double right_weight() const { return a.weight - weight; }
    void order(const Code*, const std::uint32_t*, Index) {}
};

// One sum tells all: the weight of the second of two classes (1), or the sum of y (3) of
// one output. Both gains are, up to a constant of the node,
//
//   w D^2 / (w_L w_R),   D = S_L - w_L mean                                         (6)
template <bool W, bool LABELS>
struct OneSum : Sides<W> {
    static constexpr bool ONE_SUM = true;
    using Sides<W>::a;
    double sum = 0, all = 0;

    explicit OneSum(const Local& local)
        : Sides<W>(local), all(local.total[LABELS ? 1 : 0]) {}
    double amount(Index i) const { return LABELS ? this->w(i) * a.z[i] : a.y[i]; }
    double mean() const { return all / a.weight; }
    Index sums() const { return 1; }
    void begin() {
        this->clear();
        sum = 0;
    }
    void move(Index i) {
        this->move_weight(i);
        sum += amount(i);
    }
    void put(double* bin, Index i) const {
        this->put_weight(bin, i);
        bin[this->HEAD] += amount(i);
    }
    void take(const double* bin) {
        this->take_weight(bin);
        sum += bin[this->HEAD];
    }
    double gain() const {
        const double wl = this->weight, D = sum - wl * mean();
        return a.weight * (D * D) / (wl * this->right_weight());
    }
    double left_value() const { return centre() + sum / this->weight; }
    double right_value() const { return centre() + (all - sum) / this->right_weight(); }

  private:
    double centre() const { return LABELS ? 0.0 : a.centre[0]; }
};

// Classes of any number of outputs.  (1), (2)
template <bool W, bool ENTROPY>
struct Classes : Sides<W> {
    using Sides<W>::a;
    std::vector<double> left;

    explicit Classes(const Local& local) : Sides<W>(local), left(local.total.size()) {}
    Index sums() const { return Index(left.size()); }
    void begin() {
        this->clear();
        std::fill(left.begin(), left.end(), 0.0);
    }
    void move(Index i) {
        this->move_weight(i);
        for (Index o = 0; o < a.m; ++o) left[a.z[i * a.m + o]] += this->w(i);
    }
    void put(double* bin, Index i) const {
        this->put_weight(bin, i);
        for (Index o = 0; o < a.m; ++o)
            bin[this->HEAD + a.z[i * a.m + o]] += this->w(i);
    }
    void take(const double* bin) {
        this->take_weight(bin);
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += bin[this->HEAD + k];
    }
    double gain() const {
        const double wl = this->weight, wr = this->right_weight();
        double l = 0, r = 0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const double x = left[k], z = std::max(0.0, a.total[k] - x);
            l += ENTROPY ? x_log_x(x) : x * x;
            r += ENTROPY ? x_log_x(z) : z * z;
        }
        if (!ENTROPY) return l / wl + r / wr;
        return l + r - double(a.m) * (x_log_x(wl) + x_log_x(wr));
    }
    double left_value() const { return left[1] / this->weight; }
    double right_value() const { return (a.total[1] - left[1]) / this->right_weight(); }
};

// Numbers: the squared error (3) and the Poisson deviance (4).
template <bool W, bool POISSON>
struct Numbers : Sides<W> {
    using Sides<W>::a;
    std::vector<double> left;

    explicit Numbers(const Local& local) : Sides<W>(local), left(local.m) {}
    Index sums() const { return a.m; }
    void begin() {
        this->clear();
        std::fill(left.begin(), left.end(), 0.0);
    }
    void move(Index i) {
        this->move_weight(i);
        for (Index o = 0; o < a.m; ++o) left[o] += a.y[i * a.m + o];
    }
    void put(double* bin, Index i) const {
        this->put_weight(bin, i);
        for (Index o = 0; o < a.m; ++o) bin[this->HEAD + o] += a.y[i * a.m + o];
    }
    void take(const double* bin) {
        this->take_weight(bin);
        for (Index o = 0; o < a.m; ++o) left[o] += bin[this->HEAD + o];
    }
    double gain() const {
        const double wl = this->weight, wr = this->right_weight();
        double sum = 0;
        for (Index o = 0; o < a.m; ++o) {
            const double l = left[o], r = a.total[o] - l;
            if (!POISSON) {
                sum += l * l / wl + r * r / wr;
            } else {
                if (std::min(l, r) <= NOTHING * a.total[o]) return -INFINITE;
                sum += l * std::log(l / wl) + r * std::log(r / wr);
            }
        }
        return sum;
    }
    double left_value() const { return a.centre[0] + left[0] / this->weight; }
    double right_value() const {
        return a.centre[0] + (a.total[0] - left[0]) / this->right_weight();
    }
};

// Sums of w and of w y by the rank of y: medians of a set that grows, in log n.
struct RankSums {
    std::vector<double> w, wy;
    Index size = 0, top = 1;

    void reset(Index n) {
        size = n;
        for (top = 1; 2 * top <= n; top *= 2) {
        }
        w.assign(n + 1, 0.0);
        wy.assign(n + 1, 0.0);
    }
    void add(Index rank, double weight, double y) {
        for (Index i = rank + 1; i <= size; i += i & -i) {
            w[i] += weight;
            wy[i] += weight * y;
        }
    }
    // The first rank whose sum of weights up to it reaches (or passes) `half`, and the
    // sums before it.
    Index search(double half, bool pass, double& before, double& before_y) const {
        Index at = 0;
        before = before_y = 0;
        for (Index step = top; step > 0; step /= 2) {
            const Index next = at + step;
            if (next > size) continue;
            const double sum = before + w[next];
            if (pass ? sum <= half : sum < half) {
                at = next;
                before = sum;
                before_y += wy[next];
            }
        }
        return std::min(at, size - 1);
    }
};

// The absolute error (5): medians of all prefixes of the sorted rows, and of all suffixes.
template <bool W>
struct Absolute : Sides<W> {
    static constexpr bool SORTS = true;
    using Sides<W>::a;
    std::vector<double> prefix, suffix, low, high;  // errors and medians
    RankSums sums_;

    explicit Absolute(const Local& local) : Sides<W>(local) {}
    Index sums() const { return 0; }
    void begin() { this->clear(); }
    void move(Index i) { this->move_weight(i); }
    void put(double*, Index) const {}
    void take(const double*) {}
    void order(const Code*, const std::uint32_t* slots, Index n) {
        prefix.assign(n, 0.0);
        suffix.assign(n + 1, 0.0);
        low.assign(n, 0.0);
        high.assign(n + 1, 0.0);
        for (Index o = 0; o < a.m; ++o) {
            pass(slots, n, o, true);
            pass(slots, n, o, false);
        }
    }
    double gain() const { return -prefix[this->rows - 1] - suffix[this->rows]; }
    double left_value() const { return low[this->rows - 1]; }
    double right_value() const { return high[this->rows]; }

  private:
    void pass(const std::uint32_t* slots, Index n, Index o, bool forward) {
        const std::uint32_t* rank = a.rank.data() + o * a.n;
        const double* y = a.sorted.data() + o * a.n;
        sums_.reset(a.n);
        double weight = 0, all = 0;
        for (Index p = 0; p < n; ++p) {
            const Index at = forward ? p : n - 1 - p;
            const Index r = rank[slots[at]];
            sums_.add(r, this->w(slots[at]), y[r]);
            weight += this->w(slots[at]);
            all += this->w(slots[at]) * y[r];
            double below, below_y, x, xy;
            const Index first = sums_.search(weight / 2, false, below, below_y);
            const Index second = sums_.search(weight / 2, true, x, xy);
            const double median = 0.5 * (y[first] + y[second]);
            const double c = y[first];  // every median has the same error
            const double error =
                (c * below - below_y) + (all - below_y) - c * (weight - below);
            (forward ? prefix[at] : suffix[at]) += std::max(0.0, error);
            (forward ? low[at] : high[at]) = median;
        }
    }
};

template <bool W>
using TwoClasses = OneSum<W, true>;
template <bool W>
using OneNumber = OneSum<W, false>;
template <bool W>
using Gini = Classes<W, false>;
template <bool W>
using Entropy = Classes<W, true>;
template <bool W>
using Squared = Numbers<W, false>;
template <bool W>
using Poisson = Numbers<W, true>;

}  // namespace corollary::cart
