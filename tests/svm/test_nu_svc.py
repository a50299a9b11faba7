"""Classification with a share of margin errors."""

import numpy as np
import pytest
from common.machines import assert_scikit_learns, data
from sklearn.datasets import load_iris

from corollary import SVC, NuSVC
from corollary.core.errors import DataError, ParameterError


@pytest.mark.course("S0-26")
def test_nu_is_a_share_of_rows_and_stands_for_a_price():
    X, y, _ = data(8)
    margin = NuSVC(nu=0.4, tol=1e-9).fit(X, y)
    price = SVC(C=margin.C_, tol=1e-9).fit(X, y)
    g = price.decision_function(X)
    np.testing.assert_allclose(margin.decision_function(X), g, atol=1e-5)
    bound = np.abs(margin.dual_coef_[0]) >= margin.C_ * (1 - 1e-9)
    assert bound.sum() / len(y) <= 0.4 <= len(margin.support_) / len(y)
    m = y[margin.support_] * margin.decision_function(margin.support_vectors_)
    np.testing.assert_allclose(m[~bound], 1, atol=1e-9)
    with pytest.raises(
        ParameterError, match=r"NuSVC: specified nu is infeasible.*0\.9"
    ):
        NuSVC(nu=0.9).fit(X[y == 1][:50].repeat(2, 0), np.arange(100) < 20)


def test_hulls_that_touch_are_refused_at_once():
    X, y, _ = data(17, 40)  # a product tells the classes apart, and no line does
    with pytest.raises(DataError, match="NuSVC: nu must be so large that the reduced"):
        NuSVC(nu=0.5, kernel="linear").fit(X, y)


@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_scikit_learns(sparse):
    # LIBSVM's margins are 1 only to 4e-6 there
    assert_scikit_learns("NuSVC", {"nu": 0.4}, sparse, close=1e-5)


def test_hulls_that_meet_are_told_at_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.arange(400) % 2
    for shift in (0.0, 1e3):  # a distance is the same from any origin
        with pytest.raises(DataError, match="hulls of two classes are apart"):
            NuSVC(nu=0.3, kernel="linear", cache_size=1).fit(X + shift, y)
    apart = NuSVC(nu=0.3, kernel="linear", tol=1e-6).fit(X + 1e3 + 5 * y[:, None], y)
    assert apart.score(X + 1e3 + 5 * y[:, None], y) == 1.0


def test_kernel_rows_of_the_start_are_computed_once():
    X, y = load_iris(return_X_y=True)
    model = NuSVC(nu=0.5).fit(X, y)  # 3 pairs of 100 rows
    assert model.report_.facts["n_kernel_rows"] == 300
