"""The Laplace approximation of logistic regression's posterior, in summation form.

Also known as: Bayesian logistic regression, Gaussian posterior approximation.

A penalty ||W||^2 / (2C) is a prior W ~ N(0, C I), with a flat one of intercepts, and
the fitted coefficients are the mode of the posterior p(theta | S), the MAP estimate.
Around the mode its logarithm is nearly quadratic, so that

    theta | S  ~  N(theta_MAP, H^-1),
    H = sum_n w_n (diag(p_n) - p_n p_n') (x) x~_n x~_n' + diag(1/C, ..., 0)      (1)

with x~ = (x, 1) and p_n the fitted probabilities; for two classes the first factor is
p_n (1 - p_n).  H is a sum over the rows.  A score a = theta'x~ is then Gaussian with
variance s^2 = x~'H^-1 x~, and a prediction averages over it,

    P(y = 1 | x, S) = int sigmoid(a) N(a; m, s^2) da                             (2)
                    = int Phi((m - l)/s) sigmoid'(l) dl                          (3)

which lies between 1/2 and the MAP prediction: far from the rows, where s grows, it is
less sure.  (2) serves small s and (3) large s; either integrand is smooth on the scale
of its grid, where the trapezoidal rule is exact to rounding.  For more classes the mean
of the softmax is taken over draws.

Notation: theta (m, d + 1), m = 1 for two classes and K otherwise; x~ about the mean.
Course: S4-60. References: MacKay (1992); Bishop (2006), 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, softmax
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.records import readable
from corollary.core.vectors import rows_of
from corollary.engine import Chunk, Data, Variances
from corollary.engine.sources.opening import open_source
from corollary.linear.class_weights import class_weights
from corollary.linear.logistic.logistic_regression import LogisticRegression
from corollary.linear_algebra.decompositions import eigh
from corollary.objectives.chunk_losses import CrossEntropy, Sums

__all__ = ["LaplacePosterior", "laplace"]

GAUSS = np.linspace(-9, 9, 181)  # grid of (2), in deviations
LOGISTIC = np.linspace(-45, 45, 901)  # grid of (3)
ROWS = 1024  # of a block of predictions


@readable
@dataclass(frozen=True)
class LaplacePosterior:
    """A Gaussian posterior of logistic regression.

    Attributes
    ----------
    classes : array of shape (K,)
    theta : array of shape (m, d + 1)
        The mode, coefficients and last the scores at `mean`.
    covariance : array of shape (m (d + 1), m (d + 1))
        The inverse of (1), class by class.
    mean : array of shape (d,)
        What is taken from x before it meets theta.
    """

    classes: Vector
    theta: Floats
    covariance: Floats
    mean: Floats

    def scores(self, X: Any) -> tuple[Floats, Floats]:
        """Return the mean of the scores (n, m) and their covariance (n, m, m).

        Parameters
        ----------
        X : array of shape (n, d)
        """
        X = rows_of("LaplacePosterior", X, len(self.mean))
        Z = np.column_stack([X - self.mean, np.ones(len(X))])
        m, p = self.theta.shape
        blocks = self.covariance.reshape(m, p, m, p)
        spread = np.einsum("ni,kilj,nj->nkl", Z, blocks, Z, optimize=True)
        return Z @ self.theta.T, spread

    def predict_proba(
        self, X: Any, n_draws: int = 2000, random_state: int = 0
    ) -> Floats:
        """Return P(class | x) averaged over the posterior, (n, K).

        Parameters
        ----------
        X : array of shape (n, d)
        n_draws : int, default=2000
            Draws where there are more than two classes.
        random_state : int, default=0
            Seed of the draws.
        """
        if not whole(1).holds(n_draws):
            must = "n_draws must be a whole number >= 1"
            raise ParameterError(sentence("LaplacePosterior", must, f"{n_draws!r}"))
        mean, spread = self.scores(X)
        if mean.shape[1] == 1:
            p = averaged_sigmoid(mean[:, 0], np.sqrt(np.maximum(spread[:, 0, 0], 0)))
            return np.column_stack([1 - p, p])
        draws = np.random.default_rng(random_state).normal(
            size=(n_draws, mean.shape[1])
        )
        values, V = eigh(spread)
        roots = V * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        found = [
            softmax(a + draws @ R.T, axis=1).mean(axis=0)
            for a, R in zip(mean, roots, strict=True)
        ]
        return np.array(found).reshape(len(mean), -1)


def laplace(
    model: LogisticRegression, X: Any, y: Any = None, sample_weight: Any = None
) -> LaplacePosterior:
    """Return the Gaussian approximation of the posterior around a fitted model.

    Parameters
    ----------
    model : LogisticRegression
        Fitted to the same rows, so that its coefficients are the mode.
    X, y, sample_weight
        The rows, as in its `fit`; any data that can be read again.

    Returns
    -------
    LaplacePosterior

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LogisticRegression
    >>> from corollary.linear.logistic.laplace import laplace
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    >>> model = LogisticRegression(tol=1e-10).fit(X, y)
    >>> posterior = laplace(model, X, y)
    >>> far = np.array([[5.0]])
    >>> model.predict_proba(far)[0, 1] > posterior.predict_proba(far)[0, 1] > 0.5
    np.True_
    """
    check_is_fitted(model)
    m, d = model.coef_.shape
    size = m * (d + 1)
    what, remedy = f"the {size} x {size} covariance", "Use fewer columns."
    check_memory("laplace", 24.0 * size * size, what, remedy)
    data = Data(model, open_source(model, X, y, sample_weight, reset=False))
    if data.once:
        must = "rows must come from data that can be read again"
        raise DataError(sentence("laplace", must, data.source.described))
    try:
        weights = class_weights(model, data)
        mean = data.reduce(columns).mean
        W = model.coef_.astype(np.float64)
        at_mean = model.intercept_ + W @ mean if model.fit_intercept else np.zeros(m)
        mean = mean if model.fit_intercept else np.zeros(d)
        theta = np.column_stack([W, at_mean])
        loss = CrossEntropy(len(model.classes_), weights)
        b = at_mean - W @ mean
        H = data.reduce(partial(hessian, loss=loss, W=W, b=b, mean=mean)).H
    finally:
        data.executor.close()
    inverse_variance = 0.0 if model.penalty is None else 1.0 / model.C
    H = H + np.diag(np.tile(np.append(np.full(d, inverse_variance), 0.0), m))
    if not model.fit_intercept:
        absent = np.arange(1, m + 1) * (d + 1) - 1
        H[absent], H[:, absent] = 0.0, 0.0
    return LaplacePosterior(model.classes_, theta, pseudo_inverse(H), mean)


def columns(chunk: Chunk) -> Variances:
    """Take the means of the columns."""
    return Variances.of(chunk.X, chunk.w)


def hessian(
    chunk: Chunk, loss: CrossEntropy, W: Floats, b: Floats, mean: Floats
) -> Sums:
    """Sum (1) over a chunk, the prior left out, in float64."""
    chunk = replace(chunk, X=chunk.X.astype(np.float64, copy=False))
    return loss.sums(chunk, W, b, mean, "full")


def pseudo_inverse(H: Floats) -> Floats:
    """Invert on the directions that the scores depend on: a shift of all is none."""
    scale = np.sqrt(np.where(np.diagonal(H) > 0, np.diagonal(H), 1.0))
    values, V = eigh(H / np.outer(scale, scale))
    keep = values > 1e-10 * values[-1]
    V = V[:, keep] / scale[:, None]
    return np.asarray((V / values[keep]) @ V.T)


def averaged_sigmoid(m: Floats, s: Floats) -> Floats:
    """Return (2) for means m and deviations s, by the trapezoidal rule.

    >>> averaged_sigmoid(np.array([1.0, 1.0]), np.array([0.0, 1e6])).round(4).tolist()
    [0.7311, 0.5]
    """
    found = np.empty(len(m))
    density = np.exp(-(GAUSS**2) / 2)
    logistic = expit(LOGISTIC) * expit(-LOGISTIC)
    for a in range(0, len(m), ROWS):
        rows = slice(a, a + ROWS)
        mu, sd = m[rows, None], s[rows, None]
        narrow = expit(mu + sd * GAUSS) @ (density / density.sum())  # (2)
        wide = ndtr((mu - LOGISTIC) / np.maximum(sd, 1.0))  # (3)
        found[rows] = np.where(sd[:, 0] < 1, narrow, wide @ (logistic / logistic.sum()))
    return found
