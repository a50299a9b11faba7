"""Cross-fitting: the moments of the other folds, whatever the folds are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut

from corollary import TargetEncoder
from corollary.preparation.cross_fitting import HeldOut, all_but_one, folds_of
from corollary.preparation.tallies import Groups


def groups_of(y, w):
    return lambda rows, codes, k: Groups.of(
        codes, k, None if w is None else w[rows], y[rows][:, None]
    )


@given(
    n=st.integers(4, 40),
    folds=st.integers(2, 4),
    seed=st.integers(0, 99),
    w=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_merged_moments_are_those_of_the_rows_to_learn_from(n, folds, seed, w):
    rng = np.random.default_rng(seed)
    y, codes = rng.normal(size=n) + 1e6, rng.integers(-1, 3, size=n)
    w = rng.integers(0, 3, size=n).astype(float) if w else None
    parts = list(KFold(folds, shuffle=True, random_state=seed).split(y))
    held = HeldOut.of(parts, n)
    assert held.complements
    found = held.moments(groups_of(y, w), codes, 3)
    for f, (train, _) in enumerate(parts):
        wanted = groups_of(y, w)(train, codes[train], 3)
        mine = found[3 * f : 3 * f + 3]
        np.testing.assert_allclose(mine.weight, wanted.weight)
        np.testing.assert_allclose(mine.mean, wanted.mean, rtol=1e-12)
        np.testing.assert_allclose(mine.squares, wanted.squares, rtol=1e-4, atol=1e-7)


def test_a_far_value_that_is_held_out_leaves_no_trace():
    y = np.append(np.array([0.1, 0.2, 0.4, 0.3]), 1e12)
    parts = [(np.arange(4), [4]), ([0, 1, 4], [2, 3]), ([2, 3, 4], [0, 1])]
    found = HeldOut.of(parts, 5).moments(groups_of(y, None), np.zeros(5, int), 1)
    np.testing.assert_allclose(found.mean[0, 0], 0.25, rtol=1e-14)
    np.testing.assert_allclose(found.squares[0, 0], 0.05, rtol=1e-14)


def test_folds_that_learn_from_fewer_rows_are_taken_as_they_are():
    y, codes = np.arange(6.0), np.zeros(6, dtype=int)
    parts = [([0, 1], [4, 5]), ([4, 4, 5], [0, 1, 2, 3])]
    held = HeldOut.of(parts, 6)
    assert not held.complements
    found = held.moments(groups_of(y, None), codes, 1)
    assert found.weight.tolist() == [2.0, 3.0]
    np.testing.assert_allclose(found.mean[:, 0], [0.5, 13 / 3])


def test_as_many_folds_as_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(30, 1)), rng.normal(size=30)
    out = TargetEncoder(cv=LeaveOneOut(), smooth=0.0).fit_transform(X, y)
    for i in range(30):
        others = (X[:, 0] == X[i, 0]) & (np.arange(30) != i)
        np.testing.assert_allclose(out[i, 0], y[others].mean())


def test_all_but_one():
    one = [
        Groups(np.ones(1), np.array([[v]]), np.zeros((1, 1))) for v in (1.0, 2.0, 6.0)
    ]
    assert [part.mean[0, 0] for part in all_but_one(one)] == [4.0, 3.5, 1.5]
    assert [part.mean[0, 0] for part in all_but_one(one[:2])] == [2.0, 1.0]


def test_folds_are_drawn_anew_or_by_a_seed():
    model = TargetEncoder(cv=3, random_state=0)
    model.target_type_ = "continuous"
    y = np.arange(30.0)
    first = folds_of(model, y, 30, None, {})
    again = folds_of(model, y, 30, None, {})
    assert all((a[1] == b[1]).all() for a, b in zip(first, again, strict=True))
    model.shuffle = False
    plain = folds_of(model, y, 30, None, {})
    assert plain[0][1].tolist() == list(range(10))
    w = np.ones(30)
    w[:15] = 0
    kept = folds_of(model, y, 30, w, {})
    assert kept[0][1].tolist() == list(range(15, 20))
    model.cv = [(np.arange(15, 30), np.arange(15)), (np.arange(15), np.arange(15, 30))]
    assert [len(test) for _, test in folds_of(model, y, 30, w, {})] == [15, 15]


def test_folds_of_too_few_rows_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="TargetEncoder: "):
        TargetEncoder(cv=7).fit_transform([["a"], ["b"]], [0.5, 1.5])


@pytest.mark.parametrize("few", [3, 9])
def test_classes_of_fewer_rows_than_folds_are_dealt_out_together(few):
    y = np.repeat(
        ["many", "more", *[f"rare {j}" for j in range(few)]], [40, 50, *[2] * few]
    )
    X = np.random.default_rng(0).choice(["a", "b", "c"], size=(len(y), 1))
    with pytest.warns(UserWarning, match="a class has 2 rows, fewer than the 5 folds"):
        Z = TargetEncoder(random_state=0).fit_transform(X, y)
    assert Z.shape == (len(y), few + 2)
    assert np.isfinite(Z).all()
    encoder = TargetEncoder(random_state=0)
    encoder.target_type_ = "multiclass"
    with pytest.warns(UserWarning, match="TargetEncoder: a class has"):
        parts = folds_of(encoder, y, len(y), None, {})
    sizes = [np.unique(y[test], return_counts=True)[1].max() for _, test in parts]
    assert max(sizes) <= 11
