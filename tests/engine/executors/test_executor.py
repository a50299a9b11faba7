"""Whoever computes, results come in order and the machine is left as it was."""

import multiprocessing
import os
import threading
import time
from contextvars import ContextVar

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from corollary import KMeans, LinearRegression, config_context, engine, get_config
from corollary.engine import ArraySource, Chunk, Part, Serial, Threads
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.executors.team import team

EXECUTORS = [Serial(), Threads(2), Threads(5)]
ids = [executor.described for executor in EXECUTORS]


def parts(n=20, rows=3):
    X = np.arange(float(n * rows))[:, None]
    with engine.use(chunk_rows=rows):
        return ArraySource(X).parts()


def first(chunk):
    return int(chunk.X[0, 0])


def blas_threads():
    return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]


class Numbered(Part):
    """Several chunks in one part; counts what is read."""

    several = True

    def __init__(self, number, chunks=3, log=None):
        self.number, self.count, self.log = number, chunks, log

    def chunks(self):
        for k in range(self.count):
            if self.log is not None:
                self.log.append((self.number, k))
            yield Chunk(np.full((2, 1), 10.0 * self.number + k))


# -- order --------------------------------------------------------------------------
@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_results_come_in_the_order_of_the_parts(executor):
    rng = np.random.default_rng(0)
    pause = {3 * i: rng.uniform(0, 0.004) for i in range(20)}
    pause[0] = 0.05  # the first to begin is the last to end

    def slow(chunk):
        time.sleep(pause[first(chunk)])
        return first(chunk)

    assert list(executor.map(slow, parts(), {})) == list(range(0, 60, 3))


@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_chunks_of_a_part_come_in_order_too(executor, lazily, count):
    some = [Numbered(i) for i in range(count)]
    results = executor.map(first, iter(some) if lazily else some, {})
    assert list(results) == [10 * i + k for i in range(count) for k in range(3)]


@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_no_parts_give_no_results(executor):
    assert list(executor.map(first, iter(()), {})) == []


@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_memories_are_kept_by_part_and_chunk(executor):
    memories = {}

    def remember(chunk):
        chunk.memory.setdefault("first", first(chunk))
        return chunk.memory["first"]

    for _ in range(3):
        many = [Numbered(i) for i in range(30)]
        results = list(executor.map(remember, many, memories))
        assert results == [10 * i + k for i in range(30) for k in range(3)]
    assert len(memories) == 90


# -- the window ---------------------------------------------------------------------
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_only_a_few_parts_are_read_before_they_are_asked_for(threads):
    handed = 0

    def endless():
        nonlocal handed
        for part in parts(200, 1):
            handed += 1
            yield part

    results = Threads(threads).map(first, endless(), {})
    for taken in range(1, 50):
        next(results)
        assert handed <= taken + 2 * threads
    results.close()
    assert handed < 70


def test_serial_reads_one_chunk_ahead_and_no_more():
    log = []
    results = Serial().map(first, [Numbered(0, 20, log), Numbered(1, 20, log)], {})
    for taken in range(1, 10):
        next(results)
        time.sleep(0.005)
        of_this_part = [k for number, k in log if number == 0]
        assert len(of_this_part) <= taken + 2
    results.close()


def test_the_next_part_is_read_while_this_one_is_computed():
    begun = [threading.Event() for _ in range(6)]
    begun[5].set()

    class Announced(Numbered):
        several = False

        def chunks(self):
            begun[self.number].set()
            yield from super().chunks()

    def patient(chunk):
        number = first(chunk) // 10
        return begun[number + 1].wait(5)  # in vain, if nobody read meanwhile

    results = Serial().map(patient, [Announced(i, 1) for i in range(5)], {})
    assert list(results) == [True] * 5


def test_a_caller_who_stops_asking_cancels_the_rest():
    done = []

    def work(chunk):
        time.sleep(0.005)
        done.append(first(chunk))

    results = Threads(2).map(work, parts(100, 1), {})
    next(results)
    results.close()
    time.sleep(0.05)
    assert len(done) < 10


# -- errors -------------------------------------------------------------------------
@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
@pytest.mark.parametrize("where", ["task", "reading"])
def test_errors_arrive_as_they_are_after_the_results_before_them(executor, where):
    class Bad(Numbered):
        several = False

        def chunks(self):
            if where == "reading" and self.number == 5:
                raise OSError("no such disk")
            yield from super().chunks()

    def task(chunk):
        if where == "task" and first(chunk) == 50:
            raise OSError("no such disk")
        return first(chunk)

    results = executor.map(task, [Bad(i, 1) for i in range(20)], {})
    seen = []
    with pytest.raises(OSError, match=r"^no such disk$"):
        seen.extend(iter(lambda: next(results), None))
    assert seen[:4] == [0, 10, 20, 30]
    assert list(executor.map(first, parts(4), {})) == [0, 3, 6, 9]


# -- BLAS ---------------------------------------------------------------------------
needs_cores = pytest.mark.skipif(max(blas_threads()) < 2, reason="BLAS has one thread")


@needs_cores
@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_blas_runs_on_one_thread_inside_and_on_all_after(executor):
    before = blas_threads()
    inside = list(executor.map(lambda chunk: max(blas_threads()), parts(), {}))
    assert inside == [1] * 20
    assert blas_threads() == before


@needs_cores
@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_blas_is_restored_after_an_error_and_an_abandoned_pass(executor):
    before = blas_threads()
    failing = executor.map(lambda chunk: 1 / 0, parts(), {})
    with pytest.raises(ZeroDivisionError):
        list(failing)
    assert blas_threads() == before
    left = executor.map(first, parts(), {})
    next(left)
    left.close()
    assert blas_threads() == before


class Unlike:
    def __add__(self, other):
        raise TypeError("cannot add these")


@needs_cores
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_blas_is_restored_although_somebody_keeps_the_error(executor):
    before = blas_threads()
    X = np.random.default_rng(0).normal(size=(100, 2))

    class Failing(LinearRegression):
        def statistics(self, chunk, state):
            return Unlike()

    kept = []
    with engine.use(executor=executor, chunk_rows=10, threads=2):
        try:
            Failing().fit(X, X[:, 0])
        except TypeError as error:
            kept.append(error)  # as a notebook does, traceback and all
    assert kept
    assert blas_threads() == before


@needs_cores
@pytest.mark.parametrize("first_in", [0, 1])
@pytest.mark.parametrize("first_out", [0, 1])
def test_the_last_of_two_fits_releases_blas_whoever_began(first_in, first_out):
    before = blas_threads()
    entered, left = [threading.Event(), threading.Event()], threading.Event()
    seen = []

    def work(me):
        if me != first_in:
            entered[first_in].wait(10)
        with single_threaded_blas():
            entered[me].set()
            entered[1 - me].wait(10)
            if me != first_out:
                left.wait(10)
            seen.append(blas_threads())
        left.set()

    other = threading.Thread(target=work, args=(1,))
    other.start()
    work(0)
    other.join(20)
    assert seen == [[1] * len(before)] * 2
    assert blas_threads() == before


@needs_cores
def test_a_fit_in_any_thread_holds_blas_after_another_thread_did():
    before, inside = blas_threads(), []
    with single_threaded_blas():
        pass

    def work():
        inside.extend(Threads(2).map(lambda chunk: max(blas_threads()), parts(), {}))

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(20)
    assert inside == [1] * 40
    assert blas_threads() == before


@needs_cores
def test_concurrent_fits_leave_blas_as_it_was():
    before = blas_threads()
    X = np.random.default_rng(0).normal(size=(5000, 4))

    def work(seed):
        with engine.use(chunk_rows=200, threads=2, executor="threads"):
            for _ in range(3):
                KMeans(3, random_state=seed).fit(X)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert blas_threads() == before


# -- context and processes ----------------------------------------------------------
flag = ContextVar("flag", default="unset")


@pytest.mark.parametrize("executor", EXECUTORS, ids=ids)
def test_context_variables_reach_the_workers(executor):
    token = flag.set("set")
    try:
        with config_context(chunk_rows=77):
            results = executor.map(
                lambda chunk: (flag.get(), get_config().chunk_rows), parts(), {}
            )
            assert set(results) == {("set", 77)}
    finally:
        flag.reset(token)


def test_a_worker_cannot_change_the_callers_context():
    list(Threads(2).map(lambda chunk: flag.set("changed"), parts(), {}))
    assert flag.get() == "unset"


def test_the_team_is_kept_between_fits():
    assert team(3) is team(3)
    names = set(Threads(3).map(lambda c: threading.current_thread().name, parts(), {}))
    assert all(name.startswith("corollary") for name in names)
    before = threading.active_count()
    for _ in range(5):
        list(Threads(3).map(first, parts(), {}))
    assert threading.active_count() <= before + 3


def fit_in_child(queue):
    X = np.random.default_rng(0).normal(size=(3000, 4))
    with engine.use(executor="threads", threads=2, chunk_rows=100):
        queue.put((KMeans(3, random_state=0).fit(X).inertia_, blas_threads()))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # fork beside threads
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("meanwhile", ["idle", "fitting"])
def test_a_forked_child_fits_after_its_parent_used_threads(meanwhile):
    context = multiprocessing.get_context("fork")
    X = np.random.default_rng(0).normal(size=(3000, 4))
    before = blas_threads()
    with engine.use(executor="threads", threads=2, chunk_rows=100):
        here = KMeans(3, random_state=0).fit(X).inertia_
    entered, finish = threading.Event(), threading.Event()

    def fitting():
        with single_threaded_blas():
            entered.set()
            finish.wait(30)

    other = threading.Thread(target=fitting)
    if meanwhile == "fitting":
        other.start()
        entered.wait(10)
    queue = context.Queue()
    child = context.Process(target=fit_in_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=30) == (here, before)
        child.join(30)
        assert child.exitcode == 0
    finally:
        finish.set()
        if child.is_alive():
            child.kill()
    if meanwhile == "fitting":
        other.join(10)
    assert blas_threads() == before


def test_one_part_is_open_at_a_time_while_chunks_are_read_ahead():
    """Row groups of a file that are open together take their memory together."""
    open_parts, most, read = [], [], []

    class Counted(Part):
        several = True

        def __init__(self, number, length):
            self.number, self.length = number, length

        def chunks(self):
            open_parts.append(self.number)
            most.append(len(open_parts))
            for row in range(self.length):
                read.append((self.number, row))
                yield Chunk(np.full((1, 1), 10.0 * self.number + row))
            open_parts.remove(self.number)

    lengths = (3, 0, 0, 0, 2, 1, 4)
    parts = [Counted(k, n) for k, n in enumerate(lengths)]
    seen, ahead = [], []
    for value in Serial().map(lambda chunk: chunk.X[0, 0], parts, {}):
        seen.append(value)
        time.sleep(0.01)
        ahead.append(len(read) - len(seen))
    assert seen == [10.0 * k + row for k, n in enumerate(lengths) for row in range(n)]
    assert max(most) == 1
    assert max(ahead) == 1
