"""What many dimensions cost."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import ball_in_cube, lattice_points, shell_share


@pytest.mark.course("S2-79")
def test_numbers_of_the_notes():
    found = ball_in_cube([1, 2, 3, 10])
    np.testing.assert_allclose(found, [1, 0.7854, 0.5236, 0.00249], atol=5e-5)
    assert ball_in_cube(2) == pytest.approx(np.pi / 4)
    assert ball_in_cube(3) == pytest.approx(np.pi / 6)
    assert lattice_points(0.01, 10) == 10**20
    assert lattice_points(0.3, 2) == 16
    assert shell_share(0.01, 100) == pytest.approx(1 - 0.99**100)


@pytest.mark.course("S2-79")
@pytest.mark.parametrize("d", [2, 4, 7])
def test_volumes_by_drawing(d):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200_000, d))
    r = np.linalg.norm(x, axis=1)
    assert np.mean(r <= 1) == pytest.approx(ball_in_cube(d), abs=0.005)
    shell = np.mean(r[r <= 1] > 0.9)
    assert shell == pytest.approx(shell_share(0.1, d), abs=0.02)


def test_many_dimensions():
    assert 0 < ball_in_cube(300) < 1e-100
    assert ball_in_cube(10**6) == 0.0
    assert shell_share(1e-6, 10**8) == pytest.approx(1.0)
    table = shell_share([[0.1], [0.2]], [1, 2, 3])
    assert table.shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ball_in_cube(0), "d must be a whole number >= 1"),
        (lambda: lattice_points(0.0, 3), "epsilon must be > 0 and < 1"),
        (lambda: lattice_points(0.1, 10**9), "at most 100000 digits"),
        (lambda: lattice_points([0.1], 3), "single numbers"),
        (lambda: shell_share(1.0, 3), "epsilon must be > 0 and < 1"),
        (lambda: shell_share([0.1, 0.2], [1, 2, 3]), "broadcast"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
