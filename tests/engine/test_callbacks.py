"""scikit-learn's callbacks hear of every iteration of a fit."""

from __future__ import annotations

import numpy as np
import pytest

from corollary import KMeans, LogisticRegression, SGDRegressor, StopReason

pytest.importorskip("sklearn.callback")


class Recorder:
    """Notes every hook, and asks to stop after so many iterations."""

    def __init__(self, most=10**9):
        self.most, self.ended, self.record = most, 0, []

    def setup(self, estimator, context):
        self.record.append("setup")

    def teardown(self, estimator, context):
        self.record.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.record.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        self.record.append(f"end {context.task_name}")
        if context.task_name != "iteration":
            return False
        self.last, self.X, self.y = fitted_estimator, X, y
        self.ended += 1
        return self.ended >= self.most


def rows():
    X = np.random.default_rng(0).normal(size=(80, 3))
    return X, np.array(["no", "yes"])[(X @ [1.0, -1, 0.5] > 0.3).astype(int)]


def test_every_iteration_is_told_with_the_model_as_it_is_then():
    X, y = rows()
    heard = Recorder()
    model = LogisticRegression().set_callbacks(heard).fit(X, y)
    n = model.n_iter_[0]
    middle = ["begin iteration", "end iteration"] * n
    end = ["begin conclusion", "end conclusion", "end fit", "teardown"]
    assert heard.record == ["setup", "begin fit", *middle, *end]
    np.testing.assert_array_equal(heard.last.coef_, model.coef_)
    np.testing.assert_array_equal(heard.y, y)
    np.testing.assert_array_equal(heard.last.predict(heard.X), model.predict(X))
    model.set_callbacks().fit(X, y)
    assert heard.record[-1] == "teardown"
    assert heard.record.count("setup") == 1


def test_a_callback_may_end_the_fit():
    X, y = rows()
    model = LogisticRegression(tol=1e-12).set_callbacks(Recorder(2)).fit(X, y)
    assert model.n_iter_[0] == 2
    assert model.report_.stop is StopReason.STOPPED
    model = KMeans(3, n_init=1, random_state=0).set_callbacks(Recorder(1)).fit(X)
    assert model.report_.stop is StopReason.STOPPED


def test_epochs_are_iterations_and_a_batch_of_a_stream_is_none():
    X, _ = rows()
    heard = Recorder()
    model = SGDRegressor(max_iter=4, tol=None, random_state=0).set_callbacks(heard)
    model.fit(X, X[:, 0])
    assert heard.ended == 4
    model.partial_fit(X, X[:, 0])
    assert heard.ended == 4


def test_what_is_no_callback_is_refused():
    with pytest.raises(TypeError):
        LogisticRegression().set_callbacks(3)
