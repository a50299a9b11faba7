"""Linear discriminant analysis, in summation form.

Also known as: LDA, Gaussian discriminant analysis with a shared covariance, GDA, the
mean-difference classifier, multiple discriminant analysis, MDA, canonical variates,
Fisherfaces.

Classes are Gaussians with means m_c, priors pi_c and one covariance Sigma, so that
x'Sigma^-1 x cancels in Bayes' rule and the discriminants are linear,

    g_c(x) = b_c'x + b_c0,   b_c = Sigma^-1 m_c,
    b_c0 = log pi_c - 1/2 m_c' Sigma^-1 m_c                                      (1)

Two classes: w = Sigma^-1 (m_1 - m_0), the boundary w'x + w_0 = 0, and P(1 | x) is a
logistic function of w'x + w_0.  With S_W, S_B the scatter within and between classes,

    Sigma = S_W / n = sum_c (n_c/n) Sigma_c      (maximum likelihood)            (2)

The directions that tell the classes apart best solve the generalised eigenproblem

    S_B v = lambda S_W v,   at most k - 1 of them with lambda > 0                (3)

and with v' Sigma v = 1 the nearest projected mean is the nearest in Mahalanobis'
distance.  Everything follows from one pass: weights and means of the classes, and S_W.
A singular Sigma (fewer rows than features, collinear features) is inverted on its
range, which is PCA before LDA, or made regular by shrinkage.

Notation: b = coef_; b_0 = intercept_; m = means_; pi = priors_; v = scalings_.
Course: S0-9, S0-38, S1-12, S1-30, S2-3, S2-4, S2-13, S3-18, S3-51, S4-39, S4-40.
References: Fisher (1936); Hastie, Tibshirani, Friedman (2009), ch. 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import names_of
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    missing,
    one_of,
    real,
    whole,
)
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.roles import Projecting
from corollary.core.vectors import class_priors
from corollary.discriminants.covariances import (
    SHRINKAGE,
    class_covariances,
    total_covariance,
)
from corollary.discriminants.gaussian_rule import GaussianRule, Quadratic, log_of
from corollary.discriminants.scatter_learner import Scattered, ScatterLearner
from corollary.discriminants.shrinkage import shrunk, spread
from corollary.distributions.covariance import diagnose
from corollary.engine import Fitted
from corollary.engine.classes import ClassScatters, WithinTriangle, between
from corollary.linear_algebra.decompositions import eigh, eigvalsh, qr, svd

__all__ = ["LinearDiscriminantAnalysis"]


@stored
@dataclass(frozen=True)
class Line:
    """The rule (1) and the directions (3)."""

    coef: Floats  # (k, d)
    intercept: Floats  # (k,)
    scalings: Floats  # (d, r)
    ratios: Floats  # (at most r,) shares of the variance between the classes
    rank: int  # of Sigma
    means: Any = None  # (k, d)
    priors: Any = None  # (k,)
    Sigma: Any = None  # (d, d)
    condition: float | None = None  # of Sigma, where it is known


class LinearDiscriminantAnalysis(ScatterLearner, Projecting, GaussianRule):
    """Linear discriminant analysis: a classifier and a projection.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        All start from the same sums and give the same rule.  'svd' standardises the
        features and drops directions below `tol`; with given `priors`, 'lsqr' and
        'eigen' weight the covariances of the classes by them.
    shrinkage : 'auto', float in [0, 1] or None
        Shrink the covariances of the classes: by Ledoit and Wolf's amount (a second
        pass), by the share given, or not at all.
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data.  Priors that do not sum
        to 1 are normalised, with a warning.
    n_components : int, optional
        Directions of `transform`, at most min(k - 1, d), which is the default.
    store_covariance : bool, default=False
        Keep `covariance_` with solver 'svd' too.
    tol : float, default=1e-4
        A direction of standardised features with a smaller standard deviation counts
        as empty ('svd').
    covariance_estimator : estimator, optional
        Anything with ``fit`` and ``covariance_``, for data in memory.

    Attributes
    ----------
    classes_ : array of shape (k,)
    coef_ : array of shape (1, d) or (k, d)
    intercept_ : array of shape (1,) or (k,)
    means_ : array of shape (k, d)
    priors_ : array of shape (k,)
    covariance_ : array of shape (d, d)
        Sigma; with solver 'svd' only where `store_covariance` asks for it.
    scalings_ : array of shape (d, r)
        Directions v.
    explained_variance_ratio_ : array of shape (n_components,)
        Share of the variance between the classes along each direction.
    xbar_ : array of shape (d,)
        Mean of the means, weighted by the priors; with solver 'svd'.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearDiscriminantAnalysis
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]]).tolist(), model.boundary().kind
    ([1], 'line')
    """

    may_be_infinite = ("intercept_",)  # of a class with prior 0
    theory = ("halfspaces",)
    shapes: ClassVar = {
        "classes_": "k",
        "priors_": "k",
        "means_": "k d",
        "coef_": "m d",
        "intercept_": "m",
        "scalings_": "d r",
    }
    rules: ClassVar = {
        "solver": one_of("svd", "lsqr", "eigen"),
        "shrinkage": SHRINKAGE,
        "priors": missing | array_like,
        "n_components": missing | whole(1),
        "store_covariance": boolean,
        "tol": real(0),
        "covariance_estimator": anything,
    }

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    # -- learning ------------------------------------------------------------------
    def _check_asked(self, k: int, d: int) -> None:
        """Check the number of directions."""
        most = min(k - 1, d)
        if self.n_components is not None and self.n_components > most:
            must = (
                f"n_components cannot be larger than min(n_features, n_classes - 1) "
                f"= {most}"
            )
            raise ParameterError(sentence(self, must, f"{self.n_components}"))

    def _rule(self, s: Any, state: Scattered, q: Floats | None) -> Line:
        """Solve (1) and (3)."""
        n, k = float(s.n.sum()), state.k
        if n <= k:
            must = "The number of samples must be more than the number of classes"
            raise DataError(sentence(self, must, f"{n:g} rows and {k} classes"))
        pi = class_priors(self, self.priors, s.n, strict=False)
        if isinstance(s, WithinTriangle):
            if self.solver == "svd":
                line = whitened(s, root_axes(s.R / np.sqrt(n)), pi, self.tol)
            else:
                line = in_the_span(s, self.shrinkage or 0.0, pi)
            kept = self.store_covariance or self.solver != "svd"
            Sigma = shrunk(s.within() / n, self.shrinkage or 0.0) if kept else None
            return replace(line, means=s.mean, priors=pi, Sigma=Sigma)
        Sigma = self._covariance(s, state, pi, q)
        if self.solver == "svd":
            shares = self._covariance(s, state, s.n / n, q)
            line = whitened(s, axes(shares), pi, self.tol)
        else:
            total = total_covariance(s, self.shrinkage, q)
            total = total if state.given is None else state.given[-1]
            line = generalised(s.mean, Sigma, total - Sigma, pi)
        return replace(line, means=s.mean, priors=pi, Sigma=Sigma)

    def _covariance(
        self, s: Any, state: Scattered, pi: Floats, q: Floats | None
    ) -> Floats:
        """Return the covariances of the classes, weighted by their shares (2)."""
        if state.given is not None:
            return np.tensordot(pi, state.given[:-1], axes=1)
        if not isinstance(s, ClassScatters):
            return shrunk(s.S / s.n.sum(), self.shrinkage or 0.0)
        return np.tensordot(pi, class_covariances(s, self.shrinkage, q), axes=1)

    def account(self, state: Scattered, report: Report) -> None:
        """Report rank and conditioning of Sigma; name the guilty features."""
        line: Line = state.rule
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        report.facts["solver"] = self.solver
        k, d = state.k, state.d
        report.facts["n_parameters"] = k * d + d * (d + 1) // 2 + k - 1
        report.facts |= {"rank": line.rank, "n_features": d}
        report.condition = line.condition
        if not state.wide and self.solver == "svd":
            report.condition = condition_of(eigvalsh(line.Sigma))
        if line.rank < d:
            which = "fewer rows than features"
            if not state.wide:
                which = diagnose(line.Sigma).blame(names_of(self))
            report.warnings.append(
                f"the covariance within the classes is singular ({which}). It was "
                "inverted on its range; shrinkage='auto' with solver='eigen' would "
                "make it regular."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Scattered = fitted.state
        line, dtype = state.rule, state.dtype
        coef, intercept = line.coef, line.intercept
        if state.k == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        self.means_, self.priors_ = line.means.astype(dtype), line.priors
        self.scalings_ = line.scalings.astype(dtype)
        most = min(state.k - 1, state.d)
        self._n_features_out = self.n_components or most
        self.explained_variance_ratio_ = line.ratios[: self._n_features_out]
        self.xbar_ = (line.priors @ line.means).astype(dtype)
        if self.store_covariance or self.solver != "svd":
            self.covariance_ = line.Sigma

    # -- use -----------------------------------------------------------------------
    def _scores(self, X: Any) -> Floats:
        """Return (1); 0 for the first of two classes."""
        coef, intercept = self.coef_.astype(X.dtype), self.intercept_.astype(X.dtype)
        Z = X @ coef.T + intercept
        return Z if len(self.classes_) > 2 else np.hstack([np.zeros_like(Z), Z])

    def transform(self, X: Any) -> Floats:
        """Project rows on the directions (3), (n, n_components)."""
        X = self._query(X, self._n_features_out)
        v = self.scalings_[:, : self._n_features_out].astype(X.dtype)
        about = self.xbar_ if self.solver == "svd" else np.zeros_like(self.xbar_)
        return X @ v - (about @ self.scalings_[:, : v.shape[1]]).astype(X.dtype)

    def _quadratic(self, c: int) -> Quadratic:
        if len(self.classes_) == 2:
            return Quadratic(None, c * self.coef_[0], c * float(self.intercept_[0]))
        return Quadratic(None, self.coef_[c], float(self.intercept_[c]))

    def _needs_root_only(self) -> bool:
        """Tell whether a root of S_W gives Sigma, shrunk by a share or not."""
        plain = self.solver != "svd" or not self.shrinkage
        return plain and self.covariance_estimator is None and not self._by_class()

    def _by_class(self) -> bool:
        """Tell whether Sigma needs the scatter of every class."""
        kept = self.solver != "svd" or self.store_covariance
        return self.shrinkage == "auto" or (self.priors is not None and kept)


class Axes(NamedTuple):
    """The principal axes of standardised features."""

    scale: Floats  # (d,) standard deviations of the features
    sigma: Floats  # (r,) those along the axes, falling
    V: Floats  # (d, r)


def axes(Sigma: Floats) -> Axes:
    """Decompose a covariance."""
    scale = spread(np.diagonal(Sigma))
    values, V = eigh(Sigma / np.outer(scale, scale))
    return Axes(scale, np.sqrt(np.maximum(values[::-1], 0.0)), V[:, ::-1])


def root_axes(R: Floats) -> Axes:
    """Decompose the covariance R'R by a root with few rows."""
    scale = spread((R**2).sum(axis=0))
    _, sigma, V = svd(R / scale, full_matrices=False)
    return Axes(scale, sigma, V.T)


def whitened(s: Any, found: Axes, pi: Floats, tol: float) -> Line:
    """Invert Sigma on its range, standardised features first; then (1) and (3)."""
    n, k = float(s.n.sum()), len(pi)
    scale, sigma, V = found
    rank = int((sigma > tol).sum())
    W = V[:, :rank] / sigma[:rank] / scale[:, None]  # W W' = Sigma^-1
    away = s.mean - pi @ s.mean
    spans = np.sqrt(n * pi / (k - 1))[:, None] * (away @ W)
    _, size, Vt = svd(spans, full_matrices=False)
    ratios = size**2 / max(float((size**2).sum()), np.finfo(float).tiny)
    v = W @ Vt[: int((size > tol * size[:1]).sum())].T
    projected = away @ v
    coef = projected @ v.T
    intercept = log_of(pi) - 0.5 * (projected**2).sum(axis=1)
    return Line(coef, intercept - coef @ (pi @ s.mean), v, ratios, rank)


def generalised(
    means: Floats, Sigma: Floats, apart: Floats, pi: Floats, outside: float = 0.0
) -> Line:
    """Solve (3) on the range of Sigma, with v' Sigma v = 1; then (1).

    `outside` is the sum of the lambda of directions that are not looked at.
    """
    values, V = eigh(Sigma)
    kept = values > len(Sigma) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    W = V[:, kept] / np.sqrt(values[kept])  # W W' = Sigma^-1
    shares, U = eigh(W.T @ apart @ W)
    shares, v = shares[::-1], (W @ U)[:, ::-1]
    ratios = shares / max(float(shares.sum()) + outside, np.finfo(np.float64).tiny)
    coef = means @ v @ v.T
    intercept = log_of(pi) - 0.5 * (means * coef).sum(axis=1)
    condition = condition_of(values)
    return Line(coef, intercept, v, ratios, int(kept.sum()), condition=condition)


def in_the_span(s: WithinTriangle, rho: float, pi: Floats) -> Line:
    """Solve (3) and (1) for few rows, in the span of them and of the means.

    Outside of it both matrices of (3) are multiples of the identity, as shrinkage adds
    them: nothing there tells the classes apart.
    """
    n, d = float(s.n.sum()), s.mean.shape[1]
    Q, _ = qr(np.vstack([s.R, s.mean]).T, mode="economic")  # (d, q)
    R, means = s.R @ Q, s.mean @ Q
    S_W, S_B = R.T @ R / n, between(s.n, means) / n
    within, more = rho * np.trace(S_W) / d, rho * np.trace(S_B) / d
    Sigma, apart = (1 - rho) * S_W, (1 - rho) * S_B
    np.fill_diagonal(Sigma, np.diagonal(Sigma) + within)
    np.fill_diagonal(apart, np.diagonal(apart) + more)
    outside = (d - Q.shape[1]) * more / within if within > 0 else 0.0
    line = generalised(means, Sigma, apart, pi, outside)
    rank = d if within > 0 else line.rank
    coef, v = line.coef @ Q.T, Q @ line.scalings
    return replace(line, coef=coef, scalings=v, rank=rank)


def condition_of(eigenvalues: Floats) -> float | None:
    """Return the condition number of a covariance, None where it is singular."""
    low, high = float(eigenvalues[0]), float(eigenvalues[-1])
    return high / low if low > 0 else None
