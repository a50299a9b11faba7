"""Configuration: how many threads, how much memory, how much is said.

Three ways, the inner one wins: the defaults, `set_config` for the process, and
`config_context` for a block of code (safe across threads and tasks).
"""

from __future__ import annotations

import contextlib
import numbers
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from corollary.core.errors import ParameterError, sentence

__all__ = ["Config", "config_context", "get_config", "set_config"]


EXECUTORS = ("auto", "serial", "threads")
INTERRUPTS = ("raise", "keep")


@dataclass(frozen=True)
class Config:
    """What holds for every fit, unless a learner or a block of code says otherwise.

    Attributes
    ----------
    threads : int
        Threads of the team; by default every core this process may use.
    memory_limit : int or None
        Bytes that a fit may allocate beyond its data; None means 80% of the memory
        that is free when the fit begins.
    verbose : int
        0 is silent, 1 shows a progress bar with the objective.
    executor : str or object
        ``"auto"``, ``"serial"``, ``"threads"``, or a `dask.distributed.Client`.
    chunk_rows : int or None
        Rows in a chunk of an array; by default about 4 MB of them.
    schedule : engine.PerPass, engine.PerChunk or None
        When the state is updated; by default after each pass.
    interrupt : str
        What follows when Ctrl-C has ended a fit and its best state is published:
        ``"raise"`` raises KeyboardInterrupt again, ``"keep"`` warns and goes on.
    patience : float
        Seconds that a cluster may show no progress before a fit gives it up.
    """

    threads: int
    memory_limit: int | None = None
    verbose: int = 0
    executor: Any = "auto"
    chunk_rows: int | None = None
    schedule: Any = None
    interrupt: str = "raise"
    patience: float = 300.0


def cores() -> int:
    """Count the cores that this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


_process = Config(threads=cores())
_block: ContextVar[Config | None] = ContextVar("corollary_config", default=None)


def get_config() -> Config:
    """Return the configuration in force here.

    >>> from corollary import get_config
    >>> get_config().verbose
    0
    """
    return _block.get() or _process


def set_config(**settings: Any) -> None:
    """Change the configuration of the whole process.

    Parameters
    ----------
    **settings
        Fields of `Config`: threads, memory_limit (bytes, or a text such as
        ``"1.5GB"``), verbose, executor, chunk_rows, schedule, interrupt, patience.
    """
    global _process
    _process = _changed(_process, settings)


@contextlib.contextmanager
def config_context(**settings: Any) -> Iterator[Config]:
    """Change the configuration inside a ``with`` block.

    >>> from corollary import config_context, get_config
    >>> with config_context(threads=1):
    ...     get_config().threads
    1
    """
    token = _block.set(_changed(get_config(), settings))
    try:
        yield get_config()
    finally:
        _block.reset(token)


def _changed(config: Config, settings: dict[str, Any]) -> Config:
    known = sorted(Config.__dataclass_fields__)
    for name in settings:
        if name not in known:
            raise ParameterError(
                sentence("set_config", f"a setting is one of {known}", repr(name))
            )
    if "memory_limit" in settings:
        settings["memory_limit"] = bytes_of(settings["memory_limit"])
    if "threads" in settings and settings["threads"] is None:
        settings["threads"] = cores()
    if "executor" in settings:
        _check_executor(settings["executor"])
    _check_interruption(settings)
    for name, low in (("threads", 1), ("verbose", 0), ("chunk_rows", 1)):
        if name not in settings or (name == "chunk_rows" and settings[name] is None):
            continue
        value = settings[name]
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not whole or value < low:
            must = f"{name} must be a whole number >= {low}"
            raise ParameterError(sentence("set_config", must, repr(value)))
    return replace(config, **settings)


def _check_executor(executor: Any) -> None:
    if isinstance(executor, str | None) and executor not in EXECUTORS:
        must = f"executor must be one of {list(EXECUTORS)} or a Dask Client"
        raise ParameterError(sentence("set_config", must, repr(executor)))


def _check_interruption(settings: dict[str, Any]) -> None:
    how, patience = settings.get("interrupt", "raise"), settings.get("patience", 1.0)
    if how not in INTERRUPTS:
        must = f"interrupt must be one of {list(INTERRUPTS)}"
        raise ParameterError(sentence("set_config", must, repr(how)))
    if isinstance(patience, bool) or not isinstance(patience, numbers.Real):
        patience = -1.0
    if not patience > 0:
        must = "patience must be a number of seconds > 0"
        raise ParameterError(sentence("set_config", must, repr(settings["patience"])))


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def bytes_of(amount: str | float | None) -> int | None:
    """Read an amount of memory.

    >>> bytes_of("1.5GB"), bytes_of("2 MiB"), bytes_of(None)
    (1500000000, 2097152, None)
    """
    if amount is None:
        return None
    parts = re.fullmatch(r"\s*([0-9.eE+]+)\s*([kmgt]?)(i?)b?\s*", str(amount).lower())
    try:
        if parts is None or isinstance(amount, bool):
            raise ValueError
        number, unit, binary = parts.groups()
        size = int(float(number) * (_BINARY if binary else _UNITS)[unit])
        if size <= 0:
            raise ValueError
    except (ValueError, KeyError, OverflowError):
        must = "memory_limit must be a positive number of bytes or a text like '2GB'"
        raise ParameterError(sentence("set_config", must, repr(amount))) from None
    return size
