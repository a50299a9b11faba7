"""One run of the workbench: from a table to two models, a diagnosis and a certificate.

Also known as: automated machine learning, AutoML, model search.

    read      types of columns, roles, what is missing                    table_reading
    lock      a test set, stratified, by group or by time                 splits
    race      learners out of fold, within the budget, blended            race, blending
    refit     the champion and the simple model, on training rows         champion
    open      the test set, once: scores, certificate                     locked_rows
    look      leaks, slices, noise, curves, effects; what to do, tried    evidence
    write     model, page, findings, predictions                          results

The training rows alone decide everything up to `open`.  Whoever stops the race keeps
what there is; whoever starts again goes on from the journal.

Course: S1-42, S3-98, S4-57.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from corollary.core.arrow import give_back_all_memory
from corollary.core.configuration import config_context, get_config
from corollary.workbench.blending import Blend, judged
from corollary.workbench.champion import (
    Price,
    price,
    refit_seconds,
    refitted,
    simple_trial,
)
from corollary.workbench.display import Quiet
from corollary.workbench.findings import findings_of
from corollary.workbench.journal import Journal, fingerprint
from corollary.workbench.locked_rows import Judged, judge, sealed_certificate
from corollary.workbench.looks import look
from corollary.workbench.problem import Problem, Settings, set_problem
from corollary.workbench.race import Race, run_race
from corollary.workbench.results import write_results
from corollary.workbench.seen_rows import seen_rows
from corollary.workbench.table_model import model_class
from corollary.workbench.table_reading import TableData, read_table
from corollary.workbench.trials import FoldedTable, Trial

__all__ = ["Run", "run"]

RACE_SHARE = 0.65  # of the budget; the rest is for what comes after
REFIT_SHARE = 0.85  # by when both models must be refitted
FIRST_RESULT = 25.0  # seconds until a first result is written, or half the budget


@dataclass(frozen=True)
class Run:
    """What a run of the workbench has brought.

    Attributes
    ----------
    problem : Problem
        Columns, target, split.
    race : Race
        Every learner that was tried.
    blend : Blend
        The members of the champion and their weights.
    simple_trial : Trial
        The readable model that was chosen.
    model, simple : TableClassifier or TableRegressor
        The champion and the simple model.
    judged, simple_judged : Judged
        Both on the locked rows, or out of fold where none are locked.
    price : Price
        What the simple model costs, in loss.
    certificate : Certificate or None
    findings : dict
        All that the page shows, as plain values.
    """

    data: TableData = field(repr=False)
    settings: Settings
    problem: Problem = field(repr=False)
    folded: FoldedTable = field(repr=False)
    race: Race = field(repr=False)
    blend: Blend = field(repr=False)
    simple_trial: Trial = field(repr=False)
    model: Any = field(repr=False)
    simple: Any = field(repr=False)
    judged: Judged = field(repr=False)
    simple_judged: Judged = field(repr=False)
    price: Price
    certificate: Any = field(repr=False)
    findings: dict[str, Any] = field(default_factory=dict, repr=False)

    def predict(self, X: Any) -> Any:
        """Answer for new rows, by the champion.

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        """
        return self.model.predict(X)

    def expected_score(self, rows: int | None = None, delta: float = 0.05) -> Any:
        """Return the interval in which the score will lie.

        Parameters
        ----------
        rows : int, optional
            Of a test that is to come; None for the score over all rows there could be.
        delta : float, default=0.05
            How often the interval may miss.
        """
        return self.judged.interval(delta, rows)

    def __str__(self) -> str:
        from corollary.workbench.summary import summary

        return summary(self.findings)

    def _repr_html_(self) -> str:
        from corollary.workbench.summary import summary_html

        return summary_html(self.findings)


def run(
    data: Any,
    target: str,
    *,
    group: str | None = None,
    time: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    ignore: tuple[str, ...] = (),
    time_budget: float = 300.0,
    test_size: float = 0.2,
    random_state: int = 0,
    memory_limit: int | None = None,
    folder: Any = None,
    show: Any = None,
    command: str = "",
    **reading: Any,
) -> Run:
    """Turn a table into two models, a diagnosis and a certificate.

    Parameters
    ----------
    data : path, list of paths, data frame, pyarrow.Table or dict of columns
    target : str
        Name of the column to predict.
    group, time : str, optional
        A column whose rows belong together, or that orders them; found by itself where
        names and values tell.
    task : {'classification', 'regression'}, optional
    metric : str, optional
        log loss, accuracy, balanced accuracy; rmse, mae, r2.
    ignore : tuple of str
        Columns that models must not use.
    time_budget : float, default=300
        Seconds.
    test_size : float, default=0.2
        Share of the rows that are locked away until the end; 0 locks none away.
    random_state : int, default=0
    memory_limit : int, optional
        Bytes.
    folder : path, optional
        Where the results and the journal go; nothing is written without it.
    show : object, optional
        Told of progress; see `workbench.display.Quiet` for what it is told.
    command : str
        How the run was started, for the record.
    **reading : dict
        What `read_table` takes: kinds, delimiter, encoding, decimal.

    Returns
    -------
    Run

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import workbench
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> table = {"x": x, "z": rng.normal(size=200), "y": np.where(x > 0, "up", "down")}
    >>> found = workbench.run(table, "y", time_budget=2)
    >>> found.problem.schema.task, bool(found.judged.score < 0.3)
    ('classification', True)
    """
    settings = Settings(
        *(target, group, time, task, metric, tuple(ignore)),
        float(time_budget),
        float(test_size),
        int(random_state),
    )
    show = show or Quiet()
    limit = memory_limit if memory_limit is not None else get_config().memory_limit
    with config_context(memory_limit=limit):
        show.say("reading")
        table = read_table(data, target=target, memory_limit=limit, **reading)
        return learned(table, settings, show, folder, command)


def learned(
    data: TableData, settings: Settings, show: Quiet, folder: Any, command: str
) -> Run:
    """Run all that comes after reading."""
    clock = Clock(settings.time_budget)
    problem = set_problem(data, settings)
    give_back_all_memory()
    show.metric, show.spread = problem.metric, problem.spread
    folded = problem.folded()
    place = None if folder is None else Path(folder)
    journal = Journal(
        None if place is None else place / ".journal",
        fingerprint(folded, problem.metric),
    )

    def finished(race: Race, last: bool) -> Run:
        return concluded(
            data, settings, problem, folded, race, journal, clock, command, show, last
        )

    def first(race: Race) -> None:
        if place is not None:
            write_results(finished(race, False), place)

    race = run_race(
        folded,
        problem.metric,
        until=clock.at(RACE_SHARE),
        journal=journal,
        show=show,
        first=first,
        first_at=clock.begun + min(FIRST_RESULT, 0.5 * settings.time_budget),
    )
    folded.held.clear()  # prepared rows, to make room for the models
    give_back_all_memory()
    if race.interrupted:
        clock.budget = clock.spent  # what takes time is left out
    found = finished(race, True)
    if place is not None:
        show.say("writing")
        write_results(found, place)
    return found


class Clock:
    """The time of a run: when it began, and when a share of its budget is used up."""

    def __init__(self, budget: float) -> None:
        self.begun = time.monotonic()
        self.started = datetime.now(UTC)
        self.budget = budget

    def at(self, share: float) -> float:
        """Return the moment at which a share of the budget is used up."""
        return self.begun + share * self.budget

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun


def concluded(
    data: TableData,
    settings: Settings,
    problem: Problem,
    folded: FoldedTable,
    race: Race,
    journal: Journal,
    clock: Clock,
    command: str,
    show: Quiet,
    last: bool,
) -> Run:
    """Refit the two models and look at them; the last time with the test set open."""
    assert race.best is not None
    show.say("refitting the best models")
    best = judged(race.best, race.trials, folded, problem.metric)
    plain = simple_trial(race.trials)
    rows = refit_rows(problem, folded, best, plain, clock)
    champ, simple = refitted(
        best, plain, rows, clock.at(REFIT_SHARE) if last else -np.inf
    )
    give_back_all_memory()
    out_of_fold = [
        Judged(answers, losses, problem.metric, problem.spread, False)
        for answers, losses in (
            (best.answers, best.crossed),
            (plain.answers, plain.losses),
        )
    ]
    certificate = None
    if last and len(problem.split.test):
        show.say("opening the test set")
        test, pairs = problem.split.test, zip((champ, simple), out_of_fold, strict=True)
        found = [judge(model, problem, test, known.losses) for model, known in pairs]
        tried = journal.opened(found[0].answers)
        certificate = sealed_certificate(champ, problem, tried)
    else:
        found = out_of_fold
    make = model_class(problem.schema)
    seen = seen_rows(rows.table, problem.labels(rows.y))
    done = Run(
        data=data,
        settings=settings,
        problem=problem,
        folded=folded,
        race=race,
        blend=best,
        simple_trial=plain,
        model=make(champ, problem.schema).take(
            champ, misses(folded, best.answers), seen
        ),
        simple=make(simple, problem.schema).take(
            simple, misses(folded, plain.answers), seen
        ),
        judged=found[0],
        simple_judged=found[1],
        price=price(plain.losses, best.crossed),
        certificate=certificate,
    )
    sections = look(done, clock, show) if last else {}
    return replace(done, findings=findings_of(done, sections, clock, command))


def refit_rows(
    problem: Problem, folded: FoldedTable, best: Blend, simple: Trial, clock: Clock
) -> FoldedTable:
    """Return the rows to refit to: all, or a sample where there is no time for all."""
    count = len(problem.split.train)
    if count == len(folded.y):
        return folded
    left = clock.at(REFIT_SHARE) - time.monotonic()
    trials = {trial.name: trial for trial in (*best.trials, simple)}
    if refit_seconds(trials.values(), folded, count) > left:
        return folded
    folded.held.clear()
    give_back_all_memory()
    return problem.whole()


def misses(folded: FoldedTable, answers: Any) -> Any:
    """Return the scores of out-of-fold answers by which prediction sets are made."""
    if folded.classes is None:
        return np.abs(folded.y - answers)
    return 1.0 - answers[np.arange(len(folded.y)), folded.y]
