"""Regression trees: CART.

Also known as: regression tree, CART, piecewise constant regression.

A tree cuts the space of features into boxes, by one feature and one threshold at a
time, and answers with the mean of y in the box of a row.  Each cut of a node N
is the one with the least impurity left (see `growing.py` for H and the details)

    (j, t) = argmin  w(L) H(L) + w(R) H(R),   L = {x in N: x_j <= t}, R = rest     (1)
    f(x) = mean of y in the leaf of x, or its median for 'absolute_error'            (2)

With the squared error the decrease of (1) is Friedman's gain

    w(L) w(R) / (w(L) + w(R)) (mean_L - mean_R)^2                                    (3)

A tree grown until its leaves are pure has learned the noise: stopping rules, or pruning
by `ccp_alpha` (`cost_complexity.py`), hold it back.

It needs all rows at once: their columns are sorted, once for all nodes.  A forest of
trees (`RandomForestRegressor`) is steadier.

Notation: N, L, R = sets of rows; w = their weight; H = impurity; f = predict.
Course: S2-46. References: Breiman, Friedman, Olshen and Stone (1984).
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

__all__ = ["DecisionTreeRegressor"]


class DecisionTreeRegressor(TreeLearner, Regressor):
    """A regression tree.

    Parameters
    ----------
    criterion : {'squared_error', 'friedman_mse', 'absolute_error', 'poisson'}
        The impurity H of (1), 'squared_error' by default; 'friedman_mse' asks for the
        same splits by (3).
    splitter : {'best', 'random'}, default='best'
        Whether all thresholds of a feature are tried, or one that is drawn.
    max_depth : int, optional
        Splits on a way down at most.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that both sides of a split need; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Share of all weight that both sides of a split need.
    max_features : int, float, {'sqrt', 'log2'} or None
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
    >>> from corollary import DecisionTreeRegressor
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.array([1.0, 1, 1, 5, 5, 5, 2, 2])
    >>> model = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    >>> model.predict([[0.0], [4.0], [9.0]]).tolist()
    [1.0, 5.0, 2.0]
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
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
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
