"""Support vector classification with a share of margin errors instead of a price.

Also known as: nu-SVC, nu-SVM.
Related words: support vector machine.

For two classes minimise over w, b and the margin r >= 0

    1/2 ||w||^2 - nu W r + sum_i w_i max(0, r - y_i (w'phi(x_i) + b))            (1)

with W = sum_i w_i the number of rows.  In its dual every class is a group,

    min  1/2 beta'K beta,   0 <= y_i beta_i <= w_i,
    sum_{y = +1} beta = - sum_{y = -1} beta = nu W / 2                           (2)

whose offsets are rho_+ = r - b and rho_- = -r - b, so

    r = (rho_+ - rho_-) / 2,      b = -(rho_+ + rho_-) / 2                       (3)

Dividing all by r makes the margin 1: beta / r, b / r and w / r solve `SVC` with
C = 1 / r.  (2) is feasible if and only if

    nu <= 2 min(W_+, W_-) / W                                                    (4)

Property of nu: the share of margin errors is at most nu, and the share of support
vectors at least nu.  Geometrically (2) seeks the closest points of the two reduced
convex hulls; where they meet, r = 0 and there is no machine.

Class weights multiply the weights of rows, as a repetition of rows would.

Notation: beta / r = dual_coef_ over the rows support_; b / r = intercept_.
Course: S0-26. References: Schoelkopf, Smola, Williamson and Bartlett (2000); Crisp and
Burges (2000), reduced hulls.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.records import changed
from corollary.core.report import Report, StopReason
from corollary.engine.sources.source import Chunk
from corollary.solvers import smo
from corollary.solvers.box_dual import offsets
from corollary.solvers.convex_problem import (
    Box,
    Problems,
    class_box,
    from_here,
    not_handled,
)
from corollary.svm import pairs
from corollary.svm.hard_margin import TOUCH, variance_of
from corollary.svm.machine import VERBOSE, unit_of
from corollary.svm.pair_problem import pair_problems
from corollary.svm.single import report_share

__all__ = ["NuSVC"]

FINER = 5  # times that (2) is solved, each time from where the last ended
SAMPLE = 64  # rows that show the largest distance


class NuSVC(pairs.PairMachine):
    """Support vector classification with a share of margin errors.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]: most margin errors, and fewest support vectors.
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
        Factor of the weights of each class's rows.
    verbose : int, default=0
        1 shows the working sets and the dual objective.
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
    C_ : float
        For two classes: the price 1 / r with which `SVC` is the same machine.
    probA_, probB_ : arrays of shape (K (K - 1) / 2,)
        With 'platt': P = 1 / (1 + exp(A g + B)) of the pairs' scores g.
    isotonic_ : list of arrays of shape (m, 2)
        With 'isotonic': corners of each pair's probability.
    roles_, slack_ : arrays of shape (n,)
        For two classes: as of `SVC`.
    margin_ : float
        For two classes: 1 / ||w||.
    gamma_ : float
    n_iter_ : array of shape (K (K - 1) / 2,)
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import NuSVC
    >>> X = np.array([[-2.0, 0], [-1, 1], [1, -1], [2, 0]])
    >>> NuSVC(nu=0.5, kernel="linear").fit(X, [0, 0, 1, 1]).predict(X).tolist()
    [0, 0, 1, 1]
    """

    rules: ClassVar = {
        "nu": real(0, 1, ends="(]"),
        **pairs.PAIR_RULES,
        "verbose": VERBOSE,
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        self.nu = nu
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
        """Solve (2) for every pair; report the property of nu, and the equivalent C."""
        solved = pairs.learn_pairs(self, rows, report, self._solve)
        if len(solved) > 1:
            return
        one = solved[0]
        at_bound, used = np.abs(one.beta) >= one.bound, one.beta != 0
        roles = at_bound.astype(np.int8) + (at_bound | used)
        report_share(self.nu, one.bound, roles, report)
        self.C_ = float(np.abs(one.beta).sum() / np.abs(one.optimum.b).sum())  # 1 / r
        report.facts["equivalent_C"] = self.C_

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) of every pair at its coefficients, for `optimality_gap`."""
        if not from_here(self) and self.class_weight is not None:
            what = "class_weight of NuSVC, which does not count it"
            raise not_handled(f"scikit-learn's {what}")

        def box(s: Floats, w: Floats, mass: float) -> Box:
            return class_box(s, w * mass / (float(self.nu) * w.sum()))  # w_i / r

        return pair_problems(self, X, y, sample_weight, box)

    def _solve(self, pair: pairs.PairProblem) -> pairs.SolvedPair:
        """Solve (2) for weights about 1, with which beta and r grow; divide by r."""
        unit = unit_of(pair.price)
        pair = changed(pair, price=pair.price / unit)
        s, price = pair.s, pair.price
        o, r = solved_finely(pair, self._dual(pair))
        if not r > 0:
            must = "nu must be so large that the reduced hulls of two classes are apart"
            remedy = "Raise nu, or use a kernel that separates the classes better."
            raise DataError(sentence(self, must, f"nu = {self.nu:g}", remedy))
        if not r * r > 0:
            must = "X must be so large that its margin squared is above 0"
            remedy = "Scale the features first (StandardScaler)."
            raise DataError(sentence(self, must, f"a margin of {r:.3g}", remedy))
        beta, h = o.b / r, o.f / r
        ends = o.interval.sum(axis=0) / (2 * r)
        slack = np.maximum(0.0, 1 - s * (h - (ends[0] + ends[1]) / 2))
        primal = float(0.5 * (beta @ h) + price @ slack / r)  # of SVC with C = 1 / r
        o = changed(o, gap=o.gap / r / r, b=unit * o.b)
        return pairs.SolvedPair(pair.rows, s, beta, price / r, h, ends, primal, o)

    def _dual(self, pair: pairs.PairProblem) -> smo.Dual:
        """Return (2) but for the kernel; refuse what (4) forbids."""
        s, price = pair.s, pair.price
        total, sides = float(price.sum()), (s > 0, s < 0)
        half, zero = self.nu * total / 2, np.zeros(len(s))
        parts = [price[of] for of in sides]
        least = min(float(part.sum()) for part in parts)
        if half > least * (1 + 1e-9):
            most = 2 * least / total
            must = f"specified nu is infeasible: nu must be at most {most:.4g}, twice "
            must += "the share of the smaller of two classes"
            raise ParameterError(sentence(self, must, f"{self.nu:g}", "Lower nu."))
        start, signed = np.zeros(len(s)), s * price
        for side, of, part in zip((1.0, -1.0), sides, parts, strict=True):
            start[of] = side * smo.filled(part, half)
        lo, hi = np.minimum(signed, 0.0), np.maximum(signed, 0.0)
        return smo.Dual(zero, lo, hi, zero, start, sides[1].view(np.int8))


def solved_finely(pair: pairs.PairProblem, dual: smo.Dual) -> tuple[smo.Optimum, float]:
    """Solve (2) until the violation is tol once all is divided by r, or r is 0."""
    limits = pair.limits
    tol = limits.tol
    one_point = (float(np.abs(dual.start).sum()) / 2 * TOUCH) ** 2
    for _ in range(FINER):
        o = with_margin(smo.solve(pair.gram, dual, limits), dual)
        r = float(o.rho[0] - o.rho[1]) / 2  # (3)
        near = o.b @ o.f <= one_point * pair.gram.largest  # no variance is above that
        if near and o.b @ o.f <= one_point * variance_of(pair.gram):
            return o, 0.0  # the nearest points of the hulls are one
        if o.stop is not StopReason.CONVERGED or o.violation <= tol * r:
            break
        finer = min(tol * max(r, 0.0), limits.tol / 10)
        limits = replace(limits, tol=max(finer, limits.tol / 1000))
        dual = replace(dual, start=o.b)
    return o, r


def with_margin(o: smo.Optimum, dual: smo.Dual) -> smo.Optimum:
    """Return a search that ended early with offsets whose margin (3) is positive.

    The best offsets of a poor expansion may have none.
    """
    if o.rho[0] > o.rho[1] or o.stop is StopReason.CONVERGED:
        return o
    ends = np.array([offsets(o.b, o.f, dual, g) for g in (0, 1)])
    rho = ends.mean(axis=1)
    return replace(o, rho=rho, interval=ends, gap=o.gap_at(dual, *rho))
