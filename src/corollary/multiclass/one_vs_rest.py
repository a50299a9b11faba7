"""One against the rest: a binary machine for each class.

Also known as: one-vs-all, OVA, OVR, one-v-all, binary relevance (for several labels).

For each of C classes a machine learns the class against all others; the surest wins:

    s_c(x) = score of "x is of class c",    class(x) = argmax_c s_c(x)           (1)

Two classes need one machine.  Where the machines speak for themselves, s_c(x) > 0,
there are regions that no class claims and regions that several do,

    none:  max_c s_c(x) <= 0,     several:  two or more s_c(x) > 0               (2)

and (1) decides there by scores of machines that never met.  `ambiguity` finds these
rows; the report has their shares.  Probabilities are those of the machines, divided by
their sum.  Where a row may have several labels at once, y is an indicator of shape
(n, C), each machine answers for itself, and (2) is no ambiguity.

It learns on whatever its estimator takes; every machine reads a source anew.  The
machines fit side by side in `n_jobs` threads.

Notation: s (n, C) = decision_function.
Course: S3-71, S4-11. References: Rifkin and Klautau (2004); Bishop (2006), 4.1.2.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_indicators, encode_labels
from corollary.core.parameters import boolean, missing, whole
from corollary.core.parameters import estimator as an_estimator
from corollary.core.sparse import sound_csr
from corollary.multiclass.members import (
    Ambiguity,
    BinaryMembers,
    Split,
    base_has,
    claims,
    is_constant,
)

__all__ = ["OneVsRestClassifier"]


class OneVsRestClassifier(BinaryMembers):
    """A binary classifier for each class, against the rest.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        Any that tells two classes apart by `decision_function` or `predict_proba`, or
        predicts 0 or 1; by default `LogisticRegression()`.
    n_jobs : int, optional
        Threads that fit the members; -1 for one each.
    verbose : int, default=0
        Kept for compatibility.

    Attributes
    ----------
    estimators_ : list of C classifiers
        One, for the second class, where there are two.
    classes_ : array of shape (C,)
    multilabel_ : bool
        Whether a row may have several labels.
    sparse_labels_ : bool
        Whether they came as a sparse matrix, as which `predict` then returns them.
    n_features_in_ : int
    report_ : Report
        The members' reports summed up, with the shares (2) of the training rows.

    Examples
    --------
    >>> from corollary import OneVsRestClassifier
    >>> X = [[-3.0], [-2.5], [0.0], [0.5], [3.0], [3.5]]
    >>> model = OneVsRestClassifier().fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> len(model.estimators_), model.predict([[-4.0], [4.0]]).tolist()
    (3, ['a', 'c'])
    """

    shapes: ClassVar = {"classes_": "k"}
    no_convex_problem = "which is several models: give it those in estimators_"
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "n_jobs": missing | whole(),
        "verbose": whole(0) | boolean,
    }

    def __init__(
        self, estimator: Any = None, *, n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------
    def _codes(self, y: Any, rows: int) -> tuple[Vector, Vector]:
        """Return classes and codes, or the indicator where there are several labels."""
        table = sound_csr(self, y).toarray() if sp.issparse(y) else np.asarray(y)
        self.multilabel_ = table.ndim == 2 and table.shape[1] > 1
        self.sparse_labels_ = self.multilabel_ and sp.issparse(y)
        if not self.multilabel_:
            return encode_labels(self, y, rows)
        return np.arange(table.shape[1]), check_indicators(self, table, rows)

    def _splits(self, k: int) -> list[Split]:
        return [Split(None, c) for c in (range(k) if k > 2 else [1])]

    # -- use -----------------------------------------------------------------------
    def ambiguity(self, X: Any) -> Ambiguity:
        """Find the rows that no class claims, or more than one (2).

        Parameters
        ----------
        X : rows

        Returns
        -------
        Ambiguity
            Empty where there are two classes, or several labels.
        """
        claimed = self._claimed(X).sum(axis=1)
        if self.multilabel_ or len(self.estimators_) == 1:
            return Ambiguity(np.zeros(len(claimed), bool), np.zeros(len(claimed), bool))
        return Ambiguity(claimed == 0, claimed > 1)

    def _claimed(self, X: Any) -> Vector:
        _, S = self._scores(X)
        pairs = zip(self.estimators_, S.T, strict=True)
        return np.column_stack([claims(member, s) for member, s in pairs])

    @available_if(base_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classes, (n, C); (n,) where there are two."""
        _, S = self._scores(X)
        return S[:, 0] if len(self.estimators_) == 1 else S

    @available_if(base_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the members' probabilities, summing to 1 unless labels are several."""
        X, S = self._scores(X)
        P = np.column_stack(
            [
                s if is_constant(m) else m.predict_proba(X)[:, 1]
                for m, s in zip(self.estimators_, S.T, strict=True)
            ]
        )
        if self.multilabel_:
            return P
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        even = np.full_like(P, 1 / P.shape[1])  # where every member says never
        return np.divide(P, total, out=even, where=total > 0)

    def predict(self, X: Any) -> Vector:
        """Return the class of the surest member (1), or every label that is claimed."""
        check_is_fitted(self)
        if self.multilabel_:
            labels = self._claimed(X).astype(np.int64)
            return sp.csr_array(labels) if self.sparse_labels_ else labels
        if len(self.estimators_) == 1:
            return self.classes_[self._claimed(X)[:, 0].astype(int)]
        _, S = self._scores(X)
        return self.classes_[S.argmax(axis=1)]
