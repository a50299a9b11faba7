"""Many support vector classifiers along C and gamma, each begun where the last ended.

Also known as: warm starts, regularisation path on a grid.

A solution beta of the box [0, C] times C'/C is a point of the box [0, C'] with the same
sum 0, and for a neighbouring C' close to optimal: rows at their bound stay there.  A
neighbouring gamma keeps the box and changes the kernel little.  The search stops by the
same rule wherever it began, so the answers are those of separate fits, to tol.

Course: S1-49. Reference: DeCoste and Wagstaff (2000), alpha seeding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk
from corollary.svm.pairs import learn_pairs
from corollary.svm.svc import SVC, soft_margin

__all__ = ["svc_path"]


def svc_path(
    X: Any,
    y: Any,
    Cs: Sequence[float],
    gammas: Sequence[Any] = ("scale",),
    *,
    sample_weight: Any = None,
    estimator: SVC | None = None,
) -> list[list[SVC]]:
    """Fit an `SVC` for every gamma and C.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    y : array of shape (n,)
    Cs : sequence of floats
        Best in ascending order.
    gammas : sequence of floats, 'scale' or 'auto'
    sample_weight : array of shape (n,), optional
    estimator : SVC, optional
        Its other parameters are used.

    Returns
    -------
    list of lists of SVC
        One list for each gamma, with a model for each C.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> models = svc_path(X, X[:, 0] > X[:, 1], [0.1, 1.0, 10.0])
    >>> [model.C for model in models[0]]
    [0.1, 1.0, 10.0]
    """
    if not len(Cs) or not len(gammas):
        must = "Cs and gammas must have at least one value each"
        came = f"{len(Cs)} and {len(gammas)}"
        raise ParameterError(sentence("svc_path", must, came))
    grid: list[list[SVC]] = []
    first: list[Floats] | None = None  # where the first C of the last gamma ended
    for gamma in gammas:
        row: list[SVC] = []
        ends = first
        for C in Cs:
            model: SVC = clone(SVC() if estimator is None else estimator)
            model.set_params(C=C, gamma=gamma)
            factor = C / row[-1].C if row else 1.0
            starts = None if ends is None else [factor * b for b in ends]
            ends = fit_from(model, X, y, sample_weight, starts)
            if not row:
                first = ends
            row.append(model)
        grid.append(row)
    return grid


def fit_from(
    model: SVC, X: Any, y: Any, w: Any, starts: list[Floats] | None
) -> list[Floats]:
    """Fit a model from given points, and return where its pairs ended."""
    ends: list[Floats] = []

    def learn(rows: Chunk, report: Report) -> None:
        fits = starts is not None and np.isfinite(np.concatenate(starts)).all()
        begin = starts if fits else None
        solved = learn_pairs(model, rows, report, soft_margin, begin)
        ends.extend(one.optimum.b for one in solved)

    model.learn = learn  # type: ignore[method-assign]
    try:
        model.fit(X, y, w)
    finally:
        del model.learn
    return ends
