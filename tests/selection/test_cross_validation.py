"""Cross-validation: who predicts whom, the mean, and how sure it is."""

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    KMeans,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import Loss, cross_validate, out_of_fold


def numbers(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + rng.normal(size=n)


def labels(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.array(["no", "so", "yes"])[np.digitize(X[:, 0], [-0.5, 0.5])]


@pytest.mark.course("S3-100", "S4-56", "S1-42")
@pytest.mark.parametrize("k", [3, 5, 8, 10, 61])
def test_every_row_is_held_out_once_and_folds_are_nearly_equal(k):
    X, y = numbers(61)
    found = cross_validate(LinearRegression(), X, y, splitter=k)
    held = np.concatenate([test for _, test in found.splits])
    assert sorted(held) == list(range(61))
    assert (found.times == 1).all()
    sizes = [len(test) for _, test in found.splits]
    assert max(sizes) - min(sizes) <= 1
    for train, test in found.splits:
        assert sorted([*train, *test]) == list(range(61))
    np.testing.assert_allclose(found.mean, found.losses.mean())  # mean over the rows
    np.testing.assert_allclose(
        found.fold_losses, [found.losses[test].mean() for _, test in found.splits]
    )


@pytest.mark.course("S3-100", "S4-56")
@pytest.mark.parametrize(
    "splitter",
    [KFold(7, shuffle=True, random_state=3), KFold(5), GroupKFold(4)],
    ids=lambda s: type(s).__name__,
)
def test_predictions_are_scikit_learns_with_any_splitter(splitter):
    X, y = numbers()
    grouped = isinstance(splitter, GroupKFold)
    groups = np.repeat(np.arange(12), 5) if grouped else None
    ours = cross_validate(Ridge(), X, y, splitter=splitter, groups=groups)
    theirs = cross_val_predict(Ridge(), X, y, cv=splitter, groups=groups)
    np.testing.assert_allclose(ours.predictions, theirs)
    np.testing.assert_allclose(ours.mean, np.mean((y - theirs) ** 2))


@pytest.mark.course("S3-100")
def test_classes_and_probabilities_are_scikit_learns():
    X, y = labels()
    splitter = StratifiedKFold(6, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    found = cross_validate(model, X, y, splitter=splitter, loss="log")
    P = cross_val_predict(model, X, y, cv=splitter, method="predict_proba")
    np.testing.assert_allclose(found.probabilities, P, atol=1e-8)
    np.testing.assert_allclose(found.mean, log_loss(y, P), rtol=1e-6)
    assert (found.predictions == cross_val_predict(model, X, y, cv=splitter)).all()
    assert found.classes.tolist() == ["no", "so", "yes"]
    brier = cross_validate(model, X, y, splitter=splitter, loss="brier").mean
    np.testing.assert_allclose(
        brier, ((P - (y[:, None] == found.classes)) ** 2).sum(axis=1).mean(), rtol=1e-6
    )
    error = cross_validate(model, X, y, splitter=splitter).mean
    assert error == np.mean(found.predictions != y)
    assert (
        out_of_fold(model, X, y, splitter=splitter, method="predict_proba")
        == found.probabilities
    ).all()


def test_every_fold_has_its_share_of_a_class_however_small():
    y = np.array([0] * 53 + [1] * 12 + [2] * 3)
    X = np.random.default_rng(0).normal(size=(68, 2))
    found = cross_validate(DecisionTreeClassifier(), X, y, splitter=5)
    for c in (0, 1, 2):
        counts = [int((y[test] == c).sum()) for _, test in found.splits]
        assert max(counts) - min(counts) <= 1
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def test_folds_that_miss_a_class_give_it_probability_0():
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
    X = np.arange(9.0)[:, None]
    found = cross_validate(DecisionTreeClassifier(), X, y, splitter=3)
    assert found.probabilities.shape == (9, 3)
    assert found.probabilities[8, 2] == 0
    assert found.predictions[8] != 2


def test_groups_stay_together():
    X, y = numbers(60)
    groups = np.repeat(list("abcdefghijkl"), 5)
    found = cross_validate(LinearRegression(), X, y, splitter=4, groups=groups)
    for train, test in found.splits:
        assert not set(groups[train]) & set(groups[test])
        assert (len(train), len(test)) == (45, 15)
    left = cross_validate(
        LinearRegression(), X, y, splitter=LeaveOneGroupOut(), groups=groups
    )
    assert len(left.fold_losses) == 12


def test_rows_never_held_out_and_rows_held_out_often():
    X, y = numbers(30)
    order = cross_validate(LinearRegression(), X, y, splitter=TimeSeriesSplit(4))
    assert np.isnan(order.predictions[:6]).all()
    assert (order.times[6:] == 1).all()
    tested = order.times > 0
    np.testing.assert_allclose(order.mean, order.losses[tested].mean())
    often = cross_validate(LinearRegression(), X, y, splitter=3, repeats=7)
    assert (often.times == 7).all()
    assert len(often.fold_losses) == 21
    same = RepeatedKFold(n_splits=3, n_repeats=7, random_state=1)
    again = cross_validate(LinearRegression(), X, y, splitter=same)
    each = [
        cross_val_predict(LinearRegression(), X, y, cv=list(same.split(X))[3 * i :][:3])
        for i in range(7)
    ]
    np.testing.assert_allclose(again.predictions, np.mean(each, axis=0))
    np.testing.assert_allclose(again.mean, np.mean([(y - f) ** 2 for f in each]))


def test_the_class_of_most_votes_wins_where_rows_are_held_out_often():
    X, y = labels(40)
    for model in (DecisionTreeClassifier(max_depth=1), LinearSVC()):
        found = cross_validate(
            model, X, y, splitter=2, repeats=5, keep_models=True, random_state=4
        )
        votes = np.zeros((40, 3))
        for (_, test), one in zip(found.splits, found.models, strict=True):
            votes[test, np.searchsorted(found.classes, one.predict(X[test]))] += 1
        top = votes.max(axis=1)
        at = np.searchsorted(found.classes, found.predictions)
        assert (votes[np.arange(40), at] == top).all()


def test_weights_are_repetitions_and_0_is_no_row():
    X, y = numbers(20)
    w = np.r_[np.zeros(4), np.ones(8), np.full(8, 3.0)]
    some = cross_validate(Ridge(), X, y, splitter=4, sample_weight=w)
    fewer = cross_validate(Ridge(), X[4:], y[4:], splitter=4, sample_weight=w[4:])
    np.testing.assert_allclose(some.mean, fewer.mean)
    assert (some.times[:4] == 0).all()
    np.testing.assert_allclose(
        some.mean, np.average(some.losses[4:], weights=w[4:]), rtol=1e-12
    )
    copies = np.repeat(np.arange(20), w.astype(int))
    pairs = [
        (np.flatnonzero(np.isin(copies, a)), np.flatnonzero(np.isin(copies, b)))
        for a, b in some.splits
    ]
    each = cross_validate(Ridge(), X[copies], y[copies], splitter=pairs)
    np.testing.assert_allclose(each.mean, some.mean)
    piped = make_pipeline(PolynomialFeatures(1, include_bias=False), Ridge())
    for model in (
        piped,
        make_pipeline(PolynomialFeatures(1, include_bias=False), piped),
    ):
        again = cross_validate(model, X, y, splitter=4, sample_weight=w)
        np.testing.assert_allclose(again.mean, some.mean)


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "arrow", "sparse"])
def test_rows_of_every_kind_give_the_same_answer(kind):
    X, y = numbers(40)
    names = ["a", "b", "c"]
    made = {
        "list": lambda: X.tolist(),
        "pandas": lambda: pd.DataFrame(X, columns=names, index=np.arange(40) + 7),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "arrow": lambda: pa.table(dict(zip(names, X.T, strict=True))),
        "sparse": lambda: sp.csc_matrix(X),
    }[kind]()
    target = pa.array(y) if kind == "arrow" else pd.Series(y) if kind == "pandas" else y
    expected = cross_validate(LinearRegression(), X, y, splitter=5).predictions
    found = cross_validate(LinearRegression(), made, target, splitter=5).predictions
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_any_function_may_be_the_loss():
    X, y = labels(60)
    y = (y == "yes").astype(int)

    def unranked(codes, P):
        return 1 - roc_auc_score(codes, P[:, 1])

    loss = Loss("1 - AUC", unranked, on="probabilities")
    found = cross_validate(LogisticRegression(), X, y, splitter=4, loss=loss)
    assert found.losses is None
    each = [
        1 - roc_auc_score(y[t], found.probabilities[t][:, 1]) for _, t in found.splits
    ]
    np.testing.assert_allclose(found.fold_losses, each)
    np.testing.assert_allclose(found.mean, np.mean(each))
    X, y = numbers()
    absolute = cross_validate(Ridge(), X, y, loss="absolute").mean
    same = cross_validate(Ridge(), X, y, loss=lambda a, b: np.abs(a - b)).mean
    assert absolute == same
    Y = np.column_stack([y, 2 * y])
    both = cross_validate(Ridge(), X, Y, splitter=5)
    assert both.predictions.shape == Y.shape
    np.testing.assert_allclose(
        both.mean, 5 * cross_validate(Ridge(), X, y, splitter=5).mean
    )


@pytest.mark.course("S3-100")
def test_the_standard_error_is_nadeau_and_bengios():
    X, y = numbers(60)
    found = cross_validate(LinearRegression(), X, y, splitter=6)
    s2 = found.fold_losses.var(ddof=1)
    np.testing.assert_allclose(found.standard_error**2, s2 * (1 / 6 + 10 / 50))
    one = ShuffleSplit(1, test_size=0.3, random_state=0)
    held = cross_validate(LinearRegression(), X, y, splitter=one)
    rows = held.losses[held.splits[0][1]]
    np.testing.assert_allclose(held.standard_error, rows.std(ddof=1) / np.sqrt(18))
    assert found.interval().low < found.mean < found.interval().high
    assert found.interval(0.5).width < found.interval(0.05).width


@pytest.mark.course("S3-100")
def test_the_interval_covers_the_error_where_the_naive_one_does_not():
    def covers(seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 12))
        y = X[:, 0] + rng.normal(size=40)
        found = cross_validate(TheirLinearRegression(), X, y, splitter=10)
        model = TheirLinearRegression().fit(X, y)
        b = model.coef_ - np.eye(12)[0]
        risk = 1 + b @ b + model.intercept_**2  # exactly, for X of unit covariance
        naive = found.losses.std(ddof=1) / np.sqrt(40)
        return risk in found.interval(0.1), abs(risk - found.mean) < 1.645 * naive

    ours, naive = np.mean([covers(seed) for seed in range(150)], axis=0)
    assert 0.88 <= ours <= 0.99
    assert naive < 0.85


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = numbers(40)
    found = cross_validate(LinearRegression(), X, y, splitter=4)
    assert str(found).splitlines()[1] == "  4 splits, 40 rows held out, 30 to train on"
    ax = found.plot()
    heights = [bar.get_height() for bar in ax.patches[:4]]
    np.testing.assert_allclose(heights, found.fold_losses)
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"model": LinearRegression}, ParameterError, "with fit and predict; got"),
        ({"y": np.ones(3)}, DataError, "one target for each of the 9 rows of X"),
        ({"y": np.r_[np.ones(8), np.nan]}, DataError, "finite; got NaN or .* row 8"),
        ({"y": list("abcdefghi")}, DataError, "y must hold numbers for a regressor"),
        ({"X": np.ones((1, 1)), "y": [1.0]}, DataError, "at least 2 rows; got 1"),
        ({"X": np.ones((0, 1)), "y": []}, DataError, "at least 2 rows; got 0"),
        ({"X": np.ones((9, 1, 1))}, DataError, "a table of rows and columns; got 3 d"),
        ({"splitter": 1}, ParameterError, "2 to 9 folds, the number of rows; got 1"),
        ({"splitter": 10}, ParameterError, "2 to 9 folds"),
        ({"splitter": "five"}, ParameterError, "number of folds, a splitter or pairs"),
        ({"splitter": []}, ParameterError, "must make a split; got none"),
        ({"splitter": [[[0, 1], [1, 2]]]}, ParameterError, "1 rows in both"),
        ({"splitter": [[[0, 1], [9]]]}, ParameterError, "rows 0 to 8; got 9 to 9"),
        ({"splitter": [[[0, 1], []]]}, ParameterError, "rows on both sides; got 2 and"),
        ({"splitter": KFold(20)}, ParameterError, "KFold must suit the 9 rows; got"),
        ({"repeats": 0}, ParameterError, "repeats must be a whole number >= 1"),
        ({"splitter": KFold(3), "repeats": 2}, ParameterError, "Use RepeatedKFold"),
        ({"loss": "log"}, ParameterError, "'squared', 'absolute' for a regressor"),
        ({"loss": lambda y, f: np.ones(2)}, DataError, "one for each row, or a single"),
        ({"loss": lambda y, f: y * np.nan}, DataError, "must be a number; got NaN"),
        ({"groups": np.ones(9)}, ParameterError, "2 to 1 folds, the number of groups"),
        ({"random_state": "a"}, ParameterError, "random_state must be None, a whole"),
        ({"random_state": -1}, ParameterError, "random_state must be"),
        ({"model": KMeans()}, ParameterError, "must predict targets; got a KMeans"),
        ({"model": LinearSVC(), "y": np.array([*"abcdefgh", None], object)},
         DataError, "y must be known; got none in row 8. Drop the rows"),
        ({"groups": np.ones(4)}, DataError, "groups must have one entry for each"),
        ({"sample_weight": -np.ones(9)}, DataError, "sample_weight must be >= 0"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, error, words):
    given = {
        "model": LinearRegression(),
        "X": np.arange(9.0)[:, None],
        "y": np.ones(9),
        "splitter": 3,
    }
    with pytest.raises(error, match=words):
        cross_validate(**(given | change))


def test_bad_losses_and_methods_get_a_sentence():
    X, y = labels(30)
    with pytest.raises(ParameterError, match="on must be 'predictions' or"):
        Loss("x", np.mean, on="scores")
    with pytest.raises(ParameterError, match="needs a model that offers predict_proba"):
        cross_validate(LinearSVC(), X, y, splitter=3, loss="log")
    with pytest.raises(ParameterError, match="method must be"):
        out_of_fold(LinearSVC(), X, y, method="decision_function")
    with pytest.raises(ParameterError, match="needs a classifier that offers it"):
        out_of_fold(LinearSVC(), X, y, splitter=3, method="predict_proba")
    with pytest.raises(DataError, match="one column of labels"):
        cross_validate(LinearSVC(), X, np.ones((30, 2)))
    with pytest.raises(DataError, match="mixed types"):
        cross_validate(LinearSVC(), X, np.array(["a", 1, 2.0] * 10, dtype=object))


def test_a_splitter_sees_the_rows_themselves():
    X, y = numbers(40)
    table = pa.table({"a": X[:, 0], "day": np.arange(40) % 4})

    class ByDay:
        def split(self, X, y, groups):
            day = X["day"].to_numpy()
            return [
                (np.flatnonzero(day != d), np.flatnonzero(day == d)) for d in (0, 1)
            ]

    assert cross_validate(LinearRegression(), table, y, splitter=ByDay()).n_test == 10
    found = cross_validate(LinearRegression(), table, y, splitter=KFold(5))
    assert found.n_test == 8
