"""A fitted linear or kernel machine as a point of a ball: its norm, and its rows'.

A machine f(x) = <w, phi(x)> + b is a point of the space of the features
(phi(x), s) with the weights (w, b/s), for any s fixed beforehand:

    ||f||^2 = ||w||^2 + b^2 / s^2,        k~(x, x) = k(x, x) + s^2               (1)

so that bounds for balls around 0 hold for machines with an intercept.  Kernel machines
have ||w||^2 = a'K a over their support vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import real
from corollary.kernels.machine_kernel import MachineKernel, kernel_of

__all__ = ["MachineNorm", "machine_norm"]

BOUNDED = ("rbf", "laplacian", "cosine", "chi2")  # k(x, x) = 1 for every row
INDEFINITE = ("sigmoid", "additive_chi2")


@dataclass(frozen=True)
class MachineNorm:
    """What bounds need of a machine and of rows, by (1)."""

    norm: float  # ||f||
    squares: Floats  # (n,) k~(x, x) of the rows
    radius: float  # sqrt of the largest k~ that any row can have, or was seen to have
    known_radius: bool  # whether it is the kernel's own
    fixed: bool  # whether the space was fixed before the rows were seen

    @property
    def complexity(self) -> float:
        """Rademacher complexity of the unit ball, at most: sqrt(tr K) / n."""
        return float(np.sqrt(self.squares.sum()) / len(self.squares))


def machine_norm(
    who: str, model: Any, X: Any, scale: float, radius: float | None = None
) -> MachineNorm:
    """Read the norm of a fitted model and of rows; `radius` bounds sqrt k(x, x)."""
    b = np.ravel(np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64))
    kernel = getattr(model, "kernel", "linear")
    if kernel == "linear" and hasattr(model, "coef_"):
        w = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        w = one_function(who, np.asarray(w, dtype=np.float64), b)
        squared, squares = float(w @ w), row_squares(who, X)
    elif hasattr(model, "dual_coef_"):
        squared, squares = kernel_squares(who, model, X, b)
    else:
        must = "model must be a fitted linear model or support vector machine"
        raise DataError(sentence(who, must, type(model).__name__))
    seen = float(squares.max())
    if radius is not None and seen > radius**2 * (1 + 1e-9):
        must = f"no row may have a norm above radius = {radius:g}"
        raise DataError(sentence(who, must, f"{np.sqrt(seen):g}"))
    own = radius is None and isinstance(kernel, str) and kernel in BOUNDED
    square = 1.0 if own else seen if radius is None else radius**2
    if hasattr(model, "intercept_") and getattr(model, "fit_intercept", True):
        squared += float(b[0] / scale) ** 2
        squares, square = squares + scale**2, square + scale**2
    return MachineNorm(
        float(np.sqrt(max(squared, 0.0))),
        squares,
        float(np.sqrt(square)),
        own or radius is not None,
        kernel == "linear" or fixed_space(model, kernel),
    )


def fixed_space(model: Any, kernel: Any) -> bool:
    """Tell whether a kernel is positive semi-definite and knows nothing of the rows."""
    if not isinstance(kernel, str) or kernel in ("precomputed", "cosine"):
        return True
    return kernel not in INDEFINITE and model.gamma != "scale"


def one_function(who: str, w: Floats, b: Floats) -> Floats:
    """Return the weights of the only function of a model."""
    if (w.ndim == 2 and w.shape[0] != 1) or w.ndim > 2 or b.size != 1:
        must = "model must be one function, of two classes or one target"
        raise DataError(sentence(who, must, f"coefficients of shape {w.shape}"))
    return np.ravel(w)


def row_squares(who: str, X: Any) -> Floats:
    """Return ||x||^2 of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or not X.size:
        raise DataError(sentence(who, "X must be rows", f"shape {X.shape}"))
    return np.einsum("ij,ij->i", X, X)


def kernel_squares(who: str, model: Any, X: Any, b: Floats) -> tuple[float, Floats]:
    """Return ||w||^2 = a'K a, and k(x, x) of each row."""
    a = model.dual_coef_
    a = np.asarray(a.toarray() if sp.issparse(a) else a, dtype=np.float64)
    a = one_function(who, a, b)
    kernel = stated_kernel(who, model)
    X = X if sp.issparse(X) else np.asarray(X)
    if kernel.function is None:
        K = np.asarray(X, dtype=np.float64)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            must = "X must be the kernel's matrix of the training rows"
            raise DataError(sentence(who, must, f"shape {K.shape}"))
        among = K[np.ix_(model.support_, model.support_)]
        return float(a @ among @ a), np.diagonal(K).copy()
    Z = model.support_vectors_
    values = kernel.sums(Z, Z, a[:, None])[:, 0]
    return float(a @ values), np.asarray(kernel.square_norms(X), dtype=np.float64)


def stated_kernel(who: str, model: Any) -> MachineKernel:
    """Return the kernel of a machine; its gamma must be a number or be published."""
    gamma = getattr(model, "gamma_", getattr(model, "gamma", 1.0))
    if not real().holds(gamma):
        must = "gamma must be a number"
        remedy = "Fit corollary's machine, or give gamma."
        raise DataError(sentence(who, must, f"{gamma!r}", remedy))
    return kernel_of(model, float(gamma))
