"""What leaving out one row can change: bounds on the error of a support vector machine.

Also known as: support-vector leave-one-out bound, Vapnik's radius-margin bound,
xi-alpha estimate.

Leave row i out, train again, and ask whether it is then classified right.  The share of
rows that are not is an almost unbiased estimate: its mean is the mean risk of machines
trained on n - 1 rows.  Without training again it is at most

    support        (number of support vectors) / n                               (1)
                   since other rows change nothing by leaving
    radius-margin  D^2 ||w||^2 / n, D the diameter of a ball around the support
                   vectors, for machines without slack                           (2)
    xi-alpha       share of rows with  2 alpha_i R^2 + xi_i >= 1                 (3)
                   R^2 >= k(x, x) - k(x, x') for all rows

(1) holds always; (2) and (3) where the other support vectors stay what they are, resp.
the machine is stable.  They bound an estimate, not the risk: in expectation they bound
the risk, and say nothing of how sure that is.

Notation: alpha = |dual_coef_|; xi = slack.
References: Luntz and Brailovsky (1969); Vapnik (1998), ch. 10; Joachims (2000); Vapnik
and Chapelle (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.kernels.machine_kernel import MachineKernel
from corollary.theory.machine_norm import stated_kernel
from corollary.theory.stated_numbers import signs

__all__ = ["LeaveOneOutBound", "leave_one_out_bound"]

POSITIVE = ("rbf", "laplacian", "chi2")  # kernels that are never below 0
SLACK = 1e-2  # below this a row is on its margin: solvers stop a little early


@dataclass(frozen=True)
class LeaveOneOutBound:
    """Upper bounds on the leave-one-out error of a machine.

    Attributes
    ----------
    n : int
        Rows.
    support : float
        (1).
    radius_margin : float
        (2); NaN where rows have slack.
    xi_alpha : float
        (3).
    """

    n: int
    support: float
    radius_margin: float
    xi_alpha: float

    @property
    def value(self) -> float:
        """The bound that holds always (1)."""
        return self.support

    def __str__(self) -> str:
        text = f"leave-one-out error <= {self.support:.4g} (support vectors)"
        if not np.isnan(self.radius_margin):
            text += f", {self.radius_margin:.4g} (radius-margin)"
        return text + f", {self.xi_alpha:.4g} (xi-alpha); the risk in expectation"


def leave_one_out_bound(model: Any, X: Any, y: Any) -> LeaveOneOutBound:
    """Bound the leave-one-out error of a support vector machine without refitting.

    Parameters
    ----------
    model : SVC of two classes
        Fitted on X and y.
    X, y : rows and labels

    Returns
    -------
    LeaveOneOutBound

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import leave_one_out_bound
    >>> X = np.array([[-3.0], [-2], [-1], [1], [2], [3]])
    >>> model = SVC(kernel="linear", C=100).fit(X, X[:, 0] > 0)
    >>> leave_one_out_bound(model, X, X[:, 0] > 0).support  # 2 of 6
    0.3333333333333333
    """
    who = "leave_one_out_bound"
    if not hasattr(model, "support_") or len(getattr(model, "classes_", ())) != 2:
        must = "model must be a fitted support vector classifier of two classes"
        raise DataError(sentence(who, must, type(model).__name__))
    s = signs(who, y, model.classes_)
    a = model.dual_coef_
    a = np.ravel(a.toarray() if sp.issparse(a) else np.asarray(a, dtype=np.float64))
    n, support = len(s), np.asarray(model.support_)
    if len(support) and support.max() >= n:
        must = "X and y must be the rows of the fit"
        raise DataError(sentence(who, must, f"{n} rows"))
    xi = np.maximum(0.0, 1 - s * np.asarray(model.decision_function(X), dtype=float))
    alpha = np.zeros(n)
    alpha[support] = np.abs(a)
    kernel = stated_kernel(who, model)
    X = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    reach = float(np.asarray(kernel.square_norms(X)).max())
    if model.kernel not in POSITIVE:
        reach *= 2  # |k(x, x')| <= max k(x, x)
    stays = float((2 * alpha * reach + xi >= 1).mean())  # (3)
    ball = np.nan
    if xi.max() <= SLACK and len(support):
        K = among_support(model, kernel, X)
        far = np.diagonal(K) - 2 * K.mean(axis=1) + K.mean()
        ball = 4 * float(far.max()) * float(a @ K @ a) / n  # (2)
    return LeaveOneOutBound(n, len(support) / n, ball, stays)


def among_support(model: Any, kernel: MachineKernel, X: Any) -> Floats:
    """Return the kernel's matrix of the support vectors."""
    if kernel.function is None:
        return X[np.ix_(model.support_, model.support_)]
    Z = model.support_vectors_
    return kernel.sums(Z, Z, np.eye(Z.shape[0]))
