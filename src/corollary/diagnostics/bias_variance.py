"""Noise, bias and variance of a learner, from data alone.

Also known as: bias-variance decomposition, Domingos' decomposition, out-of-bag bias and
variance.

Over samples that a learner is fitted to, and over a new y at x,

    squared loss   E (y - g)^2 = noise + (E g - f)^2 + Var g                     (1)

with f = E y.  Under 0-1 loss let y* be the most probable label at x, g* the one that
most samples predict.  With N = Pr[y != y*], B = 1{g* != y*}, V = Pr[g != g*],

    E 1{y != g} = c1 N + B + c2 V                                                (2)
    c1 = Pr[g = y*] - Pr[g != y*] Pr[y = g | g != y*, y != y*]
    c2 = 1 where B = 0,  else  -Pr[g = y* | g != g*]

exactly, at every point (Domingos 2000).  Where the learner is biased, variance helps:
for two classes c2 = -1.

Where the truth is known samples are drawn from it (`bias_variance_simulation`).  Here
they are drawn from the rows with repetition, and each row is predicted by the models
that did not draw it.  One y at each x does not tell noise from bias: unless the noise
is given they stay together, and the bias is an upper bound.  With c predictions
d_b = g_b - y of a row, mean d and V their variance with c - 1,

    mean_b d_b^2  =  (d^2 - V/c)  +  V                                           (3)
                      bias^2 + noise  variance

adds up exactly, and both parts are without bias of their own.  The samples have as many
rows as the data, 63 % of them distinct, so the variance is a little above that of a fit
to all rows.

Notation: g predicted; y label or number; N noise, B bias, V variance under 0-1 loss.
Course: S3-96. References: Geman, Bienenstock, Doursat (1992); Domingos (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.randomness import generator
from corollary.core.warn import gathered_warnings
from corollary.selection.validation_data import check_model, fitted, given_rows
from corollary.theory.draws import seed_of

__all__ = ["BiasVariance", "bias_variance_decomposition", "label_parts"]


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Parts of the expected loss at some points; they add up to it.

    Attributes
    ----------
    loss : {'squared', 'error'}
    noise, bias, variance : arrays of shape (k,)
        The terms of (1), the bias squared, or of (2), with their signs.
    error : array of shape (k,)
        The loss as measured at each point.
    error_se : float
        Standard error of its mean that is due to new labels; 0 where none were drawn.
    spread : array of shape (k,)
        Var g, or V: how often a sample changes the answer.
    n_draws : int
        Samples.
    noise_known : bool
        If not, the bias contains the noise.
    """

    loss: str
    noise: Floats
    bias: Floats
    variance: Floats
    error: Floats
    error_se: float
    spread: Floats
    n_draws: int
    noise_known: bool

    @property
    def total(self) -> Floats:
        """The sum of the three terms at each point."""
        return self.noise + self.bias + self.variance

    @property
    def means(self) -> dict[str, float]:
        """The three terms, on average over the points."""
        parts = ("noise", "bias", "variance")
        return {name: float(getattr(self, name).mean()) for name in parts}

    @property
    def largest(self) -> str:
        """The term that is largest on average."""
        means = self.means
        return max(means, key=lambda name: means[name])

    @property
    def advice(self) -> str:
        """What to do about the largest term."""
        words = {
            "noise": "Most of the loss is noise: better labels or new features, no "
            "other model, will lower it.",
            "bias": "Most of the loss is bias: a richer model, more features or a "
            "weaker penalty will lower it, more rows will not.",
            "variance": "Most of the loss is variance: more rows, a stronger penalty, "
            "fewer features or an average of models will lower it.",
        }
        if not self.error.any():
            return "There is no loss that could be lowered."
        if self.largest == "bias" and not self.noise_known:
            text = "Most of the loss is bias or noise, which one y at each x does not "
            return text + "tell apart: a richer model lowers the one, not the other."
        return words[self.largest]

    def __str__(self) -> str:
        name = "bias" if self.noise_known else "bias and noise"
        lines = [
            f"{self.loss} loss at {len(self.error)} points, {self.n_draws} samples"
        ]
        for part, value in self.means.items():
            if part == "noise" and not self.noise_known:
                continue
            lines.append(f"  {name if part == 'bias' else part:<15} {value:.6g}")
        lines.append(f"  {'their sum':<15} {float(self.total.mean()):.6g}")
        doubt = f" +- {self.error_se:.2g}" if self.error_se else ""
        lines.append(f"  {'measured':<15} {float(self.error.mean()):.6g}{doubt}")
        return "\n".join([*lines, self.advice])

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean terms as bars, beside the measured loss.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        parts = self.means
        if not self.noise_known:
            parts = {"bias and noise": parts["bias"], "variance": parts["variance"]}
        measured = float(self.error.mean())
        ax.bar(list(parts), list(parts.values()))
        ax.bar(["measured"], [measured], yerr=self.error_se, color="grey")
        ax.set_ylabel(f"mean {self.loss} loss")
        return ax


def bias_variance_decomposition(
    model: Any,
    X: Any,
    y: Any,
    *,
    noise: float | None = None,
    n_draws: int = 50,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> BiasVariance:
    """Measure bias and variance of a model from data, by samples with repetition (3).

    Parameters
    ----------
    model : classifier, regressor or pipeline
        Cloned for every fit; 0-1 loss for classifiers, squared loss for regressors.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    noise : float, optional
        Variance of y given x, or the share of labels that are not the most probable
        one, if it is known; otherwise the bias contains it.
    n_draws : int, default=50
        Samples.
    sample_weight : array of shape (n,), optional
        For the fits.
    random_state : None, int, RandomState or Generator, default=0

    Returns
    -------
    BiasVariance
        Its points are the rows that at least two models did not draw.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeRegressor, LinearRegression
    >>> from corollary.diagnostics import bias_variance_decomposition
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> line = bias_variance_decomposition(LinearRegression(), X, y)
    >>> tree = bias_variance_decomposition(DecisionTreeRegressor(), X, y)
    >>> line.means["variance"] < 0.1 < tree.means["variance"]
    True
    """
    who = "bias_variance_decomposition"
    check_model(who, model)
    given = given_rows(who, model, X, y, sample_weight, least=5)
    if given.y.ndim > 1:
        raise DataError(sentence(who, "y must be one column", f"{given.y.shape}"))
    for name, value, rule in (
        ("n_draws", n_draws, whole(2)),
        ("noise", 0.0 if noise is None else noise, real(0)),
    ):
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(who, must, shown(value)))
    seed, n = seed_of(who, random_state), given.n
    wide = 2 if given.classes is None else len(given.classes)
    sums, count = np.zeros((n, wide)), np.zeros(n)
    for b in range(int(n_draws)):
        drawn = generator(seed, 96, b).integers(n, size=n)
        out = np.setdiff1d(np.arange(n), drawn)
        if not len(out):
            continue
        with gathered_warnings():
            one = fitted(who, model, given.some(drawn))
            g = np.asarray(one.predict(given.some(out).X)).reshape(len(out), -1)[:, 0]
        count[out] += 1
        if given.classes is None:
            d = g - given.y[out]
            sums[out] += np.column_stack([d, d * d])
        else:
            sums[out, np.searchsorted(given.classes, g)] += 1
    often = count >= 2
    if not often.any():
        must = "n_draws must leave rows out at least twice"
        raise ParameterError(sentence(who, must, f"{n_draws}", "Draw more samples."))
    means = sums[often] / count[often, None]
    level = 0.0 if noise is None else float(noise)
    known = noise is not None
    if given.classes is None:
        return _of_numbers(means, count[often], level, int(n_draws), known)
    return _of_labels(means, given.codes[often], level, int(n_draws), known)


def _of_numbers(
    means: Floats, c: Floats, noise: float, n_draws: int, known: bool
) -> BiasVariance:
    """Return (3), from the mean of d and of its square."""
    d, squares = means.T
    V = np.maximum(squares - d**2, 0.0) * c / (c - 1)
    level = np.full(len(d), noise)
    bias = squares - V - level
    return BiasVariance("squared", level, bias, V, squares, 0.0, V, n_draws, known)


def _of_labels(
    q: Floats, codes: Vector, noise: float, n_draws: int, known: bool
) -> BiasVariance:
    """Return (2) with the given labels for the most probable ones."""
    p = np.eye(q.shape[1])[codes]
    _, bias, variance, spread = label_parts(p, q)
    level = np.full(len(q), noise)
    error = 1 - q[np.arange(len(q)), codes]
    rest = bias - level  # a wrong label looks like a bias
    return BiasVariance(
        "error", level, rest, variance, error, 0.0, spread, n_draws, known
    )


def label_parts(p: Floats, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return c1 N, B, c2 V and V of (2), from the laws of y and of g at each point.

    >>> p, q = np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]])
    >>> noise, bias, variance, _ = label_parts(p, q)
    >>> [round(float(x[0]), 3) for x in (noise, bias, variance)]
    [-0.06, 1.0, -0.2]
    >>> float(noise[0] + bias[0] + variance[0])  # Pr[y != g] = 0.9 0.8 + 0.1 0.2
    0.74
    """
    every = np.arange(len(p))
    best, main = p.argmax(axis=1), q.argmax(axis=1)
    N, V = 1 - p[every, best], 1 - q[every, main]
    biased = (best != main).astype(np.float64)
    hit = q[every, best]  # Pr[g = y*]
    same = (p * q).sum(axis=1) - p[every, best] * hit  # Pr[y = g, both not y*]
    c1_noise = hit * N - same  # c1 N, whatever N is
    variance = np.where(biased > 0, -hit, V)  # c2 V
    return c1_noise, biased, variance, V
