"""What logistic regression says of its fit: the gap, and whether a minimum exists.

With a penalty there is a minimum, and the duality gap says how far it is at most
(`linear/logistic_gap.py`).  Without one the Newton decrement g'H^-1 g / 2 estimates it,
and there may be none.  The likelihood of two or more classes has a maximum if and only
if no direction of the weights says yes to all rows and more than yes to some (Albert
and Anderson 1984): no V other than 0 has

    (V_{y_n} - V_k)'(1, x_n) >= 0   for all n and k                              (1)

up to what changes no score.  Whether the fitted scores are such a V is seen in one
pass: all margins are positive.  Where some margin is large and the rows are in memory
and not too many, a linear programme decides (1) (`linear/separability.py`): the vectors
(e_{y_n} - e_k) (1, x_n)' are to lie in one half-space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import Optimality, Report
from corollary.core.rows import dense
from corollary.engine import ArraySource, Data
from corollary.linear.logistic_gap import duality_gap
from corollary.linear.logistic_newton import regular
from corollary.linear.logistic_problem import Search, quadratic
from corollary.linear.logistic_sums import Margin, margins
from corollary.linear.separability import separability

__all__ = ["Ended", "account", "conclude"]

SMALL = 800  # weights whose Hessian is worth a pass at the end
DOUBT = 5.0  # a lead of a score that makes a direction (1) thinkable
PROGRAMME = 400_000  # entries of the linear programme that still takes a second or two
KINDS = {
    "separable": "a hyperplane separates the classes",
    "touching": "a hyperplane separates the classes but for rows that lie on it",
}


@dataclass(frozen=True)
class Ended:
    """The last state of a search with what a last look at the data says."""

    search: Any
    gap: float | None = None
    decrement: float | None = None
    margin: Margin | None = None
    verdict: str | None = None  # a key of KINDS, or "overlapping"


def conclude(data: Data, search: Search) -> Ended:
    """Take the gap, or the decrement, and look for separable classes."""
    problem, theta, g = search.problem, search.theta, search.g
    if data.once or g is None:
        return Ended(search)
    gap = None
    if problem.penalised:
        gap = duality_gap(data, problem, theta, search.f, g, search.at_start)
    margin, verdict, decrement = None, None, search.decrement
    if search.f <= 0.1 or not problem.penalised:
        W, b = problem.model(theta)
        margin = data.reduce(partial(margins, W=W, b=b))
    if not problem.penalised:
        if decrement is None and theta.size <= SMALL:
            s = data.reduce(partial(quadratic, problem=problem, theta=theta))
            H = regular(problem, problem.hessian(s.H))
            decrement = 0.5 * float(g @ np.linalg.lstsq(H, g, rcond=None)[0])
        assert margin is not None
        if margin.smallest > 0:
            verdict = "separable"
        elif margin.largest > DOUBT and isinstance(data.source, ArraySource):
            verdict = by_programme(data.source, *problem.shape, problem.intercept)
    return Ended(search, gap, decrement, margin, verdict)


def by_programme(source: ArraySource, m: int, p: int, intercept: bool) -> str | None:
    """Decide (1), None where that would take too long."""
    K = max(m, 2)
    n = len(source.X) if isinstance(source.X, np.ndarray) else source.X.shape[0]
    if n * (K - 1) * p * m > PROGRAMME:
        return None
    keep = slice(None) if source.w is None else source.w > 0
    X = dense(source.X)[keep].astype(np.float64)
    y = np.asarray(source.y)[keep]
    rows = half_space_rows(X, y, K, intercept)
    side = np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    if len(rows) < 2:
        return None
    return separability(rows * side[:, None], side, fit_intercept=False).kind


def half_space_rows(X: Floats, y: Any, K: int, intercept: bool) -> Floats:
    """Return the vectors of (1), the last class's weights being 0."""
    X = X - X.mean(axis=0) if intercept else X
    X = X / np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    Z = np.hstack([X, np.full((len(X), int(intercept)), 1.0)])
    E = np.eye(K)
    rows = [
        np.einsum("nk,nd->nkd", E[y[y != k]] - E[k], Z[y != k])[:, :-1]
        for k in range(K)
    ]
    return np.concatenate(rows).reshape(-1, (K - 1) * Z.shape[1])


def account(ended: Ended, report: Report) -> None:
    """Write it into the report."""
    search: Search = ended.search
    norm = search.residual()
    if ended.gap is not None:
        relative = ended.gap / search.f if search.f > 0 else None
        report.optimality = Optimality("duality gap", ended.gap, relative)
    elif ended.decrement is not None:
        report.optimality = Optimality("Newton decrement", ended.decrement)
    else:
        report.optimality = Optimality("largest entry of the gradient is", norm)
    report.facts["solver"] = search.described
    report.facts["gradient"] = norm
    W, _ = search.problem.model(search.theta)
    if search.problem.l1:
        report.facts["nonzeros"] = int(np.count_nonzero(W))
    if ended.margin is not None and ended.margin.smallest > 0:
        report.facts["separable"] = f"yes, smallest margin {ended.margin.smallest:.3g}"
    elif ended.verdict == "touching":
        report.facts["separable"] = "touching"
    if ended.verdict in KINDS and not search.problem.penalised:
        report.warnings.append(
            "the classes are linearly separable: the likelihood has no maximum, for "
            f"{KINDS[ended.verdict]}, and the coefficients are only where the search "
            "stopped. Use a finite C."
        )
