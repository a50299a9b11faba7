import numpy as np
import pytest

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
    half = 1.959964 * losses.std(ddof=1) / 20
    assert np.isclose(high - losses.mean(), 1.3 * half)
    assert np.isclose(losses.mean() - low, 1.3 * half)
