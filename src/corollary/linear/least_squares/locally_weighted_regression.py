"""Locally weighted regression.

It is a lazy learner with no summation form: every prediction is a fit of its own, so
the rows are kept.  Its relative that scales is a linear model on features of x, such as
splines or random features, fitted by `Ridge`.

Also known as: LWR, LWLR, LOESS, LOWESS, kernel smoothing, Nadaraya-Watson regression
(degree 0), local polynomial regression.

For a query x the weighted normal equation is solved with weights that fall with the
distance from x, w_n(x) = K(|x_n - x| / tau):

    b(x) = argmin_b sum_n w_n(x) (y_n - z_n'b)^2,    z_n = (1, x_n - x, ...)      (1)
    y^(x) = b_0(x) = sum_n l_n(x) y_n                                            (2)

z holds a constant (degree 0), the differences (1), or their products as well (2).  A
wide tau gives least squares on z, a narrow one follows every row.  K(u) is exp(-u^2/2)
(gaussian), (1 - u^3)^3 (tricube), 3/4 (1 - u^2) (epanechnikov) or 1 (uniform), the last
three for u < 1 only.

(2) is linear in y, y^ = L y, and leaving row n out of the fit at x_n leaves the weights
of the others as they are, so that with the diagonal of L

    y_n - y^_n(without n) = (y_n - y^_n) / (1 - L_nn)                            (3)
    df = tr L                                                                    (4)

and one fit at every row gives the leave-one-out error of a tau; tau='loo' takes the
best of `taus`.  Weights are taken relative to the largest, exp((min u^2 - u^2)/2), so
that a query far from all rows still has weights, those of its nearest rows.  Where
they leave the fit undetermined the shortest b is taken, which shrinks to a local mean.

Notation: X (n, d); tau = bandwidth; L the smoother's matrix.
Course: S4-8. References: Cleveland (1979); Atkeson, Moore and Schaal (1997).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.memory import block_bytes
from corollary.core.parameters import (
    array_like,
    missing,
    one_of,
    real,
    whole,
)
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor
from corollary.core.vectors import positive
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk

__all__ = ["LocallyWeightedRegression"]

BLOCK = 2**21  # numbers in one block of weights
CUT = 1e-10  # of the largest eigenvalue: a direction that the weights do not see


class LocallyWeightedRegression(RowsLearner, Regressor):
    """A linear fit at every query, with weights that fall with the distance.

    Parameters
    ----------
    tau : float or 'loo', default=1.0
        Bandwidth; 'loo' chooses among `taus` by the leave-one-out error (3).
    degree : {0, 1, 2}, default=1
        Local constant, line or parabola.
    weights : {'gaussian', 'tricube', 'epanechnikov', 'uniform'}, default='gaussian'
        K.  The last three see only rows nearer than tau, but at least one.
    taus : array, optional
        Bandwidths to choose from; by default 12 between the nearest distances of the
        rows and their spread.

    Attributes
    ----------
    X_, y_, sample_weight_ : arrays
        The rows, which every prediction needs.
    tau_ : float
    df_ : float
        Effective degrees of freedom (4).
    loo_ : float
        Mean squared leave-one-out error at `tau_`.
    taus_, loo_path_ : arrays
        What was tried, where tau was chosen.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LocallyWeightedRegression
    >>> X = np.linspace(0, 6, 61)[:, None]
    >>> model = LocallyWeightedRegression(tau=0.3).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5]]).round(2).tolist()
    [0.95]
    """

    shapes: ClassVar = {"X_": "n d", "y_": "n|n m", "sample_weight_": "n"}
    may_be_infinite = ("loo_", "loo_path_")  # where a row has no other near it
    rules: ClassVar = {
        "tau": real(0, ends="(]") | one_of("loo"),
        "degree": whole(0, 2),
        "weights": one_of("gaussian", "tricube", "epanechnikov", "uniform"),
        "taus": missing | array_like,
    }

    def __init__(
        self,
        tau: float | str = 1.0,
        *,
        degree: int = 1,
        weights: str = "gaussian",
        taus: Any = None,
    ) -> None:
        self.tau = tau
        self.degree = degree
        self.weights = weights
        self.taus = taus

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows and their weights for a query."""
        return rows * (24.0 * features + 600.0)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Keep the rows, and choose the bandwidth if asked."""
        w = np.ones(rows.n) if rows.w is None else rows.w.astype(np.float64)
        self.X_, self.y_, self.sample_weight_ = rows.X, rows.y, w
        report.stop = self._choose()
        report.objective = [self.loo_]
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["bandwidth"] = self.tau_
        report.facts["degrees_of_freedom"] = self.df_
        report.facts["n_rows_kept"] = rows.n

    def _choose(self) -> StopReason:
        """Set tau_, with its degrees of freedom and leave-one-out error.

        After Ctrl-C the choice is among the bandwidths tried so far.
        """
        stop = StopReason.CLOSED_FORM
        if self.tau != "loo":
            self.tau_ = float(self.tau)
            self.loo_, self.df_ = self._left_out(self.tau_)
            return stop
        if self.taus is None:
            self.taus_ = bandwidths(self.X_)
        else:
            self.taus_ = np.sort(positive(self, self.taus, "taus").ravel())
        if not len(self.taus_):
            must = "taus must hold at least one bandwidth"
            raise ParameterError(sentence(self, must, "none"))
        found: list[tuple[float, float]] = []
        try:
            for tau in self.taus_:
                found.append(self._left_out(float(tau)))
        except KeyboardInterrupt:
            if not found:
                raise
            stop, self.taus_ = StopReason.INTERRUPTED, self.taus_[: len(found)]
        self.loo_path_ = np.array([error for error, _ in found])
        best = int(np.argmin(self.loo_path_))
        self.tau_, (self.loo_, self.df_) = float(self.taus_[best]), found[best]
        return stop

    def _left_out(self, tau: float) -> tuple[float, float]:
        """Return the mean of the squares of (3), infinite where undefined, and (4)."""
        fits, own = self._smooth(self.X_, tau, np.arange(len(self.X_)))
        Y = self.y_.reshape(len(self.X_), -1)
        if len(Y) == 1 or (own > 1 - 1e-10).any():  # a row that only itself explains
            return np.inf, float(own.sum())
        errors = (((Y - fits) / (1 - own)[:, None]) ** 2).mean(axis=1)
        return float(np.average(errors, weights=self.sample_weight_)), float(own.sum())

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return (2) at each row.

        Parameters
        ----------
        X : array of shape (n, d)

        Returns
        -------
        array of shape (n,) or (n, m)
        """
        X = self._query(X)
        fits = self._smooth(X, self.tau_)[0].astype(X.dtype)
        return fits if self.y_.ndim == 2 else fits[:, 0]

    def smoother(self, X: Any) -> Floats:
        """Return the rows l(x) of (2): the share of every training row, (q, n).

        Parameters
        ----------
        X : array of shape (q, d)
        """
        X = self._query(X)
        return np.vstack([self._shares(block, self.tau_) for block in self._blocks(X)])

    def _blocks(self, X: Floats) -> list[Floats]:
        numbers = block_bytes(8 * BLOCK, 12) // 8
        size = max(1, numbers // (len(self.X_) * self._terms()))
        return [X[a : a + size] for a in range(0, len(X), size)]

    def _terms(self) -> int:
        d = self.n_features_in_
        return (1, 1 + d, 1 + d + d * (d + 1) // 2)[self.degree]

    def _smooth(
        self, X: Floats, tau: float, rows: Vector | None = None
    ) -> tuple[Floats, Floats]:
        """Return (2), and L_nn where the queries are training rows."""
        Y = self.y_.reshape(len(self.X_), -1).astype(np.float64)
        fits, own, first = [], [], 0
        for block in self._blocks(X):
            L = self._shares(block, tau)
            fits.append(L @ Y)
            if rows is not None:
                own.append(L[np.arange(len(block)), rows[first : first + len(block)]])
            first += len(block)
        return np.vstack(fits), np.concatenate(own) if own else np.zeros(0)

    def _shares(self, Q: Floats, tau: float) -> Floats:
        """Return l(x) for a block of queries, (q, n): solve (1) for all at once."""
        D = (self.X_[None].astype(np.float64) - Q[:, None]) / tau  # (q, n, d)
        W = falling((D**2).sum(axis=2), self.weights) * self.sample_weight_
        Z = self._local(D)  # (q, n, p)
        G = np.einsum("qn,qni,qnj->qij", W, Z, Z, optimize=True)
        scale = np.sqrt(np.einsum("qii->qi", G))
        scale[scale == 0] = 1.0
        values, V = np.linalg.eigh(G / (scale[:, :, None] * scale[:, None, :]))
        inverse = np.where(values > CUT * values[:, -1:], 1.0, 0.0)
        inverse /= np.where(values > 0, values, 1.0)
        # the first row of the (pseudo-)inverse of G, whose first scale is sqrt(sum W)
        first = np.einsum("qk,qk,qik->qi", V[:, 0], inverse, V, optimize=True)
        first = first / (scale * scale[:, :1])
        return W * np.einsum("qi,qni->qn", first, Z, optimize=True)

    def _local(self, D: Floats) -> Floats:
        """Return z of (1), (q, n, p)."""
        ones = np.ones((*D.shape[:2], 1))
        if self.degree == 0:
            return ones
        if self.degree == 1:
            return np.concatenate([ones, D], axis=2)
        i, j = np.triu_indices(D.shape[2])
        return np.concatenate([ones, D, D[:, :, i] * D[:, :, j]], axis=2)


def falling(u2: Floats, kind: str) -> Floats:
    """Return K of squared distances u^2 (q, n), relative to the nearest row's.

    The kinds of bounded reach look as far as the nearest row where that is beyond 1.
    """
    nearest = u2.min(axis=1, keepdims=True)
    if kind == "gaussian":
        return np.asarray(np.exp(-0.5 * (u2 - nearest)))
    far = nearest >= 1
    inside = np.where(far, u2 <= nearest, u2 < 1)
    u = np.sqrt(np.where(inside & ~far, u2, 0.0))
    shape = {
        "tricube": (1 - u**3) ** 3,
        "epanechnikov": 0.75 * (1 - u**2),
        "uniform": np.ones_like(u),
    }[kind]
    return np.where(inside, shape, 0.0)


def bandwidths(X: Floats, count: int = 12) -> Floats:
    """Return bandwidths between a nearest distance and the spread of the rows."""
    spread = float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).max())) or 1.0
    low = spread / max(2.0, len(X) ** (1 / X.shape[1])) / 2
    return np.geomspace(low, 2 * spread, count)
