"""Squared slack: the ridge in the dual."""

import numpy as np
import pytest
from common.machines import data
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from corollary import SquaredHingeSVC
from corollary.core.errors import ParameterError
from corollary.svm.pairs import ROLES


@pytest.mark.course("S0-25", "S1-48")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_squared_slack_has_a_ridge_in_its_dual(kernel):
    X, y, _ = data(2, 40)
    C = 0.7
    model = SquaredHingeSVC(C=C, kernel=kernel, tol=1e-10).fit(X, y)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=model.gamma_)
    Q = y[:, None] * y * (K + np.eye(40) / (2 * C))
    best = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.full(40, 0.1),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, None)] * 40,
        constraints={"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y * 1.0},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    alpha = np.zeros(40)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, best.x, atol=2e-5)
    np.testing.assert_allclose(alpha, 2 * C * model.slack_, atol=1e-8)
    assert model.report_.objective[-1] == pytest.approx(-best.fun, rel=1e-8)
    assert model.report_.optimality.value < 1e-8


@pytest.mark.parametrize("K", [2, 3])
def test_a_weight_is_a_repetition(K):
    X, y, _ = data(5, 40)
    y = y if K == 2 else np.digitize(X[:, 0], [-0.5, 0.5])
    times = np.random.default_rng(5).integers(0, 4, size=40)
    weighted = SquaredHingeSVC(tol=1e-9).fit(X, y, times)
    repeated = SquaredHingeSVC(tol=1e-9).fit(X.repeat(times, 0), y.repeat(times))
    a, b = weighted.decision_function(X), repeated.decision_function(X)
    np.testing.assert_allclose(a, b, atol=1e-7)


def test_all_rows_with_slack_are_inside_and_a_bad_price_is_refused():
    X, y, _ = data(6)
    model = SquaredHingeSVC(C=2.0, tol=1e-9).fit(X, y)
    names = np.array(ROLES)[model.roles_]
    slack = np.maximum(0, 1 - y * model.decision_function(X))
    inside = np.isin(names, ["inside", "misclassified"])
    np.testing.assert_array_equal(inside, slack > 1e-8)
    np.testing.assert_array_equal(np.sort(model.support_), np.flatnonzero(inside))
    with pytest.raises(ParameterError, match="SquaredHingeSVC: C must be a number > 0"):
        SquaredHingeSVC(C=0).fit(X, y)
