import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import LogisticRegression
from corollary.core.errors import DataError
from corollary.discriminants.intercept import best_intercept


def errors(h, y, w, b):
    return float(w[(h + b > 0) != y].sum() / w.sum())


scores = st.integers(-4, 4)


@pytest.mark.course("S2-11")
@given(
    st.lists(st.tuples(scores, st.booleans(), st.integers(1, 3)), min_size=2).filter(
        lambda rows: len({y for _, y, _ in rows}) == 2
    )
)
def test_no_other_intercept_makes_fewer_errors(rows):
    h, y, w = (np.array(column) for column in zip(*rows, strict=True))
    h = h.astype(float)
    best = best_intercept(h, y, w)
    assert errors(h, y, w, best.b) == best.error
    # a step function with jumps at -h has one piece more than it has jumps
    grid = np.arange(-5, 5.01, 0.25)
    assert best.error == min(errors(h, y, w, b) for b in grid)
    assert best.low <= best.b <= best.high


@pytest.mark.course("S2-11")
def test_all_rows_on_one_side_may_be_best():
    # the piece beyond the last jump: n jumps make n + 1 pieces
    best = best_intercept([1.0, 2.0, 3.0], [1, 0, 0])
    assert best.error == 1 / 3
    assert best.b < -3
    best = best_intercept([3.0, 2.0, 1.0], [0, 1, 1])
    assert best.error == 1 / 3
    assert best.b > -1


@pytest.mark.course("S2-11")
def test_any_score_will_do():
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(300, 2))
    y = (X.sum(axis=1) + rng.normal(size=300) > 3).astype(int)
    model = LogisticRegression().fit(X, y)
    best = best_intercept(X @ model.coef_[0], y)
    assert best.error <= 1 - model.score(X, y)


def test_bad_input():
    for arguments, message in (
        (([1.0], [0, 1]), "vectors of the same length"),
        (([1.0, 2.0], [0, 0]), "y must have two labels; got 1"),
        (([1.0, np.nan], [0, 1]), "scores must be finite"),
        (([1.0, 2.0], [0, 1], [-1, 1]), "sample_weight must be >= 0"),
    ):
        with pytest.raises(DataError, match=message):
            best_intercept(*arguments)
