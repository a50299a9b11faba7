import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary import Perceptron, engine
from corollary.core.errors import DataError, ParameterError
from corollary.datasets import nonseparable_points, student_perceptron
from corollary.linear.separability import separability

FEW = settings(max_examples=20, deadline=None)


def classes(n=300, d=4, K=2, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, K)) + noise * rng.normal(size=(n, K))
    return X, scores.argmax(axis=1)


def textbook(X, t, a, eta=1.0, passes=100):
    """Visit the rows in order; return a after each update, and the rows."""
    Y, trace, rows = t[:, None] * np.insert(X, 0, 1, axis=1), [a], []
    for _ in range(passes):
        for i, y in enumerate(Y):
            if a @ y <= 0:
                a = a + eta * y
                trace.append(a)
                rows.append(i)
    return np.array(trace), np.array(rows)


@pytest.mark.course("S3-58")
def test_students_of_the_course():
    table = student_perceptron()
    y = table.y == "A"
    model = Perceptron(shuffle=False, trace=True)
    model.fit(table.X, y, [[0.25] * 4], [0.25])
    quarter = np.full(5, 0.25)
    np.testing.assert_array_equal(
        model.trace_.weights,
        [
            quarter,
            [-0.75] * 5,
            [-1.75, 0.25, 0.25, 0.25, -1.75],
            [-0.75, 1.25, -0.75, -0.75, -0.75],
        ],
    )
    assert model.trace_.rows.tolist() == [1, 2, 3]
    assert model.intercept_[0] == -0.75
    assert model.coef_.tolist() == [[1.25, -0.75, -0.75, -0.75]]
    assert model.report_.facts["separated"] is True
    assert model.score(table.X, y) == 1.0
    halves = model.fit(table.X, y, [[0.5, 0.5, 0, 0]], [0.0])
    assert tuple(halves.trace_.weights[-1]) == table.known["from_halves"]


@pytest.mark.course("S3-58")
def test_nonseparable_points_of_the_course_never_rest():
    table = nonseparable_points()
    model = Perceptron(shuffle=False, trace=True, tol=None, max_iter=200)
    model.fit(table.X, table.y == 1, [[1.0, 1.0]], [1.0])
    known = np.array(table.known["weights"])
    np.testing.assert_array_equal(model.trace_.weights[: len(known)], known)
    assert not separability(table.X, table.y).separable
    assert model.report_.stop is corollary.StopReason.MAX_PASSES
    assert "separability(X, y)" in model.report_.warnings[0]
    assert len(model.trace_.rows) > 200


@pytest.mark.course("S3-58")
@given(seed=st.integers(0, 2**31), eta=st.sampled_from([0.25, 1.0, 3.0]))
@FEW
def test_every_update_is_the_textbooks(seed, eta):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(12, 3)).astype(float), rng.integers(2, size=12)
    y[:2] = [0, 1]
    model = Perceptron(shuffle=False, trace=True, tol=None, max_iter=7, eta0=eta)
    model.fit(X, y)
    trace, rows = textbook(X, 2.0 * y - 1, np.zeros(4), eta, model.n_iter_)
    np.testing.assert_array_equal(model.trace_.weights, trace)  # 0 counts as wrong
    np.testing.assert_array_equal(model.trace_.rows, rows)


@pytest.mark.course("S3-58")
@given(seed=st.integers(0, 2**31), gap=st.floats(0.05, 1))
@FEW
def test_novikoffs_bound_on_the_updates(seed, gap):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=4)
    a /= np.linalg.norm(a)
    X = rng.normal(size=(80, 3))
    f = a[0] + X @ a[1:]
    X, f = X[np.abs(f) > gap], f[np.abs(f) > gap]
    if len(np.unique(f > 0)) < 2:
        return
    model = Perceptron(trace=True, tol=None, max_iter=100_000, random_state=seed)
    model.fit(X, f > 0)
    radius2 = 1 + (X**2).sum(axis=1).max()
    assert len(model.trace_.rows) <= radius2 / np.abs(f).min() ** 2
    assert model.score(X, f > 0) == 1.0


def test_equals_scikit_learn_in_the_order_of_the_rows():
    for K in (2, 3):
        X, y = classes(K=K)
        options = {"shuffle": False, "tol": None, "max_iter": 9, "eta0": 0.5}
        ours = Perceptron(**options).fit(X, y)
        theirs = sklearn.linear_model.Perceptron(**options).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.course("S3-59")
def test_averaged_is_the_mean_over_all_visits():
    X, y = classes(n=40)
    model = Perceptron(
        shuffle=False, output="averaged", tol=None, max_iter=5, trace=True
    ).fit(X, y)
    Y = (2.0 * y - 1)[:, None] * np.insert(X, 0, 1, axis=1)
    a, total = np.zeros(5), np.zeros(5)
    for _ in range(5):
        for row in Y:
            a = a + row if a @ row <= 0 else a
            total += a
    mean = total / (5 * len(Y))
    np.testing.assert_allclose(model.intercept_[0], mean[0], rtol=1e-12)
    np.testing.assert_allclose(model.coef_[0], mean[1:], rtol=1e-12)
    np.testing.assert_allclose(model.trace_.weights[-1], a, rtol=1e-12)


@pytest.mark.course("S3-59")
def test_pocket_keeps_the_best_where_the_last_iterate_wanders():
    X, y = classes(n=200, noise=1.5, seed=4)
    assert not separability(X, y).separable
    scores = {"last": [], "pocket": [], "averaged": []}
    for output, found in scores.items():
        for passes in range(20, 36):
            model = Perceptron(output=output, tol=None, max_iter=passes).fit(X, y)
            found.append(model.score(X, y))
    assert (np.diff(scores["pocket"]) >= 0).all()  # never gives a better one away
    assert np.ptp(scores["last"]) > 0.05
    assert (np.array(scores["pocket"]) >= scores["last"]).all()
    assert np.mean(scores["averaged"]) > np.mean(scores["last"])
    table = nonseparable_points()
    best = Perceptron(output="pocket", tol=None, max_iter=200, shuffle=False)
    assert best.fit(table.X, table.y == 1).score(table.X, table.y == 1) == 0.8


@given(seed=st.integers(0, 2**31), output=st.sampled_from(["last", "pocket"]))
@FEW
def test_weights_order_and_storage_of_the_rows_do_not_matter(seed, output):
    rng = np.random.default_rng(seed)
    X, y = classes(n=60, K=3, seed=1)
    w = rng.integers(0, 4, size=60)
    options = {"output": output, "max_iter": 20, "tol": None}
    weighted = Perceptron(**options).fit(X, y, sample_weight=w.astype(float))
    rows = rng.permutation(np.repeat(np.arange(60), w))
    again = Perceptron(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, again.coef_, rtol=1e-10, atol=1e-10)
    sparse = Perceptron(**options).fit(sp.csr_array(X[rows]), y[rows])
    np.testing.assert_allclose(sparse.coef_, again.coef_, rtol=1e-10, atol=1e-10)
    with engine.use(threads=2, chunk_rows=7):
        threads = Perceptron(**options).fit(X[rows], y[rows])
    np.testing.assert_array_equal(threads.coef_, again.coef_)


def test_a_stream_of_batches_is_a_pass_in_their_order():
    X, y = classes()
    whole = Perceptron(shuffle=False, tol=None, max_iter=1).fit(X, y)
    stream = Perceptron(shuffle=False)
    chunks = engine.ChunkSource(
        lambda: [(X[a : a + 70], y[a : a + 70]) for a in range(0, 300, 70)]
    )
    for a in range(0, 300, 70):
        stream.partial_fit(X[a : a + 70], y[a : a + 70], classes=[0, 1])
    np.testing.assert_array_equal(stream.coef_, whole.coef_)
    assert stream.report_.stop is corollary.StopReason.STREAMING
    source = Perceptron(shuffle=False, tol=None, max_iter=1).fit(chunks)
    np.testing.assert_array_equal(source.coef_, whole.coef_)


def test_saved_and_loaded_it_goes_on(tmp_path):
    X, y = classes()
    model = Perceptron(trace=True, max_iter=5, tol=None).fit(X[:200], y[:200])
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.trace_.weights, model.trace_.weights)
    for m in (model, again):
        m.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_warm_start_and_early_stopping():
    X, y = classes(n=500)
    model = Perceptron(warm_start=True, max_iter=3, tol=None).fit(X, y)
    visits = model.t_
    before = model.coef_.copy()
    assert model.fit(X, y).t_ == visits  # the clock begins anew, the weights do not
    assert (model.coef_ != before).any()
    held = Perceptron(early_stopping=True, validation_fraction=0.3).fit(X, y)
    assert held.t_ - 1 < 0.8 * held.n_iter_ * 500
    assert held.score(X, y) > 0.8
    with pytest.warns(ConvergenceWarning, match="max_iter reached after 2 passes"):
        Perceptron(max_iter=2).fit(X, y)


def test_bad_input_is_told_in_one_sentence():
    X, y = classes(n=20)
    for options, text in (
        ({"eta0": 0.0}, "Perceptron: eta0 must be a number > 0; got 0.0."),
        ({"eta0": -1.0}, "Perceptron: eta0 must be a number > 0; got -1.0."),
        (
            {"trace": True, "penalty": "l2"},
            "Perceptron: trace=True must come without a penalty; got penalty='l2'.",
        ),
    ):
        with pytest.raises(ParameterError) as caught:
            Perceptron(**options).fit(X, y)
        assert str(caught.value) == text
    broken = X.copy()
    broken[3, 1] = np.nan
    for arguments, text in (
        ((X, np.ones(20)), "Perceptron: needs samples of at least 2 classes in the"),
        ((broken, y), "Perceptron: Input X must be finite; got NaN in row 3, column 1"),
        ((X, y, np.ones((2, 4))), "Perceptron: coef_init must be finite and of shape"),
    ):
        with pytest.raises(DataError) as caught:
            Perceptron().fit(*arguments)
        assert str(caught.value).startswith(text)
    with pytest.raises(ParameterError, match="must be a dict or None in a stream"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
