"""Theil-Sen regression: the median of lines through small subsets of the rows.

Also known as: Theil-Sen estimator, Sen's slope, median of pairwise slopes, multiple
median regression.

One feature: the median of the slopes through all pairs of rows.  With d features a
subset of k rows, at least as many as coefficients, has a least-squares fit b_S, and the
fit is the point with the least sum of distances to them all:

    b = argmin_b  sum_S ||b - b_S||,     b_S = least squares on the rows S          (1)

the spatial median (`solvers/spatial_median.py`).  A share of wild rows up to

    1 - (0.5^(1/k) (n - k + 1) + k - 1) / n                                         (2)

leaves half of the subsets clean and cannot carry the fit away, whether y or x is wild:
29 % of the rows for a line through pairs, ever fewer with more features.  There are n
over k subsets; beyond `max_subpopulation` so many are drawn.

A weight w counts a row w times: a subset counts as often as its rows can be picked,
the product of their weights.  Rows that are equal are one row.

It needs all rows at once; `HuberRegressor` reads any data, and is robust against wild y
alone.

Notation: X (n, d); b = (intercept_, coef_); k = n_subsamples.
References: Theil (1950); Sen (1968); Dang, Peng, Wang and Zhang (2008).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.special import binom

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, real, seed, whole
from corollary.core.randomness import entropy, generator
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.linear.online.visits import rows_to_visit
from corollary.linear.robust.subset_fits import drawn_subsets, subset_solutions
from corollary.solvers.spatial_median import SpatialMedian, spatial_median

__all__ = ["TheilSenRegressor"]


class TheilSenRegressor(RowsLearner, SingleRegressor):
    """The spatial median of least squares on subsets of the rows.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is one of the coefficients of (1).
    max_subpopulation : int or float, default=1e4
        Subsets to fit at most; where there are more of them so many are drawn.
    n_subsamples : int, optional
        Rows of a subset, k; by default as many as coefficients, which is the most
        robust.  All rows are least squares.
    max_iter : int, default=300
        Steps towards the spatial median.
    tol : float, default=1e-3
        The median is found when its duality gap, relative to the sum of distances, is
        below the square of tol.
    random_state : int, RandomState or None
        Seed of the subsets.
    n_jobs : ignored
        Kept for compatibility; subsets are solved in stacks.
    verbose : ignored
        Kept for compatibility.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    breakdown_ : float
        The share of wild rows (2) that cannot carry the fit away.
    n_iter_ : int
        Steps towards the spatial median.
    n_subpopulation_ : int
        Subsets that were fitted.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import TheilSenRegressor
    >>> X = np.arange(11.0)[:, None]
    >>> y = 3 * X[:, 0] + 1
    >>> y[[2, 7]] = [90.0, -40.0]
    >>> model = TheilSenRegressor(random_state=0).fit(X, y)
    >>> model.coef_.round(4).tolist(), round(float(model.intercept_), 4)
    ([3.0], 1.0)
    """

    shapes: ClassVar = {"coef_": "d", "intercept_": ""}
    rules: ClassVar = {
        "fit_intercept": boolean,
        "max_subpopulation": real(1),
        "n_subsamples": missing | whole(1),
        "max_iter": whole(0),
        "tol": real(0),
        "random_state": seed,
        "n_jobs": missing | whole(),
        "verbose": boolean | whole(0),
    }

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_subpopulation: float = 1e4,
        n_subsamples: int | None = None,
        max_iter: int = 300,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_subpopulation = max_subpopulation
        self.n_subsamples = n_subsamples
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Fit the subsets and take the median of their coefficients."""
        seed, intercept = entropy(self.random_state), bool(self.fit_intercept)
        visited = rows_to_visit(rows, shuffle=True, seed=0)
        X = rows.X[visited.which].astype(np.float64)
        y, w = rows.y[visited.which].astype(np.float64), visited.weights()
        n, k = len(y), self._size(len(y), X.shape[1])
        subsets = self._subsets(n, k, seed)
        W = subset_solutions(X, y, subsets, intercept=intercept)
        o = products(w, subsets) if (w != 1).any() else None
        tol, most = float(self.tol) ** 2, int(self.max_iter)
        found = spatial_median(W, o, tol=tol, max_iter=max(1, most))
        b, dtype = found.point.astype(rows.X.dtype), rows.X.dtype
        self.coef_ = b[1:] if intercept else b
        self.intercept_ = dtype.type(b[0]) if intercept else 0.0
        self.n_subpopulation_, self.n_iter_ = len(subsets), found.iterations
        self.breakdown_ = breakdown(n, k)
        total = float(len(W)) if o is None else float(o.sum())
        stored = total * float(np.linalg.norm(b.astype(np.float64) - found.point))
        self._account(found, stored, report)

    def _account(self, found: SpatialMedian, stored: float, report: Report) -> None:
        """Report the subsets, the share of wild rows that is harmless, and the gap.

        `stored` is what single precision may add to the sum of distances.
        """
        objective, gap = found.objective, found.gap
        done = gap <= float(self.tol) ** 2 * objective or self.n_iter_ < self.max_iter
        report.stop = StopReason.CONVERGED if done else StopReason.MAX_PASSES
        if found.interrupted:
            report.stop = StopReason.INTERRUPTED
        report.passes = max(1, self.n_iter_)
        report.objective = [objective / self.n_subpopulation_]
        gap += stored
        share = gap / objective if objective else None
        gap = gap / self.n_subpopulation_
        report.optimality = Optimality("duality gap of the median", gap, share)
        report.facts["n_subsets"] = self.n_subpopulation_
        report.facts["breakdown"] = self.breakdown_

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory of the rows, the subsets and their coefficients."""
        p = features + int(self.fit_intercept)
        k = p if self.n_subsamples is None else int(self.n_subsamples)
        count = min(float(self.max_subpopulation), float(binom(rows, min(k, rows))))
        return rows * (8.0 * features + 100.0) + count * 8.0 * (k + 5.0 * p)

    def _size(self, n: int, d: int) -> int:
        """Return the rows of a subset."""
        p = d + int(self.fit_intercept)
        if self.n_subsamples is None:
            return min(p, n)
        k = int(self.n_subsamples)
        if k > n:
            must = f"n_subsamples must be at most the number of rows = {n}"
            raise ParameterError(sentence(self, must, f"{k}"))
        if k < min(p, n) or (n < d and k != n):
            must = f"n_subsamples must be at least the number of coefficients = {p}"
            if n < d:
                must = f"n_subsamples must be all {n} rows, fewer than the {d} columns"
            raise ParameterError(sentence(self, must, f"{k}"))
        return k

    def _subsets(self, n: int, k: int, seed: int) -> Vector:
        """Return all subsets of k rows, or as many as are asked for."""
        every, most = np.rint(binom(n, k)), float(self.max_subpopulation)
        if every <= most:
            count = int(max(1, every))
            flat = (i for subset in combinations(range(n), k) for i in subset)
            return np.fromiter(flat, np.int64, count * k).reshape(count, k)
        if not np.isfinite(most):
            must = (
                f"max_subpopulation must be finite where there are {every:.3g} subsets"
            )
            raise DataError(sentence(self, must, f"{most}"))
        return drawn_subsets(generator(seed), int(most), k, np.ones(n))

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Floats:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + X.dtype.type(self.intercept_)


def products(w: Floats, subsets: Vector) -> Floats:
    """Return the product of the weights of each subset, the largest being 1.

    >>> products(np.array([1.0, 2.0, 4.0]), np.array([[0, 1], [1, 2]])).round(9)
    array([0.25, 1.  ])
    """
    logs = np.log(w)[subsets].sum(axis=1)
    return np.maximum(np.exp(logs - logs.max()), np.finfo(np.float64).tiny)


def breakdown(n: int, k: int) -> float:
    """Return (2).

    >>> round(breakdown(10**10, 2), 6)
    0.292893
    """
    return 1 - (0.5 ** (1 / k) * (n - k + 1) + k - 1) / n
