"""The 0-1 and the perceptron criterion of linear fits."""

import numpy as np
import pytest

from corollary import (
    BatchPerceptron,
    DataError,
    HardMarginSVC,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    ParameterError,
    Perceptron,
    RidgeClassifier,
)
from corollary.diagnostics import linear_criteria
from corollary.objectives import Perceptron as PerceptronLoss
from corollary.objectives import risk


def rows(K=2, n=150, gap=1.5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    return rng.normal(size=(n, 2)) + gap * rng.normal(size=(K, 2))[y], y


@pytest.mark.course("S3-110")
@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        LinearSVC(),
        LinearDiscriminantAnalysis(),
        Perceptron(),
        RidgeClassifier(),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("K", [2, 3])
def test_any_linear_fit(learner, K):
    X, y = rows(K, gap=0.8)
    model = learner.fit(X, y)
    found = linear_criteria(model, X, y)
    wrong = model.predict(X) != y
    assert found.errors == wrong.sum()
    assert found.error_rate == pytest.approx(1 - model.score(X, y))
    assert set(found.wrong) == set(np.flatnonzero(wrong))
    assert (np.diff(found.margins[found.wrong]) >= 0).all()
    if K == 2:
        w, b = model.coef_.ravel(), float(np.ravel(model.intercept_)[0])
        u = np.where(y == 1, 1, -1) * (X @ w + b)
        assert found.perceptron == pytest.approx(-u[u <= 0].sum())
        assert found.distance == pytest.approx(-u[u <= 0].sum() / np.linalg.norm(w))
        assert found.perceptron == pytest.approx(
            len(y) * risk(PerceptronLoss(), np.where(y == 1, 1, -1), X @ w + b)
        )
    else:
        assert found.distance is None


@pytest.mark.course("S3-110")
def test_one_is_a_staircase_and_the_other_has_a_slope():
    X, y = rows(gap=0.8)
    w, b = np.array([1.0, -0.3]), 0.2
    here = linear_criteria((w, b), X, y)
    # the number of errors does not move with a small step, the criterion does
    signs = np.where(y == 1, 1, -1)
    gradient = -(signs[here.wrong, None] * X[here.wrong]).sum(axis=0)
    step = 1e-7 * np.array([1.0, 1.0])
    there = linear_criteria((w + step, b), X, y)
    assert there.errors == here.errors
    rise = (there.perceptron - here.perceptron) / 1e-7
    assert rise == pytest.approx(gradient.sum(), rel=1e-4)
    # downhill it falls
    down = linear_criteria((w - 1e-3 * gradient, b), X, y)
    assert down.perceptron < here.perceptron
    # it grows with the scale of w, the distances do not
    twice = linear_criteria((2 * w, 2 * b), X, y)
    assert twice.perceptron == pytest.approx(2 * here.perceptron)
    assert twice.distance == pytest.approx(here.distance)
    assert twice.errors == here.errors


@pytest.mark.course("S3-110")
def test_both_are_0_exactly_where_the_classes_are_separated():
    X, y = rows(gap=6.0, seed=3)
    for model in (BatchPerceptron(), HardMarginSVC(kernel="linear")):
        found = linear_criteria(model.fit(X, y), X, y)
        assert found.separates
        assert found.perceptron == 0
        assert "least margin" in str(found)
    joint = linear_criteria(LogisticRegression().fit(*rows(gap=0.3)), *rows(gap=0.3))
    assert joint.errors > 0
    assert joint.perceptron > 0
    assert "0-1 criterion" in str(joint)
    assert "perceptron criterion" in str(joint)


def test_a_row_on_the_plane_is_an_error():
    found = linear_criteria(([1.0], 0.0), [[0.0], [1.0], [-1.0]], [1, 1, 0])
    assert (found.errors, found.on_plane, found.perceptron) == (1, 1, 0.0)
    assert "on the plane itself" in str(found)


def test_errors():
    X, y = rows()
    with pytest.raises(ParameterError, match="fitted classifier or a plane"):
        linear_criteria(LogisticRegression(), X, y)
    with pytest.raises(DataError, match="one weight for each column"):
        linear_criteria(([1.0], 0.0), X, y)
    with pytest.raises(DataError, match="two labels"):
        linear_criteria(([1.0, 0.0], 0.0), X, np.arange(150))
