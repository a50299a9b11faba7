"""Checks of plain numbers: vectors, probabilities, counts, and rows for a law.

`core/checks.py` is for the data of a fit; this file is for the small arrays that users
write down themselves, such as the parameters of a distribution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = [
    "non_negative",
    "numbers",
    "positive",
    "positive_vectors",
    "probabilities",
    "rows_of",
    "whole",
]

SUM = 1e-8  # how far from 1 probabilities may add up


def numbers(who: object, x: Any, name: str, error: type[Exception] = DataError) -> Any:
    """Return x as an array of finite float64, of any shape."""
    try:
        x = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        must = f"{name} must hold numbers"
        raise error(sentence(who, must, _shown(x))) from None
    if not np.isfinite(x).all():
        bad = x[~np.isfinite(x)][0]
        raise error(sentence(who, f"{name} must be finite", f"{bad}"))
    return x


def non_negative(who: object, x: Any, name: str) -> Floats:
    """Return x as finite numbers >= 0."""
    x = numbers(who, x, name)
    if x.size and x.min() < 0:
        raise DataError(sentence(who, f"{name} must be >= 0", f"{x.min():g}"))
    return x


def positive(who: object, x: Any, name: str) -> Floats:
    """Return parameters as finite numbers > 0."""
    x = numbers(who, x, name, ParameterError)
    if x.size and x.min() <= 0:
        raise ParameterError(sentence(who, f"{name} must be > 0", f"{x.min():g}"))
    return x


def positive_vectors(who: object, **values: Any) -> dict[str, Floats]:
    """Return parameters > 0 as vectors of one length."""
    checked = [np.atleast_1d(positive(who, x, name)) for name, x in values.items()]
    try:
        alike = np.broadcast_arrays(*checked)
    except ValueError:
        must = f"{' and '.join(values)} must have one length"
        came = " and ".join(f"{len(x)}" for x in checked)
        raise ParameterError(sentence(who, must, came)) from None
    return {name: x.copy() for name, x in zip(values, alike, strict=True)}


def probabilities(who: object, p: Any, name: str = "probabilities") -> Floats:
    """Return p as numbers >= 0 that add up to 1."""
    p = non_negative(who, p, name)
    if not p.size or abs(p.sum() - 1) > SUM:
        must = f"{name} must add up to 1"
        remedy = "Divide by their sum." if p.sum() > 0 else ""
        raise DataError(sentence(who, must, f"{p.sum():.10g}", remedy))
    return p


def whole(who: object, x: Any, name: str) -> Floats:
    """Return counts: finite whole numbers >= 0, as float64."""
    x = non_negative(who, x, name)
    if (x != np.floor(x)).any():
        bad = x[x != np.floor(x)][0]
        raise DataError(sentence(who, f"{name} must be whole numbers", f"{bad:g}"))
    return x


def rows_of(who: object, X: Any, d: int | None = None) -> Floats:
    """Return X as rows, (n, d) float64 without NaN.

    A vector is a column of numbers where d = 1 or unknown, and one row otherwise.
    """
    try:
        X = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            sentence(who, "X must hold numbers", _shown(X), "Encode text first.")
        ) from None
    if X.ndim < 2:
        X = X.reshape(-1, 1) if d in (None, 1) else X.reshape(1, -1)
    if X.ndim != 2 or X.shape[1] < 1 or (d is not None and X.shape[1] != d):
        must = f"X must be rows of {'some' if d is None else d} columns"
        raise DataError(sentence(who, must, f"shape {X.shape}"))
    if np.isnan(X).any():
        row, column = np.argwhere(np.isnan(X))[0]
        came = f"NaN in row {row}, column {column}"
        raise DataError(sentence(who, "X must be free of NaN", came))
    return X


def _shown(x: Any) -> str:
    text = " ".join(repr(x).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
