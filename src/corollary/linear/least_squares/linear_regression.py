"""Linear regression by least squares, in summation form.

Also known as: ordinary least squares, OLS, the normal equation, the best linear
unbiased estimator, maximum likelihood under Gaussian noise.
Related words: condition number, sum of squared errors.

Minimise  J(b, b0) = sum_n w_n (y_n - x_n' b - b0)^2                             (1)

Its gradient vanishes where the residual is orthogonal to every column:

    Xc'W Xc b = Xc'W yc,     b0 = mean(y) - mean(X)' b                           (2)

with weighted means taken out of the columns.  One pass over the rows gives both sides
of (2); where its conditioning would cost digits a second pass gives a QR decomposition
instead (`solvers/normal_equations.py`).  If the columns are dependent the shortest
solution is returned and the report names the columns that follow from the others.

Notation: X (n, d); y (n,) or (n, m); b = coef_; b0 = intercept_.
Course: S1-13, S1-15, S4-3, S4-6. Reference: Hastie, Tibshirani, Friedman (2009), 3.2.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.parameters import anything, boolean, real
from corollary.engine import Fitted
from corollary.linear.convex_statements import least_squares_problem
from corollary.linear.least_squares.least_squares import LeastSquares

__all__ = ["LinearRegression"]


class LinearRegression(LeastSquares):
    """Ordinary least squares.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit b0.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    tol : float, default=1e-6
        Relative residual at which the iterative route stops (sparse data with very
        many columns).
    n_jobs : None
        Kept for compatibility; see `corollary.set_config(threads=...)`.
    positive : bool, default=False
        Require b >= 0.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    intercept_ : float or array of shape (m,)
    rank_ : int
        Numerical rank of the centred X.
    singular_ : array
        Singular values of the centred X.
    n_features_in_ : int
    report_ : Report
        With the condition number, the route taken, and dependent columns by name.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> model = LinearRegression().fit(X, 3 + X @ [1.0, 2.0])
    >>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
    ([1.0, 2.0], 3.0)
    """

    rules: ClassVar = {
        "fit_intercept": boolean,
        "copy_X": boolean,
        "tol": real(0),
        "n_jobs": anything,
        "positive": boolean,
    }

    convex_problem = least_squares_problem

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    def _alpha(self, targets: int) -> Floats:
        return np.zeros(1)

    def _weights(self, d: int) -> None:
        return None

    def _preferred_route(self) -> str | None:
        return "qr" if self.positive else None

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self._publish(fitted.state)
