"""Machines for every pair of classes: their training and votes.

K classes are a machine for each pair a < b, on the rows of these two alone,

    g_ab(x) = sum_i beta_i k(x, x_i) - rho_ab,      > 0 speaks for a             (1)

(for two classes > 0 speaks for the second, as everywhere).  The pairs vote, and the
sums of their scores break ties.

Pairs share rows: where the kernel matrix of all rows is small it is computed once, for
all pairs, and each counts the rows of its own as computed.

`solved_pairs.py` has the roles of the rows, and publishes what the machines found.

References: Chang and Lin (2011), LIBSVM; Hsu and Lin (2002), pairs of classes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_two_classes
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, boolean, one_of, seed
from corollary.core.records import changed
from corollary.core.report import Report, StopReason
from corollary.core.roles import Classifier
from corollary.discriminants.surfaces import Surface
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.executors.team import Halted, in_a_team, in_turn, run_parts, team
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.kernels.dual_search import (
    search_gram,
    search_limits,
    shared_matrix,
    watched,
)
from corollary.kernels.machine_kernel import (
    TrainingRows,
    kernel_tags,
    training_rows,
    warn_of_kernel,
)
from corollary.solvers import smo
from corollary.svm import pair_probabilities
from corollary.svm.conic_boundary import conic_boundary
from corollary.svm.machine import (
    RULES,
    audit_expansion,
    capped,
    dense_coefficients,
    expand,
    linear_weights,
    pair_coefficients,
    query_rows,
)
from corollary.svm.solved_pairs import (
    ROLES,
    SolvedPair,
    publish_pairs,
    report_pairs,
    wide_enough,
)

__all__ = [
    "PAIR_RULES",
    "ROLES",
    "PairMachine",
    "PairProblem",
    "SolvedPair",
    "learn_pairs",
    "pair_scores",
]

KEPT = 88  # bytes of a row in each of its machines until all are solved
FEW_ROWS = 300  # whose machines are solved sooner than threads are started

#: Rules of the parameters that all machines for pairs have.
PAIR_RULES: dict[str, Rule] = {
    **RULES,
    "class_weight": class_weight_rule,
    "decision_function_shape": one_of("ovr", "ovo"),
    "break_ties": boolean,
    "probability": boolean | one_of("platt", "isotonic"),
    "random_state": seed,
}
T = TypeVar("T")


@dataclass(frozen=True)
class PairProblem:
    """The dual of two classes but for the kind of machine."""

    rows: Vector  # (m,) their numbers
    s: Floats  # (m,) -1 and +1
    price: Floats  # (m,) what a row's slack costs
    gram: smo.Gram
    limits: smo.Limits
    start: Floats | None = None  # (m,) where to begin


Solve = Callable[[PairProblem], SolvedPair]


def gives_probabilities(machine: PairMachine) -> bool:
    """Tell whether probabilities were asked for."""
    if machine.probability:
        return True
    name, text = type(machine).__name__, "predict_proba is not available when"
    remedy = f"Use {name}(probability=True) and fit again."
    raise AttributeError(f"{name}: {text} probability=False. {remedy}")


class PairMachine(RowsLearner, Classifier):
    """A classifier of kernel machines, one for each pair of classes."""

    theory = ("kernel expansion",)
    takes_sparse = True
    keeps_rows = True
    may_be_infinite = ("margin_",)  # of w = 0
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
    support_: Vector
    n_support_: Vector
    intercept_: Floats

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(self, super().__sklearn_tags__())

    @property
    def takes_objects(self) -> bool:
        """Whether rows may be texts and the like: where the kernel is a function."""
        return callable(self.kernel)

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the variables of the machines at work, and copies of the rows."""
        return rows * (8.0 * features + 400.0)

    @property
    def coef_(self) -> Any:
        """Return the weights of the features, of a linear machine."""
        return linear_weights(self, pair_coefficients(self).T)

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
        Z = pair_scores(self, X)
        if Z.shape[1] == 1:
            return Z[:, 0]
        if self.decision_function_shape == "ovo":
            return Z
        return votes(Z, len(self.classes_), 1 / 3)

    def predict(self, X: Any) -> Vector:
        """Return the class of each row."""
        if self.break_ties and self.decision_function_shape == "ovo":
            must = "break_ties must be False when decision_function_shape is 'ovo'"
            raise ParameterError(sentence(self, must, "True"))
        Z = pair_scores(self, X)
        if Z.shape[1] == 1:
            return self.classes_[(Z[:, 0] > 0).astype(int)]
        weight = 1 / 3 if self.break_ties else 0.0
        return self.classes_[votes(Z, len(self.classes_), weight).argmax(axis=1)]

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, of a fit with `probability`.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        return pair_probabilities.class_probabilities(self, pair_scores(self, X))

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def _audit(self) -> None:
        """Refuse learned arrays that do not belong together."""
        audit_expansion(self)
        K, n = len(self.classes_), np.asarray(self.n_support_)
        pairs = K * (K - 1) // 2
        sums = (n >= 0).all() and n.sum() == len(self.support_)
        sizes = dense_coefficients(self).shape[0] == K - 1
        if not sums or not sizes or len(self.intercept_) != pairs:
            name = type(self).__name__
            must = f"The internal representation of {name} was altered: n_support_, "
            must += "dual_coef_ and intercept_ must fit the classes"
            raise DataError(sentence(self, must, f"n_support_ = {n.tolist()}"))
        pair_probabilities.audit(self, pairs)


# -- learning ------------------------------------------------------------------------
def learn_pairs(
    machine: Any,
    rows: Chunk,
    report: Report,
    solve: Solve,
    starts: list[Floats] | None = None,
) -> list[SolvedPair]:
    """Solve the dual of every pair of classes, publish, report, and calibrate.

    Parameters
    ----------
    machine : PairMachine
    rows : Chunk
    report : Report
    solve : function of a PairProblem
        Solves the dual of the machine's kind.
    starts : list of arrays, optional
        Where the search for each pair begins.
    """
    check_two_classes(machine)
    data = training_rows(machine, rows)
    K = len(machine.classes_)
    totals = np.bincount(data.y, data.w, minlength=K).astype(np.float64)
    machine.class_weight_ = stated_class_weights(machine, totals)
    price = capped(getattr(machine, "C", 1.0)) * machine.class_weight_[data.y] * data.w
    shared = shared_matrix(machine, data) if K > 2 else None
    fit = PairFit(machine, data, price, solve, shared)
    solved = fit.all_pairs(starts)
    publish_pairs(machine, wide_enough(data, solved), solved)
    report_pairs(machine, solved, data.n, report)
    warn_of_kernel(data, report)
    if machine.probability:  # which needs every machine
        if report.stop is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        pair_probabilities.calibrate(machine, fit)
    return solved


@dataclass(frozen=True)
class PairFit:
    """What all pairs of a fit share, and how they are solved side by side."""

    machine: Any
    data: TrainingRows
    price: Floats
    solve: Solve
    shared: Any = None  # the kernel matrix of all rows, where it pays

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of classes, in order."""
        return list(itertools.combinations(range(len(self.machine.classes_)), 2))

    def all_pairs(self, starts: list[Floats] | None) -> list[SolvedPair]:
        """Solve every pair; after Ctrl-C, where every one has begun, keep them so."""
        K, pairs = len(self.machine.classes_), self.pairs
        kept = KEPT * self.data.n * (K - 1) if K > 2 else 0.0
        begin: list[Any] = [None] * len(pairs) if starts is None else starts

        def job(task: tuple[Any, Any], threads: int, at_once: int) -> SolvedPair:
            limits = search_limits(
                self.machine, threads, machines=at_once, kept=kept, show=show(task[0])
            )
            one = self.one_pair(task[0], limits, start=task[1])
            stop = one.optimum.stop
            if stop is StopReason.INTERRUPTED and at_once == 1 and K > 2:
                raise KeyboardInterrupt  # other pairs have nothing yet
            return one

        try:
            with single_threaded_blas(), watched(self.machine) as show:
                return self.side_by_side(job, list(zip(pairs, begin, strict=True)))
        except Halted as halted:
            if halted.results is None:
                raise
            stop = StopReason.INTERRUPTED
            return [
                changed(one, optimum=changed(one.optimum, stop=stop))
                for one in halted.results
            ]

    def one_pair(
        self,
        pair: tuple[int, int],
        limits: smo.Limits,
        start: Floats | None = None,
        only: Vector | None = None,
    ) -> SolvedPair:
        """Solve the machine of two classes, on all of their rows or on some."""
        data, (a, b) = self.data, pair
        of = (data.y == a) | (data.y == b)
        rows = np.flatnonzero(of if only is None else of & only)
        positive = b if len(self.machine.classes_) == 2 else a
        s = np.where(data.y[rows] == positive, 1.0, -1.0)
        some = None if len(rows) == data.n else rows
        gram = search_gram(self.machine, data, limits.threads, some, self.shared)
        one = self.solve(PairProblem(rows, s, self.price[rows], gram, limits, start))
        return changed(one, optimum=changed(one.optimum, f=np.empty(0)))  # h says it

    def side_by_side(
        self, job: Callable[[Any, int, int], T], tasks: list[Any]
    ) -> list[T]:
        """Do independent tasks, some at once; each knows its threads and how many."""
        threads = get_config().threads
        alone = in_a_team() or self.data.n <= FEW_ROWS
        at_once = 1 if alone else max(1, min(threads, len(tasks)))
        each = threads // at_once
        if at_once == 1:
            return in_turn(lambda task: job(task, each, 1), tasks)
        return run_parts(lambda task: job(task, each, at_once), tasks, team(threads))


# -- use -----------------------------------------------------------------------------
def pair_scores(machine: Any, X: Any) -> Floats:
    """Return the score of every pair of classes, (n, p)."""
    check_is_fitted(machine)
    machine._audit()
    X = query_rows(machine, X)
    return expand(machine, X, pair_coefficients(machine)) + machine.intercept_


def votes(Z: Floats, K: int, weight: float) -> Floats:
    """Count the votes for each class; scores, squeezed below 1/3, break ties."""
    total, sums = np.zeros((len(Z), K)), np.zeros((len(Z), K))
    for p, (a, b) in enumerate(itertools.combinations(range(K), 2)):
        total[:, a] += Z[:, p] > 0
        total[:, b] += Z[:, p] <= 0
        sums[:, a] += Z[:, p]
        sums[:, b] -= Z[:, p]
    return total + weight * sums / (np.abs(sums) + 1)
