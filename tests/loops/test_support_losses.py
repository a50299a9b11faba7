"""A pass over the losses of a linear machine against a few lines of NumPy."""

import numpy as np
import pytest

KINDS = [(-1.0, 0.0), (0.0, 0.0), (0.3, 0.0), (-1.0, 0.5), (0.0, 0.2), (0.3, 0.7)]


def slopes(q, r, eps, delta, a):
    """Return p, and where it is inside its bounds."""
    u = np.maximum(q * r if eps < 0 else np.abs(r) - eps, 0)
    if delta == 0:
        return u, 2 * u * np.sign(r), u > 0
    lo, hi = (np.minimum(q, 0), np.maximum(q, 0)) if eps < 0 else (-1.0, 1.0)
    z = a + r / delta
    z = np.sign(z) * np.maximum(np.abs(z) - max(eps, 0) / delta, 0)
    p = np.clip(z, lo, hi)
    return u, p, (p == z) & (p != 0)


def drawn(rng, rows, n, eps):
    X, args = rows(n, 7)
    q = rng.choice([-1.0, 1.0], n) if eps < 0 else rng.normal(size=n)
    C, coef = rng.random(n) + 0.1, rng.normal(size=7)
    a = rng.uniform(-0.2, 0.2, n)
    f = (X @ coef.astype(X.dtype)).astype(float) + 0.2
    return X.astype(float), args, q, C, coef, a, q - f


@pytest.mark.parametrize(("eps", "delta"), KINDS)
@pytest.mark.parametrize("n", [1, 37, 1500])
@pytest.mark.parametrize("B", [0.0, 2.0])
def test_sums(eps, delta, n, B, rows, loop, rng, dtype):
    X, args, q, C, coef, a, r = drawn(rng, rows, n, eps)
    u, p, inside = slopes(q, r, eps, delta, a)
    loss, width = C * (u if delta else u**2), max(eps, 0)
    far = p if not delta else p - a
    pull = C * p
    expected = (
        loss.sum(),
        (loss - (pull * r - width * np.abs(pull))).sum(),
        C @ far**2,
        pull @ q - width * np.abs(pull).sum(),
        pull.sum(),
    )
    v, h, H = np.ones(7), np.empty(n), np.zeros((7 + (B > 0),) * 2)
    guess = a if delta else None
    found = loop("support_losses")(
        *args, q, C, eps, delta, guess, coef, 0.2, B, v, h, H
    )
    rtol = 1e-12 if dtype == np.float64 else 5e-5
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * n)
    np.testing.assert_allclose(v, 1 + pull @ X, rtol=rtol, atol=rtol * n)
    if dtype == np.float64:
        want = np.where(inside, C * (1 / delta if delta else 2), 0)
        np.testing.assert_allclose(h, want, rtol=1e-15)
    Z = np.hstack([X, np.full((n, 1), B)]) if B else X
    np.testing.assert_allclose(H, (Z.T * h) @ Z, rtol=1e-10, atol=1e-10)
    plain = loop("support_losses")(
        *args, q, C, eps, delta, guess, coef, 0.2, B, v, None, None
    )
    assert plain == found


@pytest.mark.parametrize(("eps", "delta"), KINDS)
def test_slopes_along_a_step(eps, delta, rows, loop, rng, dtype):
    X, args, q, C, coef, a, r = drawn(rng, rows, 300, eps)
    step, lengths = rng.normal(size=7), np.array([1.0, 0.5, 0.0])
    s = (X @ step.astype(dtype)).astype(float) + 0.1
    want = [
        -(C * s) @ slopes(q, r - t * s, eps, delta, a if delta else 0)[1]
        for t in lengths
    ]
    found, guess = np.zeros(3), a if delta else None
    loop("support_slopes")(
        *args, q, C, eps, delta, guess, coef, 0.2, step, 0.1, lengths, found
    )
    rtol = 1e-11 if dtype == np.float64 else 2e-4
    np.testing.assert_allclose(found, want, rtol=rtol, atol=100 * rtol)
