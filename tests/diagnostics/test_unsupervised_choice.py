"""Four cells, and rows that say in which one they lie."""

import numpy as np
import pytest

import corollary
from corollary import DataError, ParameterError
from corollary.diagnostics import choose_unsupervised


def clumps(n=300, d=4, k=4, seed=0):
    rng = np.random.default_rng(seed)
    centres = 8 * rng.normal(size=(k, d))
    return centres[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def flat(n=300, d=20, p=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, d)) + 0.1 * rng.normal(
        size=(n, d)
    )


@pytest.mark.course("S4-1")
@pytest.mark.parametrize(
    ("structure", "purpose", "method"),
    [
        ("subspace", "density", "factor analysis"),
        ("subspace", "anomalies", "factor analysis"),
        ("subspace", "compression", "principal components"),
        ("subspace", "visualization", "principal components"),
        ("clusters", "density", "mixture of Gaussians"),
        ("clusters", "anomalies", "mixture of Gaussians"),
        ("clusters", "compression", "k-means"),
        ("clusters", "visualization", "k-means"),
    ],
)
def test_the_four_cells(structure, purpose, method):
    found = choose_unsupervised(purpose=purpose, structure=structure)
    assert found.method == method
    assert hasattr(corollary, found.estimator)
    assert method in str(found)


@pytest.mark.course("S4-1")
@pytest.mark.parametrize("seed", range(3))
def test_rows_tell_their_structure(seed):
    grouped = choose_unsupervised(clumps(seed=seed), purpose="density")
    assert grouped.method == "mixture of Gaussians"
    assert grouped.clumps > 0.3
    thin = choose_unsupervised(flat(seed=seed), purpose="compression")
    assert thin.method == "principal components"
    assert thin.subspace > 0.7
    assert thin.clumps < 0.2
    rng = np.random.default_rng(seed)
    plain = choose_unsupervised(rng.normal(size=(300, 6)), purpose="compression")
    assert max(plain.subspace, plain.clumps) < 0.2
    assert "may be no structure" in str(plain)


@pytest.mark.course("S4-1")
def test_a_subspace_works_with_fewer_rows_than_columns():
    found = choose_unsupervised(flat(15, 40), purpose="anomalies")
    assert found.method == "factor analysis"
    told = choose_unsupervised(flat(15, 40), purpose="density", structure="clusters")
    assert "cannot bear a covariance" in str(told)


def test_many_rows_and_constant_columns():
    X = np.column_stack([np.tile(clumps(), (8, 1)), np.ones(2400)])
    assert choose_unsupervised(X, purpose="compression").method == "k-means"


def test_errors():
    with pytest.raises(ParameterError, match="purpose must be"):
        choose_unsupervised(purpose="fun", structure="clusters")
    with pytest.raises(ParameterError, match="structure must be 'subspace'"):
        choose_unsupervised(purpose="density", structure="rings")
    with pytest.raises(ParameterError, match="must be given"):
        choose_unsupervised(purpose="density")
    with pytest.raises(DataError, match="at least 3 rows"):
        choose_unsupervised([[1.0]], purpose="density")
    with pytest.raises(DataError, match="must vary"):
        choose_unsupervised(np.ones((5, 2)), purpose="density")
