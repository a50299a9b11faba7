"""Public functions take what users have, and return values with names."""

import importlib
import inspect
import re

import pytest

from corollary.registry import packages, public_names

FUNCTIONS = sorted(
    {
        (package, name)
        for package in packages()
        for name in public_names(package)
        if inspect.isfunction(getattr(importlib.import_module(package), name))
    }
)
CLASSES = {
    getattr(importlib.import_module(package), name)
    for package in ("corollary", *packages())
    for name in public_names(package)
    if inspect.isclass(getattr(importlib.import_module(package), name))
}
ARRAYS = {"Floats", "Vector", "Matrix", "np.ndarray"}
#: Functions that return no answer of their own: models, by gamma and C; settings.
NO_ANSWERS = {
    "corollary.svm.svc_path",
    "corollary.engine.use",
    "corollary.preparation.make_column_selector",
    "corollary.preparation.make_column_transformer",
}


def function(package, name):
    return getattr(importlib.import_module(package), name)


def ours_in(annotation, module):
    """Return the classes of ours that an annotation names."""
    named = (getattr(module, word, None) for word in re.findall(r"\w+", annotation))
    return {
        one
        for one in named
        if inspect.isclass(one) and one.__module__.startswith("corollary.")
    }


@pytest.mark.parametrize(("package", "name"), FUNCTIONS)
def test_no_argument_is_an_inner_record(package, name):
    made = function(package, name)
    module = importlib.import_module(made.__module__)
    for argument, annotation in made.__annotations__.items():
        if argument != "return":
            assert ours_in(annotation, module) <= CLASSES, f"{name}({argument})"
            assert annotation not in ARRAYS, f"{name}({argument}) should take lists too"
    assert "who" not in inspect.signature(made).parameters


@pytest.mark.parametrize(("package", "name"), FUNCTIONS)
def test_answers_have_named_fields_and_print(package, name):
    made = function(package, name)
    annotation = made.__annotations__["return"]
    assert not re.search(r"\b(tuple|dict)\[", annotation), annotation
    if f"{package}.{name}" in NO_ANSWERS:
        return
    module = importlib.import_module(made.__module__)
    for one in ours_in(annotation, module):
        assert any("__str__" in vars(base) for base in one.__mro__[:-1]), one
        frozen = getattr(one, "__dataclass_params__", None)
        assert issubclass(one, tuple) or (frozen is not None and frozen.frozen), one
