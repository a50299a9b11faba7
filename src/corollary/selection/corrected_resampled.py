"""The corrected resampled t-test: two models on the same random splits.

Also known as: Nadeau-Bengio test, corrected t-test, repeated hold-out t-test.

Split the rows J times in n_1 to train and n_2 to test, and let d_j be the difference of
the two models' mean losses.  The splits share rows, so that the d_j are not independent
and the plain t-test finds differences where there are none, the more splits the more
surely.  With a correlation of n_2/(n_1 + n_2) between them,

    t = mean(d) / sqrt((1/J + n_2/n_1) s^2),    s^2 = variance of d, with J - 1  (1)

has nearly Student's law with J - 1 degrees of freedom.  For k folds n_2/n_1 is
1/(k - 1); for k folds r times over J = k r.

Notation: d = differences; n_1 = n_train; n_2 = n_test.
Course: S3-100. References: Nadeau and Bengio (2003); Bouckaert and Frank (2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.vectors import numbers
from corollary.selection.paired_test import PairedTest

__all__ = ["corrected_resampled_t_test"]

WHO = "corrected_resampled_t_test"


def corrected_resampled_t_test(
    differences: Any, n_train: float, n_test: float, *, confidence: float = 0.95
) -> PairedTest:
    """Test whether two models differ, by their losses on the same splits (1).

    Parameters
    ----------
    differences : array of shape (J,)
        Mean loss of the first model less that of the second on each split, such as
        ``a.fold_losses - b.fold_losses`` of two `cross_validate` on the same splits.
    n_train, n_test : float
        Rows that were trained on and held out in a split.
    confidence : float in (0, 1), default=0.95
        Of the interval.

    Returns
    -------
    PairedTest

    Examples
    --------
    >>> from corollary.selection import corrected_resampled_t_test
    >>> found = corrected_resampled_t_test([0.1, 0.2, 0.15, 0.05, 0.1], 80, 20)
    >>> round(found.p_value, 3), round(found.statistic, 3)
    (0.035, 3.138)
    """
    d = numbers(WHO, differences, "differences")
    if d.ndim != 1 or len(d) < 2:
        must = "differences must be at least 2 numbers, one for each split"
        raise DataError(sentence(WHO, must, f"shape {d.shape}"))
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        if not real(0, ends="(]").holds(value):
            must = f"{name} must be a number > 0"
            raise ParameterError(sentence(WHO, must, shown(value)))
    if not real(0, 1, ends="()").holds(confidence):
        must = "confidence must be a number between 0 and 1"
        raise ParameterError(sentence(WHO, must, shown(confidence)))
    J, mean = len(d), float(d.mean())
    error = float(np.sqrt((1 / J + n_test / n_train) * d.var(ddof=1)))
    t = mean / error if error > 0 else float(np.sign(mean)) * (np.inf if mean else 0.0)
    p = 2 * float(stats.t.sf(abs(t), J - 1))
    half = float(stats.t.ppf(0.5 + confidence / 2, J - 1)) * error
    ends = mean - half, mean + half
    name = "corrected resampled t-test"
    return PairedTest(name, float(t), p, mean, *ends, confidence, (J - 1.0,))
