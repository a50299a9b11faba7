"""How good an estimator is: bias, variance and error by simulation, against n.

Also known as: Monte Carlo study, sampling distribution, bias and variance of an
estimator, mean squared error.

Draw R samples of n rows from a known law, estimate theta from each, and average:

    bias     = mean(theta^) - theta                                              (1)
    variance = mean ||theta^ - mean(theta^)||^2                                  (2)
    mse      = mean ||theta^ - theta||^2  =  ||bias||^2 + variance               (3)
    mae      = mean |theta^ - theta|_1                                           (4)

(3) holds exactly on the same draws.  Each number comes with its standard error over the
R samples, so that a bias can be told from noise.  Of the mean, mse = s^2/n; of the
variance with 1/n, bias = -s^2/n, and yet its mse is below that of the unbiased one.

Notation: theta^ (R, p) estimates; theta the truth.
Course: S1-37, S3-22. References: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import numbers

__all__ = ["EstimatorLab", "Quality", "estimator_lab"]


@dataclass(frozen=True, eq=False)
class Quality:
    """Quality of an estimator at one sample size, with standard errors.

    `bias` and `bias_error` have one entry for each parameter, the rest are totals.
    """

    n: int
    repeats: int
    bias: Floats  # (p,)
    bias_error: Floats  # (p,)
    variance: float
    variance_error: float
    mse: float
    mse_error: float
    mae: float
    mae_error: float

    @property
    def biased(self) -> bool:
        """Whether some entry of the bias is beyond 4 standard errors."""
        return bool((np.abs(self.bias) > 4 * self.bias_error).any())


@dataclass(frozen=True)
class EstimatorLab:
    """Quality of an estimator against the sample size."""

    qualities: tuple[Quality, ...]

    def __iter__(self) -> Iterator[Quality]:
        return iter(self.qualities)

    def __getitem__(self, index: int) -> Quality:
        return self.qualities[index]

    @property
    def rate(self) -> float:
        """Slope of ln mse against ln n: -1 for the mean, -2 for a largest value."""
        n = np.log([q.n for q in self.qualities])
        mse = np.log([q.mse for q in self.qualities])
        return float(np.polyfit(n, mse, 1)[0])

    def __str__(self) -> str:
        lines = [f"{'n':>8} {'|bias|':>12} {'variance':>12} {'mse':>12} {'+-':>10}"]
        for q in self.qualities:
            bias = float(np.linalg.norm(q.bias))
            row = f"{q.n:>8} {bias:>12.4g} {q.variance:>12.4g} {q.mse:>12.4g}"
            lines.append(f"{row} {q.mse_error:>10.2g}")
        return "\n".join(lines)


def estimator_lab(
    estimator: Callable[[Any], Any],
    law: Any,
    truth: Any,
    *,
    sizes: Sequence[int] = (10, 30, 100),
    repeats: int = 1000,
    random_state: Any = None,
) -> EstimatorLab:
    """Measure bias, variance and error of any estimator on data of a known law.

    Parameters
    ----------
    estimator : function X -> number or array of shape (p,)
    law : Distribution, or function (n, rng) -> rows
        Where samples come from.
    truth : number or array of shape (p,)
        What is to be estimated.
    sizes : list of int
    repeats : int
        Samples of each size.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    EstimatorLab

    Examples
    --------
    >>> from corollary.distributions.gaussian import Gaussian
    >>> lab = estimator_lab(
    ...     lambda X: X.var(), Gaussian([0.0], 4.0), 4.0, sizes=[5], random_state=0
    ... )
    >>> lab[0].biased, bool(abs(lab[0].bias[0] + 4 / 5) < 4 * lab[0].bias_error[0])
    (True, True)
    """
    who = "estimator_lab"
    if repeats < 2 or not sizes or min(sizes) < 1:
        must = "repeats must be at least 2 and every size at least 1"
        raise ParameterError(sentence(who, must, f"{repeats} and {list(sizes)}"))
    theta = np.atleast_1d(numbers(who, truth, "truth"))
    seed = entropy(random_state)

    def draw(n: int, rng: np.random.Generator) -> Any:
        return law.sample(n, rng) if hasattr(law, "sample") else law(n, rng)

    qualities = []
    for k, n in enumerate(sizes):
        rng = generator(seed, k)
        found = [np.atleast_1d(estimator(draw(n, rng))) for _ in range(repeats)]
        estimates = np.array(found, dtype=np.float64)
        if estimates.shape[1:] != theta.shape:
            must = f"the estimator must return {len(theta)} numbers, as many as truth"
            raise ParameterError(sentence(who, must, f"shape {estimates.shape[1:]}"))
        qualities.append(_quality(n, estimates, theta))
    return EstimatorLab(tuple(qualities))


def _quality(n: int, estimates: Floats, theta: Floats) -> Quality:
    R = len(estimates)
    centre = estimates.mean(axis=0)
    bias = centre - theta  # (1)
    spread = ((estimates - centre) ** 2).sum(axis=1)  # (2)
    squares = ((estimates - theta) ** 2).sum(axis=1)  # (3)
    absolute = np.abs(estimates - theta).sum(axis=1)  # (4)

    def error(values: Floats) -> Any:
        return values.std(axis=0, ddof=1) / np.sqrt(R)

    return Quality(
        n,
        R,
        bias,
        error(estimates),
        float(spread.mean()),
        float(error(spread)),
        float(squares.mean()),
        float(error(squares)),
        float(absolute.mean()),
        float(error(absolute)),
    )
