"""C and sigma as knobs of bias and variance.

Also known as: tuning an SVM, price of errors, width of a Gaussian kernel, gamma.

A machine with a Gaussian kernel exp(-||x - z||^2 / (2 sigma^2)) has two knobs,

    C large      errors are dear, a small penalty: low bias, high variance
    C small      a strong penalty: high bias, low variance
    sigma small  rows see only what is close, a bent boundary: low bias, high variance
    sigma large  a smooth boundary: high bias, low variance                      (1)

with gamma = 1 / (2 sigma^2).  Bias shows as error on the training rows, variance as the
gap from there to rows held out.  Each knob is turned both ways, by a factor and by its
square, and both errors measured on the same folds.  The advice is the turn with the
least error on rows held out, if it lowers it by more than chance (paired over folds):

    D = E_val(turned) - E_val(now),   turn where D < -2 se(D)                    (2)

Where no turn helps, the knobs are right, or something else is wrong: where the training
error is high too the features do not tell the classes apart; where the gap is large
more rows are needed.

Notation: E_train, E_val = share of errors on training rows, on rows held out.
Course: S4-92. References: Ng (2012); Keerthi and Lin (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.randomness import entropy
from corollary.core.vectors import rows_of
from corollary.core.warn import gathered_warnings
from corollary.diagnostics.outcomes import labels_of
from corollary.preparation.standard_scaler import StandardScaler
from corollary.selection.cross_validation import CrossValidation, cross_validate
from corollary.svm.svc import SVC

__all__ = ["Setting", "SvmKnobs", "svm_knobs"]

WHO = "svm_knobs"
SURE = 2.0  # standard errors
TURNS = {
    "larger C": ("lower bias, higher variance", "underfits"),
    "smaller C": ("higher bias, lower variance", "overfits"),
    "larger sigma": ("higher bias, lower variance", "overfits"),
    "smaller sigma": ("lower bias, higher variance", "underfits"),
}


@dataclass(frozen=True)
class Setting:
    """Errors of one setting of the knobs.

    Attributes
    ----------
    turn : str
        'now', 'larger C', 'smaller C', 'larger sigma' or 'smaller sigma'.
    C, sigma : float
    training, validation : float
        Shares of errors.
    change, change_error : float
        (2) and its standard error; 0 for 'now'.
    """

    turn: str
    C: float
    sigma: float
    training: float
    validation: float
    change: float = 0.0
    change_error: float = 0.0

    @property
    def gap(self) -> float:
        """How much more rows held out lose: variance."""
        return self.validation - self.training

    @property
    def helps(self) -> bool:
        """Whether the turn lowers the validation error beyond chance (2)."""
        return self.change < -SURE * self.change_error and self.change < 0

    def __str__(self) -> str:
        sure = "" if self.turn == "now" else f"  {self.change:+.3g} +- "
        sure += "" if self.turn == "now" else f"{self.change_error:.2g}"
        return (
            f"{self.turn:<14} C = {self.C:<9.3g} sigma = {self.sigma:<9.3g} training "
            f"{self.training:.3f}, held out {self.validation:.3f}{sure}"
        )


@dataclass(frozen=True)
class SvmKnobs:
    """What turning each knob does.

    Attributes
    ----------
    settings : tuple of Setting
        First the one now, then the turns, each by the factor and by its square.
    notes : tuple of str
        What fits warned of.
    """

    settings: tuple[Setting, ...]
    notes: tuple[str, ...] = ()

    @property
    def now(self) -> Setting:
        """The setting that was asked about."""
        return self.settings[0]

    @property
    def best(self) -> Setting:
        """The turn that helps most, or the setting now if none does."""
        helpful = [setting for setting in self.settings[1:] if setting.helps]
        return min(helpful, key=lambda s: s.validation, default=self.now)

    @property
    def verdict(self) -> str:
        """'underfits', 'overfits', or 'well set'."""
        return TURNS[self.best.turn][1] if self.best.turn in TURNS else "well set"

    @property
    def advice(self) -> str:
        """What to do, in a sentence."""
        if self.best is self.now:
            text = "No turn of a knob lowers the error of rows held out beyond chance."
            if self.now.gap > self.now.training:
                return text + " The gap is the larger part: bring more rows."
            if self.now.training > 0:
                return text + " Training rows err as much: bring better features."
            return text
        way = TURNS[self.best.turn][0]
        value = (
            f"C = {self.best.C:.3g}"
            if self.best.turn.endswith("C")
            else f"sigma = {self.best.sigma:.3g}"
        )
        return (
            f"The machine {self.verdict}: try {self.best.turn} ({value}; {way}), which "
            f"moves the error of rows held out from {self.now.validation:.3f} to "
            f"{self.best.validation:.3f}."
        )

    def __str__(self) -> str:
        lines = [*(f"  {one}" for one in self.settings), *self.notes]
        return "\n".join([self.advice, *lines])


def svm_knobs(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    sigma: float | None = None,
    factor: float = 10.0,
    splitter: Any = 5,
    random_state: Any = 0,
) -> SvmKnobs:
    """Turn C and sigma of a Gaussian machine both ways, and say what helps.

    Parameters
    ----------
    X : array of shape (n, d)
        Numbers; columns are scaled to variance 1 inside the folds.
    y : array of shape (n,)
        Labels.
    C : float, default=1.0
        The price of errors now.
    sigma : float, optional
        The width of the kernel now, in standard deviations; by default sqrt(d / 2),
        which is ``gamma="scale"``.
    factor : float > 1, default=10.0
        By which C is turned, and by its square; sigma by the roots of these.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
    random_state : None, int or Generator, default=0
        Draws the folds.

    Returns
    -------
    SvmKnobs

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import svm_knobs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = (X**2).sum(axis=1) > 1.4  # a ring around a disc
    >>> found = svm_knobs(X, y, C=0.01)
    >>> found.verdict, found.best.turn
    ('underfits', 'larger C')
    """
    X = rows_of(WHO, X)
    classes, codes = labels_of(WHO, y)
    if len(codes) != len(X) or len(classes) < 2:
        must = f"y must hold labels of at least two classes, for {len(X)} rows"
        raise DataError(sentence(WHO, must, f"{len(codes)} of {len(classes)}"))
    sigma = float(np.sqrt(X.shape[1] / 2)) if sigma is None else sigma
    for name, value, least in (("C", C, 0), ("sigma", sigma, 0), ("factor", factor, 1)):
        if not real(least, ends="()").holds(value) or not np.isfinite(value):
            must = f"{name} must be a number > {least}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    seed = entropy(random_state)
    with gathered_warnings() as notes:
        first = _judged(X, codes, C, sigma, splitter, seed)
        others = [
            (turn, price, width, _judged(X, codes, price, width, first.splits, seed))
            for turn, price, width in _turned(C, sigma, factor)
        ]
    found = [Setting("now", C, sigma, _training(first, X, codes), first.mean)]
    for turn, price, width, other in others:
        fold = other.fold_losses - first.fold_losses
        shared = 1 / len(fold) + first.n_test / first.n_train
        error = float(np.std(fold, ddof=1) * np.sqrt(shared)) if len(fold) > 1 else 0.0
        change = other.mean - first.mean
        training = _training(other, X, codes)
        found.append(Setting(turn, price, width, training, other.mean, change, error))
    return SvmKnobs(tuple(found), tuple(dict.fromkeys(notes)))


def _turned(
    C: float, sigma: float, factor: float
) -> Iterator[tuple[str, float, float]]:
    """Yield every turn: its name, C and sigma."""
    for by in (factor, factor**2):
        yield "larger C", C * by, sigma
        yield "smaller C", C / by, sigma
        yield "larger sigma", C, sigma * float(np.sqrt(by))
        yield "smaller sigma", C, sigma / float(np.sqrt(by))


def _judged(
    X: Floats, codes: Any, C: float, sigma: float, splits: Any, seed: int
) -> CrossValidation:
    model = make_pipeline(StandardScaler(), SVC(C=C, gamma=1 / (2 * sigma**2)))
    return cross_validate(
        model, X, codes, splitter=splits, keep_models=True, random_state=seed
    )


def _training(found: CrossValidation, X: Floats, codes: Any) -> float:
    """Return the share of errors on training rows, the mean over the splits."""
    shares = [
        np.mean(model.predict(X[train]) != codes[train])
        for model, (train, _) in zip(found.models, found.splits, strict=True)
    ]
    return float(np.mean(shares))
