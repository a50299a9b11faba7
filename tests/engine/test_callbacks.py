"""scikit-learn's callbacks hear of every iteration of a fit."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from corollary import (
    PCA,
    SVC,
    KMeans,
    LogisticRegression,
    OneVsRestClassifier,
    SGDRegressor,
    StopReason,
    engine,
)

callback = pytest.importorskip("sklearn.callback")


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


class Passed(Recorder):
    """Is passed on to the estimators inside; notes where each task stands."""

    max_propagation_depth = None

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        path, here = [], context
        while here is not None:
            path.insert(0, f"{here.estimator_name} {here.task_name}")
            here = here.parent
        self.record.append(" > ".join(path).replace("lbfgs-iter", "iteration"))
        return False


class Tree(Recorder):
    """Stays outside, and looks at the tree of tasks at the end."""

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        if context.task_name == "fit":
            self.tree = [repr(task) for task in context]
        return False


def searched(estimator, callback):
    X, y = rows()
    search = GridSearchCV(estimator, {"C": [0.5, 1.0]}, cv=2)
    search.set_callbacks(callback).fit(X, y)
    return callback


def test_a_search_passes_its_callbacks_on_as_it_does_to_scikit_learns_estimators():
    theirs = searched(sklearn.linear_model.LogisticRegression(), Passed()).record
    ours = searched(LogisticRegression(), Passed()).record
    step = "GridSearchCV fit > GridSearchCV search > LogisticRegression fit"
    assert ours.count(f"{step} > LogisticRegression iteration") > 4
    assert ours.count(step) == theirs.count(step) == 4
    assert ours.count("setup") == ours.count("teardown") == 1
    skip = ("iteration", "conclusion", "lbfgs-iter")
    kinds = [
        {line for line in record if not line.endswith(skip)}
        for record in (ours, theirs)
    ]
    assert kinds[0] == kinds[1]
    theirs = searched(sklearn.linear_model.LogisticRegression(), Tree()).tree
    assert searched(LogisticRegression(), Tree()).tree == theirs


def test_a_pipeline_passes_its_callbacks_on():
    X, y = rows()
    heard = Passed()
    make_pipeline(PCA(2), LogisticRegression()).set_callbacks(heard).fit(X, y)
    assert "Pipeline fit > PCA fit" in heard.record
    assert "Pipeline fit > LogisticRegression fit" in heard.record


def whole_fit(monitor):
    """Return what a monitor notes at the end of a fit."""
    return next(e for e in monitor.get_logs().data if e["task_name"] == "fit")


@pytest.mark.parametrize(
    "model", [LogisticRegression(), SVC(), OneVsRestClassifier(LogisticRegression())]
)
def test_the_fit_ends_with_a_model_that_predicts_and_the_rows_as_given(model):
    pd = pytest.importorskip("pandas")
    X, y = rows()
    X = pd.DataFrame(X, columns=["a", "b", "c"])
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model.set_callbacks(monitor).fit(X, y)
    assert whole_fit(monitor)["accuracy"] == model.score(X, y)


def test_weights_are_the_metadata_of_a_fit_and_a_source_shows_no_rows():
    X, y = rows()
    w = np.random.default_rng(1).uniform(0, 2, size=len(y))
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = LogisticRegression().set_callbacks(monitor).fit(X, y, w)
    assert whole_fit(monitor)["accuracy"] == model.score(X, y, w)
    model.fit(engine.ChunkSource([(X, y)]))
    assert "accuracy" not in whole_fit(monitor)


def test_a_scikit_learn_of_another_protocol_leaves_a_fit_without_callbacks(monkeypatch):
    X, y = rows()
    plain = LogisticRegression().fit(X, y)
    monkeypatch.delattr(callback.CallbackSupportMixin, "_init_callback_context")
    heard = Recorder()
    with pytest.warns(UserWarning, match="goes on without them"):
        model = LogisticRegression().set_callbacks(heard).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert heard.record == []
