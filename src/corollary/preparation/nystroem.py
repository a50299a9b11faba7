"""Nystrom's method: features from the kernel with a few landmarks.

Also known as: Nystroem approximation, low-rank kernel approximation, projection on
landmarks.

With landmarks Z = (z_1, ..., z_m) and their matrix K_ZZ, the feature of x is projected
on the span of theirs, which leaves the coordinates

    f(x) = K_ZZ^(-1/2) k(Z, x),     f(x)'f(y) = k(x, Z) K_ZZ^-1 k(Z, y)              (1)

exact where x or y is a landmark, and for all points where K has rank m.  What is lost
is positive semi-definite, and known for every row:

    k(x, x) - ||f(x)||^2 = the squared distance of phi(x) to the span >= 0           (2)

Its sum over rows, the trace residual, bounds every norm of K - f f'.  The report has it
for a sample, as a share of the trace.  With all rows as landmarks a linear machine on f
is the kernel machine: ||theta||^2 is the norm of the function.

Landmarks are chosen uniformly, as centres of clusters, or by leverage (`landmarks.py`);
the sums are one pass that samples distinct rows.

Notation: Z (m, d) = components_; K_ZZ^(-1/2) = normalization_; m = n_components.
Course: S3-69. References: Williams and Seeger (2001); Drineas and Mahoney (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.parameters import (
    anything,
    function,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Optimality
from corollary.core.rows import dense
from corollary.core.warn import warn
from corollary.kernels.given import FunctionKernel
from corollary.kernels.histogram import ChiSquare
from corollary.kernels.inner_product import Linear, Polynomial, Sigmoid
from corollary.kernels.kernel import Kernel, as_kernel
from corollary.kernels.radial import Gaussian, Laplacian
from corollary.linear_algebra.decompositions import eigh, product
from corollary.preparation.landmarks import LEVERAGE_ROWS, choose_landmarks
from corollary.preparation.sampled_map import (
    JUDGED,
    Drawing,
    Judged,
    SampledMap,
    Seen,
    by_blocks,
)

__all__ = ["Nystroem"]

NAMED = (
    "rbf",
    "linear",
    "poly",
    "polynomial",
    "sigmoid",
    "laplacian",
    "chi2",
    "cosine",
)


class Nystroem(SampledMap):
    """Features from the kernel with a few landmarks.

    Parameters
    ----------
    kernel : str, Kernel or function, default='rbf'
        'rbf', 'linear', 'poly', 'polynomial', 'sigmoid', 'laplacian', 'chi2',
        'cosine', an object of `corollary.kernels`, or a function of two points or of
        two sets of points.
    gamma : float, optional
        Of 'rbf', 'laplacian', 'poly' and 'sigmoid', 1 / d if missing; of 'chi2', 1.
    coef0 : float, optional
        Of 'poly' and 'sigmoid'; 1 if missing.
    degree : float, optional
        Of 'poly'; 3 if missing.  Only whole degrees are kernels for all points.
    kernel_params : dict, optional
        Further arguments of a function.
    n_components : int, default=100
        Landmarks m.
    random_state : int, optional
        Seed of the choice.
    n_jobs : int, optional
        Kept for compatibility; threads are those of the configuration.
    landmarks : {'uniform', 'k-means', 'leverage'}, default='uniform'
        How they are chosen.

    Attributes
    ----------
    components_ : array of shape (m, d)
        The landmarks.  They are training rows, unless they are centres of clusters: a
        model file holds them.
    normalization_ : array of shape (m, m)
    kernel_ : Kernel
        The kernel, with its numbers.
    n_features_in_ : int
    report_ : Report
        With the trace residual (2) on a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Nystroem
    >>> X = np.linspace(0, 4, 40)[:, None]
    >>> model = Nystroem(gamma=0.5, n_components=15, random_state=0).fit(X)
    >>> f = model.transform(X)
    >>> bool(np.abs(f @ f.T - np.exp(-0.5 * (X - X.T) ** 2)).max() < 0.01)
    True
    """

    rules: ClassVar = {
        "kernel": one_of(*NAMED) | function,
        "gamma": missing | real(0, ends="(]"),
        "coef0": missing | real(),
        "degree": missing | whole(1) | real(1),
        "kernel_params": anything,
        "n_components": whole(1),
        "random_state": seed,
        "n_jobs": anything,
        "landmarks": one_of("uniform", "k-means", "leverage"),
    }
    shapes: ClassVar = {"components_": "m d", "normalization_": "m m"}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        landmarks: str = "uniform",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    # -- learning ------------------------------------------------------------------
    def sample_size(self) -> int:
        """Sample more rows than landmarks where these are chosen among them."""
        m = self.n_components
        more = {"uniform": m, "k-means": 20 * m, "leverage": LEVERAGE_ROWS}
        return max(JUDGED, m, more[self.landmarks])

    def make(self, seen: Seen, state: Drawing) -> dict[str, Any]:
        """Choose landmarks and take the inverse root of their matrix."""
        sample = seen.sample
        kernel = self._kernel(sample.X.shape[1])
        m = min(self.n_components, len(sample.keys))
        how = self.landmarks
        Z = choose_landmarks(how, kernel, sample.X, sample.w, m, state.seed)
        Z = np.ascontiguousarray(Z, dtype=state.dtype)
        root = inverse_root(kernel(Z).astype(np.float64))
        return {
            "components_": Z,
            "normalization_": root.astype(state.dtype),
            "kernel_": kernel,
            "_n_features_out": m,
        }

    def judge(self, found: dict[str, Any], X: Matrix) -> Judged:
        """Measure the trace residual (2) on the sample."""
        kernel, Z = found["kernel_"], found["components_"]
        f = (kernel(X, Z) @ found["normalization_"]).astype(np.float64)
        own = kernel.diagonal(X).astype(np.float64)
        left = float(np.maximum(own - (f**2).sum(axis=1), 0.0).sum())
        share = left / float(own.sum()) if own.sum() > 0 else 0.0
        lost = Optimality(f"share of the trace lost on {X.shape[0]} rows is", share)
        facts = {"n_landmarks": len(Z), "kernel": kernel.formula}
        said = []
        if len(Z) < self.n_components:
            text = (
                f"Nystroem: n_components = {self.n_components} is more than the "
                f"{len(Z)} distinct rows; all of them are landmarks."
            )
            said.append(text)
            warn(text)
        return Judged(lost, facts, said)

    def _kernel(self, d: int) -> Kernel:
        """Return the kernel with its numbers."""
        if not isinstance(self.kernel, str):
            if isinstance(self.kernel, Kernel) or not self.kernel_params:
                return as_kernel(self.kernel)
            f, more = self.kernel, dict(self.kernel_params)
            return as_kernel(lambda x, z: f(x, z, **more))
        gamma = 1.0 / d if self.gamma is None else float(self.gamma)
        c = 1.0 if self.coef0 is None else float(self.coef0)
        degree = 3 if self.degree is None else self.degree
        named: dict[str, Callable[[], Kernel]] = {
            "rbf": lambda: Gaussian.of_gamma(gamma),
            "linear": lambda: Linear(),
            "poly": lambda: powers(degree, c, gamma),
            "polynomial": lambda: powers(degree, c, gamma),
            "sigmoid": lambda: Sigmoid(gamma, c),
            "laplacian": lambda: Laplacian(gamma),
            "chi2": lambda: ChiSquare(1.0 if self.gamma is None else gamma),
            "cosine": lambda: Linear().normalized(),
        }
        return named[self.kernel]()

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Return the features (1) of each row, (n, m).

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, m)
        """
        X = self.kernel_.points(self._query(X, self._n_features_out))
        Z = self.components_.astype(X.dtype, copy=False)
        root = self.normalization_.astype(X.dtype, copy=False)

        def write(rows: Matrix, out: Floats) -> None:
            np.matmul(self.kernel_.block(rows, Z).astype(X.dtype), root, out=out)  # (1)

        return by_blocks(self, write, X, len(Z))


def powers(degree: float, c: float, gamma: float) -> Kernel:
    """Return (gamma x'z + c)^degree, also for a degree that is no whole number."""
    if degree == int(degree):
        return Polynomial(int(degree), c, gamma)

    def polynomial(X: Any, Z: Any) -> Floats:
        with np.errstate(invalid="ignore"):  # NaN is refused by the kernel
            return (gamma * dense(X @ Z.T) + c) ** degree

    return FunctionKernel(polynomial, "sets")


def inverse_root(K: Floats) -> Floats:
    """Return K^(-1/2) on the span of K's eigenvectors above the noise, 0 elsewhere."""
    values, U = eigh((K + K.T) / 2)
    noise = 10 * len(K) * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    kept = values > noise
    return product(U[:, kept] / np.sqrt(values[kept]), U[:, kept].T)
