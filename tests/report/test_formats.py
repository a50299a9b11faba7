"""Numbers are written for people, and never say more than they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.report.formats import between, clip, count, number, share, span

NUMBERS = st.floats(-1e12, 1e12)


def read(text):
    """Return the number that a text says."""
    text = text.replace("\u2212", "-").replace(",", "")
    mantissa, _, power = text.partition(" \u00d7 10")
    digits = str.maketrans(
        "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079",
        "-0123456789",
    )
    return float(mantissa) * 10 ** int(power.translate(digits) or "0")


@given(NUMBERS, st.integers(2, 6))
def test_a_number_is_near_what_is_written(value, digits):
    text = number(value, digits)
    reach = 0.5 * 10 ** (1 - min(digits, 3)) * abs(value)
    assert abs(read(text) - value) <= reach * (1 + 1e-9) + 1e-300
    assert "-" not in text


@given(st.integers(-(10**8), 10**8))
def test_whole_numbers_are_exact(value):
    assert read(number(value)) == value
    assert read(number(float(value))) == value
    assert int(count(value).replace(",", "")) == value


@given(st.floats(0, 1))
def test_only_nothing_is_0_percent_and_only_all_is_100(value):
    text = share(value)
    assert (text == "0%") == (value == 0)
    assert (text == "100%") == (value == 1)
    if text[0] not in "<>":
        assert float(text.strip("%")) == pytest.approx(100 * value, abs=0.0501)


@given(NUMBERS, NUMBERS)
def test_ends_of_a_range_are_near_what_is_written(a, b):
    low, high = sorted((a, b))
    for text in (span(low, high), between(low, high, {})):
        first, second = map(read, text.split(" to "))
        reach = 0.0051 * max(abs(low), abs(high))
        assert first == pytest.approx(low, abs=reach)
        assert second == pytest.approx(high, abs=reach)


def test_what_is_no_number_is_a_dash():
    for value in (None, math.nan, math.inf):
        assert share(value) == count(value) == "\u2013"
    assert number(None) == "\u2013"
    assert number("about 3") == "about 3"
    assert number(True) == "yes"


@given(st.text(), st.integers(2, 50))
def test_clipped_text_is_short(text, most):
    assert len(clip(text, most)) <= most
    assert text.startswith(clip(text, most).removesuffix("\u2026"))
