"""Checks of plain numbers: vectors, probabilities, counts, and rows for a law.

`core/checks.py` is for the data of a fit; this file is for the small arrays that users
write down themselves, such as the parameters of a distribution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.warn import warn

__all__ = [
    "class_priors",
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
        if np.asarray(x).dtype.kind in "US":
            raise TypeError
        x = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        must = f"{name} must hold numbers"
        raise error(sentence(who, must, _shown(x))) from None
    if not np.isfinite(x).all():
        bad = x[~np.isfinite(x)][0]
        raise error(sentence(who, f"{name} must be finite", f"{bad}"))
    return x


def non_negative(
    who: object, x: Any, name: str, error: type[Exception] = DataError
) -> Floats:
    """Return x as finite numbers >= 0."""
    x = numbers(who, x, name, error)
    if x.size and x.min() < 0:
        raise error(sentence(who, f"{name} must be >= 0", f"{x.min():g}"))
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


def probabilities(
    who: object,
    p: Any,
    name: str = "probabilities",
    k: int | None = None,
    error: type[Exception] = DataError,
) -> Floats:
    """Return p as numbers >= 0 that add up to 1, a vector of k where k is given."""
    p = non_negative(who, p, name, error)
    if k is not None and p.shape != (k,):
        must = f"{name} must hold one probability for each of {k}"
        raise error(sentence(who, must, f"{p.size}"))
    if not p.size or abs(p.sum() - 1) > SUM:
        must = f"{name} must add up to 1"
        remedy = "Divide by their sum." if p.sum() > 0 else ""
        raise error(sentence(who, must, f"{p.sum():.10g}", remedy))
    return p


def class_priors(who: object, given: Any, n: Floats, *, strict: bool = True) -> Floats:
    """Return class probabilities: those given, or the shares of the weights n.

    Priors that do not sum to 1 are an error where `strict`, else they are divided by
    their sum, with a warning.
    """
    if given is None:
        return n / n.sum()
    pi = numbers(who, given, "priors", ParameterError)
    if pi.shape != n.shape:
        must = f"Number of priors must match number of classes = {len(n)}"
        raise ParameterError(sentence(who, must, f"{pi.size}"))
    if pi.min() < 0:
        must = "Priors must be non-negative"
        raise ParameterError(sentence(who, must, f"{pi.min():g}"))
    if np.isclose(pi.sum(), 1.0):
        return pi
    if strict or not pi.any():
        must = "The sum of the priors should be 1"
        raise ParameterError(sentence(who, must, f"{pi.sum():g}"))
    text = "The priors do not sum to 1. Normalizing such that it sums to one"
    text = f"{type(who).__name__}: {text}: the sum was {pi.sum():g}."
    warn(text)
    return pi / pi.sum()


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
