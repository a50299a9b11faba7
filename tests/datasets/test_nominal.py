"""The nominal tables give the gains and the perceptron's path that are known."""

import numpy as np
import pytest

from corollary.datasets import play_tennis, student_perceptron


def entropy(y):
    p = np.unique(y, return_counts=True)[1] / len(y)
    return -(p * np.log2(p)).sum()


def gain(x, y):
    shares = [(np.mean(x == v), entropy(y[x == v])) for v in np.unique(x)]
    return entropy(y) - sum(share * e for share, e in shares)


def test_play_tennis_has_the_known_gains():
    table = play_tennis()
    assert table.X.shape == (14, 4)
    assert table.class_counts() == {"No": 5, "Yes": 9}
    assert entropy(table.y) == pytest.approx(table.known["entropy"], abs=5e-5)
    for name, x in zip(table.columns, table.X.T, strict=True):
        assert gain(x, table.y) == pytest.approx(table.known["gain"][name], abs=5e-5)


def test_play_tennis_naive_bayes_says_no():
    table = play_tennis()
    query = ["Sunny", "Cool", "High", "Strong"]
    score = {
        c: np.mean(table.y == c)
        * np.prod((table.X[table.y == c] == query).mean(axis=0))
        for c in ("Yes", "No")
    }
    assert score["Yes"] == pytest.approx(0.005291, abs=5e-7)
    assert score["No"] == pytest.approx(0.020571, abs=5e-7)


def test_noisy_day_moves_the_split_under_sunny():
    table = play_tennis(noisy=True)
    assert table.class_counts() == {"No": 6, "Yes": 9}
    assert gain(table.X[:, 0], table.y) == pytest.approx(0.2800, abs=5e-4)
    sunny = table.X[:, 0] == "Sunny"
    gains = [gain(x[sunny], table.y[sunny]) for x in table.X.T]
    assert table.columns[int(np.argmax(gains))] == "Temperature"
    assert gains[1] > 0.58 > 0.46 > gains[2]


@pytest.mark.parametrize(
    ("start", "end"),
    [([0.25] * 5, "from_quarters"), ([0, 0.5, 0.5, 0, 0], "from_halves")],
)
def test_students_stop_the_perceptron_where_known(start, end):
    table = student_perceptron()
    Y = (
        np.column_stack([np.ones(4), table.X])
        * np.where(table.y == "A", 1, -1)[:, None]
    )
    a, right, i = np.array(start, float), 0, 0
    while right < 4:
        if Y[i] @ a <= 0:
            a, right = a + Y[i], 0
        else:
            right += 1
        i = (i + 1) % 4
    np.testing.assert_allclose(a, table.known[end])
