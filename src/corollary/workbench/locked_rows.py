"""The locked rows, opened once: scores with intervals, and a certificate.

The mean loss on m locked rows is unbiased, since nothing was chosen on them.  With
deviation s of the losses it is followed by

    an interval of the score itself          L -+ t s / sqrt(m)                     (1)
    an interval of the score on r new rows   L -+ t s sqrt(1/m + 1/r)               (2)

with Student's t of m - 1 degrees, carried through the metric.  (2) is what a test on
other rows will show.  Where the losses are errors the share of them is counted, and (1)
is exact (Clopper and Pearson).  Without locked rows the out-of-fold losses take their
place, those of a blend by weights of other rows, and their error is widened by a
factor: models of different folds share rows, so that their losses vary together (Bengio
and Grandvalet, 2004).

Few locked rows say little of losses with a long tail: one confident error among 500
rows may not be among the 80 that were locked, and L and s are then both too small.  So
an interval also holds the same interval of locked and out-of-fold losses together, and
of one row more that is as bad as the worst of them, or as a confident error would be
(the rule of succession: what was not met in n rows may come in the next).

References: Clopper and Pearson (1934); Bengio and Grandvalet (2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from corollary.core.arrays import Floats, Vector
from corollary.theory.certificate import Certificate
from corollary.theory.certify import certify
from corollary.theory.clopper_pearson import binomial_interval
from corollary.workbench.judging import Metric
from corollary.workbench.problem import Problem

__all__ = ["Judged", "judge", "sealed_certificate"]

WIDER = 1.3  # factor on errors of out-of-fold losses
LEAST = 1e-15  # probability


@dataclass(frozen=True)
class Judged:
    """A model on rows that it has not seen.

    Attributes
    ----------
    answers : array of shape (m, K) or (m,)
    losses : array of shape (m,)
    metric : Metric
    spread : float
        Variance of the targets.
    locked : bool
        Whether these rows were locked away, or are training rows out of fold.
    others : array of shape (n,), or None
        With locked rows, the losses of training rows out of fold.
    """

    answers: Floats
    losses: Floats
    metric: Metric
    spread: float
    locked: bool
    others: Any = None

    @property
    def score(self) -> float:
        """The score."""
        return self.metric.of(self.losses, self.spread)

    def interval(
        self, delta: float = 0.05, rows: int | None = None
    ) -> tuple[float, float]:
        """Return the ends of (1), or of (2) for so many new rows.

        Parameters
        ----------
        delta : float, default=0.05
            How often it may miss.
        rows : int, optional
        """
        m = len(self.losses)
        if self.metric.name == "accuracy" and rows is None and self.locked:
            found = binomial_interval(m, int(self.losses.sum()), delta)
            return 1 - found.high, 1 - found.low
        ends = [*self._ends(self.losses, 1.0, delta, rows)] if self.locked else []
        if self.others is not None or not self.locked:
            known = [self.losses, [] if self.others is None else self.others]
            one_more = np.concatenate([*known, [self._worst(known)]])
            ends += self._ends(one_more, WIDER, delta, rows)
        return min(ends), max(ends)

    def _worst(self, known: Sequence[Any]) -> float:
        """Return the largest loss that was met, or that of a confident error."""
        met = max(float(np.max(losses, initial=0.0)) for losses in known)
        if self.answers.ndim == 1:
            return met
        if self.metric.name != "log loss":
            return max(met, 1.0)
        second = np.partition(self.answers, -2, axis=1)[:, -2]
        return max(met, float(np.mean(-np.log(np.maximum(second, LEAST)))))

    def _ends(
        self, losses: Floats, wider: float, delta: float, rows: int | None
    ) -> tuple[float, float]:
        """Return the ends of (1) or (2) for some losses, carried through the metric."""
        share = wider**2 / len(losses) + (0.0 if rows is None else 1.0 / rows)
        half = float(
            student.isf(delta / 2, len(losses) - 1)
            * losses.std(ddof=1)
            * np.sqrt(share)
        )
        low, high = (float(losses.mean()) + side * half for side in (-1, 1))
        return self.metric.at(low, self.spread), self.metric.at(high, self.spread)


def judge(model: Any, problem: Problem, rows: Vector, others: Floats) -> Judged:
    """Ask a fitted model about locked rows.

    Parameters
    ----------
    model : fitted model of tables
    problem : Problem
    rows : array of int
    others : array of shape (n,)
        Its losses on training rows, out of fold.
    """
    table, y = problem.part(rows)
    if problem.classes is None:
        answers = np.asarray(model.predict(table), dtype=np.float64)
    else:
        answers = np.asarray(model.predict_proba(table), dtype=np.float64)
    losses = problem.metric.losses(y, answers)
    return Judged(answers, losses, problem.metric, problem.spread, True, others)


def sealed_certificate(
    model: Any, problem: Problem, tried: int, delta: float = 0.05
) -> Certificate | None:
    """Return the certificate that the locked rows prove, None where there are none.

    Parameters
    ----------
    model : fitted model of tables
    problem : Problem
    tried : int
        Models that these rows have judged.
    delta : float
    """
    if not len(problem.split.test):
        return None
    table, y = problem.part(problem.split.test)
    largest = None
    if problem.classes is None:
        largest = float(np.ptp(problem.y[problem.split.train])) or 1.0
    groups = (
        problem.structure[problem.split.test] if problem.split.kind == "group" else None
    )
    labels = problem.labels(y)
    return certify(
        model,
        table,
        labels,
        delta=delta,
        largest_loss=largest,
        models_tried=tried,
        groups=groups,
    )
