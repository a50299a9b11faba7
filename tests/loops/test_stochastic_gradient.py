"""An epoch of steps is the book's."""

import numpy as np
import pytest
from oracles import stochastic_gradient as oracle

from corollary import loops
from corollary.linear.online.sequential import CODES, SCHEDULES, Plan
from corollary.objectives.losses import LOSSES

NAMES = sorted(CODES)


def run(loop, args, y, order, plan, d, o=None, times=None, l1=False):
    w, slots = np.zeros(d), np.zeros(15)
    slots[1] = 1.0
    q, mean = np.zeros(d) if l1 else None, np.zeros(d)
    moved, monitor = np.empty(10 * len(order), np.int64), np.empty(len(order) + 1)
    loop("sgd_epochs")(
        *args,
        y,
        order[None],
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
        None,
        None,
        None,
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
    loop("sgd_epochs")(*args, y, order[None], *more, None, None, None)
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


def judged(loop, args, y, orders, plan, rule, o=None):
    w, slots, memory = np.zeros(4), np.zeros(15), np.array([np.inf, 0.0])
    slots[1] = 1.0
    costs, plan = np.full(len(orders), np.nan), np.array(plan, float)
    more = (o, None, plan, w, slots, None, None, None, None, None)
    said = loop("sgd_epochs")(
        *args, y, orders, *more, np.array(rule, float), memory, costs
    )
    return said, w, slots, memory, costs


def test_epochs_in_one_call_are_epochs_one_by_one(rows, loop, rng):
    X, args = rows(60, 4)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    orders = np.array([rng.permutation(60) for _ in range(40)])
    plan = Plan(CODES["hinge"], schedule=1, alpha=0.01, start=1.0, l2=0.01, l1=0.002)
    rule = np.array([np.inf, 1e-3, 5])
    said, w, slots, memory, costs = judged(loop, args, y, orders, plan, rule)
    made, verdict, updates = said
    assert (1 < made < 40, verdict) == (True, 2)
    assert np.isnan(costs[made:]).all()
    one, slot, known, total = np.zeros(4), np.zeros(15), np.array([np.inf, 0.0]), 0.0
    slot[1] = 1.0
    numbers = np.array(plan, float)
    for order, cost in zip(orders[:made], costs, strict=False):
        slot[[3, 4, 8, 14, 11, 12]] = 0
        more = (None, None, numbers, one, slot, None, None, None, None, None)
        loop("sgd_epochs")(*args, y, order[None], *more, None, None, None)
        total += slot[8]
        verdict, again = loops.sgd_judge(numbers, one, slot, rule, None, known)
        assert again == cost
        np.testing.assert_allclose(
            cost, slot[3] / slot[4] + 0.005 * one @ one + 0.002 * np.abs(one).sum()
        )
    assert (verdict, total) == (2, updates)
    np.testing.assert_array_equal(w, one)
    np.testing.assert_array_equal(slots, slot)
    np.testing.assert_array_equal(memory, known)


def test_the_judge_sees_rest_and_divergence(rows, loop):
    X, args = rows(30, 4)
    y, orders = np.where(X[:, 0] > 0, 1.0, -1.0), np.tile(np.arange(30), (900, 1))
    still = Plan(CODES["perceptron"])
    (made, verdict, updates), w, slots, _, costs = judged(
        loop, args, y, orders, still, (np.inf, -np.inf, 5)
    )
    assert (verdict, slots[8], costs[made - 1]) == (1, 0, 0)
    assert updates > 0
    assert (y * (X @ w + slots[0]) > 0).all()
    wild = Plan(CODES["squared_error"], eta0=1e3)
    (made, verdict, _), *_ = judged(loop, args, y, orders, wild, (1e6, 1e-3, 5))
    assert (made, verdict) == (1, 3)


def test_rows_held_out_speak_instead_of_those_learned_from():
    plan, slots = np.array(Plan(CODES["hinge"]), float), np.ones(15)
    memory, rule = np.array([2.0, 0.0]), np.array([np.inf, 0.1, 2])
    for held_out, verdict in ((1.95, 0), (1.9, 2)):
        said = loops.sgd_judge(plan, np.zeros(3), slots, rule, held_out, memory)
        assert said == (verdict, held_out)
    assert memory.tolist() == [1.9, 2.0]
