"""Calibration: shares against probabilities, the error without its noise, verdicts."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit

from corollary import CategoricalNB, GaussianNB
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import calibration_curve


def two_classes(n, rng):
    y = rng.integers(2, size=n)
    return y, rng.normal(size=(n, 1)) + 1.0 * y[:, None]


@pytest.mark.course("S3-32")
@pytest.mark.parametrize("copies", [1, 2, 4])
def test_naive_bayes_counts_copies_of_a_feature_as_evidence(copies):
    rng = np.random.default_rng(0)
    y, x = two_classes(34_000, rng)
    X, old, new = np.hstack([x] * copies), slice(30_000), slice(30_000, None)
    model = GaussianNB().fit(X[old], y[old])
    found = calibration_curve(y[new], model.predict_proba(X[new]))
    assert found.slope == pytest.approx(1 / copies, abs=3 * found.slope_error)
    assert found.calibrated == (copies == 1)
    if copies > 1:
        assert found.verdict.startswith("too sure")
        assert found.error > 0.05 * (copies - 1) ** 0.5
        top = found.observed[-1]
        assert found.predicted[-1] > found.high[-1] > top  # says more than comes true
    else:
        assert found.error < 0.015


@pytest.mark.course("S3-32")
def test_naive_bayes_of_categories_is_calibrated_where_independence_holds():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=34_000)
    X = (rng.random((34_000, 6)) < np.where(y[:, None] == 1, 0.6, 0.4)).astype(int)
    worse = np.hstack([X, X])  # every feature depends on its double
    reports = []
    for columns in (X, worse):
        model = CategoricalNB().fit(columns[:30_000], y[:30_000])
        proba = model.predict_proba(columns[30_000:])
        reports.append(calibration_curve(y[30_000:], proba))
    assert reports[0].calibrated
    assert not reports[1].calibrated
    assert reports[1].slope == pytest.approx(0.5, abs=0.1)
    assert reports[1].error > 0.05 > reports[0].error


def test_the_corrected_error_of_a_perfect_model_is_near_zero():
    rng = np.random.default_rng(2)
    raw, error, alarms = [], [], 0
    for _ in range(200):
        p = rng.beta(0.7, 1.2, size=400)
        found = calibration_curve(rng.random(400) < p, p)
        raw.append(found.raw_error)
        error.append(found.error)
        alarms += not found.calibrated
    assert np.mean(raw) > 0.03
    assert np.mean(error) < 0.3 * np.mean(raw)
    assert alarms <= 20  # of 200 at delta = 0.05


@pytest.mark.parametrize(("factor", "word"), [(2.0, "sure"), (0.5, "timid")])
def test_the_corrected_error_of_a_wrong_model_is_near_the_truth(factor, word):
    rng = np.random.default_rng(3)
    p = rng.beta(2, 2, size=300_000)
    truth = np.abs(expit(factor * logit(p)) - p).mean()
    found = []
    for i in range(60):
        q = p[i * 400 : (i + 1) * 400]
        said = expit(factor * logit(q))
        found.append(calibration_curve(rng.random(400) < q, said))
    assert np.mean([f.error for f in found]) == pytest.approx(truth, rel=0.1)
    assert np.mean([f.slope for f in found]) == pytest.approx(1 / factor, rel=0.1)
    assert all(f.verdict.startswith(f"too {word}") for f in found)


def test_a_shift_is_told():
    rng = np.random.default_rng(4)
    p = rng.beta(2, 2, size=5000)
    found = calibration_curve(rng.random(5000) < p, expit(logit(p) - 1))
    assert found.verdict.startswith("too low: log odds should move by +")
    assert found.intercept == pytest.approx(1, abs=0.1)


def test_bins_are_those_of_the_rows():
    y, p = [0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8]
    found = calibration_curve(y, p, bins=2, strategy="uniform")
    np.testing.assert_allclose(found.predicted, [0.2, 0.7])
    assert found.observed.tolist() == [0, 1]
    assert found.raw_error == pytest.approx(0.25)
    assert found.count.tolist() == [2, 2]
    assert found.low[0] == 0
    assert found.high[1] == 1
    assert found.high[0] == pytest.approx(1 - 0.025**0.5)  # exact, two rows
    assert found.brier == pytest.approx(np.mean([0.01, 0.09, 0.16, 0.04]))


def test_many_classes_are_judged_by_the_one_that_is_predicted():
    rng = np.random.default_rng(5)
    P = rng.dirichlet([1, 1, 1], size=6000)
    y = np.array(["a", "b", "c"])[(rng.random((6000, 1)) > P.cumsum(1)).sum(1)]
    found = calibration_curve(y, P)
    assert found.what == "the predicted class"
    assert found.calibrated
    one = calibration_curve(y, P, positive="b")
    assert one.what == "b"
    assert one.calibrated
    order = [2, 0, 1]
    named = calibration_curve(y, P[:, order], classes=["c", "a", "b"], positive="b")
    assert named.slope == one.slope


def test_weights_are_repetition():
    rng = np.random.default_rng(6)
    p = np.round(rng.random(60), 1)
    y, w = rng.random(60) < p, rng.integers(1, 4, size=60)
    edges = {"strategy": "uniform"}
    a = calibration_curve(y, p, sample_weight=w, **edges)
    b = calibration_curve(np.repeat(y, w), np.repeat(p, w), **edges)
    np.testing.assert_allclose(a.observed, b.observed)
    np.testing.assert_allclose(a.count, b.count)
    assert a.slope == pytest.approx(b.slope)
    assert a.raw_error == pytest.approx(b.raw_error)
    assert a.slope_error > b.slope_error


@pytest.mark.parametrize("p", [[0.0, 1.0, 0.0, 1.0], [0.5] * 4, [1.0, 0.0, 1.0, 0.0]])
def test_extreme_probabilities_have_an_answer(p):
    found = calibration_curve([0, 1, 0, 1], p)
    assert np.isfinite(found.error)
    assert np.isfinite(found.slope)
    assert json.loads(json.dumps(found.to_findings(), allow_nan=False))


def test_findings_are_those_of_the_page():
    found = calibration_curve([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.9], bins=2)
    page = found.to_findings()
    assert list(page) == ["predicted", "observed", "low", "high", "count", "error"]
    assert page["count"] == [2, 2]
    assert "said    true" in str(found)


def test_drawn():
    import matplotlib

    matplotlib.use("Agg")
    ax = calibration_curve([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.9]).plot()
    assert ax.get_title() == "calibrated"
    matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("y", "p", "options", "error", "words"),
    [
        ([0, 1], [0.1, 1.2], {}, DataError, r"\[0, 1\]"),
        ([0, 1], [[0.1, 0.2], [0.5, 0.5]], {}, DataError, "sum to 1"),
        ([0, 1], [0.1], {}, DataError, "a row for each of the 2"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, DataError, "column for each of 3"),
        ([0, 1], [0.1, 0.2], {"bins": 0}, ParameterError, "bins"),
        ([0, 1], [0.1, 0.2], {"strategy": "deciles"}, ParameterError, "strategy"),
        ([0, 1], [0.1, 0.2], {"positive": "x"}, ParameterError, "positive"),
        ([0, 1], [0.1, 0.2], {"classes": [0]}, ParameterError, "classes must name"),
        ([0, 5], [0.1, 0.2], {"classes": [0, 1]}, DataError, "labels of classes"),
    ],
)
def test_bad_input_ends_in_one_sentence(y, p, options, error, words):
    with pytest.raises(error, match=words):
        calibration_curve(y, p, **options)


def test_one_class_with_named_classes_is_judged():
    found = calibration_curve([1, 1, 1], [0.9, 0.8, 0.99], classes=[0, 1])
    assert found.observed.tolist() == [1.0] * len(found.observed)
