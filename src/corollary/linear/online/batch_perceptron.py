"""The perceptron in batches, in summation form.

Also known as: batch perceptron rule, gradient descent on the perceptron criterion.

With y_i = t_i (1, x_i), t_i = +-1, the perceptron criterion and a step down its slope:

    J(a) = sum_i w_i max(0, -a'y_i)                                                  (1)
    a   <- a + eta_k sum over {i: a'y_i <= 0} of w_i y_i                             (2)

The step ends when no row is misclassified.  On separable classes a fixed eta gets there
in finitely many steps; from a = 0 their number does not depend on eta.  Otherwise (2)
never rests: schedule='harmonic', eta_k = eta0/k, makes it settle somewhere, not at a
good place, so the iterate with the fewest errors so far is kept (pocket).  (2) is a sum
over rows: it runs on any source and executor.

Notation: a = (intercept_, coef_); eta = eta0; k counts steps from 1.
Course: S3-57, S3-56. Reference: Duda, Hart, Stork (2001), 5.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import array_like, boolean, missing, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.linear.class_statements import batch_perceptron_problem
from corollary.linear.linear_classifier import LinearClassifier

__all__ = ["BatchPerceptron"]


@dataclass(frozen=True)
class Misclassified(Statistics):
    """Sums over the rows on the wrong side."""

    errors: float
    J: float
    y: Floats  # (d + 1,) sum of w_i y_i, intercept first


@dataclass(frozen=True)
class Separator:
    """The state: a before and after the step, and the best a so far."""

    a: Floats  # (d + 1,)
    dtype: Any
    best: Any = None
    fewest: float = float(np.inf)
    J: float = float(np.inf)
    errors: float = float(np.inf)
    step: float = float(np.inf)  # length of the last step
    k: int = 0


class BatchPerceptron(SummationLearner, LinearClassifier):
    """The batch perceptron for two classes.

    Parameters
    ----------
    eta0 : float, default=1.0
        eta > 0 of (2).
    schedule : {'constant', 'harmonic'}
        eta_k = eta0, or eta0/k.
    output : {'last', 'pocket'}
        Whether to keep the last a or the one with the fewest errors.
    start_at : array of shape (d + 1,), optional
        The first a, intercept first; 0 by default.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    max_iter : int, default=1000
        Steps, each a pass over the data.
    tol : float, default=0.0
        Stop also when a step is not longer than this.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, d)
    intercept_ : array of shape (1,)
    errors_ : float
        Weight of the rows that the best a so far misclassifies.
    n_iter_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import BatchPerceptron
    >>> from corollary.datasets import student_perceptron
    >>> table = student_perceptron()
    >>> model = BatchPerceptron(start_at=[0.25] * 5).fit(table.X, table.y == "A")
    >>> model.intercept_.tolist(), model.coef_.tolist()
    ([0.25], [[2.25, 0.25, -1.75, -1.75]])
    """

    shapes: ClassVar = {"classes_": "2", "coef_": "1 d", "intercept_": "1"}
    rules: ClassVar = {
        "eta0": real(0, ends="(]"),
        "schedule": one_of("constant", "harmonic"),
        "output": one_of("last", "pocket"),
        "start_at": missing | array_like,
        "fit_intercept": boolean,
        "max_iter": whole(1),
        "tol": real(0),
        "verbose": whole(0) | boolean,
    }
    convex_problem = batch_perceptron_problem

    def __init__(
        self,
        *,
        eta0: float = 1.0,
        schedule: str = "constant",
        output: str = "last",
        start_at: Any = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0,
        verbose: int = 0,
    ) -> None:
        self.eta0 = eta0
        self.schedule = schedule
        self.output = output
        self.start_at = start_at
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Separator:
        """Begin at 0 or where the user asks."""
        K, d = len(self.classes_), data.source.n_features
        if K != 2:
            must = "needs samples of 2 classes; Only binary classification is supported"
            came = f"{K} class{'es' if K != 1 else ''}"
            remedy = "Use Perceptron for more." if K > 2 else ""
            raise DataError(sentence(self, must, came, remedy))
        a = np.zeros(d + 1)
        if self.start_at is not None:
            a = np.asarray(self.start_at, dtype=np.float64)
        if a.shape != (d + 1,) or not np.isfinite(a).all():
            must = f"start_at must hold {d + 1} finite numbers, the intercept first"
            raise DataError(sentence(self, must, f"shape {a.shape}"))
        return Separator(a, data.source.dtype)

    def statistics(self, chunk: Chunk, state: Separator) -> Misclassified:
        """Sum the rows on the wrong side."""
        t = np.where(chunk.y == 1, 1.0, -1.0)
        f = t * (np.asarray(chunk.X @ state.a[1:]) + state.a[0])
        w = np.ones(chunk.n) if chunk.w is None else chunk.w
        wrong = np.where(f <= 0, w, 0.0)
        pull = wrong * t
        y = np.concatenate([[pull.sum() * self.fit_intercept], chunk.X.T @ pull])
        return Misclassified(float(wrong.sum()), float(-(wrong @ f)), y)

    def update(self, s: Misclassified, state: Separator) -> Separator:
        """Take one step (2), and keep the best a."""
        k = state.k + 1
        eta = self.eta0 / k if self.schedule == "harmonic" else self.eta0
        better = s.errors < state.fewest
        return replace(
            state,
            a=state.a + eta * s.y,  # (2)
            best=state.a if better else state.best,
            fewest=s.errors if better else state.fewest,
            J=s.J,
            errors=s.errors,
            step=float(eta * np.linalg.norm(s.y)),
            k=k,
        )

    def objective(self, s: Misclassified, state: Separator) -> float:
        """Return (1) before the step."""
        return state.J

    def stop(self, state: Separator) -> StopReason | None:
        """Stop when no row is misclassified, or the steps have become short."""
        done = state.errors == 0 or state.step <= self.tol
        return StopReason.CONVERGED if done else None

    def account(self, state: Separator, report: Report) -> None:
        """Report the errors and whether the classes were separated."""
        what = "weight of misclassified rows in the best pass is"
        report.optimality = Optimality(what, state.fewest)
        report.facts["separated"] = state.errors == 0
        if state.errors > 0:
            report.warnings.append(
                "rows are still misclassified: separability(X, y) tells whether a "
                "hyperplane exists. Use output='pocket' to keep the best."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Separator = fitted.state
        a = state.best if self.output == "pocket" else state.a
        self.intercept_ = a[:1].astype(state.dtype)
        self.coef_ = a[None, 1:].astype(state.dtype)
        self.errors_, self.n_iter_ = state.fewest, fitted.report.passes
