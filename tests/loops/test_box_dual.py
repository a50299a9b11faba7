"""The account of a machine's dual, and its exact move, against their definitions."""

import numpy as np
import pytest
from oracles import smo as oracle

from corollary import loops


def point(rng, n, groups, eps, share=0.5):
    """Return f, b, lo, hi, eps, group of a dual, some variables at a bound or at 0."""
    lo, hi = -rng.random(n), rng.random(n)
    b = rng.uniform(lo, hi)
    ends = np.stack([lo, hi, np.zeros(n)])[rng.integers(0, 3, n), np.arange(n)]
    b = np.where(rng.random(n) < share, ends, b)
    group = None if groups == 1 else rng.integers(0, 2, n).astype(np.int8)
    return rng.normal(size=n), b, lo, hi, np.full(n, eps), group


def gap(f, b, lo, hi, eps, rho, rounding):
    """Return the duality gap at an offset, by trying all ends."""
    ends = np.stack([lo, hi, np.zeros(len(b))])
    gains = (f - rho) * (b - ends) + eps * (np.abs(b) - np.abs(ends))
    return np.maximum(gains + rounding * np.abs(b - ends), 0).max(axis=0).sum()


CASES = pytest.mark.parametrize(("groups", "eps"), [(1, 0.0), (1, 0.3), (2, 0.0)])


@CASES
def test_violation_and_offsets(groups, eps, rng):
    for share in (0.5, 1.0):  # with free variables, and without
        f, b, lo, hi, kink, group = point(rng, 40, groups, eps, share)
        worst = oracle.violation(f, b, lo, hi, kink, group)
        assert loops.violation(f, b, lo, hi, kink, group) == worst
        up, low = oracle.slopes(f, b, lo, hi, kink)
        for g in range(groups):
            of = slice(None) if group is None else group == g
            first, last = loops.offsets(f, b, lo, hi, kink, group, g)
            free = up[of] == low[of]
            middle = (low[of].max() + up[of].min()) / 2
            expected = up[of][free].mean() if free.any() else middle
            assert (first + last) / 2 == pytest.approx(expected, rel=1e-12)
            assert first <= last


@CASES
@pytest.mark.parametrize("rounding", [0.0, 0.01])
def test_gaps_at_given_and_at_kept_offsets(groups, eps, rounding, rng):
    f, b, lo, hi, kink, group = point(rng, 40, groups, eps)
    start, ends = b + 1e-3 * rng.normal(size=40), np.empty((groups, 2))
    box, rho = (lo, hi, kink, group), rng.normal(size=groups)

    def at(offsets, drifts=True):
        total = 0.0
        for g, offset in enumerate(offsets):
            of = slice(None) if group is None else group == g
            part = (f[of], b[of], lo[of], hi[of], kink[of])
            total += gap(*part, offset, rounding)
            total += drifts * abs(offset * (b - start)[of].sum())
        return total

    found = loops.gap_at(f, b, *box, start, rounding, rho)
    assert found == pytest.approx(at(rho), rel=1e-12)
    kept = loops.kept_offsets(f, b, *box, start, rounding, ends)
    assert kept == pytest.approx(at(ends.mean(axis=1)), rel=1e-12)
    least = 0.0
    for g in range(groups):
        of = slice(None) if group is None else group == g
        part = [a[of] for a in (f, b, lo, hi, kink)]
        least += min(gap(*part, rho, rounding) for rho in np.linspace(-3, 3, 2001))
    assert at(ends.mean(axis=1), drifts=False) <= 1.15 * least
    if not rounding:
        found = loops.duality_gap(f, b, *box, groups, 0.0)
        assert found == pytest.approx(least, rel=1e-2)
        assert loops.duality_gap(f, b, *box, groups, np.inf) >= found * (1 - 1e-12)


def test_variables_beside_a_bound_are_put_on_it():
    lo, hi = np.array([0.0, 0.0, -1.0, 0.5]), np.array([1.0, 1.0, 1.0, 2.0])
    b, out = np.array([1e-15, 1 - 1e-15, 0.3, 2.0]), np.empty(4)
    loops.snapped(b, lo, hi, 1e-13, out)
    assert out.tolist() == [0.0, 1.0, 0.3, 2.0]


@CASES
def test_the_exact_move_makes_slopes_of_free_variables_equal(groups, eps, dtype, rng):
    n, tol = 30, 1e-9 if dtype == np.float64 else 1e-3
    A = rng.normal(size=(n, n))
    K = (A @ A.T + n * np.eye(n)).astype(dtype)
    f, b, lo, hi, kink, group = point(rng, n, groups, eps)
    lo, hi, f = lo - 1, hi + 1, 0.01 * f  # all are free that are not at the kink
    free = np.empty(n, np.int64)
    m = loops.free_variables(b, lo, hi, kink, free)
    free = free[:m]
    expected = np.arange(n) if not eps else np.flatnonzero(b)
    np.testing.assert_array_equal(free, expected)
    S, target = np.empty((m + groups, m + groups)), np.empty(m + groups)
    box = (lo, hi, kink, group, groups)
    norm = loops.exact_system(K, free, free, f, b, *box, free, S, target)
    assert norm == pytest.approx(np.abs(S).sum(axis=0).max())
    np.testing.assert_array_equal(S, S.T)
    step = np.linalg.solve(S, target)[:m]
    inside = loops.exact_step(b, lo, hi, kink, group, groups, free, step)
    after = f[free] + (K[np.ix_(free, free)] @ step) + kink[free] * np.sign(b[free])
    for g in range(groups):
        of = slice(None) if group is None else group[free] == g
        assert step[of].sum() == pytest.approx(0, abs=1e-12)
        assert np.ptp(after[of]) < tol
    assert inside == (b[free] * (b[free] + step) >= 0).all() or not eps
    step[0] = 9.0  # beyond any bound
    assert not loops.exact_step(b, lo, hi, kink, group, groups, free, step)
