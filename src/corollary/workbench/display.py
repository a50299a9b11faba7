"""What a run shows while it goes on: what runs, what is left, the best so far."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from corollary.workbench.blending import Blend
from corollary.workbench.judging import Metric
from corollary.workbench.trials import Trial

__all__ = ["Display", "Quiet", "display"]


class Quiet:
    """Shows nothing."""

    metric: Metric | None = None
    spread: float = 1.0

    def say(self, text: str) -> None:
        """Tell what happens now."""

    def begin(self, name: str, ahead: int) -> None:
        """Tell that a learner begins, and how many may follow."""

    def tick(self, done: int, total: int) -> None:
        """Tell how many folds are done."""

    def end(self, trial: Trial | None, best: Blend | None, why: str) -> None:
        """Tell that a learner has ended."""


class Display(Quiet):
    """Shows a line for each learner and, on a terminal, a bar with the best so far."""

    def __init__(self, console: Any, bar: Any, budget: float) -> None:
        self.console, self.bar, self.budget = console, bar, budget
        self.begun = time.monotonic()
        self.name, self.task, self.best = "", None, ""
        if bar is not None:
            self.task = bar.add_task("reading", total=1, best="", left="")

    def say(self, text: str) -> None:
        """Tell what happens now."""
        if self.bar is not None:
            self.bar.update(self.task, description=text, completed=0, total=1, left="")
        else:
            self._line(text)

    def begin(self, name: str, ahead: int) -> None:
        """Tell that a learner begins, and how many may follow."""
        self.name = name
        if self.bar is not None:
            left = f"{ahead} more to try" if ahead else "further settings"
            self.bar.update(
                self.task, description=name, completed=0, total=1, left=left
            )

    def tick(self, done: int, total: int) -> None:
        """Tell how many folds are done."""
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total)

    def end(self, trial: Trial | None, best: Blend | None, why: str) -> None:
        """Tell that a learner has ended."""
        if best is not None and self.metric is not None:
            self.best = f"best {self.metric.of(best.losses, self.spread):.4g}"
        if trial is None:
            self._line(f"{self.name:<32} not used: {why}")
        elif self.metric is not None:
            score = self.metric.of(trial.losses, self.spread)
            name = f"{self.metric.name} {score:.4g}"
            self._line(f"{self.name:<32} {name:<20} {trial.seconds:>7.2f} s")
        if self.bar is not None:
            self.bar.update(self.task, best=self.best)

    def _line(self, text: str) -> None:
        from rich.text import Text

        self.console.print(Text(f"  {text}"), soft_wrap=True)


@contextlib.contextmanager
def display(budget: float, *, quiet: bool = False) -> Iterator[Quiet]:
    """Show a run on the standard error while the block runs.

    Parameters
    ----------
    budget : float
        Seconds that the run may take.
    quiet : bool, default=False
        Whether to show nothing.
    """
    if quiet:
        yield Quiet()
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Display(console, None, budget)
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<32}"),
        BarColumn(24),
        TimeElapsedColumn(),
        TextColumn(f"of {budget:.0f} s"),
        TextColumn("{task.fields[best]}"),
        TextColumn("{task.fields[left]}", style="dim"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield Display(console, bar, budget)
