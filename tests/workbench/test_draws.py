from types import SimpleNamespace

import numpy as np
import pytest
from workbench.tables import churn, rents

from corollary import workbench
from corollary.workbench import race
from corollary.workbench.draws import ABSENT, FRESH, SPACES, Draws
from corollary.workbench.journal import Journal
from corollary.workbench.problem import Settings, set_problem
from corollary.workbench.trials import Trial, attempt

TASKS = {"classification": (churn, "outcome"), "regression": (rents, "rent")}
SILENT = SimpleNamespace(begin=lambda *_: None, tick=lambda *_: None, end=lambda *_: 0)


def problem_of(task, rows=90):
    make, target = TASKS[task]
    return set_problem(
        workbench.read_table(make(rows), target=target), Settings(target)
    )


def made(candidate, loss):
    return Trial(candidate, np.zeros(3), np.full(3, loss), 0.0, 0.0, 0.0, 3)


def drawn(draws, count, loss=lambda candidate: 1.0, weights=(), refused=()):
    trials = []
    for _ in range(count):
        one = draws.next(trials, dict(weights), set(refused))
        trials.append(made(one, loss(one)))
    return [trial.candidate for trial in trials]


@pytest.mark.parametrize("task", list(TASKS))
def test_a_draw_of_every_family_answers_every_row(task):
    problem = problem_of(task)
    folded = problem.folded()
    spaces = [space for space in SPACES if space.family not in ABSENT]
    found = drawn(Draws(task, folded.groups, 0), len(spaces))
    assert len({one.name for one in found}) == len(spaces)
    for candidate in found:
        answers = attempt(candidate, folded, problem.metric).answers
        assert len(answers) == len(folded.y)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_points_of_the_cube_are_settings_inside_the_ranges(space):
    ends = np.array(list(space.ranges.values()))
    for u, at in ((0.0, ends[:, 0]), (1.0, ends[:, 1]), (0.5, np.sqrt(ends.prod(1)))):
        setting = space.setting(np.full(len(ends), u))
        np.testing.assert_allclose(list(setting.values()), at)


def test_the_same_seed_draws_the_same_settings():
    groups = problem_of("regression").groups
    first, again, other = (
        [repr(one.learner) for one in drawn(Draws("regression", groups, s), 30)]
        for s in (0, 0, 1)
    )
    assert first == again
    assert len(set(first)) == 30
    assert first != other


def test_draws_come_near_the_best_one():
    def loss(candidate):
        """Prefer one corner of the cube."""
        return float(np.abs(draws.points[candidate.name] - 1).sum())

    draws = Draws("regression", problem_of("regression").groups, 0)
    others = {space.family for space in SPACES} - {"boosting"}
    found = drawn(draws, 60, loss, refused=others)
    far = [loss(one) for one in found]
    fresh = far[:FRESH] + far[FRESH::2]  # the odd numbers
    near = far[FRESH + 1 :: 2]
    assert np.mean(near[-10:]) < 0.6 * np.mean(fresh)
    assert min(near) < min(fresh)


def test_the_family_of_the_blend_is_drawn_most_and_refused_ones_never():
    draws = Draws("classification", problem_of("classification").groups, 0)
    trials = [made(draws.next([], {}, {"boosting"}), 1.0) for _ in range(7)]
    kernel = next(t for t in trials if t.candidate.family == "kernel")
    names = []
    for _ in range(30):
        one = draws.next(trials, {kernel.name: 1.0}, {"boosting"})
        names.append(one.family)
    assert names.count("kernel") > 15
    assert "boosting" not in names
    every = {space.family for space in SPACES}
    assert draws.next(trials, {}, every) is None


def test_a_race_goes_on_with_draws_until_these_gain_nothing(monkeypatch):
    problem = problem_of("regression")
    folded = problem.folded()
    answers = np.full(len(folded.y), folded.y.mean())
    losses = problem.metric.losses(folded.y, answers)

    def attempted(candidate, *_, **__):
        return Trial(candidate, answers, losses, 0.0, 0.0, 0.0, len(losses))

    monkeypatch.setattr(race, "attempt", attempted)
    found = race.run_race(
        *(folded, problem.metric), until=np.inf, journal=Journal(None, ""), show=SILENT
    )
    names = [trial.name for trial in found.trials]
    many = len(race.base("regression"))
    assert [name for name in names if "drawn" in name] == names[many + race.LAST :]
    assert len(names) == many + race.LAST + race.LAST_DRAWS
    assert found.stopped == "further models gain less than the noise"


def test_families_of_some_tables_are_drawn_where_the_ladder_tried_them():
    every = {space.family for space in SPACES}
    for family in ABSENT:
        draws = Draws("classification", problem_of("classification").groups, 0)
        assert draws.next([], {}, every - {family}) is None
        tried = [made(SimpleNamespace(name="rung", family=family), 1.0)]
        tried[0].candidate.learner = tried[0].candidate.preparation = None
        assert draws.next(tried, {}, every - {family}).family == family
