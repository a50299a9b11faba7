"""What a fit says of itself: why it stopped, how far from optimal, what to do next."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from corollary.core.facts import plain, printed
from corollary.core.html import html_table

__all__ = ["MeasuredOptimality", "Optimality", "Report", "StopReason", "stored_gap"]

ROUNDINGS = 4  # of an objective whose coefficients are stored in float32


class StopReason(enum.Enum):
    """Why a fit stopped; each reason knows its words and its remedy."""

    CLOSED_FORM = ("closed form", "solved exactly; there is nothing to iterate", "")
    CONVERGED = ("converged", "the stopping rule was met", "")
    MAX_PASSES = (
        "max_iter reached",
        "the allowed number of passes was used up before the stopping rule was met",
        "Raise max_iter, loosen tol, or scale the features.",
    )
    STALLED = (
        "stalled",
        "no step lowers the objective any more in this precision",
        "Loosen tol, use float64, or scale the features.",
    )
    DIVERGED = (
        "diverged",
        "the objective grew instead of falling",
        "Use a smaller learning_rate, or scale the features.",
    )
    DELEGATED = (
        "delegated",
        "the estimator inside did the fit, and it keeps no report",
        "",
    )
    STREAMING = ("streaming", "more data may follow through partial_fit", "")
    STOPPED = (
        "stopped by a callback",
        "a callback asked to stop; the last state was kept",
        "Fit again without the callback, or let it wait longer.",
    )
    INTERRUPTED = (
        "interrupted",
        "stopped by the user; the best state so far was kept",
        "Fit again, or raise tol to stop sooner.",
    )

    def __init__(self, word: str, meaning: str, remedy: str) -> None:
        self.word = word
        self.meaning = meaning
        self.remedy = remedy

    @classmethod
    def named(cls, word: str) -> StopReason:
        """Find the reason by its word."""
        found = {reason.word: reason for reason in cls}
        if word not in found:
            raise ValueError(f"no fit stops because it is {word!r}")
        return found[word]


@dataclass(frozen=True)
class Optimality:
    """How far a fit is from optimal, by the measure that its theory offers.

    `value` is never below the truth when `kind` is a gap; it is 0 for a solution in
    closed form and None where theory offers nothing.
    """

    kind: str
    value: float | None
    relative: float | None = None

    def __str__(self) -> str:
        if not self.value:
            return self.kind
        share = "" if self.relative is None else f" ({self.relative:.2g} relative)"
        return f"{self.kind} {self.value:.4g}{share}"


class MeasuredOptimality(Optimality):
    """A distance that is measured when somebody first asks for its value.

    What it is measured on is kept until then, and travels nowhere.

    >>> MeasuredOptimality("largest error", lambda: 0.25).value
    0.25
    """

    def __init__(self, kind: str, measure: Callable[[], float]) -> None:
        vars(self).update(kind=kind, relative=None, measure=measure)

    def __getattr__(self, name: str) -> float:
        if name != "value":
            raise AttributeError(name)
        vars(self)["value"] = value = vars(self).pop("measure")()
        return value

    def __reduce__(self) -> Any:
        return Optimality, (self.kind, self.value, self.relative)


def stored_gap(gap: float, objective: float, dtype: Any) -> float:
    """Return a gap at coefficients as they are stored, in float32 or float64.

    >>> stored_gap(1e-9, 1.0, np.float64)
    1e-09
    """
    if np.dtype(dtype) != np.float32:
        return gap
    return gap + ROUNDINGS * float(np.finfo(np.float32).eps) * abs(objective)


@dataclass(repr=False)
class Report:
    """The account of one fit, left on the estimator as `report_`.

    Attributes
    ----------
    learner : str
        Class of the estimator.
    stop : StopReason
        Why the fit stopped, with its meaning and its remedy.
    passes : int
        Steps of the fit, each a pass over the data.
    reads : int
        Times that the data was read in all: with looks before the first step and
        after the last, and with other starts.
    rows : int
        Rows seen in one pass.
    objective : list of float
        The objective after each pass.
    optimality : Optimality
        Distance to the optimum.
    condition : float or None
        Condition number of the problem that was solved, where there is one.
    facts : dict of str to value
        What else the method knows of this fit, by the names of `core/facts.py`.
    warnings : list of str
        Sentences worth reading before the model is used.
    seconds : float
        Wall-clock time.
    executor, source : str
        How and on what the fit ran.
    remedy : str
        What to do, where the method knows better than the stop reason.
    row_marks : array of int or None
        Hashes of some rows of the fit, by which `certify` knows them; not saved.
    """

    learner: str
    stop: StopReason
    passes: int = 0
    reads: int = 0
    rows: int = 0
    objective: list[float] = field(default_factory=list)
    optimality: Optimality = field(default_factory=lambda: Optimality("unknown", None))
    condition: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    executor: str = ""
    source: str = ""
    remedy: str = ""
    row_marks: Any = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Report({self.learner}: {self.stop.word}, {self.optimality})"

    def __str__(self) -> str:
        lines = [f"  {label:<13} {words}" for label, words in self._lines()]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._lines())

    def _title(self) -> str:
        return f"{self.learner}: {self.stop.word} ({self.stop.meaning})"

    def _lines(self) -> list[tuple[str, str]]:
        """Return what is to be read, each line with its label."""
        lines = [("what to do", self.what_to_do)] if self.what_to_do else []
        took = f"{self.passes} pass{'es' if self.passes != 1 else ''} over"
        lines.append(("took", f"{took} {self.rows:,} rows, {self.seconds:.3g} s"))
        lines.append(("ran on", f"{self.source}, {self.executor}"))
        lines.append(("from optimal", f"{self.optimality}"))
        if self.objective:
            first, last = self.objective[0], self.objective[-1]
            arrow = f"{first:.6g} -> " if len(self.objective) > 1 else ""
            lines.append(("objective", f"{arrow}{last:.6g}"))
        if self.condition is not None:
            lines.append(("conditioning", f"{self.condition:.3g}"))
        lines += printed(self.facts)
        return lines + [("warning", text) for text in self.warnings]

    def plot(self, ax: Any = None) -> Any:
        """Draw the objective over the passes; needs the extra ``corollary[plots]``."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(range(1, len(self.objective) + 1), self.objective, marker="o")
        ax.set_xlabel("pass over the data")
        ax.set_ylabel("objective")
        ax.set_title(f"{self.learner}: {self.stop.word}")
        return ax

    @property
    def what_to_do(self) -> str:
        """The remedy that the method knows, or that of the stop reason."""
        return self.remedy or self.stop.remedy

    def take_over(self, inner: Report) -> None:
        """Say of this fit what the fit inside it says of itself."""
        self.stop, self.passes, self.objective = (
            inner.stop,
            inner.passes,
            inner.objective,
        )
        self.optimality, self.condition = inner.optimality, inner.condition
        self.facts |= inner.facts
        self.warnings += inner.warnings

    def to_dict(self) -> dict[str, Any]:
        """Return plain values only, as a model file stores them."""
        facts = {"facts": plain(self.facts)}
        values = asdict(self) | {"stop": self.stop.word} | facts
        del values["row_marks"]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Report:
        """Rebuild a report from `to_dict`; refuse what cannot be read as one."""
        known = {
            "stop": StopReason.named(values["stop"]),
            "optimality": Optimality(**values["optimality"]),
        }
        report = cls(**(values | known))
        for name, kind in PLAIN.items():
            if not isinstance(getattr(report, name), kind):
                raise ValueError(f"{name} of a report must be {kind.__name__}")
        str(report)  # reads every other field
        return report


PLAIN = {"learner": str, "objective": list, "facts": dict, "warnings": list}
