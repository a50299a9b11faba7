import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.workbench.splits import lock_test, make_folds


def locked(y, **given):
    given = {"task": "classification", "share": 0.2, "seed": 0} | given
    return lock_test(np.asarray(y), **given)


def test_each_class_has_the_same_share_among_locked_rows(rng):
    y = (rng.random(1000) < 0.1).astype(int)
    split = locked(y)
    assert split.kind == "stratified"
    assert np.intersect1d(split.train, split.test).size == 0
    assert len(split.train) + len(split.test) == 1000
    assert abs(y[split.test].mean() - y.mean()) < 0.006
    assert abs(len(split.test) - 200) <= 2


def test_a_class_of_two_rows_keeps_one_to_learn_from():
    y = np.r_[np.zeros(98, int), [1, 1]]
    for seed in range(20):
        assert (y[locked(y, seed=seed, share=0.5).train] == 1).sum() >= 1


@pytest.mark.course("S4-57")
def test_all_rows_of_a_group_are_on_one_side(rng):
    group = rng.integers(30, size=300)
    y = rng.normal(size=300)
    split = locked(y, task="regression", group=group, column="patient")
    assert not set(group[split.train]) & set(group[split.test])
    train = group[split.train]
    folds = make_folds(
        y[split.train], task="regression", kind="group", seed=0, structure=train
    )
    for fit, held in folds:
        assert not set(train[fit]) & set(train[held])


def test_the_latest_rows_are_locked_and_folds_are_blocks_of_time(rng):
    time = rng.permutation(500)
    y = rng.normal(size=500)
    split = locked(y, task="regression", time=time, column="day")
    assert time[split.test].min() > time[split.train].max()
    train = time[split.train]
    folds = make_folds(
        y[split.train], task="regression", kind="time", seed=0, structure=train
    )
    for _, held in folds:
        assert np.ptp(train[held]) == len(held) - 1


@pytest.mark.parametrize("n", [60, 399, 400, 2000])
def test_folds_answer_every_row_once(n, rng):
    y = rng.integers(3, size=n)
    folds = make_folds(y, task="classification", kind="stratified", seed=0)
    assert len(folds) == (5 if n < 400 else 8)
    held = np.concatenate([rows for _, rows in folds])
    np.testing.assert_array_equal(np.sort(held), np.arange(n))
    for fit, rows in folds:
        assert np.intersect1d(fit, rows).size == 0
        np.testing.assert_allclose(
            np.bincount(y[rows], minlength=3) / len(rows),
            np.bincount(y, minlength=3) / n,
            atol=2 / len(rows),
        )


def test_other_seeds_lock_other_rows(rng):
    y = rng.integers(2, size=200)
    assert list(locked(y).test) == list(locked(y).test)
    assert list(locked(y).test) != list(locked(y, seed=1).test)


def test_too_few_rows_and_groups_are_refused():
    with pytest.raises(DataError, match="at least 20 rows"):
        locked([0, 1] * 5)
    with pytest.raises(DataError, match="at least 3 groups"):
        locked([0, 1] * 50, group=np.r_[[0] * 50, [1] * 50], column="site")
    with pytest.raises(DataError, match="must tell early rows from late ones"):
        locked([0, 1] * 50, time=np.zeros(100), column="day")
