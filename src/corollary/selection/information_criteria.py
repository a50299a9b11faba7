"""Information criteria: goodness of fit less a price for the size of a model.

Also known as: AIC, Akaike's criterion, BIC, Schwarz's criterion, AICc, MDL, minimum
description length, penalised likelihood.

A model with m free parameters that were fitted to n rows by maximum likelihood reaches
ln L, which can only grow with m.  Take off a price, and choose the least of

    AIC  = -2 ln L + 2 m                                                         (1)
    AICc = AIC + 2 m (m + 1) / (n - m - 1),        for few rows, n > m + 1       (2)
    BIC  = -2 ln L + m ln n                                                      (3)
    MDL  = -ln L + (m/2) ln n = BIC / 2            nats: data, then parameters   (4)

AIC estimates -2 ln L on new rows: it chooses for prediction, and for ever takes too
large a model with some probability.  BIC approximates -2 ln of the marginal likelihood:
as n grows it finds the smallest true model, where there is one.  (4) is the length of a
message in two parts: each parameter to the precision 1/sqrt(n) that n rows allow, half
of ln n, and the rows given the parameters.  BIC is dearer than AIC from n = 8 on.

The weight of a model among others, and its probability for equal priors, are about

    exp(-(AIC_j - min AIC)/2),    exp(-(BIC_j - min BIC)/2),    normalised       (5)

All of it needs one y, the same rows for all models, and a likelihood of the same kind:
y and ln y are different rows.  With a penalty m is the trace of the smoother.  A
mixture of k Gaussians in d dimensions has

    m = (k - 1) + k d + k d (d + 1)/2,             k = 3, d = 2: 17              (6)

with one covariance for all d(d+1)/2, with diagonals k d, with spheres k.

Notation: ln L = log_likelihood; m = n_parameters, without the variance of the noise
unless `count_noise`, as in statsmodels.
Course: S1-41, S2-55. References: Akaike (1974); Schwarz (1978); Rissanen (1978);
Hurvich and Tsai (1989); Burnham and Anderson (2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import one_of, real, shown, whole
from corollary.selection.validation_data import answers_of, fitted, given_rows, rows_in

__all__ = [
    "CriteriaComparison",
    "InformationCriteria",
    "compare_criteria",
    "information_criteria",
    "mixture_parameters",
]

COVARIANCES = ("full", "tied", "diag", "spherical")
CRITERIA = ("aic", "aicc", "bic", "mdl")


@dataclass(frozen=True)
class InformationCriteria:
    """The likelihood of a model, its size, and the criteria made of them.

    Attributes
    ----------
    model : str
    law : str
        Whose likelihood it is.
    log_likelihood : float
    n_parameters : float
        Free parameters m; the degrees of freedom of a fit with a penalty.
    n_rows : float
        Rows n, or their weight.
    """

    model: str
    law: str
    log_likelihood: float
    n_parameters: float
    n_rows: float

    @property
    def aic(self) -> float:
        """Akaike's criterion (1)."""
        return -2 * self.log_likelihood + 2 * self.n_parameters

    @property
    def aicc(self) -> float:
        """Akaike's criterion for few rows (2); infinite where n <= m + 1."""
        m, rest = self.n_parameters, self.n_rows - self.n_parameters - 1
        return self.aic + 2 * m * (m + 1) / rest if rest > 0 else float("inf")

    @property
    def bic(self) -> float:
        """Schwarz's criterion (3)."""
        return -2 * self.log_likelihood + self.n_parameters * float(np.log(self.n_rows))

    @property
    def mdl(self) -> float:
        """Length of a description in two parts, in nats (4)."""
        return self.bic / 2

    def __str__(self) -> str:
        head = f"{self.model}: ln L {self.log_likelihood:.6g} ({self.law}), "
        head += f"{self.n_parameters:.4g} parameters, {self.n_rows:g} rows"
        four = ((name.upper(), getattr(self, name)) for name in CRITERIA)
        words = "  ".join(f"{name} {value:.6g}" for name, value in four)
        return f"{head}\n  {words.replace('AICC', 'AICc')}"


@dataclass(frozen=True)
class CriteriaComparison:
    """Information criteria of several models on the same rows.

    Attributes
    ----------
    names : tuple of str
    criteria : tuple of InformationCriteria
    """

    names: tuple[str, ...]
    criteria: tuple[InformationCriteria, ...]

    def values(self, by: str = "bic") -> Floats:
        """Return one criterion of every model.

        Parameters
        ----------
        by : {'aic', 'aicc', 'bic', 'mdl'}

        Returns
        -------
        array of shape (M,)
        """
        if by not in CRITERIA:
            must = f"by must be {one_of(*CRITERIA).words}"
            raise ParameterError(sentence("CriteriaComparison", must, shown(by)))
        return np.array([getattr(one, by) for one in self.criteria])

    def chosen(self, by: str = "bic") -> str:
        """Return the name of the model with the least criterion.

        Parameters
        ----------
        by : {'aic', 'aicc', 'bic', 'mdl'}

        Returns
        -------
        str
        """
        return self.names[int(self.values(by).argmin())]

    def weights(self, by: str = "bic") -> Floats:
        """Return the weight of each model (5).

        Parameters
        ----------
        by : {'aic', 'aicc', 'bic', 'mdl'}

        Returns
        -------
        array of shape (M,)
        """
        away = self.values(by) * (2 if by == "mdl" else 1)
        w = np.exp(-(away - away.min()) / 2)
        return np.asarray(w / w.sum())

    def __str__(self) -> str:
        wide = max(5, *map(len, self.names))
        head = f"{'model':<{wide}}  ln L        m       AIC         AICc        BIC"
        lines = [head]
        for name, one in zip(self.names, self.criteria, strict=True):
            cells = f"{one.log_likelihood:<11.5g} {one.n_parameters:<7.4g} "
            cells += "".join(f"{getattr(one, c):<12.6g}" for c in CRITERIA[:3])
            marks = [c.upper() for c in ("aic", "bic") if self.chosen(c) == name]
            ending = f"<- {', '.join(marks)}" if marks else ""
            lines.append(f"{name:<{wide}}  {cells}{ending}".rstrip())
        return "\n".join(lines)


def information_criteria(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    n_parameters: float | None = None,
    count_noise: bool = False,
) -> InformationCriteria:
    """Return AIC, AICc, BIC and MDL of a model on the rows that it was fitted to.

    Parameters
    ----------
    model : estimator or pipeline
        A linear model, a generalised linear model, logistic regression, a density, or
        a mixture of Gaussians; of Corollary or of scikit-learn.  Any other regressor
        (Gaussian noise) or classifier (its probabilities) with `n_parameters`.  Fitted
        to X and y unless it is fitted already.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,), optional
        None for a density.
    sample_weight : array of shape (n,), optional
        Repetitions of the rows.
    n_parameters : float, optional
        Free parameters m, where the model does not say.
    count_noise : bool, default=False
        Whether the variance of Gaussian noise counts among them.

    Returns
    -------
    InformationCriteria

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import information_criteria
    >>> X, y = np.arange(6.0)[:, None], np.array([0.0, 1.1, 1.9, 3.2, 3.9, 5.1])
    >>> print(information_criteria(LinearRegression(), X, y))
    LinearRegression: ln L 4.72334 (Gaussian), 2 parameters, 6 rows
      AIC -5.44667  AICc -1.44667  BIC -5.86315  MDL -2.93158
    """
    who = "information_criteria"
    if n_parameters is not None and not real(0).holds(n_parameters):
        must = "n_parameters must be a number >= 0"
        raise ParameterError(sentence(who, must, shown(n_parameters)))
    if y is None:
        found = of_density(who, model, X, sample_weight, n_parameters)
    else:
        found = of_predictor(who, model, X, y, sample_weight, n_parameters)
    law, ln_L, m, n = found
    m = m + (count_noise and law == "Gaussian")
    if not np.isfinite(ln_L):
        must = "the likelihood of the rows must be finite"
        remedy = "The model fits its rows perfectly, or gives some no chance."
        raise DataError(sentence(who, must, f"ln L = {ln_L:g}", remedy))
    name = type(model[-1] if isinstance(model, Pipeline) else model).__name__
    return InformationCriteria(name, law, float(ln_L), float(m), float(n))


def compare_criteria(
    models: Mapping[str, Any], X: Any, y: Any = None, **options: Any
) -> CriteriaComparison:
    """Compare models on the same rows by their information criteria.

    Parameters
    ----------
    models : mapping of name -> estimator
    X, y
        As in `information_criteria`.
    **options
        Further parameters of `information_criteria`.

    Returns
    -------
    CriteriaComparison

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from corollary import LinearRegression, PolynomialFeatures
    >>> from corollary.selection import compare_criteria
    >>> x = np.linspace(-1, 1, 80)[:, None]
    >>> y = x[:, 0] ** 2 + 0.1 * np.random.default_rng(0).normal(size=80)
    >>> models = {
    ...     f"degree {p}": make_pipeline(
    ...         PolynomialFeatures(p, include_bias=False), LinearRegression()
    ...     )
    ...     for p in (1, 2, 3)
    ... }
    >>> found = compare_criteria(models, x, y)
    >>> found.chosen("bic"), found.chosen("aic")
    ('degree 2', 'degree 2')
    """
    if not isinstance(models, Mapping) or not models:
        must = "models must be a mapping of names to estimators"
        raise ParameterError(sentence("compare_criteria", must, shown(models)))
    each = tuple(information_criteria(m, X, y, **options) for m in models.values())
    return CriteriaComparison(tuple(map(str, models)), each)


def mixture_parameters(
    n_components: int, n_features: int, covariance_type: str = "full"
) -> int:
    """Count the free parameters of a mixture of Gaussians (6).

    Parameters
    ----------
    n_components : int
    n_features : int
    covariance_type : {'full', 'tied', 'diag', 'spherical'}

    Returns
    -------
    int

    Examples
    --------
    >>> from corollary.selection import mixture_parameters
    >>> mixture_parameters(3, 2), mixture_parameters(3, 2, "diag")
    (17, 14)
    """
    who = "mixture_parameters"
    for name, value in (("n_components", n_components), ("n_features", n_features)):
        if not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(who, must, shown(value)))
    if covariance_type not in COVARIANCES:
        must = f"covariance_type must be {one_of(*COVARIANCES).words}"
        raise ParameterError(sentence(who, must, shown(covariance_type)))
    k, d = int(n_components), int(n_features)
    one = d * (d + 1) // 2
    spread = {"full": k * one, "tied": one, "diag": k * d, "spherical": k}
    return k - 1 + k * d + spread[covariance_type]


# -- likelihoods -----------------------------------------------------------------------
Likelihood = tuple[str, float, float, float]  # law, ln L, m, n


def is_fitted(model: Any) -> bool:
    """Tell whether a model is fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def of_density(who: str, model: Any, X: Any, weights: Any, m: Any) -> Likelihood:
    """Return the likelihood of a density."""
    if not hasattr(model, "score_samples"):
        must = "y must be given for a model that is no density"
        raise DataError(sentence(who, must, f"a {type(model).__name__} without y"))
    X, n = rows_in(who, X)
    w = full_weights(who, weights, n)
    if not is_fitted(model):
        more = {} if weights is None else {"sample_weight": w}
        model = clone(model).fit(X, **more)
    ln_L = float(w @ np.asarray(model.score_samples(X), dtype=np.float64))
    return type(model).__name__, ln_L, density_size(who, model, m), float(w.sum())


def density_size(who: str, model: Any, m: Any) -> float:
    """Return the free parameters of a density: stated, reported, or counted by (6)."""
    if m is not None:
        return float(m)
    facts = getattr(getattr(model, "report_", None), "facts", {})
    if "n_parameters" in facts:
        return float(facts["n_parameters"])
    kind = getattr(model, "covariance_type", None)
    if kind in COVARIANCES and hasattr(model, "means_"):
        k, d = np.asarray(model.means_).shape
        return mixture_parameters(k, d, kind)
    raise uncounted(who, model)


def uncounted(who: str, model: Any) -> ParameterError:
    """Say that the size of a model is not known."""
    must = "n_parameters must be given for a model that does not count them"
    return ParameterError(sentence(who, must, f"a {type(model).__name__} without"))


def of_predictor(
    who: str, model: Any, X: Any, y: Any, weights: Any, m: Any
) -> Likelihood:
    """Return the likelihood of targets, given their rows."""
    given = given_rows(who, model, X, y, weights)
    if not is_fitted(model):
        model = fitted(who, model, given)
    if isinstance(model, Pipeline) and len(model) > 1:
        given = given._replace(X=model[:-1].transform(given.X))
        model = model[-1]
    if m is None and hasattr(model, "summary") and not sparse_fit(model):
        rows = {"X": given.X, "y": given.y, "sample_weight": given.w}
        table = model.summary(**rows)
        if table.log_likelihood is None:
            must = "the law must have a likelihood in closed form"
            raise DataError(sentence(who, must, table.model))
        law = "Gaussian" if table.kind == "t" else table.model
        return law, table.log_likelihood, table.parameters, table.n
    w = np.ones(given.n) if given.w is None else given.w
    n, answers = float(w.sum()), answers_of(model, given)
    size = coefficients(who, model) if m is None else float(m)
    if is_classifier(model):
        if answers.probabilities is None:
            must = "a classifier must offer predict_proba"
            raise ParameterError(sentence(who, must, f"a {type(model).__name__}"))
        p = answers.probabilities[np.arange(given.n), given.codes]
        with np.errstate(divide="ignore"):
            return "categorical", float(w @ np.log(p)), size, n
    if given.y.ndim > 1:
        raise DataError(sentence(who, "y must be one column", f"{given.y.shape[1]}"))
    rss = float(w @ (given.y - answers.predicted) ** 2)
    with np.errstate(divide="ignore"):
        return "Gaussian", -0.5 * n * (np.log(2 * np.pi * rss / n) + 1), size, n


def sparse_fit(model: Any) -> bool:
    """Tell fits whose coefficients were chosen: those that are not 0 are counted."""
    ratio = getattr(model, "l1_ratio", 0.0)
    return bool(ratio) and np.isfinite(getattr(model, "C", 1.0))


def coefficients(who: str, model: Any) -> float:
    """Count the coefficients of a linear model that are not 0, and its intercepts.

    Of K > 2 classes with a vector each, one follows from the others.
    """
    if not hasattr(model, "coef_"):
        raise uncounted(who, model)
    B = np.atleast_2d(np.asarray(model.coef_))
    size = float(np.count_nonzero(B))
    ones = len(B) if getattr(model, "fit_intercept", True) else 0
    if is_classifier(model) and len(B) > 2 and size == B.size:
        return (size + ones) * (len(B) - 1) / len(B)
    return size + ones
