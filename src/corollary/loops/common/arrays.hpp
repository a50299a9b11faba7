// NumPy arrays at the border. Nothing is converted: a wrong dtype, rank or layout is a
// TypeError, so an output array is always the caller's own.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "common/rows.hpp"

namespace corollary {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indptr = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class A>
using Optional = std::optional<A>;

template <class A>
auto* data_or_null(const Optional<A>& a) {
    return a ? a->data() : nullptr;
}

template <class T>
Dense<T> rows(const Matrix<const T>& X) {
    return {X.data(), Index(X.shape(0)), Index(X.shape(1))};
}

template <class T>
Csr<T> rows(const Vector<const T>& data, const Vector<const std::int32_t>& indices,
            const Indptr& indptr, Index d) {
    const Index n = Index(indptr.shape(0)) - 1;
    if (indptr.dtype() == nb::dtype<std::int32_t>())
        return {data.data(),
                indices.data(),
                static_cast<const std::int32_t*>(indptr.data()),
                nullptr,
                n,
                d};
    if (indptr.dtype() == nb::dtype<std::int64_t>())
        return {data.data(), indices.data(),
                nullptr,     static_cast<const std::int64_t*>(indptr.data()),
                n,           d};
    throw nb::type_error("indptr must be int32 or int64");
}

// An argument that is taken as it is.
inline auto as_is(const char* name) { return nb::arg(name).noconvert(); }

}  // namespace corollary
