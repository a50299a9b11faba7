"""What a Newton step proves, from many rows of which every fourth is looked at."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import LogisticRegression, engine


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_some_of_many_rows_are_enough_for_a_bound(K, make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = (X @ rng.normal(size=(4, K)) + rng.gumbel(size=(6000, K))).argmax(axis=1)
    w = rng.integers(1, 3, size=6000).astype(float)
    short = LogisticRegression(C=100.0, tol=1e-3).fit(make(X), y, sample_weight=w)
    best = LogisticRegression(C=100.0, tol=1e-12).fit(X, y, sample_weight=w)
    truth = short.report_.objective[-1] - best.report_.objective[-1]
    assert short.report_.optimality.kind == "gap by a Newton step"
    assert truth <= short.report_.optimality.value <= 10 * truth
    with engine.use(chunk_rows=701):
        parts = LogisticRegression(C=100.0, tol=1e-3).fit(make(X), y, sample_weight=w)
    assert parts.report_.optimality.value == pytest.approx(
        short.report_.optimality.value, rel=1e-6
    )
