"""How many rows so many features need, and what to fit with fewer.

Also known as: curse of dimensionality, sample size advice, parameters against samples.

A Gaussian in d dimensions has

    full  d + d(d+1)/2,   diagonal  2 d,   spherical  d + 1   parameters         (1)

A full covariance wants n well above d^2 rows (for each class), is no better than noise
below d^2, and is singular for n <= d.  A diagonal one is then the better choice even
where the features are correlated: a wrong model with few parameters beats a right one
that cannot be estimated.  Without any model, rows as dense as n on a line need

    n^d   in d dimensions                                                        (2)

9, 81, 729, ...; for a picture of 20 x 20 pixels at 10 a pixel, 10^400.

Notation: n rows of a class; d features.
Course: S3-47. References: Duda, Hart, Stork (2001), sec. 3.7; Bellman (1961).
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.errors import ParameterError, sentence

__all__ = ["SampleSize", "rows_to_fill", "sample_size_advice"]

PLENTY = 10  # times d^2 rows are well above d^2


@dataclass(frozen=True)
class SampleSize:
    """Parameters of three covariances, and which of them the rows can bear."""

    n: int
    d: int
    full: int
    diagonal: int
    spherical: int

    @property
    def advice(self) -> str:
        """The covariance to fit: "full", "shrunk", "diagonal" or "spherical"."""
        if self.n >= PLENTY * self.d**2:
            return "full"
        if self.n >= self.d**2 and self.n > self.d:
            return "shrunk"
        return "diagonal" if self.n > 2 else "spherical"

    @property
    def rows_needed(self) -> int:
        """Rows for a full covariance."""
        return PLENTY * self.d**2

    @property
    def largest_d(self) -> int:
        """The most features that these rows can bear in a full covariance."""
        return max(1, int((self.n / PLENTY) ** 0.5))

    def __str__(self) -> str:
        ratio = f"n = {self.n} rows, d^2 = {self.d**2}"
        reasons = {
            "full": f"{ratio}: enough for a full covariance of {self.full} parameters",
            "shrunk": f"{ratio}: a full covariance will be noisy; shrink it or pool "
            f"the classes, or bring {self.rows_needed} rows",
            "diagonal": f"{ratio}: too few for a full covariance of {self.full} "
            f"parameters; fit {self.diagonal} with a diagonal one, even if features "
            f"are correlated, or reduce them to {self.largest_d}",
            "spherical": f"{ratio}: too few for more than one variance",
        }
        return reasons[self.advice]


def sample_size_advice(n: int, d: int) -> SampleSize:
    """Advise on the covariance that n rows of d features can bear (1).

    Parameters
    ----------
    n : int
        Rows, of the smallest class.
    d : int
        Features.

    Returns
    -------
    SampleSize

    Examples
    --------
    >>> sample_size_advice(50, 10).advice, sample_size_advice(2000, 10).advice
    ('diagonal', 'full')
    """
    _whole("sample_size_advice", n=n, d=d)
    return SampleSize(n, d, d + d * (d + 1) // 2, 2 * d, d + 1)


def rows_to_fill(per_axis: int, d: int) -> int:
    """Count the rows that fill d dimensions as densely as `per_axis` fill a line (2).

    Parameters
    ----------
    per_axis : int
    d : int

    Returns
    -------
    int

    Examples
    --------
    >>> [rows_to_fill(9, d) for d in (1, 2, 3)]
    [9, 81, 729]
    """
    _whole("rows_to_fill", per_axis=per_axis, d=d)
    return int(per_axis) ** int(d)


def _whole(who: str, **values: int) -> None:
    for name, value in values.items():
        if int(value) != value or value < 1:
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(who, must, f"{value}"))
