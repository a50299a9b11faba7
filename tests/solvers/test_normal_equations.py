"""Least squares to the last digit that the data allows, and honest about the rest."""

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LinearRegression, Ridge, StopReason, engine
from corollary.datasets import certified_digits, filip, longley, wampler
from corollary.engine import Moments, Triangle
from corollary.solvers.normal_equations import (
    from_moments,
    from_triangle,
    from_triangle_positive,
)

SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=25, deadline=None)
NONE = np.zeros(1)


def problem(seed, n=40, d=5, m=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=(d, m)) + rng.normal(size=(n, m)) + 1


def reference(X, Y, alpha=0.0, intercept=True):
    """Solve the augmented system [Xc; sqrt(alpha) I] b = [yc; 0] by numpy."""
    x, y = (X.mean(0), Y.mean(0)) if intercept else (np.zeros(X.shape[1]), 0)
    d = X.shape[1]
    A = np.vstack([X - x, np.sqrt(alpha) * np.eye(d)])
    b = np.linalg.lstsq(A, np.vstack([Y - y, np.zeros((d, Y.shape[1]))]), rcond=None)[0]
    return b.T, (y - x @ b if intercept else np.zeros(Y.shape[1]))


# -- both routes -----------------------------------------------------------------------
@pytest.mark.course("S1-13")
@given(
    seed=SEEDS, intercept=st.booleans(), alpha=st.sampled_from([0.0, 1e-3, 1.0, 1e4])
)
@FEW
def test_both_routes_end_where_numpy_does(seed, intercept, alpha):
    X, Y = problem(seed)
    coef, b0 = reference(X, Y, alpha, intercept)
    ridge = np.array([alpha])
    solutions = [
        from_moments(Moments.of(X, None, Y), 5, ridge, intercept=intercept, force=True),
        from_triangle(
            Triangle.of(X, None, Y, ones=intercept), 5, ridge, intercept=intercept
        ),
    ]
    residual = ((Y - X @ coef.T - b0) ** 2).sum(axis=0)
    for solution in solutions:
        np.testing.assert_allclose(solution.coef, coef, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(solution.intercept, b0, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(solution.residual, residual, rtol=1e-7)
        assert solution.rank == 5


@pytest.mark.course("S1-13")
@given(seed=SEEDS, solver=st.sampled_from(["svd", "cholesky", "auto"]))
@FEW
def test_each_target_has_its_own_ridge(seed, solver):
    X, Y = problem(seed, m=3)
    alpha = np.array([0.0, 1.0, 50.0])
    together = Ridge(alpha, solver=solver).fit(X, Y)
    for j in range(3):
        alone = Ridge(alpha[j], solver=solver).fit(X, Y[:, j])
        np.testing.assert_allclose(together.coef_[j], alone.coef_, rtol=1e-6, atol=1e-9)


@given(seed=SEEDS)
@FEW
def test_the_spectrum_is_that_of_the_centred_columns(seed):
    X, Y = problem(seed)
    true = np.linalg.svd(X - X.mean(0), compute_uv=False)
    gram = from_moments(Moments.of(X, None, Y), 5, NONE, intercept=True, force=True)
    triangle = from_triangle(
        Triangle.of(X, None, Y, ones=True), 5, NONE, intercept=True
    )
    np.testing.assert_allclose(triangle.singular, true, rtol=1e-9, atol=1e-12 * true[0])
    np.testing.assert_allclose(gram.singular, true, rtol=1e-4, atol=1e-7 * true[0])
    condition = (true[0] / true[-1]) ** 2
    assert triangle.condition == pytest.approx(condition, rel=1e-6)


@given(seed=SEEDS, scale=st.lists(st.integers(-8, 8), min_size=5, max_size=5))
@FEW
def test_units_of_the_columns_do_not_matter(seed, scale):
    X, Y = problem(seed)
    D = 10.0 ** np.array(scale)
    model, other = LinearRegression().fit(X, Y), LinearRegression().fit(X * D, Y)
    np.testing.assert_allclose(other.coef_ * D, model.coef_, rtol=1e-6, atol=1e-9)
    assert other.rank_ == 5


def test_the_gram_route_is_left_where_it_would_lose_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = X @ [1.0, 2.0]
    good = LinearRegression().fit(X, y)
    assert (good.report_.facts["route"], good.report_.passes) == ("gram", 1)
    X[:, 1] = X[:, 0] + 1e-7 * X[:, 1]
    y = X @ [1.0, 2.0]
    bad = LinearRegression().fit(X, y)
    assert (bad.report_.facts["route"], bad.report_.passes) == ("qr", 2)
    np.testing.assert_allclose(bad.coef_, [1.0, 2.0], rtol=1e-7)
    assert (
        from_moments(Moments.of(X, None, y[:, None]), 2, NONE, intercept=True) is None
    )
    forced = from_moments(
        Moments.of(X, None, y[:, None]), 2, NONE, intercept=True, force=True
    )
    fitted = X @ forced.coef[0] + forced.intercept
    np.testing.assert_allclose(fitted, y, atol=0.05)  # half of the digits, at best


@given(seed=SEEDS)
@FEW
def test_non_negative_least_squares_is_scipys(seed):
    X, Y = problem(seed, m=1)
    solution = from_triangle_positive(
        Triangle.of(X, None, Y, ones=False), 5, NONE, intercept=False
    )
    expected, norm = scipy.optimize.nnls(X, Y[:, 0])
    np.testing.assert_allclose(solution.coef[0], expected, atol=1e-8)
    assert solution.residual[0] == pytest.approx(norm**2, rel=1e-8)


# -- certified answers -----------------------------------------------------------------
CERTIFIED = [  # problem, digits in one piece, digits in chunks and in any order
    (filip(), 7.0, 6.0),
    (longley(), 10.0, 10.0),
    (wampler(1), 9.0, 8.5),
    (wampler(2), 12.0, 12.0),
    (wampler(3), 9.0, 8.5),
    (wampler(4), 7.5, 7.0),
    (wampler(5), 5.5, 5.0),
]


@pytest.mark.course("S1-13", "S4-6")
@pytest.mark.parametrize(
    ("certified", "digits", "anyhow"), CERTIFIED, ids=[c[0].name for c in CERTIFIED]
)
def test_nists_certified_digits(certified, digits, anyhow):
    def reached(X, y, **settings):
        with engine.use(**settings):
            model = LinearRegression().fit(X, y)
        assert model.rank_ == X.shape[1]
        return certified_digits(
            np.append(model.intercept_, model.coef_), certified.coef
        )

    X, y = certified.X, certified.y
    assert reached(X, y) >= digits
    rng = np.random.default_rng(0)
    for rows in (5, 20, 1000):
        order = rng.permutation(len(y))
        assert reached(X[order], y[order], chunk_rows=rows, executor="serial") >= anyhow


@pytest.mark.course("S4-6")
def test_filip_from_its_own_powers():
    certified = filip()
    x = certified.X[:, 0]
    X = np.column_stack([x**k for k in range(1, 11)])
    model = LinearRegression().fit(X, certified.y)
    estimate = np.append(model.intercept_, model.coef_)
    assert certified_digits(estimate, certified.coef) >= 7
    residual = certified.y - model.predict(X)
    sd = np.sqrt(residual @ residual / (82 - 11))
    assert sd == pytest.approx(certified.residual_sd, rel=1e-7)
    assert model.score(X, certified.y) == pytest.approx(certified.r_squared, rel=1e-9)
    assert model.report_.condition > 1e25


# -- conditioning ----------------------------------------------------------------------
def with_eigenvalues(high, low):
    """Make centred columns with X'X = diag(high, low), turned by 30 degrees."""
    H = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]]) / 2
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    return H * np.sqrt([high, low]) @ np.array([[c, s], [-s, c]])


@pytest.mark.course("S1-15")
@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("solver", ["auto", "svd"])
def test_a_ridge_of_1_turns_a_condition_of_10_to_2n_into_10_to_n(n, solver):
    X, y = with_eigenvalues(10.0**n, 10.0**-n), np.array([1.0, 2.0, 3.0, 5.0])
    plain = Ridge(alpha=0.0, solver=solver).fit(X, y).report_.condition
    ridge = Ridge(alpha=1.0, solver=solver).fit(X, y).report_.condition
    tolerance = 4e-16 * 10.0 ** (2 * n if solver == "auto" else n) + 1e-9
    assert plain == pytest.approx(10.0 ** (2 * n), rel=tolerance)
    assert ridge == pytest.approx(10.0**n, rel=1e-9)


@pytest.mark.course("S1-15")
@given(seed=SEEDS, alpha=st.sampled_from([0.0, 1e-3, 1.0, 100.0]))
@FEW
def test_the_condition_is_that_of_the_matrix_that_was_solved(seed, alpha):
    X, Y = problem(seed)
    Xc = X - X.mean(axis=0)
    eigenvalues = np.linalg.svd(Xc, compute_uv=False) ** 2
    expected = (eigenvalues[0] + alpha) / (eigenvalues[-1] + alpha)
    model = Ridge(alpha, solver="svd").fit(X, Y)
    assert model.report_.condition == pytest.approx(expected, rel=1e-8)
    raw = Ridge(alpha, solver="svd", fit_intercept=False).fit(X, Y)
    eigenvalues = np.linalg.svd(X, compute_uv=False) ** 2
    expected = (eigenvalues[0] + alpha) / (eigenvalues[-1] + alpha)
    assert raw.report_.condition == pytest.approx(expected, rel=1e-8)


# -- dependent columns -----------------------------------------------------------------
def dependent(seed, n=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["sum"] = frame.a + 2 * frame.b
    frame["still"] = 7.0
    return frame, rng.normal(size=n)


@pytest.mark.course("S4-6")
@given(seed=SEEDS)
@FEW
def test_dependent_columns_are_named_and_counted(seed):
    frame, y = dependent(seed)
    model = LinearRegression().fit(frame, y)
    assert model.rank_ == 3
    named = model.report_.facts["dependent_columns"]
    assert len(named) == 2
    assert "still" in named
    assert set(named) <= {"a", "b", "sum", "still"}
    rest = [name for name in frame if name not in named]
    assert np.linalg.matrix_rank(frame[rest] - frame[rest].mean()) == 3
    (warning,) = model.report_.warnings
    assert str(named) in warning
    assert "Drop them or use Ridge." in warning
    assert model.report_.condition == np.inf or model.report_.condition > 1e25


@pytest.mark.course("S4-6")
@given(seed=SEEDS, columns=st.integers(1, 4))
@FEW
def test_of_all_solutions_the_shortest_is_taken(seed, columns):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 5))
    X = np.column_stack([X, X @ rng.normal(size=(5, columns))])
    Y = rng.normal(size=(30, 2))
    model = LinearRegression().fit(X, Y)
    expected = np.linalg.pinv(X - X.mean(0), rcond=1e-10) @ (Y - Y.mean(0))
    np.testing.assert_allclose(model.coef_, expected.T, atol=1e-9)
    assert model.rank_ == 5


@given(
    seed=SEEDS,
    scale=st.lists(st.integers(-12, 12), min_size=4, max_size=4),
    intercept=st.booleans(),
)
@FEW
def test_dependent_columns_in_any_units_spoil_no_prediction(seed, scale, intercept):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 1] - X[:, 2]]) * 10.0 ** np.array(scale)
    y = (X / 10.0 ** np.array(scale)) @ rng.normal(size=4)
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    assert model.rank_ == 3
    assert set(model.report_.facts["dependent_columns"]) < {1, 2, 3}
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10 * np.abs(y).max())


@pytest.mark.course("S4-6")
@pytest.mark.parametrize(("n", "d"), [(5, 5), (5, 8), (10, 200), (2, 3)])
def test_with_no_more_rows_than_columns_the_gram_matrix_is_singular(n, d):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    assert np.linalg.matrix_rank((X - X.mean(0)).T @ (X - X.mean(0))) < d
    model = LinearRegression().fit(X, y)
    assert model.rank_ == n - 1  # the mean takes one
    assert model.report_.condition == np.inf or model.report_.condition > 1e25
    assert len(model.report_.facts["dependent_columns"]) == d - n + 1
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    shortest = np.linalg.pinv(X - X.mean(0)) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, shortest, atol=1e-10)
    ridge = Ridge(1e-3).fit(X, y)
    assert ridge.report_.condition < np.inf
    assert "dependent" not in ridge.report_.facts


@pytest.mark.course("S4-6", "S1-13")
@given(seed=SEEDS, weighted=st.booleans(), rank=st.sampled_from([3, 5]))
@FEW
def test_the_residual_is_orthogonal_to_every_column(seed, weighted, rank):
    X, Y = problem(seed, d=3)
    if rank == 3:
        X = np.column_stack([X, X[:, 0] - X[:, 1], X[:, 2]])
    w = np.random.default_rng(seed).uniform(0.1, 3, len(X)) if weighted else None
    model = LinearRegression().fit(X, Y, sample_weight=w)
    residual = (Y - model.predict(X)) * (1 if w is None else w[:, None])
    A = np.column_stack([np.ones(len(X)), X])
    size = np.outer(np.linalg.norm(A, axis=0), np.linalg.norm(Y, axis=0))
    assert (np.abs(A.T @ residual) / size).max() < 1e-11
    assert model.report_.stop is StopReason.CLOSED_FORM


@pytest.mark.course("S4-6")
@pytest.mark.parametrize("value", [0.0, 3.0, 0.1, -1e8 / 3, 1e100])
@pytest.mark.parametrize("n", [6, 5000])
def test_a_column_that_never_moves_follows_from_the_intercept(value, n):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(n, value), rng.normal(size=n)])
    y = 2 * X[:, 1] + 1
    for solver in ("auto", "svd", "cholesky"):
        model = Ridge(0.0, solver=solver).fit(X, y)
        np.testing.assert_allclose(model.coef_, [0.0, 2.0], atol=1e-9)
        assert model.rank_ == 1
        assert model.report_.facts["dependent_columns"] == [0]
    with engine.use(chunk_rows=max(2, n // 50)):
        model = LinearRegression().fit(X, y)
        streamed = (
            LinearRegression().partial_fit(X[:4], y[:4]).partial_fit(X[4:], y[4:])
        )
    for other in (model, streamed):
        np.testing.assert_allclose(other.coef_, [0.0, 2.0], atol=1e-9)


def test_nothing_to_learn_from():
    for rows in (6, 1000):
        y = np.arange(float(rows))
        model = LinearRegression().fit(np.full((rows, 2), 0.3), y)
        np.testing.assert_array_equal(model.coef_, 0.0)
        assert model.intercept_ == pytest.approx(y.mean())
        assert model.rank_ == 0
        assert model.report_.facts["dependent_columns"] == [0, 1]
