"""The whole path of least angle regression and of the lasso, knot by knot.

Also known as: LARS, homotopy method, piecewise linear path.

With centred, weighted columns put  G = Xc'W Xc,  c = Xc'W yc.  Columns enter one after
the other.  Those in the active set A, with signs s, all correlate alike with the
residual, and more than the others:

    c_A - G_AA b_A = lambda s,    |c_j - G_jA b_A| <= lambda  for the others        (1)

So b is linear in lambda, which falls from max_j |c_j| to 0, until something happens:

    b_A = u - lambda v,   G_AA [u v] = [c_A s]                                      (2)
    correlations of the others:  p_j + lambda q_j,  p = c - G_A u,  q = G_A v       (3)
    column j joins with sign + at  lambda = p_j / (1 - q_j),
                   with sign - at  lambda = -p_j / (1 + q_j)                        (4)
    lasso alone:  b_j reaches 0 at  lambda = u_j / v_j, and j leaves A              (5)

The next knot is the largest lambda of (4) and (5) below the present one.  Without (5)
this is least angle regression, whose steps are as many as its columns; with (5), (1)
are the conditions of optimality of the lasso with the penalty alpha = lambda / N, and
the path has its solutions for every alpha.  Where no sign changes the two are the same.
Both end in least squares.  Each knot is computed from G and c, so that no error of one
is handed on to the next.  A column that follows from active ones never joins: it keeps
the correlation that they have together.

With b >= 0 only the sign + may join.

Notation: A, u, v, p, q as above; N the total weight; k knots.
Course: S3-91, S4-58. References: Efron, Hastie, Johnstone and Tibshirani (2004);
Osborne, Presnell and Turlach (2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, qr_delete

from corollary.core.arrays import Floats, Vector
from corollary.objectives.duality import least_squares_gap
from corollary.objectives.penalties import Penalty
from corollary.solvers.design import ColumnSet, Design

__all__ = ["AnglePath", "Factor", "least_angle_path"]

TIE = 1e-10  # relative distance of two knots that are one
PARALLEL = 1e-10  # of 1 - q_j: a column that follows the active ones
DEPENDENT = 1e-13  # share of a column's square that the columns before leave of it
SPENT = 1e-14  # of the first lambda: no correlation is left


@dataclass(frozen=True)
class AnglePath:
    """The path of one target.

    Attributes
    ----------
    alphas : array of shape (k,)
        The knots lambda / N, falling.
    columns, values : tuples of arrays
        The columns where b is not 0 at each knot, and b there.
    active : tuple of int
        The columns that correlate most at the end, in the order of their coming.
    n_iter : int
        Steps from knot to knot.
    reached : bool
        Whether the path went as far as asked.
    d : int
        Number of columns.
    gap : float or None
        The duality gap of the lasso at alpha_min, also of a walk that ended before, or
        at the last knot where that is 0; over N.  None where alpha is 0.
    spread : float
        How far the active correlations are apart at the end, relative to the first.
    objective : float
        Half the sum of squared residuals over N, and the penalty of the lasso.
    """

    alphas: Floats
    columns: tuple[Vector, ...]
    values: tuple[Floats, ...]
    active: tuple[int, ...]
    n_iter: int
    reached: bool
    d: int
    gap: float | None
    spread: float
    objective: float

    @property
    def coef(self) -> Floats:
        """Return b at the last knot, (d,)."""
        b = np.zeros(self.d)
        b[self.columns[-1]] = self.values[-1]
        return b

    @property
    def coefs(self) -> Floats:
        """Return b at all knots, (d, k)."""
        B = np.zeros((self.d, len(self.alphas)))
        for k, (columns, values) in enumerate(
            zip(self.columns, self.values, strict=True)
        ):
            B[columns, k] = values
        return B


class Factor:
    """The triangle L of G_AA = L L', grown by a column at a time."""

    def __init__(self) -> None:
        self._L = np.zeros((8, 8), order="F")
        self.k = 0

    def append(self, g: Floats, square: float) -> bool:
        """Add a column with products g (k,) and its square, unless it is dependent."""
        k = self.k
        if k == len(self._L):
            L = np.zeros((2 * k, 2 * k), order="F")
            L[:k, :k] = self._L
            self._L = L
        row = np.zeros(0)
        if k:
            row, _ = lapack.dtrtrs(self._L[:k, :k], g, lower=1)
        left = square - float(row @ row)
        if not left > DEPENDENT * square:
            return False
        self._L[k, :k], self._L[k, k] = row, np.sqrt(left)
        self.k = k + 1
        return True

    def solve(self, B: Floats) -> Floats:
        """Return G_AA^-1 B."""
        found, _ = lapack.dpotrs(self._L[: self.k, : self.k], B, lower=1)
        return found

    def remove(self, i: int) -> None:
        """Take the i-th column out, by rotations."""
        k = self.k
        if k > 1:
            _, R = qr_delete(np.eye(k), self._L[:k, :k].T, i, which="col")
            self._L[: k - 1, : k - 1] = R[: k - 1].T
        self.k = k - 1


class Walk:
    """The way from knot to knot of one target."""

    def __init__(
        self, design: Design, k: int, *, lasso: bool, positive: bool, end: float
    ) -> None:
        self.set, self.c = ColumnSet(design, k), design.c[:, k]
        self.lasso, self.positive, self.end = lasso, positive, end
        self.place: dict[int, int] = {}  # of a column in the set
        self.active: list[int] = []
        self.own: list[int] = []  # their places
        self.signs: list[float] = []
        self.factor = Factor()
        self.barred = np.zeros(len(self.c), dtype=bool)  # active, or dependent
        self.size = float((self.c if positive else np.abs(self.c)).max(initial=0.0))
        self.now = self.size  # lambda
        self.u: Floats = np.zeros(0)
        self.v: Floats = np.zeros(0)
        self.left: tuple[int, float] | None = None  # what left last, and its sign

    def enter(self, j: int, sign: float) -> bool:
        """Make a column active; say whether it could be."""
        if j not in self.place:
            self.place[j] = len(self.place)
            self.set.add(np.array([j]))
        at, row = self.place[j], self.set.gram[self.place[j]]
        self.barred[j] = True
        if not self.factor.append(row[self.own], row[at]):
            return False
        self.active.append(j)
        self.own.append(at)
        self.signs.append(sign)
        return True

    def leave(self, i: int) -> None:
        """Take the i-th active column out."""
        j, sign, _ = self.active.pop(i), self.signs.pop(i), self.own.pop(i)
        self.barred[:], self.left = False, (j, sign)
        self.barred[self.active] = True
        self.factor.remove(i)

    def aim(self) -> tuple[Floats, Floats]:
        """Solve (2), and return p and q of (3)."""
        uv: Floats = np.empty((len(self.active), 2), order="F")
        uv[:, 0], uv[:, 1] = self.c[self.active], self.signs
        uv = self.factor.solve(uv)
        self.u, self.v = uv[:, 0], uv[:, 1]
        B = np.zeros((len(self.place), 2))
        B[self.own] = uv
        P = self.set.design.along(self.set.k, self.set.columns, B)
        return self.c - P[:, 0], P[:, 1]

    def joins(self, p: Floats, q: Floats) -> tuple[float, int, float]:
        """Return the largest lambda of (4), the column and its sign."""
        best, most = (-1.0, -1, 0.0), self.now * (1 + TIE)
        for sign in (1.0,) if self.positive else (1.0, -1.0):
            slack = 1 - sign * q
            slack[(slack <= PARALLEL) | self.barred] = np.inf
            if self.left is not None and self.left[1] == sign:
                slack[self.left[0]] = np.inf
            knots = sign * p / slack
            knots[knots > most] = -1.0
            j = int(knots.argmax())
            if knots[j] > best[0] and slack[j] < np.inf:
                best = (float(knots[j]), j, sign)
        return best

    def drops(self, newest: bool) -> tuple[float, int]:
        """Return the largest lambda of (5) and the place in A, -1 for none."""
        if not self.lasso or not self.active:
            return -1.0, -1
        signs = np.array(self.signs)
        wrong = signs * self.v < 0  # b moves towards 0
        knots = np.where(wrong, self.u / np.where(wrong, self.v, 1.0), -1.0)
        if newest and not wrong[-1]:
            knots[-1] = -1.0
        knots[knots > self.now * (1 + TIE)] = -1.0
        i = int(knots.argmax())
        return float(knots[i]), i

    def at(self, value: float) -> Floats:
        """Return b_A (2)."""
        return self.u - value * self.v

    def step(self, newest: bool) -> tuple[float, int, float]:
        """Go to the next knot; return lambda and what joins there, if anything.

        A column of -1 joins nothing; -2 is the end.
        """
        p, q = self.aim()
        join, j, sign = self.joins(p, q)
        drop, i = self.drops(newest)
        knot = max(join, drop, self.end, 0.0)
        self.now = min(self.now, knot)
        b = self.at(self.now)
        self.left = None
        if knot == drop and i >= 0 and drop >= join and drop > self.end:
            b[i] = 0.0
            self.note(b)
            self.leave(i)
            return self.now, -1, 0.0
        self.note(b)
        return (self.now, j, sign) if join > self.end else (self.now, -2, 0.0)

    def note(self, b: Floats) -> None:
        """Keep b at the present knot."""
        self.columns, self.values = np.array(self.active, dtype=np.intp), b


def least_angle_path(
    design: Design,
    k: int = 0,
    *,
    lasso: bool = False,
    positive: bool = False,
    alpha_min: float = 0.0,
    most_steps: float = np.inf,
    most_columns: float = np.inf,
) -> AnglePath:
    """Compute the path of problem k from b = 0 on.

    Parameters
    ----------
    design : Design
    k : int, default=0
        The target.
    lasso : bool, default=False
        Whether columns leave where their sign would change (5).
    positive : bool, default=False
        Require b >= 0.
    alpha_min : float, default=0.0
        Where to end.
    most_steps, most_columns : float
        Ends before that, too.

    Returns
    -------
    AnglePath
    """
    n = float(design.n[k])
    walk = Walk(design, k, lasso=lasso, positive=positive, end=alpha_min * n)
    empty = np.zeros(0, dtype=np.intp)
    knots, columns = [walk.now / n], [empty]
    values: list[Floats] = [np.zeros(0)]
    steps, floor = 0, max(walk.end, SPENT * walk.size)
    start = int((walk.c if positive else np.abs(walk.c)).argmax()) if len(walk.c) else 0
    joining = (start, 1.0 if positive else float(np.sign(walk.c[start])))
    reached = walk.now <= floor
    while not reached and steps < most_steps:
        newest = joining[0] >= 0 and walk.enter(*joining)
        if not walk.active:
            reached = True
            break
        before = walk.now
        now, j, sign = walk.step(newest)
        if before - now > TIE * walk.size or not steps:
            steps += 1
            knots.append(now / n)
            columns.append(walk.columns)
            values.append(walk.values)
        else:  # two things happen at one knot
            columns[-1], values[-1] = walk.columns, walk.values
        joining, reached = (j, sign), j == -2 or now <= floor
        if len(walk.active) >= most_columns:
            reached = True
            break
    return concluded(walk, n, knots, columns, values, steps, reached)


def concluded(
    walk: Walk,
    n: float,
    knots: list[float],
    columns: list[Vector],
    values: list[Floats],
    steps: int,
    reached: bool,
) -> AnglePath:
    """Look how well (1) holds at the last knot."""
    design, k, d = walk.set.design, walk.set.k, len(walk.c)
    b, B = np.zeros(d), np.zeros(len(walk.place))
    b[columns[-1]] = values[-1]
    B[[walk.place[int(j)] for j in columns[-1]]] = values[-1]
    q = walk.c - design.along(k, walk.set.columns, B) if len(B) else walk.c
    r2 = max(0.0, float(design.y2[k]) - float(b @ (walk.c + q)))
    sizes = np.abs(q[walk.active])
    spread = float(np.ptp(sizes)) / walk.size if len(sizes) and walk.size else 0.0
    asked = walk.end if walk.lasso and walk.end > 0 else n * knots[-1]
    penalty = Penalty(asked, 1.0, walk.positive)
    penalised = walk.lasso and penalty.l1 > SPENT * walk.size
    gap = least_squares_gap(b, q, r2, penalty) / n if penalised else None
    value = r2 / 2 + (penalty.value(b) if walk.lasso else 0.0)
    return AnglePath(
        np.array(knots),
        tuple(columns),
        tuple(values),
        tuple(walk.active),
        steps,
        reached,
        d,
        gap,
        spread,
        value / n,
    )
