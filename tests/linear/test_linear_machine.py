import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LeastSquaresClassifier, LogisticRegression, Perceptron
from corollary.core.errors import DataError
from corollary.linear.linear_machine import LinearMachine, machine_of
from corollary.linear.margins import margins

FEW = settings(max_examples=25, deadline=None)


def draw(seed, K=4, d=3, n=40):
    rng = np.random.default_rng(seed)
    machine = LinearMachine(rng.normal(size=(K, d)), rng.normal(size=K))
    return machine, rng.normal(size=(n, d)) * 3


@pytest.mark.course("S3-53")
@given(seed=st.integers(0, 2**31))
@FEW
def test_distance_is_that_to_the_nearest_point_of_the_boundary(seed):
    machine, X = draw(seed)
    r, near = machine.distance(X, 0, 2), machine.nearest_boundary_point(X, 0, 2)
    G = machine.scores(near)
    np.testing.assert_allclose(G[:, 0], G[:, 2], atol=1e-9)  # on the boundary
    np.testing.assert_allclose(np.linalg.norm(X - near, axis=1), np.abs(r), rtol=1e-9)
    v = machine.coef[0] - machine.coef[2]
    across = np.random.default_rng(seed).normal(size=3)
    along = across - (across @ v) / (v @ v) * v  # any other point of it is farther
    other = near + along
    assert (np.linalg.norm(X - other, axis=1) >= np.abs(r) - 1e-9).all()
    np.testing.assert_allclose(machine.distance(X, 2, 0), -r)


@pytest.mark.course("S3-53")
@given(seed=st.integers(0, 2**31), share=st.floats(0, 1))
@FEW
def test_regions_are_convex(seed, share):
    machine, X = draw(seed)
    decided = machine.decide(X)
    for c in np.unique(decided):
        own = X[decided == c]
        between = share * own[:-1] + (1 - share) * own[1:]
        assert (machine.decide(between) == c).all() if len(between) else True


@pytest.mark.course("S3-53")
@given(seed=st.integers(0, 2**31))
@FEW
def test_no_shorter_way_changes_the_decision(seed):
    machine, X = draw(seed)
    rng = np.random.default_rng(seed)
    room, decided = machine.room(X), machine.decide(X)
    steps = rng.normal(size=X.shape)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    inside = X + steps * (0.999 * room)[:, None]
    np.testing.assert_array_equal(machine.decide(inside), decided)
    by_pair = [
        min(machine.distance(x[None], i, j)[0] for j in range(4) if j != i)
        for x, i in zip(X, decided, strict=True)
    ]
    np.testing.assert_allclose(room, by_pair, rtol=1e-9)


@pytest.mark.course("S3-53")
def test_fitted_classifiers_are_linear_machines():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = rng.normal(size=(3, 2))[y] * 3 + rng.normal(size=(150, 2))
    names = np.array(["a", "b", "c"])[y]
    for model in (LeastSquaresClassifier(), LogisticRegression(), Perceptron()):
        model.fit(X, names)
        np.testing.assert_array_equal(machine_of(model).decide(X), model.predict(X))
    two = LogisticRegression().fit(X, y == 0)
    machine = machine_of(two)
    np.testing.assert_array_equal(machine.decide(X), two.predict(X))
    wanted = margins(two.coef_[0], two.intercept_[0], X, y == 0).geometric
    signed = machine.distance(X, 1, 0) * np.where(y == 0, 1, -1)
    np.testing.assert_allclose(signed, wanted, rtol=1e-9)


def test_bad_input_is_told_in_one_sentence():
    machine, _ = draw(0)
    same = LinearMachine(np.ones((2, 2)), np.array([0.0, 1.0]))
    assert np.isinf(same.room([[0.0, 0.0]])).all()
    for call, text in (
        (lambda: LinearMachine(np.ones((1, 2)), np.ones(1)), "coef must be (K, d) and"),
        (lambda: machine.scores([[1.0]]), "X must be (n, 3); got (1, 1)."),
        (lambda: machine.scores([[1.0, np.nan, 0]]), "Input X must be finite; got NaN"),
        (lambda: same.distance([[0.0, 0.0]], 0, 1), "classes 0 and 1 must have"),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(f"LinearMachine: {text}")
    with pytest.raises(DataError, match="machine_of: the model must be a fitted"):
        machine_of(Perceptron())
