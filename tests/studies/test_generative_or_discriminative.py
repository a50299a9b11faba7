import numpy as np
import pytest
from scipy.special import expit

from corollary import (
    BayesClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    ParametricDensity,
)
from corollary.core.errors import DataError, ParameterError
from corollary.studies import (
    Comparison,
    generative_or_discriminative,
    outlier_influence,
    relative_efficiency,
)


@pytest.mark.course("S4-40")
def test_gaussian_classes_and_few_rows_favour_the_generative_rule():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=4000)
    X = rng.normal(size=(4000, 8)) + 0.7 * y[:, None]
    found = generative_or_discriminative(X, y, sizes=[60, 1000], repeats=40)
    assert found.difference[0] < -2 * found.standard_error[0]
    assert abs(found.difference[1]) < 0.005  # both have converged
    assert found.generative[1] < found.generative[0]
    assert found.discriminative[1] < found.discriminative[0]
    assert found.discriminative[1] < found.generative[0]


@pytest.mark.course("S4-40")
def test_other_classes_favour_the_discriminative_rule():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=4000)
    X = rng.exponential(np.where(y, 1.0, 8.0)[:, None], size=(4000, 2)) ** 2
    found = generative_or_discriminative(X, y, sizes=[100, 1500], repeats=10)
    assert found.difference[-1] > 2 * found.standard_error[-1]
    assert found.advice.startswith("discriminative")
    assert "advice: discriminative" in str(found)


@pytest.mark.course("S4-40")
def test_poisson_classes_have_a_logistic_posterior_too():
    # so a logistic posterior does not prove Gaussian classes
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.4).astype(int)
    X = rng.poisson(np.where(y, 7.0, 3.0))[:, None].astype(float)
    model = BayesClassifier(ParametricDensity("poisson")).fit(X, y)
    rates, phi = [X[y == c].mean() for c in (0, 1)], y.mean()
    theta = np.log(rates[1] / rates[0])
    theta_0 = rates[0] - rates[1] + np.log(phi / (1 - phi))
    counts = np.arange(30.0)[:, None]
    posterior = model.predict_proba(counts)[:, 1]
    np.testing.assert_allclose(posterior, expit(theta * counts[:, 0] + theta_0))
    # logistic regression finds that line, and LDA does not
    logistic = LogisticRegression(C=np.inf).fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    assert logistic.coef_[0, 0] == pytest.approx(theta, rel=0.03)
    assert logistic.intercept_[0] == pytest.approx(theta_0, rel=0.03)
    assert abs(lda.intercept_[0] / theta_0 - 1) > 0.06


@pytest.mark.course("S4-40")
def test_poisson_classes_favour_the_discriminative_rule():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=6000)
    X = rng.poisson(np.where(y, 12.0, 1.0))[:, None].astype(float)
    found = generative_or_discriminative(X, y, sizes=[300, 3000], repeats=10)
    assert found.difference[-1] > 2 * found.standard_error[-1]
    assert found.advice.startswith("discriminative: logistic regression errs less")


@pytest.mark.course("S4-40")
@pytest.mark.parametrize(("rows", "word"), [(41, "discriminative"), (40, "generative")])
def test_more_than_ten_rows_a_feature_let_the_data_speak(rows, word):
    errors, none = np.array([0.2]), np.array([0.0])
    tie = Comparison(np.array([rows]), errors, errors, none, none + 0.01, 4)
    assert tie.advice.startswith(f"{word}: they cannot be told apart")
    clear = Comparison(np.array([rows]), errors, errors, none - 1, none + 0.01, 4)
    assert clear.advice.startswith("generative: the classes look Gaussian")


@pytest.mark.course("S4-40")
def test_a_comparison_knows_its_features():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=120)
    X = rng.normal(size=(120, 3))  # nothing to learn: no difference
    for size, word in ((60, "discriminative"), (20, "generative")):
        found = generative_or_discriminative(X, y, sizes=[size], repeats=1)
        assert found.advice.startswith(f"{word}: they cannot be told apart")


def test_bad_input():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 3
    with pytest.raises(DataError, match="y must have two labels; got 3"):
        generative_or_discriminative(X, y)
    with pytest.raises(DataError, match="below the number of rows = 50; got"):
        generative_or_discriminative(X, y % 2, sizes=[100])


@pytest.mark.course("S2-19")
def test_one_gross_outlier_turns_the_generative_line_and_not_the_other():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X = rng.normal(size=(400, 2)) + 3 * np.outer(y, [1.0, 0.0])
    found = outlier_influence(X, np.where(y, "b", "a"), [100.0, 100.0], "b")
    assert found.generative > 20 > 1 > found.discriminative
    assert found.generative_error > found.discriminative_error + 0.02
    assert "LDA" in str(found)
    near = outlier_influence(X, y, [3.0, 0.0], 1)
    assert max(near.generative, near.discriminative) < 1


@pytest.mark.course("S2-19")
def test_the_efficiency_is_that_of_efron():
    table = {0.5: 1.0, 1: 0.995, 1.5: 0.968, 2: 0.899, 2.5: 0.786, 3: 0.641, 4: 0.343}
    for distance, share in table.items():
        assert relative_efficiency(distance) == pytest.approx(share, abs=6e-4)
    assert relative_efficiency(0.0, 0.2) == pytest.approx(1.0)
    # about 30% more rows where the classes still overlap a little
    assert 1.25 < 1 / relative_efficiency(2.5) < 1.3


@pytest.mark.course("S2-19")
def test_gaussian_classes_need_more_rows_for_logistic_regression():
    # squared angles between fitted and true normals, n times them tending to a limit
    distance, d, squares = 3.0, 6, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=1500)
        X = rng.normal(size=(1500, d)) + distance * np.outer(y, np.eye(d)[0])
        fitted = (
            LinearDiscriminantAnalysis().fit(X, y).coef_[0],
            LogisticRegression(C=np.inf).fit(X, y).coef_[0],
        )
        squares.append([(w[1:] ** 2).sum() / w[0] ** 2 for w in fitted])
    lda, logistic = np.mean(squares, axis=0)
    assert lda / logistic == pytest.approx(relative_efficiency(distance), abs=0.12)


def test_bad_studies():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(DataError, match="outlier must be 2 finite numbers"):
        outlier_influence(X, y, [1.0, np.nan], 1)
    with pytest.raises(DataError, match="two labels, one of which the outlier has"):
        outlier_influence(X, y, [1.0, 2.0], 5)
    with pytest.raises(ParameterError, match="prior in"):
        relative_efficiency(1.0, 1.0)
