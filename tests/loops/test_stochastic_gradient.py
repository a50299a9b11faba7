"""An epoch of steps is the book's."""

import numpy as np
import pytest
from oracles import stochastic_gradient as oracle

from corollary.linear.online.sequential import CODES, SCHEDULES, Plan
from corollary.objectives.losses import LOSSES

NAMES = sorted(CODES)


def run(loop, args, y, order, plan, d, o=None, times=None, l1=False):
    w, slots = np.zeros(d), np.zeros(15)
    slots[1] = 1.0
    q, mean = np.zeros(d) if l1 else None, np.zeros(d)
    moved, monitor = np.empty(10 * len(order), np.int64), np.empty(len(order) + 1)
    loop("sgd_epoch")(
        *args,
        y,
        order,
        o,
        times,
        np.array(plan, float),
        w,
        slots,
        q,
        mean,
        None,
        monitor,
        moved,
    )
    return w, slots, mean, monitor[: int(slots[7])], moved[: int(slots[8])]


def loss_of(name):
    kind = LOSSES[name]
    options = {"huber": (0.4,), "quantile": (0.3,)}.get(name, ())
    loss = kind(*options)
    for field in ("epsilon", "delta", "q"):
        if hasattr(loss, field):
            return loss, getattr(loss, field)
    return loss, 0.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch", [1, 4])
def test_steps_are_those_of_the_definition(name, batch, rows, loop, rng, dtype):
    X, args = rows(50, 7)
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    order = rng.permutation(50)
    loss, parameter = loss_of(name)
    plan = Plan(
        CODES[name],
        parameter,
        eta0=0.05,
        l2=0.3,
        average_from=1.0,
        window=1.0,
        batch=batch,
    )
    w, slots, mean, costs, _ = run(loop, args, y, order, plan, 7)
    X = X.astype(np.float64)
    want = oracle.epoch(X, y, order, loss, eta=0.05, l2=0.3, batch=batch)
    rtol = 1e-9
    np.testing.assert_allclose(w, want[0], rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(slots[0], want[1], rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(mean, want[2], rtol=rtol, atol=1e-10)
    np.testing.assert_allclose(costs, want[3], rtol=rtol, atol=1e-12)
    assert slots[14] == -(-50 // batch)


@pytest.mark.parametrize("schedule", ["pa1", "pa2"])
@pytest.mark.parametrize("name", ["hinge", "epsilon_insensitive"])
@pytest.mark.parametrize("batch", [1, 4])
def test_passive_aggressive_steps(schedule, name, batch, rows, loop, rng):
    X, args = rows(50, 7)
    y, order = np.where(rng.random(50) < 0.5, 1.0, -1.0), rng.permutation(50)
    loss, parameter = loss_of(name)
    how = {"eta0": 0.2, "l2": 0.1, "batch": batch}
    plan = Plan(CODES[name], parameter, SCHEDULES[schedule], **how)
    w, slots, *_ = run(loop, args, y, order, plan, 7)
    how = {"eta": 0.2, "l2": 0.1, "batch": batch, "schedule": schedule}
    want = oracle.epoch(X.astype(np.float64), y, order, loss, **how)
    np.testing.assert_allclose(w, want[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slots[0], want[1], rtol=1e-9, atol=1e-12)


def test_l1_is_paid_in_full_by_the_end(rows, loop, rng):
    X, args = rows(200, 6)
    y = np.where(rng.random(200) < 0.5, 1.0, -1.0)
    order = rng.permutation(200)
    plan = Plan(CODES["log_loss"], eta0=0.05, l1=0.2)
    w, *_ = run(loop, args, y, order, plan, 6, l1=True)
    want = oracle.epoch(
        X.astype(np.float64), y, order, LOSSES["log_loss"](), eta=0.05, l1=0.2
    )
    np.testing.assert_allclose(w, want[0], rtol=1e-9, atol=1e-12)
    assert (w == 0).any()


def test_visits_in_a_row_are_rows_in_a_row(rows, loop, rng):
    _, args = rows(30, 5)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    plan = Plan(CODES["hinge"], eta0=0.1, l2=0.1)
    times = rng.integers(0, 4, 30).astype(np.int32)
    order = np.arange(30)
    w, slots, *_ = run(loop, args, y, order, plan, 5, np.ones(30), times)
    again = run(loop, args, y, np.repeat(order, times), plan, 5)
    np.testing.assert_array_equal(w, again[0])
    np.testing.assert_array_equal(slots, again[1])


def test_the_rows_that_move_w_are_told(rows, loop, rng):
    X, args = rows(40, 3)
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    plan = Plan(CODES["perceptron"])
    w, slots, _, _, moved = run(loop, args, y, np.arange(40), plan, 3)
    np.testing.assert_allclose(w, y[moved] @ X.astype(np.float64)[moved], atol=1e-12)
    assert slots[0] == y[moved].sum()


def test_no_more_windows_are_noted_than_there_is_room(rows, loop, rng):
    _, args = rows(40, 3)
    y, order = np.where(rng.random(40) < 0.5, 1.0, -1.0), np.arange(40)
    plan = np.array(Plan(CODES["hinge"], eta0=0.1, window=1.0), float)
    slots, noted = np.zeros(15), np.full(12, -1.0)
    slots[1] = 1.0
    more = (None, None, plan, np.zeros(3), slots, None, None, None, noted[:7], None)
    loop("sgd_epoch")(*args, y, order, *more)
    assert slots[7] == 7
    assert (noted[:7] >= 0).all()
    assert (noted[7:] == -1).all()


@pytest.mark.parametrize("name", ["hinge", "epsilon_insensitive"])
@pytest.mark.parametrize("schedule", ["pa1", "pa2"])
def test_passive_steps_are_as_long_as_the_row_asks_for(name, schedule, rows, loop, rng):
    X, args = rows(50, 7)
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    order, C = rng.permutation(50), 0.15
    loss, parameter = loss_of(name)
    plan = Plan(CODES[name], parameter, SCHEDULES[schedule], eta0=C)
    w, slots, *_ = run(loop, args, y, order, plan, 7)
    X, want, b = X.astype(np.float64), np.zeros(7), 0.0
    for i in order:
        p, x2 = X[i] @ want + b, X[i] @ X[i]
        L, slope = float(loss.value(y[i], p)), float(loss.derivative(y[i], p))
        tau = L / (x2 + 0.5 / C) if schedule == "pa2" else min(C, L / x2) if x2 else 0.0
        want, b = want - tau * slope * X[i], b - tau * slope
    np.testing.assert_allclose(w, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slots[0], b, rtol=1e-9, atol=1e-12)
