import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.core.vectors import (
    non_negative,
    numbers,
    positive,
    positive_vectors,
    probabilities,
    rows_of,
    whole,
)


def test_good_values_come_back_as_doubles():
    assert numbers("who", [1, 2], "x").dtype == np.float64
    assert whole("who", [0, 3], "x").tolist() == [0.0, 3.0]
    assert probabilities("who", [0.1] * 10).sum() == pytest.approx(1)
    pair = positive_vectors("who", a=2, b=[1, 3])
    assert {name: x.tolist() for name, x in pair.items()} == {"a": [2, 2], "b": [1, 3]}
    given = np.array([1.0, 2.0])
    numbers("who", given, "x")[0] = 9
    assert given[0] == 1.0  # a copy


@pytest.mark.parametrize(
    ("X", "d", "shape"),
    [
        ([1, 2, 3], None, (3, 1)),
        ([1, 2, 3], 1, (3, 1)),
        ([1, 2, 3], 3, (1, 3)),
        (5.0, 1, (1, 1)),
        ([[1, 2]], 2, (1, 2)),
        ([[np.inf]], 1, (1, 1)),
    ],
)
def test_vectors_become_rows(X, d, shape):
    assert rows_of("who", X, d).shape == shape


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: numbers("A", ["x"], "p"), DataError, "A: p must hold numbers"),
        (lambda: numbers("A", [np.inf], "p"), DataError, "p must be finite; got inf."),
        (lambda: non_negative("A", [-1], "p"), DataError, "p must be >= 0; got -1."),
        (lambda: positive("A", [0], "p"), ParameterError, "p must be > 0; got 0."),
        (
            lambda: positive_vectors("A", a=[1, 2], b=[1, 2, 3]),
            ParameterError,
            "a and b must have one length; got 2 and 3.",
        ),
        (
            lambda: probabilities("A", [0.5, 0.4]),
            DataError,
            "must add up to 1; got 0.9. Divide by their sum.",
        ),
        (lambda: probabilities("A", []), DataError, "must add up to 1; got 0."),
        (lambda: whole("A", [0.5], "p"), DataError, "p must be whole numbers; got 0.5"),
        (lambda: rows_of("A", [[1, 2]], 3), DataError, "rows of 3 columns; got shape"),
        (lambda: rows_of("A", np.zeros((2, 2, 2))), DataError, "of some columns"),
        (lambda: rows_of("A", [[1, np.nan]]), DataError, "NaN in row 0, column 1"),
        (lambda: rows_of("A", ["x" * 99]), DataError, r"X must hold numbers.*\.\.\."),
    ],
)
def test_bad_values_get_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
