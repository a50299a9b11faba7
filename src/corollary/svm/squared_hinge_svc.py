"""The support vector classifier whose slack is squared.

Also known as: L2-SVM, L2 soft margin, squared-hinge kernel machine, slack power p = 2.

For two classes, y = +1 or -1, minimise

    P(w, b) = 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i (w'phi(x_i) + b))^2         (1)

The dual has no upper bound but a ridge: with beta_i = y_i alpha_i

    min  D(beta) = 1/2 beta'(K + diag(1 / (2 C_i))) beta - y'beta                (2)
    y_i beta_i >= 0,      sum beta = 0

so it is the hard-margin machine of the kernel k + delta_ij / (2 C_i), always feasible
and strictly convex: beta is unique.  At the optimum alpha_i = 2 C_i xi_i: every row
with slack is a support vector, and an outlier, whose cost is squared, weighs more than
in `SVC`.

The solver wants a box.  At the optimum P is at most that of w = 0 with the best b,
C_i xi_i^2 <= P_0 = 4 C_+ C_- / (C_+ + C_-), C_+ and C_- the sums of C_i of the classes,

    alpha_i = 2 C_i xi_i <= 2 sqrt(C_i P_0)                                      (3)

and the optimum is inside.  The gap reported is the lesser of the solver's bound and
P + D.

Notation: beta = dual_coef_ over the rows support_; b = intercept_.
Course: S0-25, S1-48. References: Cortes and Vapnik (1995); Shawe-Taylor and Cristianini
(2004), 2-norm soft margin.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.parameters import real
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk
from corollary.kernels.gram import Ridged
from corollary.solvers import smo
from corollary.solvers.convex_problem import Problems, class_box
from corollary.svm import pairs
from corollary.svm.machine import capped
from corollary.svm.pair_problem import pair_problems
from corollary.svm.squared_losses import squared_gap

__all__ = ["SquaredHingeSVC"]


class SquaredHingeSVC(pairs.PairMachine):
    """Support vector classification with squared slack.

    Parameters
    ----------
    C : float, default=1.0
        Price of a squared violation of the margin, in (1).
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or function
        A function takes two sets of rows and returns their kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float
        Of 'rbf', 'poly' and 'sigmoid'; 'scale' is 1 / (d Var X), 'auto' 1 / d.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    probability : bool or {'platt', 'isotonic'}, default=False
        Whether to calibrate probabilities, on scores cross-fitted in five folds; True
        is 'platt'.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=200
        Megabytes for kernel rows.
    class_weight : dict, 'balanced' or None
        Factor of C for each class.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a row.
    max_seconds : float, optional
        Most time for a pair of classes.
    decision_function_shape : {'ovr', 'ovo'}
        Scores of the classes, or of the pairs of classes.
    break_ties : bool, default=False
        Whether `predict` asks the scores where classes have equally many votes.
    random_state : int, RandomState or None
        Seed of the folds of `probability`.

    Attributes
    ----------
    classes_, class_weight_ : arrays of shape (K,)
    support_ : array of shape (s,)
        The support vectors' rows, class by class.
    support_vectors_ : array of shape (s, d)
    n_support_ : array of shape (K,)
    dual_coef_ : array of shape (K - 1, s)
    intercept_ : array of shape (K (K - 1) / 2,)
    intercept_interval_ : array of shape (K (K - 1) / 2, 2)
    coef_ : array of shape (K (K - 1) / 2, d)
        Only of the linear kernel.
    roles_, slack_ : arrays of shape (n,)
        For two classes: as of `SVC`; rows with slack are 'inside' or 'misclassified'.
    margin_ : float
        For two classes: 1 / ||w||.
    gamma_ : float
    n_iter_ : array of shape (K (K - 1) / 2,)
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SquaredHingeSVC
    >>> X = np.array([[-1.0], [1.0]])
    >>> model = SquaredHingeSVC(C=0.5, kernel="linear").fit(X, [0, 1])
    >>> model.coef_.round(6).tolist(), model.slack_.round(6).tolist()
    ([[0.666667]], [0.333333, 0.333333])
    """

    rules: ClassVar = {"C": real(0, ends="(]"), **pairs.PAIR_RULES}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        max_iter: int = -1,
        max_seconds: float | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2) in the box (3), for every pair of classes."""
        pairs.learn_pairs(self, rows, report, squared_margin)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) of every pair at its coefficients, for `optimality_gap`."""
        price = capped(self.C) * sample_weight
        return pair_problems(
            self, X, y, price, lambda s, C, mass: class_box(s, C, squared=True)
        )


def squared_margin(pair: pairs.PairProblem) -> pairs.SolvedPair:
    """Solve (2) in the box (3)."""
    s, price = pair.s, pair.price
    ridge = np.divide(0.5, price, out=np.zeros(len(s)), where=price > 0)
    above, below = float(price[s > 0].sum()), float(price[s < 0].sum())
    most = 2 * np.sqrt(price * 4 * above * below / (above + below))  # (3)
    zero = np.zeros(len(s))
    lo, hi = np.minimum(s * most, 0.0), np.maximum(s * most, 0.0)
    o = smo.solve(
        Ridged(pair.gram, ridge), smo.Dual(-s, lo, hi, zero, zero), pair.limits
    )
    h = o.f + s - ridge * o.b
    u = 1 - s * (h - o.rho[0])
    slack = np.maximum(0.0, u)
    primal = float(0.5 * (o.b @ h) + price @ slack**2)  # (1)
    lost = np.abs(o.b) * (slack - u)
    o = replace(o, gap=squared_gap(price, o.b, slack, lost, o.rounding))
    bound = np.where(slack > 0, np.abs(o.b), np.inf)
    return pairs.SolvedPair(pair.rows, s, o.b, bound, h, o.interval[0], primal, o)
