"""A resource planner: what a method will cost on all rows, and which one fits a budget.

Also known as: time and memory budget, scalable substitute, cost prediction.

Methods scale differently: one that weighs every pair of rows takes O(n^2), one that
sums over them O(n d).  No table of exponents knows the constants of a machine, so they
are measured: each method is fitted to a few samples of m rows,

    seconds  t(m) = t_0 + b m^c        bytes  s(m) = s_0 + e m^g                 (1)

(`scaling_law`), which says what n rows will cost, with an interval.  Bytes are the peak
of what the fit allocates beside the rows, or what the method itself states it will, if
that is more.  Methods are tried in the order in which they are preferred, the exact one
first and substitutes that scale after it; proposed is

    the first method whose t(n) and s(n) fit the budget                          (2)

and its price: the loss of each method on held-out rows, all fitted to one sample.  A
method whose samples begin to cost more than its share of the budget is measured on
fewer.

Notation: n = n_rows, all rows there will be; m = sizes.
Course: S1-51. References: Bottou and Bousquet (2008); Rahimi and Recht (2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline

from corollary.core.arrays import Vector
from corollary.core.configuration import bytes_of
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.warn import gathered_warnings
from corollary.diagnostics.expected_loss import expected_loss
from corollary.diagnostics.method_cost import MethodCost, measured_cost, method_cost
from corollary.kernel_methods.kernel_ridge import KernelRidge
from corollary.linear.least_squares.ridge import Ridge
from corollary.linear.logistic.logistic_regression import LogisticRegression
from corollary.linear.online.stochastic_gradient import SGDClassifier, SGDRegressor
from corollary.preparation.nystroem import Nystroem
from corollary.preparation.standard_scaler import StandardScaler
from corollary.selection.validation_data import check_model, given_rows
from corollary.svm.svc import SVC

__all__ = ["ResourcePlan", "plan_resources"]

WHO = "plan_resources"
HELD_OUT = 0.25  # of the rows of samples, at most
MOST_HELD = 2000
LEAST_ROWS = 20
SHARE = 0.1  # of the seconds, that the samples of one method may take
LARGEST = 4000  # rows of a sample, unless sizes are given


@dataclass(frozen=True, eq=False)
class ResourcePlan:
    """Which method fits the budget, and at what price.

    Attributes
    ----------
    rows : int
        n, that the costs are for.
    seconds, memory : float or None
        The budget, in seconds and bytes.
    methods : tuple of MethodCost
        In the order of preference.
    chosen : str or None
        (2); None where nothing fits.
    estimator : object
        The chosen method, not fitted; None where nothing fits.
    loss_size : int
        Rows of the sample that the losses are from.
    notes : tuple of str
        What fits to samples warned of.
    """

    rows: int
    seconds: float | None
    memory: float | None
    methods: tuple[MethodCost, ...]
    chosen: str | None
    estimator: Any
    loss_size: int
    notes: tuple[str, ...] = ()

    @property
    def price(self) -> float:
        """How much the chosen method loses more than the first; NaN without one."""
        own = [method.loss for method in self.methods if method.name == self.chosen]
        return own[0] - self.methods[0].loss if own else float("nan")

    @property
    def affordable_rows(self) -> int:
        """The most rows that the first method can be fitted to within the budget."""
        first, most = self.methods[0], float("inf")
        if self.seconds is not None:
            most = first.seconds.rows_for(self.seconds)
        if self.memory is not None:
            most = min(most, first.memory.rows_for(self.memory))
        return int(min(most, self.rows))

    def __str__(self) -> str:
        budget = []
        if self.seconds is not None:
            budget.append(f"{self.seconds:.3g} s")
        if self.memory is not None:
            budget.append(f"{self.memory / 1e6:.3g} MB")
        limit = " and ".join(budget) or "no budget"
        lines = [f"{self.rows:,} rows, {limit}:"]
        for method in self.methods:
            mark = "*" if method.name == self.chosen else " "
            late = "" if method.fits_time else "  too slow"
            large = "" if method.fits_memory else "  too large"
            lines.append(f"{mark} {method}{late}{large}")
        return "\n".join([*lines, self.sentence])

    @property
    def sentence(self) -> str:
        """What to do, in one sentence."""
        first = self.methods[0].name
        some = f"or fit {first} to {self.affordable_rows:,} rows"
        if self.chosen is None:
            return f"Nothing fits the budget: allow more, {some}."
        own = next(m for m in self.methods if m.name == self.chosen)
        doubt = "" if own.sure else " That is not sure: measure larger samples."
        if self.chosen == first:
            return f"{first} fits the budget.{doubt}"
        return (
            f"{first} does not fit the budget, {self.chosen} does; it loses "
            f"{self.price:+.3g} on {self.loss_size:,} rows. Take it, {some}.{doubt}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw seconds against rows, measured and expected, and the budget.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        for place, method in enumerate(self.methods):
            law, color = method.seconds, f"C{place}"
            m = np.geomspace(law.sizes[0], max(self.rows, law.sizes[-1]), 50)
            ax.plot(law.sizes, law.costs, "o", color=color)
            expected = [law.at(float(one)).value for one in m]
            ax.plot(m, expected, color=color, label=method.name)
        if self.seconds is not None:
            ax.axhline(self.seconds, linestyle=":", color="grey", label="budget")
        ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
        ax.legend()
        return ax


def plan_resources(
    methods: Any,
    X: Any,
    y: Any,
    *,
    n_rows: int | None = None,
    seconds: float | None = None,
    memory: Any = None,
    sizes: Any = None,
    loss: Any = None,
    random_state: Any = 0,
) -> ResourcePlan:
    """Measure methods on samples, and propose the first that fits a budget (2).

    Parameters
    ----------
    methods : estimator, sequence of estimators, or None
        In the order of preference.  None, or a single kernel machine, is followed by
        substitutes that scale: landmarks, a linear model, stochastic gradients.
    X : rows: array, sparse matrix, data frame or table
        Those there are, or a sample of those to come.
    y : array of shape (n,)
    n_rows : int, optional
        Rows to plan for; by default those of X.
    seconds : float, optional
        That a fit may take.
    memory : int or str, optional
        Bytes that a fit may take beside the rows, or a text such as '2GB'.
    sizes : array of int, optional
        Rows of the samples; by default four, each twice the one before, up to 4,000.
    loss : str, function or Loss, optional
        As in `expected_loss`.
    random_state : None, int or Generator, default=0
        Draws the samples.

    Returns
    -------
    ResourcePlan

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelRidge, Ridge
    >>> from corollary.diagnostics import plan_resources
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 5))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> plan = plan_resources(
    ...     [KernelRidge(), Ridge()], X, y, n_rows=1_000_000, memory="8GB"
    ... )
    >>> plan.chosen, plan.methods[0].fits_memory  # a million squared is too much
    ('Ridge', False)
    """
    limit = _check_budget(n_rows, seconds, memory)
    ladder = _ladder(methods, y)
    given = given_rows(WHO, ladder[0], X, y, least=LEAST_ROWS)
    n = given.n if n_rows is None else int(n_rows)
    order = generator(entropy(random_state), 51).permutation(given.n)
    held = order[: min(MOST_HELD, max(1, int(HELD_OUT * given.n)))]
    rest = order[len(held) :]
    steps = _sizes(sizes, len(rest))
    allowed = None if seconds is None else SHARE * float(seconds)
    with gathered_warnings() as notes:
        measured = [measured_cost(m, given, rest, steps, allowed) for m in ladder]
    common = min(len(cost.sizes) for cost in measured) - 1
    sample, unseen = given.some(rest[: steps[common]]), given.some(held)
    budget = (None if seconds is None else float(seconds), limit)
    names, features = _names(ladder), int(X.shape[1]) if np.ndim(X) == 2 else 1
    found = []
    for name, model, costs in zip(names, ladder, measured, strict=True):
        with gathered_warnings():  # again
            fitted = clone(model).fit(sample.X, sample.y)
        lost = expected_loss(fitted, unseen.X, unseen.y, loss=loss).mean
        found.append(method_cost(name, model, costs, n, features, budget, lost))
    fits = [place for place, cost in enumerate(found) if cost.fits]
    best = fits[0] if fits else None
    return ResourcePlan(
        n,
        *budget,
        tuple(found),
        None if best is None else names[best],
        None if best is None else clone(ladder[best]),
        int(steps[common]),
        tuple(dict.fromkeys(notes)),
    )


def _check_budget(n_rows: Any, seconds: Any, memory: Any) -> float | None:
    """Check what to plan for; return the bytes."""
    if n_rows is not None and not whole(1).holds(n_rows):
        must = "n_rows must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, shown(n_rows)))
    if seconds is not None and not real(0, ends="()").holds(seconds):
        must = "seconds must be a number > 0"
        raise ParameterError(sentence(WHO, must, shown(seconds)))
    return None if memory is None else float(bytes_of(memory) or 0)


def _sizes(sizes: Any, most: int) -> Vector:
    """Return the rows of the samples, ascending."""
    if sizes is None:
        top = min(LARGEST, most)
        return np.unique(np.maximum(top // np.array([8, 4, 2, 1]), 4))
    found = np.unique(np.asarray(sizes))
    good = found.dtype.kind in "iu" and len(found) > 1
    if not good or found[0] < 2 or found[-1] > most:
        must = f"sizes must be at least two whole numbers from 2 to {most}"
        raise ParameterError(sentence(WHO, must, shown(np.asarray(sizes).tolist())))
    return found


def _ladder(methods: Any, y: Any) -> list[Any]:
    """Return the methods in order of preference, a lone one with substitutes."""
    if methods is None:
        return substitutes(np.asarray(y).dtype.kind not in "f")
    if isinstance(methods, list | tuple):
        ladder = list(methods)
    else:
        kernel = isinstance(methods, SVC | KernelRidge)
        more = substitutes(is_classifier(methods))[1:] if kernel else []
        ladder = [methods, *more]
    if not ladder:
        raise ParameterError(sentence(WHO, "methods must not be empty", "none"))
    for model in ladder:
        check_model(WHO, model)
    if len({bool(is_classifier(model)) for model in ladder}) > 1:
        must = "methods must all be classifiers, or all regressors"
        raise ParameterError(sentence(WHO, must, "both"))
    return ladder


def substitutes(classes: bool) -> list[Any]:
    """Return a kernel machine, and what stands in for it where rows are many."""
    if classes:
        exact, linear, streaming = SVC(), LogisticRegression(), SGDClassifier()
    else:
        exact, linear = KernelRidge(kernel="rbf"), Ridge()
        streaming = SGDRegressor()
    landmarks = Nystroem(random_state=0)  # gamma = 1/d, of scaled columns
    return [
        make_pipeline(StandardScaler(), exact),
        make_pipeline(StandardScaler(), landmarks, clone(linear)),
        make_pipeline(StandardScaler(), linear),
        make_pipeline(StandardScaler(), streaming.set_params(random_state=0)),
    ]


def _names(ladder: list[Any]) -> list[str]:
    """Return the name of each method, of the steps of a pipeline without scaling."""
    names: list[str] = []
    for model in ladder:
        steps = [step for _, step in getattr(model, "steps", [("", model)])]
        parts = [type(s).__name__ for s in steps if not isinstance(s, StandardScaler)]
        name = " + ".join(parts) or type(model).__name__
        again = sum(known.split(" #")[0] == name for known in names)
        names.append(f"{name} #{again + 1}" if again else name)
    return names
