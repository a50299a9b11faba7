"""The lowest end of several starts, also where Ctrl-C comes."""

from typing import NamedTuple

import pytest

from corollary.core.report import StopReason
from corollary.engine.best_of_starts import best_of_starts


class End(NamedTuple):
    name: str
    height: float
    reason: StopReason = StopReason.CONVERGED


def best(ends):
    return best_of_starts(
        ends,
        lambda end: end.height,
        lambda end: end._replace(reason=StopReason.INTERRUPTED),
    )


def until_ctrl_c(*ends):
    yield from ends
    raise KeyboardInterrupt


def test_the_lowest_end_wins_and_the_first_of_equal_ones():
    ends = [End("a", 2.0), End("b", 1.0), End("c", 1.0), End("d", 3.0)]
    assert best(ends) == ends[1]


def test_the_first_end_stays_where_nothing_is_below_it():
    ends = [End("a", float("nan")), End("b", 1.0)]
    assert best(ends) is ends[0]


def test_ctrl_c_between_two_ends_keeps_the_lowest_so_far():
    found = best(until_ctrl_c(End("a", 1.0), End("b", 2.0)))
    assert found == End("a", 1.0, StopReason.INTERRUPTED)


def test_ctrl_c_before_the_first_end_goes_on():
    with pytest.raises(KeyboardInterrupt):
        best(until_ctrl_c())


def test_an_interrupted_end_is_the_last_and_counts():
    def ends():
        yield End("a", 2.0)
        yield End("b", 1.0, StopReason.INTERRUPTED)
        raise AssertionError("no further start")

    assert best(ends()) == End("b", 1.0, StopReason.INTERRUPTED)


def test_an_interrupted_end_that_is_higher_leaves_the_lowest_marked():
    ends = [End("a", 1.0), End("b", 2.0, StopReason.INTERRUPTED), End("c", 0.0)]
    assert best(ends) == End("a", 1.0, StopReason.INTERRUPTED)
