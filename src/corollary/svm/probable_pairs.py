"""Machines for pairs of classes that also give probabilities.

The scores of a pair (`pairs.py`) are cross-fitted in five folds: rows are scored by a
machine that has not seen them.  A sigmoid or a monotone step turns them into P(a | a or
b), and the pairs are coupled into one probability for each class; `calibration.py` has
the equations.
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, one_of, seed
from corollary.core.randomness import entropy
from corollary.core.report import Report, StopReason
from corollary.svm import calibration
from corollary.svm.pairs import Pair, PairMachines, Rows, Run

__all__ = ["ProbablePairs"]


def _gives_probabilities(machine: ProbablePairs) -> bool:
    if machine.probability:
        return True
    text = "predict_proba is not available when probability=False"
    raise AttributeError(f"{type(machine).__name__}: {text}")


class ProbablePairs(PairMachines):
    """A classifier of pairs with `predict_proba`, where `probability` asks for it."""

    pair_rules: ClassVar = {
        **PairMachines.pair_rules,
        "probability": boolean | one_of("platt", "isotonic"),
        "random_state": seed,
    }
    probability: Any
    random_state: Any

    def _finish(
        self, data: Rows, pairs: list[Pair], w: Vector | None, report: Report
    ) -> None:
        """Calibrate, where probabilities are asked for; they need every machine."""
        if self.probability:
            if report.stop is StopReason.INTERRUPTED:
                raise KeyboardInterrupt
            weight = np.ones(len(data.y)) if w is None else w.astype(np.float64)
            self._calibrate(data, pairs, weight)

    def _calibrate(self, data: Rows, pairs: list[Pair], w: Floats) -> None:
        """Fit each pair's probabilities to scores of rows that were held out."""
        fold = calibration.folds(data.X, data.y, entropy(self.random_state))
        tasks = list(itertools.product(pairs, range(calibration.FOLDS)))

        def held_out(task: Any, run: Run) -> tuple[Vector, Floats]:
            return self._held_out(data, task[0], fold == task[1], run)

        parts = iter(self._crowd(held_out, tasks))
        fits = []
        two = len(self.classes_) == 2
        for a, b in pairs:
            some = [next(parts) for _ in range(calibration.FOLDS)]
            rows, g = (np.concatenate(side) for side in zip(*some, strict=True))
            t = data.y[rows] == (b if two else a)
            if self.probability == "isotonic":
                fits.append(calibration.isotonic(g, t, w[rows]))
            else:
                fits.append(np.array(calibration.platt(g, t, w[rows])))
        if self.probability == "isotonic":
            self.isotonic_ = fits
        else:
            self.probA_, self.probB_ = np.array(fits).T

    def _held_out(
        self, data: Rows, pair: Pair, held: Vector, run: Run
    ) -> tuple[Vector, Floats]:
        """Return the rows of a fold, and scores by a machine of the other rows."""
        a, b = pair
        two = len(self.classes_) == 2
        rows = np.flatnonzero(held & ((data.y == a) | (data.y == b)))
        seen = np.unique(data.y[~held & ((data.y == a) | (data.y == b))])
        if len(seen) < 2 or not len(rows):  # there is nothing to tell apart
            sign = 0.0 if not len(seen) else 1.0 if (seen[0] == b) == two else -1.0
            return rows, np.full(len(rows), sign)
        one = self._solve_pair(data, pair, run, ~held)
        if one.optimum.stop is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        used = one.rows[one.beta != 0]
        g = self._kernel_sums(data.kernel, data.X, rows, used, one.beta[one.beta != 0])
        return rows, g - one.rho

    def _pair_probabilities(self, X: Any) -> Floats:
        """Return P(a | a or b) of each pair, (n, p)."""
        Z = self._pair_scores(X)
        if hasattr(self, "probA_"):
            return calibration.sigmoid(Z, self.probA_, self.probB_)
        if not hasattr(self, "isotonic_"):
            text = "predict_proba is not available when fitted with probability=False"
            raise NotFittedError(f"{type(self).__name__}: {text}")
        parts = zip(Z.T, self.isotonic_, strict=True)
        return np.column_stack([calibration.steps(z, corners) for z, corners in parts])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, of a fit with `probability`.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        r = self._pair_probabilities(X)
        K = len(self.classes_)
        if K == 2:
            p = np.clip(r[:, 0], calibration.SURE, 1 - calibration.SURE)
            return np.column_stack([1 - p, p])
        R = np.zeros((len(r), K, K))
        for j, (a, b) in enumerate(itertools.combinations(range(K), 2)):
            R[:, a, b], R[:, b, a] = r[:, j], 1 - r[:, j]
        return calibration.couple(R)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def _audit(self) -> None:
        """Refuse, besides, probabilities that no fit leaves."""
        super()._audit()
        K = len(self.classes_)
        self._audit_calibration(K * (K - 1) // 2)

    def _audit_calibration(self, pairs: int) -> None:
        """Refuse probabilities that no fit leaves."""
        parts = [vars(self)[n] for n in ("probA_", "probB_") if hasattr(self, n)]
        must = f"probA_ and probB_ must be {pairs} finite numbers each"
        good = len(parts) in (0, 2) and all(
            np.shape(part) == (pairs,) and calibration.sound(part) for part in parts
        )
        if hasattr(self, "isotonic_"):
            must = f"isotonic_ must have {pairs} parts of corners (x, y) with rising x"
            good = good and len(self.isotonic_) == pairs
            good = good and all(
                calibration.sound(part) and calibration.rising(part)
                for part in self.isotonic_
            )
        if not good:
            raise DataError(sentence(self, must, "others"))
