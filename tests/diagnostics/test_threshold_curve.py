"""Thresholds: precision, recall, F1, baselines, and the price of an error."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import threshold_curve


@pytest.mark.course("S4-70")
def test_worked_numbers_precision_need_not_rise():
    found = threshold_curve([0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6])
    assert found.thresholds.tolist() == [0.6, 0.7, 0.8, 0.9, np.inf]
    np.testing.assert_allclose(found.precision[:-1], [0.75, 2 / 3, 0.5, 0.0])
    assert np.isnan(found.precision[-1])  # nothing is said to be positive
    np.testing.assert_allclose(found.recall, [1, 2 / 3, 1 / 3, 0, 0])
    np.testing.assert_allclose(found.f1, [6 / 7, 2 / 3, 0.4, 0, 0])


@pytest.mark.course("S4-70")
def test_a_rare_disease_is_right_for_all_but_one_in_a_thousand_and_finds_none():
    y = np.array(["no"] * 9990 + ["yes"] * 10)
    found = threshold_curve(y, np.zeros(10_000))
    never = found.at(0.5)
    assert never == found.majority.__class__(0.5, 0.0, 0.0, 10.0, 9990.0)
    assert never.accuracy == 0.999
    assert never.recall == 0
    assert np.isnan(never.precision)
    assert never.f1 == 0
    assert found.majority.accuracy == 0.999
    assert "is right for 99.9 %, with recall 0" in str(found)


@pytest.mark.course("S4-70")
def test_a_higher_threshold_trades_recall_for_precision():
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.3
    p = 1 / (1 + np.exp(-(rng.normal(size=4000) + 2 * y - 1)))
    found = threshold_curve(y, p)
    half, more = found.at(0.5), found.at(0.7)
    assert more.precision > half.precision
    assert more.recall < half.recall
    assert (np.diff(found.recall) <= 0).all()
    assert found.best_f1.f1 == found.f1.max()


@pytest.mark.course("S4-70")
@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_counts_are_those_of_the_decisions(rows):
    y, s = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
    if y.all() or not y.any():
        with pytest.raises(DataError, match="two classes"):
            threshold_curve(y, s)
        return
    found = threshold_curve(y, s)
    for t in (-1.0, 2.5, 3.0, 6.0):
        said = s >= t
        tp, fp = np.sum(said & y), np.sum(said & ~y)
        fn, tn = np.sum(~said & y), np.sum(~said & ~y)
        at = found.at(t)
        assert (at.true_positive, at.false_positive) == (tp, fp)
        assert (at.false_negative, at.true_negative) == (fn, tn)
        assert at.recall == pytest.approx(tp / (tp + fn))
        assert np.isnan(at.precision) if not said.any() else True
        if tp:
            P, R = tp / (tp + fp), tp / (tp + fn)
            assert at.precision == pytest.approx(P)
            assert at.f1 == pytest.approx(2 * P * R / (P + R))


def test_labels_of_any_kind_and_columns_of_probabilities():
    y = pd.Series(["b", "a", "b", "c"])
    P = np.array([[0.1, 0.8, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    found = threshold_curve(y, P, positive="b")
    assert found.positive == "b"
    assert found.at(0.5).precision == 1
    with pytest.raises(DataError, match="two classes, or `positive`"):
        threshold_curve(y, P[:, 0])
    flipped = threshold_curve([True, False], [0.2, 0.9], positive=False)
    assert flipped.at(0.5).recall == 1


def test_weights_are_repetition():
    rng = np.random.default_rng(1)
    y, s = rng.integers(2, size=50), rng.integers(6, size=50) / 5
    w = rng.integers(0, 4, size=50)
    a = threshold_curve(y, s, sample_weight=w)
    b = threshold_curve(np.repeat(y, w), np.repeat(s, w))
    for t in np.linspace(0, 1.2, 13):
        assert a.at(t) == b.at(t)


def test_the_cheapest_threshold_is_the_least_of_all():
    rng = np.random.default_rng(2)
    y = rng.random(300) < 0.4
    s = rng.normal(size=300) + y
    found = threshold_curve(y, s, costs={"false_positive": 1, "false_negative": 4})
    costs = [np.mean(np.where(y, 4.0 * (s < t), s >= t)) for t in [*s, np.inf]]
    assert found.cheapest.cost == pytest.approx(min(costs))
    assert found.cheapest.by_probability is None
    assert found.cheapest.low <= found.cheapest.threshold <= found.cheapest.high
    said = threshold_curve(y, s, costs=[[0, 4], [1, 0]])  # said x true
    assert said.cheapest == found.cheapest


def test_calibrated_probabilities_have_the_threshold_of_the_costs():
    rng = np.random.default_rng(3)
    p = rng.uniform(size=40_000)
    y = rng.uniform(size=40_000) < p
    least = threshold_curve(y, p, costs=[[0, 4], [1, 0]]).cheapest
    assert least.by_probability == pytest.approx(0.2)
    assert least.low <= 0.2 <= least.high
    assert least.high - least.low < 0.15


def test_the_expected_cost_is_honest_where_the_least_cost_is_not():
    rng = np.random.default_rng(4)
    here, expected, true = [], [], []
    for seed in range(150):
        y = rng.random(60) < 0.5
        s = rng.normal(size=60) + 0.5 * y
        least = threshold_curve(y, s, costs=[[0, 1], [1, 0]], random_state=seed)
        t = least.cheapest.threshold
        true.append(0.5 * ndtr(t - 0.5) + 0.5 * ndtr(-t))
        here.append(least.cheapest.cost)
        expected.append(least.cheapest.expected)
    assert np.mean(true) - np.mean(here) > 0.03  # chosen on the rows that judge it
    assert abs(np.mean(expected) - np.mean(true)) < 0.015


def test_findings_are_plain_and_short():
    rng = np.random.default_rng(5)
    y, s = rng.integers(2, size=5000), rng.uniform(size=5000)
    found = threshold_curve(y, s).to_findings()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert len(found["threshold"]) <= 200
    assert found["true_positive"][0] == y.sum()
    assert (found["true_positive"][-1], found["false_positive"][-1]) == (0, 0)
    assert found["threshold"] == sorted(found["threshold"])
    total = [sum(x) for x in zip(*list(found.values())[2:], strict=True)]
    assert set(total) == {5000}


def test_the_picture_has_three_curves():
    import matplotlib

    matplotlib.use("Agg")
    ax = threshold_curve([0, 1, 1], [0.1, 0.4, 0.3], costs=[[0, 1], [1, 0]]).plot()
    assert [line.get_label() for line in ax.lines][:3] == ["precision", "recall", "f1"]
    matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"costs": [[1, 0], [0, 1]]}, "an error must cost more"),
        ({"costs": [1, 2]}, "said x what is true"),
        ({"costs": {"wrong": 1}}, "names of costs"),
        ({"costs": "free"}, "costs must be numbers"),
        ({"positive": 7}, "positive must be one of"),
        ({"delta": 2}, "delta"),
    ],
)
def test_bad_parameters_end_in_one_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        threshold_curve([0, 1], [0.1, 0.2], **options)


@pytest.mark.parametrize(
    ("y", "scores", "words"),
    [
        ([0, 1], [0.1], "vector of 2 rows"),
        ([0, 1], [0.1, np.nan], "finite"),
        ([0, None], [0.1, 0.2], "missing value"),
        ([], [], "have rows"),
        ([0, "a"], [0.1, 0.2], "numbers or texts"),
        ([0.5, 0.1], [0.1, 0.2], "class labels"),
        ([0, 1, 0], [["a"], ["b"], ["c"]], "hold numbers"),
    ],
)
def test_bad_data_ends_in_one_sentence(y, scores, words):
    y = np.array(y, dtype=object) if "a" in y else y
    with pytest.raises(DataError, match=words):
        threshold_curve(y, scores)
