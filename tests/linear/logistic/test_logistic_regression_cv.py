import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from corollary import LogisticRegression, LogisticRegressionCV, load, save
from corollary.core.errors import DataError, ParameterError
from corollary.datasets import classification


@pytest.mark.course("S2-14")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_equals_a_search_over_the_grid(k, sparse):
    drawn = classification(200, 4, k, random_state=1)
    X = sp.csr_matrix(drawn.X) if sparse else drawn.X
    Cs, cv = [0.01, 0.1, 1.0, 100.0], StratifiedKFold(3)
    model = LogisticRegressionCV(Cs=Cs, cv=cv, scoring="neg_log_loss", tol=1e-8)
    model.fit(X, drawn.y)
    grid = GridSearchCV(
        LogisticRegression(tol=1e-8), {"C": Cs}, scoring="neg_log_loss", cv=cv
    ).fit(X, drawn.y)
    assert model.C_ == grid.best_params_["C"]
    scores = [grid.cv_results_[f"split{f}_test_score"] for f in range(3)]
    np.testing.assert_allclose(model.scores_[:, 0], scores, rtol=1e-5)
    np.testing.assert_allclose(model.coef_, grid.best_estimator_.coef_, atol=1e-6)
    assert model.score(X, drawn.y) == pytest.approx(
        grid.best_estimator_.predict_log_proba(X)[np.arange(200), drawn.y].mean()
    )
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X.copy()))


def test_equals_scikit_learn():
    drawn = classification(300, 3, 3, random_state=2)
    options = dict(Cs=[0.1, 10.0], cv=3, scoring="neg_log_loss", l1_ratios=(0.0,))
    options |= dict(tol=1e-8, max_iter=1000, use_legacy_attributes=False)
    ours = LogisticRegressionCV(**options).fit(drawn.X, drawn.y)
    theirs = sklearn.linear_model.LogisticRegressionCV(**options)
    theirs.fit(drawn.X, drawn.y)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-4)
    assert (ours.C_, ours.l1_ratio_) == (theirs.C_, theirs.l1_ratio_)
    assert ours.coefs_paths_.shape == theirs.coefs_paths_.shape
    np.testing.assert_allclose(
        ours.coefs_paths_[..., :3], theirs.coefs_paths_[..., :3], atol=1e-3
    )
    np.testing.assert_allclose(
        ours.predict_proba(drawn.X), theirs.predict_proba(drawn.X), atol=1e-4
    )


def test_the_share_of_the_l1_penalty_is_chosen_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 40))
    y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=200) > 0, "up", "down")
    model = LogisticRegressionCV(
        Cs=[0.05, 0.5], l1_ratios=[0.0, 1.0], solver="saga", scoring="neg_log_loss"
    ).fit(X, y)
    assert model.l1_ratio_ == 1.0  # few columns matter
    assert np.count_nonzero(model.coef_) < 25
    assert model.scores_.shape == (5, 2, 2)
    assert model.n_iter_.shape == (5, 2, 2)
    assert set(model.predict(X)) == {"up", "down"}
    assert model.report_.learner == "LogisticRegressionCV"
    assert "gap" in model.report_.optimality.kind


def test_without_refit_the_folds_are_averaged():
    drawn = classification(200, 3, 2, random_state=0)
    options = dict(Cs=[0.01, 1.0], cv=4, refit=False, tol=1e-8)
    model = LogisticRegressionCV(**options).fit(drawn.X, drawn.y)
    at = model.scores_[:, 0].argmax(axis=1)
    theta = np.mean([model.coefs_paths_[f, 0, at[f]] for f in range(4)], axis=0)
    np.testing.assert_allclose(model.coef_, theta[:, :3])
    np.testing.assert_allclose(model.intercept_, theta[:, 3])
    assert model.C_ == pytest.approx(np.mean(np.array([0.01, 1.0])[at]))


def test_weights_count_in_fits_and_scores():
    drawn = classification(120, 3, 2, random_state=0)
    X, y = drawn.X, drawn.y
    train, test = np.arange(80), np.arange(80, 120)
    w = np.random.default_rng(0).integers(0, 3, 120)
    options = dict(Cs=[0.1, 1.0], scoring="neg_log_loss", tol=1e-9)
    weighted = LogisticRegressionCV(cv=[(train, test)], **options).fit(X, y, w)
    rows = np.repeat(np.arange(120), w)
    folds = [(np.flatnonzero(rows < 80), np.flatnonzero(rows >= 80))]
    repeated = LogisticRegressionCV(cv=folds, **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_class_weights_go_by_label():
    drawn = classification(150, 3, 2, random_state=0)
    labels = np.array(["a", "b"])[drawn.y]
    options = dict(Cs=[1.0], cv=3, tol=1e-8)
    model = LogisticRegressionCV(class_weight={"b": 5.0}, **options)
    model.fit(drawn.X, labels)
    alone = LogisticRegression(class_weight={"b": 5.0}, tol=1e-8).fit(drawn.X, labels)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    with pytest.raises(ParameterError, match="class_weight must name classes among"):
        LogisticRegressionCV(class_weight={"z": 5.0}, **options).fit(drawn.X, labels)


def test_saving(tmp_path):
    drawn = classification(100, 3, 2, random_state=0)
    model = LogisticRegressionCV(Cs=2, cv=2).fit(drawn.X, drawn.y)
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(
        again.predict_proba(drawn.X), model.predict_proba(drawn.X)
    )
    np.testing.assert_array_equal(again.scores_, model.scores_)


def test_bad_input():
    drawn = classification(60, 3, 2, random_state=0)
    X, y = drawn.X, drawn.y
    for options, words in (
        ({"Cs": [1.0, 0.0]}, "Cs must hold at least one number, all > 0"),
        ({"Cs": []}, "Cs must hold at least one number, all > 0"),
        ({"l1_ratios": [0.5, 2.0]}, "l1_ratios must hold at least one number, all in"),
        ({"l1_ratios": (1.0,)}, "solver 'lbfgs' takes an L2 penalty or none"),
    ):
        with pytest.raises(ParameterError, match=words):
            LogisticRegressionCV(**options).fit(X, y)
    with pytest.raises(DataError, match="at least 2 classes in the data; got one"):
        LogisticRegressionCV().fit(X, np.zeros(60))
    with pytest.warns(ConvergenceWarning) as caught:
        LogisticRegressionCV(max_iter=1, tol=1e-12, Cs=2, cv=2).fit(X, y)
    assert "fits of the folds' paths stopped" in str(caught[-1].message)


@pytest.mark.parametrize("K", [2, 3])
def test_the_older_attributes_are_dicts_by_class(K):
    drawn = classification(120, 4, K, random_state=0)
    X, y = drawn.X, np.array(["a", "b", "c"])[drawn.y]
    options = dict(Cs=3, cv=2, l1_ratios=(0.0, 0.5), solver="saga", tol=1e-3)
    newer = LogisticRegressionCV(**options).fit(X, y)
    older = LogisticRegressionCV(use_legacy_attributes=True, **options).fit(X, y)
    labels = ["b"] if K == 2 else ["a", "b", "c"]
    assert list(older.scores_) == list(older.coefs_paths_) == labels
    for k, label in enumerate(labels):
        for fold, rho, at in np.ndindex(newer.scores_.shape):
            assert older.scores_[label][fold, at, rho] == newer.scores_[fold, rho, at]
            assert older.n_iter_[0, fold, at, rho] == newer.n_iter_[fold, rho, at]
            np.testing.assert_array_equal(
                older.coefs_paths_[label][fold, at, rho],
                newer.coefs_paths_[fold, rho, at, k],
            )
    assert older.C_.tolist() == [newer.C_] * len(labels)
    assert older.l1_ratio_.tolist() == [newer.l1_ratio_] * len(labels)
    np.testing.assert_array_equal(older.predict_proba(X), newer.predict_proba(X))
    flat = LogisticRegressionCV(Cs=3, cv=2, use_legacy_attributes=True).fit(X, y)
    assert flat.scores_["b"].shape == (2, 3)
    assert flat.coefs_paths_["b"].shape == (2, 3, 5)
    assert flat.n_iter_.shape == (1, 2, 3)


def test_what_goes_away_is_told():
    drawn = classification(60, 3, 2, random_state=0)
    with pytest.warns(FutureWarning, match="LogisticRegressionCV: penalty is depr"):
        LogisticRegressionCV(penalty="l2", Cs=2).fit(drawn.X, drawn.y)


def test_weights_count_in_scores_unless_the_scorer_refuses_them():
    drawn = classification(200, 3, 2, random_state=0)
    X, y, w = drawn.X, drawn.y, 1.0 + (np.arange(200) < 100)
    plain, asked = get_scorer("accuracy"), get_scorer("accuracy")
    options = dict(Cs=[1.0], cv=2)
    with sklearn.config_context(enable_metadata_routing=True):
        plain.set_score_request(sample_weight=False)
        asked.set_score_request(sample_weight=True)
        without = LogisticRegressionCV(scoring=plain, **options).fit(X, y, w)
        by_weight = LogisticRegressionCV(scoring=asked, **options).fit(X, y, w)
        with pytest.raises(TypeError, match="score takes sample_weight only if"):
            without.score(X, y, w)
        assert by_weight.score(X, y, w) != without.score(X, y)
    default = LogisticRegressionCV(**options).fit(X, y, w)
    np.testing.assert_array_equal(by_weight.scores_, default.scores_)
    assert not np.allclose(by_weight.scores_, without.scores_)
    np.testing.assert_array_equal(by_weight.coef_, without.coef_)
