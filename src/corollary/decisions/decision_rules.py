"""Bayes decision theory: from probabilities and costs to actions.

Also known as: minimum expected risk, proper Bayes, Bayes' rule, maximum a posteriori,
maximum likelihood classification, reject option, Chow's rule, likelihood ratio test,
prior shift, prior correction, label shift.

Likelihoods and priors give the posterior of class j, in logarithms

    P(j | x) = p(x | j) pi_j / sum_l p(x | l) pi_l                               (1)

a loss Lambda_ij, what action i costs when the truth is j, gives its conditional risk

    R(i | x) = sum_j Lambda_ij P(j | x),   in rows  R = P Lambda'                (2)

and the Bayes decision takes the action of least risk; ties go to the first.  No rule
has a smaller total risk  E_x R(a(x) | x)  (3).  Actions need not be classes.  Special
losses:

    0/1          R(i | x) = 1 - P(i | x): the most probable class (MAP); with equal
                 priors the class of largest likelihood (ML)                     (4)
    reject       a row of constant cost r; under 0/1 loss it is chosen iff
                 max_j P(j | x) < 1 - r  (Chow)                                  (5)
    squared      Lambda_ij = ||h_i - h_j||^2 for vector outcomes h; unrestricted
                 the best answer is the posterior mean sum_j P(j | x) h_j        (6)

For two classes and actions the rule is a threshold on the likelihood ratio: take
action 1 iff

    p(x | 1) / p(x | 2) > (Lambda_12 - Lambda_22) pi_2 / ((Lambda_21 - Lambda_11) pi_1)
                                                                                 (7)

Training is not needed for new priors pi': the posterior is rescaled and normalised,

    P'(j | x) prop. to P(j | x) pi'_j / pi_j                                     (8)

Any strictly increasing function of a score per class leaves its decisions unchanged:
posterior, log joint and negative risk are all discriminant functions.

Notation: P (n, k) posterior; Lambda (a, k) = loss; pi (k,) = prior.
Course: S0-2, S0-3, S1-1, S1-2, S1-4, S1-5, S3-5, S3-6, S3-7, S3-8, S3-9, S3-12.
References: Duda, Hart, Stork (2001), ch. 2; Chow (1970); Saerens et al. (2002).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.decisions.probabilities import (
    check_distribution,
    check_log_likelihood,
    check_loss,
    check_posterior,
    check_reject_cost,
)
from corollary.objectives.softmax import log_softmax, log_sum_exp

__all__ = [
    "change_priors",
    "conditional_error",
    "conditional_risk",
    "decide",
    "likelihood_ratio_threshold",
    "log_evidence",
    "log_posterior",
    "map_rule",
    "ml_rule",
    "posterior",
    "posterior_mean",
    "prior_rule",
    "squared_loss",
    "total_risk",
]


# -- probabilities -----------------------------------------------------------------
def log_posterior(log_likelihood: Any, prior: Any) -> Floats:
    """Return log P(class | x) from log p(x | class) and the priors (1).

    Where no class can have made a row (all its likelihoods are 0) the row says nothing
    and the prior stands.

    Parameters
    ----------
    log_likelihood : array of shape (n, k)
        log p(x | class) of each row and class; -inf where the class rules the row out.
    prior : array of shape (k,)

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log_posterior([[-1000.0, -1001.0]], [0.5, 0.5])).round(4).tolist()
    [[0.7311, 0.2689]]
    """
    pi = check_distribution("log_posterior", prior, name="prior")
    L = check_log_likelihood("log_posterior", log_likelihood, len(pi))
    return log_softmax(joint_log_probability(L, pi))


def posterior(log_likelihood: Any, prior: Any) -> Floats:
    """Return P(class | x) from log p(x | class) and the priors (1).

    Parameters
    ----------
    log_likelihood, prior
        As in `log_posterior`.

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    A test for a rare illness, positive in 98 % of the ill and 3 % of the healthy:

    >>> import numpy as np
    >>> posterior(np.log([[0.98, 0.03]]), [0.01, 0.99]).round(4).tolist()
    [[0.2481, 0.7519]]
    """
    return np.exp(log_posterior(log_likelihood, prior))


def log_evidence(log_likelihood: Any, prior: Any) -> Floats:
    """Return log p(x) = log sum_j p(x | j) pi_j of each row, the denominator of (1).

    >>> import numpy as np
    >>> np.exp(log_evidence(np.log([[0.98, 0.03]]), [0.01, 0.99])).round(4).tolist()
    [0.0395]
    """
    pi = check_distribution("log_evidence", prior, name="prior")
    L = check_log_likelihood("log_evidence", log_likelihood, len(pi))
    with np.errstate(divide="ignore"):
        return log_sum_exp(L + np.log(pi))


def change_priors(P: Any, old: Any, new: Any) -> Floats:
    """Return the posterior under other priors, without training again (8).

    Parameters
    ----------
    P : array of shape (n, k)
        Posterior under the priors `old`.
    old, new : arrays of shape (k,)
        Priors that P was made with, and those wanted.  A class of old prior 0 was never
        learned and cannot be given a new one.

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> change_priors([[0.5, 0.5]], [0.5, 0.5], [0.9, 0.1]).round(6).tolist()
    [[0.9, 0.1]]
    """
    P = check_posterior("change_priors", P)
    old = check_distribution("change_priors", old, P.shape[1], "old")
    new = check_distribution("change_priors", new, P.shape[1], "new")
    unknown = (old == 0) & (new > 0)
    if unknown.any():
        must = "a class whose old prior is 0 must keep it"
        came = f"{new[unknown][0]:g} for class {int(unknown.argmax())}"
        raise ParameterError(sentence("change_priors", must, came))
    return reweighed(P, prior_ratio(old, new))


def prior_ratio(old: Floats, new: Floats) -> Floats:
    """Return pi' / pi of (8), 0 for a class that is ruled out."""
    return np.where(new > 0, new / np.where(old > 0, old, 1.0), 0.0)


def reweighed(P: Floats, ratio: Floats) -> Floats:
    """Multiply by the ratios and normalise (8).

    A row whose probability is all on classes that are ruled out says nothing of the
    others: these share alike.
    """
    with np.errstate(divide="ignore"):
        log_ratio = np.log(ratio)
        joint = np.log(P) + log_ratio
    silent = np.isneginf(joint).all(axis=1)
    joint[silent] = np.where(ratio > 0, 0.0, -np.inf)
    return np.exp(log_softmax(joint))


# -- risk and decisions ------------------------------------------------------------
def conditional_error(P: Any) -> Floats:
    """Return the probability of error of the best guess, 1 - max_j P(j | x).

    >>> conditional_error([[0.75, 0.25]]).tolist()
    [0.25]
    """
    return 1.0 - check_posterior("conditional_error", P).max(axis=1)


def conditional_risk(P: Any, loss: Any = None) -> Floats:
    """Return the expected cost of each action for each row (2).

    Parameters
    ----------
    P : array of shape (n, k)
        Posterior.
    loss : array of shape (a, k), optional
        Cost of each action under each class; by default 0/1.

    Returns
    -------
    array of shape (n, a)

    Examples
    --------
    >>> conditional_risk([[0.4, 0.5, 0.1]], [[0, 5, 10], [20, 5, 0]]).tolist()
    [[3.5, 10.5]]
    """
    P = check_posterior("conditional_risk", P)
    return P @ check_loss("conditional_risk", loss, P.shape[1]).T


def decide(P: Any, loss: Any = None, *, reject_cost: float | None = None) -> Vector:
    """Return the number of the action of least risk for each row.

    Related words: loss matrix.

    Parameters
    ----------
    P : array of shape (n, k)
        Posterior.
    loss : array of shape (a, k), optional
        Cost of each action under each class; by default 0/1, so that actions are
        classes.
    reject_cost : float, optional
        Cost of refusing to decide, which is then action number a, after all others (5).

    Returns
    -------
    array of int of shape (n,)
        Ties go to the first action.

    Examples
    --------
    >>> decide([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]], reject_cost=0.3).tolist()
    [0, 2, 1]
    """
    P = check_posterior("decide", P)
    loss = check_loss("decide", loss, P.shape[1])
    r = check_reject_cost("decide", reject_cost)
    return cheapest(P @ with_reject(loss, r).T)


def cheapest(risk: Floats) -> Vector:
    """Return the first action whose risk is least up to rounding."""
    least = risk.min(axis=1, keepdims=True)
    rounding = 4 * np.finfo(np.float64).eps * np.abs(risk).max(axis=1, keepdims=True)
    return (risk <= least + rounding).argmax(axis=1)


def with_reject(loss: Floats, reject_cost: float | None) -> Floats:
    """Append the row of a refusal to decide (5)."""
    if reject_cost is None:
        return loss
    return np.vstack([loss, np.full(loss.shape[1], reject_cost)])


def total_risk(
    P: Any, loss: Any = None, *, actions: Any = None, sample_weight: Any = None
) -> float:
    """Return the mean risk of a rule over the rows (3).

    Parameters
    ----------
    P : array of shape (n, k)
        Posterior.
    loss : array of shape (a, k), optional
        By default 0/1, and the total risk is the probability of error.
    actions : array of int of shape (n,), optional
        Action taken in each row; by default the best.
    sample_weight : array of shape (n,), optional
        For instance the probability of each row.

    Returns
    -------
    float

    Examples
    --------
    >>> total_risk([[0.9, 0.1], [0.4, 0.6]])
    0.25
    """
    R = conditional_risk(P, loss)
    w = check_weights("total_risk", sample_weight, len(R))
    if actions is None:
        taken = R.min(axis=1)
    else:
        a = np.asarray(actions)
        if a.shape != (len(R),) or a.dtype.kind not in "iu":
            must = f"actions must hold one whole number for each of {len(R)} rows"
            raise DataError(sentence("total_risk", must, f"{a.dtype} {a.shape}"))
        if a.min() < 0 or a.max() >= R.shape[1]:
            must = f"actions must be between 0 and {R.shape[1] - 1}"
            raise DataError(sentence("total_risk", must, f"{a.min()} to {a.max()}"))
        taken = R[np.arange(len(R)), a]
    return float(np.average(taken, weights=w))


def likelihood_ratio_threshold(loss: Any = None, prior: Any = (0.5, 0.5)) -> float:
    """Return the ratio p(x | 1) / p(x | 2) above which action 1 is the cheaper (7).

    Parameters
    ----------
    loss : array of shape (2, 2), optional
        Each action must be the cheaper under its own class; by default 0/1.
    prior : pair of float

    Returns
    -------
    float
        Infinite where class 1 has prior 0.

    Examples
    --------
    >>> likelihood_ratio_threshold([[0, 20], [5, 0]], [0.2, 0.8])
    16.0
    """
    who = "likelihood_ratio_threshold"
    pi = check_distribution(who, prior, 2, "prior")
    L = check_loss(who, loss, 2)
    if L.shape != (2, 2):
        raise ParameterError(sentence(who, "loss must be 2 by 2", f"shape {L.shape}"))
    wrong_1, wrong_2 = L[1, 0] - L[0, 0], L[0, 1] - L[1, 1]
    if wrong_1 <= 0 or wrong_2 <= 0:
        must = "each action must be the cheaper one under its own class"
        came = f"differences of cost {wrong_1:g} and {wrong_2:g}"
        raise ParameterError(sentence(who, must, came, "Reorder the rows of the loss."))
    if pi[0] == 0:
        return float("inf")
    return float(wrong_2 * pi[1] / (wrong_1 * pi[0]))


# -- named rules -------------------------------------------------------------------
def map_rule(log_likelihood: Any, prior: Any) -> Vector:
    """Return the most probable class of each row (4).

    >>> import numpy as np
    >>> map_rule(np.log([[0.0540, 0.0648]]), [2 / 3, 1 / 3]).tolist()
    [0]
    """
    return log_posterior(log_likelihood, prior).argmax(axis=1)


def ml_rule(log_likelihood: Any) -> Vector:
    """Return the class under which each row is likeliest (4).

    >>> import numpy as np
    >>> ml_rule(np.log([[0.0540, 0.0648]])).tolist()
    [1]
    """
    k = np.shape(log_likelihood)[-1] if np.ndim(log_likelihood) else 0
    return check_log_likelihood("ml_rule", log_likelihood, k).argmax(axis=1)


def prior_rule(prior: Any, loss: Any = None) -> int:
    """Return the best action when nothing is seen: every other rule must beat it.

    >>> prior_rule([0.9, 0.1]), prior_rule([0.9, 0.1], [[0, 10], [1, 0]])
    (0, 1)
    """
    pi = check_distribution("prior_rule", prior, name="prior")
    return int(decide(pi[None, :], loss)[0])


# -- outcomes that are vectors -----------------------------------------------------
def squared_loss(outcomes: Any) -> Floats:
    """Return the loss ||h_i - h_j||^2 between outcomes (6).

    Parameters
    ----------
    outcomes : array of shape (k,) or (k, d)
        The number or vector that each class stands for.

    Returns
    -------
    array of shape (k, k)

    Examples
    --------
    >>> squared_loss([0.0, 1.0, 3.0])[0].tolist()
    [0.0, 1.0, 9.0]
    """
    H = _outcomes("squared_loss", outcomes)
    return ((H[:, None, :] - H[None, :, :]) ** 2).sum(axis=2)


def posterior_mean(P: Any, outcomes: Any) -> Floats:
    """Return the answer of least expected squared error, restricted to nothing (6).

    Parameters
    ----------
    P : array of shape (n, k)
        Posterior.
    outcomes : array of shape (k,) or (k, d)

    Returns
    -------
    array of shape (n,) or (n, d)

    Examples
    --------
    >>> posterior_mean([[0.5, 0.5, 0.0]], [0.0, 1.0, 3.0]).tolist()
    [0.5]
    """
    P = check_posterior("posterior_mean", P)
    H = _outcomes("posterior_mean", outcomes)
    if len(H) != P.shape[1]:
        must = f"outcomes must hold one for each of {P.shape[1]} classes"
        raise ParameterError(sentence("posterior_mean", must, f"{len(H)}"))
    mean = P @ H
    return mean[:, 0] if np.ndim(outcomes) == 1 else mean


def joint_log_probability(L: Floats, pi: Floats) -> Floats:
    """Return log p(x | j) pi_j; a row that no class can have made keeps the prior."""
    with np.errstate(divide="ignore"):
        log_pi = np.log(pi)
    joint = L + log_pi
    silent = ~np.isfinite(joint).any(axis=1)
    joint[silent] = log_pi
    return joint


def _outcomes(who: str, outcomes: Any) -> Floats:
    H = np.asarray(outcomes, dtype=np.float64)
    H = H[:, None] if H.ndim == 1 else H
    if H.ndim != 2 or not np.isfinite(H).all():
        must = "outcomes must be finite numbers or vectors, one for each class"
        raise ParameterError(sentence(who, must, f"shape {np.shape(outcomes)}"))
    return H
