"""The optimal margin: by hand, by programme, by kernels; or a proof of none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import SVC
from corollary.core.errors import DataError
from corollary.linear.margins import margins, nearest_point_on_plane
from corollary.linear.separability import separability
from corollary.solvers.quadratic_programming import solve_qp
from corollary.svm.hard_margin import canonical_form, hard_margin

XOR = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])


def clouds(seed, n=30, apart=6.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + apart * y[:, None], y


@pytest.mark.course("S0-24", "S3-63", "S4-44", "S4-46", "S2-30")
@pytest.mark.parametrize("seed", range(4))
def test_the_programme_and_its_dual(seed):
    X, y = clouds(seed)
    s = 2.0 * y - 1
    found = hard_margin(X, y)
    rows = s[:, None] * np.column_stack([X, np.ones(len(X))])
    whole = solve_qp(np.diag([1.0, 1.0, 0.0]), np.zeros(3), None, None, -rows,
                     -np.ones(len(X)))  # fmt: skip
    np.testing.assert_allclose(
        np.append(found.coef, found.intercept), whole.x, rtol=1e-6
    )
    assert found.primal == pytest.approx(whole.value, rel=1e-7)
    assert found.dual == pytest.approx(found.primal, rel=1e-7)  # strong duality
    assert found.slackness < 1e-6
    assert found.violation < 1e-7
    assert found.margin == pytest.approx(
        margins(found.coef, found.intercept, X, y).smallest
    )
    # the nearest of both classes are as far, and b is the rule with a minimum in it
    f = X @ found.coef
    assert found.intercept == pytest.approx(-(f[y == 0].max() + f[y == 1].min()) / 2)
    d = np.abs(found.distances(X))
    assert d[y == 0].min() == pytest.approx(d[y == 1].min(), rel=1e-6)
    # rows that support nothing may go
    less = hard_margin(X[found.support], y[found.support])
    np.testing.assert_allclose(less.coef, found.coef, rtol=1e-6)
    assert (found.predict(X) == y).all()


@pytest.mark.course("S0-24", "S2-30", "S4-46")
def test_numbers_by_hand():
    found = hard_margin([[0.0], [2.0], [5.0]], [-1, 1, 1])
    np.testing.assert_allclose(found.coef, [1.0], rtol=1e-9)
    assert found.intercept == pytest.approx(-1.0)
    np.testing.assert_allclose(found.alpha, [0.5, 0.5, 0.0], atol=1e-9)
    assert (found.margin, found.width) == pytest.approx((1.0, 2.0))
    # exclusive or with (x'z + 1)^2: alpha = 1/8, 1/2 ||w||^2 = 1/4, margin sqrt 2
    xor = hard_margin(XOR, [0, 1, 1, 0], "poly", degree=2, coef0=1.0)
    np.testing.assert_allclose(xor.alpha, 0.125, rtol=1e-9)
    assert xor.primal == pytest.approx(0.25)
    assert xor.margin == pytest.approx(np.sqrt(2))
    np.testing.assert_allclose(xor.decision_function(XOR), [-1, 1, 1, -1], atol=1e-9)


@pytest.mark.course("S0-24", "S2-30", "S4-44")
def test_a_proof_where_nothing_separates():
    found = hard_margin(XOR, [0, 1, 1, 0])
    assert not found.separable
    assert "not separable" in str(found)
    u = found.weights
    assert u[[0, 3]].sum() == pytest.approx(1)
    assert u[[1, 2]].sum() == pytest.approx(1)
    np.testing.assert_allclose(
        u[[0, 3]] @ XOR[[0, 3]], u[[1, 2]] @ XOR[[1, 2]], atol=1e-7
    )


@pytest.mark.course("S0-24", "S2-30")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 6.0))
def test_the_verdict_is_that_of_the_linear_programme(seed, apart):
    X, y = clouds(seed, 14, apart)
    found, other = hard_margin(X, y), separability(X, y)
    assert found.separable == other.separable
    if found.separable:
        assert found.margin >= other.margin * (1 - 1e-7)


@pytest.mark.course("S2-30", "S3-63")
def test_soft_margins_harden():
    X, y = clouds(1, apart=4.5)
    hard = hard_margin(X, y)
    far = [
        np.abs(SVC(kernel="linear", C=C, tol=1e-9).fit(X, y).coef_ - hard.coef).max()
        for C in (0.01, 1e4)
    ]
    assert far[1] < 1e-5 < far[0]


@pytest.mark.course("S0-23")
def test_distances_feet_and_the_canonical_form():
    X, y = clouds(2)
    found = hard_margin(X, y)
    w, b = found.coef, found.intercept
    at = nearest_point_on_plane(w, b, X)
    np.testing.assert_allclose(at @ w + b, 0, atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(X - at, axis=1), np.abs(X @ w + b) / np.linalg.norm(w)
    )
    np.testing.assert_allclose(
        np.abs(found.distances(X)), np.linalg.norm(X - at, axis=1)
    )
    again = canonical_form(7 * w, 7 * b, X, y)
    np.testing.assert_allclose(again.w, w, rtol=1e-6)
    assert np.abs(X @ again.w + again.b).min() == pytest.approx(1)
    assert found.width == pytest.approx(2 / np.linalg.norm(w))
    with pytest.raises(DataError, match="must separate"):
        canonical_form([1.0, 0.0], 100.0, X, y)


def test_misuse():
    with pytest.raises(DataError, match="two classes"):
        hard_margin(XOR, [0, 1, 2, 0])
    with pytest.raises(DataError, match="one label for each row"):
        hard_margin(XOR, [0, 1])
