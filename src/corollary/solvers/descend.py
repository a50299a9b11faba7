"""Gradient descent on any function, with a schedule of rates and a diagnosis.

Also known as: basic gradient descent, learning rate schedule, step size schedule.

    x_{k+1} = x_k - eta_k J'(x_k),    stop where  eta_k ||J'(x_k)|| <= epsilon       (1)

    constant      eta_k = eta                                                        (2)
    harmonic      eta_k = eta / k, the inverse linear rate                           (3)
    root          eta_k = eta / sqrt(k)                                              (4)
    geometric     eta_k = eta r^(k-1),  r = 0.99                                     (5)

or any function of k = 1, 2, ...  Rates that fall as (3) and (4), with sum eta_k = inf,
reach any distance; those of (5) sum to eta / (1 - r) and may end short of the minimum.
What the run shows of its rates, in this order:

    too large      J grew without end, or rose in a step
    zigzag         successive gradients point against each other (mean cosine < -1/2)
    stopped early  (1) held because eta_k is small: ||J'|| is above epsilon and above a
                   tenth of the first
    too small      max_iter came while the gradients still pointed the same way (mean
                   cosine > 0.99) and were above half of the first
    sound          none of these

(1) says where x settles, which need not be the global minimum.

Notation: J the function; x (d,); eta_k the rates; epsilon = threshold.
Course: S3-56. Reference: Duda, Hart, Stork (2001), 5.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["Descent", "descend"]

WHO = "descend"
SHRINK = 0.99  # r of (5)
RUNAWAY = 1e8  # times |J| at the start, and 1
LAST = 10  # steps whose directions are compared
SCHEDULES: dict[str, Callable[[int], float]] = {
    "constant": lambda k: 1.0,
    "harmonic": lambda k: 1.0 / k,
    "root": lambda k: k**-0.5,
    "geometric": lambda k: SHRINK ** (k - 1),
}
ADVICE = {
    "too large": "J rose: use a smaller rate, or one that falls with k.",
    "zigzag": "The steps go to and fro: use a smaller rate, or scale the variables.",
    "stopped early": "The rate vanished before the gradient: use a larger or a slower "
    "falling rate, or a smaller threshold.",
    "too small": "The way is still straight: use a larger rate.",
    "sound": "Nothing to change.",
}


@dataclass(frozen=True)
class Descent:
    """Where a descent went.

    Attributes
    ----------
    x : array of shape (d,)
        The last point.
    path : array of shape (k + 1, d)
    values : array of shape (k + 1,)
        J along the path.
    rates, sizes : arrays of shape (k,)
        eta_k, and eta_k ||J'(x_k)||, the lengths of the steps.
    stop : {'threshold', 'max_iter', 'diverged'}
    diagnosis : str
        'too large', 'zigzag', 'stopped early', 'too small' or 'sound'.
    """

    x: Floats
    path: Floats
    values: Floats
    rates: Floats
    sizes: Floats
    stop: str
    diagnosis: str

    @property
    def advice(self) -> str:
        """What to do about the rates."""
        return ADVICE[self.diagnosis]

    def __str__(self) -> str:
        took = (
            f"{len(self.rates)} steps, J {self.values[0]:.6g} -> {self.values[-1]:.6g}"
        )
        return f"{took}; ended by {self.stop}; rates {self.diagnosis}. {self.advice}"


def descend(
    J: Callable[[Floats], float],
    start: Any,
    gradient: Callable[[Floats], Any] | None = None,
    *,
    rate: float = 0.1,
    schedule: str | Callable[[int], float] = "constant",
    threshold: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Descend on J by (1).

    Parameters
    ----------
    J : function of x -> float
    start : array of shape (d,)
    gradient : function of x -> array of shape (d,), optional
        J'; central differences by default.
    rate : float, default=0.1
        eta of (2) to (5), a factor of the user's schedule.
    schedule : {'constant', 'harmonic', 'root', 'geometric'} or function of k
    threshold : float, default=1e-6
        epsilon of (1).
    max_iter : int, default=1000

    Returns
    -------
    Descent

    Examples
    --------
    >>> found = descend(lambda x: (x[0] - 3) ** 2, [0.0], lambda x: 2 * (x - 3))
    >>> found.x.round(4).tolist(), found.stop, found.diagnosis
    ([3.0], 'threshold', 'sound')
    >>> descend(lambda x: x @ x, [1.0], lambda x: 2 * x, rate=1.5).diagnosis
    'too large'
    """
    x = np.array(start, dtype=np.float64)
    eta = _schedule(schedule, rate)
    _check(x, threshold, max_iter)
    slope = gradient if gradient is not None else lambda x: differences(J, x)
    path, values, gradients, rates = [x], [float(J(x))], [], []
    stop = "max_iter"
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, max_iter + 1):
            g = _gradient(slope, x)
            step = eta(k)
            gradients.append(g)
            if step * np.linalg.norm(g) <= threshold:  # (1)
                stop = "threshold"
                break
            x = x - step * g
            rates.append(step)
            path.append(x)
            values.append(float(J(x)))
            if not values[-1] - values[0] <= RUNAWAY * (1 + abs(values[0])):
                stop = "diverged"
                break
    sizes = np.array(rates) * [
        float(np.linalg.norm(g)) for g in gradients[: len(rates)]
    ]
    J_path = np.array(values)
    found = diagnosis(J_path, np.array(gradients), stop, threshold)
    return Descent(x, np.array(path), J_path, np.array(rates), sizes, stop, found)


def diagnosis(values: Floats, gradients: Floats, stop: str, threshold: float) -> str:
    """Say what a run shows of its rates."""
    rises = np.diff(values) > 1e-12 * np.maximum(1e-300, np.abs(values[:-1]))
    if stop == "diverged" or rises.any():
        return "too large"
    norms = np.linalg.norm(gradients, axis=1)
    cosines = _cosines(gradients[-LAST:])
    if len(cosines) > 1 and cosines.mean() < -0.5:
        return "zigzag"
    if stop == "threshold" and norms[-1] > max(threshold, 0.1 * norms[0]):
        return "stopped early"
    straight = len(cosines) > 0 and cosines.mean() > 0.99
    if stop == "max_iter" and straight and norms[-1] > 0.5 * norms[0]:
        return "too small"
    return "sound"


def _cosines(gradients: Floats) -> Floats:
    """Return the cosines between successive gradients that are not 0."""
    norms = np.linalg.norm(gradients, axis=1)
    products = norms[1:] * norms[:-1]
    dots = (gradients[1:] * gradients[:-1]).sum(axis=1)
    return dots[products > 0] / products[products > 0]


def _gradient(slope: Callable[[Floats], Any], x: Floats) -> Floats:
    g = np.asarray(slope(x), dtype=np.float64)
    if g.shape != x.shape:
        must = f"gradient must return {len(x)} numbers"
        raise DataError(sentence(WHO, must, f"shape {g.shape}"))
    return g


def differences(J: Callable[[Floats], float], x: Floats) -> Floats:
    """Return central differences of J."""
    h = np.cbrt(np.finfo(np.float64).eps) * np.maximum(1.0, np.abs(x))
    steps = np.diag(h)
    pairs = zip(x + steps, x - steps, strict=True)
    return np.array([J(up) - J(down) for up, down in pairs]) / (2 * h)


def _schedule(schedule: Any, rate: float) -> Callable[[int], float]:
    """Return eta_k."""
    if not 0 < rate < np.inf:
        must = "rate must be a finite number > 0"
        raise ParameterError(sentence(WHO, must, f"{rate!r}"))
    if isinstance(schedule, str) and schedule in SCHEDULES:
        shape = SCHEDULES[schedule]
    elif callable(schedule):
        shape = schedule
    else:
        must = (
            f"schedule must be a function or one of {', '.join(map(repr, SCHEDULES))}"
        )
        raise ParameterError(sentence(WHO, must, f"{schedule!r}"))

    def eta(k: int) -> float:
        step = rate * float(shape(k))
        if not 0 < step < np.inf:
            must = "schedule must give finite numbers > 0"
            raise ParameterError(sentence(WHO, must, f"{step!r} for k = {k}"))
        return step

    return eta


def _check(x: Floats, threshold: float, max_iter: int) -> None:
    if x.ndim != 1 or not len(x):
        must = "start must be a list of numbers"
        raise DataError(sentence(WHO, must, f"shape {x.shape}"))
    check_finite_values(WHO, x, "start")
    if not threshold >= 0 or max_iter < 1:
        must = "threshold must be >= 0 and max_iter at least 1"
        raise ParameterError(sentence(WHO, must, f"{threshold!r} and {max_iter!r}"))
