import json
import re
from collections import Counter
from pathlib import Path

import pytest
import sklearn_tests

import corollary

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
A, B = "sklearn.a::test_x", "sklearn.b::test_y"
SAMPLE = sklearn_tests.Outcome(
    tuple(f"sklearn.a::test_z[{i}]" for i in range(97)),
    (f"{A}[1]", f"{A}[2]"),
    (f"{B}[3]",),
)


@pytest.fixture
def table(monkeypatch, tmp_path):
    def write(reasons):
        path = tmp_path / "reasons.json"
        path.write_text(json.dumps(reasons))
        monkeypatch.setattr(sklearn_tests, "TABLE", path)

    return write


def test_what_fails_needs_a_reason_and_a_reason_a_failure(table):
    table({"more": {A: "It goes on."}})
    assert sklearn_tests.compare(SAMPLE) == []
    table({"more": {B: "It goes on."}})
    assert sklearn_tests.compare(SAMPLE) == [
        f"fails without a reason: {A}",
        f"passes, but has a reason: {B}",
    ]


def test_few_tests_may_fail_and_fewer_for_what_is_not_there(table):
    table({"missing": {A: "It is not there."}})
    assert sklearn_tests.compare(SAMPLE) == [
        "2.0% of the tests fail as something is not there yet, above 1%"
    ]
    table({"way": {A: "Not so."}})
    poor = sklearn_tests.Outcome(SAMPLE.passed[:18], SAMPLE.failed)
    assert sklearn_tests.compare(poor) == ["10.0% of the tests fail, above 3%"]


def test_the_page_counts_modules_and_groups_tests_by_reason(table):
    table({"more": {A: "It goes on."}})
    page = sklearn_tests.page(SAMPLE)
    words = " ".join(page.split())
    assert "99 cases 97 pass and 2 fail (2.0%), 0 of them (0.0%)" in words
    assert "| `sklearn.a` | 97 | 2 | 0 | 99 |" in page
    assert "| `sklearn.b` | 0 | 0 | 1 | 1 |" in page
    assert f"| It goes on. | 2 | `{A}` |" in page
    assert f"- `{B}` (1)" in page


@pytest.mark.parametrize(
    ("message", "private"),
    [
        ("AttributeError: 'SVC' object has no attribute '_n_support'", True),
        ("AttributeError: 'SVC' object has no attribute 'n_support_'", False),
        ("TypeError: _path() got an unexpected keyword argument 'link'", True),
        ("TypeError: fit() got an unexpected keyword argument 'link'", False),
        (
            "TypeError: Argument 'tree' has incorrect type "
            "(expected sklearn.tree._tree.Tree, got Tree)",
            True,
        ),
        ("TypeError: Argument 'tree' has incorrect type (expected int)", False),
        ("assert False\n +  where False = hasattr(SGD(\n), '_average')", True),
        ("assert False\n +  where False = hasattr(SGD(), 'coef_')", False),
    ],
)
def test_only_private_names_of_scikit_learn_leave_a_test_out(message, private):
    class Place:
        path = "site-packages/sklearn/svm/tests/test_svm.py"

    class Report:
        class longrepr:
            reprcrash = Place()

    Place.message = message
    assert sklearn_tests.reads_private(Report) is private
    Place.path = "src/corollary/svm/svc.py"  # an error of ours counts
    assert not sklearn_tests.reads_private(Report)
    refused = "corollary.core.errors.ParameterError: Tree: loss must be 'a'; got {}."
    Place.message = refused.format("<sklearn._loss.loss.HalfLoss object>")
    assert sklearn_tests.reads_private(Report)  # but for what no user has
    Place.message = refused.format("<sklearn.metrics._dist_metrics.Distance object>")
    assert not sklearn_tests.reads_private(Report)


def test_a_private_base_of_scikit_learns_counts_our_classes_in():
    kinds = {name.rpartition(".")[2] for name in sklearn_tests.KINDRED}
    assert kinds == {"KNeighborsMixin"}
    for names in sklearn_tests.KINDRED.values():
        assert all(hasattr(corollary, name) for name in names)


def test_functions_of_scikit_learns_take_our_classes_for_theirs():
    def export(tree):
        return tree

    export._skl_parameter_constraints = {
        "tree": [int, "auto"],
        "depth": "no_validation",
    }
    sklearn_tests.replace_types(export, {int: float})
    assert export._skl_parameter_constraints["tree"] == [float, "auto"]


def test_every_reason_is_a_short_sentence():
    table = sklearn_tests.reasons()
    assert set(json.loads(sklearn_tests.TABLE.read_text())) <= set(sklearn_tests.KINDS)
    known = [(t, reason) for tests in table.values() for t, reason in tests.items()]
    assert max(Counter(test for test, _ in known).values()) == 1
    for test, reason in known:
        assert test.split("::")[0] in sklearn_tests.MODULES, test
        assert 10 <= len(reason) <= 160, test
        assert reason.endswith("."), test
        assert "not traced" not in reason.lower(), test


def rows_of(text):
    """Read the rows of the tables below the titles of a page."""
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith(("| module", "| why")):
            yield [cell.strip() for cell in line.strip("| ").split(" | ")]


def test_the_page_says_what_the_table_says():
    head, *sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    words = " ".join(head.split())
    modules = {
        name.strip("`"): list(map(int, counts)) for name, *counts in rows_of(head)
    }
    assert set(modules) == set(sklearn_tests.MODULES)
    for passed, failed, left_out, total in modules.values():
        assert passed + failed + left_out == total
    table, failures = sklearn_tests.reasons(), Counter()
    for kind, (title, _) in sklearn_tests.KINDS.items():
        section = next(s for s in sections if s.startswith(f"{title}:"))
        known = {}
        for why, cases, names in rows_of(section):
            failures[kind] += int(cases)
            known |= dict.fromkeys(re.findall("`(.*?)`", names), why)
        assert known == table[kind]
    stated = (
        r"Of ([\d,]+) cases ([\d,]+) pass and ([\d,]+) fail \(.*?\), ([\d,]+) of them"
    )
    numbers = re.search(stated, words).groups()
    cases, passes, fails, missing = (int(n.replace(",", "")) for n in numbers)
    assert cases == passes + fails
    assert passes == sum(counts[0] for counts in modules.values())
    assert fails == sum(counts[1] for counts in modules.values()) == failures.total()
    assert missing == failures["missing"] <= sklearn_tests.MISSING * cases
    assert fails <= sklearn_tests.MOST * cases
    private = sum(map(int, re.findall(r"\((\d+)\)$", sections[-1], re.MULTILINE)))
    assert private == sum(counts[2] for counts in modules.values())
    assert "python tools/sklearn_tests.py docs/compatibility.md" in head


@pytest.mark.slow
def test_scikit_learns_own_tests_pass_but_for_those_with_a_reason():
    outcome = sklearn_tests.run(workers=2)
    assert len(outcome.passed) > 5000
    assert sklearn_tests.compare(outcome) == []
