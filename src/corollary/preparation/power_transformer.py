"""Power transforms of columns towards the normal distribution, in summation form.

Also known as: Box-Cox transform, Yeo-Johnson transform, variance-stabilising transform,
log transform, square-root transform.

Each column is bent by a power of its own, Box and Cox's for positive values, Yeo and
Johnson's for all:

    v = (x^lambda - 1) / lambda,   log x for lambda = 0                          (1)
    v = ((x + 1)^lambda - 1) / lambda             for x >= 0,
        -((1 - x)^(2 - lambda) - 1) / (2 - lambda)   for x < 0                   (2)

with logarithms where a divisor is 0.  lambda maximises the likelihood of the training
rows under a normal distribution of v (`power_profile`); lambda = 1 changes nothing but
the origin, 1/2 is the square root and 0 the logarithm.  Then v is standardised,

    z = (v - mean(v)) / deviation(v).                                            (3)

Exponents are searched for all columns at once, in about five passes over any source,
and everything is computed from logarithms, so that no power of a large value overflows.
A weight counts a row so many times; a missing value (NaN) counts nowhere and stays.

The report names the columns that a plain logarithm, a square root or nothing at all
suits as well: where the exponent 0, 1/2 or 1 loses no more log-likelihood than 1.92,
half the 95% point of chi-squared with one degree of freedom.

Notation: lambda = lambdas_; in (1) x is divided by exp(log_mean_) before (3).
Course: S3-112. References: Box and Cox (1964); Yeo and Johnson (2000).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, one_of
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Transformer
from corollary.core.warn import warn
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner
from corollary.preparation.power_profile import MOST_PASSES, Profile, logs, power
from corollary.preparation.scaler import one_to_one
from corollary.preparation.stateless import by_blocks

__all__ = ["PowerTransformer"]

CHI = 1.9207294103470655  # half the 95% point of chi-squared with 1 degree of freedom
SIMPLE = ("log_columns", "sqrt_columns", "plain_columns")


class PowerTransformer(SummationLearner, Transformer):
    """Bend each column towards the normal distribution.

    Parameters
    ----------
    method : {'yeo-johnson', 'box-cox'}, default='yeo-johnson'
        (2), or (1), which needs positive values.
    standardize : bool, default=True
        Whether (3) follows.
    copy : bool, default=True
        Kept for compatibility; X is never changed.

    Attributes
    ----------
    lambdas_ : array of shape (d,)
        The exponents; 1 of a constant column.
    log_mean_ : array of shape (d,)
        Mean of log x for 'box-cox', 0 for 'yeo-johnson'.
    mean_, scale_ : arrays of shape (d,), or None
        Mean and standard deviation of v of x / exp(`log_mean_`); None without
        `standardize`.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PowerTransformer
    >>> X = np.exp(np.random.default_rng(0).normal(size=(1000, 1)))
    >>> model = PowerTransformer("box-cox").fit(X)
    >>> model.lambdas_.round(2).tolist(), model.report_.facts["log_columns"]
    ([0.02], [0])
    """

    mean_: Any
    scale_: Any
    double_squares = True
    any_layout = True
    shapes: ClassVar = {
        "lambdas_": "d",
        "log_mean_": "d",
        "mean_": "d|",
        "scale_": "d|",
    }
    rules: ClassVar = {
        "method": one_of("yeo-johnson", "box-cox"),
        "standardize": boolean,
        "copy": boolean,
    }

    def __init__(
        self,
        method: str = "yeo-johnson",
        *,
        standardize: bool = True,
        copy: bool = True,
    ) -> None:
        self.method = method
        self.standardize = standardize
        self.copy = copy

    # -- learning ------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Pass missing values through."""
        return True

    def start(self, data: Data, seed: int) -> Profile:
        """Begin the search for the exponents."""
        return Profile(self._signed)

    def statistics(self, chunk: Chunk, state: Profile) -> Any:
        """Take the moments of v for some exponents."""
        if state.active is None and not self._signed:
            self._check_positive(chunk.X if chunk.w is None else chunk.X[chunk.w > 0])
        return state.count(chunk)

    def update(self, s: Any, state: Profile) -> Profile:
        """Narrow the search."""
        found = state.updated(s)
        if not self._signed and (found.n == 0).any():
            must = "Column must not be all nan: the Box-Cox transformation needs values"
            came = f"none in columns {np.flatnonzero(found.n == 0)[:10].tolist()}"
            raise DataError(sentence(self, must, came))
        return found

    def stop(self, state: Profile) -> StopReason | None:
        """Stop when every exponent is found."""
        return StopReason.CONVERGED if state.done else None

    def publishable(self, state: Profile) -> bool:
        """Tell whether every exponent is found."""
        return state.done

    def max_passes(self) -> int:
        """Bound the search."""
        return MOST_PASSES

    def settle(self, data: Data, state: Profile) -> Settled:
        """Take mean and deviation of v for (3)."""
        if not self.standardize or not state.varies.any():
            return Settled(state)
        return Settled(state.settled(data.reduce(state.at_best().count)))

    def account(self, state: Profile, report: Report) -> None:
        """Report what the exponents gain, and which columns a simple one suits."""
        report.objective = []
        report.optimality = Optimality("exponents are exact to", 1e-8)
        log, root, plain = state.losses
        known = np.isfinite(state.error) & (state.curvature > 0)
        for name, loss in zip(SIMPLE, (log, root, plain), strict=True):
            suited = np.flatnonzero((loss <= CHI) & known)
            if len(suited):
                report.facts[name] = suited.tolist()

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Profile = fitted.state
        self.lambdas_ = state.lam
        self.log_mean_ = 0.0 * state.centre if self._signed else state.centre
        self.mean_ = self.scale_ = None
        if self.standardize:
            self.mean_ = state.mean
            self.scale_ = np.where(state.deviation > 0, state.deviation, 1.0)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Bend rows by (1) or (2), and standardise them (3).

        Parameters
        ----------
        X : array of shape (n, d), or Source

        Returns
        -------
        array of shape (n, d)
            In the precision of X.
        """
        X = self._query(X, getattr(self, "n_features_in_", 1))
        if not self._signed:
            self._check_positive(X)
        lam, shift = np.asarray(self.lambdas_, dtype=np.float64), self._shift()

        def bend(rows: Floats, out: Floats) -> None:
            v = power(logs(rows, self._signed) - shift, lam, self._signed)
            if self.standardize:
                v -= self.mean_
                v /= self.scale_
            out[:] = v

        return by_blocks(bend, X)

    def inverse_transform(self, X: Any) -> Floats:
        """Return rows as they were before `transform`.

        Parameters
        ----------
        X : array of shape (n, d), or Source

        Returns
        -------
        array of shape (n, d)
            NaN, with a warning, where no value is bent that far.
        """
        with names_checked():
            X = self._query(X, getattr(self, "n_features_in_", 1))
        lam, shift = np.asarray(self.lambdas_, dtype=np.float64), self._shift()

        def straighten(rows: Floats, out: Floats) -> None:
            v = rows.astype(np.float64)
            if self.standardize:
                v = v * self.scale_ + self.mean_
            s = unpower(v, lam, self._signed) + shift
            out[:] = np.copysign(np.expm1(np.abs(s)), s) if self._signed else np.exp(s)

        Z = by_blocks(straighten, X)
        lost = np.flatnonzero((np.isnan(Z) & ~np.isnan(X)).any(axis=0))
        if len(lost):
            text = f"some values of columns {lost[:10].tolist()} come from no value"
            who = type(self).__name__
            warn(f"{who}: {text}; they are NaN.")
        return Z

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`, which are those of the input.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        return one_to_one(self, input_features)

    def _shift(self) -> Any:
        """Return what logarithms are taken from."""
        return self.log_mean_ if self.standardize and not self._signed else 0.0

    @property
    def _signed(self) -> bool:
        return self.method == "yeo-johnson"

    def _check_positive(self, X: Floats) -> None:
        low = np.fmin.reduce(X, axis=None, initial=np.inf)
        if low <= 0:
            must = "The Box-Cox transformation needs strictly positive data"
            remedy = "Use method='yeo-johnson'."
            raise DataError(sentence(self, must, f"{low:g}", remedy))


def unpower(v: Floats, lam: Floats, signed: bool) -> Floats:
    """Return the s whose power is v, NaN where there is none.

    >>> unpower(np.array([[7.5, 1.5]]), np.array([2.0, 0.0]), False).round(4)
    array([[1.3863, 1.5   ]])
    """
    k = np.where(v >= 0, lam, 2 - lam) if signed else np.broadcast_to(lam, v.shape)
    a = np.abs(v) if signed else v
    with np.errstate(invalid="ignore", divide="ignore"):
        grown = np.where(k * a > -1, np.log1p(np.maximum(k * a, -1)), np.nan)
        s = np.where(k == 0, a, grown / np.where(k == 0, 1.0, k))
    return np.copysign(s, v) if signed else s
