"""The journal of a run: finished trials on disk, so that a rerun goes on from there.

One file a trial: arrays of numbers (`numpy.savez`, read without pickle) and a line of
JSON.  A trial is known by a key, a hash of all that its answers depend on:

    key = SHA-256(version, rows, target, folds, metric, seed, learner, parameters)  (1)

so that a journal never speaks for another table or another setting.  A file that is
damaged, or not ours, is as good as none.  The test set's openings are noted as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from corollary import __version__
from corollary.persistence.whole_files import write_whole
from corollary.workbench.judging import Metric
from corollary.workbench.ladder import Candidate
from corollary.workbench.trials import FoldedTable, Trial

__all__ = ["Journal", "fingerprint"]

NUMBERS = ("training_loss", "seconds", "predict_seconds", "rows")
OPENED = "opened.json"


def fingerprint(folded: FoldedTable, metric: Metric) -> str:
    """Return a hash of the rows, the targets, the folds and the metric (1)."""
    digest = hashlib.sha256(f"{__version__} {metric.name} {folded.seed}".encode())
    digest.update(repr(folded.groups).encode())
    digest.update(repr(folded.table.schema.types).encode())
    for column in folded.table.columns:
        for chunk in column.chunks:
            for buffer in chunk.buffers():
                if buffer is not None:
                    digest.update(memoryview(buffer))
            digest.update(f"{chunk.offset} {len(chunk)}".encode())
    digest.update(np.ascontiguousarray(folded.y).tobytes())
    for _, valid in folded.splits:
        digest.update(np.ascontiguousarray(valid).tobytes())
    return digest.hexdigest()


class Journal:
    """Trials that are finished, in a folder; no folder keeps nothing."""

    def __init__(self, folder: Path | None, mark: str) -> None:
        self.folder = folder
        self.mark = mark
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def _path(self, candidate: Candidate) -> Path:
        words = f"{self.mark} {candidate.name} {candidate.learner!r}"
        assert self.folder is not None
        return self.folder / f"{hashlib.sha256(words.encode()).hexdigest()[:24]}.npz"

    def find(self, candidate: Candidate, folded: FoldedTable) -> Trial | None:
        """Return the trial of an earlier run, if there is one that can be read."""
        if self.folder is None:
            return None
        with contextlib.suppress(Exception):  # a damaged file is as good as none
            content = io.BytesIO(self._path(candidate).read_bytes())
            with np.load(content, allow_pickle=False) as found:
                answers, losses = found["answers"], found["losses"]
                facts = json.loads(bytes(found["facts"]).decode())
            shape = (len(folded.y),)
            wide = shape if folded.classes is None else (*shape, len(folded.classes))
            good = answers.shape == wide and losses.shape == shape
            good = good and np.isfinite(answers).all() and np.isfinite(losses).all()
            if good and facts["mark"] == self.mark:
                numbers = {name: facts[name] for name in NUMBERS}
                said = tuple(str(text) for text in facts["warnings"])
                return Trial(candidate, answers, losses, **numbers, warnings=said)
        return None

    def keep(self, trial: Trial) -> None:
        """Write a finished trial; a full disk costs the journal, not the run."""
        if self.folder is None:
            return
        facts: dict[str, Any] = {name: getattr(trial, name) for name in NUMBERS}
        facts |= {"mark": self.mark, "warnings": list(trial.warnings)}
        room = io.BytesIO()
        np.savez(
            room,
            answers=trial.answers,
            losses=trial.losses,
            facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
        )
        with contextlib.suppress(OSError):
            write_whole(self._path(trial.candidate), [room.getvalue()])

    def opened(self, answers: Any) -> int:
        """Note that the test set was opened; return how many models it has judged.

        Whoever asks the same model again learns nothing new.
        """
        mark = hashlib.sha256(np.ascontiguousarray(answers).tobytes()).hexdigest()
        if self.folder is None:
            return 1
        path, seen = self.folder / OPENED, dict[str, list[str]]()
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(path.read_text(encoding="utf-8"))
            seen = found if isinstance(found, dict) else {}
        marks = [m for m in seen.get(self.mark, []) if isinstance(m, str)]
        if mark not in marks:
            marks.append(mark)
            seen[self.mark] = marks
            with contextlib.suppress(OSError):
                write_whole(path, [json.dumps(seen).encode()])
        return len(marks)
