"""Trials: what a learner of the ladder makes of rows that it has not seen.

Every training row is answered once, by a model that was fitted without it:

    f_i = answer of the model of fold k(i), fitted to the rows of all other folds  (1)

These out-of-fold answers serve everything that comes after: comparison, blending,
calibration, prediction sets, label noise, slices.  A preparation is fitted inside the
fold and shared by all learners that ask for it.

Where there are many rows a pilot fit to a few of them tells how long a trial takes.  A
learner that would not be done in time gets fewer rows, as many as

    r = 0.6 r_0 (time that is left) / (folds x time of a fit to r_0 rows)           (2)

and is given up where even r_0 are too many, or where a fold shows that time does not
suffice; one that refuses the table says why, and the others go on.

Reference: Stone (1974).
"""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.arrow import give_back_all_memory
from corollary.core.memory import block_bytes
from corollary.core.randomness import generator
from corollary.core.warn import gathered_warnings
from corollary.ensembles.members import class_probabilities
from corollary.workbench.judging import Metric
from corollary.workbench.ladder import Candidate
from corollary.workbench.preparing import FeatureGroups, preparation

__all__ = ["FoldedTable", "Trial", "TrialRefusedError", "attempt", "fitted_pipeline"]

LOOKED_BACK = 5_000  # training rows on which the training loss is taken
HELD = 400 * 2**20  # bytes of prepared rows that are kept between learners
PILOT = 5_000  # rows of a pilot fit, where there are several times as many
PREPARED = 100_000  # rows that a preparation of a learner of few rows is fitted to
SPARE = 0.6  # share of the time left that fits may take; answers take the rest

Tick = Callable[[int, int], None]  # folds done, folds in all


class TrialRefusedError(Exception):
    """A learner could not be tried on this table; the text says why."""


@dataclass(frozen=True)
class Trial:
    """What a learner answered for rows that it had not seen.

    Attributes
    ----------
    candidate : Candidate
    answers : array of shape (n, K) or (n,)
        Probabilities or predictions of every training row (1).
    losses : array of shape (n,)
        Their losses, by the metric of the run.
    training_loss : float
        Mean loss on rows that the models were fitted to.
    seconds, predict_seconds : float
        Time of all fits, and of all answers.
    rows : int
        Rows that each model was fitted to.
    warnings : tuple of str
        What the fits warned of, each once.
    """

    candidate: Candidate
    answers: Floats
    losses: Floats
    training_loss: float
    seconds: float
    predict_seconds: float
    rows: int
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the learner."""
        return self.candidate.name

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())


@dataclass
class FoldedTable:
    """Training rows in folds, prepared once for all learners that ask alike.

    Attributes
    ----------
    table : pyarrow.Table
    y : array of shape (n,)
        Codes of classes 0 ... K - 1, or targets.
    splits : list of (training rows, validation rows)
    groups : FeatureGroups
    classes : array of K labels, or None for regression
    rows : array of int
        Row numbers in the problem.
    seed : int
    """

    table: Any
    y: Vector
    splits: Sequence[tuple[Vector, Vector]]
    groups: FeatureGroups
    classes: Any
    rows: Vector
    seed: int = 0
    held: OrderedDict[tuple[int, str], tuple[Any, Any]] = field(
        default_factory=OrderedDict, repr=False
    )

    @property
    def codes(self) -> Vector:
        """The codes of all classes, in order."""
        return np.arange(len(self.classes))

    def prepared(self, fold: int, kind: str) -> tuple[Any, Any]:
        """Return prepared training and validation rows of a fold."""
        key = (fold, kind)
        if key not in self.held:
            train, valid = self.splits[fold]
            ready = preparation(kind, self.groups, self.seed)
            X = ready.fit_transform(self.table.take(train), self.y[train])
            self.held[key] = (X, ready.transform(self.table.take(valid)))
            room = block_bytes(HELD)
            while len(self.held) > 1 and sum(map(bytes_of, self.held.values())) > room:
                self.held.popitem(last=False)
        return self.held[key]


def bytes_of(pair: tuple[Any, Any]) -> int:
    """Return the bytes of prepared rows."""
    return sum(X.data.nbytes if sp.issparse(X) else X.nbytes for X in pair)


def attempt(
    candidate: Candidate,
    folded: FoldedTable,
    metric: Metric,
    *,
    until: float = np.inf,
    tick: Tick = lambda done, total: None,
) -> Trial:
    """Try a learner on every fold (1).

    Parameters
    ----------
    candidate : Candidate
    folded : FoldedTable
    metric : Metric
    until : float
        Time, as `time.monotonic` tells it, by which it must be done.
    tick : callable
        Told how many folds are done.

    Raises
    ------
    TrialRefusedError
        Where it would not be done in time, or does not take the table.
    """
    y, total = folded.y, len(folded.splits)
    shape = (len(y),) if folded.classes is None else (len(y), len(folded.classes))
    answers = np.zeros(shape)
    training, fits, asked, rows, said = [], 0.0, 0.0, 0, dict[str, None]()
    with gathered_warnings() as found:
        most = affordable_rows(candidate, folded, until)
        begun = time.monotonic()
        for fold, (train, valid) in enumerate(folded.splits):
            X, V = folded.prepared(fold, candidate.preparation)
            if X.shape[1] > candidate.most_columns:
                must = f"it takes {candidate.most_columns} columns at most"
                raise TrialRefusedError(f"{must}; there are {X.shape[1]:,}")
            at = sampled(len(train), most, folded.seed + fold)
            rows = max(rows, len(at))
            start = time.monotonic()
            model = candidate.made(folded.groups, folded.seed, len(at))
            model = fitted(model, some_rows(X, at), y[train][at])
            fits += time.monotonic() - start
            start = time.monotonic()
            answers[valid] = answered(model, V, folded)
            asked += time.monotonic() - start
            back = sampled(len(at), LOOKED_BACK, folded.seed)
            known = answered(model, X[at[back]], folded)
            again = metric.losses(y[train][at[back]], known)
            training.append(float(again.mean()))
            said.update(dict.fromkeys(found))
            tick(fold + 1, total)
            late = begun + (time.monotonic() - begun) / (fold + 1) * total
            if late > until and fold + 1 < total:
                spent = time.monotonic() - begun
                raise TrialRefusedError(
                    f"given up after {fold + 1} of {total} folds and {spent:.1f} s: "
                    "it would not be done in time"
                )
    losses = metric.losses(y, answers)
    loss = float(np.mean(training))
    return Trial(candidate, answers, losses, loss, fits, asked, rows, tuple(said))


def affordable_rows(candidate: Candidate, folded: FoldedTable, until: float) -> int:
    """Return how many rows each fit may use, by a pilot on a few of them (2)."""
    train, _ = folded.splits[0]
    most = min(candidate.most_rows, len(train))
    if most < 4 * PILOT or not np.isfinite(until):
        return candidate.most_rows
    X, _ = folded.prepared(0, candidate.preparation)
    at = sampled(len(train), PILOT, folded.seed)
    start = time.monotonic()
    pilot = candidate.made(folded.groups, folded.seed, most)
    fitted(pilot, X[at], folded.y[train][at])
    each = max(time.monotonic() - start, 1e-9)
    rows = int(PILOT * SPARE * (until - start) / (len(folded.splits) * each))
    if rows < PILOT:
        raise TrialRefusedError("it would not be done in time")
    return min(candidate.most_rows, rows)


def fitted(model: Any, X: Any, y: Vector) -> Any:
    """Fit a learner; where it refuses the rows, say so in its own words."""
    with own_words():
        return model.fit(X, y)


def answered(model: Any, X: Any, folded: FoldedTable) -> Floats:
    """Return probabilities of all classes, or predictions; all of them finite."""
    with own_words():
        if folded.classes is not None:
            answers = class_probabilities(model, X, folded.codes)
        else:
            answers = np.asarray(model.predict(X), dtype=np.float64).reshape(-1)
    if not np.isfinite(answers).all():
        raise TrialRefusedError("its answers are not all finite")
    return answers


@contextlib.contextmanager
def own_words() -> Iterator[None]:
    """Make what a learner says against some rows a refusal."""
    try:
        yield
    except (ValueError, MemoryError, ArithmeticError) as error:
        text = " ".join(f"{error}".split()) or type(error).__name__
        raise TrialRefusedError(text) from None


def some_rows(X: Any, at: Vector) -> Any:
    """Return rows by their rising places, and X itself where these are all of it."""
    return X if len(at) == X.shape[0] else X[at]


def sampled(n: int, most: int, seed: int) -> Vector:
    """Return at most so many of n places, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator(seed, 5).permutation(n)[:most])


def fitted_pipeline(
    candidate: Candidate, folded: FoldedTable, held: dict[str, Any]
) -> Any:
    """Fit a learner to all training rows: preparation and learner in one pipeline.

    `held` keeps the last fitted preparation with its rows, for the next learner.  One
    that is fitted to few of many rows has them prepared by a sample, to save memory.
    """
    kind, most = candidate.preparation, candidate.most_rows
    n = len(folded.y)
    sample = n if most >= n else max(most, PREPARED)
    key = f"{kind} of {min(sample, n)}"
    if key not in held:
        held.clear()
    if n > PREPARED:
        give_back_all_memory()
    if key not in held:
        at = sampled(n, sample, folded.seed)
        table = folded.table if len(at) == n else folded.table.take(at)
        ready, y = preparation(kind, folded.groups, folded.seed), folded.y[at]
        with gathered_warnings():
            held[key] = ready, ready.fit_transform(table, y), y
    ready, X, y = held[key]
    if len(y) > most:
        at = sampled(len(y), most, folded.seed)
        X, y = X[at], y[at]
    model = candidate.made(folded.groups, folded.seed, len(y))
    with gathered_warnings():
        model.fit(X, y)
    return Pipeline([("prepare", ready), ("model", model)])
