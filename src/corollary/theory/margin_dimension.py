"""A wide margin lowers the effective dimension: what that says of kernels and features.

Also known as: margin VC dimension, fat-shattering dimension of hyperplanes, radius
margin bound, large margin in infinite dimension, kernel choice by margin.

Hyperplanes that keep every row of a ball of radius R at a distance of gamma or more
have

    d_gamma  <=  min( ceil(R^2 / gamma^2), n ) + 1                               (1)

whatever the number n of features: a wide margin makes up for many features, even for
infinitely many.  gamma must be fixed before the rows are seen.  With a margin that was
measured on the rows (1) is guidance, not a proof, and says so; the guidance is good:

    a kernel, its width, or nu    take the one with the smallest (1)             (2)
    a feature map                 hurts if it raises R^2 / gamma^2, however well it
                                  separates                                      (3)
    feature selection, PCA        help where the features are the smaller term of
                                  (1), or where dropping them shrinks R more than
                                  gamma                                          (4)

R is the radius of the smallest ball around the rows, in the space of the kernel; the
margin of a machine is gamma = 1 / ||w||.

Notation: R = radius; n features.
Course: S0-62. References: Vapnik (1998), theorem 10.3; Bartlett, Shawe-Taylor (1999).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole

__all__ = [
    "MarginComparison",
    "MarginDimension",
    "compare_margin_dimensions",
    "margin_dimension",
    "margin_dimension_of",
]


@dataclass(frozen=True)
class MarginDimension:
    """The effective dimension of hyperplanes with a margin (1).

    Attributes
    ----------
    gamma, radius : float
    n_features : int or None
        None for infinitely many, or for unknown ones.
    holds : bool
        False where gamma was measured on the rows: the number is guidance then.
    margin_errors : int
        Rows inside the margin, where it was measured.
    """

    gamma: float
    radius: float
    n_features: int | None = None
    holds: bool = True
    margin_errors: int = 0

    @property
    def ratio(self) -> float:
        """R^2 / gamma^2."""
        return (self.radius / self.gamma) ** 2

    @property
    def value(self) -> int:
        """The bound (1) on the VC dimension."""
        few = math.ceil(self.ratio * (1 - 1e-12))
        return 1 + (few if self.n_features is None else min(few, self.n_features))

    @property
    def limited_by(self) -> str:
        """The smaller term of (1): "margin" or "features"."""
        few = self.n_features is not None and self.n_features <= self.ratio
        return "features" if few else "margin"

    @property
    def advice(self) -> str:
        """What lowers the dimension from here (4)."""
        if self.limited_by == "features":
            return (
                "the number of features is the smaller term: fewer (selection, PCA) "
                "lower the dimension at once, a wider margin only beyond a ratio "
                f"of {self.n_features}"
            )
        return (
            "the margin is the smaller term: a kernel, a width or a scaling with a "
            "smaller R^2 / gamma^2 lowers the dimension; fewer features help only if "
            "R shrinks more than gamma"
        )

    def __str__(self) -> str:
        features = "any" if self.n_features is None else f"{self.n_features}"
        words = f"effective dimension {self.value}: R^2/gamma^2 = {self.ratio:.4g}, "
        words += f"{features} features; {self.advice}"
        return words if self.holds else f"{words} (guidance: the margin saw the rows)"


def margin_dimension(
    gamma: float,
    radius: float,
    n_features: int | None = None,
    *,
    from_data: bool = False,
) -> MarginDimension:
    """Bound the VC dimension of hyperplanes with a margin (1).

    Parameters
    ----------
    gamma : float > 0
        Margin: the least distance of a row from the plane.
    radius : float > 0
        Of a ball around the rows.
    n_features : int, optional
        Dimension of the space; None for infinite.
    from_data : bool, default=False
        Whether gamma was measured on the rows; the bound does not hold then.

    Returns
    -------
    MarginDimension

    Examples
    --------
    >>> from corollary.theory import margin_dimension
    >>> margin_dimension(0.5, 2.0, 1000).value, margin_dimension(0.001, 2.0, 10).value
    (17, 11)
    >>> margin_dimension(0.5, 2.0, from_data=True).holds
    False
    """
    who = "margin_dimension"
    for name, value in (("gamma", gamma), ("radius", radius)):
        if not real(0, ends="()").holds(value) or not math.isfinite(value):
            must = f"{name} must be a finite number > 0"
            raise ParameterError(sentence(who, must, shown(value)))
    if n_features is not None and not whole(1).holds(n_features):
        must = "n_features must be None or a whole number >= 1"
        raise ParameterError(sentence(who, must, shown(n_features)))
    return MarginDimension(
        float(gamma), float(radius), n_features, holds=not bool(from_data)
    )


def margin_dimension_of(machine: Any, X: Any, y: Any) -> MarginDimension:
    """Measure the effective dimension of a fitted support vector machine (1).

    The margin is 1 / ||w||, and R the radius of the smallest ball around the rows, both
    in the space of the machine's kernel.

    Parameters
    ----------
    machine : fitted machine of two classes, such as `SVC` or `HardMarginSVC`
    X, y : the rows that it was fitted to

    Returns
    -------
    MarginDimension
        With ``holds=False``: the margin was chosen on these rows.

    Examples
    --------
    >>> from corollary import SVC
    >>> from corollary.theory import margin_dimension_of
    >>> X, y = [[-2.0, 0.0], [-1.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0, 0, 1, 1]
    >>> machine = SVC(kernel="linear", C=100.0).fit(X, y)
    >>> found = margin_dimension_of(machine, X, y)
    >>> found.value, found.limited_by, found.holds
    (3, 'features', False)
    """
    from corollary.svm import SVDD, function_norm

    who = "margin_dimension_of"
    check_is_fitted(machine)
    classes: Any = getattr(machine, "classes_", ())
    if len(classes) != 2 or not hasattr(machine, "decision_function"):
        must = "machine must be a support vector machine of two classes"
        raise DataError(sentence(who, must, f"{type(machine).__name__}"))
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not len(y):
        must = "X must be rows and y their labels"
        raise DataError(sentence(who, must, f"shapes {X.shape} and {y.shape}"))
    norm = function_norm(machine)
    if norm == 0:
        must = "machine must have a normal vector that is not 0"
        raise DataError(sentence(who, must, "0", "Raise C."))
    names = ("kernel", "degree", "gamma", "coef0")
    own = machine.get_params()
    kernel = {name: own[name] for name in names if name in own}
    ball = SVDD(**{"kernel": "linear", **kernel, "nu": 0.5 / len(y), "tol": 1e-6})
    ball.fit(X)
    radius2 = ball.radius2_ - float(np.min(ball.decision_function(X)))
    side = np.where(y == classes[1], 1.0, -1.0)
    inside = int((side * machine.decision_function(X) < 1 - 1e-3).sum())
    radius = math.sqrt(max(radius2, 0.0))
    features = _features(kernel, X.shape[1])
    return MarginDimension(1 / norm, radius, features, False, inside)


def _features(kernel: Mapping[str, Any], n: int) -> int | None:
    """Return the dimension of a kernel's space, None for infinite or unknown."""
    name = kernel.get("kernel", "linear")
    if name == "linear":
        return n
    if name != "poly":
        return None
    degree = int(kernel.get("degree", 3))
    if kernel.get("coef0", 0.0) == 0:
        return math.comb(n + degree - 1, degree)
    return math.comb(n + degree, degree)


@dataclass(frozen=True)
class MarginComparison:
    """Effective dimensions of several machines on the same rows (2), (3).

    Attributes
    ----------
    names : tuple of str
    dimensions : tuple of MarginDimension
    """

    names: tuple[str, ...]
    dimensions: tuple[MarginDimension, ...]

    @property
    def best(self) -> str:
        """The name of the machine with the smallest dimension; ties: the first."""
        values = [one.value for one in self.dimensions]
        return self.names[values.index(min(values))]

    def __str__(self) -> str:
        wide = max(map(len, self.names))
        lines = [f"{'':<{wide}}  dimension  R^2/gamma^2  margin errors"]
        for name, one in zip(self.names, self.dimensions, strict=True):
            lines.append(
                f"{name:<{wide}}  {one.value:>9}  {one.ratio:>11.4g}  "
                f"{one.margin_errors:>13}"
            )
        last = f"smallest: {self.best} (guidance: the margins saw the rows)"
        return "\n".join([*lines, last])


def compare_margin_dimensions(
    machines: Mapping[str, Any], X: Any, y: Any
) -> MarginComparison:
    """Compare kernels, widths or feature maps by their effective dimension (2), (3).

    Also known as: does this feature map hurt, kernel selection by radius and margin.

    Parameters
    ----------
    machines : mapping of name -> fitted machine of two classes
    X, y : the rows that all of them were fitted to

    Returns
    -------
    MarginComparison

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import compare_margin_dimensions
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> X[:, 0] += np.where(y, 1.0, -1.0)
    >>> kernels = {"line": {"kernel": "linear"}, "narrow": {"gamma": 50.0}}
    >>> machines = {k: SVC(C=1e4, **v).fit(X, y) for k, v in kernels.items()}
    >>> compare_margin_dimensions(machines, X, y).best
    'line'
    """
    if not isinstance(machines, Mapping) or not machines:
        must = "machines must be a mapping of names to fitted machines"
        raise ParameterError(
            sentence("compare_margin_dimensions", must, shown(machines))
        )
    found = tuple(margin_dimension_of(one, X, y) for one in machines.values())
    return MarginComparison(tuple(map(str, machines)), found)
