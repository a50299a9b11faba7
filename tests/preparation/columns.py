"""Columns of every type for the encoders, drawn by hypothesis or made by hand."""

import numpy as np
import pandas as pd
import sklearn.preprocessing
from hypothesis import strategies as st

TEXTS = ["", "a", "b", "ab", "Ōsaka", "x" * 40, "nan", "None", "0"]
NUMBERS = [-3, 0, 1, 2, 7, 2**40]


def holes(values, missing):
    """Return a strategy of values of which some are missing."""
    return values if missing is None else values | st.just(missing)


def columns(n):
    """Return a strategy of series of n rows, of one type each."""
    texts, whole = st.sampled_from(TEXTS), st.sampled_from(NUMBERS)
    floats = st.sampled_from([-1.5, 0.0, 2.0, 1e9])
    kinds = [
        (holes(texts, None), object),
        (holes(texts, None), object),
        (holes(texts, np.nan), "str"),
        (holes(texts, np.nan), "category"),
        (whole, "int64"),
        (whole.filter(lambda v: abs(v) < 100), "int8"),
        (holes(floats, np.nan), "float64"),
        (holes(floats, np.nan), "float32"),
        (st.booleans(), "bool"),
        (holes(texts, np.nan), object),
        (st.sampled_from(TEXTS[:4]) | st.none(), object),
    ]
    return st.one_of(
        *(
            st.lists(values, min_size=n, max_size=n).map(
                lambda items, dtype=dtype: pd.Series(items, dtype=dtype)
            )
            for values, dtype in kinds
        )
    )


@st.composite
def frames(draw, most=25):
    """Return a strategy of data frames of mixed columns."""
    n = draw(st.integers(1, most))
    d = draw(st.integers(1, 4))
    return pd.DataFrame({f"c{j}": draw(columns(n)) for j in range(d)})


def theirs(model):
    """Return scikit-learn's estimator of the same name and parameters."""
    return getattr(sklearn.preprocessing, type(model).__name__)(**model.get_params())


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def assert_categories(ours, others):
    """Compare categories of each column, type and missing ones included."""
    assert len(ours) == len(others)
    for mine, other in zip(ours, others, strict=True):
        if mine is None or other is None:
            assert mine is other
            continue
        if not pd.isna(other).all():  # a type says nothing of what is missing
            assert mine.dtype == other.dtype
        assert list(map(repr, mine.tolist())) == list(map(repr, other.tolist()))
