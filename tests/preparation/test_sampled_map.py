"""What the sampled maps share: blocks on all cores, a second look, the sample."""

import numpy as np
import pytest

from corollary import Nystroem, PolynomialCountSketch, config_context
from corollary.engine.executors.team import team

RNG = np.random.default_rng(13)
X = RNG.normal(size=(3000, 3))
MODELS = [
    PolynomialCountSketch(n_components=8, random_state=0).fit(X),
    Nystroem(n_components=8, random_state=0).fit(X),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_blocks_and_threads_do_not_change_the_features(model, monkeypatch):
    whole = model.transform(X)
    monkeypatch.setattr("corollary.preparation.sampled_map.BLOCK_BYTES", 1)
    for threads in (1, 2, 3):
        with config_context(threads=threads):
            np.testing.assert_allclose(model.transform(X), whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_team_at_work_does_not_wait_for_itself(model, monkeypatch):
    whole = model.transform(X)
    monkeypatch.setattr("corollary.preparation.sampled_map.BLOCK_BYTES", 1)
    for part in team(2).map(model.transform, [X] * 4):
        np.testing.assert_allclose(part, whole, rtol=1e-9, atol=1e-12)


def test_copies_call_for_a_second_look():
    few = np.repeat(X[:40], 5000, axis=0)
    model = Nystroem(n_components=40, gamma=0.1, random_state=0).fit(few)
    assert len(model.components_) == 40
    assert model.report_.reads == 2
    assert model.report_.optimality.value < 1e-8
    once = Nystroem(n_components=40, gamma=0.1, random_state=0).fit(X)
    assert once.report_.reads == 1
