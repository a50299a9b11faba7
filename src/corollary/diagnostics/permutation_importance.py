"""Permutation importance: how much worse a model does without a column.

Also known as: permutation feature importance, model reliance, mean decrease in
accuracy.

Without retraining: put the values of a column into other rows, at random, so that they
say nothing of the row they are in, and see what the losses become.  With L(i, k) the
loss of row i with the column's value of row k,

    importance = mean_i ( mean over permutations of L(i, pi(i)) - L(i, i) )          (1)

on rows that the model has not seen.  Each row takes part twice, as the one that is
judged and as the one that gives its value.  With a_i the mean increase of its own loss
and b_i that of the rows that got its value, (1) is a mean over pairs, of error

    standard error = sd(a_i + b_i) / sqrt(n)                                         (2)

which counts the rows as well as the permutations.  Two columns that say the same share
their importance, or have none: each does the other's work.  Permute them together, by
naming them as one group.

Notation: a, b = mean increases, by row and by giver.
References: Breiman (2001); Fisher, Rudin and Dominici (2019); Hoeffding (1948).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.table import table_of
from corollary.diagnostics.answers import PART, Answers, answers_of
from corollary.diagnostics.composed_rows import composed, held_rows
from corollary.diagnostics.outcomes import column_vector, plain
from corollary.diagnostics.row_losses import row_losses
from corollary.diagnostics.table_text import column_names

__all__ = ["Importances", "permutation_importance"]

WHO = "permutation_importance"


@dataclass(frozen=True, eq=False)
class Importances:
    """How much worse a model does without each column.

    Attributes
    ----------
    names : tuple of str
        Columns, or groups of them.
    importance, standard_error : arrays
        Increase of the mean loss (1), and its error (2).
    loss : str
        Which loss it is.
    baseline : float
        Mean loss with all columns as they are.
    repeats : int
        Permutations of each column.
    """

    names: tuple[str, ...]
    importance: Floats
    standard_error: Floats
    loss: str
    baseline: float
    repeats: int

    @property
    def order(self) -> Vector:
        """Positions of the columns, the most important first."""
        return np.argsort(-self.importance, kind="stable")

    def __str__(self) -> str:
        name = self.loss.replace("_", " ")
        head = f"increase of the mean {name}, {self.baseline:.4g} with all columns"
        wide = max(map(len, self.names))
        lines = [
            f"  {self.names[j]:<{wide}}  {self.importance[j]:.4g} +- "
            f"{self.standard_error[j]:.2g}"
            for j in self.order
        ]
        return "\n".join([head, *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw the importances with two standard errors; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        order = self.order[::-1]
        at = np.arange(len(order))
        ax.barh(at, self.importance[order], xerr=2 * self.standard_error[order])
        ax.set_yticks(at, [self.names[j] for j in order])
        ax.set(xlabel=f"increase of the mean {self.loss.replace('_', ' ')}")
        return ax

    def to_findings(self) -> list[dict[str, Any]]:
        """Return the columns with their importance, the most important first.

        Returns
        -------
        list of dict
        """
        return [
            {
                "column": self.names[j],
                "importance": plain(self.importance[j]),
                "importance_se": plain(self.standard_error[j]),
            }
            for j in self.order
        ]


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    loss: str | Callable[[Any, Any], Any] | None = None,
    columns: Any = None,
    repeats: int = 5,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> Importances:
    """Measure how much worse a model does without each column.

    Parameters
    ----------
    model : fitted model, pipeline, or function of rows
    X : table of n rows
        An array, a sparse matrix, a data frame or a pyarrow table that the model has
        not seen.
    y : array of shape (n,)
        Labels or numbers.
    loss : str or function (y, answers) -> losses, optional
        One of `row_losses`, or the losses of the rows, (n,).
    columns : list of names or positions, or of lists of them, optional
        Which columns to permute; lists are permuted together.  All, one by one, by
        default.
    repeats : int, default=5
        Permutations of each.
    sample_weight : array of shape (n,), optional
        How much each row counts.
    random_state : None, int or Generator, default=0
        Draws the permutations.

    Returns
    -------
    Importances

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.diagnostics import permutation_importance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = 2 * X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=500)
    >>> model = LinearRegression().fit(X[:250], y[:250])
    >>> found = permutation_importance(model, X[250:], y[250:])
    >>> found.importance.round(0).tolist()  # 2 beta^2 var x
    [7.0, 2.0, 0.0]
    """
    answers = answers_of(WHO, model)
    X = held_rows(WHO, X)
    y = column_vector(WHO, y)
    n = X.shape[0]
    if len(y) != n or n < 2:
        must = f"y must hold one target for each of the {n} rows, 2 or more"
        raise DataError(sentence(WHO, must, f"{len(y)}"))
    if not whole(1).holds(repeats):
        must = "repeats must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, shown(repeats)))
    w = full_weights(WHO, sample_weight, n)
    said = answers(X)
    judge, name = judged_by(answers, loss, y, said)
    whole_loss = judge(said, y)
    groups = groups_of(X, columns)
    seed = entropy(random_state)
    found = [
        increase(answers, judge, X, y, w, whole_loss, at, repeats, generator(seed, k))
        for k, (_, at) in enumerate(groups)
    ]
    means, errors = np.array(found).reshape(-1, 2).T
    base = float(w @ whole_loss / w.sum())
    names = tuple(text for text, _ in groups)
    return Importances(names, means, errors, name, base, int(repeats))


Judge = Callable[[Any, Any], Floats]


def judged_by(answers: Answers, loss: Any, y: Vector, said: Any) -> tuple[Judge, str]:
    """Return the function that gives the loss of each row, and its name."""
    if callable(loss):

        def own(predicted: Any, truth: Any) -> Floats:
            found = np.asarray(loss(truth, predicted), dtype=np.float64)
            if found.shape != (len(truth),) or not np.isfinite(found).all():
                must = "loss must return a finite number for each row"
                raise ParameterError(sentence(WHO, must, f"shape {found.shape}"))
            return found

        return own, getattr(loss, "__name__", "loss")
    classes = answers.classes
    if classes is None and said.ndim == 2 and said.shape[1] > 1:
        classes = np.unique(y)
    options: dict[str, Any] = {"loss": loss, "task": answers.task, "classes": classes}
    name = row_losses(y, said, **options).loss
    return lambda predicted, truth: row_losses(truth, predicted, **options).losses, name


def groups_of(X: Any, columns: Any) -> list[tuple[str, list[int]]]:
    """Return names and positions of the columns that are permuted together."""
    table = table_of(WHO, X)
    names = column_names(table)
    if columns is None:
        return [(name, [j]) for j, name in enumerate(names)]
    found = []
    for each in [columns] if isinstance(columns, str) else columns:
        several = isinstance(each, list | tuple)
        at = table.positions(list(each) if several else [each])
        found.append((" + ".join(names[j] for j in at), at))
    if not found:
        raise ParameterError(sentence(WHO, "columns must not be empty", "none"))
    return found


def increase(
    answers: Answers,
    judge: Judge,
    X: Any,
    y: Vector,
    w: Floats,
    whole_loss: Floats,
    columns: list[int],
    repeats: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return (1) and (2) of some columns."""
    n = len(y)
    own, given = np.zeros(n), np.zeros(n)
    for giver in parts(n, repeats, rng):
        rows = np.tile(np.arange(n), len(giver))
        places: list[Any] = [rows if len(giver) > 1 else None] * X.shape[1]
        for j in columns:
            places[j] = giver.ravel()
        losses = judge(answers(composed(X, places)), y[rows])
        more = losses.reshape(len(giver), n) - whole_loss
        own += more.sum(axis=0) / repeats
        for one, by in zip(more, giver, strict=True):
            given[by] += w * one / repeats
    total = float(w.sum())
    mean = float(w @ own) / total
    both = w * own - w * mean + given - given.mean()
    error = np.sqrt(float(both @ both) * n / max(n - 1, 1)) / total
    return mean, float(error)


def parts(n: int, repeats: int, rng: np.random.Generator) -> Iterator[Vector]:
    """Yield permutations, (r, n), as many as are answered at a time."""
    step = max(1, min(repeats, PART // n))
    for start in range(0, repeats, step):
        count = min(step, repeats - start)
        yield np.array([rng.permutation(n) for _ in range(count)])
