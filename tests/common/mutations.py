"""Model files that no `save` wrote: damaged bytes, and trees forged with care."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
from safetensors.numpy import load as arrays_in

from corollary.persistence.container import header_of, packed

WORDS = ["", "stop", "os.system", "nan", "rbf", "linear", "auto", "None", "é\ud800\x00"]
NUMBERS = [0, -1, 1, 2, 3, 7, 255, 2**31, 10**12, 2**63 - 1, -(2**63), 2**64, 10**400]
FLOATS = [0.0, -1.0, 1.0, 0.5, 1e-320, 1e308, np.inf, -np.inf, np.nan]


def parts_of(content: bytes) -> tuple[Any, Any]:
    """Return the tree and the arrays of a good file."""
    metadata = json.loads(header_of(content))["__metadata__"]
    return json.loads(metadata["corollary"]), arrays_in(content)


def sealed(tree: Any, arrays: Any) -> bytes:
    """Return a file with a valid checksum."""
    return b"".join(packed(tree, arrays))


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip a bit, set a byte, cut, double or shift the bytes of a file."""
    data = bytearray(content)
    at = int(rng.integers(len(data)))
    match int(rng.integers(6)):
        case 0:
            data[at] ^= 1 << int(rng.integers(8))
        case 1:
            data[at] = (data[at] + 1 + int(rng.integers(255))) % 256
        case 2:
            del data[at:]
        case 3:
            data[at:at] = data[at : at + 50] or b"x"
        case 4:
            data[:8] = int(rng.choice([0, 1, 7, at, 2**31, 2**63 - 1])).to_bytes(
                8, "little"
            )
        case _:
            data += bytes(1 + at % 100)
    return bytes(data)


def places(tree: Any) -> list[tuple[Any, Any]]:
    """List every (container, key) of a tree."""
    found, todo = [], [tree]
    while todo:
        node = todo.pop()
        keys = node if isinstance(node, dict) else range(len(node))
        for key in list(keys):
            found.append((node, key))
            if isinstance(node[key], dict | list):
                todo.append(node[key])
    return found


def strange_value(rng: np.random.Generator, old: Any, others: list[Any]) -> Any:
    """Make up a value for a place in a tree."""
    pick = int(rng.integers(9))
    if pick == 0:
        return int(NUMBERS[int(rng.integers(len(NUMBERS)))])
    if pick == 1:
        return WORDS[int(rng.integers(len(WORDS)))]
    if pick == 2:
        return {"float": float(FLOATS[int(rng.integers(len(FLOATS)))]).hex()}
    if pick == 3:
        return [None, True, False][int(rng.integers(3))]
    if pick == 4:
        return [{"list": []}, {"dict": []}, {"tuple": [old]}, [], {}, 1.5][
            int(rng.integers(6))
        ]
    if pick == 5 and isinstance(old, int):
        return old + [-1, 1, 10, 10**6, 10**9][int(rng.integers(5))]
    if pick == 6:
        nested: Any = old
        for _ in range(int(rng.choice([1, 5, 50, 500]))):
            nested = {"list": [nested]}
        return nested
    node, key = others[int(rng.integers(len(others)))]
    return copy.deepcopy(node[key])


def forged(tree: Any, arrays: Any, rng: np.random.Generator) -> bytes:
    """Change a tree or its arrays in one to three places, and seal the file."""
    tree, arrays = copy.deepcopy(tree), dict(arrays)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        everywhere = places(tree)
        if not everywhere:
            break
        node, key = everywhere[int(rng.integers(len(everywhere)))]
        match int(rng.integers(8)):
            case 0 if isinstance(node, dict):
                node[f"{key}x"] = node.pop(key)
            case 1:
                del node[key]
            case 2 if arrays:
                change_array(arrays, rng)
            case 4:
                change_setting(tree, rng)
            case 3 if isinstance(node, list):
                node.append(copy.deepcopy(node[key]))
            case _:
                node[key] = strange_value(rng, node[key], everywhere)
    return sealed(tree, arrays)


def change_setting(tree: Any, rng: np.random.Generator) -> None:
    """Give a parameter or a learned value another number, or the value of another.

    The model may be one inside another.
    """
    inside = [node[key] for node, key in places(tree) if key == "estimator"]
    models = [tree, *(one for one in inside if isinstance(one, dict))]
    one_model = models[int(rng.integers(len(models)))]
    part = one_model.get(["parameters", "learned"][int(rng.integers(2))])
    pairs = part.get("dict") if isinstance(part, dict) else None
    good = [p for p in pairs or [] if isinstance(p, list) and len(p) == 2]
    if good:
        one, other = (good[int(rng.integers(len(good)))] for _ in range(2))
        numbers = [n for n in NUMBERS if 0 <= n < 2**63]
        number = int(numbers[int(rng.integers(len(numbers)))])
        decimal = {"float": float(FLOATS[int(rng.integers(len(FLOATS)))]).hex()}
        one[1] = [number, decimal, copy.deepcopy(other[1])][int(rng.integers(3))]


def change_array(arrays: Any, rng: np.random.Generator) -> None:
    """Give an array another type, another shape, other entries, or none."""
    keys = sorted(arrays)
    key = keys[int(rng.integers(len(keys)))]
    array = arrays[key].copy()
    match int(rng.integers(7)):
        case 0:
            kind = str(rng.choice(["float32", "float16", "int8", "uint64", "bool"]))
            with np.errstate(all="ignore"):
                arrays[key] = array.astype(kind)
        case 1:
            arrays[key] = array.reshape(-1)[: array.size // 2].copy()
        case 2:
            arrays[key] = np.concatenate([array.reshape(-1)] * 2)
        case 3 if array.size:
            extremes = [0, -1, 1, 127, np.nan, np.inf, 1e300, -(2**31)]
            value = extremes[int(rng.integers(len(extremes)))]
            with np.errstate(all="ignore"):
                new = np.array([value]).astype(array.dtype)
            array.reshape(-1)[int(rng.integers(array.size))] = new[0]
            arrays[key] = array
        case 4:
            del arrays[key]
        case 5:
            arrays[key] = arrays[keys[int(rng.integers(len(keys)))]]
        case _:
            arrays[key] = np.empty((0, *array.shape[1:]), array.dtype)
