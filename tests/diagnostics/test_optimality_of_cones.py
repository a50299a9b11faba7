"""Gaps where the coefficients, the columns or the rows are bound.

Coefficients >= 0, columns that targets share, margins that no row may miss, the scale
of Huber's regression, and criteria whose minimum is 0.  The truth is the objective in
plain NumPy at what a model publishes, less a minimum that an interior-point method or
active sets find.
"""

import itertools

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from oracles import convex_objectives as oracle
from oracles import convex_programs as programs
from scipy.optimize import nnls
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge

import corollary
from corollary import (
    SVC,
    BatchPerceptron,
    ElasticNet,
    ElasticNetCV,
    HardMarginSVC,
    HuberRegressor,
    KernelPerceptron,
    KernelRidge,
    Lasso,
    LassoCV,
    LassoLars,
    LinearRegression,
    LogisticRegression,
    MSEProcedure,
    MultiTaskElasticNet,
    MultiTaskLasso,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    Standardized,
    config_context,
)
from corollary.core.errors import DataError, MemoryLimitError
from corollary.diagnostics import (
    algorithm_or_objective,
    optimality_gap,
    penalized_objective,
)

ROUNDING = 1e-12  # of the terms of an objective
TIGHT = 1e-6  # of the objective, the excess of a gap over the truth
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning"
)


class Draw:
    """Random rows with intercept, weights, and targets that pull some w below 0."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 60)), int(rng.integers(2, 6))
        self.X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-0.5, 0.5, size=d)
        if seed % 4 == 0:
            self.X[:, 1] = self.X[:, 0]  # columns that follow from others
        self.t = self.X @ rng.normal(size=d) + rng.normal(size=n) + 1
        self.w = np.ones(n) if seed % 2 else rng.integers(0, 4, size=n) + 0.0
        self.w[:4] = 1.0
        self.free = bool(rng.random() < 0.7)

    def moved(self, model, low=-np.inf):
        """Move the coefficients by a random step, of any size."""
        size, at = 10 ** self.rng.uniform(-6, 0), model.coef_
        model.coef_ = np.maximum(at + size * self.rng.normal(size=at.shape), low)
        return model


def proved(model, X, y, w, value, least, early):
    """Hold a proof to the truth."""
    proof = optimality_gap(model, X, y, w)
    assert proof.primal == pytest.approx(value, rel=1e-9)
    assert proof.gap >= value - least - ROUNDING * value
    assert proof.gap <= (1 + TIGHT) * (value - least) + TIGHT * value
    if not early:
        assert proof.gap <= TIGHT * value
        assert proof.kkt_residual <= 1e-4 * (1 + value)
    return proof


# -- coefficients >= 0 -----------------------------------------------------------------
def positive_truth(model, X, y, w, l1, l2, free):
    """Return (1) and its minimum over b >= 0, by an interior-point method."""
    n, d = X.shape
    F, share = np.column_stack([X, np.full(n, float(free))]), w / w.sum()
    ridge = np.append(np.full(d, l2), 0.0 if free else 1.0)
    Q = F.T @ (share[:, None] * F) + np.diag(ridge)
    q = np.append(np.full(d, l1), 0.0) - F.T @ (share * y)

    def value(z):
        r, b = y - F @ z, z[:-1]
        return float(0.5 * share @ r**2 + l1 * b.sum() + 0.5 * l2 * b @ b)

    z = programs.solve(Q, q, -np.eye(d + 1)[:d], np.zeros(d))
    here = np.append(model.coef_, np.ravel(model.intercept_)[0])
    return value(here), value(np.append(np.maximum(z[:d], 0.0), z[d]))


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("library", [corollary, sk], ids=["ours", "theirs"])
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_a_positive_elastic_net_is_the_truth(library, rho, early):
    for seed in range(8):
        draw = Draw(seed)
        alpha = float(10 ** draw.rng.uniform(-3, 0))
        limits = {"max_iter": 2} if early else {"tol": 1e-12, "max_iter": 10**5}
        model = library.ElasticNet(
            alpha, l1_ratio=rho, positive=True, fit_intercept=draw.free, **limits
        ).fit(draw.X, draw.t, draw.w)
        if early and seed % 2:
            draw.moved(model, low=0.0)
        rows = draw.X, draw.t, draw.w
        strengths = alpha * rho, alpha * (1 - rho)
        truth = positive_truth(model, *rows, *strengths, draw.free)
        proved(model, *rows, *truth, early)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("library", [corollary, sk], ids=["ours", "theirs"])
@pytest.mark.parametrize("alpha", [None, 0.0, 3.0])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_positive_least_squares_is_the_truth(library, alpha, early):
    for seed in range(8):
        draw = Draw(seed)
        make = library.LinearRegression if alpha is None else library.Ridge
        more = {} if alpha is None else {"alpha": alpha, "tol": 1e-12}
        model = make(positive=True, fit_intercept=draw.free, **more)
        model.fit(draw.X, draw.t, draw.w)
        if early:
            draw.moved(model, low=0.0)
            model.coef_ *= draw.rng.random(model.coef_.shape) < 0.5  # leave some out
        rows = draw.X, draw.t, draw.w
        l2 = (alpha or 0.0) / draw.w.sum()
        truth = positive_truth(model, *rows, 0.0, l2, draw.free)
        # sklearn's Ridge is L-BFGS-B and stops where it likes
        proved(model, *rows, *truth, early or (library is sk and alpha is not None))


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("of_constant", [False, True])
@pytest.mark.parametrize("p", [None, [2.0, 0.5, 1.0], [0.0, 3.0, 1.0], [0.0, 0.0, 0.0]])
def test_every_parameter_of_a_positive_ridge_counts(positive, of_constant, p):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(40, 3)), rng.integers(0, 3, size=40) + 0.0
    for t in (X @ [1.0, -1.0, 0.5] + 3, X @ [-1.0, 1.0, 0.2] - 3):
        t = t + rng.normal(size=40)
        model = Ridge(
            2.0, positive=positive, penalize_intercept=of_constant, penalty_weights=p
        ).fit(X, t, w)
        weights = np.append(np.ones(3) if p is None else p, float(of_constant))
        F = np.column_stack([X, np.ones(40)]) * np.sqrt(w)[:, None]
        A = np.vstack([F, np.diag(np.sqrt(2.0 * weights))])
        goal = np.append(np.sqrt(w) * t, np.zeros(4))
        if positive:
            z = nnls(np.column_stack([A, -A[:, 3]]), goal)[0]
            z = np.append(z[:3], z[3] - z[4])
        else:
            z = np.linalg.lstsq(A, goal, rcond=None)[0]
        least = 0.5 * ((A @ z - goal) ** 2).sum() / w.sum()
        for step in (0.0, 0.1):
            model.coef_ = model.coef_ + step
            here = np.append(model.coef_, model.intercept_)
            value = 0.5 * ((A @ here - goal) ** 2).sum() / w.sum()
            proved(model, X, t, w, value, least, step > 0)
        assert penalized_objective(model, X, t, w) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        Lasso(0.1, positive=True, tol=1e-12),
        LassoCV(positive=True, tol=1e-12),
        ElasticNetCV(positive=True, l1_ratio=0.4, tol=1e-12),
        LassoLars(0.1, positive=True),
        RidgeClassifier(positive=True),
        Standardized(Lasso(0.1, positive=True, tol=1e-12)),
        sk.LassoCV(positive=True, tol=1e-12),
    ],
    ids=lambda m: f"{type(m).__module__[:2]}-{m}"[:40],
)
def test_every_positive_fit_has_a_closed_gap(model):
    draw = Draw(1)
    y = np.where(draw.t > 1, 2.0, -3.0) if "Classifier" in str(model) else draw.t
    model.fit(draw.X, y)
    best = optimality_gap(model, draw.X, y)
    assert best.gap <= TIGHT * best.primal
    assert best.kkt_residual <= TIGHT
    if not isinstance(model, Standardized):  # whose means need dense rows
        sparse = optimality_gap(model, sp.csr_array(draw.X), y)
        assert sparse.gap <= TIGHT * best.primal
    model.coef_ = model.coef_ + 0.1
    worse = optimality_gap(model, draw.X, y)
    truth = worse.primal - best.primal
    assert worse.gap == pytest.approx(truth, abs=2 * TIGHT * best.primal)
    assert worse.kkt_residual > 1e-3
    model.coef_ = model.coef_ - 1e3
    with pytest.raises(DataError, match="coef_ must be >= 0 for positive=True of"):
        optimality_gap(model, draw.X, y)


def test_the_units_of_positive_columns_do_not_matter():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(50, 4)), rng.normal(size=50)
    t += X @ [1.0, 2.0, -1.0, 0.5]
    for alpha in (0.0, 1.0):
        plain = Ridge(alpha, positive=True).fit(X, t)
        best, unit = optimality_gap(plain, X, t), np.array([1e-6, 1e6, 1e3, 1e-3])
        plain.coef_, plain.penalty_weights = plain.coef_ / unit * 1.1, unit**2
        proof = optimality_gap(plain, X * unit, t)
        assert proof.dual == pytest.approx(best.primal, rel=1e-9)
        assert proof.gap == pytest.approx(proof.primal - best.primal, rel=1e-6)


def test_a_minimum_without_a_penalty_is_proved_too():
    """Lasso(0) is least squares, and `SGDClassifier` may have no penalty."""
    draw = Draw(1)
    y, rows = draw.t > 1, (draw.X, draw.t)
    best = optimality_gap(LinearRegression().fit(*rows), *rows).primal
    for model in (Lasso(0.0, tol=1e-14), ElasticNet(0.0, tol=1e-14)):
        proof = optimality_gap(model.fit(*rows), *rows)
        assert proof.dual <= best <= proof.primal * (1 + ROUNDING)
        assert proof.gap <= TIGHT * best
    model = SGDClassifier("log_loss", penalty=None, random_state=0).fit(draw.X, y)
    finer = LogisticRegression(C=np.inf, tol=1e-10).fit(draw.X, y)
    least = optimality_gap(finer, draw.X, y)
    proof = optimality_gap(model, draw.X, y)
    assert proof.gap == pytest.approx(proof.primal - least.primal, rel=1e-3)
    assert optimality_gap(RidgeClassifier(0.0).fit(draw.X, y), draw.X, y).gap < 1e-12


@pytest.mark.parametrize("penalty", [None, "l1"])
def test_the_hinge_without_squares_is_a_linear_programme(penalty):
    draw = Draw(3)
    s, n = np.where(draw.t > 1, 1.0, -1.0), len(draw.t)
    s[:5] *= -1
    model = SGDClassifier("hinge", penalty=penalty, alpha=0.05, random_state=0)
    model.fit(draw.X, s)
    l1 = 0.0 if penalty is None else 0.05
    F = np.column_stack([draw.X, np.ones(n)])
    value = np.maximum(0, 1 - s * (F @ np.append(model.coef_, model.intercept_))).mean()
    value += l1 * np.abs(model.coef_).sum()
    d = draw.X.shape[1]
    cost = np.concatenate([np.full(2 * d, l1), [0.0], np.full(n, 1 / n)])
    G = s[:, None] * np.column_stack([draw.X, -draw.X, np.ones(n)])
    A = np.vstack([np.hstack([-G, -np.eye(n)]), -np.eye(2 * d + 1 + n)])
    A = np.delete(A, n + 2 * d, axis=0)  # the intercept may be of either sign
    Q, h = np.zeros((len(cost),) * 2), np.append(-np.ones(n), np.zeros(len(A) - n))
    z = programs.solve(Q, cost, A, h)
    proof = optimality_gap(model, draw.X, s)
    assert proof.primal == pytest.approx(value, rel=1e-12)
    assert proof.dual == pytest.approx(cost @ z, rel=1e-6)


# -- columns that targets share --------------------------------------------------------
@pytest.mark.course("S2-36")
@pytest.mark.parametrize("library", [corollary, sk], ids=["ours", "theirs"])
@pytest.mark.parametrize("rho", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_targets_together_is_the_truth(library, rho, early):
    for seed in range(1, 6):
        draw = Draw(seed)
        Y = np.column_stack([draw.t, draw.rng.normal(size=len(draw.t))])
        alpha = float(10 ** draw.rng.uniform(-2, 0))
        limits = {"max_iter": 1} if early else {"tol": 1e-12, "max_iter": 10**5}
        model = library.MultiTaskElasticNet(
            alpha, l1_ratio=rho, fit_intercept=draw.free, **limits
        )
        w = draw.w if library is corollary else None
        weight = {} if w is None else {"sample_weight": w}
        model.fit(draw.X, Y, **weight)
        if early and seed % 2:
            draw.moved(model)
        o = np.ones(len(Y)) if w is None else w
        strengths = alpha * rho, alpha * (1 - rho)
        truth = oracle.multi_task(model, draw.X, Y, o, *strengths)
        proved(model, draw.X, Y, w, *truth, early)
        with pytest.raises(DataError, match="2 targets of the fit"):
            optimality_gap(model, draw.X, np.column_stack([Y, Y]))


def test_targets_together_are_not_targets_one_by_one():
    draw = Draw(2)
    Y = np.column_stack([draw.t, -2 * draw.t])
    model = MultiTaskLasso(0.3, tol=1e-12).fit(draw.X, Y)
    together = optimality_gap(model, draw.X, Y)
    each = [Lasso(0.3, tol=1e-12).fit(draw.X, y) for y in Y.T]
    model.coef_ = np.array([one.coef_ for one in each])
    model.intercept_ = np.array([one.intercept_ for one in each])
    assert optimality_gap(model, draw.X, Y).gap > 1e-4 > 1e-9 > together.gap
    ridge = MultiTaskElasticNet(0.3, l1_ratio=0.0, tol=1e-14).fit(draw.X, Y)
    assert optimality_gap(ridge, draw.X, Y).gap < 1e-6


@pytest.mark.filterwarnings("ignore:Singular matrix in solving dual problem")
@pytest.mark.parametrize("make", [KernelRidge, TheirKernelRidge])
@pytest.mark.parametrize("alpha", [0.7, [0.7, 2.0], 0.0])
def test_the_targets_of_kernel_ridge_are_proved_together(make, alpha):
    draw = Draw(1)
    Y = np.column_stack([draw.t, draw.t**2])
    model = make(alpha=alpha, kernel="linear").fit(draw.X, Y)
    proof = optimality_gap(model, draw.X, Y)
    assert proof.gap <= 1e-9 * proof.primal
    each = [make(alpha=a, kernel="linear") for a in np.broadcast_to(alpha, 2)]
    parts = [
        optimality_gap(one.fit(draw.X, y), draw.X, y)
        for one, y in zip(each, Y.T, strict=True)
    ]
    assert proof.primal == pytest.approx(sum(p.primal for p in parts), rel=1e-9)
    model.dual_coef_ = 0.9 * model.dual_coef_
    worse = optimality_gap(model, draw.X, Y)
    assert worse.gap >= worse.primal - proof.primal > 0
    with pytest.raises(DataError, match="y must have the 2 targets of the fit"):
        optimality_gap(model, draw.X, draw.t)


# -- Huber's regression ----------------------------------------------------------------
def huber_truth(model, X, y, w):
    """Return the objective and its minimum, by second-order cones (Clarabel).

    sigma H(r/sigma) is the least a^2/sigma + 2 epsilon |r - a| over a.
    """
    n, d = X.shape
    free, e = float(model.fit_intercept), model.epsilon
    F = np.column_stack([X, np.full(n, free)])
    z, scale = np.append(model.coef_, model.intercept_), model.scale_
    size = np.abs(F @ z - y) / scale
    H = np.where(size <= e, size**2, 2 * e * size - e * e)
    value = float(w @ (scale + scale * H) + model.alpha * model.coef_ @ model.coef_)
    m = d + 2 + 3 * n
    E = np.eye(m)
    beta, sigma, a, u, p = np.split(E, np.cumsum([d + 1, 1, n, n]))
    q = w.sum() * sigma[0] + w @ u + 2 * e * (w @ p)
    Q = np.diag(np.append(np.full(d, 2 * model.alpha), np.zeros(m - d)))
    r = F @ beta - a
    cones = np.stack([-(u + sigma), -(u - sigma), -2 * a], axis=1).reshape(-1, m)
    A = np.vstack([r - p, -r - p, cones])
    h = np.concatenate([y, -y, np.zeros(3 * n)])
    kinds = [clarabel.NonnegativeConeT(2 * n)] + [clarabel.SecondOrderConeT(3)] * n
    found = programs.solve(Q, q, A, h, kinds)
    return value, float(q @ found + 0.5 * found @ Q @ found)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("library", [corollary, sk], ids=["ours", "theirs"])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_hubers_regression_is_the_truth(library, alpha, early):
    for seed in range(1, 6):
        draw = Draw(seed)
        X, t = draw.X, draw.t.copy()
        t[:3] += 30.0
        limits = {"max_iter": 2} if early else {"tol": 1e-7, "max_iter": 10**5}
        model = library.HuberRegressor(
            alpha=alpha, fit_intercept=draw.free, **limits
        ).fit(X, t, draw.w)
        if early and seed % 2:
            draw.moved(model)
            model.scale_ *= float(10 ** draw.rng.uniform(-1, 1))
        truth = huber_truth(model, X, t, draw.w)
        proof = optimality_gap(model, X, t, draw.w)
        assert proof.primal == pytest.approx(truth[0], rel=1e-9)
        true = truth[0] - truth[1]
        assert true - 1e-8 * truth[0] <= proof.gap <= true + TIGHT * truth[0]
        assert early or proof.gap <= TIGHT * truth[0]


def test_the_parameters_of_now_state_hubers_problem():
    draw = Draw(1)
    model = HuberRegressor(tol=1e-9).fit(draw.X, draw.t)
    assert optimality_gap(model, draw.X, draw.t).gap < 1e-8
    for change in ({"epsilon": 1.1}, {"alpha": 5.0}, {"fit_intercept": False}):
        other = HuberRegressor(tol=1e-9).fit(draw.X, draw.t).set_params(**change)
        best = HuberRegressor(tol=1e-9, **change).fit(draw.X, draw.t)
        here, there = (optimality_gap(m, draw.X, draw.t) for m in (other, best))
        assert here.gap >= here.primal - there.primal - 1e-9
        assert here.gap > 1e-3


# -- margins that no row may miss ------------------------------------------------------
def parted(seed):
    """Return rows of two classes that a plane parts, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = np.where(X @ [1.0, -0.5, 0.3] > 0.2, "yes", "no")
    X[y == "yes"] += 0.3
    w = rng.integers(0, 3, size=40) + 0.0
    return X, y, w, rng


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.5},
    {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
]


@pytest.mark.course("S2-36", "S0-24")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
@pytest.mark.parametrize("tol", [1e-10, 1e-3, 0.3])
def test_the_gap_of_a_hard_margin_is_not_below_the_truth(kernel, tol):
    for seed in range(5):
        X, y, w, rng = parted(seed)
        heavy = w > 0
        model = HardMarginSVC(tol=tol, **kernel).fit(X, y, w)
        assert model.separable_
        for step in (0.0, 1e-8, 1e-4, 1e-2):
            size = np.abs(model.dual_coef_).max()
            model.dual_coef_ = model.dual_coef_ + step * size * rng.normal(
                size=model.dual_coef_.shape
            )
            model.intercept_ = model.intercept_ + step * rng.normal()
            small = HardMarginSVC(**kernel).fit(X[heavy], y[heavy])
            a = np.zeros(len(y))
            a[model.support_] = model.dual_coef_[0]
            small.support_, small.dual_coef_ = np.arange(heavy.sum()), a[None, heavy]
            small.intercept_, small.gamma_ = model.intercept_, model.gamma_
            s = np.where(y[heavy] == "yes", 1, -1)
            f = oracle.gram(model, X[heavy]) @ a[heavy] + model.intercept_[0]
            if (s * f).min() <= 0:
                continue
            value, least = oracle.hard_margin(small, X[heavy], y[heavy])
            proof = optimality_gap(model, X, y, w)
            assert proof.primal == pytest.approx(value, rel=1e-9)
            assert proof.gap >= value - least - 1e-9 * value
            if tol < 1e-6 and not step:
                assert proof.gap <= 1e-8 * value
                assert proof.kkt_residual <= 1e-6


@pytest.mark.course("S2-36")
def test_a_hyperplane_that_misses_a_margin_is_scaled_until_it_does_not():
    X, y = np.array([[-1.0], [1.0], [3.0]]), np.array([0, 1, 1])
    model = HardMarginSVC(kernel="linear", tol=1e-12).fit(X, y)  # w = 1, b = 0
    assert optimality_gap(model, X, y).primal == pytest.approx(0.5)
    model.intercept_ = np.array([-0.2])  # the nearest row has 0.8
    proof = optimality_gap(model, X, y)
    assert proof.primal == pytest.approx(0.5 / 0.8**2)
    assert proof.gap == pytest.approx(0.5 / 0.8**2 - 0.5)
    assert proof.kkt_residual == pytest.approx(0.2)
    model.intercept_, model.dual_coef_ = np.zeros(1), 2 * model.dual_coef_
    wide = optimality_gap(model, X, y)  # every row has 2, which is not the least w
    assert wide.primal == pytest.approx(2.0)
    assert wide.gap == pytest.approx(1.5)


@pytest.mark.course("S2-36")
def test_several_classes_with_hard_margins_add_up():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(45, 2)), np.arange(45) % 3
    X += 5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y]
    model = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y)
    least = 0.0
    for a, b in itertools.combinations(range(3), 2):
        some = (y == a) | (y == b)
        pair = HardMarginSVC(kernel="linear", tol=1e-9).fit(X[some], y[some])
        least += oracle.hard_margin(pair, X[some], y[some])[1]
    proof = optimality_gap(model, X, y)
    assert proof.primal == pytest.approx(least, rel=1e-7)
    assert proof.gap <= 1e-7 * least


def test_without_a_separating_hyperplane_nothing_is_proved():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    with pytest.warns(match="no hyperplane separates"):
        model = HardMarginSVC(kernel="linear").fit(X, y)
    assert model.separable_ is False
    with pytest.raises(DataError, match="must separate the classes; got a margin of"):
        optimality_gap(model, X, y)


# -- squared errors of margins, and perceptrons ----------------------------------------
@pytest.mark.course("S2-36")
@pytest.mark.parametrize("margins", [1.0, 2.5, "fisher", np.linspace(0.5, 2, 40)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_squared_error_of_margins_is_proved(margins, fit_intercept):
    X, y, w, _ = parted(0)
    model = MSEProcedure(margins=margins, fit_intercept=fit_intercept).fit(X, y, w)
    s = np.where(y == "yes", 1.0, -1.0)
    b = margins
    if isinstance(margins, str):
        b = w.sum() / np.where(s > 0, w[s > 0].sum(), w[s < 0].sum())
    F = np.column_stack([X, np.full(40, float(fit_intercept))])
    root, goal = np.sqrt(w), s * b
    a = np.linalg.lstsq(root[:, None] * F, root * goal, rcond=None)[0]
    least = 0.5 * w @ (F @ a - goal) ** 2 / w.sum()
    for step in (0.0, 0.1):
        model.coef_ = model.coef_ + step
        here = F @ np.append(model.coef_, model.intercept_)
        value = 0.5 * w @ (here - goal) ** 2 / w.sum()
        proved(model, X, y, w, value, least, step > 0)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(output="averaged", max_iter=3, tol=None),
        BatchPerceptron(max_iter=3),
        KernelPerceptron(kernel="linear", max_iter=1),
        sk.Perceptron(max_iter=3, tol=None),
    ],
    ids=lambda m: f"{type(m).__module__[:2]}-{m}"[:40],
)
def test_the_gap_of_a_perceptron_is_its_criterion(model):
    X, y, w, rng = parted(0)
    noisy = y.copy()
    noisy[rng.random(40) < 0.2] = "yes"
    w = np.maximum(w, 1.0)
    s = np.where(noisy == "yes", 1.0, -1.0)
    o = (
        np.ones(40) if isinstance(model, sk.Perceptron) else w
    )  # which visits a row once
    model.fit(X, noisy, sample_weight=o)
    J = o @ np.maximum(0.0, -s * model.decision_function(X))
    summed = isinstance(model, BatchPerceptron | KernelPerceptron)
    proof = optimality_gap(model, X, noisy, o)
    assert proof.primal == pytest.approx(J if summed else J / o.sum(), rel=1e-9)
    assert proof.dual == 0.0  # at a = 0
    assert proof.gap == proof.primal > 0
    assert proof.kkt_residual > 1e-3


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("make", [Perceptron, BatchPerceptron, KernelPerceptron])
def test_a_perceptron_that_separates_is_at_the_minimum(make):
    X, y, _, _ = parted(0)
    proof = optimality_gap(make(max_iter=10**4).fit(X, y), X, y)
    assert proof.primal == proof.dual == proof.gap == proof.kkt_residual == 0.0
    if make is not BatchPerceptron:
        three = np.digitize(X[:, 0], [-0.5, 0.5])
        model = make(max_iter=5).fit(X, three)
        Z, own = model.decision_function(X), three[:, None] == np.arange(3)
        J = np.maximum(0.0, -np.where(own, Z, -Z)).sum()
        J /= 40 if make is Perceptron else 1
        assert optimality_gap(model, X, three).primal == pytest.approx(J, rel=1e-9)


# -- others ----------------------------------------------------------------------------
@pytest.mark.parametrize("scaling", [1.0, 3.0])
@pytest.mark.parametrize("rho", [0, 1])
def test_an_intercept_that_liblinear_penalises_is_part_of_the_problem(scaling, rho):
    X, y, _, rng = parted(1)
    y = np.where(rng.random(40) < 0.2, "no", y)
    model = sk.LogisticRegression(
        solver="liblinear", l1_ratio=rho, intercept_scaling=scaling, tol=1e-9,
        max_iter=10**5, C=2.0,
    ).fit(X, y)  # fmt: skip
    F = np.column_stack([X, np.full(40, scaling)])
    z = np.append(model.coef_, model.intercept_ / scaling)
    s = np.where(y == "yes", 1.0, -1.0)
    norm = np.abs(z).sum() if rho else 0.5 * z @ z
    value = (np.logaddexp(0.0, -s * (F @ z)).sum() + norm / 2.0) / 40
    proof = optimality_gap(model, X, y)
    assert proof.primal == pytest.approx(value * 1.0, rel=1e-12)
    assert proof.gap <= 1e-6 * value
    model.intercept_ = model.intercept_ + 0.1
    worse = optimality_gap(model, X, y)
    assert worse.gap >= worse.primal - proof.primal > 1e-6


def test_a_standardized_model_is_proved_at_its_coefficients():
    draw = Draw(1)
    for inside in (Lasso(0.1, tol=1e-12), Ridge(2.0), ElasticNet(0.1, tol=1e-12)):
        model = Standardized(inside).fit(draw.X, draw.t, sample_weight=draw.w)
        Z = model.scaler_.transform(draw.X)
        own = optimality_gap(model.estimator_, Z, draw.t, draw.w)
        proof = optimality_gap(model, draw.X, draw.t, draw.w)
        assert proof.primal == pytest.approx(own.primal, rel=1e-12)
        assert proof.gap <= 1e-9 * proof.primal
    rival = LinearRegression().fit(draw.X, draw.t)
    found = algorithm_or_objective(model, rival, draw.X, draw.t, sample_weight=draw.w)
    assert found.objectives[0] < found.objectives[1]
    y = draw.t > 1
    machine = Standardized(SVC(kernel="linear", tol=1e-9)).fit(draw.X, y)
    assert optimality_gap(machine, draw.X, y).gap < 1e-6


@pytest.mark.parametrize("kind", ["lasso", "huber"])
def test_sparse_rows_that_do_not_fit_in_full_are_refused_beforehand(kind):
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 20_000), density=1e-3, rng=rng, format="csr")
    y = rng.normal(size=300)
    if kind == "lasso":
        model = Lasso(alpha=1e-3, positive=True).fit(X, y)
        model.coef_ = model.coef_ / 2  # far from the best, so that a search is needed
    else:
        model = HuberRegressor().fit(X[:, :50], y)
        X = sp.csr_array(sp.vstack([X[:, :50]] * 200))
        y = np.tile(y, 200)
    with config_context(memory_limit="20MB"):
        with pytest.raises(MemoryLimitError, match="written in full"):
            optimality_gap(model, X, y)
