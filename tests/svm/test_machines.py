"""The course's machines: worked numbers, duals, roles, and scikit-learn's answers."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

import corollary
from corollary import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, SquaredHingeSVC
from corollary.core.errors import DataError, ModelFileError, ParameterError
from corollary.kernels import Spectrum
from corollary.svm.path import svc_path
from corollary.svm.reduced_set import compress


def data(seed=0, n=150, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, 1, -1)
    y[:2] = 1, -1
    number = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return X, y, number


@pytest.mark.course("S1-48", "S0-26")
def test_the_hard_margin_example():
    X = np.array([[1.0, 6], [1, 10], [4, 11], [5, 2], [7, 6], [10, 4]])
    y = np.array([1, 1, 1, -1, -1, -1])
    for C in (1e3, np.inf):
        model = SVC(C=C, kernel="linear", tol=1e-9).fit(X, y)
        alpha = np.zeros(6)
        alpha[model.support_] = np.abs(model.dual_coef_[0])
        exact = [8 / 225, 0, 0.04, 0, 17 / 225, 0]
        np.testing.assert_allclose(alpha, exact, atol=1e-12)
        np.testing.assert_allclose(model.coef_, [[-1 / 3, 1 / 5]], atol=1e-12)
        assert model.intercept_[0] == pytest.approx(2 / 15)
        assert 2 * model.margin_ == pytest.approx(5.144957554275265)
        assert alpha @ y == pytest.approx(0, abs=1e-14)
        assert model.support_.tolist() == [4, 0, 2]


@pytest.mark.course("S0-32", "S0-26")
def test_exclusive_or_has_equal_multipliers():
    X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    y = [-1, 1, 1, -1]
    model = SVC(C=10, kernel="poly", degree=2, gamma=1, coef0=1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1 / 8)
    np.testing.assert_allclose(model.decision_function(X), y)


@pytest.mark.course("S0-25", "S1-48", "S4-49", "S3-64")
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_conditions_of_optimality_and_slack(C):
    X, y, _ = data(1)
    model = SVC(C=C, tol=1e-9).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    m = y * model.decision_function(X)
    assert (m[alpha == 0] >= 1 - 1e-7).all()
    assert (m[alpha == C] <= 1 + 1e-7).all()
    np.testing.assert_allclose(m[(alpha > 0) & (alpha < C)], 1, atol=1e-7)
    np.testing.assert_allclose(model.slack_, np.maximum(0, 1 - m), atol=1e-7)
    wrong = np.flatnonzero(model.roles_ == 3)
    np.testing.assert_array_equal(wrong, np.flatnonzero(model.slack_ > 1))
    assert (model.slack_[model.roles_ <= 1] <= 1e-7).all()
    K = rbf_kernel(X, gamma=model.gamma_)
    beta = alpha * y
    dual = alpha.sum() - 0.5 * beta @ K @ beta
    primal = 0.5 * beta @ K @ beta + C * model.slack_.sum()
    assert primal == pytest.approx(dual, rel=1e-7)


@pytest.mark.course("S0-25", "S1-48")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_squared_slack_has_a_ridge_in_its_dual(kernel):
    X, y, _ = data(2, 40)
    C = 0.7
    model = SquaredHingeSVC(C=C, kernel=kernel, tol=1e-10).fit(X, y)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=model.gamma_)
    Q = y[:, None] * y * (K + np.eye(40) / (2 * C))
    best = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.full(40, 0.1),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, None)] * 40,
        constraints={"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y * 1.0},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    alpha = np.zeros(40)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, best.x, atol=2e-5)
    np.testing.assert_allclose(alpha, 2 * C * model.slack_, atol=1e-8)
    assert model.report_.objective[-1] == pytest.approx(-best.fun, rel=1e-8)
    assert model.report_.optimality.value < 1e-8


@pytest.mark.course("S2-38")
def test_without_a_free_row_every_offset_of_an_interval_is_optimal():
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    y = np.array([-1, -1, 1, 1])
    model = SVC(C=0.02, kernel="linear", tol=1e-10).fit(X, y)
    assert (np.abs(model.dual_coef_) == 0.02).all()
    w = model.coef_[0, 0]
    assert w == pytest.approx(0.16)
    low, high = model.intercept_interval_[0]
    assert [low, high] == pytest.approx([-0.52, 0.52])
    assert model.intercept_[0] == pytest.approx(0, abs=1e-12)

    def risk(b):
        return np.maximum(0, 1 - y * (X[:, 0] * w + b)).sum()

    inside = [risk(b) for b in np.linspace(low, high, 5)]
    np.testing.assert_allclose(inside, inside[0])
    assert risk(low - 0.01) > inside[0] + 1e-4
    assert risk(high + 0.01) > inside[0] + 1e-4
    assert "every b in" in str(model.report_)
    free, y2, _ = data(3)
    ends = SVC().fit(free, y2).intercept_interval_[0]
    assert ends[0] == ends[1]


@pytest.mark.course("S4-51", "S1-49", "S3-69")
def test_pairs_keep_the_constraint_and_never_raise_the_dual():
    X, y, _ = data(4)
    values = []
    for steps in (1, 3, 10, 30, 100, -1):
        model = SVC(C=5.0, max_iter=steps, tol=1e-8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        assert beta.sum() == pytest.approx(0, abs=1e-12)
        assert (y * beta >= 0).all()
        assert (y * beta <= 5).all()
        K = rbf_kernel(X, gamma=model.gamma_)
        values.append((y * beta).sum() - 0.5 * beta @ K @ beta)
    assert (np.diff(values) >= -1e-12).all()
    small = SVC(C=5.0, tol=1e-8, cache_size=1e-3).fit(X, y)
    np.testing.assert_allclose(
        small.decision_function(X), model.decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SVR", {"C": 2.0, "epsilon": 0.05}),
        ("SVR", {"kernel": "linear"}),
        ("SVR", {"epsilon": 0.0}),
        ("NuSVR", {"nu": 0.3, "C": 3.0}),
        ("NuSVC", {"nu": 0.4}),
        ("OneClassSVM", {"nu": 0.2}),
        ("OneClassSVM", {"nu": 0.2, "kernel": "poly", "coef0": 1.0}),
    ],
    ids=str,
)
def test_they_are_scikit_learns(name, options, sparse):
    X, y, number = data(5)
    target = y if name == "NuSVC" else None if name == "OneClassSVM" else number
    rows = sp.csr_array(X) if sparse else X
    ours = getattr(corollary, name)(tol=1e-9, **options).fit(rows, target)
    theirs = getattr(peers, name)(tol=1e-9, **options).fit(X, target)
    query, _, _ = data(6)
    ask = "predict" if name.endswith("R") else "decision_function"
    a, b = getattr(ours, ask)(query), getattr(theirs, ask)(query)
    close = 1e-5 if name == "NuSVC" else 2e-6  # LIBSVM's margins are 1 to 4e-6 there
    np.testing.assert_allclose(a, b, atol=close * np.abs(b).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    if options.get("epsilon") != 0.0:
        np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.report_.optimality.value < 1e-5


@pytest.mark.course("S2-42")
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_both_duals_of_regression_have_one_value(epsilon):
    X, _, y = data(7, 25)
    C = 1.5
    model = SVR(C=C, epsilon=epsilon, tol=1e-10).fit(X, y)
    K = rbf_kernel(X, gamma=model.gamma_)
    n = len(y)

    def value(z):
        b = z[:n] - z[n:]
        return 0.5 * b @ K @ b - y @ b + epsilon * z.sum()

    def slope(z):
        g = K @ (z[:n] - z[n:]) - y
        return np.concatenate([g + epsilon, epsilon - g])

    sums = np.concatenate([np.ones(n), -np.ones(n)])
    equal = {"type": "eq", "fun": lambda z: sums @ z, "jac": lambda z: sums}
    both = np.hstack([np.eye(n), np.eye(n)])
    extra = {"type": "ineq", "fun": lambda z: C - both @ z, "jac": lambda z: -both}
    for constraints in ([equal], [equal, extra]):
        best = minimize(
            value,
            np.zeros(2 * n),
            jac=slope,
            bounds=[(0, C)] * (2 * n),
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert model.report_.objective[-1] == pytest.approx(-best.fun, rel=1e-6)
    if epsilon:
        assert (best.x[:n] * best.x[n:]).max() < 1e-6
    error = np.abs(y - model.predict(X))
    assert (error[model.roles_ == 0] <= epsilon + 1e-8).all()
    np.testing.assert_allclose(error[model.roles_ == 1], epsilon, atol=1e-8)
    assert (error[model.roles_ == 2] >= epsilon - 1e-8).all()


@pytest.mark.course("S2-42", "S0-26")
def test_nu_is_a_share_of_rows_and_stands_for_a_price_or_a_width():
    X, y, number = data(8)
    tube = NuSVR(nu=0.3, C=2.0, tol=1e-9).fit(X, number)
    same = SVR(C=2.0, epsilon=tube.epsilon_, tol=1e-9).fit(X, number)
    np.testing.assert_allclose(tube.predict(X), same.predict(X), atol=1e-6)
    assert (tube.roles_ == 2).mean() <= 0.3 <= (tube.roles_ >= 1).mean()
    margin = NuSVC(nu=0.4, tol=1e-9).fit(X, y)
    price = SVC(C=margin.C_, tol=1e-9).fit(X, y)
    g = price.decision_function(X)
    np.testing.assert_allclose(margin.decision_function(X), g, atol=1e-5)
    bound = np.abs(margin.dual_coef_[0]) >= margin.C_ * (1 - 1e-9)
    assert bound.sum() / len(y) <= 0.4 <= len(margin.support_) / len(y)
    m = y[margin.support_] * margin.decision_function(margin.support_vectors_)
    np.testing.assert_allclose(m[~bound], 1, atol=1e-9)
    with pytest.raises(
        ParameterError, match=r"NuSVC: specified nu is infeasible.*0\.9"
    ):
        NuSVC(nu=0.9).fit(X[y == 1][:50].repeat(2, 0), np.arange(100) < 20)


@pytest.mark.course("S1-50")
def test_the_ball_is_the_plane_for_a_gaussian_kernel():
    X, _, _ = data(9)
    for nu in (0.05, 0.2, 0.6):
        plane = OneClassSVM(nu=nu, tol=1e-10).fit(X)
        ball = SVDD(nu=nu, tol=1e-10).fit(X)
        a, b = plane.decision_function(X), ball.decision_function(X)
        scale = 2 / (nu * len(X))
        np.testing.assert_allclose(b, scale * a, atol=1e-9)
        np.testing.assert_array_equal(plane.predict(X), ball.predict(X))
        assert (ball.predict(X) < 0).mean() <= nu <= len(ball.support_) / len(X)


@pytest.mark.course("S1-50")
def test_the_smallest_ball_around_all_points():
    X, _, _ = data(10, 60, 2)
    ball = SVDD(nu=1e-3, kernel="linear", tol=1e-12).fit(X)
    radius2 = ((X - ball.center_) ** 2).sum(axis=1)
    assert ball.radius2_ == pytest.approx(radius2.max())
    best = minimize(
        lambda c: ((X - c) ** 2).sum(axis=1).max(),
        X.mean(axis=0),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 5000},
    )
    np.testing.assert_allclose(ball.center_, best.x, atol=1e-5)
    assert ball.radius2_ == pytest.approx(best.fun, rel=1e-6)
    np.testing.assert_allclose(ball.score_samples(X), -radius2, atol=1e-10)
    assert ball.dual_coef_.sum() == pytest.approx(1)


@given(seed=st.integers(0, 1000), name=st.sampled_from(["SVR", "NuSVR", "OneClassSVM"]))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition(seed, name):
    X, _, number = data(seed, 40)
    times = np.random.default_rng(seed).integers(0, 4, size=40)
    y = None if name == "OneClassSVM" else number
    make = getattr(corollary, name)
    weighted = make(tol=1e-9).fit(X, y, times)
    twice = make(tol=1e-9).fit(X.repeat(times, 0), number.repeat(times))
    ask = "decision_function" if y is None else "predict"
    a, b = getattr(weighted, ask)(X), getattr(twice, ask)(X)
    np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.course("S1-49", "S3-69")
def test_a_path_gives_the_same_machines_in_fewer_steps():
    X, y, _ = data(11, 300)
    Cs, gammas = [0.5, 1.0, 2.0, 4.0, 8.0], [0.2, 0.3]
    grid = svc_path(X, y, Cs, gammas, estimator=SVC(tol=1e-6))
    warm = cold = 0
    for gamma, row in zip(gammas, grid, strict=True):
        for C, model in zip(Cs, row, strict=True):
            alone = SVC(C=C, gamma=gamma, tol=1e-6).fit(X, y)
            a, b = model.decision_function(X), alone.decision_function(X)
            np.testing.assert_allclose(a, b, atol=1e-5)
            warm, cold = warm + model.n_iter_.sum(), cold + alone.n_iter_.sum()
    assert warm < 0.8 * cold
    with pytest.raises(ParameterError, match="svc_path: Cs and gammas"):
        svc_path(X, y, [])


@pytest.mark.course("S0-32")
@pytest.mark.parametrize("K", [2, 3])
def test_fewer_vectors_at_a_known_price(K):
    X, y, _ = data(12, 300)
    y = y if K == 2 else np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.5])
    model = SVC(C=2.0).fit(X, y)
    last = np.inf
    for m in (5, 20, 60, len(model.support_)):
        small = compress(model, m, X)
        assert small.after <= m
        assert small.change <= small.bound + 1e-9
        total = (small.distance**2).sum()
        assert total <= last * (1 + 1e-9) + 1e-12
        last = total
    assert small.change < 1e-5
    assert compress(model, 60, X).agreement > 0.95
    refused = SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ParameterError, match="compress: the kernel must be known"):
        compress(refused, 3)
    with pytest.raises(ParameterError, match="n_vectors must be at least 1"):
        compress(model, 0)
    with pytest.raises(ParameterError, match="model must be"):
        compress(SVDD().fit(X), 3)


def test_prediction_needs_support_vectors_alone_and_any_batch():
    X, y, _ = data(13)
    model = SVC().fit(X, y)
    K = rbf_kernel(X, model.support_vectors_, gamma=model.gamma_)
    whole = model.decision_function(X)
    np.testing.assert_allclose(whole, K @ model.dual_coef_[0] + model.intercept_)
    one_by_one = np.concatenate([model.decision_function(x[None]) for x in X])
    np.testing.assert_array_equal(one_by_one, whole)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("K", [2, 3])
def test_probabilities_are_calibrated_and_reproducible(method, K):
    rng = np.random.default_rng(14)
    X = rng.normal(size=(600, 2))
    p = 1 / (1 + np.exp(-2 * X[:, 0]))
    y = (rng.random(600) < p).astype(int)
    if K == 3:
        y[X[:, 1] > 0.8] = 2
    options = {"kernel": "linear", "probability": method, "random_state": 0}
    model = SVC(**options).fit(X[:400], y[:400])
    P = model.predict_proba(X[400:])
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P > 0).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[400:])), P)
    if K == 2:
        assert np.abs(P[:, 1] - p[400:]).mean() < 0.08
    again = SVC(**options).fit(X[:400], y[:400]).predict_proba(X[400:])
    np.testing.assert_array_equal(again, P)
    assert (P.argmax(axis=1) == model.predict(X[400:])).mean() > 0.9
    assert not hasattr(SVC(), "predict_proba")


@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
@pytest.mark.parametrize("sparse", [False, True])
def test_files(name, sparse, tmp_path):
    X, y, _ = data(15)
    rows = sp.csr_array(np.where(np.abs(X) < 0.5, 0, X)) if sparse else X
    model = getattr(corollary, name)().fit(rows, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert sp.issparse(again.support_vectors_) == sparse
    model.n_support_ = model.n_support_ * 0 + 10**6
    corollary.save(model, tmp_path / "forged")
    with pytest.raises(ModelFileError, match="altered"):
        corollary.load(tmp_path / "forged")
    if sparse:
        model = getattr(corollary, name)().fit(rows, y)
        model.support_vectors_.indices[0] = 10**6
        corollary.save(model, tmp_path / "forged")
        with pytest.raises(ModelFileError, match="valid indices"):
            corollary.load(tmp_path / "forged")


@pytest.mark.course("S0-26", "S4-51", "S1-49")
@pytest.mark.parametrize("part", range(10))
def test_the_gap_is_never_below_the_truth(part):
    """Fifty problems a part, against an interior-point solver."""
    import clarabel

    settings_ = clarabel.DefaultSettings()
    settings_.verbose = False
    settings_.tol_gap_abs = settings_.tol_gap_rel = settings_.tol_feas = 1e-10
    for seed in range(50 * part, 50 * part + 50):
        rng = np.random.default_rng(seed)
        X, y, _ = data(seed, 30)
        C, tol = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-4, 0)
        model = SVC(C=C, tol=tol).fit(X, y)
        K = rbf_kernel(X, gamma=model.gamma_)
        Q = sp.csc_matrix(np.triu(y[:, None] * y * K))
        A = sp.csc_matrix(np.vstack([y[None], -np.eye(30), np.eye(30)]))
        b = np.concatenate([[0.0], np.zeros(30), np.full(30, C)])
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(60)]
        best = clarabel.DefaultSolver(Q, -np.ones(30), A, b, cones, settings_).solve()
        beta = np.zeros(30)
        beta[model.support_] = model.dual_coef_[0]
        found = np.abs(beta).sum() - 0.5 * beta @ K @ beta
        missing = -best.obj_val - found
        assert missing <= model.report_.optimality.value + 1e-7 * abs(best.obj_val)
        assert missing >= -1e-7 * abs(best.obj_val)


PEAK = """
import sys
import numpy as np
import corollary

def megabytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith(field)) / 1e3

def above(work):
    open("/proc/self/clear_refs", "w").write("5")
    before = megabytes("VmHWM")
    work()
    return megabytes("VmHWM") - before

name, n, cache, classes, pairs = sys.argv[1], *map(int, sys.argv[2:])
rng = np.random.default_rng(0)
X, y = rng.standard_normal((n, 20)), rng.integers(classes, size=n)
X[np.arange(n), y] += 2.0
y = X[:, 0] + rng.standard_normal(n) if name == "SVR" else y
machine = getattr(corollary, name)
machine().fit(X[:1500], y[:1500]).predict(X[:1500])
model = machine(cache_size=cache, max_iter=pairs)
fit = above(lambda: model.fit(X, y))
use = above(lambda: model.predict(X[:: max(1, classes // 2)]))
print(fit, use, megabytes("VmHWM"))
"""


def peak(name, n, cache, classes=2, pairs=20_000):
    words = map(str, (name, n, cache, classes, pairs))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PEAK, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]


ROUND = [
    ("NuSVC", "rbf", 0.25),
    ("NuSVC", "rbf", 0.5),
    ("NuSVC", "linear", 0.5),
    *(("NuSVR", k, nu) for k in ("linear", "rbf") for nu in (0.25, 0.5, 0.7)),
    *((name, "rbf", nu) for name in ("OneClassSVM", "SVDD") for nu in (0.25, 0.5)),
]


@pytest.mark.course("S0-26")
@pytest.mark.parametrize(("name", "kernel", "nu"), ROUND)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=10, deadline=None)
def test_a_share_of_whole_rows_leaves_the_offset_to_no_rounding(name, kernel, nu, seed):
    """nu times the rows is a whole number: often no variable is between its bounds."""
    rng = np.random.default_rng(seed)
    X, y, number = data(11, 80)
    y = np.where(X[:, 0] + 0.2 * rng.normal(size=80) > 0, 1, -1)
    y = y if name == "NuSVC" else number
    times = rng.integers(0, 4, size=80)
    order = rng.permutation(np.repeat(np.arange(80), times))
    more = {"C": 1e-3} if name == "NuSVR" else {}
    model = getattr(corollary, name)(nu=nu, kernel=kernel, tol=1e-9, gamma=0.1, **more)
    weighted = model.fit(X, y, sample_weight=times).intercept_
    again = model.fit(X[order], y[order]).intercept_
    np.testing.assert_allclose(weighted, again, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    "name", ["SVC", "NuSVC", "SquaredHingeSVC", "SVR", "NuSVR", "OneClassSVM"]
)
def test_rows_of_weight_0_leave_a_given_matrix_too(name):
    X, y, number = data(12, 60)
    y = y if name.endswith("SVC") else number
    w = np.random.default_rng(12).integers(0, 3, 60)
    more = {"nu": 0.3} if name.startswith("Nu") else {}
    make = getattr(corollary, name)
    given = make(kernel="precomputed", tol=1e-9, **more)
    K = rbf_kernel(X, gamma=0.3)
    model = make(gamma=0.3, tol=1e-9, **more).fit(X, y, sample_weight=w)
    given.fit(K, y, sample_weight=w)
    a, b = (getattr(m, "decision_function", m.predict) for m in (model, given))
    np.testing.assert_allclose(a(X), b(K), rtol=1e-7, atol=1e-9)
    assert w[given.support_].all()
    assert (given.roles_[w == 0] == 0).all() or name.endswith("SVC")


@pytest.mark.course("S4-14")
def test_a_function_may_be_of_texts(tmp_path):
    rng = np.random.default_rng(5)
    texts = [
        "".join(rng.choice(list("ab"), 6, p=p)) for p in [(0.7, 0.3), (0.3, 0.7)] * 20
    ]
    y = np.arange(40) % 2
    k = Spectrum(2)
    K = k(texts)
    for name in ("SVC", "NuSVC", "SVR", "OneClassSVM"):
        make = getattr(corollary, name)
        model = make(kernel=k, tol=1e-8).fit(texts, y)
        given = make(kernel="precomputed", tol=1e-8).fit(K, y)
        a, b = (getattr(m, "decision_function", m.predict) for m in (model, given))
        np.testing.assert_allclose(a(texts), b(K), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            a(np.array(texts[:3])), b(K[:3]), rtol=1e-6, atol=1e-8
        )
        assert list(model.support_vectors_) == [texts[i] for i in model.support_]
        with pytest.raises(DataError, match="must hold objects such as those"):
            model.predict(K)
    with pytest.raises(DataError, match="X must hold numbers; got the text"):
        SVC().fit(texts, y)
    corollary.save(SVC(kernel=k).fit(texts, y), tmp_path / "texts")
    again = corollary.load(tmp_path / "texts")
    assert (again.predict(texts) == SVC(kernel=k).fit(texts, y).predict(texts)).all()


def test_hulls_that_meet_are_told_at_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.arange(400) % 2
    for shift in (0.0, 1e3):  # a distance is the same from any origin
        with pytest.raises(DataError, match="hulls of two classes are apart"):
            NuSVC(nu=0.3, kernel="linear", cache_size=1).fit(X + shift, y)
    apart = NuSVC(nu=0.3, kernel="linear", tol=1e-6).fit(X + 1e3 + 5 * y[:, None], y)
    assert apart.score(X + 1e3 + 5 * y[:, None], y) == 1.0


def test_going_on_for_an_exact_end_costs_little():
    X = np.random.default_rng(0).normal(size=(120, 4))  # of rank 4
    model = OneClassSVM(kernel="linear", nu=0.5, tol=1e-9).fit(X)
    assert model.report_.facts["pairs"] < 50_000
    assert model.report_.facts["KKT violation"] <= 1e-9


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.course("S1-49", "S3-69")
@pytest.mark.parametrize("cache", [50, 200])
@pytest.mark.parametrize(
    ("name", "classes"),
    [("SVC", 2), ("SVC", 10), ("SVR", 2), ("OneClassSVM", 2), ("NuSVC", 2)],
)
def test_memory_stays_within_the_cache_and_the_data(name, classes, cache):
    rows = 30_000 * 20 * 8 / 1e6
    fit, use, _ = peak(name, 30_000, cache, classes)
    assert fit <= 1.2 * cache + rows
    assert use <= 60 + rows  # blocks of kernel values, whatever the number of rows


@pytest.mark.slow
@pytest.mark.course("S3-69")
def test_a_hundred_thousand_rows_fit_in_two_gigabytes():
    _, _, whole = peak("SVC", 100_000, 500, pairs=-1)
    assert whole < 2048
