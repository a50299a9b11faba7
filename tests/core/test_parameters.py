"""Every rule accepts what its words say, and nothing else."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary
from corollary import KMeans
from corollary.core.errors import ParameterError
from corollary.core.parameters import (
    Rule,
    anything,
    array_like,
    boolean,
    check_parameters,
    function,
    missing,
    one_of,
    real,
    seed,
    shown,
    whole,
)

ANY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.complex_numbers(),
)


@given(value=ANY, low=st.integers(-5, 5), span=st.integers(0, 5))
def test_whole_numbers(value, low, span):
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    assert whole().holds(value) == is_whole
    assert whole(low).holds(value) == (is_whole and value >= low)
    assert whole(low, low + span).holds(value) == (
        is_whole and low <= value <= low + span
    )


@given(value=ANY, low=st.integers(-5, 5), span=st.integers(1, 5))
def test_real_numbers(value, low, span):
    number = isinstance(value, int | float) and not isinstance(value, bool)
    is_real = number and not (isinstance(value, float) and math.isnan(value))
    high = low + span
    assert real().holds(value) == is_real
    assert real(low, high).holds(value) == (is_real and low <= value <= high)
    assert real(low, high, ends="()").holds(value) == (is_real and low < value < high)
    assert real(low, high, ends="(]").holds(value) == (is_real and low < value <= high)
    assert real(low, high, ends="[)").holds(value) == (is_real and low <= value < high)


@pytest.mark.parametrize("one", [np.int8(1), np.uint64(1), np.int64(1)])
def test_numpy_integers_are_whole_and_real(one):
    assert whole(1, 1).holds(one)
    assert real(1, 1).holds(one)


@pytest.mark.parametrize("one", [np.float32(1), np.float64(1), Fraction(1)])
def test_floats_and_fractions_are_real_and_not_whole(one):
    assert real(1, 1).holds(one)
    assert not whole().holds(one)


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_truth_is_no_number(value):
    assert boolean.holds(value)
    assert not whole().holds(value)
    assert not real().holds(value)


def test_nan_is_no_number_and_infinity_is_one():
    assert not real().holds(math.nan)
    assert not real(0).holds(np.float32("nan"))
    assert real(0).holds(math.inf)
    assert not real(0, ends="[)", high=math.inf).holds(math.inf)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (whole(), "a whole number"),
        (whole(1), "a whole number >= 1"),
        (whole(None, 9), "a whole number <= 9"),
        (whole(1, 9), "a whole number in [1, 9]"),
        (real(0), "a number >= 0"),
        (real(0, ends="(]"), "a number > 0"),
        (real(None, 1, ends="[)"), "a number < 1"),
        (real(0, 1, ends="()"), "a number in (0, 1)"),
        (one_of("a"), "'a'"),
        (one_of("a", None), "one of 'a', None"),
        (one_of("auto") | whole(1), "'auto' or a whole number >= 1"),
        (boolean | missing | function, "True or False or None or a function"),
    ],
)
def test_words_say_the_interval(rule, words):
    assert rule.words == words


@given(ANY)
def test_a_choice_is_one_of_its_texts(value):
    assert one_of("ab", "cd").holds(value) == (value in ("ab", "cd"))
    assert one_of("ab", None).holds(value) == (value is None or value == "ab")


@given(ANY)
def test_or_is_or(value):
    rules = [whole(0), real(0, 1), one_of("auto"), missing, boolean]
    for a in rules:
        for b in rules:
            assert (a | b).holds(value) == (a.holds(value) or b.holds(value))
    assert anything.holds(value)


def test_arrays_never_confuse_a_choice():
    rule = one_of("k-means++") | function | array_like
    for value in (np.array(["k-means++"]), np.zeros((2, 2)), [[1.0]], len):
        assert rule.holds(value)
    assert not rule.holds(3)
    assert not array_like.holds("text")


@pytest.mark.parametrize(
    "value", [None, 0, 2**32 - 1, np.random.RandomState(0), np.random.default_rng(0)]
)
def test_seeds(value):
    assert seed.holds(value)


@pytest.mark.parametrize("value", [-1, 2**32, 1.0, True, "0", np.random])
def test_no_seeds(value):
    assert not seed.holds(value)


class Learner:
    rules = {"a": whole(1), "b": real(0)}  # noqa: RUF012

    def __init__(self, a, b):
        self.a, self.b = a, b


def test_the_first_broken_rule_is_told():
    check_parameters(Learner(1, 0.0), Learner.rules)
    with pytest.raises(ParameterError) as caught:
        check_parameters(Learner(0, -1.0), Learner.rules)
    assert str(caught.value) == "Learner: a must be a whole number >= 1; got 0."
    with pytest.raises(ParameterError) as caught:
        check_parameters(Learner(1, math.nan), Learner.rules)
    assert str(caught.value) == "Learner: b must be a number >= 0; got nan."


@given(st.text(max_size=200))
def test_a_value_is_shown_in_at_most_60_characters_of_one_line(text):
    assert len(shown(text)) <= 60
    assert "\n" not in shown(text)


def test_an_array_is_shown_on_one_line():
    assert "\n" not in shown(np.zeros((3, 2)))


@pytest.mark.parametrize("name", corollary.registry.ESTIMATORS)
def test_every_parameter_has_a_rule_that_its_default_obeys(name):
    learner = getattr(corollary, name)()
    assert set(learner.rules) == set(learner.get_params())
    assert all(isinstance(rule, Rule) for rule in learner.rules.values())
    check_parameters(learner, learner.rules)


def test_parameters_are_checked_by_fit_and_not_before():
    model = KMeans(n_clusters=-1)
    assert model.n_clusters == -1
    with pytest.raises(ParameterError, match="KMeans: n_clusters must be a whole"):
        model.fit([[0.0]])
