"""A random range: close to exact, and never closer than it says."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles

from corollary import PCA, StopReason, engine
from corollary.core.errors import ParameterError

N, D, Q = 300, 600, 5


def decaying(rate=0.7, noise=0.0, n=N, d=D):
    """Return rows whose deviations fall by a rate from direction to direction."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n, 40)) * rate ** np.arange(40)
    X = scores @ np.linalg.qr(rng.normal(size=(d, 40)))[0].T
    return X + noise * rng.normal(size=(n, d)) + rng.normal(size=d)


def sparse_rows():
    X = decaying()
    return sp.csr_array(np.where(np.arange(D) % 7 == 0, X, 0.0))


def randomized(q=Q, **options):
    return PCA(q, svd_solver="randomized", **{"random_state": 0, **options})


def covariance(X, w=None):
    return np.cov(X.astype(np.float64), rowvar=False, fweights=w)


@pytest.mark.course("S3-49", "S0-34")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("make", [decaying, sparse_rows])
def test_a_random_range_finds_what_the_exact_route_finds(make, weighted):
    X = make()
    w = np.random.default_rng(1).integers(0, 4, size=N) if weighted else None
    exact = PCA(Q, svd_solver="full").fit(X, sample_weight=w)
    model = randomized().fit(X, sample_weight=w)
    assert model.report_.facts["route"] == "randomized"
    assert subspace_angles(model.components_.T, exact.components_.T).max() < 1e-6
    for name in ("explained_variance_", "explained_variance_ratio_", "mean_"):
        np.testing.assert_allclose(
            getattr(model, name), getattr(exact, name), rtol=1e-10, atol=1e-14
        )
    np.testing.assert_allclose(model.components_, exact.components_, atol=1e-6)
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(Q), atol=1e-12
    )
    assert model.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-6)


@pytest.mark.course("S3-49")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("power", [0, 1, 3, "auto"])
@pytest.mark.parametrize("rate", [0.7, 0.97])
def test_what_the_report_says_of_the_distance_is_true(rate, power, dtype):
    X = decaying(rate, noise=0.01).astype(dtype)
    model = randomized(iterated_power=power).fit(X)
    S, U = covariance(X), model.components_.astype(np.float64)
    found, exact = model.explained_variance_.astype(float), np.linalg.eigvalsh(S)
    residuals = np.linalg.norm(S @ U.T - found * U.T, axis=0)
    stated = model.report_.optimality
    assert residuals.max() <= stated.value
    assert stated.value <= residuals.max() + 1e-5 * exact[-1]
    assert stated.relative == pytest.approx(stated.value / exact[-1], rel=0.1)
    # an eigenvalue is that close to each variance, which is not above its own
    distances = np.abs(exact[:, None] - found).min(axis=0)
    assert (distances <= stated.value).all()
    assert (found <= exact[::-1][:Q] * (1 + 1e-6)).all()
    assert "||S u - lambda u||" in str(model.report_)
    assert model.report_.stop is StopReason.CONVERGED


@pytest.mark.course("S3-49")
def test_more_power_and_more_vectors_come_closer():
    X = decaying(0.97, noise=0.02)

    def distance(**options):
        return randomized(**options).fit(X).report_.optimality.value

    by_power = [distance(iterated_power=p) for p in (0, 2, 6, 20)]
    assert (np.diff(by_power) < 0).all()
    assert distance(n_oversamples=30) < distance(n_oversamples=10)
    same = [
        distance(power_iteration_normalizer=how) for how in ("auto", "LU", "QR", "none")
    ]
    np.testing.assert_allclose(same, same[0], rtol=1e-3)


@pytest.mark.parametrize("make", [decaying, sparse_rows])
def test_the_answer_does_not_depend_on_chunks_threads_or_the_source(make):
    X = make()
    whole = randomized().fit(X)
    others = []
    for threads in (1, 3):
        with engine.use(threads=threads, chunk_rows=37):
            others.append(randomized().fit(X))
    chunks = engine.ChunkSource(lambda: (X[a : a + 77] for a in range(0, N, 77)))
    others.append(randomized().fit(chunks))
    for other in others:
        assert other.report_.facts["route"] == "randomized"
        np.testing.assert_allclose(other.components_, whole.components_, atol=1e-9)
        np.testing.assert_allclose(
            other.explained_variance_, whole.explained_variance_, rtol=1e-11
        )


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    X = decaying(0.97)
    one, two = randomized().fit(X), randomized().fit(X)
    np.testing.assert_array_equal(one.components_, two.components_)
    other = randomized(random_state=1).fit(X)
    assert not np.array_equal(one.components_, other.components_)


@pytest.mark.parametrize(
    ("q", "columns", "more"), [(Q, 500, {}), (40, D, {}), (Q, D, {"center": False})]
)
def test_where_products_do_not_pay_the_answer_is_exact(q, columns, more):
    X = decaying()[:, :columns]
    model = randomized(q, **more).fit(X)
    assert model.report_.facts["route"] == "qr"
    assert model.report_.optimality.value == 0.0


def test_components_beyond_the_rank_take_the_exact_route():
    X = decaying() * (np.arange(D) < 3)
    model = randomized().fit(X)
    assert model.report_.facts["route"] == "qr"
    assert (model.explained_variance_[3:] < 1e-12).all()


def test_a_normalizer_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="power_iteration_normalizer must be one"):
        randomized(power_iteration_normalizer="SVD").fit(decaying())
