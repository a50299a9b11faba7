"""The shape of the classes: shallow chains, no overriding but of hooks, one driver."""

import ast
import inspect
from pathlib import Path

import pytest

import corollary
from corollary.core.hooks import is_hook
from corollary.registry import ESTIMATORS

SOURCE = Path(corollary.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
FINAL_SAY = ("__init__", "__sklearn_tags__")  # what scikit-learn asks of each class
MOST = 3  # classes of our own above an estimator, one above the other
DRIVER = "engine/fit.py"
FITS = {  # the kinds of learners, and those that delegate
    "engine/choosing_learner.py",
    "engine/contract.py",
    "engine/meta.py",
    "engine/reduced_rows_learner.py",
    "engine/rows_learner.py",
    "engine/sequential_learner.py",
    "engine/unweighted_rows_learner.py",
    "engine/validated_learner.py",
}
COMPOSED = {  # a model with its schema, a vectoriser of scikit-learn's
    "workbench/table_model.py",
    "workbench/log_target.py",
    "workbench/relevance.py",
    "workbench/words.py",
}
STATISTICAL = {"distributions/distribution.py"}  # `fit` of a family is no estimator's


def ours(cls):
    return cls.__module__.startswith("corollary.")


def chain(cls):
    """Return the length of the longest chain of our classes above a class."""
    above = [1 + chain(base) for base in cls.__bases__ if ours(base)]
    return max(above, default=0)


def classes():
    return {name: getattr(corollary, name) for name in ESTIMATORS}


def overridden(cls):
    """Return the concrete methods that a class of the chain takes from another."""
    found = set()
    for owner in (one for one in cls.__mro__ if ours(one)):
        above = [one for base in owner.__bases__ for one in base.__mro__ if ours(one)]
        for name, value in vars(owner).items():
            if not inspect.isfunction(value) or name in FINAL_SAY:
                continue
            if value.__qualname__ != f"{owner.__name__}.{name}":
                continue  # another's method, made to take sources
            before = [vars(one)[name] for one in above if name in vars(one)]
            if any(is_hook(method) for method in before):
                continue
            if any(is_concrete(method) for method in before):
                found.add(f"{owner.__name__}.{name}")
    return found


def is_concrete(method):
    own = inspect.isfunction(method) and method.__module__.startswith("corollary.")
    return own and not getattr(method, "__isabstractmethod__", False)


def calls(name):
    """Return the modules that call a function of ours by its name."""
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                found.add(file.relative_to(SOURCE).as_posix())
    return found


def test_no_estimator_stands_under_a_long_chain():
    deep = {name for name, cls in classes().items() if chain(cls) > MOST}
    assert deep == set()


def test_no_concrete_method_is_overridden_but_the_hooks():
    found = set().union(*(overridden(cls) for cls in classes().values()))
    assert found == set()


def test_no_public_class_is_under_another():
    public = set(classes().values())
    under = {name for name, cls in classes().items() if public & set(cls.__mro__[1:])}
    assert under == set()


def test_no_estimator_borrows_the_constructor_of_another_and_all_are_explicit():
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    borrowed, vague = set(), set()
    for name, cls in classes().items():
        owner = cls.__init__.__qualname__.split(".")[0]
        if owner not in {one.__name__ for one in cls.__mro__}:
            borrowed.add(name)
        parameters = inspect.signature(cls.__init__).parameters.values()
        if any(parameter.kind in kinds for parameter in parameters):
            vague.add(name)
    assert (borrowed, vague) == (set(), set())


def test_only_the_driver_builds_reports():
    assert calls("Report") - {DRIVER} == set()


@pytest.mark.parametrize(
    "name", ["as_before", "conclude", "check_learned", "warn_if_short"]
)
def test_only_the_driver_begins_and_ends_a_fit(name):
    assert calls(name) - {DRIVER} == set()


def test_no_fit_is_defined_outside_the_engine():
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                own = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
                if "fit" in own:
                    found.add(file.relative_to(SOURCE).as_posix())
    assert found - FITS - COMPOSED - STATISTICAL == set()
