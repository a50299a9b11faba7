"""Machines for every pair of classes: their training, layout and votes.

K classes are a machine for each pair a < b, on the rows of these two alone,

    g_ab(x) = sum_i beta_i k(x, x_i) - rho_ab,      > 0 speaks for a             (1)

(for two classes > 0 speaks for the second, as everywhere).  The pairs vote, and the
sums of their scores break ties.  A support vector of class a has one coefficient in
each of its K - 1 machines: dual_coef_[b - 1] for a < b and dual_coef_[b] for b < a.

By its margin m_i = y_i g(x_i) every row has a role

    outside        m_i > 1,  beta_i = 0          inside         0 <= m_i < 1
    on the margin  m_i = 1,  0 < |beta_i| < C_i  misclassified  m_i < 0          (2)

the sets O, M and I (inside or misclassified) of the textbook; max(0, 1 - m_i) is the
row's slack.  Where M is empty every b = -rho between two numbers is optimal, and the
middle is taken.

References: Chang and Lin (2011), LIBSVM; Hsu and Lin (2002), pairs of classes.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_two_classes
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real
from corollary.core.report import Report, StopReason
from corollary.core.roles import Classifier
from corollary.discriminants.surfaces import Surface
from corollary.engine.executors.team import Halted, in_a_team, in_turn, run_parts, team
from corollary.engine.sources.source import Chunk
from corollary.kernels.expansion import Kernel, own
from corollary.solvers import smo
from corollary.svm.conic_boundary import conic_boundary
from corollary.svm.machine import KernelMachine, account_for, capped

__all__ = ["ROLES", "Pair", "PairMachines", "Rows", "Run", "Solved"]

KEPT = 88  # bytes of a row in each of its machines until all are solved
ROLES = ("outside", "margin", "inside", "misclassified")
LOST = 1e-3  # most that a score may lose to rounding in float32

Pair = tuple[int, int]


@dataclass(frozen=True)
class Solved:
    """One machine: everything of the rows of two classes."""

    rows: Vector  # (m,) their numbers
    s: Floats  # (m,) -1 and +1
    beta: Floats  # (m,)
    bound: Floats  # (m,) the largest |beta|
    h: Floats  # (m,) K beta
    ends: Floats  # (2,) every rho between them is optimal
    primal: float
    optimum: smo.Optimum

    @property
    def rho(self) -> float:
        """Return the middle of the offsets that are optimal."""
        return float(self.ends.mean())

    @property
    def margins(self) -> Floats:
        """Return m of (2)."""
        return self.s * (self.h - self.rho)

    @property
    def norm(self) -> float:
        """Return ||w||^2."""
        return float(self.beta @ self.h)

    @property
    def roles(self) -> Vector:
        """Return what (2) says of each row, as a number in `ROLES`."""
        at_bound = (self.beta != 0) & (np.abs(self.beta) >= self.bound)
        tests = [self.margins < 0, at_bound, self.beta != 0]
        return np.select(tests, [3, 2, 1], default=0).astype(np.int8)


class PairMachines(KernelMachine, Classifier):
    """A classifier of kernel machines, one for each pair of classes."""

    may_be_infinite = ("margin_",)  # of w = 0

    pair_rules: ClassVar = {
        **KernelMachine.kernel_rules,
        "class_weight": class_weight_rule,
        "max_seconds": missing | real(0, ends="(]"),
        "decision_function_shape": one_of("ovr", "ovo"),
        "break_ties": boolean,
    }
    shapes: ClassVar[Mapping[str, str]] = {
        "classes_": "K",
        "class_weight_": "K",
        "support_": "s",
        "support_vectors_": "s d|0 0|s",
        "n_support_": "K",
        "dual_coef_": "m s",
        "intercept_": "p",
        "intercept_interval_": "p 2",
    }
    class_weight: Any
    decision_function_shape: str
    break_ties: bool

    # -- what a kind of machine says of itself -----------------------------------------
    @abstractmethod
    def _solve(
        self, gram: smo.Gram, s: Floats, price: Floats, run: Run
    ) -> tuple[smo.Optimum, dict[str, Any]]:
        """Solve the dual of two classes; return what `Solved` needs beside its rows."""

    def _prices(self, y: Vector, w: Vector | None) -> Floats:
        """Return what a row's slack costs: C times its weights, where there is a C."""
        C = capped(getattr(self, "C", 1.0))
        return C * self.class_weight_[y] * (1.0 if w is None else w)

    def _tell_more(self, solved: list[Solved], report: Report) -> None:
        """Add what only this kind of machine knows."""

    def _finish(
        self, data: Rows, pairs: list[Pair], w: Vector | None, report: Report
    ) -> None:
        """Learn what is built upon the machines."""

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve the dual of every pair of classes."""
        self.learn_from(rows, report, None)

    def learn_from(
        self, rows: Chunk, report: Report, starts: list[Floats] | None
    ) -> list[Floats]:
        """Learn, beginning at a point for each pair; return where each pair ended."""
        X, y, w = rows.X, rows.y, rows.w
        K = len(self.classes_)
        check_two_classes(self)
        totals = np.bincount(y, w, minlength=K).astype(np.float64)
        self.class_weight_ = stated_class_weights(self, totals)
        kernel = self._read_kernel(X, w, report)
        data = Rows(kernel, X, y, self._prices(y, w))
        pairs = list(itertools.combinations(range(K), 2))
        kept = KEPT * len(y) * (K - 1) if K > 2 else 0.0
        begin: list[Any] = [None] * len(pairs) if starts is None else starts
        solved = self._solve_all(
            lambda task, run: self._solve_pair(data, task[0], run.at(task[1], kept)),
            list(zip(pairs, begin, strict=True)),
        )
        self._assemble(wide_enough(kernel, X, solved), y, pairs, solved)
        self._tell(solved, report)
        self._check_curvature(kernel, X, report)
        self._finish(data, pairs, w, report)
        return [one.optimum.b for one in solved]

    def _solve_all(self, job: Any, tasks: list[Any]) -> list[Solved]:
        """Solve every pair; after Ctrl-C, where every one has begun, keep them so."""
        try:
            return self._crowd(job, tasks)
        except Halted as halted:
            if halted.results is None:
                raise
            stop = StopReason.INTERRUPTED
            return [
                replace(one, optimum=replace(one.optimum, stop=stop))
                for one in halted.results
            ]

    def _crowd(self, job: Any, tasks: list[Any]) -> list[Any]:
        """Do independent tasks, side by side where there are several."""
        threads = get_config().threads
        crowd = 1 if in_a_team() else max(1, min(threads, len(tasks)))
        run = Run(threads // crowd, crowd)
        if crowd == 1:
            return in_turn(lambda task: job(task, run), tasks)
        return run_parts(lambda task: job(task, run), tasks, team(threads))

    def _solve_pair(
        self, data: Rows, pair: Pair, run: Run, only: Vector | None = None
    ) -> Solved:
        """Solve the machine of two classes, on all of their rows or on some."""
        a, b = pair
        two = len(self.classes_) == 2
        of = (data.y == a) | (data.y == b)
        rows = np.flatnonzero(of if only is None else of & only)
        s = np.where(data.y[rows] == (b if two else a), 1.0, -1.0)
        whole = None if len(rows) == len(data.y) else rows
        gram = self._gram(data.kernel, data.X, whole, run.threads)
        optimum, found = self._solve(gram, s, data.price[rows], run)
        if optimum.stop is StopReason.INTERRUPTED and run.crowd == 1 and not two:
            raise KeyboardInterrupt  # other pairs have nothing yet
        optimum = replace(optimum, f=np.empty(0))  # h says it all
        return Solved(rows=rows, s=s, optimum=optimum, **found)

    def _assemble(
        self, X: Matrix, y: Vector, pairs: list[Pair], solved: list[Solved]
    ) -> None:
        """Sort what the pairs found by class, as scikit-learn lays it out."""
        K, n, dtype = len(self.classes_), len(y), X.dtype
        coefficients = np.zeros((K - 1, n))
        for (a, b), one in zip(pairs, solved, strict=True):
            of_a = y[one.rows] == a
            coefficients[b - 1, one.rows[of_a]] = one.beta[of_a]
            coefficients[a, one.rows[~of_a]] = one.beta[~of_a]
        used = np.flatnonzero(coefficients.any(axis=0))
        support = used[np.argsort(y[used], kind="stable")]
        self._keep(X, support, coefficients[:, support])
        self.n_support_ = np.bincount(y[support], minlength=K).astype(np.int32)
        ends = -np.array([one.ends[::-1] for one in solved])
        self.intercept_interval_ = ends.astype(dtype)
        self.intercept_ = ends.mean(axis=1).astype(dtype)
        steps = [one.optimum.steps for one in solved]
        self.n_iter_ = np.array(steps, dtype=np.int32)
        if not np.isfinite(self.intercept_).all():
            must = "The dual coefficients or intercepts are not finite; X must be small"
            raise DataError(sentence(self, must, f"up to {np.abs(X).max():.3g}"))

    def _tell(self, solved: list[Solved], report: Report) -> None:
        """Report the gap, the margin, and the roles (2) of the rows."""
        optima = [one.optimum for one in solved]
        account_for(optima, sum(one.primal for one in solved), report)
        roles = np.concatenate([one.roles for one in solved])
        counts = np.bincount(roles, minlength=4)
        self._tell_support([(one.beta, one.bound) for one in solved], report)
        words = (f"{n} {name}" for n, name in zip(counts, ROLES, strict=True))
        report.facts["roles"] = ", ".join(words)
        if len(solved) == 1:
            one = solved[0]
            self.roles_ = one.roles
            slack = np.maximum(0.0, 1 - one.margins)
            self.slack_ = slack.astype(self.intercept_.dtype)
            self.margin_ = float(1 / np.sqrt(one.norm)) if one.norm > 0 else np.inf
            report.facts["margin"] = self.margin_
            if one.ends[0] < one.ends[1]:
                low, high = self.intercept_interval_[0]
                every = f"every b in [{low:.4g}, {high:.4g}] is optimal"
                report.facts["intercept"] = every
        self._tell_more(solved, report)

    # -- use -----------------------------------------------------------------------
    @property
    def coef_(self) -> Any:
        """Return the weights of the features, of a linear machine."""
        self._only_linear()
        return self._published(self._pair_coefficients().T @ self.support_vectors_)

    def boundary(self, classes: Any = None) -> Surface:
        """Return where the machine decides, as an equation.

        Parameters
        ----------
        classes : pair of labels, optional
            Of more than two classes: the pair whose boundary is wanted.

        Returns
        -------
        Surface
            The conic, with its `kind` and `equation()`, of a polynomial kernel of
            degree 2 in the plane; the hyperplane of a linear kernel.  Positive on the
            side of the second class.
        """
        check_is_fitted(self)
        self._audit()
        return conic_boundary(self, classes)

    def _pair_scores(self, X: Any) -> Floats:
        """Return the score of every pair of classes, (n, p)."""
        check_is_fitted(self)
        self._audit()
        return self._expand(X, self._pair_coefficients()) + self.intercept_

    def _pair_coefficients(self) -> Floats:
        """Return the coefficients of every pair's machine, (s, p)."""
        K, D = len(self.classes_), self._coefficients()
        if K == 2:
            return D.T
        pairs = list(itertools.combinations(range(K), 2))
        B = np.zeros((len(self.support_), len(pairs)), D.dtype)
        of = np.repeat(np.arange(K), self.n_support_)
        for p, (a, b) in enumerate(pairs):
            B[of == a, p], B[of == b, p] = D[b - 1, of == a], D[a, of == b]
        return B

    def _audit(self) -> None:
        """Refuse learned arrays that do not belong together."""
        self._audit_expansion()
        K, n = len(self.classes_), np.asarray(self.n_support_)
        pairs = K * (K - 1) // 2
        sums = (n >= 0).all() and n.sum() == len(self.support_)
        sizes = self._coefficients().shape[0] == K - 1
        if not sums or not sizes or len(self.intercept_) != pairs:
            name = type(self).__name__
            must = f"The internal representation of {name} was altered: n_support_, "
            must += "dual_coef_ and intercept_ must fit the classes"
            raise DataError(sentence(self, must, f"n_support_ = {n.tolist()}"))

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array
            (n,) for two classes; otherwise (n, K), or (n, K (K - 1) / 2) with 'ovo'.
        """
        Z = self._pair_scores(X)
        if Z.shape[1] == 1:
            return Z[:, 0]
        return Z if self.decision_function_shape == "ovo" else self._votes(Z, 1 / 3)

    def _votes(self, Z: Floats, weight: float) -> Floats:
        """Count the votes for each class; scores, squeezed below 1/3, break ties."""
        K = len(self.classes_)
        votes, sums = np.zeros((len(Z), K)), np.zeros((len(Z), K))
        for p, (a, b) in enumerate(itertools.combinations(range(K), 2)):
            votes[:, a] += Z[:, p] > 0
            votes[:, b] += Z[:, p] <= 0
            sums[:, a] += Z[:, p]
            sums[:, b] -= Z[:, p]
        return votes + weight * sums / (np.abs(sums) + 1)

    def predict(self, X: Any) -> Vector:
        """Return the class of each row."""
        if self.break_ties and self.decision_function_shape == "ovo":
            must = "break_ties must be False when decision_function_shape is 'ovo'"
            raise ParameterError(sentence(self, must, "True"))
        Z = self._pair_scores(X)
        if Z.shape[1] == 1:
            return self.classes_[(Z[:, 0] > 0).astype(int)]
        weight = 1 / 3 if self.break_ties else 0.0
        return self.classes_[self._votes(Z, weight).argmax(axis=1)]


def wide_enough(kernel: Kernel | None, X: Matrix, solved: list[Solved]) -> Matrix:
    """Return float32 rows in float64 where coefficients are too large for float32."""
    if X.dtype == np.float64:
        return X
    large = max(float(np.linalg.norm(one.beta)) for one in solved)
    lost = np.finfo(X.dtype).eps * large * float(np.abs(own(kernel, X)).max())
    return X.astype(np.float64) if lost > LOST else X


@dataclass(frozen=True)
class Rows:
    """What every machine of a fit sees."""

    kernel: Kernel | None
    X: Matrix
    y: Vector
    price: Floats


@dataclass(frozen=True)
class Run:
    """How a machine is solved: its threads, how many share the cache, the start."""

    threads: int
    crowd: int
    start: Floats | None = None
    kept: float = 0.0  # bytes that all pairs together keep until the end

    def at(self, start: Floats | None, kept: float) -> Run:
        """Return the same from a starting point, beside what the pairs keep."""
        return Run(self.threads, self.crowd, start, kept)
