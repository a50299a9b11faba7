"""Ceiling analysis: what a perfect stage would bring."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from corollary import (
    LinearRegression,
    LogisticRegression,
    SimpleImputer,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import ceiling_analysis, pipeline_stages


class Photo:
    """A reader of photos in three stages, each with failures of its own."""

    names = ("text detection", "character segmentation", "character recognition")

    def __init__(self, n=1000):
        self.rows = np.arange(n)
        self.truth = {name: self.rows.astype(float) + 10.0 ** (3 + i)
                      for i, name in enumerate(self.names)}  # fmt: skip

    def stage(self, k, low, high):
        """Return a stage that is right but for rows low to high, and for bad input."""
        name = self.names[k]
        before = self.rows if k == 0 else self.truth[self.names[k - 1]]

        def act(given):
            good = (np.asarray(given) == before) & (
                (self.rows < low) | (self.rows >= high)
            )
            return np.where(good, self.truth[name], -1.0)

        return name, act

    def right(self, output):
        return 100.0 * (output == self.truth[self.names[-1]])


@pytest.mark.course("S4-36")
def test_photo_ocr_72_89_90_100_through_the_stages():
    photo = Photo()
    stages = [
        photo.stage(0, 0, 170),
        photo.stage(1, 170, 180),
        photo.stage(2, 180, 280),
    ]
    found = ceiling_analysis(stages, photo.rows, photo.truth, photo.right)
    np.testing.assert_allclose(found.scores, [72, 89, 90, 100])
    np.testing.assert_allclose(found.gains, [17, 1, 10])
    assert found.ranking == (
        "text detection", "character recognition", "character segmentation",
    )  # fmt: skip
    assert found.advice == (
        "Work on text detection (up to 17), then character recognition (up to 10). "
        "No more than 1 can come from character segmentation."
    )
    again = ceiling_analysis(
        dict(stages), photo.rows, [photo.truth[n] for n in photo.names], photo.right
    )
    np.testing.assert_array_equal(again.gains, found.gains)


@pytest.mark.course("S4-36")
def test_truth_is_fed_to_the_stages_after_it_and_the_work_before_is_not_done():
    seen = []

    def noted(name, act):
        def run(given):
            seen.append(name)
            return act(given)

        return name, run

    stages = [noted("double", lambda x: 2 * x), noted("add", lambda x: x + 1)]
    found = ceiling_analysis(
        stages, 3, {"double": 100, "add": 7}, score=lambda out: float(out)
    )
    assert found.scores.tolist() == [7.0, 101.0, 7.0]
    assert seen == ["double", "add", "add"]


def test_a_stage_without_truth_is_judged_with_the_next():
    photo = Photo()
    stages = [
        photo.stage(0, 0, 170),
        photo.stage(1, 170, 180),
        photo.stage(2, 180, 280),
    ]
    truth = {n: t for n, t in photo.truth.items() if n != "text detection"}
    found = ceiling_analysis(stages, photo.rows, truth, photo.right)
    np.testing.assert_allclose(found.scores, [72, 90, 100])
    assert found.names == (
        "text detection + character segmentation", "character recognition",
    )  # fmt: skip


@pytest.mark.course("S4-36")
def test_a_pipeline_whose_missing_values_are_known_after_all():
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(500, 2))
    y = whole[:, 0] + whole[:, 1] + 0.1 * rng.normal(size=500)
    X = whole.copy()
    X[rng.random((500, 2)) < 0.4] = np.nan
    model = make_pipeline(SimpleImputer(), StandardScaler(), LinearRegression())
    model.fit(X, y)
    truth = {"simpleimputer": whole, "linearregression": y}
    found = ceiling_analysis(model, X, truth)
    assert found.names == ("simpleimputer", "standardscaler + linearregression")
    assert found.scores[0] == pytest.approx(-np.mean((model.predict(X) - y) ** 2))
    oracle = model[1:].predict(whole)
    assert found.scores[1] == pytest.approx(-np.mean((oracle - y) ** 2))
    assert found.scores[2] == 0
    assert found.ranking[0] == "simpleimputer"
    assert found.sure[0]
    classes = make_pipeline(SimpleImputer(), LogisticRegression()).fit(X, y > 0)
    found = ceiling_analysis(
        classes, X, {"simpleimputer": whole, "logisticregression": y > 0}
    )
    assert found.scores[0] == pytest.approx(classes.score(X, y > 0))
    assert found.scores[-1] == 1


def test_the_stages_of_a_pipeline():
    X, y = np.arange(8.0)[:, None], np.arange(8.0)
    model = make_pipeline(StandardScaler(), "passthrough", LinearRegression()).fit(X, y)
    given = X
    for _, act in pipeline_stages(model):
        given = act(given)
    np.testing.assert_allclose(given, model.predict(X))


def test_what_is_refused():
    def same(x):
        return x

    good = [("a", same), ("b", same)]
    for arguments, error, words in (
        (([("a", 3)], 1, [1]), ParameterError, "a name and a function"),
        ((3, 1, [1]), ParameterError, "a name and a function"),
        (([("a", same), ("a", same)], 1, [1, 1]), ParameterError, "all different"),
        ((good, 1, [1]), DataError, "each of 2 stages"),
        ((good, 1, {"c": 1}), ParameterError, "name stages among a, b"),
        ((good, 1, {"a": 1}), DataError, "truth of the last stage"),
        ((good, 1, [1, 1], "score"), ParameterError, "score must be a function"),
        ((good, [[1.0]], [1, [[1.0]]]), DataError, "not one column"),
    ):
        with pytest.raises(error, match=words):
            ceiling_analysis(*arguments)
    with pytest.raises(NotFittedError):
        ceiling_analysis(make_pipeline(StandardScaler(), LinearRegression()), 1, {})
    with pytest.raises(ParameterError, match="must be a Pipeline"):
        pipeline_stages(3)
