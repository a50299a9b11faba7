"""One extremely randomised tree that predicts numbers: its thresholds are drawn.

Also known as: extra-tree, randomised tree.

A node draws some features and for each of them one threshold, uniform between its least
and its largest value, and takes the pair of least impurity (see `growing.py`):

    t_j ~ U(min x_j, max x_j),   j* = argmin_j  w(L_j) H(L_j) + w(R_j) H(R_j)        (1)
    f(x) = mean of y in the leaf of x                                            (2)

A tree by itself is weak; `ExtraTreesRegressor` takes the mean of many.
It needs all rows at once.

Notation: L_j, R_j = the rows of a node with x_j <= t_j, and the others; w = their
weight; H = impurity.
Course: S2-48. References: Geurts, Ernst and Wehenkel (2006).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.arrays import Floats
from corollary.core.parameters import one_of
from corollary.core.report import Report
from corollary.core.roles import Regressor
from corollary.engine.sources.source import Chunk
from corollary.trees.growing import TREE_RULES, number_targets
from corollary.trees.tree_learner import TreeLearner

__all__ = ["ExtraTreeRegressor"]


class ExtraTreeRegressor(TreeLearner, Regressor):
    """An extremely randomised regression tree.

    Parameters
    ----------
    criterion : {'squared_error', 'friedman_mse', 'absolute_error', 'poisson'}
        The impurity H of (1), 'squared_error' by default; 'friedman_mse' is the same.
    splitter : {'random', 'best'}, default='random'
        Whether one threshold of a feature is drawn, or all are tried.
    max_depth : int, optional
        Splits on a way down at most.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that both sides of a split need; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Share of all weight that both sides of a split need.
    max_features : int, float, {'sqrt', 'log2'} or None, default=1.0
        Features that a node looks at, drawn anew for each; None = all.
    random_state : int, RandomState or None
        Seed of the draws.
    max_leaf_nodes : int, optional
        Leaves at most; the node whose split gains most is split first.
    min_impurity_decrease : float, default=0.0
        What a split must lower the impurity by, times the node's share of the weight.
    ccp_alpha : float, default=0.0
        Price of a leaf: the tree is pruned to the minimum of impurity plus price.
    monotonic_cst : array of shape (d,), optional
        1: the answer must not fall as the feature rises; -1: it must not rise; 0:
        either.  For one output.
    max_bins : int, optional
        Thresholds of a column that are tried, at most (2 to 255), values in between
        sharing a bin: faster on many rows; None tries them all.
    categorical_features : array of bool, int or str, optional
        Columns of categories, whole numbers >= 0, which are split by sets.

    Attributes
    ----------
    n_outputs_ : int
    max_features_ : int
    tree_ : Tree
        The tree as arrays of nodes.
    feature_importances_ : array of shape (d,)
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ExtraTreeRegressor
    >>> X = np.arange(8.0)[:, None]
    >>> ExtraTreeRegressor(random_state=0).fit(X, X[:, 0]).predict([[3.0]]).tolist()
    [3.0]
    """

    takes_sparse = True
    double_squares = True
    rules: ClassVar = {
        **TREE_RULES,
        "criterion": one_of(
            "squared_error", "friedman_mse", "absolute_error", "poisson"
        ),
        "splitter": one_of("best", "random"),
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        max_bins: int | None = None,
        categorical_features: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Grow the tree from the rows' numbers."""
        w = None if rows.w is None else rows.w.astype("float64")
        self._grow(rows, number_targets(self, rows.y), w, report)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, check_input: bool = True) -> Floats:
        """Return the value of each row's leaf (2), (n,) or (n, m).

        Parameters
        ----------
        X : array or CSR matrix
        check_input : ignored
            Kept for compatibility; X is checked.
        """
        leaf = self.apply(X)
        values = self.tree_.value[leaf, :, 0]
        return values[:, 0] if self.n_outputs_ == 1 else values
