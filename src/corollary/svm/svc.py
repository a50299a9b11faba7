"""The support vector classifier.

Also known as: SVM, SVC, C-SVM, soft-margin machine, maximum-margin classifier.

For two classes, y = +1 or -1, and a kernel k(x, z) = <phi(x), phi(z)>, minimise

    P(w, b) = 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i (w'phi(x_i) + b))           (1)

its dual, with beta_i = y_i alpha_i and K_ij = k(x_i, x_j), is to minimise

    D(beta) = 1/2 beta'K beta - y'beta,   0 <= y_i beta_i <= C_i,  sum beta = 0  (2)

and at the optimum P = -D, w = sum_i beta_i phi(x_i): rows with beta_i = 0 do not
matter.  C_i = C times the row's weight times its class's weight, so that a row of
weight 2 is the row twice.  By its margin m_i = y_i g(x_i) every row has a role

    outside        m_i > 1,  beta_i = 0          inside         0 <= m_i < 1
    on the margin  m_i = 1,  0 < |beta_i| < C_i  misclassified  m_i < 0          (3)

K classes are a machine for every pair of classes, on the rows of these two alone; the
pairs vote, and the sums of their scores break ties.  There is no summation form: see
`RandomFourierFeatures` and `Nystroem` with a linear machine for the relative that has.

`solvers/smo.py` solves (2) and bounds P + D.

Notation: beta = dual_coef_ over the rows support_; b = intercept_ = -rho.
References: Cortes and Vapnik (1995); Chang and Lin (2011), LIBSVM.
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.base import Classifier
from corollary.core.class_weights import stated_class_weights
from corollary.core.config import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.params import anything, boolean, missing, one_of, real, seed
from corollary.core.report import Report
from corollary.engine.executors import team
from corollary.engine.sources import Chunk
from corollary.solvers import smo
from corollary.svm.machine import Kernel, KernelMachine, account_for

__all__ = ["ROLES", "SVC"]

ROLES = ("outside", "margin", "inside", "misclassified")


class SVC(KernelMachine, Classifier):
    """Support vector classification with any kernel.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin, in (1).
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or function
        A function takes two sets of rows and returns their kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float
        Of 'rbf', 'poly' and 'sigmoid'; 'scale' is 1 / (d Var X), 'auto' 1 / d.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=200
        Megabytes for kernel rows.
    class_weight : dict, 'balanced' or None
        Factor of C for each class.
    verbose : int, default=0
        Kept for compatibility.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a row.
    max_seconds : float, optional
        Most time for a pair of classes.
    decision_function_shape : {'ovr', 'ovo'}
        Scores of the classes, or of the pairs of classes.
    break_ties : bool, default=False
        Whether `predict` asks the scores where classes have equally many votes.
    random_state : ignored
        Nothing is drawn.

    Attributes
    ----------
    classes_, class_weight_ : arrays of shape (K,)
    support_ : array of shape (s,)
        The support vectors' rows, class by class.
    support_vectors_ : array of shape (s, d)
    n_support_ : array of shape (K,)
    dual_coef_ : array of shape (K - 1, s)
    intercept_ : array of shape (K (K - 1) / 2,)
    coef_ : array of shape (K (K - 1) / 2, d)
        Only of the linear kernel.
    roles_ : array of shape (n,)
        For two classes: what (3) says of each row, as a number in
        `corollary.svm.svc.ROLES`.
    margin_ : float
        For two classes: 1 / ||w||.
    gamma_ : float
    n_iter_ : array of shape (K (K - 1) / 2,)
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    >>> model = SVC(C=10, kernel="poly", degree=2, gamma=1, coef0=1)
    >>> model.fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    shapes: ClassVar = {
        "classes_": "K",
        "class_weight_": "K",
        "support_": "s",
        "n_support_": "K",
        "dual_coef_": "m s",
        "intercept_": "p",
    }
    rules: ClassVar = {
        "C": real(0, ends="(]"),
        **KernelMachine.kernel_rules,
        "class_weight": missing | one_of("balanced") | anything,
        "max_seconds": missing | real(0, ends="(]"),
        "decision_function_shape": one_of("ovr", "ovo"),
        "break_ties": boolean,
        "random_state": seed,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        max_seconds: float | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2) for every pair of classes."""
        X, y, w = rows.X, rows.y, rows.w
        K = len(self.classes_)
        if K < 2:
            must = "needs samples of at least 2 classes in the data"
            came = f"one class, {self.classes_.tolist()[0]!r}"
            raise DataError(sentence(self, must, came))
        totals = np.bincount(y, w, minlength=K).astype(np.float64)
        self.class_weight_ = stated_class_weights(self, totals)
        kernel = self._read_kernel(X, w, report)
        prices = self._prices(y, w)
        pairs = list(itertools.combinations(range(K), 2))
        threads = get_config().threads
        crowd = min(threads, len(pairs))

        def one(pair: tuple[int, int]) -> tuple[Vector, smo.Dual, smo.Optimum]:
            return self._solve_pair(kernel, X, y, prices, pair, threads // crowd, crowd)

        if crowd == 1:
            solved = [one(pair) for pair in pairs]
        else:
            solved = list(team(threads).map(one, pairs))
        self._assemble(X, y, pairs, solved)
        self._tell(solved, report)
        self._check_curvature(kernel, X, report)

    def _prices(self, y: Vector, w: Vector | None) -> Floats:
        """Return C_i of every row."""
        return self.C * self.class_weight_[y] * (1.0 if w is None else w)

    def _solve_pair(
        self,
        kernel: Kernel | None,
        X: Matrix,
        y: Vector,
        prices: Floats,
        pair: tuple[int, int],
        threads: int,
        crowd: int,
    ) -> tuple[Vector, smo.Dual, smo.Optimum]:
        """Return the rows of two classes, their dual, and its solution."""
        a, b = pair
        two = len(self.classes_) == 2
        rows = np.arange(len(y)) if two else np.flatnonzero((y == a) | (y == b))
        s = np.where(y[rows] == (b if two else a), 1.0, -1.0)
        dual = self._dual(s, prices[rows])
        gram = self._gram(kernel, X, None if two else rows, threads)
        return rows, dual, smo.solve(gram, dual, self._limits(threads, crowd))

    def _dual(self, s: Floats, prices: Floats) -> smo.Dual:
        """Return (2) but for the kernel."""
        zero = np.zeros(len(s))
        lo, hi = np.where(s > 0, 0.0, -prices), np.where(s > 0, prices, 0.0)
        return smo.Dual(-s, lo, hi, zero, zero)

    def _assemble(
        self,
        X: Matrix,
        y: Vector,
        pairs: list[tuple[int, int]],
        solved: list[tuple[Vector, smo.Dual, smo.Optimum]],
    ) -> None:
        """Sort what the pairs found by class, as scikit-learn lays it out."""
        K, n = len(self.classes_), len(y)
        coefficients = np.zeros((K - 1, n))
        for (a, b), (rows, _, optimum) in zip(pairs, solved, strict=True):
            first, second = rows[y[rows] == a], rows[y[rows] == b]
            coefficients[b - 1, first] = optimum.b[y[rows] == a]
            coefficients[a, second] = optimum.b[y[rows] == b]
        used = np.flatnonzero(coefficients.any(axis=0))
        support = used[np.argsort(y[used], kind="stable")]
        self._keep(X, support)
        dtype = X.dtype
        self.n_support_ = np.bincount(y[support], minlength=K).astype(np.int32)
        self.dual_coef_ = coefficients[:, support].astype(dtype)
        rho = np.array([optimum.rho[0] for _, _, optimum in solved])
        self.intercept_ = (-rho).astype(dtype)
        self.n_iter_ = np.array([o.steps for _, _, o in solved], dtype=np.int32)
        self.fit_status_ = 0

    def _tell(
        self, solved: list[tuple[Vector, smo.Dual, smo.Optimum]], report: Report
    ) -> None:
        """Report the gap, the margin, and the roles (3) of the rows."""
        norms, primal, counts = [], 0.0, np.zeros(4, dtype=int)
        for _, dual, o in solved:
            s, price = -dual.q, dual.hi - dual.lo
            m = s * (o.f - dual.q - o.rho[0])  # margins
            norms.append(float(o.b @ (o.f - dual.q)))
            primal += 0.5 * norms[-1] + float(price @ np.maximum(0.0, 1 - m))
            roles = roles_of(o.b, m, price)
            counts += np.bincount(roles, minlength=4)
        account_for([o for _, _, o in solved], primal, report)
        free = sum(int(((o.b > d.lo) & (o.b < d.hi)).sum()) for _, d, o in solved)
        bounded = sum(int(np.count_nonzero(o.b)) for _, _, o in solved) - free
        report.facts["support vectors"] = f"{free} free, {bounded} at their bound"
        words = (f"{n} {name}" for n, name in zip(counts, ROLES, strict=True))
        report.facts["roles"] = ", ".join(words)
        if len(solved) == 1:
            self.roles_ = roles.astype(np.int8)
            self.margin_ = 1 / np.sqrt(norms[0]) if norms[0] > 0 else np.inf
            report.facts["margin"] = self.margin_

    @property
    def coef_(self) -> Floats:
        """Return the weights of the features, of a linear machine."""
        if self.kernel != "linear":
            text = "coef_ is only available when using a linear kernel"
            raise AttributeError(f"{type(self).__name__}: {text}")
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        V, rows = self.support_vectors_, []
        for a, b in itertools.combinations(range(len(self.classes_)), 2):
            of_a, of_b = slice(*ends[a : a + 2]), slice(*ends[b : b + 2])
            row = self.dual_coef_[b - 1, of_a] @ V[of_a]
            rows.append(row + self.dual_coef_[a, of_b] @ V[of_b])
        return np.array(rows)

    # -- use -----------------------------------------------------------------------
    def _pair_scores(self, X: Any) -> Floats:
        """Return the score of every pair of classes, (n, p)."""
        check_is_fitted(self)
        K = len(self.classes_)
        if K == 2:
            return self._expand(X, self.dual_coef_.T) + self.intercept_
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        of = [slice(*ends[a : a + 2]) for a in range(K)]
        parts = []
        for block in self._blocks(X):
            sums = [block[:, of[a]] @ self.dual_coef_[:, of[a]].T for a in range(K)]
            pairs = itertools.combinations(range(K), 2)
            parts.append(
                np.stack([sums[a][:, b - 1] + sums[b][:, a] for a, b in pairs])
            )
        return np.hstack(parts).T + self.intercept_

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array
            (n,) for two classes; otherwise (n, K), or (n, K (K - 1) / 2) with 'ovo'.
        """
        Z = self._pair_scores(X)
        if Z.shape[1] == 1:
            return Z[:, 0]
        return Z if self.decision_function_shape == "ovo" else self._votes(Z, 1 / 3)

    def _votes(self, Z: Floats, weight: float) -> Floats:
        """Count the votes for each class; scores, squeezed below 1/3, break ties."""
        K = len(self.classes_)
        votes, sums = np.zeros((len(Z), K)), np.zeros((len(Z), K))
        for p, (a, b) in enumerate(itertools.combinations(range(K), 2)):
            votes[:, a] += Z[:, p] > 0
            votes[:, b] += Z[:, p] <= 0
            sums[:, a] += Z[:, p]
            sums[:, b] -= Z[:, p]
        return votes + weight * sums / (np.abs(sums) + 1)

    def predict(self, X: Any) -> Vector:
        """Return the class of each row."""
        if self.break_ties and self.decision_function_shape == "ovo":
            must = "break_ties must be False when decision_function_shape is 'ovo'"
            raise ParameterError(sentence(self, must, "True"))
        Z = self._pair_scores(X)
        if Z.shape[1] == 1:
            return self.classes_[(Z[:, 0] > 0).astype(int)]
        weight = 1 / 3 if self.break_ties else 0.0
        return self.classes_[self._votes(Z, weight).argmax(axis=1)]


def roles_of(b: Floats, m: Floats, price: Floats) -> Vector:
    """Return what (3) says of each row, as a number in `ROLES`."""
    bound = np.abs(b) >= price
    return np.select([m < 0, bound, b != 0], [3, 2, 1], default=0)
