"""A readable model in words: coefficients, a tree, or the strongest effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.workbench.log_target import LogTarget

__all__ = ["model_text"]

MOST = 30  # coefficients or effects that are shown


def model_text(pipeline: Any, classes: Any = None) -> str:
    """Return how a readable pipeline answers, as text.

    Parameters
    ----------
    pipeline : fitted Pipeline of a preparation and a learner
    classes : sequence of labels, optional
        What the codes of the learner stand for.
    """
    learner = pipeline[-1]
    if isinstance(learner, LogTarget):
        return "for the logarithm of the target\n" + inner_text(
            learner.regressor_, pipeline, classes
        )
    return inner_text(getattr(learner, "regressor_", learner), pipeline, classes)


def inner_text(learner: Any, pipeline: Any, classes: Any) -> str:
    """Return how a learner answers, without what is done to its target."""
    names = [str(name).split("__")[-1] for name in feature_names(pipeline)]
    if hasattr(learner, "tree_"):
        return tree_text(learner, names, classes)
    if hasattr(learner, "coef_"):
        return coefficients_text(learner, names, classes)
    if hasattr(learner, "feature_importances_"):
        return ranked("importance", learner.feature_importances_, names)
    return f"{type(learner).__name__}: always the same answer."


def feature_names(pipeline: Any) -> list[str]:
    """Return the names of the prepared columns."""
    return [str(name) for name in pipeline[0].get_feature_names_out()]


def tree_text(learner: Any, names: list[str], classes: Any) -> str:
    """Return a tree, one line a node."""
    from corollary.trees import export_text

    labels = None if classes is None else [str(label) for label in classes]
    known = getattr(learner, "classes_", None)
    if labels is not None and known is not None:
        labels = [labels[int(code)] for code in known]
    return str(export_text(learner, feature_names=names, class_names=labels))


def coefficients_text(learner: Any, names: list[str], classes: Any) -> str:
    """Return coefficients of scaled columns, the largest first."""
    coef = np.atleast_2d(np.asarray(learner.coef_, dtype=float))
    intercept = np.atleast_1d(np.asarray(learner.intercept_, dtype=float))
    if len(coef) == 1:
        what = "" if classes is None else f" for {classes[-1]!s} against {classes[0]!s}"
        head = f"coefficients of columns with deviation 1{what}"
        return ranked(head, coef[0], names, f"intercept {intercept[0]:.4g}")
    parts = []
    for row, b0, label in zip(coef, intercept, classes, strict=True):
        parts.append(
            ranked(f"coefficients for {label!s}", row, names, f"intercept {b0:.4g}")
        )
    return "\n".join(parts)


def ranked(head: str, values: Any, names: list[str], last: str = "") -> str:
    """Return named values, the largest in size first."""
    values = np.asarray(values, dtype=float)
    order = np.argsort(-np.abs(values), kind="stable")[:MOST]
    wide = max((len(names[j]) for j in order), default=0)
    lines = [f"  {names[j]:<{wide}}  {values[j]: .4g}" for j in order]
    more = len(values) - len(order)
    lines += [f"  and {more} smaller ones"] if more > 0 else []
    lines += [f"  {last}"] if last else []
    return "\n".join([head, *lines])
