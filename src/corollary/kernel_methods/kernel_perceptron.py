"""The perceptron in its dual form, with any kernel.

Also known as: dual perceptron, kernelised perceptron, potential functions.

The perceptron's weights are a sum of the rows it erred on, w = sum_i alpha_i t_i phi_i
with phi_i = phi(x_i) and alpha_i the number of mistakes on row i, so its score needs
inner products only:

    f(x) = sum_i alpha_i t_i k(x_i, x),     k(x, z) = phi(x)'phi(z)                  (1)
    alpha_i <- alpha_i + 1   where t_i f(x_i) <= 0                                   (2)

A row of weight w is visited ceil(w) times in a row, each time with w / ceil(w) in place
of 1: whole weights are repetitions.

The intercept is a constant feature 1: k + 1 in place of k.  With the linear kernel
every mistake is one of `Perceptron`, on the same row at the same visit.  If in the
space of phi some unit vector has t_i a*'phi_i >= gamma > 0 for all rows, and k(x_i,
x_i) <= R^2,

    mistakes <= (R / gamma)^2                                                        (3)

whatever the dimension of phi, the order and the length of the stream (Novikoff): each
mistake adds at least gamma to a*'w and at most R^2 to ||w||^2, so M gamma <= ||w|| <= R
sqrt M.  A fit that rests separates the rows, and its own margin makes (3) a number,
gamma = min_i t_i f(x_i) / ||w||, which the report sets beside the mistakes.

It has no summation form: each visit depends on the mistakes before.  `Perceptron` with
explicit features takes data of any size.

    linear  x'z       poly  (gamma x'z + coef0)^degree       rbf  exp(-gamma ||x-z||^2)

Notation: alpha_i t_i = dual_coef_; t_i = +-1; with K > 2 classes a machine for each.
Course: S4-63. References: Rosenblatt (1958); Novikoff (1962); Aizerman, Braverman and
Rozonoer (1964); Freund and Schapire (1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import (
    check_memory,
    check_two_classes,
)
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import (
    boolean,
    function,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.randomness import entropy
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Classifier
from corollary.core.rows import dense
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.kernels.machine_kernel import kernel_of, stated_gamma
from corollary.linear.class_statements import sides
from corollary.linear.online.visits import VisitedRows, rows_to_visit
from corollary.objectives.losses import Perceptron as Criterion
from corollary.objectives.penalties import Penalty
from corollary.solvers.convex_problem import LinearStatement, Problems

__all__ = ["KernelPerceptron"]


@dataclass
class Contest:
    """One class against the rest: alpha t, the scores of all rows, the mistakes."""

    t: Floats  # (n,) -1 and +1, times the weight of a visit
    alpha: Floats  # (n,)
    scores: Floats  # (n,)
    mistakes: list[int]
    rested: bool = False

    def go_back(self, mistakes: int, G: Floats) -> None:
        """Forget all but the first so many mistakes."""
        del self.mistakes[mistakes:]
        counts = np.bincount(np.array(self.mistakes, int), minlength=len(self.t))
        self.alpha = self.t * counts
        self.scores = G @ self.alpha


class KernelPerceptron(RowsLearner, Classifier):
    """The perceptron with a kernel.

    Parameters
    ----------
    kernel : {'rbf', 'linear', 'poly'} or function of (X, Z) -> array, default='rbf'
        k; a function must give the matrix of all k(x, z).
    gamma : float or 'scale', default='scale'
        Of 'rbf' and 'poly'; 'scale' is 1 / (d times the variance of X).
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1.0
        Of 'poly'.
    fit_intercept : bool, default=True
        Whether to take k + 1 for k.
    max_iter : int, default=100
        Passes over the rows.
    shuffle : bool, default=True
        Whether each pass visits the rows in a new order; False keeps theirs.
    random_state : int, default=0
        Seed of the orders.

    Attributes
    ----------
    classes_ : array of shape (K,)
    dual_coef_ : array of shape (1, s) or (K, s)
        alpha_i t_i of the rows that were erred on.
    support_ : array of shape (s,)
        Their numbers.
    support_vectors_ : array of shape (s, d)
        The rows: a model file holds them.
    mistakes_ : list of arrays
        Of each machine, the row behind each mistake, in order.
    gamma_ : float
        gamma as a number.
    n_iter_ : int
        Passes.
    n_features_in_ : int
    report_ : Report
        With the mistakes and their bound (3) where the rows were separated.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelPerceptron
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> model = KernelPerceptron().fit(X, [0, 0, 1, 1])  # exclusive or
    >>> model.predict(X).tolist(), model.report_.stop.word
    ([0, 0, 1, 1], 'converged')
    """

    shapes: ClassVar = {"classes_": "K", "dual_coef_": "m s", "support_vectors_": "s d"}
    rules: ClassVar = {
        "kernel": one_of("rbf", "linear", "poly") | function,
        "gamma": one_of("scale") | real(0, ends="(]"),
        "degree": whole(1),
        "coef0": real(0),
        "fit_intercept": boolean,
        "max_iter": whole(1),
        "shuffle": boolean,
        "random_state": seed,
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        shuffle: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Make the kernel matrix and the passes."""
        X, codes = rows.X, rows.y
        K, n = len(self.classes_), rows.n
        check_two_classes(self)
        check_memory(self, 17.0 * n * n, "the kernel matrix", "Use Perceptron.")
        X = X.astype(np.float64, copy=False)
        self.gamma_ = stated_gamma(self, X, rows.w)
        G = self._kernel(X, X)
        draw = entropy(self.random_state)
        chunk = Chunk(X, codes, rows.w)
        visits = rows_to_visit(chunk, shuffle=self.shuffle, seed=draw)
        each = visits.visits[0]
        each = np.ones(n) if each is None else each
        contests = [
            Contest(np.where(codes == k, each, -each), np.zeros(n), np.zeros(n), [])
            for k in ([1] if K == 2 else range(K))
        ]
        report.passes, report.stop = self._walk(contests, G, visits, draw)
        self._publish(contests, X, report.passes)
        self._account(contests, G, report)

    def _kernel(self, X: Floats, Z: Floats) -> Floats:
        """Return k(x, z) of all pairs, with 1 for the intercept."""
        kernel: Any = kernel_of(self, self.gamma_).function
        G = np.asarray(kernel(X, Z), dtype=np.float64)
        if not np.isfinite(G).all():
            must = f"kernel must give finite numbers of shape {(len(X), len(Z))}"
            raise DataError(sentence(self, must, "NaN or infinity"))
        return G + 1.0 if self.fit_intercept else G

    def _walk(
        self, contests: list[Contest], G: Floats, rows: VisitedRows, draw: int
    ) -> tuple[int, StopReason]:
        """Make passes until every machine has one without a mistake; return both."""
        _, times = rows.visits
        for passed in range(self.max_iter):
            order = rows.order(draw, passed)
            order = order if times is None else np.repeat(order, times[order])
            before = [len(contest.mistakes) for contest in contests]
            try:
                for contest in contests:
                    if not contest.rested:
                        contest.rested = not one_pass(contest, G, order)
            except KeyboardInterrupt:
                if not passed:
                    raise
                for contest, mistakes in zip(contests, before, strict=True):
                    contest.go_back(mistakes, G)
                return passed, StopReason.INTERRUPTED
            if all(contest.rested for contest in contests):
                return passed + 1, StopReason.CONVERGED
        return self.max_iter, StopReason.MAX_PASSES

    def _publish(self, contests: list[Contest], X: Floats, passes: int) -> None:
        """Set what users read."""
        A = np.array([contest.alpha for contest in contests])
        self.support_ = np.flatnonzero((A != 0).any(axis=0))
        self.dual_coef_ = A[:, self.support_]
        self.support_vectors_ = X[self.support_]
        self.mistakes_ = [np.array(contest.mistakes, int) for contest in contests]
        self.n_iter_ = passes

    def _account(self, contests: list[Contest], G: Floats, report: Report) -> None:
        wrong = max(float((c.t * c.scores <= 0).mean()) for c in contests)
        report.optimality = Optimality("share of rows misclassified is", wrong)
        counts = [len(contest.mistakes) for contest in contests]
        report.facts["n_mistakes"] = counts[0] if len(counts) == 1 else counts
        whole = all((np.abs(contest.t) == 1).all() for contest in contests)
        if report.stop is StopReason.CONVERGED and whole:
            bounds = [mistake_bound(contest, G) for contest in contests]
            report.facts["mistake_bound"] = max(bounds)
        elif report.stop is StopReason.MAX_PASSES:
            report.remedy = "Use a kernel that separates the rows."

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State the criterion of each machine (`Perceptron`), for `optimality_gap`."""
        G = self._kernel(dense(X), self.support_vectors_)
        found: Problems = []
        for (s, o), a in zip(
            sides(self, y, sample_weight), self.dual_coef_, strict=True
        ):
            criterion = Criterion(), Penalty(), G, s, o, a
            found.append(LinearStatement(*criterion, scale=float(o.sum())))
        return found

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Floats:
        """Return f(x) of (1): (n,) for two classes, (n, K) otherwise."""
        X = self._query(X).astype(np.float64, copy=False)
        with single_threaded_blas():  # the same bits for any number of threads
            Z = self._kernel(X, self.support_vectors_) @ self.dual_coef_.T
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def predict(self, X: Any) -> Vector:
        """Return the class of largest score."""
        Z = self.decision_function(X)
        return self.classes_[(Z > 0).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)]


def one_pass(contest: Contest, G: Floats, order: Vector) -> bool:
    """Visit the rows in order, (2); tell whether there was a mistake."""
    at, erred = 0, False
    while at < len(order):
        left = order[at:]
        wrong = contest.t[left] * contest.scores[left] <= 0
        if not wrong.any():
            break
        at += int(np.argmax(wrong))
        i, erred = int(order[at]), True
        contest.alpha[i] += contest.t[i]
        contest.scores += contest.t[i] * G[i]
        contest.mistakes.append(i)
        at += 1
    return erred


def mistake_bound(contest: Contest, G: Floats) -> float:
    """Return (R / gamma)^2 of (3), for the margin of the fit itself."""
    size = float(contest.alpha @ contest.scores)  # ||w||^2
    margin = float((contest.t * contest.scores).min())
    return float(np.diagonal(G).max()) * size / margin**2
