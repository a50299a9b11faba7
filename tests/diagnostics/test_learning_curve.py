"""Learning curves: what falls, what rises, what the verdict is, what the truth is."""

import json

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import learning_curve
from corollary.diagnostics.nested_samples import nested_order


def lines(n, d, rng, noise=1.0):
    X = rng.normal(size=(n, d))
    return X, X.sum(axis=1) + noise * rng.normal(size=n)


class NearestMean(ClassifierMixin, BaseEstimator):
    """A classifier that costs nothing."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.means_ = np.array(
            [X[codes == k].mean(axis=0) for k in range(codes.max() + 1)]
        )
        return self

    def predict(self, X):
        d = ((X[:, None] - self.means_) ** 2).sum(axis=2)
        return self.classes_[d.argmin(axis=1)]


class NearestRow(RegressorMixin, BaseEstimator):
    """The learner with the largest variance of all."""

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def predict(self, X):
        return self.y_[((X[:, None] - self.X_) ** 2).sum(axis=2).argmin(axis=1)]


# -- the curves ------------------------------------------------------------------------
@pytest.mark.course("S4-65", "S3-97")
def test_least_squares_has_the_curves_of_theory():
    # E e(m) = s^2 (1 + (d + 1) / (m - d - 2)), E t(m) = s^2 (1 - (d + 1) / m), for
    # normal rows and an intercept.
    d, s2 = 4, 4.0
    draws = [
        learning_curve(
            LinearRegression(),
            *lines(400, d, np.random.default_rng(seed), 2.0),
            sizes=[20, 40, 80, 160, 320],
            random_state=seed,
        )
        for seed in range(12)
    ]
    m = draws[0].sizes
    training = np.mean([one.training for one in draws], axis=0)
    validation = np.mean([one.validation for one in draws], axis=0)
    np.testing.assert_allclose(training, s2 * (1 - (d + 1) / m), rtol=0.06)
    np.testing.assert_allclose(validation, s2 * (1 + (d + 1) / (m - d - 2)), rtol=0.08)
    assert (np.diff(training) > 0).all()
    assert (np.diff(validation) < 0).all()


@pytest.mark.course("S4-65", "S3-97")
def test_a_line_on_a_parabola_has_high_bias_and_more_rows_are_useless():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(600, 1))
    y = x[:, 0] ** 2 + 0.1 * rng.normal(size=600)
    line = learning_curve(LinearRegression(), x, y, desired=0.02)
    assert line.verdict == "high bias"
    assert not line.large_gap
    assert "more rows will not help" in line.sentence
    floor = 0.01 + 1 / 5 - 1 / 9  # noise and the variance of x^2
    assert line.at(60_000).low <= floor <= line.at(60_000).high
    assert line.at(60_000).low > 0.02  # what is desired stays out of reach
    assert line.rows_for(0.02).low == np.inf
    curve = make_pipeline(PolynomialFeatures(2), LinearRegression())
    right = learning_curve(curve, x, y, desired=0.02)
    assert right.verdict == "neither"
    assert right.reached
    assert "desired 0.02 is reached" in right.sentence


@pytest.mark.course("S4-65")
def test_a_rich_model_has_high_variance_and_more_rows_help():
    rng = np.random.default_rng(1)
    X, y = lines(200, 60, rng)
    few = learning_curve(LinearRegression(), X, y, desired=1.2)
    assert few.verdict == "high variance"
    assert few.large_gap
    assert few.falling
    assert "more rows" in few.sentence.lower()
    # and they do
    X, y = lines(2000, 60, rng)
    many = learning_curve(LinearRegression(), X, y, desired=1.2)
    assert many.verdict == "neither"
    assert few.at(1600).low <= many.validation[-1] <= few.at(1600).high


def test_a_peak_where_rows_are_as_many_as_columns_is_no_part_of_the_law():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 50))
    y = X[:, 0] + rng.normal(size=150)
    found = learning_curve(LinearRegression(), X, y, desired=1.05)
    top = int(found.validation.argmax())
    assert 45 < found.sizes[top] < 60
    assert found.law.used == len(found.sizes) - top
    assert found.learns
    assert found.verdict == "high variance"
    assert found.at(1500).low <= 1 + 51 / (1500 - 52) <= found.at(1500).high


def test_a_gap_that_may_be_chance_is_no_verdict():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(60, 1))
    y = x[:, 0] ** 2 + 0.1 * rng.normal(size=60)
    wild = make_pipeline(PolynomialFeatures(12), LinearRegression())
    found = learning_curve(wild, x, y, desired=0.001)
    assert found.validation[0] > 1e3 * found.validation[-1]  # orders of magnitude
    assert found.at(60).value < 2 * found.validation[-1]  # the last sizes count
    if not found.sure_gap:
        assert found.verdict == "neither"
        assert "may be chance" in found.sentence


def test_a_law_goes_to_no_level_below_a_rising_training_loss():
    X, y = lines(60, 4, np.random.default_rng(5))
    found = learning_curve(LinearRegression(), X, y)
    assert found.training[-1] == found.training.max()
    assert found.at(1e12).value >= found.training[-1] - 1e-9
    assert found.at(1e12).low < found.training[-1]  # the interval does not rely on it


def test_a_large_gap_that_no_row_closes():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)  # nothing to learn
    found = learning_curve(DecisionTreeRegressor(), X, y)
    assert found.training.max() == 0
    assert found.verdict == "neither"
    assert not found.learns
    assert "more rows will hardly close it" in found.sentence


@pytest.mark.course("S4-65")
def test_it_learns_if_the_loss_falls_with_experience():
    rng = np.random.default_rng(3)
    X, y = lines(300, 8, rng)
    found = learning_curve(LinearRegression(), X, y)
    value, error = found.slope
    assert found.learns
    assert value < -1.6 * error < 0
    noise = learning_curve(NearestMean(), X, rng.integers(2, size=300))
    assert not noise.learns


# -- honesty ---------------------------------------------------------------------------
def coverage(model, draw, truths, n, draws, **options):
    """Return how often the interval at each number of rows holds the true loss."""
    held = np.zeros(len(truths))
    for seed in range(draws):
        X, y = draw(n, np.random.default_rng(1000 + seed))
        found = learning_curve(model, X, y, random_state=seed, **options)
        for i, (m, truth) in enumerate(truths.items()):
            _, low, high = found.at(m)
            held[i] += low <= truth <= high
    return held / draws


def true_loss(model, draw, m, draws, wrong):
    """Return the expected loss after m rows, measured on fresh samples."""
    rng = np.random.default_rng(9)
    found = []
    for _ in range(draws):
        model.fit(*draw(m, rng))
        X, y = draw(1000, rng)
        found.append(wrong(y, model.predict(X)).mean())
    return float(np.mean(found))


def blobs(n, rng):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 20))
    X[:, 0] += 2 * y
    return X, y


def waves(n, rng, noise=0.1):
    X = rng.uniform(size=(n, 3))
    return X, np.sin(3 * X).sum(axis=1) + noise * rng.normal(size=n)


@pytest.mark.course("S4-65")
def test_intervals_hold_the_true_loss_inside_and_beyond_the_rows():
    truths = {m: 1 + 6 / (m - 7) for m in (75, 120, 300, 1500)}
    found = coverage(
        LinearRegression(), lambda n, rng: lines(n, 5, rng), truths, 150, 40
    )
    assert (found >= 0.9).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize(
    ("model", "draw", "wrong"),
    [
        (NearestMean(), blobs, lambda y, f: y != f),
        (NearestRow(), waves, lambda y, f: (y - f) ** 2),
        (NearestRow(), lambda n, r: waves(n, r, 1.0), lambda y, f: (y - f) ** 2),
        (Ridge(5.0), lambda n, r: lines(n, 30, r), lambda y, f: (y - f) ** 2),
        (DecisionTreeRegressor(max_depth=4), waves, lambda y, f: (y - f) ** 2),
    ],
)
def test_intervals_hold_the_true_loss_of_many_learners(model, draw, wrong, n):
    truths = {
        m: true_loss(model, draw, m, 60_000 // m + 20, wrong)
        for m in (n // 2, 2 * n, 5 * n)
    }
    assert (coverage(model, draw, truths, n, 100) >= 0.9).all()


@pytest.mark.slow
def test_standard_errors_are_those_of_new_data():
    draws = [
        learning_curve(
            LinearRegression(), *lines(200, 5, np.random.default_rng(s)), random_state=s
        )
        for s in range(150)
    ]
    spread = np.std([one.validation for one in draws], axis=0)
    told = np.sqrt(np.mean([one.validation_se**2 for one in draws], axis=0))
    assert (told > 0.85 * spread).all()
    assert (told < 1.6 * spread).all()


# -- what is given ---------------------------------------------------------------------
def test_tables_of_every_kind_give_one_curve():
    rng = np.random.default_rng(4)
    X, y = lines(120, 2, rng)
    columns = {"a": X[:, 0], "b": X[:, 1]}
    first = learning_curve(Ridge(), X, y)
    assert first.rows == 120
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        again = learning_curve(make_pipeline(StandardScaler(), Ridge()), table, y)
        assert again.sizes.tolist() == first.sizes.tolist()
        assert np.isfinite(again.validation).all()
        same = learning_curve(Ridge(), table, y)
        np.testing.assert_allclose(same.validation, first.validation)
    same = learning_curve(Ridge(), sp.csr_matrix(X), y)
    np.testing.assert_allclose(same.validation, first.validation, rtol=1e-6)


def test_labels_losses_and_weights():
    X, y = blobs(200, np.random.default_rng(5))
    words = np.array(["no", "yes"])[y]
    plain = learning_curve(LogisticRegression(), X, words)
    assert plain.loss == "error"
    sure = learning_curve(LogisticRegression(), X, words, loss="log")
    assert sure.training[-1] < sure.validation[-1]
    own = learning_curve(
        LogisticRegression(), X, words, loss=lambda y, f: 2.0 * (y != f)
    )
    np.testing.assert_allclose(own.validation, 2 * plain.validation)
    weights = np.where(np.arange(200) < 150, 1.0, 0.0)
    some = learning_curve(LogisticRegression(), X, words, sample_weight=weights)
    assert some.sizes[-1] <= 120
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert learning_curve(pipeline, X, words, sample_weight=weights).sizes[-1] <= 120


def test_splitters_groups_and_repeats():
    rng = np.random.default_rng(6)
    X, y = lines(90, 2, rng)
    assert learning_curve(Ridge(), X, y, repeats=2).n_splits == 10
    assert learning_curve(Ridge(), X, y, splitter=ShuffleSplit(3)).n_splits == 3
    assert learning_curve(Ridge(), X, y, splitter=TimeSeriesSplit(4)).sizes[-1] == 18
    once = learning_curve(Ridge(), X, y, splitter=[(np.arange(60), np.arange(60, 90))])
    assert once.n_splits == 1
    assert (once.validation_se > 0).all()
    groups = np.repeat(np.arange(9), 10)
    assert learning_curve(Ridge(), X, y, splitter=3, groups=groups).n_splits == 3
    classes = (y > 0).astype(int)
    folds = StratifiedKFold(4)
    assert learning_curve(NearestMean(), X, classes, splitter=folds).n_splits == 4


def test_samples_are_nested_with_classes_in_proportion():
    rng = np.random.default_rng(7)
    codes = np.repeat([0, 1, 2], [160, 32, 8])
    order = nested_order(np.arange(200), codes, rng)
    assert sorted(order) == list(range(200))
    assert set(codes[order[:3]]) == {0, 1, 2}
    for m in (25, 50, 100):
        shares = np.bincount(codes[order[:m]], minlength=3) / m
        np.testing.assert_allclose(shares, [0.8, 0.16, 0.04], atol=2.1 / m)


def test_the_same_seed_gives_the_same_curve():
    X, y = lines(100, 3, np.random.default_rng(8))
    one, two, other = (
        learning_curve(Ridge(), X, y, random_state=seed).validation
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_a_size_that_the_learner_refuses_is_left_out():
    class Picky(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            if len(X) < 15:
                raise ValueError("too few")
            return super().fit(X, y, sample_weight)

    X, y = lines(100, 2, np.random.default_rng(9))
    found = learning_curve(Picky(), X, y)
    assert found.sizes[0] >= 15
    assert "cannot be fitted to 10, 14 rows" in found.notes[-1]
    with pytest.raises(ParameterError, match="at least 3 sizes"):
        learning_curve(Picky(), X, y, sizes=[5, 10, 14, 40])
    with pytest.raises(ValueError, match="too few"):
        learning_curve(Picky(), X, y, sizes=[5, 10, 14])


def test_little_time_makes_fewer_splits_and_sizes():
    import time

    class Slow(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            time.sleep(2e-4 * len(X))
            return super().fit(X, y, sample_weight)

    X, y = lines(250, 2, np.random.default_rng(10))
    one = learning_curve(Slow(), X, y, time_budget=0.15)
    assert one.n_splits < 5
    assert "splits" in one.notes[-1]
    short = learning_curve(Slow(), X, y, time_budget=1e-3)
    assert short.n_splits == 1
    assert len(short.sizes) == 3
    assert short.at(200).low < short.at(200).high


# -- what is shown ---------------------------------------------------------------------
def test_findings_are_plain_and_text_and_picture_agree():
    matplotlib.use("Agg")
    X, y = lines(150, 3, np.random.default_rng(11))
    found = learning_curve(Ridge(), X, y, desired=0.5)
    plain = json.loads(json.dumps(found.to_findings(), allow_nan=False))
    assert set(plain) == {
        "sizes", "training", "training_se", "validation", "validation_se",
        "extrapolated", "sentence",
    }  # fmt: skip
    assert plain["sizes"][-1] == 120
    assert [one["size"] for one in plain["extrapolated"]] == [150, 300, 600, 1500]
    assert all(
        set(one) == {"size", "value", "low", "high"} for one in plain["extrapolated"]
    )
    assert plain["sentence"] in str(found)
    ax = found.plot()
    assert ax.get_title() == f"Ridge: {found.verdict}"
    assert len(ax.lines) >= 4
    matplotlib.pyplot.close("all")


def test_what_is_refused():
    X, y = lines(60, 2, np.random.default_rng(12))
    for arguments, options, error, words in (
        ((Ridge(), X, y[:50]), {}, DataError, "one target for each of the 60 rows"),
        ((Ridge(), X[:5], y[:5]), {}, DataError, "at least 10 rows"),
        ((Ridge(), X, np.where(y > 0, np.nan, y)), {}, DataError, "y must be finite"),
        ((NearestMean(), X, np.zeros(60)), {}, DataError, "at least two classes"),
        ((Ridge(), X, ["a"] * 60), {}, DataError, "y must hold numbers"),
        (("model", X, y), {}, ParameterError, "an estimator"),
        ((Ridge(), X, y), {"sizes": [10, 20]}, ParameterError, "3 or more"),
        ((Ridge(), X, y), {"sizes": [10, 20, 60]}, ParameterError, "up to 48"),
        ((Ridge(), X, y), {"sizes": "all"}, ParameterError, "sizes must be"),
        ((Ridge(), X, y), {"splitter": 1}, ParameterError, "2 to 60 folds"),
        ((Ridge(), X, y), {"loss": "error"}, ParameterError, "loss must be"),
        ((Ridge(), X, y), {"desired": "low"}, ParameterError, "desired must be"),
        ((Ridge(), X, y), {"time_budget": 0}, ParameterError, "time_budget must be"),
        ((Ridge(), X, y), {"random_state": "x"}, ParameterError, "random_state"),
        ((Ridge(), X, y), {"loss": lambda y, f: 1.0}, ParameterError, "for each row"),
    ):
        with pytest.raises(error, match=words):
            learning_curve(*arguments, **options)


@pytest.mark.parametrize("y", [np.zeros(40), np.full(40, 3.0), np.arange(40.0)])
def test_where_nothing_is_left_to_gain(y):
    found = learning_curve(LinearRegression(), np.arange(40.0)[:, None], y)
    assert found.reached
    assert found.verdict == "neither"
    assert found.sentence.endswith("there is nothing left to gain.")
    json.dumps(found.to_findings(), allow_nan=False)


def test_few_rows_of_rare_classes():
    X = np.random.default_rng(14).normal(size=(40, 2))
    y = np.repeat(["a", "b", "c"], [35, 3, 2])
    for loss in ("error", "log", "brier"):
        found = learning_curve(LogisticRegression(), X, y, loss=loss)
        assert np.isfinite(found.validation).all()
    tiny = learning_curve(LogisticRegression(), X[:10], y[30:])
    assert tiny.rows == 10


def test_trees_grow_into_their_classes():
    X, y = blobs(300, np.random.default_rng(13))
    found = learning_curve(DecisionTreeClassifier(random_state=0), X, y)
    assert found.training.max() == 0
    assert found.large_gap
