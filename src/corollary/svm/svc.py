"""The support vector classifier.

Also known as: SVM, C-SVM, soft-margin machine, maximum-margin classifier, support
vector machine.
Related words: sequential minimal optimisation, SMO.

For two classes, y = +1 or -1, and a kernel k(x, z) = <phi(x), phi(z)>, minimise

    P(w, b) = 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i (w'phi(x_i) + b))           (1)

its dual, with beta_i = y_i alpha_i and K_ij = k(x_i, x_j), is to minimise

    D(beta) = 1/2 beta'K beta - y'beta,   0 <= y_i beta_i <= C_i,  sum beta = 0  (2)

and at the optimum P = -D, w = sum_i beta_i phi(x_i): rows with beta_i = 0 do not
matter.  C_i = C times the row's weight times its class's weight, so that a row of
weight 2 is the row twice.  As C grows, slack becomes too dear and, where the classes
can be separated, the machine of largest margin 1 / ||w|| remains (C = inf).

`solvers/smo.py` solves (2) and bounds P + D; `pairs.py` has the roles of the rows,
several classes and probabilities.  There is no summation form: see
`RBFSampler` and `Nystroem` with a linear machine for the relative that has.

Notation: beta = dual_coef_ over the rows support_; b = intercept_ = -rho.
Course: S0-25, S0-26, S1-48, S1-49, S2-38, S3-64, S3-69, S4-49, S4-51.
References: Boser, Guyon and Vapnik (1992); Cortes and Vapnik (1995).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.parameters import real
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk
from corollary.solvers import smo
from corollary.solvers.convex_problem import Problems, class_box
from corollary.svm import pairs
from corollary.svm.machine import VERBOSE, capped
from corollary.svm.pair_problem import pair_problems

__all__ = ["SVC", "soft_margin"]


class SVC(pairs.PairMachine):
    """Support vector classification with any kernel.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin, in (1).
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
    verbose : int, default=0
        Kept for compatibility.
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
    coef_ : array of shape (K (K - 1) / 2, d)
        Only of the linear kernel.
    intercept_interval_ : array of shape (K (K - 1) / 2, 2)
        Where each intercept may lie; its ends differ only where no row is on a margin.
    probA_, probB_ : arrays of shape (K (K - 1) / 2,)
        With 'platt': P = 1 / (1 + exp(A g + B)) of the pairs' scores g.
    isotonic_ : list of arrays of shape (m, 2)
        With 'isotonic': corners of each pair's probability.
    roles_ : array of shape (n,)
        For two classes: each row's role, as a number in `corollary.svm.pairs.ROLES`.
    slack_ : array of shape (n,)
        For two classes: max(0, 1 - y g) of each row; above 1 it is misclassified.
    margin_ : float
        For two classes: 1 / ||w||.
    gamma_ : float
    n_iter_ : array of shape (K (K - 1) / 2,)
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    >>> model = SVC(C=10, kernel="poly", degree=2, gamma=1, coef0=1)
    >>> model.fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    rules: ClassVar = {"C": real(0, ends="(]"), **pairs.PAIR_RULES, "verbose": VERBOSE}

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
        verbose: bool = False,
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
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2) for every pair of classes."""
        pairs.learn_pairs(self, rows, report, soft_margin)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) of every pair at its coefficients, for `optimality_gap`."""
        price = capped(self.C) * sample_weight
        return pair_problems(self, X, y, price, lambda s, C, mass: class_box(s, C))


def soft_margin(pair: pairs.PairProblem) -> pairs.SolvedPair:
    """Solve (2)."""
    s, price = pair.s, pair.price
    lo, hi = np.minimum(s * price, 0.0), np.maximum(s * price, 0.0)
    zero = np.zeros(len(s))
    start = zero if pair.start is None else np.clip(pair.start, lo, hi)
    o = smo.solve(pair.gram, smo.Dual(-s, lo, hi, zero, start), pair.limits)
    h = o.f + s
    slack = np.maximum(0.0, 1 - s * (h - o.rho[0]))
    primal = float(0.5 * (o.b @ h) + price @ slack)  # (1)
    return pairs.SolvedPair(pair.rows, s, o.b, price, h, o.interval[0], primal, o)
