"""Gaps of convex fits: closed at the optimum, honest away from it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
import sklearn.svm as sk_svm
from oracles.convex_objectives import (
    kernel_classifier,
    least_squares,
    linear_machine,
    logistic,
    weights_of,
    with_constant,
)
from sklearn.base import clone, is_classifier
from sklearn.kernel_ridge import KernelRidge

from corollary import (
    SVC,
    ElasticNet,
    ElasticNetCV,
    GaussianNB,
    GradientDescentRegressor,
    Lars,
    Lasso,
    LassoCV,
    LeastAbsoluteDeviations,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    NuSVC,
    OneVsRestClassifier,
    OrthogonalMatchingPursuit,
    PassiveAggressiveRegressor,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
    SquaredHingeSVC,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import optimality_gap

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 4))
t = X @ [2.0, 0.0, -1.0, 0.0] + rng.normal(size=80) + 1
y = np.where(t > 1, "yes", "no")

FITS = [
    (Ridge(alpha=3.0), t),
    (Lasso(alpha=0.2, tol=1e-12), t),
    (ElasticNet(alpha=0.2, l1_ratio=0.4, tol=1e-12), t),
    (LogisticRegression(C=0.5, tol=1e-9), y),
    (LogisticRegression(C=0.5, l1_ratio=1, solver="coordinate-descent", tol=1e-9), y),
    (LinearSVC(C=0.1), y),
    (LinearSVC(C=0.1, penalty="l1"), y),
]


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(("model", "target"), FITS, ids=lambda v: str(v)[:40])
def test_the_gap_is_closed_and_the_subgradient_zero(model, target):
    model.fit(X, target)
    proof = optimality_gap(model, X, target)
    assert 0 <= proof.gap <= 1e-6 * proof.primal
    assert proof.kkt_residual <= 1e-5
    assert proof.dual <= proof.primal * (1 + 1e-14)
    best = proof.primal
    model.coef_ = model.coef_ + 0.1
    worse = optimality_gap(model, X, target)
    assert worse.primal - best <= worse.gap + 1e-12
    assert worse.kkt_residual > 1e-3
    assert "gap" in str(worse)
    if isinstance(model, LinearSVC):  # in the units of its own objective
        assert best == pytest.approx(model.report_.objective[-1], rel=1e-9)


OTHERS = [
    (LinearRegression(), t),
    (RidgeCV([0.1, 1.0, 10.0]), t),
    (LassoCV(tol=1e-12), t),
    (ElasticNetCV(l1_ratio=[0.3, 0.7], tol=1e-12), t),
    (LogisticRegressionCV(Cs=3, tol=1e-9), y),
    (QuantileRegressor(quantile=0.3, alpha=0.05), t),
    (QuantileRegressor(quantile=0.3, alpha=0.0), t),
    (LeastAbsoluteDeviations(), t),
]


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(
    "weights", [None, np.arange(80) % 3], ids=["plain", "weighted"]
)
@pytest.mark.parametrize(("model", "target"), OTHERS, ids=lambda v: str(v)[:40])
def test_every_convex_linear_fit_has_a_closed_gap(model, target, weights):
    model.fit(X, target, sample_weight=weights)
    proof = optimality_gap(model, X, target, weights)
    assert 0 <= proof.gap <= 1e-7 * proof.primal
    assert proof.kkt_residual <= 1e-6
    best = proof.primal
    model.coef_ = model.coef_ + 0.1
    worse = optimality_gap(model, X, target, weights)
    assert worse.primal > best
    assert worse.primal - best <= worse.gap + 1e-9
    assert worse.kkt_residual > 1e-4


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
@pytest.mark.parametrize(
    "loss", ["hinge", "log_loss", "squared_hinge", "modified_huber", "perceptron"]
)
def test_the_gap_of_a_stochastic_fit_covers_its_distance(loss, penalty):
    model = SGDClassifier(loss=loss, penalty=penalty, alpha=0.1, random_state=0)
    proof = optimality_gap(model.fit(X, y), X, y)
    finer = clone(model).set_params(tol=1e-8, max_iter=5000).fit(X, y)
    best = optimality_gap(finer, X, y)
    assert proof.primal - best.primal <= proof.gap + 1e-12
    assert best.dual <= proof.primal + 1e-12
    numbers = SGDRegressor("huber", penalty=penalty, alpha=0.1, random_state=0)
    proof = optimality_gap(numbers.fit(X, t), X, t)
    assert proof.primal == pytest.approx(numbers.report_.objective[-1], rel=0.02)
    assert 0 <= proof.gap < 1.1 * numbers.report_.optimality.value
    refused = SGDClassifier(loss="sigmoid").fit(X, y)
    with pytest.raises(DataError, match="does not handle loss='sigmoid'"):
        optimality_gap(refused, X, y)


@pytest.mark.course("S2-36")
def test_models_of_others_are_proved_too():
    theirs = sk.Ridge(alpha=3.0).fit(X, t)
    assert optimality_gap(theirs, X, t).gap < 1e-10
    with pytest.raises(DataError, match="does not handle GaussianNB, which states no"):
        optimality_gap(GaussianNB().fit(X, y), X, y)


# -- every parameter is part of the problem --------------------------------------------
w = rng.integers(0, 4, size=80).astype(float)
s = np.where(y == "yes", 1.0, -1.0)


def ridge_value(model, b, b0):
    p = np.ones(4) if model.penalty_weights is None else model.penalty_weights
    more = b0**2 if model.penalize_intercept else 0.0
    square = w @ (t - X @ b - b0) ** 2 + model.alpha * (p @ b**2 + more)
    return 0.5 * square / w.sum()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"penalize_intercept": True},
        {"penalty_weights": np.array([1.0, 5.0, 0.5, 2.0])},
        {"penalize_intercept": True, "penalty_weights": np.array([1.0, 5.0, 0.5, 2.0])},
    ],
    ids=str,
)
def test_every_parameter_of_ridge_counts(options):
    model = Ridge(alpha=3.0, **options).fit(X, t, sample_weight=w)
    best = ridge_value(model, model.coef_, model.intercept_)
    proof = optimality_gap(model, X, t, w)
    assert proof.primal == pytest.approx(best, rel=1e-12)
    assert proof.gap <= 1e-10 * best
    model.coef_ = model.coef_ + 0.1
    truth = ridge_value(model, model.coef_, model.intercept_) - best
    assert truth <= optimality_gap(model, X, t, w).gap <= 100 * truth


def logistic_values(model):
    weight = model.class_weight
    if weight == "balanced":
        mass = np.array([w[s < 0].sum(), w[s > 0].sum()])
        of = w.sum() / (2 * mass)
    else:
        of = np.array([1.0, 1.0] if weight is None else [weight["no"], weight["yes"]])
    o = w * of[(s > 0).astype(int)]
    rho = {"l1": 1.0, "l2": 0.0}.get(model.penalty, model.l1_ratio)
    return logistic(
        model, X, s, o, rho / (model.C * o.sum()), (1 - rho) / (model.C * o.sum())
    )


@pytest.mark.filterwarnings("ignore:LogisticRegression. penalty is deprecated")
@pytest.mark.filterwarnings("ignore:l1_ratio parameter is only used")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"class_weight": "balanced"},
        {"class_weight": {"no": 5.0, "yes": 0.5}},
        {"fit_intercept": False},
        {"penalty": "l1", "solver": "saga"},
        {"penalty": "l2"},
        {"l1_ratio": 0.3, "solver": "saga", "class_weight": "balanced"},
    ],
    ids=str,
)
def test_every_parameter_of_logistic_regression_counts(options):
    model = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000, **options)
    model.fit(X, y, sample_weight=w)
    proof = optimality_gap(model, X, y, w)
    value, least = logistic_values(model)
    assert proof.primal == pytest.approx(value, rel=1e-12)
    assert value - least - 1e-12 <= proof.gap <= 1e-7
    model.coef_ = model.coef_ + 0.1
    value, least = logistic_values(model)
    worse = optimality_gap(model, X, y, w)
    assert worse.primal == pytest.approx(value, rel=1e-12)
    assert value - least <= worse.gap


@pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1, l1_ratio=0.3)], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sample_weights_of_the_lasso_count(model, fit_intercept):
    model.set_params(tol=1e-12, fit_intercept=fit_intercept).fit(X, t, w)
    rho = getattr(model, "l1_ratio", 1.0)
    strengths = (0.1 * rho, 0.1 * (1 - rho))
    value, least = least_squares(model, X, t, w, *strengths, positive=False)
    proof = optimality_gap(model, X, t, w)
    assert proof.primal == pytest.approx(value, rel=1e-12)
    assert value - least - 1e-12 <= proof.gap <= 1e-9
    assert optimality_gap(model, X, t).gap > 1e-5  # another problem


@pytest.mark.parametrize("make", [SVC, NuSVC, SquaredHingeSVC, LinearSVC])
def test_the_parameters_of_now_state_the_problem(make):
    model = make(tol=1e-9).fit(X, y)
    assert optimality_gap(model, X, y).gap < 1e-6
    model.set_params(class_weight={"yes": 10.0})
    assert optimality_gap(model, X, y).gap > 0.1


def test_the_gap_after_a_change_is_that_of_the_new_problem():
    for change in (
        {"C": 30.0},
        {"C": 0.01},
        {"gamma": 3.0},
        {"class_weight": "balanced"},
    ):
        model = SVC(tol=1e-9).fit(X, y)
        model.set_params(**change)
        if "gamma" in change:
            model.gamma_ = change["gamma"]
        if "class_weight" in change:
            model.class_weight_ = len(y) / (
                2 * np.array([(s < 0).sum(), (s > 0).sum()])
            )
        value, least = kernel_classifier(model, X, y, np.ones(len(y)))
        proof = optimality_gap(model, X, y)
        assert proof.primal == pytest.approx(value, rel=1e-9)
        assert proof.gap >= value - least - 1e-9 * value


def test_an_l1_machine_counts_weights_and_classes():
    model = LinearSVC(C=0.3, penalty="l1", class_weight={"yes": 4.0}, tol=1e-9)
    model.fit(X, y, sample_weight=w)
    price = 0.3 * w * np.where(s > 0, 4.0, 1.0)
    value, least = linear_machine(
        with_constant(X, model),
        weights_of(model, 0),
        s,
        price,
        "squared_hinge",
        l1=True,
        eps=-1.0,
    )
    proof = optimality_gap(model, X, y, w)
    assert proof.primal == pytest.approx(value, rel=1e-10)
    assert value - least - 1e-9 * value <= proof.gap <= 1e-5 * value


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (PassiveAggressiveRegressor(), "row after row and minimises no objective"),
        (sk.Lars(), "Lars, whose path minimises no objective; LassoLars does"),
        (Lars(), "Lars, whose path minimises no objective; LassoLars does"),
        (OrthogonalMatchingPursuit(), "whose choice of columns is no convex problem"),
        (OneVsRestClassifier(SVC()), "several models: give it those in estimators_"),
        (
            LogisticRegression(link="cauchit"),
            "family and link cauchit, whose",
        ),
    ],
    ids=str,
)
def test_what_is_not_handled_is_refused_by_name(model, words):
    target = y if is_classifier(model) else t
    with pytest.raises(DataError, match=words):
        optimality_gap(model.fit(X, target), X, target)


def test_a_value_that_no_fit_takes_is_refused():
    machine = LinearSVC().fit(X, y).set_params(loss="epsilon_insensitive")
    with pytest.raises(ParameterError, match="loss must be one of 'hinge'"):
        optimality_gap(machine, X, y)
    theirs = sk_svm.LinearSVC().fit(X, y).set_params(loss="epsilon_insensitive")
    with pytest.raises(DataError, match="does not handle scikit-learn's loss='eps"):
        optimality_gap(theirs, X, y)
    theirs = sk_svm.NuSVC(nu=0.1, class_weight={"yes": 2.0}).fit(X, y)
    with pytest.raises(DataError, match="class_weight of NuSVC, which does not count"):
        optimality_gap(theirs, X, y)
    with pytest.raises(DataError, match="NuSVR, which does not publish the width"):
        optimality_gap(sk_svm.NuSVR().fit(X, t), X, t)
    with pytest.raises(DataError, match="does not handle kernel='sigmoid' of SVC"):
        optimality_gap(SVC().fit(X, y).set_params(kernel="sigmoid"), X, y)


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_of_weight_zero_count_for_nothing_in_machines_of_others(rows):
    weight = np.arange(80) % 3 + 0.0
    for theirs, goal in (
        (sk_svm.SVC(tol=1e-9), y),
        (sk_svm.SVC(tol=1e-9, kernel="linear"), y),
        (sk_svm.SVR(tol=1e-9), t),
        (sk_svm.OneClassSVM(tol=1e-9), None),
        (KernelRidge(kernel="rbf"), t),
    ):
        theirs.fit(X, goal, sample_weight=weight)
        proof = optimality_gap(theirs, rows(X), goal, weight)
        assert proof.gap <= 1e-6 * abs(proof.primal)


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (SVC(), {"C": 0.03, "gamma": 2.5, "kernel": "poly"}),
        (SquaredHingeSVC(), {"C": 0.03, "gamma": 2.5, "kernel": "linear"}),
        (LinearSVC(), {"C": 0.03, "fit_intercept": False, "loss": "hinge"}),
        (sk_svm.SVC(), {"C": 0.03, "gamma": 2.5, "kernel": "poly"}),
        (LogisticRegression(), {"C": 0.03, "fit_intercept": False}),
        (Ridge(), {"alpha": 7.0, "fit_intercept": False, "penalize_intercept": True}),
        (ElasticNet(0.1), {"alpha": 0.5, "l1_ratio": 0.9, "fit_intercept": False}),
        (KernelRidge(kernel="rbf"), {"alpha": 7.0, "gamma": 2.5, "kernel": "poly"}),
    ],
    ids=str,
)
def test_a_parameter_set_after_the_fit_states_the_problem(model, changes):
    target = y if is_classifier(model) else t
    for name, value in changes.items():
        old = clone(model).fit(X, target).set_params(**{name: value})
        new = clone(model).set_params(**{name: value}).fit(X, target)
        here, there = (optimality_gap(m, X, target) for m in (old, new))
        assert here.primal > there.primal
        assert here.gap >= here.primal - there.primal - 1e-9 * there.primal


def test_data_that_is_not_that_of_a_fit_is_refused():
    model, machine = Ridge().fit(X, t), SVC().fit(X, y)
    holes = np.where(np.arange(80) == 3, np.nan, t)
    for fitted, rows, goal, weight, words in (
        (model, X, holes, None, "y must be finite"),
        (model, X[:, :2], t, None, "must have the 4 columns of the fit"),
        (
            model,
            X,
            t[:9],
            None,
            "inconsistent numbers of samples",
        ),
        (model, X, t, -w, "sample_weight must be >= 0"),
        (machine, X, np.full(80, "maybe"), None, "y must have labels of the fit"),
    ):
        with pytest.raises(DataError, match=words):
            optimality_gap(fitted, rows, goal, weight)


def ridge_values(model, X, Y, w, alpha):
    """Return (1) at a model and its minimum, the sum over targets, by the textbook."""
    Z, n = np.column_stack([X, np.ones(len(X))]), w.sum()
    value = least = 0.0
    for k, y in enumerate(Y.T):
        P = np.diag(np.append(np.full(X.shape[1], alpha[k]), 0.0))
        best = np.linalg.solve((Z.T * w) @ Z + P, (Z.T * w) @ y)
        point = np.append(np.atleast_2d(model.coef_)[k], np.ravel(model.intercept_)[k])
        objective = [
            (w @ (Z @ theta - y) ** 2 + theta @ P @ theta) / (2 * n)
            for theta in (point, best)
        ]
        value, least = value + objective[0], least + objective[1]
    return value, least


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("stop", [1, 3, 10, 1000])
def test_gradient_descent_is_never_nearer_than_the_proof_says(stop):
    rng = np.random.default_rng(stop)
    X, w = rng.normal(size=(60, 3)) * [1, 2, 0.5] + 1, rng.integers(1, 4, 60) * 1.0
    Y = X @ rng.normal(size=(3, 2)) + rng.normal(size=(60, 2))
    for alpha in (0.0, 5.0):
        model = GradientDescentRegressor(alpha=alpha, max_iter=stop, tol=1e-14)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, Y, w)
        value, least = ridge_values(model, X, Y, w, [alpha, alpha])
        proof = optimality_gap(model, X, Y, w)
        assert proof.primal == pytest.approx(value, rel=1e-9)
        true = value - least
        assert true - 1e-12 * value <= proof.gap <= 1.01 * true + 1e-9 * value


@pytest.mark.course("S2-36")
def test_several_targets_are_proved_together():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(50, 3)), np.ones(50)
    Y = X @ rng.normal(size=(3, 2)) + rng.normal(size=(50, 2))
    models = {
        LinearRegression(): [0.0, 0.0],
        Ridge(alpha=0.0): [0.0, 0.0],
        Ridge(alpha=[1.0, 9.0]): [1.0, 9.0],
        RidgeCV([0.1, 1.0, 10.0], alpha_per_target=True): None,
    }
    for model, alpha in models.items():
        model.fit(X, Y)
        alpha = model.alpha_ if alpha is None else alpha
        model.coef_ = model.coef_ + 0.01  # not where the minimum is
        value, least = ridge_values(model, X, Y, w, alpha)
        proof = optimality_gap(model, X, Y)
        assert proof.primal == pytest.approx(value, rel=1e-9)
        assert value - least - 1e-12 <= proof.gap <= 1.01 * (value - least)
        with pytest.raises(DataError, match="y must have the 2 targets of the fit"):
            optimality_gap(model, X, Y[:, 0])
    lasso = Lasso(0.1, tol=1e-12).fit(X, Y)
    each = [Lasso(0.1, tol=1e-12).fit(X, column) for column in Y.T]
    parts = [optimality_gap(one, X, t) for one, t in zip(each, Y.T, strict=True)]
    proof = optimality_gap(lasso, X, Y)
    assert proof.primal == pytest.approx(sum(p.primal for p in parts), rel=1e-9)
    assert proof.gap <= 1e-9


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_least_squares_on_classes_is_proved(alpha):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(80, 3)), np.array(["a", "b", "c"])[np.arange(80) % 3]
    model = LeastSquaresClassifier(alpha=alpha).fit(X, labels)
    model.coef_ = model.coef_ + 0.05
    B = (labels[:, None] == model.classes_) * 1.0
    value, least = ridge_values(model, X, B, np.ones(80), [alpha] * 3)
    proof = optimality_gap(model, X, labels)
    assert proof.primal == pytest.approx(value, rel=1e-9)
    assert value - least - 1e-12 <= proof.gap <= 1.01 * (value - least)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("make", [RidgeClassifier, sk.RidgeClassifier])
def test_several_labels_of_a_row_are_several_targets(make):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 3)), rng.integers(1, 4, size=60) + 0.0
    labels = (X @ rng.normal(size=(3, 2)) + rng.normal(size=(60, 2)) > 0) * 1
    model = make(alpha=2.0).fit(X, labels, sample_weight=w)
    for step in (0.0, 0.05):
        model.coef_ = model.coef_ + step
        value, least = ridge_values(model, X, 2.0 * labels - 1, w, [2.0, 2.0])
        proof = optimality_gap(model, X, labels, w)
        assert proof.primal == pytest.approx(value, rel=1e-9)
        assert value - least - 1e-12 <= proof.gap <= 1.01 * (value - least) + 1e-9
    for wrong, words in (
        (np.column_stack([labels, labels]), "the 2 targets of the fit"),
        (labels + 1, "y of several labels must be 0 or 1"),
    ):
        with pytest.raises(DataError, match=words):
            optimality_gap(model, X, wrong, w)
    one = LogisticRegression().fit(X, labels[:, 0])
    with pytest.raises(DataError, match="several labels of LogisticRegression"):
        optimality_gap(one, X, labels)
