"""Rule post-pruning: the rules of a tree, shortened one by one and put in order.

Also known as: C4.5rules, rule-based classifier, decision list.

1. Grow a tree until it fits the training rows (`ID3Classifier`).
2. Write it as rules, one for each path (`tree_rules`).
3. From each rule with two or more conditions drop the condition whose loss raises the
   estimated error least, as long as it does not raise it.
4. Put rules of the least estimated error first.
5. From the last rule to the first, leave out what the list does without: the rows that
   the rule is the first to cover are answered no worse by the rules behind it.  So of
   equal rules one is left.
6. What no rule covers gets the majority of the training rows that none covers.

A rule that covers weight N, E of it in other classes, is estimated to err with the
probability at the upper end of a confidence interval for E errors in N draws,

    U(E, N) = the p with  P(Binomial(N, p) <= E) = confidence                    (1)

a pessimistic estimate from the training rows themselves: a rule must cover many rows to
be believed.  With U as the only judge, a condition is dropped where the wider rule is
believed at least as much; so pruning works path by path, while the pruning of a tree
can only cut off what is below a node.

All rows are held at once, since every rule is asked about all of them; a tree pruned by
`reduced_error_pruning` or `choose_by_description_length` is the relative that scales.

Notation: N = weight, E = errors of a `Rule`.
Course: S3-81, S3-82. References: Quinlan (1993), ch. 5; Clopper and Pearson (1934).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaincinv
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.errors import DataError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import boolean, real
from corollary.core.report import Report
from corollary.core.roles import Classifier
from corollary.core.table import Table
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.trees.id3 import ID3Classifier
from corollary.trees.multiway_tree import MISSING
from corollary.trees.rules import (
    Condition,
    Matcher,
    Rule,
    RuleList,
    attribute_names,
    attributes_asked,
    leaf_rules,
    tree_rules,
)

__all__ = ["RuleListClassifier", "upper_error"]


class RuleListClassifier(RowsLearner, Classifier):
    """An ordered list of rules, from a tree whose paths are shortened one by one.

    Parameters
    ----------
    prune : bool, default=True
        Shorten the rules; False keeps those of the tree, which answer as it does.
    confidence : float, default=0.25
        Of (1), in (0, 1); less prunes more.
    criterion, continuous, max_depth, min_samples_split, min_gain, max_bins
        As in `ID3Classifier`.

    Attributes
    ----------
    classes_ : array of shape (k,)
    rules_ : tuple of Rule
        In order; the last one has no condition.
    categories_ : list of d arrays or None
        The values of each nominal attribute; None for a continuous one.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> from corollary import RuleListClassifier
    >>> from corollary.datasets import play_tennis
    >>> table = play_tennis()
    >>> model = RuleListClassifier(prune=False).fit(table.X, table.y)
    >>> print(model.rule_list())
    IF x0 = Overcast THEN Yes (4 of 4 rows)
    IF x0 = Rain AND x3 = Strong THEN No (2 of 2 rows)
    IF x0 = Rain AND x3 = Weak THEN Yes (3 of 3 rows)
    IF x0 = Sunny AND x2 = High THEN No (3 of 3 rows)
    IF x0 = Sunny AND x2 = Normal THEN Yes (2 of 2 rows)
    IF x0 = Sunny THEN No (3 of 5 rows)
    OTHERWISE Yes (9 of 14 rows)
    """

    takes_columns = True
    shapes: ClassVar = {"classes_": "k"}
    rules: ClassVar = {
        "prune": boolean,
        "confidence": real(0, 1, ends="()"),
        **ID3Classifier.rules,
    }

    def __init__(
        self,
        *,
        prune: bool = True,
        confidence: float = 0.25,
        criterion: str = "gain",
        continuous: Any = "auto",
        max_depth: int | None = None,
        min_samples_split: float = 0,
        min_gain: float = 0,
        max_bins: int = 255,
    ) -> None:
        self.prune = prune
        self.confidence = confidence
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
    def learn(self, rows: Chunk, report: Report) -> None:
        """Grow a tree, write it as rules, and shorten them."""
        options = {name: getattr(self, name) for name in ID3Classifier.rules}
        tree = ID3Classifier(**options)
        with or_so_far(tree):
            tree.fit(rows.X, rows.y, rows.w)
        self.categories_ = tree.categories_
        report.take_over(tree.report_)
        whole = tree.get_n_leaves() < 2 or not self.prune
        plain = tree_rules(tree).rules if whole else leaf_rules(tree.tree_)
        code = tree.classes_.tolist()  # a class may have no weight
        found = tuple(replace(rule, answer=code[rule.answer]) for rule in plain)
        self.rules_ = found if whole else self._shortened(found, rows)
        found = self.rules_
        report.facts["n_rules"] = len(found)
        report.facts["n_conditions"] = sum(len(rule.conditions) for rule in found)
        report.facts["n_errors"] = self._errors(rows)

    def _shortened(self, found: tuple[Rule, ...], rows: Chunk) -> tuple[Rule, ...]:
        """Return the rules after steps 3 to 6."""
        matcher = self._matcher(rows.X, found)
        w = np.ones(rows.n) if rows.w is None else rows.w.astype(np.float64)
        k = len(self.classes_)
        short = [shortened(rule, matcher, rows.y, w, self.confidence) for rule in found]
        order = sorted(short, key=lambda rule: upper_error(rule, self.confidence))
        last = default_rule(order, matcher, rows.y, w, k)
        needed = needed_rules(order, last, matcher, rows.y, w)
        return (*needed, default_rule(needed, matcher, rows.y, w, k))

    def _errors(self, rows: Chunk) -> float:
        """Return the weight of the training rows that the list gets wrong."""
        wrong = self._answers(rows.X) != rows.y
        return float(wrong.sum() if rows.w is None else rows.w[wrong].sum())

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the class of the first rule that covers each row."""
        answers = self._answers(self._table(X))
        return self.classes_[answers]

    def apply(self, X: Any) -> Vector:
        """Return the position of the first rule that covers each row, (n,)."""
        table = self._table(X)
        return self._matcher(table, self.rules_).first(self.rules_)

    def rule_list(self) -> RuleList:
        """Return the rules with the names that make them readable."""
        check_is_fitted(self)
        names, categories = attribute_names(self), tuple(self.categories_)
        return RuleList(self.rules_, names, self.classes_, categories)

    # -- helpers -------------------------------------------------------------------
    def _matcher(self, table: Table, rules: tuple[Rule, ...]) -> Matcher:
        attributes = attributes_asked(rules, tuple(self.categories_))
        return Matcher(attributes.codes(table, self), attributes)

    def _answers(self, table: Table) -> Vector:
        first = self._matcher(table, self.rules_).first(self.rules_)
        return np.array([rule.answer for rule in self.rules_])[first]

    def _example(self, n: int) -> Table:
        """Return rows of the first category of each column."""
        zero = np.zeros(n, dtype=np.int64)
        first = [np.zeros(1) if c is None else c for c in self.categories_]
        return Table([Column(each[zero]) for each in first])

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        d, k, known = self.n_features_in_, len(self.classes_), self.categories_
        good = isinstance(known, list) and len(known) == d and len(self.rules_) > 0
        good = good and all(
            isinstance(rule, Rule)
            and 0 <= rule.answer < k
            and all(is_sound(c, known) for c in rule.conditions)
            for rule in self.rules_
        )
        if not good or self.rules_[-1].conditions:
            must = "rules_ must ask the attributes, and end with one of no condition"
            raise DataError(sentence(self, must, "others"))


def is_sound(condition: Any, categories: list[Vector | None]) -> bool:
    """Tell whether a condition asks an attribute that there is."""
    if not isinstance(condition, Condition):
        return False
    if not 0 <= condition.feature < len(categories):
        return False
    known = categories[condition.feature]
    if known is None:
        cut = isinstance(condition.threshold, float)
        return cut and 0 <= condition.branch <= MISSING
    return condition.threshold is None and 0 <= condition.branch < len(known)


# -- pruning ---------------------------------------------------------------------------
def pessimistic(N: Any, E: Any, confidence: float) -> Floats:
    """Return U(E, N) (1) by the incomplete beta function; weights count as rows.

    >>> pessimistic([6.0, 2.0], [0.0, 2.0], 0.25).round(3).tolist()  # 1 - 0.25^(1/6)
    [0.206, 1.0]
    """
    N, E = np.asarray(N, dtype=np.float64), np.asarray(E, dtype=np.float64)
    right = N - E
    some = right > 0
    return np.where(
        some, betaincinv(E + 1, np.where(some, right, 1.0), 1 - confidence), 1.0
    )


def upper_error(rule: Rule, confidence: float) -> float:
    """Return the estimated error (1) of a rule."""
    return float(pessimistic(rule.weight, rule.errors, confidence))


def shortened(
    rule: Rule, matcher: Matcher, y: Vector, w: Floats, confidence: float
) -> Rule:
    """Drop conditions one by one as long as the estimated error does not rise.

    A row that misses one condition is what the rule gains by dropping it, so one look
    at the rows serves all conditions.
    """
    best, error = rule, upper_error(rule, confidence)
    wrong = np.where(y != rule.answer, w, 0.0)
    while len(best.conditions) > 1:
        m = len(best.conditions)
        missed = np.stack([~matcher.meets(c) for c in best.conditions])  # (m, n)
        near = np.flatnonzero(missed.sum(axis=0) == 1)
        which = missed[:, near].argmax(axis=0)
        N = best.weight + np.bincount(which, w[near], m)
        E = best.errors + np.bincount(which, wrong[near], m)
        errors = pessimistic(N, E, confidence)
        i = int(errors.argmin())
        if errors[i] > error + 1e-12:
            break
        rest = best.conditions[:i] + best.conditions[i + 1 :]
        best, error = Rule(rest, rule.answer, float(N[i]), float(E[i])), errors[i]
    return best


def default_rule(
    rules: list[Rule], matcher: Matcher, y: Vector, w: Floats, k: int
) -> Rule:
    """Return the rule for what none covers: the majority there, or of all rows."""
    left = w.copy()
    for rule in rules:
        left[matcher.covers(rule.conditions)] = 0
    counts = np.bincount(y, left if left.any() else w, minlength=k)
    answer, weight = int(counts.argmax()), float(left.sum())
    return Rule((), answer, weight, float(left[y != answer].sum()))


def needed_rules(
    rules: list[Rule], default: Rule, matcher: Matcher, y: Vector, w: Floats
) -> list[Rule]:
    """Return the rules that the list needs, in order (step 5)."""
    first = matcher.first(tuple(rules))
    behind = np.full(len(y), default.answer)  # what the rules behind would answer
    needed = []
    for i in range(len(rules) - 1, -1, -1):
        some = np.flatnonzero(first == i)
        own = w[some] @ (y[some] != rules[i].answer)
        if own < w[some] @ (y[some] != behind[some]):
            needed.append(rules[i])
            behind[matcher.covers(rules[i].conditions)] = rules[i].answer
    return needed[::-1]
