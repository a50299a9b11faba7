"""Whether rows are those that a model was fitted to, found without keeping any.

Also known as: membership filter, Bloom filter.

A model file holds no training row, and no mark by which a single one could be told.  It
holds a table of B bits, B some four times the number n of training rows, two million at
most; each of them sets the bit that a hash of its cells and its target points at.  The
share of set bits

    rho  ~  1 - exp(-n / B),   between 0.2 and 0.4                                  (1)

is the chance that a new row finds its bit set; a training row always does.  Of one row
that says little.  Of m rows the hits H are decisive: where a share r of them, or fewer,
equals training rows by coincidence,

    Pr[ H >= h ]  <=  Pr[ Binomial(m, rho + (1 - rho) r) >= h ]                     (2)

and rows for which (2) is below 1/10,000 have been seen before.  Coincidences are
expected of tables with few values: r is twice the share of training rows that equal
another one, and a twentieth more.

Reference: Bloom (1970).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import row_keys
from corollary.core.records import stored
from corollary.core.table import table_of
from corollary.diagnostics.duplicates import number_matrix

__all__ = ["SeenRows", "seen_rows"]

WHO = "seen_rows"
SEED = 20_017
LEAST, MOST = 6, 22  # logarithms of the sizes of a table of bits
SLACK = 0.05  # share of rows that may be seen anyway
RARE = 1e-4
BLOCK = 100_000  # rows that are hashed at a time


@stored
@dataclass(frozen=True)
class SeenRows:
    """What a model knows of its training rows: which hashes they do not have.

    Attributes
    ----------
    bits : array of uint8
        The table, eight bits a byte.
    repeated : float
        Share of the training rows that equal another one.
    """

    bits: Vector
    repeated: float

    def __post_init__(self) -> None:
        good = self.bits.dtype == np.uint8 and self.bits.ndim == 1 and len(self.bits)
        if not good or not 0 <= self.repeated <= 1:
            must = "bits must be bytes, and repeated a share"
            came = f"{self.bits.dtype} and {self.repeated!r}"
            raise DataError(sentence(self, must, came))

    @property
    def density(self) -> float:
        """The share of set bits, rho of (1)."""
        return float(np.unpackbits(self.bits).mean())

    def hits(self, table: Any, y: Any) -> Vector:
        """Tell which rows find their bit set.

        Parameters
        ----------
        table : pyarrow.Table
        y : array of shape (n,)
        """
        keys = keys_of(table, y) % np.uint64(8 * len(self.bits))
        return np.unpackbits(self.bits)[keys].astype(bool)

    def share(self, table: Any, y: Any) -> float:
        """Estimate the share of rows that the model was fitted to; 0 where unsure.

        Parameters
        ----------
        table : pyarrow.Table
            Features, read like those of training.
        y : array of shape (n,)
            Labels or targets.
        """
        hits = self.hits(table, y)
        rho, h = self.density, int(hits.sum())
        if rho >= 1:
            return 0.0
        r = min(1.0, 2 * self.repeated + SLACK)
        if binom.sf(h - 1, len(hits), rho + (1 - rho) * r) > RARE:  # (2)
            return 0.0
        return float(np.clip((h / len(hits) - rho) / (1 - rho), 0.0, 1.0))


def seen_rows(table: Any, y: Any) -> SeenRows:
    """Set the bits of training rows.

    Parameters
    ----------
    table : pyarrow.Table
    y : array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> x = np.arange(300.0)
    >>> seen = seen_rows(pa.table({"x": x[:200]}), x[:200] > 9)
    >>> seen.share(pa.table({"x": x[100:200]}), x[100:200] > 9)
    1.0
    >>> seen.share(pa.table({"x": x[200:]}), x[200:] > 9)
    0.0
    """
    keys = keys_of(table, y)
    size = 1 << int(np.clip(np.ceil(np.log2(2.5 * len(keys))), LEAST, MOST))
    bits = np.zeros(size, dtype=np.uint8)
    bits[keys[: size // 2] % np.uint64(size)] = 1
    _, count = np.unique(keys, return_counts=True)
    repeated = float(count[count > 1].sum() / len(keys))
    return SeenRows(np.packbits(bits), repeated)


def keys_of(table: Any, y: Any) -> Vector:
    """Hash the cells and the target of each row to 64 bits."""
    import pyarrow as pa

    target = np.asarray(y)
    target = target if target.dtype.kind in "fiub" else target.astype(str)
    whole = table.append_column("\0target", pa.array(target))
    parts = (whole.slice(a, BLOCK) for a in range(0, max(1, len(target)), BLOCK))
    keys = [row_keys(number_matrix(table_of(WHO, part)), SEED) for part in parts]
    return np.concatenate(keys)
