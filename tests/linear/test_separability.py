import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LinearDiscriminantAnalysis, LogisticRegression
from corollary.core.errors import DataError
from corollary.datasets import (
    margin_points,
    nonseparable_points,
    student_perceptron,
    xor_points,
)
from corollary.linear.margins import margins
from corollary.linear.separability import separability
from corollary.objectives import Logistic, risk


def assert_proved(found, X, y):
    """Check the witness or the proof, without trusting the linear programme."""
    X, t = np.asarray(X, float), np.where(y == np.unique(y)[1], 1.0, -1.0)
    if found.separable:
        assert (t * (X @ found.coef + found.intercept) >= 1 - 1e-9).all()
        return
    assert (found.weights >= 0).all()
    for side in (-1, 1):  # one point, a mean of either class
        assert found.weights[t == side].sum() == pytest.approx(1)
        point = found.weights[t == side] @ X[t == side]
        scale = np.abs(X).max()
        np.testing.assert_allclose(point, found.common_point, atol=1e-9 * scale)


@pytest.mark.course("S3-55")
def test_the_courses_points():
    for table, separable in (
        (student_perceptron(), True),
        (margin_points(), True),
        (nonseparable_points(), False),
        (xor_points(), False),
    ):
        found = separability(table.X, table.y)
        assert found.separable == separable, table.name
        assert_proved(found, table.X, table.y)
    table = margin_points()
    found = separability(table.X, table.y)
    smallest = margins(found.coef, found.intercept, table.X, table.y).smallest
    assert smallest == pytest.approx(found.margin)
    assert found.margin <= table.known["margin"] / 2 + 1e-12  # half the largest band


@pytest.mark.course("S3-55", "S2-16")
@given(seed=st.integers(0, 2**31), n=st.integers(2, 25), d=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_every_answer_carries_its_proof(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    y = rng.integers(2, size=n)
    y[:2] = [0, 1]
    found = separability(X, y)
    assert_proved(found, X, y)
    if found.kind == "touching":  # weakly separated, some row strictly
        t = 2 * y - 1
        f = t * (X @ found.coef + found.intercept)
        assert f.min() > -1e-9
        assert f.max() > 1e-3


@pytest.mark.course("S2-16")
def test_likelihood_has_a_maximum_only_where_the_classes_overlap():
    x = np.arange(6.0)[:, None]
    separable, touching = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]
    overlapping = [0, 0, 1, 0, 1, 1]
    shared = np.array([0.0, 1, 2, 2, 3, 4])[:, None]  # both classes hold x = 2
    cases = (
        (x, separable, "separable"),
        (shared, touching, "touching"),
        (x, overlapping, "overlapping"),
    )
    for X, y, kind in cases:
        found = separability(X, y)
        assert found.kind == kind
        assert found.likelihood_has_maximum == (kind == "overlapping")
        if kind == "overlapping":
            continue
        t = np.where(np.array(y) == 1, 1.0, -1.0)
        f = t * (X[:, 0] * found.coef[0] + found.intercept)
        losses = [np.logaddexp(0, -s * f).sum() for s in (1, 10, 100, 1000)]
        assert (np.diff(losses) <= 0).all()  # falls for ever along a
        on_it = (np.abs(f) < 1e-9).sum()
        assert losses[-1] == pytest.approx(on_it * np.log(2), abs=1e-9)


@pytest.mark.course("S2-16")
def test_agrees_with_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for noise, separable in ((0.0, True), (1.5, False)):
        y = (X @ [1.0, -2.0] + noise * rng.normal(size=60) > 0).astype(int)
        found = separability(X, y)
        assert found.separable == separable
        model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
        told = [t for t in model.report_.warnings if "has no maximum" in t]
        if not separable:
            assert np.abs(model.coef_).max() < 20
            assert not told
            assert "separability" not in model.report_.facts
            continue
        assert len(told) == 1
        assert model.report_.facts["separability"] == "separable"
        assert model.score(X, y) == 1.0
        # the risk falls to 0 along the hyperplane found, and no weights attain it
        t = 2.0 * y - 1
        f = X @ found.coef + found.intercept
        risks = [risk(Logistic(), t, scale * f) for scale in (1, 10, 100, 1000)]
        assert np.diff(risks).max() < 0
        assert 0 <= risks[-1] < 1e-12 < risk(Logistic(), t, model.decision_function(X))
        # the less penalty, the larger the weights, without a limit
        sizes = [
            np.linalg.norm(LogisticRegression(C=C, tol=1e-9).fit(X, y).coef_)
            for C in (1.0, 1e2, 1e4, 1e6)
        ]
        assert (np.diff(sizes) > 1).all()
        # linear discriminant analysis stays defined
        lda = LinearDiscriminantAnalysis().fit(X, y)
        assert np.abs(lda.coef_).max() < 20


@given(shift=st.sampled_from([0.0, 1e4]), factor=st.sampled_from([1e-5, 1.0, 1e5]))
@settings(max_examples=10, deadline=None)
def test_units_and_shifts_do_not_change_the_answer(shift, factor):
    for table in (margin_points(), nonseparable_points()):
        wanted = separability(table.X, table.y).kind
        moved = (table.X + shift) * [factor, 1.0]
        assert separability(moved, table.y).kind == wanted


def test_without_an_intercept():
    X = np.array([[1.0, 0.0], [2.0, 1.0]])
    assert separability(X, [0, 1]).separable
    assert separability(X, [0, 1], fit_intercept=False).separable
    line = np.array([[1.0], [2.0]])
    assert separability(line, [0, 1]).separable
    found = separability(line, [0, 1], fit_intercept=False)
    assert found.kind == "overlapping"
    assert "weighted sum t_i x_i of 0" in str(found)


def test_bad_input_is_told_in_one_sentence():
    for X, y, text in (
        ([[1.0], [2.0]], [1, 1], "separability: y must have two classes; got 1."),
        (
            [[1.0], [2.0], [3.0]],
            [0, 1, 2],
            "separability: y must have two classes; got 3. Test each class against "
            "the rest.",
        ),
        ([[np.nan], [2.0]], [0, 1], "separability: Input X must be finite; got NaN"),
        ([1.0, 2.0], [0, 1], "separability: X must be (n, d) with one label for"),
    ):
        with pytest.raises(DataError) as caught:
            separability(X, y)
        assert str(caught.value).startswith(text)
