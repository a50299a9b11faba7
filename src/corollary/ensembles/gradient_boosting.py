"""Gradient boosting: what its classifier and its regressor share.

Also known as: functional gradient descent, MART, stochastic gradient boosting,
forward stagewise additive modelling.

Minimise  A(f) = sum_i w_i L(y_i, f(x_i)) / sum_i w_i  over sums of regressors      (1)

by descent in the space of functions: begin with the best constant f_0 and add, T times,

    r_i = -dL(y_i, f_{t-1}(x_i))/df                  pseudo-residuals               (2)
    g_t = a regressor fitted to (x_i, r_i)                                          (3)
    s_t = argmin_s A(f_{t-1} + s g_t)                line search                    (4)
    f_t = f_{t-1} + v s_t g_t                        v = learning_rate              (5)

A tree is searched leaf by leaf instead: each leaf takes the value that is best for its
rows, or one step of Newton's method towards it (`objectives/stagewise_losses.py`), and
s_t = 1.  Any other regressor takes the one exact step (4), which never raises A.  For
the squared loss and leaves that are means both are the same: s_t = 1.

T and v regularise: T bounds the number of regressors, and both how far the descent
goes; halving v asks for about twice the T.  With `subsample` < 1 a stage sees a random
part of the rows (stochastic gradient boosting), and the others judge it out of bag.
With `n_iter_no_change`, held-out rows, a share of X or the user's own, end the fit.

How well g_t meets r is its quality, 1 less the share of the squares that it leaves:

    gamma_t = 1 - sum_i w_i (r_i - g_t(x_i))^2 / sum_i w_i r_i^2                    (6)

of which `boosting_rate` makes a promise.  All rows are used at once, stage after stage.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, ModelFileError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, seed, whole
from corollary.core.parameters import estimator as an_estimator
from corollary.core.progress import progress
from corollary.core.randomness import entropy, generator
from corollary.core.report import Report, StopReason
from corollary.core.roles import Estimator
from corollary.core.warn import warn_of_change
from corollary.engine.fit import inside_another_fit
from corollary.engine.held_out import split_rows
from corollary.engine.meta import fit_with_weights
from corollary.engine.sources.source import Chunk
from corollary.engine.validated_learner import ValidatedLearner, Watch
from corollary.ensembles.boosting_progress import Progress
from corollary.ensembles.members import Urn, importances_of, made
from corollary.ensembles.stages import (
    Rows,
    Stage,
    added_scores,
    fit_stage,
    is_tree,
    staged_scores,
)
from corollary.objectives.stagewise_losses import StagewiseLoss
from corollary.trees.growing import TREE_RULES
from corollary.trees.rank_codes import rank_codes

__all__ = ["BOOSTING_RULES", "GradientBoosting"]

TREE = (
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_depth",
    "min_impurity_decrease",
    "max_features",
    "max_leaf_nodes",
    "ccp_alpha",
)
BOOSTING_RULES = {
    "learning_rate": real(0),
    "n_estimators": whole(1),
    "subsample": real(0, 1, ends="(]"),
    "criterion": one_of("deprecated", "squared_error", "friedman_mse"),
    "init": missing | one_of("zero") | an_estimator,
    "random_state": seed,
    "verbose": whole(0) | boolean,
    "warm_start": boolean,
    "validation_fraction": real(0, 1, ends="()"),
    "n_iter_no_change": missing | whole(1),
    "tol": real(0),
    "estimator": missing | an_estimator,
    **{name: TREE_RULES[name] for name in TREE},
}
OPTIONAL = ("oob_improvement_", "oob_scores_", "oob_score_", "validation_score_")


class GradientBoosting(ValidatedLearner, Estimator):
    """Regressors added up, each fitted to the slope of a loss."""

    may_be_infinite = ("oob_improvement_", "oob_scores_")
    loss: str
    learning_rate: float
    n_estimators: int
    subsample: float
    criterion: str
    init: Any
    random_state: Any
    verbose: int
    warm_start: bool
    validation_fraction: float
    n_iter_no_change: int | None
    tol: float
    max_features: Any
    estimator: Any

    @abstractmethod
    def _stagewise(self, y: Vector) -> tuple[StagewiseLoss, Vector]:
        """Return the loss, and its targets."""

    @abstractmethod
    def _stratum(self, y: Vector) -> Vector | None:
        """Return what a split of the rows is to keep in proportion."""

    @abstractmethod
    def _initial(self, X: Matrix) -> Floats:
        """Return what the fitted `init_` says of rows: means, or probabilities."""

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the base takes sparse rows."""
        return bool(get_tags(self._base()).input_tags.sparse)

    def takes_missing(self) -> bool:
        """Tell whether the base takes missing values."""
        return bool(get_tags(self._base()).input_tags.allow_nan)

    # -- learning ------------------------------------------------------------------
    def learn_watching(self, rows: Chunk, report: Report, watch: Watch) -> None:
        """Begin, or go on where the last fit ended, and add stages."""
        if self.criterion != "deprecated":
            warn_of_change(self, "criterion has no effect and is deprecated")
        loss, y = self._stagewise(rows.y)
        w = np.ones(rows.n) if rows.w is None else rows.w
        every = Rows(rows.X, y, w, rows.w is not None)
        seed = entropy(self.random_state)
        train, held = every, self._held(watch)
        if held is None and self.n_iter_no_change is not None:
            share, stratum = self.validation_fraction, self._stratum(y)
            learned, apart = split_rows(self, rows.n, share, stratum, seed)
            train, held = every.some(learned), every.some(apart)
        self.max_features_ = self._features()
        self.n_trees_per_iteration_ = loss.K
        past = self._past()
        if past is None:
            F = self._begin(loss, train)
            past = Progress()
        else:
            F = self._scores(train.X)
        report.stop = StopReason.CONVERGED
        self._boost(loss, train, held, F, past, report, watch, seed)
        self._publish(past)
        self._account(past, report)

    def _past(self) -> Progress | None:
        """Return the stages of the last fit, where this one is to go on from them."""
        if not self.warm_start or not hasattr(self, "estimators_"):
            return None
        done = len(self.estimators_)
        if self.n_estimators < done:
            must = f"n_estimators must be at least the {done} stages there are"
            raise ParameterError(sentence(self, must, f"{self.n_estimators}"))
        zeros = np.zeros(done)
        quality = zip(self.estimators_, self.steps_, self.qualities_, strict=True)
        return Progress(
            [Stage(list(row), float(s), float(q)) for row, s, q in quality],
            self.train_score_.tolist(),
            getattr(self, "validation_score_", np.full(done, np.nan)).tolist(),
            getattr(self, "oob_scores_", zeros).tolist(),
            getattr(self, "oob_improvement_", zeros).tolist(),
        )

    def _held(self, watch: Watch) -> Rows | None:
        """Return the user's own validation rows."""
        if watch.held is None:
            return None
        held = watch.held
        w = np.ones(held.n) if held.w is None else held.w
        return Rows(held.X, self._stagewise(held.y)[1], w, held.w is not None)

    def _begin(self, loss: StagewiseLoss, rows: Rows) -> Floats:
        """Set f_0 or fit `init`; return the scores of the rows."""
        n = len(rows.y)
        self.init_ = self.init
        self.initial_score_: Floats = np.zeros(loss.K)
        if self.init is None:
            self.initial_score_ = loss.start(rows.y, rows.w)
        elif not isinstance(self.init, str):
            self.init_ = made(self.init, entropy(self.random_state), 0)
            if rows.weighed and not has_fit_parameter(self.init_, "sample_weight"):
                must = "init must be an estimator that does support sample weights"
                came = f"a {type(self.init_).__name__}, which does not support them"
                raise ParameterError(sentence(self, must, came))
            w = rows.w if rows.weighed else None
            with inside_another_fit():
                fit_with_weights(self, self.init_, rows.X, rows.y, w)
        F = self._initial_scores(loss, rows.X)
        if F.shape != (n, loss.K) or not np.isfinite(F).all():
            must = f"init must give finite answers, {loss.K} for each row"
            raise DataError(sentence(self, must, f"shape {F.shape}"))
        first = loss.prepared(rows.y, F, rows.w)
        self.initial_loss_ = first.mean(rows.y, F, rows.w)
        return F

    def _initial_scores(self, loss: StagewiseLoss, X: Matrix) -> Floats:
        if self.init_ is None or isinstance(self.init_, str):
            return np.tile(self.initial_score_, (X.shape[0], 1))
        with names_checked():
            return loss.scores_of(self._initial(X))

    def _boost(
        self,
        loss: StagewiseLoss,
        train: Rows,
        held: Rows | None,
        F: Floats,
        past: Progress,
        report: Report,
        watch: Watch,
        seed: int,
    ) -> None:
        """Add stages to the past until there are enough, or a reason to end."""
        H = None if held is None else self._scores_of_held(loss, held.X, past)
        urn = Urn.of(train.X, train.y) if self.subsample < 1 else None
        if self.estimator is None:
            train = train._replace(codes=rank_codes(self, train.X))
        done, name = len(past.stages), type(self).__name__
        with progress(name, self.n_estimators, int(self.verbose)) as show:
            try:
                for t in range(done, self.n_estimators):
                    loss = loss.prepared(train.y, F, train.w)
                    chosen = self._chosen(urn, seed, t)
                    make = partial(self._made, seed, t)
                    rate = self.learning_rate
                    stage, F_new = fit_stage(self, make, loss, train, F, chosen, rate)
                    scores = past.scores(loss, train, F, F_new, chosen)
                    if held is not None and H is not None:
                        H = H + self._added(stage, held.X)
                        scores = replace(scores, held=loss.mean(held.y, H, held.w))
                    F = F_new
                    past.add(stage, scores)
                    show(t + 1, scores.train)
                    if self._ends(past, watch, held, t):
                        stopped = past.ended == "monitor"
                        report.stop = StopReason.STOPPED if stopped else report.stop
                        break
            except KeyboardInterrupt:
                if not past.stages:
                    raise
                report.stop = StopReason.INTERRUPTED

    def _made(self, seed: int, t: int, k: int) -> Any:
        """Return an unfitted member of a stage."""
        return made(self._base(), seed, 1 + t * self.n_trees_per_iteration_ + k)

    def _scores_of_held(self, loss: StagewiseLoss, X: Matrix, past: Progress) -> Floats:
        H = self._initial_scores(loss, X)
        for stage in past.stages:
            H = H + self._added(stage, X)
        return H

    def _added(self, stage: Stage, X: Matrix) -> Floats:
        row = np.empty((1, len(stage.members)), dtype=object)
        row[0] = stage.members
        K = len(stage.members)
        return added_scores(row, [stage.step], self.learning_rate, X, K)

    def _chosen(self, urn: Urn | None, seed: int, t: int) -> Vector | None:
        """Draw the rows of a stage."""
        if urn is None:
            return None
        size = max(1, int(self.subsample * len(urn.order)))
        return urn.distinct_rows(size, generator(seed, t, 1))

    def _ends(self, past: Progress, watch: Watch, held: Rows | None, t: int) -> bool:
        """Ask the monitor and the held-out rows whether a fit ends."""
        if watch.monitor is not None:
            self._publish(past)
            if watch.monitor(t, self, {"train_score": past.train[-1]}):
                past.ended = "monitor"
                return True
        if held is None or self.n_iter_no_change is None:
            return False
        some = past.held[-self.n_iter_no_change - 1 : -1]
        enough = len(past.held) > self.n_iter_no_change
        if enough and not any(past.held[-1] + self.tol < one for one in some):
            past.ended = "n_iter_no_change"
            return True
        return False

    def _publish(self, past: Progress) -> None:
        """Set what users read."""
        T, K = len(past.stages), self.n_trees_per_iteration_
        self.estimators_ = np.empty((T, K), dtype=object)
        for t, stage in enumerate(past.stages):
            self.estimators_[t] = stage.members
        self.steps_ = np.array([stage.step for stage in past.stages])
        self.qualities_ = np.array([stage.quality for stage in past.stages])
        self.train_score_ = np.array(past.train[:T])
        self.n_estimators_ = T
        for name in OPTIONAL:
            self.__dict__.pop(name, None)
        if self.subsample < 1:
            self.oob_improvement_ = np.array(past.improvement[:T])
            self.oob_scores_ = np.array(past.out_of_bag[:T])
            self.oob_score_ = float(self.oob_scores_[-1])
        if any(np.isfinite(past.held[:T])):
            self.validation_score_ = np.array(past.held[:T])

    def _account(self, past: Progress, report: Report) -> None:
        report.passes = len(past.stages)
        report.objective = self.train_score_.tolist()
        report.facts["estimator"] = type(past.stages[0].members[0]).__name__
        report.facts["n_members"] = int(self.estimators_.size)
        report.facts["ended_by"] = past.ended
        report.facts["learning_rate"] = float(self.learning_rate)

    def _base(self) -> Any:
        """Return the base, by default a regression tree of the parameters."""
        if self.estimator is not None:
            return self.estimator
        from corollary.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(**{name: getattr(self, name) for name in TREE})

    def _features(self) -> int:
        """Return how many features a split looks at."""
        d, asked = self.n_features_in_, self.max_features
        if isinstance(asked, str):
            size = np.sqrt(d) if asked == "sqrt" else np.log2(d)
        elif asked is None or whole(1).holds(asked):
            size = d if asked is None else asked
        else:
            size = asked * d
        return max(1, int(size))

    # -- use -----------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _scores(self, X: Matrix) -> Floats:
        """Return the scores of rows, (n, K)."""
        K, rate = self.n_trees_per_iteration_, self.learning_rate
        added = added_scores(self.estimators_, self.steps_, rate, X, K)
        return self._initial_scores(self._fitted_loss(), X) + added

    def _staged(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of rows after each stage, (n, K)."""
        X = self._query(X)
        F = self._initial_scores(self._fitted_loss(), X)
        members, steps = self.estimators_, self.steps_
        yield from staged_scores(F, members, steps, self.learning_rate, X)

    @abstractmethod
    def _fitted_loss(self) -> StagewiseLoss:
        """Return the loss of the fitted model."""

    def _leaves(self, X: Any) -> Floats:
        """Return the leaf of each row in each tree, (n, T, K)."""
        X = self._query(X)
        if not all(is_tree(one) for one in self.estimators_.flat):
            must = "apply needs members that are trees"
            came = f"a {type(self.estimators_.flat[0]).__name__}"
            raise AttributeError(sentence(self, must, came))
        leaves = np.empty((X.shape[0], *self.estimators_.shape))
        with names_checked():
            for t, row in enumerate(self.estimators_.tolist()):
                leaves[:, t] = np.column_stack([one.apply(X) for one in row])
        return leaves

    @property
    def feature_importances_(self) -> Floats:
        """Mean decrease of impurity by each feature, summing to 1, or to 0."""
        check_is_fitted(self)
        members = list(self.estimators_.flat)
        if not all(is_tree(one) for one in members):
            return importances_of(self, members, np.ones(len(members)))
        grown = [one.tree_ for one in members if one.tree_.node_count > 1]
        d = self.n_features_in_
        each = [tree.compute_feature_importances(normalize=False) for tree in grown]
        total = np.sum(each, axis=0) if each else np.zeros(d)
        return total / total.sum() if total.sum() > 0 else np.zeros(d)

    def _audit(self) -> None:
        """Refuse members from a file that are no regressors of the model's features."""
        for one in np.asarray(self.estimators_, dtype=object).flat:
            fits = getattr(one, "n_features_in_", None) == self.n_features_in_
            if not hasattr(one, "predict") or not fits:
                raise ModelFileError("estimators_ must be regressors of the features")
        if np.ndim(self.estimators_) != 2:
            raise ModelFileError("estimators_ must have a row for each stage")
        if self.estimators_.shape[1] != self.n_trees_per_iteration_:
            raise ModelFileError("n_trees_per_iteration_ must be that of estimators_")
        first = self.init_
        known = first is None or first == "zero" or hasattr(first, "predict")
        if not known:
            raise ModelFileError("init_ must be an estimator, 'zero' or None")
