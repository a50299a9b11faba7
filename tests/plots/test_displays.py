"""Displays have scikit-learn's manners, and draw what was measured."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from report.example_findings import binary, regression
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score

from corollary import LinearSVC, LogisticRegression, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.plots import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    EffectsDisplay,
    LearningCurveDisplay,
    ModelComparisonDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
    ValidationCurveDisplay,
)

matplotlib.use("Agg")
OF_ANSWERS = (
    RocCurveDisplay,
    PrecisionRecallDisplay,
    CalibrationDisplay,
    ThresholdDisplay,
    ConfusionMatrixDisplay,
)


@pytest.fixture(autouse=True)
def close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    model = LogisticRegression().fit(X[:150], y[:150])
    return model, X[150:], y[150:]


@pytest.mark.parametrize("display", OF_ANSWERS, ids=lambda d: d.__name__)
def test_an_estimator_and_its_predictions_give_the_same_picture(display, rows):
    import matplotlib.pyplot as plt

    model, X, y = rows
    _, given = plt.subplots()
    shown = display.from_estimator(model, X, y, ax=given)
    assert shown.ax_ is given
    assert shown.figure_ is given.figure
    asked = "predict" if display is ConfusionMatrixDisplay else "predict_proba"
    other = display.from_predictions(y, getattr(model, asked)(X))
    assert other.ax_ is not given
    for one, two in zip(shown.ax_.lines, other.ax_.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), two.get_xydata())
    again = shown.plot()
    assert again is shown
    assert shown.ax_ is not given
    shown.figure_.canvas.draw()


def test_what_is_drawn_is_what_was_measured(rows):
    model, X, y = rows
    proba, told = model.predict_proba(X), model.predict(X)
    roc = RocCurveDisplay.from_predictions(y, proba)
    assert roc.record.auc == pytest.approx(roc_auc_score(y == "yes", proba[:, 1]))
    line = roc.ax_.lines[0].get_xydata()
    area = np.trapezoid(line[:, 1], line[:, 0])
    assert area == pytest.approx(roc.record.auc)
    found = PrecisionRecallDisplay.from_predictions(y, proba).record
    expected = average_precision_score(y == "yes", proba[:, 1])
    assert found.average_precision == pytest.approx(expected)
    matrix = ConfusionMatrixDisplay.from_predictions(y, told)
    np.testing.assert_array_equal(matrix.record.matrix, confusion_matrix(y, told))
    texts = [text.get_text() for text in matrix.ax_.texts]
    assert texts == [str(n) for n in confusion_matrix(y, told).ravel()]


def test_a_model_without_probabilities_is_asked_for_scores(rows):
    _, X, y = rows
    model = LinearSVC().fit(X, y)
    shown = RocCurveDisplay.from_estimator(model, X, y)
    expected = roc_auc_score(y == "yes", model.decision_function(X))
    assert shown.record.auc == pytest.approx(expected)
    with pytest.raises(ParameterError, match="must offer predict_proba"):
        CalibrationDisplay.from_estimator(model, X, y)


def test_options_reach_the_measure(rows):
    model, X, y = rows
    shown = RocCurveDisplay.from_estimator(model, X, y, positive="no")
    assert shown.record.positive == "no"
    dear, cheap = (
        ThresholdDisplay.from_estimator(model, X, y, costs=costs)
        for costs in (
            {"false_positive": 1.0, "false_negative": 9.0},
            {"false_positive": 9.0, "false_negative": 1.0},
        )
    )
    assert dear.record.cheapest.threshold < cheap.record.cheapest.threshold


def test_curves_over_rows_and_parameters():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4))
    y = X[:, 0] + rng.normal(size=120)
    curve = LearningCurveDisplay.from_estimator(Ridge(), X, y, sizes=[20, 50, 90])
    assert len(curve.record.sizes) == 3
    values = {"param_name": "alpha", "param_range": [1e4, 10.0, 1.0]}
    sweep = ValidationCurveDisplay.from_estimator(Ridge(), X, y, **values)
    validation = sweep.ax_.containers[0].lines[0].get_ydata()
    np.testing.assert_array_equal(validation, sweep.record.validation)
    penalty = ValidationCurveDisplay.from_estimator(
        Ridge(), X, y, penalty=True, **values
    )
    assert type(penalty.record).__name__ == "PenaltyCurve"


@pytest.mark.parametrize("kind", ["residual_vs_predicted", "actual_vs_predicted"])
def test_errors_over_predictions(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 2))
    y = X[:, 0] + rng.normal(size=50)
    model = Ridge().fit(X, y)
    shown = PredictionErrorDisplay.from_estimator(model, X, y, kind=kind)
    told = model.predict(X)
    points = shown.ax_.collections[0].get_offsets()
    heights = y - told if kind.startswith("residual") else y
    np.testing.assert_allclose(points, np.column_stack([told, heights]))


@pytest.mark.parametrize(
    ("truth", "told", "kind", "words"),
    [
        ([1.0], [1.0, 2.0], "residual_vs_predicted", "same length"),
        ([], [], "residual_vs_predicted", "same length"),
        (["a"], [1.0], "residual_vs_predicted", "must be numbers"),
        ([np.nan], [1.0], "residual_vs_predicted", "must be finite"),
        ([1.0], [1.0], "odd", "kind must be one of"),
    ],
)
def test_odd_predictions_are_refused_in_a_sentence(truth, told, kind, words):
    with pytest.raises(ValueError, match=words):
        PredictionErrorDisplay.from_predictions(truth, told, kind=kind)


def test_models_are_drawn_with_the_best_on_top():
    shown = ModelComparisonDisplay.from_findings(regression())
    names = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert names[0] == "Histogram boosting"
    assert names[-1] == "Always the mean"
    assert shown.ax_.get_yticks()[0] > shown.ax_.get_yticks()[-1]
    assert shown.ax_.lines[-1].get_xdata()[0] == 79400.0
    assert "lower is better" in shown.ax_.get_xlabel()
    best = ModelComparisonDisplay.from_findings(binary())
    assert best.names[best.order[0]] == "Average of 3 models"
    with pytest.raises(DataError, match="findings must hold models"):
        ModelComparisonDisplay.from_findings({})
    with pytest.raises(DataError, match="for each of 2 models"):
        ModelComparisonDisplay(["a", "b"], [1.0])
    with pytest.raises(DataError, match="baseline must be one of"):
        ModelComparisonDisplay(["a"], [1.0], baseline="b")


def test_effects_have_axes_for_each_column():
    import matplotlib.pyplot as plt

    found = binary()
    shown = EffectsDisplay.from_findings(found)
    assert len(shown.axes_) == len(found["effects"])
    line = shown.axes_[1].lines[0].get_xydata()
    np.testing.assert_allclose(line[:, 0], found["effects"][1]["grid"])
    np.testing.assert_allclose(line[:, 1], found["effects"][1]["effect"])
    labels = [label.get_text() for label in shown.axes_[0].get_yticklabels()]
    assert labels == found["effects"][0]["grid"]
    _, own = plt.subplots(1, 2)
    two = EffectsDisplay(found["effects"][:2]).plot(own)
    assert two.ax_ is own[0]
    with pytest.raises(DataError, match="axes for each of 2 columns"):
        two.plot(own[0])
    with pytest.raises(DataError, match="must not be empty"):
        EffectsDisplay.from_findings({})
    bad = found["effects"][0] | {"effect": [1.0]}
    with pytest.raises(DataError, match="an effect for each of its grid"):
        EffectsDisplay([bad])


def test_the_effect_of_a_date_is_drawn_along_time():
    grid = ["2021-01-01", "2022-06-01T12:00:00"]
    one = {"column": "day", "kind": "date", "grid": grid, "effect": [1.0, 2.0]}
    (line,) = EffectsDisplay([one]).plot().ax_.lines
    assert line.get_xdata()[1] == np.datetime64(grid[1])


def test_effects_of_a_model_are_those_it_has():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    model = Ridge(alpha=1e-6).fit(X, 3 * X[:, 0] - X[:, 1])
    shown = EffectsDisplay.from_estimator(model, X, [1, 0])
    for ax, slope in zip(shown.axes_, (-1, 3), strict=True):
        x, effect = ax.lines[0].get_xydata().T
        np.testing.assert_allclose(np.diff(effect), slope * np.diff(x), atol=1e-6)


def test_matplotlib_is_loaded_only_to_draw():
    code = (
        "import sys; from corollary import plots; plots.RocCurveDisplay;"
        "plots.EffectsDisplay([{'column': 'a', 'grid': [1], 'effect': [1]}]);"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
