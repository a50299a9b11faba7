"""scikit-learn's own checks, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import corollary


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([getattr(corollary, name)() for name in corollary.ESTIMATORS])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
