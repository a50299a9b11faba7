"""Which kind of validation to use, by the number of rows and the cost of a fit.

Also known as: cross-validation adviser, choice of the number of folds.

                 fits   trains on      weakness
    hold-out     1      (1 - a) n      hangs on the draw; se >= 1/sqrt(a n) spreads
    k folds      k      (1 - 1/k) n    between; 10 wastes a tenth, 3 a third
    leave-one-out n     n - 1          dear; the n models are nearly the same
    bootstrap    B      0.632 n        biased up; least variance for few rows   (1)

Rules, the first that holds:

    1. closed form: leave-one-out costs one fit (`leave_one_out`)
    2. rows in time or in groups: as many folds, of time or of groups
    3. fewer than 50 rows: leave-one-out where n fits are affordable and the loss is
       smooth, the bootstrap .632+ for 0/1 losses
    4. many rows, so that rows held out alone say the error to 1% of its spread, or
       a single fit that takes more than half the time there is: hold-out
    5. else k folds, k = 10 where 10 fits are affordable, else 5, else 3; repeated
       where there are fewer than 1000 rows and time is left                    (2)

A rule of thumb for 0/1 losses: an error e on m rows held out has a standard error of
sqrt(e (1 - e)/m), 0.005 at most for m = 10,000.

Course: S3-102. References: Kohavi (1995); Hastie, Tibshirani and Friedman (2009),
7.10-7.11; Efron and Tibshirani (1997).
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import boolean, missing, real, shown, whole

__all__ = ["ValidationAdvice", "advise_validation"]

WHO = "advise_validation"
FEW = 50  # rows that leave-one-out or the bootstrap are for
SOME = 1000  # rows below which folds are worth repeating
MANY = 100_000  # rows of which a tenth held out says the error to 1% of its spread
DRAWS = 100  # of the bootstrap
MOST_REPEATS = 10


@dataclass(frozen=True)
class ValidationAdvice:
    """A kind of validation, and why.

    Attributes
    ----------
    kind : {'hold-out', 'k-fold', 'leave-one-out', 'bootstrap'}
    folds : int
        Parts of the rows; 1 for hold-out, n for leave-one-out, 0 for the bootstrap.
    repeats : int
        How often to part the rows anew; the draws of a bootstrap.
    fits : int
        How many fits it takes.
    seconds : float
        Their time, NaN where the cost of a fit is not known.
    train_rows : int
        Rows that each model is fitted to.
    why : str
        One sentence.
    caution : str
        What to mind, or nothing.
    """

    kind: str
    folds: int
    repeats: int
    fits: int
    seconds: float
    train_rows: int
    why: str
    caution: str = ""

    def __str__(self) -> str:
        name = {"k-fold": f"{self.folds}-fold cross-validation"}.get(
            self.kind, self.kind
        )
        if self.kind == "k-fold" and self.repeats > 1:
            name += f", {self.repeats} times"
        time = f", {self.seconds:.3g} s" if self.seconds == self.seconds else ""
        cost = f"{self.fits:,} fit{'s' if self.fits != 1 else ''}{time}"
        lines = [f"{name}: {cost}, {self.train_rows:,} rows to train on"]
        lines.append(f"  {self.why}")
        return "\n".join([*lines, f"  {self.caution}"] if self.caution else lines)


def advise_validation(
    n_rows: int,
    seconds_per_fit: float | None = None,
    *,
    budget: float = 60.0,
    closed_form: bool = False,
    classification: bool = False,
    smallest_class: int | None = None,
    n_groups: int | None = None,
    ordered: bool = False,
) -> ValidationAdvice:
    """Advise on the kind of validation (1), (2).

    Parameters
    ----------
    n_rows : int
    seconds_per_fit : float, optional
        Time of one fit to all rows; nothing is spared where it is not given.
    budget : float, default=60
        Seconds that all fits may take.
    closed_form : bool, default=False
        Whether the model is a linear smoother, with leave-one-out in closed form.
    classification : bool, default=False
        Whether the loss counts errors.
    smallest_class : int, optional
        Rows of the rarest class: more folds than these leave some without it.
    n_groups : int, optional
        Groups of rows that belong together.
    ordered : bool, default=False
        Whether rows come in time, and the model is for the future.

    Returns
    -------
    ValidationAdvice

    Examples
    --------
    >>> from corollary.selection import advise_validation
    >>> print(advise_validation(5000, 0.5))
    10-fold cross-validation: 10 fits, 5 s, 4,500 rows to train on
      Ten folds waste a tenth of the rows and cost ten fits.
    >>> advise_validation(30, 0.01, classification=True).kind
    'bootstrap'
    >>> advise_validation(1_000_000, 40.0).kind
    'hold-out'
    """
    check(n_rows, seconds_per_fit, budget, smallest_class, n_groups)
    flags = {"closed_form": closed_form, "ordered": ordered}
    for name, value in (flags | {"classification": classification}).items():
        if not boolean.holds(value):
            must = f"{name} must be True or False"
            raise ParameterError(sentence(WHO, must, shown(value)))
    cost = 0.0 if seconds_per_fit is None else float(seconds_per_fit)
    fits = int(min(budget / cost, 10**9)) if cost > 0 else 10**9  # affordable
    plan = Plan(int(n_rows), cost if seconds_per_fit is not None else float("nan"))
    if ordered or n_groups is not None:
        return plan.folds(
            k_of(fits, n_groups or n_rows),
            "Folds of time: each is predicted from what came before."
            if ordered
            else "Whole groups are held out, as new ones will be met.",
            "Use TimeSeriesSplit." if ordered else "Give groups to cross_validate.",
        )
    if closed_form:
        why = "A linear smoother says what every row left out would be, in one fit."
        return plan.left_out(1, why)
    if n_rows < FEW:
        return few_rows(plan, fits, classification)
    if n_rows >= MANY:
        return plan.held_out("So many rows held out say the error well enough.")
    if fits < 2 * 3:
        return plan.held_out("A fit is too dear for folds.")
    return some_rows(plan, fits, smallest_class)


def few_rows(plan: Plan, fits: int, classification: bool) -> ValidationAdvice:
    """Advise for fewer than 50 rows."""
    if classification and fits >= DRAWS:
        why = "Of few rows, 0/1 losses by folds scatter; the .632+ bootstrap less so."
        return plan.drawn(why)
    if fits >= plan.n:
        why = "Of few rows none should be wasted, and one fit for each is affordable."
        return plan.left_out(plan.n, why)
    return plan.folds(min(k_of(fits, plan.n), plan.n), "Few rows and dear fits.", "")


def some_rows(plan: Plan, fits: int, smallest: int | None) -> ValidationAdvice:
    """Advise for rows that are neither few nor very many."""
    most = plan.n if smallest is None else max(2, smallest)
    k = min(k_of(fits, plan.n), most)
    repeats = 1
    if plan.n < SOME:
        repeats = int(min(MOST_REPEATS, max(1, fits // k)))
    why = {
        10: "Ten folds waste a tenth of the rows and cost ten fits.",
        5: "Five folds, for ten cost too much.",
        3: "Three folds, for more cost too much.",
    }.get(k, f"As many folds as the rarest class has rows, {k}.")
    if repeats > 1:
        why += " Few rows: parting them anew takes the chance of the draw out."
    short = k < 5
    return plan.folds(
        k, why, "Models train on fewer rows and look worse." if short else "", repeats
    )


def k_of(fits: int, most: int) -> int:
    """Return 10, 5 or 3 folds, as fits and rows allow."""
    return max(2, min(10 if fits >= 10 else 5 if fits >= 5 else 3, most))


@dataclass(frozen=True)
class Plan:
    """Rows, and the time of a fit to all of them."""

    n: int
    cost: float

    def _made(
        self, kind: str, folds: int, repeats: int, fits: int, train: int, *words: str
    ) -> ValidationAdvice:
        return ValidationAdvice(
            kind, folds, repeats, fits, fits * self.cost, train, *words
        )

    def held_out(self, why: str) -> ValidationAdvice:
        """Return hold-out of 30%, or of fewer where there are very many rows."""
        out = min(round(0.3 * self.n), MANY)
        caution = f"About {out:,} rows are not trained on; refit to all at the end."
        return self._made("hold-out", 1, 1, 1, self.n - out, why, caution)

    def left_out(self, fits: int, why: str) -> ValidationAdvice:
        """Return leave-one-out."""
        caution = "The models are nearly the same: their spread says little."
        return self._made("leave-one-out", self.n, 1, fits, self.n - 1, why, caution)

    def drawn(self, why: str) -> ValidationAdvice:
        """Return the bootstrap."""
        train = round(0.632 * self.n)
        caution = "A draw has about 63% of the rows; .632+ puts the bias right."
        return self._made("bootstrap", 0, DRAWS, DRAWS, train, why, caution)

    def folds(
        self, k: int, why: str, caution: str, repeats: int = 1
    ) -> ValidationAdvice:
        """Return k folds."""
        train = self.n - -(-self.n // k)
        return self._made("k-fold", k, repeats, k * repeats, train, why, caution)


def check(
    n: object, cost: object, budget: object, rare: object, groups: object
) -> None:
    """Check the numbers."""
    rules = (
        ("n_rows", n, whole(2)),
        ("seconds_per_fit", cost, real(0) | missing),
        ("budget", budget, real(0, ends="(]")),
        ("smallest_class", rare, whole(1) | missing),
        ("n_groups", groups, whole(2) | missing),
    )
    for name, value, rule in rules:
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))
