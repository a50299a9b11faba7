import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.optimize import minimize

from corollary import (
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    SGDClassifier,
    SGDRegressor,
)
from corollary.core.errors import ParameterError

FIXED = {"shuffle": False, "tol": None, "max_iter": 4}
LEGACY = pytest.mark.filterwarnings("ignore:Class PassiveAggressive:FutureWarning")


def labels(n=200, d=5, K=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, K)) + rng.normal(size=(n, K))).argmax(axis=1)


def numbers(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 2.0 + 0.3 * rng.normal(size=n)


def same(ours, theirs):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


@LEGACY
@pytest.mark.course("S4-26")
@pytest.mark.parametrize("average", [False, 7])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("K", [2, 3])
def test_classifier_steps_as_scikit_learn(K, loss, intercept, average):
    X, y = labels(K=K)
    how = {"C": 0.3, "loss": loss, "fit_intercept": intercept, "average": average}
    how["class_weight"] = {0: 2.0}
    ours = PassiveAggressiveClassifier(**how, **FIXED).fit(X, y)
    theirs = sklearn.linear_model.PassiveAggressiveClassifier(**how, **FIXED)
    same(ours, theirs.fit(X, y))


@LEGACY
@pytest.mark.parametrize("average", [False, 7])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regressor_steps_as_scikit_learn(loss, average):
    X, y = numbers()
    how = {"C": 0.2, "loss": loss, "epsilon": 0.15, "average": average}
    ours = PassiveAggressiveRegressor(**how, **FIXED).fit(X, y)
    theirs = sklearn.linear_model.PassiveAggressiveRegressor(**how, **FIXED)
    same(ours, theirs.fit(X, y))


@pytest.mark.parametrize("squared", [False, True])
def test_a_step_solves_its_small_problem(squared):
    rng = np.random.default_rng(0)
    x, w, C = rng.normal(size=6), rng.normal(size=6), 0.07
    kind = "squared_hinge" if squared else "hinge"
    model = PassiveAggressiveClassifier(C=C, loss=kind, fit_intercept=False, **FIXED)
    model.set_params(max_iter=1)
    for label in (0, 1):
        s = 2 * label - 1

        def cost(v, s=s):
            xi = max(0.0, 1 - s * v @ x)
            return ((v - w) ** 2).sum() / 2 + C * (xi**2 if squared else xi)

        X, y = np.vstack([x, 0 * x]), [label, 1 - label]
        v = model.fit(X, y, coef_init=w[None]).coef_[0]
        best = minimize(cost, w, method="Nelder-Mead", options={"fatol": 1e-14})
        assert cost(v) <= best.fun + 1e-9
        if s * w @ x >= 1:
            np.testing.assert_array_equal(v, w)


def test_without_a_bound_the_row_is_right_afterwards_by_the_least_change():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=5), rng.normal(size=5)
    model = PassiveAggressiveRegressor(C=1e12, epsilon=0.1, fit_intercept=False)
    v = model.fit(x[None], [w @ x + 3.0], coef_init=w).coef_
    assert v @ x == pytest.approx(w @ x + 2.9)
    across = (v - w) - (v - w) @ x / (x @ x) * x
    np.testing.assert_allclose(across, 0.0, atol=1e-12)


@pytest.mark.course("S4-63")
@pytest.mark.parametrize("seed", range(5))
def test_losses_obey_their_bound_where_a_margin_of_one_exists(seed):
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=4), rng.normal(size=(500, 4))
    X = X[np.abs(X @ u) >= 1]
    y, w, total = np.sign(X @ u), np.zeros(4), 0.0
    model = PassiveAggressiveClassifier(C=np.inf, fit_intercept=False)
    for x, side in zip(X, y, strict=True):
        total += max(0.0, 1 - side * w @ x) ** 2
        model.partial_fit(x[None], [side], classes=[-1.0, 1.0])
        w = model.coef_[0]
    assert 0 < total <= (X**2).sum(axis=1).max() * (u @ u)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_is_a_learning_rate_of_stochastic_descent(rate):
    X, y = labels()
    squared = "squared_" if rate == "pa2" else ""
    one = PassiveAggressiveClassifier(C=0.3, loss=f"{squared}hinge", random_state=1)
    how = {"penalty": None, "learning_rate": rate, "eta0": 0.3, "random_state": 1}
    same(one.fit(X, y), SGDClassifier(loss="hinge", **how).fit(X, y))
    X, y = numbers()
    loss = "epsilon_insensitive"
    one = PassiveAggressiveRegressor(C=0.3, loss=squared + loss, random_state=1)
    same(one.fit(X, y), SGDRegressor(loss=loss, **how).fit(X, y))
    theirs = sklearn.linear_model.SGDRegressor(
        loss, shuffle=False, tol=None, max_iter=3, learning_rate=rate, eta0=0.3
    ).fit(X, y)  # with its penalty
    ours = SGDRegressor(
        loss, shuffle=False, tol=None, max_iter=3, learning_rate=rate, eta0=0.3
    ).fit(X, y)
    same(ours, theirs)


@pytest.mark.parametrize("kind", [SGDClassifier, SGDRegressor])
@pytest.mark.parametrize(
    "wrong", [{"loss": "huber"}, {"batch_size": 2}, {"eta0": "pilot"}]
)
def test_stochastic_descent_refuses_what_a_passive_step_is_not_for(kind, wrong):
    X, y = labels()
    loss = "hinge" if kind is SGDClassifier else "epsilon_insensitive"
    model = kind(**{"loss": loss, "learning_rate": "pa1"} | wrong)
    with pytest.raises(ParameterError, match="pa1"):
        model.fit(X, y)


def test_sparse_rows_and_reports():
    X, y = labels()
    X[np.abs(X) < 0.5] = 0.0
    model = PassiveAggressiveClassifier(random_state=0).fit(X, y)
    same(PassiveAggressiveClassifier(random_state=0).fit(sp.csr_array(X), y), model)
    facts = model.report_.facts
    assert facts["n_updates"] > 0
    assert not facts["rested"]
    apart = PassiveAggressiveClassifier(tol=None).fit(X, X[:, 0] > -0.2)
    assert apart.report_.facts["rested"]
    assert apart.score(X, X[:, 0] > -0.2) == 1.0
