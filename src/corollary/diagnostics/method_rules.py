"""The rules of `choose_method`: which estimator suits which data, and why.

A rule names an estimator, the tasks it is for, when it suits, and a reason in words.
Rules are looked at in order; the first that suits is advised first.

    what the data ask for           first, whatever the size: text, counts, outliers
    what the user asks for          an explanation, probabilities, quantiles
    what the size allows            few rows, many columns, very many rows       (1)
    what is accurate on tables      boosting, then smooth and local methods

Course: S4-15, S3-47. References: Ng (2012); Grinsztajn, Oyallon and Varoquaux (2022).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from corollary.diagnostics.classifier_choice import FEW, LARGE
from corollary.diagnostics.sample_size import PLENTY

__all__ = ["NEEDS", "RULES", "TASKS", "Rule", "Situation"]

TASKS = (
    "classification",
    "regression",
    "clustering",
    "density",
    "anomalies",
    "compression",
    "visualization",
)
NEEDS = ("accuracy", "explanation", "probabilities", "quantiles", "speed")
C, R = "classification", "regression"
BOOSTING = 300  # rows from which boosted trees are worth it
LOCAL = 15  # columns up to which near rows are near
SCALE = "Scale the columns first (StandardScaler)."


@dataclass(frozen=True)
class Situation:
    """What is known of the data and of the wish."""

    task: str
    n_rows: int
    n_features: int
    n_classes: int | None = None
    need: str = "accuracy"
    sparse: bool = False
    counts: bool = False
    outliers: bool = False
    mixed: bool = False
    in_memory: bool = True

    @property
    def wide(self) -> bool:
        """Whether there are as many columns as rows, or very many."""
        return self.n_features >= self.n_rows or self.n_features > 10 * FEW


class Rule(NamedTuple):
    """An estimator, when it suits, and why."""

    estimator: str
    tasks: tuple[str, ...]
    suits: Callable[[Situation], bool]
    why: str
    advice: str = ""


RULES = (
    # -- what the data ask for -------------------------------------------------------
    Rule(
        "SGDClassifier",
        (C,),
        lambda s: not s.in_memory,
        "it reads the rows one by one, however many there are",
        SCALE,
    ),
    Rule(
        "Ridge",
        (R,),
        lambda s: not s.in_memory,
        "it needs sums over the rows only, so they may lie in files or on a cluster",
    ),
    Rule(
        "ComplementNB",
        (C,),
        lambda s: s.sparse and s.n_rows < 10 * FEW,
        "counts of words need few rows, and one pass",
    ),
    Rule(
        "PoissonRegressor",
        (R,),
        lambda s: s.counts,
        "counts are never negative, and scatter more where they are large",
    ),
    Rule(
        "HuberRegressor",
        (R,),
        lambda s: s.outliers and s.n_rows > s.n_features,
        "rows that are far off pull with a bounded force",
    ),
    # -- what the user asks for ------------------------------------------------------
    Rule(
        "ExplainableBoostingClassifier",
        (C,),
        lambda s: s.need == "explanation" and s.n_rows >= BOOSTING and not s.wide,
        "it is a sum of curves, one for each column, that can be drawn",
    ),
    Rule(
        "ExplainableBoostingRegressor",
        (R,),
        lambda s: s.need == "explanation" and s.n_rows >= BOOSTING and not s.wide,
        "it is a sum of curves, one for each column, that can be drawn",
    ),
    Rule(
        "RuleListClassifier",
        (C,),
        lambda s: s.need == "explanation" and not s.wide,
        "it is a short list of rules that can be read aloud",
    ),
    Rule(
        "Lasso",
        (R,),
        lambda s: s.need == "explanation",
        "it leaves out columns that hardly matter, so that the rest can be read",
        SCALE,
    ),
    Rule(
        "QuantileRegressor",
        (R,),
        lambda s: s.need == "quantiles",
        "it fits the level that a given share of the rows stays below",
    ),
    Rule(
        "LogisticRegression",
        (C,),
        lambda s: s.need in ("probabilities", "speed"),
        "its probabilities are calibrated where its line is right, and it is fast",
        SCALE,
    ),
    Rule(
        "Ridge",
        (R,),
        lambda s: s.need == "speed",
        "it is solved in one pass over the rows",
    ),
    # -- what the size allows --------------------------------------------------------
    Rule(
        "LogisticRegression",
        (C,),
        lambda s: s.wide,
        "there are too few rows to bend a boundary in so many columns",
        SCALE,
    ),
    Rule(
        "LinearSVC",
        (C,),
        lambda s: s.wide,
        "a large margin needs no estimate of so many covariances",
        SCALE,
    ),
    Rule(
        "Lasso",
        (R,),
        lambda s: s.wide,
        "there are more columns than rows can weigh: it chooses some",
        SCALE,
    ),
    Rule(
        "Ridge",
        (R,),
        lambda s: s.wide,
        "its penalty makes the coefficients unique though columns exceed rows",
        SCALE,
    ),
    Rule(
        "LinearDiscriminantAnalysis",
        (C,),
        lambda s: s.n_rows < BOOSTING and s.n_rows >= PLENTY * s.n_features,
        "with few rows a mean for each class and one covariance are what they can bear",
    ),
    Rule(
        "GaussianNB",
        (C,),
        lambda s: s.n_rows < BOOSTING,
        "with few rows a variance for each column is what they can bear",
    ),
    Rule(
        "BayesianRidge",
        (R,),
        lambda s: s.n_rows < BOOSTING,
        "with few rows it finds its own penalty, and says how sure it is",
    ),
    # -- what is accurate on tables --------------------------------------------------
    Rule(
        "HistGradientBoostingClassifier",
        (C,),
        lambda s: s.n_rows >= BOOSTING and not s.sparse and not s.wide,
        "boosted trees follow steps and interactions, take columns of any scale and "
        "missing values, and are mostly the most accurate on tables",
    ),
    Rule(
        "HistGradientBoostingRegressor",
        (R,),
        lambda s: s.n_rows >= BOOSTING and not s.sparse and not s.wide,
        "boosted trees follow steps and interactions, take columns of any scale and "
        "missing values, and are mostly the most accurate on tables",
    ),
    Rule(
        "SVC",
        (C,),
        lambda s: s.n_rows < LARGE and s.n_features <= FEW and not s.wide,
        "a Gaussian kernel bends the boundary smoothly; pairs of rows are still few",
        SCALE + " Then turn C and gamma (svm_knobs).",
    ),
    Rule(
        "KernelRidge",
        (R,),
        lambda s: s.n_rows < LARGE / 5 and s.n_features <= FEW and not s.wide,
        "a Gaussian kernel follows any smooth curve; pairs of rows are still few",
        SCALE,
    ),
    Rule(
        "KNeighborsClassifier",
        (C,),
        lambda s: s.n_features <= LOCAL and not s.mixed and s.n_rows > 2 * BOOSTING,
        "in few columns rows that are near tell the class, whatever its shape",
        SCALE + " Then choose k (choose_n_neighbors).",
    ),
    Rule(
        "LocallyWeightedRegression",
        (R,),
        lambda s: s.n_features <= 3 and s.n_rows < LARGE / 5,
        "in very few columns a line at every point follows any curve",
    ),
    Rule(
        "LogisticRegression",
        (C,),
        lambda s: True,
        "it is the plain model that the others must beat",
        SCALE,
    ),
    Rule(
        "Ridge",
        (R,),
        lambda s: True,
        "it is the plain model that the others must beat",
    ),
)
