"""What leaving out one row can change."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import LeaveOneOut, cross_val_score

from corollary import SVC
from corollary.core.errors import DataError
from corollary.theory import leave_one_out_bound


def overlapping(seed, n=60, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 2)) + shift * np.c_[2 * y - 1, 0 * y], y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear", "C": 1.0},
        {"kernel": "rbf", "gamma": 0.5, "C": 2.0},
        {"kernel": "poly", "gamma": 1.0, "degree": 2, "coef0": 1.0},
    ],
)
def test_bounds_are_no_less_than_the_errors_of_refits(seed, parameters):
    X, y = overlapping(seed)
    model = SVC(**parameters, tol=1e-6)
    errors = 1 - cross_val_score(model, X, y, cv=LeaveOneOut()).mean()
    found = leave_one_out_bound(model.fit(X, y), X, y)
    assert found.support == len(model.support_) / 60
    assert errors <= found.support
    assert errors <= found.xi_alpha
    assert np.isnan(found.radius_margin)  # there is slack
    assert found.value == found.support


@pytest.mark.parametrize("seed", range(3))
def test_the_radius_and_the_margin_of_a_hard_machine(seed):
    X, y = overlapping(seed, 200, shift=6.0)
    model = SVC(kernel="linear", C=1e6, tol=1e-6)
    errors = 1 - cross_val_score(model, X, y, cv=LeaveOneOut()).mean()
    found = leave_one_out_bound(model.fit(X, y), X, y)
    Z = model.support_vectors_
    D2 = 4 * ((Z - Z.mean(axis=0)) ** 2).sum(axis=1).max()
    expected = D2 / model.margin_**2 / 200
    assert found.radius_margin == pytest.approx(expected, rel=1e-3)
    assert errors <= found.radius_margin
    assert "radius-margin" in str(found)


def test_matrices_and_sparse_rows_have_the_same_bounds():
    X, y = overlapping(5)
    plain = leave_one_out_bound(SVC(kernel="linear").fit(X, y), X, y)
    K = X @ X.T
    given = leave_one_out_bound(SVC(kernel="precomputed").fit(K, y), K, y)
    sparse = sp.csr_array(X)
    thin = leave_one_out_bound(SVC(kernel="linear").fit(sparse, y), sparse, y)
    for other in (given, thin):
        assert other.support == plain.support
        assert other.xi_alpha == pytest.approx(plain.xi_alpha)


def test_the_mean_of_the_bound_is_no_less_than_the_mean_risk():
    rng = np.random.default_rng(6)
    shares, risks = [], []
    Z = rng.normal(size=(20_000, 2))
    t = (Z[:, 0] + rng.normal(size=20_000)) > 0
    for _ in range(30):
        X = rng.normal(size=(40, 2))
        y = (X[:, 0] + rng.normal(size=40)) > 0
        model = SVC(kernel="linear").fit(X, y)
        shares.append(leave_one_out_bound(model, X, y).value)
        risks.append(np.mean(model.predict(Z) != t))
    assert np.mean(shares) >= np.mean(risks)


def test_what_makes_no_sense_is_refused_in_a_sentence():
    X, y = overlapping(7)
    model = SVC(kernel="linear").fit(X, y)
    three = SVC(kernel="linear").fit(X, np.arange(60) % 3)
    for call in (
        lambda: leave_one_out_bound("model", X, y),
        lambda: leave_one_out_bound(three, X, y),
        lambda: leave_one_out_bound(model, X[:5], y[:5]),
        lambda: leave_one_out_bound(model, X, np.full(60, "a")),
    ):
        with pytest.raises(DataError, match=r"^leave_one_out_bound: .*; got"):
            call()
