"""Passive-aggressive learning: as small a change as makes the last row right.

Also known as: PA, PA-I, PA-II, online margin learning, MIRA of two classes.
Related words: online learning, Kaczmarz's method (numbers, epsilon = 0, C = inf).

A row (x, y) is met with the loss L(w) = (1 - y w'x)_+ of a class y = +-1, or (|w'x - y|
- epsilon)_+ of a number.  Where it is 0 nothing happens (passive); elsewhere w moves by
no more than the row needs (aggressive), as far as C allows:

    PA-I    argmin_v  ||v - w||^2 / 2 + C xi        such that  L(v) <= xi            (1)
    PA-II   argmin_v  ||v - w||^2 / 2 + C xi^2      such that  L(v) <= xi            (2)

Both have a closed form, w <- w + tau s x, with s = y, or the sign of y - w'x, and

    tau = min(C, L(w) / ||x||^2),     tau = L(w) / (||x||^2 + 1/(2C))                (3)

so that with C = inf the row has no loss afterwards.  There is no learning rate.  If
some u has no loss on any row and ||x|| <= R, then from w = 0 with C = inf the losses
that the rows are met with obey, whatever their order,

    sum_t L_t^2  <=  R^2 ||u||^2                                                     (4)

and C below inf keeps single wrong labels from turning w around.  The intercept moves by
tau s and is no part of ||x||, as in scikit-learn; a column of ones makes it one.

`SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=C)` is the same
learner, "pa2" that of (2); so are `SGDRegressor`'s with loss="epsilon_insensitive".

Notation: w = coef_; b = intercept_; C = eta0 of the compiled loop.
Course: S4-63, S4-26. Reference: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
(2006).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.class_weights import class_weight_rule
from corollary.core.parameters import (
    anything,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Report
from corollary.core.roles import Regressor
from corollary.engine import Data, Fitted
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.online.sequential import (
    CODES,
    SCHEDULES,
    Epochs,
    LinearSequentialLearner,
    Plan,
    publish_weights,
    report_epochs,
)
from corollary.linear.online.sequential_classifier import SequentialClassifier
from corollary.linear.online.stochastic_plan import weights_of
from corollary.linear.online.visits import blocks
from corollary.objectives.losses import EpsilonInsensitive, Hinge, Loss
from corollary.objectives.penalties import Penalty

__all__ = ["PassiveAggressiveClassifier", "PassiveAggressiveRegressor"]

UNBOUNDED = 1e100  # stands for C = inf
NO_PROBLEM = "which corrects row after row and minimises no objective over all rows"
RULES = {
    "C": real(0, ends="(]"),
    "fit_intercept": boolean,
    "max_iter": whole(1),
    "tol": missing | real(0),
    "early_stopping": boolean,
    "validation_fraction": real(0, 1, ends="()"),
    "n_iter_no_change": whole(1),
    "shuffle": boolean,
    "verbose": whole(0) | boolean,
    "random_state": seed,
    "warm_start": boolean,
    "average": boolean | whole(1),
}


class PassiveAggressiveClassifier(SequentialClassifier, LinearClassifier):
    """A linear classifier that corrects each row by the least change.

    Parameters
    ----------
    C : float, default=1.0
        The longest step of (1); in (2) the smaller, the shorter the steps.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    max_iter : int, default=1000
        Passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by tol for n_iter_no_change passes.
    early_stopping : bool, default=False
        Whether to hold out rows and stop on their loss; not in `partial_fit`.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Patience, in passes.
    shuffle : bool, default=True
        Whether each pass visits the rows in a new order; False keeps theirs.
    verbose : int, default=0
        1 shows progress.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        'hinge' is (1), PA-I; 'squared_hinge' is (2), PA-II.
    n_jobs : None
        Kept for compatibility; see `corollary.set_config(threads=...)`.
    random_state : int, RandomState or None
        Seed of the orders.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    class_weight : dict, 'balanced' or None
        Weight of each class; a step is multiplied by it.
    average : bool or int, default=False
        Whether to keep the mean of the iterates, from this step on.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : int
        Passes.
    t_ : float
        Visits and 1.
    n_features_in_ : int
    report_ : Report
        Tells whether the rows were separated with margin 1, and the updates.

    Examples
    --------
    >>> from corollary import PassiveAggressiveClassifier
    >>> model = PassiveAggressiveClassifier(C=10.0, fit_intercept=False)
    >>> model.partial_fit([[0.0, 2.0]], ["b"], classes=["a", "b"]).coef_.tolist()
    [[0.0, 0.5]]
    """

    no_convex_problem = NO_PROBLEM
    rules: ClassVar = RULES | {
        "loss": one_of("hinge", "squared_hinge"),
        "n_jobs": anything,
        "class_weight": class_weight_rule,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "hinge",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        average: bool | int = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average

    # -- learning ------------------------------------------------------------------
    def _loss(self) -> Loss:
        return Hinge()

    def _penalty(self) -> Penalty:
        return Penalty()

    def _plans(self, data: Data, seed: int) -> list[Plan]:
        return self._for_classes(plan_of(self, "hinge"), data)

    def account(self, state: Epochs, report: Report) -> None:
        """Report the updates, and whether the last pass had none."""
        report_updates(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the last iterate or the mean."""
        publish_weights(self, fitted.state, weights_of(self, fitted.state))


class PassiveAggressiveRegressor(LinearSequentialLearner, Regressor):
    """Linear regression that corrects each row by the least change.

    Parameters
    ----------
    C : float, default=1.0
        The longest step of (1); in (2) the smaller, the shorter the steps.
    fit_intercept : bool, default=True
        Whether to fit b.
    max_iter : int, default=1000
        Passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by tol for n_iter_no_change passes.
    early_stopping : bool, default=False
        Whether to hold out rows and stop on their loss; not in `partial_fit`.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Patience, in passes.
    shuffle : bool, default=True
        Whether each pass visits the rows in a new order; False keeps theirs.
    verbose : int, default=0
        1 shows progress.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}
        The first is (1), PA-I; the second is (2), PA-II.
    epsilon : float, default=0.1
        Residuals up to it cost nothing.
    random_state : int, RandomState or None
        Seed of the orders.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    average : bool or int, default=False
        Whether to keep the mean of the iterates, from this step on.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    intercept_ : array of shape (1,) or (m,)
    n_iter_ : int
        Passes.
    t_ : float
        Visits and 1.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import PassiveAggressiveRegressor
    >>> model = PassiveAggressiveRegressor(C=10.0, epsilon=0.0, fit_intercept=False)
    >>> model.partial_fit([[3.0, 4.0]], [5.0]).coef_.round(6).tolist()
    [0.6, 0.8]
    """

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "m"}
    no_convex_problem = NO_PROBLEM
    rules: ClassVar = RULES | {
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive"),
        "epsilon": real(0),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        random_state: Any = None,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.epsilon = epsilon
        self.random_state = random_state
        self.warm_start = warm_start
        self.average = average

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over one more batch of a stream.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        return self._go_on(X, y, sample_weight)

    # -- learning ------------------------------------------------------------------
    def _loss(self) -> Loss:
        return EpsilonInsensitive(self.epsilon)

    def _penalty(self) -> Penalty:
        return Penalty()

    def _plans(self, data: Data, seed: int) -> list[Plan]:
        plan = plan_of(self, "epsilon_insensitive", float(self.epsilon))
        many = data.source.many_targets
        return [plan] * (next(iter(blocks(data))).y.shape[1] if many else 1)

    def _target(self, y: Any, machine: int) -> Vector:
        column = y if y.ndim == 1 else y[:, machine]
        return np.asarray(column, dtype=np.float64)

    def account(self, state: Epochs, report: Report) -> None:
        """Report the updates, and whether the last pass had none."""
        report_updates(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the last iterate or the mean."""
        publish_weights(self, fitted.state, weights_of(self, fitted.state))

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return w'x + b of each row."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + self.intercept_.astype(X.dtype)


def plan_of(learner: Any, loss: str, parameter: float = 0.0) -> Plan:
    """Return a plan whose steps are (3)."""
    return Plan(
        CODES[loss],
        parameter=parameter,
        schedule=SCHEDULES["pa2" if learner.loss.startswith("squared") else "pa1"],
        eta0=min(float(learner.C), UNBOUNDED),
        intercept=learner.fit_intercept,
        average_from=float(learner.average) if learner.average else np.inf,
    )


def report_updates(state: Epochs, report: Report) -> None:
    """Report the epochs, how often w moved, and whether it came to rest."""
    report_epochs(state, report)
    report.facts["n_updates"] = sum(state.updates)
    report.facts["rested"] = all(m["updates"] == 0 for m in state.machines)
