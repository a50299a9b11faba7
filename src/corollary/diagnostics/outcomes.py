"""Labels, probabilities and weights of the rows that a model is judged on.

Labels are numbers, booleans or texts, in a list, an array or a column of a frame.  Each
is turned once into a code, and shown by one text.  What a record hands to a page is
plain: numbers, texts, lists and None for what is undefined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.distinct import distinct, is_missing
from corollary.core.errors import DataError, MixedTypesError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.decisions.probabilities import check_posterior
from corollary.theory.stated_numbers import fractions, vector

__all__ = [
    "class_probabilities",
    "column_vector",
    "count_text",
    "joint_labels",
    "label_text",
    "labels_of",
    "plain",
    "positive_rows",
    "ratio",
    "scores_of",
    "spread_out",
    "whole_counts",
]

NUMBERS = "biuf"


# -- labels ----------------------------------------------------------------------------
def column_vector(who: str, y: Any, name: str = "y") -> Vector:
    """Return one value for each row, of any type, none of them missing."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or not len(y):
        must = f"{name} must hold one value for each row, and have rows"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    gone = is_missing(y)
    if gone.any():
        must = f"{name} must have no missing value"
        raise DataError(sentence(who, must, f"one in row {int(gone.argmax())}"))
    return y


def labels_of(who: str, y: Any, name: str = "y") -> tuple[Vector, Vector]:
    """Return the sorted classes and the code of each row."""
    y = column_vector(who, y, name)
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        bad = y[y != np.floor(y)][0]
        must = f"{name} must hold class labels"
        raise DataError(sentence(who, must, f"the number {bad:g}"))
    try:
        classes, codes = distinct(y, who)
    except MixedTypesError:
        must = f"{name} must hold labels of one kind, numbers or texts"
        raise DataError(sentence(who, must, "both")) from None
    return classes, codes.astype(np.intp)


def joint_labels(who: str, y: Any, predicted: Any) -> tuple[Vector, Vector, Vector]:
    """Return the classes of two vectors of labels, and the codes of both."""
    y = column_vector(who, y)
    predicted = column_vector(who, predicted, "predicted")
    if len(y) != len(predicted):
        must = f"predicted must hold one label for each of the {len(y)} rows"
        raise DataError(sentence(who, must, f"{len(predicted)}"))
    numbers = [v.dtype.kind in NUMBERS for v in (y, predicted)]
    texts = [v.dtype.kind in "US" for v in (y, predicted)]
    if (numbers[0] and texts[1]) or (texts[0] and numbers[1]):
        must = "y and predicted must hold labels of one kind, numbers or texts"
        raise DataError(sentence(who, must, f"{y.dtype} and {predicted.dtype}"))
    if not (all(numbers) or all(texts)):
        y, predicted = y.astype(object), predicted.astype(object)
    classes, codes = labels_of(who, np.concatenate([y, predicted]), "y and predicted")
    return classes, codes[: len(y)], codes[len(y) :]


def positive_rows(who: str, y: Any, positive: Any = None) -> tuple[Vector, Any]:
    """Return which rows are positive, and the positive label: the larger of two."""
    classes, codes = labels_of(who, y)
    if len(classes) < 2:
        must = "y must have rows of two classes"
        raise DataError(sentence(who, must, f"only {shown(classes.tolist())}"))
    if positive is None:
        if len(classes) > 2:
            must = "y must have two classes, or `positive` name one of them"
            raise DataError(sentence(who, must, f"{len(classes)} classes"))
        return codes == 1, plain(classes[1])
    at = [i for i, label in enumerate(classes.tolist()) if label == positive]
    if not at:
        must = f"positive must be one of {shown(classes.tolist())}"
        raise ParameterError(sentence(who, must, shown(positive)))
    return codes == at[0], plain(classes[at[0]])


def scores_of(who: str, scores: Any, y: Any, positive: Any, n: int) -> Floats:
    """Return a score of the positive class for each row; of its column, of several."""
    table = np.asarray(scores)
    if table.ndim == 2 and table.shape[1] > 1:
        classes = labels_of(who, y)[0].tolist()
        if len(classes) != table.shape[1]:
            must = f"scores must have a column for each of the {len(classes)} classes"
            raise DataError(sentence(who, must, f"{table.shape[1]}"))
        table = table[:, classes.index(positive)]
    elif table.ndim == 2:
        table = table[:, 0]
    return vector(who, table, "scores", n)


def class_probabilities(
    who: str, y: Any, proba: Any, classes: Any = None
) -> tuple[Vector, Vector, Floats]:
    """Return classes, the code of each row, and probabilities, (n, k)."""
    found, codes = labels_of(who, y)
    P = np.asarray(proba)
    if P.ndim == 1 or (P.ndim == 2 and P.shape[1] == 1):
        p = fractions(who, P.reshape(-1), "probabilities")
        P = np.column_stack([1 - p, p])
    P = check_posterior(who, P, "probabilities")
    if len(P) != len(codes):
        must = f"probabilities must have a row for each of the {len(codes)} in y"
        raise DataError(sentence(who, must, f"{len(P)}"))
    if classes is None and len(found) == P.shape[1]:
        return found, codes, P
    if classes is None:
        must = f"probabilities must have a column for each of {len(found)} classes"
        remedy = "Name the classes of the columns with `classes`."
        raise DataError(sentence(who, must, f"{P.shape[1]}", remedy))
    names = np.asarray(classes).tolist()
    if len(names) != P.shape[1] or len(set(names)) != len(names):
        must = f"classes must name each of the {P.shape[1]} columns of probabilities"
        raise ParameterError(sentence(who, must, shown(names)))
    if absent := [label for label in found.tolist() if label not in names]:
        must = f"y must hold labels of classes, {shown(names)}"
        raise DataError(sentence(who, must, shown(absent)))
    place = np.array([names.index(label) for label in found.tolist()])
    return np.asarray(classes), place[codes], P


def label_text(label: Any) -> str:
    """Return the text that stands for a label.

    >>> label_text(np.float64(1.0)), label_text(np.True_), label_text("b")
    ('1', 'True', 'b')
    """
    label = plain(label)
    return f"{label:g}" if isinstance(label, float) else str(label)


# -- plain values ----------------------------------------------------------------------
def plain(value: Any) -> Any:
    """Return Python's own numbers, texts and lists; None for what is not finite.

    >>> plain(np.array([1.5, np.nan])), plain(np.int64(3)), plain("a")
    ([1.5, None], 3, 'a')
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            value = value.astype(object)
            value[~np.isfinite(value.astype(float))] = None
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def whole_counts(values: Floats) -> list[float]:
    """Return counts as whole numbers where they are, else as the weights they are.

    >>> whole_counts(np.array([1.0, 2.0])), whole_counts(np.array([0.5, 2.0]))
    ([1, 2], [0.5, 2.0])
    """
    near = np.rint(values)
    exact = np.abs(values - near).max(initial=0.0) < 1e-9
    return near.astype(np.int64).tolist() if exact else values.tolist()


def count_text(count: float) -> str:
    """Return a number of rows, or their weight, in words.

    >>> count_text(1_000_000.0), count_text(2.5)
    ('1,000,000', '2.5')
    """
    return f"{count:,.0f}" if abs(count - round(count)) < 1e-9 else f"{count:,.4g}"


def ratio(above: Any, below: Any) -> Any:
    """Return above / below, NaN where nothing is below."""
    above, below = np.broadcast_arrays(np.asarray(above, float), below)
    out = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out if out.ndim else float(out)


def spread_out(at: Any, most: int) -> Vector:
    """Return at most so many positions that are evenly spread over a rising `at`.

    >>> spread_out([0.0, 0.1, 0.2, 5.0, 10.0], 3).tolist()
    [0, 3, 4]
    """
    at = np.asarray(at, dtype=float)
    if len(at) <= most:
        return np.arange(len(at))
    wanted = np.linspace(at[0], at[-1], most)
    found = np.searchsorted(at, wanted)
    found[0], found[-1] = 0, len(at) - 1
    return np.unique(found)
