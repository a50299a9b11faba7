"""Which method when, and why: the advisers in one place.

Also known as: algorithm cheat sheet, choosing an estimator, which model to use.

What is known of the data and of the wish, however little, goes through rules
(`method_rules`) and through the advisers that look at sizes alone:

    sizes against each other     `choose_classifier`, `sample_size_advice`
    structure without a target   `choose_unsupervised`
    a budget                     pairs of rows that a kernel machine would keep     (1)

and where rows are given, through those that measure: `lda_or_svm` for two lines that
compete, `choose_projection` for very many columns.  The answer is a short list, the
first first, each with its reason; what to do besides; and what to measure next, since
no rule knows one's data.

Notation: n rows, d columns.
Course: S4-15, S4-1. References: Wolpert (1996), no free lunch; Ng (2012).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.diagnostics.classifier_choice import choose_classifier
from corollary.diagnostics.lda_or_svm import lda_or_svm
from corollary.diagnostics.method_rules import NEEDS, RULES, TASKS, Situation
from corollary.diagnostics.projection_choice import choose_projection
from corollary.diagnostics.sample_size import sample_size_advice
from corollary.diagnostics.unsupervised_choice import choose_unsupervised

__all__ = ["Advice", "Suggestion", "choose_method"]

WHO = "choose_method"
MOST = 4  # suggestions
MANY_COLUMNS = 1000  # that are worth a projection
MEASURED_ROWS = 2000  # of those given, that the measuring advisers look at
PURPOSES = {
    "clustering": "compression",
    "density": "density",
    "anomalies": "anomalies",
    "compression": "compression",
    "visualization": "visualization",
}


@dataclass(frozen=True)
class Suggestion:
    """A method, and why.

    Attributes
    ----------
    estimator : str
        A class of `corollary`.
    why : str
    advice : str
        What to do with it, or "".
    """

    estimator: str
    why: str
    advice: str = ""

    def __str__(self) -> str:
        return (
            f"{self.estimator}: {self.why}.{' ' + self.advice if self.advice else ''}"
        )


@dataclass(frozen=True)
class Advice:
    """Which methods to try, in order, and what to do besides.

    Attributes
    ----------
    task : str
    n_rows, n_features : int or None
    suggestions : tuple of Suggestion
        The first first.
    notes : tuple of str
        What the sizes say.
    measured : tuple of str
        What was measured on the rows, where they were given.
    next_steps : tuple of str
        What to measure, and by what.
    """

    task: str
    n_rows: int | None
    n_features: int | None
    suggestions: tuple[Suggestion, ...]
    notes: tuple[str, ...]
    measured: tuple[str, ...]
    next_steps: tuple[str, ...]

    @property
    def first(self) -> str:
        """The estimator to begin with."""
        return self.suggestions[0].estimator

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        found = asdict(self)
        for name in ("suggestions", "notes", "measured", "next_steps"):
            found[name] = list(found[name])
        return found

    def __str__(self) -> str:
        size = ""
        if self.n_rows is not None and self.n_features is not None:
            size = f" of {self.n_rows:,} rows and {self.n_features:,} columns"
        numbered = enumerate(self.suggestions, start=1)
        return "\n".join(
            [
                f"For {self.task}{size}:",
                *(f"  {number}. {one}" for number, one in numbered),
                *(f"  - {note}" for note in (*self.notes, *self.measured)),
                *(f"  > {step}" for step in self.next_steps),
            ]
        )


def choose_method(
    task: str | None = None,
    *,
    n_rows: int | None = None,
    n_features: int | None = None,
    X: Any = None,
    y: Any = None,
    n_classes: int | None = None,
    need: str = "accuracy",
    structure: str | None = None,
    sparse: bool = False,
    counts: bool = False,
    outliers: bool = False,
    mixed: bool = False,
    in_memory: bool = True,
    random_state: Any = 0,
) -> Advice:
    """Return which methods to try, in order, and why.

    Parameters
    ----------
    task : str, optional
        'classification', 'regression', 'clustering', 'density', 'anomalies',
        'compression' or 'visualization'; by default as y suggests.
    n_rows, n_features : int, optional
        Sizes; by default those of X.
    X : array or CSR matrix of shape (n, d), optional
        Rows, for the advisers that measure.
    y : array of shape (n,), optional
        Targets.
    n_classes : int, optional
        By default those in y.
    need : {'accuracy', 'explanation', 'probabilities', 'quantiles', 'speed'}
    structure : {'subspace', 'clusters'}, optional
        For tasks without a target; by default as X shows.
    sparse, counts, outliers, mixed : bool, default=False
        Whether columns are mostly 0, as in text; targets are counts; some targets are
        far off; columns are of several kinds.
    in_memory : bool, default=True
        Whether the rows fit in memory.
    random_state : None, int or Generator, default=0
        Draws folds and projections, where X is given.

    Returns
    -------
    Advice

    Examples
    --------
    >>> from corollary.diagnostics import choose_method
    >>> choose_method("classification", n_rows=500, n_features=10_000).first
    'LogisticRegression'
    >>> choose_method("regression", n_rows=20_000, n_features=30).first
    'HistGradientBoostingRegressor'
    >>> choose_method("anomalies", structure="clusters").suggestions[0].why
    'a density with a hill for each clump tells how unlikely a row is'
    """
    X = None if X is None else X if sp.issparse(X) else np.asarray(X)
    task = _task(task, y)
    if need not in NEEDS:
        must = f"need must be one of {', '.join(map(repr, NEEDS))}"
        raise ParameterError(sentence(WHO, must, shown(need)))
    n, d = _sizes(n_rows, n_features, X)
    if task not in ("classification", "regression"):
        return _without_target(task, n, d, X, structure, random_state)
    if n is None or d is None:
        must = "n_rows and n_features must be given, or rows X"
        raise ParameterError(sentence(WHO, must, "neither"))
    if y is not None and n_classes is None and task == "classification":
        n_classes = len(np.unique(np.asarray(y)))
    sparse = sparse or sp.issparse(X)
    situation = Situation(
        task, n, d, n_classes, need, sparse, counts, outliers, mixed, in_memory
    )
    found: dict[str, Suggestion] = {}
    for rule in RULES:
        if task in rule.tasks and rule.suits(situation):
            one = Suggestion(rule.estimator, rule.why, rule.advice)
            found.setdefault(rule.estimator, one)
    return Advice(
        task,
        n,
        d,
        tuple(found.values())[:MOST],
        _notes(situation),
        _measured(situation, X, y, random_state),
        _next_steps(situation),
    )


def _task(task: str | None, y: Any) -> str:
    if task is None and y is not None:
        values = np.asarray(y)
        few = values.dtype.kind in "OUSb" or len(np.unique(values)) <= 20
        return "classification" if few else "regression"
    if task not in TASKS:
        must = f"task must be one of {', '.join(map(repr, TASKS))}"
        raise ParameterError(sentence(WHO, must, shown(task)))
    return task


def _sizes(n: Any, d: Any, X: Any) -> tuple[int | None, int | None]:
    """Return rows and columns: as stated, else those of X."""
    if X is not None and X.ndim != 2:
        must = "X must be a table of rows and columns"
        raise DataError(sentence(WHO, must, f"{X.ndim} dimensions"))
    sizes = []
    for name, value, axis in (("n_rows", n, 0), ("n_features", d, 1)):
        if value is not None and not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(WHO, must, shown(value)))
        value = X.shape[axis] if value is None and X is not None else value
        sizes.append(None if value is None else int(value))
    return sizes[0], sizes[1]


def _without_target(
    task: str, n: Any, d: Any, X: Any, structure: str | None, random_state: Any
) -> Advice:
    """Return the advice for tasks without a target."""
    purpose = PURPOSES[task]
    if task == "clustering" and structure is None:
        structure = "clusters"
    rows = X.toarray() if sp.issparse(X) else X
    choice = choose_unsupervised(
        rows, purpose=purpose, structure=structure, random_state=random_state
    )
    first = Suggestion(choice.estimator, choice.why, f"The method is {choice.method}.")
    more = [first]
    if task == "anomalies":
        why = "it encloses most rows without a density, also where they are few"
        more.append(Suggestion("OneClassSVM", why, "Scale the columns first."))
    measured: tuple[str, ...] = ()
    if choice.subspace is not None:
        measured = (
            f"The rows are {choice.subspace:.0%} like a subspace and "
            f"{choice.clumps:.0%} like clumps.",
        )
    steps = ("Measure the structure with choose_unsupervised(X, purpose=...).",)
    return Advice(
        task, n, d, tuple(more), choice.notes, measured, steps if X is None else ()
    )


def _notes(s: Situation) -> tuple[str, ...]:
    """Return what the sizes say."""
    notes = []
    if s.task == "classification":
        notes.append(str(choose_classifier(s.n_features, s.n_rows)))
    rows = s.n_rows // (s.n_classes or 1) if s.task == "classification" else s.n_rows
    if rows >= 1 and s.n_features <= 10 * MANY_COLUMNS:
        notes.append(
            f"A Gaussian in these columns: {sample_size_advice(rows, s.n_features)}."
        )
    pairs = 8.0 * s.n_rows**2
    if pairs > 1e9:
        notes.append(
            f"All pairs of rows would take {pairs / 1e9:,.0f} GB: kernel machines need "
            "landmarks (Nystroem) or random features (RBFSampler)."
        )
    return tuple(notes)


def _measured(s: Situation, X: Any, y: Any, random_state: Any) -> tuple[str, ...]:
    """Return what the advisers find in the rows that were given."""
    if X is None or X.shape[0] < 20:
        return ()
    step = max(1, X.shape[0] // MEASURED_ROWS)
    some, found = X[::step], []
    if s.n_features > MANY_COLUMNS:
        found.append(str(choose_projection(some, random_state=random_state)))
    dense = not sp.issparse(some) and np.asarray(some).dtype.kind in "fiu"
    if s.task == "classification" and y is not None and dense and not s.wide:
        labels = np.asarray(y)[::step]
        if np.unique(labels, return_counts=True)[1].min() >= 10:
            choice = lda_or_svm(some, labels, splitter=5, random_state=random_state)
            found.append(f"Of two lines: {choice}")
    return tuple(found)


def _next_steps(s: Situation) -> tuple[str, ...]:
    """Return what to measure next."""
    steps = [
        "Compare them, and a baseline, by cross-validation (cross_validate).",
        "See whether more rows would help (learning_curve).",
    ]
    if s.n_rows > 20_000:
        steps.append("Predict time and memory (plan_resources).")
    return tuple(steps)
