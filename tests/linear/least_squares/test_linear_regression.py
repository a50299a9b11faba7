import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import LinearRegression, StopReason, engine


def make(n=300, d=6, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 2 + noise * rng.normal(size=n)


@pytest.mark.course("S1-13")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_equals_lstsq(intercept, weighted):
    X, y = make()
    w = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else np.ones(len(y))
    A = np.column_stack([X, np.ones(len(X))]) if intercept else X
    expected = np.linalg.lstsq(A * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
    model = LinearRegression(fit_intercept=intercept).fit(X, y, w if weighted else None)
    np.testing.assert_allclose(model.coef_, expected[:6], rtol=1e-9)
    assert model.intercept_ == pytest.approx(
        expected[6] if intercept else 0.0, rel=1e-9
    )


@pytest.mark.course("S1-13", "S4-6")
def test_residuals_are_orthogonal_to_the_columns():
    X, y = make()
    residual = y - LinearRegression().fit(X, y).predict(X)
    assert np.abs(X.T @ residual).max() < 1e-8
    assert abs(residual.sum()) < 1e-9


@pytest.mark.course("S1-13")
def test_gauss_markov():
    # among linear unbiased estimators least squares has the smallest variance
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    b = np.array([1.0, -2.0, 0.5])
    A = rng.normal(size=(3, 40)) * 0.01
    pseudo = np.linalg.pinv(X)
    other = pseudo + A @ (np.eye(40) - X @ pseudo)  # also unbiased: other @ X = I
    ours, theirs = [], []
    for _ in range(2000):
        y = X @ b + rng.normal(size=40)
        ours.append(LinearRegression(fit_intercept=False).fit(X, y).coef_)
        theirs.append(other @ y)
    np.testing.assert_allclose(np.mean(ours, axis=0), b, atol=0.03)
    np.testing.assert_allclose(np.mean(theirs, axis=0), b, atol=0.03)
    assert (np.var(ours, axis=0) < np.var(theirs, axis=0)).all()


@pytest.mark.course("S4-6")
def test_dependent_columns_are_named_and_the_solution_is_the_shortest():
    import pandas as pd

    X, y = make(200, 4)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["twice a"] = 2 * frame["a"]
    frame["b + c"] = frame["b"] + frame["c"]
    model = LinearRegression().fit(frame, y)
    Xc = frame.to_numpy() - frame.to_numpy().mean(axis=0)
    expected = np.linalg.pinv(Xc) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, expected, atol=1e-8)
    assert model.rank_ == 4
    dependent = set(model.report_.facts["dependent_columns"])
    assert len(dependent) == 2
    kept = [c for c in frame.columns if c not in dependent]
    centred = frame[kept] - frame[kept].mean()
    assert np.linalg.matrix_rank(centred.to_numpy()) == 4
    assert "Drop them or use Ridge" in model.report_.warnings[0]


@pytest.mark.course("S4-6")
def test_fewer_rows_than_columns():
    X, y = make(5, 12)
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)
    Xc = X - X.mean(axis=0)
    np.testing.assert_allclose(
        model.coef_, np.linalg.pinv(Xc) @ (y - y.mean()), atol=1e-9
    )
    assert model.rank_ == 4


@pytest.mark.course("S1-15")
def test_the_route_follows_the_conditioning():
    rng = np.random.default_rng(0)
    X, y = make(500, 5)
    easy = LinearRegression().fit(X, y)
    assert easy.report_.facts["route"] == "gram"
    assert easy.report_.passes == 1
    Q = np.linalg.qr(rng.normal(size=(500, 5)))[0]
    Q -= Q.mean(axis=0)
    hard = (
        Q
        @ np.diag([1, 1e-2, 1e-4, 1e-6, 1e-7])
        @ np.linalg.qr(rng.normal(size=(5, 5)))[0]
    )
    b = rng.normal(size=5)
    model = LinearRegression().fit(hard, hard @ b)
    assert model.report_.facts["route"] == "qr"
    assert model.report_.passes == 2
    np.testing.assert_allclose(model.coef_, b, rtol=1e-6)
    s = np.linalg.svd(hard - hard.mean(axis=0), compute_uv=False)
    assert model.report_.condition == pytest.approx((s[0] / s[-1]) ** 2, rel=1e-3)


def test_chunks_do_not_hurt_an_ill_conditioned_fit():
    x = np.linspace(0, 1, 400)
    X = np.column_stack([x**p for p in range(1, 9)])
    y = X.sum(axis=1) + 1
    for rows in (50, 133, 1000):
        with engine.use(chunk_rows=rows):
            model = LinearRegression().fit(X, y)
        np.testing.assert_allclose(model.coef_, 1.0, atol=1e-5)


@pytest.mark.parametrize("m", [1, 3])
def test_many_targets(m):
    X, _ = make()
    Y = np.random.default_rng(0).normal(size=(300, m))
    model = LinearRegression().fit(X, Y)
    theirs = sklearn.linear_model.LinearRegression().fit(X, Y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-12)
    assert model.coef_.shape == (m, 6)
    assert model.predict(X).shape == (300, m)


def test_positive():
    X, y = make()
    ours = LinearRegression(positive=True).fit(X, y)
    theirs = sklearn.linear_model.LinearRegression(positive=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    assert (ours.coef_ >= 0).all()


@pytest.mark.parametrize("d", [30, 4000])
def test_sparse_columns_few_and_many(d):
    X = sp.random(800, d, 0.02, format="csr", random_state=0)
    rng = np.random.default_rng(0)
    y = X @ rng.normal(size=d) + 3 + 0.1 * rng.normal(size=800)
    model = LinearRegression(tol=1e-10).fit(X, y)
    Xc = X.toarray() - np.asarray(X.mean(axis=0)).ravel()
    expected = np.linalg.pinv(Xc, rcond=1e-10) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, expected, atol=2e-6)
    iterative = model.report_.stop is StopReason.CONVERGED
    assert iterative == (d > 3000)


def test_accuracy_with_a_large_offset():
    X, y = make(1000, 4, noise=0.0)
    model = LinearRegression().fit(X + 1e7, y)
    np.testing.assert_allclose(
        model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-6
    )


def test_columns_that_never_move_cost_neither_digits_nor_a_second_pass():
    rng = np.random.default_rng(0)
    moving = rng.normal(size=(60, 3))
    X = np.insert(moving, [0, 2], [7.0, 0.0], axis=1)  # columns 0 and 3 are constant
    y = moving @ [1.0, -2.0, 0.5] + 3 + 0.1 * rng.normal(size=60)
    model, without = LinearRegression().fit(X, y), LinearRegression().fit(moving, y)
    np.testing.assert_allclose(model.coef_[[1, 2, 4]], without.coef_, rtol=1e-12)
    assert model.coef_[[0, 3]].tolist() == [0.0, 0.0]  # the shortest solution
    assert model.intercept_ == pytest.approx(without.intercept_, rel=1e-12)
    assert model.rank_ == 3
    assert model.report_.condition == np.inf
    assert model.report_.reads == without.report_.reads == 1
    by_triangle = LinearRegression().partial_fit(X, y)
    np.testing.assert_allclose(model.coef_, by_triangle.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        model.singular_, by_triangle.singular_, rtol=1e-9, atol=1e-12
    )
