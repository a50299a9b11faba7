"""Least angle regression, and the lasso by its whole path.

Also known as: LARS, LassoLars, homotopy, forward stagewise regression in its limit.
Related words: regularisation path, forward selection, subset selection.

From b = 0 the column that correlates most with y enters.  Its coefficient moves towards
least squares until another column correlates as much with what is left,

    |x_j'W r| = lambda  for the columns that have entered,  < lambda elsewhere      (1)

then both move together, in the direction that keeps (1), and so on: forward selection
that does not take a column for granted.  After d steps it is least squares (`Lars`).
Let a column leave where its coefficient would change its sign, and the path is that of

    min_b  (1/2N) sum_n w_n (y_n - x_n'b - b0)^2 + alpha ||b||_1,  alpha = lambda/N (2)

for every alpha from max_j |x_j'W y| / N down (`LassoLars`), linear between knots, and
exact where coordinate descent approaches.  A fit reads the data once for the Gram
matrix, or takes the columns from rows in memory where there are many of them;
`solvers/least_angle.py` has the mathematics.

The path is for few columns that matter: it takes as many steps as columns enter and
leave, each over all columns.  `Lasso` goes to one alpha directly.

Notation: X (n, d); b = coef_; b0 = intercept_; k knots.
Course: S3-91, S4-58. References: Efron, Hastie, Johnstone and Tibshirani (2004);
Osborne, Presnell and Turlach (2000).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import (
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.records import readable
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.engine import Fitted
from corollary.linear.convex_statements import sparse_problem
from corollary.linear.sparse.design_learner import DesignLearner, Shrunk
from corollary.linear.sparse.elastic_net_path import checked, design_of
from corollary.solvers.design import Design
from corollary.solvers.least_angle import AnglePath, least_angle_path

__all__ = ["Lars", "LassoLars", "lars_path"]

LOOSE = 1e-6  # share of the objective that the gap of a path walked to its end may be
EPS = float(np.finfo(np.float64).eps)
RULES = {
    "fit_intercept": boolean,
    "verbose": boolean | whole(0),
    "precompute": boolean | one_of("auto", None) | array_like,
    "eps": real(0),
    "copy_X": boolean,
    "fit_path": boolean,
    "jitter": missing | real(0),
    "random_state": seed,
}


class Lars(DesignLearner):
    """Least angle regression.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit b0.
    verbose : ignored
        Kept for compatibility.
    precompute : bool, 'auto', array or None, default='auto'
        True asks for the Gram matrix of all columns; otherwise the shape of the data
        decides.  A given matrix is not needed: it is only an order to use one.
    n_nonzero_coefs : int, default=500
        The path ends when so many columns have entered; inf for all.
    eps : ignored
        Kept for compatibility.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    fit_path : bool, default=True
        Whether to keep the path in `coef_path_`.
    jitter, random_state : ignored
        Kept for compatibility; columns that tie enter at one knot without noise.

    Attributes
    ----------
    alphas_ : array of shape (k,), or list of m such arrays
        lambda / N of (1) at every knot, falling.
    active_ : list of int, or list of m such lists
        The columns that have entered, in their order.
    coef_path_ : array of shape (d, k), or list of m such arrays
        b at every knot.
    coef_ : array of shape (d,) or (m, d)
        b at the last.
    intercept_ : float or array of shape (m,)
    n_iter_ : int or list of int
        Steps from knot to knot.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Lars
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = Lars().fit(X, X @ [3.0, 1.0])
    >>> model.alphas_.round(6).tolist(), model.coef_path_.round(6).tolist()
    ([3.0, 1.0, 0.0], [[0.0, 2.0, 3.0], [0.0, 0.0, 1.0]])
    """

    no_convex_problem = "whose path minimises no objective; LassoLars does"
    rules: ClassVar = RULES | {"n_nonzero_coefs": whole(1) | real(1)}

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        verbose: Any = False,
        precompute: Any = "auto",
        n_nonzero_coefs: float = 500,
        eps: float = EPS,
        copy_X: bool = True,
        fit_path: bool = True,
        jitter: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.n_nonzero_coefs = n_nonzero_coefs
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return with_paths(state, design, most_columns=float(self.n_nonzero_coefs))

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the steps, and how well the last knot meets (1)."""
        report_paths(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the path, and its end, in the shape of y."""
        publish_paths(self, fitted.state)


class LassoLars(DesignLearner):
    """The lasso by its path, from the largest penalty down to alpha.

    Parameters
    ----------
    alpha : float, default=1.0
        Where the path ends; 0 is least squares.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    verbose : ignored
        Kept for compatibility.
    precompute : bool, 'auto', array or None, default='auto'
        True asks for the Gram matrix of all columns; otherwise the shape of the data
        decides.  A given matrix is not needed: it is only an order to use one.
    max_iter : int, default=500
        Steps from knot to knot.
    eps : ignored
        Kept for compatibility.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    fit_path : bool, default=True
        Whether to keep the path in `coef_path_`.
    positive : bool, default=False
        Require b >= 0.
    jitter, random_state : ignored
        Kept for compatibility; columns that tie enter at one knot without noise.

    Attributes
    ----------
    alphas_ : array of shape (k,), or list of m such arrays
        The penalty at every knot, falling to alpha.
    active_ : list of int, or list of m such lists
        The columns whose coefficients are not 0 at the end.
    coef_path_ : array of shape (d, k), or list of m such arrays
        b at every knot.
    coef_ : array of shape (d,) or (m, d)
        b at the last.
    intercept_ : float or array of shape (m,)
    n_iter_ : int or list of int
        Steps from knot to knot.
    n_features_in_ : int
    report_ : Report
        With the duality gap at alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LassoLars
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = LassoLars(alpha=0.5).fit(X, X @ [3.0, 1.0])
    >>> model.alphas_.round(6).tolist(), model.coef_.round(6).tolist()
    ([3.0, 1.0, 0.5], [2.5, 0.5])
    """

    rules: ClassVar = RULES | {
        "alpha": real(0),
        "max_iter": whole(1),
        "positive": boolean,
    }

    convex_problem = sparse_problem

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        verbose: Any = False,
        precompute: Any = "auto",
        max_iter: int = 500,
        eps: float = EPS,
        copy_X: bool = True,
        fit_path: bool = True,
        positive: bool = False,
        jitter: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.max_iter = max_iter
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.positive = positive
        self.jitter = jitter
        self.random_state = random_state

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        return with_paths(
            state,
            design,
            lasso=True,
            positive=bool(self.positive),
            alpha_min=float(self.alpha),
            most_steps=int(self.max_iter),
        )

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the steps, and how well the last knot meets (1)."""
        report_paths(state, report)

    def publish(self, fitted: Fitted) -> None:
        """Set the path, and its end, in the shape of y."""
        publish_paths(self, fitted.state)


def with_paths(state: Shrunk, design: Design, **how: Any) -> Shrunk:
    """Return the state with the path of every target."""
    paths = tuple(least_angle_path(design, k, **how) for k in range(len(design.y2)))
    intercept = design.intercepts(np.array([path.coef for path in paths]))
    return replace(state, points=paths, intercept=intercept)


def report_paths(state: Shrunk, report: Report) -> None:
    """Report the steps, and how well the last knot meets (1)."""
    paths: tuple[AnglePath, ...] = state.points
    report.objective = report.objective[-1:]
    short = not all(path.reached for path in paths)
    loose = any((path.gap or 0.0) > LOOSE * path.objective for path in paths)
    report.stop = StopReason.STALLED if loose else StopReason.CLOSED_FORM
    if short:
        report.stop = StopReason.MAX_PASSES
    gaps = [path.gap for path in paths if path.gap is not None]
    if gaps:
        value = sum(path.objective for path in paths)
        gap = stored_gap(sum(gaps), value, state.dtype)
        share = gap / value if value else None
        report.optimality = Optimality("duality gap", gap, share)
    else:
        spread = max(path.spread for path in paths)
        kind = "active correlations differ, relative to the first, by"
        report.optimality = Optimality(kind, spread)
    report.facts["route"] = state.route
    report.facts["n_steps"] = sum(path.n_iter for path in paths)
    counts = [np.count_nonzero(path.values[-1]) for path in paths]
    report.facts["n_nonzero"] = int(sum(counts))


def publish_paths(learner: Any, state: Shrunk) -> None:
    """Set the paths, and their ends, in the shape of y."""
    paths, dtype, many = state.points, state.dtype, len(state.points) > 1
    coef = np.array([path.coef for path in paths]).astype(dtype)
    learner.coef_ = coef if many else coef[0]
    intercept = state.intercept.astype(dtype)
    learner.intercept_ = intercept if state.many else intercept[0]
    if not learner.fit_intercept:
        learner.intercept_ = 0.0
    alphas = [path.alphas.astype(dtype) for path in paths]
    active = [list(path.active) for path in paths]
    steps = [path.n_iter for path in paths]
    learner.alphas_ = alphas if many else alphas[0]
    learner.active_ = active if many else active[0]
    learner.n_iter_ = steps if many else steps[0]
    vars(learner).pop("coef_path_", None)
    if learner.fit_path:
        coefs = [path.coefs.astype(dtype) for path in paths]
        learner.coef_path_ = coefs if many else coefs[0]


@readable
class LarsPath(NamedTuple):
    """A path, as a tuple in scikit-learn's order."""

    alphas: Any  # (k,), falling, or the last
    active: list[int]
    coefs: Floats  # (d, k), or (d,)


@readable
class CountedLarsPath(NamedTuple):
    """A path with the number of its steps."""

    alphas: Any
    active: list[int]
    coefs: Floats
    n_iter: int


def lars_path(
    X: Any,
    y: Any,
    *,
    method: str = "lar",
    alpha_min: float = 0.0,
    max_iter: int = 500,
    positive: bool = False,
    sample_weight: Any = None,
    return_path: bool = True,
    return_n_iter: bool = False,
) -> LarsPath | CountedLarsPath:
    """Compute the path of least angle regression or of the lasso, without intercept.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Centre X and y first, where an intercept is wanted.
    y : array of shape (n,)
    method : {'lar', 'lasso'}, default='lar'
    alpha_min : float, default=0.0
        Where the path ends.
    max_iter : int, default=500
        Steps from knot to knot.
    positive : bool, default=False
        Require b >= 0, of 'lasso'.
    sample_weight : array of shape (n,), optional
        Weight w counts a row w times.
    return_path : bool, default=True
        Whether to return all knots, or the last alone.
    return_n_iter : bool, default=False
        Whether to return the number of steps as well.

    Returns
    -------
    alphas : array of shape (k,), or float
    active : list of int
    coefs : array of shape (d, k), or (d,)
    n_iter : int, where asked for

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.linear.sparse.least_angle import lars_path
    >>> alphas, active, coefs = lars_path(np.eye(2), [2.0, 1.0])
    >>> alphas.tolist(), active, coefs.tolist()
    ([1.0, 0.5, 0.0], [0, 1], [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0]])
    """
    who: Any = "lars_path"
    for name, value, rule in (
        ("method", method, one_of("lar", "lasso")),
        ("alpha_min", alpha_min, real(0)),
        ("max_iter", max_iter, whole(0)),
        ("positive", positive, boolean),
    ):
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(who, must, f"{value!r}"))
    if positive and method == "lar":
        must = "positive=True needs method='lasso'"
        raise ParameterError(sentence(who, must, "method='lar'"))
    X, y, w = checked(who, X, y, sample_weight)
    path = least_angle_path(
        design_of(X, y, w, intercept=False),
        lasso=method == "lasso",
        positive=positive,
        alpha_min=float(alpha_min),
        most_steps=max_iter,
    )
    coefs: Floats = path.coefs if return_path else path.coef
    alphas = path.alphas if return_path else float(path.alphas[-1])
    found = LarsPath(alphas, list(path.active), coefs.astype(X.dtype))
    return CountedLarsPath(*found, path.n_iter) if return_n_iter else found
