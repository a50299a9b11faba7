"""Methods explained from the command line."""

import json

import pytest

from corollary import catalogue
from corollary.diagnostics import choose_method


def test_a_method_is_explained_by_its_theory(corollary):
    result = corollary("explain", "SVC")
    assert result.exit_code == 0
    first, known, *_ = result.stdout.splitlines()
    assert first == "SVC: The support vector classifier."
    assert "maximum-margin classifier" in known
    assert "1/2 ||w||^2" in result.stdout
    assert "from corollary import SVC" in result.stdout
    assert "Cortes and Vapnik (1995)" in result.stdout
    assert "LinearSVC" in result.stdout
    assert "S2-" not in result.stdout  # nobody outside knows the course


def test_any_name_and_json(corollary):
    result = corollary("explain", "lloyds", "algorithm", "--json")
    found = json.loads(result.stdout)
    assert found["name"] == "KMeans"
    assert "vector quantisation" in found["known_as"]
    assert "Minimise  J(mu, z)" in found["theory"]
    assert "Course" not in found["theory"]
    assert found["theory"].endswith("J = inertia_.")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("how do I choose the number of clusters", "KMeans"),
        ("which regression for outliers", None),
        ("is the difference of two classifiers chance, by mcnemar", "mcnemar"),
    ],
)
def test_questions_lead_to_methods(question, name, corollary):
    result = corollary("explain", *question.split(), "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["name"] in {entry.name for entry in catalogue.entries()}
    if name is not None:
        assert name in [found["name"], *found["others"]]


def test_sizes_lead_to_advice(corollary):
    words = "explain --rows 500 --columns 10000 --task classification".split()
    found = json.loads(corollary(*words, "--json").stdout)
    expected = choose_method("classification", n_rows=500, n_features=10_000)
    assert [one["estimator"] for one in found["suggestions"]] == [
        one.estimator for one in expected.suggestions
    ]
    result = corollary(*words)
    assert result.stdout == f"{expected}\n"
    many = "explain --rows 50000 --columns 9 --task regression --outliers".split()
    plain = json.loads(corollary(*many[:-1], "--json").stdout)
    robust = json.loads(corollary(*many, "--json").stdout)
    assert plain["suggestions"][0] != robust["suggestions"][0]


def test_rows_are_measured(corollary, flat_files):
    words = "explain", "--data", flat_files.train, "--target", "dear", "--json"
    result = corollary(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["task"], found["n_rows"]) == ("classification", 300)
    assert found["measured"]
    words = "explain", "--data", flat_files.blind, "--task", "clustering"
    assert corollary(*words).stdout.startswith("For clustering of 25 rows")


def test_bad_input(refused, flat_files, tmp_path):
    assert "must be given; got none" in refused("explain")
    assert "got both" in refused("explain", "SVC", "--rows", 3)
    assert "--task must be given" in refused("explain", "--rows", 5, "--columns", 3)
    said = refused("explain", "--rows", 5, "--task", "regression")
    assert "--rows and --columns must be given" in said
    assert "--rows" in refused("explain", "--rows", 0)
    assert "juggling" in refused("explain", "--task", "juggling")
    assert "no such file" in refused("explain", "--data", tmp_path / "none.csv")
    words = "explain", "--data", flat_files.train
    assert "--task must be given" in refused(*words)
    assert "'dear'" in refused(*words, "--target", "deer")
    assert "nearest names" in refused("explain", "xqzzy")
    refused("explain", "SVC", "--bad")
