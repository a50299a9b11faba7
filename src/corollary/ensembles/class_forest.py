"""Forests of classification trees.

Also known as: tree ensembles that vote.

Course: S2-48.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import accuracy_score

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import one_of
from corollary.core.report import Report
from corollary.core.warn import warn
from corollary.engine.sources.source import Chunk
from corollary.ensembles.forest import FOREST_RULES, Forest
from corollary.trees.class_shares import log_shares, shares_of, winners
from corollary.trees.decision_tree_classifier import DecisionTreeClassifier
from corollary.trees.growing import Sampling, label_targets
from corollary.trees.label_weights import LABEL_WEIGHTS, labels_weighted

__all__ = ["CLASS_FOREST_RULES", "ClassForest"]

CLASS_FOREST_RULES = {
    **FOREST_RULES,
    "criterion": one_of("gini", "entropy", "log_loss"),
    "class_weight": LABEL_WEIGHTS | one_of("balanced_subsample"),
}
PRESETS = ("balanced", "balanced_subsample")


class ClassForest(Forest):
    """A forest of classification trees."""

    member: ClassVar[Any] = DecisionTreeClassifier
    classes_: Any

    def _learn_classes(self, rows: Chunk, report: Report) -> None:
        """Grow the trees, and score the rows out of bag where asked to."""
        learner: Any = self
        targets = label_targets(self, rows.y)
        self.n_classes_: Any = targets.n_classes
        if not isinstance(self.classes_, list):
            self.n_classes_ = int(targets.n_classes[0])
        each = learner.class_weight == "balanced_subsample" and learner.bootstrap
        weight = self._weights(rows, each)
        sampling = self._sampling(rows, weight, balanced=each)
        self._plant(rows, targets, sampling)
        if learner.oob_score:
            self._score_out_of_bag(rows, sampling)
        self._account(report)

    def _weights(self, rows: Chunk, each: bool) -> Floats | None:
        """Return the rows' weights times those of their classes."""
        learner: Any = self
        asked = learner.class_weight
        if learner.warm_start and isinstance(asked, str) and asked in PRESETS:
            text = (
                f'class_weight presets such as "{asked}" are not recommended for '
                "warm_start if the data of a fit differs from that of the last."
            )
            warn(f"{type(self).__name__}: {text}", UserWarning)
        if each:
            return None if rows.w is None else rows.w.astype(np.float64)
        return labels_weighted(self, rows.y, rows.w)

    def _score_out_of_bag(self, rows: Chunk, sampling: Sampling) -> None:
        """Set the class shares and the score of the rows out of bag."""
        learner: Any = self
        y = rows.y
        if y.ndim == 2 and y.max() > 1:
            must = "oob_score of several outputs needs two classes each"
            came = "Unknown label type: multiclass-multioutput"
            raise DataError(sentence(self, must, came))
        shares = self._out_of_bag(rows, sampling)  # (n, m, K)
        if y.ndim == 1:
            self.oob_decision_function_ = shares[:, 0]
        else:
            self.oob_decision_function_ = shares.transpose(0, 2, 1)
        score = learner.oob_score if callable(learner.oob_score) else accuracy_score
        best = shares.argmax(axis=2)
        self.oob_score_ = score(y, best if y.ndim == 2 else best[:, 0])

    # -- use -----------------------------------------------------------------------
    def _winners(self, X: Any) -> Vector:
        return winners(self, self._mean(X))

    def _shares(self, X: Any) -> Any:
        return shares_of(self, self._mean(X))

    def _log_shares(self, X: Any) -> Any:
        return log_shares(self._shares(X))
