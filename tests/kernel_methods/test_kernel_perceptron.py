import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from corollary import KernelPerceptron, Perceptron, StopReason, load, save
from corollary.datasets import student_perceptron, two_moons
from corollary.linear.separability import separability


def separable(n=60, d=3, K=2, seed=0, margin=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4 * n, d))
    S = X @ rng.normal(size=(d, K)) + 0.3 * rng.normal(size=K)
    top = np.sort(S, axis=1)
    keep = np.flatnonzero(top[:, -1] - top[:, -2] > margin)[:n]
    return X[keep], S[keep].argmax(axis=1)


@pytest.mark.course("S4-63")
@given(seed=st.integers(0, 10**6), intercept=st.booleans(), shuffle=st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_linear_kernel_errs_where_the_perceptron_errs(seed, intercept, shuffle):
    X, y = separable(seed=seed)
    if len(set(y)) < 2:
        return
    options = {"fit_intercept": intercept, "shuffle": shuffle, "random_state": seed}
    options["max_iter"] = 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dual = KernelPerceptron(kernel="linear", **options).fit(X, y)
        plain = Perceptron(trace=True, tol=None, **options).fit(X, y)
    np.testing.assert_array_equal(dual.mistakes_[0], plain.trace_.rows)
    w = dual.dual_coef_[0] @ dual.support_vectors_  # sum of alpha_i t_i x_i
    np.testing.assert_allclose(w, plain.coef_[0], atol=1e-9)
    np.testing.assert_allclose(
        dual.decision_function(X), plain.decision_function(X), atol=1e-9
    )


@pytest.mark.course("S4-63")
def test_several_classes_are_machines_against_the_rest():
    X, y = separable(K=3, n=40)
    plain = Perceptron(max_iter=30, tol=None, trace=True, shuffle=False)
    dual = KernelPerceptron(kernel="linear", max_iter=30, shuffle=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain.fit(X, y)
        dual.fit(X, y)
    for k in range(3):
        np.testing.assert_array_equal(dual.mistakes_[k], plain.trace_[k].rows)
    assert (dual.predict(X) == plain.predict(X)).all()


@pytest.mark.course("S4-63")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("seed", range(4))
def test_mistakes_stay_below_novikoffs_bound(kernel, seed):
    X, y = separable(seed=seed)
    model = KernelPerceptron(kernel=kernel, max_iter=2000).fit(X, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert model.score(X, y) == 1
    mistakes, bound = (
        model.report_.facts[name] for name in ("n_mistakes", "mistake_bound")
    )
    assert mistakes == len(model.mistakes_[0]) <= bound
    if kernel == "linear":  # R and gamma by hand
        w = model.dual_coef_[0] @ model.support_vectors_
        a = np.append(w, model.dual_coef_[0].sum())
        rows = np.where(y == 1, 1, -1)[:, None] * np.c_[X, np.ones(len(X))]
        gamma = (rows @ a).min() / np.linalg.norm(a)
        R = np.linalg.norm(rows, axis=1).max()
        assert bound == pytest.approx((R / gamma) ** 2)


@pytest.mark.course("S4-63")
@pytest.mark.parametrize("seed", range(4))
def test_the_perceptron_reports_its_mistakes_and_their_bound(seed):
    X, y = separable(seed=seed)
    model = Perceptron(random_state=seed, tol=None, trace=True).fit(X, y)
    mistakes = model.report_.facts["n_mistakes"]
    assert mistakes == len(model.trace_.rows)
    bound = model.report_.facts["mistake_bound"]
    a = np.append(model.intercept_, model.coef_)
    rows = np.where(y == 1, 1, -1)[:, None] * np.c_[np.ones(len(X)), X]
    gamma = (rows @ a).min() / np.linalg.norm(a)
    assert bound == pytest.approx((np.linalg.norm(rows, axis=1).max() / gamma) ** 2)
    found = separability(X, y)
    exact = np.append(found.intercept, found.coef)
    other = (rows @ exact).min() / np.linalg.norm(exact)
    assert mistakes <= (np.linalg.norm(rows, axis=1).max() / other) ** 2
    assert mistakes <= bound


@pytest.mark.course("S4-63")
def test_the_students_stay_within_the_bound():
    table = student_perceptron()
    model = Perceptron(shuffle=False, tol=None).fit(table.X, table.y == "A")
    assert model.report_.facts["n_mistakes"] <= model.report_.facts["mistake_bound"]


@pytest.mark.course("S4-63")
def test_the_bound_holds_on_a_stream_of_any_length_and_dimension():
    rng = np.random.default_rng(0)
    for d in (2, 50):
        direction = np.zeros(d)
        direction[0] = 1.0
        Z = rng.normal(size=(20_000, d))
        X = Z / np.linalg.norm(Z, axis=1, keepdims=True)  # R = 1
        X = X[np.abs(X[:, 0]) > 0.2]  # gamma = 0.2
        y = X @ direction > 0
        model = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        assert model.report_.facts["n_mistakes"] <= (1 / 0.2) ** 2


def test_no_bound_where_the_theorem_does_not_speak():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.random(60) < 0.5
    model = Perceptron(tol=None, max_iter=5, random_state=0)
    model.fit(X, y)
    assert "bound on mistakes" not in model.report_.facts
    X, y = separable()
    for options, more in (
        ({"class_weight": {0: 2.0}}, {}),
        ({"penalty": "l2"}, {}),
        ({}, {"coef_init": np.ones((1, 3))}),
        ({}, {"sample_weight": np.full(len(y), 0.5)}),
    ):
        model = Perceptron(random_state=0, **options).fit(X, y, **more)
        assert "bound on mistakes" not in model.report_.facts


def test_kernels_separate_what_lines_cannot(tmp_path):
    X, y = two_moons(150, random_state=0)
    with pytest.warns(ConvergenceWarning, match="Use a kernel that separates"):
        line = KernelPerceptron(kernel="linear", max_iter=20).fit(X, y)
    curve = KernelPerceptron(gamma=4.0).fit(X, y)
    assert curve.score(X, y) == 1 > line.score(X, y)
    own = KernelPerceptron(
        kernel=lambda A, B: np.exp(-4 * ((A[:, None] - B) ** 2).sum(2))
    )
    np.testing.assert_array_equal(own.fit(X, y).mistakes_[0], curve.mistakes_[0])
    save(curve, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_allclose(again.decision_function(X), curve.decision_function(X))


@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({"kernel": "tree"}, [0, 1], "kernel must be one of"),
        ({"kernel": lambda A, B: A}, [0, 1], r"kernel must return a matrix of shape"),
        ({"gamma": 0.0}, [0, 1], "gamma must be"),
        ({}, [1, 1], "at least 2 classes"),
        ({}, [1], "y must have as many rows"),
    ],
)
def test_bad_input_is_one_sentence(options, y, words):
    with pytest.raises(ValueError, match=words):
        KernelPerceptron(**options).fit(np.array([[0.0, 1, 2], [1, 0, 3]]), y)
