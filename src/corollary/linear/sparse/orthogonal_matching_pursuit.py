"""Orthogonal matching pursuit: least squares on a few columns, chosen greedily.

Also known as: OMP, greedy sparse approximation, forward selection.

Look for few columns that explain y,

    min_b  sum_n w_n (y_n - x_n'b - b0)^2     such that at most k entries are not 0  (1)

which is NP-hard.  Greedily: choose the column that correlates most with what is left,
refit all that have been chosen by least squares, and go on:

    j = argmax_j |x_j'W r|,    b_A = least squares on A + j,    r = y - X_A b_A      (2)

until k columns are chosen, or the sum of squared residuals is at most tol.  What is
left is orthogonal to every chosen column.  Where y is a sum of k columns of one length,
and no two columns have a cosine above mu < 1/(2k - 1), the greedy choice is right.

A fit reads the data once for the Gram matrix, or takes the columns from rows in memory
where there are many of them; `solvers/matching_pursuit.py` has the mathematics.

Notation: X (n, d); b = coef_; b0 = intercept_; k = n_nonzero_coefs.
Course: S4-58. References: Pati, Rezaiifar and Krishnaprasad (1993); Tropp (2004).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, boolean, missing, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.engine import Fitted
from corollary.linear.sparse.design_learner import DesignLearner, Shrunk
from corollary.linear.sparse.elastic_net_path import checked, design_of
from corollary.solvers.design import Design
from corollary.solvers.matching_pursuit import Pursuit, pursue

__all__ = ["OrthogonalMatchingPursuit", "orthogonal_mp"]


class OrthogonalMatchingPursuit(DesignLearner):
    """Least squares on columns that are chosen one after the other.

    Parameters
    ----------
    n_nonzero_coefs : int, optional
        Columns to choose; by default a tenth of them, at least one.  Not heard where
        `tol` is given.
    tol : float, optional
        The sum of squared residuals at which to stop.
    fit_intercept : bool, default=True
        Whether to fit b0.
    precompute : bool, 'auto' or array, default='auto'
        True asks for the Gram matrix of all columns; otherwise the shape of the data
        decides.  A given matrix is not needed: it is only an order to use one.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    intercept_ : float or array of shape (m,)
    n_nonzero_coefs_ : int or None
        Columns that were asked for; None where `tol` was given.
    n_iter_ : int or list of int
        Columns that were chosen, of each target.
    active_ : list of int, or list of m such lists
        The chosen columns, in their order.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import OrthogonalMatchingPursuit
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> model = OrthogonalMatchingPursuit(n_nonzero_coefs=2)
    >>> model.fit(X, X @ [0, 3.0, 0, 0, -2.0, 0, 0, 0]).coef_.round(6).tolist()
    [0.0, 3.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0]
    """

    no_convex_problem = "whose choice of columns is no convex problem"
    rules: ClassVar = {
        "n_nonzero_coefs": missing | whole(1),
        "tol": missing | real(0),
        "fit_intercept": boolean,
        "precompute": boolean | one_of("auto") | array_like,
    }

    def __init__(
        self,
        *,
        n_nonzero_coefs: int | None = None,
        tol: float | None = None,
        fit_intercept: bool = True,
        precompute: Any = "auto",
    ) -> None:
        self.n_nonzero_coefs = n_nonzero_coefs
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.precompute = precompute

    # -- learning ------------------------------------------------------------------
    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        how: Any = {"most": asked(self, state.d), "tol": self.tol}
        found = tuple(pursue(design, k, **how) for k in range(len(design.y2)))
        intercept = design.intercepts(np.array([one.coef for one in found]))
        return replace(state, points=found, intercept=intercept)

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the choice, and that the residual is orthogonal to it."""
        found: tuple[Pursuit, ...] = state.points
        report.objective = report.objective[-1:]
        done = all(one.reached for one in found)
        report.stop = StopReason.CONVERGED if done else StopReason.STALLED
        if not done:
            left = max(one.objective for one in found)
            report.remedy = f"Raise tol: least squares itself leaves {left:.4g}."
        worst = max(one.residual_correlation for one in found)
        kind = "residual correlates with a chosen column, relative to y, by"
        report.optimality = Optimality(kind, worst)
        report.facts["route"] = state.route
        report.facts["n_nonzero"] = sum(len(one.columns) for one in found)

    def publish(self, fitted: Fitted) -> None:
        """Set the coefficients and the choice, in the shape of y."""
        state: Shrunk = fitted.state
        found, many = state.points, len(state.points) > 1
        coef = np.array([one.coef for one in found]).astype(state.dtype)
        self.coef_ = coef if many else coef[0]
        intercept = state.intercept.astype(state.dtype)
        self.intercept_ = intercept if state.many else intercept[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self.n_nonzero_coefs_ = None if self.tol is not None else asked(self, state.d)
        chosen = [one.columns.tolist() for one in found]
        self.active_ = chosen if many else chosen[0]
        self.n_iter_ = [len(one) for one in chosen] if many else len(chosen[0])


def asked(who: Any, d: int) -> int:
    """Return how many columns may be chosen."""
    if who.tol is not None:
        return d
    if who.n_nonzero_coefs is None:
        return max(int(0.1 * d), 1)
    if who.n_nonzero_coefs > d:
        must = f"n_nonzero_coefs must be at most the number of columns = {d}"
        raise ParameterError(sentence(who, must, f"{who.n_nonzero_coefs}"))
    return int(who.n_nonzero_coefs)


def orthogonal_mp(
    X: Any,
    y: Any,
    *,
    n_nonzero_coefs: int | None = None,
    tol: float | None = None,
    sample_weight: Any = None,
    return_path: bool = False,
    return_n_iter: bool = False,
) -> Any:
    """Choose columns by orthogonal matching pursuit, without an intercept.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,) or (n, m)
    n_nonzero_coefs, tol
        As in `OrthogonalMatchingPursuit`.
    sample_weight : array of shape (n,), optional
        Weight w counts a row w times.
    return_path : bool, default=False
        Whether to return the coefficients after every step.
    return_n_iter : bool, default=False
        Whether to return the numbers of steps as well.

    Returns
    -------
    coef : array of shape (d,) or (d, m); with a path (d, k) or (d, m, k)
    n_iter : int or list of int, where asked for

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.linear.sparse.orthogonal_matching_pursuit import orthogonal_mp
    >>> orthogonal_mp(np.eye(3), [3.0, 1.0, 2.0], n_nonzero_coefs=2).tolist()
    [3.0, 0.0, 2.0]
    """
    who = OrthogonalMatchingPursuit(n_nonzero_coefs=n_nonzero_coefs, tol=tol)
    for name in ("n_nonzero_coefs", "tol"):
        rule = who.rules[name]
        if not rule.holds(getattr(who, name)):
            must = f"{name} must be {rule.words}"
            came = f"{getattr(who, name)!r}"
            raise ParameterError(sentence("orthogonal_mp", must, came))
    X, Y, w = checked("orthogonal_mp", X, y, sample_weight, many=True)
    design = design_of(X, Y, w, intercept=False)
    most = asked(who, X.shape[1])
    found = [pursue(design, k, most=most, tol=tol) for k in range(len(design.y2))]
    if return_path:
        steps = max(len(one.values) for one in found)
        B = np.stack([padded(one, steps) for one in found], axis=1)
    else:
        B = np.stack([one.coef for one in found], axis=1)
    coef = (B if Y.ndim == 2 else B[:, 0]).astype(X.dtype)
    counts = [len(one.values) for one in found]
    return (coef, counts if Y.ndim == 2 else counts[0]) if return_n_iter else coef


def padded(found: Pursuit, steps: int) -> Any:
    """Return the path, its end repeated where others took more steps."""
    short = steps - len(found.values)
    return np.column_stack([found.coefs, *([found.coef] * short)])
