"""What a loaded model must hold: shapes, parts, and an answer for some rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from corollary.core.errors import DataError, ModelFileError, ParameterError
from corollary.persistence.trees import is_ours, may_be_saved
from corollary.registry import ESTIMATORS

__all__ = ["check_answers", "check_shapes", "reason_of"]

ANSWERS = (
    "predict",
    "transform",
    "predict_proba",
    "decision_function",
    "score_samples",
    "predict_set",
    "predict_interval",
)
MANY = 2**24  # features; rows of more are not made up only to ask
ROWS = 3  # so that an answer that mixes rows up has another shape


def check_answers(model: Any) -> None:
    """Have a fitted model answer for rows of zeros, or of values that it knows.

    Whoever cannot is no model.  It may refuse them in words of its own: not every
    method takes zeros, or cells that are missing.
    """
    example = getattr(model, "_example", None)
    known = type(model).__name__ in ESTIMATORS or example is not None
    if not is_ours(model) or not known:
        return  # rows of zeros mean nothing to a pipeline that takes texts
    if any(not is_ours(part) for part in getattr(model, "estimators_", ())):
        return  # nor to one inside
    if not hasattr(model, "n_features_in_") or model.n_features_in_ > MANY:
        return
    rows = np.zeros((ROWS, model.n_features_in_)) if example is None else example(ROWS)
    with np.errstate(all="ignore"):
        for name in ANSWERS:
            try:
                if hasattr(model, name):
                    check_answer(model, name, getattr(model, name)(rows))
            except ModelFileError:
                raise
            except (DataError, ParameterError, NotFittedError, Warning):
                pass
            except Exception as error:
                text = f"{type(model).__name__} cannot {name} ({reason_of(error)})"
                raise ModelFileError(text) from None


def reason_of(error: Exception) -> str:
    """Return what an error says, with its kind: of some it is a bare name."""
    return f"{type(error).__name__}: {error}".rstrip(": .")


def check_answer(model: Any, name: str, answer: Any) -> None:
    """Hold an answer to one entry a row, or one score for each class or pair."""
    if isinstance(answer, list):  # of several outputs
        if any(np.shape(one)[:1] != (ROWS,) for one in answer):
            raise ModelFileError(f"{type(model).__name__} cannot {name} row by row")
        return
    shape = answer.shape if hasattr(answer, "shape") else np.shape(answer)
    if shape[:1] != (ROWS,):
        raise ModelFileError(f"{type(model).__name__} cannot {name} row by row")
    classes = getattr(model, "classes_", None)
    K = 0 if classes is None or isinstance(classes, list) else len(classes)
    scores = name in ("predict_proba", "decision_function")
    if K and scores and len(shape) == 2 and shape[1] not in (K, K * (K - 1) // 2):
        raise ModelFileError(f"{name} must have one score for each of {K} classes")


def check_shapes(model: Any) -> None:
    """Hold the learned arrays to the shapes that the class declares."""
    sizes: dict[str, int] = {}
    texts = type(model).binary_parts and not hasattr(model, "n_features_in_")
    if not texts:  # whose members read them
        sizes["d"] = model.n_features_in_
    if not texts and (type(sizes["d"]) is not int or sizes["d"] < 1):
        raise ModelFileError("n_features_in_ must be a whole number >= 1")
    for name, allowed in type(model).shapes.items():
        value = getattr(model, name)
        array = value if sp.issparse(value) else np.asarray(value)
        for dims in allowed.split("|"):
            if fits(array.shape, dims.split(), sizes):
                break
        else:
            raise ModelFileError(
                f"{name} must have shape ({allowed}), not {array.shape}"
            )
        infinite = "_log_" in name or name in type(model).may_be_infinite
        wrong = np.isnan if infinite else not_finite  # log 0 is infinite
        entries = array.data if sp.issparse(array) else array
        if array.dtype.kind == "f" and wrong(entries).any():
            raise ModelFileError(f"{name} must be finite")
    if hasattr(model, "_audit"):
        model._audit()
    for name, method in type(model).parts.items():
        value = getattr(model, name)
        for part in value if isinstance(value, list) else [value]:
            check_part(model, name, part, method)


def check_part(model: Any, name: str, part: Any, method: str) -> None:
    """Hold an estimator inside a model to the model's features and classes."""
    if not may_be_saved(part) or not hasattr(part, method):
        raise ModelFileError(f"{name} must be an estimator with {method}")
    features = getattr(model, "n_features_in_", None)
    some = type(model).some_features
    if features is not None and not some and part_features(part) != features:
        raise ModelFileError(f"{name} must have the features of the model")
    if not hasattr(part, "classes_"):
        return
    known = list(part.classes_)
    if type(model).binary_parts:
        if known not in ([0, 1], [0], [1]):
            raise ModelFileError(f"{name} must have the classes 0 and 1")
    elif type(model).some_classes:
        every = range(len(model.classes_)) if some else list(model.classes_)
        if not set(known) <= set(every):
            raise ModelFileError(f"{name} must have classes of the model")
    elif known != list(model.classes_):
        raise ModelFileError(f"{name} must have the classes of the model")


def part_features(part: Any) -> Any:
    """Return how many features an estimator inside a model has seen."""
    return getattr(part, "n_features_in_", None)


def not_finite(array: Any) -> Any:
    """Tell which entries are NaN or infinite."""
    return ~np.isfinite(array)


def fits(shape: tuple[int, ...], dims: list[str], sizes: dict[str, int]) -> bool:
    """Tell whether a shape is as declared; letters keep the size they first have."""
    if len(shape) != len(dims):
        return False
    trial = dict(sizes)
    for size, dim in zip(shape, dims, strict=True):
        if trial.setdefault(dim, int(dim) if dim.isdigit() else size) != size:
            return False
    sizes.update(trial)
    return True
