"""Density estimation with a law of known form, in summation form.

Also known as: parametric density estimation, plug-in density, Bayesian
predictive density.

The rows follow p(x | theta) of a known family.  One pass takes the sums that the family
needs, s = sum_n w_n t(x_n), and the density is

    p(x | theta*),  theta* = argmax_theta sum_n w_n ln p(x_n | theta)            (1)

or, with a conjugate prior, at the most probable theta or averaged over all of them,

    p(x | theta_MAP)   or   integral p(x | theta) p(theta | X) dtheta            (2)

The two grow alike as rows come.  For few rows (2) is the more cautious: it has heavier
tails, and gives what was never seen a probability above 0.

Notation: theta the parameters of `distribution_`; p(theta | X) = `posterior_`.
Course: S1-6, S2-1, S3-21. Reference: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, boolean, missing, one_of, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.roles import DensityEstimator
from corollary.distributions.bernoulli import BernoulliFamily
from corollary.distributions.categorical import CategoricalFamily
from corollary.distributions.distribution import Distribution, Family, Prior
from corollary.distributions.gaussian import Gaussian, GaussianFamily
from corollary.distributions.multinomial import MultinomialFamily
from corollary.distributions.poisson import PoissonFamily
from corollary.distributions.uniform import UniformFamily
from corollary.engine import Chunk, Data, Fitted, Statistics, StreamingLearner

__all__ = ["ParametricDensity"]

FAMILIES: dict[str, Family[Any, Any]] = {
    "bernoulli": BernoulliFamily(),
    "categorical": CategoricalFamily(),
    "multinomial": MultinomialFamily(),
    "poisson": PoissonFamily(),
    "uniform": UniformFamily(),
}
a_family = Rule("a Family", lambda v: isinstance(v, Family))
a_prior = Rule("a Prior", lambda v: isinstance(v, Prior))


@stored
@dataclass(frozen=True)
class Estimated:
    """The state: the law, the posterior behind it, and the weight of the rows."""

    dtype: Any
    law: Any = None
    posterior: Any = None
    n: float = 0.0
    singular: str = ""  # what makes a covariance singular that was shrunk


class ParametricDensity(StreamingLearner, DensityEstimator):
    """A density of known form, fitted by maximum likelihood or with a prior.

    Parameters
    ----------
    family : str or Family, default="gaussian"
        "gaussian", "bernoulli", "categorical", "multinomial", "poisson", "uniform", or
        a `Family` such as ``BinomialFamily(10)``.
    covariance : {"full", "diagonal", "spherical"}
        Of a Gaussian.
    unbiased : bool
        Divide a Gaussian's scatter by n - 1 instead of n.
    shrinkage : float in [0, 1] or "auto"
        Share of a Gaussian's covariance that is spherical; above 0 it stays regular
        where there are fewer rows than features.  "auto" shrinks by 0.01 where the
        covariance is singular, with a warning in the report, and not at all elsewhere.
    prior : Prior, optional
        A conjugate prior, such as ``NormalInverseWishart`` or ``Beta``.
    estimate : {"predictive", "map"}
        What to make of the posterior (2).

    Attributes
    ----------
    distribution_ : Distribution
        The law of a row.
    posterior_ : Prior or None
        The law of the parameters, where a prior was given.
    mean_ : array of shape (d,)
        Mean of the law.
    covariance_ : array of shape (d, d)
        Covariance of the law.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ParametricDensity
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [4.0, 5.0], [2.0, 2.0]])
    >>> model = ParametricDensity(covariance="diagonal").fit(X)
    >>> model.mean_.tolist(), np.diag(model.covariance_).tolist()
    ([2.0, 2.0], [2.0, 3.5])
    >>> model.score_samples([[2.0, 2.0]]).round(4).tolist()
    [-2.8108]
    """

    shapes: ClassVar = {"mean_": "d"}
    rules: ClassVar = {
        "family": one_of("gaussian", *FAMILIES) | a_family,
        "covariance": one_of("full", "diagonal", "spherical"),
        "unbiased": boolean,
        "shrinkage": real(0, 1) | one_of("auto"),
        "prior": missing | a_prior,
        "estimate": one_of("predictive", "map"),
    }

    def __init__(
        self,
        family: Any = "gaussian",
        *,
        covariance: str = "full",
        unbiased: bool = False,
        shrinkage: float | str = "auto",
        prior: Any = None,
        estimate: str = "predictive",
    ) -> None:
        self.family = family
        self.covariance = covariance
        self.unbiased = unbiased
        self.shrinkage = shrinkage
        self.prior = prior
        self.estimate = estimate

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Estimated:
        """Nothing is needed but the precision, and memory for a full covariance."""
        family, d = self._family(), data.source.n_features
        if isinstance(family, GaussianFamily) and family.covariance == "full":
            remedy = "Use covariance='diagonal', or a principal component analysis."
            check_memory(self, 64.0 * d * d, f"the {d} x {d} covariance", remedy)
        return Estimated(data.source.dtype)

    def statistics(self, chunk: Chunk, state: Estimated) -> Statistics:
        """Take the sums of the chunk's rows, in double precision."""
        X = np.asarray(chunk.X, dtype=np.float64)
        if chunk.w is None:
            return self._family().sums(X, np.ones(len(X)))
        keep = chunk.w > 0
        return self._family().sums(X[keep], chunk.w[keep])

    def update(self, s: Any, state: Estimated) -> Estimated:
        """Turn the sums into a law (1), (2)."""
        family = self._family()
        if self.prior is None:
            law, singular = family.mle(s), ""
            if isinstance(family, GaussianFamily) and family.may_shrink:
                found = family.diagnosis(s)
                singular = str(found) if found.singular else ""
            return replace(state, law=law, n=s.n, singular=singular)
        posterior = self._posterior(s)
        law = family.law_of(posterior, self.estimate)
        return replace(state, law=law, posterior=posterior, n=s.n)

    def objective(self, s: Any, state: Estimated) -> float:
        """Return the mean negative log-likelihood, of maximum likelihood alone."""
        if self.prior is not None:
            return 0.0
        return -self._family().loglikelihood(s, state.law) / s.n

    def account(self, state: Estimated, report: Report) -> None:
        """Tell that the estimate is exact, and how many rows each parameter has."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["law"] = type(state.law).__name__
        if self.prior is None:
            free = self._family().n_parameters(state.law)
            report.facts["n_parameters"] = free
            report.facts["rows_per_parameter"] = float(state.n / max(free, 1))
        if self.shrinkage == "auto" and state.singular:
            report.warnings.append(
                f"the covariance was singular ({state.singular}) and was shrunk; drop "
                "features, or use covariance='diagonal'."
            )
        if isinstance(state.law, Gaussian):
            report.condition = state.law.condition()

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Estimated = fitted.state
        self.distribution_: Distribution = state.law
        self.posterior_ = state.posterior
        mean, covariance = state.law.moments()
        self.mean_ = mean.astype(state.dtype)
        self.covariance_ = covariance.astype(state.dtype)

    # -- use -----------------------------------------------------------------------
    def score_samples(self, X: Any) -> Floats:
        """Return the log density of each row; -infinity outside the support."""
        return self.distribution_.logpdf(np.asarray(self._query(X), np.float64))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Floats:
        """Draw rows from the fitted law, (n_samples, d)."""
        check_is_fitted(self)
        return self.distribution_.sample(n_samples, random_state)

    def _family(self) -> Family[Any, Any]:
        if isinstance(self.family, Family):
            return self.family
        if self.family == "gaussian":
            return GaussianFamily(self.covariance, self.unbiased, self.shrinkage)
        return FAMILIES[self.family]

    def _posterior(self, s: Any) -> Prior:
        try:
            return self.prior.posterior(s)
        except (AttributeError, TypeError):
            must = f"prior must be one for the sums of {self.family!r}"
            came = f"a {type(self.prior).__name__}"
            raise ParameterError(sentence(self, must, came)) from None
