import numpy as np
import pytest
import scipy.linalg

from corollary import (
    PCA,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    datasets,
    engine,
)
from corollary.core.errors import ParameterError
from corollary.discriminants import rayleigh_quotient
from corollary.plots import class_projection


def make(n=300, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, size=n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
    return rng.normal(size=(k, d))[y] * 2 + rng.normal(size=(n, d)) @ rng.normal(
        size=(d, d)
    ) * (1 + y[:, None]), y


def scatters(X, y):
    """Return sizes, means, and the scatter of each class, by the definition."""
    groups = [X[y == c] for c in np.unique(y)]
    means = np.stack([g.mean(axis=0) for g in groups])
    S = ((g - m).T @ (g - m) for g, m in zip(groups, means, strict=True))
    return np.array([len(g) for g in groups]), means, *S


def parallel(a, b):
    cosine = abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)
    np.testing.assert_allclose(cosine, 1.0, atol=1e-12)


@pytest.mark.course("S3-50", "S0-38")
def test_worked_example():
    table = datasets.fisher_points()
    X, y = table.X, table.y
    _, means, S1, S2 = scatters(X, y)
    np.testing.assert_allclose(S1, [[10, 8], [8, 7.2]])
    np.testing.assert_allclose(S2, [[17.333, 16], [16, 16]], atol=1e-3)
    model = FisherDiscriminant().fit(X, y)
    v = model.coef_[0] / np.linalg.norm(model.coef_)
    printed = np.array([-0.7936, 0.8899])
    np.testing.assert_allclose(
        abs(v), abs(printed) / np.linalg.norm(printed), atol=1e-4
    )
    assert v[0] * v[1] < 0
    # J of the book is a squared distance over scatters: 1 / n_1 + 1 / n_2 of (1)
    for J in (model.criterion_[0], rayleigh_quotient(model.coef_[0], X, y)):
        np.testing.assert_allclose(J * (1 / 5 + 1 / 6), 1.688, atol=1e-3)
    np.testing.assert_allclose(model.means_, means, rtol=1e-12)
    assert model.score(X, y) == 1.0
    # the first principal component cannot do that: 3 errors of 11
    seen = class_projection(X, y, PCA(1).fit(X).components_[0])
    np.testing.assert_allclose(seen.overlap, 3 / 11)
    assert class_projection(X, y, v).overlap == 0.0


@pytest.mark.course("S0-38")
@pytest.mark.parametrize("k", [2, 4])
def test_the_pencil_about_the_mean_of_all_rows(k):
    X, y = make(n=400, d=6, k=k, seed=0)
    n, means, *S = scatters(X, y)
    S_w = sum(S_c / n_c for S_c, n_c in zip(S, n, strict=True))
    away = means - X.mean(axis=0)
    S_b = away.T @ away / k
    model = FisherDiscriminant(weighting="grand_mean").fit(X, y)
    values = scipy.linalg.eigh(S_b, S_w, eigvals_only=True)[::-1]
    np.testing.assert_allclose(model.criterion_, values[: k - 1], rtol=1e-9)
    np.testing.assert_allclose(values[k - 1 :], 0, atol=1e-10)  # rank k - 1 at most
    V = model.directions_
    np.testing.assert_allclose(S_b @ V, S_w @ V * model.criterion_, atol=1e-9)
    np.testing.assert_allclose(V.T @ S_w @ V, np.eye(k - 1), atol=1e-9)
    others = [FisherDiscriminant(weighting=w).fit(X, y) for w in ("rows", "classes")]
    assert all(abs(o.criterion_[0] / values[0] - 1) > 0.1 for o in others)
    if (
        k == 2
    ):  # B is a multiple of the outer product of the difference, not equal to it
        apart = means[1] - means[0]
        share = (n**2).sum() / n.sum() ** 2
        np.testing.assert_allclose(2 * S_b, share * np.outer(apart, apart), atol=1e-9)
        parallel(model.coef_[0], np.linalg.solve(S_w, apart))
        middle = means.mean(axis=0)[None]
        np.testing.assert_allclose(model.decision_function(middle), 0, atol=1e-9)
    else:  # and another axis
        for other in others:
            angle = scipy.linalg.subspace_angles(V[:, :1], other.directions_[:, :1])
            assert angle[0] > np.radians(0.5)


@pytest.mark.course("S0-38")
def test_the_axis_of_the_means_may_mix_what_fishers_axis_keeps_apart():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.uniform(-1, 1, size=(400, 2)) * [4.0, 0.4] + np.outer(y, [2.0, 1.0])
    model = FisherDiscriminant().fit(X, y)
    means = class_projection(X, y, model.means_[1] - model.means_[0])
    fisher = class_projection(X, y, model.coef_[0])
    across, up = (class_projection(X, y, axis) for axis in np.eye(2))
    assert means.distance > across.distance > up.distance > 0.9
    assert min(means.overlap, across.overlap) > 0.3
    assert fisher.overlap == up.overlap == 0.0
    # where the classes are spheres the axis of the means is as good
    X = rng.normal(size=(400, 2)) * 0.3 + np.outer(y, [2.0, 1.0])
    model = FisherDiscriminant().fit(X, y)
    assert class_projection(X, y, model.means_[1] - model.means_[0]).overlap < 0.01


@pytest.mark.course("S1-31", "S2-10", "S3-50")
def test_closed_form_is_the_generalised_eigenvector_and_the_best_direction():
    X, y = make(k=2)
    model = FisherDiscriminant().fit(X, y)
    groups = [X[y == c] for c in (0, 1)]
    W = sum((g - g.mean(axis=0)).T @ (g - g.mean(axis=0)) for g in groups)
    apart = groups[1].mean(axis=0) - groups[0].mean(axis=0)
    v = np.linalg.solve(W, apart)
    parallel(model.coef_[0], v)
    B = np.outer(apart, apart)
    parallel(v, scipy.linalg.eigh(B, W)[1][:, -1])
    best = rayleigh_quotient(v, X, y)
    np.testing.assert_allclose(model.criterion_[0], best, rtol=1e-9)
    rng = np.random.default_rng(1)
    assert all(rayleigh_quotient(u, X, y) < best for u in rng.normal(size=(500, 4)))
    np.testing.assert_allclose(rayleigh_quotient(-3 * v, X, y), best)
    parallel(v, LinearDiscriminantAnalysis().fit(X, y).coef_[0])


@pytest.mark.course("S0-38")
def test_classes_may_count_alike_whatever_their_size():
    X, y = make(k=2)
    X[y == 1] *= [1.0, 3.0, 0.2, 1.0]
    groups = [X[y == c] for c in (0, 1)]
    W = sum(np.cov(g.T, ddof=0) for g in groups)
    v = np.linalg.solve(W, groups[1].mean(axis=0) - groups[0].mean(axis=0))
    alike = FisherDiscriminant(weighting="classes").fit(X, y).coef_[0]
    parallel(alike, v)
    rows = FisherDiscriminant().fit(X, y).coef_[0]
    assert abs(rows @ alike) / np.linalg.norm(rows) / np.linalg.norm(alike) < 0.9999


@pytest.mark.course("S3-51", "S2-13", "S0-38")
def test_several_classes():
    X, y = make(k=4, d=6)
    model = FisherDiscriminant().fit(X, y)
    means = np.stack([X[y == c].mean(axis=0) for c in range(4)])
    Z = X - means[y]
    W, n = Z.T @ Z, np.bincount(y)
    away = means - X.mean(axis=0)
    B = (away * n[:, None]).T @ away
    assert np.linalg.matrix_rank(B, tol=1e-8) == 3
    values = scipy.linalg.eigh(B, W, eigvals_only=True)
    assert (values > -1e-10).all()  # real and >= 0, never complex
    np.testing.assert_allclose(model.criterion_, values[::-1][:3], rtol=1e-9)
    for v, J in zip(model.directions_.T, model.criterion_, strict=True):
        np.testing.assert_allclose(B @ v, J * W @ v, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(rayleigh_quotient(v, X, y), J, rtol=1e-9)
    # the span is W^-1 of that of the means, not that of the means
    span = np.linalg.solve(W, (means - means[0])[1:].T)
    assert np.linalg.matrix_rank(np.hstack([span, model.directions_]), tol=1e-8) == 3
    assert (
        np.linalg.matrix_rank(
            np.hstack([(means - means[0])[1:].T, model.directions_]), tol=1e-8
        )
        > 3
    )
    np.testing.assert_allclose(
        model.directions_.T @ W @ model.directions_ / len(X), np.eye(3), atol=1e-9
    )
    P = np.linalg.inv(W / len(X))
    apart = X[:, None, :] - means
    nearest = np.einsum("nci,ij,ncj->nc", apart, P, apart).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), nearest)
    assert model.transform(X).shape == (len(X), 3)


@pytest.mark.course("S2-11", "S2-10")
def test_intercept_of_fewest_errors():
    X, y = make(k=2, seed=4)
    centres = FisherDiscriminant().fit(X, y)
    errors = FisherDiscriminant(intercept="errors").fit(X, y)
    np.testing.assert_array_equal(centres.coef_, errors.coef_)
    h = X @ errors.coef_[0]
    fewest = min(
        ((h + b > 0) != y).mean() for b in [*(-h), *(-h + 1e-9), h.max() + 1, -h.max()]
    )
    np.testing.assert_allclose(1 - errors.score(X, y), fewest)
    assert errors.score(X, y) >= centres.score(X, y)
    midpoint = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    np.testing.assert_allclose(centres.decision_function(midpoint[None]), 0, atol=1e-9)
    with pytest.raises(ParameterError, match="needs two classes and all rows in mem"):
        FisherDiscriminant(intercept="errors").fit(*make(k=3))


@pytest.mark.course("S1-31")
def test_a_nuisance_direction_of_large_variance_does_not_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    X = np.column_stack([y + 0.1 * rng.normal(size=500), 100 * rng.normal(size=500)])
    v = FisherDiscriminant().fit(X, y).coef_[0]
    assert abs(v[0]) > 1e3 * abs(v[1])
    assert abs(PCA(1).fit(X).components_[0, 1]) > 0.999


@pytest.mark.course("S1-31")
def test_singular_scatter_is_told_and_inverted_on_its_range():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 8)
    X = rng.normal(size=(16, 40)) + 3 * y[:, None]
    model = FisherDiscriminant().fit(X, y)
    assert "rank within   14 of 40" in str(model.report_)
    assert "singular" in model.report_.warnings[0]
    assert np.isfinite(model.transform(X)).all()
    ridge = FisherDiscriminant(shrinkage=0.1).fit(X, y)
    assert not ridge.report_.warnings
    assert ridge.score(X, y) == 1.0


@pytest.mark.course("S1-12")
@pytest.mark.parametrize("sizes", [(12, 8), (60, 140)])
def test_the_mean_difference_classifier_has_the_total_covariance(sizes):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], sizes)
    X = (rng.normal(size=(len(y), 50)) + 0.5 * y[:, None]) * np.linspace(1, 3, 50)
    Z, means = X - X.mean(axis=0), scatters(X, y)[1]
    Sigma = Z.T @ Z / (len(y) - 1)
    w = np.linalg.pinv(Sigma, hermitian=True) @ (means[1] - means[0])
    model = FisherDiscriminant(weighting="total").fit(X, y)
    parallel(model.coef_[0], w)
    middle = means.mean(axis=0)[None]
    np.testing.assert_allclose(model.decision_function(middle), 0, atol=1e-9)
    assert model.report_.facts["rank_within"] == np.linalg.matrix_rank(Sigma)
    values = np.linalg.eigvalsh(Sigma)[::-1]
    if len(y) > 50:  # regular: the axis of Fisher, and J / (1 + J)
        np.testing.assert_allclose(model.report_.condition, np.linalg.cond(Sigma))
        assert not model.report_.warnings
        fisher = FisherDiscriminant().fit(X, y)
        parallel(model.coef_[0], fisher.coef_[0])
        J = fisher.criterion_[0]
        np.testing.assert_allclose(model.criterion_[0], J / (1 + J), rtol=1e-9)
        return
    # N = 20 rows in M = 50 dimensions: rank N - 1, and nothing but the range is known
    assert model.report_.facts["rank_within"] == 19
    assert model.report_.condition == np.inf
    assert "conditioning  inf" in str(model.report_)
    kappa = f"of condition {values[0] / values[18]:.3g}"
    assert model.report_.warnings[0].startswith("the scatter of all rows is singular (")
    assert kappa in model.report_.warnings[0]
    np.testing.assert_allclose(model.criterion_[0], 1.0)  # classes fall on two points
    assert np.ptp(model.transform(X[y == 0])) < 1e-9
    ridge = FisherDiscriminant(weighting="total", shrinkage=0.1).fit(X, y)
    mixed = 0.9 * Sigma + 0.1 * np.eye(50) * np.trace(Sigma) / 50
    parallel(ridge.coef_[0], np.linalg.solve(mixed, means[1] - means[0]))
    np.testing.assert_allclose(ridge.report_.condition, np.linalg.cond(mixed))
    assert not ridge.report_.warnings
    for chunk_rows in (3, 7):
        with engine.use(chunk_rows=chunk_rows):
            parallel(FisherDiscriminant(weighting="total").fit(X, y).coef_[0], w)
