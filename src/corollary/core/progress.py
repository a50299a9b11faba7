"""A progress line for long fits: the pass, the objective, the time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["progress"]

Show = Callable[[int, float], None]


@contextlib.contextmanager
def progress(name: str, passes: int, verbose: int) -> Iterator[Show]:
    """Show a progress bar with the objective while the block runs.

    Parameters
    ----------
    name : str
        What is being fitted.
    passes : int
        The most passes there can be.
    verbose : int
        0 shows nothing and costs nothing.

    Yields
    ------
    callable
        ``show(pass, objective)``, called after each pass.
    """
    if not verbose:
        yield lambda done, objective: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("pass {task.completed} of at most {task.total}"),
        TextColumn("objective {task.fields[objective]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task(name, total=passes, objective="...")
        yield lambda done, objective: bar.update(
            task, completed=done, objective=f"{objective:.6g}"
        )
