"""Standard errors that hold where the noise is not the same for every row.

Also known as: robust standard errors, heteroscedasticity-consistent errors, White's
estimator, Huber-White, sandwich estimator, HC0, HC1, HC2, HC3.

An estimate sets a sum of scores to 0, sum_n w_n psi_n x~_n = 0, where psi is the slope
of a row's loss in its linear predictor: y - x'b - b0 in least squares.  With A the
curvature of the whole problem its covariance is, whatever the variances of the rows,

    Cov = A^-1 M A^-1,     M = sum_n w_n c_n psi_n^2 x~_n x~_n'                  (1)

    HC0: c = 1       HC1: c = n / (n - p)
    HC2: c = 1 / (1 - h_n)     HC3: c = 1 / (1 - h_n)^2,
    h_n = v_n x~_n' A^-1 x~_n                                                    (2)

where h_n is the row's leverage and v_n its weight in the curvature, 1 in least squares.
A row pulls the fit to itself, so that its residual is too small: HC2 sets right its
variance if all variances are the same, and HC3 is about what leaving the row out gives.
Of K > 2 classes psi_n is the vector p_n - e_{y_n}, and HC0 and HC1 are defined.

M needs the residuals, so the rows are read once more.  A weight is repetition.

Notation: x~ = (x - mean, 1); A^-1 (p, p) = bread; M = meat.
Course: S3-88. References: White (1980); MacKinnon and White (1985).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.engine import Chunk, Data, Statistics
from corollary.engine.sources.opening import open_source
from corollary.engine.statistics import dense_blocks

__all__ = ["ERRORS", "Pulls", "check_errors", "robust_covariance", "rows_again"]

ERRORS = ("classical", "HC0", "HC1", "HC2", "HC3")
POWERS = {"HC2": 1, "HC3": 2}  # of 1 / (1 - h)


@dataclass(frozen=True)
class Pulls:
    """What a chunk's rows say of a fitted model."""

    X: Matrix
    w: Floats  # (n,)
    psi: Floats  # (n, m)
    v: Floats  # (n,) weights in the curvature


@dataclass(frozen=True)
class Meat(Statistics):
    """The sum M of (1), and the weight of the rows."""

    n: float
    M: Floats


def check_errors(learner: Any, errors: str, X: Any) -> None:
    """Refuse a name that is none of ours, and robust errors without rows."""
    if errors not in ERRORS:
        must = f"errors must be one of {', '.join(map(repr, ERRORS))}"
        raise ParameterError(sentence(learner, must, f"{errors!r}"))
    if errors != "classical" and X is None:
        must = f"errors={errors!r} need the residuals, so the rows of the fit"
        remedy = f"Use summary(errors={errors!r}, X=X, y=y)."
        raise ParameterError(sentence(learner, must, "no X", remedy))


@contextmanager
def rows_again(learner: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[Data]:
    """Open the rows of a fit to be read once more."""
    data = Data(learner, open_source(learner, X, y, sample_weight, reset=False))
    try:
        yield data
    finally:
        data.executor.close()


def robust_covariance(
    learner: Any,
    errors: str,
    data: Data,
    pulls: Callable[[Chunk], Pulls],
    bread: Floats,
    mean: Floats,
    n: float,
    parameters: float,
) -> Floats:
    """Return (1), in the coordinates of the bread."""
    power = POWERS.get(errors, 0)
    if power and len(bread) > len(mean) + 1:
        must = "leverages need one score for each row"
        came, remedy = "several classes", "Use errors='HC1'."
        raise ParameterError(sentence(learner, must, came, remedy))
    s = data.reduce(partial(meat, pulls=pulls, mean=mean, bread=bread, power=power))
    if not np.isclose(s.n, n, rtol=1e-6):
        must = f"X must be the rows of the fit, of weight {n:g}"
        raise DataError(sentence(learner, must, f"a weight of {s.n:g}"))
    C = bread @ s.M @ bread
    return C * n / (n - parameters) if errors == "HC1" else C


def meat(
    chunk: Chunk,
    pulls: Callable[[Chunk], Pulls],
    mean: Floats,
    bread: Floats,
    power: int,
) -> Meat:
    """Sum M over a chunk, a block of rows at a time."""
    at = pulls(chunk)
    M = np.zeros_like(bread)
    columns = np.column_stack([at.w, at.v, at.psi])
    for block, _, some in dense_blocks(at.X, None, columns):
        assert some is not None
        (w, v), psi = some[:, :2].T, some[:, 2:]
        Z = np.column_stack([block - mean, np.ones(len(block))])
        if power:
            h = v * np.einsum("ni,ij,nj->n", Z, bread, Z, optimize=True)
            w = w / np.maximum(1 - h, np.finfo(np.float64).eps) ** power  # (2)
        G = (psi[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        M += (G * w[:, None]).T @ G
    return Meat(float(at.w.sum()), M)
