"""Classification by ridge regression on targets of -1 and +1, in summation form.

Also known as: least-squares support vector machine without a kernel, regularised
indicator regression, RLSC.

Class c has the targets s_nc = +1 where y_n = c and -1 elsewhere, and

    min_{W, b}  sum_n w_n sum_c (s_nc - W_c x_n - b_c)^2 + alpha ||W||^2            (1)
    predict  argmax_c W_c x + b_c,   or the sign of the only score of two classes   (2)

Each column of (1) is the ridge regression of `ridge.py`, and all of them share one
decomposition, so that many classes cost little more than two.  A row may also have
several labels at once: y is an indicator of shape (n, K), and each label has the sign
of its own score.  Two classes of equal weight give the direction of Fisher's
discriminant, with a ridge on the scatter.

With weights of classes v, w_n is multiplied by v of the class of row n.

Notation: W (1 or K, d) = coef_; b = intercept_; w = sample_weight.
Course: S1-33, S3-62. Reference: Rifkin, Yeo and Poggio (2003).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_two_classes
from corollary.core.class_weights import class_weight_rule
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, seed, whole
from corollary.core.records import stored
from corollary.core.report import Report, StopReason
from corollary.core.roles import Classifier
from corollary.core.rows import dense
from corollary.engine import Chunk, Data, Fitted, Statistics, StreamingClassifier
from corollary.linear.class_statements import ridge_classifier_problem
from corollary.linear.class_weights import class_weights
from corollary.linear.least_squares.least_squares import Route
from corollary.linear.least_squares.ridge import NAMES, SOLVERS, Ridge
from corollary.linear.linear_classifier import decided

__all__ = ["RidgeClassifier"]


@stored
@dataclass(frozen=True)
class CodedRoute:
    """The state: that of the ridge regression, and the weights of the classes."""

    route: Route
    weights: Floats | None


class RidgeClassifier(StreamingClassifier, Classifier):
    """Ridge regression on targets -1 and +1; the largest score wins.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    max_iter : int, optional
        Passes of the iterative route, 1000 by default.
    tol : float, default=1e-4
        Relative residual at which the iterative route stops.
    class_weight : dict, 'balanced' or None
        Weight of each class; 'balanced' gives all classes the same total.  Not where
        rows have several labels.
    solver : {'auto', 'svd', 'cholesky', 'lsqr', 'sparse_cg', 'sag', 'saga', 'lbfgs'}
        As in `Ridge`.
    positive : bool, default=False
        Require W >= 0.
    random_state : ignored
        Kept for compatibility; nothing is drawn.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The labels; 0, 1, ... where rows have several.
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    multilabel_ : bool
        Whether a row may have several labels.
    n_iter_ : array of shape (1,)
        Passes over the data.
    solver_ : str
        As in `Ridge`.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RidgeClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = RidgeClassifier(alpha=2.0).fit(X, ["no", "no", "yes", "yes"])
    >>> model.coef_.round(6).tolist(), model.predict([[0.5]]).tolist()
    ([[0.5]], ['yes'])
    """

    theory = ("halfspaces",)
    takes_sparse = True
    takes_indicators = True
    shapes: ClassVar = {"classes_": "K", "coef_": "m d", "intercept_": "m"}
    rules: ClassVar = {
        "alpha": real(0),
        "fit_intercept": boolean,
        "copy_X": boolean,
        "max_iter": missing | whole(1),
        "tol": real(0),
        "class_weight": class_weight_rule,
        "solver": one_of(*SOLVERS),
        "positive": boolean,
        "random_state": seed,
    }

    convex_problem = ridge_classifier_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        class_weight: Any = None,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _ridge(self) -> Ridge:
        """Return the regression of (1)."""
        given = {name: getattr(self, name) for name in self.rules}
        del given["class_weight"]
        ridge = Ridge(**given)
        if hasattr(self, "feature_names_in_"):
            ridge.feature_names_in_ = self.feature_names_in_
        return ridge

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> CodedRoute:
        """Weigh the classes and choose the route."""
        self.multilabel_ = data.source.many_targets
        check_two_classes(self)
        if self.class_weight is not None and (self.multilabel_ or data.once):
            must = "class_weight must be None where rows have several labels"
            if data.once:
                must = "class_weight must be None or a dict in a stream"
            if self.multilabel_ or isinstance(self.class_weight, str):
                came, remedy = repr(self.class_weight), "Use sample_weight."
                raise ParameterError(sentence(self, must, came, remedy))
        return CodedRoute(self._ridge().start(data, seed), class_weights(self, data))

    def statistics(self, chunk: Chunk, state: CodedRoute) -> Statistics:
        """Sum what the route needs of the targets -1 and +1."""
        w, v = chunk.w, state.weights
        if v is not None:
            w = v[chunk.y] if w is None else w * v[chunk.y]
        coded = replace(chunk, y=self._sides(chunk.y, chunk.X.dtype), w=w)
        return self._ridge().statistics(coded, state.route)

    def _sides(self, y: Vector, dtype: Any) -> Floats:
        """Return s of (1), one column for two classes."""
        if y.ndim == 2:
            return (2 * y - 1).astype(dtype)
        K = len(self.classes_)
        others = np.arange(1, 2) if K == 2 else np.arange(K)
        return np.where(y[:, None] == others, 1.0, -1.0).astype(dtype)

    def update(self, s: Any, state: CodedRoute) -> CodedRoute:
        """Solve, or take a step."""
        return replace(state, route=self._ridge().update(s, state.route))

    def objective(self, s: Any, state: CodedRoute) -> float:
        """Return (1)."""
        return self._ridge().objective(s, state.route)

    def stop(self, state: CodedRoute) -> StopReason | None:
        """Stop when solved; the iterative route stops on its residual."""
        return self._ridge().stop(state.route)

    def max_passes(self) -> int:
        """Allow as many passes as the regression."""
        return self._ridge().max_passes()

    def account(self, state: CodedRoute, report: Report) -> None:
        """Report route, rank and conditioning."""
        self._ridge().account(state.route, report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        ridge, route = self._ridge(), fitted.state.route
        W, b = ridge.coefficients(route)
        b = b if self.fit_intercept else np.zeros(len(W))
        self.coef_, self.intercept_ = W.astype(route.dtype), b.astype(route.dtype)
        self.n_iter_ = np.array([fitted.report.passes])
        self.solver_ = NAMES[route.route] if self.solver == "auto" else self.solver

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Floats:
        """Return the scores W x + b: (n,) for two classes, (n, K) otherwise."""
        X = self._query(X)
        Z = dense(X @ self.coef_.T.astype(X.dtype)) + self.intercept_.astype(X.dtype)
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def predict(self, X: Any) -> Vector:
        """Return the class of largest score (2), or 0 and 1 for each label."""
        Z = self.decision_function(X)
        if self.multilabel_:
            return (Z > 0).astype(np.int64)
        return self.classes_[decided(Z)]
