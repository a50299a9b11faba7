"""What users ask of single features: categories, signs, sets that may interact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.checks import names_of
from corollary.core.errors import ParameterError, sentence

__all__ = ["categorical_mask", "interacting_sets", "monotone_signs", "named_features"]


def named_features(who: Any, what: str, names: Any) -> Vector:
    """Return the features that names or numbers mean."""
    d = who.n_features_in_
    given = np.asarray(names)
    if given.dtype == bool:
        if given.shape != (d,):
            must = f"{what} as a mask must have {d} entries"
            raise ParameterError(sentence(who, must, f"{given.shape}"))
        return np.flatnonzero(given)
    if given.dtype.kind in "iu":
        if given.size and (given.min() < 0 or given.max() >= d):
            must = f"{what} must number features from 0 to {d - 1}"
            raise ParameterError(sentence(who, must, f"{given.tolist()}"))
        return given.astype(np.int64).ravel()
    known = names_of(who)
    if given.dtype.kind not in "UO" or known is None:
        must = f"{what} must be a mask, numbers or names of features"
        raise ParameterError(sentence(who, must, f"{given.tolist()}"))
    strange = [name for name in given.tolist() if name not in list(known)]
    if strange:
        must = f"{what} must name features of X"
        raise ParameterError(sentence(who, must, repr(strange[0])))
    places = {name: f for f, name in enumerate(known)}
    return np.array([places[name] for name in given.tolist()], np.int64)


def categorical_mask(who: Any, d: int) -> Vector | None:
    """Return which features `categorical_features` names; None = by their type."""
    asked = who.categorical_features
    if isinstance(asked, str):
        return None
    mask = np.zeros(d, bool)
    if asked is not None and len(asked):
        mask[named_features(who, "categorical_features", asked)] = True
    return mask


def monotone_signs(who: Any, categorical: Vector) -> Vector | None:
    """Return the sign that `monotonic_cst` gives each feature, (d,)."""
    asked, d = who.monotonic_cst, len(categorical)
    if asked is None:
        return None
    signs = np.zeros(d, np.int8)
    by_name = isinstance(asked, Mapping)
    given = np.asarray(list(asked.values()) if by_name else asked)
    if not by_name and given.shape != (d,):
        must = f"monotonic_cst must have {d} entries"
        raise ParameterError(sentence(who, must, f"{given.shape}"))
    if not np.isin(given, (-1, 0, 1)).all():
        must = "monotonic_cst must be -1, 0 or 1 for each feature"
        raise ParameterError(sentence(who, must, f"{given.tolist()}"))
    where = (
        named_features(who, "monotonic_cst", list(asked)) if by_name else slice(None)
    )
    signs[where] = given
    if len(getattr(who, "classes_", ())) > 2 and signs.any():
        must = "monotonic_cst needs one score, of numbers or of two classes"
        raise ParameterError(sentence(who, must, "more classes"))
    if (signs[categorical] != 0).any():
        must = "a categorical feature cannot be monotone"
        raise ParameterError(sentence(who, must, f"{np.flatnonzero(categorical)}"))
    return signs if signs.any() else None


def interacting_sets(who: Any, d: int) -> Vector | None:
    """Return which sets of interacting features each feature is in, as bits."""
    asked = who.interaction_cst
    if asked is None:
        return None
    if isinstance(asked, str):
        pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
        groups = [[f] for f in range(d)] if asked == "no_interactions" else pairs
    else:
        groups = [set_of_features(who, group, d) for group in asked]
        rest = set(range(d)) - {f for group in groups for f in group}
        groups += [sorted(rest)] if rest else []
    bits = np.zeros((d, -(-max(1, len(groups)) // 64)), np.uint64)
    for number, group in enumerate(groups):
        for f in group:
            bits[f, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    return bits


def set_of_features(who: Any, group: Any, d: int) -> list[int]:
    """Return one set of interacting features."""
    listed = isinstance(group, Sequence | Set | np.ndarray)
    if not listed or any(
        not isinstance(f, Integral) or not 0 <= int(f) < d for f in group
    ):
        must = f"interaction_cst must list numbers of features from 0 to {d - 1}"
        raise ParameterError(sentence(who, must, f"{group}"))
    return [int(f) for f in group]
