"""Growing trees: from a learner's parameters and rows to the compiled grower.

Also known as: recursive partitioning, tree induction, CART.

A node of rows N with weight w(N) is split by the feature j and the threshold t with

    (j, t) = argmin  w(L) H(L) + w(R) H(R),   L = {x in N: x_j <= t}, R = rest     (1)

H being one of the impurities, with p_k the weighted share of class k and m the mean:

    gini            1 - sum_k p_k^2,      the error of labels drawn at random        (2)
    entropy         - sum_k p_k log2 p_k                                             (3)
    squared_error   mean (y - m)^2,       minimal at the mean                        (4)
    absolute_error  mean |y - median|                                                (5)
    poisson         mean of y log(y / m), half the deviance                          (6)

Friedman's gain w(L) w(R) / (w(L) + w(R)) (m_L - m_R)^2 is the decrease of (4) exactly,
so `friedman_mse` asks for the same splits.  Several outputs share a tree by the mean of
their impurities.  A node is a leaf where it is pure or a stopping rule says so.

Missing values go to the side where (1) is less; where a node has none, to the larger
side.  Categories are ordered by their mean response, which contains the best of all
subsets for numbers and two classes (Fisher 1958; Breiman et al. 1984), and by the first
principal component of their shares for more classes (Coppersmith et al. 1999).

The draws of features and thresholds depend on the seed and on a node's place in its
tree, never on the threads.

Notation: N, L, R = sets of rows; w = their weight; H = impurity.
Course: S2-46. References: Breiman, Friedman, Olshen and Stone (1984).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    Rule,
    array_like,
    missing,
    one_of,
    real,
    seed,
    shown,
    whole,
)
from corollary.trees.rank_codes import RankCodes
from corollary.trees.tree import Tree

__all__ = [
    "TREE_RULES",
    "Sampling",
    "Targets",
    "count_of_features",
    "grow_trees",
    "label_targets",
    "number_targets",
]

MEASURES = {  # in the order of the compiled loop
    "gini": 0,
    "entropy": 1,
    "log_loss": 1,
    "squared_error": 2,
    "friedman_mse": 2,
    "absolute_error": 3,
    "poisson": 4,
}
UNBOUNDED = 2**31 - 1


def share(low: float, high: float, *, ends: str) -> Rule:
    """Accept a number that is no whole number, as a share of the rows or columns."""
    inner = real(low, high, ends=ends)
    return Rule(
        f"a share{inner.words.removeprefix('a number')}",
        lambda v: not isinstance(v, numbers.Integral) and inner.holds(v),
    )


#: What the parameters that all trees have may be.
TREE_RULES = {
    "max_depth": missing | whole(1),
    "min_samples_split": whole(2) | share(0, 1, ends="(]"),
    "min_samples_leaf": whole(1) | share(0, 1, ends="()"),
    "min_weight_fraction_leaf": real(0, 0.5),
    "max_features": missing
    | one_of("sqrt", "log2")
    | whole(1)
    | share(0, 1, ends="(]"),
    "random_state": seed,
    "max_leaf_nodes": missing | whole(2),
    "min_impurity_decrease": real(0),
    "ccp_alpha": real(0),
    "monotonic_cst": missing | array_like,
    "max_bins": missing | whole(2, 255),
    "categorical_features": missing | array_like,
}


@dataclass(frozen=True)
class Targets:
    """What a tree predicts: class codes, or numbers."""

    measure: int
    z: Vector | None  # (n, m) int32
    y: Vector | None  # (n, m) float64
    n_classes: Vector  # (m,) int64, 1 for numbers


@dataclass(frozen=True)
class Sampling:
    """Which rows a tree is grown from."""

    weight: Vector | None = None  # (n,) of the rows, None = all 1
    draws: int = 0  # rows of a bootstrap sample; 0 = all rows
    order: Vector | None = None  # (n,) int32, rows in an order of their content
    cumulative: Vector | None = None  # (n,) of the weights by which they are drawn
    balanced: bool = False  # classes weigh alike in each bootstrap sample


def label_targets(learner: Any, codes: Vector) -> Targets:
    """Return the class codes of one output or several."""
    z = codes.reshape(len(codes), -1).astype(np.int32)
    several = isinstance(learner.classes_, list)
    sizes = [len(c) for c in learner.classes_] if several else [len(learner.classes_)]
    measure = MEASURES[learner.criterion]
    return Targets(measure, np.ascontiguousarray(z), None, np.array(sizes, np.int64))


def number_targets(learner: Any, y: Vector) -> Targets:
    """Return the numbers of one output or several; counts must not be negative."""
    y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
    if learner.criterion == "poisson":
        if y.min() < 0:
            must = "y must be >= 0 for criterion='poisson'"
            raise DataError(sentence(learner, must, f"{y.min():g}"))
        if (y.sum(axis=0) <= 0).any():
            must = "the sum of y must be positive for criterion='poisson'"
            raise DataError(sentence(learner, must, "0"))
    sizes = np.ones(y.shape[1], np.int64)
    return Targets(MEASURES[learner.criterion], None, y, sizes)


def grow_trees(
    learner: Any,
    X: RankCodes,
    targets: Targets,
    seeds: Vector,
    sampling: Sampling,
    *,
    random: bool = False,
) -> list[Tree]:
    """Grow a tree for each seed, by the parameters of a learner.

    Parameters
    ----------
    learner : estimator
        With the parameters of `TREE_RULES`.
    X : RankCodes
    targets : Targets
    seeds : array of uint64
    sampling : Sampling
    random : bool, default=False
        Whether thresholds are drawn, one for each feature looked at.
    """
    n, d = X.n, len(X.counts)
    depth, leaves = learner.max_depth, learner.max_leaf_nodes
    min_leaf = rows_at_least(learner.min_samples_leaf, n)
    min_split = max(2, rows_at_least(learner.min_samples_split, n), 2 * min_leaf)
    rules = np.array(
        [
            random,
            count_of_features(learner.max_features, d),
            UNBOUNDED if depth is None else min(depth, UNBOUNDED),
            0 if leaves is None else leaves,
            min_split,
            min_leaf,
            learner.min_weight_fraction_leaf,
            learner.min_impurity_decrease,
        ],
        np.float64,
    )
    grown = loops.grow_trees(
        X.codes,
        X.counts,
        X.start,
        X.low,
        X.high,
        X.category,
        monotonic_signs(learner, d, targets),
        X.words,
        targets.measure,
        targets.z,
        targets.y,
        targets.n_classes,
        sampling.weight,
        sampling.draws,
        sampling.order,
        sampling.cumulative,
        sampling.balanced,
        rules,
        seeds,
        get_config().threads,
    )
    return [Tree(d, targets.n_classes, *arrays) for arrays in grown]


def rows_at_least(asked: float, n: int) -> int:
    """Return a number of rows that is given as such or as a share of n."""
    return int(asked) if isinstance(asked, numbers.Integral) else ceil(asked * n)


def count_of_features(asked: Any, d: int) -> int:
    """Return how many of d features a node looks at.

    >>> count_of_features("sqrt", 30), count_of_features(0.5, 30)
    (5, 15)
    """
    if asked is None:
        return d
    if isinstance(asked, str):
        return max(1, int(np.sqrt(d) if asked == "sqrt" else np.log2(d)))
    return int(asked) if isinstance(asked, numbers.Integral) else max(1, int(asked * d))


def monotonic_signs(learner: Any, d: int, targets: Targets) -> Vector | None:
    """Return +1, -1 or 0 for each feature, or None where all are free."""
    if learner.monotonic_cst is None:
        return None
    signs = np.asarray(learner.monotonic_cst)
    if signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all():
        must = f"monotonic_cst must be -1, 0 or 1 for each of {d} features"
        raise ParameterError(sentence(learner, must, shown(learner.monotonic_cst)))
    if len(targets.n_classes) > 1 or targets.n_classes[0] > 2:
        must = "monotonic_cst needs one output of numbers or two classes"
        came = f"{len(targets.n_classes)} outputs, {targets.n_classes.max()} classes"
        raise ParameterError(sentence(learner, must, came))
    return signs.astype(np.int8) if signs.any() else None
