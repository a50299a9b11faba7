"""The score of a source: that of an array, without the rows in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import accuracy_score, d2_tweedie_score, make_scorer, r2_score

from corollary import (
    PCA,
    GammaRegressor,
    GeneralizedLinearRegressor,
    KMeans,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
    TweedieRegressor,
    engine,
)
from corollary.core.errors import DataError
from corollary.engine import scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3))
ETA = 0.5 * X @ [1.0, -0.5, 0.2]
COUNTS = RNG.poisson(np.exp(ETA)).astype(float)
COUNTS[:100] = 0.0  # whole chunks whose mean is at the bound of the family
AMOUNTS = RNG.gamma(2.0, np.exp(ETA))
TWO = (ETA + 0.3 * RNG.normal(size=600) > 0).astype(int)
W = (np.arange(600) % 3).astype(float)  # a third of the rows weighs nothing


def glm(**parameters):
    return GeneralizedLinearRegressor(**parameters)


def spread(model, X, y):
    """Score a model by its rows, as no scorer of scikit-learn's does."""
    return float(np.asarray(X)[model.predict(X) == y].sum())


CASES = {
    "k-means": (KMeans(3, random_state=0), None),
    "normal": (glm(family="gaussian"), AMOUNTS),
    "poisson": (PoissonRegressor(), COUNTS),
    "gamma": (GammaRegressor(), AMOUNTS),
    "inverse gaussian": (TweedieRegressor(power=3, link="log"), AMOUNTS),
    "tweedie": (TweedieRegressor(power=1.5), COUNTS),
    "extreme": (TweedieRegressor(power=-1, link="log"), AMOUNTS - 1.0),
    "bernoulli": (glm(family="bernoulli"), TWO),
    "accuracy": (LogisticRegression(), TWO),
    "R2": (LinearRegression(), AMOUNTS + 1e6),
    "several R2": (LinearRegression(), np.column_stack([AMOUNTS, 1e6 + COUNTS])),
    "chosen by accuracy": (LogisticRegressionCV(Cs=2, cv=2), TWO),
    "chosen by loss": (LogisticRegressionCV(Cs=2, cv=2, scoring="neg_log_loss"), TWO),
    "chosen by area": (LogisticRegressionCV(Cs=2, cv=2, scoring="roc_auc"), TWO),
    "chosen by scorer": (
        LogisticRegressionCV(Cs=2, cv=2, scoring=make_scorer(accuracy_score)),
        TWO,
    ),
}


def chunks(y, w):
    def again():
        for a in range(0, 600, 70):
            rows = slice(a, a + 70)
            some = [X[rows]] if y is None else [X[rows], y[rows]]
            yield tuple(some if w is None or y is None else [*some, w[rows]])

    return engine.ChunkSource(again)


def parquet(y, w, folder):
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    target, weight = None, None
    if y is not None and y.ndim == 1:
        columns |= {"y": y}
        target = "y"
    elif y is not None:
        columns |= {f"y{j}": y[:, j] for j in range(y.shape[1])}
        target = [f"y{j}" for j in range(y.shape[1])]
    if w is not None and y is not None:
        columns |= {"w": w}
        weight = "w"
    path = folder / "rows.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=110)
    return engine.ParquetSource(path, target=target, weight=weight)


@pytest.fixture
def no_gathering(monkeypatch):
    def refuse(data):
        raise AssertionError("the rows were gathered in memory")

    monkeypatch.setattr(scores, "gather", refuse)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["chunks", "parquet"])
@pytest.mark.parametrize("name", CASES)
def test_a_source_scores_as_its_array_does(
    name, kind, weighted, no_gathering, tmp_path
):
    model, y = CASES[name]
    model = model.fit(X, y)
    w = W if weighted else None
    source = chunks(y, w) if kind == "chunks" else parquet(y, w, tmp_path)
    given = {} if w is None or y is None else {"sample_weight": w}
    with engine.use(threads=2, chunk_rows=90):
        found = model.score(source)
    assert found == pytest.approx(model.score(X, y, **given), rel=1e-9)


def test_the_scores_of_arrays_are_those_of_scikit_learn():
    for power, y in ((0, AMOUNTS), (1, COUNTS), (1.5, COUNTS), (2, AMOUNTS)):
        model = TweedieRegressor(power=power, link="log").fit(X, y)
        expected = d2_tweedie_score(y, model.predict(X), power=power)
        assert model.score(X, y) == pytest.approx(expected, rel=1e-10)
        assert model.score(chunks(y, None)) == pytest.approx(expected, rel=1e-10)
    model = LinearRegression().fit(X, AMOUNTS)
    expected = r2_score(AMOUNTS + 1e8, model.predict(X) + 1e8, sample_weight=W)
    model.intercept_ += 1e8
    found = model.score(chunks(AMOUNTS + 1e8, W))
    assert found == pytest.approx(expected, rel=1e-7)


def test_a_mean_without_a_law_leaves_the_bound_as_the_best_constant():
    y = AMOUNTS - 5.0
    assert y.mean() < 0
    model = TweedieRegressor(power=-1, link="log").fit(X, AMOUNTS - 1.0)
    found = model.score(X, y)
    family = model._family()
    nearly = float(family.unit_deviance(y, np.full(600, 1e-9)).sum())
    left = float(family.unit_deviance(y, model.predict(X)).sum())
    assert found == pytest.approx(1 - left / nearly, rel=1e-6)
    assert model.score(chunks(y, None)) == pytest.approx(found, rel=1e-10)


def test_a_function_of_the_rows_has_them_in_memory():
    model = LogisticRegressionCV(Cs=2, cv=2, scoring=spread).fit(X, TWO)
    assert model.score(chunks(TWO, None)) == pytest.approx(model.score(X, TWO))


def test_chunks_that_come_once_are_scored(no_gathering):
    once = engine.ChunkSource(iter([(X[:300], COUNTS[:300]), (X[300:], COUNTS[300:])]))
    model = PoissonRegressor().fit(X, COUNTS)
    assert model.score(once) == pytest.approx(model.score(X, COUNTS), rel=1e-10)


@pytest.mark.parametrize("name", ["poisson", "accuracy", "R2"])
def test_bad_targets_and_weights_are_refused(name):
    model, y = CASES[name]
    model = model.fit(X, y)
    bad = W.copy()
    bad[100] = -1.0
    with pytest.raises(DataError, match="sample_weight must be >= 0"):
        model.score(chunks(y, bad))
    with pytest.raises(DataError, match="at least one row with a weight"):
        model.score(chunks(y, np.zeros(600)))
    if name != "accuracy":
        with pytest.raises(DataError, match="NaN"):
            model.score(chunks(np.where(np.arange(600) == 5, np.nan, y), None))


def test_one_row_has_no_coefficient_of_determination():
    model = LinearRegression().fit(X, AMOUNTS)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(model.score(engine.ChunkSource([(X[:1], AMOUNTS[:1])])))


def test_a_constant_target_counts_as_scikit_learn_counts_it():
    model = LinearRegression().fit(X, np.ones(600))
    for y in (np.ones(600), np.zeros(600)):
        model.coef_[:], model.intercept_ = 0.0, 1.0
        assert model.score(chunks(y, None)) == r2_score(y, np.ones(600))


def test_densities_are_scored_by_their_answers(no_gathering):
    model = PCA(2).fit(X)
    assert model.score(chunks(None, None)) == pytest.approx(model.score(X), rel=1e-10)
