"""The perceptron, one row at a time.

Also known as: Rosenblatt's perceptron, single-sample fixed-increment rule, averaged
perceptron, voted perceptron, pocket algorithm.
Related words: mistake bound, online learning, perceptron convergence theorem.

Augment and normalise: y_i = t_i (1, x_i), t_i = +-1, and seek a with a'y_i > 0 for all
i.  A row is misclassified where a'y_i <= 0.  The perceptron criterion

    J(a) = sum over misclassified rows of -a'y_i                                     (1)

is >= 0 and convex, with the negative gradient sum of the misclassified y_i.  Rows are
visited in order, and each one that is misclassified moves a at once:

    a <- a + eta y_i        where a'y_i <= 0                                         (2)

If some unit vector a* has a*'y_i >= gamma > 0 for all rows and ||y_i|| <= R, then from
a = 0 there are at most

    (R/gamma)^2                                                                      (3)

updates, whatever the order and eta, the dimension and the length of a stream: each adds
at least eta gamma to a*'a and at most eta^2 R^2 to ||a||^2 (Novikoff).  A fit that
rests has a margin of its own, and the report sets (3) for it beside the mistakes.  If
the classes are not separable (2) never rests, and its last iterate is no better than
others.  Two remedies:

    averaged   the mean of a over all visits                                         (4)
    pocket     of the iterates that lasted longest, and of those at the end of each
               pass, the one with fewest errors on all rows                          (5)

`KernelPerceptron` takes (2) to any kernel; `BatchPerceptron` adds up all misclassified
rows before it moves; `separability` decides beforehand whether (2) can end.

Notation: a = (intercept_, coef_); eta = eta0.
Course: S3-58, S3-59, S4-63. References: Rosenblatt (1958); Novikoff (1962); Gallant
(1990); Freund and Schapire (1999).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.extmath import row_norms

from corollary.core.arrays import Floats, Vector
from corollary.core.class_weights import class_weight_rule
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import (
    anything,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.records import stored
from corollary.core.report import Report
from corollary.core.rows import dense
from corollary.engine import Data, Fitted, Settled
from corollary.linear.class_statements import sgd_problem
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.online.sequential import (
    CODES,
    Epochs,
    Plan,
    publish_weights,
    report_epochs,
)
from corollary.linear.online.sequential_classifier import SequentialClassifier
from corollary.objectives.losses import Loss
from corollary.objectives.losses import Perceptron as PerceptronLoss
from corollary.objectives.penalties import Penalty, penalty_named

__all__ = ["Perceptron", "Trace"]


@stored
@dataclass(frozen=True)
class Trace:
    """Every update of one machine.

    Attributes
    ----------
    rows : array of shape (u,)
        The row behind each update.
    weights : array of shape (u + 1, d + 1)
        a before the first update and after each, intercept first.
    """

    rows: Vector
    weights: Floats


class Perceptron(SequentialClassifier, LinearClassifier):
    """The single-sample perceptron, with averaged and pocket variants.

    Parameters
    ----------
    penalty : {'l2', 'l1', 'elasticnet', None}
        Penalty on the coefficients, none by default.
    alpha : float, default=0.0001
        Strength of the penalty.
    l1_ratio : float or None, default=0.15
        Share of l1 in 'elasticnet', which needs it.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    max_iter : int, default=1000
        Passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean of (1) has not fallen by tol for n_iter_no_change passes;
        None goes on until all rows are classified or max_iter is reached.
    shuffle : bool, default=True
        Whether each pass visits the rows in a new order; False keeps theirs.
    verbose : int, default=0
        1 shows progress.
    eta0 : float, default=1.0
        eta > 0 of (2).
    n_jobs : None
        Kept for compatibility; see `corollary.set_config(threads=...)`.
    random_state : int, default=0
        Seed of the orders.
    early_stopping : bool, default=False
        Whether to hold out rows and stop on their loss; not in `partial_fit`.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Patience, in passes.
    class_weight : dict, 'balanced' or None
        Weight of each class; a step is multiplied by it.
    warm_start : bool, default=False
        Start from the weights of the last fit, as with `coef_init=coef_`; `t_`
        begins anew.
    output : {'last', 'averaged', 'pocket'}
        Which weights to keep: the last, (4) or (5).
    trace : bool, default=False
        Whether to keep every update in `trace_`; needs penalty=None.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : int
        Passes.
    t_ : float
        Visits and 1.
    trace_ : Trace or list of Trace
        With trace=True, of each machine.
    n_features_in_ : int
    report_ : Report
        Tells whether the rows were separated, the mistakes and their bound (3).

    Examples
    --------
    >>> from corollary import Perceptron
    >>> from corollary.datasets import student_perceptron
    >>> table = student_perceptron()
    >>> model = Perceptron(shuffle=False, trace=True)
    >>> model = model.fit(table.X, table.y == "A", [[0.25] * 4], [0.25])
    >>> model.trace_.rows.tolist(), model.trace_.weights[-1].tolist()
    ([1, 2, 3], [-0.75, 1.25, -0.75, -0.75, -0.75])
    """

    rules: ClassVar = {
        "penalty": one_of("l2", "l1", "elasticnet", None),
        "alpha": real(0),
        "l1_ratio": missing | real(0, 1),
        "fit_intercept": boolean,
        "max_iter": whole(1),
        "tol": missing | real(0),
        "shuffle": boolean,
        "verbose": whole(0) | boolean,
        "eta0": real(0, ends="(]"),
        "n_jobs": anything,
        "random_state": seed,
        "early_stopping": boolean,
        "validation_fraction": real(0, 1, ends="()"),
        "n_iter_no_change": whole(1),
        "class_weight": class_weight_rule,
        "warm_start": boolean,
        "output": one_of("last", "averaged", "pocket"),
        "trace": boolean,
    }
    convex_problem = sgd_problem

    def __init__(
        self,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        output: str = "last",
        trace: bool = False,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.output = output
        self.trace = trace

    # -- learning ------------------------------------------------------------------
    def _loss(self) -> Loss:
        return PerceptronLoss()

    def _penalty(self) -> Penalty:
        return penalty_named(self.penalty, self.alpha, self.l1_ratio, self)

    def _plans(self, data: Data, seed: int) -> list[Plan]:
        """(2) is a step of the loss -u, u <= 0, at a constant rate."""
        penalty = self._penalty()
        if self.trace and penalty.strength:
            must = "trace=True must come without a penalty"
            raise ParameterError(sentence(self, must, f"penalty={self.penalty!r}"))
        plan = Plan(
            CODES["perceptron"],
            eta0=self.eta0,
            alpha=penalty.strength,
            l1=penalty.l1,
            l2=penalty.l2,
            intercept=self.fit_intercept,
            average_from=1.0 if self.output == "averaged" else np.inf,
        )
        return self._for_classes(plan, data)

    def settle(self, data: Data, state: Epochs) -> Settled:
        """Bound the mistakes by the margin (3), where the theorem holds."""
        if not rested(state) or not self._by_the_theorem(state):
            return Settled(state)
        bounds = [self._bound(data, state, j) for j in range(len(state.machines))]
        return Settled(replace(state, bound=max(bounds)))

    def account(self, state: Epochs, report: Report) -> None:
        """Report whether the rows are separated, the mistakes and their bound."""
        report_epochs(state, report)
        report.facts["separated"] = rested(state)
        total = state.updates
        report.facts["n_mistakes"] = total[0] if len(total) == 1 else list(total)
        if state.bound is not None:
            report.facts["mistake_bound"] = state.bound
        if not rested(state) and not state.once:
            report.warnings.append(
                "the last pass still had updates: the weights depend on where it "
                "stopped. Use output='pocket' or 'averaged', and separability(X, y) to "
                "learn whether a hyperplane exists."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set the weights asked for, and the trace."""
        state: Epochs = fitted.state
        if self.output == "pocket":
            found = [(w, b) for _, w, b in state.pocket]
        elif self.output == "averaged":
            found = [machine.averaged() for machine in state.machines]
        else:
            found = [machine.current() for machine in state.machines]
        publish_weights(self, state, found)
        if self.trace:
            traces = [self._trace_of(state, j) for j in range(len(state.machines))]
            self.trace_ = traces[0] if len(traces) == 1 else traces

    def _by_the_theorem(self, state: Epochs) -> bool:
        """Tell whether every step was (2) itself, from a = 0, over rows at hand."""
        if not state.rows or state.plans[0].alpha:
            return False
        visits = [rows.visits[0] for rows in state.rows]
        whole = all(
            weight is None or bool((weight[rows.which] == 1).all())
            for weight, rows in zip(visits, state.rows, strict=True)
        )
        from_zero = all(not w.any() and b == 0 for w, b in state.start)
        alike = all(plan.positive == plan.negative == 1 for plan in state.plans)
        return whole and from_zero and alike

    def _bound(self, data: Data, state: Epochs, j: int) -> float:
        """Return (R/gamma)^2, gamma the margin of a itself (3)."""
        w, b = state.machines[j].current()
        lengths, margins = [], []
        for rows, _ in self.passed(data, state):
            t, X = self._target(rows.y, j)[rows.which], rows.X[rows.which]
            margins.append((t * (np.asarray(X @ w) + b)).min())
            lengths.append(row_norms(X.astype(np.float64), squared=True).max())
        R2 = max(lengths) + float(self.fit_intercept)
        size = float(w @ w) + b * b
        return float(R2 * size / min(margins) ** 2)

    def _trace_of(self, state: Epochs, j: int) -> Trace:
        """Add up the steps (2) of one machine."""
        w, b = state.start[j]
        steps, numbers = [np.concatenate([[b], w])[None, :]], []
        for rows, moved in state.moved[j]:
            t = self._target(rows.y, j)[moved]
            o, _ = rows.visits
            size = self.eta0 * np.where(
                t > 0, state.plans[j].positive, state.plans[j].negative
            )
            size = size * t * (1.0 if o is None else o[moved])
            ones = np.full((len(moved), 1), float(self.fit_intercept))
            steps.append(size[:, None] * np.hstack([ones, dense(rows.X[moved])]))
            numbers.append(moved + rows.first_row)
        return Trace(np.concatenate(numbers), np.cumsum(np.vstack(steps), axis=0))


def rested(state: Epochs) -> bool:
    """Return whether the last pass had no update."""
    return all(machine["updates"] == 0 for machine in state.machines)
