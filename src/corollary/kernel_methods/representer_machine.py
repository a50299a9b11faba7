"""Kernel machines with any loss: a classifier, a regressor, and a function.

Also known as: kernel logistic regression, KLR, kernel Huber regression, kernel
squared-hinge machine, L2-SVM, penalised kernel machine, representer theorem.

In the feature space of a kernel minimise, for any loss L of a label or number y,

    P(h, b) = lam/2 ||h||^2 + sum_i w_i L(y_i, h(x_i) + b)                       (1)

whose minimiser is h = sum_i a_i k(., x_i); how it is found, and how far it is from the
minimum, is the theory of `kernel_methods/representer.py`.  With their loss these are

    squared_error         `KernelRidge` with alpha = lam
    hinge                 `SVC` with C = 1/lam
    epsilon_insensitive   support vector regression with C = 1/lam
    Quantile(q)           `KernelQuantileRegressor` with C = 1/lam
    log_loss              kernel logistic regression: with the linear kernel,
                          `LogisticRegression` with C = 1/lam                    (2)

K classes are a machine for each against the rest.  Other penalties of ||h|| and losses
that are no sum over rows are in `representer_minimum`.  There is no summation form:
linear models on random or Nystrom features have one.

Notation: a = dual_coef_; b = intercept_.
Course: S2-35. References: Kimeldorf and Wahba (1971); Zhu and Hastie (2005).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_targets, full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, boolean, one_of, real, whole
from corollary.core.report import Report
from corollary.core.roles import Classifier, SingleRegressor
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import FeatureSpaceLearner
from corollary.kernel_methods.kernel_nearest_centroid import require_classes
from corollary.kernel_methods.representer import Expansion, Task, minimize
from corollary.kernel_methods.target_expansions import (
    columns,
    expansion_problems,
    learn_expansions,
    loss_of,
    working_bytes,
)
from corollary.kernels.machine_kernel import SPACE_RULES
from corollary.objectives.losses import LOSSES, Loss
from corollary.solvers.convex_problem import Problems

__all__ = [
    "RepresenterClassifier",
    "RepresenterRegressor",
    "representer_fit",
]


RULES: dict[str, Rule] = {
    "loss": one_of(*LOSSES) | Rule("a Loss", lambda v: isinstance(v, Loss)),
    "lam": real(0, ends="(]"),
    **SPACE_RULES,
    "fit_intercept": boolean,
    "tol": real(0, ends="(]"),
    "max_iter": whole(1),
}


def _invertible(model: RepresenterClassifier) -> bool:
    return loss_of(model).invertible


class RepresenterClassifier(FeatureSpaceLearner, Classifier):
    """A classifier with any kernel and any loss.

    Parameters
    ----------
    loss : str or Loss, default='log_loss'
        'hinge', 'squared_hinge', 'log_loss', 'modified_huber', 'exponential',
        'perceptron', 'sigmoid', or a loss of the residual on labels -1 and +1; or a
        `Loss` with parameters of its own.
    lam : float, default=1.0
        Price of ||h||^2 / 2 in (1).
    kernel : str or function, default='rbf'
        As in `KernelRidge`.
    gamma : float, 'scale', 'auto' or None, default='scale'
        As in `KernelRidge`.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        More arguments of a kernel that is a function.
    fit_intercept : bool, default=True
        Whether there is a b, which is not penalised.
    tol : float, default=1e-8
        Duality gap relative to the objective at which to stop.
    max_iter : int, default=500
        Newton steps.

    Attributes
    ----------
    classes_ : array of shape (K,)
    dual_coef_ : array of shape (1, n) or (K, n)
    intercept_ : array of shape (1,) or (K,)
    X_fit_ : array or CSR of shape (n, d)
        The training rows, which prediction needs: a model file holds them.
    gamma_ : float
    n_iter_ : int
    n_features_in_ : int
    report_ : Report
        With the duality gap, or the gradient where the loss is not convex.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RepresenterClassifier
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> model = RepresenterClassifier(lam=0.01).fit(X, [0, 0, 1, 1])  # exclusive or
    >>> model.predict(X).tolist(), model.predict_proba(X)[0].round(2).tolist()
    ([0, 0, 1, 1], [0.96, 0.04])
    """

    shapes: ClassVar = {
        "classes_": "K",
        "dual_coef_": "m n",
        "X_fit_": "n d|0 0",
        "intercept_": "m",
    }
    rules: ClassVar[Mapping[str, Rule]] = RULES

    def __init__(
        self,
        loss: Any = "log_loss",
        lam: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 500,
    ) -> None:
        self.loss = loss
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the kernel matrix, its factor and a product of both."""
        return working_bytes(rows, features)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Minimise (1) for each class against the rest."""
        require_classes(self)
        learn_expansions(self, rows, self._sides(rows.y), report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        codes = np.searchsorted(self.classes_, y)
        return expansion_problems(self, X, self._sides(codes), sample_weight)

    def _sides(self, codes: Vector) -> Floats:
        """Return +1 for each class and -1 for the rest, a column for each machine."""
        K = len(self.classes_)
        sides = np.array([1]) if K == 2 else np.arange(K)
        return np.where(codes[:, None] == sides, 1.0, -1.0)

    def decision_function(self, X: Any) -> Floats:
        """Return h(x) + b: (n,) for two classes, (n, K) otherwise."""
        G = columns(self, X)
        return G[:, 0] if G.shape[1] == 1 else G

    def predict(self, X: Any) -> Vector:
        """Return the class of largest score."""
        g = self.decision_function(X)
        best = (g > 0).astype(int) if g.ndim == 1 else g.argmax(axis=1)
        return self.classes_[best]

    @available_if(_invertible)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities that the loss's link gives, (n, K).

        Those of more than two classes are divided by their sum.
        """
        P = loss_of(self).probability(columns(self, X))
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        even = np.full_like(P, 1 / P.shape[1])
        return np.divide(P, total, out=even, where=total > 0)


class RepresenterRegressor(FeatureSpaceLearner, SingleRegressor):
    """A regressor with any kernel and any loss of the residual.

    Parameters
    ----------
    loss : str or Loss, default='huber'
        'squared_error', 'absolute_error', 'huber', 'quantile', 'epsilon_insensitive',
        'squared_epsilon_insensitive', or a `Loss` with parameters of its own, such as
        `Huber(0.5)`.
    lam : float, default=1.0
        Price of ||h||^2 / 2 in (1).
    kernel : str or function, default='rbf'
        As in `KernelRidge`.
    gamma : float, 'scale', 'auto' or None, default='scale'
        As in `KernelRidge`.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        More arguments of a kernel that is a function.
    fit_intercept : bool, default=True
        Whether there is a b, which is not penalised.
    tol : float, default=1e-8
        Duality gap relative to the objective at which to stop.
    max_iter : int, default=500
        Newton steps.

    Attributes
    ----------
    dual_coef_ : array of shape (1, n)
    intercept_ : array of shape (1,)
    X_fit_ : array or CSR of shape (n, d)
        The training rows, which prediction needs: a model file holds them.
    gamma_ : float
    n_iter_ : int
    n_features_in_ : int
    report_ : Report
        With the duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RepresenterRegressor
    >>> X, y = np.arange(9.0)[:, None], np.array([0, 1, 2, 3, 400, 5, 6, 7, 8.0])
    >>> model = RepresenterRegressor("huber", 1e-3, kernel="linear").fit(X, y)
    >>> model.predict([[0.0], [8.0]]).round(1).tolist()  # the outlier hardly pulls
    [0.2, 8.2]
    """

    shapes: ClassVar = {"dual_coef_": "1 n", "X_fit_": "n d|0 0", "intercept_": "1"}
    rules: ClassVar[Mapping[str, Rule]] = RULES

    def __init__(
        self,
        loss: Any = "huber",
        lam: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 500,
    ) -> None:
        self.loss = loss
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the kernel matrix, its factor and a product of both."""
        return working_bytes(rows, features)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Minimise (1)."""
        if loss_of(self).margin:
            must = "loss must be one of the residual"
            remedy = "Use RepresenterClassifier for losses of the margin."
            raise ParameterError(sentence(self, must, repr(self.loss), remedy))
        learn_expansions(self, rows, rows.y.astype(np.float64)[:, None], report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        return expansion_problems(self, X, y[:, None], sample_weight)

    def predict(self, X: Any) -> Vector:
        """Return h(x) + b of each row."""
        return columns(self, X)[:, 0]


def representer_fit(
    kernel: Any,
    X: Any,
    y: Any,
    loss: Any,
    lam: float,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    tol: float = 1e-8,
    max_iter: int = 500,
) -> Expansion:
    """Minimise (1) over the feature space of any kernel.

    Parameters
    ----------
    kernel : function of two sets of rows, or None
        None where X is the kernel matrix itself.
    X : array of shape (n, d) or (n, n)
    y : array of shape (n,)
        Labels -1 and +1 for losses of the margin, numbers otherwise.
    loss : str or Loss
        A name of `LOSSES`, or any `Loss`, also one of your own.
    lam : float
        Above 0.
    fit_intercept : bool, default=True
    sample_weight : array of shape (n,), optional
    tol : float, default=1e-8
        Duality gap relative to the objective.
    max_iter : int, default=500

    Returns
    -------
    Expansion
        Coefficients, intercept, objective, gap and gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernel_methods.representer_machine import representer_fit
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    >>> found = representer_fit(lambda A, B: A @ B.T, X, y, "squared_error", 2.0)
    >>> float((found.a @ X).round(6)[0]), round(found.b, 6), found.gap < 1e-7
    (0.5, 0.5, True)
    """
    X = np.asarray(X, dtype=np.float64)
    chosen = LOSSES[loss]() if isinstance(loss, str) and loss in LOSSES else loss
    if not isinstance(chosen, Loss):
        must = f"loss must be a Loss or one of {', '.join(map(repr, LOSSES))}"
        raise ParameterError(sentence("representer_fit", must, repr(loss)))
    if not 0 < lam < np.inf:
        raise ParameterError(sentence("representer_fit", "lam must be > 0", f"{lam!r}"))
    K = X if kernel is None else np.asarray(kernel(X, X), dtype=np.float64)
    n = X.shape[0]
    if K.shape != (n, n):
        must = f"kernel must return a matrix of shape {(n, n)}"
        raise ParameterError(sentence("representer_fit", must, f"{K.shape}"))
    y = check_targets("representer_fit", y, n, np.float64, many=False)
    w = full_weights("representer_fit", sample_weight, n)
    if chosen.margin and (np.abs(y) != 1).any():
        strange = y[np.abs(y) != 1][0]
        must = "y must hold labels -1 and +1 for a loss of the margin"
        raise ParameterError(sentence("representer_fit", must, f"{strange:g}"))
    task = Task(chosen, y, w, float(lam), fit_intercept)
    return minimize(np.ascontiguousarray(K), task, tol, max_iter)
