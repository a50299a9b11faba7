"""A discriminant or a support vector machine, on one's own data.

Also known as: LDA or SVM, LDA versus SVM, Fisher discriminant against large margin.

Both draw a hyperplane.  A linear discriminant sums each class up by its mean and a
covariance that all share, which is all there is to know of Gaussian classes: then it is
the best rule, in closed form, with few rows.  A support vector machine keeps the rows
next to the boundary and assumes nothing of the others; outliers far on the right side
move the discriminant, but not the machine.  So, on the same folds,

    difference  D = error(machine) - error(discriminant)                         (1)

and on the residuals z of each row from the mean of its class, scaled by the pooled
covariance S (Mardia 1970), with m_ij = z_i' inv(S) z_j,

    skewness  b1 = (1/n^2) sum_ij m_ij^3,  n b1 / 6 ~ chi2 of d(d+1)(d+2)/6      (2)
    kurtosis  b2 = (1/n) sum_i m_ii^2,
              (b2 - d(d+2)) / sqrt(8 d(d+2) / n) ~ N(0, 1)                       (3)

both for Gaussian classes of one covariance.  Where |D| is beyond chance the better one
is advised; where it is not, the discriminant if (2) and (3) do not contradict it, as it
has fewer assumptions to lose and gives probabilities, and the machine otherwise.

On a sample the two never draw the same plane, Gaussian or not: only their limits agree.
The angle between them is that of the columns scaled to variance 1.

Notation: n rows, d columns; D = difference.
Course: S0-39. References: Mardia (1970); Vapnik (1995); Hastie, Tibshirani and Friedman
(2009), 4.3 and 12.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, stats
from sklearn.pipeline import make_pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import rows_of
from corollary.core.warn import gathered_warnings
from corollary.diagnostics.outcomes import labels_of
from corollary.discriminants.linear_discriminant_analysis import (
    LinearDiscriminantAnalysis,
)
from corollary.linear.margins import margins
from corollary.preparation.standard_scaler import StandardScaler
from corollary.selection.cross_validation import cross_validate
from corollary.svm.linear_svc import LinearSVC

__all__ = ["LdaOrSvm", "lda_or_svm"]

WHO = "lda_or_svm"
SURE = 2.0  # standard errors beyond which a difference is no chance
IMPROBABLE = 0.01  # below which the classes are not Gaussian
MOST_ROWS = 1000  # of the pairs in (2)
RANK = 1e-9  # of the largest variance: a direction that is empty


@dataclass(frozen=True)
class LdaOrSvm:
    """Both planes on one's data, and which one to take.

    Attributes
    ----------
    advice : {'discriminant', 'machine'}
    why : str
        The reason, in a sentence.
    discriminant_error, machine_error : float
        Cross-validated shares of errors.
    difference, standard_error : float
        (1): above 0 where the discriminant is better.
    skewness_p, kurtosis_p : float or None
        How probable (2) and (3) are for Gaussian classes; None where the rows are too
        few to say.
    angle : float or None
        Between the two planes, in degrees; None for more than two classes.
    discriminant_margin, machine_margin : float or None
        Least distance of a row from the plane, negative on the wrong side.
    n_rows, n_features : int
    notes : tuple of str
        What fits warned of.
    """

    advice: str
    why: str
    discriminant_error: float
    machine_error: float
    difference: float
    standard_error: float
    skewness_p: float | None
    kurtosis_p: float | None
    angle: float | None
    discriminant_margin: float | None
    machine_margin: float | None
    n_rows: int
    n_features: int
    notes: tuple[str, ...] = ()

    @property
    def gaussian(self) -> bool | None:
        """Whether Gaussian classes of one covariance are not contradicted."""
        if self.skewness_p is None or self.kurtosis_p is None:
            return None
        return min(self.skewness_p, self.kurtosis_p) >= IMPROBABLE

    @property
    def estimator(self) -> str:
        """The class that was measured and is advised."""
        discriminant = self.advice == "discriminant"
        return "LinearDiscriminantAnalysis" if discriminant else "LinearSVC"

    def __str__(self) -> str:
        sure = f"{self.difference:+.3g} +- {self.standard_error:.2g}"
        lines = [
            f"Use the {self.advice} ({self.estimator}): {self.why}.",
            f"  errors     discriminant {self.discriminant_error:.4g}, machine "
            f"{self.machine_error:.4g}, difference {sure}",
        ]
        if self.skewness_p is None:
            lines.append("  Gaussian   too few rows to say")
        else:
            lines.append(
                f"  Gaussian   skewness p = {self.skewness_p:.2g}, kurtosis "
                f"p = {self.kurtosis_p:.2g}"
            )
        if self.angle is not None:
            lines.append(
                f"  planes     {self.angle:.3g} degrees apart; least margins "
                f"{self.discriminant_margin:.3g} and {self.machine_margin:.3g}"
            )
        return "\n".join([*lines, *self.notes])


def lda_or_svm(
    X: Any, y: Any, *, C: float = 1.0, splitter: Any = 10, random_state: Any = 0
) -> LdaOrSvm:
    """Fit a linear discriminant and a linear machine; say which suits the data.

    Parameters
    ----------
    X : array of shape (n, d)
        Numbers; columns are scaled to variance 1 inside the folds.
    y : array of shape (n,)
        Labels of two or more classes.
    C : float, default=1.0
        Price of an error, of the machine.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=10
        As in `cross_validate`.
    random_state : None, int or Generator, default=0
        Draws the folds, and the rows of (2) where there are very many.

    Returns
    -------
    LdaOrSvm

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import lda_or_svm
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> X = rng.normal(size=(300, 4)) + y[:, None]
    >>> found = lda_or_svm(X, y)
    >>> found.advice, found.gaussian
    ('discriminant', True)
    """
    X = rows_of(WHO, X)
    classes, codes = labels_of(WHO, y)
    if len(codes) != len(X) or len(classes) < 2:
        must = f"y must hold labels of at least two classes, for {len(X)} rows"
        came = f"{len(codes)} labels of {len(classes)}"
        raise DataError(sentence(WHO, must, came))
    seed = entropy(random_state)
    lda = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    svm = make_pipeline(StandardScaler(), LinearSVC(C=C))
    with gathered_warnings() as notes:
        first = cross_validate(lda, X, codes, splitter=splitter, random_state=seed)
        second = cross_validate(svm, X, codes, splitter=first.splits)
        two = len(classes) == 2
        planes = _planes(lda, svm, X, codes) if two else (None, None, None)
    fold = second.fold_losses - first.fold_losses
    shared = 1 / len(fold) + first.n_test / first.n_train
    spread = float(np.std(fold, ddof=1)) if len(fold) > 1 else np.nan
    error = float(np.sqrt(shared)) * spread
    difference = second.mean - first.mean  # (1)
    skewness, kurtosis = mardia(X, codes, seed)
    advice, why = _advice(difference, error, skewness, kurtosis)
    return LdaOrSvm(
        advice,
        why,
        first.mean,
        second.mean,
        difference,
        error,
        skewness,
        kurtosis,
        planes[0],
        planes[1],
        planes[2],
        len(X),
        X.shape[1],
        tuple(dict.fromkeys(notes)),
    )


def _advice(
    D: float, error: float, skewness: float | None, kurtosis: float | None
) -> tuple[str, str]:
    """Return which one to take, and why."""
    if abs(D) > SURE * error and D != 0:
        better = "discriminant" if D > 0 else "machine"
        return better, f"it errs less by {abs(D):.3g}, which is no chance"
    if skewness is None or kurtosis is None:
        few = "both err alike, and the rows are too few to test for Gaussian classes"
        return "machine", few
    if min(skewness, kurtosis) >= IMPROBABLE:
        why = "both err alike, and nothing contradicts Gaussian classes of one "
        return "discriminant", why + "covariance, for which it is the best rule"
    why = "both err alike, and the classes are not Gaussian with one covariance, "
    return "machine", why + "which the discriminant assumes"


def mardia(X: Floats, codes: Vector, seed: int) -> tuple[float | None, float | None]:
    """Return the p-values of (2) and (3) for residuals from the class means."""
    means = np.array([X[codes == c].mean(axis=0) for c in np.unique(codes)])
    Z = X - means[codes]
    n, freedom = len(Z), len(Z) - len(means)
    values, V = linalg.eigh(Z.T @ Z / max(freedom, 1))
    alive = values > RANK * max(values[-1], 0.0)
    d = int(alive.sum())
    if not d or freedom < d + 2:
        return None, None
    Z = Z @ (V[:, alive] / np.sqrt(values[alive]))  # so that S is I
    scale = freedom / n  # Mardia's S divides by n
    b2 = float(((Z**2).sum(axis=1) ** 2).mean()) / scale**2
    kurtosis = (b2 - d * (d + 2)) / np.sqrt(8 * d * (d + 2) / n)  # (3)
    if n > MOST_ROWS:
        Z = Z[generator(seed, 39).permutation(n)[:MOST_ROWS]]
    k = len(Z)
    G = Z @ Z.T  # m_ij
    b1 = float(np.einsum("ij,ij,ij->", G, G, G)) / k**2 / scale**3
    dof = d * (d + 1) * (d + 2) / 6
    small = (d + 1) * (k + 1) * (k + 3) / (k * ((k + 1) * (d + 1) - 6))  # Mardia 1974
    skewness = stats.chi2.sf(small * k * b1 / 6, dof)  # (2)
    return float(skewness), float(2 * stats.norm.sf(abs(kurtosis)))


def _planes(lda: Any, svm: Any, X: Floats, codes: Vector) -> tuple[float, float, float]:
    """Return the angle between the planes of all rows, and their least margins."""
    found, normals = [], []
    for model in (lda, svm):
        model.fit(X, codes)
        w, b = np.ravel(model[-1].coef_), float(np.ravel(model[-1].intercept_)[0])
        Z = model[0].transform(X)
        normals.append(w / np.linalg.norm(w))
        found.append(margins(w, b, Z, codes).smallest)
    cosine = float(np.clip(normals[0] @ normals[1], -1.0, 1.0))
    return float(np.degrees(np.arccos(cosine))), found[0], found[1]
