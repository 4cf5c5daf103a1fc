"""Array ops: passing on, shapes, filling."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers

# Passing on -----------------------------------------------------------------------------------


@case("Identity", each=KINDS)
def identity(tf, dtype):
    return [tf.identity(numbers(tf, 2, 3, dtype=dtype)), tf.identity(numbers(tf, dtype=dtype))]


@case("Identity", "Pack")
def identity_of_python_values(tf):
    x, feed = fed(tf, 2.0, shape=[])
    return Program([tf.identity(3), tf.identity([x, 3], name="packed")], feed=feed)


@case("IdentityN")
def identity_n(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.identity_n([x, 3, "text"]), feed=feed)


@case("IdentityN", error="less than minimum 1")
def identity_n_of_nothing(tf):
    return tf.identity_n([])


@case("StopGradient", "Mul")
def stop_gradient(tf):
    x = tf.constant([3.0, 4.0])
    return tf.gradients(x * tf.stop_gradient(x), x)


@case("PreventGradient")
def prevent_gradient(tf):
    return node(tf, "PreventGradient", [numbers(tf, 2)], T=tf.float32, message="why")


@case("PreventGradient", error="Gradient explicitly disabled. Reason: ")
def gradient_of_prevent_gradient(tf):
    x = numbers(tf, 2)
    return tf.gradients(node(tf, "PreventGradient", [x], T=tf.float32, message="why"), x)


@case("PlaceholderWithDefault")
def placeholder_with_default(tf):
    x = tf.placeholder_with_default([1.0, 2.0], [None], name="x")
    y = tf.placeholder_with_default(tf.constant(3), [])
    return Program([x, x * 2, y], feed=[{}, {x: [5.0, 6.0, 7.0]}, {y: 4}])


# Shapes ---------------------------------------------------------------------------------------


@case("Const")
def shapes_known_while_building(tf):
    x = numbers(tf, 2, 3)
    partly = tf.placeholder(tf.float32, [0, None])
    return [
        tf.shape(x),
        tf.shape(x, out_type=tf.int64),
        tf.size(x),
        tf.rank(x),
        tf.size(partly),
        tf.rank(partly),
        tf.shape([1, 2], name="of_a_list"),
        tf.size(7),
        tf.rank([[1]]),
    ]


@case("Shape", "Size", "Rank", each=["int32", "int64"])
def shapes_of_fed_values(tf, out_type):
    x, feed = fed(tf, np.zeros([2, 0, 3]))
    kind = tf.as_dtype(out_type)
    return Program([tf.shape(x, out_type=kind), tf.size(x, out_type=kind), tf.rank(x)], feed=feed)


@case("ShapeN")
def shape_n(tf):
    x, feed = fed(tf, np.zeros([2, 3]), shape=[None, 3])
    return Program(tf.shape_n([x, numbers(tf, 4)]), feed=feed)


@case("Shape", "Reshape", "Pack")
def static_shapes_through_computed_ones(tf):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    rows = tf.shape(x)[0]
    results = [
        tf.reshape(x, [-1, 2, 2]),
        tf.reshape(x, [rows, 2, -1]),
        tf.reshape(x, tf.stack([rows, 4])),
        tf.fill(tf.shape(x), 1.0),
        tf.zeros([rows, 3]),
        tf.reshape(x, tf.concat([[2], [-1]], 0)),
        tf.ones(tf.shape(x)[1:]),
    ]
    return Program(results, feed={x: np.arange(16.0).reshape(4, 4)})


RESHAPES = [
    ((None, 4), (-1, 4)),
    ((None, 4), (2, -1)),
    ((4,), (-1, 2)),
    ((None, 0), (3, -1)),
    ((None, 0), (0, -1)),
    ((2, 3), (3, 2)),
    ((0,), (0, 4)),
    (None, (2, -1)),
    ((6,), (1, 2, 3)),
    ((1,), ()),
    ((None, None), (4, -1)),
]


@case("Reshape", each=RESHAPES)
def static_shapes_of_reshape(tf, given, wanted):
    x = tf.placeholder(tf.float32, given)
    value = np.zeros([4 if size is None else size for size in given or (2, 4)])
    return Program(tf.reshape(x, wanted), feed={x: value})


@case("Reshape", each=KINDS)
def reshape(tf, dtype):
    return tf.reshape(numbers(tf, 2, 3, dtype=dtype), [3, -1])


@case("Reshape")
def reshape_to_a_fed_shape(tf):
    x, shape = tf.placeholder(tf.float32), tf.placeholder(tf.int64, [2])
    feeds = [{x: np.arange(6), shape: to} for to in ([2, 3], [-1, 1], [6, 1])]
    feeds += [{x: np.zeros([0]), shape: to} for to in ([0, 7], [3, -1], [0, -1])]
    return Program(tf.reshape(x, shape), feed=feeds)


@case(
    "Reshape",
    each=[((2, 3), (4, 2)), ((None, 4), (3,)), ((7,), (3, -1)), ((None, 0), (3, 4))],
    error="",
)
def reshape_that_cannot_fit(tf, given, wanted):
    return tf.reshape(tf.placeholder(tf.float32, given), wanted)


@case("Reshape", error="Cannot reshape a tensor with 6 elements to shape [4,2] (8 elements)")
def reshape_to_another_number_of_elements(tf):
    return tf.reshape(numbers(tf, 2, 3), [4, 2])


@case("Reshape", error="Shape must be rank 1 but is rank 0")
def reshape_to_a_scalar_shape(tf):
    return tf.reshape(numbers(tf, 6), 6)


@case(
    "Reshape",
    error="",
    each=[((6,), (4, 2)), ((7,), (3, -1)), ((6,), (-1, -1)), ((6,), (-2, 3)), ((6,), ((6,),))],
)
def reshape_that_fails_in_the_run(tf, given, wanted):
    x, shape = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.reshape(x, shape), feed={x: np.zeros(given), shape: wanted})


@case("ExpandDims", each=[0, 1, -1, -3, 2])
def expand_dims(tf, axis):
    x, feed = fed(tf, np.zeros([2, 3]), shape=[None, 3])
    unknown, more = fed(tf, np.ones([2, 3]))
    return Program([tf.expand_dims(x, axis), tf.expand_dims(unknown, axis)], feed=feed | more)


@case("ExpandDims")
def expand_dims_at_a_fed_axis(tf):
    axis = tf.placeholder(tf.int32, [])
    feeds = [{axis: number} for number in (0, -1)]
    return Program(tf.expand_dims(numbers(tf, 2, dtype="string"), axis), feed=feeds)


@case("ExpandDims", error="dim 3 not in the interval [-3, 2].")
def expand_dims_too_far(tf):
    return tf.expand_dims(numbers(tf, 2, 3), 3)


@case("ExpandDims", error="Must specify an axis argument to tf.expand_dims()")
def expand_dims_nowhere(tf):
    return tf.expand_dims(numbers(tf, 2))


@case("ExpandDims", error="Tried to expand dim index 3 for tensor with 2 dimensions.")
def expand_dims_too_far_in_the_run(tf):
    axis = tf.placeholder(tf.int32, [])
    return Program(tf.expand_dims(numbers(tf, 2, 3), axis), feed={axis: 3})


@case("Squeeze", each=[None, 0, -1, ((0, 2),)])
def squeeze(tf, axis):
    x, feed = fed(tf, np.zeros([1, 3, 1]), shape=[None, 3, 1])
    axis = list(axis) if isinstance(axis, tuple) else axis
    return Program([tf.squeeze(numbers(tf, 1, 3, 1), axis), tf.squeeze(x, axis)], feed=feed)


@case("Squeeze", error="Can not squeeze dim[0], expected a dimension of 1, got 2")
def squeeze_a_larger_dimension(tf):
    return tf.squeeze(numbers(tf, 2, 1), 0)


@case("Squeeze", error="squeeze_dims[0] not in [-2,2).")
def squeeze_too_far(tf):
    return tf.squeeze(numbers(tf, 2, 1), 2)


@case("Squeeze", error="Can not squeeze dim[1], expected a dimension of 1, got 3")
def squeeze_a_larger_dimension_in_the_run(tf):
    x, feed = fed(tf, np.zeros([1, 3]))
    return Program(tf.squeeze(x, [0, 1]), feed=feed)


# Filling --------------------------------------------------------------------------------------


@case("Fill", each=KINDS)
def fill(tf, dtype):
    return [tf.fill([2, 3], numbers(tf, dtype=dtype)), tf.fill(np.int64([2]), "x", name="texts")]


@case("Const", "Fill", each=[dtype for dtype in KINDS if dtype != "string"])
def zeros_and_ones(tf, dtype):
    size = tf.placeholder(tf.int32, [])
    results = [
        f(shape, dtype)
        for f in (tf.zeros, tf.ones)
        for shape in ([2, 3], [], (4,), 5, [40, 30], tf.TensorShape([2]), np.array([1, 2]))
    ]
    results += [tf.zeros([size, 2], dtype), tf.ones(size, dtype), tf.zeros([0, 2], dtype)]
    return Program(results, feed={size: 3})


@case("Const", "Fill")
def zeros_of_strings(tf):
    return [tf.zeros([2], tf.string), tf.zeros([1001], tf.string)]


@case("Const", error="Expected string")
def ones_of_strings(tf):
    return tf.ones([2], tf.string)


@case("Fill", error="Fill dimensions must be >= 0")
def zeros_of_a_negative_size(tf):
    return tf.zeros([2, -1])


@case("Fill", error="Dimension -1 must be >= 0")
def fill_a_negative_size_in_the_run(tf):
    size = tf.placeholder(tf.int32, [2])
    return Program(tf.fill(size, 1.0), feed={size: [2, -1]})


@case("Fill", error="value must represent a scalar, got shape [2]")
def fill_with_a_vector(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.fill([2], x), feed=feed)


@case("ZerosLike", "Const", "Fill", each=KINDS)
def zeros_like(tf, dtype):
    x = tf.placeholder(dtype, [None, 2])
    known = numbers(tf, 2, 2, dtype=dtype)
    results = [
        tf.zeros_like(x),
        tf.zeros_like(known),
        tf.zeros_like(x, tf.int32),
        tf.zeros_like(known, tf.float64),
        tf.zeros_like(known, optimize=False),
    ]
    filler = "a" if dtype == "string" else 1
    return Program(results, feed={x: np.full([3, 2], filler)})


@case("Fill", "Shape", "Const", each=["float32", "int64", "bool"])
def ones_like(tf, dtype):
    x = tf.placeholder(dtype, [None, 2])
    known = numbers(tf, 2, 2, dtype=dtype)
    results = [
        tf.ones_like(x),
        tf.ones_like(known),
        tf.ones_like(x, tf.int32),
        tf.ones_like([1, 2]),
        tf.ones_like(known, optimize=False),
    ]
    return Program(results, feed={x: np.zeros([3, 2])})


@case("OnesLike", each=["float32", "bfloat16", "int64", "bool", "complex64"])
def ones_like_node(tf, dtype):
    x = numbers(tf, 2, dtype=dtype)
    return node(tf, "OnesLike", [x], T=tf.as_dtype(dtype))
