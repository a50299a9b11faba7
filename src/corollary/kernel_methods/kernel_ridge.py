"""Kernel ridge regression.

Also known as: KRR, regularisation network, least-squares support vector regression,
the posterior mean of a Gaussian process, kriging, regularised least squares.

In the feature space of a kernel k minimise over h, and over b with an intercept,

    sum_i w_i (y_i - h(x_i) - b)^2 + alpha ||h||^2                               (1)

The minimiser is h = sum_i a_i k(., x_i), and setting the derivatives to 0 gives

    (K + alpha W^-1) a + b 1 = y,    and with an intercept  1'a = 0              (2)

The course's forms are (2) with other names of alpha: lambda/2 ||h||^2 + 1/n sum r^2 has
alpha = n lambda / 2;  1/2 ||h||^2 + C/2 ||xi||^2 has alpha = 1/C, and its residuals are
xi = a/C, as alpha a_i = w_i r_i in general.  Coefficients that differ by a vector of
ker K are the same function: alpha > 0 makes (2) the choice that is unique.  With none,
(2) may have no solution where K is singular; (4), which then drops the directions with
L = 0, has the least squares (1).

    Cholesky     v = (K + alpha W^-1)^-1 y,  z = (K + alpha W^-1)^-1 1,
                 b = 1'v / 1'z,  a = v - b z                                     (3)
    Eigenvectors with S = W^1/2, s = S 1, P = I - s s'/(s's) (I without intercept) and
                 P S K S P = U L U', every alpha at once:
                 a = S U (L + alpha)^-1 U' P S y                                 (4)

from which the smoother H, y^ = H y, has in the coordinates of S

    degrees of freedom   tr H = sum_j L_j / (L_j + alpha)  (+ 1 with intercept)  (5)
    leave-one-out        y_i - y^_(-i) = r_i / (1 - H_ii), exact                 (6)

A row is left out of (6) with all its weight.  With the linear kernel (1) is `Ridge`.

Notation: a = dual_coef_; b = intercept_; x_i = X_fit_; w = sample_weight.
Course: S0-33, S2-40. References: Saunders, Gammerman and Vovk (1998); Hastie,
Tibshirani and Friedman (2009), 5.8 and 7.10; Allen (1974), PRESS.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import block_bytes, exceeds_memory
from corollary.core.parameters import array_like, boolean, one_of, real, whole
from corollary.core.records import readable
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor
from corollary.engine.data import Data
from corollary.engine.rows_learner import gather
from corollary.engine.sources.opening import open_source
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import (
    FeatureSpaceLearner,
    expanded,
    kept_rows,
)
from corollary.kernels.kernel_problem import expansion_problem
from corollary.kernels.machine_kernel import SPACE_RULES, TrainingRows, warn_of_kernel
from corollary.linear_algebra.decompositions import eigh
from corollary.objectives.losses import Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers import shifted_system
from corollary.solvers.convex_problem import (
    WHO,
    Box,
    ConvexProblem,
    LinearStatement,
    Problems,
    inverse,
    refuse,
    unbounded,
)

__all__ = ["KernelRidge", "RidgePath"]

PIVOTS = 600  # rows of the preconditioner


@readable
@dataclass(frozen=True)
class RidgePath:
    """Solutions for many alphas, and what they would do on new rows.

    Attributes
    ----------
    alphas : array of shape (m,)
    dual_coef : array of shape (m, n) or (m, n, t)
    intercept : array of shape (m,) or (m, t)
    loo : array of shape (m, n) or (m, n, t)
        Predictions of each row by the fit to the others (6).
    loo_error : array of shape (m,)
        Their weighted mean squared error.
    degrees_of_freedom : array of shape (m,)
        (5).
    """

    alphas: Floats
    dual_coef: Floats
    intercept: Floats
    loo: Floats
    loo_error: Floats
    degrees_of_freedom: Floats

    @property
    def best(self) -> float:
        """The alpha of the least leave-one-out error."""
        return float(self.alphas[int(self.loo_error.argmin())])


class KernelRidge(FeatureSpaceLearner, Regressor):
    """Ridge regression in the feature space of a kernel.

    Parameters
    ----------
    alpha : float or array of shape (t,), default=1.0
        Price of ||h||^2 in (1), for each target if there are several.
    kernel : str or function, default='linear'
        'linear', 'poly', 'rbf', 'sigmoid', 'laplacian', 'cosine', 'chi2',
        'additive_chi2', 'precomputed', or a function of two sets of rows (or of two
        rows).
    gamma : float, 'scale', 'auto' or None
        Of 'rbf', 'poly', 'sigmoid', 'laplacian' and 'chi2'; None and 'auto' are 1 / d
        (1 for 'chi2'), 'scale' is 1 / (d Var X).
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        More arguments of a kernel that is a function.
    fit_intercept : bool, default=False
        Whether (1) has a b, which is not penalised.
    solver : {'auto', 'cholesky', 'eigen', 'cg'}, default='auto'
        (3), (4), or conjugate gradients that never hold K; 'auto' takes 'eigen' for
        several alphas and 'cg' where K does not fit in memory.
    tol : float, default=1e-10
        Relative residual at which 'cg' stops.
    max_iter : int, default=1000
        Steps of 'cg'.

    Attributes
    ----------
    dual_coef_ : array of shape (n,) or (n, t)
    intercept_ : float or array of shape (t,)
        0 without an intercept.
    X_fit_ : array or CSR of shape (n, d)
        The training rows, which prediction needs: a model file holds them.
    gamma_ : float
    n_iter_ : int
        Steps of the solver.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelRidge
    >>> X = np.linspace(0, 3, 7)[:, None]
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.25]]).round(2).tolist(), round(float(np.sin(1.25)), 2)
    ([0.95], 0.95)
    """

    shapes: ClassVar = {"dual_coef_": "n|n t", "X_fit_": "n d|0 0"}
    rules: ClassVar = {
        "alpha": real(0) | array_like,
        **SPACE_RULES,
        "fit_intercept": boolean,
        "solver": one_of("auto", "cholesky", "eigen", "cg"),
        "tol": real(0),
        "max_iter": whole(1),
    }

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int = 1000,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2)."""
        Y = rows.y.reshape(rows.n, -1).astype(np.float64)
        alpha = self._alpha(Y.shape[1])
        data = kept_rows(self, rows)
        route = self._route(data.n, alpha)
        if route == "eigen":
            A, b = self._by_eigenvectors(data, Y, alpha, report)
        else:
            A, b = self._by_system(data, Y, float(alpha[0]), route, report)
        dtype, one = data.X.dtype, rows.y.ndim == 1
        self.dual_coef_ = (A[:, 0] if one else A).astype(dtype)
        self.intercept_ = float(b[0]) if one else b.astype(dtype)
        self.n_iter_ = report.passes
        report.facts["n_rows_kept"] = data.n
        warn_of_kernel(data, report)

    def _alpha(self, targets: int) -> Floats:
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64)).ravel()
        if len(alpha) not in (1, targets):
            must = f"alpha must be one number or one for each of the {targets} targets"
            raise DataError(sentence(self, must, f"{len(alpha)} numbers"))
        if not (alpha >= 0).all():
            raise ParameterError(sentence(self, "alpha must be >= 0", f"{alpha.min()}"))
        return alpha

    def _route(self, n: int, alpha: Floats) -> str:
        several = len(np.unique(alpha)) > 1
        if self.solver != "auto":
            if self.solver in ("cg", "cholesky") and several:
                must = f"solver={self.solver!r} takes one alpha for all targets"
                remedy = "Use solver='eigen'."
                raise ParameterError(sentence(self, must, f"{len(alpha)}", remedy))
            if self.solver == "cg" and not alpha[0] > 0:
                must = "solver='cg' needs alpha > 0"
                raise ParameterError(sentence(self, must, f"{alpha[0]:g}"))
            return self.solver
        if several:
            return "eigen"
        dense = self.kernel == "precomputed" or not alpha[0] > 0
        return "cholesky" if dense or not exceeds_memory(12.0 * n**2) else "cg"

    def _by_system(
        self, data: TrainingRows, Y: Floats, alpha: float, route: str, report: Report
    ) -> tuple[Floats, Floats]:
        """Return a and b by (3)."""
        X, kernel, threads = data.X, data.kernel, get_config().threads
        shift, t = alpha / data.w, Y.shape[1]
        rounding = len(Y) * float(np.finfo(np.float64).eps)
        none = alpha <= rounding * float(np.max(kernel.square_norms(X)))
        right = np.hstack([Y, np.ones((len(Y), 1))]) if self.fit_intercept else Y
        if route == "cg":
            solved = shifted_system.conjugate_gradients(
                kernel.gram(X, X.dtype, threads),
                kernel.square_norms(X),
                shift,
                right,
                rank=pivots(len(Y)),
                tol=self.tol,
                max_iter=self.max_iter,
                watch=lambda step, residual: report.objective.append(residual),
            )
        else:
            dtype = np.float64 if none else X.dtype  # float32 hides that K is singular
            K = kernel.matrix(X, dtype, threads)
            solved = shifted_system.cholesky(K, shift, right)
        report.stop, report.passes = solved.stop, solved.steps
        report.facts["solver"] = solved.method
        if solved.rank is not None:
            report.facts["kernel_rank"] = solved.rank
            if none:  # and (2) has no solution
                return self._by_eigenvectors(data, Y, np.array([alpha]), report)
        if solved.pivots is not None:
            report.facts["n_pivots"] = solved.pivots
        report.optimality = exactness(solved)
        A, b = solved.A[:, :t], np.zeros(t)
        if self.fit_intercept:
            z = solved.A[:, t]
            b = A.sum(axis=0) / z.sum()
            A = A - z[:, None] * b
        return A, b

    def _by_eigenvectors(
        self, data: TrainingRows, Y: Floats, alpha: Floats, report: Report
    ) -> tuple[Floats, Floats]:
        """Return a and b by (4), each target with its alpha."""
        K, spectrum = self._spectrum(data)
        A = spectrum.solve(Y, np.broadcast_to(alpha, Y.shape[1]))
        report.facts["solver"] = "eigenvectors"
        report.facts["degrees_of_freedom"] = [spectrum.freedom(a) for a in alpha]
        report.optimality = Optimality("exact to rounding", 0.0)
        least = max(float(spectrum.L[0]), 0.0) + float(alpha.min())
        top = float(spectrum.L[-1]) + float(alpha.min())
        report.condition = top / least if least > 0 else None
        b = np.zeros(Y.shape[1])
        return A, spectrum.offset(Y, K @ A) if self.fit_intercept else b

    def _spectrum(self, data: TrainingRows) -> tuple[Floats, Spectrum]:
        K = data.kernel.matrix(data.X, np.float64, get_config().threads)
        return K, Spectrum.of(K, data.w, self.fit_intercept)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        A = np.asarray(self.dual_coef_, float)
        A, Y = (a if a.ndim == 2 else a[:, None] for a in (A, np.asarray(y)))
        if A.shape[1] != Y.shape[1]:
            must = f"y must have the {A.shape[1]} targets of the fit"
            raise DataError(sentence(WHO, must, f"{Y.shape[1]}"))
        alphas = np.broadcast_to(np.ravel(self.alpha).astype(float), A.shape[1])
        refuse(self, "alpha", not (alphas >= 0).all())
        offsets = np.ravel(getattr(self, "intercept_", 0.0))
        offsets, one = np.broadcast_to(offsets, A.shape[1]), copy(self)
        found: Problems = []
        for alpha, a, b, y in zip(alphas, A.T, offsets, Y.T, strict=True):
            one.dual_coef_, one.intercept_ = a, b
            found.append(target_problem(one, X, y, sample_weight, float(alpha)))
        return found

    def path(self, X: Any, y: Any, alphas: Any, sample_weight: Any = None) -> RidgePath:
        """Solve for many alphas from one eigendecomposition; nothing is fitted.

        Parameters
        ----------
        X, y : as in `fit`
        alphas : array of shape (m,)
            Above 0.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        RidgePath
            With exact leave-one-out errors and degrees of freedom.

        Examples
        --------
        >>> import numpy as np
        >>> from corollary import KernelRidge
        >>> X, y = np.arange(6.0)[:, None], np.array([0.0, 1, 0, 1, 0, 1])
        >>> path = KernelRidge(kernel="rbf", gamma=1.0).path(X, y, [0.1, 1.0, 10.0])
        >>> path.degrees_of_freedom.round(2).tolist()
        [5.32, 2.82, 0.54]
        """
        alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
        if alphas.ndim != 1 or not (alphas > 0).all():
            must = "alphas must be numbers above 0"
            raise ParameterError(sentence(self, must, repr(alphas.tolist())))
        probe = type(self)(**{**self.get_params(), "alpha": 1.0, "solver": "auto"})
        return probe._path(X, y, alphas, sample_weight)

    def _path(self, X: Any, y: Any, alphas: Floats, sample_weight: Any) -> RidgePath:
        """Fit nothing but open the rows, and use every alpha on one spectrum."""
        opened = Data(self, open_source(self, X, y, sample_weight))
        try:
            given = gather(opened)
        finally:
            opened.executor.close()
        data = kept_rows(self, given)
        Y, w = data.y.reshape(data.n, -1).astype(np.float64), data.w
        K, spectrum = self._spectrum(data)
        A = np.stack([spectrum.solve(Y, np.full(Y.shape[1], a)) for a in alphas])
        b = np.zeros((len(alphas), Y.shape[1]))
        if self.fit_intercept:
            b = np.stack([spectrum.offset(Y, K @ a) for a in A])
        away = [spectrum.left_out(a_, w, a) for a_, a in zip(A, alphas, strict=True)]
        loo = Y - np.stack(away)
        error = np.average(np.stack(away) ** 2, axis=1, weights=w).mean(axis=1)
        freedom = np.array([spectrum.freedom(a) for a in alphas])
        cut = (Ellipsis, 0) if given.y.ndim == 1 else (Ellipsis,)
        return RidgePath(alphas, A[cut], b[cut], loo[cut], error, freedom)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return h(x) + b of each row, (n,) or (n, t)."""
        return expanded(self, X) + self.intercept_


@dataclass(frozen=True)
class Spectrum:
    """P S K S P = U L U' (4)."""

    L: Floats  # (n,)
    U: Floats  # (n, n)
    s: Floats  # (n,) roots of the weights
    intercept: bool

    @classmethod
    def of(cls, K: Floats, w: Floats, intercept: bool) -> Spectrum:
        """Decompose a kernel matrix."""
        s = np.sqrt(w)
        A = s[:, None] * K * s
        if intercept:
            u = s / np.linalg.norm(s)
            Au = A @ u
            A = A - np.outer(u, Au) - np.outer(Au, u) + (u @ Au) * np.outer(u, u)
        L, U = eigh((A + A.T) / 2)
        return cls(np.maximum(L, 0.0), U, s, intercept)

    @property
    def rounding(self) -> float:
        """What an eigenvalue of 0 may be."""
        return len(self.L) * float(np.finfo(np.float64).eps) * float(self.L[-1])

    def solve(self, Y: Floats, alpha: Floats) -> Floats:
        """Return a of (4), column by column with its alpha."""
        Z = self.s[:, None] * Y
        if self.intercept:
            Z = Z - np.outer(self.s, self.s @ Z) / (self.s @ self.s)
        total = self.L[:, None] + alpha
        seen = total > self.rounding
        inverse = np.divide(1.0, total, out=np.zeros_like(total), where=seen)
        return self.s[:, None] * (self.U @ (inverse * (self.U.T @ Z)))

    def offset(self, Y: Floats, KA: Floats) -> Floats:
        """Return b: what the rows leave in the weighted mean."""
        return np.average(Y - KA, axis=0, weights=self.s**2)

    def freedom(self, alpha: float) -> float:
        """Return (5)."""
        total = self.L + alpha
        seen = total > self.rounding
        share = np.divide(self.L, total, out=np.zeros_like(total), where=seen)
        return float(share.sum()) + self.intercept

    def left_out(self, A: Floats, w: Floats, alpha: float) -> Floats:
        """Return (6) of each row."""
        rest = (self.U**2) @ (alpha / (self.L + alpha))  # 1 - H_ii
        if self.intercept:
            rest = rest - w / w.sum()
        return alpha * A / w[:, None] / rest[:, None]


def pivots(n: int) -> int:
    """Return the rows of the preconditioner, within a third of the memory limit."""
    most = min(PIVOTS, n // 4 + 1)
    return min(most, 1 + block_bytes(8 * n * most, 6) // (8 * n))


def exactness(solved: shifted_system.Solved) -> Optimality:
    """Tell how far a solved system is from exact."""
    if solved.stop is StopReason.CLOSED_FORM:
        return Optimality("exact to rounding", 0.0)
    return Optimality("relative residual", solved.residual)


def target_problem(
    machine: Any, X: Matrix, y: Floats, w: Floats, alpha: float
) -> ConvexProblem:
    """State (1) of one target; without a penalty it is least squares on K."""
    free, some = unbounded(w), bool(getattr(machine, "fit_intercept", False))
    r, t = alpha * inverse(w), 0.0 if some else None
    p = expansion_problem(machine, X, w, Box(-y, -free, free, r=r, t=t))
    if alpha > 0:
        return p
    K = p.times(np.eye(len(y)))
    return LinearStatement(Squared(), Penalty(), K, y, w, p.b, -p.rho, some)
