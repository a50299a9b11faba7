"""The records that the small data sets come in.

A `Table` holds examples, `Texts` messages, a `Counts` a contingency table, a `Decision`
a problem of choosing an action under uncertainty.  `known` holds the right answers, so
that a method can be checked against numbers worked out independently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corollary.core.records import readable

__all__ = ["Counts", "Decision", "Table", "Texts"]


@readable
@dataclass(frozen=True)
class Table:
    """Examples, one a row.

    Attributes
    ----------
    name, about : str
        The function that makes it, and one sentence of what it is.
    columns : tuple of str
        Names of the columns of X.
    X : ndarray of shape (n, d)
        Numbers, or strings where the attributes are nominal.
    y : ndarray of shape (n,) or None
        Class or value of each row, called `target`.
    target : str or None
        The name of y.
    rows : tuple of str
        Names of the rows, where they have any.
    weight : ndarray of shape (n,) or None
        How much each row counts, where rows do not count alike.
    known : mapping
        Right answers, worked out by hand or exactly.

    Examples
    --------
    >>> from corollary.datasets import play_tennis
    >>> table = play_tennis()
    >>> table.X.shape, table.columns[0], table.class_counts()
    ((14, 4), 'Outlook', {'No': 5, 'Yes': 9})
    """

    name: str
    about: str
    columns: tuple[str, ...]
    X: np.ndarray
    y: np.ndarray | None = None
    target: str | None = None
    rows: tuple[str, ...] = ()
    weight: np.ndarray | None = None
    known: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def class_counts(self) -> dict[Any, int]:
        """Count the rows of each class; none where there is no target."""
        if self.y is None:
            return {}
        classes, counts = np.unique(self.y, return_counts=True)
        return dict(zip(classes.tolist(), counts.tolist(), strict=True))


@readable
@dataclass(frozen=True)
class Texts:
    """Short texts with two labels each.

    Attributes
    ----------
    name, about : str
        The function that makes it, and one sentence of what it is.
    texts : tuple of str
    spam, topic : ndarray of str, shape (n,)
        Whether a text is wanted, and what it is about.

    Examples
    --------
    >>> from corollary.datasets import messages
    >>> sorted(set(messages().topic.tolist()))
    ['health', 'money', 'travel', 'work']
    """

    name: str
    about: str
    texts: tuple[str, ...]
    spam: np.ndarray
    topic: np.ndarray


@readable
@dataclass(frozen=True)
class Counts:
    """A contingency table: how often each class came with each value.

    Attributes
    ----------
    name, about : str
        The function that makes it, and one sentence of what it is.
    classes : tuple of str
        Names of the rows of `counts`.
    values : ndarray of shape (v,)
        What the columns of `counts` stand for, in order.
    counts : ndarray of int, shape (c, v)
        Number of examples of each class with each value.
    variable : str
        Name of the quantity whose values these are.
    known : mapping
        Right answers, worked out by hand or exactly.

    Examples
    --------
    >>> from corollary.datasets import fish
    >>> fish("length").counts.sum(axis=1)
    array([27, 23])
    """

    name: str
    about: str
    classes: tuple[str, ...]
    values: np.ndarray
    counts: np.ndarray
    variable: str
    known: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def table(self) -> Table:
        """Write the counts out as examples, one a row.

        Examples
        --------
        >>> from corollary.datasets import fish
        >>> fish("lightness").table().X.shape
        (48, 1)
        """
        each = self.counts.ravel()
        y = np.repeat(np.repeat(self.classes, len(self.values)), each)
        X = np.repeat(np.tile(self.values, len(self.classes)), each)
        return Table(
            self.name, self.about, (self.variable,), X[:, None], y, target="class"
        )


@readable
@dataclass(frozen=True)
class Decision:
    """A choice between actions when the state is seen only through an observation.

    Attributes
    ----------
    name, about : str
        The function that makes it, and one sentence of what it is.
    states, observations, actions : tuple of str
        What may be true, what may be seen, what may be done.
    prior : ndarray of shape (s,)
        Probability of each state before anything is seen.
    likelihood : ndarray of shape (o, s)
        Probability of each observation in each state; columns sum to 1.
    loss : ndarray of shape (a, s) or None
        Cost of each action in each state.
    known : mapping
        Right answers, worked out by hand or exactly.

    Examples
    --------
    >>> from corollary.datasets import doctor
    >>> problem = doctor()
    >>> problem.loss @ problem.prior  # risk of each drug before the test
    array([1. , 0.9])
    """

    name: str
    about: str
    states: tuple[str, ...]
    prior: np.ndarray
    observations: tuple[str, ...]
    likelihood: np.ndarray
    actions: tuple[str, ...] = ()
    loss: np.ndarray | None = None
    known: Mapping[str, Any] = field(default_factory=dict, repr=False)
