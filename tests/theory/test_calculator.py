"""What all calculators share: directions, arrays, round trips, monotony, errors."""

import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corollary import theory
from corollary.core.errors import ParameterError

CLASS_SIZE = ("m", "epsilon", "delta", "hypotheses")
DIMENSION = ("m", "d", "epsilon", "delta")
CASES = {
    "hoeffding": (theory.hoeffding, {}, CLASS_SIZE, 1.0),
    "hoeffding_wide": (theory.hoeffding, {"low": -2.0, "sides": 1}, CLASS_SIZE, 3.0),
    "chernoff": (theory.chernoff, {"mean": 0.3}, CLASS_SIZE, 1.0),
    "chernoff_lower": (
        theory.chernoff,
        {"mean": 0.3, "tail": "lower"},
        CLASS_SIZE,
        1.0,
    ),
    "chernoff_additive": (theory.chernoff_additive, {"mean": 0.3}, CLASS_SIZE, 0.7),
    "chernoff_below": (
        theory.chernoff_additive,
        {"mean": 0.3, "tail": "lower"},
        CLASS_SIZE,
        0.3,
    ),
    "bernstein": (theory.bernstein, {"variance": 0.02}, CLASS_SIZE, 1.0),
    "bennett": (theory.bennett, {"variance": 0.02}, CLASS_SIZE, 1.0),
    "empirical_bernstein": (
        theory.empirical_bernstein,
        {"variance": 0.02},
        CLASS_SIZE,
        1.0,
    ),
    "mcdiarmid": (theory.mcdiarmid, {"change": 0.5}, CLASS_SIZE, 1.0),
    "azuma": (theory.azuma, {}, CLASS_SIZE, 1.0),
    "realizable_bound": (theory.realizable_bound, {}, CLASS_SIZE, 1.0),
    "agnostic_bound": (theory.agnostic_bound, {}, CLASS_SIZE, 1.0),
    "uniform_deviation": (theory.uniform_deviation, {}, CLASS_SIZE, 1.0),
    "vc_gap": (theory.vc_gap, {}, DIMENSION, 1.0),
    "devroye": (theory.devroye, {}, DIMENSION, 1.0),
    "devroye_two": (theory.devroye, {"tail": "powers_of_two"}, DIMENSION, 1.0),
    "vc_realizable": (theory.vc_realizable, {}, DIMENSION, 1.0),
    "vc_realizable_sauer": (theory.vc_realizable, {"growth": "sauer"}, DIMENSION, 1.0),
}
EVERY = pytest.mark.parametrize("name", CASES)


@EVERY
@given(
    m=st.integers(2, 10**6),
    delta=st.floats(1e-6, 0.5),
    size=st.integers(1, 10**6),
    d=st.integers(1, 60),
)
def test_each_direction_undoes_the_others(name, m, delta, size, d):
    calculator, settings, names, largest = CASES[name]
    other = {"hypotheses": size} if names is CLASS_SIZE else {"d": d}
    epsilon = calculator(m=m, delta=delta, **other, **settings)
    assume(epsilon < 0.999 * largest)
    assert calculator(epsilon=epsilon, delta=delta, **other, **settings) == m
    back = calculator(m=m, epsilon=epsilon, **other, **settings)
    assert back == pytest.approx(delta, rel=1e-6)
    last = calculator(m=m, epsilon=epsilon, delta=delta, **settings)
    assert [last] == pytest.approx(list(other.values()), rel=1e-9)
    assert isinstance(last, int)


@EVERY
@given(
    epsilon=st.floats(0.01, 0.6), delta=st.floats(1e-6, 0.5), size=st.integers(1, 40)
)
def test_m_is_the_least_that_suffices(name, epsilon, delta, size):
    calculator, settings, names, largest = CASES[name]
    assume(epsilon < 0.999 * largest)
    other = {"hypotheses": size} if names is CLASS_SIZE else {"d": size}
    m = calculator(epsilon=epsilon, delta=delta, **other, **settings)
    assert isinstance(m, int)
    enough = calculator(m=max(m, 2), epsilon=epsilon, **other, **settings)
    assert enough <= delta * (1 + 1e-9)
    if m > 2:
        short = calculator(m=m - 1, epsilon=epsilon, **other, **settings)
        assert short > delta * (1 - 1e-9)


@EVERY
def test_every_answer_is_monotone(name):
    calculator, settings, names, largest = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    rows = np.array([50, 100, 1000, 10**5])
    rates = np.array([1e-6, 0.01, 0.1, 0.5])
    sizes = np.array([1, 2, 10, 60])
    gaps = np.array([0.1, 0.2, 0.5, 0.9]) * largest

    middle = {"m": 5000, "epsilon": gaps[1], "delta": 0.05, size: 3}
    falls = {("epsilon", "m"), ("epsilon", "delta"), ("delta", "m")}
    falls |= {("delta", "epsilon"), ("m", "epsilon"), ("m", "delta")}
    for asked in middle:
        for varied, values in (
            ("m", rows),
            ("delta", rates),
            (size, sizes),
            ("epsilon", gaps),
        ):
            if varied != asked:
                given = {n: v for n, v in middle.items() if n != asked}
                found = np.asarray(calculator(**{**given, varied: values}, **settings))
                found = found[::-1] if (asked, varied) in falls else found
                assert (found[1:] >= found[:-1]).all(), (asked, varied)
                if asked == "epsilon":
                    assert (found[1:] > found[:-1]).all(), varied


@EVERY
def test_arrays_broadcast_to_what_numbers_give(name):
    calculator, settings, names, largest = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    rows, rates = [100, 2000], [[0.01], [0.1], [0.3]]
    table = calculator(m=rows, delta=rates, **{size: 2}, **settings)
    assert table.shape == (3, 2)
    for i, [delta] in enumerate(rates):
        for j, m in enumerate(rows):
            one = calculator(m=m, delta=delta, **{size: 2}, **settings)
            assert type(one) is float
            assert table[i, j] == pytest.approx(one, rel=1e-12)
    gaps = np.array([0.05, 0.2, 0.5]) * largest
    least = calculator(epsilon=gaps, delta=0.05, **{size: 2}, **settings)
    assert least.dtype == np.int64
    alone = [
        calculator(epsilon=float(e), delta=0.05, **{size: 2}, **settings) for e in gaps
    ]
    assert least.tolist() == alone
    most = calculator(m=5000, epsilon=gaps, delta=0.05, **settings)
    alone = [calculator(m=5000, epsilon=float(e), delta=0.05, **settings) for e in gaps]
    assert most.tolist() == pytest.approx(alone)


@EVERY
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"m": 0}, "m must be a whole number >= "),
        ({"m": -3}, "m must be a whole number >= "),
        ({"m": 2.5}, "m must be a whole number >= "),
        ({"m": float("nan")}, "m must be a whole number >= "),
        ({"m": float("inf")}, "m must be a whole number >= "),
        ({"m": "many"}, "m must be a number; got 'many'."),
        ({"m": True}, "m must be a number; got True."),
        ({"m": []}, "m must be a number; got []."),
        ({"m": [[1, 2], [3]]}, "m must be a number"),
        ({"m": 1j}, "m must be a number"),
        ({"m": [10, 20, 30], "delta": [0.1, 0.2]}, "shapes that broadcast"),
        ({"delta": 0.0}, "delta must be > 0 and < 1; got 0."),
        ({"delta": 1.0}, "delta must be > 0 and < 1; got 1."),
        ({"delta": [0.5, -0.1]}, "delta must be > 0 and < 1; got -0.1."),
        ({"delta": float("nan")}, "delta must be > 0 and < 1; got nan."),
        ({"delta": "x"}, "delta must be a number; got 'x'."),
        ({"delta": None}, "but one must be given"),
        ({"m": None, "epsilon": 0.0}, "epsilon must be > 0"),
        ({"m": None, "epsilon": float("nan")}, "epsilon must be > 0"),
        ({"size": 0}, "must be a whole number >= 1; got 0."),
        ({"size": 1.5}, "must be a whole number >= 1; got 1.5."),
        ({"size": "x"}, "must be a number; got 'x'."),
    ],
)
def test_bad_input_is_one_sentence(name, wrong, words):
    calculator, settings, names, _ = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    right = {"m": 100, "delta": 0.1, "size": 2} | wrong
    right[size] = right.pop("size")
    with pytest.raises(ParameterError) as error:
        calculator(**right, **settings)
    text = str(error.value)
    assert text.startswith(f"{calculator.__name__}: ")
    assert words in text
    assert text.count("\n") == 0


@EVERY
def test_epsilon_may_not_reach_its_largest(name):
    calculator, settings, names, largest = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    if calculator in (theory.mcdiarmid, theory.azuma):
        assert calculator(epsilon=7.0, delta=0.1, **{size: 2}, **settings) >= 1
        return
    with pytest.raises(ParameterError, match=r"epsilon must be > 0 and < "):
        calculator(epsilon=largest, delta=0.1, **{size: 2}, **settings)


def test_class_sizes_of_any_length():
    k = 3**5000
    m = theory.realizable_bound(epsilon=0.1, delta=0.05, hypotheses=k)
    assert m == int(np.ceil((5000 * np.log(3) - np.log(0.05)) / 0.1))
    few = theory.hoeffding(m=5, epsilon=0.1, delta=0.05)
    assert few == 0  # not even one mean is that sure
    assert theory.hoeffding(m=10**6, epsilon=0.5, delta=0.05) == float("inf")
    assert theory.hoeffding(m=3, epsilon=0.01) == 1.0  # delta is at most 1
    m = theory.hoeffding(epsilon=1e-90, delta=0.05)
    assert m == pytest.approx(np.log(40) / 2 * 1e180)


@EVERY
def test_extreme_numbers_are_answered_or_refused(name):
    calculator, settings, names, largest = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    for m in (2, 10**15, 10**99, 10**101, 10**400):
        for delta in (1e-99, 1e-101, 1 - 1e-16):
            for epsilon in (1e-99, 1e-101, largest * (1 - 1e-15), None):
                given = {"m": m, "epsilon": epsilon, "delta": delta, size: 10**20}
                for asked in ("m", "epsilon", "delta", size):
                    rest = {n: v for n, v in given.items() if n != asked}
                    with suppress(ParameterError):  # no other error, no warning
                        assert calculator(**rest, **settings) >= 0


@EVERY
def test_a_calculator_takes_no_time(name):
    calculator, settings, names, largest = CASES[name]
    size = names[3] if names is CLASS_SIZE else "d"
    given = {"m": 5000, "epsilon": 0.05 * largest, "delta": 0.01, size: 50}
    for asked in given:
        rest = {n: v for n, v in given.items() if n != asked}
        calculator(**rest, **settings)
        spent = []
        for _ in range(3):
            begin = time.perf_counter()
            calculator(**rest, **settings)
            spent.append(time.perf_counter() - begin)
        assert min(spent) < 0.05, asked
