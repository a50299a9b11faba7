"""Small data: fit and predict of every estimator that scikit-learn has too, on the rows
of iris (150 x 4), breast cancer (569 x 30) and digits (1,797 x 64), one thread each.

    python benchmarks/small_data.py [NAME ...] [--markdown FILE]

Both libraries take turns in one process; the least processor time of many calls counts,
so that other work on the machine does not.  Default parameters; an estimator that needs
another one is given it below.  A cell where scikit-learn's fit is far worse than ours
on the same rows is noted: its time is that of another model.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn.linear_model
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.utils import all_estimators
from threadpoolctl import threadpool_limits

import corollary

DATA = {"iris": load_iris, "cancer": load_breast_cancer, "digits": load_digits}
THEIRS = dict(all_estimators())
SECONDS, CALLS = 0.6, 400  # of one contestant
WORSE = 0.1  # of R^2, D^2 or the accuracy
WITHIN = ("OneVsRestClassifier", "OneVsOneClassifier", "Standardized")
POSITIVE = (
    "GammaRegressor",
    "PoissonRegressor",
    "TweedieRegressor",
    "PowerTransformer",
)


def shared() -> list[str]:
    """Return the names that both libraries have."""
    return sorted(name for name in corollary.registry.ESTIMATORS if name in THEIRS)


def made(name: str, ours: bool):
    """Make an estimator of either library."""
    cls = getattr(corollary, name) if ours else THEIRS[name]
    if name in WITHIN:
        return cls((corollary if ours else sklearn.linear_model).LogisticRegression())
    if name == "ColumnTransformer":
        return cls([("all", "passthrough", [0, 1])])
    return cls()


def rows_for(name: str, data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and targets that suit an estimator."""
    X, y = DATA[data](return_X_y=True)
    X = np.abs(X) if "NB" in name else X
    y = y + 1.0 if name in POSITIVE else y
    return X, np.column_stack([y, X[:, 0]]) if name.startswith("MultiTask") else y


def least(calls: list) -> list[float]:
    """Return the least processor time of each call, taken in turns."""
    best = [np.inf] * len(calls)
    begun = time.perf_counter()
    for turn in range(CALLS):
        if turn > 1 and time.perf_counter() - begun > SECONDS * len(calls):
            break
        for k, call in enumerate(calls):
            before = time.process_time()
            call()
            best[k] = min(best[k], time.process_time() - before)
    return best


def ratios(name: str, data: str) -> tuple[float, float, str]:
    """Return the time of fit and of predict, in scikit-learn's, and what to note."""
    X, y = rows_for(name, data)
    fits = [lambda ours=ours: made(name, ours).fit(X, y) for ours in (True, False)]
    ours, theirs = least(fits)
    models = [fit() for fit in fits]
    asks = [getattr(model, "predict", None) or model.transform for model in models]
    answers = least([lambda ask=ask: ask(X) for ask in asks])
    return ours / theirs, answers[0] / answers[1], noted(*models, X, y)


def noted(ours, theirs, X: np.ndarray, y: np.ndarray) -> str:
    """Say what scikit-learn's fit scores on the rows, where it is far worse."""
    if not (is_classifier(theirs) or is_regressor(theirs)):
        return ""
    learned = [v for k, v in vars(theirs).items() if k.endswith("_")]
    learned = [v for v in learned if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    score = ours.score(X, y)
    if not all(np.isfinite(values).all() for values in learned):
        return f"not finite against {score:.2g}"
    worse = theirs.score(X, y)
    return "" if worse >= score - WORSE else f"{worse:.2g} against {score:.2g}"


def main() -> None:
    """Measure, print, and write the table where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    corollary.set_config(threads=1)
    rows, lines, notes = [], [], []
    with threadpool_limits(1):
        for name in chosen.names or shared():
            found = {}
            for data in DATA:
                try:
                    found[data] = ratios(name, data)
                except Exception as error:  # of either library, on such data
                    print(f"{name} on {data}: {type(error).__name__}: {error}"[:100])
            rows += [one[:2] for one in found.values()]
            notes += [
                f"{name} on {data} ({note})"
                for data, (*_, note) in found.items()
                if note
            ]
            cells = [shown(found.get(data)) for data in DATA]
            lines.append(f"| {name} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    fit, ask = np.array(rows).T
    summary = f"fit: {distribution(fit)}; predict or transform: {distribution(ask)}"
    print(summary)
    print("noted:", "; ".join(notes) or "nothing")
    if chosen.markdown:
        chosen.markdown.write_text(page(summary, lines, notes))


def shown(found: tuple[float, float, str] | None) -> str:
    """Write the ratios of one cell."""
    return "-" if found is None else f"{found[0]:.2f} / {found[1]:.2f}"


def distribution(times: np.ndarray) -> str:
    """Say in words how ratios are distributed."""
    within = float(np.mean(times <= 1.2))
    return f"median {np.median(times):.2f}, at most 1.2 in {within:.0%}"


def page(summary: str, lines: list[str], notes: list[str]) -> str:
    """Return the table as a page."""
    head = "| estimator | iris | cancer | digits |\n|---|---|---|---|"
    about = (
        "Time of `fit` / of `predict` or `transform`, Corollary's over scikit-learn's, "
        "one thread each, default parameters (`python benchmarks/small_data.py "
        "--markdown docs/small_data.md`).  Below 1, Corollary is faster."
    )
    text = ["# Small data", about, summary + ".", "\n".join([head, *lines])]
    if notes:
        text.append(
            f"Where scikit-learn's fit is worse than ours by more than {WORSE} of its "
            "own `score` on the same rows (R^2, D^2 or accuracy), its time is that of "
            f"another model, such as one that stopped early: {'; '.join(notes)}."
        )
    return "\n\n".join(text) + "\n"


if __name__ == "__main__":
    main()
