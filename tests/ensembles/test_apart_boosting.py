"""Boosting over rows that stay with workers: the model of gathered rows to the bit."""

import contextlib
import os
import pickle
import signal
import tempfile

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from common.sources import local_client
from sklearn.base import clone

from corollary import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    StopReason,
    engine,
)
from corollary.core.errors import DataError, MemoryLimitError
from corollary.engine.executors.dask import DaskExecutor
from corollary.engine.executors.dask_workers import kept_memories
from corollary.engine.kept_rows import KeptRows
from corollary.ensembles.apart_boosting import ApartBoosting

SMALL = "30kB"  # less than what gathered rows would take
PARTS = ("starts", "feature", "bin", "missing_left", "left", "value", "count", "sets")


def make_rows(n=3000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    X[:, 3] = rng.integers(0, 9, n)
    z = X[:, 0] * 2 + np.sin(3 * X[:, 1]) + X[:, 3] % 3 + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    w = rng.uniform(0.1, 3, n)
    w[::7] = 0
    return X, z, w


X, Z, W = make_rows()
REGRESSION = HistGradientBoostingRegressor(max_iter=5, random_state=3)
CLASSES = HistGradientBoostingClassifier(max_iter=5, random_state=3)
STOPPING = {
    "max_iter": 40,
    "early_stopping": True,
    "learning_rate": 0.6,
    "n_iter_no_change": 3,
}
CASES = {
    "numbers": (REGRESSION, {}, Z),
    "median": (REGRESSION, {"loss": "absolute_error"}, Z),
    "quantile": (REGRESSION, {"loss": "quantile", "quantile": 0.7}, Z),
    "poisson": (REGRESSION, {"loss": "poisson"}, np.floor(np.abs(Z))),
    "gamma": (REGRESSION, {"loss": "gamma"}, np.abs(Z) + 0.1),
    "two classes": (CLASSES, {}, (Z > 1) * 1),
    "three classes": (CLASSES, {"max_iter": 3}, np.digitize(Z, [0, 2])),
    "text classes": (CLASSES, {"max_iter": 3}, np.where(Z > 1, "high", "low")),
    "balanced": (CLASSES, {"class_weight": "balanced"}, (Z > 2) * 1),
    "categories": (REGRESSION, {"categorical_features": [3]}, Z),
    "drawn columns": (REGRESSION, {"max_features": 0.5}, Z),
    "monotone": (REGRESSION, {"monotonic_cst": [1, 0, 0, 0, 0, -1]}, Z),
    "interactions": (
        REGRESSION,
        {"interaction_cst": [{0, 1}, {2, 3}], "max_leaf_nodes": 63, "max_depth": 5},
        Z,
    ),
    "stopping": (REGRESSION, STOPPING, Z),
    "stopping classes": (CLASSES, STOPPING, np.digitize(Z, [0, 2])),
    "stopping by the training rows": (
        REGRESSION,
        {**STOPPING, "validation_fraction": None, "tol": 0.1},
        Z,
    ),
    "a constant": (REGRESSION, {}, np.ones(len(Z))),
}


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


def cut(y, w=None, rows=700):
    """Return Dask collections."""
    given = (X, y) if w is None else (X, y, w)
    return [da.from_array(a, chunks=(rows, *a.shape[1:])) for a in given]


def fitted_apart(model, *rows, limit=SMALL, **more):
    with engine.use(memory_limit=limit):
        model = clone(model).fit(*rows, **more)
    assert model.report_.facts["route"] == "sums of the workers"
    return model


def assert_same(model, reference):
    for name in PARTS:
        ours, theirs = getattr(model.trees_, name), getattr(reference.trees_, name)
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
    np.testing.assert_array_equal(model.trees_.base, reference.trees_.base)
    np.testing.assert_array_equal(model.train_score_, reference.train_score_)
    np.testing.assert_array_equal(model.validation_score_, reference.validation_score_)
    assert model.report_.objective == reference.report_.objective
    assert model.report_.stop is reference.report_.stop


# -- the same bits ---------------------------------------------------------------------
@pytest.mark.parametrize("w", [None, W], ids=["alike", "weighted"])
@pytest.mark.parametrize("name", CASES)
def test_the_model_is_the_one_of_gathered_rows(client, name, w):
    model, options, y = CASES[name]
    model = clone(model).set_params(**options)
    with engine.use(threads=2):
        reference = clone(model).fit(X, y, w)
    assert_same(fitted_apart(model, *cut(y, w)), reference)


@pytest.mark.parametrize("rows", [(3000,), (1, 2998, 1), (400, 0, 2600)], ids=str)
def test_partitions_do_not_matter(client, rows):
    model = clone(REGRESSION).set_params(**STOPPING)
    reference = clone(model).fit(X, Z)
    given = da.from_array(X, chunks=(rows, 6)), da.from_array(Z, chunks=(rows,))
    assert_same(fitted_apart(model, *given), reference)


def test_many_rows_whose_counts_are_estimated(client):
    rng = np.random.default_rng(1)
    many = rng.normal(size=(20_000, 3))
    y = (rng.random(20_000) < 1 / (1 + np.exp(-8 * many[:, 0]))) * 1
    model = HistGradientBoostingClassifier(
        max_iter=12, learning_rate=0.6, min_samples_leaf=100, early_stopping=False
    )
    given = da.from_array(many, chunks=(9000, 3)), da.from_array(y, chunks=9000)
    assert_same(fitted_apart(model, *given, limit="300kB"), model.fit(many, y))


def test_files_are_read_by_the_workers(client, tmp_path):
    columns = {f"x{j}": X[:, j] for j in range(6)} | {"y": Z}
    for number, (a, b) in enumerate([(0, 700), (700, 701), (701, 3000)]):
        part = pa.table({name: column[a:b] for name, column in columns.items()})
        pa.parquet.write_table(part, tmp_path / f"{number}.parquet")
    source = engine.ParquetSource(tmp_path, target="y")
    model = clone(REGRESSION).set_params(**STOPPING)
    reference = clone(model).fit(X, Z)
    with engine.use(executor=client, chunk_rows=500):
        assert_same(fitted_apart(model, source), reference)


def test_a_data_frame_of_unknown_length_keeps_its_categories(client):
    import dask.dataframe as dd

    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["kind"] = pd.Categorical.from_codes((np.arange(3000) * 7) % 5, list("vwxyz"))
    frame["target"], frame["weight"] = Z + 0.5 * ((np.arange(3000) * 7) % 5), W
    lazy = dd.from_pandas(frame, npartitions=4)
    source = engine.DaskSource(lazy[lazy["a"] > -9], target="target", weight="weight")
    rest = frame[frame["a"] > -9]
    columns = rest[["a", "b", "c", "kind"]]
    reference = clone(REGRESSION).fit(columns, rest["target"], rest["weight"])
    assert_same(fitted_apart(REGRESSION, source), reference)


def test_a_warm_start_goes_on(client):
    model = clone(REGRESSION).set_params(warm_start=True, **STOPPING)
    reference, rows = clone(model), cut(Z)
    with engine.use(memory_limit=SMALL):
        for steps in (3, 7):
            reference.set_params(max_iter=steps)
            model.set_params(max_iter=steps).fit(*rows)
            with engine.use(memory_limit=None, executor="serial"):
                reference.fit(X, Z)
            assert_same(model, reference)


def test_own_rows_say_when_to_stop(client):
    model = clone(REGRESSION).set_params(**STOPPING)
    own = {"X_val": X[:500], "y_val": Z[:500]}
    reference = clone(model).fit(X, Z, **own)
    assert_same(fitted_apart(model, *cut(Z), **own), reference)


# -- what travels ----------------------------------------------------------------------
class Ledger:
    """The bytes of what each part sends to the client."""

    def __init__(self, monkeypatch):
        self.largest = 0
        asked = DaskExecutor._results

        def noted(executor, order, job, progress):
            results = asked(executor, order, job, progress)
            self.largest = max(self.largest, len(pickle.dumps(results)))
            return results

        monkeypatch.setattr(DaskExecutor, "_results", noted)


@pytest.mark.parametrize("name", ["numbers", "quantile", "stopping", "three classes"])
def test_nothing_that_grows_with_the_rows_comes_to_the_client(
    client, name, monkeypatch
):
    monkeypatch.setattr("corollary.trees.bins.SAMPLE", 200)
    model, options, _ = CASES[name]
    few = {"max_iter": 2, "max_bins": 8, "max_leaf_nodes": 5}
    options = {"early_stopping": False, **options, **few}
    model, found = clone(model).set_params(**options), []
    for copies in (2, 16):
        rows = np.tile(X, (copies, 1))
        y = np.tile(CASES[name][2], copies)
        size = 1500 * copies
        given = da.from_array(rows, chunks=(size, 6)), da.from_array(y, chunks=size)
        with monkeypatch.context() as patch:
            ledger = Ledger(patch)
            fitted_apart(model, *given)
        found.append(ledger.largest)
    assert found[1] < 1.2 * found[0]


def test_rows_are_read_a_few_times_whatever_the_trees(client):
    reads = []

    def read(block):
        reads.append(len(block))
        return block

    lazy = da.from_array(X, chunks=(1000, 6)).map_blocks(
        read, dtype=X.dtype, meta=np.empty((0, 6))
    )
    fitted_apart(REGRESSION, lazy, da.from_array(Z, chunks=1000))
    assert len(reads) <= 4 * 3


# -- what may be lost ------------------------------------------------------------------
@contextlib.contextmanager
def before_pass(number, deed):
    """Do something before a pass over what is kept."""
    ask, seen = KeptRows.ask, []

    def counted(rows, instruction):
        seen.append(instruction)
        if len(seen) == number:
            deed()
        return ask(rows, instruction)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeptRows, "ask", counted)
        yield seen


@pytest.mark.parametrize("name", ["quantile", "stopping", "three classes"])
@pytest.mark.parametrize("number", [2, 6, 11, 17])
def test_dropped_memories_change_no_bit(client, name, number):
    model, options, y = CASES[name]
    model = clone(model).set_params(**{**options, "max_iter": 3})
    reference = clone(model).fit(X, y, W)
    with before_pass(number, kept_memories.clear) as seen:
        assert_same(fitted_apart(model, *cut(y, W)), reference)
    assert len(seen) > number


def test_a_dead_worker_costs_only_time():
    from distributed import Client, LocalCluster

    model = clone(REGRESSION).set_params(**{**STOPPING, "max_iter": 4})
    reference = clone(model).fit(X, Z, W)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=folder,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=60)

        def kill():
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)

        with before_pass(14, kill) as seen:
            assert_same(fitted_apart(model, *cut(Z, W)), reference)
        assert len(seen) > 20


# -- where it ends ---------------------------------------------------------------------
def test_ctrl_c_keeps_the_trees_so_far(client):
    reference = clone(REGRESSION).set_params(max_iter=2).fit(X, Z)
    grow = ApartBoosting.grow

    def interrupted(rows, seeds):
        if len(rows.steps) == 2:
            raise KeyboardInterrupt
        return grow(rows, seeds)

    model = clone(REGRESSION)
    with pytest.MonkeyPatch.context() as patch, engine.use(memory_limit=SMALL):
        patch.setattr(ApartBoosting, "grow", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(*cut(Z))
    assert model.report_.stop is StopReason.INTERRUPTED
    for name in PARTS:
        expected = getattr(reference.trees_, name)
        np.testing.assert_array_equal(getattr(model.trees_, name), expected)


def test_rows_that_fit_in_memory_are_gathered(client):
    model = clone(REGRESSION).fit(*cut(Z))
    assert "route" not in model.report_.facts


def test_scores_of_scikit_learn_need_the_rows_here(client):
    model = clone(CLASSES).set_params(scoring="accuracy", early_stopping=True)
    with (
        engine.use(memory_limit=SMALL),
        pytest.raises(MemoryLimitError, match="must fit in memory_limit"),
    ):
        model.fit(*cut((Z > 1) * 1))


def test_targets_that_a_loss_cannot_take_are_named(client):
    model = clone(REGRESSION).set_params(loss="gamma")
    with (
        engine.use(memory_limit=SMALL),
        pytest.raises(DataError, match="loss='gamma' needs targets above 0"),
    ):
        model.fit(*cut(Z))
