"""Sizes of a model and halves of the rows: advice that is measured."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import (
    DataError,
    DecisionTreeClassifier,
    LinearRegression,
    LogisticRegression,
    ParameterError,
    PolynomialFeatures,
    RBFSampler,
    StandardScaler,
)
from corollary.diagnostics import size_and_data


def network():
    """A layer of units drawn at random, and a linear one on top."""
    return make_pipeline(
        StandardScaler(),
        RBFSampler(gamma=1.0, random_state=0),
        LogisticRegression(C=1e3),
    )


def rings(n=400, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, np.sin(2 * (X**2).sum(axis=1)) > 0


@pytest.mark.course("S4-95")
def test_small_networks_underfit_and_large_ones_overfit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = ((X**2).sum(axis=1) > 1.4) ^ (rng.random(300) < 0.1)
    units = "rbfsampler__n_components"
    found = size_and_data(network(), X, y, units, [2, 20, 400], loss="log")
    assert found.verdicts[0] == "underfits"
    assert found.verdicts[2] == "overfits"
    assert found.best == 20
    # a larger one fits its own rows better, and its gap is wider
    assert (np.diff(found.training) < 0).all()
    assert (np.diff(found.validation - found.training) > 0).all()
    text = str(found)
    assert "Too small, if cheap: 2 (high bias)" in text
    assert "Too large: 400 (high variance). Raise the penalty" in text


@pytest.mark.course("S4-95")
def test_the_large_data_rationale_holds_for_a_flexible_model_that_lacks_rows():
    X, y = rings(600)
    tree = DecisionTreeClassifier(random_state=0)
    found = size_and_data(tree, X, y, "max_leaf_nodes", [2, 500])
    assert found.low_bias
    assert found.training[-1] == 0
    assert found.gap_shrinks
    assert found.more_data_pays
    assert "More rows pay" in str(found)
    # and it is true: four times the rows
    more = size_and_data(tree, *rings(2400), "max_leaf_nodes", [2, 500])
    assert more.validation[-1] < 0.7 * found.validation[-1]


@pytest.mark.course("S4-95")
def test_more_rows_are_useless_for_a_stiff_model_or_columns_that_tell_nothing():
    X, y = rings(600)
    stiff = size_and_data(DecisionTreeClassifier(), X, y, "max_depth", [1])
    assert not stiff.low_bias
    assert not stiff.more_data_pays
    assert "More rows will not help yet" in str(stiff)
    again = size_and_data(DecisionTreeClassifier(), *rings(2400), "max_depth", [1])
    assert again.validation[-1] > 0.9 * stiff.validation[-1]
    # the useful test: somebody who knows would err in 1 % of the rows
    blind = np.random.default_rng(0).normal(size=(300, 1))
    told = size_and_data(
        make_pipeline(PolynomialFeatures(), LinearRegression()),
        blind,
        np.random.default_rng(1).normal(size=300),
        "polynomialfeatures__degree",
        [1, 3],
        expert_loss=0.01,
    )
    assert not told.low_bias
    assert "an expert could tell y" in str(told)


@pytest.mark.course("S4-95")
def test_where_the_expert_is_reached_nothing_more_is_needed():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=300)
    lines = make_pipeline(PolynomialFeatures(), LinearRegression())
    found = size_and_data(
        lines, X, y, "polynomialfeatures__degree", [1, 2], expert_loss=0.02
    )
    assert found.low_bias
    assert not found.more_data_pays
    assert "not needed" in str(found)
    assert found.baseline == pytest.approx(np.var(y), rel=0.1)


def test_pictures_and_the_end_of_the_sizes():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = rings(200)
    found = size_and_data(
        DecisionTreeClassifier(random_state=0), X, y, "max_leaf_nodes", [2, 60]
    )
    assert "may be better yet" in str(found)
    assert len(found.plot().lines) == 2


def test_errors():
    X, y = rings(50)
    tree = DecisionTreeClassifier()
    with pytest.raises(ParameterError, match="must not be empty"):
        size_and_data(tree, X, y, "max_depth", [])
    with pytest.raises(ParameterError, match="parameter must be one"):
        size_and_data(tree, X, y, "units", [1])
    with pytest.raises(ParameterError, match="expert_loss"):
        size_and_data(tree, X, y, "max_depth", [1], expert_loss=-1)
    with pytest.raises(DataError):
        size_and_data(tree, X, y[:-1], "max_depth", [1])
