"""Ridge regression, in summation form.

Also known as: Tikhonov regularisation, weight decay, L2-penalised least squares, MAP
estimation with a Gaussian prior, MAP estimate.

Minimise  sum_n w_n (y_n - x_n' b - b0)^2 + alpha sum_j p_j b_j^2                (1)

    (Xc'W Xc + alpha P) b = Xc'W yc,     b0 = mean(y) - mean(X)' b               (2)

with P = diag(p), the identity unless `penalty_weights` say otherwise.  The intercept is
not penalised, for a shift of y must shift the predictions and change nothing else;
`penalize_intercept` adds alpha b0^2 to (1) all the same, and then b0 is the coefficient
of a column of ones in

    (X~'W X~ + alpha P) b~ = X~'W y,     X~ = [1 X],  b~ = (b0, b)               (3)

(2) has one solution for every alpha > 0, also with more columns than rows:
v'(Xc'Xc + alpha I)v = ||Xc v||^2 + alpha ||v||^2 > 0.  In the principal axes v_j of X,
with singular values d_j, it is least squares shrunk axis by axis,

    v_j' b = d_j^2 / (d_j^2 + alpha)  v_j' b_LS                                  (4)

(`ridge_path.py`).  MAP: noise N(0, sigma^2) and independent priors b_j ~ N(0,
tau_j^2) have the negative log posterior

    1/(2 sigma^2) sum_n (y_n - x_n'b - b0)^2 + sum_j b_j^2 / (2 tau_j^2) + const (5)

which is (1) divided by 2 sigma^2, with alpha p_j = sigma^2 / tau_j^2; alpha = sigma^2 /
tau^2 where all priors are the same.

The ridge also bounds the condition number: (lambda_max + alpha)/(lambda_min + alpha).

Notation: X (n, d); b = coef_; b0 = intercept_; p = penalty_weights.
Course: S1-14, S1-15, S3-94, S4-61. Reference: Hoerl and Kennard (1970).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.vectors import non_negative, numbers
from corollary.engine import Fitted
from corollary.linear.convex_statements import ridge_problem
from corollary.linear.least_squares.least_squares import LeastSquares

__all__ = ["Ridge"]

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
ROUTES = {
    "svd": "qr",
    "cholesky": "gram",
    "lsqr": "iterative",
    "sparse_cg": "iterative",
}
NAMES = {
    "qr": "svd",
    "gram": "cholesky",
    "iterative": "sparse_cg",
    "non-negative least squares": "lbfgs",
}


class Ridge(LeastSquares):
    """Least squares with an L2 penalty.

    Parameters
    ----------
    alpha : float or array of shape (m,), default=1.0
        Strength of the penalty, one for all targets or one for each.
    fit_intercept : bool, default=True
        Whether to fit b0.
    copy_X : bool, default=True
        Kept for compatibility; X is never changed.
    max_iter : int, optional
        Passes of the iterative route, 1000 by default.
    tol : float, default=1e-4
        Relative residual at which the iterative route stops.
    solver : {'auto', 'svd', 'cholesky', 'lsqr', 'sparse_cg', 'sag', 'saga', 'lbfgs'}
        'cholesky' solves (2), 'svd' goes by an orthogonal decomposition, 'lsqr' and
        'sparse_cg' by conjugate gradients.  The minimiser is unique, so the others,
        kept for compatibility, choose as 'auto' does.
    positive : bool, default=False
        Require b >= 0; takes the solver 'auto' or 'lbfgs'.
    random_state : ignored
        Kept for compatibility; nothing is drawn.
    penalize_intercept : bool, default=False
        Whether the penalty includes b0, as in (3).
    penalty_weights : array of shape (d,), optional
        p, the weight >= 0 of each squared coefficient in the penalty, all 1 by
        default; 0 leaves a coefficient free.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    intercept_ : float or array of shape (m,)
    n_iter_ : array of shape (1,)
        Passes over the data.
    solver_ : str
        The solver asked for, or for 'auto' the one of that name which comes nearest to
        the route taken; the report has the route itself.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-2.0, 0.0, 2.0])
    >>> Ridge(alpha=2.0).fit(X, y).coef_.tolist()
    [1.0]
    """

    rules: ClassVar = {
        "alpha": real(0) | array_like,
        "fit_intercept": boolean,
        "copy_X": boolean,
        "max_iter": missing | whole(1),
        "tol": real(0),
        "solver": one_of(*SOLVERS),
        "positive": boolean,
        "random_state": seed,
        "penalize_intercept": boolean,
        "penalty_weights": missing | array_like,
    }

    convex_problem = ridge_problem

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
        penalize_intercept: bool = False,
        penalty_weights: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalize_intercept = penalize_intercept
        self.penalty_weights = penalty_weights

    @classmethod
    def from_prior(
        cls, noise_variance: float, prior_variance: Any, **parameters: Any
    ) -> Ridge:
        """Make the MAP estimator for Gaussian noise and Gaussian priors on b (5).

        Parameters
        ----------
        noise_variance : float
            sigma^2, the variance of y around x'b + b0.
        prior_variance : float or array of shape (d,)
            tau^2, the prior variance of every coefficient or of each.
        **parameters
            Further parameters of `Ridge`.

        Examples
        --------
        >>> Ridge.from_prior(noise_variance=4.0, prior_variance=2.0).alpha
        2.0
        >>> Ridge.from_prior(4.0, [2.0, 8.0]).penalty_weights.tolist()
        [0.5, 0.125]
        """
        who = "Ridge.from_prior"
        for name, value in (("noise", noise_variance), ("prior", prior_variance)):
            variance = numbers(who, value, f"{name}_variance", ParameterError)
            if not (variance > 0).all():
                must = f"{name}_variance must be above 0"
                raise ParameterError(sentence(who, must, f"{variance.min():g}"))
        if np.ndim(prior_variance) == 0:
            return cls(alpha=noise_variance / prior_variance, **parameters)
        weights = 1.0 / np.asarray(prior_variance, dtype=np.float64)
        return cls(alpha=noise_variance, penalty_weights=weights, **parameters)

    def _weights(self, d: int) -> Floats | None:
        if self.penalty_weights is None:
            return None
        p = non_negative(self, self.penalty_weights, "penalty_weights", ParameterError)
        if p.shape != (d,):
            must = f"penalty_weights must hold one number for each of the {d} columns"
            raise DataError(sentence(self, must, f"shape {p.shape}"))
        return p

    def _alpha(self, targets: int) -> Floats:
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64)).ravel()
        if len(alpha) not in (1, targets):
            must = f"alpha must be one number or one for each of the {targets} targets"
            raise DataError(sentence(self, must, f"{len(alpha)} numbers"))
        if (alpha < 0).any():
            raise ParameterError(
                sentence(self, "alpha must be >= 0", f"{alpha.min():g}")
            )
        return alpha

    def _preferred_route(self) -> str | None:
        if self.positive and self.solver not in ("auto", "lbfgs"):
            must = f"solver {self.solver!r} does not support positive coefficients"
            remedy = "Use solver='auto'."
            raise ParameterError(sentence(self, must, "positive=True", remedy))
        return "qr" if self.positive else ROUTES.get(self.solver)

    def publish(self, fitted: Fitted) -> None:
        """Set the coefficients and the route taken."""
        self._publish(fitted.state)
        self.n_iter_ = np.array([fitted.report.passes])
        if np.ndim(self.coef_) == 2 and len(self.coef_) == 1:
            self.coef_ = self.coef_[0]  # one column of targets
        self.solver_ = (
            NAMES[fitted.state.route] if self.solver == "auto" else self.solver
        )
