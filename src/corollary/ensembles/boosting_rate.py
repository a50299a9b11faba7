"""The rate of gradient boosting: what it promises, and what was measured.

Also known as: linear convergence of boosting, functional gradient descent rate.

Let A(f) = F(f(x_1), ..., f(x_n)) with F mu-strongly convex and with an L-Lipschitz
gradient, and let stage t meet the pseudo-residuals r with quality gamma_t,

    sum_i (r_i - g_t(x_i))^2 <= (1 - gamma_t) sum_i r_i^2                            (1)

An exact step along g_t is no worse than the step 1/(2L) along it, and

    A(f_t) - A* <= (1 - gamma_t mu / (2L)) (A(f_{t-1}) - A*)                         (2)
    A(f_T) - A* <= prod_t (1 - gamma_t mu / (2L)) (A(f_0) - A*)                      (3)

for any A* that A does not fall below; the step 1/L gives mu/L in place of mu/(2L).  A
share v of the step has v gamma_t in place of gamma_t, since A is convex.  The squared
loss has mu = L.  The logistic, absolute and quantile losses have mu = 0: stages may
then go on for ever and promise nothing, and the rate is 1.

Notation: gamma = qualities; A = losses, in units of `train_score_`; v = learning_rate.
Course: S2-27. References: Friedman (2001); Karimi, Nutini and Schmidt (2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.records import readable

__all__ = ["BoostingRate", "boosting_rate"]

ROUNDING = 1e-9  # of the first gap


@readable
@dataclass(frozen=True)
class BoostingRate:
    """The gaps of a boosting fit beside what (2) and (3) promise.

    Attributes
    ----------
    qualities : array of shape (T,)
        gamma_t of (1), as measured.
    rates : array of shape (T,)
        1 - v gamma_t mu / (2L), what each stage leaves of the gap at most.
    gaps : array of shape (T + 1,)
        A(f_t) - A*, from t = 0.
    bounds : array of shape (T + 1,)
        (3) after each stage.
    holds : bool
        Whether every stage keeps (2), up to rounding.
    """

    qualities: Floats
    rates: Floats
    gaps: Floats
    bounds: Floats
    holds: bool

    def plot(self, ax: Any = None) -> Any:
        """Draw the gaps below their bounds.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.semilogy(self.gaps, label="measured")
        ax.semilogy(self.bounds, linestyle="--", label="promised")
        ax.set_xlabel("stage")
        ax.set_ylabel("above the minimum")
        ax.legend()
        return ax


def boosting_rate(model: Any, minimum: float = 0.0) -> BoostingRate:
    """Hold each stage of a fitted gradient boosting to its linear rate.

    Parameters
    ----------
    model : GradientBoostingRegressor or GradientBoostingClassifier
        Fitted to all rows in each stage, ``subsample=1``.
    minimum : float, default=0.0
        A*, no more than the least loss that the members can reach, in units of
        `train_score_`; 0 is always right.

    Returns
    -------
    BoostingRate

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GradientBoostingRegressor, Ridge
    >>> from corollary.ensembles import boosting_rate
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> model = GradientBoostingRegressor(
    ...     estimator=Ridge(alpha=50.0), learning_rate=1.0, n_estimators=5
    ... ).fit(X, X @ [1.0, 2.0, 3.0])
    >>> rate = boosting_rate(model)
    >>> rate.holds, bool((rate.gaps <= rate.bounds * (1 + 1e-12)).all())
    (True, True)
    """
    who = "boosting_rate"
    if not hasattr(type(model), "learn_watching") or not hasattr(model, "subsample"):
        must = "model must be a gradient boosting of Corollary"
        raise ParameterError(sentence(who, must, f"a {type(model).__name__}"))
    check_is_fitted(model)
    if model.subsample < 1 or not 0 < model.learning_rate <= 1:
        must = "stages must see all rows, with a learning_rate in (0, 1]"
        came = f"subsample={model.subsample}, learning_rate={model.learning_rate}"
        raise DataError(sentence(who, must, came))
    if not real(None, float(model.train_score_.min())).holds(minimum):
        must = "minimum must be a number no larger than any loss of the model"
        raise ParameterError(sentence(who, must, f"{minimum!r}"))
    ratio = 1.0 if model.loss == "squared_error" else 0.0  # mu / L
    gamma = np.clip(model.qualities_, 0.0, 1.0)
    rates = 1 - model.learning_rate * gamma * ratio / 2
    gaps = np.concatenate([[model.initial_loss_], model.train_score_]) - minimum
    bounds = gaps[0] * np.concatenate([[1.0], np.cumprod(rates)])
    slack = ROUNDING * max(float(gaps[0]), 0.0)
    holds = bool((gaps[1:] <= rates * gaps[:-1] + slack).all())
    return BoostingRate(gamma, rates, gaps, bounds, holds)
