"""Generative or discriminative: how many rows until logistic regression catches up.

Also known as: LDA versus logistic regression, GDA versus logistic regression.

Linear discriminant analysis maximises the joint likelihood of (x, y), logistic
regression the likelihood of y given x.  Both draw a line between two classes:

    P(y = 1 | x) = 1 / (1 + e^-(w'x + b))                                        (1)

Gaussian classes with one covariance imply (1), and then the first needs fewer rows (in
the worst case about 30% fewer, asymptotically).  Many other classes imply (1) too
(Poisson ones, any one exponential family), so the converse is false: where they are not
Gaussian, or one row is far out, the second errs less.  A shrinkage penalty would help
either on few rows; here both go nearly without.

Course: S4-40. References: Efron (1975); Ng and Jordan (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_X, encode_labels
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import entropy, generator
from corollary.discriminants.linear_discriminant_analysis import (
    LinearDiscriminantAnalysis,
)
from corollary.linear.logistic_regression import LogisticRegression

__all__ = ["Comparison", "generative_or_discriminative"]

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
    """

    sizes: Any
    generative: Floats
    discriminative: Floats
    difference: Floats
    standard_error: Floats

    @property
    def advice(self) -> str:
        """Say which to use at the largest size."""
        gap, doubt = self.difference[-1], 2 * self.standard_error[-1]
        if gap < -doubt:
            return "generative: the classes look Gaussian enough for LDA to gain by it"
        if gap > doubt:
            return "discriminative: logistic regression errs less on these classes"
        return "either: they cannot be told apart on this many rows"

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
    )


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
