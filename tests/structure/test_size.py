"""Files and functions stay short; documentation does not count."""

import ast
from pathlib import Path

import pytest

import corollary

SOURCE = Path(corollary.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def docstring_lines(tree):
    """Return the numbers of all lines inside docstrings."""
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False):
            text = node.body[0]
            lines |= set(range(text.lineno, text.end_lineno + 1))
    return lines


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SOURCE)))
def test_files_and_functions_are_short(file):
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    documentation = docstring_lines(tree)
    lines = len(text.splitlines()) - len(documentation)
    assert lines <= LINES_OF_A_FILE, f"{file.name} has {lines} lines of code"
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            own = set(range(node.lineno, node.end_lineno + 1)) - documentation
            assert len(own) <= LINES_OF_A_FUNCTION, (
                f"{node.name} in {file.name} has {len(own)} lines of code"
            )


def test_no_drawer_for_odds_and_ends():
    drawers = {"utils", "util", "misc", "helpers", "common", "tools"}
    assert not [file for file in FILES if file.stem in drawers]
