"""One kernel expansion for each column of targets: learned, reported, stated.

A regressor has one column of targets, its numbers; a classifier of K classes has one of
+1 and -1 for each class against the rest, or one in all for two classes.  Column m is a
problem of its own,

    min over h_m, b_m   lam/2 ||h_m||^2 + sum_i w_i L(t_im, h_m(x_i) + b_m)      (1)

on the same kernel matrix, which is computed once.  `representer.py` solves (1); the
report adds the objectives and the gaps of the columns up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.configuration import get_config
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import expanded, kept_rows
from corollary.kernel_methods.kernel_fisher_discriminant import empirical_map
from corollary.kernel_methods.representer import (
    Expansion,
    Task,
    box_dual,
    box_of,
    minimize,
)
from corollary.kernels.kernel_problem import kernel_problem, stated_kernel
from corollary.kernels.machine_kernel import warn_of_kernel
from corollary.objectives.losses import LOSSES, Loss
from corollary.objectives.penalties import Penalty
from corollary.solvers.convex_problem import Box, LinearStatement, Problems, not_handled

__all__ = [
    "columns",
    "expansion_problems",
    "learn_expansions",
    "loss_of",
    "working_bytes",
]

RANKED = 500  # rows up to which the rank of K is looked at


def loss_of(model: Any) -> Loss:
    """Return the loss that a model names or holds."""
    return model.loss if isinstance(model.loss, Loss) else LOSSES[model.loss]()


def working_bytes(rows: int, features: int) -> float:
    """Estimate the kernel matrix, its factor and a product of both."""
    return rows * (25.0 * rows + 8.0 * features + 100.0)


def learn_expansions(model: Any, rows: Chunk, targets: Floats, report: Report) -> None:
    """Minimise (1) for each column of targets, publish and report."""
    data, loss = kept_rows(model, rows), loss_of(model)
    K = data.kernel.matrix(data.X, np.float64, get_config().threads)
    tasks = (
        Task(loss, y, data.w, float(model.lam), model.fit_intercept) for y in targets.T
    )
    found = [minimize(K, task, model.tol, model.max_iter) for task in tasks]
    dtype = data.X.dtype
    model.dual_coef_ = np.stack([e.a for e in found]).astype(dtype)
    model.intercept_ = np.array([e.b for e in found])
    model.n_iter_ = max(1, *(e.steps for e in found))
    report_expansions(
        found if dtype == np.float64 else [stored(e) for e in found], report
    )
    report.facts["n_rows_kept"] = len(K)
    if len(K) <= RANKED:
        rank = int(np.linalg.matrix_rank(K, hermitian=True))
        if rank < len(K):  # other coefficients are the same function
            report.facts["kernel_rank"] = rank
    warn_of_kernel(data, report)


def report_expansions(found: list[Expansion], report: Report) -> None:
    """Report the gap, or the gradient where the loss is not convex."""
    order = (StopReason.MAX_PASSES, StopReason.STALLED, StopReason.CONVERGED)
    stops = [e.stop for e in found]
    report.stop = next((s for s in order if s in stops), stops[0])
    report.passes = sum(e.steps for e in found)
    total = sum(e.objective for e in found)
    report.objective = [total]
    gaps = [e.gap for e in found if e.gap is not None]
    report.facts["convex"] = len(gaps) == len(found)
    if len(gaps) < len(found):
        worst = max(e.gradient for e in found)
        report.optimality = Optimality("gradient norm", worst)
    else:
        gap = float(sum(gaps))
        relative = gap / total if total else None
        report.optimality = Optimality("duality gap", gap, relative)
    report.facts["solver"] = found[0].method
    report.facts["n_steps"] = [e.steps for e in found]
    if found[0].width is not None:
        report.facts["last_width"] = found[0].width


def expansion_problems(model: Any, X: Matrix, targets: Floats, w: Floats) -> Problems:
    """State (1) for each column of targets, at the coefficients.

    Losses with corners have box duals; with others the model is a linear one in the
    coordinates Z, Z Z' = K, of the rows.
    """
    loss, lam, n = loss_of(model), float(model.lam), X.shape[0]
    if not loss.convex:
        raise not_handled(f"loss={model.loss!r} of {type(model).__name__}")
    kernel, rows = stated_kernel(model, X, w), np.flatnonzero(w)
    every, box = np.arange(n), box_of(loss)
    Z = None if box else empirical_map(kernel.matrix(X, np.float64))[0]
    found: Problems = []
    for y, a, b in zip(targets.T, model.dual_coef_, model.intercept_, strict=True):
        coefficients = np.zeros(n)
        coefficients[rows if len(a) < n else every] = a
        if Z is None:
            task = Task(loss, y, w, lam, model.fit_intercept)
            part = box_dual(task)
            t = 0.0 if model.fit_intercept else None
            found.append(
                kernel_problem(
                    model,
                    kernel,
                    X,
                    every,
                    Box(part.q, part.lo, part.hi, float(part.eps[0]), t=t),
                    coefficients,
                    rho=-float(b),
                    scale=lam,
                )
            )
        else:
            total, free = float(w.sum()), bool(model.fit_intercept)
            point = (Z.T @ coefficients, float(b) if free else 0.0)
            penalty = Penalty(lam / total)
            found.append(LinearStatement(loss, penalty, Z, y, w, *point, free, total))
    return found


def columns(model: Any, X: Any) -> Floats:
    """Return the scores of each machine, (n, m)."""
    G = expanded(model, X, transposed=True)
    return G + model.intercept_.astype(G.dtype)


def stored(found: Expansion) -> Expansion:
    """Return an expansion with the gap that its coefficients in float32 have."""
    if found.gap is None:
        return found
    return replace(found, gap=stored_gap(found.gap, found.objective, np.float32))
