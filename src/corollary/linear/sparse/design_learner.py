"""What learners on a few columns at a time share: they see X by its inner products.

A fit goes one of two ways to the same answer:

    gram   one pass over any source for the moments of [X, y]; that is all it reads.
    rows   the rows themselves, which must be in memory: for columns so many that their
           Gram matrix would cost more than all else.

`solvers/design.py` has both; a learner asks for the columns that it needs.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.roles import Regressor
from corollary.core.vectors import numbers
from corollary.engine import (
    ArraySource,
    Chunk,
    Data,
    Moments,
    Settled,
    Statistics,
    SummationLearner,
)
from corollary.engine.rows_learner import gather
from corollary.solvers.design import Design, Grams, Rows

__all__ = ["DesignLearner", "Shrunk", "by_gram"]

FEW_COLUMNS = 200  # their Gram matrix costs nothing
SAME = 1e-4  # of the largest entry, that two Gram matrices may differ by
SOME_COLUMNS = 2000  # worth a Gram matrix if there are several times as many rows


@dataclass(frozen=True)
class Shrunk:
    """The state: the route, and what was found for each target."""

    route: str  # "gram" or "rows"
    d: int
    dtype: Any
    many: bool  # whether y came as a matrix
    before: Floats | None  # (m, d) coefficients to start from
    points: tuple[Any, ...] = ()  # records with `coef` and `objective`
    intercept: Any = None  # (m,)


def by_gram(n: int, d: int) -> bool:
    """Say whether n rows in memory had better be summed up in a Gram matrix."""
    return d <= FEW_COLUMNS or (d <= SOME_COLUMNS and n >= 4 * d)


class DesignLearner(SummationLearner, Regressor):
    """Learns from inner products of columns; subclasses say how."""

    takes_sparse = True
    any_layout = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    fit_intercept: bool
    coef_: Any
    intercept_: Any

    @abstractmethod
    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        """Return the state with points and intercepts."""

    @property
    def sparse_coef_(self) -> Any:
        """Return `coef_` as a sparse matrix."""
        return sp.csr_matrix(self.coef_)

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Shrunk:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        rows_at_hand = isinstance(source, ArraySource) or data.few_rows <= d
        asked, rows = wants_gram(self), source.n_rows or data.few_rows
        gram = asked or not rows_at_hand or by_gram(rows, d)
        if gram:
            remedy = "Use fewer columns, or give the rows as an array in memory."
            check_memory(self, 24.0 * d * d, f"the {d} x {d} Gram matrix", remedy)
        before = coefficients_before(self, d)
        route = "gram" if gram else "rows"
        return Shrunk(route, d, source.dtype, source.many_targets, before)

    def statistics(self, chunk: Chunk, state: Shrunk) -> Statistics:
        """Sum the moments of [X, y], where the route needs them."""
        if state.route == "rows":
            return Statistics()  # the pass checks that the rows are finite
        return Moments.of(chunk.X, chunk.w, two_dimensional(chunk.y))

    def update(self, s: Any, state: Shrunk) -> Shrunk:
        """Solve by the Gram matrix; the rows route waits for `settle`."""
        if state.route == "rows":
            return state
        if np.ndim(getattr(self, "precompute", False)) == 2:
            check_given(self, s, state.d)
        design = Grams([s], state.d, intercept=self.fit_intercept)
        return self._solved(design, state)

    def settle(self, data: Data, state: Shrunk) -> Settled:
        """Solve by the rows in memory."""
        if state.route == "gram":
            return Settled(state)
        rows = gather(data)
        Y = two_dimensional(rows.y).astype(np.float64)
        W = None if rows.w is None else np.repeat(rows.w[:, None], Y.shape[1], 1)
        design = Rows(rows.X, Y, W, intercept=self.fit_intercept)
        solved = self._solved(design, state)
        return Settled(solved, None, self.objective(None, solved))

    def publishable(self, state: Shrunk) -> bool:
        """Say whether a solution has been found."""
        return bool(state.points)

    def objective(self, s: Any, state: Shrunk) -> float:
        """Return the objective, summed over the targets."""
        return sum((p.objective for p in state.points), 0.0)

    def sums_bytes(self, n_features: int) -> int:
        """Return the size of the moments."""
        return 8 * (n_features + 1) ** 2

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)


def wants_gram(learner: Any) -> bool:
    """Say whether the parameters ask for the Gram matrix of all columns."""
    asked = getattr(learner, "precompute", False)
    return asked is True or not isinstance(asked, bool | str | None)


def coefficients_before(learner: Any, d: int) -> Floats | None:
    """Return the coefficients (m, d) of the fit before, where asked and possible."""
    if not getattr(learner, "warm_start", False) or not hasattr(learner, "coef_"):
        return None
    before = np.atleast_2d(learner.coef_)
    return before if before.shape[1] == d else None


def check_given(learner: Any, s: Moments, d: int) -> None:
    """Refuse a Gram matrix of other rows; warn of one whose columns are not centred.

    Weights may be scaled in it.  It is a check alone: the sums are at hand anyway.
    """
    G = numbers(learner, learner.precompute, "precompute", ParameterError)
    S, mean = s.M2[:d, :d], s.mean[:d]
    raw = S + s.n * np.outer(mean, mean)
    if G.shape != (d, d) or not (proportional(G, S) or proportional(G, raw)):
        must = f"precompute must be the Gram matrix of X, of shape ({d}, {d})"
        came = f"another matrix, of shape {G.shape}"
        raise DataError(sentence(learner, must, came, "Use precompute=True."))
    if learner.fit_intercept and not proportional(G, S):
        text = "precompute is of columns that are not centred, as an intercept needs"
        text = f"{type(learner).__name__}: {text}; the Gram matrix is computed anew."
        warnings.warn(text, UserWarning, stacklevel=6)


def proportional(A: Floats, B: Floats) -> bool:
    """Tell whether two matrices are the same but for a factor and rounding."""
    a, b = np.abs(A).max(initial=0.0), np.abs(B).max(initial=0.0)
    if not a or not b:
        return bool(a == b)
    return bool(np.abs(A / a - B / b).max() <= SAME)


def two_dimensional(y: Any) -> Any:
    """Return targets as the columns of a matrix."""
    return y if y.ndim == 2 else y[:, None]
