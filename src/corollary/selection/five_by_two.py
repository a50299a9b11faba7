"""The 5 x 2 cross-validation tests: two learners on five halvings of the rows.

Also known as: Dietterich's 5x2cv paired t-test, Alpaydin's combined 5x2cv F-test.

Halve the rows five times.  In halving i the learners, trained on one half and tested on
the other, differ by p_i1, and the other way round by p_i2.  Training sets within a
halving do not overlap, so that

    s_i^2 = (p_i1 - m_i)^2 + (p_i2 - m_i)^2,    m_i = (p_i1 + p_i2)/2            (1)

estimates the variance with little bias, and under equality, nearly,

    t = p_11 / sqrt( (1/5) sum_i s_i^2 )             Student, 5 degrees          (2)
    F = sum_i sum_j p_ij^2 / (2 sum_i s_i^2)         F with 10 and 5 degrees     (3)

(2) hangs on which difference comes first; (3) takes all ten, has more power and holds
its level.  Both compare learners on n/2 rows, at the cost of 20 fits, and see how the
learners vary with their training rows, which McNemar's test does not.

Notation: p_ij = loss of the first learner less that of the second.
Course: S3-100. References: Dietterich (1998); Alpaydin (1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import is_classifier

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.selection.cross_validation import validated
from corollary.selection.folds import folds_of
from corollary.selection.paired_test import PairedTest
from corollary.selection.validation_data import check_model, given_rows, seed_of
from corollary.selection.validation_loss import chosen_loss

__all__ = ["five_by_two_cv_test"]

WHO = "five_by_two_cv_test"


def five_by_two_cv_test(
    model_a: Any,
    model_b: Any,
    X: Any,
    y: Any,
    *,
    method: str = "F",
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> PairedTest:
    """Test whether two learners differ on data like this.

    Parameters
    ----------
    model_a, model_b : estimators
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    method : {'F', 't'}
        (3) or (2).
    loss : str, function or Loss, optional
        As in `cross_validate`.
    sample_weight, groups : arrays of shape (n,), optional
        As in `cross_validate`.
    random_state : None, int or Generator, default=0
        Draws the halves.

    Returns
    -------
    PairedTest

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression, Ridge
    >>> from corollary.selection import five_by_two_cv_test
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = X @ [1.0, 2.0, 3.0] + rng.normal(size=200)
    >>> five_by_two_cv_test(LinearRegression(), Ridge(alpha=200.0), X, y).verdict
    'the first model is better'
    """
    if method not in ("F", "t"):
        raise ParameterError(sentence(WHO, "method must be 'F' or 't'", shown(method)))
    check_model(WHO, model_a)
    check_model(WHO, model_b)
    if is_classifier(model_a) != is_classifier(model_b):
        must = "the models must be two classifiers or two regressors"
        raise ParameterError(sentence(WHO, must, "one of each"))
    given = given_rows(WHO, model_a, X, y, sample_weight, groups, least=4)
    cost = chosen_loss(WHO, loss, model_a)
    halves = folds_of(WHO, 2, given, repeats=5, seed=seed_of(WHO, random_state))
    a, b = (validated(WHO, m, given, halves, cost) for m in (model_a, model_b))
    p = (a.fold_losses - b.fold_losses).reshape(5, 2)
    s2 = p.var(axis=1) * 2  # (1)
    total, mean = float(s2.sum()), float(p.mean())
    name = f"5 x 2 cross-validation {method}-test"
    if method == "t":
        t = over(float(p[0, 0]), float(np.sqrt(total / 5)))  # (2)
        chance = 2 * float(stats.t.sf(abs(t), 5))
        return PairedTest(name, t, chance, mean, freedom=(5.0,))
    F = over(float((p**2).sum()), 2 * total)  # (3)
    return PairedTest(name, F, float(stats.f.sf(F, 10, 5)), mean, freedom=(10.0, 5.0))


def over(top: float, bottom: float) -> float:
    """Divide, with 0/0 = 0."""
    return (
        top / bottom if bottom > 0 else float(np.sign(top)) * (np.inf if top else 0.0)
    )
