"""The best of several models, and what its own estimate is worth."""

import matplotlib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from corollary import (
    JoinTheDots,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    bootstrap_error,
    choose_model,
    cross_validate,
    expected_least_error,
    hold_out_split,
    leave_one_out,
)

MODELS = {
    "linear": LinearRegression(),
    "quadratic": make_pipeline(PolynomialFeatures(2), LinearRegression()),
    "join the dots": JoinTheDots(),
}
WAYS = ("cross-validation", "hold-out", "leave-one-out", "bootstrap")


class Guess(ClassifierMixin, BaseEstimator):
    """Labels by the hash of a row: a coin for each row and seed."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        rng = np.random.default_rng([self.seed, 12345])
        return rng.integers(2, size=1000)[X[:, 0].astype(int)]


def parabola(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, size=(n, 1))
    return x, 0.35 * (x[:, 0] - 4.5) ** 2 + rng.normal(size=n)


@pytest.mark.course("S4-56")
@pytest.mark.parametrize("by", WAYS)
def test_every_way_chooses_the_quadratic(by):
    x, y = parabola()
    found = choose_model(MODELS, x, y, by=by)
    assert found.chosen == "quadratic"
    assert found.losses.argmin() == 1
    assert found.as_good[1]
    assert not found.as_good[0]
    np.testing.assert_allclose(
        found.model.predict(x), MODELS["quadratic"].fit(x, y).predict(x)
    )


@pytest.mark.course("S4-56")
def test_the_estimates_are_those_of_each_way():
    x, y = parabola(30)
    folds = choose_model(MODELS, x, y, splitter=KFold(5))
    left = choose_model(MODELS, x, y, by="leave-one-out")
    drawn = choose_model(MODELS, x, y, by="bootstrap", random_state=2)
    rows = np.arange(30)
    held = choose_model(MODELS, x, y, by="hold-out", splitter=[(rows[9:], rows[:9])])
    for i, model in enumerate(MODELS.values()):
        one = cross_validate(model, x, y, splitter=KFold(5))
        np.testing.assert_allclose(folds.losses[i], one.mean)
        np.testing.assert_allclose(folds.fold_losses[i], one.fold_losses)
        np.testing.assert_allclose(left.losses[i], leave_one_out(model, x, y).mean)
        boot = bootstrap_error(model, x, y, n_resamples=50, random_state=2)
        np.testing.assert_allclose(drawn.losses[i], boot.error)
        errors = (y[:9] - model.fit(x[9:], y[9:]).predict(x[:9])) ** 2
        np.testing.assert_allclose(held.losses[i], errors.mean())
        np.testing.assert_allclose(
            held.standard_errors[i], errors.std(ddof=1) / np.sqrt(9)
        )
    third = choose_model(MODELS, x, y, by="hold-out")
    assert third.fold_losses.shape == (3, 1)


@pytest.mark.course("S4-57", "S3-98", "S1-42")
def test_the_winner_of_many_random_models_looks_better_than_it_is():
    n, M, rounds = 400, 60, 25
    shown, true = [], []
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        X, y = np.arange(n)[:, None], rng.integers(2, size=n)
        split = hold_out_split(X, y, test=200, validation=100, random_state=seed)
        models = {f"{m}": Guess(1000 * seed + m) for m in range(M)}
        every = np.r_[split.train.rows, split.validation.rows]
        at = np.searchsorted(np.sort(every), split.validation.rows)
        pair = (np.setdiff1d(np.arange(200), at), at)
        found = choose_model(
            models, X[np.sort(every)], y[np.sort(every)], by="hold-out", splitter=[pair]
        )
        shown.append(found.losses.min())
        true.append(split.test.judge(found.model).risk)
    assert np.mean(shown) < 0.42 < np.mean(true)
    np.testing.assert_allclose(np.mean(true), 0.5, atol=0.03)
    expected = expected_least_error(100, M)
    np.testing.assert_allclose(np.mean(shown), expected, atol=0.02)


@pytest.mark.course("S4-57")
def test_cross_validation_of_the_winner_is_below_its_test_error():
    gaps = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = np.arange(160)[:, None], rng.integers(2, size=160)
        split = hold_out_split(X, y, test=80, random_state=seed)
        models = {f"{m}": Guess(1000 * seed + m) for m in range(40)}
        found = choose_model(models, split.train.X, split.train.y, splitter=4)
        gaps.append(split.test.judge(found.model).risk - found.losses.min())
    assert np.mean(gaps) > 0.08  # the best of 40 coins on 80 rows
    np.testing.assert_allclose(
        np.mean(gaps), 0.5 - expected_least_error(80, 40), atol=0.04
    )


def test_the_expected_minimum_is_what_draws_say():
    rng = np.random.default_rng(0)
    drawn = rng.binomial(50, 0.3, size=(20_000, 7)).min(axis=1).mean() / 50
    np.testing.assert_allclose(expected_least_error(50, 7, 0.3), drawn, atol=2e-3)
    assert expected_least_error(50, 1, 0.3) == pytest.approx(0.3)
    assert expected_least_error(10, 5, 0.0) == 0.0
    assert expected_least_error(10, 5, 1.0) == pytest.approx(1.0)


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x, y = parabola()
    found = choose_model(MODELS, x, y)
    lines = str(found).splitlines()
    assert lines[0] == "squared loss by cross-validation"
    assert lines[1].startswith("  quadratic")
    assert lines[1].endswith("<- chosen")
    assert lines[-1] == "The least of several estimates is too small for its model."
    ax = found.plot()
    assert next(t.get_text() for t in ax.get_yticklabels()) == "quadratic"
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"models": [LinearRegression()]}, ParameterError, "a mapping of names"),
        ({"models": {}}, ParameterError, "a mapping of names"),
        ({"models": {"a": 3}}, ParameterError, "with fit and predict; got 3"),
        ({"models": {"a": LinearRegression(), "b": LogisticRegression()}},
         ParameterError, "all classifiers or all regressors"),
        ({"by": "luck"}, ParameterError, "by must be one of 'cross-validation'"),
        ({"by": "bootstrap", "splitter": 3}, ParameterError, "takes no splitter"),
        ({"by": "bootstrap", "sample_weight": np.ones(9)}, ParameterError,
         "takes no sample_weight"),
        ({"by": "hold-out", "splitter": 1.0}, ParameterError, "some of the 9 rows"),
        ({"by": "hold-out", "splitter": 3}, ParameterError, "one pair of rows; got 3"),
        ({"y": np.ones(2)}, DataError, "one target for each"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, error, words):
    given = {"models": MODELS, "X": np.arange(9.0)[:, None], "y": np.ones(9)}
    with pytest.raises(error, match=words):
        choose_model(**(given | change))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((0, 1), "n_rows"), ((1, 0.5), "n_models"), ((1, 1, 2), "error must be")],
)
def test_bad_counts_get_a_sentence(arguments, words):
    with pytest.raises(ParameterError, match=words):
        expected_least_error(*arguments)
