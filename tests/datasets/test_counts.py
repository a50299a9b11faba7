"""Counts and probabilities give the thresholds, posteriors and entropies known."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.datasets import body_mass, coins, die, fish


@pytest.mark.parametrize(("feature", "n"), [("length", 50), ("lightness", 48)])
def test_fish_threshold(feature, n):
    catch = fish(feature)
    bass, salmon = catch.counts
    assert catch.counts.sum() == n
    errors = np.cumsum(bass) + salmon.sum() - np.cumsum(salmon)  # below: salmon
    best = int(np.argmin(errors))
    assert errors[best] == catch.known["errors"]
    assert tuple(catch.values[best : best + 2]) == catch.known["threshold"]


def test_fish_length_five_has_17_errors():
    table = fish("length").table()
    wrong = (table.X[:, 0] < 5) != (table.y == "salmon")
    assert wrong.sum() == 17
    assert table.class_counts() == {"bass": 27, "salmon": 23}


def test_fish_refuses_another_feature():
    with pytest.raises(ParameterError, match="'length' or 'lightness'; got 'width'"):
        fish("width")


def test_body_mass_posterior_and_error():
    table = body_mass()
    P = table.counts / table.counts.sum()
    assert table.counts.sum() == 22
    np.testing.assert_allclose(P.sum(axis=1), table.known["prior"])
    np.testing.assert_allclose(P[0] / P.sum(axis=0), table.known["posterior_over"])
    assert 1 - P.max(axis=0).sum() == pytest.approx(table.known["bayes_error"])
    assert table.table().X.shape == (22, 1)


def test_exact_coins_are_a_fixed_point_of_em():
    table = coins()
    lam, (p, q) = table.known["weight"], table.known["heads"]
    n = 3 - table.X.sum(axis=1)
    assert table.weight.sum() == pytest.approx(1)
    first = lam * p**n * (1 - p) ** (3 - n)
    second = (1 - lam) * q**n * (1 - q) ** (3 - n)
    mu = first / (first + second)
    share = table.weight @ mu
    assert share == pytest.approx(lam)
    assert table.weight @ (mu * n / 3) / share == pytest.approx(p)
    assert table.weight @ ((1 - mu) * n / 3) / (1 - share) == pytest.approx(q)


def test_drawn_coins_follow_the_exact_table():
    exact, drawn = coins(), coins(200_000)
    seen = [(drawn.X == outcome).all(axis=1).mean() for outcome in exact.X]
    np.testing.assert_allclose(seen, exact.weight, atol=4e-3)
    assert 1 - drawn.y.mean() == pytest.approx(0.3, abs=4e-3)
    assert 1 - drawn.X[drawn.y == 0].mean() == pytest.approx(0.8, abs=4e-3)


def test_die_is_the_gibbs_distribution_with_its_mean():
    table = die()
    faces = table.X.ravel()
    p = np.exp(table.known["mu"] * faces)
    p /= p.sum()
    np.testing.assert_allclose(p, table.known["p"], atol=5e-6)
    assert p @ faces == pytest.approx(table.known["mean"], abs=1e-5)
    assert -(p @ np.log(p)) == pytest.approx(table.known["entropy"], abs=5e-6)
