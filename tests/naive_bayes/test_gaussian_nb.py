import numpy as np
import pytest
import sklearn.naive_bayes
from scipy.stats import norm

from corollary import GaussianNB
from corollary.core.errors import DataError, ParameterError


def make(n=300, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.normal(size=(k, d))[y] * 2 + rng.normal(size=(n, d)) * (
        1 + y[:, None]
    ), y


@pytest.mark.course("S3-29")
def test_posterior_is_bayes_rule_on_class_wise_gaussians():
    X, y = make()
    model = GaussianNB(var_smoothing=0).fit(X, y)
    joint = np.empty((len(X), 3))
    for c in range(3):
        own = X[y == c]
        density = norm.pdf(X, own.mean(axis=0), own.std(axis=0))  # 1/n, not 1/(n - 1)
        joint[:, c] = density.prod(axis=1) * (y == c).mean()
    posterior = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), posterior.argmax(axis=1))


@pytest.mark.course("S3-29")
def test_equals_the_quadratic_rule_with_diagonal_covariance():
    # g_c(x) = -1/2 sum (ln s + (x-m)^2/s) + ln n_c: the half belongs before the sum
    X, y = make()
    model = GaussianNB(var_smoothing=0).fit(X, y)
    g = np.stack(
        [
            -0.5
            * (np.log(model.var_[c]) + (X - model.theta_[c]) ** 2 / model.var_[c]).sum(
                1
            )
            + np.log((y == c).sum())
            for c in range(3)
        ],
        axis=1,
    )
    np.testing.assert_array_equal(model.predict(X), g.argmax(axis=1))
    wrong = g - np.log(np.bincount(y))  # twice the sum without the half: another rule
    assert (
        model.predict(X) != (2 * wrong + np.log(np.bincount(y))).argmax(axis=1)
    ).any()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn(weighted, dtype):
    X, y = make()
    X = X.astype(dtype)
    w = np.random.default_rng(1).uniform(0.1, 2, len(y)) if weighted else None
    ours = GaussianNB().fit(X, y, w)
    theirs = sklearn.naive_bayes.GaussianNB().fit(X, y, w)
    rtol = 1e-4 if dtype == np.float32 else 1e-6
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=rtol, atol=1e-5)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=rtol)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4
    )


@pytest.mark.course("S3-29", "S3-75")
def test_extreme_rows_have_finite_probabilities():
    X, y = make()
    model = GaussianNB().fit(X, y)
    far = np.array([[1e6] * 4, [-1e6] * 4, [0.0] * 4])
    P = model.predict_proba(far)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.isfinite(model.predict_log_proba(far)).all()


def test_a_constant_feature_does_not_break_it_and_is_named():
    X, y = make()
    X[:, 2] = 5.0
    model = GaussianNB().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert "features [2] do not vary" in model.report_.warnings[0]


@pytest.mark.parametrize("var_smoothing", [0.0, 1e-9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_without_any_spread_give_no_nan(var_smoothing, dtype):
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]], dtype)
    model = GaussianNB(var_smoothing=var_smoothing).fit(X, [0, 0, 1])
    P = model.predict_proba(np.vstack([X, [[5.0, 9.0]]]).astype(dtype))
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P[:3], [[1, 0], [1, 0], [0, 1]])
    same = GaussianNB(var_smoothing=var_smoothing).fit(X[:2], [0, 1])
    np.testing.assert_allclose(same.predict_proba(X[:2]), 0.5)


def test_digits_survive_a_large_mean():
    X, y = make()
    moved = GaussianNB(var_smoothing=0).fit(X + 1e8, y)
    np.testing.assert_allclose(
        moved.var_, GaussianNB(var_smoothing=0).fit(X, y).var_, rtol=1e-6
    )


def test_priors():
    X, y = make()
    model = GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_array_equal(model.class_prior_, [0.2, 0.3, 0.5])
    for priors, message in (
        ([0.5, 0.5], "Number of priors must match number of classes = 3; got 2."),
        ([0.5, 0.5, 0.5], "The sum of the priors should be 1; got 1.5."),
        ([-0.5, 0.5, 1.0], "Priors must be non-negative; got -0.5."),
    ):
        with pytest.raises(ParameterError) as caught:
            GaussianNB(priors=priors).fit(X, y)
        assert str(caught.value) == f"GaussianNB: {message}"


def test_stream_needs_its_classes_first():
    X, y = make()
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        GaussianNB().partial_fit(X, y)
    model = GaussianNB().partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    with pytest.raises(DataError, match="must be those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="must be among the classes"):
        model.partial_fit(X, y + 5)


def test_a_class_that_has_not_come_yet_is_never_predicted():
    X, y = make()
    seen = y < 2
    model = GaussianNB().partial_fit(X[seen], y[seen], classes=[0, 1, 2])
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    assert (P[:, 2] == 0).all()
