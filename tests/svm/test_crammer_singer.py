import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from corollary import CrammerSingerClassifier, StopReason, engine, load, save
from corollary.objectives.multiclass_hinge import (
    multiclass_hinge,
    multiclass_hinge_gradient,
)

FORM = {"crammer_singer": "largest", "weston_watkins": "sum"}
X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


def primal(model, X, y, o=None):
    """P of the model, intercepts penalised as weights of a constant feature."""
    o = np.ones(len(y)) if o is None else o
    b = model.intercept_ / model.intercept_scaling
    half = 0.5 * ((model.coef_**2).sum() + (b**2).sum())
    S = X @ model.coef_.T + model.intercept_
    form = FORM[getattr(model, "loss", "crammer_singer")]
    return half + model.C * o @ multiclass_hinge(S, y, form=form)


@pytest.mark.course("S3-70")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("C", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_minimum_is_that_of_liblinear(C, intercept):
    theirs = LinearSVC(
        multi_class="crammer_singer",
        C=C,
        tol=1e-10,
        max_iter=10**6,
        fit_intercept=intercept,
        random_state=0,
    ).fit(X, Y)
    ours = CrammerSingerClassifier(
        C=C, tol=1e-11, max_iter=10**6, fit_intercept=intercept
    ).fit(X, Y)
    theirs.loss = "crammer_singer"
    a = primal(ours, X, Y)
    b = primal(theirs, X, Y) if intercept else None
    if b is None:
        theirs.intercept_ = np.zeros(3)
        b = primal(theirs, X, Y)
    assert a == pytest.approx(b, rel=1e-8)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("loss", FORM)
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-9])
def test_the_gap_is_sound_and_meets_the_tolerance(loss, tol):
    options = {"C": 0.5, "loss": loss, "max_iter": 10**5}
    best = CrammerSingerClassifier(tol=1e-12, **options).fit(X, Y)
    model = CrammerSingerClassifier(tol=tol, **options).fit(X, Y)
    P, least = primal(model, X, Y), primal(best, X, Y)
    gap = model.report_.optimality
    assert gap.kind == "duality gap"
    assert gap.relative <= tol
    assert P == pytest.approx(model.report_.objective[-1], rel=1e-12)
    assert P - least <= gap.value + 1e-12
    distance = ((model.coef_ - best.coef_) ** 2).sum()
    assert distance <= 2 * gap.value + 1e-9
    assert model.report_.stop is StopReason.CONVERGED
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("loss", FORM)
def test_no_direction_leads_down_from_the_minimum(loss):
    model = CrammerSingerClassifier(C=0.5, loss=loss, tol=1e-10, max_iter=10**5)
    model.fit(X, Y)
    least = primal(model, X, Y)

    def P(theta):
        W = theta.reshape(3, 5)
        S = X @ W[:, :4].T + W[:, 4]
        return 0.5 * theta @ theta + 0.5 * multiclass_hinge(S, Y, form=FORM[loss]).sum()

    start = np.c_[model.coef_, model.intercept_].ravel()
    found = minimize(P, start, method="Powell", options={"maxiter": 3})
    assert P(start) == pytest.approx(least, rel=1e-12)
    assert found.fun >= least * (1 - 1e-8)


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("loss", FORM)
def test_two_classes_are_the_binary_machine(loss):
    two = Y > 0
    binary = LinearSVC(loss="hinge", C=0.6, tol=1e-10, max_iter=10**6, random_state=0)
    binary.fit(X[50:], Y[50:] == 2)
    ours = CrammerSingerClassifier(C=0.3, loss=loss, tol=1e-12, max_iter=10**5)
    ours.fit(X[50:], Y[50:] == 2)
    np.testing.assert_allclose(ours.coef_, binary.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, binary.intercept_, atol=1e-4)
    assert ours.coef_.shape == (1, 4)
    assert ours.fit(X, two).decision_function(X).shape == (150,)


@pytest.mark.course("S3-70")
@pytest.mark.parametrize("loss", FORM)
@pytest.mark.parametrize("delta", [0.2, 5.0])
def test_delta_and_lambda_control_the_same_trade_off(loss, delta):
    """min mean L_delta + lam/2 ||W||^2 is that of delta = 1 at lam delta, scaled."""
    lam, n, form = 0.05, len(Y), FORM[loss]

    def P(W):
        S = X @ W.T
        data = multiclass_hinge(S, Y, delta=delta, form=form).mean()
        return data + lam / 2 * (W**2).sum()

    options = {"loss": loss, "fit_intercept": False, "tol": 1e-10, "max_iter": 10**6}
    one = CrammerSingerClassifier(C=1 / (n * lam * delta), **options).fit(X, Y)
    W = delta * one.coef_
    least = P(W)
    # no step from there leads down, along a subgradient, the ray, or at random
    rng = np.random.default_rng(0)
    slope = multiclass_hinge_gradient(X @ W.T, Y, delta=delta, form=form)
    directions = [-(slope.T @ X / n + lam * W), -W, W]
    directions += list(rng.normal(size=(60, *W.shape)))
    for D in directions:
        for size in (1e-4, 1e-2, 1.0):
            assert P(W + size * D / np.linalg.norm(D)) >= least - 1e-8
    # the same lam with the margin left at 1, or the coefficients unscaled, is worse
    same = CrammerSingerClassifier(C=1 / (n * lam), **options).fit(X, Y)
    assert min(P(same.coef_), P(one.coef_)) > least + 1e-3
    # and delta changes no decision that lam does not
    S = X @ W.T
    np.testing.assert_array_equal(S.argmax(axis=1), one.predict(X))
    np.testing.assert_allclose(
        multiclass_hinge(S, Y, delta=delta, form=form),
        delta * multiclass_hinge(X @ one.coef_.T, Y, form=form),
        atol=1e-12,
    )


@pytest.mark.parametrize("loss", FORM)
def test_storage_weights_order_and_sources(loss, tmp_path):
    options = {"C": 0.5, "loss": loss, "tol": 1e-9, "max_iter": 10**5}
    plain = CrammerSingerClassifier(**options).fit(X, Y)
    for other in (
        CrammerSingerClassifier(**options).fit(sp.csr_array(X), Y),
        CrammerSingerClassifier(**options).fit(X[::-1].copy(), Y[::-1]),
        CrammerSingerClassifier(**options).fit(engine.ArraySource(X, Y)),
        CrammerSingerClassifier(**options).fit(
            engine.ChunkSource(lambda: ((X[i::3], Y[i::3]) for i in range(3)))
        ),
    ):
        np.testing.assert_allclose(other.coef_, plain.coef_, atol=1e-6)
    times = np.arange(150) % 3
    weighed = CrammerSingerClassifier(**options).fit(X, Y, sample_weight=times)
    again = np.repeat(np.arange(150), times)
    repeated = CrammerSingerClassifier(**options).fit(X[again], Y[again])
    np.testing.assert_allclose(weighed.coef_, repeated.coef_, rtol=1e-10)
    by_class = CrammerSingerClassifier(**options, class_weight={0: 1, 1: 2, 2: 0.5})
    o = np.array([1, 2, 0.5])[Y]
    same = CrammerSingerClassifier(**options).fit(X, Y, sample_weight=o)
    np.testing.assert_allclose(by_class.fit(X, Y).coef_, same.coef_, atol=1e-5)
    save(plain, tmp_path / "model")
    assert (load(tmp_path / "model").predict(X) == plain.predict(X)).all()


@pytest.mark.parametrize("loss", FORM)
def test_rows_outside_the_support_could_be_left_out(loss):
    options = {"C": 0.5, "loss": loss, "tol": 1e-10, "max_iter": 10**5}
    model = CrammerSingerClassifier(**options).fit(X, Y)
    few = model.support_
    assert len(few) < 150
    again = CrammerSingerClassifier(**options).fit(X[few], Y[few])
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-4)


@pytest.mark.parametrize("loss", FORM)
def test_rows_of_zeros_count_in_the_gap(loss):
    Z = np.r_[X, np.zeros((5, 4))]
    y = np.r_[Y, np.arange(5) % 3]
    model = CrammerSingerClassifier(
        fit_intercept=False, loss=loss, tol=1e-8, max_iter=10**5
    ).fit(Z, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert primal(model, Z, y) == pytest.approx(model.report_.objective[-1])


def test_float32_stays_and_short_fits_warn():
    model = CrammerSingerClassifier(max_iter=10_000).fit(X.astype(np.float32), Y)
    assert model.coef_.dtype == np.float32
    with pytest.warns(
        ConvergenceWarning, match="max_iter reached after 1 passes; dual"
    ):
        CrammerSingerClassifier(max_iter=1, tol=1e-12).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({"C": 0.0}, Y, "C must be a number > 0"),
        ({"loss": "hinge"}, Y, "loss must be one of"),
        ({}, np.zeros(150), "at least 2 classes in the data; got one class, 0"),
        ({"class_weight": {7: 1.0}}, Y, "class_weight must name classes"),
    ],
)
def test_bad_input_is_told_in_one_sentence(options, y, words):
    with pytest.raises(ValueError, match=words):
        CrammerSingerClassifier(**options).fit(X, y)
