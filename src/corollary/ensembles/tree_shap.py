"""Shapley values of trees: which features made an answer what it is.

Also known as: TreeSHAP, SHAP values, feature attributions, additive explanations.

The features play a game whose gain is the answer of a model.  A coalition S of them is
worth v(S), what the model answers where only the features of S are known.  The one way
to share out the gain that is efficient, symmetric, additive, and gives nothing to a
feature which never matters, is (Shapley 1953)

    phi_i = sum_{S without i} |S|! (d - |S| - 1)! / d!  (v(S + i) - v(S))            (1)

    f(x) = base + sum_i phi_i,        base = v(no feature)                           (2)

What is unknown is left to the tree, which sends a row down both branches of a split by
their shares of the training rows (`background=None`, path-dependent), or is taken from
other rows b, and v(S) is the mean of f(x_S, b_rest) (interventional).  The first tells
what the model has seen, the second treats it as a mere function.

(1) is an integral.  With the multilinear extension of v on the diagonal,

    phi_i = int_0^1 (d v / d t_i)(t, ..., t) dt                                      (3)

and for one leaf of value u, o_j = 1 where x takes its branches at feature j, else 0,
and z_j the share of the training rows that take them,

    d v / d t_i = u (o_i - z_i) prod_{j != i} (z_j + t (o_j - z_j))                  (4)

a polynomial in t, which Gauss' rule integrates exactly with half as many points as a
path has features.  All its factors are positive, so that deep trees lose no digits,
unlike sums of weights with changing signs.  The cost is O(nodes x points) for a row.

Two features interact by the mixed derivative, half of it to either,

    phi_ij = 1/2 int_0^1 (d^2 v / d t_i d t_j)(t, ..., t) dt,  sum_j phi_ij = phi_i  (5)

where phi_ii is what is left for feature i alone.

Notation: phi = values; f = the scores of boosting, the class shares or the mean of a
tree or a forest.
References: Shapley (1953); Owen (1972); Lundberg et al. (2020); Yu et al. (2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.forest import Forest
from corollary.ensembles.histogram_boosting import HistogramBoosting
from corollary.ensembles.shap_values import ShapValues
from corollary.trees.feature_columns import FeatureColumns
from corollary.trees.tree import NONE, Tree
from corollary.trees.tree_learner import TreeLearner

__all__ = ["tree_shap"]

TURN = 256  # background rows of one call of the loop


@dataclass(frozen=True)
class TreeSum:
    """A model as base + a sum of trees: what the loops read."""

    trees: list[loops.TreeNodes]
    covers: list[Any]  # (nodes,) float64: rows
    first: Vector  # (trees,) int32: output of the first column of its values
    base: Floats  # (K,)
    depth: int  # splits on the longest way down
    columns: FeatureColumns | None  # that number the categories

    def table(self, X: Matrix) -> Any:
        """Return checked rows as a float64 table, NaN where missing."""
        X = X.toarray() if sp.issparse(X) else X
        X = X if self.columns is None else self.columns.matrix(X)
        return np.ascontiguousarray(X, np.float64)


def tree_shap(
    model: Any, X: Any, background: Any = None, *, interactions: bool = False
) -> ShapValues:
    """Return the Shapley values (1) of the features for each row, exactly.

    Parameters
    ----------
    model : fitted tree, forest or histogram boosting of this library
    X : array of shape (n, d)
        Rows to explain.
    background : array of shape (m, d), optional
        Rows that the unknown features are taken from; None leaves them to the shares of
        the training rows in the branches.
    interactions : bool, default=False
        Whether to return the interactions (5) too, d values for each value.

    Returns
    -------
    ShapValues
        The values: of the scores of a boosting model (`decision_function`, or the
        logarithm of the mean for 'poisson' and 'gamma'), of the class shares of a tree
        or a forest, or of the mean that it predicts.

    Examples
    --------
    >>> from corollary import DecisionTreeRegressor
    >>> from corollary.ensembles import tree_shap
    >>> X, y = [[0, 5], [0, 7], [1, 5], [1, 7]], [0, 0, 4, 8]
    >>> model = DecisionTreeRegressor().fit(X, y)
    >>> found = tree_shap(model, [[1, 7]])
    >>> found.base.tolist(), found.values.tolist()
    ([3.0], [[3.5, 1.5]])
    >>> tree_shap(model, [[1, 7]], background=[[0, 5]]).values.tolist()
    [[6.0, 2.0]]
    """
    total = tree_sum(model)
    checked = rows_of(model, X)
    (n, d), K = checked.shape, len(total.base)
    check_size(n, d, K, interactions)
    rows = total.table(checked)
    out = np.zeros((n, K * d))
    pairs = np.zeros((n, K * d * d)) if interactions else None
    if background is None:
        base = add_by_coverage(total, rows, out, pairs)
    else:
        others = total.table(rows_of(model, background))
        base = add_by_background(total, rows, others, out, pairs)
    values = out.reshape(n, K, d)
    shared = None if pairs is None else completed(pairs.reshape(n, K, d, d), values)
    return ShapValues(
        last_output(values),
        base,
        feature_names(model, d),
        output_names(model, K),
        None if shared is None else last_output(shared),
    )


def rows_of(model: Any, X: Any) -> Any:
    """Check rows as the model does: a matrix, or a table of columns of any type."""
    return model._table(X) if model.takes_columns else model._query(X)


def add_by_coverage(total: TreeSum, rows: Any, out: Any, pairs: Any) -> Floats:
    """Add the values by the shares of the training rows; return the base."""
    base: Any = total.base.copy()
    given = total.trees, total.first, total.covers
    loops.tree_shap(rows, *given, base, out, pairs, get_config().threads)
    return base


def add_by_background(
    total: TreeSum, rows: Any, others: Any, out: Any, pairs: Any
) -> Floats:
    """Add the values against other rows; return the base, their mean answer."""
    most = max(1, min(rows.shape[1], total.depth))
    given = total.trees, total.first, len(total.base), most
    for begin in range(0, len(others), TURN):
        part = others[begin : begin + TURN]
        loops.background_shap(rows, part, *given, out, pairs, get_config().threads)
    for sums in (out, pairs):
        if sums is not None:
            sums /= len(others)
    return background_base(total, others)


def completed(pairs: Floats, values: Floats) -> Floats:
    """Give what no pair takes to the feature alone: rows sum to the values (5)."""
    d = pairs.shape[-1]
    pairs[..., np.arange(d), np.arange(d)] = values - pairs.sum(axis=-1)
    return pairs


def last_output(values: Floats) -> Floats:
    """Return values (n, K, ...) as (n, ..., K), or (n, ...) where K = 1."""
    if values.shape[1] == 1:
        return values[:, 0]
    return np.ascontiguousarray(np.moveaxis(values, 1, -1))


def check_size(n: int, d: int, K: int, interactions: bool) -> None:
    """Refuse values that would not fit in memory."""
    cells = float(n) * K * d * (2.0 + (d if interactions else 0.0))
    what = "a value for each row, feature" + " and pair" * interactions
    check_memory("tree_shap", 8.0 * cells, what, "Explain fewer rows.")


# -- models as sums of trees -----------------------------------------------------------
def tree_sum(model: Any) -> TreeSum:
    """Return the trees of a fitted model, or say which models have them."""
    learns = isinstance(model, TreeLearner | Forest | HistogramBoosting)
    if not learns:
        must = "model must be a tree, a forest or histogram boosting of this library"
        raise ParameterError(sentence("tree_shap", must, type(model).__name__))
    check_is_fitted(model)
    if isinstance(model, HistogramBoosting):
        return boosted_sum(model.trees_, model.columns_)
    trees = [model.tree_] if isinstance(model, TreeLearner) else model._trees()
    if isinstance(getattr(model, "classes_", None), list):
        must = "a classifier must have one output"
        remedy = "Fit one for each output."
        raise DataError(sentence("tree_shap", must, f"{model.n_outputs_}", remedy))
    return mean_sum(trees)


def mean_sum(trees: list[Tree]) -> TreeSum:
    """Return the mean of trees."""
    return TreeSum(
        [loops.TreeNodes(tree.arrays, tree.table / len(trees)) for tree in trees],
        [tree.weighted_n_node_samples for tree in trees],
        np.zeros(len(trees), np.int32),
        np.zeros(trees[0].table.shape[1]),
        max(tree.max_depth for tree in trees),
        None,
    )


def boosted_sum(boosted: BoostedTrees, columns: FeatureColumns) -> TreeSum:
    """Return trees over codes as trees over numbers: a bin ends at its threshold."""
    bins, K = boosted.bins, len(boosted.base)
    inner, feature = boosted.feature >= 0, np.maximum(boosted.feature, 0)
    by_set = inner & bins.categorical[feature]
    threshold = np.where(inner, bins.edges[feature, boosted.bin], float(NONE))
    threshold[by_set] = np.nan
    missing_left = boosted.missing_left.copy()
    code = bins.counts[feature[by_set]]  # that of missing values has its bit in the set
    word = boosted.sets[np.arange(len(code)), code // 32]
    missing_left[by_set] = (word >> (code % 32).astype(np.uint32)) & 1
    number = np.where(by_set, np.cumsum(by_set) - 1, -1).astype(np.int32)
    right = boosted.left + np.int32(1)
    sets = boosted.sets if len(boosted.sets) else None
    trees, depths, covers = [], [0], []
    count = boosted.count.astype(np.float64)
    for begin, end in zip(boosted.starts[:-1], boosted.starts[1:], strict=True):
        cut = slice(int(begin), int(end))
        nodes = (boosted.left, right, boosted.feature, threshold, missing_left)
        of_sets = (None, None) if sets is None else (number[cut], sets)
        arrays = (*(part[cut] for part in nodes), *of_sets)
        trees.append(loops.TreeNodes(arrays, boosted.value[cut, None]))
        depths.append(depth_of(arrays))
        covers.append(count[cut])
    first = (np.arange(len(trees)) % K).astype(np.int32)
    base = boosted.base.copy()
    return TreeSum(trees, covers, first, base, max(depths), columns)


def depth_of(arrays: tuple[Any, ...]) -> int:
    """Return the number of splits on the longest way down."""
    left, right, feature = arrays[:3]
    level, depth = np.zeros(1, np.int32), 0
    while True:
        level = level[feature[level] >= 0]
        if not len(level):
            return depth
        level = np.concatenate([left[level], right[level]])
        depth += 1


def background_base(total: TreeSum, others: Any) -> Floats:
    """Return the mean answer for the background rows, (K,)."""
    sums, d = np.zeros((len(others), len(total.base))), others.shape[1]
    loops.tree_sums(others, d, total.trees, total.first, sums, get_config().threads)
    return np.asarray(total.base + sums.mean(axis=0))


def feature_names(model: Any, d: int) -> tuple[str, ...]:
    """Return the names that the model was fitted with, or x0, x1, ..."""
    names = getattr(model, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(d)) if names is None else tuple(map(str, names))


def output_names(model: Any, K: int) -> tuple[str, ...]:
    """Return the names of the outputs: the classes, where each has one."""
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == K:
        return tuple(str(each) for each in classes)
    if classes is not None:
        return (str(classes[-1]),)
    return ("",) if K == 1 else tuple(f"y{k}" for k in range(K))
