"""Risk, empirical risk, and the learners that look at every hypothesis."""

import numpy as np
import pytest

from corollary import LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    consistent_hypothesis,
    empirical_risk,
    least_risk,
    minimize_empirical_risk,
    risk,
    uniform_deviation,
)

SUPPORT = np.repeat(np.arange(10), 2)  # every value of x with both labels
LABEL = np.tile([0, 1], 10)
NOISE = 0.15
TARGET = (SUPPORT >= 6).astype(int)
WEIGHT = np.where(LABEL == TARGET, 1 - NOISE, NOISE) / 10
STEPS = [lambda x, t=t: (x >= t).astype(int) for t in range(11)]


def draw(rng, m):
    rows = rng.choice(len(SUPPORT), size=m, p=WEIGHT)
    return SUPPORT[rows], LABEL[rows]


@pytest.mark.course("S1-43", "S4-52")
def test_risk_is_exact_and_the_empirical_risk_tends_to_it():
    exact = [risk(h, SUPPORT, LABEL, WEIGHT) for h in STEPS]
    by_hand = [NOISE + (1 - 2 * NOISE) * abs(t - 6) / 10 for t in range(11)]
    np.testing.assert_allclose(exact, by_hand)
    assert least_risk(STEPS, SUPPORT, LABEL, WEIGHT) == pytest.approx(NOISE)
    rng = np.random.default_rng(0)
    X, y = draw(rng, 40_000)
    near = [empirical_risk(h, X, y) for h in STEPS]
    np.testing.assert_allclose(near, exact, atol=0.01)
    w = np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y))
    repeated = empirical_risk(STEPS[6], np.repeat(X, w), np.repeat(y, w))
    weighted = empirical_risk(STEPS[6], X, y, sample_weight=w)
    assert weighted == pytest.approx(repeated)


@pytest.mark.course("S1-43")
def test_losses_of_signs():
    y = np.array([1, 1, -1, -1, 1])
    h = np.array([1, -1, -1, 1, -1])  # three errors
    rows = np.arange(5)
    errors = empirical_risk(lambda x: h[x], rows, y)
    assert errors == pytest.approx(3 / 5)
    half = empirical_risk(lambda x: h[x], rows, y, loss="half_absolute")
    assert half == errors  # |h - y| / 2 counts errors
    squared = empirical_risk(lambda x: h[x], rows, y, loss="half_squared")
    assert squared == pytest.approx(2 * errors)  # (h - y)^2 / 2 counts two for each
    own = empirical_risk(
        lambda x: h[x], rows, y, loss=lambda h, y: np.maximum(0, -h * y)
    )
    assert own == errors


@pytest.mark.course("S0-52", "S1-43", "S4-52")
def test_erm_over_a_listed_class():
    rng = np.random.default_rng(1)
    X, y = draw(rng, 300)
    found = minimize_empirical_risk(STEPS, X, y, delta=0.1)
    by_hand = [np.mean((t <= X) != y) for t in range(11)]
    np.testing.assert_allclose(found.risks, by_hand)
    assert found.index == int(np.argmin(by_hand))
    assert found.hypothesis is STEPS[found.index]
    epsilon = uniform_deviation(m=300, delta=0.1, hypotheses=11)
    assert found.epsilon == epsilon
    assert found.bound.value == pytest.approx(min(by_hand) + epsilon)
    assert (found.bound.delta, found.regret) == (0.1, 2 * epsilon)
    assert "Opt(C)" in str(found)
    model = LogisticRegression().fit(X[:, None], y)
    models = [model, LogisticRegression(C=1e-9).fit(X[:, None], y)]
    assert minimize_empirical_risk(models, X[:, None], y).index == 0


@pytest.mark.course("S1-43", "S4-52")
def test_training_and_true_error_of_a_small_class_and_of_a_large_one():
    """A small class: both are high.  Every labelling: no error, and a gap."""
    rng = np.random.default_rng(5)
    X, y = draw(rng, 15)
    coin = [lambda x, c=c: np.full(x.shape, c) for c in (0, 1)]
    words = (np.arange(2**10)[:, None] >> np.arange(10)) & 1
    every = [lambda x, w=w: w[x] for w in words]
    low = minimize_empirical_risk(coin, X, y)
    high = minimize_empirical_risk(every, X, y)
    both = [risk(one.hypothesis, SUPPORT, LABEL, WEIGHT) for one in (low, high)]
    assert low.empirical_risk > 0.3  # bias
    assert both[0] > 0.3
    assert high.empirical_risk < low.empirical_risk / 2  # variance
    assert both[1] > high.empirical_risk + 0.1
    assert high.epsilon > low.epsilon


@pytest.mark.course("S1-43")
def test_erm_is_consistent_for_a_finite_class_and_not_for_every_class():
    rng = np.random.default_rng(6)
    regrets = []
    for m in (30, 3000):
        found = [minimize_empirical_risk(STEPS, *draw(rng, m)) for _ in range(100)]
        true = [risk(one.hypothesis, SUPPORT, LABEL, WEIGHT) for one in found]
        regrets.append(np.mean(true) - NOISE)
    assert regrets[1] < 1e-3 < regrets[0]
    for m in (30, 3000):  # who learns rows by heart never errs on them
        x, new = rng.random(m), rng.random(2000)
        positive = set(x[::2])

        def heart(z, known=positive):
            return np.array([one in known for one in z])

        assert empirical_risk(heart, x, np.isin(x, x[::2])) == 0
        assert empirical_risk(heart, new, new > 0.5) == pytest.approx(0.5, abs=0.05)


def check_coverage(draws):
    rng = np.random.default_rng(2)
    true = np.array([risk(h, SUPPORT, LABEL, WEIGHT) for h in STEPS])
    delta, broken, far = 0.2, 0, 0
    for _ in range(draws):
        found = minimize_empirical_risk(STEPS, *draw(rng, 60), delta=delta)
        broken += true[found.index] > found.bound.value
        far += true[found.index] > true.min() + found.regret
    assert broken / draws <= delta
    assert far / draws <= delta


@pytest.mark.course("S4-52")
def test_the_risk_of_the_minimiser_obeys_its_bounds():
    check_coverage(300)


@pytest.mark.slow
def test_the_risk_of_the_minimiser_obeys_its_bounds_in_many_draws():
    check_coverage(10_000)


@pytest.mark.course("S0-52")
def test_a_consistent_hypothesis():
    rng = np.random.default_rng(3)
    x = rng.random(50)
    grid = np.linspace(0, 1, 201)
    steps = [lambda x, t=t: x >= t for t in grid]
    y = x >= grid[120]
    found = consistent_hypothesis(steps, x, y, delta=0.05)
    assert (steps[found.index](x) == y).all()
    fits = [t for t in grid if ((x >= t) == y).all()]
    assert found.count == len(fits)
    assert grid[found.index] == fits[0]
    assert found.bound.value == pytest.approx(np.log(201 / 0.05) / 50)
    y[0] ^= True
    y[1] ^= True
    with pytest.raises(DataError, match=r"of the best. Use minimize_empirical_risk."):
        consistent_hypothesis(steps, x, y)


def check_consistent(draws):
    """The worst of the consistent hypotheses errs more than epsilon at most delta."""
    rng = np.random.default_rng(4)
    grid, target, delta, m = np.linspace(0, 1, 41), 0.5, 0.1, 60
    steps = [lambda x, t=t: x >= t for t in grid]
    broken = 0
    for _ in range(draws):
        x = rng.random(m)
        found = consistent_hypothesis(steps, x, x >= target, delta=delta)
        worst = grid[found.index]  # the first is the farthest below the target
        broken += abs(worst - target) > found.bound.value
    assert broken / draws <= delta


def test_a_consistent_hypothesis_obeys_its_bound():
    check_consistent(300)


@pytest.mark.slow
def test_a_consistent_hypothesis_obeys_its_bound_in_many_draws():
    check_consistent(10_000)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, y: minimize_empirical_risk([], X, y), "must be a list"),
        (lambda X, y: minimize_empirical_risk(STEPS[0], X, y), "must be a list"),
        (lambda X, y: minimize_empirical_risk([3], X, y), "must be a function or"),
        (lambda X, y: minimize_empirical_risk(STEPS, X, y, delta=1), "delta must be"),
        (lambda X, y: empirical_risk(STEPS[0], X, y[1:]), "one row for each"),
        (lambda X, y: empirical_risk(STEPS[0], X, y, loss="hinge"), "loss must be"),
        (lambda X, y: empirical_risk(lambda x: 1, X, y), "one label for each of 4"),
        (
            lambda X, y: empirical_risk(STEPS[0], X, y, loss=lambda h, y: 1.0),
            "one number for each of 4",
        ),
        (
            lambda X, y: minimize_empirical_risk(
                STEPS, X, y, loss=lambda h, y: 3.0 * (h != y)
            ),
            "losses must be between 0 and 1; got 3.",
        ),
        (lambda X, y: risk(STEPS[0], X, y, [1, 1, 1, 1]), "must add up to 1"),
        (
            lambda X, y: empirical_risk(STEPS[0], X, y, sample_weight=[0] * 4),
            "one sample_weight must be above 0",
        ),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((DataError, ParameterError)) as error:
        call(np.arange(4), np.array([0, 0, 1, 1]))
    assert words in str(error.value)
