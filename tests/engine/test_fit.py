"""The one loop: order of steps, reasons to stop, interruption, memory, limits."""

import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from common.learners import LEARNERS, make_data
from sklearn.exceptions import ConvergenceWarning

from corollary import (
    PCA,
    GaussianNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    Ridge,
    StopReason,
    engine,
)
from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.core.report import Optimality
from corollary.core.roles import Estimator
from corollary.engine import Settled, Statistics, StreamingLearner
from corollary.engine.executors.team import team

ROWS = np.arange(40.0)[:, None]  # mean 19.5


@dataclass(frozen=True)
class Sums(Statistics):
    n: float
    x: float


@dataclass(frozen=True)
class Guess:
    value: float
    step: int = 0


class HalfWay(StreamingLearner, Estimator):
    """Walks half of the way to the mean in each pass; writes down what is called."""

    rules: ClassVar = {}

    def __init__(self, starts=(0.0,), max_iter=50, tol=1e-6, random_state=None):
        self.starts_at = starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.log = []
        self.at_chunk = lambda chunk, state: None

    def starts(self, data, seed):
        for value in self.starts_at:
            self.log.append(("start", value))
            yield Guess(value)

    def start(self, data, seed):
        return next(self.starts(data, seed))

    def statistics(self, chunk, state):
        self.at_chunk(chunk, state)
        self.log.append(("statistics", chunk.first_row, state.step))
        chunk.memory["passes"] = chunk.memory.get("passes", 0) + 1
        return Sums(chunk.n, float(chunk.X.sum()))

    def update(self, s, state):
        self.log.append(("update", s.n, state.step))
        return Guess(state.value + (s.x / s.n - state.value) / 2, state.step + 1)

    def objective(self, s, state):
        return abs(s.x / s.n - state.value)

    def stop(self, state):
        close = abs(state.value - 19.5) <= self.tol
        return StopReason.CONVERGED if close else None

    def account(self, state, report):
        report.optimality = Optimality("distance", abs(state.value - 19.5))

    def publish(self, fitted):
        self.fitted = fitted
        self.value_ = fitted.state.value


def rounds(learner):
    """Return the log without the order of chunks inside a pass."""
    steps, inside = [], []
    for what in learner.log:
        if what[0] == "statistics":
            inside.append(what)
        else:
            steps += [*sorted(inside), what]
            inside = []
    return steps + sorted(inside)


# -- the order of things ---------------------------------------------------------------
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_start_then_every_chunk_then_update_until_stop(executor):
    learner = HalfWay(tol=6.0)
    with engine.use(executor=executor, chunk_rows=15, threads=2):
        learner.fit(ROWS)
    chunks = [0, 15, 30]
    assert rounds(learner) == [
        ("start", 0.0),
        *[("statistics", row, 0) for row in chunks],
        ("update", 40.0, 0),
        *[("statistics", row, 1) for row in chunks],
        ("update", 40.0, 1),
    ]
    assert learner.value_ == pytest.approx(19.5 * 0.75)


def test_the_trace_holds_the_objective_of_each_pass():
    report = HalfWay(tol=1.0).fit(ROWS).report_
    assert report.objective == pytest.approx([19.5 / 2**k for k in range(1, 6)])
    assert report.passes == 5
    assert report.rows == 40
    assert report.stop is StopReason.CONVERGED
    assert report.optimality.value == pytest.approx(19.5 / 32)


def test_a_last_look_adds_its_objective_and_outputs():
    class Settling(HalfWay):
        def settle(self, data, state):
            rows = data.rows(lambda chunk: (chunk.X[:, 0] - state.value,))
            return Settled(replace(state, step=-1), rows, 123.0)

    with engine.use(chunk_rows=7):
        learner = Settling(tol=1.0).fit(ROWS)
    assert learner.report_.objective[-1] == 123.0
    assert learner.fitted.state.step == -1
    assert len(learner.report_.objective) == learner.report_.passes + 1


def test_running_out_of_passes_warns_with_distance_and_remedy():
    with pytest.warns(ConvergenceWarning) as caught:
        learner = HalfWay(max_iter=3).fit(ROWS)
    (warning,) = caught
    assert str(warning.message) == (
        "HalfWay: max_iter reached after 3 passes; distance 2.438. "
        "Raise max_iter, loosen tol, or scale the features."
    )
    assert warning.filename == __file__
    assert learner.report_.stop is StopReason.MAX_PASSES


@pytest.mark.parametrize("reason", [StopReason.STALLED, StopReason.DIVERGED])
def test_other_ways_to_stop_short_warn_too(reason):
    class Giving(HalfWay):
        def stop(self, state):
            return reason

    with pytest.warns(ConvergenceWarning, match=re.escape(reason.remedy)):
        Giving().fit(ROWS)


def test_restarts_keep_the_best():
    learner = HalfWay(starts=(0.0, 19.0, 100.0), max_iter=2)
    with pytest.warns(ConvergenceWarning):
        learner.fit(ROWS)
    assert [what for what in learner.log if what[0] == "start"] == [
        ("start", 0.0),
        ("start", 19.0),
        ("start", 100.0),
    ]
    assert learner.value_ == pytest.approx(19.5 - 0.125)
    assert learner.report_.passes == 2


# -- Ctrl-C ----------------------------------------------------------------------------
def interrupt_at(step, row=0):
    def at_chunk(chunk, state):
        if state.step == step and chunk.first_row == row:
            raise KeyboardInterrupt

    return at_chunk


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_interruption_keeps_the_state_so_far(executor):
    learner = HalfWay()
    learner.at_chunk = interrupt_at(step=3, row=20)
    with engine.use(executor=executor, chunk_rows=10, threads=2):
        with pytest.raises(KeyboardInterrupt):
            learner.fit(ROWS)
        assert learner.report_.stop is StopReason.INTERRUPTED
        assert learner.value_ == pytest.approx(19.5 * (1 - 1 / 8))
        assert len(learner.report_.objective) == learner.report_.passes == 3
        again = HalfWay().fit(ROWS)  # the team works on
    assert again.report_.stop is StopReason.CONVERGED


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_interruption_before_the_first_update_propagates(executor):
    learner = HalfWay()
    learner.at_chunk = interrupt_at(step=0, row=20)
    with (
        engine.use(executor=executor, chunk_rows=10, threads=2),
        pytest.raises(KeyboardInterrupt),
    ):
        learner.fit(ROWS)
    assert not hasattr(learner, "report_")
    assert not hasattr(learner, "n_features_in_")


def test_interruption_leaves_an_earlier_fit_as_it_was():
    learner = HalfWay().fit(ROWS)
    before = dict(vars(learner))
    learner.at_chunk = before["at_chunk"] = interrupt_at(step=0)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(ROWS[:, [0, 0]])
    assert vars(learner) == before


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_a_kept_interrupt_returns_and_says_so(executor):
    learner = HalfWay()
    learner.at_chunk = interrupt_at(step=3, row=20)
    with (
        engine.use(executor=executor, chunk_rows=10, threads=2, interrupt="keep"),
        pytest.warns(ConvergenceWarning, match="HalfWay: interrupted after 3 passes"),
    ):
        assert learner.fit(ROWS) is learner
    assert learner.report_.stop is StopReason.INTERRUPTED


def test_interruption_of_a_later_start_keeps_the_best_so_far():
    learner = HalfWay(starts=(0.0, 5.0))
    calls = []

    def at_chunk(chunk, state):
        calls.append(state.value)
        if state.value == 5.0:
            raise KeyboardInterrupt

    learner.at_chunk = at_chunk
    with pytest.raises(KeyboardInterrupt):
        learner.fit(ROWS)
    assert learner.report_.stop is StopReason.INTERRUPTED
    assert learner.value_ == pytest.approx(19.5, abs=1e-6)


def test_interruption_of_the_last_look_keeps_the_state():
    class Settling(HalfWay):
        def settle(self, data, state):
            raise KeyboardInterrupt

    learner = Settling()
    with pytest.raises(KeyboardInterrupt):
        learner.fit(ROWS)
    assert learner.report_.stop is StopReason.INTERRUPTED
    assert learner.value_ == pytest.approx(19.5, abs=1e-6)


LONG = """
import os, signal, sys, threading
import numpy as np
from corollary import KMeans, PCA, engine

X = np.random.default_rng(0).normal(size=(60_000, 8))
passes = 0
update = KMeans.update

def counted(self, s, state):
    global passes
    passes += 1
    if passes == 3:
        print("ready", flush=True)
    return update(self, s, state)

KMeans.update = counted
with engine.use(executor={executor!r}, threads=2, chunk_rows=3_000):
    model = KMeans(64, tol=0, max_iter=100_000, random_state=0)
    try:
        model.fit(X)
    except KeyboardInterrupt:
        print("raised again")
    again = PCA().fit(X)
print(model.report_.stop.word, model.cluster_centers_.shape)
print(np.isfinite(model.inertia_), model.report_.passes >= 3)
print(again.report_.stop.word, threading.active_count() < 10)
"""


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_a_real_interrupt_ends_a_long_fit_with_what_it_has(executor):
    code = LONG.format(executor=executor)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout.readline() == b"ready\n"
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out.decode().splitlines() == [
        "raised again",
        "interrupted (64, 8)",
        "True True",
        "closed form True",
    ], err.decode()
    assert child.returncode == 0


# -- errors ----------------------------------------------------------------------------
class Odd(Exception):
    pass


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_an_error_in_a_worker_arrives_as_it_is_and_nothing_hangs(executor):
    def at_chunk(chunk, state):
        if chunk.first_row == 20:
            raise Odd("as it is")

    learner = HalfWay()
    learner.at_chunk = at_chunk
    begun = time.perf_counter()
    with engine.use(executor=executor, chunk_rows=1, threads=2):
        for _ in range(5):
            with pytest.raises(Odd, match=r"^as it is$"):
                learner.fit(ROWS)
        assert HalfWay().fit(ROWS).value_ == pytest.approx(19.5, abs=1e-6)
    assert time.perf_counter() - begun < 5
    assert team(2).submit(lambda: 1).result(timeout=5) == 1


def test_an_error_in_update_arrives_as_it_is():
    class Failing(HalfWay):
        def update(self, s, state):
            raise Odd

    with pytest.raises(Odd):
        Failing().fit(ROWS)


# -- streaming -------------------------------------------------------------------------
def test_per_chunk_updates_after_each_chunk_from_a_running_total():
    learner = HalfWay()
    with engine.use(schedule=engine.PerChunk(), chunk_rows=15):
        learner.fit(ROWS)
    assert learner.log == [
        ("start", 0.0),
        ("statistics", 0, 0),
        ("update", 15.0, 0),
        ("statistics", 15, 1),
        ("update", 30.0, 1),
        ("statistics", 30, 2),
        ("update", 40.0, 2),
    ]
    assert learner.report_.stop is StopReason.STREAMING
    assert learner.report_.rows == 40


@pytest.mark.parametrize("decay", [0.1, 0.5, 1.0])
def test_decay_discounts_older_chunks_geometrically(decay):
    learner = HalfWay()
    with engine.use(schedule=engine.PerChunk(decay), chunk_rows=10):
        learner.fit(ROWS)
    counts = [n for what, n, _ in learner.log[1:] if what == "update"]
    assert counts == pytest.approx(
        [10 * sum(decay**i for i in range(k)) for k in range(1, 5)]
    )
    streamed = HalfWay()
    with engine.use(schedule=engine.PerChunk(decay)):
        for a in range(0, 40, 10):
            streamed.partial_fit(ROWS[a : a + 10])
    assert streamed.value_ == pytest.approx(learner.value_)
    assert streamed.report_.rows == 40


@pytest.mark.parametrize("decay", [0.0, -1.0, 1.5, float("nan")])
def test_a_decay_lies_above_0_and_at_most_at_1(decay):
    with pytest.raises(
        ParameterError, match=r"PerChunk: decay must be in \(0, 1\]; got"
    ):
        engine.PerChunk(decay)


def test_sums_that_hold_for_one_state_only_cannot_be_carried_from_chunk_to_chunk():
    data = make_data(n=50)
    with (
        engine.use(schedule=engine.PerChunk()),
        pytest.raises(ParameterError) as caught,
    ):
        LogisticRegression().fit(data.X, data.two)
    assert str(caught.value) == (
        "LogisticRegression: schedule must be engine.PerPass(): its sums hold for one "
        "state only; got engine.PerChunk(decay=1.0)."
    )


@pytest.mark.parametrize("chunk_rows", [3, 17, 1000])
def test_closed_forms_per_chunk_end_where_the_batch_does(chunk_rows):
    data = make_data(n=100, d=4)
    constant = np.column_stack([data.X, np.repeat([1.0, 2.0], 50)])  # 1 at first
    with engine.use(schedule=engine.PerChunk(), chunk_rows=chunk_rows):
        line = LinearRegression().fit(constant, data.number)
        spread = PCA().fit(constant)
    np.testing.assert_allclose(
        line.coef_, LinearRegression().fit(constant, data.number).coef_, rtol=1e-8
    )
    np.testing.assert_allclose(
        spread.explained_variance_, PCA().fit(constant).explained_variance_, rtol=1e-8
    )


def test_per_chunk_checks_what_it_sees():
    X = ROWS.copy()
    X[33] = np.nan
    with (
        engine.use(schedule=engine.PerChunk(), chunk_rows=10),
        pytest.raises(DataError, match=r"HalfWay: .* got NaN in row 33, column 0"),
    ):
        HalfWay().fit(X)


def test_per_chunk_can_be_interrupted():
    learner = HalfWay()
    learner.at_chunk = interrupt_at(step=2, row=20)
    with (
        engine.use(schedule=engine.PerChunk(), chunk_rows=10),
        pytest.raises(KeyboardInterrupt),
    ):
        learner.fit(ROWS)
    assert learner.report_.stop is StopReason.INTERRUPTED
    assert learner.fitted.state.step == 2


STREAMS = {
    "a constant column at first": [np.ones(30), np.zeros(30)],
    "a copy of a column": [None, None],
}


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(1e-12), PCA()], ids=str)
def test_a_stream_needs_no_second_look(kind, model):
    rng = np.random.default_rng(0)
    batches = []
    for column in STREAMS[kind]:
        X = rng.normal(size=(30, 3))
        column = X[:, 0] if column is None else column
        batches.append(np.column_stack([X, column]))
    y = [B @ [1.0, 2.0, 3.0, 4.0] for B in batches]
    model = type(model)(**model.get_params())
    for B, target in zip(batches, y, strict=True):
        model.partial_fit(B, target)
    whole = np.vstack(batches)
    if isinstance(model, PCA):
        expected = PCA().fit(whole).explained_variance_
        np.testing.assert_allclose(model.explained_variance_, expected, atol=1e-12)
    else:
        np.testing.assert_allclose(model.predict(whole), np.concatenate(y), rtol=1e-8)


def test_a_stream_after_a_fit_survives_a_worse_condition():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = LinearRegression().fit(X, X @ [1.0, 2.0])
    assert model.report_.facts["route"] == "gram"
    line = 1e9 * rng.normal(size=(40, 1)) * [1.0, 1.0]
    model.partial_fit(line, line @ [1.0, 2.0])
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.predict(line), line @ [1.0, 2.0], rtol=1e-4)


def test_a_stream_cannot_go_on_from_steps_of_conjugate_gradients():
    data = make_data(n=60)
    model = Ridge(solver="sparse_cg", tol=1e-10).fit(data.X, data.number)
    with pytest.raises(DataError, match="partial_fit must follow partial_fit or a fit"):
        model.partial_fit(data.X, data.number)


# -- data that comes once --------------------------------------------------------------
def once(data, target, rows=30):
    y = data.y(target)
    for a in range(0, len(data.X), rows):
        part = slice(a, a + rows)
        yield data.X[part] if y is None else (data.X[part], y[part])


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "PCA"])
def test_one_pass_learners_take_chunks_that_come_once(name):
    case = next(case for case in LEARNERS if case.name == name)
    data = make_data(n=200)
    model = case.make().fit(once(data, case.target))
    same = case.fitted(data)
    for learned in case.learned:
        np.testing.assert_allclose(
            getattr(model, learned), getattr(same, learned), rtol=1e-8
        )
    assert model.report_.rows == 200
    assert model.report_.source == "chunks that come once"


def test_naive_bayes_takes_chunks_that_come_once_if_it_knows_the_classes():
    data = make_data(n=200)
    source = engine.ChunkSource(once(data, "label"), classes=[2, 0, 1])
    model = GaussianNB().fit(source)
    np.testing.assert_allclose(
        model.theta_, GaussianNB().fit(data.X, data.label).theta_, rtol=1e-9
    )
    with pytest.raises(DataError) as caught:
        GaussianNB().fit(once(data, "label"))
    assert str(caught.value) == (
        "GaussianNB: chunks that come once must say their classes beforehand; got "
        "none. Use ChunkSource(chunks, classes=[...])."
    )


@pytest.mark.parametrize("name", ["KMeans", "GradientDescentRegressor"])
def test_learners_of_several_passes_say_what_they_need(name):
    case = next(case for case in LEARNERS if case.name == name)
    with pytest.raises(DataError) as caught:
        case.make().fit(once(make_data(n=200), case.target))
    assert str(caught.value) == (
        f"{name}: a learner that needs several passes needs data it can read again; "
        "got chunks that come once. Give a function that returns a new iterator, or "
        "use partial_fit."
    )


# -- memory ----------------------------------------------------------------------------
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_a_chunks_memory_lasts_from_pass_to_pass(executor):
    seen = []
    learner = HalfWay(tol=3.0)
    learner.at_chunk = lambda chunk, state: seen.append(
        (state.step, chunk.first_row, chunk.memory.get("passes", 0))
    )
    with engine.use(executor=executor, chunk_rows=20, threads=2):
        learner.fit(ROWS)
    expected = [(step, row, step) for step in range(3) for row in (0, 20)]
    assert sorted(seen) == expected


def test_memory_is_only_a_cache():
    X = make_data(n=3000).X
    with engine.use(chunk_rows=200):
        kept = KMeans(6, random_state=0, tol=0).fit(X)

        class Forgetful(KMeans):
            def statistics(self, chunk, state):
                if state.shift2 < np.inf and chunk.first_row % 400 == 0:
                    chunk.memory.clear()
                return super().statistics(chunk, state)

        lost = Forgetful(6, random_state=0, tol=0).fit(X)
    np.testing.assert_array_equal(kept.cluster_centers_, lost.cluster_centers_)
    np.testing.assert_array_equal(kept.report_.objective, lost.report_.objective)


@pytest.mark.parametrize("make", [LinearRegression, PCA], ids=lambda m: m.__name__)
def test_the_memory_limit_refuses_before_anything_is_allocated(make):
    X = np.zeros((100, 2_000), dtype=np.float32)
    X[0] = 1.0
    rows = engine.ChunkSource([X if make is PCA else (X, np.zeros(100))] * 21)
    tracemalloc.start()
    try:
        with engine.use(memory_limit="10MB"), pytest.raises(MemoryLimitError) as caught:
            make().fit(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    what = {"PCA": "covariance", "LinearRegression": "normal equations"}[make.__name__]
    assert str(caught.value).startswith(
        f"{make.__name__}: the 2000 x 2000 {what} must fit in memory_limit = 0.01 GB; "
        "got an estimate of 0.096 GB. Use fewer columns, or"
    )
    assert peak < 10e6  # the matrix would take 32 MB
    wide = np.ones((3, 20_000), dtype=np.float32)
    with engine.use(memory_limit="100MB"):  # three rows need no such matrix
        make().fit(engine.ChunkSource([wide if make is PCA else (wide, np.zeros(3))]))


@pytest.mark.parametrize("make", [LinearRegression, PCA], ids=lambda m: m.__name__)
def test_the_estimate_of_memory_is_not_far_from_the_truth(make):
    d = 500
    X = np.random.default_rng(0).normal(size=(2 * d, d))
    y = X[:, 0]
    tracemalloc.start()
    try:
        make().fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    estimate = 3 * 8 * d * d
    chunk = X.nbytes  # one block of centred rows
    assert estimate / 4 < peak < 2 * estimate + 2 * chunk


# -- side by side ----------------------------------------------------------------------
def test_fits_in_many_threads_of_the_user_do_not_meet():
    data = make_data(n=600)
    answers = {}

    def work(seed):
        with engine.use(chunk_rows=50, threads=2, executor="threads"):
            answers[seed] = KMeans(4, random_state=seed).fit(data.X).cluster_centers_

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    for seed, centres in answers.items():
        with engine.use(chunk_rows=50, executor="serial"):
            alone = KMeans(4, random_state=seed).fit(data.X)
        np.testing.assert_array_equal(alone.cluster_centers_, centres)
    assert len(answers) == 6


def test_a_source_without_rows():
    with pytest.raises(DataError, match="must give at least one chunk"):
        KMeans(2).fit(iter([]))


# -- certificates of streams ---------------------------------------------------------
def test_a_bound_known_of_the_first_batch_is_not_claimed_for_the_next():
    X = make_data(n=300).X
    model = KMeans(3, random_state=0).partial_fit(X[:100])
    first = model.report_.optimality
    assert first.value is None or first.value >= 0
    model.partial_fit(X[100:])
    assert model.report_.optimality.value is None
    own = ((X[100:] - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(own, rel=1e-10)


def test_per_chunk_the_objective_ends_with_that_of_all_rows():
    X = make_data(n=300).X
    with engine.use(schedule=engine.PerChunk(), chunk_rows=50):
        model = KMeans(3, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(-model.score(X), rel=1e-10)
    scatter = np.linalg.eigvalsh(np.cov(X.T, bias=True) * 300)[::-1]
    bound = max(0.0, scatter[2:].sum())
    gap = model.report_.optimality.value
    assert gap is None or gap == pytest.approx(model.inertia_ - bound, rel=1e-9)
