"""Pages of the documentation that are made from the registry and the index.

    reference   every public name, package by package
    methods     every method under every name it is known by
    list        the README's list of estimators, chapter by chapter

`docs/conf.py` writes the first two before each build; from the root of the repository

    python tools/pages.py README.md

writes the list into the README.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from corollary import catalogue, registry

__all__ = ["methods", "reference", "with_list"]

LAST = ("engine", "datasets", "plots", "applications")  # after the methods


def reference() -> str:
    """Write the page of every public name."""
    blocks = [_titled("Reference", "=")]
    for package in _packages():
        names = registry.public_names(package)
        shown = [_shown(package, name, module) for name, module in names.items()]
        blocks.append(_section(_title(package), sorted(shown, key=_estimators_first)))
    for module in registry.OPEN_MODULES:
        public = [e.name for e in catalogue.entries() if e.module == module]
        shown = [f"~{module.partition('.')[2]}.{name}" for name in public]
        blocks.append(_section(_title(module), shown))
    listed = {n for package in _packages() for n in registry.public_names(package)}
    ground = [name for name in registry.public_names() if name not in listed]
    blocks.append(_section("Reports, errors, configuration, files", ground))
    blocks.append(_section("Index of methods", ["catalogue.find", "catalogue.Entry"]))
    return "\n".join(blocks)


def _packages() -> Iterator[str]:
    late = [f"corollary.{name}" for name in LAST]
    yield from (package for package in registry.packages() if package not in late)
    yield from (package for package in late if package in registry.packages())


def _shown(package: str, name: str, module: str) -> str:
    if registry.public_names().get(name) == module:
        return name
    return f"~{package.partition('.')[2]}.{name}"


def _estimators_first(shown: str) -> tuple[bool, str]:
    return shown.startswith("~"), shown.lower()


def _title(module: str) -> str:
    """Return the first line of a docstring."""
    folder = registry.ROOT.joinpath(*module.split(".")[1:])
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or module
    return text.partition("\n")[0].rstrip(".")


def _titled(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}\n"


def _section(title: str, names: list[str]) -> str:
    listed = "\n".join(f"   {name}" for name in names)
    head = ".. currentmodule:: corollary\n\n.. autosummary::\n   :toctree: api\n"
    return f"{_titled(title, '-')}\n{head}\n{listed}\n"


def methods() -> str:
    """Write the index of methods by every name they are known by."""
    rows = sorted(
        {
            (name, entry)
            for entry in catalogue.entries()
            if entry.rank < 2
            for name in (*entry.names, *entry.related)
        },
        key=lambda row: (row[0].lower(), row[1].name),
    )
    lines = [
        "# Methods by name",
        "",
        "Every method under every name it is known by.  On the command line,",
        "`corollary where NAME` looks a name up and forgives case, plurals and typing",
        "errors.",
        "",
        "| known as | here | in | course |",
        "|---|---|---|---|",
    ]
    for name, entry in rows:
        place = registry.home(entry.module, entry.name)
        link = f"{{py:obj}}`{entry.name} <{place}.{entry.name}>`"
        cells = name, link, f"`{entry.module}`", ", ".join(entry.course)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def with_list(text: str) -> str:
    """Write the estimators of each chapter between the marks of a text."""
    lines = ["| | |", "|---|---|"]
    for package in _packages():
        names = registry.public_names(package)
        ours = sorted(n for n, m in names.items() if registry.ESTIMATORS.get(n) == m)
        if ours:
            title, _, _ = _title(package).partition(":")
            lines.append(f"| {title} | {', '.join(f'`{name}`' for name in ours)} |")
    marks = r"(<!-- methods: [^>]*-->\n).*(<!-- end of methods -->)"
    table = "\n".join(lines)
    return re.sub(marks, lambda m: f"{m[1]}{table}\n{m[2]}", text, flags=re.S)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(name)
        text = file.read_text(encoding="utf-8")
        file.write_text(with_list(text), encoding="utf-8")
