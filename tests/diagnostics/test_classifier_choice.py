"""The notes' table of sizes."""

import pytest

import corollary
from corollary.core.errors import ParameterError
from corollary.diagnostics.classifier_choice import choose_classifier


@pytest.mark.course("S4-15")
@pytest.mark.parametrize(
    ("d", "n", "method"),
    [
        (10_000, 10, "linear"),
        (10_000, 1000, "linear"),
        (500, 100, "linear"),
        (1, 10, "Gaussian kernel"),
        (1000, 10_000, "Gaussian kernel"),
        (1, 50_000, "linear with more features"),
        (1000, 1_000_000, "linear with more features"),
    ],
)
def test_the_table(d, n, method):
    choice = choose_classifier(d, n)
    assert choice.method == method
    assert all(name in corollary.registry.ESTIMATORS for name in choice.estimators)
    assert "neural network" in str(choice)
    assert ("Scale" in str(choice)) == (method == "Gaussian kernel")


def test_misuse():
    with pytest.raises(ParameterError, match="n_samples must be a whole number"):
        choose_classifier(3, 0)
