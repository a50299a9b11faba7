"""What all kernel machines share: the solver's bound, its steps, and its memory."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import data
from sklearn.metrics.pairwise import rbf_kernel

from corollary import SVC


@pytest.mark.course("S4-51", "S1-49", "S3-69")
def test_pairs_keep_the_constraint_and_never_raise_the_dual():
    X, y, _ = data(4)
    values = []
    for steps in (1, 3, 10, 30, 100, -1):
        model = SVC(C=5.0, max_iter=steps, tol=1e-8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        assert beta.sum() == pytest.approx(0, abs=1e-12)
        assert (y * beta >= 0).all()
        assert (y * beta <= 5).all()
        K = rbf_kernel(X, gamma=model.gamma_)
        values.append((y * beta).sum() - 0.5 * beta @ K @ beta)
    assert (np.diff(values) >= -1e-12).all()
    small = SVC(C=5.0, tol=1e-8, cache_size=1e-3).fit(X, y)
    np.testing.assert_allclose(
        small.decision_function(X), model.decision_function(X), atol=1e-6
    )


@pytest.mark.course("S0-26", "S4-51", "S1-49")
@pytest.mark.parametrize("part", range(10))
def test_the_gap_is_never_below_the_truth(part):
    """Fifty problems a part, against an interior-point solver."""
    import clarabel

    settings_ = clarabel.DefaultSettings()
    settings_.verbose = False
    settings_.tol_gap_abs = settings_.tol_gap_rel = settings_.tol_feas = 1e-10
    for seed in range(50 * part, 50 * part + 50):
        rng = np.random.default_rng(seed)
        X, y, _ = data(seed, 30)
        C, tol = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-4, 0)
        model = SVC(C=C, tol=tol).fit(X, y)
        K = rbf_kernel(X, gamma=model.gamma_)
        Q = sp.csc_matrix(np.triu(y[:, None] * y * K))
        A = sp.csc_matrix(np.vstack([y[None], -np.eye(30), np.eye(30)]))
        b = np.concatenate([[0.0], np.zeros(30), np.full(30, C)])
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(60)]
        best = clarabel.DefaultSolver(Q, -np.ones(30), A, b, cones, settings_).solve()
        beta = np.zeros(30)
        beta[model.support_] = model.dual_coef_[0]
        found = np.abs(beta).sum() - 0.5 * beta @ K @ beta
        missing = -best.obj_val - found
        assert missing <= model.report_.optimality.value + 1e-7 * abs(best.obj_val)
        assert missing >= -1e-7 * abs(best.obj_val)


PEAK = """
import resource, sys
import numpy as np
from corollary import SVC
rng = np.random.default_rng(0)
n, cache = int(sys.argv[1]), float(sys.argv[2])
z = rng.integers(0, 10, n)
X = 0.9 * rng.standard_normal((10, 20))[z] + rng.standard_normal((n, 20))
SVC(max_iter=1).fit(X[:2000], z[:2000] % 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
SVC(C=1.0, gamma=0.05, cache_size=cache).fit(X, z % 2)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) / 1024, after / 1024)
"""


def peak(n, cache):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PEAK, str(n), str(cache)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]


@pytest.mark.slow
@pytest.mark.course("S1-49", "S3-69")
def test_memory_stays_within_the_cache_and_the_data():
    rows = 20_000 * 20 * 8 / 2**20
    used, _ = peak(20_000, 100)
    assert used <= 1.2 * 100 + rows


@pytest.mark.slow
@pytest.mark.course("S3-69")
def test_a_hundred_thousand_rows_fit_in_two_gigabytes():
    _, whole = peak(100_000, 500)
    assert whole < 2048
