"""What error to expect of a fitted model on new data, and with what confidence.

Also known as: generalisation certificate, hold-out bound, test-set bound.

A loss in [0, B] has a risk R = E loss(y, f(x)) over new rows.  Rows that the model has
not seen prove a bound on it, whatever the model (`hold_out`):

    errors         exact binomial                                               (1)
    other losses   a bet against every larger risk                              (2)

at delta / M where these rows were used to choose among M models.  Rows that it was
fitted to prove more where its hypotheses have a theory (`model_theory`): an estimator
names its own in `theory`, and scikit-learn's are taken like ours of the same name.

Four things are looked at first.  Are the rows new?  A report keeps marks of some rows
of its fit; more of them among new rows than in data that has equal rows are refused.
How many models were judged on this set?  From the second on a bound is guidance.  Are
the rows in no order?  A conformal martingale bets on their losses, one after the other.
Are new rows like the training rows?  Projections of both, and their targets, are
permuted:

    refuted   if   min_j p_j <= delta / J,   j = 1 ... J tests                  (3)

Course: S2-25, S4-52. References: Langford (2005); Waudby-Smith and Ramdas (2024);
Vovk, Gammerman and Shafer (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_clusterer, is_regressor
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.frames import is_frame
from corollary.core.parameters import one_of, real, whole
from corollary.core.randomness import generator
from corollary.engine.row_marks import recognised
from corollary.theory.bound import Bound
from corollary.theory.certificate import Certificate, Check
from corollary.theory.conformal.conformal_martingale import conformal_martingale
from corollary.theory.conformal.exchangeability import exchangeability_test
from corollary.theory.hold_out import hold_out_bound
from corollary.theory.interval import Interval
from corollary.theory.model_theory import (
    TrainingRows,
    neighbor_notes,
    optimization_check,
    theory_of,
)
from corollary.theory.score_intervals import score_interval
from corollary.theory.set_uses import Uses, set_key

__all__ = ["certify"]

WHO = "certify"
LOOKED_AT = 2_000  # rows of each side that are tested for exchangeability
PROJECTIONS = 4
ALARMS = 0.1  # of delta: how often rows in no order may be taken for ordered ones
SEED = 20_023
USES = Uses()  # of test sets, in this process
LOSSES: dict[str, Callable[[Any, Any], Floats]] = {
    "absolute": lambda y, f: np.abs(y - f),
    "squared": lambda y, f: (y - f) ** 2,
}
LOSS_WORDS = {
    "error": "a share of errors",
    "absolute": "a mean absolute error",
    "squared": "a mean squared error",
}


@dataclass(frozen=True)
class Unseen:
    """Rows that a model has not seen, and what it says of them."""

    X: Any
    y: Vector
    predicted: Vector
    losses: Floats  # in [0, largest]
    loss: str
    largest: float


def certify(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    delta: float = 0.05,
    train: tuple[Any, Any] | None = None,
    splits: tuple[Any, Any] | None = None,
    loss: str | None = None,
    largest_loss: float | None = None,
    models_tried: int = 1,
    groups: Any = None,
) -> Certificate:
    """Say what error to expect of a fitted model on new data, and on what grounds.

    Parameters
    ----------
    model : fitted classifier, regressor or clusterer
        Of Corollary or of scikit-learn.
    X, y : rows that the model has not seen, and their targets
        In the order in which they came.  None where only the theory of the model is
        wanted.
    delta : float in (0, 1), default=0.05
        How often each bound may fail.
    train : (X, y), optional
        The rows that the model was fitted to: they prove what its theory offers, and
        are compared with the new ones.
    splits : (train rows, test rows), optional
        Row numbers or masks of X and y, in place of `train`.
    loss : {'error', 'absolute', 'squared'}, optional
        'error' for classifiers, 'absolute' for regressors by default.
    largest_loss : float, optional
        Losses of a regressor are counted up to this; it must not be chosen on the new
        rows.  By default the range of the training targets, squared for 'squared'.
    models_tried : int, default=1
        Models that were compared on these rows to choose this one.
    groups : array of shape (n,), optional
        Rows that belong together, such as those of one patient.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np
    >>> import corollary
    >>> from corollary import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1200, 3))
    >>> y = (X[:, 0] + 0.3 * rng.normal(size=1200) > 0).astype(int)
    >>> model = LogisticRegression().fit(X[:800], y[:800])
    >>> certificate = corollary.certify(model, X[800:], y[800:])
    >>> round(certificate.risk, 4), round(certificate.bound.value, 4)
    (0.0925, 0.1199)
    >>> corollary.certify(model, X, y)
    Traceback (most recent call last):
    ...
    corollary.core.errors.DataError: certify: X must be rows that LogisticRegression \
was not fitted to; got 800 of 1200 that it was. Hold rows out before the fit.
    """
    delta, tried = checked(delta, models_tried)
    check_is_fitted(model)
    X, y, train = parted(X, y, train, splits)
    rows = None if train is None else training_rows(model, *train)
    name = type(model).__name__
    bounds, notes = theory_of(model, rows, delta)
    checks = optimization_check(model)
    if X is None or is_clusterer(model):
        if rows is None and not checks:
            must = "X and y, or train, must be given"
            raise DataError(sentence(WHO, must, "neither"))
        words = LOSS_WORDS["error" if is_classifier(model) else "absolute"]
        none = Certificate(name, words, 0, np.nan, delta, None)
        return replace(none, theory=bounds, checks=checks, notes=notes)
    unseen = losses_on(model, X, y, loss, largest_loss, rows)
    check_new(model, X)
    bound = proved(unseen, delta / tried, groups)
    used, bound = use(unseen, bound, tried)
    checks += (used, order_check(unseen, delta))
    notes += neighbor_notes(model, float(unseen.losses.mean()), len(unseen.y))
    if train is not None:
        checks += (likeness_check(train, X, unseen.y, delta),)
    return Certificate(
        name,
        LOSS_WORDS[unseen.loss],
        len(unseen.y),
        float(unseen.losses.mean()),
        delta,
        replace(bound, delta=delta),
        bounds,
        intervals_of(model, unseen, delta),
        checks,
        notes,
    )


# -- what was given --------------------------------------------------------------------
def checked(delta: Any, tried: Any) -> tuple[float, int]:
    """Check the numbers."""
    if not real(0, 1, ends="()").holds(delta):
        must = "delta must be a number between 0 and 1"
        raise ParameterError(sentence(WHO, must, f"{delta!r}"))
    if not whole(1).holds(tried):
        must = "models_tried must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, f"{tried!r}"))
    return float(delta), int(tried)


def parted(X: Any, y: Any, train: Any, splits: Any) -> tuple[Any, Any, Any]:
    """Return new rows, their targets, and the training rows."""
    if (X is None) != (y is None):
        given = "X alone" if y is None else "y alone"
        raise DataError(sentence(WHO, "X and y must be given together", given))
    if splits is None:
        if train is not None and len(train) != 2:
            raise DataError(sentence(WHO, "train must be X and y", f"{len(train)}"))
        return X, y, train
    if train is not None or X is None or len(splits) != 2:
        must = "splits must be two sets of rows of X and y, without train"
        raise DataError(sentence(WHO, must, "others"))
    old, new = (np.asarray(rows) for rows in splits)
    marks = np.zeros(len(np.asarray(y)), dtype=np.int8)
    marks[old] += 1
    marks[new] += 1
    if (marks > 1).any():
        must = "the two sets of rows of splits must not overlap"
        raise DataError(sentence(WHO, must, f"{int((marks > 1).sum())} rows in both"))
    y = np.asarray(y)
    return some_rows(X, new), y[new], (some_rows(X, old), y[old])


def some_rows(X: Any, rows: Any) -> Any:
    """Return rows of an array, a sparse matrix, a frame or a table."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if is_frame(X):
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        return X.take(rows) if hasattr(X, "take") else X[rows]
    return X[rows] if sp.issparse(X) else np.asarray(X)[rows]


def training_rows(model: Any, X: Any, y: Any) -> TrainingRows:
    """Return the training rows with what the model says of them."""
    predicted = np.asarray(model.predict(X))
    y = targets_of(y, len(predicted), "train")
    error = float(np.mean(predicted != y)) if is_classifier(model) else np.nan
    return TrainingRows(X, y, predicted, error)


def targets_of(y: Any, n: int, name: str) -> Vector:
    """Check targets: one for each row."""
    found = np.asarray(y)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or len(found) != n or not n:
        must = f"y of {name} must hold one target for each of the {n} rows"
        raise DataError(sentence(WHO, must, f"shape {found.shape}"))
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise DataError(sentence(WHO, f"y of {name} must be finite", "NaN or infinity"))
    return found


def losses_on(
    model: Any,
    X: Any,
    y: Any,
    loss: str | None,
    largest: float | None,
    rows: TrainingRows | None,
) -> Unseen:
    """Return the losses of a model on rows it has not seen."""
    kinds = ("error",) if is_classifier(model) else tuple(LOSSES)
    if not (is_classifier(model) or is_regressor(model)):
        must = "model must be a classifier, a regressor or a clusterer"
        raise DataError(sentence(WHO, must, f"a {type(model).__name__}"))
    loss = kinds[0] if loss is None else loss
    if not one_of(*kinds).holds(loss):
        must = f"loss must be {one_of(*kinds).words} for a {type(model).__name__}"
        raise ParameterError(sentence(WHO, must, f"{loss!r}"))
    predicted = np.asarray(model.predict(X))
    y = targets_of(y, len(predicted), "the new rows")
    if loss == "error":
        return Unseen(X, y, predicted, (predicted != y).astype(float), loss, 1.0)
    if predicted.ndim != 1:
        must = "a regressor must answer with one number for each row"
        raise DataError(sentence(WHO, must, f"shape {predicted.shape}"))
    top = most_loss(loss, largest, rows)
    losses = np.minimum(LOSSES[loss](y.astype(float), predicted), top)
    return Unseen(X, y, predicted, losses, loss, top)


def most_loss(loss: str, largest: float | None, rows: TrainingRows | None) -> float:
    """Return the loss up to which a regressor's losses count."""
    if largest is None and rows is not None:
        span = float(np.ptp(rows.y.astype(float)))
        largest = span**2 if loss == "squared" else span
    if largest is None:
        must = "largest_loss, or train, must be given for a regressor"
        remedy = "State a loss that no row exceeds, or beyond which all are as bad."
        raise DataError(sentence(WHO, must, "neither", remedy))
    if not real(0, ends="()").holds(largest):
        must = "largest_loss must be a number > 0"
        raise ParameterError(sentence(WHO, must, f"{largest!r}"))
    return float(largest)


# -- what unseen rows prove ------------------------------------------------------------
def proved(unseen: Unseen, delta: float, groups: Any) -> Bound:
    """Return the bound (1) or (2)."""
    exact = unseen.loss == "error" and groups is None
    method = "exact" if exact else "betting"
    found = hold_out_bound(
        unseen.losses, delta, method=method, high=unseen.largest, groups=groups
    )
    if unseen.loss == "error":
        return found
    words = f"Losses above {unseen.largest:g} count as {unseen.largest:g}."
    return replace(found, assumptions=(*found.assumptions, words))


def intervals_of(model: Any, unseen: Unseen, delta: float) -> tuple[Interval, ...]:
    """Return intervals of the usual scores, where they have a meaning."""
    y, n = unseen.y, len(unseen.y)
    if n < 2:
        return ()
    if not is_classifier(model):
        names = ("rmse", "r2") if np.ptp(y.astype(float)) > 0 else ("rmse",)
        return tuple(score_interval(y, unseen.predicted, s, delta) for s in names)
    found = [score_interval(y, unseen.predicted, "accuracy", delta)]
    scores = scores_of(model, unseen.X) if len(np.unique(y)) == 2 else None
    if scores is not None:
        found.append(score_interval(y, scores, "auc", delta))
    return tuple(found)


def scores_of(model: Any, X: Any) -> Floats | None:
    """Return scores of the second of two classes, None where there are none."""
    if len(getattr(model, "classes_", ())) != 2:
        return None
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=float)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=float)[:, 1]
    return None


# -- what is checked -------------------------------------------------------------------
def check_new(model: Any, X: Any) -> None:
    """Refuse rows of the fit, where the model knows its rows."""
    report = getattr(model, "report_", None)
    known = getattr(report, "row_marks", None)
    numbers = matrix_of(X)
    if report is None or known is None or numbers is None:
        return
    seen = recognised(known, numbers)
    _, times = np.unique(known, return_counts=True)
    repeated = 1 - (times == 1).sum() / len(known)  # of data that has equal rows
    if seen.sum() > 2 and seen.mean() > 2 * repeated + 10 / len(known):
        must = f"X must be rows that {type(model).__name__} was not fitted to"
        few = "at least " if len(known) < report.rows else ""  # not all are marked
        came = f"{few}{int(seen.sum())} of {len(seen)} that it was"
        raise DataError(sentence(WHO, must, came, "Hold rows out before the fit."))


def use(unseen: Unseen, bound: Bound, tried: int) -> tuple[Check, Bound]:
    """Count a use of the set; from the second on the bound is guidance."""
    name = "the test set was not used to choose"
    words = list(bound.assumptions)
    if tried > 1:
        words.append(f"The model is one of {tried}, all fixed before the rows were.")
        bound = replace(bound, name=f"best of {tried} by {bound.name}")
    numbers = matrix_of(unseen.X)
    uses = 0
    if numbers is not None:
        codes = np.unique(unseen.y, return_inverse=True)[1]
        uses = USES.count(set_key(numbers, codes), set_key(numbers, unseen.losses))
    bound = replace(bound, assumptions=tuple(words), holds=uses <= max(1, tried))
    found = "This is the first model that is judged on these rows in this process."
    if uses != 1:
        found = f"{uses or 'An unknown number of'} models were judged on these rows."
    return Check(name, None, found), bound


def order_check(unseen: Unseen, delta: float) -> Check:
    """Bet on the losses of the rows, in their order."""
    x = unseen.losses[spaced(len(unseen.losses))]
    level = ALARMS * delta
    found = conformal_martingale(x, delta=level, random_state=SEED).verdict
    name = "new rows come in no order"
    return Check(name, not found.refuted, f"{found}."[0].upper() + f"{found}."[1:])


def likeness_check(train: Any, X: Any, y: Vector, delta: float) -> Check:
    """Permute projections of old and new rows, and their targets (3)."""
    name = "new rows are like the training rows"
    old, new = matrix_of(train[0]), matrix_of(X)
    if old is None or new is None or old.shape[1] != new.shape[1]:
        return Check(name, None, "Rows of texts are not compared.")
    old, y_old = old[spaced(old.shape[0])], np.asarray(train[1])[spaced(old.shape[0])]
    new, y_new = new[spaced(new.shape[0])], y[spaced(new.shape[0])]
    n = len(y_old)
    pooled = standardized(sp.vstack([old, new]) if sp.issparse(old) else [old, new])
    codes = np.concatenate([y_old, y_new])
    if codes.dtype.kind not in "fiub":
        codes = np.unique(codes, return_inverse=True)[1]
    draw = generator(SEED, 0).normal(size=(pooled.shape[1], PROJECTIONS))
    scores = np.column_stack([pooled @ draw, codes.astype(float)])
    tests = [
        exchangeability_test(
            s[:n],
            s[n:],
            statistic="kolmogorov-smirnov" if j < PROJECTIONS else "rank-sum",
            permutations=int(np.ceil(2 * (PROJECTIONS + 1) / delta)),
            delta=delta / (PROJECTIONS + 1),
            random_state=SEED + j,
        )
        for j, s in enumerate(scores.T)
    ]
    worst = min(tests, key=lambda test: test.p_value)
    what = "targets" if worst is tests[-1] else "rows"
    words = f"Of {len(tests)} permutation tests the least p is {worst.p_value:.3g}"
    return Check(name, not worst.refuted, f"{words}, of the {what}.")


def standardized(parts: Any) -> Floats:
    """Return columns of one spread, missing values at the mean."""
    X = parts.toarray() if sp.issparse(parts) else np.vstack(parts)
    gone = ~np.isfinite(X)
    X = np.where(gone, 0.0, X)
    count = np.maximum((~gone).sum(axis=0), 1)
    X = np.where(gone, 0.0, X - X.sum(axis=0) / count)
    spread = np.sqrt((X**2).sum(axis=0) / count)
    return X / np.where(spread > 0, spread, 1.0)


def spaced(n: int) -> Vector:
    """Return row numbers, all or evenly spaced, in order."""
    return np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.intp))


def matrix_of(X: Any) -> Any:
    """Return rows as an array or CSR matrix of numbers, None where they are none."""
    if sp.issparse(X):
        return X.tocsr()
    try:
        found = np.asarray(X, dtype=None)
        if found.dtype.kind not in "fiub":
            found = found.astype(np.float64)
    except (TypeError, ValueError):
        return None
    if found.ndim != 2:
        return None
    return found if found.dtype.kind == "f" else found.astype(np.float64)
