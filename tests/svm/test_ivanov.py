"""A bound and a penalty give the same fit, there and back."""

import numpy as np
import pytest
from scipy.optimize import minimize

from corollary import LinearSVC, Ridge
from corollary.core.errors import ParameterError
from corollary.svm.ivanov import lambda_of_norm, norm_of_lambda
from corollary.svm.linear_svc import C_of_lambda

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
t = X @ [2.0, -1.0, 0.5] + rng.normal(size=40)
y = (t > 0).astype(int)


def ridge(lam):
    return Ridge(alpha=lam, fit_intercept=False).fit(X, t).coef_


def machine(lam):
    return LinearSVC(C=C_of_lambda(lam, 40), fit_intercept=False).fit(X, y).coef_


@pytest.mark.course("S2-39")
@pytest.mark.parametrize("fit", [ridge, machine])
def test_there_and_back(fit):
    for lam in (0.1, 5.0):
        c = norm_of_lambda(fit, lam)
        assert lambda_of_norm(fit, c) == pytest.approx(lam, rel=1e-6)
    norms = [norm_of_lambda(fit, lam) for lam in (0.01, 0.1, 1.0, 10.0)]
    assert (np.diff(norms) < 0).all()


@pytest.mark.course("S2-39")
def test_the_bounded_fit_is_the_penalised_one():
    c = 1.2
    lam = lambda_of_norm(ridge, c)
    bounded = minimize(
        lambda w: ((t - X @ w) ** 2).sum(),
        np.zeros(3),
        constraints={"type": "ineq", "fun": lambda w: c * c - w @ w},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(ridge(lam), bounded.x, atol=1e-5)
    assert lambda_of_norm(ridge, 100.0) == 0.0


def test_misuse():
    with pytest.raises(ParameterError, match="c must be a number > 0"):
        lambda_of_norm(ridge, 0.0)
    with pytest.raises(ParameterError, match="lam must be a number > 0"):
        norm_of_lambda(ridge, -1.0)
    with pytest.raises(ParameterError, match="Raise high"):
        lambda_of_norm(ridge, 1e-3, high=1.0)
