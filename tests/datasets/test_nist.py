"""The certified answers are the exact least-squares solutions of the shipped data."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.datasets import certified_digits, filip, longley, wampler
from corollary.datasets.nist import _csv, _read


def exact_least_squares(X, y):
    """Solve in fractions: estimates, their standard deviations, s, and R squared."""
    n, p = len(X), len(X[0])
    rows = [
        [sum(x[a] * x[b] for x in X) for b in range(p)]
        + [sum(x[a] * t for x, t in zip(X, y, strict=True))]
        + [Fraction(int(a == b)) for b in range(p)]
        for a in range(p)
    ]
    for k in range(p):  # Gauss and Jordan; X'X is positive definite, so no pivoting
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for r in range(p):
            if r != k:
                pairs = zip(rows[r], rows[k], strict=True)
                rows[r] = [u - rows[r][k] * v for u, v in pairs]
    coef = [row[p] for row in rows]
    rss = sum(
        (t - sum(b * v for b, v in zip(coef, x, strict=True))) ** 2
        for x, t in zip(X, y, strict=True)
    )
    mean = sum(y) / n
    variance = rss / (n - p)
    sd = [sqrt(variance * rows[k][p + 1 + k]) for k in range(p)]
    r_squared = 1 - rss / sum((t - mean) ** 2 for t in y)
    return [float(b) for b in coef], sd, sqrt(variance), float(r_squared)


def decimals(file):
    """Read a file's cells as exact fractions."""
    return [
        [Fraction(cell) for cell in line.split(",")]
        for line in _read(file).splitlines()[1:]
    ]


def exact(problem):
    if problem.name == "filip":
        rows = decimals("filip.csv")
        return [[x**k for k in range(11)] for _, x in rows], [y for y, _ in rows]
    if problem.name == "longley":
        rows = decimals("longley.csv")
        return [[Fraction(1), *row[1:]] for row in rows], [row[0] for row in rows]
    scale = 10**5 if problem.name == "wampler2" else 1
    y = [Fraction(round(v * scale), scale) for v in problem.y]
    return [[Fraction(x) ** k for k in range(6)] for x in range(21)], y


PROBLEMS = [filip(), longley(), *map(wampler, range(1, 6))]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_certified_values_are_exact(problem):
    coef, sd, s, r_squared = exact_least_squares(*exact(problem))
    np.testing.assert_allclose(coef, problem.coef, rtol=1e-14)
    np.testing.assert_allclose(sd, problem.coef_sd, rtol=1e-14)
    assert s == pytest.approx(problem.residual_sd, rel=1e-14)
    assert r_squared == pytest.approx(problem.r_squared, rel=1e-14)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_certified_residuals_in_floating_point(problem):
    residual = problem.y - problem.coef[0] - problem.X @ problem.coef[1:]
    freedom = len(problem.y) - len(problem.coef)
    s = np.sqrt(residual @ residual / freedom)
    assert s == pytest.approx(problem.residual_sd, rel=1e-5, abs=1e-8)


def test_shapes_and_sources():
    assert filip().X.shape == (82, 10)
    assert longley().X.shape == (16, 6)
    assert _csv("longley.csv")[0][0] == "employed"
    np.testing.assert_array_equal(wampler(3).y[[0, 10, 20]], [760, 113159, 3369180])
    np.testing.assert_array_equal(wampler(5).y[:2], [7590001, -20479994])


def test_wampler_refuses_another_number():
    with pytest.raises(ParameterError, match="whole number in \\[1, 5\\]; got 6"):
        wampler(6)


def test_certified_digits():
    truth = np.array([2.0, -4.0])
    assert certified_digits(truth, truth) == 15
    assert certified_digits(truth * (1 + 1e-8), truth) == pytest.approx(8, abs=1e-6)
    assert certified_digits(-truth, truth) == 0
