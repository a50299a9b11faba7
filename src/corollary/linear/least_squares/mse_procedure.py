"""The minimum-squared-error procedure for two classes.

Also known as: MSE discriminant, pseudoinverse discriminant, Ho-Kashyap without its
margin step, Widrow-Hoff solution.

Instead of a'y_i > 0 ask for a'y_i = b_i with margins b_i > 0 (1 by default), where y_i
= t_i (1, x_i) and t_i = +-1 (augment and normalise), and solve in the least squares

    min_a  ||Y a - b||^2 = sum_i w_i (a'y_i - b_i)^2                                 (1)
    a = Y^+ b                                                                        (2)

As t_i^2 = 1, (1) is linear regression on the targets t_i b_i, and (2) is found from
sums over the rows by an orthogonal decomposition, never by inverting Y'Y, which is
singular where features are collinear.  Scaling b by beta scales a by beta.  A
separating a may exist and (2) miss it: rows far on the right side pull as hard as those
on the wrong one, unless their b_i is larger.  With

    b_i = n / n_c(i)                                                                 (3)

coef is along Fisher's direction S_W^-1 (m_1 - m_2) (margins='fisher').

The single-sample way to (2) is the Widrow-Hoff rule a <- a - eta (a'y_i - b_i) y_i:
`SGDClassifier(loss='squared_error', penalty=None)` for b = 1, one row of memory.

Notation: a = (intercept_, coef_); b = margins; n_c = rows of class c.
Course: S3-60, S3-54. Reference: Duda, Hart, Stork (2001), 5.8.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import array_like, boolean, one_of, real
from corollary.core.report import Report
from corollary.core.roles import Classifier
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.linear.class_statements import margin_problem
from corollary.linear.least_squares.linear_regression import LinearRegression

__all__ = ["MSEProcedure", "normalized"]


def normalized(X: Any, y: Any) -> Floats:
    """Augment rows by a 1 and negate those of the first class.

    Every a with a'y_i > 0 for all rows then separates the classes.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels; rows of the second in sorted order keep their sign.

    Returns
    -------
    array of shape (n, d + 1)

    Examples
    --------
    >>> normalized([[2.0, 1.0], [1.0, 3.0]], [1, 0]).tolist()
    [[1.0, 2.0, 1.0], [-1.0, -1.0, -3.0]]
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    labels = np.unique(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or len(labels) != 2:
        must = "X must be (n, d) with one of two labels for each row"
        came = f"{X.shape} and {len(labels)} labels in {y.shape}"
        raise DataError(sentence("normalized", must, came))
    t = np.where(y == labels[1], 1.0, -1.0)
    return t[:, None] * np.insert(X, 0, 1.0, axis=1)


class MSEProcedure(RowsLearner, Classifier):
    """Least squares on margins, for two classes.

    Parameters
    ----------
    margins : float, 'fisher' or array of shape (n,), default=1.0
        b > 0: one for all rows, (3), or one for each row.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, d)
    intercept_ : array of shape (1,)
    errors_ : float
        Weight of the training rows on the wrong side, a'y_i <= 0.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import MSEProcedure
    >>> from corollary.datasets import squared_error_points
    >>> table = squared_error_points()
    >>> model = MSEProcedure().fit(table.X, table.y)
    >>> model.intercept_.round(3).tolist(), model.coef_.round(3).tolist()
    ([2.663], [[1.045, -0.944]])
    """

    takes_sparse = True
    shapes: ClassVar = {"classes_": "2", "coef_": "1 d", "intercept_": "1"}
    rules: ClassVar = {
        "margins": real(0, ends="(]") | one_of("fisher") | array_like,
        "fit_intercept": boolean,
    }
    convex_problem = margin_problem

    def __init__(self, *, margins: Any = 1.0, fit_intercept: bool = True) -> None:
        self.margins = margins
        self.fit_intercept = fit_intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2)."""
        X, w = rows.X, rows.w
        t, b = self._targets(rows)
        inner = LinearRegression(fit_intercept=self.fit_intercept)
        with or_so_far(inner):
            inner.fit(X, t * b, w)
        self.coef_ = inner.coef_[None, :]
        self.intercept_ = np.atleast_1d(np.asarray(inner.intercept_, self.coef_.dtype))
        wrong = t * self._scores(X) <= 0
        self.errors_ = float(wrong.sum() if w is None else w[wrong].sum())
        report.take_over(inner.report_)
        self._account(report)

    def _targets(self, rows: Chunk) -> tuple[Floats, Floats]:
        """Return t and b."""
        K = len(self.classes_)
        if K != 2:
            must = "needs samples of 2 classes; Only binary classification is supported"
            remedy = "Use LeastSquaresClassifier for more." if K > 2 else ""
            came = f"{K} class{'es' if K != 1 else ''}"
            raise DataError(sentence(self, must, came, remedy))
        t = np.where(rows.y == 1, 1.0, -1.0)
        if isinstance(self.margins, str):
            n = np.bincount(rows.y, weights=rows.w, minlength=2)
            return t, n.sum() / n[rows.y]  # (3)
        given = rows.n if rows.kept is None else len(rows.kept)
        b = np.asarray(self.margins, dtype=np.float64)
        b = np.full(given, b) if b.ndim == 0 else b
        if b.shape != (given,):
            must = f"margins must be one number or one for each of the {given} rows"
            raise ParameterError(sentence(self, must, f"shape {b.shape}"))
        if not (b > 0).all() or not np.isfinite(b).all():
            row = int(np.flatnonzero(~((b > 0) & np.isfinite(b)))[0])
            must = "every margin must be a finite number > 0"
            raise ParameterError(sentence(self, must, f"{b[row]:g} in row {row}"))
        return t, b if rows.kept is None else b[rows.kept]

    def _account(self, report: Report) -> None:
        report.facts["n_errors"] = self.errors_
        if self.errors_:
            report.warnings.append(
                "rows lie on the wrong side, which least squares allows even where a "
                "hyperplane separates the classes: raise the margins of far rows, or "
                "use Perceptron after separability(X, y)."
            )

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Vector:
        """Return a'(1, x) of each row."""
        return self._scores(self._query(X))

    def _scores(self, X: Matrix) -> Vector:
        return X @ self.coef_[0].astype(X.dtype) + self.intercept_.astype(X.dtype)

    def predict(self, X: Any) -> Vector:
        """Return the class on whose side each row lies."""
        side = (self.decision_function(X) > 0).astype(int)
        return self.classes_[side]
