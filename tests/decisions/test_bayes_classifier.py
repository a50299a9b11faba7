import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

import corollary
from corollary import (
    BayesClassifier,
    CostSensitiveClassifier,
    GaussianNB,
    ParametricDensity,
)
from corollary.core.errors import DataError, ModelFileError, ParameterError
from corollary.distributions import NormalMean


def make(n=300, d=2, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, p=[0.5, 0.3, 0.2][:k], size=n)
    means, scale = rng.normal(size=(k, d)) * 2, 1 + np.arange(k)
    return means[y] + rng.normal(size=(n, d)) * scale[y][:, None], y


def predictive(sd, prior_sd):
    """Return the library's Bayesian predictive classifier, its variance known."""
    prior = NormalMean(0.0, prior_sd**2, sd**2)
    return BayesClassifier(ParametricDensity(prior=prior))


def plug_in(sd):
    """Return the same rule with the mean of the rows taken for the truth."""
    prior = NormalMean(0.0, 1e12, sd**2)  # says nothing
    return BayesClassifier(ParametricDensity(prior=prior, estimate="map"))


@pytest.mark.course("S1-1", "S3-6")
def test_one_normal_for_each_class_is_the_quadratic_discriminant():
    X, y = make()
    ours = BayesClassifier(GaussianMixture(1, reg_covar=0)).fit(X, y)
    joint = np.column_stack(
        [
            multivariate_normal(X[y == c].mean(0), np.cov(X[y == c].T, bias=True)).pdf(
                X
            )
            * (y == c).mean()
            for c in range(3)
        ]
    )
    P = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(X), P, rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), P.argmax(axis=1))


@pytest.mark.course("S3-5", "S3-6")
def test_diagonal_normals_are_naive_bayes_and_equal_priors_maximum_likelihood():
    X, y = make()
    diagonal = GaussianMixture(1, covariance_type="diag", reg_covar=0)
    ours = BayesClassifier(diagonal).fit(X, y)
    naive = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), naive.predict_proba(X), rtol=1e-7, atol=1e-12
    )
    even = BayesClassifier(diagonal, priors=[1 / 3] * 3).fit(X, y)
    likelihood = np.column_stack([d.score_samples(X) for d in even.densities_])
    np.testing.assert_array_equal(even.predict(X), likelihood.argmax(axis=1))
    np.testing.assert_array_equal(even.class_prior_, [1 / 3] * 3)


@pytest.mark.course("S1-1")
def test_parzen_classifier_with_weights():
    X, y = make()
    w = np.random.default_rng(0).integers(0, 3, len(y))
    density = KernelDensity(bandwidth=0.5)
    weighted = BayesClassifier(density).fit(X, y, sample_weight=w.astype(float))
    again = BayesClassifier(density).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(
        weighted.predict_proba(X), again.predict_proba(X), rtol=1e-6, atol=1e-10
    )
    np.testing.assert_allclose(weighted.class_prior_, again.class_prior_)
    small = BayesClassifier(KernelDensity(bandwidth=0.01)).fit(X, y)
    assert small.score(X, y) == 1.0  # a small window learns by heart


@pytest.mark.course("S1-9")
@pytest.mark.parametrize("weighted", [False, True])
def test_predictive_densities_in_closed_form(weighted):
    X, y = make(40, d=1)
    w = np.random.default_rng(1).integers(1, 4, 40) if weighted else np.ones(40)
    given = w.astype(float) if weighted else None
    model = predictive(1.5, 2.0).fit(X, y, sample_weight=given)
    joint = []
    for c in range(3):
        x, n = np.repeat(X[y == c], w[y == c].astype(int)), w[y == c].sum()
        mean = 2.0**2 * x.sum() / (1.5**2 + n * 2.0**2)
        variance = 1.5**2 + (1.5**2 * 2.0**2) / (1.5**2 + n * 2.0**2)
        joint.append(norm.pdf(X[:, 0], mean, np.sqrt(variance)) * n / w.sum())
        np.testing.assert_allclose(model.densities_[c].mean_, mean)
        np.testing.assert_allclose(model.densities_[c].covariance_, variance)
    P = np.column_stack(joint)
    P /= P.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), P, rtol=1e-10)


@pytest.mark.course("S1-9")
def test_the_density_is_the_average_over_the_posterior():
    X, y = make(30, d=1, seed=5)
    model = predictive(1.5, 2.0).fit(X, y)
    t = np.linspace(-30, 30, 20_001)  # values of the mean
    at = np.array([-3.0, 0.0, 2.5])
    for c, density in enumerate(model.densities_):
        rows = X[y == c, 0]
        weights = norm.logpdf(t, 0, 2.0) + norm.logpdf(rows[:, None], t, 1.5).sum(0)
        weights = np.exp(weights - weights.max())
        averaged = norm.pdf(at[:, None], t, 1.5) @ weights / weights.sum()
        ours = np.exp(density.score_samples(at[:, None]))
        np.testing.assert_allclose(ours, averaged, rtol=1e-9)


@pytest.mark.course("S1-9")
def test_the_predictive_classifier_tends_to_the_plug_in_one():
    gaps = []
    for n in (20, 200, 2000, 20_000):
        X, y = make(n, d=1, seed=3)
        grid = np.linspace(-8, 8, 200)[:, None]
        uncertain = predictive(1.5, 2.0).fit(X, y)
        plugged = plug_in(1.5).fit(X, y)
        for c, density in enumerate(plugged.densities_):
            np.testing.assert_allclose(density.mean_, X[y == c].mean(), rtol=1e-9)
            np.testing.assert_allclose(density.covariance_, 1.5**2)
        gap = np.abs(uncertain.predict_proba(grid) - plugged.predict_proba(grid))
        gaps.append(gap.max())
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.02
    assert gaps[-1] < 2e-3
    # a class of one row is believed less than the plug-in rule believes it
    X, y = np.array([[0.0], [0.1], [-0.1], [4.0]]), [0, 0, 0, 1]
    wary, sure = predictive(1.0, 100.0).fit(X, y), plug_in(1.0).fit(X, y)
    assert wary.predict_proba([[4.0]])[0, 1] < sure.predict_proba([[4.0]])[0, 1]


def test_far_rows_have_finite_probabilities_and_silent_ones_the_prior():
    X, y = make()
    model = BayesClassifier(GaussianMixture(1)).fit(X, y)
    P = model.predict_proba([[1e5, -1e5], [0.0, 0.0]])
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    boxes = BayesClassifier(KernelDensity(kernel="tophat", bandwidth=0.5)).fit(X, y)
    far = boxes.predict_proba([[1e3, 1e3]])
    np.testing.assert_allclose(far[0], boxes.class_prior_)


def test_bad_input():
    X, y = make(60)
    for parameters, part in [
        ({"density": GaussianNB()}, "GaussianNB: the estimator must offer score_s"),
        ({"density": "normal"}, "density must be None or an estimator; got 'normal'."),
        (
            {"priors": [0.5, 0.5]},
            "must match number of classes = 3; got 2.",
        ),
        ({"priors": [0.5, 0.5, 0.5]}, "The sum of the priors should be 1; got 1.5."),
    ]:
        with pytest.raises((ParameterError, DataError)) as caught:
            BayesClassifier(**{"density": KernelDensity(), **parameters}).fit(X, y)
        assert part in str(caught.value)
    with pytest.raises(ParameterError, match="takes it; got a GaussianMixture"):
        BayesClassifier(GaussianMixture(1)).fit(X, y, np.ones(60))
    with pytest.raises(DataError, match="Input X must be finite"):
        BayesClassifier(KernelDensity()).fit([[0.0], [np.nan]], [0, 1])


# -- the default density -----------------------------------------------------------
def test_a_class_of_equal_rows_borrows_the_spread_of_all():
    X = np.array([[0.0, 0], [1, 0], [0, 1], [4, 4], [4, 4]])
    model = BayesClassifier().fit(X, [0, 0, 0, 1, 1])
    spread = np.cov(X.T, bias=True)
    expected = multivariate_normal([4, 4], spread).logpdf(X)
    np.testing.assert_allclose(model.densities_[1].score_samples(X), expected)
    assert model.report_.warnings[-1] == (
        "class 1: its rows are all alike; it borrows the spread of all rows."
    )


def test_saved_and_loaded_it_is_the_same(tmp_path):
    X, y = make()
    y = np.array(["a", "b", "c"])[y]
    model = BayesClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert str(again.report_) == str(model.report_)
    costly = CostSensitiveClassifier(BayesClassifier(), reject_cost=0.1).fit(X, y)
    corollary.save(costly, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), costly.predict(X))


@pytest.mark.parametrize("kept", [0, 1, "PriorClassifier"])
def test_a_file_with_other_densities_is_refused(kept, tmp_path):
    X, y = make(d=2)
    model = BayesClassifier().fit(X, y)
    if kept == "PriorClassifier":
        model.densities_[1] = corollary.PriorClassifier().fit(X, y)
    else:
        model.densities_ = model.densities_[:kept]
    corollary.save(model, tmp_path / "bad")
    with pytest.raises(ModelFileError, match="densities_ must"):
        corollary.load(tmp_path / "bad")


def test_the_default_is_a_normal_distribution_for_each_class():
    X, y = make()
    ours = BayesClassifier().fit(X, y)
    same = BayesClassifier(GaussianMixture(1, reg_covar=0)).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), same.predict_proba(X), rtol=1e-6, atol=1e-9
    )
