"""Growth functions against enumeration."""

import math
import time
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from corollary.core.errors import ParameterError
from corollary.theory import (
    half_space_dichotomies,
    interval_dichotomies,
    label_bits,
    sauer,
    sauer_power,
    vc_realizable,
)


@pytest.mark.course("S0-57")
def test_numbers_of_the_notes():
    assert sauer(3, 10) == 176
    assert sauer_power(3, 10) == pytest.approx(743.9, abs=0.05)
    assert [half_space_dichotomies(m, 2) for m in (3, 4, 5)] == [8, 14, 22]
    assert [interval_dichotomies(m) for m in range(8)] == [
        1 + m * (m + 1) // 2 for m in range(8)
    ]


@pytest.mark.course("S0-57")
@given(d=st.integers(1, 40), m=st.integers(1, 120))
def test_sauers_recursion_and_its_bounds(d, m):
    assert sauer(d, m) == sauer(d, m - 1) + sauer(d - 1, m - 1)
    assert sauer(d, 0) == sauer(0, m) == 1
    assert sauer(d, m) == sum(math.comb(m, i) for i in range(d + 1))
    if m <= d:
        assert sauer(d, m) == 2**m
        assert sauer_power(d, m) >= 2.0**m
    else:
        assert sauer(d, m) < 2**m
    assert sauer(d, m) <= sauer_power(d, m) * (1 + 1e-12)
    if m >= d:
        assert sauer_power(d, m) == pytest.approx((math.e * m / d) ** d)
    array = sauer([d, d], [m, m])
    np.testing.assert_allclose(array, float(sauer(d, m)), rtol=1e-10)


def separable(points, labels):
    A = -labels[:, None] * np.column_stack([points, np.ones(len(points))])
    bounds = [(None, None)] * A.shape[1]
    found = linprog(np.zeros(A.shape[1]), A, -np.ones(len(A)), bounds=bounds)
    return found.status == 0


@pytest.mark.course("S0-57")
@pytest.mark.parametrize(("m", "n"), [(3, 2), (4, 2), (5, 2), (4, 1), (5, 3)])
def test_half_spaces_by_linear_programs(m, n):
    points = np.random.default_rng(m).normal(size=(m, n))
    labels = np.array(list(product((-1.0, 1.0), repeat=m)))
    count = sum(separable(points, y) for y in labels)
    assert count == half_space_dichotomies(m, n)
    assert count <= sauer(n + 1, m)


@pytest.mark.course("S0-57")
@pytest.mark.parametrize("k", [1, 2])
def test_intervals_by_enumeration(k):
    for m in range(1, 8):
        found = set()
        for j in range(k + 1):
            for ends in combinations(range(m + 1), 2 * j):
                label = np.zeros(m, dtype=int)
                for a, b in zip(ends[::2], ends[1::2], strict=True):
                    label[a:b] = 1
                found.add(tuple(label))
        assert len(found) == interval_dichotomies(m, k=k) == sauer(2 * k, m)


def test_logarithms_of_huge_counts_are_close_from_above():
    m, d = 90_000, 20_001  # the first that is not summed one by one
    exact = sum(math.comb(m, i) for i in (d, d - 1, d - 2))
    ratio = d / (m - d + 1)
    shares = (1, ratio, ratio * (d - 1) / (m - d + 2))
    first = math.log(exact) - math.log(sum(shares)) - math.log(1 - ratio)
    found = label_bits(m, d=d).bits[0] * math.log(2)
    assert found == pytest.approx(first, rel=1e-6)
    near = label_bits(m, d=d - 1).bits[0]
    assert near < label_bits(m, d=d).bits[0] < near + 3
    assert label_bits(10**12, d=10**12).bits[0] == pytest.approx(1e12)
    assert label_bits(10**12, d=10**11).bits[0] < 1e12 / 2
    begin = time.perf_counter()
    vc_realizable(d=10**7, epsilon=0.01, delta=0.05, growth="sauer")
    label_bits(range(1, 2000), d=1500)
    assert time.perf_counter() - begin < 5


def test_large_numbers_and_bad_input():
    assert sauer(300, 2000) == sum(math.comb(2000, i) for i in range(301))
    assert np.isfinite(sauer_power(10, 10**9))
    assert sauer([5000], [20_000]).tolist() == [np.inf]
    with pytest.raises(ParameterError, match=r"can be written down.*Use label_bits"):
        sauer(10**6, 10**9)
    with pytest.raises(ParameterError, match="d must be a whole number >= 0; got -1"):
        sauer(-1, 5)
    with pytest.raises(ParameterError, match=r"m must be a whole number >= 0; got 0.5"):
        sauer(1, 0.5)
    with pytest.raises(ParameterError, match="broadcast"):
        sauer([1, 2], [1, 2, 3])
