"""Structural risk minimisation: choose among nested classes by the lowest bound.

Also known as: SRM, structural risk minimisation, penalised model selection, training
error plus VC confidence.

Nested classes H_1 in H_2 in ... have VC dimensions d_1 < d_2 < ...  The best hypothesis
of H_j has an empirical risk R_j that falls with j and, on m rows,

    bound_j = R_j + sqrt( (d_j (ln(2 m / d_j) + 1) + ln(4 / delta)) / m )        (1)
    chosen  = argmin_j bound_j                          ties: the smallest class (2)

where the second term rises with j.  Each bound fails with probability delta; by the
union bound all k of them hold together, the chosen one among them, with probability 1
- k delta.  Machines with the kernel (1 + x'z)^p on n features are hyperplanes in the
space of all monomials up to degree p,

    d_p = C(n + p, n):     3, 6, 15, 45   for n = 2, p = 1, 2, 4, 8              (3)

The bounds are wide: what matters is where they are lowest.  Cross-validation may be
asked for beside them.

Notation: R_j = empirical; d_j = dimensions; m rows; k classes.
Course: S1-45, S3-107. References: Vapnik (1998), ch. 6; Vapnik and Chervonenkis (1974).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import numbers
from corollary.theory.bound import Bound
from corollary.theory.calculator import in_interval, whole_numbers
from corollary.theory.vc import vc_gap, warn_of_few_rows

__all__ = [
    "StructuralRisk",
    "minimize_structural_risk",
    "polynomial_vc_dimension",
    "search_structural_risk",
]


@dataclass(frozen=True)
class StructuralRisk:
    """The bound of every class, and the class that has the lowest.

    Attributes
    ----------
    names : tuple of str
    dimensions : array of int of shape (k,)
        VC dimensions, rising.
    empirical : array of shape (k,)
        Empirical risk of the best hypothesis of each class.
    gaps : array of shape (k,)
        The second term of (1).
    m : int
        Rows.
    delta : float
        How often each bound may fail.
    models : tuple
        The fitted models, where models were searched.
    validated : array of shape (k,) or None
        Errors by cross-validation, where asked for.
    """

    names: tuple[str, ...]
    dimensions: Vector
    empirical: Floats
    gaps: Floats
    m: int
    delta: float
    models: tuple[Any, ...] = ()
    validated: Floats | None = None

    @property
    def bounds(self) -> Floats:
        """The bound (1) of each class."""
        return self.empirical + self.gaps

    @property
    def chosen(self) -> int:
        """The number of the class with the lowest bound (2)."""
        return int(self.bounds.argmin())

    @property
    def model(self) -> Any:
        """The fitted model of the chosen class, None where there is none."""
        return self.models[self.chosen] if self.models else None

    @property
    def bound(self) -> Bound:
        """The bound on the risk of the chosen model, which k classes pay for."""
        fails = min(self.delta * len(self.names), 1.0)
        assumptions = (
            "Rows are drawn independently from one distribution.",
            "The loss counts errors, 0 or 1.",
            "The classes and their VC dimensions were fixed before the rows were seen.",
        )
        value = float(self.bounds[self.chosen])
        name, proof = "structural risk minimisation", "Vapnik (1998), ch. 6"
        return Bound(name, value, fails, assumptions, proof)

    def __str__(self) -> str:
        wide = max(5, *map(len, self.names))
        head = f"{'class':<{wide}}  d       empirical  gap     bound"
        lines = [head if self.validated is None else f"{head}   validated"]
        for j, name in enumerate(self.names):
            line = f"{name:<{wide}}  {self.dimensions[j]:<6}  {self.empirical[j]:<9.4f}"
            line += f"  {self.gaps[j]:.4f}  {self.bounds[j]:.4f}"
            if self.validated is not None:
                line += f"  {self.validated[j]:.4f}"
            lines.append(f"{line}  <- chosen" if j == self.chosen else line)
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw both terms and the bound over the classes; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.names))
        ax.plot(at, self.empirical, marker="o", label="empirical risk")
        ax.plot(at, self.gaps, marker="o", label="gap")
        ax.plot(at, self.bounds, marker="o", label="bound")
        if self.validated is not None:
            ax.plot(at, self.validated, marker="o", label="cross-validation")
        ax.axvline(self.chosen, linestyle=":", color="grey")
        ax.set_xticks(at, self.names)
        chosen = self.names[self.chosen]
        ax.set(xlabel="class", ylabel="risk", title=f"chosen: {chosen}")
        ax.legend()
        return ax


def minimize_structural_risk(
    empirical_risks: Any,
    dimensions: Any,
    *,
    m: int,
    delta: float = 0.05,
    names: Any = None,
) -> StructuralRisk:
    """Choose among nested classes by empirical risk plus the VC gap (1), (2).

    Parameters
    ----------
    empirical_risks : vector of k numbers in [0, 1]
        Of the best hypothesis of each class.
    dimensions : vector of k whole numbers
        VC dimensions, rising.
    m : int
        Rows; a warning is given where no class has a dimension below it.
    delta : float in (0, 1), default=0.05
        How often each bound may fail.
    names : sequence of k str, optional

    Returns
    -------
    StructuralRisk

    Examples
    --------
    >>> from corollary.theory import minimize_structural_risk
    >>> found = minimize_structural_risk([0.06, 0.06, 0.04, 0.02], [3, 6, 15, 45], m=50)
    >>> print(found)
    class    d       empirical  gap     bound
    class 0  3       0.0600     0.5984  0.6584  <- chosen
    class 1  6       0.0600     0.7384  0.7984
    class 2  15      0.0400     0.9781  1.0181
    class 3  45      0.0200     1.3063  1.3263
    """
    who = "minimize_structural_risk"
    R = numbers(who, empirical_risks, "empirical_risks")
    if R.ndim != 1 or not R.size or R.min() < 0 or R.max() > 1:
        must = "empirical_risks must be a vector of numbers in [0, 1]"
        raise DataError(sentence(who, must, shown(empirical_risks)))
    d = whole_numbers(who, "dimensions", dimensions).astype(np.int64)
    if d.shape != R.shape or (np.diff(d) <= 0).any():
        must = f"dimensions must be {R.size} rising numbers, one for each class"
        raise ParameterError(sentence(who, must, shown(dimensions)))
    in_interval(who, "delta", delta, 0.0, 1.0)
    rows = whole_numbers(who, "m", m)
    words = [f"class {j}" for j in range(len(R))] if names is None else list(names)
    if rows.ndim or len(words) != len(R):
        must = f"m must be one number and names must be {len(R)}"
        raise ParameterError(sentence(who, must, f"{shown(m)} and {len(words)}"))
    warn_of_few_rows(who, int(rows), int(d[0]))
    gaps = vc_gap(m=rows, d=d, delta=delta)  # (1)
    labels = tuple(map(str, words))
    return StructuralRisk(labels, d, R, gaps, int(rows), float(delta))


def search_structural_risk(
    models: Mapping[str, Any],
    dimensions: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    folds: int | None = None,
) -> StructuralRisk:
    """Fit models of rising capacity; choose by the lowest bound (1), (2).

    Parameters
    ----------
    models : mapping of name -> classifier
        Cloned and fitted to all rows.
    dimensions : vector of k whole numbers
        VC dimension of each model's class, rising, such as `polynomial_vc_dimension`.
    X : array of shape (m, n)
    y : array of shape (m,)
    delta : float in (0, 1), default=0.05
        How often each bound may fail.
    folds : int, optional
        Compare with a cross-validation of as many folds.

    Returns
    -------
    StructuralRisk
        With the fitted models.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import polynomial_vc_dimension, search_structural_risk
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> degrees = (1, 2, 4)
    >>> models = {f"{p}": SVC(kernel="poly", degree=p, coef0=1.0) for p in degrees}
    >>> d = [polynomial_vc_dimension(p, 2) for p in degrees]
    >>> found = search_structural_risk(models, d, X, y)
    >>> found.names[found.chosen]
    '2'
    """
    who = "search_structural_risk"
    if not isinstance(models, Mapping) or not models:
        must = "models must be a mapping of names to classifiers"
        raise ParameterError(sentence(who, must, shown(models)))
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not len(y):
        must = "X must be rows and y their labels"
        raise DataError(sentence(who, must, f"shapes {X.shape} and {y.shape}"))
    in_interval(who, "delta", delta, 0.0, 1.0)
    fitted = tuple(clone(model).fit(X, y) for model in models.values())
    errors = [float(np.mean(model.predict(X) != y)) for model in fitted]
    found = minimize_structural_risk(
        errors, dimensions, m=len(y), delta=delta, names=list(models)
    )
    validated = None if folds is None else _validated(who, models, X, y, folds)
    table = (found.names, found.dimensions, found.empirical, found.gaps)
    return StructuralRisk(*table, found.m, found.delta, fitted, validated)


def polynomial_vc_dimension(degree: int, n_features: int) -> int:
    """Return the VC dimension of polynomials up to a degree (3).

    Parameters
    ----------
    degree : int
        p of the kernel (1 + x'z)^p.
    n_features : int

    Returns
    -------
    int

    Examples
    --------
    >>> from corollary.theory import polynomial_vc_dimension
    >>> [polynomial_vc_dimension(p, 2) for p in (1, 2, 4, 8)]
    [3, 6, 15, 45]
    """
    who = "polynomial_vc_dimension"
    p, n = whole_numbers(who, "degree", degree), whole_numbers(who, "n", n_features)
    if p.ndim or n.ndim or min(p, n) > 1000:
        must = "degree and n_features must be single numbers, one of them at most 1000"
        raise ParameterError(sentence(who, must, f"{degree} and {n_features}"))
    return math.comb(int(n + p), int(min(n, p)))


def _validated(
    who: str, models: Mapping[str, Any], X: Vector, y: Vector, folds: int
) -> Floats:
    """Return the error of each model by cross-validation."""
    least = int(np.unique(y, return_counts=True)[1].min())
    count = whole_numbers(who, "folds", folds, low=2)
    if count.ndim or count > least:
        must = f"folds must be 2 to {least}, the rows of the smallest class"
        raise ParameterError(sentence(who, must, f"{folds}"))
    splits = list(StratifiedKFold(int(count), shuffle=True, random_state=0).split(X, y))
    errors = np.zeros(len(models))
    for j, model in enumerate(models.values()):
        for train, rest in splits:
            fitted = clone(model).fit(X[train], y[train])
            errors[j] += float(np.sum(fitted.predict(X[rest]) != y[rest]))
    return errors / len(y)
