"""``corollary demo``: the main job on a bundled data set, in less than a minute."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["demo"]

TARGET = "diagnosis"
HERE = Path("corollary-demo")


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the results.")
    ] = HERE,
    time_budget: Annotated[float, typer.Option(help="Seconds.")] = 45.0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Turn a bundled data set into a model, a diagnosis and a certificate."""
    from corollary.cli.fit import fit

    data = bundled(out)
    typer.echo(f"corollary fit {data} --target {TARGET} --out {out}", err=True)
    fit([str(data)], TARGET, out, time_budget=time_budget, quiet=quiet)


def bundled(folder: Path) -> Path:
    """Write the data set that comes with scikit-learn to a file of the folder."""
    import pyarrow.csv

    from corollary.persistence.whole_files import write_whole

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tumours.csv"
    room = io.BytesIO()
    pyarrow.csv.write_csv(tumours(), room)
    write_whole(path, [room.getvalue()])
    return path


def tumours() -> Any:
    """Return 569 tumours, measured under a microscope, as a table."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    columns = dict(zip(found.feature_names, found.data.T, strict=True))
    columns[TARGET] = found.target_names[found.target]
    return pa.table({str(name): values for name, values in columns.items()})
