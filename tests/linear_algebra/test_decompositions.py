"""Decompositions: the same answers apart as in this thread."""

import numpy as np
import pytest

from corollary.linear_algebra import decompositions as d

A = np.random.default_rng(0).normal(size=(30, 30))
S = A @ A.T


@pytest.mark.parametrize("large", [0.0, np.inf])
def test_the_answers_are_those_of_lapack(large, monkeypatch):
    monkeypatch.setattr(d, "LARGE", large)
    values, U = d.eigh(S)
    np.testing.assert_allclose(U * values @ U.T, S, atol=1e-10)
    np.testing.assert_allclose(d.eigvalsh(S), values, atol=1e-10)
    np.testing.assert_allclose(d.svd(S, compute_uv=False), values[::-1], atol=1e-10)
    Q, R = d.qr(A)
    np.testing.assert_allclose(Q @ R, A, atol=1e-10)
    L, _ = d.cho_factor(S, lower=True)
    np.testing.assert_allclose(np.tril(L) @ np.tril(L).T, S, atol=1e-10)
    np.testing.assert_array_equal(d.product(A, S), A @ S)
    span = d.lu_range(A[:, :4])
    U = np.linalg.lstsq(span, A[:, :4])[0]
    np.testing.assert_allclose(span @ np.triu(U), A[:, :4], atol=1e-10)


def test_errors_arrive_as_they_are(monkeypatch):
    monkeypatch.setattr(d, "LARGE", 0.0)
    with pytest.raises(np.linalg.LinAlgError):
        d.cho_factor(-S)


@pytest.mark.parametrize("block", [1, 70, 10**6])
def test_a_copy_by_columns_is_whole(block, monkeypatch):
    monkeypatch.setattr(d, "BLOCK", block)
    copy = d.by_columns(A[:, :7].T, np.float32)
    np.testing.assert_array_equal(copy, A[:, :7].T.astype(np.float32))
    assert copy.flags.f_contiguous
    assert d.by_columns(np.empty((0, 0)), np.float64).shape == (0, 0)
