"""The course: what Corollary sets out to hold, and the tests that prove it.

`course.json` names every item by an ID (S2-38: course 2, item 38) and says it in one
line.  A test proves items by carrying their IDs::

    @pytest.mark.course("S2-56", "S2-57")
    def test_the_objective_never_rises(): ...

on a function, on a class, or as `pytestmark` for a class or a whole file.  The tests
are read as text and never imported.  From the root of the repository,

    python tools/course.py                     lists what is proved
    python tools/course.py docs/course.md      also writes the page of the course
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corollary import DataError, catalogue
from corollary.core.errors import sentence

__all__ = ["Proof", "courses", "items", "listing", "number", "page", "proofs"]

TABLE = Path(__file__).with_name("course.json")
TESTS = Path("tests")


@dataclass(frozen=True)
class Proof:
    """A test that claims to prove a course item."""

    item: str
    test: str  # tests/linear/test_ridge.py::TestMAP::test_prior
    line: int


@cache
def _table() -> dict[str, dict[str, str]]:
    return dict(json.loads(TABLE.read_text(encoding="utf-8")))


def courses() -> Mapping[str, str]:
    """Return the title of each course by its ID.

    >>> sorted(courses())
    ['S0', 'S1', 'S2', 'S3', 'S4']
    """
    return _table()["courses"]


def items() -> Mapping[str, str]:
    """Return the line of each course item by its ID, in order.

    >>> items()["S1-38"]
    'Shrink a mean of three or more dimensions and beat the plain average.'
    """
    return _table()["items"]


def number(item: str) -> tuple[str, int]:
    """Split an ID into course and number, which sorts as a reader expects.

    >>> sorted(["S2-10", "S2-9"], key=number)
    ['S2-9', 'S2-10']
    """
    course, _, place = item.partition("-")
    return course, int(place) if place.isdigit() else 0


# -- reading the tests -------------------------------------------------------------
def proofs(folder: Path) -> list[Proof]:
    """Find every test below a folder that carries a course ID.

    Parameters
    ----------
    folder : Path
        Where the tests are.

    Returns
    -------
    list of Proof
        In the order of items, then of files and lines.
    """
    if not folder.is_dir():
        raise DataError(sentence("course", f"{folder} must be a folder", "none"))
    found = [proof for file in sorted(folder.rglob("test_*.py")) for proof in _of(file)]
    for proof in found:
        if proof.item not in items():
            must = f"the course IDs in {proof.test} must exist"
            raise DataError(sentence("course", must, repr(proof.item)))
    return sorted(found, key=lambda p: (number(p.item), p.test, p.line))


def _of(file: Path) -> Iterator[Proof]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        must = f"{file} must be a Python file"
        came = f"{type(error).__name__} in line {getattr(error, 'lineno', 1)}"
        raise DataError(sentence("course", must, came)) from None
    yield from _inside(tree.body, file.as_posix(), ())


def _inside(
    body: list[ast.stmt], name: str, inherited: tuple[str, ...]
) -> Iterator[Proof]:
    """Walk one level of a file: its own mark, its tests, its classes."""
    inherited += tuple(_marked(_pytestmark(body)))
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                ids = dict.fromkeys((*inherited, *_marked(node.decorator_list)))
                for item in ids:
                    yield Proof(item, f"{name}::{node.name}", node.lineno)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            own = tuple(_marked(node.decorator_list))
            yield from _inside(node.body, f"{name}::{node.name}", inherited + own)


def _pytestmark(body: list[ast.stmt]) -> list[ast.expr]:
    """Return what is assigned to `pytestmark` on this level."""
    return [
        node.value
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)
    ]


def _marked(expressions: Iterable[ast.expr]) -> Iterator[str]:
    """Yield the strings inside every ``...mark.course(...)``, also inside `marks=`."""
    for expression in expressions:
        for node in ast.walk(expression):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "course"
            ):
                for argument in node.args:
                    if isinstance(argument, ast.Constant):
                        yield str(argument.value)


# -- writing the page --------------------------------------------------------------
def page(found: list[Proof], methods: Mapping[str, list[str]]) -> str:
    """Write the course as a Markdown page.

    Parameters
    ----------
    found : list of Proof
    methods : mapping of ID to list of str
        What implements an item.

    Returns
    -------
    str
    """
    tests: dict[str, list[str]] = {}
    for proof in found:
        tests.setdefault(proof.item, []).append(proof.test)
    lines = [
        "# The course",
        "",
        "What Corollary sets out to hold, item by item.  The code and the tests cite",
        "the items by their IDs.  An item is *proved* when a test that carries its ID",
        "checks numbers or laws through the public interface.",
        "",
        f"**{len(tests)} of {len(items())} items are proved.**",
    ]
    for course, title in courses().items():
        own = [item for item in items() if number(item)[0] == course]
        done = sum(item in tests for item in own)
        head = ["", f"## {course}: {title}", "", f"{done} of {len(own)} proved.", ""]
        lines += [*head, "| item | what | method | proved by |", "|---|---|---|---|"]
        for item in own:
            cells = (
                item,
                items()[item],
                _code(methods.get(item)),
                _code(tests.get(item)),
            )
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _code(names: list[str] | None) -> str:
    return "<br>".join(f"`{name}`" for name in names or [])


def listing(found: list[Proof]) -> str:
    """List the proved items with their tests, then count them course by course."""
    lines = []
    for item in sorted({proof.item for proof in found}, key=number):
        lines.append(f"{item:<7}{items()[item]}")
        lines += [f"       {proof.test}" for proof in found if proof.item == item]
    proved = {proof.item for proof in found}
    for course, title in courses().items():
        own = {item for item in items() if number(item)[0] == course}
        lines.append(f"{course}: {len(proved & own)} of {len(own)} proved, {title}")
    return "\n".join([*lines, f"all: {len(proved)} of {len(items())} proved"])


if __name__ == "__main__":
    marked = proofs(TESTS)
    for file in sys.argv[1:]:
        Path(file).write_text(page(marked, catalogue.claims()), encoding="utf-8")
    print(listing(marked))
