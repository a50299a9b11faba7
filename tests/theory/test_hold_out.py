"""What rows that a model has never seen prove about its risk."""

import numpy as np
import pytest
from scipy.stats import binomtest

from corollary.core.errors import DataError, ParameterError
from corollary.theory import chernoff_kl, hold_out_bound, validation_bound

METHODS = ["kl", "hoeffding", "bernstein", "betting"]
LAWS = {
    "rare errors": (lambda rng, s: (rng.random(s) < 0.02).astype(float), 0.02),
    "coin": (lambda rng, s: (rng.random(s) < 0.5).astype(float), 0.5),
    "often": (lambda rng, s: (rng.random(s) < 0.9).astype(float), 0.9),
    "uniform": (lambda rng, s: rng.random(s), 0.5),
    "small": (lambda rng, s: rng.beta(1, 19, s), 0.05),
    "constant": (lambda rng, s: np.full(s, 0.3), 0.3),
}


def failures(law, method, draws, n=60, delta=0.1):
    draw, risk = LAWS[law]
    X = draw(np.random.default_rng(7), (draws, n))
    values = [hold_out_bound(x, delta, method=method).value for x in X]
    return np.mean(np.array(values) < risk - 1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("method", METHODS)
def test_bounds_fail_in_at_most_delta_of_the_draws(law, method):
    assert failures(law, method, 250) <= 0.1 + 2.33 * np.sqrt(0.09 / 250)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("method", METHODS)
def test_bounds_fail_in_at_most_delta_of_many_draws(law, method):
    assert failures(law, method, 10_000) <= 0.1 + 3 * np.sqrt(0.09 / 10_000)


def test_the_exact_bound_is_the_binomial_one():
    bound = hold_out_bound(n=1000, errors=83, delta=0.01)
    expected = binomtest(83, 1000, alternative="less").proportion_ci(0.99).high
    assert bound.value == pytest.approx(expected)
    x = np.zeros(1000)
    x[:83] = 1
    assert hold_out_bound(x, 0.01).value == bound.value
    assert bound.holds
    assert not bound.vacuous
    assert len(bound.assumptions) == 2


def test_formulas_of_the_textbooks():
    x = np.array([0.0, 0.2, 0.4, 0.8, 0.1] * 40)
    n, log = len(x), np.log(20)
    assert hold_out_bound(x, method="hoeffding").value == pytest.approx(
        0.3 + np.sqrt(log / (2 * n))
    )
    assert hold_out_bound(x, method="kl").value == pytest.approx(
        chernoff_kl(n=n, loss=0.3, delta=0.05)
    )
    spread = np.sqrt(2 * x.var(ddof=1) * np.log(40) / n)
    assert hold_out_bound(x, method="bernstein").value == pytest.approx(
        0.3 + spread + 7 * np.log(40) / (3 * (n - 1))
    )


def test_betting_is_below_hoeffding_and_bernstein_where_losses_vary_little():
    rng = np.random.default_rng(0)
    x = rng.beta(5, 95, 500)
    values = {m: hold_out_bound(x, method=m).value for m in METHODS}
    assert values["betting"] < min(values["hoeffding"], values["bernstein"])
    assert values["betting"] < values["kl"]


@pytest.mark.parametrize("method", METHODS)
def test_a_range_of_losses_scales_the_bound(method):
    x = np.random.default_rng(1).random(200)
    plain = hold_out_bound(x, method=method)
    wide = hold_out_bound(3 * x - 1, method=method, low=-1, high=2)
    assert wide.value == pytest.approx(3 * plain.value - 1)
    assert wide.largest == 2
    assert "No loss is below -1 or above 2." in wide.assumptions


def test_weights_count_as_shares_and_never_as_rows():
    x = np.random.default_rng(2).random(300)
    plain = hold_out_bound(x, method="hoeffding").value
    ones = hold_out_bound(x, method="hoeffding", sample_weight=np.full(300, 7.0))
    assert ones.value == pytest.approx(plain)
    half = np.repeat([0.0, 1.0], 150)
    rest = hold_out_bound(x, method="hoeffding", sample_weight=half).value
    assert rest == pytest.approx(hold_out_bound(x[150:], method="hoeffding").value)
    with pytest.raises(DataError, match="hoeffding"):
        hold_out_bound(x, method="kl", sample_weight=half)


def test_groups_are_the_rows():
    x = np.repeat(np.random.default_rng(3).random(40), 50)  # a group has one loss
    bound = hold_out_bound(x, method="kl", groups=np.repeat(np.arange(40), 50))
    assert bound.value == pytest.approx(hold_out_bound(x[::50], method="kl").value)
    assert bound.value > hold_out_bound(x, method="kl").value
    with pytest.raises(DataError, match="groups"):
        hold_out_bound((x > 0.5) * 1.0, groups=x)


def test_a_choice_among_models_pays_for_the_union():
    errors = [50, 40, 45]
    found = validation_bound(n=500, errors=errors, prior=[0.8, 0.1, 0.1])
    for k, pi, value in zip(errors, [0.8, 0.1, 0.1], found.bounds, strict=True):
        assert value == pytest.approx(
            hold_out_bound(n=500, errors=k, delta=0.05 * pi).value
        )
    assert found.chosen == 1
    assert found.bound.value == found.bounds[1]
    assert "loss 0.08" in str(found)
    one = validation_bound(n=500, errors=[40])
    assert one.bound.value == pytest.approx(hold_out_bound(n=500, errors=40).value)


@pytest.mark.parametrize("method", ["exact", *METHODS])
def test_the_bound_on_the_best_of_many_coins_holds(method):
    rng, misses = np.random.default_rng(5), 0
    for _ in range(60):
        X = (rng.random((30, 50)) < 0.4) * 1.0
        misses += validation_bound(X, 0.1, method=method).bound.value < 0.4
    assert misses <= 60 * 0.1 + 6
    naive = np.mean(
        [
            hold_out_bound(min((rng.random((30, 50)) < 0.4), key=sum) * 1.0, 0.1).value
            < 0.4
            for _ in range(60)
        ]
    )
    assert naive > 0.5  # the bound for one model does not hold for the best of 30


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"n": 10},
        {"losses": [0.0, 1.0], "n": 2, "errors": 1},
        {"losses": [0.0, 0.5]},
        {"losses": [0.0, 2.0], "method": "kl"},
        {"losses": []},
        {"losses": [np.nan], "method": "kl"},
        {"losses": ["a"], "method": "kl"},
        {"losses": [0.5], "method": "bernstein"},
        {"losses": [0.5, 0.5], "method": "best"},
        {"losses": [0.5, 0.5], "method": "kl", "delta": 1.5},
        {"losses": [0.5, 0.5], "method": "kl", "low": 1, "high": 1},
        {"losses": [0.0, 1.0], "low": -1},
        {"n": 10, "errors": 3, "method": "betting"},
        {"n": 10, "errors": 30},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given):
    with pytest.raises((DataError, ParameterError), match=r"^hold_out_bound: .*; got"):
        hold_out_bound(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"losses": [0.0, 1.0]},
        {"n": 10, "errors": [1, 2], "prior": [0.9, 0.2]},
        {"n": 10, "errors": [1, 2], "prior": [0.9]},
        {"n": 10, "errors": [1, 2], "prior": [1.0, 0.0]},
        {"n": 10, "errors": [1, 2], "method": "betting"},
    ],
)
def test_what_makes_no_choice_is_refused_in_a_sentence(given):
    error = (DataError, ParameterError)
    with pytest.raises(error, match=r"^validation_bound: .*; got"):
        validation_bound(**given)
