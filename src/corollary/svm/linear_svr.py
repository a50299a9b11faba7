"""The linear support vector machine for numbers, in summation form.

Also known as: linear SVR, epsilon-insensitive regression, ridge regression with a tube.

With f(x) = w'x + b, b = B w_0, minimise

    P(w) = 1/2 ||w||^2 + sum_i C_i max(0, |y_i - f(x_i)| - epsilon)^e,  e = 1 or 2   (1)

C_i = C times the row's weight.  Rows inside the tube of half-width epsilon cost nothing
and could be left out.  With e = 2 and epsilon = 0 it is ridge regression with alpha =
1/(2 C) and a penalised intercept.

As in LIBLINEAR the intercept is the weight w_0 of a constant feature B =
`intercept_scaling`, and penalised with the others.  The searches are those of
`svm/linear_search.py`; the report has the duality gap.

Notation: coef_ = w without w_0; intercept_ = b.
Course: S2-43. References: Drucker et al. (1997); Ho and Lin (2012).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import boolean, one_of, real, seed, whole
from corollary.core.roles import SingleRegressor
from corollary.engine import Data, Fitted
from corollary.linear.machine_statements import linear_svr_problem
from corollary.svm.linear_problem import SupportProblem
from corollary.svm.linear_search import LinearSearch
from corollary.svm.linear_support_machine import (
    LinearSupportMachine,
    constant_of,
    search_for,
    weights_of,
)

__all__ = ["LinearSVR"]


class LinearSVR(LinearSupportMachine, SingleRegressor):
    """Linear support vector regression.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube.
    tol : float, default=1e-4
        Stop when the duality gap is at most this share of the objective; where its end
        costs little, Newton's search goes on to 1e-8 of that.
    C : float, default=1.0
        Price of a row outside the tube.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}
        e = 1 or 2 in (1).
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        The constant feature B.
    dual : 'auto' or bool
        As in `LinearSVC`.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the order in which descent visits the rows.
    max_iter : int, default=1000
        Passes over the data, or rounds of descent.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : array of shape (1,)
    n_iter_ : int
    n_features_in_ : int
    report_ : Report
        With the duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearSVR
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = LinearSVR(C=100.0, epsilon=0.1, intercept_scaling=10.0)
    >>> model.fit(X, [1.0, 3.0, 5.0, 7.0]).predict([[4.0]]).round(1).tolist()
    [8.8]
    """

    shapes: ClassVar = {"coef_": "d", "intercept_": "m"}
    rules: ClassVar = {
        "epsilon": real(0, ends="[)"),
        "tol": real(0, ends="(]"),
        "C": real(0, ends="()"),
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive"),
        "fit_intercept": boolean,
        "intercept_scaling": real(0, ends="()"),
        "dual": one_of("auto") | boolean,
        "verbose": whole(0) | boolean,
        "random_state": seed,
        "max_iter": whole(0),
    }

    convex_problem = linear_svr_problem

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def start(self, data: Data, seed: int) -> LinearSearch:
        """Choose the search."""
        if self.loss == "epsilon_insensitive" and self.dual is False:
            must = "dual must be True or 'auto' with loss 'epsilon_insensitive'"
            came = f"Unsupported set of arguments: loss={self.loss!r}, dual=False"
            raise ParameterError(sentence(self, must, came, "Use dual='auto'."))
        problem = SupportProblem(
            float(self.C),
            self.loss == "squared_epsilon_insensitive",
            constant_of(self),
            eps=float(self.epsilon),
            dtype=data.source.dtype,
        )
        return search_for(self, data, problem, seed)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        W, b, rounds = weights_of(fitted.state)
        self.coef_, self.intercept_ = W[0], b
        self.n_iter_ = rounds or max(1, fitted.report.passes - 1)

    def predict(self, X: Any) -> Floats:
        """Return w'x + b."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + self.intercept_.astype(X.dtype)
