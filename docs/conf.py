"""How the documentation is built: offline, from the sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corollary import __version__, catalogue
from corollary.registry import ESTIMATORS, home

HERE = Path(__file__).parent

project = "Corollary"
author = "The Corollary developers"
copyright = author
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"
myst_heading_anchors = 3

autosummary_generate = True
autodoc_class_signature = "separated"
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "Corollary"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "benchmarks": [], "changes": []}


def theory() -> dict[str, str]:
    """Return the docstring of each estimator's module by the name users import."""
    texts = {found.module: found.text for found in catalogue.theories()}
    return {f"corollary.{name}": texts[where] for name, where in ESTIMATORS.items()}


def methods_page() -> str:
    """Write the index of methods by every name they are known by."""
    rows = sorted(
        {(name, entry) for entry in catalogue.entries() for name in entry.names},
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
        place = home(entry.module, entry.name)
        link = f"{{py:obj}}`{entry.name} <{place}.{entry.name}>`"
        cells = name, link, f"`{entry.module}`", ", ".join(entry.course)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


autosummary_context = {"theory": theory()}
(HERE / "methods.md").write_text(methods_page(), encoding="utf-8")


def ours_only(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out members that scikit-learn defines; its own pages describe them."""
    home = getattr(obj, "__module__", None) or getattr(
        getattr(obj, "fget", None), "__module__", ""
    )
    if what == "class" and not str(home).startswith("corollary"):
        return True
    return None


def setup(app: Any) -> None:
    """Register the filter."""
    app.connect("autodoc-skip-member", ours_only)
