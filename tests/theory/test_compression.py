"""Bounds for models that few rows, or few bits, determine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import comb
from scipy.stats import binom
from sklearn import svm as sklearn_svm

from corollary import SVC, Perceptron
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    clopper_pearson,
    compression_bound,
    occam_bound,
    perceptron_bound,
    support_vector_bound,
)


@pytest.mark.parametrize(("n", "k", "e"), [(50, 3, 0), (50, 3, 4), (200, 10, 7)])
def test_the_bound_inverts_the_binomial_tail_at_the_price_of_the_union(n, k, e):
    found = compression_bound(n, k, e, 0.05)
    price = 0.05 / ((n + 1) * comb(n, k))
    assert binom.cdf(e, n - k, found.value) == pytest.approx(price, rel=1e-6)
    told = compression_bound(n, k, e, 0.05, bits=3)
    assert binom.cdf(e, n - k, told.value) == pytest.approx(price / 8, rel=1e-6)
    if e == 0:
        assert found.value <= -np.log(price) / (n - k)  # Floyd and Warmuth


@given(st.integers(2, 5000), st.data())
def test_the_bound_is_monotone(n, data):
    k = data.draw(st.integers(0, n // 3))
    e = data.draw(st.integers(0, (n - k) // 2))
    value = compression_bound(n, k, e).value
    assert value >= e / (n - k)
    assert compression_bound(n, k + 1, e).value >= value
    assert compression_bound(n, k, e + 1).value >= value
    assert compression_bound(n, k, e, 0.5).value <= value
    assert compression_bound(n, k, e, bits=1).value >= value
    nothing = compression_bound(n, 0, e, 0.5).value
    assert nothing == pytest.approx(clopper_pearson(n=n, errors=e, delta=0.5 / (n + 1)))


def test_prices_below_the_least_float_still_prove_something():
    found = compression_bound(10**6, 5000, 0)
    price = -(5000 * np.log(10**6 / 5000) + 5000)
    assert 0 < found.value < -1.2 * price / 10**6
    near = compression_bound(10**6, 60, 100).value  # both sides of the switch
    assert near <= compression_bound(10**6, 70, 100).value


def separable(rng, n):
    x = rng.uniform(-1, 1, n)
    return x[:, None], x > 0.2


def test_svc_is_bounded_by_its_support_vectors():
    X, y = separable(np.random.default_rng(0), 500)
    model = SVC(kernel="linear", C=1e6).fit(X, y)
    found = support_vector_bound(model, X, y)
    k = len(model.support_)
    assert found.value == pytest.approx(compression_bound(500, k).value)
    assert found.holds
    theirs = sklearn_svm.SVC(kernel="linear", C=1e6).fit(X, y)
    k = len(theirs.support_)
    assert support_vector_bound(theirs, X, y).value == pytest.approx(
        compression_bound(500, k).value
    )
    assert not support_vector_bound(SVC().fit(X, y), X, y).holds  # gamma='scale'
    balanced = SVC(kernel="linear", class_weight="balanced").fit(X, y)
    assert not support_vector_bound(balanced, X, y).holds


def test_the_machine_is_built_again_from_its_support_vectors():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=300) > 0
    model = SVC(gamma=0.5, C=1.0, tol=1e-6).fit(X, y)
    again = SVC(gamma=0.5, C=1.0, tol=1e-6).fit(X[model.support_], y[model.support_])
    Z = rng.normal(size=(500, 2))
    np.testing.assert_allclose(
        model.decision_function(Z), again.decision_function(Z), atol=1e-3
    )
    wrong = model.predict(X) != y
    wrong[model.support_] = False
    assert not wrong.any()


def missed(draws, n):
    rng, out = np.random.default_rng(2), np.zeros(2)
    for _ in range(draws):
        X, y = separable(rng, n)
        if y.all() or not y.any():
            continue
        model = SVC(kernel="linear", C=1e4).fit(X, y)
        cut = float(np.clip(-model.intercept_[0] / model.coef_[0, 0], -1, 1))
        out[0] += support_vector_bound(model, X, y, 0.3).value < abs(cut - 0.2) / 2
        w, M = np.zeros(2), 0  # a perceptron of one pass, from the book
        for x, s in zip(np.c_[X, np.ones(n)], np.where(y, 1, -1), strict=True):
            if s * (w @ x) <= 0:
                w, M = w + s * x, M + 1
        e = int(((np.c_[X, np.ones(n)] @ w > 0) != y).sum())
        Z = np.linspace(-1, 1, 2001)
        risk = np.mean((w[0] * Z + w[1] > 0) != (Z > 0.2))
        out[1] += perceptron_bound(n, M, e, 0.3).value < risk
    return out / draws


def test_bounds_fail_in_at_most_delta_of_the_draws():
    assert missed(100, 30).max() <= 0.3


@pytest.mark.slow
def test_bounds_fail_in_at_most_delta_of_many_draws():
    assert missed(10_000, 30).max() <= 0.3


def test_a_perceptron_of_ours():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 2))
    X = X[np.abs(X[:, 0]) > 0.5]
    y = X[:, 0] > 0
    model = Perceptron(shuffle=False, max_iter=50).fit(X, y)
    M = model.report_.facts["n_mistakes"]
    found = perceptron_bound(len(X), M, 0, passes=model.n_iter_)
    assert not found.vacuous
    n, P = len(X), model.n_iter_
    price = 0.05 / (comb(n * P, M) * (n * P + 1) * P * (P + 1))
    assert binom.cdf(0, n - M, found.value) == pytest.approx(price, rel=1e-5)


def test_description_lengths():
    loose = occam_bound(1000, 50, 20, method="hoeffding")
    assert loose.value == pytest.approx(
        0.05 + np.sqrt((20 * np.log(2) + np.log(20)) / 2000)
    )
    tight = occam_bound(1000, 50, 20)
    price = 0.05 * 2.0**-20
    assert binom.cdf(50, 1000, tight.value) == pytest.approx(price, rel=1e-6)
    assert tight.value < loose.value
    assert occam_bound(1000, 50, 21).value > tight.value


def test_the_best_of_all_short_models_is_bounded():
    rng, missed, draws = np.random.default_rng(4), 0, 200
    for _ in range(draws):  # 64 models of 6 bits, each a coin
        errors = rng.binomial(40, 0.4, 64)
        missed += occam_bound(40, int(errors.min()), 6, 0.2).value < 0.4
    assert missed <= 0.2 * draws


@pytest.mark.parametrize(
    "call",
    [
        lambda: compression_bound(10, 11),
        lambda: compression_bound(10, 5, 6),
        lambda: compression_bound(10, 5, 1, 0.0),
        lambda: compression_bound(10, -1),
        lambda: compression_bound(10, 1, bits=-1),
        lambda: compression_bound("n", 1),
        lambda: support_vector_bound("model", [[0.0]], [0]),
        lambda: perceptron_bound(10, 11),
        lambda: perceptron_bound(10, 1, passes=0),
        lambda: occam_bound(10, 11, 3),
        lambda: occam_bound(10, 1, -3),
        lambda: occam_bound(10, 1, 3, method="best"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call):
    with pytest.raises((DataError, ParameterError), match=r"^\w+: .*; got"):
        call()
