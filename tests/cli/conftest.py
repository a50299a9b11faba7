import subprocess
import sys

import pytest
from typer.testing import CliRunner

from corollary.cli import app


@pytest.fixture
def corollary():
    """Run the command line in this process."""

    def run(*words):
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def process():
    """Run the command line in a process of its own."""

    def run(*words, cwd=None):
        command = [sys.executable, "-W", "error", "-m", "corollary", *map(str, words)]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False
        )

    return run


@pytest.fixture
def one_sentence():
    """Hold a failed process to the contract for bad input."""

    def check(result, *parts):
        assert result.returncode == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("corollary: ")
        assert result.stderr.endswith((".\n", "?\n"))
        for part in parts:
            assert part in result.stderr

    return check
