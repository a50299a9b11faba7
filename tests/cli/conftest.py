import csv
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from corollary.cli import app

TOWNS = np.array(["Oslo", "Bergen", "Moss"])


@pytest.fixture
def corollary():
    """Run the command line in this process."""

    def run(*words, **settings):
        return CliRunner().invoke(app, [str(word) for word in words], **settings)

    return run


@pytest.fixture
def process():
    """Run the command line in a process of its own."""

    def run(*words, cwd=None, **settings):
        command = [sys.executable, "-W", "error", "-m", "corollary", *map(str, words)]
        settings = {"capture_output": True, "text": True, "timeout": 120} | settings
        return subprocess.run(command, cwd=cwd, check=False, **settings)

    return run


@pytest.fixture
def one_sentence():
    """Hold a failed process to the contract for bad input."""

    def check(result, *parts):
        assert result.returncode == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("corollary: ")
        assert result.stderr.endswith((".\n", "?\n"))
        for part in parts:
            assert part in result.stderr

    return check


@pytest.fixture
def refused(corollary):
    """Run a command that must fail with one sentence and code 2."""

    def run(*words, **settings):
        result = corollary(*words, **settings)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.startswith("corollary: ")
        assert result.stderr.count("\n") == 1
        return result.stderr

    return run


# -- tables and models -----------------------------------------------------------------
def flats(n, seed):
    """Draw flats: a number in each row, sizes with gaps, towns, a date, two targets."""
    rng = np.random.default_rng(seed)
    area = rng.uniform(20, 120, n)
    town = rng.integers(3, size=n)
    rooms = np.maximum(1, np.round(area / 30 + rng.normal(size=n) * 0.5))
    rent = 200 + 10 * area + 300 * (town == 0) + 80 * rng.normal(size=n)
    dear = rent > 200 + 10 * 70 + 100
    day, year = rng.integers(1, 28, n), rng.integers(1950, 2010, n)
    return [
        {
            "flat id": f"{seed:03d}-{i:04d}",
            "area": "" if i % 17 == 3 else f"{area[i]:.1f}",
            "rooms": f"{rooms[i]:.0f}",
            "town": TOWNS[town[i]],
            "built": f"{year[i]}-03-{day[i]:02d}",
            "rent": f"{rent[i]:.0f}",
            "dear": "yes" if dear[i] else "no",
        }
        for i in range(n)
    ]


def written(path, rows, without=()):
    """Write rows as a CSV file."""
    names = [name for name in rows[0] if name not in without]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def fitted(path, target, names, out, ignore=()):
    """Fit some learners of the ladder, blend them, and save the model; no race."""
    from corollary import save
    from corollary.workbench import read_table
    from corollary.workbench.champion import voting
    from corollary.workbench.ladder import base
    from corollary.workbench.problem import Settings, set_problem
    from corollary.workbench.run import misses
    from corollary.workbench.seen_rows import seen_rows
    from corollary.workbench.table_model import model_class
    from corollary.workbench.trials import attempt, fitted_pipeline

    settings = Settings(target, ignore=ignore, test_size=0.0)
    problem = set_problem(read_table(path, target=target), settings)
    folded, held = problem.folded(), {}
    learners = {one.name: one for one in base(problem.schema.task)}
    trials = [attempt(learners[name], folded, problem.metric) for name in names]
    members = [fitted_pipeline(learners[name], folded, held) for name in names]
    weights = [1.0 / len(names)] * len(names)
    blend = voting(members, weights, folded)
    answers = np.mean([trial.answers for trial in trials], axis=0)
    model = model_class(problem.schema)(blend, problem.schema)
    out.mkdir(exist_ok=True)
    seen = seen_rows(folded.table, problem.labels(folded.y))
    model.take(blend, misses(folded, answers), seen)
    save(model, out / "model.corollary")
    return out / "model.corollary"


@pytest.fixture(scope="session")
def flat_files(tmp_path_factory):
    """Tables of flats, and models of what they cost."""
    folder: Path = tmp_path_factory.mktemp("flats")
    rows = flats(300, 1)
    train = written(folder / "train.csv", rows)
    new = written(folder / "new.csv", flats(160, 2))
    return SimpleNamespace(
        folder=folder,
        train=train,
        new=new,
        blind=written(folder / "blind.csv", flats(25, 3), ("rent", "dear")),
        classes=fitted(
            train,
            "dear",
            ("logistic regression", "small tree"),
            folder / "classes",
            ("rent",),
        ),
        numbers=fitted(
            *(train, "rent", ("ridge regression",), folder / "numbers", ("dear",))
        ),
        poor=fitted(train, "dear", ("majority",), folder / "poor", ("rent",)),
    )
