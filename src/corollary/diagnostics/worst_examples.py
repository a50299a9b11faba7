"""The rows that a model gets most wrong, to be read one by one.

Also known as: misclassified examples, error browser, hard examples, largest residuals.

Error analysis begins with reading: look at the rows that are wrong, find what they have
in common, and only then decide what to work on.  Rows come in the order of their loss,
the largest first: -log P(y | x) for probabilities, so that what was wrong and sure of
itself comes before what was a close call; |f(x) - y| for numbers.

A browser is a value.  `next()` and `page(k)` return the same rows further on, `filter`
returns fewer of them: of one class, taken for another, or where anything holds of their
columns.

Course: S4-68. Reference: Ng (2018), Machine Learning Yearning, ch. 14 to 19.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.table import Table
from corollary.diagnostics.outcomes import label_text, plain
from corollary.diagnostics.row_losses import RowLosses, row_losses
from corollary.diagnostics.table_text import cell_texts, column_names, rows_table

__all__ = ["Example", "WorstExamples", "worst_examples"]

WHO = "worst_examples"


@dataclass(frozen=True)
class Example:
    """One row, what is true of it and what was said.

    Attributes
    ----------
    row : int
        Its number in the data.
    actual, predicted : label or float
    loss : float
    probability : float or None
        That the predicted class was given.
    error : float or None
        Predicted less actual, of numbers.
    values : dict
        The row's columns as texts.
    """

    row: int
    actual: Any
    predicted: Any
    loss: float
    probability: float | None
    error: float | None
    values: dict[str, str]

    def __str__(self) -> str:
        if self.error is not None:
            said = f"{self.actual:.6g}, predicted {self.predicted:.6g}"
            said += f" ({self.error:+.4g})"
        else:
            said = f"{label_text(self.actual)}, taken for {label_text(self.predicted)}"
            if self.probability is not None:
                said += f" ({self.probability:.3f})"
        cells = ", ".join(f"{name} {text}" for name, text in self.values.items())
        return f"row {self.row}: {said}" + (f" | {cells}" if cells else "")

    def to_findings(self) -> dict[str, Any]:
        """Return the row as a page shows it.

        Returns
        -------
        dict
        """
        found: dict[str, Any] = {"row": self.row}
        if self.error is not None:
            found |= {"actual": self.actual, "predicted": self.predicted}
            return found | {"error": self.error, "values": dict(self.values)}
        found["actual"] = label_text(self.actual)
        found["predicted"] = label_text(self.predicted)
        return found | {"probability": self.probability, "values": dict(self.values)}


@dataclass(frozen=True, eq=False)
class WorstExamples:
    """A browser of the rows that are most wrong, one page of them at a time.

    Attributes
    ----------
    judged : RowLosses
        What was said of every row of the data.
    X : object or None
        The rows as they were given.
    order : array of shape (m,)
        Numbers of the rows in the browser, the largest loss first.
    n : int
        Rows of a page.
    number : int
        Which page is open, from 0.
    total : int
        Rows of the data.
    """

    judged: RowLosses
    X: Any
    order: Vector
    n: int
    number: int
    total: int

    # -- pages -------------------------------------------------------------------------
    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-len(self.order) // self.n))

    @property
    def rows(self) -> Vector:
        """Numbers of the rows on the open page."""
        return self.order[self.number * self.n : (self.number + 1) * self.n]

    def page(self, number: int) -> WorstExamples:
        """Open a page.

        Parameters
        ----------
        number : int
            From 0 to `pages` - 1.

        Returns
        -------
        WorstExamples
        """
        if not whole(0, self.pages - 1).holds(number):
            must = f"a page must be one of 0 to {self.pages - 1}"
            raise ParameterError(sentence(WHO, must, shown(number)))
        return replace(self, number=int(number))

    def next(self) -> WorstExamples:
        """Open the next page; the last one stays.

        Returns
        -------
        WorstExamples
        """
        return self.page(min(self.number + 1, self.pages - 1))

    def previous(self) -> WorstExamples:
        """Open the page before; the first one stays.

        Returns
        -------
        WorstExamples
        """
        return self.page(max(self.number - 1, 0))

    # -- choosing ----------------------------------------------------------------------
    def filter(
        self,
        *,
        actual: Any = None,
        predicted: Any = None,
        where: Callable[[Any], Any] | Any = None,
    ) -> WorstExamples:
        """Keep some of the rows, from the first page on.

        Parameters
        ----------
        actual, predicted : label, or pair of numbers, optional
            The class, or the range of a number.
        where : function, or array of shape (n,), optional
            A function of the data, as it was given, that returns true or false for each
            of its rows; or these.

        Returns
        -------
        WorstExamples
        """
        keep = np.ones(self.total, dtype=bool)
        if actual is not None:
            keep &= self._matching(actual, self.judged.actual)
        if predicted is not None:
            keep &= self._matching(predicted, self.judged.predicted)
        if where is not None:
            keep &= self._mask(where(self.X) if callable(where) else where)
        return replace(self, order=self.order[keep[self.order]], number=0)

    def _matching(self, wanted: Any, values: Vector) -> Vector:
        if self.judged.task == "classification":
            if wanted not in self.judged.actual and wanted not in self.judged.predicted:
                must = "a class must be one of those in y and in the answers"
                raise ParameterError(sentence(WHO, must, shown(wanted)))
            return values == wanted
        try:
            low, high = (float(end) for end in wanted)
        except (TypeError, ValueError):
            must = "a range must be a pair of numbers"
            raise ParameterError(sentence(WHO, must, shown(wanted))) from None
        return (values >= low) & (values <= high)

    def _mask(self, found: Any) -> Vector:
        mask = np.asarray(found)
        if mask.shape != (self.total,) or mask.dtype.kind not in "bO":
            must = f"where must say true or false for each of the {self.total} rows"
            came = f"{mask.dtype} of shape {mask.shape}"
            raise DataError(sentence(WHO, must, came))
        return mask.astype(bool)  # a missing answer is no

    # -- reading -----------------------------------------------------------------------
    @property
    def examples(self) -> tuple[Example, ...]:
        """The rows of the open page."""
        rows = self.rows
        texts: list[dict[str, str]] = [{} for _ in rows]
        if self.X is not None and len(rows):
            table: Table = rows_table(WHO, self.X, self.total)[rows]
            names = column_names(table)
            columns = [cell_texts(column) for column in table.columns]
            cells = zip(*columns, strict=True)
            texts = [dict(zip(names, each, strict=True)) for each in cells]
        each_row = zip(rows, texts, strict=True)
        return tuple(self._example(int(row), values) for row, values in each_row)

    def _example(self, row: int, cells: dict[str, str]) -> Example:
        judged = self.judged
        actual, said = plain(judged.actual[row]), plain(judged.predicted[row])
        p = None if judged.probability is None else float(judged.probability[row])
        error = float(said - actual) if judged.task == "regression" else None
        return Example(row, actual, said, float(judged.losses[row]), p, error, cells)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def __len__(self) -> int:
        return len(self.order)

    def __str__(self) -> str:
        wrong = "wrong rows" if self.judged.task == "classification" else "rows"
        head = f"{len(self):,} {wrong} of {self.total:,}, the largest loss first"
        head += f" (page {self.number + 1} of {self.pages})"
        return "\n".join([head, *(f"  {each}" for each in self)])

    def to_findings(self) -> list[dict[str, Any]]:
        """Return the section `worst` of a page: the rows of the open page.

        Returns
        -------
        list of dict
        """
        return [each.to_findings() for each in self]


def worst_examples(
    y: Any,
    predicted: Any,
    X: Any = None,
    *,
    n: int = 20,
    task: str | None = None,
    classes: Any = None,
    every_row: bool = False,
) -> WorstExamples:
    """Open a browser of the rows that a model gets most wrong.

    Parameters
    ----------
    y : array of shape (n,)
        Labels or numbers.
    predicted : array of shape (n,) or (n, k)
        Out-of-fold answers: labels, probabilities or numbers, see `row_losses`.
    X : table of n rows, optional
        An array, a data frame or a pyarrow table, whose values are shown.
    n : int, default=20
        Rows of a page.
    task : {'classification', 'regression'}, optional
        By default as the answers suggest.
    classes : list of k labels, optional
        Of the columns of probabilities; by default the sorted labels in y.
    every_row : bool, default=False
        Whether rows of the right class are shown as well, after the wrong ones or among
        them by their loss; numbers are all shown.

    Returns
    -------
    WorstExamples

    Examples
    --------
    >>> from corollary.diagnostics import worst_examples
    >>> X = [["old", 3], ["new", 1], ["old", 8], ["new", 5]]
    >>> y, p = ["no", "yes", "yes", "no"], [0.9, 0.8, 0.3, 0.1]
    >>> print(worst_examples(y, p, X))
    2 wrong rows of 4, the largest loss first (page 1 of 1)
      row 0: no, taken for yes (0.900) | x0 old, x1 3
      row 2: yes, taken for no (0.700) | x0 old, x1 8
    >>> len(worst_examples(y, p, X).filter(actual="yes"))
    1
    """
    if not whole(1).holds(n):
        must = "n must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, shown(n)))
    judged = row_losses(y, predicted, task=task, classes=classes)
    if X is not None:
        rows_table(WHO, X, len(judged))
    order = np.argsort(-judged.losses, kind="stable")
    if judged.task == "classification" and not every_row:
        order = order[(judged.actual != judged.predicted)[order]]
    return WorstExamples(judged, X, order, int(n), 0, len(judged))
