"""The state of a search in a file, so that it can be stopped and go on.

The file is JSON: a format, a key, and a line of numbers for every trial.  The key is a
hash of the settings, of the rows and of the folds, so that a file is taken only by the
search that wrote it.  It is replaced as a whole after every trial: whatever happens,
there is a good file.  No object is ever made from it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.selection.folds import Split
from corollary.selection.search_result import SearchTrial
from corollary.selection.validation_data import Given
from corollary.theory.certify import matrix_of
from corollary.theory.set_uses import set_key

__all__ = ["SearchState", "search_key"]

FORMAT = 1
NUMBERS = ("rung", "resource", "loss", "standard_error", "seconds")


def search_key(
    names: tuple[str, ...], given: Given, splits: tuple[Split, ...], more: Any
) -> str:
    """Return a hash of what a search is: settings, rows, folds and the rest."""
    digest = hashlib.sha256(repr((FORMAT, names, more, given.n)).encode())
    for train, test in splits:
        digest.update(np.asarray(train, dtype=np.int64).tobytes())
        digest.update(np.asarray(test, dtype=np.int64).tobytes())
    digest.update(np.ascontiguousarray(given.targets, dtype=np.float64).tobytes())
    if given.w is not None:
        digest.update(given.w.tobytes())
    numbers = matrix_of(given.X)
    if numbers is not None:
        digest.update(str(set_key(numbers, np.zeros(given.n))).encode())
    return digest.hexdigest()


@dataclass
class SearchState:
    """The trials that are done, by rung and setting, and the file that keeps them."""

    key: str
    path: Path | None = None
    done: dict[tuple[int, int], SearchTrial] = field(default_factory=dict)
    resumed: int = 0

    @classmethod
    def opened(cls, who: str, resume: Any, key: str, settings: int) -> SearchState:
        """Return the state of a file, or a new one, of so many settings."""
        if resume is None:
            return cls(key)
        if not isinstance(resume, str | os.PathLike):
            must = "resume must be the path of a file"
            raise ParameterError(sentence(who, must, shown(resume)))
        path = Path(resume)
        state = cls(key, path)
        if not path.exists():
            if not path.absolute().parent.is_dir():
                must = "resume must be a file in a directory that exists"
                raise ParameterError(sentence(who, must, f"{path}"))
            return state
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
            same = held["format"] == FORMAT and held["key"] == key
            rows = [] if not same else [read(row, settings) for row in held["trials"]]
        except (OSError, ValueError, KeyError, TypeError) as damage:
            must = "resume must be a file that a search has written"
            came = f"{path} ({type(damage).__name__})"
            raise DataError(sentence(who, must, came, "Delete it.")) from None
        if not same:
            must = (
                "resume must be a file of this search: these settings, rows and folds"
            )
            remedy = "Give another path, or delete it."
            raise DataError(sentence(who, must, f"{path} of another", remedy))
        state.done = dict(rows)
        state.resumed = len(rows)
        return state

    def add(self, rung: int, i: int, trial: SearchTrial) -> None:
        """Keep a trial, in the file as well."""
        self.done[rung, i] = trial
        if self.path is None:
            return
        rows = [written(i, one) for (_, i), one in self.done.items()]
        text = json.dumps({"format": FORMAT, "key": self.key, "trials": rows}, indent=1)
        beside = self.path.with_name(f"{self.path.name}.new")
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self.path)


def written(i: int, trial: SearchTrial) -> dict[str, Any]:
    """Return a trial as plain values; what is not finite becomes a text."""
    numbers = {name: getattr(trial, name) for name in NUMBERS}
    plain = {
        name: value if math.isfinite(value) else str(value)
        for name, value in numbers.items()
    }
    return {"setting": i, "name": trial.name, "error": trial.error, **plain}


def read(row: Any, settings: int) -> tuple[tuple[int, int], SearchTrial]:
    """Return a trial from plain values; its setting is looked up by its number."""
    values = {name: float(row[name]) for name in NUMBERS}
    rung, i = int(values["rung"]), int(row["setting"])
    if not 0 <= i < settings or rung < 0 or math.isnan(values["loss"]):
        raise ValueError("a trial that cannot be")
    trial = SearchTrial(
        str(row["name"]),
        {},
        rung,
        values["resource"],
        values["loss"],
        values["standard_error"],
        values["seconds"],
        str(row["error"]),
    )
    return (rung, i), trial
