"""Power transforms: exponents at the maximum of the likelihood, on any values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq
from sklearn.preprocessing import PowerTransformer as Theirs

from corollary import PowerTransformer, config_context
from corollary.core.errors import DataError

RNG = np.random.default_rng(7)
NORMAL = RNG.normal(size=(400, 1))
POSITIVE = np.hstack(
    [
        np.exp(NORMAL),
        RNG.gamma(2.0, size=(400, 1)),
        (5 + NORMAL) ** 2,
        np.exp(3 * NORMAL - 8),
        1e6 + 1e3 * RNG.gamma(2.0, size=(400, 1)),
    ]
)
SIGNED = np.hstack(
    [
        NORMAL,
        POSITIVE[:, :2] - 1,
        -POSITIVE[:, [1]],
        np.sinh(2 * NORMAL + 1),
        np.rint(3 * NORMAL),
    ]
)
METHODS = [("box-cox", POSITIVE), ("yeo-johnson", SIGNED)]


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize(("method", "X"), METHODS)
def test_as_scikit_learn(method, X, standardize):
    X = X[:, :4] if method == "box-cox" else X
    ours = PowerTransformer(method, standardize=standardize).fit(X)
    oracle = Theirs(method, standardize=standardize).fit(X)
    np.testing.assert_allclose(ours.lambdas_, oracle.lambdas_, atol=1e-6)
    Z = ours.transform(X)
    size = 1 + np.abs(Z).max(axis=0)
    np.testing.assert_allclose(Z / size, oracle.transform(X) / size, atol=1e-5)
    np.testing.assert_allclose(ours.inverse_transform(Z), X, rtol=1e-9, atol=1e-12)
    if standardize:
        np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(Z.std(axis=0), 1, atol=1e-12)


def test_the_derivative_of_the_likelihood_is_0_at_the_exponent():
    ours = PowerTransformer("box-cox", standardize=False).fit(POSITIVE)
    for x, lam in zip(POSITIVE.T, ours.lambdas_, strict=True):
        s = np.log(x.astype(np.longdouble))
        c = s - s.mean()

        def slope(k, c=c):
            k = np.longdouble(k)
            v, grown = np.expm1(k * c) / k, np.exp(k * c)
            dv = (c * grown - v) / k
            v, dv = v - v.mean(), dv - dv.mean()
            return float((v * dv).mean() / (v * v).mean())

        root = brentq(slope, lam - 0.01, lam + 0.0101, xtol=1e-14)
        assert lam == pytest.approx(root, abs=1e-8)
        assert stats.boxcox_llf(lam, x) >= stats.boxcox_llf(lam + 1e-3, x)


def test_large_values_that_hardly_vary_lose_no_digits():
    x = POSITIVE[:, [4]]
    ours = PowerTransformer("box-cox").fit(x)
    c = np.log(x) - np.log(x).mean()
    v = np.expm1(ours.lambdas_ * c) / ours.lambdas_
    np.testing.assert_allclose(
        ours.transform(x), (v - v.mean()) / v.std(), rtol=1e-6, atol=1e-9
    )
    assert abs(stats.skew(ours.transform(x)[:, 0])) < 0.2 < abs(stats.skew(x[:, 0]))


@pytest.mark.parametrize("factor", [1e-140, 1e-3, 1e140])
def test_box_cox_does_not_care_for_units(factor):
    x = POSITIVE[:, :2]
    plain, scaled = (PowerTransformer("box-cox").fit(z) for z in (x, x * factor))
    np.testing.assert_allclose(scaled.lambdas_, plain.lambdas_, atol=1e-8)
    Z = scaled.transform(x * factor)
    np.testing.assert_allclose(Z, plain.transform(x), atol=1e-6)


@pytest.mark.parametrize(("method", "X"), METHODS)
def test_yeo_johnson_of_mirrored_values_mirrors_the_exponent(method, X):
    ours = PowerTransformer().fit(X)
    other = PowerTransformer().fit(-X)
    np.testing.assert_allclose(other.lambdas_, 2 - ours.lambdas_, atol=1e-7)
    np.testing.assert_allclose(other.transform(-X), -ours.transform(X), atol=1e-6)


@pytest.mark.parametrize(("method", "X"), METHODS)
def test_missing_values_count_nowhere_and_stay(method, X):
    X = X[:, :3].copy()
    gone = RNG.random(X.shape) < 0.2
    X[gone] = np.nan
    ours, oracle = PowerTransformer(method).fit(X), Theirs(method).fit(X)
    np.testing.assert_allclose(ours.lambdas_, oracle.lambdas_, atol=1e-6)
    Z = ours.transform(X)
    np.testing.assert_array_equal(np.isnan(Z), gone)
    np.testing.assert_allclose(Z, oracle.transform(X), atol=1e-6)
    for j in range(3):
        alone = PowerTransformer(method).fit(X[~gone[:, j], j : j + 1])
        np.testing.assert_allclose(alone.lambdas_, ours.lambdas_[j], atol=1e-8)


@pytest.mark.parametrize(("method", "X"), METHODS)
@pytest.mark.parametrize("chunk_rows", [1, 17, 10**6])
def test_weights_are_repetition_in_any_chunks(method, X, chunk_rows):
    w = RNG.integers(0, 4, len(X))
    with config_context(chunk_rows=chunk_rows):
        ours = PowerTransformer(method).fit(X[:, :2], sample_weight=w)
    oracle = PowerTransformer(method).fit(np.repeat(X[:, :2], w, axis=0))
    np.testing.assert_allclose(ours.lambdas_, oracle.lambdas_, atol=1e-8)
    np.testing.assert_allclose(ours.mean_, oracle.mean_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.scale_, oracle.scale_, rtol=1e-7)


@pytest.mark.parametrize("value", [0.0, 1.0, 7.5])
def test_a_constant_column_becomes_0(value):
    X = np.full((10, 1), value)
    model = PowerTransformer().fit(X)
    assert model.lambdas_.tolist() == [1.0]
    assert model.transform(X).tolist() == [[0.0]] * 10
    np.testing.assert_allclose(model.inverse_transform(np.zeros((1, 1))), value)


def test_values_that_are_not_positive_and_empty_columns_are_refused_by_box_cox():
    model = PowerTransformer("box-cox")
    with pytest.raises(DataError, match="strictly positive"):
        model.fit([[0.0], [1.0]])
    with pytest.raises(DataError, match="all nan"):
        model.fit([[np.nan, 1.0], [np.nan, 2.0]])
    model.fit([[1.0], [2.0], [4.0]])
    with pytest.raises(DataError, match="strictly positive"):
        model.transform([[-1.0]])
    assert model.fit([[-1.0], [2.0], [4.0]], sample_weight=[0, 1, 1]).lambdas_[0] < 9


def test_what_no_value_is_bent_to_comes_back_as_nan():
    model = PowerTransformer("box-cox", standardize=False).fit(POSITIVE[:, [0]])
    model.lambdas_ = np.array([2.0])
    with pytest.warns(UserWarning, match="come from no value"):
        assert np.isnan(model.inverse_transform([[-1.0]])).all()


def test_names_and_frames():
    frame = pd.DataFrame(POSITIVE[:, :2], columns=["a", "b"])
    model = PowerTransformer().set_output(transform="pandas").fit(frame)
    assert model.get_feature_names_out().tolist() == ["a", "b"]
    assert list(model.transform(frame).columns) == ["a", "b"]


@pytest.mark.course("S3-112")
def test_the_report_names_the_columns_that_log_root_or_nothing_suits():
    z = np.random.default_rng(1).normal(size=(500, 1))
    X = np.hstack([np.exp(z), (6 + z) ** 2, 6 + z])
    facts = PowerTransformer("box-cox").fit(X).report_.facts
    assert facts["log_columns"] == [0]
    assert facts["sqrt_columns"] == [1]
    assert facts["plain_columns"] == [2]
    for name, j, lam in (("log", 0, 0.0), ("sqrt", 1, 0.5), ("plain", 2, 1.0)):
        best = stats.boxcox_llf(stats.boxcox(X[:, j])[1], X[:, j])
        assert best - stats.boxcox_llf(lam, X[:, j]) < stats.chi2.ppf(0.95, 1) / 2, name
