"""Robust scaling: exact quantiles of any source, and what outliers can do to it."""

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler as Theirs

from corollary import RobustScaler, StandardScaler, config_context
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(4)


@pytest.mark.course("S4-5")
def test_a_quarter_of_the_rows_may_lie_anywhere():
    X = RNG.normal(size=(1000, 1))
    spoiled = X.copy()
    spoiled[:240] = 1e12
    plain, robust = RobustScaler().fit(X), RobustScaler().fit(spoiled)
    assert abs(robust.center_ - plain.center_) < 1.0
    assert 0.2 < robust.scale_ / plain.scale_ < 5.0
    assert StandardScaler().fit(spoiled).scale_ > 1e11


@pytest.mark.course("S0-63")
@pytest.mark.parametrize("chunk_rows", [100, 7777, 10**6])
def test_quantiles_are_exact_in_any_chunks(chunk_rows):
    X = np.exp(RNG.normal(size=(20_000, 2)) * [1.0, 5.0])
    X[RNG.random(X.shape) < 0.1] = np.nan
    with config_context(chunk_rows=chunk_rows):
        ours = RobustScaler(quantile_range=(5, 90)).fit(X)
    oracle = Theirs(quantile_range=(5, 90)).fit(X)
    np.testing.assert_allclose(ours.center_, oracle.center_, rtol=1e-15)
    np.testing.assert_allclose(ours.scale_, oracle.scale_, rtol=1e-13)
    assert ours.report_.reads <= 5


def test_normal_columns_have_variance_1_if_asked():
    X = 3.0 + 7.0 * RNG.normal(size=(200_000, 1))
    Z = RobustScaler(unit_variance=True).fit_transform(X)
    assert Z.var() == pytest.approx(1.0, rel=0.02)


def test_equal_quantiles_have_scale_1():
    x = np.r_[np.zeros(80), RNG.normal(size=20)][:, None]
    model = RobustScaler().fit(x)
    assert model.scale_.tolist() == [1.0]
    assert "columns [0]" in model.report_.warnings[0]


@pytest.mark.parametrize("wrong", [(75, 25), (-1, 50), (0, 101), [25, 75], (1, 2, 3)])
def test_a_range_that_is_none_is_refused(wrong):
    with pytest.raises(ParameterError, match="quantile_range"):
        RobustScaler(quantile_range=wrong).fit(np.eye(3))


def test_a_normal_range_without_end_is_refused():
    with pytest.raises(ParameterError, match="unit_variance"):
        RobustScaler(quantile_range=(0, 75), unit_variance=True).fit(np.eye(3))
