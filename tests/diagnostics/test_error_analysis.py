"""Error analysis: components replaced by the truth, one after another."""

import matplotlib
import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import error_analysis


@pytest.mark.course("S4-68")
def test_the_worked_system_says_c_then_b():
    # 1000 rows; each component is right where it should be, or replaced by the truth
    rows = np.arange(1000)
    spoiled = {"A": rows < 10, "B": (rows >= 10) & (rows < 60)}
    spoiled["C"] = (rows >= 60) & (rows < 160)
    spoiled["D"] = (rows >= 160) & (rows < 200)

    def right(replaced):
        wrong = np.zeros(1000, dtype=bool)
        for name, bad in spoiled.items():
            if name not in replaced:
                wrong |= bad
        return 100.0 * ~wrong

    found = error_analysis("ABCD", right)
    np.testing.assert_allclose(found.scores, [80, 81, 86, 96, 100])
    np.testing.assert_allclose(found.gains, [1, 5, 10, 4])
    assert found.ranking == ("C", "B", "D", "A")
    assert found.advice.startswith("Work on C (up to 10), then B (up to 5).")
    assert found.table[2] == ("C", pytest.approx(96.0), pytest.approx(10.0))
    assert found.gains.sum() == pytest.approx(found.scores[-1] - found.scores[0])
    by_hand = error_analysis(["A", "B", "C", "D"], [80, 81, 86, 96, 100])
    assert by_hand.advice == found.advice
    assert by_hand.standard_errors is None


def test_gains_within_chance_are_told_apart():
    rng = np.random.default_rng(0)
    base = rng.random(400) < 0.7

    def right(replaced):
        found = base.copy()
        found[:1] |= "small" in replaced
        found[200:] |= "large" in replaced
        return found

    found = error_analysis(["small", "large"], right)
    difference = right(("small", "large")).astype(float) - right(("small",))
    assert found.standard_errors[1] == pytest.approx(
        difference.std(ddof=1) / np.sqrt(400)
    )
    assert found.sure == (False, True)
    assert found.advice.startswith("Work on large (up to")
    assert "small" in found.advice.split(".")[-2]
    nothing = error_analysis(["a"], lambda replaced: np.ones(10))
    assert "look elsewhere" in nothing.advice


def test_the_text_and_the_picture():
    matplotlib.use("Agg")
    found = error_analysis(["one", "two"], [0.5, 0.6, 1.0])
    lines = str(found).splitlines()
    assert lines[1].split() == ["as", "it", "is", "0.5"]
    assert lines[3].split() == ["two", "1", "0.4"]
    ax = found.plot()
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([0.1, 0.4])
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("components", "score", "error", "words"),
    [
        ([], [1.0], ParameterError, "at least one"),
        (["a", "a"], [1, 2, 3], ParameterError, "all different"),
        ([1, 2], [1, 2, 3], ParameterError, "must be names"),
        (3, [1, 2, 3], ParameterError, "must be names"),
        (["a"], [1.0], DataError, "2 scores for 1 components"),
        (["a"], [1.0, np.nan], DataError, "finite"),
        (["a"], lambda names: np.ones(2 + len(names)), DataError, "as many for each"),
        (["a"], lambda names: "good", DataError, "must hold numbers"),
    ],
)
def test_what_is_refused(components, score, error, words):
    with pytest.raises(error, match=words):
        error_analysis(components, score)
