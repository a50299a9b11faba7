"""Conjunctions by elimination: consistent, strict, and with few mistakes."""

from itertools import product

import numpy as np
import pytest

from corollary import ConjunctionClassifier
from corollary.core.errors import DataError
from corollary.theory import Conjunctions, online_elimination, pac_experiment


def cube(n):
    return np.array(list(product((0, 1), repeat=n)))


def target(X, required, forbidden=()):
    yes = (X[:, list(required)] == 1).all(axis=1)
    return yes & (X[:, list(forbidden)] == 0).all(axis=1)


@pytest.mark.course("S0-52")
def test_the_whole_cube_teaches_the_target():
    X = cube(5)
    y = target(X, (0, 3), (4,))
    model = ConjunctionClassifier().fit(X, y)
    assert model.literals_.tolist() == [1, 0, 0, 1, -1]
    assert model.rule_ == "x0 and x3 and not x4"
    assert model.score(X, y) == 1
    assert model.report_.facts["n_conditions"] == 3


@pytest.mark.course("S0-52")
@pytest.mark.parametrize("monotone", [False, True])
def test_the_rule_is_the_strictest_that_holds_the_positives(monotone):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(2, size=(12, 6))
        y = target(X, (1, 4))
        if y.min() == y.max():
            continue
        model = ConjunctionClassifier(monotone=monotone).fit(X, y)
        assert model.realizable_
        assert model.score(X, y) == 1
        rule = Conjunctions(6, monotone).witness(X, y)
        assert np.flatnonzero(model.literals_ == 1).tolist() == list(rule.required)
        assert np.flatnonzero(model.literals_ == -1).tolist() == list(rule.forbidden)
        everywhere = cube(6)
        wrong = model.predict(everywhere).astype(bool) & ~target(everywhere, (1, 4))
        assert not wrong.any()  # errs on positives only


@pytest.mark.course("S0-52")
def test_140_examples_suffice_for_ten_features():
    m = int(np.ceil(10 * np.log(3**10 / 0.05)))
    assert m == 140
    points = cube(10)
    found = pac_experiment(
        ConjunctionClassifier(classes=(0, 1)),
        (points, np.full(1024, 1 / 1024)),
        lambda X: target(X, (2,), (7,)),
        m=m,
        n_draws=100,
        random_state=0,
    )
    assert found.exact
    assert found.failure_rate <= 0.05


@pytest.mark.course("S0-52")
@pytest.mark.parametrize("monotone", [False, True])
def test_mistakes_online_are_at_most_n_plus_1_and_n_without_negations(monotone):
    rng = np.random.default_rng(1)
    most = 0
    for _ in range(200):
        n = int(rng.integers(1, 8))
        required = np.flatnonzero(rng.uniform(size=n) < 0.3)
        X = (rng.uniform(size=(60, n)) < 0.7).astype(int)
        run = online_elimination(X, target(X, required), monotone=monotone)
        assert run.mistake_bound == n + (not monotone)
        assert run.n_mistakes <= run.mistake_bound
        assert run.realizable
        most = max(most, run.n_mistakes - n)
    slow = 1 - np.eye(5, dtype=int)  # each row strikes out one literal
    worst = online_elimination(np.vstack([np.ones((1, 5)), slow]), np.ones(6))
    assert worst.n_mistakes == worst.mistake_bound == 6
    strict = online_elimination(slow, np.ones(5), monotone=True)
    assert strict.n_mistakes == strict.mistake_bound == 5


def test_online_and_batch_end_with_the_same_literals():
    rng = np.random.default_rng(2)
    X = rng.integers(2, size=(40, 4))
    y = target(X, (0,), (2,))
    batch = ConjunctionClassifier().fit(X, y)
    assert online_elimination(X, y).literals.tolist() == batch.literals_.tolist()


@pytest.mark.course("S0-52")
def test_labels_of_no_conjunction_are_a_fact():
    X, y = cube(2), [0, 1, 1, 0]  # exclusive or
    model = ConjunctionClassifier().fit(X, y)
    assert not model.realizable_
    assert model.report_.facts["separated"] is False
    assert model.report_.facts["n_errors"] == 2
    assert model.rule_ == "always"
    run = online_elimination(np.vstack([X, X]), y * 2)
    assert not run.realizable


def test_without_positives_the_rule_is_never_true():
    model = ConjunctionClassifier(classes=["no", "yes"]).fit([[1, 0]], ["no"])
    assert model.rule_ == "never"
    assert model.predict(cube(2)).tolist() == ["no"] * 4


def test_numbers_are_true_above_a_threshold_and_names_are_kept():
    import pandas as pd

    X = pd.DataFrame({"warm": [20.0, 25.0, 5.0], "wet": [0.1, 0.9, 0.2]})
    model = ConjunctionClassifier(binarize=10.0).fit(X, [1, 1, 0])
    assert model.rule_ == "warm and not wet"


def test_bad_rows_are_told():
    with pytest.raises(DataError, match="a label for each of 2 rows"):
        online_elimination([[1], [0]], [1])
    with pytest.raises(DataError, match="must be finite"):
        online_elimination([[np.nan], [0]], [1, 0])
    with pytest.raises(DataError, match="Only binary classification"):
        ConjunctionClassifier().fit([[1], [0], [1]], [0, 1, 2])
