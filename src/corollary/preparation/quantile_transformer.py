"""Mapping of columns to ranks: uniform or normal marginals, in summation form.

Also known as: rank transform, probability integral transform, rank-based inverse normal
transform, Gaussianisation of marginals, quantile normalisation.

With Q_j the quantile function of column j over the training rows and m knots,

    q_ij = Q_j(r_i),    r_i = i / (m - 1),    i = 0 ... m - 1                     (1)

a value becomes its share of the ranks: the line through the points (q_ij, r_i),

    u(x) = r_i + (r_{i+1} - r_i) (x - q_ij) / (q_{i+1,j} - q_ij)                  (2)

for x between two knots, 0 below all and 1 above all; where several knots are equal, the
middle of their ranks.  So u is uniform on the training rows, whatever their
distribution; Phi^-1(u) is normal, u clipped to [1e-7, 1 - 1e-7].  The order of the
values is kept, distances are not, and an outlier is one more rank.

The knots (1) are exact, found in a few passes over any source (`engine.
order_statistics`); nothing is drawn.  Between two knots (2) knows the rank up to

    |u(x) - t| <= 1 / (m - 1)   for a t with Q_j(t) = x,                          (3)

since both are between r_i and r_{i+1}; it is 0 where every row is a knot.

A weight counts a row so many times; a missing value (NaN) counts nowhere and stays.
The zeros that sparse rows do not store stay 0: they are counted as values, so that none
may be negative, or, with `ignore_implicit_zeros`, not at all.

Notation: q (m, d) = quantiles_; r (m,) = references_; m = n_quantiles_; (3) =
rank_error_.
Course: S0-63. References: Bartlett (1947); Beasley, Erickson, Allison (2009).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr, ndtri

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, seed, whole
from corollary.core.report import Report, StopReason
from corollary.core.roles import Transformer, total_weight
from corollary.core.warn import warn
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.engine.column_cells import Cells
from corollary.engine.executors.executor import side_by_side
from corollary.engine.order_statistics import MOST_PASSES, Ranges
from corollary.engine.quantile_rules import TIE
from corollary.preparation.column_statistics import weighing
from corollary.preparation.expansion import exact
from corollary.preparation.scaler import one_to_one

__all__ = ["QuantileTransformer"]

NEAR = 1e-7  # share of the ranks that the normal distribution is cut by, on each side
CUT = NEAR - np.spacing(1.0)  # just beyond, so that the way back finds the end
ROWS = 2**16  # of a column, worked on at a time


@dataclass(frozen=True)
class Counted(Statistics):
    """What one chunk contributes: its cells, and all of its rows."""

    cells: Cells
    weight: float
    rows: int


class QuantileTransformer(SummationLearner, Transformer):
    """Map each column to its ranks, uniform or normal.

    Parameters
    ----------
    n_quantiles : int, default=1000
        Knots m; no more than there are rows.
    output_distribution : {'uniform', 'normal'}, default='uniform'
        u, or Phi^-1(u).
    ignore_implicit_zeros : bool, default=False
        Whether what sparse rows do not store counts nowhere; else it is 0.
    subsample : int or None, default=10000
        Kept for compatibility; all rows are used.  It must not be below `n_quantiles`.
    random_state : int, RandomState or None
        Kept for compatibility; nothing is drawn.
    copy : bool, default=True
        Kept for compatibility; X is never changed.

    Attributes
    ----------
    n_quantiles_ : int
        m.
    quantiles_ : array of shape (m, d)
        The knots; NaN in a column without any value, 0 in one that stores none.
    references_ : array of shape (m,)
        Their ranks.
    rank_error_ : float
        The bound (3) on how far u may be from the rank of a value.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import QuantileTransformer
    >>> X = np.array([[1.0], [10.0], [100.0], [1000.0], [10000.0]])
    >>> model = QuantileTransformer(n_quantiles=5).fit(X)
    >>> model.transform([[10.0], [55.0], [1e9]]).ravel().tolist()
    [0.25, 0.375, 1.0]
    >>> model.rank_error_
    0.0
    """

    takes_sparse = True
    any_layout = True
    may_be_infinite = ("quantiles_",)
    shapes: ClassVar = {"quantiles_": "m d", "references_": "m"}
    rules: ClassVar = {
        "n_quantiles": whole(1),
        "output_distribution": one_of("uniform", "normal"),
        "ignore_implicit_zeros": boolean,
        "subsample": missing | whole(1),
        "random_state": seed,
        "copy": boolean,
    }

    def __init__(
        self,
        *,
        n_quantiles: int = 1000,
        output_distribution: str = "uniform",
        ignore_implicit_zeros: bool = False,
        subsample: int | None = 10_000,
        random_state: Any = None,
        copy: bool = True,
    ) -> None:
        self.n_quantiles = n_quantiles
        self.output_distribution = output_distribution
        self.ignore_implicit_zeros = ignore_implicit_zeros
        self.subsample = subsample
        self.random_state = random_state
        self.copy = copy

    # -- learning ------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Pass missing values through."""
        return True

    def start(self, data: Data, seed: int) -> Ranges:
        """Begin to look for the knots."""
        if self.subsample is not None and self.n_quantiles > self.subsample:
            must = f"n_quantiles must be at most subsample = {self.subsample}"
            remedy = "Use fewer quantiles, or subsample=None."
            raise ParameterError(sentence(self, must, f"{self.n_quantiles}", remedy))
        source = data.source
        if self.ignore_implicit_zeros and not source.sparse:
            who, text = type(self).__name__, "ignore_implicit_zeros has no effect"
            warn(f"{who}: {text} on rows that are not sparse.")
        return Ranges.begin(
            source.n_features,
            np.linspace(0, 1, self.n_quantiles),
            source.dtype,
            source.sparse,
            n_rows=source.n_rows,
            implicit_zeros=not self.ignore_implicit_zeros,
        )

    def statistics(self, chunk: Chunk, state: Ranges) -> Counted:
        """Count rows in the cells of the search."""
        X, w = weighing(chunk.X, chunk.w)
        self._check_signs(X)
        rows = X.shape[0]
        return Counted(state.count(chunk), total_weight(w, rows), rows)

    def update(self, s: Counted, state: Ranges) -> Ranges:
        """Narrow the search; know after the first pass how many knots there are."""
        if state.low is None:
            n = int(max(s.weight, s.rows) + TIE)  # weights below 1 are shares
            m = max(1, min(self.n_quantiles, n))
            state = replace(state, q=np.linspace(0, 1, m))
        return state.narrowed(s.cells)

    def stop(self, state: Ranges) -> StopReason | None:
        """Stop when every knot is found."""
        return StopReason.CLOSED_FORM if state.quantiles is not None else None

    def publishable(self, state: Ranges) -> bool:
        """Tell whether every knot is found."""
        return state.quantiles is not None

    def max_passes(self) -> int:
        """Bound the search."""
        return MOST_PASSES

    def account(self, state: Ranges, report: Report) -> None:
        """Report that the knots are exact, and what lies between them (3)."""
        exact(report)
        report.facts["n_quantiles"] = len(state.q)
        report.facts["rank_error"] = rank_error(state)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Ranges = fitted.state
        self.n_quantiles_ = len(state.q)
        self.references_ = state.q
        self.quantiles_ = np.maximum.accumulate(state.quantiles)
        self.rank_error_ = rank_error(state)
        if not state.given:  # columns of dense rows without any value
            self.quantiles_[:, state.rows == 0] = np.nan
        if self.n_quantiles_ < self.n_quantiles:
            text = f"n_quantiles ({self.n_quantiles}) is greater than the total number"
            text += f" of samples ({self.n_quantiles_}) and is set to it."
            fitted.report.warnings.append(text)
            warn(f"{type(self).__name__}: {text}")

    def _check_signs(self, X: Matrix) -> None:
        """Refuse negative values where the zeros of sparse rows are to stay 0."""
        if not sp.issparse(X) or self.ignore_implicit_zeros:
            return
        low = np.fmin.reduce(X.data, initial=np.inf)
        if low < 0:
            must = "only accepts non-negative sparse matrices"
            remedy = "Use ignore_implicit_zeros=True, or a dense array."
            raise DataError(sentence(self, must, f"{low:g}", remedy))

    def _audit(self) -> None:
        """Refuse knots that no fit leaves: files can alter them."""
        r, q = self.references_, self.quantiles_
        known = q[:, ~np.isnan(q).all(axis=0)]
        good = len(r) == self.n_quantiles_ and r[0] == 0 and r[-1] in (0, 1)
        good = good and (np.diff(r) > 0).all() and (np.diff(known, axis=0) >= 0).all()
        if not good or not np.isfinite(known).all():
            must = "quantiles_ and references_ must rise, as n_quantiles_ tells"
            raise ParameterError(sentence(self, must, "others"))

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Map values to ranks (2).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or sparse matrix of shape (n, d)
            In the precision of X; columns of a sparse matrix stay columns (CSC).
        """
        columns = getattr(X, "format", "") == "csc"
        X = self._query(X, getattr(self, "n_features_in_", 1))
        self._check_signs(X)
        normal = self.output_distribution == "normal"
        knots = [Knots.of(q, self.references_) for q in self.quantiles_.T]

        def rank(j: int, x: Floats) -> Floats:
            u = knots[j].ranks(x)
            return ndtri(np.clip(u, CUT, 1 - CUT)) if normal else u

        return by_columns(rank, X, columns)

    def inverse_transform(self, X: Any) -> Matrix:
        """Return values that have the ranks, on the line (2).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or sparse matrix of shape (n, d)
        """
        columns = getattr(X, "format", "") == "csc"
        with names_checked():
            X = self._query(X, getattr(self, "n_features_in_", 1))
        normal, r, q = (
            self.output_distribution == "normal",
            self.references_,
            self.quantiles_,
        )

        def value(j: int, x: Floats) -> Floats:
            u = x
            if normal:
                u = ndtr(x)
                u = np.where(u < NEAR, 0.0, np.where(u > 1 - NEAR, 1.0, u))
            return line(u, r, q[:, j])

        return by_columns(value, X, columns)

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`, which are those of the input.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        return one_to_one(self, input_features)


@dataclass(frozen=True)
class Knots:
    """The knots of one column, and the middle ranks of those that are equal."""

    q: Floats  # (m,) rising
    r: Floats  # (m,)
    tied: Floats  # values of several knots, rising
    middle: Floats  # their ranks; 0 of the least and 1 of the largest

    @classmethod
    def of(cls, q: Floats, r: Floats) -> Knots:
        """Look for knots that are equal."""
        value, first, count = np.unique(q, return_index=True, return_counts=True)
        middle = (r[first] + r[first + count - 1]) / 2
        middle[-1], middle[0] = 1.0, 0.0
        ends = (np.arange(len(value)) == 0) | (np.arange(len(value)) == len(value) - 1)
        kept = (count > 1) | ends
        return cls(q, r, value[kept], middle[kept])

    def ranks(self, x: Floats) -> Floats:
        """Return u (2), NaN of NaN."""
        u = line(x, self.q, self.r)
        at = np.minimum(np.searchsorted(self.tied, x), len(self.tied) - 1)
        return np.where(self.tied[at] == x, self.middle[at], u)


def line(x: Floats, at: Floats, values: Floats) -> Floats:
    """Return the line through points, NaN of NaN.

    >>> line(np.array([0.5, 9.0, np.nan]), np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    array([ 1.,  2., nan])
    """
    found = np.interp(x, at, values)
    return found if len(at) > 1 else np.where(np.isnan(x), np.nan, found)


def rank_error(state: Ranges) -> float:
    """Return the bound (3); 0 where the rows are the knots."""
    m = len(state.q)
    if (np.maximum(state.n, state.rows) == m).all():
        return 0.0
    return 1.0 / (m - 1) if m > 1 else 1.0


def by_columns(function: Any, X: Matrix, columns: bool) -> Matrix:
    """Apply function(j, x) to the values of each column, on all cores.

    Of sparse rows it is applied to what they store; `columns` tells to return CSC.
    """
    if sp.issparse(X):
        out = X.tocsc(copy=True)
        for j in range(X.shape[1]):
            own = slice(*out.indptr[j : j + 2])
            out.data[own] = function(j, out.data[own])
        return out if columns else out.tocsr()
    out, d = np.empty_like(X), X.shape[1]

    def work(item: int) -> None:
        j, rows = item % d, slice(item // d * ROWS, (item // d + 1) * ROWS)
        out[rows, j] = function(j, X[rows, j])

    side_by_side(work, range(d * -(-X.shape[0] // ROWS)))
    return out
