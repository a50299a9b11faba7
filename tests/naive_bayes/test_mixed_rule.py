"""The exact error of the best rule on numbers and answers."""

import numpy as np
import pytest
from scipy.stats import norm

from corollary import MixedNB
from corollary.core.errors import ParameterError
from corollary.naive_bayes import mixed_error


@pytest.mark.course("S2-9")
def test_exact_error_has_the_worked_numbers():
    error = mixed_error(2.0, 0.7, 0.4, m=3)
    np.testing.assert_allclose(error, [0.127536, 0.128527, 0.128032], atol=5e-7)
    for delta in (0.5, 2.0, 3.0):  # answers that say nothing
        plain = mixed_error(delta, 0.3, 0.3, m=5)
        np.testing.assert_allclose(plain, norm.cdf(-delta / 2), rtol=1e-12)
    assert mixed_error(2.0, 0.3, 0.3, m=5).total == pytest.approx(0.158655, abs=5e-7)


@pytest.mark.course("S2-9")
def test_exact_error_of_equal_answers_is_that_of_any_answers():
    one = mixed_error(1.5, 0.8, 0.3, m=4, prior=0.3)
    many = mixed_error(1.5, [0.8] * 4, [0.3] * 4, prior=0.3)
    np.testing.assert_allclose(one, many, rtol=1e-12)


@pytest.mark.course("S2-9")
def test_exact_error_is_the_error_of_the_classifier():
    rng = np.random.default_rng(1)
    n, delta, prior = 400_000, 1.5, 0.35
    p, q = np.array([0.8, 0.3, 0.6]), np.array([0.4, 0.5, 0.1])
    y = (rng.random(n) < prior).astype(int)
    U = rng.normal(size=(n, 2)) + np.outer(y, [0.9, 1.2])  # ||mu_+ - mu_-|| = 1.5
    v = rng.random((n, 3)) < np.where(y[:, None] == 1, p, q)
    X = np.column_stack([U, v])
    model = MixedNB(binary=[2, 3, 4]).fit(X, y)
    wrong = model.predict(X) != y
    error = mixed_error(delta, p, q, prior=prior)
    for found, wanted, rows in (
        (wrong[y == 1].mean(), error.positive, (y == 1).sum()),
        (wrong[y == 0].mean(), error.negative, (y == 0).sum()),
        (wrong.mean(), error.total, n),
    ):
        assert abs(found - wanted) < 5 * np.sqrt(wanted / rows) + 1e-4
    # no other rule is better: the answers alone, or the numbers alone
    assert error.total < mixed_error(delta, 0.5, 0.5, m=1, prior=prior).total


def test_errors_of_mixed_error():
    for arguments, more in (
        ((0.0, 0.5, 0.5), {"m": 2}),
        ((1.0, 0.5, 0.5), {}),
        ((1.0, 0.0, 0.5), {"m": 2}),
        ((1.0, [0.5, 0.5], [0.5]), {}),
        ((1.0, [0.5] * 21, [0.5] * 21), {}),
        ((1.0, 0.5, 0.5), {"m": 2, "prior": 1.0}),
    ):
        with pytest.raises(ParameterError, match=r"mixed_error: .* must be .*; got "):
            mixed_error(*arguments, **more)
