// Rows of a dense or a CSR matrix behind one interface, so that each algorithm is
// written once: X.n, X.d, X.row(i) and the free functions below.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/vector.hpp"

namespace corollary {
inline namespace COROLLARY_VECTORS {

using Index = std::int64_t;

template <class T>
struct Dense {
    using Scalar = T;
    const T* data;
    Index n, d;

    const T* row(Index i) const { return data + i * d; }
    void prefetch(Index) const {}  // where row i begins
};

template <class T>
struct SparseRow {
    const T* x;             // the stored values
    const std::int32_t* j;  // their columns
    Index count;
};

// indptr may be a slice of a longer one: its offsets count from data[0].
template <class T>
struct Csr {
    using Scalar = T;
    const T* data;
    const std::int32_t* indices;
    const std::int32_t* indptr32;  // one of the two is null
    const std::int64_t* indptr64;
    Index n, d;

    Index offset(Index i) const { return indptr64 ? indptr64[i] : indptr32[i]; }
    SparseRow<T> row(Index i) const {
        const Index start = offset(i);
        return {data + start, indices + start, offset(i + 1) - start};
    }
    void prefetch(Index i) const {
        if (indptr64)
            __builtin_prefetch(indptr64 + i);
        else
            __builtin_prefetch(indptr32 + i);
    }
};

// How many rows to take at a time so that they stay in a cache of `bytes`.
template <class T>
Index rows_in(const Dense<T>& X, Index bytes) {
    const Index row_bytes = std::max<Index>(1, X.d * Index(sizeof(T)));
    return std::clamp<Index>(bytes / row_bytes, 16, 1024);
}

template <class T>
Index rows_in(const Csr<T>&, Index) {
    return 256;
}

// sum_p f(x_p, j_p) over the stored values of a row, as four sums that run side by
// side.
template <class T, class F>
inline double sum_stored(SparseRow<T> row, F f) {
    double s[4] = {0, 0, 0, 0};
    Index p = 0;
    for (; p + 4 <= row.count; p += 4)
        for (int r = 0; r < 4; ++r) s[r] += f(row.x[p + r], row.j[p + r]);
    for (; p < row.count; ++p) s[0] += f(row.x[p], row.j[p]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// x_i . w in float64, as sums that run side by side.
template <class T>
inline double dot(const Dense<T>& X, Index i, const double* w) {
    const T* x = X.row(i);
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    Index j = 0;
    for (; j + 8 <= X.d; j += 8)
        for (int r = 0; r < 8; ++r) s[r] += double(x[j + r]) * w[j + r];
    for (; j < X.d; ++j) s[0] += double(x[j]) * w[j];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

template <class T>
inline double dot(const Csr<T>& X, Index i, const double* w) {
    return sum_stored(X.row(i), [w](double x, std::int32_t j) { return x * w[j]; });
}

// out += alpha x_i
template <class T>
inline void add_row(const Dense<T>& X, Index i, double alpha, double* __restrict out) {
    const T* __restrict x = X.row(i);
    for (Index j = 0; j < X.d; ++j) out[j] += alpha * x[j];
}

template <class T>
inline void add_row(const Csr<T>& X, Index i, double alpha, double* out) {
    const SparseRow<T> row = X.row(i);
    for (Index p = 0; p < row.count; ++p) out[row.j[p]] += alpha * row.x[p];
}

// out[i - begin] = x_i . v, for begin <= i < end. Four rows at a time share the loads
// of v; a row's sum does not depend on its place among them.
template <int R, class T>
inline void dots_of(const T* x, Index d, const T* v, double* out) {
    constexpr int L = lanes<T>;
    Vec<T> even[R], odd[R];
    for (int r = 0; r < R; ++r) even[r] = odd[r] = splat(T(0));
    Index j = 0;
    for (; j + 2 * L <= d; j += 2 * L) {
        const Vec<T> v0 = load(v + j), v1 = load(v + j + L);
        for (int r = 0; r < R; ++r) {
            even[r] += load(x + r * d + j) * v0;
            odd[r] += load(x + r * d + j + L) * v1;
        }
    }
    for (; j + L <= d; j += L)
        for (int r = 0; r < R; ++r) even[r] += load(x + r * d + j) * load(v + j);
    if (j < d)
        for (int r = 0; r < R; ++r) odd[r] += load_rest(x + r * d, d) * load_rest(v, d);
    for (int r = 0; r < R; ++r) out[r] = sum<T>(even[r] + odd[r]);
}

template <class T>
inline void dots(const Dense<T>& X, Index begin, Index end, const T* v, double* out) {
    Index i = begin;
    for (; i + 4 <= end; i += 4) dots_of<4>(X.row(i), X.d, v, out + (i - begin));
    for (; i < end; ++i) dots_of<1>(X.row(i), X.d, v, out + (i - begin));
}

template <class T>
inline void dots(const Csr<T>& X, Index begin, Index end, const T* v, double* out) {
    for (Index i = begin; i < end; ++i)
        out[i - begin] = sum_stored(
            X.row(i), [v](double x, std::int32_t j) { return x * double(v[j]); });
}

// out += sum_i r[i - begin] x_i, for begin <= i < end. `part` (d,) is scratch: a block
// is summed in T before it is added in float64.
template <class T>
inline void add_rows(const Dense<T>& X, Index begin, Index end, const double* r,
                     T* part, double* out) {
    const Index d = X.d;
    std::fill_n(part, d, T(0));
    Index i = begin;
    for (; i + 4 <= end; i += 4, r += 4) {
        const T *x0 = X.row(i), *x1 = x0 + d, *x2 = x1 + d, *x3 = x2 + d;
        const T r0 = T(r[0]), r1 = T(r[1]), r2 = T(r[2]), r3 = T(r[3]);
        for (Index j = 0; j < d; ++j)
            part[j] += (r0 * x0[j] + r1 * x1[j]) + (r2 * x2[j] + r3 * x3[j]);
    }
    for (; i < end; ++i, ++r) {
        const T* x = X.row(i);
        for (Index j = 0; j < d; ++j) part[j] += T(r[0]) * x[j];
    }
    for (Index j = 0; j < d; ++j) out[j] += part[j];
}

template <class T>
inline void add_rows(const Csr<T>& X, Index begin, Index end, const double* r, T*,
                     double* out) {
    for (Index i = begin; i < end; ++i) add_row(X, i, r[i - begin], out);
}

}  // namespace COROLLARY_VECTORS
}  // namespace corollary
