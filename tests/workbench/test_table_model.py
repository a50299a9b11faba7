"""Models of tables keep scikit-learn's contract, on tables instead of arrays."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from workbench.table_models import BLENDS, houses, table_model

import corollary
from corollary import DecisionTreeClassifier, DecisionTreeRegressor
from corollary.core.errors import DataError, ParameterError
from corollary.workbench import TableClassifier, TableRegressor, read_table
from corollary.workbench.preparing import CODED, feature_groups, preparation
from corollary.workbench.words import Words

#: The other checks of scikit-learn give arrays of numbers.  Models of tables take files
#: and frames by the names of their schema, and say so in their tags; what those checks
#: ask of arrays is asked of tables below.
WITHOUT_ROWS = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
)
FEATURES = ("area", "garden", "town", "street", "sold", "note")
TREES = {"sells": DecisionTreeClassifier, "price": DecisionTreeRegressor}


def made(target):
    """Return a model of tables, unfitted, with its table and its target."""
    table = {name: houses()[name] for name in (*FEATURES, target)}
    data = read_table(table, target=target)
    ready = preparation(CODED, feature_groups(data.table, data.columns))
    model = make_pipeline(ready, TREES[target](random_state=0))
    cls = TableClassifier if target == "sells" else TableRegressor
    return cls(model, data.schema), table, np.array(table[target])


def rows_of(table, rows):
    """Return some rows of a table."""
    return {name: [column[i] for i in rows] for name, column in table.items()}


@pytest.mark.parametrize("name", WITHOUT_ROWS)
@pytest.mark.parametrize("target", ["sells", "price", "words"])
def test_scikit_learn_contract(name, target):
    model = Words() if target == "words" else made(target)[0]
    getattr(estimator_checks, name)(type(model).__name__, model)


@pytest.mark.parametrize("target", TREES)
def test_fitting_again_changes_no_parameter_and_no_answer(target):
    model, table, y = made(target)
    given = model.get_params(deep=False)
    assert model.fit(table, y) is model
    answers = model.predict(table)
    assert answers.shape == y.shape
    assert model.get_params(deep=False) == given
    np.testing.assert_array_equal(model.fit(table, y).predict(table), answers)
    np.testing.assert_array_equal(clone(model).fit(table, y).predict(table), answers)
    assert model.score(table, y) > 0.5
    assert model.n_features_in_ == len(FEATURES)
    assert is_classifier(model) == (target == "sells") != is_regressor(model)


@pytest.mark.parametrize("target", TREES)
def test_an_answer_is_that_of_its_row(target):
    model, table, y = made(target)
    answers = model.fit(table, y).predict(table)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(model.predict(rows_of(table, order)), answers[order])
    for row in order[:5]:
        assert model.predict(rows_of(table, [row]))[0] == answers[row]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(table), answers)


@pytest.mark.parametrize("target", TREES)
def test_what_is_wrong_is_said_in_a_sentence(target):
    model, table, y = made(target)
    with pytest.raises(NotFittedError, match="not fitted"):
        model.predict(table)
    with pytest.raises(DataError, match=r"y must have one entry for each of 80 rows"):
        model.fit(table, y[1:])
    with pytest.raises(ParameterError, match="schema must be a Schema"):
        type(model)(model.model).fit(table, y)
    model.fit(table, y)
    with pytest.raises(DataError, match="must have the column 'area'"):
        model.predict({"town": ["Oslo"]})
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        model.predict(np.zeros((3, 6)))


def test_rows_that_were_covered_out_of_fold_are_covered():
    """Sets and intervals of delta hold what they were made from in 1 - delta."""
    model = table_model(*BLENDS[0])
    assert (np.diff(model.scores_) >= 0).all()
    assert np.mean(model.scores_ <= model.width(0.2)) >= 0.8
    sets = model.predict_set(houses(), delta=0.2)
    assert sets.shape == (80, 2)
    assert sets.any(axis=1).all()
    ends = table_model(*BLENDS[8]).predict_interval(houses(), delta=0.2)
    assert (ends[:, 0] < ends[:, 1]).all()


@pytest.mark.parametrize("blend", BLENDS, ids=lambda one: one[0])
def test_a_saved_model_answers_the_same(blend, tmp_path):
    model = table_model(*blend)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(houses()), model.predict(houses()))
    np.testing.assert_array_equal(again.scores_, model.scores_)
