"""Kernels of texts: the spectrum, and subsequences with gaps.

Also known as: string kernels, k-gram kernel, n-gram kernel, gap-weighted subsequence
kernel, SSK.

The spectrum kernel compares how often every text u of k letters occurs in a row,

    k(x, z) = sum_{|u| = k} c_u(x) c_u(z),     c_u(x) = how often u is in x          (1)

The subsequence kernel lets the k letters lie apart; an occurrence at the places i_1 <
... < i_k of x, l(i) = i_k - i_1 + 1 letters long, counts lambda^l(i):

    k(x, z) = sum_{|u| = k} sum_{x[i] = u} sum_{z[j] = u} lambda^(l(i) + l(j))       (2)

The sum is over exponentially many places, but a table over prefixes holds it.  With
P_0 = 1 and P_q(a, b) the sum for q letters in x[:a], z[:b], stretched to their ends,

    M_q(a, b) = lambda^2 1{x_a = z_b} P_{q-1}(a - 1, b - 1)                          (3)
    P_q(a, b) = sum_{a' <= a, b' <= b} lambda^{a - a'} lambda^{b - b'} M_q(a', b')   (4)
    k(x, z)   = sum_{a, b} M_k(a, b)                                                 (5)

where (4) is a filter y_a = lambda y_{a-1} + x_a along either side: O(k |x| |z|) steps.
Long texts have large values; ``.normalized()`` takes the length out.

Both take lists of texts.  A machine that takes numbers only is given rows of letters by
`letters`, which these kernels read as the texts they are.

Notation: k = length; lambda = decay.
Course: S4-14. References: Leslie, Eskin and Noble (2002); Lodhi, Saunders,
Shawe-Taylor, Cristianini and Watkins (2002).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import real, whole
from corollary.core.records import stored
from corollary.kernels.kernel import Kernel

__all__ = ["Spectrum", "Subsequence", "letters"]

TABLE_BYTES = 2**24  # of the table (4) at a time


@stored
@dataclass(frozen=True, eq=False)
class Spectrum(Kernel):
    """The inner product of the counts of all texts of so many letters, (1).

    Parameters
    ----------
    length : int, default=3

    Examples
    --------
    >>> from corollary.kernels import Spectrum
    >>> Spectrum(2)(["banana"], ["ananas", "bandana"]).tolist()
    [[8.0, 7.0]]
    """

    length: int = 3
    rules: ClassVar = {"length": whole(1)}
    takes: ClassVar = "texts"

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the products of the counts, (1)."""
        numbers: dict[str, int] = {}
        A, B = self._counts(X, numbers), self._counts(Z, numbers)
        A.resize(A.shape[0], len(numbers))
        return np.asarray((A @ B.T).toarray())

    def square_norms(self, X: Any) -> Floats:
        """Return the squares of the counts."""
        return np.array([float(sum(c * c for c in self._grams(x).values())) for x in X])

    def _grams(self, x: str) -> Counter[str]:
        k = self.length
        return Counter(x[i : i + k] for i in range(len(x) - k + 1))

    def _counts(self, texts: list[str], numbers: dict[str, int]) -> sp.csr_matrix:
        """Count in a sparse row for each text; `numbers` is added to."""
        data, columns, ends = [], [], [0]
        for text in texts:
            grams = self._grams(text)
            data += list(grams.values())
            columns += [numbers.setdefault(u, len(numbers)) for u in grams]
            ends.append(len(data))
        shape = (len(texts), len(numbers))
        return sp.csr_matrix((np.array(data, float), columns, ends), shape=shape)

    @property
    def formula(self) -> str:
        """The sum over texts u."""
        return f"sum_{{|u| = {self.length}}} c_u(x) c_u(z)"


@stored
@dataclass(frozen=True, eq=False)
class Subsequence(Kernel):
    """Common subsequences of so many letters, with gaps that decay, (2).

    Parameters
    ----------
    length : int, default=3
    decay : float in (0, 1], default=0.5
        lambda: 1 counts all subsequences alike.

    Examples
    --------
    >>> from corollary.kernels import Subsequence
    >>> k = Subsequence(2, decay=0.5)  # "ca" in both: 0.5^4
    >>> k(["cat"], ["car"]).tolist()
    [[0.0625]]
    """

    length: int = 3
    decay: float = 0.5
    rules: ClassVar = {"length": whole(1), "decay": real(0, 1, ends="(]")}
    takes: ClassVar = "texts"

    def block(self, X: Any, Z: Any) -> Floats:
        """Return (5) of all pairs, one x with several z at a time."""
        K = np.zeros((len(X), len(Z)))
        longest = max(map(len, Z), default=0)
        for i, x in enumerate(X):
            step = max(1, TABLE_BYTES // (8 * max(1, len(x) * longest)))
            for a in range(0, len(Z), step):
                K[i, a : a + step] = self._with_each(x, padded(Z[a : a + step]))
        return K

    def square_norms(self, X: Any) -> Floats:
        """Return (5) of each text with itself."""
        return np.array([float(self._with_each(x, padded([x]))[0]) for x in X])

    def _with_each(self, x: str, Z: Vector) -> Floats:
        """Run (3) and (4) over one text against each row of codes, (m, longest)."""
        from scipy.signal import lfilter

        if len(x) < self.length or Z.shape[1] < self.length:
            return np.zeros(len(Z))
        same = np.array([ord(c) for c in x])[:, None, None] == Z  # (|x|, m, longest)
        M = self.decay**2 * same
        for _ in range(self.length - 1):
            P = lfilter([1.0], [1.0, -self.decay], M, axis=0)  # (4)
            P = lfilter([1.0], [1.0, -self.decay], P, axis=2)
            M = np.zeros_like(P)
            M[1:, :, 1:] = self.decay**2 * same[1:, :, 1:] * P[:-1, :, :-1]  # (3)
        return M.sum(axis=(0, 2))  # (5)

    @property
    def formula(self) -> str:
        """The sum over common subsequences u."""
        where = f"|u| = {self.length}, x[i] = z[j] = u"
        return f"sum_{{{where}}} {self.decay:g}^(l(i) + l(j))"


def letters(texts: Sequence[str], width: int | None = None) -> Floats:
    """Write texts as rows of numbers: code points, then zeros.

    Parameters
    ----------
    texts : sequence of str
    width : int, optional
        Letters of the longest text that will ever come; that of these texts if missing.

    Returns
    -------
    array of shape (n, width)

    Examples
    --------
    >>> from corollary.kernels import letters
    >>> letters(["ab", "c"]).tolist()
    [[97.0, 98.0], [99.0, 0.0]]
    """
    longest = max(map(len, texts), default=0)
    if width is not None and longest > width:
        must = f"no text must be longer than width = {width}"
        raise DataError(sentence("letters", must, f"{longest} letters"))
    codes = padded(list(texts), width)
    return np.maximum(codes, 0).astype(np.float64)


def padded(texts: list[str], width: int | None = None) -> Vector:
    """Return code points in rows, -1 after the end."""
    width = max(map(len, texts), default=0) if width is None else width
    codes = np.full((len(texts), width), -1)
    for row, text in zip(codes, texts, strict=True):
        row[: len(text)] = [ord(c) for c in text]
    return codes
