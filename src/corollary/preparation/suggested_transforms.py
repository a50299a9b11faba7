"""Suggestions of simple transforms: log, square root, log(1 + x), or a power.

Also known as: transformation of variables, choice of a transform, ladder of powers,
linearising transforms.

Each column and the target are looked at as they are and bent by

    log x,   sqrt x   (x > 0);      log(1 + x),   sqrt x   (x >= 0, some 0)
    (x^lambda - 1)/lambda, or Yeo and Johnson's where some values are negative      (1)

with lambda of the highest likelihood (`power_profile`).  Two kinds of evidence:

    normality   the skewness before and after; the log-likelihood that lambda gains over
                1, and what the exponents 0 and 1/2 lose; the 95% interval of lambda
    linearity   R^2 of a line through (x, y) before and after, where y is given;
                y is bent first, if a transform is suggested for it                  (2)

Without y, and for y itself, a transform is suggested where |skewness| is above 1/2, the
transform halves it and the exponent 1 is outside of the interval of lambda.  Of the
simple transforms the one is taken whose exponent is in the interval, or which keeps
nine tenths of the gain; else the power.  With y, an input is given the transform that
raises R^2 most, if that is by 0.02 at least, more than chance would; a simple one where
it comes within 0.02 of the power.

All is found by sums, in about six passes over any source; a missing value counts
nowhere.

Notation: lambda = lambda_; R^2 = linearity.
Course: S3-112. References: Box and Cox (1964); Tukey (1977), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite, check_targets, check_X, names_of
from corollary.core.errors import DataError, sentence
from corollary.engine import ArraySource, Chunk, Data, MappedSource, Source, Statistics
from corollary.engine.sources.opening import as_source
from corollary.preparation.column_statistics import Extremes, Spread, weighing
from corollary.preparation.power_profile import MOST_PASSES, Profile, logs, power
from corollary.preparation.power_transformer import CHI, PowerTransformer

__all__ = ["Suggestion", "Suggestions", "suggest_transforms"]

SKEWED = 0.5  # size of a skewness that is worth a transform
HALVED = 0.5  # share of it that may be left
KEPT = 0.9  # share of the likelihood gain that a simple transform must keep
STRAIGHTER = 0.02  # rise of R^2 that is worth a transform
SIMPLE = ("none", "log", "sqrt", "log1p")
TRANSFORMS = {name: k for k, name in enumerate(SIMPLE)} | {
    "box-cox": 4,
    "yeo-johnson": 4,
}
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
    lost : dict
        Log-likelihood that transforms by a fixed exponent lose to `lambda_`.
    skewness : dict
        Skewness of the column under each transform that it can have.
    linearity : dict
        R^2 of a line to the target as it is suggested, under each transform; empty
        without a target.
    """

    name: str
    transform: str
    lambda_: float
    interval: tuple[float, float]
    gain: float
    skewness: dict[str, float]
    linearity: dict[str, float]
    lost: dict[str, float]

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
        return {one.name: one for one in self.columns}[name]


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
        powers = exponents(data, seen)
        first = data.reduce(partial(spreads, seen=seen, lam=powers.lam))
        second = data.reduce(partial(shapes, seen=seen, lam=powers.lam, first=first))
    finally:
        data.executor.close()
    made = [described(j, name, seen, powers, second) for j, name in enumerate(names)]
    if not target:
        return Suggestions(tuple(normal(one) for one in made))
    y_is = normal(made.pop())
    r2 = second.linearity(TRANSFORMS[y_is.transform])
    n = second.n[0]
    return Suggestions(
        tuple(straight(one, r2[:, j], n[j]) for j, one in enumerate(made)), y_is
    )


def described(
    j: int, name: str, seen: Extremes, powers: Powers, shape: Shapes
) -> Suggestion:
    """Tell what is known of a column before anything is suggested."""
    last = "box-cox" if seen.low[j] > 0 else "yeo-johnson"
    skewness = {
        bent: float(shape.skew[k, j] / max(shape.n[k, j], 1.0))
        for k, bent in enumerate((*SIMPLE, last))
        if shape.n[k, j] > 0 or bent == "none"
    }
    lam, error = float(powers.lam[j]), float(powers.error[j])
    interval = (lam - Z * error, lam + Z * error)
    log, root, plain = map(float, powers.losses[:, j])
    simple = {"log": log, "sqrt": root} if last == "box-cox" else {"log1p": log}
    known = {"none": plain, **simple, last: 0.0}
    lost = {bent: known[bent] for bent in skewness if bent in known}
    return Suggestion(name, "none", lam, interval, plain, skewness, {}, lost)


# -- the decision ----------------------------------------------------------------------
def normal(one: Suggestion) -> Suggestion:
    """Choose by normality: a simple transform that does most of what can be done."""
    plain, last = one.skewness["none"], list(one.skewness)[-1]
    outside = not one.interval[0] <= 1 <= one.interval[1]
    if not (abs(plain) > SKEWED and outside and one.gain > CHI):
        return one
    enough = max(CHI, (1 - KEPT) * one.gain)
    simple = {b: v for b, v in one.lost.items() if b not in ("none", last)}
    good = [bent for bent, lost in simple.items() if lost <= enough]
    choice = min(good, key=simple.__getitem__) if good else last
    halved = abs(one.skewness[choice]) <= HALVED * abs(plain)
    return replace(one, transform=choice) if halved else one


def straight(one: Suggestion, r2: Floats, n: float) -> Suggestion:
    """Choose by linearity: the transform that raises R^2 most, if by enough."""
    linearity = {name: float(r2[TRANSFORMS[name]]) for name in one.skewness}
    one = replace(one, linearity=linearity)
    plain = linearity["none"]
    enough = max(STRAIGHTER, Z**2 * (1 - plain) / max(n - 2, 1.0))  # more than chance
    best = max(linearity, key=linearity.__getitem__)
    if TRANSFORMS[best] == len(SIMPLE):  # the power
        simple = max(list(linearity)[:-1], key=linearity.__getitem__)
        best = simple if linearity[best] - linearity[simple] < STRAIGHTER else best
    rises = linearity[best] - plain >= enough
    return replace(one, transform=best) if rises else one


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
    """Return x0, x1, ..., as scikit-learn names columns."""
    return [f"x{j}" for j in range(d)]


def look(chunk: Chunk) -> Extremes:
    """Look at the ranges of a chunk's columns."""
    return Extremes.of(chunk.X, chunk.w)


class Powers(NamedTuple):
    """The exponents of all columns, and how much is known of them."""

    lam: Floats  # (d,)
    error: Floats  # (d,) of lam
    losses: Floats  # (3, d) that 0, 1/2 and 1 lose


def exponents(data: Data, seen: Extremes) -> Powers:
    """Find lambda of each column; Box and Cox's where all values are positive."""
    d = len(seen.low)
    found = Powers(np.ones(d), np.full(d, np.inf), np.zeros((3, d)))
    for signed in (False, True):
        columns = np.flatnonzero((seen.low <= 0) == signed)
        state = Profile(signed)
        for _ in range(MOST_PASSES if len(columns) else 0):
            sums = data.reduce(partial(some_columns, columns=columns, state=state))
            state = state.updated(sums)
            if state.done:
                break
        if len(columns):
            found.lam[columns], found.error[columns] = state.lam, state.error
            found.losses[:, columns] = state.losses
    return found


def some_columns(chunk: Chunk, columns: Vector, state: Profile) -> Any:
    """Count some columns of a chunk for the search of their exponents."""
    return state.count(replace(chunk, X=np.ascontiguousarray(chunk.X[:, columns])))


# -- shapes ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Shapes(Statistics):
    """Sums over standardised columns z, for each transform; t of the last column."""

    n: Floats  # (5, d) weight of the rows where z is there
    skew: Floats  # (5, d) sum of w z^3
    product: Floats  # (5, 5, d) sum of w t z
    level: Floats  # (5, 5, d) sum of w t where z is there
    square: Floats  # (5, 5, d) sum of w t^2 where z is there

    def linearity(self, bent: int) -> Floats:
        """Return R^2 of a line to the target under its transform of this number."""
        n = np.where(self.n > 0, self.n, 1.0)
        variance = self.square[bent] / n - (self.level[bent] / n) ** 2
        varies = variance > 0
        r2 = (self.product[bent] / n) ** 2 / np.where(varies, variance, 1.0)
        return np.where(varies, np.minimum(r2, 1.0), 0.0)


def bent_rows(X: Floats, seen: Extremes, lam: Floats) -> Floats:
    """Return columns under each transform, (5, n, d); NaN where one does not apply."""
    X = X.astype(np.float64, copy=False)
    out = np.full((len(SIMPLE) + 1, *X.shape), np.nan)
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
    t = z[:, :, -1]  # (5, n)
    known = there.astype(np.float64)
    return Shapes(
        np.einsum("i,kij->kj", ones, known),
        np.einsum("i,kij->kj", ones, z**3),
        np.einsum("ti,kij->tkj", ones * t, z),
        np.einsum("ti,kij->tkj", ones * t, known),
        np.einsum("ti,kij->tkj", ones * t**2, known),
    )
