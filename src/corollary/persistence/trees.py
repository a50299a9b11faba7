"""From a model to a JSON tree, with its arrays aside."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from corollary.core.errors import ParameterError, sentence
from corollary.core.records import STORED, record_name
from corollary.core.report import Report
from corollary.persistence.container import LARGEST
from corollary.registry import ESTIMATORS

__all__ = ["NUMERIC", "is_ours", "model_tree"]

NUMERIC = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
)


def is_ours(model: Any) -> bool:
    """Tell whether a value is an estimator in the table."""
    name = type(model).__name__
    return ESTIMATORS.get(name) == type(model).__module__


def is_stored(value: Any) -> bool:
    """Tell whether a value is a record that is marked as stored."""
    return type(value) in STORED.values() and dataclasses.is_dataclass(value)


def model_tree(model: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return class, parameters and what was learned."""
    name, parameters = type(model).__name__, model.get_params(deep=False)
    learned = {k: v for k, v in vars(model).items() if k not in parameters}
    return {
        "class": name,
        "parameters": tree_of(parameters, arrays, name),
        "learned": tree_of(learned, arrays, name),
    }


def tree_of(value: Any, arrays: dict[str, Any], who: str) -> Any:
    """Turn a value into JSON; arrays go aside and leave their number."""
    if isinstance(value, int) and abs(value) >= LARGEST:
        must = "whole numbers to be saved must have at most 64 bits"
        raise ParameterError(sentence(who, must, f"{value:.3g}"))
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.generic) and value.dtype.name in NUMERIC:
        return {"scalar": tree_of(np.asarray(value), arrays, who)}
    if isinstance(value, np.ndarray):
        return array_tree(value, arrays, who)
    if sp.issparse(value):
        return sparse_tree(value, arrays, who)
    if isinstance(value, np.dtype) or value in (np.float32, np.float64):
        return {"dtype": np.dtype(value).name}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [tree_of(item, arrays, who) for item in value]}
    if isinstance(value, dict):
        items = [
            [tree_of(k, arrays, who), tree_of(v, arrays, who)] for k, v in value.items()
        ]
        return {"dict": items}
    if isinstance(value, Report):
        return {"report": tree_of(value.to_dict(), arrays, who)}
    if is_ours(value):
        return {"estimator": model_tree(value, arrays)}
    name = type(value).__name__
    if isinstance(value, BaseEstimator):
        must = "an estimator inside a model to be saved must be one of Corollary's"
        raise ParameterError(sentence(who, must, f"a {type(value).__module__}.{name}"))
    if is_stored(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {
            "record": record_name(type(value)),
            "fields": {k: tree_of(v, arrays, who) for k, v in fields.items()},
        }
    must = "a model to be saved must hold plain values and arrays"
    remedy = "Give whole numbers as random_state and arrays instead of functions."
    raise ParameterError(sentence(who, must, f"a {name}", remedy))


def array_tree(value: Any, arrays: dict[str, Any], who: str) -> Any:
    """Put an array of numbers aside; texts stay in the tree."""
    if value.dtype.kind in "OU":
        items = [tree_of(item, arrays, who) for item in value.ravel().tolist()]
        return {"objects": items, "kind": value.dtype.kind, "shape": list(value.shape)}
    if value.dtype.kind in "mM":
        whole = array_tree(value.astype(np.int64), arrays, who)
        return {"dates": whole, "unit": value.dtype.str[1:]}
    if value.dtype.name not in NUMERIC:
        must = "arrays to be saved must hold numbers, booleans, strings or dates"
        raise ParameterError(sentence(who, must, f"{value.dtype}"))
    key = f"a{len(arrays)}"
    arrays[key] = np.ascontiguousarray(value)
    return {"array": key, "shape": list(value.shape)}


def sparse_tree(value: Any, arrays: dict[str, Any], who: str) -> Any:
    """Put the three arrays of sparse rows aside."""
    rows = sp.csr_array(value)
    parts = (rows.data, rows.indices, rows.indptr)
    kept = [array_tree(part, arrays, who) for part in parts]
    return {"csr": kept, "shape": list(rows.shape)}
