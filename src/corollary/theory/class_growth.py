"""How a bound moves as the hypothesis class grows: bias falls, variance rises.

Also known as: bias and variance of the model class, size of the hypothesis class,
approximation and estimation error.

Let classes grow, C_1 in C_2 in ..., the first k hypotheses of one list.  Then

    min_{h in C_k} R_m(h)                            falls with k: the bias      (1)
    sqrt( ln(2 k / delta_s) / (2 m) )                rises with k: the variance  (2)

and their sum bounds the risk of the best hypothesis in the class.  It is lowest between
the two.  With delta_s = delta / (number of classes) all of the bounds hold at once, so
the class with the lowest may be chosen.

Notation: k = sizes; R_m the empirical risk on m rows.
Course: S4-96. References: Ng, CS229 notes, part 4; Vapnik (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.theory.bound import Bound
from corollary.theory.calculator import in_interval, whole_numbers
from corollary.theory.pac import uniform_deviation

__all__ = ["ClassGrowth", "class_growth"]


@dataclass(frozen=True)
class ClassGrowth:
    """The two terms of the bound over the size of the class.

    Attributes
    ----------
    sizes : array of int
        Hypotheses in each class.
    best : array
        Least empirical risk in each class (1).
    deviation : array
        What the risk may be above it (2).
    m : int
        Rows.
    delta : float
        How often any of the bounds may fail.
    true_best : array or None
        Least risk in each class, where the risks are known.
    """

    sizes: Vector
    best: Floats
    deviation: Floats
    m: int
    delta: float
    true_best: Floats | None = None

    @property
    def bounds(self) -> Floats:
        """The sum of both terms, for each class."""
        return self.best + self.deviation

    @property
    def chosen(self) -> int:
        """Size of the class with the lowest bound; ties: the smallest."""
        return int(self.sizes[int(self.bounds.argmin())])

    @property
    def bound(self) -> Bound:
        """The bound on the best hypothesis of the class that is chosen."""
        assumptions = (
            "Rows are drawn independently from one distribution.",
            "The list and its classes were fixed before the rows were seen.",
            "Losses are between 0 and 1.",
        )
        name, proof = "growing finite class", "Hoeffding (1963) and the union bound"
        return Bound(name, float(self.bounds.min()), self.delta, assumptions, proof)

    def __str__(self) -> str:
        lines = ["hypotheses  best   deviation  bound"]
        rows = zip(self.sizes, self.best, self.deviation, self.bounds, strict=True)
        for k, best, deviation, bound in rows:
            mark = "  <- chosen" if k == self.chosen else ""
            lines.append(f"{k:<10}  {best:.3f}  {deviation:.3f}      {bound:.3f}{mark}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw both terms and their sum over the size of the class; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.sizes, self.best, marker="o", label="least empirical risk")
        ax.plot(self.sizes, self.deviation, marker="o", label="deviation")
        ax.plot(self.sizes, self.bounds, marker="o", label="bound")
        if self.true_best is not None:
            ax.plot(self.sizes, self.true_best, marker="o", label="least risk")
        ax.axvline(self.chosen, linestyle=":", color="grey")
        ax.set_xscale("log")
        ax.set(xlabel="hypotheses", ylabel="risk", title=f"chosen: {self.chosen}")
        ax.legend()
        return ax


def class_growth(
    risks: Any,
    *,
    m: int,
    delta: float = 0.05,
    sizes: Any = None,
    true_risks: Any = None,
) -> ClassGrowth:
    """Show how the bound moves as a list of hypotheses is used further.

    Parameters
    ----------
    risks : vector of k numbers in [0, 1]
        Empirical risk of each hypothesis, in the order of the list.
    m : int
        Rows that they were measured on.
    delta : float in (0, 1), default=0.05
        How often any of the bounds may fail.
    sizes : vector of int, optional
        Sizes of the classes, rising; powers of two up to k by default.
    true_risks : vector of k numbers, optional
        Risks, where they are known, for the picture.

    Returns
    -------
    ClassGrowth

    Examples
    --------
    >>> from corollary.theory import class_growth
    >>> risks = [0.5, 0.4, 0.3, 0.12] + [0.118] * 1020
    >>> found = class_growth(risks, m=1000)
    >>> found.chosen, found.bounds[[0, 2, 10]].round(3).tolist()
    (4, [0.555, 0.181, 0.199])
    """
    who = "class_growth"
    R = numbers(who, risks, "risks")
    in_interval(who, "delta", delta, 0.0, 1.0)
    if R.ndim != 1 or not R.size or R.min() < 0 or R.max() > 1:
        must = "risks must be a vector of numbers in [0, 1]"
        raise DataError(sentence(who, must, f"shape {R.shape}"))
    powers = 2 ** np.arange(int(np.log2(R.size)) + 1)
    given = np.unique(np.append(powers, R.size)) if sizes is None else sizes
    k = np.atleast_1d(whole_numbers(who, "sizes", given)).astype(np.int64)
    if k.ndim != 1 or (np.diff(k) <= 0).any() or k[-1] > R.size:
        must = f"sizes must rise and be at most {R.size}"
        raise ParameterError(sentence(who, must, f"{k.ravel().tolist()[:6]}"))
    true_best = None
    if true_risks is not None:
        true = numbers(who, true_risks, "true_risks")
        if true.shape != R.shape:
            must = f"true_risks must be {R.size} numbers"
            raise DataError(sentence(who, must, f"shape {true.shape}"))
        true_best = np.minimum.accumulate(true)[k - 1]
    each = float(delta) / len(k)
    deviation = uniform_deviation(m=m, delta=each, hypotheses=k)  # (2)
    if np.shape(deviation) != k.shape:
        must = "m must be one number"
        raise ParameterError(sentence(who, must, f"shape {np.shape(m)}"))
    best = np.minimum.accumulate(R)[k - 1]  # (1)
    return ClassGrowth(k, best, deviation, int(m), float(delta), true_best)
