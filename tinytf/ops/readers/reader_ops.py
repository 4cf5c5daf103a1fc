"""The op types of readers: five that make one, and what is done with one.

The reader itself is in `resources`; a handle carries it along the edge. A read that has to wait for
a filename returns a `Pending`. Mirrors tensorflow/core/kernels/reader_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.ops.base.resource_cards import WHERE
from tinytf.ops.queues.queue_ops import as_queue
from tinytf.resources import reader_kinds
from tinytf.resources.readers import Reader

_STATE = "a reader is state, and what it reads are strings"


def find_reader(make: Callable[[str], Reader], node: Any, resources: Any) -> Reader:
    """The reader that a node means: its own, or the one that is shared under a name.

    Args:
      make: makes it, given its name.

    Raises:
      InvalidArgumentError: if the shared one is of another kind.
    """
    where, name = node.attrs["container"].decode(), node.attrs["shared_name"].decode()

    def create() -> Reader:
        reader = make(name or node.name)
        reader.files = resources.files
        return reader

    if not name:
        return resources.of_node(f"_{node.name}", Reader, create, where)
    found: Reader = resources.lookup_or_create(where, name, Reader, create)
    if found.kind != node.type.removesuffix("V2"):
        raise invalid(
            f"Shared reader '{name}' is a {found.kind}, and node '{node.name}' wants a "
            f"{node.type.removesuffix('V2')}: give them different names."
        )
    return found


def _scalars(c: InferenceContext) -> list[TensorShape]:
    for index in range(len(c.inputs)):
        with_rank(c.input(index), 0)
    return [scalar()] * c.output_count


# WholeFileReaderV2, IdentityReaderV2, TextLineReaderV2, FixedLengthRecordReaderV2, TFRecordReaderV2


def _define_reader(name: str, attrs: str, make: Callable[[str, dict[str, Any]], Reader]) -> OpCard:
    """An op type for a reader that `make` makes from its name and the node's attributes."""

    def kernel(*, node: Any, resources: Any) -> Reader:
        return find_reader(lambda name: make(name, node.attrs), node, resources)

    return define_op(
        name,
        "-> reader_handle: resource",
        attrs,
        stateful=True,
        shape=_scalars,
        kernel=kernel,
        no_gradient=_STATE,
    )


def _fixed_length_record_reader(name: str, attrs: dict[str, Any]) -> Reader:
    header, record, footer = (attrs[f"{part}_bytes"] for part in ("header", "record", "footer"))
    hop, encoding = attrs["hop_bytes"], attrs["encoding"].decode()
    return reader_kinds.FixedLengthRecordReader(name, record, header, footer, hop, encoding)


whole_file_reader = _define_reader(
    "WholeFileReaderV2", WHERE, lambda name, _: reader_kinds.WholeFileReader(name)
)
identity_reader = _define_reader(
    "IdentityReaderV2", WHERE, lambda name, _: reader_kinds.IdentityReader(name)
)
text_line_reader = _define_reader(
    "TextLineReaderV2",
    f"skip_header_lines: int = 0, {WHERE}",
    lambda name, attrs: reader_kinds.TextLineReader(name, attrs["skip_header_lines"]),
)
fixed_length_record_reader = _define_reader(
    "FixedLengthRecordReaderV2",
    "header_bytes: int = 0, record_bytes: int, footer_bytes: int = 0, hop_bytes: int = 0, "
    f"{WHERE}, encoding: string = ''",
    _fixed_length_record_reader,
)
tf_record_reader = _define_reader(
    "TFRecordReaderV2",
    f"{WHERE}, compression_type: string = ''",
    lambda name, attrs: reader_kinds.TFRecordReader(name, attrs["compression_type"].decode()),
)


# ReaderReadV2, ReaderReadUpToV2 -------------------------------------------------------------------


def as_reader(handle: Any) -> Reader:
    """The reader behind a handle; InvalidArgumentError for another resource."""
    if isinstance(handle, Reader):
        return handle
    raise invalid(f"The handle is not that of a reader: {handle!r}")


reader_read = define_op(
    "ReaderReadV2",
    "reader_handle: resource, queue_handle: resource -> key: string, value: string",
    stateful=True,
    shape=_scalars,
    no_gradient=_STATE,
)


@reader_read.kernel(blocking=True)
def _read(step: Any, reader_handle: Any, queue_handle: Any) -> Any:
    return as_reader(reader_handle).read(as_queue(queue_handle), step.cancellation)


reader_read_up_to = define_op(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64 -> "
    "keys: string, values: string",
    stateful=True,
    no_gradient=_STATE,
)


@reader_read_up_to.shape
def _read_up_to_shape(c: InferenceContext) -> list[TensorShape]:
    _scalars(c)
    return [TensorShape.of((None,))] * 2


@reader_read_up_to.kernel(blocking=True)
def _read_up_to(step: Any, reader_handle: Any, queue_handle: Any, num_records: Any) -> Any:
    reader, queue = as_reader(reader_handle), as_queue(queue_handle)
    return reader.read_up_to(queue, int(num_records), step.cancellation)


# ReaderNumRecordsProducedV2, ReaderNumWorkUnitsCompletedV2 ----------------------------------------

reader_num_records_produced = define_op(
    "ReaderNumRecordsProducedV2",
    "reader_handle: resource -> records_produced: int64",
    stateful=True,
    shape=_scalars,
    kernel=lambda handle: np.int64(as_reader(handle).num_records_produced),
    no_gradient=_STATE,
)
reader_num_work_units_completed = define_op(
    "ReaderNumWorkUnitsCompletedV2",
    "reader_handle: resource -> units_completed: int64",
    stateful=True,
    shape=_scalars,
    kernel=lambda handle: np.int64(as_reader(handle).num_work_units_completed),
    no_gradient=_STATE,
)


# ReaderSerializeStateV2, ReaderRestoreStateV2, ReaderResetV2 --------------------------------------

reader_serialize_state = define_op(
    "ReaderSerializeStateV2",
    "reader_handle: resource -> state: string",
    stateful=True,
    shape=_scalars,
    kernel=lambda handle: as_reader(handle).serialize_state(),
    no_gradient=_STATE,
)

reader_restore_state = define_op(
    "ReaderRestoreStateV2",
    "reader_handle: resource, state: string",
    stateful=True,
    shape=_scalars,
    no_gradient=_STATE,
)


@reader_restore_state.kernel
def _restore_state(reader_handle: Any, state: Any) -> tuple[()]:
    as_reader(reader_handle).restore_state(state if isinstance(state, bytes) else state.item())
    return ()


reader_reset = define_op(
    "ReaderResetV2",
    "reader_handle: resource",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=_STATE,
)


@reader_reset.kernel
def _reset(reader_handle: Any) -> tuple[()]:
    as_reader(reader_handle).reset()
    return ()
