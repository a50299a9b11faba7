"""scikit-learn's own checks, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import corollary

#: Parameters with which the data of every check has a solution.
PARAMETERS = {
    "BaggingClassifier": {"max_samples": 1.0},  # of the weight, not of the rows
    "BaggingRegressor": {"max_samples": 1.0},
    "ColumnTransformer": {
        "transformers": [("first", corollary.StandardScaler(), slice(0, 1))],
        "remainder": corollary.StandardScaler(),
    },
    "NuSVC": {"nu": 0.3},  # weights leave small classes in some checks
    # and categories that only rows of weight 0 have: these are unknown
    "OneHotEncoder": {"handle_unknown": "ignore"},
    "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    "PassiveAggressiveClassifier": {"C": 0.01},  # a weight of 1000 multiplies steps
    "RANSACRegressor": {"min_samples": 0.5},  # some checks have few rows
    # a share of the weight, so that copies in place of weights draw as many rows
    "RandomForestClassifier": {"max_samples": 1.0},
    "RandomForestRegressor": {"max_samples": 1.0},
}

#: What is said of scikit-learn's ColumnTransformer, of which ours is one.
INHERITED = {
    "check_estimator_sparse_array": (
        "scikit-learn takes columns of a sparse array of diagonals, which has none"
    ),
    "check_estimator_sparse_matrix": (
        "scikit-learn takes columns of a sparse matrix of diagonals, which has none"
    ),
    "check_fit1d": "scikit-learn counts the columns of X before it looks at its shape",
    "check_fit2d_predict1d": (
        "scikit-learn counts the columns of X before it looks at its shape"
    ),
}

#: Checks that cannot be passed, and why.
IMPOSSIBLE = {
    "ColumnTransformer": INHERITED,
    "NuSVC": {
        "check_class_weight_classifiers": (
            "a class of weight 1e-4 against 1000 cannot hold the share nu of the rows"
        )
    },
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        getattr(corollary, name)(**PARAMETERS.get(name, {}))
        for name in (*corollary.registry.ESTIMATORS, "ColumnTransformer")
    ],
    expected_failed_checks=lambda e: IMPOSSIBLE.get(type(e).__name__, {}),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
