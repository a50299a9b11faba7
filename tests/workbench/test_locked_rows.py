import numpy as np
import pytest
from scipy.stats import t as student

from corollary.workbench.judging import METRICS
from corollary.workbench.locked_rows import Judged

LOG = METRICS["log loss"]


def drawn(rng, n):
    """Draw losses of a good classifier: one row in a hundred is a confident error."""
    return np.where(rng.random(n) < 0.01, 5.0, 0.03 * rng.random(n))


@pytest.mark.parametrize(("rows", "least"), [(170, 0.95), (None, 0.93)])
def test_stated_intervals_hold_where_losses_have_a_long_tail(rng, rows, least):
    truth, held, alone, times = 0.01 * 5 + 0.99 * 0.015, 0, 0, 1000
    for _ in range(times):
        locked, others = drawn(rng, 80), drawn(rng, 320)
        later = truth if rows is None else drawn(rng, rows).mean()
        for known in (None, others):
            judged = Judged(np.zeros(80), locked, LOG, 1.0, True, known)
            low, high = judged.interval(0.05, rows)
            if known is None:
                alone += low <= later <= high
            else:
                held += low <= later <= high
    assert held / times >= least
    assert alone / times < 0.8  # what the locked rows alone would say


def test_an_interval_of_losses_alike_is_that_of_all_rows(rng):
    losses = rng.exponential(size=400)
    judged = Judged(np.zeros(400), losses, LOG, 1.0, True, losses[:0])
    low, high = judged.interval()
    known = np.append(losses, losses.max())
    half = 1.3 * student.isf(0.025, 400) * known.std(ddof=1) / np.sqrt(401)
    assert np.isclose(high - known.mean(), half)
    assert np.isclose(known.mean() - low, half)


@pytest.mark.parametrize(("name", "cost"), [("log loss", 4.6), ("accuracy", 1.0)])
def test_a_model_that_never_erred_may_err_in_the_next_row(name, cost):
    P = np.tile([0.99, 0.01], (100, 1))
    losses = METRICS[name].losses(np.zeros(100, int), P)
    ends = Judged(P, losses, METRICS[name], 1.0, False).interval(0.05, 50)
    worst = max(ends) if name == "log loss" else 1 - min(ends)
    assert worst > cost / 50  # one error in as many rows


def test_stated_intervals_hold_over_few_rows(rng):
    """Losses are squares; at most one mean in twenty lies outside."""
    held, times = 0, 2000
    for _ in range(times):
        losses = rng.normal(size=(3, 25)) ** 2
        judged = Judged(np.zeros(25), losses[0], METRICS["mae"], 1.0, True, losses[1])
        low, high = judged.interval(0.05, 25)
        held += low <= losses[2].mean() <= high
    assert held / times >= 0.95
