"""The verb for calculators of learning theory."""

import json

import pytest
from scipy.stats import beta

from corollary import theory


def answer(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.course("S0-53", "S4-54")
@pytest.mark.parametrize(
    ("words", "asked", "value"),
    [
        ("hoeffding --epsilon 0.1 --delta 0.05", "m", 185),
        ("hoeffding --m 100 --epsilon 0.1 --sides 1", "delta", 0.1353352832),
        ("chernoff --mean 0.02 --epsilon 0.5 --delta 0.05 --tail lower", "m", 1199),
        ("chernoff --mean 0.02 --epsilon 0.02 --delta 0.05 --additive", "m", 466),
        ("bernstein --variance 0.01 --epsilon 0.02 --delta 0.05", "m", 308),
        (
            "bernstein --variance 0.01 --epsilon 0.02 --delta 0.05 --form bennett",
            "m",
            285,
        ),
        (
            "bernstein --variance 0.01 --m 1000 --delta 0.05 --form empirical "
            "--sides 1",
            "epsilon",
            0.017205389561,
        ),
        ("finite --epsilon 0.05 --delta 0.05 --hypotheses 10000", "m", 2580),
        ("finite --m 2580 --epsilon 0.05 --delta 0.05", "hypotheses", 10_007),
        (
            "finite --epsilon 0.1 --delta 0.05 --hypotheses 59049 --kind realizable",
            "m",
            140,
        ),
        (
            "finite --epsilon 0.1 --delta 0.05 --hypotheses 59049 --kind agnostic",
            "m",
            2936,
        ),
        ("vc --d 3 --epsilon 0.1 --delta 0.05 --realizable", "m", 729),
        (
            "vc --d 3 --epsilon 0.1 --delta 0.05 --realizable --growth sauer",
            "m",
            680,
        ),
        ("vc --m 3021 --epsilon 0.1 --delta 0.05", "d", 3),
        ("devroye --d 2 --epsilon 0.1 --delta 0.05", "m", 1768),
        ("knn --d 2 --k 10 --n 10000", "epsilon", 0.85801),
    ],
)
def test_answers_as_json(words, asked, value, corollary):
    found = answer(corollary("bound", *words.split(), "--json"))
    assert found["asked"] == asked
    assert found[asked] == pytest.approx(value, rel=1e-4)
    assert isinstance(found[asked], type(value))


def test_what_was_given_is_in_the_answer(corollary):
    words = "chernoff --mean 0.02 --m 1000 --delta 0.05".split()
    found = answer(corollary("bound", *words, "--json"))
    assert found["bound"] == "chernoff"
    assert (found["m"], found["delta"], found["hypotheses"]) == (1000, 0.05, 1)
    assert (found["mean"], found["tail"]) == (0.02, "both")
    expected = theory.chernoff(mean=0.02, m=1000, delta=0.05)
    assert found["epsilon"] == pytest.approx(expected)


def test_a_table_says_what_was_asked_and_what_more_rows_give(corollary):
    output = corollary("bound", "hoeffding", "--epsilon", 0.1, "--delta", 0.05).output
    assert "185  <- asked" in output
    for m in (46, 92, 370, 740):
        assert f"{m}" in output
        assert f"{theory.hoeffding(m=m, delta=0.05):.4g}" in output
    many = corollary("bound", "knn", "--d", 10, "--k", 10, "--epsilon", 0.1).output
    assert "1.208e+27" in many


def test_huge_and_empty_answers(corollary):
    words = "hoeffding --m 1000000 --epsilon 0.5 --delta 0.1".split()
    assert answer(corollary("bound", *words, "--json"))["hypotheses"] == "inf"
    assert "inf" in corollary("bound", *words).output
    words = "hoeffding --m 2 --epsilon 0.1 --delta 0.1".split()
    assert answer(corollary("bound", *words, "--json"))["hypotheses"] == 0
    few = corollary("bound", "hoeffding", "--m", 1, "--delta", 0.1)
    assert few.exit_code == 0
    large = f"finite --epsilon 0.1 --delta 0.05 --hypotheses {3**100}".split()
    assert answer(corollary("bound", *large, "--json"))["m"] == 5678


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture(suffix, corollary, tmp_path):
    path = tmp_path / f"gap.{suffix}"
    words = "vc --d 3 --m 1000 --delta 0.05".split()
    result = corollary("bound", *words, "--plot", path)
    assert result.exit_code == 0, result.output
    start = path.read_bytes()[:200]
    assert (b"PNG" in start) if suffix == "png" else (b"<?xml" in start)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    again = corollary("bound", *words, "--plot", path)
    assert again.exit_code == 2
    assert "--plot must be new" in again.output


def test_every_direction_has_a_picture(corollary, tmp_path):
    given = {"--m": 900, "--epsilon": 0.2, "--delta": 0.05, "--d": 4}
    for left_out in given:
        words = [w for n, v in given.items() if n != left_out for w in (n, v)]
        path = tmp_path / f"{left_out}.png"
        result = corollary("bound", "vc", *words, "--plot", path)
        assert result.exit_code == 0, result.output
        assert path.exists()


def test_help_without_a_calculator(corollary):
    for words in (["bound"], ["bound", "--help"], ["bound", "vc", "-h"]):
        result = corollary(*words)
        assert result.exit_code == 0
    names = corollary("bound").output
    for name in (
        "hoeffding",
        "chernoff",
        "bernstein",
        "finite",
        "vc",
        "devroye",
        "knn",
    ):
        assert name in names


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("bound hoeffding --m 10", "but one must be given"),
        ("bound hoeffding --m ten --delta 0.1", "--m"),
        ("bound hoeffding --m 10 --delta nan", "delta must be > 0 and < 1; got nan."),
        ("bound hoeffding --m 10 --delta 0.1 --plot gap.bmp", ".png"),
        ("bound hoeffding --m 10 --delta 0.1 --plot no/where/gap.png", "folder"),
        ("bound hoeffding --m 10 --delta 0.1 --low 3", "high must be above low"),
        ("bound chernoff --m 10 --delta 0.1", "--mean"),
        ("bound finite --m 0 --delta 0.1 --hypotheses 3", "m must be a whole number"),
        ("bound vc --m 10 --d 0 --delta 0.1", "d must be a whole number >= 1"),
        ("bound knn --d 2 --k 3 --n 10", "k must be a whole number >= 10"),
        ("bound knn --d 2 --k 10", "n or epsilon must be given"),
        ("bound juggle", "juggle"),
        ("bound knn --d 10 --k 10 --epsilon 0.1 --plot rows.png", "a picture needs"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(words, part, corollary):
    result = corollary(*words.split())
    assert result.exit_code == 2
    assert part in result.output
    assert result.output.startswith("corollary: ")
    assert result.output.count("\n") == 1


def test_bad_input_in_a_process_of_its_own(process, one_sentence, tmp_path):
    words = "bound hoeffding --m 10 --delta 2 --plot gap.png".split()
    one_sentence(process(*words, cwd=tmp_path), "delta must be > 0 and < 1; got 2.")
    assert list(tmp_path.iterdir()) == []


def test_a_test_set_in_every_direction(corollary, tmp_path):
    def asked(words):
        return answer(corollary("bound", "test-set", *words.split(), "--json"))

    found = asked("--n 1000 --errors 83 --delta 0.05")
    assert found["risk"] == pytest.approx(beta.ppf(0.95, 84, 917))
    assert asked("--errors 0 --delta 0.05 --risk 0.01")["n"] == 299
    assert asked("--n 1000 --delta 0.05 --risk 0.1")["errors"] == 84
    words = "bound test-set --n 100 --errors 0 --delta 0.05".split()
    text = corollary(*words).output
    assert "0.02951" in text
    assert "0.007461" in text  # at four times the rows
    corollary(*words, "--plot", str(tmp_path / "risk.svg"))
    assert "</svg>" in (tmp_path / "risk.svg").read_text()
