"""Kernels of texts against sums over all subsequences."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.kernels import Spectrum, Subsequence, letters

TEXTS = st.lists(st.text("abc", max_size=7), min_size=1, max_size=4)


def features(text, k, decay):
    """Return the weight of every subsequence of k letters, place by place."""
    found = Counter()
    for places in itertools.combinations(range(len(text)), k):
        u = "".join(text[i] for i in places)
        found[u] += decay ** (places[-1] - places[0] + 1)
    return found


def product(a, b):
    return sum(value * b[u] for u, value in a.items())


@pytest.mark.course("S4-14")
@given(TEXTS, TEXTS, st.integers(1, 4), st.floats(0.1, 1.0))
@settings(max_examples=60, deadline=None)
def test_the_table_is_the_sum_over_all_subsequences(X, Z, k, decay):
    K = Subsequence(k, decay)(X, Z)
    by_hand = [
        [product(features(x, k, decay), features(z, k, decay)) for z in Z] for x in X
    ]
    np.testing.assert_allclose(K, by_hand, rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(
        Subsequence(k, decay).diagonal(X), np.diagonal(Subsequence(k, decay)(X))
    )


@pytest.mark.course("S4-14")
@given(TEXTS, TEXTS, st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_the_spectrum_counts_grams(X, Z, k):
    def counts(x):
        return Counter(x[i : i + k] for i in range(len(x) - k + 1))

    by_hand = [[product(counts(x), counts(z)) for z in Z] for x in X]
    np.testing.assert_array_equal(Spectrum(k)(X, Z), by_hand)
    np.testing.assert_array_equal(Spectrum(k).diagonal(X), np.diagonal(Spectrum(k)(X)))


@pytest.mark.course("S4-14")
def test_lodhis_example():
    """cat and car share c-a: lambda^4 / (2 lambda^4 + lambda^6) once normalised."""
    decay = 0.6
    k = Subsequence(2, decay)
    np.testing.assert_allclose(k(["cat"], ["car"]), decay**4, rtol=1e-14)
    np.testing.assert_allclose(k.diagonal(["cat"]), 2 * decay**4 + decay**6, rtol=1e-14)
    np.testing.assert_allclose(
        k.normalized()(["cat"], ["car"]), 1 / (2 + decay**2), rtol=1e-14
    )


def test_rows_of_letters_are_the_texts():
    texts = ["naïve", "", "na", "vein"]
    for kernel in (Spectrum(2), Subsequence(2)):
        np.testing.assert_array_equal(kernel(letters(texts, 9)), kernel(texts))
        np.testing.assert_array_equal(kernel(np.array(texts)), kernel(texts))


def test_small_tables_do_not_change_the_answer(monkeypatch):
    texts = ["abcabc", "bca", "cab", "aabbcc"]
    whole = Subsequence(3)(texts)
    monkeypatch.setattr("corollary.kernels.strings.TABLE_BYTES", 1)
    np.testing.assert_array_equal(Subsequence(3)(texts), whole)
