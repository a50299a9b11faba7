"""Support vector regression: both duals, the tube, and scikit-learn's answer."""

import numpy as np
import pytest
from common.machines import assert_a_weight_is_a_repetition, assert_scikit_learns, data
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from corollary import SVR
from corollary.core.errors import DataError, ParameterError


@pytest.mark.course("S2-42")
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_both_duals_of_regression_have_one_value(epsilon):
    X, _, y = data(7, 25)
    C = 1.5
    model = SVR(C=C, epsilon=epsilon, tol=1e-10).fit(X, y)
    K = rbf_kernel(X, gamma=model.gamma_)
    n = len(y)

    def value(z):
        b = z[:n] - z[n:]
        return 0.5 * b @ K @ b - y @ b + epsilon * z.sum()

    def slope(z):
        g = K @ (z[:n] - z[n:]) - y
        return np.concatenate([g + epsilon, epsilon - g])

    sums = np.concatenate([np.ones(n), -np.ones(n)])
    equal = {"type": "eq", "fun": lambda z: sums @ z, "jac": lambda z: sums}
    both = np.hstack([np.eye(n), np.eye(n)])
    extra = {"type": "ineq", "fun": lambda z: C - both @ z, "jac": lambda z: -both}
    for constraints in ([equal], [equal, extra]):
        best = minimize(
            value,
            np.zeros(2 * n),
            jac=slope,
            bounds=[(0, C)] * (2 * n),
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert model.report_.objective[-1] == pytest.approx(-best.fun, rel=1e-6)
    if epsilon:
        assert (best.x[:n] * best.x[n:]).max() < 1e-6
    error = np.abs(y - model.predict(X))
    assert (error[model.roles_ == 0] <= epsilon + 1e-8).all()
    np.testing.assert_allclose(error[model.roles_ == 1], epsilon, atol=1e-8)
    assert (error[model.roles_ == 2] >= epsilon - 1e-8).all()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "options",
    [{"C": 2.0, "epsilon": 0.05}, {"kernel": "linear"}, {"epsilon": 0.0}],
    ids=str,
)
def test_it_is_scikit_learns(options, sparse):
    assert_scikit_learns("SVR", options, sparse)


@given(seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_a_weight_is_a_repetition(seed):
    assert_a_weight_is_a_repetition("SVR", seed)


def test_bad_input_gets_one_sentence():
    X, _, y = data()
    with pytest.raises(ParameterError, match="SVR: C must be a number > 0"):
        SVR(C=-1.0).fit(X, y)
    with pytest.raises(ParameterError, match="epsilon must be a number >= 0"):
        SVR(epsilon=-0.1).fit(X, y)
    with pytest.raises(DataError, match="NaN"):
        SVR().fit(X, np.where(y > 1, np.nan, y))
