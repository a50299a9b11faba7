"""Fisher's linear discriminant, in summation form.

Also known as: Fisher LDA, Fisher's criterion, multiple discriminant analysis, MDA,
Fisherfaces, mean-difference classifier.

Project rows on the direction along which the class means lie far apart compared with
the spread within the classes:

    J(v) = v'B v / v'W v                                                         (1)

W gathers the spread within the classes, B that between their means, either as scatters

    W = sum_c S_c,             B = sum_c n_c (m_c - m)(m_c - m)'                 (2)

or with every class counted alike whatever its size, W = 1/k sum_c S_c / n_c and B =
1/k sum_c (m_c - m)(m_c - m)' with m the mean of the m_c                         (3)

or, as some textbooks write the pencil, with m the mean of all rows,

    W = sum_c S_c / n_c,       B = 1/k sum_c (m_c - m)(m_c - m)'                 (3')

which for k > 2 classes of different sizes has other axes than (2) and (3).  The
mean-difference classifier takes the covariance of all rows about their mean,

    W = sum_i (x_i - m)(x_i - m)',   B as in (2),   v ~ W^-1 (m_1 - m_0)         (3'')

with the axes of (2) where W is regular, and J / (1 + J) for J.  It has rank n - 1 at
most: with fewer rows than features it is singular, and its range holds the means.

J has its stationary points at the solutions of  B v = J W v                     (4)
real and >= 0, at most k - 1 of them positive.  With v'(W/n)v = 1 in (2), v'Wv = 1 in
(3) and (3'), the nearest projected mean is the nearest in Mahalanobis' distance.  Two
classes: v ~ W^-1 (m_1 - m_0), the direction of linear discriminant analysis and of
least squares on labels -1 and +1; only the intercept of v'x + b is still to be chosen:

    'centres'   b = -v'(m_0 + m_1)/2, the nearest projected mean                 (5)
    'errors'    the b of fewest training errors, by a sweep over sorted scores

A singular W is inverted on its range (PCA first), or regularised by shrinkage.

Notation: v = directions_ (columns); J = criterion_; m = means_.
Course: S0-38, S1-12, S1-31, S2-10, S2-11, S2-13, S3-50, S3-51.
References: Fisher (1936); Duda, Hart, Stork (2001), ch. 3.8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_of
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import missing, one_of, real, whole
from corollary.core.report import Optimality, Report
from corollary.core.roles import Projecting
from corollary.discriminants.covariances import check_classes
from corollary.discriminants.gaussian_rule import GaussianRule, Quadratic
from corollary.discriminants.intercept import best_intercept
from corollary.discriminants.shrinkage import shrunk
from corollary.distributions.covariance import diagnose
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner
from corollary.engine.classes import (
    ClassScatters,
    WithinScatter,
    WithinTriangle,
    between,
)
from corollary.linear_algebra.decompositions import eigh, svd

__all__ = ["FisherDiscriminant", "rayleigh_quotient"]


@dataclass(frozen=True)
class Directions:
    """The state: means, the solutions of (4), and the intercept."""

    k: int
    d: int
    dtype: Any
    wide: bool = False  # fewer rows than features: W is known by its root
    means: Any = None  # (k, d)
    W: Any = None  # (d, d), None where wide
    V: Any = None  # (d, r)
    J: Any = None  # (r,)
    rank: int = 0
    ranged: float = np.inf  # condition of W on its range
    b: Any = None  # of two classes


class FisherDiscriminant(SummationLearner, Projecting, GaussianRule):
    """Fisher's linear discriminant: a projection, and the rule on it.

    Parameters
    ----------
    n_components : int, optional
        Directions to keep, at most min(k - 1, d), which is the default.
    weighting : {'rows', 'classes', 'grand_mean', 'total'}, default='rows'
        Scatters (2); every class counted alike (3); alike, about the mean of all rows
        (3'); or the covariance of all rows in the place of W (3'').
    shrinkage : float in [0, 1], default=0.0
        Mix W with a sphere of the same total.
    intercept : {'centres', 'errors'}, default='centres'
        How two classes are told apart on their direction (5); 'errors' sorts the
        scores of all rows, which must be in memory.

    Attributes
    ----------
    classes_ : array of shape (k,)
    directions_ : array of shape (d, n_components)
    criterion_ : array of shape (n_components,)
        J along each direction.
    means_ : array of shape (k, d)
    coef_ : array of shape (1, d)
        First direction, for two classes, towards the second of them.
    intercept_ : array of shape (1,)
        For two classes.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import FisherDiscriminant, datasets
    >>> table = datasets.fisher_points()
    >>> model = FisherDiscriminant().fit(table.X, table.y)
    >>> model.score(table.X, table.y), model.criterion_.round(3).tolist()
    (1.0, [4.605])
    """

    shapes: ClassVar = {"classes_": "k", "means_": "k d", "directions_": "d q"}
    rules: ClassVar = {
        "n_components": missing | whole(1),
        "weighting": one_of("rows", "classes", "grand_mean", "total"),
        "shrinkage": real(0, 1),
        "intercept": one_of("centres", "errors"),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        weighting: str = "rows",
        shrinkage: float = 0.0,
        intercept: str = "centres",
    ) -> None:
        self.n_components = n_components
        self.weighting = weighting
        self.shrinkage = shrinkage
        self.intercept = intercept

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Directions:
        """Check what was asked for."""
        k, d = len(self.classes_), data.source.n_features
        rows = self.weighting in ("rows", "total")
        wide = rows and not self.shrinkage and data.few_rows <= d
        check_classes(self, data, matrices=1 if rows else k, rows=wide)
        most = min(k - 1, d)
        if self.n_components is not None and self.n_components > most:
            must = f"n_components must be at most min(k - 1, d) = {most}"
            raise ParameterError(sentence(self, must, f"{self.n_components}"))
        if self.intercept == "errors" and (k > 2 or not data.source.in_memory):
            must = "intercept='errors' needs two classes and all rows in memory"
            came = f"{k} classes, {data.source.described}"
            raise ParameterError(sentence(self, must, came, "Use 'centres'."))
        return Directions(k, d, data.source.dtype, wide)

    def statistics(
        self, chunk: Chunk, state: Directions
    ) -> WithinScatter | WithinTriangle | ClassScatters:
        """Take the chunk's scatter, within all classes or of each."""
        if state.wide:
            return WithinTriangle.of(chunk.X, chunk.y, chunk.w, state.k)
        by_class = self.weighting in ("classes", "grand_mean")
        kind = ClassScatters if by_class else WithinScatter
        return kind.of(chunk.X, chunk.y, chunk.w, state.k)

    def update(self, s: Any, state: Directions) -> Directions:
        """Solve (4) on the range of W."""
        shares, centre, W, values, U = self._pencil(s, state)
        kept = values > state.d * 1e-14 * max(float(values[-1]), 0.0)
        if not kept.any():
            must = "some feature must vary within a class"
            raise DataError(sentence(self, must, "classes of equal rows"))
        whiten = U[:, kept] / np.sqrt(values[kept])
        away = (s.mean - centre) @ whiten  # B = away' diag(shares) away
        J, Q = eigh((away * shares[:, None]).T @ away)
        most = self.n_components or min(state.k - 1, state.d)
        J, V = np.maximum(J[::-1], 0.0), (whiten @ Q)[:, ::-1]
        if self.weighting == "total":
            V = untied(J, V)
        J, V = J[:most], V[:, :most]
        V = V * facing(s.mean, V)
        b = -float(V[:, 0] @ s.mean.mean(axis=0)) if state.k == 2 else None  # (5)
        ranged = float(values[-1] / values[kept][0])
        rank = int(kept.sum())
        return replace(
            state, means=s.mean, W=W, V=V, J=J, rank=rank, ranged=ranged, b=b
        )

    def settle(self, data: Data, state: Directions) -> Settled:
        """Sweep over the scores for the intercept of fewest errors."""
        if self.intercept != "errors":
            return Settled(state)
        h, y, w = data.rows(partial(scored, v=state.V[:, 0]))
        return Settled(replace(state, b=best_intercept(h, y, w).b))

    def account(self, state: Directions, report: Report) -> None:
        """Report rank and conditioning of W."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        report.facts |= {"rank_within": state.rank, "n_features": state.d}
        if state.rank < state.d:
            which = "fewer rows than features"
            if not state.wide:
                which = diagnose(state.W).blame(names_of(self))
            report.condition = np.inf
            scatter = "within the classes"
            if self.weighting == "total":
                scatter = "of all rows"
            report.warnings.append(
                f"the scatter {scatter} is singular ({which}). It was inverted on its "
                f"range, of condition {state.ranged:.3g}; shrinkage > 0 avoids that."
            )
        else:
            report.condition = float(np.linalg.cond(state.W))

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Directions = fitted.state
        self.means_ = state.means.astype(state.dtype)
        self.directions_ = np.ascontiguousarray(state.V, dtype=state.dtype)
        self.criterion_ = state.J
        self._n_features_out = state.V.shape[1]
        if state.k == 2:
            self.coef_ = state.V[:, :1].T.astype(state.dtype)
            self.intercept_ = np.array([state.b], dtype=state.dtype)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Project rows on the directions, (n, n_components)."""
        X = self._query(X, self._n_features_out)
        return X @ self.directions_.astype(X.dtype)

    def _pencil(self, s: Any, state: Directions) -> tuple[Any, ...]:
        """Return weights and centre of the means in B, W, and W's eigensystem."""
        n = s.n.sum()
        shares = s.n / n
        centre = shares @ s.mean  # of all rows
        if state.wide:
            root = s.R
            if self.weighting == "total":
                root = np.vstack([root, np.sqrt(s.n)[:, None] * (s.mean - centre)])
            _, lengths, rows = svd(root, full_matrices=False)
            return shares, centre, None, lengths[::-1] ** 2 / n, rows[::-1].T
        if self.weighting == "rows":
            W = s.within() / n
        elif self.weighting == "total":
            W = (s.within() + between(s.n, s.mean)) / n  # (3'')
        else:
            W = (s.S / s.n[:, None, None]).sum(axis=0)
            shares = np.full(state.k, 1 / state.k)
            if self.weighting == "classes":
                W, centre = W / state.k, shares @ s.mean  # (3)
        W = shrunk(W, self.shrinkage)
        return shares, centre, W, *eigh(W)

    def _scores(self, X: Matrix) -> Floats:
        """Return v'x + b against 0, or half the squared distances to means, negated."""
        V = self.directions_.astype(X.dtype)
        if len(self.classes_) == 2:
            z = X @ V + self.intercept_.astype(X.dtype)
            return np.hstack([np.zeros_like(z), z])
        centres = self.means_.astype(X.dtype) @ V
        return X @ V @ centres.T - 0.5 * (centres**2).sum(axis=1)

    def _quadratic(self, c: int) -> Quadratic:
        if len(self.classes_) == 2:
            return Quadratic(None, c * self.coef_[0], c * float(self.intercept_[0]))
        centre = self.means_[c] @ self.directions_
        return Quadratic(None, self.directions_ @ centre, float(-0.5 * centre @ centre))


def rayleigh_quotient(v: Any, X: Any, y: Any) -> float:
    """Return J(v) (1) with the scatters (2): between over within classes.

    Parameters
    ----------
    v : array of shape (d,)
    X : array of shape (n, d)
    y : array of shape (n,)

    Examples
    --------
    >>> rayleigh_quotient([1.0], [[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
    4.0
    """
    z = np.asarray(X, dtype=np.float64) @ np.asarray(v, dtype=np.float64)
    groups = [z[np.asarray(y) == c] for c in np.unique(y)]
    within = sum(float(((g - g.mean()) ** 2).sum()) for g in groups)
    apart = sum(len(g) * float((g.mean() - z.mean()) ** 2) for g in groups)
    return apart / within


def scored(chunk: Chunk, v: Floats) -> tuple[Vector, Vector, Vector]:
    """Return score, class and weight of each row."""
    w = np.ones(chunk.n) if chunk.w is None else chunk.w
    return chunk.X @ v, chunk.y, w


def untied(J: Floats, V: Floats) -> Floats:
    """Turn directions that all have J = 1 so that they are orthogonal, shortest first.

    Fewer rows than features have as many of these as they have classes, less one.
    """
    tied = np.flatnonzero(J > 1 - 1e-9)
    if len(tied) < 2:
        return V
    V = V.copy()
    V[:, tied] = V[:, tied] @ eigh(V[:, tied].T @ V[:, tied])[1]
    return V


def facing(means: Floats, V: Floats) -> Floats:
    """Return signs that point each direction towards the last class."""
    return np.where((means[-1] - means[0]) @ V < 0, -1.0, 1.0)
