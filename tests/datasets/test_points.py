"""The small point sets give the directions, margins and densities known."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.datasets import (
    fisher_points,
    margin_points,
    nonseparable_points,
    parzen_points,
    pca_points,
    squared_error_points,
    unscaled_points,
    xor_points,
)


def scatter(X):
    Z = X - X.mean(axis=0)
    return Z.T @ Z


def threshold_errors(score, y):
    """Fewest errors of a threshold on a score, either way round."""
    above = [score > t for t in [-np.inf, *score]]
    wrong = [np.sum(a == (y == y[0])) for a in above]
    return min(min(wrong), len(y) - max(wrong))


def test_fisher_direction_separates_and_pca_does_not():
    table = fisher_points()
    one, two = table.X[table.y == 1], table.X[table.y == 2]
    S = scatter(one) + scatter(two)
    np.testing.assert_allclose(S, table.known["scatter"])
    v = np.linalg.solve(S, one.mean(axis=0) - two.mean(axis=0))
    known = np.array(table.known["direction"])
    np.testing.assert_allclose(v / v[1], known / known[1], atol=2e-4)
    assert threshold_errors(table.X @ v, table.y) == 0
    first = np.linalg.eigh(scatter(table.X))[1][:, -1]
    assert threshold_errors(table.X @ first, table.y) == table.known["pca_errors"]


def test_pca_points():
    table = pca_points()
    S = scatter(table.X)
    values, vectors = np.linalg.eigh(S)
    np.testing.assert_allclose(table.X.mean(axis=0), table.known["mean"])
    np.testing.assert_allclose(S, table.known["scatter"])
    np.testing.assert_allclose(values[::-1], table.known["eigenvalues"], atol=5e-4)
    np.testing.assert_allclose(
        np.abs(vectors[:, -1]), table.known["direction"], atol=5e-4
    )


def test_margin_points_satisfy_the_optimality_conditions():
    table = margin_points()
    alpha, w, b = (table.known[k] for k in ("alpha", "w", "b"))
    np.testing.assert_allclose((alpha * table.y) @ table.X, w, atol=1e-15)
    assert alpha @ table.y == pytest.approx(0, abs=1e-15)
    slack = table.y * (table.X @ w + b) - 1
    assert slack.min() == pytest.approx(0, abs=1e-14)
    assert alpha @ np.abs(slack) == pytest.approx(0, abs=1e-14)
    assert alpha.sum() - w @ w / 2 == pytest.approx(w @ w / 2)  # dual = primal
    assert table.known["margin"] == pytest.approx(5.145, abs=5e-4)


def test_xor_dual_is_one_eighth():
    table = xor_points()
    Q = (1 + table.X @ table.X.T) ** 2 * np.outer(table.y, table.y)
    alpha = np.full(4, table.known["alpha"])
    np.testing.assert_allclose(Q @ alpha, 1)  # every point on the margin
    assert alpha @ table.y == 0


def test_nonseparable_path_of_the_perceptron():
    table = nonseparable_points()
    sign = np.where(table.y == 1, 1, -1)
    Y = np.column_stack([np.ones(5), table.X]) * sign[:, None]
    a, path = np.ones(3), [(1, 1, 1)]
    for i in range(40):
        if Y[i % 5] @ a <= 0:
            a = a + Y[i % 5]
            path.append(tuple(a.astype(int).tolist()))
    assert tuple(path[:8]) == table.known["weights"]


@pytest.mark.parametrize(("far", "wrong"), [(False, 0), (True, 1)])
def test_least_squares_fails_on_the_far_point(far, wrong):
    table = squared_error_points(far)
    Y = np.column_stack([np.ones(4), table.X])
    a = np.linalg.lstsq(Y, table.y, rcond=None)[0]
    np.testing.assert_allclose(a, table.known["a"], atol=5e-4)
    assert (np.sign(Y @ a) != table.y).sum() == wrong


def test_parzen_densities():
    table = parzen_points()
    x = table.X.ravel()
    for at, p in table.known["box_3"].items():
        assert np.mean(np.abs(x - at) <= 1.5) / 3 == pytest.approx(p)
    for at, p in table.known["gaussian_1"].items():
        density = np.exp(-((x - at) ** 2) / 2).mean() / np.sqrt(2 * np.pi)
        assert density == pytest.approx(p, abs=5e-6)


def test_unscaled_points_mislead_the_nearest_neighbour():
    stored, new = unscaled_points(), unscaled_points("new")
    distance = np.linalg.norm(stored.X - new.X, axis=1)
    np.testing.assert_allclose(distance, [50, np.sqrt(101)])
    assert stored.y[np.argmin(distance)] != new.y[0]
    with pytest.raises(ParameterError, match="'stored' or 'new'; got 'old'"):
        unscaled_points("old")
