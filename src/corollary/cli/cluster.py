"""``corollary cluster``: rows that are alike, how many kinds there are, and which."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corollary.cli.model_rows import source_of
from corollary.cli.options import (
    Data,
    Decimal,
    Delimiter,
    Encoding,
    Ignore,
    Json,
    MemoryLimit,
    Out,
    Quiet,
    Seed,
)
from corollary.cli.prepared_columns import identifiers, prepared, read_whole
from corollary.cli.printing import heading, lines, notes, print_json, table, working
from corollary.cli.written_tables import check_out, write_table
from corollary.core.errors import ParameterError, sentence

__all__ = ["cluster"]

EXAMPLE = "corollary cluster customers.csv --k auto --out clusters.csv"
WHO = "cluster"


def cluster(
    data: Data,
    k: Annotated[str, typer.Option("--k", help="Clusters, or auto.")] = "auto",
    out: Out = None,
    ignore: Ignore = None,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find rows that are alike by k-means, and say in words what makes each cluster."""
    check_out(WHO, out)
    wanted = number_of_clusters(k)
    with working("clustering", quiet):
        read = read_whole(
            *(WHO, source_of(data), ignore),
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            memory_limit=memory_limit,
        )
        ready = prepared(WHO, read)
        findings = clustered(read, ready, wanted, seed)
    notes([*read.notes, *ready.notes], quiet)
    labels = findings.pop("labels")
    if out is not None:
        write_table(labels, out)
    if as_json:
        if out is None:
            findings["labels"] = labels["cluster"].to_pylist()
        print_json(findings)
        return
    shown(findings)
    if out is not None:
        typer.echo(f"wrote {out}: {labels.num_rows:,} rows")


def number_of_clusters(k: str) -> int | None:
    """Return a whole number >= 1, None for auto."""
    if k.strip().lower() == "auto":
        return None
    if not k.strip().isdecimal() or int(k) < 1:
        must = "--k must be auto or a whole number >= 1"
        raise ParameterError(sentence(WHO, must, repr(k)))
    return int(k)


def clustered(read: Any, ready: Any, wanted: int | None, seed: int) -> dict[str, Any]:
    """Return the clusters, how they were chosen, and a table of labels."""
    import numpy as np
    import pyarrow as pa

    from corollary import KMeans
    from corollary.cli.cluster_count import (
        ClusterCount,
        choose_count,
        distinct_rows,
        judge_count,
    )
    from corollary.cli.cluster_profile import profiles

    X, none = ready.X, float("nan")
    if wanted is None:
        tried = choose_count(X, seed)
    elif 1 < wanted < distinct_rows(X, seed):
        tried = [judge_count(X, wanted, seed)]
    else:
        tried = [ClusterCount(wanted, none, none, none)]
    best = tried[0]
    model = KMeans(best.k, n_init=10, random_state=seed).fit(X)
    order = np.argsort(-np.bincount(model.labels_, minlength=best.k), kind="stable")
    place = np.empty(best.k, dtype=np.int64)  # the largest cluster is the first
    place[order] = np.arange(best.k)
    labels = place[model.labels_]
    apart = np.sqrt(((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1))
    rows = {"row": np.arange(len(X))} | identifiers(read)
    return {
        "title": title(best, len(X)),
        "k": best.k,
        "rows": len(X),
        "clear": best.clear,
        "silhouette": best.silhouette,
        "reference": best.reference,
        "inertia": float(model.inertia_),
        "tried": [
            {
                "k": one.k,
                "silhouette": one.silhouette,
                "reference": one.reference,
                "inertia": one.inertia,
            }
            for one in sorted(tried, key=lambda one: one.k)
        ],
        "clusters": profiles(read.table, ready.used, labels, best.k),
        "labels": pa.table(rows | {"cluster": labels, "distance": apart}),
    }


def title(best: Any, n: int) -> str:
    """Say how many clusters there are, and whether they are clear."""
    many = f"{best.k} cluster{'s' if best.k != 1 else ''} of {n:,} rows"
    if best.silhouette != best.silhouette:
        return f"{many}."
    values = f"silhouette {best.silhouette:.2f}, of a cloud without clusters"
    values += f" {best.reference:.2f}"
    if best.clear:
        return f"{many} ({values})."
    return f"No clear clusters: {many} are cut, as any cloud can be ({values})."


def shown(findings: dict[str, Any]) -> None:
    """Print the clusters in words."""
    heading(findings["title"])
    if len(findings["tried"]) > 1:
        names = ["k", "silhouette", "reference", "inertia"]
        table(names, [[one[name] for name in names] for one in findings["tried"]])
    for one in findings["clusters"]:
        head = f"cluster {one['cluster']}: {one['rows']:,} rows ({one['share']:.0%})"
        words = "; ".join(part["words"] for part in one["stands_out"])
        lines([f"{head}: {words or 'like all rows'}"])
