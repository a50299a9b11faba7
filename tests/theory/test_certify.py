"""What error to expect of a model: bounds hold, assumptions are looked at."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn.linear_model
import sklearn.neighbors
import sklearn.tree
from numpy.testing import assert_allclose
from scipy.stats import beta, binom

import corollary
from corollary import (
    SVC,
    AdaBoostClassifier,
    DecisionTreeClassifier,
    KMeans,
    LogisticRegression,
    Ridge,
)
from corollary.core.errors import DataError, ParameterError
from corollary.theory import Bound, Certificate, Check
from corollary.theory.certify import some_rows


def halves(n, noise=0.1, seed=0, d=3):
    """Return rows whose first feature decides, but for a share of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] > 0) ^ (rng.random(n) < noise)
    return X, y.astype(int)


def fitted(model, n=600, seed=0):
    X, y = halves(n, seed=seed)
    return model.fit(X, y), (X, y)


# -- the bound of unseen rows --------------------------------------------------------
def test_the_bound_is_the_exact_binomial_one():
    model, _ = fitted(LogisticRegression())
    X, y = halves(500, seed=1)
    found = corollary.certify(model, X, y, delta=0.1)
    k = int((model.predict(X) != y).sum())
    assert found.risk == k / 500
    assert_allclose(found.bound.value, beta.ppf(0.9, k + 1, 500 - k))
    assert found.n == 500
    assert found.holds
    assert found.verdict.startswith("Expect a share of errors of at most 0.")


def test_a_choice_among_several_models_is_paid_for():
    model, _ = fitted(LogisticRegression())
    X, y = halves(400, seed=2)
    k = int((model.predict(X) != y).sum())
    found = corollary.certify(model, X, y, models_tried=20).bound
    assert_allclose(found.value, beta.ppf(1 - 0.05 / 20, k + 1, 400 - k))
    assert found.delta == 0.05
    assert found.name.startswith("best of 20")


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_a_regressor_has_a_bound_on_a_loss_that_is_bounded(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    y = X @ [1.0, 2.0] + 0.5 * rng.normal(size=900)
    model = Ridge().fit(X[:300], y[:300])
    new = X[300:], y[300:]
    found = corollary.certify(model, *new, loss=loss, largest_loss=4.0)
    off = np.abs(y[300:] - model.predict(X[300:])) ** (2 if loss == "squared" else 1)
    assert_allclose(found.risk, np.minimum(off, 4.0).mean())
    assert found.risk < found.bound.value < 1.5 * found.risk
    assert {one.name.split(" ")[0] for one in found.intervals} == {"RMSE", "R^2"}
    by_train = corollary.certify(model, *new, loss=loss, train=(X[:300], y[:300]))
    span = np.ptp(y[:300]) ** (2 if loss == "squared" else 1)
    assert by_train.bound.largest == span


def exceeded(draws, rows, delta, seed):
    """Return how often the true risk of a fixed model is above its bound."""
    model, _ = fitted(LogisticRegression(C=0.1), n=40, seed=seed)
    w, b = model.coef_[0], model.intercept_[0]
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(10**6, 3))
    wrong = np.mean(((Z @ w + b) > 0) != (Z[:, 0] > 0))
    risk = 0.1 + wrong * 0.8  # labels are flipped for a tenth of the rows
    bad = 0
    for draw in range(draws):
        X, y = halves(rows, seed=10_000 + draw)
        bad += corollary.certify(model, X, y, delta=delta).bound.value < risk
    return bad


@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_the_bound_fails_no_more_often_than_it_says(delta):
    bad = exceeded(150, 60, delta, 0)
    assert binom.sf(bad - 1, 150, delta) > 1e-3
    assert bad > 0 or delta < 0.3  # nor is it far too large


@pytest.mark.slow
def test_the_bound_fails_no_more_often_than_it_says_in_many_draws():
    bad = exceeded(10_000, 60, 0.1, 1)
    assert binom.sf(bad - 1, 10_000, 0.1) > 1e-3


# -- what the theory of a model adds -------------------------------------------------
THEORIES = {
    "halfspaces": (LogisticRegression(), ["VC bound", "PAC-Bayes margin bound"]),
    "scikit-learn's halfspaces": (
        sklearn.linear_model.LogisticRegression(),
        ["VC bound", "PAC-Bayes margin bound"],
    ),
    "kernels": (
        SVC(kernel="linear"),
        [
            "kernel margin bound",
            "PAC-Bayes margin bound",
            "support-vector compression bound",
        ],
    ),
    "votes": (AdaBoostClassifier(n_estimators=5), ["boosting margin bound"]),
    "trees": (DecisionTreeClassifier(max_depth=2), ["tree description-length bound"]),
    "scikit-learn's trees": (
        sklearn.tree.DecisionTreeClassifier(max_depth=2),
        ["tree description-length bound"],
    ),
}


@pytest.mark.course("S2-25")
@pytest.mark.parametrize(("model", "names"), THEORIES.values(), ids=THEORIES)
def test_a_model_brings_the_bounds_of_its_theory(model, names):
    model, train = fitted(model, n=2000)
    X, y = halves(20_000, seed=3)
    found = corollary.certify(model, X[:500], y[:500], train=train)
    assert [one.name for one in found.theory] == names
    risk = np.mean(model.predict(X) != y)
    for one in found.theory:
        assert risk <= one.value <= 1.0
        assert one.assumptions
        assert one.reference
    alone = corollary.certify(model, train=train)
    assert alone.bound is None
    assert [one.name for one in alone.theory] == names


def test_a_bound_that_cannot_be_had_is_explained():
    X, y = halves(300)
    model = LogisticRegression().fit(X, y + (X[:, 1] > 1))
    new, labels = halves(200, seed=4)
    found = corollary.certify(model, new, labels, train=(X, y + (X[:, 1] > 1)))
    assert not found.theory
    assert "bounds of halfspaces need a model of two classes" in found.notes[0]
    without = corollary.certify(model, new, labels)
    assert without.notes[0].startswith("Give train=(X, y)")


def test_neighbours_bracket_the_bayes_error():
    X, y = halves(3000, noise=0.1)
    model = sklearn.neighbors.KNeighborsClassifier(1).fit(X[:2000], y[:2000])
    note = corollary.certify(model, X[2000:], y[2000:]).notes[-1]
    low, high = (float(word.strip(".")) for word in note.split() if word[:2] == "0.")
    assert low < 0.1 < high


def test_a_clustering_has_its_distance_to_the_best():
    X, _ = halves(200)
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    found = corollary.certify(model)
    assert [one.name for one in found.checks] == ["the fit is done"]
    assert "above the best clustering by at most" in found.checks[0].words


# -- assumptions that are looked at --------------------------------------------------
@pytest.mark.parametrize("kind", ["array", "frame", "csr"])
def test_rows_of_the_fit_are_refused(kind):
    X, y = halves(400)
    rows = {"array": X, "frame": pd.DataFrame(X), "csr": sp.csr_array(X)}[kind]
    if kind == "frame":
        rows.columns = list("abc")
    model = LogisticRegression().fit(rows, y)
    with pytest.raises(DataError, match="400 of 400 that it was"):
        corollary.certify(model, rows, y)
    more = np.vstack([X[:100], halves(300, seed=5)[0]])
    if kind == "array":
        with pytest.raises(DataError, match="100 of 400"):
            corollary.certify(model, more, np.zeros(400, int))


def test_rows_of_a_large_fit_are_refused_too():
    X, y = halves(200_000)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(DataError, match="was not fitted to"):
        corollary.certify(model, X, y)


def test_data_of_few_values_has_equal_rows_and_is_taken():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(600, 3)).astype(float)
    y = (X[:, 0] > 1).astype(int)
    model = LogisticRegression().fit(X[:300], y[:300])
    assert corollary.certify(model, X[300:], y[300:]).holds


def test_a_set_that_judges_many_models_proves_less():
    X, y = halves(300, seed=6)
    models = [fitted(LogisticRegression(), n=80, seed=s)[0] for s in range(3)]
    found = [corollary.certify(model, X, y) for model in models]
    assert [one.bound.holds for one in found] == [True, False, False]
    assert "the proof does not cover this use" in found[1].verdict
    again = corollary.certify(models[0], X[::-1], y[::-1])  # the same rows
    assert not again.bound.holds
    assert "3 models were judged" in again.checks[1].words


def test_one_model_may_be_looked_at_twice():
    model, _ = fitted(LogisticRegression())
    X, y = halves(300, seed=7)
    found = [corollary.certify(model, X, y) for _ in range(3)]
    assert all(one.holds for one in found)
    assert len({one.bound.value for one in found}) == 1


@pytest.mark.parametrize("order", ["C", "F"])
def test_wide_rows_of_the_fit_are_known_by_some_of_their_columns(order):
    X, y = (np.asarray(part, order=order) for part in halves(200, d=1_000))
    model = LogisticRegression().fit(X, y)
    with pytest.raises(DataError, match="200 of 200 that it was"):
        corollary.certify(model, np.ascontiguousarray(X), y)
    assert corollary.certify(model, *halves(200, seed=9, d=1_000)).n == 200


def test_rows_in_no_order_are_hardly_ever_refuted():
    """A level of a tenth of delta: one certificate in 200 is refuted by chance."""
    model, _ = fitted(LogisticRegression())
    found = [corollary.certify(model, *halves(60, seed=50 + k)) for k in range(60)]
    assert sum(bool(one.refuted) for one in found) <= 2


def test_a_stream_that_changes_is_refuted():
    model, _ = fitted(LogisticRegression())
    X, y = halves(600, seed=8)
    y[400:] = 1 - y[400:]
    found = corollary.certify(model, X, y)
    assert [check.name for check in found.refuted] == ["new rows come in no order"]
    assert found.verdict.startswith("Assumption refuted: new rows come in no order.")
    assert not found.holds


@pytest.mark.parametrize("what", ["rows", "targets"])
def test_new_rows_unlike_the_old_ones_are_refuted(what):
    model, train = fitted(LogisticRegression(), n=500)
    X, y = halves(500, seed=9)
    if what == "rows":
        X[:, 1] += 1.0
    else:
        keep = np.append(np.flatnonzero(y), np.flatnonzero(y == 0)[:60])
        X, y = X[np.sort(keep)], y[np.sort(keep)]
    found = corollary.certify(model, X, y, train=train)
    name = "new rows are like the training rows"
    assert name in [check.name for check in found.refuted]


def test_rows_that_are_alike_are_seldom_refuted():
    refuted = 0
    for seed in range(60):
        model, train = fitted(LogisticRegression(), n=120, seed=1000 + seed)
        X, y = halves(120, seed=2000 + seed)
        refuted += bool(corollary.certify(model, X, y, train=train).refuted)
    assert binom.sf(refuted - 1, 60, 0.1) > 1e-3  # two tests at 0.05 each


def test_splits_name_the_rows_of_one_table():
    X, y = halves(900)
    old, new = np.arange(600), np.arange(600, 900)
    model = LogisticRegression().fit(X[old], y[old])
    by_rows = corollary.certify(model, X, y, splits=(old, new))
    mask = np.arange(900) < 600
    by_mask = corollary.certify(model, pd.DataFrame(X), y, splits=(mask, ~mask))
    assert by_rows.bound.value == by_mask.bound.value
    assert by_rows.theory == by_mask.theory
    assert len(by_rows.theory) == 2
    with pytest.raises(DataError, match="must not overlap; got 1 rows in both"):
        corollary.certify(model, X, y, splits=(old, np.arange(599, 900)))


# -- forms ---------------------------------------------------------------------------
def test_a_certificate_prints_and_is_json_and_html():
    bound = Bound("<b>", 2.0, 0.05, ("Rows & columns.",), "Me (2020)", holds=False)
    check = Check("<i>order</i>", False, "Seen.")
    one = Certificate("M", "a share of errors", 5, 0.2, 0.05, bound, checks=(check,))
    text = str(one)
    assert text.startswith("M: Assumption refuted: <i>order</i>.")
    assert "(vacuous) (guidance, not proved here)" in text
    html = one._repr_html_()
    assert "<i>" not in html
    assert "&lt;i&gt;order&lt;/i&gt;" in html
    values = json.loads(one.to_json())
    assert values["bound"]["vacuous"] is True
    assert values["holds"] is False
    empty = replace(one, bound=None, checks=(), risk=np.nan)
    assert json.loads(empty.to_json())["risk"] is None
    assert "theory of the model alone" in str(empty)


def test_groups_are_the_rows_that_count():
    model, _ = fitted(LogisticRegression())
    X, y = halves(400, seed=11)
    alone = corollary.certify(model, X, y).bound.value
    groups = corollary.certify(model, X, y, groups=np.arange(400) // 20).bound
    assert groups.value > alone
    assert groups.assumptions[0].startswith("Groups are drawn independently")


# -- bad input -----------------------------------------------------------------------
def test_bad_input_gets_one_sentence():
    model, (X, y) = fitted(LogisticRegression(), n=60)
    new = halves(50, seed=12)
    cases = [
        (ParameterError, "delta must be", {"delta": 1.0}),
        (ParameterError, "delta must be", {"delta": "small"}),
        (ParameterError, "models_tried must be", {"models_tried": 0}),
        (ParameterError, "loss must be", {"loss": "squared"}),
        (DataError, "train must be X and y", {"train": (X,)}),
        (DataError, "without train", {"splits": ([0],)}),
        (DataError, "groups must name", {"groups": [1, 2]}),
    ]
    for error, words, options in cases:
        with pytest.raises(error, match=words) as caught:
            corollary.certify(model, *new, **options)
        assert "\n" not in str(caught.value)
    for rows, labels, words in (
        (new[0], None, "given together"),
        (None, None, "must be given"),
        (new[0], new[1][:10], "one target for each"),
        (new[0], new[1] * np.nan, "must be finite"),
    ):
        silent = LogisticRegression().fit(X, y)
        silent.report_ = None
        with pytest.raises(DataError, match=words):
            corollary.certify(silent, rows, labels)
    with pytest.raises(DataError, match="largest_loss, or train, must be given"):
        corollary.certify(Ridge().fit(X, y), *new)
    with pytest.raises(DataError, match="a classifier, a regressor or a clusterer"):
        corollary.certify(corollary.PCA(1).fit(X), *new)
    with pytest.raises(Exception, match="not fitted"):
        corollary.certify(LogisticRegression(), *new)


def test_texts_are_certified_without_marks():
    frame = pd.DataFrame({"a": ["x", "y"] * 100, "b": np.arange(200.0)})
    y = (frame["a"] == "x").to_numpy().astype(int)
    model = corollary.HistGradientBoostingClassifier(max_iter=5)
    model.fit(frame[:100], y[:100])
    found = corollary.certify(model, frame[100:], y[100:], train=(frame[:100], y[:100]))
    assert found.risk == 0
    assert found.checks[-1].holds is None


def test_rows_are_taken_from_tables_of_every_library():
    X = np.arange(6.0).reshape(3, 2)
    columns = {"a": X[:, 0], "b": X[:, 1]}
    tables = [X, sp.csr_matrix(X), pd.DataFrame(columns), pa.table(columns)]
    for rows in (np.array([0, 2]), np.array([True, False, True])):
        for table in [*tables, pl.DataFrame(columns)]:
            part = some_rows(table, rows)
            assert type(part) is type(table)
            found = part.toarray() if sp.issparse(part) else np.asarray(part)
            if isinstance(part, pa.Table):
                found = np.column_stack([c.to_numpy() for c in part.columns])
            np.testing.assert_array_equal(found, X[[0, 2]])
