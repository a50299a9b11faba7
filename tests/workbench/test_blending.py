from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize

from corollary.workbench.blending import blend, contenders, judged
from corollary.workbench.judging import METRICS
from corollary.workbench.trials import Trial

RMSE, LOG = METRICS["rmse"], METRICS["log loss"]


def folded(y, classes=None):
    return SimpleNamespace(y=y, classes=classes, seed=0)


def trial(name, answers, y, metric):
    losses = metric.losses(y, answers)
    named = SimpleNamespace(name=name, family=name)
    return Trial(named, answers, losses, 0.0, 0.0, 0.0, len(y))


def noisy(rng, n=2000, m=4):
    y = rng.normal(size=n)
    scales = [0.5, 0.6, 0.7, 3.0][:m]
    return y, [
        trial(f"t{j}", y + s * rng.normal(size=n), y, RMSE)
        for j, s in enumerate(scales)
    ]


def test_weights_are_near_those_of_the_best_mean(rng):
    y, trials = noisy(rng)
    found = blend(trials, folded(y), RMSE)
    f = np.stack([t.answers for t in trials])
    best = minimize(
        lambda w: ((y - w @ f) ** 2).mean(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    )
    assert found.loss < 1.02 * best.fun
    assert np.isclose(sum(found.weights), 1)
    assert "t3" not in {t.name for t in found.trials}  # it only adds noise
    assert list(found.weights) == sorted(found.weights, reverse=True)


def test_a_blend_is_never_worse_than_its_best_model(rng):
    y, trials = noisy(rng)
    best = min(t.loss for t in trials)
    assert blend(trials, folded(y), RMSE).loss < best
    alone = blend([trials[0], trials[3]], folded(y), RMSE)
    assert alone.loss <= trials[0].loss


def test_of_equal_models_the_blend_is_one(rng):
    y = rng.integers(2, size=300)
    p = np.clip(0.8 * y + 0.1, 0, 1)
    P = np.c_[1 - p, p]
    trials = [trial(name, P, y, LOG) for name in "ab"]
    found = blend(trials, folded(y, [0, 1]), LOG)
    assert len(found.trials) == 1
    assert found.name == "a"
    assert found.weights == (1.0,)


def test_weights_chosen_on_other_rows_are_judged_worse(rng):
    """Of 25 models that know nothing the best mean seems to know something."""
    gains = []
    for _ in range(10):
        y = rng.normal(size=60)
        trials = [trial(f"t{j}", 0.5 * rng.normal(size=60), y, RMSE) for j in range(25)]
        found = judged(blend(trials, folded(y), RMSE), trials, folded(y), RMSE)
        gains.append(found.crossed.mean() - found.losses.mean())
    assert np.mean(gains) > 0.02


@pytest.mark.parametrize("metric", ["accuracy", "balanced accuracy", "log loss"])
def test_any_metric_of_classes_can_be_blended_for(metric, rng):
    y = rng.integers(3, size=400)
    trials = []
    for j in range(3):
        z = rng.normal(size=(400, 3)) + 1.2 * np.eye(3)[y]
        P = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        trials.append(trial(f"t{j}", P, y, METRICS[metric]))
    found = blend(trials, folded(y, np.arange(3)), METRICS[metric])
    assert found.loss < min(t.loss for t in trials)
    np.testing.assert_allclose(found.answers.sum(axis=1), 1)


def test_of_many_models_the_best_take_part():
    def made(number, family):
        named = SimpleNamespace(name=f"m{number}", family=family)
        return Trial(named, np.zeros(2), np.full(2, float(number)), 0, 0, 0, 2)

    many = [made(number, "a") for number in range(30)]
    others = [made(100 + number, "b") for number in range(5)]
    found = [trial.name for trial in contenders([*others, *many])]
    assert found == [*(f"m{n}" for n in range(15)), "m100", "m101", "m102"]


def test_a_blend_of_classes_leaves_room_for_what_was_not_met(rng):
    y = rng.integers(0, 2, 50)
    sure = np.eye(2)[y]
    table = folded(y, np.arange(2))
    found = blend([trial("sure", sure, y, LOG)], table, LOG)
    shares = np.bincount(y) / 50
    np.testing.assert_allclose(found.answers, (50 * sure + shares) / 51)
    np.testing.assert_allclose(found.losses, LOG.losses(y, found.answers))
    sure[0] = sure[0][::-1]  # one confident error
    wrong = blend([trial("sure", sure, y, LOG)], table, LOG)
    assert wrong.losses[0] == pytest.approx(np.log(51 / shares[y[0]]))
    two = [trial("a", sure, y, LOG), trial("b", np.eye(2)[y] * 0.8 + 0.1, y, LOG)]
    known = judged(blend(two, table, LOG), two, table, LOG)
    assert known.crossed.max() <= np.log(51 / shares.min()) + 1e-9
