"""Ordinal encoding: a number for each category, in summation form.

Also known as: integer coding, label coding of features, codes of levels.

A column whose values are the categories v_0 ... v_{K-1} becomes the column

    h(x) = k  if  x = v_k                                                            (1)

The order of the numbers is that of the categories: of texts that of the dictionary, of
numbers their own, or the one that is given.  Trees can cut anywhere in it; a linear
model takes it for a scale with equal steps, which is right only where it is one.

Categories of little weight are taken together as one, the last (see `infrequent.py`).
NaN is no category: it stays NaN, or becomes `encoded_missing_value`.  None is one, as
in scikit-learn.  One pass finds the categories, on any source.

Notation: v = categories_; h = a column of `transform`.
Course: S0-5, S3-28. Reference: Stevens (1946).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Matrix, Vector
from corollary.core.column import Column, joined_column
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, missing, one_of, whole
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

__all__ = ["OrdinalEncoder"]

nan = Rule("NaN", lambda value: isinstance(value, float) and value != value)


class OrdinalEncoder(CategoryLearner, Transformer):
    """Turn the categories of each column into the numbers 0, 1, 2, ...

    Parameters
    ----------
    categories : 'auto' or list of arrays, default='auto'
        The categories of each column; 'auto' takes those that training has, in order.
    dtype : type of numbers, default=numpy.float64
        Type of the result.
    handle_unknown : {'error', 'use_encoded_value'}, default='error'
        What `transform` does with a value that is no category: raise, or give
        `unknown_value`.
    unknown_value : int or NaN, optional
        Number of unknown values; none that stands for a category.
    encoded_missing_value : int or NaN, default=NaN
        Number of the missing values that are NaN; none that stands for a category.
    min_frequency : int or float, optional
        The least weight of a category that stands alone, or its least share.
    max_categories : int, optional
        The most numbers of a column, that of the infrequent categories included, those
        of unknown and missing values not.

    Attributes
    ----------
    categories_ : list of d arrays
        The categories of each column.
    infrequent_categories_ : list of d arrays or None
        The categories that are taken together; only with `min_frequency` or
        `max_categories`.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import OrdinalEncoder
    >>> X = [["Rome", 1], ["Oslo", 3], ["Oslo", np.nan]]
    >>> model = OrdinalEncoder(encoded_missing_value=-1).fit(X)
    >>> model.transform(X).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    >>> model.inverse_transform([[0, 1]]).tolist()
    [['Oslo', 3]]
    """

    takes_columns = True
    rules: ClassVar = {
        "categories": CATEGORIES,
        "dtype": DTYPE,
        "handle_unknown": one_of("error", "use_encoded_value"),
        "unknown_value": missing | whole() | nan,
        "encoded_missing_value": whole() | nan,
        **FREQUENCY_RULES,
    }

    def __init__(
        self,
        *,
        categories: Any = "auto",
        dtype: Any = np.float64,
        handle_unknown: str = "error",
        unknown_value: Any = None,
        encoded_missing_value: Any = np.nan,
        min_frequency: Any = None,
        max_categories: int | None = None,
    ) -> None:
        self.categories = categories
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def takes_missing(self) -> bool:
        """Take missing values."""
        return True

    # -- learning ------------------------------------------------------------------
    def _check_options(self) -> None:
        """Refuse a number for unknown values that is not asked for, or cannot be."""
        if self.handle_unknown == "error":
            if self.unknown_value is not None:
                must = "unknown_value must be None where handle_unknown='error'"
                raise ParameterError(sentence(self, must, f"{self.unknown_value}"))
        elif self.unknown_value is None:
            must = "unknown_value must be a whole number or NaN"
            remedy = "It is what handle_unknown='use_encoded_value' gives."
            raise ParameterError(sentence(self, must, "None", remedy))
        elif nan.holds(self.unknown_value) and np.dtype(self.dtype).kind != "f":
            must = "dtype must be a float dtype where unknown_value is NaN"
            raise ParameterError(sentence(self, must, f"{np.dtype(self.dtype)}"))

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        learn_categories(self, fitted.state, nan_apart=True)
        for j, group in enumerate(groupings(self, nan_apart=True)):
            self._check_numbers(j, group.width, len(group.place))

    def _check_numbers(self, j: int, used: int, k: int) -> None:
        """Refuse a number for unknown or missing values that stands for a category."""
        categories, value = self.categories_[j], self.encoded_missing_value
        name = getattr(self, "feature_names_in_", {j: j})[j]
        taken = f"one of 0 ... {used - 1}, already used for the categories of {name!r}"
        if self.handle_unknown != "error" and 0 <= self.unknown_value < used:
            must = f"unknown_value must not be {taken}"
            raise ParameterError(sentence(self, must, f"{self.unknown_value}"))
        if len(categories) == k:
            return
        if 0 <= value < used:
            must = f"encoded_missing_value must not be {taken}"
            raise ParameterError(sentence(self, must, f"{value}"))
        if nan.holds(value) and np.dtype(self.dtype).kind != "f":
            must = f"dtype must be a float, as there are missing values in {name!r}"
            remedy = "Set encoded_missing_value to a number."
            raise ParameterError(
                sentence(self, must, f"{np.dtype(self.dtype)}", remedy)
            )

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        check_categories(self)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Return (1) for each row.

        Parameters
        ----------
        X : array, data frame, or Source of d columns

        Returns
        -------
        array of shape (n, d)
        """
        table = self._table(X)
        out = np.empty(table.shape, dtype=self.dtype)
        learned = isinstance(self.categories, str)
        for j, group in enumerate(groupings(self, nan_apart=True)):
            column, known = table.column(j), self.categories_[j]
            found = positions(column, known, self, learned=learned)
            if self.handle_unknown == "error" and found.unknown() is not None:
                refuse_unknown(self, column, known, j, table.name(j), "transform")
            out[:, j] = found.look_up(self._numbers(j, group))
        return out

    def _numbers(self, j: int, group: Grouping) -> Vector:
        """Return the number of each category, of NaN, and last of unknown values."""
        k = len(group.place)
        numbers = np.zeros(len(self.categories_[j]) + 1, dtype=self.dtype)
        numbers[:k] = group.place
        if len(numbers) > k + 1:
            numbers[k] = self.encoded_missing_value
        if self.handle_unknown != "error":
            numbers[-1] = self.unknown_value
        return numbers

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the category of each number.

        Parameters
        ----------
        X : array of shape (n, d)
            What `transform` returns.

        Returns
        -------
        array of shape (n, d)
            None for unknown values.
        """
        check_is_fitted(self)
        with one_sentence(self):
            X = check_array(X, ensure_all_finite="allow-nan", estimator=self)
        if X.shape[1] != self.n_features_in_:
            must = f"X must have {self.n_features_in_} columns, as in fit"
            came = f"{X.shape[1]} (Shape of the passed X data is not correct)"
            raise DataError(sentence(self, must, came))
        groups = groupings(self, nan_apart=True)
        return joined_values(
            [self._inverse(X[:, j], j, groups[j]) for j in range(len(groups))]
        )

    def _inverse(self, x: Vector, j: int, group: Grouping) -> Vector:
        """Return the categories of the numbers of one column."""
        names = group.names
        absent = np.zeros(len(x), dtype=bool)
        if len(self.categories_[j]) > len(group.place):
            absent = equal(x, self.encoded_missing_value)
            names = joined_column(
                [Column(names), Column(self.categories_[j][-1:])]
            ).array()
        unknown = np.zeros(len(x), dtype=bool)
        if self.handle_unknown != "error":
            unknown = equal(x, self.unknown_value) & ~absent
        rest = ~absent & ~unknown
        good = (x[rest] >= 0) & (x[rest] < group.width) & (x[rest] == np.floor(x[rest]))
        if not good.all():
            row = int(np.flatnonzero(rest)[np.argmin(good)])
            must = f"the numbers of column {j} must be 0 ... {group.width - 1}"
            raise DataError(sentence(self, must, f"{x[row]:g} in row {row}"))
        at = np.full(len(x), len(names) - 1)
        at[rest] = x[rest]
        if not unknown.any():
            return names[at]
        found = as_objects(names[at])
        found[unknown] = None
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`, as those of the data.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        return OneToOneFeatureMixin.get_feature_names_out(self, input_features)


def equal(x: Vector, value: Any) -> Vector:
    """Tell which entries are a value, or NaN where it is that."""
    return np.isnan(x) if nan.holds(value) else x == value
