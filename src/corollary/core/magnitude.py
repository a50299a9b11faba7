"""How large and how small data may be: its squares must be numbers too.

Every method adds up squares: of distances, of residuals, of features.  A float64 of
size above 1e154 has an infinite square and one below 1e-162 has the square 0, so that
sums turn into infinity, NaN, or a feature that seems never to move.  Data is therefore
held to the sizes

    2^-480 <= max |x| <= 2^480  (float64),    2^-62 <= max |x| <= 2^62  (float32)  (1)

which leave room for sums of many squares; all zeros are fine.  Only the largest entry
counts: small ones beside it are small.  Learners that square in float64 whatever they
are given (`double_squares`) take nearly every float32.  What is learned from such data
is finite, and the engine holds every model to that where it is published
(`check_learned`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Matrix, Vector
from corollary.core.errors import DataError, NumericalError, sentence

__all__ = [
    "all_finite",
    "check_learned",
    "check_not_tiny",
    "is_finite",
    "largest_size",
    "numerical_errors",
    "size_limit",
]

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
LIMITS = {SINGLE: 2.0**62, DOUBLE: 2.0**480}  # (1)
WIDEST = 2.0**126  # of a float32 that is squared in float64; a difference is finite
WEIGHTS = 2.0**330  # of weights, which multiply squares
SCALE = "Scale the features: divide by a power of ten, or standardise."


def size_limit(name: str, dtype: Any, double: bool = False) -> float:
    """Return the largest size that X, y or sample_weight may have."""
    if name == "sample_weight":
        return WEIGHTS
    if double and np.dtype(dtype) == SINGLE:
        return WIDEST
    return LIMITS.get(np.dtype(dtype), LIMITS[DOUBLE])


def largest_size(X: Matrix, threads: int = 1) -> float:
    """Return max |x|, NaN or infinity where an entry is, 0 where there is none."""
    values = X.data if sp.issparse(X) else X
    if values.ndim == 1 or values.flags.c_contiguous:
        return loops.largest_size(np.ascontiguousarray(values).reshape(-1), threads)
    if values.flags.f_contiguous:
        return loops.largest_size(values.T.reshape(-1), threads)
    sizes = [loops.largest_size(np.ascontiguousarray(x), threads) for x in values.T]
    return float(np.max(sizes, initial=0.0))


def all_finite(X: Matrix, threads: int = 1) -> bool:
    """Tell whether no entry is NaN or infinite, at the pace of memory."""
    return bool(np.isfinite(largest_size(X, threads)))


def check_not_tiny(
    who: object, size: float, name: str, dtype: Any, double: bool = False
) -> None:
    """Refuse data, given by the size of its largest entry, whose squares vanish."""
    if not 0.0 < size < 1.0:
        return
    least = 1.0 / size_limit(name, dtype, double)
    if size < least:
        must = f"Input {name} must reach {least:.1g} in size, for its squares to count"
        remedy = f"Multiply {name} by a power of ten."
        raise DataError(sentence(who, must, f"{size:.3g} at most", remedy))


def too_large(
    who: object, name: str, dtype: Any, size: float, where: str, double: bool = False
) -> DataError:
    """Compose the error of a number whose square is infinite."""
    most = size_limit(name, dtype, double)
    single = name != "sample_weight" and np.dtype(dtype) == np.float32
    kind = " in float32" if single else ""
    must = f"Input {name} must be at most {most:.1g} in size{kind}, to be squared"
    remedy = f"Divide {name} by a power of ten"
    remedy += ", or convert it to float64." if single else "."
    return DataError(sentence(who, must, f"{size:.3g} in {where}", remedy))


def check_learned(model: Any) -> None:
    """Refuse to publish a model whose learned numbers are not finite."""
    for name, value in vars(model).items():
        if not name.endswith("_") or name in model.may_be_infinite:
            continue
        if isinstance(value, (float, np.floating)):
            finite = math.isfinite(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            finite = is_finite(value)
        else:
            continue
        if not finite:
            what = "NaN" if np.isnan(value).any() else "infinity"
            must = f"what is learned must be finite, {name} too"
            raise NumericalError(sentence(model, must, what, SCALE))


def is_finite(values: Vector) -> bool:
    """Tell the same of learned numbers, which are few and come in any precision."""
    if values.dtype in LIMITS and values.flags.c_contiguous:
        return math.isfinite(loops.largest_size(values.reshape(-1), 1))
    return bool(np.isfinite(values).all())


@contextmanager
def numerical_errors(who: object) -> Iterator[None]:
    """Say in one sentence that a decomposition of finite data has failed."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        must = "the data must be fit for a matrix decomposition"
        raise NumericalError(sentence(who, must, str(error).lower(), SCALE)) from error
