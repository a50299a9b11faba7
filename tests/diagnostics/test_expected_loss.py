"""Loss and score over any learner, against the losses written out."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, hinge_loss, log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline

from corollary import (
    DataError,
    DecisionTreeClassifier,
    GaussianNB,
    KNeighborsClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    ParameterError,
    Ridge,
    StandardScaler,
)
from corollary.diagnostics import expected_loss
from corollary.objectives import CrossEntropy, Hinge, Huber, Squared, multiclass_hinge
from corollary.selection import Loss


def rows(K=2, n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    return rng.normal(size=(n, 3)) + 1.2 * rng.normal(size=(K, 3))[y], y


@pytest.mark.course("S3-111")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        GaussianNB(),
        KNeighborsClassifier(),
        DecisionTreeClassifier(max_depth=3),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda m: type(m).__name__,
)
def test_any_classifier_and_every_loss_of_its_answers(learner, K):
    X, y = rows(K)
    model = learner.fit(X[:100], y[:100])
    X, y = X[100:], y[100:]
    P = model.predict_proba(X)
    error = expected_loss(model, X, y)
    assert error.mean == pytest.approx(1 - model.score(X, y))
    assert error.total == pytest.approx((model.predict(X) != y).sum())
    p = error.mean
    assert error.standard_error == pytest.approx(np.sqrt(p * (1 - p) / 99))
    assert expected_loss(model, X, y, loss="log").mean == pytest.approx(
        log_loss(y, np.maximum(P, 1e-15), labels=model.classes_)
    )
    brier = ((P - np.eye(K)[y]) ** 2).sum(axis=1).mean()
    assert expected_loss(model, X, y, loss="brier").mean == pytest.approx(brier)
    if K == 2:
        assert brier == pytest.approx(2 * brier_score_loss(y, P[:, 1]))


@pytest.mark.course("S3-111")
def test_scores_and_losses_of_scores():
    X, y = rows()
    y = np.where(y == 1, "yes", "no")
    model = LinearSVC().fit(X, y)
    f = model.decision_function(X)
    u = np.where(y == "yes", 1, -1) * f
    hinge = expected_loss(model, X, y, loss="hinge")
    assert hinge.mean == pytest.approx(hinge_loss(y, f))
    assert hinge.asked == "scores"
    assert hinge.bounds_error
    assert hinge.mean >= expected_loss(model, X, y).mean
    assert expected_loss(model, X, y, loss=Hinge()).mean == hinge.mean
    for name, phi in (
        ("log_loss", np.log1p(np.exp(-u))),
        ("exponential", np.exp(-u)),
        ("perceptron", np.maximum(-u, 0)),
        ("squared_error", (1 - u) ** 2 / 2),
    ):
        found = expected_loss(model, X, y, loss=name)
        np.testing.assert_allclose(found.losses, phi, atol=1e-12)
    # the hinge of two classes is that of several
    several = expected_loss(model, X, y, loss="multiclass_hinge")
    np.testing.assert_allclose(several.losses, hinge.losses)


@pytest.mark.course("S3-111")
def test_several_scores():
    X, y = rows(3)
    model = LogisticRegression().fit(X, y)
    S = model.decision_function(X)
    found = expected_loss(model, X, y, loss="multiclass_hinge")
    np.testing.assert_allclose(found.losses, multiclass_hinge(S, y))
    cross = expected_loss(model, X, y, loss=CrossEntropy())
    assert cross.mean == pytest.approx(log_loss(y, model.predict_proba(X)))


@pytest.mark.course("S3-111")
def test_regressors():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120)
    for learner in (LinearRegression(), Ridge(alpha=10.0)):
        r = learner.fit(X, y).predict(X) - y
        assert expected_loss(learner, X, y).mean == pytest.approx(np.mean(r**2))
        assert expected_loss(learner, X, y).total == pytest.approx(np.sum(r**2))
        absolute = expected_loss(learner, X, y, loss="absolute")
        assert absolute.mean == pytest.approx(np.abs(r).mean())
        half = expected_loss(learner, X, y, loss=Squared())
        assert half.mean == pytest.approx(np.mean(r**2) / 2)
        robust = expected_loss(learner, X, y, loss=Huber(delta=0.5))
        assert robust.mean == pytest.approx(
            np.where(np.abs(r) < 0.5, r**2 / 2, 0.5 * np.abs(r) - 0.125).mean()
        )


@pytest.mark.course("S3-111")
def test_the_estimate_is_unbiased_on_new_rows_and_not_on_those_fitted_to():
    X, y = rows(2, 4000, seed=2)
    tree = DecisionTreeClassifier().fit(X[:100], y[:100])
    truth = expected_loss(tree, X[1000:], y[1000:]).mean
    assert expected_loss(tree, X[:100], y[:100]).mean == 0
    new = expected_loss(tree, X[100:300], y[100:300])
    assert abs(new.mean - truth) < 3 * new.standard_error


def test_functions_weights_and_losses_of_all_rows():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    cost = expected_loss(model, X, y, loss=lambda y, f: 10.0 * (y > f) + (f > y))
    y_hat = model.predict(X)
    assert cost.mean == pytest.approx(np.mean(10 * (y > y_hat) + (y_hat > y)))
    w = np.arange(200) % 3
    weighted = expected_loss(model, X, y, sample_weight=w)
    assert weighted.mean == pytest.approx(np.average(y_hat != y, weights=w))
    auc = Loss("1 - AUC", lambda c, P: 1 - roc_auc_score(c, P[:, 1]), "probabilities")
    ranked = expected_loss(model, X, y, loss=auc)
    assert ranked.losses is None
    assert float(ranked) == pytest.approx(
        1 - roc_auc_score(y, model.predict_proba(X)[:, 1])
    )
    assert "1 - AUC" in str(ranked)


def test_errors():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    with pytest.raises(ParameterError, match="loss must be a name"):
        expected_loss(model, X, y, loss=3)
    with pytest.raises(ParameterError, match="loss must be a function or one of"):
        expected_loss(model, X, y, loss="hindsight")
    with pytest.raises(ParameterError, match="must be fitted"):
        expected_loss("model", X, y)
    X3, y3 = rows(3)
    with pytest.raises(ParameterError, match="one of two classes"):
        expected_loss(GaussianNB().fit(X3, y3), X3, y3, loss="hinge")
    with pytest.raises(ParameterError, match="must be a classifier"):
        expected_loss(Ridge().fit(X, y), X, y, loss="hinge")
    with pytest.raises(DataError, match="classes of the model"):
        expected_loss(model, X, y + 5, loss="hinge")
    with pytest.raises(DataError):
        expected_loss(model, X, y[:-1])
