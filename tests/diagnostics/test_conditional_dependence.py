"""Independence given the class: counted parameters, and pairs that break it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from corollary import datasets
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics.conditional_dependence import (
    conditional_dependence,
    parameter_counts,
)


@pytest.mark.course("S3-32")
@pytest.mark.parametrize("n", [1, 2, 10, 30, 100])
def test_boolean_features_cost_2_times_2_to_the_n_minus_1_or_2_n(n):
    count = parameter_counts([2] * n)
    assert count.full == 2 * (2**n - 1)
    assert count.naive == 2 * n
    assert count.prior == 1


@pytest.mark.course("S3-32")
@pytest.mark.parametrize(("k", "r", "s"), [(3, 4, 2), (2, 2, 5), (7, 3, 3)])
def test_factored_tables_need_s_times_k_plus_r_minus_2_and_the_classes(k, r, s):
    count = parameter_counts([k, r], s)
    assert count.naive + count.prior == s * (k + r - 2) + (s - 1)
    assert count.full + count.prior == s * k * r - 1
    assert parameter_counts([k, r], 1)[:2] == (k * r - 1, k + r - 2)
    assert parameter_counts([k, r, s], 1).naive == k + r + s - 3  # sum k_i - n


@pytest.mark.course("S3-32")
def test_tennis_schema_is_counted():
    table = datasets.play_tennis()
    found = conditional_dependence(table.X, table.y, names=table.columns)
    assert found.parameters == (2 * (3 * 3 * 2 * 2 - 1), 2 * (2 + 2 + 1 + 1), 1)
    assert found.parameters.saved == pytest.approx(70 / 12)
    assert "70 parameters for all combinations, 12 if" in str(found)
    assert {name for pair in found.pairs for name in pair.features} == set(
        table.columns
    )


@pytest.mark.course("S3-32")
def test_information_of_categories_is_that_of_their_tables():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=800)
    a = rng.integers(3, size=800)
    b = np.where(rng.random(800) < 0.5 * (y == 1), a, rng.integers(3, size=800))
    found = conditional_dependence(np.column_stack([a, b]), y)
    (pair,) = found.pairs
    G, freedom = 0.0, 0
    for c in (0, 1):
        T = np.histogram2d(a[y == c], b[y == c], bins=(3, 3))[0]
        test = chi2_contingency(T, correction=False, lambda_="log-likelihood")
        G, freedom = G + test.statistic, freedom + test.dof
        assert pair.by_class[c] == pytest.approx(test.statistic / (2 * T.sum()))
    assert (pair.statistic, pair.freedom) == (pytest.approx(G), freedom)
    assert pair.information == pytest.approx(G / 1600)
    # class 1 mixes a into b: I = sum p log p/(1/9) with p = 2/9 or 1/18
    assert pair.by_class[1] == pytest.approx(
        3 * 2 / 9 * np.log(2) + 6 / 18 * np.log(0.5), abs=0.06
    )
    assert found.dependent == (pair,)
    assert "class 1" in str(pair)


@pytest.mark.course("S3-32")
def test_information_of_numbers_is_that_of_gaussians():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 5000)
    u = rng.normal(size=(10_000, 2))
    u[:, 1] = 0.6 * u[:, 0] + 0.8 * u[:, 1]  # correlation 0.6 in both classes
    (pair,) = conditional_dependence(u + 3 * y[:, None], y).pairs
    assert pair.information == pytest.approx(-0.5 * np.log(1 - 0.36), rel=0.05)
    r = [np.corrcoef(u[y == c].T)[0, 1] for c in (0, 1)]
    for c in (0, 1):
        assert pair.by_class[c] == pytest.approx(-0.5 * np.log(1 - r[c] ** 2))


@pytest.mark.course("S3-32")
def test_dependence_through_the_class_alone_is_no_dependence():
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=900)
    numbers = rng.normal(size=(900, 3)) + 4 * y[:, None]
    answers = rng.random((900, 3)) < (0.1 + 0.4 * y)[:, None]
    assert np.corrcoef(numbers.T)[0, 1] > 0.8
    found = conditional_dependence(np.column_stack([numbers, answers]), y)
    assert len(found.pairs) == 15
    assert not found.dependent
    assert found.verdict == "no pair of 15 contradicts independence given the class"
    assert found.parameters is None


@pytest.mark.course("S3-32")
def test_false_alarms_are_as_rare_as_the_level_says():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=400)
        X = np.column_stack([rng.normal(size=(400, 3)), rng.integers(2, size=(400, 2))])
        alarms += bool(conditional_dependence(X, y, level=0.1).dependent)
    assert alarms <= 200 * 0.1 + 3 * np.sqrt(200 * 0.1 * 0.9)


@pytest.mark.course("S3-32")
def test_the_worst_pair_is_named_first_whatever_its_kinds():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=1000)
    frame = pd.DataFrame(rng.normal(size=(1000, 3)), columns=["height", "mass", "age"])
    frame["adult"] = np.where(frame.age > 0, "yes", "no")  # text beside a number
    frame["mass"] += 0.7 * frame.height
    found = conditional_dependence(frame, y)
    assert [pair.features for pair in found.dependent] == [
        ("age", "adult"),
        ("height", "mass"),
    ]
    assert found.dependent[0].information == pytest.approx(np.log(2), rel=0.2)
    assert "2 of 6 pairs depend" in str(found)


def test_columns_that_never_vary_say_nothing():
    X = np.column_stack([np.ones(30), np.arange(30) * 1.5, np.full(30, 0.5)])
    found = conditional_dependence(X, np.arange(30) % 2)
    assert all(pair.p == 1.0 and pair.freedom == 0 for pair in found.pairs)


def test_input_that_makes_no_sense():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    for error, message, more in (
        (ParameterError, r"level must be in \(0, 1\); got 2", {"level": 2}),
        (ParameterError, "must be 'auto' or a list", {"categorical": "all"}),
        (ParameterError, r"must number columns in \[0, 3\)", {"categorical": [5]}),
        (ParameterError, "one for each of the 3 columns; got 1", {"names": ["a"]}),
    ):
        with pytest.raises(error, match=message):
            conditional_dependence(X, y, **more)
    with pytest.raises(DataError, match="at least two columns; got 1"):
        conditional_dependence(X[:, :1], y)
    with pytest.raises(DataError, match="must be a table of rows and columns"):
        conditional_dependence(y, y)
    X[3, 1] = np.nan
    with pytest.raises(DataError, match="Input X must be finite; got NaN in row 3"):
        conditional_dependence(X, y)
    with pytest.raises(ParameterError, match="categories must be numbers >= 1"):
        parameter_counts([2, 0])
