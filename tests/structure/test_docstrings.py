"""Every method's file opens with its theory; every parameter is documented."""

import importlib
import inspect
import re

import course
import pytest

from corollary import catalogue
from corollary.core.roles import Projecting
from corollary.registry import ESTIMATORS

THEORIES = {theory.module for theory in catalogue.theories()}
MODULES = sorted(THEORIES & {entry.module for entry in catalogue.entries()})
METHODS = [m for m in MODULES if m.split(".")[1] not in ("objectives", "solvers")]


def estimator(name):
    return getattr(importlib.import_module(ESTIMATORS[name]), name)


def section(text, title):
    """Return the lines of a section of a numpydoc docstring."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, re.S | re.M)
    return found.group(1).splitlines() if found else []


def documented(lines):
    """Return the names that a Parameters section describes, in order."""
    heads = [line for line in lines if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(" : ")[0].split(",")]


@pytest.mark.parametrize("module", METHODS)
def test_a_methods_file_opens_with_its_theory(module):
    text = inspect.getdoc(importlib.import_module(module))
    assert text.splitlines()[0].endswith(".")
    assert "\nAlso known as: " in text
    assert "\nCourse: S" in text


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimators_theory_has_equations_notation_and_references(name):
    text = inspect.getdoc(importlib.import_module(ESTIMATORS[name]))
    assert re.search(r"\(1\)$", text, re.M)
    assert "\nNotation: " in text
    assert re.search(r"\bReferences?: ", text)


@pytest.mark.parametrize("theory", catalogue.theories(), ids=lambda t: t.module)
def test_course_lines_name_course_items(theory):
    assert theory.course
    assert set(theory.course) <= set(course.items())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_documented_parameters_are_those_of_the_signature(name):
    cls = estimator(name)
    lines = section(inspect.getdoc(cls), "Parameters")
    signature = list(inspect.signature(cls.__init__).parameters)[1:]
    assert documented(lines) == signature
    assert sorted(cls.rules) == sorted(signature)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_documents_attributes_and_an_example(name):
    text = inspect.getdoc(estimator(name))
    attributes = documented(section(text, "Attributes"))
    assert "report_" in attributes
    assert all(attribute.endswith("_") for attribute in attributes)
    assert any(">>> " in line for line in section(text, "Examples"))


def test_estimators_have_at_most_two_bases():  # and what they do beside
    for name in ESTIMATORS:
        bases = [b for b in estimator(name).__bases__ if b is not Projecting]
        assert len(bases) <= 2, name
