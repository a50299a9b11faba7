"""Losses of one learner after several numbers of rows, and how sure they are.

Each split has rows to train on and rows held out.  The rows to train on are put in an
order, by chance and with the classes in proportion, and the learner is fitted to the
first m_1 of them, the first m_2, ...: the samples are nested, which makes differences
between sizes more certain than with samples of their own.

The means v_k over the rows held out have errors of three kinds.  With J splits of n
rows in all, and row losses of variance w_k,

    D_k^2   the rows held out: variance over the rows of their mean losses, over n (1)
    tau_k^2 the sample of m_k rows: variance of a mean between splits that (1) does
            not explain                                                            (2)
    E_k^2 = tau_k^2 m_k / n:  the part of (2) that all splits share, since all their
            samples come from the same n rows; J splits do not remove it           (3)

A row that is unusual counts in (1) and in (3), so their errors may add up:

    C_kl = R_kl (D_k + E_k)(D_l + E_l)
           + tau_k tau_l (sqrt(m_k/m_l) - sqrt(m_k m_l)/n)/J,   m_k <= m_l         (4)

where R is the correlation of the losses of a row at two sizes.  (2) can be told from
(1) only where a sample is a small part of the rows; its share psi_k = tau_k^2 m_k / w_k
does not grow with m, and it is taken so (decreasing regression, up to m = n/4, constant
from there on).  In simulations (4) is near the variance of v over new data.

Notation: J splits; K sizes; psi = training variance of a row / its variance held out.
Reference: Nadeau and Bengio (2003), of which (4) is the case of many sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.randomness import generator
from corollary.core.warn import gathered_warnings
from corollary.selection.folds import Split
from corollary.selection.validation_data import Given, answers_of, fitted
from corollary.selection.validation_loss import Loss

__all__ = ["Measured", "chosen_sizes", "measure", "nested_order"]

N_SIZES = 7
RANGE = 64  # the largest size over the smallest, at most
FEWEST = 10  # rows of the smallest size, where there are as many
SMALL = 4  # a sample is a small part of the rows below one in so many


@dataclass(frozen=True)
class Measured:
    """Losses of J splits at K sizes.

    Attributes
    ----------
    sizes : array of shape (K,)
    training, validation : arrays of shape (J, K)
        Mean losses of each split, on its sample and on the rows it held out.
    rows : array of shape (r, K)
        Mean loss of each row that was held out.
    weights : array of shape (r,)
    noise : array of shape (K,)
        Variance of the losses within a split.
    n_test : float
        Rows held out in a split.
    notes : tuple of str
    """

    sizes: Floats
    training: Floats
    validation: Floats
    rows: Floats
    weights: Floats
    noise: Floats
    n_test: float
    notes: tuple[str, ...] = ()

    @property
    def means(self) -> Floats:
        """Mean losses of the rows held out, (K,)."""
        return np.asarray(np.average(self.rows, axis=0, weights=self.weights))

    def covariance(self) -> Floats:
        """Return the covariance (4) of the means, (K, K)."""
        m, n, J = self.sizes, float(len(self.rows)), len(self.validation)
        share = self.weights / self.weights.sum()
        d = (self.rows - self.means) * share[:, None]
        of_rows = d.T @ d * n / max(n - 1, 1)
        D = np.sqrt(np.diag(of_rows))  # (1)
        with np.errstate(invalid="ignore", divide="ignore"):
            R = np.where(np.outer(D, D) > 0, of_rows / np.outer(D, D), 0.0)
        np.fill_diagonal(R, 1.0)
        tau = np.sqrt(self.psi() * self.noise / m)
        E = tau * np.sqrt(np.minimum(m / n, 1.0))  # (3)
        near = np.sqrt(np.minimum.outer(m, m) / np.maximum.outer(m, m))
        shared = np.minimum(np.sqrt(np.outer(m, m)) / n, near)
        C = R * np.outer(D + E, D + E) + np.outer(tau, tau) * (near - shared) / J
        return np.asarray(C)  # (4)

    def psi(self) -> Floats:
        """Return the share of the sample in the variance, for each size."""
        m, n, J = self.sizes, float(len(self.rows)), len(self.validation)
        if J < 2:
            return np.zeros(len(m))
        spread = self.validation.var(axis=0, ddof=1)
        noise = np.maximum(self.noise, np.finfo(float).tiny)
        excess = spread / noise - 1 / self.n_test  # (2)
        few = m <= max(n / SMALL, m[min(1, len(m) - 1)])
        alone = np.maximum(1 / m[few] - 1 / n, 1 / n)
        found = decreasing(excess[few] / alone, 1 / m[few] ** 2)
        psi = np.concatenate([found, np.full(int((~few).sum()), found[-1])])
        return np.maximum(psi, 0.0)

    def training_error(self) -> Floats:
        """Return the standard errors of the mean training losses."""
        J, share = len(self.training), self.sizes / (self.sizes[-1] + self.n_test)
        if J < 2:
            return np.asarray(np.sqrt(self.noise / self.sizes))
        spread = self.training.std(axis=0, ddof=1)
        return np.asarray(spread * np.sqrt(1 / J + share / np.maximum(1 - share, 0.1)))


def chosen_sizes(who: str, sizes: Any, n_train: int, n_classes: int) -> Vector:
    """Return numbers of rows, rising, from counts or shares or by default."""
    if sizes is None:
        low = max(n_train // RANGE, FEWEST, 3 * n_classes)
        low = min(low, max(n_train // 4, 2))
        found = np.geomspace(low, n_train, N_SIZES)
        return np.unique(found.round().astype(np.int64))
    given = np.atleast_1d(np.asarray(sizes))
    must = f"sizes must be 3 or more numbers of rows up to {n_train}, or shares of them"
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise ParameterError(sentence(who, must, shown(sizes)))
    shares = given.dtype.kind == "f" and bool((given <= 1).all())
    with np.errstate(invalid="ignore"):
        rows = np.unique(np.round(given * n_train if shares else given))
    if len(rows) < 3 or not (np.isfinite(rows).all() and rows[0] >= 1):
        raise ParameterError(sentence(who, must, shown(sizes)))
    if rows[-1] > n_train:
        raise ParameterError(sentence(who, must, f"{rows[-1]:.0f}"))
    return rows.astype(np.int64)


def nested_order(train: Vector, codes: Any, rng: np.random.Generator) -> Vector:
    """Return rows in an order of which every beginning has classes in proportion.

    The first rows are one of each class.
    """
    order = rng.permutation(train)
    if codes is None:
        return np.asarray(order)
    kinds = codes[order]
    place = np.empty(len(order))
    for k in np.unique(kinds):
        own = np.flatnonzero(kinds == k)
        place[own] = (np.arange(len(own)) + rng.random()) / len(own)
        place[own[0]] = -1.0
    return np.asarray(order[np.argsort(place, kind="stable")])


def measure(
    who: str,
    model: Any,
    given: Given,
    splits: tuple[Split, ...],
    sizes: Vector,
    loss: Loss,
    *,
    seed: int = 0,
    time_budget: float | None = None,
) -> Measured:
    """Fit a model to nested samples of each split; gather its losses."""
    run = Run(who, model, given, sizes, loss, time_budget)
    for j, (train, test) in enumerate(splits):
        if j and run.late():
            run.notes.append(f"Time was left for {j} of {len(splits)} splits.")
            break
        rng = generator(seed, 65, j)
        run.split(nested_order(train, given.codes, rng), test)
    return run.result()


class Run:
    """The fits of one curve."""

    def __init__(
        self,
        who: str,
        model: Any,
        given: Given,
        sizes: Vector,
        loss: Loss,
        budget: float | None,
    ) -> None:
        self.who, self.model, self.given, self.loss = who, model, given, loss
        self.sizes, self.budget = sizes, np.inf if budget is None else budget
        self.begun, self.last = perf_counter(), 0.0
        self.training: list[Floats] = []
        self.validation: list[Floats] = []
        self.noise: list[Floats] = []
        self.tested: list[int] = []
        self.total = np.zeros((given.n, len(sizes)))
        self.times = np.zeros(given.n)
        self.notes: list[str] = []

    def late(self) -> bool:
        """Tell whether another split would end after the time."""
        return perf_counter() - self.begun + self.last > self.budget

    def split(self, order: Vector, test: Vector) -> None:
        """Fit to the nested samples of one split."""
        begun, held = perf_counter(), self.given.some(test)
        losses = np.full((len(test), len(self.sizes)), np.nan)
        training = np.full(len(self.sizes), np.nan)
        refusal: Exception | None = None
        for k, m in enumerate(self.sizes):
            before = perf_counter()
            try:
                training[k], losses[:, k] = self.one(order[:m], held)
            except ValueError as error:  # too few rows for the learner
                refusal = error
                continue
            if self.ends_here(k, perf_counter() - before):
                break
        if refusal is not None and np.isnan(training).all():
            raise refusal
        losses = losses[:, : len(self.sizes)]  # some may have been given up
        self.training.append(training)
        self.validation.append(np.average(losses, axis=0, weights=held.w))
        self.noise.append(losses.var(axis=0, ddof=1 if len(test) > 1 else 0))
        self.tested.append(len(test))
        self.total[test] += losses
        self.times[test] += 1
        self.last = perf_counter() - begun

    def one(self, rows: Vector, held: Given) -> tuple[float, Floats]:
        """Return the training loss and the losses of the rows held out."""
        sample = self.given.some(rows)
        with gathered_warnings() as heard:
            model = fitted(self.who, self.model, sample)
            own = answers_of(model, sample).losses(self.who, self.loss, sample)
            out = answers_of(model, held).losses(self.who, self.loss, held)
        self.notes += [text.splitlines()[0] for text in heard]
        if np.ndim(out) == 0:
            must = "loss must be a number for each row"
            raise ParameterError(sentence(self.who, must, "one number for all"))
        return float(np.average(own, weights=sample.w)), out

    def ends_here(self, k: int, seconds: float) -> bool:
        """Tell in the first split whether the next size would take too long."""
        if self.training or k < 2 or k + 1 == len(self.sizes):
            return False
        ahead = seconds * self.sizes[k + 1] / self.sizes[k]
        if perf_counter() - self.begun + ahead <= self.budget:
            return False
        self.notes.append(f"Time was left for samples of up to {self.sizes[k]} rows.")
        self.sizes = self.sizes[: k + 1]
        self.total = self.total[:, : k + 1]
        return True

    def result(self) -> Measured:
        """Return what was measured, at the sizes that no fit refused."""
        K = len(self.sizes)
        training = np.array([part[:K] for part in self.training])
        validation = np.array([part[:K] for part in self.validation])
        noise = np.array([part[:K] for part in self.noise])
        there = ~(np.isnan(validation).any(axis=0) | np.isnan(training).any(axis=0))
        if there.sum() < 3:
            must = "the learner must fit samples of at least 3 sizes"
            came = f"{int(there.sum())} of {self.sizes.tolist()}"
            raise ParameterError(sentence(self.who, must, came, "Give larger sizes."))
        if not there.all():
            refused = ", ".join(f"{m}" for m in self.sizes[~there])
            self.notes.append(f"The learner cannot be fitted to {refused} rows.")
        held = self.times > 0
        rows = self.total[held][:, there] / self.times[held, None]
        w = np.ones(len(rows)) if self.given.w is None else self.given.w[held]
        return Measured(
            self.sizes[there].astype(np.float64),
            training[:, there],
            validation[:, there],
            rows,
            np.asarray(w, dtype=np.float64),
            noise[:, there].mean(axis=0),
            float(np.mean(self.tested)),
            tuple(dict.fromkeys(self.notes)),
        )


def decreasing(values: Floats, weights: Floats) -> Floats:
    """Return the decreasing numbers nearest to values, by pooling neighbours.

    >>> decreasing(np.array([3.0, 1.0, 2.0]), np.ones(3)).tolist()
    [3.0, 1.5, 1.5]
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        block = (float(value), float(weight), 1)
        while blocks and blocks[-1][0] < block[0]:
            v, w, count = blocks.pop()
            total = w + block[1]
            mean = (v * w + block[0] * block[1]) / total
            block = (mean, total, count + block[2])
        blocks.append(block)
    return np.concatenate([np.full(count, v) for v, _, count in blocks])
