"""Plans: costs that are known, found again, and a budget that decides."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from corollary import (
    SVC,
    DecisionTreeClassifier,
    KernelRidge,
    LinearSVC,
    ParameterError,
    Ridge,
)
from corollary.diagnostics import method_cost, plan_resources


class Clock:
    """Time that only goes on where it is told to, however busy the machine."""

    now = 0.0

    def perf_counter(self):
        self.now += 1e-5
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(method_cost, "time", clock)
    monkeypatch.setattr(Slow, "sleep", clock.sleep)
    return clock


class Slow(RegressorMixin, BaseEstimator):
    """Takes rate * m^power seconds and holds room * m^power bytes."""

    sleep = staticmethod(time.sleep)

    def __init__(self, power=1.0, rate=0.0, room=0.0):
        self.power, self.rate, self.room = power, rate, room

    def fit(self, X, y):
        cost = float(len(X)) ** self.power
        held = np.zeros(int(self.room * cost) // 8)
        self.sleep(self.rate * cost)
        self.mean_ = float(np.mean(y)) + 0 * held.sum()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def rows(n=3000, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + 0.1 * rng.normal(size=n)


SIZES = [200, 400, 800, 1600]


@pytest.mark.course("S1-51")
@pytest.mark.usefixtures("clock")
def test_time_grows_as_measured_and_the_substitute_that_fits_is_proposed():
    X, y = rows()
    quadratic, linear = Slow(2.0, 1.5e-7), Slow(1.0, 3e-5)
    plan = plan_resources(
        [quadratic, linear], X, y, n_rows=20_000, seconds=15.0, sizes=SIZES
    )
    slow, fast = plan.methods
    assert slow.seconds.exponent == pytest.approx(2, abs=0.35)
    assert fast.seconds.exponent == pytest.approx(1, abs=0.35)
    assert 40 < slow.seconds.at(20_000).value < 110  # 60 s
    assert 0.4 < fast.seconds.at(20_000).value < 2.5  # 0.6 s
    assert not slow.fits_time
    assert fast.fits
    assert plan.chosen == "Slow #2"
    assert plan.estimator.power == 1.0
    assert 6_000 < plan.affordable_rows < 14_000  # 15 s: 10,000 rows
    assert "does not fit the budget, Slow #2 does" in str(plan)
    assert "too slow" in str(plan)


@pytest.mark.course("S1-51")
def test_memory_grows_as_measured():
    X, y = rows()
    plan = plan_resources(
        [Slow(2.0, room=8.0), Slow(1.0, room=8.0)],
        X,
        y,
        n_rows=50_000,
        memory="1GB",
        sizes=SIZES,
    )
    matrix, vector = plan.methods
    assert matrix.memory.exponent == pytest.approx(2, abs=0.1)
    assert matrix.memory.at(50_000).value == pytest.approx(8 * 50_000**2, rel=0.3)
    assert matrix.expected_bytes.value > 1e10
    assert vector.expected_bytes.high < 1e8
    assert (matrix.fits_memory, vector.fits_memory) == (False, True)
    assert plan.chosen == "Slow #2"
    assert "too large" in str(plan)


@pytest.mark.course("S1-51")
def test_without_need_the_preferred_method_stays_and_the_price_is_told():
    X, y = rows(400)
    plan = plan_resources([Ridge(), Slow()], X, y, seconds=1000.0, memory="4GB")
    assert plan.chosen == "Ridge"
    assert plan.price == 0
    assert plan.methods[0].loss < 0.02 < 0.5 < plan.methods[1].loss
    assert "Ridge fits the budget" in str(plan)
    assert plan.affordable_rows == 400


@pytest.mark.course("S1-51")
def test_a_kernel_machine_is_followed_by_what_scales():
    X, y = rows(600)
    labels, sizes = np.where(y > 0, "up", "down"), [110, 220, 440]
    budget = {"n_rows": 200_000, "memory": "200MB", "sizes": sizes}
    plan = plan_resources(SVC(), X, labels, **budget)
    names = [method.name for method in plan.methods]
    assert names == [
        "SVC",
        "Nystroem + LogisticRegression",
        "LogisticRegression",
        "SGDClassifier",
    ]
    assert plan.estimator is not None
    fitted = plan.estimator.fit(X, labels)
    assert fitted.score(X, labels) > 0.9
    assert not plan.methods[0].fits_memory
    ridge = plan_resources(KernelRidge(kernel="rbf"), X, y, **budget)
    assert not ridge.methods[0].fits_memory
    assert ridge.chosen != "KernelRidge"


def test_nothing_fits():
    X, y = rows(200)
    plan = plan_resources([Slow(1.0, 1e-4)], X, y, n_rows=10**9, seconds=1.0)
    assert plan.chosen is None
    assert plan.estimator is None
    assert np.isnan(plan.price)
    assert "Nothing fits the budget" in str(plan)


def test_measuring_stops_when_its_share_of_the_budget_is_spent():
    X, y = rows(2000)
    plan = plan_resources(
        [Slow(1.0, 5e-4)], X, y, seconds=0.1, sizes=[100, 200, 400, 800]
    )
    assert len(plan.methods[0].seconds.sizes) == 2


def test_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = rows(200)
    plan = plan_resources([Ridge(), Slow()], X, y, seconds=10.0)
    assert len(plan.plot().lines) == 5


def test_errors():
    X, y = rows(100)
    with pytest.raises(ParameterError, match="must not be empty"):
        plan_resources([], X, y)
    with pytest.raises(ParameterError, match="all be classifiers"):
        plan_resources([LinearSVC(), Ridge()], X, y)
    with pytest.raises(ParameterError, match="estimator with fit"):
        plan_resources(["SVC"], X, y)
    with pytest.raises(ParameterError, match="n_rows must be"):
        plan_resources(Ridge(), X, y, n_rows=0)
    with pytest.raises(ParameterError, match="seconds must be"):
        plan_resources(Ridge(), X, y, seconds=-1)
    with pytest.raises(ParameterError, match="memory_limit must be"):
        plan_resources(Ridge(), X, y, memory="much")
    with pytest.raises(ParameterError, match="sizes must be"):
        plan_resources(Ridge(), X, y, sizes=[10, 1000])


@pytest.mark.slow
@pytest.mark.course("S1-51")
def test_the_prediction_for_a_real_method_is_met():
    X, y = rows(24_000, 20)
    labels = (y + np.random.default_rng(1).normal(size=len(y))) > 0
    for model in (SVC(), DecisionTreeClassifier()):
        plan = plan_resources([model], X, labels, sizes=[500, 1000, 2000, 4000])
        begun = time.perf_counter()
        model.fit(X, labels)
        took = time.perf_counter() - begun
        value, low, high = plan.methods[0].seconds.at(24_000)
        assert low / 3 < took < 3 * high, (took, value, low, high)
