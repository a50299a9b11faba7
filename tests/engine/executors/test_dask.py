"""The cluster costs time only: same bits as one thread, whatever dies on the way."""

import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

import cloudpickle
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from common.sources import local_client

import corollary
from corollary import engine
from corollary.core.errors import ClusterError, DataError, ParameterError
from corollary.core.report import StopReason
from corollary.core.roles import Regressor
from corollary.engine.data import Data
from corollary.engine.executors import dask as cluster
from corollary.engine.executors import dask_workers

cloudpickle.register_pickle_by_value(sys.modules[__name__])

PASSES = 10


@dataclass(frozen=True)
class Gradient(engine.Statistics):
    """Sum of gradients and of squared errors, and where they were computed."""

    n: float
    g: np.ndarray
    J: float
    pids: tuple = ()
    remembered: int = 0


class Descent(engine.SummationLearner, Regressor):
    """Least squares by gradient steps; each chunk takes a moment."""

    target = "number"

    def __init__(self, pause=0.02, ballast=0):
        self.pause, self.ballast = pause, ballast

    rules = {}  # noqa: RUF012

    def start(self, data, seed):
        return (0, np.zeros(data.source.n_features), bytes(self.ballast))

    def statistics(self, chunk, state):
        time.sleep(self.pause)
        _, theta, _ = state
        seen = chunk.memory.get("seen", 0)
        chunk.memory["seen"] = 1
        error = chunk.X @ theta - chunk.y
        return Gradient(
            chunk.n, chunk.X.T @ error, float(error @ error), (os.getpid(),), seen
        )

    def update(self, s, state):
        passes, theta, ballast = state
        self.trace.append(s)
        return passes + 1, theta - 0.3 * s.g / s.n, ballast

    def objective(self, s, state):
        return s.J / s.n

    def stop(self, state):
        return StopReason.CONVERGED if state[0] == PASSES else None

    def max_passes(self):
        return PASSES

    def fit(self, X, y=None, sample_weight=None):
        self.trace = []
        return super().fit(X, y, sample_weight)

    def publish(self, fitted):
        self.coef_ = fitted.state[1]

    def predict(self, X):
        return X @ self.coef_


def make_rows(n=2000, d=6):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, X @ np.arange(1.0, d + 1) + 0.1 * rng.standard_normal(n)


X, Y = make_rows()


@pytest.fixture(scope="module")
def local():
    """A cluster of two processes."""
    import dask
    from distributed import LocalCluster

    with (
        # by default a worker that is down 15 s after a loss is not restarted again
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=folder,
            silence_logs=50,
        ) as made,
    ):
        yield made


@pytest.fixture
def client(local):
    from distributed import Client

    with Client(local) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


@pytest.fixture(scope="module")
def serial():
    with engine.use(executor="serial", chunk_rows=170):
        return Descent(pause=0).fit(X, Y)


def assert_same_bits(model, reference):
    np.testing.assert_array_equal(model.coef_, reference.coef_)
    assert len(model.trace) == len(reference.trace) == PASSES
    for ours, theirs in zip(model.trace, reference.trace, strict=True):
        assert (ours.n, ours.J) == (theirs.n, theirs.J)
        np.testing.assert_array_equal(ours.g, theirs.g)


def is_running(nanny):
    process = nanny.process
    return process is not None and process.status.name == nanny.status.name == "running"


@contextlib.contextmanager
def killer(local, kills, seed=0):
    """Kill a random worker process after a short while, again and again."""
    done, killed = threading.Event(), []

    def hunt():
        draw = random.Random(seed)
        while len(killed) < kills and not done.wait(draw.uniform(0.1, 0.6)):
            # Dask gives up on a worker that dies while it starts
            ready = [n for n in local.workers.values() if is_running(n)]
            alive = [
                n.pid for n in ready if n.worker_address in local.scheduler.workers
            ]
            alive = [pid for pid in alive if pid not in killed]
            if alive:
                pid = draw.choice(alive)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=hunt, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()


def rows_of(kind, folder):
    if kind == "array":
        return X, Y
    if kind == "files":
        table = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": Y})
        pa.parquet.write_table(table, folder / "rows.parquet", row_group_size=170)
        return (engine.ParquetSource(folder, target="y"),)
    import dask.array as da

    return da.from_array(X, chunks=(170, 3)), da.from_array(Y, chunks=170)


def soon(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


# -- the same bits ---------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["array", "files"])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same_bits(workers, kind, serial, tmp_path):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            processes=False, n_workers=workers, threads_per_worker=1,
            dashboard_address=":0",
        ) as threads,
        Client(threads) as client,
        engine.use(executor=client, chunk_rows=170),
    ):  # fmt: skip
        model = Descent(pause=0).fit(*rows_of(kind, tmp_path))
    assert_same_bits(model, serial)
    assert model.report_.executor == f"Dask, {workers} worker{'s' * (workers > 1)}"


@pytest.mark.parametrize("kind", ["array", "files", "dask"])
def test_processes_give_the_same_bits(client, kind, serial, tmp_path):
    with engine.use(executor=client, chunk_rows=170):
        model = Descent(pause=0.005).fit(*rows_of(kind, tmp_path))
    assert_same_bits(model, serial)
    assert os.getpid() not in model.trace[0].pids
    assert len(set(model.trace[0].pids)) == 2


def test_the_default_client_computes_dask_collections(client, serial, tmp_path):
    model = None
    with client.as_current():
        model = Descent(pause=0).fit(*rows_of("dask", tmp_path))
    assert model.report_.executor == "Dask, 2 workers"
    assert_same_bits(model, serial)


def test_threads_compute_dask_collections_where_there_is_no_client(serial, tmp_path):
    with engine.use(threads=2):
        model = Descent(pause=0).fit(*rows_of("dask", tmp_path))
    assert model.report_.executor == "2 threads"
    assert_same_bits(model, serial)


# -- what travels ----------------------------------------------------------------------
def test_rows_in_memory_are_placed_once_and_files_never(
    client, serial, tmp_path, monkeypatch
):
    placed = []
    scatter = client.scatter
    monkeypatch.setattr(
        client,
        "scatter",
        lambda data, **how: placed.append(data) or scatter(data, **how),
    )
    with engine.use(executor=client, chunk_rows=170):
        assert_same_bits(Descent(pause=0).fit(X, Y), serial)
        assert [chunk.first_row for chunk in placed] == list(range(0, 2000, 170))
        placed.clear()
        Descent(pause=0).fit(*rows_of("files", tmp_path))
        assert placed == []


def test_a_large_state_is_placed_and_warns_of_nothing(client, serial, monkeypatch):
    monkeypatch.setattr(cluster, "INLINE_BYTES", 10**5)
    with engine.use(executor=client, chunk_rows=170):
        model = Descent(pause=0, ballast=2 * 10**6).fit(X, Y)
    assert_same_bits(model, serial)


@pytest.mark.parametrize("kind", ["array", "files", "dask"])
def test_chunks_remember_until_the_fit_ends(client, kind, tmp_path):
    with engine.use(executor=client, chunk_rows=170):
        model = Descent(pause=0.005).fit(*rows_of(kind, tmp_path))
    remembered = [s.remembered for s in model.trace]
    assert remembered[0] == 0
    assert min(remembered[5:]) > 6  # of 12 chunks, though Dask may move a few
    assert soon(
        lambda: set(client.run(lambda: len(dask_workers.kept_memories)).values()) == {0}
    )


def test_forgetting_gives_the_memories_another_name(client):
    data = Data(Descent(), engine.ArraySource(X, Y))
    data.executor = cluster.DaskExecutor(client)
    data._parts = data.source.parts()

    def seen(chunk):
        before = chunk.memory.get("seen", 0)
        chunk.memory["seen"] = 1
        return before

    try:
        assert data.reduce(seen) == 0
        assert data.reduce(seen) == len(data._parts)
        data.forget()
        assert data.reduce(seen) == 0
    finally:
        data.executor.close()


def test_blas_has_one_thread_while_a_task_runs(client):
    def blas(chunk):
        from threadpoolctl import threadpool_info

        kinds = (i for i in threadpool_info() if i["user_api"] == "blas")
        return {info["num_threads"] for info in kinds}

    executor = cluster.DaskExecutor(client)
    parts = engine.ArraySource(X, Y).parts()
    assert all(seen == {1} for seen in executor.map(blas, parts, {}))
    executor.close()


# -- errors ----------------------------------------------------------------------------
def test_an_error_of_the_data_comes_through(client):
    bad = X.copy()
    bad[1234, 3] = np.nan
    with (
        engine.use(executor=client, chunk_rows=170),
        pytest.raises(DataError, match="NaN in row 1234, column 3"),
    ):
        Descent(pause=0).fit(bad, Y)


def test_what_is_pending_is_cancelled_when_nobody_asks_any_more(local, client):
    executor = cluster.DaskExecutor(client)
    parts = engine.ArraySource(X, Y).parts() * 8

    def slow(chunk):
        time.sleep(0.1)
        return chunk.n

    results = executor.map(slow, parts, {})
    assert next(results) == 2000
    results.close()
    executor.close()
    assert soon(lambda: not [k for k in local.scheduler.tasks if "corollary" in str(k)])


def test_ctrl_c_keeps_the_best_state_and_cancels_the_rest(local, client):
    model, ended = Descent(pause=0.05), threading.Event()

    def press():
        # again where Python has dropped an interrupt that fell into a callback
        for passes in (2, 5, 8):
            while len(getattr(model, "trace", ())) < passes and not ended.wait(0.01):
                pass
            if ended.is_set():
                return
            os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    try:
        with (
            engine.use(executor=client, chunk_rows=170),
            pytest.raises(KeyboardInterrupt),
        ):
            model.fit(X, Y)
    finally:
        ended.set()
        presser.join()
    assert model.report_.stop is StopReason.INTERRUPTED
    assert 0 < len(model.trace) < PASSES
    assert soon(lambda: not [k for k in local.scheduler.tasks if "corollary" in str(k)])


def test_looks_that_end_while_results_are_gathered_leave_the_client_whole(monkeypatch):
    monkeypatch.setattr(cluster, "GLANCE", 0.0005)
    with local_client() as client, engine.use(executor=client, chunk_rows=170):
        for _ in range(30):
            model = corollary.StandardScaler().fit(X)
        assert client.submit(sum, [1, 2]).result(timeout=10) == 3
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-12)


def test_workers_that_hang_are_one_clear_error(monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(cluster, "GLANCE", 0.1)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as stopped,
        Client(stopped) as client,
    ):
        pids = list(client.run(os.getpid).values())
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            must = r"DaskExecutor: a cluster must finish a part within 1.5 seconds"
            with (
                engine.use(executor=client, chunk_rows=500, patience=1.5),
                pytest.raises(ClusterError, match=must),
            ):
                corollary.KMeans(n_clusters=2).fit(X)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


def test_a_cluster_without_workers_is_one_clear_error(monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    monkeypatch.setattr(cluster, "GLANCE", 0.1)
    with (
        LocalCluster(processes=False, n_workers=0, dashboard_address=":0") as nobody,
        Client(nobody) as client,
        engine.use(executor=client, chunk_rows=170),
        pytest.raises(ClusterError) as caught,
    ):
        Descent().fit(X, Y)
    assert str(caught.value) == (
        "DaskExecutor: a cluster must have a worker within 0 seconds; got none "
        "(client running). Start workers, or use another executor."
    )


def test_a_part_that_kills_its_workers_is_one_clear_error(local, client, monkeypatch):
    monkeypatch.setattr(cluster, "ATTEMPTS", 1)
    monkeypatch.setattr(cluster, "PATIENCE", 0.0)
    monkeypatch.setattr(local.scheduler, "allowed_failures", 0)
    executor = cluster.DaskExecutor(client)
    parts = engine.ArraySource(X, Y).parts()
    with pytest.raises(ClusterError) as caught:
        list(executor.map(lambda chunk: os._exit(1), parts, {}))
    message = str(caught.value)
    assert message.startswith(
        "DaskExecutor: a part must come back from the cluster in 1 attempts; "
        "got part 0 lost every time ("
    )
    assert message.endswith("See the workers' logs: they may be running out of memory.")


def test_what_is_no_client_is_refused():
    with (
        engine.use(executor=object(), chunk_rows=170),
        pytest.raises(ParameterError, match="Client; got <object"),
    ):
        Descent().fit(X, Y)
    assert cluster.dask_executor(None) is None
    assert cluster.dask_executor("tcp://somewhere") is None


# -- workers that die ------------------------------------------------------------------
def fit_under_fire(local, client, kills, kind, serial, folder):
    """Fit again and again until so many workers have been killed."""
    with killer(local, kills) as killed, engine.use(executor=client, chunk_rows=170):
        while len(killed) < kills:
            assert_same_bits(Descent().fit(*rows_of(kind, folder)), serial)


def test_two_dead_workers_cost_only_time(local, client, serial, tmp_path):
    fit_under_fire(local, client, 2, "array", serial, tmp_path)


@pytest.mark.parametrize("kind", ["array", "files", "dask"])
def test_a_scheduler_that_stumbles_costs_only_time(
    local, client, serial, kind, tmp_path, monkeypatch
):
    from distributed import scheduler

    new_task, stumbled = local.scheduler.new_task, []

    def stumble(key, *arguments, **options):
        if str(key).startswith("corollary-") and len(stumbled) < 3:
            stumbled.append(key)
            raise KeyError("tcp://a-dead-worker")
        return new_task(key, *arguments, **options)

    code = stumble.__code__.replace(co_filename=scheduler.__file__)
    stumble.__code__ = code  # Dask cuts out its own lines
    monkeypatch.setattr(local.scheduler, "new_task", stumble)
    with engine.use(executor=client, chunk_rows=170):
        model = Descent(pause=0).fit(*rows_of(kind, tmp_path))
    assert len(stumbled) == 3
    assert_same_bits(model, serial)


def test_a_key_error_of_the_work_is_no_loss(client):
    def fail(chunk):
        raise KeyError("mine")

    executor = cluster.DaskExecutor(client)
    with pytest.raises(KeyError, match="mine"):
        list(executor.map(fail, engine.ArraySource(X, Y).parts(), {}))
    executor.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["array", "files", "dask"])
def test_twenty_dead_workers_cost_only_time(local, client, serial, kind, tmp_path):
    fit_under_fire(local, client, 20, kind, serial, tmp_path)


@pytest.mark.slow
def test_k_means_does_not_notice_twenty_dead_workers(local, client):
    rng = np.random.default_rng(1)
    centres = rng.uniform(-3, 3, (8, 4))
    points = centres[rng.integers(8, size=20_000)] + rng.standard_normal((20_000, 4))
    options = {"n_clusters": 8, "n_init": 3, "random_state": 0}
    with engine.use(executor="serial", chunk_rows=500):
        reference = corollary.KMeans(**options).fit(points)
    with killer(local, 20) as killed, engine.use(executor=client, chunk_rows=500):
        while len(killed) < 20:
            model = corollary.KMeans(**options).fit(points)
            np.testing.assert_array_equal(
                model.cluster_centers_, reference.cluster_centers_
            )
            np.testing.assert_array_equal(model.labels_, reference.labels_)
            assert model.inertia_ == reference.inertia_
