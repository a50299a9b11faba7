"""How good answers are on rows whose target is known: scores with intervals.

Shares of rows are exact, means asymptotic (`theory.score_interval`).  A class that the
model has not met is an error; the log loss, which it would make infinite, is taken over
the other rows.
"""

from __future__ import annotations

from typing import Any

__all__ = ["coverage_of", "known_classes", "scores_of", "summary_of"]


def known_classes(model: Any, y: Any) -> tuple[Any, list[str]]:
    """Tell which rows have a class that the model knows, with a note on the others."""
    import numpy as np

    known = np.isin(y, model.classes_)
    if known.all():
        return known, []
    some = ", ".join(repr(str(label)) for label in np.unique(y[~known])[:3])
    words = f"{(~known).sum():,} rows have a class that the model has not met: {some}"
    return known, [f"{words}; they count as errors."]


def scores_of(model: Any, y: Any, answers: Any, delta: float) -> tuple[Any, ...]:
    """Return intervals of the usual scores, those with a meaning.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    y : array of shape (n,)
    answers : array of shape (n, K) or (n,)
    delta : float
        How often each interval may miss.
    """
    if answers.ndim == 1:
        return number_scores(y, answers, delta)
    return class_scores(model, y, answers, delta)


def class_scores(model: Any, y: Any, P: Any, delta: float) -> tuple[Any, ...]:
    """Return log loss, accuracy and, for two classes, the area under the ROC curve."""
    import numpy as np

    from corollary.theory import score_interval
    from corollary.theory.score_intervals import mean_interval

    classes, known = model.classes_, known_classes(model, y)[0]
    found = [score_interval(y, classes[P.argmax(axis=1)], "accuracy", delta)]
    if known.sum() > 1:
        codes = np.searchsorted(classes, y[known])
        p = P[known][np.arange(len(codes)), codes]
        losses = -np.log(np.clip(p, 1e-15, 1.0))
        found.insert(0, mean_interval("log loss", losses, delta, None))
    if len(classes) == 2 and known.all() and len(np.unique(y)) == 2:
        found.append(score_interval(y, P[:, 1], "auc", delta))
    return tuple(found)


def number_scores(y: Any, f: Any, delta: float) -> tuple[Any, ...]:
    """Return RMSE, mean absolute error and R^2."""
    import numpy as np

    from corollary.theory import score_interval
    from corollary.theory.score_intervals import mean_interval

    if len(y) < 2:
        return ()
    found = [
        score_interval(y, f, "rmse", delta),
        mean_interval("mean absolute error", np.abs(y - f), delta, None),
    ]
    if np.ptp(y) > 0:
        found.append(score_interval(y, f, "r2", delta))
    return tuple(found)


def coverage_of(model: Any, y: Any, answers: Any, miss: float, delta: float) -> Any:
    """Return how often prediction sets hold the truth, and how large they are.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    y : array of shape (n,)
    answers : array of shape (n, K) or (n,)
    miss : float
        How often a set may miss.
    delta : float
        How often the interval of the coverage may miss.
    """
    import numpy as np

    from corollary.theory import binomial_interval
    from corollary.workbench.table_model import sets_of

    width = model.width(miss)
    if answers.ndim == 1:
        held, size = np.abs(y - answers) <= width, 2 * width
    else:
        sets = sets_of(answers, width)
        size = float(sets.sum(axis=1).mean())
        held = (sets & (model.classes_[None, :] == y[:, None])).any(axis=1)
    found = binomial_interval(len(y), int((~held).sum()), delta)
    return {
        "promised": 1 - miss,
        "value": float(held.mean()),
        "low": 1 - found.high,
        "high": 1 - found.low,
        "mean_size": size,
    }


def summary_of(y: Any, f: Any) -> dict[str, float]:
    """Return the errors of numbers in a few words.

    >>> import numpy as np
    >>> found = summary_of(np.array([1.0, 2.0, 6.0]), np.array([2.0, 2.0, 4.0]))
    >>> round(found["mean"], 3), found["largest"], found["largest_row"]
    (-0.333, 2.0, 2)
    """
    import numpy as np

    error = f - y
    size = np.abs(error)
    half, most = np.quantile(size, [0.5, 0.9])
    return {
        "mean": float(error.mean()),
        "standard_error": float(error.std(ddof=1) / np.sqrt(len(y)))
        if len(y) > 1
        else float("nan"),
        "half_within": float(half),
        "nine_tenths_within": float(most),
        "largest": float(size.max()),
        "largest_row": int(size.argmax()),
        "rmse_of_the_mean": float(y.std()),
    }
