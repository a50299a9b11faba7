"""Members of other libraries get sparse rows in the class that the user gave."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB
from sklearn.tree import DecisionTreeRegressor

from corollary import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (60, 5)).astype(float)
LABELS = (X[:, 0] + RNG.normal(size=60) > X[:, 1]).astype(int)
NUMBERS = X[:, 0] - X[:, 1] + RNG.normal(size=60)
SEEN = []


class Labels(MultinomialNB):
    def fit(self, X, y, sample_weight=None):
        SEEN.append(type(X))
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        SEEN.append(type(X))
        return super().predict(X)

    def predict_proba(self, X):
        SEEN.append(type(X))
        return super().predict_proba(X)


class Unweighed(Labels):
    def fit(self, X, y):
        return super().fit(X, y)


class Numbers(DecisionTreeRegressor):
    def fit(self, X, y, sample_weight=None):
        SEEN.append(type(X))
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        SEEN.append(type(X))
        return super().predict(X)


ENSEMBLES = {
    "boosted": (AdaBoostClassifier(Labels(), n_estimators=3), LABELS),
    "boosted by chances": (
        AdaBoostClassifier(Labels(), n_estimators=3, algorithm="SAMME.R"),
        LABELS,
    ),
    "boosted on draws": (AdaBoostClassifier(Unweighed(), n_estimators=3), LABELS),
    "boosted numbers": (
        AdaBoostRegressor(Numbers(max_depth=2), n_estimators=3),
        NUMBERS,
    ),
    "bagged": (BaggingClassifier(Labels(), n_estimators=3), LABELS),
    "bagged numbers": (
        BaggingRegressor(Numbers(max_depth=2), n_estimators=3),
        NUMBERS,
    ),
}
CLASSES = {
    sp.csr_array: sp.csr_array,
    sp.csr_matrix: sp.csr_matrix,
    sp.csc_array: sp.csc_array,
    sp.csc_matrix: sp.csc_matrix,
    sp.lil_array: sp.csr_array,
    sp.lil_matrix: sp.csr_matrix,
    sp.coo_matrix: sp.csr_matrix,
    sp.dok_array: sp.csr_array,
    np.array: np.ndarray,
}


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("given", CLASSES)
def test_sparse_rows_come_to_members_in_the_class_that_came(name, given):
    model, y = ENSEMBLES[name]
    model.set_params(random_state=0)
    SEEN.clear()
    answers = model.fit(given(X), y).predict(given(X))
    assert set(SEEN) == {CLASSES[given]}
    np.testing.assert_allclose(answers, model.fit(X, y).predict(X), rtol=1e-9)


def test_a_model_answers_for_rows_of_another_class_than_it_learned_from():
    model = AdaBoostClassifier(Labels(), n_estimators=3, random_state=0)
    model.fit(sp.csc_matrix(X), LABELS)
    SEEN.clear()
    stages = list(model.staged_predict(sp.csr_array(X)))
    assert set(SEEN) == {sp.csr_array}
    np.testing.assert_array_equal(stages[-1], model.predict(X))
