"""Basis expansion: a model that is linear in its weights and not in its inputs.

Also known as: basis functions, feature map, linear basis function model.

    f(x) = w_0 + sum_j w_j h_j(x),    h_0(x) = 1                                 (1)

The h_j are fixed before y is seen, so everything that holds for linear models holds for
(1) with rows h(x).  What the basis takes from the data (the range of a column, or its
quantiles) is found in summation form: one pass for ranges, a few for quantiles.

Notation: h (p,) = one row of `transform`; p = n_features_out_.
Course: S3-87. Reference: Hastie, Tibshirani, Friedman (2009), ch. 5.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import ParameterError, sentence
from corollary.core.hooks import hook
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Transformer
from corollary.core.vectors import numbers
from corollary.engine import Chunk, Data, Fitted, SummationLearner
from corollary.engine.column_cells import Cells
from corollary.engine.order_statistics import MOST_PASSES, Ranges

__all__ = [
    "Expansion",
    "RangesLearner",
    "centres_of_features",
    "exact",
    "exact_ranges",
    "publish_columns",
    "spacing",
    "with_ones",
]


class Expansion(Transformer):
    """Turns rows into rows h(x)."""

    n_features_out_: int

    # -- what a basis says of itself -----------------------------------------------
    @abstractmethod
    def _learn(self, state: Any) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def _columns(self) -> int:
        """Return the number of columns of h."""

    @abstractmethod
    def _expand(self, X: Any) -> Matrix:
        """Return h of each row, in the precision of X."""

    @abstractmethod
    def _names(self, inputs: list[str]) -> list[str]:
        """Name the columns of h."""

    @hook
    def _check_learned(self) -> None:
        """Refuse learned attributes that no fit leaves, shapes aside."""

    def _audit(self) -> None:
        """Refuse a number of columns that no fit leaves: files can alter it."""
        self._check_learned()
        p = self._columns()
        if self.n_features_out_ != p:
            must = f"n_features_out_ must be {p}"
            raise ParameterError(sentence(self, must, f"{self.n_features_out_}"))

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Return h(x) for each row.

        Parameters
        ----------
        X : array of shape (n, d)

        Returns
        -------
        array of shape (n, p)
            In the precision of X; columns of a sparse matrix stay columns (CSC).
        """
        by_columns = getattr(X, "format", "") == "csc"
        X = self._query(X)
        if not sp.issparse(X):  # sparse rows stay sparse
            p = self._columns()
            check_memory(
                self,
                float(X.dtype.itemsize) * X.shape[0] * p,
                f"{X.shape[0]:,} rows of {p:,} columns",
                "Transform in chunks, or ask for fewer columns.",
            )
        H = self._expand(X)
        return H.tocsc() if by_columns and sp.issparse(H) else H

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
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return np.asarray(self._names([str(name) for name in inputs]), dtype=object)


class RangesLearner(SummationLearner):
    """Learns the ranges or quantiles of the columns, for an expansion."""

    @hook
    def _asked(self) -> Any:
        """Return the quantiles to look for."""
        return ()

    @hook
    def _method(self) -> str:
        """Return the rule by which a quantile lies between two values."""
        return "linear"

    @hook
    def _prepare(self, data: Data, seed: int) -> Any:
        """Check the parameters against the data; return what else is to be known."""
        return None

    def start(self, data: Data, seed: int) -> Ranges:
        """Begin to look for ranges and quantiles."""
        given = self._prepare(data, seed)
        source = data.source
        return Ranges.begin(
            source.n_features,
            self._asked(),
            source.dtype,
            given,
            method=self._method(),
            n_rows=source.n_rows,
        )

    def statistics(self, chunk: Chunk, state: Ranges) -> Cells:
        """Count rows in the cells of the search."""
        return state.count(chunk)

    def update(self, s: Cells, state: Ranges) -> Ranges:
        """Narrow the search."""
        return state.narrowed(s)

    def stop(self, state: Ranges) -> StopReason | None:
        """Stop when every quantile is found."""
        return StopReason.CLOSED_FORM if state.quantiles is not None else None

    def publishable(self, state: Ranges) -> bool:
        """Tell whether every quantile is found."""
        return state.quantiles is not None

    def max_passes(self) -> int:
        """Bound the search: a double has 64 bits."""
        return MOST_PASSES

    @hook
    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        publish_columns(self, fitted)

    def account(self, state: Ranges, report: Report) -> None:
        """Report that nothing is approximated, and inputs that never vary."""
        exact_ranges(state, report)


def publish_columns(expansion: Any, fitted: Fitted) -> None:
    """Set what users read of any expansion."""
    expansion._learn(fitted.state)
    expansion.n_features_out_ = expansion._columns()
    fitted.report.facts["n_features_out"] = expansion.n_features_out_


def exact_ranges(state: Ranges, report: Report) -> None:
    """Say that nothing is approximated, and which columns never vary."""
    exact(report)
    still = np.flatnonzero(state.low == state.high)
    if len(still):
        report.warnings.append(
            f"columns {still[:10].tolist()} do not vary: what is made of them is "
            "constant or has a width of 1. Drop them."
        )


def exact(report: Report) -> None:
    """Say that there is no objective and nothing is approximated."""
    report.objective = []
    report.optimality = Optimality("exact to rounding", 0.0)


def centres_of_features(who: Expansion, given: Any, k: int, ranges: Ranges) -> Floats:
    """Return k centres for each feature, (k, d): on a grid, at quantiles, or given."""
    d = who.n_features_in_
    if isinstance(given, str):
        if given == "quantile":
            return ranges.quantiles
        return np.linspace(ranges.low, ranges.high, k)
    centres = numbers(who, given, "centers", ParameterError)
    if centres.ndim == 1:
        centres = np.repeat(centres[:, None], d, axis=1)
    if centres.ndim != 2 or centres.shape[1] != d or not len(centres):
        must = f"centers must have shape (k,) or (k, {d})"
        raise ParameterError(sentence(who, must, f"shape {np.shape(given)}"))
    return centres


def spacing(centres: Floats) -> Floats:
    """Return the mean distance of neighbouring centres of each feature; never 0."""
    k = len(centres)
    apart = (centres.max(axis=0) - centres.min(axis=0)) / max(1, k - 1)
    return np.where(apart > 0, apart, 1.0)


def with_ones(H: Floats, wanted: bool) -> Floats:
    """Put a column of ones first, if wanted."""
    return np.hstack([np.ones((len(H), 1), dtype=H.dtype), H]) if wanted else H
