"""The generalised linear model with any family and any link.

Also known as: GLM, quasi-likelihood regression, probit regression, complementary
log-log regression, rate model with exposure.
Related words: IRLS, iteratively reweighted least squares.

    g(mu) = eta = x'b + b0  (+ offset),   Var y = phi V(mu)                      (1)

The theory, and how it is fitted, is in `linear/glm/glm.py`; families and links are in
`objectives/`.  With the Gaussian family and the identity link it is least squares, with
the Bernoulli family and the logit it is logistic regression, without their penalty.

Notation: b = coef_; b0 = intercept_; mu = predict(X).
Course: S4-37. Reference: McCullagh and Nelder (1989).
"""

from __future__ import annotations

from typing import ClassVar

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, missing, one_of, real, whole
from corollary.linear.glm.generalized_linear_model import GeneralizedLinearModel
from corollary.objectives.families import FAMILIES, Binomial, Family, family_named
from corollary.objectives.links import LINKS, SHARES, Link, Log, link_named

__all__ = ["GeneralizedLinearRegressor"]

name = Rule("a name", lambda value: isinstance(value, str))


class GeneralizedLinearRegressor(GeneralizedLinearModel):
    """A generalised linear model.

    Parameters
    ----------
    family : str, default='gaussian'
        'gaussian', 'poisson', 'gamma', 'inverse_gaussian', 'bernoulli' (y of 0 and 1),
        'binomial' (y a share of successes, its weight the number of trials) or
        'tweedie'.
    link : str or float, default='canonical'
        'canonical', 'identity', 'log', 'logit', 'probit', 'cloglog', 'loglog',
        'cauchit', 'reciprocal', or the exponent of a power link.
    power : float, default=1.5
        Exponent of the variance in the family 'tweedie': at most 0 or at least 1.
    alpha : float, default=0.0
        Strength of the L2 penalty on mean half deviance.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    offset : int or str, optional
        Column of X that enters eta with coefficient 1.
    exposure : int or str, optional
        Column of X whose logarithm enters eta so, under the log link: the mean is
        proportional to it.
    solver : {'lbfgs', 'irls'}, default='lbfgs'
        How the one minimum is searched for; 'irls' is Fisher scoring.
    max_iter : int, default=100
        Passes over the data.
    tol : float, default=1e-6
        Stop when the largest entry of the gradient is below it and the Newton decrement
        is below its square.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    coef_ : array of shape (d,)
        With 1 for an offset and 0 for an exposure.
    intercept_ : float
    n_iter_ : int
        Passes over the data.
    sums_ : GLMSums
        What `summary` is made of.
    n_features_in_ : int
    report_ : Report
        With the deviance, the gradient and the Newton decrement, dependent columns, and
        whether the likelihood has a maximum.

    Examples
    --------
    Claims per policy, with the time that each was in force:

    >>> import numpy as np
    >>> from corollary import GeneralizedLinearRegressor
    >>> X = np.array([[0, 10.0], [0, 20], [1, 10], [1, 30]])  # group, years
    >>> model = GeneralizedLinearRegressor(family="poisson", exposure=1)
    >>> model = model.fit(X, [1, 2, 4, 12])
    >>> rates = model.predict([[0, 1.0], [1, 1.0]])
    >>> rates.round(6).tolist()
    [0.1, 0.4]
    """

    rules: ClassVar = {
        "family": one_of(*FAMILIES),
        "link": one_of("canonical", *LINKS) | real(),
        "power": real(),
        **GeneralizedLinearModel.rules,
        "offset": missing | whole() | name,
        "exposure": missing | whole() | name,
        "solver": one_of("lbfgs", "irls"),
    }

    def __init__(
        self,
        family: str = "gaussian",
        link: str | float = "canonical",
        *,
        power: float = 1.5,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        offset: int | str | None = None,
        exposure: int | str | None = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-6,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.family = family
        self.link = link
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.offset = offset
        self.exposure = exposure
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _family(self) -> Family:
        return family_named(self, self.family, self.power)

    def _link(self, family: Family) -> Link:
        canonical = self.link == "canonical"
        link = family.canonical() if canonical else link_named(self, self.link)
        if self.exposure is not None and link != Log():
            must = "an exposure needs the log link"
            raise ParameterError(sentence(self, must, link.name, "Use link='log'."))
        if link in [LINKS[name] for name in SHARES] and not isinstance(
            family, Binomial
        ):
            must = f"link {link.name} needs a mean between 0 and 1"
            raise ParameterError(sentence(self, must, f"the {family.name} family"))
        return link
