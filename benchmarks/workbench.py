"""The workbench against FLAML and AutoGluon: accuracy at equal wall-clock time.

    python benchmarks/workbench.py [--seconds 300] [--peers flaml,autogluon] [NAME ...]

How often the stated intervals hold takes many runs, and needs no peer:

    python benchmarks/workbench.py --seconds 6 --peers "" --splits 8

Each data set is split at random, 70% to learn from and 30% to test on.  Every system
gets the same training file and the same seconds on the same cores, in a process of its
own, and answers for the test rows; the scores are taken here, from its answers.

    score        accuracy and log loss of classes, R^2 of numbers
    normalised   (score - baseline) / (best of all systems - baseline)
    inside       whether the test score of the workbench lies in the interval that it
                 stated beforehand for a test of that many rows
    load         processes that ran or waited in the last minute, of any job: systems
                 that were raced under different loads had different chances

Peers run in the Python that PEERS names (an environment with flaml and
autogluon.tabular), or in this one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SYSTEMS = ("corollary", "flaml", "autogluon")


# -- data sets -------------------------------------------------------------------------
def bundled(loader: str, target: str):
    from sklearn import datasets

    found = getattr(datasets, loader)()
    names = [
        str(name)
        for name in getattr(found, "feature_names", range(found.data.shape[1]))
    ]
    columns = {f"f {name}": found.data[:, j] for j, name in enumerate(names)}
    labels = found.target
    if hasattr(found, "target_names") and loader != "load_diabetes":
        labels = np.asarray([f"c{label}" for label in found.target])
    return columns | {target: labels}


def friedman(kind: int, n: int, noise: float):
    from sklearn import datasets

    X, y = getattr(datasets, f"make_friedman{kind}")(n, noise=noise, random_state=kind)
    return {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}


def drawn(n: int, d: int, informative: int, classes: int, flip: float, seed: int):
    from sklearn import datasets

    X, y = datasets.make_classification(
        n,
        d,
        n_informative=informative,
        n_redundant=d // 5,
        n_classes=classes,
        n_clusters_per_class=2,
        flip_y=flip,
        class_sep=0.8,
        random_state=seed,
    )
    return {f"x{j}": X[:, j] for j in range(d)} | {
        "y": np.asarray([f"c{c}" for c in y])
    }


def mixed(n: int, seed: int):
    """Customers with categories, a rare town, dates and empty cells."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 15, n)
    town = rng.choice(["Rome", "Oslo", "Bern", "Paris"], n, p=[0.5, 0.3, 0.15, 0.05])
    shop = rng.integers(0, 60, n)
    visits = rng.poisson(3, n)
    lift = rng.normal(size=60)
    z = 0.05 * (age - 45) + 1.2 * (town == "Oslo") + lift[shop] + 0.3 * visits - 1
    z += 1.5 * np.sin(age / 8)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "leaves", "stays")
    age[rng.random(n) < 0.1] = np.nan
    return {
        "age": age,
        "town": town,
        "shop": np.asarray([f"s{s}" for s in shop]),
        "visits": visits,
        "noise": rng.normal(size=n),
        "y": y,
    }


def of_statsmodels(name: str, target: str):
    import statsmodels.api as sm

    frame = getattr(sm.datasets, name).load_pandas().data
    columns = {str(c): frame[c].to_numpy() for c in frame.columns if c != target}
    y = frame[target].to_numpy()
    return columns | {"y": y}


DATA = {
    "iris": lambda: bundled("load_iris", "y"),
    "wine": lambda: bundled("load_wine", "y"),
    "cancer": lambda: bundled("load_breast_cancer", "y"),
    "digits": lambda: bundled("load_digits", "y"),
    "diabetes": lambda: bundled("load_diabetes", "y"),
    "friedman1": lambda: friedman(1, 600, 1.0),
    "friedman2": lambda: friedman(2, 1500, 60.0),
    "friedman3": lambda: friedman(3, 1500, 0.1),
    "two_classes": lambda: drawn(2000, 20, 8, 2, 0.05, 0),
    "five_classes": lambda: drawn(3000, 25, 12, 5, 0.02, 1),
    "wide": lambda: drawn(400, 120, 15, 2, 0.0, 2),
    "mixed": lambda: mixed(4000, 3),
    "fair": lambda: of_statsmodels("fair", "affairs"),
    "star98": lambda: of_statsmodels("star98", "NABOVE"),
    "anes96": lambda: of_statsmodels("anes96", "vote"),
    "ccard": lambda: of_statsmodels("ccard", "AVGEXP"),
    "large": lambda: drawn(30000, 30, 15, 2, 0.05, 4),
}


# -- one system, in a process of its own -----------------------------------------------
def answer(system: str, folder: Path, seconds: float) -> None:
    """Learn from train.csv and write answers for test.csv."""
    import pandas as pd

    train, test = (pd.read_csv(folder / f"{part}.csv") for part in ("train", "test"))
    task = json.loads((folder / "task.json").read_text())["task"]
    begun = time.perf_counter()
    told = globals()[f"by_{system}"](train, test, task, seconds, folder)
    told["seconds"] = time.perf_counter() - begun
    (folder / f"{system}.json").write_text(json.dumps(told))


def by_corollary(train, test, task, seconds, folder):
    from corollary import workbench

    found = workbench.run(train, "y", task=task, time_budget=seconds)
    rows = test.drop(columns="y")
    told = {"predicted": np.asarray(found.predict(rows)).tolist()}
    if task == "classification":
        told["proba"] = found.model.predict_proba(rows).tolist()
        told["classes"] = texts(found.model.classes_)
        told["predicted"] = texts(told["predicted"])
    told["interval"] = list(found.expected_score(len(test)))
    told["champion"] = found.findings["champion"]["members"]
    return told


def by_flaml(train, test, task, seconds, folder):
    from flaml import AutoML

    model = AutoML()
    metric = "log_loss" if task == "classification" else "rmse"
    X, y = train.drop(columns="y"), train["y"]
    y = y.astype(str) if task == "classification" else y
    model.fit(
        X,
        y,
        task=task,
        time_budget=seconds,
        metric=metric,
        verbose=0,
        ensemble=True,
        seed=0,
    )
    return from_sklearn(model, test.drop(columns="y"), task)


def by_autogluon(train, test, task, seconds, folder):
    from autogluon.tabular import TabularPredictor

    if task == "classification":
        train = train.assign(y=train["y"].astype(str))
    kind = "regression" if task == "regression" else None
    metric = "log_loss" if task == "classification" else "root_mean_squared_error"
    if kind is None:
        kind = "binary" if train["y"].nunique() == 2 else "multiclass"
    model = TabularPredictor(
        "y", problem_type=kind, eval_metric=metric, path=str(folder / "ag"), verbosity=0
    )
    preset = os.environ.get("AUTOGLUON_PRESET", "best_quality")
    model.fit(train, time_limit=seconds, presets=preset)
    rows = test.drop(columns="y")
    told = {"predicted": model.predict(rows).tolist()}
    if task == "classification":
        proba = model.predict_proba(rows)
        told["proba"] = proba.to_numpy().tolist()
        told["classes"] = texts(proba.columns)
        told["predicted"] = texts(told["predicted"])
    return told


def from_sklearn(model, rows, task):
    told = {"predicted": np.asarray(model.predict(rows)).tolist()}
    if task == "classification":
        told["predicted"] = texts(told["predicted"])
        told["proba"] = model.predict_proba(rows).tolist()
        told["classes"] = texts(model.classes_)
    return told


def texts(labels) -> list[str]:
    """Return labels as texts, alike whether a system reads 1 as whole or not."""
    return [str(label).removesuffix(".0") for label in labels]


# -- judging ---------------------------------------------------------------------------
def scores(told, y, task):
    """Return the scores of answers for the test rows."""
    if task == "regression":
        f = np.asarray(told["predicted"], float)
        return {
            "r2": 1 - ((y - f) ** 2).mean() / np.var(y),
            "rmse": np.sqrt(((y - f) ** 2).mean()),
        }
    classes, P = told["classes"], np.clip(np.asarray(told["proba"], float), 1e-15, 1)
    P = P / P.sum(axis=1, keepdims=True)
    at = np.asarray([classes.index(label) if label in classes else -1 for label in y])
    p = np.where(at >= 0, P[np.arange(len(y)), at], 1e-15)
    right = np.asarray(told["predicted"], str) == y
    return {"accuracy": right.mean(), "log loss": -np.log(p).mean()}


def race(name: str, systems, seconds: float, seed: int) -> dict:
    """Run every system on a data set; return its scores."""
    import pandas as pd

    frame = pd.DataFrame(DATA[name]())
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(frame))
    cut = int(0.7 * len(frame))
    text = frame["y"].dtype.kind not in "fiu" or frame["y"].nunique() <= 10
    task = "classification" if text else "regression"
    found = {}
    with tempfile.TemporaryDirectory(prefix="workbench-") as place:
        folder = Path(place)
        train, test = frame.iloc[order[:cut]], frame.iloc[order[cut:]]
        for part, rows in (("train", train), ("test", test)):
            rows.to_csv(folder / f"{part}.csv", index=False)
        (folder / "task.json").write_text(json.dumps({"task": task}))
        y = test["y"].to_numpy()
        y = np.asarray(texts(y)) if text else y.astype(float)
        for system in systems:
            python = sys.executable
            if system != "corollary":
                python = os.environ.get("PEERS", sys.executable)
            ask = ["--one", system, "--folder", place, "--seconds", str(seconds)]
            done = subprocess.run(
                [os.path.abspath(python), str(Path(__file__).resolve()), *ask],
                capture_output=True,
                text=True,
                cwd=place,  # what a system writes goes with the folder
            )
            path = folder / f"{system}.json"
            if not path.exists():
                print(f"{name} {system}: {done.stderr.strip()[-300:]}", file=sys.stderr)
                continue
            told = json.loads(path.read_text())
            found[system] = scores(told, y, task) | {"seconds": told["seconds"]}
            found[system]["load"] = os.getloadavg()[0]  # of the last minute
            if "interval" in told:
                low, high = told["interval"]
                stated = found[system]["log loss" if text else "rmse"]
                found[system]["inside"] = bool(low <= stated <= high)
                found[system]["interval"] = [low, high]
                found[system]["champion"] = told["champion"]
    base = np.unique(y, return_counts=True)[1].max() / len(y) if text else 0.0
    return {"task": task, "base": float(base), "systems": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(DATA))
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--peers", default="flaml,autogluon")
    parser.add_argument("--seed", type=int, default=0, help="of the first split")
    parser.add_argument("--splits", type=int, default=1, help="of each data set")
    parser.add_argument("--one")
    parser.add_argument("--folder")
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.one:
        answer(given.one, Path(given.folder), given.seconds)
        return
    systems = ["corollary", *filter(None, given.peers.split(","))]
    table, inside = {}, []
    seeds = range(given.seed, given.seed + given.splits)
    for name, seed in itertools.product(given.names, seeds):
        key = name if given.splits == 1 else f"{name} {seed}"
        table[key] = race(name, systems, given.seconds, seed)
        show(key, table[key])
        ours = table[key]["systems"].get("corollary", {})
        inside.append(ours.get("inside", False))
        if given.json:
            Path(given.json).write_text(json.dumps(table, indent=1))
    summary(table, systems, inside)


def show(name: str, row: dict) -> None:
    """Print the scores of a data set."""
    for system, found in row["systems"].items():
        told = "  ".join(
            f"{k} {v:.4f}" for k, v in found.items() if isinstance(v, float)
        )
        extra = "" if "inside" not in found else f"  inside {found['inside']}"
        print(f"{name:<14} {system:<10} {told}{extra}", flush=True)


def summary(table: dict, systems, inside) -> None:
    """Print mean normalised scores, and how often the stated interval held."""
    means: dict[str, list[float]] = {system: [] for system in systems}
    for name, row in table.items():
        key = "r2" if row["task"] == "regression" else "accuracy"
        best = max((f[key] for f in row["systems"].values()), default=1.0)
        span = best - row["base"]
        if span <= 0:
            print(f"{name}: no system is above the baseline; left out of the means")
            continue
        for system in systems:
            if system in row["systems"]:
                means[system].append((row["systems"][system][key] - row["base"]) / span)
    for system, values in means.items():
        if values:
            mean, count = np.mean(values), len(values)
            print(f"{system:<12} mean normalised score {mean:.4f} ({count})")
    print(f"stated intervals that held: {sum(inside)} of {len(inside)}")


if __name__ == "__main__":
    main()
