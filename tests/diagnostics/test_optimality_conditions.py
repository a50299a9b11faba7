"""The four conditions of an optimum, one by one.

All four are 0 at the minimum; a model is then broken so that one condition fails alone,
by an amount that the textbook gives.
"""

import dataclasses
import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.metrics.pairwise import rbf_kernel

from corollary import (
    SVC,
    SVDD,
    SVR,
    CrammerSingerClassifier,
    ElasticNet,
    HardMarginSVC,
    HuberRegressor,
    KernelQuantileRegressor,
    KernelRidge,
    Lasso,
    LeastAbsoluteDeviations,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    MultiTaskLasso,
    NuSVC,
    NuSVR,
    OneClassSVM,
    PoissonRegressor,
    QuantileRegressor,
    RepresenterRegressor,
    Ridge,
    SquaredEpsilonSVR,
    SquaredHingeSVC,
)
from corollary.diagnostics import OptimalityGap, optimality_gap

pytestmark = pytest.mark.course("S2-36")
STEP = 0.125
NAMES = (
    "stationarity",
    "primal_feasibility",
    "dual_feasibility",
    "complementary_slackness",
)


def four(model, *rows):
    """Return the violations of a fitted model, which kkt_residual is the largest of."""
    proof = optimality_gap(model, *rows)
    values = np.array([getattr(proof, name) for name in NAMES])
    assert proof.kkt_residual == values.max()
    assert (values >= 0).all()
    return values


def only(name, amount, model, *rows):
    """Hold one violation to the amount, the others to 0."""
    values = dict(zip(NAMES, four(model, *rows), strict=True))
    assert values.pop(name) == pytest.approx(amount, rel=1e-9)
    assert max(values.values()) <= 1e-7, values


# -- at the minimum --------------------------------------------------------------------
rng = np.random.default_rng(0)
X = rng.normal(size=(70, 3))
t = X @ [2.0, 0.0, -1.0] + rng.normal(size=70) + 1
y = np.where(t > 1, "yes", "no")
three = np.digitize(t, [0.0, 2.0])
apart = X + 3.0 * (y == "yes")[:, None]
TIMES = rng.integers(0, 3, size=70) + 0.0
FINE = {"tol": 1e-10}

FITS = [
    (SVC(C=2.0, **FINE), X, y),
    (SVC(**FINE), X, three),
    (NuSVC(nu=0.3, **FINE), X, y),
    (SquaredHingeSVC(C=2.0, **FINE), X, y),
    (HardMarginSVC(**FINE), apart, y),
    (SVR(C=2.0, **FINE), X, t),
    (NuSVR(C=2.0, **FINE), X, t),
    (SquaredEpsilonSVR(C=2.0, **FINE), X, t),
    (KernelQuantileRegressor(quantile=0.3, **FINE), X, t),
    (KernelRidge(alpha=0.5, kernel="rbf", fit_intercept=True), X, t),
    (RepresenterRegressor("absolute_error", 0.5, tol=1e-12), X, t),
    (OneClassSVM(nu=0.3, **FINE), X, None),
    (SVDD(nu=0.3, **FINE), X, None),
    (LinearSVC(C=0.5, loss="hinge", **FINE), X, y),
    (LinearSVC(C=0.5, **FINE), X, three),
    (LinearSVR(C=0.5, epsilon=0.1, **FINE), X, t),
    (Ridge(2.0), X, t),
    (Lasso(0.2, tol=1e-14), X, t),
    (ElasticNet(0.2, positive=True, tol=1e-14), X, t),
    (MultiTaskLasso(0.2, tol=1e-14), X, np.column_stack([t, t**2])),
    (QuantileRegressor(quantile=0.3, alpha=0.05), X, t),
    (HuberRegressor(tol=1e-9), X, t),
    (LogisticRegression(C=0.5, tol=1e-10), X, three),
    (PoissonRegressor(alpha=0.1, tol=1e-10), X, three + 0.0),
    (CrammerSingerClassifier(tol=1e-10, max_iter=10**5), X, three),
]


@pytest.mark.parametrize("weights", [None, TIMES], ids=["plain", "weighted"])
@pytest.mark.parametrize(("model", "X", "goal"), FITS, ids=lambda v: str(v)[:25])
def test_at_the_minimum_all_four_are_zero(model, X, goal, weights):
    model.fit(X, goal, sample_weight=weights)
    assert four(model, X, goal, weights).max() <= 1e-6


# -- machines, by the textbook ---------------------------------------------------------
def expansion(model):
    """Return b of every row, g = K b + b0 and K."""
    b, K = np.zeros(len(X)), rbf_kernel(X, gamma=model.gamma_)
    b[model.support_] = model.dual_coef_[0]
    return b, K @ b + model.intercept_[0], K


def of_classes(model):
    s, (b, g, _) = np.where(y == "yes", 1, -1), expansion(model)
    a, m = s * b, s * g
    short, over = np.where(a < 2, 1 - m, 0), np.where(a > 0, m - 1, 0)
    return abs(b.sum()), 0, max((-a).max(), (a - 2).max()), max(short.max(), over.max())


def of_tubes(model):
    (b, g, _), nu = expansion(model), isinstance(model, NuSVR)
    e = model.epsilon_ if nu else model.epsilon
    r = t - g
    rises = np.where(b < 2, np.where(b >= 0, r - e, r + e), 0)
    falls = np.where(b > -2, np.where(b > 0, e - r, -e - r), 0)
    off, most = max(rises.max(), falls.max()), 2.0 * 0.4 * 70
    out, mass = max((np.abs(b) - 2).max(), 0), np.abs(b).sum()
    if nu:
        out, off = max(out, mass - most), max(off, e * (1 - mass / most))
    return abs(b.sum()), 0, out, off


def test_a_width_has_its_own_conditions():
    model = NuSVR(C=2.0, nu=0.4, **FINE).fit(X, t)
    model.dual_coef_ *= 1 + STEP  # the sum of |b| is STEP too large, of 2 nu n
    values = four(model, X, t)
    assert np.allclose(values, of_tubes(model), rtol=1e-9, atol=1e-12)
    assert values[2] == pytest.approx(STEP * 2.0 * 0.4 * 70)
    model.dual_coef_, model.epsilon_ = 0.0 * model.dual_coef_, 100.0
    only("complementary_slackness", 100.0, model, X, t)  # every row is in the tube


def of_one_class(model):
    b, g, _ = expansion(model)
    off = max(np.where(b < 1, -g, 0).max(), np.where(b > 0, g, 0).max())
    return abs(b.sum() - 0.3 * 70), 0, max((-b).max(), (b - 1).max()), off


def of_balls(model):
    (b, _, K), top = expansion(model), 1 / (0.3 * 70)
    d = 1 - 2 * K @ b + b @ K @ b - model.radius2_  # squares of distances less R^2
    off = max(np.where(b < top, d, 0).max(), np.where(b > 0, -d, 0).max())
    return abs(b.sum() - 1), 0, max((-b).max(), (b - top).max()), off


@pytest.mark.parametrize("sd", [1e-4, 0.03, 0.5])
@pytest.mark.parametrize(
    ("model", "goal", "textbook"),
    [
        (SVC(C=2.0, **FINE), y, of_classes),
        (SVR(C=2.0, epsilon=0.2, **FINE), t, of_tubes),
        (NuSVR(C=2.0, nu=0.4, **FINE), t, of_tubes),
        (OneClassSVM(nu=0.3, **FINE), None, of_one_class),
        (SVDD(nu=0.3, **FINE), None, of_balls),
    ],
    ids=lambda v: str(v)[:12],
)
def test_a_broken_machine_misses_what_the_textbook_says(model, goal, textbook, sd):
    model.fit(X, goal)
    noise = np.random.default_rng(1).normal(size=model.dual_coef_.shape)
    model.dual_coef_ = model.dual_coef_ * (1 + sd * noise)
    assert np.allclose(four(model, X, goal), textbook(model), rtol=1e-9, atol=1e-12)


# -- one at a time ---------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_that_are_no_sum_of_rows_are_not_stationary(loss):
    Z = np.column_stack([X, np.zeros(70)])
    model = LinearSVC(C=0.5, loss=loss, tol=1e-10).fit(Z, y)
    model.coef_[0, 3] = STEP  # the margins stay
    only("stationarity", STEP, model, Z, y)


def test_the_sum_over_b_of_a_linear_machine():
    model = LinearSVC(C=0.5, tol=1e-10).fit(X, y)
    model.coef_ = model.coef_ + STEP
    F, s = np.column_stack([X, np.ones(70)]), np.where(y == "yes", 1, -1)
    w = np.append(model.coef_, model.intercept_)
    b = 2 * 0.5 * s * np.maximum(0, 1 - s * (F @ w))
    only("stationarity", np.abs(w - F.T @ b).max(), model, X, y)


def test_a_linear_machine_off_its_margins():
    Z, labels = np.array([[-1.0], [1.0]]), [0, 1]
    model = LinearSVC(C=3.0, loss="hinge", fit_intercept=False, tol=1e-10)
    model.fit(Z, labels)
    model.coef_ *= 1 + 1e-4  # w = 1.0001 = b_1 + b_2, between the bounds
    only("complementary_slackness", 1e-4, model, Z, labels)


def test_violations_have_the_units_of_the_objective():
    Z = np.column_stack([X, np.zeros(70)])
    model = LinearSVC(C=0.5, penalty="l1", tol=1e-10, max_iter=10**5).fit(Z, y)
    model.coef_[0, 3] = STEP  # of C sum (1 - y g)_+^2 + ||w||_1
    only("stationarity", 1.0, model, Z, y)
    model = RepresenterRegressor("absolute_error", 0.5, tol=1e-12).fit(X, t)
    model.intercept_ = model.intercept_ + STEP  # of sum |y - g| + 0.5/2 ||h||^2
    only("complementary_slackness", 0.5 * STEP, model, X, t)


def test_what_multipliers_must_sum_to_is_stationarity():
    Z, labels = np.array([[0.0], [2.0]]), [0, 1]
    model = SVC(C=3.0, kernel="linear", **FINE).fit(Z, labels)
    assert np.allclose(model.dual_coef_, [[-0.5, 0.5]])
    model.dual_coef_[0, 0] -= STEP  # of the row at 0, which moves no margin
    only("stationarity", STEP, model, Z, labels)


def squeezed():
    """Return a machine with b = -1/2, -C, 1/2, C, where rows at 0 have +-C."""
    Z, labels = np.array([[-1.0], [0.0], [1.0], [0.0]]), np.array([0, 0, 1, 1])
    model = SVC(C=1.0, kernel="linear", **FINE).fit(Z, labels)
    assert np.allclose(model.dual_coef_, [[-0.5, -1.0, 0.5, 1.0]])
    return model, Z, labels


def test_a_multiplier_outside_of_its_box_is_not_dual_feasible():
    model, *rows = squeezed()
    model.dual_coef_ += [[0.0, -STEP, 0.0, STEP]]
    only("dual_feasibility", STEP, model, *rows)


def test_a_multiplier_inside_its_box_asks_for_a_row_on_the_margin():
    model, *rows = squeezed()
    model.dual_coef_ += [[0.0, STEP, 0.0, -STEP]]
    only("complementary_slackness", 1.0, model, *rows)  # the rows are at y g = 0


def test_a_hyperplane_that_is_scaled_down_misses_hard_margins():
    Z, labels = np.array([[-1.0], [1.0], [3.0]]), [0, 1, 1]
    model = HardMarginSVC(kernel="linear", **FINE).fit(Z, labels)
    model.dual_coef_ *= 1 - STEP
    only("primal_feasibility", STEP, model, Z, labels)
    model.dual_coef_ *= (1 + STEP) / (1 - STEP)  # too large: rows beyond their margin
    only("complementary_slackness", STEP, model, Z, labels)


def test_a_ridge_has_no_bounds_and_thus_no_slackness():
    model = KernelRidge(alpha=0.5, kernel="rbf", gamma=1.0, fit_intercept=True)
    model.fit(X, t)
    model.intercept_ += STEP
    only("stationarity", STEP, model, X, t)  # every residual is off by it


# -- linear models: columns without correlation, so that entries do not touch others ---
Q = np.linalg.qr(np.column_stack([np.ones(70), X]))[0][:, 1:] * np.sqrt(70)
z = np.array([1.0, 0.25, -0.5])  # least squares
goal = Q @ z + 3 + 0.0


@pytest.mark.parametrize(
    ("model", "j", "to", "name", "amount"),
    [
        (Lasso(0.4), 0, 0.6 - STEP, "stationarity", STEP),
        (Lasso(0.4), 0, 0.6 + STEP, "stationarity", STEP),
        (Lasso(0.4), 0, 0.0, "dual_feasibility", 0.6),
        (Lasso(0.4), 1, STEP, "stationarity", STEP + 0.4 - 0.25),
        (Lasso(0.4), 2, 0.0, "dual_feasibility", 0.1),
        (Ridge(0.0), 0, 0.0, "stationarity", 1.0),
        (Lasso(0.4, positive=True), 0, 0.6 - STEP, "stationarity", STEP),
        (Lasso(0.4, positive=True), 0, 0.6 + STEP, "complementary_slackness", STEP),
        (Lasso(0.4, positive=True), 0, 0.0, "dual_feasibility", 0.6),
        (Lasso(0.4, positive=True), 2, STEP, "complementary_slackness", STEP + 0.9),
        (Ridge(0.0, positive=True), 0, 0.0, "dual_feasibility", 1.0),
        (Ridge(0.0, positive=True), 2, STEP, "complementary_slackness", STEP + 0.5),
    ],
    ids=str,
)
def test_a_coefficient_breaks_one_condition(model, j, to, name, amount):
    model.set_params(tol=1e-15).fit(Q, goal)
    assert four(model, Q, goal).max() < 1e-7
    model.coef_[j] = to
    g = Q.T @ (Q @ model.coef_ + model.intercept_ - goal) / 70
    l1 = 0.4 * isinstance(model, Lasso)
    assert amount in (
        pytest.approx(abs(g[j]) - l1),
        pytest.approx(abs(g[j] + l1 * np.sign(to))),
    )
    only(name, amount, model, Q, goal)


def test_an_intercept_is_stationary():
    for model in (Lasso(0.4, tol=1e-15), Ridge(2.0)):
        model.fit(Q, goal)
        model.intercept_ += STEP
        only("stationarity", STEP, model, Q, goal)


def test_columns_that_targets_share_break_one_condition():
    Y = np.column_stack([goal, Q @ [0.5, 0.1, 2.0]])
    model = MultiTaskLasso(0.4, tol=1e-15).fit(Q, Y)
    assert not model.coef_[:, 1].any()
    model.coef_[:, 0] = 0.0
    only("dual_feasibility", np.hypot(1.0, 0.5) - 0.4, model, Q, Y)
    model = MultiTaskLasso(0.4, tol=1e-15).fit(Q, Y)
    model.coef_[:, 0] *= 1 + STEP
    only("stationarity", STEP * (np.hypot(1.0, 0.5) - 0.4), model, Q, Y)


def test_a_row_that_left_its_corner_misses_its_multiplier():
    """The median of 0, 1, 2, 10 and 20 has v = 1, 1, 0, -1, -1, each over 5."""
    Z, numbers = np.zeros((5, 1)), np.array([0.0, 1, 2, 10, 20])
    model = LeastAbsoluteDeviations().fit(Z, numbers)
    assert model.intercept_ == pytest.approx(2.0)
    model.intercept_ = 3.0  # v of the row with 2 should be 1
    only("complementary_slackness", 1 / 5, model, Z, numbers)


def test_a_contest_is_a_sum_of_rows():
    Z = np.column_stack([X, np.zeros(70)])
    model = CrammerSingerClassifier(tol=1e-10, max_iter=10**5).fit(Z, three)
    model.coef_[1, 3] = STEP
    values = four(model, Z, three)
    assert values[0] == pytest.approx(STEP)
    assert values[1:].max() < 1e-5
    model.coef_[1, 3] = 0.0
    square = (model.coef_**2).sum() + (model.intercept_**2).sum()
    model.coef_, model.intercept_ = 1.5 * model.coef_, 1.5 * model.intercept_
    total = optimality_gap(model, Z, three).gap - 0.5 * 0.5**2 * square  # C = 1
    values = four(model, Z, three)
    assert values[0] == pytest.approx(np.abs(model.coef_).max() / 3, rel=0.01)
    assert total / 70 < values[3] < total


def test_the_gradient_of_hubers_regression_is_its_stationarity():
    model = HuberRegressor(tol=1e-9).fit(X, t)
    model.coef_ = model.coef_ + STEP
    e, alpha = model.epsilon, model.alpha

    def J(p):
        r = np.abs(X @ p[:3] + p[3] - t) / p[4]
        H = np.where(r <= e, r * r, 2 * e * r - e * e)
        return p[4] * (70 + H.sum()) + alpha * p[:3] @ p[:3]

    here = np.concatenate([model.coef_, [model.intercept_, model.scale_]])
    g = np.abs(approx_fprime(here, J, 1e-7)).max()
    values = four(model, X, t)
    assert values[0] == pytest.approx(g, rel=1e-4)
    assert not values[1:].any()


# -- together --------------------------------------------------------------------------
def test_problems_take_the_larger_of_each():
    first = OptimalityGap(3.0, 2.0, 1.0, 0.1, 0.0, 0.4, 0.0)
    second = OptimalityGap(5.0, 4.5, 0.5, 0.2, 0.3, 0.0, 0.0)
    both = first + second
    assert dataclasses.astuple(both) == (8.0, 6.5, 1.5, 0.2, 0.3, 0.4, 0.0)
    assert both.kkt_residual == 0.4
    for words in ("KKT residual 0.4 (stationarity 0.2, primal feasibility 0.3, ",
                  "dual feasibility 0.4, complementary slackness 0)"):  # fmt: skip
        assert words in str(both)


def test_an_early_stop_is_feasible_and_not_yet_complementary():
    """Pairwise steps keep box and sum; what they have to mend is the slackness."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(max_iter=3).fit(X, y)
    values = four(model, X, y)
    assert values[:3].max() < 1e-12
    assert values[3] > 0.1
