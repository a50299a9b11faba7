"""Rows that stay where they were read: what a learner makes of them is sums.

A learner of many short passes keeps a reduced form of each chunk's rows in the chunk's
memory, and changes it pass by pass: it is moved by one instruction at a time,

    kept_v = change_v(kept_{v-1}),   answer_v = sum over chunks of sums_v(kept_v)  (1)

so that a pass reads no row, ships only the instruction, and brings back only sums.  A
memory is a cache.  Where it was dropped, or missed an instruction, the rows are read
again and the whole script is repeated,

    kept_v = change_v(... change_1(made(chunk)))                                 (2)

which may be a shorter one that ends in the same.  Both ways end in the same bits.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from corollary.engine.data import Data
from corollary.engine.sources.source import Chunk

__all__ = ["Instruction", "KeptRows"]

K = TypeVar("K")  # what is kept of a chunk


class Instruction(ABC, Generic[K]):
    """What one pass does to what is kept, and asks of it."""

    @abstractmethod
    def change(self, kept: K) -> None:
        """Move what is kept."""

    @abstractmethod
    def sums(self, kept: K) -> Any:
        """Return what the chunk contributes; it adds up."""


@dataclass(frozen=True)
class Turn(Generic[K]):
    """One pass: the instruction and the version of what is kept that it makes."""

    version: int
    instruction: Instruction[K]

    def by_memory(self, memory: dict[str, Any]) -> Any:
        """Apply (1); None where the memory is not the one before it."""
        with lock_of(memory):
            if memory.pop("version", None) != self.version - 1:
                return None
            kept = memory["kept"]
            self.instruction.change(kept)
            answer = self.instruction.sums(kept)
            memory["version"] = self.version
            return answer


@dataclass(frozen=True)
class Replay(Generic[K]):
    """The same pass for a chunk whose memory may be gone."""

    turn: Turn[K]
    made: Callable[[Chunk], K]
    script: Sequence[Instruction[K]]

    def __call__(self, chunk: Chunk) -> Any:
        """Apply (1), or else (2)."""
        memory = chunk.memory
        answer = self.turn.by_memory(memory)
        if answer is not None:
            return answer
        with lock_of(memory):
            memory.pop("version", None)
            kept = self.made(chunk)
            for instruction in self.script:
                instruction.change(kept)
            memory["kept"] = kept
            memory["version"] = self.turn.version
            return self.turn.instruction.sums(kept)


def lock_of(memory: dict[str, Any]) -> Any:
    """Return the lock of a memory: a part may be computed twice at a time."""
    return memory.setdefault("lock", threading.Lock())


class KeptRows(Generic[K]):
    """All chunks of the data, as they are kept."""

    def __init__(self, data: Data, made: Callable[[Chunk], K]) -> None:
        self.data, self.made = data, made
        self.version = 0
        self.script: list[Instruction[K]] = []

    def ask(self, instruction: Instruction[K]) -> Any:
        """Make a pass, and note it in the script."""
        self.script.append(instruction)
        self.version += 1
        turn = Turn(self.version, instruction)
        replay = Replay(turn, self.made, tuple(self.script))
        return self.data.reduce(replay, recall=partial(recalled, turn))

    def shorten(self, script: Sequence[Instruction[K]]) -> None:
        """Put a shorter script that ends in the same in place of the one so far."""
        self.script = list(script)


def recalled(turn: Turn[Any], memory: dict[str, Any]) -> Any:
    """Apply a turn to a memory alone."""
    return turn.by_memory(memory)
