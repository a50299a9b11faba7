import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
import statsmodels.api as statsmodels
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, check_grad, minimize
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from corollary import (
    GradientDescentRegressor,
    LogisticRegression,
    Ridge,
    StopReason,
    datasets,
    load,
    save,
)
from corollary.core.errors import DataError, ParameterError
from corollary.objectives.links import LINKS, Logit
from corollary.objectives.losses import Logistic
from corollary.objectives.penalties import Penalty
from corollary.solvers import GradientDescent, linear_problem
from corollary.solvers import minimize as descend


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
    assert free.report_.facts["separability"] == "separable"
    assert "the likelihood has no maximum" in free.report_.warnings[0]
    held = LogisticRegression(C=1.0).fit(X, y)
    assert held.report_.stop is StopReason.CONVERGED
    assert held.report_.warnings == []
    assert np.abs(free.coef_).max() > 3 * np.abs(held.coef_).max()


@pytest.mark.course("S4-9")
def test_overlapping_classes_are_not_called_separable():
    X, y = make()
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert "separability" not in model.report_.facts
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
    for bad in (-0.1, 1.5):
        with pytest.raises(
            ParameterError, match=r"l1_ratio must be None or a number in"
        ):
            LogisticRegression(l1_ratio=bad).fit(X, y)
    for bad in (0, -1.0, np.nan):
        with pytest.raises(ParameterError, match="C must be a number > 0"):
            LogisticRegression(C=bad).fit(X, y)
    with pytest.raises(DataError, match="sample_weight must be >= 0; got -1 in row 0"):
        LogisticRegression().fit(X, y, np.r_[-1.0, np.ones(len(y) - 1)])
    with pytest.raises(
        DataError, match="at least 2 classes in the data; got one class"
    ):
        LogisticRegression().fit(X, y, (y == 1).astype(float))
    with pytest.raises(DataError, match=r"at least 2 classes .* weight > 0; got 1"):
        LogisticRegression(class_weight={0: 0.0}).fit(X, y)
    with pytest.raises(ParameterError, match="class_weight must be >= 0; got -2"):
        LogisticRegression(class_weight={0: -2.0}).fit(X, y)


@pytest.mark.parametrize(
    ("options", "k", "words"),
    [
        (
            {"l1_ratio": 1, "solver": "newton-cholesky"},
            2,
            "takes an L2 penalty or none",
        ),
        ({"l1_ratio": 0.5}, 2, "solver 'lbfgs' takes an L2 penalty or none"),
        ({"penalty": "l1", "solver": "sag"}, 2, "takes an L2 penalty or none"),
        ({"solver": "liblinear", "l1_ratio": 0.5}, 2, "takes an L1 or an L2 penalty"),
        ({"solver": "liblinear", "C": np.inf}, 2, "takes an L1 or an L2 penalty"),
        ({"solver": "liblinear"}, 3, "does not support multiclass"),
        ({"dual": True}, 2, "dual=True needs solver 'liblinear' and L2"),
        ({"link": "probit"}, 3, "link probit needs two classes; got 3"),
        (
            {"link": "cauchit", "l1_ratio": 1, "solver": "saga"},
            2,
            "link cauchit takes an L2 penalty or none",
        ),
        ({"link": "identity"}, 2, "link must be one of"),
        (
            {"penalty": "elasticnet", "l1_ratio": None, "solver": "saga"},
            2,
            "l1_ratio must be a number in",
        ),
    ],
)
def test_a_wrong_pair_of_parameters_is_one_sentence(options, k, words):
    X, y = make(n=60, k=k)
    with pytest.raises(ParameterError, match=words):
        LogisticRegression(**options).fit(X, y)


# -- penalties and solvers ---------------------------------------------------------
def optimality(model, X, y, C, rho, w=None):
    """Return the largest entry of the least subgradient, from the book."""
    w, k = np.ones(len(y)) if w is None else w, len(model.classes_)
    R = (model.predict_proba(X) - np.eye(k)[y]) * w[:, None]
    R = R[:, 1:] if k == 2 else R
    l1, l2 = rho / C, (1 - rho) / C
    W = model.coef_
    G = np.asarray(X.T @ R).T + l2 * W
    least = np.where(W == 0, np.maximum(np.abs(G) - l1, 0), np.abs(G + l1 * np.sign(W)))
    return max(least.max(), np.abs(R.sum(axis=0)).max()) / w.sum()


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_penalty_meets_the_optimality_conditions(k, rho, sparse, weighted):
    X, y = make(n=300, d=8, k=k)
    X[np.abs(X) < 0.5] = 0.0
    rows = sp.csr_matrix(X) if sparse else X
    w = np.random.default_rng(1).integers(0, 3, len(y)) * 1.0 if weighted else None
    model = LogisticRegression(
        C=0.05, l1_ratio=rho, solver="coordinate-descent", tol=1e-10
    ).fit(rows, y, w)
    assert model.report_.stop is StopReason.CONVERGED
    assert optimality(model, X, y, 0.05, rho, w) < 1e-9
    assert (rho == 0) == bool((model.coef_ != 0).all())
    assert "gap" in model.report_.optimality.kind
    assert model.report_.optimality.value < 1e-8


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("rho", [0.5, 1.0])
def test_many_columns_take_the_orthant_wise_search_to_the_same_end(k, rho, monkeypatch):
    X, y = make(n=300, d=12, k=k)
    options = dict(C=0.1, l1_ratio=rho, solver="saga", max_iter=3000)
    newton = LogisticRegression(tol=1e-10, **options).fit(X, y)
    assert newton.report_.facts["solver"].startswith("proximal Newton")
    monkeypatch.setattr("corollary.linear.logistic.choice_of_search.MANY", 0)
    orthant = LogisticRegression(tol=1e-7, **options).fit(X, y)
    assert orthant.report_.facts["solver"].startswith("orthant-wise L-BFGS")
    np.testing.assert_allclose(orthant.coef_, newton.coef_, atol=1e-5)
    np.testing.assert_array_equal(orthant.coef_ == 0, newton.coef_ == 0)


def test_more_columns_than_rows_with_an_l1_penalty():
    rng = np.random.default_rng(0)
    X = sp.random(150, 4000, 0.02, format="csr", random_state=0)
    y = (X @ np.r_[5 * np.ones(20), np.zeros(3980)] + 0.1 * rng.normal(size=150)) > 1
    model = LogisticRegression(
        l1_ratio=1, C=5.0, solver="saga", tol=1e-6, max_iter=2000
    )
    model.fit(X, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert 0 < np.count_nonzero(model.coef_) < 150
    assert optimality(model, X, y.astype(int), 5.0, 1.0) < 2e-6


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("C", [0.5, np.inf])
def test_every_solver_ends_at_the_same_minimum(k, C):
    X, y = make(n=300, k=k)
    reference = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(X, y)
    solvers = ["newton-cholesky", "newton-cg", "sag", "saga", "coordinate-descent"]
    solvers += ["liblinear"] if k == 2 and np.isfinite(C) else []
    for solver in solvers:
        model = LogisticRegression(C=C, solver=solver, tol=1e-9).fit(X, y)
        assert model.report_.stop is StopReason.CONVERGED
        np.testing.assert_allclose(
            model.predict_proba(X), reference.predict_proba(X), atol=1e-7
        )
    np.testing.assert_allclose(
        LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, y).coef_,
        reference.coef_,
        atol=1e-6,
    )


def test_newton_takes_few_passes():
    X, y = make(n=500, k=3)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(X, y)
    assert model.report_.passes <= 12
    assert model.report_.facts["solver"] == "Newton with the full Hessian"


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet", None])
def test_the_older_names_of_penalties(penalty):
    X, y = make(n=150)
    rho = 0.25 if penalty == "elasticnet" else 0.0
    rho = 1.0 if penalty == "l1" else rho
    older = LogisticRegression(penalty, l1_ratio=rho, solver="saga", tol=1e-9)
    newer = LogisticRegression(
        C=np.inf if penalty is None else 1.0,
        l1_ratio={"l1": 1.0, "elasticnet": 0.25}.get(penalty, 0.0),
        solver="saga",
        tol=1e-9,
    )
    with pytest.warns(FutureWarning, match="LogisticRegression: penalty is deprecated"):
        older.fit(X, y)
    np.testing.assert_array_equal(older.coef_, newer.fit(X, y).coef_)


@pytest.mark.filterwarnings("ignore:.*penalty is deprecated:FutureWarning")
def test_older_names_that_contradict_the_newer_ones_are_told():
    X, y = make(n=150)
    with pytest.warns(UserWarning, match="penalty=None will ignore the C=4"):
        LogisticRegression(None, C=4.0).fit(X, y)
    for rho in (0.0, 0.5):
        with pytest.warns(UserWarning, match="only used when penalty is 'elasticnet'"):
            LogisticRegression("l1", l1_ratio=rho, solver="saga").fit(X, y)


def test_what_goes_away_is_told():
    X, y = make(n=50)
    with pytest.warns(FutureWarning, match="l1_ratio=None is deprecated"):
        LogisticRegression(l1_ratio=None).fit(X, y)
    with pytest.warns(FutureWarning, match="n_jobs is deprecated"):
        LogisticRegression(n_jobs=1).fit(X, y)


def test_a_strong_l1_penalty_leaves_only_the_intercept():
    X, y = make(n=200)
    pull = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()
    options = dict(l1_ratio=1, solver="coordinate-descent", tol=1e-9)
    none = LogisticRegression(C=0.999 / pull, **options).fit(X, y)
    assert not none.coef_.any()
    np.testing.assert_allclose(none.predict_proba(X)[:, 1], y.mean(), rtol=1e-8)
    some = LogisticRegression(C=1.01 / pull, **options).fit(X, y)
    assert np.count_nonzero(some.coef_) >= 1


# -- the report --------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 3]),
    rho=st.sampled_from([0.0, 0.5, 1.0]),
    C=st.sampled_from([0.01, 0.3, 10.0]),
    intercept=st.booleans(),
    steps=st.integers(0, 6),
)
def test_the_gap_is_never_below_the_distance_to_the_minimum(
    seed, k, rho, C, intercept, steps
):
    X, y = make(n=60, d=3, k=k, seed=seed)
    if len(np.unique(y)) < k:
        return
    options = dict(C=C, l1_ratio=rho, solver="saga", fit_intercept=intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rough = LogisticRegression(max_iter=steps, **options).fit(X, y)
        fine = LogisticRegression(tol=1e-12, max_iter=300, **options).fit(X, y)
    away = rough.report_.objective[-1] - fine.report_.objective[-1]
    gap = rough.report_.optimality.value
    assert "gap" in rough.report_.optimality.kind
    assert gap >= away - 1e-13
    assert fine.report_.optimality.value <= 1e-6 * max(1.0, C)


def test_the_gap_of_weighted_rows_and_classes():
    X, y = make(n=120, k=3)
    w = np.random.default_rng(0).uniform(0, 2, len(y))
    options = dict(class_weight={0: 3.0}, C=0.3)
    with pytest.warns(ConvergenceWarning):
        rough = LogisticRegression(max_iter=3, **options).fit(X, y, w)
    fine = LogisticRegression(tol=1e-11, **options).fit(X, y, w)
    away = rough.report_.objective[-1] - fine.report_.objective[-1]
    assert 0 < away <= rough.report_.optimality.value < 100 * away
    assert fine.report_.optimality.value < 1e-12


def test_without_a_penalty_the_decrement_estimates_the_distance():
    X, y = make(n=500)
    with pytest.warns(ConvergenceWarning, match="Newton decrement, an estimate: "):
        rough = LogisticRegression(C=np.inf, max_iter=8).fit(X, y)
    fine = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    away = rough.report_.objective[-1] - fine.report_.objective[-1]
    assert rough.report_.optimality.value == pytest.approx(away, rel=0.5)
    assert fine.report_.optimality.kind == "gap by a Newton step"
    assert "gradient" in fine.report_.facts


@pytest.mark.course("S4-9")
@pytest.mark.parametrize("k", [2, 3])
def test_classes_that_touch_have_no_maximum_either(k):
    # column 1 separates all rows but those where it is 0
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), np.c_[np.full(40, 3.0), np.zeros(40)]])
    X[:60, 0] = 0.0
    y = np.r_[rng.integers(k - 1, size=60), np.full(40, k - 1)]
    y[:3] = k - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=np.inf, tol=1e-6, max_iter=300).fit(X, y)
    assert model.report_.facts["separability"] == "touching"
    assert "rows that lie on it" in model.report_.warnings[0]


# -- links -------------------------------------------------------------------------
@pytest.mark.course("S2-15")
def test_probit_equals_statsmodels():
    drawn = datasets.latent_classes(make(n=800)[0], [0.5, -1, 0.2, 0, 1], 0.3, "probit")
    model = LogisticRegression(link="probit", C=np.inf, tol=1e-9).fit(drawn.X, drawn.y)
    theirs = statsmodels.Probit(drawn.y, statsmodels.add_constant(drawn.X))
    b = theirs.fit(disp=0, tol=1e-12).params
    np.testing.assert_allclose(model.coef_[0], b[1:], rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, b[:1], rtol=1e-6)


@pytest.mark.course("S2-15")
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "loglog", "cauchit"])
def test_any_distribution_function_is_a_class_probability(link):
    X = np.random.default_rng(0).normal(size=(40_000, 2))
    drawn = datasets.latent_classes(X, [1.0, -0.5], 0.4, link)
    model = LogisticRegression(link=link, C=np.inf, tol=1e-7).fit(drawn.X, drawn.y)
    np.testing.assert_allclose(model.coef_[0], drawn.coef, atol=0.08)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P[:, 1], drawn.probability, atol=0.05)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (P[:, 1] > 0.5).astype(int))
    eta = model.decision_function(X)
    np.testing.assert_allclose(LINKS[link].inverse(eta), P[:, 1], rtol=1e-9)
    far = model.predict_log_proba(np.array([[500.0, 0.0], [-500.0, 0.0]]))
    assert not np.isnan(far).any()


def test_the_logit_by_scoring_is_logistic_regression():
    X, y = make(n=300)
    w = np.random.default_rng(0).uniform(0, 2, len(y))
    odd = type("Logit2", (Logit,), {})()  # a link of one's own, not the class's default
    options = dict(C=0.4, tol=1e-9, class_weight={1: 2.0})
    scoring = LogisticRegression(link=odd, **options).fit(X, y, w)
    assert scoring.report_.facts["solver"] == "Fisher scoring"
    usual = LogisticRegression(**options).fit(X, y, w)
    np.testing.assert_allclose(scoring.coef_, usual.coef_, atol=1e-7)
    np.testing.assert_allclose(scoring.intercept_, usual.intercept_, atol=1e-7)
    bare = LogisticRegression(link=odd, fit_intercept=False, **options).fit(X, y, w)
    usual = LogisticRegression(fit_intercept=False, **options).fit(X, y, w)
    np.testing.assert_allclose(bare.coef_, usual.coef_, atol=1e-7)


def test_a_link_is_saved_with_its_model(tmp_path):
    X, y = make(n=100)
    model = LogisticRegression(link=LINKS["cloglog"]).fit(X, y)
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.link == LINKS["cloglog"]
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_separable_classes_under_another_link():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(link="probit", C=np.inf).fit(X, [0, 0, 1, 1])
    assert "the likelihood has no maximum" in model.report_.warnings[0]
    assert model.report_.warnings[0].endswith("Use a finite C.")
    held = LogisticRegression(link="probit").fit(X, [0, 0, 1, 1])
    assert held.report_.warnings == []


# -- the courses -------------------------------------------------------------------
@pytest.mark.course("S1-34")
@pytest.mark.course("S3-73")
def test_softmax_regression_minimises_the_cross_entropy():
    n = 3000
    drawn = datasets.classification(n, 3, 4, random_state=0)
    model = LogisticRegression(C=np.inf, tol=1e-9, max_iter=500).fit(drawn.X, drawn.y)
    P = model.predict_proba(drawn.X)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    entropy = -np.log(P[np.arange(n), drawn.y]).mean()
    assert model.report_.objective[-1] == pytest.approx(entropy, rel=1e-12)
    # the gradient is (softmax - one-hot) x', and 0 at the end
    G = (P - np.eye(4)[drawn.y]).T @ np.column_stack([drawn.X, np.ones(n)]) / n
    assert np.abs(G).max() < 1e-8
    # a common shift of all weights changes no probability
    model.coef_ += np.array([1.0, -2.0, 3.0])
    model.intercept_ += 7.0
    np.testing.assert_allclose(model.predict_proba(drawn.X), P, rtol=1e-9)
    # the truth, up to that shift
    truth = drawn.coef - drawn.coef.mean(axis=0)
    fitted = model.coef_ - model.coef_.mean(axis=0)
    assert np.abs(fitted - truth).max() < 0.4


@pytest.mark.course("S3-73")
def test_softmax_of_two_classes_is_logistic_regression():
    X, y = make(n=300)
    two = LogisticRegression(C=2.0, tol=1e-10).fit(X, y)

    # two rows of weights under the penalty 1/C (|W_0|^2 + |W_1|^2)/2 share w equally,
    # W_1 = -W_0 = w/2, and pay half of what w pays alone
    def softmax_objective(theta):
        W, b = theta[:10].reshape(2, 5), theta[10:]
        Z = X @ W.T + b
        loss = (logsumexp(Z, axis=1) - Z[np.arange(len(y)), y]).sum()
        return loss + (W**2).sum() / 2.0

    half = two.coef_[0] / 2
    at = np.concatenate([-half, half, -two.intercept_ / 2, two.intercept_ / 2])
    assert np.abs(approx_fprime(at, softmax_objective, 1e-6)).max() < 1e-2


@pytest.mark.course("S2-14")
@pytest.mark.parametrize("k", [2, 3])
def test_the_penalised_likelihood_of_the_course(k):
    # R_n + lambda/2 |w|^2 with the intercept spared, lambda = 1/(C n)
    X, y = make(n=200, d=2, k=k)
    lam = 0.05
    model = LogisticRegression(C=1 / (lam * 200), tol=1e-10).fit(X, y)
    m = len(model.coef_)

    def risk(theta):
        T = theta.reshape(m, 3)
        if k == 2:
            loss = np.logaddexp(0, -(2 * y - 1) * (X @ T[0, :2] + T[0, 2])).mean()
        else:
            Z = X @ T[:, :2].T + T[:, 2]
            loss = (logsumexp(Z, axis=1) - Z[np.arange(200), y]).mean()
        return loss + lam / 2 * (T[:, :2] ** 2).sum()

    found = minimize(risk, np.zeros(3 * m), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(model.coef_, found.x.reshape(m, 3)[:, :2], atol=1e-5)
    assert model.report_.objective[-1] == pytest.approx(found.fun, rel=1e-9)
    # minus n times the unpenalised risk is the conditional log-likelihood
    P = model.predict_proba(X)
    likelihood = np.log(P[np.arange(200), y]).sum()
    unpenalised = model.report_.objective[-1] - lam / 2 * (model.coef_**2).sum()
    assert likelihood == pytest.approx(-200 * unpenalised, rel=1e-10)


@pytest.mark.course("S2-14")
def test_the_log_odds_of_gaussian_and_uniform_columns():
    # x_1 Gaussian with means -1, 2 and x_2 uniform: log-odds 3 x_1 - 3/2 + 0 x_2
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200_000)
    X = np.column_stack([rng.normal(np.where(y, 2.0, -1.0)), rng.uniform(size=len(y))])
    model = LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], [3.0, 0.0], atol=0.1)
    np.testing.assert_allclose(model.intercept_, -1.5, atol=0.1)


@pytest.mark.course("S3-74")
@pytest.mark.parametrize("k", [2, 3])
def test_the_l2_penalty_is_a_gaussian_prior(k):
    # log posterior = log likelihood + log N(W; 0, C I): its mode is the fit
    X, y = make(n=120, d=2, k=k)
    C = 0.7
    model = LogisticRegression(C=C, tol=1e-11).fit(X, y)
    m = len(model.coef_)

    def minus_log_posterior(theta):
        T = theta.reshape(m, 3)
        Z = X @ T[:, :2].T + T[:, 2]
        Z = np.column_stack([np.zeros(120), Z]) if m == 1 else Z
        likelihood = (Z[np.arange(120), y] - logsumexp(Z, axis=1)).sum()
        return -likelihood - norm.logpdf(T[:, :2], scale=np.sqrt(C)).sum()

    mode = np.column_stack([model.coef_, model.intercept_]).ravel()
    assert np.abs(approx_fprime(mode, minus_log_posterior, 1e-6)).max() < 1e-3
    found = minimize(minus_log_posterior, mode + 0.3, options={"gtol": 1e-8})
    assert minus_log_posterior(mode) <= found.fun + 1e-9


@pytest.mark.course("S4-61")
def test_descent_and_closed_form_spare_the_intercept():
    rng = np.random.default_rng(0)
    X, lam = rng.normal(size=(40, 3)), 5.0
    y = X @ [1.0, -2.0, 0.5] + 4 + 0.1 * rng.normal(size=40)
    A, I_star = np.column_stack([X, np.ones(40)]), np.diag([1.0, 1.0, 1.0, 0.0])
    theta = np.linalg.solve(A.T @ A + lam * I_star, A.T @ y)
    ridge = Ridge(alpha=lam).fit(X, y)
    np.testing.assert_allclose(np.append(ridge.coef_, ridge.intercept_), theta)
    descent = GradientDescentRegressor(alpha=lam, tol=1e-12, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(
        np.append(descent.coef_, descent.intercept_), theta, rtol=1e-9
    )
    # one step from theta_1 = - alpha g: shrink by 1 - alpha lambda / m, then descend
    one, two = (
        GradientDescentRegressor(alpha=lam, learning_rate=0.1, max_iter=i, tol=0)
        for i in (1, 2)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one.fit(X, y), two.fit(X, y)
    residual = one.predict(X) - y
    expected = one.coef_ * (1 - 0.1 * lam / 40) - 0.1 * X.T @ residual / 40
    np.testing.assert_allclose(two.coef_, expected, rtol=1e-10)
    # regular also with fewer rows than columns
    wide = rng.normal(size=(3, 6))
    B = np.column_stack([wide, np.ones(3)])
    regular = B.T @ B + lam * np.diag([1.0] * 6 + [0.0])
    assert np.linalg.matrix_rank(regular) == 7
    fitted = Ridge(alpha=lam).fit(wide, [1.0, 2.0, 4.0])
    np.testing.assert_allclose(
        np.append(fitted.coef_, fitted.intercept_),
        np.linalg.solve(regular, B.T @ [1.0, 2.0, 4.0]),
    )


@pytest.mark.course("S4-61")
def test_regularised_logistic_regression_is_the_limit_of_descent():
    X, y = make(n=100, d=2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    lam, A = 3.0, np.column_stack([X, np.ones(100)])
    J = linear_problem(X, 2 * y - 1, Logistic(), Penalty(lam / 100), fit_intercept=True)
    # one step: theta_j (1 - alpha lambda/m) - alpha/m sum (h - y) x_j, theta_0 spared
    descent, theta = GradientDescent(rate=1.0), np.array([0.5, -1.0, 2.0])
    one = descend(J, descent, start=theta, tol=0, max_iter=1).x
    shrink = 1 - 1.0 * lam / 100 * np.array([1.0, 1.0, 0.0])
    h = 1 / (1 + np.exp(-A @ theta))
    np.testing.assert_allclose(one, theta * shrink - A.T @ (h - y) / 100, rtol=1e-12)
    limit = descend(J, descent, tol=1e-11, max_iter=5000)
    assert limit.stop is StopReason.CONVERGED
    assert (np.diff(limit.trace) <= 1e-15).all()
    model = LogisticRegression(C=1 / lam, tol=1e-12).fit(X, y)
    fitted = np.append(model.coef_, model.intercept_)
    np.testing.assert_allclose(fitted, limit.x, atol=1e-9)
    p = 1 / (1 + np.exp(-A @ fitted))  # and the gradient of the book is 0 there
    slope = A.T @ (p - y) + lam * np.append(fitted[:2], 0.0)
    assert np.abs(slope).max() < 1e-7


# -- more input --------------------------------------------------------------------
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "coordinate-descent"])
def test_a_constant_column_and_float32(solver):
    X, y = make(n=200)
    X[:, 2] = 5.0
    model = LogisticRegression(solver=solver, tol=1e-8).fit(X, y)
    assert abs(model.coef_[0, 2]) < 1e-12
    rest = LogisticRegression(tol=1e-8).fit(np.delete(X, 2, axis=1), y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1],
        rest.predict_proba(np.delete(X, 2, axis=1))[:, 1],
        atol=1e-7,
    )
    single = LogisticRegression(solver=solver, tol=1e-5).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-3)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "coordinate-descent"])
def test_a_weight_counts_rows(solver):
    X, y = make(n=80, k=3)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    model = LogisticRegression(solver=solver, tol=1e-10)
    weighted = model.fit(X, y, w).coef_
    repeated = model.fit(np.repeat(X, w, axis=0), np.repeat(y, w)).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-7)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "saga"])
@pytest.mark.parametrize("k", [2, 3])
def test_no_steps_leave_all_classes_equally_likely(solver, k):
    X, y = make(n=100, k=k)
    with pytest.warns(ConvergenceWarning, match="max_iter reached"):
        model = LogisticRegression(solver=solver, max_iter=0).fit(X, y)
    assert not model.coef_.any()
    assert model.n_iter_.tolist() == [0]
    np.testing.assert_allclose(model.predict_proba(X), 1 / k)


def test_two_steps_are_a_step_and_another():
    X, y = make(k=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for solver in ("newton-cholesky", "newton-cg"):
            at_once = LogisticRegression(solver=solver, max_iter=2).fit(X, y)
            one = LogisticRegression(solver=solver, max_iter=1, warm_start=True)
            one.fit(X, y).fit(X, y)
            np.testing.assert_allclose(one.coef_, at_once.coef_)


def test_sparse_coefficients_predict_the_same():
    X, y = make(k=3)
    model = LogisticRegression().fit(X, y)
    Z = model.decision_function(X)
    assert sp.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.decision_function(X), Z)
    np.testing.assert_allclose(model.decision_function(sp.csr_matrix(X)), Z)
    assert isinstance(model.densify().coef_, np.ndarray)
