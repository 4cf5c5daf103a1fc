"""Sequence examples as arrays: their context, and their feature lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.ops.io import example_wire as wire
from tinytf.ops.io.example_columns import KINDS, indices
from tinytf.ops.strings.string_cards import texts

_WORDS = {wire.BYTES: "string", wire.FLOAT: "float", wire.INT64: "int64"}


class SequenceBatch:
    """Serialised sequence examples.

    Args:
      serialized: a vector of strings, or a single one. names: of them, for messages; may be empty.

    Raises:
      InvalidArgumentError: "Invalid protocol message input", "example_names must be empty or ...".
    """

    def __init__(self, serialized: Any, names: Any):
        self.single = np.ndim(serialized) == 0
        self.serialized, self.names = texts(serialized), texts(names)
        if self.names and len(self.names) != len(self.serialized):
            raise invalid(
                "example_names must be empty or have the correct number of elements: there are "
                f"{len(self.names)} names for {len(self.serialized)} examples"
            )
        self._context = [self._parts(index, 1) for index in range(len(self.serialized))]
        self._lists = [self._parts(index, 2) for index in range(len(self.serialized))]

    def _parts(self, index: int, field: int) -> dict[bytes, wire.Span]:
        try:
            return wire.features(self.serialized[index], field)
        except wire.MalformedError:
            raise self._malformed(index) from None

    def _malformed(self, index: int) -> InvalidArgumentError:
        return invalid(
            f"Invalid protocol message input, example id: {self._name(index)} (Index: {index}: "
            f"these {len(self.serialized[index])} bytes are no serialized tf.train.SequenceExample)"
        )

    def _name(self, index: int) -> str:
        return _text(self.names[index]) if self.names else "<unknown>"

    def _values(self, index: int, feature: wire.Span, kind: int, what: str) -> Any:
        """The values of one feature; None if it has no kind.

        Raises:
          InvalidArgumentError: "Name: A, Context feature: n.  Data types don't match. ..."
        """
        data = self.serialized[index]
        try:
            found, spans = wire.values(data, feature)
            if not found:
                return None
            if found != kind:
                raise invalid(
                    f"Name: {self._name(index)}, {what}.  Data types don't match. Expected type: "
                    f"{_WORDS[kind]}, but it was written with type: {_WORDS[found]}"
                )
            if kind == wire.BYTES:
                return [data[begin:end] for begin, end in spans]
            read = wire.floats if kind == wire.FLOAT else wire.integers
            return read(wire.payload(data, spans))
        except wire.MalformedError:
            raise self._malformed(index) from None

    def _column(self, key: bytes, kind: int) -> list[Any]:
        """The values of a feature of the context, for each example; None where it is missing."""
        what = f"Context feature: {_text(key)}"
        return [
            None if key not in found else self._values(index, found[key], kind, what)
            for index, found in enumerate(self._context)
        ]

    def context(
        self,
        sparse: Sequence[tuple[bytes, dtypes.DType]],
        dense: Sequence[tuple[bytes, dtypes.DType, Any, Any]],
        ragged: Sequence[tuple[bytes, dtypes.DType, dtypes.DType]] = (),
    ) -> list[Any]:
        """The outputs of the context, in order."""
        parsed = []
        for key, dtype in sparse:
            column = [() if v is None else v for v in self._column(key, KINDS[dtype])]
            counts = np.array([*map(len, column)], np.int64)
            places = indices(counts)
            sizes = np.array([len(counts), counts.max(initial=0)], np.int64)
            start = 1 if self.single else 0
            parsed.append((places[:, start:], joined(column, dtype), sizes[start:]))
        outputs = [part for place in range(3) for part in (triple[place] for triple in parsed)]
        outputs += [self._dense(*entry) for entry in dense]
        lists = []
        for key, dtype, splits in ragged:
            column = [() if v is None else v for v in self._column(key, KINDS[dtype])]
            ends = np.cumsum([0, *map(len, column)]).astype(splits.as_numpy_dtype)
            lists.append((joined(column, dtype), ends[:0] if self.single else ends))
        return outputs + [values for values, _ in lists] + [splits for _, splits in lists]

    def _dense(self, key: bytes, dtype: dtypes.DType, shape: Any, default: Any) -> Any:
        size, column = shape.num_elements(), self._column(key, KINDS[dtype])
        for index, values in enumerate(column):
            if values is None and np.size(default) == size:
                column[index] = np.ravel(default)
            elif values is None or len(values) != size:
                found = 0 if values is None else len(values)
                raise invalid(
                    f"Inconsistent max number of elements for feature {_text(key)}: expected "
                    f"{size}, but found {found} (Name: {self._name(index)}, Index: {index}; a "
                    "feature may be missing where it has a default_value)"
                )
        lead = () if self.single else (len(column),)
        return joined(column, dtype).reshape((*lead, *shape.as_list()))

    # Feature lists ------------------------------------------------------------------------------

    def _steps(self, key: bytes, kind: int) -> list[list[Any] | None]:
        """For each example, the values of each step; None where the list is missing."""
        result: list[list[Any] | None] = []
        for index, found in enumerate(self._lists):
            if key not in found:
                result.append(None)
                continue
            try:
                spans = wire.parts(self.serialized[index], found[key], 1)
            except wire.MalformedError:
                raise self._malformed(index) from None
            what = f"Feature list: {_text(key)}, Index: "
            result.append(
                [
                    self._values(index, span, kind, what + str(step))
                    for step, span in enumerate(spans)
                ]
            )
        return result

    def lists(
        self,
        sparse: Sequence[tuple[bytes, dtypes.DType]],
        dense: Sequence[tuple[bytes, dtypes.DType, Any, bool]],
        ragged: Sequence[tuple[bytes, dtypes.DType, dtypes.DType]] = (),
    ) -> list[Any]:
        """The outputs of the feature lists, in order."""
        parsed = [self._sparse_list(key, dtype) for key, dtype in sparse]
        outputs = [part for place in range(3) for part in (triple[place] for triple in parsed)]
        padded = [self._dense_list(*entry) for entry in dense]
        outputs += [values for values, _ in padded] + [lengths for _, lengths in padded]
        lists = [self._ragged_list(*entry) for entry in ragged]
        return outputs + [part for place in range(3) for part in (three[place] for three in lists)]

    def _sparse_list(self, key: bytes, dtype: dtypes.DType) -> tuple[Any, Any, Any]:
        column = [steps or [] for steps in self._steps(key, KINDS[dtype])]
        flat = [() if values is None else values for steps in column for values in steps]
        steps = np.array([*map(len, column)], np.int64)
        counts = np.array([*map(len, flat)], np.int64)
        rows, places = indices(steps), indices(counts)
        triples = np.concatenate([rows[places[:, 0]], places[:, 1:]], axis=1)
        sizes = [len(column), steps.max(initial=0), counts.max(initial=0)]
        start = 1 if self.single else 0
        return triples[:, start:], joined(flat, dtype), np.array(sizes[start:], np.int64)

    def _ragged_list(
        self, key: bytes, dtype: dtypes.DType, splits: dtypes.DType
    ) -> tuple[Any, Any, Any]:
        column = [steps or [] for steps in self._steps(key, KINDS[dtype])]
        flat = [() if values is None else values for steps in column for values in steps]
        outer = np.cumsum([0, *map(len, column)]).astype(splits.as_numpy_dtype)
        inner = np.cumsum([0, *map(len, flat)]).astype(splits.as_numpy_dtype)
        return joined(flat, dtype), outer[:0] if self.single else outer, inner

    def _dense_list(
        self, key: bytes, dtype: dtypes.DType, shape: Any, may_lack: bool
    ) -> tuple[Any, Any]:
        sizes, size = shape.as_list(), shape.num_elements()
        column = self._steps(key, KINDS[dtype])
        for index, steps in enumerate(column):
            if steps is None and not may_lack:
                raise self._missing_list(key, index)
            for step, values in enumerate(steps or ()):
                count = 0 if values is None else len(values)
                if count != size:
                    raise invalid(
                        f"Name: {self._name(index)}, Key: {_text(key)}, Index: {step}.  Number of "
                        f"values != expected.  values size: {count} but output shape: "
                        f"[{','.join(map(str, sizes))}]. Feature list '{_text(key)}' has an "
                        "unexpected number of values"
                    )
        lengths = np.array([len(steps or ()) for steps in column], np.int64)
        longest = int(lengths.max(initial=0))
        flat = joined([values for steps in column for values in steps or ()], dtype)
        rows = np.zeros((len(column), longest, size), dtype.as_numpy_dtype)
        if dtype is dtypes.string:
            rows.fill(b"")
        rows[np.arange(longest) < lengths[:, np.newaxis]] = flat.reshape(-1, size)
        if self.single:
            return rows.reshape(longest, *sizes), np.int64(longest)
        return rows.reshape(len(column), longest, *sizes), lengths

    def _missing_list(self, key: bytes, index: int) -> InvalidArgumentError:
        there = ", ".join(sorted(map(_text, self._lists[index]))) or "no lists"
        return invalid(
            f"Name: {self._name(index)}, Feature list '{_text(key)}' is required but could not be "
            "found.  Did you mean to include it in feature_list_dense_missing_assumed_empty or "
            f"feature_list_dense_defaults? The example has {there}; "
            "tf.FixedLenSequenceFeature(..., allow_missing=True) takes a missing list for an empty "
            "one"
        )


def joined(pieces: Sequence[Any], dtype: dtypes.DType) -> np.ndarray:
    """The values of many features, one after the other."""
    if dtype is dtypes.string:
        flat = [text for piece in pieces for text in piece]
        result = np.empty(len(flat), object)
        result[:] = flat
        return result
    arrays = [np.asarray(piece, dtype.as_numpy_dtype) for piece in pieces if len(piece)]
    return np.concatenate(arrays) if arrays else np.empty(0, dtype.as_numpy_dtype)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
