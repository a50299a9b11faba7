"""Records of a diagnosis: verdicts, actions, and the whole.

A **verdict** names a fault (`remedies.FAULTS`), says how sure it is and on what
evidence.  An **action** is a concrete change, such as a model to fit instead or columns
to drop; where it was measured it carries the loss before and after.  A **diagnosis**
holds verdicts, the main fault first, actions in the order in which to try them, and
those that will not help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from corollary.core.html import html_table
from corollary.diagnostics.remedies import FAULTS

__all__ = ["Action", "Diagnosis", "Verdict"]

SHOWN = 3  # actions on the first screen
NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Verdict:
    """One fault, or its absence.

    Attributes
    ----------
    name : str
        Of `remedies.FAULTS`.
    confidence : float in [0, 1]
        How sure it is.
    evidence : tuple of str
        What was measured, one sentence each.
    """

    name: str
    confidence: float
    evidence: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The fault in words."""
        return FAULTS[self.name]

    def __str__(self) -> str:
        head = f"{self.title} (confidence {self.confidence:.2f})."
        return "\n".join([head, *(f"  - {text}" for text in self.evidence)])


@dataclass(frozen=True)
class Action:
    """One change to make, and what it brought where it was tried.

    Attributes
    ----------
    key : str
        Of `remedies.REMEDIES`.
    action, why : str
        What to do, and on what grounds.
    model : estimator or None
        The model to fit instead, not fitted.
    drop_columns : tuple of int
        Columns to leave out.
    drop_rows : array of row numbers or None
        Rows to leave out of training.
    relabel : (rows, labels) or None
        Training targets to correct.
    sample_weight : array or None
        Weights of the rows in training.
    loss : str or None
        What it is to be judged by, where it is not the loss of the diagnosis.
    tried : bool
        Whether it was measured.
    before, after, standard_error : float or None
        Mean losses by the same folds, and the standard error of their difference.
    verdict : str
        "helped", "no difference", "worse" or "not tried".
    """

    key: str
    action: str
    why: str
    model: Any = field(default=None, repr=False, compare=False)
    drop_columns: tuple[int, ...] = ()
    drop_rows: Any = field(default=None, repr=False, compare=False)
    relabel: Any = field(default=None, repr=False, compare=False)
    sample_weight: Any = field(default=None, repr=False, compare=False)
    loss: str | None = None
    tried: bool = False
    before: float | None = None
    after: float | None = None
    standard_error: float | None = None
    verdict: str = NOT_TRIED

    @property
    def concrete(self) -> bool:
        """Whether it says exactly what to fit."""
        given = (self.model, self.drop_rows, self.relabel, self.sample_weight)
        return bool(self.drop_columns) or any(one is not None for one in given)

    def measured(self, before: float, after: float, error: float) -> Action:
        """Return the action with its losses and what they mean."""
        gain = before - after
        outcome = "no difference"
        if abs(gain) > 2 * error:
            outcome = "helped" if gain > 0 else "worse"
        return replace(
            self,
            tried=True,
            before=before,
            after=after,
            standard_error=error,
            verdict=outcome,
        )

    def __str__(self) -> str:
        text = f"{self.action} {self.why}".strip()
        if not self.tried:
            return text
        return (
            f"{text} Tried: loss {self.before:.4g} -> {self.after:.4g} "
            f"(standard error {self.standard_error:.2g}): {self.verdict}."
        )

    def to_findings(self) -> dict[str, Any]:
        """Return plain values, as the page of a report takes them."""
        return {
            "action": self.action,
            "why": self.why,
            "tried": self.tried,
            "before": plain(self.before),
            "after": plain(self.after),
            "standard_error": plain(self.standard_error),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Diagnosis:
    """What holds a model back, and what to do.

    Attributes
    ----------
    verdicts : tuple of Verdict
        The main fault first; one "healthy" verdict where none was found.
    actions : tuple of Action
        In the order in which to try them.
    will_not_help : tuple of (action, why)
        What would be wasted on the main fault.
    loss : str
        In words, the loss that is measured.
    training, validation : float
        Mean loss on training rows and out of fold.
    reference : float
        Mean loss out of fold of the best of some other models.
    baseline : float
        Mean loss of the best constant.
    target_loss : float or None
        The loss that is asked for.
    evidence : Evidence or None
        What the verdicts were read from.
    seconds : float
        Time that it took.
    notes : tuple of str
        What was left out, and why.
    """

    verdicts: tuple[Verdict, ...]
    actions: tuple[Action, ...] = ()
    will_not_help: tuple[tuple[str, str], ...] = ()
    loss: str = ""
    training: float = np.nan
    validation: float = np.nan
    reference: float = np.nan
    baseline: float = np.nan
    target_loss: float | None = None
    evidence: Any = field(default=None, repr=False, compare=False)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Verdict:
        """The first verdict."""
        return self.verdicts[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all verdicts, the main fault first."""
        return tuple(verdict.name for verdict in self.verdicts)

    def __str__(self) -> str:
        lines = [str(self.main)]
        lines += [
            f"Also: {also.title} ({also.confidence:.2f})." for also in self.verdicts[1:]
        ]
        if self.actions:
            lines.append("Try:")
            some = self.actions[:SHOWN]
            lines += [f"  {i}. {action}" for i, action in enumerate(some, 1)]
        if self.will_not_help:
            lines.append("Will not help:")
            lines += [f"  - {action} ({why})" for action, why in self.will_not_help]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        evidence = ((v, "; ".join(v.evidence)) for v in self.verdicts)
        rows = [(v.title, f"{v.confidence:.2f}", text) for v, text in evidence]
        tables = [html_table("Diagnosis", rows)]
        if self.actions:
            some = [(f"{i}", f"{a}") for i, a in enumerate(self.actions[:SHOWN], 1)]
            tables.append(html_table("Try", some))
        if self.will_not_help:
            tables.append(html_table("Will not help", self.will_not_help))
        return "".join(tables)

    def to_findings(self) -> dict[str, Any]:
        """Return plain values, as the page of a report takes them."""
        return {
            "verdicts": [
                {
                    "name": verdict.name,
                    "title": verdict.title,
                    "confidence": round(float(verdict.confidence), 4),
                    "evidence": list(verdict.evidence),
                }
                for verdict in self.verdicts
            ],
            "actions": [action.to_findings() for action in self.actions],
            "will_not_help": [
                {"action": action, "why": why} for action, why in self.will_not_help
            ],
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses of the model, of others and of a constant; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        named: Sequence[tuple[str, float]] = (
            ("training", self.training),
            ("out of fold", self.validation),
            ("best of others", self.reference),
            ("constant", self.baseline),
        )
        there = [(name, value) for name, value in named if np.isfinite(value)]
        ax.barh([name for name, _ in there], [value for _, value in there])
        ax.invert_yaxis()
        if self.target_loss is not None:
            ax.axvline(self.target_loss, linestyle=":", color="grey", label="asked for")
            ax.legend()
        ax.set(xlabel=self.loss or "mean loss", title=self.main.title)
        return ax


def plain(value: Any) -> float | None:
    """Return a number as JSON takes it, None for none."""
    return float(value) if value is not None and np.isfinite(value) else None
