"""The textbook's guarantees, in numbers."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    boosting_oracle_bound,
    knn_oracle_bound,
    neighbor_excess,
    svm_oracle_bound,
    svr_oracle_bound,
)


@pytest.mark.course("S2-25")
@pytest.mark.parametrize(
    ("gamma", "base"), [(0.1, 0.99972), (0.25, 0.98706), (0.4, 0.86696)]
)
def test_boosting_with_the_bases_of_the_course(gamma, base):
    rest = 4 / gamma * 0.001 + np.sqrt(np.log(20) / 2e8)
    found = boosting_oracle_bound(10**8, gamma, 0.001, rounds=2)
    assert found.value - rest == pytest.approx(base, abs=5e-6)
    many = boosting_oracle_bound(10**8, gamma, 0.001, rounds=200)
    assert many.value - rest == pytest.approx(base**100, rel=1e-2)
    shared = boosting_oracle_bound(10**8, gamma, 0.001, share=0.05)
    assert shared.value == pytest.approx(0.05 + rest)


@pytest.mark.course("S2-25")
def test_machines():
    n, c, kappa, B, log = 5000, 2.0, 1.5, 3.0, np.log(100)
    tail = np.sqrt(log / (2 * n))
    found = svm_oracle_bound(n, 0.2, c, kappa, 0.01)
    expected = 0.2 + 4 * c * kappa / np.sqrt(n) + (1 + c * kappa) * tail
    assert found.value == pytest.approx(expected)
    excess = svr_oracle_bound(n, c, B, kappa, 0.01)
    expected = 8 * c * kappa / np.sqrt(n) + 8 * B * np.sqrt(2 * np.log(2) / n)
    assert excess.value == pytest.approx(expected + 2 * (B + c * kappa) * tail)
    assert excess.largest == B + c * kappa


@pytest.mark.course("S2-25")
def test_neighbours_need_rows_beyond_counting():
    n = neighbor_excess(epsilon=0.1, d=2, k=10)
    found = knn_oracle_bound(int(np.ceil(n)), 2, 10, 1.0)
    assert found.value == pytest.approx(0.1, rel=1e-6)
    noisy = knn_oracle_bound(int(np.ceil(n)), 2, 32, 1.0, 0.2)
    assert noisy.value > 1.5 * 0.2
    assert found.delta == 0


def test_neighbours_keep_the_promise():
    rng = np.random.default_rng(0)
    x = rng.random((4000, 1))
    eta = 0.5 + 0.4 * np.sin(6 * x[:, 0]) / 2.4  # 1-Lipschitz
    y = rng.random(4000) < eta
    model = KNeighborsClassifier(32).fit(x, y)
    z = np.linspace(0, 1, 2001)[:, None]
    said, at = model.predict(z), 0.5 + 0.4 * np.sin(6 * z[:, 0]) / 2.4
    risk = np.where(said, 1 - at, at).mean()
    bayes = np.minimum(at, 1 - at).mean()
    assert risk <= knn_oracle_bound(4000, 1, 32, 1.0, bayes).value


@pytest.mark.parametrize(
    "call",
    [
        lambda: boosting_oracle_bound(100, 0.2, 0.1),
        lambda: boosting_oracle_bound(100, 0.2, 0.1, share=0.1, rounds=3),
        lambda: boosting_oracle_bound(100, 0.5, 0.1, rounds=3),
        lambda: boosting_oracle_bound(100, 0.2, -0.1, rounds=3),
        lambda: svm_oracle_bound(0, 0.2, 1.0),
        lambda: svm_oracle_bound(10, -0.2, 1.0),
        lambda: svr_oracle_bound(10, 1.0, np.nan),
        lambda: knn_oracle_bound(10, 1, 5, 1.0),
        lambda: knn_oracle_bound(10, 0, 10, 1.0),
        lambda: knn_oracle_bound(10, 1, 10, 1.0, 0.7),
        lambda: neighbor_excess(epsilon=0.0, d=1, k=10),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call):
    with pytest.raises((DataError, ParameterError), match=r"^\w+: .*; got"):
        call()
