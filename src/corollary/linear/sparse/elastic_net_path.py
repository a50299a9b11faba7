"""The path of the elastic net: its solutions for many penalties, each from the last.

Also known as: regularisation path, homotopy.

With rho = l1_ratio and falling alpha the path begins where every coefficient is zero,

    alpha_max = max_j |x_j'W y| / (N rho)                                        (1)

and ends, alpha -> 0, in least squares.  The grid falls in equal ratios from alpha_max
to eps alpha_max.  Every solution starts from the one before it, and the strong rule
chooses the columns that may enter; `solvers/coordinate_descent.py` has the mathematics.

Course: S3-91. Reference: Friedman, Hastie and Tibshirani (2010).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_finite, check_targets, check_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, array_like, boolean, missing, real, whole
from corollary.core.records import readable
from corollary.core.sparse import canonical
from corollary.core.vectors import non_negative
from corollary.core.wording import one_sentence
from corollary.engine import Moments
from corollary.linear.sparse.design_learner import by_gram
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import path as solved_path
from corollary.solvers.design import Design, Grams, Rows

__all__ = ["CountedPath", "Path", "alpha_grid", "enet_path", "lasso_path"]


@readable
class Path(NamedTuple):
    """Solutions for falling penalties, as a tuple in scikit-learn's order."""

    alphas: Floats  # (a,), falling
    coefs: Floats  # (d, a)
    dual_gaps: Floats  # (a,)


@readable
class CountedPath(NamedTuple):
    """A path with the epochs of each solution."""

    alphas: Floats
    coefs: Floats
    dual_gaps: Floats
    n_iters: list[int]


def lasso_path(X: Any, y: Any, **parameters: Any) -> Path | CountedPath:
    """Compute the lasso at many alphas: `enet_path` with l1_ratio = 1.

    Parameters
    ----------
    X, y
        As in `enet_path`.
    **parameters
        Those of `enet_path`.

    Returns
    -------
    Path
        alphas, coefs, dual_gaps, and n_iters where asked for.

    Examples
    --------
    >>> from corollary.linear import lasso_path
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0]
    >>> path = lasso_path(X, y, alphas=[0.75, 0.25], tol=1e-12)
    >>> path.coefs.round(6).tolist()
    [[0.5, 1.5], [0.0, 0.5]]
    """
    return enet_path(X, y, l1_ratio=1.0, **parameters)


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int = 100,
    alphas: Any = None,
    coef_init: Any = None,
    sample_weight: Any = None,
    return_n_iter: bool = False,
    positive: bool = False,
    tol: float = 1e-4,
    max_iter: int = 1000,
) -> Path | CountedPath:
    """Compute the elastic net at many alphas, without an intercept.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Centre X and y first, where an intercept is wanted.
    y : array of shape (n,)
    l1_ratio : float, default=0.5
        Share of the L1 penalty, above 0 unless `alphas` are given.
    eps : float, default=1e-3
        The last alpha of the grid over the first, at most 1.
    n_alphas : int, default=100
        Length of the grid.
    alphas : array, optional
        The penalties, instead of the grid; taken in falling order.
    coef_init : array of shape (d,), optional
        Where the first solution starts.
    sample_weight : array of shape (n,), optional
        Weight w counts a row w times.
    return_n_iter : bool, default=False
        Whether to return the epochs as well.
    positive : bool, default=False
        Require b >= 0.
    tol : float, default=1e-4
        A solution is done when its duality gap is below ``tol * sum w y^2 / N``.
    max_iter : int, default=1000
        Epochs of descent for each alpha.

    Returns
    -------
    Path
        A tuple of `alphas` (a,), falling, `coefs` (d, a), `dual_gaps` (a,), and
        `n_iters`, a list of int, where asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.linear import enet_path
    >>> alphas, coefs, gaps = enet_path(np.eye(2), [2.0, 1.0], n_alphas=3, eps=0.25)
    >>> alphas.tolist(), coefs[:, 0].tolist()
    ([2.0, 1.0, 0.5], [0.0, 0.0])
    """
    who = "enet_path"
    check_rules(
        who,
        l1_ratio=(l1_ratio, real(0, 1)),
        eps=(eps, real(0, 1, ends="(]")),
        n_alphas=(n_alphas, whole(1)),
        alphas=(alphas, missing | array_like),
        positive=(positive, boolean),
        tol=(tol, real(0)),
        max_iter=(max_iter, whole(1)),
    )
    X, y, w = checked(who, X, y, sample_weight)
    design = design_of(X, y, w, intercept=False)
    if alphas is None:
        alphas = falling_alphas(who, design, l1_ratio, eps, n_alphas, positive)
    alphas = np.sort(non_negative(who, alphas, "alphas", ParameterError).ravel())[::-1]
    penalties = (Penalty(float(a), float(l1_ratio), bool(positive)) for a in alphas)
    start = None if coef_init is None else np.array(coef_init, dtype=float)[None]
    how: Any = {"tol": float(tol), "max_iter": int(max_iter), "start": start}
    points = [found for (found,) in solved_path(design, penalties, **how)]
    coefs = np.array([p.coef for p in points]).T.astype(X.dtype)
    found = Path(alphas, coefs, np.array([p.gap for p in points]))
    return CountedPath(*found, [p.epochs for p in points]) if return_n_iter else found


def alpha_grid(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int = 100,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    positive: bool = False,
) -> Floats:
    """Return penalties that fall in equal ratios from the least that zeroes all (1).

    These are the alphas among which `ElasticNetCV` and `LassoCV` choose.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
    l1_ratio : float, default=0.5
        Share of the L1 penalty, above 0; 1 for the lasso.
    eps : float, default=1e-3
        The last alpha over the first, at most 1.
    n_alphas : int, default=100
        How many.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    sample_weight : array of shape (n,), optional
        Weight w counts a row w times.
    positive : bool, default=False
        Whether the model requires b >= 0.

    Returns
    -------
    array of shape (n_alphas,), falling

    Examples
    --------
    >>> from corollary.linear import alpha_grid
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0]
    >>> alpha_grid(X, y, l1_ratio=1, n_alphas=3, eps=0.25, fit_intercept=False).tolist()
    [1.0, 0.5, 0.25]
    """
    who = "alpha_grid"
    check_rules(
        who,
        l1_ratio=(l1_ratio, real(0, 1)),
        eps=(eps, real(0, 1, ends="(]")),
        n_alphas=(n_alphas, whole(1)),
        fit_intercept=(fit_intercept, boolean),
        positive=(positive, boolean),
    )
    X, y, w = checked(who, X, y, sample_weight)
    design = design_of(X, y, w, intercept=fit_intercept)
    return falling_alphas(who, design, l1_ratio, eps, n_alphas, positive)


def check_rules(who: str, **given: tuple[Any, Rule]) -> None:
    """Refuse an argument that breaks its rule."""
    for name, (value, rule) in given.items():
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(who, must, f"{value!r}"))


def checked(
    who: str, X: Any, y: Any, sample_weight: Any, *, many: bool = False
) -> tuple[Matrix, Floats, Vector | None]:
    """Check what a function on plain arrays got; rows of weight 0 leave."""
    with one_sentence(who):
        X = check_array(
            canonical(who, X) if sp.issparse(X) else X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            input_name="X",
        )
    check_finite(who, X)
    y = check_targets(who, y, X.shape[0], X.dtype, many=many)
    w = check_weights(who, sample_weight, X.shape[0])
    if w is not None and not w.all():
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
    return X, y, w


def design_of(X: Matrix, y: Floats, w: Vector | None, *, intercept: bool) -> Design:
    """Return a problem for each target, by the route that suits the shape of X."""
    Y = y if y.ndim == 2 else y[:, None]
    if by_gram(*X.shape):
        return Grams([Moments.of(X, w, Y)], X.shape[1], intercept=intercept)
    W = None if w is None else np.repeat(w[:, None], Y.shape[1], axis=1)
    return Rows(X, Y.astype(np.float64), W, intercept=intercept)


def falling_alphas(
    who: object,
    design: Design,
    l1_ratio: float,
    eps: float,
    count: int,
    positive: bool = False,
) -> Floats:
    """Return penalties that fall in equal ratios from (1), for one problem."""
    if l1_ratio == 0:
        must = "l1_ratio must be above 0 for a grid of alphas that begins at b = 0"
        raise ParameterError(sentence(who, must, "0", "Give the alphas."))
    size = design.c if positive else np.abs(design.c)
    highest = float(size.max(initial=0.0) / design.n[0] / l1_ratio)
    if highest == 0:
        return np.full(count, float(np.finfo(np.float64).resolution))
    return np.geomspace(highest, highest * eps, count)
