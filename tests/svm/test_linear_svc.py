"""The linear machine: scikit-learn's minimum, its gap, every search, its misuse."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC as Liblinear

from corollary import SVC, LinearSVC, SGDClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.svm.linear_svc import C_of_lambda, lambda_of_C

pytestmark = pytest.mark.filterwarnings("ignore:Liblinear failed")


def rows(n=200, d=4, seed=0, noise=0.8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] - 0.5 * X[:, 1] + noise * rng.normal(size=n) > 0.2).astype(int)
    return X, y


def primal(w, b, X, y, C=1.0, power=1, weights=1.0):
    u = np.maximum(0, 1 - (2 * y - 1) * (X @ np.ravel(w) + b))
    return float(0.5 * (np.sum(w**2) + b**2) + C * np.sum(weights * u**power))


@pytest.mark.course("S4-12", "S2-29")
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("loss", "power"), [("hinge", 1), ("squared_hinge", 2)])
def test_no_direction_leads_below(loss, power, C):
    X, y = rows()
    model = LinearSVC(loss=loss, C=C).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    P = primal(w, b, X, y, C, power)
    assert model.report_.objective[-1] == pytest.approx(P, rel=1e-12)
    assert model.report_.optimality.value <= 1e-10 * P
    rng = np.random.default_rng(1)
    for size in 10.0 ** -np.arange(1, 6):
        step = size * rng.normal(size=(40, 5))
        others = [primal(w + s[:4], b + s[4], X, y, C, power) for s in step]
        assert min(others) >= P * (1 - 1e-12)


@pytest.mark.course("S2-18")
@pytest.mark.parametrize("C", [0.02, 1.0])
def test_the_squared_hinge_classifier_is_exact(C):
    X, y = rows()
    t = 2.0 * y - 1
    model = LinearSVC(loss="squared_hinge", C=C).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    short = np.maximum(0, 1 - t * (X @ w + b))
    # the gradient vanishes: w = 2 C sum t x max(0, 1 - t f), the intercept alike
    np.testing.assert_allclose(w, 2 * C * (t * short) @ X, atol=1e-8)
    np.testing.assert_allclose(b, 2 * C * (t * short).sum(), atol=1e-8)

    def objective(v):
        return primal(v[:4], v[4], X, y, C, power=2)

    best = minimize(objective, np.zeros(5), options={"gtol": 1e-9})
    np.testing.assert_allclose(np.append(w, b), best.x, atol=1e-6)
    assert model.report_.objective[-1] == pytest.approx(best.fun, rel=1e-10)


@pytest.mark.parametrize("C", [0.05, 2.0])
def test_scikit_learns_minimum(C):
    X, y = rows()
    ours = LinearSVC(C=C).fit(X, y)
    theirs = Liblinear(C=C, dual=False, tol=1e-12, max_iter=10000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)
    ours = LinearSVC(C=C, intercept_scaling=3.0, fit_intercept=True).fit(X, y)
    theirs = Liblinear(
        C=C, intercept_scaling=3.0, dual=False, tol=1e-12, max_iter=10000
    ).fit(X, y)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_a_margin_with_few_rows_inside_takes_few_passes(C):
    X, y = load_digits(return_X_y=True)
    model = LinearSVC(C=C).fit(X, y == 4)
    assert model.report_.passes <= 60  # by short steps, 90 to 1000
    w, b = model.coef_[0], model.intercept_[0]
    P = primal(w, b, X, y == 4, C, power=2)
    assert model.report_.objective[-1] == pytest.approx(P, rel=1e-10)
    assert model.report_.optimality.value <= 1e-10 * P


def test_scikit_learns_hinge_and_classes_and_l1():
    X, y = rows(150)
    ours = LinearSVC(loss="hinge", C=0.02).fit(X, y)
    theirs = Liblinear(  # whose order is random, and which ends too early in 1 of 100
        loss="hinge", C=0.02, dual=True, tol=1e-13, max_iter=10**6, random_state=0
    )
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    three = np.digitize(X[:, 0] + 0.3 * X[:, 2], [-0.5, 0.5])
    weights = {0: 2.0, 1: 0.5}
    ours = LinearSVC(class_weight=weights).fit(X, three)
    theirs = Liblinear(class_weight=weights, dual=False, tol=1e-12, max_iter=10**5)
    np.testing.assert_allclose(ours.coef_, theirs.fit(X, three).coef_, rtol=1e-5)
    sharp = LinearSVC(penalty="l1", C=0.1).fit(X, y)
    theirs = Liblinear(penalty="l1", C=0.1, dual=False, tol=1e-13, max_iter=10**6)
    np.testing.assert_allclose(sharp.coef_, theirs.fit(X, y).coef_, atol=1e-7)
    assert (sharp.coef_ == 0).any()


@pytest.mark.course("S2-29")
def test_C_and_lambda_mean_the_same():
    X, y = rows(300)
    lam = 0.05
    C = C_of_lambda(lam, len(y))
    assert lambda_of_C(C, len(y)) == pytest.approx(lam)
    machine = LinearSVC(loss="hinge", C=C, fit_intercept=False).fit(X, y)
    w = machine.coef_[0]
    s = 2 * y - 1

    def risk(v):
        return lam / 2 * v @ v + np.maximum(0, 1 - s * (X @ v)).mean()

    best = minimize(risk, w, method="Nelder-Mead", options={"xatol": 1e-9}).fun
    assert risk(w) <= best + 1e-10
    steps = SGDClassifier(
        loss="hinge", alpha=lam, fit_intercept=False, max_iter=3000, tol=None,
        random_state=0, average=True,
    ).fit(X, y)  # fmt: skip
    assert risk(steps.coef_[0]) <= 1.001 * risk(w)
    np.testing.assert_allclose(steps.coef_[0], w, atol=0.02)
    # slacks: none beyond the margin, up to 1 uncertain, above 1 an error
    slack = np.maximum(0, 1 - s * machine.decision_function(X))
    assert ((slack > 1) == (machine.predict(X) != y)).all()
    assert machine.margins_[0] == pytest.approx(1 / np.linalg.norm(w))


@pytest.mark.course("S2-29", "S4-12")
def test_the_intercept_is_free_in_the_limit_of_a_large_constant():
    X, y = rows(80)
    free = SVC(kernel="linear", C=0.5, tol=1e-10).fit(X, y)
    near = LinearSVC(loss="hinge", C=0.5, intercept_scaling=1e4).fit(X, y)
    np.testing.assert_allclose(near.coef_, free.coef_, atol=1e-5)
    np.testing.assert_allclose(near.intercept_, free.intercept_, atol=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_many_features_by_descent_or_by_passes(loss, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 450)) * (rng.random((120, 450)) < 0.2)
    y = (X[:, :5].sum(axis=1) + rng.normal(size=120) > 0).astype(int)
    X = sp.csr_array(X) if kind == "sparse" else X
    descent = LinearSVC(loss=loss, C=0.01, tol=1e-9, max_iter=5000).fit(X, y)
    assert "descent" in descent.report_.facts["solver"]
    power = 1 if loss == "hinge" else 2
    P = primal(descent.coef_[0], descent.intercept_[0], X, y, 0.01, power)
    assert descent.report_.objective[-1] == pytest.approx(P, rel=1e-9)
    assert descent.report_.optimality.value <= 2e-9 * P
    blocks = [(X[:50], y[:50]), (X[50:], y[50:])]
    passes = LinearSVC(loss=loss, C=0.01, tol=1e-6).fit(lambda: iter(blocks))
    assert "L-BFGS" in passes.report_.facts["solver"]
    np.testing.assert_allclose(passes.coef_, descent.coef_, atol=2e-4)
    if loss == "squared_hinge":
        theirs = Liblinear(C=0.01, dual=False, tol=1e-10, max_iter=10**5).fit(X, y)
        np.testing.assert_allclose(descent.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_gap_is_never_below_the_truth(loss):
    X, y = rows(100, seed=3)
    power = 1 if loss == "hinge" else 2
    best = LinearSVC(loss=loss).fit(X, y).report_.objective[-1]
    for passes in (1, 2, 4, 8):
        with pytest.warns(ConvergenceWarning) if passes < 4 else nothing():
            model = LinearSVC(loss=loss, max_iter=passes).fit(X, y)
        P = primal(model.coef_[0], model.intercept_[0], X, y, 1.0, power)
        assert P - best <= model.report_.optimality.value * (1 + 1e-9)


class nothing:
    def __enter__(self):
        import warnings

        self.catch = warnings.catch_warnings()
        self.catch.__enter__()
        warnings.simplefilter("ignore", ConvergenceWarning)

    def __exit__(self, *problem):
        self.catch.__exit__(*problem)


def test_one_machine_for_all_classes():
    X, _ = rows(120)
    three = np.digitize(X[:, 0] + 0.3 * X[:, 2], [-0.5, 0.5])
    ours = LinearSVC(multi_class="crammer_singer", tol=1e-8, max_iter=20000)
    ours.fit(X, three)
    theirs = Liblinear(
        multi_class="crammer_singer", tol=1e-8, max_iter=10**6, random_state=0
    )
    theirs.fit(X, three)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.report_.learner == "LinearSVC"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["hinge", "squared_hinge"]))
def test_any_rows_end_at_a_closed_gap(seed, loss):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 30)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    C = float(10.0 ** rng.uniform(-3, 2))
    model = LinearSVC(loss=loss, C=C).fit(X, y)
    power = 1 if loss == "hinge" else 2
    P = primal(model.coef_[0], model.intercept_[0], X, y, C, power)
    assert model.report_.optimality.value <= 1e-4 * P + 1e-12


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "loss must be 'squared_hinge'"),
        ({"penalty": "l1", "dual": True}, "dual must be False"),
        ({"loss": "hinge", "dual": False}, "dual must be True"),
        ({"C": -1.0}, "C must be a number > 0"),
        ({"class_weight": {7: 1.0}}, "class_weight must name classes"),
    ],
)
def test_contradictions(options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        LinearSVC(**options).fit(*rows(20))


def test_one_class_and_strange_strengths():
    with pytest.raises(DataError, match="at least 2 classes"):
        LinearSVC().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ParameterError, match="lambda must be a number > 0"):
        C_of_lambda(0.0, 10)
    with pytest.raises(ParameterError, match="n must be a number > 0"):
        lambda_of_C(1.0, 0)


def test_sparse_coefficients():
    X, y = rows(50)
    model = LinearSVC(penalty="l1", C=0.1).fit(X, y)
    f = model.decision_function(X)
    assert sp.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.decision_function(X), f)
    assert isinstance(model.densify().coef_, np.ndarray)
