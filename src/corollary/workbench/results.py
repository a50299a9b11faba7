"""The files of a run: model, simple model, page, findings, predictions.

    model.corollary       the champion, with the schema by which it reads files
    simple.corollary      the readable model
    report.html           the page
    report.json           what the page shows, as plain values
    predictions.parquet   out-of-fold answers of training rows, answers of locked rows

Each appears whole or not at all.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.persistence import save
from corollary.persistence.whole_files import write_whole
from corollary.report import write_report
from corollary.workbench.table_model import sets_of

if TYPE_CHECKING:
    from corollary.workbench.run import Run

__all__ = ["FILES", "predictions_table", "write_results"]

FILES = (
    "model.corollary",
    "simple.corollary",
    "report.html",
    "report.json",
    "predictions.parquet",
)
DELTA = 0.1  # how often a prediction set or interval may miss


def write_results(run: Run, folder: Path) -> None:
    """Write all files of a run.

    Parameters
    ----------
    run : Run
    folder : Path
    """
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    save(run.model, folder / FILES[0])
    save(run.simple, folder / FILES[1])
    write_report(run.findings, folder / FILES[2])
    text = json.dumps(run.findings, indent=1, allow_nan=False, ensure_ascii=False)
    write_whole(folder / FILES[3], [text.encode()])
    room = io.BytesIO()
    pq.write_table(predictions_of(run), room)
    write_whole(folder / FILES[4], [room.getvalue()])


def predictions_of(run: Run) -> Any:
    """Return a table of the answers for all rows: row, part, truth, answer."""
    import pyarrow as pa

    problem, test = run.problem, run.problem.split.test
    rows, answers = [run.folded.rows], [run.blend.answers]
    part = ["training, out of fold"] * len(run.folded.rows)
    if run.judged.locked:
        rows.append(test)
        answers.append(run.judged.answers)
        part += ["test"] * len(test)
    at = np.concatenate(rows)
    order = np.argsort(at, kind="stable")
    found = np.concatenate(answers)[order]
    head = {
        "row": problem.rows[at[order]],
        "part": np.asarray(part)[order],
        problem.schema.target: problem.labels(problem.y[at[order]]),
    }
    width = run.model.width(DELTA)
    return pa.table(head | answer_columns(found, problem.classes, width))


def answer_columns(answers: Floats, classes: Any, width: float) -> dict[str, Any]:
    """Return the columns of answers: what is predicted, how probable, how sure."""
    if classes is None:
        return {
            "prediction": answers,
            "low": answers - width,
            "high": answers + width,
        }
    columns: dict[str, Any] = {
        "prediction": np.asarray(classes)[answers.argmax(axis=1)],
        "set": set_texts(sets_of(answers, width), classes),
    }
    for k, label in enumerate(classes):
        columns[f"probability of {label}"] = answers[:, k]
    return columns


def set_texts(held: Vector, classes: Any) -> list[str]:
    """Return prediction sets as texts."""
    names = [str(label) for label in classes]
    return [", ".join(n for n, h in zip(names, row, strict=True) if h) for row in held]


def predictions_table(model: Any, X: Any, delta: float = DELTA) -> Any:
    """Return the answers of a model of tables for a file or a frame, as a table.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    X : path, data frame or pyarrow.Table
    delta : float, default=0.1
        How often a prediction set or interval may miss.
    """
    import pyarrow as pa

    if hasattr(model, "predict_proba"):
        answers, classes = model.predict_proba(X), model.classes_
    else:
        answers, classes = np.asarray(model.predict(X)), None
    rows = {"row": np.arange(len(answers))}
    return pa.table(rows | answer_columns(answers, classes, model.width(delta)))
