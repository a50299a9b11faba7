"""What every attribute would gain at a node: the table that explains a split.

Also known as: information gain table, attribute ranking.

Course: S3-77. Reference: Quinlan (1986).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.trees.multiway_tree import MultiwayTree

__all__ = ["GainTable", "node_gains"]


@dataclass(frozen=True)
class GainTable:
    """Information gain and gain ratio of every attribute at one node, in bits.

    Attributes
    ----------
    node : int
    weight : float
        Of the rows at the node.
    entropy : float
        Of their classes.
    names : tuple of str
    gain, ratio : arrays of shape (d,)
        NaN where the attribute has one value only; all NaN at a node that was not
        looked at, because it is pure or growth stopped above it.  Of trees with many
        thousand nodes the gains of the first ones are kept.
    chosen : str or None
        The attribute that the node asks.
    """

    node: int
    weight: float
    entropy: float
    names: tuple[str, ...]
    gain: Floats
    ratio: Floats
    chosen: str | None

    def __getitem__(self, name: str) -> float:
        """Return the gain of an attribute by its name."""
        return float(self.gain[self.names.index(name)])

    def __str__(self) -> str:
        head = (
            f"node {self.node}: {self.weight:g} rows, entropy {self.entropy:.4f} bits"
        )
        wide = max(map(len, self.names))
        lines = [
            f"  {name:<{wide}}  gain {gain:.4f}  ratio {ratio:.4f}"
            + ("  <- split" if name == self.chosen else "")
            for name, gain, ratio in zip(self.names, self.gain, self.ratio, strict=True)
            if not np.isnan(gain)
        ]
        return "\n".join([head, *lines])


def node_gains(tree: MultiwayTree, node: int, names: Any) -> GainTable:
    """Return the table of a node."""
    d, row = tree.gain.shape[1], int(tree.looked[node])
    names = tuple(f"x{j}" for j in range(d)) if names is None else tuple(names)
    none = np.full(d, np.nan)
    j = int(tree.feature[node])
    return GainTable(
        node,
        float(tree.counts[node].sum()),
        float(tree.entropy[node]),
        names,
        none if row < 0 else tree.gain[row],
        none if row < 0 else tree.ratio[row],
        None if j < 0 else names[j],
    )
