"""Advice from three numbers: training loss, validation loss, and the loss asked for.

Also known as: bias-variance table, what to try next.

Let T be the loss on training rows, L on rows held out and D the loss that is asked
for, g how far the optimiser is above the minimum of T (0 where it has converged).
What lacks is

    L - D  =  g  +  (T - g - D)  +  (L - T)                                      (1)
              |      |               |
              |      |               variance: training rows are fitted better
              |      bias: not even training rows are fitted well enough
              the optimiser is not done

A part above a tenth of the whole and above the noise calls for its own actions
(`remedies`), the largest first, and for none of the others.

Notation: T training, L validation, D target_loss, g optimizer_gap.
Course: S4-64. References: Ng (2018), Machine Learning Yearning, ch. 20-32.
"""

from __future__ import annotations

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.diagnostics.evidence import probability
from corollary.diagnostics.remedies import REMEDIES, remedies_for, will_not_help
from corollary.diagnostics.verdict import Action, Diagnosis, Verdict

__all__ = ["advise"]

WHO = "advise"
LIKELY = 0.5
PART = 0.1  # of what lacks, from which a part of it counts


def advise(
    training: float,
    validation: float,
    target_loss: float,
    *,
    optimizer_gap: float = 0.0,
    standard_error: float = 0.0,
) -> Diagnosis:
    """Say from the losses of a model what to try next, and what not (1).

    Parameters
    ----------
    training, validation : float
        Mean loss on training rows and on rows held out.
    target_loss : float
        The loss that is asked for.
    optimizer_gap : float, default=0
        How far the training loss is above the least that the model could reach.
    standard_error : float, default=0
        Of the validation loss.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> print(advise(training=0.01, validation=0.30, target_loss=0.05))
    High variance: the model is too flexible (confidence 1.00).
      - Rows held out lose 0.29 more than training rows.
    Try:
      1. Raise the penalty.
      2. Use a model that varies less.
      3. Use fewer features.
    Will not help:
      - Use a more flexible model. (the training loss is low already)
      - Lower the penalty. (it lets the model follow more noise)
      - Run the optimiser longer. (a lower training loss is not what lacks)
    """
    given = (training, validation, target_loss, optimizer_gap, standard_error)
    T, L, D, g, error = (
        float(numbers(WHO, v, "a loss", ParameterError)) for v in given
    )
    if g < 0 or error < 0:
        must = "optimizer_gap and standard_error must be >= 0"
        raise ParameterError(sentence(WHO, must, f"{g:g} and {error:g}"))
    verdicts = of_parts(T, L, D, g, error)
    actions = (
        Action(remedy.key, remedy.words, "")
        for verdict in verdicts
        for remedy in remedies_for(verdict.name)
    )
    heals = {r.key for v in verdicts for r in remedies_for(v.name)}
    words = {remedy.key: remedy.words for remedy in REMEDIES}
    wasted = will_not_help(verdicts[0].name, len(REMEDIES))
    useless = [(words[key], why) for key, why in wasted if key not in heals]
    return Diagnosis(
        verdicts,
        tuple({action.key: action for action in actions}.values()),
        tuple(useless[:3]),
        "mean loss",
        T,
        L,
        baseline=np.nan,
        target_loss=D,
    )


def of_parts(
    T: float, L: float, D: float, g: float, error: float
) -> tuple[Verdict, ...]:
    """Return a verdict for each part of (1) that counts, the largest first."""
    parts = (
        (min(g, L - D), "unconverged", f"The optimiser is {g:.4g} above its minimum."),
        (
            T - g - D,
            "high_bias",
            f"Training rows lose {T - g:.4g}, more than the {D:.4g} asked for.",
        ),
        (
            min(L - T, L - D),
            "high_variance",
            f"Rows held out lose {L - T:.4g} more than training rows.",
        ),
    )
    ranked = sorted(parts, key=lambda one: -one[0])
    verdicts = tuple(
        Verdict(name, probability(part, error), (text,))
        for part, name, text in ranked
        if part > PART * max(L - D, 0.0) and probability(part, error) >= LIKELY
    )
    if L > D and verdicts:
        return verdicts
    text = f"Rows held out lose {L:.4g}; {D:.4g} is asked for."
    return (Verdict("healthy", probability(D - L, error), (text,)),)
