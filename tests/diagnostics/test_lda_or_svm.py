"""A discriminant or a machine: advice that follows the data."""

import numpy as np
import pytest
from scipy import stats

from corollary import DataError
from corollary.diagnostics import lda_or_svm
from corollary.diagnostics.lda_or_svm import mardia


def gaussian(n=400, d=4, seed=0, gap=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    A = rng.normal(size=(d, d))
    return rng.normal(size=(n, d)) @ A + gap * y[:, None] * rng.normal(size=d), y


def lopsided(n=400, seed=0):
    """Classes that touch along x_0 = 0, with long tails away from the boundary."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    far = rng.random(n) < 0.15
    away = np.where(far, rng.exponential(30.0, n), rng.exponential(1.0, n)) + 0.05
    side = np.where(y == 1, away, -rng.exponential(1.0, n) - 0.05)
    return np.column_stack([side, rng.normal(size=n) + 3.0 * far * (y == 1)]), y


@pytest.mark.course("S0-39")
def test_gaussian_classes_speak_for_the_discriminant():
    X, y = gaussian()
    found = lda_or_svm(X, y)
    assert found.gaussian
    assert found.advice == "discriminant"
    assert found.estimator == "LinearDiscriminantAnalysis"
    # both go to the same plane, and do not reach it
    few, many = (
        np.median([lda_or_svm(*gaussian(n, 4, s), splitter=2).angle for s in range(7)])
        for n in (50, 2000)
    )
    assert 0 < many < few / 2
    assert abs(found.difference) < 2 * found.standard_error


@pytest.mark.course("S0-39")
def test_classes_with_tails_speak_for_the_machine():
    X, y = lopsided()
    found = lda_or_svm(X, y)
    assert found.machine_error < 0.05
    assert found.discriminant_error > 0.1
    assert found.difference < -2 * found.standard_error
    assert found.advice == "machine"
    assert not found.gaussian
    assert "errs less" in found.why
    assert found.machine_margin > found.discriminant_margin


@pytest.mark.course("S0-39")
def test_where_both_err_alike_the_assumption_decides():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=500)
    X = rng.exponential(size=(500, 2)) + 5.0 * y[:, None]
    found = lda_or_svm(X, y)
    assert abs(found.difference) <= 2 * found.standard_error
    assert found.advice == "machine"
    assert "not Gaussian" in found.why


@pytest.mark.course("S0-39")
def test_the_tests_of_normality_have_their_level_and_their_power():
    rejected = np.zeros(2)
    for seed in range(100):
        X, y = gaussian(120, 3, seed)
        rejected += np.array(mardia(X, y, seed)) < 0.05
    assert (rejected <= 13).all()  # 5 are expected of each
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    assert mardia(rng.exponential(size=(300, 2)), y, 0)[0] < 1e-6
    assert mardia(rng.standard_t(3, size=(300, 2)), y, 0)[1] < 1e-4
    # unequal covariances are no common Gaussian either
    wide = rng.normal(size=(600, 2)) * np.where(np.arange(600) % 2, 5.0, 1.0)[:, None]
    assert mardia(wide, np.arange(600) % 2, 0)[1] < 1e-6


def test_one_column_is_the_plain_moments():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    z = (x - x.mean()) / x.std()
    p = stats.norm.sf(abs((np.mean(z**4) - 3) / np.sqrt(24 / 200))) * 2
    assert mardia(x[:, None], np.zeros(200, int), 0)[1] == pytest.approx(p)


def test_more_classes_few_rows_and_words():
    rng = np.random.default_rng(4)
    y = rng.integers(3, size=150)
    X = rng.normal(size=(150, 2)) + 3 * rng.normal(size=(3, 2))[y]
    found = lda_or_svm(X, np.array(["a", "b", "c"])[y])
    assert found.angle is None
    assert "Use the" in str(found)
    wide = lda_or_svm(rng.normal(size=(30, 40)), np.arange(30) % 2, splitter=3)
    assert wide.gaussian is None
    assert "too few rows" in str(wide)
    assert "degrees apart" in str(wide)


def test_errors():
    X, y = gaussian(30)
    with pytest.raises(DataError, match="at least two classes"):
        lda_or_svm(X, np.zeros(30))
    with pytest.raises(DataError, match="at least two classes"):
        lda_or_svm(X, y[:-1])
    with pytest.raises(DataError, match="NaN"):
        lda_or_svm(np.where(X > 1, np.nan, X), y)
