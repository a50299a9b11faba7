"""Rows against columns: what n rows of d columns can bear.

Also known as: n versus d, wide data, rows per parameter, ten rows for a column.

    n <= d        least squares fits every target exactly, by more than one way      (1)
    n < 10 d      coefficients of single columns are mostly noise: shrink them       (2)
    n >= 10 d     a linear model is well determined                                  (3)

A covariance matrix has about d^2 / 2 parameters and asks for far more: `sample_size`
says which one the rows can bear.  Of several classes the smallest counts.

Notation: n rows, of the smallest class; d columns, after encoding.
Course: S3-47. References: Harrell (2015), sec. 4.4; Hastie, Tibshirani and Friedman
(2009), ch. 18.
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.diagnostics.sample_size import SampleSize, sample_size_advice

__all__ = ["RowsAgainstColumns", "n_versus_d"]

TIMES = 10  # rows for each column


@dataclass(frozen=True)
class RowsAgainstColumns:
    """What n rows of d columns can bear.

    Attributes
    ----------
    n, d : int
    sample_size : SampleSize
        Which covariance the rows can bear.
    """

    n: int
    d: int
    sample_size: SampleSize

    @property
    def ratio(self) -> float:
        """Rows for each column."""
        return self.n / self.d

    @property
    def verdict(self) -> str:
        """Whether rows are "too few" (1), "few" (2) or "enough" (3)."""
        if self.n <= self.d:
            return "too few"
        return "few" if self.n < TIMES * self.d else "enough"

    @property
    def rows_needed(self) -> int:
        """Rows for a linear model that is well determined (3)."""
        return TIMES * self.d

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, in sentences."""
        most = max(1, self.n // TIMES)
        n, d = self.n, self.d
        first = {
            "too few": f"{n} rows cannot determine {d} coefficients: use a penalty "
            f"(Ridge, Lasso) or a wide margin, or keep about {most} columns.",
            "few": f"{n} rows for {d} columns are {self.ratio:.2g} each: shrink "
            f"coefficients (Ridge, Lasso), keep about {most} columns, or bring "
            f"{self.rows_needed} rows.",
            "enough": f"{n} rows are enough for a linear model of {d} columns.",
        }
        return first[self.verdict], f"Covariances: {self.sample_size}."

    def __str__(self) -> str:
        return " ".join(self.advice)


def n_versus_d(n: int, d: int) -> RowsAgainstColumns:
    """Say what n rows of d columns can bear.

    Parameters
    ----------
    n : int
        Rows, of the smallest class.
    d : int
        Columns, after encoding.

    Returns
    -------
    RowsAgainstColumns

    Examples
    --------
    >>> [n_versus_d(n, 10).verdict for n in (5, 50, 500)]
    ['too few', 'few', 'enough']
    """
    return RowsAgainstColumns(int(n), int(d), sample_size_advice(n, d))
