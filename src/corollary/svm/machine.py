"""What support vector machines share: an expansion over some training rows.

    g(x) = sum_s b_s k(x, z_s) - rho                                             (1)

over the support vectors z_s.  There is no summation form: every pair of rows may
matter.  `kernels` has random features and Nystrom's method, whose linear machines scale
to any number of rows.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import Rule, boolean, whole
from corollary.core.report import Report
from corollary.engine.sources.opening import objects_of
from corollary.kernels.dual_search import SEARCH_RULES
from corollary.kernels.given import row_numbers
from corollary.kernels.machine_kernel import MACHINE_RULES, TrainingRows, kernel_of

__all__ = [
    "RULES",
    "VERBOSE",
    "audit_expansion",
    "capped",
    "check_published",
    "dense_coefficients",
    "expand",
    "keep_expansion",
    "linear_weights",
    "pair_coefficients",
    "query_rows",
    "report_roles",
    "report_support",
    "unit_of",
]

#: Rules of the parameters that all machines have.
RULES: dict[str, Rule] = {**MACHINE_RULES, **SEARCH_RULES}
VERBOSE: Rule = boolean | whole(0)  # of those that scikit-learn has too
HARD = 1e10  # stands for C = inf
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of a sum of kernels, over its terms


def capped(C: float) -> float:
    """Return C, or a number that stands for infinity."""
    return min(float(C), HARD)


def unit_of(w: Floats) -> float:
    """Return the power of two next to the mean weight.

    A problem that is homogeneous in the weights is solved for weights divided by it:
    `tol` means the same for all of them, and no bit changes where they are about 1.

    >>> unit_of(np.array([0.5, 1.0])), unit_of(np.array([1e6, 3e6]))
    (1.0, 2097152.0)
    """
    return float(2.0 ** np.rint(np.log2(w.sum() / len(w))))


# -- what a fit leaves ---------------------------------------------------------------
def keep_expansion(
    machine: Any, data: TrainingRows, support: Vector, coefficients: Floats
) -> None:
    """Publish the support vectors and their coefficients, sparse where X is."""
    X = data.X
    machine.support_ = data.numbers(support).astype(np.int32)
    dual = coefficients.astype(X.dtype)
    machine.dual_coef_ = sp.csr_array(dual) if sp.issparse(X) else dual
    if machine.kernel == "precomputed":
        machine.support_vectors_ = np.empty((0, 0), X.dtype)
    elif data.objects is not None:
        machine.support_vectors_ = data.objects[row_numbers(X[support])]
    else:
        machine.support_vectors_ = X[support]
    machine.shape_fit_ = (data.total, machine.n_features_in_)
    machine.fit_status_ = 0


def check_published(machine: Any, X: Matrix) -> None:
    """Refuse intercepts that are no numbers."""
    if not np.isfinite(machine.intercept_).all():
        must = "The dual coefficients or intercepts are not finite; X must be small"
        raise DataError(sentence(machine, must, f"up to {np.abs(X).max():.3g}"))


def report_support(
    machine: Any, duals: list[tuple[Floats, Floats]], rows: int, report: Report
) -> None:
    """Report how many coefficients are free and at their bound; rows are kept."""
    free = at_bound = 0
    for b, bound in duals:
        inside = int(np.count_nonzero(b[np.abs(b) < bound]))
        free, at_bound = free + inside, at_bound + int(np.count_nonzero(b)) - inside
    report.facts["n_free"], report.facts["n_at_bound"] = free, at_bound
    if machine.kernel != "precomputed":
        report.facts |= {"n_rows_kept": len(machine.support_), "n_rows": rows}


def report_roles(names: tuple[str, ...], roles: Vector, report: Report) -> None:
    """Report how many rows have each role."""
    counts = np.bincount(roles, minlength=len(names)).tolist()
    report.facts["roles"] = dict(zip(names, counts, strict=True))


# -- use -----------------------------------------------------------------------------
def dense_coefficients(machine: Any) -> Floats:
    """Return dual_coef_ as a dense array."""
    D = machine.dual_coef_
    return D.toarray() if sp.issparse(D) else np.asarray(D)


def pair_coefficients(machine: Any) -> Floats:
    """Return the coefficients of every pair of classes, (s, p); see `pairs.py`."""
    K, D = len(machine.classes_), dense_coefficients(machine)
    if K == 2:
        return D.T
    pairs = list(itertools.combinations(range(K), 2))
    B = np.zeros((len(machine.support_), len(pairs)), D.dtype)
    of = np.repeat(np.arange(K), machine.n_support_)
    for p, (a, b) in enumerate(pairs):
        B[of == a, p], B[of == b, p] = D[b - 1, of == a], D[a, of == b]
    return B


def linear_weights(machine: Any, coefficients: Floats) -> Any:
    """Return the weights of features that these coefficients are, not to be altered."""
    if machine.kernel != "linear":
        text = "coef_ is only available when using a linear kernel"
        raise AttributeError(f"{type(machine).__name__}: {text}")
    weights = coefficients @ machine.support_vectors_
    if not sp.issparse(machine.support_vectors_):
        weights.flags.writeable = False
        return weights
    W = sp.csr_array(weights)
    W.data.flags.writeable = False
    return W


def of_objects(machine: Any) -> bool:
    """Tell whether the support vectors are texts or other objects."""
    return machine.support_vectors_.dtype.kind in "OUS"


def query_rows(machine: Any, X: Any) -> Any:
    """Check new rows: objects where the fit was on such."""
    if not of_objects(machine):
        X = machine._query(X)
        return X.astype(np.result_type(X.dtype, machine.dual_coef_.dtype), copy=False)
    objects = objects_of(X)
    if objects is None:
        must = "X must hold objects such as those of the fit"
        raise DataError(sentence(machine, must, f"{type(X).__name__}"))
    return objects


def expand(machine: Any, X: Matrix, B: Floats) -> Floats:
    """Return the sums (1), but for rho, for several columns of coefficients."""
    kernel = kernel_of(machine, machine.gamma_)
    Z = machine.support_vectors_
    if kernel.function is None:
        return kernel.sums(X[:, machine.support_], Z, B)
    return kernel.sums(X, Z, B)


def audit_expansion(machine: Any) -> None:
    """Refuse an expansion that no fit leaves: files and users can alter it."""
    s, given = len(machine.support_), machine.kernel == "precomputed"
    rows = machine.n_features_in_ if given else machine.shape_fit_[0]
    whole = (np.asarray(machine.support_), np.asarray(machine.n_support_))
    numbers = [machine.dual_coef_, machine.intercept_]
    if not (callable(machine.kernel) and of_objects(machine)):
        numbers.append(machine.support_vectors_)
    if any(a.dtype.kind not in "iu" for a in whole):
        must, came = "support_ and n_support_ must be whole numbers", "others"
    elif s and not 0 <= int(whole[0].min()) <= int(whole[0].max()) < rows:
        must = f"support_ must be numbers of rows, 0 to {rows - 1}"
        came = f"{whole[0].min()} to {whole[0].max()}"
    elif any(a.dtype.kind != "f" for a in numbers):
        must, came = "coefficients and support vectors must be numbers", "others"
    elif not given and machine.support_vectors_.shape[0] != s:
        must = f"support_vectors_ must have {s} rows"
        came = f"{machine.support_vectors_.shape[0]}"
    elif not isinstance(machine.gamma_, float) or not 0 < machine.gamma_ < np.inf:
        must, came = "gamma_ must be a number > 0", f"{machine.gamma_!r}"
    else:
        return
    must = f"The internal representation was altered: {must}"
    raise DataError(sentence(machine, must, came))
