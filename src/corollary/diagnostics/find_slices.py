"""Slices: groups of rows, described in words, where a model does worse than elsewhere.

Also known as: cohort analysis, error analysis by subgroup, SliceLine, slice finding,
weak spots, subgroup discovery.

A mean loss hides where it comes from.  A slice is the set of rows that meet one or two
conditions, each on another column: "age > 61.5 and smoker = yes".  Looked for are all
slices whose mean loss is above that of the other rows beyond chance (`slice_search`):
every condition and every pair of them is a test, and the chance of naming any slice
where no column has to do with the loss is at most delta, however many there are.

Where smokers are badly served, so are old smokers, smokers from Rome, and all rows that
are mostly smokers.  Only slices that say something new are kept.  Begin with r = u, the
centred losses, and take again and again the slice of the largest

    z = sum_slice r / sqrt(S_r^2 m (1 - m/n))                                        (1)

among those that were found; then lower r in the slice by the difference of its mean
from the others', and stop when (1) is below what the search asks for: the rest is
explained.  A pair of conditions is kept only if both are needed: the rows of either
condition alone which do not meet the other must have less loss, by

    (mean r of the pair - mean r of those) / (S_r sqrt(1/m + 1/m')) >= z_0           (2)

with z_0 the normal quantile at delta over the number of conditions; else the condition
that is enough by itself stands for the pair.  A slice that shares most of its rows with
one before it is passed over.

The loss of a slice that was searched for is too large on average, since the search
prefers those that had bad luck: what is proved is that it is higher than elsewhere.

Notation: m = rows of a slice; u, S as in `slice_search`.
References: Sagadeeva and Boehm (2021); Chung, Kraska, Polyzotis, Tae and Whang (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import one_of, shown, whole
from corollary.diagnostics.row_losses import RowLosses
from corollary.diagnostics.slice_conditions import conditions_of
from corollary.diagnostics.slice_search import Found, Rows, bar, searched
from corollary.diagnostics.table_text import column_names, rows_table
from corollary.theory.stated_numbers import confidence, vector

__all__ = ["Slice", "Slices", "find_slices"]

WHO = "find_slices"
MOST_PAIRS = 2_000  # pairs of columns that are searched
ALIKE = 0.5  # of the rows of two slices in common: the second says nothing new
FEWEST = 20  # rows of a slice at least, by default


@dataclass(frozen=True, eq=False)
class Slice:
    """Rows that meet one or two conditions, and their loss.

    Attributes
    ----------
    where : str
        The conditions in words.
    conditions : tuple of str
    columns : tuple of int
        Positions of the columns that the conditions are on.
    members : array of int
        Numbers of the rows.
    n : int
        Rows of the data.
    loss, rest : float
        Mean loss inside and outside.
    p_value : float
        That chance would find any such slice, all tests together.
    """

    where: str
    conditions: tuple[str, ...]
    columns: tuple[int, ...]
    members: Vector
    n: int
    loss: float
    rest: float
    p_value: float

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.members)

    @property
    def sentence(self) -> str:
        """The slice in one sentence."""
        share = f"{self.rows:,} rows, {100 * self.rows / self.n:.3g} %"
        times = self.loss / self.rest if self.rest > 0 else np.inf
        more = f", {times:.3g} times as much" if 1 < times < 1e3 else ""
        return (
            f"Where {self.where} ({share}) the mean loss is {self.loss:.4g} against "
            f"{self.rest:.4g} elsewhere{more}."
        )

    def __str__(self) -> str:
        p = f"= {self.p_value:.2g}" if self.p_value >= 1e-300 else "< 1e-300"
        return f"{self.sentence} p {p}"


@dataclass(frozen=True, eq=False)
class Slices:
    """Slices of high loss, the clearest first.

    Attributes
    ----------
    slices : tuple of Slice
    mean : float
        Mean loss of all rows.
    n : int
        Rows of the data.
    tests : int
        Slices that the p-values pay for.
    passed_over, pairs : int
        Pairs of columns that a bound made it needless to count, and all of them.
    min_rows : int
        Rows of a slice at least.
    delta : float
        Chance of naming any slice where there is none.
    """

    slices: tuple[Slice, ...]
    mean: float
    n: int
    tests: int
    passed_over: int
    pairs: int
    min_rows: int
    delta: float

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __getitem__(self, at: int) -> Slice:
        return self.slices[at]

    def __str__(self) -> str:
        head = f"{len(self)} slices of high loss, mean {self.mean:.4g} over "
        head += f"{self.n:,} rows ({self.tests:,} tests, delta {self.delta:g})"
        if not self.slices:
            head = f"no slice of {self.min_rows} rows or more has a higher loss than "
            head += f"chance explains ({self.tests:,} tests, delta {self.delta:g})"
        return "\n".join([head, *(f"  {each}" for each in self)])

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss of each slice beside that of the other rows; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self))[::-1]
        ax.barh(at, [each.loss for each in self], label="slice")
        ax.plot([each.rest for each in self], at, "o", color="black", label="elsewhere")
        ax.axvline(self.mean, linestyle=":", color="grey")
        ax.set_yticks(at, [f"{each.where} ({each.rows:,})" for each in self])
        ax.set(xlabel="mean loss")
        ax.legend()
        return ax

    def to_findings(self) -> list[dict[str, Any]]:
        """Return the section `slices` of a page.

        Returns
        -------
        list of dict
        """
        return [
            {
                "where": each.where,
                "rows": each.rows,
                "loss": each.loss,
                "rest": each.rest,
                "p_value": each.p_value,
                "sentence": each.sentence,
            }
            for each in self
        ]


def find_slices(
    X: Any,
    losses: Any,
    *,
    max_order: int = 2,
    min_rows: int | None = None,
    delta: float = 0.05,
    bins: int = 8,
    most: int = 20,
    sample_weight: Any = None,
) -> Slices:
    """Find slices of the rows where the mean loss is higher than elsewhere.

    Parameters
    ----------
    X : table of n rows
        An array, a data frame or a pyarrow table; categories, texts, numbers, dates,
        booleans, and missing values among them.
    losses : array of shape (n,), or RowLosses
        Of out-of-fold predictions; large is bad.  Any number a row has will do.
    max_order : {1, 2}
        Conditions of a slice at most.
    min_rows : int, optional
        Rows of a slice at least; by default a hundredth of all, and 20 or more.
    delta : float, default=0.05
        Chance of naming any slice where no column has to do with the loss.
    bins : int, default=8
        Into which numbers are cut at their quantiles.
    most : int, default=20
        Slices to return at most.
    sample_weight : array of shape (n,), optional
        How much each row counts in the means.

    Returns
    -------
    Slices

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import find_slices
    >>> rng = np.random.default_rng(0)
    >>> age, smoker = rng.integers(18, 90, 2000), rng.choice(["no", "yes"], 2000)
    >>> loss = rng.exponential(size=2000)
    >>> loss[(age > 60) & (smoker == "yes")] += 1.0
    >>> import pyarrow as pa
    >>> X = {"age": age, "smoker": smoker}
    >>> [each.where for each in find_slices(pa.table(X), loss)]
    ['age > 63 and smoker = yes']
    """
    e, table, w = checked(X, losses, sample_weight)
    delta = confidence(WHO, delta)
    check_numbers(max_order, min_rows, bins, most)
    n = len(e)
    least = max(FEWEST, -(-n // 100)) if min_rows is None else int(min_rows)
    rows = Rows.of(e, w, least)
    names = column_names(table)
    columns = [
        conditions_of(j, names[j], column, bins, least)
        for j, column in enumerate(table.columns)
    ]
    levels = {1: delta} if max_order == 1 else {1: delta / 2, 2: delta / 2}
    flat = rows.variance <= 0
    found = searched([] if flat else columns, rows, levels, MOST_PAIRS)
    kept = distinct_slices(found, rows, levels, most)
    slices = tuple(described(found, k, e, w) for k in kept)
    mean, tests = float(w @ e / w.sum()), sum(found.tests.values())
    return Slices(slices, mean, n, tests, found.pruned, found.pairs, least, delta)


def checked(X: Any, losses: Any, weights: Any) -> tuple[Floats, Any, Floats]:
    """Return losses, rows and weights."""
    values = losses.losses if isinstance(losses, RowLosses) else losses
    e = vector(WHO, values, "losses")
    return e, rows_table(WHO, X, len(e)), full_weights(WHO, weights, len(e))


def check_numbers(max_order: Any, min_rows: Any, bins: Any, most: Any) -> None:
    """Check the numbers that a search is asked for."""
    rules = {
        "max_order": (max_order, whole(1, 2)),
        "min_rows": (min_rows, one_of(None) | whole(2)),
        "bins": (bins, whole(2, 1000)),
        "most": (most, whole(1)),
    }
    for name, (value, rule) in rules.items():
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))


# -- slices that say something new -----------------------------------------------------
@dataclass
class Residual:
    """What the slices so far leave of the losses."""

    found: Found
    r: Floats  # (n,) of sum 0
    totals: list[Floats]  # of r, over the cells of each table

    @property
    def variance(self) -> float:
        """S_r^2, above 0."""
        return max(float(self.r @ self.r) / max(len(self.r) - 1, 1), 1e-300)

    def z(self) -> Floats:
        """Return (1) of every slice that was found."""
        slices, n = self.found.slices, len(self.r)
        sums = np.empty(len(slices))
        for t in np.unique(slices.table):
            mine = slices.table == t
            over, at = self.found.tables[t].over(self.totals[t]), slices.at[mine]
            sums[mine] = over[at[:, 0]] if over.ndim == 1 else over[at[:, 0], at[:, 1]]
        return sums / np.sqrt(self.variance * slices.m * (1 - slices.m / n))

    def lowered(self, members: Vector) -> None:
        """Take off what a slice has above the other rows."""
        n, m = len(self.r), len(members)
        inside = float(self.r[members].sum())
        step = inside / m - (float(self.r.sum()) - inside) / (n - m)
        self.r[members] -= step
        centre = float(self.r.mean())
        self.r -= centre
        for t, table in enumerate(self.found.tables):
            taken = step * table.sums(None, members)
            self.totals[t] = self.totals[t] - taken - centre * table.count


def distinct_slices(
    found: Found, rows: Rows, levels: dict[int, float], most: int
) -> list[int]:
    """Return slices that explain what others do not (1), the clearest first."""
    slices = found.slices
    left = Residual(found, rows.u.copy(), [table.total for table in found.tables])
    pairs = np.array([found.tables[t].b is not None for t in slices.table], dtype=int)
    asked = [bar(level, found.tests[k]) for k, level in levels.items()]
    bars = np.array([*asked, asked[-1]])[pairs]
    needed = float(-ndtri(sum(levels.values()) / max(found.tests[1], 1)))  # z_0
    alive = np.ones(len(slices), dtype=bool)
    kept: list[int] = []
    sets: list[Vector] = []
    while alive.any() and len(kept) < most:
        z = np.where(alive, left.z(), -np.inf)
        alive &= z >= bars
        if not alive.any():
            break
        best = int(np.where(alive, z, -np.inf).argmax())
        chosen = best if not pairs[best] else simplest(left, best, alive, needed)
        alive[best] = False
        if chosen is None:
            continue
        alive[chosen] = False
        members = members_of(found, chosen)
        if all(overlap(members, other) <= ALIKE for other in sets):
            kept.append(chosen)
            sets.append(members)
            left.lowered(members)
    return kept


def overlap(a: Vector, b: Vector) -> float:
    """Return the share of the rows of either set that are in both."""
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / (len(a) + len(b) - both)


def simplest(left: Residual, k: int, alive: Vector, needed: float) -> int | None:
    """Return the pair, or the condition of it that is enough (2), or None."""
    found, slices = left.found, left.found.slices
    t, m = int(slices.table[k]), float(slices.m[k])
    table = found.tables[t]
    i, j = slices.at[k]
    mean = float(table.over(left.totals[t])[i, j]) / m
    enough = []
    for column, at in ((table.a, i), (table.b, j)):
        s = next(s for s, each in enumerate(found.tables) if each.a is column)
        count = float(found.tables[s].over(found.tables[s].count)[at])
        total = float(found.tables[s].over(left.totals[s])[at])
        others = max(count - m, 1e-9)
        gap = mean - (total - mean * m) / others
        if gap < needed * np.sqrt(left.variance * (1 / m + 1 / others)):
            enough.append((total / np.sqrt(count), s, at))
    if not enough:
        return k
    _, s, at = max(enough)
    same = alive & (slices.table == s) & (slices.at[:, 0] == at)
    return int(same.argmax()) if same.any() else None


def members_of(found: Found, k: int) -> Vector:
    """Return the numbers of the rows of a slice."""
    table, (i, j) = found.tables[found.slices.table[k]], found.slices.at[k]
    mask = table.a.rows(i)
    return np.flatnonzero(mask if table.b is None else mask & table.b.rows(j))


def described(found: Found, k: int, e: Floats, w: Floats) -> Slice:
    """Put a slice into words and numbers."""
    table, (i, j) = found.tables[found.slices.table[k]], found.slices.at[k]
    members = members_of(found, k)
    texts, at = [table.a.texts[i]], [table.a.column]
    if table.b is not None:
        texts.append(table.b.texts[j])
        at.append(table.b.column)
    inside, own = float(w[members] @ e[members]), float(w[members].sum())
    loss = inside / own if own > 0 else float(e[members].mean())
    outside = float(w.sum()) - own
    rest = (float(w @ e) - inside) / outside if outside > 0 else loss
    where, p = " and ".join(texts), float(found.slices.p[k])
    return Slice(where, tuple(texts), tuple(at), members, len(e), loss, rest, p)
