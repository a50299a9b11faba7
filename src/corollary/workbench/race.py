"""The race: learners of the ladder one after another, within a budget of time.

All rungs of the base are tried, then variants of what does well, until time runs out or
the blend has stopped to gain.  With loss L_t of the blend after t variants and standard
error s of that loss, the race ends where

    mean of the last 4 gains  (L_{t-4} - L_t) / 4  <  0.02 s                        (1)

for what is still to be expected is then lost in the noise.  A learner gets at most a
third of the time that is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from corollary.workbench.blending import Blend, blend
from corollary.workbench.journal import Journal
from corollary.workbench.judging import Metric
from corollary.workbench.ladder import Candidate, base, variants
from corollary.workbench.trials import FoldedTable, Trial, TrialRefusedError, attempt

__all__ = ["Race", "Refusal", "Show", "run_race"]

LAST = 4  # gains that are averaged
NOISE = 0.02  # standard errors that a gain must be worth
SHARE = 0.34  # of the time left, for one learner
LEAST_SECONDS = 2.0  # that a learner may always take


class Show(Protocol):
    """What a display is told while a race goes on."""

    def begin(self, name: str, ahead: int) -> None:
        """Tell that a learner begins, and how many may follow."""

    def tick(self, done: int, total: int) -> None:
        """Tell how many folds are done."""

    def end(self, trial: Trial | None, best: Blend | None, why: str) -> None:
        """Tell that a learner has ended: its trial, or why there is none."""


@dataclass(frozen=True)
class Refusal:
    """A learner that was not tried to the end, and why."""

    candidate: Candidate
    why: str


@dataclass
class Race:
    """What a race has brought so far.

    Attributes
    ----------
    trials : list of Trial
    refused : list of Refusal
    best : Blend or None
    stopped : str
        Why it ended.
    interrupted : bool
        Whether the user ended it.
    """

    trials: list[Trial] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    best: Blend | None = None
    stopped: str = ""
    interrupted: bool = False
    history: list[float] = field(default_factory=list)  # losses of the blend


def run_race(
    folded: FoldedTable,
    metric: Metric,
    *,
    until: float,
    journal: Journal,
    show: Show,
    first: Callable[[Race], Any] | None = None,
    first_at: float = np.inf,
) -> Race:
    """Try the ladder until the time `until`.

    Ctrl-C ends the race and keeps what there is; before the first trial it is raised.

    Parameters
    ----------
    folded : FoldedTable
    metric : Metric
    until : float
        Time, as `time.monotonic` tells it.
    journal : Journal
    show : Show
    first : callable, optional
        Called with the race once, after the first trial that ends after `first_at`.
    """
    race, called = Race(), first is None
    try:
        for candidate, ahead in order(folded, race):
            left = until - time.monotonic()
            if left <= 0 and race.trials:
                race.stopped = "the time was used up"
                return race
            show.begin(candidate.name, ahead)
            step(candidate, folded, metric, race, until, journal, show)
            if not called and race.best and time.monotonic() > first_at:
                called = True
                assert first is not None
                first(race)
        race.stopped = race.stopped or "the ladder was tried to its end"
    except KeyboardInterrupt:
        if race.best is None:
            raise
        race.stopped = "interrupted: the best so far was kept"
        race.interrupted = True
    return race


def step(
    candidate: Candidate,
    folded: FoldedTable,
    metric: Metric,
    race: Race,
    until: float,
    journal: Journal,
    show: Show,
) -> None:
    """Try one learner, or take its trial from the journal; blend anew."""
    now = time.monotonic()
    limit = now + max(SHARE * (until - now), LEAST_SECONDS)
    limit = np.inf if len(race.trials) < 2 else limit
    trial = journal.find(candidate, folded)
    try:
        if trial is None:
            trial = attempt(candidate, folded, metric, until=limit, tick=show.tick)
            journal.keep(trial)
    except TrialRefusedError as refusal:
        race.refused.append(Refusal(candidate, f"{refusal}"))
        show.end(None, race.best, f"{refusal}")
        return
    race.trials.append(trial)
    race.best = blend(race.trials, folded, metric)
    race.history.append(race.best.loss)
    show.end(trial, race.best, "")


def order(folded: FoldedTable, race: Race) -> Iterator[tuple[Candidate, int]]:
    """Yield the base, then variants, families that do well first, until (1)."""
    task = "regression" if folded.classes is None else "classification"
    rungs, more = base(task), list(variants(task))
    for place, candidate in enumerate(rungs):
        yield candidate, len(rungs) - place - 1 + len(more)
    start = len(race.history)
    while more:
        if gained_nothing(race, start):
            race.stopped = "further models gain less than the noise"
            return
        more.sort(key=lambda c: rank(c, race))  # stable: their own order decides ties
        yield more.pop(0), len(more)


def gained_nothing(race: Race, start: int) -> bool:
    """Tell whether the last gains are lost in the noise (1)."""
    if len(race.history) - start < LAST or race.best is None:
        return False
    gain = (race.history[-LAST - 1] - race.history[-1]) / LAST
    losses = race.best.losses
    return gain < NOISE * float(losses.std()) / np.sqrt(len(losses))


def rank(candidate: Candidate, race: Race) -> int:
    """Return 0 for a family that the blend uses, 1 for others, 2 for refused ones."""
    if any(one.candidate.family == candidate.family for one in race.refused):
        return 2
    used = race.best.trials if race.best else ()
    return 0 if any(t.candidate.family == candidate.family for t in used) else 1
