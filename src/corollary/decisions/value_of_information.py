"""The value of information: what an observation is worth before it is bought.

Also known as: expected value of sample information, EVSI, EVPI, preposterior analysis.

Without an observation the best action costs

    R_0 = min_i sum_j Lambda_ij pi_j                                             (1)

With it, seen as o with probability p(o) = sum_j p(o | j) pi_j, the best action may
depend on o, and costs on average the Bayes risk

    R_1 = sum_o p(o) min_i sum_j Lambda_ij P(j | o) <= R_0                       (2)

The observation is worth at most R_0 - R_1, never below 0 and never above the value of
perfect information R_0 - sum_j pi_j min_i Lambda_ij  (3).

Notation: pi = prior; p(o | j) = likelihood[o, j]; Lambda = loss.
Course: S3-11, S3-10. Reference: Raiffa and Schlaifer (1961).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.decisions.decision_rules import cheapest
from corollary.decisions.probabilities import check_distribution, check_loss

__all__ = ["ValueOfInformation", "value_of_information"]


@dataclass(frozen=True)
class ValueOfInformation:
    """What an observation changes.

    Attributes
    ----------
    prior_risk, prior_action : float, int
        The best that can be done unseen (1).
    evidence : array of shape (o,)
        Probability of each observation.
    posterior : array of shape (o, k)
        Posterior after each observation; the prior where one cannot come.
    risk : array of shape (o, a)
        Risk of each action after each observation.
    actions : array of int of shape (o,)
        Best action after each observation.
    bayes_risk : float
        The best that can be done with the observation (2).
    perfect : float
        Value of knowing the truth (3), a bound for every observation.
    price : float
    """

    prior_risk: float
    prior_action: int
    evidence: Floats
    posterior: Floats
    risk: Floats
    actions: Vector
    bayes_risk: float
    perfect: float
    price: float
    names: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """What the observation is worth, whatever its price."""
        return self.prior_risk - self.bayes_risk

    @property
    def buy(self) -> bool:
        """Whether the observation is worth more than its price."""
        return self.value > self.price

    def __str__(self) -> str:
        named = self.names or tuple(f"action {i}" for i in range(self.risk.shape[1]))
        verdict = "buy it" if self.buy else "do not buy it"
        return (
            f"unseen: {named[self.prior_action]}, at a risk of {self.prior_risk:.4g}; "
            f"seen: {', '.join(named[a] for a in self.actions)}, at "
            f"{self.bayes_risk:.4g}; the observation is worth {self.value:.4g} (the "
            f"truth: {self.perfect:.4g}) and costs {self.price:.4g}: {verdict}"
        )


def value_of_information(
    likelihood: Any,
    prior: Any,
    loss: Any,
    *,
    price: float = 0.0,
    actions: Sequence[str] = (),
) -> ValueOfInformation:
    """Return what an observation is worth before it is made.

    Parameters
    ----------
    likelihood : array of shape (o, k)
        Probability of each observation under each state; columns sum to 1.
    prior : array of shape (k,)
    loss : array of shape (a, k)
        Cost of each action under each state.
    price : float
        What the observation costs, in units of the loss.
    actions : sequence of str, optional
        Names of the actions.

    Returns
    -------
    ValueOfInformation

    Examples
    --------
    >>> from corollary.datasets import doctor
    >>> d = doctor()
    >>> worth = value_of_information(
    ...     d.likelihood, d.prior, d.loss, price=0.1, actions=d.actions
    ... )
    >>> round(worth.value, 6), worth.buy
    (0.42, True)
    """
    who = "value_of_information"
    pi = check_distribution(who, prior, name="prior")
    Lambda = check_loss(who, loss, len(pi))
    L = np.asarray(likelihood, dtype=np.float64)
    if L.ndim != 2 or L.shape[1] != len(pi):
        must = f"likelihood must have a column for each of {len(pi)} states"
        raise ParameterError(sentence(who, must, f"shape {L.shape}"))
    for j in range(len(pi)):
        check_distribution(who, L[:, j], name=f"column {j} of likelihood")
    if not price >= 0:
        raise ParameterError(sentence(who, "price must be >= 0", f"{price}"))
    if actions and len(actions) != len(Lambda):
        must = f"actions must hold a name for each of {len(Lambda)} rows of the loss"
        raise ParameterError(sentence(who, must, f"{len(actions)}"))
    joint = L * pi  # (o, k)
    evidence = joint.sum(axis=1)
    comes = evidence > 0
    P = np.where(comes[:, None], joint / np.where(comes, evidence, 1.0)[:, None], pi)
    risk, unseen = P @ Lambda.T, Lambda @ pi
    best = cheapest(risk)
    return ValueOfInformation(
        prior_risk=float(unseen.min()),
        prior_action=int(cheapest(unseen[None, :])[0]),
        evidence=evidence,
        posterior=P,
        risk=risk,
        actions=best,
        bayes_risk=float((joint @ Lambda.T).min(axis=1).sum()),  # (2)
        perfect=float(unseen.min() - pi @ Lambda.min(axis=0)),  # (3)
        price=float(price),
        names=tuple(actions),
    )
