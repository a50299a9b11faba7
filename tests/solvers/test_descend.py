import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from corollary.core.errors import DataError, ParameterError
from corollary.solvers import descend

H, C = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, -1.0])


def J(x):
    return 0.5 * x @ H @ x - C @ x


def slope(x):
    return H @ x - C


SHAPES = {
    "constant": lambda k: 1.0,
    "harmonic": lambda k: 1 / k,
    "root": lambda k: 1 / np.sqrt(k),
    "geometric": lambda k: 0.99 ** (k - 1),
}


@pytest.mark.course("S3-56")
@pytest.mark.parametrize("name", [*SHAPES, "own"])
def test_the_steps_and_the_stop_are_those_of_the_book(name):
    shape = SHAPES.get(name, lambda k: 1 / (1 + np.log(k)))
    schedule = name if name in SHAPES else shape
    x, epsilon, path = np.array([2.0, 2.0]), 1e-3, []
    for k in range(1, 60):
        path.append(x)
        eta = 0.2 * shape(k)
        if eta * np.linalg.norm(slope(x)) <= epsilon:
            break
        x = x - eta * slope(x)
    else:
        path.append(x)
    found = descend(
        J, [2, 2], slope, rate=0.2, schedule=schedule, threshold=1e-3, max_iter=59
    )
    np.testing.assert_allclose(found.path, path, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.values, [J(p) for p in path])
    lengths = np.linalg.norm(np.diff(found.path, axis=0), axis=1)
    np.testing.assert_allclose(found.sizes, lengths, rtol=1e-9)
    assert (found.sizes > epsilon).all()  # it stops at the first that is not above
    assert (found.stop == "threshold") == (len(path) < 60)


@pytest.mark.course("S3-56")
@pytest.mark.parametrize("given", [True, False])
def test_any_function_with_or_without_its_gradient(given):
    start = [-0.5, 0.5]
    found = descend(
        rosen,
        start,
        rosen_der if given else None,
        rate=2e-3,
        threshold=1e-7,
        max_iter=30_000,
    )
    np.testing.assert_allclose(found.x, minimize(rosen, start).x, atol=1e-3)
    assert found.stop == "threshold"
    assert found.diagnosis == "sound"


@pytest.mark.course("S3-56")
@pytest.mark.parametrize(
    ("rate", "options", "diagnosis", "stop"),
    [
        (0.3, {}, "sound", "threshold"),
        (5.0, {}, "too large", "diverged"),
        (0.56, {"max_iter": 30}, "too large", "max_iter"),
        (0.54, {"max_iter": 30}, "zigzag", "max_iter"),
        (1e-5, {"max_iter": 50}, "too small", "max_iter"),
        (1e-5, {"threshold": 1e-3}, "stopped early", "threshold"),
        (0.02, {"schedule": lambda k: 0.5**k}, "stopped early", "threshold"),
    ],
)
def test_bad_rates_are_told(rate, options, diagnosis, stop):
    top = np.linalg.eigh(H)[1][:, 1]  # 2 / L = 0.553, along the steepest axis
    start = np.linalg.solve(H, C) + 2 * top + [0.01, 0.01]
    found = descend(J, start, slope, rate=rate, **options)
    assert (found.diagnosis, found.stop) == (diagnosis, stop)
    assert found.advice in str(found)


@pytest.mark.course("S3-56")
def test_a_falling_rate_settles_where_a_fixed_one_does_not():
    def corner(x):
        return float(np.abs(x).sum())

    fixed = descend(corner, [1.05], np.sign, rate=0.1, max_iter=500)
    falling = descend(
        corner, [1.05], np.sign, rate=1.0, schedule="harmonic", max_iter=500
    )
    assert abs(fixed.x[0]) == pytest.approx(0.05)
    assert abs(falling.x[0]) < 0.005
    # rates with a finite sum cannot reach a minimum that is farther away
    far = descend(corner, [50.0], np.sign, rate=0.1, schedule="geometric")
    assert 40 <= far.x[0]


def test_bad_input_is_told_in_one_sentence():
    for call, words in (
        (lambda: descend(J, [[1.0]], slope), "start must be a list of numbers"),
        (lambda: descend(J, [np.nan, 1], slope), "start must be finite"),
        (lambda: descend(J, [1, 1], lambda x: x[:1]), "gradient must return 2 numbers"),
        (lambda: descend(J, [1, 1], slope, rate=0), "rate must be a finite number > 0"),
        (
            lambda: descend(J, [1, 1], slope, schedule="x"),
            "schedule must be a function",
        ),
        (
            lambda: descend(J, [1, 1], slope, schedule=lambda k: -1),
            "finite numbers > 0",
        ),
        (lambda: descend(J, [1, 1], slope, max_iter=0), "max_iter at least 1"),
    ):
        with pytest.raises((DataError, ParameterError), match=words):
            call()
