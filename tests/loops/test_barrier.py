"""Threads that wait for each other are woken, whenever they fall asleep."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LOOPS = HERE.parents[1] / "src" / "corollary" / "loops"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.fixture(scope="module")
def stress(tmp_path_factory):
    """Return the program, compiled as the loops are."""
    program = tmp_path_factory.mktemp("barrier") / "stress"
    source = HERE / "barrier_stress.cpp"
    flags = ["-std=c++20", "-O3", "-pthread", f"-I{LOOPS}", "-o", program]
    subprocess.run([COMPILER, *flags, source], check=True)
    return program


def meets(program, rounds, least, spread):
    given = [str(number) for number in (rounds, least, spread)]
    done = subprocess.run([program, *given], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout == "met\n"


@pytest.mark.skipif(not COMPILER, reason="needs a C++ compiler")
def test_two_threads_meet(stress):
    assert meets(stress, 20_000, 0, 100_000)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILER, reason="needs a C++ compiler")
def test_two_threads_meet_a_million_times(stress):
    """Without the fence of the barrier, both slept for good within 200,000 rounds."""
    for least in (20_000, 60_000, 20_000, 60_000, 20_000):
        assert meets(stress, 200_000, least, 100_000)
