"""The elastic net, in summation form or on working sets.

Also known as: L1 and L2 penalised least squares.

Minimise  (1/2N) sum_n w_n (y_n - x_n' b - b0)^2
              + alpha (rho ||b||_1 + (1 - rho)/2 ||b||^2),   N = sum_n w_n      (1)

rho = 1 is the lasso, rho = 0 ridge regression with its alpha N times as large.  The L2
part keeps correlated columns together, where the lasso picks one of them, and makes the
minimiser unique.  (1) is the lasso of penalty alpha rho on augmented rows:

    X* = [X; sqrt(N alpha (1 - rho)) I],     y* = [y; 0]     (centred X and y)   (2)

Notation: X (n, d); b = coef_; b0 = intercept_, not penalised; rho = l1_ratio.
Course: S3-91. Reference: Zou and Hastie (2005).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, real
from corollary.core.report import Report
from corollary.core.vectors import non_negative
from corollary.engine import Fitted
from corollary.linear.convex_statements import sparse_problem
from corollary.linear.sparse.design_learner import DesignLearner, Shrunk
from corollary.linear.sparse.elastic_net_cv_learner import ElasticNetCVLearner
from corollary.linear.sparse.elastic_net_fit import (
    RULES,
    publish_net,
    report_net,
    solved_net,
)
from corollary.solvers.design import Design

__all__ = ["ElasticNet", "ElasticNetCV"]


class ElasticNet(DesignLearner):
    """Least squares with L1 and L2 penalties.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is least squares.
    l1_ratio : float, default=0.5
        rho in (1), from 0 (ridge) to 1 (lasso).
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    precompute : bool or array, default=False
        True asks for the Gram matrix of all columns; otherwise the shape of the data
        decides.  A given matrix must be that of X; it is checked, not needed.
    max_iter : int, default=1000
        Epochs of coordinate descent.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    tol : float, default=1e-4
        The fit stops when the duality gap is below ``tol * sum w (y - mean)^2 / N``.
    warm_start : bool, default=False
        Whether to begin at the coefficients of the fit before; where they meet `tol`,
        that is the end, with `n_iter_` = 0.
    positive : bool, default=False
        Require b >= 0.
    random_state, selection : ignored
        Kept for compatibility; coordinates take turns, nothing is drawn.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    sparse_coef_ : sparse matrix of shape (1, d) or (m, d)
    intercept_ : float or array of shape (m,)
    dual_gap_ : float or array of shape (m,)
        (1) is at most this much above its minimum.
    n_iter_ : int or list of int
        Epochs of coordinate descent.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    Two equal columns share what the lasso would give to one of them.

    >>> import numpy as np
    >>> from corollary import ElasticNet
    >>> x = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> model = ElasticNet(alpha=0.2, tol=1e-12).fit(np.column_stack([x, x]), 2 * x)
    >>> model.coef_.round(6).tolist()
    [0.904762, 0.904762]
    """

    rules: ClassVar = RULES | {"l1_ratio": real(0, 1)}

    convex_problem = sparse_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return solved_net(self, design, state, float(self.l1_ratio))

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the gap, the zeros, and how well the optimality conditions hold."""
        report_net(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set coefficients in the shape of y."""
        publish_net(self, fitted.state)


class ElasticNetCV(ElasticNetCVLearner):
    """The elastic net with alpha and l1_ratio chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or array, default=0.5
        The share to use, or the shares to try.
    eps : float, default=1e-3
        The last alpha of the grid over the first, at most 1.
    alphas : int or array, default=100
        Length of the grid for each l1_ratio, or the penalties themselves.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    precompute : ignored
        Kept for compatibility; the shape of the data decides.
    max_iter : int, default=1000
        Epochs of coordinate descent for each alpha.
    tol : float, default=1e-4
        Duality gap at which a fit stops, relative to the variance of y.
    cv : int, splitter or iterable of (train, test), default=None
        The folds; None means 5 of them in order.
        A row of weight 0 is left out before folds are made; a row of weight 2 lies in
        one fold, while copies of a row may lie in several, unless splits keep them
        together.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    verbose : int, default=0
        1 shows the penalties and the mean objective of the folds.
    n_jobs : ignored
        Kept for compatibility.
    positive : bool, default=False
        Require b >= 0.
    random_state, selection : ignored
        Kept for compatibility; coordinates take turns, nothing is drawn.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The penalty with the least mean error on rows held out.
    alphas_ : array of shape (a,) or (l, a)
        One grid, or one for each of several shares where alphas are not given.
    mse_path_ : array of shape (a, k) or (l, a, k)
        Mean squared error of each fold on its rows held out.
    coef_ : array of shape (d,)
    intercept_, dual_gap_ : float
    n_iter_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ElasticNetCV
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = ElasticNetCV(l1_ratio=[0.1, 0.9], alphas=[1.0, 0.1])
    >>> model.fit(X, X @ [3.0, 0.0, -2.0]).l1_ratio_, model.alpha_
    (0.9, 0.1)
    """

    rules: ClassVar = {**ElasticNetCVLearner.rules, "l1_ratio": real(0, 1) | array_like}

    convex_problem = sparse_problem

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Any = None,
        copy_X: bool = True,
        verbose: Any = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _l1_ratios(self) -> Floats:
        ratios = np.atleast_1d(
            non_negative(self, self.l1_ratio, "l1_ratio", ParameterError)
        )
        if not ratios.size or ratios.max() > 1:
            must = "l1_ratio must hold numbers in [0, 1]"
            raise ParameterError(sentence(self, must, f"{self.l1_ratio}"))
        return ratios

    def _publish_ratio(self, l1_ratio: float) -> None:
        self.l1_ratio_ = l1_ratio
