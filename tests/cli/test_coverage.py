import os

import pytest

from corollary import course

MARKED = """
import pytest

@pytest.mark.course("S2-56", "S2-57")
def test_one(): ...
"""


@pytest.fixture
def tests(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_marked.py").write_text(MARKED)
    return folder


def test_counts_and_lists(corollary, tests):
    result = corollary("coverage", "--tests", tests)
    assert result.exit_code == 0
    assert course.items()["S2-56"] in result.output
    assert "test_marked.py::test_one" in result.output
    assert "│ all    │ 2      │ 412 │" in result.output


def test_writes_the_page(process, tests):
    result = process(
        "coverage", "--tests", "tests", "--write", "c.md", cwd=tests.parent
    )
    assert result.returncode == 0
    page = (tests.parent / "c.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| S")]
    assert len(rows) == len(course.items())
    assert "| S2-57 | Start k-means" in page
    assert "`tests/test_marked.py::test_one`" in page
    assert "`KMeans`" in page
    assert "**2 of 412 items are proved.**" in page


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (MARKED.replace("S2-57", "S9-1"), "'S9-1'"),
        ("def broken(:\n", "line 1"),
    ],
)
def test_bad_tests_leave_an_old_page_alone(text, part, process, tests, one_sentence):
    (tests / "test_bad.py").write_text(text)
    page = tests.parent / "course.md"
    page.write_text("old")
    one_sentence(
        process("coverage", "--tests", tests, "--write", page), part, "test_bad"
    )
    assert page.read_text() == "old"
    assert sorted(os.listdir(tests.parent)) == ["course.md", "tests"]


def test_a_page_that_cannot_be_written(process, tests, one_sentence):
    missing = tests.parent / "no" / "course.md"
    one_sentence(process("coverage", "--tests", tests, "--write", missing), "no")
