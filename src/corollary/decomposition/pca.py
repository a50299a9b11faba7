"""Principal component analysis, in summation form.

Also known as: PCA, Karhunen-Loeve transform, KLT, Hotelling transform, proper
orthogonal decomposition, uncentred PCA.
Related words: whitening, noise variance.

With rows centred, xc = x - mean, and covariance S = sum_n w_n xc_n xc_n' / (n - 1),
find orthonormal directions U (q, d) that keep the most variance, which are also those
that reconstruct best:

    max tr(U S U')  =  min  1/(n-1) sum_n w_n ||xc_n - U'U xc_n||^2             (1)

Both are solved by the eigenvectors of S with the largest eigenvalues,

    S u_i = lambda_i u_i,    kept: lambda_1 + ... + lambda_q,
                             lost: lambda_{q+1} + ... + lambda_d                 (2)

Without centring (`center=False`) the mean is 0 throughout, S holds second moments, and
the singular values are those of X itself; the first direction then points to the mean
where that is large.

Projection y = U (x - mean); reconstruction U'y + mean.  Two routes, one pass each: the
covariance (fast), or a QR decomposition and the singular values of R (exact for
directions of tiny variance, where the covariance has lost them: sqrt(eps) lambda_1 and
below).  'auto' takes the first and goes on to the second when a component that is
asked for is that small, for another reason than the scales of the columns.  With more
columns than rows the rows themselves are kept.  A few components of many sparse columns
are found by products with S alone (`linear_algebra/lanczos.py`), and no matrix of d
columns is ever made dense.  With 'randomized' products find few components of many
columns of any kind, from a random range (`linear_algebra/random_range.py`); the report
says how far from exact they are.

Notation: U = components_; lambda = explained_variance_; sigma_i = singular_values_ =
sqrt((n - 1) lambda_i).
Course: S0-34, S1-16, S3-49, S4-81. References: Pearson (1901); Jolliffe (2002).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, seed, whole
from corollary.core.records import changed
from corollary.core.report import Report, StopReason
from corollary.core.roles import Transformer
from corollary.decomposition.dimension import check_asked, components_kept
from corollary.decomposition.probabilistic import covariance_of, log_likelihood
from corollary.decomposition.spectrum import (
    PRODUCTS,
    Spectrum,
    axes_of,
    completed,
    digits_lost,
    distance,
    upright,
)
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Moments,
    Statistics,
    StreamingLearner,
    Triangle,
    Variances,
)
from corollary.linear_algebra.covariance_products import columns
from corollary.linear_algebra.decompositions import svd
from corollary.linear_algebra.lanczos import leading_directions
from corollary.linear_algebra.random_range import RangeSearch, random_directions
from corollary.solvers.normal_equations import centred

__all__ = ["PCA"]

MANY = 500  # columns whose covariance is worth avoiding
FEW = 0.1  # share of all components that are few enough to look for one by one


class PCA(StreamingLearner, Transformer):
    """Principal component analysis.

    Parameters
    ----------
    n_components : int, float in (0, 1), 'mle' or None
        Components to keep: a number, the share of variance to retain, Minka's choice,
        or all.
    copy : bool, default=True
        Kept for compatibility; X is never changed.
    whiten : bool, default=False
        Scale the projections to unit variance.
    svd_solver : {'auto', 'full', 'covariance_eigh', 'arpack', 'randomized'}
        'covariance_eigh' takes the eigenvectors of S; 'full' the singular vectors of
        the triangle R; 'randomized' a random range where at most a tenth of all
        components of more than 500 columns are asked for.  Elsewhere it chooses as
        'auto' does, and so does 'arpack', kept for compatibility: the answer is exact.
        As ARPACK cannot find all components, None is all but the last with 'arpack'.
    tol : float, default=0.0
        Kept for compatibility.
    iterated_power : int or 'auto', default='auto'
        Power iterations of 'randomized'; 'auto' is 7 for few components, 4 for more.
    n_oversamples : int, default=10
        Vectors of the random range beyond the components.
    power_iteration_normalizer : {'auto', 'QR', 'LU', 'none'}, default='auto'
        What keeps these vectors apart between two products; 'auto' is 'LU'.
    random_state : int, RandomState or None
        Seed of 'randomized'.
    center : bool, default=True
        Whether to take the mean off the rows; False is uncentred PCA.

    Attributes
    ----------
    components_ : array of shape (q, d)
        Directions U, the sign such that the largest entry of each is positive.
    explained_variance_ : array of shape (q,)
        lambda of each direction.
    explained_variance_ratio_ : array of shape (q,)
        lambda over the total variance.
    singular_values_ : array of shape (q,)
    mean_ : array of shape (d,)
    n_components_ : int
    n_samples_ : int
    noise_variance_ : float
        Mean of the variances that were left out.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PCA
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = PCA(n_components=0.95).fit(X)
    >>> model.n_components_, model.explained_variance_ratio_.round(4).tolist()
    (1, [0.9924])
    """

    rules: ClassVar = {
        "n_components": missing | whole(0) | real(0, 1, ends="()") | one_of("mle"),
        "copy": boolean,
        "whiten": boolean,
        "svd_solver": one_of("auto", "full", "covariance_eigh", "arpack", "randomized"),
        "tol": real(0),
        "iterated_power": one_of("auto") | whole(0),
        "n_oversamples": whole(1),
        "power_iteration_normalizer": one_of("auto", "QR", "LU", "none"),
        "random_state": seed,
        "center": boolean,
    }
    takes_sparse = True
    shapes: ClassVar = {"mean_": "d", "components_": "q d", "explained_variance_": "q"}

    def __init__(
        self,
        n_components: Any = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        center: bool = True,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.center = center

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Spectrum:
        """Choose the route by the parameters and the shape of the data."""
        n, d = data.source.n_rows, data.source.n_features
        check_asked(self, n, d)
        if self._by_products(data) and (found := self._leading(data, seed)) is not None:
            return found
        wide = data.few_rows < d
        route = "qr" if wide or self.svd_solver == "full" else "covariance"
        check_memory(
            self,
            8.0 * 3 * d * (min(data.few_rows, d) if route == "qr" else d),
            f"the {d} x {d} covariance",
            "Use fewer columns, or a random projection first.",
        )
        return Spectrum(route, d, data.source.dtype, once=data.once)

    def _by_products(self, data: Data) -> bool:
        """Tell whether few components of many columns are asked for, sparse or so."""
        q, d = self.n_components, data.source.n_features
        suited = data.source.sparse or self.svd_solver == "randomized"
        if data.once or not suited or d <= MANY or not self.center:
            return False
        few = isinstance(q, int | np.integer) and 0 < q <= FEW * min(data.few_rows, d)
        return bool(few) and self.svd_solver not in ("full", "covariance_eigh")

    def _leading(self, data: Data, seed: int) -> Spectrum | None:
        """Find the components by products; None where these do not suffice."""
        q, random = int(self.n_components), self.svd_solver == "randomized"
        if random:
            how = self.power_iteration_normalizer
            search = RangeSearch(self.n_oversamples, self.iterated_power, how, seed)
        found = (
            random_directions(data, q, search)
            if random
            else leading_directions(data, q)
        )
        if found is None:
            return None
        spread, variances, U, residual = found
        d, dtype, total = len(spread.mean), data.source.dtype, float(spread.M2.sum())
        return Spectrum(
            "randomized" if random else "lanczos",
            d,
            dtype,
            spread.n,
            spread.mean,
            variances,
            upright(U),
            total / (spread.n - 1),
            len(U),
            residual=residual,
        )

    def statistics(self, chunk: Chunk, state: Spectrum) -> Statistics:
        """Take the chunk's moments, or its triangle."""
        if state.route in PRODUCTS:
            return columns(chunk)
        if state.route == "qr":
            return Triangle.of(chunk.X, chunk.w, None, ones=self.center)
        return Moments.of(chunk.X, chunk.w)

    def update(self, s: Any, state: Spectrum) -> Spectrum:
        """Decompose; go on to the other route where digits were lost."""
        if state.route in PRODUCTS:
            return self._same_rows(s, state)
        if s.n <= 1:
            must = "n_samples must be at least 2 to have a variance"
            raise DataError(sentence(self, must, f"{s.n:g} (n_samples=1)"))
        most, precise = int(min(s.n, state.d)), self.svd_solver != "covariance_eigh"
        if state.route == "qr":
            mean, R = centred(s, self.center)
            if most > len(R):  # directions of variance 0
                R = np.pad(R, ((0, most - len(R)), (0, 0)))
            _, sigma, U = svd(R, full_matrices=False)
            variances, graded = sigma**2 / (s.n - 1), False
            total = float((R**2).sum() / (s.n - 1))
        else:
            mean, M2 = s.mean, s.M2
            if not self.center:
                M2, mean = M2 + s.n * np.outer(mean, mean), np.zeros_like(mean)
            variances, U, graded = axes_of(M2 / (s.n - 1), graded=precise)  # (2)
            total = float(np.trace(M2) / (s.n - 1))
        variances, U = variances[:most], U[:most]
        q = components_kept(self, variances, total, s.n)
        more = state.route == "covariance" and not state.once and state.U is None
        more = more and precise and not graded
        still_columns = int((np.diagonal(M2) == 0).sum()) if more else 0
        sure = min(q, max(0, state.d - still_columns))  # the rest is 0 exactly
        again = more and digits_lost(variances[:sure])
        still = np.finfo(np.float64).eps * 10 * max(s.n, state.d)
        if state.route == "qr" or graded:
            still = still**2
        rank = int((variances > still * variances[0]).sum()) if len(variances) else 0
        return changed(
            state,
            route="qr" if again else state.route,
            n=s.n,
            mean=mean,
            variances=variances,
            U=upright(completed(U, rank)),
            total=total,
            q=q,
            again=again,
        )

    def _same_rows(self, s: Variances, state: Spectrum) -> Spectrum:
        """Refuse other rows than those of the products."""
        if np.isclose(s.n, state.n):
            return state
        must = "partial_fit must follow partial_fit or a fit by sums"
        came = "a fit by products with the covariance"
        raise DataError(sentence(self, must, came, "Begin with partial_fit."))

    def objective(self, s: Any, state: Spectrum) -> float:
        """Return the variance that is lost (2)."""
        return state.lost

    def stop(self, state: Spectrum) -> StopReason | None:
        """Stop once there are directions."""
        if state.U is None or state.again:
            return None
        random = state.route == "randomized"
        return StopReason.CONVERGED if random else StopReason.CLOSED_FORM

    def max_passes(self) -> int:
        """Allow one pass for each route."""
        return 2

    def account(self, state: Spectrum, report: Report) -> None:
        """Report the variance kept, the conditioning, and features out of scale."""
        report.optimality = distance(state)
        report.objective = report.objective[-1:]
        kept = (
            state.variances[: state.q].sum() / state.total if state.total > 0 else 1.0
        )
        report.facts["route"] = "covariance" if state.again else state.route
        report.facts |= {"n_components": state.q, "n_features": state.d}
        report.facts["variance_kept"] = kept
        if state.variances[-1] > 0 and state.route not in PRODUCTS:
            report.condition = float(state.variances[0] / state.variances[-1])
        share = (state.U[0] ** 2).max() if state.d > 1 and state.q else 0.0
        if share > 0.99 and state.variances[0] > 0.99 * state.total:
            column = int((state.U[0] ** 2).argmax())
            report.warnings.append(
                f"column {column} alone makes up {share:.1%} of the first component: "
                "the columns may be on different scales. Standardise them first."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Spectrum = fitted.state
        q, dtype = state.q, state.dtype
        kept = state.variances[:q]
        self.mean_ = state.mean.astype(dtype)
        self.components_ = np.ascontiguousarray(state.U[:q], dtype=dtype)
        self.explained_variance_ = kept.astype(dtype)
        total = state.total if state.total > 0 else 1.0
        self.explained_variance_ratio_ = (kept / total).astype(dtype)
        self.singular_values_ = np.sqrt(kept * (state.n - 1)).astype(dtype)
        most = min(state.d, int(state.n))
        spare = most - q
        self.noise_variance_ = state.lost / spare if spare > 0 else 0.0
        self.n_components_ = self._n_features_out = q
        self.n_samples_ = fitted.report.rows

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Fit, then project the same rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        array of shape (n, q)
        """
        return self.fit(X, y, sample_weight).transform(X)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Project rows: U (x - mean), whitened if asked."""
        X = self._query(X, self._n_features_out)
        U = self.components_.astype(X.dtype)
        Y = np.asarray(X @ U.T) - (self.mean_ @ self.components_.T).astype(X.dtype)
        return Y / self._scale().astype(X.dtype) if self.whiten else Y

    def inverse_transform(self, Y: Any) -> Floats:
        """Reconstruct rows from projections: U'y + mean."""
        from sklearn.utils.validation import check_array, check_is_fitted

        check_is_fitted(self)
        Y = check_array(Y, dtype=[np.float64, np.float32], ensure_min_features=0)
        Y = Y * self._scale().astype(Y.dtype) if self.whiten else Y
        return Y @ self.components_.astype(Y.dtype) + self.mean_.astype(Y.dtype)

    def reconstruction_error(self, X: Any) -> Floats:
        """Return ||x - reconstruction||^2 of each row.

        Its sum over the training rows is (n - 1) times the variance left out (2).
        """
        X = self._query(X)
        rows = X.toarray() if hasattr(X, "toarray") else X
        return ((rows - self.inverse_transform(self.transform(X))) ** 2).sum(axis=1)

    def get_covariance(self) -> Floats:
        """Return the covariance of the probabilistic model, (d, d)."""
        return covariance_of(
            self.components_, self.explained_variance_, self.noise_variance_
        )

    def get_precision(self) -> Floats:
        """Return the inverse of `get_covariance`."""
        return np.linalg.inv(self.get_covariance())

    def score_samples(self, X: Any) -> Floats:
        """Return the log-likelihood of each row under the probabilistic model."""
        X = self._query(X)
        rows = X.toarray() if hasattr(X, "toarray") else X
        return log_likelihood(rows - self.mean_, self.get_covariance())

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows."""
        return float(self.score_samples(X).mean())

    # -- helpers -------------------------------------------------------------------
    def _scale(self) -> Floats:
        tiny = np.finfo(self.explained_variance_.dtype).eps
        return np.sqrt(np.maximum(self.explained_variance_, tiny))
