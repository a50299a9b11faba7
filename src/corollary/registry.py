"""The registry: every public name and the module that defines it.

The stubs ``__init__.pyi`` of the library and of its packages are the only list.  Lazy
imports, the classes that a model file may name, the index of methods and the pages of
the reference are all read from them, so that a new method is its file, its test and one
line in a stub.  A file may also name what runs of the workbench make (`OF_RUNS`).

>>> from corollary.registry import ESTIMATORS
>>> ESTIMATORS["KMeans"]
'corollary.clustering.k_means'
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

__all__ = ["ESTIMATORS", "OPEN_MODULES", "SAVED", "home", "packages", "public_names"]

ROOT = Path(__file__).parent
NO_METHODS = ("core", "persistence")  # whose names at the top are no estimators
#: What is made of estimators that users give, and is no method by itself.
COMPOSITIONS = ("ColumnTransformer",)
#: What runs of the workbench make and save, and nobody makes by hand.
OF_RUNS = {
    "LogTarget": "corollary.workbench.log_target",
    "RelevanceScaler": "corollary.workbench.relevance",
    "TableClassifier": "corollary.workbench.table_model",
    "TableRegressor": "corollary.workbench.table_model",
    "Words": "corollary.workbench.words",
}
#: Modules that are packages of one file: their `__all__` is public.
OPEN_MODULES = ("corollary.information", "corollary.projections")


@cache
def public_names(package: str = "corollary") -> dict[str, str]:
    """Return the module of each name that a package exports.

    >>> public_names("corollary.clustering")["KMeans"]
    'corollary.clustering.k_means'
    """
    stub = ROOT.joinpath(*package.split(".")[1:], "__init__.pyi")
    nodes = ast.parse(stub.read_text(encoding="utf-8")).body
    return {
        alias.name: f"{package}.{node.module}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    }


@cache
def packages() -> tuple[str, ...]:
    """Return the packages that export names, by name."""
    stubs = sorted(ROOT.glob("*/__init__.pyi"))
    found = (f"corollary.{stub.parent.name}" for stub in stubs)
    return tuple(package for package in found if public_names(package))


@cache
def homes() -> dict[tuple[str, str], str]:
    """Return where users import a name from, by the module that defines it."""
    found: dict[tuple[str, str], str] = {}
    for package in ("corollary", *packages()):
        for name, module in public_names(package).items():
            found.setdefault((module, name), package)
    return found


def home(module: str, name: str) -> str:
    """Return where users import a name from: the library, a package, or its module.

    >>> home("corollary.clustering.k_means", "KMeans")
    'corollary'
    """
    return homes().get((module, name), module)


METHODS = {
    name: module
    for name, module in public_names().items()
    if module.split(".")[1] not in NO_METHODS and name[0].isupper()  # no function
}
#: The classes that a model file may name, and where they live.
SAVED = METHODS | OF_RUNS
#: Where each estimator lives.
ESTIMATORS = {n: module for n, module in METHODS.items() if n not in COMPOSITIONS}
