"""Messages with tensors, to bytes and back, without protobuf's copies of what is large.

protobuf copies a tensor's bytes into its message, and again when it writes or reads that. Here a
message that carries tensors is a `Parcel`: the rest of the message, and the tensors beside it as
arrays. It becomes bytes in one join of small headers and of the arrays' own memory, and comes from
bytes with each large tensor as a read-only array that looks into them. What travels is ordinary
protobuf: a real TensorFlow and protobuf itself read what is written here, and the other way round.

Writing, as a worker answers RecvTensor (`serialize` makes bytes of a message without tensors, too):

    parcel = Parcel(worker_pb2.RecvTensorResponse(send_start_micros=now))
    parcel.add(array)
    data = serialize(parcel)

Reading, as the other task does (`parse` gives a plain message for a class without tensors):

    response = parse(worker_pb2.RecvTensorResponse, data)
    response.message.is_dead, response.only()

A RunGraph request has tensors under names; `parcel.add(value, dtype, key)` and `by_name()` go
together there, and for callables, where positions count, `add(value, dtype)` and `values()`. A
parcel that never leaves its process needs no bytes at all: its arrays go from hand to hand.

How large tensors are found: `_cut` walks over the fields of the bytes and takes `tensor_content` of
large tensors out, which leaves a short message of the same form for protobuf to parse. Whatever
looks unusual is left where it is, so that protobuf alone decides what is well-formed.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from google.protobuf.message import DecodeError

from tinytf.distributed.limits import MOST_MESSAGE_BYTES
from tinytf.distributed.wire import wire_tensors
from tinytf.distributed.wire.wire_fields import (
    LENGTH,
    VARINT,
    Field,
    Unusual,
    fields_of,
    key_of,
    varint,
)
from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError
from tinytf.protos import master_pb2, worker_pb2

#: Tensors from this size on go without protobuf; for smaller ones it is as fast.
LARGE_BYTES = 16 * 1024
#: A message of more fields, or a tensor of more, is left to protobuf: it walks faster than Python.
_MAX_FIELDS = 4096
_MAX_TENSOR_FIELDS = 32
#: Where content begins in the bytes, so that the array on it is aligned for every type.
_ALIGNMENT = 8

# Numbers of fields: of NamedTensorProto, and of TensorProto.
_TENSOR = 2
_VERSION_NUMBER, _CONTENT = 3, 4

M = TypeVar("M")


class WireTensor(NamedTuple):
    """One tensor of a parcel: its name ("" where positions count), value and type."""

    name: str
    value: Any
    dtype: dtypes.DType


#: Makes a WireTensor without a call of Python's.
_make = tuple.__new__


class Parcel(Generic[M]):
    """A message, and its tensors beside it.

    Attributes:
      message: all but the tensors; the field they belong to is empty. May be changed.
      tensors: in the order of that field.

    Example:
      >>> parcel = Parcel(master_pb2.RunStepResponse())
      >>> parcel.add(np.float32(3), dtypes.float32, "x:0")
      >>> parse(master_pb2.RunStepResponse, serialize(parcel)).by_name()
      {'x:0': np.float32(3.0)}
    """

    __slots__ = ("message", "tensors")

    def __init__(self, message: M):
        self.message = message
        self.tensors: list[WireTensor] = []

    def add(self, value: Any, dtype: dtypes.DType | None = None, name: str = "") -> None:
        """Append a tensor: an array or numpy scalar of type `dtype`, by default of its own type.

        The array is not copied and must stay as it is until the parcel has become bytes.

        Raises:
          InvalidArgumentError: for values that stay in their process (resource handles, variants).
        """
        dtype = wire_tensors.type_of(value) if dtype is None else dtype.base_dtype
        wire_tensors.check_travels(dtype)
        self.tensors.append(WireTensor(name, value, dtype))

    def by_name(self) -> dict[str, Any]:
        """The values by name, in order.

        Raises:
          InvalidArgumentError: if a name comes twice.
        """
        values = {tensor.name: tensor.value for tensor in self.tensors}
        if len(values) < len(self.tensors):
            names = [tensor.name for tensor in self.tensors]
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidArgumentError(
                f"The {_LAYOUTS[type(self.message)].field} {twice} is given twice."
            )
        return values

    def values(self) -> list[Any]:
        """The values in order."""
        return [tensor.value for tensor in self.tensors]

    def only(self) -> Any:
        """The value of a message that has one.

        Raises:
          InvalidArgumentError: if there is none.
        """
        if not self.tensors:
            name = type(self.message).__name__
            raise InvalidArgumentError(f"The {name} has no tensor.")
        return self.tensors[0].value

    def __repr__(self) -> str:
        return f"<Parcel {type(self.message).__name__} with {len(self.tensors)} tensors>"


@dataclass(frozen=True, eq=False)
class _Layout:
    """Which field of a message holds tensors: its name and number, and what it holds."""

    field: str
    number: int
    is_named: bool  # NamedTensorProto, or TensorProto itself
    is_repeated: bool


_LAYOUTS: dict[type, _Layout] = {
    master_pb2.RunStepRequest: _Layout("feed", 2, True, True),
    master_pb2.RunStepResponse: _Layout("tensor", 1, True, True),
    master_pb2.RunCallableRequest: _Layout("feed", 3, False, True),
    master_pb2.RunCallableResponse: _Layout("fetch", 1, False, True),
    worker_pb2.RunGraphRequest: _Layout("send", 3, True, True),
    worker_pb2.RunGraphResponse: _Layout("recv", 1, True, True),
    worker_pb2.RecvTensorResponse: _Layout("tensor", 1, False, False),
}


# --------------------------------------------------------------------------------------- writing


def serialize(message: Any) -> bytes:
    """The bytes of a `Parcel`, or of a message without tensors.

    Raises:
      InvalidArgumentError: for messages that are too large to travel.
    """
    found = pieces(message)
    return found[0] if len(found) == 1 else b"".join(found)


def pieces(message: Any) -> list[Any]:
    """The same in pieces, one after the other: large tensors are the arrays' own memory.

    Raises:
      InvalidArgumentError: as `serialize`.
    """
    if not isinstance(message, Parcel):
        return [message.SerializeToString()]
    rest = message.message.SerializeToString()
    if not message.tensors:
        return [rest]
    layout = _LAYOUTS[type(message.message)]
    found: list[Any] = [rest]
    size = len(rest)
    for name, value, dtype in message.tensors:
        header, content = wire_tensors.split(value, dtype)
        if not content:
            found.append(_opening(layout, name, len(header)) + header)
        elif len(content) < LARGE_BYTES:
            found.append(_small_head(layout, name, header, len(content)) + content)
        else:
            head = _large_head(layout, name, header, len(content), size % _ALIGNMENT)
            found += head, content
            size += len(head)
        size += len(found[-1])
    if size > MOST_MESSAGE_BYTES:
        raise _too_large(message, size)
    return found


@functools.lru_cache(maxsize=512)
def _small_head(layout: _Layout, name: str, header: bytes, size: int) -> bytes:
    """All that comes before the content of a small tensor: the same in every step."""
    head = header + _content_head(size)
    return _opening(layout, name, len(head) + size) + head


@functools.lru_cache(maxsize=512)
def _large_head(layout: _Layout, name: str, header: bytes, size: int, position: int) -> bytes:
    """The same for a large one that begins at `position`: its content is aligned."""
    head = header + _content_head(size)
    start = position + len(_opening(layout, name, len(head) + size)) + len(head)
    head = header + _PADDINGS[-start % _ALIGNMENT] + _content_head(size)
    return _opening(layout, name, len(head) + size) + head


def _opening(layout: _Layout, name: str, size: int) -> bytes:
    """All that comes before the fields of a TensorProto of `size` bytes."""
    before = b""
    if layout.is_named:
        data = name.encode()
        before = b"\n" + varint(len(data)) + data + b"\x12" + varint(size)
    return key_of(layout.number, LENGTH) + varint(len(before) + size) + before


def _content_head(size: int) -> bytes:
    return b"\x22" + varint(size)


#: By how many bytes are missing: `version_number` 0, which is its default, written at length. One
#: byte cannot be had, so nine stand for it.
_PADDINGS = [b""] + [
    key_of(_VERSION_NUMBER, VARINT) + b"\x80" * (size - 2) + b"\0" for size in (9, 2, 3, 4, 5, 6, 7)
]


def _too_large(parcel: Parcel[Any], size: int) -> InvalidArgumentError:
    largest = max(parcel.tensors, key=lambda tensor: getattr(tensor.value, "nbytes", 0))
    return InvalidArgumentError(
        f"The {type(parcel.message).__name__} would take {size} bytes, but a message holds "
        f"{MOST_MESSAGE_BYTES}. Its largest tensor, {largest.name or 'unnamed'}, has the shape "
        f"{largest.value.shape}: send it in parts, or make it where it is used."
    )


# --------------------------------------------------------------------------------------- reading


def parse(message_class: Any, data: Any) -> Any:
    """What `serialize` or another program made bytes of.

    Args:
      message_class: of the message. data: its bytes, or a read-only view of memory with them;
        large tensors go on using them.

    Returns:
      a `Parcel` for a class whose messages carry tensors (arrays that are read-only, aligned and
      little-endian, numpy scalars without dimensions), otherwise the message.

    Raises:
      InvalidArgumentError: if the bytes, or a tensor in them, are malformed.
    """
    layout = _LAYOUTS.get(message_class)
    for form in _forms.get((message_class, len(data)), ()):
        if data[: len(form.head)] == form.head:
            return form.parcel(data)
    short, contents = data, _NOTHING
    if layout is not None and len(data) >= LARGE_BYTES:
        try:
            short, contents = _cut(data, layout)
        except Unusual:
            pass  # protobuf says what it is
    message = _plain(message_class, short if isinstance(short, bytes) else bytes(short), len(data))
    if layout is None:
        return message
    parcel = Parcel(message)
    _decode_tensors(parcel, layout, data, contents)
    if not layout.is_repeated:
        _learn(parcel, layout, data)
    return parcel


class _Form(NamedTuple):
    """How a message with one tensor begins that came before; the rest is the tensor's content.

    A step's messages are the same but for that, so they need not be taken apart again.
    """

    head: bytes
    message_class: Any
    message: bytes  # without the tensor
    shape: tuple[int, ...]
    numpy_dtype: Any
    dtype: dtypes.DType

    def parcel(self, data: Any) -> Parcel[Any]:
        """See `parse`."""
        value = np.frombuffer(data, self.numpy_dtype, offset=len(self.head))
        if not self.shape:
            value = value[0]
        else:
            value = value.reshape(self.shape)
            if not value.flags.aligned:
                value = value.copy()
                value.flags.writeable = False
        parcel = Parcel(self.message_class.FromString(self.message))
        parcel.tensors.append(_make(WireTensor, ("", value, self.dtype)))
        return parcel


#: By class and size of messages, a few each.
_forms: dict[tuple[Any, int], tuple[_Form, ...]] = {}
_MOST_FORMS, _MOST_FORMS_OF_A_SIZE, _MOST_HEAD = 4096, 4, 256


def _learn(parcel: Parcel[Any], layout: _Layout, data: Any) -> None:
    """Keep the form of a message that ends with its tensor, and that with its content."""
    key = type(parcel.message), len(data)
    known = _forms.get(key, ())
    if not parcel.tensors or len(_forms) >= _MOST_FORMS or len(known) >= _MOST_FORMS_OF_A_SIZE:
        return  # a peer whose messages never begin the same is not looked at for ever
    _, value, dtype = parcel.tensors[0]
    if dtype is dtypes.string:
        return
    try:
        fields = list(fields_of(data, 0, len(data), _MAX_TENSOR_FIELDS))
        number, _, _, payload, end = fields[-1]
        if number != layout.number or [field[0] for field in fields].count(number) > 1:
            return
        _, content = _cut_tensor(data, payload, end)
    except Unusual:
        return
    head = bytes(data[: content.start])
    if not content or content.stop != len(data) or len(head) > _MOST_HEAD:
        return
    form = _Form(
        head,
        key[0],
        parcel.message.SerializeToString(),
        np.shape(value),
        np.asarray(value).dtype,
        dtype,
    )
    _forms[key] = (*known, form)


#: What makes something of bytes, and is no class.
_MAKES = FunctionType, functools.partial


def read(kind: Any, data: bytes) -> Any:
    """What came as bytes: as `parse` if `kind` is a class of messages, else what it makes of them.

    Raises:
      InvalidArgumentError: as `parse`.
    """
    if isinstance(kind, _MAKES):
        return kind(data)
    return parse(kind, data)


def _plain(message_class: Any, data: bytes, size: int) -> Any:
    try:
        return message_class.FromString(data)
    except DecodeError as error:
        text = f"Could not parse the {message_class.DESCRIPTOR.name} of {size} bytes: {error}"
        raise InvalidArgumentError(text) from None


def _decode_tensors(
    parcel: Parcel[Any], layout: _Layout, data: bytes, contents: dict[int, range]
) -> None:
    """Move the tensors from the message to beside it."""
    message = parcel.message
    if layout.is_repeated:
        protos = getattr(message, layout.field)
    else:
        protos = [message.tensor] if message.HasField(layout.field) else []
    if not protos:
        return
    for index, proto in enumerate(protos):
        name, tensor = (proto.name, proto.tensor) if layout.is_named else ("", proto)
        try:
            if index in contents:
                value = wire_tensors.decode_apart(tensor, data, contents[index])
            else:
                value = wire_tensors.decode(tensor)
        except InvalidArgumentError as error:
            where = name or (index if layout.is_repeated else "")
            raise InvalidArgumentError(
                f"The {layout.field} {where}".rstrip() + f": {error.message}"
            ) from None
        dtype = dtypes._BY_ENUM[tensor.dtype].base_dtype
        parcel.tensors.append(_make(WireTensor, (name, value, dtype)))
    message.ClearField(layout.field)


_NOTHING: dict[int, range] = {}


def _cut(data: bytes, layout: _Layout) -> tuple[bytes, dict[int, range]]:
    """The message without the content of large tensors, and where in `data` that is, by index.

    Raises:
      Unusual: if protobuf should look at all of it.
    """
    contents: dict[int, range] = {}
    pieces, done, index = [], 0, -1
    for field in fields_of(data, 0, len(data), _MAX_FIELDS):
        number, wire_type, start, payload, end = field
        if number != layout.number:
            continue
        index += 1
        if wire_type != LENGTH or (index and not layout.is_repeated):
            raise Unusual
        if end - payload < LARGE_BYTES:
            continue
        _check_head(data, field)
        if layout.is_named:
            value, found = _cut_named(data, payload, end)
        else:
            value, found = _cut_tensor(data, payload, end)
        if found:
            pieces += [data[done:start], key_of(number, LENGTH), varint(len(value)), value]
            contents[index], done = found, end
    return b"".join([*pieces, data[done:]]), contents


def _cut_named(data: bytes, start: int, end: int) -> tuple[bytes, range]:
    """A NamedTensorProto without its content, and where that is."""
    fields = fields_of(data, start, end, _MAX_TENSOR_FIELDS)
    tensors = [field for field in fields if field[0] == _TENSOR]
    if len(tensors) != 1:  # several would be merged
        raise Unusual
    _check_head(data, tensors[0])
    _, _, before, payload, after = tensors[0]
    tensor, content = _cut_tensor(data, payload, after)
    middle = key_of(_TENSOR, LENGTH) + varint(len(tensor)) + tensor
    return b"".join((data[start:before], middle, data[after:end])), content


def _cut_tensor(data: bytes, start: int, end: int) -> tuple[bytes, range]:
    """A TensorProto without its content, and where that is; the last one counts."""
    pieces, done, content = [], start, range(0)
    for field in fields_of(data, start, end, _MAX_TENSOR_FIELDS):
        number, _, begin, payload, after = field
        if number == _CONTENT:
            _check_head(data, field)
            pieces.append(data[done:begin])
            content, done = range(payload, after), after
    return b"".join([*pieces, data[done:end]]), content


def _check_head(data: bytes, field: Field) -> None:
    """Unusual if what protobuf will not see of a field is not written as everybody does."""
    number, _, start, payload, end = field
    if data[start:payload] != key_of(number, LENGTH) + varint(end - payload):
        raise Unusual
