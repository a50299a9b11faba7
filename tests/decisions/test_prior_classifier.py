import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier

from corollary import GaussianNB, PriorClassifier
from corollary.core.errors import ParameterError


@pytest.mark.course("S3-4")
def test_the_most_frequent_class_and_its_error():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], p=[0.2, 0.5, 0.3], size=300)
    X, w = rng.normal(size=(300, 2)), rng.uniform(0, 2, 300)
    for weights in (None, w):
        ours = PriorClassifier().fit(X, y, weights)
        theirs = DummyClassifier(strategy="prior").fit(X, y, weights)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(
            ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12
        )
    plain = PriorClassifier().fit(X, y)
    share = (y == "b").mean()
    np.testing.assert_allclose(plain.score(X, y), share)
    np.testing.assert_allclose(plain.report_.objective[-1], 1 - share)


@pytest.mark.course("S3-4")
def test_a_classifier_that_sees_beats_the_one_that_does_not():
    rng = np.random.default_rng(1)
    y = (rng.random(500) < 0.7).astype(int)
    X = rng.normal(size=(500, 1)) + 2 * y[:, None]
    blind = PriorClassifier().fit(X, y).score(X, y)
    assert GaussianNB().fit(X, y).score(X, y) > blind + 0.1
    noise = rng.normal(size=(500, 1))
    assert GaussianNB().fit(noise, y).score(noise, y) < blind + 0.03


def test_priors_and_sparse_rows():
    X = sparse.csr_array(np.eye(3))
    model = PriorClassifier(priors=[0.1, 0.9]).fit(X, [0, 0, 1])
    assert model.predict(X).tolist() == [1, 1, 1]
    np.testing.assert_allclose(model.predict_log_proba(X)[0], np.log([0.1, 0.9]))
    np.testing.assert_array_equal(model.class_count_, [2, 1])
    with pytest.raises(ParameterError, match="number of classes = 2; got 3"):
        PriorClassifier(priors=[0.2, 0.3, 0.5]).fit(X, [0, 0, 1])
    with pytest.raises(ParameterError, match="sum of the priors should be 1"):
        PriorClassifier(priors=[0.2, 0.3]).fit(X, [0, 0, 1])
