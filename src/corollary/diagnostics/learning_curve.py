"""Learning curve: training and validation loss against the number of rows.

Also known as: error against m, bias or variance, would more data help, data scaling.

A learner is fitted to samples of m rows; over m,

    training loss    t(m) = mean loss on the m rows it was fitted to             (1)
    validation loss  e(m) = mean loss on rows held out = a + b m^-c              (2)

(1) is small for few rows, which any model can follow, and rises; (2) falls.  Both go to
the level that the model, its features and the noise in y allow (`power_law`).

What holds the model back is read from the gap e(m) - t(m) and from whether e(m) still
falls (`bias_or_variance`): ten times the rows would lower it by a twentieth, or take it
a tenth of the way to a desired loss, and its slope over log m is below 0 beyond doubt.
A learner *learns* if its loss falls with experience, in Mitchell's sense: if that slope
is below 0.

Before the fall, (2) may rise to a peak where a model has as many columns as rows; sizes
before it say nothing of what comes and are left out of the law.  Where (1) rises, the
law goes to no level below it.

Notation: m = sizes; t = training; e = validation.
Course: S4-65, S3-97. References: Cortes et al. (1994); Mitchell (1997), 1.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.diagnostics.bias_or_variance import advice_of, is_large, verdict_of
from corollary.diagnostics.nested_samples import Measured, chosen_sizes, measure
from corollary.diagnostics.power_law import Extrapolated, PowerLaw, fit_power_law
from corollary.selection.folds import folds_of
from corollary.selection.validation_data import Given, check_model, given_rows
from corollary.selection.validation_loss import LOSSES, Loss, chosen_loss
from corollary.theory.draws import seed_of

__all__ = ["LearningCurve", "learning_curve"]

WHO = "learning_curve"
LEAST_ROWS = 10
EXACT = 1e-20  # of the loss of the mean of y
FALLING, TENTH = 0.05, 0.1  # of the loss, of the way to the desired one
AHEAD = (1, 2, 4, 10)  # times all rows, where the curve is extrapolated
WORDS = {
    "error": "share of errors",
    "squared": "mean squared error",
    "absolute": "mean absolute error",
    "log": "log loss",
    "brier": "Brier score",
}


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Losses over the number of rows, what they will be, and what follows.

    Attributes
    ----------
    model, loss : str
        Class of the model and name of the loss.
    rows : int
        Rows that were given.
    sizes : array of shape (K,)
        Rows of the samples.
    training, training_se : arrays of shape (K,)
        (1), and standard errors.
    validation, validation_se : arrays of shape (K,)
        (2), and standard errors.
    covariance : array of shape (K, K)
        Of the validation losses, whose errors have much in common.
    law : PowerLaw
        Fitted to (2).
    n_splits : int
    desired : float or None
    notes : tuple of str
        What was left out, and what the fits warned of.
    exact : float
        A loss that is but rounding.
    """

    model: str
    loss: str
    rows: int
    sizes: Floats
    training: Floats
    training_se: Floats
    validation: Floats
    validation_se: Floats
    covariance: Floats
    law: PowerLaw
    n_splits: int
    desired: float | None = None
    notes: tuple[str, ...] = ()
    exact: float = 0.0

    # -- what is to be expected --------------------------------------------------------
    def at(self, m: float) -> Extrapolated:
        """Return the validation loss to expect of m rows, and a 95 % interval.

        Parameters
        ----------
        m : float

        Returns
        -------
        Extrapolated
        """
        return self.law.at(m)

    def rows_for(self, loss: float) -> Extrapolated:
        """Return the rows that a validation loss takes; infinity where none suffice.

        Parameters
        ----------
        loss : float

        Returns
        -------
        Extrapolated
        """
        return self.law.rows_for(loss)

    @property
    def slope(self) -> tuple[float, float]:
        """The change of the loss by a factor e of rows, and its standard error."""
        part = slice(peak(self.validation, self.covariance), None)
        x, C = np.log(self.sizes[part]), self.covariance[part, part]
        most = float(np.diag(C).max()) or 1.0
        w = 1 / np.maximum(np.diag(C) / most, 1e-12)
        weights = w * (x - w @ x / w.sum())
        weights /= weights @ x
        error = float(np.sqrt(max(weights @ C @ weights, 0.0)))
        return float(weights @ self.validation[part]), error

    @property
    def learns(self) -> bool:
        """Whether the loss falls with experience, beyond doubt (95 %)."""
        value, error = self.slope
        return value + float(stats.norm.ppf(0.95)) * error < 0

    # -- what follows ------------------------------------------------------------------
    @property
    def gap(self) -> float:
        """The validation loss over the training loss, at the largest size."""
        return float(self.validation[-1] - self.training[-1])

    @property
    def large_gap(self) -> bool:
        """Whether the gap is large."""
        t, e = float(self.training[-1]), float(self.validation[-1])
        return is_large(t, e, self.desired)

    @property
    def sure_gap(self) -> bool:
        """Whether the gap is no chance: above two standard errors."""
        doubt = np.hypot(self.validation_se[-1], self.training_se[-1])
        return bool(self.gap > 2 * doubt)

    @property
    def falling(self) -> bool:
        """Whether ten times the rows would lower the loss in earnest."""
        fall = self.law.fall(self.sizes[-1], 10 * self.sizes[-1]).value
        e = float(self.validation[-1])
        way = FALLING * e if self.desired is None else TENTH * (e - self.desired)
        return self.learns and fall >= max(way, 0.0)

    @property
    def reached(self) -> bool:
        """Whether the desired loss is reached within a standard error, or none left."""
        e = float(self.validation[-1])
        if self.desired is not None and e - self.validation_se[-1] <= self.desired:
            return True
        return e <= self.exact

    @property
    def verdict(self) -> str:
        """What holds the model back: "high bias", "high variance" or "neither"."""
        if self.reached:
            return "neither"
        return verdict_of(self.large_gap, self.falling, self.sure_gap)

    @property
    def sentence(self) -> str:
        """The verdict in words, with the numbers that it rests on."""
        t, e = self.training[-1], self.validation[-1]
        head = f"After {self.sizes[-1]:,.0f} rows the {self._words} is {e:.4g} on rows "
        head += f"held out and {t:.4g} on the rows fitted to: "
        return head + self._advice()

    @property
    def _words(self) -> str:
        return WORDS.get(self.loss, self.loss)

    def _advice(self) -> str:
        more = self.at(10 * self.rows)
        ahead = f"{10 * self.rows:,} rows would make it about {more.value:.3g} "
        ahead += f"({more.low:.3g} to {more.high:.3g})"
        if self.reached and self.validation[-1] <= self.exact:
            return "there is nothing left to gain."
        if self.reached:
            return f"the desired {self.desired:.4g} is reached."
        seen = (self.large_gap, self.falling, self.sure_gap)
        return advice_of(*seen, self.desired is not None, ahead)

    def to_findings(self) -> dict[str, Any]:
        """Return plain values for a report: lists of numbers and a sentence."""
        names = ("sizes", "training", "training_se", "validation", "validation_se")
        found: dict[str, Any] = {
            k: [_number(x) for x in getattr(self, k)] for k in names
        }
        found["sizes"] = [int(m) for m in self.sizes]
        ahead = [times * self.rows for times in AHEAD]
        found["extrapolated"] = [
            {"size": m, **{k: _number(v) for k, v in self.at(m)._asdict().items()}}
            for m in ahead
        ]
        found["sentence"] = self.sentence
        return found

    def __str__(self) -> str:
        lines = ["    rows   training             validation"]
        columns = (self.training, self.training_se, self.validation, self.validation_se)
        for m, t, ts, e, es in zip(self.sizes, *columns, strict=True):
            lines.append(f"{m:>8,.0f}   {t:<9.4g} +- {ts:<7.2g} {e:<9.4g} +- {es:.2g}")
        for times in AHEAD[1:]:
            m = times * self.rows
            value, low, high = self.at(m)
            lines.append(
                f"{m:>8,}   expected{'':13}{value:.4g} ({low:.4g} to {high:.4g})"
            )
        return "\n".join([*lines, self.sentence])

    def plot(self, ax: Any = None) -> Any:
        """Draw both losses, the law and its interval up to ten times the rows.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        sure: Any = {"marker": "o", "capsize": 2}
        ax.errorbar(
            self.sizes, self.training, self.training_se, label="training", **sure
        )
        held = (self.sizes, self.validation, self.validation_se)
        ax.errorbar(*held, label="validation", linestyle="none", **sure)
        m = np.geomspace(self.sizes[-self.law.used], 10 * self.rows, 60)
        value, low, high = np.transpose([self.at(float(one)) for one in m])
        ax.plot(m, value, color="C1", linestyle="--", label=str(self.law))
        ax.fill_between(m, low, high, color="C1", alpha=0.15)
        if self.desired is not None:
            ax.axhline(self.desired, color="grey", linestyle=":", label="desired")
        ax.set_xscale("log")
        ax.set(xlabel="rows", ylabel=self._words, title=f"{self.model}: {self.verdict}")
        ax.legend()
        return ax


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    sizes: Any = None,
    splitter: Any = 5,
    repeats: int = 1,
    loss: Any = None,
    desired: float | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    time_budget: float | None = None,
) -> LearningCurve:
    """Fit a model to more and more rows; say whether more would help.

    Parameters
    ----------
    model : classifier, regressor or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,), or (n, m) for a regressor
    sizes : array of int or float, optional
        Numbers of rows to fit to, or shares of the rows of a split, at least 3.  By
        default 7 sizes with equal factors, the smallest 1/64 of the largest.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
        A number parts the rows in as many folds, with classes in proportion and groups
        kept together; each is held out once.
    repeats : int, default=1
        How often to part the rows anew, where `splitter` is a number.
    loss : str, function or Loss, optional
        'error', 'log', 'brier' for classifiers, 'squared', 'absolute' for regressors,
        or a function (y, predicted) -> loss of each row.  By default 'error' or
        'squared'.
    desired : float, optional
        The loss that is wanted, for the verdict.
    sample_weight : array of shape (n,), optional
        For the fits and the means.
    groups : array of shape (n,), optional
        Rows that belong together.
    random_state : None, int, RandomState or Generator, default=0
        Draws the folds and the samples.
    time_budget : float, optional
        Seconds after which no further split is begun; one split at least is made, with
        fewer sizes if need be.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.diagnostics import learning_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] ** 2 + rng.normal(size=400)
    >>> curve = learning_curve(LinearRegression(), X, y, desired=1.2)
    >>> curve.verdict  # a line misses a parabola, however many rows there are
    'high bias'
    >>> value, low, high = curve.at(4000)
    >>> bool(low < 3.0 < high)  # noise 1, bias^2 2
    True
    """
    check_model(WHO, model)
    given = given_rows(WHO, model, X, y, sample_weight, groups, least=LEAST_ROWS)
    if given.classes is not None and len(given.classes) < 2:
        must = "y of a classifier must have at least two classes"
        raise DataError(sentence(WHO, must, f"only {given.classes[0]!r}"))
    for name, value, rule in (
        ("desired", desired, real()),
        ("time_budget", time_budget, real(0, ends="()")),
    ):
        if value is not None and not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    cost, seed = chosen_loss(WHO, loss, model), seed_of(WHO, random_state)
    splits = folds_of(WHO, splitter, given, repeats=repeats, seed=seed)
    most = min(len(train) for train, _ in splits)
    classes = 0 if given.classes is None else len(given.classes)
    wanted = chosen_sizes(WHO, sizes, most, classes)
    found = measure(
        WHO, model, given, splits, wanted, cost, seed=seed, time_budget=time_budget
    )
    C, v = found.covariance(), found.means
    floor = 0.0 if cost in LOSSES.values() or (found.rows >= 0).all() else -np.inf
    law = _law(found, v, C, floor)
    return LearningCurve(
        type(model).__name__,
        cost.name,
        given.n,
        found.sizes,
        found.training.mean(axis=0),
        found.training_error(),
        v,
        np.sqrt(np.diag(C)),
        C,
        law,
        len(found.validation),
        None if desired is None else float(desired),
        found.notes,
        _rounding(given, cost),
    )


def _rounding(given: Given, cost: Loss) -> float:
    """Return a loss that is 0 but for rounding, beside that of the mean of y."""
    if given.classes is not None or cost.on != "predictions":
        return 0.0
    middle = np.broadcast_to(given.y.mean(axis=0), given.y.shape)
    return EXACT * abs(float(np.mean(cost.function(given.y, middle))))


def _law(found: Measured, v: Floats, C: Floats, floor: float) -> PowerLaw:
    """Fit the law (2) to the means v, from a peak on, above a rising training loss."""
    J, part = len(found.validation), slice(peak(v, C), None)
    t = found.training.mean(axis=0)
    rising = t[-1] + found.training_error()[-1] >= t.max()
    return fit_power_law(
        found.sizes[part],
        v[part],
        C[part, part],
        floor=floor,
        likely_floor=float(t[-1]) if rising else None,
        dof=min(max(J, 3), 5),
    )


def peak(v: Floats, C: Floats) -> int:
    """Return the place of a peak before the fall, 0 where there is none.

    >>> peak(np.array([1.0, 9.0, 2.0, 1.0, 0.9]), np.diag(np.full(5, 0.01)))
    1
    """
    k = int(np.argmax(v))
    if k == 0 or k > len(v) - 3:
        return 0
    low = int(np.argmin(v[:k]))
    doubt = float(np.sqrt(max(C[k, k] + C[low, low] - 2 * C[k, low], 0.0)))
    return k if v[k] - v[low] > 3 * doubt else 0


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
