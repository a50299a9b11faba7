"""The Bayes error and the Bayes risk: the best that any rule can do.

Also known as: irreducible error, Bayes rate, minimum error rate, Cover-Hart bound.

For known class densities p(x | j) and priors pi_j no rule has a smaller risk than

    R* = integral min_i sum_j Lambda_ij pi_j p(x | j) dx                         (1)

which for 0/1 loss is the Bayes error E* = integral (1 - max_j P(j | x)) p(x) dx, at
most 1 - 1/k.  Three routes:

    table       exact: a sum over the finitely many x                            (2)
    quadrature  one or two dimensions: Gauss-Lobatto on cells, a cell halved along
                every axis until its halves tell nothing new; the integrand bends
                only where decisions change, so only those cells get small.  The
                corners are nodes, so that no bend hides beside them             (3)
    sampling    any dimension: x drawn from each class, the least conditional risk
                averaged, with its standard error                                (4)

Where densities are unknown, the error E of the nearest neighbour brackets E*: with ever
more rows (Cover and Hart)

    E* <= E <= E* (2 - k E* / (k - 1)),  so
    (k - 1)/k (1 - sqrt(1 - k E / (k - 1))) <= E* <= E                           (5)

Course: S1-3, S3-10, S3-45.
References: Duda, Hart, Stork (2001), 2.2 and 4.5; Cover and Hart (1967).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import beta

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.decisions.decision_rules import posterior
from corollary.decisions.line_regions import LogDensity, log_densities_at
from corollary.decisions.probabilities import check_distribution, check_loss

__all__ = [
    "BayesRisk",
    "Bracket",
    "Excess",
    "bayes_risk_by_quadrature",
    "bayes_risk_by_sampling",
    "bayes_risk_of_table",
    "cover_hart",
    "excess_error",
]

LEGENDRE = np.polynomial.legendre.Legendre.basis(6)
NODES = np.concatenate([[-1.0], LEGENDRE.deriv().roots().real, [1.0]])
WEIGHTS = 2 / (42 * LEGENDRE(NODES) ** 2)  # Gauss-Lobatto, 7 nodes on [-1, 1]
MOST_CELLS = 400_000
UNDERSTATED = 20  # a bend near a node changes a cell less than it costs


@dataclass(frozen=True)
class BayesRisk:
    """The least risk, and how uncertain the number itself is."""

    value: float
    error: float  # bound of quadrature, standard error of sampling, 0 for a table
    method: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        about = {
            "table": "exact",
            "quadrature": f"quadrature, to about {self.error:.1g}",
            "sampling": f"sampling, standard error {self.error:.2g}",
        }
        return f"Bayes risk {self.value:.6g} ({about[self.method]})"


# -- known densities ---------------------------------------------------------------
def bayes_risk_of_table(joint: Any, loss: Any = None) -> BayesRisk:
    """Return the Bayes risk of a finite table (2).

    Parameters
    ----------
    joint : array of shape (k, v)
        Probabilities, or counts, of each class (row) with each value (column).
    loss : array of shape (a, k), optional
        By default 0/1, and the risk is the Bayes error.

    Returns
    -------
    BayesRisk

    Examples
    --------
    >>> print(bayes_risk_of_table([[2, 5, 4, 2, 1], [0, 0, 3, 3, 2]]))
    Bayes risk 0.272727 (exact)
    """
    who = "bayes_risk_of_table"
    table = np.asarray(joint, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or table.min(initial=0) < 0:
        must = "joint must be a table of finite numbers >= 0"
        raise DataError(sentence(who, must, f"shape {table.shape}"))
    if table.sum() == 0:
        raise DataError(sentence(who, "joint must hold some weight", "zeros alone"))
    risk = check_loss(who, loss, len(table)) @ (table / table.sum())
    return BayesRisk(float(risk.min(axis=0).sum()), 0.0, "table")


def bayes_risk_by_quadrature(
    log_densities: Sequence[LogDensity],
    prior: Any,
    span: Any,
    loss: Any = None,
    *,
    tol: float = 1e-7,
) -> BayesRisk:
    """Return the Bayes risk of known densities on a line or in the plane (3).

    Parameters
    ----------
    log_densities : sequence of functions
        log p(x | class) of an array of points, (n,) on a line and (n, 2) in the plane,
        one function for each class.
    prior : array of shape (k,)
    span : pair of float, or two pairs
        The interval, or the rectangle, that holds the mass of every class.
    loss : array of shape (a, k), optional
        By default 0/1, and the risk is the Bayes error.
    tol : float
        Error to aim at.

    Returns
    -------
    BayesRisk

    Examples
    --------
    >>> from scipy.stats import norm
    >>> salmon, bass = norm(5, 1).logpdf, norm(10, 2).logpdf
    >>> risk = bayes_risk_by_quadrature([salmon, bass], [0.5, 0.5], (-15, 35))
    >>> round(risk.value, 5)
    0.0446
    """
    who = "bayes_risk_by_quadrature"
    pi = check_distribution(who, prior, len(log_densities), "prior")
    Lambda = check_loss(who, loss, len(pi))
    box = np.atleast_2d(np.asarray(span, dtype=np.float64))
    if box.shape not in ((1, 2), (2, 2)) or not np.isfinite(box).all():
        must = "span must be one or two pairs of finite numbers"
        remedy = "Use bayes_risk_by_sampling in more dimensions."
        raise ParameterError(sentence(who, must, f"shape {box.shape}", remedy))
    if (box[:, 0] >= box[:, 1]).any():
        must = "span must have the smaller number first"
        raise ParameterError(sentence(who, must, f"{box.tolist()}"))

    def integrand(points: Floats) -> Floats:
        x = points[:, 0] if len(box) == 1 else points
        joint = np.exp(log_densities_at(log_densities, x)) * pi
        return np.column_stack([(joint @ Lambda.T).min(axis=1), joint])

    total, error = _adaptive(integrand, box, tol)
    mass = total[1:]
    gone = float(np.abs(mass - pi).max())
    if gone > 1e-4:
        c = int(np.abs(mass - pi).argmax())
        must = "span must hold the mass of every class, and densities integrate to 1"
        came = f"{mass[c] / pi[c] if pi[c] else 0:.4g} for class {c}"
        raise DataError(sentence(who, must, came, "Widen the span."))
    return BayesRisk(float(total[0]), max(error, gone), "quadrature")


def _adaptive(
    f: Callable[[Floats], Floats], box: Floats, tol: float
) -> tuple[Floats, float]:
    """Integrate the columns of f over a box, halving cells where column 0 bends (3)."""
    d = len(box)
    parts = 64 if d == 1 else 24
    edges = [np.linspace(low, high, parts + 1) for low, high in box]
    low = np.array(list(product(*(e[:-1] for e in edges))))  # (cells, d)
    size = (box[:, 1] - box[:, 0]) / parts
    halves = np.array(list(product((0.0, 0.5), repeat=d)))
    whole = _on_cells(f, low, size)
    total, error, cells = np.zeros(whole.shape[1]), 0.0, len(low)
    for _ in range(60):
        size = size / 2
        children = (low[:, None, :] + 2 * size * halves).reshape(-1, d)
        values = _on_cells(f, children, size)
        finer = values.reshape(len(low), len(halves), -1).sum(axis=1)
        change = np.abs(finer - whole).max(axis=1)
        cells += len(children)
        open_ = UNDERSTATED * change > 0.1 * tol / len(low)
        if not open_.any() or cells > MOST_CELLS:
            open_[:] = False
        total += finer[~open_].sum(axis=0)
        error += UNDERSTATED * float(change[~open_].sum())
        if not open_.any():
            break
        kept = np.repeat(open_, len(halves))
        low, whole = children[kept], values[kept]
    return total, error


def _on_cells(f: Callable[[Floats], Floats], low: Floats, size: Floats) -> Floats:
    """Return the Gauss-Lobatto integral of f over each cell, (cells, columns)."""
    d = len(size)
    t = np.array(list(product((NODES + 1) / 2, repeat=d)))  # nodes of the unit cell
    w = np.prod(np.array(list(product(WEIGHTS / 2, repeat=d))), axis=1)
    points = (low[:, None, :] + t * size).reshape(-1, d)
    values = f(points).reshape(len(low), len(t), -1)
    return np.einsum("ctv,t->cv", values, w) * np.prod(size)


def bayes_risk_by_sampling(
    log_densities: Sequence[LogDensity],
    samplers: Sequence[Callable[[int, Any], Any]],
    prior: Any,
    loss: Any = None,
    *,
    n: int = 100_000,
    random_state: Any = 0,
) -> BayesRisk:
    """Return the Bayes risk of known densities by simulation, in any dimension (4).

    Parameters
    ----------
    log_densities : sequence of functions
        log p(x | class) of an array of points.
    samplers : sequence of functions
        ``sampler(n, rng)`` draws n points of a class with a NumPy Generator.
    prior : array of shape (k,)
    loss : array of shape (a, k), optional
        By default 0/1, and the risk is the Bayes error.
    n : int
        Points in all, shared among the classes by their priors.
    random_state : None, int or Generator

    Returns
    -------
    BayesRisk
        With the standard error of the estimate.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> classes = [norm(0, 1), norm(2, 1)]
    >>> draw = [lambda n, rng, c=c: c.rvs(n, random_state=rng) for c in classes]
    >>> risk = bayes_risk_by_sampling([c.logpdf for c in classes], draw, [0.5, 0.5])
    >>> bool(abs(risk.value - norm.cdf(-1)) < 4 * risk.error)
    True
    """
    who = "bayes_risk_by_sampling"
    pi = check_distribution(who, prior, len(log_densities), "prior")
    Lambda = check_loss(who, loss, len(pi))
    if len(samplers) != len(pi):
        must = f"samplers must hold one for each of {len(pi)} classes"
        raise ParameterError(sentence(who, must, f"{len(samplers)}"))
    if n < 2 * len(pi):
        must = f"n must be at least {2 * len(pi)}"
        raise ParameterError(sentence(who, must, f"{n}"))
    rng = np.random.default_rng(random_state)
    value, variance = 0.0, 0.0
    for share, draw in zip(pi, samplers, strict=True):
        if share == 0:
            continue
        size = max(2, round(n * share))
        L = log_densities_at(log_densities, draw(size, rng))
        least = (posterior(L, pi) @ Lambda.T).min(axis=1)
        value += share * float(least.mean())
        variance += share**2 * float(least.var(ddof=1)) / size
    return BayesRisk(value, float(np.sqrt(variance)), "sampling")


# -- unknown densities -------------------------------------------------------------
@dataclass(frozen=True)
class Bracket:
    """Bounds of the Bayes error."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"the Bayes error is between {self.low:.4g} and {self.high:.4g}"


def cover_hart(
    error: float,
    n_classes: int,
    *,
    n: int | None = None,
    confidence: float = 0.95,
) -> Bracket:
    """Bracket the Bayes error by the error of the nearest neighbour (5).

    The bracket holds for the error that the rule tends to with ever more rows; at a
    finite number it is a guide.

    Parameters
    ----------
    error : float
        Error of 1-NN on rows it has not stored.
    n_classes : int
    n : int, optional
        Rows that the error was counted on: the bracket then allows for chance (exact
        binomial limits of the error at `confidence`).
    confidence : float

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(cover_hart(0.18, 2))
    the Bayes error is between 0.1 and 0.18
    """
    who = "cover_hart"
    if not 0 <= error <= 1:
        raise ParameterError(sentence(who, "error must be in [0, 1]", f"{error}"))
    if n_classes < 2:
        raise ParameterError(sentence(who, "n_classes must be >= 2", f"{n_classes}"))
    if not 0 < confidence < 1:
        must = "confidence must be between 0 and 1"
        raise ParameterError(sentence(who, must, f"{confidence}"))
    least = most = float(error)
    if n is not None:
        wrong, tail = round(error * n), (1 - confidence) / 2
        least = float(beta.ppf(tail, wrong, n - wrong + 1)) if wrong else 0.0
        most = float(beta.ppf(1 - tail, wrong + 1, n - wrong)) if wrong < n else 1.0
    chance = 1 - 1 / n_classes
    root = np.sqrt(max(1 - least / chance, 0.0))
    low = least / (1 + root) if root > 0 else chance  # (5) without cancellation
    return Bracket(float(low), float(min(most, chance)))


@dataclass(frozen=True)
class Excess:
    """How far a model is from the best possible."""

    error: float
    standard_error: float
    best: float

    @property
    def excess(self) -> float:
        """Error beyond the Bayes error."""
        return self.error - self.best

    def __str__(self) -> str:
        return (
            f"error {self.error:.4g} (standard error {self.standard_error:.2g}), best "
            f"possible {self.best:.4g}, excess {self.excess:.4g}"
        )


def excess_error(model: Any, X: Any, y: Any, best: Any) -> Excess:
    """Compare a classifier's error on new rows with the Bayes error.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows that the model has not learned from
    best : BayesRisk or float

    Returns
    -------
    Excess

    Examples
    --------
    >>> from corollary import GaussianNB
    >>> X = [[-1.0], [1.0], [-2.0], [2.0]]
    >>> model = GaussianNB().fit(X, [0, 1, 0, 1])
    >>> print(excess_error(model, X, [0, 1, 0, 0], 0.1))
    error 0.25 (standard error 0.22), best possible 0.1, excess 0.15
    """
    wrong = np.asarray(model.predict(X)) != np.asarray(y)
    if not len(wrong):
        raise DataError(sentence("excess_error", "X must have rows", "none"))
    rate = float(wrong.mean())
    spread = float(np.sqrt(rate * (1 - rate) / len(wrong)))
    return Excess(rate, spread, float(best))
