"""The common core of regressions on a few components of X, in summation form.

Also known as: latent variable regression, derived input directions.

Some directions r_1, ..., r_k of the centred (and by default scaled) columns are chosen,
and y is regressed on the components t_a = Xc r_a, which are uncorrelated:

    b = sum_{a <= k} r_a q_a,     q_a = t_a'yc / t_a't_a                         (1)

Principal component regression chooses directions that X varies most in, partial least
squares those that covary most with y.  Both work in the principal axes of X
(`principal_axes.py`), so that one pass over the rows gives all they need.

The number k may be chosen by cross-validation in the same pass: row n belongs to fold
n mod K, every fold has its own moments, the fit without fold k needs the sum of the
others', and the error on fold k follows from the moments of that fold,

    sum (y - x'b - b0)^2 = S_yy - 2 b'S_xy + b'S_xx b + n (ym - xm'b - b0)^2     (2)

S being its centred scatter, xm and ym its means.  No row is looked at twice.

Notation: X (n, d); y (n,) or (n, m); B (k, m, d), with 1, ..., k components.
Reference: Hastie, Tibshirani, Friedman (2009), 3.5.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import TransformerTags

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import changed, stored
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Moments,
    Statistics,
    StreamingLearner,
    Triangle,
)
from corollary.engine.statistics import fold
from corollary.linear.least_squares.principal_axes import PrincipalAxes

__all__ = ["ComponentFit", "ComponentRegression", "Directions"]


@stored
@dataclass(frozen=True)
class FoldSums(Statistics):
    """The moments, or the triangle, of each fold of the rows."""

    folds: tuple[Any, ...]

    def __add__(self, other: FoldSums) -> FoldSums:
        return FoldSums(tuple(map(added, self.folds, other.folds)))

    def scaled(self, factor: float) -> FoldSums:
        """Count the same rows `factor` times."""
        some = (part if part is None else part.scaled(factor) for part in self.folds)
        return FoldSums(tuple(some))

    @property
    def total(self) -> Any:
        """The sums of all rows."""
        return fold(part for part in self.folds if part is not None)

    def without(self, k: int) -> Any:
        """Return the sums of the rows that are not in fold k."""
        some = (part for j, part in enumerate(self.folds) if j != k)
        return fold(part for part in some if part is not None)


@stored
@dataclass(frozen=True)
class Directions:
    """What a method chose: coefficients for 1, ..., k components, and directions.

    Directions are for columns that are centred and scaled, in the columns of arrays.
    """

    B: Floats  # (k, m, d), for the columns as they came
    b0: Floats  # (k, m)
    rotations: Floats  # (d, k) r, to be applied to columns that are scaled
    weights: Floats  # (d, k)
    loadings: Floats  # (d, k)
    y_loadings: Floats  # (m, k) q
    y_scale: Floats  # (m,)


@stored
@dataclass(frozen=True)
class ComponentFit:
    """The state: the route, then axes, directions, and errors of cross-validation."""

    route: str  # "gram" or "qr"
    d: int
    dtype: Any
    many: bool
    axes: PrincipalAxes | None = None
    directions: Directions | None = None
    errors: Any = None  # (k,) mean squared errors on rows held out


class ComponentRegression(StreamingLearner, Regressor):
    """Regression on components; subclasses choose directions and their number."""

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    n_components: Any
    scale: bool
    n_folds: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kept = ["float64", "float32"]
        tags.transformer_tags = TransformerTags(preserves_dtype=kept)
        return tags

    @abstractmethod
    def _directions(self, axes: PrincipalAxes, most: int) -> Directions:
        """Return at most so many directions."""

    @abstractmethod
    def _number(self, axes: PrincipalAxes) -> int:
        """Return how many components are asked for, where not by cross-validation."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> ComponentFit:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        wide = data.few_rows <= d
        if source.n_rows is not None and source.n_rows < 2:
            must = "n_samples must be at least 2"
            raise DataError(sentence(self, must, f"n_samples = {source.n_rows}"))
        self._check_asked(d if data.once else min(source.n_rows or d, d))
        copies = 2 + (self.n_folds if self.n_components == "cv" else 1)
        check_memory(
            self,
            8.0 * copies * d * min(d, data.few_rows),
            f"the moments of {d} columns",
            "Use fewer columns.",
        )
        route = "qr" if wide or data.once else "gram"
        return ComponentFit(route, d, source.dtype, source.many_targets)

    def _check_asked(self, most: int) -> None:
        asked = self.n_components
        if isinstance(asked, int | np.integer) and asked > most:
            must = f"n_components must be at most min(n_samples, n_features) = {most}"
            raise ParameterError(sentence(self, must, f"{asked}", "Ask for fewer."))

    def statistics(self, chunk: Chunk, state: ComponentFit) -> FoldSums:
        """Sum over the rows of each fold."""
        if self.n_components != "cv":
            return FoldSums((self._sums(chunk, slice(None), state),))
        numbers = (chunk.first_row + np.arange(chunk.n)) % self.n_folds
        folds = [np.flatnonzero(numbers == k) for k in range(self.n_folds)]
        return FoldSums(
            tuple(self._sums(chunk, f, state) if len(f) else None for f in folds)
        )

    def _sums(self, chunk: Chunk, rows: Any, state: ComponentFit) -> Moments | Triangle:
        Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
        w = None if chunk.w is None else chunk.w[rows]
        if state.route == "gram":
            return Moments.of(chunk.X[rows], w, Y[rows])
        return Triangle.of(chunk.X[rows], w, Y[rows], ones=True)

    def update(self, s: FoldSums, state: ComponentFit) -> ComponentFit:
        """Find the axes, the number of components, and the directions."""
        total, d = s.total, state.d
        axes = PrincipalAxes.of(total, d, scale=self.scale)
        again = state.axes is not None  # a stream goes on after a fit
        if state.route == "gram" and not again and not axes.good(total):
            return changed(state, route="qr")
        if self.n_components != "cv":
            found = self._directions(axes, self._number(axes))
            return changed(state, axes=axes, directions=found)
        errors = self._errors(s, d)
        found = self._directions(axes, int(np.argmin(errors)) + 1)
        return changed(state, axes=axes, directions=found, errors=errors)

    def _errors(self, s: FoldSums, d: int) -> Floats:
        """Return the mean squared error on rows held out, for 1, ..., k components."""
        kept = [k for k, part in enumerate(s.folds) if part is not None and part.n > 0]
        if len(kept) < 2:
            must = f"a choice by n_folds = {self.n_folds} needs rows in 2 folds"
            raise DataError(sentence(self, must, f"{len(kept)}"))
        axes = [PrincipalAxes.of(s.without(k), d, scale=self.scale) for k in kept]
        most = max(1, min(len(a.s) for a in axes))
        found = [self._directions(a, most) for a in axes]
        most = max(1, min(len(f.B) for f in found))
        squares = [
            squared_errors(s.folds[k], d, f.B[:most], f.b0[:most]).sum(axis=1)
            for k, f in zip(kept, found, strict=True)
        ]
        return np.sum(squares, axis=0) / sum(s.folds[k].n for k in kept)

    def objective(self, s: FoldSums, state: ComponentFit) -> float:
        """Return the sum of squared residuals."""
        if state.directions is None:
            return np.inf
        B, b0 = state.directions.B[-1:], state.directions.b0[-1:]
        return float(squared_errors(s.total, state.d, B, b0).sum())

    def stop(self, state: ComponentFit) -> StopReason | None:
        """Stop when solved."""
        return None if state.axes is None else StopReason.CLOSED_FORM

    def max_passes(self) -> int:
        """Allow a second pass for the triangle."""
        return 2

    def account(self, state: ComponentFit, report: Report) -> None:
        """Report the number of components, and whether fewer exist than asked for."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = report.objective[-1:]
        report.facts["route"] = state.route
        if state.axes is None or state.directions is None:
            return
        k = state.directions.rotations.shape[1]
        report.facts |= {"n_components": k, "n_features": state.d}
        report.facts["rank"] = len(state.axes.s)
        asked = self.n_components
        if isinstance(asked, int | np.integer) and asked > k:
            report.warnings.append(
                f"{asked} components were asked for, but only {k} have any part in y."
            )

    def _publish(self, fitted: Fitted) -> Directions:
        """Set what both methods have; return the directions."""
        state: ComponentFit = fitted.state
        axes, found = state.axes, state.directions
        assert axes is not None  # update has been there
        assert found is not None
        dtype = state.dtype
        self.n_components_ = found.rotations.shape[1]
        self.intercept_ = found.b0[-1].astype(dtype)
        self.mean_ = axes.mean_x.astype(dtype)
        self.scale_ = np.ones_like(self.mean_)
        if axes.scale is not None:
            self.scale_ = axes.scale.astype(dtype)
        if state.errors is not None:
            self.cv_errors_ = state.errors
        return found

    # -- use -----------------------------------------------------------------------
    def _linear(self, X: Any) -> Vector:
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)


def added(a: Any, b: Any) -> Any:
    """Add sums of which one may be missing."""
    return b if a is None else a if b is None else a + b


def squared_errors(sums: Moments | Triangle, d: int, B: Floats, b0: Floats) -> Floats:
    """Return (2) for each of k sets of coefficients (k, m, d): (k, m)."""
    if isinstance(sums, Triangle):
        ones, R, Z = sums.R[:, 0], sums.R[:, 1 : d + 1], sums.R[:, d + 1 :]
        fits = np.einsum("rd,kmd->krm", R, B) + ones[:, None] * b0[:, None, :]
        return np.asarray(((Z - fits) ** 2).sum(axis=1))
    S = sums.M2
    inside = np.diagonal(S)[d:] - 2 * np.einsum("kmd,dm->km", B, S[:d, d:])
    inside = inside + np.einsum("kmd,kmd->km", B @ S[:d, :d], B)
    off = sums.mean[d:] - B @ sums.mean[:d] - b0
    return np.maximum(inside, 0.0) + sums.n * off**2
