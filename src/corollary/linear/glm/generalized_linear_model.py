"""What regressions by a generalised linear model share: the fit and its use.

The theory is in `glm.py`; a regressor names its family and its link.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Vector
from corollary.core.checks import check_targets, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, one_of, real, whole
from corollary.core.report import Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner
from corollary.linear import descent
from corollary.linear.convex_statements import glm_problem
from corollary.linear.glm import glm
from corollary.linear.glm.deviance_sums import DevianceSums
from corollary.linear.least_squares.summary import Summary, summarize_likelihood
from corollary.objectives.chunk_losses import Deviance, Sums
from corollary.objectives.families import Family
from corollary.objectives.links import Link

__all__ = ["GeneralizedLinearModel"]


class GeneralizedLinearModel(SummationLearner, SingleRegressor):
    """A generalised linear model; subclasses name the family and the link."""

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d", "intercept_": ""}
    rules: ClassVar = {
        "alpha": real(0),
        "fit_intercept": boolean,
        "solver": one_of("lbfgs", "newton-cholesky"),
        "max_iter": whole(1),
        "tol": real(0, ends="(]"),
        "warm_start": boolean,
        "verbose": whole(0) | boolean,
    }
    offset: Any = None
    exposure: Any = None
    convex_problem = glm_problem

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    @abstractmethod
    def _family(self) -> Family:
        """Return the family that the parameters name."""

    @abstractmethod
    def _link(self, family: Family) -> Link:
        """Return the link that the parameters name."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            below = bool(self._family().inside(np.array([-1.0]))[0])
        except ParameterError:  # fit will say what is wrong
            below = True
        tags.target_tags.positive_only = not below
        return tags

    def _loss(self) -> Deviance:
        """Return the loss that the parameters name."""
        family = self._family()
        exposure = self._column("exposure")
        return Deviance(type(self).__name__, family, self._link(family), exposure)

    def _column(self, parameter: str) -> int | None:
        """Return the number of the column that a parameter names, if it does."""
        asked, names = getattr(self, parameter), getattr(self, "feature_names_in_", [])
        if asked is None:
            return None
        if isinstance(asked, str):
            found = np.flatnonzero(np.asarray(names, dtype=object) == asked)
            if len(found):
                return int(found[0])
        elif -self.n_features_in_ <= asked < self.n_features_in_:
            return int(asked) % self.n_features_in_
        must = f"{parameter} must be the name or the number of a column of X"
        raise ParameterError(sentence(self, must, repr(asked)))

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> glm.GLMState:
        """Check y, take the spread of x, fit the constant model."""
        last = getattr(self, "coef_", np.zeros(0))
        warm = self.warm_start and len(last) == data.source.n_features
        model = glm.GLM(
            self._loss(),
            float(self.alpha),
            self.fit_intercept,
            self.tol,
            self.solver in ("irls", "newton-cholesky"),
            self._column("offset"),
            (last.astype(np.float64), float(self.intercept_)) if warm else None,
            self.warm_start,
            getattr(self, "feature_names_in_", None),
        )
        return glm.begin(data, model)

    def statistics(self, chunk: Chunk, state: glm.GLMState) -> Sums:
        """Sum loss and gradient, and the Fisher information where asked."""
        return descent.statistics(chunk, state.descent)

    def update(self, s: Sums, state: glm.GLMState) -> glm.GLMState:
        """Take a step of the search."""
        return glm.update(s, state)

    def objective(self, s: Sums, state: glm.GLMState) -> float:
        """Return the mean half deviance with its penalty."""
        return state.descent.search.f

    def stop(self, state: glm.GLMState) -> StopReason | None:
        """Stop when gradient and decrement are small."""
        return glm.stop(state)

    def settle(self, data: Data, state: glm.GLMState) -> Settled:
        """Look whether the likelihood has a maximum."""
        return Settled(glm.settle(data, state))

    def account(self, state: glm.GLMState, report: Report) -> None:
        """Report the deviance, the distance from optimal, and what has no answer."""
        glm.account(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        (b, b0), dtype = (
            glm.coefficients(fitted.state),
            fitted.state.descent.problem.dtype,
        )
        self.coef_ = b.astype(dtype)
        self.intercept_ = dtype.type(b0) if self.fit_intercept else 0.0
        self.n_iter_ = fitted.report.passes
        self.sums_ = glm.sums_of(fitted.state)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the mean of y for each row."""
        X, loss = self._query(X), self._loss()
        eta = loss.predictor(X, self.coef_, float(self.intercept_))
        mu = np.asarray(loss.link.inverse(eta))
        if np.isnan(mu).any():
            row = int(np.argmax(np.isnan(mu)))
            must = f"every row must have a mean under link {loss.link.name}"
            came = f"eta = {eta[row]:g} in row {row}"
            remedy = "Rows so far from the training data need link='log'."
            raise DataError(sentence(self, must, came, remedy))
        largest = np.finfo(X.dtype).max
        return np.clip(mu, -largest, largest).astype(X.dtype)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return D^2, the explained share of the deviance from the mean of y."""
        return self.score_sums(X, y, sample_weight).score()

    def score_sums(self, X: Any, y: Any, w: Any) -> DevianceSums:
        """Return what rows leave of the deviance, and what is about their mean."""
        mu = self.predict(X).astype(np.float64)
        y = check_targets(self, y, len(mu), np.float64, many=False)
        family = self._family()
        family.check(self, y)
        return DevianceSums.of(family, y, mu, full_weights(self, w, len(mu)))

    def summary(self, confidence: float = 0.95) -> Summary:
        """Return coefficients with standard errors, tests and measures of fit.

        Everything follows from sums kept by the fit: the data is not needed again.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return summarize_likelihood(self, self._loss(), confidence)
