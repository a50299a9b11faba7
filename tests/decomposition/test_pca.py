import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
from scipy.linalg import subspace_angles

from corollary import PCA, StopReason, engine
from corollary.core.errors import DataError, ParameterError
from corollary.datasets import lauchli, pca_points
from corollary.decomposition import pca


def make(n=200, d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5 * rng.normal(size=d)


@pytest.mark.course("S1-16", "S3-49")
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh"])
@pytest.mark.parametrize("shape", [(200, 6), (8, 30)])
def test_equals_the_svd_of_the_centred_rows(solver, shape):
    X = make(*shape)
    model = PCA(svd_solver=solver).fit(X)
    s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[1:]
    r = min(shape) - (shape[0] <= shape[1])
    np.testing.assert_allclose(model.singular_values_[:r], s[:r], rtol=1e-8)
    np.testing.assert_allclose(
        np.abs((model.components_[:r] * Vt[:r]).sum(1)), 1, rtol=1e-8
    )
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(min(shape)), atol=1e-9
    )


@pytest.mark.course("S3-49", "S0-34")
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized"])
def test_the_worked_example(solver):
    table = pca_points()
    model = PCA(svd_solver=solver).fit(table.X)
    np.testing.assert_allclose(model.mean_, [4.625, 4.375])
    # eigenvalues of the scatter [[49.875, 35.125], [35.125, 29.875]], not 87 and 3.8
    np.testing.assert_allclose(model.singular_values_**2, [76.396, 3.354], atol=5e-4)
    np.testing.assert_allclose(
        model.explained_variance_ * 7, [76.396, 3.354], atol=5e-4
    )
    scatter = model.get_covariance() * 7
    np.testing.assert_allclose(scatter, table.known["scatter"], atol=1e-10)
    np.testing.assert_allclose(model.components_[0], [0.798, 0.603], atol=5e-4)
    y = model.transform(table.X)[:, 0]
    np.testing.assert_allclose(y[[0, 7]], [-4.324, 5.073], atol=5e-4)
    one = PCA(1, svd_solver=solver).fit(table.X)
    lost = one.reconstruction_error(table.X).sum()
    assert lost == pytest.approx(3.354, abs=5e-4)  # the eigenvalue that is left out
    line = one.inverse_transform(one.transform(table.X))
    assert np.linalg.matrix_rank(line - table.X.mean(axis=0)) == 1


@pytest.mark.course("S1-16")
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh"])
@pytest.mark.parametrize("shape", [(200, 6), (8, 30)])
@pytest.mark.parametrize("dress", [np.asarray, sp.csr_array])
def test_without_centring_it_is_the_svd_of_the_rows(solver, shape, dress):
    X = make(*shape)
    model = PCA(svd_solver=solver, center=False).fit(dress(X))
    s, Vt = np.linalg.svd(X, full_matrices=False)[1:]
    np.testing.assert_allclose(model.singular_values_, s, rtol=1e-6)
    aligned = np.abs((model.components_ * Vt).sum(axis=1))
    np.testing.assert_allclose(aligned, 1, rtol=1e-6)
    assert not model.mean_.any()
    np.testing.assert_allclose(model.transform(X), X @ model.components_.T)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(back, X, atol=1e-6)
    two = PCA(2, svd_solver=solver, center=False).fit(X)
    assert two.reconstruction_error(X).sum() == pytest.approx((s[2:] ** 2).sum())
    with engine.use(chunk_rows=3):
        again = PCA(svd_solver=solver, center=False).fit(X)
    np.testing.assert_allclose(again.singular_values_, s, rtol=1e-6)


@pytest.mark.course("S1-16")
def test_the_printed_values_of_lauchlis_matrix():
    X = lauchli(3, 1e-9)
    model = PCA(center=False).fit(X)
    np.testing.assert_allclose(
        model.singular_values_, [1.7320508, 1e-9, 1e-9], rtol=1e-7
    )
    gram = np.linalg.eigvalsh(X @ X.T)[::-1]  # 3 and rounding: the rank is lost
    assert gram[0] == pytest.approx(3)
    assert np.abs(gram[1:] / 1e-18 - 1).min() > 0.5
    for epsilon in (1e-2, 1e-5):  # exact eigenvalues 3 + eps^2, eps^2, eps^2
        values = PCA(center=False).fit(lauchli(3, epsilon)).singular_values_ ** 2
        np.testing.assert_allclose(values, [3 + epsilon**2] + [epsilon**2] * 2)


@pytest.mark.course("S1-16", "S3-49")
@pytest.mark.parametrize("q", [0, 1, 3, 6])
def test_variance_accounting(q):
    X = make()
    model = PCA(q).fit(X)
    Xc = X - X.mean(axis=0)
    values = np.linalg.eigvalsh(Xc.T @ Xc)[::-1]
    # variance of each projection is lambda / (n - 1); what is lost is what is missed
    np.testing.assert_allclose(model.transform(X).var(axis=0, ddof=1), values[:q] / 199)
    lost = values[q:].sum()
    assert model.reconstruction_error(X).sum() == pytest.approx(
        lost, rel=1e-9, abs=1e-9
    )
    assert model.report_.objective[-1] == pytest.approx(lost / 199, rel=1e-9, abs=1e-12)
    kept = model.explained_variance_ratio_.sum()
    assert kept == pytest.approx(values[:q].sum() / values.sum(), rel=1e-12, abs=1e-12)


@pytest.mark.course("S3-49")
def test_no_other_subspace_reconstructs_better():
    X = make()
    best = PCA(2).fit(X).reconstruction_error(X).sum()
    Xc = X - X.mean(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        Q = np.linalg.qr(rng.normal(size=(6, 2)))[0]
        assert ((Xc - Xc @ Q @ Q.T) ** 2).sum() >= best


@pytest.mark.course("S3-49")
def test_projection_and_reconstruction():
    X = make()
    full = PCA().fit(X)
    np.testing.assert_allclose(full.inverse_transform(full.transform(X)), X, atol=1e-10)
    Y = PCA(3).fit_transform(X)
    scatter = Y.T @ Y
    np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-8)
    white = PCA(3, whiten=True).fit(X)
    np.testing.assert_allclose(white.transform(X).var(axis=0, ddof=1), 1.0)
    np.testing.assert_allclose(
        white.inverse_transform(white.transform(X)),
        PCA(3).fit(X).inverse_transform(Y),
        atol=1e-10,
    )


@pytest.mark.course("S1-16")
@pytest.mark.parametrize("epsilon", [1e-3, 1e-7, 1e-9])
def test_tiny_directions_survive_where_the_gram_matrix_loses_them(epsilon):
    # X = [1 | eps I]: the Gram matrix forgets eps^2 next to 1, the triangle does not
    X = np.asarray(lauchli(6, epsilon)).T  # 7 rows, 6 columns
    X = X[:, :3] if X.shape[1] > 3 else X
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    model = PCA().fit(X)
    np.testing.assert_allclose(model.singular_values_, s, rtol=1e-5, atol=1e-15)
    rng = np.random.default_rng(0)
    Q = rng.normal(size=(50, 3))
    Q = np.linalg.qr(Q - Q.mean(axis=0))[0]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    graded = Q @ np.diag([1.0, epsilon, epsilon]) @ turn
    np.testing.assert_allclose(
        PCA().fit(graded).singular_values_, [1.0, epsilon, epsilon], rtol=1e-4
    )
    if epsilon < 1e-8:
        gram = np.linalg.eigvalsh(graded.T @ graded)
        assert abs(np.sqrt(abs(gram[0])) / epsilon - 1) > 0.1
        assert PCA().fit(graded).report_.facts["route"] == "qr"


@pytest.mark.course("S4-81")
@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.999])
def test_retained_variance(share):
    X = make(d=10)
    model = PCA(share).fit(X)
    ratio = np.cumsum(PCA().fit(X).explained_variance_ratio_)
    q = model.n_components_
    assert ratio[q - 1] >= share
    assert q == 1 or ratio[q - 2] < share
    # the share of squared error is measured on reconstructions, not on projections
    error = model.reconstruction_error(X).sum() / ((X - X.mean(0)) ** 2).sum()
    assert error <= 1 - share + 1e-12


@pytest.mark.course("S4-81")
def test_columns_out_of_scale_are_reported():
    X = make() * np.array([1, 1, 1, 1, 1, 1e4])
    model = PCA(2).fit(X)
    assert "column 5 alone" in model.report_.warnings[0]
    assert "Standardise" in model.report_.warnings[0]
    assert PCA(2).fit(make()).report_.warnings == []


@pytest.mark.parametrize("q", [2, 0.9, "mle", None])
@pytest.mark.parametrize("shape", [(300, 6), (60, 6)])
def test_equals_scikit_learn(q, shape):
    X = make(*shape) @ np.diag([9, 4, 2, 0.1, 0.1, 0.1])
    ours = PCA(q).fit(X)
    theirs = sklearn.decomposition.PCA(q, svd_solver="full").fit(X)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(
        ours.explained_variance_, theirs.explained_variance_, rtol=1e-8
    )
    assert ours.noise_variance_ == pytest.approx(
        theirs.noise_variance_, rel=1e-8, abs=1e-12
    )
    np.testing.assert_allclose(
        ours.get_covariance(), theirs.get_covariance(), atol=1e-8
    )
    np.testing.assert_allclose(
        ours.score_samples(X), theirs.score_samples(X), rtol=1e-6
    )
    if ours.n_components_:
        angles = subspace_angles(ours.components_.T, theirs.components_.T)
        assert angles.max() < 1e-6


def test_sparse_rows_and_many_columns():
    X = sp.random(50, 300, 0.1, format="csr", random_state=0)
    a, b = PCA(5).fit(X), PCA(5).fit(X.toarray())
    np.testing.assert_allclose(a.explained_variance_, b.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(a.transform(X), b.transform(X.toarray()), atol=1e-9)


def test_bad_input():
    with pytest.raises(ParameterError, match="n_components=9 must be between 0 and"):
        PCA(9).fit(make())
    with pytest.raises(DataError, match="at least 2"):
        PCA().fit(make(1))
    with pytest.raises(ParameterError, match="'mle' is only supported"):
        PCA("mle").fit(make(5, 9))


def test_ctrl_c_in_the_second_pass_keeps_the_first(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 4)) @ np.diag([1, 1, 1e-9, 1e-9])
    X[:, 2:] += X[:, :2]
    whole = PCA().fit(X)
    assert whole.report_.facts["route"] == "qr"

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pca.Triangle, "of", pressed)
    model = PCA()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert model.report_.stop is StopReason.INTERRUPTED
    assert model.report_.facts["route"] == "covariance"
    np.testing.assert_allclose(
        np.abs(model.components_[:2]), np.abs(whole.components_[:2]), atol=1e-6
    )


def test_columns_on_other_scales_keep_their_digits_in_one_pass():
    scales = 10.0 ** np.array([0, -1, -2, -4, 2])
    X = np.random.default_rng(0).normal(size=(60, 5)) @ (np.eye(5) + 0.3) * scales
    model, exact = PCA().fit(X), PCA(svd_solver="full").fit(X)
    assert model.report_.facts["route"] == "covariance"
    assert model.report_.passes == 1
    np.testing.assert_allclose(
        model.explained_variance_, exact.explained_variance_, rtol=1e-6
    )
    np.testing.assert_allclose(model.components_, exact.components_, atol=1e-9)


def test_names_of_solvers_that_look_for_some_components():
    X = np.random.default_rng(0).normal(size=(8, 5))
    assert PCA(svd_solver="arpack").fit(X).n_components_ == 4
    assert PCA(svd_solver="randomized").fit(X).n_components_ == 5
    assert PCA(5, svd_solver="arpack").fit(X).n_components_ == 5
    with pytest.raises(ParameterError, match="must be at least 1 for svd_solver='ra"):
        PCA(0, svd_solver="randomized").fit(X)
