"""The classifier of largest margin, with a verdict where there is none.

Also known as: hard-margin SVM, maximal margin classifier, optimal margin classifier.

For two classes, y = +1 or -1, and a kernel k(x, z) = <phi(x), phi(z)>,

    min  1/2 ||w||^2    with   y_i (w'phi(x_i) + b) >= 1 for every row           (1)

`hard_margin.py` has the theory: (1) is solved as the search for the nearest points p, q
of the convex hulls of the two classes, by convex weights u with

    p - q = sum_i y_i u_i phi(x_i),       margin = 1 / ||w|| = ||p - q|| / 2     (2)

Weights do not matter, but for 0, nor do prices: a row is either on its side or not.

Verdict.  Where the hulls are apart, w = 2 (p - q) / ||p - q||^2 and b is the middle.
Where they touch, (1) has no answer, and beta = y u is the witness: one line checks that
it gives both classes the same mean, `witness_ @ X` for the linear kernel and
`witness_ @ K @ witness_.T` for any.  Then `separable_` is False, `fit` warns, and what
is kept to predict with is a machine that allows slack, `SVC` with

    C = 1 / sigma^2,     sigma^2 = mean of k(x, x) - ||mean of phi(x)||^2        (3)

the price 1 where the rows have unit spread.  A search that was stopped before anything
was proved leaves None, and the p - q it had.

K classes are a machine for every pair; each has its verdict (`pairs.py`).

Notation: beta = witness_; ||p - q|| = distance_; y alpha = dual_coef_ over support_.
Course: S0-24, S2-30, S3-63, S4-46. References: Vapnik (1995); Bennett and Bredensteiner
(2000), hulls.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary.core.arrays import Floats
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.warn import warn
from corollary.engine.sources.source import Chunk
from corollary.solvers.convex_problem import Box, Problems, class_box, unbounded
from corollary.svm import pairs
from corollary.svm.hard_margin import nearest_hulls
from corollary.svm.pair_problem import pair_problems
from corollary.svm.svc import soft_margin

__all__ = ["HardMarginSVC"]


class HardMarginSVC(pairs.PairMachine):
    """The classifier of largest margin, or a proof that nothing separates the classes.

    Parameters
    ----------
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
        Largest violation of the optimality conditions, where the nearest rows score 1.
    cache_size : float, default=200
        Megabytes for kernel rows.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a row.
    max_seconds : float, optional
        Most time for a pair of classes.
    decision_function_shape : {'ovr', 'ovo'}
        Scores of the classes, or of the pairs of classes.
    break_ties : bool, default=True
        Whether `predict` asks the scores where classes have equally many votes.
    random_state : int, RandomState or None
        Seed of the folds of `probability`.

    Attributes
    ----------
    separable_ : bool or None
        Whether every pair of classes can be separated; None where the search was
        stopped before that was known.
    witness_ : array of shape (K (K - 1) / 2, n)
        beta of (2): sums to 1 over one class and to -1 over the other.  No hyperplane
        has a margin above half the distance of the two means it gives.
    distance_ : array of shape (K (K - 1) / 2,)
        ||p - q||, the distance of the hulls, up to rounding 0 where they touch.
    margin_ : float
        For two classes: 1 / ||w||, 0 where not separable.
    classes_ : array of shape (K,)
    support_ : array of shape (s,)
        The support vectors' rows, class by class.
    support_vectors_ : array of shape (s, d)
    n_support_ : array of shape (K,)
    dual_coef_ : array of shape (K - 1, s)
    intercept_ : array of shape (K (K - 1) / 2,)
    coef_ : array of shape (K (K - 1) / 2, d)
        Only of the linear kernel.
    roles_, slack_ : arrays of shape (n,)
        For two classes: as of `SVC`; with no slack where separable.
    gamma_ : float
    n_iter_ : array of shape (K (K - 1) / 2,)
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import HardMarginSVC
    >>> X = np.array([[0.0], [2.0], [5.0]])
    >>> model = HardMarginSVC(kernel="linear").fit(X, [0, 1, 1])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[1.0]], [-1.0])
    >>> model.separable_, round(model.margin_, 6)
    (True, 1.0)

    The two means of class 0 and class 1 agree, so no line separates 0 and 2 from 1:

    >>> import warnings
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     model = HardMarginSVC(kernel="linear").fit(X, [0, 1, 0])
    >>> model.separable_, bool(np.allclose(model.witness_ @ X, 0))
    (False, True)
    """

    rules: ClassVar = {
        name: rule for name, rule in pairs.PAIR_RULES.items() if name != "class_weight"
    }
    shapes: ClassVar[Mapping[str, str]] = {
        **pairs.PairMachine.shapes,
        "witness_": "p n",
        "distance_": "p",
    }
    class_weight = None

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
        max_seconds: float | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def learn(self, rows: Chunk, report: Report) -> None:
        """Find the nearest points (2) of every pair, and publish the verdict."""
        solved = pairs.learn_pairs(self, rows, report, largest_margin)
        self.witness_ = np.zeros((len(solved), rows.n))
        for one, row in zip(solved, self.witness_, strict=True):
            row[one.rows] = one.optimum.b
        squares = [2 * one.optimum.objective for one in solved]
        self.distance_ = np.sqrt(np.maximum(squares, 0.0))
        joint = [bool(np.isfinite(one.bound).all()) for one in solved]
        short = any(
            not (np.isfinite(one.primal) or proved)
            for one, proved in zip(solved, joint, strict=True)
        )
        self.separable_ = False if any(joint) else None if short else True
        words = {True: "separable", False: "not separable", None: "undecided"}
        report.facts["verdict"] = words[self.separable_]
        if self.separable_:
            return
        report.optimality = Optimality("no separating hyperplane found", None)
        if len(solved) == 1:
            report.facts["margin"] = self.margin_ = 0.0
        if any(joint):
            report.facts["n_joint_pairs"] = sum(joint)
            soft = solved[joint.index(True)].bound
            report.facts["soft_C"] = float(soft.min())
            self._warn_of(joint, report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) of every pair at its coefficients, for `optimality_gap`."""

        def box(s: Floats, w: Floats, mass: float) -> Box:
            return class_box(s, unbounded(w))

        return pair_problems(self, X, y, sample_weight, box)

    def _warn_of(self, joint: list[bool], report: Report) -> None:
        """Say which classes cannot be separated, what proves it and what to do."""
        both = itertools.combinations(self.classes_.tolist(), 2)
        a, b = next(itertools.compress(both, joint))
        rows = int((self.witness_[joint.index(True)] != 0).sum())
        others = f" ({sum(joint) - 1} more pairs alike)" if sum(joint) > 1 else ""
        text = (
            f"{type(self).__name__}: no hyperplane separates the classes {a!r} and "
            f"{b!r}{others}: weights of {rows} rows, in witness_, give both the same "
            "mean. Use SVC, which allows slack, or another kernel."
        )
        report.warnings.append(text)
        warn(text, ConvergenceWarning)


def largest_margin(pair: pairs.PairProblem) -> pairs.SolvedPair:
    """Find the nearest points (2), and make their machine canonical."""
    hulls = nearest_hulls(pair.gram, pair.s, pair.limits)
    o = replace(hulls.optimum, gap=0.0)
    if hulls.touch:
        soft = soft_margin(replace(pair, price=pair.price / hulls.spread2))  # (3)
        o = replace(o, stop=StopReason.CONVERGED)
        return replace(soft, optimum=o, primal=np.inf)
    bound, primal, c = np.full(len(pair.s), np.inf), np.inf, 2 / hulls.square
    rho = c * float(o.rho.mean())
    if hulls.apart:
        c, rho, primal = hulls.scale, hulls.rho, hulls.primal
        o = replace(o, gap=hulls.gap, violation=c * o.violation)
    elif o.stop is StopReason.CONVERGED:  # every tolerance met, nothing proved
        o = replace(o, stop=StopReason.STALLED)
    beta, h, ends = c * hulls.b, c * hulls.f, np.full(2, rho)
    return pairs.SolvedPair(pair.rows, pair.s, beta, bound, h, ends, primal, o)
