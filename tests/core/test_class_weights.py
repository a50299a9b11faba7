import numpy as np
import pytest

import corollary
from corollary.core.errors import ParameterError

WEIGHTED = [
    name
    for name in corollary.registry.ESTIMATORS
    if "class_weight" in getattr(corollary, name)().get_params()
]


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "blanced",
            "class_weight must be None or 'balanced' or .*got 'blanced'",
        ),
        (3, "class_weight must be None or 'balanced' or .*got 3"),
        ({0: "a"}, "numbers in class_weight must be >= 0; got 'a'"),
        ({0: -1}, "numbers in class_weight must be >= 0; got -1"),
        ({0: np.nan}, "numbers in class_weight must be >= 0; got nan"),
    ],
)
def test_only_balanced_is_a_word_for_class_weights(name, asked, told):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ParameterError, match=told):
        getattr(corollary, name)(class_weight=asked).fit(X, y)
