import numpy as np
import pytest
import sklearn.discriminant_analysis as sk
from scipy.stats import multivariate_normal

from corollary import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from corollary.core.errors import DataError, ParameterError


def make(n=400, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    spread = rng.normal(size=(k, d, d))
    X = rng.normal(size=(k, d))[y] + np.einsum(
        "ni,nij->nj", rng.normal(size=(n, d)), spread[y]
    )
    return X, y


@pytest.mark.course("S2-5")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reg_param": 0.2},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.4},
        {"solver": "eigen", "shrinkage": "auto"},
        {"priors": "given"},
    ],
    ids=str,
)
def test_equals_scikit_learn(k, options):
    X, y = make(k=k)
    if "priors" in options:
        options = {"priors": np.full(k, 1 / k)}
    options = options | {"store_covariance": True}
    ours = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    theirs = sk.QuadraticDiscriminantAnalysis(**options).fit(X, y)
    close = dict(rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.scalings_, theirs.scalings_, **close)
    np.testing.assert_allclose(ours.means_, theirs.means_, **close)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), **close)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), **close
    )
    if not options.get("reg_param"):
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, **close)


@pytest.mark.course("S2-3", "S0-9", "S3-18", "S4-39")
def test_posterior_is_bayes_rule_on_gaussian_classes():
    X, y = make()
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    joint = np.stack(
        [
            multivariate_normal(
                X[y == c].mean(axis=0), np.cov(X[y == c].T, ddof=0)
            ).pdf(X)
            * (y == c).mean()
            for c in range(3)
        ],
        axis=1,
    )
    np.testing.assert_allclose(
        model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8
    )


@pytest.mark.course("S2-5")
def test_the_explicit_quadric_of_two_classes():
    # sign(1/2 x'Qx + w'x + b) with Q = S_0^-1 - S_1^-1
    X, y = make(k=2)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    S = [np.cov(X[y == c].T, ddof=0) for c in (0, 1)]
    m = [X[y == c].mean(axis=0) for c in (0, 1)]
    P = [np.linalg.inv(each) for each in S]
    Q, w = P[0] - P[1], P[1] @ m[1] - P[0] @ m[0]
    b = 0.5 * (m[0] @ P[0] @ m[0] - m[1] @ P[1] @ m[1])
    b -= 0.5 * np.log(np.linalg.det(S[1]) / np.linalg.det(S[0]))
    b += np.log(y.mean() / (1 - y.mean()))
    surface = model.boundary()
    np.testing.assert_allclose(surface.A, Q / 2, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(surface.b, w, rtol=1e-8)
    np.testing.assert_allclose(surface.c, b, rtol=1e-8)
    np.testing.assert_allclose(surface(X), model.decision_function(X), atol=1e-8)


@pytest.mark.course("S2-5")
def test_equal_covariances_give_the_linear_rule():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(50, 3))
    X = np.concatenate([half, half + np.array([1.0, 2.0, -1.0])])
    y = np.repeat([0, 1], 50)
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y)
    linear = LinearDiscriminantAnalysis().fit(X, y)
    assert np.abs(quadratic.boundary().A).max() < 1e-12
    np.testing.assert_allclose(
        quadratic.predict_proba(X), linear.predict_proba(X), atol=1e-9
    )


def test_singular_classes_get_a_floor_and_a_warning():
    X, y = make()
    X = np.column_stack([X, np.where(y == 1, 5.0, X[:, 0]), X[:, 1] + X[:, 2]])
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    text = "\n".join(model.report_.warnings)
    assert "of class 1 is singular (constant features [4]" in text
    assert "that others determine" in text


def test_too_few_rows_for_the_parameters_are_told():
    X, y = make(n=40)
    text = "\n".join(QuadraticDiscriminantAnalysis().fit(X, y).report_.warnings)
    assert "rows for the 14 parameters of its Gaussian" in text


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], "must match number of classes = 3; got 2"),
        ([0.5, 0.5, 0.5], "sum of the priors should be 1; got 1.5"),
        ([-0.5, 0.5, 1.0], "must be non-negative; got -0.5"),
    ],
)
def test_bad_priors(priors, message):
    X, y = make()
    with pytest.raises(ParameterError, match=message):
        QuadraticDiscriminantAnalysis(priors=priors).fit(X, y)


def test_a_class_with_one_row():
    X, y = make()
    y[0] = 7
    with pytest.raises(DataError, match=r"y has only 1 sample in class 7\."):
        QuadraticDiscriminantAnalysis().fit(X, y)


def test_a_stream_may_meet_a_class_later():
    X, y = make()
    model = QuadraticDiscriminantAnalysis()
    seen = y < 2
    model.partial_fit(X[seen], y[seen], classes=[0, 1, 2])
    assert (model.predict_proba(X)[:, 2] == 0).all()
    model.partial_fit(X[~seen], y[~seen])
    whole = QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), whole.predict_proba(X), atol=1e-10
    )
