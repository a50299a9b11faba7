"""Signs that rows were prepared before they were split.

Also known as: preprocessing leakage, data contamination.

A scaler, an encoder or a sampler that has seen all rows has seen the test rows.  Some
leave marks in the columns that they made:

    scaled          every column has mean 0 and deviation 1, or ends at 0 and 1, over
                    exactly these rows                                           (1)
    target-encoded  a column's value is the mean target of the rows that have it (2)
    oversampled     rows of one class are repeated until the classes are equal   (3)
    selected        not one of many columns is unrelated to the target           (4)

(1) hardly changes a score, (2) and (3) may change it beyond recognition; (4) is a
question rather than a proof, since columns may all be good.

References: Kaufman et al. (2012); Kapoor and Narayanan (2023).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.coded_matrix import Coded
from corollary.diagnostics.duplicates import Duplicates

__all__ = ["encoded_columns", "oversampled", "scaled_outside", "selected_outside"]

EXACT = 1e-7
SHARE = 0.9  # of the groups of equal values that (2) must hold for


def scaled_outside(coded: Coded) -> str:
    """Return a sentence if columns were scaled with all rows (1), else ''."""
    Z = coded.Z[:, ~coded.categorical]
    if Z.shape[1] == 0 or len(Z) < 10 or np.isnan(Z).any():
        return ""
    many = np.array([len(np.unique(z[:1_000])) > 10 for z in Z.T])
    if many.sum() < 2:
        return ""
    Z = Z[:, many]
    mean, spread = Z.mean(axis=0), Z.std(axis=0)
    n = len(Z)
    unit = np.minimum(np.abs(spread - 1), np.abs(spread - np.sqrt((n - 1) / n)))
    if (np.abs(mean) < EXACT).all() and (unit < 1e-6).all():
        return (
            "The columns have mean 0 and standard deviation 1 over exactly these rows: "
            "scale inside the folds, in a pipeline."
        )
    if (np.abs(Z.min(axis=0)) < EXACT).all() and (np.abs(Z.max(0) - 1) < EXACT).all():
        return (
            "The columns run from 0 to 1 over exactly these rows: scale inside the "
            "folds, in a pipeline."
        )
    return ""


def encoded_columns(coded: Coded, Y: Floats) -> list[int]:
    """Return the columns whose values are mean targets (2)."""
    if Y.shape[1] > 2:
        return []
    y = Y[:, -1]  # numbers, or the indicator of the larger of two classes
    if len(np.unique(y)) < 2:
        return []
    found = []
    for j in np.flatnonzero(~coded.categorical):
        z = coded.Z[:, j]
        there = np.isfinite(z)
        labels, codes = np.unique(z[there], return_inverse=True)
        counts = np.bincount(codes)
        several = counts >= 2
        if len(labels) < 3 or several.sum() < 3 or counts[several].sum() < len(z) / 2:
            continue
        means = np.bincount(codes, weights=y[there]) / counts
        hit = np.abs(means - labels)[several] <= 1e-6 * max(y.std(), EXACT)
        if hit.mean() >= SHARE:
            found.append(int(j))
    return found


def oversampled(duplicates: Duplicates, y: Vector, classes: bool) -> str:
    """Return a sentence if rows of one class are repeated to balance them (3)."""
    if not classes or duplicates.beyond_chance < 10:
        return ""
    labels, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes)
    again = np.bincount(codes[duplicates.repeated], minlength=len(labels)) / counts
    worst = int(again.argmax())
    others = np.delete(again, worst)
    level = counts.max() / counts.min() <= 1.2
    if again[worst] < 0.2 or others.min() > again[worst] / 4 or not level:
        return ""
    return (
        f"{again[worst]:.0%} of the rows of class {labels[worst]} repeat others and "
        "the classes are equally large: oversample inside the folds, after the split."
    )


def selected_outside(coded: Coded, Y: Floats) -> str:
    """Return a question if every one of many columns is related to the target (4)."""
    n, d = coded.shape
    if d < 15 or n < 20 or n > 20 * d or np.isnan(coded.Z).any():
        return ""
    Z: Any = coded.Z - coded.Z.mean(axis=0)
    y = Y[:, -1] - Y[:, -1].mean()
    size = np.sqrt((Z**2).sum(axis=0) * (y @ y))
    r = np.abs(Z.T @ y) / np.where(size > 0, size, np.inf)
    t = r * np.sqrt((n - 2) / np.maximum(1 - r**2, 1e-12))
    if t.min() < 1.5:
        return ""
    return (
        f"All {d} columns are related to the target: if they were chosen from more, "
        "choose them inside the folds."
    )
