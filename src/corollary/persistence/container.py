"""The bytes of a model file: safetensors, with a tree and a checksum in its header.

The checksum is the SHA-256 of the whole file, taken with zeros in its own place, so
that no byte can change unnoticed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from typing import Any

import numpy as np

from corollary.core.errors import ModelFileError

__all__ = ["FORMAT", "LARGEST", "packed", "read_file", "unpacked"]

FORMAT = 3
DTYPES = {
    "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64",
    "F32": "float32", "F64": "float64",
}  # fmt: skip
BLANK = "0" * 64  # where the checksum will stand
CHECKSUM = re.compile(rb'"checksum":"([0-9a-f]{64})"')  # quotes in a tree are escaped
LARGEST = 2**64  # no number in a tree needs more
NODE = 72  # bytes of memory that a list, a number or a short text takes at most
PAIR = 200  # and a key with its place in an object
FLOAT = b'{"float": "'  # an object that is read as a number
TIMES = 6  # bytes of memory that a tree may take for each byte of its file
ANY_TREE = 2**26  # bytes that every tree may take


def packed(tree: dict[str, Any], arrays: dict[str, Any]) -> list[Any]:
    """Return the content of a file, in pieces."""
    from safetensors.numpy import save as to_bytes

    text = json.dumps(tree, allow_nan=False)
    content = to_bytes(arrays, metadata={"corollary": text, "checksum": BLANK})
    begin, end = checksum_place(content)
    whole = memoryview(content)
    digest = hashlib.sha256(content).hexdigest().encode()
    return [whole[:begin], digest, whole[end:]]


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a file; a directory, a pipe or a device is none."""
    kind = os.stat(path)
    if not stat.S_ISREG(kind.st_mode):
        other = "a directory" if stat.S_ISDIR(kind.st_mode) else "a pipe or device"
        raise ModelFileError(f"it must be a file; got {other}")
    with open(path, "rb") as file:
        return file.read(kind.st_size)


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tree and the arrays of a file whose every byte was checked."""
    from safetensors import SafetensorError
    from safetensors import deserialize as tensors_in

    tree = tree_in(content)
    begin, end = checksum_place(content)
    whole = memoryview(content)
    found = hashlib.sha256(whole[:begin])
    found.update(BLANK.encode())
    found.update(whole[end:])
    if found.hexdigest().encode() != content[begin:end]:
        must = (
            "its checksum must be that of its content; the file was damaged or altered"
        )
        raise ModelFileError(f"{must}. Save the model again, or copy the file again")
    try:
        tensors = tensors_in(content)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise ModelFileError(f"{error}") from None
    return tree, {key: array_of(tensor) for key, tensor in tensors}


def header_of(content: bytes) -> bytes:
    """Return the header of a safetensors file."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ModelFileError("it is no safetensors file, or its end is missing")
    return content[8 : 8 + size]


def checksum_place(content: bytes) -> tuple[int, int]:
    """Find where the one checksum of a header begins and ends."""
    found = list(CHECKSUM.finditer(header_of(content)))
    if len(found) != 1:
        raise ModelFileError("its header must hold one checksum")
    begin, end = found[0].span(1)
    return begin + 8, end + 8


def tree_in(content: bytes) -> dict[str, Any]:
    """Read the tree, and refuse one of another format."""
    room = TIMES * len(content) + ANY_TREE
    header = strict_json(header_of(content), room)
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    text = metadata.get("corollary") if isinstance(metadata, dict) else None
    if not isinstance(text, str) or not text.isascii():
        raise ModelFileError("it is no model file of Corollary")
    del header, metadata
    tree = strict_json(text.encode(), room)
    if not isinstance(tree, dict) or type(tree.get("format")) is not int:
        raise ModelFileError("its tree must name a format")
    version = tree.get("version")
    if not isinstance(version, str) or not re.fullmatch(r"[\w.+]{1,40}", version):
        raise ModelFileError("its tree must name the version that wrote it")
    if tree["format"] > FORMAT:
        raise ModelFileError(
            f"its format must be {FORMAT} for this Corollary; got {tree['format']}, "
            f"written by Corollary {version}. Upgrade Corollary"
        )
    if tree["format"] < FORMAT:
        raise ModelFileError(
            f"its format must be {FORMAT}; got {tree['format']}, which had no "
            "checksum. Fit and save the model again"
        )
    return tree


def strict_json(text: bytes, room: int) -> Any:
    """Read JSON as `save` writes it: whole numbers of 64 bits, no key twice.

    `room` is the memory that may be taken for it.
    """
    if not text.isascii():
        raise ModelFileError("it is no model file of Corollary")
    if memory_of(text) > room:
        raise ModelFileError("its tree would take far more memory than its file")
    try:
        return json.loads(
            text.decode(),
            object_pairs_hook=object_of,
            parse_int=whole_number,
            parse_float=no_such_number,
            parse_constant=no_such_number,
        )
    except RecursionError:
        raise ModelFileError("its tree is nested too deeply") from None


def memory_of(text: bytes) -> int:
    """Bound the memory that JSON takes once read: count what stands outside texts."""
    blanks = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    letters = np.frombuffer(blanks, np.uint8)
    outside = ~np.bitwise_xor.accumulate(letters == ord('"'))
    lists, objects, commas, pairs = (
        int(np.count_nonzero(outside & (letters == ord(mark)))) for mark in "[{,:"
    )
    floats = text.count(FLOAT)  # inside a text their quotes would be escaped
    return NODE * (1 + lists + objects + commas - floats) + PAIR * (pairs - floats)


def object_of(pairs: list[tuple[str, Any]]) -> Any:
    """Make a dict of the pairs of an object, or the number that its bits are.

    A key that comes twice is refused.
    """
    if len(pairs) == 1 and pairs[0][0] == "float":
        if not isinstance(pairs[0][1], str):
            raise ModelFileError("a number must be given by its bits")
        number = float.fromhex(pairs[0][1])
        return number if number == number else np.nan  # as a default parameter is
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("its tree holds a key twice")
    return found


def whole_number(digits: str) -> int:
    """Read a whole number of at most 64 bits."""
    if len(digits) > 21 or abs(int(digits)) >= LARGEST:
        raise ModelFileError(f"a whole number must have 64 bits; got {digits[:30]}")
    return int(digits)


def no_such_number(digits: str) -> Any:
    """Refuse a number that `save` does not write; it writes the bits of a float."""
    raise ModelFileError(f"{digits[:30]} is not written by save")


def array_of(tensor: dict[str, Any]) -> Any:
    """Return an array that holds the bytes of a tensor, uncopied."""
    if tensor["dtype"] not in DTYPES:
        raise ModelFileError(f"arrays of {tensor['dtype']} are not written by save")
    dtype = np.dtype(DTYPES[tensor["dtype"]])
    if not len(tensor["data"]):
        return np.empty(tensor["shape"], dtype)
    values = np.frombuffer(tensor["data"], dtype)
    if dtype == np.bool_ and (values.view(np.uint8) > 1).any():
        raise ModelFileError("a truth value must be 0 or 1")
    return values.reshape(tensor["shape"])
