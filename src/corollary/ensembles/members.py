"""Members of an ensemble: how they are made, weighed, drawn and asked.

A member is a clone of the base with a seed of its own.  Where a fit weighs its rows, a
member is given the weights if it takes them; otherwise it is fitted on rows drawn with
probabilities in proportion to them (`drawn_rows`).  Sparse rows come to it in the class
that the user gave (`as_given`), which a member of another library may need.

Rows are drawn in an order that only their content decides: with s_1 <= s_2 ... the
running sums of the weights in that order and u uniform on (0, s_n),

    row(u) = min { i: s_i >= u }                                                 (1)

so that the draws depend neither on how the rows were stored nor on whether a row of
weight 2 was given twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import generator, row_keys
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk

__all__ = [
    "Learn",
    "Urn",
    "as_given",
    "class_probabilities",
    "importances_of",
    "learning_as_given",
    "made",
    "takes_weights",
]

Learn = Callable[[Chunk, Report], None]
SMALLEST = float(np.finfo(np.float64).eps)  # share of a row that still counts


def made(base: Any, seed: int, number: int) -> Any:
    """Return an unfitted clone of the base whose seeds are its own.

    >>> from sklearn.dummy import DummyClassifier
    >>> made(DummyClassifier(), 0, 1).random_state != DummyClassifier().random_state
    True
    """
    member = clone(base)
    draw = generator(seed, number)
    asked = [
        name
        for name in sorted(member.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    if asked:
        member.set_params(**{name: int(draw.integers(2**31 - 1)) for name in asked})
    return member


def takes_weights(base: Any) -> bool:
    """Tell whether the fit of a base takes weights."""
    return bool(has_fit_parameter(base, "sample_weight"))


def as_given(rows: Matrix, given: Any) -> Any:
    """Return checked rows as members get them: sparse ones in the class that came.

    CSR and CSC stay what they are, other formats become CSR, matrices or arrays.

    >>> type(as_given(sp.csr_array([[1.0]]), sp.lil_matrix([[1.0]]))).__name__
    'csr_matrix'
    """
    if not sp.issparse(rows) or not sp.issparse(given):
        return rows
    if given.format in ("csr", "csc"):
        return type(given)(rows)
    return sp.csr_array(rows) if isinstance(given, sp.sparray) else sp.csr_matrix(rows)


def learning_as_given(learn: Learn, X: Any) -> Learn:
    """Return a way to learn from checked rows in the sparse class of the given ones."""
    return lambda rows, report: learn(replace(rows, X=as_given(rows.X, X)), report)


@dataclass(frozen=True)
class Urn:
    """Rows to draw from, in the order of their content."""

    order: Vector  # (n,)

    @classmethod
    def of(cls, X: Matrix, y: Any) -> Urn:
        """Order the rows by a hash of X and y; equal ones stay as they come."""
        X = X.tocsr() if sp.issparse(X) else X
        targets = np.asarray(y, dtype=np.float64).reshape(X.shape[0], -1)
        return cls(np.lexsort((row_keys(targets, 0), row_keys(X, 0))))

    def drawn_rows(
        self, size: int, draw: np.random.Generator, weights: Floats | None = None
    ) -> Vector:
        """Draw so many rows with replacement (1), in the order of their content."""
        n = len(self.order)
        sums = np.arange(1.0, n + 1)
        if weights is not None:
            sums = np.cumsum(weights[self.order])
        u = np.sort(draw.random(size)) * sums[-1]
        at = np.searchsorted(sums, u, side="left")
        return self.order[np.minimum(at, n - 1)]

    def distinct_rows(
        self, size: int, draw: np.random.Generator, weights: Floats | None = None
    ) -> Vector:
        """Draw so many different rows, one after the other by what is left."""
        n = len(self.order)
        if weights is None:
            return self.order[np.sort(draw.permutation(n)[:size])]
        p = weights[self.order] / weights.sum()
        return self.order[np.sort(draw.choice(n, size, replace=False, p=p))]


def importances_of(who: Any, members: Sequence[Any], weights: Floats) -> Floats:
    """Return the mean of the members' feature importances, weighted."""
    try:
        each = [member.feature_importances_ for member in members]
    except AttributeError as error:
        must = "feature_importances_ needs members that have them"
        came = f"a {type(members[0]).__name__}"
        raise AttributeError(sentence(who, must, came)) from error
    if not weights.sum() > 0:
        must = "feature_importances_ needs members that count"
        raise DataError(sentence(who, must, "weights that are all 0"))
    return np.average(each, axis=0, weights=weights)


def class_probabilities(model: Any, X: Any, classes: Vector) -> Floats:
    """Return a model's probabilities of all classes, 0 of those it was not fitted to.

    `classes` are sorted, (K,); those of the model are some of them.
    """
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    if P.shape[1] == len(classes):
        return P
    full = np.zeros((len(P), len(classes)))
    full[:, np.searchsorted(classes, model.classes_)] = P
    return full
