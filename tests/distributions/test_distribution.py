"""Laws that hold for every distribution, every family and every conjugate prior."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.bernoulli import (
    Bernoulli,
    BernoulliFamily,
    Beta,
    BetaBinomial,
)
from corollary.distributions.binomial import Binomial, BinomialFamily
from corollary.distributions.categorical import (
    Categorical,
    CategoricalFamily,
    Dirichlet,
)
from corollary.distributions.distribution import fit_classes
from corollary.distributions.gaussian import Gaussian, GaussianFamily
from corollary.distributions.multinomial import (
    DirichletMultinomial,
    Multinomial,
    MultinomialFamily,
)
from corollary.distributions.normal_inverse_wishart import NormalInverseWishart
from corollary.distributions.normal_mean import NormalMean
from corollary.distributions.numerical_mle import numerical_mle, score
from corollary.distributions.poisson import (
    Gamma,
    NegativeBinomial,
    Poisson,
    PoissonFamily,
)
from corollary.distributions.student_t import StudentT
from corollary.distributions.uniform import (
    PowerLaw,
    Uniform,
    UniformFamily,
    UniformPredictive,
)

FEW = settings(max_examples=20, deadline=None)
LAWS = [
    Gaussian([1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]]),
    StudentT([1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]], 9.0),
    Bernoulli([0.2, 0.9]),
    Beta([2.0, 5.0], [3.0, 1.5]),
    BetaBinomial(6, [2.0, 1.0], [3.0, 1.0]),
    Binomial(5, [0.3, 0.6]),
    Categorical([0.2, 0.5, 0.3], [-1.0, 2.0, 5.0]),
    Dirichlet([2.0, 3.0, 4.0]),
    Multinomial([0.2, 0.5, 0.3], trials=4),
    DirichletMultinomial(4, [2.0, 3.0, 4.0]),
    Poisson([0.7, 6.0]),
    Gamma([2.0, 5.0], [1.0, 3.0]),
    NegativeBinomial([2.0, 4.5], [0.4, 0.6]),
    Uniform([2.0, 5.0]),
    PowerLaw(4.5, [1.0, 2.0], [6.0, np.inf]),
    UniformPredictive(5.5, [1.0, 2.0], [6.0, np.inf]),
]
FAMILIES = [
    (GaussianFamily(), LAWS[0]),
    (GaussianFamily("diagonal"), LAWS[0]),
    (GaussianFamily("spherical"), LAWS[0]),
    (BernoulliFamily(), LAWS[2]),
    (BinomialFamily(5), LAWS[5]),
    (CategoricalFamily(), LAWS[6]),
    (MultinomialFamily(), LAWS[8]),
    (MultinomialFamily(4), LAWS[8]),
    (PoissonFamily(), LAWS[10]),
    (UniformFamily(), LAWS[13]),
]
PRIORS = [
    (NormalMean([0.0, 0.0], 2.0, LAWS[0].covariance), *FAMILIES[0]),
    (NormalInverseWishart([0.0, 0.0], 2.0, np.eye(2), 4.0), *FAMILIES[0]),
    (Beta([2.0, 2.0], [1.0, 3.0]), *FAMILIES[3]),
    (Beta([2.0, 2.0], [1.0, 3.0]), *FAMILIES[4]),
    (Dirichlet([1.0, 2.0, 3.0], LAWS[6].values), *FAMILIES[5]),
    (Dirichlet([1.0, 2.0, 3.0]), *FAMILIES[7]),
    (Gamma([2.0, 1.0], [1.0, 0.5]), *FAMILIES[8]),
    (PowerLaw(2.0, [1.0, 1.0], [30.0, np.inf]), *FAMILIES[9]),
]


def name(value):
    return type(value).__name__


def parameters(law):
    values = [v for v in vars(law).values() if isinstance(v, float | np.ndarray)]
    return np.concatenate([np.ravel(v) for v in values])


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_draws_have_the_moments_and_the_entropy_of_the_law(law):
    X = law.sample(20000, random_state=0)
    assert X.shape == (20000, law.dimension)
    mean, S = law.moments()
    spread = np.sqrt(np.diag(S))
    assert (np.abs(X.mean(axis=0) - mean) < 5 * spread / np.sqrt(20000)).all()
    np.testing.assert_allclose(
        np.cov(X.T).reshape(S.shape) / np.outer(spread, spread),
        S / np.outer(spread, spread),
        atol=0.12,
    )
    logs = -law.logpdf(X)
    assert abs(logs.mean() - law.entropy()) < 5 * logs.std() / np.sqrt(20000) + 1e-9
    np.testing.assert_allclose(law.pdf(X), np.exp(-logs))


@pytest.mark.parametrize("law", LAWS, ids=name)
@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-2, 9), min_size=3, max_size=3))
@FEW
def test_a_log_density_is_never_nan(law, values):
    x = np.array([values[: law.dimension]], dtype=float)
    with np.errstate(all="raise", under="ignore"):
        value = law.logpdf(x)[0]
    assert not np.isnan(value)
    assert law.logpdf(np.full((1, law.dimension), -7.5))[0] == -np.inf or name(law) in (
        "Gaussian",
        "StudentT",
    )


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_infinity_is_outside_every_support(law):
    for end in (-np.inf, np.inf):
        assert law.logpdf(np.full((1, law.dimension), end))[0] == -np.inf


@pytest.mark.parametrize(("family", "law"), FAMILIES, ids=str)
@given(st.integers(0, 10**6))
@FEW
def test_sums_add_up_and_weights_are_repetitions(family, law, seed):
    rng = np.random.default_rng(seed)
    X = law.sample(30, rng)
    times = rng.integers(0, 4, 30)
    times[:2] = 1
    once = family.statistics(X, times)
    repeated = family.statistics(np.repeat(X, times, axis=0))
    parts = [family.statistics(part) for part in np.array_split(X, 4)]
    whole = family.statistics(X)
    together = (parts[2] + parts[0]) + (parts[3] + parts[1])
    for a, b in ((once, repeated), (together, whole)):
        np.testing.assert_allclose(
            parameters(family.mle(a)), parameters(family.mle(b)), rtol=1e-9, atol=1e-12
        )
    doubled = whole.scaled(2.0)
    fitted = family.mle(doubled)
    np.testing.assert_allclose(
        family.loglikelihood(doubled, fitted),
        2 * family.loglikelihood(whole, fitted),
        rtol=1e-12,
    )


@pytest.mark.parametrize(("family", "law"), FAMILIES, ids=str)
def test_likelihood_of_the_sums_is_that_of_the_rows(family, law):
    X = law.sample(40, random_state=1)
    w = np.random.default_rng(0).uniform(0.5, 2, 40)
    fitted = family.fit(X, w)
    np.testing.assert_allclose(
        family.loglikelihood(family.statistics(X, w), fitted),
        w @ fitted.logpdf(X),
        rtol=1e-10,
    )
    assert 1 <= family.n_parameters(fitted) <= 5


HOLDING = [FAMILIES[0], *FAMILIES[3:]]  # families that hold the truth


@pytest.mark.parametrize(("family", "law"), HOLDING, ids=str)
def test_estimates_come_near_the_truth(family, law):
    fitted = family.fit(law.sample(20000, random_state=5))
    mean, expected = fitted.moments()[0], law.moments()[0]
    if name(family) == "MultinomialFamily" and family.trials is None:
        expected = expected / 4  # of one draw
    np.testing.assert_allclose(mean, expected, atol=0.12)
    assert law.logpdf(law.sample(500, random_state=6)).mean() >= (
        fitted.logpdf(law.sample(500, random_state=6)).mean() - 0.05
    )


# -- priors ------------------------------------------------------------------------
@pytest.mark.course("S1-10", "S3-25")
@pytest.mark.parametrize(("prior", "family", "law"), PRIORS, ids=name)
@given(st.integers(1, 28), st.integers(0, 10**6))
@FEW
def test_row_by_row_ends_where_one_update_does(prior, family, law, cut, seed):
    X = law.sample(30, random_state=seed)
    batch = prior.posterior(family.statistics(X))
    first, second = family.statistics(X[cut:]), family.statistics(X[:cut])
    twice = prior.posterior(first).posterior(second)
    np.testing.assert_allclose(
        parameters(twice), parameters(batch), rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize(("prior", "family", "law"), PRIORS, ids=name)
def test_predictive_is_the_prior_averaged_over_one_row(prior, family, law):
    # p(a, b) = p(a) p(b | a) must not depend on the order of the two rows
    X = law.sample(6, random_state=2)
    after = prior.posterior(family.statistics(X))

    def joint(a, b):
        first = family.law_of(after, "predictive").logpdf(a)[0]
        second = after.posterior(family.statistics(a))
        return first + family.law_of(second, "predictive").logpdf(b)[0]

    for i in range(0, 6, 2):
        a, b = X[i : i + 1], X[i + 1 : i + 2]
        np.testing.assert_allclose(joint(a, b), joint(b, a), rtol=1e-9)


@pytest.mark.parametrize(("prior", "family", "law"), PRIORS, ids=name)
def test_posteriors_close_in_on_maximum_likelihood(prior, family, law):
    X = law.sample(40000, random_state=3)
    s = family.statistics(X)
    after = prior.posterior(s)
    mean = family.mle(s).moments()[0]
    for estimate in ("map", "predictive"):
        found = family.law_of(after, estimate).moments()[0]
        np.testing.assert_allclose(found, mean, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("prior", "family"), [(p, f) for p, f, _ in PRIORS[2:4] + PRIORS[6:]], ids=name
)
def test_posterior_is_prior_times_likelihood(prior, family):
    law = next(law for p, f, law in PRIORS if p is prior)
    X = law.sample(5, random_state=4)
    after = prior.posterior(family.statistics(X))
    theta = after.sample(6, random_state=0)
    make = {
        "BernoulliFamily": Bernoulli,
        "BinomialFamily": lambda p: Binomial(5, p),
        "PoissonFamily": Poisson,
        "UniformFamily": Uniform,
    }[name(family)]
    product = prior.logpdf(theta) + [make(t).logpdf(X).sum() for t in theta]
    difference = product - after.logpdf(theta)  # the evidence, whatever theta is
    np.testing.assert_allclose(difference, difference[0], rtol=1e-8)


# -- classes -----------------------------------------------------------------------
def gaussian_logpdf(X, theta):
    return -0.5 * ((X[:, 0] - theta[0]) ** 2 / theta[1] + np.log(2 * np.pi * theta[1]))


@pytest.mark.course("S1-7")
def test_classes_are_fitted_each_from_its_own_rows_in_closed_form_or_by_search():
    rng = np.random.default_rng(0)
    y = np.array(["b", "a", "b", "c"])[rng.integers(4, size=300)]
    X = rng.normal(size=300) * (1 + (y == "a")) + (y == "c") * 3
    w = rng.integers(0, 3, 300)
    closed = fit_classes(GaussianFamily().fit, X, y, w)
    assert closed.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(
        closed.priors, [w[y == c].sum() / w.sum() for c in "abc"]
    )
    searched = fit_classes(
        lambda X, w: numerical_mle(
            gaussian_logpdf, X, [0.0, 1.0], [(None, None), (1e-6, None)], w
        ),
        X,
        y,
        w,
    )
    for c, law, found in zip("abc", closed.laws, searched.laws, strict=True):
        own, weights = X[y == c], w[y == c]
        mean = np.average(own, weights=weights)
        variance = np.average((own - mean) ** 2, weights=weights)
        np.testing.assert_allclose(law.mean, mean, rtol=1e-12)
        np.testing.assert_allclose(law.covariance[0, 0], variance, rtol=1e-12)
        np.testing.assert_allclose(found.theta, [mean, variance], rtol=1e-6)
        assert found.kind == "interior"
        at = score(gaussian_logpdf, own, [mean, variance], weights)
        np.testing.assert_allclose(at, 0, atol=1e-6)  # the score vanishes


@pytest.mark.course("S1-7")
def test_the_score_of_the_variance_is_not_the_printed_one():
    x, m, v = 1.3, 0.2, 0.4
    right = (x - m) ** 2 / (2 * v**2) - 1 / (2 * v)
    np.testing.assert_allclose(
        score(gaussian_logpdf, [x], [m, v]), [(x - m) / v, right], rtol=1e-7
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_classes(GaussianFamily().fit, [1.0], ["a", "b"]), "one label for"),
        (lambda: BernoulliFamily().fit([0.5]), "0 and 1 only; got 0.5"),
        (lambda: BernoulliFamily().fit([0, 1], [1, -1]), "sample_weight"),
        (lambda: BernoulliFamily().fit([0, 1], [0, 0]), "above 0; got zero for every"),
        (lambda: BinomialFamily(3).fit([4]), "from 0 to trials = 3; got 4"),
        (lambda: PoissonFamily().fit([1.5]), "X must be whole numbers; got 1.5"),
        (lambda: PoissonFamily().fit([-1]), "X must be >= 0; got -1"),
        (lambda: MultinomialFamily().fit([[1, -2]]), "X must be >= 0; got -2"),
        (lambda: MultinomialFamily().fit([[1, 0.5]]), "whole numbers; got 0.5"),
        (lambda: MultinomialFamily(3).fit([[1, 1]]), "add up to trials = 3; got 2"),
        (lambda: CategoricalFamily().fit([[1, 2]]), "one column of values; got 2"),
        (lambda: UniformFamily().fit([-1.0]), "X must be >= 0; got -1"),
        (lambda: UniformFamily().fit([[0.0, 1.0]]), "zeros only in column 0"),
        (lambda: PoissonFamily().fit([]), "X must have rows; got none"),
        (lambda: Categorical([0.5, 0.6]), "p must add up to 1; got 1.1"),
        (lambda: Multinomial([0.5, 0.4]), "p must add up to 1; got 0.9"),
        (lambda: Poisson([-1.0]), "rate must be >= 0; got -1"),
        (
            lambda: Dirichlet([1.0, 1.0]).posterior(
                CategoricalFamily().statistics([5])
            ),
            r"the values \[0.0, 1.0\] only; got 5",
        ),
        (
            lambda: Dirichlet([1.0, 1.0]).posterior(
                MultinomialFamily().statistics([[1, 2, 3]])
            ),
            "X must have 2 columns",
        ),
        (
            lambda: PowerLaw(0, 0.0, 1.0).posterior(UniformFamily().statistics([2.0])),
            "at most high = 1, where the prior ends; got 2",
        ),
        (
            lambda: NormalInverseWishart(0.0, 1.0, 1.0, 1.0).posterior(
                GaussianFamily("diagonal").statistics([1.0])
            ),
            "sums of each feature alone",
        ),
    ],
)
def test_bad_data_gets_one_sentence(call, message):
    with pytest.raises(DataError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Bernoulli([1.5]), r"p must be numbers in \[0, 1\]; got 1.5"),
        (lambda: Beta(0.0, 1.0), "a must be > 0; got 0"),
        (lambda: Beta(1.0, 1.0).map(), "a mode needs a >= 1, b >= 1 and a"),
        (lambda: Beta(0.5, 2.0).map(), "a mode needs"),
        (lambda: Binomial(0, 0.5), "trials must be a whole number >= 1; got 0"),
        (lambda: BinomialFamily(2.5), "trials must be a whole number >= 1"),
        (lambda: BinomialFamily(2).law_of(Gamma(1.0, 1.0), "map"), "must be a Beta"),
        (lambda: Categorical([0.5, 0.5], [2, 1]), "2 different numbers in rising"),
        (lambda: Dirichlet([1.0]), "a vector of two numbers or more"),
        (lambda: Dirichlet([1.0, 1.0]).map(), "every alpha >= 1 and one > 1"),
        (lambda: Multinomial([1.0]).sample(2), "sample needs a number of trials"),
        (lambda: Multinomial([1.0]).entropy(), "entropy needs a number of trials"),
        (lambda: MultinomialFamily().law_of(Beta(1, 1), "map"), "must be a Dirichlet"),
        (lambda: Gamma(0.5, 1.0).map(), "a mode needs shape >= 1"),
        (lambda: NegativeBinomial(1.0, 1.0), r"p must be numbers in \(0, 1\)"),
        (lambda: Uniform([0.0]), "high must be > 0; got 0"),
        (lambda: PowerLaw(0, 2.0, 1.0), "high must exceed low; got 1"),
        (lambda: PowerLaw(1, 1.0, np.inf), "exponent must be > 1 for an infinite"),
        (lambda: PowerLaw(0, 0.0, 1.0).map(), "a mode needs exponent > 0"),
        (lambda: StudentT([0.0], 1.0, 0.0), "df must be > 0"),
        (lambda: NormalInverseWishart([0, 0], 1, 1.0, 1), "df must exceed d - 1 = 1"),
        (lambda: NormalMean(0.0, -1.0, 1.0), "eigenvalues >= 0; got -1"),
        (lambda: NormalMean([0, 0], [[1, 2], [0, 1]], 1.0), "must be symmetric"),
        (lambda: NormalMean([0, 0], [1, 2, 3], 1.0), "2 variances or a 2 x 2"),
    ],
)
def test_bad_parameters_get_one_sentence(call, message):
    with pytest.raises(ParameterError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
