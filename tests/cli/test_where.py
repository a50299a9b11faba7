import re

from corollary import catalogue


def test_prints_name_place_synonyms_and_course(corollary):
    [entry] = [e for e in catalogue.entries() if e.name == "KMeans"]
    result = corollary("where", "Lloyd's algorithm")
    assert result.exit_code == 0
    assert result.output.startswith("KMeans: ")
    assert f"k_means.py:{entry.line}" in result.output
    assert "vector quantisation" in result.output
    assert "from corollary import KMeans" in result.output
    assert "S2-56" in result.output


def test_the_line_is_where_the_class_begins(corollary):
    for entry in catalogue.entries():
        line = entry.file.read_text(encoding="utf-8").splitlines()[entry.line - 1]
        own = entry.name.rpartition(".")[2]
        assert entry.line == 1 or re.match(rf"\s*(class|def) {own}\b", line)


def test_several_methods_of_one_name(corollary):
    output = corollary("where", "MAP estimation with a Gaussian prior").output
    assert "\nRidge: " in f"\n{output}"
    assert "\nLogisticRegression: " in f"\n{output}"


def test_an_unknown_name_gets_the_nearest(process, one_sentence):
    one_sentence(process("where", "qqqridgqq"), "'qqqridgqq'", "nearest", "Ridge")
