import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, ShuffleSplit

from corollary import Lasso, LassoCV, LinearRegression, MultiTaskLasso, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.engine import ArraySource, ChunkSource, use

TIGHT = {"tol": 1e-12, "max_iter": 100_000}


def make(n=100, d=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.normal(size=n) + 1


def objective(model, X, y, w=None):
    r = y - model.predict(X)
    return np.average(r**2, weights=w) / 2 + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.course("S3-91")
@given(
    seed=st.integers(0, 2**31),
    shape=st.sampled_from([(60, 5), (30, 50), (40, 260)]),
    share=st.floats(0.03, 0.9),
    positive=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_optimality_conditions(seed, shape, share, positive):
    X, y = make(*shape, seed=seed)
    w = np.random.default_rng(seed).uniform(0.1, 2, len(y))
    Xc, yc = X - np.average(X, axis=0, weights=w), y - np.average(y, weights=w)
    highest = (np.abs(Xc.T @ (w * yc)) / w.sum()).max()
    model = Lasso(share * highest, positive=positive, **TIGHT).fit(X, y, w)
    z = Xc.T @ (w * (y - model.predict(X))) / w.sum()
    on, b, a = model.coef_ != 0, model.coef_, model.alpha
    np.testing.assert_allclose(z[on], a * np.sign(b[on]), atol=1e-8 * highest)
    assert (z if positive else np.abs(z)).max() <= a + 1e-8 * highest
    assert not positive or b.min() >= 0
    assert model.report_.facts["kkt_residual"] <= 1e-8 * highest
    assert model.report_.facts["n_nonzero"] == on.sum()


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("shape", [(100, 8), (60, 300)])
def test_the_path_begins_at_zero_and_ends_in_least_squares(shape):
    X, y = make(*shape)
    Xc = X - X.mean(axis=0)
    highest = np.abs(Xc.T @ (y - y.mean())).max() / len(y)
    assert not Lasso(highest * (1 + 1e-12)).fit(X, y).coef_.any()
    assert np.count_nonzero(Lasso(highest * 0.999, **TIGHT).fit(X, y).coef_) == 1
    if shape[0] > shape[1]:
        least = LinearRegression().fit(X, y)
        for alpha in (1e-12, 0.0):
            model = Lasso(alpha, **TIGHT).fit(X, y)
            np.testing.assert_allclose(model.coef_, least.coef_, rtol=1e-8)
            assert model.intercept_ == pytest.approx(least.intercept_, rel=1e-8)
    else:  # more columns than rows: it interpolates
        model = Lasso(1e-3 * highest, tol=1e-6, max_iter=10**5).fit(X, y)
        np.testing.assert_allclose(model.predict(X), y, atol=0.1)


@pytest.mark.course("S3-91")
@given(seed=st.integers(0, 2**31), alpha=st.floats(0.0, 3.0))
@settings(max_examples=25, deadline=None)
def test_orthonormal_columns_are_soft_thresholded(seed, alpha):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(30, 6)))[0] * np.sqrt(30)  # X'X = N I
    y = Q @ rng.normal(size=6) + rng.normal(size=30)
    u = Q.T @ y / 30
    model = Lasso(alpha, fit_intercept=False, **TIGHT).fit(Q, y)
    wanted = np.sign(u) * np.maximum(np.abs(u) - alpha, 0)
    np.testing.assert_allclose(model.coef_, wanted, atol=1e-12)


@pytest.mark.parametrize("shape", [(100, 20), (50, 300)])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_agrees_with_scikit_learn(shape, positive, intercept):
    X, y = make(*shape)
    w = np.random.default_rng(1).uniform(0, 2, len(y))
    more = {"positive": positive, "fit_intercept": intercept, "max_iter": 100_000}
    theirs = sklearn.linear_model.Lasso(0.1, tol=1e-14, **more).fit(X, y, w)
    ours = Lasso(0.1, tol=1e-12, **more).fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)
    sparse = Lasso(0.1, tol=1e-12, **more).fit(sp.csr_array(X), y, w)
    np.testing.assert_allclose(sparse.coef_, theirs.coef_, atol=1e-7)
    assert (ours.sparse_coef_.toarray() == ours.coef_).all()


@given(seed=st.integers(0, 2**31), epochs=st.integers(1, 30))
@settings(max_examples=25, deadline=None)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_never_below_the_true_distance(seed, epochs):
    X, y = make(25, 40, seed=seed)
    best = Lasso(0.05, **TIGHT).fit(X, y)
    rough = Lasso(0.05, tol=0.0, max_iter=epochs).fit(X, y)
    excess = objective(rough, X, y) - objective(best, X, y)
    assert rough.dual_gap_ >= excess - 1e-12
    assert rough.dual_gap_ == rough.report_.optimality.value
    assert rough.report_.optimality.kind == "duality gap"


@pytest.mark.parametrize("shape", [(60, 5), (40, 260)])
def test_weight_is_repetition_and_zero_is_removal(shape):
    X, y = make(*shape)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = Lasso(0.1, **TIGHT).fit(X, y, times)
    repeated = Lasso(0.1, **TIGHT).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, abs=1e-9)


@pytest.mark.parametrize("d", [6, 250])
def test_several_targets_are_several_fits(d):
    X, y = make(60, d)
    Y = np.column_stack([y, X[:, 4] - y, y**2])
    model = Lasso(0.1, **TIGHT).fit(X, Y)
    assert model.coef_.shape == (3, d)
    assert len(model.n_iter_) == len(model.dual_gap_) == 3
    for j in range(3):
        one = Lasso(0.1, **TIGHT).fit(X, Y[:, j])
        np.testing.assert_allclose(model.coef_[j], one.coef_, atol=1e-9)
        assert model.intercept_[j] == pytest.approx(one.intercept_, abs=1e-9)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_.T + model.intercept_)


def test_the_way_to_the_answer_does_not_change_it():
    X, y = make(400, 250)
    rows = Lasso(0.05, **TIGHT).fit(X, y)
    gram = Lasso(0.05, precompute=True, **TIGHT).fit(X, y)
    source = ChunkSource([(X[:150], y[:150]), (X[150:], y[150:])])
    streamed = Lasso(0.05, **TIGHT).fit(source)
    columns = Lasso(0.05, **TIGHT).fit(np.asfortranarray(X), y)
    assert [m.report_.facts["route"] for m in (rows, gram, streamed)] == [
        "rows",
        "gram",
        "gram",
    ]
    for other in (gram, streamed, columns):
        np.testing.assert_allclose(other.coef_, rows.coef_, atol=1e-9)
    with use(memory_limit=10**5), pytest.raises(MemoryError, match="250 x 250 Gram"):
        Lasso(precompute=True).fit(X, y)


def test_large_arrays_by_columns_are_not_copied(monkeypatch):
    X, y = make(2200, 2000)  # 35 MB
    seen = []
    real = ArraySource.__init__
    monkeypatch.setattr(
        ArraySource,
        "__init__",
        lambda self, X, *more: (seen.append(X), real(self, X, *more))[1],
    )
    F = np.asfortranarray(X)
    ours = Lasso(0.1).fit(F, y)
    assert np.shares_memory(seen[0], F)
    np.testing.assert_allclose(ours.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-8)
    F[3, 5] = np.nan
    with pytest.raises(DataError, match="NaN in row 3, column 5"):
        Lasso(0.1).fit(F, y)


def test_constant_and_collinear_columns():
    X, y = make(50, 4)
    X = np.column_stack([X, np.full(50, 7.3), X[:, 0], np.zeros(50)])
    for wide in (X, np.hstack([X, np.full((50, 250), 1e6)])):
        model = Lasso(0.05, **TIGHT).fit(wide, y)
        assert not model.coef_[[4, 6]].any()
        assert not model.coef_[7:].any()
        assert model.report_.stop is StopReason.CONVERGED
        one = Lasso(0.05, **TIGHT).fit(X[:, :4], y)
        np.testing.assert_allclose(model.predict(wide), one.predict(X[:, :4]))
    assert not Lasso(0.1).fit(np.ones((5, 2)), np.ones(5)).coef_.any()


def test_float32_and_warm_start():
    X, y = make(60, 300)
    single = Lasso(0.1).fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-4)
    model = Lasso(0.1, warm_start=True, **TIGHT).fit(X, y)
    first = model.coef_
    assert model.fit(X, y).n_iter_ == 0
    np.testing.assert_allclose(model.coef_, first, atol=1e-12)
    model.set_params(alpha=0.3).fit(X[:, :50], y)  # of another shape: begins at 0
    assert model.coef_.shape == (50,)


def test_says_how_far_from_optimal_it_stopped():
    X, y = make(30, 60)
    with pytest.warns(ConvergenceWarning, match="max_iter reached .* duality gap"):
        model = Lasso(1e-3, tol=1e-10, max_iter=2).fit(X, y)
    assert model.report_.stop is StopReason.MAX_PASSES
    assert model.dual_gap_ > 1e-10 * y.var()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "Lasso: alpha must be a number >= 0; got -1.0."),
        ({"tol": -1.0}, "Lasso: tol must be a number >= 0; got -1.0."),
        ({"max_iter": 0}, "Lasso: max_iter must be a whole number >= 1; got 0."),
        (
            {"selection": "fast"},
            "Lasso: selection must be one of 'cyclic', 'random'; got 'fast'.",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError) as caught:
        Lasso(**parameters).fit(*make())
    assert str(caught.value) == message


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("shape", [(100, 8), (60, 300)])
@pytest.mark.parametrize("positive", [False, True])
def test_cross_validation_agrees_with_scikit_learn(shape, positive):
    X, y = make(*shape)
    w = np.random.default_rng(2).uniform(0.5, 2, len(y))
    more = {"positive": positive, "max_iter": 100_000, "eps": 0.01, "alphas": 20}
    theirs = sklearn.linear_model.LassoCV(tol=1e-12, **more)
    for kind in (X, sp.csr_array(X)):
        ours = LassoCV(tol=1e-12, **more).fit(kind, y, w)
        theirs.fit(X, y, w)
        np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
        np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-6)
        assert ours.alpha_ == pytest.approx(theirs.alpha_)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)
        np.testing.assert_allclose(ours.predict(kind), theirs.predict(X), atol=1e-6)


@pytest.mark.parametrize("d", [5, 250])
def test_cross_validation_is_what_its_folds_say(d):
    X, y = make(60, d)
    for cv in (KFold(3, shuffle=True, random_state=0), ShuffleSplit(4, random_state=0)):
        model = LassoCV(alphas=[0.5, 0.1], cv=cv, **TIGHT).fit(X, y)
        assert model.alphas_.tolist() == [0.5, 0.1]
        for k, (train, test) in enumerate(cv.split(X)):
            for i, alpha in enumerate(model.alphas_):
                one = Lasso(alpha, **TIGHT).fit(X[train], y[train])
                error = ((y[test] - one.predict(X[test])) ** 2).mean()
                assert model.mse_path_[i, k] == pytest.approx(error, rel=1e-7)
        best = model.alphas_[model.mse_path_.mean(axis=1).argmin()]
        assert model.alpha_ == best
        again = Lasso(best, **TIGHT).fit(X, y)
        np.testing.assert_allclose(model.coef_, again.coef_, atol=1e-9)


def test_cross_validation_refuses_in_one_sentence():
    X, y = make(20, 3)
    with pytest.raises(ParameterError, match=r"LassoCV: alphas must be >= 0; got -1\."):
        LassoCV(alphas=[1.0, -1.0]).fit(X, y)
    with pytest.raises(ParameterError, match="alphas must hold at least one penalty"):
        LassoCV(alphas=[]).fit(X, y)
    w = np.ones(20)
    w[:4] = 0.0
    with pytest.raises(DataError, match="fold 0 must have weight on rows to train"):
        LassoCV(cv=list(KFold(5).split(X))).fit(X, y, w)
    with pytest.warns(ConvergenceWarning, match="fits of the folds' paths stopped"):
        model = LassoCV(max_iter=1, tol=1e-12, alphas=5).fit(X, y)
    assert "Raise max_iter" in model.report_.warnings[0]


@pytest.mark.parametrize("d", [20, 300])  # by a Gram matrix, and on the rows
def test_a_warm_start_that_meets_tol_is_the_end(d):
    X = np.random.default_rng(0).normal(size=(100, d))
    y = X[:, 0] - 2 * X[:, 1]
    model = Lasso(0.01, warm_start=True).fit(X, y)
    before = model.coef_
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    np.testing.assert_array_equal(model.coef_, before)
    assert model.set_params(alpha=0.5).fit(X, y).n_iter_ > 0


@pytest.mark.parametrize("make", [Lasso, MultiTaskLasso])
def test_a_warm_start_goes_on_to_any_tol(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) @ (np.eye(5) + 0.5)
    y = X @ [1.0, 2.0, -0.5, 0.3, 1.0] + 0.01 * rng.normal(size=60)
    y = y if make is Lasso else np.column_stack([y, -y])
    model = make(0.001, tol=1e-8, warm_start=True).fit(X, y)
    model.set_params(alpha=0.0008, tol=1e-12).fit(X, y)  # near, but not there
    assert model.report_.stop is StopReason.CONVERGED
    cold = make(0.0008, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, cold.coef_, atol=1e-6)


def test_a_grid_of_one_penalty_is_the_least_that_leaves_nothing():
    X = np.random.default_rng(0).normal(size=(100, 3))
    y = X[:, 0] - 2 * X[:, 1]
    model = LassoCV(alphas=1, eps=1, cv=3).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-12)
    assert (Lasso(0.99 * model.alpha_, tol=1e-9).fit(X, y).coef_ != 0).any()


def test_penalties_are_numbers_not_words():
    X, y = np.eye(6), np.arange(6.0)
    with pytest.raises(TypeError, match="LassoCV: alphas must hold numbers"):
        LassoCV(alphas=(1, 1.0, "1")).fit(X, y)


def test_the_report_names_the_chosen_penalty():
    X, y = make()
    model = LassoCV().fit(X, y)
    facts, at = model.report_.facts, np.argmin(model.mse_path_.mean(axis=1))
    assert facts["chosen_alpha"] == model.alpha_ == model.alphas_[at]
    assert facts["chosen_l1_ratio"] == 1.0
    assert facts["held_out_error"] == model.mse_path_[at].mean()
    assert "choice_at_end" not in facts
    ends = LassoCV(alphas=[0.5, 0.4, 0.3]).fit(X, y).report_
    assert ends.facts["choice_at_end"] == "smallest"
    assert "try more beyond it" in str(ends)
    only = LassoCV(alphas=[5.0]).fit(X, y).report_
    assert "choice_at_end" not in only.facts
