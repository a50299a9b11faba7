"""The size of a network, and whether more data will pay.

Also known as: how many hidden units, model capacity, large-data rationale, small or
large network.

A small network (any model with a size: hidden units, leaves, features) is cheap and
prone to underfit; a large one costs more and is prone to overfit, which a penalty or
more rows cure.  On the same folds, for each size h,

    T(h) = loss on training rows,   E(h) = loss on rows held out                 (1)

    h underfits   E(h) is above the least E beyond chance, and h is smaller
    h overfits    E(h) is above the least E beyond chance, and h is larger       (2)

More data pays where three things hold (the large-data rationale):

    information   x tells y: somebody who knows could predict it; E or T gets
                  as low as the loss of an expert
    low bias      many parameters: T of the largest model is low                 (3)
    low variance  very many rows: the gap E - T shrinks as rows are added        (4)

since then E ~ T, and T is small.  (4) is measured: the gap of the largest model with
half the training rows, g(n/2), and with all, g(n).  Without (3) more rows cannot help;
take a larger model or better columns.

Notation: h = sizes; T, E = training, validation; g = gap.
Course: S4-95. References: Banko and Brill (2001); Ng (2012); Hastie, Tibshirani and
Friedman (2009), 11.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyRegressor

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.randomness import entropy
from corollary.core.warn import gathered_warnings
from corollary.decisions.prior_classifier import PriorClassifier
from corollary.diagnostics.expected_loss import expected_loss
from corollary.selection.cross_validation import CrossValidation, cross_validate
from corollary.selection.validation_data import Given, check_model, given_rows

__all__ = ["SizeAndData", "size_and_data"]

WHO = "size_and_data"
SURE = 2.0  # standard errors
LOW = 0.5  # of the loss of a model without a look at x, up to which bias is low
SHRINKS = 0.85  # of the gap of half the rows, below which it shrinks


@dataclass(frozen=True, eq=False)
class SizeAndData:
    """What the size of a model and the number of rows do.

    Attributes
    ----------
    parameter : str
    sizes : tuple
        Ascending.
    training, validation, standard_error : arrays of shape (k,)
        (1), and the standard errors of E(h) less the least E.
    seconds : array of shape (k,)
        Of a fit.
    half_gap, gap : float
        Of the largest size, with half the training rows and with all: (4).
    baseline : float
        Loss without a look at x: of the most frequent class, or the mean.
    expert_loss : float or None
        What somebody who knows would lose.
    notes : tuple of str
        What fits warned of.
    """

    parameter: str
    sizes: tuple[Any, ...]
    training: Floats
    validation: Floats
    standard_error: Floats
    seconds: Floats
    half_gap: float
    gap: float
    baseline: float
    expert_loss: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Any:
        """The size with the least validation loss."""
        return self.sizes[int(self.validation.argmin())]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """For each size 'underfits', 'overfits', 'best' or 'as good' (2)."""
        least = int(self.validation.argmin())
        worse = self.validation - self.validation[least] > SURE * self.standard_error
        return tuple(
            "best"
            if i == least
            else "as good"
            if not worse[i]
            else "underfits"
            if i < least
            else "overfits"
            for i in range(len(self.sizes))
        )

    @property
    def low_bias(self) -> bool:
        """Whether the largest size fits the training rows well (3)."""
        T = float(self.training[-1])
        if self.expert_loss is not None:
            return T <= self.expert_loss
        return T <= LOW * self.baseline

    @property
    def gap_shrinks(self) -> bool:
        """Whether the gap of the largest size falls as rows are added (4)."""
        return self.gap < SHRINKS * self.half_gap

    @property
    def more_data_pays(self) -> bool:
        """Whether the large-data rationale holds: (3), (4) and a gap to close."""
        floor = 0.0 if self.expert_loss is None else self.expert_loss
        lacks = float(self.validation.min()) > floor
        return self.low_bias and self.gap_shrinks and self.gap > 0 and lacks

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, sentence by sentence."""
        found = [f"Take {self.parameter} = {self.best}, of the sizes tried."]
        small = [str(h) for h, v in self._judged if v == "underfits"]
        large = [str(h) for h, v in self._judged if v == "overfits"]
        if small:
            found.append(f"Too small, if cheap: {', '.join(small)} (high bias).")
        if large:
            found.append(
                f"Too large: {', '.join(large)} (high variance). Raise the penalty, or "
                "bring more rows, to use it."
            )
        if self.best == self.sizes[-1] and len(self.sizes) > 1:
            found.append(
                "The largest size is the best: a larger one may be better yet."
            )
        found.append(self._about_data())
        return tuple(found)

    @property
    def _judged(self) -> list[tuple[Any, str]]:
        return list(zip(self.sizes, self.verdicts, strict=True))

    def _about_data(self) -> str:
        T, largest = float(self.training[-1]), self.sizes[-1]
        gaps = f"its gap goes from {self.half_gap:.3g} to {self.gap:.3g}"
        if self.more_data_pays:
            return (
                f"More rows pay: with {largest} training rows lose only {T:.3g}, and "
                f"{gaps} from half the rows to all. Use a large model and more rows."
            )
        if not self.low_bias:
            return (
                f"More rows will not help yet: even with {largest} training rows lose "
                f"{T:.3g}. Take a larger model, or columns from which an expert could "
                "tell y."
            )
        if self.gap <= 0 or self.validation.min() <= (self.expert_loss or 0.0):
            return "More rows are not needed: nothing is lost to variance."
        return f"More rows do not show yet that they help: {gaps} from half to all."

    def __str__(self) -> str:
        head = f"{self.parameter:<24} training  held out  seconds"
        columns = (self.training, self.validation, self.seconds)
        rows = [
            f"{h!s:<24} {t:<9.4g} {e:<9.4g} {s:<8.2g} {v}"
            for (h, v), t, e, s in zip(self._judged, *columns, strict=True)
        ]
        return "\n".join([head, *rows, *self.advice, *self.notes])

    def plot(self, ax: Any = None) -> Any:
        """Draw both losses over the size.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.sizes))
        ax.plot(at, self.training, marker="o", label="training")
        ax.plot(at, self.validation, marker="o", label="held out")
        if self.expert_loss is not None:
            ax.axhline(self.expert_loss, linestyle=":", color="grey", label="expert")
        ax.set_xticks(at, [str(h) for h in self.sizes])
        ax.set(xlabel=self.parameter, ylabel="mean loss", title=f"best: {self.best}")
        ax.legend()
        return ax


def size_and_data(
    model: Any,
    X: Any,
    y: Any,
    parameter: str,
    sizes: Sequence[Any],
    *,
    expert_loss: float | None = None,
    loss: Any = None,
    splitter: Any = 5,
    random_state: Any = 0,
) -> SizeAndData:
    """Measure sizes of a model and halves of the rows; advise on both.

    Parameters
    ----------
    model : classifier, regressor or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : array of shape (n,)
    parameter : str
        Of the size, as `set_params` takes it: ``"rbfsampler__n_components"``.
    sizes : sequence
        From small to large.
    expert_loss : float, optional
        What somebody who knows the matter loses on such rows: what x can tell.
    loss : str, function or Loss, optional
        As in `cross_validate`.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
    random_state : None, int or Generator, default=0
        Draws the folds.

    Returns
    -------
    SizeAndData

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeRegressor
    >>> from corollary.diagnostics import size_and_data
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 1))
    >>> y = np.sin(9 * X[:, 0]) + 0.3 * rng.normal(size=300)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> found = size_and_data(tree, X, y, "max_leaf_nodes", [2, 8, 200])
    >>> found.best, found.verdicts
    (8, ('underfits', 'best', 'overfits'))
    """
    check_model(WHO, model)
    if not len(sizes):
        raise ParameterError(sentence(WHO, "sizes must not be empty", "none"))
    if parameter not in model.get_params():
        must = f"parameter must be one of the {type(model).__name__}'s"
        raise ParameterError(sentence(WHO, must, shown(parameter)))
    if expert_loss is not None and not real(0).holds(expert_loss):
        must = "expert_loss must be a number >= 0"
        raise ParameterError(sentence(WHO, must, shown(expert_loss)))
    given = given_rows(WHO, model, X, y, least=10)
    seed, splits = entropy(random_state), splitter
    found: list[CrossValidation] = []
    with gathered_warnings() as notes:
        for h in sizes:
            sized = clone(model).set_params(**{parameter: h})
            options: dict[str, Any] = {"loss": loss, "keep_models": True}
            judged = cross_validate(
                sized, X, y, splitter=splits, random_state=seed, **options
            )
            splits = judged.splits
            found.append(judged)
        halves = tuple((train[::2], test) for train, test in found[0].splits)
        half = cross_validate(sized, X, y, splitter=halves, **options)
    training = np.array([_training(one, given, loss) for one in found])
    validation = np.array([one.mean for one in found])
    return SizeAndData(
        parameter,
        tuple(sizes),
        training,
        validation,
        _errors(found, int(validation.argmin())),
        np.array([one.seconds.mean() for one in found]),
        half.mean - _training(half, given, loss),
        float(validation[-1] - training[-1]),
        _baseline(found[0], given, loss),
        expert_loss,
        tuple(dict.fromkeys(notes)),
    )


def _training(found: CrossValidation, given: Given, loss: Any) -> float:
    """Return the mean loss on training rows, over the splits."""
    losses = []
    for model, (train, _) in zip(found.models, found.splits, strict=True):
        some = given.some(train)
        losses.append(expected_loss(model, some.X, some.y, loss=loss).mean)
    return float(np.mean(losses))


def _errors(found: list[CrossValidation], least: int) -> Floats:
    """Return the standard errors of E(h) less the least E, paired over the folds."""
    folds = np.array([one.fold_losses for one in found])
    J = folds.shape[1]
    if J < 2:
        return np.full(len(found), np.nan_to_num(found[least].standard_error))
    shared = 1 / J + found[0].n_test / found[0].n_train
    return np.std(folds - folds[least], axis=1, ddof=1) * np.sqrt(shared)


def _baseline(found: CrossValidation, given: Given, loss: Any) -> float:
    """Return the loss of the most frequent class, or of the mean."""
    plain = DummyRegressor() if given.classes is None else PriorClassifier()
    none = np.zeros((given.n, 1))
    return cross_validate(plain, none, given.y, splitter=found.splits, loss=loss).mean
