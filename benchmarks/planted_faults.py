"""Problems with a planted fault: does the diagnosis name it, and does its advice help?

    python benchmarks/planted_faults.py [--each 20] [--seed 0] [--only FAULTS]
                                        [--frames] [--skore]

Each problem is drawn from a known law: rows, a model of ours or of scikit-learn,
one fault (or none), and what deployment looks like.  A draw is kept only if the fault
is there: a large fresh sample must show what it costs.  Printed are the share of
problems whose fault stands first in the diagnosis, the share of healthy ones with a
false alarm, and the share whose first advice helps on fresh rows when it is followed.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_classifier
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parent))

from fault_frames import framed
from fault_laws import FRESH, fitted, losses
from fault_makers import FAULTS, problem

from corollary.diagnostics import diagnose
from corollary.theory.certify import some_rows


# -- following the advice --------------------------------------------------------------
def judged(p, model, rng_seed=1):
    """Return the loss on fresh rows of deployment by which advice is judged."""
    rng = np.random.default_rng([7, rng_seed])
    X, y = p.deploy(FRESH, rng)
    return loss_of(p, model, X, y)


def loss_of(p, model, X, y):
    classes = bool(is_classifier(model))
    if p.judge == "costs":
        return float(np.mean(p.given["loss"](y, model.predict(X))))
    if p.judge == "log":
        P = np.asarray(model.predict_proba(X))
        of_y = P[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        return float(-np.log(np.maximum(of_y, 1e-6)).mean())
    how = p.judge if p.judge in ("absolute", "balanced") else ""
    if p.fault == "label_noise":
        how = "error" if not hasattr(model, "predict_proba") else ""
    return losses(model, X, y, classes, how)


def helped(p, found):
    """Follow the first advice; tell whether fresh rows lose less, None without any."""
    if not found.actions:
        return None
    action = found.actions[0]
    if p.judge == "honest":
        return action.key == "structured_split" and is_closer(p, found)
    changed = followed(p, action)
    if changed is None:
        return False
    model, X, y, options = changed
    if p.judge == "condition":
        return condition(X) < condition(p.X) / 3
    after = fitted(model, X, y, **options)
    fresh = p.deploy(FRESH, np.random.default_rng([7, 1]))
    new = loss_of(p, after, without(fresh[0], action.drop_columns), fresh[1])
    old = loss_of(p, fitted(p.model, p.X, p.y), *fresh)
    return new < 0.99 * old


def followed(p, action):
    """Return the model, rows, targets and options of a fit as an action asks for it."""
    X, y = p.X, np.array(p.y)
    keep, options = np.arange(len(y)), {}
    model = p.model if action.model is None else action.model
    if action.relabel is not None:
        y[action.relabel[0]] = action.relabel[1]
    if action.drop_rows is not None:
        keep = np.setdiff1d(keep, action.drop_rows)
    if action.sample_weight is not None:
        steps = getattr(model, "steps", None)
        name = "sample_weight" if steps is None else f"{steps[-1][0]}__sample_weight"
        options = {name: np.asarray(action.sample_weight)[keep]}
    X, y = some_rows(X, keep), y[keep]
    if not action.concrete:
        source = {"more_rows": p.more, "like_rows": p.deploy}.get(action.key)
        if source is None:
            return None
        more = source((1 + (action.key == "more_rows")) * len(y), fresh_draws())
        X, y = joined(X, more[0]), np.concatenate([y, more[1]])
    return model, without(X, action.drop_columns), y, options


def fresh_draws():
    return np.random.default_rng(11)


def joined(X, more):
    """Return rows one below the other, arrays or frames."""
    if isinstance(X, np.ndarray):
        return np.vstack([X, more])
    import pandas as pd

    return pd.concat([X, more], ignore_index=True)


def without(X, columns):
    """Return rows without columns; in frames, whose columns are named, one value."""
    if isinstance(X, np.ndarray):
        return np.delete(X, list(columns), axis=1)
    X = X.copy()
    for j in columns:
        X.isetitem(j, np.zeros(len(X)))
    return X


def is_closer(p, found):
    """Tell whether the loss of the diagnosis is nearer the truth than a random one."""
    order = np.random.default_rng(3).permutation(len(p.y))
    parts = np.array_split(order, 5)
    seen = [
        loss_of(
            p,
            fitted(p.model, some_rows(p.X, rest), p.y[rest]),
            some_rows(p.X, part),
            p.y[part],
        )
        for part in parts
        for rest in [np.setdiff1d(order, part)]
    ]
    return abs(found.validation - p.truth) < abs(np.mean(seen) - p.truth)


def condition(X):
    """Return the condition number of the standardised columns of numbers."""
    if not isinstance(X, np.ndarray):
        X = X.select_dtypes("number").to_numpy()
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    X = X[:, X.std(axis=0) > 0]
    return np.linalg.cond((X - X.mean(axis=0)) / X.std(axis=0))


# -- the run ---------------------------------------------------------------------------
def run(faults, each, seed, most_rows=None, *, frames=False, budget=600.0, show=False):
    """Diagnose every problem; return rows (fault, how, verdict, confidence, helped)."""
    rows = []
    for fault in faults:
        for k in range(each):
            p = problem(fault, 1_000 * seed + k, most_rows)
            p = framed(p, k) if frames else p
            begun = time.process_time()
            with warnings.catch_warnings(), threadpool_limits(1, "blas"):
                warnings.simplefilter("ignore")
                found = diagnose(p.model, p.X, p.y, time_budget=budget, **p.given)
                good = None if fault == "healthy" else helped(p, found)
            seconds = time.process_time() - begun
            main = found.main
            rows.append((fault, p.how, main.name, main.confidence, good, seconds))
            if show:
                mark = " " if main.name == fault else "x"
                size = f"{len(p.y)}x{np.shape(p.X)[1]}"
                kind = type(getattr(p.model, "steps", [("", p.model)])[-1][1]).__name__
                others = ", ".join(
                    f"{v.name} {v.confidence:.2f}" for v in found.verdicts
                )
                first = found.actions[0].key if found.actions else "-"
                print(
                    f"{mark} {fault:<15} {k:>3} {p.how:<22} {kind:<30} {size:<8} "
                    f"{seconds:5.1f} s  {others}; {first}: {good}",
                    flush=True,
                )
    return rows


def summary(rows):
    """Return the shares that the aims are about."""
    planted = [row for row in rows if row[0] != "healthy"]
    sound_rows = [row for row in rows if row[0] == "healthy"]
    share = lambda values: float(np.mean(list(values))) if values else float("nan")  # noqa: E731
    return {
        "right": share([row[0] == row[2] for row in rows]),
        "right_planted": share([row[0] == row[2] for row in planted]),
        "false_alarms": share([row[2] != "healthy" for row in sound_rows]),
        "helped": share([bool(row[4]) for row in planted]),
        "seconds": share([row[5] for row in rows]),
    }


def calibration(rows):
    """Return how often verdicts of a confidence were right."""
    lines = []
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01)):
        some = [row for row in rows if low <= row[3] < high]
        if some:
            right = np.mean([row[0] == row[2] for row in some])
            said = np.mean([row[3] for row in some])
            lines.append(f"confidence {said:.2f}: right {right:.2f} of {len(some)}")
    return lines


SKORE = {  # the checks of skore that are about a fault planted here
    "SKD001": "high_variance",
    "SKD002": "high_bias",
    "SKD004": "class_skew",
    "SKD005": "class_skew",
    "SKD008": "collinearity",
    "SKD009": "high_bias",
    "SKD011": "target_leak",
    "SKD013": "split_leak",
}


def skore_verdicts(faults, each, seed, most_rows=None):
    """Return the faults that skore names in the same problems, None without it."""
    try:
        import skore
    except ImportError:
        return None
    rows = []
    for fault in faults:
        for k in range(each):
            p = problem(fault, 1_000 * seed + k, most_rows)
            with warnings.catch_warnings(), threadpool_limits(1, "blas"):
                warnings.simplefilter("ignore")
                try:
                    said = skore_says(skore, p)
                except Exception as failure:
                    said = [f"error: {type(failure).__name__}"]
            rows.append((fault, said))
    return rows


def skore_says(skore, p):
    """Return the faults that skore's checks call an issue, in its order."""
    X, y = np.asarray(p.X), np.asarray(p.y)
    report = skore.evaluate(clone(p.model), X, y, splitter=0.2)
    told = report.checks.summarize().frame()
    codes = told.loc[told["section"] == "issue", "code"]
    return [SKORE[code] for code in codes if code in SKORE]


def compare_with_skore(faults, each, seed, most_rows):
    """Print how often skore names the fault first, or at all."""
    theirs = skore_verdicts(faults, each, seed, most_rows)
    if theirs is None:
        print("skore is not installed")
        return
    first = np.mean([(said or ["healthy"])[0] == fault for fault, said in theirs])
    among = np.mean([fault in (said or ["healthy"]) for fault, said in theirs])
    alarms = [bool(said) for fault, said in theirs if fault == "healthy"]
    print(f"skore: right first {first:.3f}, among its issues {among:.3f}", end=", ")
    print(f"false alarms {np.mean(alarms or [0]):.3f}")
    for fault in faults:
        own = [said for name, said in theirs if name == fault]
        print(f"  {fault:<16} {dict(Counter(name for said in own for name in said))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--most-rows", type=int, default=None)
    parser.add_argument("--frames", action="store_true", help="with texts and holes")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--skore", action="store_true")
    options = parser.parse_args()
    faults = options.only.split(",") if options.only else FAULTS
    rows = run(
        faults,
        options.each,
        options.seed,
        options.most_rows,
        frames=options.frames,
        show=not options.quiet,
    )
    print()
    for fault in faults:
        own = [row for row in rows if row[0] == fault]
        right = sum(row[2] == fault for row in own)
        good = sum(bool(row[4]) for row in own)
        wrong = Counter(row[2] for row in own if row[2] != fault)
        told = f"{fault:<16} right {right:>2}/{len(own)}  advice helps {good:>2}"
        print(f"{told}  {dict(wrong)}")
    for name, value in summary(rows).items():
        print(f"{name:<16} {value:.3f}")
    print("\n".join(calibration(rows)))
    if options.skore:
        compare_with_skore(faults, options.each, options.seed, options.most_rows)


if __name__ == "__main__":
    main()
