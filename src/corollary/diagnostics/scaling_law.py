"""How a cost grows with the rows, from what a few samples of them cost.

Also known as: empirical complexity, scaling exponent, cost model, O(n^c).

A fit of m rows costs, in seconds or bytes,

    t(m) = t_0 + b m^c,      t_0, b >= 0,  c in [0, 3]                           (1)

with c = 1 for what looks at each row once, 2 for what looks at each pair, 3 for what
solves a system of the size of the rows.  For each c on a grid, t_0 and b minimise the
relative errors

    sum_k ((t_0 + b m_k^c) / t_k - 1)^2                                          (2)

(non-negative least squares), and the best c is chosen; where no c explains the costs
within the noise, the middle one of those that explain them about as well.  All of these
are kept: the least and the largest of their predictions are an interval, narrow near
the samples and honest far from them.  Its upper end allows for a line that would hide
in the noise.

Notation: m = sizes; t = costs; c = exponent.
Course: S1-51. Reference: Goldsmith, Aiken and Wilkerson (2007), Measuring empirical
computational complexity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import numbers

__all__ = ["PredictedCost", "ScalingLaw", "fit_scaling_law"]

WHO = "fit_scaling_law"
EXPONENTS = np.linspace(0.0, 3.0, 61)
NOISE = 0.05  # relative error that any measurement may have
ALIKE = 2.0  # times the least (2), up to which a c is kept
LEAST = 1e-12  # of a cost


class PredictedCost(NamedTuple):
    """A cost that is expected, and an interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ScalingLaw:
    """How a cost grows with the rows.

    Attributes
    ----------
    exponent : float
        c of (1).
    overhead, factor : float
        t_0 and b of (1).
    misfit : float
        Root mean square of the relative errors (2).
    sizes, costs : arrays
        What was measured.
    laws : array of shape (k, 3)
        (t_0, b, c) of every law that explains the measurements about as well; the last
        is a line that would hide in the noise.
    """

    exponent: float
    overhead: float
    factor: float
    misfit: float
    sizes: Floats
    costs: Floats
    laws: Floats

    def at(self, m: float) -> PredictedCost:
        """Return what m rows cost, by (1).

        Parameters
        ----------
        m : float

        Returns
        -------
        PredictedCost
            value, low, high.
        """
        value = self.overhead + self.factor * float(m) ** self.exponent
        every = self.laws[:, 0] + self.laws[:, 1] * float(m) ** self.laws[:, 2]
        return PredictedCost(value, float(every[:-1].min()), float(every.max()))

    def rows_for(self, cost: float) -> float:
        """Return the most rows that cost no more, infinity where all do.

        Parameters
        ----------
        cost : float
        """
        if cost < self.overhead:
            return 0.0
        if not self.factor or not self.exponent:
            return float("inf")
        return float(((cost - self.overhead) / self.factor) ** (1 / self.exponent))

    def __str__(self) -> str:
        return f"{self.overhead:.3g} + {self.factor:.3g} n^{self.exponent:.2f}"


def fit_scaling_law(sizes: Any, costs: Any, *, noise: float = NOISE) -> ScalingLaw:
    """Fit (1) to costs of samples.

    Parameters
    ----------
    sizes : array of shape (k,)
        Rows of the samples, at least two different.
    costs : array of shape (k,)
        Seconds or bytes, >= 0.
    noise : float, default=0.05
        Relative error that the costs may have.

    Returns
    -------
    ScalingLaw

    Examples
    --------
    >>> from corollary.diagnostics import fit_scaling_law
    >>> law = fit_scaling_law([100, 200, 400, 800], [1.1, 1.4, 2.6, 7.4])
    >>> round(law.exponent, 2), round(law.overhead, 2), round(law.at(1600).value, 1)
    (2.0, 1.0, 26.6)
    """
    m, t = numbers(WHO, sizes, "sizes"), numbers(WHO, costs, "costs")
    if m.ndim != 1 or m.shape != t.shape or len(np.unique(m)) < 2:
        must = "sizes and costs must be of one length, with two different sizes"
        raise DataError(sentence(WHO, must, f"shapes {m.shape} and {t.shape}"))
    if (m <= 0).any() or (t < 0).any():
        must = "sizes must be above 0 and costs at least 0"
        raise DataError(sentence(WHO, must, f"{m.min():g} and {t.min():g}"))
    if not t.any():
        return ScalingLaw(0.0, 0.0, 0.0, 0.0, m, t, np.zeros((2, 3)))
    t = np.maximum(t, max(LEAST, 1e-3 * float(t.max())))
    laws, misfits = [], []
    for c in EXPONENTS:
        power = (m / m.max()) ** c
        A = np.column_stack([1 / t, power / t]) if c else (1 / t)[:, None]
        found, norm = nnls(A, np.ones(len(t)))
        b = found[1] / float(m.max()) ** c if c else 0.0
        laws.append((found[0], b, c))
        misfits.append(norm / np.sqrt(len(t)))
    every, wrong = np.array(laws), np.array(misfits)
    best = int(wrong.argmin())
    near = np.flatnonzero(wrong <= max(ALIKE * wrong[best], noise))
    if wrong[best] > noise:
        far = 10 * m.max()
        ahead = every[near, 0] + every[near, 1] * far ** every[near, 2]
        best = int(near[np.argsort(ahead, kind="stable")[len(near) // 2]])
    t_0, b, c = every[best]
    last = t_0 + b * m.max() ** c
    hidden = max(float(wrong[best]), noise) * last
    line = (last - hidden, hidden / m.max(), 1.0)
    return ScalingLaw(
        float(c),
        float(t_0),
        float(b),
        float(wrong[best]),
        m,
        t,
        np.vstack([every[near], line]),
    )
