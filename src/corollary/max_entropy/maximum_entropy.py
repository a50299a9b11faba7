"""Maximum entropy, and minimum relative entropy, under linear constraints.

Also known as: MaxEnt, Gibbs distribution, Boltzmann distribution, exponential tilting,
minimum discrimination information, I-projection, principle of insufficient reason.

Of all distributions on n outcomes with given means of k features, take the one nearest
a prior p_0 (the uniform one for largest entropy):

    minimise D(p || p_0) = sum_i p_i log(p_i / p_0i)
    subject to  F'p = b,  sum_i p_i = 1                                          (1)

Its solution is a Gibbs law, with one multiplier for each feature,

    p_i = p_0i exp(sum_j mu_j F_ij) / Z(mu)                                      (2)

and mu maximises the concave dual

    psi(mu) = mu'b - log Z(mu),   grad psi = b - E_p f,   Hess psi = -Cov_p f    (3)

with D(p || p_0) = psi(mu) there.  Where b is a sample's mean of the features, psi is
the mean log-likelihood less a constant, so maximum entropy is maximum likelihood over
the Gibbs family (2), and for every p that meets the constraints (Pythagoras)

    D(p || p_0) = D(p || p*) + D(p* || p_0)                                      (4)

Newton's method climbs (3) in a few steps; iterative scaling (GIS, IIS) moves one
multiplier at a time.  A linear programme tells beforehand whether any distribution
meets the constraints, and which outcomes must then have probability 0: with b on the
boundary of what can be met multipliers are infinite, and the answer is the limit, the
Gibbs law on the outcomes that remain.

Notation: F (n, k) = features; b (k,) = targets; p_0 = prior.
Course: S0-13, S0-14, S0-15. References: Jaynes (1957); Csiszar (1975); Della Pietra,
Della Pietra and Lafferty (1997).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.report import StopReason
from corollary.decisions.probabilities import check_distribution
from corollary.information import entropy, relative_entropy
from corollary.objectives.softmax import log_softmax, log_sum_exp
from corollary.solvers import iterative_scaling, lbfgs, newton
from corollary.solvers.attainable_means import distance_to_means, possible_outcomes
from corollary.solvers.steps import step

__all__ = ["Duality", "MaximumEntropy", "check_duality", "maximum_entropy"]

SOLVERS = ("newton", "gis", "iis", "lbfgs")
WHO = "maximum_entropy"


@dataclass(frozen=True)
class MaximumEntropy:
    """The distribution of largest entropy, and how well it meets its constraints.

    Attributes
    ----------
    p : array of shape (n,)
    multipliers : array of shape (k,)
        mu of (2); on the boundary, those of the limit law on the outcomes that remain.
    log_Z : float
    entropy : float
        -sum p log p, in nats.
    divergence : float
        D(p || p_0), the minimum of (1).
    residual : float
        Largest |E_p f - b|.
    gap : float
        D(p || p_0) less the dual (3): 0 at the optimum, up to rounding.
    excluded : array of int
        Outcomes that the targets force to probability 0: the targets lie on the
        boundary of what can be met.  Empty otherwise.
    solver : str
    steps : int
    stop : StopReason
    trace : list of float
        The dual (3) after each step; it never falls.
    """

    p: Floats
    multipliers: Floats
    log_Z: float
    entropy: float
    divergence: float
    residual: float
    gap: float
    excluded: Vector
    solver: str
    steps: int
    stop: StopReason
    trace: list[float]

    def __str__(self) -> str:
        text = (
            f"entropy {self.entropy:.6g}, divergence {self.divergence:.6g}; "
            f"{self.stop.word} after {self.steps} steps of {self.solver}, moment "
            f"residual {self.residual:.2g}, dual gap {self.gap:.2g}"
        )
        if len(self.excluded):
            text += (
                f"; the targets lie on the boundary of what can be met: outcomes "
                f"{self.excluded[:10].tolist()} must have probability 0"
            )
        return text


@dataclass(frozen=True)
class Outcomes:
    """The outcomes that may come, features less their targets."""

    F: Floats  # (n, k), less the targets: constraints read F'p = 0
    log_p0: Floats  # (n,)

    def law(self, mu: Floats) -> tuple[Floats, float]:
        """Return p and log Z of (2)."""
        scores = (self.F @ mu + self.log_p0)[None, :]
        return np.exp(log_softmax(scores)[0]), float(log_sum_exp(scores)[0])


def maximum_entropy(
    features: Any,
    targets: Any = None,
    *,
    empirical: Any = None,
    prior: Any = None,
    solver: str = "newton",
    tol: float = 1e-10,
    max_iter: int | None = None,
) -> MaximumEntropy:
    """Return the distribution nearest a prior that has given means.

    Parameters
    ----------
    features : array of shape (n,) or (n, k)
        Value of each feature at each outcome.
    targets : float or array of shape (k,), optional
        Mean that each feature must have.
    empirical : array of shape (n,), optional
        Instead of targets: counts or shares of the outcomes in a sample, whose means
        are to be met.
    prior : array of shape (n,), optional
        By default uniform.
    solver : {'newton', 'gis', 'iis', 'lbfgs'}
    tol : float
        Largest difference between a mean and its target, in units of the feature's
        range.
    max_iter : int, optional
        By default 200, or 100,000 for iterative scaling.

    Returns
    -------
    MaximumEntropy

    Examples
    --------
    A die that shows 4.2 on average:

    >>> import numpy as np
    >>> die = maximum_entropy(np.arange(1, 7), 4.2)
    >>> die.p.round(5).tolist(), die.multipliers.round(6).tolist()
    ([0.08183, 0.10497, 0.13465, 0.17273, 0.22158, 0.28424], [0.249045])
    """
    F = _features(features)
    p0 = _prior(prior, len(F))
    b = _targets(F, targets, empirical)
    if solver not in SOLVERS:
        must = f"solver must be one of {', '.join(SOLVERS)}"
        raise ParameterError(sentence(WHO, must, f"{solver!r}"))
    most = max_iter or (200 if solver in ("newton", "lbfgs") else 100_000)
    scale = np.ptp(F, axis=0)
    scale[scale == 0] = 1.0
    alive, centre = _possible((F - b) / scale, p0, empirical)
    problem = Outcomes(((F - b) / scale)[alive] - centre, np.log(p0[alive]))
    run = _climb if solver in ("newton", "lbfgs") else _scale
    mu, trace, stop = run(problem, solver, tol, most)
    return _outcome(problem, mu, (F, b, p0, scale, alive), (solver, trace, stop))


def _outcome(
    problem: Outcomes, mu: Floats, given: tuple[Any, ...], run: tuple[Any, ...]
) -> MaximumEntropy:
    F, b, p0, scale, alive = given
    solver, trace, stop = run
    q, log_Z = problem.law(mu)
    p = np.zeros(len(F))
    p[alive] = q
    divergence = relative_entropy(p, p0)
    multipliers = mu / scale
    return MaximumEntropy(
        p=p,
        multipliers=multipliers,
        log_Z=log_Z + float(b @ multipliers),
        entropy=entropy(p / p.sum()),
        divergence=divergence,
        residual=float(np.abs(F.T @ p - b).max(initial=0.0)),
        gap=abs(divergence + log_Z),  # the dual of shifted features is -log Z
        excluded=np.flatnonzero(~alive & (p0 > 0)),
        solver=solver,
        steps=len(trace),
        stop=stop,
        trace=trace,
    )


# -- solvers -----------------------------------------------------------------------
Run = tuple[Floats, list[float], StopReason]


def _climb(problem: Outcomes, solver: str, tol: float, most: int) -> Run:
    """Minimise log Z, whose gradient is the mean of the shifted features."""
    newtons = solver == "newton"
    search: Any = (newton if newtons else lbfgs).begin(np.zeros(problem.F.shape[1]))
    trace: list[float] = []
    for _ in range(most):
        p, log_Z = problem.law(search.trial)
        mean, H = problem.F.T @ p, None
        if newtons:
            centred = problem.F - mean
            H = (centred * p[:, None]).T @ centred
        search = step(search, log_Z, mean, H, precondition=np.copy)
        trace.append(-search.f)
        if search.gradient_norm() <= tol:
            return search.x, trace, StopReason.CONVERGED
        if search.stalled:
            return search.x, trace, StopReason.STALLED
    return search.x, trace, StopReason.MAX_PASSES


def _scale(problem: Outcomes, solver: str, tol: float, most: int) -> Run:
    """Solve (1) or (2) of iterative scaling in every step."""
    low = problem.F.min(axis=0)
    F, b = problem.F - low, -low  # features >= 0 and their targets
    total = F.sum(axis=1)
    s = iterative_scaling.begin(np.zeros(F.shape[1]), float(total.max(initial=0.0)))
    free = np.zeros(F.shape[1])
    p, log_Z = problem.law(s.mu)
    trace: list[float] = []
    while len(trace) < most:
        if np.abs(problem.F.T @ p).max(initial=0.0) <= tol:
            return s.mu, [*trace, -log_Z], StopReason.CONVERGED
        rounds = s.rounds
        while s.rounds == rounds:
            if solver == "iis":
                G = F * np.exp(np.outer(total, s.delta)) * p[:, None]
                s = iterative_scaling.iis_step(s, G.sum(axis=0), total @ G, b, free)
            else:
                s = iterative_scaling.gis_step(s, p @ F, b, free)
        p, log_Z = problem.law(s.mu)
        trace.append(-log_Z)
    return s.mu, trace, StopReason.MAX_PASSES


# -- duality -----------------------------------------------------------------------
@dataclass(frozen=True)
class Duality:
    """Maximum entropy beside maximum likelihood.

    Attributes
    ----------
    entropy, likelihood : arrays of shape (n,)
        The answers of the two problems.
    difference : float
        Largest difference between the two.
    log_likelihood : float
        Mean log-likelihood of the sample under the Gibbs law that was found.
    pythagoras : float
        Largest |D(p || p_0) - D(p || p*) - D(p* || p_0)| (4) over the sample and
        mixtures of it with the answer.
    """

    entropy: Floats
    likelihood: Floats
    difference: float
    log_likelihood: float
    pythagoras: float

    def __str__(self) -> str:
        return (
            f"maximum entropy and maximum likelihood differ by {self.difference:.2g}; "
            f"Pythagoras holds to {self.pythagoras:.2g}"
        )


def check_duality(features: Any, empirical: Any, *, prior: Any = None) -> Duality:
    """Solve maximum entropy and maximum likelihood apart, and compare.

    Maximum entropy is solved by improved iterative scaling, maximum likelihood over the
    Gibbs family (2) by Newton's method on the sample's log-likelihood.

    Parameters
    ----------
    features : array of shape (n,) or (n, k)
    empirical : array of shape (n,)
        Counts or shares of the outcomes in a sample.
    prior : array of shape (n,), optional
        The base of the Gibbs family; by default uniform.

    Returns
    -------
    Duality

    Examples
    --------
    >>> import numpy as np
    >>> found = check_duality(np.arange(1, 7), [1, 2, 1, 3, 1, 4])
    >>> found.difference < 1e-6 and found.pythagoras < 1e-6
    True
    """
    F = _features(features)
    shares = _shares(empirical, len(F))
    p0 = _prior(prior, len(F))
    even = maximum_entropy(F, empirical=shares, prior=p0, solver="iis", tol=1e-9)
    alive = even.p > 0
    mean = shares @ F
    span = np.ptp(F, axis=0) + (np.ptp(F, axis=0) == 0)
    problem = Outcomes((F[alive] - mean) / span, np.log(p0[alive]))
    mu, _, _ = _climb(problem, "newton", 1e-12, 200)
    likely = np.zeros(len(F))
    likely[alive] = problem.law(mu)[0]
    mixtures = [shares, 0.5 * shares + 0.5 * even.p, even.p]
    error = [
        abs(
            relative_entropy(p, p0)
            - relative_entropy(p, likely)
            - relative_entropy(likely, p0)
        )
        for p in mixtures
    ]
    seen = shares > 0
    return Duality(
        entropy=even.p,
        likelihood=likely,
        difference=float(np.abs(even.p - likely).max()),
        log_likelihood=float(shares[seen] @ np.log(likely[seen])),
        pythagoras=float(max(error)),
    )


# -- what is asked -----------------------------------------------------------------
def _features(features: Any) -> Floats:
    F = np.asarray(features, dtype=np.float64)
    F = F[:, None] if F.ndim == 1 else F
    if F.ndim != 2 or not F.size:
        must = "features must be a table of outcomes and features"
        raise DataError(sentence(WHO, must, f"shape {np.shape(features)}"))
    if not np.isfinite(F).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(F))[0])
        came = f"{F[row, column]} at outcome {row}, feature {column}"
        raise DataError(sentence(WHO, "features must be finite", came))
    return F


def _prior(prior: Any, n: int) -> Floats:
    if prior is None:
        return np.full(n, 1 / n)
    return check_distribution(WHO, prior, n, "prior")


def _shares(empirical: Any, n: int) -> Floats:
    counts = np.asarray(empirical, dtype=np.float64)
    if counts.shape != (n,):
        must = f"empirical must hold a count for each of {n} outcomes"
        raise DataError(sentence(WHO, must, f"shape {counts.shape}"))
    if not np.isfinite(counts).all() or counts.min() < 0 or counts.sum() == 0:
        must = "empirical must hold finite counts >= 0, not all of them 0"
        raise DataError(sentence(WHO, must, f"{counts.min():g} to {counts.max():g}"))
    return counts / counts.sum()


def _targets(F: Floats, targets: Any, empirical: Any) -> Floats:
    if (targets is None) == (empirical is None):
        must = "either targets or empirical must be given"
        came = "neither" if targets is None else "both"
        raise ParameterError(sentence(WHO, must, came))
    if targets is None:
        return _shares(empirical, len(F)) @ F
    b = np.atleast_1d(np.asarray(targets, dtype=np.float64))
    if b.shape != (F.shape[1],) or not np.isfinite(b).all():
        must = f"targets must hold a finite number for each of {F.shape[1]} features"
        raise ParameterError(sentence(WHO, must, f"{np.asarray(targets).tolist()}"))
    return b


def _possible(F: Floats, p0: Floats, empirical: Any) -> tuple[Vector, Floats]:
    """Say which outcomes can have a probability; refuse if the targets forbid all."""
    may = p0 > 0
    seen = np.zeros(len(F), dtype=bool)
    if empirical is not None:
        seen = _shares(empirical, len(F)) > 0
        if (seen & ~may).any():
            seen[:] = False
    found = possible_outcomes(F[may], seen[may])
    if found is None:
        must = "targets must be means that some distribution has"
        came = f"targets {distance_to_means(F[may]):.3g} of the range away from any"
        remedy = "Loosen the constraints, or allow more outcomes in the prior."
        raise DataError(sentence(WHO, must, came, remedy))
    alive = np.zeros(len(F), dtype=bool)
    alive[may] = found[0]
    return alive, found[1]
