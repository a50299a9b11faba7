import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.datasets import load_iris, make_multilabel_classification

from corollary import FisherDiscriminant, Ridge, RidgeClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import optimality_gap

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, "balanced", {0: 1.0, 2: 10.0}])
@pytest.mark.parametrize("solver", ["auto", "svd", "sparse_cg"])
def test_agrees_with_scikit_learn(solver, weights, intercept):
    X, y = IRIS[0][20:], IRIS[1][20:]
    how = {"alpha": 0.7, "class_weight": weights, "fit_intercept": intercept}
    ours = RidgeClassifier(**how, solver=solver, tol=1e-12).fit(X, y)
    theirs = sklearn.linear_model.RidgeClassifier(**how, solver="svd").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.course("S1-33", "S3-62")
def test_is_ridge_on_targets_of_plus_and_minus_one():
    X, y = IRIS
    w = np.random.default_rng(0).uniform(0, 2, len(y))
    S = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    several, ridge = RidgeClassifier(0.3).fit(X, y, w), Ridge(0.3).fit(X, S, w)
    np.testing.assert_allclose(several.coef_, ridge.coef_, rtol=1e-12)
    np.testing.assert_allclose(several.decision_function(X), ridge.predict(X))
    two, ridge = RidgeClassifier(0.3).fit(X, y == 1, w), Ridge(0.3).fit(X, S[:, 1], w)
    np.testing.assert_allclose(two.coef_, ridge.coef_[None], rtol=1e-12)
    assert two.intercept_ == pytest.approx([ridge.intercept_])


def test_two_equal_classes_give_fishers_direction():
    X, y = IRIS[0][50:], IRIS[1][50:]
    ridge = RidgeClassifier(1e-9).fit(X, y).coef_[0]
    fisher = FisherDiscriminant().fit(X, y).directions_.ravel()
    cosine = ridge @ fisher / np.linalg.norm(ridge) / np.linalg.norm(fisher)
    assert abs(cosine) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_rows_may_have_several_labels(layout):
    X, Y = make_multilabel_classification(random_state=0)
    ours = RidgeClassifier().fit(layout(X), Y)
    theirs = sklearn.linear_model.RidgeClassifier().fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.multilabel_
    assert ours.score(X, Y) == theirs.score(X, Y)


def test_a_stream_gives_what_all_rows_give():
    X, y = IRIS
    model, order = RidgeClassifier(), np.random.default_rng(0).permutation(150)
    for rows in np.array_split(order, 4):
        model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(model.coef_, RidgeClassifier().fit(X, y).coef_)


def test_states_its_convex_problem():
    X, y = IRIS
    model = RidgeClassifier(2.0, class_weight={False: 3.0}).fit(X, y == 1)
    assert optimality_gap(model, X, y == 1).gap < 1e-12
    model.coef_ = 0.9 * model.coef_
    assert optimality_gap(model, X, y == 1).gap > 1e-3


def test_refuses_what_it_cannot_do():
    X, Y = make_multilabel_classification(random_state=0)
    with pytest.raises(ParameterError, match="class_weight must be None where rows"):
        RidgeClassifier(class_weight="balanced").fit(X, Y)
    with pytest.raises(DataError, match="must be 0 or 1"):
        RidgeClassifier().fit(X, 3 * Y)
    with pytest.raises(ParameterError, match="in a stream"):
        RidgeClassifier(class_weight="balanced").partial_fit(X, Y[:, 0], classes=[0, 1])
