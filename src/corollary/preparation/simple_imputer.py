"""Imputation of missing values by a number for each column, in summation form.

Also known as: mean imputation, median imputation, mode imputation, constant imputation,
filling in missing values, single imputation.

    z_ij = x_ij where it is there,  else c_j                                     (1)

where c_j is a statistic of the values of column j that are there among the training
rows: the mean (one pass over any source), the median (exact, in a few passes), the
most frequent value (the lowest of several; one pass where the distinct values fit in
memory), a constant, or what a function makes of the values, which then are all kept in
memory.  A weight counts a row so many times.

Imputation by c_j leaves the mean of a column as it is and makes its variance, and its
correlations, too small by the share of values that are missing; the report tells that
share.  A column without any value has no c_j and is left out, unless
`keep_empty_features`.

Columns of texts and categories are filled with their most frequent value or a constant
(`text_imputation`); then all columns are objects.

Notation: c = statistics_.
Reference: Little and Rubin (2019), 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.distinct import is_missing
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.frames import is_frame
from corollary.core.parameters import anything, boolean, function, one_of, real
from corollary.core.report import Report, StopReason
from corollary.core.roles import Transformer
from corollary.core.table import Table
from corollary.core.warn import warn
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.engine.column_cells import columns_of
from corollary.engine.order_statistics import MOST_PASSES, Ranges
from corollary.preparation.column_statistics import Spread
from corollary.preparation.expansion import exact
from corollary.preparation.missing_indicator import MissingIndicator
from corollary.preparation.missing_values import (
    Gaps,
    absent,
    check_placeholder,
    is_nan,
    placeholder,
    with_nan,
)
from corollary.preparation.stateless import by_blocks
from corollary.preparation.tally import Counting
from corollary.preparation.text_imputation import (
    FILLING,
    filled_objects,
    gaps_of_table,
    has_texts,
    modes,
    tallies_of,
)

__all__ = ["SimpleImputer"]

OF_TEXTS = ("most_frequent", "constant")  # strategies for texts too
MOST_PARTS = 10_000  # passes of a search for the most frequent values


@dataclass(frozen=True)
class Values(Statistics):
    """All values of each column, for a function of the user's."""

    columns: list[Floats]  # (d,) arrays

    def __add__(self, other: Values) -> Values:
        pairs = zip(self.columns, other.columns, strict=True)
        return Values([np.concatenate(pair) for pair in pairs])


@dataclass(frozen=True)
class Seen(Statistics):
    """What one chunk contributes: its gaps, and what the statistic is made of."""

    gaps: Gaps
    of: Any  # Spread, Cells, Tally, Values, or None for a constant


@dataclass(frozen=True)
class Imputing:
    """The state: the search for the statistic, and what it has found."""

    search: Any  # Ranges or Counting where one goes on
    gaps: Gaps | None = None
    found: Any = None  # (d,) the statistic, 0 where there is no value
    texts: bool = False  # whether columns are objects


class SimpleImputer(SummationLearner, Transformer):
    """Fill in missing values with a statistic of each column.

    Parameters
    ----------
    missing_values : number, text, NaN, None or pandas.NA, default=NaN
        What stands for a missing value; among texts NaN, None and pandas.NA are one.
    strategy : {'mean', 'median', 'most_frequent', 'constant'} or callable
        The statistic c_j, default 'mean'; a function is given the values of a column.
    fill_value : number or text, default=None
        The constant; None is 0, or 'missing_value' where columns hold texts.
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats.
    add_indicator : bool, default=False
        Whether columns that tell what was missing follow (`MissingIndicator`).
    keep_empty_features : bool, default=False
        Whether columns without any value stay, filled with 0 or the constant.

    Attributes
    ----------
    statistics_ : array of shape (d,)
        c; NaN in a column without any value that is left out.  Objects where columns
        hold texts.
    indicator_ : MissingIndicator or None
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SimpleImputer
    >>> model = SimpleImputer().fit([[7.0, 2.0], [4.0, np.nan], [10.0, 5.0]])
    >>> model.transform([[np.nan, np.nan]]).tolist()
    [[7.0, 3.5]]
    """

    takes_sparse = True
    double_squares = True
    may_be_infinite = ("statistics_",)
    rules: ClassVar = {
        "missing_values": placeholder,
        "strategy": one_of("mean", "median", "most_frequent", "constant") | function,
        "fill_value": anything,
        "copy": boolean,
        "add_indicator": boolean,
        "keep_empty_features": boolean,
    }

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        strategy: Any = "mean",
        fill_value: Any = None,
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
    ) -> None:
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = self.takes_columns
        return tags

    @property
    def takes_columns(self) -> bool:  # type: ignore[override]
        """Whether columns may hold anything: there is no mean of texts."""
        return isinstance(self.strategy, str) and self.strategy in OF_TEXTS

    # -- learning ------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Tell whether NaN stands for a missing value."""
        return is_nan(self.missing_values) or self.missing_values is None

    def start(self, data: Data, seed: int) -> Imputing:
        """Begin the search that the strategy needs."""
        if self.takes_columns and has_texts(data.source.kinds):
            return Imputing(None, texts=True)
        check_placeholder(self, data.source.sparse)
        constant = isinstance(self.strategy, str) and self.strategy == "constant"
        number = real().holds(self.fill_value) and np.isfinite(self.fill_value)
        if constant and self.fill_value is not None and not number:
            must = "fill_value must be a finite number for columns of numbers"
            raise ParameterError(sentence(self, must, f"{self.fill_value!r}"))
        d, source = data.source.n_features, data.source
        search: Any = None
        if self.strategy == "median":
            search = Ranges.begin(d, [0.5], source.dtype, n_rows=source.n_rows)
        elif self.strategy == "most_frequent":
            search = Counting.begin(d)
        return Imputing(search)

    def statistics(self, chunk: Chunk, state: Imputing) -> Seen:
        """Take what the statistic is made of."""
        if state.texts:
            rows = chunk.X, chunk.w, self.missing_values
            counts = self.strategy == "most_frequent"
            return Seen(
                gaps_of_table(*rows), tallies_of(self, *rows) if counts else None
            )
        if isinstance(chunk.X, Table):
            chunk = replace(chunk, X=chunk.X.matrix(who=self))
        gaps = Gaps.of(chunk, self.missing_values)
        X, w = with_nan(chunk.X, self.missing_values), chunk.w
        of: Any = None
        if self.strategy == "mean":
            of = Spread.of(X, w)
        elif self.strategy == "median":
            of = state.search.count(replace(chunk, X=X))
        elif self.strategy == "most_frequent":
            of = state.search.count(X, w)
        elif callable(self.strategy):
            if w is not None and ((w != 1) & (w != 0)).any():
                must = "sample_weight must be 0 or 1 where strategy is a function"
                raise DataError(sentence(self, must, "other weights"))
            of = Values([values_of(x, own) for _, x, own in columns_of(X, w)])
        return Seen(gaps, of)

    def update(self, s: Seen, state: Imputing) -> Imputing:
        """Find the statistic, or look again."""
        found, search = None, state.search
        if state.texts:
            found = modes(s.of) if s.of is not None else self._constants(s.gaps)
        elif self.strategy == "mean":
            found = s.of.mean
        elif self.strategy == "median":
            search = search.narrowed(s.of)
            found = None if search.quantiles is None else search.quantiles[0]
        elif self.strategy == "most_frequent":
            search = search.counted(s.of)
            known = np.where(search.weight > 0, search.value, 0.0)
            found = known if search.done else None
        elif callable(self.strategy):
            found = np.array([self._called(x) for x in s.of.columns])
        else:
            value = 0.0 if self.fill_value is None else float(self.fill_value)
            found = np.full(len(s.gaps.missing), value)
        return Imputing(search, s.gaps, found, state.texts)

    def _constants(self, gaps: Gaps) -> Vector:
        """Return the constant that texts are filled with, for each column."""
        found = np.empty(len(gaps.missing), dtype=object)
        found[:] = FILLING if self.fill_value is None else self.fill_value
        return found

    def stop(self, state: Imputing) -> StopReason | None:
        """Stop once every statistic is found."""
        return StopReason.CLOSED_FORM if state.found is not None else None

    def publishable(self, state: Imputing) -> bool:
        """Tell whether every statistic is found."""
        return state.found is not None

    def max_passes(self) -> int:
        """Bound the search."""
        passes = {"median": MOST_PASSES, "most_frequent": MOST_PARTS}
        return passes.get(self.strategy, 1) if isinstance(self.strategy, str) else 1

    def account(self, state: Imputing, report: Report) -> None:
        """Report the share of missing values."""
        assert state.gaps is not None
        exact(report)
        gaps = state.gaps
        report.facts["n_missing"] = int(gaps.missing.sum())
        report.facts["missing_share"] = float(gaps.missing.mean() / max(1, gaps.rows))
        empty = np.flatnonzero(gaps.empty)
        if len(empty):
            kept = "filled with a constant" if self.keep_empty_features else "left out"
            text = f"columns {empty[:10].tolist()} have no value: they are {kept}."
            report.warnings.append(text)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Imputing = fitted.state
        assert state.gaps is not None
        empty = state.gaps.empty
        found = state.found.astype(object if state.texts else np.float64)
        if self.strategy != "constant":
            found = np.where(empty, 0.0, found)
        if not self.keep_empty_features:
            found = np.where(empty, np.nan, found)
        self.statistics_ = found
        self.indicator_ = None
        if self.add_indicator:
            self.indicator_ = MissingIndicator(
                missing_values=self.missing_values, error_on_new=False
            )
            self.indicator_.n_features_in_ = self.n_features_in_
            self.indicator_.features_ = np.flatnonzero(state.gaps.missing)
            self.indicator_.report_ = fitted.report

    def _called(self, x: Floats) -> float:
        """Ask the user's function for the statistic of a column."""
        if not len(x):
            return 0.0
        value = self.strategy(x)
        if not (real().holds(value) and np.isfinite(value)):
            must = "strategy must return a finite number"
            raise ParameterError(sentence(self, must, f"{value!r}"))
        return float(value)

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        c = self.statistics_
        if not isinstance(c, np.ndarray) or c.shape != (self.n_features_in_,):
            must = f"statistics_ must have {self.n_features_in_} entries"
            raise ParameterError(sentence(self, must, f"{np.shape(c)}"))
        if self.add_indicator != isinstance(self.indicator_, MissingIndicator):
            must = "indicator_ must be there if and only if add_indicator is true"
            raise ParameterError(sentence(self, must, f"{self.indicator_!r}"))

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Fill in missing values (1).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or sparse matrix of shape (n, p)
            Without the columns that have no statistic, and with those of the
            indicator where it was asked for; columns of a sparse matrix stay columns.
        """
        by_columns = getattr(X, "format", "") == "csc"
        check_is_fitted(self)
        kept = ~is_missing(self.statistics_)
        if self.statistics_.dtype == object:
            return self._filled_texts(self._table(X), kept)
        framed = is_frame(X)
        X = X.matrix(who=self) if isinstance(X, Table) else X
        X = self._query(X, getattr(self, "n_features_in_", 1))
        self._warn_of_empty(kept)
        flags: Any = np.empty((0, 0))
        if self.indicator_ is not None:
            flags = self.indicator_._columns_of(absent(X, self.missing_values))
        if sp.issparse(X):
            check_placeholder(self, True)
            Z = self._filled_sparse(X, kept)
        else:
            own = (framed and X.flags.owndata) or not self.copy
            Z = self._filled(X, kept, own and X.flags.writeable)
        if flags.shape[1]:
            sparse = sp.issparse(Z)
            Z = (sp.hstack if sparse else np.hstack)([Z, flags], dtype=X.dtype)
        if sp.issparse(Z):
            Z = Z.tocsc() if by_columns else sp.csr_array(Z)
        return Z

    def _filled_texts(self, X: Table, kept: Vector) -> Any:
        self._warn_of_empty(kept)
        Z, mask = filled_objects(X, self.statistics_, kept, self.missing_values)
        if self.indicator_ is not None:
            flags = self.indicator_._columns_of(mask)
            Z = np.hstack([Z, flags.astype(object)])
        return Z

    def _warn_of_empty(self, kept: Vector) -> None:
        if kept.all():
            return
        names: Any = getattr(self, "feature_names_in_", np.arange(len(kept)))
        text = f"Skipping features without any observed values: {names[~kept]}"
        remedy = "Use keep_empty_features=True to keep them."
        warn(f"{type(self).__name__}: {text}. {remedy}")

    def _filled(self, X: Floats, kept: Vector, own: bool) -> Floats:
        """Fill a copy of X, or X itself where it is a copy of a frame already."""
        c, value = self.statistics_[kept].astype(X.dtype), self.missing_values
        nan = is_nan(value)

        def fill(rows: Floats, out: Floats) -> None:
            np.copyto(out, rows)
            mask = np.isnan(rows) if nan else rows == value
            if mask.any():
                np.copyto(out, c, where=mask)

        if kept.all():
            return by_blocks(fill, X, X if own else None)
        return by_blocks(fill, np.ascontiguousarray(X[:, kept]))

    def _filled_sparse(self, X: Any, kept: Vector) -> Any:
        out = X.copy()
        mask = np.isnan(X.data) if is_nan(self.missing_values) else (
            X.data == self.missing_values
        )  # fmt: skip
        out.data[mask] = self.statistics_[X.indices[mask]]
        return out if kept.all() else out[:, np.flatnonzero(kept)]

    def inverse_transform(self, X: Any) -> Floats:
        """Put missing values back where the indicator's columns tell of them.

        Parameters
        ----------
        X : array of shape (n, p)
            As `transform` returns it with ``add_indicator=True``.

        Returns
        -------
        array of shape (n, d)
            0 in the columns that were left out.
        """
        check_is_fitted(self)
        if self.indicator_ is None:
            must = "inverse_transform needs add_indicator=True"
            raise DataError(sentence(self, must, "False"))
        kept = np.flatnonzero(~is_missing(self.statistics_))
        kind: Any = object if self.statistics_.dtype == object else np.float64
        X, flags = np.asarray(X, dtype=kind), self.indicator_.features_
        width = len(kept) + len(flags)
        if X.ndim != 2 or X.shape[1] != width:
            must = f"X must have the {width} columns of transform"
            raise DataError(sentence(self, must, f"shape {X.shape}"))
        out = np.zeros((len(X), self.n_features_in_), dtype=kind)
        out[:, kept] = X[:, : len(kept)]
        gone = np.nan if is_nan(self.missing_values) else self.missing_values
        out[:, flags] = np.where(X[:, len(kept) :] != 0, gone, out[:, flags])
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`: those kept, then the indicator's.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        names = inputs[~is_missing(self.statistics_)]
        if self.indicator_ is None:
            return names
        flags = self.indicator_.get_feature_names_out(inputs)
        return np.concatenate([names, flags])


def values_of(x: Floats, own: Floats | None) -> Floats:
    """Return the values of a column, the zeros that a sparse one does not store too."""
    return x if own is None else np.repeat(x, own[1].astype(int))
