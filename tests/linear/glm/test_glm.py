import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from corollary import (
    GammaRegressor,
    GeneralizedLinearRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    StopReason,
    TweedieRegressor,
    engine,
)
from corollary.core.errors import DataError, ParameterError

GLM = GeneralizedLinearRegressor
LINKS = {
    "identity": sm.families.links.Identity,
    "log": sm.families.links.Log,
    "logit": sm.families.links.Logit,
    "probit": sm.families.links.Probit,
    "cloglog": sm.families.links.CLogLog,
    "reciprocal": sm.families.links.InversePower,
}
FAMILIES = {
    "gaussian": sm.families.Gaussian,
    "poisson": sm.families.Poisson,
    "gamma": sm.families.Gamma,
    "inverse_gaussian": sm.families.InverseGaussian,
    "bernoulli": sm.families.Binomial,
}
PAIRS = [
    ("gaussian", "identity"),
    ("gaussian", "log"),
    ("poisson", "log"),
    ("poisson", "identity"),
    ("gamma", "log"),
    ("gamma", "reciprocal"),
    ("inverse_gaussian", "log"),
    ("bernoulli", "logit"),
    ("bernoulli", "probit"),
    ("bernoulli", "cloglog"),
]


def make(family="poisson", n=400, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, size=(n, d)) + np.arange(d)
    mu = 1 + X @ (np.arange(1, d + 1) / d)
    y = {
        "gaussian": lambda: mu + 0.3 * rng.normal(size=n),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: rng.gamma(4.0, mu / 4),
        "inverse_gaussian": lambda: rng.wald(mu, 10.0),
        "bernoulli": lambda: (rng.uniform(size=n) < mu / mu.max() * 0.8).astype(float),
    }[family]()
    return X, y


def theirs(family, link, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of links that do not fit the range of mu
        made = FAMILIES[family](LINKS[link]())
        model = sm.GLM(y, sm.add_constant(X), family=made, **more)
    start = None
    if link == "identity" and family == "poisson":
        start = np.append(y.mean(), np.zeros(X.shape[1]))
    return model.fit(tol=1e-14, maxiter=200, start_params=start)


@pytest.mark.course("S4-37")
@pytest.mark.parametrize("solver", ["lbfgs", "irls"])
@pytest.mark.parametrize(("family", "link"), PAIRS)
def test_maximum_likelihood_is_that_of_statsmodels(family, link, solver):
    X, y = make(family)
    ours = GLM(family, link, solver=solver, tol=1e-9).fit(X, y)
    oracle = theirs(family, link, X, y)
    np.testing.assert_allclose(ours.coef_, oracle.params[1:], rtol=1e-7, atol=1e-8)
    assert ours.intercept_ == pytest.approx(oracle.params[0], rel=1e-6)
    assert ours.report_.facts["deviance"] == pytest.approx(oracle.deviance, rel=1e-10)
    null = ours.report_.facts["null_deviance"]
    assert null == pytest.approx(oracle.null_deviance, rel=1e-9)
    assert ours.report_.stop is StopReason.CONVERGED
    np.testing.assert_allclose(ours.predict(X), oracle.fittedvalues, rtol=1e-7)


@pytest.mark.course("S4-37")
def test_gaussian_is_least_squares_and_bernoulli_is_logistic_regression():
    X, y = make("gaussian")
    model = GLM("gaussian", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, 1e-9)
    X, y = make("bernoulli")
    logistic = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    model = GLM("bernoulli", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, logistic.coef_[0], rtol=1e-7)
    np.testing.assert_allclose(
        model.predict(X), logistic.predict_proba(X)[:, 1], rtol=1e-7
    )


@pytest.mark.course("S4-37")
@pytest.mark.parametrize("family", ["gaussian", "poisson", "bernoulli"])
def test_canonical_gradient_vanishes_residuals_are_orthogonal(family):
    X, y = make(family)
    residual = GLM(family, tol=1e-10).fit(X, y).predict(X) - y
    assert abs(residual.sum()) < 1e-6  # the fitted means have the observed mean
    assert np.abs(X.T @ residual).max() < 1e-5


@pytest.mark.course("S4-37")
def test_a_step_of_fisher_scoring_is_weighted_least_squares():
    X, y = make("poisson")
    with pytest.warns(match="max_iter reached after 2 passes"):
        model = GLM("poisson", solver="irls", max_iter=2).fit(X, y)
    mu = np.full(len(y), y.mean())  # from the constant model, eta = log mu
    working = np.log(mu) + (y - mu) / mu
    step = LinearRegression().fit(X, working, sample_weight=mu)
    np.testing.assert_allclose(model.coef_, step.coef_, rtol=1e-9)
    assert model.intercept_ == pytest.approx(step.intercept_, rel=1e-9)


@pytest.mark.course("S4-37")
def test_several_classes_are_softmax_regression():
    X, number = make("gaussian")
    y = np.digitize(number + 2 * np.sin(9 * number), np.quantile(number, [0.3, 0.6]))
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=500).fit(X, y)
    oracle = sm.MNLogit(y, sm.add_constant(X)).fit(method="newton", disp=0, tol=1e-12)
    against_first = model.coef_[1:] - model.coef_[0]
    np.testing.assert_allclose(against_first, oracle.params[1:].T, rtol=1e-5)
    residual = model.predict_proba(X) - np.eye(3)[y]
    assert np.abs(X.T @ residual).max() < 1e-5  # X'(mu - y) once more


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("cls", "family", "more"),
    [
        ("PoissonRegressor", "poisson", {}),
        ("GammaRegressor", "gamma", {}),
        ("TweedieRegressor", "poisson", {"power": 1.5}),
        ("TweedieRegressor", "gamma", {"power": 3.0}),
        ("TweedieRegressor", "gaussian", {"power": 0.0}),
    ],
)
def test_equals_scikit_learn(cls, family, more, weighted, intercept, solver):
    X, y = make(family)
    X = X - X.mean(axis=0)
    w = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    more = {"alpha": 0.3, "fit_intercept": intercept, "tol": 1e-9, **more}
    oracle = getattr(sklearn.linear_model, cls)(
        solver="newton-cholesky", max_iter=200, **more
    )
    ours = globals()[cls](solver=solver, **more).fit(X, y, sample_weight=w)
    oracle.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, oracle.coef_, rtol=1e-6, atol=1e-9)
    assert ours.intercept_ == pytest.approx(oracle.intercept_, rel=1e-8)
    assert ours.score(X, y, w) == pytest.approx(oracle.score(X, y, w), abs=1e-9)


@pytest.mark.course("S4-37")
def test_exposure_is_an_offset_and_for_counts_a_weight_of_rates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    t = rng.uniform(0.5, 20, 300)
    y = rng.poisson(t * np.exp(0.3 * X[:, 0] - 1)).astype(float)
    frame = pd.DataFrame({"a": X[:, 0], "years": t, "b": X[:, 1]})
    ours = GLM("poisson", exposure="years", tol=1e-10).fit(frame, y)
    oracle = theirs("poisson", "log", X, y, exposure=t)
    np.testing.assert_allclose(ours.coef_[[0, 2]], oracle.params[1:], rtol=1e-8)
    assert ours.coef_[1] == 0
    facts = ours.report_.facts
    assert facts["deviance"] == pytest.approx(oracle.deviance, rel=1e-10)
    assert facts["null_deviance"] == pytest.approx(oracle.null_deviance, rel=1e-9)
    offset = GLM("poisson", offset="years", tol=1e-10)
    offset.fit(frame.assign(years=np.log(t)), y)
    np.testing.assert_allclose(offset.coef_[[0, 2]], ours.coef_[[0, 2]], rtol=1e-8)
    assert offset.coef_[1] == 1
    rates = PoissonRegressor(alpha=0, tol=1e-10).fit(X, y / t, sample_weight=t)
    np.testing.assert_allclose(rates.coef_, ours.coef_[[0, 2]], rtol=1e-7)
    np.testing.assert_allclose(ours.predict(frame), t * rates.predict(X), rtol=1e-7)


def test_offset_with_other_links():
    X, y = make("gamma")
    oracle = theirs("gamma", "log", X[:, 1:], y, offset=X[:, 0])
    ours = GLM("gamma", "log", offset=0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_[1:], oracle.params[1:], rtol=1e-7)
    null = ours.report_.facts["null_deviance"]
    assert null == pytest.approx(oracle.null_deviance, rel=1e-8)


def test_shares_with_trials_are_the_single_trials():
    rng = np.random.default_rng(3)
    X, trials = rng.normal(size=(40, 2)), rng.integers(1, 9, 40)
    wins = rng.binomial(trials, 1 / (1 + np.exp(-X[:, 0])))
    grouped = GLM("binomial", tol=1e-10).fit(X, wins / trials, trials.astype(float))
    one = np.concatenate(
        [np.r_[np.ones(k), np.zeros(m - k)] for k, m in zip(wins, trials, strict=True)]
    )
    single = GLM("bernoulli", tol=1e-10).fit(np.repeat(X, trials, axis=0), one)
    np.testing.assert_allclose(grouped.coef_, single.coef_, rtol=1e-7)
    np.testing.assert_allclose(
        grouped.summary().standard_errors, single.summary().standard_errors, rtol=1e-7
    )


@pytest.mark.parametrize("solver", ["lbfgs", "irls"])
def test_the_objective_never_rises_and_the_report_is_honest(solver):
    X, y = make("poisson", seed=2)
    model = GLM("poisson", solver=solver, alpha=0.01).fit(X, y)
    trace = np.array(model.report_.objective)
    assert (np.diff(trace) <= 1e-12).all()
    best = GLM("poisson", alpha=0.01, tol=1e-12).fit(X, y).report_.objective[-1]
    early = GLM("poisson", alpha=0.01, solver="irls", max_iter=3)
    with pytest.warns(match="max_iter reached after 3 passes; Newton decrement"):
        early.fit(X, y)
    gap = early.report_.objective[-1] - best
    assert early.report_.optimality.value == pytest.approx(gap, rel=0.2)


@pytest.mark.parametrize("family", ["bernoulli", "binomial"])
@pytest.mark.parametrize("gap", [1.0, 0.0])
def test_separable_classes_have_no_maximum(family, gap):
    # with gap = 0 the classes touch: separation is not complete, but still endless
    x = np.r_[np.linspace(-2, 0, 20) - gap, np.linspace(0, 2, 20) + gap]
    y = np.r_[np.zeros(20), np.ones(20)]
    X = np.column_stack([x, np.random.default_rng(0).normal(size=40)])
    model = GLM(family, tol=1e-5).fit(X, y)
    assert model.report_.facts["separability"] == "separable"
    assert "columns [0] separate the rows: the likelihood has no maximum" in str(
        model.report_
    )
    assert "errors and tests mean nothing" in str(model.summary())
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict(X)).all()
    ridged = GLM(family, alpha=0.1).fit(X, y)
    assert "separability" not in ridged.report_.facts
    y[[0, -1]] = y[[-1, 0]]
    assert "separability" not in GLM(family).fit(X, y).report_.facts


@given(seed=st.integers(0, 2**31), rows=st.integers(3, 25), d=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_no_maximum_is_reported_exactly_where_a_linear_programme_finds_none(
    seed, rows, d
):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(rows, d)).astype(float)
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(float)
    assume(0 < y.mean() < 1)
    A = np.column_stack([X, np.ones(rows)]) * (2 * y - 1)[:, None]
    best = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(rows), bounds=(-1, 1))
    model = GLM("bernoulli").fit(X, y)
    assert ("separability" in model.report_.facts) == (-best.fun > 1e-7)
    assert np.isfinite(model.coef_).all()


def test_counts_that_are_zero_wherever_a_column_is_not():
    rng = np.random.default_rng(0)
    group = np.repeat([0.0, 1.0], 50)
    y = np.where(group > 0, 0, rng.poisson(3, 100)).astype(float)
    frame = pd.DataFrame({"x": rng.normal(size=100), "group": group})
    model = GLM("poisson", tol=1e-6).fit(frame, y)
    assert "columns ['group'] separate the rows" in str(model.report_)


def test_dependent_and_constant_columns_are_named_and_the_solution_is_the_shortest():
    X, y = make("poisson")
    plain = GLM("poisson", tol=1e-9).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["twice a"], frame["five"] = 2 * frame["a"], 5.0
    model = GLM("poisson", tol=1e-9).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), plain.predict(X), rtol=1e-7)
    assert model.coef_[4] == pytest.approx(2 * model.coef_[0], rel=1e-7)
    assert model.coef_[5] == 0
    assert len(model.report_.facts["dependent_columns"]) == 2
    assert "five" in model.report_.facts["dependent_columns"]
    assert "Drop them or use alpha > 0" in str(model.report_)


def test_fewer_rows_than_columns():
    X, y = make("poisson", n=6, d=12)
    model = PoissonRegressor(alpha=0).fit(X, y + 1)
    np.testing.assert_allclose(model.predict(X), y + 1, rtol=1e-2)
    assert len(model.report_.facts["dependent_columns"]) == 7
    with pytest.raises(DataError, match="summary needs more rows than its 6 coeff"):
        model.summary()
    assert np.isfinite(PoissonRegressor().fit(X, y).coef_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_and_float32(dtype):
    rng = np.random.default_rng(0)
    S = sp.random(2000, 30, 0.1, format="csr", random_state=0, dtype=dtype)
    y = rng.poisson(np.exp(0.5 * S.sum(axis=1))).astype(float).ravel()
    ours = PoissonRegressor(alpha=0.01, tol=1e-5).fit(S, y)
    oracle = sklearn.linear_model.PoissonRegressor(alpha=0.01, tol=1e-10)
    oracle.fit(S.astype(np.float64), y)
    np.testing.assert_allclose(ours.coef_, oracle.coef_, atol=1e-4)
    assert ours.coef_.dtype == dtype
    assert ours.predict(S).dtype == dtype


def test_many_sparse_columns_go_without_the_information_matrix():
    S = sp.random(500, 3000, 0.01, format="csr", random_state=0)
    y = np.random.default_rng(0).poisson(1.0, 500).astype(float)
    ours = PoissonRegressor(alpha=0.1, tol=1e-6).fit(S, y)
    oracle = sklearn.linear_model.PoissonRegressor(alpha=0.1, tol=1e-9).fit(S, y)
    np.testing.assert_allclose(ours.coef_, oracle.coef_, atol=1e-6)
    with pytest.raises(ParameterError, match="summary needs the information matrix"):
        ours.summary()


def test_warm_start_and_chunks_with_weights_of_zero():
    X, y = make("poisson")
    model = PoissonRegressor(alpha=0.1, tol=1e-8, warm_start=True).fit(X, y)
    first, null = model.n_iter_, model.report_.facts["null_deviance"]
    model.fit(X, y)
    assert model.n_iter_ < first
    assert model.report_.facts["null_deviance"] == pytest.approx(null, rel=1e-12)
    w = np.where(np.arange(400) % 3 == 0, 0.0, 1.5)
    y_bad = np.where(w == 0, -1.0, y)  # rows of no weight are not there

    def chunks():
        for a in range(0, 400, 90):
            rows = slice(a, a + 90)
            yield X[rows], y_bad[rows], w[rows]

    streamed = PoissonRegressor(alpha=0.1, tol=1e-9).fit(engine.ChunkSource(chunks))
    whole = PoissonRegressor(alpha=0.1, tol=1e-9).fit(X[w > 0], y[w > 0])
    np.testing.assert_allclose(streamed.coef_, whole.coef_, rtol=1e-8)


@given(
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([1e-6, 1.0, 1e4]),
    family=st.sampled_from(["poisson", "gamma", "bernoulli", "gaussian"]),
)
@settings(max_examples=25, deadline=None)
def test_predictions_do_not_depend_on_units(seed, scale, family):
    X, y = make(family, n=150, seed=seed)
    link = "log" if family == "gamma" else "canonical"
    plain = GLM(family, link, tol=1e-8).fit(X, y)
    scaled = GLM(family, link, tol=1e-8).fit(X * scale, y)
    np.testing.assert_allclose(
        plain.predict(X), scaled.predict(X * scale), rtol=1e-5, atol=1e-8
    )


def test_bad_input_is_one_sentence():
    X, y = make("poisson")
    cases = [
        (
            PoissonRegressor(),
            -y - 1,
            "PoissonRegressor: y must be >= 0 for the poisson",
        ),
        (GammaRegressor(), y * 0, "GammaRegressor: y must be > 0 for the gamma"),
        (PoissonRegressor(), y * 0, "the mean of y must be a mean of the poisson"),
        (GLM("bernoulli"), y * 0 + 1, "the mean of y must be a mean of the bernoulli"),
        (GLM("bernoulli"), y, "y must be 0 or 1"),
        (GLM("poisson", exposure=0), y, "exposure, column 0 of X, must be > 0"),
        (
            GLM("gamma", fit_intercept=False),
            y + 1,
            "the search starts from must have means in range",
        ),
    ]
    X[3, 0] = 0.0
    for model, target, words in cases:
        with pytest.raises(DataError, match=words):
            model.fit(X, target)
    with pytest.raises(DataError, match="sample_weight must be >= 0; got -1 in row 0"):
        PoissonRegressor().fit(X, y, -np.ones(400))
    source = engine.ChunkSource([(X, np.column_stack([y, y]))])
    with pytest.raises(DataError, match="y must be one column; got a matrix"):
        PoissonRegressor().fit(source)
    for model, words in [
        (TweedieRegressor(power=0.5), "power must be at most 0 or at least 1"),
        (GLM("poisson", "logit"), "link logit needs a mean between 0 and 1"),
        (GLM("poisson", "identity", exposure=0), "an exposure needs the log link"),
        (GLM("poisson", offset="age"), "offset must be the name or the number"),
        (GLM("poisson", offset=4), "offset must be the name or the number"),
        (GLM("cauchy"), "family must be one of 'gaussian'"),
        (PoissonRegressor(alpha=-1.0), "alpha must be a number >= 0"),
    ]:
        with pytest.raises(ParameterError, match=words):
            model.fit(X, y)


def test_predictions_are_finite_or_one_sentence():
    X, y = make("poisson")
    model = PoissonRegressor(alpha=0).fit(X, y)
    far = model.predict(X * 1e6)
    assert np.isfinite(far).all()
    single = PoissonRegressor(alpha=0).fit(X.astype(np.float32), y)
    assert np.isfinite(single.predict((X * 1e6).astype(np.float32))).all()
    canonical = GLM("gamma").fit(X, y + 1)
    with pytest.raises(DataError, match="must have a mean under link reciprocal; got"):
        canonical.predict(X * 100)
    rate = GLM("poisson", exposure=3).fit(X, y)
    assert rate.predict([[0.0, 0.0, 0.0, 0.0]]) < 1e-300  # no time, no events
    with pytest.raises(DataError, match="got eta = nan in row 0"):
        rate.predict([[0.0, 0.0, 0.0, -1.0]])
