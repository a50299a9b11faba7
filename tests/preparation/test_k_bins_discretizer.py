"""Intervals of columns: scikit-learn's edges, from any source, weighted."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import KBinsDiscretizer as Theirs

import corollary
from corollary import (
    KBinsDiscretizer,
    KMeans,
    LinearRegression,
    config_context,
    engine,
)
from corollary.core.errors import DataError, ParameterError
from corollary.engine.quantile_rules import METHODS

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=400), RNG.random(400) ** 3, RNG.random(400)])
NEW = 2.0 * RNG.normal(size=(50, 3))
STRATEGIES = ["uniform", "quantile", "kmeans"]


def assert_same_edges(a, b, rtol=1e-12):
    for own, other in zip(a.bin_edges_, b.bin_edges_, strict=True):
        np.testing.assert_allclose(own, other, rtol=rtol, atol=1e-14)


@pytest.mark.course("S3-87")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("encode", ["ordinal", "onehot", "onehot-dense"])
@pytest.mark.parametrize("n_bins", [4, [2, 3, 30]])
def test_intervals_are_scikit_learns(strategy, encode, n_bins):
    if strategy == "kmeans" and n_bins != 4:
        n_bins = [2, 3, 6]  # no centre loses all its values
    options = {"n_bins": n_bins, "strategy": strategy, "encode": encode}
    ours, theirs = KBinsDiscretizer(**options).fit(X), Theirs(**options).fit(X)
    assert_same_edges(ours, theirs, rtol=1e-9 if strategy == "kmeans" else 1e-12)
    Z, want = ours.transform(NEW), theirs.transform(NEW)
    assert sp.issparse(Z) == (encode == "onehot")
    plain = [A.toarray() if sp.issparse(A) else A for A in (Z, want)]
    np.testing.assert_array_equal(*plain)
    names = ours.get_feature_names_out(["a", "b", "c"]).tolist()
    assert names == theirs.get_feature_names_out(["a", "b", "c"]).tolist()
    back, want = ours.inverse_transform(Z), theirs.inverse_transform(want)
    np.testing.assert_allclose(back, want, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_every_rule_of_quantiles_with_weights_as_repetition(method):
    ours = KBinsDiscretizer(8, quantile_method=method)  # eighths are not rounded
    assert_same_edges(ours.fit(X), Theirs(8, quantile_method=method).fit(X))
    times = RNG.integers(0, 3, size=400)
    ours.fit(X, sample_weight=times)
    rows = np.repeat(X, times, axis=0)
    assert_same_edges(ours, Theirs(8, quantile_method=method).fit(rows))


def test_thirds_of_three_values_lie_between_them():
    x = np.array([[1.0], [2.0], [4.0]])  # 3 k/3 is whole, whatever rounding makes of it
    assert KBinsDiscretizer(3).fit(x).bin_edges_[0].tolist() == [1.0, 1.5, 3.0, 4.0]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("chunk_rows", [17, 200])
def test_chunks_and_weights_count_as_rows_do(strategy, chunk_rows):
    times = RNG.integers(0, 3, size=400)
    model = KBinsDiscretizer(5, strategy=strategy)
    whole = KBinsDiscretizer(5, strategy=strategy).fit(np.repeat(X, times, axis=0))
    with config_context(chunk_rows=chunk_rows):
        assert_same_edges(model.fit(X, sample_weight=times), whole)
        source = engine.ChunkSource(
            [(X[a : a + 90], None, times[a : a + 90]) for a in range(0, 400, 90)]
        )
        assert_same_edges(model.fit(source), whole)


def test_the_centres_are_those_of_k_means():
    x = np.r_[RNG.normal(size=200), 8 + RNG.normal(size=100), [30.0]][:, None]
    model = KBinsDiscretizer(4, strategy="kmeans").fit(x)
    grid = np.linspace(x.min(), x.max(), 5)
    start = ((grid[1:] + grid[:-1]) / 2)[:, None]
    mu = np.sort(KMeans(4, init=start).fit(x).cluster_centers_[:, 0])
    np.testing.assert_allclose(model.bin_edges_[0][1:-1], (mu[1:] + mu[:-1]) / 2)


@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_bins_hold_equal_shares_beside_a_large_mean(shift):
    rows = shift + RNG.normal(size=(10_000, 1))
    Z = KBinsDiscretizer(8).fit_transform(rows)
    assert np.asarray(Z.sum(axis=0)).ravel().tolist() == [1250.0] * 8


@pytest.mark.course("S3-87")
def test_a_linear_model_of_bins_is_a_step_function():
    x = np.sort(RNG.random(500))[:, None]
    y = np.sin(6 * x[:, 0])
    H = KBinsDiscretizer(10, encode="onehot-dense").fit(x)
    model = LinearRegression(fit_intercept=False).fit(H.transform(x), y)
    numbers = H.transform(x).argmax(axis=1)
    means = [y[numbers == k].mean() for k in range(10)]
    np.testing.assert_allclose(model.coef_, means, rtol=1e-10)


# -- special columns -------------------------------------------------------------------
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_constant_column_is_0(strategy):
    rows = np.column_stack([np.full(20, 3.0), np.arange(20.0)])
    model = KBinsDiscretizer(4, strategy=strategy, encode="ordinal")
    with pytest.warns(UserWarning, match="Feature 0 is constant"):
        model.fit(rows)
    assert (model.transform(rows)[:, 0] == 0).all()
    assert model.n_bins_.tolist() == [1, 4]
    assert np.isnan(model.inverse_transform(model.transform(rows))[:, 0]).all()


def test_intervals_without_width_are_dropped_in_any_unit():
    rows = np.r_[np.zeros(50), 1 + np.arange(50.0)][:, None]
    for unit in (1.0, 1e-12):
        with pytest.warns(UserWarning, match="too small are removed"):
            model = KBinsDiscretizer(10).fit(unit * rows)
        assert model.n_bins_.tolist() == [6]


def test_values_beyond_the_edges_are_in_the_outer_intervals():
    model = KBinsDiscretizer(3, strategy="uniform", encode="ordinal").fit(X)
    Z = model.transform(np.array([[-1e9] * 3, [1e9] * 3]))
    assert Z.tolist() == [[0.0] * 3, [2.0] * 3]


@pytest.mark.parametrize("dtype", [None, np.float32, np.float64])
@pytest.mark.parametrize("encode", ["ordinal", "onehot", "onehot-dense"])
def test_types_and_frames(dtype, encode):
    frame = pd.DataFrame(X.astype(np.float32), columns=list("abc"))
    model = KBinsDiscretizer(3, dtype=dtype, encode=encode).fit(frame)
    assert model.transform(frame).dtype == (dtype or np.float32)
    if encode != "onehot":
        made = model.set_output(transform="pandas").transform(frame)
        assert list(made.columns) == model.get_feature_names_out().tolist()


def test_many_rows_are_numbered_block_by_block():
    rows = RNG.normal(size=(30_000, 3))
    for n_bins in (5, 40):
        model = KBinsDiscretizer(n_bins, encode="ordinal").fit(rows)
        want = [
            np.searchsorted(e[1:-1], x, side="right")
            for e, x in zip(model.bin_edges_, rows.T, strict=True)
        ]
        np.testing.assert_array_equal(model.transform(rows), np.transpose(want))


# -- refusals --------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [1, [2, 2], [2, 2, 1], [2, 2.5, 3], [[2, 2, 2]], "x"])
def test_numbers_of_bins_that_are_none_are_refused(wrong):
    with pytest.raises(ParameterError, match="n_bins"):
        KBinsDiscretizer(wrong).fit(X)


def test_rows_that_transform_did_not_make_are_refused():
    model = KBinsDiscretizer(3, encode="ordinal").fit(X)
    with pytest.raises(DataError, match="3 columns of transform"):
        model.inverse_transform(np.zeros((2, 4)))
    with pytest.raises(DataError, match="numbers of its 3 intervals"):
        model.inverse_transform(np.full((2, 3), 7.0))
    with pytest.raises(DataError, match="NaN"):
        model.transform(np.full((2, 3), np.nan))


def test_a_saved_model_answers_the_same(tmp_path):
    model = KBinsDiscretizer(4).fit(X)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(
        again.transform(NEW).toarray(), model.transform(NEW).toarray()
    )
