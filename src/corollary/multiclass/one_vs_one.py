"""All pairs: a binary machine for every two classes.

Also known as: one-vs-one, OVO, all-vs-all, pairwise classification, round robin.

For each of the C (C - 1)/2 pairs i < j a machine learns i against j from the rows of
these two classes alone, and votes; the most votes win:

    v_c(x) = votes for c,    class(x) = argmax_c v_c(x)                          (1)

Every machine is small, and each row is learned by C - 1 of them.  Votes can tie (three
classes that beat each other in a ring: one vote each).  The scores s_ij > 0, for j,
break ties without ever changing a majority:

    g_c(x) = v_c(x) + u_c/(3 (|u_c| + 1)),   u_c = sum_i s_ic - sum_j s_cj       (2)

`ambiguity` finds the rows whose votes tie, and where all of them do.

It learns on whatever its estimator takes; every machine reads a source anew.  The
machines fit side by side in `n_jobs` threads.

Notation: g (n, C) = decision_function.
Course: S3-72. References: Hastie and Tibshirani (1998); Bishop (2006), 4.1.2.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import encode_labels
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import missing, whole
from corollary.multiclass.members import Ambiguity, BinaryMembers, Split, claims

__all__ = ["OneVsOneClassifier"]


class OneVsOneClassifier(BinaryMembers):
    """A binary classifier for every two classes.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        Any that tells two classes apart by `decision_function` or `predict_proba`, or
        predicts 0 or 1; by default `LogisticRegression()`.
    n_jobs : int, optional
        Threads that fit the members; -1 for one each.

    Attributes
    ----------
    estimators_ : list of C (C - 1)/2 classifiers
        Of the pairs (0, 1), (0, 2), ..., (1, 2), ...; each tells 0, the first of its
        pair, from 1, the second.
    classes_ : array of shape (C,)
    pairwise_indices_ : list of arrays, or None
        Where X is a matrix between rows: the rows of each member.
    n_features_in_ : int
    report_ : Report
        The members' reports summed up, with the shares of training rows that tie.

    Examples
    --------
    >>> from corollary import OneVsOneClassifier
    >>> X = [[-3.0], [-2.5], [0.0], [0.5], [3.0], [3.5]]
    >>> model = OneVsOneClassifier().fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> len(model.estimators_), model.predict([[-4.0], [0.2], [4.0]]).tolist()
    (3, ['a', 'b', 'c'])
    """

    shapes: ClassVar = {"classes_": "k"}
    no_convex_problem = "which is several models: give it those in estimators_"
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "n_jobs": missing | whole(),
    }

    def __init__(self, estimator: Any = None, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows of two classes at a time."""
        return rows * (8.0 * features + 60.0)

    # -- learning ------------------------------------------------------------------
    def _splits(self, k: int) -> list[Split]:
        return [Split(i, j) for i, j in combinations(range(k), 2)]

    def _codes(self, y: Any, rows: int) -> tuple[Vector, Vector]:
        return encode_labels(self, y, rows)

    # -- use -----------------------------------------------------------------------
    def _votes(self, X: Any) -> tuple[Floats, Floats]:
        """Return votes and summed scores of the classes (2), (n, C) each."""
        _, S = self._scores(X)
        k = len(self.classes_)
        votes, sums = np.zeros((len(S), k)), np.zeros((len(S), k))
        pairs = combinations(range(k), 2)
        for (i, j), member, s in zip(pairs, self.estimators_, S.T, strict=True):
            second = claims(member, s)
            votes[:, j] += second
            votes[:, i] += ~second
            sums[:, j] += s
            sums[:, i] -= s
        return votes, sums

    def ambiguity(self, X: Any) -> Ambiguity:
        """Find the rows whose votes tie for the most.

        Parameters
        ----------
        X : rows

        Returns
        -------
        Ambiguity
        """
        votes, _ = self._votes(X)
        best = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1)
        return Ambiguity(best == votes.shape[1], best > 1)

    def decision_function(self, X: Any) -> Floats:
        """Return (2), (n, C); where there are two classes that of the second, (n,)."""
        votes, sums = self._votes(X)
        g = votes + sums / (3 * (np.abs(sums) + 1))
        return g[:, 1] if g.shape[1] == 2 else g

    def predict(self, X: Any) -> Vector:
        """Return the class with the most votes, ties broken by the scores."""
        g = self.decision_function(X)
        if g.ndim == 1:
            votes, _ = self._votes(X)
            return self.classes_[votes.argmax(axis=1)]
        return self.classes_[g.argmax(axis=1)]
