"""Gaussian bumps: the formula, centres of every kind, and what they can fit."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.pipeline import make_pipeline

from corollary import KMeans, LinearRegression, RadialBasis
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2)) * [1.0, 5.0]


@pytest.mark.course("S3-87")
@pytest.mark.parametrize("centers", ["grid", "quantile"])
def test_bumps_along_each_input(centers):
    model = RadialBasis(5, centers=centers).fit(X)
    share = np.linspace(0, 1, 5)
    mu = (
        X.min(axis=0) + share[:, None] * np.ptp(X, axis=0)
        if centers == "grid"
        else np.quantile(X, share, axis=0)
    )
    s = np.ptp(X, axis=0) / 4
    want = [
        np.exp(-((X[:, j] - mu[i, j]) ** 2) / (2 * s[j] ** 2))
        for j in range(2)
        for i in range(5)
    ]
    np.testing.assert_allclose(model.transform(X), np.array(want).T, rtol=1e-11)
    assert model.get_feature_names_out(["a", "b"])[5] == "b_rbf_0"


@pytest.mark.course("S3-87")
def test_bumps_around_rows_and_clusters():
    drawn = RadialBasis(7, centers="rows", random_state=3).fit(X)
    assert all((row == X).all(axis=1).any() for row in drawn.centers_)
    assert len(np.unique(drawn.centers_, axis=0)) == 7
    again = RadialBasis(7, centers="rows", random_state=3).fit(X[::-1])
    np.testing.assert_array_equal(drawn.centers_, again.centers_)
    D = cdist(X, drawn.centers_)
    np.testing.assert_allclose(
        drawn.transform(X),
        np.exp(-(D**2) / (2 * drawn.width_**2)),
        rtol=1e-9,
        atol=1e-15,
    )
    apart = cdist(drawn.centers_, drawn.centers_) + np.diag(np.full(7, np.inf))
    np.testing.assert_allclose(drawn.width_, apart.min(axis=1).mean(), rtol=1e-10)
    assert drawn.report_.facts["n_rows_kept"] == 7
    clusters = RadialBasis(4, centers="kmeans", random_state=1).fit(X)
    mu = KMeans(4, random_state=1).fit(X).cluster_centers_
    np.testing.assert_allclose(clusters.centers_, mu)


def test_given_centres_and_width():
    rows = RadialBasis(centers=[[0.0, 0.0], [3.0, 4.0]], width=5.0).fit(X)
    H = rows.transform([[3.0, 4.0]])
    np.testing.assert_allclose(H, [[np.exp(-0.5), 1.0]], rtol=1e-12)
    alone = RadialBasis(centers=[0.0, 1.0], width=2.0, include_bias=True).fit(X)
    assert alone.transform(X).shape == (120, 5)
    assert (alone.transform(X)[:, 0] == 1).all()


@pytest.mark.course("S3-87")
def test_a_linear_model_on_bumps_follows_a_curve():
    x = np.linspace(0, 1, 200)[:, None]
    y = np.sin(2 * np.pi * x[:, 0])
    model = make_pipeline(RadialBasis(12), LinearRegression()).fit(x, y)
    assert model.score(x, y) > 0.9999
    assert LinearRegression().fit(x, y).score(x, y) < 0.7


def test_fewer_distinct_rows_than_centres_is_said():
    model = RadialBasis(5, centers="rows", random_state=0).fit([[0.0], [1.0], [1.0]])
    assert model.centers_.shape == (2, 1)
    assert "only 2 rows differ" in model.report_.warnings[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_centers": 0}, "n_centers must be a whole number >= 1"),
        ({"centers": "middle"}, "centers must be one of"),
        (
            {"centers": [[0.0, 1.0, 2.0]]},
            "centers must have shape \\(k,\\) or \\(k, 2\\)",
        ),
        ({"centers": [np.nan]}, "centers must be finite"),
        ({"width": 0.0}, "width must be 'spacing' or a number"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        RadialBasis(**options).fit(X)
