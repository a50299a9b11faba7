"""C - 1 logits against a reference class, and the way to C score functions and back."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from corollary import LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.linear import fit_reference_logits, reference_logits


def make(n=240, d=3, k=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Z = X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k))
    return X, np.array(["a", "b", "c", "d"])[Z.argmax(axis=1)]


@pytest.mark.course("S2-14")
def test_the_conversion_keeps_every_probability_and_goes_back():
    X, y = make()
    model = LogisticRegression(C=2.0, tol=1e-9).fit(X, y)
    P = model.predict_proba(X)
    for r, reference in enumerate(model.classes_):
        logits = reference_logits(model, reference)
        assert logits.coef.shape == (3, 3)
        np.testing.assert_allclose(logits.predict_proba(X), P, atol=1e-12)
        odds = np.log(np.delete(P, r, axis=1) / P[:, [r]])
        np.testing.assert_allclose(
            X @ logits.coef.T + logits.intercept, odds, atol=1e-10
        )
        assert not logits.scores(X)[:, r].any()
        # with a penalty the C functions sum to 0, which is the symmetric form
        back = logits.symmetric()
        np.testing.assert_allclose(back.coef, model.coef_, atol=1e-6)
        np.testing.assert_allclose(back.coef.sum(axis=0), 0, atol=1e-12)
        other = logits.against("c")
        np.testing.assert_allclose(
            other.coef, reference_logits(model, "c").coef, atol=1e-12
        )
    assert reference_logits(model).reference == "d"


@pytest.mark.course("S2-14")
@pytest.mark.parametrize("reference", ["a", "c"])
def test_maximum_likelihood_is_the_same_in_either_form(reference):
    X, y = make()
    softmax_form = LogisticRegression(C=np.inf, tol=1e-9).fit(X, y)
    found = fit_reference_logits(X, y, reference=reference)
    wanted = reference_logits(softmax_form, reference)
    np.testing.assert_allclose(found.coef, wanted.coef, atol=1e-4)
    np.testing.assert_allclose(found.intercept, wanted.intercept, atol=1e-4)


@pytest.mark.course("S2-14")
def test_the_penalised_fit_is_the_minimum_of_its_objective():
    X, y = make(n=120)
    w = np.random.default_rng(1).integers(0, 3, 120)
    codes = np.searchsorted(["a", "b", "c", "d"], y)
    C, rows = 0.5, np.repeat(np.arange(120), w)

    def objective(theta):
        T = theta.reshape(3, 4)
        Z = X[rows] @ T[:, :3].T + T[:, 3]
        Z = np.column_stack([Z[:, 0], np.zeros(len(Z)), Z[:, 1:]])  # 'b' has none
        loss = (logsumexp(Z, axis=1) - Z[np.arange(len(Z)), codes[rows]]).sum()
        return loss + (T[:, :3] ** 2).sum() / (2 * C)

    best = minimize(objective, np.zeros(12), options={"gtol": 1e-8})
    found = fit_reference_logits(X, y, reference="b", C=C, sample_weight=w)
    T = best.x.reshape(3, 4)
    np.testing.assert_allclose(found.coef, T[:, :3], atol=1e-4)
    np.testing.assert_allclose(found.intercept, T[:, 3], atol=1e-4)
    # the reference matters here, and the symmetric penalty is another
    other = fit_reference_logits(X, y, reference="a", C=C, sample_weight=w)
    P, Q = found.predict_proba(X), other.predict_proba(X)
    assert np.abs(P - Q).max() > 1e-3
    alike = LogisticRegression(C=C).fit(X, y, sample_weight=w).predict_proba(X)
    assert np.abs(P - alike).max() > 1e-3


@pytest.mark.course("S2-14")
def test_two_classes_are_binary_logistic_regression():
    X, y = make(k=2)
    model = LogisticRegression(C=1.5, tol=1e-9).fit(X, y)
    found = fit_reference_logits(X, y, reference="a", C=1.5)
    np.testing.assert_allclose(found.coef, model.coef_, atol=1e-5)
    np.testing.assert_allclose(found.intercept, model.intercept_, atol=1e-5)
    logits = reference_logits(model, "a")
    np.testing.assert_allclose(logits.coef, model.coef_)
    np.testing.assert_allclose(logits.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda X, y: fit_reference_logits(X, y, reference="z"), ParameterError, "'z'"),
        (lambda X, y: fit_reference_logits(X, y, C=0), ParameterError, "C must be > 0"),
        (lambda X, y: fit_reference_logits(X[:, 0], y), DataError, r"\(n, d\)"),
        (lambda X, y: fit_reference_logits(X * np.nan, y), DataError, "finite"),
        (lambda X, y: fit_reference_logits(X, y[:5]), DataError, "y"),
        (lambda X, y: fit_reference_logits(X, ["a"] * 240), DataError, "two classes"),
        (lambda X, y: reference_logits(LogisticRegression()), DataError, "fitted"),
    ],
)
def test_misuse_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call(*make())
    assert "\n" not in str(caught.value)
