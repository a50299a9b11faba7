"""The divergence of two coins, its inverses, and the bound that they give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import rel_entr

from corollary.core.errors import DataError, ParameterError
from corollary.theory import binary_kl, chernoff_kl, kl_inverse

Q = st.floats(0, 1)
C = st.floats(1e-8, 5)


@given(Q, st.floats(1e-6, 1 - 1e-6))
def test_the_divergence_is_that_of_two_laws(q, p):
    expected = rel_entr(q, p) + rel_entr(1 - q, 1 - p)
    assert binary_kl(q, p) == pytest.approx(max(expected, 0), rel=1e-9, abs=1e-14)


def test_the_divergence_at_the_ends():
    assert binary_kl(0.0, 0.0) == binary_kl(1.0, 1.0) == 0.0
    assert binary_kl(0.5, 0.0) == binary_kl(0.5, 1.0) == binary_kl(0, 1) == np.inf
    assert binary_kl(0.0, 0.5) == pytest.approx(np.log(2))


@given(Q, C)
def test_inverses_solve_the_equation_on_their_side(q, c):
    up, down = kl_inverse(q, c), kl_inverse(q, c, side="lower")
    assert 0 <= down <= q + 1e-15
    assert q - 1e-15 <= up <= 1
    assert up - 1e-15 <= q + np.sqrt(c / 2)  # never above Hoeffding's
    if up < 1 - 1e-12:
        assert binary_kl(q, up) == pytest.approx(c, rel=1e-5, abs=1e-9)
    if 1e-12 < down:
        assert binary_kl(q, down) == pytest.approx(c, rel=1e-5, abs=1e-9)


def test_the_inverse_agrees_with_a_root_finder_and_broadcasts():
    q, c = np.array([[0.001], [0.1], [0.6]]), np.array([1e-4, 0.01, 1.0])
    found = kl_inverse(q, c)
    for i in range(3):
        for j in range(3):

            def over(p, q=q[i, 0], c=c[j]):
                return rel_entr(q, p) + rel_entr(1 - q, 1 - p) - c

            root = brentq(over, q[i, 0], 1 - 1e-16, xtol=1e-15)
            assert found[i, j] == pytest.approx(root, rel=1e-10)


@given(st.integers(1, 10**6), st.floats(0, 0.9), st.floats(1e-6, 0.5))
def test_the_calculator_goes_round(n, loss, delta):
    risk = chernoff_kl(n=n, loss=loss, delta=delta)
    if risk > 1 - 1e-9 or risk < loss * (1 + 1e-4):
        return
    assert chernoff_kl(n=n, loss=loss, risk=risk) == pytest.approx(delta, rel=1e-3)
    assert abs(chernoff_kl(loss=loss, delta=delta, risk=risk) - n) <= 1 + 1e-4 * n
    back = chernoff_kl(n=n, delta=delta * (1 + 1e-9), risk=risk)
    assert back == pytest.approx(loss, abs=1e-4)


@given(st.integers(1, 1000), st.floats(0, 1), st.floats(0.001, 0.9))
def test_the_risk_is_monotone(n, loss, delta):
    risk = chernoff_kl(n=n, loss=loss, delta=delta)
    assert chernoff_kl(n=n + 1, loss=loss, delta=delta) <= risk
    assert chernoff_kl(n=n, loss=loss, delta=delta + 0.05) <= risk
    assert chernoff_kl(n=n, loss=min(1, loss + 0.01), delta=delta) >= risk


@pytest.mark.parametrize(
    "given",
    [
        {"n": 10, "loss": 0.1},
        {"n": 10, "loss": 0.1, "delta": 0.1, "risk": 0.2},
        {"n": 0, "loss": 0.1, "delta": 0.1},
        {"n": 2.5, "loss": 0.1, "delta": 0.1},
        {"n": 10, "loss": 1.1, "delta": 0.1},
        {"n": 10, "loss": "text", "delta": 0.1},
        {"n": 10, "loss": np.nan, "delta": 0.1},
        {"n": 10, "loss": 0.1, "delta": 1.0},
        {"loss": 0.3, "delta": 0.1, "risk": 0.2},
        {"n": 10, "delta": 0.1, "risk": 0.01},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given):
    with pytest.raises((DataError, ParameterError), match=r"^chernoff_kl: .*; got"):
        chernoff_kl(**given)


def test_an_unknown_side_is_refused():
    with pytest.raises(ParameterError, match="side"):
        kl_inverse(0.1, 0.1, side="both")
