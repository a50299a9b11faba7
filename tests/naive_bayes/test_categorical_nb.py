import numpy as np
import pytest
import sklearn.naive_bayes
from sklearn.preprocessing import OrdinalEncoder

from corollary import CategoricalNB, datasets
from corollary.core.errors import DataError, ParameterError

QUERY = [["Sunny", "Cool", "High", "Strong"]]


@pytest.fixture(scope="module")
def tennis():
    table = datasets.play_tennis()
    encoder = OrdinalEncoder().fit(table.X)
    return encoder.transform(table.X), table.y, encoder.transform(QUERY)


@pytest.mark.course("S3-28", "S0-5")
def test_tennis_without_smoothing(tennis):
    X, y, query = tennis
    model = CategoricalNB(alpha=0).fit(X, y)
    no, yes = np.exp(model.predict_joint_log_proba(query))[0]
    assert yes == pytest.approx(9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9, rel=1e-12)
    assert (round(yes, 6), round(no, 6)) == (0.005291, 0.020571)
    assert model.predict_proba(query)[0, 0] == pytest.approx(0.7954, abs=5e-5)
    assert model.predict(query) == ["No"]
    # overcast days were all days of tennis: a zero count that vetoes "No"
    assert any(
        "category 0 of feature 0 in class 'No'" in w for w in model.report_.warnings
    )


@pytest.mark.course("S3-28", "S4-41")
def test_tennis_with_laplace_smoothing_of_tables_and_priors(tennis):
    X, y, query = tennis
    model = CategoricalNB(alpha=1, prior_alpha=1).fit(X, y)
    no, yes = np.exp(model.predict_joint_log_proba(query))[0]
    assert (round(yes, 6), round(no, 6)) == (0.006887, 0.019133)
    assert model.predict_proba(query)[0, 0] == pytest.approx(0.7353, abs=5e-5)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [6 / 16, 10 / 16])
    # (N + 1)/(N_c + J): wind has two values, outlook three
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[3][1]), [4 / 11, 7 / 11])
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_[0][1]), [5 / 12, 4 / 12, 3 / 12]
    )


@pytest.mark.course("S0-5")
def test_it_is_the_exact_posterior_where_the_table_factors():
    # rows in proportion to P(h) P(a | h) P(b | h): counting the joint table agrees
    rng = np.random.default_rng(0)
    prior, A, B = (
        rng.dirichlet([1, 1, 1]),
        rng.dirichlet([1] * 4, 3),
        rng.dirichlet([1] * 2, 3),
    )
    joint = np.einsum("h,ha,hb->hab", prior, A, B)
    h, a, b = (i.ravel() for i in np.indices(joint.shape))
    X = np.column_stack([a, b])
    model = CategoricalNB(alpha=0).fit(X, h, sample_weight=joint.ravel())
    exact = joint / joint.sum(axis=0)
    np.testing.assert_allclose(model.predict_proba(X), exact[:, a, b].T, rtol=1e-10)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), A, rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("min_categories", [None, 9, [7, 8, 9]])
def test_equals_scikit_learn(weighted, min_categories):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 7, (500, 3)), rng.integers(4, size=500)
    w = rng.random(500) if weighted else None
    settings = {"alpha": 0.2, "min_categories": min_categories}
    ours = CategoricalNB(**settings).fit(X, y, w)
    theirs = sklearn.naive_bayes.CategoricalNB(**settings).fit(X, y, w)
    np.testing.assert_array_equal(ours.n_categories_, theirs.n_categories_)
    for name in ("category_count_", "feature_log_prob_"):
        for a, b in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8
    )


def test_an_unseen_category_is_as_probable_as_a_count_of_zero():
    X, y = np.array([[0], [1], [1], [0], [0]]), np.array([0, 0, 0, 1, 1])
    model = CategoricalNB(alpha=0.5).fit(X, y)
    joint = np.exp(model.predict_joint_log_proba([[7]]))[0]
    np.testing.assert_allclose(joint, [3 / 5 * 0.5 / 4, 2 / 5 * 0.5 / 3])
    zero = CategoricalNB(alpha=0).fit(X, y)
    assert np.isneginf(zero.predict_joint_log_proba([[7]])).all()
    assert np.isfinite(zero.predict_proba([[7]])).all()


def test_where_the_categories_are_told_a_larger_one_is_refused():
    X, y = np.array([[0], [1], [1], [0]]), np.array([0, 0, 1, 1])
    model = CategoricalNB(min_categories=3).fit(X, y)
    assert model.predict_proba([[2]]).shape == (1, 2)
    with pytest.raises(DataError) as caught:
        model.predict([[0], [3]])
    assert str(caught.value) == (
        "CategoricalNB: categories of column 0 must be below 3; got 3 in row 1. Raise "
        "min_categories, or leave it out to allow unseen categories."
    )


def test_a_stream_may_bring_new_categories():
    rng = np.random.default_rng(0)
    X, y = np.sort(rng.integers(0, 9, (200, 3)), axis=0), rng.integers(2, size=200)
    model = CategoricalNB().partial_fit(X[:50], y[:50], classes=[0, 1])
    few = model.n_categories_.copy()
    model.partial_fit(X[50:], y[50:])
    whole = CategoricalNB().fit(X, y)
    assert (few < whole.n_categories_).all()
    np.testing.assert_array_equal(model.n_categories_, whole.n_categories_)
    for a, b in zip(model.category_count_, whole.category_count_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_fractions_are_cut_as_in_scikit_learn_and_reported():
    X, y = np.array([[0.0], [1.9], [1.0], [0.2]]), np.array([0, 0, 1, 1])
    model = CategoricalNB().fit(X, y)
    whole = CategoricalNB().fit(np.floor(X), y)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert model.report_.warnings == [
        "2 categories were no whole numbers and lost their fraction; encode them with "
        "OrdinalEncoder."
    ]
    assert not whole.report_.warnings


def test_categories_that_cannot_be_are_refused():
    y = [0, 1]
    with pytest.raises(DataError) as caught:
        CategoricalNB().fit([[0, 1], [0, -1]], y)
    assert str(caught.value) == (
        "CategoricalNB: categories must be whole numbers in [0, 16777216); got "
        "Negative values in data, -1 in row 1, column 1. Encode them with "
        "OrdinalEncoder."
    )
    with pytest.raises(DataError, match=r"got 1e\+09 in row 0, column 0"):
        CategoricalNB().fit([[1e9], [0]], y)
    with pytest.raises(DataError, match=r"got 1e\+09 in row 0, column 0"):
        CategoricalNB().fit([[1], [0]], y).predict([[1e9]])
    for wrong, message in (
        ([2, 3], "min_categories must be one number or one for each of the 1 features"),
        ([2.5], "min_categories must hold whole numbers >= 1"),
    ):
        with pytest.raises(ParameterError, match=message):
            CategoricalNB(min_categories=wrong).fit([[1], [0]], y)
