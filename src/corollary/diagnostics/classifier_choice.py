"""Which classifier: logistic regression, a support vector machine, or a network.

Also known as: logistic regression or SVM, choice of a classifier by size.

By the number of features d and of examples n (the notes' n and m):

    d >= n, or d large (10,000 features, 10 to 1,000 rows)   logistic or linear SVM
    d up to 1,000, n from 10 to some 10,000                  SVM with a Gaussian kernel
    d up to 1,000, n of 50,000 or more                       more features, then
                                                             logistic or linear SVM

A neural network is likely to do well in every case, and slower to train; it may end in
a local optimum, which the other two, being convex, do not have.  Features must be
scaled before a Gaussian kernel.

Course: S4-15.
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.errors import ParameterError, sentence

__all__ = ["Choice", "choose_classifier"]

LARGE = 50_000  # rows for which a kernel machine is too slow
FEW = 1000  # features


@dataclass(frozen=True)
class Choice:
    """A method, why, and what to do besides."""

    method: str
    estimators: tuple[str, ...]
    why: str
    advice: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method}: {self.why}. " + " ".join(self.advice)


def choose_classifier(n_features: int, n_samples: int) -> Choice:
    """Return which classifier the sizes of the data speak for.

    Parameters
    ----------
    n_features, n_samples : int

    Examples
    --------
    >>> choose_classifier(10_000, 500).method
    'linear'
    >>> choose_classifier(100, 5_000).estimators
    ('SVC',)
    """
    for value, name in ((n_features, "n_features"), (n_samples, "n_samples")):
        if int(value) != value or value < 1:
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence("choose_classifier", must, f"{value!r}"))
    network = "A neural network may do as well, and is slower to train."
    lines = ("LogisticRegression", "LinearSVC")
    if n_features >= n_samples or n_features > 10 * FEW:
        why = f"{n_samples} rows cannot bend a boundary in {n_features} features"
        return Choice("linear", lines, why, (network,))
    if n_samples >= LARGE:
        why = f"a kernel matrix of {n_samples} rows is too slow"
        more = "Add features of your own, or random features, first."
        return Choice("linear with more features", lines, why, (more, network))
    if n_features > FEW:
        why = f"{n_features} features leave little for a kernel to add"
        return Choice("linear", lines, why, (network,))
    why = f"{n_samples} rows suffice for a curved boundary in {n_features} features"
    scale = "Scale the features first."
    return Choice("Gaussian kernel", ("SVC",), why, (scale, network))
