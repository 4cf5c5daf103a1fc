"""The op types of readers: five that make one, and what is done with one.

The reader itself is in `resources`; a handle carries it along the edge. A read that has to wait for
a filename returns a `Pending`. Mirrors tensorflow/core/kernels/reader_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.ops.queues.queue_ops import as_queue
from tinytf.resources import reader_kinds
from tinytf.resources.readers import Reader

_STATE = "a reader is state, and what it reads are strings"
_WHERE = ["container: string = ''", "shared_name: string = ''"]


def find_reader(
    make: Callable[[str], Reader], node: Any, resources: Any, container: bytes, shared_name: bytes
) -> Reader:
    """The reader that a node means: its own, or the one that is shared under a name.

    Args:
      make: makes it, given its name.

    Raises:
      InvalidArgumentError: if the shared one is of another kind.
    """
    where, name = container.decode(), shared_name.decode()

    def create() -> Reader:
        reader = make(name or node.name)
        reader.files = resources.files
        return reader

    if not name:
        return resources.of_node(f"_{node.name}", Reader, create, where)
    found: Reader = resources.lookup_or_create(where, name, Reader, create)
    if found.kind != node.type.removesuffix("V2"):
        raise InvalidArgumentError(
            f"Shared reader '{name}' is a {found.kind}, and node '{node.name}' wants a "
            f"{node.type.removesuffix('V2')}: give them different names.",
        )
    return found


def _define_reader(name: str, attrs: list[str]) -> OpCard:
    card = define_op(name, "-> reader_handle: resource", *attrs, stateful=True)
    card.shape(_scalars)
    card.not_differentiable(_STATE)
    return card


def _scalars(c: InferenceContext) -> list[TensorShape]:
    for index in range(len(c.inputs)):
        with_rank(c.input(index), 0)
    return [scalar()] * c.output_count


# WholeFileReaderV2, IdentityReaderV2 --------------------------------------------------------------


def _define_plain_reader(name: str, kind: type[Reader]) -> OpCard:
    card = _define_reader(name, _WHERE)

    @card.kernel
    def _make(*, container: bytes, shared_name: bytes, node: Any, resources: Any) -> Reader:
        return find_reader(kind, node, resources, container, shared_name)

    return card


whole_file_reader = _define_plain_reader("WholeFileReaderV2", reader_kinds.WholeFileReader)
identity_reader = _define_plain_reader("IdentityReaderV2", reader_kinds.IdentityReader)

# TextLineReaderV2 ---------------------------------------------------------------------------------

text_line_reader = _define_reader("TextLineReaderV2", ["skip_header_lines: int = 0", *_WHERE])


@text_line_reader.kernel
def _text_line_reader(
    *, skip_header_lines: int, container: bytes, shared_name: bytes, node: Any, resources: Any
) -> Reader:
    def make(name: str) -> Reader:
        return reader_kinds.TextLineReader(name, skip_header_lines)

    return find_reader(make, node, resources, container, shared_name)


# FixedLengthRecordReaderV2 ------------------------------------------------------------------------

fixed_length_record_reader = _define_reader(
    "FixedLengthRecordReaderV2",
    [
        "header_bytes: int = 0",
        "record_bytes: int",
        "footer_bytes: int = 0",
        "hop_bytes: int = 0",
        *_WHERE,
        "encoding: string = ''",
    ],
)


@fixed_length_record_reader.kernel
def _fixed_length_record_reader(
    *,
    header_bytes: int,
    record_bytes: int,
    footer_bytes: int,
    hop_bytes: int,
    encoding: bytes,
    container: bytes,
    shared_name: bytes,
    node: Any,
    resources: Any,
) -> Reader:
    def make(name: str) -> Reader:
        return reader_kinds.FixedLengthRecordReader(
            name, record_bytes, header_bytes, footer_bytes, hop_bytes, encoding.decode()
        )

    return find_reader(make, node, resources, container, shared_name)


# TFRecordReaderV2 ---------------------------------------------------------------------------------

tf_record_reader = _define_reader("TFRecordReaderV2", [*_WHERE, "compression_type: string = ''"])


@tf_record_reader.kernel
def _tf_record_reader(
    *, compression_type: bytes, container: bytes, shared_name: bytes, node: Any, resources: Any
) -> Reader:
    def make(name: str) -> Reader:
        return reader_kinds.TFRecordReader(name, compression_type.decode())

    return find_reader(make, node, resources, container, shared_name)


# ReaderReadV2, ReaderReadUpToV2 -------------------------------------------------------------------


def as_reader(handle: Any) -> Reader:
    """The reader behind a handle; InvalidArgumentError for another resource."""
    if isinstance(handle, Reader):
        return handle
    raise InvalidArgumentError(f"The handle is not that of a reader: {handle!r}")


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
    "reader_handle: resource, queue_handle: resource, num_records: int64 -> keys: string, "
    "values: string",
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
)
reader_num_work_units_completed = define_op(
    "ReaderNumWorkUnitsCompletedV2",
    "reader_handle: resource -> units_completed: int64",
    stateful=True,
)
for _card in (reader_num_records_produced, reader_num_work_units_completed):
    _card.shape(_scalars)
    _card.not_differentiable(_STATE)


@reader_num_records_produced.kernel
def _num_records_produced(reader_handle: Any) -> Any:
    return np.int64(as_reader(reader_handle).num_records_produced)


@reader_num_work_units_completed.kernel
def _num_work_units_completed(reader_handle: Any) -> Any:
    return np.int64(as_reader(reader_handle).num_work_units_completed)


# ReaderSerializeStateV2, ReaderRestoreStateV2, ReaderResetV2 --------------------------------------

reader_serialize_state = define_op(
    "ReaderSerializeStateV2",
    "reader_handle: resource -> state: string",
    stateful=True,
    shape=_scalars,
    no_gradient=_STATE,
)


@reader_serialize_state.kernel
def _serialize_state(reader_handle: Any) -> bytes:
    return as_reader(reader_handle).serialize_state()


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
