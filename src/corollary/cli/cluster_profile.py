"""What makes a cluster: the columns in which its rows differ from all rows.

For numbers the difference of means, for labels that of shares, each in standard
deviations of a row,

    z = (mean of the cluster - mean of all) / sd of all                             (1)

so that both stand in one order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.cli.printing import number

__all__ = ["profiles"]

NOTABLE = 0.5  # |z| from which a column is worth a word
SHOWN = 4  # columns of a cluster


def profiles(table: Any, columns: list[Any], labels: Any, k: int) -> list[Any]:
    """Return for each cluster its rows and the columns that stand out, in words.

    Parameters
    ----------
    table : pyarrow.Table
    columns : list of ColumnSchema
        Those that the clusters were made of.
    labels : array of shape (n,)
        Clusters 0 ... k - 1.
    k : int
    """
    found: list[list[dict[str, Any]]] = [[] for _ in range(k)]
    for column in columns:
        if column.kind in ("number", "boolean"):
            values = numbers_of(table[column.name])
            shares = column.kind == "boolean"
            compare_numbers(column.name, values, labels, found, shares)
        elif column.kind == "category":
            compare_labels(column.name, table[column.name], labels, found)
        elif column.kind == "date":
            compare_dates(column.name, table[column.name], labels, found)
    sizes = np.bincount(labels, minlength=k)
    return [
        {
            "cluster": c,
            "rows": int(sizes[c]),
            "share": float(sizes[c] / len(labels)),
            "stands_out": sorted(found[c], key=lambda one: -abs(one["z"]))[:SHOWN],
        }
        for c in range(k)
    ]


def numbers_of(column: Any) -> Any:
    """Return numbers, NaN where missing."""
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)


def compare_numbers(
    name: str,
    values: Any,
    labels: Any,
    found: list[list[dict[str, Any]]],
    shares: bool = False,
) -> None:
    """Tell clusters whose mean, or share of what is true, is high or low."""
    spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
    for c, means, mean in means_of(values, labels, len(found)):
        z = (mean - means) / spread if spread > 0 else 0.0
        if abs(z) >= NOTABLE:
            high = "high" if z > 0 else "low"
            words = f"{name} {high} ({number(mean)} against {number(means)})"
            if shares:
                words = f"{name} in {mean:.0%} (against {means:.0%})"
            add(found[c], name, z, mean, means, words)


def compare_dates(
    name: str, column: Any, labels: Any, found: list[list[dict[str, Any]]]
) -> None:
    """Tell clusters that are early or late."""
    days = column.cast("timestamp[us]").to_numpy().astype("datetime64[D]")
    values = np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(float))
    spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
    for c, means, mean in means_of(values, labels, len(found)):
        z = (mean - means) / spread if spread > 0 else 0.0
        if abs(z) >= NOTABLE:
            own, all_of = (str(np.datetime64(int(d), "D")) for d in (mean, means))
            words = f"{name} {'late' if z > 0 else 'early'} ({own} against {all_of})"
            add(found[c], name, z, own, all_of, words)


def means_of(values: Any, labels: Any, k: int) -> Any:
    """Return (cluster, mean of all, mean of the cluster) where there are values."""
    there = np.isfinite(values)
    if not there.any():
        return
    mean = float(values[there].mean())
    for c in range(k):
        own = values[there & (labels == c)]
        if len(own):
            yield c, mean, float(own.mean())


def compare_labels(
    name: str, column: Any, labels: Any, found: list[list[dict[str, Any]]]
) -> None:
    """Tell clusters in which a label is frequent or absent."""
    coded = column.combine_chunks().dictionary_encode()
    chunks = getattr(coded, "chunks", [coded])
    codes = np.concatenate([np.asarray(one.indices.fill_null(-1)) for one in chunks])
    texts = chunks[0].dictionary.to_pylist()
    k, there = len(found), codes >= 0
    counts = np.zeros((k, len(texts)))
    np.add.at(counts, (labels[there], codes[there]), 1.0)
    every = counts.sum(axis=0) / max(counts.sum(), 1.0)
    own = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    z = (own - every) / np.sqrt(np.maximum(every * (1 - every), 1e-12))
    for c in range(k):
        best = int(np.argmax(np.abs(z[c]))) if len(texts) else -1
        if best >= 0 and abs(z[c, best]) >= NOTABLE and 0 < every[best] < 1:
            share, usual = float(own[c, best]), float(every[best])
            often = "mostly" if share > 0.5 else "often" if share > usual else "seldom"
            words = f"{name} {often} {texts[best]} ({share:.0%} against {usual:.0%})"
            add(found[c], name, float(z[c, best]), share, usual, words)


def add(
    found: list[dict[str, Any]], name: str, z: float, own: Any, usual: Any, words: str
) -> None:
    """Note a column that stands out."""
    found.append({"column": name, "z": z, "own": own, "all": usual, "words": words})
