"""`tf.layers.BatchNormalization`: graphs, values, gradients and updates as TensorFlow's."""

import numpy as np

from tests.conformance.cases.layers import program
from tests.conformance.registry import case

FLAT = np.cos(np.arange(24, dtype=np.float32) ** 1.5).reshape(6, 4)
IMAGES = np.cos(np.arange(96, dtype=np.float32) ** 1.5).reshape(2, 3, 4, 4)
DEEP = IMAGES.reshape(2, 3, 2, 2, 4)
ALL = ["Mean", "Rsqrt", "AssignSub"]


def averages(tf):
    """Every variable, after the updates."""
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return [tf.identity(v.read_value()) for v in tf.global_variables()]


def normalized(tf, values, *args, **how):
    """A layer's outputs, and everything that it changes, twice."""
    training = how.pop("training", True)
    x = tf.constant(values)
    y = tf.layers.batch_normalization(x, *args, training=training, **how)
    gradients = tf.gradients(y * y * x, [x, *tf.trainable_variables()])
    return program(tf, y, gradients, averages(tf), runs=2)


@case(*ALL, each=[True, False, 1, 0])
def flat_batches(tf, training):
    return normalized(tf, FLAT, training=training)


@case("Merge", *ALL, each=[True, False])
def a_training_that_is_known_in_the_run(tf, training):
    return normalized(tf, FLAT, training=tf.placeholder_with_default(training, []))


@case("Mean", "AssignSub")
def a_training_that_is_a_constant(tf):
    return normalized(tf, FLAT, training=tf.constant(True))


@case(
    "FusedBatchNormV3", "FusedBatchNormGradV3", "AssignSub", each=[(3, True), (1, False), (-1, 0)]
)
def images_in_one_operation(tf, axis, training):
    return normalized(tf, IMAGES, axis, training=training)


@case("FusedBatchNormV3", "Merge", "AssignSub", each=[True, False])
def images_whose_training_is_known_in_the_run(tf, training):
    return normalized(tf, IMAGES, training=tf.placeholder_with_default(training, []))


@case("FusedBatchNormV3", "AssignSub", each=[(-1, True), (1, False)])
def deep_images_in_one_operation(tf, axis, training):
    x = tf.constant(DEEP)
    y = tf.layers.batch_normalization(x, axis, training=training)
    return program(tf, y, averages(tf))


@case(*ALL, each=[1, 2, -1])
def images_in_several_operations(tf, axis):
    return normalized(tf, IMAGES, axis, fused=False)


@case(*ALL, each=[(IMAGES.ndim, 2), (DEEP.ndim, 2)])
def axes_that_the_one_operation_has_not(tf, rank, axis):
    return normalized(tf, IMAGES if rank == 4 else DEEP, axis)


@case(*ALL, each=[(1, 2), (3, 1), (-1, 0)])
def several_axes(tf, first, second):
    return normalized(tf, IMAGES, [first, second])


@case("AssignSub", each=[(0, 0, "flat"), (0, 1, "flat"), (1, 0, "images"), (0, 0, "images")])
def without_scale_or_center(tf, scale, center, values):
    values = FLAT if values == "flat" else IMAGES
    return normalized(tf, values, scale=bool(scale), center=bool(center), momentum=0.5, epsilon=0.1)


@case("Cast", "AssignSub", each=[("float16", 2), ("float16", 4), ("float64", 4)])
def other_dtypes(tf, dtype, rank):
    x = tf.constant(FLAT if rank == 2 else IMAGES, dtype)
    y = tf.layers.batch_normalization(x, training=True)
    return program(tf, y, averages(tf))


@case("Mean", "Reshape", "ConcatV2", "AssignSub", each=[True, False])
def virtual_batches(tf, training):
    return normalized(tf, FLAT, virtual_batch_size=2, training=training)


CLIPPING = {"none": None, "all": {"rmin": 0.5, "rmax": 1.5, "dmax": 0.25}, "some": {"dmax": 0.1}}


@case("Sqrt", "Relu", "AssignSub", "Assign", each=[(c, True) for c in CLIPPING] + [("all", False)])
def renormalization(tf, clipping, training):
    how = {"renorm_clipping": CLIPPING[clipping], "renorm_momentum": 0.75, "training": training}
    return normalized(tf, 2 * FLAT + 1, renorm=True, **how)


@case("Sqrt", "Relu", "Merge", each=[True, False])
def renormalization_whose_training_is_known_in_the_run(tf, training):
    return normalized(tf, FLAT, renorm=True, training=tf.placeholder_with_default(training, []))


@case(*ALL, each=[True, False])
def renormalized_images(tf, scale):
    return normalized(tf, IMAGES, 1, renorm=True, scale=scale)


@case(*ALL, each=[True, False, None])
def adjusted(tf, training):
    def adjustment(shape):
        return tf.fill([shape[0], 1], 2.0), tf.fill([shape[0], 1], 0.5)

    training = tf.placeholder_with_default(True, []) if training is None else training
    return normalized(tf, FLAT, adjustment=adjustment, training=training)


@case("AssignSub")
def reused(tf):
    x = tf.constant(FLAT)
    results = [tf.layers.batch_normalization(x, training=True, name="one")]
    results.append(tf.layers.batch_normalization(2 * x, name="one", reuse=True))
    results.append(tf.layers.batch_normalization(3 * x, training=True, name="one", reuse=True))
    with tf.variable_scope("outer"):
        results.append(tf.layers.batch_normalization(x))
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4
    return program(tf, *results)


@case("AssignSub")
def a_layer_called_twice(tf):
    layer = tf.layers.BatchNormalization(name="twice")
    x = tf.constant(FLAT)
    results = [layer(x, training=True), layer(2 * x, training=False)]
    assert [len(layer.trainable_weights), len(layer.updates)] == [2, 2]
    assert [len(layer.get_updates_for(x)), len(layer.get_updates_for(None))] == [2, 0]
    return program(tf, results)


@case("VariableV2")
def not_trained(tf):
    y = tf.layers.batch_normalization(tf.constant(FLAT), training=True, trainable=False)
    assert [*tf.trainable_variables(), *tf.get_collection(tf.GraphKeys.UPDATE_OPS)] == []
    return program(tf, y)


@case("L2Loss", graph="types")
def regularized_and_constrained(tf):
    y = tf.layers.batch_normalization(
        tf.constant(FLAT),
        training=True,
        beta_initializer=tf.constant_initializer(0.5),
        gamma_initializer=tf.constant_initializer(2.0),
        moving_mean_initializer="ones",
        moving_variance_initializer=tf.constant_initializer(3.0),
        beta_regularizer=tf.nn.l2_loss,
        gamma_regularizer=tf.nn.l2_loss,
        gamma_constraint=lambda v: tf.clip_by_value(v, 0.0, 1.0),
    )
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    with tf.control_dependencies(losses):
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    with tf.control_dependencies([train]):
        return program(tf, [tf.identity(v.read_value()) for v in tf.global_variables()])


@case(
    "VarHandleOp", "AssignSubVariableOp", each=[("flat", False), ("images", False), ("flat", True)]
)
def resource_variables(tf, values, renorm):
    with tf.variable_scope("r", use_resource=True):
        return normalized(tf, FLAT if values == "flat" else IMAGES, renorm=renorm)


@case("ConcatV2", "AssignSub")
def partitioned(tf):
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
        y = tf.layers.batch_normalization(tf.constant(FLAT), training=True)
    return program(tf, y)


@case("VariableV2", error="Input has undefined `axis` dimension")
def channels_of_unknown_size(tf):
    return tf.layers.batch_normalization(tf.placeholder(tf.float32, [3, None]))


@case("VariableV2", error="Input has undefined rank")
def batches_of_unknown_rank(tf):
    return tf.layers.batch_normalization(tf.placeholder(tf.float32))


@case("VariableV2", error="Invalid value for `axis` argument", each=[2, -3])
def axes_that_are_not_there(tf, axis):
    return tf.layers.batch_normalization(tf.constant(FLAT), axis)


@case("VariableV2", error="Duplicate axis: (1, 1)")
def axes_given_twice(tf):
    return tf.layers.batch_normalization(tf.constant(FLAT), [1, -1])


@case("VariableV2", error="Expected an int or a list/tuple of ints for the argument 'axis'")
def axes_that_are_no_numbers(tf):
    return tf.layers.batch_normalization(tf.constant(FLAT), "last")


@case("VariableV2", error="Received invalid keys for `renorm_clipping` argument")
def clippings_that_there_are_not(tf):
    return tf.layers.batch_normalization(tf.constant(FLAT), renorm=True, renorm_clipping={"r": 1})


@case("VariableV2", error="`virtual_batch_size`", each=[(0, -1, 0), (2, 0, 0), (2, -1, 1)])
def virtual_batches_that_cannot_be(tf, size, axis, adjusted):
    adjustment = (lambda shape: (1.0, 0.0)) if adjusted else None
    how = {"virtual_batch_size": size, "adjustment": adjustment}
    return tf.layers.batch_normalization(tf.constant(FLAT), axis, **how)
