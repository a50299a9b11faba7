import pytest

from corollary import catalogue, course
from corollary.registry import ESTIMATORS


def names(query):
    return [entry.name for entry in catalogue.find(query)]


def test_every_estimator_is_in_the_index():
    found = {entry.name: entry.module for entry in catalogue.entries()}
    assert found.items() >= ESTIMATORS.items()


def test_public_functions_are_in_the_index():
    found = {entry.name for entry in catalogue.entries()}
    assert found >= {"amdahl", "huygens", "parallel_efficiency", "pca_use"}


def test_internal_functions_are_not():
    found = {entry.name for entry in catalogue.entries()}
    assert not found & {"from_moments", "sample_size", "dense_blocks", "fold"}


def test_an_entry_says_where_and_what():
    [entry] = [e for e in catalogue.entries() if e.name == "Ridge"]
    assert entry.file.name == "ridge.py"
    assert entry.summary == "Ridge regression, in summation form."
    assert "Tikhonov regularisation" in entry.also
    assert set(entry.course) >= {"S1-14", "S1-15"}
    assert entry.references == "Hoerl and Kennard (1970)."


@pytest.mark.parametrize(
    "entry", catalogue.entries(), ids=[e.name for e in catalogue.entries()]
)
def test_each_method_is_found_by_each_name(entry):
    for name in entry.names:
        for spelling in (name, name.upper(), name.lower(), name.replace(" ", "-")):
            assert entry in catalogue.find(spelling), spelling
        assert any(
            catalogue.words(name) == catalogue.words(known)
            for known in catalogue.find(name)[0].names
        )


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("kmeans", "KMeans"),
        ("K Means", "KMeans"),
        ("k-mean", "KMeans"),
        ("lloyds algorithms", "KMeans"),
        ("Lloyd\u2019s algorithm", "KMeans"),
        ("vector quantization", "KMeans"),
        ("lloyd", "KMeans"),
        ("karhunen-lo\u00e8ve", "PCA"),
        ("principal components", "PCA"),
        ("prinzipal component analisis", "PCA"),
        ("gaussian naive bayes", "GaussianNB"),
        ("bag of words", "MultinomialNB"),
        ("nominal attributes", "CategoricalNB"),
        ("gausian nb", "GaussianNB"),
        ("ols", "LinearRegression"),
        ("normal equations", "LinearRegression"),
        ("tichonov regularization", "Ridge"),
        ("logistic", "LogisticRegression"),
        ("maximum-entropy classifiers", "LogisticRegression"),
        ("amdahl", "amdahl"),
    ],
)
def test_forgiving_search(query, name):
    assert names(query)[0] == name


def test_a_family_is_found_by_its_name():
    family = {"BernoulliNB", "CategoricalNB", "GaussianNB", "MixedNB", "MultinomialNB"}
    assert family <= set(names("naive bayes"))


def test_equal_names_come_before_parts():
    assert names("PCA")[0] == "PCA"
    assert "pca_use" in names("PCA")


def test_no_wild_guesses():
    for query in ("", "   ", "?", "x", "random forest", "xyzzy"):
        assert names(query) == []


def test_nearest_names_a_few():
    assert catalogue.nearest("rigde")[0] == "Ridge"
    assert len(catalogue.nearest("xyzzy")) == 3


def test_claims_are_course_items():
    assert set(catalogue.claims()) <= set(course.items())
    assert catalogue.claims()["S2-57"][0] == "KMeans"
