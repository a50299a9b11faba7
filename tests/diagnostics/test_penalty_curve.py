"""The penalty curve: what rises, what is U-shaped, and who may not choose."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from corollary import (
    SVC,
    DecisionTreeRegressor,
    ElasticNet,
    HuberRegressor,
    Lasso,
    LogisticRegression,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import penalized_objective, penalty_curve

LADDER = [0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1e4]


def noisy(n=80, d=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - X[:, 1] + 1.5 * rng.normal(size=n)


@pytest.mark.course("S4-66", "S4-62")
@pytest.mark.parametrize("seed", range(5))
def test_the_objective_always_chooses_no_penalty_and_validation_does_not(seed):
    X, y = noisy(seed=seed)
    found = penalty_curve(Ridge(), X, y, "alpha", LADDER)
    assert found.values == tuple(LADDER[::-1])  # from strong to weak
    assert (np.diff(found.objective) <= 1e-12).all()  # (4): weaker, lower
    assert found.by_objective == 0.0
    assert found.best >= 1.0  # 25 columns, 64 rows: some penalty pays
    assert (np.diff(found.training) <= 1e-12).all()
    by_value = dict(zip(found.values, found.validation, strict=True))
    assert by_value[found.best] < 0.95 * by_value[0.0]
    assert by_value[found.best] < by_value[1e4]


@pytest.mark.course("S4-66")
def test_it_mirrors_the_curve_over_the_degree():
    # ten powers of x: without a penalty they follow the noise, with a strong one
    # nothing is left of them
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, size=(40, 1))
    y = np.sin(3 * x[:, 0]) + 0.3 * rng.normal(size=40)
    model = make_pipeline(PolynomialFeatures(10), StandardScaler(), Ridge())
    found = penalty_curve(model, x, y, "ridge__alpha", [1e-9, 1e-3, 0.1, 10, 1e4])
    assert 1e-3 <= found.best <= 10
    assert found.verdicts[0] == "underfits"
    assert found.verdicts[-1] == "overfits"
    strong, weak = 0, len(found) - 1
    assert found.training[strong] > 0.8 * found.validation[strong]  # bias: both high
    assert found.validation[weak] > 2 * found.training[weak]  # variance: a gap
    assert found.simplest >= found.best


def test_losses_are_without_the_penalty():
    X, y = noisy()
    splits = list(KFold(4).split(X))
    found = penalty_curve(Ridge(), X, y, "alpha", [3.0], splitter=splits)
    out = cross_val_predict(Ridge(3.0), X, y, cv=KFold(4))
    assert found.validation[0] == pytest.approx(np.mean((y - out) ** 2))
    own, objective = [], []
    for train, _ in splits:
        model = Ridge(3.0).fit(X[train], y[train])
        miss = y[train] - model.predict(X[train])
        own.append(np.mean(miss**2))
        n = len(train)
        objective.append((miss @ miss + 3.0 * model.coef_ @ model.coef_) / (2 * n))
    assert found.training[0] == pytest.approx(np.mean(own))
    assert found.objective[0] == pytest.approx(np.mean(objective))


@pytest.mark.course("S4-66")
def test_the_law_holds_for_other_losses_and_penalties():
    X, y = noisy(120, 10)
    labels = np.where(y > 0, "up", "down")
    for model, name, values, target in (
        (LogisticRegression(tol=1e-8), "C", [1e-3, 0.1, 1.0, 100.0], labels),
        (Lasso(), "alpha", [0.01, 0.1, 0.5], y),
        (ElasticNet(), "alpha", [0.01, 0.1, 0.5], y),
    ):
        found = penalty_curve(model, X, target, name, values)
        assert (np.diff(found.objective) <= 1e-7).all()
        weakest = max(values) if name == "C" else min(values)
        assert found.by_objective == weakest == found.values[-1]
    assert penalty_curve(LogisticRegression(), X, labels, "C", [1.0]).loss == "log"


def test_models_that_state_no_objective_and_frames():
    X, y = noisy(60, 3)
    tree = penalty_curve(DecisionTreeRegressor(), X, y, "ccp_alpha", [0.0, 0.3])
    assert tree.objective is None
    assert tree.by_objective is None
    machine = penalty_curve(SVC(kernel="linear"), X, y > 0, "C", [0.1, 1.0])
    assert (machine.values, machine.loss) == ((0.1, 1.0), "error")
    frame = pd.DataFrame(X, columns=list("abc"))
    one = penalty_curve(Ridge(), frame, y, "alpha", [1.0, 2.0])
    two = penalty_curve(Ridge(), X, y, "alpha", [1.0, 2.0])
    np.testing.assert_allclose(one.objective, two.objective)
    weights = np.repeat([1.0, 2.0], 30)
    assert penalty_curve(Ridge(), X, y, "alpha", [1.0], sample_weight=weights)


def test_the_text_and_the_picture():
    matplotlib.use("Agg")
    X, y = noisy()
    found = penalty_curve(Ridge(), X, y, "alpha", LADDER)
    last = str(found).splitlines()[-1]
    assert last == "the objective itself would choose 0.0, whatever the data"
    labels = [t.get_text() for t in found.plot().get_legend().get_texts()]
    assert labels == ["training", "objective", "validation"]
    matplotlib.pyplot.close("all")


def test_what_is_refused():
    X, y = noisy(30, 2)
    for arguments, options, error, words in (
        ((Ridge(), X, y, "beta", [1]), {}, ParameterError, "one of the Ridge's"),
        ((Ridge(), X, y, "alpha", []), {}, ParameterError, "values must be numbers"),
        ((Ridge(), X, y, "alpha", "1"), {}, ParameterError, "values must be numbers"),
        ((Ridge(), X, y, "alpha", [[1]]), {}, ParameterError, "values must be"),
        ((Ridge(), X, y[:9], "alpha", [1]), {}, DataError, "one target for each"),
        ((Ridge(), X, y, "alpha", [1]), {"stronger": "up"}, ParameterError, "stronger"),
        ((Ridge(), X, y, "alpha", [1]), {"loss": lambda y, f: 0.0}, ParameterError,
         "number for each row"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            penalty_curve(*arguments, **options)
    with pytest.raises(DataError, match="states no convex problem"):
        penalized_objective(DecisionTreeRegressor().fit(X, y), X, y)
    with pytest.raises(DataError, match="must state a mean loss and a penalty"):
        penalized_objective(SVC().fit(X, y > 0), X, y > 0)
    robust = HuberRegressor().fit(X, y)  # which is linear
    with pytest.raises(DataError, match="HuberRegressor, whose scale is an unknown"):
        penalized_objective(robust, X, y)
