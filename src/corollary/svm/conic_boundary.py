"""The conic on which a machine of degree 2 decides in the plane.

Also known as: separating conic, quadratic decision boundary.

A machine with the kernel (gamma z'x + c)^2 is a quadratic function of x,

    g(x) = sum_s b_s (gamma z_s'x + c)^2 + b0 = x'A x + l'x + r                  (1)
    A = gamma^2 sum_s b_s z_s z_s',  l = 2 gamma c sum_s b_s z_s,
    r = c^2 sum_s b_s + b0                                                       (2)

and the set g = 0 is an ellipse, a hyperbola, a parabola or a pair of lines.  It is read
from the sum: the normal vector in feature space is in general not the image of any
point of the plane.  With the linear kernel A = 0, and the boundary is a line.

Course: S0-30. Reference: Schoelkopf and Smola (2002), ch. 2.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.discriminants.surfaces import Surface
from corollary.svm.machine import pair_coefficients

__all__ = ["conic_boundary"]


def conic_boundary(model: Any, classes: Any = None) -> Surface:
    """Return the conic (1) between two classes of a machine.

    Parameters
    ----------
    model : SVC, NuSVC, SquaredHingeSVC or HardMarginSVC
        Fitted on two features, with the polynomial kernel of degree 2; or on any number
        of features with the linear kernel.
    classes : pair of labels, optional
        Of a model of more than two classes, whose pairs have a boundary each.

    Returns
    -------
    Surface
        With `kind` and `equation()`, positive on the side of the second class.

    Examples
    --------
    >>> from corollary import SVC
    >>> X = [[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [0.0, 2.0], [0.0, -2.0]]
    >>> model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=1e3)
    >>> conic_boundary(model.fit(X, [1, 0, 0, 0, 0])).kind
    'ellipse'
    """
    plane = getattr(model, "kernel", None) == "poly" and model.degree == 2
    plane = plane and model.n_features_in_ == 2
    if not plane and getattr(model, "kernel", None) != "linear":
        must = "the model must have kernel 'linear', or 'poly' of degree 2 and two "
        raise DataError(sentence("conic_boundary", must + "features", f"{model!r}"))
    b, offset = pair_of(model, classes)
    Z = model.support_vectors_
    Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
    Z = Z.reshape(-1, model.n_features_in_)  # there may be no support vector
    if not plane:
        return Surface(np.zeros((Z.shape[1], Z.shape[1])), b @ Z, offset)
    g, c = model.gamma_, model.coef0
    A = g**2 * (Z.T * b) @ Z  # (2)
    return Surface(A, 2 * g * c * (b @ Z), c**2 * float(b.sum()) + offset)


def pair_of(model: Any, classes: Any) -> tuple[Floats, float]:
    """Return the expansion of a pair's machine, positive for its second class."""
    known = model.classes_.tolist()
    if classes is None and len(known) == 2:
        classes = known
    given = [] if classes is None else list(classes)
    if len(set(given)) != 2 or not set(given) <= set(known):
        must = f"classes must be two of {known}"
        raise ParameterError(sentence("conic_boundary", must, f"{classes!r}"))
    first, second = (known.index(label) for label in given)
    pairs = list(itertools.combinations(range(len(known)), 2))
    p = pairs.index((min(first, second), max(first, second)))
    for_second = (first < second) == (len(known) == 2)  # pairs.py, (1)
    sign = 1.0 if for_second else -1.0
    b = pair_coefficients(model)[:, p].astype(np.float64)
    return sign * b, sign * float(model.intercept_[p])
