"""Rules: a tree as a list of if ... then, one for each path.

Also known as: production rules, decision list, ordered rule set.

A path from the root to a leaf is a rule

    if A_1 and A_2 and ... and A_m  then  class c                                (1)

with a condition A for each branch.  The first rule of a list whose conditions all hold
answers.  The rules of a tree exclude each other, so that their order does not matter,
and they answer as the tree does.  A row that ends at an inner node, because it has a
value that training did not have there, is answered by the majority of that node: a
shorter rule further down the list, unless the list answers the same without it.  The
last rule has no condition and is the default.

Notation: conditions hold codes of `attributes.py`.
Course: S3-81. References: Quinlan (1987); Quinlan (1993), ch. 5; Rivest (1987).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import names_of
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes
from corollary.core.records import stored
from corollary.trees.attributes import Attributes, cuts_of
from corollary.trees.multiway_tree import HIGH, LOW, MISSING, MultiwayTree

__all__ = [
    "Condition",
    "Matcher",
    "Rule",
    "RuleList",
    "attributes_asked",
    "described",
    "leaf_rules",
    "threshold_at",
    "tree_rules",
]


@stored
@dataclass(frozen=True)
class Condition:
    """What a row must be like: an attribute has a value, or is on a side of a cut.

    Attributes
    ----------
    feature : int
    branch : int
        Position of the value among the categories; of a continuous attribute 0 for at
        most the threshold, 1 for above it, 2 for missing.
    threshold : float or None
        Of a continuous attribute; None of a nominal one.
    """

    feature: int
    branch: int
    threshold: float | None = None

    @property
    def key(self) -> tuple[int, int, float]:
        """Conditions that ask the same have the same key."""
        return self.feature, self.branch, self.threshold or 0.0

    def follows_from(self, other: Condition) -> bool:
        """Tell whether another condition on the same side of a cut is stricter."""
        if self.threshold is None or other.threshold is None or self is other:
            return False
        if (self.feature, self.branch) != (other.feature, other.branch):
            return False
        above = self.threshold > other.threshold
        return (self.branch == LOW and above) or (
            self.branch == HIGH and self.threshold < other.threshold
        )


@stored
@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then a class.

    Attributes
    ----------
    conditions : tuple of Condition
    answer : int
        Position of the class.
    weight : float
        Of the training rows that the rule covers.
    errors : float
        Of those, in other classes.
    """

    conditions: tuple[Condition, ...]
    answer: int
    weight: float
    errors: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Rules of the same conditions and answer have the same key."""
        return self.answer, *sorted(condition.key for condition in self.conditions)


@dataclass(frozen=True)
class RuleList:
    """Rules in order, the last of which has no condition.

    Attributes
    ----------
    rules : tuple of Rule
    names : tuple of str
        Of the attributes.
    classes : array of shape (k,)
    categories : tuple of arrays or None
        Of the nominal attributes.
    """

    rules: tuple[Rule, ...]
    names: tuple[str, ...]
    classes: Vector
    categories: tuple[Vector | None, ...]

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return "\n".join(self.text(rule) for rule in self.rules)

    def text(self, rule: Rule) -> str:
        """Write one rule; a condition that follows from another is left out."""
        what = " AND ".join(
            described(c, self.names[c.feature], self.categories[c.feature])
            for c in rule.conditions
            if not any(c.follows_from(other) for other in rule.conditions)
        )
        head = f"IF {what} THEN" if rule.conditions else "OTHERWISE"
        right = f"{rule.weight - rule.errors:g} of {rule.weight:g} rows"
        return f"{head} {self.classes[rule.answer]} ({right})"


def described(
    condition: Condition,
    name: str,
    categories: Vector | None,
    decimals: int | None = None,
) -> str:
    """Write a condition.

    >>> described(Condition(0, 1), "town", np.array(["Oslo", "Rome"]))
    'town = Rome'
    >>> described(Condition(0, 1, 2.5), "age", None)
    'age > 2.5'
    """
    if condition.threshold is not None:
        t = f"{condition.threshold:.6g}"
        if decimals is not None:
            t = f"{condition.threshold:.{decimals}f}"
        texts = {LOW: f"{name} <= {t}", HIGH: f"{name} > {t}"}
        if condition.branch == LOW and condition.threshold == np.inf:
            return f"{name} is known"
        return texts.get(condition.branch, f"{name} is missing")
    assert categories is not None
    return f"{name} = {categories[condition.branch]}"


# -- from a tree -----------------------------------------------------------------------
def tree_rules(model: Any) -> RuleList:
    """Return the rules of a tree: one for each path, in the order of the leaves.

    Parameters
    ----------
    model : ID3Classifier
        Fitted.

    Returns
    -------
    RuleList

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.datasets import play_tennis
    >>> from corollary.trees import tree_rules
    >>> table = play_tennis()
    >>> rules = tree_rules(ID3Classifier().fit(table.X, table.y))
    >>> print(rules.text(rules.rules[0]))
    IF x0 = Overcast THEN Yes (4 of 4 rows)
    """
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, MultiwayTree):
        must = "model must be a fitted ID3Classifier"
        raise DataError(sentence("tree_rules", must, type(model).__name__))
    return RuleList(
        (*leaf_rules(tree), *partial_rules(tree)),
        attribute_names(model),
        model.classes_,
        tuple(model.categories_),
    )


def attribute_names(model: Any) -> tuple[str, ...]:
    """Return the names of the attributes, x0, x1, ... where they have none."""
    names = names_of(model)
    d = range(model.n_features_in_)
    return tuple(f"x{j}" for j in d) if names is None else tuple(names)


def leaf_rules(tree: MultiwayTree) -> list[Rule]:
    """Return a rule (1) for each leaf, as a reader meets them: branch by branch."""
    order: list[int] = []
    stack = [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] < 0:
            order.append(node)
        stack.extend(tree.children(node)[::-1].tolist())
    return rules_at(tree, order)


def partial_rules(tree: MultiwayTree) -> list[Rule]:
    """Return rules for rows that end at inner nodes, the deepest first.

    Those that answer as the next one below them does are left out.  The last is the
    default.
    """
    answer = tree.counts.argmax(axis=1)
    inner = np.flatnonzero(tree.feature >= 0)
    needed = [t for t in inner[1:] if answer[t] != answer[tree.parent[t]]]
    depth = tree.depth
    needed.sort(key=lambda t: -depth[t])
    whole = [0] if len(inner) else []
    return rules_at(tree, [int(t) for t in (*needed, *whole)])


def rules_at(tree: MultiwayTree, nodes: list[int]) -> list[Rule]:
    """Return the rules of the paths to nodes, which share their conditions."""
    known: dict[int, Condition] = {}
    for node in nodes:
        for t in tree.path(node)[1:]:
            if t not in known:
                asked = int(tree.parent[t])
                branch, cut = int(tree.branch[t]), threshold_at(tree, asked)
                known[t] = Condition(int(tree.feature[asked]), branch, cut)
    return [rule_at(tree, node, known) for node in nodes]


def rule_at(tree: MultiwayTree, node: int, known: dict[int, Condition]) -> Rule:
    """Return the rule of the path to a node, with the majority there."""
    conditions = tuple(known[t] for t in tree.path(node)[1:])
    counts = tree.counts[node]
    answer, weight = int(counts.argmax()), float(counts.sum())
    return Rule(conditions, answer, weight, max(weight - float(counts[answer]), 0.0))


def threshold_at(tree: MultiwayTree, node: int) -> float | None:
    """Return the threshold of a node, None where it asks a nominal attribute."""
    threshold = float(tree.threshold[node])
    return None if np.isnan(threshold) else threshold


# -- rows ------------------------------------------------------------------------------
class Matcher:
    """Tells which rows meet a condition or a rule, and remembers conditions."""

    BYTES = 2**27  # of what is remembered, at most

    def __init__(self, codes: Vector, attributes: Attributes) -> None:
        self.codes, self.attributes = codes, attributes
        self.room = block_bytes(self.BYTES, share=8)
        self.known: dict[tuple[int, int, float], Vector] = {}

    def meets(self, condition: Condition) -> Vector:
        """Return which rows meet a condition, (n,) booleans."""
        found = self.known.get(condition.key)
        if found is None:
            found = self._look(condition)
            if len(self.known) * len(found) < self.room:
                self.known[condition.key] = found
        return found

    def covers(self, conditions: tuple[Condition, ...]) -> Vector:
        """Return which rows meet all conditions, (n,) booleans."""
        out = np.ones(len(self.codes), dtype=bool)
        for condition in conditions:
            out &= self.meets(condition)
        return out

    def first(self, rules: tuple[Rule, ...]) -> Vector:
        """Return the first rule that covers each row, -1 where none does."""
        out = np.full(len(self.codes), -1)
        for number in range(len(rules) - 1, -1, -1):
            out[self.covers(rules[number].conditions)] = number
        return out

    def _look(self, condition: Condition) -> Vector:
        code = self.codes[:, condition.feature]
        edges = self.attributes.edges[condition.feature]
        if edges is None or condition.threshold is None:
            return code == condition.branch
        absent = code > len(edges)
        if condition.branch == MISSING:
            return absent
        cut = cuts_of(edges, np.array([condition.threshold]))[0]
        return ~absent & ((code > cut) == (condition.branch == HIGH))


def attributes_asked(
    rules: tuple[Rule, ...], categories: tuple[Vector | None, ...]
) -> Attributes:
    """Return how rows are read for rules: their thresholds are the edges."""
    cuts: list[set[float]] = [set() for _ in categories]
    for rule in rules:
        for condition in rule.conditions:
            if condition.threshold is not None:
                cuts[condition.feature].add(condition.threshold)
    edges: list[Floats | None] = [
        np.array(sorted(cut)) if known is None else None
        for cut, known in zip(cuts, categories, strict=True)
    ]
    return Attributes(categories, tuple(edges))
