import pytest
from workbench.tables import rents
from workbench.test_trials import folded

from corollary.workbench.ladder import MOST_LEAVES, base, variants


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
