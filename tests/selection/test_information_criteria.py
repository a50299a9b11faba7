"""Information criteria: statsmodels' numbers, and what they choose."""

import numpy as np
import pytest
import sklearn.linear_model
import statsmodels.api as sm
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from statsmodels.tools.eval_measures import aicc

from corollary import (
    DecisionTreeRegressor,
    GammaRegressor,
    GaussianNB,
    GeneralizedLinearRegressor,
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    ParametricDensity,
    PoissonRegressor,
    PolynomialFeatures,
    Ridge,
    TweedieRegressor,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    compare_criteria,
    information_criteria,
    mixture_parameters,
)


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 1 + X[:, 0] + rng.normal(size=n)


def agrees(found, theirs):
    np.testing.assert_allclose(found.log_likelihood, theirs.llf, rtol=1e-6)
    np.testing.assert_allclose(found.aic, theirs.aic, rtol=1e-6)


@pytest.mark.course("S1-41")
def test_least_squares_has_statsmodels_numbers():
    X, y = rows()
    theirs = sm.OLS(y, sm.add_constant(X)).fit()
    w = np.random.default_rng(1).integers(1, 4, size=80)
    for model in (LinearRegression(), sklearn.linear_model.LinearRegression(),
                  GeneralizedLinearRegressor(tol=1e-10)):  # fmt: skip
        found = information_criteria(model, X, y)
        agrees(found, theirs)
        np.testing.assert_allclose(found.bic, theirs.bic, rtol=1e-6)
        np.testing.assert_allclose(found.mdl, theirs.bic / 2, rtol=1e-6)
        np.testing.assert_allclose(found.aicc, aicc(theirs.llf, 80, 4), rtol=1e-6)
        copies = np.repeat(np.arange(80), w)
        weighted = information_criteria(model, X, y, sample_weight=w)
        repeated = information_criteria(model, X[copies], y[copies])
        np.testing.assert_allclose(weighted.bic, repeated.bic, rtol=1e-6)
    noisy = information_criteria(LinearRegression(), X, y, count_noise=True)
    assert noisy.n_parameters == 5
    fitted = LinearRegression().fit(X, y)
    agrees(information_criteria(fitted, X, y), theirs)


@pytest.mark.course("S1-41")
def test_logistic_regression_and_counts_have_statsmodels_numbers():
    X, y = rows(200)
    Z = sm.add_constant(X)
    up = (y > 1).astype(int)
    theirs = sm.Logit(up, Z).fit(disp=0)
    for kind in (LogisticRegression, sklearn.linear_model.LogisticRegression):
        model = kind(C=np.inf, tol=1e-9)
        found = information_criteria(model, X, up)
        agrees(found, theirs)
        np.testing.assert_allclose(found.bic, theirs.bic, rtol=1e-6)
    three = np.digitize(y, [0.5, 1.5])
    theirs = sm.MNLogit(three, Z).fit(disp=0)
    found = information_criteria(LogisticRegression(C=np.inf, tol=1e-9), X, three)
    agrees(found, theirs)
    same = sklearn.linear_model.LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
    agrees(information_criteria(same, X, three), theirs)
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * X[:, 0]))
    theirs = sm.GLM(counts, Z, family=sm.families.Poisson()).fit()
    agrees(information_criteria(PoissonRegressor(alpha=0, tol=1e-9), X, counts), theirs)
    gamma = np.random.default_rng(0).gamma(2.0, np.exp(0.3 * X[:, 0]))
    link = sm.families.links.Log()
    theirs = sm.GLM(gamma, Z, family=sm.families.Gamma(link=link)).fit()
    agrees(information_criteria(GammaRegressor(alpha=0, tol=1e-9), X, gamma), theirs)


@pytest.mark.course("S1-41", "S2-55")
def test_bic_is_dearer_than_aic_from_8_rows_on():
    x = np.arange(30.0)[:, None]
    y = np.random.default_rng(0).normal(size=30)
    for n in range(4, 31):
        found = information_criteria(LinearRegression(), x[:n], y[:n])
        assert (found.bic > found.aic) == (n >= 8)
        assert found.aicc > found.aic
    few = information_criteria(LinearRegression(), x[:3], y[:3])
    assert few.aicc == np.inf


@pytest.mark.course("S1-41")
def test_bic_finds_the_true_degree_and_aic_overshoots():
    def models():
        return {
            str(p): make_pipeline(
                PolynomialFeatures(p, include_bias=False), LinearRegression()
            )
            for p in range(1, 5)
        }

    chosen = {"aic": [], "aicc": [], "bic": [], "mdl": []}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, size=(150, 1))
        y = x[:, 0] ** 2 + 0.2 * rng.normal(size=150)
        found = compare_criteria(models(), x, y)
        for by, all_of_them in chosen.items():
            all_of_them.append(found.chosen(by))
        fits = np.array([one.log_likelihood for one in found.criteria])
        assert (np.diff(fits) >= -1e-8).all()  # the likelihood alone takes the largest
    right = {by: np.mean(np.array(each) == "2") for by, each in chosen.items()}
    assert chosen["mdl"] == chosen["bic"]
    assert right["bic"] >= 0.9
    assert 0.5 < right["aic"] < 0.9  # P(chi-square > 2) and more
    assert right["aic"] <= right["aicc"]
    assert "1" not in chosen["aic"] + chosen["bic"]


def test_aic_ranks_as_leave_one_out_does():
    from corollary.selection import leave_one_out

    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 6))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=200)
    sizes = range(1, 7)
    aics = [information_criteria(LinearRegression(), X[:, :k], y).aic for k in sizes]
    left = [leave_one_out(LinearRegression(), X[:, :k], y).mean for k in sizes]
    np.testing.assert_allclose(np.diff(aics), 200 * np.diff(np.log(left)), atol=0.6)
    assert np.argmin(aics) == np.argmin(left)


@pytest.mark.course("S2-55")
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_have_their_criteria_and_number_of_components(kind):
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0], [6, 0], [0, 6]])
    X = np.vstack([c + rng.normal(size=(70, 2)) for c in centres])
    models = {
        str(k): GaussianMixture(k, covariance_type=kind, random_state=0)
        for k in range(1, 6)
    }
    found = compare_criteria(models, X)
    assert found.chosen("bic") == "3"
    for model, one in zip(models.values(), found.criteria, strict=True):
        model.fit(X)
        np.testing.assert_allclose(one.aic, model.aic(X))
        np.testing.assert_allclose(one.bic, model.bic(X))
    assert found.weights("bic")[2] > 0.9
    np.testing.assert_allclose(found.weights("bic"), found.weights("mdl"))
    np.testing.assert_allclose(found.weights("aic").sum(), 1)


@pytest.mark.course("S2-55")
def test_parameters_of_mixtures_are_counted():
    assert mixture_parameters(3, 2) == 17
    assert mixture_parameters(1, 4) == 14  # one Gaussian: 4 + 10
    assert mixture_parameters(4, 3, "tied") == 3 + 12 + 6
    assert mixture_parameters(4, 3, "diag") == 3 + 12 + 12
    assert mixture_parameters(4, 3, "spherical") == 3 + 12 + 4


def test_densities_of_ours_choose_their_covariance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 2.0, 3.0]
    kinds = ("full", "diagonal", "spherical")
    models = {kind: ParametricDensity(covariance=kind) for kind in kinds}
    found = compare_criteria(models, X)
    assert found.chosen("bic") == "diagonal"
    assert [one.n_parameters for one in found.criteria] == [9, 6, 4]
    for kind, one in zip(kinds, found.criteria, strict=True):
        model = ParametricDensity(covariance=kind).fit(X)
        np.testing.assert_allclose(one.log_likelihood, model.score_samples(X).sum())
    w = np.random.default_rng(1).integers(1, 3, size=200)
    weighted = information_criteria(models["full"], X, sample_weight=w)
    copies = information_criteria(models["full"], np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.bic, copies.bic)


def test_penalties_and_chosen_columns():
    X, y = rows()
    ridge = information_criteria(Ridge(alpha=20.0), X, y)
    Z = np.column_stack([np.ones(80), X])
    P = np.diag([0.0, 20, 20, 20])
    H = Z @ np.linalg.solve(Z.T @ Z + P, Z.T)
    np.testing.assert_allclose(ridge.n_parameters, np.trace(H))
    np.testing.assert_allclose(
        ridge.log_likelihood,
        -40 * (np.log(2 * np.pi * np.mean((y - H @ y) ** 2)) + 1),
    )
    lasso = Lasso(alpha=0.3).fit(X, y)
    found = information_criteria(lasso, X, y)
    assert found.n_parameters == np.count_nonzero(lasso.coef_) + 1 < 4
    sparse = LogisticRegression(C=0.1, l1_ratio=1.0, solver="saga")
    up = information_criteria(sparse, X, y > 1)
    assert up.n_parameters == np.count_nonzero(sparse.fit(X, y > 1).coef_) + 1
    tree = DecisionTreeRegressor(max_leaf_nodes=4)
    stated = information_criteria(tree, X, y, n_parameters=4)
    rss = np.sum((y - tree.fit(X, y).predict(X)) ** 2)
    np.testing.assert_allclose(stated.aic, 80 * (np.log(2 * np.pi * rss / 80) + 1) + 8)


def test_it_prints():
    X, y = rows()
    models = {"all": LinearRegression(), "first": Lasso(alpha=0.3)}
    lines = str(compare_criteria(models, X, y)).splitlines()
    assert lines[0].split() == ["model", "ln", "L", "m", "AIC", "AICc", "BIC"]
    assert sum("<-" in line for line in lines) in (1, 2)
    text = str(information_criteria(LinearRegression(), X, y))
    assert "(Gaussian), 4 parameters, 80 rows" in text


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"model": DecisionTreeRegressor()}, ParameterError, "n_parameters must be"),
        ({"model": GaussianNB(), "y": [0, 1] * 10}, ParameterError, "n_parameters"),
        ({"model": LinearSVC(), "y": [0, 1] * 10}, ParameterError, "offer predict_pro"),
        ({"y": None}, DataError, "y must be given for a model that is no density"),
        ({"n_parameters": -1}, ParameterError, "n_parameters must be a number >= 0"),
        ({"y": np.arange(20.0) * 0}, DataError, "likelihood .* must be finite"),
        ({"model": TweedieRegressor(power=1.5, alpha=0)}, DataError, "in closed form"),
        ({"model": Lasso(), "y": np.ones((20, 2))}, DataError, "one column; got 2"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, error, words):
    x = np.random.default_rng(0).normal(size=(20, 1))
    given = {"model": LinearRegression(), "X": x, "y": np.exp(x[:, 0] ** 2)}
    with pytest.raises(error, match=words):
        information_criteria(**(given | change))


def test_bad_comparisons_get_a_sentence():
    X, y = rows()
    with pytest.raises(ParameterError, match="a mapping of names to estimators"):
        compare_criteria([LinearRegression()], X, y)
    with pytest.raises(ParameterError, match="by must be one of 'aic'"):
        compare_criteria({"a": LinearRegression()}, X, y).chosen("cv")
    with pytest.raises(ParameterError, match="covariance_type must be one of"):
        mixture_parameters(2, 2, "round")
    with pytest.raises(ParameterError, match="n_components must be a whole"):
        mixture_parameters(0, 2)
