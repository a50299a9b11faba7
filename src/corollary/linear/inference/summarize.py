"""From the sums of a fit to its table of coefficients.

All covariances are taken in the coordinates (b, b0 + mean'b) of columns about their
means, where slopes and level hardly mix, and carried over to (b0, b) at the end:

    A = H + n alpha P,    Cov = phi A^-1 H A^-1   or A^-1 M A^-1 (`sandwich.py`)  (1)

H is Xc'Xc with n for the level in least squares and the Fisher information otherwise.
Of K classes, delta_k = theta_k - theta_0 are what the rows determine.  The penalty,
with the best shift of all classes, is then delta'P delta of

    P = (I - 11'/K) (x) diag(1, ..., 1, 0)                                       (2)

which for two classes with one vector of coefficients is diag(1, ..., 1, 0) itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import softmax

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.engine import Chunk, Moments, Statistics, Triangle
from corollary.linear.class_weights import class_weights
from corollary.linear.glm.glm_sums import GLMSums, inverse
from corollary.linear.inference.column_geometry import Geometry, geometry, square_root
from corollary.linear.inference.sandwich import (
    Pulls,
    check_errors,
    robust_covariance,
    rows_again,
)
from corollary.linear.inference.summary import Summary
from corollary.objectives.chunk_losses import CrossEntropy, Deviance, scores, weighted
from corollary.solvers.normal_equations import Solution

__all__ = [
    "led",
    "summarize_classes",
    "summarize_least_squares",
    "summarize_likelihood",
]

INFLATED = 10.0  # variance inflation factor that is worth a word
SCATTERED = 1.2  # Pearson's statistic over its degrees of freedom, likewise
SURE = 0.01  # probability of such scatter by chance


# -- least squares ---------------------------------------------------------------------
def summarize_least_squares(
    learner: Any, confidence: float, target: int, errors: str, rows: tuple[Any, ...]
) -> Summary:
    """Summarise `LinearRegression` or `Ridge` from the sums of its last pass."""
    check_errors(learner, errors, rows[0])
    solution = solution_of(learner, target)
    statistics, intercept = learner._running.statistics, learner.fit_intercept
    d = learner.n_features_in_
    alphas = np.broadcast_to(learner._alpha(len(solution.coef)), len(solution.coef))
    alpha = float(alphas[target])
    space, total = geometry(statistics, d, intercept)
    A_inverse = space.gram_inverse(alpha, learner._weights(d))
    bread = bordered(A_inverse, 1 / space.n if intercept else 0.0)
    n, rank, C = space.n, float(space.rank), bread
    if alpha > 0:
        M = space.R @ A_inverse
        C, rank = bordered(M.T @ M, bread[d, d]), float((M * space.R).sum())
    parameters = rank + intercept
    check_rows(learner, n, parameters)
    rss, tss = float(solution.residual[target]), float(total[target])
    sigma2 = rss / (n - parameters)
    C = sigma2 * C
    b, b0 = solution.coef[target], float(solution.intercept[target])
    if errors != "classical":
        at = partial(pulls_of_line, b=b, b0=b0, target=target)
        with rows_again(learner, *rows) as data:
            C = robust_covariance(
                learner, errors, data, at, bread, space.mean, n, parameters
            )
    with np.errstate(divide="ignore"):
        log_likelihood = float(-0.5 * n * (np.log(2 * np.pi * rss / n) + 1))
    r2 = 1 - rss / tss if tss > 0 else float(rss <= 0)
    return summary_of(
        learner,
        type(learner).__name__,
        np.append(b0, b)[None],
        C,
        space,
        alpha,
        kind="t",
        errors=errors,
        confidence=confidence,
        n=n,
        parameters=parameters,
        dispersion=sigma2,
        deviance=rss,
        null_deviance=tss,
        log_likelihood=log_likelihood,
        r_squared=r2,
        adjusted_r_squared=1 - (1 - r2) * (n - intercept) / (n - parameters),
    )


def solution_of(learner: Any, target: int) -> Solution:
    """Return the solution of a fit in closed form, or say why there is no table."""
    solution: Solution | None = learner._running.state.solution
    known = isinstance(learner._running.statistics, Moments | Triangle)
    if solution is None or not known:
        must = "summary needs sums of products of columns"
        came, remedy = "a fit by conjugate gradients", "Use solver='cholesky'."
        raise ParameterError(sentence(learner, must, came, remedy))
    if learner.positive or learner._with_ones:
        must = "summary needs estimates free to have either sign, and no penalty on b0"
        came = "positive=True" if learner.positive else "penalize_intercept=True"
        raise ParameterError(sentence(learner, must, came))
    if not 0 <= target < len(solution.coef):
        must = f"target must be below the number of targets = {len(solution.coef)}"
        raise ParameterError(sentence(learner, must, f"{target}"))
    return solution


def pulls_of_line(chunk: Chunk, b: Floats, b0: float, target: int) -> Pulls:
    """Return residuals of a straight line."""
    y = chunk.y if chunk.y.ndim == 1 else chunk.y[:, target]
    left = y - np.asarray(chunk.X @ b, dtype=np.float64) - b0
    ones = np.ones(chunk.n)
    return Pulls(chunk.X, ones if chunk.w is None else chunk.w, left[:, None], ones)


# -- likelihoods -----------------------------------------------------------------------
@dataclass(frozen=True)
class Likelihood:
    """A model fitted by maximum likelihood: its sums, and what its rows pull at."""

    model: str
    sums: GLMSums
    B: Floats  # (m, 1 + d) estimates, intercepts first
    pulls: Callable[[Chunk], Pulls] | None
    known: bool  # whether phi is 1
    log_likelihood: Callable[[float], float | None]  # of phi
    labels: tuple[str, ...] = ()  # of the classes, where there are more than two
    pearson: float | None = None
    counts: bool = False  # whether Pearson's statistic tests the law


def summarize_likelihood(
    learner: Any, loss: Deviance, confidence: float, errors: str, rows: tuple[Any, ...]
) -> Summary:
    """Summarise a generalised linear model from the sums of its last pass."""
    s: GLMSums = learner.sums_
    if s.H is None:
        must = "summary needs the information matrix"
        came = f"{learner.n_features_in_} columns, too many to keep it"
        raise ParameterError(sentence(learner, must, came, "Use fewer columns."))
    b, b0 = np.ravel(learner.coef_), float(np.ravel(learner.intercept_)[0])
    name, family, link = type(learner).__name__, loss.family, loss.link
    likelihood = Likelihood(
        f"{name}: {family.name} family, {link.name} link",
        s,
        np.append(b0, b)[None],
        partial(pulls_of_deviance, loss=loss, b=b, b0=b0),
        family.known_dispersion,
        lambda phi: family.log_likelihood(s.deviance, phi, s.n, s.constant),
        pearson=s.pearson,
        counts=family.name == "poisson",
    )
    return by_likelihood(learner, likelihood, confidence, errors, rows)


def pulls_of_deviance(chunk: Chunk, loss: Deviance, b: Floats, b0: float) -> Pulls:
    """Return slopes and weights of a family under a link."""
    X, y, w = loss.rows(chunk)
    at = loss.family.terms(y, loss.predictor(X, b, b0), loss.link)
    ones = np.ones(len(y)) if w is None else w
    return Pulls(X, ones, np.asarray(at.slope)[:, None], np.asarray(at.weight))


def summarize_classes(
    learner: Any, confidence: float, errors: str, rows: tuple[Any, ...]
) -> Summary:
    """Summarise logistic regression; sums that were not kept are taken again."""
    s, pulls = learner.sums_, None
    W, b = learner.coef_.astype(np.float64), learner.intercept_.astype(np.float64)
    K = len(learner.classes_)
    if s.H is None and rows[0] is None:
        must = "summary needs the information matrix, which is kept for few weights"
        came, remedy = f"{W.shape[0]} x {W.shape[1]}", "Use summary(X=X, y=y)."
        raise ParameterError(sentence(learner, must, came, remedy))
    if rows[0] is not None:
        with rows_again(learner, *rows) as data:
            loss = CrossEntropy(K, class_weights(learner, data))
            if s.H is None:
                at = partial(information, loss=loss, W=W, b=b, mean=s.mean)
                seen = data.reduce(at)
                s = replace(s, H=led(seen.H, len(W)), gram=seen.gram)
        pulls = partial(pulls_of_classes, loss=loss, W=W, b=b)
    if K > 2:
        W, b = W[1:] - W[0], b[1:] - b[0]
    name, first = type(learner).__name__, learner.classes_[0]
    likelihood = Likelihood(
        f"{name}: logit link" + (f", against class {first}" if K > 2 else ""),
        s,
        np.column_stack([b, W]),
        pulls,
        True,
        lambda _: -0.5 * s.deviance,
        tuple(str(label) for label in learner.classes_[1:]) if K > 2 else (),
    )
    return by_likelihood(learner, likelihood, confidence, errors, rows)


@dataclass(frozen=True)
class Information(Statistics):
    """The Hessian of the cross-entropy and the products of the columns."""

    H: Floats
    gram: Floats


def information(
    chunk: Chunk, loss: CrossEntropy, W: Floats, b: Floats, mean: Floats
) -> Information:
    """Sum both over a chunk, in float64."""
    chunk = replace(chunk, X=chunk.X.astype(np.float64, copy=False))
    M = Moments.of(chunk.X, weighted(chunk, loss.weights))
    shift = M.mean - mean
    gram = M.M2 + M.n * np.outer(shift, shift)
    return Information(loss.sums(chunk, W, b, mean, "full").H, gram)


def led(H: Floats, m: int) -> Floats:
    """Return the Hessian of the leads over the first class from that of m scores."""
    p = len(H) // m
    return H if m == 1 else H[p:, p:]


def pulls_of_classes(chunk: Chunk, loss: CrossEntropy, W: Floats, b: Floats) -> Pulls:
    """Return slopes and weights of the leads over the first class."""
    w = weighted(chunk, loss.weights)
    P = softmax(scores(chunk.X, W, b), axis=1)[:, 1:]
    slope = P - (chunk.y[:, None] == np.arange(1, loss.K))
    ones = np.ones(chunk.n) if w is None else w
    return Pulls(chunk.X, ones, slope, P[:, 0] * (1 - P[:, 0]))


def by_likelihood(
    learner: Any, at: Likelihood, confidence: float, errors: str, rows: tuple[Any, ...]
) -> Summary:
    """Invert the information, and put the table together."""
    check_errors(learner, errors, rows[0])
    s, m, d = at.sums, len(at.B), len(at.sums.mean)
    kept, free = ~s.held, np.tile(s.free, m)
    ridge = (np.eye(m) - (1 / (m + 1) if m > 1 else 0)) * s.n * s.alpha  # (2)
    inside = np.ix_(free, free)
    H = s.H[inside]
    bread = inverse(H + np.kron(ridge, np.diag(np.arange(d + 1) < d))[inside])
    parameters, C = float(free.sum()), bread
    if s.alpha > 0:
        parameters, C = float((bread * H).sum()), bread @ H @ bread
    check_rows(learner, s.n, parameters)
    phi = 1.0
    if not at.known:
        assert at.pearson is not None
        phi = at.pearson / (s.n - parameters)
    whole: Any = np.zeros((m * (d + 1), m * (d + 1)))
    whole[inside] = phi * C
    if errors != "classical":
        assert at.pulls is not None
        edges = np.zeros_like(whole)
        edges[inside] = bread
        with rows_again(learner, *rows) as data:
            whole = robust_covariance(
                learner, errors, data, at.pulls, edges, s.mean, s.n, parameters
            )
    listed = np.tile(np.append(kept, True), m)
    space = Geometry.of(
        s.n, s.mean[kept], square_root(s.gram[np.ix_(kept, kept)]), bool(s.free[-1])
    )
    return summary_of(
        learner,
        at.model,
        at.B[:, np.append(True, kept)],
        whole[np.ix_(listed, listed)],
        space,
        s.alpha,
        columns=np.flatnonzero(kept),
        endless=s.endless,
        labels=at.labels,
        counts=at.counts,
        kind="z" if at.known else "t",
        errors=errors,
        confidence=confidence,
        n=s.n,
        parameters=parameters,
        dispersion=phi,
        pearson=at.pearson,
        deviance=s.deviance,
        null_deviance=s.null_deviance,
        log_likelihood=at.log_likelihood(phi),
    )


# -- what they share -------------------------------------------------------------------
def summary_of(
    learner: Any,
    model: str,
    B: Floats,
    C: Floats,
    space: Geometry,
    alpha: float,
    columns: Any = None,
    endless: bool = False,
    labels: tuple[str, ...] = (),
    counts: bool = False,
    **measures: Any,
) -> Summary:
    """Put names to the numbers; the intercept comes first in all of them."""
    if not 0 < measures["confidence"] < 1:
        must = "confidence must be between 0 and 1"
        raise ParameterError(sentence(learner, must, f"{measures['confidence']}"))
    m, skip = len(B), 0 if space.intercept else 1
    seen = getattr(learner, "feature_names_in_", None)
    columns = np.arange(len(space.mean)) if columns is None else columns
    names = [f"x{j}" if seen is None else str(seen[j]) for j in columns]
    each = ("intercept", *names)[skip:]
    listed = [f"{label}: {name}" for label in labels for name in each] or each
    place = np.tile(np.arange(B.shape[1]) >= skip, m)
    J = np.kron(np.eye(m), from_the_mean(space.mean))
    covariance = (J @ C @ J.T)[np.ix_(place, place)]
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    if alpha == 0:
        errors = np.where(np.tile(space.identified, m), errors, np.inf)
    vif = space.vif()
    dependent = tuple(names[j] for j in space.dependent)
    inflated = [names[j] for j in np.flatnonzero(vif > INFLATED)]
    table = Summary(
        model=model,
        names=tuple(listed),
        coef=np.asarray(B[:, skip:], dtype=np.float64).ravel(),
        standard_errors=errors,
        vif=np.tile(np.append(np.nan, vif)[skip:], m),
        covariance=covariance,
        condition_number=space.condition(),
        intercept=space.intercept,
        slopes=tuple(np.flatnonzero(np.tile(np.arange(B.shape[1]) > 0, m)[place])),
        dependent=dependent,
        **measures,
    )
    said = notes(dependent, inflated, alpha, endless)
    return replace(table, notes=said + (scatter(table) if counts else ()))


def from_the_mean(mean: Floats) -> Floats:
    """Return the map of (b, level at the mean) to (b0, b)."""
    d = len(mean)
    J = np.zeros((d + 1, d + 1))
    J[0, :d], J[0, d] = -mean, 1.0
    J[1:, :d] = np.eye(d)
    return J


def bordered(C: Floats, level: float) -> Floats:
    """Return a matrix with one more row and column, of the level alone."""
    d = len(C)
    whole = np.zeros((d + 1, d + 1))
    whole[:d, :d], whole[d, d] = C, level
    return whole


def notes(
    dependent: tuple[str, ...], inflated: list[str], alpha: float, endless: bool
) -> tuple[str, ...]:
    """Say what to mind when reading the table."""
    said = []
    if dependent:
        said.append(
            f"columns {list(dependent)} follow from the others or never change."
        )
    elif inflated:
        said.append(
            f"columns {inflated} are nearly determined by the others: their "
            "coefficients may be large and cancel."
        )
    if alpha > 0:
        said.append("the penalty biases the estimates: intervals need not cover.")
    if endless:
        said.append("the likelihood has no maximum: errors and tests mean nothing.")
    return tuple(said)


def scatter(table: Summary) -> tuple[str, ...]:
    """Say where counts scatter more, or less, than their law."""
    ratio, X2 = table.overdispersion, table.pearson
    assert ratio is not None
    more = ratio > SCATTERED and stats.chi2.sf(X2, table.dof) < SURE
    less = ratio < 1 / SCATTERED and stats.chi2.cdf(X2, table.dof) < SURE
    if table.errors != "classical" or not (more or less):
        return ()
    words = ("more", "small") if more else ("less", "large")
    return (
        f"Pearson's chi-square / df = {ratio:.4g}: counts scatter {words[0]} than "
        f"Poisson's law says, and standard errors are too {words[1]} by a factor of "
        f"about {np.sqrt(ratio):.3g}. Use errors='HC1' with the rows.",
    )


def check_rows(learner: Any, n: float, parameters: float) -> None:
    """Refuse inference where nothing is left to estimate the noise from."""
    if not n > parameters + 1e-9:
        must = f"summary needs more rows than its {parameters:.6g} coefficients"
        raise DataError(sentence(learner, must, f"{n:g}", "Use more rows."))
