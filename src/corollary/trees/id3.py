"""ID3: decision trees that branch on every value of an attribute, in summation form.

Also known as: induction of decision trees, C4.5 (with `criterion='gain_ratio'` and
continuous attributes), multiway classification trees.

Grow from the root.  A node of rows S asks the attribute of the largest gain

    H(S)       = - sum_c p_c log2 p_c,     p_c the share of class c in S         (1)
    gain(S, A) = H(S) - sum_v |S_v|/|S| H(S_v),   S_v the rows with A = v        (2)

and has a branch for each value v that its rows have; each branch is grown in the same
way until it is pure.  'gain_ratio' divides (2) by the entropy of the branches, among
attributes whose gain is at least the mean.  A continuous attribute is cut in two at the
threshold of the largest gain, and may be asked again further down.

All that (1) and (2) need are counts of attribute value x class at each node:

    N_vc(node) = sum of w_i over the rows i at the node with value v and class c (3)

one pass over the data makes (3) for all nodes of a level (or for as many as fit in 64
MB, less under a memory limit), so that the tree is the same from every source.

Where the textbook leaves a case open:

- no attribute left, or none with two values here: the majority;
- a value that the rows of a node do not have, or that training does not have: the
  majority of the node that asks;
- a missing value is a value of its own;
- equal gains: the first attribute; equal classes: the first in order;
- a gain of 0: the node is split all the same, since what is below may gain (as in
  exclusive or), unless `min_gain` asks for more.

Growing until every leaf is pure fits noise.  `max_depth`, `min_samples_split` and
`min_gain` stop before; `reduced_error_pruning`, `choose_by_description_length` and
`pruned_rules` cut back after.

Notation: w = sample_weight; N = tree_.counts.
Course: S3-76, S3-77, S3-78. References: Quinlan (1986); Quinlan (1993); Mitchell
(1997), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.checks import names_of
from corollary.core.column import Column
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes, check_memory
from corollary.core.parameters import array_like, missing, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Classifier
from corollary.core.table import Table
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.preparation.tallies import tally_bytes
from corollary.trees.attributes import Attributes, Bins, attributes_of, tally
from corollary.trees.gain_table import GainTable, node_gains
from corollary.trees.information_gain import (
    SLACK,
    Criteria,
    chosen_attributes,
    criteria,
    node_entropy,
)
from corollary.trees.multiway_tree import (
    HIGH,
    LOW,
    MISSING,
    MultiwayTree,
    check_tree,
    descend,
    root,
)
from corollary.trees.sorted_columns import middle

__all__ = ["ID3Classifier"]

TABLES = 2**26  # bytes of the counts of one pass
KEPT = 2**23  # gains that a tree remembers
SMALL = 2**15  # values of an attribute whose codes take two bytes


@dataclass(frozen=True)
class NodeCounts(Statistics):
    """The counts (3) of the nodes that are looked at."""

    n: Floats  # (S k,) weight of each class at each node
    N: Floats  # (S k, D) of these, at each value of each attribute


@dataclass(frozen=True)
class Growth:
    """The state: a tree, and the nodes that may still be split."""

    tree: MultiwayTree
    waiting: Vector  # node numbers, rising
    attributes: Attributes
    bins: tuple[Bins | None, ...]
    room: int  # bytes of the counts of one pass

    def looked_at(self) -> Vector:
        """Return the nodes of this pass: those whose counts fit in memory."""
        k = self.tree.counts.shape[1]
        each = 8 * k * int(self.attributes.widths.sum())
        return self.waiting[: max(1, self.room // each)]


class ID3Classifier(SummationLearner, Classifier):
    """A decision tree with a branch for each value of an attribute.

    Parameters
    ----------
    criterion : {'gain', 'gain_ratio'}, default='gain'
        Split by information gain (2), or by gain ratio as C4.5 does.
    continuous : 'auto', None or list of columns, default='auto'
        Attributes that are cut at thresholds: 'auto' takes columns of numbers that are
        not all whole, or of more than 20 different ones; None takes all columns as
        categories; a list names or numbers columns.
    max_depth : int, optional
        The most questions on a path.
    min_samples_split : float, default=0
        The least weight of a node that is split.
    min_gain : float, default=0
        The least information gain of a split, in bits.
    max_bins : int, default=255
        The most different values of a continuous attribute that are kept apart; of
        more, bins of about equal weight are made.

    Attributes
    ----------
    classes_ : array of shape (k,)
    tree_ : MultiwayTree
        The nodes, as flat arrays.
    categories_ : list of d arrays or None
        The values of each nominal attribute; None for a continuous one.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.datasets import play_tennis
    >>> from corollary.trees import export_text
    >>> table = play_tennis()
    >>> model = ID3Classifier().fit(table.X, table.y)
    >>> model.predict([["Sunny", "Hot", "High", "Strong"]]).tolist()
    ['No']
    >>> print(export_text(model, feature_names=table.columns))
    |--- Outlook = Overcast
    |   |--- class: Yes
    |--- Outlook = Rain
    |   |--- Wind = Strong
    |   |   |--- class: No
    |   |--- Wind = Weak
    |   |   |--- class: Yes
    |--- Outlook = Sunny
    |   |--- Humidity = High
    |   |   |--- class: No
    |   |--- Humidity = Normal
    |   |   |--- class: Yes
    <BLANKLINE>
    """

    takes_columns = True
    row_bytes = 40.0  # codes and nodes
    theory = ("tree",)
    shapes: ClassVar = {"classes_": "k"}
    rules: ClassVar = {
        "criterion": one_of("gain", "gain_ratio"),
        "continuous": missing | one_of("auto") | array_like,
        "max_depth": missing | whole(1),
        "min_samples_split": real(0),
        "min_gain": real(0),
        "max_bins": whole(2, 65535),
    }

    def __init__(
        self,
        *,
        criterion: str = "gain",
        continuous: Any = "auto",
        max_depth: int | None = None,
        min_samples_split: float = 0,
        min_gain: float = 0,
        max_bins: int = 255,
    ) -> None:
        self.criterion = criterion
        self.continuous = continuous
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_gain = min_gain
        self.max_bins = max_bins

    def takes_missing(self) -> bool:
        """Take missing values, as values of their own."""
        return True

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Growth:
        """Tally the values of each column; begin with a leaf."""
        who, k = type(self).__name__, len(self.classes_)
        found = data.reduce(partial(tallied, k=k, who=who))
        kinds, names = data.source.kinds, data.source.names
        attributes, bins = attributes_of(self, found, kinds, names, self.max_bins)
        check_counts(self, k, int(attributes.widths.sum()))
        leaf = root(found.rows.weight, len(kinds))
        waiting = self._to_split(leaf, np.zeros(1, dtype=np.int64))
        room = block_bytes(TABLES, share=32)  # each chunk has counts, and gains follow
        return Growth(leaf, waiting, attributes, bins, room)

    def statistics(self, chunk: Chunk, state: Growth) -> NodeCounts:
        """Count (3) at the nodes that are looked at."""
        nodes, k = state.looked_at(), len(self.classes_)
        widths = state.attributes.widths
        n = np.zeros(len(nodes) * k)
        N = np.zeros((len(n), int(widths.sum())))
        codes, node = remembered(chunk, state, self)
        slot = np.full(state.tree.n_nodes, -1, dtype=np.int32)
        slot[nodes] = np.arange(len(nodes))
        rows = np.flatnonzero((slot[node] >= 0) & (codes[:, 0] >= 0))
        if len(rows):
            w = None if chunk.w is None else chunk.w[rows].astype(np.float64)
            z = slot[node[rows]] * np.int32(k) + chunk.y[rows].astype(np.int32)
            place = codes[rows] + (np.cumsum(widths) - widths).astype(np.int32)
            loops.code_counts(place, z, w, n, N)
        return NodeCounts(n, N)

    def update(self, s: NodeCounts, state: Growth) -> Growth:
        """Split the nodes that were looked at."""
        nodes, k = state.looked_at(), len(self.classes_)
        if not len(nodes):
            return state
        widths = state.attributes.widths
        N = s.N.reshape(len(nodes), k, -1)
        starts = np.cumsum(widths) - widths
        found = criteria(N, starts, state.attributes.continuous)  # (1), (2)
        chosen = chosen_attributes(found, self.criterion)
        gain = found.gain[np.arange(len(nodes)), chosen]
        chosen = np.where(gain >= self.min_gain - SLACK, chosen, -1)
        tree, made = grown(state, N, found, chosen, starts)
        waiting = state.waiting[len(nodes) :]
        return replace(
            state,
            tree=tree,
            waiting=np.concatenate([waiting, self._to_split(tree, made)]),
        )

    def _to_split(self, tree: MultiwayTree, nodes: Vector) -> Vector:
        """Return which nodes are impure, large and high enough to be split."""
        counts = tree.counts[nodes]
        wanted = (counts > 0).sum(axis=1) > 1
        wanted &= counts.sum(axis=1) >= self.min_samples_split
        if self.max_depth is not None and len(nodes):
            wanted &= tree.depth[nodes] < self.max_depth
        return nodes[wanted]

    def objective(self, s: NodeCounts, state: Growth) -> float:
        """Return the entropy that is left in the leaves, in bits a row."""
        leaves = state.tree.counts[state.tree.feature < 0]
        return float(leaves.sum(axis=1) @ node_entropy(leaves) / leaves.sum())

    def stop(self, state: Growth) -> StopReason | None:
        """Stop where no leaf may be split any more."""
        return None if len(state.waiting) else StopReason.CONVERGED

    def max_passes(self) -> int:
        """Bound the passes by nothing: every pass splits a node or ends it."""
        return 2**31

    def sums_bytes(self, n_features: int) -> int:
        """Estimate the size of a chunk's tallies."""
        return tally_bytes()

    def account(self, state: Growth, report: Report) -> None:
        """Tell the size of the tree, and that it was grown greedily."""
        tree = state.tree
        report.facts["n_nodes"] = tree.n_nodes
        best = tree.counts[tree.feature < 0].max(axis=1).sum()
        report.facts["n_errors"] = max(float(tree.counts[0].sum() - best), 0.0)
        kind = "greedy; to find the smallest tree is NP-hard"
        report.optimality = Optimality(kind, None)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self.tree_ = fitted.state.tree
        self.categories_ = list(fitted.state.attributes.categories)

    # -- use -----------------------------------------------------------------------
    def apply(self, X: Any) -> Vector:
        """Return the node at which each row ends, (n,)."""
        table = self._table(X)
        attributes = self._attributes()
        codes = attributes.codes(table, self)
        return descend(self.tree_, codes, attributes, np.zeros(len(codes), np.int64))

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of each class at the node where a row ends, (n, k)."""
        at = self.apply(X)
        counts = self.tree_.counts
        return (counts / counts.sum(axis=1, keepdims=True))[at]

    def predict(self, X: Any) -> Vector:
        """Return the majority at the node where a row ends."""
        at = self.apply(X)
        return self.classes_[self.tree_.counts.argmax(axis=1)[at]]

    def get_depth(self) -> int:
        """Return the most questions on a path."""
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def gain_table(self, node: int = 0) -> GainTable:
        """Return what every attribute would gain at a node.

        Parameters
        ----------
        node : int, default=0
            Number of the node, as `apply` and `tree_` have it; 0 is the root.

        Returns
        -------
        GainTable

        Examples
        --------
        >>> from corollary import ID3Classifier
        >>> from corollary.datasets import play_tennis
        >>> table = play_tennis()
        >>> print(ID3Classifier().fit(table.X, table.y).gain_table())
        node 0: 14 rows, entropy 0.9403 bits
          x0  gain 0.2467  ratio 0.1564  <- split
          x1  gain 0.0292  ratio 0.0188
          x2  gain 0.1518  ratio 0.1518
          x3  gain 0.0481  ratio 0.0488
        """
        check_is_fitted(self)
        if not 0 <= node < self.tree_.n_nodes:
            must = f"node must be one of 0 ... {self.tree_.n_nodes - 1}"
            raise DataError(sentence(self, must, f"{node}"))
        return node_gains(self.tree_, node, names_of(self))

    # -- helpers -------------------------------------------------------------------
    def _attributes(self) -> Attributes:
        """Return how rows are read: thresholds of the tree are the edges."""
        tree = self.tree_
        edges = [
            np.unique(tree.threshold[tree.feature == j]) if known is None else None
            for j, known in enumerate(self.categories_)
        ]
        return Attributes(tuple(self.categories_), tuple(edges))

    def _example(self, n: int) -> Table:
        """Return rows of the first category of each column."""
        zero = np.zeros(n, dtype=np.int64)
        first = [np.zeros(1) if c is None else c for c in self.categories_]
        return Table([Column(each[zero]) for each in first])

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        d, known = self.n_features_in_, self.categories_
        good = isinstance(known, list) and len(known) == d
        if not good or any(
            c is not None
            and (not isinstance(c, np.ndarray) or c.ndim != 1 or not len(c))
            for c in known
        ):
            must = f"categories_ must be {d} arrays or None"
            raise DataError(sentence(self, must, "others"))
        continuous = np.array([each is None for each in known])
        check_tree(self, self.tree_, d, len(self.classes_), continuous)


def tallied(chunk: Chunk, k: int, who: str) -> Any:
    """Tally one chunk."""
    return tally(chunk.X, chunk.y, chunk.w, k, who)


def check_counts(who: object, k: int, values: int) -> None:
    """Refuse attributes with more values than the counts of one node have room for."""
    remedy = "Drop or bin the columns of the most different values."
    what = f"the counts of {k} classes at {values:,} values of the attributes"
    if values >= 2**31:
        must = "the attributes must have fewer than 2^31 values in all"
        raise DataError(sentence(who, must, f"{values:,}", remedy))
    check_memory(who, 24.0 * k * values, what, remedy)


def remembered(chunk: Chunk, state: Growth, who: object) -> tuple[Vector, Vector]:
    """Return the codes of a chunk's rows and the node of each, from memory if known."""
    memory = chunk.memory
    codes: Any = memory.get("codes")
    if codes is None:
        codes = state.attributes.codes(chunk.X, who)
        strange = (codes < 0).any(axis=1)
        if strange.any() and (chunk.w is None or chunk.w[strange].any()):
            must = "the data must have the same values in every pass"
            raise DataError(sentence(who, must, "values that the first did not have"))
        codes[strange] = -1  # rows of weight 0
        if state.attributes.widths.max(initial=0) < SMALL:
            codes = codes.astype(np.int16)
        memory["codes"], memory["node"] = codes, np.zeros(len(codes), np.int32)
    node = descend(state.tree, codes, state.attributes, memory["node"])
    memory["node"] = node.astype(np.int32)
    return codes, node


def grown(
    state: Growth, N: Floats, found: Criteria, chosen: Vector, starts: Vector
) -> tuple[MultiwayTree, Vector]:
    """Give the nodes that were looked at their branches; return the new nodes too."""
    tree, nodes = state.tree, state.looked_at()
    feature, threshold = tree.feature.copy(), tree.threshold.copy()
    looked = tree.looked.copy()
    room = max(0, KEPT // found.gain.shape[1] - len(tree.gain))
    looked[nodes[:room]] = len(tree.gain) + np.arange(len(nodes[:room]))
    parents, branches, counts = [tree.parent], [tree.branch], [tree.counts]
    widths = state.attributes.widths
    for i in np.flatnonzero(chosen >= 0):
        j, node = int(chosen[i]), int(nodes[i])
        cells = N[i][:, starts[j] : starts[j] + widths[j]].T  # (J, k)
        feature[node] = j
        bins = state.bins[j]
        if bins is not None:
            cut = int(found.cut[i, j])
            threshold[node] = threshold_after(cut, cells, bins)
            sides = cells[: cut + 1].sum(axis=0), cells[cut + 1 : -1].sum(axis=0)
            cells = np.stack([*sides, cells[-1]])[[LOW, HIGH, MISSING]]
        there = np.flatnonzero(cells.sum(axis=1) > 0)
        parents.append(np.full(len(there), node))
        branches.append(there)
        counts.append(cells[there])
    parent = np.concatenate(parents)
    more = len(parent) - tree.n_nodes
    bigger = MultiwayTree(
        np.append(feature, np.full(more, -1)),
        np.append(threshold, np.full(more, np.nan)),
        parent,
        np.concatenate(branches),
        np.concatenate(counts),
        np.append(looked, np.full(more, -1)),
        np.vstack([tree.gain, found.gain[:room]]),
        np.vstack([tree.ratio, found.ratio[:room]]),
    )
    return bigger, np.arange(tree.n_nodes, tree.n_nodes + more)


def threshold_after(cut: int, cells: Floats, bins: Bins) -> float:
    """Return the threshold between a bin and the next that has rows here."""
    later = np.flatnonzero(cells[cut + 1 : -1].sum(axis=1) > 0)
    if not len(later):
        return np.inf  # only missing values are on the other side
    return middle(float(bins.high[cut]), float(bins.low[cut + 1 + later[0]]))
