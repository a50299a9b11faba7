import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from sklearn.neighbors import KNeighborsClassifier

from corollary import GaussianNB, PriorClassifier, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.decisions.bayes_error import (
    bayes_risk_by_quadrature,
    bayes_risk_by_sampling,
    bayes_risk_of_table,
    cover_hart,
    excess_error,
)
from corollary.decisions.line_regions import normal_crossings

SALMON, BASS = norm(5, 1), norm(10, 2)
FISH = [SALMON.logpdf, BASS.logpdf]


def draws(*classes):
    return [lambda n, rng, c=c: c.rvs(n, random_state=rng) for c in classes]


@pytest.mark.course("S1-3", "S3-10")
@pytest.mark.parametrize(("share", "error"), [(0.5, 0.04460), (2 / 3, 0.03618)])
def test_fish(share, error):
    prior = [share, 1 - share]
    best = bayes_risk_by_quadrature(FISH, prior, (-20, 40))
    np.testing.assert_allclose(best.value, error, atol=5e-6)
    low, high = normal_crossings([5, 10], [1, 2], prior)
    inside = [c.cdf(high) - c.cdf(low) for c in (SALMON, BASS)]
    exact = share * (1 - inside[0]) + (1 - share) * inside[1]
    assert abs(best.value - exact) <= best.error <= 1e-7
    sampled = bayes_risk_by_sampling(FISH, draws(SALMON, BASS), prior)
    assert abs(sampled.value - error) < 4 * sampled.error
    assert 0 < sampled.error < 1e-3


@pytest.mark.course("S1-3")
@pytest.mark.parametrize("gap", [0.5, 2.0, 5.0])
def test_two_equal_normals_have_the_error_of_the_normal_tail(gap):
    best = bayes_risk_by_quadrature(
        [norm(0, 1.5).logpdf, norm(gap, 1.5).logpdf], [0.5, 0.5], (-15, 20), tol=1e-10
    )
    np.testing.assert_allclose(best.value, norm.cdf(-gap / 3), rtol=1e-8)


@pytest.mark.course("S1-3", "S3-10")
def test_the_plane_has_the_error_of_its_line():
    # in the plane only the distance along the difference of the means counts
    A = [multivariate_normal([0, 0]), multivariate_normal([1.2, 1.6])]
    best = bayes_risk_by_quadrature(
        [a.logpdf for a in A], [0.5, 0.5], [(-8, 9), (-8, 9)], tol=1e-6
    )
    np.testing.assert_allclose(best.value, norm.cdf(-1), atol=1e-6)
    sampled = bayes_risk_by_sampling([a.logpdf for a in A], draws(*A), [0.5, 0.5])
    assert abs(sampled.value - norm.cdf(-1)) < 4 * sampled.error


@pytest.mark.course("S3-10")
def test_tables_are_exact():
    mass = datasets.body_mass()
    best = bayes_risk_of_table(mass.counts)
    np.testing.assert_allclose(best.value, 6 / 22, rtol=1e-14)
    assert best.error == 0
    for problem in (datasets.course_choice(), datasets.doctor()):
        joint = (problem.likelihood * problem.prior).T
        risk = bayes_risk_of_table(joint, problem.loss)
        np.testing.assert_allclose(risk.value, problem.known["bayes_risk"], rtol=1e-12)


@pytest.mark.course("S3-10")
def test_bayes_risk_with_costs_is_the_risk_of_the_best_intervals():
    loss = [[0, 2], [1, 0]]
    best = bayes_risk_by_quadrature(FISH, [0.5, 0.5], (-20, 40), loss)
    salmon_missed = 1 - (SALMON.cdf(20 / 3) - SALMON.cdf(0))
    bass_taken = BASS.cdf(20 / 3) - BASS.cdf(0)
    by_hand = 0.5 * salmon_missed + 0.5 * 2 * bass_taken
    np.testing.assert_allclose(best.value, by_hand, atol=1e-7)
    assert str(best).startswith(f"Bayes risk {best.value:.6g} (quadrature")


@pytest.mark.course("S1-3")
def test_no_classifier_beats_it_and_it_is_at_most_chance():
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.5).astype(int)
    X = np.where(y == 1, BASS.rvs(20_000, rng), SALMON.rvs(20_000, rng))[:, None]
    best = bayes_risk_by_quadrature(FISH, [0.5, 0.5], (-20, 40))
    for model in (GaussianNB(), PriorClassifier(), KNeighborsClassifier(1)):
        found = excess_error(model.fit(X[:2000], y[:2000]), X[2000:], y[2000:], best)
        assert found.excess > -4 * found.standard_error
    assert excess_error(GaussianNB().fit(X, y), X, y, best).excess < 0.005
    same = bayes_risk_by_quadrature([SALMON.logpdf] * 3, [1 / 3] * 3, (-10, 20))
    np.testing.assert_allclose(same.value, 2 / 3, atol=1e-7)


@pytest.mark.course("S3-45")
@given(best=st.floats(0, 1), k=st.integers(2, 20))
@settings(max_examples=100, deadline=None)
def test_cover_hart_inverts_its_bound(best, k):
    best *= 1 - 1 / k
    error = best * (2 - k * best / (k - 1))
    bracket = cover_hart(error, k)
    np.testing.assert_allclose(bracket.low, best, atol=1e-7)
    assert bracket.low <= bracket.high <= 1 - 1 / k
    assert bracket.low >= error / 2 - 1e-12


@pytest.mark.course("S3-45")
def test_the_bracket_of_a_measured_error_holds_the_bayes_error():
    rng = np.random.default_rng(1)
    y = (rng.random(12_000) < 0.5).astype(int)
    x = np.where(y == 1, norm(2, 1).rvs(12_000, rng), norm(0, 1).rvs(12_000, rng))
    near = KNeighborsClassifier(1).fit(x[:8000, None], y[:8000])
    error = 1 - near.score(x[8000:, None], y[8000:])
    bracket = cover_hart(error, 2, n=4000)
    assert bracket.low < norm.cdf(-1) < bracket.high
    exact = cover_hart(error, 2)
    assert bracket.low < exact.low
    assert bracket.high > exact.high


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: cover_hart(1.2, 2), "error must be in [0, 1]; got 1.2."),
        (lambda: cover_hart(float("nan"), 2), "error must be in [0, 1]"),
        (lambda: cover_hart(0.1, 1), "n_classes must be >= 2; got 1."),
        (lambda: cover_hart(0.1, 2, n=9, confidence=1.0), "between 0 and 1"),
        (lambda: bayes_risk_of_table([[1, -1]]), "numbers >= 0"),
        (lambda: bayes_risk_of_table([[0, 0]]), "must hold some weight"),
        (lambda: bayes_risk_by_quadrature(FISH, [0.5, 0.5], (0, 6)), "Widen the span."),
        (lambda: bayes_risk_by_quadrature(FISH, [0.5, 0.5], (6, 0)), "smaller number"),
        (
            lambda: bayes_risk_by_quadrature(FISH, [0.5, 0.5], [(0, 1)] * 3),
            "Use bayes_risk_by_sampling",
        ),
        (
            lambda: bayes_risk_by_sampling(FISH, draws(SALMON), [0.5, 0.5]),
            "one for each of 2 classes; got 1.",
        ),
        (
            lambda: bayes_risk_by_sampling(FISH, draws(SALMON, BASS), [0.5, 0.5], n=1),
            "n must be at least 4; got 1.",
        ),
        (lambda: excess_error(GaussianNB().fit([[0.], [1.]], [0, 1]), np.empty((0, 1)), [], 0), "X must have rows"),  # noqa: E501
    ],
)  # fmt: skip
def test_bad_input(call, part):
    with pytest.raises((ParameterError, DataError)) as caught:
        call()
    assert part in str(caught.value)
