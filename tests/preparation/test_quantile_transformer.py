"""Ranks of columns: exact knots on any source, and a rank error that holds."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.preprocessing import QuantileTransformer as Theirs

from corollary import QuantileTransformer, config_context
from corollary.core.errors import DataError, ParameterError
from corollary.engine import ChunkSource

RNG = np.random.default_rng(3)
NORMAL = RNG.normal(size=(500, 1))
X = np.hstack(
    [
        NORMAL,
        np.exp(3 * NORMAL),
        np.rint(2 * NORMAL),  # ties
        np.maximum(NORMAL, 0),  # half of the rows are 0
        np.full((500, 1), 4.0),
        RNG.standard_cauchy(size=(500, 1)),
    ]
)
GAPS = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
NEW = np.vstack([X[:100] * 1.01, X.min(axis=0) - 1, X.max(axis=0) + 1, X[:50]])
OUTPUTS = ["uniform", "normal"]


def both(**parameters):
    parameters = {"subsample": None, **parameters}
    return QuantileTransformer(**parameters), Theirs(**parameters)


@pytest.mark.parametrize(
    "rows", [X, GAPS, X.astype(np.float32)], ids=["X", "NaN", "32"]
)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("m", [1, 2, 7, 100, 500])
def test_as_scikit_learn(m, output, rows):
    ours, oracle = both(n_quantiles=m, output_distribution=output)
    ours.fit(rows), oracle.fit(rows)
    assert ours.n_quantiles_ == oracle.n_quantiles_ == m
    np.testing.assert_array_equal(ours.references_, oracle.references_)
    tolerance = 1e-6 if rows.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(ours.quantiles_, oracle.quantiles_, rtol=tolerance)
    if rows.dtype == np.float32 or (m == 1 and output == "normal"):
        return  # rows are as near to knots as rounding tells
    untied = [0, 1, 4, 5] if m == 500 else slice(None)  # their knots are rounded rows
    for new in (rows, NEW):
        Z = ours.transform(new)
        expected = oracle.transform(new)[:, untied]
        np.testing.assert_allclose(Z[:, untied], expected, rtol=1e-9, atol=1e-11)
        back = ours.inverse_transform(Z)
        np.testing.assert_allclose(back, oracle.inverse_transform(Z), rtol=1e-12)


@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_rows_as_scikit_learn(kind, output, ignore):
    S = sp.random_array((300, 6), density=0.3, rng=1, format="csc")
    S.data[:3] = np.nan
    S = sp.hstack([S, sp.csc_array((300, 1))], format="csc")
    S.data[4] = 0.0  # stored
    if ignore:
        S.data[7] = -1.0
    ours, oracle = both(
        n_quantiles=40, output_distribution=output, ignore_implicit_zeros=ignore
    )
    ours.fit(kind(S)), oracle.fit(S)
    np.testing.assert_allclose(ours.quantiles_, oracle.quantiles_, rtol=1e-13)
    Z = ours.transform(kind(S))
    assert Z.format == kind(S).format
    expected = oracle.transform(S.copy())
    np.testing.assert_allclose(Z.toarray(), expected.toarray(), rtol=1e-9, atol=1e-12)
    back = ours.inverse_transform(Z).toarray()
    other = oracle.inverse_transform(expected).toarray()
    np.testing.assert_allclose(back, other, rtol=1e-12)


def test_knots_at_ranks_are_the_rows_themselves():
    x = np.round(RNG.random(89) * 20) / 20  # 89 - 1 is a multiple of 12 - 1
    model = QuantileTransformer(n_quantiles=12).fit(x[:, None])
    assert model.quantiles_[:, 0].tolist() == np.sort(x)[::8].tolist()


@pytest.mark.parametrize("density", [0.1, 0.9])
def test_many_sparse_rows_have_the_quantiles_of_what_they_store(density):
    S = sp.random_array((30_000, 2), density=density, rng=2, format="csr")
    model = QuantileTransformer(n_quantiles=50, ignore_implicit_zeros=True).fit(S)
    stored = [S[:, [j]].tocsc().data for j in range(2)]
    expected = [np.quantile(x, model.references_) for x in stored]
    np.testing.assert_allclose(model.quantiles_, np.transpose(expected), rtol=1e-13)


def rank_gap(x, w, new, u):
    """Return how far u is from the ranks t with Q(t) = x, naively."""
    x = np.sort(np.repeat(x, w))
    n = len(x)
    gap = np.zeros(len(new))
    for i, value in enumerate(new):
        left, right = np.searchsorted(x, value), np.searchsorted(x, value, "right") - 1
        if left > right:  # between two rows, or outside of all
            a, b = max(left - 1, 0), min(left, n - 1)
            part = 0.0 if a == b else (value - x[a]) / (x[b] - x[a])
            left = right = a + part
        low, high = left / max(n - 1, 1), right / max(n - 1, 1)
        gap[i] = max(low - u[i], u[i] - high, 0.0)
    return gap


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_rank_error_is_never_below_the_truth_in_any_chunks(data):
    n, m = data.draw(st.integers(2, 120)), data.draw(st.integers(2, 60))
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    x = data.draw(st.sampled_from(["normal", "cauchy", "tied", "one"]))
    rows = {
        "normal": rng.normal(size=n),
        "cauchy": rng.standard_cauchy(size=n) ** 3,
        "tied": rng.integers(0, 5, n).astype(float),
        "one": np.r_[np.zeros(n - 1), 1.0],
    }[x]
    w = np.maximum(rng.integers(0, 4, n), np.arange(n) == 0)
    cuts = np.sort(rng.integers(0, n, data.draw(st.integers(0, 6))))
    parts = [p for p in np.split(np.arange(n), cuts) if len(p)]
    chunks = [(rows[p, None], None, w[p].astype(float)) for p in parts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer rows than quantiles
        model = QuantileTransformer(n_quantiles=m).fit(ChunkSource(chunks))
    new = np.r_[rows, rng.normal(size=5), (rows[1:] + rows[:-1]) / 2]
    gap = rank_gap(rows, w, new, model.transform(new[:, None])[:, 0])
    assert gap.max() <= model.rank_error_ + 1e-12
    assert model.report_.facts["rank_error"] == model.rank_error_
    assert model.rank_error_ == (0.0 if model.n_quantiles_ == w.sum() else 1 / (m - 1))


@pytest.mark.parametrize("chunk_rows", [997, 10**6])
@pytest.mark.course("S0-63")
def test_knots_of_many_rows_are_exact_in_any_chunks(chunk_rows):
    big = np.exp(RNG.normal(size=(30_000, 2)) * [1.0, 4.0])
    big[::7, 1] = 2.5
    with config_context(chunk_rows=chunk_rows):
        model = QuantileTransformer().fit(big)
    expected = np.quantile(big, model.references_, axis=0)
    np.testing.assert_allclose(model.quantiles_, expected, rtol=1e-13)
    assert model.report_.reads <= 8
    u = model.transform(big[:, [0, 0]])[:, 0]
    assert stats.kstest(u, "uniform").statistic <= model.rank_error_ + 1 / 30_000


def test_ranks_do_not_change_under_rising_maps_where_rows_are_knots():
    x = RNG.normal(size=(80, 1))
    plain = QuantileTransformer(n_quantiles=80).fit(x).transform(x)
    for bent in (np.exp(5 * x), x**3, 1e-9 * x, 1e9 * x):
        u = QuantileTransformer(n_quantiles=80).fit(bent).transform(bent)
        np.testing.assert_allclose(u, plain, atol=1e-12)
    np.testing.assert_allclose(np.sort(plain[:, 0]), np.arange(80) / 79, atol=1e-12)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_normal_ranks_do_not_care_for_units(factor):
    model = QuantileTransformer(n_quantiles=100, output_distribution="normal")
    a = model.fit_transform(X[:, :2])
    np.testing.assert_allclose(model.fit_transform(X[:, :2] * factor), a, atol=1e-8)
    inner = np.abs(a[:, 0]) < 5
    assert stats.shapiro(a[inner, 0]).pvalue > 0.1


def test_weights_are_repetition():
    w = RNG.integers(0, 4, len(X))
    ours = QuantileTransformer(n_quantiles=30).fit(GAPS, sample_weight=w)
    oracle = QuantileTransformer(n_quantiles=30).fit(np.repeat(GAPS, w, axis=0))
    np.testing.assert_allclose(ours.quantiles_, oracle.quantiles_, rtol=1e-12)
    few = QuantileTransformer(n_quantiles=3).fit(NORMAL[:2], sample_weight=[1, 2])
    assert few.n_quantiles_ == 3


def test_a_column_without_any_value():
    rows = np.c_[NORMAL, np.full(500, np.nan)]
    model = QuantileTransformer(n_quantiles=10).fit(rows)
    assert np.isnan(model.quantiles_[:, 1]).all()
    assert np.isnan(model.transform(np.ones((2, 2)))[:, 1]).all()
    assert not np.isnan(model.transform(rows)[:, 0]).any()


def test_names_and_frames():
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    model = QuantileTransformer(n_quantiles=9).set_output(transform="pandas").fit(frame)
    assert model.get_feature_names_out().tolist() == ["a", "b"]
    assert list(model.transform(frame).columns) == ["a", "b"]


def test_what_cannot_be_done_is_told():
    with pytest.raises(ParameterError, match="n_quantiles must be at most subsample"):
        QuantileTransformer(n_quantiles=20, subsample=10).fit(X)
    negative = sp.csr_array([[-1.0, 0.0], [1.0, 2.0]])
    with pytest.raises(DataError, match="non-negative"):
        QuantileTransformer(n_quantiles=2).fit(negative)
    model = QuantileTransformer(n_quantiles=2).fit(abs(negative))
    with pytest.raises(DataError, match="non-negative"):
        model.transform(negative)
    with pytest.warns(UserWarning, match="greater than the total number"):
        assert QuantileTransformer().fit(X).n_quantiles_ == 500
    with pytest.warns(UserWarning, match="ignore_implicit_zeros"):
        QuantileTransformer(n_quantiles=2, ignore_implicit_zeros=True).fit(X)
