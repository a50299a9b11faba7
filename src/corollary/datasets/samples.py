"""Samples of a model, with the parameters that made them.

A fit can be compared with the truth.  `random_state` is a seed, a NumPy generator or
None; the same seed gives the same data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Classification", "Regression", "classification", "regression"]


class Regression(NamedTuple):
    """Inputs, responses, and the coefficients (d,) and intercept that made them."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    intercept: float


class Classification(NamedTuple):
    """Inputs, classes, and the logits' weights (k, d) and intercepts (k,)."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray


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
