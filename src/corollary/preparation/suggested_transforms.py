"""Suggestions of simple transforms: log, square root, log(1 + x), or a power.

Also known as: transformation of variables, choice of a transform, ladder of powers,
linearising transforms.

Each column and the target are looked at as they are and bent by

    log x,   sqrt x   (x > 0);      log(1 + x),   sqrt x   (x >= 0, some 0)
    (x^lambda - 1)/lambda, or Yeo and Johnson's where some values are negative      (1)

with lambda of the highest likelihood (`power_profile`).  Two kinds of evidence are kept:

    normality   the skewness before and after; the log-likelihood that lambda gains over
                1, and what the exponents 0 and 1/2 lose; the 95% interval of lambda
    linearity   R^2 of a line through (x, y) before and after, where y is given      (2)

Without y, and for y itself, a transform is suggested where |skewness| is above 1/2, the
transform halves it and the exponent 1 is outside of the interval of lambda.  Of the
simple transforms the one is taken whose exponent is in the interval, or which keeps nine
tenths of the gain; else the power.  With y, an input is given the transform that raises
R^2 most, if that is by 0.02 at least, more than chance would.

All is found by sums, in about six passes over any source; a missing value counts
nowhere.

Notation: lambda = lambda_; R^2 = linearity.
Course: S3-112. References: Box and Cox (1964); Tukey (1977), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite, check_targets, check_X, names_of
from corollary.core.errors import DataError, sentence
from corollary.engine import ArraySource, Chunk, Data, MappedSource, Source, Statistics
from corollary.engine.sources.opening import as_source
from corollary.preparation.column_statistics import Extremes, Spread, weighing
from corollary.preparation.power_profile import Profile, logs, power
from corollary.preparation.power_transformer import CHI, PowerTransformer

__all__ = ["Suggestion", "Suggestions", "suggest_transforms"]

SKEWED = 0.5  # size of a skewness that is worth a transform
HALVED = 0.5  # share of it that may be left
KEPT = 0.9  # share of the likelihood gain that a simple transform must keep
STRAIGHTER = 0.02  # rise of R^2 that is worth a transform
NAMES = ("none", "log", "sqrt", "log1p", "power")
Z = 1.959963984540054  # 97.5% point of the normal distribution
WHO = "suggest_transforms"


@dataclass(frozen=True)
class Suggestion:
    """What is suggested for one column, and why.

    Attributes
    ----------
    name : str
        Of the column.
    transform : {'none', 'log', 'sqrt', 'log1p', 'box-cox', 'yeo-johnson'}
    lambda_ : float
        The exponent of the highest likelihood.
    interval : pair of float
        95% interval of the exponent.
    gain : float
        Log-likelihood that the exponent gains over 1, which is no transform.
    skewness : dict
        Skewness of the column under each transform that it can have.
    linearity : dict
        R^2 of a line to the target, under each transform; empty without a target.
    """

    name: str
    transform: str
    lambda_: float
    interval: tuple[float, float]
    gain: float
    skewness: dict[str, float]
    linearity: dict[str, float]

    def __str__(self) -> str:
        low, high = self.interval
        text = f"{self.name}: {self.transform}; lambda {self.lambda_:.3g} in "
        text += f"[{low:.3g}, {high:.3g}], log-likelihood +{self.gain:.4g}; skewness "
        text += _change(self.skewness, self.transform)
        if self.linearity:
            text += f"; R^2 {_change(self.linearity, self.transform)}"
        return text


def _change(values: dict[str, float], name: str) -> str:
    if name == "none":
        return f"{values['none']:.3g}"
    return f"{values['none']:.3g} -> {values[name]:.3g}"


@dataclass(frozen=True)
class Suggestions:
    """What is suggested for all columns, and for the target if there is one."""

    columns: tuple[Suggestion, ...]
    target: Suggestion | None = None

    def __str__(self) -> str:
        own = [*self.columns, *([] if self.target is None else [self.target])]
        return "\n".join(map(str, own))

    def __getitem__(self, name: str) -> Suggestion:
        """Return the suggestion for a column by its name."""
        return next(one for one in self.columns if one.name == name)


def suggest_transforms(X: Any, y: Any = None) -> Suggestions:
    """Suggest log, square root or a power for columns and a target, with the evidence.

    Also known as: which transform to use, should I take logs.

    Parameters
    ----------
    X : array, data frame or Source
        A source may carry the target.
    y : array of shape (n,), optional
        A target of numbers.

    Returns
    -------
    Suggestions
        One `Suggestion` for each column and one for the target; `print` shows all.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.preparation import suggest_transforms
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.exp(rng.normal(size=500)), rng.normal(size=500)])
    >>> [one.transform for one in suggest_transforms(X).columns]
    ['log', 'none']
    """
    source, names, target = opened(X, y)
    model = PowerTransformer()
    model.n_features_in_ = source.n_features
    data = Data(model, source)
    try:
        seen = data.reduce(look)
        lam, error, losses, gain = exponents(data, seen)
        first = data.reduce(partial(spreads, seen=seen, lam=lam))
        second = data.reduce(partial(shapes, seen=seen, lam=lam, first=first))
    finally:
        data.executor.close()
    skewness, r2 = second.skew / second.n, (second.product / second.n) ** 2
    made = []
    for j, name in enumerate(names):
        bent = list(NAMES[:4])
        bent.append("box-cox" if seen.low[j] > 0 else "yeo-johnson")
        known = first.n[:, j] > 0
        own = {b: float(v) for b, v, k in zip(bent, skewness[:, j], known) if k}
        line = {b: float(v) for b, v, k in zip(bent, r2[:, j], known) if k}
        interval = (float(lam[j] - Z * error[j]), float(lam[j] + Z * error[j]))
        one = Suggestion(name, "none", float(lam[j]), interval, float(gain[j]), own, line)
        is_target = target and j == len(names) - 1
        if not target or is_target:
            one = replace(one, linearity={}, transform=normal(one, losses[:, j]))
        else:
            one = replace(one, transform=straight(one, float(second.n[0, j])))
        made.append(one)
    if target:
        return Suggestions(tuple(made[:-1]), made[-1])
    return Suggestions(tuple(made))


# -- the decision ----------------------------------------------------------------------
def normal(one: Suggestion, losses: Floats) -> str:
    """Choose by normality: the simplest transform that does most of what can be done."""
    plain, bent = one.skewness["none"], list(one.skewness)[-1]
    skewed = abs(plain) > SKEWED
    outside = not one.interval[0] <= 1 <= one.interval[1]
    if not (skewed and outside and one.gain > CHI):
        return "none"
    simple = {"log": losses[0], "sqrt": losses[1]}
    if "log1p" in one.skewness and "log" not in one.skewness:
        simple = {"log1p": losses[0]}  # the exponent 0 of Yeo and Johnson
    simple = {name: loss for name, loss in simple.items() if name in one.skewness}
    enough = max(CHI, (1 - KEPT) * one.gain)
    good = [name for name, loss in simple.items() if loss <= enough]
    choice = min(good, key=simple.__getitem__) if good else bent
    return choice if abs(one.skewness[choice]) <= HALVED * abs(plain) else "none"


def straight(one: Suggestion, n: float) -> str:
    """Choose by linearity: the transform that raises R^2 most, if by enough."""
    plain = one.linearity["none"]
    best = max(one.linearity, key=one.linearity.__getitem__)
    chance = Z**2 * (1 - plain) / max(n - 2, 1.0)  # of one more column
    rise = one.linearity[best] - plain
    return best if rise >= max(STRAIGHTER, chance) else "none"


# -- the data --------------------------------------------------------------------------
@dataclass(frozen=True)
class WithTarget:
    """A chunk whose last column is its target."""

    def __call__(self, chunk: Chunk) -> Chunk:
        y = np.asarray(chunk.y, dtype=chunk.X.dtype)
        if y.ndim != 1:
            raise DataError(sentence(WHO, "y must be one column", f"shape {y.shape}"))
        return replace(chunk, X=np.column_stack([chunk.X, y]), y=None)


def opened(X: Any, y: Any) -> tuple[Source, list[str], bool]:
    """Return a source of all columns, the target last; their names; whether it is."""
    source = as_source(X)
    if hasattr(X, "__dask_graph__"):
        from corollary.engine import DaskSource

        source = DaskSource(X, y)
    elif source is not None and y is not None:
        must = "y must come inside the source, next to X"
        raise DataError(sentence(WHO, must, "it as a separate argument"))
    if source is None:
        model = PowerTransformer()
        rows = check_X(model, X, reset=True, sparse=False)
        check_finite(WHO, rows, names=names_of(model), missing=True)
        names = names_of(model) or default_names(rows.shape[1])
        if y is None:
            return ArraySource(rows), names, False
        y = check_targets(model, y, len(rows), rows.dtype, many=False)
        return ArraySource(np.column_stack([rows, y])), [*names, "y"], True
    if source.sparse:
        raise DataError(sentence(WHO, "X must be dense", "a source of sparse rows"))
    names = list(source.names or default_names(source.n_features))
    if not source.has_target:
        return source, names, False
    like = np.zeros((1, source.n_features + 1), source.dtype)
    return MappedSource(source, WithTarget(), like=like), [*names, "y"], True


def default_names(d: int) -> list[str]:
    """Number columns as scikit-learn does."""
    return [f"x{j}" for j in range(d)]


def look(chunk: Chunk) -> Extremes:
    """Look at the ranges of a chunk's columns."""
    return Extremes.of(chunk.X, chunk.w)


def exponents(data: Data, seen: Extremes) -> tuple[Floats, Floats, Floats, Floats]:
    """Find lambda of each column, its error, what 0 and 1/2 lose, and what 1 loses."""
    d = len(seen.low)
    lam, error, gain = np.ones(d), np.full(d, np.inf), np.zeros(d)
    losses = np.zeros((2, d))
    for signed in (False, True):
        columns = np.flatnonzero((seen.low <= 0) == signed)
        if not len(columns):
            continue
        state = Profile(signed)
        while not state.done:
            sums = data.reduce(partial(some_columns, columns=columns, state=state))
            state = state.updated(sums)
        lam[columns], error[columns] = state.lam, state.error
        losses[:, columns], gain[columns] = state.losses[:2], state.losses[2]
    return lam, error, losses, gain


def some_columns(chunk: Chunk, columns: Vector, state: Profile) -> Any:
    """Count some columns of a chunk for the search of their exponents."""
    return state.count(replace(chunk, X=np.ascontiguousarray(chunk.X[:, columns])))


# -- shapes ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Shapes(Statistics):
    """Sums over standardised columns, for each transform: (5, d)."""

    n: Floats  # weight
    skew: Floats  # sum of w z^3
    product: Floats  # sum of w z z_last


def bent_rows(X: Floats, seen: Extremes, lam: Floats) -> Floats:
    """Return columns under each transform, (5, n, d); NaN where one does not apply."""
    X = X.astype(np.float64, copy=False)
    out = np.full((len(NAMES), *X.shape), np.nan)
    above, none_below = seen.low > 0, seen.low >= 0
    zeros = none_below & ~above
    out[0] = X
    out[1][:, above] = np.log(X[:, above])
    out[2][:, none_below] = np.sqrt(X[:, none_below])
    out[3][:, zeros] = np.log1p(X[:, zeros])
    out[4][:, above] = power(logs(X[:, above], False), lam[above], False)
    out[4][:, ~above] = power(logs(X[:, ~above], True), lam[~above], True)
    return out


def spreads(chunk: Chunk, seen: Extremes, lam: Floats) -> Spread:
    """Take the spread of the columns under each transform, (5, d)."""
    X, w = weighing(chunk.X, chunk.w)
    parts = [Spread.of(rows, w) for rows in bent_rows(X, seen, lam)]
    fields = zip(*((p.n, p.mean, p.rest, p.M2) for p in parts), strict=True)
    return Spread(*(np.array(field) for field in fields))


def shapes(chunk: Chunk, seen: Extremes, lam: Floats, first: Spread) -> Shapes:
    """Sum the standardised columns; the last one is the target where there is one."""
    X, w = weighing(chunk.X, chunk.w)
    ones = np.ones(len(X)) if w is None else w
    deviation = np.sqrt(first.variance)
    flat = deviation == 0
    z = bent_rows(X, seen, lam) - first.mean[:, None]
    z /= np.where(flat, 1.0, deviation)[:, None]
    there = ~np.isnan(z)
    z = np.where(there, z, 0.0)
    last = z[0, :, -1] * ones
    return Shapes(
        np.einsum("i,kij->kj", ones, there.astype(float)),
        np.einsum("i,kij->kj", ones, z**3),
        np.einsum("i,kij->kj", last, z),
    )
