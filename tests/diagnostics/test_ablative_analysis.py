"""Ablative analysis: components removed, one after another and alone."""

import matplotlib
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import LinearRegression, PolynomialFeatures, StandardScaler
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import ablative_analysis, pipeline_ablation

WORTH = {"spelling": 0.1, "host": 0.9, "header": 4.0, "parser": 0.5, "script": 0.4}


def additive(kept):
    return 94.0 + sum(WORTH[name] for name in kept)


@pytest.mark.course("S4-69")
def test_components_are_removed_one_after_another_in_the_order_told():
    found = ablative_analysis(list(WORTH), additive)
    assert found.order == tuple(WORTH)
    np.testing.assert_allclose(found.scores, [99.9, 99.8, 98.9, 94.9, 94.4, 94.0])
    np.testing.assert_allclose(found.drops, list(WORTH.values()))
    np.testing.assert_allclose(found.alone, found.drops)  # nothing overlaps
    assert found.ranking[0] == "header"
    assert found.drops.sum() == pytest.approx(found.scores[0] - found.scores[-1])
    assert "header does most" in found.advice
    assert "every component does something" in found.advice
    assert found.advice.startswith("Removed in the order spelling, host,")


@pytest.mark.course("S4-69")
def test_the_order_matters_where_components_do_the_same_work():
    def either(kept):
        return 1.0 if "a" in kept or "b" in kept else 0.0

    first = ablative_analysis(["a", "b", "c"], either)
    second = ablative_analysis(["a", "b", "c"], either, order=["b", "a", "c"])
    assert first.drops.tolist() == [0, 1, 0]
    assert first.ranking[0] == "b"
    assert second.ranking[0] == "a"  # the same work, another order
    assert first.alone.tolist() == second.alone.tolist() == [0, 0, 0]
    assert first.dispensable == ("a", "b", "c")
    assert "without a or b or c alone" in first.advice


@pytest.mark.course("S4-69")
def test_the_greedy_order_removes_what_costs_least():
    found = ablative_analysis(list(WORTH), additive, order="greedy")
    assert found.order == tuple(sorted(WORTH, key=WORTH.get))
    assert (np.diff(found.drops) > 0).all()


def test_each_system_is_scored_once():
    asked = []

    def score(kept):
        asked.append(kept)
        return float(len(kept))

    ablative_analysis(["a", "b", "c"], score, order="greedy")
    assert len(asked) == len(set(asked))
    asked.clear()
    found = ablative_analysis(["a", "b", "c"], score, leave_one_out=False)
    assert len(asked) == 4
    assert found.alone is None
    assert found.dispensable == ()


def test_rows_give_standard_errors():
    rng = np.random.default_rng(0)
    base = rng.normal(size=300)

    def score(kept):
        return base + 1.0 * ("strong" in kept) + 0.01 * rng.normal(size=300)

    found = ablative_analysis(["strong", "idle"], score)
    assert found.drops[0] == pytest.approx(1, abs=0.01)
    assert found.standard_errors[0] == pytest.approx(0.01 * np.sqrt(2 / 300), rel=0.2)
    assert "strong" not in found.dispensable


@pytest.mark.course("S4-69")
def test_the_steps_of_a_pipeline():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(200, 2))
    y = X[:, 0] * X[:, 1] + 0.05 * rng.normal(size=200)
    model = make_pipeline(StandardScaler(), PolynomialFeatures(2), LinearRegression())
    found = pipeline_ablation(model, X, y, splitter=5)
    assert found.ranking[0] == "polynomialfeatures"
    assert found.dispensable == ("standardscaler",)
    assert found.scores[0] == pytest.approx(-0.0025, rel=0.3)
    assert found.scores[-1] < -0.1
    only = pipeline_ablation(model, X, y, steps=["polynomialfeatures"])
    assert only.order == ("polynomialfeatures",)


def test_the_text_and_the_picture():
    matplotlib.use("Agg")
    found = ablative_analysis(list(WORTH), additive)
    assert str(found).splitlines()[4].split() == ["header", "94.9", "4", "4"]
    ticks = [t.get_text() for t in found.plot().get_xticklabels()]
    assert ticks[:2] == ["all", "- spelling"]
    matplotlib.pyplot.close("all")


def test_what_is_refused():
    model = make_pipeline(StandardScaler(), LinearRegression())
    for call, error, words in (
        (lambda: ablative_analysis([], additive), ParameterError, "at least one"),
        (lambda: ablative_analysis(["a"], 3), ParameterError, "must be a function"),
        (lambda: ablative_analysis(["a"], lambda k: np.nan), DataError, "finite"),
        (lambda: ablative_analysis(["a"], lambda k: [1.0] * (1 + len(k))), DataError,
         "as many for each system"),
        (lambda: ablative_analysis(["a"], len, order=["b"]), ParameterError, "order"),
        (lambda: ablative_analysis(["a"], len, order="best"), ParameterError, "greedy"),
        (lambda: pipeline_ablation(3, 1, 1), ParameterError, "must be a Pipeline"),
        (lambda: pipeline_ablation(model, 1, 1, steps=["x"]), ParameterError, "steps"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            call()
