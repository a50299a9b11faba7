"""No index of a sparse matrix is followed before it was checked."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from common.sparse_faults import FAULTS, WRONG, matrix, other_formats

from corollary.core.errors import DataError
from corollary.core.sparse import canonical, sound_csr

FORM = re.compile(r"^\w+: [^\n]+; got [^\n]+\.( [A-Z][^\n]*\.)?$")


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_a_fault_is_told_or_harmless(name, make, wide):
    X = make(matrix())
    want = X.toarray()
    X.indices, X.indptr = X.indices.astype(wide), X.indptr.astype(wide)
    FAULTS[name](X)
    if name not in WRONG:
        found = canonical("Who", X)
        np.testing.assert_array_equal(found.toarray(), want)
        assert found.has_canonical_format
        assert found.indices.dtype == found.indptr.dtype == np.int32
        return
    with pytest.raises(DataError) as caught:
        canonical("Who", X)
    assert FORM.match(str(caught.value)), caught.value


@pytest.mark.parametrize("name", other_formats())
def test_a_fault_of_another_format_is_told_before_scipy_follows_it(name):
    with pytest.raises(DataError) as caught:
        sound_csr("Who", other_formats()[name]())
    assert FORM.match(str(caught.value)), caught.value


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
def test_every_format_is_read(kind):
    X = matrix()
    np.testing.assert_array_equal(
        sound_csr("Who", X.asformat(kind)).toarray(), X.todense()
    )
    empty = sp.csr_array((3, 4)).asformat(kind)
    np.testing.assert_array_equal(sound_csr("Who", empty).toarray(), np.zeros((3, 4)))


def test_duplicates_are_summed_in_a_copy():
    X = sp.csr_array(([1.0, 2.0, 5.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    np.testing.assert_array_equal(canonical("Who", X).toarray(), [[0, 3], [5, 0]])
    assert X.nnz == 3
    assert X.indices.tolist() == [1, 1, 0]


def test_sound_indices_are_not_copied():
    X = matrix()
    assert np.shares_memory(canonical("Who", X).indices, X.indices)
    assert np.shares_memory(canonical("Who", X).data, X.data)


def test_more_columns_than_the_loops_can_count_are_refused():
    X = sp.csr_array(([1.0], [2**31], [0, 1]), shape=(1, 2**31 + 5))
    with pytest.raises(DataError, match="fewer than 2147483648 columns"):
        canonical("Who", X)


def test_threads_agree_on_where_a_fault_is():
    from corollary import config_context

    X = sp.random_array((20_000, 50), density=0.2, rng=0, format="csr")
    X.indices[-1] = 50
    for threads in (1, 2, 3):
        with config_context(threads=threads), pytest.raises(DataError, match="got 50"):
            canonical("Who", X)
