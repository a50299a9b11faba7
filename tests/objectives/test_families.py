import numpy as np
import pytest
import scipy.integrate
from scipy import stats
from sklearn.metrics import mean_tweedie_deviance

from corollary.core.errors import DataError, ParameterError
from corollary.objectives.families import Binomial, Tweedie, family_named
from corollary.objectives.links import LINKS, Power

MU = np.array([0.4, 1.0, 2.5, 7.0])
Y = np.array([0.9, 1.0, 1.5, 11.0])


@pytest.mark.parametrize("power", [0, 1, 1.5, 1.9, 2, 3, 4.2])
def test_unit_deviance_is_the_integral_of_the_variance_function(power):
    family = Tweedie(float(power))
    for y, mu, d in zip(Y, MU, family.unit_deviance(Y, MU), strict=True):
        area, _ = scipy.integrate.quad(
            lambda t, y=y: (y - t) / family.variance(t), mu, y, epsabs=1e-13
        )
        assert d == pytest.approx(2 * area, rel=1e-9, abs=1e-12)
    mean = float(np.mean(family.unit_deviance(Y, MU)))
    assert mean == pytest.approx(mean_tweedie_deviance(Y, MU, power=power), rel=1e-12)


def test_zero_counts_have_a_deviance():
    zero, mu = np.zeros(1), np.array([1.7])
    assert Tweedie(1.0).unit_deviance(zero, mu)[0] == pytest.approx(3.4)
    assert Tweedie(1.5).unit_deviance(zero, mu)[0] == pytest.approx(
        4 * np.sqrt(1.7), rel=1e-12
    )


@pytest.mark.course("S4-37")
@pytest.mark.parametrize(
    ("family", "link", "y"),
    [
        *(
            (Tweedie(p), name, Y)
            for p in (0.0, 1.0, 1.6, 2.0, 3.0)
            for name in ("log",)
        ),
        (Tweedie(2.0), "reciprocal", Y),
        (Tweedie(1.0), "identity", Y),
        *(
            (Binomial(shares=True), name, np.array([0.0, 1.0, 0.3, 0.8]))
            for name in ("logit", "probit", "cloglog", "log")
        ),
    ],
)
def test_slope_and_weight_are_derivatives_of_the_loss(family, link, y):
    link = LINKS[link]
    mu = np.array([0.2, 0.4, 0.7, 0.9])
    eta, step = link.of(mu), 1e-5

    def loss(e):
        return family.terms(y, e, link).loss

    at = family.terms(y, eta, link)
    np.testing.assert_allclose(at.loss, family.unit_deviance(y, mu) / 2, rtol=1e-9)
    numeric = (loss(eta + step) - loss(eta - step)) / (2 * step)
    np.testing.assert_allclose(at.slope, numeric, rtol=1e-6, atol=1e-8)
    # the weight is the expected curvature: with y = mu it is the curvature itself
    here = family.terms(mu, eta, link)
    up, down = (family.terms(mu, eta + s, link).loss for s in (1e-4, -1e-4))
    np.testing.assert_allclose(here.weight, (up + down) / 1e-8, rtol=1e-4)
    variance = (y - mu) ** 2 / family.variance(mu)
    np.testing.assert_allclose(at.pearson, variance, rtol=1e-9)


@pytest.mark.course("S4-37")
@pytest.mark.parametrize("power", [0.0, 1.0])
def test_canonical_link_makes_the_gradient_mean_minus_response(power):
    family = Tweedie(power)
    eta = np.array([0.1, 0.5, 1.2, 2.0])
    link = family.canonical()
    slope = family.terms(Y, eta, link).slope
    np.testing.assert_allclose(slope, link.inverse(eta) - Y, rtol=1e-12)
    shares = np.array([0.0, 1.0, 0.25, 1.0])
    logit = Binomial().terms(shares, eta, Binomial().canonical())
    expected = LINKS["logit"].inverse(eta) - shares
    np.testing.assert_allclose(logit.slope, expected, rtol=1e-12)
    assert Tweedie(2.0).canonical() == Power(-1.0)


@pytest.mark.parametrize(
    ("power", "law"),
    [
        (1, lambda y, mu, phi: stats.poisson.logpmf(y, mu)),
        (2, lambda y, mu, phi: stats.gamma.logpdf(y, 1 / phi, scale=mu * phi)),
        (3, lambda y, mu, phi: stats.invgauss.logpdf(y, mu * phi, scale=1 / phi)),
    ],
)
def test_log_likelihood_is_that_of_the_law(power, law):
    family, phi = Tweedie(float(power)), 1.0 if power == 1 else 0.37
    y, w = np.array([1.0, 3.0, 2.0, 9.0]), np.array([1.0, 2.0, 1.0, 3.0])
    deviance = float(w @ family.unit_deviance(y, MU))
    ours = family.log_likelihood(deviance, phi, w.sum(), family.constant(y, w))
    assert ours == pytest.approx(w @ law(y, MU, phi), rel=1e-12)


def test_log_likelihood_of_shares_counts_the_ways():
    mu, trials, wins = np.array([0.2, 0.6]), np.array([10.0, 7.0]), np.array([3.0, 7.0])
    family = Binomial()
    deviance = float(trials @ family.unit_deviance(wins / trials, mu))
    ours = family.log_likelihood(
        deviance, 1.0, 17.0, family.constant(wins / trials, trials)
    )
    assert ours == pytest.approx(stats.binom.logpmf(wins, trials, mu).sum(), rel=1e-12)
    assert Tweedie(1.5).log_likelihood(1.0, 1.0, 3.0, 0.0) is None


@pytest.mark.parametrize("eta", [-900.0, -50.0, 50.0, 900.0])
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_a_sure_probability_gives_no_nan(link, eta):
    y, at = np.array([0.0, 1.0]), np.full(2, eta)
    terms = Binomial(shares=False).terms(y, at, LINKS[link])
    assert not np.isnan(terms.loss).any()
    assert not np.isnan(terms.slope).any()
    assert not np.isnan(terms.weight).any()


@pytest.mark.parametrize(
    ("name", "power", "bad", "words"),
    [
        ("poisson", 0, -1.0, "y must be >= 0 for the poisson family; got -1 in row 7"),
        ("gamma", 0, 0.0, "y must be > 0 for the gamma family; got 0 in row 7"),
        ("bernoulli", 0, 0.5, "y must be 0 or 1 for the bernoulli family; got 0.5"),
        ("binomial", 0, 1.5, "y must be a share in .0, 1. for the binomial family"),
        ("inverse_gaussian", 0, -2.0, "y must be > 0 for the inverse gaussian family"),
        ("tweedie", 1.5, -2.0, r"y must be >= 0 for the Tweedie \(power 1.5\) family"),
    ],
)
def test_a_response_out_of_range_is_one_sentence(name, power, bad, words):
    family = family_named("GLM", name, power)
    with pytest.raises(DataError, match=words):
        family.check("GLM", np.array([1.0, 1.0, bad]), first_row=5)
    family.check("GLM", np.array([1.0, 1.0]))


def test_no_law_between_0_and_1():
    with pytest.raises(ParameterError, match="power must be at most 0 or at least 1"):
        family_named("GLM", "tweedie", 0.5)
