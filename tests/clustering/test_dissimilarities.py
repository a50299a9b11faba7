import numpy as np
import pytest
from scipy.optimize import minimize

from corollary.clustering.dissimilarities import (
    DISSIMILARITIES,
    of_user,
    weighted_median,
)
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(0)
ROWS = RNG.gamma(2.0, size=(9, 3)) + 0.1
WEIGHTS = RNG.integers(1, 5, size=9).astype(float)


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_no_other_point_is_a_better_centroid(name):
    measure = DISSIMILARITIES[name]

    def cost(c):
        return float(WEIGHTS @ measure.between(ROWS, np.asarray(c)[None])[:, 0])

    c = measure.centroid(ROWS, WEIGHTS)
    best = min(
        minimize(cost, start, method="Nelder-Mead", bounds=[(0.05, None)] * 3).fun
        for start in (c, ROWS[0], ROWS.mean(axis=0))
    )
    assert cost(c) <= best * (1 + 1e-9)


@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_a_row_is_no_distance_from_itself_and_numbers_are_not_negative(name):
    d = DISSIMILARITIES[name].between(ROWS, ROWS)
    assert (d >= 0).all()
    np.testing.assert_allclose(np.diagonal(d), 0, atol=1e-15)
    assert d.shape == (9, 9)
    assert d[0, 1:].min() > 1e-6


def test_each_dissimilarity_is_that_of_the_book():
    x, c = ROWS[0], ROWS[1]
    book = {
        "squared": ((x - c) ** 2).sum(),
        "manhattan": np.abs(x - c).sum(),
        "cosine": 1 - x @ c / np.linalg.norm(x) / np.linalg.norm(c),
        "kullback_leibler": (x * np.log(x / c) - x + c).sum(),
        "itakura_saito": (x / c - np.log(x / c) - 1).sum(),
    }
    for name, value in book.items():
        found = DISSIMILARITIES[name].between(x[None], c[None])
        assert found.item() == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_a_weighted_median_is_that_of_rows_repeated(n):
    X, w = RNG.normal(size=(n, 4)), RNG.integers(1, 4, size=n)
    repeated = np.median(np.repeat(X, w, axis=0), axis=0)
    np.testing.assert_allclose(weighted_median(X, w.astype(float)), repeated)


def test_a_row_without_a_direction_is_at_a_right_angle_to_all():
    measure = DISSIMILARITIES["cosine"]
    X = np.array([[0.0, 0.0], [2.0, 0.0], [-3.0, 0.0]])
    assert measure.between(X, X).tolist() == [[1, 1, 1], [1, 0, 2], [1, 2, 0]]
    assert measure.centroid(X, np.array([1.0, 1.0, 1.0])).tolist() == [0.0, 0.0]
    huge = np.array([[1e300, 0.0], [1e300, 1e300]])
    assert measure.between(huge, huge)[0, 1] == pytest.approx(1 - np.sqrt(0.5))


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (lambda X, C: np.zeros(len(X)), r"shape \(9,\)"),
        (lambda X, C: np.full((len(X), len(C)), -1.0), "-1"),
        (lambda X, C: np.full((len(X), len(C)), np.nan), "NaN or infinity"),
        (lambda X, C: "far", "str"),
    ],
)
def test_what_a_users_function_answers_is_checked(answer, came):
    measure = of_user("Me", answer, lambda X, w: X.mean(axis=0))
    with pytest.raises(ParameterError, match=rf"^Me: dissimilarity.*; got {came}"):
        measure.between(ROWS, ROWS[:2])
    wrong = of_user("Me", answer, lambda X, w: X[0, 0])
    with pytest.raises(ParameterError, match=r"^Me: centroid.*; got shape \(\)"):
        wrong.centroid(ROWS, WEIGHTS)
