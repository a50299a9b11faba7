"""The loss of each row, and the browser of the rows that are most wrong."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from sklearn import metrics

from corollary import LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import row_losses, worst_examples

CELLS = {
    "age": [61.5, 20.0, None, 44.25],
    "town": ["Rome", None, "Oslo", "Rome"],
    "day": [np.datetime64("2024-02-01"), None, np.datetime64("2023-12-31"), None],
    "smoker": [True, False, True, False],
}
Y, P = ["ill", "well", "ill", "well"], [0.9, 0.8, 0.6, 0.1]


@pytest.mark.course("S4-68")
def test_the_browser_shows_the_misclassified_rows_the_surest_first():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    X = rng.normal(size=(600, 4))
    X[:, 0] += 1.5 * y
    P = LogisticRegression().fit(X[:300], y[:300]).predict_proba(X[300:])
    truth, said = y[300:], P.argmax(axis=1)
    found = worst_examples(truth, P, X[300:], n=7)
    wrong = np.flatnonzero(said != truth)
    assert len(found) == len(wrong)
    assert set(found.order) == set(wrong)
    loss = -np.log(P[np.arange(300), truth])
    assert (np.diff(loss[found.order]) <= 0).all()  # the largest first
    assert found.rows.tolist() == found.order[:7].tolist()
    seen = list(found)
    page = found
    while page.number < page.pages - 1:
        page = page.next()
        seen += list(page)
    assert [each.row for each in seen] == found.order.tolist()  # every one, once
    for each in seen:
        assert each.actual == truth[each.row] != each.predicted == said[each.row]
        assert each.probability == pytest.approx(P[each.row].max())
        assert each.values["x1"] == f"{X[300:][each.row, 1]:.6g}"
    assert page.next().number == page.pages - 1  # the last one stays
    assert page.previous().number == page.pages - 2


@pytest.mark.course("S4-68")
def test_filters_keep_a_class_a_mistake_or_a_cohort():
    rng = np.random.default_rng(1)
    y = np.array(["cat", "dog", "owl"])[rng.integers(3, size=300)]
    said = np.where(rng.random(300) < 0.5, y, rng.permutation(y))
    frame = pd.DataFrame({"weight": rng.normal(size=300)})
    found = worst_examples(y, said, frame)
    cats = found.filter(actual="cat", predicted="dog")
    assert set(cats.order) == set(np.flatnonzero((y == "cat") & (said == "dog")))
    heavy = found.filter(where=lambda rows: rows["weight"] > 1)
    assert set(heavy.order) == set(np.flatnonzero((frame.weight > 1) & (y != said)))
    assert set(heavy.filter(actual="owl").order) == {
        row for row in heavy.order if y[row] == "owl"
    }
    assert len(found.filter(where=np.zeros(300, dtype=bool))) == 0
    assert "0 wrong rows of 300" in str(found.filter(where=np.zeros(300, dtype=bool)))


@pytest.mark.parametrize("made", [pa.table, pd.DataFrame, pl.DataFrame])
def test_values_are_shown_as_texts_from_any_table(made):
    cells = dict(CELLS)
    if made is pd.DataFrame:
        cells["day"] = pd.to_datetime(cells["day"])
    else:
        cells["day"] = [None if d is None else d.item() for d in cells["day"]]
    found = worst_examples(Y, P, made(cells), every_row=True)
    by_row = {each.row: each.values for each in found}
    assert by_row[0] == {
        "age": "61.5",
        "town": "Rome",
        "day": "2024-02-01",
        "smoker": "True",
    }
    assert by_row[1]["town"] == "missing"
    assert by_row[1]["day"] == "missing"
    assert by_row[2]["age"] == "missing"


def test_a_cohort_of_an_arrow_table_may_have_missing_values():
    table = pa.table({"age": CELLS["age"]})
    found = worst_examples(Y, P, table, every_row=True)
    old = found.filter(where=lambda t: pc.greater(t["age"], 30))
    assert set(old.order) == {0, 3}


def test_numbers_come_by_the_size_of_their_error():
    found = worst_examples([1.0, 2.0, 4.5], [1.5, 2.0, 1.0], n=2)
    assert [each.row for each in found] == [2, 0]
    assert [each.error for each in found] == [-3.5, 0.5]
    assert found.to_findings()[0] == {
        "row": 2,
        "actual": 4.5,
        "predicted": 1.0,
        "error": -3.5,
        "values": {},
    }
    assert [each.row for each in found.filter(actual=(0, 3))] == [0, 1]
    assert "4.5, predicted 1 (-3.5)" in str(found)


def test_findings_are_plain():
    found = worst_examples(Y, P, pa.table({"age": CELLS["age"]})).to_findings()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found[0] == {
        "row": 0,
        "actual": "ill",
        "predicted": "well",
        "probability": 0.9,
        "values": {"age": "61.5"},
    }


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (lambda b: b.page(9), ParameterError, "one of 0 to 0"),
        (lambda b: b.filter(actual="cow"), ParameterError, "class must be one"),
        (lambda b: b.filter(where=[True]), DataError, "each of the 4 rows"),
        (lambda b: b.filter(where=[1, 2, 3, 4]), DataError, "true or false"),
        (lambda b: worst_examples(Y, P, n=0), ParameterError, "n must be"),
        (lambda b: worst_examples(Y, P, [[1]]), DataError, "each of the 4 answers"),
        (
            lambda b: worst_examples([0.5], [1.0]).filter(actual=3),
            ParameterError,
            "pair of numbers",
        ),
    ],
)
def test_bad_questions_end_in_one_sentence(asked, error, words):
    with pytest.raises(error, match=words):
        asked(worst_examples(Y, P))


# -- losses ----------------------------------------------------------------------------
def test_losses_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    Q = rng.dirichlet([1, 1, 1], size=100)
    y = rng.integers(3, size=100)
    assert row_losses(y, Q).mean == pytest.approx(metrics.log_loss(y, Q))
    assert row_losses(y, Q, loss="error").mean == np.mean(Q.argmax(1) != y)
    one = np.eye(3)[y]
    assert row_losses(y, Q, loss="brier").mean == pytest.approx(
        ((Q - one) ** 2).sum(1).mean()
    )
    z, f = rng.normal(size=(2, 50))
    assert row_losses(z, f).mean == pytest.approx(metrics.mean_squared_error(z, f))
    assert row_losses(z, f, loss="absolute").mean == pytest.approx(np.abs(z - f).mean())


@pytest.mark.parametrize(
    ("y", "said", "task", "loss"),
    [
        ([0, 1, 1], [0, 1, 0], "classification", "error"),
        ([0, 1, 1], [0.2, 0.9, 0.4], "classification", "log_loss"),
        ([True, False], [0.0, 1.0], "classification", "log_loss"),
        (["a", "b"], ["a", "a"], "classification", "error"),
        ([0, 1, 2], [0.0, 1.0, 1.0], "classification", "error"),
        ([0.5, 1.0], [1.0, 1.0], "regression", "squared"),
        ([3, 9, 400], [2.5, 8.0, 380.1], "regression", "squared"),
        ([0.5, 1.5], [1, 2], "regression", "squared"),
        ([0, 1], [[0.2, 0.8], [0.4, 0.6]], "classification", "log_loss"),
    ],
)
def test_answers_are_told_apart(y, said, task, loss):
    found = row_losses(y, said)
    assert (found.task, found.loss) == (task, loss)


def test_the_task_may_be_stated():
    assert row_losses([0, 1, 2], [0, 1, 1], task="regression").losses.tolist() == [
        0,
        0,
        1,
    ]
    assert row_losses([1, 1], [1.0, 1.0], task="regression").task == "regression"
    assert "2 rows: 0 on average" in str(row_losses([1.5, 2.0], [1.5, 2.0]))


@pytest.mark.parametrize(
    ("y", "said", "options", "error", "words"),
    [
        (["a", "b"], ["a", "b"], {"loss": "log_loss"}, DataError, "probabilities"),
        ([0.5, 1.0], [1.0, 2.0], {"loss": "error"}, ParameterError, "loss must be"),
        ([0.5, 1.0], [1.0], {}, DataError, "vector of 2 rows"),
        ([0.5, 1.0], [1.0, np.nan], {}, DataError, "finite"),
        ([0, 1], [[[1]]], {}, DataError, "one answer for each row"),
        ([0, 1, 2], [0.5, 0.1, 2.0], {"task": "classification"}, ParameterError, "lab"),
    ],
)
def test_bad_answers_end_in_one_sentence(y, said, options, error, words):
    with pytest.raises(error, match=words):
        row_losses(y, said, **options)
