"""The bounds that the theory of a model offers, by the theories that it names.

An estimator opts in by the class attribute `theory`, the names of what its hypotheses
are; scikit-learn's estimators are taken like ours of the same name.

    name              hypotheses                    bounds from its training rows
    halfspaces        sign(w'x + b)                 VC dimension d + 1, PAC-Bayes
    kernel expansion  sign of a function in a ball  margin, PAC-Bayes, support vectors
    vote              votes of simple rules         margins of the vote
    tree              trees of bounded description  Occam, by the bits of the tree
    neighbors         the nearest training rows     none; Cover and Hart by new rows

Each bound holds by itself with its delta; those of training rows hold for the rows the
model was fitted to and need no others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.theory.bound import Bound
from corollary.theory.certificate import Check
from corollary.theory.compression import support_vector_bound
from corollary.theory.margin import boosting_margin_bound, svm_margin_bound
from corollary.theory.nearest_neighbor_bounds import bayes_error_bracket
from corollary.theory.pac_bayes import linear_pac_bayes_bound
from corollary.theory.tree_bound import tree_bound
from corollary.theory.vc import vc_bound

__all__ = ["TrainingRows", "neighbor_notes", "optimization_check", "theory_of"]

SEED = 20_029
OTHERS = {"KNeighborsClassifier": ("neighbors",)}  # of names that are not ours


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a model was fitted to, and what it says of them."""

    X: Any
    y: Vector
    predicted: Vector
    error: float  # share of wrong labels


def theory_of(
    model: Any, rows: TrainingRows | None, delta: float
) -> tuple[tuple[Bound, ...], tuple[str, ...]]:
    """Return the bounds that a model's theory offers, and why others are not there."""
    names = named_theories(model)
    if not names:
        return (), ()
    if rows is None:
        words = "Give train=(X, y), the rows of the fit, for the bounds of its theory"
        return (), (f"{words}: {', '.join(names)}.",)
    bounds: list[Bound] = []
    notes: list[str] = []
    for name in names:
        for prove in THEORIES[name]:
            try:
                bounds.append(prove(model, rows, delta))
            except (DataError, ParameterError) as error:
                notes.append(str(error))
    return tuple(bounds), tuple(notes)


def named_theories(model: Any) -> tuple[str, ...]:
    """Return the theories that a model, or ours of the same name, has."""
    import corollary

    name = type(model).__name__
    if not type(model).__module__.startswith("corollary"):
        if name in OTHERS:
            return OTHERS[name]
        model = getattr(corollary, name, None)
    return tuple(getattr(model, "theory", ()))


def optimization_check(model: Any) -> tuple[Check, ...]:
    """Say how far the fit is from the best of its own objective, where it knows."""
    report = getattr(model, "report_", None)
    if report is None:
        return ()
    stop, known = report.stop, report.optimality
    words = f"{stop.word}: {stop.meaning}; {known}."
    return (Check("the fit is done", not stop.remedy, words[0].upper() + words[1:]),)


# -- halfspaces ------------------------------------------------------------------------
def by_dimension(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the VC bound of halfspaces in d dimensions."""
    d = two_class_width(model)
    return vc_bound(rows.error, m=len(rows.y), d=d + 1, delta=delta)


def by_posterior(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the PAC-Bayes bound of a Gaussian posterior around w."""
    return linear_pac_bayes_bound(model, rows.X, rows.y, delta)


def two_class_width(model: Any) -> int:
    """Return the number of weights; refuse other than two classes."""
    W = model.coef_
    scores, d = W.shape if W.ndim == 2 else (1, W.shape[0])
    if scores != 1:
        must = "bounds of halfspaces need a model of two classes"
        raise DataError(sentence(model, must, f"{scores} scores"))
    return int(d)


# -- kernels ---------------------------------------------------------------------------
def by_margin(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the margin bound of a ball of functions."""
    return svm_margin_bound(model, rows.X, rows.y, delta)


def by_support(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the bound by the number of support vectors."""
    return support_vector_bound(model, rows.X, rows.y, delta)


# -- votes and trees -------------------------------------------------------------------
def by_vote(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the bound by the margins of a vote."""
    return boosting_margin_bound(model, rows.X, rows.y, delta, random_state=SEED)


def by_description(model: Any, rows: TrainingRows, delta: float) -> Bound:
    """Return the bound by the bits that a tree takes."""
    return tree_bound(model, rows.X, rows.y, delta)


Prove = Callable[[Any, TrainingRows, float], Bound]
THEORIES: dict[str, tuple[Prove, ...]] = {
    "halfspaces": (by_dimension, by_posterior),
    "kernel expansion": (by_margin, by_posterior, by_support),
    "vote": (by_vote,),
    "tree": (by_description,),
    "neighbors": (),
}


# -- neighbours ------------------------------------------------------------------------
def neighbor_notes(model: Any, error: float, n: int) -> tuple[str, ...]:
    """Bracket the Bayes error by the error of neighbours on new rows."""
    if "neighbors" not in named_theories(model):
        return ()
    k, C = int(model.n_neighbors), len(model.classes_)
    if C > 2 and k > 2:
        return ()
    found = bayes_error_bracket(min(error, 1 - 1 / C), k=k, n_classes=C, n=n)
    words = f"With ever more rows {found} (Cover and Hart); at {n:,} rows it is a guide"
    return (f"{words}.",)
