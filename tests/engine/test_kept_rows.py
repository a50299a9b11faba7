"""Instructions to kept rows: the same sums from memories and from scripts."""

from dataclasses import dataclass

import numpy as np
import pytest

from corollary import Ridge, engine
from corollary.engine.data import Data
from corollary.engine.kept_rows import Instruction, KeptRows

X = np.arange(60.0).reshape(30, 2)
READS: list[int] = []


def made(chunk):
    """Keep a column."""
    READS.append(chunk.n)
    return [chunk.X[:, 0].copy()]


@dataclass(frozen=True)
class Times(Instruction):
    """Multiply what is kept, and sum it."""

    factor: float

    def change(self, kept):
        kept[0] = kept[0] * self.factor

    def sums(self, kept):
        return float(kept[0].sum())


@pytest.fixture
def rows():
    READS.clear()
    with engine.use(executor="serial", chunk_rows=7):
        yield KeptRows(Data(Ridge(), engine.ArraySource(X, X[:, 0])), made)


def test_rows_are_made_once_and_then_remembered(rows):
    assert rows.ask(Times(1.0)) == X[:, 0].sum()
    assert rows.ask(Times(2.0)) == 2 * X[:, 0].sum()
    assert rows.ask(Times(-1.0)) == -2 * X[:, 0].sum()
    assert sum(READS) == 30


def test_a_dropped_memory_repeats_the_script(rows):
    rows.ask(Times(2.0))
    rows.ask(Times(3.0))
    rows.data.forget()
    assert rows.ask(Times(5.0)) == 30 * X[:, 0].sum()
    assert sum(READS) == 60


def test_a_memory_that_missed_an_instruction_is_made_again(rows):
    rows.ask(Times(2.0))
    memory = rows.data.memories[(1, 0)]
    memory["version"] = 0
    assert rows.ask(Times(5.0)) == 10 * X[:, 0].sum()
    assert sum(READS) == 37


def test_a_shorter_script_ends_in_the_same(rows):
    rows.ask(Times(2.0))
    rows.ask(Times(3.0))
    rows.shorten([Times(6.0)])
    rows.data.forget()
    assert rows.ask(Times(1.0)) == 6 * X[:, 0].sum()
