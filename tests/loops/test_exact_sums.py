"""Sums of digits by exponents, against Python's fractions."""

from fractions import Fraction

import numpy as np

from corollary import loops


def total(sums):
    """Return the number that the sums stand for."""
    found = Fraction(0)
    for e in range(2047):
        whole = (int(sums[0, e]) << 32) + int(sums[1, e])
        found += Fraction(whole) * Fraction(2) ** (max(e, 1) - 1075)
    return found


def test_no_digit_is_lost():
    rng = np.random.default_rng(0)
    x = rng.normal(size=70_000) * 2.0 ** rng.integers(-1000, 1000, size=70_000)
    x[:4] = 0.0, -0.0, 5e-324, -2.2e-310
    sums = np.zeros((2, 2048), np.int64)
    loops.exact_sums(x[:100], sums)
    loops.exact_sums(x[100:], sums)
    assert total(sums) == sum(map(Fraction, x.tolist()))


def test_what_is_not_finite_is_seen():
    for value in (np.inf, -np.inf, np.nan):
        sums = np.zeros((2, 2048), np.int64)
        loops.exact_sums(np.array([value, 1.0]), sums)
        assert sums[:, -1].any()
