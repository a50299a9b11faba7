"""Out-of-fold losses: every row judged by a model that has not seen it.

Also known as: cross-validated predictions.

Rows are split into K folds; the model is fitted K times, each time without one fold,

    L_i = loss(y_i, f_{-k(i)}(x_i)),      i in fold k(i)                         (1)

and two models that are judged by the same folds differ by the mean of L_i - L'_i, a
mean of n numbers whose standard error is known (`judged_loss`).  Folds keep the shares
of the classes; groups stay whole; with a time, training rows always come first.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from corollary.core.arrays import Floats, Vector
from corollary.core.warn import gathered_warnings
from corollary.diagnostics.judged_loss import JudgedLoss, has_probabilities
from corollary.theory.certify import some_rows

__all__ = ["Folds", "OutOfFold", "folds_of", "out_of_fold", "time_folds"]

Folds = Sequence[tuple[Vector, Vector]]
K = 5
FEW = 300  # rows below which folds are drawn twice


@dataclass(frozen=True)
class OutOfFold:
    """Losses (1) of a model.

    Attributes
    ----------
    losses : array of shape (n,)
        Mean loss of each row out of fold; NaN for rows in no test fold.
    training : float
        Mean loss on training rows.
    predicted : array of shape (n,) or None
        Classes or numbers out of fold.
    probabilities : array of shape (n, K) or None
        In the order of the sorted labels.
    models : tuple
        The fitted models.
    warnings : tuple of str
        What the optimisers warned of.
    seconds : float
        Time of one fit, on average.
    """

    losses: Floats
    training: float
    predicted: Vector | None = None
    probabilities: Floats | None = None
    models: tuple[Any, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Mean loss over the rows that were judged."""
        return float(np.nanmean(self.losses))


def folds_of(
    classes: bool, y: Vector, groups: Any = None, time: Any = None, *, seed: int = 0
) -> list[tuple[Vector, Vector]]:
    """Return pairs of training and test rows that suit the data."""
    n = len(y)
    none = np.zeros(n)
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
        k = min(K, int(codes.max()) + 1)
        if k >= 2:
            return list(GroupKFold(k).split(none, y, codes))
    if time is not None:
        return time_folds(np.asarray(time))
    folds: list[tuple[Vector, Vector]] = []
    k = max(2, min(K, n // 2))
    for repeat in range(2 if n < FEW else 1):
        options = {"shuffle": True, "random_state": (seed + repeat) % 2**31}
        if classes:
            least = int(np.unique(y, return_counts=True)[1].min())
            if least >= 2:
                cut = StratifiedKFold(min(k, max(2, least)), **options)
                folds += cut.split(none, y)
                continue
        folds += KFold(k, **options).split(none)
    return folds


def time_folds(time: Vector, k: int = K) -> list[tuple[Vector, Vector]]:
    """Return k blocks of the later half, each with all rows before it to train on."""
    order = np.argsort(time, kind="stable")
    first = len(order) // 2
    blocks = np.array_split(order[first:], k)
    ends = first + np.cumsum([0, *(len(block) for block in blocks)])
    return [(order[:a], block) for a, block in zip(ends[:-1], blocks, strict=True)]


def out_of_fold(
    model: Any,
    X: Any,
    y: Vector,
    folds: Folds,
    loss: JudgedLoss,
    *,
    change: Callable[[Vector], tuple[Vector, Vector, Any]] | None = None,
    keep: bool = False,
    deadline: float = np.inf,
) -> OutOfFold:
    """Fit clones of a model on folds and judge each on its own test rows (1).

    Parameters
    ----------
    model : estimator
        Cloned for every fit.
    X : rows of any kind
    y : array of shape (n,)
    folds : sequence of (training rows, test rows)
    loss : JudgedLoss
    change : function, optional
        Of training rows: which to use, their targets and their weights or None.
    keep : bool, default=False
        Whether to keep the fitted models.
    deadline : float, optional
        Of `time.perf_counter`; a TimeoutError is raised between folds after it.
    """
    y = np.asarray(y)
    labels = np.unique(y) if is_classifier(model) else None
    total, count = np.zeros(len(y)), np.zeros(len(y))
    predicted: Any = np.zeros(len(y)) if labels is None else np.empty(len(y), y.dtype)
    p = None
    if labels is not None and has_probabilities(model):
        p = np.zeros((len(y), len(labels)))
    training, models, warned, seconds = [], [], [], 0.0
    for train, test in folds:
        if clock.perf_counter() > deadline:
            raise TimeoutError("the time for a cross-validation was up")
        rows, targets, w = (train, y[train], None) if change is None else change(train)
        begun = clock.perf_counter()
        fitted, heard = quiet_fit(clone(model), some_rows(X, rows), targets, w)
        seconds += clock.perf_counter() - begun
        warned += heard
        seen = answer(fitted, some_rows(X, rows), loss.reads, labels)
        held = some_rows(X, test)
        new = answer(fitted, held, loss.reads, labels)
        training.append(float(np.mean(loss(targets, seen, labels))))
        total[test] += loss(y[test], new, labels)
        count[test] += 1
        if p is None:
            predicted[test] = new
        else:
            wide = loss.reads == "probabilities"
            p[test] += new if wide else answer(fitted, held, "probabilities", labels)
            predicted[test] = answer(fitted, held, "classes", labels) if wide else new
        models += [fitted] if keep else []
    with_any = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    if p is not None:
        p /= np.maximum(count, 1)[:, None]
    return OutOfFold(
        with_any,
        float(np.mean(training)),
        predicted,
        p,
        tuple(models),
        tuple(dict.fromkeys(warned)),
        seconds / len(folds),
    )


def quiet_fit(model: Any, X: Any, y: Vector, weights: Any = None) -> Any:
    """Fit a model; return it and what Corollary's learners in it warned of."""
    options = {} if weights is None else weight_options(model, weights)
    with gathered_warnings() as heard:
        model.fit(X, y, **options)
    return model, [text.splitlines()[0] for text in heard]


def weight_options(model: Any, weights: Any) -> dict[str, Any]:
    """Return how to hand weights over to a model or to the end of a pipeline."""
    steps = getattr(model, "steps", None)
    name = "sample_weight" if steps is None else f"{steps[-1][0]}__sample_weight"
    return {name: weights}


def answer(model: Any, X: Any, what: str, labels: Vector | None) -> Any:
    """Return what a loss reads: probabilities of all labels, classes or numbers."""
    with gathered_warnings():
        if what != "probabilities" or labels is None:
            found = np.asarray(model.predict(X))
            return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
        p = np.asarray(model.predict_proba(X), dtype=np.float64)
    at = np.searchsorted(labels, model.classes_)
    full = np.zeros((len(p), len(labels)))
    full[:, at] = p
    return full
