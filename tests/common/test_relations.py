"""Relations that hold for every learner: weights, order, scale, dtype, layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

import corollary
from common.learners import LEARNERS, assert_same, flat, make_data

DATA = make_data(n=120, d=4, seed=3)
SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=15, deadline=None)


def fit(case, X, y=None, w=None, **more):
    return case.make(**more).fit(X, y, sample_weight=w)


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("case", LEARNERS, ids=str)
@given(seed=SEEDS)
@FEW
def test_weight_is_repetition_and_zero_is_removal(case, seed):
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, size=len(DATA.X))
    X, y = case.rows(DATA.X), DATA.y(case.target)
    repeated = np.repeat(np.arange(len(X)), times)
    weighted = fit(case, X, y, times.astype(float))
    again = fit(case, X[repeated], None if y is None else y[repeated])
    assert_same(case, weighted, again, rtol=max(1e-8, case.rtol))


@pytest.mark.parametrize("case", LEARNERS, ids=str)
@given(seed=SEEDS)
@FEW
def test_order_of_rows_does_not_matter(case, seed):
    order = np.random.default_rng(seed).permutation(len(DATA.X))
    X, y = case.rows(DATA.X), DATA.y(case.target)
    model = fit(case, X[order], None if y is None else y[order])
    assert_same(case, model, fit(case, X, y), rtol=max(1e-8, case.rtol))


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_memory_layout_does_not_matter(case):
    rows, y = case.rows(DATA.X), DATA.y(case.target)
    wide = np.zeros((120, 8))
    wide[:, ::2] = rows
    for X in (np.asfortranarray(rows), wide[:, ::2], rows[::-1][::-1]):
        assert_same(case, fit(case, X, y), fit(case, rows, y), rtol=1e-14)


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_float32_is_learned_in_float32_and_close(case):
    y = DATA.y(case.target)
    X32 = case.rows(DATA.X).astype(np.float32)
    more = {"tol": 1e-4} if case.name == "LogisticRegression" else {}
    model = fit(case, X32, y, **more)
    assert_same(case, model, fit(case, X32.astype(np.float64), y, **more), rtol=2e-3)
    sums = case.name.endswith("NB") or case.name == "PriorClassifier"
    doubles = ("KBinsDiscretizer", "PowerTransformer", "QuantileTransformer")
    sums |= case.name in doubles
    if case.learned and not sums:  # these are float64
        assert flat(getattr(model, case.learned[0])).dtype == np.float32


@pytest.mark.parametrize("name", ["LinearRegression", "GaussianNB", "KMeans", "PCA"])
@given(factor=st.sampled_from([1e-6, 0.5, 3.0, 1e6]))
@FEW
def test_predictions_do_not_depend_on_the_unit(name, factor):
    case = next(c for c in LEARNERS if c.name == name)
    y = DATA.y(case.target)
    if name == "KMeans":
        start = DATA.X[:5]
        model = fit(case, DATA.X, init=start)
        other = fit(case, DATA.X * factor, init=start * factor)
        np.testing.assert_array_equal(model.labels_, other.labels_)
        return
    model, other = fit(case, DATA.X, y), fit(case, DATA.X * factor, y)
    if name == "PCA":
        a = model.transform(DATA.X) * factor
        b = other.transform(DATA.X * factor)
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9 * factor)
    else:
        a, b = model.predict(DATA.X), other.predict(DATA.X * factor)
        np.testing.assert_allclose(a, b, rtol=1e-8)


@pytest.mark.parametrize("name", ["KMeans", "PCA", "LinearRegression", "Ridge"])
@given(shift=st.sampled_from([-1e3, 10.0, 1e5]))
@FEW
def test_shifts_do_not_hurt(name, shift):
    case = next(c for c in LEARNERS if c.name == name)
    y = DATA.y(case.target)
    more = {"init": DATA.X[:5]} if name == "KMeans" else {}
    moved = {"init": DATA.X[:5] + shift} if name == "KMeans" else {}
    model, other = fit(case, DATA.X, y, **more), fit(case, DATA.X + shift, y, **moved)
    if name == "KMeans":
        np.testing.assert_array_equal(model.labels_, other.labels_)
        np.testing.assert_allclose(model.inertia_, other.inertia_, rtol=1e-8)
    elif name == "PCA":
        np.testing.assert_allclose(
            model.explained_variance_, other.explained_variance_, rtol=1e-7
        )
    else:
        np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-7)


# -- learners that part the rows themselves --------------------------------------------
PARTED = [
    ("LassoCV", {"alphas": [3.0, 0.3], "tol": 1e-12}, "number"),
    ("ElasticNetCV", {"alphas": [3.0, 0.3], "tol": 1e-12}, "number"),
    ("RidgeCV", {"alphas": (0.1, 100.0)}, "number"),
    ("LogisticRegressionCV", {"Cs": [0.01, 1.0], "tol": 1e-8}, "two"),
    (
        "LogisticRegressionCV",
        {"Cs": [0.1], "tol": 1e-8, "scoring": "neg_log_loss"},
        "label",
    ),
]


def chosen(model):
    """Return what such a fit decides."""
    score = "mse_path_" if hasattr(model, "mse_path_") else "scores_"
    return np.ravel(model.coef_), np.ravel(model.intercept_), getattr(model, score)


def assert_alike(model, other):
    for a, b in zip(chosen(model), chosen(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(("name", "options", "target"), PARTED)
@pytest.mark.parametrize("cv", [4, "splits"])
def test_weight_zero_is_removal_before_the_folds_are_made(name, options, target, cv):
    make, (X, y) = getattr(corollary, name), (DATA.X, DATA.y(target))
    times = np.random.default_rng(1).integers(0, 3, size=len(X))
    rows = np.flatnonzero(times)
    all_splits = few_splits = cv
    if cv == "splits":
        all_splits = list(KFold(4).split(X))
        number = np.cumsum(times > 0) - 1
        few_splits = [
            tuple(number[part][times[part] > 0] for part in both) for both in all_splits
        ]
    weighted = make(cv=all_splits, **options).fit(X, y, sample_weight=times)
    without = make(cv=few_splits, **options)
    assert_alike(weighted, without.fit(X[rows], y[rows], sample_weight=times[rows]))


@pytest.mark.parametrize(("name", "options", "target"), PARTED)
def test_weight_is_repetition_where_splits_keep_copies_together(name, options, target):
    make, (X, y) = getattr(corollary, name), (DATA.X, DATA.y(target))
    times = np.random.default_rng(2).integers(0, 3, size=len(X))
    copies = np.repeat(np.arange(len(X)), times)
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    together = [
        tuple(np.flatnonzero(np.isin(copies, part)) for part in both) for both in splits
    ]
    weighted = make(cv=splits, **options).fit(X, y, sample_weight=times)
    repeated = make(cv=together, **options).fit(X[copies], y[copies])
    assert_alike(weighted, repeated)


def test_a_class_without_weight_is_no_class():
    X, y = DATA.X, DATA.y("label")
    times = (y != y[0]).astype(float)
    model = corollary.LogisticRegressionCV(Cs=[1.0], cv=3)
    weighted = model.fit(X, y, sample_weight=times).classes_.tolist()
    assert weighted == np.unique(y[times > 0]).tolist()
