"""Column transformers: each group of columns through a transformer of its own.

scikit-learn's `ColumnTransformer`, of which this is one, with all its parameters and
attributes; on arrays and data frames in memory it does what that one does.  Besides, it
takes sources:

    fit(source)          fits each transformer to its own columns, in its own passes
    transform(source)    a lazy source, whose rows are the joined outputs
    of Dask's            a lazy Dask collection

Transformers of Corollary read a source as they always do, column by column: a Parquet
file is asked for the columns of one transformer at a time.  Those of others know arrays
only: to fit them their columns are gathered in memory, if these fit the memory limit.
The first chunk decides whether the joined rows are sparse (`sparse_threshold`);
scikit-learn also takes names and the places of the outputs from it.

Reference: the user guide of scikit-learn, "Column Transformer".
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn import compose
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from corollary.core.checks import check_width, names_checked, names_of
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.records import stored
from corollary.core.roles import AnswersSources, Estimator
from corollary.core.table import Table, column_positions, joined_columns, table_of
from corollary.engine import DaskSource, Data, Source
from corollary.engine.gather import gather
from corollary.engine.predict import reads_tables
from corollary.engine.sources.mapped import as_rows
from corollary.engine.sources.opening import as_source

FIRST_ROWS = 1000  # from which scikit-learn takes names and density

__all__ = ["ColumnTransformer", "make_column_selector", "make_column_transformer"]


class Group(NamedTuple):
    """A transformer, and the positions of the columns that it is given."""

    name: str
    transformer: Any
    columns: Any  # as scikit-learn keeps them
    at: list[int]
    single: bool  # one column, given as a vector


class ColumnTransformer(AnswersSources, compose.ColumnTransformer, Estimator):
    """Gives each group of columns to a transformer of its own, and joins the outputs.

    Parameters
    ----------
    transformers : list of (name, transformer, columns)
        A transformer is an estimator, 'drop' or 'passthrough'.  Columns are names,
        positions, a mask, a slice, or a function of the data such as
        `make_column_selector` makes; a single name or position hands over a vector.
    remainder : {'drop', 'passthrough'} or estimator, default='drop'
        What becomes of the other columns.
    sparse_threshold : float, default=0.3
        The share of entries that are not 0 below which sparse outputs stay sparse.
    n_jobs : int, optional
        Processes that fit transformers to data in memory.
    transformer_weights : dict, optional
        Factors of the outputs, by name.
    verbose : bool, default=False
        Whether to print the time of each fit in memory.
    verbose_feature_names_out : bool, str or callable, default=True
        Whether names of outputs begin with that of their transformer.

    Attributes
    ----------
    transformers_ : list of (name, fitted transformer, columns)
    named_transformers_ : Bunch
    sparse_output_ : bool
    output_indices_ : dict of slices
    n_features_in_ : int
    feature_names_in_ : array of str

    Examples
    --------
    >>> import pandas as pd
    >>> from corollary import ColumnTransformer, PolynomialFeatures, engine
    >>> rows = pd.DataFrame({"a": [1.0, 2.0], "town": ["Rome", "Oslo"], "b": [3, 4]})
    >>> squares = PolynomialFeatures(2, include_bias=False)
    >>> groups = [("squares", squares, ["a"]), ("b", "passthrough", ["b"])]
    >>> model = ColumnTransformer(groups)
    >>> source = model.fit_transform(engine.ChunkSource([rows, rows]))
    >>> source.names
    ['squares__a', 'squares__a^2', 'b__b']
    >>> next(next(source.parts()).chunks()).X.tolist()
    [[1.0, 1.0, 3.0], [2.0, 4.0, 4.0]]
    """

    takes_columns: ClassVar[bool] = True
    finds_columns: ClassVar[bool] = True

    def takes_missing(self) -> bool:
        """Tell that NaN passes; the transformers judge it."""
        return True

    # -- learning from a source ----------------------------------------------------
    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit each transformer to its own columns, and join what they make of them.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
        y : array, optional
        **params : dict
            What scikit-learn's metadata routing passes on.
        """
        check_unique_names(self, X)
        return super().fit_transform(X, y, **params)

    def fit_source(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit each transformer to its own columns of a source; `fit` calls it.

        Parameters
        ----------
        X : Source, or Dask array or data frame
        y : Dask array, optional
            Target beside a Dask collection; a source carries its own.
        """
        if params or (y is not None and not hasattr(X, "__dask_graph__")):
            must = "fit on a source takes the source alone, with its target inside"
            raise DataError(sentence(self, must, "further arguments"))
        source: Any = DaskSource(X, y) if hasattr(X, "__dask_graph__") else as_source(X)
        if not source.replayable:
            must = "a source must be readable again, once for each transformer"
            remedy = "Give a function that returns a new iterator."
            raise DataError(sentence(self, must, source.described, remedy))
        first = source.tables().sample(FIRST_ROWS)
        frame = theirs(first, source.names)
        groups = self._groups(source, frame)
        fitted = [self._fitted(group, source) for group in groups]
        self._take_over(source, frame, groups, fitted)
        return self

    def _groups(self, source: Source, frame: Any) -> list[Group]:
        """Find the columns of each transformer, and those that are left."""
        groups = []
        for name, transformer, columns in self.transformers:
            if isinstance(columns, Selector):
                columns = columns.of(source, frame)
            elif callable(columns):
                columns = columns(frame)
            single = np.isscalar(columns) and not isinstance(columns, bool)
            wanted = [columns] if single else columns
            at = column_positions(self, wanted, source.names, source.n_features)
            groups.append(Group(name, transformer, columns, at, single))
        taken = {j for group in groups for j in group.at}
        rest = [j for j in range(source.n_features) if j not in taken]
        return [*groups, Group("remainder", self.remainder, rest, rest, False)]

    def _fitted(self, group: Group, source: Source) -> Any:
        """Fit one transformer: to a source, or to rows in memory where it must be."""
        if isinstance(group.transformer, str) or not group.at:
            return group.transformer
        own, columns = clone(group.transformer), source.select(group.at)
        if reads_sources(own):
            return own.fit(columns)
        if get_tags(own).target_tags.required:
            must = f"{group.name!r} must be a transformer of Corollary, to see a target"
            came = f"{type(own).__name__} on a source"
            raise DataError(sentence(self, must, came, "Fit it to rows in memory."))
        rows = gather(Data(self, columns.unlabelled().tables()))
        return own.fit(theirs(rows.X, columns.names, single=group.single))

    def _take_over(
        self, source: Source, frame: Any, groups: list[Group], fitted: list[Any]
    ) -> None:
        """Let scikit-learn keep the books: names, places, density of the outputs."""
        named = hasattr(frame, "columns")
        pairs = [
            (group, frozen(each)) for group, each in zip(groups, fitted, strict=True)
        ]
        *own, (_, rest) = pairs
        options = self.get_params(deep=False) | {
            "transformers": [
                (g.name, each, g.columns if named else g.at) for g, each in own
            ],
            "remainder": rest,
            "n_jobs": None,
        }
        books = compose.ColumnTransformer(**options)
        with names_checked():
            books.fit_transform(frame)
        for stale in ("feature_names_in_", "output_indices_"):
            self.__dict__.pop(stale, None)
        learned = {k: v for k, v in vars(books).items() if k not in options}
        self.__dict__.update(learned)
        self.transformers_ = [
            (name, getattr(each, "estimator", each), columns)
            if isinstance(each, FrozenEstimator)
            else (name, each, columns)
            for name, each, columns in books.transformers_
        ]
        if source.names is not None:
            self.feature_names_in_ = np.asarray(source.names, dtype=object)

    # -- use -----------------------------------------------------------------------
    def columns_used(self, source: Source) -> Source:
        """Return a source of the columns that some transformer takes."""
        check_is_fitted(self)
        names = names_of(self)
        if names is None or source.names is None:
            if source.n_features != self.n_features_in_:
                must = f"is expecting {self.n_features_in_} features as input"
                raise DataError(sentence(self, must, f"{source.n_features}"))
            return source
        used = sorted({j for _, _, at, _ in self._fitted_groups() for j in at})
        wanted = [names[j] for j in used]
        absent = [name for name in wanted if name not in source.names]
        if absent:
            must = "the columns of fit must be there"
            raise DataError(sentence(self, must, f"columns are missing: {absent}"))
        return source if source.names == wanted else source.select(wanted)

    def _fitted_groups(self) -> list[tuple[str, Any, list[int], bool]]:
        """Return the fitted transformers that do something, with their columns."""
        found = []
        for name, transformer, columns in self.transformers_:
            single = np.isscalar(columns)
            wanted = [columns] if single else columns
            names, width = names_of(self), self.n_features_in_
            at = column_positions(self, wanted, names, width)
            if at and not (isinstance(transformer, str) and transformer == "drop"):
                found.append((name, transformer, at, bool(single)))
        return found

    def transform(self, X: Any, **params: Any) -> Any:
        """Give each transformer its columns, and join what comes out.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or Source
        **params
            As in scikit-learn, where it routes metadata.

        Returns
        -------
        array, CSR matrix, data frame, Dask collection or a lazy source
        """
        if not isinstance(X, Table):
            return super().transform(X, **params)
        check_is_fitted(self)
        names = names_of(self)
        by_name = names is not None and X.names is not None and list(X.names) != names
        if not by_name:
            check_width(self, X)
        outputs = []
        for name, transformer, at, single in self._fitted_groups():
            columns = [names[j] for j in at] if by_name and names else at
            out = as_rows(through(transformer, X.select(columns), single))
            weight = (self.transformer_weights or {}).get(name)
            out = out if weight is None else out * weight
            if out.ndim != 2 or out.shape[0] != X.n:
                must = f"the output of {name!r} must be {X.n} rows of columns"
                raise DataError(sentence(self, must, f"shape {out.shape}"))
            outputs.append(out)
        return self._joined(outputs, X.n)

    def _joined(self, outputs: list[Any], n: int) -> Any:
        """Put outputs side by side: sparse, dense, or a table where texts are left."""
        if not outputs:
            return np.zeros((n, 0))
        if self.sparse_output_:
            rows = (o.matrix(who=self) if isinstance(o, Table) else o for o in outputs)
            return sp.hstack([sp.csr_array(each) for each in rows], format="csr")
        dense = [o.toarray() if sp.issparse(o) else o for o in outputs]
        if any(isinstance(o, Table) for o in dense):
            return joined_columns([table_of(self, o) for o in dense])
        return np.hstack(dense)


def reads_sources(transformer: Any) -> bool:
    """Tell whether a transformer can be fitted to a source: ours, or a pipeline."""
    if isinstance(transformer, Pipeline):
        steps = [step for _, step in transformer.steps]
        return all(s in (None, "passthrough") or reads_sources(s) for s in steps)
    return isinstance(transformer, Estimator)


def frozen(transformer: Any) -> Any:
    """Return a fitted transformer that scikit-learn does not fit again."""
    return transformer if isinstance(transformer, str) else FrozenEstimator(transformer)


def theirs(table: Table, names: Any, *, single: bool = False) -> Any:
    """Return rows as transformers of others know them: a frame, an array, a vector."""
    if single:
        return table.column(0).array()
    if importlib.util.find_spec("pandas") is not None and not table.sparse:
        return table.frame(names)
    return table.objects()


def through(transformer: Any, table: Table, single: bool) -> Any:
    """Return what a fitted transformer makes of its columns."""
    if isinstance(transformer, FunctionTransformer) and transformer.func is None:
        return table
    if reads_tables(transformer):
        with names_checked():
            return transformer.transform(table)
    names = table.names if hasattr(transformer, "feature_names_in_") else None
    return transformer.transform(theirs(table, names, single=single))


# -- choosing columns ------------------------------------------------------------------
@stored
@dataclass(frozen=True)
class Selector:
    """A function of data: the names of the columns that meet every condition."""

    pattern: str | None
    dtype_include: Any
    dtype_exclude: Any
    kinds: tuple[str, ...] | None

    def __call__(self, X: Any) -> list[Any]:
        table = table_of("make_column_selector", X)
        return self.chosen(table.names, table.kinds, X)

    def of(self, source: Source, frame: Any) -> list[Any]:
        """Return the columns of a source, with a frame of its first rows."""
        return self.chosen(source.names, source.kinds, frame)

    def chosen(self, names: Any, kinds: list[str], frame: Any) -> list[Any]:
        """Return the columns that meet the conditions, by name where they have one."""
        every = list(range(len(kinds)) if names is None else names)
        found = list(every)
        if self.dtype_include is not None or self.dtype_exclude is not None:
            found = compose.make_column_selector(
                dtype_include=self.dtype_include, dtype_exclude=self.dtype_exclude
            )(frame)
        if self.pattern is not None:
            found = [name for name in found if re.search(self.pattern, str(name))]
        if self.kinds is not None:
            pairs = zip(every, kinds, strict=True)
            right = {name for name, kind in pairs if kind in self.kinds}
            found = [name for name in found if name in right]
        return found


def make_column_selector(
    pattern: str | None = None,
    *,
    dtype_include: Any = None,
    dtype_exclude: Any = None,
    kinds: Any = None,
) -> Selector:
    """Return a function that chooses columns, for `ColumnTransformer`.

    Parameters
    ----------
    pattern : str, optional
        A regular expression that is found in the name.
    dtype_include, dtype_exclude : types, optional
        Types of pandas, as in scikit-learn.
    kinds : str or list of str, optional
        What the column holds, in any library and source: "number", "boolean",
        "category", "text", "date" or "object".

    Returns
    -------
    callable
        Of a data frame, or of a source by way of `ColumnTransformer`.

    Examples
    --------
    >>> import polars as pl
    >>> from corollary.preparation import make_column_selector
    >>> rows = pl.DataFrame({"town": ["Rome"], "age": [3], "pay": [1.5]})
    >>> make_column_selector(kinds="number")(rows)
    ['age', 'pay']
    """
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    chosen = None if kinds is None else tuple(kinds)
    return Selector(pattern, dtype_include, dtype_exclude, chosen)


def make_column_transformer(*transformers: Any, **options: Any) -> ColumnTransformer:
    """Return a `ColumnTransformer` of transformers that are named by their types.

    Parameters
    ----------
    *transformers : (transformer, columns)
    **options
        Further parameters of `ColumnTransformer`.

    Returns
    -------
    ColumnTransformer

    Examples
    --------
    >>> from corollary import PCA
    >>> from corollary.preparation import make_column_transformer
    >>> make_column_transformer((PCA(1), ["a", "b"])).transformers[0][0]
    'pca'
    """
    made = compose.make_column_transformer(*transformers, **options)
    return ColumnTransformer(**made.get_params(deep=False))


def check_unique_names(who: object, X: Any) -> None:
    """Refuse a data frame two of whose columns have one name."""
    where = "column_names" if hasattr(X, "column_names") else "columns"
    names: list[Any] = list(getattr(X, where, ())) if is_frame(X) else []
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        must = "X must have columns of different names"
        raise DataError(sentence(who, must, f"{twice[0]!r} more than once"))
