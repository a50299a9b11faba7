"""Classification trees: CART.

Also known as: classification tree, CART, recursive partitioning, C&RT.

A tree cuts the space of features into boxes, by one feature and one threshold at a
time, and answers with the shares of the classes in the box of a row.  Each cut of a
node N is the one with the least impurity left (see `growing.py` for H and details)

    (j, t) = argmin  w(L) H(L) + w(R) H(R),   L = {x in N: x_j <= t}, R = rest     (1)
    p(k | x) = share of class k in the leaf of x                                     (2)

For two classes the Gini impurity is 2 p (1 - p), the chance that a label drawn from the
node is wrong for a row drawn from it.  The greedy cuts need not lead to the best tree,
which is NP-hard to find, and a tree grown until its leaves are pure has learned the
noise: stopping rules, or pruning by `ccp_alpha` (`cost_complexity.py`), hold it back.

It needs all rows at once: their columns are sorted, once for all nodes.  A forest of
trees (`RandomForestClassifier`) is steadier.

Notation: N, L, R = sets of rows; w = their weight; H = impurity; p = predict_proba.
Course: S2-46. References: Breiman, Friedman, Olshen and Stone (1984).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.arrays import Vector
from corollary.core.parameters import one_of
from corollary.core.report import Report
from corollary.core.roles import Classifier
from corollary.engine.sources.source import Chunk
from corollary.trees.class_shares import log_shares, shares_of, winners
from corollary.trees.growing import TREE_RULES, label_targets
from corollary.trees.label_weights import LABEL_WEIGHTS, labels_weighted
from corollary.trees.tree_learner import TreeLearner

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(TreeLearner, Classifier):
    """A classification tree.

    Parameters
    ----------
    criterion : {'gini', 'entropy', 'log_loss'}, default='gini'
        The impurity H of (1); 'log_loss' is another name of 'entropy'.
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
    class_weight : dict, list of dicts, 'balanced' or None
        Weights of the classes; 'balanced' makes all classes weigh alike.
    ccp_alpha : float, default=0.0
        Price of a leaf: the tree is pruned to the minimum of impurity plus price.
    monotonic_cst : array of shape (d,), optional
        1: the share of the second class must not fall as the feature rises; -1: it must
        not rise; 0: either.  For two classes.
    max_bins : int, optional
        Thresholds of a column that are tried, at most (2 to 255), values in between
        sharing a bin: faster on many rows; None tries them all.
    categorical_features : array of bool, int or str, optional
        Columns of categories, whole numbers >= 0, which are split by sets.

    Attributes
    ----------
    classes_ : array of shape (K,), or list of such
        The classes; a list where y has several columns.
    n_classes_ : int or array
    n_outputs_ : int
    max_features_ : int
    tree_ : Tree
        The tree as arrays of nodes.
    feature_importances_ : array of shape (d,)
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> model.get_n_leaves(), round(model.score(X, y), 3)
    (3, 0.96)
    >>> model.predict_proba(X[:1]).tolist()
    [[1.0, 0.0, 0.0]]
    """

    theory = ("tree",)
    takes_sparse = True
    double_squares = True
    takes_many_labels = True
    rules: ClassVar = {
        **TREE_RULES,
        "criterion": one_of("gini", "entropy", "log_loss"),
        "splitter": one_of("best", "random"),
        "class_weight": LABEL_WEIGHTS,
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Grow the tree from the rows' classes."""
        targets = label_targets(self, rows.y)
        weight = labels_weighted(self, rows.y, rows.w)
        self._grow(rows, targets, weight, report)
        sizes = targets.n_classes
        self.n_classes_ = sizes if isinstance(self.classes_, list) else int(sizes[0])

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, check_input: bool = True) -> Vector:
        """Return the class of largest share in each row's leaf.

        Parameters
        ----------
        X : array or CSR matrix
        check_input : ignored
            Kept for compatibility; X is checked.
        """
        leaf = self.apply(X)
        return winners(self, self.tree_.value[leaf])

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Return the share of each class (2), a list of such for several outputs.

        Parameters
        ----------
        X : array or CSR matrix
        check_input : ignored
            Kept for compatibility; X is checked.
        """
        leaf = self.apply(X)
        return shares_of(self, self.tree_.value[leaf])

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of each class's share."""
        return log_shares(self.predict_proba(X))
