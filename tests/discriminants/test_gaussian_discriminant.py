import numpy as np
import pytest
from scipy.stats import multivariate_normal

from corollary import (
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestCentroid,
    QuadraticDiscriminantAnalysis,
)
from corollary.core.errors import DataError, ParameterError
from corollary.discriminants.surfaces import intersections


def make(n=400, d=3, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.normal(size=(k, d))[y] * 2 + rng.normal(size=(n, d)) @ rng.normal(
        size=(d, d)
    ) * (1 + y[:, None]), y


def known(means, Sigma, priors, covariance):
    """A model whose parameters are given, as in the exercises of the book."""
    means, k = np.asarray(means, float), len(means)
    shared = covariance in ("spherical", "tied")
    S = np.asarray(Sigma, float).reshape(1 if shared else k, 2, 2)
    model = GaussianDiscriminant(covariance=covariance)
    # rows that have exactly these moments: +- sqrt(d) times the columns of a root
    rows, labels, weights = [], [], []
    for c in range(k):
        root = np.linalg.cholesky(S[0 if shared else c]) * np.sqrt(2)
        rows += [means[c] + sign * column for column in root.T for sign in (1, -1)]
        labels += [c] * 4
        weights += [priors[c]] * 4
    return model.fit(np.array(rows), labels, weights)


@pytest.mark.course("S3-18")
def test_every_rung_is_the_method_of_its_name():
    X, y = make()
    for covariance, other in (
        ("tied", LinearDiscriminantAnalysis()),
        ("full", QuadraticDiscriminantAnalysis()),
        ("diagonal", GaussianNB(var_smoothing=0)),
    ):
        model = GaussianDiscriminant(covariance=covariance).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(X), other.fit(X, y).predict_proba(X), atol=1e-9
        )


@pytest.mark.course("S3-18", "S2-3", "S2-7")
def test_a_sphere_and_equal_priors_decide_for_the_nearest_mean():
    X, y = make()
    model = GaussianDiscriminant("spherical", priors="uniform").fit(X, y)
    np.testing.assert_array_equal(
        model.predict(X), NearestCentroid().fit(X, y).predict(X)
    )
    variance = ((X - model.means_[y]) ** 2).mean()
    np.testing.assert_allclose(model.covariance_, variance * np.eye(3), atol=1e-12)


@pytest.mark.course("S3-18", "S3-15", "S2-6")
def test_a_shared_covariance_decides_for_the_nearest_in_mahalanobis_distance():
    X, y = make()
    model = GaussianDiscriminant("tied", priors="uniform").fit(X, y)
    r2 = model.mahalanobis(X)
    away = X[:, None, :] - model.means_
    np.testing.assert_allclose(
        r2, np.einsum("nci,ij,ncj->nc", away, np.linalg.inv(model.covariance_), away)
    )
    np.testing.assert_array_equal(model.predict(X), r2.argmin(axis=1))
    # ... which is the nearest in Euclid's after whitening
    root = np.linalg.cholesky(np.linalg.inv(model.covariance_))
    np.testing.assert_allclose(((away @ root) ** 2).sum(axis=2), r2)


@pytest.mark.course("S2-4", "S2-1")
def test_both_estimates_of_the_shared_covariance():
    X, y = make()
    Z = X - np.stack([X[y == c].mean(axis=0) for c in range(3)])[y]
    for unbiased, freedom in ((False, len(X)), (True, len(X) - 3)):
        model = GaussianDiscriminant("tied", unbiased=unbiased).fit(X, y)
        np.testing.assert_allclose(model.covariance_, Z.T @ Z / freedom, rtol=1e-9)
    full = GaussianDiscriminant("full", unbiased=True).fit(X, y)
    np.testing.assert_allclose(full.covariance_[1], np.cov(X[y == 1].T), rtol=1e-9)


@pytest.mark.course("S3-18", "S3-19")
def test_worked_example_of_spheres():
    model = known(
        [(1, 2), (4, 6), (-2, 4)], 3 * np.eye(2), (0.25, 0.25, 0.5), "spherical"
    )
    one, two, three = (
        model.boundary(*pair) for pair in ((1, 0), (1, 2), (0, 2))
    )  # positive on the side of the first
    np.testing.assert_allclose(one.b / one.b[0], [1, 4 / 3], rtol=1e-9)
    np.testing.assert_allclose(-one.c / one.b[0], 47 / 6, rtol=1e-9)
    np.testing.assert_allclose(two.b, [2, 2 / 3], rtol=1e-9)
    np.testing.assert_allclose(-two.c, 6.026, atol=1e-3)
    np.testing.assert_allclose(three.b, [1, -2 / 3], rtol=1e-9)
    np.testing.assert_allclose(-three.c, -1.807, atol=1e-3)
    meet = intersections(one, two)
    np.testing.assert_allclose(meet, [[1.4065, 4.8201]], atol=1e-4)
    np.testing.assert_allclose(three(meet), 0, atol=1e-9)
    # each line is perpendicular to the line of the means
    across = model.means_[1] - model.means_[0]
    assert abs(one.b[0] * across[1] - one.b[1] * across[0]) < 1e-9


@pytest.mark.course("S3-18", "S3-19")
def test_worked_example_of_a_shared_covariance():
    S = [[1, -1.5], [-1.5, 4]]
    model = known([(1, 2), (-1, 5), (-2, 4)], S, (0.25, 0.25, 0.5), "tied")
    one, two, three = (model.boundary(*pair) for pair in ((0, 1), (1, 2), (0, 2)))
    assert one.kind == "line"
    np.testing.assert_allclose(one.b / one.b[0], [1, 0], atol=1e-9)
    np.testing.assert_allclose(one.c, 0, atol=1e-9)
    for surface, first in ((two, 3.143), (three, 5.143)):
        np.testing.assert_allclose(surface.b, [first, 1.429], atol=1e-3)
        np.testing.assert_allclose(-surface.c, 2.407, atol=1e-3)
    np.testing.assert_allclose(intersections(one, two), [[0, 1.685]], atol=1e-3)


@pytest.mark.course("S3-18", "S3-19")
def test_worked_example_of_own_covariances():
    means = [(-1, 3), (0, 6), (-2, 4)]
    for last, constant in (
        ([[1.5, 1.5], [1.5, 3]], -14.432),
        ([[1, 1.5], [1.5, 3]], -35.216),
    ):
        S = [[[1, -0.5], [-0.5, 2]], [[2, -2], [-2, 7]], last]
        model = known(means, S, (0.25, 0.25, 0.5), "full")
        constants = [model._quadratic(c).c for c in range(3)]
        np.testing.assert_allclose(constants, [-3.952, -6.138, constant], atol=2e-3)
        X = np.random.default_rng(0).normal(size=(50, 2)) * 4
        for i, j in ((0, 1), (1, 2), (0, 2)):
            surface = model.boundary(i, j)
            density = [
                multivariate_normal(means[c], S[c]).logpdf(X)
                + np.log((0.25, 0.25, 0.5)[c])
                for c in (i, j)
            ]
            np.testing.assert_allclose(surface(X), density[0] - density[1], atol=1e-8)


@pytest.mark.course("S3-18", "S3-19")
def test_fish_on_a_line_have_two_thresholds():
    # salmon N(5, 1), bass N(10, 4): 3 l^2 - 20 l - 8 ln(2 P_s / P_b) = 0
    for salmon, roots in (
        (0.5, (-0.267, 6.933)),
        (2 / 3, (-0.515, 7.181)),
        (0.999, (-2.268, 8.935)),
    ):
        X = np.array([[4.0], [6.0], [8.0], [12.0]])
        model = GaussianDiscriminant(priors=[salmon, 1 - salmon])
        model.fit(X, ["a salmon", "a salmon", "bass", "bass"])
        surface = model.boundary("a salmon", "bass")
        np.testing.assert_allclose(surface.roots(), roots, atol=1e-3)
        assert surface.kind == "two points"
        (region,) = surface.intervals()
        np.testing.assert_allclose(region, roots, atol=1e-3)
        assert model.predict([[0.0]])[0] == "a salmon"
        assert (model.predict([[-20.0], [20.0]]) == "bass").all()


def test_errors():
    X, y = make()
    with pytest.raises(DataError, match="some feature must vary; got rows"):
        GaussianDiscriminant().fit(np.ones((6, 2)), [0, 1] * 3)
    with pytest.raises(DataError, match="unbiased=True needs more rows than means"):
        GaussianDiscriminant(unbiased=True).fit(X[:4], [0, 0, 0, 1])
    model = GaussianDiscriminant().fit(X, y)
    with pytest.raises(ParameterError, match=r"needs two of the classes \[0, 1, 2\]"):
        model.boundary()
    with pytest.raises(ParameterError, match=r"the priors should be 1; got 1\.1"):
        GaussianDiscriminant(priors=[0.5, 0.5, 0.1]).fit(X, y)


def test_a_constant_feature_is_named_and_harmless():
    X, y = make()
    X = np.column_stack([X, np.full(len(X), 2.0)])
    model = GaussianDiscriminant().fit(X, y)
    assert "constant features [3]" in model.report_.warnings[0]
    np.testing.assert_allclose(
        model.predict_proba(X),
        GaussianDiscriminant().fit(X[:, :3], y).predict_proba(X[:, :3]),
        atol=1e-8,
    )


def test_parameters_are_counted():
    X, y = make()
    counts = {"spherical": 1, "tied": 6, "diagonal": 9, "full": 18}
    for covariance, own in counts.items():
        facts = GaussianDiscriminant(covariance).fit(X, y).report_.facts
        assert facts["n_parameters"] == 2 + 9 + own
