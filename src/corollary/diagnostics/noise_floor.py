"""When to stop optimising: below the statistical noise nothing is gained.

Also known as: statistical noise, optimisation error against estimation error, early
stopping rule, approximate optimisation, why approximations are good enough.

A fit minimises a mean of losses over n rows that were drawn by chance,

    F(w) = (1/n) sum_i l_i(w),     standard error  s = sd(l_i) / sqrt(n)         (1)

Another draw of n rows would move F by about s, whatever w.  A fit that is above the
minimum by a gap g, which a search would still have to remove, has

    g <= share s:   stop, what is left cannot be seen on new rows                (2)

and the gap falls under (2) with tol = share s.  More rows lower s as 1/sqrt(n), so a
larger sample deserves a more exact search; more precision on the same sample does not
help (Bottou and Bousquet 2008).

Course: S1-53. Reference: Bottou and Bousquet (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers

__all__ = ["NoiseFloor", "noise_floor"]


@dataclass(frozen=True)
class NoiseFloor:
    """The noise of an objective, and whether a fit is exact enough.

    Attributes
    ----------
    objective : float
        Mean of the losses (1).
    noise : float
        Its standard error s.
    gap : float
        How far the objective may be above its minimum.
    tol : float
        share times s: the gap below which to stop (2).
    """

    objective: float
    noise: float
    gap: float
    tol: float

    @property
    def stop(self) -> bool:
        """Whether the gap is below what new rows can show (2)."""
        return self.gap <= self.tol

    def __str__(self) -> str:
        shown = f"objective {self.objective:.4g} +- {self.noise:.2g} by chance, "
        shown += f"at most {self.gap:.2g} above its minimum: "
        if self.stop:
            return shown + "stop, a more exact fit is no better on new rows"
        return shown + f"go on until the gap is {self.tol:.2g}"


def noise_floor(
    losses: Any, gap: float, sample_weight: Any = None, *, share: float = 0.1
) -> NoiseFloor:
    """Tell whether a fit is exact enough for the noise in its data (2).

    Also known as: rule to stop below statistical noise.

    Parameters
    ----------
    losses : array of shape (n,)
        The loss of each row at the fit, n >= 2; rows that were not fitted are better,
        training rows will do.
    gap : float
        How far the mean loss is above its minimum at most, such as a duality gap
        divided by n.
    sample_weight : array of shape (n,), optional
        How often each row counts.
    share : float in (0, 1], default=0.1
        Of the noise that may be left to optimise.

    Returns
    -------
    NoiseFloor

    Examples
    --------
    >>> losses = [0.1, 0.4, 0.2, 0.9, 0.3, 0.5]
    >>> noise_floor(losses, gap=1e-3).stop, noise_floor(losses, gap=0.1).stop
    (True, False)
    >>> print(noise_floor(losses, gap=1e-3))
    objective 0.4 +- 0.12 by chance, at most 0.001 above its minimum: stop, a more \
exact fit is no better on new rows
    """
    who = "noise_floor"
    losses = np.atleast_1d(numbers(who, losses, "losses"))
    gap = float(numbers(who, gap, "gap"))
    if gap < 0:
        raise ParameterError(sentence(who, "gap must be >= 0", f"{gap:g}"))
    if not 0 < share <= 1:
        raise ParameterError(sentence(who, "share must be in (0, 1]", f"{share}"))
    if losses.ndim != 1:
        must = "losses must be a vector, one number for each row"
        raise DataError(sentence(who, must, f"shape {losses.shape}"))
    w = full_weights(who, sample_weight, len(losses))
    n = float(w.sum())
    if n <= 1:
        must = "the noise of a mean needs 2 rows or more"
        raise DataError(sentence(who, must, f"a weight of {n:g}"))
    mean = float(w @ losses / n)
    noise = float(np.sqrt(w @ (losses - mean) ** 2 / (n - 1) / n))
    return NoiseFloor(mean, noise, gap, share * noise)
