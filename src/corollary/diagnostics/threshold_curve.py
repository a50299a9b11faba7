"""Precision, recall and F1 at every threshold, and the threshold that costs least.

Also known as: threshold sweep, precision-recall tradeoff, F score, cost-sensitive
threshold, operating point.
Related words: true positive, false positive, false negative, skewed classes, rare
disease, majority baseline.

A row is said to be positive if its score is at least t.  Of the rows then

    precision  P = TP / (TP + FP)     undefined where nothing is said to be positive (1)
    recall     R = TP / (TP + FN)                                                    (2)
    F1           = 2 P R / (P + R) = 2 TP / (2 TP + FP + FN)                         (3)

A higher threshold never raises recall.  It mostly raises precision, but need not: of
the scores .9 .8 .7 .6 with labels 0 1 1 1 precision is .75, .67, .5, 0 as t rises.

Accuracy misleads where a class is rare.  Of a disease that one in a thousand has, the
answer "no" is right for 99.9 % and finds nobody: its recall is 0.  So the accuracy of
the larger class alone stands beside every other.

With costs Lambda_ij of saying i where j is true, a threshold costs

    C(t) = (L_nn TN + L_np FN + L_pn FP + L_pp TP) / n                               (4)

and for probabilities that are calibrated the cheapest one is known beforehand,

    t* = (L_pn - L_nn) / (L_pn - L_nn + L_np - L_pp)                                 (5)

The least of (4) over all thresholds is too good to be true, since it was chosen on the
rows that judge it.  So the rows are dealt into F folds, several times; with t_f the
cheapest threshold of the rows outside fold f and C_f the cost on those inside,

    what to expect  =  mean_f C_f(t_f)                                               (6)

and the middle 1 - delta of the thresholds that samples with replacement choose says how
well the threshold is known.

Notation: Lambda (2, 2) = costs, said x true, negative first.
Course: S4-70. References: van Rijsbergen (1979); Elkan (2001); Stone (1974).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.randomness import entropy, generator
from corollary.diagnostics.outcomes import (
    count_text,
    label_text,
    plain,
    ratio,
    spread_out,
    whole_counts,
)
from corollary.diagnostics.threshold_counts import Counts, threshold_counts
from corollary.theory.stated_numbers import confidence, number

__all__ = ["CheapestThreshold", "ThresholdCounts", "ThresholdCurve", "threshold_curve"]

WHO = "threshold_curve"
MOST = 200  # thresholds of a page
CELLS = 1_000  # of scores, in the samples with replacement
SAMPLES = 200
FOLDS, DEALS = 10, 10
NAMES = ("true_negative", "false_negative", "false_positive", "true_positive")


@dataclass(frozen=True)
class ThresholdCounts:
    """Right and wrong answers at one threshold.

    Attributes
    ----------
    threshold : float
    true_positive, false_positive, false_negative, true_negative : float
        Rows, or their weights.
    """

    threshold: float
    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float

    @property
    def precision(self) -> float:
        """(1); NaN where nothing is said to be positive."""
        return ratio(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float:
        """(2)."""
        return ratio(self.true_positive, self.true_positive + self.false_negative)

    @property
    def f1(self) -> float:
        """(3)."""
        wrong = self.false_positive + self.false_negative
        return ratio(2 * self.true_positive, 2 * self.true_positive + wrong)

    @property
    def accuracy(self) -> float:
        """Share of the rows that are answered rightly."""
        right = self.true_positive + self.true_negative
        return right / (right + self.false_positive + self.false_negative)

    def __str__(self) -> str:
        p = "undefined" if np.isnan(self.precision) else f"{self.precision:.4g}"
        return (
            f"at {self.threshold:.4g}: precision {p}, recall {self.recall:.4g}, "
            f"F1 {self.f1:.4g}, accuracy {self.accuracy:.4g}"
        )


@dataclass(frozen=True)
class CheapestThreshold:
    """The threshold of least cost, and what it will cost on new rows.

    Attributes
    ----------
    threshold : float
        Where (4) is least.
    low, high : float
        The middle 1 - delta of the thresholds that other samples would choose.
    delta : float
    cost : float
        Of a row, on the rows that chose the threshold.
    expected : float
        Of a new row (6).
    by_probability : float or None
        (5), where the scores lie in [0, 1].
    """

    threshold: float
    low: float
    high: float
    delta: float
    cost: float
    expected: float
    by_probability: float | None

    def __str__(self) -> str:
        sure = f"{100 * (1 - self.delta):g} % of samples choose {self.low:.4g} to "
        text = f"cheapest at {self.threshold:.4g} ({sure}{self.high:.4g}): "
        text += f"{self.cost:.4g} a row here, expect {self.expected:.4g} on new rows"
        if self.by_probability is None:
            return text
        return f"{text}; {self.by_probability:.4g} if probabilities are calibrated"


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Counts of right and wrong answers at every threshold.

    Attributes
    ----------
    positive : label
        The class that is looked for.
    thresholds : array of shape (g + 1,)
        The scores that occur, rising, and infinity: nothing is said to be positive.
    true_positive, false_positive, false_negative, true_negative : arrays, (g + 1,)
        Rows, or their weights.
    costs : array of shape (2, 2) or None
        Of saying (row) where is true (column), negative first.
    cheapest : CheapestThreshold or None
        Where costs are given.
    """

    positive: Any
    thresholds: Floats
    true_positive: Floats
    false_positive: Floats
    false_negative: Floats
    true_negative: Floats
    costs: Floats | None = None
    cheapest: CheapestThreshold | None = None

    @property
    def precision(self) -> Floats:
        """(1), NaN where nothing is said to be positive."""
        return ratio(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> Floats:
        """(2), which never rises with the threshold."""
        return self.true_positive / self.true_positive[0]

    @property
    def f1(self) -> Floats:
        """(3)."""
        said = self.true_positive + self.false_positive
        return 2 * self.true_positive / (said + self.true_positive[0])

    @property
    def accuracy(self) -> Floats:
        """Share of the rows that are answered rightly."""
        return (self.true_positive + self.true_negative) / self.total

    @property
    def total(self) -> float:
        """All rows, or their weight."""
        return float(self.true_positive[0] + self.false_positive[0])

    @property
    def majority(self) -> ThresholdCounts:
        """What the larger class alone does: the answer that looks at nothing."""
        rare = self.true_positive[0] <= self.false_positive[0]
        return self._counts(-1 if rare else 0)

    @property
    def best_f1(self) -> ThresholdCounts:
        """The counts where F1 is largest."""
        return self._counts(int(self.f1.argmax()))

    def at(self, threshold: float) -> ThresholdCounts:
        """Return the counts at any threshold.

        Parameters
        ----------
        threshold : float

        Returns
        -------
        ThresholdCounts
        """
        t = number(WHO, threshold, "threshold")
        return self._counts(int(np.searchsorted(self.thresholds, t)), t)

    def _counts(self, at: int, threshold: float | None = None) -> ThresholdCounts:
        t = float(self.thresholds[at]) if threshold is None else threshold
        counts = (
            self.true_positive,
            self.false_positive,
            self.false_negative,
            self.true_negative,
        )
        return ThresholdCounts(t, *(float(each[at]) for each in counts))

    def __str__(self) -> str:
        name, base = label_text(self.positive), self.majority
        said = "no" if base.recall == 0 else "every"
        first = (
            f"{count_text(self.total)} rows, {count_text(self.true_positive[0])} of "
            f"them {name}: saying {name} of {said} row is right for "
            f"{100 * base.accuracy:.4g} %, with recall {base.recall:g}"
        )
        found = spread_out(np.arange(len(self.thresholds)), 8)
        lines = [f"  {self._counts(i)}" for i in found]
        lines.append(f"best F1 {self.best_f1}")
        if self.cheapest is not None:
            lines.append(str(self.cheapest))
        return "\n".join([first, *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw precision, recall and F1 over the threshold; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        t = self.thresholds[:-1]
        for name in ("precision", "recall", "f1"):
            ax.plot(t, getattr(self, name)[:-1], label=name)
        ax.axhline(self.majority.accuracy, linestyle=":", label="accuracy of the rest")
        if self.cheapest is not None:
            ax.axvline(self.cheapest.threshold, linestyle="--", color="grey")
            ax.axvspan(self.cheapest.low, self.cheapest.high, color="grey", alpha=0.2)
        ax.set(xlabel="threshold", title=f"positive: {label_text(self.positive)}")
        ax.legend()
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `thresholds` of a page: at most 200 of them.

        Returns
        -------
        dict
        """
        moved = self.true_positive / self.true_positive[0]
        moved = 2 - moved - self.false_positive / self.false_positive[0]
        at = spread_out(moved, MOST)
        t = self.thresholds[at].copy()
        top = float(self.thresholds[-2])
        t[-1] = 1.0 if 0 <= top < 1 else np.nextafter(top, np.inf)
        return {
            "positive": label_text(self.positive),
            "threshold": plain(t),
            "true_positive": whole_counts(self.true_positive[at]),
            "false_positive": whole_counts(self.false_positive[at]),
            "false_negative": whole_counts(self.false_negative[at]),
            "true_negative": whole_counts(self.true_negative[at]),
        }


def threshold_curve(
    y: Any,
    scores: Any,
    *,
    positive: Any = None,
    costs: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> ThresholdCurve:
    """Count right and wrong answers at every threshold of a score.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of rows that the model has not seen.
    scores : array of shape (n,) or (n, k)
        Large for rows that look positive: probabilities or any others.  Of several
        columns, in the order of the sorted labels, that of the positive class.
    positive : label, optional
        The class that is looked for; by default the larger one of two.
    costs : array of shape (2, 2) or dict, optional
        What saying (row) costs where is true (column), negative first; or numbers by
        'false_positive', 'false_negative', 'true_positive', 'true_negative', 0 where
        left out.
    delta : float, default=0.05
        Of the range of cheapest thresholds.
    sample_weight : array of shape (n,), optional
        How much each row counts.
    random_state : None, int or Generator, default=0
        Deals the folds of (6) and draws the samples.

    Returns
    -------
    ThresholdCurve

    Examples
    --------
    >>> from corollary.diagnostics import threshold_curve
    >>> found = threshold_curve([0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6])
    >>> found.precision.round(2).tolist(), found.recall.round(2).tolist()
    ([0.75, 0.67, 0.5, 0.0, nan], [1.0, 0.67, 0.33, 0.0, 0.0])
    >>> print(found.at(0.75))
    at 0.75: precision 0.5, recall 0.3333, F1 0.4, accuracy 0.25
    """
    delta = confidence(WHO, delta)
    Lambda = None if costs is None else cost_table(costs)
    found = threshold_counts(WHO, y, scores, positive, sample_weight)
    least = None
    if Lambda is not None:
        least = cheapest(found, Lambda, delta, entropy(random_state))
    return ThresholdCurve(
        found.label,
        found.thresholds,
        found.tp,
        found.fp,
        found.P - found.tp,
        found.N - found.fp,
        Lambda,
        least,
    )


# -- costs -----------------------------------------------------------------------------
def cost_table(costs: Any) -> Floats:
    """Return costs as said x true, negative first."""
    if isinstance(costs, Mapping):
        if strange := [name for name in costs if name not in NAMES]:
            must = f"names of costs must be among {', '.join(NAMES)}"
            raise ParameterError(sentence(WHO, must, shown(strange)))
        costs = np.reshape([costs.get(name, 0.0) for name in NAMES], (2, 2))
    must = "costs must be numbers: what is said x what is true, negative first"
    try:
        table = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(sentence(WHO, must, shown(costs))) from None
    if table.shape != (2, 2) or not np.isfinite(table).all():
        raise ParameterError(sentence(WHO, must, shown(costs)))
    if table[1, 0] <= table[0, 0] or table[0, 1] <= table[1, 1]:
        must = "an error must cost more than the right answer, for both classes"
        raise ParameterError(sentence(WHO, must, shown(table.tolist())))
    return table


def mean_cost(
    Lambda: Floats, tp: Any, fp: Any, P: Any, N: Any, total: float | None = None
) -> Any:
    """Return (4), or the share in it of some of all rows."""
    (nn, np_), (pn, pp) = Lambda
    cost = nn * (N - fp) + np_ * (P - tp) + pn * fp + pp * tp
    return cost / np.maximum(P + N if total is None else total, 1e-300)


def cheapest(
    found: Counts, Lambda: Floats, delta: float, seed: int
) -> CheapestThreshold:
    """Find the least of (4), and what it is worth on new rows (6)."""
    costs = mean_cost(Lambda, found.tp, found.fp, found.P, found.N)
    at = int(costs.argmin())
    keep = np.union1d(spread_out(np.arange(len(costs)), CELLS), at)
    low, high = np.quantile(
        resampled_thresholds(found, keep, Lambda, generator(seed, 0)),
        [delta / 2, 1 - delta / 2],
        method="nearest",
    )
    (nn, np_), (pn, pp) = Lambda
    calibrated = float((pn - nn) / (pn - nn + np_ - pp))  # (5)
    s = found.scores
    return CheapestThreshold(
        float(found.thresholds[at]),
        float(found.thresholds[keep[int(low)]]),
        float(found.thresholds[keep[int(high)]]),
        delta,
        float(costs[at]),
        held_out_cost(found, keep, Lambda, generator(seed, 1)),
        calibrated if s.min() >= 0 and s.max() <= 1 else None,
    )


def resampled_thresholds(
    found: Counts, keep: Vector, Lambda: Floats, rng: np.random.Generator
) -> Vector:
    """Return which threshold each of many samples with replacement would choose."""
    w = found.weights
    n = max(1, round(float(w.sum() ** 2 / (w @ w))))
    cells = [np.maximum(-np.diff(v[keep]), 0.0) for v in (found.tp, found.fp)]
    share = np.concatenate(cells) / sum(part.sum() for part in cells)
    drawn = rng.multinomial(n, share / share.sum(), size=SAMPLES).astype(np.float64)
    tp, fp = (from_above(part) for part in np.split(drawn, 2, axis=1))
    return mean_cost(Lambda, tp, fp, tp[:, :1], fp[:, :1]).argmin(axis=1)


def held_out_cost(
    found: Counts, keep: Vector, Lambda: Floats, rng: np.random.Generator
) -> float:
    """Return (6)."""
    cell = np.searchsorted(found.thresholds[keep], found.scores, side="right") - 1
    n, g = len(cell), len(keep) - 1
    F = min(FOLDS, n)
    place = cell + np.where(found.positive, 0, g)
    total = 0.0
    for _ in range(DEALS):
        fold = rng.permutation(np.arange(n) % F)
        sums = np.bincount(fold * 2 * g + place, found.weights, minlength=2 * g * F)
        inside = np.split(sums.astype(np.float64).reshape(F, 2 * g), 2, axis=1)
        tp, fp = (from_above(part) for part in inside)  # (F, g + 1)
        outer_tp, outer_fp = found.tp[keep] - tp, found.fp[keep] - fp
        P, N = outer_tp[:, :1], outer_fp[:, :1]
        best = mean_cost(Lambda, outer_tp, outer_fp, P, N).argmin(axis=1)
        each = mean_cost(Lambda, tp, fp, tp[:, :1], fp[:, :1], total=found.P + found.N)
        total += float(each[np.arange(F), best].sum())
    return total / DEALS


def from_above(cells: Floats) -> Floats:
    """Sum the cells from the last one down, nothing first from the end."""
    sums = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]
    return np.hstack([sums, np.zeros((len(cells), 1))])
