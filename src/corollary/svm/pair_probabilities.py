"""Probabilities of a classifier of pairs, from the scores of its machines.

The scores of a pair (`pairs.py`) are cross-fitted in five folds: rows are scored by a
machine that has not seen them.  A sigmoid or a monotone step turns them into P(a | a or
b), and the pairs are coupled into one probability for each class; `calibration.py` has
the equations.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import entropy
from corollary.core.report import StopReason
from corollary.kernels.dual_search import search_limits
from corollary.svm import calibration

if TYPE_CHECKING:
    from corollary.svm.pairs import PairFit

__all__ = ["audit", "calibrate", "class_probabilities"]


def calibrate(machine: Any, fit: PairFit) -> None:
    """Fit each pair's probabilities to scores of rows that were held out."""
    data, pairs = fit.data, fit.pairs
    fold = calibration.folds(data.X, data.y, entropy(machine.random_state))
    tasks = list(itertools.product(pairs, range(calibration.FOLDS)))

    def job(task: Any, threads: int, at_once: int) -> tuple[Vector, Floats]:
        limits = search_limits(machine, threads, machines=at_once)
        return held_out(fit, task[0], fold == task[1], limits)

    parts = iter(fit.side_by_side(job, tasks))
    isotonic, fits = machine.probability == "isotonic", []
    for a, b in pairs:
        some = [next(parts) for _ in range(calibration.FOLDS)]
        rows, g = (np.concatenate(side) for side in zip(*some, strict=True))
        t = data.y[rows] == (b if len(machine.classes_) == 2 else a)
        fitted: Any = calibration.fit_isotonic if isotonic else calibration.fit_platt
        fits.append(np.array(fitted(g, t, data.w[rows])))
    if isotonic:
        machine.isotonic_ = fits
    else:
        machine.probA_, machine.probB_ = np.array(fits).T


def held_out(
    fit: PairFit, pair: tuple[int, int], held: Vector, limits: Any
) -> tuple[Vector, Floats]:
    """Return the rows of a fold, and scores by a machine of the other rows."""
    (a, b), y = pair, fit.data.y
    two = len(fit.machine.classes_) == 2
    rows = np.flatnonzero(held & ((y == a) | (y == b)))
    seen = np.unique(y[~held & ((y == a) | (y == b))])
    if len(seen) < 2 or not len(rows):  # there is nothing to tell apart
        sign = 0.0 if not len(seen) else 1.0 if (seen[0] == b) == two else -1.0
        return rows, np.full(len(rows), sign)
    one = fit.one_pair(pair, limits, only=~held)
    if one.optimum.stop is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    used = np.flatnonzero(one.beta)
    return rows, fit.data.sums(rows, one.rows[used], one.beta[used]) - one.rho


def class_probabilities(machine: Any, Z: Floats) -> Floats:
    """Couple the probabilities of the pairs, whose scores are Z (n, p)."""
    K = len(machine.classes_)
    if hasattr(machine, "probA_"):
        r = calibration.sigmoid(Z, machine.probA_, machine.probB_)
    elif hasattr(machine, "isotonic_"):
        parts = zip(Z.T, machine.isotonic_, strict=True)
        r = np.column_stack([calibration.steps(z, corners) for z, corners in parts])
    else:
        text = "predict_proba is not available when fitted with probability=False"
        raise NotFittedError(f"{type(machine).__name__}: {text}")
    if K == 2:
        p = np.clip(r[:, 0], calibration.SURE, 1 - calibration.SURE)
        return np.column_stack([1 - p, p])
    R = np.zeros((len(r), K, K))
    for j, (a, b) in enumerate(itertools.combinations(range(K), 2)):
        R[:, a, b], R[:, b, a] = r[:, j], 1 - r[:, j]
    return calibration.couple(R)


def audit(machine: Any, pairs: int) -> None:
    """Refuse probabilities that no fit leaves."""
    parts = [vars(machine)[n] for n in ("probA_", "probB_") if hasattr(machine, n)]
    must = f"probA_ and probB_ must be {pairs} finite numbers each"
    good = len(parts) in (0, 2) and all(
        np.shape(part) == (pairs,) and calibration.sound(part) for part in parts
    )
    if hasattr(machine, "isotonic_"):
        must = f"isotonic_ must have {pairs} parts of corners (x, y) with rising x"
        good = good and len(machine.isotonic_) == pairs
        good = good and all(
            calibration.sound(part) and calibration.rising(part)
            for part in machine.isotonic_
        )
    if not good:
        raise DataError(sentence(machine, must, "others"))
