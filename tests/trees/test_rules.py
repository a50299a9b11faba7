"""Rules of a tree: they answer as it does."""

import numpy as np
import pandas as pd
import pytest

from corollary import DataError, GaussianNB, ID3Classifier, RuleListClassifier
from corollary.datasets import play_tennis
from corollary.trees import tree_rules


@pytest.mark.course("S3-81")
def test_play_tennis_has_five_rules():
    table = play_tennis()
    frame = pd.DataFrame(table.X, columns=table.columns)
    rules = tree_rules(ID3Classifier().fit(frame, table.y))
    assert str(rules).splitlines()[:5] == [
        "IF Outlook = Overcast THEN Yes (4 of 4 rows)",
        "IF Outlook = Rain AND Wind = Strong THEN No (2 of 2 rows)",
        "IF Outlook = Rain AND Wind = Weak THEN Yes (3 of 3 rows)",
        "IF Outlook = Sunny AND Humidity = High THEN No (3 of 3 rows)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes (2 of 2 rows)",
    ]
    assert str(rules).splitlines()[-1] == "OTHERWISE Yes (9 of 14 rows)"
    assert sum(rule.weight for rule in rules.rules[:5]) == 14


def mixed(seed, n=200):
    """Draw texts, whole numbers and a scale, with missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "town": np.array(["Rome", "Oslo", "Bonn", None], object)[
                rng.integers(0, 4, n)
            ],
            "rank": rng.integers(0, 5, n),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    y = (frame["rank"] > 2).to_numpy() ^ (frame["size"] > 0).to_numpy()
    return frame, np.where(rng.random(n) < 0.1, 2, y)


@pytest.mark.course("S3-81", "S3-82")
@pytest.mark.parametrize("seed", range(4))
def test_unpruned_rules_answer_as_the_tree(seed):
    X, y = mixed(seed)
    tree = ID3Classifier(max_depth=4).fit(X, y)
    rules = RuleListClassifier(prune=False, max_depth=4).fit(X, y)
    assert rules.rules_ == tree_rules(tree).rules
    new, _ = mixed(seed + 100, 500)
    new.loc[::5, "town"] = "Lima"  # no category of the tree
    new.loc[::7, "rank"] = 9
    for rows in (X, new):
        np.testing.assert_array_equal(rules.predict(rows), tree.predict(rows))
    rules_of_leaves = rules.rules_[: tree.get_n_leaves()]
    first = rules.apply(X)
    assert (first < tree.get_n_leaves()).all()  # training rows end at leaves
    counts = np.bincount(first, minlength=len(rules_of_leaves))
    assert counts.tolist() == [rule.weight for rule in rules_of_leaves]


def test_a_tree_of_one_leaf_is_the_default():
    rules = tree_rules(ID3Classifier().fit([["a"], ["b"]], [1, 1]))
    assert str(rules) == "OTHERWISE 1 (2 of 2 rows)"
    assert len(rules) == 1


def test_thresholds_and_missing_values_in_words():
    X = pd.DataFrame({"age": [0.5, 1.5, 2.5, np.nan, np.nan]})
    text = str(tree_rules(ID3Classifier().fit(X, [0, 0, 1, 2, 2])))
    assert "IF age <= 2 THEN 0" in text
    assert "IF age > 2 THEN 1" in text
    assert "IF age is missing THEN 2" in text
    text = str(tree_rules(ID3Classifier().fit(X, [0, 0, 0, 1, 1])))
    assert "IF age is known THEN 0" in text


def test_refuses_other_models():
    with pytest.raises(DataError, match="ID3Classifier"):
        tree_rules(GaussianNB())
