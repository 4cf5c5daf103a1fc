"""The operations that parse sequence examples, and the functions that build them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.io.example_ops import dense_shapes, lead_sizes, sparse_shapes
from tinytf.ops.io.examples import checked_scalar, named
from tinytf.ops.io.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    Wanted,
)
from tinytf.ops.io.sequence_columns import SequenceBatch
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts

_TYPES = "list({float, int64, string}) >= 0 = []"
_SPLITS = "list({int32, int64}) >= 0 = []"

# ParseSequenceExampleV2 ---------------------------------------------------------------------------

_parse_sequence_example_v2 = define_op(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_sparse_keys: string, "
    "context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, "
    "feature_list_dense_keys: string, feature_list_ragged_keys: string, "
    "feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: Tcontext_dense -> "
    "context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "context_ragged_values: context_ragged_value_types, "
    "context_ragged_row_splits: context_ragged_split_types, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64, "
    "feature_list_ragged_values: feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    f"Ncontext_sparse: int >= 0 = 0, Tcontext_dense: {_TYPES}, context_sparse_types: {_TYPES}",
    f"context_ragged_value_types: {_TYPES}, context_ragged_split_types: {_SPLITS}",
    "context_dense_shapes: list(shape) >= 0 = [], Nfeature_list_sparse: int >= 0 = 0",
    f"Nfeature_list_dense: int >= 0 = 0, feature_list_dense_types: {_TYPES}",
    f"feature_list_sparse_types: {_TYPES}, feature_list_ragged_value_types: {_TYPES}",
    f"feature_list_ragged_split_types: {_SPLITS}, feature_list_dense_shapes: list(shape) >= 0 = []",
    no_gradient=NO_DERIVATIVE,
)


def _list_shapes(
    lead: tuple[int | None, ...] | None, shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    """Shapes of dense feature lists: any number of blocks."""
    longer = [s if s.sizes is None else TensorShape.of((None, *s.sizes)) for s in shapes]
    return dense_shapes(lead, longer)


@_parse_sequence_example_v2.shape
def _parse_sequence_example_v2_shape(c: InferenceContext) -> list[Any]:
    lead = lead_sizes(c)
    a = c.attrs
    ragged, list_ragged = (
        len(a[f"{kind}_ragged_value_types"]) for kind in ("context", "feature_list")
    )
    rows: Any = None
    if lead is not None:
        rows = 0 if not lead else None if lead[0] is None else lead[0] + 1
    lengths = TensorShape(None) if lead is None else TensorShape.of(lead)
    return [
        *sparse_shapes(lead, a["Ncontext_sparse"]),
        *dense_shapes(lead, a["context_dense_shapes"]),
        *[TensorShape.of((None,))] * ragged,
        *[TensorShape.of((rows,))] * ragged,
        *sparse_shapes(lead, a["Nfeature_list_sparse"], more=1),
        *_list_shapes(lead, a["feature_list_dense_shapes"]),
        *[lengths] * a["Nfeature_list_dense"],
        *[TensorShape.of((None,))] * list_ragged,
        *[TensorShape.of((rows,))] * list_ragged,
        *[TensorShape.of((None,))] * list_ragged,
    ]


def _outputs(
    batch: SequenceBatch, node: Operation, context: Any, lists: Any, defaults: Any, may_lack: Any
) -> tuple[list[Any], list[Any]]:
    """The outputs of the context, and those of the feature lists.

    Args:
      context, lists: the keys of each: sparse, dense and (in the newer op type) ragged ones.
      may_lack: for each dense list, whether it is empty where an example lacks it.
    """
    attrs = node.attrs

    def columns(keys: Any, *names: str) -> list[Any]:
        return list(zip(keys, *[attrs[name] for name in names], strict=True))

    def ragged(kind: str, keys: Any) -> list[Any]:
        names = f"{kind}_ragged_value_types", f"{kind}_ragged_split_types"
        return columns(keys[2], *names) if len(keys) > 2 else []

    dense = columns(context[1], "Tcontext_dense", "context_dense_shapes")
    dense_lists = columns(lists[1], "feature_list_dense_types", "feature_list_dense_shapes")
    return (
        batch.context(
            columns(context[0], "context_sparse_types"),
            [(*one, default) for one, default in zip(dense, defaults, strict=True)],
            ragged("context", context),
        ),
        batch.lists(
            columns(lists[0], "feature_list_sparse_types"),
            [(*one, lacks) for one, lacks in zip(dense_lists, may_lack, strict=True)],
            ragged("feature_list", lists),
        ),
    )


@_parse_sequence_example_v2.kernel
def _parse_sequence_example_v2_kernel(
    step: StepContext, serialized: Any, debug_name: Any, *rest: Any, node: Operation
) -> list[Any]:
    keys, assumed_empty, defaults = [*map(texts, rest[:6])], rest[6], rest[7:]
    batch, may_lack = SequenceBatch(serialized, debug_name), np.asarray(assumed_empty).tolist()
    context, lists = _outputs(batch, node, keys[:3], keys[3:], defaults, may_lack)
    return context + lists


# ParseSequenceExample, as older graphs have it ----------------------------------------------------

_parse_sequence_example = define_op(
    "ParseSequenceExample",
    "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense -> "
    "context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64",
    "feature_list_dense_missing_assumed_empty: list(string) >= 0",
    "context_sparse_keys: list(string) >= 0, context_dense_keys: list(string) >= 0",
    "feature_list_sparse_keys: list(string) >= 0, feature_list_dense_keys: list(string) >= 0",
    "Ncontext_sparse: int >= 0 = 0, Ncontext_dense: int >= 0 = 0",
    "Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int >= 0 = 0",
    f"context_sparse_types: {_TYPES}, Tcontext_dense: {_TYPES}, feature_list_dense_types: {_TYPES}",
    f"context_dense_shapes: list(shape) >= 0 = [], feature_list_sparse_types: {_TYPES}",
    "feature_list_dense_shapes: list(shape) >= 0 = []",
    no_gradient=NO_DERIVATIVE,
)


@_parse_sequence_example.shape
def _parse_sequence_example_shape(c: InferenceContext) -> list[Any]:
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(sizes)}")
    lead = (None,) if sizes is None else sizes
    return [
        *sparse_shapes(lead, c.attrs["Ncontext_sparse"]),
        *dense_shapes(lead, c.attrs["context_dense_shapes"]),
        *sparse_shapes(lead, c.attrs["Nfeature_list_sparse"], more=1),
        *_list_shapes(lead, c.attrs["feature_list_dense_shapes"]),
        *[TensorShape.of(lead)] * c.attrs["Nfeature_list_dense"],
    ]


@_parse_sequence_example.kernel
def _parse_sequence_example_kernel(
    step: StepContext, serialized: Any, debug_name: Any, *defaults: Any, node: Operation
) -> list[Any]:
    context_keys, list_keys = (
        [node.attrs[f"{part}_{kind}_keys"] for kind in ("sparse", "dense")]
        for part in ("context", "feature_list")
    )
    empty = node.attrs["feature_list_dense_missing_assumed_empty"]
    may_lack = [key in empty for key in list_keys[1]]
    batch = SequenceBatch(serialized, debug_name)
    context, lists = _outputs(batch, node, context_keys, list_keys, defaults, may_lack)
    return context + lists


# ParseSingleSequenceExample, as older graphs have it ----------------------------------------------

_parse_single_sequence_example = define_op(
    "ParseSingleSequenceExample",
    "serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, "
    "context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, "
    "feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: Tcontext_dense, debug_name: string -> "
    "context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types",
    "Ncontext_sparse: int >= 0 = 0, Ncontext_dense: int >= 0 = 0",
    "Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int >= 0 = 0",
    f"context_sparse_types: {_TYPES}, Tcontext_dense: {_TYPES}, feature_list_dense_types: {_TYPES}",
    f"context_dense_shapes: list(shape) >= 0 = [], feature_list_sparse_types: {_TYPES}",
    "feature_list_dense_shapes: list(shape) >= 0 = []",
    no_gradient=NO_DERIVATIVE,
)


@_parse_single_sequence_example.shape
def _parse_single_sequence_example_shape(c: InferenceContext) -> list[Any]:
    if c.input(0).sizes:
        raise ValueError(f"Shape must be rank 0 but is rank {c.input(0).ndims}")
    return [
        *sparse_shapes((), c.attrs["Ncontext_sparse"]),
        *dense_shapes((), c.attrs["context_dense_shapes"]),
        *sparse_shapes((), c.attrs["Nfeature_list_sparse"], more=1),
        *_list_shapes((), c.attrs["feature_list_dense_shapes"]),
    ]


@_parse_single_sequence_example.kernel
def _parse_single_sequence_example_kernel(
    step: StepContext, serialized: Any, assumed_empty: Any, *rest: Any, node: Operation
) -> list[Any]:
    first_default = len(rest) - 1 - len(node.attrs["Tcontext_dense"])
    remaining = iter([texts(key)[0] for key in rest[:first_default]])
    keys = [
        [next(remaining) for _ in range(node.attrs[f"N{kind}"])]
        for kind in ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")
    ]
    may_lack = [key in set(texts(assumed_empty)) for key in keys[3]]
    batch, defaults = SequenceBatch(serialized, rest[-1]), rest[first_default:-1]
    context, lists = _outputs(batch, node, keys[:2], keys[2:], defaults, may_lack)
    return context + lists[: len(lists) - len(keys[3])]  # this one does not tell the lengths


# The functions ------------------------------------------------------------------------------------


def parse_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Tensors from a batch of serialised `SequenceExample`s.

    TensorFlow: `tf.io.parse_sequence_example`.

    Args:
      serialized: a vector of strings.
      context_features: by name, what is wanted of the context: `FixedLenFeature`, `VarLenFeature`.
      sequence_features: of the feature lists: `FixedLenSequenceFeature`, `VarLenFeature`.
      example_names: a vector of strings, for messages. name: of the scope and the operation.

    Returns:
      three dictionaries: of the context, as `parse_example`; of the feature lists, with a
      dimension for the steps (padded: [batch, most steps, ...]); and of the lengths of the dense
      lists.

    Raises:
      ValueError: while the graph is built, for features that contradict themselves.
      InvalidArgumentError: in a run, for examples that do not fit.

    Example:
      >>> record = tf.train.SequenceExample()
      >>> for word in (5, 6):
      ...     step = record.feature_lists.feature_list["words"].feature.add()
      ...     step.int64_list.value.append(word)
      >>> data = record.SerializeToString()
      >>> words = {"words": tf.FixedLenSequenceFeature([], tf.int64)}
      >>> _, lists, lengths = tf.io.parse_sequence_example([data], None, words)
      >>> lists["words"]  # [[5, 6]]
      >>> lengths["words"]  # [2]
    """
    context, lists = _wanted(context_features, sequence_features)
    with op_scope(name, "ParseSequenceExample", [serialized, example_names]):
        return _parse(serialized, example_names, context, lists, name)


def _wanted(context: Any, lists: Any) -> tuple[Wanted, Wanted]:
    if not (context or lists):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    return (
        Wanted(context, (VarLenFeature, FixedLenFeature)),
        Wanted(lists, (VarLenFeature, FixedLenSequenceFeature)),
    )


def _parse(
    serialized: Any, names: Any, context: Wanted, lists: Wanted, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    with op_scope(name, "ParseSequenceExample", [serialized]):
        for key, default in lists.defaults.items():
            if default is not None:
                raise ValueError(
                    f"Value feature_list.dense_defaults[{key}] must be None: a missing step of a "
                    "SequenceExample has no value"
                )
        text = convert_to_tensor(serialized, name="serialized")
        none = np.empty(0, object)
        parsed = _parse_sequence_example_v2(
            text,
            [] if names is None else names,
            list(context.sparse),
            list(context.dense),
            none,
            list(lists.sparse),
            list(lists.dense),
            none,
            [key in lists.defaults for key in lists.dense],
            context.default_tensors(),
            name=name,
            Ncontext_sparse=len(context.sparse),
            Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense),
            context_sparse_types=list(context.sparse.values()),
            Tcontext_dense=context.types,
            context_dense_shapes=context.shapes,
            feature_list_dense_types=lists.types,
            feature_list_sparse_types=list(lists.sparse.values()),
            feature_list_dense_shapes=lists.shapes,
        )
        return (
            named(context, *parsed[:4]),
            named(lists, *parsed[6:10]),
            dict(zip(lists.dense, parsed[10], strict=True)),
        )


def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tensors from one `SequenceExample` (TensorFlow: `tf.parse_single_sequence_example`).

    Args:
      serialized: a single string. The others: as for `parse_sequence_example`.

    Returns:
      two dictionaries: of the context, and of the feature lists ([steps, ...]).

    Raises:
      ValueError: "Input serialized must be a scalar". Otherwise as `parse_sequence_example`.

    Example:
      >>> record = tf.train.SequenceExample()
      >>> for word in (5, 6):
      ...     step = record.feature_lists.feature_list["words"].feature.add()
      ...     step.int64_list.value.append(word)
      >>> data = record.SerializeToString()
      >>> words = {"words": tf.FixedLenSequenceFeature([], tf.int64)}
      >>> _, lists = tf.parse_single_sequence_example(data, None, words)
      >>> lists["words"]  # [5, 6]
    """
    context, lists = _wanted(context_features, sequence_features)
    with op_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        with op_scope(name, "ParseSingleExample", [serialized, example_name]):
            text = checked_scalar(convert_to_tensor(serialized, name="serialized"))
        return _parse(text, example_name, context, lists, name)[:2]
