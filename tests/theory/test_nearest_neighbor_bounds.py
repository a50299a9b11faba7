"""Bounds for nearest neighbours, and the Bayes error that they bracket."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from corollary.core.errors import ParameterError
from corollary.decisions import cover_hart
from corollary.theory import (
    bayes_error_bracket,
    neighbor_excess,
    neighbor_factor,
    neighbor_lower_bound,
    neighbor_risk,
)


def a(k, p):
    return p + (1 - 2 * p) * binom.sf(k // 2, k, p)


@pytest.mark.course("S2-79")
def test_rows_that_ten_features_need():
    n = neighbor_excess(d=10, k=10, epsilon=0.1, lipschitz=1.0)
    assert f"{n:.1e}" == "1.2e+27"
    assert n == pytest.approx(((6 * np.sqrt(10) + 10) / 0.1) ** 11)
    assert neighbor_excess(d=10, k=10, n=n) == pytest.approx(0.1)
    risk = neighbor_risk(n=10**4, d=2, k=32, bayes_error=0.1, lipschitz=0.5)
    expected = 1.5 * 0.1 + (3 * np.sqrt(2) + 32) * (10**4) ** (-1 / 3)
    assert risk == pytest.approx(expected)
    table = neighbor_excess(d=[1, 5], k=10, epsilon=[[0.5], [0.1]])
    assert table.shape == (2, 2)
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()


def nearest(x, y, new, k):
    """Return the majority among the k nearest on a line; k may be even: ties 0."""
    order = np.abs(new[:, None] - x).argsort(axis=1)[:, :k]
    return y[order].mean(axis=1) > 0.5


@pytest.mark.course("S2-79")
def test_the_rule_on_a_line_obeys_its_bound():
    def eta(x):
        return 0.5 + 0.45 * np.sin(2 * x)  # slope at most 0.9

    best = quad(lambda x: min(eta(x), 1 - eta(x)), 0, 1)[0]
    rng = np.random.default_rng(0)
    n, k, risks = 3000, 11, []
    for _ in range(10):
        x, new = rng.random(n), rng.random(300)
        label = nearest(x, rng.random(n) < eta(x), new, k)
        risks.append(np.mean(np.where(label, 1 - eta(new), eta(new))))
    bound = neighbor_risk(n=n, d=1, k=k, bayes_error=best, lipschitz=0.9)
    assert best <= np.mean(risks) <= bound < 1


@pytest.mark.course("S2-79")
def test_no_learner_does_with_few_rows():
    assert neighbor_lower_bound(d=10, lipschitz=1.0) == 512
    assert neighbor_lower_bound(d=10, lipschitz=1.9) == 512  # whole cells
    assert neighbor_lower_bound(d=10, lipschitz=0.5) == 0
    rng = np.random.default_rng(1)
    for d, L in ((4, 2), (2, 9)):
        cells = (L + 1) ** d
        n = neighbor_lower_bound(d=d, lipschitz=float(L))
        assert n == cells // 2
        errors = []
        for _ in range(200):
            label = rng.integers(0, 2, cells)
            seen = np.isin(np.arange(cells), rng.integers(0, cells, n))
            errors.append(np.mean(np.where(seen, 0, label)))
        assert np.mean(errors) >= 0.25


@pytest.mark.course("S3-45")
def test_the_factor_falls_with_k():
    assert neighbor_factor(1) == 2.0
    p = (16 - np.sqrt(112)) / 24  # the maximum of 3 p - 8 p^2 + 4 p^3
    assert neighbor_factor(3) == pytest.approx(1 + 3 * p - 8 * p**2 + 4 * p**3)
    factors = [neighbor_factor(k) for k in range(1, 40, 2)]
    assert (np.diff(factors) < 0).all()
    assert neighbor_factor(4) == neighbor_factor(3)
    assert neighbor_factor(1001) == pytest.approx(1 + 0.34 / np.sqrt(1001), abs=1e-3)
    grid = np.linspace(1e-4, 0.5, 5000)
    for k in (3, 7, 25):
        top = (a(k, grid) / grid).max()
        assert neighbor_factor(k) == pytest.approx(top, rel=1e-4)


@pytest.mark.course("S3-45")
@pytest.mark.parametrize("k", [1, 3, 5, 15])
def test_the_bracket_holds_for_every_mixture_and_is_attained(k):
    rng = np.random.default_rng(2)
    for _ in range(200):
        p = 0.5 * rng.random(4) ** rng.uniform(0.5, 3)
        w = rng.dirichlet(np.ones(4))
        error, best = w @ a(k, p), w @ p
        bracket = bayes_error_bracket(float(error), k=k)
        assert bracket.low - 1e-7 <= best <= bracket.high + 1e-12
    p = 0.45  # a constant posterior where a_k is concave attains it
    bracket = bayes_error_bracket(float(a(k, p)), k=k)
    assert bracket.low == pytest.approx(p, abs=1e-6)


@pytest.mark.course("S3-45")
def test_the_bracket_narrows_with_k_and_is_cover_hart_for_one():
    brackets = [bayes_error_bracket(0.18, k=k) for k in (1, 3, 5, 11, 101)]
    assert (np.diff([b.low for b in brackets]) > 0).all()
    assert {b.high for b in brackets} == {0.18}
    assert brackets[0] == cover_hart(0.18, 2)
    assert bayes_error_bracket(0.3, n_classes=4) == cover_hart(0.3, 4)
    wide = bayes_error_bracket(0.18, k=5, n=200)
    exact = bayes_error_bracket(0.18, k=5)
    assert wide.low < exact.low < exact.high < wide.high
    assert bayes_error_bracket(0.0, k=7).low == 0.0
    assert bayes_error_bracket(0.5, k=7).low == pytest.approx(0.5)


@pytest.mark.course("S3-45")
@pytest.mark.parametrize("k", [1, 3, 9])
def test_two_gaussians_measured_with_neighbours(k):
    rng = np.random.default_rng(3)

    def draw(n):
        y = rng.integers(0, 2, n)
        return rng.normal(2.0 * y, 1.0), y

    (x, y), (new, label) = draw(4000), draw(2000)
    error = float(np.mean(nearest(x, y, new, k) != label))
    bracket = bayes_error_bracket(error, k=k, n=2000)
    assert bracket.low < norm.cdf(-1.0) < bracket.high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: neighbor_excess(d=2, k=9, n=100), "k must be a whole number >= 10"),
        (lambda: neighbor_excess(d=2, k=10), "got neither"),
        (lambda: neighbor_excess(d=2, k=10, n=3, epsilon=0.1), "got both"),
        (lambda: neighbor_excess(d=0, k=10, n=3), "d must be a whole number >= 1"),
        (lambda: neighbor_excess(d=1, k=10, n=3, lipschitz=0), "lipschitz must be > 0"),
        (lambda: neighbor_excess(d=1, k=10, epsilon=0), "epsilon must be > 0; got 0."),
        (lambda: neighbor_risk(n=9, d=1, k=10, bayes_error=0.6), "in [0, 1/2]"),
        (lambda: neighbor_lower_bound(d="x"), "d must be a number"),
        (lambda: neighbor_factor(0), "k must be a whole number >= 1"),
        (lambda: neighbor_factor([3, 5]), "k must be one number"),
        (lambda: bayes_error_bracket(1.5), "error must be in [0, 1]"),
        (lambda: bayes_error_bracket(0.1, k=3, n_classes=3), "n_classes must be 2"),
        (lambda: bayes_error_bracket(float("nan"), k=3), "error must be in [0, 1]"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
