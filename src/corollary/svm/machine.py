"""What all kernel machines share: kernel, matrix, expansion and account.

A machine's answer is an expansion over some training rows z_s, the support vectors,

    g(x) = sum_s b_s k(x, z_s) - rho                                             (1)

It has no summation form: every pair of rows may matter.  `kernels` has random features
and Nystrom's method, whose linear machines scale to any number of rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes
from corollary.core.params import boolean, function, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.engine.blocks import row_products
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources import Chunk
from corollary.kernels.expansion import Kernel, checked, expansion, tile_of
from corollary.kernels.gram import (
    BlockGram,
    MatrixGram,
    TiledGram,
    TileKernel,
)
from corollary.solvers import smo
from corollary.svm.things import (
    is_things,
    numbered,
    of_things,
    present_things,
    things_of,
)

__all__ = ["KernelMachine", "account_for", "capped", "unit_of"]

SINGLE = 1e-4  # a coarser tol than this lets float32 rows do
FEW_ROWS = 1000  # that cost nothing: in float64, or to see the features' spread
SAMPLE = 300  # rows whose matrix is tested for negative eigenvalues
UNEVEN = 100.0  # ratio of the features' spreads worth a warning
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of a sum of kernels, over its terms
HARD = 1e10  # stands for C = inf


class KernelMachine(RowsLearner):
    """The kernel's parameters and what is done with them."""

    kernel_rules: ClassVar = {
        "kernel": one_of("linear", "poly", "rbf", "sigmoid", "precomputed") | function,
        "degree": whole(0),
        "gamma": one_of("scale", "auto") | real(0, ends="(]"),
        "coef0": real(),
        "tol": real(0, ends="(]"),
        "cache_size": real(0, ends="(]"),
        "shrinking": boolean,
        "max_iter": whole(-1),
        "verbose": boolean | whole(0),
    }
    kernel: Any
    degree: int
    gamma: Any
    coef0: float
    tol: float
    cache_size: float
    shrinking: bool
    max_iter: int
    n_features_in_: int
    support_: Vector
    support_vectors_: Any
    n_support_: Vector
    dual_coef_: Any
    intercept_: Any
    shape_fit_: tuple[int, int]
    gamma_: float
    max_seconds: float | None = None
    takes_sparse = True
    keeps_rows = True
    takes_things = True  # whether a function may be of texts and the like
    _things: Any = None  # the rows themselves while it is

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def fit_by(
        self, learn: Callable[[Chunk, Report], None], X: Any, y: Any, sample_weight: Any
    ) -> Self:
        """Learn from the rows that weigh something; `support_` counts all of them."""
        rows = weighty(sample_weight)
        if rows is None:
            return super().fit_by(learn, X, y, sample_weight)

        def learn_some(chunk: Chunk, report: Report) -> None:
            if self.kernel == "precomputed" and rows.max(initial=0) < chunk.X.shape[1]:
                chunk = replace(chunk, X=chunk.X[:, rows])
            learn(chunk, report)
            if hasattr(self, "support_"):
                self.support_ = rows[self.support_].astype(self.support_.dtype)
                self.shape_fit_ = (len(sample_weight), self.n_features_in_)

        return super().fit_by(learn_some, X, y, sample_weight)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; the kernel matrix (n, n) where it is precomputed.  Where
            the kernel is a function: whatever it takes, such as a list of texts.
        y : array, optional
            Target of a supervised learner; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        named = not callable(self.kernel) or not self.takes_things
        things = None if named else things_of(X)
        if things is None:
            return super().fit(X, y, sample_weight)

        def learn(chunk: Chunk, report: Report) -> None:
            self._things = things
            try:
                self.learn(chunk, report)
            finally:
                del self._things
            self.support_vectors_ = numbered(things, self.support_vectors_)

        numbers = np.arange(float(len(things)))[:, None]
        return self.fit_by(learn, numbers, y, sample_weight)

    # -- the kernel ------------------------------------------------------------------
    def _read_kernel(
        self, X: Matrix, w: Vector | None, report: Report
    ) -> Kernel | None:
        """Return the kernel as a function, None where its matrix is given as X."""
        if self.kernel != "precomputed" and not callable(self.kernel):
            self._check_squares(X)
        self.gamma_ = self._stated_gamma(X, w)
        if self.kernel == "precomputed":
            if sp.issparse(X):
                must = "Sparse precomputed kernels are not supported; X must be dense"
                raise DataError(sentence(self, must, "a sparse matrix"))
            if X.shape[0] != X.shape[1]:
                must = "Precomputed matrix must be a square matrix"
                raise DataError(sentence(self, must, f"shape {X.shape}"))
            return None
        if callable(self.kernel):
            if (tile := tile_of(self.kernel)) is not None:
                return tile
            kernel = self.kernel
            if (things := self._things) is not None:
                kernel = of_things(kernel, things)
            return lambda A, B: checked(self, kernel(A, B), (A.shape[0], B.shape[0]))
        if self.kernel != "linear":
            self._warn_if_uneven(X, report)
        return self._checked_powers(self._tile_kernel(), X)

    def _checked_powers(self, kernel: TileKernel, X: Matrix) -> TileKernel:
        """Refuse a degree that makes the kernel of a row infinite."""
        if kernel.kind == "poly" and not np.isfinite(kernel.diagonal(X)).all():
            must = (
                f"X must be so small that its powers of degree {self.degree} are finite"
            )
            came = f"k(x, x) infinite with gamma = {self.gamma_:.3g}"
            raise DataError(sentence(self, must, came, "Lower degree or gamma."))
        return kernel

    def _check_squares(self, X: Matrix) -> None:
        """Refuse rows whose squared lengths overflow, as no distance is known then."""
        values = X.data if sp.issparse(X) else X
        if not values.size:
            return
        largest = max(float(values.max()), -float(values.min()))
        if not 2 * largest < np.sqrt(np.finfo(X.dtype).max / X.shape[1]):
            must = "The dual coefficients or intercepts are not finite: X must be so "
            must += "small that its squares are finite"
            raise DataError(sentence(self, must, f"up to {largest:.3g}"))

    def _tile_kernel(self) -> TileKernel:
        return TileKernel(self.kernel, self.gamma_, self.coef0, self.degree)

    def _stated_gamma(self, X: Matrix, w: Vector | None) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if (
            self.gamma == "auto"
            or callable(self.kernel)
            or self.kernel == "precomputed"
        ):
            return 1.0 / X.shape[1]
        share = np.full(X.shape[0], 1.0) if w is None else w.astype(np.float64)
        share = share / share.sum()
        square = X.multiply(X) if sp.issparse(X) else np.square(X, dtype=float)
        mean = float((share @ X).mean())
        spread = float((share @ square).mean()) - mean * mean
        return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0

    def _warn_if_uneven(self, X: Matrix, report: Report) -> None:
        """Say so where a few features will drown the others in every distance."""
        if sp.issparse(X) or X.shape[1] < 2:
            return
        some = X[:: -(-X.shape[0] // FEW_ROWS)]
        spread = some.std(axis=0, dtype=np.float64)
        rounding = 64 * np.finfo(X.dtype).eps * np.abs(some).max(axis=0)
        spread = spread[spread > rounding]
        if len(spread) > 1 and spread.max() > UNEVEN * spread.min():
            text = (
                f"{type(self).__name__}: the features' standard deviations differ by a "
                f"factor of {spread.max() / spread.min():.3g}, so that the largest "
                "rule the kernel. Scale them first (StandardScaler)."
            )
            report.warnings.append(text)
            warnings.warn(text, UserWarning, stacklevel=5)

    def _gram(
        self, kernel: Kernel | None, X: Matrix, rows: Vector | None, threads: int
    ) -> smo.Gram:
        """Return the kernel matrix of some rows, in the precision that tol asks for."""
        some = X if rows is None else X[rows]
        coarse = self.tol >= SINGLE and some.shape[0] > FEW_ROWS
        dtype = np.float32 if coarse or X.dtype == np.float32 else np.float64
        if kernel is None:
            K = some if rows is None else some[:, rows]
            return MatrixGram(K, dtype)
        if isinstance(kernel, TileKernel) and not sp.issparse(X):
            return TiledGram(some, kernel, dtype, threads)
        return BlockGram(some, kernel, dtype)

    def _limits(self, threads: int, machines: int = 1, kept: float = 0.0) -> smo.Limits:
        """Share the cache among machines, less the bytes of what they keep."""
        most = 0.8 * block_bytes(int(1.25e6 * self.cache_size), 1)
        return smo.Limits(
            tol=self.tol,
            max_iter=self.max_iter,
            seconds=self.max_seconds,
            cache_bytes=max(most - kept, most / 4) / machines,
            shrinking=self.shrinking,
            threads=threads,
        )

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the variables of the machines at work, and copies of the rows."""
        return rows * (8.0 * features + 400.0)

    def _check_curvature(
        self, kernel: Kernel | None, X: Matrix, report: Report
    ) -> None:
        """Say so where a sample of the matrix has a clearly negative eigenvalue."""
        convex = isinstance(kernel, TileKernel) and kernel.kind in ("linear", "rbf")
        if convex or X.shape[0] < 2:
            return
        step = -(-X.shape[0] // SAMPLE)
        some = X[::step]
        K = some[:, ::step] if kernel is None else kernel(some, some)
        values = np.linalg.eigvalsh(np.asarray(K, dtype=np.float64))
        if values[0] < -1e-6 * max(values[-1], 0.0) - 1e-12:
            text = (
                f"{type(self).__name__}: the kernel is not positive semi-definite: its "
                f"matrix on {len(values)} rows has the eigenvalue {values[0]:.3g}. The "
                "fit is a stationary point, and its duality gap proves nothing. Use a "
                "Mercer kernel."
            )
            report.warnings.append(text)
            warnings.warn(text, UserWarning, stacklevel=4)

    def _tell_support(
        self, machines: list[tuple[Floats, Floats]], report: Report
    ) -> None:
        """Report how many coefficients are free and at their bound; rows are kept."""
        used = [(b[b != 0], bound[b != 0]) for b, bound in machines]
        free = sum(int((np.abs(b) < bound).sum()) for b, bound in used)
        at_bound = sum(len(b) for b, _ in used) - free
        report.facts["support vectors"] = f"{free} free, {at_bound} at their bound"
        share = len(self.support_) / self.shape_fit_[0]
        if self.kernel != "precomputed":
            report.facts["rows kept"] = f"{len(self.support_)} ({share:.1%})"

    # -- the expansion ---------------------------------------------------------------
    def _keep(self, X: Matrix, support: Vector, coefficients: Floats) -> None:
        """Keep the support vectors and their coefficients, sparse where X is."""
        self.support_ = support.astype(np.int32)
        dual = coefficients.astype(X.dtype)
        self.dual_coef_ = sp.csr_array(dual) if sp.issparse(X) else dual
        if self.kernel == "precomputed":
            self.support_vectors_ = np.empty((0, 0), X.dtype)
        else:
            self.support_vectors_ = X[support]
        self.shape_fit_ = X.shape
        self.fit_status_ = 0

    def _audit_expansion(self) -> None:
        """Refuse an expansion that no fit leaves: files and users can alter it."""
        s, given = len(self.support_), self.kernel == "precomputed"
        rows = self.n_features_in_ if given else self.shape_fit_[0]
        whole = (np.asarray(self.support_), np.asarray(self.n_support_))
        numbers = [self.dual_coef_, self.support_vectors_, self.intercept_]
        if callable(self.kernel) and is_things(self.support_vectors_):
            del numbers[1]
        if any(a.dtype.kind not in "iu" for a in whole):
            must, came = "support_ and n_support_ must be whole numbers", "others"
        elif s and not 0 <= int(whole[0].min()) <= int(whole[0].max()) < rows:
            must = f"support_ must be numbers of rows, 0 to {rows - 1}"
            came = f"{whole[0].min()} to {whole[0].max()}"
        elif any(a.dtype.kind != "f" for a in numbers):
            must, came = "coefficients and support vectors must be numbers", "others"
        elif not given and self.support_vectors_.shape[0] != s:
            must = f"support_vectors_ must have {s} rows"
            came = f"{self.support_vectors_.shape[0]}"
        elif not isinstance(self.gamma_, float) or not 0 < self.gamma_ < np.inf:
            must, came = "gamma_ must be a number > 0", f"{self.gamma_!r}"
        else:
            return
        must = f"The internal representation was altered: {must}"
        raise DataError(sentence(self, must, came))

    def _coefficients(self) -> Floats:
        """Return dual_coef_ as a dense array."""
        D = self.dual_coef_
        return D.toarray() if sp.issparse(D) else np.asarray(D)

    def _only_linear(self) -> None:
        if self.kernel != "linear":
            text = "coef_ is only available when using a linear kernel"
            raise AttributeError(f"{type(self).__name__}: {text}")

    def _published(self, coefficients: Floats) -> Any:
        """Return weights of features that nobody can change by mistake."""
        if not sp.issparse(self.support_vectors_):
            coefficients.flags.writeable = False
            return coefficients
        W = sp.csr_array(coefficients)
        W.data.flags.writeable = False
        return W

    def _kernel_sums(
        self, kernel: Kernel | None, X: Matrix, rows: Vector, used: Vector, b: Floats
    ) -> Floats:
        """Return sum_s b_s k(x, x_s) of some training rows over others."""
        if not len(used):
            return np.zeros(len(rows))
        if kernel is None:
            return np.asarray(X[np.ix_(rows, used)], dtype=np.float64) @ b
        if isinstance(kernel, TileKernel):
            return expansion(kernel, X[rows], X[used], b[:, None])[:, 0]
        return np.asarray(kernel(X[rows], X[used]), dtype=np.float64) @ b

    def _expand(self, X: Any, B: Floats) -> Floats:
        """Return the sums (1), but for rho, for several columns of coefficients."""
        if is_things(self.support_vectors_):
            X = present_things(self, X)
        else:
            X = self._query(X)  # type: ignore[attr-defined]
            X = X.astype(np.result_type(X.dtype, self.dual_coef_.dtype), copy=False)
        if not len(self.support_):
            return np.zeros((X.shape[0], B.shape[1]))
        if self.kernel == "precomputed":
            return row_products(np.asarray(X[:, self.support_], np.float64), B)
        tile = tile_of(self.kernel)
        if callable(self.kernel) and tile is None:
            K = self.kernel(X, self.support_vectors_)
            K = checked(self, K, (X.shape[0], len(self.support_)))
            return row_products(K, B)
        return expansion(tile or self._tile_kernel(), X, self.support_vectors_, B)


def weighty(sample_weight: Any) -> Vector | None:
    """Return the rows of weight > 0, None where it is all of them or not known."""
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight)
    known = w.ndim == 1 and w.dtype.kind in "fiub"
    return None if not known or (w > 0).all() else np.flatnonzero(w > 0)


def capped(C: float) -> float:
    """Return C, or a number that stands for infinity."""
    return min(float(C), HARD)


def unit_of(w: Floats) -> float:
    """Return the power of two next to the mean weight.

    A problem that is homogeneous in the weights is solved for weights divided by it:
    `tol` means the same for all of them, and no bit changes where they are about 1.

    >>> unit_of(np.array([0.5, 1.0])), unit_of(np.array([1e6, 3e6]))
    (1.0, 2097152.0)
    """
    return float(2.0 ** np.round(np.log2(w.mean())))


def account_for(optima: list[smo.Optimum], primal: float, report: Report) -> None:
    """Tell a report of one or more solved duals."""
    gap = sum(o.gap for o in optima)
    report.optimality = Optimality("duality gap", gap, gap / primal if primal else None)
    report.objective = [primal]
    report.facts["KKT violation"] = max(o.violation for o in optima)
    report.facts["pairs"] = sum(o.steps for o in optima)
    report.facts["kernel rows"] = sum(o.rows for o in optima)
    report.passes = sum(o.sets for o in optima)
    order = (
        StopReason.INTERRUPTED,
        StopReason.MAX_PASSES,
        StopReason.STALLED,
        StopReason.CONVERGED,
    )
    report.stop = min((o.stop for o in optima), key=order.index)
