"""Numbers and answers together: the posterior, and the rule in closed form."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bernoulli, multivariate_normal

from corollary import CategoricalNB, GaussianNB, MixedNB, engine
from corollary.core.errors import DataError, ParameterError

# the sample rows of the exam: five numbers and three answers
ROWS = [
    [0.49, 1.34, -0.70, -1.81, -0.02, 1, 0, 1],
    [0.69, -0.92, -0.07, -0.82, 0.28, 0, 0, 1],
    [-0.74, -1.75, 1.08, -0.15, -0.40, 1, 1, 0],
]


def make(n=600, seed=0):
    """Draw two classes with covariances and answers of their own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    A = rng.normal(size=(2, 3, 3))
    U = np.array([A[c] @ rng.normal(size=3) + c for c in y])
    v = rng.random((n, 2)) < np.array([[0.3, 0.6], [0.7, 0.2]])[y]
    return np.column_stack([U, v]), y


@pytest.mark.course("S2-9")
def test_posterior_is_bayes_rule_on_gaussians_and_coins():
    X, y = make()
    model = MixedNB(binary=[3, 4], alpha=0, var_smoothing=0).fit(X, y)
    joint = np.empty((len(X), 2))
    for c in range(2):
        own = X[y == c]
        density = multivariate_normal.pdf(
            X[:, :3], own[:, :3].mean(axis=0), np.cov(own[:, :3].T, bias=True)
        )
        answers = bernoulli.pmf(X[:, 3:], own[:, 3:].mean(axis=0)).prod(axis=1)
        joint[:, c] = (y == c).mean() * density * answers
    posterior = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-8)
    # the shares of answers are the class means
    p = np.exp([table[:, 1] for table in model.feature_log_prob_]).T
    np.testing.assert_allclose(p, [X[y == c, 3:].mean(axis=0) for c in (0, 1)])


@pytest.mark.course("S2-9")
@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_the_rule_is_quadratic_in_numbers_and_linear_in_answers(covariance):
    X, y = make()
    model = MixedNB(binary=[3, 4], covariance=covariance).fit(X, y)
    rule = model.rule()
    joint = model.predict_joint_log_proba(X)
    np.testing.assert_allclose(rule.score(X), joint[:, 1] - joint[:, 0], atol=1e-9)
    np.testing.assert_array_equal(rule.score(X) > 0, model.predict(X) == 1)
    # and the book's formulas, with + = class 1
    S = model.covariance_
    S = S if covariance == "full" else np.array([np.diag(s) for s in S])
    P, mu = np.linalg.inv(S), model.theta_
    q, p = np.exp([table[:, 1] for table in model.feature_log_prob_]).T
    pi = (y == 1).mean()
    np.testing.assert_allclose(rule.Q, P[0] - P[1], rtol=1e-9)
    np.testing.assert_allclose(rule.a, P[1] @ mu[1] - P[0] @ mu[0], rtol=1e-9)
    np.testing.assert_allclose(rule.beta, np.log(p * (1 - q) / (q * (1 - p))))
    b = np.log(pi / (1 - pi)) + 0.5 * np.log(np.linalg.det(S[0]) / np.linalg.det(S[1]))
    b += 0.5 * (mu[0] @ P[0] @ mu[0] - mu[1] @ P[1] @ mu[1])
    assert rule.b == pytest.approx(b + np.log((1 - p) / (1 - q)).sum(), rel=1e-9)


def test_numbers_alone_are_gaussian_naive_bayes_and_answers_categorical():
    X, y = make()
    rng = np.random.default_rng(2)
    numbers = MixedNB(covariance="diag").fit(X[:, :3], y)
    gaussian = GaussianNB().fit(X[:, :3], y)
    np.testing.assert_allclose(
        numbers.predict_proba(X[:, :3]), gaussian.predict_proba(X[:, :3]), rtol=1e-9
    )
    np.testing.assert_allclose(numbers.covariance_, gaussian.var_)
    Z = rng.integers(0, 4, (600, 3)).astype(float)
    categories = MixedNB(categorical=[0, 1, 2], alpha=0.4).fit(Z, y)
    model = CategoricalNB(alpha=0.4).fit(Z, y)
    np.testing.assert_allclose(categories.predict_proba(Z), model.predict_proba(Z))
    both = MixedNB(categorical=[3, 4, 5], covariance="diag", alpha=0.4)
    both.fit(np.column_stack([X[:, :3], Z]), y)
    joint = (
        gaussian.predict_joint_log_proba(X[:, :3])
        + model.predict_joint_log_proba(Z)
        - model.class_log_prior_
    )
    np.testing.assert_allclose(
        both.predict_joint_log_proba(np.column_stack([X[:, :3], Z])), joint, rtol=1e-9
    )


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_a_stream_ends_where_the_batch_does(covariance):
    X, y = make()
    settings = {"binary": [3], "categorical": [4], "covariance": covariance}
    model = MixedNB(**settings)
    for a in range(0, 600, 150):
        rows = slice(a, a + 150)
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    with engine.use(chunk_rows=70):
        whole = MixedNB(**settings).fit(X, y)
    np.testing.assert_allclose(model.covariance_, whole.covariance_, rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X))
    assert (
        model.report_.facts["n_parameters"]
        == 2 * (3 + (6 if covariance == "full" else 3) + 2) + 1
    )


def test_columns_by_name_and_the_rows_of_the_exam():
    names = [*"abcde", "x", "y", "z"]
    frame = pd.DataFrame(ROWS * 4, columns=names)
    frame.iloc[3:, :5] += np.random.default_rng(0).normal(size=(9, 5))
    target = np.array([1, -1, 1] * 4)
    model = MixedNB(binary=["x", "y", "z"]).fit(frame, target)
    assert model.numeric_columns_.tolist() == [0, 1, 2, 3, 4]
    assert model.discrete_columns_.tolist() == [5, 6, 7]
    assert model.predict(frame).shape == (12,)
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_[0]), [[5 / 6, 1 / 6], [1 / 10, 9 / 10]]
    )


def test_unseen_categories_and_vetoes():
    X = np.array([[0.1, 0], [0.3, 1], [0.2, 0], [2.0, 2], [2.2, 2], [1.9, 0]])
    y = [0, 0, 0, 1, 1, 1]
    assert np.isfinite(MixedNB(categorical=[1]).fit(X, y).predict_proba([[1, 9]])).all()
    rough = MixedNB(categorical=[1], alpha=0).fit(X, y)
    assert "zero counts veto a class" in rough.report_.warnings[0]
    P = rough.predict_proba([[2.0, 1], [0.1, 2], [1.0, 9]])
    np.testing.assert_allclose(P[:2], [[1, 0], [0, 1]])
    assert np.isfinite(P).all()
    strict = MixedNB(categorical=[1], min_categories=3).fit(X, y)
    with pytest.raises(
        DataError, match="categories of column 1 must be below 3; got 9"
    ):
        strict.predict([[1.0, 9]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"binary": [7]}, r"binary must name columns, or number them in \[0, 5\)"),
        ({"binary": ["x"]}, "binary must name columns"),
        ({"categorical": [0.5]}, "categorical must name columns"),
        (
            {"binary": [3], "categorical": [3]},
            "a column must be categorical or binary; got column 3 as both",
        ),
        ({"covariance": "tied"}, "covariance must be one of 'full', 'diag'"),
        ({"alpha": -1.0}, "alpha must be a number >= 0; got -1.0"),
    ],
)
def test_parameters_that_make_no_sense(settings, message):
    with pytest.raises(ParameterError, match=message):
        MixedNB(**settings).fit(*make(20))


def test_data_that_makes_no_sense():
    X, y = make(20)
    X[4, 3] = 2
    with pytest.raises(
        DataError, match="binary column 3 must hold 0 or 1; got 2 in row 4"
    ):
        MixedNB(binary=[3, 4]).fit(X, y)
    model = MixedNB(binary=[4]).fit(X, y)
    with pytest.raises(
        DataError, match="binary column 4 must hold 0 or 1; got 2 in row 4"
    ):
        model.predict(X[:, [0, 1, 2, 4, 3]])
    X[4, 3] = 0.5
    with pytest.raises(
        DataError, match=r"whole numbers in .*; got 0\.5 in row 4, column 3"
    ):
        MixedNB(binary=[3, 4]).fit(X, y)
    X[:, 1] = X[:, 0]
    singular = MixedNB(binary=[4], var_smoothing=0).fit(X, y)
    assert "covariance of some class is singular" in singular.report_.warnings[0]
    with pytest.raises(
        DataError, match="the covariance of class 0 must be positive def"
    ):
        singular.predict(X)
    three = MixedNB().fit(X[:, :3], np.arange(20) % 3)
    with pytest.raises(DataError, match="must be between two classes; got 3"):
        three.rule()
