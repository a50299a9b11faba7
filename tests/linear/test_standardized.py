"""Standardise, shrink, map back: the pipeline's answers, in the columns' own units."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler as TheirScaler

import corollary
from corollary import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    MultiTaskLasso,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    Standardized,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.engine import ChunkSource, CSVSource

RNG = np.random.default_rng(5)
UNITS = np.array([1.0, 1e4, 1e-3, 30.0, 1.0])
X = RNG.normal(size=(150, 5)) * UNITS + [3.0, 1e5, 0.0, -7.0, 2.0]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
NUMBER = Z @ [2.0, -1.0, 0.5, 0.0, 0.2] + 4 + 0.3 * RNG.normal(size=150)
TWO = np.where(NUMBER > 4, "b", "a")
THREE = np.digitize(NUMBER, [3, 5])
COUNT = RNG.poisson(np.exp(0.3 * NUMBER - 1))
SEVERAL = np.column_stack([NUMBER, Z[:, 3] - NUMBER])
MODELS = [
    (Ridge(alpha=20.0), NUMBER),
    (Ridge(alpha=20.0), SEVERAL),
    (Ridge(alpha=20.0, fit_intercept=False), NUMBER),
    (RidgeCV(alphas=(0.1, 10.0)), NUMBER),
    (RidgeClassifier(alpha=5.0), THREE),
    (Lasso(alpha=0.3, tol=1e-12), NUMBER),
    (LassoCV(alphas=5, cv=3, tol=1e-12), NUMBER),
    (ElasticNet(alpha=0.3, tol=1e-12), NUMBER),
    (ElasticNetCV(alphas=5, cv=3, tol=1e-12), NUMBER),
    (MultiTaskLasso(alpha=0.3, tol=1e-12), SEVERAL),
    (LogisticRegression(C=0.1, tol=1e-10), TWO),
    (LogisticRegression(C=0.1, tol=1e-10), THREE),
    (LogisticRegressionCV(Cs=3, cv=3, tol=1e-10), TWO),
    (LinearSVC(C=0.1, tol=1e-8), TWO),
    (PoissonRegressor(alpha=0.5, tol=1e-10), COUNT),
]
IDS = [f"{type(model).__name__}-{i}" for i, (model, _) in enumerate(MODELS)]
ANSWERS = ("predict", "decision_function", "predict_proba", "predict_log_proba")


def linear(model, rows):
    """Return b_0 + sum_j b_j x_j with what the model publishes."""
    return rows @ np.transpose(model.coef_) + model.intercept_


@pytest.mark.course("S3-113")
@pytest.mark.parametrize(("inside", "y"), MODELS, ids=IDS)
def test_it_is_the_pipeline_with_coefficients_of_the_columns(inside, y):
    model = Standardized(inside).fit(X, y)
    scaler = StandardScaler(with_mean=getattr(inside, "fit_intercept", True))
    pipeline = make_pipeline(scaler, clone(inside)).fit(X, y)
    for name in ANSWERS:
        assert hasattr(model, name) == hasattr(pipeline, name)
        if hasattr(model, name):
            ours, theirs = getattr(model, name)(X), getattr(pipeline, name)(X)
            if np.asarray(ours).dtype.kind == "f":
                np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
            else:
                np.testing.assert_array_equal(ours, theirs)
    assert model.score(X, y) == pytest.approx(pipeline.score(X, y), rel=1e-9)
    raw = linear(model, X)
    if is_classifier(inside):
        expected = pipeline.decision_function(X)
        raw = raw.ravel() if expected.ndim == 1 else raw
    else:
        expected = pipeline.predict(X)
        expected = (
            np.log(expected) if isinstance(inside, PoissonRegressor) else expected
        )
    np.testing.assert_allclose(raw, expected, rtol=1e-7, atol=1e-7)
    assert is_classifier(model) == is_classifier(inside)
    assert is_regressor(model) == is_regressor(inside)


def test_as_scikit_learn():
    oracle = make_pipeline(TheirScaler(), TheirRidge(alpha=20.0)).fit(X, NUMBER)
    model = Standardized(Ridge(alpha=20.0)).fit(X, NUMBER)
    np.testing.assert_allclose(model.predict(X), oracle.predict(X), rtol=1e-10)


@pytest.mark.course("S3-113")
@pytest.mark.parametrize(("inside", "y"), MODELS, ids=IDS)
def test_units_do_not_matter(inside, y):
    factors = np.array([1000.0, 1e-6, 7.0, 0.3, -2.0])
    model = Standardized(inside).fit(X, y)
    other = Standardized(inside).fit(X * factors, y)
    scale = np.abs(model.coef_ * X.std(axis=0)).max()
    np.testing.assert_allclose(
        other.coef_ * factors * X.std(axis=0),
        model.coef_ * X.std(axis=0),
        atol=1e-6 * scale,
    )
    a, b = model.predict(X), other.predict(X * factors)
    if a.dtype.kind == "f":
        np.testing.assert_allclose(a, b, rtol=1e-6)
    else:
        np.testing.assert_array_equal(a, b)
    if isinstance(inside, Ridge):  # as it does without
        plain, changed = (clone(inside).fit(rows, y) for rows in (X, X * factors))
        moved = np.abs(plain.predict(X) - changed.predict(X * factors)).max()
        assert moved > 1e-3


@pytest.mark.course("S3-113")
def test_the_offset_is_the_mean_of_the_target_on_centred_columns():
    model = Standardized(Ridge(alpha=50.0)).fit(X, NUMBER)
    assert model.estimator_.intercept_ == pytest.approx(NUMBER.mean())
    at_mean = model.coef_ @ X.mean(axis=0) + model.intercept_
    assert at_mean == pytest.approx(NUMBER.mean())


def test_columns_that_never_vary_have_no_coefficient():
    rows = np.c_[X, np.full(150, 1e6)]
    model = Standardized(Ridge(alpha=1.0)).fit(rows, NUMBER)
    assert model.coef_[-1] == 0
    plain = Standardized(Ridge(alpha=1.0)).fit(X, NUMBER)
    np.testing.assert_allclose(model.predict(rows), plain.predict(X), rtol=1e-9)
    assert any("do not vary" in text for text in model.report_.warnings)


def test_weights_are_repetition():
    w = RNG.integers(0, 4, 150)
    model = Standardized(Ridge(alpha=3.0)).fit(X, NUMBER, sample_weight=w)
    again = Standardized(Ridge(alpha=3.0)).fit(
        np.repeat(X, w, axis=0), np.repeat(NUMBER, w)
    )
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, again.intercept_, rtol=1e-9)


@pytest.mark.parametrize("make", [Ridge, Lasso, LogisticRegression])
def test_sources_give_the_answer_of_arrays(make, tmp_path):
    y = TWO if make is LogisticRegression else NUMBER
    inside = make(tol=1e-10)
    memory = Standardized(inside).fit(X, y)
    starts = range(0, 150, 40)
    chunks = ChunkSource(
        lambda: ((X[i : i + 40], y[i : i + 40]) for i in starts),
        **({"classes": ["a", "b"]} if make is LogisticRegression else {}),
    )
    frame = pd.DataFrame(X, columns=list("pqrst")).assign(y=y)
    frame.to_csv(tmp_path / "x.csv", index=False)
    for source in (chunks, CSVSource(tmp_path / "x.csv", target="y")):
        model = Standardized(inside).fit(source)
        np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-6, atol=1e-9)
        assert model.score(source) == pytest.approx(memory.score(X, y), rel=1e-6)
        answer = model.predict(source)
        expected = memory.predict(X)
        if make is LogisticRegression:
            np.testing.assert_array_equal(answer, expected)
        else:
            np.testing.assert_allclose(answer, expected, rtol=1e-6)


def test_sparse_rows_have_the_solution_of_dense_ones():
    S = sp.random_array((200, 6), density=0.3, rng=1, format="csr")
    S = S @ sp.diags_array([1.0, 100.0, 0.01, 5.0, 1.0, 1.0])
    y = S @ np.array([1.0, 0.02, 300.0, 0.0, 0.0, -1.0]) + 2
    dense = Standardized(Ridge(alpha=2.0)).fit(S.toarray(), y)
    model = Standardized(Ridge(alpha=2.0)).fit(sp.csr_array(S), y)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, dense.intercept_, rtol=1e-6)
    assert model.predict(sp.csr_array(S)).shape == (200,)


def test_a_search_scales_in_each_fold():
    grid = {"estimator__alpha": [0.1, 1e4]}
    found = GridSearchCV(Standardized(Ridge()), grid, cv=3).fit(X, NUMBER)
    pipeline = make_pipeline(StandardScaler(), Ridge())
    other = GridSearchCV(pipeline, {"ridge__alpha": [0.1, 1e4]}, cv=3).fit(X, NUMBER)
    key = "mean_test_score"
    np.testing.assert_allclose(found.cv_results_[key], other.cv_results_[key])


def test_names_are_kept_and_it_can_be_saved(tmp_path):
    frame = pd.DataFrame(X, columns=list("pqrst"))
    model = Standardized(Lasso(alpha=0.1)).fit(frame, NUMBER)
    assert model.feature_names_in_.tolist() == list("pqrst")
    with pytest.raises(ValueError, match=r"Standardized: .*feature names"):
        model.predict(frame[list("tsrqp")])
    corollary.save(model, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert model.report_.facts["estimator"] == "Lasso"


def test_chunks_that_come_once_are_refused():
    source = ChunkSource((X[i : i + 50], NUMBER[i : i + 50]) for i in (0, 50, 100))
    with pytest.raises(DataError, match="read again"):
        Standardized().fit(source)


@pytest.mark.parametrize(
    "wrong", [corollary.GaussianNB(), corollary.KBinsDiscretizer()]
)
def test_what_is_no_linear_model_is_refused(wrong):
    with pytest.raises(ParameterError, match="must be a linear model"):
        Standardized(wrong).fit(X, TWO)
