"""The operations that parse examples. `examples.py` has the functions that build them.

The kernels take the step so that no example is parsed while the graph is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.io.example_columns import Batch
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts

_TYPES = "list({float, int64, string}) >= 0"


def lead_sizes(c: InferenceContext, what: str = "") -> tuple[int | None, ...] | None:
    """The sizes of `serialized`, a vector or a single string; None if not even that is known.

    Raises:
      ValueError: "Shape must be at most rank 1 but is rank 2".
    """
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(sizes)}")
    return sizes


def sparse_shapes(lead: tuple[int | None, ...] | None, count: int, more: int = 0) -> list[Any]:
    """Shapes of the indices, values and shapes of sparse outputs."""
    rank = None if lead is None else len(lead) + 1 + more
    return (
        [TensorShape.of((None, rank))] * count
        + [TensorShape.of((None,))] * count
        + [TensorShape.of((rank,))] * count
    )


def dense_shapes(
    lead: tuple[int | None, ...] | None, shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    """Shapes of dense outputs."""
    if lead is None:
        return [unknown_shape()] * len(shapes)
    return [
        unknown_shape() if s.sizes is None else TensorShape.of((*lead, *s.sizes)) for s in shapes
    ]


def parse(
    serialized: Any,
    names: Any,
    sparse: Sequence[tuple[bytes, dtypes.DType]],
    dense: Sequence[tuple[bytes, dtypes.DType, TensorShape, Any]],
    ragged: Sequence[tuple[bytes, dtypes.DType, dtypes.DType]] = (),
) -> list[Any]:
    """All outputs of a parsing operation, in order.

    Raises:
      InvalidArgumentError: for messages, or features of them, that are not as they should be.
    """
    if np.shape(names) != np.shape(serialized) and np.shape(names) != (0,):
        raise invalid(
            f"Expected names have the same shape as serialized: name.shape={shown(names)}, "
            f"serialized.shape={shown(serialized)}"
        )
    wanted = {key: dtype for entries in (sparse, dense, ragged) for key, dtype, *_ in entries}
    batch = Batch(texts(serialized), texts(names), np.ndim(serialized) == 0, wanted)
    parsed = [batch.sparse(key, dtype) for key, dtype in sparse]
    outputs = [part for place in range(3) for part in (triple[place] for triple in parsed)]
    for key, dtype, shape, default in dense:
        sizes = shape.as_list()
        read: Any = batch.variable if sizes and sizes[0] is None else batch.dense
        check_default(key, sizes, default)
        outputs.append(read(key, dtype, sizes, np.asarray(default)))
    lists = [batch.ragged(*entry) for entry in ragged]
    return outputs + [values for values, _ in lists] + [splits for _, splits in lists]


def check_default(key: bytes, sizes: Sequence[Any], default: Any) -> None:
    """InvalidArgumentError if a default is neither empty nor of the feature's shape."""
    name = key.decode("utf-8", "backslashreplace")
    if sizes and sizes[0] is None:
        if np.size(default) != 1:
            raise invalid(
                f"dense_shape[{name}] is a variable length shape: {shown_shape(sizes)}, therefore "
                f"def_value[{name}] must contain a single element (the padding element).  But its "
                f"shape is: {shown(default)}"
            )
    elif np.size(default) and list(np.shape(default)) != list(sizes):
        raise invalid(
            f"def_value[{name}].shape() == {shown(default)} is not compatible with "
            f"dense_shapes_[{name}] == {shown_shape(sizes)}"
        )


def shown_shape(sizes: Sequence[int | None]) -> str:
    """Such as "[?,3]"."""
    return "[" + ",".join("?" if size is None else str(size) for size in sizes) + "]"


# ParseExampleV2 -----------------------------------------------------------------------------------

parse_example_v2 = define_op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, "
    "ragged_keys: string, dense_defaults: Tdense -> "
    "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: num_sparse * int64, dense_values: Tdense, "
    "ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types",
    f"Tdense: {_TYPES}, num_sparse: int >= 0, sparse_types: {_TYPES}, ragged_value_types: {_TYPES}",
    "ragged_split_types: list({int32, int64}) >= 0, dense_shapes: list(shape) >= 0",
    no_gradient=NO_DERIVATIVE,
)


@parse_example_v2.shape
def _parse_example_v2_shape(c: InferenceContext) -> list[Any]:
    lead = lead_sizes(c)
    ragged = len(c.attrs["ragged_value_types"])
    rows: Any = None
    if lead is not None:
        rows = 0 if not lead else None if lead[0] is None else lead[0] + 1
    return (
        sparse_shapes(lead, c.attrs["num_sparse"])
        + dense_shapes(lead, c.attrs["dense_shapes"])
        + [TensorShape.of((None,))] * ragged
        + [TensorShape.of((rows,))] * ragged
    )


@parse_example_v2.kernel
def _parse_example_v2_kernel(
    step: StepContext,
    serialized: Any,
    names: Any,
    sparse_keys: Any,
    dense_keys: Any,
    ragged_keys: Any,
    *defaults: Any,
    node: Operation,
) -> list[Any]:
    attrs = node.attrs
    dense = zip(texts(dense_keys), attrs["Tdense"], attrs["dense_shapes"], defaults, strict=True)
    types = attrs["ragged_value_types"], attrs["ragged_split_types"]
    ragged = zip(texts(ragged_keys), *types, strict=True)
    sparse = zip(texts(sparse_keys), attrs["sparse_types"], strict=True)
    return parse(serialized, names, list(sparse), list(dense), list(ragged))


# ParseExample, as older graphs have it ------------------------------------------------------------

_parse_example = define_op(
    "ParseExample",
    "serialized: string, names: string, sparse_keys: Nsparse * string, "
    "dense_keys: Ndense * string, dense_defaults: Tdense -> "
    "sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: Nsparse * int64, dense_values: Tdense",
    f"Nsparse: int >= 0, Ndense: int >= 0, sparse_types: {_TYPES}, Tdense: {_TYPES}",
    "dense_shapes: list(shape) >= 0",
    no_gradient=NO_DERIVATIVE,
)


@_parse_example.shape
def _parse_example_shape(c: InferenceContext) -> list[Any]:
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(sizes)}")
    lead = (None,) if sizes is None else sizes
    return sparse_shapes(lead, c.attrs["Nsparse"]) + dense_shapes(lead, c.attrs["dense_shapes"])


@_parse_example.kernel
def _parse_example_kernel(
    step: StepContext, serialized: Any, names: Any, *rest: Any, node: Operation
) -> list[Any]:
    attrs, count = node.attrs, node.attrs["Nsparse"]
    defaults = rest[count + attrs["Ndense"] :]
    keys = [texts(key)[0] for key in rest[: len(rest) - len(defaults)]]
    dense = zip(keys[count:], attrs["Tdense"], attrs["dense_shapes"], defaults, strict=True)
    sparse = zip(keys[:count], attrs["sparse_types"], strict=True)
    return parse(serialized, names, list(sparse), list(dense))


# ParseSingleExample, which tf.data's optimiser and older graphs have ------------------------------

_parse_single_example = define_op(
    "ParseSingleExample",
    "serialized: string, dense_defaults: Tdense -> "
    "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: num_sparse * int64, dense_values: Tdense",
    "num_sparse: int >= 0, sparse_keys: list(string) >= 0, dense_keys: list(string) >= 0",
    f"sparse_types: {_TYPES}, Tdense: {_TYPES}, dense_shapes: list(shape) >= 0",
    no_gradient=NO_DERIVATIVE,
)


@_parse_single_example.shape
def _parse_single_example_shape(c: InferenceContext) -> list[Any]:
    return sparse_shapes((), c.attrs["num_sparse"]) + dense_shapes((), c.attrs["dense_shapes"])


@_parse_single_example.kernel
def _parse_single_example_kernel(
    step: StepContext,
    serialized: Any,
    *dense_defaults: Any,
    sparse_keys: Any,
    dense_keys: Any,
    sparse_types: Any,
    Tdense: Any,
    dense_shapes: Any,
) -> list[Any]:
    if np.ndim(serialized):
        raise invalid(f"Expected serialized to be a scalar, got shape: {shown(serialized)}")
    dense = zip(dense_keys, Tdense, dense_shapes, dense_defaults, strict=True)
    sparse = zip(sparse_keys, sparse_types, strict=True)
    no_names = np.empty(0, object)
    return parse(serialized, no_names, list(sparse), list(dense))
