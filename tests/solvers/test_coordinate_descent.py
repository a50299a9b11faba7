import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.coordinate_descent import primal

from corollary.core.report import StopReason
from corollary.engine import Moments
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import path
from corollary.solvers.design import Grams, Rows


def make(rng, n, d, correlation=0.0):
    X = rng.normal(size=(n, d)) + correlation * rng.normal(size=(n, 1))
    X += rng.normal(size=d)
    return X, X[:, : min(d, 4)].sum(axis=1) + rng.normal(size=n)


def parts(X, y, w, intercept):
    """Return G, c, y2 from their definitions."""
    w = np.ones(len(y)) if w is None else w
    Xc = X - np.average(X, axis=0, weights=w) if intercept else X
    yc = y - np.average(y, weights=w) if intercept else y
    return Xc.T @ (w[:, None] * Xc), Xc.T @ (w * yc), float(yc @ (w * yc))


@given(
    seed=st.integers(0, 2**31),
    share=st.floats(0.02, 1.2),
    rho=st.sampled_from([0.05, 0.5, 1.0]),
    positive=st.booleans(),
    intercept=st.booleans(),
    epochs=st.integers(1, 60),
    rows=st.booleans(),
)
@settings(max_examples=120, deadline=None)
def test_the_gap_is_never_below_the_true_distance(
    seed, share, rho, positive, intercept, epochs, rows
):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 40), rng.integers(1, 60)
    X, y = make(rng, n, d, correlation=rng.choice([0.0, 2.0]))
    w = rng.uniform(0, 2, n) if rng.random() < 0.5 else None
    if rows:
        W = None if w is None else w[:, None]
        design = Rows(X, y[:, None], W, intercept=intercept)
    else:
        design = Grams([Moments.of(X, w, y[:, None])], d, intercept=intercept)
    G, c, y2 = parts(X, y, w, intercept)
    N = float(design.n[0])
    alpha = share * np.abs(c).max() / N / rho
    penalty = Penalty(alpha, rho, positive)
    (point,) = next(path(design, [penalty], tol=0.0, max_iter=epochs))
    (best,) = next(path(design, [penalty], tol=0.0, max_iter=10**5))

    def P(b):
        l1, l2 = N * alpha * rho, N * alpha * (1 - rho)
        return primal(G, c, y2, l1, l2, b) / N

    assert point.gap >= P(point.coef) - P(best.coef) - 1e-13 * y2 / N
    assert point.objective == pytest.approx(P(point.coef), abs=1e-11 * y2 / N)
    assert best.gap <= 1e-9 * y2 / N
    assert best.kkt <= 1e-7 * np.abs(c).max() / N


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_rows_and_grams_give_the_same_path(sparse, weighted, intercept):
    rng = np.random.default_rng(1)
    X, y = make(rng, 60, 40)
    X *= rng.random(X.shape) < 0.5
    Y = np.column_stack([y, y[::-1], X[:, 3]])
    w = rng.uniform(0, 2, 60) if weighted else None
    W = None if w is None else np.repeat(w[:, None], 3, axis=1)
    grams = Grams([Moments.of(X, w, Y)], 40, intercept=intercept)
    rows = Rows(sp.csr_array(X) if sparse else X, Y, W, intercept=intercept)
    penalties = [Penalty(alpha, 0.8) for alpha in np.geomspace(1.0, 0.01, 7)]
    how = {"tol": 1e-13, "max_iter": 10**5}
    for ours, theirs in zip(
        path(grams, penalties, **how), path(rows, penalties, **how), strict=True
    ):
        B, C = ([p.coef for p in points] for points in (ours, theirs))
        np.testing.assert_allclose(B, C, atol=1e-7)
        np.testing.assert_allclose(
            grams.intercepts(np.array(B)), rows.intercepts(np.array(C)), atol=1e-7
        )


def test_folds_are_weights():
    rng = np.random.default_rng(2)
    X, y = make(rng, 50, 80)
    W = np.ones((50, 2))
    W[:25, 0] = W[25:, 1] = 0.0
    both = Rows(X, np.column_stack([y, y]), W, intercept=True)
    lasso = [Penalty(0.2, 1.0)]
    points = next(path(both, lasso, tol=1e-13, max_iter=10**5))
    for k, half in enumerate([slice(25, 50), slice(0, 25)]):
        alone = Rows(X[half], y[half][:, None], intercept=True)
        (point,) = next(path(alone, lasso, tol=1e-13, max_iter=10**5))
        np.testing.assert_allclose(points[k].coef, point.coef, atol=1e-9)


def test_a_start_is_taken_and_does_not_change_the_end():
    rng = np.random.default_rng(3)
    X, y = make(rng, 100, 20)
    design = Grams([Moments.of(X, None, y[:, None])], 20, intercept=True)
    lasso = [Penalty(0.1, 1.0)]
    (cold,) = next(path(design, lasso, tol=1e-12))
    (warm,) = next(path(design, lasso, tol=1e-12, start=cold.coef[None]))
    np.testing.assert_allclose(warm.coef, cold.coef, atol=1e-12)
    assert warm.epochs == 0 < cold.epochs
    (far,) = next(path(design, lasso, tol=1e-12, start=rng.normal(size=(1, 20))))
    np.testing.assert_allclose(far.coef, cold.coef, atol=1e-10)


def test_says_why_it_stopped():
    rng = np.random.default_rng(4)
    X, y = make(rng, 30, 20, correlation=5.0)
    design = Grams([Moments.of(X, None, y[:, None])], 20, intercept=True)
    lasso = [Penalty(1e-3, 1.0)]
    (point,) = next(path(design, lasso, tol=1e-12, max_iter=1))
    assert point.stop is StopReason.MAX_PASSES
    (point,) = next(path(design, lasso, tol=1e-12, max_iter=10**4))
    assert point.stop is StopReason.CONVERGED
    (point,) = next(path(design, lasso, tol=0.0, max_iter=10**4))
    assert point.stop in (StopReason.STALLED, StopReason.CONVERGED)
