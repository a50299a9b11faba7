"""The number of neighbours, against leaving every row out by hand."""

import numpy as np
import pytest

from corollary import (
    DataError,
    KNeighborsClassifier,
    KNeighborsRegressor,
    ParameterError,
)
from corollary.neighbors import choose_n_neighbors


def noisy(n=400, flip=0.25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    y = (X[:, 0] > 0) ^ (rng.random(n) < flip)
    return X, np.where(y, "right", "left")


@pytest.mark.course("S3-46")
def test_every_k_is_judged_by_rows_left_out():
    X, y = noisy(50)
    found = choose_n_neighbors(X, y, most=12)
    for k in (1, 2, 5, 12):
        errors = [
            KNeighborsClassifier(k)
            .fit(np.delete(X, i, 0), np.delete(y, i))
            .predict(X[[i]])[0]
            != y[i]
            for i in range(50)
        ]
        assert found.error[k - 1] == pytest.approx(np.mean(errors))
        se = np.std(errors, ddof=1) / np.sqrt(50)
        assert found.standard_error[k - 1] == pytest.approx(se)
    assert found.best == found.error.argmin() + 1


@pytest.mark.course("S3-46")
def test_too_few_follow_the_noise_and_too_many_blur_the_boundary():
    X, y = noisy()
    found = choose_n_neighbors(X, y, most=399)
    assert found.error[0] > found.error.min() + 0.08  # 1-NN: 2 * .25 * .75 = .375
    assert abs(found.error[0] - 0.375) < 0.06
    assert abs(found.error.min() - 0.25) < 0.05  # the least possible
    assert found.error[-1] > 0.4  # all rows: no boundary at all
    assert 5 < found.best < 200
    assert found.simplest >= found.best
    X = np.random.default_rng(1).uniform(size=(400, 2))
    board = np.floor(5 * X).sum(axis=1) % 2  # fields of 16 rows, without noise
    assert choose_n_neighbors(X, board).best < 5
    assert not found.at_end


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_numbers_and_weights(weights):
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 6, size=(60, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=60)
    model = KNeighborsRegressor(weights=weights)
    found = choose_n_neighbors(X, y, model=model, most=20)
    for k in (1, 7, 20):
        left = KNeighborsRegressor(k, weights=weights).fit(X, y).predict(None)
        assert found.error[k - 1] == pytest.approx(np.mean((left - y) ** 2))
    assert found.measure == "mean squared error"


def test_words_and_picture():
    pytest.importorskip("matplotlib").use("Agg")
    found = choose_n_neighbors(*noisy(80), most=2)
    text = str(found)
    assert "neighbours have the least share of errors" in text
    assert found.at_end == ("try more" in text)
    assert len(found.plot().lines) == 3


def test_errors():
    X, y = noisy(20)
    with pytest.raises(ParameterError, match="most must be a whole number"):
        choose_n_neighbors(X, y, most=20)
    with pytest.raises(ParameterError, match="KNeighborsClassifier or a"):
        choose_n_neighbors(X, y, model="tree")
    with pytest.raises(DataError, match="at least 3 rows"):
        choose_n_neighbors(X[:2], y[:2])
    with pytest.raises(DataError, match="one column"):
        choose_n_neighbors(X, np.column_stack([y, y]))
