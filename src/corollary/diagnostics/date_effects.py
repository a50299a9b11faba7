"""The effect of a date: along time, and by the part of it that recurs.

A model is asked of the rows x_i at moments t_m that occur in the column,

    F(m, i) = f(t_m, x_i without the date),     PD(m) = mean_i F(m, i)               (1)

and its answers are averaged over the moments of a set S, each with its weight v_m:

    PD(S) = sum_{m in S} v_m PD(m) / sum_{m in S} v_m                                (2)

The sets are spans of time, which give a line, and the moments that share an hour of the
day, a weekday or a month: of these three the part is told by which the mean answers
differ most beyond chance,

    A - B,   A = sum_S share_S (PD(S) - PD)^2,   B = sum_S share_S doubt(S)          (3)

and none where this is less than three times what it is by chance, B sqrt(2 / (s - 1))
for s sets.  doubt(S) is the variance of the moments about the mean of their set, pooled
over the sets, over the number of moments in S.

The line has this part taken out, PD(m) - PD(S of m) + PD, or else a span with more of
its moments in the evening would be higher for no other reason.  Moments and rows are
drawn at random, since evenly spaced ones may all have the same hour.

Notation: v_m = weight of the rows that have the moment; n rows, M moments, k answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.diagnostics.effect_estimates import Asked, Shape, asked_at
from corollary.diagnostics.table_text import cell_texts

__all__ = ["date_effect"]

MOMENTS = 480  # that are asked at most
ANSWERS = 20  # for each row, as many as for a category
EACH, LEAST = 10, 5  # moments of a span of time, and spans, at least
WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
HOURS = [f"{hour}:00" for hour in range(24)]
#: Parts that recur: name, their values, and the days that a column must span.
PARTS = (
    ("hour of the day", HOURS, 2),
    ("weekday", WEEKDAYS, 14),
    ("month", MONTHS, 366),
)


def date_effect(
    asked: Asked, j: int, column: Column, most: int, rng: Any
) -> Shape | None:
    """Return the effect along time with that of a part, None for a single moment."""
    rows, v = moments_of(column, asked.w, rng)
    if len(rows) < 2:
        return None
    n = len(asked.w)
    size = min(n, max(2, ANSWERS * n // len(rows)))
    own = np.sort(rng.choice(n, size, replace=False))
    F = asked_at(asked, j, rows, own)  # (M, R, k)
    c = F - np.einsum("m,mrk->rk", v / v.sum(), F)
    c[np.abs(c) < 1e-12 * np.abs(F).max()] = 0.0  # what rounding leaves
    t = column[rows].array().astype("datetime64[us]")
    part, name, sets = best_part(asked, c, t, v, own)
    if part is not None:
        c = c - (part.effect - asked.mean)[sets][:, None]
    spans = min(most, len(t) if len(t) <= most else max(LEAST, len(t) // EACH))
    cell = np.arange(len(t)) * spans // len(t)
    middle = [
        at[len(at) // 2] for at in np.split(rows, np.flatnonzero(np.diff(cell)) + 1)
    ]
    made = averaged(asked, c, cell, v, own)
    grid = cell_texts(column[np.array(middle)])
    return Shape("date", "partial_dependence", grid, *made, part, name)


def moments_of(column: Column, w: Floats, rng: Any) -> tuple[Vector, Floats]:
    """Return a row of each moment that is asked, in order of time, and the weights."""
    given = np.flatnonzero(~column.is_missing() & (w > 0))
    t = column[given].array().astype("datetime64[us]")
    _, first, code = np.unique(t, return_index=True, return_inverse=True)
    weight: Floats = np.bincount(code, w[given], minlength=len(first)).astype(float)
    if len(first) > MOMENTS:
        some = np.sort(rng.choice(len(first), MOMENTS, replace=False))
        first, weight = first[some], weight[some]
    return given[first], weight


def best_part(
    asked: Asked, c: Floats, t: Vector, v: Floats, own: Vector
) -> tuple[Shape | None, str, Vector]:
    """Return the effect of the part with the largest (3), its name and its sets."""
    days = t.astype("datetime64[D]")
    span = (days[-1] - days[0]).astype(int)
    values = (
        (t - days).astype("timedelta64[h]").astype(int),
        (days.astype(int) + 3) % 7,
        t.astype("datetime64[M]").astype(int) % 12,
    )
    best: tuple[Shape | None, str, Vector] = (None, "", np.zeros(0, np.intp))
    largest = 0.0
    for (name, texts, least), value in zip(PARTS, values, strict=True):
        there, cell = np.unique(value, return_inverse=True)
        if span < least or len(there) < 2 or len(t) < 2 * len(there):
            continue
        gain = explained(c, cell, v, asked.w[own])
        if gain > largest:
            largest = gain
            grid = [texts[one] for one in there]
            made = averaged(asked, c, cell, v, own)
            best = (Shape("part", "partial_dependence", grid, *made), name, cell)
    return best


def explained(c: Floats, cell: Vector, v: Floats, w: Floats) -> float:
    """Return (3), added up over the answers; 0 where it may be chance."""
    P, share = in_sets(cell, v)
    at = np.einsum("mrk,r->mk", c, w / w.sum())  # PD(m) - PD
    A = float((share @ (P @ at) ** 2).sum())
    B = float((share @ doubt_of(P, at, cell, v)).sum())
    return A - B if A - B > 3 * B * np.sqrt(2 / (len(share) - 1)) else 0.0


def averaged(
    asked: Asked, c: Floats, cell: Vector, v: Floats, own: Vector
) -> tuple[Floats, Floats, Floats]:
    """Return (2) of each set of moments, its standard error, and the spread of rows."""
    w = asked.w[own]
    P, _ = in_sets(cell, v)
    each = np.einsum("sm,mrk->srk", P, c)  # of each row
    centre = np.einsum("srk,r->sk", each, w / w.sum())
    gap = (each - centre[:, None]) ** 2
    of_rows = np.einsum("srk,r->sk", gap, w**2) / w.sum() ** 2
    at = np.einsum("mrk,r->mk", c, w / w.sum())
    error = np.sqrt(of_rows + doubt_of(P, at, cell, v))
    spread = np.sqrt(np.einsum("srk,r->sk", gap, w / w.sum()))
    return asked.mean + centre, error, spread


def in_sets(cell: Vector, v: Floats) -> tuple[Floats, Floats]:
    """Return the weights of the moments in each set, (s, M), and shares of sets."""
    member = np.equal.outer(np.arange(cell.max() + 1), cell) * v
    weight = member.sum(axis=1)
    return member / weight[:, None], weight / weight.sum()


def doubt_of(P: Floats, at: Floats, cell: Vector, v: Floats) -> Floats:
    """Return the variance of each mean (2) over other moments, (s, k)."""
    free = max(len(cell) - len(P), 1) / len(cell)
    gap = (at - (P @ at)[cell]) ** 2
    variance = (v / v.sum()) @ gap / free  # pooled
    return np.outer((P**2).sum(axis=1), variance)
