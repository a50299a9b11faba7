"""Error analysis: replace component after component by the truth.

Also known as: cumulative oracle, ideal modules, which component to work on next.

A system of components 1 ... S has the score a_0.  Replace the output of the first by
the truth, then that of the second as well, and so on; a_k is the score with the first k
replaced, and

    gain_k = a_k - a_{k-1},     sum_k gain_k = a_S - a_0                         (1)

is what perfect work on component k would bring after those before it.  The largest gain
says where to work; a component with a small one can at most bring that little.  Gains
depend on the order, which is that of the flow of data.

Where the score is a number for each row, gains are means of differences on the same
rows, with standard error

    sd(differences) / sqrt(n)                                                    (2)

and a gain within two of them may be chance.

Notation: a = scores.
Course: S4-68. Reference: Ng, CS229, advice for applying machine learning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import numbers

__all__ = ["ErrorAnalysis", "error_analysis", "named_components"]

SURE = 2.0  # standard errors


@dataclass(frozen=True, eq=False)
class ErrorAnalysis:
    """Scores with more and more components replaced by the truth, and the gains.

    Attributes
    ----------
    names : tuple of str
        The components, in the order in which they were replaced.
    scores : array of shape (S + 1,)
        Of the system as it is, and with the first 1 ... S components replaced.
    gains : array of shape (S,)
        (1).
    standard_errors : array of shape (S,) or None
        (2), where scores are known row by row.
    """

    names: tuple[str, ...]
    scores: Floats
    gains: Floats
    standard_errors: Floats | None = None

    @property
    def ranking(self) -> tuple[str, ...]:
        """The components from the largest gain to the smallest."""
        order = np.argsort(-self.gains, kind="stable")
        return tuple(self.names[i] for i in order)

    @property
    def sure(self) -> tuple[bool, ...]:
        """Whether each gain is more than chance."""
        if self.standard_errors is None:
            return tuple(bool(gain > 0) for gain in self.gains)
        return tuple(
            bool(gain > SURE * error)
            for gain, error in zip(self.gains, self.standard_errors, strict=True)
        )

    @property
    def table(self) -> tuple[tuple[str, float, float], ...]:
        """For each component its name, the score with it replaced, and the gain."""
        rows = zip(self.names, self.scores[1:], self.gains, strict=True)
        return tuple((name, float(score), float(gain)) for name, score, gain in rows)

    @property
    def advice(self) -> str:
        """Which component to work on, and which can bring little."""
        order = np.argsort(-self.gains, kind="stable")
        worth = [i for i in order if self.sure[i]]
        if not worth:
            return "No component brings more than chance: look elsewhere."
        names = [f"{self.names[i]} (up to {self.gains[i]:.3g})" for i in worth[:2]]
        text = f"Work on {', then '.join(names)}."
        last = int(order[-1])
        if last not in worth[:2]:
            least = max(float(self.gains[last]), 0.0)
            text += f" No more than {least:.3g} can come from {self.names[last]}."
        return text

    def __str__(self) -> str:
        wide = max(map(len, (*self.names, "as it is")))
        lines = [
            f"{'':<{wide}}  score     gain",
            _line("as it is", wide, self.scores[0]),
        ]
        errors = self.standard_errors
        for i, (name, score, gain) in enumerate(self.table):
            doubt = "" if errors is None else f" +- {errors[i]:.2g}"
            lines.append(f"{_line(name, wide, score)}{gain:.4g}{doubt}")
        return "\n".join([*lines, self.advice])

    def plot(self, ax: Any = None) -> Any:
        """Draw the gain of each component.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.names))
        ax.bar(at, self.gains, bottom=self.scores[:-1], yerr=self.standard_errors)
        ax.plot([-0.5, *(at + 0.5)], self.scores, drawstyle="steps-post", color="grey")
        ax.set_xticks(at, self.names)
        low, high = float(self.scores.min()), float(self.scores.max())
        room = 0.1 * (high - low) or 1.0
        ax.set_ylim(low - room, high + room)
        ax.set(ylabel="score", title=self.advice)
        return ax


def error_analysis(
    components: Sequence[str],
    score: Callable[[tuple[str, ...]], Any] | Sequence[float],
) -> ErrorAnalysis:
    """Score a system with more and more of its components replaced by the truth (1).

    Parameters
    ----------
    components : sequence of str
        In the order in which data flows through them.
    score : function (names replaced) -> float or array of shape (n,), or numbers
        Of the system whose named components give the truth: one number, more is
        better, or one for each row.  Or the S + 1 scores themselves, where they were
        measured by hand.

    Returns
    -------
    ErrorAnalysis

    Examples
    --------
    >>> from corollary.diagnostics import error_analysis
    >>> found = error_analysis("ABCD", [80, 81, 86, 96, 100])
    >>> found.gains.tolist()
    [1.0, 5.0, 10.0, 4.0]
    >>> found.advice
    'Work on C (up to 10), then B (up to 5). No more than 1 can come from A.'
    """
    who = "error_analysis"
    names = named_components(who, components)
    if callable(score):
        found = [score(names[:k]) for k in range(len(names) + 1)]
    else:
        found = list(score) if np.iterable(score) else [score]
    return analysed(who, names, found)


def analysed(who: str, names: tuple[str, ...], found: list[Any]) -> ErrorAnalysis:
    """Return gains and their errors from the scores of each state of a system."""
    if len(found) != len(names) + 1:
        must = f"score must give {len(names) + 1} scores for {len(names)} components"
        raise DataError(sentence(who, must, f"{len(found)}"))
    rows = [np.atleast_1d(numbers(who, one, "score")) for one in found]
    n = len(rows[0])
    if any(one.shape != (n,) for one in rows):
        must = "score must give one number, or as many for each state of the system"
        raise DataError(sentence(who, must, f"{[one.shape for one in rows]}"[:60]))
    A = np.stack(rows)  # (S + 1, n)
    differences = np.diff(A, axis=0)
    errors = None
    if n > 1:
        errors = differences.std(axis=1, ddof=1) / np.sqrt(n)  # (2)
    return ErrorAnalysis(names, A.mean(axis=1), differences.mean(axis=1), errors)


def named_components(who: str, components: Any) -> tuple[str, ...]:
    """Return names of components, all different."""
    must = "components must be names, at least one, all different"
    if not np.iterable(components):
        raise ParameterError(sentence(who, must, shown(components)))
    names = tuple(components)
    if not names or not all(isinstance(one, str) for one in names):
        raise ParameterError(sentence(who, must, shown(components)))
    if len(set(names)) < len(names):
        raise ParameterError(sentence(who, must, shown(list(names))))
    return names


def _line(name: str, wide: int, score: float) -> str:
    return f"{name:<{wide}}  {score:<9.4g} "
