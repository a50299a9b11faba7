import numpy as np
import pytest
from sklearn import metrics

from corollary.core.errors import ParameterError
from corollary.workbench.judging import METRICS, metric_named


@pytest.fixture
def answers(rng):
    y = rng.integers(3, size=200)
    P = rng.dirichlet(np.ones(3), size=200)
    return y, P


def score(name, y, f):
    metric = metric_named(name, METRICS[name].task)
    return metric.of(metric.losses(y, f), float(np.var(y)))


def test_scores_of_classes_are_those_of_scikit_learn(answers):
    y, P = answers
    told = P.argmax(axis=1)
    assert np.isclose(score("log loss", y, P), metrics.log_loss(y, P))
    assert np.isclose(score("accuracy", y, P), metrics.accuracy_score(y, told))
    balanced = metrics.balanced_accuracy_score(y, told)
    assert np.isclose(score("balanced accuracy", y, P), balanced)


def test_scores_of_numbers_are_those_of_scikit_learn(rng):
    y = rng.normal(size=100)
    f = y + rng.normal(size=100)
    assert np.isclose(score("rmse", y, f), metrics.root_mean_squared_error(y, f))
    assert np.isclose(score("mae", y, f), metrics.mean_absolute_error(y, f))
    assert np.isclose(score("r2", y, f), metrics.r2_score(y, f))


@pytest.mark.parametrize("name", ["log loss", "accuracy", "rmse", "r2", "mae"])
def test_the_standard_error_is_that_of_repeated_draws(name, rng):
    metric = METRICS[name]
    scores, errors = [], []
    for _ in range(400):
        if metric.task == "classification":
            p = rng.uniform(0.05, 0.95, 300)
            y = (rng.random(300) < p).astype(int)
            losses, spread = metric.losses(y, np.c_[1 - p, p]), 1.0
        else:
            y = 2 * rng.normal(size=300)
            losses, spread = metric.losses(y, y + rng.normal(size=300)), 4.0
        scores.append(metric.of(losses, spread))
        errors.append(metric.error(losses, spread))
    assert np.isclose(np.mean(errors), np.std(scores), rtol=0.15)


def test_a_probability_of_zero_costs_much_but_not_infinitely():
    metric = METRICS["log loss"]
    loss = metric.losses(np.array([1]), np.array([[1.0, 0.0]]))
    assert 30 < loss[0] < 40


def test_an_unknown_metric_is_refused_with_those_that_fit():
    with pytest.raises(ParameterError, match="one of rmse, r2, mae for regression"):
        metric_named("accuracy", "regression")
