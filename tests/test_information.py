import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.categorical import CategoricalFamily
from corollary.information import (
    cross_entropy,
    entropy,
    jensen_gap,
    kl_divergence,
    mutual_information,
    phi_divergence,
    relative_entropy,
)

VECTORS = arrays(float, 5, elements=st.floats(0, 10) | st.just(0.0))
POSITIVE = arrays(float, 5, elements=st.floats(0.01, 10))


def law(x):
    return x / x.sum()


@pytest.mark.course("S0-11", "S1-25")
@given(POSITIVE, POSITIVE)
def test_equal_scipy(x, y):
    p, q = law(x), law(y)
    np.testing.assert_allclose(entropy(p), stats.entropy(p), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        entropy(p, "bits"), stats.entropy(p, base=2), rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(kl_divergence(p, q), stats.entropy(p, q), atol=1e-12)
    np.testing.assert_allclose(
        cross_entropy(p, q), -(p @ np.log(q)), rtol=1e-10, atol=1e-12
    )


@pytest.mark.course("S0-11", "S1-25")
@given(VECTORS, VECTORS)
def test_relative_entropy_is_never_negative_and_0_only_at_equality(x, y):
    value = relative_entropy(x, y)
    assert value >= 0
    assert relative_entropy(x, x) == 0
    if np.abs(x - y).max() > 1e-3:
        assert value > 0


@pytest.mark.course("S0-11")
@given(POSITIVE, POSITIVE)
def test_log_sum_inequality(x, y):
    left = (x * np.log(x / y)).sum()
    assert left >= x.sum() * np.log(x.sum() / y.sum()) - 1e-9
    # and so unnormalised vectors are at least as far apart as their sums
    sums = relative_entropy([x.sum()], [y.sum()])
    assert relative_entropy(x, y) >= sums - 1e-9


@pytest.mark.course("S0-11", "S1-25")
def test_conventions_at_zero():
    assert relative_entropy([0.0, 1.0], [1.0, 1.0]) == 1.0  # 0 ln 0 = 0
    assert relative_entropy([1.0, 1.0], [0.0, 1.0]) == np.inf
    assert relative_entropy([0.0, 0.0], [0.0, 0.0]) == 0
    assert entropy([1.0, 0.0]) == 0
    assert kl_divergence([0.0, 1.0], [0.5, 0.5], "bits") == 1


@pytest.mark.course("S0-11", "S1-25")
def test_not_symmetric_and_no_triangle_inequality():
    p, q, r = [0.5, 0.5], [0.9, 0.1], [0.99, 0.01]
    assert abs(kl_divergence(p, q) - kl_divergence(q, p)) > 0.1
    assert kl_divergence(p, r) > kl_divergence(p, q) + kl_divergence(q, r)


@pytest.mark.course("S0-11")
@given(POSITIVE)
def test_distance_from_uniform_is_missing_entropy(x):
    p, u = law(x), np.full(5, 0.2)
    np.testing.assert_allclose(kl_divergence(p, u), np.log(5) - entropy(p), atol=1e-12)
    assert entropy(p, "bits") <= np.log2(5) + 1e-12


@pytest.mark.course("S1-25")
@given(POSITIVE, POSITIVE)
def test_jensen(weights, x):
    p, size = law(weights), x.max() ** 2
    for convex in (np.square, np.exp, lambda t: -np.log(t), lambda t: np.abs(t - 2)):
        gap = jensen_gap(convex, p, x)
        assert gap >= -1e-12 * max(size, np.exp(x.max()))
        np.testing.assert_allclose(
            gap, sum(p * convex(x)) - convex(p @ x), atol=1e-9 * np.exp(x.max())
        )
    assert jensen_gap(np.sqrt, p, x) <= 1e-12  # concave
    variance = sum(p * (x - p @ x) ** 2)
    np.testing.assert_allclose(jensen_gap(np.square, p, x), variance, atol=1e-12 * size)
    np.testing.assert_allclose(jensen_gap(lambda t: 3 * t - 1, p, x), 0, atol=1e-12)
    assert abs(jensen_gap(np.exp, p, np.full(5, 2.0))) < 1e-12


@pytest.mark.course("S1-25")
@given(POSITIVE, POSITIVE)
def test_divergences_are_gaps_of_jensens_inequality(x, y):
    p, q = law(x), law(y)
    gap = jensen_gap(lambda t: -np.log(t), p, q / p)
    np.testing.assert_allclose(kl_divergence(p, q), gap, atol=1e-12)
    gap = jensen_gap(lambda t: (t - 1) ** 2, q, p / q)
    np.testing.assert_allclose(phi_divergence(p, q, "chi2"), gap, rtol=1e-9, atol=1e-12)
    # entropy is concave: that of a mixture is at least the mixture of entropies
    for share in (0.2, 0.5, 0.9):
        mixed = entropy(share * p + (1 - share) * q)
        assert mixed >= share * entropy(p) + (1 - share) * entropy(q) - 1e-12


@pytest.mark.course("S0-10")
def test_relative_frequencies_minimise_relative_entropy_from_the_counts():
    f = np.array([5.0, 3.0, 0.0, 2.0])
    m = f.sum()
    fitted = CategoricalFamily().fit(np.repeat(np.arange(4), f.astype(int)))
    p = np.zeros(4)
    p[fitted.values.astype(int)] = fitted.p
    np.testing.assert_allclose(p, f / m, rtol=1e-15)
    least = relative_entropy(f, p)
    np.testing.assert_allclose(least, m * np.log(m) - m + 1, rtol=1e-14)
    rng = np.random.default_rng(0)
    for q in rng.dirichlet(np.ones(4), 200):
        assert relative_entropy(f, q) > least  # unique
        likelihood = f[f > 0] @ np.log(q[f > 0])
        np.testing.assert_allclose(  # D(f || q) + ln L does not depend on q
            relative_entropy(f, q) + likelihood, least + f[f > 0] @ np.log(p[f > 0])
        )


@pytest.mark.course("S0-11")
@given(POSITIVE, POSITIVE)
def test_phi_divergences(p, f):
    np.testing.assert_allclose(
        phi_divergence(p, f, "kl"), relative_entropy(p, f), atol=1e-9
    )
    np.testing.assert_allclose(
        phi_divergence(p, f, "reverse"), relative_entropy(f, p), atol=1e-9
    )
    np.testing.assert_allclose(
        phi_divergence(p, f, "chi2"), ((p - f) ** 2 / f).sum(), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        phi_divergence(p, f, "hellinger"),
        ((np.sqrt(p) - np.sqrt(f)) ** 2).sum(),
        atol=1e-9,
    )
    np.testing.assert_allclose(
        phi_divergence(p, f, lambda t: (t - 1) ** 2), phi_divergence(p, f, "chi2")
    )


def test_phi_divergence_where_f_is_0():
    p, f = [0.5, 0.5], [1.0, 0.0]
    assert phi_divergence(p, f, "kl") == np.inf
    np.testing.assert_allclose(phi_divergence(p, f, "reverse"), np.log(2))
    assert phi_divergence(p, f, "total_variation") == 0.5
    with pytest.raises(DataError, match=r"f must be > 0 wherever p is.*got 0 at \[1\]"):
        phi_divergence(p, f, lambda t: (t - 1) ** 2)


@pytest.mark.course("S0-11")
def test_mutual_information_is_entropy_shared():
    P = law(np.random.default_rng(0).random((3, 4)))
    expected = entropy(P.sum(0)) + entropy(P.sum(1)) - entropy(P)
    np.testing.assert_allclose(mutual_information(P), expected, rtol=1e-12)
    outer = np.outer([0.2, 0.8], [0.5, 0.3, 0.2])
    assert mutual_information(outer) < 1e-15


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: entropy([0.5, 0.6]), DataError, "must add up to 1; got 1.1"),
        (lambda: entropy([-0.5, 1.5]), DataError, "must be >= 0; got -0.5"),
        (lambda: entropy([1.0], "bans"), ParameterError, "'nats' or 'bits'"),
        (lambda: entropy([]), DataError, "must add up to 1; got 0"),
        (lambda: relative_entropy([1.0], [1.0, 2.0]), DataError, "same shape"),
        (lambda: relative_entropy([np.nan], [1.0]), DataError, "x must be finite"),
        (lambda: relative_entropy(["a"], [1.0]), DataError, "x must hold numbers"),
        (lambda: mutual_information([0.5, 0.5]), DataError, "two-way table; got 1"),
        (lambda: phi_divergence([1.0], [1.0], "x"), ParameterError, "one of 'kl'"),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_jensen_gap_refuses_what_does_not_fit():
    with pytest.raises(DataError, match="vectors of one length"):
        jensen_gap(np.square, [0.5, 0.5], [1.0])
    with pytest.raises(DataError, match="add up to 1"):
        jensen_gap(np.square, [0.5, 0.6], [1.0, 2.0])
    assert jensen_gap(np.log, [1.0, 0.0], [1.0, 0.0]) == 0.0  # where p = 0 is not asked
