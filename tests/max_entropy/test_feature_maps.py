"""The default features, computed without being written out, against a function's."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary.max_entropy.feature_maps import ClassTimesX, Given

K, D = 3, 4
CLASSES = np.arange(K)


def write_out(X, label):
    rows = np.column_stack([np.asarray(X.toarray() if sp.issparse(X) else X), np.ones(X.shape[0])])  # noqa: E501  # fmt: skip
    F = np.zeros((X.shape[0], K, D + 1))
    F[:, label, :] = rows
    return F.reshape(X.shape[0], -1)


@pytest.fixture(params=["dense", "sparse"])
def maps(request):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, D)) < 0.3, 0.0, rng.normal(size=(30, D)))
    X[:, 1] = np.abs(X[:, 1])
    A, w = rng.dirichlet(np.ones(K), size=30), rng.uniform(size=30)
    rows = sp.csr_array(X) if request.param == "sparse" else X
    return ClassTimesX(K, D), Given(write_out, CLASSES).seen(rows), rows, A, w


def test_everything_is_the_same(maps):
    quick, slow, X, A, w = maps
    assert quick.m == slow.m == K * (D + 1)
    mu = np.random.default_rng(1).normal(size=quick.m)
    np.testing.assert_allclose(quick.tensor(X), slow.tensor(X))
    np.testing.assert_allclose(quick.scores(X, mu), slow.scores(X, mu), atol=1e-12)
    np.testing.assert_allclose(quick.totals(X, A), slow.totals(X, A), atol=1e-12)
    np.testing.assert_allclose(quick.squares(X, A), slow.squares(X, A), atol=1e-12)
    np.testing.assert_allclose(
        quick.covariance(X, A, w), slow.covariance(X, A, w), atol=1e-12
    )
    for ours, theirs in zip(quick.ranges(X), slow.ranges(X), strict=True):
        np.testing.assert_allclose(ours, theirs)
    floor, top = quick.floors(X, w)
    np.testing.assert_allclose(floor, slow.floors(X, w)[0], atol=1e-12)
    np.testing.assert_allclose(top, slow.floors(X, w)[1])


def test_blocks_of_rows_do_not_matter(maps, monkeypatch):
    _, slow, X, A, w = maps
    whole = slow.totals(X, A), slow.covariance(X, A, w), slow.floors(X, w)
    monkeypatch.setattr("corollary.max_entropy.feature_maps.ENTRIES", 100)
    np.testing.assert_allclose(slow.totals(X, A), whole[0], atol=1e-12)
    np.testing.assert_allclose(slow.covariance(X, A, w), whole[1], atol=1e-12)
    np.testing.assert_allclose(slow.floors(X, w)[0], whole[2][0], atol=1e-12)


def test_centring_keeps_the_law(maps):
    quick, _, X, _, _ = maps
    mu = np.random.default_rng(2).normal(size=quick.m)
    before, after = (quick.scores(X, m) for m in (mu, quick.centred(mu)))
    shift = before - after
    np.testing.assert_allclose(shift, np.repeat(shift[:, :1], K, axis=1), atol=1e-12)
    assert np.linalg.norm(quick.centred(mu)) < np.linalg.norm(mu)
