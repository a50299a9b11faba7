import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit
from statsmodels.stats.outliers_influence import variance_inflation_factor

import corollary
from corollary import (
    GeneralizedLinearRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    datasets,
    engine,
)
from corollary.core.errors import DataError, ParameterError


def make(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 2 + rng.normal(size=n)


def assert_equal_table(ours, theirs):
    """Compare with a result of statsmodels, to 1e-8."""
    close = {"rtol": 1e-8, "atol": 1e-300}
    np.testing.assert_allclose(ours.coef, theirs.params, **close)
    np.testing.assert_allclose(ours.standard_errors, theirs.bse, **close)
    np.testing.assert_allclose(ours.statistics, theirs.tvalues, **close)
    np.testing.assert_allclose(ours.p_values, theirs.pvalues, rtol=1e-7, atol=1e-300)
    np.testing.assert_allclose(ours.intervals, theirs.conf_int(), rtol=1e-8)
    np.testing.assert_allclose(ours.covariance, theirs.cov_params(), rtol=1e-6)


@pytest.mark.course("S3-88")
@pytest.mark.parametrize("route", ["gram", "qr"])
@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_is_that_of_statsmodels(intercept, route):
    X, y = make(60 if route == "qr" else 200)
    model = LinearRegression(fit_intercept=intercept)
    if route == "qr":  # a stream goes that way
        for rows in (slice(0, 25), slice(25, 60)):
            model.partial_fit(X[rows], y[rows])
    else:
        model.fit(X, y)
    assert model.report_.facts["route"] == route
    A = sm.add_constant(X) if intercept else X
    theirs, ours = sm.OLS(y, A).fit(), model.summary()
    assert_equal_table(ours, theirs)
    assert ours.r_squared == pytest.approx(theirs.rsquared, rel=1e-9)
    assert ours.adjusted_r_squared == pytest.approx(theirs.rsquared_adj, rel=1e-9)
    assert ours.sigma**2 == pytest.approx(theirs.scale, rel=1e-9)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-9)
    assert ours.aic == pytest.approx(theirs.aic, rel=1e-9)
    assert ours.bic == pytest.approx(theirs.bic, rel=1e-9)
    assert ours.dof == theirs.df_resid
    first = int(intercept)
    for j in range(first, A.shape[1]):
        others = np.delete(A, j, axis=1)
        left = A[:, j] - others @ np.linalg.lstsq(others, A[:, j], rcond=None)[0]
        about = A[:, j] - first * A[:, j].mean()
        assert ours.vif[j] == pytest.approx(about @ about / (left @ left), rel=1e-8)
        if intercept:
            theirs_j = variance_inflation_factor(A, j)
            assert ours.vif[j] == pytest.approx(theirs_j, rel=1e-8)
    unit = A / np.sqrt((A**2).sum(axis=0))
    assert ours.condition_number == pytest.approx(np.linalg.cond(unit), rel=1e-8)


@pytest.mark.course("S3-88", "S4-7")
def test_least_squares_maximises_the_gaussian_likelihood():
    X, y = make(60, 2)
    model = LinearRegression().fit(X, y)
    table, rss = model.summary(), ((y - model.predict(X)) ** 2).sum()
    assert table.sigma_ml**2 == pytest.approx(rss / 60, rel=1e-12)  # RSS/n
    assert table.sigma**2 == pytest.approx(rss / 57, rel=1e-12)  # unbiased

    def log_likelihood(b, b0, sigma):
        return stats.norm.logpdf(y, X @ b + b0, sigma).sum()

    best = log_likelihood(model.coef_, model.intercept_, table.sigma_ml)
    assert table.log_likelihood == pytest.approx(best, rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(100):
        moved = 0.01 * rng.normal(size=4)
        other = log_likelihood(
            model.coef_ + moved[:2],
            model.intercept_ + moved[2],
            table.sigma_ml * np.exp(moved[3]),
        )
        assert other < best


@pytest.mark.course("S3-88")
def test_predictive_variance_is_that_of_a_new_response():
    X, y = make(40, 2)
    new = np.array([[0.0, 0.0], [3.0, -5.0]])
    table = LinearRegression().fit(X, y).summary()
    oracle = sm.OLS(y, sm.add_constant(X)).fit()
    theirs = oracle.get_prediction(sm.add_constant(new, has_constant="add"))
    np.testing.assert_allclose(
        table.predictive_variance(new), theirs.var_pred_mean + oracle.scale, rtol=1e-9
    )
    # 95 % of new responses fall into the interval that it gives
    rng, hits = np.random.default_rng(0), []
    for _ in range(400):
        y = X @ [1.0, 2.0] + rng.normal(size=40)
        model = LinearRegression().fit(X, y)
        table = model.summary()
        half = stats.t(37).ppf(0.975) * np.sqrt(table.predictive_variance(new))
        hits.append(
            np.abs(new @ [1.0, 2.0] + rng.normal(size=2) - model.predict(new)) < half
        )
    assert np.mean(hits) == pytest.approx(0.95, abs=0.025)


def test_longley_has_nine_certified_digits():
    data = datasets.longley()
    frame = pd.DataFrame(data.X, columns=data.columns)
    table = LinearRegression().fit(frame, data.y).summary()
    np.testing.assert_allclose(table.coef, data.coef, rtol=1e-9)
    np.testing.assert_allclose(table.standard_errors, data.coef_sd, rtol=1e-9)
    assert table.sigma == pytest.approx(data.residual_sd, rel=1e-9)
    assert table.r_squared == pytest.approx(data.r_squared, rel=1e-9)
    assert table.names[0] == "intercept"
    assert table.names[1:] == data.columns
    assert table.condition_number == pytest.approx(43275, rel=1e-3)  # Belsley
    assert "nearly determined by the others" in str(table)


@pytest.mark.course("S3-89")
def test_coefficients_explode_and_cancel_as_the_correlation_rises():
    rng = np.random.default_rng(0)
    x1, noise, z = rng.normal(size=(3, 200))
    before = (0.0, 0.0, np.inf)
    for spread in (1.0, 0.1, 1e-2, 1e-3):
        X = np.column_stack([x1, x1 + spread * z])
        y = 0.8 * X[:, 0] + 0.2 * X[:, 1] + 0.5 * noise
        model = LinearRegression().fit(X, y)
        table = model.summary()
        r = np.corrcoef(X.T)[0, 1]
        np.testing.assert_allclose(table.vif[1:], 1 / (1 - r * r), rtol=1e-6)
        size = np.abs(model.coef_ - [0.8, 0.2]).max()
        assert table.vif[1] > before[0]
        assert table.condition_number > before[1]
        assert size > before[2] or before[2] == np.inf
        before = (table.vif[1], table.condition_number, size)
        assert model.coef_.sum() == pytest.approx(1.0, abs=0.1)  # they cancel
        assert table.sigma == pytest.approx(0.5, abs=0.06)  # and the fit is good
    assert size > 10
    assert "columns ['x0', 'x1'] are nearly determined" in str(table)


@pytest.mark.course("S3-89")
@pytest.mark.parametrize("kind", ["least squares", "poisson"])
def test_dependent_columns_are_named_and_have_infinite_errors(kind):
    X, y = make(100, 3)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["a again"] = 2 * frame["a"]
    if kind == "poisson":
        y = np.random.default_rng(0).poisson(2.0, 100)
        model = GeneralizedLinearRegressor("poisson", tol=1e-9)
        plain = GeneralizedLinearRegressor("poisson", tol=1e-9).fit(X, y).summary()
    else:
        model, plain = LinearRegression(), LinearRegression().fit(X, y).summary()
    table = model.fit(frame, y).summary()
    assert table.dependent in (("a",), ("a again",))
    assert table.standard_errors[[1, 4]].tolist() == [np.inf, np.inf]
    assert table.vif[[1, 4]].tolist() == [np.inf, np.inf]
    assert table.p_values[[1, 4]].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(
        table.standard_errors[[2, 3]], plain.standard_errors[[2, 3]], rtol=1e-7
    )
    assert table.condition_number == np.inf
    assert table.parameters == 4
    assert "follow from the others" in str(table)


FAMILIES = {
    "gaussian": (sm.families.Gaussian(), lambda rng, mu: mu + rng.normal(size=len(mu))),
    "poisson": (sm.families.Poisson(), lambda rng, mu: rng.poisson(mu)),
    "gamma": (
        sm.families.Gamma(sm.families.links.Log()),
        lambda rng, mu: rng.gamma(3, mu / 3),
    ),
    "inverse_gaussian": (
        sm.families.InverseGaussian(sm.families.links.Log()),
        lambda rng, mu: rng.wald(mu, 20.0),
    ),
    "bernoulli": (
        sm.families.Binomial(),
        lambda rng, mu: (rng.uniform(size=len(mu)) < 1 / (1 + 2 / mu)) * 1.0,
    ),
}


@pytest.mark.course("S4-37")
@pytest.mark.parametrize("family", FAMILIES)
def test_generalised_linear_models_are_those_of_statsmodels(family):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + np.arange(3)
    oracle, draw = FAMILIES[family]
    y = draw(rng, np.exp(0.4 * X @ [0.5, -0.3, 0.5])).astype(float)
    link = "log" if family in ("gamma", "inverse_gaussian") else "canonical"
    model = GeneralizedLinearRegressor(family, link, tol=1e-11).fit(X, y)
    ours = model.summary()
    known = family in ("poisson", "bernoulli")
    theirs = sm.GLM(y, sm.add_constant(X), family=oracle)
    theirs = theirs.fit(tol=1e-15, maxiter=300, use_t=not known)
    assert_equal_table(ours, theirs)
    assert ours.kind == ("z" if known else "t")
    assert ours.deviance == pytest.approx(theirs.deviance, rel=1e-9)
    assert ours.null_deviance == pytest.approx(theirs.null_deviance, rel=1e-9)
    assert ours.dispersion == pytest.approx(theirs.scale, rel=1e-8)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-8)
    assert ours.aic == pytest.approx(theirs.aic, rel=1e-8)
    assert ours.bic == pytest.approx(theirs.bic_llf, rel=1e-8)
    assert "explained" in str(ours)


def test_weights_repeat_rows_and_an_offset_has_no_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.poisson(2.0, 80).astype(float)
    times = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), times)
    for model in (LinearRegression(), PoissonRegressor(alpha=0.1, tol=1e-9)):
        weighted = model.fit(X, y, times.astype(float)).summary()
        repeated = model.fit(X[rows], y[rows]).summary()
        np.testing.assert_allclose(
            weighted.standard_errors, repeated.standard_errors, rtol=1e-7
        )
        assert weighted.aic == pytest.approx(repeated.aic, rel=1e-8)
        assert weighted.n == times.sum()
    t = rng.uniform(1, 5, 80)
    theirs = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson(), exposure=t)
    model = GeneralizedLinearRegressor("poisson", exposure=1, tol=1e-10)
    ours = model.fit(np.column_stack([X[:, 0], t, X[:, 1]]), y).summary()
    np.testing.assert_allclose(ours.standard_errors, theirs.fit().bse, rtol=1e-7)
    assert ours.names == ("intercept", "x0", "x2")


def test_ridge_gives_the_scatter_of_its_estimates_and_says_they_are_biased():
    X, y = make(80, 3)
    table = Ridge(5.0).fit(X, y).summary()
    Xc = X - X.mean(axis=0)
    A = np.linalg.inv(Xc.T @ Xc + 5 * np.eye(3))
    p = np.trace(A @ Xc.T @ Xc) + 1
    assert table.parameters == pytest.approx(p, rel=1e-9)
    expected = table.sigma**2 * np.diag(A @ Xc.T @ Xc @ A)
    np.testing.assert_allclose(table.standard_errors[1:] ** 2, expected, rtol=1e-8)
    assert "the penalty biases the estimates" in str(table)
    draws = np.random.default_rng(0).normal(size=(3000, 80))
    estimates = (A @ Xc.T @ (draws - draws.mean(axis=1, keepdims=True)).T).T
    np.testing.assert_allclose(
        table.standard_errors[1:] / table.sigma, estimates.std(axis=0), rtol=0.05
    )
    plain = LinearRegression().fit(X, y).summary()
    np.testing.assert_allclose(
        Ridge(0.0).fit(X, y).summary().standard_errors, plain.standard_errors, rtol=1e-8
    )


@pytest.mark.parametrize(
    "model",
    [LinearRegression(), Ridge(2.0), GeneralizedLinearRegressor("gamma", "log")],
    ids=lambda m: type(m).__name__,
)
def test_a_loaded_model_has_its_summary(model, tmp_path):
    X, y = make()
    model.fit(X, np.exp(y / 10))
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert str(again.summary()) == str(model.summary())


def test_files_give_the_same_summary_and_several_targets_one_each():
    X, y = make()
    chunks = [(X[a : a + 70], y[a : a + 70]) for a in range(0, 200, 70)]
    whole = LinearRegression().fit(X, y).summary()
    parts = LinearRegression().fit(engine.ChunkSource(chunks)).summary()
    np.testing.assert_allclose(parts.standard_errors, whole.standard_errors, rtol=1e-9)
    both = LinearRegression().fit(X, np.column_stack([y**2, y]))
    np.testing.assert_allclose(
        both.summary(target=1).standard_errors, whole.standard_errors, rtol=1e-9
    )


def test_bad_requests_are_one_sentence():
    X, y = make(4, 4)
    with pytest.raises(DataError, match="needs more rows than its 4 coefficients"):
        LinearRegression().fit(X, y).summary()
    X, y = make()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        model.summary(confidence=95)
    with pytest.raises(ParameterError, match="target must be below the number of tar"):
        model.summary(target=1)
    with pytest.raises(ParameterError, match="free to have either sign"):
        LinearRegression(positive=True).fit(X, y).summary()
    with pytest.raises(ParameterError, match="a fit by conjugate gradients"):
        Ridge(solver="sparse_cg").fit(X, y).summary()
    poisson = PoissonRegressor().fit(X, np.abs(y))
    with pytest.raises(ParameterError, match="intervals of y need Gaussian"):
        poisson.summary().predictive_variance(X)


def test_a_perfect_fit_is_no_nan():
    X = np.arange(5.0)[:, None]
    table = LinearRegression().fit(X, np.zeros(5)).summary()
    assert not np.isnan(table.p_values).any()
    assert not np.isnan(table.intervals).any()


@pytest.mark.course("S4-7")
def test_confidence_and_prediction_intervals_are_those_of_statsmodels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=40) + 5
    table = LinearRegression().fit(X, y).summary(confidence=0.9)
    theirs = sm.OLS(y, sm.add_constant(X)).fit()
    new = rng.normal(size=(7, 3))
    frame = theirs.get_prediction(sm.add_constant(new, has_constant="add"))
    np.testing.assert_allclose(
        table.mean_intervals(new), frame.conf_int(alpha=0.1), rtol=1e-9
    )
    np.testing.assert_allclose(
        table.prediction_intervals(new), frame.conf_int(obs=True, alpha=0.1), rtol=1e-9
    )
    assert table.sigma**2 == pytest.approx(theirs.mse_resid)


@pytest.mark.course("S4-7")
def test_intervals_hold_what_they_promise():
    rng = np.random.default_rng(2)
    X, new, b = rng.normal(size=(15, 2)), np.array([[0.5, -1.0]]), np.array([1.0, 2.0])
    mean_held = new_held = 0
    for _ in range(2000):
        table = LinearRegression().fit(X, X @ b + 3 + rng.normal(size=15)).summary(0.8)
        low, high = table.mean_intervals(new)[0]
        mean_held += low <= new[0] @ b + 3 <= high
        low, high = table.prediction_intervals(new)[0]
        new_held += low <= new[0] @ b + 3 + rng.normal() <= high
    assert mean_held / 2000 == pytest.approx(0.8, abs=0.035)  # four deviations
    assert new_held / 2000 == pytest.approx(0.8, abs=0.035)


# -- robust errors ---------------------------------------------------------------------
def uneven(n=120, seed=1):
    """Return rows whose noise grows with the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -1.0, 0.0], size=(n, 3))
    return X, X @ [1.0, -2.0, 0.5] + 1 + np.exp(X[:, 0] / 2) * rng.normal(size=n)


@pytest.mark.course("S3-88")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("errors", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_of_least_squares_are_those_of_statsmodels(errors, intercept):
    X, y = uneven()
    A = sm.add_constant(X) if intercept else X
    theirs = sm.OLS(y, A).fit(cov_type=errors, use_t=True)
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    ours = model.summary(errors=errors, X=X, y=y)
    assert_equal_table(ours, theirs)
    assert ours.f_test().statistic == pytest.approx(float(theirs.fvalue), rel=1e-8)
    assert ours.f_test().p_value == pytest.approx(float(theirs.f_pvalue), rel=1e-7)
    plain = model.summary()
    assert not np.allclose(ours.standard_errors, plain.standard_errors, rtol=1e-3)


def test_robust_errors_of_a_ridge_and_of_repeated_rows():
    X, y = uneven(60)
    w = np.random.default_rng(0).integers(1, 4, size=60)
    repeated = np.repeat(np.arange(60), w)
    ridge = Ridge(alpha=5.0).fit(X, y)
    Z, P = np.column_stack([np.ones(60), X]), np.diag([0, 1, 1, 1])
    A = np.linalg.inv(Z.T @ Z + 5 * P)
    e = y - ridge.predict(X)
    expected = A @ (Z.T * e**2) @ Z @ A
    ours = ridge.summary(errors="HC0", X=X, y=y)
    np.testing.assert_allclose(ours.covariance, expected, rtol=1e-8)
    for errors in ("HC0", "HC1", "HC3"):
        once = LinearRegression().fit(X, y, w)
        many = LinearRegression().fit(X[repeated], y[repeated])
        np.testing.assert_allclose(
            once.summary(errors=errors, X=X, y=y, sample_weight=w).standard_errors,
            many.summary(errors=errors, X=X[repeated], y=y[repeated]).standard_errors,
            rtol=1e-9,
        )


def test_robust_errors_are_summed_over_any_source(tmp_path):
    X, y = uneven(500)
    model = LinearRegression().fit(X, y)
    whole = model.summary(errors="HC3", X=X, y=y)
    chunks = [
        engine.ArraySource(X[a : a + 97], y[a : a + 97]) for a in range(0, 500, 97)
    ]
    pieces = engine.ChunkSource(lambda: ((c.X, c.y) for c in chunks))
    table = model.summary(errors="HC3", X=pieces)
    np.testing.assert_allclose(table.covariance, whole.covariance, rtol=1e-9)


def mean_model(name):
    """Return rows, responses, and statsmodels' name for their law."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    eta = 0.4 * X[:, 0] - 0.3 * X[:, 1] + 0.5
    if name == "poisson":
        law = sm.families.Poisson()
        return X, rng.poisson(np.exp(eta + rng.normal(size=300))), law
    if name == "binomial":
        return X, 1.0 * (rng.random(300) < expit(eta)), sm.families.Binomial()
    law = sm.families.Gamma(sm.families.links.Log())
    return X, rng.gamma(2, np.exp(eta)), law


@pytest.mark.parametrize("name", ["poisson", "gamma", "binomial"])
def test_robust_errors_of_generalised_linear_models(name):
    X, y, law = mean_model(name)
    link = "logit" if name == "binomial" else "log"
    model = GeneralizedLinearRegressor(family=name, link=link, alpha=0, tol=1e-10)
    model.fit(X, y)
    table = {
        errors: model.summary(errors=errors, X=X, y=y).covariance
        for errors in ("HC0", "HC1", "HC2", "HC3")
    }
    Z, mu = sm.add_constant(X), model.predict(X)
    V = {"poisson": mu, "gamma": mu**2, "binomial": mu * (1 - mu)}[name]
    slope = V if name == "binomial" else mu  # of the mean in the predictor
    v = slope**2 / V
    A = np.linalg.inv((Z.T * v) @ Z)
    h, psi = v * np.einsum("ni,ij,nj->n", Z, A, Z), (y - mu) * slope / V
    for errors, c in {"HC0": 1.0, "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}.items():
        expected = A @ (Z.T * (c * psi**2)) @ Z @ A
        np.testing.assert_allclose(table[errors], expected, rtol=1e-8)
    np.testing.assert_allclose(table["HC1"], table["HC0"] * 300 / 297, rtol=1e-12)
    if name != "gamma":  # where the observed information is the expected one
        theirs = sm.GLM(y, Z, family=law).fit(cov_type="HC0", tol=1e-12)
        np.testing.assert_allclose(table["HC0"], theirs.cov_params(), rtol=1e-5)


def test_robust_errors_say_what_they_need():
    X, y = uneven()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError, match=r"Use summary\(errors='HC3', X=X, y=y\)"):
        model.summary(errors="HC3")
    with pytest.raises(ParameterError, match="errors must be one of 'classical'"):
        model.summary(errors="HC9")
    with pytest.raises(DataError, match="X must be the rows of the fit"):
        model.summary(errors="HC0", X=X[:50], y=y[:50])
    with pytest.raises(DataError, match="4 features"):
        model.summary(errors="HC0", X=np.ones((120, 4)), y=y)


# -- tests of several coefficients -----------------------------------------------------
def test_f_tests_are_those_of_statsmodels():
    X, y = make(80, 4)
    theirs, ours = sm.OLS(y, sm.add_constant(X)).fit(), LinearRegression().fit(X, y)
    table = ours.summary()
    assert table.f_test().statistic == pytest.approx(theirs.fvalue, rel=1e-8)
    assert table.f_test().p_value == pytest.approx(theirs.f_pvalue, rel=1e-7)
    R = np.array([[0, 1, -1, 0, 0], [0, 0, 0, 1, 1.0]])
    expected = theirs.f_test(R)
    found = table.f_test(R)
    assert found.statistic == pytest.approx(float(expected.fvalue), rel=1e-8)
    assert found.p_value == pytest.approx(float(expected.pvalue), rel=1e-7)
    assert (found.restrictions, found.dof) == (2, 75)
    both, name = table.f_test(["x1", "x3"]), table.f_test(["x1"])
    assert both.statistic == pytest.approx(
        float(theirs.f_test(np.eye(5)[[2, 4]]).fvalue), rel=1e-8
    )
    assert name.statistic == pytest.approx(
        table.statistics[2] ** 2, rel=1e-9
    )  # F = t^2
    twice = table.f_test(np.vstack([R, R.sum(axis=0)]))  # what follows counts once
    assert twice.restrictions == 2
    assert twice.statistic == pytest.approx(found.statistic, rel=1e-8)
    share = table.r_squared
    assert table.f_test().statistic == pytest.approx(share / 4 / ((1 - share) / 75))


def test_a_wald_test_of_counts_is_chi_square():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.poisson(np.exp(0.3 * X[:, 0]))
    ours = PoissonRegressor(alpha=0, tol=1e-10).fit(X, y).summary()
    theirs = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit()
    expected = theirs.wald_test(np.eye(4)[1:], use_f=False, scalar=True)
    found = ours.f_test()
    assert found.kind == "chi-square"
    assert found.statistic == pytest.approx(float(expected.statistic), rel=1e-5)
    assert found.p_value == pytest.approx(float(expected.pvalue), rel=1e-4)


def test_a_hypothesis_must_name_what_is_there():
    X, y = make()
    table = LinearRegression().fit(X, y).summary()
    with pytest.raises(ParameterError, match="names must be among"):
        table.f_test(["x9"])
    with pytest.raises(ParameterError, match="at least one coefficient"):
        table.f_test([])
    X[:, 3] = X[:, 0]
    lost = LinearRegression().fit(X, y).summary()
    with pytest.raises(ParameterError, match="coefficients that the data determines"):
        lost.f_test()
    assert "all slopes" not in str(lost)


# -- logistic regression ---------------------------------------------------------------
def classes(K, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal([2.0, 0.0, -1.0], size=(n, 3))
    B = rng.normal(size=(K, 3))
    gumbel = rng.gumbel(size=(n, K))
    return X, (X @ B.T + gumbel).argmax(axis=1)


@pytest.mark.course("S3-88")
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_regression_is_that_of_statsmodels(intercept):
    X, y = classes(2)
    model = LogisticRegression(C=np.inf, tol=1e-9, fit_intercept=intercept).fit(X, y)
    A = sm.add_constant(X) if intercept else X
    theirs, ours = sm.Logit(y, A).fit(disp=0, tol=1e-12), model.summary()
    np.testing.assert_allclose(ours.coef, theirs.params, rtol=1e-6)
    np.testing.assert_allclose(ours.standard_errors, theirs.bse, rtol=1e-6)
    np.testing.assert_allclose(ours.p_values, theirs.pvalues, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(ours.intervals, theirs.conf_int(), rtol=1e-5)
    np.testing.assert_allclose(ours.covariance, theirs.cov_params(), rtol=1e-5)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-9)
    assert ours.aic == pytest.approx(theirs.aic, rel=1e-9)
    assert ours.bic == pytest.approx(theirs.bic, rel=1e-9)
    if intercept:
        assert ours.deviance_explained == pytest.approx(theirs.prsquared, rel=1e-7)
    robust = model.summary(errors="HC0", X=X, y=y)
    theirs = sm.Logit(y, A).fit(disp=0, tol=1e-12, cov_type="HC0")
    np.testing.assert_allclose(robust.standard_errors, theirs.bse, rtol=1e-5)
    same = GeneralizedLinearRegressor(
        family="binomial", link="logit", alpha=0, tol=1e-10, fit_intercept=intercept
    )
    same = same.fit(X, y).summary(errors="HC3", X=X, y=y)
    robust = model.summary(errors="HC3", X=X, y=y)
    np.testing.assert_allclose(robust.standard_errors, same.standard_errors, rtol=1e-5)


def test_several_classes_are_told_against_the_first():
    X, y = classes(4, 500)
    names = np.array(["ash", "birch", "cedar", "elm"])
    model = LogisticRegression(C=np.inf, tol=1e-9).fit(X, names[y])
    theirs, ours = (
        sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12),
        model.summary(),
    )
    np.testing.assert_allclose(ours.coef, theirs.params.T.ravel(), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.standard_errors, theirs.bse.T.ravel(), rtol=1e-6)
    np.testing.assert_allclose(
        ours.covariance, theirs.cov_params(), rtol=1e-4, atol=1e-9
    )
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-9)
    assert ours.names[:2] == ("birch: intercept", "birch: x0")
    assert ours.names[-1] == "elm: x2"
    assert "against class ash" in str(ours)
    robust = model.summary(errors="HC0", X=X, y=names[y])
    P = model.predict_proba(X)
    Z, R = np.column_stack([np.ones(500), X]), (P - np.eye(4)[y])[:, 1:]
    G = (R[:, :, None] * Z[:, None, :]).reshape(500, -1)
    expected = theirs.cov_params() @ (G.T @ G) @ theirs.cov_params()
    np.testing.assert_allclose(robust.covariance, expected, rtol=1e-3, atol=1e-8)
    with pytest.raises(ParameterError, match="leverages need one score"):
        model.summary(errors="HC3", X=X, y=names[y])


def test_a_penalty_of_several_classes_shrinks_the_scatter():
    X, y = classes(3, 300)
    n, C = len(X), 0.05
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y)
    table = model.summary()
    Z, P = np.column_stack([X, np.ones(n)]), model.predict_proba(X)
    H = np.zeros((12, 12))
    for z, p in zip(Z, P, strict=True):
        H += np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z))
    A = H + np.kron(np.eye(3), np.diag([1 / C] * 3 + [0.0]))
    A += np.kron(np.ones((3, 3)), np.diag([0.0, 0, 0, 1]))  # intercepts' common part
    whole = np.linalg.inv(A) @ H @ np.linalg.inv(A)
    T = np.kron(np.array([[-1.0, 1, 0], [-1, 0, 1]]), np.eye(4)[[3, 0, 1, 2]])
    np.testing.assert_allclose(table.covariance, T @ whole @ T.T, rtol=1e-6, atol=1e-10)
    assert "the penalty biases" in str(table)
    free = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y).summary()
    assert (table.standard_errors < free.standard_errors).all()


def test_many_weights_need_the_rows_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 80))
    y = rng.random(400) < 1 / (1 + np.exp(-X[:, 0]))
    model = LogisticRegression(C=1.0, tol=1e-9).fit(X, y)
    with pytest.raises(ParameterError, match=r"Use summary\(X=X, y=y\)"):
        model.summary()
    table = model.summary(X=X, y=y)
    p = model.predict_proba(X)[:, 1]
    Z = np.column_stack([np.ones(400), X])
    H = (Z.T * (p * (1 - p))) @ Z
    A = np.linalg.inv(H + np.diag([0.0] + [1.0] * 80))
    np.testing.assert_allclose(table.covariance, A @ H @ A, rtol=1e-6, atol=1e-10)
    with pytest.raises(ParameterError, match="L2 penalty or none"):
        LogisticRegression(l1_ratio=1, solver="saga").fit(X, y).summary()


@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_other_links_have_a_table_too(link):
    X, y = classes(2)
    model = LogisticRegression(C=np.inf, tol=1e-10, link=link).fit(X, y)
    kind = {
        "probit": sm.families.links.Probit(),
        "cloglog": sm.families.links.CLogLog(),
    }
    law = sm.families.Binomial(kind[link])
    theirs = sm.GLM(y, sm.add_constant(X), family=law).fit(tol=1e-12)
    np.testing.assert_allclose(model.summary().standard_errors, theirs.bse, rtol=1e-4)
    same = GeneralizedLinearRegressor(family="binomial", link=link, alpha=0, tol=1e-10)
    same = same.fit(X, y, 1 + y).summary(errors="HC2", X=X, y=y, sample_weight=1 + y)
    model = LogisticRegression(
        C=np.inf, tol=1e-10, link=link, class_weight={0: 1, 1: 2}
    ).fit(X, y)
    table = model.summary(errors="HC2", X=X, y=y)
    np.testing.assert_allclose(table.standard_errors, same.standard_errors, rtol=1e-5)


def test_a_loaded_logistic_regression_has_its_table(tmp_path):
    X, y = classes(3)
    model = LogisticRegression().fit(X, y)
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary")
    np.testing.assert_array_equal(again.summary().coef, model.summary().coef)
    np.testing.assert_allclose(again.summary().p_values, model.summary().p_values)


# -- what is said ----------------------------------------------------------------------
def test_counts_that_scatter_more_than_their_law_are_called_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    mean = np.exp(0.5 + 0.3 * X[:, 0])
    wild, even = rng.poisson(mean * rng.gamma(0.5, 2, size=400)), rng.poisson(mean)
    model = PoissonRegressor(alpha=0, tol=1e-9).fit(X, wild)
    table = model.summary()
    theirs = sm.GLM(wild, sm.add_constant(X), family=sm.families.Poisson()).fit()
    expected = theirs.pearson_chi2 / theirs.df_resid
    assert table.overdispersion == pytest.approx(expected, rel=1e-5)
    assert f"chi-square / df = {expected:.4g}: counts scatter more" in str(table)
    assert f"by a factor of about {np.sqrt(expected):.3g}" in str(table)
    assert "counts scatter" not in str(model.summary(errors="HC1", X=X, y=wild))
    tame = PoissonRegressor(alpha=0).fit(X, even).summary()
    assert not any("counts scatter" in note for note in tame.notes)
    flat = PoissonRegressor(alpha=0).fit(X, np.round(mean)).summary()
    assert any("counts scatter less" in note for note in flat.notes)


def test_a_summary_is_a_frame_and_a_page():
    X, y = make()
    frame = pd.DataFrame(X, columns=["a", "b<c", "intercept", "d"])
    table = LinearRegression().fit(frame, y).summary(confidence=0.9)
    shown = table.to_frame()
    assert shown.index.tolist() == ["intercept", "a", "b<c", "intercept", "d"]
    np.testing.assert_array_equal(shown["p_value"], table.p_values)
    np.testing.assert_array_equal(shown[["lower", "upper"]], table.intervals)
    assert table.slopes == (1, 2, 3, 4)
    page = table._repr_html_()
    assert "b&lt;c" in page
    assert "b<c" not in page
    assert f"{table.coef[1]:.6g}" in page
    assert repr(table) == "Summary(LinearRegression, 5 coefficients, 200 rows)"
    assert "95 %" in str(table)
    assert "5 %" in str(table)
