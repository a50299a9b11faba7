"""Indicators of missing values, in summation form.

Also known as: missingness indicator, missing-data mask, dummy variable for missing
values.

    z_ij = 1 where x_ij is missing,  else 0                                      (1)

for the columns in which a value is missing among the training rows, or for all columns.
Whether a value is missing may tell as much as the value: a model that sees z beside the
imputed x can use it.

One pass over any source counts the missing values; a row of weight 0 does not count.

Notation: j runs over features_.
Reference: Little and Rubin (2019), 1.3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin

from corollary.core.arrays import Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import check_answer
from corollary.core.parameters import boolean, one_of
from corollary.core.report import Report
from corollary.core.roles import Transformer
from corollary.engine import Chunk, Data, Fitted, SummationLearner
from corollary.preparation.expansion import exact
from corollary.preparation.missing_values import (
    Gaps,
    absent,
    check_placeholder,
    is_nan,
    placeholder,
)
from corollary.preparation.text_imputation import (
    gaps_of_table,
    gone_in_table,
    has_texts,
)

__all__ = ["MissingIndicator"]


class MissingIndicator(SummationLearner, Transformer):
    """Tell which values are missing.

    Parameters
    ----------
    missing_values : number, NaN or pandas.NA, default=NaN
        What stands for a missing value.
    features : {'missing-only', 'all'}, default='missing-only'
        The columns to show: those with missing values in `fit`, or all.
    sparse : bool or 'auto', default='auto'
        Whether the answer is sparse; 'auto': where X is.
    error_on_new : bool, default=True
        Whether to refuse new rows that miss values where none were missing in `fit`;
        only with 'missing-only'.

    Attributes
    ----------
    features_ : array of shape (k,)
        The columns that are shown.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MissingIndicator
    >>> model = MissingIndicator().fit([[1.0, np.nan], [3.0, 4.0]])
    >>> model.transform([[1.0, 2.0], [3.0, np.nan]]).tolist()
    [[False], [True]]
    """

    takes_sparse = True
    takes_columns = True
    double_squares = True
    shapes: ClassVar = {"features_": "k"}
    rules: ClassVar = {
        "missing_values": placeholder,
        "features": one_of("missing-only", "all"),
        "sparse": boolean | one_of("auto"),
        "error_on_new": boolean,
    }

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        features: str = "missing-only",
        sparse: bool | str = "auto",
        error_on_new: bool = True,
    ) -> None:
        self.missing_values = missing_values
        self.features = features
        self.sparse = sparse
        self.error_on_new = error_on_new

    # -- learning ------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Tell whether NaN stands for a missing value."""
        return is_nan(self.missing_values) or self.missing_values is None

    def start(self, data: Data, seed: int) -> None:
        """Check what stands for missing values."""
        if not has_texts(data.source.kinds):
            check_placeholder(self, data.source.sparse)

    def statistics(self, chunk: Chunk, state: Gaps | None) -> Gaps:
        """Count the missing values."""
        if has_texts(chunk.X.kinds):
            return gaps_of_table(chunk.X, chunk.w, self.missing_values)
        return Gaps.of(replace(chunk, X=chunk.X.matrix(who=self)), self.missing_values)

    def update(self, s: Gaps, state: Gaps | None) -> Gaps:
        """Know their number."""
        return s

    def account(self, state: Gaps, report: Report) -> None:
        """Report how many values are missing."""
        exact(report)
        report.facts["n_missing"] = int(state.missing.sum())

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        shown = fitted.state.missing > 0
        if self.features == "all":
            shown = np.ones(len(shown), dtype=bool)
        self.features_ = np.flatnonzero(shown)

    def _audit(self) -> None:
        """Refuse columns that are none: files can alter them."""
        at = self.features_
        if at.dtype.kind != "i" or ((at < 0) | (at >= self.n_features_in_)).any():
            must = f"features_ must be columns below {self.n_features_in_}"
            raise ParameterError(sentence(self, must, "others"))

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Tell which values are missing (1).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or CSC matrix of booleans of shape (n, k)
        """
        table = self._table(X)
        if has_texts(table.kinds):
            return self._columns_of(gone_in_table(table, self.missing_values))
        rows = table.matrix(who=self)
        check_answer(self, rows, max(1, len(self.features_)))
        check_placeholder(self, sp.issparse(rows))
        return self._columns_of(absent(rows, self.missing_values))

    def _columns_of(self, mask: Any) -> Matrix:
        """Return the columns of a mask that `features_` names, dense or sparse."""
        if self.features == "missing-only" and self.error_on_new:
            there = np.flatnonzero(mask.sum(axis=0))
            new = np.setdiff1d(there, self.features_)
            if len(new):
                must = "new rows may miss values only in columns that miss some in fit"
                came = f"missing values in the features {new[:10].tolist()} also"
                remedy = "Use error_on_new=False, or features='all'."
                raise DataError(sentence(self, must, came, remedy))
        wanted = sp.issparse(mask) if self.sparse == "auto" else self.sparse
        if len(self.features_) < mask.shape[1]:
            mask = mask[:, self.features_]
        if wanted:
            return sp.csc_array(mask)
        return mask.toarray() if sp.issparse(mask) else mask

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`: missingindicator_ and the input's name.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        names = [f"missingindicator_{name}" for name in inputs[self.features_]]
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.string = True
        return tags
