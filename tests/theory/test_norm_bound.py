"""Bounds on the risk of kernel machines by the norm of their function."""

import numpy as np
import pytest

from corollary import SVC, SVR, LinearSVR, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.svm import function_norm
from corollary.theory import svm_norm_bound, svr_norm_bound


def classes(rng, n):
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, 1, -1)


def targets(rng, n):
    X = rng.uniform(-1, 1, size=(n, 1))
    return X, np.clip(np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n), -1.5, 1.5)


@pytest.mark.course("S2-25")
def test_the_hinge_bound_by_hand():
    X, y = classes(np.random.default_rng(0), 500)
    model = SVC(kernel="rbf", gamma=0.5, C=0.1).fit(X, y)
    b = model.intercept_[0]
    size = np.hypot(function_norm(model), b)
    hinge = np.maximum(0, 1 - y * model.decision_function(X)).mean()
    c, n = 4.0, 500
    assert size <= c
    expected = hinge + 2 * c * np.sqrt(2 * n) / n  # k(x, x) = 1, and the constant 1
    expected += 3 * (1 + c * np.sqrt(2)) * np.sqrt(np.log(40) / (2 * n))
    found = svm_norm_bound(model, X, y, norm=c)
    assert found.value == pytest.approx(expected)
    assert found.holds
    free = svm_norm_bound(model, X, y)
    assert free.value != found.value
    k = np.arange(-120, 121)
    share = 1 / ((np.pi**2 / 3 - 1) * (np.abs(k) + 1.0) ** 2)
    sizes = 2.0 ** (-k / 2)
    terms = [
        svm_norm_bound(model, X, y, 0.05 * p, norm=c).value
        for c, p in zip(sizes, share, strict=True)
        if size <= c < 100
    ]
    assert free.value == pytest.approx(min(terms))


@pytest.mark.course("S2-25")
def test_the_regression_bound_by_hand():
    X, y = targets(np.random.default_rng(1), 400)
    model = SVR(kernel="rbf", gamma=1.0, C=0.5, epsilon=0.1).fit(X, y)
    loss = np.maximum(0, np.abs(y - model.predict(X)) - 0.1).mean()
    c, n = 8.0, 400
    expected = loss + 2 * c * np.sqrt(2 * n) / n
    expected += 3 * (1.5 + c * np.sqrt(2)) * np.sqrt(np.log(40) / (2 * n))
    found = svr_norm_bound(model, X, y, norm=c, largest_y=1.5)
    assert found.value == pytest.approx(expected)
    absolute = svr_norm_bound(model, X, y, norm=c, largest_y=1.5, epsilon=0.0)
    assert absolute.value > found.value


@pytest.mark.parametrize("learner", [LinearSVR(epsilon=0.0, C=1.0), Ridge(alpha=1.0)])
def test_linear_regressors_have_it_too(learner):
    X, y = targets(np.random.default_rng(2), 5000)
    found = svr_norm_bound(learner.fit(X, y), X, y, largest_y=1.5, radius=1.0)
    assert not found.vacuous
    assert found.value >= np.abs(y - learner.predict(X)).mean()


def test_the_bounds_hold_for_machines_that_were_fitted():
    rng, missed = np.random.default_rng(3), 0
    X_new, y_new = classes(rng, 20_000)
    U_new, v_new = targets(rng, 20_000)
    for _ in range(30):
        X, y = classes(rng, 50)
        model = SVC(gamma=2.0, C=100.0).fit(X, y)
        risk = np.mean(model.predict(X_new) != y_new)
        missed += svm_norm_bound(model, X, y, 0.1).value < risk
        U, v = targets(rng, 50)
        machine = SVR(gamma=2.0, C=100.0, epsilon=0.05).fit(U, v)
        risk = np.maximum(0, np.abs(v_new - machine.predict(U_new)) - 0.05).mean()
        missed += svr_norm_bound(machine, U, v, 0.1, largest_y=1.5).value < risk
    assert missed <= 3


def test_more_rows_prove_more():
    rng = np.random.default_rng(4)
    values = []
    for n in (200, 2000):
        X, y = classes(rng, n)
        model = SVC(kernel="linear", C=10 / n).fit(X, y)
        values.append(svm_norm_bound(model, X, y, norm=8.0, radius=1.5).value)
    assert values[1] < values[0]


def test_what_makes_no_sense_is_refused_in_a_sentence():
    X, y = classes(np.random.default_rng(5), 50)
    model = SVC(kernel="linear").fit(X, y)
    machine = SVR(gamma=1.0).fit(X, y)
    calls = [
        lambda: svm_norm_bound(model, X, y, norm=1e-3),
        lambda: svm_norm_bound(model, X, y, norm=-1),
        lambda: svm_norm_bound(model, X, y, 0.0),
        lambda: svm_norm_bound(model, X, y, radius=0.01),
        lambda: svr_norm_bound(machine, X, y, largest_y=0.5),
        lambda: svr_norm_bound(machine, X, y, epsilon=-1),
        lambda: svr_norm_bound(machine, X, ["a"] * 50),
    ]
    for call in calls:
        with pytest.raises((DataError, ParameterError), match=r"^\w+: .*; got"):
            call()
