import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics.gradient_check import check_gradient
from corollary.objectives.losses import Hinge
from corollary.objectives.multiclass_hinge import (
    MulticlassHinge,
    multiclass_hinge,
    multiclass_hinge_gradient,
)

FORMS = ["sum", "largest"]
scores = st.lists(st.floats(-5, 5), min_size=4, max_size=4)


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("form", FORMS)
def test_the_worked_numbers(form):
    s = np.array([[13.0, -7.0, 11.0]])
    assert multiclass_hinge(s, [0], delta=10, form=form).tolist() == [8.0]
    assert multiclass_hinge(s, [0], form=form).tolist() == [0.0]
    assert multiclass_hinge(s, [1], form=form)[0] == {"sum": 40, "largest": 21}[form]


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("form", FORMS)
@given(s=scores, y=st.integers(0, 3), k=st.floats(1, 9))
@settings(max_examples=60, deadline=None)
def test_a_loss_of_zero_stays_zero_for_larger_scores_only(form, s, y, k):
    s = np.array([s])
    loss = multiclass_hinge(s, [y], form=form)
    if loss[0] == 0:
        assert multiclass_hinge(k * s, [y], form=form)[0] <= 1e-12
    assert loss[0] >= (s[0].argmax() != y)
    assert multiclass_hinge(s, [y])[0] >= multiclass_hinge(s, [y], form="largest")[0]


@pytest.mark.course("S3-70")
def test_smaller_scores_need_not_keep_it():
    s = np.array([[2.0, 0.5]])
    assert multiclass_hinge(s, [0])[0] == 0
    assert multiclass_hinge(0.5 * s, [0])[0] == 0.25


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("form", FORMS)
def test_two_classes_are_the_binary_hinge(form):
    s = np.random.default_rng(0).normal(size=(50, 2))
    y = np.arange(50) % 2
    binary = Hinge().value(2.0 * y - 1, s[:, 1] - s[:, 0])
    np.testing.assert_allclose(multiclass_hinge(s, y, form=form), binary, atol=1e-15)


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("form", FORMS)
def test_the_gradient_is_checked_corners_and_all(form):
    rng = np.random.default_rng(0)
    for y in range(4):
        s = rng.normal(size=4)
        found = check_gradient(
            lambda s, y=y: multiclass_hinge(s[None], [y], form=form)[0],
            lambda s, y=y: multiclass_hinge_gradient(s[None], [y], form=form)[0],
            s,
        )
        assert found.passed, found.verdict
    G = multiclass_hinge_gradient(rng.normal(size=(9, 4)), np.arange(9) % 4, form=form)
    np.testing.assert_allclose(G.sum(axis=1), 0, atol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([[1.0, 2.0]], [2]), {}, "codes from 0 to 1; got 2"),
        (([1.0, 2.0], [0]), {}, r"scores must be \(n, K\)"),
        (([[1.0, 2.0]], [0]), {"form": "mean"}, "form must be"),
        (([[1.0, 2.0]], [0]), {"delta": -1.0}, "delta must be >= 0"),
    ],
)
def test_bad_arguments(arguments, options, words):
    with pytest.raises((DataError, ParameterError), match=words):
        multiclass_hinge(*arguments, **options)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("form", FORMS)
def test_the_conjugate_is_a_linear_programme(form):
    """sup_s v's - L(s): L is the least t with t >= its pieces, which are linear."""
    loss, rng, K = MulticlassHinge(form), np.random.default_rng(0), 3
    finite = 0
    for _ in range(60):
        y = int(rng.integers(K))
        v = rng.uniform(-0.2, 0.8, size=K)
        v[y] = -(v.sum() - v[y]) + (0.1 if rng.random() < 0.1 else 0.0)
        lead = np.delete(np.eye(K) - np.eye(K)[y], y, axis=0)  # s_k - s_y
        m = 1 if form == "largest" else K - 1
        slack = np.ones((K - 1, 1)) if form == "largest" else np.eye(K - 1)
        bounds = [(None, None)] * K + [(0, None)] * m
        lp = linprog(
            np.append(-v, np.ones(m)),
            np.hstack([lead, -slack]),
            -np.ones(K - 1),
            bounds=bounds,
        )
        ours = float(loss.conjugate([y], v[None])[0])
        finite += np.isfinite(ours)
        assert ours == pytest.approx(-lp.fun if lp.success else np.inf, abs=1e-9)
        s = rng.normal(size=(1, K))
        assert loss.value([y], s)[0] + ours >= v @ s[0] - 1e-12
        slope = loss.derivative([y], s)
        both = loss.value([y], s) + loss.conjugate([y], slope)
        assert both[0] == pytest.approx(slope[0] @ s[0], abs=1e-12)
    assert finite >= 10
