"""Hypothesis classes: rules that cut points in two, each with a maker of witnesses.

Also known as: concept classes, families of sets, range spaces.

A class C holds rules h: x -> 0 or 1.  For points x_1 .. x_m and labels y_1 .. y_m

    witness(points, labels) = parameters of some h in C with h(x_i) = y_i, all i     (1)

or None where no rule of the class has these labels; then `refutation` says why, with
what proves it where the class knows a proof: a pattern, a point inside, a point that
two convex hulls share.  `predict(parameters, points)` applies a rule.

A new class writes `construct` and `classify`; the rest has defaults.  Whether a point
on the boundary of a rule is inside is the class's own matter and is said there.

Notation: P (m, n) points; y (m,) labels 0, 1; d = vc_dimension.
Course: S0-54, S0-55. Reference: Kearns and Vazirani (1994), ch. 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite
from corollary.core.errors import DataError, sentence
from corollary.core.hooks import hook
from corollary.core.vectors import numbers, rows_of

__all__ = ["HypothesisClass", "Patterns", "Refutation"]

MOST_PATTERNS = 2**18  # labellings that are listed at most


@dataclass(frozen=True)
class Refutation:
    """Why no rule of a class has some labels.

    Attributes
    ----------
    labels : tuple of int
        The labelling that is impossible, 0 or 1 for each point.
    reason : str
        The proof in words.
    rows : tuple of int
        Numbers of the points that the proof rests on.
    weights : tuple of float
        For halfspaces: weights of `rows` that make both classes meet (empty
        otherwise).
    common_point : tuple of float
        The point that both convex hulls share (empty otherwise).
    """

    labels: tuple[int, ...]
    reason: str
    rows: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()
    common_point: tuple[float, ...] = ()

    def __str__(self) -> str:
        signs = "".join("+" if one else "-" for one in self.labels)
        return f"{signs} is impossible: {self.reason}"


@dataclass(frozen=True)
class Patterns:
    """Distinct labellings of some points, and the parameters of a rule for each."""

    vectors: Vector  # (K, m) of 0 and 1
    parameters: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{len(self.parameters)} labellings of {self.vectors.shape[1]} points"


class HypothesisClass(ABC):
    """A class of rules that label points 0 or 1.

    Subclasses write `construct` and `classify`.

    Examples
    --------
    >>> from corollary.theory import Intervals
    >>> Intervals().witness([1.0, 2.0, 3.0], [0, 1, 1])
    ((2.0, 3.0),)
    >>> print(Intervals().refutation([1.0, 2.0, 3.0], [1, 0, 1]))
    +-+ is impossible: 2 runs of positives need 2 intervals, and the class has 1
    """

    n_features: int | None = None  # of a point; None takes any number

    # -- what a class writes -------------------------------------------------------
    @abstractmethod
    def construct(self, P: Any, y: Vector) -> Any:
        """Return the parameters of a rule with labels y on P, or None."""

    @abstractmethod
    def classify(self, parameters: Any, P: Any) -> Vector:
        """Return the labels that a rule gives to P, as booleans."""

    @hook
    def explain(self, P: Any, y: Vector) -> Refutation:
        """Say why `construct` found no rule."""
        return Refutation(labels_of(y), "no rule of the class has these labels")

    @hook
    def impossible(self, P: Any) -> Refutation | None:
        """Return a labelling that a theorem rules out, without a search, if one does.

        None says nothing: the points may be shattered or not.
        """
        return None

    @hook
    def shattered_points(self, m: int) -> Any:
        """Return m points that the class shatters, or None where it knows none."""
        return None

    @hook
    def dimension(self) -> float | None:
        """Return the VC dimension where a theorem gives it: a number, perhaps inf."""
        return None

    @hook
    def points(self, points: Any) -> Any:
        """Return points as rows of finite numbers."""
        P = rows_of(self, numbers(self, points, "points"), self.n_features)
        if not len(P):
            raise DataError(sentence(self, "points must hold one or more", "none"))
        check_finite(self, P)
        return P

    @hook
    def patterns(self, P: Any) -> Patterns:
        """List every labelling of P that some rule has.

        A labelling of the first i + 1 points is possible only where that of the first i
        is, so that impossible beginnings are not followed.
        """
        found: list[tuple[tuple[int, ...], Any]] = [((), None)]
        for i in range(len(P)):
            longer = []
            for labels, _ in found:
                for label in (0, 1):
                    y = np.array([*labels, label])
                    parameters = self.construct(P[: i + 1], y)
                    if parameters is not None:
                        longer.append(((*labels, label), parameters))
            found = longer
            check_number(self, len(found))
        vectors = np.array([labels for labels, _ in found]).reshape(-1, len(P))
        return Patterns(vectors, tuple(parameters for _, parameters in found))

    # -- what users call -----------------------------------------------------------
    @property
    def vc_dimension(self) -> float | None:
        """The VC dimension where a theorem gives it, else None; infinity is inf."""
        return self.dimension()

    def witness(self, points: Any, labels: Any) -> Any:
        """Return the parameters of a rule that labels the points so, or None (1).

        Parameters
        ----------
        points : array of shape (m, n)
        labels : array of shape (m,)
            Two labels: 0 or -1 or False, and 1 or True.

        Returns
        -------
        parameters, or None
        """
        P, y = self._pair(points, labels)
        return None if contradiction(P, y) else self.construct(P, y)

    def refutation(self, points: Any, labels: Any) -> Refutation | None:
        """Return why no rule labels the points so; None where some rule does.

        Parameters
        ----------
        points, labels
            As in `witness`.

        Returns
        -------
        Refutation, or None
        """
        P, y = self._pair(points, labels)
        twice = contradiction(P, y)
        if twice is not None:
            return twice
        return None if self.construct(P, y) is not None else self.explain(P, y)

    def predict(self, parameters: Any, points: Any) -> Vector:
        """Return the labels that a rule gives, 0 or 1.

        Parameters
        ----------
        parameters
            As `witness` returns them.
        points : array of shape (m, n)

        Returns
        -------
        array of shape (m,)
        """
        return self.classify(parameters, self.points(points)).astype(np.int64)

    def _pair(self, points: Any, labels: Any) -> tuple[Any, Vector]:
        P = self.points(points)
        y = np.asarray(labels)
        if y.shape != (len(P),) or y.dtype.kind not in "biuf":
            must = f"labels must hold 0 or 1 for each of {len(P)} points"
            raise DataError(sentence(self, must, f"shape {y.shape} of {y.dtype}"))
        if not np.isin(y, (-1, 0, 1)).all() or (np.isin(-1, y) and np.isin(0, y)):
            must = "labels must be 0 and 1, or -1 and 1"
            raise DataError(sentence(self, must, f"{np.unique(y)[:5].tolist()}"))
        return P, (y > 0).astype(np.int64)


def labels_of(y: Vector) -> tuple[int, ...]:
    """Return labels as plain numbers."""
    return tuple(int(one) for one in y)


def contradiction(P: Any, y: Vector) -> Refutation | None:
    """Refute labels that differ on a point that is given twice."""
    first: dict[Any, int] = {}
    for i, row in enumerate(np.asarray(P)):
        key = tuple(np.atleast_1d(row).tolist())
        j = first.setdefault(key, i)
        if y[i] != y[j]:
            reason = f"points {j} and {i} are the same"
            return Refutation(labels_of(y), reason, (j, i))
    return None


def repeated(P: Any) -> Refutation | None:
    """Refute a set in which a point stands twice: its copies cannot differ."""
    seen: set[Any] = set()
    for i, row in enumerate(np.asarray(P)):
        key = tuple(np.atleast_1d(row).tolist())
        if key in seen:
            return contradiction(P, (np.arange(len(P)) == i).astype(np.int64))
        seen.add(key)
    return None


def check_number(who: object, number: int) -> None:
    """Refuse to list more labellings than memory and patience allow."""
    if number > MOST_PATTERNS:
        must = f"the points must have at most {MOST_PATTERNS} labellings"
        raise DataError(sentence(who, must, f"{number} or more", "Use fewer points."))


def lattice(n: int, degree: int) -> Floats:
    """Return the points of whole coordinates >= 0 whose sum is at most a degree."""
    points: list[tuple[int, ...]] = [()]
    for _ in range(n):
        points = [(*p, k) for p in points for k in range(degree - sum(p) + 1)]
    return np.array(points, dtype=np.float64)
