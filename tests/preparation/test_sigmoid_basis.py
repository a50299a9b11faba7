"""Soft steps: the formula, the tangents that span the same, bad parameters."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import LinearRegression, SigmoidBasis
from corollary.core.errors import ParameterError

X = np.random.default_rng(0).normal(size=(80, 2)) * [1.0, 5.0]


@pytest.mark.course("S3-87")
@pytest.mark.parametrize("centers", ["grid", "quantile", [-1.0, 0.0, 2.5]])
def test_steps_along_each_input(centers):
    model = SigmoidBasis(4, centers=centers).fit(X)
    mu = {
        "grid": np.linspace(X.min(axis=0), X.max(axis=0), 4),
        "quantile": np.quantile(X, [0, 1 / 3, 2 / 3, 1], axis=0),
    }.get(str(centers), np.array([[-1.0, -1.0], [0.0, 0.0], [2.5, 2.5]]))
    s = np.ptp(mu, axis=0) / (len(mu) - 1)
    want = [1 / (1 + np.exp(-(X[:, j] - m[j]) / s[j])) for j in range(2) for m in mu]
    np.testing.assert_allclose(model.transform(X), np.array(want).T, rtol=1e-11)
    names = model.get_feature_names_out()
    assert (names[0], names[-1]) == ("x0_sigmoid_0", f"x1_sigmoid_{len(mu) - 1}")


@pytest.mark.course("S3-87")
def test_sigmoids_and_tangents_of_twice_the_width_fit_the_same():
    x = np.linspace(-2, 2, 60)[:, None]
    y = np.abs(x[:, 0])
    steps = make_pipeline(
        SigmoidBasis(centers=[-1, 0, 1], width=0.5), LinearRegression()
    )
    T = np.tanh((x - [-1, 0, 1]) / (2 * 0.5))
    tangents = LinearRegression().fit(T, y)
    np.testing.assert_allclose(
        steps.fit(x, y).predict(x), tangents.predict(T), rtol=1e-9
    )


def test_far_rows_do_not_overflow():
    H = SigmoidBasis(centers=[0.0], width=1.0).fit([[0.0]]).transform([[-1e6], [1e6]])
    assert H.ravel().tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"centers": "rows"}, "centers must be one of 'grid', 'quantile' or an array"),
        ({"centers": [[1.0]]}, "centers must have shape \\(k,\\) or \\(k, 2\\)"),
        ({"width": -1.0}, "width must be"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        SigmoidBasis(**options).fit(X)
