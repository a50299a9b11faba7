"""How the documentation is built: offline, from the sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from corollary import __version__, catalogue
from corollary.registry import ESTIMATORS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import pages  # noqa: E402

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
html_sidebars = {"index": [], "benchmarks": [], "small_data": [], "changes": []}


def theory() -> dict[str, str]:
    """Return the docstring of each estimator's module by the name users import."""
    texts = {found.module: found.text for found in catalogue.modules()}
    return {f"corollary.{name}": texts[where] for name, where in ESTIMATORS.items()}


autosummary_context = {"theory": theory()}
(HERE / "methods.md").write_text(pages.methods(), encoding="utf-8")
(HERE / "reference.rst").write_text(pages.reference(), encoding="utf-8")


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
