"""Bias or variance: what a training loss and a validation loss say together.

Also known as: underfitting or overfitting, small gap or large gap.

    high variance   the gap between validation loss e and training loss t is large,
                    and e still falls with more rows: more rows help, so do fewer
                    features or a stronger penalty                               (1)
    high bias       the gap is small, and e above what is desired: more rows are
                    useless; add features, or take a richer model                (2)
    neither         the desired loss is reached; or the gap is large and rows do
                    not close it, or it may be chance; or it is small and e
                    still falls                                                  (3)

A gap is large if it is more than

    (e - desired)/2,   or  e/5  where no loss is desired                         (4)

Which loss is desired only the user knows: what a person, a rival or the noise allows.
Without it, (2) does not tell bias from noise that no model removes.

Course: S4-65. Reference: Ng, CS229, advice for applying machine learning.
"""

from __future__ import annotations

__all__ = ["advice_of", "is_large", "verdict_of"]

HALF, FIFTH = 0.5, 0.2  # of (4)


def is_large(training: float, validation: float, desired: float | None = None) -> bool:
    """Tell whether a gap is large (4).

    >>> is_large(0.02, 0.12, desired=0.05), is_large(0.10, 0.12, desired=0.05)
    (True, False)
    """
    if desired is None:
        most = FIFTH * validation
    else:
        most = HALF * (validation - desired)
    return validation - training > max(most, 0.0)


def verdict_of(large: bool, falling: bool, sure: bool = True) -> str:
    """Return "high bias", "high variance" or "neither"; `sure` is of a large gap.

    >>> verdict_of(large=True, falling=True), verdict_of(large=False, falling=False)
    ('high variance', 'high bias')
    """
    if large != falling or (large and not sure):
        return "neither"
    return "high variance" if large else "high bias"


def advice_of(large: bool, falling: bool, sure: bool, desired: bool, ahead: str) -> str:
    """Return the verdict in words; `ahead` says what more rows would bring."""
    if large and not sure:
        return "the gap is large but may be chance; measure with more repeats or rows."
    if large and falling:
        text = f"high variance, the gap is large and the loss still falls; {ahead}."
        return text + " More rows, fewer features or a stronger penalty will help."
    if large:
        text = "the gap is large, but more rows will hardly close it; "
        return text + f"{ahead}. Use a stronger penalty or a simpler model."
    if falling:
        return f"the gap is small and the loss still falls; {ahead}."
    text = "high bias, the gap is small and more rows will not help; "
    text += "add features or take a richer model"
    return text + ("." if desired else ", unless noise in y is what remains.")
