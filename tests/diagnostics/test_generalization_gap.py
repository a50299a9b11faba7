"""The generalisation gap: what a flexible learner promises, and what it keeps."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from corollary import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LinearRegression,
    LogisticRegression,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import generalization_gap


def fish(n, rng):
    """Two classes of fish, two features, classes that overlap."""
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], np.array(["bass", "salmon"])[y]


BAYES = norm.cdf(-1.2 * np.sqrt(2) / 2)  # the least error that there is, 0.198


@pytest.mark.course("S3-109")
def test_a_complex_boundary_is_perfect_in_training_and_worse_than_a_simple_one_later():
    rng = np.random.default_rng(0)
    X, y = fish(200, rng)
    new = fish(2000, rng)
    tree = generalization_gap(DecisionTreeClassifier(random_state=0), X, y, test=new)
    line = generalization_gap(LogisticRegression(), X, y, test=new)
    assert tree.training == 0
    assert 0.22 < tree.test < 0.32  # a quarter of the new fish are wrong
    assert tree.overfits
    assert tree.gap == tree.test
    assert line.training > 0.1
    assert line.test < tree.test - 0.04
    assert not line.overfits
    assert abs(line.test - BAYES) < 0.03
    assert "promises too much" in tree.sentence
    assert "no sign of overfitting" in line.sentence


@pytest.mark.course("S3-109")
def test_the_interval_holds_the_gap_that_more_rows_would_show():
    rng = np.random.default_rng(1)
    far = fish(20_000, rng)
    held = 0
    for seed in range(60):
        X, y = fish(120, rng)
        found = generalization_gap(
            DecisionTreeClassifier(random_state=0), X, y, delta=0.1, random_state=seed
        )
        risk = np.mean(found.fitted.predict(far[0]) != far[1])
        held += found.interval.low <= risk - found.training <= found.interval.high
    assert held >= 52  # 54 expected, exact intervals hold more


def test_numbers_weights_frames_and_other_losses():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    frame = pd.DataFrame(X, columns=["a", "b"])
    tree = generalization_gap(DecisionTreeRegressor(), frame, y)
    line = generalization_gap(LinearRegression(), frame, y, loss="absolute")
    assert (tree.training, tree.loss) == (0, "squared")
    assert tree.overfits
    assert line.loss == "absolute"
    assert line.n_test == 90
    exact = generalization_gap(LinearRegression(), X, X[:, 0] * 0)
    assert (exact.interval.kind, exact.interval.high) == ("asymptotic", 0)
    weights = rng.random(300)
    some = generalization_gap(LinearRegression(), X, y, sample_weight=weights)
    assert some.interval.kind == "asymptotic"
    assert "90 new rows" in str(some)
    sure = generalization_gap(LogisticRegression(), X, y > 0, loss="log")
    assert sure.interval.low < sure.gap < sure.interval.high


def test_held_out_rows_have_classes_in_proportion():
    y = np.repeat([0, 1], [90, 10])
    X = np.arange(100.0)[:, None]
    found = generalization_gap(LogisticRegression(), X, y, held_out=0.2)
    assert (found.n_train, found.n_test) == (80, 20)


def test_the_picture():
    matplotlib.use("Agg")
    X, y = fish(50, np.random.default_rng(3))
    ax = generalization_gap(LogisticRegression(), X, y).plot()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["training", "new rows"]
    matplotlib.pyplot.close("all")


def test_what_is_refused():
    X, y = fish(40, np.random.default_rng(4))
    tree = DecisionTreeClassifier()
    for options, error, words in (
        ({"held_out": 0}, ParameterError, "held_out must be a share"),
        ({"held_out": 0.001}, ParameterError, "held_out must be a share"),
        ({"delta": 1}, ParameterError, "delta must be"),
        ({"test": X}, ParameterError, "test must be a pair"),
        ({"test": (X, y[:3])}, DataError, "one target for each"),
        ({"test": (X, ["cod"] * 40)}, DataError, "labels that the training rows have"),
        ({"loss": lambda y, f: 0.5}, ParameterError, "number for each row"),
    ):
        with pytest.raises(error, match=words):
            generalization_gap(tree, X, y, **options)
