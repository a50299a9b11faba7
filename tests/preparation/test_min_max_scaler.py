"""Scaling to a range: exact ends, digits, refusals."""

import numpy as np
import pytest

from corollary import MinMaxScaler
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(2)


@pytest.mark.course("S4-5")
@pytest.mark.parametrize("feature_range", [(0, 1), (-1, 1), (2.5, 7.0)])
def test_the_training_rows_fill_the_range(feature_range):
    X = RNG.normal(size=(300, 5)) * 10.0 ** RNG.integers(-8, 9, size=5)
    Z = MinMaxScaler(feature_range).fit_transform(X)
    np.testing.assert_allclose(Z.min(axis=0), feature_range[0], atol=1e-15)
    np.testing.assert_allclose(Z.max(axis=0), feature_range[1], rtol=1e-15)


def test_a_small_range_beside_large_values_keeps_its_digits():
    u = RNG.random(100)
    u[:2] = 0.0, 1.0
    x = 1e8 + u  # u is known to 1e-8 from x, no worse
    Z = MinMaxScaler().fit_transform(x[:, None])[:, 0]
    np.testing.assert_allclose(Z, x - 1e8, atol=1e-15)


def test_weights_matter_only_where_they_are_0():
    X = np.array([[-100.0], [0.0], [1.0], [2.0]])
    model = MinMaxScaler().fit(X, sample_weight=[0, 1, 0.1, 3])
    assert (model.data_min_[0], model.data_max_[0]) == (0.0, 2.0)
    assert model.n_samples_seen_ == pytest.approx(4.1)
    assert type(MinMaxScaler().fit(X).n_samples_seen_) is int


@pytest.mark.parametrize("wrong", [(1, 0), (2, 2), [0, 1], (0, 1, 2), (0, np.inf)])
def test_a_range_that_is_none_is_refused(wrong):
    with pytest.raises(ParameterError, match="feature_range"):
        MinMaxScaler(wrong).fit(np.eye(2))


def test_constant_columns_go_to_the_lower_end():
    Z = MinMaxScaler((3, 4)).fit_transform(np.full((5, 1), 1e9))
    assert (Z == 3.0).all()
