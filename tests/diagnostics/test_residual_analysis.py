"""What a regression leaves unexplained, and the columns that repeat each other."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import statsmodels.api as sm
from sklearn import metrics
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.outliers_influence import variance_inflation_factor

from corollary import LinearRegression, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import collinearity, n_versus_d, residual_analysis


def good(n=400, seed=0):
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n)
    return f + 0.5 * rng.normal(size=n), f


def test_scores_are_those_of_scikit_learn_with_intervals():
    y, f = good()
    found = residual_analysis(y, f)
    assert found.r2.value == pytest.approx(metrics.r2_score(y, f))
    assert found.rmse.value == pytest.approx(metrics.root_mean_squared_error(y, f))
    assert found.mae.value == pytest.approx(metrics.mean_absolute_error(y, f))
    assert found.bias.value == pytest.approx(np.mean(f - y))
    for each in (found.r2, found.rmse, found.mae, found.bias):
        assert each.low < each.value < each.high
    assert 0.5 in found.rmse
    assert found.notes == ()
    assert "Nothing is left" in str(found)


def test_the_test_of_the_spread_is_that_of_breusch_pagan_and_koenker():
    y, f = good()
    r = y - f
    Z = sm.add_constant(np.column_stack([f, f**2]))
    assert residual_analysis(y, f).p_spread == pytest.approx(het_breuschpagan(r, Z)[1])


def test_the_slope_has_robust_errors():
    rng = np.random.default_rng(1)
    f = rng.uniform(1, 3, size=300)
    y = 2 + 0.5 * f + f * rng.normal(size=300)
    found = residual_analysis(y, f)
    table = sm.OLS(y, sm.add_constant(f)).fit(cov_type="HC3")
    assert found.slope == pytest.approx(table.params[1])
    assert found.slope_error == pytest.approx(table.bse[1])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda f, e, rng: f - 1 + e, "too high by 1"),
        (lambda f, e, rng: 0.5 * f + e, "too extreme"),
        (lambda f, e, rng: 2 * f + e, "too timid"),
        (lambda f, e, rng: f + 0.4 * f**2 - 0.4 + e, "A bend is left"),
        (lambda f, e, rng: f + e * np.exp(f), "grows with the prediction"),
        (lambda f, e, rng: f + np.cumsum(e) / 5, "Neighbouring rows err alike"),
    ],
)
def test_what_is_wrong_is_told(made, words):
    rng = np.random.default_rng(2)
    f, e = rng.normal(size=600), 0.5 * rng.normal(size=600)
    found = residual_analysis(made(f, e, rng), f)
    assert words in " ".join(found.notes)
    assert words in str(found)


def test_good_models_are_rarely_blamed():
    blamed = 0
    for seed in range(200):
        notes = residual_analysis(*good(150, seed)).notes
        blamed += any("too high" not in n and "too low" not in n for n in notes)
    assert blamed <= 22  # of 200 at delta = 0.05


def test_weights_are_repetition():
    y, f = good(80)
    w = np.random.default_rng(3).integers(1, 4, size=80)
    a = residual_analysis(y, f, sample_weight=w)
    b = residual_analysis(np.repeat(y, w), np.repeat(f, w))
    assert a.rmse.value == pytest.approx(b.rmse.value)
    assert a.slope == pytest.approx(b.slope)
    assert a.skewness == pytest.approx(b.skewness)
    assert a.bias.width > b.bias.width  # repeated rows are not independent


def test_findings_hold_at_most_2000_points():
    y, f = good(5000)
    page = residual_analysis(y, f).to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert len(page["predicted"]) == len(page["actual"]) == 2000
    pairs = set(zip(f.tolist(), y.tolist(), strict=True))
    assert set(zip(page["predicted"], page["actual"], strict=True)) <= pairs
    assert residual_analysis(*good(50)).to_findings()["actual"] == good(50)[0].tolist()


@pytest.mark.parametrize(
    ("y", "f"),
    [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]),
        ([0, 1, 2, 5], [0, 1, 1, 1]),
    ],
)
def test_degenerate_rows_have_an_answer(y, f):
    found = residual_analysis(y, f)
    assert str(found)
    assert 0 <= found.p_spread <= 1
    assert (found.r2 is None) == (len(set(y)) == 1)


@pytest.mark.parametrize(
    ("y", "f", "options", "error", "words"),
    [
        ([1.0, 2.0], [1.0, 2.0], {}, DataError, "3 rows or more"),
        ([1.0, 2.0, 3.0], [1.0], {}, DataError, "vector of 3 rows"),
        ([1.0, np.nan, 3.0], [1.0] * 3, {}, DataError, "finite"),
        (["a", "b", "c"], [1.0] * 3, {}, DataError, "hold numbers"),
        ([1.0, 2.0, 3.0], [1.0] * 3, {"delta": 0}, ParameterError, "delta"),
    ],
)
def test_bad_input_ends_in_one_sentence(y, f, options, error, words):
    with pytest.raises(error, match=words):
        residual_analysis(y, f, **options)


# -- columns that repeat others --------------------------------------------------------
@pytest.mark.course("S3-89")
def test_longley_is_as_collinear_as_belsley_says():
    data = datasets.longley()
    frame = pd.DataFrame(data.X, columns=data.columns)
    found = collinearity(frame)
    assert found.condition == pytest.approx(43275, rel=1e-3)
    table = LinearRegression().fit(frame, data.y).summary()
    np.testing.assert_allclose(found.vif, table.vif[1:], rtol=1e-6)
    Z = sm.add_constant(frame)
    theirs = [variance_inflation_factor(Z.to_numpy(), j + 1) for j in range(6)]
    np.testing.assert_allclose(found.vif, theirs, rtol=1e-5)
    assert found.collinear
    assert len(found.groups) >= 1


@pytest.mark.course("S3-89")
def test_columns_that_follow_from_others_are_written_as_their_sum():
    rng = np.random.default_rng(4)
    a, b, c = rng.normal(size=(3, 100))
    table = pa.table(
        {
            "a": a,
            "b": b,
            "five": np.full(100, 5.0),
            "c": c,
            "total": a + 2 * b - 3,
            "again": c,
            "town": ["x", "y"] * 50,
        }
    )
    found = collinearity(table)
    assert found.names == ("a", "b", "five", "c", "total", "again")
    assert found.dependent == ("five", "total", "again")
    assert found.sums == ("five = 5", "total = a + 2 b - 3", "again = c")
    assert found.condition == np.inf
    assert "Drop five, total, again" in " ".join(found.advice)
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert page["condition"] is None


@pytest.mark.course("S3-89")
def test_columns_that_nearly_repeat_each_other_form_a_group():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 6))
    X[:, 3] = X[:, 1] + 0.03 * rng.normal(size=500)
    X[:, 5] = X[:, 0] - X[:, 4] + 0.05 * rng.normal(size=500)
    found = collinearity(X)
    assert set(found.groups) == {("x1", "x3"), ("x0", "x4", "x5")}
    assert found.vif[2] < 1.1
    clean = collinearity(rng.normal(size=(500, 4)))
    assert not clean.collinear
    assert clean.groups == ()
    assert clean.advice == ("No column repeats others.",)
    r = np.corrcoef(X[:, 1], X[:, 3])[0, 1]
    assert collinearity(X[:, [1, 3]]).vif[0] == pytest.approx(1 / (1 - r * r))


def test_many_rows_give_the_same_answer_by_products():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20_001, 4))
    X[:, 2] = X[:, 0] + 0.1 * X[:, 2]
    X = np.column_stack([X, X[:, 1] - X[:, 3]])
    many, few = collinearity(X), collinearity(X[:20_000])
    assert many.sums == few.sums == ("x4 = x1 - x3",)
    assert many.groups == few.groups
    np.testing.assert_allclose(many.vif[[0, 2]], few.vif[[0, 2]], rtol=0.01)


def test_missing_values_and_weights():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 2))
    X[:, 1] += X[:, 0]
    some = X.copy()
    some[:10, 0] = np.nan
    assert collinearity(some).rows == 190
    np.testing.assert_allclose(collinearity(some).vif, collinearity(X[10:]).vif)
    most = X.copy()
    most[:150, 0] = np.nan
    assert collinearity(most).filled
    w = rng.integers(1, 4, size=200)
    np.testing.assert_allclose(
        collinearity(X, sample_weight=w).vif, collinearity(np.repeat(X, w, axis=0)).vif
    )
    with pytest.raises(DataError, match="column of numbers"):
        collinearity([["a"], ["b"]])
    with pytest.raises(DataError, match="infinity"):
        collinearity([[1.0, np.inf], [2.0, 1.0]])


@pytest.mark.course("S3-47")
def test_rows_against_columns():
    few = n_versus_d(30, 10)
    assert (few.verdict, few.ratio, few.rows_needed) == ("few", 3.0, 100)
    assert n_versus_d(10, 10).verdict == "too few"
    assert n_versus_d(100, 10).verdict == "enough"
    assert "Covariances: n = 30 rows" in str(few)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        n_versus_d(0, 3)


def test_drawn():
    import matplotlib

    matplotlib.use("Agg")
    y, f = good()
    for found in (residual_analysis(y, f), collinearity(np.column_stack([y, f, f]))):
        ax = found.plot()
        assert ax.get_xlabel()
        matplotlib.pyplot.close(ax.figure)
