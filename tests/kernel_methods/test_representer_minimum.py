"""The representer theorem as it stands: any psi, any joint loss, and existence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, lambertw
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from corollary import KernelRidge, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.kernel_methods import representer_fit, representer_minimum


def numbers(seed=0, n=25):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n) + 3


def squared(y):
    return lambda f: ((f - y) ** 2).sum(), lambda f: 2 * (f - y)


def oracle(R, size, starts=5):
    """Return the least value that BFGS finds from several starts."""
    rng = np.random.default_rng(0)
    runs = [minimize(R, rng.normal(size=size), tol=1e-10) for _ in range(starts)]
    return min(run.fun for run in runs)


def check(found, K, loss, psi):
    """Check that the fields fit together."""
    np.testing.assert_allclose(found.f, K @ found.a + found.b, atol=1e-8)
    norm = np.sqrt(found.a @ K @ found.a)
    assert found.norm == pytest.approx(norm, rel=1e-7, abs=1e-9)
    assert found.objective == pytest.approx(psi(found.norm) + loss(found.f), rel=1e-9)
    assert found.exists is True
    assert found.stop is StopReason.CONVERGED


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("given", [True, False], ids=["gradient", "differences"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_square_and_the_squared_loss_are_kernel_ridge(intercept, given):
    X, y = numbers()
    K = rbf_kernel(X, gamma=0.5)
    loss, gradient = squared(y)

    def psi(t):
        return 0.7 * t**2

    found = representer_minimum(
        lambda A, B: rbf_kernel(A, B, gamma=0.5),
        X,
        loss,
        psi,
        gradient=gradient if given else None,
        fit_intercept=intercept,
    )
    check(found, K, loss, psi)
    ridge = KernelRidge(0.7, kernel="rbf", gamma=0.5, fit_intercept=intercept)
    ridge.fit(X, y)
    np.testing.assert_allclose(found.a, ridge.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(found.f, ridge.predict(X), atol=1e-5)


PENALTIES = {
    "norm": lambda t: 3 * t,
    "fourth power": lambda t: t**4,
    "bounded": lambda t: 20 * t**2 / (1 + t**2),
    "logarithm": lambda t: 4 * np.log1p(t),
}


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("name", PENALTIES)
def test_every_psi_in_the_whole_feature_space(name):
    """With a linear kernel of many features the span is a part of the space."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6, 9))
    y = 2 + 3 * rng.normal(size=6)
    psi, (loss, gradient) = PENALTIES[name], squared(y)
    found = representer_minimum(linear_kernel, X, loss, psi, gradient=gradient)
    check(found, X @ X.T, loss, psi)

    def R(v):  # over all of R^9, not in the span alone
        return psi(np.linalg.norm(v[:-1])) + loss(X @ v[:-1] + v[-1])

    least = oracle(R, 10, 20)
    assert found.objective <= least + 1e-7 * abs(least)
    assert found.objective == pytest.approx(least, rel=1e-5)
    w = found.a @ X
    assert np.linalg.norm(w) == pytest.approx(found.norm, rel=1e-7)


@pytest.mark.course("S2-35")
def test_the_norm_itself_can_be_a_price_that_only_0_pays():
    """psi(t) = s t has the minimiser h = 0 from s = |Z'g| on: a corner at 0."""
    X, y = numbers(2)
    K = rbf_kernel(X)
    loss, gradient = squared(y)
    g = gradient(np.full(25, y.mean()))
    edge = np.sqrt(g @ K @ g)
    for share, zero in ((1.01, True), (0.99, False)):
        found = representer_minimum(
            None, K, loss, lambda t, s=share * edge: s * t, gradient=gradient
        )
        assert (found.norm == 0) is zero
        assert found.exists is True
        assert (found.b == pytest.approx(y.mean())) or not zero


@pytest.mark.course("S2-35")
def test_psi_may_jump_and_may_be_infinite():
    X, y = numbers(3)
    K = rbf_kernel(X)
    loss, gradient = squared(y)

    def wall(t):  # Ivanov's form: ||h|| <= 1.3
        return 0.0 if t <= 1.3 else np.inf

    found = representer_minimum(None, K, loss, wall, gradient=gradient)
    assert found.exists is True
    assert found.norm == pytest.approx(1.3, rel=1e-8)
    # a Lagrangian in place of the wall: (lam/2) ||h||^2 at the same norm
    g = gradient(found.f)
    lam = -np.median(g / found.a)
    other = representer_fit(None, K, y, "squared_error", lam / 2, tol=1e-13)
    np.testing.assert_allclose(other.f, found.f, atol=1e-4)
    stairs = representer_minimum(
        None, K, loss, lambda t: 9 * np.floor(t), gradient=gradient
    )
    below = [
        representer_minimum(
            None, K, loss, lambda t, k=k: 0 if t < k else np.inf, gradient=gradient
        ).objective
        + 9 * (k - 1)
        for k in range(1, 6)
    ]
    assert stairs.objective == pytest.approx(min(below), rel=1e-6)


def rank_loss(y):
    """Pairs in the wrong order, a loss of all scores that is no sum over rows."""
    pairs = y[:, None] > y

    def loss(f):
        return np.logaddexp(0, -(f[:, None] - f))[pairs].sum() + np.var(f) ** 2

    def gradient(f):
        S = np.where(pairs, -expit(-(f[:, None] - f)), 0.0)
        centred = f - f.mean()
        return S.sum(axis=1) - S.sum(axis=0) + 4 * np.var(f) * centred / len(f)

    return loss, gradient


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("given", [True, False], ids=["gradient", "differences"])
def test_a_joint_loss_that_is_no_sum_over_rows(given):
    X, y = numbers(4, 12)
    K = rbf_kernel(X, gamma=0.3)
    loss, gradient = rank_loss(y)
    found = representer_minimum(
        None,
        K,
        loss,
        lambda t: t**3,
        gradient=gradient if given else None,
        fit_intercept=False,
    )
    check(found, K, loss, lambda t: t**3)

    def R(a):
        return np.sqrt(abs(a @ K @ a)) ** 3 + loss(K @ a)

    assert found.objective == pytest.approx(oracle(R, 12), rel=1e-6)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("k", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_the_first_example_without_a_minimiser(k, shift):
    """R = ||h||^2 + exp(-(h(x) + b)) > 0 tends to 0 as b grows with h = 0."""
    K = np.array([[k]])

    def loss(f):
        return np.exp(-f[0])

    def psi(t):
        return shift + t**2  # a constant hides the last digits of the loss

    found = representer_minimum(None, K, loss, psi)
    assert found.exists is False
    assert found.why.startswith("No minimiser: the objective falls for ever as |b|")
    assert "\n" not in found.why
    assert found.why in str(found)
    assert found.b > 10
    assert found.objective == pytest.approx(shift, abs=1e-6)
    # without b there is one: 2 s = exp(-s k), which is Lambert's function
    found = representer_minimum(None, K, loss, psi, fit_intercept=False)
    check(found, K, loss, psi)
    assert found.a[0] == pytest.approx(lambertw(k / 2).real / k, rel=1e-6)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("k", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_second_example_without_a_minimiser(k, intercept):
    """R(s k(., x)) = s^2 k - s^4 k^4, with k(x, x) to the fourth power."""
    K = np.array([[k]])

    def loss(f):
        return -(f[0] ** 4)

    found = representer_minimum(None, K, loss, lambda t: t**2, fit_intercept=intercept)
    assert found.exists is False
    assert "falls for ever as ||h|| grows" in found.why
    assert found.objective < -1e20
    if not intercept:
        s = found.a[0]
        assert found.objective == pytest.approx(s**2 * k - s**4 * k**4, rel=1e-9)
        # h = 0 is a local minimum; the way out begins at s^2 = k^-3
        inside = representer_minimum(
            None,
            K,
            loss,
            lambda t: t**2 if t**2 <= 0.99 / k**2 else np.inf,
            fit_intercept=False,
        )
        assert inside.exists is True
        assert inside.norm == 0
        # a psi that outgrows the loss: t^6 - k^2 t^4 is least at t^2 = 2 k^2 / 3
        found = representer_minimum(None, K, loss, lambda t: t**6, fit_intercept=False)
        check(found, K, loss, lambda t: t**6)
        assert found.norm == pytest.approx(np.sqrt(2 / 3) * k, rel=1e-6)
        assert found.objective == pytest.approx(-4 / 27 * k**6, rel=1e-9)


@pytest.mark.course("S2-35")
def test_the_second_example_among_many_rows():
    X, _ = numbers(5)
    K = rbf_kernel(X)
    found = representer_minimum(
        None, K, lambda f: -(f[0] ** 4), lambda t: t**2, fit_intercept=False
    )
    assert found.exists is False
    np.testing.assert_allclose(found.a[1:] / found.a[0], 0, atol=1e-5)


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    ("psi", "separable", "exists"),
    [
        (lambda t: 0.0, True, False),
        (lambda t: 0.0, False, True),
        (lambda t: min(t, 1.0), True, False),
        (lambda t: 1e-9 * t**2, True, True),
        (lambda t: t**2, True, True),
    ],
    ids=["none", "none, mixed", "bounded", "tiny", "square"],
)
def test_logistic_losses_of_separable_rows_need_a_psi(
    psi, separable, exists, intercept
):
    X, _ = numbers(6)
    side = np.sign(X[:, 0])
    if not separable:
        side[::4] *= -1
    found = representer_minimum(
        linear_kernel,
        X,
        lambda f: np.logaddexp(0, -side * f).sum(),
        psi,
        gradient=lambda f: -side * expit(-side * f),
        fit_intercept=intercept,
    )
    assert found.exists is exists


@pytest.mark.course("S2-35")
@pytest.mark.parametrize("share", [1e-8, 1e-10, 1e-12])
def test_a_tiny_psi_is_enough(share):
    X, _ = numbers(8)
    side = np.sign(X[:, 0] + 0.3)
    for intercept in (True, False):
        found = representer_minimum(
            None,
            rbf_kernel(X, gamma=0.5),
            lambda f: np.logaddexp(0, -side * f).sum(),
            lambda t: share * t**2,
            gradient=lambda f: -side * expit(-side * f),
            fit_intercept=intercept,
            max_iter=500,
        )
        assert found.exists is True
        assert found.norm > 50


def test_powers_may_overflow():
    loss, gradient = squared(np.array([1.0, -1.0]))
    found = representer_minimum(
        None, np.eye(2), loss, lambda t: t**400, gradient=gradient
    )
    assert found.exists is True
    assert found.norm == pytest.approx(1, abs=0.03)


@pytest.mark.course("S2-35")
def test_a_minimum_may_be_attained_far_off_or_on_a_flat():
    K = np.array([[1.0]])
    far = representer_minimum(None, K, lambda f: (f[0] - 1e6) ** 2, lambda t: t**2)
    assert far.exists is True
    assert far.b == pytest.approx(1e6)
    flat = representer_minimum(
        None, K, lambda f: max(0.0, 50 - f[0]) ** 2, lambda t: 0.0
    )
    assert flat.exists is True
    assert flat.objective == pytest.approx(0, abs=1e-9)
    # slow, linear and masked descents
    for loss in (
        lambda f: 1 / (1 + max(f[0], 0.0)),
        lambda f: f[0],
        lambda f: 7 + np.exp(f[0]),
    ):
        found = representer_minimum(None, K, loss, lambda t: t**2)
        assert found.exists is False
    # b runs off beside an h that settles
    found = representer_minimum(
        None,
        np.eye(2),
        lambda f: (f[0] - f[1] - 1) ** 2 + np.exp(-f.sum()),
        lambda t: t**2,
    )
    assert found.exists is False
    assert found.objective == pytest.approx(1 / 3, abs=1e-6)
    assert found.norm == pytest.approx(np.sqrt(2) / 3, abs=1e-3)


@given(seed=st.integers(0, 1000), power=st.sampled_from([1.0, 1.5, 2.0, 4.0]))
@settings(max_examples=10, deadline=None)
def test_no_function_nearby_or_beside_the_span_is_better(seed, power):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(5, 8)), rng.normal(size=5)
    loss, gradient = squared(y)
    found = representer_minimum(
        linear_kernel, X, loss, lambda t: t**power, gradient=gradient
    )
    w = found.a @ X
    for scale in 10.0 ** np.arange(-4, 1):
        v, b = w + scale * rng.normal(size=8), found.b + scale * rng.normal()
        R = np.linalg.norm(v) ** power + loss(X @ v + b)
        assert R >= found.objective - 1e-9


def test_a_search_that_does_not_settle_says_so():
    X, y = numbers(7)
    loss, gradient = squared(y)
    found = representer_minimum(
        None, rbf_kernel(X), loss, lambda t: 0.0, gradient=gradient, max_iter=20
    )
    assert found.exists is None
    assert found.why.startswith("Undecided")
    assert found.stop is StopReason.MAX_PASSES


def test_a_kernel_of_rank_0_leaves_the_intercept():
    loss, gradient = squared(np.array([1.0, 2.0, 6.0]))
    found = representer_minimum(
        None, np.zeros((3, 3)), loss, lambda t: t, gradient=gradient
    )
    assert found.exists is True
    assert found.b == pytest.approx(3)
    np.testing.assert_array_equal(found.a, 0)


def test_bad_input_is_one_sentence():
    K = np.eye(2)

    def loss(f):
        return f @ f

    def psi(t):
        return t

    for arguments, options, words in (
        ((None, np.ones((2, 3)), loss, psi), {}, "matrix of shape"),
        ((None, np.ones((0, 0)), loss, psi), {}, "matrix of shape"),
        ((None, K, loss, lambda t: -t), {}, "psi must not fall"),
        ((None, K, loss, lambda t: np.nan), {}, "psi[(]0[)] must be finite"),
        ((None, K, lambda f: np.nan, psi), {}, "loss must be a finite number"),
        ((None, K, loss, psi), {"gradient": lambda f: f[:1]}, "must return 2 numbers"),
        ((None, K, lambda f: f**2, psi), {}, "one real number; got shape [(]2,[)]"),
        ((None, K, lambda f: None, psi), {}, "one real number; got None"),
        ((None, K, "hinge", psi), {}, "loss must be a function; got 'hinge'"),
        ((None, K, loss, 2), {}, "psi must be a function; got 2"),
        ((None, K, loss, psi), {"tol": 0}, "tol must be > 0"),
        ((None, K, loss, psi), {"max_iter": 0}, "max_iter must be > 0"),
    ):
        with pytest.raises(ParameterError, match=words) as caught:
            representer_minimum(*arguments, **options)
        assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="must be finite"):
        representer_minimum(None, K * np.nan, loss, psi)
