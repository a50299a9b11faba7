"""Learners that visit rows in order: epochs, streams, progress, Ctrl-C."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from corollary import SGDClassifier, StopReason
from corollary.core.report import Optimality
from corollary.core.roles import Estimator
from corollary.engine import SequentialLearner

ROWS = np.arange(20.0)[:, None]


@dataclass(frozen=True)
class Mean:
    value: float = 0.0
    epochs: int = 0


class Follower(SequentialLearner, Estimator):
    """Moves a tenth of the way to every row it meets."""

    rules: ClassVar = {}

    def __init__(self, max_iter=5, tol=1e-3, pressed=None):
        self.max_iter = max_iter
        self.tol = tol
        self.pressed = pressed

    def start(self, data, seed, begin):
        return Mean(float(begin.coef or 0.0))

    def epoch(self, data, state):
        value = state.value
        for chunk in data.one_by_one():
            for x in chunk.X[:, 0]:
                value += 0.1 * (x - value)
            if state.epochs == self.pressed:
                raise KeyboardInterrupt
        return Mean(value, state.epochs + 1)

    def objective(self, state):
        return abs(state.value - 10)

    def stop(self, state):
        return StopReason.CONVERGED if state.epochs == 3 else None

    def account(self, state, report):
        report.optimality = Optimality("distance", self.objective(state))

    def publish(self, fitted):
        self.value_, self.n_iter_ = fitted.state.value, fitted.state.epochs


def test_epochs_until_stop():
    model = Follower().fit(ROWS)
    assert (model.n_iter_, model.report_.passes, model.report_.reads) == (3, 3, 3)
    assert model.report_.stop is StopReason.CONVERGED
    assert len(model.report_.objective) == 3
    assert Follower().fit(ROWS, coef_init=50.0).value_ != model.value_


@pytest.mark.filterwarnings("ignore:Follower. max_iter")
def test_max_iter_bounds_the_epochs():
    model = Follower(max_iter=2).fit(ROWS)
    assert (model.n_iter_, model.report_.stop) == (2, StopReason.MAX_PASSES)


def test_no_rule_no_warning():
    assert Follower(max_iter=2, tol=None).fit(ROWS).n_iter_ == 2


def test_ctrl_c_forgets_half_an_epoch():
    model, whole = Follower(pressed=2), Follower(max_iter=2, tol=None).fit(ROWS)
    with pytest.raises(KeyboardInterrupt):
        model.fit(ROWS)
    assert model.report_.stop is StopReason.INTERRUPTED
    assert (model.n_iter_, model.value_) == (2, whole.value_)
    model = Follower(pressed=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(ROWS)
    assert not hasattr(model, "report_")


def test_verbose_shows_progress(capsys):
    X = np.random.default_rng(0).normal(size=(50, 2))
    SGDClassifier(verbose=1, random_state=0).fit(X, X[:, 0] > 0)
    assert "SGDClassifier" in capsys.readouterr().out
