"""The guides are true: their examples run, and what they include exists."""

import doctest
import re
from pathlib import Path

import pages
import pytest

from corollary import registry
from corollary.registry import ESTIMATORS

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted(DOCS.glob("*.rst"))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda g: g.stem)
def test_examples_run(guide):
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.failed == 0


def test_the_guides_have_examples():
    counts = {g.stem: g.read_text(encoding="utf-8").count("\n>>> ") for g in GUIDES}
    assert (
        min(counts[name] for name in ("engine", "reports", "from_scikit_learn")) >= 10
    )


def test_every_estimator_has_a_page():
    listed = pages.reference().split()
    assert set(listed) >= set(ESTIMATORS)


def test_every_public_function_has_a_page():
    listed = pages.reference().split()
    for package in registry.packages():
        for name in registry.public_names(package):
            assert name in listed or f"~{package.partition('.')[2]}.{name}" in listed


def test_pages_load_nothing_from_the_network():
    for file in (*GUIDES, *DOCS.glob("*.md"), *DOCS.rglob("_templates/**/*.rst")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<(script|link|img)\b", text), file.name
        assert not re.search(r"(image|figure|raw)::", text), file.name
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "mathjax" not in conf
    assert "://" not in conf


def test_the_readme_lists_every_estimator():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert pages.with_list(text) == text, "run: python tools/pages.py README.md"


def test_the_readme_runs_as_written(tmp_path, monkeypatch, capsys):
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.S)
    [shown] = re.findall(r"```text\n(.*?)```", text, re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    same = [i for i, line in enumerate(shown.splitlines()) if " s" not in line]
    words = [line.split()[:3] for line in printed]
    assert [words[i] for i in same] == [shown.splitlines()[i].split()[:3] for i in same]
