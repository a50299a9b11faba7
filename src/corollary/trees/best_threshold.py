"""The best threshold on one feature, from rows or from a table of counts.

Also known as: decision stump, optimal cut-off, one-dimensional discriminant.

Values above t are given to one class, the others to the other.  With N_c(v) the weight
of class c = 0, 1 at the value v, and W_c its sum,

    S(t) = sum_{v <= t} [N_1(v) - N_0(v)]                                        (1)
    errors(t, 1 above) = W_0 + S(t),     errors(t, 0 above) = W_1 - S(t)         (2)

so one cumulative sum over the values in order gives the errors of all thresholds, both
ways round.  Every t between two values makes the same decisions; all intervals of
thresholds that share the least error are returned, and t is the middle of the first.

Notation: v = values; N (2, m) = counts; t = threshold.
Course: S3-3. Reference: Duda, Hart and Stork (2001), 1.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import non_negative, numbers
from corollary.trees.sorted_columns import middle

__all__ = [
    "BestThreshold",
    "ThresholdInterval",
    "best_threshold",
    "best_threshold_of_counts",
]

SLACK = 1e-12  # share of the weight below which errors are equal


@dataclass(frozen=True)
class ThresholdInterval:
    """Thresholds in [low, high) that make the same errors, one way round.

    Attributes
    ----------
    low, high : float
        Infinite where all values lie on one side.
    above : label
        The class of larger values.
    """

    low: float
    high: float
    above: Any

    @property
    def threshold(self) -> float:
        """The middle; the finite end where the other is infinite."""
        if not np.isfinite(self.low):
            return float(np.nextafter(self.high, -np.inf))
        return middle(self.low, self.high) if np.isfinite(self.high) else self.low


@dataclass(frozen=True)
class BestThreshold:
    """A threshold of least error.

    Attributes
    ----------
    threshold : float
    below, above : labels
        The class of values at most the threshold, and of larger ones.
    errors : float
        Weight of what is on the wrong side.
    error : float
        Its share of the whole weight.
    intervals : tuple of ThresholdInterval
        All thresholds of this error.
    values : array of shape (m,)
    counts : array of shape (2, m)
        Weight of each class at each value.
    labels : tuple of 2
    """

    threshold: float
    below: Any
    above: Any
    errors: float
    error: float
    intervals: tuple[ThresholdInterval, ...]
    values: Floats
    counts: Floats
    labels: tuple[Any, Any]

    def errors_at(self, t: float, above: Any = None) -> float:
        """Return the weight on the wrong side of another threshold.

        Parameters
        ----------
        t : float
        above : label, optional
            The class of larger values; that of the best threshold by default.
        """
        high = self.above if above is None else above
        if high not in self.labels:
            must = f"above must be one of {list(self.labels)}"
            raise DataError(sentence("errors_at", must, repr(above)))
        c = self.labels.index(high)
        low_side = self.values <= t
        wrong = self.counts[c, low_side].sum() + self.counts[1 - c, ~low_side].sum()
        return float(wrong)

    def predict(self, x: Any) -> Vector:
        """Return the class of each value."""
        pair = np.array([self.below, self.above])
        return pair[(numbers("predict", x, "x") > self.threshold).astype(int)]

    def __str__(self) -> str:
        lines = [
            f"x > {self.threshold:g}: {self.above}, else {self.below}; "
            f"error {self.errors:g} of {self.counts.sum():g} ({self.error:.1%})",
            *(f"  [{i.low:g}, {i.high:g})  above: {i.above}" for i in self.intervals),
        ]
        return "\n".join(lines)


def best_threshold(x: Any, y: Any, sample_weight: Any = None) -> BestThreshold:
    """Return the threshold on one feature that makes the least error.

    Parameters
    ----------
    x : array of shape (n,)
        Values of the feature.
    y : array of shape (n,)
        Two labels.
    sample_weight : array of shape (n,), optional
        Weights >= 0.

    Returns
    -------
    BestThreshold

    Examples
    --------
    >>> from corollary.trees import best_threshold
    >>> print(best_threshold([1, 2, 4, 8], ["salmon", "salmon", "bass", "bass"]))
    x > 3: bass, else salmon; error 0 of 4 (0.0%)
      [2, 4)  above: bass
    """
    who = "best_threshold"
    x, y = numbers(who, x, "x"), np.asarray(y)
    if x.ndim != 1 or y.shape != x.shape or not len(x):
        must = "x and y must be vectors of one length, 1 or more"
        raise DataError(sentence(who, must, f"shapes {x.shape} and {y.shape}"))
    w = np.ones(len(x)) if sample_weight is None else sample_weight
    w = non_negative(who, w, "sample_weight")
    if w.shape != x.shape:
        must = f"sample_weight must hold {len(x)} numbers"
        raise DataError(sentence(who, must, f"shape {w.shape}"))
    x, y, w = x[w > 0], y[w > 0], w[w > 0]
    values, place = np.unique(x, return_inverse=True)
    labels, z = np.unique(y, return_inverse=True)
    if len(labels) != 2:
        must = "y must hold two classes that have weight"
        raise DataError(sentence(who, must, f"{len(labels)}"))
    counts = np.bincount(z * len(values) + place, w, 2 * len(values))
    return best_threshold_of_counts(values, counts.reshape(2, -1), labels.tolist())


def best_threshold_of_counts(
    values: Any, counts: Any, labels: Any = (0, 1)
) -> BestThreshold:
    """Return the threshold of least error, from counts of two classes.

    Parameters
    ----------
    values : array of shape (m,)
        The values, or the bins, in rising order.
    counts : array of shape (2, m)
        How often each class has each value.
    labels : sequence of 2
        Names of the classes.

    Returns
    -------
    BestThreshold

    Examples
    --------
    >>> from corollary.trees import best_threshold_of_counts
    >>> bass, salmon = [0, 1, 3, 8, 10, 5], [2, 5, 10, 5, 1, 0]
    >>> best = best_threshold_of_counts(
    ...     [2, 4, 8, 10, 12, 14], [bass, salmon], ["bass", "salmon"]
    ... )
    >>> best.threshold, best.above, best.errors, best.error
    (9.0, 'bass', 10.0, 0.2)
    >>> best.errors_at(5)
    17.0
    """
    who = "best_threshold_of_counts"
    values = numbers(who, values, "values")
    N, names = non_negative(who, counts, "counts"), tuple(labels)
    good = values.ndim == 1 and N.shape == (2, len(values)) and len(names) == 2
    if not good or not len(values) or (np.diff(values) <= 0).any():
        must = "values must rise, with counts of two named classes at each of them"
        came = f"shapes {values.shape} and {N.shape}, {len(names)} labels"
        raise DataError(sentence(who, must, came))
    W = N.sum(axis=1)
    if not 0 < W.sum() < np.inf:
        raise DataError(sentence(who, "counts must not all be 0", f"{W.sum():g}"))
    S = np.concatenate([[0.0], np.cumsum(N[1] - N[0])])  # (1) after 0 ... m values
    errors = np.stack([W[1] - S, W[0] + S])  # (2), by the class above
    least, total = max(float(errors.min()), 0.0), float(W.sum())
    as_good = errors <= least + SLACK * total
    ends = np.concatenate([[-np.inf], values, [np.inf]])
    every = [run for c in (0, 1) for run in runs(as_good[c], ends, names[c])]
    found = sorted(every, key=lambda run: not np.isfinite([run.low, run.high]).all())
    first = found[0]
    below = names[1 - names.index(first.above)]
    return BestThreshold(
        first.threshold,
        below,
        first.above,
        least,
        least / total,
        tuple(found),
        values,
        N,
        (names[0], names[1]),
    )


def runs(as_good: Vector, ends: Floats, above: Any) -> list[ThresholdInterval]:
    """Join neighbouring cuts that are as good as the best into intervals.

    >>> ends = np.array([-np.inf, 1.0, 2.0, 3.0, np.inf])
    >>> runs(np.array([False, True, True, False]), ends, "a")
    [ThresholdInterval(low=1.0, high=3.0, above='a')]
    """
    steps = np.diff(np.concatenate([[0], as_good.astype(int), [0]]))
    begins, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    pairs = zip(ends[begins].tolist(), ends[stops].tolist(), strict=True)
    return [ThresholdInterval(low, high, above) for low, high in pairs]
