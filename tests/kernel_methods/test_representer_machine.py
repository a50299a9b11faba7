"""One solver, every loss: equal to each machine of its own, with a gap as proof."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVR

from corollary import (
    SVC,
    KernelQuantileRegressor,
    KernelRidge,
    LogisticRegression,
    RepresenterClassifier,
    RepresenterRegressor,
    StopReason,
    load,
    save,
)
from corollary.core.errors import DataError, ParameterError
from corollary.kernel_methods.representer import Envelope
from corollary.kernel_methods.representer_machine import representer_fit
from corollary.objectives.loss import OfMargin
from corollary.objectives.losses import (
    LOSSES,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Quantile,
)

SMOOTH = ["log_loss", "squared_hinge", "modified_huber", "exponential"]
SMOOTH += ["squared_error", "huber", "squared_epsilon_insensitive"]
CORNERED = ["hinge", "absolute_error", "quantile", "epsilon_insensitive"]


def classes(seed=0, n=70, d=2, K=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    y[:K] = np.arange(K)
    return rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y], y


def numbers(seed=0, n=70, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(2, size=n) + 3


def target(loss, seed, n=40):
    X, labels = classes(seed, n)
    y = np.where(labels == 1, 1.0, -1.0)
    return (X, y) if LOSSES[loss].margin else numbers(seed, n)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", SMOOTH + CORNERED)
def test_every_convex_loss_is_solved_to_a_gap_that_an_oracle_confirms(loss, intercept):
    X, y = target(loss, 1)
    K = rbf_kernel(X, gamma=0.5)
    w = np.random.default_rng(2).uniform(0.5, 2, len(y))
    tol = 1e-6 if loss in CORNERED and not intercept else 1e-9
    found = representer_fit(
        None, K, y, loss, 0.3, fit_intercept=intercept, sample_weight=w, tol=tol
    )
    assert found.stop is StopReason.CONVERGED
    L = LOSSES[loss]()

    def P(v):
        f = K @ v[:-1] + intercept * v[-1]
        return 0.15 * v[:-1] @ K @ v[:-1] + w @ L.value(y, f)

    def dP(v):
        g = w * L.derivative(y, K @ v[:-1] + intercept * v[-1])
        return np.append(K @ (0.3 * v[:-1] + g), intercept * g.sum())

    at = np.append(found.a, found.b)
    np.testing.assert_allclose(found.f, K @ found.a + found.b, atol=1e-9)
    assert found.objective == pytest.approx(P(at), rel=1e-10)
    assert 0 <= found.gap <= tol * found.objective
    if not intercept:
        assert found.b == 0
    if loss in SMOOTH:
        oracle = minimize(
            P, np.zeros(41), jac=dP, method="BFGS", options={"gtol": 1e-7}
        )
        assert found.objective <= oracle.fun + 1e-9 * oracle.fun
        assert oracle.fun == pytest.approx(found.objective, rel=1e-6)
        assert np.abs(dP(at)).max() < 1e-3
    rng = np.random.default_rng(3)  # no other point is better than the gap allows
    for scale in 10.0 ** np.arange(-6, 1):
        other = at + scale * np.append(rng.normal(size=40), rng.normal())
        assert P(other) >= found.objective - found.gap


@pytest.mark.course("S2-35", "S4-47")
@pytest.mark.parametrize("intercept", [True, False])
def test_the_squared_loss_is_kernel_ridge(intercept):
    X, y = numbers(4)
    options = {"kernel": "rbf", "gamma": 0.5, "fit_intercept": intercept}
    ridge = KernelRidge(0.7, **options).fit(X, y)
    model = RepresenterRegressor("squared_error", 0.7, tol=1e-13, **options).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_[0], ridge.dual_coef_, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), atol=1e-8)
    assert model.report_.passes <= 2  # one Newton step


@pytest.mark.course("S2-35")
def test_the_hinge_is_the_support_vector_machine():
    X, y = classes(5)
    svc = SVC(C=2.0, gamma=0.5, tol=1e-9).fit(X, y)
    model = RepresenterClassifier("hinge", 0.5, gamma=0.5, tol=1e-9).fit(X, y)
    query, _ = classes(6)
    scores = svc.decision_function(query)
    np.testing.assert_allclose(model.decision_function(query), scores, atol=1e-5)
    goal = 0.5 * svc.report_.objective[-1]  # P / C
    assert model.report_.objective[-1] == pytest.approx(goal, rel=1e-8)


@pytest.mark.course("S2-35")
def test_the_tube_is_support_vector_regression_and_the_pinball_its_quantile():
    X, y = numbers(7)
    query, _ = numbers(8)
    model = RepresenterRegressor(EpsilonInsensitive(0.2), 0.5, gamma=0.5).fit(X, y)
    peer = SVR(C=2.0, epsilon=0.2, gamma=0.5, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict(query), peer.predict(query), atol=1e-3)
    options = {"gamma": 0.5, "tol": 1e-9}
    model = RepresenterRegressor(Quantile(0.8), 0.5, **options).fit(X, y)
    other = KernelQuantileRegressor(quantile=0.8, C=2.0, **options).fit(X, y)
    np.testing.assert_allclose(model.predict(query), other.predict(query), atol=1e-5)


@pytest.mark.course("S2-35", "S4-47")
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_the_logistic_loss_is_logistic_regression(sparse):
    X, y = classes(9)
    linear = LogisticRegression(C=2.0, tol=1e-10).fit(X, y)
    data = sp.csr_array(X) if sparse else X
    model = RepresenterClassifier("log_loss", 0.5, kernel="linear", tol=1e-13)
    model.fit(data, y)
    coef = model.dual_coef_ @ X
    np.testing.assert_allclose(coef, linear.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, linear.intercept_, atol=1e-6)
    proba = linear.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(data), proba, atol=1e-7)


@pytest.mark.course("S2-35")
@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_what_is_orthogonal_to_the_rows_only_costs(seed):
    """L(h) >= L(h_parallel): a rest beside the span changes no score."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(5, 9)), np.where(rng.random(5) < 0.5, 1.0, -1.0)
    w = rng.normal(size=9)
    inside = X.T @ np.linalg.lstsq(X.T, w, rcond=None)[0]

    def P(v):
        return 0.5 * v @ v + Logistic().value(y, X @ v).sum()

    np.testing.assert_allclose(X @ inside, X @ w, atol=1e-9)
    assert P(w) >= P(inside)
    options = {"fit_intercept": False, "tol": 1e-13}
    found = representer_fit(linear_kernel, X, y, "log_loss", 1.0, **options)
    direct = minimize(P, np.zeros(9), options={"gtol": 1e-8})  # in all of the space
    np.testing.assert_allclose(found.a @ X, direct.x, atol=1e-5)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_a_loss_that_falls_for_ever_has_no_minimum(loss):
    K, y = np.ones((1, 1)), np.ones(1)
    with pytest.raises(DataError) as caught:  # ||h||^2 + exp(-(h + b))
        representer_fit(None, K, y, loss, 2.0)
    assert "must have a minimum" in str(caught.value)
    assert "\n" not in str(caught.value)
    found = representer_fit(None, K, y, loss, 2.0, fit_intercept=False)
    assert found.gap <= 1e-8 * found.objective
    found = representer_fit(None, K, y, "hinge", 2.0)  # which is 0 beyond 1
    assert found.objective == pytest.approx(0, abs=1e-12)


@pytest.mark.course("S2-35")
def test_coefficients_are_not_unique_where_the_rank_falls_short():
    X, y = classes(10, 30)
    model = RepresenterClassifier(kernel="linear").fit(X, y)
    assert model.report_.facts["kernel_rank"] == 2
    null = np.linalg.svd(X.T)[2][2:]  # ker K
    other = model.dual_coef_ + null[:1]
    np.testing.assert_allclose(other @ X, model.dual_coef_ @ X, atol=1e-10)
    assert "kernel_rank" not in RepresenterClassifier(gamma=9.0).fit(X, y).report_.facts


@dataclass(frozen=True)
class WideHinge(OfMargin):
    """max(0, 2 - u), which is 2 max(0, 1 - u/2)."""

    lipschitz = np.inf

    def at(self, u):
        return np.maximum(0.0, 2 - u)

    def slope(self, u):
        return np.where(u <= 2, -1.0, 0.0)

    def bend(self, u):
        return np.zeros_like(u)

    def dual(self, s):
        return np.where((s >= -1) & (s <= 0), 2 * s, np.inf)

    def smoothed(self, u, width):
        return np.clip((u - 2) / width, -1.0, 0.0)

    def minimizer(self, eta):
        return 2 * np.sign(2 * np.asarray(eta) - 1)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("intercept", [True, False])
def test_losses_of_ones_own(intercept):
    X, y = target("hinge", 11)
    K = rbf_kernel(X, gamma=0.5)
    options = {"fit_intercept": intercept, "tol": 1e-6}
    wide = representer_fit(None, K, y, WideHinge(), 0.4, **options)
    hinge = representer_fit(None, K, y, "hinge", 0.8, **options)
    assert wide.gap <= 1e-6 * wide.objective
    assert "envelopes" in wide.method
    assert wide.objective == pytest.approx(2 * hinge.objective, rel=2e-6)
    np.testing.assert_allclose(wide.f, 2 * hinge.f, atol=2e-2)


def test_a_loss_that_is_not_convex_ends_where_the_gradient_does():
    X, y = classes(12)
    model = RepresenterClassifier("sigmoid", 0.05, gamma=0.5).fit(X, y)
    assert model.report_.optimality.kind == "gradient norm"
    assert model.report_.optimality.value < 1e-6
    assert model.report_.facts["convex"] is False
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("loss", [Hinge(), Quantile(0.3), EpsilonInsensitive(0.4)])
def test_envelopes_lie_below_the_loss_by_their_width_at_most(loss):
    u = np.linspace(-3, 3, 601)
    for width in (1.0, 0.1):
        envelope = Envelope(loss, width)
        below = loss.at(u) - envelope.at(u)
        assert below.min() >= -1e-12
        assert below.max() <= width / 2 + 1e-12
        e = 1e-6
        slope = (envelope.at(u + e) - envelope.at(u - e)) / (2 * e)
        np.testing.assert_allclose(envelope.slope(u), slope, atol=1e-4)


def test_several_classes_and_their_probabilities():
    X, y = classes(13, 150, K=3)
    names = np.array(["a", "b", "c"])[y]
    model = RepresenterClassifier("log_loss", 0.1).fit(X, names)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(names.dtype.type, model.predict(X).dtype.type)
    for k, name in enumerate("abc"):
        alone = RepresenterClassifier("log_loss", 0.1).fit(X, names == name)
        np.testing.assert_allclose(
            model.decision_function(X)[:, k], alone.decision_function(X), atol=1e-9
        )
    assert not hasattr(RepresenterClassifier("hinge"), "predict_proba")


@given(seed=st.integers(0, 1000), loss=st.sampled_from(["log_loss", "squared_hinge"]))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed, loss):
    X, y = classes(seed, 40)
    times = np.random.default_rng(seed).integers(0, 4, 40)
    times[:2] = 1
    options = {"gamma": 0.5, "tol": 1e-12}
    weighted = RepresenterClassifier(loss, 0.5, **options).fit(X, y, times)
    repeated = RepresenterClassifier(loss, 0.5, **options)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    scores = repeated.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), scores, atol=1e-5)
    matrix = RepresenterClassifier(loss, 0.5, kernel="precomputed", tol=1e-12)
    G = rbf_kernel(X, gamma=0.5)
    again = matrix.fit(G, y, times).decision_function(G)
    np.testing.assert_allclose(again, scores, atol=1e-5)


@pytest.mark.parametrize("loss", ["huber", Huber(0.5), Quantile(0.2)], ids=str)
def test_a_saved_model_predicts_the_same(tmp_path, loss):
    X, y = numbers(14)
    model = RepresenterRegressor(loss).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.loss == loss
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.report_) == str(model.report_)


def test_it_says_when_it_stopped_early():
    X, y = classes(15)
    with pytest.warns(match="max_iter reached"):
        model = RepresenterClassifier("exponential", 1e-4, max_iter=1).fit(X, y)
    assert model.report_.optimality.value > 0


def test_bad_input_is_one_sentence():
    X, y = classes(16)
    for model, words in (
        (RepresenterClassifier("cauchy"), "loss must be one of"),
        (RepresenterClassifier(lam=0), "lam must be a number > 0"),
        (
            RepresenterRegressor("hinge"),
            "one of the residual; got 'hinge'",
        ),
    ):
        with pytest.raises(ParameterError) as caught:
            model.fit(X, y)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="greater than one"):
        RepresenterClassifier().fit(X, 0 * y)
    for arguments, words in (
        ((None, X, y, "hinge", 1.0), "must return a matrix of shape"),
        ((linear_kernel, X, y, "cauchy", 1.0), "loss must be a Loss"),
        ((linear_kernel, X, y, "hinge", -1.0), "lam must be > 0; got -1.0"),
        ((linear_kernel, X, y, "hinge", 1.0), "labels -1 and [+]1"),
    ):
        with pytest.raises(ParameterError, match=words):
            representer_fit(*arguments)
