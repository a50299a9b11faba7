"""Draws: further settings of the families that do well, by chance and near the best.

After the ladder the race goes on with settings that no line of it names.  A space f of
settings has parameters with ranges; a point u of the unit cube is a setting,

    theta_j = low_j (high_j / low_j)^{u_j}                                         (1)

The first points of a space are uniform.  Then every second one is near the point u* of
its best draw so far,

    u = u* + 0.15 z,    z standard normal, kept inside the cube                    (2)

Next comes the space that the blend leans on most and that was drawn least: of weight
w_f in the blend and k_f draws,

    f = argmax (w_f + 0.05) / (1 + k_f)                                            (3)

The same seed and the same answers give the same draws, so that a rerun finds them in
its journal.

References: Bergstra and Bengio (2012); Feurer and others (2015) for the blend of what
was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.randomness import generator
from corollary.workbench.ladder import (
    SHARP_MACHINE,
    SHARP_QUADRATIC,
    WEIGHED_MACHINE,
    WEIGHED_QUADRATIC,
    Candidate,
    linear,
    logs,
    machine,
    of,
    quadratic,
    rung,
)
from corollary.workbench.preparing import SHARPLY, WEIGHED, FeatureGroups
from corollary.workbench.trials import Trial

__all__ = ["Draws"]

FRESH = 4  # points of a space before any is drawn near its best
NEAR = 0.15  # how far these are, in (2)
CURIOSITY = 0.05  # weight of a space that the blend does not use, in (3)
FEW, MANY = 30, 1500  # trees of a boosted model

Setting = Mapping[str, float]


@dataclass(frozen=True)
class Space:
    """Parameters with their ranges (low, high), and the learner of a setting.

    Parameters
    ----------
    name : str
    family : str
        That of the ladder, which may have several spaces.
    ranges : mapping from parameters to pairs of float
    learner : callable
        ``learner(classes, setting, columns)`` returns the learner.
    stem : str
        How the class of a learner of this space begins, among those of the family.
    changes : mapping
        What differs from the other learners of the family.
    """

    name: str
    family: str
    ranges: Mapping[str, tuple[float, float]]
    learner: Callable[[bool, Setting, int], Any]
    stem: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, trial: Trial) -> bool:
        """Tell whether the learner of a trial is of this space."""
        one = trial.candidate
        if one.preparation != self.changes.get("preparation", one.preparation):
            return False
        kind = type(one.learner).__name__
        return one.family == self.family and kind.startswith(self.stem)

    def setting(self, u: Floats) -> Setting:
        """Return the setting of a point of the unit cube (1)."""
        ends = zip(self.ranges.items(), u, strict=True)
        return {key: low * (high / low) ** float(x) for (key, (low, high)), x in ends}


# -- the spaces ------------------------------------------------------------------------
def boosted(two: bool, s: Setting, columns: int) -> Any:
    """Return boosted trees; their number times the rate is the strength."""
    return trees_of(two, s)


def boosted_counts(two: bool, s: Setting, columns: int) -> Any:
    """Return boosted trees by the deviance of Poisson."""
    return trees_of(two, s, loss="poisson")


def trees_of(two: bool, s: Setting, **given: Any) -> Any:
    """Return boosted trees of a setting."""
    trees = round(s["strength"] / s["learning_rate"])
    return of(
        "HistGradientBoosting",
        two,
        **given,
        learning_rate=s["learning_rate"],
        max_iter=int(np.clip(trees, FEW, MANY)),
        max_leaf_nodes=round(s["max_leaf_nodes"]),
        min_samples_leaf=round(s["min_samples_leaf"]),
        l2_regularization=s["l2_regularization"],
        max_features=s["max_features"],
    )


def of_logarithms(
    made: Callable[[bool, Setting, int], Any],
) -> Callable[[bool, Setting, int], Any]:
    """Return what makes learners of the logarithm of the target."""
    return lambda two, s, columns: logs(made(two, s, columns))


def kernel_machine(two: bool, s: Setting, columns: int) -> Any:
    """Return a kernel machine whose width follows the number of columns."""
    return machine(two, s["C"], s["width"] / max(columns, 1), s["epsilon"])


def forest(kind: str) -> Callable[[bool, Setting, int], Any]:
    """Return what makes a forest of a kind."""

    def made(two: bool, s: Setting, columns: int) -> Any:
        leaf = round(s["min_samples_leaf"])
        features = s["max_features"]
        return of(
            kind, two, n_estimators=300, max_features=features, min_samples_leaf=leaf
        )

    return made


def discriminant(two: bool, s: Setting, columns: int) -> Any:
    """Return a quadratic discriminant, of classes alone."""
    return quadratic(s["reg_param"])


def penalised(two: bool, s: Setting, columns: int) -> Any:
    """Return a linear model with its penalty."""
    return linear(two, s["C"], s["l1_ratio"])


def neighbours(two: bool, s: Setting, columns: int) -> Any:
    """Return nearest neighbours, by sums of differences or of their squares."""
    near, p = round(s["n_neighbors"]), 1 if s["p"] < 1.5 else 2
    return of("KNeighbors", two, n_neighbors=near, p=p, weights="distance")


def additive(two: bool, s: Setting, columns: int) -> Any:
    """Return additive boosting with some pairs of columns."""
    return of(
        "ExplainableBoosting",
        two,
        learning_rate=s["learning_rate"],
        interactions=round(s["interactions"]),
        max_leaf_nodes=round(s["max_leaf_nodes"]),
        min_samples_leaf=round(s["min_samples_leaf"]),
    )


LEAVES = {"max_features": (0.2, 1.0), "min_samples_leaf": (1.0, 8.0)}
WIDTHS = {"C": (0.3, 300.0), "width": (0.05, 3.0), "epsilon": (0.01, 0.3)}
PENALTIES = {"C": (0.003, 100.0), "l1_ratio": (0.03, 1.0)}
SHRUNK = {"reg_param": (0.003, 0.8)}
#: Families of some tables alone: not drawn where the ladder leaves them out.
ABSENT = {
    "boosting of counts",
    "boosting of logarithms",
    "kernel of logarithms",
    "linear of logarithms",
    "quadratic",
}
TREES = {
    "learning_rate": (0.02, 0.2),
    "strength": (1.0, 60.0),
    "max_leaf_nodes": (3.0, 63.0),
    "min_samples_leaf": (1.0, 60.0),
    "l2_regularization": (0.01, 30.0),
    "max_features": (0.3, 1.0),
}
SPACES = (
    Space(
        "boosting",
        "boosting",
        TREES,
        boosted,
    ),
    Space("boosting of counts", "boosting of counts", TREES, boosted_counts),
    Space("support vector machine", "kernel", WIDTHS, kernel_machine),
    *(
        Space(name, family, ranges, made, changes={"preparation": kind})
        for name, family, ranges, made, kind in (
            (WEIGHED_MACHINE, "weighed kernel", WIDTHS, kernel_machine, WEIGHED),
            (SHARP_MACHINE, "weighed kernel", WIDTHS, kernel_machine, SHARPLY),
            (WEIGHED_QUADRATIC, "quadratic", SHRUNK, discriminant, WEIGHED),
            (SHARP_QUADRATIC, "quadratic", SHRUNK, discriminant, SHARPLY),
        )
    ),
    Space("extra trees", "forest", LEAVES, forest("ExtraTrees"), "ExtraTrees"),
    Space("random forest", "forest", LEAVES, forest("RandomForest"), "RandomForest"),
    Space("linear", "linear", PENALTIES, penalised),
    Space(
        "nearest neighbours",
        "neighbours",
        {"n_neighbors": (3.0, 60.0), "p": (1.0, 2.25)},
        neighbours,
    ),
    Space(
        "nearest neighbours of weighed columns",
        "weighed neighbours",
        {"n_neighbors": (3.0, 60.0), "p": (1.0, 2.25)},
        neighbours,
    ),
    Space(
        "additive boosting",
        "additive",
        {
            "learning_rate": (0.01, 0.1),
            "interactions": (1.0, 20.0),
            "max_leaf_nodes": (2.0, 6.0),
            "min_samples_leaf": (2.0, 40.0),
        },
        additive,
        changes={"complexity": 7},  # pairs are harder to read than sums of curves
    ),
    *(
        Space(f"{name} of the logarithm", family, ranges, of_logarithms(made))
        for name, family, ranges, made in (
            ("boosting", "boosting of logarithms", TREES, boosted),
            ("support vector machine", "kernel of logarithms", WIDTHS, kernel_machine),
            ("elastic net", "linear of logarithms", PENALTIES, penalised),
        )
    ),
)


# -- drawing ---------------------------------------------------------------------------
class Draws:
    """Settings one after another, for a task and its columns.

    Parameters
    ----------
    task : {'classification', 'regression'}
    groups : FeatureGroups
    seed : int
    """

    def __init__(self, task: str, groups: FeatureGroups, seed: int) -> None:
        self.two = task == "classification"
        self.columns = len(groups.names)
        self.seed = seed
        self.points: dict[str, Floats] = {}  # by the names of candidates
        self.drawn = dict.fromkeys((space.name for space in SPACES), 0)

    def next(
        self, trials: list[Trial], weights: Mapping[str, float], refused: set[str]
    ) -> Candidate | None:
        """Return the next learner, or None where no family is left.

        Parameters
        ----------
        trials : list of Trial
            What was tried so far.
        weights : mapping from names of learners to float
            Their weights in the blend.
        refused : set of str
            Families of the ladder of which a learner was refused.
        """
        refused = refused | ABSENT - {t.candidate.family for t in trials}
        open_ = [space for space in SPACES if space.family not in refused]
        if not open_:
            return None
        leaning = {
            space.name: sum(weights.get(t.name, 0.0) for t in trials if space.holds(t))
            for space in open_
        }
        chosen = max(  # the first of several
            open_,
            key=lambda s: (leaning[s.name] + CURIOSITY) / (1 + self.drawn[s.name]),
        )
        self.drawn[chosen.name] += 1
        name = f"{self._called(chosen)}, drawn {self.drawn[chosen.name]}"
        u = self._point(chosen, trials)
        self.points[name] = u
        learner = chosen.learner(self.two, chosen.setting(u), self.columns)
        return rung(name, chosen.family, learner, **chosen.changes)

    def _called(self, space: Space) -> str:
        if space.name == "linear":
            return "logistic regression" if self.two else "elastic net"
        return space.name

    def _point(self, space: Space, trials: list[Trial]) -> Floats:
        """Draw a point of the cube: uniform, or near the best one so far (2)."""
        number, size = self.drawn[space.name], len(space.ranges)
        rng = generator(self.seed, 11, SPACES.index(space), number)
        known = [t for t in trials if t.name in self.points and space.holds(t)]
        if number <= FRESH or number % 2 or not known:
            return rng.random(size)
        best = min(known, key=lambda trial: trial.loss)
        return np.clip(self.points[best.name] + NEAR * rng.normal(size=size), 0.0, 1.0)
