import course
import pytest

from corollary import catalogue
from corollary.registry import ESTIMATORS


def names(query):
    return [entry.name for entry in catalogue.find(query)]


def test_every_estimator_is_in_the_index():
    found = {(entry.name, entry.module) for entry in catalogue.entries()}
    assert found >= set(ESTIMATORS.items())


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
        first = catalogue.find(name)[0]
        known = {"".join(catalogue.words(n)) for n in (*first.names, *first.related)}
        assert "".join(catalogue.words(name)) in known


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


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("0-1 loss", "zero_one"),
        ("Brier", "ClassLoss"),
        ("IRLS", "GeneralizedLinearRegressor"),
        ("L-BFGS", "LBFGS"),
        ("LDA vs logistic", "generative_or_discriminative"),
        ("LOOCV", "RidgeCV"),
        ("MAP estimate", "Ridge"),
        ("Newton's method", "Newton"),
        ("SMO", "SVC"),
        ("Savage loss", "Sigmoid"),
        ("VIF", "collinearity"),
        ("condition number", "collinearity"),
        ("conditional gaussian", "Gaussian.conditional"),
        ("confidence interval", "Summary"),
        ("discriminant function", "DiscriminantFunctions"),
        ("exact line search", "GradientDescent"),
        ("feature scaling", "StandardScaler"),
        ("gaussian kernel", "Gaussian"),
        ("iterative scaling", "iterative_scaling"),
        ("kernel cache", "kernel_cache"),
        ("logistic loss", "Logistic"),
        ("loss matrix", "CostSensitiveClassifier"),
        ("mahalanobis distance", "Gaussian.mahalanobis"),
        ("mahalanobis", "Gaussian.mahalanobis"),
        ("map reduce", "SummationLearner"),
        ("mistake bound", "Perceptron"),
        ("moments", "Moments"),
        ("noise variance", "PCA"),
        ("normal mean posterior", "NormalMean"),
        ("online learning", "PassiveAggressiveClassifier"),
        ("prediction interval", "Summary.prediction_intervals"),
        ("progressive validation", "SGDClassifier"),
        ("rbf kernel", "Gaussian"),
        ("representer theorem", "RepresenterClassifier"),
        ("sample moments", "sample_moments"),
        ("score function", "score"),
        ("sequential minimal optimisation", "SVC"),
        ("singular covariance", "diagnose"),
        ("support vector machine", "SVC"),
        ("tokenizer", "words"),
        ("truncated feature map", "GaussianMap"),
        ("whitening", "Gaussian.whitening"),
    ],
)
def test_ordinary_words_lead_to_the_method(query, name):
    assert names(query)[0] == name


def test_a_family_is_found_by_its_name():
    family = {"BernoulliNB", "CategoricalNB", "GaussianNB", "MixedNB", "MultinomialNB"}
    assert family <= set(names("naive bayes"))


def test_equal_names_come_before_parts():
    assert names("PCA")[0] == "PCA"
    assert "pca_use" in names("PCA")


def test_no_wild_guesses():
    for query in ("", "   ", "?", "q", "xyzzy"):
        assert names(query) == []


def test_nearest_names_a_few():
    assert catalogue.nearest("rigde")[0] == "Ridge"
    assert len(catalogue.nearest("xyzzy")) == 3


def test_claims_are_course_items():
    assert set(catalogue.claims()) <= set(course.items())
    assert catalogue.claims()["S2-57"][0] == "KMeans"
