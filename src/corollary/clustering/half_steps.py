"""The two half steps of k-means, from given assignments or from given centres.

Also known as: k-means energy, alternating minimisation, Lloyd's algorithm step by step.

    J(z, mu) = sum_n w_n ||x_n - mu_{z_n}||^2                                        (1)

falls, or stays, in each half step:

    means     mu_k = mean of the rows with z_n = k:  the best mu for this z          (2)
    assign    z_n = argmin_k ||x_n - mu_k||^2:       the best z for this mu          (3)

and by Huygens' theorem (2) lowers it by  sum_k n_k ||old mu_k - new mu_k||^2.  There
are finitely many z, so it ends at a z that repeats.  One may begin with either: centres
are followed by (3), assignments by (2).  A cluster without rows is eliminated.  This is
the method for study; `KMeans` is the one to use.

Notation: X (n, d); w = sample_weight; z = labels; mu = centers.
Course: S0-42. Reference: Lloyd (1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.clustering.assignment import nearest
from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.vectors import rows_of

__all__ = ["HalfSteps", "k_means_half_steps"]

WHO = "k_means_half_steps"


@dataclass(frozen=True)
class HalfSteps:
    """Where the half steps led, and J after each.

    Attributes
    ----------
    labels : array of shape (n,)
        Numbers of rows of `centers`.
    centers : array of shape (k, d)
        Of the clusters that have rows.
    steps : tuple of {'means', 'assign'}
        What was done.
    energy : array, as long as `steps`
        J (1) after each half step; it never rises.
    converged : bool
        Whether the assignment repeated.
    """

    labels: Vector
    centers: Floats
    steps: tuple[str, ...]
    energy: Floats
    converged: bool

    def __str__(self) -> str:
        pairs = zip(self.steps, self.energy, strict=True)
        lines = [f"{step:<7} J = {J:.6g}" for step, J in pairs]
        end = "the assignment repeats" if self.converged else "max_iter reached"
        return "\n".join([*lines, end])

    def plot(self, ax: Any = None) -> Any:
        """Draw J against the half steps; return the axes."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(1, len(self.steps) + 1)
        ax.plot(at, self.energy, color="grey")
        for step, mark in (("means", "o"), ("assign", "s")):
            some = np.array([s == step for s in self.steps], dtype=bool)
            ax.plot(at[some], self.energy[some], mark, label=step)
        ax.set(xlabel="half step", ylabel="energy J")
        ax.legend()
        return ax


def k_means_half_steps(
    X: Any, init: Any, *, sample_weight: Any = None, max_iter: int = 300
) -> HalfSteps:
    """Alternate (2) and (3) until the assignment repeats.

    Parameters
    ----------
    X : array of shape (n, d)
    init : array of int of shape (n,), or array of shape (k, d)
        The cluster of each row, or the centres.
    sample_weight : array of shape (n,), optional
    max_iter : int, default=300
        Rounds of both.

    Returns
    -------
    HalfSteps

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> found = k_means_half_steps(X, [0, 0, 0, 1])
    >>> found.steps
    ('means', 'assign', 'means', 'assign')
    >>> found.energy.round(2).tolist(), found.labels.tolist()
    ([60.67, 21.56, 1.0, 1.0], [0, 0, 1, 1])
    """
    X = rows_of(WHO, X)
    w = full_weights(WHO, sample_weight, len(X))
    if not whole(1).holds(max_iter):
        must = "max_iter must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, f"{max_iter!r}"))
    given = np.asarray(init)
    done: list[tuple[str, float]] = []
    if given.ndim == 1:
        z = _labels(given, len(X))
    else:
        mu = _centers(given, X.shape[1])
        z = nearest(X, mu, 1)[0]
        done.append(("assign", _energy(X, w, z, mu)))
    for _ in range(max_iter):
        mu, z = _means(X, w, z)  # (2)
        done.append(("means", _energy(X, w, z, mu)))
        before, z = z, nearest(X, mu, 1)[0]  # (3)
        done.append(("assign", _energy(X, w, z, mu)))
        if np.array_equal(z[w > 0], before[w > 0]):
            break
    steps, energy = zip(*done, strict=True)
    end = bool(np.array_equal(z[w > 0], before[w > 0]))
    return HalfSteps(z, mu, steps, np.array(energy), end)


def _energy(X: Floats, w: Floats, z: Vector, mu: Floats) -> float:
    """Return J (1)."""
    return float(w @ ((X - mu[z]) ** 2).sum(axis=1))


def _means(X: Floats, w: Floats, z: Vector) -> tuple[Floats, Vector]:
    """Return the means (2), and the labels once empty clusters are gone."""
    numbers, fresh = np.unique(z[w > 0], return_inverse=True)
    sums, n = np.zeros((len(numbers), X.shape[1])), np.zeros(len(numbers))
    np.add.at(sums, fresh, w[w > 0, None] * X[w > 0])
    np.add.at(n, fresh, w[w > 0])
    renamed = np.zeros(len(z), dtype=np.int32)  # rows of weight 0 count nowhere
    renamed[w > 0] = fresh
    return sums / n[:, None], renamed


def _labels(z: Vector, n: int) -> Vector:
    if z.shape != (n,) or z.dtype.kind not in "iu":
        must = f"init must be {n} whole numbers, one a row, or centres"
        raise DataError(sentence(WHO, must, f"shape {z.shape} of {z.dtype}"))
    return z


def _centers(mu: Floats, d: int) -> Floats:
    mu = np.asarray(rows_of(WHO, mu), dtype=np.float64)
    if mu.shape[1] != d:
        must = f"centres must have {d} features"
        raise DataError(sentence(WHO, must, f"shape {mu.shape}"))
    return mu
