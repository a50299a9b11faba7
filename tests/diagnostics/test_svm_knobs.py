"""What C and sigma do to bias and variance, measured."""

import numpy as np
import pytest

from corollary import DataError, ParameterError
from corollary.diagnostics import svm_knobs
from corollary.diagnostics.svm_knobs import TURNS


def rings(n=240, flip=0.15, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X**2).sum(axis=1) > 1.4
    return X, y ^ (rng.random(n) < flip)


@pytest.mark.course("S4-92")
def test_the_four_turns_move_bias_and_variance_as_they_should():
    several = [svm_knobs(*rings(seed=s), sigma=1.0).settings for s in range(3)]
    names = [setting.turn for setting in several[0]]
    assert names == ["now", *2 * list(TURNS)]
    assert [one.C for one in several[0]][1:3] == [10.0, 0.1]
    assert several[0][7].sigma == pytest.approx(10.0)
    training = np.mean([[one.training for one in each] for each in several], axis=0)
    gap = np.mean([[one.gap for one in each] for each in several], axis=0)
    now, more, less, wide, narrow = training[[0, 5, 6, 7, 8]]
    # training error: bias; it falls with C and rises with sigma
    assert more < now < less
    assert narrow < now < wide
    # the gap: variance; it rises with C and falls with sigma
    now, more, less, wide, narrow = gap[[0, 5, 6, 7, 8]]
    assert max(now, less) < more
    assert max(now, wide) < narrow - 0.1


@pytest.mark.course("S4-92")
def test_a_machine_that_underfits_is_told_to_pay_more_or_look_closer():
    X, y = rings()
    stiff = svm_knobs(X, y, C=1e-2)
    assert stiff.verdict == "underfits"
    assert stiff.best.turn in ("larger C", "smaller sigma")
    smooth = svm_knobs(X, y, C=1.0, sigma=30.0, factor=100.0)
    assert smooth.verdict == "underfits"
    assert smooth.best.validation < smooth.now.validation - 0.1
    assert "lower bias, higher variance" in str(smooth)


@pytest.mark.course("S4-92")
def test_a_machine_that_overfits_is_told_to_pay_less_or_look_wider():
    X, y = rings(flip=0.25)
    spiky = svm_knobs(X, y, C=100.0, sigma=0.03, factor=100.0)
    assert spiky.now.training < 0.02
    assert spiky.now.gap > 0.3
    assert spiky.verdict == "overfits"
    assert spiky.best.turn == "larger sigma"
    assert "higher bias, lower variance" in spiky.advice
    dear = svm_knobs(X, y, C=1e3, sigma=0.4, factor=30.0)
    assert dear.verdict == "overfits"


@pytest.mark.course("S4-92")
def test_knobs_that_are_right_are_left_and_the_rest_is_told():
    found = svm_knobs(*rings(), C=1.0, sigma=1.0)
    assert found.verdict == "well set"
    assert found.best is found.now
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    noise = svm_knobs(X, np.arange(100) % 2, sigma=3.0)
    assert "better features" in noise.advice or "more rows" in noise.advice


def test_errors():
    X, y = rings(40)
    with pytest.raises(ParameterError, match="C must be"):
        svm_knobs(X, y, C=0)
    with pytest.raises(ParameterError, match="factor must be"):
        svm_knobs(X, y, factor=1.0)
    with pytest.raises(DataError, match="two classes"):
        svm_knobs(X, np.zeros(40))
