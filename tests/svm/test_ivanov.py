"""A bound and a penalty give the same fit, there and back."""

import numpy as np
import pytest
from scipy.optimize import minimize

from corollary import SVC, KernelRidge, LinearSVC, RepresenterRegressor, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.kernels import Gaussian, RKHSFunction
from corollary.svm import function_norm, lambda_of_norm, norm_of_lambda
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


@pytest.mark.course("S2-39")
def test_the_bound_of_a_kernel_machine_is_on_its_norm_in_the_space():
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))

    def kernel_ridge(lam):
        return KernelRidge(alpha=lam, kernel="rbf", gamma=0.5).fit(X, t)

    c = 1.5
    lam = lambda_of_norm(kernel_ridge, c)
    a = kernel_ridge(lam).dual_coef_
    assert a @ K @ a == pytest.approx(c * c, rel=1e-6)
    # the values h = K a are bounded by h'K^-1 h = c^2: minimise in half coordinates
    values, vectors = np.linalg.eigh(K)
    half = vectors * np.sqrt(values)  # K = half half', h = half u, ||h|| = ||u||
    bounded = minimize(
        lambda u: ((t - half @ u) ** 2).sum(),
        np.full(40, c / 10),
        jac=lambda u: -2 * half.T @ (t - half @ u),
        constraints={
            "type": "ineq",
            "fun": lambda u: c * c - u @ u,
            "jac": lambda u: -2 * u,
        },
        options={"ftol": 1e-13, "maxiter": 500},
    )
    np.testing.assert_allclose(K @ a, half @ bounded.x, atol=1e-4)


@pytest.mark.course("S2-39")
@pytest.mark.parametrize(
    "model",
    [
        KernelRidge(kernel="rbf", gamma=0.5),
        RepresenterRegressor(kernel="rbf", gamma=0.5),
        SVC(kernel="rbf", gamma=0.5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_norms_of_machines_are_those_of_their_functions(model):
    model.fit(X, y if isinstance(model, SVC) else t)
    points = model.support_vectors_ if isinstance(model, SVC) else model.X_fit_
    a = np.ravel(model.dual_coef_)
    function = RKHSFunction(Gaussian(1.0), points, a)
    assert function_norm(model) == pytest.approx(function.norm(), rel=1e-9)
    assert function_norm(function) == function.norm()
    assert abs(function.norm() - np.linalg.norm(a)) > 0.02 * function.norm()
    # lengths in feature space bound steepness: |h(x) - h(z)| <= ||h|| ||phi(x)-phi(z)||
    h = function(X)
    apart = np.sqrt(2 - 2 * Gaussian(1.0)(X))
    assert (abs(h[:, None] - h) <= function_norm(model) * apart + 1e-9).all()


@pytest.mark.course("S2-39")
def test_a_linear_kernel_gives_the_length_of_the_coefficients():
    wide = KernelRidge(alpha=2.0, kernel="linear").fit(X, t)
    assert function_norm(wide) == pytest.approx(np.linalg.norm(ridge(2.0)), rel=1e-9)
    plain = Ridge(alpha=2.0, fit_intercept=False).fit(X, t)
    assert function_norm(plain) == pytest.approx(np.linalg.norm(ridge(2.0)))


def test_misuse():
    with pytest.raises(DataError, match="one function, not one for each class"):
        function_norm(SVC().fit(X, np.arange(40) % 3))
    with pytest.raises(DataError, match="the machine must know its kernel"):
        function_norm(KernelRidge(kernel="precomputed").fit(X @ X.T, t))
    with pytest.raises(DataError, match="fitted linear model or kernel machine"):
        function_norm("a")
    with pytest.raises(ParameterError, match="c must be a number > 0"):
        lambda_of_norm(ridge, 0.0)
    with pytest.raises(ParameterError, match="lam must be a number > 0"):
        norm_of_lambda(ridge, -1.0)
    with pytest.raises(ParameterError, match="Raise high"):
        lambda_of_norm(ridge, 1e-3, high=1.0)
