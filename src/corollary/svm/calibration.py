"""From scores to probabilities: Platt's sigmoid, a monotone step, and their coupling.

Also known as: Platt scaling, isotonic calibration, pairwise coupling.

A score g of a machine says which class, not how sure.  On scores of rows that the
machine has not seen, with t_i = 1 for the positive class, fit

    P(t = 1 | g) = 1 / (1 + exp(A g + B))                                        (1)
    minimise  - sum_i w_i [t'_i log p_i + (1 - t'_i) log (1 - p_i)]              (2)
    t'_i = (n_+ + 1) / (n_+ + 2)  if t_i = 1,   1 / (n_- + 2)  otherwise         (3)

(3) is what n_+ and n_- rows of a class teach with one doubt on each side, and keeps A
finite where scores separate the classes.  (2) is convex: Newton's method with step
halving.  Isotonic calibration instead takes the monotone function of g that is closest
to t in squares, and joins its steps by lines.

K classes have a probability r_ab = P(a | a or b) for each pair.  The p that is most
consistent with all of them solves

    minimise  sum_a sum_{b != a} (r_ba p_a - r_ab p_b)^2,     sum_a p_a = 1      (4)
    [ Q  1 ] [p ]   [0]       Q_aa = sum_{b != a} r_ba^2
    [ 1' 0 ] [mu] = [1]       Q_ab = - r_ba r_ab                                 (5)

For two classes (5) gives back p = r.

Folds.  The scores are cross-fitted: of each class the distinct rows, in an order drawn
from their content, go round the folds, so that a row given twice is one of weight 2.

References: Platt (1999); Lin, Lin and Weng (2007); Zadrozny and Elkan (2002); Wu, Lin
and Weng (2004), second method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import row_keys
from corollary.core.records import readable
from corollary.discriminants.intercept import scores_of

__all__ = [
    "couple",
    "fit_isotonic",
    "fit_platt",
    "folds",
    "isotonic",
    "platt",
    "sigmoid",
    "steps",
]

FOLDS = 5
NEWTON = 100  # steps; ten do
SURE = 1e-7  # least probability of a pair
BLOCK = 4096  # rows whose systems (5) are solved at a time


def folds(X: Matrix, y: Vector, seed: int) -> Vector:
    """Return the fold of each row: every class is spread over all of them."""
    keys, fold = row_keys(X, seed), np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        of = y == label
        fold[of] = np.unique(keys[of], return_inverse=True)[1] % FOLDS
    return fold


@readable
class PlattSigmoid(NamedTuple):
    """The sigmoid (1) of a score: call it on scores for probabilities."""

    A: float
    B: float

    def __call__(self, scores: Any) -> Floats:
        """Return the probability of the positive class for each score."""
        return sigmoid(np.asarray(scores, dtype=np.float64), self.A, self.B)


def platt(scores: Any, y: Any, sample_weight: Any = None) -> PlattSigmoid:
    """Fit the sigmoid (1) that turns scores into probabilities.

    Parameters
    ----------
    scores : array of shape (n,)
        Of any classifier, on rows that it has not seen.
    y : array of shape (n,)
        Two labels; the larger one is the positive class.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    PlattSigmoid
        A tuple of `A` and `B`; called on scores it gives probabilities.

    Examples
    --------
    >>> from corollary.svm import platt
    >>> probability = platt([-2.0, -1.0, 1.0, 2.0], ["no", "no", "yes", "yes"])
    >>> probability([-1.0, 0.0, 1.0]).round(4).tolist()
    [0.3376, 0.5, 0.6624]
    """
    return fit_platt(*scores_of("platt", scores, y, sample_weight))


def fit_platt(g: Floats, t: Vector, w: Floats) -> PlattSigmoid:
    """Fit (1) to scores g of rows with t true or false and weights w."""
    n_pos, n_neg = float(w[t].sum()), float(w[~t].sum())
    goal = np.where(t, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))  # (3)
    scale = float(np.abs(g).max(initial=0.0)) or 1.0
    z = np.column_stack([g / scale, np.ones(len(g))])  # u = z theta, p = expit(-u)
    theta = np.array([0.0, np.log((n_neg + 1) / (n_pos + 1))])

    def loss(theta: Floats) -> float:
        u = z @ theta
        return float(w @ (np.logaddexp(0.0, u) - (1 - goal) * u))  # (2)

    value = loss(theta)
    for _ in range(NEWTON):
        p = expit(-(z @ theta))
        slope = z.T @ (w * (goal - p))
        if np.abs(slope).max() <= 1e-12 * w.sum():
            break
        H = (z.T * (w * p * (1 - p))) @ z + 1e-12 * np.eye(2)
        step, length = np.linalg.solve(H, slope), 1.0
        while length > 1e-10 and loss(theta - length * step) > value:
            length /= 2
        theta = theta - length * step
        fallen, value = value - loss(theta), loss(theta)
        if fallen <= 1e-15 * abs(value):
            break
    return PlattSigmoid(float(theta[0] / scale), float(theta[1]))


def sigmoid(g: Floats, A: float, B: float) -> Floats:
    """Return (1)."""
    return expit(-(A * g + B))


@readable
@dataclass(frozen=True)
class MonotoneSteps:
    """A rising function of a score, through its corners; call it on scores."""

    corners: Floats  # (m, 2): score and probability

    def __call__(self, scores: Any) -> Floats:
        """Return the probability of the positive class for each score."""
        return steps(np.asarray(scores, dtype=np.float64), self.corners)


def isotonic(scores: Any, y: Any, sample_weight: Any = None) -> MonotoneSteps:
    """Fit the closest rising function that turns scores into probabilities.

    Parameters
    ----------
    scores : array of shape (n,)
        Of any classifier, on rows that it has not seen.
    y : array of shape (n,)
        Two labels; the larger one is the positive class.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    MonotoneSteps
        Its `corners` (m, 2); called on scores it gives probabilities.

    Examples
    --------
    >>> from corollary.svm import isotonic
    >>> probability = isotonic([1.0, 2.0, 3.0], [0, 1, 1])
    >>> probability.corners.tolist(), probability([0.0, 1.5]).tolist()
    ([[1.0, 0.0], [2.0, 1.0], [3.0, 1.0]], [0.0, 0.5])
    """
    return MonotoneSteps(fit_isotonic(*scores_of("isotonic", scores, y, sample_weight)))


def fit_isotonic(g: Floats, t: Vector, w: Floats) -> Floats:
    """Return the corners (m, 2) of the closest rising function."""
    at, place = np.unique(g, return_inverse=True)
    weight = np.bincount(place, w)
    share = np.bincount(place, w * t) / weight
    fit = isotonic_regression(share, weights=weight).x
    corner = np.ones(len(at), dtype=bool)  # the inside of a step needs no corner
    corner[1:-1] = (fit[1:-1] != fit[:-2]) | (fit[1:-1] != fit[2:])
    return np.column_stack([at[corner], fit[corner]])


def steps(g: Floats, corners: Floats) -> Floats:
    """Return the monotone function at g, constant beyond its ends."""
    return np.interp(g, corners[:, 0], corners[:, 1])


def sound(values: Any) -> bool:
    """Tell whether learned numbers are an array of finite ones."""
    array = np.asarray(values)
    return array.dtype.kind == "f" and bool(np.isfinite(array).all())


def rising(corners: Floats) -> bool:
    """Tell whether these are corners (m, 2) of a function, from left to right."""
    table = corners.ndim == 2 and corners.shape[1] == 2 and len(corners) > 0
    return table and bool((np.diff(corners[:, 0]) > 0).all())


def couple(R: Any) -> Floats:
    """Join the probabilities of pairs of classes by (5).

    Parameters
    ----------
    R : array of shape (n, K, K)
        R[:, a, b] = P(a | a or b); the diagonal does not matter.

    Returns
    -------
    array of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.svm import couple
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> np.allclose(couple(p[:, None] / (p[:, None] + p)[None]), p)
    True
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim != 3 or R.shape[1] != R.shape[2]:
        must = "R must be of shape (n, K, K)"
        raise DataError(sentence("couple", must, f"{R.shape}"))
    n, K = R.shape[:2]
    P = np.empty((n, K))
    target = np.zeros((1, K + 1, 1))
    target[0, K] = 1.0
    diagonal = np.arange(K)
    for first in range(0, n, BLOCK):
        r = np.clip(R[first : first + BLOCK], SURE, 1 - SURE)
        r[:, diagonal, diagonal] = 0.0
        A = np.ones((len(r), K + 1, K + 1))
        A[:, :K, :K] = -r.transpose(0, 2, 1) * r
        A[:, diagonal, diagonal] = (r**2).sum(axis=1)
        A[:, K, K] = 0.0
        P[first : first + BLOCK] = np.linalg.solve(A, target)[:, :K, 0]
    P = np.clip(P, np.finfo(np.float64).tiny, None)
    return P / P.sum(axis=1, keepdims=True)
