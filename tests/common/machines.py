"""Rows for kernel machines, and what several of them are held to."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.svm as peers

import corollary


def data(seed: int = 0, n: int = 150, d: int = 3) -> tuple[Any, Any, Any]:
    """Make rows, two classes that a product tells apart, and a noisy wave."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, 1, -1)
    y[:2] = 1, -1
    number = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return X, y, number


def target(name: str, y: Any, number: Any) -> Any:
    """Return what a machine learns."""
    if name == "OneClassSVM":
        return None
    return number if name.endswith("R") else y


def assert_scikit_learns(
    name: str, options: dict[str, Any], sparse: bool, close: float = 2e-6
) -> None:
    """Hold a machine to scikit-learn's answer, solved as finely as it can be."""
    X, y, number = data(5)
    goal = target(name, y, number)
    rows = sp.csr_array(X) if sparse else X
    ours = getattr(corollary, name)(tol=1e-9, **options).fit(rows, goal)
    theirs = getattr(peers, name)(tol=1e-9, **options).fit(X, goal)
    query, _, _ = data(6)
    ask = "predict" if name.endswith("R") else "decision_function"
    a, b = getattr(ours, ask)(query), getattr(theirs, ask)(query)
    np.testing.assert_allclose(a, b, atol=close * np.abs(b).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    if options.get("epsilon") != 0.0:
        np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.report_.optimality.value < 1e-5


def assert_a_weight_is_a_repetition(name: str, seed: int) -> None:
    """Hold a machine to weight w = the row w times, and 0 = the row removed."""
    X, y, number = data(seed, 40)
    times = np.random.default_rng(seed).integers(0, 4, size=40)
    goal = target(name, y, number)
    make = getattr(corollary, name)
    weighted = make(tol=1e-9).fit(X, goal, times)
    again = None if goal is None else goal.repeat(times)
    twice = make(tol=1e-9).fit(X.repeat(times, 0), again)
    ask = "decision_function" if goal is None else "predict"
    a, b = getattr(weighted, ask)(X), getattr(twice, ask)(X)
    np.testing.assert_allclose(a, b, atol=1e-6)
