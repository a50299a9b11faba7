"""Regression trees against scikit-learn's, and what they refuse."""

import numpy as np
import pytest
import sklearn.tree as peers

from corollary import DecisionTreeRegressor

rng = np.random.default_rng(3)
X = rng.normal(size=(1200, 3)).astype(np.float32).astype(float)
Y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.3 * rng.normal(size=1200)
COUNT = rng.poisson(np.exp(X[:, 0])).astype(float)
W = rng.random(1200) + 0.1
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)


@pytest.mark.course("S2-46")
@pytest.mark.parametrize(
    ("criterion", "y"),
    [
        ("squared_error", Y),
        ("squared_error", np.column_stack([Y, COUNT])),
        ("poisson", COUNT),
        ("absolute_error", Y),
    ],
)
@pytest.mark.parametrize("w", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("rule", [{}, {"max_leaf_nodes": 7}, {"ccp_alpha": 0.01}])
def test_the_tree_is_scikit_learns(criterion, y, w, missing, rule):
    if missing and criterion == "absolute_error":
        pytest.skip("scikit-learn's takes no missing values with it")
    rows = HOLES if missing else X
    options = {"criterion": criterion, "min_samples_leaf": 60, **rule}
    ours = DecisionTreeRegressor(**options).fit(rows, y, w)
    theirs = peers.DecisionTreeRegressor(random_state=0, **options).fit(rows, y, w)
    a, b = ours.tree_, theirs.tree_
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.children_left, b.children_left)
    np.testing.assert_allclose(a.value, b.value, atol=1e-9)
    np.testing.assert_allclose(a.impurity, b.impurity, atol=1e-9)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), atol=1e-9)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_weight_is_a_repetition(criterion):
    times = rng.integers(0, 4, 1200)
    options = {"criterion": criterion, "max_depth": 6}
    weighted = DecisionTreeRegressor(**options).fit(X, COUNT, times)
    repeated = X.repeat(times, 0), COUNT.repeat(times)
    twice = DecisionTreeRegressor(**options).fit(*repeated)
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-120, 1e-9, 1e12])
def test_the_tree_does_not_hang_on_the_unit_of_y(scale):
    tree = DecisionTreeRegressor(max_depth=5).fit(X, Y)
    other = DecisionTreeRegressor(max_depth=5).fit(X, Y * scale)
    np.testing.assert_array_equal(tree.apply(X), other.apply(X))
    shifted = DecisionTreeRegressor(max_depth=5).fit(X, Y + 1e9)
    np.testing.assert_array_equal(tree.apply(X), shifted.apply(X))


def test_a_constant_is_learned_to_the_last_digit():
    model = DecisionTreeRegressor().fit(X, np.full(1200, 0.1))
    assert model.get_n_leaves() == 1
    assert model.predict(X[:1]) == [0.1]


def test_absolute_errors_take_missing_values():
    y = np.where(np.isnan(HOLES[:, 0]), 5.0, Y)
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=1)
    model.fit(HOLES[:, :1], y)
    assert model.tree_.threshold[0] == np.inf or model.tree_.missing_go_to_left[0] == 0


@pytest.mark.parametrize(
    ("y", "words"), [(-COUNT, "y must be >= 0"), (0 * COUNT, "sum of y must be")]
)
def test_counts_must_be_counts(y, words):
    with pytest.raises(ValueError, match=f"^DecisionTreeRegressor: .*{words}"):
        DecisionTreeRegressor(criterion="poisson").fit(X, y)
