"""PAC-Bayes bounds: the risk of a random choice among models, for any way to choose.

Also known as: McAllester's bound, Seeger's bound, Maurer's bound, Catoni's bound, Gibbs
classifier.

Before the rows a prior P over models is fixed; after them any posterior Q is chosen.  A
model drawn from Q for each answer, the Gibbs classifier, has a mean training loss q and
a risk r.  With probability 1 - delta, for all Q at once,

    McAllester   r <= q + sqrt((KL(Q||P) + ln(2 sqrt n / delta)) / 2n)           (1)
    Seeger       kl(q || r) <= (KL(Q||P) + ln(2 sqrt n / delta)) / n             (2)
    Catoni       r <= (1 - exp(-C q - (KL(Q||P) + ln(1/delta)) / n)) / (1 - e^{-C})  (3)

for losses in [0, 1]; kl is that of two coins, and (2) with Maurer's constant is never
above (1).  C > 0 of (3) is fixed beforehand, or is one of a grid C_k = 2^{k/2} whose
shares of delta are proportional to 1/(|k|+1)^2.

**Linear classifiers.**  With prior N(0, I) and posterior N(s w/|w|, I) the Gibbs loss
of a row is known exactly, by its margin m = y w'x / (|w| |x|) alone (Langford and
Shawe-Taylor):

    q(s) = (1/n) sum_i Phi(-s m_i),       KL = s^2 / 2                           (4)

in the space of any kernel.  The scale s is the best of a grid s_k = 2^{k/4} with shares
1/((k+1)(k+2)) of delta.  The vote of the posterior is the classifier w itself, and
where it is wrong at least half of the posterior is, so its risk is at most 2 r.

    KL(N(a, A) || N(b, B)) = 1/2 (tr B^{-1}A + (a-b)'B^{-1}(a-b) - d + ln|B|/|A|)    (5)

Notation: q = loss; s = scale; Phi, the normal distribution function.
References: McAllester (1999); Langford and Shawe-Taylor (2002); Seeger (2002); Maurer
(2004); Catoni (2007).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.kl_inverse import farthest_above
from corollary.theory.machine_norm import machine_norm
from corollary.theory.margin import margin_grid
from corollary.theory.stated_numbers import chosen, confidence, count, number, signs

__all__ = ["gaussian_kl", "linear_pac_bayes_bound", "pac_bayes_bound"]

METHODS = {
    "seeger": ("PAC-Bayes-kl bound", "Seeger (2002); Maurer (2004)"),
    "mcallester": ("McAllester's PAC-Bayes bound", "McAllester (1999); Maurer (2004)"),
    "catoni": ("Catoni's PAC-Bayes bound", "Catoni (2007)"),
}
SCALES = 2.0 ** (np.arange(64) / 4)  # s_k, from 1 to 55,000
LEAST = 1e-150  # variance that can be divided by
FEW = 8  # rows, from which on Maurer's constant is proved


def gaussian_kl(
    mean: Any, prior_mean: Any = 0.0, cov: Any = 1.0, prior_cov: Any = 1.0
) -> float:
    """Return the divergence KL(N(mean, cov) || N(prior_mean, prior_cov)) (5), in nats.

    Parameters
    ----------
    mean : array of shape (d,)
    prior_mean : array of shape (d,) or float, default=0.0
    cov, prior_cov : float, array of shape (d,) or (d, d), default=1.0
        Variances where no matrix.

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.theory import gaussian_kl
    >>> gaussian_kl([3.0, 4.0])  # 5^2 / 2
    12.5
    """
    who = "gaussian_kl"
    a = np.atleast_1d(numbers(who, mean, "mean", ParameterError))
    if a.ndim != 1:
        must = "mean must be a vector"
        raise ParameterError(sentence(who, must, f"shape {a.shape}"))
    d = len(a)
    b = numbers(who, prior_mean, "prior_mean", ParameterError)
    if b.shape not in ((), (d,)):
        must = f"prior_mean must be a number or a vector of {d}"
        raise ParameterError(sentence(who, must, f"shape {b.shape}"))
    A, B = covariance(who, cov, d, "cov"), covariance(who, prior_cov, d, "prior_cov")
    if A.ndim == B.ndim == 1:
        with np.errstate(over="ignore"):  # infinite where it is beyond numbers
            terms = A / B + (a - b) ** 2 / B - 1 + np.log(B) - np.log(A)
            return max(0.0, 0.5 * float(terms.sum()))
    A, B = (np.diag(one) if one.ndim == 1 else one for one in (A, B))
    factor, other = cho_factor(B), cho_factor(A)
    logs = np.log(np.diagonal(factor[0])).sum() - np.log(np.diagonal(other[0])).sum()
    away = np.broadcast_to(a - b, (d,))
    total = (
        np.trace(cho_solve(factor, A)) + away @ cho_solve(factor, away) - d + 2 * logs
    )
    return max(0.0, 0.5 * float(total))


def pac_bayes_bound(
    n: int,
    loss: float,
    kl: float,
    delta: float = 0.05,
    *,
    method: str = "seeger",
    C: float | None = None,
) -> Bound:
    """Bound the risk of a Gibbs classifier.

    Parameters
    ----------
    n : int
        Rows, at least 8.
    loss : float
        Mean training loss q of the posterior, in [0, 1].
    kl : float
        KL(Q||P).
    delta : float, default=0.05
        How often the bound may fail.
    method : {'seeger', 'mcallester', 'catoni'}
        (2), (1) or (3).
    C : float, optional
        Of (3), fixed before the rows were seen; the best of a grid by default.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import pac_bayes_bound
    >>> for method in ("seeger", "mcallester", "catoni"):
    ...     print(round(pac_bayes_bound(1000, 0.1, 10.0, method=method).value, 4))
    0.1645
    0.1926
    0.1624
    """
    who = "pac_bayes_bound"
    delta = confidence(who, delta)
    chosen(who, method, "method", METHODS)
    if C is not None and method != "catoni":
        must = "C must be left out unless method is 'catoni'"
        raise ParameterError(sentence(who, must, f"{method!r}"))
    rows = count(who, n, "n", FEW)
    q, KL = number(who, loss, "loss", 0, 1), number(who, kl, "kl", 0)
    words = [
        INDEPENDENT,
        "The prior was fixed before the rows were seen.",
        "The risk is that of a model drawn from the posterior for each answer.",
    ]
    if method == "catoni":
        C = None if C is None else number(who, C, "C", 0, ends="(]")
        value = catoni(rows, q, KL, delta, C)
        words.append("C is one of a grid, or was fixed before the rows were seen.")
    else:
        value = float(gibbs_risk(rows, q, KL, delta, method))
    name, by = METHODS[method]
    return Bound(name, min(value, 1.0), delta, tuple(words), by)


def linear_pac_bayes_bound(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    scale: float | None = None,
    gibbs: bool = False,
    intercept_scale: float = 1.0,
) -> Bound:
    """Bound the error of a linear classifier or kernel machine by its margins (4).

    Parameters
    ----------
    model : fitted classifier of two classes
        Any with `coef_` and `intercept_`, or `SVC`.
    X, y : rows and labels
        Those of the fit, or others; at least 8.
    delta : float, default=0.05
        How often the bound may fail.
    scale : float, optional
        s, fixed before the rows were seen; the best of a grid by default.
    gibbs : bool, default=False
        Whether to bound the Gibbs classifier, in place of the model itself at twice
        its risk.
    intercept_scale : float, default=1.0
        The constant feature whose weight is the intercept; not chosen on the rows.

    Returns
    -------
    Bound
        It is guidance where the kernel depends on the rows, as with gamma='scale'.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearSVC
    >>> from corollary.theory import linear_pac_bayes_bound
    >>> X = np.repeat([[-3.0], [3.0]], 2000, axis=0)
    >>> model = LinearSVC().fit(X, X[:, 0] > 0)
    >>> print(linear_pac_bayes_bound(model, X, X[:, 0] > 0))
    PAC-Bayes margin bound: risk <= 0.01092 with confidence 0.95
    """
    who = "linear_pac_bayes_bound"
    delta = confidence(who, delta)
    c = number(who, intercept_scale, "intercept_scale", 0, ends="(]")
    found = machine_norm(who, model, X, c)
    s = signs(who, y, getattr(model, "classes_", None))
    f = np.asarray(model.decision_function(X), dtype=np.float64)
    n = count(who, len(s), "rows", FEW)
    if found.norm <= 0:
        must = "the model must have weights other than 0"
        raise DataError(sentence(who, must, "a norm of 0"))
    lengths = np.sqrt(found.squares)
    m = s * f / np.maximum(found.norm * lengths, 1e-300)  # 0 for rows of length 0
    words = [INDEPENDENT, "The space was fixed before the rows were seen."]
    if scale is None:
        k = np.arange(len(SCALES))
        grid, shares = SCALES, 1 / ((k + 1.0) * (k + 2.0))
        words.append("The scale is the best of a grid, and its price is paid.")
    else:
        t = number(who, scale, "scale", 0, ends="(]")
        grid, shares = np.array([t]), np.ones(1)
        words.append("The scale was fixed before the rows were seen.")
    losses = np.array([ndtr(-t * m).mean() for t in grid])  # (4)
    value = float(gibbs_risk(n, losses, grid**2 / 2, delta * shares, "seeger").min())
    if gibbs:
        words.append("The risk is that of a model drawn for each answer.")
    else:
        words.append("It is twice the risk of the Gibbs classifier, whose vote it is.")
    if not found.fixed:
        words[1] = "The kernel was chosen on the rows, which the proof leaves out."
    name = "PAC-Bayes Gibbs bound" if gibbs else "PAC-Bayes margin bound"
    value = min(value if gibbs else 2 * value, 1.0)
    by = "Langford and Shawe-Taylor (2002)"
    return Bound(name, value, delta, tuple(words), by, holds=found.fixed)


# -- the bounds ------------------------------------------------------------------------
def gibbs_risk(n: float, q: Any, KL: Any, delta: Any, method: str) -> Any:
    """Return (1) or (2)."""
    c = (KL + np.log(2 * np.sqrt(n) / delta)) / n
    if method == "mcallester":
        return q + np.sqrt(c / 2)
    return farthest_above(*np.broadcast_arrays(q, c))


def catoni(n: float, q: float, KL: float, delta: float, C: float | None) -> float:
    """Return (3), at the best C of a grid where it is None."""
    grid, share = (np.array([C]), np.ones(1)) if C is not None else margin_grid(None)
    power = grid * q + (KL - np.log(share * delta)) / n
    with np.errstate(over="ignore"):  # of a C near 0, which proves nothing
        return float((np.expm1(-power) / np.expm1(-grid)).min())


def covariance(who: str, cov: Any, d: int, name: str) -> Floats:
    """Return variances (d,), or a positive definite matrix (d, d)."""
    cov = numbers(who, cov, name, ParameterError)
    if cov.ndim <= 1 and cov.shape in ((), (d,)) and (cov > LEAST).all():
        return np.broadcast_to(cov, (d,))
    if cov.shape == (d, d) and np.allclose(cov, cov.T):
        if np.linalg.eigvalsh(cov).min() > LEAST:
            return cov
    must = f"{name} must be variances > 0 or a positive definite matrix, d = {d}"
    raise ParameterError(sentence(who, must, f"shape {cov.shape}"))
