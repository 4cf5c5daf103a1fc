"""Slices, Python's brackets, padding."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers

# Slice ------------------------------------------------------------------------------------------


@case("Slice", each=KINDS)
def slice_(tf, dtype):
    x = numbers(tf, 3, 4, dtype=dtype)
    return [
        tf.slice(x, [1, 0], [2, 3]),
        tf.slice(x, [0, 1], [-1, -1]),
        tf.slice(x, [3, 4], [0, 0]),
        tf.slice(numbers(tf, dtype=dtype), np.int32([]), np.int32([]), name="scalar"),
    ]


@case("Slice", each=[[3, None], None, [None, None]])
def static_shapes_of_slice(tf, shape):
    x, feed = fed(tf, np.arange(12).reshape(3, 4), shape=shape)
    begin, size = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])
    results = [
        tf.slice(x, begin, [-1, 2]),
        tf.slice(x, [1, 1], size),
        tf.slice(x, begin, size),
        tf.slice(x, [0, 0], [1, -1]),
    ]
    return Program(results, feed=feed | {begin: [0, 1], size: [2, 1]})


@case("Slice", "Pack")
def slice_by_partly_known_vectors(tf):
    number = tf.placeholder(tf.int32, [])
    x = numbers(tf, 4, 4)
    return Program(
        [
            tf.slice(x, tf.stack([1, number]), [-1, -1]),
            tf.slice(x, [0, 0], tf.stack([2, number])),
            tf.slice(x, tf.stack([1, number]), tf.stack([-1, number])),
        ],
        feed={number: 1},
    )


@case("Slice", error="Negative dimension size caused by subtracting 4 from 3")
def slice_from_behind_the_end(tf):
    return tf.slice(numbers(tf, 3), [4], [-1])


@case("Slice", error="Shape must be rank 2 but is rank 1")
def slice_of_another_rank(tf):
    return tf.slice(numbers(tf, 3), [1, 2], [1, 1])


@case(
    "Slice",
    error="Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2].",
)
def slice_with_vectors_that_differ(tf):
    return tf.slice(numbers(tf, 3), [1], [1, 1])


@case("Slice", error="Shape must be rank 1 but is rank 0")
def slice_with_scalars(tf):
    return tf.slice(numbers(tf, 3), 1, 1)


@case("Slice", error="Expected size[0] in [0, 2], but got 5")
def slice_that_is_too_long(tf):
    return tf.slice(numbers(tf, 3), [1], [5])


@case(
    "Slice",
    error="Expected ",
    each=[((4,), (-1,)), ((1,), (-2,)), ((-1,), (1,)), ((1, 2), (1, 1)), ((1,), (1, 1))],
)
def slice_that_fails_in_the_run(tf, begin, size):
    b, s = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    return Program(tf.slice(numbers(tf, 3), b, s), feed={b: begin, s: size})


@case("Slice", "Pad", graph="types")
def gradient_of_slice(tf):
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.slice(x, [1, 1], [2, -1])
    return Program(tf.gradients(tf.reduce_sum(y * y), x), feed={x: np.arange(16).reshape(4, 4)})


# Brackets ---------------------------------------------------------------------------------------

# Texts, so that the name of a case says what it is.
BRACKETS = [
    "0",
    "-1",
    "1:",
    ":2",
    "::2",
    "::-1",
    "3:0:-2",
    "-2:",
    ":-1",
    "5:",
    "2:1",
    "...",
    "...,0",
    "0,...",
    "1:,None",
    "None",
    "None,...,None",
    ":,1,::2",
    "1,2,3",
    "0,:,-1",
    "...,::-1,1",
    ":,None,1",
    "1:2,...,None,0",
    "()",
    "2:0:-1,0",
    "::-1,::-1,::-1",
    "-1:-4:-1",
    "0:2,0:2",
]


def index_of(text):
    """The object between brackets that a text stands for: "1:,None" as in x[1:, None]."""
    if text == "()":
        return ()
    parts = []
    for part in text.split(","):
        if ":" in part:
            parts.append(slice(*(int(number) if number else None for number in part.split(":"))))
        else:
            parts.append(
                {"...": Ellipsis, "None": None}.get(part) if part in ("...", "None") else int(part)
            )
    return tuple(parts) if len(parts) > 1 else parts[0]


@case("StridedSlice", each=BRACKETS)
def brackets(tf, text):
    x, feed = fed(tf, np.arange(60).reshape(3, 4, 5), shape=[None, 4, 5])
    return Program([numbers(tf, 3, 4, 5)[index_of(text)], x[index_of(text)]], feed=feed)


@case("StridedSlice", each=KINDS)
def brackets_by_dtype(tf, dtype):
    x = numbers(tf, 3, 4, dtype=dtype)
    return [x[1], x[1, 2], x[:, ::-2], x[..., tf.newaxis]]


@case("StridedSlice", each=["1", "...,0", "1:", ":,None"])
def brackets_of_unknown_rank(tf, text):
    x, feed = fed(tf, np.arange(12).reshape(3, 4))
    return Program(x[index_of(text)], feed=feed)


@case("StridedSlice", "AddV2", "Pack", each=["int32", "int64"])
def brackets_of_tensors(tf, dtype):
    x, i = numbers(tf, 3, 4), tf.placeholder(dtype, [])
    results = [x[i], x[i:], x[:i], x[0, i], x[i, 1:], x[..., i], x[::i], x[i : i + 1, None]]
    return Program(results, feed=[{i: 1}, {i: 2}])


@case("StridedSlice", "Pack")
def brackets_of_both_integer_types(tf):
    x, i = numbers(tf, 3, 4), tf.placeholder(tf.int64, [])
    return Program([x[i, 1], x[1:, i]], feed={i: 2})


@case("StridedSlice")
def brackets_of_numpy_integers(tf):
    x = numbers(tf, 3, 4)
    return [x[np.int32(1)], x[np.int32(0) : np.int32(2)], x[[1, 2]], x[x.shape[0] - 1]]


@case("StridedSlice", "Shape")
def static_shapes_of_sliced_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 3, 4])
    sizes = tf.shape(x)
    results = [
        tf.zeros(sizes[1:]),
        tf.zeros(sizes[:2]),
        tf.zeros(sizes[::2]),
        tf.zeros(sizes[-1:]),
        tf.zeros([sizes[0], 2]),
        tf.zeros([sizes[1]]),
    ]
    return Program(results, feed={x: np.zeros([2, 3, 4])})


@case("StridedSlice")
def strided_slice(tf):
    x = numbers(tf, 3, 4)
    return [
        tf.strided_slice(x, [0, 1], [2, 3]),
        tf.strided_slice(x, [2], [0], [-1]),
        tf.strided_slice(x, [0, 0], [1, 3], [1, 2], begin_mask=1, end_mask=2, name="named"),
        tf.strided_slice(x, np.int64([1]), np.int64([2]), np.int64([1]), shrink_axis_mask=1),
    ]


@case("StridedSlice")
def strided_slice_by_fed_vectors(tf):
    begin, end = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])
    x = numbers(tf, 3, 4)
    results = [
        tf.strided_slice(x, begin, end),
        tf.strided_slice(x, begin, end, [1, 1], shrink_axis_mask=2),
        tf.strided_slice(x, begin, end, [1, 1], begin_mask=1, end_mask=1),
    ]
    return Program(results, feed=[{begin: [0, 1], end: [2, 3]}, {begin: [-2, -1], end: [9, 9]}])


@case("StridedSlice", error="slice index 3 of dimension 0 out of bounds.")
def index_behind_the_end(tf):
    return numbers(tf, 3)[3]


@case("StridedSlice", error="slice index -1 of dimension 0 out of bounds.")
def index_before_the_beginning(tf):
    return numbers(tf, 3)[-4]


@case("StridedSlice", error="Index out of range using input dim 1; input has only 1 dims")
def too_many_indices(tf):
    return numbers(tf, 3)[0, 0]


@case("StridedSlice", error="Attempting to slice scalar input.")
def index_of_a_scalar(tf):
    return numbers(tf)[0]


@case("StridedSlice", error="Multiple ellipses in slice spec not allowed")
def two_ellipses(tf):
    return numbers(tf, 3)[..., ...]


@case("StridedSlice", error="strides[0] must be non-zero")
def a_stride_of_zero(tf):
    return numbers(tf, 3)[::0]


@case("StridedSlice", error="only stride 1 allowed on non-range indexing.")
def a_negative_stride_of_a_single_index(tf):
    return tf.strided_slice(numbers(tf, 3), [0], [1], [-1], shrink_axis_mask=1)


@case(
    "Shape",
    error="Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2].",
)
def strided_slice_with_vectors_that_differ(tf):
    return tf.strided_slice(numbers(tf, 3), [0], [1, 2])


@case(
    "Shape",
    each=["text", "float", "float tensor", "vector", "array"],
    error="Only integers, slices",
)
def indices_that_are_none(tf, kind):
    indices = {
        "text": "a",
        "float": 1.5,
        "float tensor": tf.constant(1.5),
        "vector": tf.constant([1]),
        "array": np.array([1, 2]),
    }
    return numbers(tf, 3)[indices[kind]]


@case("StridedSlice", error="slice index 5 of dimension 0 out of bounds.")
def fed_index_behind_the_end(tf):
    i, feed = fed(tf, 5, "int32", [])
    return Program(numbers(tf, 3)[i], feed=feed)


@case("StridedSlice", error="Expected begin, end, and strides to be 1D equal size tensors")
def strided_slice_with_fed_vectors_that_differ(tf):
    begin, end = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    return Program(tf.strided_slice(numbers(tf, 3), begin, end), feed={begin: [0], end: [1, 2]})


@case("StridedSlice", error="Index out of range using input dim 1; input has only 1 dims")
def too_many_indices_in_the_run(tf):
    x, feed = fed(tf, [1, 2, 3])
    return Program(x[0, 0], feed=feed)


@case("StridedSlice", "StridedSliceGrad", each=BRACKETS, graph="types")
def gradients_of_brackets(tf, text):
    x = numbers(tf, 3, 4, 5)
    y = x[index_of(text)]
    return tf.gradients(tf.reduce_sum(y * y), x)


@case("StridedSlice", "StridedSliceGrad", graph="types")
def gradients_of_brackets_of_fed_values(tf):
    x, i = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [])
    y = x[i:, 1] * x[0, i]
    first = tf.gradients(tf.reduce_sum(y), x)[0]
    second = tf.gradients(tf.reduce_sum(first * x), x)
    return Program([first, second], feed={x: np.arange(12).reshape(3, 4), i: 1})


# Pad --------------------------------------------------------------------------------------------


@case("Pad", "PadV2", each=[dtype for dtype in KINDS if dtype != "string"])
def pad(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    one = True if dtype == "bool" else 1
    return [
        tf.pad(x, [[1, 0], [2, 1]]),
        tf.pad(x, np.int64([[0, 0], [1, 1]])),
        tf.pad(x, [[1, 1], [0, 0]], constant_values=tf.cast(one, dtype)),
        tf.pad(x, [[1, 1], [0, 0]], "constant", "named"),
    ]


@case("Pad")
def pad_strings(tf):
    return tf.pad(numbers(tf, 2, dtype="string"), [[1, 1]])


@case("Pad", each=[(None, [1, 2]), (None, None), ([None], None), ([None], [1, 2])])
def static_shapes_of_pad(tf, shape, paddings_shape):
    x, paddings = tf.placeholder(tf.float32, shape), tf.placeholder(tf.int32, paddings_shape)
    results = [tf.pad(x, paddings), tf.pad(x, [[1, 2]])]
    return Program(results, feed={x: [1, 2], paddings: [[0, 1]]})


@case("Pad", error="Paddings must be non-negative")
def pad_by_a_negative_number(tf):
    return tf.pad(numbers(tf, 2), [[1, -1]])


@case("Pad", error="Shape must be rank 2 but is rank 1")
def pad_another_rank(tf):
    return tf.pad(numbers(tf, 2), [[1, 1], [1, 1]])


@case("Pad", error="Dimension must be 2 but is 3")
def pad_with_three_columns(tf):
    return tf.pad(numbers(tf, 2), [[1, 1, 1]])


@case("Pad", error="", each=[(((1, -1),),), (((1, 1), (1, 1)),), ((1, 1),)])
def pad_that_fails_in_the_run(tf, paddings):
    p, feed = fed(tf, paddings, "int32")
    return Program(tf.pad(numbers(tf, 2), p), feed=feed)


@case("Pad", "PadV2", "Slice", graph="types")
def gradients_of_pad(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.pad(x, [[1, 0], [0, 2]]), tf.pad(x, [[1, 0], [0, 2]], constant_values=3)
    loss = tf.reduce_sum(y[0] * y[1])
    return Program(tf.gradients(loss, x), feed={x: [[1, 2], [3, 4]]})
