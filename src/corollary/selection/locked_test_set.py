"""A test set that stays locked until the end, and knows how often it was looked at.

Also known as: held-out test set, vault, test-set metering, three-way split guard.

The mean loss of a fixed model on rows that nobody has looked at is unbiased for its
risk.  Whoever looks, and then chooses, has fitted to these rows: the least of M means
is too small, the more so the larger M.  So the rows of a locked set cannot be read
before it is opened, and it judges models without showing them:

    one model       the mean is unbiased, and a bound of `hold_out_bound` holds   (1)
    M models        the bound of each at delta / M holds for all, the best too    (2)

Every different model that is judged counts, here and by `certify`, on this object or on
another with the same rows: a set is known by its content (`set_uses`).  The same
answers twice tell nothing new and count once.

Notation: M = models; openings = how often the rows were handed out.
Course: S3-98, S4-57, S1-42. References: Langford (2005); Dwork et al. (2015).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.warn import warn
from corollary.selection.validation_data import (
    answers_of,
    check_model,
    given_rows,
    rows_in,
    targets_in,
)
from corollary.selection.validation_loss import chosen_loss
from corollary.theory.bound import Bound
from corollary.theory.certify import USES, matrix_of
from corollary.theory.hold_out import hold_out_bound
from corollary.theory.set_uses import Uses, set_key

__all__ = ["Judgement", "LockedError", "LockedTestSet"]

WHO = "LockedTestSet"


class LockedError(RuntimeError):
    """The rows of a test set were asked for before it was opened."""


@dataclass(frozen=True)
class Judgement:
    """What a locked test set says of a model.

    Attributes
    ----------
    model : str
    loss : str
    risk : float
        Mean loss on the test rows.
    standard_error : float
        Of the mean; NaN where the loss is one number for all rows.
    n : int
        Test rows.
    bound : Bound or None
        On the risk, at delta / M (2), where the loss counts errors.
    models : int
        M, how many different models were judged on these rows, this one among them.
    openings : int
        How often the rows were handed out.
    losses : array of shape (n,) or None
    """

    model: str
    loss: str
    risk: float
    standard_error: float
    n: int
    bound: Bound | None
    models: int
    openings: int
    losses: Floats | None

    @property
    def first(self) -> bool:
        """Whether nobody had looked at these rows before."""
        return self.models == 1 and not self.openings

    def __str__(self) -> str:
        head = f"{self.model}: {self.loss} loss {self.risk:.4g}"
        lines = [f"{head} on {self.n:,} test rows"]
        if self.bound is not None:
            lines.append(f"  {self.bound}")
        if self.first:
            lines.append("  the first look at these rows")
        else:
            lines.append(f"  {looks(self.models, self.openings)}")
        return "\n".join(lines)


def looks(models: int, openings: int) -> str:
    """Say how often a test set was looked at."""
    parts = [f"{models} different model{'s' if models != 1 else ''} judged here"]
    if openings:
        parts.append(f"rows handed out {openings} time{'s' if openings != 1 else ''}")
    return f"{', '.join(parts)}: a choice among them would be too hopeful"


class LockedTestSet:
    """Rows that judge models and cannot be read before they are opened.

    Parameters
    ----------
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    rows : array of shape (n,), optional
        Their numbers in the whole data.

    Attributes
    ----------
    n : int
        How many rows there are.
    openings : int
        How often the rows were handed out.
    models : int
        How many different models were judged here.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import LockedTestSet
    >>> X = np.arange(6.0)[:, None]
    >>> test = LockedTestSet(X[4:], X[4:, 0])
    >>> test.X
    Traceback (most recent call last):
    ...
    corollary.selection.locked_test_set.LockedError: LockedTestSet: the test rows must \
stay unseen until the model is chosen; got a look at X. Use judge(model), or open() at \
the end.
    >>> model = LinearRegression().fit(X[:4], X[:4, 0])
    >>> print(test.judge(model, loss=lambda y, f: abs(y - f) > 0.1))
    LinearRegression: <lambda> loss 0 on 2 test rows
      the first look at these rows
    """

    def __init__(self, X: Any, y: Any, rows: Any = None) -> None:
        self._X, n = rows_in(WHO, X)
        self._y = targets_in(WHO, y, n, 1)
        self._rows = None if rows is None else np.asarray(rows)
        self._uses, self._openings, self._models = Uses(), 0, 0

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self._y)

    @property
    def openings(self) -> int:
        """How often the rows were handed out."""
        return self._openings

    @property
    def models(self) -> int:
        """How many different models were judged on these rows."""
        return self._models

    @property
    def X(self) -> Any:
        """The rows, once the set is open."""
        return self._shown("X", self._X)

    @property
    def y(self) -> Vector:
        """The targets, once the set is open."""
        return self._shown("y", self._y)

    @property
    def rows(self) -> Vector | None:
        """The numbers of the rows in the whole data, once the set is open."""
        return self._shown("rows", self._rows)

    def _shown(self, name: str, values: Any) -> Any:
        if not self._openings:
            must = "the test rows must stay unseen until the model is chosen"
            remedy = "Use judge(model), or open() at the end."
            raise LockedError(sentence(WHO, must, f"a look at {name}", remedy))
        return values

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        state = "open" if self._openings else "locked"
        return f"LockedTestSet({self.n:,} rows, {state}, models judged: {self._models})"

    # -- looking -------------------------------------------------------------------
    def open(self) -> LockedTestSet:
        """Open the set, so that its rows can be read; warn where it was open before.

        Returns
        -------
        LockedTestSet
            This one, with X and y.
        """
        self._openings += 1
        if self._openings > 1 or self._models > 1:
            before = looks(self._models, self._openings)
            warn(f"{WHO}: not the first look at the test rows: {before}.")
        return self

    def judge(
        self,
        model: Any,
        *,
        loss: Any = None,
        delta: float = 0.05,
        models_tried: int = 1,
    ) -> Judgement:
        """Measure a fitted model on the test rows, and count it.

        Parameters
        ----------
        model : fitted estimator
        loss : str, function or Loss, optional
            As in `cross_validate`.
        delta : float in (0, 1), default=0.05
            How often the bound may fail.
        models_tried : int, default=1
            Models that were all fixed before these rows are looked at; with them the
            bound of each is a proved one (2).

        Returns
        -------
        Judgement
        """
        check_model(WHO, model)
        if not real(0, 1, ends="()").holds(delta):
            must = "delta must be a number between 0 and 1"
            raise ParameterError(sentence(WHO, must, shown(delta)))
        if not whole(1).holds(models_tried):
            must = "models_tried must be a whole number >= 1"
            raise ParameterError(sentence(WHO, must, shown(models_tried)))
        given = given_rows(WHO, model, self._X, self._y, least=1)
        cost = chosen_loss(WHO, loss, model)
        answers = answers_of(model, given)
        losses = answers.losses(WHO, cost, given)
        single = np.ndim(losses) == 0
        self._count(given.targets, answers.predicted if single else losses)
        bound = None
        if cost.name == "error":
            proved = not self._openings and self._models <= models_tried
            share = delta / max(self._models, models_tried)
            found = hold_out_bound(losses, share)
            bound = replace(found, delta=delta, holds=proved)
        spread = np.nan
        if not single and len(losses) > 1:
            spread = losses.std(ddof=1) / np.sqrt(len(losses))
        return Judgement(
            type(model).__name__,
            cost.name,
            float(np.mean(losses)),
            float(spread),
            self.n,
            bound,
            self._models,
            self._openings,
            None if single else losses,
        )

    def _count(self, targets: Vector, answers: Vector) -> None:
        """Count a look: by the content of the rows where they are numbers."""
        numbers = matrix_of(self._X)
        said = (
            np.unique(answers, return_inverse=True)[1] if is_text(answers) else answers
        )
        mine = self._uses.count(0, hash(np.asarray(said, dtype=np.float64).tobytes()))
        if numbers is not None:
            codes = np.unique(targets, return_inverse=True)[1]
            key = set_key(numbers, codes)
            mine = max(mine, USES.count(key, set_key(numbers, said)))
        self._models = max(self._models, mine)


def is_text(answers: Vector) -> bool:
    """Tell answers that are labels and no numbers."""
    return answers.dtype.kind not in "fiub"
