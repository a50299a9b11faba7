"""Decision surfaces: the explicit equation of a boundary between two classes.

Also known as: decision boundary, separating conic, discriminant surface.
Related words: discriminant function.

A Gaussian class has a quadratic discriminant, and two of them are equal on a quadric

    g(x) = x'A x + b'x + c,   f(x) = g_1(x) - g_2(x) = x'A x + b'x + c = 0       (1)

positive on the side of the first class.  Equal covariances make A = 0: a point, a line,
a plane.  On a line (1) has at most two roots; in the plane it is a conic, told by

    delta = det A,   Delta = det [[A, b/2], [b'/2, c]]                           (2)

delta > 0 an ellipse, < 0 a hyperbola, = 0 a parabola; Delta = 0 the degenerate ones: a
point, crossing lines, parallel lines.  Two conics meet where the resultant in x_2 of
their equations, of degree 4 in x_1, vanishes                                    (3)

Notation: A (d, d) symmetric; b (d,); c a number.
Course: S0-9, S2-5, S3-19. Reference: Duda, Hart, Stork (2001), ch. 2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import polynomial as poly

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable

__all__ = ["Surface", "intersections"]

FLAT = 1e-12  # relative to the largest coefficient: what counts as 0


@readable
@dataclass(frozen=True)
class Surface:
    """The set where x'A x + b'x + c = 0, with its two sides.

    Attributes
    ----------
    A : array of shape (d, d)
    b : array of shape (d,)
    c : float

    Examples
    --------
    >>> import numpy as np
    >>> circle = Surface(-np.eye(2), np.zeros(2), 4.0)
    >>> circle.kind, circle([[0.0, 0.0], [3.0, 0.0]]).tolist()
    ('ellipse', [4.0, -5.0])
    """

    A: Floats
    b: Floats
    c: float

    def __call__(self, X: Matrix) -> Floats:
        """Return f(x) of each row (1): positive on the side of the first class."""
        X = np.asarray(X, dtype=np.float64)
        return np.einsum("ni,ij,nj->n", X, self.A, X) + X @ self.b + self.c

    @property
    def d(self) -> int:
        """Number of features."""
        return len(self.b)

    @property
    def linear(self) -> bool:
        """Tell whether A = 0, up to rounding."""
        return bool(np.abs(self.A).max() <= FLAT * max(1.0, np.abs(self.b).max()))

    @property
    def kind(self) -> str:
        """Name the surface: 'line', 'ellipse', 'hyperbola', ... (2)."""
        if self.linear:
            flat = not self.b.any()
            names = {1: "point", 2: "line", 3: "plane"}
            return "nowhere" if flat else names.get(self.d, "hyperplane")
        if self.d == 1:
            return ("no point", "one point", "two points")[len(self.roots())]
        return conic(self.A, self.b, self.c) if self.d == 2 else "quadric"

    def roots(self) -> Floats:
        """Return the points of the boundary on a line (d = 1), rising."""
        self._needs(1)
        found = poly.polyroots([self.c, self.b[0], self.A[0, 0]][: 3 - self.linear])
        real = np.abs(found.imag) <= 1e-9 * np.maximum(1.0, np.abs(found))
        return np.unique(np.sort(found[real].real))

    def intervals(self) -> list[tuple[float, float]]:
        """Return where the first class is decided on a line (d = 1)."""
        ends = np.concatenate([[-np.inf], self.roots(), [np.inf]])
        inside = [middle(a, b) for a, b in pairwise(ends)]
        first = self(np.array(inside)[:, None]) > 0
        pairs = zip(pairwise(ends.tolist()), first, strict=True)
        return [pair for pair, yes in pairs if yes]

    def equation(self, names: Sequence[str] | None = None, digits: int = 4) -> str:
        """Write (1) in words.

        >>> import numpy as np
        >>> Surface(np.zeros((2, 2)), np.array([1.0, 4 / 3]), -47 / 6).equation()
        '1 x1 + 1.333 x2 - 7.833 = 0'
        """
        names = names or [f"x{j + 1}" for j in range(self.d)]
        terms = []
        if not self.linear:
            terms += [(self.A[i, i], f"{names[i]}^2") for i in range(self.d)]
            terms += [
                (2 * self.A[i, j], f"{names[i]} {names[j]}")
                for i in range(self.d)
                for j in range(i + 1, self.d)
            ]
        terms += [(self.b[j], names[j]) for j in range(self.d)]
        terms += [(self.c, "")]
        text = " ".join(
            f"{'-' if value < 0 else '+'} {abs(value):.{digits}g} {name}".strip()
            for value, name in terms
            if value
        )
        return f"{text.removeprefix('+ ') or '0'} = 0"

    def _needs(self, d: int) -> None:
        if self.d != d:
            must = f"the number of features must be {d}"
            raise DataError(sentence("Surface", must, f"{self.d}"))


def middle(a: float, b: float) -> float:
    """Return a point of an interval that may be unbounded."""
    if np.isinf(a):
        return b - 1.0 if np.isfinite(b) else 0.0
    return a + 1.0 if np.isinf(b) else (a + b) / 2


def conic(A: Floats, b: Floats, c: float) -> str:
    """Tell which conic x'A x + b'x + c = 0 is (2)."""
    size = np.abs(A).max()
    A, b, c = A / size, b / size, c / size
    whole = np.block([[A, b[:, None] / 2], [b[None, :] / 2, np.array([[c]])]])
    delta, Delta = np.linalg.det(A), np.linalg.det(whole)
    scale = max(1.0, np.abs(whole).max()) ** 3
    flat = abs(Delta) <= 1e-10 * scale
    if abs(delta) <= 1e-10:
        return "parallel lines" if flat else "parabola"
    if delta < 0:
        return "crossing lines" if flat else "hyperbola"
    if flat:
        return "one point"
    return "ellipse" if Delta * np.trace(A) < 0 else "nowhere"


def intersections(first: Surface, second: Surface) -> Floats:
    """Return the points of the plane that two boundaries share, (m, 2).

    Parameters
    ----------
    first, second : Surface
        Of two features; lines meet in one point at most, conics in four.

    Examples
    --------
    >>> import numpy as np
    >>> flat = np.zeros((2, 2))
    >>> up = Surface(flat, np.array([1.0, 0.0]), -2.0)
    >>> across = Surface(flat, np.array([0.0, 1.0]), 3.0)
    >>> intersections(up, across).tolist()
    [[2.0, -3.0]]
    """
    first._needs(2)
    second._needs(2)
    if first.linear and second.linear:
        B = np.array([first.b, second.b])
        if abs(np.linalg.det(B)) <= FLAT * np.abs(B).max() ** 2:
            return np.empty((0, 2))
        return np.linalg.solve(B, [-first.c, -second.c])[None, :]
    p, q = _in_x2(first), _in_x2(second)
    found = []
    for x1 in _real_roots(_resultant(p, q)):
        for x2 in _real_roots(np.array([poly.polyval(x1, part) for part in p])):
            point = np.array([[x1, x2]])
            size = 1.0 + np.abs(point).max() ** 2
            if abs(second(point)[0]) <= 1e-6 * size * _largest(second):
                found.append(point[0])
    return _distinct(found)


def _in_x2(f: Surface) -> list[Floats]:
    """Return f as a polynomial in x_2 whose coefficients are polynomials in x_1."""
    return [
        np.array([f.c, f.b[0], f.A[0, 0]]),
        np.array([f.b[1], 2 * f.A[0, 1]]),
        np.array([f.A[1, 1]]),
    ]


def _resultant(p: list[Floats], q: list[Floats]) -> Floats:
    """Return the polynomial in x_1 that vanishes where both have a common root (3)."""

    def cross(i: int, j: int) -> Floats:
        return poly.polysub(poly.polymul(p[i], q[j]), poly.polymul(p[j], q[i]))

    return poly.polysub(
        poly.polymul(cross(2, 0), cross(2, 0)), poly.polymul(cross(2, 1), cross(1, 0))
    )


def _real_roots(coefficients: Floats) -> list[float]:
    kept = np.trim_zeros(
        np.where(
            np.abs(coefficients) <= FLAT * np.abs(coefficients).max(), 0, coefficients
        ),
        "b",
    )
    if len(kept) < 2:
        return []
    roots = poly.polyroots(kept)
    real = np.abs(roots.imag) <= 1e-7 * np.maximum(1.0, np.abs(roots))
    return roots[real].real.tolist()


def _largest(f: Surface) -> float:
    return float(max(np.abs(f.A).max(), np.abs(f.b).max(), abs(f.c)))


def _distinct(points: list[Floats]) -> Floats:
    kept: list[Floats] = []
    for point in points:
        near = 1e-5 * (1.0 + np.abs(point).max())
        if all(np.abs(point - other).max() > near for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 2)
