"""`tf.layers`: composites; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.registry import Program, case

BATCH = np.arange(12, dtype=np.float32).reshape(3, 4) / 10
KERNEL = [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.0], [1.5, 0.0]]


def fixed(tf, value=KERNEL):
    return tf.constant_initializer(value)


def program(tf, *fetches, **how):
    """Run once the variables are initialised, each by itself: which adds nothing to the graph."""
    return Program(fetches, setup=[v.initializer for v in tf.global_variables()], **how)


@case("MatMul", "BiasAdd", each=[None, "relu", "tanh", "softmax"])
def dense_layers(tf, activation):
    function = activation and getattr(tf.nn, activation)
    y = tf.layers.dense(tf.constant(BATCH), 2, function, kernel_initializer=fixed(tf))
    return program(tf, y, tf.gradients(y, tf.trainable_variables()))


@case("MatMul", "Reshape", each=[[2, 3, 4], [2, 2, 3, 4]])
def dense_layers_of_higher_rank(tf, shape):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 10
    return program(tf, tf.layers.dense(tf.constant(values), 2, kernel_initializer=fixed(tf)))


@case("MatMul", "Reshape")
def dense_layers_of_unknown_batches(tf):
    x = tf.placeholder(tf.float32, [None, 3, 4])
    y = tf.layers.dense(x, 2, use_bias=False, kernel_initializer=fixed(tf))
    return program(tf, y, feed={x: BATCH.reshape(1, 3, 4)})


@case("MatMul", "BiasAdd")
def dense_layers_by_name(tf):
    """Names of layers and scopes, and variables that are used again."""
    x = tf.constant(BATCH)
    how = {"kernel_initializer": fixed(tf), "bias_initializer": tf.ones_initializer()}
    results = [tf.layers.dense(x, 2, name="one", **how), tf.layers.dense(x, 2, **how)]
    results.append(tf.layers.dense(x, 2, name="one", reuse=True))
    with tf.variable_scope("outer"):
        results.append(tf.layers.dense(x, 2, **how))
        results.append(tf.layers.dense(x, 2, name="one", **how))
    with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
        results.append(tf.layers.dense(x, 2, name="one", **how))
    with tf.name_scope("names"):
        results.append(tf.layers.dense(x, 2, **how))
    return program(tf, *results)


@case("MatMul", "BiasAdd")
def a_dense_layer_called_twice(tf):
    layer = tf.layers.Dense(2, kernel_initializer=fixed(tf))
    x = tf.constant(BATCH)
    return program(tf, layer(x), layer(2 * x), layer.kernel.read_value(), layer.bias.read_value())


@case("L2Loss", "MatMul", graph="types")
def regularized_layers(tf):
    def half_square(x):
        return 0.5 * tf.reduce_sum(x * x)

    y = tf.layers.dense(
        tf.constant(BATCH),
        2,
        kernel_initializer=fixed(tf),
        kernel_regularizer=tf.nn.l2_loss,
        bias_regularizer=half_square,
        activity_regularizer=half_square,
        name="d",
    )
    tf.layers.dense(tf.constant(BATCH), 2, kernel_regularizer=tf.nn.l2_loss, name="d", reuse=True)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return program(tf, y, losses)


@case("Assign", "MatMul")
def constrained_layers(tf):
    y = tf.layers.dense(
        tf.constant(BATCH),
        2,
        kernel_initializer=fixed(tf),
        kernel_constraint=lambda w: tf.clip_by_value(w, -0.5, 0.5),
    )
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    kernel = tf.trainable_variables()[0]
    with tf.control_dependencies([train]):
        after = tf.identity(kernel.read_value())
    return program(tf, after)


@case("MatMul", "ConcatV2")
def partitioned_dense_layers(tf):
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
        y = tf.layers.dense(tf.constant(BATCH), 2, kernel_initializer=tf.ones_initializer())
    return program(tf, y)


@case("MatMul", "VarHandleOp", each=[False, True])
def dense_layers_of_resource_variables(tf, trainable):
    with tf.variable_scope("r", use_resource=True):
        how = {"kernel_initializer": fixed(tf), "trainable": trainable}
        y = tf.layers.dense(tf.constant(BATCH), 2, **how)
    assert len(tf.trainable_variables()) == 2 * trainable
    return program(tf, y)


@case("MatMul", each=["float64", "float16"])
def dense_layers_of_other_dtypes(tf, dtype):
    return program(tf, tf.layers.dense(tf.constant(BATCH, dtype), 2, kernel_initializer=fixed(tf)))


@case("MatMul", error="A Dense layer can only be built with a floating-point dtype")
def dense_layers_of_integers(tf):
    return tf.layers.dense(tf.constant([[1, 2]]), 2)


@case("MatMul", error="expected min_ndim=2, found ndim=1. Full shape received")
def dense_layers_of_vectors(tf):
    return tf.layers.dense(tf.constant(BATCH[0]), 2)


@case("MatMul", error="expects 1 input(s), but it received 2 input tensors")
def dense_layers_of_lists(tf):
    return tf.layers.dense([1.0, 2.0], 2)


@case(
    "MatMul",
    error="The last dimension of the inputs to a Dense layer should be defined",
    each=[[3, None], None],
)
def dense_layers_of_unknown_size(tf, shape):
    return tf.layers.dense(tf.placeholder(tf.float32, shape), 2)


@case("MatMul", error="expected axis -1 of input shape to have value 4")
def a_dense_layer_of_two_sizes(tf):
    layer = tf.layers.Dense(2)
    layer(tf.constant(BATCH))
    return layer(tf.constant(BATCH[:, :3]))


@case("VariableV2", error="Variable new/kernel does not exist")
def a_dense_layer_that_reuses_nothing(tf):
    return tf.layers.dense(tf.constant(BATCH), 2, name="new", reuse=True)


@case("Identity", "RandomUniform", "SelectV2", "Merge", random=True)
def dropout_layers(tf):
    tf.set_random_seed(3)
    x, training = tf.constant(BATCH + 1), tf.placeholder_with_default(False, [])
    return [
        tf.layers.dropout(x),
        tf.layers.dropout(x, 0.0, training=True),
        tf.layers.dropout(x, 0.25, seed=1, training=True),
        tf.layers.dropout(x, 0.25, noise_shape=[None, 1], seed=2, training=True, name="rows"),
        tf.layers.dropout(x, 0.5, training=training),
    ]


@case("Identity", error="expected a value between 0 and 1", each=[-0.1, 1.5])
def dropout_layers_of_wrong_rates(tf, rate):
    return tf.layers.dropout(tf.constant(BATCH), rate)


@case("Reshape", "Transpose", "ExpandDims")
def flattening_layers(tf):
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x, any_batch = tf.constant(values), tf.placeholder(tf.float32, [None, 3, 4])
    any_rows, unknown = tf.placeholder(tf.float32, [2, None, 4]), tf.placeholder(tf.float32)
    nothing_known = tf.placeholder(tf.float32, [None, None, 4])
    inputs = [any_batch, any_rows, nothing_known]
    fetches = [tf.layers.flatten(t) for t in [x, *inputs, tf.constant(values[0, 0])]]
    fetches.append(tf.layers.flatten(x, name="named", data_format="channels_first"))
    del unknown
    return Program(fetches, feed=dict.fromkeys(inputs, values))


@case("Mul", "VariableV2")
def layers_of_ones_own(tf):
    class Scale(tf.layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_weight("factor", [input_shape[-1]], initializer="ones")
            self.shift = self.add_weight("shift", [], trainable=False, initializer="zeros")
            self.built = True

        def call(self, inputs, twice=False):
            return inputs * self.factor * (2.0 if twice else 1.0) + self.shift

    layer = Scale()
    x = tf.constant(BATCH)
    results = [layer(x), layer(x, twice=True), layer.apply(x)]
    assert [len(layer.trainable_weights), len(layer.non_trainable_weights)] == [1, 1]
    assert layer.scope_name == "scale"
    return program(tf, *results)
