import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.optimize import check_grad
from scipy.special import logsumexp

from corollary import LogisticRegression, StopReason
from corollary.core.errors import DataError, ParameterError


def make(n=400, d=5, k=2, seed=0, sharp=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    Z = sharp * X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k))
    return X, Z.argmax(axis=1)


def objective(model, X, y, w=None, C=1.0):
    """Return (1) from the book."""
    w = np.ones(len(y)) if w is None else w
    Z = X @ model.coef_.T + model.intercept_
    Z = np.column_stack([np.zeros(len(Z)), Z]) if Z.shape[1] == 1 else Z
    loss = w @ (logsumexp(Z, axis=1) - Z[np.arange(len(y)), y])
    return loss / w.sum() + (model.coef_**2).sum() / (2 * C * w.sum())


@pytest.mark.course("S4-9")
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_equals_scikit_learn(k, intercept, weighted):
    X, y = make(k=k)
    w = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    options = dict(C=0.7, fit_intercept=intercept)
    ours = LogisticRegression(tol=1e-9, **options).fit(X, y, w)
    theirs = sklearn.linear_model.LogisticRegression(
        solver="newton-cholesky", tol=1e-10, **options
    )
    theirs.fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8
    )
    assert objective(ours, X, y, w, 0.7) <= objective(theirs, X, y, w, 0.7) + 1e-12


@pytest.mark.course("S4-9")
@pytest.mark.parametrize("k", [2, 4])
def test_the_gradient_vanishes_and_matches_finite_differences(k):
    X, y = make(n=80, d=3, k=k)
    model = LogisticRegression(tol=1e-9).fit(X, y)
    m = len(model.coef_)

    def f(theta):
        model.coef_ = theta.reshape(m, 4)[:, :3]
        model.intercept_ = theta.reshape(m, 4)[:, 3]
        return objective(model, X, y)

    def g(theta):
        model.coef_ = theta.reshape(m, 4)[:, :3]
        model.intercept_ = theta.reshape(m, 4)[:, 3]
        P = model.predict_proba(X) - np.eye(k)[y]
        P = P[:, 1:] if k == 2 else P
        G = P.T @ np.column_stack([X, np.ones(80)]) / 80
        G[:, :3] += model.coef_ / 80
        return G.ravel()

    theta = np.column_stack([model.coef_, model.intercept_]).ravel()
    assert np.abs(g(theta)).max() <= 1e-9
    assert check_grad(f, g, theta + 0.3) < 1e-6


@pytest.mark.course("S4-9")
def test_a_far_and_right_row_hardly_moves_it_unlike_least_squares():
    X = np.array([[-2.0], [-1.0], [-1.5], [1.0], [2.0], [1.5]])
    y = np.array([0, 0, 0, 1, 1, 1])
    far_X, far_y = np.vstack([X, [[100.0]]]), np.append(y, 1)

    def boundary(model):
        return -float(np.ravel(model.intercept_)[0] / np.ravel(model.coef_)[0])

    moved = boundary(LogisticRegression().fit(far_X, far_y)) - boundary(
        LogisticRegression().fit(X, y)
    )
    lines = [np.polyfit(a[:, 0], b - 0.5, 1) for a, b in ((X, y), (far_X, far_y))]
    least_squares = abs(lines[1][1] / lines[1][0] - lines[0][1] / lines[0][0])
    assert abs(moved) < 0.3 < 1 < least_squares


@pytest.mark.course("S4-9")
@pytest.mark.parametrize("k", [2, 3])
def test_separable_classes_are_reported(k):
    rng = np.random.default_rng(0)
    y = np.arange(90) % k
    X = 10 * np.eye(k)[y] + 0.1 * rng.normal(size=(90, k))
    free = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    assert free.report_.facts["separable"].startswith("yes")
    assert "the likelihood has no maximum" in free.report_.warnings[0]
    held = LogisticRegression(C=1.0).fit(X, y)
    assert held.report_.stop is StopReason.CONVERGED
    assert held.report_.warnings == []
    assert np.abs(free.coef_).max() > 3 * np.abs(held.coef_).max()


@pytest.mark.course("S4-9")
def test_overlapping_classes_are_not_called_separable():
    X, y = make()
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert "separable" not in model.report_.facts
    theirs = sklearn.linear_model.LogisticRegression(C=np.inf, tol=1e-8, max_iter=10**4)
    np.testing.assert_allclose(model.coef_, theirs.fit(X, y).coef_, rtol=1e-2)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_the_search_does_not_mind_the_scale_of_features(scale):
    X, y = make()
    X = X * np.array([scale, 1.0, 1.0, 1.0, 1.0]) + np.array([0, 1e3, 0, 0, 0])
    model = LogisticRegression(C=np.inf, tol=1e-7 * scale).fit(X, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert model.report_.passes <= 40


def test_balanced_weights_equal_sample_weights():
    X, y = make(k=3)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.5, 0, y)
    balanced = LogisticRegression(class_weight="balanced", tol=1e-9).fit(X, y)
    w = (len(y) / (3 * np.bincount(y)))[y]
    explicit = LogisticRegression(tol=1e-9).fit(X, y, w)
    np.testing.assert_allclose(balanced.coef_, explicit.coef_, atol=1e-7)
    named = LogisticRegression(class_weight={0: 2.0, 2: 0.5}, tol=1e-9).fit(X, y)
    w = np.array([2.0, 1.0, 0.5])[y]
    np.testing.assert_allclose(
        named.coef_, LogisticRegression(tol=1e-9).fit(X, y, w).coef_, atol=1e-7
    )


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("d", [50, 400])
def test_sparse_rows_few_and_many_columns(k, d):
    rng = np.random.default_rng(0)
    X = sp.random(600, d, 0.05, format="csr", random_state=0)
    y = (X @ rng.normal(size=(d, k)) + 0.3 * rng.gumbel(size=(600, k))).argmax(axis=1)
    ours = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, y)
    theirs = sklearn.linear_model.LogisticRegression(tol=1e-10, max_iter=10**4).fit(
        X, y
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = make(k=3)
    model = LogisticRegression(tol=1e-6, warm_start=True).fit(X, y)
    cold = model.report_.passes
    model.fit(X, y)
    assert model.report_.passes <= 2 < cold


def test_labels_of_any_kind():
    X, y = make()
    names = np.array(["no", "yes"])[y]
    model = LogisticRegression().fit(X, names)
    assert set(model.predict(X)) == {"no", "yes"}
    assert model.classes_.tolist() == ["no", "yes"]
    number = LogisticRegression().fit(X, y * 10 - 5)
    np.testing.assert_array_equal(number.coef_, model.coef_)


def test_bad_input():
    X, y = make()
    with pytest.raises(
        DataError, match="at least 2 classes in the data; got one class"
    ):
        LogisticRegression().fit(X, np.zeros(len(y), int))
    with pytest.raises(ParameterError, match="C must be a number > 0"):
        LogisticRegression(C=0).fit(X, y)
    with pytest.raises(ParameterError, match="class_weight must name classes among"):
        LogisticRegression(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ParameterError, match="l1_ratio must be None or a number in"):
        LogisticRegression(l1_ratio=0.5).fit(X, y)
