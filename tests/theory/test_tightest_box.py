"""The tightest box: the box itself, its bound, and its failure rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import TightestBox, load, save
from corollary.core.errors import DataError, ParameterError
from corollary.engine import ChunkSource
from corollary.theory import Boxes, pac_experiment, tightest_box_bound


def rectangle(X):
    return ((X >= [0.2, 0.1]) & (X <= [0.7, 0.8])).all(axis=1)


@pytest.mark.course("S0-51")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_box_lies_inside_the_target_and_errs_on_positives_only(n):
    rng = np.random.default_rng(n)
    X = rng.uniform(size=(300, n))
    y = ((X > 0.1) & (X < 0.85)).all(axis=1)
    model = TightestBox().fit(X, y)
    np.testing.assert_array_equal(model.low_, X[y].min(axis=0))
    np.testing.assert_array_equal(model.high_, X[y].max(axis=0))
    assert model.realizable_
    assert model.score(X, y) == 1
    new = rng.uniform(size=(5000, n))
    inside = ((new > 0.1) & (new < 0.85)).all(axis=1)
    assert not (model.predict(new) & ~inside).any()
    box = Boxes(n).witness(X, y)
    assert box.low == tuple(model.low_.tolist())


@pytest.mark.course("S0-51")
def test_176_examples_by_the_exponential_and_174_by_the_power():
    assert 40 * np.log(80) == pytest.approx(175.28, abs=0.01)
    assert tightest_box_bound(epsilon=0.1, delta=0.05, form="exponential") == 176
    assert tightest_box_bound(epsilon=0.1, delta=0.05) == 174
    assert 4 * (1 - 0.1 / 4) ** 174 <= 0.05 < 4 * (1 - 0.1 / 4) ** 173
    assert tightest_box_bound(m=174, epsilon=0.1) == pytest.approx(4 * 0.975**174)
    six = tightest_box_bound(epsilon=0.1, delta=0.05, n_features=3, form="exponential")
    assert six == int(np.ceil(60 * np.log(120)))


@pytest.mark.course("S0-51")
@given(
    st.floats(0.01, 0.9),
    st.floats(0.001, 0.9),
    st.integers(1, 6),
    st.sampled_from(["power", "exponential"]),
)
def test_the_bound_inverts_in_every_direction(epsilon, delta, n, form):
    more = {"n_features": n, "form": form}
    m = tightest_box_bound(epsilon=epsilon, delta=delta, **more)
    assert tightest_box_bound(m=m, epsilon=epsilon, **more) <= delta * (1 + 1e-9)
    if m > 1:
        assert tightest_box_bound(m=m - 1, epsilon=epsilon, **more) > delta * (1 - 1e-9)
    back = tightest_box_bound(m=m, delta=delta, **more)
    assert back <= epsilon * (1 + 1e-9)
    value = tightest_box_bound(m=m, epsilon=epsilon, **more)
    assert tightest_box_bound(m=m, delta=value, **more) == pytest.approx(epsilon)


def test_the_bound_is_monotone_and_takes_arrays():
    m = np.arange(1, 500, 7)
    delta = tightest_box_bound(m=m, epsilon=0.1)
    assert (np.diff(delta) <= 0).all()
    assert (np.diff(tightest_box_bound(m=m, delta=0.05)) < 0).all()
    sizes = tightest_box_bound(epsilon=[0.1, 0.2], delta=[[0.05], [0.01]])
    assert sizes.shape == (2, 2)
    assert sizes.dtype.kind == "i"
    assert sizes[0, 0] == 174
    assert isinstance(tightest_box_bound(m=10, delta=0.1), float)


def atoms(n, rng):
    return rng.integers(0, 6, size=(n, 2)) / 5.0


def normal(n, rng):
    return 0.5 + 0.2 * rng.normal(size=(n, 2))


@pytest.mark.course("S0-51", "S0-50")
@pytest.mark.parametrize(
    "draw", [lambda n, rng: rng.uniform(size=(n, 2)), normal, atoms]
)
def test_the_failure_rate_is_below_delta_for_any_distribution(draw):
    found = pac_experiment(
        TightestBox(classes=(0, 1)),
        draw,
        rectangle,
        m=tightest_box_bound(epsilon=0.1, delta=0.05),
        n_draws=150,
        n_test=2000,
        random_state=0,
    )
    assert found.low <= 0.05
    assert found.failure_rate <= 0.05


@pytest.mark.slow
@pytest.mark.course("S0-51")
def test_the_failure_rate_over_ten_thousand_draws_of_atoms_is_below_delta():
    side = np.arange(6) / 5.0
    grid = np.array([(a, b) for a in side for b in side])
    p = np.random.default_rng(0).dirichlet(np.ones(36))
    for m in (20, 60):
        found = pac_experiment(
            TightestBox(classes=(0, 1)),
            (grid, p),
            rectangle,
            m=m,
            epsilon=0.2,
            n_draws=10_000,
            random_state=1,
        )
        assert found.exact
        assert found.low <= tightest_box_bound(m=m, epsilon=0.2)


@pytest.mark.course("S0-51")
def test_without_positives_the_box_is_empty():
    model = TightestBox(classes=[0, 1]).fit([[1.0], [2.0]], [0, 0])
    assert (model.low_[0], model.high_[0]) == (1, 0)
    assert model.predict([[0.5], [1.0], [0.0], [5.0]]).tolist() == [0, 0, 0, 0]
    assert model.classes_.tolist() == [0, 1]
    only = TightestBox(classes=["out", "in"]).fit([[1.0], [2.0]], ["in", "in"])
    assert only.predict([[1.5], [3.0]]).tolist() == ["in", "out"]
    assert only.classes_.tolist() == ["in", "out"]
    assert only.positive_ == 0
    with pytest.raises(DataError, match="needs samples of 2 classes"):
        TightestBox().fit([[1.0], [2.0]], [0, 0])


@pytest.mark.course("S0-51")
def test_a_negative_inside_is_a_fact_and_the_box_stays():
    X = np.array([[0.0], [1.0], [0.5], [3.0]])
    model = TightestBox().fit(X, [1, 1, 0, 0])
    assert not model.realizable_
    assert model.report_.facts["separated"] is False
    assert model.report_.facts["n_errors"] == 1
    assert (model.low_, model.high_) == (0, 1)
    assert any("negatives lie inside" in text for text in model.report_.warnings)
    assert not model.error_bound().holds
    clean = TightestBox().fit(X, [1, 1, 1, 0])
    assert clean.report_.facts["separated"] is True
    assert clean.error_bound().holds


@pytest.mark.parametrize("label", ["in", "out"])
def test_models_of_one_class_are_saved_and_loaded(tmp_path, label):
    model = TightestBox(classes=["out", "in"]).fit([[1.0], [2.0]], [label, label])
    save(model, tmp_path / "box")
    again = load(tmp_path / "box")
    X = [[1.5], [0.5], [7.0]]
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_the_bound_of_a_model_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2))
    model = TightestBox().fit(X, rectangle(X))
    bound = model.error_bound(delta=0.01)
    assert bound.value == tightest_box_bound(m=400, delta=0.01)
    new = rng.uniform(size=(20000, 2))
    assert (model.predict(new) != rectangle(new)).mean() < bound.value
    few = TightestBox().fit(X[:5], [0, 0, 0, 0, 1])
    assert few.error_bound().vacuous


@pytest.mark.course("S0-51")
def test_midway_faces_stand_between_the_box_and_the_negatives():
    X = np.array([[0.0], [1.0], [4.0], [-3.0], [9.0]])
    model = TightestBox("midway").fit(X, [1, 1, 0, 0, 0])
    assert (model.low_[0], model.high_[0]) == (-1.5, 2.5)
    rng = np.random.default_rng(0)
    for n in (1, 2, 5):
        X = rng.uniform(size=(200, n))
        y = ((X > 0.05) & (X < 0.9)).all(axis=1)
        wide, tight = TightestBox("midway").fit(X, y), TightestBox().fit(X, y)
        assert wide.score(X, y) == 1  # no negative is let in
        assert (wide.low_ <= tight.low_).all()
        assert (wide.high_ >= tight.high_).all()
        assert wide.high_.sum() > tight.high_.sum()
        assert not wide.error_bound().holds


def test_midway_errs_less_in_the_middle_of_the_line():
    def interval(X):
        return (X[:, 0] > 0.3) & (X[:, 0] < 0.6)

    errors = []
    for strategy in ("tightest", "midway"):
        found = pac_experiment(
            TightestBox(strategy, classes=(0, 1)),
            lambda n, rng: rng.uniform(size=(n, 1)),
            interval,
            m=40,
            n_draws=100,
            n_test=2000,
            random_state=0,
        )
        errors.append(found.errors.mean())
    assert errors[1] < errors[0]


def test_weights_of_zero_remove_rows():
    X = np.array([[0.0], [1.0], [9.0], [5.0]])
    y = [1, 1, 1, 0]
    model = TightestBox().fit(X, y, sample_weight=[1, 1, 0, 2])
    assert model.high_[0] == 1
    assert model.realizable_
    assert model.n_samples_seen_ == 3
    w = np.array([1.0, 1.0, 0.0, 2.0])
    chunks = [(X[:2], np.array(y[:2]), w[:2]), (X[2:], np.array(y[2:]), w[2:])]
    source = ChunkSource(chunks)
    parts = TightestBox().fit(source)
    assert parts.high_[0] == 1
    assert parts.realizable_


@pytest.mark.parametrize(
    "bad",
    [
        {"m": 10},
        {"m": 10, "epsilon": 0.1, "delta": 0.1},
        {"m": 0, "epsilon": 0.1},
        {"m": 1.5, "epsilon": 0.1},
        {"epsilon": 0.0, "delta": 0.1},
        {"epsilon": 0.1, "delta": 1.0},
        {"epsilon": np.nan, "delta": 0.1},
        {"epsilon": "a", "delta": 0.1},
        {"epsilon": 0.1, "delta": 0.1, "n_features": 0},
        {"epsilon": 0.1, "delta": 0.1, "form": "other"},
    ],
)
def test_bad_quantities_are_told(bad):
    with pytest.raises(ParameterError, match="tightest_box_bound: "):
        tightest_box_bound(**bad)


@pytest.mark.parametrize("classes", [[0], [0, 0], [0, 1, 2]])
def test_bad_classes_are_told(classes):
    with pytest.raises(ParameterError, match="the negative and the positive label"):
        TightestBox(classes=classes).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match="y must hold the labels of classes"):
        TightestBox(classes=[0, 1]).fit([[1.0], [2.0]], [0, 2])
