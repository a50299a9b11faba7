"""Leave-one-out: closed forms against refits, of any model."""

import matplotlib
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.linear_model
import statsmodels.api as sm
from sklearn.model_selection import LeaveOneOut as TheirLeaveOneOut
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    FourierBasis,
    JoinTheDots,
    KernelRidge,
    LinearRegression,
    LinearSVC,
    LocallyWeightedRegression,
    LogisticRegression,
    PolynomialFeatures,
    PriorClassifier,
    Ridge,
    RidgeCV,
    SplineTransformer,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import Loss, cross_validate, leave_one_out

KNOTS = np.linspace(-4, 4, 5)[:, None]
SMOOTHERS = {
    "line": LinearRegression(),
    "no intercept": LinearRegression(fit_intercept=False),
    "ridge": Ridge(alpha=3.0),
    "ridge 0": Ridge(alpha=0.0),
    "ridge without intercept": Ridge(alpha=3.0, fit_intercept=False),
    "penalty weights": Ridge(alpha=2.0, penalty_weights=[1.0, 0.0, 5.0]),
    "penalised intercept": Ridge(alpha=2.0, penalize_intercept=True),
    "kernel ridge": KernelRidge(alpha=0.3, kernel="rbf", gamma=0.2),
    "kernel ridge, intercept": KernelRidge(
        alpha=0.3, kernel="poly", fit_intercept=True
    ),
    "locally weighted": LocallyWeightedRegression(tau=1.5),
    "locally constant": LocallyWeightedRegression(tau=4.0, degree=0, weights="tricube"),
    "their line": sklearn.linear_model.LinearRegression(),
    "their ridge": sklearn.linear_model.Ridge(alpha=2.0),
    "their kernel ridge": sklearn.kernel_ridge.KernelRidge(alpha=0.5, kernel="rbf"),
    "scaled": make_pipeline(StandardScaler(), LinearRegression()),
    "quadratic": make_pipeline(PolynomialFeatures(2), StandardScaler(),
                               LinearRegression()),
    "quadratic ridge": make_pipeline(PolynomialFeatures(2), Ridge(alpha=0.1)),
    "waves": make_pipeline(FourierBasis(1, period=9.0), Ridge(alpha=1.0)),
    "splines": make_pipeline(
        SplineTransformer(knots=np.hstack([KNOTS] * 3), degree=2), Ridge(alpha=0.5)
    ),
}  # fmt: skip


def rows(n=26, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, -1] + 0.3 * rng.normal(size=n)


@pytest.mark.course("S3-99", "S4-56")
@pytest.mark.parametrize("name", SMOOTHERS)
def test_the_closed_form_is_what_refits_say_of_every_row(name):
    X, y = rows()
    model = SMOOTHERS[name]
    closed = leave_one_out(model, X, y, method="closed form")
    refits = leave_one_out(model, X, y, method="refits")
    np.testing.assert_allclose(closed.predictions, refits.predictions, atol=1e-8)
    np.testing.assert_allclose(closed.losses, refits.losses, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(closed.mean, np.mean(closed.losses))
    assert (closed.fits, refits.fits) == (1, 26)
    assert leave_one_out(model, X, y).method == "closed form"


@pytest.mark.course("S3-99")
@pytest.mark.parametrize(
    "name", [n for n in SMOOTHERS if "kernel" not in n or "their" not in n]
)
def test_the_closed_form_takes_weights_and_several_targets(name):
    X, y = rows()
    Y = np.column_stack([y, X[:, 2] ** 2])
    w = np.random.default_rng(1).integers(0, 4, size=26).astype(float)
    closed = leave_one_out(SMOOTHERS[name], X, Y, sample_weight=w)
    refits = leave_one_out(SMOOTHERS[name], X, Y, sample_weight=w, method="refits")
    assert closed.method == "closed form"
    there = w > 0
    np.testing.assert_allclose(
        closed.predictions[there], refits.predictions[there], atol=1e-8
    )
    assert np.isnan(closed.losses[~there]).all()
    np.testing.assert_allclose(closed.mean, refits.mean)
    np.testing.assert_allclose(
        closed.mean, np.average(closed.losses[there], weights=w[there])
    )


@pytest.mark.course("S3-99", "S4-56")
def test_any_other_model_is_refitted():
    X, y = rows(18)
    for model in (JoinTheDots(), RidgeCV(), LinearRegression(positive=True),
                  KernelRidge(kernel="rbf", gamma="scale"),
                  make_pipeline(StandardScaler(), Ridge())):  # fmt: skip
        found = leave_one_out(model, X, y)
        theirs = cross_val_predict(model, X, y, cv=TheirLeaveOneOut())
        assert (found.method, found.fits, found.leverage) == ("refits", 18, None)
        np.testing.assert_allclose(found.predictions, theirs, atol=1e-9)
    labels = np.where(y > 0, "up", "down")
    tree = leave_one_out(DecisionTreeClassifier(random_state=0), X, labels)
    theirs = cross_val_predict(
        DecisionTreeClassifier(random_state=0), X, labels, cv=TheirLeaveOneOut()
    )
    assert (tree.predictions == theirs).all()
    assert tree.mean == np.mean(theirs != labels)
    sure = leave_one_out(LogisticRegression(), X, labels, loss="log")
    up = sure.probabilities[np.arange(18), (labels == "up").astype(int)]
    np.testing.assert_allclose(sure.losses, -np.log(up))


@pytest.mark.course("S3-99", "S3-100")
def test_k_equal_to_n_folds_are_leave_one_out():
    X, y = rows(20)
    for model in (LinearRegression(), JoinTheDots(), Ridge()):
        folds = cross_validate(model, X, y, splitter=20)
        np.testing.assert_allclose(folds.mean, leave_one_out(model, X, y).mean)


def test_residuals_and_leverages_are_those_of_statsmodels():
    X, y = rows(40)
    found = leave_one_out(LinearRegression(), X, y)
    influence = sm.OLS(y, sm.add_constant(X)).fit().get_influence()
    np.testing.assert_allclose(found.leverage, influence.hat_matrix_diag)
    np.testing.assert_allclose(found.losses, influence.resid_press**2)
    np.testing.assert_allclose(found.leverage.sum(), 4)


def test_rows_of_leverage_1_are_refitted():
    X, y = rows(12)
    X[:, 2] = 0
    X[5, 2] = 1.0  # only row 5 says anything of the third coefficient
    closed = leave_one_out(LinearRegression(), X, y)
    refits = leave_one_out(LinearRegression(), X, y, method="refits")
    assert closed.fits == 2
    np.testing.assert_allclose(closed.leverage[5], 1)
    np.testing.assert_allclose(closed.predictions, refits.predictions, atol=1e-9)
    few = leave_one_out(LinearRegression(), X[:4], y[:4])  # through all points
    again = leave_one_out(LinearRegression(), X[:4], y[:4], method="refits")
    np.testing.assert_allclose(few.predictions, again.predictions, atol=1e-8)
    X[:, 2] = 2 * X[:, 1]  # dependent columns change nothing
    both = [leave_one_out(LinearRegression(), Z, y).predictions for Z in (X, X[:, :2])]
    np.testing.assert_allclose(*both, atol=1e-9)


def test_more_columns_than_rows_and_columns_far_from_0():
    X, y = rows(15, d=40)
    closed = leave_one_out(Ridge(alpha=2.0), X, y)
    refits = leave_one_out(Ridge(alpha=2.0), X, y, method="refits")
    assert closed.method == "closed form"
    np.testing.assert_allclose(closed.predictions, refits.predictions, atol=1e-9)
    X, y = rows()
    far = leave_one_out(LinearRegression(), X + 1e6, y)
    near = leave_one_out(LinearRegression(), X, y)
    np.testing.assert_allclose(far.losses, near.losses, rtol=1e-6)


def test_lonely_rows_of_local_fits():
    X, y = rows(12, d=1)
    X[3] = 50.0
    for degree in (0, 1, 2):
        model = LocallyWeightedRegression(0.7, degree=degree, weights="tricube")
        closed = leave_one_out(model, X, y)
        refits = leave_one_out(model, X, y, method="refits")
        assert closed.fits > 1
        np.testing.assert_allclose(closed.predictions, refits.predictions, atol=1e-6)


@pytest.mark.course("S3-99")
def test_moores_three_models_all_three_ways_choose_the_quadratic():
    rng = np.random.default_rng(5)  # a parabola with noise, 20 points
    x = np.sort(rng.uniform(0, 10, size=20))
    y = 0.35 * (x - 4.5) ** 2 + 1.0 * rng.normal(size=20)
    models = {
        "linear": LinearRegression(),
        "quadratic": make_pipeline(PolynomialFeatures(2), LinearRegression()),
        "join the dots": JoinTheDots(),
    }
    X = x[:, None]
    left = {name: leave_one_out(model, X, y).mean for name, model in models.items()}
    three = {
        name: cross_validate(model, X, y, splitter=3).mean
        for name, model in models.items()
    }
    for errors in (left, three):
        assert min(errors, key=errors.get) == "quadratic"
    dots = JoinTheDots().fit(X, y).leave_one_out_error_
    np.testing.assert_allclose(left["join the dots"], dots)


def test_the_majority_of_all_others_is_always_wrong_where_classes_are_equal():
    y = np.array([0, 1] * 10)
    assert leave_one_out(PriorClassifier(), np.zeros((20, 1)), y).mean == 1.0


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = rows()
    for model in (LinearRegression(), JoinTheDots()):
        found = leave_one_out(model, X, y)
        ax = found.plot()
        np.testing.assert_allclose(ax.lines[0].get_ydata(), found.losses)
        assert f"26 rows, {found.fits} fit" in str(found)
        plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"method": "fast"}, ParameterError, "method must be one of 'auto'"),
        ({"model": JoinTheDots(), "method": "closed form"}, ParameterError,
         "needs a linear smoother at fixed parameters; got a JoinTheDots"),
        ({"X": np.full((9, 1), np.nan)}, DataError, "NaN"),
        ({"y": np.ones(4)}, DataError, "one target for each"),
        ({"loss": Loss("all", lambda y, f: 1.0)}, ParameterError, "one number for all"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, error, words):
    given = {"model": LinearRegression(), "X": np.arange(9.0)[:, None], "y": np.ones(9)}
    with pytest.raises(error, match=words):
        leave_one_out(**(given | change))
    with pytest.raises(ParameterError, match="predict_proba"):
        leave_one_out(LinearSVC(), np.arange(6.0)[:, None], [0, 1] * 3, loss="log")
