"""Collinearity: columns that repeat others, and what they do to coefficients.

Also known as: multicollinearity, variance inflation factors, VIF, condition number,
redundant columns, dummy variable trap.

The variance of a coefficient of least squares is VIF_j times what it would be if column
j were orthogonal to the others, of which they explain R_j^2:

    VIF_j = 1 / (1 - R_j^2)                                                          (1)

The condition number is that of [1 X] with columns of unit length; above 30 coefficients
begin to explode and cancel (Belsley, Kuh and Welsch).  Which columns are in it is told
by the singular values s_k and vectors V of the centred columns of unit length: of the
variance of coefficient j

    pi_jk = (V_jk / s_k)^2 / sum_l (V_jl / s_l)^2                                    (2)

comes from direction k, and the columns with a share above 1/2 in a direction with
s_1 / s_k >= 10 belong together.  A column that follows exactly from others has no
coefficient of its own: it is named with the sum that it is.

Predictions of a linear model do not suffer where new rows are like the old ones; the
meaning of its coefficients does, and their standard errors.  Trees do not care.

Notation: s, V = singular values and vectors; d columns of numbers.
Course: S3-89. Reference: Belsley, Kuh and Welsch (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.outcomes import plain
from corollary.diagnostics.table_text import column_names, rows_table
from corollary.engine import Moments, Triangle
from corollary.linear.inference.column_geometry import Geometry, geometry
from corollary.linear_algebra.decompositions import eigh

__all__ = ["Collinearity", "collinearity"]

WHO = "collinearity"
LARGE = 10.0  # of a VIF, and of s_1 / s_k
EXPLODES = 30.0  # of the condition number
EXACT_ROWS = 20_000  # that are decomposed themselves
LOST = 1e-13  # of a product of columns, by rounding
SMALL = 1e-6  # of a coefficient: not in the sum


@dataclass(frozen=True, eq=False)
class Collinearity:
    """Which columns repeat others.

    Attributes
    ----------
    names : tuple of str
        Columns of numbers; others are not looked at.
    vif : array of shape (d,)
        Variance inflation factors (1), infinite for columns of an exact sum.
    condition : float
        Condition number; infinite where columns follow from others.
    dependent : tuple of str
        Columns that follow from the others.
    sums : tuple of str
        How they do: "total = a + 2 b".
    groups : tuple of tuples of str
        Columns that nearly determine each other, the strongest first.
    rows : int
        Rows that were used.
    filled : bool
        Whether missing values were put at the mean of their column.
    """

    names: tuple[str, ...]
    vif: Floats
    condition: float
    dependent: tuple[str, ...]
    sums: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    rows: int
    filled: bool = False

    @property
    def collinear(self) -> bool:
        """Whether coefficients of single columns mean little."""
        return bool(self.dependent) or bool((self.vif >= LARGE).any())

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, in sentences."""
        found = []
        if self.dependent:
            names = ", ".join(self.dependent[:5])
            found.append(f"Drop {names}: other columns say the same.")
        for group in self.groups[:3]:
            found.append(
                f"Do not read the coefficients of {', '.join(group)} one by one: keep "
                "one of them, join them, or shrink with Ridge."
            )
        return tuple(found) or ("No column repeats others.",)

    def __str__(self) -> str:
        head = f"condition number {self.condition:.4g} of {len(self.names)} columns"
        wide = max(map(len, self.names))
        order = np.argsort(-self.vif, kind="stable")[:10]
        lines = [f"  {self.names[j]:<{wide}}  VIF {self.vif[j]:.4g}" for j in order]
        return "\n".join([head, *lines, *(f"  {s}" for s in self.sums), *self.advice])

    def plot(self, ax: Any = None) -> Any:
        """Draw the variance inflation factors; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        top = 10 * np.max(self.vif, where=np.isfinite(self.vif), initial=LARGE)
        order = np.argsort(self.vif, kind="stable")[-20:]
        ax.barh(np.arange(len(order)), np.minimum(self.vif[order], top))
        ax.set_yticks(np.arange(len(order)), [self.names[j] for j in order])
        ax.axvline(LARGE, linestyle=":", color="grey")
        ax.set(xscale="log", xlabel="variance inflation factor")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the columns and what repeats them, plain; None for infinity.

        Returns
        -------
        dict
        """
        return {
            "columns": list(self.names),
            "vif": plain(self.vif),
            "condition": plain(self.condition),
            "dependent": list(self.dependent),
            "sums": list(self.sums),
            "groups": [list(group) for group in self.groups],
            "advice": list(self.advice),
        }


def collinearity(X: Any, *, sample_weight: Any = None) -> Collinearity:
    """Tell which columns of numbers repeat others.

    Parameters
    ----------
    X : table of n rows
        An array, a data frame or a pyarrow table; only its columns of numbers and
        booleans are looked at.  Rows with missing values are left out, unless that
        leaves less than half of them: then these are put at the mean of their column.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    Collinearity

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from corollary.diagnostics import collinearity
    >>> a, b = np.random.default_rng(0).normal(size=(2, 50))
    >>> found = collinearity(pa.table({"a": a, "b": b, "total": a + 2 * b}))
    >>> found.sums
    ('total = a + 2 b',)
    >>> collinearity(pa.table({"a": a, "b": b})).collinear
    False
    """
    table = rows_table(WHO, X)
    w = full_weights(WHO, sample_weight, table.n)
    kinds = table.kinds
    at = [j for j, kind in enumerate(kinds) if kind in ("number", "boolean")]
    if not at:
        must = "X must have a column of numbers"
        raise DataError(sentence(WHO, must, f"columns of {sorted(set(kinds))}"))
    every = column_names(table)
    names = tuple(every[j] for j in at)
    Z = np.asarray(table.select(at).matrix(np.float64, who=WHO))
    Z, w, filled = complete(Z, w)
    weights = None if sample_weight is None else w
    G = geometry_of(Z, weights)
    last, N = last_columns(G.N)
    return Collinearity(
        names,
        G.vif(),
        G.condition(),
        tuple(names[j] for j in last),
        tuple(sum_of(G.mean, names, j, v) for j, v in zip(last, N, strict=True)),
        groups_of(G, names, last),
        len(Z),
        filled,
    )


def complete(Z: Floats, w: Floats) -> tuple[Floats, Floats, bool]:
    """Return rows without missing values, or with them at the mean."""
    gone = ~np.isfinite(Z)
    if np.isinf(Z).any():
        raise DataError(sentence(WHO, "X must be finite", "infinity"))
    whole = ~gone.any(axis=1) & (w > 0)
    if whole.sum() >= 0.5 * len(Z) and whole.sum() > 1:
        return Z[whole], w[whole], False
    count = np.where(gone, 0.0, w[:, None]).sum(axis=0)
    total = np.where(gone, 0.0, Z * w[:, None]).sum(axis=0)
    mean = total / np.where(count > 0, count, 1.0)
    return np.where(gone, mean, Z), w, True


def geometry_of(Z: Floats, w: Vector | None) -> Geometry:
    """Return the columns as a triangle: of the rows, or of products where many."""
    d = Z.shape[1]
    if len(Z) <= EXACT_ROWS:
        return geometry(Triangle.of(Z, w, None, ones=True), d, True)[0]
    found = Moments.of(Z, w)
    scale = np.sqrt(np.diagonal(found.M2))
    scale = np.where(scale > 0, scale, 1.0)
    values, V = eigh(found.M2 / np.outer(scale, scale))
    values = np.where(values > LOST * d, values, 0.0)
    R = np.asarray((V * np.sqrt(values)).T * scale)
    return Geometry.of(found.n, found.mean, R, True)


def last_columns(N: Floats) -> tuple[list[int], Floats]:
    """Return the last columns that follow from those before, and N solved for them."""
    B = N.T.copy()  # (k, d), one dependence in each row
    found: list[int] = []
    for j in range(B.shape[1] - 1, -1, -1):
        k = len(found)
        if k == len(B):
            break
        best = k + int(np.abs(B[k:, j]).argmax())
        if abs(B[best, j]) <= SMALL * np.abs(B[best]).max():
            continue
        B[[k, best]] = B[[best, k]]
        B[k] /= B[k, j]
        for i in range(len(B)):
            if i != k:
                B[i] -= B[i, j] * B[k]
        found.append(j)
    return found[::-1], B[: len(found)][::-1]


def sum_of(mean: Floats, names: Sequence[str], j: int, v: Floats) -> str:
    """Write a dependent column as a sum of others."""
    b = -v
    b[j] = 0.0
    constant = float(mean[j] - b @ mean)
    size = max(float(np.abs(b).max()), 1e-300)
    there = np.flatnonzero(np.abs(b) > SMALL * size).tolist()
    terms = [(float(b[i]), names[i]) for i in there]
    scale = abs(float(mean[j])) + float(np.abs(b) @ np.abs(mean))
    if not terms or abs(constant) > SMALL * scale:
        terms.append((constant, ""))
    return f"{names[j]} = {sum_text(terms)}"


def sum_text(terms: Sequence[tuple[float, str]]) -> str:
    """Write a sum.

    >>> sum_text([(1.0, "a"), (-2.5, "b"), (3.0, "")])
    'a - 2.5 b + 3'
    """
    text = ""
    for i, (b, name) in enumerate(terms[:6]):
        sign = ("-" if b < 0 else "") if i == 0 else (" - " if b < 0 else " + ")
        factor = f"{abs(b):.4g}"
        part = name if name and factor == "1" else f"{factor} {name}".strip()
        text += sign + part
    return text + (" + ..." if len(terms) > 6 else "")


def groups_of(
    G: Geometry, names: Sequence[str], dependent: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the columns that nearly determine each other (2)."""
    free: Vector = np.array([j for j in range(len(names)) if j not in dependent], int)
    R = G.R[:, free]
    length = np.sqrt((R**2).sum(axis=0))
    if len(free) < 2 or not (length > 0).all():
        return ()
    _, s, Vt = np.linalg.svd(R / length, full_matrices=False)
    part = (Vt.T / np.maximum(s, 1e-300)) ** 2  # (d, k)
    share = part / part.sum(axis=1, keepdims=True)
    found = []
    for k in range(len(s) - 1, -1, -1):
        members = free[share[:, k] > 0.5]
        if s[0] >= LARGE * s[k] and len(members) > 1:
            found.append(tuple(names[j] for j in members))
    return tuple(found)
