"""Linear smoothers: predictions that are a matrix times the targets.

Also known as: hat matrix, leverages, PRESS residuals, smoother matrix.

y^ = H y, where H depends on the rows but not on y.  Least squares with a penalty on the
coefficients has, for rows z_i of a design with weights w,

    H = Z (Z'WZ + alpha P)^-1 Z'W,     h_i = H_ii, the leverage of row i         (1)

and the fit without row i is known from the fit with it,

    y_i - y^_{-i}(x_i) = (y_i - y^_i) / (1 - h_i)                                (2)

Proof: put y^_{-i}(x_i) in the place of y_i.  The fit without row i is then a fit with
it, of residual 0 there, so y^_{-i}(x_i) = y^_i + h_i (y^_{-i}(x_i) - y_i).

With the left singular vectors U of [W^1/2 Z; (alpha P)^1/2],

    h_i = sum_j U_ij^2                                                           (3)

A row of leverage 1 is explained by itself alone; (2) says 0/0, and it must be refitted.

Who has one: `LinearRegression`, `Ridge`, `KernelRidge` (through its eigenvectors) and
`LocallyWeightedRegression`, at fixed parameters; also at the end of a pipeline, where
the steps before learn nothing from the rows, or where least squares undoes what they
have learned, as it undoes a scaling.

Notation: Z (n, d) with a column of ones; w = sample_weight; P = penalty_weights.
References: Allen (1974); Hastie, Tibshirani and Friedman (2009), 7.10; Cook (1977).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats
from corollary.core.parameters import real
from corollary.kernel_methods.kernel_ridge import KernelRidge
from corollary.linear.least_squares.locally_weighted_regression import (
    LocallyWeightedRegression,
)
from corollary.linear_algebra.decompositions import svd
from corollary.selection.validation_data import Given
from corollary.theory.certify import matrix_of

__all__ = ["Smoothed", "smoothed"]

#: Steps that learn nothing from the rows, by the parameter that must be given for it.
FIXED = {
    "Binarizer": "",
    "FourierBasis": "period",
    "FunctionTransformer": "",
    "Normalizer": "",
    "PolynomialFeatures": "",
    "SplineTransformer": "knots",
}
SCALERS = ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler")
OURS = ("corollary", "sklearn")  # whose names are known
ALONE = 1e-9  # of 1 - h: a row that only itself explains


class Smoothed(NamedTuple):
    """What a linear smoother says of each row without it."""

    left_out: Floats  # (n,) or (n, m); NaN where (2) says 0/0
    leverage: Floats | None  # (n,) of (1)


def smoothed(model: Any, given: Given) -> Smoothed | None:
    """Return (2) for every row, or None where a model has no such form."""
    found = design_of(model, given.X)
    if found is None or given.classes is not None:
        return None
    last, Z = found
    route = ROUTES.get(name_of(last))
    if route is None:
        return None
    one = given.y.ndim == 1
    Y = given.y[:, None] if one else given.y
    w = np.ones(len(Y)) if given.w is None else given.w
    made = route(last, Z, Y, w)
    if made is None:
        return None
    return Smoothed(made.left_out[:, 0] if one else made.left_out, made.leverage)


def name_of(step: Any) -> str:
    """Return the class of a step, if it is one of ours or of scikit-learn's."""
    known = type(step).__module__.partition(".")[0] in OURS
    return type(step).__name__ if known else ""


def design_of(model: Any, X: Any) -> tuple[Any, Floats] | None:
    """Return the last step of a model and the numbers that it is given."""
    last, before = model, []
    if isinstance(model, Pipeline):
        *before, last = [step for _, step in model.steps if step != "passthrough"]
    scaled = False
    for step in before:
        name = name_of(step)
        if name in SCALERS:
            undone = name_of(last) == "LinearRegression" and last.fit_intercept
            if not undone or getattr(step, "clip", False):
                return None
            scaled = True
        elif name not in FIXED or scaled:
            return None
        elif isinstance(getattr(step, FIXED[name], 0), str | None):
            return None  # a rule: chosen from the rows
    for step in before:
        X = clone(step).fit_transform(X)
    Z = matrix_of(X)
    if Z is None or (Z.dtype.kind == "f" and sp.issparse(Z) and Z.size > 10**7):
        return None
    Z = Z.toarray() if sp.issparse(Z) else Z
    return last, np.asarray(Z, dtype=np.float64)


# -- least squares ---------------------------------------------------------------------
def _linear_regression(model: Any, Z: Floats, Y: Floats, w: Floats) -> Any:
    if model.positive:
        return None
    return by_design(Z, Y, w, 0.0, None, model.fit_intercept, penalized=False)


def _ridge(model: Any, Z: Floats, Y: Floats, w: Floats) -> Any:
    if model.positive or not real(0).holds(model.alpha):
        return None
    p = getattr(model, "penalty_weights", None)
    penalized = model.fit_intercept and getattr(model, "penalize_intercept", False)
    alpha = float(model.alpha)
    if p is None and not penalized and alpha > 0 and Z.shape[1] > len(Z):
        wide = KernelRidge(alpha, fit_intercept=model.fit_intercept)  # linear kernel
        return _kernel_ridge(wide, Z, Y, w)
    weights = None if p is None else np.asarray(p, dtype=np.float64)
    return by_design(Z, Y, w, alpha, weights, model.fit_intercept, penalized=penalized)


def by_design(
    Z: Floats,
    Y: Floats,
    w: Floats,
    alpha: float,
    p: Floats | None,
    intercept: bool,
    *,
    penalized: bool,
) -> Smoothed:
    """Return (2) by (3)."""
    n, d = Z.shape
    if intercept:
        mean = 0.0 if penalized else np.average(Z, axis=0, weights=w)
        Z = np.column_stack([np.ones(n), Z - mean])
    root = np.sqrt(w)[:, None]
    M = root * Z
    if alpha > 0:
        free = np.ones(d) if p is None else p
        free = np.append(float(penalized), free) if intercept else free
        M = np.vstack([M, np.diag(np.sqrt(alpha * free))])
    length = np.sqrt((M**2).sum(axis=0))
    U, s, _ = svd(M / np.where(length > 0, length, 1.0), full_matrices=False)
    U = U[:n, s > max(M.shape) * np.finfo(np.float64).eps * s[0]]
    h = (U**2).sum(axis=1)  # (3)
    fits = U @ (U.T @ (root * Y)) / root
    return Smoothed(without(Y, fits, h), h)


def without(Y: Floats, fits: Floats, h: Floats) -> Floats:
    """Return the prediction of each row by a fit without it (2), or NaN."""
    rest = np.where(1 - h > ALONE, 1 - h, np.nan)[:, None]
    return Y - (Y - fits) / rest


# -- kernels ---------------------------------------------------------------------------
def _kernel_ridge(model: Any, Z: Floats, Y: Floats, w: Floats) -> Any:
    if not real(0, ends="(]").holds(model.alpha) or model.gamma in ("scale",):
        return None  # the scale is chosen from the rows
    if not isinstance(model.kernel, str) or model.kernel == "precomputed":
        return None
    names = ("kernel", "gamma", "degree", "coef0")
    same = {name: getattr(model, name) for name in names}
    same["fit_intercept"] = getattr(model, "fit_intercept", False)
    path = KernelRidge(**same).path(Z, Y, [model.alpha], sample_weight=w)
    return Smoothed(path.loo[0], None)


def _locally_weighted(model: Any, Z: Floats, Y: Floats, w: Floats) -> Any:
    if model.tau == "loo":
        return None  # chosen from the rows
    local = LocallyWeightedRegression(**model.get_params()).fit(Z, Y, w)
    L = local.smoother(Z)
    h = np.diagonal(L)
    return Smoothed(without(Y, L @ Y, h), h)


ROUTES = {
    "KernelRidge": _kernel_ridge,
    "LinearRegression": _linear_regression,
    "LocallyWeightedRegression": _locally_weighted,
    "Ridge": _ridge,
}
