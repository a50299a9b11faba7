"""Bits for labels."""

import matplotlib
import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.theory import half_space_dichotomies, label_bits, sauer

matplotlib.use("Agg")


@pytest.mark.course("S0-58")
def test_nothing_is_saved_up_to_the_dimension_and_nearly_all_beyond():
    d = 5
    found = label_bits(range(1, 10_001), d=d)
    np.testing.assert_allclose(found.bits[:d], np.arange(1, d + 1))
    assert not found.compresses[:d].any()
    assert found.compresses[d:].all()
    exact = [np.log2(float(sauer(d, m))) for m in (6, 50, 10_000)]
    np.testing.assert_allclose(found.bits[[5, 49, 9999]], exact)
    assert (np.diff(found.share) <= 1e-12).all()
    assert found.share[-1] < 0.01
    new = np.diff(found.bits)  # bits for one more label
    assert (np.diff(new[d:]) < 0).all()
    assert new[-1] == pytest.approx(d / (10_000 * np.log(2)), rel=0.02)
    assert str(found).endswith("compression begins at 6 points")


@pytest.mark.course("S0-58")
def test_a_class_that_shatters_everything_compresses_nothing():
    found = label_bits(range(1, 300), growth=lambda m: 2**m)
    np.testing.assert_allclose(found.bits, found.m)
    assert str(found) == "299 bits for 299 labels: nothing is compressed"
    plane = label_bits([3, 4, 5], growth=lambda m: half_space_dichotomies(m, 2))
    np.testing.assert_allclose(plane.bits, np.log2([8, 14, 22]))


def test_the_picture_has_both_phases():
    found = label_bits(range(1, 41), d=4)
    ax = found.plot()
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["with the class"].get_ydata(), found.bits)
    np.testing.assert_array_equal(lines["one bit a label"].get_ydata(), found.m)
    assert lines["d = 4"].get_xdata()[0] == 4
    assert label_bits([3], growth=lambda m: 2).plot(ax) is ax


def test_bad_input():
    with pytest.raises(ParameterError, match="either d or growth must be given"):
        label_bits([1, 2])
    with pytest.raises(ParameterError, match="either d or growth must be given"):
        label_bits([1, 2], d=2, growth=lambda m: m)
    with pytest.raises(ParameterError, match="m must be a whole number >= 1; got 0"):
        label_bits([0, 1], d=2)
    with pytest.raises(ParameterError, match="m must be a number"):
        label_bits("many", d=2)
    with pytest.raises(DataError, match="growth must return numbers >= 1; got 0"):
        label_bits([1], growth=lambda m: 0)
