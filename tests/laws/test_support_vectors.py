"""Theorems about support vectors, margins and duals, over several machines."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from corollary import (
    SVC,
    LinearSVC,
    Nystroem,
    RBFSampler,
    SquaredHingeSVC,
)
from corollary.datasets import spirals
from corollary.kernels.feature_maps import PolynomialMap
from corollary.svm.conic_boundary import conic_boundary
from corollary.svm.hard_margin import hard_margin
from corollary.svm.pairs import ROLES


def clouds(seed=0, n=80, apart=1.5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, 2)) + apart * (y[:, None] > 0), y


def alphas(model, n):
    a = np.zeros(n)
    a[model.support_] = np.abs(model.dual_coef_[0])
    return a


# -- the dual and who is who in it -----------------------------------------------------
@pytest.mark.course("S0-26", "S2-38", "S3-64", "S4-49")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_every_row_has_the_role_that_its_multiplier_and_its_margin_say(kernel):
    X, y = clouds()
    C = 0.8
    model = SVC(C=C, kernel=kernel, tol=1e-10).fit(X, y)
    a, m = alphas(model, len(y)), y * model.decision_function(X)
    expected = np.where(a == 0, "outside", np.where(a < C, "margin", "inside"))
    expected = np.where(m < 0, "misclassified", expected)
    names = np.array(ROLES)[model.roles_]
    np.testing.assert_array_equal(names, expected)
    assert set(names) == set(ROLES)  # this data has every kind
    inside = np.flatnonzero((model.slack_ > 1e-9) & (model.slack_ <= 1))
    np.testing.assert_array_equal(np.flatnonzero(names == "inside"), inside)
    wrong = np.flatnonzero(model.slack_ > 1)
    np.testing.assert_array_equal(np.flatnonzero(names == "misclassified"), wrong)
    # the count of violated margins, what slack stands in for, is in the report
    counts = {name: int((names == name).sum()) for name in ROLES}
    facts = model.report_.facts
    assert facts["roles"] == counts
    assert facts["n_free"] == counts["margin"]
    assert facts["n_at_bound"] == (a == C).sum()


@pytest.mark.course("S0-26", "S2-38", "S3-63", "S4-46")
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_rows_that_support_nothing_may_go(kernel):
    X, y = clouds(1)
    options = {"kernel": kernel, "tol": 1e-10, "gamma": 0.5, "C": 2.0}
    whole = SVC(**options).fit(X, y)
    alone = SVC(**options).fit(X[whole.support_], y[whole.support_])
    assert len(whole.support_) < len(y)
    np.testing.assert_allclose(
        alone.decision_function(X), whole.decision_function(X), atol=1e-7
    )
    without = np.setdiff1d(
        np.arange(len(y)), whole.support_[whole.roles_[whole.support_] == 1][:1]
    )
    other = SVC(**options).fit(X[without], y[without])
    assert np.abs(other.decision_function(X) - whole.decision_function(X)).max() > 1e-4


@pytest.mark.course("S0-26", "S2-36")
def test_every_feasible_pair_obeys_weak_duality():
    X, y = clouds(2, 30)
    C, rng = 0.7, np.random.default_rng(0)
    K = rbf_kernel(X, gamma=0.5)
    best = SVC(C=C, gamma=0.5, tol=1e-10).fit(X, y).report_.objective[-1]
    for _ in range(200):
        a = rng.uniform(0, C, len(y)) * (rng.random(len(y)) < 0.5)
        up, down = a[y > 0].sum(), a[y < 0].sum()
        a[y > 0] *= min(up, down) / up
        a[y < 0] *= min(up, down) / down
        dual = a.sum() - 0.5 * (a * y) @ K @ (a * y)
        beta, b = rng.normal(size=len(y)), rng.normal()
        primal = beta @ K @ beta / 2
        primal += C * np.maximum(0, 1 - y * (K @ beta + b)).sum()
        assert dual <= best <= primal


@pytest.mark.course("S0-26", "S1-48")
def test_equal_rows_leave_the_multipliers_open_but_not_the_machine():
    """The matrix is positive semi-definite only: w is unique, its expansion is not."""
    X, y = clouds(3, 40)
    once = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)
    pairs = np.repeat(X, 2, axis=0)
    split = SVC(kernel="linear", C=0.5, tol=1e-10).fit(pairs, np.repeat(y, 2))
    np.testing.assert_allclose(split.coef_, once.coef_, atol=1e-9)
    np.testing.assert_allclose(split.intercept_, once.intercept_, atol=1e-9)
    a = alphas(split, 80).reshape(-1, 2)
    np.testing.assert_allclose(a.sum(axis=1), alphas(once, 40), atol=1e-9)
    # a row on the margin need not support it: the machine is the same without it
    line, t = np.array([[0.0, 0.0], [2.0, -1.0], [2.0, 0.0], [2.0, 1.0]]), [-1, 1, 1, 1]
    for rows in ([0, 1, 2, 3], [0, 1, 3], [0, 2]):
        found = SVC(kernel="linear", C=10.0, tol=1e-10)
        found.fit(line[rows], np.array(t)[rows])
        np.testing.assert_allclose(found.decision_function(line), t, atol=1e-9)
        np.testing.assert_allclose(found.coef_, [[1.0, 0.0]], atol=1e-9)


# -- hard and soft, and the power of slack ---------------------------------------------
@pytest.mark.course("S3-63", "S4-46", "S4-44")
def test_the_example_of_six_points():
    """The exact multipliers; rounded ones of a slide do not even sum to 0."""
    X = np.array([[1.0, 6], [1, 10], [4, 11], [5, 2], [7, 6], [10, 4]])
    y = np.array([1, 1, 1, -1, -1, -1])
    found = hard_margin(X, y)
    exact = np.array([8 / 225, 0, 0.04, 0, 17 / 225, 0])
    np.testing.assert_allclose(found.alpha, exact, atol=1e-10)
    np.testing.assert_allclose(found.coef, [-1 / 3, 1 / 5], atol=1e-9)
    assert found.intercept == pytest.approx(2 / 15)
    assert found.width == pytest.approx(5.144957554275265)
    assert found.support.tolist() == [0, 2, 4]
    b = y - X @ found.coef  # of every support vector the same
    np.testing.assert_allclose(b[found.support], 2 / 15, atol=1e-9)
    assert found.primal == pytest.approx(exact.sum() / 2)
    assert found.dual == pytest.approx(found.primal)
    rounded = np.array([0.036, 0, 0.039, 0, 0.076, 0])
    assert abs(rounded @ y) > 1e-4
    assert abs(found.alpha @ y) < 1e-12
    m = y * (X @ found.coef + found.intercept)
    np.testing.assert_allclose(found.alpha * (m - 1), 0, atol=1e-10)  # KKT


@pytest.mark.course("S4-44")
def test_three_forms_of_the_largest_margin_have_one_hyperplane():
    """Margins of unit normals, of any normals, and the quadratic programme."""
    X, y = clouds(4, 30, apart=6.0)
    found = hard_margin(X, y)
    angles = np.linspace(0, 2 * np.pi, 200_001)
    W = np.column_stack([np.cos(angles), np.sin(angles)])  # unit normals
    F = X @ W.T
    geometric = (F[y > 0].min(axis=0) - F[y < 0].max(axis=0)) / 2  # with the best b
    best = geometric.argmax()
    assert found.margin == pytest.approx(geometric[best], rel=1e-8)
    np.testing.assert_allclose(
        W[best], found.coef / np.linalg.norm(found.coef), atol=1e-4
    )
    assert found.margin == pytest.approx(1 / np.linalg.norm(found.coef))
    functional = (y * (X @ (3 * found.coef) + 3 * found.intercept)).min()
    assert functional / np.linalg.norm(3 * found.coef) == pytest.approx(found.margin)


@pytest.mark.course("S0-25", "S4-12")
def test_a_higher_price_hardens_and_a_lower_one_ignores_an_outlier():
    X, y = clouds(5, 40, apart=6.0)
    X, y = np.vstack([X, [[4.0, 4.0]]]), np.append(y, -1)  # separable, but just so
    hard = hard_margin(X, y)
    assert hard.separable
    without = hard_margin(X[:-1], y[:-1])
    models = [SVC(kernel="linear", C=C, tol=1e-9).fit(X, y) for C in (1e-2, 1e4)]
    np.testing.assert_allclose(models[1].coef_[0], hard.coef, atol=1e-6)
    assert models[1].slack_.max() < 1e-6
    assert models[0].slack_[-1] > 1  # the outlier is given up
    soft = models[0].margin_
    assert soft > without.margin > 2 * hard.margin
    linear = [
        LinearSVC(loss="hinge", C=C, intercept_scaling=1e3, tol=1e-8).fit(X, y)
        for C in (1e-2, 1e4)
    ]
    assert linear[0].margins_[0] > without.margin > 2 * linear[1].margins_[0]
    for model, peer in zip(linear, models, strict=True):
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)


@pytest.mark.course("S0-25", "S1-48")
def test_squared_slack_gives_an_outlier_more_weight():
    """The farther it is the more it pulls: with plain slack its pull has a ceiling."""
    X, y = clouds(6, 60, apart=3.0)
    Z, t = np.vstack([X, [[6.0, 6.0]]]), np.append(y, -1)
    turned = {}
    for machine in (SVC, SquaredHingeSVC):
        options = {"kernel": "linear", "C": 0.1, "tol": 1e-9}
        before, model = machine(**options).fit(X, y), machine(**options).fit(Z, t)
        a = alphas(model, len(t))
        turned[machine] = np.linalg.norm(model.coef_ - before.coef_) / np.linalg.norm(
            before.coef_
        )
        if machine is SVC:
            assert a[-1] == a.max() == 0.1  # no more than any other wrong row
        else:
            assert a[-1] == pytest.approx(2 * 0.1 * model.slack_[-1])
            assert a[-1] > 2 * np.sort(a)[-2]
    assert turned[SquaredHingeSVC] > 2 * turned[SVC]


# -- the kernel trick ------------------------------------------------------------------
@pytest.mark.course("S0-32", "S3-69", "S0-29", "S4-47")
@pytest.mark.parametrize(("degree", "constant"), [(2, 1.0), (2, 0.0), (3, 0.5)])
def test_a_polynomial_machine_is_a_linear_one_in_its_features(degree, constant):
    X, y = clouds(7)
    kernel = SVC(
        kernel="poly", degree=degree, gamma=1.0, coef0=constant, C=0.3, tol=1e-9
    ).fit(X, y)
    lift = PolynomialMap(degree, constant)
    linear = SVC(kernel="linear", C=0.3, tol=1e-9).fit(lift(X), y)
    query, _ = clouds(8)
    scores = linear.decision_function(lift(query))
    np.testing.assert_allclose(
        kernel.decision_function(query), scores, atol=1e-6 * np.abs(scores).max()
    )
    K = polynomial_kernel(query, kernel.support_vectors_, degree, 1.0, constant)
    by_hand = K @ kernel.dual_coef_[0] + kernel.intercept_  # the offset is in it
    np.testing.assert_allclose(kernel.decision_function(query), by_hand, rtol=1e-9)
    assert kernel.report_.facts["n_rows_kept"] == len(kernel.support_)
    assert f"{len(kernel.support_)} of {len(y)}" in str(kernel.report_)


@pytest.mark.course("S0-30")
def test_the_conic_may_be_a_parabola():
    """Vectors (1, 0), (0, 2), (0, -2) of pull 1, 1/2, -1/2."""
    X, y = clouds(9)
    model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=3.0).fit(X, y)
    model.support_vectors_ = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    model.support_ = np.arange(3)
    model.dual_coef_ = np.array([[1.0, 0.5, -0.5]])
    model.n_support_ = np.array([1, 2])
    conic = conic_boundary(model)
    assert conic.kind == "parabola"
    np.testing.assert_allclose(conic(X), model.decision_function(X), rtol=1e-10)
    x, z = X.T
    by_hand = x**2 + 6 * x + 12 * z + 9 + model.intercept_[0]  # c^2, not c
    np.testing.assert_allclose(conic(X), by_hand, rtol=1e-10)


@pytest.mark.course("S3-66", "S3-69")
def test_two_spirals_are_for_the_gaussian_kernel():
    X, y = spirals(400, random_state=0)
    train, test = slice(0, 200), slice(200, None)
    search = GridSearchCV(
        SVC(C=100.0, gamma=30.0),
        {"kernel": ["linear", "rbf"], "C": [1.0, 100.0]},
        cv=4,
    ).fit(X[train], y[train])
    assert search.best_params_["kernel"] == "rbf"
    assert search.score(X[test], y[test]) > 0.95
    line = SVC(kernel="linear").fit(X[train], y[train])
    assert line.score(X[test], y[test]) < 0.8


@pytest.mark.course("S3-69", "S1-52")
def test_features_stand_in_for_the_kernel_where_rows_are_many():
    """Random and landmark features with a linear machine come to the kernel's."""
    X, y = spirals(400, random_state=1)
    exact = SVC(C=100.0, gamma=30.0).fit(X, y).score(X, y)
    for features in (
        RBFSampler(gamma=30.0, n_components=200, random_state=0),
        Nystroem(gamma=30.0, n_components=100, random_state=0),
    ):
        model = make_pipeline(features, LinearSVC(C=10.0, tol=1e-2)).fit(X, y)
        assert model.score(X, y) > exact - 0.03
    few = make_pipeline(
        RBFSampler(gamma=30.0, n_components=5, random_state=0), LinearSVC()
    )
    assert few.fit(X, y).score(X, y) < exact - 0.1
