"""Estimators that fit others: one report of several, weights passed on, Ctrl-C."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from corollary import CostSensitiveClassifier, LogisticRegression, StopReason
from corollary.core.errors import ParameterError
from corollary.core.report import Optimality, Report
from corollary.engine.meta import fit_with_weights, join

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)


def test_the_only_report_inside_is_taken_over():
    model = CostSensitiveClassifier(LogisticRegression(), reject_cost=0.3).fit(X, Y)
    inner, outer = model.estimator_.report_, model.report_
    assert (outer.passes, outer.objective) == (inner.passes, inner.objective)
    assert outer.learner == "CostSensitiveClassifier"
    assert outer.facts["reject_cost"] == 0.3
    assert "reject_cost" not in inner.facts


def test_several_reports_add_up_and_the_worst_speaks():
    parts = [
        Report("a", StopReason.CONVERGED, 3, 4, optimality=Optimality("gap", 0.1)),
        Report("b", StopReason.MAX_PASSES, 5, 6, optimality=Optimality("gap", 0.7)),
    ]
    whole = Report("all", StopReason.CLOSED_FORM)
    join(whole, parts)
    assert (whole.passes, whole.reads) == (8, 10)
    assert whole.stop is StopReason.MAX_PASSES
    assert whole.optimality.value == 0.7


def test_estimators_without_reports():
    whole = Report("all", StopReason.CLOSED_FORM)
    join(whole, [None])
    assert whole.stop is StopReason.DELEGATED


def test_weights_need_an_estimator_that_takes_them():
    with pytest.raises(ParameterError, match="sample_weight needs an estimator"):
        fit_with_weights("Who", KNeighborsClassifier(), X, Y, np.ones(60))
