"""Gradient boosting: starts, line searches, the linear rate, scikit-learn's numbers."""

import numpy as np
import pytest
import sklearn.ensemble as peers
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import mean_poisson_deviance
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor as TheirTree

import corollary
from corollary import (
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from corollary.core.errors import DataError, ParameterError
from corollary.ensembles import boosting_rate

X, Y = load_diabetes(return_X_y=True)
XI, YI = load_iris(return_X_y=True)
XB, YB = load_breast_cancer(return_X_y=True)
LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma")


def mean_loss(name, y, f, w=None):
    """Return the mean loss of scores, from the book."""
    r = y - f
    values = {
        "squared_error": lambda: r**2,
        "absolute_error": lambda: np.abs(r),
        "quantile": lambda: np.maximum(0.9 * r, -0.1 * r),
        "log_loss": lambda: 2 * np.logaddexp(0, -y * f),
        "exponential": lambda: np.exp(-y * f),
        "poisson": lambda: 2 * (np.exp(f) - y + y * (np.log(y) - f)),
        "gamma": lambda: 2 * (f - np.log(y) + y * np.exp(-f) - 1),
    }[name]()
    return np.average(values, weights=w)


# -- where it begins ---------------------------------------------------------------
@pytest.mark.course("S2-26")
def test_the_best_constants_of_the_losses():
    first = {"n_estimators": 1, "learning_rate": 0.0}
    w = np.random.default_rng(0).integers(1, 4, size=len(Y))
    constants = {
        "squared_error": np.average(Y, weights=w),
        "absolute_error": np.median(Y.repeat(w)),
        "poisson": np.average(Y, weights=w),
        "gamma": np.average(Y, weights=w),
    }
    for loss, constant in constants.items():
        model = GradientBoostingRegressor(loss=loss, **first).fit(X, Y, w)
        assert model.predict(X[:3]) == pytest.approx(constant)
    plus, minus = (YB == 1).sum(), (YB == 0).sum()
    for loss, share in (("log_loss", 1.0), ("exponential", 0.5)):
        model = GradientBoostingClassifier(loss=loss, **first).fit(XB, YB)
        score = model.decision_function(XB[:3])
        assert score == pytest.approx(share * np.log(plus / minus))
        assert model.predict_proba(XB[:1])[0, 1] == pytest.approx(plus / len(YB))
    model = GradientBoostingClassifier(**first).fit(XI, np.minimum(YI, 2))
    assert model.predict_proba(XI[:1])[0] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_other_constant_is_better(loss):
    model = GradientBoostingRegressor(loss=loss, n_estimators=1).fit(X, Y)
    f = float(model.initial_score_[0])
    if loss == "huber":
        assert f == np.median(Y)
        return
    best = mean_loss(loss, Y, np.full(len(Y), f))
    assert model.initial_loss_ == pytest.approx(best)
    for other in (f - 0.01, f + 0.01):
        assert mean_loss(loss, Y, np.full(len(Y), other)) >= best - 1e-12


# -- scikit-learn ------------------------------------------------------------------
@pytest.mark.course("S2-26")
def test_trees_are_boosted_to_scikit_learns_numbers():
    pairs = [
        ("GradientBoostingRegressor", {"loss": "squared_error"}, X, Y),
        ("GradientBoostingClassifier", {"loss": "log_loss"}, XB, YB),
        ("GradientBoostingClassifier", {"loss": "log_loss"}, XI, YI),
    ]
    for name, options, A, b in pairs:
        more = {"n_estimators": 25, "random_state": 0, **options}
        ours = getattr(corollary, name)(**more).fit(A, b)
        theirs = getattr(peers, name)(**more).fit(A, b)
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
        ask = "predict" if "Regressor" in name else "predict_proba"
        mine, peer = getattr(ours, ask)(A), getattr(theirs, ask)(A)
        np.testing.assert_allclose(mine, peer, rtol=1e-6, atol=1e-9)
        if A is X:  # without features that cut alike
            mine = ours.feature_importances_
            np.testing.assert_allclose(mine, theirs.feature_importances_, atol=0.01)
        stages = zip(
            getattr(ours, f"staged_{ask}")(A),
            getattr(theirs, f"staged_{ask}")(A),
            strict=True,
        )
        for mine, peer in stages:
            np.testing.assert_allclose(mine, peer, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_robust_losses_come_as_low_as_scikit_learns(loss):
    more = {"n_estimators": 60, "loss": loss, "random_state": 0}
    ours = GradientBoostingRegressor(**more).fit(X, Y)
    theirs = peers.GradientBoostingRegressor(**more).fit(X, Y)
    assert ours.train_score_[-1] == pytest.approx(theirs.train_score_[-1], rel=0.05)


@pytest.mark.course("S2-26")
def test_a_tree_of_scikit_learn_is_a_base_too():
    # leaves of many rows: two features seldom part them alike, so no tie is drawn
    tree = TheirTree(max_depth=2, min_samples_leaf=30, random_state=0)
    ours = GradientBoostingClassifier(estimator=tree, n_estimators=10).fit(XB, YB)
    theirs = peers.GradientBoostingClassifier(
        n_estimators=10, max_depth=2, min_samples_leaf=30, random_state=0
    ).fit(XB, YB)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-4)
    assert ours.steps_.tolist() == [1.0] * 10


# -- line search -------------------------------------------------------------------
@pytest.mark.course("S2-26")
def test_the_step_of_leaf_means_under_squared_loss_is_one():
    tree = make_pipeline(DecisionTreeRegressor(max_depth=3))  # no leaves to set
    model = GradientBoostingRegressor(estimator=tree, n_estimators=12).fit(X, Y)
    np.testing.assert_allclose(model.steps_, 1.0, rtol=1e-9)
    plain = GradientBoostingRegressor(n_estimators=12).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X))


@pytest.mark.course("S2-26")
@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("loss", [*LOSSES, "log_loss", "exponential"])
def test_an_exact_line_search_never_raises_the_loss(loss, rate):
    base = Ridge(alpha=0.1)
    more = {"learning_rate": rate, "n_estimators": 15, "estimator": base, "loss": loss}
    if loss in LOSSES:
        model = GradientBoostingRegressor(**more).fit(X, Y)
    else:
        model = GradientBoostingClassifier(**more).fit(XB, YB)
    trace = np.concatenate([[model.initial_loss_], model.train_score_])
    if loss != "huber":  # whose bend moves
        assert np.all(np.diff(trace) <= 1e-9 * trace[0])
    assert trace[-1] < trace[0]


@pytest.mark.course("S2-26")
@pytest.mark.parametrize("loss", ["absolute_error", "log_loss", "exponential", "gamma"])
def test_each_step_is_the_best_along_its_member(loss):
    base, two = LinearRegression(), loss in ("log_loss", "exponential")
    more = {"learning_rate": 0.5, "n_estimators": 4, "loss": loss, "estimator": base}
    A, b = (XB[:, :4], np.where(YB == 1, 1.0, -1.0)) if two else (X, Y)
    make = GradientBoostingClassifier if two else GradientBoostingRegressor
    model = make(**more).fit(A, b)
    f = np.full(len(b), float(model.initial_score_[0]))
    for t in range(4):
        r = {
            "absolute_error": np.sign(b - f),
            "log_loss": b * expit(-b * f),
            "exponential": b * np.exp(-b * f),
            "gamma": b * np.exp(-f) - 1,
        }[loss]
        member = LinearRegression().fit(A, r)
        g = member.predict(A)
        np.testing.assert_allclose(model.estimators_[t, 0].predict(A), g, atol=1e-7)
        quality = 1 - ((r - g) ** 2).sum() / (r**2).sum()
        assert model.qualities_[t] == pytest.approx(quality, abs=1e-7)

        def along(s, f=f, g=g):
            return mean_loss(loss, b, f + s * g)

        s = model.steps_[t]
        best = minimize_scalar(along, bracket=(0, s), tol=1e-12)
        assert along(s) <= best.fun + 1e-9 * abs(best.fun)
        f = f + 0.5 * s * g
        assert model.train_score_[t] == pytest.approx(mean_loss(loss, b, f))


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "poisson", "gamma"])
def test_no_other_value_of_a_leaf_is_better(loss):
    w = np.random.default_rng(1).integers(1, 4, size=len(Y)).astype(float)
    model = GradientBoostingRegressor(
        loss=loss, n_estimators=3, learning_rate=1.0, max_depth=2
    ).fit(X, Y, w)
    log = loss in ("poisson", "gamma")
    f = np.full(len(Y), float(model.initial_score_[0]))
    for tree in model.estimators_[:, 0]:
        leaf, value = tree.apply(X), tree.tree_.value[:, 0, 0]
        for node in np.unique(leaf):
            some = leaf == node
            at = [
                mean_loss(loss, Y[some], f[some] + value[node] + move, w[some])
                for move in (0.0, -0.01, 0.01)
            ]
            assert at[0] <= min(at) + 1e-12
        f = f + value[leaf]
    np.testing.assert_allclose(model.predict(X), np.exp(f) if log else f)
    if loss == "poisson":  # every leaf meets the mean of its rows
        assert np.average(model.predict(X), weights=w) == pytest.approx(
            np.average(Y, weights=w)
        )


def test_leaves_of_two_classes_make_a_step_of_newton():
    for loss in ("log_loss", "exponential"):
        model = GradientBoostingClassifier(loss=loss, n_estimators=2).fit(XB, YB)
        y, f = np.where(YB == 1, 1.0, -1.0), np.full(len(YB), model.initial_score_[0])
        for tree in model.estimators_[:, 0]:
            leaf = tree.apply(XB)
            if loss == "log_loss":
                r, h = y * expit(-y * f), expit(f) * expit(-f)
            else:
                r, h = y * np.exp(-y * f), np.exp(-y * f)
            for node in np.unique(leaf):
                step = r[leaf == node].sum() / h[leaf == node].sum()
                assert tree.tree_.value[node, 0, 0] == pytest.approx(step)
            f = f + 0.1 * tree.tree_.value[leaf, 0, 0]


# -- the rate ----------------------------------------------------------------------
@pytest.mark.course("S2-27")
@pytest.mark.parametrize("rate", [1.0, 0.2])
@pytest.mark.parametrize("base", [None, Ridge(alpha=0.5), LinearRegression()], ids=str)
def test_the_squared_loss_falls_at_a_linear_rate(base, rate):
    model = GradientBoostingRegressor(
        estimator=base, learning_rate=rate, n_estimators=20
    ).fit(X, Y)
    least = 0.0
    if base is not None:  # A* of the span of all lines
        r = Y - LinearRegression().fit(X, Y).predict(X)
        least = (r**2).mean() * (1 - 1e-12)
    found = boosting_rate(model, least)
    f = np.full(len(Y), Y.mean())
    for t, after in enumerate(model.staged_predict(X)):
        r = Y - f
        member = model.estimators_[t, 0]
        quality = 1 - ((r - member.predict(X)) ** 2).sum() / (r**2).sum()
        assert found.qualities[t] == pytest.approx(quality, abs=1e-8)
        gap = [((Y - g) ** 2).mean() - least for g in (f, after)]
        assert gap[1] <= (1 - rate * quality / 2) * gap[0] + 1e-8
        assert found.gaps[t + 1] == pytest.approx(gap[1], abs=1e-6)
        f = after
    assert found.holds
    assert np.all(found.gaps <= found.bounds + 1e-6)
    np.testing.assert_allclose(found.rates, 1 - rate * found.qualities / 2)
    assert found.plot().get_xlabel() == "stage"


@pytest.mark.course("S2-27")
def test_the_rate_finds_a_stage_that_breaks_it():
    model = GradientBoostingRegressor(learning_rate=1.0, n_estimators=5).fit(X, Y)
    assert boosting_rate(model).holds
    model.train_score_ = model.train_score_.copy()
    model.train_score_[3] = model.train_score_[2]
    assert not boosting_rate(model).holds
    logistic = GradientBoostingClassifier(n_estimators=5).fit(XB, YB)
    promised = boosting_rate(logistic)
    assert promised.rates.tolist() == [1.0] * 5
    assert promised.holds
    with pytest.raises(DataError, match="see all rows"):
        boosting_rate(GradientBoostingRegressor(subsample=0.5).fit(X, Y))
    with pytest.raises(ParameterError, match="no larger than any loss"):
        boosting_rate(model, 1e9)
    with pytest.raises(ParameterError, match="gradient boosting of Corollary"):
        boosting_rate(LinearRegression())


# -- draws, held-out rows, restarts ------------------------------------------------
def test_stages_see_a_part_of_the_rows_and_the_others_judge():
    model = GradientBoostingRegressor(
        subsample=0.5, n_estimators=40, random_state=0
    ).fit(X, Y)
    seen = [tree.tree_.n_node_samples[0] for tree in model.estimators_[:, 0]]
    assert seen == [len(Y) // 2] * 40
    assert model.oob_scores_[-1] == model.oob_score_
    np.testing.assert_allclose(
        model.oob_improvement_[1:], model.oob_scores_[:-1] - model.oob_scores_[1:]
    )
    assert model.oob_scores_[-10:].mean() > model.train_score_[-10:].mean()
    order = np.random.default_rng(0).permutation(len(Y))
    other = GradientBoostingRegressor(
        subsample=0.5, n_estimators=40, random_state=0
    ).fit(X[order], Y[order])
    np.testing.assert_allclose(other.predict(X), model.predict(X))


def test_held_out_rows_end_the_fit():
    half = np.arange(len(Y)) % 2 == 0
    model = GradientBoostingRegressor(n_iter_no_change=5, n_estimators=500)
    model.fit(X[half], Y[half], X_val=X[~half], y_val=Y[~half])
    assert model.n_estimators_ < 200
    assert model.report_.facts["ended_by"] == "n_iter_no_change"
    told = [((Y[~half] - f) ** 2).mean() for f in model.staged_predict(X[~half])]
    np.testing.assert_allclose(model.validation_score_, told)
    last = told[-6:]
    assert last[-1] + 1e-4 >= min(last[:-1])
    full = GradientBoostingRegressor(n_estimators=model.n_estimators_)
    full.fit(X[half], Y[half])
    np.testing.assert_allclose(full.predict(X), model.predict(X))
    watched = GradientBoostingRegressor(n_estimators=30)
    watched.fit(X[half], Y[half], X_val=X[~half], y_val=Y[~half])
    assert watched.n_estimators_ == len(watched.validation_score_) == 30
    own = GradientBoostingClassifier(n_iter_no_change=5, random_state=0).fit(XB, YB)
    assert own.n_estimators_ < 100
    assert own.estimators_[0, 0].tree_.n_node_samples[0] == int(0.9 * len(YB))


def test_held_out_rows_are_checked():
    model = GradientBoostingClassifier(n_estimators=2)
    with pytest.raises(DataError, match="features"):
        model.fit(XI, YI, X_val=XI[:, :2], y_val=YI)
    with pytest.raises(DataError):
        model.fit(XI[:100], YI[:100], X_val=XI, y_val=YI)  # a third class
    with pytest.raises(DataError, match="every class on both sides"):
        GradientBoostingClassifier(n_iter_no_change=2).fit(XI[:51], YI[:51])


def test_a_monitor_may_end_the_fit():
    seen = []

    def monitor(stage, model, told):
        seen.append((stage, len(model.estimators_), told["train_score"]))
        return stage == 4

    model = GradientBoostingRegressor().fit(X, Y, monitor=monitor)
    assert [s[:2] for s in seen] == [(t, t + 1) for t in range(5)]
    assert model.n_estimators_ == 5
    assert model.report_.stop is corollary.StopReason.STOPPED
    np.testing.assert_allclose([s[2] for s in seen], model.train_score_)


@pytest.mark.parametrize("subsample", [1.0, 0.5])
def test_a_warm_start_goes_on(subsample):
    more = {"random_state": 0, "subsample": subsample}
    cold = GradientBoostingClassifier(n_estimators=20, **more).fit(XI, YI)
    warm = GradientBoostingClassifier(n_estimators=8, warm_start=True, **more)
    warm.fit(XI, YI).set_params(n_estimators=20).fit(XI, YI)
    np.testing.assert_allclose(warm.predict_proba(XI), cold.predict_proba(XI))
    np.testing.assert_allclose(warm.train_score_, cold.train_score_)
    with pytest.raises(ParameterError, match="at least the 20 stages"):
        warm.set_params(n_estimators=5).fit(XI, YI)


def test_it_may_begin_anywhere():
    line = LinearRegression()
    model = GradientBoostingRegressor(init=line, n_estimators=5).fit(X, Y)
    start = ((Y - LinearRegression().fit(X, Y).predict(X)) ** 2).mean()
    assert model.initial_loss_ == pytest.approx(start)
    r = Y - LinearRegression().fit(X, Y).predict(X)
    first = DecisionTreeRegressor(max_depth=3).fit(X, r).predict(X)
    stage = next(iter(model.staged_predict(X)))
    np.testing.assert_allclose(stage, Y - r + 0.1 * first)
    zero = GradientBoostingRegressor(init="zero", n_estimators=1).fit(X, Y)
    assert zero.initial_loss_ == pytest.approx((Y**2).mean())
    logit = GradientBoostingClassifier(init=LogisticRegression(), n_estimators=1)
    logit.fit(XI, YI)
    with pytest.raises(ParameterError, match="probabilities"):
        GradientBoostingClassifier(init=Ridge(), n_estimators=1).fit(XI, YI)
    with pytest.raises(ParameterError, match="sample weights"):
        GradientBoostingRegressor(init=make_pipeline(line)).fit(X, Y, np.ones(len(Y)))


# -- targets, weights, files -------------------------------------------------------
def test_targets_that_a_loss_does_not_take_are_refused():
    with pytest.raises(DataError, match="needs y > 0"):
        GradientBoostingRegressor(loss="gamma").fit(X, Y - Y.min())
    with pytest.raises(DataError, match="needs y >= 0"):
        GradientBoostingRegressor(loss="poisson").fit(X, -Y)
    with pytest.raises(ParameterError, match="two classes; got 3 classes"):
        GradientBoostingClassifier(loss="exponential").fit(XI, YI)


def test_counts_of_zero_are_boosted():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 2))
    mean = np.exp(A[:, 0])
    y = rng.poisson(mean)
    model = GradientBoostingRegressor(loss="poisson").fit(A, y)
    assert model.predict(A).min() > 0
    found = mean_poisson_deviance(mean, model.predict(A))
    constant = mean_poisson_deviance(mean, np.full(len(y), y.mean()))
    assert found < 0.25 * constant


def test_the_quantile_has_its_share_below():
    for alpha in (0.1, 0.5, 0.9):
        model = GradientBoostingRegressor(loss="quantile", alpha=alpha).fit(X, Y)
        assert np.mean(model.predict(X) >= Y) == pytest.approx(alpha, abs=0.08)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_is_a_repetition(loss):
    A, b = X[:120, :4], Y[:120]
    times = np.random.default_rng(2).integers(0, 4, size=120)
    order = np.random.default_rng(3).permutation(times.sum())
    weighted = GradientBoostingRegressor(loss=loss, n_estimators=10).fit(A, b, times)
    copies = GradientBoostingRegressor(loss=loss, n_estimators=10)
    copies.fit(A.repeat(times, 0)[order], b.repeat(times)[order])
    np.testing.assert_allclose(weighted.predict(A), copies.predict(A), rtol=1e-6)


def test_a_file_keeps_the_stages(tmp_path):
    cases = [
        (GradientBoostingClassifier(n_estimators=3), XI, YI),
        (GradientBoostingRegressor(n_estimators=3, estimator=Ridge()), X, Y),
        (GradientBoostingRegressor(n_estimators=3, init=LinearRegression()), X, Y),
    ]
    for number, (model, A, b) in enumerate(cases):
        path = tmp_path / f"{number}"
        corollary.save(model.fit(A, b), path)
        loaded = corollary.load(path)
        np.testing.assert_array_equal(loaded.predict(A), model.predict(A))


def test_leaves_need_trees():
    model = GradientBoostingClassifier(n_estimators=3).fit(XI, YI)
    assert model.apply(XI).shape == (150, 3, 3)
    line = GradientBoostingRegressor(n_estimators=3, estimator=Ridge()).fit(X, Y)
    with pytest.raises(AttributeError, match="trees"):
        line.apply(X)
    with pytest.raises(AttributeError, match="feature_importances_"):
        line.feature_importances_
