"""Log-sum-exp and softmax: right at every size, never NaN, never above 1."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from corollary import DataError, GaussianNB, LogisticRegression
from corollary.objectives.softmax import SoftmaxLoss, log_softmax, log_sum_exp, softmax

ROWS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e4, 1e4),
)


def exact(row):
    """Compute (log sum exp, softmax) with 60 digits and any exponent."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**6), 10**6
        powers = [Decimal(float(z)).exp() for z in row]
        total = sum(powers)
        return float(total.ln()), [float(p / total) for p in powers]


@pytest.mark.course("S3-75")
@given(ROWS)
@settings(deadline=None)
def test_equal_to_sixty_digits_of_arithmetic(Z):
    with np.errstate(all="raise", under="ignore"):
        ours, shares = log_sum_exp(Z), softmax(Z)
    for row, value, share in zip(Z, ours, shares, strict=True):
        true, true_share = exact(row)
        assert value == pytest.approx(
            true, rel=4e-16, abs=1e-15 * np.abs(row).max() + 1e-15
        )
        np.testing.assert_allclose(share, true_share, rtol=1e-12, atol=1e-300)


@pytest.mark.course("S3-75")
@given(ROWS)
@settings(deadline=None)
def test_softmax_is_a_distribution_and_its_log_is_the_difference(Z):
    P = softmax(Z)
    assert (P >= 0).all()
    assert (P <= 1).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-14)
    large = P > 1e-300
    logs = Z - log_sum_exp(Z)[:, None]
    np.testing.assert_allclose(np.log(P[large]), logs[large], atol=1e-11)
    np.testing.assert_allclose(log_softmax(Z), logs, rtol=1e-14, atol=1e-11)


@pytest.mark.course("S3-75")
@given(Z=ROWS, shift=st.integers(-(10**6), 10**6))
@settings(deadline=None)
def test_a_shift_moves_the_logarithm_and_not_the_shares(Z, shift):
    Z = np.round(Z)  # so that Z + shift is exact
    np.testing.assert_array_equal(softmax(Z + shift), softmax(Z))
    np.testing.assert_allclose(
        log_sum_exp(Z + shift), log_sum_exp(Z) + shift, atol=1e-9
    )


@given(Z=ROWS)
@settings(deadline=None)
def test_log_sum_exp_lies_between_the_largest_and_log_k_more(Z):
    value, largest = log_sum_exp(Z), Z.max(axis=1)
    assert (value >= largest).all()
    assert (value <= largest + np.log(Z.shape[1]) + 1e-12 * np.abs(largest)).all()


@pytest.mark.course("S3-75")
@pytest.mark.parametrize("value", [-1e300, -1e4, -745.2, 0.0, 710.0, 1e4, 1e300])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_equal_values_share_equally(value, k):
    Z = np.full((2, k), value)
    np.testing.assert_allclose(softmax(Z), 1 / k, rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp(Z), value + np.log(k), rtol=1e-15)


@pytest.mark.course("S3-75")
def test_extremes_win_or_vanish():
    Z = np.array([[1e4, -1e4], [1e4, 1e4 - 1], [-1e4, -1e4 - np.log(3)]])
    shares = [[1, 0], [1 / (1 + np.exp(-1)), 1 / (1 + np.e)], [0.75, 0.25]]
    np.testing.assert_allclose(softmax(Z), shares, rtol=1e-11)
    expected = [1e4, 1e4 + np.log1p(np.exp(-1)), -1e4 + np.log(4 / 3)]
    np.testing.assert_allclose(log_sum_exp(Z), expected, rtol=1e-15)


@pytest.mark.course("S3-75")
def test_impossible_classes_have_no_share():
    Z = np.array([[-np.inf, 0.0, 0.0], [-np.inf, -1e4, -np.inf]])
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_array_equal(softmax(Z), [[0, 0.5, 0.5], [0, 1, 0]])
        np.testing.assert_allclose(log_sum_exp(Z), [np.log(2), -1e4], rtol=1e-15)


@pytest.mark.course("S3-75")
def test_where_nothing_is_possible_the_sum_is_zero_and_nothing_is_preferred():
    Z = np.full((2, 4), -np.inf)
    np.testing.assert_array_equal(log_sum_exp(Z), -np.inf)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(softmax(Z), 0.25)
        np.testing.assert_allclose(log_softmax(Z), -np.log(4), rtol=1e-15)


def test_infinite_scores_share_all():
    Z = np.array([[np.inf, 1.0, np.inf], [0.0, np.inf, -np.inf]])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(softmax(Z), [[0.5, 0, 0.5], [0, 1, 0]])
        np.testing.assert_array_equal(np.exp(log_softmax(Z)).round(15), softmax(Z))
        np.testing.assert_array_equal(log_sum_exp(Z), np.inf)


def test_single_precision_stays_single():
    Z = np.array([[80.0, 90.0, 1e4]], dtype=np.float32)
    assert softmax(Z).dtype == np.float32
    np.testing.assert_array_equal(softmax(Z), [[0, 0, 1]])
    assert log_sum_exp(Z).dtype == np.float32


def test_lists_whole_numbers_and_single_rows():
    for function in (softmax, log_softmax, log_sum_exp):
        whole = function(np.array([[1.0, 2.0], [3.0, 5.0]]))
        np.testing.assert_array_equal(function([[1, 2], [3, 5]]), whole)
        np.testing.assert_array_equal(function([3, 5]), whole[1])
        with pytest.raises(DataError, match="at least one score"):
            function([])


def test_the_input_is_not_changed():
    Z = np.random.default_rng(0).normal(size=(5, 3))
    before = Z.copy()
    softmax(Z)
    log_sum_exp(Z)
    np.testing.assert_array_equal(Z, before)


# -- through the public classifiers ----------------------------------------------------
def trained(model, K):
    rng = np.random.default_rng(0)
    y = np.arange(90) % K
    return model.fit(rng.normal(size=(90, 2)) + 3 * y[:, None], y)


@pytest.mark.course("S3-75")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    "model", [GaussianNB(), LogisticRegression()], ids=lambda m: type(m).__name__
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_of_extreme_rows_are_finite_and_sum_to_1(model, K, dtype):
    model = trained(model, K)
    sizes = [0.0, 1.0, 1e2, 1e4, 1e8, 1e15, 1e18]
    sizes += [1e37, 1e144] if dtype == np.float64 else []
    X = np.array([[s * a, s * b] for s in sizes for a in (-1, 1) for b in (-1, 1)])
    X = X.astype(dtype)
    P, logs = model.predict_proba(X), model.predict_log_proba(X)
    assert np.isfinite(P).all()
    assert not np.isnan(logs).any()
    np.testing.assert_allclose(
        P.sum(axis=1), 1.0, rtol=1e-5 if dtype == np.float32 else 1e-12
    )
    assert ((P >= 0) & (P <= 1)).all()
    np.testing.assert_allclose(np.exp(logs), P, rtol=1e-4, atol=1e-30)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    beyond = np.full((1, 2), 1e155 if dtype == np.float64 else 1e20, dtype)
    with pytest.raises(DataError, match="Divide X by a power of ten"):
        model.predict_proba(beyond)


@pytest.mark.course("S3-75")
@given(size=st.floats(1, 1e12), angle=st.floats(0, 6.3))
@settings(max_examples=40, deadline=None)
def test_far_from_everything_a_prediction_is_still_a_distribution(size, angle):
    X = size * np.array([[np.cos(angle), np.sin(angle)]])
    for model in MODELS:
        P = model.predict_proba(X)
        assert np.isfinite(P).all()
        assert P.sum() == pytest.approx(1.0, rel=1e-12)


MODELS = [trained(GaussianNB(), 3), trained(LogisticRegression(), 3)]


@pytest.mark.course("S2-36")
def test_the_conjugate_of_the_loss_is_the_negative_entropy_of_a_law():
    loss, rng = SoftmaxLoss(), np.random.default_rng(0)
    Z, y = rng.normal(size=(12, 4)), rng.integers(0, 4, size=12)
    Q = rng.dirichlet(np.ones(4), size=12)
    V = Q - np.eye(4)[y]
    ours = loss.conjugate(y, V)
    np.testing.assert_allclose(ours, (Q * np.log(Q)).sum(axis=1), rtol=1e-12)
    for i in range(12):

        def lost(z, i=i):
            return float(loss.value(y[[i]], z[None])[0] - V[i] @ z)

        found = minimize(lost, np.zeros(4), options={"gtol": 1e-9})
        assert ours[i] == pytest.approx(-found.fun, abs=1e-7)
    P = softmax(Z)
    slope = loss.derivative(y, Z)
    np.testing.assert_allclose(slope, P - np.eye(4)[y], atol=1e-15)
    both = loss.value(y, Z) + loss.conjugate(y, slope)
    np.testing.assert_allclose(both, (slope * Z).sum(axis=1), atol=1e-12)
    H = loss.curvature(y, Z)
    step = 1e-6 * rng.normal(size=(12, 4))
    turn = loss.derivative(y, Z + step) - loss.derivative(y, Z - step)
    np.testing.assert_allclose((H @ step[:, :, None])[:, :, 0], turn / 2, atol=1e-14)
    outside = V.copy()
    outside[:, 0] += 0.1
    assert np.isinf(loss.conjugate(y, outside)).all()  # no law: it does not sum to 1
    outside[np.arange(12), (y + 1) % 4], outside[:, 0] = -0.2, 0.0
    assert np.isinf(loss.conjugate(y, outside)).all()
