"""A regressor of the logarithm of a target: effects that multiply.

Also known as: log-linear regression, log transform of the target, log-normal
regression.

Prices, incomes and counts spread in proportion to their size.  Their logarithm does
not, and what multiplies adds up.  A regressor f is fitted to

    z = (t - m) / s,    t = log(y + c)                                             (1)

with m and s the mean and deviation of t, and c = 0, or the least positive target where
some are 0.  What it answers is turned back by

    y = a exp(m + s f(x)) - c,    a = sum_i (y_i + c) / sum_i exp(m + s f(x_i))    (2)

where a makes up for the mean of a logarithm being less than the logarithm of the mean
(smearing).  An answer far from all that was seen would be thrown beyond measure by exp;
m + s f(x) is kept within s of the least and the largest t.

Notation: c = shift_; m = mean_; s = scale_; a = factor_.
Course: S3-112. Reference: Duan (1983).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import Rule, anything, check_parameters
from corollary.core.roles import Estimator

__all__ = ["LogTarget"]

LARGEST = 700.0  # logarithm of a float


class LogTarget(RegressorMixin, Estimator):
    """Fits a regressor to the logarithm of a target that is nowhere below 0.

    Parameters
    ----------
    regressor : regressor
        Unfitted; cloned.

    Attributes
    ----------
    regressor_ : regressor
        Fitted to (1).
    shift_, mean_, scale_, factor_ : float
    limits_ : array of shape (2,)
        Between which m + s f(x) is kept.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.workbench.log_target import LogTarget
    >>> x = np.linspace(0, 3, 20)[:, None]
    >>> model = LogTarget(LinearRegression()).fit(x, np.exp(2 + x[:, 0]))
    >>> round(float(np.log(model.predict([[1.5]]))[0]), 6)
    3.5
    """

    rules: ClassVar[dict[str, Rule]] = {"regressor": anything}
    shapes: ClassVar[dict[str, str]] = {"limits_": "2"}

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from training rows."""
        check_parameters(self, self.rules)
        y = np.asarray(y, dtype=np.float64)
        if not y.min() >= 0 or not y.max() > 0:
            must = "targets must be 0 or more, some of them above 0"
            raise DataError(sentence(self, must, f"from {y.min():g} to {y.max():g}"))
        self.shift_ = 0.0 if y.min() > 0 else float(y[y > 0].min())
        t = np.log(y + self.shift_)
        self.mean_, self.scale_ = float(t.mean()), float(t.std()) or 1.0
        ends = [t.min() - self.scale_, t.max() + self.scale_]
        self.limits_ = np.clip(ends, -LARGEST, LARGEST)
        self.factor_ = 1.0
        z = (t - self.mean_) / self.scale_
        self.regressor_ = clone(self.regressor).fit(X, z)
        self.n_features_in_ = X.shape[1]
        self.factor_ = float((y + self.shift_).sum() / self._exp(X).sum())
        return self

    def predict(self, X: Any) -> Floats:
        """Return the targets to expect (2)."""
        check_is_fitted(self)
        return np.asarray(self.factor_ * self._exp(X) - self.shift_)

    def _exp(self, X: Any) -> Vector:
        """Return exp(m + s f(x)), kept within limits."""
        t = self.mean_ + self.scale_ * np.asarray(self.regressor_.predict(X))
        return np.exp(np.clip(t, *self.limits_))

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        numbers = [self.shift_, self.mean_, self.scale_, self.factor_, *self.limits_]
        finite = all(isinstance(x, float) and np.isfinite(x) for x in numbers)
        if not finite or not self.limits_[0] <= self.limits_[1] <= LARGEST:
            must = "what it learned must be finite numbers in order"
            raise DataError(sentence(self, must, "others"))
