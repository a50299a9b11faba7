"""Copies among columns: variance inflation factors are those of statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.outliers_influence import variance_inflation_factor

from corollary.diagnostics.coded_matrix import coded_matrix
from corollary.diagnostics.judge_collinear import copied_columns, inflation


def test_factors_are_those_of_statsmodels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4))
    Z = np.column_stack([np.ones(200), X])
    oracle = [variance_inflation_factor(Z, j) for j in range(1, 5)]
    np.testing.assert_allclose(inflation(np.corrcoef(X.T)), oracle, rtol=1e-4)


def test_one_of_each_set_of_copies_is_dropped():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    copies = np.column_stack([X, 2 * X[:, 0], X[:, 1] - X[:, 2]])
    largest, dropped = copied_columns(coded_matrix("test", copies))
    assert largest > 1e8
    assert len(dropped) == 2
    kept = np.delete(copies, dropped, axis=1)
    assert np.linalg.matrix_rank(kept) == 3


def test_related_columns_are_no_copies():
    rng = np.random.default_rng(2)
    common = rng.normal(size=(300, 1))
    X = common + 0.5 * rng.normal(size=(300, 4))  # correlations of 0.8
    largest, dropped = copied_columns(coded_matrix("test", X))
    assert dropped == []
    assert largest == pytest.approx(4.2, rel=0.3)
