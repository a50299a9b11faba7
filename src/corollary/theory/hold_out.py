"""What rows that a model has never seen prove about its risk.

Also known as: test-set bound, hold-out bound, validation-set bound, Occam bound.

Losses x_1 ... x_n of a fixed model on rows drawn independently have the risk as their
mean.  With probability 1 - delta over these rows it is at most

    exact      largest p with B(k; n, p) >= delta, for k errors (`clopper_pearson`)  (1)
    kl         kl^{-1}(mean, ln(1/delta)/n)              (`kl_inverse`)              (2)
    hoeffding  mean + (b - a) sqrt(ln(1/delta) / 2n)                                 (3)
    bernstein  mean + sqrt(2 V ln(2/delta) / n) + 7 (b - a) ln(2/delta) / (3 (n-1))  (4)
    betting    the capital bound of `betting.py`                                     (5)

for losses in [a, b] of sample variance V; (1) for errors alone, and then the smallest.
Use one of them, chosen before the losses are seen.

The model must not depend on the rows.  Where the best of M models is taken, each has
its share pi_m of delta, and all bounds hold at once (Occam):

    risk(h_m) <= bound(x of h_m, pi_m delta),     sum_m pi_m <= 1                    (6)

so that a choice among 1000 models costs no more than ln 1000 in place of ln 1.

**Weights and groups.**  Fixed weights w make (3) with n_eff = (sum w)^2 / sum w^2 rows;
a weight that repeats a row adds no row.  Rows of one group (a patient, a day) are not
independent: with `groups` the groups are the rows, each with its mean loss, and the
bound is on the risk in a new group.

Notation: x = losses; k = errors; pi = prior.
References: Langford (2005); Maurer and Pontil (2009);
Waudby-Smith and Ramdas (2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import non_negative
from corollary.theory.bernstein_bounds import empirical_bernstein
from corollary.theory.betting import betting_upper
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.clopper_pearson import upper_risk
from corollary.theory.kl_inverse import farthest_above
from corollary.theory.stated_numbers import (
    chosen,
    confidence,
    counts,
    distinct,
    losses_between,
    number,
    vector,
)

__all__ = ["Validation", "hold_out_bound", "validation_bound"]

UNSEEN = "The model was fixed before these rows were seen."
METHODS = {
    "exact": ("exact binomial test-set bound", "Langford (2005)"),
    "kl": ("kl test-set bound", "Hoeffding (1963)"),
    "hoeffding": ("Hoeffding test-set bound", "Hoeffding (1963)"),
    "bernstein": ("empirical Bernstein test-set bound", "Maurer and Pontil (2009)"),
    "betting": ("betting test-set bound", "Waudby-Smith and Ramdas (2024)"),
}


@dataclass(frozen=True)
class Validation:
    """Bounds (6) on every model that was tried on one validation set.

    Attributes
    ----------
    chosen : int
        The model of the least bound.
    bound : Bound
        On the risk of that model; it holds although it was chosen here.
    bounds : array of shape (M,)
        On the risk of every model; they hold together.
    losses : array of shape (M,)
        Mean losses.
    """

    chosen: int
    bound: Bound
    bounds: Floats
    losses: Floats

    def __str__(self) -> str:
        mean = self.losses[self.chosen]
        return (
            f"model {self.chosen} of {len(self.losses)}: loss {mean:.4g}; {self.bound}"
        )


def hold_out_bound(
    losses: Any = None,
    delta: float = 0.05,
    *,
    n: int | None = None,
    errors: int | None = None,
    method: str = "exact",
    low: float = 0.0,
    high: float = 1.0,
    sample_weight: Any = None,
    groups: Any = None,
) -> Bound:
    """Bound the risk of a model by its losses on rows it has never seen.

    Parameters
    ----------
    losses : array of shape (n,), optional
        Loss of each row; 0 or 1 for errors.
    delta : float, default=0.05
        How often the bound may fail.
    n, errors : int, optional
        Rows and errors, in place of `losses`.
    method : {'exact', 'kl', 'hoeffding', 'bernstein', 'betting'}
        (1) to (5); 'exact' is for errors.
    low, high : float
        Between which every loss lies, whatever the row.
    sample_weight : array of shape (n,), optional
        Fixed weights of the rows; method 'hoeffding' alone.
    groups : array of shape (n,), optional
        Rows that belong together; not with 'exact'.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import hold_out_bound
    >>> print(hold_out_bound(n=1000, errors=83))
    exact binomial test-set bound: risk <= 0.09878 with confidence 0.95
    >>> print(hold_out_bound([0.1, 0.3, 0.2] * 100, method="betting"))
    betting test-set bound: risk <= 0.2141 with confidence 0.95
    """
    who = "hold_out_bound"
    delta = confidence(who, delta)
    name, by = stated_method(who, method, low, high)
    words = [INDEPENDENT, UNSEEN]
    if high != 1 or low != 0:
        words.append(f"No loss is below {low:g} or above {high:g}.")
    if losses is None:
        mean, rows = share_of_errors(who, n, errors, method)
        value = from_mean(mean, rows, delta, method)
        return Bound(name, scaled(value, low, high), delta, tuple(words), by, high)
    if n is not None or errors is not None:
        must = "losses, or n and errors, must be given"
        raise DataError(sentence(who, must, "both"))
    x = losses_between(who, vector(who, losses, "losses"), "losses", low, high)
    x = (x - low) / (high - low)
    if groups is not None:
        x = group_means(who, x, groups, method, sample_weight)
        words[0] = "Groups are drawn independently; rows of a group need not be."
        words.append("The risk is that of a row of a new group, all groups alike.")
    if sample_weight is None:
        value = upper_of(who, x, delta, method)
    else:
        value = weighted_hoeffding(who, x, sample_weight, delta, method)
        words.append(
            "Weights are fixed, and tell how much of the data a row stands for."
        )
    return Bound(name, scaled(value, low, high), delta, tuple(words), by, high)


def validation_bound(
    losses: Any = None,
    delta: float = 0.05,
    *,
    n: int | None = None,
    errors: Any = None,
    prior: Any = None,
    method: str = "exact",
    low: float = 0.0,
    high: float = 1.0,
) -> Validation:
    """Bound the risk of the best of several models tried on one validation set (6).

    Parameters
    ----------
    losses : array of shape (M, n), optional
        Losses of each model on the same rows.
    delta : float, default=0.05
        How often any of the bounds may fail.
    n : int, optional
        Rows, with `errors`.
    errors : array of shape (M,), optional
        Errors of each model, in place of `losses`.
    prior : array of shape (M,), optional
        Shares pi of delta, chosen before the rows were seen; they add up to at most 1.
        Equal by default.
    method, low, high
        As of `hold_out_bound`.

    Returns
    -------
    Validation

    Examples
    --------
    >>> from corollary.theory import validation_bound
    >>> tried = validation_bound(n=1000, errors=[90, 83, 120])
    >>> tried.chosen, round(tried.bound.value, 4)
    (1, 0.1035)
    """
    who = "validation_bound"
    delta = confidence(who, delta)
    name, by = stated_method(who, method, low, high)
    if losses is None:
        mean, rows = share_of_errors(who, n, errors, method)
        mean = np.atleast_1d(mean)
        pi = stated_prior(who, prior, len(mean))
        values = np.atleast_1d(from_mean(mean, rows, pi * delta, method))
    else:
        X = losses_between(who, losses, "losses", low, high)
        if X.ndim != 2 or not X.size:
            must = "losses must be (models, rows)"
            raise DataError(sentence(who, must, f"shape {X.shape}"))
        X = (X - low) / (high - low)
        pi, mean = stated_prior(who, prior, len(X)), X.mean(axis=1)
        pairs = zip(X, pi, strict=True)
        values = np.array(
            [upper_of(who, x, float(p) * delta, method) for x, p in pairs]
        )
    values, mean = scaled(values, low, high), low + (high - low) * mean
    best = int(values.argmin())
    words = (
        INDEPENDENT,
        "Models and their shares of delta were fixed before these rows were seen.",
    )
    name = f"best of {len(values)} by {name}"
    bound = Bound(name, float(values[best]), delta, words, by, high)
    return Validation(best, bound, values, mean)


# -- the five bounds, for losses in [0, 1] ---------------------------------------------
def upper_of(who: str, x: Floats, delta: float, method: str) -> float:
    """Return one of (1) to (5)."""
    n, mean = len(x), float(x.mean())
    if method == "exact":
        if not np.isin(x, (0.0, 1.0)).all():
            must = "losses must be 0 or 1 for method='exact'"
            remedy = "Use method='betting' for other losses."
            raise DataError(sentence(who, must, "others", remedy))
        return float(from_mean(float(x.sum()) / n, n, delta, method))
    if method == "betting":
        return betting_upper(x, delta)
    if method == "bernstein":
        if n < 2:
            must = "losses must be at least 2 for method='bernstein'"
            raise DataError(sentence(who, must, f"{n}"))
        V = float(x.var(ddof=1))
        return mean + float(empirical_bernstein(variance=V, m=n, delta=delta))  # (4)
    return float(from_mean(mean, n, delta, method))


def from_mean(mean: Any, n: int, delta: Any, method: str) -> Any:
    """Return (1), (2) or (3), which need no more than the mean."""
    if method == "exact":
        return upper_risk(n, np.rint(np.asarray(mean) * n), delta)
    log = -np.log(delta)
    if method == "kl":
        return farthest_above(*np.broadcast_arrays(mean, log / n))
    return mean + np.sqrt(log / (2 * n))


def weighted_hoeffding(who: str, x: Floats, w: Any, delta: float, method: str) -> float:
    """Return (3) of a weighted mean."""
    w = non_negative(who, vector(who, w, "sample_weight", len(x)), "sample_weight")
    if method != "hoeffding" or not w.any():
        must = "sample_weight must not be 0 for all, and needs method='hoeffding'"
        raise DataError(sentence(who, must, f"method={method!r}, sum {w.sum():g}"))
    w = w / w.sum()
    return float(w @ x + np.sqrt(-np.log(delta) * (w @ w) / 2))


def group_means(who: str, x: Floats, groups: Any, method: str, w: Any) -> Floats:
    """Return the mean loss of each group."""
    groups = np.asarray(groups)
    if groups.shape != x.shape or method == "exact" or w is not None:
        must = "groups must name a group for each row, without weights or 'exact'"
        remedy = "Use method='betting'."
        came = f"shape {groups.shape}, method={method!r}"
        raise DataError(sentence(who, must, came, remedy))
    codes = np.searchsorted(distinct(who, groups), groups)
    return np.bincount(codes, x) / np.bincount(codes)


# -- checks ----------------------------------------------------------------------------
def stated_method(who: str, method: Any, low: Any, high: Any) -> tuple[str, str]:
    """Return the name and the reference of a method."""
    chosen(who, method, "method", METHODS)
    a, b = number(who, low, "low"), number(who, high, "high")
    if not a < b or (method == "exact" and (a, b) != (0, 1)):
        must = (
            "low must be below high" if a >= b else "the losses of 'exact' are 0 or 1"
        )
        raise ParameterError(sentence(who, must, f"[{a:g}, {b:g}]"))
    return METHODS[method]


def share_of_errors(who: str, n: Any, errors: Any, method: str) -> tuple[Any, int]:
    """Return errors / n and n, where the method needs no more."""
    if n is None or errors is None:
        must = "losses, or n and errors, must be given"
        raise DataError(sentence(who, must, "neither"))
    if method in ("bernstein", "betting"):
        must = f"losses must be given for method={method!r}"
        raise DataError(sentence(who, must, "n and errors"))
    rows, k = counts(who, n, "n", 1), counts(who, errors, "errors")
    if rows.ndim or (k > rows).any() or not k.size:
        must = "errors must be at most n, a single number"
        raise DataError(sentence(who, must, f"n = {n!r}, errors = {errors!r}"))
    return k / rows, int(rows)


def stated_prior(who: str, prior: Any, M: int) -> Floats:
    """Return the shares of delta of M models."""
    if prior is None:
        return np.full(M, 1 / M)
    pi = vector(who, prior, "prior", M)
    if pi.min() <= 0 or pi.sum() > 1 + 1e-9:
        must = "prior must hold numbers > 0 that add up to at most 1"
        raise ParameterError(sentence(who, must, f"a sum of {pi.sum():g}"))
    return pi


def scaled(value: Any, low: float, high: float) -> Any:
    """Return a bound on losses in [low, high] from one on losses in [0, 1]."""
    value = low + (high - low) * np.minimum(value, 1.0)
    return float(value) if np.ndim(value) == 0 else value
