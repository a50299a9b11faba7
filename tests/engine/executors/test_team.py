"""The team: parts in order, errors and Ctrl-C stop all of them."""

import threading
import time

import pytest

from corollary.core.interrupt import caught, stop_if_asked
from corollary.engine.executors.team import Halted, in_a_team, in_turn, run_parts, team


def test_results_come_in_order():
    assert run_parts(lambda x: x * x, range(20), team(2)) == [x * x for x in range(20)]
    assert in_turn(abs, [-1, 2]) == [1, 2]
    assert run_parts(lambda _: in_a_team(), [0], team(2)) == [True]
    assert not in_a_team()


def until_stopped(begun):
    begun.set()
    while True:
        time.sleep(0.001)
        stop_if_asked()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_one_part_stops_the_others(error):
    begun = threading.Event()

    def work(number):
        if number:
            return until_stopped(begun)
        begun.wait()
        raise error

    with pytest.raises(error):
        run_parts(work, range(4), team(2))
    assert run_parts(abs, [-1, -2], team(2)) == [1, 2]  # nobody is busy


def test_parts_that_have_something_are_kept():
    both = threading.Barrier(2)

    def work(number):
        both.wait()
        try:
            until_stopped(threading.Event())
        except KeyboardInterrupt:
            caught()
            return number

    def press():
        raise KeyboardInterrupt

    class Items(list):
        """Two items, then Ctrl-C."""

        def __iter__(self):
            yield from [1, 2]
            time.sleep(0.1)
            press()

    with pytest.raises(Halted) as halted:
        run_parts(work, Items([1, 2]), team(2))
    assert halted.value.results == [1, 2]


def test_a_part_that_hears_nothing_is_left_behind():
    both, release, pool = threading.Barrier(2), threading.Event(), team(2)

    def work(number):
        both.wait()
        if number:
            release.wait(20)
        raise ValueError("first")

    begun = time.perf_counter()
    with pytest.raises(ValueError, match="first"):
        run_parts(work, [0, 1], pool)
    took, fresh = time.perf_counter() - begun, team(2)
    release.set()
    assert took < 10
    assert fresh is not pool
    assert run_parts(abs, [-1], fresh) == [1]
