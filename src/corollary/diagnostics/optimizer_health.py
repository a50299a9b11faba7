"""The health of an optimiser: what its report says, and which habits would help.

Also known as: convergence diagnosis, tricks of the trade, is the optimiser stuck.

A fit leaves a trace J_1, J_2, ... of its objective and says why it stopped.  Looked at
is, in this order:

    stop        did it end by its rule, or run out of passes, stall, diverge     (1)
    objective   does J rise; does it still fall by more than a thousandth        (2)
    optimality  is a proved gap above a hundredth of J                           (3)
    step        is the learning rate above 2/L, or below a hundredth of it       (4)
    conditions  kappa, the ratio of the largest to the least curvature: descent
                needs about kappa passes, whatever the machine                   (5)
    scale       do the columns' standard deviations differ, or are means far
                from 0: what (5) usually comes from                              (6)
    order       are rows visited in an order that the targets follow             (7)

Against (5) and (6): standardise the columns, which most often lowers kappa by orders of
magnitude (told, where X is given); or a rate for each weight (AdaGrad, Adam); or a
method that knows curvature (Newton, L-BFGS).  Against (4): a pilot of rates on a sample
(`learning_rate_pilot`).  Against (7): shuffle in each epoch.  Against (2), stochastic:
a falling schedule, since a constant rate hovers.  No number of cores repairs (5).

Notation: J = report_.objective; kappa = report_.condition.
Course: S1-55. References: LeCun et al. (1998); Bottou (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import frame_to_array, is_frame
from corollary.core.report import Report, StopReason
from corollary.solvers.learning_rate import watch

__all__ = ["HealthFinding", "OptimizerHealth", "optimizer_health"]

WHO = "optimizer_health"
FALLING = 1e-3  # of J in the last pass
FAR = 1e-2  # of J
SLOW = 1e-2  # of 2/L
STEEP = 1e3  # kappa that slows descent
SINGULAR = 1e8  # kappa that costs digits
APART = 30.0  # ratio of standard deviations
OFF = 30.0  # mean over standard deviation
LOOKED_AT = 5_000  # rows, for (6) and (7)
WIDEST = 2_000  # columns, for kappa
FINE = (StopReason.CLOSED_FORM, StopReason.CONVERGED, StopReason.STREAMING)


@dataclass(frozen=True)
class HealthFinding:
    """One thing that was looked at.

    Attributes
    ----------
    name : str
        'stop', 'objective', 'optimality', 'step', 'conditions', 'scale', 'order' or
        'warning'.
    healthy : bool
        Warnings of the fit are handed on, not judged.
    words : str
        What was seen.
    remedy : str
        What to do; empty where it is healthy.
    """

    name: str
    healthy: bool
    words: str
    remedy: str = ""

    def __str__(self) -> str:
        mark = "ok" if self.healthy else "!!"
        rest = f" {self.remedy}" if self.remedy else ""
        return f"{mark} {self.name}: {self.words}.{rest}"


@dataclass(frozen=True)
class OptimizerHealth:
    """What was found, the worst first.

    Attributes
    ----------
    learner : str
    findings : tuple of HealthFinding
        Those that are not healthy first.
    trace : tuple of float
        The objective over the passes.
    """

    learner: str
    findings: tuple[HealthFinding, ...]
    trace: tuple[float, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether all that was looked at is."""
        return all(one.healthy for one in self.findings)

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to do, in order."""
        remedies = (
            one.remedy for one in self.findings if not one.healthy and one.remedy
        )
        return tuple(dict.fromkeys(remedies))

    def __getitem__(self, name: str) -> HealthFinding:
        for one in self.findings:
            if one.name == name:
                return one
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(one.name == name for one in self.findings)

    def __str__(self) -> str:
        state = "healthy" if self.healthy else "needs attention"
        lines = [
            f"{self.learner}: the optimiser {'is ' if self.healthy else ''}{state}"
        ]
        return "\n".join([*lines, *(f"  {one}" for one in self.findings)])

    def plot(self, ax: Any = None) -> Any:
        """Draw the objective over the passes; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(range(1, len(self.trace) + 1), self.trace, marker="o")
        title = "healthy" if self.healthy else self.findings[0].words
        ax.set(xlabel="pass over the data", ylabel="objective", title=title)
        return ax


def optimizer_health(model: Any, X: Any = None, y: Any = None) -> OptimizerHealth:
    """Say how an optimiser fared, and what would help it.

    Parameters
    ----------
    model : fitted model or pipeline
        With a `report_`, or with `n_iter_` and `max_iter` as scikit-learn's have.
    X, y : rows and targets of the fit, optional
        For the scale of the columns and the order of the rows.

    Returns
    -------
    OptimizerHealth

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GradientDescentRegressor
    >>> from corollary.core.warn import gathered_warnings
    >>> from corollary.diagnostics import optimizer_health
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) * [1.0, 100.0]
    >>> y = X @ [1.0, 0.01]
    >>> with gathered_warnings():
    ...     model = GradientDescentRegressor(max_iter=50).fit(X, y)
    >>> found = optimizer_health(model, X, y)
    >>> found.healthy, found["scale"].healthy
    (False, False)
    >>> print(found["scale"])
    !! scale: standard deviations of the columns differ by a factor of 103. \
Standardise the columns (StandardScaler): kappa would fall from 1.05e+04 to 1.11; or \
give each weight its own rate (adagrad, adam).
    """
    if isinstance(model, Pipeline):
        X = None if X is None else model[:-1].transform(X)
        model = model.steps[-1][1]
    report = getattr(model, "report_", None)
    if isinstance(report, Report):
        found = _of_report(model, report)
        trace = tuple(float(value) for value in report.objective)
    else:
        found, trace = _of_counts(model), ()
    if X is not None:
        found += _of_rows(model, X, y)
    found.sort(key=lambda one: one.healthy)
    return OptimizerHealth(type(model).__name__, tuple(found), trace)


# -- the report ------------------------------------------------------------------------
def _of_report(model: Any, report: Report) -> list[HealthFinding]:
    """Look at (1) to (5)."""
    stop = report.stop
    fine = stop in FINE or stop is StopReason.DELEGATED
    words = f"{stop.word} after {report.passes} passes, {stop.meaning}"
    found = [HealthFinding("stop", fine, words, "" if fine else report.what_to_do)]
    found += _trace(report, _is_stochastic(model, report))
    found += _optimality(report)
    found += _step(report)
    found += _conditions(report)
    found += [
        HealthFinding("warning", True, text.rstrip(".")) for text in report.warnings
    ]
    return found


def _is_stochastic(model: Any, report: Report) -> bool:
    return hasattr(model, "shuffle") or "n_steps" in report.facts


def _trace(report: Report, stochastic: bool) -> list[HealthFinding]:
    """Look at (2)."""
    J = np.asarray(report.objective, dtype=np.float64)
    if len(J) < 2 and np.isfinite(J).all():
        return []
    rate = "Use a smaller learning rate; try some on a sample (learning_rate_pilot)."
    if not np.isfinite(J).all():
        return [HealthFinding("objective", False, "it became infinite", rate)]
    if stochastic:
        third = max(len(J) // 3, 1)
        if J[-third:].mean() > J[:third].mean():
            return [HealthFinding("objective", False, "it rose over the epochs", rate)]
        rises = float(np.mean(np.diff(J) > 0))
        words = (
            f"it fell from {J[0]:.4g} to {J[-1]:.4g}, rising in {rises:.0%} of epochs"
        )
        schedule = "Use a falling schedule, or the mean of the iterates."
        restless = rises > 0.3 and len(J) > 5
        remedy = schedule if restless else ""
        return [HealthFinding("objective", not restless, words, remedy)]
    seen = watch(J, FALLING)
    if seen.verdict == "rising":
        words = f"it rose in pass {seen.iteration + 1}"
        return [HealthFinding("objective", False, words, rate)]
    last = (J[-2] - J[-1]) / max(abs(J[-2]), np.finfo(float).tiny)
    stopped = report.stop in FINE
    if last > FALLING and not stopped:
        words = f"it still fell by {last:.2g} of itself in the last pass"
        return [
            HealthFinding("objective", False, words, "Allow more passes (max_iter).")
        ]
    words = f"it fell from {J[0]:.4g} to {J[-1]:.4g} and never rose"
    return [HealthFinding("objective", True, words)]


def _optimality(report: Report) -> list[HealthFinding]:
    """Look at (3)."""
    optimality = report.optimality
    if optimality.relative is None or "gap" not in optimality.kind:
        return []
    words = f"{optimality.kind} is {optimality.relative:.2g} of the objective"
    if optimality.relative <= FAR:
        return [HealthFinding("optimality", True, words)]
    remedy = "Lower tol, allow more passes, or use a method that knows curvature."
    return [HealthFinding("optimality", False, words, remedy)]


def _step(report: Report) -> list[HealthFinding]:
    """Look at (4)."""
    rate = report.facts.get("learning_rate")
    most = report.facts.get("largest_learning_rate")
    if rate is None or most is None:
        return []
    words = f"the learning rate is {rate:.3g}, descent converges below {most:.3g}"
    if rate >= most:
        remedy = f"Use a learning rate of {most / 2:.2g}, or scale the columns."
        return [HealthFinding("step", False, words, remedy)]
    if rate < SLOW * most:
        remedy = f"Use a larger learning rate, up to {most / 2:.2g}."
        return [HealthFinding("step", False, words, remedy)]
    return [HealthFinding("step", True, words)]


def _conditions(report: Report) -> list[HealthFinding]:
    """Look at (5)."""
    kappa = report.condition
    if kappa is None:
        return []
    words = f"the condition number is {kappa:.3g}"
    descent = "learning_rate" in report.facts
    if descent and kappa > STEEP:
        words += f", so descent needs about {kappa:,.0f} passes"
        remedy = "Scale the columns, use a rate for each weight, or Newton's method; "
        return [
            HealthFinding(
                "conditions", False, words, remedy + "more cores do not help."
            )
        ]
    if kappa > SINGULAR:
        digits = max(15.6 - float(np.log10(kappa)), 0.0)
        words += f", which leaves about {digits:.0f} digits"
        remedy = "Drop columns that follow from others, or add a penalty."
        return [HealthFinding("conditions", False, words, remedy)]
    return [HealthFinding("conditions", True, words)]


def _of_counts(model: Any) -> list[HealthFinding]:
    """Look at the iterations of a model that keeps no report."""
    used, most = getattr(model, "n_iter_", None), getattr(model, "max_iter", None)
    if used is None or most is None:
        must = "model must keep a report_, or n_iter_ and max_iter"
        raise DataError(sentence(WHO, must, type(model).__name__))
    taken = int(np.max(used))
    fine = most < 0 or taken < int(most)
    words = f"{taken} iterations of at most {most}"
    remedy = "" if fine else StopReason.MAX_PASSES.remedy
    return [HealthFinding("stop", fine, words, remedy)]


# -- the rows --------------------------------------------------------------------------
def _of_rows(model: Any, X: Any, y: Any) -> list[HealthFinding]:
    """Look at (6) and (7)."""
    X = frame_to_array(WHO, X) if is_frame(X) else X
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2 or (y is not None and len(np.asarray(y)) != X.shape[0]):
        must = "X must be a matrix with a row for each y"
        raise DataError(sentence(WHO, must, f"{X.shape} and {np.shape(y)}"))
    found = [_scale(X)]
    if y is not None and getattr(model, "shuffle", None) is False:
        found.append(_order(np.asarray(y)))
    return found


def _scale(X: Any) -> HealthFinding:
    """Look at (6)."""
    step = max(X.shape[0] // LOOKED_AT, 1)
    A = X[::step]
    A = np.asarray(A.toarray() if sp.issparse(A) else A, dtype=np.float64)
    sd, mean = A.std(axis=0), A.mean(axis=0)
    vary = sd > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    if vary.sum() < 1 or not np.isfinite(sd).all():
        return HealthFinding("scale", True, "no two columns vary")
    ratio = float(sd[vary].max() / sd[vary].min())
    offset = float((np.abs(mean[vary]) / sd[vary]).max())
    if ratio <= APART and offset <= OFF:
        words = f"standard deviations differ by a factor of {ratio:.3g} at most"
        return HealthFinding("scale", True, words)
    words = f"standard deviations of the columns differ by a factor of {ratio:.3g}"
    if ratio <= APART:
        words = f"the mean of a column is {offset:.3g} standard deviations from 0"
    remedy = "Standardise the columns (StandardScaler)"
    if vary.sum() <= WIDEST and A.shape[0] > 1:
        before, after = _kappa(A[:, vary]), _kappa((A - mean)[:, vary] / sd[vary])
        remedy += f": kappa would fall from {before:.3g} to {after:.3g}"
    remedy += "; or give each weight its own rate (adagrad, adam)."
    return HealthFinding("scale", False, words, remedy)


def _kappa(A: Floats) -> float:
    """Return the condition number of least squares on these columns."""
    s = np.linalg.svd(A, compute_uv=False)
    return float((s[0] / s[-1]) ** 2) if s[-1] > 0 else np.inf


def _order(y: Vector) -> HealthFinding:
    """Look at (7): compare the changes between neighbours with those by chance."""
    y = y[: 20 * LOOKED_AT]
    if y.ndim != 1 or len(y) < 3:
        return HealthFinding("order", True, "too few rows to tell an order")
    if y.dtype.kind == "f" and len(np.unique(y)) > len(y) // 2:
        spread = float(np.mean((y - y.mean()) ** 2)) * 2
        change = float(np.mean(np.diff(y) ** 2)) / (spread or 1.0)
    else:
        shares = np.unique(y, return_counts=True)[1] / len(y)
        expected = 1 - float(shares @ shares)
        change = float(np.mean(y[1:] != y[:-1])) / (expected or 1.0)
    words = f"neighbouring rows differ {change:.2g} times as much as rows by chance"
    if change > 0.5:
        return HealthFinding("order", True, words)
    remedy = "Shuffle the rows in each epoch (shuffle=True)."
    return HealthFinding("order", False, words, remedy)
