"""A machine on fewer support vectors.

Also known as: reduced set, compression, sparse approximation of an expansion.

A machine g = sum_s b_s k(., z_s) + b0 needs its support vectors and nothing else.
Where these are too many, take m of them, S, and the function of their span that is
closest in the norm of the kernel's space:

    c = K_SS^-1 K_S. b,      delta^2 = ||g - g_S||^2 = b'K b - c'K_SS c          (1)
    |g(x) - g_S(x)| <= delta sqrt(k(x, x))                                       (2)

(2) is the inequality of Cauchy and Schwarz, for every x.  S is chosen greedily: with
the residual r = g - g_S and P the projection on the span of S, the vector that lowers
delta^2 most has the largest

    r(z)^2 / (k(z, z) - ||P phi(z)||^2)                                          (3)

A pivoted Cholesky factor of K grows by a column for each choice, so m choices among s
vectors cost s m^2, and delta never grows.  Several machines on the same vectors, as for
K classes, add their gains (3).

A ball of `SVDD` has its centre c in place of g.  c_S is a projection, so ||c||^2 =
||c_S||^2 + delta^2; the radius is kept, and with <c - c_S, phi(x)> from (2)

    | ||phi(x) - c||^2 - ||phi(x) - c_S||^2 | <= 2 delta sqrt(k(x, x)) + delta^2  (4)

A machine on a precomputed matrix knows its support vectors by their numbers alone; its
matrix K of the fit must be given, and the smaller machine reads fewer of the columns.

Course: S0-32. References: Burges (1996), reduced sets; Chen, Cowan and Grant (1991),
orthogonal least squares; Fine and Scheinberg (2001), pivoted Cholesky.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.kernels.machine_kernel import kernel_of
from corollary.svm.machine import dense_coefficients, pair_coefficients, query_rows
from corollary.svm.pairs import PairMachine, pair_scores
from corollary.svm.single import SingleMachine, scores
from corollary.svm.svdd import SVDD

__all__ = ["Compressed", "compress"]

FLAT = 1e-12  # share of k(z, z) below which a vector is in the span already


@dataclass(frozen=True)
class Compressed:
    """A machine on fewer vectors, and what that changed.

    Attributes
    ----------
    model : estimator
        Predicts as the machine it came from, nearly.
    before, after : int
        Support vectors.
    distance : array of shape (p,)
        delta of each of the p machines.
    relative : array of shape (p,)
        delta over ||g||.
    bound : float or None
        Largest change (2) of a score on the rows given.
    change : float or None
        Largest change of a score that was measured on them.
    agreement : float or None
        Share of these rows with the same prediction, of a classifier.
    """

    model: Any
    before: int
    after: int
    distance: Floats
    relative: Floats
    bound: float | None = None
    change: float | None = None
    agreement: float | None = None

    def __str__(self) -> str:
        lines = [
            f"{type(self.model).__name__}: {self.after} of {self.before} vectors",
            f"  distance      {self.distance.max():.4g} "
            f"({self.relative.max():.2%} of the norm)",
        ]
        if self.bound is not None:
            lines.append(
                f"  scores        change {self.change:.4g} <= {self.bound:.4g}"
            )
        if self.agreement is not None:
            lines.append(f"  predictions   {self.agreement:.2%} the same")
        return "\n".join(lines)


def compress(model: Any, n_vectors: int, X: Any = None) -> Compressed:
    """Approximate a fitted machine by one on fewer support vectors.

    Parameters
    ----------
    model : SVC, NuSVC, SquaredHingeSVC, HardMarginSVC, SVR, NuSVR, SquaredEpsilonSVR, \
OneClassSVM or SVDD
        Fitted.
    n_vectors : int
        Support vectors to keep, at most.
    X : array or CSR of shape (n, d), optional
        Rows on which the change is measured.  With a precomputed kernel it is needed:
        the matrix (n, n) of the fit.

    Returns
    -------
    Compressed

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = SVC().fit(X, (X**2).sum(axis=1) > 1)
    >>> smaller = compress(model, 20, X)
    >>> smaller.after, smaller.change <= smaller.bound
    (20, True)
    """
    if not isinstance(model, PairMachine | SingleMachine):
        must = "model must be a support vector classifier, regressor or one-class "
        came = f"a {type(model).__name__}"
        raise ParameterError(sentence("compress", must + "machine", came))
    check_is_fitted(model)
    if not 1 <= n_vectors:
        must = "n_vectors must be at least 1"
        raise ParameterError(sentence("compress", must, f"{n_vectors}"))
    K, s = matrix(model, X), len(model.support_)
    B, of = columns(model)
    kept = np.sort(chosen(K, B, of, min(n_vectors, s)))
    coefficients, distance, norm = refitted(K, B, of, kept)
    small = smaller(model, kept, coefficients)
    relative = distance / np.where(norm > 0, norm, 1.0)
    found = Compressed(small, s, len(kept), distance, relative)
    if isinstance(model, SVDD):
        farther = model.intercept_ + distance**2  # R^2 - ||c_S||^2
        small.intercept_ = farther.astype(model.intercept_.dtype)
    return found if X is None else measured(model, found, X)


def matrix(model: Any, X: Any) -> Floats:
    """Return the kernel matrix of the support vectors."""
    if model.kernel == "precomputed":
        n = model.shape_fit_[0]
        if X is None or np.shape(X) != (n, n):
            must = (
                f"X must be the kernel matrix of the fit, ({n}, {n}), for the kernel "
            )
            came = "None" if X is None else f"shape {np.shape(X)}"
            raise ParameterError(sentence("compress", must + "is precomputed", came))
        return np.asarray(X, np.float64)[np.ix_(model.support_, model.support_)]
    Z = model.support_vectors_
    kernel = kernel_of(model, model.gamma_).function
    assert kernel is not None
    return np.asarray(kernel(Z, Z), np.float64)


def columns(model: Any) -> tuple[Floats, Vector]:
    """Return every machine's coefficients (s, p), and the vectors it may use."""
    if isinstance(model, SingleMachine):
        B = dense_coefficients(model).T.astype(np.float64)
        return B, np.ones(B.shape, dtype=bool)
    B = pair_coefficients(model).astype(np.float64)
    pairs = itertools.combinations(range(len(model.classes_)), 2)
    label = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    return B, np.column_stack([(label == a) | (label == b) for a, b in pairs])


def chosen(K: Floats, B: Floats, of: Vector, m: int) -> Vector:
    """Choose m vectors by (3)."""
    s = len(K)
    G = K @ B  # residuals at the vectors, (s, p)
    left = np.diagonal(K).copy()  # squared distances from the span
    L = np.zeros((s, m))
    picked: list[int] = []
    open_ = np.ones(s, dtype=bool)
    for j in range(m):
        gain = (np.where(of, G, 0.0) ** 2).sum(axis=1)
        good = open_ & (left > FLAT * np.diagonal(K))
        if not good.any():
            break
        score = np.where(good, gain / np.where(good, left, 1.0), -1.0)
        i = int(score.argmax())
        column = (K[:, i] - L[:, :j] @ L[i, :j]) / np.sqrt(left[i])
        G = G - np.outer(column, G[i] / column[i])
        left = np.maximum(left - column**2, 0.0)
        L[:, j] = column
        open_[i] = False
        picked.append(i)
    return np.array(picked, dtype=np.int64)


def refitted(
    K: Floats, B: Floats, of: Vector, kept: Vector
) -> tuple[Floats, Floats, Floats]:
    """Return (1) of each machine: coefficients (m, p), distances and norms."""
    C = np.zeros((len(kept), B.shape[1]))
    distance, norm = np.zeros(B.shape[1]), np.zeros(B.shape[1])
    KB = K @ B
    for p in range(B.shape[1]):
        mine = of[kept, p]
        at = kept[mine]
        c = np.linalg.lstsq(K[np.ix_(at, at)], KB[at, p], rcond=1e-13)[0]
        C[mine, p] = c
        whole = float(B[:, p] @ KB[:, p])
        gone = B[:, p].copy()
        gone[at] -= c
        distance[p] = np.sqrt(max(0.0, float(gone @ (K @ gone))))
        norm[p] = np.sqrt(max(0.0, whole))
    return C, distance, norm


def smaller(model: Any, kept: Vector, C: Floats) -> Any:
    """Return a copy of the model with these vectors and coefficients."""
    small = copy.copy(model)
    if isinstance(model, PairMachine):
        K = len(model.classes_)
        label = np.repeat(np.arange(K), model.n_support_)[kept]
        small.n_support_ = np.bincount(label, minlength=K).astype(np.int32)
        D: Floats = np.zeros((K - 1, len(kept)))
        for p, (a, b) in enumerate(itertools.combinations(range(K), 2)):
            D[b - 1, label == a], D[a, label == b] = C[label == a, p], C[label == b, p]
    else:
        small.n_support_ = np.array([len(kept)], dtype=np.int32)
        D = C.T
    D = D.astype(model.dual_coef_.dtype)
    small.dual_coef_ = sp.csr_array(D) if sp.issparse(model.dual_coef_) else D
    small.support_ = model.support_[kept]
    if model.kernel != "precomputed":
        small.support_vectors_ = model.support_vectors_[kept]
    return small


def measured(model: Any, found: Compressed, X: Any) -> Compressed:
    """Compare the two machines on rows."""
    rows = query_rows(model, X)
    diagonal = kernel_of(model, model.gamma_).square_norms(rows)
    ball = isinstance(model, SVDD)
    given = (diagonal,) if ball and model.kernel == "precomputed" else ()
    ask: Any = pair_scores if isinstance(model, PairMachine) else scores
    ask = type(model).decision_function if ball else ask
    before, after = (ask(m, X, *given) for m in (model, found.model))
    same = None
    if hasattr(model, "decision_function"):
        alike = model.predict(X, *given) == found.model.predict(X, *given)
        same = float(alike.mean())
    change, delta = float(np.abs(before - after).max()), float(found.distance.max())
    bound = delta * float(np.sqrt(max(diagonal.max(), 0.0)))
    bound = 2 * bound + delta**2 if ball else bound  # (4)
    values = vars(found) | {"bound": bound, "change": change, "agreement": same}
    return Compressed(**values)
