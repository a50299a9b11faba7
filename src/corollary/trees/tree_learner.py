"""What all learners of one tree share: its size, its paths, its importances.

Also known as: decision tree estimator.

Course: S2-46.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import ModelFileError
from corollary.core.randomness import entropy
from corollary.core.report import Optimality, Report, StopReason
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.trees.cost_complexity import pruned, pruning_path
from corollary.trees.growing import Sampling, Targets, count_of_features, grow_trees
from corollary.trees.rank_codes import RankCodes, categorical_columns, rank_codes
from corollary.trees.tree import Tree

__all__ = ["TreeLearner", "coded_bytes"]

SCRATCH = 2.0**28  # bytes of columns while they are coded


class TreeLearner(RowsLearner):
    """A learner of one tree."""

    tree_: Tree
    n_features_in_: int

    def _grow(
        self, rows: Chunk, targets: Targets, w: Floats | None, report: Report
    ) -> None:
        """Grow and prune the tree, and report its size."""
        learner: Any = self
        columns = categorical_columns(self, rows.X.shape[1])
        codes = rank_codes(self, rows.X, learner.max_bins, columns)
        self.plant(codes, targets, w)
        report.stop = StopReason.CONVERGED
        report.optimality = Optimality("greedy: no bound to the best tree", None)
        report.facts["n_leaves"] = self.tree_.n_leaves
        report.facts["depth"] = self.tree_.max_depth

    def plant(self, codes: RankCodes, targets: Targets, w: Floats | None) -> None:
        """Grow and prune the tree from columns that are coded, perhaps for many trees.

        Parameters
        ----------
        codes : RankCodes
        targets : Targets
        w : array of shape (n,), optional
            Weights above 0.
        """
        learner: Any = self
        d = len(codes.counts)
        seeds = np.array([entropy(learner.random_state)], np.uint64)
        random = learner.splitter == "random"
        [tree] = grow_trees(self, codes, targets, seeds, Sampling(w), random=random)
        self.tree_ = pruned(tree, learner.ccp_alpha)
        self.max_features_ = count_of_features(learner.max_features, d)
        self.n_outputs_ = len(targets.n_classes)

    def takes_missing(self) -> bool:
        """Take NaN for a missing value."""
        return True

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory of the codes, the values and the nodes."""
        return coded_bytes(rows, features)

    def _audit(self) -> None:
        """Refuse a tree of other features or outputs: files can alter it."""
        tree = self.tree_
        good = isinstance(tree, Tree) and tree.n_features == self.n_features_in_
        if not good or tree.n_outputs != self.n_outputs_:
            raise ModelFileError("tree_ must be a tree of the model's features")
        classes: Any = getattr(self, "classes_", None)
        if classes is not None:
            several = classes if isinstance(classes, list) else [classes]
            if [len(c) for c in several] != tree.n_classes.tolist():
                raise ModelFileError("tree_ must have the classes of the model")

    # -- use -----------------------------------------------------------------------
    def get_depth(self) -> int:
        """Return the number of splits on the longest way down."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def apply(self, X: Any, check_input: bool = True) -> Vector:
        """Return the number of each row's leaf.

        Parameters
        ----------
        X : array or CSR matrix
        check_input : ignored
            Kept for compatibility; X is checked.
        """
        rows = self._asked(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Return which nodes each row passes, as a CSR matrix of ones.

        Parameters
        ----------
        X : array or CSR matrix
        check_input : ignored
            Kept for compatibility; X is checked.
        """
        rows = self._asked(X)
        return self.tree_.decision_path(rows)

    @property
    def feature_importances_(self) -> Floats:
        """The decrease of impurity by each feature, as shares of all."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Return `ccp_alphas` from which on subtrees are best, and their `impurities`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            ccp_alphas : the effective alphas of the cuts, rising from 0;
            impurities : the impurity of all leaves after each.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        alphas, impurities = pruning_path(whole.tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def _asked(self, X: Any) -> Any:
        return self._query(X)  # type: ignore[attr-defined]


def coded_bytes(rows: int, features: int) -> float:
    """Estimate the memory of rank codes, their values, and one tree's nodes."""
    kept = rows * (14.0 * features + 300.0)
    return kept + min(24.0 * rows * features, SCRATCH * get_config().threads)
