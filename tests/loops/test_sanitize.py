"""A part of `make sanitize`, small enough for `make test-slow`."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "sanitize.sh"
NO_LIBASAN = 77
PARTS = (
    "tests/loops",
    "tests/common/test_odd_arrays.py",
    "tests/common/test_sparse_faults.py",
    "tests/common/test_model_file_fuzz.py",
    "tests/common/test_extreme_scales.py",
    "tests/common/test_interrupts.py",
    "tests/linear/online/test_stochastic_gradient.py",
)


@pytest.mark.slow
def test_no_fault_under_the_sanitizers():
    if shutil.which("sh") is None or shutil.which("c++") is None:
        pytest.skip("sanitize: needs sh and a C++ compiler")
    command = ["sh", str(SCRIPT), sys.executable, "-m", "not slow", *PARTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if done.returncode == NO_LIBASAN:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
