import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.distributions.covariance import diagnose


@pytest.mark.course("S2-2", "S3-17")
@given(st.integers(1, 8), st.integers(0, 8), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_rank_of_random_products(d, rank, seed):
    rank = min(rank, d)
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, rank)) * 10.0 ** rng.integers(-3, 4, (d, 1))
    found = diagnose(A @ A.T)
    assert found.rank == rank
    assert found.singular == (rank < d)
    assert len(found.constant) + len(found.dependent) == d - rank
    kept = [j for j in range(d) if j not in found.constant + found.dependent]
    assert np.linalg.matrix_rank(A[kept] / np.abs(A[kept]).max(initial=1)) <= rank


@pytest.mark.course("S3-17")
def test_words():
    assert str(diagnose(np.eye(3))) == "full rank 3"
    assert str(diagnose([1.0, 0.0])) == "rank 1 of 2, with constant features [1]"
    many = np.zeros((15, 15))
    assert str(diagnose(many)).endswith("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9] and more")
    assert diagnose([1e-30], [1e6]).constant == (0,)  # rounding about a large mean
