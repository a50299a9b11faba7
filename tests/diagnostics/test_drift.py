"""Drift between two sets of rows: false alarms are rare, changes are found."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp
from threadpoolctl import threadpool_limits

from corollary.core.errors import DataError
from corollary.diagnostics import drift


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices are faster without threads, above all on a busy machine."""
    with threadpool_limits(1, "blas"):
        yield


def mixed(rng, n, moved=0.0):
    towns = rng.choice(["Rome", "Oslo", "Bonn"], size=n, p=[0.6, 0.3, 0.1])
    age = rng.normal(40 + 10 * moved, 10, size=n)
    age[rng.uniform(size=n) < 0.1] = np.nan
    return {"town": towns.tolist(), "age": age, "count": rng.poisson(2, size=n)}


def alarms(draws, seed):
    rng = np.random.default_rng(seed)
    found = 0
    for k in range(draws):
        n, m, d = rng.integers(40, 200, size=3) // (1, 1, 20)
        X = rng.normal(size=(n + m, d)) @ rng.normal(size=(d, d))
        if k % 2:
            X = X.round()
            X[rng.uniform(size=X.shape) < 0.05] = np.nan
        found += drift(X[:n], X[n:], delta=0.1, random_state=k).shifted
    return found / draws


def test_sets_that_are_alike_are_seldom_called_different():
    assert alarms(12, 0) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 12)


@pytest.mark.slow
def test_false_alarms_are_at_most_delta():
    assert alarms(400, 1) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 400)


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_column_that_moved_is_named(made):
    rng = np.random.default_rng(2)
    found = drift(made(mixed(rng, 300)), made(mixed(rng, 300, moved=1.0)))
    assert found.shifted
    assert {one.column for one in found.drifted} == {"age"}
    assert found.auc.value > 0.65
    assert str(found).startswith("The two sets of rows differ in age (mean 39.2")


def test_numbers_are_those_of_kolmogorov_and_smirnov():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(80, 1)), rng.normal(0.5, 1, size=(90, 1))
    one = drift(a, b).columns[0]
    oracle = ks_2samp(a[:, 0], b[:, 0])
    assert one.effect == pytest.approx(oracle.statistic)
    assert one.p_value == pytest.approx(oracle.pvalue)


def test_joint_changes_are_seen_by_the_classifier_alone():
    rng = np.random.default_rng(4)
    a = rng.normal(size=(600, 2))
    b = rng.normal(size=(600, 1)) @ np.ones((1, 2)) * np.sqrt([1.0, 1.0])
    b += 1e-3 * rng.normal(size=b.shape)
    found = drift(a, b)
    assert not found.drifted
    assert found.apart
    assert "not together" in found.sentence


def test_missing_values_and_new_categories():
    rng = np.random.default_rng(5)
    first, second = mixed(rng, 400), mixed(rng, 400)
    second["age"][:200] = np.nan
    second["town"][:40] = ["Nice"] * 40
    found = drift(pd.DataFrame(first), pd.DataFrame(second))
    assert ("town", 40) in found.new_categories
    kinds = {(one.column, one.test) for one in found.drifted}
    assert ("age", "missing") in kinds
    assert ("town", "chi^2") in kinds
    assert "category that is new" in str(found)


def test_holms_steps_raise_the_p_values():
    rng = np.random.default_rng(6)
    found = drift(rng.normal(size=(60, 5)), rng.normal(size=(70, 5)))
    p = np.array([one.p_value for one in found.columns])
    adjusted = np.array([one.adjusted for one in found.columns])
    assert (np.diff(p) >= 0).all()
    expected = np.maximum.accumulate(np.minimum(1, p * np.arange(5, 0, -1)))
    np.testing.assert_allclose(adjusted, expected)


def test_bad_input():
    X = np.zeros((5, 2))
    with pytest.raises(DataError, match="same columns"):
        drift(X, X[:, :1])
    with pytest.raises(DataError, match="2 rows or more"):
        drift(X, X[:1])
    with pytest.raises(DataError, match="delta"):
        drift(X, X, delta=2)
    with pytest.raises(DataError, match="in one only"):
        drift(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}))
    same = drift(X, X)
    assert not same.shifted
    assert "alike" in str(same)
    assert same.plot() is not None
