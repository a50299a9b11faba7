"""Complexity sweep: training and validation error as a model grows.

Also known as: validation curve, polynomial degree sweep, underfitting and overfitting
demo, bias-variance tradeoff, Occam's razor.

A learning machine maps data to a model.  Let its complexity m grow (the degree of a
polynomial, the depth of a tree, any parameter of any estimator) and compare

    training error    E_train(m) = mean loss on the rows it was fitted to        (1)
    validation error  E_val(m)   = mean loss on rows held out                    (2)

Where the models are nested (1) can only fall: a polynomial of degree N - 1 goes through
N points.  (2) falls while the model is too simple (bias: a line keeps missing a
parabola however many rows there are) and rises when it follows the noise (variance).
Chosen is

    m* = argmin E_val(m)                                                         (3)

and, by Occam's razor, the simplest m with E_val within one standard error of it (4).

With rows for a test as well, the error of each choice on them is an estimate that (3)
has not spoiled.

Notation: m = values, from simple to complex.
Course: S1-36, S3-97, S4-66.
References: Hastie, Tibshirani, Friedman (2009), 7.2 and 7.10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.linear.least_squares.linear_regression import LinearRegression
from corollary.preparation.polynomial_features import PolynomialFeatures
from corollary.selection.validation_data import rows_in
from corollary.theory.certify import some_rows

__all__ = ["ComplexitySweep", "complexity_sweep", "polynomial_sweep"]


@dataclass(frozen=True)
class ComplexitySweep:
    """Errors for each complexity, and the choice.

    Attributes
    ----------
    parameter : str
    values : tuple
        Complexities, from simple to complex.
    training, validation : arrays of shape (m,)
        Mean losses (1), (2).
    standard_error : array of shape (m,)
        Of the validation error, over the rows held out.
    test : array of shape (m,) or None
        Mean loss on the rows of the test.
    """

    parameter: str
    values: tuple[Any, ...]
    training: Floats
    validation: Floats
    standard_error: Floats
    test: Floats | None = None

    @property
    def best(self) -> Any:
        """The value with the least validation error (3)."""
        return self.values[int(self.validation.argmin())]

    @property
    def simplest(self) -> Any:
        """The simplest value within one standard error of the best (4)."""
        least = int(self.validation.argmin())
        enough = self.validation[least] + self.standard_error[least]
        return self.values[int(np.argmax(self.validation <= enough))]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """For each value: "underfits", "overfits", "chosen" or "as good"."""
        least = int(self.validation.argmin())
        enough = self.validation[least] + self.standard_error[least]
        sides = ("underfits" if i < least else "overfits" for i in range(len(self)))
        close = self.validation <= enough
        return tuple(
            "chosen" if i == least else "as good" if close[i] else side
            for i, side in enumerate(sides)
        )

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        head = f"{self.parameter:<12} training    validation"
        rows = zip(
            self.values, self.training, self.validation, self.verdicts, strict=True
        )
        lines = [f"{v!s:<12} {a:<11.4g} {b:<11.4g} {text}" for v, a, b, text in rows]
        last = f"best: {self.best}; simplest that is as good: {self.simplest}"
        return "\n".join([head, *lines, last])

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors over the complexity; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self))
        ax.plot(at, self.training, marker="o", label="training")
        ax.errorbar(
            at, self.validation, self.standard_error, marker="o", label="validation"
        )
        if self.test is not None:
            ax.plot(at, self.test, marker="o", label="test")
        ax.axvline(int(self.validation.argmin()), linestyle=":", color="grey")
        ax.set_xticks(at, [str(value) for value in self.values])
        ax.set(xlabel=self.parameter, ylabel="mean loss", title=f"best: {self.best}")
        ax.legend()
        return ax


def complexity_sweep(
    estimator: Any,
    X: Any,
    y: Any,
    parameter: str,
    values: Sequence[Any],
    *,
    held_out: float | int = 0.3,
    test: tuple[Any, Any] | None = None,
    loss: Callable[[Vector, Vector], Vector] | None = None,
    random_state: Any = 0,
) -> ComplexitySweep:
    """Fit an estimator for each value of a parameter; compare its errors.

    Parameters
    ----------
    estimator : estimator or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : array of shape (n,)
    parameter : str
        As `set_params` takes it: ``"ridge__alpha"``.
    values : sequence
        From simple to complex.
    held_out : float or int, default=0.3
        Share of the rows to hold out, or the number of folds of a cross-validation.
    test : pair (X, y), optional
        Rows of a test.
    loss : function (y, predicted) -> losses, optional
        Loss of each row; by default squared error, or 0/1 for classifiers.
    random_state : None, int or Generator
        Draws the rows that are held out, the same for every value.

    Returns
    -------
    ComplexitySweep

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> found = complexity_sweep(Ridge(), X, y, "alpha", [1e6, 1.0], held_out=5)
    >>> found.best
    1.0
    """
    who = "complexity_sweep"
    (X, n), y = rows_in(who, X), np.asarray(y)
    if len(X.shape) != 2 or n != len(y):
        must = "X must be a matrix with a row for each y"
        raise DataError(sentence(who, must, f"{X.shape} and {y.shape}"))
    if not len(values):
        raise ParameterError(sentence(who, "values must not be empty", "none"))
    if parameter not in estimator.get_params():
        must = f"parameter must be one of the {type(estimator).__name__}'s"
        raise ParameterError(sentence(who, must, repr(parameter)))
    cost = loss or (wrong if is_classifier(estimator) else squared)
    splits = splits_of(who, n, held_out, generator(entropy(random_state), 36))
    results = []
    for value in values:
        model = clone(estimator).set_params(**{parameter: value})
        results.append(_errors(model, X, y, splits, cost, test))
    training, validation, doubt, tested = (
        np.array(c) for c in zip(*results, strict=True)
    )
    return ComplexitySweep(
        parameter,
        tuple(values),
        training,
        validation,
        doubt,
        None if test is None else tested,
    )


def polynomial_sweep(
    X: Any, y: Any, degrees: Sequence[int] = range(10), **options: Any
) -> ComplexitySweep:
    """Fit polynomials of rising degree by least squares; compare their errors.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    degrees : sequence of int, default 0 ... 9
    **options
        Further parameters of `complexity_sweep`.

    Returns
    -------
    ComplexitySweep

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> y = x[:, 0] ** 2 + 0.1 * np.random.default_rng(0).normal(size=50)
    >>> polynomial_sweep(x, y, range(4)).simplest
    2
    """
    model = make_pipeline(PolynomialFeatures(), LinearRegression(fit_intercept=False))
    degrees = [int(m) for m in degrees]
    return complexity_sweep(
        model, X, y, "polynomialfeatures__degree", degrees, **options
    )


def squared(y: Vector, predicted: Vector) -> Floats:
    """Return squared errors, summed over the targets of a row."""
    errors = (y - predicted) ** 2
    return errors if errors.ndim == 1 else errors.sum(axis=1)


def wrong(y: Vector, predicted: Vector) -> Floats:
    """Return 1 for each error."""
    return (y != predicted).astype(np.float64)


def splits_of(
    who: str, n: int, held_out: float | int, rng: np.random.Generator
) -> list[tuple[Vector, Vector]]:
    """Return pairs of training and validation rows."""
    order = rng.permutation(n)
    if isinstance(held_out, int | np.integer) and 2 <= held_out <= n:
        folds = np.array_split(order, held_out)
        return [(np.setdiff1d(order, fold), fold) for fold in folds]
    count = round(float(held_out) * n) if 0 < held_out < 1 else 0
    if not 0 < count < n:
        must = f"held_out must be a share in (0, 1) or 2 to {n} folds"
        raise ParameterError(sentence(who, must, f"{held_out}"))
    return [(order[count:], order[:count])]


def _errors(
    model: Any, X: Any, y: Any, splits: Any, cost: Any, test: Any
) -> tuple[float, float, float, float]:
    """Return the three errors and the standard error of the second."""
    training, held, tested = [], [], []
    for train, rest in splits:
        rows = some_rows(X, train)
        model.fit(rows, y[train])
        training.append(np.mean(cost(y[train], model.predict(rows))))
        held.append(cost(y[rest], model.predict(some_rows(X, rest))))
        if test is not None:
            tested.append(np.mean(cost(np.asarray(test[1]), model.predict(test[0]))))
    losses = np.concatenate(held)
    spread = losses.std(ddof=1) / np.sqrt(len(losses)) if len(losses) > 1 else 0.0
    final = float(np.mean(tested)) if tested else np.nan
    return float(np.mean(training)), float(losses.mean()), float(spread), final
