"""Predictions of kernel machines are the same to the bit for any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import corollary
from corollary import config_context

MACHINES = {
    "HardMarginSVC": "two",
    "KernelFisherDiscriminant": "two",
    "KernelNearestCentroid": "two",
    "KernelPerceptron": "two",
    "KernelQuantileRegressor": "number",
    "KernelRidge": "number",
    "NuSVC": "two",
    "NuSVR": "number",
    "OneClassSVM": "none",
    "RepresenterClassifier": "two",
    "RepresenterRegressor": "number",
    "SVC": "two",
    "SVDD": "none",
    "SVR": "number",
    "SquaredEpsilonSVR": "number",
    "SquaredHingeSVC": "two",
}


def function(A, B):
    return np.exp(-np.abs(A[:, None] - B).sum(axis=2) / 10)  # without BLAS


def rows(n, seed):
    return np.random.default_rng(seed).normal(size=(n, 8))


KERNELS = {"linear": "linear", "rbf": "rbf", "function": function}
EACH = [(name, kernel) for name in MACHINES for kernel in KERNELS]
FEW = list(zip(MACHINES, 6 * list(KERNELS), strict=False))  # the kernels in turn


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kernel"), FEW)
def test_threads_do_not_change_a_bit(name, kernel):
    assert_same_bits(name, KERNELS[kernel])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kernel"), EACH)
def test_threads_change_no_bit_of_any_machine_and_kernel(name, kernel):
    assert_same_bits(name, KERNELS[kernel])


def assert_same_bits(name, kernel):
    X, Q = rows(120, 0), rows(700, 1)
    score = X[:, 0] * X[:, 1] + 0.1 * X[:, 2]
    y = {"two": (score > 0).astype(int), "number": score, "none": None}[MACHINES[name]]
    more = {"nu": 0.1} if name == "NuSVC" else {}
    if name in ("HardMarginSVC", "NuSVC"):
        y = (X[:, 0] > 0).astype(int)
    model = getattr(corollary, name)(kernel=kernel, **more).fit(X, y)
    asked = [a for a in ("predict", "decision_function") if hasattr(model, a)]
    kinds = [np.asarray, sp.csr_array] if model.takes_sparse else [np.asarray]
    for make in kinds if isinstance(kernel, str) else kinds[:1]:
        for ask in asked:
            found = []
            for threads in (1, 2, 3):
                with config_context(threads=threads), threadpool_limits(threads):
                    found.append(getattr(model, ask)(make(Q)))
            for other in found[1:]:
                np.testing.assert_array_equal(found[0], other)


@pytest.mark.parametrize("targets", [1, 20])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "precomputed"])
def test_products_of_many_rows_do_not_change_a_bit(kernel, targets):
    X, Q = rows(300, 0), rows(4000, 1)
    A, B = (X @ X.T, Q @ X.T) if kernel == "precomputed" else (X, Q)
    y = rows(300, 2) @ rows(targets, 3).T
    model = corollary.KernelRidge(kernel=kernel).fit(A, y)
    found = []
    for threads in (1, 2, 3):
        with config_context(threads=threads), threadpool_limits(threads):
            found.append(model.predict(B))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
