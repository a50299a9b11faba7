"""Figures show the numbers at their places, and escape every text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from corollary.report.figures.calibration import calibration_chart
from corollary.report.figures.confusion import confusion_map, most_confused
from corollary.report.figures.cost_curve import cost_curve
from corollary.report.figures.effect_shape import category_effect, number_effect
from corollary.report.figures.frame import Frame, thin
from corollary.report.figures.histogram import histogram
from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.line_chart import Curve, line_chart
from corollary.report.figures.scales import Scale, linear, logarithmic
from corollary.report.figures.svg import element

NUMBERS = st.floats(-1e9, 1e9).map(lambda v: round(v, 6))


@given(st.lists(NUMBERS, min_size=1, max_size=5), st.sampled_from(["number", "share"]))
def test_marks_of_a_linear_scale_are_round_and_inside(values, style):
    scale = linear(values, style=style)
    marks = scale.labels(5)
    assert 1 <= len(marks) <= 6
    places = [scale.share(value) for value, _ in marks]
    assert places == sorted(places)
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    wide = scale.high - scale.low
    if wide > 1e-3 * max(abs(scale.low), abs(scale.high)):
        assert len({text for _, text in marks}) == len(marks)


@given(st.floats(1e-3, 1e6), st.floats(2, 1e6))
def test_marks_of_a_logarithmic_scale_are_inside(low, factor):
    scale = logarithmic([low, low * factor])
    assert scale.log
    assert all(0 <= scale.share(value) <= 1 for value in scale.marks())
    assert scale.share(low * factor**0.5) == pytest.approx(0.5)


def test_values_off_the_scale_stand_on_its_edge():
    scale = Scale(0.0, 1.0)
    assert scale.share(-3) == 0
    assert scale.share(7) == 1
    assert not logarithmic([0.0, 5.0]).log  # nothing has no logarithm


def test_text_is_escaped_everywhere():
    text = '"><script>&'
    made = element("text", text, Markup("<b>kept</b>"), data_tip=text, none=None)
    assert made == (
        '<text data-tip="&#34;&gt;&lt;script&gt;&amp;">'
        "&#34;&gt;&lt;script&gt;&amp;<b>kept</b></text>"
    )
    effect = {"column": text, "grid": [text, "b"], "effect": [1.0, 2.0]}
    drawn = [
        histogram([0.0, 1.0], [3.0], text),
        confusion_map([text, "b"], [[1.0, 0.0], [2.0, 3.0]]),
        category_effect(effect),
        number_effect({"column": text, "grid": [1, 2], "effect": [1, 2]}),
        line_chart(Frame(Scale(0, 1), Scale(0, 1), text), [Curve(text, "first", [])]),
        interval_mark(Scale(0, 1), 0.5, 0.4, 0.6, title=text),
    ]
    for figure in drawn:
        assert "<script" not in figure
        assert "&lt;script" in figure


def test_bars_of_a_histogram_are_as_high_as_their_counts():
    figure = histogram([0.0, 1.0, 2.0, 3.0], [2.0, 4.0, 0.0], "")
    path = re.search(r'd="M(.*?)Z"', figure).group(1)
    points = [tuple(map(float, point.split())) for point in path.split("L")]
    assert points[:6] == (
        [(0, 500), (333.3, 500), (333.3, 0), (666.7, 0), (666.7, 1000), (1000, 1000)]
    )
    assert "0 to 1: 2" in figure


def test_a_line_goes_through_its_points():
    frame = Frame(Scale(0, 10), Scale(0, 2), "title", x_name="rows")
    band = [(0, 0.5, 1.5), (10, 1.0, 2.0)]
    figure = line_chart(frame, [Curve("one", "first", [(0, 1), (10, 2)], band)])
    assert 'd="M0 500L1000 0"' in figure
    assert 'd="M0 250L1000 0L1000 500L0 750Z"' in figure
    assert ">rows</text>" in figure
    assert 'aria-label="title.' in figure


def test_calibration_has_a_dot_and_a_whisker_for_each_group():
    rows = [(0.2, 0.1, 0.05, 0.2, 30.0), (0.8, 0.9, 0.8, 0.95, 90.0)]
    figure = calibration_chart(rows)
    assert 'd="M200 900h0M800 100h0"' in figure
    assert 'd="M200 950L200 800"' in figure
    assert "promised 20.0%: 10.0% came true (5.0% to 20.0%), 30 rows" in figure
    assert figure.count('class="column"') == 2
    even = calibration_chart([(*row[:4], 50.0) for row in rows])
    assert 'class="column"' not in even  # groups of one size say nothing


def test_of_many_classes_those_with_most_errors_are_drawn():
    k = 30
    matrix = [[0.0] * k for _ in range(k)]
    for i in range(k):
        matrix[i][i] = 100.0
        matrix[i][(i + 1) % k] = float(i == 7 or i == 20)
    shown = most_confused(matrix)
    assert len(shown) == 12
    assert {7, 8, 20, 21} <= set(shown)
    figure = confusion_map([str(i) for i in range(k)], matrix)
    assert figure.count("<td") == 144


def test_the_cheapest_threshold_is_marked():
    figure = cost_curve([0.0, 0.5, 1.0], [4.0, 1.0, 2.0], now=2, best=1)
    dot = re.search(r"<circle[^>]*>", figure).group()
    assert 'cx="50%"' in dot
    now = re.search(r'<line class="now"[^>]*>', figure).group()
    assert 'x1="100%"' in now
    assert "the cheapest is 0.5" in figure


def test_categories_are_sorted_by_their_effect():
    effect = {"column": "c", "grid": ["a", "b", "c"], "effect": [1.0, 3.0, None]}
    figure = category_effect(effect)
    assert figure.index(">b</bdi>") < figure.index(">a</bdi>")
    assert ">c</bdi>" not in figure
    assert category_effect({"column": "c", "grid": None, "effect": []}) is None
    assert number_effect({"column": "c", "grid": [1], "effect": [2]}) is None


@given(st.integers(1, 1000), st.integers(2, 60))
def test_thinned_points_keep_both_ends(n, most):
    points = [(float(i),) for i in range(n)]
    kept = thin(points, most)
    assert len(kept) == min(n, most)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert kept == sorted(set(kept))
