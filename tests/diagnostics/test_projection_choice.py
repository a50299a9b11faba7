"""Components or random columns: three kinds of data, three answers."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import PCA, DataError, ParameterError
from corollary.diagnostics import choose_projection, johnson_lindenstrauss_size


@pytest.mark.course("S2-85")
def test_rows_in_a_subspace_speak_for_components():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4)) @ rng.normal(size=(4, 60)) + 5.0
    found = choose_projection(X, n_components=4)
    assert found.advice == "components"
    assert found.variance_lost == pytest.approx(0, abs=1e-9)
    assert found.component_distortion < 1e-9  # recovered exactly
    assert found.random_distortion > 0.5
    assert found.components_for_95 <= 4
    again = PCA(4).fit(X)
    np.testing.assert_allclose(again.inverse_transform(again.transform(X)), X)


@pytest.mark.course("S2-85")
def test_many_columns_without_a_subspace_speak_for_chance():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(150, 500))
    found = choose_projection(X, n_components=30, epsilon=0.6)
    assert found.advice == "random"
    assert found.variance_lost > 0.5
    # chance is right on average, within about 2 sqrt(2 / p); components only shorten
    assert found.random_distortion == pytest.approx(2 * np.sqrt(2 / 30), rel=0.2)
    assert found.component_distortion > 0.5
    sparse = sp.random(150, 500, 0.02, "csr", rng=rng)
    told = choose_projection(sparse, n_components=30, epsilon=0.7)
    assert told.nonzero_share == pytest.approx(0.02, abs=0.001)
    assert told.advice == "random"
    assert "recovered" in told.why


@pytest.mark.course("S2-85")
def test_few_columns_without_a_subspace_are_left_alone():
    rng = np.random.default_rng(2)
    found = choose_projection(rng.normal(size=(300, 20)))
    assert found.advice == "neither"
    assert found.distances_size > 20
    assert "not below 20" in found.why


@pytest.mark.course("S2-85")
def test_the_promise_is_kept_at_the_size_that_it_names():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(20, 800))
    p = johnson_lindenstrauss_size(20, 0.5, delta=0.05)
    i, j = np.triu_indices(20, 1)
    D = ((X[i] - X[j]) ** 2).sum(axis=1)
    failed = 0
    for _ in range(30):
        R = X @ rng.normal(scale=1 / np.sqrt(p), size=(800, p))
        ratio = ((R[i] - R[j]) ** 2).sum(axis=1) / D
        failed += (np.abs(ratio - 1) > 0.5).any()
    assert failed <= 4  # 2 are allowed on average


def test_the_numbers_of_the_notes():
    assert johnson_lindenstrauss_size(100, 0.05) == 29474
    assert johnson_lindenstrauss_size(100, 0.05, improved=True) == 15245
    assert johnson_lindenstrauss_size(100, 0.05, delta=0.1) > 29474


def test_sparse_equals_dense_and_words():
    rng = np.random.default_rng(4)
    X = sp.random(40, 30, 0.3, "csr", rng=rng)
    a, b = choose_projection(X), choose_projection(X.toarray())
    assert a.variance_lost == pytest.approx(b.variance_lost)
    assert a.component_distortion == pytest.approx(b.component_distortion)
    assert "columns: components lose" in str(a)


def test_errors():
    with pytest.raises(DataError, match="at least 3 rows"):
        choose_projection(np.ones((2, 2)))
    with pytest.raises(ParameterError, match="n_components must be"):
        choose_projection(np.eye(5), n_components=9)
    with pytest.raises(ParameterError, match="epsilon must be"):
        choose_projection(np.eye(5), epsilon=2.0)
    with pytest.raises(ParameterError, match="n_rows must be"):
        johnson_lindenstrauss_size(1, 0.1)
