import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.model_selection import KFold, ShuffleSplit

from corollary import Ridge, RidgeCV
from corollary.core.errors import DataError, ParameterError
from corollary.linear.least_squares.ridge_path import ridge_path

ALPHAS = (0.01, 0.3, 10.0, 300.0)


def make(n=60, d=8, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    shape = (d,) if m is None else (d, m)
    noise = rng.normal(size=(n,) if m is None else (n, m))
    return X, X @ rng.normal(size=shape) + 3 * noise


def same(ours, theirs):
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


@pytest.mark.course("S3-99")
@pytest.mark.parametrize("m", [None, 1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"scoring": "neg_mean_absolute_error"},
        {"scoring": "r2", "alpha_per_target": True},
        {"alpha_per_target": True},
        {"store_cv_results": True},
        {"store_cv_results": True, "scoring": "r2"},
        {"cv": 4},
        {"cv": KFold(3, shuffle=True, random_state=0), "scoring": "r2"},
        {"cv": ShuffleSplit(3, random_state=0)},
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_agrees_with_scikit_learn(m, options, wide):
    X, y = make(20 if wide else 60, 30 if wide else 8, m)
    if m is None and options.get("alpha_per_target"):
        options = options | {"alpha_per_target": False}
    ours = RidgeCV(ALPHAS, **options).fit(X, y)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, **options).fit(X, y)
    same(ours, theirs)
    if options.get("store_cv_results"):
        results = theirs.cv_results_.reshape(ours.cv_results_.shape)
        np.testing.assert_allclose(ours.cv_results_, results, rtol=1e-7, atol=1e-9)


@pytest.mark.course("S4-62")
def test_the_penalty_is_chosen_by_held_out_error_not_by_the_objective():
    X, y = make(40, 15)
    alphas = np.logspace(-3, 5, 17)
    model = RidgeCV(alphas, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    path = ridge_path(X, y, alphas)
    objective = path.residuals + alphas * (path.coefs**2).sum(axis=1)
    assert (np.diff(objective) > 0).all()  # rises with alpha: would take the least
    assert (np.diff(path.residuals) > 0).all()  # so does the training error
    held_out = -model.scores_
    assert model.alpha_ == alphas[np.argmin(held_out)]
    assert alphas[0] < model.alpha_ < alphas[-1]
    assert held_out[0] > held_out.min() < held_out[-1]  # high variance, high bias
    np.testing.assert_allclose(model.coef_, Ridge(model.alpha_).fit(X, y).coef_)


@pytest.mark.course("S4-62")
def test_folds_are_fits_without_their_rows():
    X, y = make(45, 6)
    w = np.random.default_rng(1).uniform(0.5, 2, 45)
    scoring = "neg_mean_squared_error"
    model = RidgeCV(ALPHAS, cv=5, scoring=scoring).fit(X, y, w)
    for i, alpha in enumerate(ALPHAS):
        errors = []
        for train, test in KFold(5).split(X):
            one = Ridge(alpha).fit(X[train], y[train], w[train])
            miss = (y[test] - one.predict(X[test])) ** 2
            errors.append(np.average(miss, weights=w[test]))
        assert model.scores_[i] == pytest.approx(-np.mean(errors), rel=1e-9)


def test_weights_as_in_scikit_learn_where_rows_are_left_out():
    X, y = make()
    w = np.random.default_rng(0).uniform(0.1, 3, 60)
    ours = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, w)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, w)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-8)
    assert ours.best_score_ == pytest.approx(theirs.best_score_ * 60 / w.sum())
    ours = RidgeCV(ALPHAS, scoring="r2").fit(X, y, w)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, scoring="r2").fit(X, y, w)
    same(ours, theirs)


def test_sparse_rows_and_a_function_that_scores():
    X, y = make(50, 6)
    X = np.where(np.abs(X) < 0.7, 0.0, X)

    def worst(model, P, t):
        return -np.abs(t - model.predict(P)).max()

    dense = RidgeCV(ALPHAS, scoring=worst).fit(X, y)
    same(RidgeCV(ALPHAS, scoring=worst).fit(sp.csr_matrix(X), y), dense)
    same(dense, sklearn.linear_model.RidgeCV(ALPHAS, scoring=worst).fit(X, y))
    folds = RidgeCV(ALPHAS, cv=3).fit(sp.csr_matrix(X), y)
    same(folds, RidgeCV(ALPHAS, cv=3).fit(X, y))


def test_splits_number_rows_of_weight_zero_too():
    X, y = make()
    kept = np.arange(60) % 3 > 0
    splits = list(KFold(4).split(X))
    number = np.cumsum(kept) - 1
    fewer = [tuple(number[rows[kept[rows]]] for rows in both) for both in splits]
    ours = RidgeCV(ALPHAS, cv=splits).fit(X, y, kept.astype(float))
    same(ours, RidgeCV(ALPHAS, cv=fewer).fit(X[kept], y[kept]))


def test_bad_parameters():
    X, y = make()
    with pytest.raises(ParameterError, match="alphas must be > 0 where rows are left"):
        RidgeCV([0.0, 1.0]).fit(X, y)
    with pytest.raises(ParameterError, match="store_cv_results=True are incompatible"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(ParameterError, match="alpha_per_target=True are incompatible"):
        RidgeCV(cv=3, alpha_per_target=True).fit(X, y)
    with pytest.raises(DataError, match="RidgeCV: cv needs rows in memory"):
        RidgeCV(cv=3).fit(lambda: iter([(X, y)]))
    with pytest.raises(DataError, match="needs data it can read again"):
        RidgeCV().fit(iter([(X, y)]))


def test_a_mode_that_goes_away_for_sparse_rows_is_told():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20.0)
    plain = RidgeCV(gcv_mode="svd").fit(X, y)
    with pytest.warns(FutureWarning, match="RidgeCV: gcv_mode='svd' for sparse X"):
        told = RidgeCV(gcv_mode="svd").fit(sp.csr_array(X), y)
    np.testing.assert_allclose(told.coef_, plain.coef_)


def test_the_report_names_the_choice():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    y = X[:, 0] + rng.normal(size=40)
    model = RidgeCV([0.01, 1.0, 100.0]).fit(X, y)
    assert model.report_.facts["chosen_alpha"] == model.alpha_ == 1.0
    assert "choice_at_end" not in model.report_.facts
    least = RidgeCV([100.0, 1000.0]).fit(X, X[:, 0])
    assert least.report_.facts["choice_at_end"] == "smallest"
    assert "the smallest one tried: try more beyond it" in str(least.report_)
    Y = np.column_stack([y, X[:, 1]])
    each = RidgeCV([0.01, 1.0, 100.0], alpha_per_target=True).fit(X, Y)
    assert each.report_.facts["chosen_alpha"] == each.alpha_.tolist()
    folds = RidgeCV([0.01, 1.0], cv=3).fit(X, y)
    assert folds.report_.facts["chosen_alpha"] == folds.alpha_
