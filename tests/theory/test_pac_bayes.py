"""PAC-Bayes bounds: the risk of a random choice among models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from sklearn import linear_model, svm

from corollary import SVC, LinearSVC, LogisticRegression, Perceptron
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    binary_kl,
    gaussian_kl,
    linear_pac_bayes_bound,
    pac_bayes_bound,
)


def test_the_divergence_of_gaussians_by_sampling():
    rng = np.random.default_rng(0)
    a, b = np.array([1.0, -0.5]), np.array([0.0, 0.5])
    A = np.array([[1.0, 0.3], [0.3, 0.5]])
    B = np.array([[2.0, -0.4], [-0.4, 1.0]])
    Q, P = multivariate_normal(a, A), multivariate_normal(b, B)
    x = Q.rvs(400_000, random_state=rng)
    expected = (Q.logpdf(x) - P.logpdf(x)).mean()
    assert gaussian_kl(a, b, A, B) == pytest.approx(expected, abs=0.01)


def test_variances_are_diagonal_matrices():
    a, v, u = np.array([1.0, 2.0]), np.array([0.5, 2.0]), np.array([1.0, 3.0])
    assert gaussian_kl(a, 0.0, v, u) == pytest.approx(
        gaussian_kl(a, 0.0, np.diag(v), np.diag(u))
    )
    assert gaussian_kl(a, 0.0, np.diag(v), u) == pytest.approx(
        gaussian_kl(a, 0.0, v, u)
    )
    assert gaussian_kl(a, a, v, v) == 0
    assert gaussian_kl([3.0, 4.0]) == 12.5


@given(st.integers(8, 10**6), st.floats(0, 1), st.floats(0, 100), st.floats(1e-6, 0.5))
def test_formulas_and_order(n, q, kl, delta):
    c = (kl + np.log(2 * np.sqrt(n) / delta)) / n
    seeger = pac_bayes_bound(n, q, kl, delta).value
    loose = pac_bayes_bound(n, q, kl, delta, method="mcallester").value
    assert loose == pytest.approx(min(1, q + np.sqrt(c / 2)))
    assert seeger <= loose + 1e-12
    if seeger < 1 - 1e-9:
        assert binary_kl(q, seeger) == pytest.approx(c, rel=1e-4, abs=1e-9)


@given(
    st.integers(8, 10**5), st.floats(0, 0.9), st.floats(0, 50), st.floats(0.001, 0.4)
)
def test_bounds_are_monotone(n, q, kl, delta):
    for method in ("seeger", "mcallester", "catoni"):
        value = pac_bayes_bound(n, q, kl, delta, method=method).value
        assert value >= q - 1e-12
        assert (
            pac_bayes_bound(2 * n, q, kl, delta, method=method).value <= value + 1e-12
        )
        more = pac_bayes_bound(n, q + 0.05, kl, delta, method=method).value
        assert more >= value - 1e-12
        assert pac_bayes_bound(n, q, kl + 1, delta, method=method).value >= value
        assert pac_bayes_bound(n, q, kl, delta + 0.1, method=method).value <= value


def test_catonis_formula_and_the_price_of_its_constant():
    fixed = pac_bayes_bound(1000, 0.1, 5.0, method="catoni", C=1.0).value
    power = 0.1 + (5 + np.log(20)) / 1000
    assert fixed == pytest.approx((1 - np.exp(-power)) / (1 - np.exp(-1)))
    free = pac_bayes_bound(1000, 0.1, 5.0, method="catoni").value
    k = np.arange(-20, 21)
    share = 1 / ((np.pi**2 / 3 - 1) * (np.abs(k) + 1.0) ** 2)
    terms = [
        pac_bayes_bound(1000, 0.1, 5.0, 0.05 * p, method="catoni", C=c).value
        for c, p in zip(2.0 ** (-k / 2), share, strict=True)
    ]
    assert free == pytest.approx(min(terms))


def finite_posteriors(draws, n, method):
    """Return how often the bound fails for the posterior of least bound among 20."""
    rng = np.random.default_rng(1)
    risks = rng.uniform(0.2, 0.6, 50)
    failed = 0
    for _ in range(draws):
        q = rng.binomial(n, risks) / n
        for beta in (0.0, 1.0, 10.0, 100.0):  # Gibbs posteriors, the prior uniform
            w = np.exp(-beta * (q - q.min()))
            w /= w.sum()
            kl = float((w * np.log(np.maximum(w * 50, 1e-300))).sum())
            bound = pac_bayes_bound(n, float(w @ q), max(kl, 0.0), 0.2, method=method)
            if bound.value < w @ risks:
                failed += 1
                break
    return failed / draws


@pytest.mark.parametrize("method", ["seeger", "mcallester", "catoni"])
def test_bounds_hold_for_every_posterior_at_once(method):
    assert finite_posteriors(100, 60, method) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["seeger", "mcallester", "catoni"])
def test_bounds_hold_over_many_draws(method):
    assert finite_posteriors(10_000, 60, method) <= 0.2


def gaussians(rng, n, shift=1.5, d=3):
    y = np.where(rng.random(n) < 0.5, 1, -1)
    X = rng.normal(size=(n, d))
    X[:, 0] += shift * y
    return X, y


def test_the_gibbs_loss_is_that_of_drawn_classifiers():
    rng = np.random.default_rng(2)
    X, y = gaussians(rng, 400)
    model = LogisticRegression().fit(X, y)
    w = np.r_[model.coef_[0], model.intercept_]
    Z = np.c_[X, np.ones(400)]
    s = 4.0
    drawn = s * w / np.linalg.norm(w) + rng.normal(size=(20_000, 4))
    q = np.mean((Z @ drawn.T > 0) != (y[:, None] > 0))
    found = linear_pac_bayes_bound(model, X, y, scale=s, gibbs=True)
    expected = pac_bayes_bound(400, q, s**2 / 2)
    assert found.value == pytest.approx(expected.value, abs=2e-3)
    itself = linear_pac_bayes_bound(model, X, y, scale=s)
    assert itself.value == pytest.approx(min(1, 2 * found.value))


def test_the_grid_pays_its_price():
    X, y = gaussians(np.random.default_rng(3), 2000, 3.0)
    model = LinearSVC().fit(X, y)
    free = linear_pac_bayes_bound(model, X, y, gibbs=True)
    k = np.arange(40)
    terms = [
        linear_pac_bayes_bound(
            model, X, y, 0.05 / ((j + 1) * (j + 2)), scale=2.0 ** (j / 4), gibbs=True
        ).value
        for j in k
    ]
    assert free.value == pytest.approx(min(terms))
    assert free.holds
    assert not free.vacuous


def test_models_of_any_library_and_machines_with_kernels():
    X, y = gaussians(np.random.default_rng(4), 1000, 3.0)
    for model in (
        LogisticRegression(),
        Perceptron(),
        linear_model.LogisticRegression(),
        svm.LinearSVC(),
        SVC(kernel="linear"),
        SVC(gamma=0.1),
    ):
        found = linear_pac_bayes_bound(model.fit(X, y), X, y)
        assert found.holds
        assert found.value >= np.mean(model.predict(X) != y)
        assert not found.vacuous
    linear = SVC(kernel="linear").fit(X, y)
    given = SVC(kernel="precomputed").fit(X @ X.T, y)
    assert linear_pac_bayes_bound(given, X @ X.T, y).value == pytest.approx(
        linear_pac_bayes_bound(linear, X, y).value, abs=1e-3
    )
    assert not linear_pac_bayes_bound(SVC().fit(X, y), X, y).holds


def misses(draws, n, shift):
    rng, failed = np.random.default_rng(5), 0
    for _ in range(draws):
        X, y = gaussians(rng, n, shift)
        model = LinearSVC(C=10.0).fit(X, y)
        w, b = model.coef_[0], model.intercept_[0]
        far = np.linalg.norm(w)
        risk = 0.5 * sum(norm.cdf(-(shift * w[0] + s * b) / far) for s in (-1, 1))
        failed += linear_pac_bayes_bound(model, X, y, 0.2).value < risk
    return failed / draws


@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_the_bound_holds_for_classifiers_that_were_fitted(shift):
    assert misses(40, 40, shift) <= 0.2


def test_lengths_of_rows_do_not_matter():
    X, y = gaussians(np.random.default_rng(6), 300)
    model = LinearSVC(fit_intercept=False).fit(X, y)
    longer = X * np.random.default_rng(7).uniform(0.1, 10, 300)[:, None]
    assert linear_pac_bayes_bound(model, longer, y).value == pytest.approx(
        linear_pac_bayes_bound(model, X, y).value
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: gaussian_kl([[1.0]]),
        lambda: gaussian_kl([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda: gaussian_kl([1.0], 0.0, -1.0),
        lambda: gaussian_kl([1.0, 2.0], 0.0, [[1.0, 2.0], [2.0, 1.0]]),
        lambda: gaussian_kl(["a"]),
        lambda: pac_bayes_bound(4, 0.1, 1.0),
        lambda: pac_bayes_bound(100, 1.1, 1.0),
        lambda: pac_bayes_bound(100, 0.1, -1.0),
        lambda: pac_bayes_bound(100, 0.1, np.inf),
        lambda: pac_bayes_bound(100, 0.1, 1.0, 0.0),
        lambda: pac_bayes_bound(100, 0.1, 1.0, method="best"),
        lambda: pac_bayes_bound(100, 0.1, 1.0, C=1.0),
        lambda: pac_bayes_bound(100, 0.1, 1.0, method="catoni", C=0.0),
        lambda: linear_pac_bayes_bound("model", [[0.0]], [0]),
        lambda: linear_pac_bayes_bound(
            LinearSVC().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], [0, 1]
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call):
    with pytest.raises((DataError, ParameterError), match=r"^\w+: .*; got"):
        call()
