"""Feature maps that are learned from a sample of the rows, in summation form.

One pass takes a uniform sample of the distinct rows (`clustering.seeding.Sample`),
keyed by their content, so that it does not depend on chunks, threads, order or copies,
and where they are needed the variances of the columns.  From these a map is made, and
what it loses of its kernel is measured on the sample.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary.clustering.seeding import Sample
from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import check_memory
from corollary.core.hooks import hook
from corollary.core.records import changed
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Transformer
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Statistics,
    SummationLearner,
    Variances,
)
from corollary.engine.executors.executor import side_by_side

__all__ = ["Drawing", "Judged", "SampledMap", "Seen", "by_blocks", "variance_of"]

JUDGED = 100  # rows of the sample on which a map is judged
BLOCK_BYTES = 2**20  # of features that a thread makes at a time


@dataclass(frozen=True)
class Seen(Statistics):
    """What one chunk contributes: its rows with small keys, and its spread."""

    sample: Sample
    spread: Variances | None


@dataclass(frozen=True)
class Drawing:
    """The state: what to sample, then the map that was made."""

    seed: int
    most: int
    share: float
    spread: bool
    dtype: Any
    last: bool = False  # whether a second pass is not possible, or of no use
    found: Any = None  # the map
    judged: Any = None  # what is known of it


class Judged(NamedTuple):
    """What a map loses, measured on the sample, and what else the report shall say."""

    loss: Optimality
    facts: dict[str, Any]
    warnings: Sequence[str] = ()


class SampledMap(SummationLearner, Transformer):
    """A map made from a sample of the rows."""

    takes_sparse = True
    random_state: Any = None

    # -- the mathematics, written by each map --------------------------------------
    @hook
    def sample_size(self) -> int:
        """Rows to sample; those that judge the map by default."""
        return JUDGED

    @hook
    def needs_spread(self) -> bool:
        """Whether the variances of the columns are needed."""
        return False

    @abstractmethod
    def make(self, seen: Seen, state: Drawing) -> Any:
        """Return the map."""

    @abstractmethod
    def judge(self, found: Any, X: Matrix) -> Judged:
        """Measure what the map loses on rows of the sample."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Drawing:
        """Say which keys can be in the sample."""
        n, most = data.source.n_rows, self.sample_size()
        share = min(1.0, 2.0 * most / n + 0.01) if n and not data.once else 1.0
        return Drawing(
            seed, most, share, self.needs_spread(), data.source.dtype, share == 1.0
        )

    def statistics(self, chunk: Chunk, state: Drawing) -> Seen:
        """Sample the chunk."""
        spread = Variances.of(chunk.X, chunk.w) if state.spread else None
        return Seen(Sample.of(chunk, state.seed, state.most, state.share), spread)

    def update(self, s: Seen, state: Drawing) -> Drawing:
        """Make the map; look again where many rows were copies of few."""
        if not state.last and len(s.sample.keys) < state.most:
            return changed(state, share=1.0, last=True)
        found = self.make(s, state)
        judged = self.judge(found, s.sample.X[:JUDGED])
        return changed(state, found=found, judged=judged, last=True)

    def stop(self, state: Drawing) -> StopReason | None:
        """Stop once there is a map."""
        return StopReason.CLOSED_FORM if state.found is not None else None

    def max_passes(self) -> int:
        """Allow a second look."""
        return 2

    def account(self, state: Drawing, report: Report) -> None:
        """Report what the map loses."""
        report.objective = []
        report.optimality = state.judged.loss
        report.warnings += state.judged.warnings
        report.facts |= state.judged.facts

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        for name, value in fitted.state.found.items():
            setattr(self, name, value)


def by_blocks(
    who: Any, write: Callable[[Matrix, Floats], Any], X: Matrix, width: int
) -> Floats:
    """Let `write` fill in the features of all rows, some at a time, on all cores."""
    n = X.shape[0]
    what, remedy = f"{n:,} rows of {width:,} features", "Transform in chunks."
    check_memory(who, float(X.dtype.itemsize) * n * width, what, remedy)
    step = max(64, BLOCK_BYTES // (X.dtype.itemsize * max(1, width)))
    out = np.empty((n, width), X.dtype)

    def work(a: int) -> None:
        write(X[a : a + step], out[a : a + step])

    side_by_side(work, range(0, n, step))
    return out


def variance_of(spread: Variances) -> float:
    """Return the variance of all entries together."""
    within = float(spread.M2.mean()) / spread.n
    return within + float(np.var(spread.mean))
