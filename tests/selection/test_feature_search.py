"""Forward and backward search: scikit-learn's sets, the stop by noise, the count."""

from itertools import combinations

import matplotlib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from corollary import LinearRegression, LogisticRegression, Ridge, StandardScaler
from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    backward_search,
    cross_validate,
    forward_search,
    nested_cross_validation,
)


def rows(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 3 * X[:, 1] - 2 * X[:, 4] + X[:, 5] + rng.normal(size=n)


@pytest.mark.course("S4-58")
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_sets_are_scikit_learns(direction, k):
    X, y = rows()
    search = forward_search if direction == "forward" else backward_search
    found = search(LinearRegression(), X, y, n_features=k, splitter=KFold(5))
    theirs = SequentialFeatureSelector(
        LinearRegression(), n_features_to_select=k, direction=direction,
        scoring="neg_mean_squared_error", cv=KFold(5),
    ).fit(X, y)  # fmt: skip
    assert found.chosen.tolist() == np.flatnonzero(theirs.get_support()).tolist()
    again = cross_validate(
        LinearRegression(), X[:, found.chosen], y, splitter=KFold(5)
    ).mean
    np.testing.assert_allclose(found.loss, again)
    np.testing.assert_allclose(found.steps[-1].loss, again)


@pytest.mark.course("S4-58")
def test_it_stops_where_the_gain_is_below_the_noise():
    X, y = rows(120)
    for search in (forward_search, backward_search):
        found = search(LinearRegression(), X, y)
        assert found.features == (1, 4, 5)
        assert [step.taken for step in found.steps] == [True] * 3 + [False]
        last = found.steps[-1]
        if search is forward_search:
            assert last.gain <= last.noise
        else:
            assert -last.gain > last.noise
        np.testing.assert_allclose(found.loss, found.steps[-2].loss)
    everything = forward_search(LinearRegression(), X, y, noise=0.0)
    assert len(everything.chosen) >= 3
    strict = forward_search(LinearRegression(), X, y, noise=1e9)
    assert strict.features == ()
    np.testing.assert_allclose(strict.model.predict(X), y.mean())


@pytest.mark.course("S4-58")
def test_d_squared_fits_and_not_2_to_the_d():
    X, y = rows(40, 7)
    full = forward_search(LinearRegression(), X, y, n_features=7, splitter=4)
    assert (full.sets, full.fits) == (28, 112)  # 7 (7 + 1)/2
    back = backward_search(LinearRegression(), X, y, n_features=1, splitter=4)
    assert back.sets == 1 + 7 + 6 + 5 + 4 + 3 + 2
    losses = {
        S: cross_validate(LinearRegression(), X[:, S], y, splitter=4).mean
        for r in range(1, 8)
        for S in combinations(range(7), r)
    }
    assert min(losses.values()) <= min(step.loss for step in full.steps) + 1e-12
    for step, k in zip(full.steps, range(1, 8), strict=True):
        assert step.loss >= min(v for S, v in losses.items() if len(S) == k) - 1e-12


@pytest.mark.course("S4-58")
def test_features_that_help_only_together_are_found_from_behind():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 2))
    X = np.column_stack([Z[:, 0] + 30 * Z[:, 1], Z[:, 1], rng.normal(size=(300, 4))])
    y = Z[:, 0] + 0.1 * rng.normal(size=300)  # x_0 - 30 x_1
    ahead = forward_search(LinearRegression(), X, y, noise=2.0)
    behind = backward_search(LinearRegression(), X, y, noise=2.0)
    assert behind.features == (0, 1)
    assert behind.loss < 0.02
    assert ahead.loss > 0.5


def test_classifiers_and_names_of_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    y = np.where(X[:, 2] + X[:, 3] + 0.3 * rng.normal(size=150) > 0, "up", "down")
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for made in (
        pd.DataFrame(X, columns=list("abcde")),
        pa.table(dict(zip("abcde", X.T, strict=True))),
    ):
        found = forward_search(model, made, y, n_features=2, loss="log")
        assert found.features == ("c", "d")
        assert found.steps[0].feature in ("c", "d")
        assert np.mean(found.model.predict(made) == y) > 0.85
        np.testing.assert_allclose(found.start, np.log(2), atol=0.02)
    sparse = forward_search(LogisticRegression(), sp.csr_matrix(X), y, n_features=2)
    assert sparse.features == (2, 3)


def test_weights_and_the_honest_error_of_a_search():
    X, y = rows(50)
    w = np.r_[np.zeros(10), np.ones(40)]
    some = forward_search(Ridge(), X, y, sample_weight=w, splitter=4)
    fewer = forward_search(Ridge(), X[10:], y[10:], splitter=4)
    assert some.features == fewer.features
    np.testing.assert_allclose(some.loss, fewer.loss)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 15)), rng.normal(size=40)  # nothing to find

    def search(Z, t):
        return forward_search(LinearRegression(), Z, t, n_features=4, splitter=4).model

    found = forward_search(LinearRegression(), X, y, n_features=4, splitter=4)
    honest = nested_cross_validation(search, X, y, splitter=4)
    assert found.loss < y.var() < honest.mean


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = rows(120)
    found = forward_search(LinearRegression(), X, y)
    lines = str(found).splitlines()
    assert lines[0] == "forward search, 18 of 2^6 sets"
    assert lines[2].startswith("  + 1: 1 features: ")
    assert lines[-2].endswith("not taken")
    assert lines[-1] == "chosen: 1, 4, 5"
    ax = found.plot()
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0, 1, 2, 3, 4])
    plt.close(ax.figure)


@pytest.mark.parametrize("search", [forward_search, backward_search])
@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"n_features": 0}, ParameterError, "1 to 2, or None; got 0"),
        ({"n_features": 3}, ParameterError, "1 to 2, or None; got 3"),
        ({"noise": -1}, ParameterError, "noise must be >= 0"),
        ({"X": list("abcdefghi")}, DataError, "a table of rows and columns; got 1"),
        ({"y": np.ones(2)}, DataError, "one target for each"),
        ({"model": Ridge}, ParameterError, "with fit and predict"),
    ],
)
def test_bad_input_gets_a_sentence(search, change, error, words):
    X = np.random.default_rng(0).normal(size=(9, 2))
    given = {"model": LinearRegression(), "X": X, "y": np.arange(9.0)}
    with pytest.raises(error, match=words):
        search(**(given | change))
