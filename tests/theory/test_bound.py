"""A bound and everything it rests on."""

from dataclasses import replace

from corollary.theory import Bound

ONE = Bound("Hoeffding", 0.2, 0.05, ("Rows are drawn independently.",))


def test_a_bound_says_when_it_says_nothing():
    assert not ONE.vacuous
    assert replace(ONE, value=1.0).vacuous
    assert not replace(ONE, value=3.0, largest=4.0).vacuous
    assert replace(ONE, value=float("nan")).vacuous
    assert str(replace(ONE, value=2.0)).endswith("(vacuous)")
    assert str(replace(ONE, holds=False)).endswith("(guidance, not proved here)")
