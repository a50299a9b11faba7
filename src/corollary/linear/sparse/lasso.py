"""The lasso, in summation form or on working sets.

Also known as: L1-penalised least squares, basis pursuit denoising, MAP estimation with
a Laplace prior.

Minimise  (1/2N) sum_n w_n (y_n - x_n' b - b0)^2 + alpha ||b||_1,   N = sum_n w_n   (1)

The corners of the ball ||b||_1 <= t make coefficients exactly zero.  b is optimal if
and only if, with the residual r and centred columns x_j,

    x_j'W r / N = alpha sign(b_j)   where b_j is not 0,
   |x_j'W r| / N <= alpha           elsewhere                                       (2)

so b = 0 from  alpha_max = max_j |x_j'W y| / N  on                                  (3)
and with orthonormal columns, X'W X = N I, (1) is a soft threshold of least squares:

    b_j = sign(u_j) (|u_j| - alpha)_+ ,    u = X'W y / N                            (4)

Noise N(0, sigma^2) and a prior exp(-|b_j| / tau) / (2 tau) give (1) with
alpha = sigma^2 / (N tau).  `linear/sparse/lasso_bound.py` has the form with a bound t.

Notation: X (n, d); b = coef_; b0 = intercept_, not penalised.
Course: S3-91. References: Tibshirani (1996); Chen, Donoho and Saunders (1998).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import Report
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

__all__ = ["Lasso", "LassoCV"]


class Lasso(DesignLearner):
    """Least squares with an L1 penalty, which makes coefficients exactly zero.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is least squares.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    precompute : bool or array, default=False
        True asks for the Gram matrix of all columns; otherwise the shape of the data
        decides.  A given matrix must be that of X; it is checked, not needed.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    max_iter : int, default=1000
        Epochs of coordinate descent.
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
    >>> import numpy as np
    >>> from corollary import Lasso
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = Lasso(alpha=0.5, tol=1e-12).fit(X, X @ [2.0, 0.25] + 1)
    >>> model.coef_.round(6).tolist(), float(model.intercept_)
    ([1.5, 0.0], 1.0)
    >>> model.report_.facts["n_nonzero"]
    1
    """

    rules: ClassVar = RULES

    convex_problem = sparse_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return solved_net(self, design, state, 1.0)

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the gap, the zeros, and how well the optimality conditions hold."""
        report_net(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set coefficients in the shape of y."""
        publish_net(self, fitted.state)


class LassoCV(ElasticNetCVLearner):
    """The lasso with alpha chosen by cross-validation.

    Parameters
    ----------
    eps : float, default=1e-3
        The last alpha of the grid over the first, alpha_max of (3); at most 1.
    alphas : int or array, default=100
        Length of the grid, or the penalties themselves.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    precompute : ignored
        Kept for compatibility; the shape of the data decides.
    max_iter : int, default=1000
        Epochs of coordinate descent for each alpha.
    tol : float, default=1e-4
        Duality gap at which a fit stops, relative to the variance of y.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    cv : int, splitter or iterable of (train, test), default=None
        The folds; None means 5 of them in order.
        A row of weight 0 is left out before folds are made; a row of weight 2 lies in
        one fold, while copies of a row may lie in several, unless splits keep them
        together.
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
    alpha_ : float
        The penalty with the least mean error on rows held out.
    alphas_ : array of shape (a,)
    mse_path_ : array of shape (a, k)
        Mean squared error of each fold on its rows held out.
    coef_ : array of shape (d,)
    intercept_, dual_gap_ : float
    n_iter_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LassoCV
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> model = LassoCV(alphas=[1.0, 0.1]).fit(X, X @ [3.0, 0.0, 0.0, 0.0, -2.0])
    >>> model.alpha_, np.flatnonzero(model.coef_).tolist()
    (0.1, [0, 4])
    """

    convex_problem = sparse_problem

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Any = None,
        verbose: Any = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _l1_ratios(self) -> Floats:
        return np.ones(1)

    def _publish_ratio(self, l1_ratio: float) -> None:
        """Nothing was chosen."""
