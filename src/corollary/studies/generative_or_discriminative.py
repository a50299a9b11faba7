"""Generative or discriminative: how many rows until logistic regression catches up.

Also known as: LDA versus logistic regression, GDA versus logistic regression, LDA vs
logistic.

Linear discriminant analysis maximises the joint likelihood of (x, y), logistic
regression the likelihood of y given x.  Both draw a line between two classes:

    P(y = 1 | x) = 1 / (1 + e^-(w'x + b))                                        (1)

Gaussian classes with one covariance imply (1), and then the first needs fewer rows (in
the worst case about 30% fewer, asymptotically).  Many other classes imply (1) too
(Poisson ones, any one exponential family), so the converse is false: where they are not
Gaussian, or one row is far out, the second errs less.  For Gaussian classes at
Mahalanobis distance D, in shares pi and 1 - pi, the rows that LDA needs for every row
of logistic regression, for the same error in the direction of the line, tend to

    (1 + D^2 pi (1 - pi)) e^(-D^2/8) E[1 / (pi e^(D Z/2) + (1 - pi) e^(-D Z/2))] (2)

with Z standard normal: 0.90 at D = 2, 0.64 at D = 3, where the classes hardly overlap.
A shrinkage penalty would help either on few rows; here both go nearly without.  Where
a comparison cannot tell them apart, the number of rows m decides for d features:

    m > 10 d: logistic regression, as it assumes less;   otherwise LDA           (3)

Course: S4-40, S2-19. References: Efron (1975); Ng and Jordan (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_X, encode_labels
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.discriminants.linear_discriminant_analysis import (
    LinearDiscriminantAnalysis,
)
from corollary.linear.logistic.logistic_regression import LogisticRegression

__all__ = [
    "Comparison",
    "Influence",
    "generative_or_discriminative",
    "outlier_influence",
    "relative_efficiency",
]

ROWS_A_FEATURE = 10  # of (3)
WEAK = 100.0  # a penalty that only keeps separable samples from running away


@dataclass(frozen=True)
class Comparison:
    """Held-out error of both methods against the number of training rows.

    Attributes
    ----------
    sizes : array of shape (m,)
    generative, discriminative : arrays of shape (m,)
        Mean error of linear discriminant analysis, and of logistic regression.
    difference, standard_error : arrays of shape (m,)
        Mean of the paired differences (generative - discriminative), and its error.
    n_features : int
        d.
    """

    sizes: Any
    generative: Floats
    discriminative: Floats
    difference: Floats
    standard_error: Floats
    n_features: int

    @property
    def advice(self) -> str:
        """Say which to use at the largest size."""
        gap, doubt = self.difference[-1], 2 * self.standard_error[-1]
        if gap < -doubt:
            return "generative: the classes look Gaussian enough for LDA to gain by it"
        if gap > doubt:
            return "discriminative: logistic regression errs less on these classes"
        tie = "they cannot be told apart on this many rows"
        if self.sizes[-1] > ROWS_A_FEATURE * self.n_features:  # (3)
            return f"discriminative: {tie}, more than 10 a feature: assume less"
        return f"generative: {tie}, at most 10 a feature: assumptions help"

    def __str__(self) -> str:
        rows = zip(self.sizes, self.generative, self.discriminative, strict=True)
        lines = ["rows   LDA     logistic regression"]
        lines += [f"{n:<6} {a:<7.4f} {b:.4f}" for n, a, b in rows]
        return "\n".join([*lines, f"advice: {self.advice}"])


def generative_or_discriminative(
    X: Any,
    y: Any,
    sizes: Sequence[int] | None = None,
    repeats: int = 20,
    random_state: Any = 0,
) -> Comparison:
    """Compare LDA with logistic regression on growing samples of the rows.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels.
    sizes : sequence of int, optional
        Training rows; by default five sizes from 3 d up to half of the rows.  The
        rows that are not drawn are the test.
    repeats : int, default=20
        Draws for each size; both methods see the same rows.
    random_state : None, int or Generator

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=600)
    >>> X = rng.normal(size=(600, 3)) + y[:, None]
    >>> found = generative_or_discriminative(X, y, sizes=[20, 200], repeats=5)
    >>> found.sizes.tolist(), bool((found.generative < 0.3).all())
    ([20, 200], True)
    """
    who = "generative_or_discriminative"
    model = LinearDiscriminantAnalysis()
    X = check_X(model, X, reset=True, sparse=False)
    labels, codes = encode_labels(model, y, len(X))
    if len(labels) != 2:
        raise DataError(sentence(who, "y must have two labels", f"{len(labels)}"))
    n, d = X.shape
    usual = np.geomspace(min(3 * d, n // 2), n // 2, 5)
    chosen = np.unique(np.asarray(usual if sizes is None else sizes, dtype=int))
    if chosen.size == 0 or chosen.min() < 4 or chosen.max() >= n:
        must = f"sizes must be at least 4 and below the number of rows = {n}"
        raise DataError(sentence(who, must, f"{chosen.tolist()}"))
    seed = entropy(random_state)
    errors = np.array(
        [
            [_errors(X, codes, size, generator(seed, size, r)) for r in range(repeats)]
            for size in chosen.tolist()
        ]
    )  # (m, repeats, 2)
    gaps = errors[:, :, 0] - errors[:, :, 1]
    mean = errors.mean(axis=1)
    spread = gaps.std(axis=1, ddof=1) / np.sqrt(repeats) if repeats > 1 else np.inf
    return Comparison(
        chosen,
        mean[:, 0],
        mean[:, 1],
        gaps.mean(axis=1),
        np.broadcast_to(spread, len(chosen)),
        d,
    )


@dataclass(frozen=True)
class Influence:
    """How far one row turns the lines of both methods, and what that costs.

    Attributes
    ----------
    generative, discriminative : float
        Angle in degrees between the normals with and without the row, of linear
        discriminant analysis and of logistic regression.
    generative_error, discriminative_error : float
        Error on the other rows of the fit that saw the row.
    """

    generative: float
    discriminative: float
    generative_error: float
    discriminative_error: float

    def __str__(self) -> str:
        lines = ["method                turned by   error on the other rows"]
        named = (
            ("LDA", self.generative, self.generative_error),
            ("logistic regression", self.discriminative, self.discriminative_error),
        )
        lines += [f"{name:<21} {angle:<11.3g} {e:.4f}" for name, angle, e in named]
        return "\n".join(lines)


def outlier_influence(X: Any, y: Any, outlier: Any, label: Any) -> Influence:
    """Add one row, and see how far the lines of LDA and logistic regression turn.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels.
    outlier : array of shape (d,)
        The row.
    label : one of the labels
        Its class.

    Returns
    -------
    Influence

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 2)) + 2 * np.outer(y, [1, 0])
    >>> found = outlier_influence(X, y, [60.0, 60.0], 1)
    >>> found.generative > 10 * found.discriminative
    True
    """
    who, model = "outlier_influence", LinearDiscriminantAnalysis()
    X = check_X(model, X, reset=True, sparse=False)
    labels, codes = encode_labels(model, y, len(X))
    row = np.asarray(outlier, dtype=X.dtype).reshape(-1)
    if len(labels) != 2 or label not in labels:
        must = "y must have two labels, one of which the outlier has"
        raise DataError(sentence(who, must, f"{list(labels)} and {label!r}"))
    if row.shape != X.shape[1:] or not np.isfinite(row).all():
        must = f"outlier must be {X.shape[1]} finite numbers"
        raise DataError(sentence(who, must, f"{row.tolist()}"))
    with_X = np.vstack([X, row])
    with_y = np.append(codes, int(np.flatnonzero(labels == label)[0]))
    angles, errors = [], []
    models: tuple[Any, ...] = (LinearDiscriminantAnalysis(), LogisticRegression(C=WEAK))
    for either in models:
        before = either.fit(X, codes).coef_[0].copy()
        after = either.fit(with_X, with_y).coef_[0]
        cosine = before @ after / (np.linalg.norm(before) * np.linalg.norm(after))
        angles.append(float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))))
        errors.append(float(1 - either.score(X, codes)))
    return Influence(*angles, *errors)


def relative_efficiency(distance: float, prior: float = 0.5) -> float:
    """Return (2), the efficiency of logistic regression between Gaussian classes.

    Parameters
    ----------
    distance : float
        Mahalanobis distance D between the means.
    prior : float, default=0.5
        Share of one class.

    Returns
    -------
    float
        In (0, 1]: LDA does with this share of the rows.

    Examples
    --------
    >>> round(relative_efficiency(2.0), 3), round(relative_efficiency(3.0), 3)
    (0.899, 0.641)
    """
    if not (0 <= distance < np.inf and 0 < prior < 1):
        must = "distance must be >= 0 and prior in (0, 1)"
        came = f"{distance!r} and {prior!r}"
        raise ParameterError(sentence("relative_efficiency", must, came))
    z, weights = np.polynomial.hermite_e.hermegauss(200)
    up, down = np.log(prior) + distance * z / 2, np.log1p(-prior) - distance * z / 2
    expectation = weights @ np.exp(-np.logaddexp(up, down)) / np.sqrt(2 * np.pi)
    spread = 1 + distance**2 * prior * (1 - prior)
    return float(spread * np.exp(-(distance**2) / 8) * expectation)


def _errors(
    X: Floats, y: Any, size: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Fit both to the same rows, with two of each class at least; test on the rest."""
    order = rng.permutation(len(y))
    first = [i for c in (0, 1) for i in order[y[order] == c][:2]]
    rest = order[~np.isin(order, first)]
    train = np.concatenate([first, rest[: size - len(first)]]).astype(int)
    test = rest[size - len(first) :]
    models = (LinearDiscriminantAnalysis(), LogisticRegression(C=WEAK))
    scores = [m.fit(X[train], y[train]).score(X[test], y[test]) for m in models]
    return 1 - scores[0], 1 - scores[1]
