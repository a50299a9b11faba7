"""Moments of rows and of tables, against NumPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary.core.errors import DataError
from corollary.distributions import JointTable, sample_moments


def rows(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5, rng.integers(0, 4, n)


@pytest.mark.course("S0-63")
@pytest.mark.parametrize("dress", [np.asarray, sp.csr_array, list])
def test_moments_of_weighted_rows_are_those_of_numpy(dress):
    X, w = rows()
    m = sample_moments(dress(X), w, ddof=1)
    many = np.repeat(X, w, axis=0)
    np.testing.assert_allclose(m.mean, many.mean(axis=0))
    np.testing.assert_allclose(m.variance, many.var(axis=0, ddof=1))
    np.testing.assert_allclose(m.covariance, np.cov(many.T))
    np.testing.assert_allclose(m.correlation, np.corrcoef(many.T))
    assert m.n == len(many)


@pytest.mark.course("S0-63")
def test_moments_of_chunks_merge_into_those_of_all_rows():
    X, _ = rows()
    whole = sample_moments(X)
    chunks = sample_moments(iter(np.array_split(X, 7)))
    halves = sample_moments(X[:10]) + sample_moments(X[10:])
    for merged in (chunks, halves):
        assert merged.n == len(X)
        np.testing.assert_allclose(merged.mean, whole.mean)
        np.testing.assert_allclose(merged.covariance, whole.covariance)
    assert f"x0           mean {X[:, 0].mean():.6g}" in str(whole)


@pytest.mark.course("S0-63")
def test_moments_of_a_joint_table_are_those_of_its_definition():
    rng = np.random.default_rng(1)
    levels = [-1.0, 0.5, 4.0], [10, 20], [0, 1, 5, 7]
    P = rng.dirichlet(np.ones(24)).reshape(3, 2, 4)
    table = JointTable(P, ("a", "b", "c"), levels)
    m = table.moments()
    mean = [
        sum(table.marginal(name).P * values)
        for name, values in zip("abc", levels, strict=True)
    ]
    np.testing.assert_allclose(m.mean, mean)
    for i, a in enumerate("abc"):
        for j, b in enumerate("abc"):
            expected = -mean[i] * mean[j]
            for u in levels[i]:
                for v in levels[j]:
                    if i != j:
                        expected += u * v * table.at(**{a: u, b: v})
                    elif u == v:
                        expected += u * u * table.at(**{a: u})
            np.testing.assert_allclose(m.covariance[i, j], expected, atol=1e-12)
    assert m.names == ("a", "b", "c")
    np.testing.assert_allclose(m.variance, np.diagonal(m.covariance))


@pytest.mark.course("S0-63")
def test_a_table_counted_from_rows_has_the_moments_of_the_rows():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, size=(50, 2)) ** 2
    w = rng.integers(1, 5, 50)
    table, sample = JointTable.from_columns(X.T, w=w), sample_moments(X, w)
    np.testing.assert_allclose(table.moments().mean, sample.mean)
    np.testing.assert_allclose(table.moments().covariance, sample.covariance)
    assert np.abs(table.independent().moments().covariance[0, 1]) < 1e-12
    # uncorrelated and yet dependent: (-1, 1), (0, 0), (1, 1)
    bent = JointTable.from_columns([[-1, 0, 1], [1, 0, 1]])
    assert np.abs(bent.moments().correlation[0, 1]) < 1e-12
    assert not bent.independence().exact


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_moments([[1.0, np.nan]]), "X must be"),
        (lambda: sample_moments(np.empty((0, 2))), "at least one row"),
        (lambda: sample_moments(iter([])), "at least one chunk"),
        (lambda: sample_moments(iter([[1.0]]), [1.0]), "iterator"),
        (lambda: sample_moments([[1.0]], [0.0]), "above 0"),
        (lambda: sample_moments([[1.0]], [-1.0]), "sample_weight"),
        (lambda: sample_moments([[1.0]], ddof=1).covariance, "above ddof = 1"),
        (lambda: sample_moments([[1.0]]) + sample_moments([[1.0, 2.0]]), "1 columns"),
        (lambda: JointTable([1.0], levels=[["a"]]).moments(), "levels must hold"),
    ],
)
def test_bad_input_gets_one_sentence(call, message):
    with pytest.raises(DataError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_constant_column_has_no_correlation():
    assert np.isnan(sample_moments([[1.0, 2.0], [1.0, 3.0]]).correlation[0]).all()
