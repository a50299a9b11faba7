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

from corollary import engine
from corollary.core.base import Regressor
from corollary.core.report import StopReason

cloudpickle.register_pickle_by_value(sys.modules[__name__])

PASSES = 15


@dataclass(frozen=True)
class Gradient(engine.Statistics):
    """Sum of gradients and of squared errors, and where they were computed."""

    n: float
    g: np.ndarray
    J: float
    pids: tuple = ()
    remembered: int = 0


class Descent(engine.SummationLearner, Regressor):
    """Least squares by 15 gradient steps; each chunk takes a moment."""

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
            dashboard_address=None,
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


@pytest.mark.parametrize("kind", ["array", "files", "dask"])
def test_two_workers_killed_cost_only_time(local, client, serial, kind, tmp_path):
    with killer(local, kills=2, seed=int(os.environ.get("KSEED", "0"))) as killed:
        with engine.use(executor=client, chunk_rows=170):
            t = time.time()
            model = Descent().fit(*rows_of(kind, tmp_path))
            print(kind, time.time() - t)
    assert len(killed) == 2
    assert_same_bits(model, serial)


def rows_of(kind, folder):
    if kind == "array":
        return X, Y
    if kind == "files":
        table = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": Y})
        pa.parquet.write_table(table, folder / "rows.parquet", row_group_size=170)
        return (engine.ParquetSource(folder, target="y"),)
    import dask.array as da

    return da.from_array(X, chunks=(170, 3)), da.from_array(Y, chunks=170)
