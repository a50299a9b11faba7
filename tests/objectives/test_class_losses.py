"""Losses of several classes, against their definitions and scikit-learn's."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import log_loss, zero_one_loss

from corollary.core.errors import DataError
from corollary.diagnostics import check_gradient
from corollary.objectives import (
    ClassError,
    CrossEntropy,
    OneHotSquared,
    one_hot,
    risk,
    softmax,
)


def make(n=200, c=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(c, size=n), rng.normal(size=(n, c)) * 2


@pytest.mark.course("S1-32")
def test_values_are_those_of_the_definition_and_of_the_peer():
    y, F = make()
    t = (y[:, None] == np.arange(4)).astype(float)
    np.testing.assert_array_equal(one_hot(y, 4), t)
    wrong = [
        int(max(range(4), key=row.__getitem__)) != k
        for row, k in zip(F, y, strict=True)
    ]
    errors = ClassError().value(y, F)
    assert errors.sum() == sum(wrong) == zero_one_loss(y, F.argmax(1), normalize=False)
    np.testing.assert_allclose(OneHotSquared().value(y, F), ((t - F) ** 2).sum(axis=1))
    g = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(CrossEntropy().value(y, F), -(t * np.log(g)).sum(axis=1))
    assert risk(CrossEntropy(), y, F) == pytest.approx(log_loss(y, g))
    assert risk(ClassError(), y, F) == pytest.approx(np.mean(wrong))
    # probabilities given by their logarithms
    assert risk(CrossEntropy(), y, np.log(g)) == pytest.approx(log_loss(y, g))
    w = np.random.default_rng(1).integers(0, 3, len(y))
    for loss in (ClassError(), OneHotSquared(), CrossEntropy()):
        repeated = risk(loss, np.repeat(y, w), np.repeat(F, w, axis=0))
        assert risk(loss, y, F, w) == pytest.approx(repeated)


@pytest.mark.course("S1-32")
def test_errors_have_no_slope_and_the_surrogates_the_right_one():
    y, F = make(12)
    assert not ClassError().derivative(y, F).any()
    for loss in (OneHotSquared(), CrossEntropy()):
        check = check_gradient(
            lambda z, loss=loss: loss.value(y, z.reshape(F.shape)).sum(),
            lambda z, loss=loss: loss.derivative(y, z.reshape(F.shape)).ravel(),
            F.ravel(),
            complex_step=False,
        )
        assert check.passed
        moved = F - 1e-3 * loss.derivative(y, F)
        assert risk(loss, y, moved) < risk(loss, y, F)
        assert risk(ClassError(), y, F - 1e-9 * loss.derivative(y, F)) == risk(
            ClassError(), y, F
        )


@pytest.mark.course("S1-32")
@pytest.mark.parametrize("loss", [OneHotSquared(), CrossEntropy()])
def test_the_population_minimiser_is_the_posterior(loss):
    P = np.array([0.2, 0.45, 0.25, 0.1])  # of the classes, given x
    every = np.arange(4)

    def expected(f):
        return P @ loss.value(every, np.tile(f, (4, 1)))

    f = minimize(expected, np.zeros(4), tol=1e-12).x
    found = softmax(f[None])[0] if isinstance(loss, CrossEntropy) else f
    np.testing.assert_allclose(found, P, atol=1e-5)
    assert f.argmax() == P.argmax()  # Bayes' decision


@pytest.mark.course("S1-32")
def test_the_surrogates_bound_the_error():
    y, F = make(5000, seed=3)
    errors = ClassError().value(y, F)
    for scores in (F, F / 5, softmax(F)):
        errors = ClassError().value(y, scores)
        assert (errors <= 2 * OneHotSquared().value(y, scores) + 1e-12).all()
        assert (errors <= CrossEntropy().value(y, scores) / np.log(2) + 1e-12).all()
    # and no better: two scores that tie, or nearly, cost just that
    near = np.array([[0.5, 0.5 + 1e-9]])
    assert OneHotSquared().value([0], near)[0] == pytest.approx(0.5)
    assert CrossEntropy().value([0], near)[0] == pytest.approx(np.log(2))


def test_extreme_scores_stay_finite():
    F = np.array([[1e4, -1e4], [-np.inf, 0.0]])
    assert CrossEntropy().value([1, 1], F).tolist() == [2e4, 0.0]


@pytest.mark.parametrize(
    ("y", "F", "message"),
    [
        ([0, 2], np.zeros((2, 2)), "from 0 to 1; got 0 to 2"),
        ([0, -1], np.zeros((2, 2)), "from 0 to 1; got -1"),
        ([0, 0.5], np.zeros((2, 2)), "whole numbers"),
        (["a", "b"], np.zeros((2, 2)), "class codes"),
        ([0], np.zeros((2, 2)), "one row for each of y"),
        ([0, 1], np.zeros(2), "one row for each of y"),
        ([0, 1], [[np.nan, 0], [0, 0]], "NaN or infinity"),
    ],
)
def test_bad_input_gets_one_sentence(y, F, message):
    with pytest.raises(DataError, match=message) as caught:
        risk(CrossEntropy(), y, F)
    assert "\n" not in str(caught.value)
