"""Explainable boosting: sums of shapes that find what made the data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score

from corollary import (
    ExplainableBoostingClassifier,
    ExplainableBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    engine,
)


def truth(X):
    return np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]


def rows(n=2000, seed=0, d=4):
    X = np.random.default_rng(seed).uniform(-2, 2, size=(n, d))
    return X, truth(X)


# -- what it finds ---------------------------------------------------------------------
def test_sine_and_product_are_recovered():
    X, y = rows()
    Xt, yt = rows(seed=1)
    model = ExplainableBoostingRegressor(learning_rate=0.05).fit(X, y)
    assert model.interactions_[0] == (1, 2)
    assert model.score(Xt, yt) > 0.96
    found = model.explain()
    inner = found.grids[0]
    middles = (inner[1:] + inner[:-1]) / 2
    sine = np.sin(3 * middles)
    shape = found.tables[0][1:-2, 0]
    assert np.corrcoef(sine, shape)[0, 1] > 0.99
    assert np.abs(shape - sine).mean() < 0.1
    i, j = (found.grids[f] for f in (1, 2))
    pair = found.tables[found.names.index("x1 x x2")][1:-2, 1:-2, 0]
    product = np.outer((i[1:] + i[:-1]) / 2, (j[1:] + j[:-1]) / 2)
    assert np.corrcoef(product.ravel(), pair.ravel())[0, 1] > 0.97
    assert found.importances[3] < 0.15 * found.importances[0]  # x3 says nothing


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_pair_where_there_is_none(noise, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(1500, 5))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + noise * rng.normal(size=len(X))
    assert ExplainableBoostingRegressor().fit(X, y).interactions_ == []


def test_pairs_of_classes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 4))
    y = np.where(X[:, 0] * X[:, 3] > 0, "same", "other")  # no feature tells it alone
    model = ExplainableBoostingClassifier(learning_rate=0.1).fit(X, y)
    assert model.interactions_[0] == (0, 3)
    assert model.score(X, y) > 0.95
    alone = ExplainableBoostingClassifier(interactions=0).fit(X, y)
    assert alone.interactions_ == []
    assert alone.score(X, y) < 0.7


def test_at_most_so_many_pairs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = X[:, 0] * X[:, 1] + 0.7 * X[:, 2] * X[:, 3]
    assert ExplainableBoostingRegressor(interactions=1).fit(X, y).interactions_ == [
        (0, 1)
    ]
    two = ExplainableBoostingRegressor(interactions=2).fit(X, y).interactions_
    assert two == [(0, 1), (2, 3)]


def test_as_good_as_trees_of_all_features():
    X, y = load_breast_cancer(return_X_y=True)
    found = {}
    for M in (ExplainableBoostingClassifier, HistGradientBoostingClassifier):
        found[M] = cross_val_score(M(), X, y, cv=3).mean()
    ours, theirs = found.values()
    assert ours > theirs - 0.01
    X, y = rows(1500)
    ours = ExplainableBoostingRegressor(learning_rate=0.05).fit(X, y)
    other = HistGradientBoostingRegressor().fit(X, y)
    Xt, yt = rows(seed=2)
    assert ours.score(Xt, yt) > other.score(Xt, yt) - 0.02


# -- laws ------------------------------------------------------------------------------
def looked_up(model, x):
    """Return the score of one row from the tables, by the definition of bins."""
    found = model.explain()

    def code(f):
        grid, value = found.grids[f], x[f]
        if found.categorical[f]:
            at = np.flatnonzero(grid == value)
            return int(at[0]) if len(at) else len(grid)
        return len(grid) + 1 if np.isnan(value) else int((grid < value).sum())

    score = found.intercept.copy()
    for term, table in zip(found.features, found.tables, strict=True):
        score += table[tuple(code(f) for f in term)]
    return score


def with_categories():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 4))
    X[:, 1] = rng.integers(0, 6, 600)
    y = np.where(X[:, 1] % 2 == 0, X[:, 0], -X[:, 0]) + X[:, 2]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_scores_are_sums_of_the_shapes(classes):
    X, y = with_categories()
    kind = {"categorical_features": [1], "max_iter": 100}
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
        model = ExplainableBoostingClassifier(**kind).fit(X, y)
        scores = model.decision_function(X).reshape(len(X), -1)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        p = model.predict_proba(X)
        np.testing.assert_array_equal(model.predict(X), p.argmax(axis=1))
    else:
        model = ExplainableBoostingRegressor(**kind).fit(X, y)
        scores = model.predict(X)[:, None]
        assert (0, 1) in model.interactions_
    X[7, 1] = 99  # a category never seen is a missing value
    for i in (0, 1, 2, 3, 9):
        np.testing.assert_allclose(scores[i], looked_up(model, X[i]), atol=1e-12)
    found = model.explain(X[:20])
    sums = found.intercept + found.contributions.sum(axis=1)
    np.testing.assert_allclose(sums, model.raw_scores(X[:20]), atol=1e-12)


def test_shapes_have_mean_zero_and_the_intercept_the_mean():
    X, y = rows()
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    for weight in (None, w):
        model = ExplainableBoostingRegressor(max_iter=50).fit(X, y, weight)
        found = model.explain(X)
        means = np.average(found.contributions[..., 0], axis=0, weights=weight)
        np.testing.assert_allclose(means, 0, atol=1e-12)
        mean = np.average(model.predict(X), weights=weight)
        assert model.intercept_ == pytest.approx(mean)
        sizes = np.average(np.abs(found.contributions[..., 0]), axis=0, weights=weight)
        np.testing.assert_allclose(found.importances, sizes)


def test_the_loss_falls_from_look_to_look():
    X, y = rows()
    for model in (
        ExplainableBoostingRegressor().fit(X, y),
        ExplainableBoostingClassifier().fit(X, y > 0),
        ExplainableBoostingClassifier().fit(X, np.digitize(y, [-1, 1])),
    ):
        assert (np.diff(model.train_score_) > 0).all()
    regressor = ExplainableBoostingRegressor().fit(X, y)
    half = np.mean((regressor.predict(X) - y) ** 2) / 2
    assert -regressor.train_score_[-1] == pytest.approx(half)


def test_same_bits_for_threads_and_chunks():
    X, y = with_categories()
    models = []
    for threads, chunk in ((1, 600), (4, 70)):
        with engine.use(threads=threads, chunk_rows=chunk):
            models.append(ExplainableBoostingRegressor(random_state=0).fit(X, y))
    one, other = (model.shapes_ for model in models)
    np.testing.assert_array_equal(one.table, other.table)
    np.testing.assert_array_equal(one.terms, other.terms)


# -- missing values, stopping ----------------------------------------------------------
def test_missing_values_have_a_score_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    gone = rng.random(500) < 0.3
    y = X[:, 1] + np.where(gone, 5.0, 0.0)
    X[gone, 0] = np.nan
    model = ExplainableBoostingRegressor(learning_rate=0.1).fit(X, y)
    table = model.explain().tables[0][:, 0]
    assert table[-1] - table[:-1].mean() == pytest.approx(5.0, abs=0.3)


def test_held_out_rows_stop_a_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 10))
    y = X[:, 0] + 2 * rng.normal(size=800)
    asked = {"learning_rate": 0.1, "max_iter": 500, "interactions": 0}
    model = ExplainableBoostingRegressor(
        **asked, early_stopping=True, validation_fraction=0.25, random_state=0
    ).fit(X, y)
    assert model.do_early_stopping_
    assert model.n_iter_ < 200
    assert len(model.validation_score_) == len(model.train_score_)
    scores = model.validation_score_
    assert max(scores[-5:]) <= scores[-6] + 1e-7
    long = ExplainableBoostingRegressor(**asked).fit(X, y)
    assert not long.do_early_stopping_
    assert long.n_iter_ == 500
    Xt = rng.normal(size=(2000, 10))
    assert model.score(Xt, Xt[:, 0]) > long.score(Xt, Xt[:, 0])


def test_rows_of_your_own_stop_a_fit():
    X, y = rows(400)
    model = ExplainableBoostingRegressor(early_stopping=True, max_iter=40)
    model.fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    half = np.mean((model.predict(X[300:]) - y[300:]) ** 2) / 2
    assert -model.validation_score_[-1] == pytest.approx(half)
    with pytest.raises(ValueError, match="as many entries as X_val"):
        model.fit(X[:300], y[:300], X_val=X[300:], y_val=y[310:])
    with pytest.raises(ValueError, match="need early_stopping"):
        model.set_params(early_stopping=False).fit(X, y, X_val=X, y_val=y)
    classes = ExplainableBoostingClassifier(early_stopping=True)
    with pytest.raises(ValueError, match="y_val must hold labels"):
        classes.fit(X, y > 0, X_val=X, y_val=np.full(400, "x"))


def test_one_value_of_y_needs_no_round():
    X, _ = rows(50)
    model = ExplainableBoostingRegressor().fit(X, np.full(50, 2.5))
    assert model.n_iter_ == 0
    assert (model.predict(X) == 2.5).all()
    assert model.explain(X).contributions.shape == (50, 0, 1)
    assert str(model.explain()).startswith("0 shapes, intercept 2.5")


# -- the record ------------------------------------------------------------------------
def test_record_prints_and_draws():
    import matplotlib.pyplot as plt

    X, y = with_categories()
    frame = pd.DataFrame(X, columns=["a$b$", "kind", "two\nlines", "d"])
    model = ExplainableBoostingRegressor(categorical_features=["kind"])
    found = model.fit(frame, y).explain()
    pair = "a$b$ x kind"
    assert pair in found.names
    lines = str(found).splitlines()
    assert len(lines) == 2 + len(found.names)
    best = found.names[int(found.importances.argmax())]
    assert lines[2].startswith(" ".join(best.split()))
    for term in (None, *found.names, 0):
        ax = found.plot(term)
        ax.figure.canvas.draw()
    assert found.plot("a$b$").get_xlabel() == r"a\$b\$"
    assert len(found.plot("kind").patches) == 6
    drawn = found.plot(pair).collections[0].get_array()
    table = found.tables[found.names.index(pair)]
    np.testing.assert_allclose(np.ravel(drawn), table[:-1, :-1, 0].T.ravel())
    plt.close("all")
    with pytest.raises(ValueError, match="term must be a name or a number below"):
        found.plot("nobody")
    with pytest.raises(ValueError, match="output must be below 1; got 1"):
        found.plot(0, output=1)
    several = ExplainableBoostingClassifier(max_iter=10).fit(
        *load_iris(return_X_y=True)
    )
    assert several.explain().outputs == ("0", "1", "2")
    assert several.explain().plot(0, output=1).get_title() == "x0, 1"
    plt.close("all")
