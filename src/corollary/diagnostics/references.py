"""Reference models: what loss these columns allow, whatever the model.

A model has high bias if others do better on the same rows, so a diagnosis fits some
that differ in kind, on the columns as they are (`coded_matrix`):

    linear       a straight line, with more and with less penalty
    quadratic    squares and products too, where there are few columns
    boosting     histogram gradient boosting: steps and interactions
    forest       extremely randomised trees
    kernel       Gaussian kernel ridge, for numbers

The least of their losses would flatter them, since it was chosen on the rows that it is
measured on.  So the choice for a fold is made on the others:

    L*_i = L_i of the reference with the least loss outside the fold of i        (1)

References: Varma and Simon (2006); Tibshirani and Tibshirani (2009).
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline, make_pipeline

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.coded_matrix import Coded
from corollary.diagnostics.judged_loss import JudgedLoss
from corollary.diagnostics.out_of_fold import Folds, OutOfFold, out_of_fold
from corollary.diagnostics.variants import clone_step
from corollary.ensembles.extra_trees_classifier import ExtraTreesClassifier
from corollary.ensembles.extra_trees_regressor import ExtraTreesRegressor
from corollary.ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier,
)
from corollary.ensembles.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor,
)
from corollary.kernel_methods.kernel_ridge import KernelRidge
from corollary.linear.least_squares.ridge_cv import RidgeCV
from corollary.linear.logistic.logistic_regression import LogisticRegression
from corollary.preparation.polynomial_features import PolynomialFeatures
from corollary.preparation.standard_scaler import StandardScaler

__all__ = [
    "REFERENCE_WORDS",
    "baseline",
    "best_reference",
    "reference_losses",
    "reference_models",
    "reference_pipeline",
]

QUADRATIC = 40  # columns of the design that may be multiplied with each other
KERNEL_ROWS = 2_000
ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)
REFERENCE_WORDS = {
    "linear": "a linear one",
    "linear, penalised": "a linear one with a strong penalty",
    "linear, free": "a linear one with hardly a penalty",
    "quadratic": "a linear one on squares and products of the columns",
    "boosting": "histogram gradient boosting",
    "forest": "extremely randomised trees",
    "kernel": "Gaussian kernel ridge",
    "a constant": "a constant",
}


def reference_models(classes: bool, n: int, width: int) -> dict[str, tuple[Any, bool]]:
    """Return references by name, each with whether it takes the design matrix."""
    leaf = int(np.clip(n // 50, 3, 20))
    trees: dict[str, Any] = {
        "max_leaf_nodes": 15,
        "min_samples_leaf": leaf,
        "random_state": 0,
    }
    wood: dict[str, Any] = {
        "n_estimators": 60,
        "min_samples_leaf": 2,
        "random_state": 0,
    }
    found: dict[str, tuple[Any, bool]] = {}
    if classes:
        found["linear"] = LogisticRegression(C=1.0), True
        found["linear, penalised"] = LogisticRegression(C=0.02), True
        found["linear, free"] = LogisticRegression(C=50.0), True
        found["boosting"] = HistGradientBoostingClassifier(**trees), False
        found["forest"] = ExtraTreesClassifier(**wood), True
    else:
        found["linear"] = RidgeCV(alphas=ALPHAS), True
        found["boosting"] = HistGradientBoostingRegressor(**trees), False
        found["forest"] = ExtraTreesRegressor(**wood), True
    if 1 <= width <= QUADRATIC and n >= 50:
        squares = PolynomialFeatures(2, include_bias=False)
        last = LogisticRegression(C=0.05) if classes else RidgeCV(alphas=ALPHAS)
        found["quadratic"] = make_pipeline(squares, last), True
    if not classes and n <= KERNEL_ROWS and width:
        kernel = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5 / width)
        found["kernel"] = kernel, True
    return found


def baseline(
    model: Any, y: Vector, folds: Folds, loss: JudgedLoss
) -> tuple[Floats, OutOfFold]:
    """Return the out-of-fold losses of the best constant."""
    classes = is_classifier(model)
    wide = loss.reads == "probabilities"
    constant = DummyClassifier(strategy="prior" if wide else "most_frequent")
    if not classes:
        middle = "median" if loss.name == "absolute" else "mean"
        constant = DummyRegressor(strategy=middle)
    found = out_of_fold(constant, np.zeros((len(y), 1)), y, folds, loss)
    return found.losses, found


def reference_losses(
    model: Any,
    coded: Coded,
    y: Vector,
    folds: Folds,
    loss: JudgedLoss,
    *,
    deadline: float = np.inf,
) -> dict[str, OutOfFold]:
    """Return the out-of-fold losses of the references, until a deadline passes."""
    design = coded.design()
    found: dict[str, OutOfFold] = {}
    listed = reference_models(is_classifier(model), len(y), design.shape[1])
    for name, (reference, plain) in listed.items():
        X = design if plain else coded.Z
        if X.shape[1] == 0 or (found and clock.perf_counter() > deadline):
            continue
        try:
            late = deadline if found else np.inf
            made = out_of_fold(centred(reference), X, y, folds, loss, deadline=late)
            found[name] = made
        except (ValueError, ArithmeticError, MemoryError, TimeoutError):
            continue  # a reference that these rows do not suit is none
    return found


def centred(reference: Any) -> Any:
    """Return a kernel machine for targets with any mean, others as they are."""
    if not isinstance(reference, KernelRidge):
        return reference
    return TransformedTargetRegressor(reference, transformer=StandardScaler())


def best_reference(
    losses: Mapping[str, Floats], folds: Folds
) -> tuple[Floats, str] | None:
    """Return the losses (1), and the name of the reference that is chosen most."""
    if not losses:
        return None
    names = list(losses)
    L = np.array([losses[name] for name in names])  # (m, n)
    chosen = np.full(L.shape[1], np.nan)
    votes = np.zeros(len(names))
    for fold in folds:
        test = fold[1]
        rest = np.ones(L.shape[1], dtype=bool)
        rest[test] = False
        if not np.isfinite(L[:, rest]).any():
            rest[:] = True
        means = np.nanmean(np.where(rest, L, np.nan), axis=1)
        best = int(np.nanargmin(means))
        votes[best] += 1
        chosen[test] = L[best, test]  # (1)
    return chosen, names[int(votes.argmax())]


def reference_pipeline(case: Any, name: str) -> Any:
    """Return a reference as a model for the rows as they came, None if it has none.

    In a pipeline it takes the place of the last step; rows of numbers are standardised.
    """
    width = case.coded.design().shape[1]
    listed = reference_models(case.classes, len(case.y), width)
    if name not in listed:
        return None
    reference, plain = listed[name]
    whole = not case.coded.missing.any() and not case.coded.categorical.any()
    if isinstance(case.model, Pipeline):
        head = [(key, clone_step(step)) for key, step in case.model.steps[:-1]]
    elif whole or not plain:
        head = []
    else:
        return None
    if case.coded.categorical.any() and not head:
        return None
    scale = [("standardised", StandardScaler())] if plain else []
    return Pipeline([*head, *scale, ("model", centred(reference))])
