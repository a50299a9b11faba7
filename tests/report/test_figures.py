"""Figures show the numbers at their places, and escape every text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from corollary.report.figures.calibration import calibration_chart
from corollary.report.figures.confusion import confusion_map, most_confused
from corollary.report.figures.cost_curve import cost_curve
from corollary.report.figures.effect_shape import (
    category_effect,
    date_effect,
    effect_scale,
    number_effect,
    part_effect,
)
from corollary.report.figures.frame import Frame, thin
from corollary.report.figures.histogram import histogram
from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.line_chart import Curve, line_chart
from corollary.report.figures.scales import Scale, linear, logarithmic
from corollary.report.figures.svg import element
from corollary.report.figures.time_marks import moment_text, seconds_of, time_marks

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
    lines = {"of": text, "effect": [1.0, 2.0]} | {"others": [{"of": text} | effect]}
    drawn = [
        category_effect(effect | lines),
        number_effect({"column": "c", "grid": [1, 2]} | lines),
        date_effect({"column": "c", "grid": ["2021-01-01", "2022-01-01"]} | lines),
        part_effect({"column": "c", "grid": [text, "b"]} | lines),
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


def test_lines_of_several_classes_are_told_apart_by_a_key():
    others = [{"of": "b", "effect": [0.4, 0.2]}, {"of": "c", "effect": [None, 0.3]}]
    one = {"column": "x", "grid": [1, 2], "of": "a", "effect": [0.2, 0.6]}
    figure = number_effect(one | {"others": others}, effect_scale([one], "share"))
    assert figure.count('class="line') == 2  # a line of one point is none
    assert '<i class="swatch first"></i>a</span>' in figure
    assert '<i class="swatch third"></i>b</span>' in figure
    assert 'data-tip="1: a 20.0%, b 40.0%"' in figure
    alone = number_effect(one)
    assert "swatch" not in alone
    assert 'data-tip="1: 0.2"' in alone
    rows = category_effect(one | {"grid": ["u", "v"], "others": others})
    assert rows.index(">v</bdi>") < rows.index(">u</bdi>")
    assert 'data-tip="u: a 0.2, b 0.4"' in rows
    whole = one | {"others": others, "part": {"effect": [-1.0]}}
    assert effect_scale([whole], "number").low < -1
    shares = effect_scale([whole], "share")
    assert shares.low == 0
    assert shares.high > 0.6


def test_a_date_is_a_line_along_time():
    grid = ["2021-01-01", "2021-07-02T12:00:00.000000", "2022-01-01"]
    figure = date_effect({"column": "d", "grid": grid, "effect": [1.0, 3.0, 1.0]})
    assert re.search(r'class="line first" d="M0 [\d.]+L500 [\d.]+L1000 ', figure)
    assert ">Jul</text>" in figure
    assert ">2022</text>" in figure
    assert 'data-tip="2 Jul 2021 12:00: 3"' in figure
    assert date_effect({"column": "d", "grid": ["a", "b"], "effect": [1, 2]}) is None
    assert date_effect({"column": "d", "grid": grid[:1], "effect": [1]}) is None
    hours = [f"{hour}:00" for hour in range(24)]
    figure = part_effect({"column": "d", "grid": hours, "effect": [1.0] * 24})
    shown = re.findall(r'class="mark \w+"[^>]*dy="18"[^>]*>([^<]*)<', figure)
    assert shown == ["0:00", "6:00", "12:00", "18:00"]
    assert 'data-tip="23:00: 1"' in figure


@given(st.floats(-6e10, 2.5e11), st.floats(2, 2e10))
def test_marks_of_time_are_few_rising_and_inside(low, wide):
    marks = time_marks(low, min(low + wide, 2.5e11))
    assert len(marks) <= 3
    places = [place for place, _ in marks]
    assert places == sorted(set(places))
    assert all(low <= place <= low + wide for place in places)


def test_round_dates_are_marked():
    def shown(*ends):
        return [text for _, text in time_marks(*seconds_of(list(ends)))]

    assert shown("2011-01-01", "2012-06-30") == ["2011", "Jul", "2012"]
    assert shown("2011-02-01", "2011-08-30") == ["Mar 2011", "May", "Jul"]
    assert shown("2011-01-01", "2012-12-31") == ["2011", "2012"]
    assert shown("1990-05-01", "2021-01-01") == ["2000", "2010", "2020"]
    assert shown("2024-02-28", "2024-03-01") == ["28 Feb 2024", "29 Feb", "1 Mar"]
    assert shown("2024-03-01", "2024-03-01T06:00") == (["1 Mar 2024", "3:00", "6:00"])
    assert moment_text(seconds_of(["2024-03-01T06:05:00+01:00"])[0]) == (
        "1 Mar 2024 6:05"
    )


@given(st.integers(1, 1000), st.integers(2, 60))
def test_thinned_points_keep_both_ends(n, most):
    points = [(float(i),) for i in range(n)]
    kept = thin(points, most)
    assert len(kept) == min(n, most)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert kept == sorted(set(kept))
