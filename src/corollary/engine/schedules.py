"""Schedules: when the state is updated from the statistics.

`PerPass` updates after all chunks have added up: batch learning, the same answer
whatever the chunks.  `PerChunk` updates after every chunk from a running total
S <- decay S + s(chunk): streaming or mini-batch learning; decay < 1 forgets, with a
memory of about 1/(1 - decay) chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence

if TYPE_CHECKING:
    from corollary.engine.data import Data

__all__ = ["PerChunk", "PerPass", "check_streams", "chosen_schedule"]


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


def chosen_schedule() -> PerPass | PerChunk:
    """Return the configured schedule."""
    schedule = get_config().schedule or PerPass()
    if not isinstance(schedule, PerPass | PerChunk):
        must = "schedule must be engine.PerPass() or engine.PerChunk(decay)"
        raise ParameterError(sentence("set_config", must, repr(schedule)))
    return schedule


def check_streams(learner: Any, data: Data, schedule: PerChunk) -> None:
    """Refuse a schedule of chunks where the learner or its data cannot follow it."""
    if not hasattr(learner, "partial_fit"):
        must = "schedule must be engine.PerPass(): its sums hold for one state only"
        raise ParameterError(sentence(learner, must, f"engine.{schedule}"))
    if not data.source.replayable:
        must = "the first chunk of data that comes once must go through partial_fit"
        raise DataError(sentence(learner, must, data.source.described))
