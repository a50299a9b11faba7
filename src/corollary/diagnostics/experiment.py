"""The record of an experiment: task, performance, experience; and whether it learns.

Also known as: experiment tracking, Mitchell's definition of learning, lab notebook,
task, performance and experience.

A program learns from experience E with respect to a task T and a measure P of its
performance, if its performance at T, as P measures it, improves with E.  A record keeps
the three, and with them what makes a number mean something later:

    task, what is to be told from what          representation, the columns
    assumptions, what the judgement rests on    estimation, the model and its parameters
    evaluation, by which rows, how sure         a baseline, which looks at no column

P is a mean loss, the smaller the better.  With L(m) the loss on held-out rows after m
rows (`learning_curve`),

    learns   if the slope of L over log m is below 0, beyond doubt (95 %)        (1)
    skill    1 - L / L_0,  L_0 the loss of the baseline                          (2)

(1) may hold while (2) is poor, and the other way round for what was known before the
first row.  Records are lines of JSON: a file of them is a notebook that never loses a
page, and that every tool reads.

Notation: m = sizes; L = losses.
Course: S3-1, S4-2. References: Mitchell (1997), 1.1; Drummond and Japkowicz (2010).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.facts import plain
from corollary.core.parameters import shown
from corollary.core.randomness import entropy
from corollary.core.warn import gathered_warnings
from corollary.decisions.prior_classifier import PriorClassifier
from corollary.diagnostics.learning_curve import LearningCurve, learning_curve
from corollary.selection.cross_validation import CrossValidation, cross_validate
from corollary.selection.validation_data import Given, check_model, given_rows
from corollary.selection.validation_loss import chosen_loss

__all__ = ["Experiment", "append_experiment", "read_experiments", "run_experiment"]

WHO = "run_experiment"
ALWAYS = "The rows are drawn like those to come, and independently of each other."


@dataclass(frozen=True)
class Experiment:
    """What was asked, of what, and what came out.

    Attributes
    ----------
    task : str
        T, in the user's words.
    kind : {'classification', 'regression'}
    measure : str
        P, the name of a loss.
    experience : str
        E, in the user's words.
    rows, columns : int
    representation : tuple of str
        Names of the columns, or their number, and the steps before the model.
    assumptions : tuple of str
        What the evaluation rests on.
    model : str
        Class of the model.
    parameters : dict
        Its parameters, as plain values or texts.
    evaluation : str
        How the loss was measured.
    loss, standard_error : float
        On rows that the model had not seen.
    baseline : float
        Loss of what looks at no column.
    sizes, losses : tuples
        L(m) for each m.
    slope, slope_error : float
        Of L over log m, (1).
    learns : bool
        (1).
    random_state : int
    started : str
        Date and time, UTC.
    seconds : float
    version : str
        Of Corollary.
    notes : tuple of str
        What fits warned of.
    """

    task: str
    kind: str
    measure: str
    experience: str
    rows: int
    columns: int
    representation: tuple[str, ...]
    assumptions: tuple[str, ...]
    model: str
    parameters: dict[str, Any]
    evaluation: str
    loss: float
    standard_error: float
    baseline: float
    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    slope: float
    slope_error: float
    learns: bool
    random_state: int
    started: str
    seconds: float
    version: str
    notes: tuple[str, ...] = ()

    @property
    def skill(self) -> float:
        """The share of the baseline's loss that is saved, (2)."""
        return 1 - self.loss / self.baseline if self.baseline else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return plain(asdict(self))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Experiment:
        """Build a record from `to_dict`; unknown fields are refused."""
        known = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not set(values) <= known:
            must = "an experiment must have the fields of the record"
            raise DataError(sentence("Experiment", must, shown(values)))
        lists: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in values.items()
        }
        try:
            return cls(**lists)
        except TypeError:
            must = "an experiment must have all fields of the record"
            raise DataError(
                sentence("Experiment", must, shown(sorted(values)))
            ) from None

    def __str__(self) -> str:
        path = " -> ".join(f"{value:.3g}" for value in self.losses)
        grows = f"{self.sizes[0]:,} to {self.sizes[-1]:,} rows"
        verdict = "it learns" if self.learns else "it has not been seen to learn"
        size = f"{self.rows:,} rows of {self.columns} columns"
        lines = [
            f"task         {self.task} ({self.kind})",
            f"performance  {self.measure} {self.loss:.4g} +- {self.standard_error:.2g}"
            f", baseline {self.baseline:.4g}; {self.evaluation}",
            f"experience   {self.experience}; {size}",
            f"model        {self.model}",
            f"learning     {path} with {grows}: {verdict}",
            *(f"assumes      {text}" for text in self.assumptions),
            *(f"note         {text}" for text in self.notes),
        ]
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss against the experience.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.sizes, self.losses, marker="o", label=self.model)
        ax.axhline(self.baseline, linestyle=":", color="grey", label="baseline")
        ax.set(xscale="log", xlabel="rows", ylabel=self.measure, title=self.task)
        ax.legend()
        return ax


def run_experiment(
    model: Any,
    X: Any,
    y: Any,
    *,
    task: str,
    experience: str = "rows as given",
    assumptions: Sequence[str] = (),
    measure: Any = None,
    splitter: Any = 5,
    sizes: Any = None,
    random_state: Any = 0,
) -> Experiment:
    """Judge a model on rows it has not seen, at growing experience; keep the record.

    Parameters
    ----------
    model : classifier, regressor or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : array of shape (n,)
    task : str
        What is to be told from what.
    experience : str
        What the rows are, and where they come from.
    assumptions : sequence of str
        What the judgement rests on, beside that rows are drawn like those to come.
    measure : str, function or Loss, optional
        The loss, as in `cross_validate`.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
    sizes : array, optional
        Rows of the learning curve, as in `learning_curve`.
    random_state : None, int or Generator, default=0
        Draws the folds and the samples; kept in the record.

    Returns
    -------
    Experiment

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import GaussianNB
    >>> from corollary.diagnostics import run_experiment
    >>> X, y = load_iris(return_X_y=True)
    >>> found = run_experiment(
    ...     GaussianNB(), X, y, task="species from lengths", experience="150 irises"
    ... )
    >>> found.learns, round(found.loss, 3), round(found.baseline, 3)
    (True, 0.047, 0.667)
    """
    for name, text in (("task", task), ("experience", experience)):
        if not isinstance(text, str) or not text.strip():
            must = f"{name} must be said in words"
            raise ParameterError(sentence(WHO, must, shown(text)))
    if isinstance(assumptions, str):
        assumptions = (assumptions,)
    check_model(WHO, model)
    given = given_rows(WHO, model, X, y, least=10)
    cost, seed = chosen_loss(WHO, measure, model), entropy(random_state)
    begun = datetime.now(UTC)
    common: dict[str, Any] = {"loss": cost, "random_state": seed}
    with gathered_warnings() as notes:
        judged = cross_validate(model, X, y, splitter=splitter, **common)
        curve = learning_curve(
            model, X, y, sizes=sizes, splitter=judged.splits, **common
        )
        floor = _baseline(given, judged, cost)
    seconds = (datetime.now(UTC) - begun).total_seconds()
    return _record(
        (task, experience, (ALWAYS, *map(str, assumptions))),
        model,
        given,
        judged,
        curve,
        floor,
        (seed, begun.isoformat(timespec="seconds"), seconds),
        tuple(dict.fromkeys(notes)),
    )


def _record(
    words: tuple[str, str, tuple[str, ...]],
    model: Any,
    given: Given,
    judged: CrossValidation,
    curve: LearningCurve,
    baseline: float,
    run: tuple[int, str, float],
    notes: tuple[str, ...],
) -> Experiment:
    from importlib.metadata import version

    task, experience, assumptions = words
    held = (
        f"{len(judged.splits)} splits, {int((judged.times > 0).sum()):,} rows held out"
    )
    slope, slope_error = curve.slope
    return Experiment(
        task,
        "regression" if given.classes is None else "classification",
        judged.loss,
        experience,
        given.n,
        int(np.shape(given.X)[1]) if len(np.shape(given.X)) > 1 else 1,
        _representation(model, given.X),
        assumptions,
        type(model).__name__,
        {name: _text(value) for name, value in model.get_params().items()},
        held,
        judged.mean,
        judged.standard_error,
        baseline,
        tuple(int(m) for m in curve.sizes),
        tuple(float(v) for v in curve.validation),
        slope,
        slope_error,
        curve.learns,
        *run,
        version("corollary"),
        notes,
    )


def _baseline(given: Given, judged: CrossValidation, cost: Any) -> float:
    """Return the loss of what looks at no column, on the same splits."""
    empty = DummyRegressor() if given.classes is None else PriorClassifier()
    none = np.zeros((given.n, 1))
    found = cross_validate(empty, none, given.y, splitter=judged.splits, loss=cost)
    return found.mean


def _representation(model: Any, X: Any) -> tuple[str, ...]:
    """Return the columns and the steps before the model."""
    names = [str(name) for name in getattr(X, "columns", [])]
    steps = [type(step).__name__ for _, step in getattr(model, "steps", [])[:-1]]
    width = int(np.shape(X)[1]) if len(np.shape(X)) > 1 else 1
    return (*(names or [f"{width} columns"]), *steps)


def _text(value: Any) -> Any:
    """Return a plain value as it is, and anything else as a text."""
    value = plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    simple = value is None or isinstance(value, bool | int | float | str)
    return value if simple else shown(value)


# -- the notebook ----------------------------------------------------------------------
def append_experiment(path: Any, experiment: Experiment) -> None:
    """Add a record to a file, one line of JSON each.

    Parameters
    ----------
    path : path of a file
        Made where there is none.
    experiment : Experiment
    """
    line = json.dumps(experiment.to_dict(), allow_nan=True)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def read_experiments(path: Any) -> list[Experiment]:
    """Return the records of a file, the oldest first.

    Parameters
    ----------
    path : path of a file that `append_experiment` wrote

    Returns
    -------
    list of Experiment
    """
    found = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines()):
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            must = "every line must be a record of an experiment"
            came = f"line {number + 1}, {shown(line)}"
            raise DataError(sentence("read_experiments", must, came)) from None
        found.append(Experiment.from_dict(values))
    return found
