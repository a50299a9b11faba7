"""Whether a classifier of densities believes in a model that the data refute.

Also known as: plug-in error against held-out error, model misspecification,
wrong model.

Class densities p_c and priors P_c say themselves how often their rule should err,

    plug-in error = E over the model of 1 - max_c P(c | x)                       (1)

and rows that were not learned from say how often it does err.  Where the second exceeds
the first beyond noise the densities have the wrong form.  Maximum likelihood is then no
longer the best choice in the family: with N(0, 1) against N(mu, 1) where the second
class truly is N(1, 10^6), the estimate mu = 1 errs .4042, the best mu = 7.4338 errs
.2506, and the right model .0016.

For two Gaussians on one feature the rule's boundaries are the roots of a quadratic,

    ln P_1 p_1(x) = ln P_2 p_2(x)                                                (2)

of which there are two where the variances differ, and its error under any other two
Gaussians is a sum of normal tails.

Course: S3-23. References: Duda, Hart, Stork (2001), ch. 3, problem 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.core.records import readable
from corollary.core.vectors import probabilities, rows_of
from corollary.distributions.distribution import Distribution
from corollary.distributions.gaussian import Gaussian
from corollary.objectives.softmax import log_softmax

__all__ = ["Misspecification", "RuleError", "gaussian_rule_error", "misspecification"]


@dataclass(frozen=True)
class Misspecification:
    """Error that a model believes in, and the error that it makes."""

    plug_in: float
    plug_in_error: float  # standard error of (1), from the draws
    held_out: float
    held_out_error: float

    @property
    def refuted(self) -> bool:
        """Whether the two differ by more than 3 standard errors."""
        noise = np.hypot(self.plug_in_error, self.held_out_error)
        return bool(abs(self.held_out - self.plug_in) > 3 * noise)

    @property
    def verdict(self) -> str:
        """Say in one sentence whether to trust the densities."""
        if not self.refuted:
            return "the data do not speak against the densities"
        worse = self.held_out > self.plug_in
        word = "more" if worse else "less"
        return (
            f"the densities have the wrong form: the rule errs {word} often than they "
            "say; try another family, or a classifier that needs no density"
        )

    def __str__(self) -> str:
        return (
            f"expected error {self.plug_in:.4f} +- {self.plug_in_error:.4f}, held-out "
            f"error {self.held_out:.4f} +- {self.held_out_error:.4f}; {self.verdict}"
        )


def misspecification(
    laws: Sequence[Distribution],
    priors: Any,
    X: Any,
    y: Any,
    *,
    draws: int = 10000,
    random_state: Any = None,
) -> Misspecification:
    """Compare the error that class densities expect with that on held-out rows.

    Parameters
    ----------
    laws : list of Distribution
        One for each class.
    priors : array of shape (k,)
    X : array of shape (n, d)
        Rows that were not learned from.
    y : array of shape (n,)
        Their classes, as positions 0 to k - 1 in `laws`.
    draws : int
        Rows drawn from the model for (1).
    random_state : None, int, RandomState or Generator

    Returns
    -------
    Misspecification

    Examples
    --------
    >>> import numpy as np
    >>> model = [Gaussian([0.0], 1.0), Gaussian([1.0], 1.0)]
    >>> truth = [Gaussian([0.0], 1.0), Gaussian([1.0], 1e6)]
    >>> X = np.concatenate([law.sample(500, random_state=0) for law in truth])
    >>> y = np.repeat([0, 1], 500)
    >>> misspecification(model, [0.5, 0.5], X, y, random_state=0).refuted
    True
    """
    who = "misspecification"
    priors = probabilities(who, priors, "priors")
    if len(priors) != len(laws) or len(laws) < 2:
        must = "there must be two laws or more, and a prior for each"
        raise ParameterError(sentence(who, must, f"{len(laws)} and {len(priors)}"))
    X, y = rows_of(who, X, laws[0].dimension), np.asarray(y)
    if y.shape != (len(X),) or not len(X) or not np.isin(y, range(len(laws))).all():
        must = f"y must hold a class from 0 to {len(laws) - 1} for each row"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    rng = generator(entropy(random_state))
    drawn = np.concatenate(
        [
            law.sample(int(m), rng)
            for law, m in zip(laws, rng.multinomial(draws, priors), strict=True)
            if m
        ]
    )
    doubt = 1 - np.exp(log_posterior(laws, priors, drawn)).max(axis=1)  # (1)
    wrong = log_posterior(laws, priors, X).argmax(axis=1) != y
    return Misspecification(
        float(doubt.mean()),
        float(doubt.std() / np.sqrt(len(doubt))),
        float(wrong.mean()),
        float(np.sqrt(max(wrong.mean() * (1 - wrong.mean()), 1 / len(X)) / len(X))),
    )


def log_posterior(laws: Sequence[Distribution], priors: Floats, X: Floats) -> Floats:
    """Return ln P(c | x) of each row and class, (n, k)."""
    with np.errstate(divide="ignore"):
        logs = np.log(priors) + np.stack([law.logpdf(X) for law in laws], axis=1)
    return log_softmax(logs)


@readable
@dataclass(frozen=True)
class RuleError:
    """Boundaries of a rule between two Gaussians (2) and its error."""

    boundaries: tuple[float, ...]
    error: float


def gaussian_rule_error(
    models: Sequence[Gaussian], truths: Sequence[Gaussian], priors: Any = (0.5, 0.5)
) -> RuleError:
    """Return the exact error of the rule that two models make, under other laws.

    Parameters
    ----------
    models, truths : two Gaussian laws on one feature each
        Equal laws give the Bayes error.
    priors : array of shape (2,)

    Returns
    -------
    RuleError

    Examples
    --------
    >>> truth = Gaussian([0.0], 1.0), Gaussian([1.0], 1e6)
    >>> model = Gaussian([0.0], 1.0), Gaussian([1.0], 1.0)
    >>> fit = gaussian_rule_error(model, truth)
    >>> round(fit.boundaries[0], 12), round(fit.error, 4)
    (0.5, 0.4042)
    >>> round(gaussian_rule_error(truth, truth).error, 5)
    0.00158
    """
    who = "gaussian_rule_error"
    priors = probabilities(who, priors, "priors")
    pairs = (*models, *truths)
    if len(pairs) != 4 or len(priors) != 2 or any(g.dimension != 1 for g in pairs):
        must = "models and truths must be two Gaussian laws on one feature each"
        raise ParameterError(sentence(who, must, f"{len(models)} and {len(truths)}"))
    with np.errstate(divide="ignore"):
        weights = np.log(priors)
    (a1, b1, c1), (a2, b2, c2) = (
        _quadratic(g, w) for g, w in zip(models, weights, strict=True)
    )
    a, b, c = a1 - a2, b1 - b2, c1 - c2  # > 0: the first class
    roots = _roots(a, b, c)
    edges = np.array([-np.inf, *roots, np.inf])
    error = 0.0
    for low, high in pairwise(edges):
        x = _inside(low, high)
        other = 1 if a * x * x + b * x + c > 0 else 0  # the class that loses here
        tails = truths[other].cdf(np.array([[low], [high]]))
        error += float(priors[other] * (tails[1] - tails[0]))
    return RuleError(tuple(float(r) for r in roots), error)


def _quadratic(law: Gaussian, log_prior: float) -> tuple[float, float, float]:
    """Return the coefficients of ln P p(x), without ln 2 pi."""
    m, s = float(law.mean[0]), float(law.covariance_matrix[0, 0])
    return -0.5 / s, m / s, -0.5 * m * m / s - 0.5 * np.log(s) + log_prior


def _roots(a: float, b: float, c: float) -> Floats:
    """Return the real roots where the sign changes, in rising order."""
    if abs(a) <= 1e-15 * max(abs(b), 1e-300):
        return np.array([-c / b]) if b else np.array([])
    inside = b * b - 4 * a * c
    if inside <= 0:
        return np.array([])
    q = -0.5 * (b + np.copysign(np.sqrt(inside), b))  # no cancellation
    return np.sort([q / a, c / q])


def _inside(low: float, high: float) -> float:
    """Return a point between two edges."""
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        return high - 1.0 - abs(high)
    return low + 1.0 + abs(low) if np.isinf(high) else 0.5 * (low + high)
