"""Neural networks: further activations, losses, normalisation, in_top_k, embeddings."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

FLOATS = ["float16", "bfloat16", "float32", "float64"]
EDGES = [-1e4, -100.0, -20.0, -1.5, -1e-4, -0.0, 0.0, 1e-4, 0.5, 6.0, 7.0, 30.0, 100.0, 1e4]
FUNCTIONS = ["elu", "selu", "softsign", "leaky_relu", "crelu"]


def points(tf, dtype="float32"):
    return tf.constant(np.array(EDGES), dtype)


def image(tf, *shape, dtype="float32"):
    return tf.constant(np.cos(np.arange(np.prod(shape)) ** 1.5).reshape(shape), dtype)


# Activations --------------------------------------------------------------------------------------


@case(
    "Elu", "Selu", "Softsign", "LeakyRelu", "Relu", each=[(f, d) for f in FUNCTIONS for d in FLOATS]
)
def activations(tf, name, dtype):
    function = getattr(tf.nn, name)
    results = [function(points(tf, dtype)), function(points(tf, dtype)[:3], name="named")]
    return results


@case("Elu", "Selu", "Softsign", "LeakyRelu", each=FUNCTIONS[:4])
def activations_of_special_values(tf, name):
    return getattr(tf.nn, name)(np.float32([np.inf, -np.inf, np.nan, -0.0]))


@case("LeakyRelu", "Cast", each=[0.3, 0, 1, 2])
def leaky_relu(tf, alpha):
    slope = np.array(0.5) if alpha == 2 else alpha
    return [
        tf.nn.leaky_relu(points(tf), slope),
        tf.nn.leaky_relu([1, -2], alpha=slope, name="named"),
    ]


@case("Relu", "ConcatV2", each=[0, 1, -1])
def crelu_along_an_axis(tf, axis):
    return tf.nn.crelu(tf.constant([[1.0, -2.0], [0.0, 3.0]]), axis=axis, name="named")


@case("EluGrad", "SeluGrad", "SoftsignGrad", "LeakyReluGrad", graph="types", each=FUNCTIONS)
def gradients_of_activations(tf, name):
    x = points(tf)
    y = getattr(tf.nn, name)(x)
    return tf.gradients(y * y, x)


@case("EluGrad", "SeluGrad", "LeakyReluGrad", graph="types", each=["elu", "selu", "leaky_relu"])
def second_gradients_of_activations(tf, name):
    x = tf.constant([-2.0, -0.5, 0.25, 1.5])
    (first,) = tf.gradients(getattr(tf.nn, name)(x) * x, x)
    return tf.gradients(first * x, x)


@case("Softsign", error="", graph="any")
def second_gradient_of_softsign(tf):
    x = tf.constant([-2.0, -0.5])
    (first,) = tf.gradients(tf.nn.softsign(x) * x, x)
    return tf.gradients(first, x)


GRADIENT_NODES = ["EluGrad", "SeluGrad", "SoftsignGrad", "LeakyReluGrad"]


@case(*GRADIENT_NODES, each=FLOATS)
def gradient_nodes(tf, dtype):
    x, dy = points(tf, dtype), tf.constant(np.linspace(-2, 2, len(EDGES)), dtype)
    return [node(tf, name, [dy, x], T=tf.as_dtype(dtype)) for name in GRADIENT_NODES]


@case(
    "EluGrad",
    error="must have the same size and shape.  Input 0: [2] != input 1: [3]",
    each=GRADIENT_NODES,
)
def gradient_nodes_of_shapes_that_differ(tf, op_type):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(node(tf, op_type, [x, y], T=tf.float32), feed={x: [1, 2], y: [1, 2, 3]})


@case(
    "EluGrad",
    error="Dimension 0 in both shapes must be equal, but are 2 and 3",
    each=GRADIENT_NODES,
)
def gradient_nodes_of_other_static_shapes(tf, op_type):
    return node(tf, op_type, [numbers(tf, 2), numbers(tf, 3)], T=tf.float32)


@case("Elu", error="not in list of allowed values", each=["elu", "selu", "softsign"])
def activations_of_integers(tf, name):
    return getattr(tf.nn, name)([1, 2])


# Custom gradients are identities whose names count up.
@case("Sigmoid", graph="any", each=["float16", "float32", "float64"])
def swish(tf, dtype):
    x = tf.constant([-2.0, 0.0, 1.5], dtype)
    return [tf.nn.swish(x), tf.nn.silu(x, beta=0.5)]


@case("Sigmoid", graph="any")
def gradients_of_swish(tf):
    x, beta = tf.constant([-2.0, 0.0, 1.5]), tf.constant(0.5)
    y = tf.nn.swish(x, beta)
    return tf.gradients(y * y, [x, beta])


# Losses -------------------------------------------------------------------------------------------


@case("Exp", each=[(f, d) for f in (False, True) for d in ("float32", "float64")])
def log_poisson_loss(tf, full, dtype):
    x, y = tf.constant([-1.0, 0.5, 2.0, 0.0], dtype), tf.constant([0.0, 1.0, 3.0, 7.5], dtype)
    loss = tf.nn.log_poisson_loss(y, x, full)
    return [loss, tf.nn.log_poisson_loss(y, x, compute_full_loss=full, name="named")]


@case("Exp", error="`log_input` and `targets` must have the same shape, received ((3,) vs (2,)).")
def log_poisson_loss_of_shapes_that_differ(tf):
    return tf.nn.log_poisson_loss(numbers(tf, 2), numbers(tf, 3))


@case("Log1p", "Relu", each=["float16", "float32", "float64"])
def weighted_cross_entropy(tf, dtype):
    x, y = points(tf, dtype), tf.constant(np.linspace(0, 1, len(EDGES)), dtype)
    loss = tf.nn.weighted_cross_entropy_with_logits(y, x, 3)
    weight = tf.constant(0.5, dtype)
    named = tf.nn.weighted_cross_entropy_with_logits(
        logits=x, targets=y, pos_weight=weight, name="named"
    )
    return [loss, named]


@case("Log1p", graph="types")
def gradients_of_weighted_cross_entropy(tf):
    x, y = points(tf), tf.constant(np.linspace(0, 1, len(EDGES)), tf.float32)
    return tf.gradients(tf.nn.weighted_cross_entropy_with_logits(y, x, 3.0), [x, y])


@case("Log1p", error="`logits` and `labels` must have the same shape, received ((3,) vs (2,)).")
def weighted_cross_entropy_of_shapes_that_differ(tf):
    return tf.nn.weighted_cross_entropy_with_logits(numbers(tf, 2), numbers(tf, 3), 1.0)


# The branches' nodes have other names.
@case("NotEqual", graph="types", each=["float32", "int32", "float16"])
def zero_fraction(tf, dtype):
    x = tf.constant([[0, 1, 0], [1, 1, 0]], dtype)
    return [tf.nn.zero_fraction(x), tf.math.zero_fraction(x[0], name="named")]


@case("NotEqual", graph="types")
def zero_fraction_of_unknown_shape(tf):
    x, feed = fed(tf, [[0.0, 1.0, 2.0]])
    return Program(tf.nn.zero_fraction(x), feed=feed)


# In the first k -----------------------------------------------------------------------------------

PREDICTIONS = np.array([[1, 2, 3], [3, 3, 3], [0.5, 0, 0.25], [np.nan, 1, 2], [np.inf, 1, 2]])


@case("InTopKV2", each=[(k, d) for k in (0, 1, 2, 3, 9) for d in ("int32", "int64")])
def in_top_k(tf, k, dtype):
    results = []
    for targets in ([0, 0, 0, 1, 1], [2, 1, 2, 0, 0], [1, 2, 1, 2, 2], [-1, 3, 9, 0, 1]):
        results.append(tf.nn.in_top_k(np.float32(PREDICTIONS), tf.constant(targets, dtype), k))
    return [*results, tf.math.in_top_k(np.float32(PREDICTIONS[:1]), [2], k, name="named")]


@case("InTopK", each=[1, 2])
def in_top_k_of_older_graphs(tf, k):
    nodes = [tf.constant(PREDICTIONS, tf.float32), tf.constant([2, 1, 2, 1, 1])]
    return node(tf, "InTopK", nodes, k=k, T=tf.int32)


@case("InTopKV2", error="", each=[((2, 3), (1,)), ((3,), (1,)), ((1, 3), (1, 1))])
def in_top_k_of_wrong_shapes(tf, predictions, targets):
    return tf.nn.in_top_k(tf.ones(predictions), tf.zeros(targets, tf.int32), 1)


@case("InTopKV2", error="", each=[((2, 3), (1,)), ((3,), (1,)), ((1, 3), (1, 1))])
def in_top_k_of_wrong_shapes_in_the_run(tf, predictions, targets):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    feed = {x: np.ones(predictions), y: np.zeros(targets, np.int32)}
    return Program(tf.nn.in_top_k(x, y, 1), feed=feed)


@case("InTopKV2", error="First dimension of predictions 2 must match length of targets 1")
def in_top_k_of_other_lengths_in_the_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.nn.in_top_k(x, y, 1), feed={x: np.ones([2, 3]), y: [0]})


@case("InTopKV2", error="k must be 0-D, got shape [1]")
def in_top_k_of_several_k(tf):
    return tf.nn.in_top_k(tf.ones([1, 3]), [0], [1])


# Moments ------------------------------------------------------------------------------------------


@case(
    "Mean",
    "StopGradient",
    "Squeeze",
    each=[(axes, d) for axes in ([0], [1], [0, 1], [-1]) for d in ("float16", "float32")],
)
def moments(tf, axes, dtype):
    x = image(tf, 3, 4, dtype=dtype)
    return [
        tf.nn.moments(x, axes),
        tf.nn.moments(x, axes, keep_dims=True, name="named"),
        tf.nn.moments(x, axes, keepdims=True),
    ]


@case("Mean", graph="types")
def gradients_of_moments(tf):
    x = image(tf, 3, 4)
    mean, variance = tf.nn.moments(x, [0])
    return tf.gradients([mean * mean, variance * variance], x)


@case("DivNoNan", each=[(axes, d) for axes in ([0], [0, 1]) for d in ("float16", "float32")])
def weighted_moments(tf, axes, dtype):
    x, weights = image(tf, 3, 4, dtype=dtype), tf.constant([[1.0], [0.0], [2.5]])
    return [
        tf.nn.weighted_moments(x, axes, weights),
        tf.nn.weighted_moments(x, axes, weights, keepdims=True, name="named"),
    ]


@case("Sum", "Reciprocal", each=[None, 0.5])
def sufficient_statistics(tf, shift):
    x = image(tf, 3, 4)
    counts, mean, variance, used = tf.nn.sufficient_statistics(x, [0], shift)
    kept = tf.nn.sufficient_statistics(x, [0, 1], shift, keep_dims=True, name="named")[:3]
    return [counts, mean, variance, kept, tf.nn.normalize_moments(counts, mean, variance, used)]


@case("Prod", "Sum")
def sufficient_statistics_of_unknown_shape(tf):
    x, feed = fed(tf, np.ones([3, 4]))
    y, more = fed(tf, np.ones([3, 4]), shape=[None, 4])
    statistics = [
        tf.nn.sufficient_statistics(x, [0, -1])[:3],
        tf.nn.sufficient_statistics(y, [0])[:3],
    ]
    return Program(statistics, feed={**feed, **more})


@case("Rsqrt", each=[(o, s) for o in (False, True) for s in (False, True)])
def batch_normalization(tf, has_offset, has_scale):
    x = image(tf, 3, 4)
    mean, variance = tf.nn.moments(x, [0])
    offset = tf.constant([1.0, 2.0, 3.0, 4.0]) if has_offset else None
    scale = tf.constant([2.0, 1.0, 0.5, 1.0]) if has_scale else None
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)


@case("Rsqrt", each=[False, True])
def batch_norm_with_global_normalization(tf, scaled):
    x, vector = image(tf, 2, 2, 3, 4), tf.constant([1.0, 2.0, 3.0, 4.0])
    return tf.nn.batch_norm_with_global_normalization(
        x, vector, vector, vector, vector, 1e-3, scaled, name="named"
    )


# Batch normalisation in one op --------------------------------------------------------------------


def vectors(tf, count, size):
    return [tf.constant(np.linspace(0.5, 1.5 + i, size), tf.float32) for i in range(count)]


FORMATS = ["NHWC", "NCHW"]


@case(
    "FusedBatchNormV3", each=[(f, d) for f in FORMATS for d in ("float32", "float16", "bfloat16")]
)
def fused_batch_norm(tf, data_format, dtype):
    # Fed, and of the second the first output: TensorFlow replaces it by an op with just one.
    x, feed = fed(tf, np.cos(np.arange(48.0)).reshape(2, 3, 2, 4), dtype)
    size = 4 if data_format == "NHWC" else 3
    scale, offset, mean, variance = vectors(tf, 4, size)
    fetches = [
        tf.nn.fused_batch_norm(x, scale, offset, data_format=data_format),
        tf.nn.fused_batch_norm(
            x, scale, offset, mean, variance, 0.01, data_format, is_training=False, name="named"
        )[0],
        tf.nn.fused_batch_norm(
            x, scale, offset, mean, variance, 0.01, data_format, exponential_avg_factor=0.25
        ),
    ]
    return Program(fetches, feed=feed)


@case("FusedBatchNormV3")
def fused_batch_norm_of_little(tf):
    scale, offset = vectors(tf, 2, 4)
    one, none = tf.nn.fused_batch_norm, tf.zeros([0, 2, 2, 4])
    return [one(image(tf, 1, 1, 1, 4), scale, offset), one(none, scale, offset)]


@case("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm_nodes(tf):
    x, inputs = image(tf, 2, 3, 2, 4), vectors(tf, 4, 4)
    return [
        node(tf, "FusedBatchNorm", [x, *inputs], T=tf.float32),
        node(tf, "FusedBatchNormV2", [x, *inputs], T=tf.float32, U=tf.float32),
        node(tf, "FusedBatchNormV3", [x, *inputs], T=tf.float32, U=tf.float32)[:5],
    ]


@case("FusedBatchNormGradV3", graph="types", each=[(f, t) for f in FORMATS for t in (True, False)])
def gradients_of_fused_batch_norm(tf, data_format, training):
    x = image(tf, 2, 3, 2, 4)
    inputs = vectors(tf, 4, 4 if data_format == "NHWC" else 3)
    y, _, _ = tf.nn.fused_batch_norm(x, *inputs, data_format=data_format, is_training=training)
    return tf.gradients(y * y * image(tf, 2, 3, 2, 4), [x, *inputs[:2]])


@case("FusedBatchNormGrad", "FusedBatchNormGradV2", graph="types", each=["", "V2"])
def gradients_of_older_fused_batch_norm(tf, version):
    x, inputs = image(tf, 2, 3, 2, 4), vectors(tf, 4, 4)
    attrs = {"T": tf.float32, "U": tf.float32} if version else {"T": tf.float32}
    y = node(tf, "FusedBatchNorm" + version, [x, *inputs], **attrs)[0]
    return tf.gradients(y * y * image(tf, 2, 3, 2, 4), [x, *inputs[:2]])


@case("FusedBatchNormV3", each=[(None, None), ([None] * 4, None), ([2, None, None, 4], [None])])
def static_shapes_of_fused_batch_norm(tf, shape, vector):
    x, feed = fed(tf, np.ones([2, 3, 2, 4]), shape=shape)
    v, more = fed(tf, np.ones([4]), shape=vector)
    training = tf.nn.fused_batch_norm(x, v, v)
    return Program(
        [training, tf.nn.fused_batch_norm(x, v, v, v, v, is_training=False)], feed={**feed, **more}
    )


@case("FusedBatchNormV3", error="Both `mean` and `variance` must be a 1D tensor when `is_training`")
def fused_batch_norm_without_a_mean(tf):
    return tf.nn.fused_batch_norm(image(tf, 2, 3, 2, 4), [1.0] * 4, [0.0] * 4, is_training=False)


@case("FusedBatchNormV3", error="Shape must be rank 4 but is rank 2")
def fused_batch_norm_of_a_matrix(tf):
    return tf.nn.fused_batch_norm(image(tf, 2, 4), [1.0] * 4, [0.0] * 4)


@case("FusedBatchNormV3", error="Dimensions must be equal, but are 4 and 3", each=[(3, 4), (4, 3)])
def fused_batch_norm_of_other_channels(tf, scale, offset):
    return tf.nn.fused_batch_norm(image(tf, 2, 3, 2, 4), [1.0] * scale, [0.0] * offset)


RUNS = {
    "x": ([3, 4], [4], [4], "input must be 4 or 5-dimensional[3,4]"),
    "scale": (
        [2, 3, 2, 4],
        [2],
        [4],
        "scale must have the same number of elements as the channels of x, got 2 and 4",
    ),
    "offset": (
        [2, 3, 2, 4],
        [4],
        [3],
        "offset must have the same number of elements as the channels of x, got 3 and 4",
    ),
    "rank": ([2, 3, 2, 4], [4, 1], [4], "scale must be 1-dimensional[4,1]"),
}


def wrong_run(tf, what):
    inputs = [tf.placeholder(tf.float32) for _ in range(3)]
    feed = {x: np.ones(shape) for x, shape in zip(inputs, RUNS[what][:3])}
    return Program(tf.nn.fused_batch_norm(*inputs), feed=feed)


@case("FusedBatchNormV3", error=RUNS["x"][3])
def fused_batch_norm_of_a_matrix_in_the_run(tf):
    return wrong_run(tf, "x")


@case("FusedBatchNormV3", error=RUNS["scale"][3])
def fused_batch_norm_of_another_scale_in_the_run(tf):
    return wrong_run(tf, "scale")


@case("FusedBatchNormV3", error=RUNS["offset"][3])
def fused_batch_norm_of_another_offset_in_the_run(tf):
    return wrong_run(tf, "offset")


@case("FusedBatchNormV3", error=RUNS["rank"][3])
def fused_batch_norm_of_a_column_in_the_run(tf):
    return wrong_run(tf, "rank")


# Local response normalisation ---------------------------------------------------------------------


@case("LRN", each=[(r, d) for r in (1, 5) for d in ("float32", "float16")])
def lrn(tf, radius, dtype):
    x = image(tf, 2, 1, 2, 8, dtype=dtype)
    named = tf.nn.local_response_normalization(x, radius, 2.0, 0.5, 0.75, name="named")
    return [tf.nn.lrn(x, radius), named]


@case("LRNGrad", graph="types", each=[1, 5])
def gradient_of_lrn(tf, radius):
    x = image(tf, 2, 1, 2, 8)
    return tf.gradients(tf.nn.lrn(x, radius, 2.0, 0.5, 0.75) * x, x)


@case("LRN", error="Shape must be rank 4 but is rank 2")
def lrn_of_a_matrix(tf):
    return tf.nn.lrn(image(tf, 2, 8))


@case("LRN", error="in must be 4-dimensional")
def lrn_of_a_matrix_in_the_run(tf):
    x, feed = fed(tf, np.ones([2, 8]))
    return Program(tf.nn.lrn(x), feed=feed)


# Embeddings ---------------------------------------------------------------------------------------
