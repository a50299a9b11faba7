"""Writing the page of a run to a file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from corollary.persistence.whole_files import write_whole
from corollary.report.render import render

__all__ = ["write_report"]


def write_report(findings: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page of a run; a file that is there is replaced when the page is done.

    Parameters
    ----------
    findings : dict
        What a run found, as in its report.json.
    path : str or path
        The HTML file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from corollary.report import write_report
    >>> folder = tempfile.TemporaryDirectory()
    >>> page = pathlib.Path(folder.name) / "report.html"
    >>> write_report({"verdict": {"headline": "Enough rows"}}, page)
    >>> page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    >>> folder.cleanup()
    """
    write_whole(path, [render(findings).encode("utf-8")])
