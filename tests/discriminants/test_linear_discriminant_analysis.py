import numpy as np
import pytest
import sklearn.covariance
import sklearn.discriminant_analysis as sk
from scipy.special import expit
from sklearn.decomposition import PCA

import corollary
from corollary import GaussianDiscriminant, LinearDiscriminantAnalysis, engine
from corollary.core.errors import DataError, ParameterError


def make(n=300, d=5, k=3, seed=0, shift=3.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = 2 * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)) @ rng.normal(
        size=(d, d)
    )
    return X + shift, y


def aligned(A, B):
    """Turn the columns of A to the side of those of B."""
    return A * np.sign((A * B).sum(axis=0))


@pytest.mark.course("S2-4", "S2-13")
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(k, solver, shrinkage, weighted):
    if solver == "svd" and shrinkage is not None:
        pytest.skip("scikit-learn has no such case")
    X, y = make(k=k)
    priors = np.arange(1, k + 1) / np.arange(1, k + 1).sum() if weighted else None
    options = dict(
        solver=solver, shrinkage=shrinkage, priors=priors, store_covariance=True
    )
    ours = LinearDiscriminantAnalysis(**options).fit(X, y)
    theirs = sk.LinearDiscriminantAnalysis(**options).fit(X, y)
    close = dict(rtol=1e-8, atol=1e-8)
    for name in ("coef_", "intercept_", "covariance_", "means_", "priors_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), err_msg=name, **close
        )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), **close)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), **close
    )
    if solver != "lsqr":
        Z, Z_theirs = ours.transform(X), theirs.transform(X)
        np.testing.assert_allclose(aligned(Z, Z_theirs), Z_theirs, **close)
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, **close
        )
    if solver == "svd":
        np.testing.assert_allclose(ours.xbar_, theirs.xbar_, **close)


def test_all_solvers_give_one_rule():
    X, y = make()
    P = [
        LinearDiscriminantAnalysis(solver=s).fit(X, y).predict_proba(X)
        for s in ("svd", "lsqr", "eigen")
    ]
    np.testing.assert_allclose(P[0], P[1], atol=1e-10)
    np.testing.assert_allclose(P[0], P[2], atol=1e-10)


@pytest.mark.course("S1-30", "S0-9")
def test_the_rule_is_linear_with_the_inverse_covariance_in_it():
    # g_i = x'S^-1 m_i - 1/2 m_i'S^-1 m_i + log P_i: both terms need the inverse
    X, y = make()
    model = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    S, m, pi = model.covariance_, model.means_, model.priors_
    P = np.linalg.inv(S)
    g = X @ P @ m.T - 0.5 * np.einsum("ci,ij,cj->c", m, P, m) + np.log(pi)
    np.testing.assert_array_equal(model.predict(X), g.argmax(axis=1))
    np.testing.assert_allclose(
        model.predict_proba(X), np.exp(g - np.logaddexp.reduce(g, axis=1)[:, None])
    )


@pytest.mark.course("S2-4")
def test_two_classes_have_the_closed_form():
    X, y = make(k=2)
    model = LinearDiscriminantAnalysis().fit(X, y)
    m0, m1 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    Z = X - np.stack([m0, m1])[y]
    P = np.linalg.inv(Z.T @ Z / len(X))
    w = P @ (m1 - m0)
    b = 0.5 * (m0 + m1) @ P @ (m0 - m1) + np.log(y.mean() / (1 - y.mean()))
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], b, rtol=1e-9)


@pytest.mark.course("S2-4", "S2-10")
def test_direction_is_that_of_least_squares_on_plus_and_minus_one():
    # the total covariance in place of the one within gives the same hyperplane, for
    # any class shares
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.75).astype(int)
    X = rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4)) + y[:, None]
    w = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    least = corollary.LinearRegression().fit(X, 2.0 * y - 1).coef_
    total = np.linalg.solve(
        np.cov(X.T), X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    )
    for other in (least, total):
        np.testing.assert_allclose(
            w / np.linalg.norm(w), other / np.linalg.norm(other), atol=1e-10
        )


@pytest.mark.course("S4-39", "S4-40")
def test_posterior_of_two_classes_is_logistic():
    X, y = make(k=2)
    model = GaussianDiscriminant(covariance="tied").fit(X, y)
    theta, theta_0 = model.logistic()
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(X @ theta + theta_0), rtol=1e-9, atol=1e-12
    )
    P, (m0, m1) = np.linalg.inv(model.covariance_), model.means_
    phi = y.mean()
    np.testing.assert_allclose(theta, P @ (m1 - m0), rtol=1e-9)
    right = 0.5 * (m0 @ P @ m0 - m1 @ P @ m1) + np.log(phi / (1 - phi))
    np.testing.assert_allclose(theta_0, right, rtol=1e-9)
    with pytest.raises(ParameterError, match="two classes and a shared covariance"):
        GaussianDiscriminant().fit(X, y).logistic()


@pytest.mark.course("S2-13")
def test_nearest_projected_mean_is_nearest_in_mahalanobis_distance():
    # it needs v'Sv = 1; unit vectors in its place decide otherwise for some rows
    X, y = make(n=600, d=6, k=4, seed=3)
    model = LinearDiscriminantAnalysis(priors=[0.25] * 4, solver="eigen").fit(X, y)
    P = np.linalg.inv(model.covariance_)
    away = X[:, None, :] - model.means_
    nearest = np.einsum("nci,ij,ncj->nc", away, P, away).argmin(axis=1)
    V = model.scalings_[:, :3]
    np.testing.assert_allclose(V.T @ model.covariance_ @ V, np.eye(3), atol=1e-9)
    projected = ((away @ V) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(projected, nearest)
    unit = V / np.linalg.norm(V, axis=0)
    assert (((away @ unit) ** 2).sum(axis=2).argmin(axis=1) != nearest).any()
    np.testing.assert_array_equal(model.predict(X), nearest)


@pytest.mark.course("S0-38")
def test_rule_does_not_change_under_invertible_linear_maps():
    X, y = make()
    A = np.random.default_rng(5).normal(size=(5, 5))
    one, other = (
        LinearDiscriminantAnalysis().fit(rows, y).predict_proba(rows)
        for rows in (X, X @ A)
    )
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.course("S1-12", "S1-31", "S2-2")
def test_fewer_rows_than_features_is_pca_first():
    # the Fisherface recipe: the range of the scatter, then the discriminant
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 10)
    X = rng.normal(size=(30, 50)) + 2 * rng.normal(size=(3, 50))[y]
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert "rank          27 of 50" in str(model.report_)
    assert "singular" in model.report_.warnings[0]
    Z = X - np.stack([X[y == c].mean(axis=0) for c in range(3)])[y]
    basis = PCA(27).fit(Z).components_.T  # the directions with variance in a class
    again = LinearDiscriminantAnalysis().fit(X @ basis, y)
    np.testing.assert_allclose(
        model.predict_proba(X), again.predict_proba(X @ basis), atol=1e-8
    )
    shrunk = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
    assert not shrunk.report_.warnings
    assert shrunk.report_.condition < 1e3


@pytest.mark.course("S1-12", "S3-17")
def test_collinear_and_constant_features_are_named():
    X, y = make()
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.full(len(X), 7.0)])
    model = LinearDiscriminantAnalysis().fit(X, y)
    text = model.report_.warnings[0]
    assert "constant features [6]" in text
    assert "that others determine" in text
    np.testing.assert_allclose(
        model.predict_proba(X),
        LinearDiscriminantAnalysis().fit(X[:, :5], y).predict_proba(X[:, :5]),
        atol=1e-8,
    )


def test_weights_count_as_repetition():
    X, y = make(n=120)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    for options in ({}, {"solver": "eigen", "shrinkage": "auto"}):
        one = LinearDiscriminantAnalysis(**options).fit(X, y, w)
        other = LinearDiscriminantAnalysis(**options).fit(
            np.repeat(X, w, axis=0), np.repeat(y, w)
        )
        np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-8, atol=1e-9)


def test_shrinkage_auto_needs_two_passes_and_no_stream():
    X, y = make()
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    with pytest.raises(DataError, match="needs a second pass"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with engine.use(chunk_rows=37):
        chunked = model.fit(X, y)
    assert chunked.report_.passes == 2
    whole = sk.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    np.testing.assert_allclose(chunked.coef_, whole.coef_, rtol=1e-8)
    with pytest.raises(DataError, match="partial_fit cannot go on"):
        chunked.partial_fit(X, y)


def test_estimator_of_the_users():
    X, y = make()
    options = dict(solver="lsqr", covariance_estimator=sklearn.covariance.OAS())
    ours = LinearDiscriminantAnalysis(**options).fit(X, y)
    theirs = sk.LinearDiscriminantAnalysis(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    for estimator, message in ((3, "must have fit"), (PCA(), "covariance_ attribute")):
        with pytest.raises(ParameterError, match=message):
            LinearDiscriminantAnalysis(covariance_estimator=estimator).fit(X, y)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"priors": [0.5, 0.5]},
            ParameterError,
            "number of classes = 3; got 2",
        ),
        ({"priors": [-0.5, 0.5, 1]}, ParameterError, "must be non-negative; got -0.5"),
        ({"n_components": 3}, ParameterError, "cannot be larger than .* = 2; got 3"),
        ({"solver": "qr"}, ParameterError, "solver must be one of 'svd'"),
        ({"shrinkage": 1.5}, ParameterError, "shrinkage must be"),
    ],
)
def test_bad_parameters(options, error, message):
    X, y = make()
    with pytest.raises(error, match=message) as caught:
        LinearDiscriminantAnalysis(**options).fit(X, y)
    assert str(caught.value).startswith("LinearDiscriminantAnalysis: ")


def test_priors_that_do_not_sum_to_one_are_normalised():
    X, y = make()
    with pytest.warns(UserWarning, match="sums to one: the sum was 2"):
        model = LinearDiscriminantAnalysis(priors=[1, 0.5, 0.5]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.5, 0.25, 0.25])


def test_a_class_of_prior_zero_is_never_predicted():
    X, y = make()
    P = LinearDiscriminantAnalysis(priors=[0.5, 0.5, 0]).fit(X, y).predict_proba(X)
    assert np.isfinite(P).all()
    assert (P[:, 2] == 0).all()


def test_one_row_a_class_is_refused():
    with pytest.raises(DataError, match="more than the number of classes; got 3 rows"):
        LinearDiscriminantAnalysis().fit(np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_a_model_of_chosen_shrinkage_is_saved(solver, tmp_path):
    X, y = make()
    model = LinearDiscriminantAnalysis(solver=solver, shrinkage="auto").fit(X, y)
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
