import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone

import corollary
from corollary import ParametricDensity
from corollary.core.errors import DataError, ParameterError
from corollary.distributions.bernoulli import BernoulliFamily, Beta
from corollary.distributions.binomial import BinomialFamily
from corollary.distributions.categorical import Dirichlet
from corollary.distributions.gaussian import Gaussian
from corollary.distributions.normal_inverse_wishart import NormalInverseWishart
from corollary.distributions.normal_mean import NormalMean
from corollary.distributions.poisson import Gamma
from corollary.distributions.uniform import PowerLaw

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=(200, 3)) @ RNG.normal(size=(3, 3)) + [1.0, 2.0, -3.0]
COUNTS = RNG.poisson([1.0, 4.0, 2.0], (200, 3)).astype(float)
COINS = (RNG.random((200, 3)) < [0.2, 0.5, 0.9]).astype(float)
PRIORS = {
    "gaussian": [
        NormalMean(np.zeros(3), 9.0, np.eye(3)),
        NormalInverseWishart(np.zeros(3), 1.0, np.eye(3), 4.0),
    ],
    "bernoulli": [Beta(np.full(3, 2.0), np.full(3, 2.0))],
    "poisson": [Gamma(np.full(3, 2.0), np.full(3, 1.0))],
    "multinomial": [Dirichlet(np.full(3, 2.0))],
    "uniform": [PowerLaw(2.0, np.full(3, 0.1), np.full(3, 100.0))],
}
ROWS = {
    "gaussian": NORMAL,
    "bernoulli": COINS,
    "poisson": COUNTS,
    "multinomial": COUNTS,
    "uniform": COUNTS + 0.5,
    "categorical": COUNTS[:, :1],
}
CASES = [(f, None) for f in ROWS] + [(f, p) for f in PRIORS for p in PRIORS[f]]


@pytest.mark.course("S1-6", "S2-1")
@pytest.mark.parametrize("unbiased", [False, True])
def test_gaussian_equals_scipy(unbiased):
    model = ParametricDensity(unbiased=unbiased).fit(NORMAL)
    S = np.cov(NORMAL.T, bias=not unbiased)
    np.testing.assert_allclose(model.mean_, NORMAL.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.covariance_, S, rtol=1e-10)
    theirs = multivariate_normal(NORMAL.mean(axis=0), S).logpdf(NORMAL)
    np.testing.assert_allclose(model.score_samples(NORMAL), theirs, rtol=1e-9)
    np.testing.assert_allclose(model.score(NORMAL), theirs.mean(), rtol=1e-10)
    assert model.report_.optimality.value == 0
    assert model.report_.facts["n_parameters"] == 9
    if not unbiased:
        np.testing.assert_allclose(model.report_.objective, [-theirs.mean()])


@pytest.mark.parametrize(("family", "prior"), CASES, ids=str)
def test_chunks_streams_weights_and_files(family, prior, tmp_path):
    X = ROWS[family]
    model = ParametricDensity(family, prior=prior)
    with corollary.engine.use(executor="serial", chunk_rows=10**6):
        whole = clone(model).fit(X)
    expected = whole.score_samples(X)
    with corollary.engine.use(executor="threads", threads=2, chunk_rows=64):
        np.testing.assert_allclose(
            clone(model).fit(X).score_samples(X), expected, rtol=1e-9
        )
    stream = clone(model)
    for part in np.array_split(X, 5):
        stream.partial_fit(part)
    np.testing.assert_allclose(stream.score_samples(X), expected, rtol=1e-9)
    w = np.random.default_rng(1).integers(0, 3, len(X))
    w[:70] = 0  # whole chunks of weight 0
    with corollary.engine.use(chunk_rows=32):
        weighted = clone(model).fit(X, sample_weight=w)
    repeated = clone(model).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(
        weighted.score_samples(X), repeated.score_samples(X), rtol=1e-9
    )
    corollary.save(stream, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.score_samples(X), stream.score_samples(X))
    again.partial_fit(X)
    stream.partial_fit(X)
    np.testing.assert_array_equal(again.mean_, stream.mean_)


@pytest.mark.course("S3-21")
def test_every_family_learns_its_closed_form():
    for family, X in ROWS.items():
        model = ParametricDensity(family).fit(X)
        mean = {
            "multinomial": X.sum(axis=0) / X.sum(),
            "uniform": X.max(axis=0) / 2,
        }.get(family, X.mean(axis=0))
        np.testing.assert_allclose(model.mean_, mean, rtol=1e-12)
        assert model.covariance_.shape == (X.shape[1], X.shape[1])


def test_families_with_parameters_of_their_own():
    X = RNG.binomial(7, [0.3, 0.6], (100, 2)).astype(float)
    model = ParametricDensity(BinomialFamily(7)).fit(X)
    np.testing.assert_allclose(model.distribution_.p, X.mean(axis=0) / 7)
    prior = Beta(np.ones(2), np.ones(2))
    bayes = ParametricDensity(BinomialFamily(7), prior=prior).fit(X)
    assert type(bayes.distribution_).__name__ == "BetaBinomial"
    assert bayes.posterior_.a.shape == (2,)
    at_mode = ParametricDensity(BinomialFamily(7), prior=prior, estimate="map").fit(X)
    np.testing.assert_allclose(at_mode.mean_, model.mean_)  # the prior is flat


@pytest.mark.course("S1-10")
def test_predictive_is_wider_than_the_mode_and_meets_it_with_many_rows():
    prior = NormalMean(np.zeros(3), 9.0, np.eye(3))
    few = NORMAL[:2]
    predictive = ParametricDensity(prior=prior).fit(few)
    at_mode = ParametricDensity(prior=prior, estimate="map").fit(few)
    np.testing.assert_allclose(predictive.mean_, at_mode.mean_)
    extra = np.diag(predictive.covariance_ - at_mode.covariance_)
    np.testing.assert_allclose(extra, 1 / (2 + 1 / 9))
    many = np.tile(NORMAL, (50, 1))
    gap = ParametricDensity(prior=prior).fit(many).score_samples(
        NORMAL
    ) - ParametricDensity(prior=prior, estimate="map").fit(many).score_samples(NORMAL)
    assert np.abs(gap).max() < 0.01


@pytest.mark.course("S2-2")
def test_singular_covariances_are_shrunk_with_a_warning_or_refused():
    X = NORMAL[:3].repeat(2, axis=0) + 0.0
    model = ParametricDensity().fit(X)
    [warning] = model.report_.warnings
    assert warning.startswith("the covariance was singular (rank 2 of 3")
    assert np.isfinite(model.score_samples(NORMAL)).all()
    with pytest.raises(DataError, match="rank 2 of 3"):
        ParametricDensity(shrinkage=0.0).fit(X)
    assert not ParametricDensity(shrinkage=0.5).fit(X).report_.warnings
    assert not ParametricDensity().fit(NORMAL).report_.warnings
    constant = np.column_stack([NORMAL, np.full(200, 7.0)])
    [warning] = ParametricDensity(covariance="diagonal").fit(constant).report_.warnings
    assert "constant features [3]" in warning


def test_draws_and_support():
    model = ParametricDensity("poisson").fit(COUNTS)
    X = model.sample(500, random_state=0)
    assert X.shape == (500, 3)
    np.testing.assert_array_equal(X, model.sample(500, random_state=0))
    np.testing.assert_allclose(X.mean(axis=0), model.mean_, atol=0.5)
    assert model.score_samples([[0.5, 1, 1]])[0] == -np.inf


def test_report_reads_well():
    text = str(ParametricDensity().fit(NORMAL).report_)
    assert "exact to rounding" in text
    assert "conditioning" in text
    assert "Gaussian" in text


@pytest.mark.parametrize(
    ("parameters", "X", "error", "message"),
    [
        ({"family": "cauchy"}, NORMAL, ParameterError, "family must be one of"),
        ({"family": 3}, NORMAL, ParameterError, "or a Family; got 3"),
        ({"covariance": "tied"}, NORMAL, ParameterError, "covariance must be one of"),
        ({"shrinkage": 2}, NORMAL, ParameterError, "shrinkage must be"),
        ({"prior": "flat"}, NORMAL, ParameterError, "None or a Prior; got 'flat'"),
        ({"estimate": "mean"}, NORMAL, ParameterError, "estimate must be one of"),
        ({"family": "bernoulli"}, NORMAL, DataError, "0 and 1 only"),
        ({"family": "poisson"}, NORMAL, DataError, "must be >= 0"),
        ({"family": "poisson"}, COUNTS + 0.5, DataError, "whole numbers"),
        ({"family": "categorical"}, COUNTS, DataError, "one column"),
        ({"prior": Beta(1.0, 1.0)}, NORMAL, ParameterError, "prior must be one for"),
        ({}, NORMAL[:1], DataError, "n_samples = 1"),
        ({}, np.empty((0, 2)), DataError, "rows"),
        ({}, [[np.nan]], DataError, "Input X must be finite"),
    ],
)
def test_bad_input_gets_one_sentence(parameters, X, error, message):
    with pytest.raises(error, match=message) as caught:
        ParametricDensity(**parameters).fit(X)
    assert "\n" not in str(caught.value)


def test_family_object_is_shown_by_its_laws():
    model = ParametricDensity(BernoulliFamily()).fit(COINS)
    assert model.distribution_.p.shape == (3,)
    assert isinstance(ParametricDensity().fit(NORMAL).distribution_, Gaussian)
