"""A draw depends on the seed and on the row's own values, and on nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.row_keys import row_key
from scipy import stats

from corollary.core.randomness import entropy, generator, row_keys

SEEDS = st.integers(0, 2**63 - 1)


def tables(dtype=np.float64, width=64):
    return hnp.arrays(
        dtype,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.sampled_from([0.0, -0.0, 1.0])
        | st.floats(allow_nan=False, allow_infinity=False, width=width),
    )


@given(X=tables(), seed=SEEDS)
@settings(deadline=None)
def test_keys_are_those_of_the_definition(X, seed):
    assert row_keys(X, seed).tolist() == [row_key(x, seed) for x in X]


@given(X=tables(), seed=SEEDS, cut=st.integers(0, 12), shuffle=st.randoms())
@settings(deadline=None)
def test_dense_sparse_chunked_and_reordered_rows_have_the_same_keys(
    X, seed, cut, shuffle
):
    keys = row_keys(X, seed)
    np.testing.assert_array_equal(row_keys(sp.csr_array(X), seed), keys)
    np.testing.assert_array_equal(row_keys(X + 0.0, seed), keys)  # -0.0 is 0.0
    parts = [row_keys(X[:cut], seed), row_keys(X[cut:], seed)]
    np.testing.assert_array_equal(np.concatenate(parts), keys)
    order = list(range(len(X)))
    shuffle.shuffle(order)
    np.testing.assert_array_equal(row_keys(X[order], seed), keys[order])


@given(X=tables(np.float32, 32), seed=SEEDS)
@settings(deadline=None)
def test_single_precision_has_the_key_of_its_value(X, seed):
    np.testing.assert_array_equal(row_keys(X, seed), row_keys(X.astype(float), seed))


@pytest.mark.parametrize("seed", [0, 1, 12345])
@pytest.mark.parametrize(
    "X",
    [
        np.arange(20000.0)[:, None],
        np.arange(20000.0)[:, None] * 1e-9,
        np.stack(np.unravel_index(np.arange(19683), (3,) * 9), 1).astype(float),
        np.random.default_rng(0).normal(size=(20000, 5)),
    ],
    ids=["counts", "tiny steps", "ternary grid", "normal"],
)
def test_keys_are_uniform(X, seed):
    u = row_keys(X, seed) / 2.0**64
    assert stats.kstest(u, "uniform").pvalue > 1e-4
    low = (row_keys(X, seed) & np.uint64(2**32 - 1)) / 2.0**32
    assert stats.kstest(low, "uniform").pvalue > 1e-4


def test_keys_of_neighbouring_rows_and_of_two_seeds_are_uncorrelated():
    X = np.arange(50000.0)[:, None]
    a, b = row_keys(X, 1) / 2.0**64, row_keys(X, 2) / 2.0**64
    limit = 4 / np.sqrt(len(X))
    assert abs(np.corrcoef(a, b)[0, 1]) < limit
    assert abs(np.corrcoef(a[1:], a[:-1])[0, 1]) < limit
    assert abs(np.corrcoef(a, X[:, 0])[0, 1]) < limit


def test_the_place_of_a_value_in_the_row_matters():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    assert len(np.unique(row_keys(X, 0))) == 5


def test_keys_are_independent_of_other_draws_of_the_seed():
    X = np.arange(20000.0)[:, None]
    keys = row_keys(X, 7)
    draws = generator(7, 0).random(len(X))
    np.testing.assert_array_equal(row_keys(X, 7), keys)  # drawing moved nothing
    assert abs(np.corrcoef(keys / 2.0**64, draws)[0, 1]) < 4 / np.sqrt(len(X))


def test_generators_depend_on_seed_and_purpose_alone():
    a = generator(3, 1).random(5)
    generator(3, 2).random(100)
    np.testing.assert_array_equal(generator(3, 1).random(5), a)
    others = [generator(3, 2), generator(4, 1), generator(3), generator(3, 1, 0)]
    assert all(not np.array_equal(other.random(5), a) for other in others)


def test_generators_of_two_purposes_are_uncorrelated():
    a, b = generator(0, 1).random(20000), generator(0, 2).random(20000)
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(20000)


def test_entropy_of_a_number_is_itself_and_of_none_is_fresh():
    assert entropy(5) == 5
    assert entropy(np.int64(2**32 - 1)) == 2**32 - 1
    fresh = {entropy(None) for _ in range(50)}
    assert len(fresh) == 50
    assert all(0 <= seed < 2**63 for seed in fresh)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_entropy_of_a_generator_moves_it_once(make):
    a, b = make(0), make(0)
    first, second = entropy(a), entropy(a)
    assert first != second
    assert [entropy(b), entropy(b)] == [first, second]
