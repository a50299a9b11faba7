"""Ablative analysis: remove component after component and see what is lost.

Also known as: ablation study, error analysis backwards, leave-one-component-out.

A system with all components scores a_S.  Remove them one after another, and

    drop_k = score before component k is removed - score after                   (1)

adds up to the loss from the whole system to the bare one.  A drop depends on the order:
of two components that do the same work, the first costs nothing to remove and the
second everything.  Therefore the order is told, and beside it, for each component,

    alone_k = score of all - score of all but component k                        (2)

A component with a small drop and a small (2) can go; one with a large (1) and a small
(2) has a double in the system.  The order may be given, or 'greedy': each time the
component goes that costs least.

Scores row by row give standard errors of the drops, as in `error_analysis`.

Course: S4-69. Reference: Ng, CS229, advice for applying machine learning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import numbers
from corollary.diagnostics.error_analysis import named_components
from corollary.selection.cross_validation import cross_validate

__all__ = ["AblativeAnalysis", "ablative_analysis", "pipeline_ablation"]

WHO = "ablative_analysis"
SURE = 2.0  # standard errors
Score = Callable[[tuple[str, ...]], Any]


@dataclass(frozen=True, eq=False)
class AblativeAnalysis:
    """Scores with fewer and fewer components, and what each removal costs.

    Attributes
    ----------
    order : tuple of str
        The components, in the order in which they were removed.
    scores : array of shape (S + 1,)
        Of the whole system, and after each removal.
    drops : array of shape (S,)
        (1), in that order.
    standard_errors : array of shape (S,) or None
        Of the drops, where scores are known row by row.
    alone : array of shape (S,) or None
        (2), in that order.
    alone_errors : array of shape (S,) or None
    """

    order: tuple[str, ...]
    scores: Floats
    drops: Floats
    standard_errors: Floats | None = None
    alone: Floats | None = None
    alone_errors: Floats | None = None

    @property
    def ranking(self) -> tuple[str, ...]:
        """The components from the most effective to the least, by (1)."""
        found = np.argsort(-self.drops, kind="stable")
        return tuple(self.order[i] for i in found)

    @property
    def dispensable(self) -> tuple[str, ...]:
        """Components whose removal costs nothing, by (2) where it is known."""
        drops, errors = self.drops, self.standard_errors
        if self.alone is not None:
            drops, errors = self.alone, self.alone_errors
        limit = np.zeros(len(drops)) if errors is None else SURE * errors
        return tuple(name for name, d, e in zip(self.order, drops, limit, strict=True)
                     if d <= e)  # fmt: skip

    @property
    def table(self) -> tuple[tuple[str, float, float], ...]:
        """For each component its name, the score after its removal, and the drop."""
        rows = zip(self.order, self.scores[1:], self.drops, strict=True)
        return tuple((name, float(score), float(drop)) for name, score, drop in rows)

    @property
    def advice(self) -> str:
        """Which component does most, and which may go."""
        best = int(np.argmax(self.drops))
        text = f"Removed in the order {', '.join(self.order)}, "
        text += f"{self.order[best]} does most (a drop of {self.drops[best]:.3g})"
        spare = self.dispensable
        if not spare:
            return text + "; every component does something."
        which = " or ".join(spare)
        return text + f"; without {which} alone the system is as good."

    def __str__(self) -> str:
        wide = max(map(len, (*self.order, "all of them")))
        lines = [
            f"{'removed':<{wide}}  score     drop      alone",
            f"{'none':<{wide}}  {self.scores[0]:.4g}",
        ]
        for i, (name, score, drop) in enumerate(self.table):
            alone = "" if self.alone is None else f"{self.alone[i]:.4g}"
            lines.append(f"{name:<{wide}}  {score:<9.4g} {drop:<9.4g} {alone}".rstrip())
        return "\n".join([*lines, self.advice])

    def plot(self, ax: Any = None) -> Any:
        """Draw the score after each removal.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.scores))
        ax.plot(at, self.scores, marker="o", label="one after another")
        if self.alone is not None:
            ax.plot(at[1:], self.scores[0] - self.alone, "x", label="alone")
            ax.legend()
        ax.set_xticks(at, ["all", *(f"- {name}" for name in self.order)])
        ax.set(ylabel="score", title=f"{self.ranking[0]} does most")
        return ax


def ablative_analysis(
    components: Sequence[str],
    score: Score,
    *,
    order: Sequence[str] | str | None = None,
    leave_one_out: bool = True,
) -> AblativeAnalysis:
    """Remove components one after another; report what each removal costs (1), (2).

    Parameters
    ----------
    components : sequence of str
    score : function (names kept) -> float or array of shape (n,)
        Of the system with the named components alone, none included: one number, more
        is better, or one for each row, which gives standard errors.
    order : sequence of str or 'greedy', optional
        In which to remove them; by default as listed.
    leave_one_out : bool, default=True
        Whether to remove each component alone as well (2), S more scores.

    Returns
    -------
    AblativeAnalysis

    Examples
    --------
    >>> from corollary.diagnostics import ablative_analysis
    >>> worth = {"spelling": 0.5, "host": 2.0, "headers": 1.5}
    >>> found = ablative_analysis(
    ...     list(worth), lambda kept: 94.0 + sum(worth[name] for name in kept)
    ... )
    >>> found.scores.tolist()
    [98.0, 97.5, 95.5, 94.0]
    >>> found.ranking
    ('host', 'headers', 'spelling')
    """
    names = named_components(WHO, components)
    if not callable(score):
        raise ParameterError(sentence(WHO, "score must be a function", shown(score)))
    memory: dict[tuple[str, ...], Floats] = {}

    def of(kept: tuple[str, ...]) -> Floats:
        if kept not in memory:
            memory[kept] = np.atleast_1d(numbers(WHO, score(kept), "score"))
            if memory[kept].shape != memory[names].shape or memory[kept].ndim > 1:
                must = "score must give one number, or as many for each system"
                came = f"{memory[names].shape} and {memory[kept].shape}"
                raise DataError(sentence(WHO, must, came))
        return memory[kept]

    of(names)
    if isinstance(order, str) and order == "greedy":
        removed = _greedy(names, of)
    else:
        removed = _given_order(names, order)
    states, kept = [of(names)], list(names)
    for name in removed:
        kept.remove(name)
        states.append(of(tuple(kept)))
    A = np.stack(states)
    lost = A[:-1] - A[1:]  # (1)
    alone = errors = None
    if leave_one_out:
        rest = [of(tuple(n for n in names if n != name)) for name in removed]
        single = of(names) - np.stack(rest)  # (2)
        alone, errors = single.mean(axis=1), _errors(single)
    return AblativeAnalysis(
        removed, A.mean(axis=1), lost.mean(axis=1), _errors(lost), alone, errors
    )


def pipeline_ablation(
    pipeline: Pipeline,
    X: Any,
    y: Any,
    *,
    steps: Sequence[str] | None = None,
    order: Sequence[str] | str | None = None,
    **options: Any,
) -> AblativeAnalysis:
    """Remove steps of a pipeline, fit it again, and see what is lost on new rows.

    Parameters
    ----------
    pipeline : Pipeline
        Cloned for every fit.
    X, y : rows and targets
    steps : sequence of str, optional
        Names of the steps to remove; by default all but the last one.
    order : sequence of str or 'greedy', optional
        As in `ablative_analysis`.
    **options
        Further parameters of `corollary.selection.cross_validate`, such as `loss` and
        `splitter`; the folds are the same for every system.

    Returns
    -------
    AblativeAnalysis
        Its scores are minus the losses of the rows held out.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from corollary import LinearRegression, PolynomialFeatures, StandardScaler
    >>> from corollary.diagnostics import pipeline_ablation
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(100, 1))
    >>> y = X[:, 0] ** 2 + 0.1 * rng.normal(size=100)
    >>> model = make_pipeline(
    ...     StandardScaler(), PolynomialFeatures(2), LinearRegression()
    ... )
    >>> found = pipeline_ablation(model, X, y)
    >>> found.ranking[0], found.dispensable
    ('polynomialfeatures', ('standardscaler',))
    """
    who = "pipeline_ablation"
    if not isinstance(pipeline, Pipeline):
        raise ParameterError(
            sentence(who, "pipeline must be a Pipeline", shown(pipeline))
        )
    names = [name for name, _ in pipeline.steps[:-1]] if steps is None else list(steps)
    strange = [name for name in names if name not in dict(pipeline.steps[:-1])]
    if strange:
        must = "steps must be names of steps before the last one"
        raise ParameterError(sentence(who, must, shown(strange[0])))

    def score(kept: tuple[str, ...]) -> Floats:
        gone = {name: "passthrough" for name in names if name not in kept}
        model = clone(pipeline).set_params(**gone)
        losses = cross_validate(model, X, y, **options).losses
        if losses is None:
            must = "loss must be a number for each row"
            raise ParameterError(sentence(who, must, "one number for all"))
        return -losses[np.isfinite(losses)]

    return ablative_analysis(names, score, order=order)


def _given_order(names: tuple[str, ...], order: Any) -> tuple[str, ...]:
    if order is None:
        return names
    found = tuple(order) if np.iterable(order) and not isinstance(order, str) else ()
    if sorted(map(str, found)) != sorted(names):
        must = "order must be 'greedy', or name every component once"
        raise ParameterError(sentence(WHO, must, shown(order)))
    return found


def _greedy(names: tuple[str, ...], of: Callable[..., Floats]) -> tuple[str, ...]:
    """Return the order in which each removal costs least."""
    kept, removed = list(names), []
    while kept:
        left = {
            name: float(of(tuple(n for n in kept if n != name)).mean()) for name in kept
        }
        least = max(kept, key=lambda name: left[name])
        kept.remove(least)
        removed.append(least)
    return tuple(removed)


def _errors(differences: Floats) -> Floats | None:
    """Return standard errors of means over the rows, None of single numbers."""
    n = differences.shape[1]
    return differences.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else None
