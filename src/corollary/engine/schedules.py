"""Schedules: when the state is updated from the statistics.

`PerPass` updates after all chunks have added up: batch learning, the same answer
whatever the chunks.  `PerChunk` updates after every chunk from a running total
S <- decay S + s(chunk): streaming or mini-batch learning; decay < 1 forgets, with a
memory of about 1/(1 - decay) chunks.
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.errors import ParameterError, sentence

__all__ = ["PerChunk", "PerPass"]


@dataclass(frozen=True)
class PerPass:
    """Update after each pass over the source."""


@dataclass(frozen=True)
class PerChunk:
    """Update after each chunk, from a running total that forgets by `decay`."""

    decay: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.decay <= 1:
            must = "decay must be in (0, 1]"
            raise ParameterError(sentence("PerChunk", must, f"{self.decay}"))
