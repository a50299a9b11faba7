"""The base-rate report: what a test says depends on how common the condition is.

Also known as: base rate fallacy, prevalence fallacy, positive predictive value, PPV and
NPV, Bayes inversion of a test.

A test that is positive with probability s among the ill (sensitivity) and negative with
probability t among the healthy (specificity) gives, at prevalence pi,

    P(ill | +)     = s pi / (s pi + (1 - t) (1 - pi))                            (1)
    P(healthy | -) = t (1 - pi) / (t (1 - pi) + (1 - s) pi)                      (2)

In odds a positive result multiplies by the likelihood ratio s / (1 - t), so a positive
is more likely ill than healthy only above the prevalence

    pi* = (1 - t) / (s + 1 - t)                                                  (3)

Notation: s = sensitivity; t = specificity; pi = prevalence.
Course: S0-2. Reference: Bar-Hillel (1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence

__all__ = ["BaseRate", "base_rate_report"]


@dataclass(frozen=True)
class BaseRate:
    """What a result means at each prevalence.

    Attributes
    ----------
    sensitivity, specificity : float
    prevalence : array of shape (m,)
    ill_if_positive : array of shape (m,)
        (1), also called positive predictive value.
    healthy_if_negative : array of shape (m,)
        (2), also called negative predictive value.
    """

    sensitivity: float
    specificity: float
    prevalence: Floats
    ill_if_positive: Floats
    healthy_if_negative: Floats

    @property
    def break_even(self) -> float:
        """Prevalence above which a positive is more likely ill than healthy (3)."""
        false = 1 - self.specificity
        return false / (self.sensitivity + false) if self.sensitivity + false else 0.5

    def __str__(self) -> str:
        lines = ["prevalence  ill if positive  healthy if negative"]
        rows = zip(
            self.prevalence, self.ill_if_positive, self.healthy_if_negative, strict=True
        )
        lines += [f"{p:10.4g}  {a:15.4f}  {b:19.4f}" for p, a, b in rows]
        lines.append(f"most positives are ill only above {self.break_even:.4g}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw (1) and (2) against prevalence; needs ``corollary[plots]``."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.prevalence, self.ill_if_positive, label="ill if positive")
        ax.plot(self.prevalence, self.healthy_if_negative, label="healthy if negative")
        ax.plot(self.prevalence, self.prevalence, "k:", label="before the test")
        ax.set_xlabel("prevalence")
        ax.set_ylabel("probability")
        ax.legend()
        return ax


def base_rate_report(
    sensitivity: float, specificity: float, prevalence: Any = None
) -> BaseRate:
    """Return what a test result means, against prevalence.

    Parameters
    ----------
    sensitivity : float
        Probability that the test is positive among the ill.
    specificity : float
        Probability that it is negative among the healthy.
    prevalence : float or array, optional
        Share of the ill in the population; by default one in 10,000 to one in two.

    Returns
    -------
    BaseRate

    Examples
    --------
    >>> print(base_rate_report(0.98, 0.97, [0.01, 0.1]))
    prevalence  ill if positive  healthy if negative
          0.01           0.2481               0.9998
           0.1           0.7840               0.9977
    most positives are ill only above 0.0297
    """
    if prevalence is None:
        prevalence = [1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    pi = np.atleast_1d(np.asarray(prevalence, dtype=np.float64))
    given = {"sensitivity": sensitivity, "specificity": specificity, "prevalence": pi}
    for name, value in given.items():
        values = np.asarray(value, dtype=np.float64)
        bad = values[~((values >= 0) & (values <= 1))]
        if bad.size:
            must = f"{name} must be in [0, 1]"
            raise ParameterError(sentence("base_rate_report", must, f"{bad.flat[0]:g}"))
    s, t = float(sensitivity), float(specificity)
    return BaseRate(
        s,
        t,
        pi,
        _share(s * pi, (1 - t) * (1 - pi), pi),  # (1)
        _share(t * (1 - pi), (1 - s) * pi, 1 - pi),  # (2)
    )


def _share(a: Floats, b: Floats, otherwise: Floats) -> Floats:
    """Return a / (a + b); a result that cannot come leaves what was known before."""
    total = a + b
    return np.where(total > 0, a / np.where(total > 0, total, 1.0), otherwise)
