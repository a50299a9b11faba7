import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from corollary import LinearRegression
from corollary.core.errors import DataError, ParameterError
from corollary.distributions.gaussian import (
    Gaussian,
    GaussianFamily,
    pooled_covariance,
)

FEW = settings(max_examples=25, deadline=None)
SHAPES = ("full", "diagonal", "spherical")


def rows(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d) * 3


def law(d=4, seed=1):
    A = np.random.default_rng(seed).normal(size=(d, d))
    return Gaussian(np.arange(d, dtype=float), A @ A.T + np.eye(d))


@pytest.mark.course("S1-6", "S2-1", "S3-14")
@pytest.mark.parametrize("covariance", [0.7, [0.5, 1.0, 2.0], "full"])
def test_density_and_entropy_equal_scipy(covariance):
    mean = np.array([1.0, -2.0, 0.5])
    S = law(3).covariance if covariance == "full" else np.array(covariance)
    ours = Gaussian(mean, S)
    theirs = multivariate_normal(mean, ours.covariance_matrix)
    X = rows(50, 3)
    np.testing.assert_allclose(ours.logpdf(X), theirs.logpdf(X), rtol=1e-12)
    np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-12)


@pytest.mark.course("S3-14")
def test_one_dimension():
    ours = Gaussian([10.0], 4.0)  # a variance: the exponent is -(x - 10)^2/8
    x = np.linspace(0, 20, 9)
    np.testing.assert_allclose(ours.pdf(x), norm(10, 2).pdf(x), rtol=1e-13)
    np.testing.assert_allclose(ours.pdf([10.0]), 1 / (np.sqrt(2 * np.pi) * 2))
    mass = np.diff(ours.cdf([6.0, 14.0]))
    np.testing.assert_allclose(mass, 0.9544997361, rtol=1e-9)  # within 2 sigma
    assert ours.logpdf([np.inf, -np.inf]).tolist() == [-np.inf, -np.inf]


@pytest.mark.course("S1-6", "S2-1", "S3-14")
@pytest.mark.parametrize("shape", SHAPES)
def test_draws_have_the_moments(shape):
    source = GaussianFamily(shape).fit(rows())
    X = source.sample(40000, random_state=0)
    mean, S = source.moments()
    scale = np.sqrt(np.diag(S))
    assert (np.abs(X.mean(axis=0) - mean) < 5 * scale / 200).all()
    np.testing.assert_allclose(
        np.cov(X.T) / np.outer(scale, scale), S / np.outer(scale, scale), atol=0.03
    )
    np.testing.assert_array_equal(X, source.sample(40000, random_state=0))


@pytest.mark.course("S3-14")
@pytest.mark.parametrize("S", [np.eye(2), np.diag([1.0, 4]), [[1, -0.9], [-0.9, 4]]])
def test_contours_hold_their_share(S):
    source = Gaussian([1.0, 2.0], S)
    ellipse = source.contour(0.8, 60)
    r = source.mahalanobis(ellipse)
    np.testing.assert_allclose(r, r[0], rtol=1e-12)
    drawn = source.mahalanobis(source.sample(20000, random_state=1))
    assert abs((drawn < r[0]).mean() - 0.8) < 0.015


@pytest.mark.course("S0-7", "S1-8", "S2-1", "S3-21")
def test_maximum_likelihood_is_mean_and_scatter_over_n():
    X = rows()
    n, d = X.shape
    full = GaussianFamily().fit(X)
    np.testing.assert_allclose(full.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(full.covariance, np.cov(X.T, bias=True), rtol=1e-10)
    unbiased = GaussianFamily(unbiased=True).fit(X)
    np.testing.assert_allclose(unbiased.covariance, np.cov(X.T), rtol=1e-10)
    diagonal = GaussianFamily("diagonal").fit(X)
    np.testing.assert_allclose(diagonal.covariance, X.var(axis=0), rtol=1e-12)
    one = GaussianFamily("spherical").fit(X)
    squares = ((X - X.mean(axis=0)) ** 2).sum() / (n * d)
    np.testing.assert_allclose(one.covariance, squares, rtol=1e-12)
    # mean ||x - mu||^2 = sum of the variances = d sigma^2
    np.testing.assert_allclose(X.var(axis=0).sum(), d * one.covariance, rtol=1e-12)


@pytest.mark.course("S0-7", "S1-8", "S2-1")
@pytest.mark.parametrize("shape", SHAPES)
def test_no_other_law_of_the_shape_is_likelier(shape):
    X = rows()
    family = GaussianFamily(shape)
    s = family.statistics(X)
    best = family.mle(s)
    top = best.logpdf(X).sum()
    np.testing.assert_allclose(family.loglikelihood(s, best), top, rtol=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(50):
        S = best.covariance * np.exp(0.05 * rng.normal())
        if shape == "full":
            B = np.eye(4) + 0.05 * rng.normal(size=(4, 4))
            S = B @ S @ B.T
        other = Gaussian(best.mean + 0.05 * rng.normal(size=4), S)
        assert family.loglikelihood(s, other) < top
        np.testing.assert_allclose(
            family.loglikelihood(s, other), other.logpdf(X).sum(), rtol=1e-9
        )


@pytest.mark.course("S0-7")
def test_derivatives_of_the_log_likelihood_with_the_signs_put_right():
    # dL/dsigma = -nk/sigma + sigma^-3 sum ||x - mu||^2, L has -(k/2) ln|S|
    X = rows(30, 3)
    k, n = X.shape
    mu = X.mean(axis=0)

    def L(sigma):
        return Gaussian(mu, sigma**2).logpdf(X).sum()

    sigma, h = 1.7, 1e-5
    slope = (L(sigma + h) - L(sigma - h)) / (2 * h)
    expected = -n * k / sigma + ((X - mu) ** 2).sum() / sigma**3
    np.testing.assert_allclose(slope, expected, rtol=1e-7)
    # d ln|S| / dS = S^-1 and d tr(A S^-1)/dS = -(S^-1 A S^-1)', by differences
    S, A = law(3).covariance, law(3, 5).covariance
    E = np.zeros((3, 3))
    E[0, 1] = E[1, 0] = h
    np.testing.assert_allclose(
        (np.linalg.slogdet(S + E)[1] - np.linalg.slogdet(S - E)[1]) / (2 * h),
        2 * np.linalg.inv(S)[0, 1],
        rtol=1e-6,
    )
    tr = [np.trace(A @ np.linalg.inv(S + e)) for e in (E, -E)]
    G = -(np.linalg.inv(S) @ A @ np.linalg.inv(S)).T
    np.testing.assert_allclose((tr[0] - tr[1]) / (2 * h), G[0, 1] + G[1, 0], rtol=1e-6)


@pytest.mark.course("S2-1")
def test_trace_minus_log_determinant_is_least_at_the_inverse():
    S = law().covariance
    value = 4 + np.linalg.slogdet(S)[1]
    A = np.linalg.inv(S)
    np.testing.assert_allclose(np.trace(A @ S) - np.linalg.slogdet(A)[1], value)
    rng = np.random.default_rng(0)
    for _ in range(50):
        B = rng.normal(size=(4, 4)) * 0.3 + np.eye(4)
        C = B @ A @ B.T
        assert np.trace(C @ S) - np.linalg.slogdet(C)[1] > value


@pytest.mark.course("S0-7")
@pytest.mark.parametrize("shape", SHAPES)
@given(st.integers(0, 10**6))
@FEW
def test_weights_are_repetitions_and_parts_add_up(shape, seed):
    X = rows(40)
    times = np.random.default_rng(seed).integers(0, 3, 40)
    family = GaussianFamily(shape)
    weighted = family.fit(X, times)
    repeated = family.fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-9)
    cut = 1 + seed % 39
    parts = family.statistics(X[:cut]) + family.statistics(X[cut:])
    np.testing.assert_allclose(
        family.mle(parts).covariance, family.fit(X).covariance, rtol=1e-9
    )


@pytest.mark.course("S2-1")
def test_pooled_covariance_is_unbiased_with_n_minus_c():
    truth = law(2).covariance
    rng = np.random.default_rng(0)
    total = {True: np.zeros((2, 2)), False: np.zeros((2, 2))}
    y = np.repeat(["a", "b", "c"], 4)  # three classes of four
    for _ in range(1500):
        laws = [Gaussian([m, 0.0], truth) for m in (0.0, 5.0, -3.0)]
        X = np.vstack([law.sample(4, rng) for law in laws])
        for unbiased in total:
            total[unbiased] += pooled_covariance(X, y, unbiased=unbiased) / 1500
    np.testing.assert_allclose(total[True], truth, rtol=0.1, atol=0.1)
    np.testing.assert_allclose(total[False], truth * 9 / 12, rtol=0.1, atol=0.1)
    first, second = rows(20, 3, 1), rows(10, 3, 2)
    X, y = np.vstack([first, second]), np.repeat([0, 1], [20, 10])
    expected = (2 * np.cov(first.T, ddof=0) + np.cov(second.T, ddof=0)) / 3
    np.testing.assert_allclose(pooled_covariance(X, y), expected, rtol=1e-12)
    weights = np.repeat([1.0, 2.0], [20, 10])  # weight 2 is the row twice
    repeated = pooled_covariance(np.vstack([X, second]), np.append(y, np.ones(10)))
    weighted = pooled_covariance(X, y, weights)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)


@pytest.mark.course("S1-8", "S2-1")
def test_expected_maximum_likelihood_covariance_is_too_small():
    truth, rng = law(3), np.random.default_rng(2)
    family = GaussianFamily()
    found = np.mean(
        [family.fit(truth.sample(6, rng)).covariance for _ in range(2500)], axis=0
    )
    scale = np.sqrt(np.outer(*[np.diag(truth.covariance)] * 2))
    np.testing.assert_allclose(
        found / scale, 5 / 6 * truth.covariance / scale, atol=0.03
    )


# -- singular covariances ----------------------------------------------------------
@pytest.mark.course("S2-2", "S3-17")
@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_rank_is_one_less_than_the_rows_where_they_are_few(n):
    family = GaussianFamily()
    X = np.random.default_rng(n).normal(size=(n, 8)) * 100 + 1000
    found = family.diagnosis(family.statistics(X))
    assert found.rank == n - 1
    with pytest.raises(DataError, match=rf"n_samples = {n} \(rank {n - 1} of 8"):
        family.fit(X)
    more = np.random.default_rng(n).normal(size=(9, 8))
    assert family.diagnosis(family.statistics(more)).rank == 8


@pytest.mark.course("S2-2", "S3-17")
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_guilty_features_are_named(scale):
    X = rows(50, 6) * scale
    X[:, 1] = 7.0 * scale
    X[:, 4] = 2 * X[:, 0] - X[:, 3] + 5 * scale
    family = GaussianFamily()
    found = family.diagnosis(family.statistics(X))
    assert found.constant == (1,)
    assert found.rank == 4
    [guilty] = found.dependent
    assert guilty in (0, 3, 4)
    with pytest.raises(DataError) as caught:
        family.fit(X)
    assert str(caught.value) == (
        "GaussianFamily: the covariance must have full rank; got rank 4 of 6, with "
        f"constant features [1] and features [{guilty}] that others determine. Drop "
        "them, use covariance='diagonal', or shrinkage > 0."
    )
    with pytest.raises(DataError, match=r"constant features \[1\]"):
        GaussianFamily("diagonal").fit(X)


@pytest.mark.course("S2-2")
@pytest.mark.parametrize("a", [0.1, 0.5, 1.0])
def test_shrinkage_keeps_the_trace_and_makes_it_regular(a):
    X = rows(4, 7)
    S = np.cov(X.T, bias=True)
    fitted = GaussianFamily(shrinkage=a).fit(X)
    expected = (1 - a) * S + a * np.trace(S) / 7 * np.eye(7)
    np.testing.assert_allclose(fitted.covariance, expected, rtol=1e-10)
    np.testing.assert_allclose(np.trace(fitted.covariance), np.trace(S))
    auto = GaussianFamily(shrinkage="auto")
    assert auto.used_shrinkage(auto.statistics(X)) == 0.01
    assert auto.used_shrinkage(auto.statistics(rows())) == 0


def test_digits_survive_a_large_mean():
    X = rows()
    moved = GaussianFamily().fit(X + 1e7)
    np.testing.assert_allclose(
        moved.covariance, GaussianFamily().fit(X).covariance, rtol=1e-6
    )


# -- geometry ----------------------------------------------------------------------
@pytest.mark.course("S2-6", "S3-15")
def test_mahalanobis_distance_by_two_routes():
    source, X = law(), rows()
    Z = X - source.mean
    direct = np.sqrt(np.einsum("ni,ij,nj->n", Z, np.linalg.inv(source.covariance), Z))
    np.testing.assert_allclose(source.mahalanobis(X), direct, rtol=1e-10)
    values, vectors = np.linalg.eigh(source.covariance)
    eigen = np.linalg.norm(Z @ vectors / np.sqrt(values), axis=1)
    np.testing.assert_allclose(source.mahalanobis(X), eigen, rtol=1e-10)
    euclid = Gaussian(np.zeros(4), 1.0).mahalanobis(X)
    np.testing.assert_allclose(euclid, np.linalg.norm(X, axis=1), rtol=1e-12)


@pytest.mark.course("S2-6", "S3-16")
def test_whitened_rows_have_unit_covariance():
    X = rows(200)
    fitted = GaussianFamily().fit(X)
    W = fitted.whiten(X)
    np.testing.assert_allclose(np.cov(W.T, bias=True), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-10)
    r = np.linalg.norm(W, axis=1)  # Mahalanobis is Euclid after whitening
    np.testing.assert_allclose(fitted.mahalanobis(X), r, rtol=1e-9)
    white = fitted.linear_map(fitted.whitening())
    np.testing.assert_allclose(white.covariance, np.eye(4), atol=1e-10)


@pytest.mark.course("S3-16")
def test_linear_maps_use_the_transpose():
    source, A, b = law(), np.random.default_rng(3).normal(size=(4, 2)), [1.0, -1.0]
    mapped = source.linear_map(A, b)
    np.testing.assert_allclose(mapped.mean, A.T @ source.mean + b)
    np.testing.assert_allclose(mapped.covariance, A.T @ source.covariance @ A)
    X = source.sample(50, random_state=0)
    family = GaussianFamily()
    direct = family.fit(X @ A + b)
    through = family.fit(X).linear_map(A, b)
    np.testing.assert_allclose(direct.covariance, through.covariance, rtol=1e-9)
    with pytest.raises(DataError, match="A must have 4 rows"):
        source.linear_map(A.T)


# -- marginals, conditionals, regression -------------------------------------------
@pytest.mark.course("S4-38")
def test_joint_is_marginal_times_conditional():
    source, X = law(), rows(20)
    given_ = [1, 3]
    marginal = source.marginal(given_)
    for x in X:
        conditional = source.conditional(given_, x[given_])
        both = marginal.logpdf(x[given_])[0] + conditional.logpdf(x[[0, 2]])[0]
        np.testing.assert_allclose(both, source.logpdf(x)[0], rtol=1e-10)


@pytest.mark.course("S4-38")
def test_conditional_by_the_formula():
    source = law()
    S, mu = source.covariance, source.mean
    one, two = [0, 2], [1, 3]
    S12, S22 = S[np.ix_(one, two)], S[np.ix_(two, two)]
    x2 = np.array([0.5, -2.0])
    found = source.conditional(two, x2)
    gain = S12 @ np.linalg.inv(S22)  # the inverse is of S22, not of S21
    np.testing.assert_allclose(found.mean, mu[one] + gain @ (x2 - mu[two]))
    np.testing.assert_allclose(
        found.covariance, S[np.ix_(one, one)] - gain @ S12.T, rtol=1e-10
    )
    for shape in (0.5, np.array([1.0, 2.0, 3.0, 4.0])):
        free = Gaussian(mu, shape)
        np.testing.assert_allclose(free.conditional(two, x2).mean, mu[one])
        assert free.marginal([2]).mean.tolist() == [2.0]


@pytest.mark.course("S2-8")
def test_regression_from_the_joint_law_is_least_squares_with_an_intercept():
    X = rows(80, 5)
    y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + np.random.default_rng(1).normal(size=80) + 4
    joint = GaussianFamily().fit(np.column_stack([X, y]))
    line = joint.regression([5])
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(line.coef[0], model.coef_, rtol=1e-9)
    np.testing.assert_allclose(line.intercept, model.intercept_, rtol=1e-9)
    np.testing.assert_allclose(line.predict(X)[:, 0], model.predict(X), rtol=1e-9)
    # sigma^2 - l' S^-1 l is the mean squared residual
    residual = y - model.predict(X)
    np.testing.assert_allclose(line.covariance[0, 0], (residual**2).mean(), rtol=1e-9)
    at = joint.conditional([0, 1, 2, 3, 4], X[0])
    np.testing.assert_allclose(at.mean, model.predict(X[:1]), rtol=1e-9)


# -- bad input ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: Gaussian([0, 0], [[1, 0.5], [0.2, 1]]),
            ParameterError,
            r"symmetric; got 0.5 at \(0, 1\) and 0.2 at \(1, 0\)",
        ),
        (
            lambda: Gaussian([0, 0], [[1, 2], [2, 1]]),
            ParameterError,
            "positive definite; got an eigenvalue -1",
        ),
        (
            lambda: Gaussian([0, 0], [[1, 1], [1, 1]]),
            ParameterError,
            r"rank 1 of 2, with features \[1\] that others determine",
        ),
        (lambda: Gaussian([0], 0.0), ParameterError, "variances must be > 0; got 0"),
        (lambda: Gaussian([0, 0], [1, -1]), ParameterError, "must be > 0; got -1"),
        (lambda: Gaussian([0, 0], [1, 1, 1]), ParameterError, "2 variances or a 2 x 2"),
        (lambda: Gaussian([[0.0]], 1.0), ParameterError, "mean must be a vector"),
        (lambda: Gaussian([np.nan], 1.0), DataError, "mean must be finite"),
        (lambda: Gaussian([0, 0], 1.0).logpdf([[1.0]]), DataError, "rows of 2 columns"),
        (lambda: Gaussian([0], 1.0).logpdf([np.nan]), DataError, "NaN in row 0"),
        (lambda: Gaussian([0], 1.0).sample(0), ParameterError, "n must be a whole"),
        (lambda: Gaussian([0, 0], 1.0).cdf([[1, 1]]), ParameterError, "one feature"),
        (lambda: Gaussian([0], 1.0).contour(), ParameterError, "on 2 features; got 1"),
        (lambda: Gaussian([0, 0], 1.0).contour(2), ParameterError, r"in \(0, 1\)"),
        (lambda: Gaussian([0, 0], 1.0).marginal([2]), ParameterError, "from 0 to 1"),
        (
            lambda: Gaussian([0, 0], 1.0).conditional([0], [1, 2]),
            DataError,
            "one number for each of 1 features",
        ),
        (
            lambda: Gaussian([0, 0], 1.0).regression([0, 1]),
            ParameterError,
            "both sides; got 2 and 0",
        ),
        (lambda: GaussianFamily("round"), ParameterError, "covariance must be one of"),
        (lambda: GaussianFamily().fit(np.empty((0, 2))), DataError, "X must have rows"),
        (lambda: GaussianFamily().fit([[1.0, 2.0]]), DataError, "n_samples = 1"),
        (lambda: GaussianFamily("spherical").fit([1.0]), DataError, "n_samples = 1"),
        (
            lambda: GaussianFamily(unbiased=True).fit([1.0]),
            DataError,
            "more rows than 1; got n_samples = 1",
        ),
        (
            lambda: GaussianFamily().fit([1.0, 2.0], [-1, 1]),
            DataError,
            "sample_weight",
        ),
        (lambda: GaussianFamily().fit([np.inf, 1.0]), DataError, "X must be finite"),
        (lambda: GaussianFamily().fit([["a"]]), DataError, "X must hold numbers"),
        (
            lambda: pooled_covariance([1.0], ["a"], unbiased=True),
            DataError,
            "got 1 rows in 1",
        ),
        (
            lambda: GaussianFamily("diagonal").loglikelihood(
                GaussianFamily("diagonal").statistics(rows(9, 2)), law(2)
            ),
            DataError,
            "got a full covariance",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
