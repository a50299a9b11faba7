"""What can be wrong with the arrays of a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp


def matrix(n: int = 40, d: int = 6, seed: int = 0) -> Any:
    """Make sparse rows of amounts, none of them empty."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * (rng.random((n, d)) < 0.5)
    X[np.arange(n), np.arange(n) % d] = 1.0 + rng.random(n)
    return sp.csr_array(X)


def negative_index(X: Any) -> None:
    X.indices[3] = -3


def large_index(X: Any) -> None:
    X.indices[-1] = max(X.shape)


def huge_index(X: Any) -> None:
    X.indices = X.indices.astype(np.int64)
    X.indices[2] = 2**40
    X.indptr = X.indptr.astype(np.int64)


def late_start(X: Any) -> None:
    X.indptr[0] = 2


def falling_pointers(X: Any) -> None:
    X.indptr[2] = X.indptr[-1]


def end_too_far(X: Any) -> None:
    X.indptr[-1] += 1000


def short_pointers(X: Any) -> None:
    X.indptr = X.indptr[:-3].copy()


def long_pointers(X: Any) -> None:
    X.indptr = np.append(X.indptr, X.indptr[-1]).astype(X.indptr.dtype)


def short_values(X: Any) -> None:
    X.data = X.data[:-4].copy()


def short_indices(X: Any) -> None:
    X.indices = X.indices[:-4].copy()


def float_indices(X: Any) -> None:
    X.indices = X.indices.astype(np.float64)


def more_room(X: Any) -> None:
    X.indices = np.append(X.indices, [-1, 2**20]).astype(X.indices.dtype)
    X.data = np.append(X.data, [7.0, 7.0])


def small_indices(X: Any) -> None:
    X.indices, X.indptr = X.indices.astype(np.uint16), X.indptr.astype(np.int64)


def unsorted(X: Any) -> None:
    for i in range(len(X.indptr) - 1):
        row = slice(X.indptr[i], X.indptr[i + 1])
        X.indices[row] = X.indices[row][::-1].copy()
        X.data[row] = X.data[row][::-1].copy()
    X.has_sorted_indices = X.has_canonical_format = True  # which is not so


def duplicated(X: Any) -> None:
    X.indices = X.indices.repeat(2)
    X.data, X.indptr = X.data.repeat(2) / 2, X.indptr * 2
    X.has_canonical_format = True  # which is not so


#: Faults of CSR; those in WRONG leave no matrix behind, the others are harmless.
FAULTS: dict[str, Callable[[Any], None]] = {
    f.__name__: f
    for f in (
        negative_index,
        large_index,
        huge_index,
        late_start,
        falling_pointers,
        end_too_far,
        short_pointers,
        long_pointers,
        short_values,
        short_indices,
        float_indices,
        more_room,
        small_indices,
        unsorted,
        duplicated,
    )
}
WRONG = tuple(FAULTS)[:11]


def other_formats() -> dict[str, Callable[[], Any]]:
    """Return makers of broken matrices in the formats that SciPy converts."""

    def broken(kind: str, change: Callable[[Any], None]) -> Callable[[], Any]:
        def make() -> Any:
            X = matrix().asformat(kind)
            change(X)
            return X

        return make

    def dok(X: Any) -> None:
        X._dict[(10**6, 0)] = 1.0

    def lil_index(X: Any) -> None:
        X.rows[0][0] = 10**6

    def lil_value(X: Any) -> None:
        X.data[0].append(1.0)

    def coo_index(X: Any) -> None:
        X.row[0] = 10**6

    def coo_negative(X: Any) -> None:
        X.col[0] = -2

    def coo_short(X: Any) -> None:
        X.data = X.data[:-2]

    def dia_offsets(X: Any) -> None:
        X.offsets = np.zeros(len(X.offsets) + 5, X.offsets.dtype)

    return {
        "csc index": broken("csc", negative_index),
        "csc pointers": broken("csc", end_too_far),
        "coo index": broken("coo", coo_index),
        "coo negative": broken("coo", coo_negative),
        "coo short": broken("coo", coo_short),
        "bsr index": broken("bsr", large_index),
        "bsr pointers": broken("bsr", late_start),
        "bsr far": broken("bsr", end_too_far),
        "dok key": broken("dok", dok),
        "lil index": broken("lil", lil_index),
        "lil value": broken("lil", lil_value),
        "dia offsets": broken("dia", dia_offsets),
    }
