"""From a JSON tree back to a model; only the forms that `save` writes are known."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.errors import ModelFileError
from corollary.core.parameters import check_parameters
from corollary.core.records import STORED
from corollary.core.report import Report
from corollary.persistence import scikit_learn
from corollary.persistence.audit import check_shapes
from corollary.persistence.trees import NUMERIC, Aside
from corollary.registry import SAVED, packages, public_names

__all__ = ["model_of"]

LEARNED = re.compile(r"[a-zA-Z]\w*_|_running|_n_features_out")
CALIBRATED = re.compile(r"estimator|calibrators|classes|method|[a-z]+_")
DATES = re.compile(r"[mM]8\[(Y|M|W|D|h|m|s|ms|us|ns)\]")
WIDE = 16  # bytes of a letter that many texts of one width may take
PLAIN = {  # what a field of a record may hold, by its annotation
    "float": float | int | np.floating | np.integer,
    "int": int | np.integer,
    "bool": bool | np.bool_,
    "str": str,
    "Floats": np.ndarray,
    "Vector": np.ndarray,
    "Matrix": np.ndarray | sp.csr_array,
    "list[float]": list,
    "Report": Report,
}


def model_of(tree: dict[str, Any], aside: Aside) -> Any:
    """Build a model, or an estimator inside one, and check all of it."""
    if "same" in tree:
        return met_before(tree["same"], aside)
    name = tree["class"]
    if not isinstance(name, str):
        raise ModelFileError("a class must be given by its name")
    if name.startswith(scikit_learn.PREFIX):
        return others_model(tree, aside)
    if name not in SAVED:
        raise ModelFileError(f"{name!r} is no estimator of Corollary")
    cls = getattr(importlib.import_module(SAVED[name]), name)
    parameters = value_of(tree["parameters"], aside)
    learned = value_of(tree["learned"], aside)
    if not isinstance(parameters, dict) or not isinstance(learned, dict):
        raise ModelFileError("parameters and learned attributes must have names")
    model = made(cls, parameters)
    check_parameters(model, cls.rules)
    set_learned(model, learned, scikit_learn.learned_names(cls) or LEARNED)
    if learned:
        check_shapes(model)
    aside.models.append(model)
    return model


def made(cls: Any, parameters: dict[str, Any]) -> Any:
    """Make an estimator of all its parameters."""
    if set(parameters) != set(inspect.signature(cls).parameters):
        raise ModelFileError("the parameters are not those of the class")
    return cls(**parameters)


def set_learned(model: Any, learned: dict[str, Any], names: re.Pattern[str]) -> None:
    """Set what was learned; nothing of it may hide a method."""
    for name, value in learned.items():
        if not isinstance(name, str) or not names.fullmatch(name):
            raise ModelFileError(f"{name!r} is no learned attribute")
        if hasattr(type(model), name):
            raise ModelFileError(f"{name!r} would hide a method")
        setattr(model, name, value)


def met_before(number: Any, aside: Aside) -> Any:
    """Return a model that the tree has held before."""
    if type(number) is not int or not 0 <= number < len(aside.models):
        raise ModelFileError(f"model {number!r} has not come before")
    return aside.models[number]


def others_model(tree: dict[str, Any], aside: Aside) -> Any:
    """Build an estimator of scikit-learn that files may hold."""
    cls = scikit_learn.class_named(tree["class"])
    parameters = value_of(tree["parameters"], aside)
    learned = value_of(tree["learned"], aside)
    if not isinstance(parameters, dict) or not isinstance(learned, dict):
        raise ModelFileError("parameters and learned attributes must have names")
    model = made(cls, parameters)
    scikit_learn.refuse_unsafe(model, ModelFileError)
    set_learned(model, learned, scikit_learn.LEARNED)
    model = scikit_learn.completed(model)
    aside.models.append(model)
    return model


def calibration(name: str, fields: Any) -> Any:
    """Build a record inside CalibratedClassifierCV."""
    known = scikit_learn.calibration_records()
    if name not in known or not isinstance(fields, dict):
        raise ModelFileError(f"{name!r} is no record of a calibration")
    record: Any = object.__new__(known[name])
    set_learned(record, fields, CALIBRATED)
    return record


def value_of(tree: Any, aside: Aside) -> Any:
    """Turn JSON back into a value."""
    if tree is None or isinstance(tree, bool | int | float | str):
        return tree
    if not isinstance(tree, dict):
        raise ModelFileError("a list without a kind is not written by save")
    match tree:
        case {"scalar": inner}:
            return scalar(value_of(inner, aside))
        case {"array": str(key), "shape": list(shape)}:
            return taken(key, aside).reshape(checked_shape(shape))
        case {"csr": [data, indices, indptr], "shape": [int(n), int(d)]}:
            parts = [value_of(part, aside) for part in (data, indices, indptr)]
            return csr(parts[0], parts[1], parts[2], (n, d))
        case {"objects": list(items), "kind": "O" | "U" as kind, "shape": list(shape)}:
            values = [value_of(item, aside) for item in items]
            return objects(values, kind).reshape(checked_shape(shape))
        case {"dates": dict(inner), "unit": str(unit)} if DATES.fullmatch(unit):
            return dates(value_of(inner, aside), unit)
        case {"dtype": str(name)} if name in (*NUMERIC, "object"):
            return np.dtype(name)
        case {"type": str(name)}:
            return type_named(name)
        case {"function": str(name)} if name in scikit_learn.functions():
            return scikit_learn.functions()[name]
        case {"slice": [start, stop, step]}:
            return slice(*map(slice_end, (start, stop, step)))
        case {"calibration": str(name), "fields": fields}:
            return calibration(name, value_of(fields, aside))
        case {"list": list(items)}:
            return [value_of(item, aside) for item in items]
        case {"tuple": list(items)}:
            return tuple(value_of(item, aside) for item in items)
        case {"dict": list(items)}:
            return dict(pair(item, aside) for item in items)
        case {"estimator": dict(inner)}:
            return model_of(inner, aside)
        case {"report": inner}:
            return Report.from_dict(value_of(inner, aside))
        case {"record": str(name), "fields": dict(fields)}:
            return record(name, fields, aside)
    raise ModelFileError(f"{sorted(tree)} is not written by save")


def pair(item: Any, aside: Aside) -> tuple[Any, Any]:
    """Return a key, which must be plain, and its value."""
    if not isinstance(item, list) or len(item) != 2:
        raise ModelFileError("a dict must hold pairs of a key and a value")
    key, value = (value_of(one, aside) for one in item)
    if key is not None and not isinstance(key, str | int | float | tuple | np.generic):
        raise ModelFileError("a key of a dict must be a plain value")
    return key, value


def type_named(name: str) -> type:
    """Return a type of numbers, or object."""
    known = {kind.__name__: kind for kind in scikit_learn.TYPES}
    if name not in known:
        raise ModelFileError(f"{name!r} is no type that a model file may name")
    return known[name]


def slice_end(end: Any) -> int | None:
    """Return an end of a slice."""
    if end is not None and type(end) is not int:
        raise ModelFileError("a slice must have whole numbers for its ends")
    return end


def taken(key: str, aside: Aside) -> Any:
    """Take an array out; each has one place in a model, so that none is copied."""
    if key not in aside.arrays:
        raise ModelFileError(f"the array {key!r} is missing, or used twice")
    return aside.arrays.pop(key)


def checked_shape(shape: list[Any]) -> list[int]:
    """Return a shape that only whole numbers >= 0 make."""
    if not all(type(size) is int and size >= 0 for size in shape) or len(shape) > 8:
        raise ModelFileError("a shape must be a few whole numbers >= 0")
    return shape


def scalar(value: Any) -> Any:
    """Return the one entry of an array without dimensions."""
    if not isinstance(value, np.ndarray) or value.ndim:
        raise ModelFileError("a scalar must be one number")
    return value[()]


def objects(values: list[Any], kind: str) -> Any:
    """Return an array of objects or of texts.

    Texts of one width take that width each: one long text among many short ones would
    take far more memory than its file, and they stay objects.
    """
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # which may be an array itself
        array[place] = value
    if kind == "O":
        return array
    if not all(isinstance(value, str) for value in values):
        raise ModelFileError("an array of texts must hold texts")
    lengths = [len(value) for value in values]
    wide = 4 * len(values) * max(lengths, default=0)
    return array if wide > WIDE * (sum(lengths) + 2**12) else array.astype(str)


def dates(values: Any, unit: str) -> Any:
    """Return whole numbers as dates or spans of time."""
    if not isinstance(values, np.ndarray) or values.dtype != np.int64:
        raise ModelFileError("dates must be given by whole numbers")
    return values.view(unit)


def csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """Build sparse rows; every index is checked, for loops will trust them."""
    good = all(isinstance(part, np.ndarray) for part in (data, indices, indptr))
    good = good and data.ndim == indices.ndim == indptr.ndim == 1
    good = good and data.dtype.kind in "biuf"
    good = good and indices.dtype.kind == indptr.dtype.kind == "i"
    good = good and len(indptr) == shape[0] + 1 and len(data) == len(indices)
    good = good and indptr[0] == 0 and indptr[-1] == len(data)
    good = good and (np.diff(indptr) >= 0).all()
    if good and len(indices):
        good = indices.min() >= 0 and indices.max() < shape[1]
    if not good:
        raise ModelFileError("sparse rows must have valid indices")
    rows = sp.csr_array((data, indices, indptr), shape=shape)
    rows.sum_duplicates()
    return rows


def record_class(name: str) -> Any:
    """Find a record that is marked as stored.

    The estimators of a file are imported first, and their records with them; a record
    that users put in, such as a kernel, is a public name of its package.
    """
    package, _, public = name.partition(".")
    if name not in STORED and f"corollary.{package}" in packages():
        module = public_names(f"corollary.{package}").get(public)
        if module is not None:
            importlib.import_module(module)
    if name not in STORED:
        raise ModelFileError(f"{name!r} is no record of Corollary")
    return STORED[name]


def record(name: str, fields: dict[str, Any], aside: Aside) -> Any:
    """Build a record that may be stored, and hold its fields to their plain types."""
    cls = record_class(name)
    declared = dataclasses.fields(cls)
    if set(fields) != {field.name for field in declared}:
        raise ModelFileError(f"{name} has other fields")
    values = {key: value_of(tree, aside) for key, tree in fields.items()}
    for field in declared:
        allowed = PLAIN.get(str(field.type).removesuffix(" | None"))
        empty = values[field.name] is None and str(field.type).endswith("| None")
        if allowed is not None and not empty:
            if not isinstance(values[field.name], allowed):
                raise ModelFileError(f"{field.name} of {name} must be {field.type}")
    return cls(**values)
