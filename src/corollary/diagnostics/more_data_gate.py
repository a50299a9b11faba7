"""More data: would it help, and what would ten times as much cost.

Also known as: should I collect more data, labelling cost estimate, data budget.

Before effort goes into data, a gate:

    1. could a person who knows the matter predict y from x?  If not, x lacks what it
       takes, and no number of rows adds it
    2. has the model low bias?  A learning curve tells (`learning_curve`); if its gap is
       small and its loss too high, grow features or the model first, until the loss
       still falls with rows                                                     (1)

Then the question is how much work k times the n rows would be, k = 10 by default,
(k - 1) n new ones, in three ways:

    synthesis   make rows from scratch, or distort those at hand in ways that new rows
                are expected to be distorted: hours to write and check it        (2)
    own work    hours = new rows x seconds for one / 3600                        (3)
    crowd       price = new rows x labels for one x price of a label             (4)

and what it would bring: the loss that the curve expects of k n rows, with its interval.

Course: S4-35. Reference: Ng, Machine Learning, application example: photo OCR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.diagnostics.learning_curve import LearningCurve, learning_curve
from corollary.diagnostics.power_law import Extrapolated

__all__ = ["MoreData", "Way", "more_data_gate"]

WHO = "more_data_gate"
DAY = 8  # hours of work


class Way(NamedTuple):
    """One way to more rows.

    Attributes
    ----------
    name : {'synthesis', 'own work', 'crowd'}
    hours : float
        Of work.
    price : float or None
        In the units of the prices that were given; None where none was.
    words : str
    """

    name: str
    hours: float
    price: float | None
    words: str


@dataclass(frozen=True, eq=False)
class MoreData:
    """Whether more rows would help, and what they would cost.

    Attributes
    ----------
    open : bool
        Whether more rows are worth their cost: low bias, and a loss that still falls.
    why : str
        In words.
    curve : LearningCurve
        Of the model that opened the gate, or of the last one tried.
    tried : tuple of (model, verdict)
    times : float
        How many times the rows.
    new_rows : int
        Rows that would have to be found.
    expected : Extrapolated
        The loss of so many rows in all.
    ways : tuple of Way
        What they cost.
    """

    open: bool
    why: str
    curve: LearningCurve
    tried: tuple[tuple[str, str], ...]
    times: float
    new_rows: int
    expected: Extrapolated
    ways: tuple[Way, ...]

    @property
    def cheapest(self) -> Way:
        """The way with the fewest hours of one's own."""
        return min(self.ways, key=lambda way: way.hours)

    def __getitem__(self, name: str) -> Way:
        for way in self.ways:
            if way.name == name:
                return way
        raise KeyError(name)

    def __str__(self) -> str:
        state = "More rows are worth it" if self.open else "More rows are not the way"
        value, low, high = self.expected
        ahead = (
            f"{self.times:g} times the rows ({self.new_rows:,} new ones) would make "
        )
        ahead += f"the loss about {value:.3g} ({low:.3g} to {high:.3g}) and cost:"
        lines = [f"  {way.name:<10} {way.words}" for way in self.ways]
        return "\n".join([f"{state}: {self.why}", ahead, *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw the learning curve that the answer rests on.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        ax = self.curve.plot(ax)
        total = self.curve.rows * self.times
        ax.axvline(total, color="grey", linestyle=":")
        return ax


def more_data_gate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    richer: Sequence[Any] = (),
    expert: bool | None = None,
    times: float = 10,
    seconds_per_row: float = 10.0,
    synthesis_hours: float = 40.0,
    price_per_label: float | None = None,
    labels_per_row: int = 3,
    wage: float | None = None,
    **options: Any,
) -> MoreData:
    """Say whether more rows would help (1), and what they would cost (2) to (4).

    Parameters
    ----------
    model : LearningCurve, or classifier, regressor or pipeline
        A curve that was measured, or a model to measure it of, on X and y.
    X, y : rows and targets
        Of a model.
    richer : sequence of models
        To try in turn while the bias is high.
    expert : bool, optional
        Whether a person could predict y from x with confidence.
    times : float > 1, default=10
        How many times the rows.
    seconds_per_row : float, default=10.0
        Time to find and label one row by oneself.
    synthesis_hours : float, default=40.0
        Time to write and check a generator or a distortion of rows.
    price_per_label : float, optional
        Of the crowd, for one label.
    labels_per_row : int, default=3
        Labels that the crowd gives to each row, to outvote errors.
    wage : float, optional
        Of an hour of one's own.
    **options
        Further parameters of `learning_curve`, such as `desired`.

    Returns
    -------
    MoreData

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.diagnostics import more_data_gate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> y = X[:, 0] ** 2 + 0.1 * rng.normal(size=300)
    >>> found = more_data_gate(LinearRegression(), X, y, desired=0.1)
    >>> found.open, found.new_rows, found["own work"].hours  # 2700 x 10 s
    (False, 2700, 7.5)
    """
    for name, value, rule in (
        ("times", times, real(1, ends="()")),
        ("seconds_per_row", seconds_per_row, real(0)),
        ("synthesis_hours", synthesis_hours, real(0)),
        ("price_per_label", price_per_label or 0.0, real(0)),
        ("labels_per_row", labels_per_row, whole(1)),
        ("wage", wage or 0.0, real(0)),
    ):
        if not rule.holds(value) or not np.isfinite(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    curve, tried = _measured(model, X, y, richer, options)
    opened, why = _verdict(curve, expert)
    new = round((float(times) - 1) * curve.rows)
    ways = (
        _synthesis(float(synthesis_hours), wage),
        _own(new, float(seconds_per_row), wage),
        _crowd(new, int(labels_per_row), price_per_label),
    )
    expected = curve.at(float(times) * curve.rows)
    return MoreData(opened, why, curve, tried, float(times), new, expected, ways)


# -- the gate --------------------------------------------------------------------------
def _measured(
    model: Any, X: Any, y: Any, richer: Any, options: dict[str, Any]
) -> tuple[LearningCurve, tuple[tuple[str, str], ...]]:
    """Return the curve of the first model without high bias, or of the last one."""
    if isinstance(model, LearningCurve):
        return model, ((model.model, model.verdict),)
    if X is None or y is None:
        must = "X and y must be given with a model"
        raise DataError(sentence(WHO, must, "neither" if X is y else "one of them"))
    tried: list[tuple[str, str]] = []
    for one in (model, *richer):
        curve = learning_curve(one, X, y, **options)
        tried.append((curve.model, curve.verdict))
        if curve.verdict != "high bias":
            break
    return curve, tuple(tried)


def _verdict(curve: LearningCurve, expert: bool | None) -> tuple[bool, str]:
    """Return whether more rows help, and why."""
    if expert is False:
        text = "a person could not predict y from x either, so x lacks what it takes; "
        return False, text + "add features that tell more."
    if curve.reached:
        return False, "the desired loss is reached already."
    if curve.verdict == "high bias":
        text = "the model has high bias: its training loss is as high as its loss on "
        text += "new rows. Add features, or units, or weaken the penalty first, until "
        return False, text + "the loss falls with more rows."
    if not curve.falling:
        text = "the loss hardly falls with more rows any more. Use a stronger penalty "
        return False, text + "or a simpler model."
    fall = curve.law.fall(curve.sizes[-1], 10 * curve.sizes[-1])
    text = "the model has low bias and its loss still falls, by about "
    return True, text + f"{fall.value:.3g} with ten times the rows."


# -- the ways --------------------------------------------------------------------------
def _synthesis(hours: float, wage: float | None) -> Way:
    """Return (2)."""
    text = f"{_time(hours)} to write and check a generator or distortions"
    text += f"{_cost(hours, wage)}; they must resemble what new rows will look like"
    return Way("synthesis", hours, _price(hours, wage), text)


def _own(new: int, seconds: float, wage: float | None) -> Way:
    """Return (3)."""
    hours = new * seconds / 3600
    text = f"{new:,} rows x {seconds:g} s = {_time(hours)}{_cost(hours, wage)}"
    return Way("own work", hours, _price(hours, wage), text)


def _crowd(new: int, votes: int, price: float | None) -> Way:
    """Return (4)."""
    labels = new * votes
    text = f"{new:,} rows x {votes} labels = {labels:,} labels"
    if price is None:
        return Way("crowd", 0.0, None, text + "; give price_per_label for the price")
    return Way(
        "crowd", 0.0, labels * price, f"{text} x {price:g} = {labels * price:,.2f}"
    )


def _time(hours: float) -> str:
    days = hours / DAY
    return f"{hours:,.1f} hours" + (f" ({days:,.1f} days)" if days >= 1 else "")


def _price(hours: float, wage: float | None) -> float | None:
    return None if wage is None else hours * float(wage)


def _cost(hours: float, wage: float | None) -> str:
    return "" if wage is None else f", {hours * float(wage):,.2f} at {wage:g} an hour"
