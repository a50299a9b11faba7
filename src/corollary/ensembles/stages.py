"""Stages of gradient boosting: one regressor for each score, fitted and searched.

The equations are those of `gradient_boosting.py`.  A member is a tree where it has
`tree_`, of Corollary or of scikit-learn: its leaves are then given the values that suit
the loss, and there is no step to search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.engine.fit import inside_another_fit
from corollary.engine.meta import fit_with_weights
from corollary.objectives.stagewise_losses import Cells, SquaredStages, StagewiseLoss
from corollary.solvers.exact_search import exact_step
from corollary.trees.growing import number_targets
from corollary.trees.rank_codes import RankCodes
from corollary.trees.tree import Tree, sums_of_trees

__all__ = ["Rows", "Stage", "added_scores", "fit_stage", "is_tree", "staged_scores"]

LEAF = -1  # no child
BITS = 36  # of the largest pseudo-residual that a member is given


class Rows(NamedTuple):
    """Rows with the targets of a loss."""

    X: Matrix  # (n, d)
    y: Vector  # (n,)
    w: Floats  # (n,)
    weighed: bool  # whether the user gave weights
    codes: RankCodes | None = None  # the columns coded once, for trees of ours

    def some(self, rows: Vector | None) -> Rows:
        """Return some of them; all without a copy."""
        if rows is None:
            return self
        codes = self.codes
        if codes is not None:
            codes = replace(codes, codes=np.ascontiguousarray(codes.codes[:, rows]))
        return Rows(self.X[rows], self.y[rows], self.w[rows], self.weighed, codes)


class Stage(NamedTuple):
    """The members of a stage, and how far they go."""

    members: list[Any]  # K regressors
    step: float  # s of (4), 1 for trees
    quality: float  # gamma of (6)


def is_tree(member: Any) -> bool:
    """Tell whether a member has leaves whose values can be set."""
    return hasattr(member, "tree_") and hasattr(member, "apply")


def fit_stage(
    who: Any,
    make: Callable[[int], Any],
    loss: StagewiseLoss,
    rows: Rows,
    F: Floats,
    chosen: Vector | None,
    rate: float,
) -> tuple[Stage, Floats]:
    """Fit K members to some of the rows, (2) to (5); return the new scores of all."""
    R = loss.residuals(rows.y, F)  # (2), (n, K)
    part = rows.some(chosen)
    F_part, R_part = (F, R) if chosen is None else (F[chosen], R[chosen])
    G, quality = np.empty_like(F), np.empty_like(F)
    members = []
    for k in range(loss.K):
        member = make(k)
        fit_member(who, member, part, rounded(R_part[:, k]))  # (3)
        with names_checked():
            if is_tree(member):
                leaf = leaves_of(member, rows.X)
                quality[:, k] = member.tree_.value[leaf, 0, 0]
                own = leaf if chosen is None else leaf[chosen]
                set_leaves(member.tree_, own, loss, part, F_part, R_part, k)
                G[:, k] = member.tree_.value[leaf, 0, 0]
            else:
                answers = np.asarray(member.predict(rows.X), dtype=np.float64)
                quality[:, k] = G[:, k] = answers.reshape(-1)
        members.append(member)
    left = R_part - (quality if chosen is None else quality[chosen])
    gamma = 1 - squares(left, part.w) / max(squares(R_part, part.w), 1e-300)  # (6)
    step = 1.0
    if not all(is_tree(member) for member in members):
        G_part = G if chosen is None else G[chosen]
        step = best_step(loss, part, F_part, G_part)  # (4)
    return Stage(members, step, gamma), F + rate * step * G  # (5)


def fit_member(who: Any, member: Any, rows: Rows, r: Floats) -> None:
    """Fit a member to pseudo-residuals, a tree of ours on the codes of the columns."""
    w = rows.w if rows.weighed else None
    if rows.codes is not None:
        member.n_features_in_ = rows.X.shape[1]
        member.plant(rows.codes, number_targets(member, r), w)
        return
    with inside_another_fit():
        fit_with_weights(who, member, rows.X, r, w)


def leaves_of(member: Any, X: Matrix) -> Vector:
    """Return the leaf of each row; the rows are checked already."""
    ours = isinstance(member.tree_, Tree)
    return member.tree_.apply(X) if ours else member.apply(X)


def rounded(r: Floats) -> Floats:
    """Return numbers in units so coarse that sums of them are exact.

    Cuts of a tree that are equally good are then equal to the bit, and the same one is
    taken whether a row has weight 2 or comes twice, and in whatever order rows come.

    >>> rounded(np.array([1.0, 1e-20])).tolist()
    [1.0, 0.0]
    """
    size = float(np.abs(r).max())
    if size == 0 or not np.isfinite(size):
        return r
    unit = 2.0 ** (np.floor(np.log2(size)) - BITS)
    return np.rint(r / unit) * unit if unit > 0 else r


def squares(values: Floats, w: Floats) -> float:
    """Return the weighted sum of all squares."""
    return float(np.sum(w * (values**2).sum(axis=1)))


def set_leaves(
    tree: Any,
    leaf: Vector,
    loss: StagewiseLoss,
    rows: Rows,
    F: Floats,
    R: Floats,
    k: int,
) -> None:
    """Give each leaf the value that suits its rows; means suit the squared loss."""
    if isinstance(loss, SquaredStages):
        return
    cells = Cells(leaf, tree.node_count, rows.w)
    ends = tree.children_left == LEAF
    tree.value[ends, 0, 0] = loss.cell_values(cells, rows.y, F, R, k)[ends]


def best_step(loss: StagewiseLoss, rows: Rows, F: Floats, G: Floats) -> float:
    """Return s of (4), of either sign; 0 where A does not fall."""
    w = rows.w / rows.w.sum()
    if isinstance(loss, SquaredStages):
        size = squares(G, w)
        along = float(np.sum(w * (loss.residuals(rows.y, F) * G).sum(axis=1)))
        return along / size if size > 0 else 0.0

    def value(s: float) -> float:
        return float(np.sum(w * loss.values(rows.y, F + s * G)))

    def slope(s: float) -> float:
        with np.errstate(over="ignore"):
            R = loss.residuals(rows.y, F + s * G)
            return -float(np.sum(w * (R * G).sum(axis=1)))

    steep = slope(0.0)
    if steep == 0 or not np.isfinite(steep):
        return 0.0
    sign = 1.0 if steep < 0 else -1.0
    return sign * exact_step(
        lambda s: value(sign * s), lambda s: sign * slope(sign * s), 1.0
    )


def added_scores(members: Any, steps: Any, rate: float, X: Matrix, K: int) -> Floats:
    """Return what stages add to the scores of rows, (n, K)."""
    if len(members) and all(isinstance_of_tree(one) for one in members.flat):
        return rate * sums_of_trees([one.tree_ for one in members.flat], X, K)
    F = np.zeros((X.shape[0], K))
    for G in each_stage(members, steps, rate, X):
        F += G
    return F


def staged_scores(
    F: Floats, members: Any, steps: Any, rate: float, X: Matrix
) -> Iterator[Floats]:
    """Yield the scores of rows after each stage, (n, K)."""
    for G in each_stage(members, steps, rate, X):
        F = F + G
        yield F


def each_stage(members: Any, steps: Any, rate: float, X: Matrix) -> Iterator[Floats]:
    """Yield what each stage adds, (n, K)."""
    for row, step in zip(members, steps, strict=True):
        with names_checked():
            answers = [
                np.asarray(one.predict(X), np.float64).reshape(-1) for one in row
            ]
        yield rate * step * np.column_stack(answers)


def isinstance_of_tree(member: Any) -> bool:
    """Tell whether a member is a tree of ours, which compiled loops can go down."""
    return isinstance(getattr(member, "tree_", None), Tree)
