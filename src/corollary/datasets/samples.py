"""Samples of a model, with the parameters that made them.

A fit can be compared with the truth.  `random_state` is a seed, a NumPy generator or
None; the same seed gives the same data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.checks import check_finite
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable
from corollary.objectives.links import LINKS, SHARES, Link

__all__ = [
    "Classification",
    "Latent",
    "Regression",
    "classification",
    "latent_classes",
    "regression",
]


@readable
class Regression(NamedTuple):
    """Inputs, responses, and the coefficients (d,) and intercept that made them."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    intercept: float


@readable
class Classification(NamedTuple):
    """Inputs, classes, and the logits' weights (k, d) and intercepts (k,)."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray


@readable
class Latent(NamedTuple):
    """Inputs, classes 0 and 1, coefficients (d,), intercept, and P(y = 1 | x)."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    intercept: float
    probability: np.ndarray


def regression(
    n_samples: int = 200,
    n_features: int = 5,
    noise: float = 1.0,
    informative: int | None = None,
    correlation: float = 0.0,
    random_state: Any = 0,
) -> Regression:
    """Draw a linear model with Gaussian inputs and Gaussian noise.

    Parameters
    ----------
    n_samples, n_features : int
        Number of rows and of inputs.
    noise : float
        Standard deviation of the noise on y.
    informative : int or None
        Number of non-zero coefficients, the first ones; None for all.
    correlation : float
        Correlation between neighbouring inputs, falling off as a power with their
        distance; close to 1 the inputs are nearly collinear.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Regression

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import regression
    >>> X, y, coef, intercept = regression(50, 3, noise=0)
    >>> print(np.allclose(y, X @ coef + intercept))
    True
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, n_features))
    for j in range(1, n_features if correlation else 0):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    coef = rng.standard_normal(n_features)
    coef[informative if informative is not None else n_features :] = 0
    intercept = float(rng.standard_normal())
    y = X @ coef + intercept + noise * rng.standard_normal(n_samples)
    return Regression(X, y, coef, intercept)


def classification(
    n_samples: int = 200,
    n_features: int = 5,
    n_classes: int = 2,
    scale: float = 3.0,
    random_state: Any = 0,
) -> Classification:
    """Draw a softmax model with Gaussian inputs.

    ``P(y = k | x)`` is the softmax of ``coef x + intercept``, so logistic regression
    is the right model and its coefficients (differences between classes) are known.

    Parameters
    ----------
    n_samples, n_features, n_classes : int
        Number of rows, inputs and classes.
    scale : float
        Standard deviation of a logit; larger separates the classes better.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Classification

    Examples
    --------
    >>> from corollary.datasets import classification
    >>> X, y, coef, intercept = classification(100, 4, 3)
    >>> X.shape, coef.shape, intercept.shape
    ((100, 4), (3, 4), (3,))
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, n_features))
    coef = rng.standard_normal((n_classes, n_features)) * scale / np.sqrt(n_features)
    intercept = rng.standard_normal(n_classes)
    logits = X @ coef.T + intercept
    y = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)  # Gumbel-max
    return Classification(X, y, coef, intercept)


def latent_classes(
    X: Any,
    coef: Any,
    intercept: float = 0.0,
    link: str | Link = "logit",
    random_state: Any = 0,
) -> Latent:
    """Draw y = 1[coef' x + intercept + noise > 0], the latent variable of a link.

    The noise is minus a draw from the law whose quantile function is the link, so that
    ``P(y = 1 | x)`` is the link's inverse of ``coef' x + intercept``: logistic noise
    for the logit, normal for the probit, Cauchy for the cauchit, Gumbel for the others.

    Parameters
    ----------
    X : array of shape (n, d)
    coef : array of shape (d,)
    intercept : float
    link : {'logit', 'probit', 'cloglog', 'loglog', 'cauchit'} or Link
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Latent

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import latent_classes
    >>> drawn = latent_classes(np.zeros((10_000, 1)), [1.0], 1.0, link="probit")
    >>> float(drawn.probability[0].round(4)), round(float(drawn.y.mean()), 1)
    (0.8413, 0.8)
    """
    X, coef = np.asarray(X, dtype=np.float64), np.asarray(coef, dtype=np.float64)
    if isinstance(link, str) and link not in SHARES:
        must = f"link must be one of {', '.join(map(repr, SHARES))} or a Link"
        raise ParameterError(sentence("latent_classes", must, repr(link)))
    if X.ndim != 2 or coef.shape != X.shape[1:]:
        must = "X must be (n, d) and coef (d,)"
        raise ParameterError(
            sentence("latent_classes", must, f"{X.shape} and {coef.shape}")
        )
    check_finite("latent_classes", X)
    law = LINKS[link] if isinstance(link, str) else link
    rng = np.random.default_rng(random_state)
    eta = X @ coef + intercept
    noise = -law.of(1.0 - rng.random(len(X)))  # a uniform draw, never 0
    y = (eta + noise > 0).astype(int)
    return Latent(X, y, coef, float(intercept), law.inverse(eta))
