"""Extremely randomised trees that classify: thresholds are drawn, not searched.

Also known as: extra-trees, randomised trees.

Grow T trees, by default each from all rows.  A node draws some features and for each of
them one threshold, uniform between its least and its largest value, and takes the best:

    p(k | x) = (1/T) sum_t p_t(k | x)                                                (1)

The draws make the trees differ more than a bootstrap does, so their mean varies less,
and no threshold has to be searched for; single trees are weaker.

It needs all rows at once.  `RandomForestClassifier` searches the thresholds.

Notation: T = n_estimators; p = predict_proba.
Course: S2-48. References: Geurts, Ernst and Wehenkel (2006).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.arrays import Vector
from corollary.core.report import Report
from corollary.core.roles import Classifier
from corollary.engine.sources.source import Chunk
from corollary.ensembles.class_forest import CLASS_FOREST_RULES, ClassForest
from corollary.trees.extra_tree_classifier import ExtraTreeClassifier

__all__ = ["ExtraTreesClassifier"]


class ExtraTreesClassifier(ClassForest, Classifier):
    """Extremely randomised classification trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees T.
    criterion : {'gini', 'entropy', 'log_loss'}, default='gini'
        The impurity that splits lower.
    max_depth : int, optional
        Splits on a way down at most.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that both sides of a split need; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Share of all weight that both sides of a split need.
    max_features : {'sqrt', 'log2'}, int, float or None, default='sqrt'
        Features that a node looks at, drawn anew for each; a float is a
        share, None is all.
    max_leaf_nodes : int, optional
        Leaves of a tree at most; the node whose split gains most is split first.
    min_impurity_decrease : float, default=0.0
        What a split must lower the impurity by, times the node's share of the weight.
    bootstrap : bool, default=False
        Whether each tree is grown from rows drawn with replacement, or from all rows.
    oob_score : bool or function, default=False
        Whether to score the forest on rows out of bag, by accuracy or by a function of
        y and its prediction.
    n_jobs : ignored
        Kept for compatibility; `set_config(threads=...)` says how many threads work.
    random_state : int, RandomState or None
        Seed of the draws.
    verbose : ignored
        Kept for compatibility.
    warm_start : bool, default=False
        Whether a further `fit` adds trees to those there are.
    class_weight : dict, list of dicts, 'balanced', 'balanced_subsample' or None
        Weights of the classes; 'balanced' makes all classes weigh alike, and
        'balanced_subsample' does so in each bootstrap sample.
    ccp_alpha : float, default=0.0
        Price of a leaf: each tree is pruned to the minimum of impurity plus price.
    max_samples : int or float, optional
        Rows of a bootstrap sample; a float is a share of all, None as many as rows.
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
    estimators_ : list of ExtraTreeClassifier
    feature_importances_ : array of shape (d,)
    oob_score_ : float
        With `oob_score`: the score of the rows out of bag.
    oob_decision_function_ : array of shape (n, K)
        With `oob_score`: the class shares of the rows out of bag.
    estimators_samples_ : list of arrays
        The rows of each tree.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ExtraTreesClassifier(random_state=0).fit(X, y)
    >>> model.predict(X[[0, 60, 120]]).tolist()
    [0, 1, 2]
    """

    member = ExtraTreeClassifier
    splitter = "random"
    takes_sparse = True
    double_squares = True
    takes_many_labels = True
    of_rows = ("oob_decision_function_", "bag_order_", "bag_weights_")
    rules: ClassVar = CLASS_FOREST_RULES

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        max_bins: int | None = None,
        categorical_features: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
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
        """Grow the trees from the rows' classes."""
        self._learn_classes(rows, report)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the class of largest mean share (1) for each row."""
        return self._winners(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the mean share of each class (1); a list of such for several y."""
        return self._shares(X)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of each class's mean share."""
        return self._log_shares(X)
