"""Neural networks: activations, softmax, cross-entropies, biases."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

FLOATS = ["float16", "bfloat16", "float32", "float64"]
EDGES = [-1e4, -100.0, -20.0, -1.5, -1e-4, -0.0, 0.0, 1e-4, 0.5, 6.0, 7.0, 30.0, 100.0, 1e4]
SPECIAL = [np.inf, -np.inf, np.nan]


def points(tf, dtype="float32"):
    return tf.constant(np.array(EDGES), dtype)


# Activations ------------------------------------------------------------------------------------


@case("Relu", "Relu6", each=[*FLOATS, "int32", "int64", "int8"])
def relu(tf, dtype):
    x = points(tf, dtype) if dtype in FLOATS else tf.constant([-3, 0, 5, 100], dtype)
    return [tf.nn.relu(x), tf.nn.relu6(x), tf.nn.relu(x[0])]


@case("Relu", "Relu6", "Softplus", "Sigmoid", "Tanh")
def activations_of_special_values(tf):
    functions = [tf.nn.relu, tf.nn.relu6, tf.nn.softplus, tf.nn.sigmoid, tf.nn.tanh]
    return [function(np.float32(SPECIAL)) for function in functions]


@case("Sigmoid", "Tanh", each=[*FLOATS, "complex64"])
def sigmoid_and_tanh(tf, dtype):
    values = [0.5 + 1j, -2 - 0.5j, 0] if dtype == "complex64" else EDGES
    x = tf.constant(np.array(values), dtype)
    return [tf.sigmoid(x), tf.tanh(x), tf.nn.sigmoid(x), tf.nn.tanh(x)]


@case("Softplus", each=FLOATS)
def softplus(tf, dtype):
    return tf.nn.softplus(points(tf, dtype))


@case(
    "Relu", "ReluGrad", "Relu6", "Relu6Grad", "Softplus", "SigmoidGrad", "TanhGrad", graph="types"
)
def gradients_of_activations(tf):
    x = points(tf)
    functions = [tf.nn.relu, tf.nn.relu6, tf.nn.softplus, tf.nn.sigmoid, tf.nn.tanh]
    return [tf.gradients(function(x) * x, x) for function in functions]


@case("ReluGrad", "Relu6Grad", "SigmoidGrad", "TanhGrad", graph="types")
def second_gradients_of_activations(tf):
    x = tf.constant([-2.0, -0.5, 0.25, 1.5, 2.5])
    results = []
    for function in (tf.nn.relu, tf.nn.relu6, tf.nn.softplus, tf.nn.sigmoid, tf.nn.tanh):
        (first,) = tf.gradients(function(x) * x, x)
        results.append(tf.gradients(first * x, x))
    return results


@case("SigmoidGrad", "TanhGrad", graph="types")
def gradients_of_complex_activations(tf):
    x = tf.constant([0.5 + 1j, -0.5 - 0.25j], tf.complex64)
    dy = tf.constant([1 - 1j, 0.5], tf.complex64)
    return [tf.gradients(function(x), x, dy) for function in (tf.sigmoid, tf.tanh)]


@case("SoftplusGrad", "ReluGrad", "Relu6Grad", "SigmoidGrad", "TanhGrad", each=FLOATS)
def gradient_nodes(tf, dtype):
    x, dy = points(tf, dtype), tf.constant(np.linspace(-2, 2, len(EDGES)), dtype)
    kind = tf.as_dtype(dtype)
    small = tf.constant(np.linspace(-1, 1, len(EDGES)), dtype)
    return [
        node(tf, "SoftplusGrad", [dy, x], T=kind),
        node(tf, "ReluGrad", [dy, x], T=kind),
        node(tf, "Relu6Grad", [dy, x], T=kind),
        node(tf, "SigmoidGrad", [small, dy], T=kind),
        node(tf, "TanhGrad", [small, dy], T=kind),
    ]


@case("SoftplusGrad", graph="types")
def gradient_of_softplus_grad(tf):
    x, dy = tf.constant([-2.0, 0.5, 3.0]), tf.constant([1.0, 2.0, 0.5])
    (y,) = node(tf, "SoftplusGrad", [dy, x], T=tf.float32)
    return tf.gradients(y, [x, dy])


@case("ReluGrad", error="Dimension 0 in both shapes must be equal, but are 2 and 3")
def relu_grad_of_shapes_that_differ(tf):
    return node(tf, "ReluGrad", [numbers(tf, 2), numbers(tf, 3)], T=tf.float32)


@case(
    "ReluGrad",
    error="must have the same size and shape.  Input 0: [2] != input 1: [3]",
    each=["ReluGrad", "Relu6Grad", "SoftplusGrad"],
)
def gradient_nodes_of_shapes_that_differ(tf, op_type):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(node(tf, op_type, [x, y], T=tf.float32), feed={x: [1, 2], y: [1, 2, 3]})


@case("SigmoidGrad", error="must have same number of elements, got 2 and 3")
def sigmoid_grad_of_shapes_that_differ(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(node(tf, "SigmoidGrad", [x, y], T=tf.float32), feed={x: [1, 2], y: [1, 2, 3]})


@case("Relu", error="not in list of allowed values")
def relu_of_complex_numbers(tf):
    return tf.nn.relu(tf.constant(1j))


# Softmax ----------------------------------------------------------------------------------------


@case("Softmax", "LogSoftmax", each=FLOATS)
def softmax(tf, dtype):
    x = tf.constant([[1.0, 2.0, 3.0], [-1e4, 0.0, 1e4], [5.0, 5.0, 5.0]], dtype)
    return [tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.softmax(x[0]), tf.nn.softmax(x, -1)]


@case("Softmax", "LogSoftmax", "Transpose", each=[(0,), (1,), (-2,)])
def softmax_along_another_axis(tf, axis):
    x = numbers(tf, 2, 3, 4)
    return [tf.nn.softmax(x, axis), tf.nn.log_softmax(x, dim=axis, name="named")]


@case("Softmax")
def softmax_of_unknown_shape(tf):
    x, _ = fed(tf, None)
    return Program(tf.nn.softmax(x), feed=[{x: [1, 2]}, {x: np.zeros([2, 0])}, {x: [[[7]]]}])


@case("Softmax", "LogSoftmax", graph="types")
def gradients_of_softmax(tf):
    x = tf.constant([[1.0, 2.0, 3.0], [-100.0, 0.0, 100.0]])
    weights = tf.constant([[1.0, -2.0, 0.5], [3.0, 1.0, 1.0]])
    return [tf.gradients(f(x) * weights, x) for f in (tf.nn.softmax, tf.nn.log_softmax)]


@case("Softmax", error="Shape must be at least rank 1 but is rank 0")
def softmax_of_a_scalar(tf):
    return tf.nn.softmax(1.0)


@case("LogSoftmax", error="logits must have >= 1 dimension, got []")
def log_softmax_of_a_scalar_in_the_run(tf):
    x, feed = fed(tf, 1.0)
    return Program(tf.nn.log_softmax(x), feed=feed)


@case("Softmax", error="`dim` must be in the range [-2, 2) where 2 is the number of dimensions")
def softmax_along_an_axis_that_is_not_there(tf):
    return tf.nn.softmax(numbers(tf, 2, 3), axis=2)


@case("Softmax", error="not in list of allowed values")
def softmax_of_integers(tf):
    return tf.nn.softmax([1, 2])


# Cross-entropies --------------------------------------------------------------------------------

LOGITS = np.array([[1.0, 2.0, 3.0], [-50.0, 0.0, 50.0], [0.0, 0.0, 0.0], [4.0, -2.0, 1.0]])
LABELS = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])


def logits_and_labels(tf, dtype="float32"):
    return tf.constant(LOGITS, dtype), tf.constant(LABELS, dtype)


@case("SoftmaxCrossEntropyWithLogits", each=FLOATS)
def softmax_cross_entropy(tf, dtype):
    x, y = logits_and_labels(tf, dtype)
    return [
        tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x, name="v2"),
    ]


@case("SoftmaxCrossEntropyWithLogits", each=FLOATS)
def softmax_cross_entropy_nodes(tf, dtype):
    x, y = logits_and_labels(tf, dtype)
    kind = tf.as_dtype(dtype)
    return [
        node(tf, "SoftmaxCrossEntropyWithLogits", [x, y], T=kind),
        node(tf, "SoftmaxCrossEntropyWithLogits", [x, y[:1]], T=kind),
    ]


@case("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy_of_impossible_classes(tf):
    x = tf.constant([[0.0, -np.inf, 1.0], [0.0, -np.inf, 1.0]], tf.float32)
    y = tf.constant([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], tf.float32)
    return node(tf, "SoftmaxCrossEntropyWithLogits", [x, y], T=tf.float32)


@case(
    "SoftmaxCrossEntropyWithLogits", each=[([None, 3], [None, 3]), (None, None), ([4, None], None)]
)
def static_shapes_of_softmax_cross_entropy(tf, logits_shape, labels_shape):
    x, y = tf.placeholder(tf.float32, logits_shape), tf.placeholder(tf.float32, labels_shape)
    results = [
        tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x),
        node(tf, "SoftmaxCrossEntropyWithLogits", [x, y], T=tf.float32),
    ]
    return Program(results, feed={x: LOGITS, y: LABELS})


@case("SoftmaxCrossEntropyWithLogits", "Transpose", each=[0, 1, -1, 2])
def softmax_cross_entropy_of_higher_rank(tf, axis):
    x, y = numbers(tf, 2, 3, 4), tf.constant(np.full([2, 3, 4], 0.25), tf.float32)
    return tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x, dim=axis)


@case("SoftmaxCrossEntropyWithLogits", graph="types")
def gradients_of_softmax_cross_entropy(tf):
    x, y = logits_and_labels(tf)
    first = tf.nn.softmax_cross_entropy_with_logits(labels=y * 1, logits=x)
    second = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x)
    return [tf.gradients(first * [1, 2, 3, 4], [x]), tf.gradients(second, [x, y])]


@case("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", graph="types")
def second_gradients_of_cross_entropies(tf):
    x, y = logits_and_labels(tf)
    dense = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 1, 0, 0], logits=x)
    weights = numbers(tf, 4, 3)
    results = []
    for loss in (dense, sparse):
        (first,) = tf.gradients(loss, x)
        results.append(tf.gradients(first * weights, x))
    return results


@case("SoftmaxCrossEntropyWithLogits", error="Both `labels` and `logits` must be provided")
def softmax_cross_entropy_without_logits(tf):
    return tf.nn.softmax_cross_entropy_with_logits(labels=numbers(tf, 2, 3))


@case("SoftmaxCrossEntropyWithLogits", error="Dimensions must be equal, but are 4 and 3")
def softmax_cross_entropy_of_shapes_that_differ(tf):
    return tf.nn.softmax_cross_entropy_with_logits(
        labels=numbers(tf, 2, 3), logits=numbers(tf, 2, 4)
    )


@case(
    "SoftmaxCrossEntropyWithLogits",
    error="logits and labels must be broadcastable: logits_size=[2,3] labels_size=[2,4]",
)
def softmax_cross_entropy_of_shapes_that_differ_in_the_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    nodes = node(tf, "SoftmaxCrossEntropyWithLogits", [x, y], T=tf.float32)
    return Program(nodes, feed={x: np.zeros([2, 3]), y: np.zeros([2, 4])})


@case("SoftmaxCrossEntropyWithLogits", error="Shape must be broadcasted with rank 2, but is rank 1")
def softmax_cross_entropy_of_vectors(tf):
    x = numbers(tf, 3)
    return node(tf, "SoftmaxCrossEntropyWithLogits", [x, x], T=tf.float32)


@case(
    "SparseSoftmaxCrossEntropyWithLogits", each=[(f, i) for f in FLOATS for i in ("int32", "int64")]
)
def sparse_softmax_cross_entropy(tf, dtype, labels_dtype):
    x, labels = tf.constant(LOGITS, dtype), tf.constant([2, 1, 0, 0], labels_dtype)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    attrs = {"T": tf.as_dtype(dtype), "Tlabels": tf.as_dtype(labels_dtype)}
    return [loss, node(tf, "SparseSoftmaxCrossEntropyWithLogits", [x, labels], **attrs)]


@case(
    "SparseSoftmaxCrossEntropyWithLogits",
    each=[([None], [None, 3]), ([4], [None, None]), (None, [4, 3]), ([2, 2], [2, 2, 3])],
)
def static_shapes_of_sparse_cross_entropy(tf, labels_shape, logits_shape):
    rank = len(logits_shape)
    x, y = tf.placeholder(tf.float32, logits_shape), tf.placeholder(tf.int32, labels_shape)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    shape = [2, 2] if rank == 3 else [4]
    return Program(loss, feed={x: LOGITS.reshape([*shape, 3]), y: np.zeros(shape)})


@case("SparseSoftmaxCrossEntropyWithLogits", "Assert")
def sparse_softmax_cross_entropy_of_higher_rank(tf):
    x = tf.placeholder(tf.float32, [None, None, 3])
    y = tf.placeholder(tf.int32, [None, None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    return Program(loss, feed={x: LOGITS.reshape([2, 2, 3]), y: [[0, 1], [2, 2]]})


@case("SparseSoftmaxCrossEntropyWithLogits", error="Condition x == y did not hold element-wise")
def sparse_softmax_cross_entropy_of_shapes_turned_around(tf):
    x = tf.placeholder(tf.float32, [None, None, 3])
    y = tf.placeholder(tf.int32, [None, None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    return Program(loss, feed={x: np.zeros([2, 3, 3]), y: np.zeros([3, 2])})


@case("SparseSoftmaxCrossEntropyWithLogits", graph="types")
def gradient_of_sparse_softmax_cross_entropy(tf):
    x = tf.constant(LOGITS, tf.float32)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 1, 0, 0], logits=x)
    return tf.gradients(loss * [1, 2, 3, 4], x)


@case("SparseSoftmaxCrossEntropyWithLogits", each=[3, -1, 100])
def labels_out_of_range(tf, label):
    # The static graph is right; only the run can notice.
    labels, feed = fed(tf, [0, 1], "int32", [None])
    x = numbers(tf, 2, 3)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels + 0 * label, logits=x)
    return Program(loss, feed=feed)


@case(
    "SparseSoftmaxCrossEntropyWithLogits",
    each=[3, -1, 100],
    error="which is outside the valid range of [0, 3).  Label values: ",
)
def labels_out_of_range_in_the_run(tf, label):
    labels, feed = fed(tf, [0, label], "int32", [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=numbers(tf, 2, 3))
    return Program(loss, feed=feed)


@case("SparseSoftmaxCrossEntropyWithLogits", error="Both `labels` and `logits` must be provided")
def sparse_softmax_cross_entropy_without_labels(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(logits=numbers(tf, 2, 3))


@case(
    "SparseSoftmaxCrossEntropyWithLogits",
    error="`labels.shape` must equal `logits.shape` except for the last dimension.",
)
def sparse_softmax_cross_entropy_of_shapes_that_differ(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=numbers(tf, 3, 4))


@case(
    "SparseSoftmaxCrossEntropyWithLogits",
    error="`labels.shape.rank` must equal `logits.shape.rank - 1`.",
)
def sparse_softmax_cross_entropy_of_ranks_that_differ(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 1], logits=numbers(tf, 2, 2, 4)
    )


@case("SparseSoftmaxCrossEntropyWithLogits", error="`logits` cannot be a scalar.")
def sparse_softmax_cross_entropy_of_a_scalar(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=0, logits=1.0)


@case("SparseSoftmaxCrossEntropyWithLogits", error="not in list of allowed values: int32, int64")
def sparse_softmax_cross_entropy_of_float_labels(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0.0], logits=numbers(tf, 1, 3))


@case(
    "SparseSoftmaxCrossEntropyWithLogits",
    error="",
    each=[((2, 3), (1,)), ((3,), (1,)), ((2, 3), (1, 2)), ((2, 0), (2,))],
)
def sparse_softmax_cross_entropy_that_fails_in_the_run(tf, logits_shape, labels_shape):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    attrs = {"T": tf.float32, "Tlabels": tf.int64}
    nodes = node(tf, "SparseSoftmaxCrossEntropyWithLogits", [x, y], **attrs)
    return Program(nodes, feed={x: np.zeros(logits_shape), y: np.zeros(labels_shape)})


@case("Select", "Log1p", each=FLOATS)
def sigmoid_cross_entropy(tf, dtype):
    x, y = points(tf, dtype), tf.constant(np.linspace(0, 1, len(EDGES)), dtype)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)


@case("Select", graph="types")
def gradients_of_sigmoid_cross_entropy(tf):
    x, y = points(tf), tf.constant(np.linspace(0, 1, len(EDGES)), tf.float32)
    return tf.gradients(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x), [x, y])


@case("Select", error="`logits` and `labels` must have the same shape, received ((3,) vs (2,)).")
def sigmoid_cross_entropy_of_shapes_that_differ(tf):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=numbers(tf, 2), logits=numbers(tf, 3))


# Layers -----------------------------------------------------------------------------------------


@case("BiasAdd", "BiasAddGrad", each=[*FLOATS, "int32", "complex64"])
def bias_add(tf, dtype):
    x, b = numbers(tf, 2, 3, 4, dtype=dtype), numbers(tf, 4, dtype=dtype)
    channels = numbers(tf, 3, dtype=dtype)
    kind = tf.as_dtype(dtype)
    return [
        tf.nn.bias_add(x, b),
        tf.nn.bias_add(x, b, "NHWC"),
        tf.nn.bias_add(x, channels, "NCHW"),
        node(tf, "BiasAddGrad", [x], T=kind),
        node(tf, "BiasAddGrad", [x], T=kind, data_format="NCHW"),
    ]


@case("BiasAdd", each=[(None, "NHWC"), ([2, None], "NHWC"), ([2, None, 4], "NCHW"), (None, "NCHW")])
def static_shapes_of_bias_add(tf, shape, data_format):
    value = np.zeros([2, 3, 4] if data_format == "NCHW" else [2, 3])
    x, feed = fed(tf, value, shape=shape)
    y = tf.nn.bias_add(x, np.float32([1, 2, 3]), data_format)
    g = node(tf, "BiasAddGrad", [x], T=tf.float32, data_format=data_format)
    return Program([y, g], feed=feed)


@case("BiasAdd", error="Dimensions must be equal, but are 3 and 4")
def bias_add_of_another_size(tf):
    return tf.nn.bias_add(numbers(tf, 2, 3), numbers(tf, 4))


@case("BiasAdd", error="Shape must be at least rank 2 but is rank 1")
def bias_add_to_a_vector(tf):
    return tf.nn.bias_add(numbers(tf, 3), numbers(tf, 3))


@case("BiasAdd", error="Shape must be rank 1 but is rank 2")
def bias_add_of_a_matrix(tf):
    return tf.nn.bias_add(numbers(tf, 2, 3), numbers(tf, 3, 1))


@case("BiasAdd", error="`data_format` must be of the form `N...C` or `NC...`.")
def bias_add_in_another_format(tf):
    return tf.nn.bias_add(numbers(tf, 2, 3), numbers(tf, 3), "CHWN")


@case("BiasAdd", error="", each=[((2, 3), (4,)), ((3,), (3,)), ((2, 3), (3, 1))])
def bias_add_that_fails_in_the_run(tf, value, bias):
    x, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(tf.nn.bias_add(x, b), feed={x: np.zeros(value), b: np.zeros(bias)})


@case("BiasAdd", "BiasAddGrad", "Tile", graph="types", each=["NHWC", "NCHW"])
def gradients_of_bias_add(tf, data_format):
    x = numbers(tf, 2, 3, 3)
    b = numbers(tf, 3)
    y = tf.nn.bias_add(x, b, data_format)
    first = tf.gradients(y * y, [x, b])
    return [first, tf.gradients(first[1], x)]


@case("L2Loss", each=FLOATS)
def l2_loss(tf, dtype):
    return [tf.nn.l2_loss(tf.constant([[3.0, 4.0], [0.5, -2.0]], dtype)), tf.nn.l2_loss([2.0])]


@case("L2Loss", graph="types")
def gradient_of_l2_loss(tf):
    x = numbers(tf, 2, 3)
    return tf.gradients(tf.nn.l2_loss(x), x)


@case("MatMul", "BiasAdd", "Relu")
def linear_layers(tf):
    x, w, b = numbers(tf, 2, 3), numbers(tf, 3, 2), numbers(tf, 2)
    return [
        tf.nn.xw_plus_b(x, w, b),
        tf.nn.xw_plus_b(x, w, b, name="named"),
        tf.nn.relu_layer(x, w, [-50.0, 1.0]),
    ]


@case("RandomUniform", "SelectV2", each=FLOATS)
def dropout_with_a_seed(tf, dtype):
    tf.set_random_seed(3)
    x = tf.constant(np.ones([4, 5]), dtype)
    return [
        tf.nn.dropout(x, 0.5, seed=1),
        tf.nn.dropout(x, rate=0.25, noise_shape=[4, 1]),
        tf.nn.dropout(x, rate=0.0, name="unchanged"),
        tf.nn.dropout(x, rate=tf.constant(0.5, dtype)),
    ]


@case("SelectV2", each=["rate of 1.5", "no rate", "two rates", "integers"], error="")
def dropout_that_cannot_be(tf, what):
    x = numbers(tf, 2, dtype="int32" if what == "integers" else "float32")
    arguments = {
        "rate of 1.5": {"rate": 1.5},
        "no rate": {},
        "two rates": {"rate": 0.5, "keep_prob": 0.5},
        "integers": {"rate": 0.5},
    }
    return tf.nn.dropout(x, **arguments[what])
