"""Sequential minimal optimisation in wide working sets, with a duality gap.

Also known as: SMO, decomposition, chunking, working-set method for support vectors,
sequential minimal optimisation.

Every support vector machine's dual is one problem.  Minimise over b (v,)

    D(b) = 1/2 b'K b + q'b + sum_t eps_t |b_t|                                   (1)
    lo <= b <= hi,    sum_{t in group g} b_t  kept as it is at the start

    f = K b + q                                                                  (2)

A variable that rises changes D at the rate up_t, one that falls at the rate -low_t:

    up_t  = f_t + eps_t (b_t >= 0, else -eps_t),     where b_t < hi_t
    low_t = f_t + eps_t (b_t >  0, else -eps_t),     where b_t > lo_t            (3)

b is optimal if and only if no pair of a group can gain: with up_g = min up_t and
low_g = max low_t over the group,

    violation = max_g (low_g - up_g) <= tol                                      (4)

    Outer steps.  The variables that violate (4) most, and those of the step before,
    make a working set of tens to hundreds.  Their kernel rows are computed together in
    register tiles, and kept in a cache of bounded size that forgets the row unused for
    longest.
    Few variables are one working set, and so are some more where the kernel matrix is
    in memory: then no row is computed, and only those that steps read are touched.
    Inner steps.  In the working set the pair (i, j) with the least up_i and then

        the largest gain  (low_j - up_i)^2 / (K_ii + K_jj - 2 K_ij)              (5)
        b_i += t,  b_j -= t,  t = (low_j - up_i) / (K_ii + K_jj - 2 K_ij)        (6)

    cut at the box and at the kink of |b|, until (4) holds in the set.  f of all
    variables is brought up to date, in float64, when the set is done.
    Shrinking.  A row none of whose variables could gain with any other is left out, and
    the cached rows are cut accordingly; before the end f is made whole and (4) is
    tested on every variable.
    Polish.  Where few variables are strictly between their bounds, these free ones F
    solve a linear system that is exact as long as no bound is met:

        f_t + (K d)_t + eps_t sign(b_t) = rho_g,  t in F;   sum_{F in g} d_t = 0 (7)

    Precision.  Kernel rows are float32 where tol allows, and float64 where the
    rounding of f might reach tol, beginning from what float32 has found.

For every number rho_g

    D(b) - min D <= sum_t max over c in [lo_t, hi_t] of
                    (f_t - rho_g)(b_t - c) + eps_t (|b_t| - |c|)                 (8)

because D is convex and the groups' sums are fixed.  Each term is >= 0, the sum is the
duality gap, and its minimiser rho the best offset of the machine.

The steps and the shrinking are in `working_sets.py`, what is tested in `box_dual.py`.

Notation: v variables, c = v / n of them for every row: t belongs to the row t mod n.
References: Platt (1998); Joachims (1998); Fan, Chen and Lin (2005), second-order
selection; Hsu and Lin (2002), working sets.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corollary.core.interrupt import caught
from corollary.core.magnitude import largest_size
from corollary.core.report import StopReason
from corollary.engine.executors.executor import single_threaded_blas
from corollary.solvers.box_dual import (
    Dual,
    duality_gap,
    exact_move,
    filled,
    free_variables,
    kept_offsets,
    snapped,
)
from corollary.solvers.kernel_cache import Gram
from corollary.solvers.optimum import Limits, Optimum
from corollary.solvers.working_sets import PROGRESS, Decomposition

__all__ = ["Dual", "Gram", "Limits", "Optimum", "filled", "solve"]

SHARPER = 4  # times that tol is divided by 10 before (7) is given up
FINER = 100  # pairs for each variable that a tenth of tol may cost, at least
POLISHED = 1e-3  # share of tol that (7) leaves of the violation where it holds
MOST_FREE = 200  # variables that (7) is solved for


def solve(gram: Gram, dual: Dual, limits: Limits) -> Optimum:
    """Minimise (1).

    Parameters
    ----------
    gram : Gram
        The kernel matrix, in float32 or float64.
    dual : Dual
    limits : Limits

    Returns
    -------
    Optimum
    """
    with single_threaded_blas():
        search = Decomposition(gram, dual, limits)
        stop = search.run()
        if stop is StopReason.INTERRUPTED and not search.sets:
            raise KeyboardInterrupt  # there is nothing to keep
        try:
            stop = _refined(search, limits, stop)
        except KeyboardInterrupt:  # b and f belong together all the time
            caught()
            stop = StopReason.INTERRUPTED
        return _optimum(search, stop)


def _refined(search: Decomposition, limits: Limits, stop: StopReason) -> StopReason:
    """Go on in float64 where float32 is too coarse, then solve (7)."""
    single = search.whole.dtype == np.float32
    doubtful = single and search.rounding() > limits.tol / 10
    if stop in (StopReason.CONVERGED, StopReason.STALLED) and doubtful:
        search.sharpen()
        stop = search.run()
    for _ in range(SHARPER):
        if stop is not StopReason.CONVERGED or _polished(search):
            break
        if search.violation <= search.rounding():  # a finer one would see noise
            break
        search.most = min(search.most, 2 * search.steps + FINER * len(search.b))
        met = search.b.copy(), search.f.copy()
        search.limits = replace(search.limits, tol=search.limits.tol / 10)
        finer = search.run()
        if finer is not StopReason.CONVERGED:  # but tol itself was met before
            stop = finer if finer is StopReason.INTERRUPTED else stop
            if search.violation > limits.tol:
                search.place(*met)
            break
    return stop


def _polished(search: Decomposition) -> bool:
    """Solve (7) if it is small; tell whether there is nothing left to sharpen."""
    d, f = search.dual, search.f
    b = snapped(search.b, d)
    free = free_variables(b, d)
    rows = free % search.n
    different = len(np.unique(rows)) if search.copies > 1 else len(rows)
    fits = len(free) <= MOST_FREE and different <= len(search.cache.K)
    if search.whole.dtype != np.float64 or not len(free) or not fits:
        return True
    slots, columns = search.cache.slots(rows), search.cache.columns(rows)
    step = exact_move(b, f, d, free, search.cache.K, slots, columns)
    if step is None:
        return False
    change = np.zeros(search.n)
    search.cache.add(rows, step, change, search.limits.threads)
    fresh_b, fresh_f = b.copy(), f + search.of_all(change)
    fresh_b[free] += step
    slight = PROGRESS * abs(search.value)
    gap = duality_gap(fresh_b, fresh_f, d, slight)
    if gap > slight and gap > duality_gap(b, f, d):
        return False
    search.place(fresh_b, fresh_f)
    if search.violation > search.limits.tol:
        search.place(b, f)
    return search.violation <= POLISHED * search.limits.tol


def _stored_rounding(search: Decomposition) -> float:
    """Bound the rounding of f, b and rho, which are stored as the data are.

    No sum of k(x, x_i) b_i is off by more than a rounding of all its terms.
    """
    unit, b = float(np.finfo(search.whole.given).eps), search.b
    size = search.whole.largest * float(np.abs(b).sum())
    worst = 2 * unit * (size + largest_size(search.f))
    return max(worst, search.rounding())


def _optimum(search: Decomposition, stop: StopReason) -> Optimum:
    """Return what was found."""
    d, b = search.dual, snapped(search.b, search.dual)
    value, rounding = search.objective(), _stored_rounding(search)
    gap, ends = kept_offsets(b, search.f, d, rounding)
    gap += 4 * float(np.finfo(np.float64).eps) * abs(value)
    return Optimum(
        b,
        search.f,
        (ends[:, 0] + ends[:, 1]) / 2,
        ends,
        value,
        gap,
        max(0.0, search.violation),
        search.steps,
        search.sets,
        search.computed + search.cache.computed,
        stop,
        rounding,
    )
