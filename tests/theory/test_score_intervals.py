"""Intervals for the scores by which models are judged."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn import metrics

from corollary.core.errors import DataError, ParameterError
from corollary.theory import binomial_interval, score_interval


def classes(rng, n):
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.where(rng.random(n) < 0.15, 1 - y, y)


def numbers(rng, n):
    y = rng.normal(size=n)
    return y, 0.6 * y + 0.5 * rng.standard_t(9, size=n)


def probabilities(rng, n):
    x = rng.normal(size=n)
    return (rng.random(n) < expit(x)).astype(int), expit(1.3 * x)


def ranks(rng, n):
    y = (rng.random(n) < 0.4).astype(int)
    return y, np.round(1.2 * y + rng.normal(size=n), 1)  # with ties


JOBS = {
    "accuracy": (classes, metrics.accuracy_score),
    "precision": (classes, metrics.precision_score),
    "recall": (classes, metrics.recall_score),
    "f1": (classes, metrics.f1_score),
    "auc": (ranks, metrics.roc_auc_score),
    "r2": (numbers, metrics.r2_score),
    "rmse": (numbers, metrics.root_mean_squared_error),
    "log_loss": (probabilities, metrics.log_loss),
}
SHARES = ("accuracy", "precision", "recall", "f1")


@pytest.mark.parametrize("score", JOBS)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_scikit_learn(score, weighted):
    draw, oracle = JOBS[score]
    rng = np.random.default_rng(0)
    y, predicted = draw(rng, 400)
    w = rng.integers(0, 4, 400).astype(float) if weighted else None
    found = score_interval(y, predicted, score, sample_weight=w)
    assert found.value == pytest.approx(oracle(y, predicted, sample_weight=w))
    assert found.low < found.value < found.high
    exact = score in SHARES and not weighted
    assert found.kind == ("exact" if exact else "asymptotic")


def misses(score, draws, n, weighted=False):
    """Return how often the interval misses the score of a very large sample."""
    draw, oracle = JOBS[score]
    rng = np.random.default_rng(11)
    truth = oracle(*draw(rng, 2_000_000))
    missed = 0
    for _ in range(draws):
        y, predicted = draw(rng, n)
        w = rng.choice([0.5, 1.0, 3.0], n) if weighted else None
        missed += truth not in score_interval(y, predicted, score, sample_weight=w)
    return missed / draws


@pytest.mark.parametrize("score", JOBS)
def test_coverage_is_near_nominal_at_500_rows(score):
    assert 0.02 <= misses(score, 300, 500) <= 0.085


@pytest.mark.parametrize("score", ["recall", "f1", "auc", "rmse"])
def test_coverage_with_weights(score):
    assert 0.01 <= misses(score, 200, 800, weighted=True) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("score", JOBS)
def test_coverage_over_many_draws(score):
    assert 0.03 <= misses(score, 10_000, 500) <= 0.06


@pytest.mark.parametrize("score", SHARES)
def test_exact_intervals_hold_for_few_rows(score):
    assert misses(score, 300, 25) <= 0.05 + 0.03


def test_precision_and_recall_are_binomial_given_their_rows():
    y, said = classes(np.random.default_rng(1), 300)
    hits = int((y & said).sum())
    for score, among in (("precision", said), ("recall", y)):
        expected = binomial_interval(int(among.sum()), hits, 0.1)
        found = score_interval(y, said, score, 0.1)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_equal_weights_change_nothing_much_and_zero_weights_remove_rows():
    rng = np.random.default_rng(2)
    for score, (draw, _) in JOBS.items():
        y, f = draw(rng, 600)
        plain = score_interval(y, f, score)
        same = score_interval(y, f, score, sample_weight=np.full(600, 2.5))
        assert same.low == pytest.approx(plain.low, abs=2e-3)
        assert same.high == pytest.approx(plain.high, abs=2e-3)
        w = (np.arange(600) < 300).astype(float)
        part = score_interval(y, f, score, sample_weight=w)
        first = score_interval(y[:300], f[:300], score, sample_weight=w[:300])
        assert (part.low, part.high) == pytest.approx((first.low, first.high))


def test_the_interval_of_the_mean_is_students():
    y, p = probabilities(np.random.default_rng(3), 5000)
    losses = -np.log(np.where(y == 1, p, 1 - p))
    reach = norm.ppf(0.975) * losses.std(ddof=1) / np.sqrt(5000)
    found = score_interval(y, p, "log_loss")
    assert found.high - found.value == pytest.approx(reach, rel=1e-3)


def test_classes_may_be_text_and_more_than_two():
    y, f = np.array(["a", "b", "c"] * 50), np.array(["a", "b", "b"] * 50)
    assert score_interval(y, f).value == pytest.approx(2 / 3)
    assert score_interval(y, f, "recall", positive="c").value == 0
    with pytest.raises(DataError, match="positive"):
        score_interval(y, f, "f1")
    P = np.tile([0.5, 0.3, 0.2], (150, 1))
    assert score_interval(y, P, "log_loss").value == pytest.approx(
        metrics.log_loss(y, P)
    )


def test_perfect_predictions_have_honest_intervals():
    y = np.array([0, 1] * 20)
    for score in (*SHARES, "auc"):
        found = score_interval(y, y, score)
        assert found.value == found.high == 1
        assert found.low < 0.95


@pytest.mark.parametrize(
    "given",
    [
        ([0, 1], [0, 1], "gini"),
        ([0, 1], [0], "accuracy"),
        ([], [], "accuracy"),
        ([0, 1], [0, 0], "precision"),
        ([0, 1], [0.1, 1.2], "log_loss"),
        ([0, 1], [0.1, np.nan], "rmse"),
        ([1.0, 1.0], [0.1, 0.2], "r2"),
        ([1.0], [0.1], "rmse"),
        (["a", "b"], [0.1, 0.2], "rmse"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given):
    error = (DataError, ParameterError)
    if given[2] == "precision":
        with pytest.raises(error, match="denominator"):
            score_interval(*given, positive=2)
        return
    with pytest.raises(error, match=r"^score_interval: .*; got"):
        score_interval(*given)


def test_weights_are_checked():
    with pytest.raises(DataError, match="weight"):
        score_interval([0, 1], [0, 1], sample_weight=[0, 0])
    with pytest.raises(DataError, match="weight"):
        score_interval([0, 1], [0, 1], sample_weight=[1, -1])


def test_the_width_of_r2_is_that_of_the_bootstrap():
    rng = np.random.default_rng(8)
    y = rng.standard_t(6, size=3000)  # the spread of y matters too
    f = 0.5 * y + 0.2 * rng.normal(size=3000)
    found = score_interval(y, f, "r2")
    again = []
    for _ in range(400):
        i = rng.integers(0, 3000, 3000)
        again.append(metrics.r2_score(y[i], f[i]))
    assert found.width == pytest.approx(2 * 1.96 * np.std(again), rel=0.15)
