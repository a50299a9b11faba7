"""Folds of rows, and what their splitter is told of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GroupKFold

from corollary import ElasticNetCV, LassoCV, LogisticRegressionCV
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)
GROUPS = RNG.integers(0, 6, size=60)
FEW = {LassoCV: "alphas", ElasticNetCV: "alphas", LogisticRegressionCV: "Cs"}


@pytest.mark.parametrize("kind", FEW)
def test_groups_reach_the_splitter_where_metadata_is_routed(kind):
    few = {FEW[kind]: [0.01, 0.1]}
    given = list(GroupKFold(3).split(X, y, GROUPS))
    told = kind(cv=given, **few).fit(X, y)
    with config_context(enable_metadata_routing=True):
        asked = kind(cv=GroupKFold(3), **few).fit(X, y, groups=GROUPS)
    name = "scores_" if kind is LogisticRegressionCV else "mse_path_"
    np.testing.assert_array_equal(getattr(asked, name), getattr(told, name))


def test_groups_of_rows_without_weight_are_left_out():
    w = (np.arange(60) % 4 > 0).astype(float)
    with config_context(enable_metadata_routing=True):
        model = LassoCV(cv=GroupKFold(3), alphas=[0.01, 0.1])
        some = model.fit(X, y, w, groups=GROUPS).mse_path_
        less = model.fit(X[w > 0], y[w > 0], groups=GROUPS[w > 0]).mse_path_
    np.testing.assert_allclose(some, less)


@pytest.mark.parametrize("kind", FEW)
def test_further_arguments_are_refused_where_metadata_is_not_routed(kind):
    with pytest.raises(ParameterError, match=f"{kind.__name__}: fit takes X, y and"):
        kind().fit(X, y, groups=GROUPS)
    model = LogisticRegressionCV(Cs=2).fit(X, y)
    with pytest.raises(ParameterError, match="score takes X, y and sample_weight"):
        model.score(X, y, extra=1)
