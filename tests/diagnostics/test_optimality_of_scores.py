"""Gaps of generalised linear models and of classifiers with several scores.

The truth is the objective in plain NumPy at what a model publishes, less a minimum that
SciPy or an interior-point method finds (`oracles/`).
"""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
import sklearn.svm as sk_svm
from oracles import convex_fits, smooth_minima
from oracles import convex_programs as programs
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary import (
    CrammerSingerClassifier,
    GammaRegressor,
    GeneralizedLinearRegressor,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    MaximumEntropyClassifier,
    PoissonRegressor,
    SGDClassifier,
    TweedieRegressor,
)
from corollary.core.errors import DataError
from corollary.diagnostics import optimality_gap

ROUNDING = 1e-12  # of the terms of an objective
TIGHT = 1e-6  # of the objective, the excess of a gap over the truth
NEAR = 2e-3  # of the truth, the same
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Draw:
    """Random rows, targets, weights and ways to stop short of the minimum."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 60)), int(rng.integers(1, 4))
        self.X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-0.5, 0.5)
        self.eta = np.clip(self.X @ rng.normal(size=d), -2, 2) + 0.3
        self.w = np.ones(n) if rng.random() < 0.5 else rng.integers(0, 4, size=n) + 0.0
        self.w[:8] = np.maximum(self.w[:8], 1.0)
        self.intercept = bool(rng.random() < 0.8)

    def labels(self, K):
        noise = self.rng.gumbel(size=(len(self.X), K)) * self.rng.choice([0.5, 2.0])
        y = (self.X @ self.rng.normal(size=(self.X.shape[1], K)) + noise).argmax(axis=1)
        y[:8] = np.arange(8) % K
        return y

    def amounts(self, p):
        mu = np.exp(self.eta)
        if p == 1:
            return self.rng.poisson(mu) + 0.0
        y = self.rng.gamma(2.0, mu / 2)
        y[2::4] *= float(p >= 2)
        return y

    def limits(self, early, fine):
        return {"max_iter": int(self.rng.integers(1, 8))} if early else fine

    def disturbed(self, model):
        """Move a model by a random step, of any size."""
        size = 10 ** self.rng.uniform(-6, 0)
        for name in ("coef_", "intercept_", "multipliers_"):
            if hasattr(model, name) and (name != "intercept_" or self.intercept):
                at = getattr(model, name)
                change = size * self.rng.normal(size=np.shape(at))
                setattr(model, name, at + change)
        return model


def proved(model, X, y, w, value, least, early):
    """Hold a proof to the truth."""
    proof = optimality_gap(model, X, y, w)
    assert proof.primal == pytest.approx(value, rel=1e-9)
    assert proof.gap >= value - least - ROUNDING * value
    assert proof.gap <= (1 + NEAR) * (value - least) + TIGHT * value
    if not early:
        assert proof.gap <= TIGHT * value
    return proof


def of_amounts(library, p, draw, early):
    alpha = float(draw.rng.choice([0.0, 1e-4, 0.1, 1.0]))
    more = {"alpha": alpha, "fit_intercept": draw.intercept}
    more |= draw.limits(early, {"tol": 1e-10, "max_iter": 2000})
    y = draw.amounts(p)
    if p in (1, 2):
        make = {1: "PoissonRegressor", 2: "GammaRegressor"}[p]
        model = getattr(library, make)(**more)
    else:
        model = library.TweedieRegressor(power=p, link="log", **more)
    return model.fit(draw.X, y, draw.w), y


def truth_of_amounts(model, p, draw, y):
    keep, d = draw.w > 0, draw.X.shape[1]
    T = smooth_minima.outputs(draw.X, 1, draw.intercept)
    ridge = np.append(np.full(d, model.alpha), 0.0 if draw.intercept else 1.0)
    point = np.append(model.coef_, model.intercept_)
    loss = smooth_minima.tweedie(y[keep], p)
    share = draw.w[keep] / draw.w.sum()
    return smooth_minima.value_and_minimum(loss, T[keep], share, ridge, point)


@pytest.mark.course("S2-36", "S4-37")
@pytest.mark.parametrize("library", [corollary, sk], ids=["ours", "theirs"])
@pytest.mark.parametrize("p", [1, 1.3, 1.7, 2])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_a_generalised_linear_model_is_the_truth(library, p, early):
    for seed in range(6):
        draw = Draw(seed)
        model, y = of_amounts(library, p, draw, early)
        if early and seed % 2:
            draw.disturbed(model)
        truth = truth_of_amounts(model, p, draw, y)
        proved(model, draw.X, y, draw.w, *truth, early)


def softmax_truth(model, draw, y, o, l1, l2, T=None, penalised=None):
    K, d = len(model.classes_), draw.X.shape[1]
    if l1:
        return convex_fits.softmax(model, draw.X, y, o, l1, l2)
    if T is None:
        T = smooth_minima.outputs(draw.X, K, draw.intercept)
        b = np.ravel(model.intercept_) if draw.intercept else np.zeros(K)
        point = np.column_stack([model.coef_, b]).ravel()
        free = 0.0 if draw.intercept else 1.0
        ridge = np.tile(np.append(np.full(d, l2), free), K)
    else:
        point, ridge = model.multipliers_, np.full(T.shape[2], l2)
    loss = smooth_minima.softmax(y)
    return smooth_minima.value_and_minimum(loss, T, o / o.sum(), ridge, point)


@pytest.mark.course("S2-36", "S3-75")
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_a_softmax_is_the_truth(rho, early):
    for seed in range(5):
        draw = Draw(seed)
        y = draw.labels(3)
        weight = str(draw.rng.choice(["balanced", ""])) or None
        o = draw.w.copy()
        if weight:
            o = o * (o.sum() / (3 * np.bincount(y, o)))[y]
        C = float(10 ** draw.rng.uniform(-2, 3))
        more = {"fit_intercept": draw.intercept, "class_weight": weight, "C": C}
        more |= draw.limits(early, {"tol": 1e-10, "max_iter": 2000})
        solver = "saga" if rho else "lbfgs"
        model = LogisticRegression(l1_ratio=rho, solver=solver, **more)
        model.fit(draw.X, y, draw.w)
        if early and seed % 2:
            draw.disturbed(model)
        scale = 1 / (C * o.sum())
        truth = softmax_truth(model, draw, y, o, rho * scale, (1 - rho) * scale)
        proved(model, draw.X, y, draw.w, *truth, early)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [corollary.LogisticRegression, sk.LogisticRegression])
def test_the_gap_without_a_penalty_is_the_truth(make, K):
    for seed, early in itertools.product(range(4), [False, True]):
        draw = Draw(seed + 10)
        noise = draw.rng.gumbel(size=(len(draw.X), K)) * 3  # so that there is a minimum
        y = (draw.X[:, :1] * np.arange(K) + noise).argmax(axis=1)
        more = {"fit_intercept": draw.intercept, "C": np.inf}
        more |= draw.limits(early, {"tol": 1e-9, "max_iter": 5000})
        model = make(**more).fit(draw.X, y, draw.w)
        if K == 2:
            T = smooth_minima.outputs(draw.X, 1, draw.intercept)
            T = np.concatenate([0 * T, T], axis=1)
            b = model.intercept_ if draw.intercept else [0.0]
            point = np.append(model.coef_, b)
            ridge = np.zeros(len(point))
            share = draw.w / draw.w.sum()
            loss = smooth_minima.softmax(y)
            truth = smooth_minima.value_and_minimum(loss, T, share, ridge, point)
        else:
            truth = softmax_truth(model, draw, y, draw.w, 0.0, 0.0)
        proved(model, draw.X, y, draw.w, *truth, early)


def test_classes_that_a_plane_parts_have_no_minimum_and_the_gap_is_the_objective():
    X, y = np.arange(12.0)[:, None] - 5.5, np.arange(12) // 4
    model = LogisticRegression(C=np.inf).fit(X, y)
    proof = optimality_gap(model, X, y)
    assert 0 < proof.gap == pytest.approx(proof.primal, rel=0.01)


def features_of_pairs(A, label):
    """Return features of a row and a class that no default has, some dependent."""
    first = A[:, :1] * (label == 0)
    square = A[:, :1] ** 2 * (label == 1)
    return np.column_stack([first, square, A.sum(axis=1) * label, 2 * first])


@pytest.mark.course("S2-36", "S0-14")
@pytest.mark.parametrize(
    "features", [None, features_of_pairs], ids=["default", "given"]
)
@pytest.mark.parametrize("C", [1.0, 100.0, np.inf])
@pytest.mark.parametrize("K", [2, 3])
def test_the_gap_of_maximum_entropy_is_the_truth(features, C, K):
    for seed, early in itertools.product(range(3), [False, True]):
        draw = Draw(seed + 20)
        draw.intercept = True
        y = draw.labels(K)
        if np.isinf(C):
            y = draw.rng.integers(0, K, size=len(y))
        limits = draw.limits(early, {"tol": 1e-9})
        model = MaximumEntropyClassifier(features, C=C, **limits)
        model.fit(draw.X, y, draw.w)
        if early and seed % 2:
            draw.disturbed(model)
        T = None
        if features is not None:
            T = np.stack([features(draw.X, k) for k in range(K)], axis=1)
        l2 = 0.0 if np.isinf(C) else 1 / (C * draw.w.sum())
        truth = softmax_truth(model, draw, y, draw.w, 0.0, l2, T)
        proof = proved(model, draw.X, y, draw.w, *truth, early)
        if not early:
            assert proof.primal == pytest.approx(model.report_.objective[-1], rel=1e-9)


def contest_truth(model, X, y, price, summed):
    """Return P and its minimum by an interior-point method."""
    K, B = len(model.classes_), float(model.intercept_scaling)
    F, W = X, model.coef_
    if model.fit_intercept:
        F = np.column_stack([X, np.full(len(X), B)])
        W = np.column_stack([W, model.intercept_ / B])
    W = np.vstack([-W, W]) / 2 if K == 2 else W
    E = np.eye(K)
    leads = [E[y] - E[(y + r) % K] for r in range(1, K)]
    parts = [np.einsum("nk,nd->nkd", e, F).reshape(len(F), -1) for e in leads]

    def value(x):
        v = np.maximum(0.0, 1 - np.array([A @ x for A in parts]))
        each = v.sum(axis=0) if summed else v.max(axis=0)
        return float(0.5 * x @ x + price @ each)

    pairs = [(A, np.ones(len(F))) for A in parts]
    if summed:
        pairs, copies = [(np.vstack(parts), np.ones(len(F) * (K - 1)))], K - 1
    else:
        copies = 1
    v = W.size
    best = programs.with_slack(np.eye(v), np.zeros(v), pairs, np.tile(price, copies), 1)
    return value(W.ravel()), value(best)


@pytest.mark.course("S2-36", "S3-70")
@pytest.mark.parametrize("loss", ["crammer_singer", "weston_watkins"])
@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("early", [False, True])
def test_the_gap_of_a_contest_is_the_truth(loss, K, early):
    for seed in range(5):
        draw = Draw(seed + 30)
        y = draw.labels(K)
        weight = str(draw.rng.choice(["balanced", ""])) or None
        o = draw.w.copy()
        if weight:
            o = o * (o.sum() / (K * np.bincount(y, o)))[y]
        model = CrammerSingerClassifier(
            C=float(10 ** draw.rng.uniform(-2, 1)),
            loss=loss,
            fit_intercept=draw.intercept,
            intercept_scaling=float(draw.rng.choice([1, 3])),
            class_weight=weight,
            **draw.limits(early, {"tol": 1e-8, "max_iter": 10**5}),
        ).fit(draw.X, y, draw.w)
        if early and seed % 2:
            draw.disturbed(model)
        summed = loss == "weston_watkins"
        truth = contest_truth(model, draw.X, y, model.C * o, summed)
        proof = proved(model, draw.X, y, draw.w, *truth, early)
        assert early or proof.kkt_residual < 1e-3


# -- every family and link -------------------------------------------------------------
def probit(f):
    return norm.cdf(f), norm.pdf(f), -f * norm.pdf(f)


def cloglog(f):
    rest = np.exp(-np.exp(f))
    slope = np.exp(f) * rest
    return 1 - rest, slope, slope * (1 - np.exp(f))


def reciprocal(y):
    def loss(F):
        f = F[:, 0]
        L = np.where(f > 0, y * f - 1 - np.log(np.where(f > 0, y * f, 1.0)), np.inf)
        return L, (y - 1 / f)[:, None], (f**-2)[:, None, None]

    return loss


def identity_of_counts(y):
    def loss(F):
        f = F[:, 0]
        inside = np.where(f > 0, f, 1.0)
        L = smooth_minima.xlogy(y, y) - smooth_minima.xlogy(y, inside) - y + f
        L = np.where(f > 0, L, np.inf)
        return L, (1 - y / f)[:, None], (y / f**2)[:, None, None]

    return loss


def responses(family, X, rng):
    chance = 0.2 + 0.6 * X[:, 0]
    if family == "poisson":
        return rng.poisson(4 + 2 * X[:, 0]) + 0.0
    if family in ("gamma", "tweedie"):
        y = rng.gamma(3.0, 1 / (1 + X[:, 0]))
        return y if family == "gamma" else y * (chance > 0.3)
    trials = 1 if family == "bernoulli" else 4
    return rng.binomial(trials, chance) / trials


LINKED = [
    ("poisson", "log", lambda y: smooth_minima.tweedie(y, 1)),
    ("poisson", "identity", identity_of_counts),
    ("gamma", "log", lambda y: smooth_minima.tweedie(y, 2)),
    ("gamma", "reciprocal", reciprocal),
    ("tweedie", "log", lambda y: smooth_minima.tweedie(y, 1.5)),
    ("bernoulli", "probit", lambda y: smooth_minima.shares(y, probit)),
    ("binomial", "cloglog", lambda y: smooth_minima.shares(y, cloglog)),
]


@pytest.mark.course("S2-36", "S4-37")
@pytest.mark.parametrize(("family", "link", "loss"), LINKED, ids=lambda v: str(v)[:20])
@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_the_gap_of_every_link_is_the_truth(family, link, loss, alpha):
    for seed, early in itertools.product(range(3), [False, True]):
        draw = Draw(seed + 40)
        X = draw.rng.uniform(0.1, 1.0, size=draw.X.shape)
        y = responses(family, X, draw.rng)
        limits = draw.limits(early, {"tol": 1e-9, "max_iter": 2000})
        model = GeneralizedLinearRegressor(family, link, alpha=alpha, **limits)
        model.fit(X, y, draw.w)
        keep = draw.w > 0
        T = smooth_minima.outputs(X, 1, intercept=True)[keep]
        share, d = draw.w[keep] / draw.w.sum(), X.shape[1]
        ridge = np.append(np.full(d, alpha), 0.0)
        point = np.append(model.coef_, model.intercept_)
        truth = smooth_minima.value_and_minimum(loss(y[keep]), T, share, ridge, point)
        proved(model, X, y, draw.w, *truth, early)


def test_offsets_and_exposures_are_no_features():
    draw = Draw(50)
    X = draw.X
    time, known = draw.rng.uniform(0.5, 3.0, size=len(X)), 0.3 * X[:, 0]
    y = draw.rng.poisson(time * np.exp(known + 0.2)) + 0.0
    rows = np.column_stack([X, time, known])
    d = X.shape[1]
    more = {"alpha": 0.1, "tol": 1e-9}
    for exposure, offset in [(d, None), (None, d + 1), (d, d + 1)]:
        model = GeneralizedLinearRegressor(
            "poisson", exposure=exposure, offset=offset, **more
        ).fit(rows, y)
        shift = np.zeros(len(y))
        shift += np.log(time) if exposure is not None else 0.0
        shift += known if offset is not None else 0.0
        free = [j for j in range(d + 2) if j not in (exposure, offset)]
        T = smooth_minima.outputs(rows[:, free], 1, intercept=True)
        ridge = np.append(np.full(len(free), 0.1), 0.0)
        for step in (0.0, 0.05):
            model.coef_[free] += step
            point = np.append(model.coef_[free], model.intercept_)
            loss = smooth_minima.tweedie(y, 1, shift)
            share = np.full(len(y), 1 / len(y))
            truth = smooth_minima.value_and_minimum(loss, T, share, ridge, point)
            proved(model, rows, y, None, *truth, step > 0)
    rows[3, d] = -1.0
    with pytest.raises(DataError, match="exposure must be > 0; got -1"):
        optimality_gap(model, rows, y)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TweedieRegressor(power=1.5, link="identity"), "link identity, whose problem"),
        (
            GeneralizedLinearRegressor("gamma", "identity"),
            "gamma family and link id",
        ),
        (GeneralizedLinearRegressor("gaussian", "log"), "gaussian family and link log"),
        (
            GeneralizedLinearRegressor("inverse_gaussian", "log"),
            "not known to be conv",
        ),
        (sk.TweedieRegressor(power=3, link="log"), "inverse gaussian family and link"),
        (GeneralizedLinearRegressor("bernoulli", "cauchit"), "link cauchit, whose"),
    ],
    ids=str,
)
def test_a_link_that_is_not_known_to_be_convex_is_refused(model, words):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(40, 2))
    y = 1 + X[:, 0] + rng.uniform(size=40)
    y = (y > 2) + 0.0 if "bernoulli" in str(model) else y
    with pytest.raises(DataError, match=f"optimality_gap does not handle .*{words}"):
        optimality_gap(model.fit(X, y), X, y)


def test_a_model_without_a_finite_objective_is_refused():
    X, y = np.linspace(0.1, 1, 20)[:, None], np.linspace(1, 2, 20)
    model = GeneralizedLinearRegressor("gamma", "reciprocal").fit(X, y)
    model.intercept_ = -5.0
    with pytest.raises(DataError, match="the objective must be finite at the model"):
        optimality_gap(model, X, y)
    with pytest.raises(DataError, match="y must be > 0 for the gamma family"):
        optimality_gap(GammaRegressor().fit(X, y), X, y - 1.5)
    machine = CrammerSingerClassifier().fit(X, y > 1.5).set_params(C=np.inf)
    with pytest.raises(DataError, match="does not handle C=inf of CrammerSinger"):
        optimality_gap(machine, X, y > 1.5)
    machine.set_params(C=1.0, class_weight={False: 0.0, True: 0.0})
    with pytest.raises(DataError, match="class_weight must be above 0 for some row"):
        optimality_gap(machine, X, y > 1.5)
    few = sk.LogisticRegression(solver="liblinear", fit_intercept=False)
    few.fit(X, y > 1.5)
    assert optimality_gap(few, X, y > 1.5).gap < 1e-4


# -- others of several classes ---------------------------------------------------------
rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
three = np.array(["a", "b", "c"])[
    np.digitize(X[:, 0] + 0.5 * rng.normal(size=90), [0, 1])
]
TIMES = rng.integers(0, 3, size=90) + 0.0
FINE = {"tol": 1e-9, "max_iter": 10**5}


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("weights", [None, TIMES], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegressionCV(Cs=3, tol=1e-9),
        sk.LogisticRegression(**FINE),
        sk.LogisticRegression(l1_ratio=0.5, solver="saga", **FINE),
        sk.LogisticRegressionCV(
            Cs=3, l1_ratios=(0,), use_legacy_attributes=False, **FINE
        ),
        LinearSVC(multi_class="crammer_singer", **FINE),
        sk_svm.LinearSVC(multi_class="crammer_singer", class_weight="balanced", **FINE),
        LinearSVC(penalty="l1", dual=False, **FINE),
        sk_svm.LinearSVC(penalty="l1", dual=False, class_weight={"a": 3.0}, **FINE),
        LogisticRegression(link="probit", tol=1e-9),
    ],
    ids=lambda m: f"{type(m).__module__[:2]}-{m}"[:60],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_fit_of_several_classes_has_a_closed_gap(model, weights):
    y = np.where(three == "c", "b", three) if "probit" in str(model) else three
    model.fit(X, y, sample_weight=weights)
    proof = optimality_gap(model, X, y, weights)
    assert 0 <= proof.gap <= TIGHT * proof.primal
    assert proof.kkt_residual <= 1e-4 * max(1.0, proof.primal)
    rows = optimality_gap(model, sp.csr_array(X), y, weights)
    assert rows.primal == pytest.approx(proof.primal, rel=1e-12)
    assert rows.gap <= TIGHT * proof.primal
    best = proof.primal
    model.coef_ = model.coef_ + 0.1 * rng.normal(size=model.coef_.shape)
    worse = optimality_gap(model, X, y, weights)
    assert worse.primal > best
    assert worse.gap == pytest.approx(worse.primal - best, abs=2 * TIGHT * best)
    assert worse.kkt_residual > 1e-4


@pytest.mark.parametrize("weight", [None, "balanced", {"a": 3.0}], ids=str)
def test_the_machines_of_a_stochastic_fit_add_up(weight):
    model = SGDClassifier(loss="log_loss", alpha=0.01, class_weight=weight)
    model.set_params(random_state=0).fit(X, three, sample_weight=TIMES / 2)
    proof = optimality_gap(model, X, three, TIMES / 2)
    values = []
    visits = np.ceil(TIMES / 2).sum()
    for k, label in enumerate(model.classes_):
        mass = np.array([(TIMES[three == c] / 2).sum() for c in model.classes_])
        own = {"balanced": mass.sum() / (3 * mass[k])}.get(str(weight), 1.0)
        own = weight.get(label, 1.0) if isinstance(weight, dict) else own
        s = np.where(three == label, 1.0, -1.0)
        o = TIMES / 2 * np.where(s > 0, own, 1.0)
        f = X @ model.coef_[k] + model.intercept_[k]
        loss = o @ np.logaddexp(0.0, -s * f) / visits
        values.append(loss + 0.005 * (model.coef_[k] ** 2).sum())
    assert proof.primal == pytest.approx(sum(values), rel=1e-10)
    assert max(values) == pytest.approx(model.report_.facts["objective"], rel=0.5)
    model.set_params(tol=1e-9, max_iter=3000).fit(X, three, sample_weight=TIMES / 2)
    finer = optimality_gap(model, X, three, TIMES / 2)
    assert proof.gap >= proof.primal - finer.primal - 1e-9


def test_the_parameters_of_now_state_the_problem_of_several_classes():
    for model, change in [
        (LogisticRegression(tol=1e-9), {"C": 0.01}),
        (LogisticRegression(tol=1e-9), {"class_weight": "balanced"}),
        (LogisticRegression(tol=1e-9), {"fit_intercept": False}),
        (CrammerSingerClassifier(tol=1e-8), {"loss": "weston_watkins"}),
        (CrammerSingerClassifier(tol=1e-8), {"intercept_scaling": 5.0}),
        (MaximumEntropyClassifier(tol=1e-8), {"C": 0.01}),
    ]:
        assert optimality_gap(model.fit(X, three), X, three).gap < 1e-5
        model.set_params(**change)
        changed = optimality_gap(model, X, three)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            best = optimality_gap(model.fit(X, three), X, three)
        assert changed.gap >= changed.primal - best.primal - 1e-9
        assert changed.gap > 1e-4
    counts = rng.poisson(2.0, size=90) + 0.0
    model = PoissonRegressor(alpha=1.0, tol=1e-9).fit(X, counts)
    assert optimality_gap(model.set_params(alpha=0.01), X, counts).gap > 1e-4
    assert optimality_gap(model.set_params(alpha=1.0), X, counts).gap < 1e-10
