"""Columns of a batch of examples, one for each feature, as arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.ops.io import example_wire as wire
from tinytf.ops.io.example_layouts import layouts

#: dtype -> the kind of `Feature`, and back to the words of messages.
KINDS = {dtypes.string: wire.BYTES, dtypes.float32: wire.FLOAT, dtypes.int64: wire.INT64}
_WORDS = {wire.BYTES: "string", wire.FLOAT: "float", wire.INT64: "int64"}
_COUNTED = {wire.BYTES: "bytes", wire.FLOAT: "float", wire.INT64: "int64"}
_LISTS = {wire.BYTES: "bytes_list", wire.FLOAT: "float_list", wire.INT64: "int64_list"}


class Batch:
    """Serialised examples, taken apart.

    Args:
      serialized: the messages.
      names: of the examples, for messages; may be empty.
      single: there is just one, and results have no dimension for the batch.
      wanted: the keys of the features, with their types.

    Raises:
      InvalidArgumentError: "Could not parse example input, value: '...'".
    """

    def __init__(
        self,
        serialized: Sequence[bytes],
        names: Sequence[bytes],
        single: bool,
        wanted: Mapping[bytes, dtypes.DType],
    ):
        self.serialized, self.names, self.single = serialized, names, single
        self._wanted = wanted
        known = layouts(tuple(wanted), tuple(KINDS[dtype] for dtype in wanted.values()))
        rows = known.rows(serialized)
        #: The bytes of the values of each feature, if all examples are laid out as others are.
        self.plain: dict[bytes, Sequence[bytes | None]] | None = None
        if rows:
            self.plain = dict(zip(wanted, zip(*rows)))
        else:
            _ = self.columns  # what is damaged is noticed at once, whatever is asked for

    @functools.cached_property
    def columns(self) -> dict[bytes, list[wire.Values | None]]:
        """The kind and the places of the values of each feature in each example.

        Raises:
          InvalidArgumentError: "Could not parse example input, value: '...'".
        """
        serialized, names = self.serialized, self.names
        columns: dict[bytes, list[wire.Values | None]] = {key: [] for key in self._wanted}
        wanted = list(columns.items())
        for index, data in enumerate(serialized):
            try:
                found = wire.features(data)
                for key, column in wanted:
                    feature = found.get(key)
                    value = None if feature is None else wire.values(data, feature)
                    column.append(value if value is not None and value[0] else None)
            except wire.MalformedError:
                raise _malformed(data, index, names) from None
        return columns

    # Errors -------------------------------------------------------------------------------------

    def _where(self, key: bytes, index: int) -> str:
        if self.single:
            return f"Key: {_text(key)}.  "
        return f"Name: {self._name(index)}, Key: {_text(key)}, Index: {index}.  "

    def _name(self, index: int) -> str:
        return _text(self.names[index]) if len(self.names) else "<unknown>"

    def _missing(self, key: bytes, index: int, kind: int) -> InvalidArgumentError:
        name = "" if self.single else f"Name: {self._name(index)}, "
        there = sorted(map(_text, wire.features(self.serialized[index])))
        return invalid(
            f"{name}Feature: {_text(key)} (data type: {_WORDS[kind]}) is required but could not be "
            f"found. The example has {', '.join(there) or 'no features at all'}; a default_value "
            "makes a feature optional"
        )

    def _wrong_kind(
        self, key: bytes, index: int, found: int, wanted: int, sparse: bool
    ) -> InvalidArgumentError:
        says = (
            f"Expected type: {_WORDS[wanted]}, Actual type: {_WORDS[found]}"
            if sparse
            else f"Data type: {_WORDS[found]} but expected type: {_WORDS[wanted]}"
        )
        return invalid(
            f"{self._where(key, index)}Data types don't match. {says}. It was written as "
            f"{_LISTS[found]}, and the features given to the parser ask for {_LISTS[wanted]}"
        )

    def _wrong_count(
        self, key: bytes, index: int, kind: int, count: int, shape: Sequence[Any]
    ) -> InvalidArgumentError:
        start = self._where(key, index)
        if self.single:
            start += "Can't parse serialized Example.  "
        if shape and shape[0] is None:
            sizes = ",".join(["?", *map(str, shape[1:])])
            return invalid(
                f"{start}Number of {_COUNTED[kind]} values is not a multiple of stride length. "
                f"Saw {count} values but output shape is: [{sizes}]"
            )
        return invalid(
            f"{start}Number of {_COUNTED[kind]} values != expected.  Values size: {count} but "
            f"output shape: [{','.join(map(str, shape))}]. "
            f"tf.FixedLenFeature([{count}], ...) takes so many of each example, tf.VarLenFeature "
            f"any number"
        )

    # Columns ------------------------------------------------------------------------------------

    def _values(
        self, key: bytes, kind: int, sparse: bool
    ) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """All values of a column, how many each example has, and which examples lack it."""
        if self.plain is not None and KINDS[self._wanted[key]] == kind:
            column = self.plain[key]
            missing = (
                [n for n, value in enumerate(column) if value is None] if None in column else []
            )
            if kind == wire.BYTES:
                texts = [value for value in column if value is not None]
                counts = np.ones(len(column), np.int64)
                counts[missing] = 0
                return _object_array(texts), counts, missing
            return *self._numbers([value or b"" for value in column], kind), missing
        spans: list[list[wire.Span]] = []
        missing = []
        for index, value in enumerate(self.columns[key]):
            if value is None:
                missing.append(index)
            elif value[0] != kind:
                raise self._wrong_kind(key, index, value[0], kind, sparse)
            spans.append(value[1] if value else [])
        pairs = zip(self.serialized, spans)
        if kind == wire.BYTES:
            texts = [data[a:b] for data, places in pairs for a, b in places]
            return _object_array(texts), np.array([*map(len, spans)], np.int64), missing
        payloads = [wire.payload(data, places) if places else b"" for data, places in pairs]
        return *self._numbers(payloads, kind), missing

    def _numbers(self, payloads: list[bytes], kind: int) -> tuple[np.ndarray, np.ndarray]:
        lengths = np.fromiter(map(len, payloads), np.int64, len(payloads))
        joined = b"".join(payloads)
        try:
            if kind == wire.INT64:
                if joined.isascii():  # numbers below 128, each one byte
                    return np.frombuffer(joined, np.uint8).astype(np.int64), lengths
                return wire.integers(joined), wire.count_integers(payloads)
            counts = lengths >> 2
            if len(joined) % 4 or (counts << 2 != lengths).any():
                raise wire.MalformedError
            return wire.floats(joined), counts
        except wire.MalformedError:
            raise self._malformed_values(payloads, kind) from None

    def _malformed_values(self, payloads: list[bytes], kind: int) -> InvalidArgumentError:
        for index, payload in enumerate(payloads):
            try:
                (wire.floats if kind == wire.FLOAT else wire.integers)(payload)
            except wire.MalformedError:
                return _malformed(self.serialized[index], index, self.names)
        raise AssertionError("one of them is malformed")

    def dense(self, key: bytes, dtype: dtypes.DType, shape: Sequence[int], default: Any) -> Any:
        """A feature with a fixed number of values: [batch, *shape]."""
        kind, size = KINDS[dtype], int(np.prod(shape, dtype=np.int64))
        flat, counts, missing = self._values(key, kind, sparse=False)
        if missing and not default.size:
            raise self._missing(key, missing[0], kind)
        wrong = np.flatnonzero(counts != size)
        if len(wrong) > len(missing):
            wrong = np.setdiff1d(wrong, missing)
            raise self._wrong_count(key, int(wrong[0]), kind, int(counts[wrong[0]]), shape)
        if missing:
            there = np.ones(len(counts), bool)
            there[missing] = False
            rows = np.empty((len(counts), size), dtype.as_numpy_dtype)
            rows[there] = flat.reshape(-1, size) if size else rows[there]
            rows[missing] = default.reshape(-1)
            flat = rows
        return flat.reshape((*shape,) if self.single else (len(counts), *shape))

    def variable(self, key: bytes, dtype: dtypes.DType, shape: Sequence[Any], padding: Any) -> Any:
        """A feature with any number of blocks: [batch, most blocks, *block], padded."""
        kind, stride = KINDS[dtype], int(np.prod(shape[1:], dtype=np.int64))
        flat, counts, _ = self._values(key, kind, sparse=False)
        wrong = np.flatnonzero(counts % stride if stride else counts)
        if wrong.size:
            raise self._wrong_count(key, int(wrong[0]), kind, int(counts[wrong[0]]), shape)
        if self.single:
            return flat.reshape(-1, *shape[1:]) if stride else flat.reshape(0, *shape[1:])
        longest = int(counts.max(initial=0))
        if (counts == longest).all():
            rows = flat
        else:
            rows = np.full((len(counts), longest), padding, dtype.as_numpy_dtype)
            rows[np.arange(longest) < counts[:, np.newaxis]] = flat
        blocks = longest // stride if stride else 0
        return rows.reshape(len(counts), blocks, *shape[1:])

    def sparse(self, key: bytes, dtype: dtypes.DType) -> tuple[Any, Any, Any]:
        """A feature with any number of values: indices, values and shape of a sparse tensor."""
        kind = KINDS[dtype]
        flat, counts, _ = self._values(key, kind, sparse=True)
        if self.single:
            places = np.arange(len(flat), dtype=np.int64).reshape(-1, 1)
            return places, flat, np.array([len(flat)], np.int64)
        sizes = np.array([len(counts), counts.max(initial=0)], np.int64)
        return indices(counts), flat, sizes

    def ragged(self, key: bytes, dtype: dtypes.DType, splits: dtypes.DType) -> tuple[Any, Any]:
        """The values, and where those of each example begin and the last end."""
        kind = KINDS[dtype]
        flat, counts, _ = self._values(key, kind, sparse=True)
        if self.single:
            return flat, np.zeros(0, splits.as_numpy_dtype)
        return flat, np.cumsum([0, *counts.tolist()]).astype(splits.as_numpy_dtype)


def indices(counts: np.ndarray) -> np.ndarray:
    """[row, place in the row] of every value, if each row has so many: int64 [values, 2]."""
    result = np.empty((int(counts.sum()), 2), np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    result[:, 0] = rows
    result[:, 1] = np.arange(len(result)) - (np.cumsum(counts) - counts)[rows]
    return result


def _object_array(texts: list[bytes]) -> np.ndarray:
    result = np.empty(len(texts), object)
    result[:] = texts
    return result


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def _malformed(data: bytes, index: int, names: Sequence[bytes]) -> InvalidArgumentError:
    """The error for bytes that are no example; the start of long ones is enough."""
    shown = _text(data[:100]) + (f"... ({len(data)} bytes)" if len(data) > 100 else "")
    name = f"Name: {_text(names[index])}, " if len(names) else ""
    return invalid(
        f"Could not parse example input, value: '{shown}'  ({name}Index: {index}: these bytes are "
        "no serialized tf.train.Example)"
    )
