import course
import pytest

from corollary import DataError

COUNTS = {"S0": 66, "S1": 55, "S2": 93, "S3": 115, "S4": 96}


def test_every_item_of_every_course():
    wanted = [f"{c}-{k}" for c, n in COUNTS.items() for k in range(1, n + 1)]
    assert list(course.items()) == wanted
    assert list(course.courses()) == list(COUNTS)


def test_each_item_is_one_short_line():
    for item, line in course.items().items():
        assert 15 <= len(line) <= 100, item
        assert line.endswith("."), item
        assert line[0].isupper(), item
        assert "|" not in line, item


@pytest.fixture
def scan(tmp_path):
    def scan(text, name="test_x.py"):
        (tmp_path / name).write_text(text)
        found = course.proofs(tmp_path)
        return {(p.item, p.test.rpartition(".py::")[2]) for p in found}

    return scan


def test_marks_on_functions(scan):
    text = """
import pytest
from pytest import mark

@pytest.mark.course("S0-1", "S0-2")
@pytest.mark.parametrize("k", [1, 2])
def test_a(k): ...

@mark.course("S0-3")
async def test_b(): ...

@pytest.mark.course("S0-4")
def helper(): ...

def test_unmarked(): ...
"""
    assert scan(text) == {("S0-1", "test_a"), ("S0-2", "test_a"), ("S0-3", "test_b")}


def test_marks_on_classes_and_inside(scan):
    text = """
@pytest.mark.course("S1-1")
class TestA:
    pytestmark = pytest.mark.course("S1-2")

    @pytest.mark.course("S1-3")
    def test_x(self): ...
    def test_y(self): ...

    class TestB:
        def test_z(self): ...
"""
    outer = {("S1-1", f"TestA::{n}") for n in ("test_x", "test_y", "TestB::test_z")}
    inner = {("S1-2", test) for _, test in outer}
    assert scan(text) == outer | inner | {("S1-3", "TestA::test_x")}


def test_marks_for_a_whole_file(scan):
    text = """
pytestmark = [pytest.mark.slow, pytest.mark.course("S4-29")]

def test_a(): ...
"""
    assert scan(text) == {("S4-29", "test_a")}


def test_marks_on_parameters(scan):
    text = """
@pytest.mark.parametrize("k", [pytest.param(1, marks=pytest.mark.course("S4-3"))])
def test_a(k): ...
"""
    assert scan(text) == {("S4-3", "test_a")}


def test_files_that_are_no_tests_are_left_alone(scan):
    assert scan('@pytest.mark.course("S9-9")\ndef test_a(): ...', "helper.py") == set()


def test_unknown_items_are_refused(scan):
    with pytest.raises(DataError, match=r"test_x.py::test_a must exist; got 'S9-9'"):
        scan('@pytest.mark.course("S9-9")\ndef test_a(): ...')


def test_order_is_a_readers_order(tmp_path):
    text = '@pytest.mark.course("S2-10", "S2-9", "S1-55")\ndef test_a(): ...'
    (tmp_path / "test_x.py").write_text(text)
    assert [p.item for p in course.proofs(tmp_path)] == ["S1-55", "S2-9", "S2-10"]


def test_the_page_has_a_row_for_each_item_with_method_and_test(tmp_path):
    text = '@pytest.mark.course("S2-57")\ndef test_a(): ...'
    (tmp_path / "test_x.py").write_text(text)
    page = course.page(course.proofs(tmp_path), {"S2-57": ["KMeans"]})
    rows = [line for line in page.splitlines() if line.startswith("| S")]
    assert len(rows) == len(course.items())
    [row] = [line for line in rows if line.startswith("| S2-57 ")]
    assert "`KMeans`" in row
    assert "test_x.py::test_a`" in row
    assert f"**1 of {len(course.items())} items are proved.**" in page


def test_the_listing_counts(tmp_path):
    text = '@pytest.mark.course("S2-57", "S0-1")\ndef test_a(): ...'
    (tmp_path / "test_x.py").write_text(text)
    listing = course.listing(course.proofs(tmp_path))
    assert course.items()["S2-57"] in listing
    assert listing.endswith(f"all: 2 of {len(course.items())} proved")
