"""Confusion matrices and skewed classes."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import class_skew, confusion


def drawn(n=500, seed=0, k=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    said = np.where(rng.random(n) < 0.6, y, rng.integers(k, size=n))
    return y, said


@pytest.mark.course("S4-71")
def test_the_matrix_counts_what_is_taken_for_what():
    y, said = drawn()
    found = confusion(y, said)
    np.testing.assert_array_equal(found.matrix, metrics.confusion_matrix(y, said))
    p, r, f, _ = metrics.precision_recall_fscore_support(y, said)
    np.testing.assert_allclose(found.precision, p)
    np.testing.assert_allclose(found.recall, r)
    np.testing.assert_allclose(found.f1, f)
    assert found.accuracy == pytest.approx(np.mean(y == said))
    assert found.macro_recall == pytest.approx(metrics.balanced_accuracy_score(y, said))
    assert found.macro_f1 == pytest.approx(np.mean(f))
    assert found.macro_precision == pytest.approx(np.mean(p))


@pytest.mark.course("S4-71")
def test_the_most_confused_pairs_come_first():
    y = ["4"] * 50 + ["9"] * 40 + ["1"] * 10
    said = ["4"] * 30 + ["9"] * 20 + ["9"] * 35 + ["4"] * 5 + ["1"] * 9 + ["7"]
    found = confusion(y, said)
    pairs = found.pairs()
    assert [(p.actual, p.predicted, p.count) for p in pairs] == [
        ("4", "9", 20),
        ("9", "4", 5),
        ("1", "7", 1),
    ]
    assert [p.share for p in pairs] == [0.4, 0.125, 0.1]
    assert "4 taken for 9: 20 (40 % of 4)" in str(found)
    assert len(found.pairs(1)) == 1
    seven = found.classes.tolist().index("7")
    assert np.isnan(found.recall[seven])  # never there
    assert found.precision[seven] == 0
    wrong = found.matrix.sum() - np.trace(found.matrix)
    assert sum(p.count for p in pairs) == wrong


@pytest.mark.parametrize(
    "made",
    [
        np.array,
        list,
        pd.Series,
        pl.Series,
        pa.array,
        lambda v: pd.Categorical(v),
        lambda v: np.array(v, dtype=object),
    ],
)
def test_labels_come_in_any_container(made):
    y, said = ["a", "b", "a", "c"], ["a", "a", "a", "c"]
    found = confusion(made(y), made(said))
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.matrix.tolist() == [[2, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_numbers_and_booleans_are_labels_too():
    assert confusion([1, 2], [1.0, 1.0]).matrix.tolist() == [[1, 0], [1, 0]]
    assert confusion([True, False], [1, 0]).accuracy == 1
    assert confusion([True, False], [True, True]).to_findings()["classes"] == [
        "False",
        "True",
    ]


def test_the_order_of_classes_is_the_users():
    found = confusion(["a", "b"], ["b", "b"], classes=["b", "a", "z"])
    assert found.matrix.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    with pytest.raises(ParameterError, match="each of"):
        confusion(["a", "b"], ["b", "b"], classes=["b"])


def test_weights_are_repetition_and_intervals_are_exact():
    y, said = drawn(60, 1)
    w = np.random.default_rng(2).integers(1, 4, size=60)
    a, b = (
        confusion(y, said, sample_weight=w),
        confusion(np.repeat(y, w), np.repeat(said, w)),
    )
    np.testing.assert_array_equal(a.matrix, b.matrix)
    low, high = confusion(y, said).recall_interval().T
    recall = confusion(y, said).recall
    assert ((low < recall) & (recall < high)).all()
    one = confusion([0] * 10 + [1], [0] * 10 + [1])
    assert one.recall_interval()[0].tolist() == [pytest.approx(0.025 ** (1 / 10)), 1.0]


def test_findings_are_plain():
    y, said = drawn()
    found = confusion(y, said).to_findings()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["classes"] == ["0", "1", "2", "3"]
    assert found["matrix"] == metrics.confusion_matrix(y, said).tolist()
    assert list(found["pairs"][0]) == ["actual", "predicted", "count", "share"]


def test_drawn_and_printed():
    import matplotlib

    matplotlib.use("Agg")
    y, said = drawn()
    ax = confusion(y, said).plot()
    assert len(ax.texts) == 16
    matplotlib.pyplot.close(ax.figure)
    assert "macro recall" in str(confusion(*drawn(k=20)))


@pytest.mark.parametrize(
    ("y", "said", "words"),
    [
        ([1, 2], ["a", "b"], "one kind"),
        ([1, 2], [1], "one label for each of the 2 rows"),
        ([], [], "have rows"),
        ([1, np.nan], [1, 2], "missing value in row 1|one in row 1"),
        ([[1, 2]], [1], "one value for each row"),
    ],
)
def test_bad_input_ends_in_one_sentence(y, said, words):
    with pytest.raises(DataError, match=words):
        confusion(y, said)


# -- skew ------------------------------------------------------------------------------
@pytest.mark.course("S4-70")
def test_the_majority_alone_is_right_for_999_of_a_thousand():
    found = class_skew(["healthy"] * 999 + ["ill"])
    assert found.baseline_accuracy == 0.999
    assert found.majority == "healthy"
    assert found.rarest == "ill"
    assert found.ratio == 999
    assert found.skewed
    assert "not by accuracy" in " ".join(found.advice)
    assert "Collect more rows of ill (1)" in " ".join(found.advice)
    assert "is right for 99.9 %" in str(found)
    share = np.array([0.999, 0.001])
    assert found.baseline_log_loss == pytest.approx(-(share @ np.log(share)))


def test_balanced_classes_get_no_alarm():
    found = class_skew([0, 1] * 50)
    assert not found.skewed
    assert found.advice == ("The classes are not skewed: accuracy is fair.",)
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    one = class_skew([True, True])
    assert "nothing to learn" in str(one)
    assert one.baseline_log_loss == 0
    assert class_skew([0, 1], sample_weight=[1, 9]).baseline_accuracy == 0.9
