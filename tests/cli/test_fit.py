import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from workbench.tables import churn, rents

import corollary as library


def written(path, table, sep=","):
    names = list(table)
    rows = zip(*table.values(), strict=True)
    text = [
        sep.join(names),
        *(sep.join("" if v is None else str(v) for v in r) for r in rows),
    ]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def test_a_file_becomes_two_models_and_a_page(process, tmp_path):
    data = written(tmp_path / "churn.csv", churn(150))
    result = process(
        "fit", "churn.csv", "-t", "outcome", "--time-budget", "3", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    out = tmp_path / "churn-corollary"
    assert {p.name for p in out.iterdir()} == {
        ".journal",
        "model.corollary",
        "simple.corollary",
        "report.html",
        "report.json",
        "predictions.parquet",
    }
    assert "Expect" in result.stdout
    assert "logistic regression" in result.stderr
    model = library.load(out / "model.corollary")
    assert set(model.predict(str(data))) <= {"leaves", "stays"}
    told = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert told["made"]["command"].startswith("corollary fit churn.csv")


def test_json_is_all_that_stands_on_the_standard_output(corollary, tmp_path):
    data = written(tmp_path / "rents.csv", rents(80), sep=";")
    out = tmp_path / "out"
    given = ["--json", "--time-budget", "2", "--out", str(out)]
    result = corollary("fit", str(data), "-t", "rent", *given)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["task"] == "regression"


def test_rows_come_by_the_standard_input(tmp_path):
    data = written(tmp_path / "rents.csv", rents(80))
    command = [sys.executable, "-m", "corollary", "fit", "-", "-t", "rent"]
    done = subprocess.run(
        [*command, "--time-budget", "2", "-q"],
        input=data.read_bytes(),
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "stdin-corollary" / "model.corollary").exists()


@pytest.mark.parametrize(
    ("content", "flags", "words"),
    [
        (None, ["-t", "y"], "none.csv"),
        ("a,y\n1,2\n", ["-t", "z"], "'z'"),
        ("a,y\n" + "1,2\n" * 30, ["-t", "y"], "two different values"),
        ("a,y\n" + "1,2\n2,3\n" * 5, ["-t", "y"], "at least 20 rows"),
        ("", ["-t", "y"], "none.csv"),
        ("a,y\n1,2\n", [], "--target"),
        ("a,y\n" + "1,2\n2,3\n" * 30, ["-t", "y", "--metric", "gold"], "metric"),
        ("a,y\n" + "1,2\n2,3\n" * 30, ["-t", "y", "--group", "b"], "'b'"),
        ("a,y\n" + "1,2\n2,3\n" * 30, ["-t", "y", "--time-budget", "-4"], "time"),
    ],
    ids=[
        "no file",
        "no target",
        "constant",
        "few",
        "empty",
        "no flag",
        "metric",
        "group",
        "time",
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    corollary, tmp_path, content, flags, words
):
    path, out = tmp_path / "none.csv", tmp_path / "out"
    if content is not None:
        path.write_text(content)
    result = corollary("fit", str(path), *flags, "--out", str(out), "-q")
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(out.glob("*.*")) if out.exists() else True


def test_ctrl_c_leaves_a_usable_result(tmp_path):
    rng = np.random.default_rng(0)
    n = 3000
    table = {f"x{j}": rng.normal(size=n).round(6).tolist() for j in range(12)}
    table["y"] = np.where(np.asarray(table["x0"]) > 0, "up", "down").tolist()
    written(tmp_path / "rows.csv", table)
    command = [sys.executable, "-m", "corollary", "fit", "rows.csv", "-t", "y"]
    process = subprocess.Popen(
        [*command, "--time-budget", "120"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:  # after a first trial there is something to keep
        if "boosting" in line:
            break
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=90)
    assert process.returncode == 130, err
    model = library.load(tmp_path / "rows-corollary" / "model.corollary")
    assert (model.predict(str(tmp_path / "rows.csv")) == table["y"]).mean() > 0.9
    assert "Traceback" not in err
