"""Regression of counts and amounts with a log link, under scikit-learn's names.

Also known as: Poisson regression, log-linear model of counts, gamma regression, Tweedie
regression, compound Poisson-gamma model, claim frequency and severity.

Minimise  1/(2n) sum_n w_n d_p(y_n, mu_n) + alpha/2 ||b||^2,  n = sum of weights,  (1)

    mu = e^(x'b + b0),  Var y = phi mu^p:  p = 1 Poisson, p = 2 gamma,
    1 < p < 2 a Poisson number of gamma amounts, which may be exactly 0          (2)

The theory, and how it is fitted, is in `glm.py`; these classes choose the family
and have scikit-learn's parameters and defaults, the penalty alpha = 1 among them.
`GeneralizedLinearRegressor` has every family and link, exposures and offsets.

Notation: b = coef_; b0 = intercept_; mu = predict(X); p = power.
Course: S4-37. References: McCullagh and Nelder (1989); Jorgensen (1997).
"""

from __future__ import annotations

from typing import ClassVar

from corollary.core.parameters import one_of, real
from corollary.linear.glm.generalized_linear_model import GeneralizedLinearModel
from corollary.objectives.families import Family, Tweedie, family_named
from corollary.objectives.links import Identity, Link, Log, link_named

__all__ = ["GammaRegressor", "PoissonRegressor", "TweedieRegressor"]


class PoissonRegressor(GeneralizedLinearModel):
    """Poisson regression: counts, with a log link and an L2 penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the L2 penalty on mean half deviance.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    solver : {'lbfgs', 'newton-cholesky'}, default='lbfgs'
        How the one minimum is searched for; 'newton-cholesky' is Fisher scoring.
    max_iter : int, default=100
        Passes over the data.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is below it and the Newton decrement
        is below its square.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    n_iter_ : int
    sums_ : GLMSums
        What `summary` is made of.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PoissonRegressor
    >>> X = np.array([[0.0], [0], [1], [1]])
    >>> model = PoissonRegressor(alpha=0).fit(X, [1, 3, 4, 12])
    >>> model.predict([[0.0], [1.0]]).round(3).tolist()
    [2.0, 8.0]
    """

    def _family(self) -> Family:
        return Tweedie(1.0)

    def _link(self, family: Family) -> Link:
        return Log()


class GammaRegressor(GeneralizedLinearModel):
    """Gamma regression: positive amounts, with a log link and an L2 penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the L2 penalty on mean half deviance.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    solver : {'lbfgs', 'newton-cholesky'}, default='lbfgs'
        How the one minimum is searched for; 'newton-cholesky' is Fisher scoring.
    max_iter : int, default=100
        Passes over the data.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is below it and the Newton decrement
        is below its square.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    n_iter_ : int
    sums_ : GLMSums
        What `summary` is made of.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GammaRegressor
    >>> X = np.array([[0.0], [0], [1], [1]])
    >>> model = GammaRegressor(alpha=0).fit(X, [1.0, 3, 4, 12])
    >>> model.predict([[0.0], [1.0]]).round(3).tolist()
    [2.0, 8.0]
    """

    def _family(self) -> Family:
        return Tweedie(2.0)

    def _link(self, family: Family) -> Link:
        return Log()


class TweedieRegressor(GeneralizedLinearModel):
    """Regression with variance mu^power and an L2 penalty.

    Parameters
    ----------
    power : float, default=0.0
        p: 0 Gaussian, 1 Poisson, 2 gamma, 3 inverse Gaussian; none between 0 and 1.
    alpha : float, default=1.0
        Strength of the L2 penalty on mean half deviance.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    link : {'auto', 'identity', 'log'}, default='auto'
        'auto' is the identity for power <= 0 and the log otherwise.
    solver : {'lbfgs', 'newton-cholesky'}, default='lbfgs'
        How the one minimum is searched for; 'newton-cholesky' is Fisher scoring.
    max_iter : int, default=100
        Passes over the data.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is below it and the Newton decrement
        is below its square.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    n_iter_ : int
    sums_ : GLMSums
        What `summary` is made of.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import TweedieRegressor
    >>> X = np.array([[0.0], [0], [1], [1]])
    >>> model = TweedieRegressor(power=1.5, alpha=0).fit(X, [0.0, 4, 4, 12])
    >>> model.predict([[0.0], [1.0]]).round(3).tolist()
    [2.0, 8.0]
    """

    rules: ClassVar = {
        **GeneralizedLinearModel.rules,
        "power": real(),
        "link": one_of("auto", "identity", "log"),
    }

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: str = "auto",
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _family(self) -> Family:
        return family_named(self, "tweedie", self.power)

    def _link(self, family: Family) -> Link:
        if self.link == "auto":
            return Identity() if self.power <= 0 else Log()
        return link_named(self, self.link)
