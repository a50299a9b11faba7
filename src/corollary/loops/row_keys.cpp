// A 64-bit key of each row, a function of its values and the seed alone.
//
//   key(x) = finish(seed' + sum_j [h(bits(x_j) ^ a_j) - h(a_j)]),   mod 2^64          (1)
//   h(v)   = high(p) ^ low(p),  p = v B in 128 bits, B a fixed odd number             (2)
//
// bits(v) are those of v as float64, with -0 as 0; a_j is a random 64-bit number drawn
// from the seed and j. Zeros add nothing, so a CSR row has its dense row's key.

#include <algorithm>
#include <bit>
#include <vector>

#include "common/arrays.hpp"
#include "common/splitmix.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Word = std::uint64_t;
__extension__ using DoubleWord = unsigned __int128;

using splitmix::finish;

// The j-th random number of splitmix64's stream.
inline Word draw(Word seed, Index j) {
    return finish(seed + (Word(j) + 1) * splitmix::STEP);
}

inline Word bits(double v) { return std::bit_cast<Word>(v + 0.0); }  // -0 + 0 = 0

constexpr Word B = 0xa0761d6478bd642fu;

inline Word h(Word v) {  // (2)
    const DoubleWord p = DoubleWord(v) * B;
    return Word(p >> 64) ^ Word(p);
}

#if defined(__AVX512DQ__)
// (2) from products of 32-bit halves, of which there are vector instructions.
inline Word h_by_halves(Word v) {
    constexpr Word low = 0xffffffffu, b0 = B & low, b1 = B >> 32;
    const Word v0 = v & low, v1 = v >> 32;
    const Word t = v1 * b0 + (v0 * b0 >> 32), u = v0 * b1 + (t & low);
    return (v1 * b1 + (t >> 32) + (u >> 32)) ^ (v * B);
}

// sum_j h(bits(x_j) ^ a_j)
template <class T>
Word sum_of_h(const T* x, const Word* a, Index d) {
    Word s = 0;
    for (Index j = 0; j < d; ++j) s += h_by_halves(bits(x[j]) ^ a[j]);
    return s;
}
#else
template <class T>
Word sum_of_h(const T* x, const Word* a, Index d) {
    constexpr Index block = 64;  // the first loop over a block is vectorised
    Word v[block], s = 0;
    for (Index begin = 0; begin < d; begin += block) {
        const Index count = std::min(block, d - begin);
        for (Index j = 0; j < count; ++j) v[j] = bits(x[begin + j]) ^ a[begin + j];
#pragma GCC unroll 4
        for (Index j = 0; j < count; ++j) s += h(v[j]);
    }
    return s;
}
#endif

template <class T>
void row_keys(const Dense<T>& X, Word seed, Word* out) {
    std::vector<Word> a(X.d);
    Word start = finish(seed);
    for (Index j = 0; j < X.d; ++j) {
        a[j] = draw(seed, j);
        start -= h(a[j]);
    }
    for (Index i = 0; i < X.n; ++i)
        out[i] = finish(start + sum_of_h(X.row(i), a.data(), X.d));  // (1)
}

template <class T>
void row_keys(const Csr<T>& X, Word seed, Word* out) {
    const Word start = finish(seed);
    for (Index i = 0; i < X.n; ++i) {
        const SparseRow<T> row = X.row(i);
        Word s = start;
        for (Index p = 0; p < row.count; ++p) {
            const Word a_j = draw(seed, row.j[p]);
            s += h(bits(row.x[p]) ^ a_j) - h(a_j);
        }
        out[i] = finish(s);  // (1)
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "row_keys",
        [](Matrix<const T> X, Word seed, Vector<Word> out) {
            nb::gil_scoped_release free;
            row_keys(rows(X), seed, out.data());
        },
        as_is("X"), nb::arg("seed"), as_is("out"));
    m.def(
        "row_keys_csr",
        [](Vector<const T> data, Vector<const std::int32_t> indices, Indptr indptr,
           Word seed, Vector<Word> out) {
            const Csr<T> X = rows(data, indices, indptr, 0);
            nb::gil_scoped_release free;
            row_keys(X, seed, out.data());
        },
        as_is("data"), as_is("indices"), as_is("indptr"), nb::arg("seed"),
        as_is("out"));
}

}  // namespace

void bind_row_keys(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace corollary
