"""Discriminant functions of the user's: one score for each class, the largest decides.

Also known as: discriminant function, decision function, argmax rule.

    decide i  where  g_i(x) = max_j g_j(x)          (ties: the first)                (1)

cuts the space into regions R_i.  Bayes' rule is g_i = P(c_i | x), or minus the
conditional risk; what all g_i are put through by an increasing f changes no region:

    g_i(x) > g_j(x)  if and only if  f(g_i(x)) > f(g_j(x))                           (2)

so p(x | c_i) P(c_i) and log p(x | c_i) + log P(c_i) decide the same.

Notation: g_i = functions; f increasing.
Course: S3-13. Reference: Duda, Hart, Stork (2001), 2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import rows_of

__all__ = ["DiscriminantFunctions"]


@dataclass(frozen=True)
class DiscriminantFunctions:
    """A classifier made of given functions (1); nothing is learnt.

    Parameters
    ----------
    functions : sequence of functions of X -> array of shape (n,)
        g_1, ..., g_K, of an array of rows (n, d).
    classes : array of shape (K,), optional
        Their labels, 0, ..., K - 1 by default.

    Examples
    --------
    >>> import numpy as np
    >>> g = DiscriminantFunctions([lambda X: -X[:, 0], lambda X: X[:, 0]], ["a", "b"])
    >>> g.predict([[-1.0], [3.0]]).tolist()
    ['a', 'b']
    >>> g.transformed(np.exp).predict([[-1.0], [3.0]]).tolist()
    ['a', 'b']
    """

    functions: Sequence[Callable[[Floats], Any]]
    classes: Any = None
    transforms: tuple[Callable[[Floats], Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if len(self.functions) < 2 or not all(map(callable, self.functions)):
            must = "functions must be at least two functions of X"
            raise ParameterError(sentence(self, must, f"{self.functions!r}"))
        names = np.asarray(self.classes_)
        if names.shape != (len(self.functions),) or len(np.unique(names)) < len(names):
            must = f"classes must be {len(self.functions)} different labels"
            raise ParameterError(sentence(self, must, f"{self.classes!r}"))

    @property
    def classes_(self) -> Vector:
        """The labels."""
        known = self.classes is not None
        return np.asarray(self.classes) if known else np.arange(len(self.functions))

    def scores(self, X: Any) -> Floats:
        """Return g_i(x), (n, K), after the transforms; infinite ones are allowed."""
        X = rows_of("DiscriminantFunctions", X)
        G = np.column_stack([self._score(g, X) for g in self.functions])
        for f in self.transforms:
            G = self._transform(f, G)
        return G

    def predict(self, X: Any) -> Vector:
        """Return the class of the largest score (1)."""
        return self.classes_[self.scores(X).argmax(axis=1)]

    def transformed(self, f: Callable[[Floats], Any]) -> DiscriminantFunctions:
        """Put all scores through f, which must be increasing (2).

        Parameters
        ----------
        f : function of an array -> array
            Refused when it is used, where it orders two scores otherwise.

        Returns
        -------
        DiscriminantFunctions
        """
        if not callable(f):
            raise ParameterError(sentence(self, "f must be a function", f"{f!r}"))
        several = (*self.transforms, f)
        return DiscriminantFunctions(self.functions, self.classes, several)

    def _score(self, g: Callable[[Floats], Any], X: Floats) -> Floats:
        values = np.asarray(g(X), dtype=np.float64)
        if values.shape != (len(X),) or np.isnan(values).any():
            must = f"each function must return {len(X)} numbers, one a row"
            raise DataError(sentence(self, must, f"shape {values.shape}, or NaN"))
        return values

    def _transform(self, f: Callable[[Floats], Any], G: Floats) -> Floats:
        """Return f of all scores; refuse one that is seen not to increase.

        Scores that rounding makes equal are no proof, unless a decision is lost.
        """
        F = np.asarray(f(G), dtype=np.float64)
        if F.shape != G.shape or np.isnan(F).any():
            must = "f must map numbers to numbers"
            raise DataError(sentence(self, must, f"shape {F.shape}, or NaN"))
        seen, first = np.unique(G, return_index=True)
        image = F.ravel()[first]
        falls = np.flatnonzero(image[1:] < image[:-1])
        lost = np.flatnonzero(F.argmax(axis=1) != G.argmax(axis=1))
        if len(falls) or len(lost):
            pair = seen[falls[0] : falls[0] + 2] if len(falls) else np.sort(G[lost[0]])
            came = f"f({pair[-2]:.6g}) >= f({pair[-1]:.6g})"
            remedy = "Another order of the scores is another rule."
            raise DataError(sentence(self, "f must be increasing", came, remedy))
        return F
