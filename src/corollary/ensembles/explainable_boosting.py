"""Explainable boosting: what classifier and regressor share.

    f(x) = b + sum_j s_j(x_j) + sum_(i,j) s_ij(x_i, x_j)                             (1)

An additive model whose shapes are sums of small trees.  In a round every feature gets
a tree of its own, in turn, grown on the gradients of the loss at the scores so far; its
values are multiplied by a low learning rate, so that features that say the same share
the effect, and the order of the turns hardly matters.  When the features alone have
learned what they can, the pairs that interact (`pair_search`) join the rounds: what the
features took for noise of their own is then put right.

A fit stops after `max_iter` rounds, of the features and again with the pairs, or when
held-out rows have not gained for `n_iter_no_change` rounds.  They are asked once in
LOOK rounds.  Trees and tables do not depend on threads, chunks or workers.

References: Lou, Caruana and Gehrke (2012); Nori, Jenkins, Koch and Caruana (2019).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.hooks import hook
from corollary.core.parameters import (
    Rule,
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.progress import progress
from corollary.core.report import Report, StopReason
from corollary.engine.data import Data
from corollary.engine.held_out import HeldOut
from corollary.engine.reduced_rows_learner import ReducedRowsLearner
from corollary.engine.sources.source import Chunk
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.boosting_judges import rests
from corollary.ensembles.coded_rows import (
    Rows,
    Survey,
    code_chunk,
    hold_out,
    survey_rows,
)
from corollary.ensembles.histogram_losses import HistogramLoss
from corollary.ensembles.pair_search import interacting_pairs
from corollary.ensembles.shape_explanation import ShapeExplanation, shapes_of
from corollary.ensembles.shape_functions import ShapeFunctions, grid_codes, places
from corollary.trees.bins import Bins
from corollary.trees.feature_columns import FeatureColumns
from corollary.trees.histogram_tree import CodedRows, GrownTree, Growth, Limits

__all__ = ["EXPLAINABLE_RULES", "ExplainableBoosting"]

LOOK = 10  # rounds after which trees become tables, and held-out rows are asked
PAIR = 2  # leaves of a pair's tree for each of a feature's

#: Parameters that classifier and regressor share.
EXPLAINABLE_RULES: Mapping[str, Rule] = {
    "learning_rate": real(0, ends="(]"),
    "max_iter": whole(1),
    "interactions": whole(0),
    "max_bins": whole(2, 255),
    "max_leaf_nodes": whole(2),
    "min_samples_leaf": whole(1),
    "l2_regularization": real(0),
    "categorical_features": missing | one_of("from_dtype") | array_like,
    "early_stopping": one_of("auto") | boolean,
    "validation_fraction": whole(1) | real(0, 1, ends="()"),
    "n_iter_no_change": whole(1),
    "tol": real(0),
    "verbose": whole(0) | boolean,
    "random_state": seed,
}


Term: TypeAlias = tuple[int, ...]  # one feature, or two


@dataclass
class Boosted:
    """What is made so far."""

    f: Floats  # (K, n) scores of the training rows
    held: Floats  # (K, m) scores of the held-out ones
    found: list[float]  # scores of the held-out rows after each look
    losses: list[float]  # mean losses of the training rows after each look
    tables: dict[Term, Any] = field(default_factory=dict)  # (rows, K) of each term
    rounds: int = 0


class ExplainableBoosting(ReducedRowsLearner):
    """Boosts shapes of features and of pairs (1)."""

    rules: ClassVar[Mapping[str, Rule]]
    row_bytes: ClassVar[float] = 0.0
    n_features_in_: int
    takes_columns: ClassVar[bool] = True
    shapes_: ShapeFunctions
    columns_: FeatureColumns
    learning_rate: float
    max_iter: int
    interactions: int
    max_bins: int
    max_leaf_nodes: int
    min_samples_leaf: int
    l2_regularization: float
    categorical_features: Any
    early_stopping: str | bool
    do_early_stopping_: bool
    validation_fraction: float | int | None
    n_iter_no_change: int
    tol: float
    verbose: int

    @abstractmethod
    def chosen_loss(self) -> HistogramLoss:
        """Return the loss."""

    @abstractmethod
    def encoded(self, y: Any) -> Floats:
        """Return targets of held-out rows as the loss takes them."""

    @hook
    def stratified(self, y: Floats) -> Any:
        """Return what a split keeps the shares of, if anything."""
        return None

    @hook
    def output_names(self) -> tuple[str, ...]:
        """Return a name for each output."""
        return ("",)

    @hook
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the codes, in columns and in groups, scores and gradients."""
        return rows * (20.0 * features + 100.0)

    def takes_missing(self) -> bool:
        """Give missing values a bin of their own."""
        return True

    # -- learning ------------------------------------------------------------------
    def survey(self, data: Data, seed: int) -> Survey:
        """Find the bins of every feature."""
        return survey_rows(self, data, seed)

    def reduced(self, chunk: Chunk, survey: Survey) -> tuple[Vector, ...]:
        """Return the codes of the rows, their targets and weights; drop weight 0."""
        return code_chunk(chunk, survey)

    def learn(
        self,
        rows: tuple[Vector, ...],
        survey: Survey,
        report: Report,
        own: HeldOut | None,
    ) -> None:
        """Boost the features, then with them the pairs that interact."""
        train, held = hold_out(self, Rows.of(rows), survey, own)
        loss, bins = self.chosen_loss(), survey.bins
        base = loss.base(train.y, train.w)
        made = Boosted(
            np.tile(base[:, None], len(train.y)),
            np.tile(base[:, None], 0 if held is None else len(held.y)),
            [],
            [],
        )
        look(made, loss, train, held)
        if train.y.min() == train.y.max():
            reason = StopReason.CLOSED_FORM
        else:
            alone: list[Term] = [(f,) for f in range(len(bins.counts))]
            reason = self._boost(alone, made, loss, bins, train, held)
            if reason is not StopReason.INTERRUPTED and self.interactions:
                given = loss.gradients(train.y, made.f, train.w, 1)
                asked = self.min_samples_leaf, self.interactions
                pairs = interacting_pairs(bins, train.columns, given, *asked)
                if pairs:
                    both = [*alone, *pairs]
                    reason = self._boost(both, made, loss, bins, train, held)
        tables = [*made.tables], [*made.tables.values()]
        self.columns_ = survey.columns
        mask = survey.columns.categorical
        self.is_categorical_ = mask if mask.any() else None
        self.shapes_ = ShapeFunctions.of(bins, base, *tables, train.columns, train.w)
        self._publish(made, report, reason)

    def _publish(self, made: Boosted, report: Report, reason: StopReason) -> None:
        self.n_iter_ = made.rounds
        self.train_score_ = -np.array(made.losses)
        self.validation_score_ = np.array(made.found)
        self.interactions_ = [term for term in made.tables if len(term) == 2]
        report.stop, report.passes = reason, made.rounds
        report.objective = [made.losses[0], made.losses[-1]]

    def _boost(
        self,
        terms: list[Term],
        made: Boosted,
        loss: HistogramLoss,
        bins: Bins,
        train: Rows,
        held: Rows | None,
    ) -> StopReason:
        """Add tables of some terms, in rounds of a tree for each."""
        growths = self._growths(terms, bins, train)
        begun = max(0, len(made.found) - 1)
        patience = -(-self.n_iter_no_change // LOOK)
        verbose = int(self.verbose or get_config().verbose)
        with progress(type(self).__name__, self.max_iter, verbose, "round") as show:
            for done in range(0, self.max_iter, LOOK):
                trees: list[list[GrownTree]] = [[] for _ in terms]
                turns = min(LOOK, self.max_iter - done)
                stopped = boost_rounds(growths, trees, turns, made, loss, train)
                if stopped and not made.tables and not trees[0]:
                    raise KeyboardInterrupt
                for term, grown in zip(terms, trees, strict=True):
                    add_table(made, bins, term, grown, held)
                look(made, loss, train, held)
                if stopped:
                    return StopReason.INTERRUPTED
                show(done + turns, made.losses[-1])
                if rests(made.found[begun:], patience, self.tol):
                    break
        return StopReason.CONVERGED

    def _growths(self, terms: list[Term], bins: Bins, train: Rows) -> list[Growth]:
        """Return what grows the trees of each term."""
        found: list[Growth] = []
        for term in terms:
            most = self.max_leaf_nodes * (PAIR if len(term) == 2 else 1)
            leaves = max(2, min(most, len(train.y) // self.min_samples_leaf))
            limits = Limits(
                leaves,
                0,
                self.min_samples_leaf,
                1e-3,
                float(self.l2_regularization),
                float(self.learning_rate),
            )
            own = np.ascontiguousarray(train.columns[list(term)])
            found.append(Growth(CodedRows.of(bins_of(bins, term), own, 1), limits))
        return found

    # -- use -----------------------------------------------------------------------
    def raw_scores(self, X: Any) -> Floats:
        """Return the scores (1) of the rows, (n, K)."""
        X = self._numbers(X)
        return self.shapes_.scores(X)

    def _numbers(self, X: Any) -> Floats:
        table = self._table(X)  # type: ignore[attr-defined]
        return self.columns_.matrix(table)

    def explain(self, X: Any = None) -> ShapeExplanation:
        """Return the shapes of the model, and what each adds to the rows of X.

        Parameters
        ----------
        X : array of shape (n, d), optional

        Returns
        -------
        ShapeExplanation
        """
        check_is_fitted(self)
        names, outputs = getattr(self, "feature_names_in_", None), self.output_names()
        found = None
        if X is not None:
            found = self.shapes_.contributions(self._numbers(X))
        known = self.columns_.categories
        return shapes_of(self.shapes_, known, names, outputs, found)


# -- rounds ----------------------------------------------------------------------------
def boost_rounds(
    growths: list[Growth],
    trees: list[list[GrownTree]],
    rounds: int,
    made: Boosted,
    loss: HistogramLoss,
    train: Rows,
) -> bool:
    """Grow a tree for each term and output in every round; True after Ctrl-C."""
    room: Any = None
    for _ in range(rounds):
        for growth, grown in zip(growths, trees, strict=True):
            if room is not None:
                growth.cells, growth.entries = room
            try:
                steps = loss.gradients(train.y, made.f, train.w, 1)
                grown += [
                    growth.grow(g, scores=f) for g, f in zip(steps, made.f, strict=True)
                ]
            except KeyboardInterrupt:
                return True
            room = growth.cells, growth.entries
        made.rounds += 1
    return False


def add_table(
    made: Boosted,
    bins: Bins,
    term: Term,
    grown: list[GrownTree],
    held: Rows | None,
) -> None:
    """Add trees to the table of a term, and to the scores of held-out rows."""
    table = grid_scores(bins, term, grown, len(made.f))
    made.tables[term] = made.tables.get(term, 0.0) + table
    if held is not None:
        made.held += table[places(bins, term, held.columns)].T


def grid_scores(bins: Bins, term: Term, trees: list[GrownTree], outputs: int) -> Any:
    """Return the sums of a term's trees for each of its codes, (rows, K)."""
    own = BoostedTrees.of(bins_of(bins, term), np.zeros(outputs), trees)
    return own.coded_scores(np.ascontiguousarray(grid_codes(bins, term)), 1)


def look(made: Boosted, loss: HistogramLoss, train: Rows, held: Rows | None) -> None:
    """Note the losses of the training and of the held-out rows."""
    made.losses.append(loss.mean(train.y, made.f, train.w))
    if held is not None:
        made.found.append(-loss.mean(held.y, made.held, held.w))


def bins_of(bins: Bins, term: Term) -> Bins:
    """Return the bins of a term's features."""
    which = list(term)
    return Bins(bins.edges[which], bins.counts[which], bins.categorical[which])
