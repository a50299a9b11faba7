"""Label noise: how many labels are wrong, and which.

Also known as: confident learning, mislabelled rows, annotation errors, noise transition
matrix, data cleaning.

A label may be wrong: the true class j is written down as i with probability T_ji,
whatever else is known of the row.  A model that has not seen a row says P(i | x) of the
label it will bear.  Class j is sure of the rows with

    P(j | x) >= t_j = mean of P(j | x) over the rows labelled j                      (1)

where it is the largest of those that qualify: the confident rows of j (Northcutt, Jiang
and Chuang 2021).  Their labels tell the noise.  But classes overlap, and near a border
an unusual row is no wrong label; so only the surer half of the confident rows of each
class is counted, by P(j | x):

    T_ji = share of label i among them                                               (2)

Wrong labels stay as frequent however sure the model is; overlap fades.  With e_1 the
share of other labels in the surest quarter and e_2 in the next one,

    e_1 < 0.85 e_2 (tested at a level of 0.2),  or  T_jj < 0.65 for a class          (6)

say that the model does not know the classes well enough: then noise cannot be told from
overlap, no row is named, and (3) is only an upper guess.

The true shares pi of the classes follow from the shares q of the labels, q = pi T, and

    share of wrong labels = sum_j pi_j (1 - T_jj)                                    (3)

with the interval of as many rows as make a binomial share as uncertain.  Which labels
are wrong is Bayes' theorem.  Trained on noisy labels, a model is less sure of the truth
than it could be; its probabilities of the truth are taken as

    h_j(x) = P(j | x)^b / sum,    b with the largest likelihood of the labels        (4)

under (2), and the chance that the true class is j, and that a label is wrong, are

    Pr[j | x, label i] = h_j T_ji / sum_k h_k T_ki,    1 - Pr[i | x, label i]        (5)

Rows that are wrong more likely than not are suspicious.

Notation: P = probabilities; T = transition; h = what is true.
References: Northcutt, Jiang and Chuang (2021); Natarajan, Dhillon, Ravikumar and Tewari
(2013); Korn and Graubard (1998).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtri

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.outcomes import class_probabilities, label_text, plain
from corollary.theory.clopper_pearson import lower_risk, upper_risk
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import confidence

__all__ = ["LabelNoise", "label_noise"]

WHO = "label_noise"
SURER = 0.5  # share of the confident rows that is counted
MOST = 50  # rows of a page
LOOKED_AT = 20_000  # rows that choose the power of (4)
POWERS = (-1.5, 3.5)  # its logarithm
LEAST = 1e-12
FADES, KNOWN, DOUBT = 0.85, 0.65, 0.2  # of (6), the last one the level of its test


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """How many labels are wrong, and which.

    Attributes
    ----------
    classes : array of shape (k,)
    transition : array of shape (k, k)
        Share of the label (column) among rows whose true class is (row) (2).
    share : Interval
        Of wrong labels among all (3).
    priors : array of shape (k,)
        Shares of the true classes.
    given, suggested : int arrays of shape (n,)
        Codes of the label, and of the other class that is most likely true.
    wrong : array of shape (n,)
        Chance that each label is wrong (5).
    probability : array of shape (n,)
        Chance that the suggested class is true (5).
    counted : array of shape (k,)
        Rows that each line of the transition is counted from.
    credible : bool
        Whether noise can be told from overlap of the classes (6); if not, no row is
        suspicious, and the share is at most `share.high`.
    """

    classes: Vector
    transition: Floats
    share: Interval
    priors: Floats
    given: Vector
    suggested: Vector
    wrong: Floats
    probability: Floats
    counted: Floats
    credible: bool = True

    @property
    def rows(self) -> Vector:
        """Rows whose label is wrong more likely than not, the surest first."""
        if not self.credible:
            return np.empty(0, dtype=np.intp)
        order = np.argsort(-self.wrong, kind="stable")
        return order[: int(np.count_nonzero(self.wrong > 0.5))]

    @property
    def joint(self) -> Floats:
        """Share of rows by true class (row) and label (column)."""
        return self.priors[:, None] * self.transition

    def __str__(self) -> str:
        s = self.share
        if not self.credible:
            return (
                "wrong labels cannot be told from overlapping classes: the model does "
                f"not know the classes well enough (at most {100 * s.high:.3g} %)"
            )
        head = f"{100 * s.value:.3g} % of the labels are wrong ({100 * s.low:.3g} to "
        head += f"{100 * s.high:.3g} %); {len(self.rows):,} rows are suspicious"
        off = self.joint - np.diag(np.diagonal(self.joint))
        k = len(self.classes)
        names = [label_text(label) for label in self.classes]
        worst = [at for at in np.argsort(-off.ravel())[:5] if off.ravel()[at] > 0]
        lines = [
            f"  {names[at // k]} labelled {names[at % k]}: "
            f"{100 * off.ravel()[at]:.3g} % of the rows"
            for at in worst
        ]
        return "\n".join([head, *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw what each true class is labelled; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.imshow(self.transition, cmap="Reds", vmin=0, vmax=1)
        names, at = [label_text(c) for c in self.classes], range(len(self.classes))
        ax.set_xticks(at, names)
        ax.set_yticks(at, names)
        title = f"{100 * self.share.value:.3g} % of the labels are wrong"
        ax.set(xlabel="label", ylabel="true class", title=title)
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `noise` of a page: at most 50 rows.

        Returns
        -------
        dict
            Without a share and without rows where it is not credible.
        """
        return {
            "share": plain(self.share.value) if self.credible else None,
            "low": plain(self.share.low),
            "high": plain(self.share.high),
            "rows": [
                {
                    "row": int(row),
                    "given": label_text(self.classes[self.given[row]]),
                    "suggested": label_text(self.classes[self.suggested[row]]),
                    "probability": plain(self.probability[row]),
                }
                for row in self.rows[:MOST]
            ],
        }


def label_noise(
    y: Any,
    proba: Any,
    *,
    classes: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
) -> LabelNoise:
    """Estimate how many labels are wrong, and find them.

    Parameters
    ----------
    y : array of shape (n,)
        Labels as they were given.
    proba : array of shape (n,) or (n, k)
        Out-of-fold probabilities: of the larger of two labels, or of every class.
    classes : list of k labels, optional
        Of the columns of `proba`; by default the sorted labels in y.
    delta : float, default=0.05
        How often the interval of the share may miss.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    LabelNoise

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import label_noise
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=1000)
    >>> flipped = rng.random(1000) < 0.1
    >>> p = np.clip(0.1 + 0.8 * truth + 0.05 * rng.normal(size=1000), 0.01, 0.99)
    >>> found = label_noise(truth ^ flipped, p)
    >>> round(found.share.value, 2), bool(flipped[found.rows].all())
    (0.1, True)
    """
    delta = confidence(WHO, delta)
    labels, codes, P = class_probabilities(WHO, y, proba, classes)
    w = full_weights(WHO, sample_weight, len(codes))
    k = P.shape[1]
    if k < 2:
        raise DataError(sentence(WHO, "probabilities must be of two classes", f"{k}"))
    T, rows, bands = transition(codes, P, w)
    q = np.bincount(codes, w, minlength=k) / w.sum()
    pi = true_shares(q, T)
    wrong, suggested, probability = posterior(codes, P, T)
    known = bool((np.diagonal(T)[rows > 0] >= KNOWN).all())
    credible = known and not fades(bands)  # (6)
    share = wrong_share(pi, T, rows, delta)
    if not credible:
        share = replace(share, low=0.0)
    found = (codes, suggested, wrong, probability, rows, credible)
    return LabelNoise(labels, T, share, pi, *found)


def transition(codes: Vector, P: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (2), the effective rows of each of its lines, and weights for (6).

    The weights, (k, 2, 2), are of right and of other labels in two quarters.
    """
    n, k = P.shape
    weight = np.bincount(codes, w, minlength=k)
    own = np.bincount(codes, w * P[np.arange(n), codes], minlength=k)
    t = np.where(weight > 0, own / np.maximum(weight, LEAST), np.inf)  # (1)
    sure = np.where(t <= P, P, -1.0)
    top, confident = sure.argmax(axis=1), sure.max(axis=1) >= 0
    T, rows, bands = np.eye(k), np.zeros(k), np.zeros((k, 2, 2))
    for j in range(k):
        mine = np.flatnonzero(confident & (top == j))
        best = mine[np.argsort(-P[mine, j], kind="stable")]
        best = best[: int(np.ceil(SURER * len(mine)))]
        total = float(w[best].sum())
        if total > 0:
            T[j] = np.bincount(codes[best], w[best], minlength=k) / total  # (2)
            rows[j] = total**2 / float(w[best] @ w[best])
            for b, part in enumerate(np.array_split(best, 2)):
                right = codes[part] == j
                bands[j, b] = w[part][right].sum(), w[part][~right].sum()
    return T, rows, bands


def fades(bands: Floats) -> bool:
    """Tell whether other labels fade as the model grows surer (6)."""
    n = bands.sum(axis=2)  # (k, 2)
    share = n.sum(axis=1) / max(float(n.sum()), LEAST)
    e = bands[:, :, 1] / np.maximum(n, LEAST)
    variance = share**2 @ (e * (1 - e) / np.maximum(n, 1.0))
    first, second = share @ e
    gap = FADES * second - first
    error = np.sqrt(variance[0] + FADES**2 * variance[1])
    return bool(gap > -float(ndtri(DOUBT)) * max(error, LEAST))


def true_shares(q: Floats, T: Floats) -> Floats:
    """Solve q = pi T for shares pi."""
    pi = np.linalg.lstsq(T.T, q, rcond=None)[0]
    pi = np.maximum(pi, 0.0)
    return pi / pi.sum() if pi.sum() > 0 else q


def wrong_share(pi: Floats, T: Floats, rows: Floats, delta: float) -> Interval:
    """Return (3) and its interval."""
    epsilon = 1 - np.diagonal(T)
    share = float(np.clip(pi @ epsilon, 0.0, 1.0))
    m = np.maximum(rows, 1.0)
    variance = float((pi**2 * epsilon * (1 - epsilon) / m).sum())
    n = 1 / float((pi**2 / m).sum())
    if variance > 0:
        n = max(share * (1 - share) / variance, 1.0)
    low, high = lower_risk(n, share * n, delta / 2), upper_risk(n, share * n, delta / 2)
    words = (
        "Labels are wrong independently of the row, given its true class.",
        "Each class has rows that are surely its own.",
    )
    name, by = "share of wrong labels", "Northcutt, Jiang and Chuang (2021)"
    ends = float(low), float(high)
    return Interval(name, share, *ends, delta, "asymptotic", words, by)


def posterior(codes: Vector, P: Floats, T: Floats) -> tuple[Floats, Vector, Floats]:
    """Return the chance of a wrong label, the best other class, and its chance (5)."""
    n = len(codes)
    log = np.log(np.clip(P, LEAST, 1.0))
    log -= log.max(axis=1, keepdims=True)
    some = slice(None, None, max(1, n // LOOKED_AT))
    heard = T[:, codes].T  # (n, k): chance of the label for each true class

    def misfit(power: float) -> float:
        h = sharpened(log[some], np.exp(power))
        return -float(np.log(np.maximum((h * heard[some]).sum(axis=1), LEAST)).mean())

    found = minimize_scalar(misfit, bounds=POWERS, method="bounded")
    joint = sharpened(log, np.exp(found.x)) * heard
    total = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    chance = joint / total  # (5)
    own = chance[np.arange(n), codes].copy()
    chance[np.arange(n), codes] = -1.0
    best = chance.argmax(axis=1)
    none = joint.sum(axis=1) <= 0  # no true class explains the label: leave it
    wrong = np.where(none, 0.0, np.clip(1 - own, 0.0, 1.0))
    return wrong, best, np.where(none, 0.0, chance[np.arange(n), best])


def sharpened(log: Floats, power: float) -> Floats:
    """Return (4)."""
    h = np.exp(power * log)
    return h / h.sum(axis=1, keepdims=True)
