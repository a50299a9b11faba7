"""Polynomial features: scikit-learn's columns, dense and sparse."""

from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures as Theirs

import corollary
from corollary import LinearRegression, PolynomialFeatures
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(0)


@given(
    d=st.integers(1, 5),
    low=st.integers(0, 3),
    more=st.integers(0, 2),
    interaction_only=st.booleans(),
    include_bias=st.booleans(),
    order=st.sampled_from("CF"),
)
@settings(max_examples=80, deadline=None)
def test_columns_are_scikit_learns(d, low, more, interaction_only, include_bias, order):
    options = {
        "degree": (low, low + more),
        "interaction_only": interaction_only,
        "include_bias": include_bias or low + more == 0,
        "order": order,
    }
    assume(include_bias or not interaction_only or low <= d)
    X = np.where(RNG.random((12, d)) < 0.4, 0.0, RNG.normal(size=(12, d)))
    theirs, ours = Theirs(**options).fit(X), PolynomialFeatures(**options).fit(X)
    H = theirs.transform(X)
    np.testing.assert_allclose(ours.transform(X), H, rtol=1e-13)
    np.testing.assert_array_equal(ours.powers_, theirs.powers_)
    assert ours.n_output_features_ == theirs.n_output_features_
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    S = ours.transform(sp.csr_array(X))
    assert sp.issparse(S)
    assert S.format == "csr"
    np.testing.assert_allclose(S.toarray(), H, rtol=1e-13)


def test_wide_sparse_rows_stay_sparse():
    X = sp.random_array((50, 20_000), density=2e-4, format="csr", rng=1)
    S = PolynomialFeatures(3, include_bias=False).fit_transform(X)
    n, d = X.shape
    assert S.shape == (n, d + d * (d + 1) // 2 + d * (d + 1) * (d + 2) // 6)
    sums = np.asarray(X.sum(axis=1)).ravel()
    cubes, squares = (X**3).sum(axis=1), (X**2).sum(axis=1)
    # sums over all monomials are Newton's identities in power sums
    total = (
        sums + (sums**2 + squares) / 2 + (sums**3 + 3 * sums * squares + 2 * cubes) / 6
    )
    np.testing.assert_allclose(S.sum(axis=1), total, rtol=1e-12)


@pytest.mark.course("S3-87")
def test_a_linear_model_on_powers_is_a_polynomial():
    x = np.linspace(-1, 2, 40)[:, None]
    y = 1 - 2 * x[:, 0] + 0.5 * x[:, 0] ** 3
    model = make_pipeline(PolynomialFeatures(3, include_bias=False), LinearRegression())
    model.fit(x, y)
    np.testing.assert_allclose(model[-1].coef_, [-2, 0, 0.5], atol=1e-12)
    np.testing.assert_allclose(model[-1].intercept_, 1, rtol=1e-12)
    # the powers are x^0, x^1, ...: the constant is there once, not twice
    powers = PolynomialFeatures(3).fit(x).powers_[:, 0]
    assert powers.tolist() == [0, 1, 2, 3]


def test_precision_frames_and_names():
    X = RNG.normal(size=(9, 2)).astype(np.float32)
    model = PolynomialFeatures().fit(X)
    assert model.transform(X).dtype == np.float32
    frame = model.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == ["1", "x0", "x1", "x0^2", "x0 x1", "x1^2"]


def test_it_fits_on_chunks_and_reports():
    model = PolynomialFeatures(2).fit(lambda: iter([np.ones((3, 4)), np.ones((2, 4))]))
    assert model.report_.rows == 5
    assert model.report_.facts["n_features_out"] == 15


def test_saved_and_loaded(tmp_path):
    model = PolynomialFeatures((1, 3)).fit(np.ones((2, 3)))
    corollary.save(model, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    X = RNG.normal(size=(4, 3))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"degree": -1}, "degree must be a whole number >= 0 or a pair"),
        ({"degree": (3, 1)}, "degree must be"),
        ({"degree": 0, "include_bias": False}, "no column left"),
        ({"order": "A"}, "order must be one of 'C', 'F'"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        PolynomialFeatures(**options).fit(np.ones((2, 2)))


def test_too_many_columns_get_a_sentence():
    with pytest.raises(ParameterError, match="below 2\\^63"):
        PolynomialFeatures(9).fit(sp.csr_array((2, 100_000)))
    with corollary.config_context(memory_limit="1MB"), pytest.raises(MemoryError):
        PolynomialFeatures(5).fit(np.ones((2, 30))).transform(np.ones((2, 30)))


def test_columns_of_a_sparse_matrix_stay_columns():
    X = sp.random_array((20, 4), density=0.4, rng=np.random.default_rng(0))
    model = PolynomialFeatures(2, include_bias=False).fit(X.tocsr())
    by_columns, by_rows = model.transform(X.tocsc()), model.transform(X.tocsr())
    assert (by_columns.format, by_rows.format) == ("csc", "csr")
    np.testing.assert_array_equal(by_columns.toarray(), by_rows.toarray())


def test_no_product_has_the_degree():
    model = PolynomialFeatures((2, 3), interaction_only=True, include_bias=False)
    for X in (np.ones((3, 1)), sp.csr_array(np.ones((3, 1)))):
        assert model.fit_transform(X).shape == (3, 0)
        assert "no column is left" in str(model.report_)


@pytest.mark.parametrize(("degree", "d"), [(2, 2**31 + 5), (3, 3 * 10**6), (4, 50_000)])
@pytest.mark.parametrize("interaction_only", [True, False])
def test_columns_are_counted_exactly_up_to_the_last(degree, d, interaction_only):
    last = np.arange(d - degree, d)
    X = sp.csr_array((np.full(degree, 2.0), (np.zeros(degree, int), last)), (1, d))
    model = PolynomialFeatures(degree, interaction_only=interaction_only)
    Z = model.fit_transform(X).tocoo()
    count = comb if interaction_only else lambda n, k: comb(n + k - 1, k)
    p = sum(count(d, k) for k in range(degree + 1))
    assert Z.shape == (1, p)
    assert Z.col.max() == p - 1
    assert Z.data[np.argmax(Z.col)] == 2.0**degree
    assert Z.nnz == sum(count(degree, k) for k in range(degree + 1))


def test_few_columns_have_small_indices():
    Z = PolynomialFeatures(2).fit_transform(sp.csr_array(np.eye(3)))
    assert Z.indices.dtype == Z.indptr.dtype == np.int32
