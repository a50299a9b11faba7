"""The workbench on a large table: time and peak memory of a whole run.

    python benchmarks/large_table.py [--rows 1000000] [--seconds 300]

Writes a Parquet file of 30 columns (numbers, some with holes; two columns of labels; a
date; a target of two classes), reads and profiles it in one process, and runs
`corollary fit` on it in another.  The peak is the largest resident set that the system
saw of either, all libraries included.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BLOCK = 100_000  # rows of a row group
PROFILE = "from corollary import workbench; workbench.read_table({!r}, target='left')"


def block(rows: int, seed: int) -> pa.Table:
    """Draw some rows."""
    rng = np.random.default_rng([7, seed])
    X = rng.normal(size=(rows, 26))
    town = rng.integers(0, 40, rows)
    plan = rng.integers(0, 4, rows)
    since = rng.integers(0, 3000, rows)
    z = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.8 * (plan == 2)
    z += np.where(town % 7 == 0, 1.0, -0.2) - since / 3000
    y = rng.random(rows) < 1 / (1 + np.exp(-z))
    X[:, :10][rng.random((rows, 10)) < 0.05] = np.nan
    columns = {f"x{j}": X[:, j] for j in range(26)}
    days = np.datetime64("2018-01-01") + since.astype("timedelta64[D]")
    return pa.table(
        columns
        | {
            "town": np.char.add("town ", town.astype(str)),
            "plan": np.asarray(["basic", "plus", "family", "firm"])[plan],
            "since": pa.array(days),
            "left": np.where(y, "yes", "no"),
        }
    )


def write(path: Path, rows: int) -> None:
    """Write the file, a row group at a time."""
    first = block(1, 0)
    with pq.ParquetWriter(path, first.schema) as writer:
        for seed, start in enumerate(range(0, rows, BLOCK)):
            writer.write_table(block(min(BLOCK, rows - start), seed))


def timed(*command: str) -> tuple[float, float]:
    """Run a command; return its seconds and the peak of all commands so far in GB."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    took = time.perf_counter() - begun
    return took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9


def main() -> None:
    """Write, read, fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("more", nargs="*", help="further options of corollary fit")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        write(path, chosen.rows)
        size = path.stat().st_size / 1e6
        print(f"{chosen.rows:,} x 30, {size:.0f} MB; load {os.getloadavg()[0]:.1f}")
        took, peak = timed(sys.executable, "-c", PROFILE.format(str(path)))
        print(f"read and profiled in {took:.1f} s with the imports, peak {peak:.2f} GB")
        program = str(Path(sys.executable).with_name("corollary"))
        budget = ["--time-budget", f"{chosen.seconds:g}", *chosen.more]
        out = ["--out", str(Path(folder) / "out")]
        took, peak = timed(program, "fit", str(path), "--target", "left", *budget, *out)
        print(f"fitted in {took:.0f} s, peak {peak:.2f} GB")


if __name__ == "__main__":
    main()
