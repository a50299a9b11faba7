"""Decision stumps: one feature, one threshold, exactly.

Also known as: one-rule tree, one-level decision tree, weighted stump, weak learner.

A stump asks whether x_j > t.  For two classes y = -1, +1 it answers

    h(x) = a if x_j > t, else -a,     a = -1, +1 the polarity                    (1)

so with h the class of stumps holds -h; thresholds t = -inf make the two constants.  The
weighted error needs one sum over the rows on the low side:

    S_j(t) = sum_{i: x_ij <= t} w_i y_i                                          (2)
    err(j, t, +1) = W- + S_j(t),     err(j, t, -1) = W+ - S_j(t)                 (3)
    err(j, t, -a) = W - err(j, t, a)                                             (4)

with W+, W- and W the weights of the classes and of all.  A sweep over the sorted rows
gives (2) at every cut, so that the least error over all features, thresholds and
polarities takes O(n d) after sorting; it is the minimum, not an estimate.  By (4) the
error is at most W/2.

For more classes each side answers its majority, and the error is what is left:

    err(j, t) = W - max_c N_c(x_j <= t) - max_c N_c(x_j > t)                     (5)

for two classes the same minimum as (3).  The threshold is the middle of the gap between
two values.  Of equal errors the first wins: a constant, then the lowest feature, then
the lowest threshold.

All rows are sorted at once; `ID3Classifier(max_depth=1)` on binned columns needs counts
only and is the relative that scales.

Notation: X (n, d); w = sample_weight; j = feature_; t = threshold_; a = polarity_;
N (2, k) = side_weights_, below and above.
Course: S2-20. References: Iba and Langley (1992); Freund and Schapire (1997).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.trees.sorted_columns import SortedColumns, presorted, threads_for

__all__ = ["DecisionStumpClassifier", "Stump", "best_stump"]

SLACK = 1e-12  # share of the weight below which errors are equal


@readable
@dataclass(frozen=True)
class Stump:
    """A stump (1) and its weighted error.

    Attributes
    ----------
    feature : int
    threshold : float
        Minus infinity for a constant.
    polarity : int
        +1 where values above the threshold are of the positive class, else -1.
    error : float
        Weight of the rows on the wrong side.
    weight : float
        Weight of all rows.
    low, high : float
        Every threshold in [low, high) classifies the rows alike.
    """

    feature: int
    threshold: float
    polarity: int
    error: float
    weight: float
    low: float
    high: float

    def predict(self, X: Floats) -> Floats:
        """Return (1), -1.0 or +1.0, for each row."""
        above = X[:, self.feature] > self.threshold
        return np.where(above, float(self.polarity), -float(self.polarity))

    def __neg__(self) -> Stump:
        other = self.weight - self.error  # (4)
        return replace(self, polarity=-self.polarity, error=other)


def best_stump(columns: SortedColumns, y: Any, w: Any = None) -> Stump:
    """Return the stump of the least weighted error, exactly.

    Parameters
    ----------
    columns : SortedColumns
        Of `presorted(X)`, made once for any number of calls.
    y : array of shape (n,)
        -1 and +1.
    w : array of shape (n,), optional
        Weights >= 0; 1 for all by default.

    Returns
    -------
    Stump

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.trees import best_stump, presorted
    >>> columns = presorted(np.array([[1.0], [2.0], [3.0], [4.0]]))
    >>> stump = best_stump(columns, [1, 1, -1, 1], [1.0, 1.0, 5.0, 1.0])
    >>> stump.threshold, stump.polarity, stump.error
    (2.5, -1, 1.0)
    """
    s, W = signed_weights(columns, y, w)
    positive = 0.5 * (W + s.sum())
    d, slack = len(columns.order), SLACK * W
    low, high = np.empty(d), np.empty(d)
    at_low, at_high = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    threads = threads_for(columns.X)
    loops.sign_cuts(columns.order, s, slack, low, at_low, high, at_high, threads)
    errors = np.column_stack([W - positive + low, positive - high])  # (3), (d, 2)
    constant = min(W - positive, positive)
    if errors.min() < constant - slack:
        j, side = divmod(int((errors <= errors.min() + slack).argmax()), 2)
        place, error = int((at_high if side else at_low)[j]), float(errors[j, side])
    else:
        j, side, place, error = 0, int(W > 2 * positive), -1, float(constant)
    gap = columns.gap(j, place)
    polarity = -1 if side else 1
    error = max(error, 0.0)
    return Stump(j, gap.threshold, polarity, error, W, gap.low, gap.high)


def signed_weights(columns: SortedColumns, y: Any, w: Any) -> tuple[Vector, float]:
    """Return w_i y_i of each row and the weight of all; check their shapes."""
    n = len(columns.X)
    s = np.array(y, dtype=np.float64)
    if s.shape != (n,) or not n or not len(columns.order) or (np.abs(s) != 1).any():
        must = f"y must hold -1 or +1 for each of {n} rows of at least one column"
        raise DataError(sentence("best_stump", must, f"shape {s.shape}"))
    if w is None:
        return s, float(n)
    w = np.asarray(w, dtype=np.float64)
    W = float(w.sum())
    if w.shape != (n,) or w.min() < 0 or not 0 < W < np.inf:
        must = f"w must hold a weight >= 0 for each of {n} rows, not 0 for all"
        raise DataError(sentence("best_stump", must, f"shape {w.shape}, sum {W:g}"))
    s *= w
    return s, W


class DecisionStumpClassifier(RowsLearner, Classifier):
    """The best single threshold on a single feature, for weighted rows, exactly.

    Parameters
    ----------
    class_weight : dict, 'balanced' or None
        Weight of each class, by which those of its rows are multiplied; 'balanced'
        gives all classes the same in all.

    Attributes
    ----------
    classes_ : array of shape (k,)
    feature_ : int
        The feature that is asked.
    threshold_ : float
        Values above it lie on the upper side; minus infinity where no threshold is
        better than one answer for all rows.
    interval_ : array of shape (2,)
        Every threshold in [low, high) classifies the training rows alike.
    polarity_ : int
        With two classes: +1 where rows above are in ``classes_[1]``, else -1; 0 with
        more classes.
    side_weights_ : array of shape (2, k)
        Weight of each class below and above.
    error_ : float
        Share of the weight on the wrong side, the least that any stump has.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionStumpClassifier
    >>> X = np.array([[5.0, 1.0], [2.0, 2.0], [7.0, 3.0], [4.0, 4.0]])
    >>> model = DecisionStumpClassifier().fit(X, ["a", "a", "b", "b"])
    >>> model.feature_, model.threshold_, model.error_
    (1, 2.5, 0.0)
    >>> model.predict([[0.0, 9.0]]).tolist()
    ['b']
    """

    shapes: ClassVar = {"classes_": "k", "interval_": "2", "side_weights_": "2 k"}
    may_be_infinite = ("threshold_", "interval_")
    rules: ClassVar = {"class_weight": class_weight_rule}

    def __init__(self, *, class_weight: Any = None) -> None:
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Sort the features and sweep over them."""
        w = np.ones(rows.n) if rows.w is None else rows.w.astype(np.float64)
        totals: Any = np.bincount(rows.y, w, len(self.classes_))
        w = w * stated_class_weights(self, totals)[rows.y]
        self.choose(presorted(rows.X), rows.y, w)
        report.objective, report.passes = [self.error_], 1
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["n_errors"] = self.error_ * float(w.sum())
        if self.threshold_ == -np.inf:
            report.warnings.append(
                "no threshold is better than one answer for all rows; give other "
                "features, or grow a tree."
            )

    def choose(self, columns: SortedColumns, z: Vector, w: Floats) -> Vector:
        """Set the best stump of columns that are sorted; return the side of each row.

        Parameters
        ----------
        columns : SortedColumns
        z : array of shape (n,), int32
            Codes of `classes_`.
        w : array of shape (n,)
            Weights.

        Returns
        -------
        array of shape (n,)
            Whether a row lies above the threshold.
        """
        k = len(self.classes_)
        if k == 2:
            stump = best_stump(columns, np.where(z == 1, 1.0, -1.0), w)
        else:
            stump = best_majorities(columns, z, w, k)
        self.feature_, self.threshold_ = stump.feature, stump.threshold
        self.interval_ = np.array([stump.low, stump.high])
        self.polarity_ = stump.polarity
        above = columns.X[:, stump.feature] > stump.threshold
        self.side_weights_ = np.bincount(above * k + z, w, 2 * k).reshape(2, k)
        self.error_ = stump.error / stump.weight
        return above.astype(np.intp)

    @property
    def feature_importances_(self) -> Floats:
        """1 for the feature that is asked, 0 for the others and for a constant."""
        check_is_fitted(self)
        found = np.zeros(self.n_features_in_)
        found[self.feature_] = float(self.threshold_ != -np.inf)
        return found

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any) -> Floats:
        """Return the share of each class on the row's side, (n, k)."""
        sides, N = self._sides(X), self.side_weights_
        total = N.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, N / np.where(total > 0, total, 1), 1 / N.shape[1])
        return shares[sides]

    def predict(self, X: Any) -> Vector:
        """Return the majority on the row's side."""
        sides = self._sides(X)
        return self.classes_[self.side_weights_.argmax(axis=1)[sides]]

    def _sides(self, X: Any) -> Vector:
        X = self._query(X)
        return (X[:, self.feature_] > self.threshold_).astype(np.intp)


def best_majorities(columns: SortedColumns, z: Vector, w: Vector, k: int) -> Stump:
    """Return the stump of the least (5), whose polarity is 0."""
    W, d = float(w.sum()), len(columns.order)
    best, at = np.empty(d), np.empty(d, dtype=np.int64)
    slack, threads = SLACK * W, threads_for(columns.X)
    loops.class_cuts(columns.order, z, w, k, slack, best, at, threads)
    j = int((best >= best.max() - slack).argmax())
    gap = columns.gap(j, int(at[j]))
    error = max(W - float(best[j]), 0.0)
    return Stump(j, gap.threshold, 0, error, W, gap.low, gap.high)
