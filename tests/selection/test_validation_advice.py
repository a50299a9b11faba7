"""The adviser: the table of the textbook, costs, and advice that can be followed."""

import numpy as np
import pytest

from corollary import LinearRegression, LogisticRegression
from corollary.core.errors import ParameterError
from corollary.selection import (
    advise_validation,
    bootstrap_error,
    cross_validate,
    leave_one_out,
)


@pytest.mark.course("S3-102")
@pytest.mark.parametrize(
    ("given", "kind", "folds"),
    [
        ({"n_rows": 5000, "seconds_per_fit": 0.5}, "k-fold", 10),
        ({"n_rows": 5000, "seconds_per_fit": 8.0}, "k-fold", 5),  # ten cost too much
        ({"n_rows": 5000, "seconds_per_fit": 40.0}, "hold-out", 1),  # one fit, cheap
        ({"n_rows": 5000, "seconds_per_fit": 8.0, "budget": 600.0}, "k-fold", 10),
        ({"n_rows": 1_000_000, "seconds_per_fit": 1.0}, "hold-out", 1),
        ({"n_rows": 30, "seconds_per_fit": 0.1}, "leave-one-out", 30),
        (
            {"n_rows": 30, "seconds_per_fit": 0.1, "classification": True},
            "bootstrap",
            0,
        ),
        ({"n_rows": 30, "seconds_per_fit": 9.0}, "k-fold", 5),  # 30 fits are too dear
        ({"n_rows": 5000, "closed_form": True}, "leave-one-out", 5000),
        ({"n_rows": 200, "seconds_per_fit": 0.1, "smallest_class": 4}, "k-fold", 4),
        ({"n_rows": 200, "n_groups": 4}, "k-fold", 4),
        ({"n_rows": 10**6, "ordered": True}, "k-fold", 10),
        ({"n_rows": 400}, "k-fold", 10),
    ],
)
def test_rows_and_cost_decide(given, kind, folds):
    found = advise_validation(**given)
    assert (found.kind, found.folds) == (kind, folds)
    assert found.why.endswith(".")


@pytest.mark.course("S3-102")
def test_costs_are_1_k_and_n_fits():
    assert advise_validation(2000, 0.01).fits == 10
    assert advise_validation(2000, 0.01).train_rows == 1800  # wastes a tenth
    assert advise_validation(2000, 30.0).fits == 1
    assert advise_validation(2000, 30.0).train_rows == 1400
    left = advise_validation(40, 0.01)
    assert (left.fits, left.train_rows, left.seconds) == (40, 39, 0.4)
    assert advise_validation(40, closed_form=True).fits == 1
    few = advise_validation(300, 0.1)
    assert (few.folds, few.repeats, few.fits) == (10, 10, 100)


@pytest.mark.course("S3-102")
def test_no_advice_exceeds_the_budget_unless_a_single_fit_does():
    for n in (10, 49, 50, 999, 1000, 10**5, 10**7):
        for cost in (1e-4, 0.1, 1.0, 7.0, 19.0, 31.0, 100.0):
            for labels in (False, True):
                found = advise_validation(n, cost, classification=labels)
                assert found.seconds <= max(60.0, 3 * cost)
                assert 1 <= found.train_rows < n


def test_advice_can_be_followed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    left = advise_validation(40, closed_form=True)
    assert leave_one_out(LinearRegression(), X, y).fits == left.fits
    found = advise_validation(40, 2.0, budget=10.0)
    done = cross_validate(LinearRegression(), X, y, splitter=found.folds)
    assert len(done.seconds) == found.fits
    drawn = advise_validation(40, 0.0, classification=True)
    again = bootstrap_error(
        LogisticRegression(), X, y > 0, n_resamples=drawn.repeats // 10
    )
    assert 0 <= again.error <= 1


def test_it_prints():
    text = str(advise_validation(300, 0.1))
    assert text.splitlines()[0] == (
        "10-fold cross-validation, 10 times: 100 fits, 10 s, 270 rows to train on"
    )
    assert str(advise_validation(10**6)).startswith("hold-out: 1 fit, 900,000 rows")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_rows": 1}, "n_rows must be a whole number >= 2"),
        ({"n_rows": "many"}, "n_rows"),
        ({"seconds_per_fit": -1}, "seconds_per_fit must be a number >= 0 or None"),
        ({"budget": 0}, "budget must be a number > 0"),
        ({"smallest_class": 0}, "smallest_class"),
        ({"n_groups": 1}, "n_groups"),
        ({"ordered": 1}, "ordered must be True or False"),
    ],
)
def test_bad_input_gets_a_sentence(change, words):
    with pytest.raises(ParameterError, match=words):
        advise_validation(**({"n_rows": 10} | change))
