"""Tallies: what a dictionary counts, and moments that merge without loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from preparation.columns import frames

from corollary.core.column import Column
from corollary.core.errors import DataError
from corollary.core.table import table_of
from corollary.engine.statistics import fold
from corollary.preparation import tallies
from corollary.preparation.tallies import (
    Groups,
    Tally,
    Weights,
    check_size,
    labels_of,
    weights_of,
)


def key(value):
    return "missing" if value is None or value != value else value


@given(frame=frames(), seed=st.integers(0, 99), unit=st.booleans())
@settings(max_examples=150, deadline=None)
def test_weights_are_those_of_a_dictionary(frame, seed, unit):
    w = None if unit else np.random.default_rng(seed).random(len(frame))
    ones = np.ones(len(frame)) if w is None else w
    for column in table_of("test", frame).columns:
        labels, weight = weights_of(column, w, "test")
        assert list(map(repr, labels_of(column, "test"))) == list(map(repr, labels))
        found = {}
        for value, own in zip(column.array().tolist(), ones, strict=True):
            found[key(value)] = found.get(key(value), 0.0) + own
        assert list(map(key, labels.tolist())) == sorted(
            found, key=lambda v: (v == "missing", v if v != "missing" else 0)
        )
        wanted = [found[key(label)] for label in labels.tolist()]
        np.testing.assert_allclose(weight, wanted)


def test_merged_moments_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    n, k = 500, 7
    codes, w = rng.integers(-1, k, size=n), rng.integers(0, 3, size=n).astype(float)
    Y = rng.normal(size=(n, 2)) + 1e6  # raw sums of squares would lose ten digits
    parts = [slice(a, a + 60) for a in range(0, n, 60)]
    total = fold(Groups.of(codes[p], k, w[p], Y[p]) for p in parts)
    for c in range(k):
        rows = np.repeat(Y[codes == c], w[codes == c].astype(int), axis=0)
        assert total.weight[c] == len(rows)
        np.testing.assert_allclose(total.mean[c], rows.mean(axis=0), rtol=1e-14)
        squares = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
        np.testing.assert_allclose(total.squares[c], squares, rtol=1e-7)


def test_moments_of_classes_follow_from_counts():
    rng = np.random.default_rng(1)
    codes, y, w = rng.integers(4, size=90), rng.integers(3, size=90), rng.random(90)
    found = Groups.of_classes(codes, 4, w, y, 3)
    wanted = Groups.of(codes, 4, w, np.eye(3)[y])
    for mine, other in zip(vars(found).values(), vars(wanted).values(), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)


def test_tallies_of_other_types_merge():
    whole = Tally("test", "x", np.array([1, 3]), Weights(np.array([2.0, 1.0])))
    holes = Tally("test", "x", np.array([1.0, np.nan]), Weights(np.array([4.0, 5.0])))
    both = whole + holes
    assert both.labels.dtype == np.float64
    assert both.labels.tolist()[:2] == [1.0, 3.0]
    assert both.sums.weight.tolist() == [6.0, 1.0, 5.0]
    texts = Tally("test", "x", np.array(["a"], dtype=object), Weights(np.ones(1)))
    with pytest.raises(DataError, match=r"test: .*uniformly strings or numbers"):
        whole + texts


def test_a_column_of_too_many_values_is_named(monkeypatch):
    monkeypatch.setattr(tallies, "MOST", 3)
    text = r"Enc: the distinct values of column 'id' must be at most 3; got 4 or more"
    with pytest.raises(DataError, match=text):
        check_size("Enc", "'id'", np.arange(4))
    a = Tally("Enc", "'id'", np.arange(3))
    with pytest.raises(DataError, match=text):
        a + Tally("Enc", "'id'", np.arange(1, 4))


def test_an_empty_chunk_has_no_labels():
    assert len(labels_of(Column(np.array([], dtype=object)), "test")) == 0
    assert len(labels_of(Column(np.array([])), "test")) == 0
