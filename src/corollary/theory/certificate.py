"""The certificate of a model: what error to expect of it on new data, and why.

It gathers the loss on rows that the model has not seen, a bound on its risk that these
rows prove, intervals of other scores, the bounds that the theory of the model offers,
and what was checked of the assumptions.  A number stands nowhere without its
assumptions; a bound that says nothing is called vacuous; where an assumption is
refuted, the certificate says so first.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from corollary.core.html import html_table
from corollary.theory.bound import Bound
from corollary.theory.interval import Interval

__all__ = ["Certificate", "Check"]


@dataclass(frozen=True)
class Check:
    """What was looked at before the bounds were believed.

    Attributes
    ----------
    name : str
    holds : bool or None
        None where it cannot be known.
    words : str
        What was found, a sentence.
    """

    name: str
    holds: bool | None
    words: str


@dataclass(frozen=True)
class Certificate:
    """What error to expect of a model on new data.

    Each bound fails with probability at most its own delta.  To read several at once,
    add their deltas.

    Attributes
    ----------
    model : str
        Class of the model.
    loss : str
        What is counted, in words.
    n : int
        Rows that the model has not seen.
    risk : float
        Its mean loss on them.
    delta : float
        How often each bound may fail.
    bound : Bound or None
        What the unseen rows prove; None where there are none.
    theory : tuple of Bound
        What the theory of the model proves from its training rows.
    intervals : tuple of Interval
        Of other scores, on the unseen rows.
    checks : tuple of Check
        Whether assumptions hold.
    notes : tuple of str
        Why something is not here, and how to get it.
    """

    model: str
    loss: str
    n: int
    risk: float
    delta: float
    bound: Bound | None
    theory: tuple[Bound, ...] = ()
    intervals: tuple[Interval, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def refuted(self) -> tuple[Check, ...]:
        """The assumptions that do not hold."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def holds(self) -> bool:
        """Whether the bound of the unseen rows stands: nothing speaks against it."""
        return self.bound is not None and self.bound.holds and not self.refuted

    @property
    def verdict(self) -> str:
        """The certificate in one sentence."""
        if self.refuted:
            names = ", ".join(check.name for check in self.refuted)
            return f"Assumption refuted: {names}. The bounds below are not proved."
        if self.bound is None:
            return "No unseen rows: what follows is the theory of the model alone."
        sure = f"{1 - self.delta:.6g}"
        words = f"Expect {self.loss} of at most {self.bound.value:.4g}, with confidence"
        ending = "" if self.bound.holds else "; the proof does not cover this use"
        return f"{words} {sure} ({self.risk:.4g} on {self.n:,} unseen rows){ending}."

    # -- forms -----------------------------------------------------------------------
    def __str__(self) -> str:
        lines = [f"{self.model}: {self.verdict}"]
        for title, rows in self._sections():
            lines.append(title)
            wide = max(len(name) for name, *_ in rows)
            for name, *rest in rows:
                lines.append(f"  {name:<{wide}}  " + "  ".join(filter(None, rest)))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = html_table(f"{self.model}: {self.verdict}", [])
        return head + "".join(html_table(*section) for section in self._sections())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        values = asdict(self) | {"verdict": self.verdict, "holds": self.holds}
        for one, bound in zip(values["theory"], self.theory, strict=True):
            one["vacuous"] = bound.vacuous
        if self.bound is not None:
            values["bound"]["vacuous"] = self.bound.vacuous
        return values

    def to_json(self) -> str:
        """Return JSON; numbers that are not finite are null."""
        return json.dumps(finite(self.to_dict()), indent=2, allow_nan=False)

    def _sections(self) -> list[tuple[str, list[Any]]]:
        """Return titles with lines of texts."""
        found: list[tuple[str, list[Any]]] = []
        if self.bound is not None:
            found.append(("by rows it has not seen", bound_lines(self.bound)))
        if self.intervals:
            found.append(("other scores", [("", str(one)) for one in self.intervals]))
        for bound in self.theory:
            found.append(("by the theory of the model", bound_lines(bound)))
        if self.checks:
            words = {True: "holds", False: "REFUTED", None: "not known"}
            rows = [(one.name, words[one.holds], one.words) for one in self.checks]
            found.append(("assumptions", rows))
        if self.notes:
            found.append(("notes", [("", note) for note in self.notes]))
        return found


def bound_lines(bound: Bound) -> list[tuple[str, ...]]:
    """Return a bound and what it rests on, line by line."""
    lines: list[tuple[str, ...]] = [("bound", str(bound))]
    lines += [("assumes", words) for words in bound.assumptions]
    return [*lines, ("see", bound.reference)] if bound.reference else lines


def finite(value: Any) -> Any:
    """Return a tree of plain values, None in place of what JSON cannot say."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    if isinstance(value, float) and value - value != 0:
        return None
    return value
