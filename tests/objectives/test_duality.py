import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import QuantileRegressor
from sklearn.svm import SVC, SVR

from corollary.core.errors import DataError
from corollary.objectives.duality import dual_sums, duality_gap, gap_of_sums
from corollary.objectives.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Perceptron,
    Quantile,
    Sigmoid,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from corollary.objectives.penalties import Penalty
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import linear_problem

CONVEX = [
    Logistic(),
    Logistic(2),
    Exponential(),
    Hinge(),
    SquaredHinge(),
    ModifiedHuber(),
    Perceptron(),
    Squared(),
    Absolute(),
    Quantile(0.3),
    Huber(0.7),
    EpsilonInsensitive(0.25),
    SquaredEpsilonInsensitive(0.25),
]
SMOOTH = [loss for loss in CONVEX if np.isfinite(loss.lipschitz)]
CORNERED = [Hinge(), EpsilonInsensitive(0.25), Absolute(), Quantile(0.3)]
reals = st.floats(-8, 8)


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(f=reals, v=reals, side=st.booleans(), target=reals)
@settings(max_examples=60, deadline=None)
def test_fenchel_and_young(loss, f, v, side, target):
    y = (1.0 if side else -1.0) if loss.margin else target
    value = float(loss.value(y, f))
    assert value + float(loss.conjugate(y, v)) >= v * f - 1e-9 * (1 + abs(v * f))
    slope = float(loss.derivative(y, f))
    here = value + float(loss.conjugate(y, slope))
    assert here == pytest.approx(slope * f, rel=1e-9, abs=1e-9 * (1 + value))


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", CONVEX, ids=repr)
def test_the_conjugate_is_the_supremum(loss):
    f = np.linspace(-60, 60, 240_001)
    values = loss.value(1.0, f)
    for v in (-1.0, -0.7, -0.29, -0.1, 0.0):
        if np.isfinite(loss.conjugate(1.0, v)):
            best = (v * f - values).max()
            assert float(loss.conjugate(1.0, v)) == pytest.approx(best, abs=1e-6)
    far = float(loss.conjugate(1.0, 1e3))
    assert far == np.inf or isinstance(loss, Squared | SquaredEpsilonInsensitive)


@pytest.mark.parametrize("loss", CORNERED, ids=repr)
def test_smoothed_slopes_lie_in_the_domain(loss):
    u = np.linspace(-4, 4, 801)
    for width in (1e-6, 0.1, 1.0):
        assert np.isfinite(loss.dual(loss.smoothed(u, width))).all()
    np.testing.assert_allclose(loss.smoothed(u, 1e-9), loss.slope(u), atol=1.0)


def rows(n=50, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + 0.5


def optimum(loss, X, y, penalty):
    """Return w and b of a loss with corners, by other people's exact solvers."""
    n = len(y)
    if isinstance(loss, Quantile):
        model = QuantileRegressor(quantile=loss.q, alpha=penalty.l1).fit(X, y)
        return model.coef_, float(model.intercept_)
    C = 1 / (n * penalty.l2)
    if isinstance(loss, Hinge):
        model = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    else:
        model = SVR(kernel="linear", C=C, tol=1e-10, epsilon=loss.epsilon).fit(X, y)
    return model.coef_[0], float(model.intercept_[0])


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
def test_the_gap_is_never_below_the_truth_and_vanishes_at_the_optimum(
    loss, intercept, l1_ratio
):
    X, y = rows()
    y = np.sign(y) if loss.margin else y
    o = np.arange(50) % 3
    penalty = Penalty(0.1, l1_ratio)
    problem = linear_problem(
        X, y, loss, penalty, fit_intercept=intercept, sample_weight=o
    )
    best = minimize(problem, "accelerated", tol=1e-9, max_iter=20_000)
    assert best.gap < 2e-7
    rng = np.random.default_rng(1)
    for size in (1e-4, 1e-2, 0.3, 3.0):
        x = best.x + size * rng.normal(size=len(best.x))
        b = float(x[-1]) if intercept else 0.0
        found = duality_gap(
            loss, X, y, x[:3], b, penalty=penalty, intercept=intercept, sample_weight=o
        )
        assert found.primal == pytest.approx(problem.objective(x), rel=1e-12)
        assert found.gap >= found.primal - best.objective - 1e-12
        assert found.dual <= best.objective + 1e-9


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("loss", CORNERED, ids=repr)
def test_corners_have_a_sound_gap_too(loss):
    X, y = rows()
    y = np.sign(y) if loss.margin else y
    penalty = Penalty(0.1, float(isinstance(loss, Quantile)))
    w, b = optimum(loss, X, y, penalty)
    best = duality_gap(loss, X, y, w, b, penalty=penalty, intercept=True)
    assert best.gap < 0.12 * best.primal
    rng = np.random.default_rng(1)
    for size in (0.0, 0.1, 1.0, 5.0):
        for _ in range(20):
            w, b = size * rng.normal(size=3), size * rng.normal()
            found = duality_gap(loss, X, y, w, b, penalty=penalty, intercept=True)
            assert found.dual <= best.primal + 1e-9
            assert found.gap >= found.primal - best.primal - 1e-9


def test_sums_over_chunks_and_sparse_rows_give_the_same_gap():
    X, y = rows()
    y, w, b = np.sign(y), np.array([0.3, -0.2, 0.1]), 0.05
    penalty = Penalty(0.1)
    whole = duality_gap(Hinge(), X, y, w, b, penalty=penalty, intercept=True)
    f = X @ w + b
    sums = dual_sums(Hinge(), X[:20], y[:20], f[:20])
    sums = sums + dual_sums(Hinge(), sp.csr_array(X[20:]), y[20:], f[20:])
    parts = gap_of_sums(sums, w, penalty, 50.0, intercept=True)
    assert parts.gap == pytest.approx(whole.gap, rel=1e-12)
    twice = duality_gap(
        Hinge(),
        np.r_[X, X[:10]],
        np.r_[y, y[:10]],
        w,
        b,
        penalty=penalty,
        intercept=True,
    )
    weights = np.r_[np.full(10, 2.0), np.ones(40)]
    weighted = duality_gap(
        Hinge(), X, y, w, b, penalty=penalty, intercept=True, sample_weight=weights
    )
    assert weighted.gap == pytest.approx(twice.gap, rel=1e-12)


def test_without_a_penalty_the_losses_themselves_bound():
    X, y = rows()
    found = duality_gap(Squared(), X, y, np.zeros(3), penalty=Penalty())
    assert found.dual == 0
    assert found.gap == found.primal


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda X, y: duality_gap(Sigmoid(), X, y, np.zeros(3), penalty=Penalty(1)),
            "duality_gap: the loss must be convex",
        ),
        (
            lambda X, y: duality_gap(Hinge(), X, y, np.zeros(2), penalty=Penalty(1)),
            "must match; got shapes",
        ),
        (
            lambda X, y: duality_gap(
                Hinge(), X, y, np.zeros(3), 1.0, penalty=Penalty(1)
            ),
            "Use intercept=True",
        ),
    ],
)
def test_bad_arguments(call, words):
    X, y = rows()
    with pytest.raises(DataError, match=words):
        call(X, np.sign(y))
