"""Small decision problems: a prior, what may be seen, and what an action costs."""

from __future__ import annotations

import numpy as np

from corollary.datasets.records import Decision

__all__ = ["cancer_kit", "course_choice", "doctor", "fair_or_biased"]


def course_choice() -> Decision:
    """Take or drop a course after one lecture.

    Returns
    -------
    Decision
        `known` holds the posterior and the risk of each action for either lecture, and
        the Bayes risk.

    Examples
    --------
    >>> from corollary.datasets import course_choice
    >>> problem = course_choice()
    >>> joint = problem.likelihood * problem.prior
    >>> posterior = joint / joint.sum(axis=1, keepdims=True)
    >>> print(posterior @ problem.loss.T)  # rows: interesting, boring
    [[ 3.5        10.5       ]
     [ 7.66666667  3.        ]]
    """
    return Decision(
        name="course_choice",
        about="Take a course or drop it, judged by its first lecture?",
        states=("good", "fair", "bad"),
        prior=np.array([0.2, 0.4, 0.4]),
        observations=("interesting", "boring"),
        likelihood=np.array([[0.8, 0.5, 0.1], [0.2, 0.5, 0.9]]),
        actions=("take", "drop"),
        loss=np.array([[0.0, 5.0, 10.0], [20.0, 5.0, 0.0]]),
        known={
            "posterior": ((0.4, 0.5, 0.1), (1 / 15, 1 / 3, 0.6)),
            "risk": ((3.5, 10.5), (23 / 3, 3.0)),
            "bayes_risk": 3.2,
            "prior_risk": (6.0, 6.0),
        },
    )


def doctor() -> Decision:
    """Tea or antibiotics, with a blood test that may be ordered first.

    Returns
    -------
    Decision
        `known` holds the risk of each action for either result, the Bayes risk with
        the test, and what the test is worth.

    Examples
    --------
    >>> from corollary.datasets import doctor
    >>> problem = doctor()
    >>> print(problem.likelihood @ problem.prior)  # probability of each result
    [0.75 0.25]
    """
    return Decision(
        name="doctor",
        about="Treat as a cold or as an infection, with or without a test?",
        states=("flu", "infection"),
        prior=np.array([0.9, 0.1]),
        observations=("negative", "positive"),
        likelihood=np.array([[0.8, 0.3], [0.2, 0.7]]),
        actions=("tea", "antibiotics"),
        loss=np.array([[0.0, 10.0], [1.0, 0.0]]),
        known={
            "risk": ((0.4, 0.96), (2.8, 0.72)),
            "bayes_risk": 0.48,
            "prior_risk": (1.0, 0.9),
            "value_of_test": 0.42,
        },
    )


def cancer_kit() -> Decision:
    """Give a reliable test for a rare disease: most positives are healthy.

    Returns
    -------
    Decision
        No actions; `known` holds the probability of illness after a positive test.

    Examples
    --------
    >>> from corollary.datasets import cancer_kit
    >>> round(cancer_kit().known["ill_if_positive"], 4)
    0.2481
    """
    return Decision(
        name="cancer_kit",
        about="How likely is a rare illness once the test is positive?",
        states=("ill", "healthy"),
        prior=np.array([0.01, 0.99]),
        observations=("positive", "negative"),
        likelihood=np.array([[0.98, 0.03], [0.02, 0.97]]),
        known={"ill_if_positive": 98 / 395},
    )


def fair_or_biased() -> Decision:
    """Guess whether a coin is fair or shows heads six times in ten.

    Returns
    -------
    Decision
        No actions; `known` holds the probability that it is fair after one and after
        two heads.

    Examples
    --------
    >>> from corollary.datasets import fair_or_biased
    >>> [round(p, 4) for p in fair_or_biased().known["fair_after_heads"]]
    [0.7143, 0.6757]
    """
    return Decision(
        name="fair_or_biased",
        about="Believe in a fair coin, then watch it fall.",
        states=("fair", "biased"),
        prior=np.array([0.75, 0.25]),
        observations=("head", "tail"),
        likelihood=np.array([[0.5, 0.6], [0.5, 0.4]]),
        known={"fair_after_heads": (5 / 7, 25 / 37)},
    )
