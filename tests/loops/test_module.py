"""The choice of module, the thread team and fork()."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from corollary import loops
from corollary.loops import baseline


def run(code, **env):
    """Run code in a fresh Python and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_the_environment_forces_a_module():
    code = "from corollary import loops; print(loops.target)"
    assert run(code, COROLLARY_LOOPS="baseline") == "baseline"
    assert run(code, COROLLARY_LOOPS="") == baseline.widest()


def test_all_modules_have_the_same_loops():
    assert set(loops.__all__) == {n for n in dir(baseline) if n[0] != "_"} - {"widest"}


def nearest(X, mu, threads):
    labels, d2 = np.empty(len(X), np.int32), np.empty(len(X), X.dtype)
    loops.nearest(X, mu, labels, d2, threads)
    return labels.tobytes(), d2.tobytes()


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(20_000, 10))
    return X, X[:30].copy()


def test_python_threads_may_share_the_team(problem):
    wanted = nearest(*problem, 1)
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda t: nearest(*problem, t), [1, 2, 3, 4] * 10))
    assert all(g == wanted for g in got)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_a_team_of_its_own(problem):
    wanted = nearest(*problem, 2)  # the parent's team is at work now
    child = os.fork()
    if child == 0:
        os._exit(0 if nearest(*problem, 2) == wanted else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert nearest(*problem, 2) == wanted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_while_the_team_works(problem):
    wanted = nearest(*problem, 2)
    with ThreadPoolExecutor(1) as pool:
        for _ in range(20):
            busy = pool.submit(nearest, *problem, 2)
            child = os.fork()
            if child == 0:
                os._exit(0 if nearest(*problem, 2) == wanted else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert busy.result() == wanted


def test_the_process_ends_with_helpers_asleep():
    code = """
import numpy as np
from corollary import loops
X = np.random.default_rng(0).normal(size=(20000, 5))
loops.nearest(X, X[:9].copy(), np.empty(20000, np.int32), np.empty(20000), 4)
print("done")
"""
    assert run(code) == "done"


def test_a_wrong_dtype_is_refused_not_converted():
    X = np.zeros((4, 2))
    with pytest.raises(TypeError):
        loops.nearest(X, X.astype(np.float32), np.empty(4, np.int32), np.empty(4), 1)
    with pytest.raises(TypeError):
        loops.nearest(X, X, np.empty(4, np.int64), np.empty(4), 1)
    with pytest.raises(TypeError):
        loops.nearest(X.T, X, np.empty(2, np.int32), np.empty(2), 1)
