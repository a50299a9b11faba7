"""Leaks: columns, splits and preparations that know what they should not.

Also known as: target leakage, data leakage, train-test contamination.

A column leaks if it holds what is known only after the target is: a diagnosis code, a
refund, the target under another name.  Each column is judged alone (`column_skill`) and
against the others together (boosted trees, out of fold).  With s its skill, r the skill
of all the others, it is suspect if it is

    near perfect    s >= 0.95                                                    (1)
    alone           s >= 0.8 and the squared error of the others, 1 - r, is at least
                    three times its own, 1 - s                                   (2)
    but no date: what follows a trend is told by its date, which is known

and the more the further beyond.  No measurement can tell a leak from a column that is
as good as one; the sentence says what to ask.  Lower bars hold for what should know
nothing at all:

    whether a value is missing        s >= 0.3, and it tells more than the value (3)
    an identifier                     s above 0 by four standard errors          (4)

Splits are checked by `split_check`, preparation by `prepared_outside`, repeated rows by
`find_duplicates`.

References: Kaufman et al. (2012); Kapoor and Narayanan (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import is_classifier

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.html import html_table
from corollary.diagnostics.coded_matrix import Coded, coded_matrix
from corollary.diagnostics.column_skill import (
    Skill,
    column_skills,
    missing_skills,
    target_matrix,
)
from corollary.diagnostics.duplicates import Duplicates, find_duplicates
from corollary.diagnostics.judged_loss import JudgedLoss, judged_loss
from corollary.diagnostics.out_of_fold import Folds, folds_of, out_of_fold
from corollary.diagnostics.prepared_outside import (
    encoded_columns,
    oversampled,
    scaled_outside,
    selected_outside,
)
from corollary.diagnostics.split_check import SplitCheck, split_check
from corollary.ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier,
)
from corollary.ensembles.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor,
)

__all__ = ["LeakColumn", "Leaks", "find_leaks", "leaking_columns"]

WHO = "find_leaks"
PERFECT, ALONE, RATIO = 0.95, 0.8, 3.0  # (1), (2)
MISSING = 0.3  # (3)
SURE = 4.0  # (4)
DENSE = 2.0  # range of numbers that count n rows, in n
MOST_ROWS = 10_000  # that columns are judged by
BRIER = JudgedLoss("brier", "Brier score", "probabilities")
SQUARED = JudgedLoss("squared", "mean squared error", "numbers")


@dataclass(frozen=True)
class LeakColumn:
    """A column that may know the target.

    Attributes
    ----------
    column : str
    position : int
        Its place in the table.
    score : float
        Its skill alone: 0 knows nothing, 1 knows all.
    how : {'value', 'missing', 'identifier', 'encoded'}
        What of it knows the target.
    suspicion : float in [0, 1]
        How far beyond the bar it is; 0.5 at the bar.
    sentence : str
    """

    column: str
    position: int
    score: float
    how: str
    suspicion: float
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Leaks:
    """What may leak.

    Attributes
    ----------
    columns : tuple of LeakColumn
        The most suspect first.
    skills : array of shape (d,)
        The skill of every column alone.
    split : SplitCheck or None
        The model under a random and a structured split.
    prepared : tuple of str
        Signs of preparation outside the folds.
    duplicates : Duplicates
        Repeated rows, within and across.
    overlaps : tuple of str
        What the training and the test rows share.
    """

    columns: tuple[LeakColumn, ...]
    skills: Floats
    split: SplitCheck | None
    prepared: tuple[str, ...]
    duplicates: Duplicates
    overlaps: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything was found."""
        worse = self.split is not None and self.split.flatters
        repeated = self.duplicates.beyond_chance or len(self.duplicates.across)
        by_method = self.prepared or self.overlaps
        return bool(self.columns or worse or by_method or repeated)

    def _sentences(self) -> list[str]:
        found = [column.sentence for column in self.columns]
        found += [] if self.split is None else [self.split.sentence]
        found += [*self.prepared, *self.overlaps]
        if len(self.duplicates.repeated) or len(self.duplicates.across):
            found.append(self.duplicates.sentence)
        return found

    def __str__(self) -> str:
        found = self._sentences()
        return "\n".join(found) if found else "No leak was found."

    def _repr_html_(self) -> str:
        rows = [(c.column, f"{c.score:.3f}", c.sentence) for c in self.columns]
        rest = self._sentences()[len(self.columns) :]
        return html_table("Leaks", rows or [("none", "")], notes=rest)

    def to_findings(self) -> dict[str, Any]:
        """Return plain values, as the page of a report takes them."""
        return {
            "split_check": None if self.split is None else self.split.to_findings(),
            "columns": [
                {"column": c.column, "score": c.score, "sentence": c.sentence}
                for c in self.columns
            ],
            "duplicates": self.duplicates.to_findings(),
        }


def find_leaks(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    time: Any = None,
    model: Any = None,
    train: Any = None,
    test: Any = None,
    loss: Any = None,
    classes: bool | None = None,
) -> Leaks:
    """Find columns, splits and preparations that know what they should not.

    Parameters
    ----------
    X : array, data frame, pyarrow table or CSR matrix
    y : array of shape (n,)
    groups : array of shape (n,), optional
        Rows that belong together.
    time : array of shape (n,), optional
        When each row was made.
    model : classifier or regressor, optional
        Judged under a random and a structured split, where groups or a time are given.
    train, test : row numbers or masks, optional
        The split that is used; or `test` a table of test rows.
    loss : str or function, optional
        What the model is judged by, as in `diagnose`.
    classes : bool, optional
        Whether y are classes; by default what the model says, or texts, booleans and
        few whole numbers.

    Returns
    -------
    Leaks

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> find_leaks(X, y).any
    False
    >>> leaking = np.column_stack([X, 2 * y + 0.1 * rng.normal(size=300)])
    >>> [leak.column for leak in find_leaks(leaking, y).columns]
    ['column 3']
    """
    coded = coded_matrix(WHO, X)
    y = checked(y, coded.shape[0])
    classes = are_classes(y, model) if classes is None else classes
    suspects, skills = judged_columns(coded, y, classes)
    duplicates = repeated(X, y, train, test)
    signs = (
        scaled_outside(coded),
        oversampled(duplicates, y, classes),
        selected_outside(coded, target_matrix(y, classes)),
    )
    split = None
    if model is not None and (groups is not None or time is not None):
        judge = judged_loss(loss, model, y)
        split = split_check(model, X, y, judge, groups=groups, time=time)
    return Leaks(
        suspects,
        np.array([skill.value for skill in skills]),
        split,
        tuple(text for text in signs if text),
        duplicates,
        overlaps(groups, time, train, test),
    )


# -- what was given --------------------------------------------------------------------
def checked(y: Any, n: int) -> Vector:
    """Return one target for each row."""
    y = np.asarray(y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1 or len(y) != n or n < 4:
        must = "y must hold one target for each row, and there must be 4 or more"
        raise DataError(sentence(WHO, must, f"shape {y.shape} for {n} rows"))
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise DataError(sentence(WHO, "y must be finite", "NaN or infinity"))
    return y


def are_classes(y: Vector, model: Any) -> bool:
    """Tell whether targets are classes."""
    if model is not None:
        return bool(is_classifier(model))
    if y.dtype.kind == "f":
        return bool(len(np.unique(y)) <= 2)
    return y.dtype.kind not in "iu" or len(np.unique(y)) <= 20


def spaced(n: int) -> Vector:
    """Return row numbers, all or evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.intp))


def repeated(X: Any, y: Vector, train: Any, test: Any) -> Duplicates:
    """Return repeated rows, within the table and across the split."""
    from corollary.theory.certify import some_rows

    if test is None:
        return find_duplicates(X, y)
    if is_table(test):
        return find_duplicates(X, y, other=test)
    held = as_mask(test, len(y))
    rest = ~held if train is None else as_mask(train, len(y))
    rows = np.flatnonzero(rest)
    return find_duplicates(
        some_rows(X, rows), y[rows], other=some_rows(X, np.flatnonzero(held))
    )


def is_table(test: Any) -> bool:
    """Tell a table of test rows from row numbers or a mask."""
    return bool(is_frame(test) or np.ndim(test) == 2 or hasattr(test, "tocsr"))


def as_mask(rows: Any, n: int) -> Vector:
    """Return row numbers or a mask as a mask."""
    mask = np.zeros(n, dtype=bool)
    mask[np.asarray(rows)] = True
    return mask


def overlaps(groups: Any, time: Any, train: Any, test: Any) -> tuple[str, ...]:
    """Say what groups stand on both sides of the split, and whether times mix."""
    if test is None or is_table(test) or (groups is None and time is None):
        return ()
    n = len(np.asarray(groups if groups is not None else time))
    held = as_mask(test, n)
    rest = ~held if train is None else as_mask(train, n)
    found = []
    if groups is not None:
        g = np.asarray(groups)
        both = np.intersect1d(g[held], g[rest])
        if len(both):
            found.append(
                f"{len(both)} of {len(np.unique(g))} groups stand on both sides of the "
                "split."
            )
    if time is not None:
        t = np.asarray(time)
        early = float(np.mean(t[held] <= t[rest].max()))
        if early > 0:
            found.append(
                f"{early:.0%} of the test rows are not after the training rows."
            )
    return tuple(found)


# -- columns ---------------------------------------------------------------------------
def leaking_columns(coded: Coded, y: Vector, classes: bool) -> tuple[LeakColumn, ...]:
    """Return the columns that know too much of the target."""
    return judged_columns(coded, y, classes)[0]


def judged_columns(
    coded: Coded, y: Vector, classes: bool
) -> tuple[tuple[LeakColumn, ...], list[Skill]]:
    """Return the columns that know too much, and the skill of every column."""
    rows = spaced(len(y))
    part, target = coded.rows(rows), target_matrix(y[rows], classes)
    folds = folds_of(classes, y[rows])
    skills = column_skills(part, target, folds)
    return suspect_columns(part, y[rows], target, skills, folds, classes), skills


def suspect_columns(
    coded: Coded,
    y: Vector,
    target: Floats,
    skills: list[Skill],
    folds: Folds,
    classes: bool,
) -> tuple[LeakColumn, ...]:
    """Return the columns that know too much, the most suspect first."""
    found: dict[int, LeakColumn] = {}
    for j in encoded_columns(coded, target):
        text = "holds the mean target of the rows that have its value"
        found[j] = leak(coded, j, max(skills[j].value, 0), "encoded", 0.98, text)
    for j, skill in enumerate(missing_skills(coded, target, folds)):
        if skill.value >= MISSING and skill.value >= 0.7 * skills[j].value:
            sure = expit(8 * (skill.value - MISSING) / MISSING)
            text = "is missing or not according to the target"
            found.setdefault(j, leak(coded, j, skill.value, "missing", sure, text))
    for j in identifiers(coded):
        skill = skills[j]
        if skill.value > max(SURE * skill.error, 0.03):
            sure = expit(4 * (skill.value / max(SURE * skill.error, 0.03) - 1))
            text = "is an identifier, yet it tells the target"
            found.setdefault(j, leak(coded, j, skill.value, "identifier", sure, text))
    for j in np.argsort([-skill.value for skill in skills])[:3]:
        if skills[j].value < ALONE or int(j) in found or coded.dated[j]:
            continue
        rest = skill_of_rest(coded, int(j), y, folds, classes)
        sure = suspicion(skills[j].value, rest)
        if sure >= 0.5:
            text = (
                f"alone explains {skills[j].value:.1%} of the target, all the others "
                f"together {max(rest, 0):.1%}: is it known before the target is?"
            )
            found[int(j)] = leak(coded, int(j), skills[j].value, "value", sure, text)
    return tuple(sorted(found.values(), key=lambda one: -one.suspicion))


def leak(
    coded: Coded, j: int, score: float, how: str, sure: float, text: str
) -> LeakColumn:
    """Make the record of a column."""
    name = coded.names[j]
    place = int(coded.positions[j])
    end = "" if text.endswith("?") else "."
    words = f"{name} {text}{end}"
    return LeakColumn(name, place, float(score), how, float(sure), words)


def suspicion(s: float, r: float) -> float:
    """Return how suspect a skill s is beside a skill r of all others (1), (2)."""
    perfect = (s - PERFECT) / (1 - PERFECT)
    ratio = np.log(max(1 - r, 1e-9) / max(1 - s, 1e-9) / RATIO)
    alone = min((s - ALONE) / 0.05, ratio)
    return float(expit(4 * max(perfect, alone)))


def skill_of_rest(
    coded: Coded, j: int, y: Vector, folds: Folds, classes: bool
) -> float:
    """Return the skill of all columns but one, by boosted trees out of fold."""
    rest = coded.without([j])
    if rest.shape[1] == 0:
        return 0.0
    leaf = int(np.clip(len(y) // 50, 3, 20))
    kind: Any = HistGradientBoostingRegressor
    kind = HistGradientBoostingClassifier if classes else kind
    trees = kind(max_iter=60, max_leaf_nodes=15, min_samples_leaf=leaf, random_state=0)
    found = out_of_fold(trees, rest.Z, y, folds, BRIER if classes else SQUARED)
    target = target_matrix(y, classes)
    total = ((target - target.mean(axis=0)) ** 2).sum(axis=1).mean()
    scale = 2.0 if classes else 1.0  # Brier's score is half of the squared error
    return 1 - scale * found.mean / total


def identifiers(coded: Coded) -> list[int]:
    """Return columns that hardly ever repeat: texts, or whole numbers that count.

    Prices and areas are whole numbers that hardly repeat, too; they leave gaps.
    """
    found = []
    n = coded.shape[0]
    for j in range(coded.shape[1]):
        z = coded.Z[:, j]
        z = z[np.isfinite(z)]
        if n < 20 or coded.dated[j] or len(np.unique(z)) < 0.95 * n:
            continue
        dense = np.ptp(z) <= DENSE * n and bool((z == np.round(z)).all())
        if coded.categorical[j] or dense:
            found.append(j)
    return found
