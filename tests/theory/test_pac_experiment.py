"""The PAC experiment: exact errors, intervals, verdicts."""

import numpy as np
import pytest
from scipy.stats import binomtest

from corollary import DecisionStumpClassifier, LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory import Intervals, Stumps, pac_experiment

POINTS = np.arange(10.0)[:, None]
EVEN = np.full(10, 0.1)


def always(X, y, X_new):
    return np.ones(len(X_new))


def memory(X, y, X_new):
    """Repeat what was seen, else say 0."""
    known = {tuple(x): label for x, label in zip(X, y, strict=True)}
    return np.array([known.get(tuple(x), 0) for x in X_new])


def upper_half(X):
    return X[:, 0] >= 5


@pytest.mark.course("S0-50")
def test_errors_on_a_finite_support_are_exact():
    p = np.arange(1.0, 11.0) / 55
    found = pac_experiment(
        always, (POINTS, p), upper_half, m=3, n_draws=20, random_state=0
    )
    assert found.exact
    np.testing.assert_allclose(found.errors, p[:5].sum())
    assert found.n_failures == 20
    assert found.verdict == "broken"
    assert found.realizable


@pytest.mark.course("S0-50")
def test_the_failure_rate_agrees_with_its_formula():
    # all 10 points are positive: memory errs on what it has not seen
    m, unseen = 20, 0.1 * np.arange(11)
    found = pac_experiment(
        memory,
        (POINTS, EVEN),
        np.ones(10),
        m=m,
        epsilon=0.2,
        delta=0.1,
        n_draws=1000,
        random_state=0,
    )
    assert set(found.errors.round(9)) <= set(unseen.round(9))
    assert found.errors.mean() == pytest.approx(0.9**m, abs=0.01)
    draws = np.random.default_rng(1).integers(10, size=(200_000, m))
    hits = np.zeros((200_000, 10), dtype=bool)
    np.put_along_axis(hits, draws, True, axis=1)
    rate = (hits.sum(axis=1) < 8).mean()
    assert found.low <= rate <= found.high


@pytest.mark.course("S0-50")
def test_the_interval_is_the_exact_binomial_one():
    found = pac_experiment(
        memory, (POINTS, EVEN), np.ones(10), m=10, n_draws=60, confidence=0.9
    )
    exact = binomtest(found.n_failures, 60).proportion_ci(0.9, method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert found.low <= found.failure_rate <= found.high


@pytest.mark.course("S0-50")
def test_opt_of_a_class_with_noise_and_without():
    noisy = np.where(upper_half(POINTS), 0.9, 0.2)
    found = pac_experiment(
        DecisionStumpClassifier(),
        (POINTS, EVEN),
        noisy,
        m=200,
        hypotheses=Stumps(1),
        n_draws=30,
        random_state=0,
    )
    assert found.optimum == pytest.approx(0.5 * 0.1 + 0.5 * 0.2)
    assert not found.realizable
    assert (found.errors >= found.optimum - 1e-12).all()
    assert found.failure_rate == 0
    assert "not realizable: Opt = 0.15" in str(found)
    ends = ((POINTS[:, 0] < 2) | (POINTS[:, 0] >= 7)).astype(float)
    far = pac_experiment(
        always, (POINTS, EVEN), ends, m=5, hypotheses=Intervals(), n_draws=5
    )
    assert far.optimum == pytest.approx(0.2)  # one interval misses one end
    two = pac_experiment(
        always, (POINTS, EVEN), ends, m=5, hypotheses=Intervals(2), n_draws=5
    )
    assert two.realizable


@pytest.mark.course("S0-50")
def test_errors_of_a_sampler_are_measured_on_fresh_rows():
    def draw(n, rng):
        X = rng.normal(size=(n, 2))
        return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)

    found = pac_experiment(
        LogisticRegression(),
        draw,
        m=100,
        epsilon=0.1,
        optimum=np.arctan(0.3) / np.pi,
        n_draws=40,
        n_test=4000,
        random_state=0,
    )
    assert not found.exact
    assert not found.realizable
    assert found.verdict in {"kept", "undecided"}
    assert found.errors.mean() > found.optimum - 0.01


def test_verdicts_and_words():
    kept = pac_experiment(
        memory, (POINTS, EVEN), np.zeros(10), m=5, n_draws=100, random_state=0
    )
    assert kept.verdict == "kept"
    assert "the promise delta = 0.05 is kept" in str(kept)
    unsure = pac_experiment(memory, (POINTS, EVEN), np.zeros(10), m=5, n_draws=10)
    assert unsure.verdict == "undecided"
    ax = kept.plot()
    assert ax.lines[0].get_xdata()[0] == pytest.approx(0.1)


def test_the_same_seed_gives_the_same_errors_and_more_draws_only_add():
    def run(n):
        return pac_experiment(
            memory, (POINTS, EVEN), np.ones(10), m=9, n_draws=n, random_state=3
        ).errors

    assert (run(10) == run(20)[:10]).all()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"m": 0}, "m must be a whole number"),
        ({"epsilon": 1.0}, "epsilon must be a number in"),
        ({"delta": 0.0}, "delta must be a number in"),
        ({"n_draws": 0}, "n_draws must be"),
        ({"confidence": 2}, "confidence must be"),
        ({"optimum": -1.0}, "optimum must be"),
        ({"distribution": 5}, "distribution must be a sampler"),
        ({"distribution": (POINTS, EVEN * 2)}, "must add up to 1"),
        ({"target": None}, "target must be given"),
        ({"target": np.full(10, 2.0)}, "a label or Pr"),
        ({"learner": 3}, "learners must be"),
        ({"hypotheses": Stumps(1), "optimum": 0.1}, "no optimum beside"),
        ({"distribution": lambda n, rng: POINTS}, "must be a function of rows"),
    ],
)
def test_bad_input_is_told(more, words):
    given = {"learner": memory, "distribution": (POINTS, EVEN), "m": 5}
    given |= {"target": np.ones(10), "n_draws": 2}
    with pytest.raises((ParameterError, DataError), match=words):
        pac_experiment(**{**given, **more})


def test_samplers_must_give_what_is_asked():
    with pytest.raises(DataError, match=r"must return \(X, y\)"):
        pac_experiment(memory, lambda n, rng: rng.normal(size=(n, 1)), m=3)
    with pytest.raises(DataError, match="3 rows must be drawn"):
        pac_experiment(memory, lambda n, rng: POINTS, upper_half, m=3)
