"""Seeds of experiments."""

from __future__ import annotations

from typing import Any

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import seed
from corollary.core.randomness import entropy

__all__ = ["seed_of"]


def seed_of(who: str, random_state: Any) -> int:
    """Return one seed for all draws of an experiment.

    >>> seed_of("x", 3)
    3
    """
    if not seed.holds(random_state):
        must = f"random_state must be {seed.words}"
        raise ParameterError(sentence(who, must, f"{random_state!r}"))
    return entropy(random_state)
