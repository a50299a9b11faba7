"""One-hot encoding: a column for each category, in summation form.

Also known as: dummy variables, indicator variables, one-of-K coding, 1-hot.

A column whose values are the categories v_1 ... v_K becomes K columns of indicators

    h_k(x) = 1 if x = v_k, else 0,      sum_k h_k(x) = 1                             (1)

so a linear model has a weight for each category, and least squares on them alone gives
the mean of y in each.  With a constant beside them the columns of (1) are dependent;
`drop` leaves one category out, which then is the one that the others are compared with:

    f(x) = w_0 + sum_{k > 1} w_k h_k(x),   w_0 = f(v_1),   w_k = f(v_k) - f(v_1)     (2)

Categories of little weight are taken together as one, the last (see
`infrequent.py`).  One pass finds the categories, on any source; a weight counts a
row so many times.

Notation: v = categories_; h = a row of `transform`.
Course: S0-5, S1-33. Reference: Hastie, Tibshirani, Friedman (2009), 2.2 and 3.2.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Matrix, Vector
from corollary.core.column import Column
from corollary.core.distinct import objects_array
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import check_memory
from corollary.core.parameters import array_like, boolean, function, missing, one_of
from corollary.core.roles import Transformer
from corollary.core.wording import one_sentence
from corollary.engine import Fitted
from corollary.preparation.category_learner import (
    CATEGORIES,
    DTYPE,
    FREQUENCY_RULES,
    CategoryLearner,
    check_categories,
    groupings,
    joined_values,
    learn_categories,
)
from corollary.preparation.given_categories import refuse_unknown
from corollary.preparation.infrequent import Grouping, as_objects
from corollary.preparation.positions import positions

__all__ = ["OneHotEncoder"]


class OneHotEncoder(CategoryLearner, Transformer):
    """Turn each column into one column for each of its categories.

    Parameters
    ----------
    categories : 'auto' or list of arrays, default='auto'
        The categories of each column; 'auto' takes those that training has, in order.
    drop : {'first', 'if_binary'} or array of shape (d,), optional
        A category of each column to leave out (2): the first, the first of those with
        two, or the one given.
    sparse_output : bool, default=True
        Return a CSR matrix rather than an array.
    dtype : type of numbers, default=numpy.float64
        Type of the result.
    handle_unknown : {'error', 'ignore', 'infrequent_if_exist', 'warn'}
        What `transform` does with a value that is no category: raise, give zeros, or
        count it among the infrequent ones where there are some; 'warn' does the last
        and warns.
    min_frequency : int or float, optional
        The least weight of a category that stands alone, or its least share.
    max_categories : int, optional
        The most columns of a column, that of the infrequent categories included.
    feature_name_combiner : 'concat' or callable, default='concat'
        ``f(feature, category)`` names a column; 'concat' joins them by '_'.

    Attributes
    ----------
    categories_ : list of d arrays
        The categories of each column, those that are left out included.
    infrequent_categories_ : list of d arrays or None
        The categories that are taken together; only with `min_frequency` or
        `max_categories`.
    drop_idx_ : array of shape (d,) or None
        Position of the category that is left out, None where none is.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> from corollary import OneHotEncoder
    >>> model = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    >>> X = [["Rome", 1], ["Oslo", 3], ["Oslo", 2]]
    >>> model.fit_transform(X).tolist()
    [[0.0, 1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 0.0]]
    >>> model.transform([["Bonn", 2]]).tolist()
    [[0.0, 0.0, 0.0, 1.0, 0.0]]
    >>> model.get_feature_names_out(["town", "size"]).tolist()
    ['town_Oslo', 'town_Rome', 'size_1', 'size_2', 'size_3']
    >>> model.inverse_transform([[0, 1, 0, 1, 0]]).tolist()
    [['Rome', 2]]
    """

    takes_columns = True
    rules: ClassVar = {
        "categories": CATEGORIES,
        "drop": missing | one_of("first", "if_binary") | array_like,
        "sparse_output": boolean,
        "dtype": DTYPE,
        "handle_unknown": one_of("error", "ignore", "infrequent_if_exist", "warn"),
        **FREQUENCY_RULES,
        "feature_name_combiner": one_of("concat") | function,
    }

    def __init__(
        self,
        *,
        categories: Any = "auto",
        drop: Any = None,
        sparse_output: bool = True,
        dtype: Any = np.float64,
        handle_unknown: str = "error",
        min_frequency: Any = None,
        max_categories: int | None = None,
        feature_name_combiner: Any = "concat",
    ) -> None:
        self.categories = categories
        self.drop = drop
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.feature_name_combiner = feature_name_combiner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def takes_missing(self) -> bool:
        """Take a missing value for a category."""
        return True

    # -- learning ------------------------------------------------------------------
    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        learn_categories(self, fitted.state)
        self.drop_idx_ = self._dropped(groupings(self))
        fitted.report.facts["n_features_out"] = sum(self._widths(groupings(self)))

    def _dropped(self, groups: list[Grouping]) -> Vector | None:
        """Return the position of the category to leave out of each column."""
        if self.drop is None:
            return None
        if isinstance(self.drop, str):
            every = self.drop == "first"
            leaves = [every or group.width == 2 for group in groups]
            first = [int(np.flatnonzero(group.place == 0)[0]) for group in groups]
            pairs = zip(first, leaves, strict=True)
            return objects_array(at if leave else None for at, leave in pairs)
        drop = list(self.drop)
        if len(drop) != len(groups):
            must = "`drop` should have length equal to the number of features"
            came = f"{len(drop)} for {len(groups)} features"
            raise ParameterError(sentence(self, must, came))
        return objects_array(map(self._drop_of, range(len(groups)), drop, groups))

    def _drop_of(self, j: int, value: Any, group: Grouping) -> int:
        """Find the category that a user leaves out of column j."""
        column = Column(objects_array([value]))
        at = int(
            positions(column, self.categories_[j], self, learned=False).of_label[0]
        )
        must = f"drop[{j}] must be a category of column {j}"
        if at < 0:
            came = f"{value!r}, which was not found in the training data"
            raise ParameterError(sentence(self, must, came))
        if at in group.rare:
            must = f"{must} that is frequent"
            came = f"{value!r}: Unable to drop it because it is infrequent"
            raise ParameterError(sentence(self, must, came))
        return at

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        check_categories(self)
        drop = self.drop_idx_
        if drop is None:
            return
        sizes = [len(categories) for categories in self.categories_]
        good = len(drop) == len(sizes) and all(
            at is None or (type(at) is int and 0 <= at < k)
            for at, k in zip(drop, sizes, strict=True)
        )
        if not good:
            must = "drop_idx_ must be a category of each column, or None"
            raise ParameterError(sentence(self, must, f"{drop}"))

    # -- columns -------------------------------------------------------------------
    def _drops(self) -> Any:
        """Return the category that is left out of each column, or None."""
        return (
            [None] * self.n_features_in_ if self.drop_idx_ is None else self.drop_idx_
        )

    def _widths(self, groups: list[Grouping]) -> list[int]:
        """Return the number of columns that each column becomes."""
        pairs = zip(groups, self._drops(), strict=True)
        return [group.width - (drop is not None) for group, drop in pairs]

    def _table_of(self, group: Grouping, drop: Any, begin: int) -> Vector:
        """Return the column of each category, last of unknown values; -1 is none."""
        place = group.place
        out = place + begin
        if drop is not None:
            out[place > place[drop]] -= 1
            out[place == place[drop]] = -1
        groups = self.handle_unknown in ("infrequent_if_exist", "warn")
        unknown = out[group.rare[0]] if groups and len(group.rare) else -1
        return np.append(out, unknown).astype(np.int32)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Return (1) for each row.

        Parameters
        ----------
        X : array, data frame, or Source of d columns

        Returns
        -------
        CSR matrix or array of shape (n, number of columns)
        """
        table = self._table(X)
        groups = groupings(self)
        widths = self._widths(groups)
        places = np.empty(table.shape, dtype=np.int32)  # (n, d) the column that holds 1
        begin, strange = 0, []
        for j, (group, drop) in enumerate(zip(groups, self._drops(), strict=True)):
            learned = isinstance(self.categories, str)
            column, known = table.column(j), self.categories_[j]
            found = positions(column, known, self, learned=learned)
            if found.unknown() is not None:
                if self.handle_unknown == "error":
                    name = table.name(j)
                    refuse_unknown(self, column, known, j, name, "transform")
                strange.append(j)
            places[:, j] = found.look_up(self._table_of(group, drop, begin))
            begin += widths[j]
        if strange and (self.handle_unknown == "warn" or self.drop_idx_ is not None):
            self._warn_of_unknown(strange)
        return self._ones_at(places, begin)

    def _warn_of_unknown(self, columns: list[int]) -> None:
        zeros = self.handle_unknown == "ignore"
        become = "all zeros" if zeros else "the infrequent category"
        text = f"OneHotEncoder: Found unknown categories in columns {columns} during "
        text += f"transform. These unknown categories will be encoded as {become}."
        warnings.warn(text, UserWarning, stacklevel=4)

    def _ones_at(self, places: Vector, width: int) -> Matrix:
        """Return rows that are 1 at some places; -1 is no place."""
        n, d = places.shape
        if not self.sparse_output:
            size = float(np.dtype(self.dtype).itemsize) * n * width
            what, remedy = f"{n:,} rows of {width:,} columns", "Use sparse_output=True."
            check_memory(self, size, what, remedy)
            out = np.zeros((n, width), dtype=self.dtype)
            for column in places.T:
                rows = np.flatnonzero(column >= 0)
                out[rows, column[rows]] = 1
            return out
        there = places >= 0
        rows = sp.csr_array((n, width), dtype=self.dtype)
        if there.all():
            ends = np.arange(0, n * d + 1, d) if d else np.zeros(n + 1, dtype=np.int64)
            columns = places.ravel()
        else:
            ends = np.append(0, np.cumsum(there.sum(axis=1)))
            columns = places[there]
        small = len(columns) < 2**31
        rows.indptr = ends.astype(np.int32 if small else np.int64)
        rows.indices = columns if small else columns.astype(np.int64)
        rows.data = np.ones(len(columns), dtype=self.dtype)
        rows.has_canonical_format = True
        return rows

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the category that each row has in each column.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, number of columns)
            What `transform` returns.

        Returns
        -------
        array of shape (n, d)
            Zeros for all categories of a column are the one that is left out, or None
            where unknown values are encoded so.
        """
        check_is_fitted(self)
        with one_sentence(self):
            X = check_array(
                X, accept_sparse="csr", ensure_min_features=0, estimator=self
            )
        groups = groupings(self)
        widths = self._widths(groups)
        if X.shape[1] != sum(widths):
            must = f"X must have {sum(widths)} columns, as `transform` makes them"
            came = f"{X.shape[1]} (Shape of the passed X data is not correct)"
            raise DataError(sentence(self, must, came))
        columns, begin = [], 0
        for j, group in enumerate(groups):
            block = X[:, begin : begin + widths[j]]
            columns.append(self._inverse(block, group, self._drops()[j]))
            begin += widths[j]
        return joined_values(columns)

    def _inverse(self, block: Matrix, group: Grouping, drop: Any) -> Vector:
        """Return the categories of the rows of one column."""
        names, n = group.names, block.shape[0]
        kept = np.arange(group.width)
        if drop is not None:
            kept = np.delete(kept, group.place[drop])
        if not len(kept):
            return names[np.zeros(n, dtype=np.int32)]
        found = names[kept[np.asarray(block.argmax(axis=1)).ravel()]]
        zero = np.asarray(block.sum(axis=1)).ravel() == 0
        if not zero.any():
            return found
        if drop is not None:
            found[zero] = names[group.place[drop]]
            return found
        groups = self.handle_unknown in ("infrequent_if_exist", "warn")
        if self.handle_unknown == "error" or (groups and len(group.rare)):
            rows = np.flatnonzero(zero)[:10].tolist()
            must = "every row must have a category in each column"
            came = f"Samples {rows} can not be inverted: they contain all zeros"
            raise DataError(sentence(self, must, came))
        found = as_objects(found)
        found[zero] = None
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        combine = self.feature_name_combiner
        if combine == "concat":
            combine = "{}_{}".format
        elif not isinstance(combine("feature", "category"), str):
            must = "feature_name_combiner must return a Python string"
            came = f"{type(combine('feature', 'category')).__name__}"
            raise ParameterError(sentence(self, must, came))
        names = []
        for feature, group, drop in zip(
            inputs, groupings(self), self._drops(), strict=True
        ):
            out = np.arange(group.width) if drop is None else group.place[drop]
            left = group.names if drop is None else np.delete(group.names, out)
            names += [combine(feature, category) for category in left]
        return np.array(names, dtype=object)
