import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary import MaximumEntropyClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.max_entropy.maximum_entropy import maximum_entropy

SOLVERS = ["newton", "lbfgs", "gis", "iis"]


def make(n=200, d=2, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)), y


@pytest.mark.course("S0-14", "S0-15")
@pytest.mark.parametrize("solver", SOLVERS)
def test_default_features_make_it_multinomial_logistic_regression(solver):
    X, y = make()
    loose = solver in ("gis", "iis")
    ours = MaximumEntropyClassifier(solver=solver, tol=1e-6 if loose else 1e-9).fit(
        X, y
    )
    theirs = sklearn.linear_model.LogisticRegression(
        solver="newton-cholesky", tol=1e-12
    ).fit(X, y)
    rtol = 1e-3 if loose else 1e-6
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=1e-5)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4 if loose else 1e-7
    )
    logistic = corollary.LogisticRegression(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), logistic.predict_proba(X), atol=1e-4 if loose else 1e-7
    )


@pytest.mark.course("S0-15")
def test_the_model_has_the_means_of_the_data():
    X, y = make()
    model = MaximumEntropyClassifier(C=np.inf, tol=1e-10).fit(X, y)
    P = model.predict_proba(X)
    for c in range(3):
        np.testing.assert_allclose(P[:, c] @ X, X[y == c].sum(axis=0), atol=1e-6)
        np.testing.assert_allclose(P[:, c].sum(), (y == c).sum(), atol=1e-6)
    # and of all laws with these means the largest entropy: move along a direction that
    # keeps rows and means
    rng = np.random.default_rng(1)
    Z = np.column_stack([X, np.ones(len(X))])
    for _ in range(20):
        D = rng.normal(size=P.shape)
        for _ in range(200):
            D -= D.mean(axis=1, keepdims=True)
            D -= Z @ np.linalg.lstsq(Z, D, rcond=None)[0]
        step = 1e-3 * P.min() / np.abs(D).max()
        other = P + step * D
        assert -(other * np.log(other)).sum() < -(P * np.log(P)).sum()


@pytest.mark.course("S0-14")
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_likelihood_never_falls(solver):
    X, y = make(80)
    model = MaximumEntropyClassifier(solver=solver, tol=1e-5).fit(X, y)
    trace = np.array(model.report_.objective)
    assert (np.diff(trace) <= 1e-12).all()
    assert trace[0] == pytest.approx(np.log(3))


def pairs(X, label):
    """Return features of a row and a class that no table of columns could hold."""
    x = np.asarray(X)
    return np.column_stack([x[:, 0] * (label == "b"), x[:, 1] * (label != "a"), x[:, 0] * x[:, 1] * (label == "c"), np.full(len(x), label == "b") + 0.0])  # fmt: skip # noqa: E501


@pytest.mark.course("S0-14", "S0-15")
@pytest.mark.parametrize("solver", SOLVERS)
def test_features_of_the_users_own(solver):
    X, y = make(120)
    y = np.array(["a", "b", "c"])[y]
    model = MaximumEntropyClassifier(pairs, C=np.inf, solver=solver, tol=1e-6).fit(X, y)
    P = model.predict_proba(X)
    observed = sum(pairs(X[y == c], c).sum(axis=0) for c in model.classes_)
    expected = sum(P[:, i] @ pairs(X, c) for i, c in enumerate(model.classes_))
    np.testing.assert_allclose(expected, observed, atol=1e-3)
    scores = np.column_stack([pairs(X, c) @ model.multipliers_ for c in model.classes_])
    by_hand = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(P, by_hand, rtol=1e-10)
    exact = MaximumEntropyClassifier(pairs, C=np.inf, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(P, exact.predict_proba(X), atol=1e-4)


@pytest.mark.course("S0-13", "S0-15")
def test_without_a_row_to_look_at_it_is_the_maximum_entropy_of_a_die():
    y = np.repeat(np.arange(1, 7), [1, 1, 2, 3, 4, 5])
    X = np.zeros((len(y), 1))
    model = MaximumEntropyClassifier(
        lambda X, face: np.full((X.shape[0], 1), float(face)), C=np.inf, tol=1e-10
    ).fit(X, y)
    die = maximum_entropy(np.arange(1, 7), y.mean())
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], die.p, atol=1e-8)
    np.testing.assert_allclose(model.multipliers_, die.multipliers, atol=1e-7)


def test_a_tenfold_finer_search_changes_little_whatever_the_scale_of_the_features():
    X, y = make()
    plain = MaximumEntropyClassifier(C=np.inf, tol=1e-9).fit(X, y)
    scaled = MaximumEntropyClassifier(C=np.inf, tol=1e-9).fit(X * [1e4, 1e-4] + 50.0, y)
    np.testing.assert_allclose(
        scaled.predict_proba(X * [1e4, 1e-4] + 50.0), plain.predict_proba(X), atol=1e-5
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_rows_give_the_dense_answer(solver):
    X, y = make(60)
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense = MaximumEntropyClassifier(solver=solver, tol=1e-4).fit(X, y)
    sparse = MaximumEntropyClassifier(solver=solver, tol=1e-4).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-8)
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), rtol=1e-8
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_chunks_and_weights_do_not_matter(solver):
    X, y = make(60)
    w = np.random.default_rng(1).integers(0, 3, 60)
    more = {"solver": solver, "tol": 1e-6}
    whole = MaximumEntropyClassifier(**more).fit(X, y, w.astype(float))
    again = MaximumEntropyClassifier(**more).fit(
        np.repeat(X, w, axis=0), np.repeat(y, w)
    )
    np.testing.assert_allclose(whole.coef_, again.coef_, rtol=1e-6, atol=1e-8)
    with corollary.engine.use(chunk_rows=17):
        parts = MaximumEntropyClassifier(**more).fit(X, y, w.astype(float))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8, atol=1e-10)


def test_many_features_go_to_lbfgs_and_few_to_newton():
    X, y = make()
    few = MaximumEntropyClassifier().fit(X, y)
    assert few.report_.facts["solver"] == "Newton's method"
    wide = np.hstack([X, np.random.default_rng(0).normal(size=(200, 120))])
    many = MaximumEntropyClassifier().fit(wide, y)
    assert many.report_.facts["solver"] == "L-BFGS"
    assert many.report_.optimality.value <= 1e-6


def test_separable_classes_have_no_maximum_and_it_says_so():
    X, y = np.array([[-2.0], [-1], [1], [2]]), [0, 0, 1, 1]
    model = MaximumEntropyClassifier(C=np.inf, solver="newton", tol=1e-12).fit(X, y)
    assert "Use a finite C" in model.report_.warnings[0]
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        MaximumEntropyClassifier(solver="gis", max_iter=3, tol=1e-9).fit(X, y)


def test_two_classes_have_one_score():
    X, y = make(k=2)
    model = MaximumEntropyClassifier().fit(X, y)
    score = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-score)))
    # the penalty on both classes' weights is that of one weight with twice the C
    theirs = sklearn.linear_model.LogisticRegression(C=2.0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), theirs.predict_proba(X), atol=1e-4
    )


BAD = [
    ({"features": "x"}, "features must be None or a function; got 'x'."),
    ({"C": 0}, "C must be a number in (0, "),
    ({"solver": "magic"}, "solver must be one of 'auto'"),
    ({"features": lambda X, y: np.ones((1, 2))}, "must return"),
    ({"features": lambda X, y: np.full((X.shape[0], 1), np.nan)}, "finite numbers"),
    (
        {"features": lambda X, y: np.ones((X.shape[0], 1 + int(y)))},
        "rows of 1 features",
    ),
]


@pytest.mark.parametrize(("parameters", "part"), BAD)
def test_bad_input_ends_in_one_sentence(parameters, part):
    X, y = make(30)
    with pytest.raises((ParameterError, DataError)) as caught:
        MaximumEntropyClassifier(**parameters).fit(X, y)
    assert part.split(" in (0")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_function_cannot_be_saved_and_says_so(tmp_path):
    X, y = make(30)
    model = MaximumEntropyClassifier(lambda X, c: X * c).fit(X, y)
    with pytest.raises(ParameterError, match="must hold plain values and arrays"):
        corollary.save(model, tmp_path / "model")
