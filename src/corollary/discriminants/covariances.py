"""Covariances of classes: plain, shrunk, or by an estimator of the user's.

Everything is made from sums (`engine.classes`), except that Ledoit and Wolf's amount of
shrinkage needs a second look at the rows, and that an estimator of the user's needs the
rows themselves, in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory, check_two_classes, names_of
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, missing, one_of, real
from corollary.core.report import Report
from corollary.discriminants.shrinkage import (
    FourthMoments,
    shrunk,
    shrunk_by_sums,
    spread,
)
from corollary.distributions.covariance import diagnose
from corollary.engine import Chunk, Data
from corollary.engine.classes import ClassScatters
from corollary.linear_algebra.decompositions import eigh_of_rank

__all__ = [
    "SHRINKAGE",
    "class_covariances",
    "estimated",
    "floored",
    "fourth_moments",
    "recomposed",
    "singular_classes",
    "total_covariance",
]

FLOOR = 1e-9

SHRINKAGE: Rule = missing | one_of("auto") | real(0, 1)


def check_classes(
    learner: Any, data: Data, *, matrices: int, rows: bool = False
) -> None:
    """Refuse fewer than two classes, and more matrices than fit in memory.

    `rows` tells that a matrix has no more rows than the data.
    """
    d = data.source.n_features
    check_two_classes(learner)
    remedy = "Use fewer columns, or a principal component analysis first."
    side = min(d, data.few_rows) if rows else d
    check_memory(learner, 48.0 * matrices * d * side, f"{side} x {d} scatters", remedy)


def fourth_moments(chunk: Chunk, scatter: ClassScatters) -> FourthMoments:
    """Sum what shrinkage 'auto' needs: of each class, then of all rows together."""
    n, mean = scatter.n, scatter.mean
    variances = np.diagonal(scatter.S, axis1=1, axis2=2) / n[:, None]
    X, y, w = chunk.X, chunk.y, chunk.w
    classes = FourthMoments.of(X, y, w, mean, spread(variances))
    whole = scatter.total() / n.sum()
    centre = (n @ mean / n.sum())[None, :]
    scale = spread(np.diagonal(whole))[None, :]
    everyone = FourthMoments.of(X, np.zeros_like(y), w, centre, scale)
    return FourthMoments(np.append(classes.q, everyone.q))


def class_covariances(s: ClassScatters, shrinkage: Any, q: Floats | None) -> Floats:
    """Return the covariance of each class, (k, d, d), shrunk as asked."""
    S = s.S / np.where(s.n > 0, s.n, 1.0)[:, None, None]
    own = [None] * len(S) if q is None else q
    return np.stack([one(*each, shrinkage) for each in zip(S, s.n, own, strict=False)])


def total_covariance(s: Any, shrinkage: Any, q: Floats | None) -> Floats:
    """Return the covariance of all rows about their mean, shrunk as asked."""
    n = s.n.sum()
    return one(s.total() / n, n, None if q is None else q[-1], shrinkage)


def one(S: Floats, n: float, q: float | None, shrinkage: Any) -> Floats:
    """Shrink one covariance: not at all, by a share, or by Ledoit and Wolf's."""
    if shrinkage is None:
        return S
    return shrunk_by_sums(S, n, q).covariance if q is not None else shrunk(S, shrinkage)


def estimated(learner: Any, data: Data, estimator: Any) -> Floats:
    """Fit the user's estimator to each class, then to all rows, (k + 1, d, d)."""
    from sklearn.base import clone

    if learner.shrinkage is not None:
        must = "covariance_estimator and shrinkage must not both be given"
        raise ParameterError(sentence(learner, must, "both", "Set shrinkage=None."))
    if not hasattr(estimator, "fit"):
        must = "covariance_estimator must have fit and covariance_"
        raise ParameterError(sentence(learner, must, repr(estimator)))
    if not data.source.in_memory or data.once:
        must = "covariance_estimator needs all rows in memory"
        raise DataError(sentence(learner, must, data.source.described))
    parts = [c for part in data.source.parts() for c in part.chunks()]
    X = np.concatenate([chunk.X for chunk in parts])
    y = np.concatenate([chunk.y for chunk in parts])
    groups = [*(X[y == c] for c in range(len(learner.classes_))), X]
    fitted = [clone(estimator, safe=False) for _ in groups]
    for each, group in zip(fitted, groups, strict=True):
        each.fit(group)  # which need not return itself
    if not all(hasattr(each, "covariance_") for each in fitted):
        name = type(estimator).__name__
        must = f"{name} must have a covariance_ attribute after fit"
        raise ParameterError(sentence(learner, must, "none"))
    return np.stack([each.covariance_ for each in fitted])


class Decomposed(NamedTuple):
    """Covariances by their axes."""

    s: Floats  # (m, d) eigenvalues, falling; those that vanish raised
    R: Floats  # (m, d, d) eigenvectors in columns
    raised: Floats  # (m, d) by how much the eigenvalues were raised


def floored(Sigma: Floats, s: Any, shrinkage: Any = None) -> Decomposed:
    """Decompose covariances, raising eigenvalues that vanish.

    A direction without variance would make a density infinite.  Its eigenvalue is
    raised to `FLOOR` times the largest variance of a feature over all rows.  The rows
    bound the rank of a covariance, before a share of it was made spherical.
    """
    each = [decomposed(S, float(s.n.sum()), shrinkage) for S in Sigma]
    values, R = np.stack([v for v, _ in each]), np.stack([r for _, r in each])
    floor = FLOOR * float(np.diagonal(s.total()).max() / s.n.sum())
    raised = np.maximum(floor - values, 0.0)
    return Decomposed(np.maximum(values, floor), R, raised)


def decomposed(Sigma: Floats, n: float, shrinkage: Any) -> tuple[Floats, Floats]:
    """Return the eigenvalues, falling, and the axes of a covariance of n rows."""
    diagonal = np.diagonal(Sigma)
    if np.count_nonzero(Sigma) == np.count_nonzero(diagonal):
        order = np.argsort(-diagonal, kind="stable")
        return diagonal[order], np.eye(len(Sigma))[:, order]
    if isinstance(shrinkage, str):
        return eigh_of_rank(Sigma, np.inf)
    spherical = (shrinkage or 0.0) * diagonal.mean()
    if not spherical:
        return eigh_of_rank(Sigma, n)
    values, R = eigh_of_rank(Sigma - spherical * np.eye(len(Sigma)), n)
    return values + spherical, R


def recomposed(Sigma: Floats, R: Floats, raised: Floats) -> Floats:
    """Return a covariance with its eigenvalues raised, by most of them alike."""
    other = raised != raised[-1]
    few = R[:, other]
    more = (few * (raised[other] - raised[-1])) @ few.T
    return Sigma + raised[-1] * np.eye(len(Sigma)) + more


def singular_classes(
    learner: Any, Sigma: Floats, s: Floats, raised: Floats, report: Report
) -> None:
    """Warn of covariances whose eigenvalues were raised, naming the features."""
    for c in np.flatnonzero(raised[:, -1] > 0.5 * s[:, -1])[:3]:
        which = diagnose(Sigma[c]).blame(names_of(learner))
        who = f" of class {learner.classes_.tolist()[c]!r}" if len(Sigma) > 1 else ""
        report.warnings.append(
            f"the covariance{who} is singular ({which}); its empty directions were "
            "given a tiny variance. Drop these columns, shrink, or use more rows."
        )
