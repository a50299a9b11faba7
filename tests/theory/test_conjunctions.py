"""Conjunctions: how many there are, and how they are learned."""

from itertools import product

import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.theory import conjunction_count, learn_conjunction, realizable_bound


def functions(n):
    """Return the distinct Boolean functions that conjunctions of n variables are."""
    points = np.array(list(product((0, 1), repeat=n)))
    found = set()
    for choice in product((None, 0, 1), repeat=n):  # absent, negated, plain
        rows = [points[:, i] == c for i, c in enumerate(choice) if c is not None]
        found.add(tuple(np.all(rows, axis=0)) if rows else (True,) * len(points))
    return found


@pytest.mark.course("S0-52")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_there_are_three_to_the_n_and_the_one_that_is_never_true(n):
    assert conjunction_count(n) == len(functions(n)) == 3**n
    never = (False,) * 2**n
    assert conjunction_count(n, always_false=True) == len(functions(n) | {never})


@pytest.mark.course("S0-52")
def test_elimination_finds_a_consistent_conjunction():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(1, 8))
        sign = rng.integers(-1, 2, n)  # negated, absent, plain
        X = rng.integers(0, 2, (40, n))
        y = ((X == 1) | (sign != 1)).all(axis=1) & ((X == 0) | (sign != -1)).all(axis=1)
        found = learn_conjunction(X, y.astype(int))
        assert found.consistent
        assert (found.predict(X) == y).all()
        if y.any():  # it keeps every literal of the target
            assert set(np.flatnonzero(sign == 1)) <= set(found.positive)
            assert set(np.flatnonzero(sign == -1)) <= set(found.negative)
        assert found.mistakes <= n + 1


def test_no_positive_example_leaves_every_literal():
    found = learn_conjunction([[0, 1]], [0])
    assert (found.positive, found.negative) == ((0, 1), (0, 1))
    assert found.predict([[0, 0], [1, 1]]).tolist() == [0, 0]
    bad = learn_conjunction([[0, 1], [0, 1]], [0, 1])
    assert not bad.consistent
    assert str(learn_conjunction([[1], [0]], [1, 1])) == "always true"


def check_error(draws):
    rng = np.random.default_rng(1)
    n, epsilon, delta = 6, 0.1, 0.2
    m = realizable_bound(epsilon=epsilon, delta=delta, hypotheses=conjunction_count(n))
    points = np.array(list(product((0, 1), repeat=n)))
    p = rng.dirichlet(np.ones(len(points)))
    target = points[:, 0].astype(bool)
    failures = 0
    for _ in range(draws):
        rows = rng.choice(len(points), m, p=p)
        found = learn_conjunction(points[rows], target[rows])
        failures += p @ (found.predict(points) != target) > epsilon
    assert failures / draws <= delta


def test_it_errs_more_than_epsilon_no_more_often_than_delta():
    check_error(200)


@pytest.mark.slow
def test_it_errs_more_than_epsilon_no_more_often_than_delta_in_many_draws():
    check_error(10_000)


def test_bad_input():
    with pytest.raises(DataError, match="X must hold 0 and 1; got 2"):
        learn_conjunction([[2]], [1])
    with pytest.raises(DataError, match="y must be 1 labels 0 or 1"):
        learn_conjunction([[1]], [3])
    for n in (-1, 2.5, "x", 10**9):
        with pytest.raises(ParameterError, match="n must be"):
            conjunction_count(n)
