"""Lasso and elastic net of several targets that choose their features together.

Also known as: multi-task lasso, group lasso, L1/L2 mixed norm, l21 penalty, joint
feature selection.

Minimise  (1/2N) sum_n w_n ||y_n - B x_n - b0||^2
              + alpha (rho sum_j ||B_j|| + (1 - rho)/2 ||B||^2),   N = sum_n w_n    (1)

where B_j holds the m coefficients of feature j.  The length ||B_j|| is not smooth at 0
alone, so that a feature serves all targets or none, where the lasso of each target
would choose its own.  With the residuals r and centred columns x_j, B is optimal if and
only if

    x_j'W r / N = alpha rho B_j / ||B_j|| + alpha (1 - rho) B_j   where B_j is not 0,
    ||x_j'W r|| / N <= alpha rho                                  elsewhere         (2)

so B = 0 from  alpha_max = max_j ||x_j'W Y|| / (N rho)  on                          (3)

A fit reads the data once for the Gram matrix, or descends on rows in memory where there
are many columns; `solvers/block_descent.py` has the mathematics.  One target gives the
lasso and the elastic net.

Notation: X (n, d); Y (n, m); B (m, d) = coef_; b0 = intercept_; rho = l1_ratio.
Course: S3-91. References: Yuan and Lin (2006); Obozinski, Taskar and Jordan (2010).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, one_of, real, seed, whole
from corollary.core.records import changed
from corollary.core.report import Report
from corollary.engine import Fitted
from corollary.linear.convex_statements import joint_problem
from corollary.linear.sparse.design_learner import DesignLearner, Shrunk
from corollary.linear.sparse.elastic_net_fit import report_net
from corollary.objectives.penalties import Penalty
from corollary.solvers.block_descent import joint_path
from corollary.solvers.design import Design

__all__ = ["MultiTaskElasticNet", "MultiTaskLasso"]

RULES = {
    "alpha": real(0),
    "fit_intercept": boolean,
    "copy_X": boolean,
    "max_iter": whole(1),
    "tol": real(0),
    "warm_start": boolean,
    "random_state": seed,
    "selection": one_of("cyclic", "random"),
}


class MultiTaskLasso(DesignLearner):
    """The lasso of several targets that share their features.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is least squares.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    max_iter : int, default=1000
        Epochs of block coordinate descent.
    tol : float, default=1e-4
        The fit stops when the duality gap is below ``tol * sum w ||y - mean||^2 / N``.
    warm_start : bool, default=False
        Whether to begin at the coefficients of the fit before.
    random_state, selection : ignored
        Kept for compatibility; coordinates take turns, nothing is drawn.

    Attributes
    ----------
    coef_ : array of shape (m, d)
    sparse_coef_ : sparse matrix of shape (m, d)
    intercept_ : array of shape (m,)
    dual_gap_ : float
        (1) is at most this much above its minimum.
    n_iter_ : int
        Epochs of block coordinate descent.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MultiTaskLasso
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> Y = X @ [[3.0, 4.0], [0.3, 0.4]]
    >>> MultiTaskLasso(alpha=1.0, tol=1e-12).fit(X, Y).coef_.round(6).tolist()
    [[2.4, 0.0], [3.2, 0.0]]
    """

    shapes: ClassVar = {"coef_": "m d", "intercept_": "|m"}
    rules: ClassVar = RULES
    convex_problem = joint_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return solved_jointly(self, design, state, 1.0)

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the gap, the features, and how well the conditions (2) hold."""
        report_jointly(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set coefficients, a row for each target."""
        publish_jointly(self, fitted.state)


class MultiTaskElasticNet(DesignLearner):
    """The elastic net of several targets that share their features.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is least squares.
    l1_ratio : float, default=0.5
        rho in (1), from 0 (ridge) to 1 (`MultiTaskLasso`).
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    max_iter : int, default=1000
        Epochs of block coordinate descent.
    tol : float, default=1e-4
        The fit stops when the duality gap is below ``tol * sum w ||y - mean||^2 / N``.
    warm_start : bool, default=False
        Whether to begin at the coefficients of the fit before.
    random_state, selection : ignored
        Kept for compatibility; coordinates take turns, nothing is drawn.

    Attributes
    ----------
    coef_ : array of shape (m, d)
    sparse_coef_ : sparse matrix of shape (m, d)
    intercept_ : array of shape (m,)
    dual_gap_ : float
        (1) is at most this much above its minimum.
    n_iter_ : int
        Epochs of block coordinate descent.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MultiTaskElasticNet
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> Y = X @ [[3.0, 4.0], [0.3, 0.4]]
    >>> MultiTaskElasticNet(alpha=2.0, tol=1e-12).fit(X, Y).coef_.round(6).tolist()
    [[1.2, 0.0], [1.6, 0.0]]
    """

    shapes: ClassVar = {"coef_": "m d", "intercept_": "|m"}
    rules: ClassVar = RULES | {"l1_ratio": real(0, 1)}
    convex_problem = joint_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return solved_jointly(self, design, state, float(self.l1_ratio))

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the gap, the features, and how well the conditions (2) hold."""
        report_jointly(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set coefficients, a row for each target."""
        publish_jointly(self, fitted.state)


def solved_jointly(
    learner: Any, design: Design, state: Shrunk, l1_ratio: float
) -> Shrunk:
    """Descend on the rows of B, of which each belongs to a feature."""
    if not state.many:
        must = "y must be a matrix, with a column for each target"
        remedy = "Use Lasso or ElasticNet for one target."
        raise DataError(sentence(learner, must, "one column", remedy))
    penalty = Penalty(float(learner.alpha), l1_ratio, blocks=True)
    before = state.before
    start = None if before is None or len(before) != len(design.y2) else before.T
    how: Any = {"tol": float(learner.tol), "max_iter": int(learner.max_iter)}
    point = next(joint_path(design, [penalty], start=start, **how))
    return changed(state, points=(point,), intercept=design.intercepts(point.coef.T))


def report_jointly(state: Shrunk, report: Report) -> None:
    """Report the gap, the features, and how well the conditions (2) hold."""
    report_net(state, report)
    used = state.points[0].coef.any(axis=1)
    report.facts |= {"n_features_used": int(used.sum()), "n_features": state.d}


def publish_jointly(learner: Any, state: Shrunk) -> None:
    """Set coefficients, a row for each target."""
    (point,) = state.points
    learner.coef_ = np.asfortranarray(point.coef.T, dtype=state.dtype)
    learner.intercept_ = state.intercept.astype(state.dtype)
    if not learner.fit_intercept:
        learner.intercept_ = 0.0
    learner.n_iter_, learner.dual_gap_ = point.epochs, point.gap
