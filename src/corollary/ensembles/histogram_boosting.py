"""Gradient boosting of trees from histograms: what classifier and regressor share.

    f_0 = constant of least loss                                                 (1)
    f_t = f_{t-1} + a tree grown on the gradients of the loss at f_{t-1}         (2)

until `max_iter` trees for each output are made, or the score of held-out rows has not
risen by more than tol over the last `n_iter_no_change` steps:

    stop   if   max(s_{t-k+1}, ..., s_t) <= s_{t-k} + tol,   k = n_iter_no_change (3)

Trees, values and the sums of their integers do not depend on threads, chunks or
workers.  All that is kept of a row is a byte for each feature: gathered in memory, or,
where that would take more than the memory limit and a Dask cluster has the rows, with
its workers (`apart_boosting.py`).  Both ways make the same model, to the bit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.hooks import hook
from corollary.core.parameters import (
    Rule,
    array_like,
    boolean,
    function,
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
from corollary.ensembles.apart_boosting import ApartBoosting, ApartRows
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.boosting_judges import Judge, rests
from corollary.ensembles.coded_rows import (
    Rows,
    Survey,
    code_chunk,
    coded_own,
    hold_out,
    survey_rows,
)
from corollary.ensembles.feature_constraints import (
    interacting_sets,
    monotone_signs,
)
from corollary.ensembles.gathered_boosting import (
    BoostingRows,
    GatheredBoosting,
    first_scores,
)
from corollary.ensembles.histogram_losses import HistogramLoss, class_totals
from corollary.trees.bins import Bins
from corollary.trees.feature_columns import FeatureColumns
from corollary.trees.histogram_tree import CodedRows, GrownTree, Growth, Limits
from corollary.trees.summed_tree import SummedGrowth

__all__ = ["COMMON_RULES", "HistogramBoosting"]

any_of = Rule("a list", lambda v: isinstance(v, Sequence | np.ndarray))
mapping = Rule("a dict", lambda v: isinstance(v, Mapping))
#: Parameters that classifier and regressor share.
COMMON_RULES: Mapping[str, Rule] = {
    "learning_rate": real(0, ends="(]"),
    "max_iter": whole(1),
    "max_leaf_nodes": missing | whole(2),
    "max_depth": missing | whole(1),
    "min_samples_leaf": whole(1),
    "l2_regularization": real(0),
    "max_features": real(0, 1, ends="(]"),
    "max_bins": whole(2, 255),
    "categorical_features": missing | one_of("from_dtype") | array_like,
    "monotonic_cst": missing | array_like | mapping,
    "interaction_cst": missing | one_of("pairwise", "no_interactions") | any_of,
    "warm_start": boolean,
    "early_stopping": one_of("auto") | boolean,
    "scoring": missing | Rule("a name", lambda v: isinstance(v, str)) | function,
    "validation_fraction": missing | whole(1) | real(0, 1, ends="()"),
    "n_iter_no_change": whole(1),
    "tol": real(0),
    "verbose": whole(0) | boolean,
    "random_state": seed,
}


class HistogramBoosting(ReducedRowsLearner):
    """Boosts trees on the gradients of a loss (2)."""

    rules: ClassVar[Mapping[str, Rule]]
    takes_columns: ClassVar[bool] = True
    n_features_in_: int
    trees_: BoostedTrees
    columns_: FeatureColumns
    seed_: int
    learning_rate: float
    max_iter: int
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    l2_regularization: float
    max_features: float
    max_bins: int
    categorical_features: Any
    monotonic_cst: Any
    interaction_cst: Any
    warm_start: bool
    early_stopping: str | bool
    scoring: Any
    do_early_stopping_: bool
    validation_fraction: float | int | None
    n_iter_no_change: int
    tol: float
    verbose: int

    @abstractmethod
    def chosen_loss(self, y: Floats) -> HistogramLoss:
        """Return the loss that the parameters name, for these targets."""

    @abstractmethod
    def encoded(self, y: Any) -> Floats:
        """Return targets of held-out rows as the loss takes them."""

    @abstractmethod
    def scorer(self) -> Callable[[Judge], float]:
        """Return how `scoring` judges."""

    @hook
    def stratified(self, y: Floats) -> Any:
        """Return what a split keeps the shares of, if anything."""
        return None

    @hook
    def class_weights(self, totals: Floats) -> Floats | None:
        """Return the weights of classes whose rows weigh so much, if they have any."""
        return None

    @hook
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate two copies of the codes, two lists of rows, scores and gradients."""
        return rows * (2.5 * features + 60.0)

    def takes_missing(self) -> bool:
        """Send a missing value to the side where it lowers the loss more."""
        return True

    # -- learning ------------------------------------------------------------------
    def survey(self, data: Data, seed: int) -> Survey:
        """Find the bins of every feature."""
        if self.warm_start:  # the same sample, and the same held-out rows
            seed = getattr(self, "seed_", seed)
        return survey_rows(self, data, seed)

    def reduced(self, chunk: Chunk, survey: Survey) -> tuple[Vector, ...]:
        """Return the codes of the rows, their targets and weights; drop weight 0."""
        return code_chunk(chunk, survey)

    def apart(self) -> bool:
        """Tell whether sums are enough: all but scores of scikit-learn's are sums."""
        return self.scoring == "loss" or self.early_stopping is False

    def learn(
        self,
        rows: tuple[Vector, ...],
        survey: Survey,
        report: Report,
        own: HeldOut | None,
    ) -> None:
        """Boost."""
        every = Rows.of(rows)
        loss = self.chosen_loss(every.y)
        train, held = hold_out(self, self._weighed(every), survey, own)
        if own is not None and held is not None:
            held = self._weighed(held)
        before, threads = self._before(survey.bins), get_config().threads
        base = loss.base(train.y, train.w) if before is None else before.base
        coded = CodedRows.of(survey.bins, train.columns, threads)
        limits, *rules = self._growth(survey.bins, len(train.y))
        growth = Growth(coded, limits, *rules)
        boosting = GatheredBoosting(growth, loss, train, base, before)
        if self.do_early_stopping_:
            f = None if held is None else first_scores(held, base, before, threads)
            boosting.watch(self.scorer(), held, f)
        self._boost(boosting, before, survey, report)

    def learn_apart(
        self, data: Data, survey: Survey, report: Report, own: HeldOut | None
    ) -> None:
        """Boost by sums over the rows that the workers keep."""
        before = self._before(survey.bins)
        rows = ApartRows.of(self, data, survey, own)
        growth = SummedGrowth(survey.bins, *self._growth(survey.bins, rows.n))
        boosting = ApartBoosting(growth, rows, before)
        if own is not None:
            held = self._weighed(coded_own(self, own, survey))
            f = first_scores(held, boosting.base, before, get_config().threads)
            boosting.own = Judge(held.columns, held.y, f, held.w, self.scorer(), [])
        if self.do_early_stopping_:
            boosting.watch()
        report.facts["route"] = "sums of the workers"
        self._boost(boosting, before, survey, report)

    def _boost(
        self,
        rows: BoostingRows,
        before: BoostedTrees | None,
        survey: Survey,
        report: Report,
    ) -> None:
        """Make the steps, and set what users read."""
        trees: list[GrownTree] = []
        first = rows.loss()
        self._begin_scores(rows, before)
        reason = self._steps(rows, trees, before, survey.seed)
        self.columns_ = survey.columns
        if self.warm_start:
            self.seed_ = survey.seed
        mask = survey.columns.categorical
        self.is_categorical_ = mask if mask.any() else None
        grown = BoostedTrees.of(survey.bins, rows.base, trees)
        self.trees_ = grown if before is None else joined(before, grown)
        scores = [np.array(found) for found in rows.scores]
        self.train_score_ = scores[0] if scores else np.zeros(0)
        self.validation_score_ = scores[1] if len(scores) > 1 else np.zeros(0)
        self.n_trees_per_iteration_ = rows.outputs
        self.n_iter_ = (len(self.trees_.starts) - 1) // rows.outputs
        report.stop, report.passes = reason, self.n_iter_
        report.objective = [first, rows.loss()]
        report.facts["n_trees"] = len(self.trees_.starts) - 1

    def _steps(
        self,
        rows: BoostingRows,
        trees: list[GrownTree],
        before: BoostedTrees | None,
        seed: int,
    ) -> StopReason:
        """Repeat (2) until there are enough trees, or (3)."""
        K, scores = rows.outputs, rows.scores
        made = 0 if before is None else (len(before.starts) - 1) // K
        show_most, verbose = self.max_iter, int(self.verbose or get_config().verbose)
        if not scores and rows.constant:
            return StopReason.CLOSED_FORM
        with progress(type(self).__name__, show_most, verbose, "tree") as show:
            for t in range(made, self.max_iter):
                try:
                    grown = rows.grow([seed + t * K + k for k in range(K)])
                except KeyboardInterrupt:
                    if not trees:
                        raise
                    return StopReason.INTERRUPTED
                trees += grown
                rows.judge(grown)
                show(t + 1, -scores[-1][-1] if scores else 0.0)
                if scores and rests(scores[-1], self.n_iter_no_change, self.tol):
                    return StopReason.CONVERGED
        return StopReason.CONVERGED

    def _weighed(self, rows: Rows) -> Rows:
        """Return the rows with the weights of their classes."""
        totals = class_totals(rows.y, rows.w, len(getattr(self, "classes_", ())))
        of_class = self.class_weights(totals.astype(np.float64))
        return rows if of_class is None else rows.weighed(of_class)

    def _begin_scores(self, rows: BoostingRows, before: BoostedTrees | None) -> None:
        """Begin the scores of the judges, or go on with those of the fit before."""
        names = ("train_score_", "validation_score_")
        for found, now, name in zip(rows.scores, rows.now(), names, strict=False):
            earlier = getattr(self, name, None) if before is not None else None
            found += [now] if earlier is None else list(earlier)

    def _growth(
        self, bins: Bins, n: int
    ) -> tuple[Limits, Vector | None, Vector | None]:
        """Return what bounds trees of n rows, by the parameters."""
        d = len(bins.counts)
        leaves = max(2, n // max(1, self.min_samples_leaf))
        if self.max_leaf_nodes is not None:
            leaves = min(leaves, self.max_leaf_nodes)
        if self.max_depth is not None and self.max_depth < 31:
            leaves = min(leaves, 2**self.max_depth)
        drawn = max(1, int(np.ceil(self.max_features * d)))
        limits = Limits(
            leaves,
            self.max_depth or 0,
            self.min_samples_leaf,
            1e-3,
            float(self.l2_regularization),
            float(self.learning_rate),
            drawn if drawn < d else 0,
        )
        signs = monotone_signs(self, bins.categorical)
        return limits, signs, interacting_sets(self, d)

    def raw_scores(self, X: Any) -> Floats:
        """Return the scores of the rows, (n, K)."""
        X = self._numbers(X)
        return self.trees_.scores(X)

    def _numbers(self, X: Any) -> Floats:
        table = self._table(X)  # type: ignore[attr-defined]
        return self.columns_.matrix(table)

    def staged_scores(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of the rows after each step, (n, K)."""
        X = self._numbers(X)
        K = self.n_trees_per_iteration_
        f: Any = 0.0
        for t in range(0, len(self.trees_.starts) - 1, K):
            f = f + self.trees_.part(t, t + K).scores(X)
            yield f

    # -- helpers -------------------------------------------------------------------
    def _before(self, bins: Bins) -> BoostedTrees | None:
        """Return the trees that a warm start goes on from, whose bins are these."""
        before: BoostedTrees | None = (
            getattr(self, "trees_", None) if self.warm_start else None
        )
        if before is None:
            return None
        made = (len(before.starts) - 1) // len(before.base)
        if self.max_iter < made:
            must = f"max_iter must be at least the {made} iterations made before"
            raise ParameterError(sentence(self, must, f"{self.max_iter}"))
        if not np.array_equal(before.bins.edges, bins.edges):
            must = "warm_start must go on with the data of the fit before"
            raise DataError(sentence(self, must, "others"))
        return before


def joined(before: BoostedTrees, more: BoostedTrees) -> BoostedTrees:
    """Return the trees of both."""
    names = ("feature", "bin", "missing_left", "left", "value", "count", "sets")
    parts = (np.concatenate([getattr(before, n), getattr(more, n)]) for n in names)
    starts = np.append(before.starts, more.starts[1:] + before.starts[-1])
    return BoostedTrees(before.bins, before.base, starts.astype(np.int32), *parts)
