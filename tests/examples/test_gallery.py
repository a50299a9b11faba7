import re

import gallery
import pytest

from corollary.registry import ESTIMATORS


@pytest.fixture(scope="module")
def examples():
    return gallery.examples()


def test_estimators_are_shown_once(examples):
    shown = [type(model).__name__ for _, _, model in examples]
    assert len(set(shown)) == len(shown) >= 77
    assert set(shown) <= set(ESTIMATORS)


def test_scores_are_good(examples):
    scores = {
        type(m).__name__: float(re.search(r"\d+\.\d+", s)[0]) for _, s, m in examples
    }
    assert scores["LinearRegression"] > 8  # certified digits
    assert min(scores["Ridge"], scores["GradientDescentRegressor"]) > 0.8
    assert min(scores["KMeans"], scores["PCA"]) > 90
    assert scores["ParametricDensity"] < 0.02  # nats lost
    assert min(scores["LogisticRegression"], scores["GaussianNB"]) >= 80
    assert scores["Perceptron"] == scores["BatchPerceptron"] == 100
    assert scores["MSEProcedure"] == 100
    assert min(scores["LeastSquaresClassifier"], scores["SGDClassifier"]) >= 75
    assert scores["SGDRegressor"] > 0.8
    words = ("MultinomialNB", "BernoulliNB", "ComplementNB")
    assert min(scores[name] for name in words) >= 75
    assert scores["CategoricalNB"] > 70  # certainty of one day
    assert 11 < scores["MixedNB"] < 15  # error, of which 12.8 cannot be avoided
