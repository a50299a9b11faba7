"""Stochastic gradient descent for linear models.

Also known as: SGD, online gradient descent, LMS, Widrow-Hoff rule, Robbins-Monro,
mini-batch gradient descent, ASGD, passive-aggressive algorithm.
Related words: online learning, progressive validation, incremental learning.

Minimise  J(w, b) = 1/n sum_i o_i L(y_i, w'x_i + b) + R(w),   n = sum_i o_i          (1)

with a loss of `objectives/losses.py` and the penalty R = alpha [rho ||w||_1 + (1 -
rho)/2 ||w||^2].  Instead of the whole gradient a step takes that of a batch B of rows,
of one row by default:

    w <- w - eta_t [ mean_{i in B} L'(y_i, w'x_i + b) x_i + alpha (1 - rho) w ]      (2)
    b <- b - eta_t   mean_{i in B} L'(y_i, w'x_i + b)                                (3)

and the l1 part is paid cumulatively, so that weights become exactly 0.  A batch of all
rows is batch gradient descent; m rows in batches of b are ceil(m/b) steps a pass.  The
rows come in a new order in every epoch.  Schedules of eta_t:

    constant    eta0
    invscaling  eta0 / t^power_t
    optimal     1 / (alpha (t0 + t - 1))     t0 from the loss's slope (Bottou)       (4)
    adaptive    eta0, divided by 5 whenever the cost stops falling
    pa1         min(eta0, L_i / ||x_i||^2)                                           (5)
    pa2         L_i / (||x_i||^2 + 1/(2 eta0))                                       (6)

(5) and (6) are passive-aggressive: the step moves w as little as makes the row's own
loss L_i vanish, but for what eta0 holds back.  They need no penalty.

At a constant rate the iterates hover around the minimum; with sum eta_t infinite and
sum eta_t^2 finite they converge (Robbins and Monro), and their mean (average=True) gets
there at the best rate (Polyak and Ruppert).  The cost of each row before its own update
is an honest estimate of the risk of an i.i.d. stream (progressive validation); its mean
over windows of rows is the monitor: a monitor that rises asks for a lower eta, a noisy
one for a longer window.

One pass after the last epoch takes J itself and a bound from below: with a convex loss
and a penalty the report has the duality gap, which is at least J - min J
(`sequential_gap.py`).

eta0='pilot' tries powers of 10 for one epoch on up to 1000 rows and takes the best.

Notation: w = coef_; b = intercept_; o = sample_weight; rho = l1_ratio; t = t_.
Course: S4-26, S4-27, S3-61, S2-18. References: Robbins and Monro (1951); Crammer,
Dekel, Keshet, Shalev-Shwartz and Singer (2006); Tsuruoka, Tsujii and Ananiadou (2009);
Bottou (2012).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from corollary.core.arrays import Floats, Vector
from corollary.core.class_weights import class_weight_rule
from corollary.core.errors import sentence
from corollary.core.parameters import anything, one_of, real
from corollary.core.report import Report
from corollary.core.roles import Regressor
from corollary.engine import Data, Fitted, Settled
from corollary.linear.class_statements import sgd_problem
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.online.sequential import Epochs, LinearSequentialLearner, Plan
from corollary.linear.online.sequential_classifier import SequentialClassifier
from corollary.linear.online.sequential_gap import with_gap
from corollary.linear.online.stochastic_plan import (
    EPSILON,
    RULES,
    loss_named,
    loss_table,
    pilot,
    plan_of,
    publish_descent,
    report_descent,
    weights_of,
)
from corollary.linear.online.visits import blocks
from corollary.objectives.losses import LOSSES, Loss
from corollary.objectives.penalties import Penalty, penalty_named

__all__ = ["SGDClassifier", "SGDRegressor"]


class SGDClassifier(SequentialClassifier, LinearClassifier):
    """A linear classifier with any margin loss, by stochastic gradient descent.

    Parameters
    ----------
    loss : str, default='hinge'
        'hinge', 'log_loss', 'modified_huber', 'squared_hinge', 'perceptron',
        'exponential', 'sigmoid', or a loss of numbers on the targets -1 and +1:
        'squared_error', 'absolute_error', 'huber', 'epsilon_insensitive',
        'squared_epsilon_insensitive'.
    penalty : {'l2', 'l1', 'elasticnet', None}
    alpha : float, default=0.0001
        Strength of the penalty; also of the 'optimal' rate (4).
    l1_ratio : float or None, default=0.15
        rho of 'elasticnet', which needs it.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    max_iter : int, default=1000
        Epochs.
    tol : float or None, default=1e-3
        Stop when the cost has not fallen by tol for n_iter_no_change epochs.
    shuffle : bool, default=True
        Whether each epoch has a new order.
    verbose : int, default=0
        1 shows progress.
    epsilon : float, default=0.1
        Of the epsilon-insensitive losses and Huber's.
    n_jobs : None
        Kept for compatibility; see `corollary.set_config(threads=...)`.
    random_state : int, RandomState or None
        Seed of the orders.
    learning_rate : {'optimal', 'constant', 'invscaling', 'adaptive', 'pa1', 'pa2'}
        Schedule; (5) and (6) need the loss 'hinge'.
    eta0 : float or 'pilot', default=0.01
        Rate of the schedules other than 'optimal'.
    power_t : float, default=0.5
        Exponent of 'invscaling'; below 0 is deprecated.
    early_stopping : bool, default=False
        Whether to hold out rows and stop on their loss; not in `partial_fit`.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Patience, in epochs.
    class_weight : dict, 'balanced' or None
        Weight of each class in the loss.
    warm_start : bool, default=False
        Start from the weights of the last fit, as with `coef_init=coef_`; `t_`
        begins anew.
    average : bool or int, default=False
        Whether to keep the mean of the iterates, from this step on.
    batch_size : int, default=1
        Rows of a step.
    window : int, default=1000
        Rows of an entry of the monitor.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : int
        Epochs.
    t_ : float
        Steps and 1.
    monitor_ : list of arrays
        Of each machine, the mean loss before the update in each window of rows.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SGDClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, [0, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    [0, 1]
    """

    # the losses by name: the class, and the default of its number
    loss_functions: ClassVar = loss_table(n for n in LOSSES if n != "quantile")
    rules: ClassVar = RULES | {
        "loss": one_of(*loss_functions),
        "n_jobs": anything,
        "class_weight": class_weight_rule,
    }

    convex_problem = sgd_problem

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = EPSILON,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float | str = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
        window: int = 1000,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.window = window

    # -- learning ------------------------------------------------------------------
    def _loss(self) -> Loss:
        return loss_named(self)

    def _penalty(self) -> Penalty:
        return penalty_named(self.penalty, self.alpha, self.l1_ratio, self)

    def _plans(self, data: Data, seed: int) -> list[Plan]:
        plan = plan_of(self, self._loss(), self._penalty())
        plans = self._for_classes(plan, data)
        if isinstance(self.eta0, str):
            eta0 = pilot(self, data, seed, plan).eta0
            plans = [each._replace(eta0=eta0) for each in plans]
        return plans

    def settle(self, data: Data, state: Epochs) -> Settled:
        """Take the duality gap at the weights that are kept."""
        return with_gap(self, data, state, weights_of(self, state))

    def account(self, state: Epochs, report: Report) -> None:
        """Report the rate and how far from optimal the weights are."""
        report_descent(self, state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the last iterate or the mean, and the monitor."""
        publish_descent(self, fitted.state)

    # -- use -----------------------------------------------------------------------
    def _has_link(self) -> bool:
        if not loss_named(self).invertible:
            must = "probabilities need a loss that has them, such as 'log_loss'"
            raise AttributeError(sentence(self, must, f"loss={self.loss!r}"))
        return True

    @available_if(_has_link)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x) by the loss's inverse link, (n, K).

        Of several classes each has its own, against the rest; they are made to sum to
        1, and are equal where all are 0.
        """
        P = np.asarray(self._loss().probability(self.decision_function(X)))
        if P.ndim == 1:
            return np.column_stack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        P = np.where(total > 0, P, 1.0)
        return P / P.sum(axis=1, keepdims=True)

    @available_if(_has_link)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class SGDRegressor(LinearSequentialLearner, Regressor):
    """Linear regression with any loss of residuals, by stochastic gradient descent.

    Parameters
    ----------
    loss : str, default='squared_error'
        'squared_error', 'absolute_error', 'huber', 'quantile', 'epsilon_insensitive',
        'squared_epsilon_insensitive'.
    penalty : {'l2', 'l1', 'elasticnet', None}
    alpha : float, default=0.0001
        Strength of the penalty; also of the 'optimal' rate (4).
    l1_ratio : float or None, default=0.15
        rho of 'elasticnet', which needs it.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    max_iter : int, default=1000
        Epochs.
    tol : float or None, default=1e-3
        Stop when the cost has not fallen by tol for n_iter_no_change epochs.
    shuffle : bool, default=True
        Whether each epoch has a new order.
    verbose : int, default=0
        1 shows progress.
    epsilon : float, default=0.1
        Of the epsilon-insensitive losses and Huber's.
    random_state : int, RandomState or None
        Seed of the orders.
    learning_rate : {'invscaling', 'constant', 'optimal', 'adaptive', 'pa1', 'pa2'}
        Schedule; (5) and (6) need the loss 'epsilon_insensitive'.
    eta0 : float or 'pilot', default=0.01
        Rate of the schedules other than 'optimal'.
    power_t : float, default=0.25
        Exponent of 'invscaling'; below 0 is deprecated.
    early_stopping : bool, default=False
        Whether to hold out rows and stop on their loss; not in `partial_fit`.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Patience, in epochs.
    warm_start : bool, default=False
        Start from the weights of the last fit, as with `coef_init=coef_`; `t_`
        begins anew.
    average : bool or int, default=False
        Whether to keep the mean of the iterates, from this step on.
    batch_size : int, default=1
        Rows of a step.
    window : int, default=1000
        Rows of an entry of the monitor.
    quantile : float, default=0.5
        Of the 'quantile' loss.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
        For one target, also as a column, or for several.
    intercept_ : array of shape (1,) or (m,)
    n_iter_ : int
        Epochs.
    t_ : float
        Steps and 1.
    monitor_ : list of arrays
        Of each target, the mean loss before the update in each window of rows.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SGDRegressor
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> model = SGDRegressor(eta0=0.1, alpha=0, tol=1e-9, random_state=0)
    >>> model = model.fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[0.5]]).round(3).tolist()
    [2.5]
    """

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "m"}
    # the losses by name: the class, and the default of its number
    loss_functions: ClassVar = loss_table(n for n, k in LOSSES.items() if not k.margin)
    rules: ClassVar = RULES | {
        "loss": one_of(*loss_functions),
        "quantile": real(0, 1, ends="()"),
    }

    convex_problem = sgd_problem

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = EPSILON,
        random_state: Any = None,
        learning_rate: str = "invscaling",
        eta0: float | str = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
        window: int = 1000,
        quantile: float = 0.5,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.window = window
        self.quantile = quantile

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Make one epoch over one more batch of a stream.

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
        return loss_named(self)

    def _penalty(self) -> Penalty:
        return penalty_named(self.penalty, self.alpha, self.l1_ratio, self)

    def _plans(self, data: Data, seed: int) -> list[Plan]:
        plan = plan_of(self, self._loss(), self._penalty())
        if isinstance(self.eta0, str):
            plan = pilot(self, data, seed, plan)
        many = data.source.many_targets
        return [plan] * (next(iter(blocks(data))).y.shape[1] if many else 1)

    def _target(self, y: Any, machine: int) -> Vector:
        column = y if y.ndim == 1 else y[:, machine]
        return np.asarray(column, dtype=np.float64)

    def settle(self, data: Data, state: Epochs) -> Settled:
        """Take the duality gap at the weights that are kept."""
        return with_gap(self, data, state, weights_of(self, state))

    def account(self, state: Epochs, report: Report) -> None:
        """Report the rate and how far from optimal the weights are."""
        report_descent(self, state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the last iterate or the mean, and the monitor."""
        publish_descent(self, fitted.state)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return w'x + b of each row."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + self.intercept_.astype(X.dtype)
