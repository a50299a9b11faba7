"""A progress line for long fits: the pass, the objective, the time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["Show", "progress", "quiet"]

Show = Callable[[int, float], None]


def quiet(count: int, objective: float) -> None:
    """Show nothing."""


@contextlib.contextmanager
def progress(
    name: str, most: int | None, verbose: int, unit: str = "pass"
) -> Iterator[Show]:
    """Show a progress bar with the objective while the block runs.

    Parameters
    ----------
    name : str
        What is being fitted.
    most : int or None
        The most passes there can be, None if nobody knows.
    verbose : int
        0 shows nothing and costs nothing.
    unit : str, default='pass'
        What is counted.

    Yields
    ------
    callable
        ``show(count, objective)``, called after each pass.
    """
    if not verbose:
        yield quiet
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{unit} {{task.completed}}{{task.fields[limit]}}"),
        TextColumn("objective {task.fields[objective]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as bar:
        limit = "" if most is None else f" of at most {most}"
        task = bar.add_task(name, total=most, objective="...", limit=limit)
        yield lambda done, objective: bar.update(
            task, completed=done, objective=f"{objective:.6g}"
        )
