"""ROC and precision-recall curves: rates, areas and their intervals."""

import json

import numpy as np
import pytest
from sklearn import metrics

from corollary.core.errors import DataError
from corollary.diagnostics import precision_recall_curve, roc_curve


def drawn(n=400, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + y
    return y, np.round(s, 1) if ties else s


@pytest.mark.course("S4-70")
def test_the_curve_is_of_rates_not_of_counts():
    y, s = drawn()
    found = roc_curve(y, s)
    fpr, tpr, _ = metrics.roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, fpr)
    np.testing.assert_allclose(found.true_positive_rate, tpr)
    assert found.auc == pytest.approx(metrics.roc_auc_score(y, s))
    twice = roc_curve(np.append(y, y[~y]), np.append(s, s[~y]))  # other base rate
    np.testing.assert_allclose(twice.false_positive_rate, found.false_positive_rate)
    np.testing.assert_allclose(twice.true_positive_rate, found.true_positive_rate)
    assert twice.auc == pytest.approx(found.auc)


@pytest.mark.course("S4-70")
def test_the_area_is_that_under_the_points():
    y, s = drawn(ties=False)
    found = roc_curve(y, s)
    area = np.trapezoid(found.true_positive_rate, found.false_positive_rate)
    assert found.auc == pytest.approx(area)
    assert found.area.low < found.auc < found.area.high
    assert roc_curve(y, np.zeros(len(y))).auc == 0.5


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_weights_are_repetition(curve):
    y, s = drawn(80)
    w = np.random.default_rng(1).integers(1, 4, size=80)
    a, b = curve(y, s, sample_weight=w), curve(np.repeat(y, w), np.repeat(s, w))
    assert a.area.value == pytest.approx(b.area.value)
    assert a.area.width > b.area.width  # repeated rows are not independent


@pytest.mark.course("S4-70")
def test_precision_and_recall_are_scikit_learns():
    y, s = drawn()
    found = precision_recall_curve(y, s)
    p, r, _ = metrics.precision_recall_curve(y, s)
    np.testing.assert_allclose(found.precision[::-1], p[:-1])
    np.testing.assert_allclose(found.recall[::-1], r[:-1])
    assert found.average_precision == pytest.approx(
        metrics.average_precision_score(y, s)
    )
    assert found.base == pytest.approx(y.mean())
    assert precision_recall_curve(y, y * 1.0).average_precision == 1


def test_the_interval_of_average_precision_covers():
    y, s = drawn(200_000, ties=False)
    truth = precision_recall_curve(y, s).average_precision
    held = [truth in precision_recall_curve(*drawn(300, k)).area for k in range(1, 201)]
    assert np.mean(held) > 0.9


def test_pages_are_plain_and_short():
    y, s = drawn(5000, ties=False)
    roc, pr = roc_curve(y, s).to_findings(), precision_recall_curve(y, s).to_findings()
    for found in (roc, pr):
        assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(roc) == {
        "false_positive_rate",
        "true_positive_rate",
        "auc",
        "auc_interval",
    }
    assert set(pr) == {"recall", "precision", "base"}
    assert 100 < len(roc["true_positive_rate"]) <= 200
    assert 100 < len(pr["recall"]) <= 200
    area = np.trapezoid(roc["true_positive_rate"], roc["false_positive_rate"])
    assert area == pytest.approx(roc["auc"], abs=0.005)


def test_printed_and_drawn():
    import matplotlib

    matplotlib.use("Agg")
    y, s = drawn()
    assert "AUC (DeLong)" in str(roc_curve(y, s))
    assert "by chance" in str(precision_recall_curve(y, s))
    for found in (roc_curve(y, s), precision_recall_curve(y, s)):
        ax = found.plot()
        assert ax.lines
        matplotlib.pyplot.close(ax.figure)


def test_one_class_has_no_curve():
    with pytest.raises(DataError, match="roc_curve: y must have rows of two classes"):
        roc_curve(["a", "a"], [0.1, 0.2])
