"""Whatever comes in place of a number, a bound answers or refuses in a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary.theory as theory
from corollary.core.errors import DataError, ParameterError

ODD = [
    *(None, "x", b"x", np.nan, np.inf, -np.inf, -1, 0, 1, 2.5, 1j, True, {}),
    *(1e308, 1e-320, 10**30, [], [[]], [1, 2], [np.nan], [None, 1], ["a"]),
    *(object(), np.float32(0.3), np.zeros((2, 3))),
]
CALLS = {
    "binary_kl": {"q": 0.1, "p": 0.2},
    "binomial_interval": {"n": 100, "errors": 3, "delta": 0.1},
    "boosting_oracle_bound": {"n": 9, "gamma": 0.2, "complexity": 0.1, "share": 0.1},
    "chernoff_kl": {"n": 100, "loss": 0.1, "delta": 0.1},
    "clopper_pearson": {"n": 100, "errors": 3, "delta": 0.1},
    "compression_bound": {"n": 100, "size": 3, "errors": 1, "delta": 0.1, "bits": 1},
    "gaussian_kl": {"mean": [1.0, 2.0], "prior_mean": 0, "cov": 1, "prior_cov": 2},
    "hold_out_bound": {"losses": [0.0, 1.0], "delta": 0.1, "method": "kl", "high": 1},
    "kl_inverse": {"q": 0.1, "c": 0.2, "side": "upper"},
    "knn_oracle_bound": {"n": 100, "d": 2, "k": 10, "lipschitz": 1.0},
    "margin_bound": {"margins": [0.1, 0.2], "complexity": 0.1, "gamma": 0.1},
    "massart": {"n": 100, "size": 10},
    "occam_bound": {"n": 100, "errors": 3, "bits": 5, "method": "exact"},
    "pac_bayes_bound": {"n": 100, "loss": 0.1, "kl": 3.0, "method": "catoni", "C": 1},
    "perceptron_bound": {"n": 100, "mistakes": 3, "errors": 1, "passes": 2},
    "rademacher_bound": {"loss": 0.1, "complexity": 0.1, "n": 100, "lipschitz": 1},
    "score_interval": {"y": [0, 1, 1], "predicted": [0, 1, 0], "score": "f1"},
    "auc_interval": {"y": [0, 1, 1], "scores": [0.1, 0.4, 0.3], "method": "delong"},
    "svm_oracle_bound": {"n": 100, "hinge": 0.1, "norm": 1.0, "radius": 1.0},
    "svr_oracle_bound": {"n": 100, "norm": 1.0, "largest_y": 1.0, "radius": 1.0},
    "validation_bound": {"n": 100, "errors": [1, 2], "prior": [0.5, 0.5]},
}


@pytest.mark.parametrize("name", CALLS)
@given(data=st.data())
def test_odd_values_are_answered_or_refused_in_a_sentence(name, data):
    given = dict(CALLS[name])
    for argument in data.draw(st.sets(st.sampled_from(sorted(given)), min_size=1)):
        given[argument] = data.draw(st.sampled_from(ODD))
    refused = ""
    try:
        getattr(theory, name)(**given)
    except (DataError, ParameterError) as error:
        refused = str(error)
    assert not refused or "; got " in refused


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_above_make_sense(name):
    assert getattr(theory, name)(**CALLS[name]) is not None
