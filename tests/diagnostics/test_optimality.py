"""Certificates of optimality: closed at the optimum, honest away from it."""

import numpy as np
import pytest
import sklearn.linear_model as sk

from corollary import (
    ElasticNet,
    GaussianNB,
    Lasso,
    LinearSVC,
    LogisticRegression,
    Ridge,
)
from corollary.core.errors import DataError
from corollary.diagnostics.optimality import certify_optimality

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 4))
t = X @ [2.0, 0.0, -1.0, 0.0] + rng.normal(size=80) + 1
y = np.where(t > 1, "yes", "no")

FITS = [
    (Ridge(alpha=3.0), t),
    (Lasso(alpha=0.2, tol=1e-12), t),
    (ElasticNet(alpha=0.2, l1_ratio=0.4, tol=1e-12), t),
    (LogisticRegression(C=0.5, tol=1e-9), y),
    (LogisticRegression(C=0.5, l1_ratio=1, solver="coordinate-descent", tol=1e-9), y),
    (LinearSVC(C=0.1), y),
    (LinearSVC(C=0.1, penalty="l1"), y),
]


@pytest.mark.course("S2-36")
@pytest.mark.parametrize(("model", "target"), FITS, ids=lambda v: str(v)[:40])
def test_the_gap_is_closed_and_the_subgradient_zero(model, target):
    model.fit(X, target)
    proof = certify_optimality(model, X, target)
    assert 0 <= proof.gap <= 1e-6 * proof.primal
    assert proof.kkt_residual <= 1e-5
    assert proof.dual <= proof.primal * (1 + 1e-14)
    best = proof.primal
    model.coef_ = model.coef_ + 0.1
    worse = certify_optimality(model, X, target)
    assert worse.primal - best <= worse.gap + 1e-12
    assert worse.kkt_residual > 1e-3
    assert "gap" in str(worse)
    if isinstance(model, LinearSVC):  # in the units of its own objective
        assert best == pytest.approx(model.report_.objective[-1], rel=1e-9)


@pytest.mark.course("S2-36")
def test_others_can_be_certified_too():
    theirs = sk.Ridge(alpha=3.0).fit(X, t)
    assert certify_optimality(theirs, X, t).gap < 1e-10
    with pytest.raises(DataError, match="must be a Ridge, Lasso"):
        certify_optimality(GaussianNB().fit(X, y), X, y)
