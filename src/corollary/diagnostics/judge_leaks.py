"""Leaks as a verdict: how much of the score is not real.

A column that knows the target is told by `find_leaks`.  A split that matters is told by
what the model loses under folds that keep groups whole or test on later rows, against
random folds; repeated rows are a group of their own.  The difference matters if

    L_structured - L_random > r L_random                                         (1)
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Vector
from corollary.diagnostics.duplicates import find_duplicates
from corollary.diagnostics.evidence import Case, Finding, strength
from corollary.diagnostics.leakage import LeakColumn, leaking_columns
from corollary.diagnostics.split_check import SplitCheck, split_check
from corollary.diagnostics.verdict import Action

__all__ = ["judge_columns_that_know", "judge_repeated_rows", "judge_split"]

MATTERS = 0.15  # r of (1)
REPEATED = 0.01  # share of repeated rows from which they are looked at


def judge_columns_that_know(case: Case) -> list[Finding]:
    """Tell whether a column knows the target."""
    columns: tuple[LeakColumn, ...]
    if case.known.leaks is not None:
        columns = tuple(case.known.leaks.columns)
    else:
        columns = leaking_columns(case.coded, case.y, case.classes)
    if not columns:
        return []
    names = ", ".join(one.column for one in columns)
    action = Action(
        "drop_column",
        f"Drop {names}.",
        "What is known only after the target cannot be used to predict it.",
        drop_columns=tuple(one.position for one in columns),
    )
    evidence = tuple(one.sentence for one in columns)
    return [Finding("target_leak", columns[0].suspicion, evidence, (action,))]


def judge_split(case: Case) -> list[Finding]:
    """Tell whether a random split flatters the model (1)."""
    if case.known.structured:
        return []
    if case.known.leaks is not None and case.known.leaks.split is not None:
        found = case.known.leaks.split
    elif (case.groups is None and case.time is None) or case.late:
        return []
    else:
        found = split_check(
            case.model,
            case.X,
            case.y,
            case.loss,
            groups=case.groups,
            time=case.time,
            seed=case.seed,
        )
    return [of_split(case, found)]


def of_split(case: Case, found: SplitCheck) -> Finding:
    """Return what a comparison of two splits means."""
    span = abs(float(np.nanmean(case.baseline)) - found.random)
    matters = max(MATTERS * found.random, 0.03 * span)
    sure = strength(found.difference, found.standard_error, matters)
    if found.difference > matters:
        times = strength(found.log_ratio, found.ratio_error, np.log1p(MATTERS))
        sure = max(sure, times)
    words = "group" if found.kind == "group" else "time"
    action = Action(
        "structured_split",
        f"Split by {words}, and compare models by that split.",
        "The loss under a random split is not the loss to expect.",
    )
    return Finding("split_leak", sure, (found.sentence,), (action,))


def judge_repeated_rows(case: Case) -> list[Finding]:
    """Tell whether rows that stand on both sides of the split flatter the model."""
    if case.known.leaks is not None:
        found = case.known.leaks.duplicates
    else:
        found = find_duplicates(case.X, case.y)
    rows: Vector = found.groups[: found.n]
    if found.beyond_chance < max(5, REPEATED * found.n) or len(rows) != len(case.y):
        return []
    if case.groups is not None or case.time is not None or case.late:
        return []
    split = split_check(
        case.model, case.X, case.y, case.loss, groups=rows, seed=case.seed
    )
    measured = of_split(case, split)
    words = measured.evidence[0].replace("groups kept whole", "equal rows together")
    action = Action(
        "drop_duplicates",
        f"Drop {len(found.repeated):,} repeated rows.",
        "A row that was seen in training tests nothing.",
        drop_rows=found.repeated,
    )
    evidence = (found.sentence, words)
    return [Finding("duplicate_rows", measured.strength, evidence, (action,))]
