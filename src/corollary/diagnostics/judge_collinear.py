"""Columns that say the same thing twice, as a verdict.

Also known as: multicollinearity, variance inflation factor, redundant features.

A column that the others imply with R^2 has a coefficient whose variance is inflated by

    VIF = 1 / (1 - R^2)                                                          (1)

the diagonal of the inverse of the correlation matrix.  Predictions do not suffer;
coefficients, importances and their standard errors do.  Columns are dropped one after
the other, the largest VIF first, until all are below the bar.

References: Belsley, Kuh and Welsch (1980); Marquardt (1970).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.coded_matrix import Coded
from corollary.diagnostics.evidence import Case, Finding
from corollary.diagnostics.verdict import Action

__all__ = ["copied_columns", "inflation", "judge_collinear"]

BAR = 30.0  # VIF at which a verdict is even
LARGEST = 1e10
OTHER_MODELS = 0.75  # of the strength for models without coefficients


def judge_collinear(case: Case) -> list[Finding]:
    """Tell whether columns are copies or sums of others."""
    largest, dropped = copied_columns(case.coded)
    if not dropped:
        return []
    sure = float(expit(2.0 * np.log(largest / BAR)))
    parts = [step for _, step in getattr(case.model, "steps", [("", case.model)])]
    name = type(parts[-1]).__name__
    linear = any(word in name for word in ("Linear", "Ridge", "Logistic", "Lasso"))
    sure *= 1.0 if linear else OTHER_MODELS
    names = ", ".join(case.coded.names[j] for j in dropped[:5])
    size = "more than 1e10" if largest >= LARGEST else f"{largest:.0f}"
    text = (
        f"{names} can be computed from the other columns (variance inflation factor "
        f"{size}): coefficients and importances of single columns mean nothing."
    )
    action = Action(
        "drop_copies",
        f"Drop {names}.",
        "The others say the same.",
        drop_columns=tuple(int(case.coded.positions[j]) for j in dropped),
    )
    return [Finding("collinearity", sure, (text,), (action,))]


def copied_columns(coded: Coded) -> tuple[float, list[int]]:
    """Return the largest VIF (1), and what to drop so that none is above the bar."""
    live = [int(j) for j in np.flatnonzero(~coded.categorical) if usable(coded.Z[:, j])]
    if len(live) < 2 or len(coded.Z) < 2 * len(live) + 10:
        return 1.0, []
    Z = coded.Z[:, live]
    Z = np.where(np.isfinite(Z), Z, np.nanmean(Z, axis=0))
    R: Floats = np.atleast_2d(np.corrcoef(Z.T))
    first, dropped = 1.0, []
    keep = list(range(len(live)))
    while len(keep) >= 2:
        factors = inflation(R[np.ix_(keep, keep)])
        worst = int(np.argmax(factors))
        if first == 1.0:
            first = float(factors[worst])
        if factors[worst] < BAR:
            break
        ties = np.flatnonzero(factors >= 0.5 * factors[worst])
        dropped.append(live[keep.pop(int(ties[-1]))])
    return first, dropped


def usable(z: Vector) -> bool:
    """Tell whether a column varies and is mostly there."""
    there = z[np.isfinite(z)]
    return len(there) > 0.5 * len(z) and float(there.std()) > 0


def inflation(R: Floats) -> Floats:
    """Return the VIF (1) of each column from the correlation matrix."""
    inverse = np.linalg.pinv(R + np.eye(len(R)) / LARGEST, hermitian=True)
    return np.clip(np.diag(inverse), 1.0, LARGEST)
