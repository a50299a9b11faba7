"""One learner for every scale: one answer from every source and executor.

python examples/one_answer.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["TOLERANCE", "Comparison", "compare"]

TOLERANCE = 1e-10
ROWS, COLUMNS, CLUSTERS = 60_000, 8, 6


@dataclass(frozen=True)
class Comparison:
    """How far a fit is from the same fit on one array, in one piece."""

    model: str
    source: str
    executor: str
    difference: float | None  # largest relative difference of a parameter


def compare(folder: Path) -> list[Comparison]:
    """Fit k-means and PCA to the same rows from every kind of source."""
    from corollary import PCA, KMeans, engine

    X = _written(folder)
    rows: list[Comparison] = []
    for model in (KMeans(CLUSTERS, random_state=0), PCA(n_components=3)):
        with engine.use(executor="serial", chunk_rows=ROWS):
            reference = _parameters(model.fit(X))
        name = type(model).__name__
        rows.append(Comparison(name, "array, in one piece", "serial", None))
        for source, executor, data in _ways(X, folder):
            with engine.use(executor=executor, chunk_rows=7_000, threads=2):
                found = _parameters(model.fit(data))
            difference = _difference(found, reference)
            rows.append(Comparison(name, source, executor, difference))
    return rows


def _written(folder: Path) -> Any:
    """Draw the rows, and write them to three Parquet files as well."""
    from corollary.datasets import stream_rows, write_parquet

    recipe: Any = {"classes": CLUSTERS, "dtype": "float64"}
    write_parquet(folder / "rows", ROWS, COLUMNS, target=False, files=3, **recipe)
    return stream_rows(0, ROWS, COLUMNS, **recipe)[0]


def _ways(X: Any, folder: Path) -> Iterator[tuple[str, str, Any]]:
    from corollary import engine

    def chunks() -> Iterator[Any]:
        yield from (X[a : a + 5_000] for a in range(0, ROWS, 5_000))

    for executor in ("serial", "threads"):
        yield "array, in chunks", executor, X
        yield "3 Parquet files", executor, engine.ParquetSource(folder / "rows")
        yield "iterator of chunks", executor, chunks


def _parameters(model: Any) -> list[Any]:
    if hasattr(model, "cluster_centers_"):
        return [model.cluster_centers_, model.inertia_]
    return [model.mean_, model.components_, model.explained_variance_]


def _difference(found: list[Any], reference: list[Any]) -> float:
    import numpy as np

    return max(
        float(np.abs(np.subtract(a, b)).max() / np.abs(b).max())
        for a, b in zip(found, reference, strict=True)
    )


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory(prefix="corollary-") as folder:
        for row in compare(Path(folder)):
            off = "the reference" if row.difference is None else f"{row.difference:.1e}"
            print(f"{row.model:<8} {row.source:<20} {row.executor:<8} {off}")
