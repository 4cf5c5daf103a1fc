"""Values between Python, numpy and TensorProto."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tinytf.framework import dtypes, tensor_value
from tinytf.protos import tensor_pb2

NUMERIC = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex64",
    "complex128",
    "float8_e5m2",
    "float8_e4m3fn",
    "int4",
    "uint4",
]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)


@st.composite
def arrays(draw):
    """An array of any type with bytes of any value, NaNs and their payloads included."""
    name = draw(st.sampled_from([*NUMERIC, "string"]))
    shape = draw(SHAPES)
    count = int(np.prod(shape))
    if name == "string":
        array = np.empty(count, object)
        array[:] = draw(st.lists(st.binary(max_size=5), min_size=count, max_size=count))
        return dtypes.string, array.reshape(shape)
    dtype = dtypes.as_dtype(name)
    if name in ("bool", "int4", "uint4"):
        low, high = {"bool": (0, 1), "int4": (-8, 7), "uint4": (0, 15)}[name]
        values = draw(st.lists(st.integers(low, high), min_size=count, max_size=count))
        return dtype, np.array(values, np.int64).astype(dtype.as_numpy_dtype).reshape(shape)
    size = count * np.dtype(dtype.as_numpy_dtype).itemsize
    raw = draw(st.binary(min_size=size, max_size=size))
    return dtype, np.frombuffer(raw, dtype.as_numpy_dtype).reshape(shape)


def same(a, b):
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    if a.dtype == object:
        assert a.tolist() == b.tolist()
    elif a.size == 1 and a.dtype.kind in "fcV":
        # A single number travels as text of its value, in which a NaN loses its payload.
        with np.errstate(invalid="ignore"):  # what casting a signalling NaN complains of
            np.testing.assert_array_equal(a.astype(np.complex128), b.astype(np.complex128))
    else:
        assert a.tobytes() == b.tobytes()


@given(arrays())
def test_arrays_come_back_from_protos(pair):
    dtype, array = pair
    proto = tensor_value.encode(array, dtype)
    assert proto.dtype == dtype.as_datatype_enum
    back = tensor_value.make_ndarray(tensor_pb2.TensorProto.FromString(proto.SerializeToString()))
    same(back, array)
    assert back.base is None or back.base.base is None  # of its own, not of the message


@pytest.mark.parametrize("name", [n for n in NUMERIC if "float8" not in n])
def test_short_forms_repeat_the_last_value(name):
    dtype = dtypes.as_dtype(name)
    one = tensor_value.encode(np.ones([], dtype.as_numpy_dtype), dtype)
    one.tensor_shape.dim.add().size = 3
    array = tensor_value.make_ndarray(one)
    assert array.astype(np.complex128).tolist() == [1, 1, 1]
    nothing = tensor_pb2.TensorProto(dtype=one.dtype, tensor_shape=one.tensor_shape)
    assert tensor_value.make_ndarray(nothing).astype(np.complex128).tolist() == [0, 0, 0]


def test_strings_repeat_too_and_travel_packed():
    proto = tensor_value.encode(np.array([b"a", b"bc"], object))
    proto.tensor_shape.dim[0].size = 4
    assert tensor_value.make_ndarray(proto).tolist() == [b"a", b"bc", b"bc", b"bc"]
    proto.ClearField("string_val")
    assert tensor_value.make_ndarray(proto).tolist() == [b""] * 4
    proto.tensor_content = b"\x00\x01\x02\x00abc"
    assert tensor_value.make_ndarray(proto).tolist() == [b"", b"a", b"bc", b""]


def test_bit_patterns_of_halves():
    proto = tensor_pb2.TensorProto(dtype=19, half_val=[0x3C00])
    assert tensor_value.make_ndarray(proto) == np.float16(1)
    proto.dtype = 14
    proto.half_val[:] = [0x3F80]
    assert tensor_value.make_ndarray(proto) == ml_dtypes.bfloat16(1)


def proto_of(dtype, sizes, **fields):
    proto = tensor_pb2.TensorProto(dtype=dtype, **fields)
    for size in sizes:
        proto.tensor_shape.dim.add().size = size
    return proto


MALFORMED = {
    "no type": proto_of(0, [1], int_val=[1]),
    "unknown type": proto_of(99, [1], int_val=[1]),
    "negative size": proto_of(3, [-1], int_val=[1]),
    "more values than elements": proto_of(3, [1], int_val=[1, 2]),
    "values for no element": proto_of(3, [0], int_val=[1]),
    "too little content": proto_of(1, [2], tensor_content=b"1234"),
    "too much content": proto_of(1, [], tensor_content=b"12345678"),
    "huge": proto_of(1, [1 << 40]),
    "huge product": proto_of(1, [1 << 62, 1 << 62]),
    "huge with a zero aside": proto_of(7, [1 << 31], string_val=[b"a"]),
    "half a complex number": proto_of(8, [1], scomplex_val=[1.0, 2.0, 3.0]),
    "lengths cut short": proto_of(7, [2], tensor_content=b"\x01"),
    "text cut short": proto_of(7, [1], tensor_content=b"\x05ab"),
    "text left over": proto_of(7, [1], tensor_content=b"\x01abc"),
    "endless length": proto_of(7, [1], tensor_content=b"\xff" * 30),
    "more strings than elements": proto_of(7, [1], string_val=[b"a", b"b"]),
    "a resource": proto_of(20, []),
    "half a byte": proto_of(24, [3], float8_val=b"1234"),
}


@pytest.mark.parametrize("proto", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_protos_are_refused(proto):
    with pytest.raises(ValueError, match=r"TensorProto|String tensor content"):
        tensor_value.make_ndarray(proto)


def test_unknown_rank_is_refused():
    proto = tensor_pb2.TensorProto(dtype=1)
    proto.tensor_shape.unknown_rank = True
    with pytest.raises(ValueError, match="not fully defined"):
        tensor_value.make_ndarray(proto)


@given(st.data())
def test_any_message_gives_an_array_or_a_value_error(data):
    sizes = st.lists(st.sampled_from([0, 1, 2, 3, -1, 1 << 33, 1 << 62]), max_size=3)
    numbers = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4)
    proto = proto_of(data.draw(st.integers(0, 130)), data.draw(sizes))
    proto.tensor_content = data.draw(st.binary(max_size=20))
    for field in ("int_val", "half_val", "int64_val"):
        getattr(proto, field).extend(data.draw(numbers))
    for field in ("float_val", "double_val", "scomplex_val", "dcomplex_val"):
        getattr(proto, field).extend(data.draw(st.lists(st.floats(width=32), max_size=4)))
    proto.string_val.extend(data.draw(st.lists(st.binary(max_size=3), max_size=3)))
    try:
        array = tensor_value.make_ndarray(proto)
    except ValueError:
        return
    assert array.shape == tuple(d.size for d in proto.tensor_shape.dim)
    assert array.dtype == np.dtype(dtypes.as_dtype(proto.dtype).as_numpy_dtype)


@given(st.binary(max_size=40), st.integers(0, 6))
def test_packed_strings_come_apart_or_are_refused(content, count):
    try:
        strings = tensor_value.split_strings(content, count)
    except ValueError:
        return
    assert len(strings) == count
    assert sum(map(len, strings)) <= len(content)


def test_a_constant_does_not_share_memory_with_its_value():
    array = np.arange(3.0)
    assert not np.shares_memory(tensor_value.to_array(array), array)
    assert not np.shares_memory(tensor_value.to_array(array, dtypes.float64), array)


def test_long_values_are_cut_short_in_messages():
    with pytest.raises(TypeError, match="Failed to convert elements") as caught:
        tensor_value.to_array([*range(100_000), "x"])
    assert len(str(caught.value)) < 500


def test_the_offending_value_is_named_in_its_list():
    with pytest.raises(TypeError, match=r"got 300 of type 'int'.*from 0 to 255"):
        tensor_value.to_array([[1, 2], [300, 4]], dtypes.uint8)


def test_make_tensor_proto_and_back():
    proto = tensor_value.make_tensor_proto([[1, 2]], dtype=dtypes.int64, shape=[2, 1])
    assert tensor_value.make_ndarray(proto).tolist() == [[1], [2]]
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(3,\), but got \(1, 2\)"):
        tensor_value.make_tensor_proto([[1, 2]], shape=[3], verify_shape=True)


def test_none_says_where_it_may_come_from():
    with pytest.raises(ValueError, match=r"None values not supported\..*tf\.gradients"):
        tensor_value.make_tensor_proto(None)
