"""Scores of features: SciPy's and scikit-learn's numbers, independence, odd columns."""

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.feature_selection import f_classif, r_regression
from sklearn.metrics import mutual_info_score

from corollary.core.errors import DataError, ParameterError
from corollary.information import kl_divergence
from corollary.selection import rank_features

WAYS = ("correlation", "mutual information", "kl")


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X[:, 2] + rng.normal(size=n)


@pytest.mark.course("S4-59")
def test_correlations_are_scikit_learns_and_scipys():
    X, y = rows()
    found = rank_features(X, y, by="correlation")
    np.testing.assert_allclose(found.scores, np.abs(r_regression(X, y)))
    np.testing.assert_allclose(
        found.p_values, [stats.pearsonr(x, y).pvalue for x in X.T], rtol=1e-6
    )
    labels = np.digitize(y, [-1, 1])
    classes = rank_features(X, labels, by="correlation")
    F, p = f_classif(X, labels)
    eta2 = 2 * F / (2 * F + 197)
    np.testing.assert_allclose(classes.scores, np.sqrt(eta2))
    np.testing.assert_allclose(classes.p_values, p, rtol=1e-6)
    two = (y > 0).astype(int)
    np.testing.assert_allclose(
        rank_features(X, two, by="correlation").scores, np.abs(r_regression(X, two))
    )
    texts = pd.DataFrame({"a": np.where(X[:, 2] > 0, "u", "v")})
    table = pd.crosstab(texts["a"], labels)
    V = rank_features(texts, labels, by="correlation")
    np.testing.assert_allclose(
        V.scores[0], stats.contingency.association(table, method="cramer")
    )
    chi2 = stats.chi2_contingency(table, correction=False)
    np.testing.assert_allclose(V.p_values[0], chi2.pvalue)
    swapped = rank_features(texts, y, by="correlation").scores[0]
    np.testing.assert_allclose(
        swapped, abs(np.corrcoef(X[:, 2] > 0, y)[0, 1])
    )  # two labels


@pytest.mark.course("S4-59")
def test_mutual_information_is_the_divergence_from_independence():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(300, 5))
    y = (X[:, 3] + rng.integers(3, size=300)) % 4
    found = rank_features(X, y, by="mutual information")
    np.testing.assert_allclose(
        found.scores, [mutual_info_score(x, y) for x in X.T], atol=1e-12
    )
    np.testing.assert_allclose(found.scores, rank_features(X, y, by="kl").scores)
    P = np.histogram2d(X[:, 3], y, bins=4)[0] / 300
    KL = kl_divergence(P, np.outer(P.sum(axis=1), P.sum(axis=0)))
    np.testing.assert_allclose(found.scores[3], KL)
    assert found.top(1) == (3,)
    G, p, *_ = stats.chi2_contingency(P * 300, lambda_="log-likelihood")
    np.testing.assert_allclose(2 * 300 * found.scores[3], G)
    np.testing.assert_allclose(found.p_values[3], p, rtol=1e-6)


@pytest.mark.course("S4-59")
def test_information_is_0_for_independence_alone_and_sees_what_lines_miss():
    both = np.array([[a, b] for a in range(3) for b in range(2)] * 5)
    none = rank_features(both[:, :1], both[:, 1], by="mutual information")
    assert none.scores[0] < 1e-12  # exactly independent
    x = np.linspace(-1, 1, 401)
    X = np.column_stack([x, np.roll(x, 137)])
    y = x**2
    line = rank_features(X, y, by="correlation")
    assert line.scores[0] < 1e-12
    curve = rank_features(X, y, by="mutual information")
    assert curve.top(1) == (0,)
    assert curve.p_values[0] < 1e-10


@pytest.mark.course("S4-59")
@pytest.mark.parametrize("by", WAYS)
def test_p_values_are_uniform_where_nothing_is_to_be_found(by):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 300)), rng.normal(size=400)
    p = rank_features(X, y, by=by, bins=4).p_values
    assert 0.01 < np.mean(p < 0.05) < 0.1
    assert abs(np.mean(p) - 0.5) < 0.06


def test_bins_have_equal_counts_and_missing_values_one_of_their_own():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = (x > 0).astype(int)
    full = rank_features(x[:, None], y, by="mutual information", bins=2)
    median = mutual_info_score(x > np.median(x), y)
    np.testing.assert_allclose(full.scores[0], median)
    gone = np.where(y == 1, np.nan, x)  # that it is missing says everything
    told = rank_features(gone[:, None], y, by="mutual information", bins=2)
    np.testing.assert_allclose(told.scores[0], mutual_info_score(y, y))
    some = x.copy()
    some[::3] = np.nan
    there = np.isfinite(some)
    found = rank_features(some[:, None], x**3, by="correlation").scores[0]
    np.testing.assert_allclose(found, np.corrcoef(x[there], x[there] ** 3)[0, 1])


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_keep_their_names_and_take_labels_and_dates(kind):
    X, y = rows(120)
    label = np.where(X[:, 2] > 0, "up", "down")
    days = pd.date_range("2024-01-01", periods=120).to_numpy()
    columns = {"a": X[:, 0], "label": label, "b": X[:, 2], "day": days}
    made = {
        "pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table,
    }[kind](columns)  # fmt: skip
    for by in WAYS:
        found = rank_features(made, y, by=by)
        assert found.names == ("a", "label", "b", "day")
        assert set(found.top(2)) == {"label", "b"}


def test_constants_sparse_rows_and_columns_that_are_all_missing():
    X, y = rows(50)
    X[:, 0], X[:, 1] = 3.0, np.nan
    for by in WAYS:
        found = rank_features(X, y, by=by)
        assert (found.scores[:2] == 0).all()
        assert (found.p_values[:2] == 1).all()
    X[:, 1] = 0
    np.testing.assert_allclose(
        rank_features(sp.csr_matrix(X), y).scores, rank_features(X, y).scores
    )


@pytest.mark.parametrize("by", WAYS)
def test_weights_are_repetitions(by):
    X, y = rows(80)
    w = np.random.default_rng(0).integers(0, 4, size=80)
    for target in (y, np.digitize(y, [-1, 1])):
        some = rank_features(X, target, by=by, sample_weight=w)
        copies = np.repeat(np.arange(80), w)
        all_of_them = rank_features(X[copies], target[copies], by=by)
        np.testing.assert_allclose(some.scores, all_of_them.scores)
        np.testing.assert_allclose(some.p_values, all_of_them.p_values, atol=1e-12)


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 14))
    found = rank_features(X, X[:, 9])
    lines = str(found).splitlines()
    assert lines[1].split()[0] == "9"
    assert lines[-1] == "and 2 more"
    ax = found.plot()
    assert len(ax.patches) == 14
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"by": "luck"}, ParameterError, "by must be one of 'correlation'"),
        ({"bins": 1}, ParameterError, "bins must be a whole number >= 2"),
        ({"classification": 1}, ParameterError, "classification must be"),
        ({"y": np.ones(3)}, DataError, "one target for each of the 9 rows"),
        ({"y": ["a"] * 9, "classification": False}, DataError, "must hold numbers"),
        ({"y": np.ones((9, 2))}, DataError, "y must be one column; got 2"),
        ({"X": np.ones((2, 1)), "y": [0, 1]}, DataError, "at least 3 rows"),
    ],
)
def test_bad_input_gets_a_sentence(change, error, words):
    given = {"X": np.arange(18.0).reshape(9, 2), "y": np.arange(9.0)}
    with pytest.raises(error, match=words):
        rank_features(**(given | change))
