import json

import pytest
import sklearn_tests

SAMPLE = sklearn_tests.Outcome(97, ("sklearn.a::test_x[1]", "sklearn.a::test_x[2]"))


def test_what_fails_needs_a_reason_and_a_reason_a_failure(monkeypatch, tmp_path):
    table = tmp_path / "reasons.json"
    monkeypatch.setattr(sklearn_tests, "TABLE", table)
    table.write_text(json.dumps({"sklearn.a::test_x": "more"}))
    assert sklearn_tests.compare(SAMPLE) == []
    assert "| `sklearn.a::test_x` | 2 | more |" in sklearn_tests.page(SAMPLE)
    table.write_text(json.dumps({"sklearn.b::test_y": "more"}))
    assert sklearn_tests.compare(SAMPLE) == [
        "fails without a reason: sklearn.a::test_x",
        "passes, but has a reason: sklearn.b::test_y",
    ]


def test_every_reason_is_a_short_sentence():
    for test, reason in sklearn_tests.reasons().items():
        assert test.split("::")[0] in sklearn_tests.MODULES, test
        assert 10 <= len(reason) <= 160, test
        assert reason.endswith("."), test


@pytest.mark.slow
def test_scikit_learns_own_tests_pass_but_for_those_with_a_reason():
    outcome = sklearn_tests.run(workers=2)
    assert outcome.passed > 3000
    assert sklearn_tests.compare(outcome) == []
