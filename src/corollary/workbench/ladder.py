"""The ladder: the learners that a table is given to, from a constant to boosting.

One line a learner.  `BASE` is tried from top to bottom, cheap and simple ones first;
then `VARIANTS`, in the order in which they have paid on other tables, and settings that
are drawn (`draws.py`), until time runs out or nothing is to be expected any more.  A
learner that cannot use millions of rows gets a sample of `most_rows`.

`complexity` orders the readable ones for the one-standard-error rule: of models that
are equally good the simplest is shown.

References: Caruana, Niculescu-Mizil, Crew, Ksikes (2004); Breiman and others (1984) for
the rule of one standard error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor

from corollary.core.arrays import Vector
from corollary.preparation import StandardScaler
from corollary.workbench.log_target import LogTarget
from corollary.workbench.preparing import (
    CODED,
    SCALED,
    SHARPLY,
    WEIGHED,
    FeatureGroups,
    coded_columns,
)

__all__ = ["Candidate", "amounts", "base", "variants"]

LARGE = 10**9  # rows or columns: no limit
COLUMNS = 500  # for learners of columns one by one, or of their covariances
ROWS_OF_PAIRS = 8_000  # for learners of pairs of rows
ROWS_OF_NEIGHBOURS = 50_000
ROWS_OF_SMALL_TREES = 200_000  # a few leaves are found as well in fewer rows
MOST_LEAVES = 12_500  # of a tree in a forest: more would fill the memory with 200 trees
TAIL = 0.5  # skewness above which a target has a long tail
COUNTS: dict[str, Any] = {
    "loss": "poisson",
    "learning_rate": 0.03,
    "max_iter": 200,
    "max_leaf_nodes": 6,
    "max_features": 0.6,
}
ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)  # penalties of ridge regression
FEW_TREES = {"max_iter": 80, "max_leaf_nodes": 4}
WEIGHED_QUADRATIC = "quadratic discriminant of weighed columns"
SHARP_QUADRATIC = "quadratic discriminant of sharply weighed columns"
WEIGHED_MACHINE = "support vector machine of weighed columns"
SHARP_MACHINE = "support vector machine of sharply weighed columns"


@dataclass(frozen=True)
class Candidate:
    """A learner of the ladder.

    Attributes
    ----------
    name : str
        As people call it; unique in the ladder.
    family : str
        Learners of one family differ in their parameters only.
    learner : estimator
        Unfitted; cloned before each use.
    preparation : {'scaled', 'coded', 'weighed', 'sharply weighed'}
    complexity : int
        0 for a constant; larger is harder to read.
    readable : bool
        Whether a person can follow how it answers.
    most_rows : int
        Rows that it is trained on at most.
    most_columns : int
        Prepared columns that it takes; of more it would take too long.
    """

    name: str
    family: str
    learner: Any
    preparation: str
    complexity: int = 9
    readable: bool = False
    most_rows: int = LARGE
    most_columns: int = LARGE

    def made(self, groups: FeatureGroups, seed: int, rows: int) -> Any:
        """Return a new learner for these features, its random draws fixed.

        Trees of a forest have so many leaves at most, however many the rows.
        """
        learner = clone(self.learner)
        inner = within(learner)
        known = inner.get_params(deep=False)
        if "random_state" in known:
            inner.set_params(random_state=seed)
        if self.family == "forest":
            least = max(known["min_samples_leaf"], -(-rows // MOST_LEAVES))
            inner.set_params(min_samples_leaf=least)
        if "categorical_features" in known:
            codes = coded_columns(groups) if self.preparation == CODED else []
            inner.set_params(categorical_features=codes or None)
        return learner

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from the defaults of the class."""
        inner = within(self.learner)
        given = inner.get_params(deep=False)
        plain = type(inner)().get_params(deep=False)
        return {k: v for k, v in given.items() if v != plain.get(k)}


def within(learner: Any) -> Any:
    """Return the regressor of one that changes its target, others as they are."""
    return getattr(learner, "regressor", learner)


#: What the learners of a family share.
FAMILIES: dict[str, dict[str, Any]] = {
    "baseline": {"preparation": SCALED, "complexity": 0, "readable": True},
    "tree": {
        "preparation": CODED,
        "complexity": 2,
        "readable": True,
        "most_rows": ROWS_OF_SMALL_TREES,
    },
    "linear": {"preparation": SCALED, "complexity": 3, "readable": True},
    "discriminant": {"preparation": SCALED, "complexity": 4, "readable": True},
    "additive": {
        "preparation": CODED,
        "complexity": 5,
        "readable": True,
        "most_columns": COLUMNS,
    },
    "naive Bayes": {"preparation": SCALED},
    "neighbours": {"preparation": SCALED, "most_rows": ROWS_OF_NEIGHBOURS},
    "kernel": {"preparation": SCALED, "most_rows": ROWS_OF_PAIRS},
    "quadratic": {
        "preparation": SHARPLY,
        "most_rows": ROWS_OF_NEIGHBOURS,
        "most_columns": COLUMNS,
    },
    "weighed kernel": {"preparation": WEIGHED, "most_rows": ROWS_OF_PAIRS},
    "weighed neighbours": {"preparation": SHARPLY, "most_rows": ROWS_OF_NEIGHBOURS},
    "forest": {"preparation": CODED},
    "boosting": {"preparation": CODED},
    "boosting of counts": {"preparation": CODED},
    "linear of logarithms": {
        "preparation": SCALED,
        "complexity": 3,
        "readable": True,
    },
    "kernel of logarithms": {"preparation": SCALED, "most_rows": ROWS_OF_PAIRS},
    "boosting of logarithms": {"preparation": CODED},
}


@cache
def base(task: str) -> tuple[Candidate, ...]:
    """Return the rungs that every table is tried on, cheap and simple ones first."""
    two = task == "classification"
    forest: dict[str, Any] = {"n_estimators": 200, "min_samples_leaf": 2}
    wide = {} if two else {"max_features": 0.5}
    near = of("KNeighbors", two, n_neighbors=15, weights="distance")
    tree = of("DecisionTree", two, max_leaf_nodes=8, min_samples_leaf=10)
    glass = of("ExplainableBoosting", two, interactions=0, max_iter=200)
    rungs = [
        *(first_classifiers() if two else first_regressors()),
        rung("small tree", "tree", tree),
        rung("boosting", "boosting", of("HistGradientBoosting", two)),
        rung("random forest", "forest", of("RandomForest", two, **forest, **wide)),
        rung("support vector machine", "kernel", machine(two, 3.0)),
        weighed_machine(two, sharply=two),
        *([rung(SHARP_QUADRATIC, "quadratic", quadratic(0.1))] if two else []),
        rung("additive boosting", "additive", glass),
        rung("extra trees", "forest", of("ExtraTrees", two, **forest)),
        rung("nearest neighbours", "neighbours", near),
    ]
    return (*rungs, *(other_classifiers() if two else ()))


def first_classifiers() -> list[Candidate]:
    """Return the simplest classifiers."""
    import corollary as c

    logistic = c.LogisticRegression(max_iter=300)
    return [
        rung("majority", "baseline", c.PriorClassifier()),
        rung("logistic regression", "linear", logistic),
    ]


def other_classifiers() -> list[Candidate]:
    """Return classifiers that have no regressor beside them."""
    import corollary as c

    lda = c.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return [
        rung("naive Bayes", "naive Bayes", c.GaussianNB()),
        rung("linear discriminant", "discriminant", lda),
    ]


def first_regressors() -> list[Candidate]:
    """Return the simplest regressors."""
    import corollary as c

    ridge = c.RidgeCV(alphas=ALPHAS)
    return [
        rung("mean", "baseline", DummyRegressor()),
        rung("ridge regression", "linear", ridge),
    ]


def amounts(y: Vector) -> tuple[Candidate, ...]:
    """Return learners of amounts and counts, where the target looks like these.

    It has no value below 0, and a long tail above.  Its logarithm may have none; and
    the deviance of Poisson weighs rows better than squares do, which the largest of
    them decide.
    """
    if y.min() < 0 or y.mean() <= 0 or not skewed(y):
        return ()
    import corollary as c

    ridge = c.RidgeCV(alphas=ALPHAS)
    boosted = of("HistGradientBoosting", False, **COUNTS)
    weak = of("HistGradientBoosting", False, **COUNTS | FEW_TREES)
    return (
        rung("ridge regression of the logarithm", "linear of logarithms", logs(ridge)),
        rung(
            "boosting of the logarithm",
            "boosting of logarithms",
            logs(of("HistGradientBoosting", False)),
        ),
        rung(
            "support vector machine of the logarithm",
            "kernel of logarithms",
            logs(c.SVR(C=3.0)),
        ),
        rung("boosting of counts", "boosting of counts", boosted),
        rung("boosting of counts, weak", "boosting of counts", weak),
    )


def logs(learner: Any) -> Any:
    """Return a learner of the logarithm of the target."""
    return LogTarget(within(learner))


def skewed(y: Vector) -> bool:
    """Tell whether the third standardised moment is above that of a short tail."""
    z = (y - y.mean()) / max(float(y.std()), 1e-300)
    return float((z**3).mean()) > TAIL


@cache
def variants(task: str) -> tuple[Candidate, ...]:
    """Return further settings, in the order in which they have paid elsewhere."""
    two = task == "classification"
    name = "logistic regression" if two else "elastic net"
    slow = {"learning_rate": 0.03, "max_iter": 400, "max_features": 0.6}
    flat = {"learning_rate": 0.06, "max_iter": 250, "max_leaf_nodes": 6}
    bushy = {"learning_rate": 0.05, "max_iter": 300, "max_leaf_nodes": 63}
    full = {"n_estimators": 300, "min_samples_leaf": 1}
    pairs = of("ExplainableBoosting", two, interactions=10)
    tree = of("DecisionTree", two, max_leaf_nodes=24, min_samples_leaf=5)
    near = of("KNeighbors", two, n_neighbors=5, weights="distance")
    many = {"max_leaf_nodes": 15, "l2_regularization": 1.0}

    def boosted(**given: Any) -> Any:
        return of("HistGradientBoosting", two, **given)

    return (
        rung("boosting, slow", "boosting", boosted(**slow, **many)),
        weighed_machine(two, sharply=not two),
        rung("support vector machine, firm", "kernel", machine(two, 10.0)),
        rung(
            "extra trees, full",
            "forest",
            of("ExtraTrees", two, max_features=1.0, **full),
        ),
        rung("boosting, shallow", "boosting", boosted(**flat, min_samples_leaf=5)),
        rung(f"{name}, weak penalty", "linear", linear(two, 10.0)),
        rung("additive boosting, pairs", "additive", pairs, complexity=7),
        rung("boosting, large trees", "boosting", boosted(**bushy, max_features=0.5)),
        rung(f"{name}, strong penalty", "linear", linear(two, 0.03)),
        rung(
            "random forest, full",
            "forest",
            of("RandomForest", two, max_features=0.4, **full),
        ),
        rung("boosting, very slow", "boosting", boosted(**slow | {"max_iter": 1200})),
        rung("support vector machine, loose", "kernel", machine(two, 0.5)),
        rung("nearest neighbours, five", "neighbours", near),
        rung("nearest neighbours of weighed columns", "weighed neighbours", near),
        rung("tree of 24 leaves", "tree", tree, complexity=6),
    )


def rung(name: str, family: str, learner: Any, **changes: Any) -> Candidate:
    """Return a learner of the ladder, with what its family shares."""
    return Candidate(name, family, learner, **FAMILIES[family] | changes)


def of(name: str, two: bool, **given: Any) -> Any:
    """Return a learner of Corollary that has a classifier and a regressor."""
    import corollary

    kind = "Classifier" if two else "Regressor"
    return getattr(corollary, name + kind)(**given)


def machine(two: bool, C: float, gamma: Any = "scale", epsilon: float = 0.1) -> Any:
    """Return a kernel machine; a target is brought to mean 0 and deviation 1."""
    import corollary as c

    if two:
        return c.SVC(C=C, gamma=gamma, probability=True)
    tube = c.SVR(C=C, gamma=gamma, epsilon=epsilon)
    return TransformedTargetRegressor(tube, transformer=StandardScaler())


def weighed_machine(two: bool, sharply: bool) -> Candidate:
    """Return the rung of a kernel machine on columns weighed by what they matter."""
    name, kind = (SHARP_MACHINE, SHARPLY) if sharply else (WEIGHED_MACHINE, WEIGHED)
    return rung(name, "weighed kernel", machine(two, 10.0), preparation=kind)


def quadratic(reg_param: float) -> Any:
    """Return a quadratic discriminant, its covariances drawn to the identity."""
    import corollary as c

    return c.QuadraticDiscriminantAnalysis(reg_param=reg_param)


def linear(two: bool, C: float, l1_ratio: float = 0.5) -> Any:
    """Return a linear model with another penalty."""
    import corollary as c

    if two:
        return c.LogisticRegression(C=C, max_iter=300)
    lasso = c.ElasticNet(alpha=0.01 / C, l1_ratio=l1_ratio)
    return TransformedTargetRegressor(lasso, transformer=StandardScaler())
