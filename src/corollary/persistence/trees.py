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
from corollary.persistence import scikit_learn
from corollary.persistence.container import LARGEST
from corollary.registry import SAVED

__all__ = ["NUMERIC", "Aside", "is_ours", "may_be_saved", "model_tree"]

NUMERIC = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
)


@dataclasses.dataclass
class Aside:
    """What a tree does not hold itself: the arrays, and the models met so far."""

    arrays: dict[str, Any] = dataclasses.field(default_factory=dict)
    models: list[Any] = dataclasses.field(default_factory=list)  # each once, in order


def is_ours(model: Any) -> bool:
    """Tell whether a value is an estimator in the table."""
    name = type(model).__name__
    return SAVED.get(name) == type(model).__module__


def is_stored(value: Any) -> bool:
    """Tell whether a value is a record that is marked as stored."""
    return type(value) in STORED.values() and dataclasses.is_dataclass(value)


def may_be_saved(model: Any) -> bool:
    """Tell whether a value is an estimator that a file may hold."""
    return is_ours(model) or scikit_learn.is_known(model)


def model_tree(model: Any, aside: Aside) -> dict[str, Any]:
    """Return class, parameters and what was learned; a model met before, its number."""
    for number, other in enumerate(aside.models):
        if other is model:
            return {"same": number}
    name, ours = type(model).__name__, is_ours(model)
    if not ours:
        scikit_learn.refuse_unsafe(model, ParameterError)
    parameters = model.get_params(deep=False)
    tree = {
        "class": name if ours else f"{scikit_learn.PREFIX}{name}",
        "parameters": tree_of(parameters, aside, name),
        "learned": tree_of(scikit_learn.kept(model), aside, name),
    }
    aside.models.append(model)
    return tree


def tree_of(value: Any, aside: Aside, who: str) -> Any:
    """Turn a value into JSON; arrays go aside and leave their number."""
    if isinstance(value, int) and abs(value) >= LARGEST:
        must = "whole numbers to be saved must have at most 64 bits"
        raise ParameterError(sentence(who, must, f"{value:.3g}"))
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.generic) and value.dtype.name in NUMERIC:
        return {"scalar": tree_of(np.asarray(value), aside, who)}
    if isinstance(value, np.ndarray):
        return array_tree(value, aside, who)
    if sp.issparse(value):
        return sparse_tree(value, aside, who)
    if isinstance(value, np.dtype):
        return dtype_tree(value, who)
    if isinstance(value, type) and value in scikit_learn.TYPES:
        return {"type": value.__name__}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [tree_of(item, aside, who) for item in value]}
    if isinstance(value, dict):
        items = [
            [tree_of(k, aside, who), tree_of(v, aside, who)] for k, v in value.items()
        ]
        return {"dict": items}
    if isinstance(value, Report):
        return {"report": tree_of(value.to_dict(), aside, who)}
    if isinstance(value, slice):
        ends = (value.start, value.stop, value.step)
        return {"slice": [tree_of(end, aside, who) for end in ends]}
    if may_be_saved(value):
        return {"estimator": model_tree(value, aside)}
    name = type(value).__name__
    if scikit_learn.calibration_records().get(name) is type(value):
        return {"calibration": name, "fields": tree_of(vars(value), aside, who)}
    for known, function in scikit_learn.functions().items():
        if value is function:
            return {"function": known}
    if isinstance(value, BaseEstimator):
        must = "an estimator to be saved must be Corollary's or a listed one"
        raise ParameterError(sentence(who, must, f"a {type(value).__module__}.{name}"))
    if is_stored(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {
            "record": record_name(type(value)),
            "fields": {k: tree_of(v, aside, who) for k, v in fields.items()},
        }
    must = "a model to be saved must hold plain values and arrays"
    remedy = "Give whole numbers as random_state and arrays instead of functions."
    raise ParameterError(sentence(who, must, f"a {name}", remedy))


def dtype_tree(dtype: Any, who: str) -> Any:
    """Name the type of an array's entries."""
    if dtype.name not in (*NUMERIC, "object"):
        must = "types to be saved must be those of numbers, booleans or objects"
        raise ParameterError(sentence(who, must, f"{dtype}"))
    return {"dtype": dtype.name}


def array_tree(value: Any, aside: Aside, who: str) -> Any:
    """Put an array of numbers aside; texts stay in the tree."""
    if value.dtype.kind in "OU":
        items = [tree_of(item, aside, who) for item in value.ravel().tolist()]
        return {"objects": items, "kind": value.dtype.kind, "shape": list(value.shape)}
    if value.dtype.kind in "mM":
        whole = array_tree(value.astype(np.int64), aside, who)
        return {"dates": whole, "unit": value.dtype.str[1:]}
    if value.dtype.name not in NUMERIC:
        must = "arrays to be saved must hold numbers, booleans, strings or dates"
        raise ParameterError(sentence(who, must, f"{value.dtype}"))
    key = f"a{len(aside.arrays)}"
    aside.arrays[key] = np.ascontiguousarray(value)
    return {"array": key, "shape": list(value.shape)}


def sparse_tree(value: Any, aside: Aside, who: str) -> Any:
    """Put the three arrays of sparse rows aside."""
    rows = sp.csr_array(value)
    parts = (rows.data, rows.indices, rows.indptr)
    kept = [array_tree(part, aside, who) for part in parts]
    return {"csr": kept, "shape": list(rows.shape)}
