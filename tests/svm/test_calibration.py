"""From scores to probabilities, against scikit-learn's fits of the same scores."""

import numpy as np
import pytest

from corollary import SVC


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("K", [2, 3])
def test_probabilities_are_calibrated_and_reproducible(method, K):
    rng = np.random.default_rng(14)
    X = rng.normal(size=(600, 2))
    p = 1 / (1 + np.exp(-2 * X[:, 0]))
    y = (rng.random(600) < p).astype(int)
    if K == 3:
        y[X[:, 1] > 0.8] = 2
    options = {"kernel": "linear", "probability": method, "random_state": 0}
    model = SVC(**options).fit(X[:400], y[:400])
    P = model.predict_proba(X[400:])
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P > 0).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[400:])), P)
    if K == 2:
        assert np.abs(P[:, 1] - p[400:]).mean() < 0.08
    again = SVC(**options).fit(X[:400], y[:400]).predict_proba(X[400:])
    np.testing.assert_array_equal(again, P)
    assert (P.argmax(axis=1) == model.predict(X[400:])).mean() > 0.9
    assert not hasattr(SVC(), "predict_proba")
