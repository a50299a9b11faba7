"""The convex problems of linear machines, at the coefficients of a fit.

They fill the records (1) and (3) of `solvers/convex_problem.py`:

    LinearSVC, LinearSVR  the machine that stores w, intercept as a feature
    LinearSVC with l1     squared hinge, l1 = 1/(C N), the same, P times C N
    CrammerSinger..       hinge of K scores, l2 = 1/(C N), the same, P times C N

One machine for each class is a problem for each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corollary.core.arrays import Matrix
from corollary.core.rows import dense
from corollary.linear.class_statements import codes_of, sides
from corollary.linear.convex_statements import linear_problem, with_constant
from corollary.objectives.losses import SquaredHinge
from corollary.objectives.multiclass_hinge import MulticlassHinge
from corollary.solvers.convex_problem import (
    Box,
    LinearStatement,
    MachineStatement,
    Problems,
    class_box,
    not_handled,
    refuse,
    tube_box,
)

__all__ = ["contest_problem", "linear_svc_problem", "linear_svr_problem"]

HARD = 1e10  # stands for C = inf


def linear_svc_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of each class against the rest, for `optimality_gap`."""
    if model.multi_class == "crammer_singer":
        return contest_problem(model, X, y, sample_weight)
    check_value(model, "loss", ("hinge", "squared_hinge"))
    check_value(model, "penalty", ("l1", "l2"))
    C, squared = min(float(model.C), HARD), model.loss == "squared_hinge"
    machines = sides(model, y, sample_weight)
    if model.penalty == "l2":
        boxes = [class_box(s, C * o, squared=squared) for s, o in machines]
        return machine_problems(model, X, boxes)
    found: Problems = []
    for row, (s, o) in enumerate(machines):
        scale = C * float(o.sum())
        more = {"constant": float(model.intercept_scaling), "scale": scale}
        loss, l1 = SquaredHinge(), 1 / scale
        found += linear_problem(model, X, s, o, loss, l1, 0.0, row=row, **more)
    return found


def contest_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a contest of the classes, for `optimality_gap`.

    Of two classes a model stores w_1 - w_0, of which each has half.
    """
    refuse(model, "C", not np.isfinite(model.C))
    z, o = codes_of(model, y, float(model.C) * sample_weight)
    summed = getattr(model, "loss", "") == "weston_watkins"
    loss = MulticlassHinge("sum" if summed else "largest")
    N, constant = float(o.sum()), float(model.intercept_scaling)
    [p] = linear_problem(
        model, X, z, o, loss, 0.0, 1 / N, row=None, constant=constant, scale=N
    )
    assert isinstance(p, LinearStatement)
    W = np.vstack([-p.w, p.w]) / 2 if len(model.classes_) == 2 else p.w
    return [replace(p, w=W, b=np.zeros(len(W)))]


def linear_svr_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a linear machine for numbers, for `optimality_gap`."""
    losses = ("epsilon_insensitive", "squared_epsilon_insensitive")
    check_value(model, "loss", losses)
    price, squared = min(float(model.C), HARD) * sample_weight, model.loss == losses[1]
    box = tube_box(y, price, float(model.epsilon), squared=squared)
    return machine_problems(model, X, [box])


def check_value(model: Any, name: str, known: tuple[str, ...]) -> None:
    """Refuse a value that no fit takes: set_params of scikit-learn takes any."""
    value = getattr(model, name)
    if value not in known:
        raise not_handled(f"scikit-learn's {name}={value!r} of {type(model).__name__}")


def machine_problems(model: Any, X: Matrix, boxes: list[Box]) -> Problems:
    """State the problem of each vector of weights, the intercept among them."""
    B = float(model.intercept_scaling) if model.fit_intercept else 0.0
    W = np.atleast_2d(dense(model.coef_)).astype(float)
    if B:
        X = with_constant(X, B)
        W = np.column_stack([W, np.ravel(model.intercept_).astype(float) / B])
    free = (Box(box.q, box.lo, box.hi, box.eps, box.r, None) for box in boxes)
    return [MachineStatement(box, X, w) for box, w in zip(free, W, strict=True)]
