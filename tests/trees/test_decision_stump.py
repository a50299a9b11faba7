"""Stumps against every cut, tried one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from corollary import DataError, DecisionStumpClassifier, load, save
from corollary.trees import best_stump, presorted


def naive(X, y, w):
    """Return the least weighted error of all features, thresholds and polarities."""
    best = np.inf
    for j in range(X.shape[1]):
        for t in [-np.inf, *X[:, j]]:
            for a in (-1, 1):
                h = np.where(X[:, j] > t, a, -a)
                best = min(best, w[h != y].sum())
    return best


def drawn(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0)
    y = np.where(X[:, 1] + rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, rng.random(n)


@pytest.mark.course("S2-20", "S3-3")
@pytest.mark.parametrize("seed", range(20))
def test_the_error_is_the_least_of_all_stumps(seed):
    X, y, w = drawn(seed)
    stump = best_stump(presorted(X), y, w)
    wanted = naive(X, y, w)
    assert stump.error == pytest.approx(wanted, rel=1e-12)
    assert w[stump.predict(X) != y].sum() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.course("S2-20")
@pytest.mark.parametrize("seed", range(5))
def test_the_class_is_closed_under_negation(seed):
    X, y, w = drawn(seed)
    columns = presorted(X)
    stump, other = best_stump(columns, y, w), best_stump(columns, -y, w)
    assert other.error == pytest.approx(stump.error, rel=1e-12)
    assert stump.error <= w.sum() / 2
    turned = -stump
    np.testing.assert_array_equal(turned.predict(X), -stump.predict(X))
    assert turned.error == pytest.approx(w[turned.predict(X) != y].sum())


@pytest.mark.course("S2-20")
def test_columns_sorted_once_serve_all_weights():
    X, y, _ = drawn(0)
    columns = presorted(X)
    for seed in range(10):
        w = np.random.default_rng(seed).exponential(size=len(y)) ** 3
        assert best_stump(columns, y, w).error == pytest.approx(naive(X, y, w))


def test_every_threshold_of_the_interval_is_as_good():
    X, y, w = drawn(3)
    stump = best_stump(presorted(X), y, w)
    x = X[:, stump.feature]
    for t in (stump.low, stump.threshold, np.nextafter(stump.high, -np.inf)):
        h = np.where(x > t, stump.polarity, -stump.polarity)
        assert w[h != y].sum() == pytest.approx(stump.error)


@pytest.mark.course("S2-20")
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classifier_makes_the_least_error(k, dtype):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(60, 4)).astype(dtype)
    z, w = rng.integers(0, k, 60), rng.random(60)
    z[X[:, 2] > 0.3] = 0
    model = DecisionStumpClassifier().fit(X, z, w)
    best = 0.0
    for j in range(4):
        for t in [-np.inf, *X[:, j]]:
            above = X[:, j] > t
            sides = [np.bincount(z[s], w[s], k).max() for s in (above, ~above)]
            best = max(best, sum(sides))
    assert model.error_ * w.sum() == pytest.approx(w.sum() - best)
    assert w[model.predict(X) != z].sum() == pytest.approx(w.sum() - best)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


def test_weights_count_rows():
    X, y, _ = drawn(1)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    one = DecisionStumpClassifier().fit(X, y, w)
    two = DecisionStumpClassifier().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert (one.feature_, one.threshold_) == (two.feature_, two.threshold_)
    np.testing.assert_array_equal(one.side_weights_, two.side_weights_)


def test_class_weights_multiply_weights():
    X, y, w = drawn(2)
    one = DecisionStumpClassifier(class_weight={1.0: 3.0}).fit(X, y, w)
    two = DecisionStumpClassifier().fit(X, y, np.where(y > 0, 3.0, 1.0) * w)
    assert (one.feature_, one.threshold_) == (two.feature_, two.threshold_)
    assert one.error_ == pytest.approx(two.error_)
    even = DecisionStumpClassifier(class_weight="balanced").fit(X, y)
    total = even.side_weights_.sum(axis=0)
    assert total[0] == pytest.approx(total[1])


def test_order_of_rows_does_not_matter_under_rounding():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (200, 6)).astype(float)
    y = rng.integers(0, 2, 200)
    w = np.full(200, 0.1)
    models = []
    for _ in range(10):
        p = rng.permutation(200)
        models.append(DecisionStumpClassifier().fit(X[p], y[p], w[p]))
    assert len({(m.feature_, m.threshold_) for m in models}) == 1


def test_one_answer_where_no_threshold_helps():
    X = np.ones((5, 2))
    model = DecisionStumpClassifier().fit(X, [0, 1, 1, 1, 0])
    assert model.threshold_ == -np.inf
    assert model.error_ == pytest.approx(0.4)
    assert model.predict([[-5.0, 3.0]]).tolist() == [1]
    assert any("no threshold" in text for text in model.report_.warnings)


def test_neighbouring_and_huge_values_are_told_apart():
    a = 1.0
    b = np.nextafter(a, 2)
    model = DecisionStumpClassifier().fit([[a], [b]], [0, 1])
    assert model.predict([[a], [b]]).tolist() == [0, 1]
    model = DecisionStumpClassifier().fit([[-1.7e140], [1.7e140]], [0, 1])
    assert model.threshold_ == 0
    assert model.error_ == 0


def test_refuses():
    columns = presorted([[1.0], [2.0]])
    with pytest.raises(DataError, match="-1 or"):
        best_stump(columns, [0, 1])
    with pytest.raises(DataError, match="weight >= 0"):
        best_stump(columns, [-1, 1], [-1.0, 2.0])
    with pytest.raises(DataError, match="not 0 for all"):
        best_stump(columns, [-1, 1], [0.0, 0.0])
    with pytest.raises(DataError, match="finite"):
        presorted([[np.nan]])


def test_a_stump_that_answers_alike_everywhere_is_saved(tmp_path):
    model = DecisionStumpClassifier().fit(np.ones((6, 2)), [0, 0, 1, 0, 0, 0])
    save(model, tmp_path / "stump")
    again = load(tmp_path / "stump")
    assert_array_equal(again.predict(np.eye(2)), [0, 0])
    assert_array_equal(again.interval_, model.interval_)
