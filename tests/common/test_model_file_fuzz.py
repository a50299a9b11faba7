"""Thousands of mutated model files: a sentence or a model that answers, and no harm.

Every estimator has its file, and so have the models of tables that a run writes: blends
of pipelines with the schema by which they read files.

Mutations run in a process of their own, so that a crash in compiled code would be seen,
and under an alarm, so that a hang would be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from workbench.table_models import BLENDS, houses, table_model

import corollary
from common.learners import LEARNERS, Case, make_data

DATA = make_data(n=60, d=4)
SECONDS = 10
CONSTANT = 200 * 2**20  # bytes that a process may take beside a few times its file
TIMES = 30
ASKED = (
    "predict",
    "transform",
    "predict_proba",
    "decision_function",
    "predict_set",
    "predict_interval",
)

KNOWN = {case.name for case in LEARNERS}
OTHERS = [
    Case(name, {}, (), {"labels": "two", "none": "none"}.get(cls.target, "number"))
    for name in corollary.registry.ESTIMATORS
    if name not in KNOWN
    for cls in [getattr(corollary, name)]
]
CASES = [*LEARNERS, *OTHERS]


Files = list[tuple[str, bytes, list[object]]]  # a name, the content, rows to ask for


def saved(model: object) -> bytes:
    """Return the file of a model."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        corollary.save(model, Path(folder) / "model")
        return (Path(folder) / "model").read_bytes()


def files_of_estimators() -> Files:
    """Save a fitted model of every kind."""
    files: Files = []
    for case in CASES:
        more = {"max_iter": 20} if "max_iter" in case.make().get_params() else {}
        content = saved(case.fitted(DATA, **more))
        files.append((str(case), content, [case.rows(DATA.X)]))
    return files


def files_of_tables() -> Files:
    """Save models of tables; rows to ask for are values, and texts as in a file."""
    rows = houses()
    texts = {
        name: [None if cell is None else str(cell) for cell in column]
        for name, column in rows.items()
    }
    files: Files = []
    for target, names in BLENDS:
        model = table_model(target, names)
        name = f"{type(model).__name__}-{target}-{'-'.join(names)}"
        files.append((name, saved(model), [rows, texts]))
    return files


def good_files(tables_only: bool = False) -> Files:
    """Save what is to be mutated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = [] if tables_only else files_of_estimators()
        return [*others, *files_of_tables()]


def run_mutations(seed: int, count: int, tables_only: bool) -> dict[str, int]:
    """Load `count` mutated files in this process; raise where one does harm."""
    import resource
    import signal
    import tempfile

    from common.mutations import damaged, forged, parts_of
    from corollary.core.errors import ModelFileError

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    files = good_files(tables_only)
    parts = [parts_of(content) for _, content, _ in files]
    tally = {"refused": 0, "answered": 0, "declined": 0}
    path = Path(tempfile.mkdtemp()) / "model"

    def late(*_: object) -> None:
        raise TimeoutError(f"{name}, seed {seed}, mutation {number}: no end in time")

    signal.signal(signal.SIGALRM, late)
    for number in range(count):
        which = int(rng.integers(len(files)))
        name, content, asked = files[which]
        bytes_only = rng.random() < 0.3
        try:
            bad = damaged(content, rng) if bytes_only else forged(*parts[which], rng)
        except (ValueError, TypeError, OverflowError, RecursionError):
            continue  # cannot even be written
        path.write_bytes(bad)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        signal.alarm(SECONDS)
        try:
            model = corollary.load(path)
        except ModelFileError as error:
            if "\n" in str(error) or len(str(error)) > 500:
                raise AssertionError(f"{name}, mutation {number}: {error}") from error
            tally["refused"] += 1
        else:
            assert not bytes_only or bad == content, f"{name} {number}: damage unseen"
            tally[answer(model, asked, f"{name}, seed {seed}, mutation {number}")] += 1
        signal.alarm(0)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert 1024 * grown < CONSTANT + TIMES * len(bad), f"{name} {number}: {grown}"
    return tally


def answer(model: object, asked: list[object], what: str) -> str:
    """Have a model answer for rows; it may decline in a sentence."""
    word = "answered"
    for method, X in product(ASKED, asked):
        try:
            if hasattr(model, method):
                getattr(model, method)(X)
        except ValueError as error:
            if "\n" in str(error):
                raise AssertionError(f"{what}: {error!r}") from error
            word = "declined"
        except Exception as error:
            raise AssertionError(f"{what}: {method}: {error!r}") from error
    return word


def in_a_process(seed: int, count: int, tables_only: bool = False) -> dict[str, int]:
    """Run mutations in a process of their own; a crash there fails here."""
    code = (
        "import sys, json, faulthandler; faulthandler.enable()\n"
        f"sys.path[:0] = {[p for p in sys.path if p]!r}\n"
        "from common.test_model_file_fuzz import run_mutations\n"
        f"print(json.dumps(run_mutations({seed}, {count}, {tables_only})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_mutated_files_do_no_harm():
    tally = in_a_process(seed=0, count=500)
    assert tally["refused"] > 200


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 26))
def test_many_mutated_files_do_no_harm(seed):
    tally = in_a_process(seed, 2000)
    assert tally["refused"] > 800
    assert tally["answered"] > 20


def test_mutated_files_of_tables_do_no_harm():
    tally = in_a_process(seed=0, count=200, tables_only=True)
    assert tally["refused"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_ten_thousand_mutated_files_of_tables_do_no_harm(seed):
    tally = in_a_process(seed, 2000, tables_only=True)
    assert tally["refused"] > 1000
    assert tally["answered"] > 50
