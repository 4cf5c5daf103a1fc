"""Messages with tensors: what is written and read without protobuf, against protobuf itself."""

import math
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tinytf as tf
from tinytf.distributed.wire import framing, wire_fields, wire_tensors
from tinytf.distributed.wire.framing import Parcel, parse, serialize
from tinytf.protos import graph_pb2, master_pb2, tensor_pb2, worker_pb2

CLASSES = list(framing._LAYOUTS)
TYPES = [
    tf.float32,
    tf.float64,
    tf.float16,
    tf.bfloat16,
    tf.int8,
    tf.uint8,
    tf.int32,
    tf.int64,
    tf.uint64,
    tf.bool,
    tf.complex64,
    tf.complex128,
    tf.qint8,
]


def protos_of(message):
    """[(name, TensorProto)] of a message that protobuf parsed."""
    layout = framing._LAYOUTS[type(message)]
    if not layout.is_repeated:
        return [("", message.tensor)] if message.HasField("tensor") else []
    field = getattr(message, layout.field)
    return [(p.name, p.tensor) if layout.is_named else ("", p) for p in field]


def by_protobuf(message_class, data):
    """(the rest of the message, names, values) as protobuf's parser has them; None if refused."""
    try:
        message = message_class.FromString(data)
        tensors = [(name, wire_tensors.decode(proto)) for name, proto in protos_of(message)]
    except (DecodeError, tf.errors.InvalidArgumentError):
        return None
    message.ClearField(framing._LAYOUTS[message_class].field)
    return message, [name for name, _ in tensors], [value for _, value in tensors]


def by_framing(message_class, data):
    try:
        parcel = parse(message_class, data)
    except tf.errors.InvalidArgumentError:
        return None
    return parcel.message, [tensor.name for tensor in parcel.tensors], parcel.values()


def assert_same(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        assert one[:2] == other[:2]
        for value, expected in zip(one[2], other[2], strict=True):
            assert type(value) is type(expected)
            assert value.dtype == expected.dtype
            assert value.shape == expected.shape
            if value.dtype == object:
                assert value.tolist() == expected.tolist()
            else:
                assert value.tobytes() == expected.tobytes()


@pytest.fixture
def everything_is_large(monkeypatch):
    """A few bytes count as large, so that small examples reach all of the code."""
    monkeypatch.setattr(framing, "LARGE_BYTES", 4)


# There and back --------------------------------------------------


@st.composite
def tensors(draw):
    """(value, dtype), in all orders of memory."""
    dtype = draw(st.sampled_from([*TYPES, tf.string]))
    shape = draw(arrays.array_shapes(min_dims=0, max_side=5, min_side=0))
    if dtype is tf.string:
        texts = st.lists(st.binary(), min_size=math.prod(shape), max_size=math.prod(shape))
        value = np.empty(shape, object)
        value.reshape(-1)[:] = draw(texts)
        return value, dtype
    size = math.prod(shape) * np.dtype(dtype.as_numpy_dtype).itemsize
    numbers = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8)
    if dtype is tf.bool:
        numbers = numbers & 1
    value = numbers.view(dtype.as_numpy_dtype).reshape(shape)
    how = draw(st.sampled_from(["as it is", "transposed", "backwards", "big-endian", "scalar"]))
    if how == "transposed":
        value = value.T
    elif how == "backwards" and value.ndim:
        value = value[::-1]
    elif how == "big-endian" and value.dtype.kind in "fiu" and value.dtype.isbuiltin:
        value = value.astype(value.dtype.newbyteorder(">"))
    elif how == "scalar":
        value = value[()]
    return value, dtype


@st.composite
def parcels(draw):
    message_class = draw(st.sampled_from(CLASSES))
    layout = framing._LAYOUTS[message_class]
    message = message_class()
    for name in ("session_handle", "status_error_message"):
        if name in message.DESCRIPTOR.fields_by_name:
            setattr(message, name, draw(st.text()))
    parcel = Parcel(message)
    for value, dtype in draw(st.lists(tensors(), max_size=4 if layout.is_repeated else 1)):
        parcel.add(value, dtype, draw(st.text(max_size=20)) if layout.is_named else "")
    return parcel


@pytest.mark.usefixtures("everything_is_large")
@given(parcel=parcels())
def test_there_and_back_with_protobuf_as_witness(parcel):
    data = serialize(parcel)
    back = parse(type(parcel.message), data)
    assert back.message == parcel.message
    for tensor, original in zip(back.tensors, parcel.tensors, strict=True):
        assert (tensor.name, tensor.dtype) == (original.name, original.dtype)
        expected = np.asarray(original.value)
        assert np.shape(tensor.value) == expected.shape
        expected = expected.astype(original.dtype.as_numpy_dtype)  # of the usual byte order
        if original.dtype is tf.string:
            assert np.asarray(tensor.value).tolist() == expected.tolist()
        else:
            assert tensor.value.dtype == expected.dtype
            assert tensor.value.tobytes() == expected.tobytes()
    assert_same(by_framing(type(parcel.message), data), by_protobuf(type(parcel.message), data))


@pytest.mark.parametrize("message_class", CLASSES)
@pytest.mark.parametrize("letters", range(9))
def test_large_tensors_are_views_of_the_bytes_and_aligned(message_class, letters):
    parcel = Parcel(message_class())
    layout = framing._LAYOUTS[message_class]
    values = [np.arange(n, dtype=np.complex128) for n in (1200, 3000)]
    for value in values[: 2 if layout.is_repeated else 1]:
        parcel.add(value, name="n" * letters if layout.is_named else "")
    data = serialize(parcel)
    for value, expected in zip(parse(message_class, data).values(), values, strict=False):
        assert value.tolist() == expected.tolist()
        assert not value.flags.owndata
        assert not value.flags.writeable
        assert value.flags.aligned


def test_a_large_tensor_is_copied_once_on_its_way_out_and_never_on_its_way_in():
    value = np.ones(1 << 20, np.float32)
    parcel = Parcel(worker_pb2.RecvTensorResponse())
    parcel.add(value)
    tracemalloc.start()
    try:
        data = serialize(parcel)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * value.nbytes
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        received = parse(worker_pb2.RecvTensorResponse, data).only()
        assert tracemalloc.get_traced_memory()[1] - before < value.nbytes / 10
    finally:
        tracemalloc.stop()
    assert np.array_equal(received, value)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (4, 5000)])
def test_messages_that_begin_as_one_that_came_before(dtype, shape):
    """They are not taken apart again; each has its own values, and what looks alike is not."""
    message_class, numpy_dtype = worker_pb2.RecvTensorResponse, dtype.as_numpy_dtype
    count = math.prod(shape)
    seen = []
    for step in range(3):
        value = (np.arange(count) % 2 + step % 2).astype(numpy_dtype).reshape(shape)[()]
        for reshaped in (value, value.reshape(-1)):
            parcel = Parcel(message_class(require_ack=True))
            parcel.add(reshaped, dtype)
            data = serialize(parcel)
            assert_same(by_framing(message_class, data), by_protobuf(message_class, data))
            found = parse(message_class, data)
            assert found.only().tolist() == reshaped.tolist()
            assert found.only().shape == reshaped.shape
            assert isinstance(found.only(), np.generic) or not found.only().flags.writeable
            seen.append(found.message)
        for damaged in (
            data + data[-2:],
            data[:-1],
            b"\x00" + data[1:],
            data[:-3] + b"\x08\x01\x08",
        ):
            assert_same(by_framing(message_class, damaged), by_protobuf(message_class, damaged))
    assert len(set(map(id, seen))) == len(seen)  # they may be changed


def test_protobuf_is_not_asked_again_about_what_begins_the_same(monkeypatch):
    def message(values):
        parcel = Parcel(worker_pb2.RecvTensorResponse())
        parcel.add(np.array(values, np.int64))
        return serialize(parcel)

    parse(worker_pb2.RecvTensorResponse, message([1, 2, 3]))
    monkeypatch.delattr(framing, "_plain")
    found = parse(worker_pb2.RecvTensorResponse, message([4, 5, 6]))
    assert found.only().tolist() == [4, 5, 6]
    assert found.tensors[0].dtype is tf.int64


def test_a_peer_whose_messages_never_begin_the_same_is_not_looked_at_for_ever(monkeypatch):
    monkeypatch.setattr(framing, "_forms", {})
    for micros in range(1 << 40, (1 << 40) + 20):
        parcel = Parcel(worker_pb2.RecvTensorResponse(send_start_micros=micros))
        parcel.add(np.array([micros], np.int64))
        found = parse(worker_pb2.RecvTensorResponse, serialize(parcel))
        assert found.only().tolist() == [micros]
        assert found.message.send_start_micros == micros
    assert [len(forms) for forms in framing._forms.values()] == [framing._MOST_FORMS_OF_A_SIZE]


def test_content_that_a_peer_did_not_align_is_copied_and_read_only():
    proto = tensor_pb2.TensorProto(dtype=1, tensor_content=np.ones(5000, np.float32).tobytes())
    proto.tensor_shape.dim.add(size=5000)
    seen = set()
    for letters in range(5):
        request = master_pb2.RunStepRequest(session_handle="s" * letters)
        request.feed.add(name="x:0", tensor=proto)
        (value,) = parse(master_pb2.RunStepRequest, request.SerializeToString()).values()
        assert value.tolist() == [1.0] * 5000
        assert value.flags.aligned
        assert not value.flags.writeable
        seen.add(value.flags.owndata)
    assert seen == {True, False}


# What only malformed or strange bytes have --------------------------------------------------


def varint(value, more=0):
    """A number; `more` bytes longer than need be."""
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value | (0x80 if more else 0))
    return bytes(result) + (b"\x80" * (more - 1) + b"\0" if more else b"")


rarely = st.integers(0, 11).map(lambda number: number == 11)


@st.composite
def field(draw, number, payloads):
    """A field: bytes go with their length, an integer as a number. Rarely there is an oddity."""
    payload = draw(payloads)
    wire_type = 2 if isinstance(payload, bytes) else 0
    oddity = draw(st.sampled_from(["number", "type", "key", "length"])) if draw(rarely) else ""
    if oddity == "number":
        number = draw(st.sampled_from([0, 19, 31, 600, 1 << 29]))
    if oddity == "type":
        return varint(number << 3 | draw(st.integers(0, 7))) + draw(st.binary(max_size=9))
    more = draw(st.sampled_from([1, 3, 9]))
    key = varint(number << 3 | wire_type, more if oddity == "key" else 0)
    size = payload if wire_type == 0 else len(payload)
    return key + varint(size, more if oddity == "length" else 0) + (payload if wire_type else b"")


@st.composite
def fields(draw, known, usual):
    """Fields by number -> payload: those that are `usual` in any order, and rarely others."""
    numbers = draw(st.permutations(usual))
    while draw(rarely):
        numbers.append(draw(st.sampled_from(list(known))))
    if draw(rarely):
        numbers = numbers[1:]
    return b"".join(draw(field(number, known[number])) for number in numbers)


names = st.sampled_from([b"x:0", b"y:0", b"z:0"]) | st.binary(max_size=3)
sizes = st.sampled_from([0, 1, 2, 3, 2**31, 2**62, 2**64 - 1])
shapes = fields({2: fields({1: sizes, 2: names}, [1]), 3: st.integers(0, 1)}, [2])
plain_shapes = st.sampled_from([b"\x12\x02\x08\x02", b"\x12\x02\x08\x01\x12\x02\x08\x02"])
tensor_fields = fields(
    {
        1: st.sampled_from([1] * 9 + [3, 4, 7, 20, 99, 101]),
        2: st.one_of(plain_shapes, plain_shapes, plain_shapes, plain_shapes, shapes),
        3: st.integers(0, 2),
        4: st.one_of(st.binary(min_size=8, max_size=8), st.just(b"12345678"), st.binary()),
        5: st.sampled_from([b"\0\0\x80\x3f", b"\0\0\x80\x3f" * 2]),
        7: st.binary(max_size=3),
        8: names,
    },
    [1, 2, 4],
)
named_fields = fields({1: names, 2: tensor_fields}, [1, 2])


@pytest.mark.usefixtures("everything_is_large")
@given(data=st.data())
def test_any_bytes_mean_what_protobuf_says_or_are_refused_by_both(data):
    message_class = data.draw(st.sampled_from(CLASSES))
    layout = framing._LAYOUTS[message_class]
    inner = named_fields if layout.is_named else tensor_fields
    known = dict.fromkeys(range(1, 7), names) | {layout.number: inner}
    usual = [layout.number] * data.draw(st.integers(1, 3 if layout.is_repeated else 1))
    sent = data.draw(fields(known, usual))
    if data.draw(rarely):
        sent = sent[: data.draw(st.integers(0, len(sent)))]
    assert_same(by_framing(message_class, sent), by_protobuf(message_class, sent))


@pytest.mark.usefixtures("everything_is_large")
@given(parcel=parcels(), data=st.data())
def test_damaged_bytes_mean_what_protobuf_says_or_are_refused_by_both(parcel, data):
    sent = bytearray(serialize(parcel))
    for _ in range(data.draw(st.integers(1, 3)) if sent else 0):
        sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(rarely):
        del sent[data.draw(st.integers(0, len(sent))) :]
    message_class = type(parcel.message)
    assert_same(by_framing(message_class, bytes(sent)), by_protobuf(message_class, bytes(sent)))


def part(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


#: A tensor, and what changes when protobuf merges a second one into it.
WHOLE = b"\x08\x01" + part(2, part(2, b"\x08\x02")) + part(4, b"12345678")
SECONDS = [part(4, b"abcdefgh"), b"\x08\x03", part(4, b""), part(2, part(2, b"\x08\x01"))]


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("second", SECONDS)
def test_fields_that_come_twice_are_merged_as_protobuf_does(second):
    name = part(1, b"x:0")
    for message_class, data in [
        (worker_pb2.RecvTensorResponse, part(1, WHOLE) + part(1, second)),
        (worker_pb2.RecvTensorResponse, part(1, WHOLE + second)),
        (master_pb2.RunStepResponse, part(1, name + part(2, WHOLE) + part(2, second))),
        (master_pb2.RunStepResponse, part(1, name + part(2, WHOLE + second) + name)),
        (master_pb2.RunCallableResponse, part(1, WHOLE) + part(1, WHOLE + second)),
    ]:
        expected = by_protobuf(message_class, data)
        assert expected is not None or second.endswith(b"\x08\x01")  # other shapes do not fit
        assert_same(by_framing(message_class, data), expected)


def tensor(content=b"", shape=(), dtype=1, **fields):
    proto = tensor_pb2.TensorProto(dtype=dtype, tensor_content=content, **fields)
    proto.tensor_shape.SetInParent()
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    return proto


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (tensor(bytes(20_000), [4999]), r"needs 19996 bytes of content, got 20000"),
        (tensor(bytes(20_000), [-1]), "not fully defined"),
        (tensor(bytes(20_000), [2**62, 2**62]), "bytes of content, got 20000"),
        (tensor(bytes(20_000), [2**62, 2**62, 0]), "needs 0 bytes"),
        (tensor(bytes(20_000), [1] * 255), "255 dimensions"),
        (tensor(bytes(20_000), [5000], dtype=77), "unknown dtype 77"),
        (tensor(bytes(20_000), [5000], dtype=20), "resource has no array value"),
        (tensor(bytes(20_000), [5000], dtype=7), "20000 bytes|15000 bytes"),
        (tensor(b"", [1 << 40], float_val=[1.0]), "fewer values than elements"),
        (tensor(b"", [1 << 26]), "fewer values than elements"),
        (tensor(b"", [1 << 26], dtype=7), "fewer values than elements"),
        (tensor(b"", [1] * 100_000), "100000 dimensions"),
    ],
)
def test_malformed_tensors_say_what_is_wrong_and_take_no_memory(proto, words):
    request = master_pb2.RunStepRequest()
    request.feed.add(name="x:0", tensor=proto)
    data = request.SerializeToString()
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"The feed x:0: .*({words})"):
            parse(master_pb2.RunStepRequest, data)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_message_of_a_million_fields_is_left_to_protobuf(monkeypatch):
    steps = []
    read = wire_fields.number_at
    monkeypatch.setattr(wire_fields, "number_at", lambda *a: steps.append(a) or read(*a))
    data = b"\x38\x01" * 1_000_000  # store_errors_in_response_body
    assert parse(master_pb2.RunStepRequest, data).message.store_errors_in_response_body
    assert len(steps) <= 2 * framing._MAX_FIELDS


# The parts of a parcel --------------------------------------------------


def test_names_and_positions():
    parcel = Parcel(master_pb2.RunStepRequest())
    parcel.add(np.float32(1), name="x:0")
    parcel.add(np.array([b"a"], object), name="y:0")
    assert parcel.by_name() == {"x:0": 1, "y:0": np.array([b"a"], object)}
    assert [tensor.dtype for tensor in parcel.tensors] == [tf.float32, tf.string]
    assert repr(parcel) == "<Parcel RunStepRequest with 2 tensors>"
    parcel.add(np.float32(2), name="x:0")
    assert parcel.values()[2] == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="The feed x:0 is given twice"):
        parcel.by_name()
    with pytest.raises(tf.errors.InvalidArgumentError, match="RecvTensorResponse has no tensor"):
        Parcel(worker_pb2.RecvTensorResponse()).only()


def test_values_that_stay_in_their_process():
    parcel = Parcel(worker_pb2.RecvTensorResponse())
    with pytest.raises(tf.errors.InvalidArgumentError, match="type resource stays in its own"):
        parcel.add(object(), tf.resource)
    with pytest.raises(tf.errors.InvalidArgumentError, match="type object stays in its own"):
        parcel.add(object())
    assert parcel.tensors == []


def test_more_than_a_message_holds_is_refused_before_it_is_made():
    parcel = Parcel(master_pb2.RunStepResponse())
    parcel.add(np.broadcast_to(np.zeros(1, np.uint8), (100,)), name="small")
    parcel.add(np.zeros(1 << 31, np.uint8), name="x:0")  # untouched, it takes no memory
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"2147483\d+ bytes.* x:0, has the sh"):
        serialize(parcel)


def test_messages_without_tensors_are_messages():
    graph = graph_pb2.GraphDef(versions={"producer": 5})
    assert parse(graph_pb2.GraphDef, serialize(graph)) == graph
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse the GraphDef of 2"):
        parse(graph_pb2.GraphDef, b"\x0a\xff")


def test_bfloat16_by_its_own_type():
    parcel = Parcel(worker_pb2.RecvTensorResponse())
    parcel.add(np.ones((3, 9000), ml_dtypes.bfloat16))
    value = parse(worker_pb2.RecvTensorResponse, serialize(parcel)).only()
    assert value.dtype == ml_dtypes.bfloat16
    assert (value == 1).all()
