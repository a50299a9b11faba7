"""What predictions are given beside rows goes to the members that ask for it."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from corollary import BaggingClassifier, BaggingRegressor
from corollary.core.errors import ParameterError

X = np.arange(12.0)[:, None]
LABELS = np.repeat([0, 1], 6)


@pytest.fixture(autouse=True)
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Voter(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X, price=0):
        return np.full(len(X), int(price > 1))

    def decision_function(self, X, price=0):
        return np.full(len(X), float(price))


class Chancer(Voter):
    def predict_proba(self, X, price=0):
        return np.tile([1.0 - price, price], (len(X), 1))


class Number(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X, price=0):
        return np.full(len(X), float(price))


def test_votes_probabilities_and_scores_hear_of_it():
    base = Voter().set_predict_request(price=True)
    base.set_decision_function_request(price=True)
    model = BaggingClassifier(base, 3).fit(X, LABELS)
    assert set(model.predict(X, price=2)) == {1}
    assert set(model.predict(X)) == {0}
    assert (model.predict_proba(X, price=2) == [0.0, 1.0]).all()
    assert (model.decision_function(X, price=7) == 7).all()
    chancer = Chancer().set_predict_proba_request(price=True)
    model = BaggingClassifier(chancer, 3).fit(X, LABELS)
    np.testing.assert_allclose(model.predict_proba(X, price=0.8)[:, 1], 0.8)
    np.testing.assert_allclose(model.predict_log_proba(X, price=0.8)[0, 1], np.log(0.8))
    assert set(model.predict(X, price=0.8)) == {1}


def test_numbers_hear_of_it():
    base = Number().set_predict_request(price=True)
    model = BaggingRegressor(base, 3).fit(X, X[:, 0])
    assert set(model.predict(X, price=5)) == {5.0}


def test_what_no_member_asks_for_is_refused():
    model = BaggingRegressor(Number(), 3).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="price"):
        model.predict(X, price=5)
    with (
        sklearn.config_context(enable_metadata_routing=False),
        pytest.raises(ParameterError, match="predict takes X"),
    ):
        model.predict(X, price=5)
