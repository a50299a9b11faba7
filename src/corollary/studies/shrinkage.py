"""What shrinkage does to least squares: paths of the lasso and of ridge, and a picture.

Also known as: shrinkage factor, profiles of coefficients, coefficient paths, L1 and L2
balls, diamond and disc.

The lasso bounds the sum of the absolute coefficients, ridge the sum of their squares:

    min ||y - X w||^2   subject to   ||w||_1 <= t    or    ||w||_2 <= t          (1)

From t0 = ||w_LS||_1 on the lasso is least squares, so that the share

    s = t / t0,   0 <= s <= 1                                                    (2)

tells how much it shrinks; of ridge the effective degrees of freedom do,

    df(lambda) = sum_j d_j^2 / (d_j^2 + lambda),   d_j the singular values of X  (3)

Along the lasso's path every coefficient is a straight line in t between the places
where one enters or leaves, so the path at any s lies between two corners of the path of
least angles.  Inputs with strong correlation make least squares large and cancelling;
shrinkage then lowers the error on new rows.

In two dimensions (1) is where the ellipses of the error first touch the region of the
constraint.  The gradient of the error there is normal to the region: along the signs of
w at an edge of the diamond, along w itself on the disc.  The diamond has corners, which
ellipses touch first from many directions, and there a coefficient is exactly 0.

Notation: w (M,) coefficients; X, y about their means.
Course: S3-91, S3-114. References: Tibshirani (1996); Hastie, Tibshirani, Friedman
(2009), 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from corollary.core.arrays import Floats
from corollary.core.checks import check_targets
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.randomness import entropy, generator
from corollary.core.records import readable
from corollary.core.vectors import rows_of
from corollary.linear.least_squares.linear_regression import LinearRegression
from corollary.linear.least_squares.ridge import Ridge
from corollary.linear.least_squares.ridge_path import ridge_path
from corollary.linear.sparse.least_angle import LassoLars

__all__ = [
    "PenaltyRegions",
    "ShrinkagePaths",
    "correlated_regression",
    "penalty_regions",
    "shrinkage_paths",
]

SMALLEST = 1e-9  # of the largest coefficient: is one 0?


@readable
class CorrelatedRows(NamedTuple):
    """Rows whose inputs are correlated."""

    X: Floats
    y: Floats


def correlated_regression(
    n: int = 50,
    w: Any = (1.0, 2.0, 3.0, 4.0),
    correlation: float = 0.0,
    noise: float = 1.0,
    random_state: Any = None,
) -> CorrelatedRows:
    """Draw Gaussian inputs, any two correlated alike, and y = X w + noise.

    Parameters
    ----------
    n : int, default=50
    w : array of shape (M,), default=(1, 2, 3, 4)
    correlation : float, default=0.0
        In [0, 1].
    noise : float, default=1.0
        Standard deviation.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorrelatedRows
        X (n, M) and y (n,).

    Examples
    --------
    >>> from corollary.studies import correlated_regression
    >>> X, y = correlated_regression(10_000, correlation=0.9, random_state=0)
    >>> float(np.corrcoef(X.T)[0, 1].round(2))
    0.9
    """
    rules = {"n": (n, whole(1)), "correlation": (correlation, real(0, 1))}
    for name, (value, rule) in (rules | {"noise": (noise, real(0))}).items():
        if not rule.holds(value):
            must = f"{name} must be {rule}"
            raise ParameterError(sentence("correlated_regression", must, f"{value!r}"))
    w = np.asarray(w, dtype=np.float64).ravel()
    draw = generator(entropy(random_state))
    common, own = draw.normal(size=(n, 1)), draw.normal(size=(n, len(w)))
    X = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    return CorrelatedRows(X, X @ w + noise * draw.normal(size=n))


@readable
@dataclass(frozen=True)
class ShrinkagePaths:
    """Coefficients and errors along the paths of the lasso and of ridge.

    Attributes
    ----------
    least_squares : array of shape (M,)
    t0 : float
        The sum of its absolute coefficients.
    s : array of shape (k,)
        Shares of t0 (2), rising.
    lasso_coefs : array of shape (k, M)
    lasso_errors : array of shape (k,)
        Mean squared error on the test rows.
    df : array of shape (k,)
        Degrees of freedom of ridge (3), rising.
    ridge_coefs : array of shape (k, M)
    ridge_errors : array of shape (k,)
    """

    least_squares: Floats
    t0: float
    s: Floats
    lasso_coefs: Floats
    lasso_errors: Floats
    df: Floats
    ridge_coefs: Floats
    ridge_errors: Floats

    @property
    def best_s(self) -> float:
        """The share of the least error on the test rows."""
        return float(self.s[np.argmin(self.lasso_errors)])

    @property
    def best_df(self) -> float:
        """The degrees of freedom of the least error on the test rows."""
        return float(self.df[np.argmin(self.ridge_errors)])

    def plot(self, axes: Any = None) -> Any:
        """Draw coefficients above errors, of the lasso over s and of ridge over df.

        Needs the extra ``corollary[plots]``.

        Parameters
        ----------
        axes : array of shape (2, 2), optional
            Axes of matplotlib.
        """
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(2, 2, sharex="col", figsize=(9, 6))[1]
        sides = (
            (
                "lasso",
                "shrinkage factor s",
                self.s,
                self.lasso_coefs,
                self.lasso_errors,
            ),
            (
                "ridge",
                "degrees of freedom",
                self.df,
                self.ridge_coefs,
                self.ridge_errors,
            ),
        )
        for (upper, lower), (name, label, x, coefs, errors) in zip(
            np.asarray(axes).T, sides, strict=True
        ):
            upper.plot(x, coefs)
            upper.set_title(name)
            upper.set_ylabel("coefficients")
            lower.plot(x, errors)
            lower.axvline(x[np.argmin(errors)], linestyle=":")
            lower.set_xlabel(label)
            lower.set_ylabel("error on test rows")
        return axes


def shrinkage_paths(
    X: Any, y: Any, X_test: Any, y_test: Any, n_points: int = 51
) -> ShrinkagePaths:
    """Follow the lasso and ridge from 0 to least squares, judged on test rows.

    Parameters
    ----------
    X : array of shape (n, M)
    y : array of shape (n,)
    X_test, y_test
        Other rows.
    n_points : int, default=51
        Points of each path.

    Returns
    -------
    ShrinkagePaths

    Examples
    --------
    >>> from corollary.studies import correlated_regression, shrinkage_paths
    >>> train = correlated_regression(30, correlation=0.95, noise=4, random_state=0)
    >>> test = correlated_regression(2000, correlation=0.95, noise=4, random_state=1)
    >>> paths = shrinkage_paths(*train, *test)
    >>> bool(paths.best_s < 1), bool(paths.lasso_errors.min() < paths.lasso_errors[-1])
    (True, True)
    """
    who = "shrinkage_paths"
    if not whole(2).holds(n_points):
        must = "n_points must be a whole number >= 2"
        raise ParameterError(sentence(who, must, f"{n_points!r}"))
    X, y = checked(who, X, y)
    X_test, y_test = checked(who, X_test, y_test)
    if X_test.shape[1] != X.shape[1]:
        must = f"X_test must have the {X.shape[1]} columns of X"
        raise DataError(sentence(who, must, f"{X_test.shape[1]}"))
    line = LinearRegression().fit(X, y)
    s, lasso = np.linspace(0, 1, n_points), lasso_profile(X, y, n_points)
    df, ridge = ridge_profile(X, y, n_points)
    means = X.mean(axis=0), y.mean()

    def errors(coefs: Floats) -> Floats:
        predicted = (X_test - means[0]) @ coefs.T + means[1]
        return np.asarray(((predicted - y_test[:, None]) ** 2).mean(axis=0))

    t0 = float(np.abs(line.coef_).sum())
    return ShrinkagePaths(
        line.coef_, t0, s, lasso, errors(lasso), df, ridge, errors(ridge)
    )


def lasso_profile(X: Floats, y: Floats, k: int) -> Floats:
    """Return the lasso's coefficients at even shares of t0, (k, M)."""
    corners = LassoLars(alpha=0.0).fit(X, y).coef_path_.T
    t = np.abs(corners).sum(axis=1)
    shares = np.linspace(0, t[-1], k)
    return np.column_stack([np.interp(shares, t, column) for column in corners.T])


def ridge_profile(X: Floats, y: Floats, k: int) -> tuple[Floats, Floats]:
    """Return degrees of freedom from near 0 to M, and ridge's coefficients there."""
    scale = float(((X - X.mean(axis=0)) ** 2).sum())
    alphas = scale * np.append(np.geomspace(1e4, 1e-6, k - 1), 0.0)
    path = ridge_path(X, y, alphas)
    return path.df, path.coefs


# -- the picture -----------------------------------------------------------------------
@readable
@dataclass(frozen=True)
class PenaltyRegions:
    """Where the ellipses of the error first touch the diamond and the disc.

    Attributes
    ----------
    least_squares : array of shape (2,)
    lasso, ridge : array of shape (2,)
        The solutions of (1).
    diamond, disc : float
        Their bounds t.
    gram : array of shape (2, 2)
        Xc'Xc, the shape of the ellipses.
    """

    least_squares: Floats
    lasso: Floats
    ridge: Floats
    diamond: float
    disc: float
    gram: Floats

    @property
    def corner(self) -> bool:
        """Whether the lasso stands at a corner of the diamond."""
        return bool(np.abs(self.lasso).min() <= SMALLEST * np.abs(self.lasso).max())

    def error(self, w: Any) -> Floats:
        """Return what points w (..., 2) add to the least sum of squares."""
        D = np.asarray(w, dtype=np.float64) - self.least_squares
        return np.asarray(np.einsum("...i,ij,...j->...", D, self.gram, D))

    def plot(self, axes: Any = None) -> Any:
        """Draw both regions with the ellipses that touch them.

        Needs the extra ``corollary[plots]``.

        Parameters
        ----------
        axes : array of shape (2,), optional
            Axes of matplotlib.
        """
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(1, 2, figsize=(9, 4.5))[1]
        reach = 1.3 * max(np.abs(self.least_squares).max(), self.diamond, self.disc)
        grid = np.stack(np.meshgrid(*[np.linspace(-reach, reach, 201)] * 2), axis=-1)
        angle = np.linspace(0, 2 * np.pi, 200)
        diamond = self.diamond * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        disc = self.disc * np.column_stack([np.cos(angle), np.sin(angle)])
        sides = (("lasso", diamond, self.lasso), ("ridge", disc, self.ridge))
        for ax, (name, region, point) in zip(np.ravel(axes), sides, strict=True):
            touching = float(self.error(point))
            ax.fill(*region.T, alpha=0.4)
            levels = sorted({0.25 * touching, touching, 2.25 * touching})
            if touching > 0:
                ax.contour(*np.moveaxis(grid, -1, 0), self.error(grid), levels)
            ax.plot(*point, marker="o")
            ax.plot(*self.least_squares, marker="x")
            ax.set_title(name)
            ax.set_aspect("equal")
        return axes


def penalty_regions(X: Any, y: Any, share: float = 0.5) -> PenaltyRegions:
    """Bound two coefficients by a share of what least squares takes, in both norms.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
    share : float, default=0.5
        Of the norm of the solution of least squares, in (0, 1].

    Returns
    -------
    PenaltyRegions

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.studies import penalty_regions
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    >>> regions = penalty_regions(X, X @ [3.0, 1.0])
    >>> regions.lasso.round(6).tolist(), regions.corner
    ([2.0, 0.0], True)
    >>> regions.ridge.round(6).tolist()
    [1.5, 0.5]
    """
    who = "penalty_regions"
    if not real(0, 1, ends="(]").holds(share):
        must = f"share must be {real(0, 1, ends='(]')}"
        raise ParameterError(sentence(who, must, f"{share!r}"))
    X, y = checked(who, X, y)
    if X.shape[1] != 2:
        raise DataError(sentence(who, "X must have 2 columns", f"{X.shape[1]}"))
    b = LinearRegression().fit(X, y).coef_
    Xc = X - X.mean(axis=0)
    corners = LassoLars(alpha=0.0).fit(X, y).coef_path_.T
    t, diamond = np.abs(corners).sum(axis=1), share * float(np.abs(b).sum())
    lasso = np.array([np.interp(diamond, t, column) for column in corners.T])
    disc = share * float(np.linalg.norm(b))
    return PenaltyRegions(b, lasso, on_disc(X, y, b, disc), diamond, disc, Xc.T @ Xc)


def on_disc(X: Floats, y: Floats, b: Floats, t: float) -> Floats:
    """Return the ridge solution of length t, by its penalty."""
    length = float(np.linalg.norm(b))
    if not t < length * (1 - 1e-12):
        return b
    scale = float(((X - X.mean(axis=0)) ** 2).sum())

    def too_long(log_alpha: float) -> float:
        model = Ridge(alpha=scale * np.exp(log_alpha)).fit(X, y)
        return float(np.linalg.norm(model.coef_)) - t

    root = brentq(too_long, -40.0, np.log(length / t) + 5.0, xtol=1e-13)
    return np.asarray(Ridge(alpha=scale * np.exp(root)).fit(X, y).coef_)


def checked(who: str, X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return rows and targets as finite floats."""
    X = rows_of(who, X)
    return X, check_targets(who, y, len(X), np.float64, many=False)
