"""Whole numbers forged in a model file cost neither time nor memory.

Every whole number of every estimator's file, a parameter or learned, is set to numbers
that no machine could serve: the file is refused, or the model answers or declines.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import corollary
from common.mutations import parts_of, places, sealed
from common.test_model_file_fuzz import SECONDS, answer, good_files
from corollary.core.errors import ModelFileError

ROOM = 200 * 2**20  # bytes


def number_places(tree: Any, parts: list[str]) -> list[tuple[Any, Any, Any]]:
    """List (container, key, name) of the whole numbers, and of what may be one."""
    found = []
    for part in parts:
        for node, key in places(tree[part]):
            named = isinstance(node, list) and key == 1 and isinstance(node[0], str)
            old = node[key]
            if type(old) is int or (old is None and named and part == "parameters"):
                found.append((node, key, f"{part} {node[0] if named else key}"))
    return found


def run_numbers(numbers: list[int], parts: list[str]) -> int:
    """Forge one number at a time in this process; raise where one does harm."""
    import resource
    import signal
    import tempfile

    warnings.simplefilter("ignore")
    path, seen = Path(tempfile.mkdtemp()) / "model", set()

    def late(*_: object) -> None:
        raise TimeoutError(f"{what}: no end in time")

    signal.signal(signal.SIGALRM, late)
    for name, content, X in good_files():
        tree, arrays = parts_of(content)
        for node, key, place in number_places(tree, parts):
            if (name.split("-")[0], place) in seen:
                continue
            seen.add((name.split("-")[0], place))
            old = node[key]
            for number in numbers:
                node[key] = number
                path.write_bytes(sealed(tree, arrays))
                what = f"{name}: {place} = {number}"
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                signal.alarm(SECONDS)
                try:
                    answer(corollary.load(path), X, what)
                except ModelFileError:
                    pass
                signal.alarm(0)
                grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
                assert 1024 * grown < ROOM, f"{what}: {grown} KiB"
            node[key] = old
    return len(seen)


def in_a_process(numbers: list[int], parts: list[str]) -> int:
    """Run in a process of its own, whose memory is its own."""
    code = (
        f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n"
        "from common.test_model_file_numbers import run_numbers\n"
        f"print(run_numbers({numbers!r}, {parts!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return int(json.loads(done.stdout.splitlines()[-1]))


def test_a_number_too_large_does_no_harm():
    assert in_a_process([10**12], ["parameters"]) > 100


@pytest.mark.slow
def test_numbers_of_all_sizes_do_no_harm():
    numbers = [-1, 0, 1, 1000, 10**6, 2**31 - 1, 10**12, 2**63 - 1, 2**64 - 1]
    assert in_a_process(numbers, ["parameters", "learned"]) > 500
