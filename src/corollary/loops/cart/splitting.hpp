// The best split of a node by one feature.
//
// Where a node has many rows for the range of its codes, the rows are summed in a
// histogram with a bin for each code; where it has few, they are sorted by their codes.
// Both ways meet the same boundaries between codes with the same sums.
//
// Categories are put in the order of their mean response first: for numbers and two
// classes the best split of that order is the best of all subsets (Breiman et al. 1984);
// with more sums, the order along the first principal component of the categories' means
// is a heuristic (Coppersmith, Hong and Hosking 1999).
#pragma once

#include <algorithm>
#include <numeric>

#include "cart/criteria.hpp"

namespace corollary::cart {

// What a worker needs beside the rows; kept from node to node.
struct Scratch {
    std::vector<Code> code;
    std::vector<Word> keys, spare;
    std::vector<std::uint32_t> slots;
    std::vector<double> bins, prefix;
    std::vector<Row> rows;
    std::vector<Code> place, category;
    std::vector<std::int32_t> features;
    Local local;
};

// A node, as a feature sees it.
struct Question {
    const Columns& X;
    const Rules& rules;
    const Local& a;
    const Row* rows;
    double min_leaf, min_weight;
    double lower, upper;  // bounds of the values, of monotonic features
    double rounding;      // gains that differ by less are equal: the first one stands
    Word key;
    const Guide* guide;  // where many thresholds are drawn, or null
};

// Where the range of codes is at most this many times the rows, a histogram is made.
constexpr double BINS_PER_ROW = 1.0;

// Rows that follow each other go to histograms of their own: where they share a bin, a
// sum need not wait for the one before.
constexpr Index COPIES = 4;

template <class Criterion>
class FeatureSearch {
  public:
    FeatureSearch(const Question& question, Scratch& scratch)
        : q(question), s(scratch), crit(question.a) {}

    // Improve on `best`; false where all rows have one code.
    bool search(Index j, Split& best) {
        feature = j;
        const Index n = q.a.n;
        s.code.resize(n);
        Code least, most;
        q.X.gather(j, q.rows, n, s.code.data(), least, most);
        if (least == most) return false;
        missing = Code(q.X.counts[j]);
        sign = q.X.monotonic ? q.X.monotonic[j] : 0;
        found = Split{};
        const bool by_category = q.X.category && q.X.category[j];
        if (by_category) order_categories(least, most);
        if (q.rules.random)
            draw(least, most);
        else if (!Criterion::SORTS && double(most - least) < BINS_PER_ROW * double(n))
            count(least, most);
        else
            sort(least, most);
        if (!(found.gain > best.gain + q.rounding)) return true;
        if (by_category)
            name_categories();
        else
            name_threshold();
        best = std::move(found);
        return true;
    }

  private:
    const Question& q;
    Scratch& s;
    Criterion crit;
    Split found;
    Index feature = 0;
    Code missing = 0;
    int sign = 0;

    // The split between what has moved left and the rest, `next` being the first code
    // there; or the missing values alone.
    void consider(Code last, Code next, bool alone, bool missing_left,
                  bool any_missing) {
        const Index left = crit.rows, right = q.a.n - left;
        if (double(left) < q.min_leaf || double(right) < q.min_leaf || !right || !left)
            return;
        const double wl = crit.weight, wr = crit.right_weight();
        if (wl < q.min_weight || wr < q.min_weight || wl <= 0 || wr <= 0) return;
        if (sign != 0 && !is_monotonic()) return;
        const double gain = crit.gain();
        if (!(gain > found.gain + q.rounding)) return;
        found.gain = gain;
        found.feature = feature;
        found.code = last;
        found.next = next;
        found.alone = alone;
        found.missing_left = any_missing ? missing_left : left > right;
        if (sign != 0) found.middle = 0.5 * (crit.left_value() + crit.right_value());
    }

    bool is_monotonic() const {
        const double l = crit.left_value(), r = crit.right_value();
        return l >= q.lower && r >= q.lower && l <= q.upper && r <= q.upper &&
               (l - r) * sign <= 0;
    }

    // -- a histogram ---------------------------------------------------------------
    void count(Code least, Code most) {
        const Index width = crit.HEAD + crit.sums(), size = Index(most - least) + 1;
        const Index n = q.a.n, copies = n >= 32 * size ? COPIES : 1;
        s.bins.assign(copies * size * width, 0.0);
        double* bins = s.bins.data();
        Index i = 0;
        for (; copies > 1 && i + COPIES <= n; i += COPIES)
            for (Index c = 0; c < COPIES; ++c)
                crit.put(bins + (c * size + Index(s.code[i + c] - least)) * width,
                         i + c);
        for (; i < n; ++i) crit.put(bins + Index(s.code[i] - least) * width, i);
        for (Index c = 1; c < copies; ++c)
            for (Index b = 0; b < size * width; ++b)
                bins[b] += bins[c * size * width + b];
        const bool any_missing = most == missing;
        scan_bins(least, size - any_missing, width, false, any_missing);
        if (any_missing) scan_bins(least, size - 1, width, true, true);
    }

    void scan_bins(Code least, Index size, Index width, bool missing_left,
                   bool any_missing) {
        const double* bins = s.bins.data();
        crit.begin();
        if (missing_left) crit.take(bins + size * width);
        Index last = -1;
        for (Index b = 0; b < size; ++b) {
            const double* bin = bins + b * width;
            if (bin[0] == 0) continue;
            if (last >= 0)
                consider(least + Code(last), least + Code(b), false, missing_left,
                         any_missing);
            crit.take(bin);
            last = b;
        }
        if (any_missing && !missing_left)
            consider(least + Code(last), 0, true, false, true);
    }

    // -- a sort --------------------------------------------------------------------
    void sort(Code least, Code most) {
        const Index n = q.a.n;
        s.keys.resize(n);
        for (Index i = 0; i < n; ++i)
            s.keys[i] = Word(s.code[i] - least) << 32 | Word(i);
        sort_keys(most - least);
        Index present = n;
        if (most == missing)
            while (Code(s.keys[present - 1] >> 32) + least == missing) --present;
        scan_sorted(least, present, false);
        if (present < n) scan_sorted(least, present, true);
    }

    void sort_keys(Code range) {
        const Index n = Index(s.keys.size());
        if (n < 64) {
            insertion_sort();
            return;
        }
        s.spare.resize(n);
        const int bits = n < 4096 ? 8 : 11;
        for (int shift = 0; shift < 32 && (Word(range) >> shift) != 0; shift += bits)
            radix_pass(32 + shift, bits);
    }

    void insertion_sort() {
        Word* a = s.keys.data();
        const Index n = Index(s.keys.size());
        for (Index i = 1; i < n; ++i) {
            const Word key = a[i];
            Index p = i;
            for (; p > 0 && a[p - 1] > key; --p) a[p] = a[p - 1];
            a[p] = key;
        }
    }

    void radix_pass(int shift, int bits) {
        std::uint32_t start[2048] = {};
        const Word mask = (Word(1) << bits) - 1;
        for (const Word key : s.keys) ++start[(key >> shift) & mask];
        std::uint32_t sum = 0;
        for (Word b = 0; b <= mask; ++b) {
            const std::uint32_t size = start[b];
            start[b] = sum;
            sum += size;
        }
        for (const Word key : s.keys) s.spare[start[(key >> shift) & mask]++] = key;
        s.keys.swap(s.spare);
    }

    void scan_sorted(Code least, Index present, bool missing_left) {
        const Index n = q.a.n;
        if constexpr (Criterion::ONE_SUM) {
            if (present == n && sign == 0 && q.min_weight <= 0)
                return scan_plain(least);
        }
        const Word* keys = s.keys.data();
        const bool any_missing = present < n;
        if constexpr (Criterion::SORTS) {
            s.slots.resize(n);
            const Index shift = missing_left ? n - present : 0;
            for (Index p = 0; p < n; ++p)
                s.slots[(p + shift) % n] = std::uint32_t(keys[p]);
            crit.order(nullptr, s.slots.data(), n);
        }
        crit.begin();
        if (missing_left)
            for (Index p = present; p < n; ++p)
                crit.move(Index(std::uint32_t(keys[p])));
        Code last = Code(keys[0] >> 32);
        for (Index p = 0; p < present; ++p) {
            const Code code = Code(keys[p] >> 32);
            if (code != last)
                consider(least + last, least + code, false, missing_left, any_missing);
            crit.move(Index(std::uint32_t(keys[p])));
            last = code;
        }
        if (any_missing && !missing_left) consider(least + last, 0, true, false, true);
    }

    // The same without missing values and bounds, for criteria of one sum: prefix sums
    // first, then the gains (6) of all boundaries side by side.
    void scan_plain(Code least) {
        const Index n = q.a.n, edge = std::max<Index>(1, Index(std::ceil(q.min_leaf)));
        if (n < 2 * edge) return;
        s.prefix.resize(3 * n);
        double *w = s.prefix.data(), *sum = w + n, *gain = sum + n;
        double weight = 0, amount = 0;
        for (Index p = 0; p < n; ++p) {
            const Index i = Index(std::uint32_t(s.keys[p]));
            w[p] = weight += crit.w(i);
            sum[p] = amount += crit.amount(i);
        }
        const Index begin = edge - 1, end = n - edge;  // the last row on the left
        const double best = boundary_gains(begin, end, w, sum, gain);
        if (!(best >= 0)) return;
        Index p = begin;
        while (gain[p] < best - q.rounding) ++p;
        found.gain = gain[p];
        found.feature = feature;
        found.code = least + Code(s.keys[p] >> 32);
        found.next = least + Code(s.keys[p + 1] >> 32);
        found.missing_left = 2 * (p + 1) > n;
    }

    // gain[p] = (6) of the boundary behind the sorted row p, -1 within one code; returns
    // the largest.
    double boundary_gains(Index begin, Index end, const double* w, const double* sum,
                          double* gain) const {
        using V = Vec<double>;
        constexpr int L = lanes<double>;
        const double all = q.a.weight, mean = crit.mean();
        const Word* keys = s.keys.data();
        V most = splat(-1.0);
        Index p = begin;
        for (; p + L <= end; p += L) {
            const V wl = load(w + p), D = load(sum + p) - wl * mean;
            Vec<std::int64_t> here, next;
            std::memcpy(&here, keys + p, sizeof here);
            std::memcpy(&next, keys + p + 1, sizeof next);
            const V g = all * (D * D) / (wl * (all - wl));
            const V apart = ((here ^ next) >> 32) != 0 ? g : splat(-1.0);
            const V valid = wl < all ? apart : splat(-1.0);  // not by rounding
            store(gain + p, valid);
            most = valid > most ? valid : most;
        }
        double best = -1;
        for (int l = 0; l < L; ++l) best = std::max(best, double(most[l]));
        for (; p < end; ++p) {
            const double D = sum[p] - w[p] * mean;
            const bool apart = (keys[p] ^ keys[p + 1]) >> 32 && w[p] < all;
            gain[p] = apart ? all * (D * D) / (w[p] * (all - w[p])) : -1.0;
            best = std::max(best, gain[p]);
        }
        return best;
    }

    // -- a draw ----------------------------------------------------------------------
    // A threshold uniform between the least and the largest value; a side for NaN.
    void draw(Code least, Code most) {
        Draws draws{q.key ^ splitmix::finish(Word(feature) + 1)};
        const bool any_missing = most == missing;
        if (any_missing) {
            most = least;
            for (const Code c : s.code)
                if (c != missing) most = std::max(most, c);
        }
        const bool several = least < most;
        const bool missing_left = any_missing && several && (draws.next() & 1);
        Code last = least, next = least;
        double drawn = q.X.high[q.X.start[feature] + least];  // NaN alone beyond it
        if (several && q.X.category && q.X.category[feature]) {
            last = least + Code(draws.below(Index(most - least)));
            next = last + 1;
        } else if (several) {
            const double* low = q.X.low + q.X.start[feature];
            const double* high = q.X.high + q.X.start[feature];
            const double a = high[least], b = low[most], u = draws.uniform();
            drawn = a * (1 - u) + b * u;
            if (!(drawn < b)) drawn = a;
            last = last_code(drawn, least, most);
            next = last + 1;
            if (drawn >= low[next]) drawn = high[last] / 2 + low[next] / 2;
        }
        move_drawn(last, missing_left);
        consider(last, next, !several, missing_left, any_missing);
        found.threshold = drawn;
    }

    // The last code from least to most - 1 whose values are at most v.
    Code last_code(double v, Code least, Code most) const {
        if (q.guide) return std::clamp(q.guide->last_code(feature, v), least, most - 1);
        const double* high = q.X.high + q.X.start[feature];
        return Code(std::upper_bound(high + least + 1, high + most, v) - high - 1);
    }

    void move_drawn(Code last, bool missing_left) {
        const Index n = q.a.n;
        s.slots.resize(n);
        Index count = 0;
        for (Index i = 0; i < n; ++i) {
            const Code c = s.code[i];
            s.slots[count] = std::uint32_t(i);
            count += c == missing ? missing_left : c <= last;
        }
        if constexpr (Criterion::SORTS) {
            Index at = count;
            for (Index i = 0; i < n; ++i) {
                const Code c = s.code[i];
                if (!(c == missing ? missing_left : c <= last))
                    s.slots[at++] = std::uint32_t(i);
            }
            crit.order(nullptr, s.slots.data(), n);
        }
        crit.begin();
        for (Index p = 0; p < count; ++p) crit.move(Index(s.slots[p]));
    }

    // -- names -----------------------------------------------------------------------
    // The middle between the values at both sides, or infinity with NaN alone beyond.
    void name_threshold() {
        if (q.rules.random) return;
        if (found.alone) {
            found.threshold = INFINITE;
            return;
        }
        const double a = q.X.high[q.X.start[feature] + found.code];
        const double b = q.X.low[q.X.start[feature] + found.next];
        double middle = a / 2 + b / 2;
        if (!(middle < b) || !(middle >= a)) middle = a;
        found.threshold = middle;
    }

    // Replace the codes by the place of their category in the order of mean responses.
    void order_categories(Code& least, Code& most) {
        const Index n = q.a.n, width = 1 + mean_size(), size = Index(missing) + 1;
        s.bins.assign(size * width, 0.0);
        for (Index i = 0; i < n; ++i)
            add_response(s.bins.data() + s.code[i] * width, i);
        s.category.clear();
        for (Index c = 0; c < Index(missing); ++c)
            if (s.bins[c * width] > 0) s.category.push_back(Code(c));
        const std::vector<double> score = scores(width);
        std::stable_sort(s.category.begin(), s.category.end(),
                         [&](Code a, Code b) { return score[a] < score[b]; });
        s.place.assign(size, 0);
        for (std::size_t p = 0; p < s.category.size(); ++p)
            s.place[s.category[p]] = Code(p);
        missing = Code(s.category.size());
        s.place[size - 1] = missing;
        least = ~Code(0);
        most = 0;
        for (Index i = 0; i < n; ++i) {
            s.code[i] = s.place[s.code[i]];
            least = std::min(least, s.code[i]);
            most = std::max(most, s.code[i]);
        }
    }

    Index mean_size() const { return q.a.z.empty() ? q.a.m : Index(q.a.total.size()); }

    void add_response(double* sums, Index i) const {
        const double w = q.a.weighted ? q.a.w[i] : 1.0;
        sums[0] += w;
        for (Index o = 0; o < q.a.m; ++o) {
            if (q.a.z.empty())
                sums[1 + o] += q.a.y[i * q.a.m + o];
            else
                sums[1 + q.a.z[i * q.a.m + o]] += w;
        }
    }

    // The mean response of each category, or its place along the first principal
    // component where there are several means.
    std::vector<double> scores(Index width) const {
        const Index k = width - 1, size = Index(s.bins.size()) / width;
        std::vector<double> score(size, 0.0), centre(k, 0.0), u(k), next(k);
        double weight = 0;
        for (const Code c : s.category) {
            weight += s.bins[c * width];
            for (Index o = 0; o < k; ++o) centre[o] += s.bins[c * width + 1 + o];
        }
        for (Index o = 0; o < k; ++o) {
            centre[o] /= weight;
            u[o] = o == k - 1 ? 1.0 : 1.0 / double(2 + o);
        }
        const auto project = [&](Code c) {
            const double* sums = s.bins.data() + c * width;
            double p = 0;
            for (Index o = 0; o < k; ++o)
                p += u[o] * (sums[1 + o] / sums[0] - centre[o]);
            return p;
        };
        const bool two = !q.a.z.empty() && k == 2;
        if (two) u = {0.0, 1.0};
        for (int step = 0; k > 1 && !two && step < 100; ++step) {
            std::fill(next.begin(), next.end(), 0.0);
            for (const Code c : s.category) {
                const double* sums = s.bins.data() + c * width;
                const double p = project(c) * sums[0];
                for (Index o = 0; o < k; ++o)
                    next[o] += p * (sums[1 + o] / sums[0] - centre[o]);
            }
            double norm = 0;
            for (const double x : next) norm += x * x;
            if (!(norm > 0)) break;
            for (Index o = 0; o < k; ++o) u[o] = next[o] / std::sqrt(norm);
        }
        for (const Code c : s.category) score[c] = project(c);
        return score;
    }

    // The set of the split: its categories, and those that this node has not seen go
    // where most rows go.
    void name_categories() {
        Index left = 0;
        for (Index i = 0; i < q.a.n; ++i) left += goes_left(s.code[i]);
        const bool unseen = 2 * left > q.a.n;
        found.categories.assign(q.X.words, unseen ? ~std::uint32_t(0) : 0);
        for (std::size_t p = 0; p < s.category.size(); ++p) {
            const double v = q.X.low[q.X.start[feature] + s.category[p]];
            const Index category = Index(v);
            const std::uint32_t bit = std::uint32_t(1) << (category % 32);
            if (found.alone || Code(p) <= found.code)
                found.categories[category / 32] |= bit;
            else
                found.categories[category / 32] &= ~bit;
        }
    }

    bool goes_left(Code place) const {
        if (place == missing) return found.missing_left;
        return found.alone || place <= found.code;
    }
};

}  // namespace corollary::cart
