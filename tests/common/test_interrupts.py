"""Ctrl-C at any point of any fit: it always arrives, and what was learned is kept.

The law: KeyboardInterrupt is raised again; the estimator holds a model whose report
says "interrupted", or it is as it was before the fit; and the next fit is right.
"""

import contextlib
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags

import corollary
from common.learners import LEARNERS, flat
from common.sources import local_client
from corollary import StopReason, config_context
from corollary.engine.executors import executor as executors

HOME = os.path.dirname(corollary.__file__)
CASES = {case.name: case for case in reversed(LEARNERS)}
MORE = {
    "BaggingClassifier": {"random_state": 0},
    "BaggingRegressor": {"random_state": 0},
    "ConformalClassifier": {"random_state": 0},
    "ConformalRegressor": {"random_state": 0},
    "CostSensitiveClassifier": {"estimator": corollary.LogisticRegression()},
    "GeneralizedKMeans": {"random_state": 0},
    "GeneralizedLinearRegressor": {"family": "poisson"},
    "LocallyWeightedRegression": {"tau": "loo"},
    "Nystroem": {"n_components": 20, "random_state": 0},
    "PassiveAggressiveClassifier": {"random_state": 0},
    "PassiveAggressiveRegressor": {"random_state": 0},
    "RANSACRegressor": {"random_state": 0},
    "SGDClassifier": {"random_state": 0},
    "SGDRegressor": {"random_state": 0},
    "SVC": {"probability": True, "random_state": 0},
    "TheilSenRegressor": {"random_state": 0},
}


def made(name):
    """Return an estimator with parameters that make its fit worth interrupting."""
    if name in CASES and name not in MORE:
        return CASES[name].make()
    return getattr(corollary, name)(**MORE.get(name, {}))


def rows_for(name, n=90):
    """Return rows and a target that suit an estimator."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    case, tags = CASES.get(name), get_tags(made(name))
    if case is not None:
        X = case.rows(X)
    elif tags.input_tags.positive_only or tags.input_tags.categorical:
        X = np.rint(np.abs(X))
    side = X[:, 0] + 0.3 * rng.normal(size=n)
    if name == "HardMarginSVC":
        side = X[:, 0] + np.sign(X[:, 0])
    if is_classifier(made(name)):
        shares = [1 / 3, 2 / 3] if tags.classifier_tags.multi_class else [0.5]
        return X, np.digitize(side, np.quantile(side, shares))
    y = np.rint(np.exp(side)) + 1
    return X, y if tags.target_tags.single_output else np.column_stack([y, side])


# -- at every call of every fit --------------------------------------------------------
@contextlib.contextmanager
def pressed_at(call):
    """Raise KeyboardInterrupt as the main thread enters its n-th function of ours."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        code = frame.f_code
        plain = not code.co_flags & inspect.CO_GENERATOR  # Python closes those itself
        if event == "call" and plain and code.co_filename.startswith(HOME):
            count += 1
            if count == call:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        yield lambda: count
    finally:
        sys.setprofile(None)


def learned(model):
    return {k: v for k, v in vars(model).items() if k[-1] == "_" and k != "report_"}


def same(a, b):
    """Tell whether two values that were learned are the same."""
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        return bool(np.array_equal(flat(a), flat(b), equal_nan=True))
    return True


def assert_kept_or_as_before(model, before, reference):
    """Hold a model after Ctrl-C to the law; it may have come after all was done."""
    if "report_" not in vars(model):
        assert vars(model) == before
        return
    assert model.report_.learner == type(model).__name__
    assert str(model.report_)
    if model.report_.stop is not StopReason.INTERRUPTED:
        assert_same_learned(model, reference)


def assert_same_learned(model, reference):
    for key, value in learned(reference).items():
        assert same(value, learned(model)[key]), key


def sweep(name, points):
    X, y = rows_for(name)
    with config_context(threads=2, chunk_rows=40):
        with pressed_at(-1) as calls:
            reference = made(name).fit(X, y)
        total = calls()
        for call in sorted({*np.linspace(1, total, points).astype(int).tolist()}):
            model = made(name)
            before = dict(vars(model))
            with contextlib.suppress(KeyboardInterrupt), pressed_at(call) as calls:
                model.fit(X, y)
                assert calls() < call, f"swallowed at call {call} of {total}"
            assert_kept_or_as_before(model, before, reference)
            assert not executors._limits
            assert not executors._limits_users
        assert_same_learned(made(name).fit(X, y), reference)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", corollary.registry.ESTIMATORS)
def test_ctrl_c_is_heard_at_any_call(name):
    sweep(name, 7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", corollary.registry.ESTIMATORS)
def test_ctrl_c_is_heard_at_very_many_calls(name):
    sweep(name, 150)


def test_a_kept_interrupt_never_passes_in_silence():
    X, y = rows_for("LogisticRegression")
    with config_context(interrupt="keep", threads=1):
        with pressed_at(-1) as calls:
            made("LogisticRegression").fit(X, y)
        kept = 0
        for call in range(1, calls(), calls() // 20):
            model = made("LogisticRegression")
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                with contextlib.suppress(KeyboardInterrupt), pressed_at(call):
                    model.fit(X, y)
                    kept += 1
                    assert model.report_.stop is StopReason.INTERRUPTED
                    assert "LogisticRegression: interrupted" in str(heard[-1].message)
    assert kept


# -- with real signals -----------------------------------------------------------------
def late():
    """Return the seconds within which Ctrl-C must arrive, more on a busy machine."""
    return 1.0 + os.getloadavg()[0] / (os.cpu_count() or 1)


def pressed_after(seconds, call, limit=30.0):
    """Call again and again, press Ctrl-C meanwhile; return when it arrives."""
    sent = []

    def press():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, press)
    timer.start()
    try:
        while not sent or time.perf_counter() < sent[0] + limit:
            call()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.join()
    raise AssertionError("the signal was swallowed")


def drawn(n, d, classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, rng.integers(classes, size=n), X[:, 0] + rng.normal(size=n)


def workloads():
    """Yield what users do in loops, and fits that run for long in one loop."""
    X, two, number = drawn(2000, 8)
    _, many, _ = drawn(2000, 8, 5)
    model = corollary.LogisticRegression()
    yield "cross_val_score", cross_val_score, model, X, two
    search = GridSearchCV(corollary.Ridge(), {"alpha": [0.1, 1.0, 10.0]})
    yield "GridSearchCV", search.fit, X, number
    yield "loop of fits", corollary.KMeans(8, random_state=0).fit, X
    yield "LogisticRegressionCV", corollary.LogisticRegressionCV(Cs=5).fit, X, two
    yield "LassoCV", corollary.LassoCV().fit, X, number
    yield "SVC", corollary.SVC(C=1e5, gamma=1.0).fit, X, many
    yield (
        "SGDClassifier",
        corollary.SGDClassifier(tol=None, max_iter=10**5).fit,
        X,
        many,
    )
    yield "QuantileRegressor", corollary.QuantileRegressor().fit, X, number


def long_workloads():
    """Yield fits that LAPACK or one compiled loop takes long for."""
    X, two, number = drawn(3000, 10)
    wide, _, response = drawn(1500, 1500)
    large, many, _ = drawn(200_000, 30, 4)
    yield "KernelFisherDiscriminant", corollary.KernelFisherDiscriminant().fit, X, two
    yield "Nystroem", corollary.Nystroem(n_components=2500).fit, X
    yield "KernelRidge", corollary.KernelRidge(kernel="rbf").fit, X, number
    yield "PCA", corollary.PCA().fit, wide
    yield "Lasso", corollary.Lasso(1e-6, tol=1e-14).fit, wide, response
    yield (
        "LinearDiscriminantAnalysis",
        (corollary.LinearDiscriminantAnalysis().fit),
        wide,
        (response > 0),
    )
    yield "Perceptron", corollary.Perceptron(tol=None).fit, large, many
    hinge = corollary.LinearSVC(loss="hinge", tol=1e-12, max_iter=10**6)
    yield "LinearSVC", hinge.fit, large, many
    at_once = corollary.LinearSVC(multi_class="crammer_singer", tol=1e-12)
    yield "CrammerSinger", at_once.fit, large, many
    lloyd = corollary.KMeans(100, tol=0, max_iter=10**5, random_state=0)
    yield "KMeans", lloyd.fit, large
    yield "NuSVR", corollary.NuSVR(C=1e4, tol=1e-9).fit, X, number
    threads = corollary.OneVsRestClassifier(
        corollary.LogisticRegression(tol=1e-12), n_jobs=2
    )
    yield "OneVsRestClassifier", threads.fit, large, many
    yield "loops of LogisticRegression", corollary.LogisticRegression().fit, large, many


def assert_heard(name, press_times):
    (_, fit, *data) = next(w for w in (*workloads(), *long_workloads()) if w[0] == name)
    for seconds in press_times:
        assert pressed_after(seconds, lambda: fit(*data)) < late()
    X, y, _ = drawn(300, 3)
    begun = time.perf_counter()
    corollary.SVC().fit(X, y)
    corollary.KMeans(3, random_state=0).fit(X)
    assert time.perf_counter() - begun < late()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [w[0] for w in workloads()])
def test_a_signal_arrives_at_once(name):
    assert_heard(name, (0.2, 0.35))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [w[0] for w in (*workloads(), *long_workloads())])
def test_signals_arrive_at_once_wherever_they_come(name):
    assert_heard(name, np.linspace(0.1, 3.0, 12))


def test_a_signal_while_other_threads_fit_stops_only_the_main_one():
    X, y, _ = drawn(1500, 8, 4)
    found = []

    def fit():
        found.append(corollary.SVC(C=100.0, gamma=1.0).fit(X, y))

    others = [threading.Thread(target=fit) for _ in range(2)]
    for thread in others:
        thread.start()
    pressed_after(0.1, lambda: corollary.SVC(C=1e3, gamma=1.0).fit(X, y))
    for thread in others:
        thread.join()
    assert len(found) == 2
    assert all(model.report_.stop is StopReason.CONVERGED for model in found)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs alarms")
@pytest.mark.parametrize("executor", ["threads", "dask"])
def test_what_a_users_alarm_raises_ends_a_fit(executor):
    """A deadline of one's own is often a TimeoutError, which waits raise too."""
    X, _, _ = drawn(100_000, 8)
    model = corollary.KMeans(200, tol=0, max_iter=10**5, random_state=0)

    def late(*_):
        raise TimeoutError("my own deadline")

    before = signal.signal(signal.SIGALRM, late)
    try:
        with contextlib.ExitStack() as stack:
            chosen = executor
            if executor == "dask":
                chosen = stack.enter_context(local_client())
            settings = {"executor": chosen, "threads": 2, "chunk_rows": 5_000}
            stack.enter_context(config_context(**settings))
            for seconds in (0.6, 0.05, 0.11, 0.17, 0.23, 0.31):
                signal.setitimer(signal.ITIMER_REAL, seconds)
                with pytest.raises(TimeoutError, match="my own deadline"):
                    model.fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


EXIT = """
import os, signal, sys, threading, time
import numpy as np
import corollary

rng = np.random.default_rng(0)
X, y = rng.normal(size=({rows}, 10)), rng.integers(4, size={rows})
model = corollary.{model}
corollary.Ridge().fit(X, y)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        model.fit(X, y)
except KeyboardInterrupt:
    print(time.time(), end="")
corollary.Ridge().fit(X, y)
sys.exit({status})
"""


def assert_ends_soon(model, rows, status=0):
    script = EXIT.format(model=model, rows=rows, status=status)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, timeout=200, check=False)
    took = time.time() - float(done.stdout)
    assert (done.returncode, done.stderr) == (status, b"")
    assert took < 1 + late()


@pytest.mark.parametrize("status", [0, 3])
@pytest.mark.parametrize("model", ["SVC(C=1e5, gamma=1)", "KernelFisherDiscriminant()"])
def test_the_process_ends_soon_after(model, status):
    assert_ends_soon(model, 2500, status)


@pytest.mark.slow
@pytest.mark.parametrize("again", range(20))
def test_a_call_of_lapack_left_behind_does_not_crash_the_end(again):
    assert_ends_soon("KernelFisherDiscriminant()", 2000 + 100 * again)
