"""McNemar's test: two classifiers on the same rows of one test set.

Also known as: McNemar's chi-square, sign test of disagreements.

Rows where both are right, or both wrong, say nothing of the difference.  Of the others,

    b = rows that the first gets right and the second wrong,   c = the reverse   (1)

and for equal classifiers b is binomial (b + c, 1/2), given b + c:

    exact   p = min(1, 2 P(B <= min(b, c)))                                      (2)
    mid-p   p = (2) - P(B = min(b, c)):  less cautious, and rarely above its level (3)
    chi2    (|b - c| - 1)^2 / (b + c) ~ chi-square with 1 degree of freedom      (4)

The difference of the errors is (c - b)/n, its standard error the root of b + c -
(b - c)^2/n over n.

The two models are taken as fixed: that another training set might have reversed them is
not looked at.  It needs one fit of each.

Notation: n = rows.
Course: S3-98. References: McNemar (1947); Dietterich (1998); Fagerland, Lydersen and
Laake (2013).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import one_of, shown
from corollary.selection.paired_test import PairedTest

__all__ = ["mcnemar"]

WHO = "mcnemar"
METHODS = ("exact", "mid-p", "chi2")


def mcnemar(y: Any, first: Any, second: Any, *, method: str = "exact") -> PairedTest:
    """Test whether two classifiers err equally often on the same rows.

    Parameters
    ----------
    y : labels of shape (n,)
    first, second : predictions of shape (n,)
        Of the two classifiers, fitted to other rows.
    method : {'exact', 'mid-p', 'chi2'}
        (2), (3) or (4).

    Returns
    -------
    PairedTest

    Examples
    --------
    >>> from corollary.selection import mcnemar
    >>> y = [1] * 20
    >>> print(mcnemar(y, [1] * 20, [1] * 12 + [0] * 8))
    McNemar's exact test: the first model is better; p = 0.00781, loss of the first \
less the second -0.4 in [-0.6147, -0.1853]
    """
    if method not in METHODS:
        must = f"method must be {one_of(*METHODS).words}"
        raise ParameterError(sentence(WHO, must, shown(method)))
    y, f, g = labels("y", y), labels("first", first), labels("second", second)
    if not len(y) == len(f) == len(g) or not len(y):
        must = "y, first and second must have the same rows"
        raise DataError(sentence(WHO, must, f"{len(y)}, {len(f)} and {len(g)}"))
    right, other = f == y, g == y
    b, c = int((right & ~other).sum()), int((~right & other).sum())  # (1)
    n, both, least = len(y), b + c, min(b, c)
    p = min(1.0, 2 * float(stats.binom.cdf(least, both, 0.5)))  # (2)
    statistic = float(least)
    if method == "mid-p" and both:
        half = 2 * float(stats.binom.cdf(least, both, 0.5))
        p = min(1.0, half - float(stats.binom.pmf(least, both, 0.5)))  # (3)
    elif method == "chi2":
        statistic = max(abs(b - c) - 1, 0) ** 2 / max(both, 1)  # (4)
        p = float(stats.chi2.sf(statistic, 1))
    apart = (c - b) / n
    half = 1.959964 * np.sqrt(both - (b - c) ** 2 / n) / n
    freedom = (1.0,) if method == "chi2" else ()
    name = f"McNemar's {method} test"
    return PairedTest(
        name, statistic, p, apart, apart - half, apart + half, 0.95, freedom
    )


def labels(name: str, values: Any) -> Vector:
    """Return one column of labels."""
    found = np.asarray(values)
    if found.ndim != 1:
        must = f"{name} must be one column of labels"
        raise DataError(sentence(WHO, must, f"shape {found.shape}"))
    return found
