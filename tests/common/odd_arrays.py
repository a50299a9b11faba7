"""Odd arrays: rows, weights and targets as users really have them, and worse."""

from __future__ import annotations

import inspect
import os
import re
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

import corollary

N, D = 24, 3
FORM = re.compile(r"^\w+: [^\n]+; got [^\n]+$")
OURS = re.compile(r"^(\w+): [^\n]+$")  # scikit-learn's words after our name
OVERFLOW = re.compile("infs or NaNs|not converge|positive definite")  # LAPACK's words
SECONDS = 60.0 if "asan" in os.environ.get("LD_PRELOAD", "") else 10.0

#: Parameters that keep a fit short.
PARAMETERS: dict[str, dict[str, Any]] = {
    "KMeans": {"n_clusters": 2},
    "GeneralizedKMeans": {"n_clusters": 2},
    "NuSVC": {"nu": 0.3},
    "LandmarkFeatures": {"n_landmarks": 3},
    "Nystroem": {"n_components": 3},
    "RBFSampler": {"n_components": 5},
    "PolynomialCountSketch": {"n_components": 5},
    "LogisticRegressionCV": {"Cs": 2, "cv": 2},
    "LassoCV": {"alphas": 5, "cv": 2},
    "ElasticNetCV": {"alphas": 5, "cv": 2},
}


def plain(seed: int = 0, n: int = N, d: int = D) -> Any:
    return np.random.default_rng(seed).normal(size=(n, d))


def in_file() -> Any:
    with tempfile.TemporaryFile() as file:  # the map outlives it
        rows = np.memmap(file, dtype=np.float64, shape=(N, D))
    rows[:] = plain()
    return rows


def read_only() -> Any:
    X = plain()
    X.flags.writeable = False
    return X


class Subclass(np.ndarray):
    """An array of a user's own kind."""


ARRAYS: dict[str, Callable[[], Any]] = {
    "plain": plain,
    "no rows": lambda: np.empty((0, D)),
    "one row": lambda: plain(n=1),
    "two rows": lambda: plain(n=2),
    "one column": lambda: plain(d=1),
    "no columns": lambda: np.empty((N, 0)),
    "many columns": lambda: plain(d=40),
    "the same row": lambda: np.ones((N, D)),
    "few distinct rows": lambda: plain(n=2).repeat(N // 2, axis=0),
    "two rows 150 times": lambda: plain(n=2).repeat(150, axis=0),
    "a constant column": lambda: plain() * [1.0, 0.0, 1.0] + [0.0, 5.0, 0.0],
    "zeros": lambda: np.zeros((N, D)),
    "negative zeros": lambda: -np.zeros((N, D)),
    "every other row": lambda: plain(n=2 * N)[::2],
    "every other column": lambda: plain(d=2 * D)[:, ::2],
    "backwards": lambda: plain()[::-1, ::-1],
    "Fortran order": lambda: np.asfortranarray(plain()),
    "read only": read_only,
    "broadcast": lambda: np.broadcast_to(plain(n=1), (N, D)),
    "float32": lambda: plain().astype(np.float32),
    "float16": lambda: plain().astype(np.float16),
    "longdouble": lambda: plain().astype(np.longdouble),
    "int8": lambda: (10 * plain()).astype(np.int8),
    "uint64": lambda: (10 * np.abs(plain())).astype(np.uint64) + np.uint64(2**63),
    "int64 extremes": lambda: np.where(plain() > 0, 2**63 - 1, -(2**63)),
    "bool": lambda: plain() > 0,
    "object": lambda: plain().astype(object),
    "objects mixed": lambda: np.where(plain() > 0, None, "x").astype(object),
    "complex": lambda: plain() + 1j,
    "text": lambda: plain().astype(str),
    "dates": lambda: (10 * plain()).astype("datetime64[s]"),
    "masked": lambda: np.ma.masked_array(plain(), plain() > 1),
    "memory map": in_file,
    "byte-swapped": lambda: plain().astype(">f8"),
    "three dimensions": lambda: plain().reshape(N, D, 1),
    "one dimension": lambda: plain()[:, 0],
    "a scalar": lambda: 3.0,
    "lists": lambda: plain().tolist(),
    "tuples": lambda: tuple(map(tuple, plain().tolist())),
    "ragged lists": lambda: [[1.0], [1.0, 2.0]] * (N // 2),
    "a subclass": lambda: plain().view(Subclass),
    "a matrix": lambda: sp.csr_matrix(plain()),
    "sparse zeros": lambda: sp.csr_array((N, D)),
    "sparse int64": lambda: sp.coo_array((10 * plain()).astype(np.int64)),
    "counts": lambda: np.rint(np.abs(3 * plain())),
    "huge": lambda: 1e300 * plain(),
    "large": lambda: 1e150 * plain(),
    "tiny": lambda: 1e-300 * plain(),
    "denormal": lambda: 5e-324 * np.rint(10 * plain()),
    "huge and tiny": lambda: plain() * 10.0 ** np.array([300, 0, -300]),
    "huge float32": lambda: (1e38 * plain()).clip(-3e38, 3e38).astype(np.float32),
    "far from 0": lambda: 1e12 + plain(),
    "one outlier": lambda: np.where(np.arange(N)[:, None] == 3, 1e200, plain()),
    "NaN": lambda: np.where(plain() > 1, np.nan, plain()),
    "infinity": lambda: np.where(plain() > 1, np.inf, plain()),
    "None": lambda: None,
    "a text": lambda: "rows",
    "a dict": lambda: {"a": 1},
}

WEIGHTS: dict[str, Callable[[int], Any]] = {
    "none": lambda n: None,
    "ones": np.ones,
    "equal": lambda n: np.full(n, 0.3),
    "whole": lambda n: np.arange(n) % 4 + 1,
    "some 0": lambda n: np.arange(n) % 3 > 0,
    "all 0": np.zeros,
    "one above 0": lambda n: np.arange(n) == 0,
    "one huge": lambda n: np.where(np.arange(n) == 1, 1e300, 1.0),
    "one large": lambda n: np.where(np.arange(n) == 1, 1e5, 1.0),
    "huge": lambda n: np.full(n, 1e300),
    "tiny": lambda n: np.full(n, 1e-300),
    "tiny to huge": lambda n: 10.0 ** np.linspace(-300, 300, n),
    "denormal": lambda n: np.full(n, 5e-324),
    "hundreds": lambda n: np.full(n, 1000.0),
    "float32": lambda n: np.linspace(0.1, 2, n, dtype=np.float32),
    "negative": lambda n: np.full(n, -1.0),
    "NaN": lambda n: np.full(n, np.nan),
    "short": lambda n: np.ones(max(0, n - 1)),
    "a number": lambda n: 2.0,
    "text": lambda n: np.full(n, "x"),
    "backwards": lambda n: np.linspace(1, 2, 2 * n)[::-2],
    "a column": lambda n: np.ones((n, 1)),
    "a list": lambda n: [1.0] * n,
}


def sides(n: int, k: int = 2) -> Any:
    return np.arange(n) % k


def numbers(n: int) -> Any:
    return np.random.default_rng(1).normal(size=n)


TARGETS: dict[str, Callable[[int], Any]] = {
    "two": sides,
    "three": lambda n: sides(n, 3),
    "all different": lambda n: np.arange(n),
    "one class": lambda n: np.zeros(n, int),
    "text": lambda n: np.array(["b", "a"])[sides(n)],
    "objects": lambda n: np.array(["b", "a"], dtype=object)[sides(n)],
    "bytes": lambda n: np.array([b"b", b"a"])[sides(n)],
    "bool": lambda n: sides(n) > 0,
    "negative": lambda n: sides(n) - 5,
    "int8": lambda n: sides(n).astype(np.int8) * 127,
    "large uint64": lambda n: sides(n).astype(np.uint64) + np.uint64(2**64 - 2),
    "int64 extremes": lambda n: np.where(sides(n) > 0, 2**63 - 1, -(2**63)),
    "whole floats": lambda n: sides(n).astype(float) * 1e15,
    "float32": lambda n: numbers(n).astype(np.float32),
    "float16": lambda n: numbers(n).astype(np.float16),
    "numbers": numbers,
    "amounts": lambda n: np.abs(numbers(n)) + 0.1,
    "constant": lambda n: np.full(n, 2.5),
    "zeros": np.zeros,
    "huge": lambda n: 1e300 * numbers(n),
    "large": lambda n: 1e150 * numbers(n),
    "tiny": lambda n: 1e-300 * numbers(n),
    "backwards": lambda n: sides(2 * n)[::-2],
    "byte-swapped": lambda n: numbers(n).astype(">f8"),
    "a column": lambda n: sides(n)[:, None],
    "several columns": lambda n: np.c_[numbers(n), numbers(n) ** 2],
    "a list": lambda n: sides(n).tolist(),
    "mixed": lambda n: np.array([1, "a"] * n, dtype=object)[:n],
    "complex": lambda n: numbers(n) + 1j,
    "NaN": lambda n: np.where(sides(n) > 0, np.nan, 1.0),
    "short": lambda n: sides(max(0, n - 1)),
    "none": lambda n: None,
    "sparse": lambda n: sp.csr_array(sides(n)[None, :] * 1.0).T,
}


@dataclass(frozen=True)
class Odd:
    """One fit on odd arrays."""

    name: str
    array: str
    weight: str
    target: str

    def __str__(self) -> str:
        return f"{self.name}-{self.array}-{self.weight}-{self.target}"

    def told(self, *, finite: bool) -> str | None:
        """Return what went wrong, None where a fit is sound or says why there is none.

        `finite` asks for finite numbers in what was learned and predicted, too, and
        does not excuse LAPACK's words about numbers that overflowed.
        """
        model = getattr(corollary, self.name)(**PARAMETERS.get(self.name, {}))
        X = ARRAYS[self.array]()
        n = X.shape[0] if getattr(X, "ndim", 0) else N
        y, w = TARGETS[self.target](n), WEIGHTS[self.weight](n)
        weighted = "sample_weight" in inspect.signature(model.fit).parameters
        begun = time.process_time()  # the machine may be busy
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, y, sample_weight=w) if weighted and w is not None else (
                    model.fit(X, y)
                )
                found = self._asked(model, X)
            except (ValueError, TypeError) as error:
                told = str(error)
                by = OURS.match(told)
                good = FORM.match(told) or (
                    by and by[1] in corollary.registry.ESTIMATORS
                )
                good = good or (not finite and OVERFLOW.search(told))
                return None if good else f"{type(error).__name__}: {told}"
            except Exception as error:  # any other kind is a fault
                return f"{type(error).__name__}: {error}"
        if (seconds := time.process_time() - begun) > SECONDS:
            return f"took {seconds:.0f} seconds"
        if self.array == "NaN" and get_tags(model).input_tags.allow_nan:
            found.pop("transform", None)  # where a missing value passes through
        return infinite(model, found) if finite else None

    def _asked(self, model: Any, X: Any) -> dict[str, Any]:
        asked = ("predict", "decision_function", "transform", "score_samples")
        return {ask: getattr(model, ask)(X) for ask in asked if hasattr(model, ask)}


def infinite(model: Any, found: dict[str, Any]) -> str | None:
    """Name the first result with NaN or infinity that may not have it."""
    learned = {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and name[0] != "_" and name not in model.may_be_infinite
    }
    for name, value in {**learned, **found}.items():
        values = value.data if sp.issparse(value) else value
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            if not np.isfinite(values).all():
                return f"{name} is not finite"
    return None


def usual_target(name: str) -> str:
    """Return a target that suits an estimator."""
    kind = getattr(getattr(corollary, name), "target", "labels")
    if name.startswith("MultiTask"):
        return "several columns"
    usual = {"labels": "two", "number": "amounts", "numbers": "amounts"}
    usual["either"] = "amounts"
    return usual.get(kind, "none")


def drawn(count: int, seed: int) -> list[Odd]:
    """Draw cases, every estimator equally often; most have one odd array only."""
    rng, cases = np.random.default_rng(seed), []
    names = sorted(corollary.registry.ESTIMATORS)
    for k in range(count):
        name = names[k % len(names)]
        case = {"array": "plain", "weight": "none", "target": usual_target(name)}
        tables = {"array": ARRAYS, "weight": WEIGHTS, "target": TARGETS}
        odd = rng.choice(list(tables), size=rng.integers(1, 4), replace=False)
        for what in odd:
            case[what] = str(rng.choice(list(tables[what])))
        cases.append(Odd(name, **case))
    return cases
