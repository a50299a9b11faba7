"""Does the score depend on how rows are split?  Random folds against structured ones.

Also known as: group leakage check, time leakage check, optimism of random
cross-validation.

Rows of one patient, one shop or one day are alike.  A random split puts some of them on
both sides, and a model scores well by knowing the group rather than the law.  The model
is judged twice,

    L_r   out of fold, folds drawn at random                                     (1)
    L_s   folds that keep groups whole, or test on what comes later              (2)

with as many training rows in both, since more rows alone lower a loss: a block of time
is tested by the rows before it, and again, a third at a time, by as many rows drawn
from all times.  The split matters if L_s - L_r is well above 0.  Its standard error is
taken over the groups (over blocks of time), as rows of one group err together:

    se^2 = sum_g (sum_{i in g} (d_i - d))^2 / n^2                                (3)

or for groups over folds, since rows of one fold share a fit, if it is larger.   (4)

A few large errors make (3) wide.  The mean over blocks of rows of

    log (L_s / L_r)                                                              (5)

is not led by them, and has a standard error of its own.

Notation: d_i = difference of the losses of row i; d their mean.
References: Roberts et al. (2017); Kapoor and Narayanan (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from corollary.core.arrays import Floats, Vector
from corollary.core.randomness import generator
from corollary.diagnostics.judged_loss import JudgedLoss, mean_and_error
from corollary.diagnostics.out_of_fold import Folds, folds_of, out_of_fold, time_folds

__all__ = ["SplitCheck", "split_check"]

SURE = 2.5  # standard errors
LEAST_IN_BLOCK = 12  # rows, of those over which (5) is taken
PARTS = 3  # of a block of time that are tested apart under the random split
BLOCKS = 20  # of time, over which the standard error is taken


@dataclass(frozen=True)
class SplitCheck:
    """The loss of a model under a random and under a structured split.

    Attributes
    ----------
    kind : {'group', 'time'}
    random, structured : float
        Mean losses (1), (2).
    standard_error : float
        Of their difference (3).
    loss : str
        In words.
    log_ratio, ratio_error : float
        Mean logarithm of the ratio of the losses over blocks (5), and its error.
    """

    kind: str
    random: float
    structured: float
    standard_error: float
    loss: str = "mean loss"
    log_ratio: float = 0.0
    ratio_error: float = np.inf

    @property
    def difference(self) -> float:
        """How much more the model loses under the structured split."""
        return self.structured - self.random

    @property
    def flatters(self) -> bool:
        """Whether the random split is better by more than chance."""
        clear = self.log_ratio > SURE * self.ratio_error
        by_mean = self.difference > SURE * self.standard_error
        return by_mean or (self.difference > 0 and clear)

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        by = "groups kept whole" if self.kind == "group" else "later rows held out"
        text = (
            f"The {self.loss} is {self.random:.4g} under a random split and "
            f"{self.structured:.4g} with {by} "
            f"(difference {self.difference:.3g}, standard error "
            f"{self.standard_error:.2g})"
        )
        if self.flatters:
            return f"{text}: the random split flatters the model."
        return f"{text}: the split makes no clear difference."

    def __str__(self) -> str:
        return self.sentence

    def to_findings(self) -> dict[str, Any]:
        """Return plain values, as the page of a report takes them."""
        return {
            "random": self.random,
            "structured": self.structured,
            "difference": self.difference,
            "standard_error": self.standard_error,
            "sentence": self.sentence,
        }


def split_check(
    model: Any,
    X: Any,
    y: Vector,
    loss: JudgedLoss,
    *,
    groups: Any = None,
    time: Any = None,
    seed: int = 0,
) -> SplitCheck:
    """Judge a model under a random and a structured split (1), (2)."""
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
        classes = bool(is_classifier(model))
        structured = folds_of(classes, y, groups=groups)
        random = resized(folds_of(classes, y, seed=seed), structured, len(y), seed)
        kind, blocks = "group", codes
    else:
        when = np.asarray(time)
        structured = time_folds(when)
        random = same_tests(structured, len(y), seed)
        order = np.argsort(np.argsort(when, kind="stable"), kind="stable")
        kind, blocks = "time", order * BLOCKS // len(y)
    a = out_of_fold(model, X, y, random, loss).losses
    b = out_of_fold(model, X, y, structured, loss).losses
    both = np.isfinite(a) & np.isfinite(b)
    difference: Floats = np.where(both, b - a, np.nan)
    folds = np.zeros(len(y), dtype=np.intp)
    for k, (_, test) in enumerate(structured):
        folds[test] = k
    error = mean_and_error(difference, None, blocks)[1]  # (3)
    if kind == "group":
        error = max(error, mean_and_error(difference, None, folds)[1])  # (4)
    random_loss, structured_loss = float(a[both].mean()), float(b[both].mean())
    times, doubt = log_ratio(a[both], b[both], blocks[both])
    return SplitCheck(
        kind, random_loss, structured_loss, error, loss.words, times, doubt
    )


def log_ratio(a: Floats, b: Floats, blocks: Vector) -> tuple[float, float]:
    """Return the mean log ratio of the losses over blocks (5), and its error."""
    codes = np.unique(blocks, return_inverse=True)[1].reshape(-1)
    count = int(np.clip(len(a) // LEAST_IN_BLOCK, 2, BLOCKS))
    codes = codes * min(count, int(codes.max()) + 1) // (int(codes.max()) + 1)
    sizes = np.bincount(codes)
    small = 1e-3 * float(a.mean() + b.mean()) + 1e-300
    means = [np.bincount(codes, weights=one) / sizes + small for one in (a, b)]
    ratios = np.log(means[1] / means[0])
    return mean_and_error(ratios)


def same_tests(structured: Folds, n: int, seed: int) -> list[tuple[Vector, Vector]]:
    """Return a part of each test block with as many training rows from all others."""
    rng = generator(seed, 2)
    found = []
    for train, test in structured:
        for part in np.array_split(rng.permutation(test), PARTS):
            rest = np.setdiff1d(np.arange(n), part)
            found.append((rng.permutation(rest)[: len(train)], part))
    return found


def resized(
    random: Folds, structured: Folds, n: int, seed: int
) -> list[tuple[Vector, Vector]]:
    """Return random folds with no more training rows than the structured ones have."""
    size = int(np.mean([len(train) for train, _ in structured]))
    rng = generator(seed, 3)
    return [(rng.permutation(train)[:size], test) for train, test in random]
