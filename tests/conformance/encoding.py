"""Arrays, byte strings and plain values as bytes, for recordings and pipes. Never pickle.

The plain structure travels as JSON; arrays and byte strings lie one after the other in a block of
data, and the JSON says where. Reading checks every bound and evaluates nothing.
"""

from __future__ import annotations

import io
import json
import math
import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tests.oracle.environment import write_atomically

_LENGTHS = struct.Struct(">QQ")


def encode(tree: Any) -> tuple[bytes, bytes]:
    """A tree of dictionaries, lists, plain values, arrays and bytes, as (JSON, data)."""
    data = bytearray()

    def place(content: bytes) -> list[int]:
        data.extend(content)
        return [len(data) - len(content), len(content)]

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        if isinstance(value, bytes):
            return {"$bytes": place(value)}
        if isinstance(value, np.ndarray):
            if value.dtype.kind in "OSU":
                items = [as_bytes(item) for item in value.ravel()]
                lengths = [len(item) for item in items]
                return {"$strings": [list(value.shape), lengths, *place(b"".join(items))]}
            return {"$array": [value.dtype.name, list(value.shape), *place(value.tobytes())]}
        return value

    text = json.dumps(plain(tree), sort_keys=True, separators=(",", ":"))
    return text.encode(), bytes(data)


def decode(text: bytes, data: bytes) -> Any:
    """The tree that `encode` was given. ValueError if the two do not belong together."""

    def cut(start: int, length: int) -> bytes:
        if start < 0 or length < 0 or start + length > len(data):
            raise ValueError(f"Bytes {start} to {start + length} of {len(data)} were asked for.")
        return data[start : start + length]

    def strings(shape: list[int], lengths: list[int], start: int, length: int) -> np.ndarray:
        cut(start, length)
        items = np.empty(len(lengths), object)
        for index, size in enumerate(lengths):
            items[index] = cut(start, size)
            start += size
        return items.reshape(shape)

    def array(dtype_name: str, shape: list[int], start: int, length: int) -> np.ndarray:
        dtype = numpy_dtype(dtype_name)
        if math.prod(shape) * dtype.itemsize != length:
            raise ValueError(f"{length} bytes do not make {dtype_name} elements of shape {shape}.")
        return np.frombuffer(cut(start, length), dtype).reshape(shape).copy()

    def tree(value: Any) -> Any:
        if isinstance(value, list):
            return [tree(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$bytes" in value:
            return cut(*value["$bytes"])
        if "$strings" in value:
            return strings(*value["$strings"])
        if "$array" in value:
            return array(*value["$array"])
        return {key: tree(item) for key, item in value.items()}

    return tree(json.loads(text))


def numpy_dtype(name: str) -> np.dtype:
    """The numpy dtype of a name, bfloat16 and its like included."""
    return np.dtype(getattr(ml_dtypes, name, name))


def as_bytes(item: Any) -> bytes:
    """A string element as bytes."""
    return item.encode() if isinstance(item, str) else bytes(item)


def write_file(path: Path, tree: Any) -> None:
    """Write a tree as .npz with the arrays "text" and "data"."""
    text, data = (np.frombuffer(part, np.uint8) for part in encode(tree))
    file = io.BytesIO()
    np.savez_compressed(file, text=text, data=data)
    write_atomically(path, file.getvalue())


def read_file(path: Path) -> Any:
    """Read what `write_file` wrote."""
    with np.load(path, allow_pickle=False) as file:
        return decode(file["text"].tobytes(), file["data"].tobytes())


def read_outline(path: Path) -> Any:
    """Read what `write_file` wrote, without its arrays, texts and bytes: much faster."""
    with np.load(path, allow_pickle=False) as file:
        return json.loads(file["text"].tobytes())


def frame(tree: Any) -> bytes:
    """A tree for a pipe: two lengths, then JSON and data."""
    text, data = encode(tree)
    return _LENGTHS.pack(len(text), len(data)) + text + data


def read_frame(read: Any) -> Any:
    """Read one framed tree by `read(size) -> bytes`; None at the end of the pipe."""
    head = read(_LENGTHS.size)
    if not head:
        return None
    text_length, data_length = _LENGTHS.unpack(head)
    return decode(read(text_length), read(data_length))
