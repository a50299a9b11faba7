"""Infrequent categories: scikit-learn's choice, and where the others stand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

from corollary.preparation.infrequent import ends_with_nan, grouping, infrequent


@given(
    counts=st.lists(st.integers(1, 6), min_size=1, max_size=8),
    least=st.sampled_from([None, 2, 3, 6, 0.1, 0.3, 0.9]),
    most=st.sampled_from([None, 1, 2, 4, 9]),
)
def test_the_choice_is_that_of_scikit_learn(counts, least, most):
    if least is None and most is None:
        return
    values = np.repeat(np.arange(len(counts)), counts)[:, None]
    other = OneHotEncoder(min_frequency=least, max_categories=most).fit(values)
    wanted = other.infrequent_categories_[0]
    found = infrequent(np.array(counts, dtype=float), sum(counts), least, most)
    assert found.tolist() == ([] if wanted is None else wanted.tolist())


def test_the_infrequent_come_last_as_one():
    names = np.array(["a", "b", "c", "d"], dtype=object)
    group = grouping(names, names[[1, 3]])
    assert group.place.tolist() == [0, 2, 1, 2]
    assert group.width == 3
    assert group.names.tolist() == ["a", "c", "infrequent_sklearn"]
    alone = grouping(names, None)
    assert (alone.width, alone.names.tolist()) == (4, list("abcd"))


def test_nan_is_told_from_none():
    assert ends_with_nan(np.array(["a", np.nan], dtype=object))
    assert not ends_with_nan(np.array(["a", None], dtype=object))
    assert not ends_with_nan(np.array([], dtype=object))
