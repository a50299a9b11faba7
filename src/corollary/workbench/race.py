"""The race: learners of the ladder one after another, within a budget of time.

All rungs of the base are tried, then variants of what does well, then settings that are
drawn (`draws.py`), until time runs out or the blend has stopped to gain.  With loss L_t
of the blend after t models and standard error s of that loss, variants end where

    mean of the last 4 gains  (L_{t-4} - L_t) / 4  <  0.02 s                        (1)

and draws where the mean of the last 24 gains is below 0.001 s: what is still to be
expected is then lost in the noise.  A learner gets at most a third of the time that is
left.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from corollary.workbench.blending import Blend, blend, contenders
from corollary.workbench.draws import Draws
from corollary.workbench.journal import Journal
from corollary.workbench.judging import Metric
from corollary.workbench.ladder import Candidate, amounts, base, variants
from corollary.workbench.trials import FoldedTable, Trial, TrialRefusedError, attempt

__all__ = ["Race", "Refusal", "Show", "run_race"]

LAST, NOISE = 4, 0.02  # gains that are averaged, and standard errors each is worth
LAST_DRAWS, NOISE_DRAWS = 24, 0.001  # the same of draws
MOST_DRAWS = 400
MOST_REFUSALS = 2  # of a family, after which it is not drawn any more
ROOM = 200 * 2**20  # bytes of the answers of draws
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
    if race.best is None or any(one is trial for one in contenders(race.trials)):
        race.best = blend(race.trials, folded, metric)
    race.history.append(race.best.loss)
    show.end(trial, race.best, "")


def order(folded: FoldedTable, race: Race) -> Iterator[tuple[Candidate, int]]:
    """Yield the base, then variants, families that do well first, and draws: by (1)."""
    task = "regression" if folded.classes is None else "classification"
    rungs, more = base(task), list(variants(task))
    if folded.classes is None:
        rungs = (*rungs, *amounts(folded.y))
    for place, candidate in enumerate(rungs):
        yield candidate, len(rungs) - place - 1 + len(more)
    start = len(race.history)
    while more and not gained_nothing(race, start, LAST, NOISE):
        more.sort(key=lambda c: rank(c, race))  # stable: their own order decides ties
        yield more.pop(0), len(more)
    draws, start = Draws(task, folded.groups, folded.seed), len(race.history)
    numbers = 1 if folded.classes is None else len(folded.classes)
    for _ in range(min(MOST_DRAWS, ROOM // (8 * len(folded.y) * (numbers + 1)))):
        if gained_nothing(race, start, LAST_DRAWS, NOISE_DRAWS):
            race.stopped = "further models gain less than the noise"
            return
        drawn = draws.next(race.trials, weights_of(race), refused_families(race))
        if drawn is None:
            return
        yield drawn, 0


def weights_of(race: Race) -> dict[str, float]:
    """Return the weights of the blend, by the names of its models."""
    if race.best is None:
        return {}
    pairs = zip(race.best.trials, race.best.weights, strict=True)
    return {trial.name: weight for trial, weight in pairs}


def refused_families(race: Race) -> set[str]:
    """Return the families that do not take the table, or not in time."""
    met = Counter(one.candidate.family for one in race.refused)
    return {family for family, count in met.items() if count >= MOST_REFUSALS}


def gained_nothing(race: Race, start: int, last: int, noise: float) -> bool:
    """Tell whether the last gains are lost in the noise (1)."""
    if len(race.history) - start < last or race.best is None:
        return False
    gain = (race.history[-last - 1] - race.history[-1]) / last
    losses = race.best.losses
    return gain < noise * float(losses.std()) / np.sqrt(len(losses))


def rank(candidate: Candidate, race: Race) -> int:
    """Return 0 for a family that the blend uses, 1 for others, 2 for refused ones."""
    if any(one.candidate.family == candidate.family for one in race.refused):
        return 2
    used = race.best.trials if race.best else ()
    return 0 if any(t.candidate.family == candidate.family for t in used) else 1
