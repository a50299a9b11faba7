import numpy as np
import pytest
from workbench.tables import rents
from workbench.test_trials import folded

from corollary.workbench.ladder import (
    COLUMNS,
    MOST_LEAVES,
    SHARP_QUADRATIC,
    amounts,
    base,
    variants,
)
from corollary.workbench.trials import TrialRefusedError, attempt


@pytest.mark.parametrize("rows", [60_000, 5_000_000])
def test_trees_of_forests_stay_small_on_many_rows(rows):
    groups = folded(rents(90), "rent")[0].groups
    rungs = (*base("regression"), *variants("regression"))
    forests = [one for one in rungs if one.family == "forest"]
    assert len(forests) == 4
    for forest in forests:
        assert rows / forest.made(groups, 0, rows).min_samples_leaf <= MOST_LEAVES
        few = forest.made(groups, 0, 500)
        assert few.min_samples_leaf == forest.learner.min_samples_leaf


def test_counts_and_amounts_have_learners_of_their_own(rng):
    long = rng.gamma(0.5, size=300)
    for y in (long, rng.poisson(0.5, 300) * 1.0):
        families = {one.family for one in amounts(y)}
        assert families == {
            "boosting of counts",
            "boosting of logarithms",
            "kernel of logarithms",
            "linear of logarithms",
        }
    for y in (long - 0.1, rng.uniform(size=300), np.zeros(300), np.ones(300)):
        assert amounts(y) == ()


@pytest.mark.parametrize("name", ["additive boosting", SHARP_QUADRATIC])
def test_learners_of_columns_refuse_thousands_at_once(name, rng):
    table = {f"x{j}": rng.normal(size=40) for j in range(COLUMNS + 1)}
    rows, metric = folded(table | {"y": rng.choice(["a", "b"], 40)}, "y")
    candidate = {one.name: one for one in base("classification")}[name]
    with pytest.raises(TrialRefusedError, match="500 columns at most; there are 501"):
        attempt(candidate, rows, metric)


def test_settings_reach_the_regressor_of_a_logarithm(rng):
    groups = folded(rents(90), "rent")[0].groups
    rungs = {one.name: one for one in amounts(rng.gamma(0.5, size=300))}
    boosted = rungs["boosting of the logarithm"].made(groups, 7, 100).regressor
    assert boosted.random_state == 7
    assert boosted.categorical_features == [0]  # the towns
    assert rungs["support vector machine of the logarithm"].parameters == {"C": 3.0}
