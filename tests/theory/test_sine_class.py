"""Sine waves: infinite dimension, and sets they cannot shatter."""

from itertools import product

import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.theory import Sines, dichotomies, shatters


@pytest.mark.course("S0-55", "S1-46")
@pytest.mark.parametrize("m", range(1, 8))
def test_powers_of_ten_are_shattered_by_the_omega_of_the_book(m):
    x = 10.0 ** -np.arange(1, m + 1)
    proof = shatters(Sines(), x)
    assert proof
    for y, wave in zip(proof.labels, proof.witnesses, strict=True):
        t = 2 * np.array(y) - 1
        omega = np.pi * (1 + ((1 - t) / 2 * 10.0 ** np.arange(1, m + 1)).sum())
        assert wave.omega == pytest.approx(omega, rel=1e-15)
        assert wave.theta == 0
        assert ((np.sin(omega * x) > 0) == (t > 0)).all()
    assert len(dichotomies(Sines(), x)) == 2**m
    assert Sines().vc_dimension == np.inf


@pytest.mark.course("S0-55", "S1-46")
def test_of_five_equally_spaced_points_28_of_32_labellings_are_possible():
    found = dichotomies(Sines(), [1.0, 2.0, 3.0, 4.0, 5.0])
    assert len(found) == 28
    missing = set(product((0, 1), repeat=5)) - set(found)
    plus = (1, 1, 1, 0, 1)
    minus = tuple(1 - one for one in plus)
    assert missing == {plus, minus, plus[::-1], minus[::-1]}
    for labels, wave in zip(found.vectors, found.parameters, strict=True):
        assert (Sines().predict(wave, found.points) == labels).all()


def test_a_dense_grid_of_waves_finds_the_same_labellings():
    x = np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    omega, theta = np.meshgrid(
        np.linspace(0.001, 2 * np.pi, 500), np.linspace(0.002, 2 * np.pi, 400)
    )
    values = np.sin(omega.ravel()[:, None] * x + theta.ravel()[:, None])
    sure = np.abs(values).min(axis=1) > 1e-9
    grid = {tuple(row) for row in np.unique((values[sure] > 0).astype(int), axis=0)}
    assert set(dichotomies(Sines(), x)) == grid


@pytest.mark.course("S0-55")
def test_the_refutation_names_triples_of_opposite_cosines():
    x = np.array([10.0, 12.0, 14.0, 16.0, 18.0])
    found = Sines().refutation(x, [1, 1, 1, 0, 1])
    assert found.rows == (0, 1, 2, 3, 4)
    assert "cos(omega h) must be above 0 by points 0, 1, 2 and below by 2, 3, 4" in str(
        found
    )
    assert Sines().witness(x, [1, 1, 1, 0, 1]) is None
    assert Sines().witness(x, [1, 1, 0, 0, 1]) is not None


def test_four_equally_spaced_points_are_shattered_at_any_step():
    for h in (1.0, 0.1, 3.0):
        assert shatters(Sines(), h * np.arange(1, 5))
    failed = shatters(Sines(), 0.25 * np.arange(5))
    assert not failed
    assert failed.refutation.labels in {(0, 0, 0, 1, 0), (0, 1, 0, 0, 0)}


def test_points_without_a_common_step_are_told():
    with pytest.raises(DataError, match="multiples of a step"):
        Sines().witness([1.0, np.pi, np.sqrt(2)], [0, 1, 0])
