"""Random draws keyed by a seed and a row, never by a thread or a chunk.

A draw for row x is a function of the seed and of the row's own values, through a
64-bit hash of its content.  So it does not matter in which chunk, thread or worker
the row is met, nor in which order; a row given twice draws the same number twice;
and a sample of the rows with the smallest keys is a uniform sample of the distinct
rows that can be taken in parts and merged.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Matrix, Vector
from corollary.core.rows import rows_loop

__all__ = ["entropy", "generator", "number_keys", "row_keys"]


def entropy(random_state: Any) -> int:
    """Turn scikit-learn's `random_state` into one 63-bit seed.

    None draws a fresh seed; a whole number stands for itself; a generator is asked
    once, so that successive fits with the same generator differ, as elsewhere.
    """
    if random_state is None:
        return int.from_bytes(os.urandom(8), "little") >> 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return int(random_state)


def generator(seed: int, *purpose: int) -> np.random.Generator:
    """Make an independent generator for a seed and a purpose."""
    sequence = np.random.SeedSequence(seed, spawn_key=purpose)
    return np.random.Generator(np.random.Philox(sequence))


def row_keys(X: Matrix, seed: int) -> Vector:
    """Hash each row's content with the seed to 64 bits.

    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> keys = row_keys(X, seed=0)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    keys = np.empty(X.shape[0], dtype=np.uint64)
    rows_loop(loops.row_keys, loops.row_keys_csr, X)(seed, keys)
    return keys


def number_keys(numbers: Vector, seed: int) -> Vector:
    """Turn the numbers of rows into 64 bits that look random; no two are equal.

    >>> int(number_keys(np.arange(3), seed=0)[0]) == int(number_keys([0], seed=0)[0])
    True
    """
    start = splitmix(np.array([seed % 2**64], np.uint64))
    return splitmix(start + (np.asarray(numbers, np.uint64) + np.uint64(1)) * STEP)


STEP = np.uint64(0x9E3779B97F4A7C15)


def splitmix(x: Vector) -> Vector:
    """Finish a number as splitmix64 does (Steele, Lea and Flood, 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
