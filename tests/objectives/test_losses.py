import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from corollary.core.errors import DataError, ParameterError
from corollary.objectives.losses import (
    LOSSES,
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Perceptron,
    Quantile,
    Sigmoid,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    risk,
    zero_one,
)

FAMILY = [
    Logistic(),
    Logistic(2),
    Exponential(),
    Sigmoid(),
    Hinge(),
    SquaredHinge(),
    ModifiedHuber(),
    Perceptron(),
    Squared(),
    Absolute(),
    Quantile(0.3),
    Huber(0.7),
    Huber(1.35),
    EpsilonInsensitive(0.25),
    SquaredEpsilonInsensitive(0.25),
]
AT = np.array([-3.3, -1.71, -0.9, -0.31, 0.13, 0.62, 1.2, 2.7])  # away from corners


def expected(loss, eta, f):
    return eta * loss.value(1.0, f) + (1 - eta) * loss.value(-1.0, f)


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", FAMILY, ids=repr)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_derivatives_are_those_of_the_value(loss, y):
    h = 1e-6
    slope = (loss.value(y, AT + h) - loss.value(y, AT - h)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(y, AT), slope, rtol=1e-7, atol=1e-8)
    bend = (loss.derivative(y, AT + h) - loss.derivative(y, AT - h)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(y, AT), bend, rtol=1e-6, atol=1e-7)


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", FAMILY, ids=repr)
def test_convexity_and_the_lipschitz_constant_of_the_derivative(loss):
    u = np.linspace(-12, 12, 200_001)
    slope = loss.slope(u)
    assert (np.diff(slope) >= -1e-12).all() == loss.convex
    steepest = np.abs(np.diff(slope) / np.diff(u)).max()
    if np.isfinite(loss.lipschitz):
        assert steepest == pytest.approx(loss.lipschitz, rel=1e-5)
        assert np.abs(loss.bend(u)).max() <= loss.lipschitz * (1 + 1e-12)
    else:
        assert steepest > 1000  # a jump, or no bound


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", FAMILY, ids=repr)
@pytest.mark.parametrize("eta", [0.03, 0.2, 0.45, 0.55, 0.8, 0.97])
def test_population_minimiser_minimises_the_expected_loss(loss, eta):
    f = float(loss.minimizer(eta))
    found = minimize_scalar(
        lambda v: expected(loss, eta, v), bounds=(-8, 8), method="bounded"
    )
    grid = expected(loss, eta, np.linspace(-8, 8, 4001)).min()
    assert expected(loss, eta, f) <= min(found.fun, grid) + 1e-12


TABLE = [  # what the course states, with eta = 0.8 and log(0.8/0.2) = log 4
    (Exponential(), 0.5 * np.log(4)),
    (Logistic(), np.log(4)),
    (Sigmoid(), np.log(4)),
    (Hinge(), 1.0),
    (SquaredHinge(), 0.6),
    (Squared(), 0.6),
    (Absolute(), 1.0),
    (EpsilonInsensitive(0.25), 0.75),
    (SquaredEpsilonInsensitive(0.25), 0.45),
]


@pytest.mark.course("S2-17")
@pytest.mark.parametrize(("loss", "f"), TABLE, ids=lambda v: repr(v))
def test_calibration_table(loss, f):
    assert float(loss.minimizer(0.8)) == pytest.approx(f, rel=1e-12)
    assert float(loss.minimizer(0.2)) == pytest.approx(-f, rel=1e-12)
    assert loss.calibrated


@pytest.mark.course("S2-17")
def test_links_invert_the_minimiser_where_it_has_an_inverse():
    eta = np.linspace(0.01, 0.99, 99)
    for loss in FAMILY:
        if loss.invertible:
            back = loss.probability(loss.minimizer(eta))
            np.testing.assert_allclose(back, eta, rtol=1e-10, err_msg=repr(loss))
    names = {type(loss).__name__ for loss in FAMILY if not loss.invertible}
    assert names == {
        "Hinge",
        "Perceptron",
        "Absolute",
        "Quantile",
        "EpsilonInsensitive",
    }
    with pytest.raises(DataError) as caught:
        Hinge().probability(0.5)
    assert str(caught.value) == (
        "Hinge: the population minimiser must be strictly increasing; got one that has "
        "no inverse. Use the logistic loss, or calibrate the scores."
    )


@pytest.mark.course("S2-17")
def test_convex_with_a_falling_slope_at_0_is_calibrated_and_convexity_not_needed():
    for loss in FAMILY:
        if loss.margin and loss.convex and loss.slope(np.array(0.0)) < 0:
            left, right = loss.slope(np.array(-1e-9)), loss.slope(np.array(1e-9))
            if np.isclose(left, right, atol=1e-6):  # differentiable at 0
                assert loss.calibrated, loss
    assert Sigmoid().calibrated
    assert not Sigmoid().convex
    assert not Perceptron().calibrated  # not differentiable at 0
    assert not Quantile(0.3).calibrated
    assert not EpsilonInsensitive(1.0).calibrated


@pytest.mark.course("S2-17", "S1-32")
def test_which_surrogates_bound_the_error_rate():
    # log 2 < 1 at u = 0: the natural logarithm does not; base 2 does
    assert not Logistic().bounds_zero_one
    above = [Logistic(2), Exponential(), Hinge(), SquaredHinge(), ModifiedHuber()]
    assert all(loss.bounds_zero_one for loss in above)
    below = [Sigmoid(), Perceptron(), Squared()]
    assert not any(loss.bounds_zero_one for loss in below)
    rng = np.random.default_rng(0)
    y, f = rng.choice([-1.0, 1.0], 500), rng.normal(size=500)
    errors = (np.where(f > 0, 1, -1) != y).mean()
    assert risk(zero_one, y, f) == pytest.approx(errors)
    for loss in above:
        assert risk(loss, y, f) >= errors
    assert risk(Squared(), y, f) == pytest.approx(((y - f) ** 2).mean() / 2)
    p = 1 / (1 + np.exp(-f))
    entropy = -np.where(y > 0, np.log(p), np.log(1 - p)).mean()
    assert risk(Logistic(), y, f) == pytest.approx(entropy)
    assert risk(Sigmoid(), y, f) == pytest.approx((((y > 0) - p) ** 2).mean())


@pytest.mark.course("S1-32")
def test_no_gradient_moves_the_zero_one_risk_but_its_surrogates_fall():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=200), rng.choice([-1.0, 1.0], 200)
    w, h = 0.7, 1e-9
    assert risk(zero_one, y, (w + h) * x) == risk(zero_one, y, w * x)
    for loss in (Squared(), Logistic(), Hinge()):
        gradient = (loss.derivative(y, w * x) * x).mean()
        assert risk(loss, y, (w - 1e-3 * gradient) * x) < risk(loss, y, w * x)


def test_regression_minimisers_are_mean_median_and_quantile():
    y = np.random.default_rng(2).exponential(size=101)
    grid = np.linspace(0, 5, 50_001)
    for loss, wanted in (
        (Squared(), y.mean()),
        (Absolute(), np.median(y)),
        (Quantile(0.9), np.quantile(y, 0.9, method="inverted_cdf")),
    ):
        total = sum(loss.value(v, grid) for v in y)
        assert grid[total.argmin()] == pytest.approx(wanted, abs=1e-4)


def test_extreme_scores_stay_finite():
    u = np.array([-1e4, 1e4])
    for loss in (Logistic(), Sigmoid(), Hinge(), ModifiedHuber()):
        for values in (loss.at(u), loss.slope(u), loss.bend(u)):
            assert np.isfinite(values).all()
    assert Logistic().at(u).tolist() == [1e4, 0.0]


def test_weights_of_the_risk_count_as_repetition():
    y, f = np.array([1.0, -1.0, 1.0]), np.array([0.3, 0.4, -0.2])
    twice = risk(Hinge(), np.append(y, y[1]), np.append(f, f[1]))
    assert risk(Hinge(), y, f, [1, 2, 1]) == pytest.approx(twice)


def test_bad_input_is_told_in_one_sentence():
    for make, text in (
        (lambda: Huber(0.0), "Huber: delta must be > 0; got 0.0."),
        (lambda: Quantile(1.0), "Quantile: q must be between 0 and 1; got 1.0."),
        (
            lambda: EpsilonInsensitive(-1.0),
            "EpsilonInsensitive: epsilon must be >= 0; got -1.0.",
        ),
        (lambda: Logistic(1.0), "Logistic: base must be > 1; got 1.0."),
    ):
        with pytest.raises(ParameterError) as caught:
            make()
        assert str(caught.value) == text
    for call, text in (
        (lambda: Hinge().minimizer(1.5), "Hinge: eta must be a probability; got 1.5."),
        (
            lambda: risk(Hinge(), [0.0, 1.0], [1.0, 1.0]),
            "risk: y must hold labels -1 and +1 for a loss of the margin; got 0.",
        ),
        (
            lambda: risk(Hinge(), [1.0], [1.0, 1.0]),
            "risk: y and f must be vectors of one length; got shapes (1,) and (2,).",
        ),
        (lambda: risk(Hinge(), [1.0], [np.nan]), "risk: Input f must be finite; "),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(text)


def test_every_name_makes_its_loss():
    assert {type(make()) for make in LOSSES.values()} == {type(x) for x in FAMILY}
