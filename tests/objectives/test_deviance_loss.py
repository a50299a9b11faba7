"""Half deviances as losses: their slopes, their convexity, their conjugates."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from corollary.objectives.deviance_loss import DevianceLoss, is_convex
from corollary.objectives.families import Binomial, Tweedie
from corollary.objectives.links import (
    Cauchit,
    CLogLog,
    Identity,
    Log,
    Logit,
    LogLog,
    Power,
    Probit,
)

LINE = (lambda t: t), (-30.0, 30.0)
HALF = np.exp, (-30.0, 30.0)
BELOW = (lambda t: -np.exp(-t)), (-30.0, 30.0)
SHARE = (lambda t: 1 / (1 + np.exp(-t))), (-30.0, 30.0)
CASES = [  # family, link, the f that have a mean
    (Tweedie(0.0), Identity(), LINE),
    (Tweedie(1.0), Log(), LINE),
    (Tweedie(1.0), Identity(), HALF),
    (Tweedie(1.0), Power(0.5), HALF),
    (Tweedie(1.3), Log(), LINE),
    (Tweedie(1.7), Log(), LINE),
    (Tweedie(1.5), Power(-0.5), HALF),
    (Tweedie(1.5), Power(0.25), HALF),
    (Tweedie(1.5), Power(0.5), HALF),
    (Tweedie(2.0), Log(), LINE),
    (Tweedie(2.0), Power(-1.0), HALF),
    (Tweedie(2.0), Power(-0.5), HALF),
    (Tweedie(3.0), Power(-2.0), HALF),
    (Tweedie(3.0), Power(-1.0), HALF),
    (Tweedie(3.0), Power(-1.5), HALF),
    (Binomial(), Logit(), LINE),
    (Binomial(), Probit(), LINE),
    (Binomial(), CLogLog(), LINE),
    (Binomial(), LogLog(), LINE),
    (Binomial(), Log(), BELOW),
    (Binomial(), Identity(), SHARE),
    (Binomial(), Power(0.5), SHARE),
]
SLOPES = (-2.9, -1.2, -0.6, -0.2, 0.15, 0.5, 0.9, 1.4, 4.0)


def targets(family):
    if isinstance(family, Binomial):
        return [0.0, 0.3, 1.0]
    return [0.4, 3.0] if family.power >= 2 else [0.0, 0.4, 3.0]


def supremum(loss, y, v, scale):
    """Return sup_f v f - L(y, f) by SciPy, infinite where it is at a far end."""
    f, (low, high) = scale

    def lost(t):
        return float(loss.value(y, f(t)) - v * f(t))

    grid = np.linspace(low, high, 2001)
    values = np.array([lost(t) for t in grid])
    at = int(np.nanargmin(values))
    if at in (0, len(grid) - 1):
        rate = abs(values[at] - values[1 if at == 0 else -2])
        return np.inf if rate > 1e-6 else -values[at]
    found = minimize_scalar(
        lost, bounds=(grid[at - 1], grid[at + 1]), options={"xatol": 1e-12}
    )
    return -min(found.fun, values[at])


def named(part):
    return "" if isinstance(part, tuple) else str(part)


@pytest.mark.course("S2-36", "S4-37")
@pytest.mark.parametrize(("family", "link", "scale"), CASES, ids=named)
def test_the_conjugate_is_the_supremum(family, link, scale):
    loss = DevianceLoss(family, link)
    assert is_convex(family, link)
    finite = 0
    for y in targets(family):
        assert float(loss.conjugate(y, 0.0)) == 0.0
        for v in SLOPES:
            ours, theirs = float(loss.conjugate(y, v)), supremum(loss, y, v, scale)
            finite += np.isfinite(ours)
            assert ours == pytest.approx(theirs, rel=1e-7, abs=1e-7), (y, v)
    assert finite >= 8


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(("family", "link", "scale"), CASES, ids=named)
def test_slope_and_curvature_are_differences_and_meet_fenchel_and_young(
    family, link, scale
):
    loss, f = DevianceLoss(family, link), scale[0](np.linspace(-2.5, 2.5, 40))
    for y in targets(family):
        width = 1e-5 * np.abs(f)
        rise = (loss.value(y, f + width) - loss.value(y, f - width)) / (2 * width)
        v = loss.derivative(y, f)
        np.testing.assert_allclose(v, rise, rtol=1e-5, atol=1e-5)
        turn = (loss.derivative(y, f + width) - loss.derivative(y, f - width)) / (
            2 * width
        )
        bend = loss.curvature(y, f)
        np.testing.assert_allclose(bend, turn, rtol=1e-4, atol=1e-5)
        assert (bend >= 0).all()
        here = loss.value(y, f) + loss.conjugate(np.full(len(f), y), v)
        inside = np.isfinite(here)
        np.testing.assert_allclose(here[inside], (v * f)[inside], atol=1e-9)
        assert inside.mean() > 0.9 or y == 0
        for far in (-1.5, 0.3, 2.0):  # and no other slope lies below
            with np.errstate(invalid="ignore"):
                more = loss.value(y, f) + loss.conjugate(y, far) - far * f
            assert more.min() >= -1e-10


@pytest.mark.parametrize(("family", "link", "scale"), CASES, ids=named)
def test_the_loss_is_that_of_the_family(family, link, scale):
    loss, f = DevianceLoss(family, link), scale[0](np.linspace(-2, 2, 9))
    for y in targets(family):
        terms = family.terms(np.full(9, y), f, link)
        np.testing.assert_allclose(loss.value(y, f), terms.loss, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(loss.derivative(y, f), terms.slope, rtol=1e-9)
    moved = DevianceLoss(family, link, 0.25)
    near = f[np.isfinite(loss.value(targets(family)[-1], f + 0.25))]
    y, v = targets(family)[-1], -0.2
    np.testing.assert_allclose(moved.value(y, near), loss.value(y, near + 0.25))
    expected = loss.conjugate(y, v) - 0.25 * v
    np.testing.assert_allclose(moved.conjugate(y, v), expected)


@pytest.mark.parametrize(
    ("family", "link"),
    [
        (Tweedie(0.0), Log()),
        (Tweedie(-1.0), Identity()),
        (Tweedie(1.0), Power(-1.0)),
        (Tweedie(1.0), Power(2.0)),
        (Tweedie(1.5), Identity()),
        (Tweedie(2.0), Identity()),
        (Tweedie(3.0), Log()),
        (Binomial(), Cauchit()),
        (Binomial(), Power(-1.0)),
        (Binomial(), Power(2.0)),
    ],
    ids=str,
)
def test_what_is_not_convex_is_known(family, link):
    assert not is_convex(family, link)
    loss = DevianceLoss(family, link)
    f = np.linspace(0.02, 60, 4000)
    if isinstance(family, Binomial):
        f = np.linspace(1.01, 60, 4000) if link == Power(-1.0) else f
        f = np.linspace(0.01, 0.99, 4000) if link == Power(2.0) else f
        f = np.linspace(-30, 30, 4000) if link == Cauchit() else f
    elif link == Log():
        f = np.linspace(-6, 6, 4000)
    y = 1.0 if isinstance(family, Binomial) and link != Power(2.0) else 0.0
    y = y if isinstance(family, Binomial) else 3.0
    slope = loss.derivative(y, f)
    assert np.nanmin(np.diff(slope)) < -1e-9  # it falls somewhere


def test_far_out_the_loss_is_still_a_number():
    loss = DevianceLoss(Tweedie(1.0), Log())
    assert float(loss.value(5.0, -1000.0)) == pytest.approx(5000 + 5 * np.log(5) - 5)
    large = DevianceLoss(Tweedie(1.0), Log())
    y, f = 1e8, np.log(1e8) + 1e-4
    assert float(large.value(y, f)) == pytest.approx(0.5 * y * 1e-8, rel=1e-4)
    assert float(loss.value(5.0, 1000.0)) == np.inf
    below = DevianceLoss(Binomial(), Log())
    assert float(below.value(1.0, -1000.0)) == pytest.approx(1000.0)
