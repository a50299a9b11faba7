"""An interval for a score and what it rests on."""

import pytest

from corollary.theory import Interval


def test_an_interval_knows_what_it_holds():
    one = Interval("accuracy", 0.9, 0.85, 0.94, 0.05, "exact")
    assert 0.85 in one
    assert 0.94 in one
    assert 0.95 not in one
    assert one.width == pytest.approx(0.09)
    assert str(one).endswith("with confidence 0.95 (exact)")
