"""Bagging: what its classifier and its regressor share.

Also known as: bootstrap aggregating, pasting (without replacement), random subspaces
(features alone), random patches (rows and features).

Member t is fitted on rows drawn with replacement, and perhaps on some features alone;
the ensemble averages, or votes:

    f(x) = (1/T) sum_t g_t(x)                                                    (1)

A row is missing from a bootstrap of n rows with probability (1 - 1/n)^n, about 37%.
The members that never saw it judge it fairly: averaged over them, (1) gives the
out-of-bag predictions and their score, at no cost of held-out rows.

Weights are the probabilities with which rows are drawn.  A member that takes weights is
given how often each row was drawn; another one is given the rows drawn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_weights, check_X, names_checked
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import FEWER, check_memory
from corollary.core.parameters import boolean, missing, real, seed, whole
from corollary.core.parameters import estimator as an_estimator
from corollary.core.randomness import entropy, generator
from corollary.core.report import StopReason
from corollary.core.roles import Estimator
from corollary.core.warn import warn
from corollary.engine import Data
from corollary.engine.fit import inside_another_fit
from corollary.engine.gather import gather
from corollary.engine.meta import Inside, MetaLearner
from corollary.engine.sources.opening import as_source, open_source
from corollary.ensembles.member_metadata import router_to_members
from corollary.ensembles.members import Urn, as_given, made, takes_weights
from corollary.multiclass.members import in_threads

__all__ = ["BAGGING_RULES", "Bagging", "Bags"]

DRAWING = 56.0  # bytes of a row while its order is found
BAGGING_RULES = {
    "estimator": missing | an_estimator,
    "n_estimators": whole(1),
    "max_samples": missing | whole(1) | real(0, 1, ends="(]"),
    "max_features": whole(1) | real(0, 1, ends="(]"),
    "bootstrap": boolean,
    "bootstrap_features": boolean,
    "oob_score": boolean,
    "warm_start": boolean,
    "n_jobs": missing | whole(),
    "random_state": seed,
    "verbose": whole(0) | boolean,
}


class Bags(NamedTuple):
    """The rows of a fit, and how they are drawn."""

    X: Any  # (n, d)
    y: Any  # (n,) codes of the classes, or numbers; (n, m) numbers
    w: Any  # (n,) or None
    urn: Urn
    size: int  # rows of a draw
    width: int  # features of a draw
    seed: int


class Member(NamedTuple):
    """A member and what it was fitted on."""

    estimator: Any
    rows: Vector
    features: Vector


class Bagging(MetaLearner, Estimator):
    """Members fitted on draws of the rows."""

    parts = {"estimators_": "predict"}  # noqa: RUF012
    some_classes = some_features = True
    of_rows = ("estimators_samples_", "oob_decision_function_", "oob_prediction_")
    may_be_infinite = ("oob_decision_function_", "oob_prediction_")
    estimator: Any
    n_estimators: int
    max_samples: Any
    max_features: Any
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    estimators_: list[Any]
    estimators_features_: list[Vector]

    @abstractmethod
    def _base(self) -> Any:
        """Return the base."""

    @abstractmethod
    def _targets(self, y: Any, rows: int) -> Any:
        """Check y; return codes or numbers."""

    @abstractmethod
    def _set_oob(self, bags: Bags) -> None:
        """Set the out-of-bag predictions and their score."""

    @abstractmethod
    def _one_class(self, y: Any) -> Any:
        """Return a member, unfitted, for drawn rows that are all alike, or None."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        return tags

    def get_metadata_routing(self) -> Any:
        """Return what goes where: further arguments of predictions to the members."""
        return router_to_members(self, self._base())

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the base takes sparse rows."""
        return bool(get_tags(self._base()).input_tags.sparse)

    def takes_missing(self) -> bool:
        """Tell whether the base takes missing values."""
        return bool(get_tags(self._base()).input_tags.allow_nan)

    # -- learning ------------------------------------------------------------------
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Draw and fit the members that are missing."""
        self._check_options()
        if as_source(X) is not None or hasattr(X, "__dask_graph__"):
            data = Data(self, open_source(self, X, y, sample_weight))
            try:
                rows = gather(data)
            finally:
                data.executor.close()
            X, y, w = rows.X, rows.y, rows.w
        else:
            X = self._rows(X, reset=True)
            w = check_weights(self, sample_weight, X.shape[0])
            y = self._targets(y, X.shape[0])
        if w is not None and not self.bootstrap:
            warn(f"{type(self).__name__}: weights count best with bootstrap=True.")
        self.estimator_ = self._base()
        fresh = not self.warm_start or not hasattr(self, "estimators_")
        if fresh:
            self.estimators_, self.estimators_features_ = [], []
            self.estimators_samples_: list[Vector] = []
        self._forget_oob()
        done = len(self.estimators_)
        if self.n_estimators < done:
            must = f"n_estimators must be at least the {done} members there are"
            raise ParameterError(sentence(self, must, f"{self.n_estimators}"))
        if self.n_estimators == done:
            warn(f"{type(self).__name__}: n_estimators adds no member to a warm start.")
        bags = self._bags(X, y, w)
        self._add(bags, done)
        if self.oob_score:
            self._set_oob(bags)
        return self._inside(X.shape[0])

    def _check_options(self) -> None:
        if self.oob_score and (not self.bootstrap or self.warm_start):
            must = "oob_score needs bootstrap=True and warm_start=False"
            came = f"bootstrap={self.bootstrap}, warm_start={self.warm_start}"
            raise ParameterError(sentence(self, must, came))

    def _forget_oob(self) -> None:
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _rows(self, X: Any, reset: bool) -> Any:
        """Check rows; what a base of others makes of them is for it to say."""
        ours = isinstance(self._base(), Estimator)
        if sp.issparse(X):
            checked = check_X(self, X, reset=reset, sparse=self.takes_sparse)
            return as_given(checked, X)
        if ours:
            return check_X(self, X, reset=reset, sparse=False)
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)

    def _bags(self, X: Matrix, y: Any, w: Any) -> Bags:
        """Resolve the sizes of the draws."""
        n, d = X.shape
        needed = (DRAWING + 8.0 * self.n_estimators) * n
        check_memory(self, needed, f"the draws of {n:,} rows", FEWER)
        total = float(n if w is None else w.sum())
        asked = self.max_samples
        if asked is None:
            size = n
        else:
            number = whole(1).holds(asked)
            size = asked if number else max(1, int(asked * total))
            if not number and size < min(10, n) and total < n:
                warn(
                    f"{type(self).__name__}: max_samples={asked} of a total weight of "
                    f"{total:g} draws {size} rows; give max_samples as a whole number."
                )
        most = n if w is None else int(np.count_nonzero(w))
        if not self.bootstrap and size > most:
            must = f"max_samples must be <= the {most} rows, without replacement"
            raise ParameterError(sentence(self, must, f"{size}"))
        asked = self.max_features
        width = asked if whole(1).holds(asked) else max(1, int(asked * d))
        if width > d:
            must = f"max_features must be <= n_features = {d}"
            raise ParameterError(sentence(self, must, f"{width}"))
        draw = entropy(self.random_state)
        return Bags(X, y, w, self._urn(X, y), int(size), int(width), draw)

    def _urn(self, X: Any, y: Any) -> Urn:
        if not sp.issparse(X) and X.dtype.kind != "f":
            return Urn(np.arange(X.shape[0]))
        return Urn.of(X, y)

    def _add(self, bags: Bags, done: int) -> None:
        """Fit the members that are missing, in threads if asked."""
        numbers = range(done, self.n_estimators)
        with inside_another_fit():
            found = in_threads(lambda t: self._member(bags, t), numbers, self.n_jobs)
        self.estimators_ = [*self.estimators_, *(one.estimator for one in found)]
        self.estimators_features_ += [one.features for one in found]
        self.estimators_samples_ += [one.rows for one in found]

    def _member(self, bags: Bags, number: int) -> Member:
        """Draw rows and features, and fit a member to them."""
        d = bags.X.shape[1]
        draw = generator(bags.seed, number, 1)
        features = np.arange(d)
        if self.bootstrap_features:
            features = draw.integers(d, size=bags.width)
        elif bags.width < d:
            features = draw.permutation(d)[: bags.width]
        if self.bootstrap:
            rows = bags.urn.drawn_rows(bags.size, draw, bags.w)
        else:
            rows = bags.urn.distinct_rows(bags.size, draw, bags.w)
        estimator = made(self._base(), bags.seed, number)
        X, y, more = bags.X, bags.y, {}
        if takes_weights(estimator):
            counts = np.bincount(rows, minlength=X.shape[0])
            more = {"sample_weight": counts.astype(np.float64)}
        else:
            X, y = X[rows], y[rows]
        X = X if is_all(features, d) else X[:, features]
        try:
            estimator.fit(X, y, **more)
        except ValueError:
            estimator = self._one_class(bags.y[rows])
            if estimator is None:
                raise
            estimator.fit(X, y, **more)
        return Member(estimator, rows, features)

    def _inside(self, rows: int) -> Inside:
        facts: dict[str, Any] = {
            "estimator": type(self.estimator_).__name__,
            "n_members": len(self.estimators_),
        }
        if hasattr(self, "oob_score_"):
            facts["out_of_bag_score"] = float(self.oob_score_)
        return Inside(self.estimators_, rows, facts, stop=StopReason.CLOSED_FORM)

    # -- use -----------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _asked(self, X: Any) -> Any:
        """Check that the model is fitted and X has its features."""
        check_is_fitted(self)
        return self._rows(X, reset=False)

    def _answers(self, X: Any, ask: Callable[[Any, Any], Any]) -> Iterator[Any]:
        """Yield what each member says of its own features of the rows."""
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        for member, features in pairs:
            own = X if is_all(features, X.shape[1]) else X[:, features]
            with names_checked():
                answer = ask(member, own)
            yield answer

    def _out_of_bag(
        self, bags: Bags, ask: Callable[[Any, Any], Any]
    ) -> Iterator[tuple[Vector, Any]]:
        """Yield the rows that each member never saw, and what it says of them."""
        n = bags.X.shape[0]
        every = zip(
            self.estimators_,
            self.estimators_features_,
            self.estimators_samples_,
            strict=True,
        )
        for member, features, seen in every:
            unseen = np.flatnonzero(np.bincount(seen, minlength=n) == 0)
            if len(unseen):
                with names_checked():
                    answer = ask(member, bags.X[unseen][:, features])
                yield unseen, answer


def is_all(features: Vector, d: int) -> bool:
    """Tell whether features are all there are, in order."""
    return len(features) == d and bool((features == np.arange(d)).all())


def mean_out_of_bag(who: Any, sums: Floats, counts: Floats) -> Floats:
    """Divide sums of out-of-bag answers by their number; warn of rows with none."""
    if (counts == 0).any():
        warn(
            f"{type(who).__name__}: {int((counts == 0).sum())} rows are in every bag "
            "and have no out-of-bag answer; use more members."
        )
    if not counts.any():
        must = "out-of-bag answers need a row that some member never saw"
        raise DataError(sentence(who, must, "none", "Use more members."))
    with np.errstate(invalid="ignore", divide="ignore"):
        shape = (-1,) + (1,) * (sums.ndim - 1)
        return sums / counts.reshape(shape)
