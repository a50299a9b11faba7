"""What a search over settings has tried, and what it found.

A search keeps everything that it tried.  The best is that of the least loss among those
that were given most (rows, or whatever was spent); its loss is the least of many, and
too small for its setting: judge the search by `nested_cross_validation`, or its winner
on a `LockedTestSet`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corollary.core.errors import DataError, sentence
from corollary.core.parameters import shown
from corollary.selection.validation_data import Given, fitted, given_rows

__all__ = ["SearchResult", "SearchTrial", "words_of"]

SHOWN = 8  # trials that are printed


def words_of(settings: Mapping[str, Any]) -> str:
    """Write settings in one line.

    >>> words_of({"alpha": 0.1, "kernel": "rbf"})
    "alpha=0.1, kernel='rbf'"
    """
    parts = []
    for name, value in settings.items():
        short = isinstance(value, float | np.floating)
        parts.append(f"{name}={value:.6g}" if short else f"{name}={shown(value)}")
    return ", ".join(parts) or "defaults"


@dataclass(frozen=True)
class SearchTrial:
    """One setting that was tried.

    Attributes
    ----------
    name : str
        The setting in words, or the name of a candidate.
    params : dict
        The setting.
    rung : int
        From 0, with the least spent, upwards.
    resource : float
        What was spent: rows to train on, or the value of a parameter.
    loss : float
        Cross-validated; infinite where the fit failed.
    standard_error : float
    seconds : float
    error : str
        Why the fit failed, or nothing.
    """

    name: str
    params: Mapping[str, Any]
    rung: int
    resource: float
    loss: float
    standard_error: float
    seconds: float
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.name}: failed, {self.error}"
        doubt = f" +- {self.standard_error:.2g}" if np.isfinite(self.loss) else ""
        return f"{self.name}: {self.loss:.4g}{doubt} (spent {self.resource:g})"


@dataclass(frozen=True)
class SearchResult:
    """Everything that a search tried, and its best.

    Attributes
    ----------
    trials : tuple of SearchTrial
        In the order in which they were tried.
    loss : str
        Name of the loss.
    stopped : {'finished', 'interrupted', 'out of time'}
    resumed : int
        Trials that were taken from a file and not fitted again.
    """

    trials: tuple[SearchTrial, ...]
    loss: str
    stopped: str
    resumed: int = 0
    _makers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _given: Given | None = field(default=None, repr=False)

    @property
    def best(self) -> SearchTrial:
        """The trial of the least loss among those that were given most."""
        done = [trial for trial in self.trials if np.isfinite(trial.loss)]
        top = max(trial.rung for trial in done)
        return min((t for t in done if t.rung == top), key=lambda t: t.loss)

    @property
    def best_params(self) -> Mapping[str, Any]:
        """The setting of the best trial."""
        return self.best.params

    @property
    def best_loss(self) -> float:
        """The loss of the best trial, the least of many and so too small."""
        return self.best.loss

    @property
    def best_score(self) -> float:
        """Minus the loss of the best trial: greater is better."""
        return -self.best.loss

    def refit(self, X: Any = None, y: Any = None) -> Any:
        """Fit the best setting to all rows, or to others.

        Parameters
        ----------
        X, y : optional
            Other rows.

        Returns
        -------
        fitted estimator
        """
        who, model = "SearchResult", self._makers.get(self.best.name)
        rows = self._given
        if model is None or rows is None:
            must = "refit needs the rows and models of the search"
            raise DataError(sentence(who, must, "a result without"))
        if X is not None:
            rows = given_rows(who, model, X, y)
        return fitted(who, model, rows)

    def __str__(self) -> str:
        best = self.best
        lines = [f"{self.stopped}: {len(self.trials)} trials, best {best}"]
        rungs = sorted({trial.rung for trial in self.trials}, reverse=True)
        shown_ = 0
        for rung in rungs:
            some = sorted((t for t in self.trials if t.rung == rung), key=_loss_of)
            for trial in some:
                if shown_ < SHOWN:
                    lines.append(f"  rung {rung}: {trial}")
                shown_ += 1
        if shown_ > SHOWN:
            lines.append(f"  and {shown_ - SHOWN} more")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss of each setting over what it was given; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        for name in dict.fromkeys(trial.name for trial in self.trials):
            own = [t for t in self.trials if t.name == name and np.isfinite(t.loss)]
            best = name == self.best.name
            ax.plot(
                [t.resource for t in own],
                [t.loss for t in own],
                marker="o",
                color="C0" if best else "0.7",
                zorder=2 if best else 1,
                label=name if best else None,
            )
        ax.set(xlabel="spent", ylabel=f"{self.loss} loss")
        ax.legend()
        return ax


def _loss_of(trial: SearchTrial) -> float:
    return trial.loss
