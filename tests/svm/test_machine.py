"""What kernel machines share: the solver's bound, the rows they count, their memory."""

import subprocess
import sys
import tracemalloc
import warnings

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import data
from sklearn.metrics.pairwise import rbf_kernel

import corollary
from corollary import SVC, SVDD
from corollary.core.errors import DataError
from corollary.kernels import Spectrum
from corollary.solvers import solve_qp

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(int)
w = rng.integers(0, 3, size=40)

NAMES = ["SVC", "NuSVC", "SquaredHingeSVC", "SVR", "NuSVR", "OneClassSVM"]


@pytest.mark.parametrize("name", [*NAMES, "KernelQuantileRegressor"])
def test_support_vectors_are_the_users_rows_whatever_weighs_nothing(name):
    """A row of weight 0 is removed, and the others keep their numbers."""
    model = getattr(corollary, name)(kernel="linear").fit(X, y, sample_weight=w)
    assert (w[model.support_] > 0).all()
    kept = getattr(model, "support_vectors_", getattr(model, "X_fit_", None))
    np.testing.assert_array_equal(X[model.support_], kept)


@pytest.mark.parametrize("name", [*NAMES, "KernelQuantileRegressor"])
def test_a_given_matrix_may_have_rows_that_weigh_nothing(name):
    K, fine = X @ X.T, {"tol": 1e-9}
    ask = "decision_function" if "SVC" in name or name == "OneClassSVM" else "predict"
    made = getattr(corollary, name)
    rows = made(kernel="linear", **fine).fit(X, y, sample_weight=w)
    given = made(kernel="precomputed", **fine).fit(K, y, sample_weight=w)
    np.testing.assert_array_equal(given.support_, rows.support_)
    np.testing.assert_allclose(getattr(given, ask)(K), getattr(rows, ask)(X), atol=1e-6)


def test_weights_that_are_none_are_refused_as_ever():
    for bad in ("many", [1.0, 2.0], np.full(40, -1.0), np.zeros(40)):
        with pytest.raises(ValueError, match="SVC"):
            SVC().fit(X, y, sample_weight=bad)


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
    cosine = k.normalized()  # a ball of texts, on a sphere
    ball = SVDD(kernel=cosine, nu=0.2, tol=1e-8).fit(texts)
    given = SVDD(kernel="precomputed", nu=0.2, tol=1e-8).fit(cosine(texts))
    a, b = ball.decision_function(texts), given.decision_function(cosine(texts))
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)
    with pytest.raises(DataError, match="X must hold numbers; got the text"):
        SVC().fit(texts, y)
    corollary.save(SVC(kernel=k).fit(texts, y), tmp_path / "texts")
    again = corollary.load(tmp_path / "texts")
    assert (again.predict(texts) == SVC(kernel=k).fit(texts, y).predict(texts)).all()


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


@pytest.mark.course("S0-26", "S4-51", "S1-49")
@pytest.mark.parametrize("part", range(10))
def test_the_gap_is_never_below_the_truth(part):
    """Fifty problems a part, against an interior-point solver."""
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


def traced_peak(work):
    """Return the largest memory that arrays took during some work, in MB."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.course("S1-49", "S3-69")
def test_the_kernel_matrix_is_never_formed_and_the_answer_is_the_dense_one():
    X, y, _ = data(7, 2000)
    machines = {size: SVC(C=2.0, tol=1e-4, cache_size=size) for size in (1, 200)}
    machines[1].fit(X[:100], y[:100])
    peaks = {size: traced_peak(lambda m=m: m.fit(X, y)) for size, m in machines.items()}
    whole = 2000 * 2000 * 4 / 1e6  # of the kernel matrix, in single precision
    assert peaks[1] < 0.5 * whole
    assert peaks[200] > 1.5 * peaks[1]  # a larger cache is used
    small, large = (m.decision_function(X) for m in machines.values())
    np.testing.assert_allclose(small, large, atol=2e-3)
    # the dense programme: max 1'a - a'Ha / 2, y'a = 0, 0 <= a <= C
    X, y = X[:150], y[:150]
    model = SVC(C=2.0, tol=1e-8, cache_size=1e-3).fit(X, y)
    H = y[:, None] * y * rbf_kernel(X, gamma=model.gamma_)
    box = np.vstack([np.eye(150), -np.eye(150)])
    b = np.concatenate([np.full(150, 2.0), np.zeros(150)])
    dense = solve_qp(H, -np.ones(150), y[None].astype(float), [0.0], box, b)
    alpha = np.zeros(150)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, dense.x, atol=1e-4)
    value = alpha.sum() - 0.5 * alpha @ H @ alpha
    assert value == pytest.approx(-dense.value, rel=1e-7)


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
