"""`tf.losses`: composites; graphs, values and gradients as TensorFlow's, name by name."""

from tests.conformance.registry import Program, case

LABELS = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
GUESSES = [[0.2, 0.7, 0.9], [0.6, 0.1, 0.4]]
SCORES = [[-2.0, 0.5, 3.0], [1.5, -0.25, 0.0]]
DISTANCES = ["absolute_difference", "mean_squared_error", "huber_loss", "log_loss", "hinge_loss"]
CROSS_ENTROPIES = ["sigmoid_cross_entropy", "softmax_cross_entropy"]
REDUCTIONS = ["none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size"]
REDUCTIONS += ["weighted_sum_by_nonzero_weights"]


def loss_with(tf, name, scores, **how):
    """A loss of whatever name, of the same labels."""
    return getattr(tf.losses, name)(LABELS, scores, **how)


@case("Mul", "Sum", "DivNoNan", each=[*DISTANCES, *CROSS_ENTROPIES])
def losses(tf, name):
    scores = tf.constant(GUESSES)
    loss = loss_with(tf, name, scores)
    return [loss, tf.losses.get_losses(), tf.losses.get_total_loss()]


@case("Mul", "Sum", "DivNoNan", each=[*DISTANCES, *CROSS_ENTROPIES], graph="types")
def gradients_of_losses(tf, name):
    scores = tf.constant(GUESSES)
    return tf.gradients(loss_with(tf, name, scores, weights=0.5), scores)


@case("Mul", "Sum", "DivNoNan", "Select", each=REDUCTIONS)
def reductions_of_losses(tf, reduction):
    each = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    weights = [2.0, 0.0, [[1.0], [0.0]], [[0.5, 0.0, 1.0]], tf.constant(3.0), 2]
    return [tf.losses.compute_weighted_loss(each, w, reduction=reduction) for w in weights]


@case("Assert", "DenseToDenseSetOperation", "DivNoNan")
def losses_of_unknown_shapes(tf):
    labels, weights = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    loss = tf.losses.mean_squared_error(labels, tf.constant(GUESSES), weights)
    feeds = [{labels: LABELS, weights: w} for w in (2.0, [[1.0], [0.0]], [[0.0, 1.0, 2.0]])]
    return Program(loss, feed=feeds)


@case("Assert", error="weights can not be broadcast to values")
def losses_of_weights_that_do_not_fit_in_the_run(tf):
    weights = tf.placeholder(tf.float32)
    loss = tf.losses.mean_squared_error(LABELS, tf.constant(GUESSES), weights)
    return Program(loss, feed={weights: [[1.0, 2.0]]})


@case("Sum", error="weights can not be broadcast to values. values.rank=2. weights.rank=1")
def losses_of_weights_of_another_rank(tf):
    return tf.losses.mean_squared_error(LABELS, GUESSES, [1.0, 2.0])


@case("Sum", error="Mismatch at dim 1")
def losses_of_weights_of_another_size(tf):
    return tf.losses.mean_squared_error(LABELS, GUESSES, [[1.0, 2.0]])


@case("Sum", error="Shapes (2,) and (1,) are incompatible")
def losses_of_shapes_that_differ(tf):
    return tf.losses.mean_squared_error([1.0], [1.0, 2.0])


@case("Sum", each=["labels", "predictions"], error="must not be None")
def losses_of_nothing(tf, name):
    return tf.losses.log_loss(**{"labels": [1.0], "predictions": [1.0], name: None})


@case("Sum", error="Invalid Reduction Key mean")
def losses_reduced_in_no_known_way(tf):
    return tf.losses.mean_squared_error([1.0], [1.0], reduction="mean")


@case("Sum", "Mul", each=[0, 1, -1])
def cosine_distances(tf, axis):
    return tf.losses.cosine_distance([[0.6, 0.8], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], axis)


@case("Sum", error="You must specify argument `axis`")
def cosine_distance_without_axis(tf):
    return tf.losses.cosine_distance([[1.0]], [[1.0]])


@case("Sum", "DivNoNan", "Select", each=[1.0, 0.0, [[1.0], [0.0]], [[0.5, 0.0, 2.0]] * 2])
def pairwise_squared_errors(tf, weights):
    scores = tf.constant(SCORES)
    loss = tf.losses.mean_pairwise_squared_error(LABELS, scores, weights)
    return [loss, tf.losses.get_losses()]


@case("SoftmaxCrossEntropyWithLogits", each=CROSS_ENTROPIES)
def smoothed_labels(tf, name):
    return [loss_with(tf, name, tf.constant(SCORES), label_smoothing=s) for s in (0.1, 1.0)]


@case("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropies(tf):
    scores = tf.constant(SCORES)
    function = tf.losses.sparse_softmax_cross_entropy
    return [
        function([1, 2], scores),
        function(tf.constant([[1], [0]]), scores),
        function([1, 2], scores, weights=[0.0, 2.0]),
        function([1, 2], scores, weights=[[0.0], [2.0]]),
        function([1, 2], scores, reduction="none", loss_collection=None),
        tf.losses.get_losses(),
    ]


@case("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropies_of_unknown_shapes(tf):
    labels, weights = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.constant(SCORES), weights)
    feeds = [{labels: [1, 2], weights: [1.0, 0.5]}, {labels: [[1], [2]], weights: 2}]
    return Program(loss, feed=feeds)


# Of a regularizer, 2.15.1 builds an operation each time that its loss is used; 1.x builds one.
@case("AddN", "Const", graph="any")
def collected_losses(tf):
    nothing = tf.losses.get_regularization_loss(name="none")
    tf.losses.add_loss(tf.constant(2.0, name="mine"))
    tf.losses.add_loss(tf.constant(3.0), loss_collection=None)
    with tf.name_scope("part"):
        tf.losses.mean_squared_error([1.0], [3.0], scope="far")
    w = tf.get_variable("w", initializer=[1.0, 2.0], regularizer=tf.nn.l2_loss, use_resource=False)
    losses = tf.losses
    fetches = [
        nothing,
        losses.get_losses(),
        losses.get_losses(scope="part/"),
        losses.get_regularization_losses(),
        losses.get_regularization_loss(),
        losses.get_total_loss(),
        losses.get_total_loss(add_regularization_losses=False, name="without"),
        losses.get_total_loss(scope="part"),
    ]
    return Program(fetches, setup=[w.initializer])


@case("AddN", error="of at least one")
def a_total_of_no_losses(tf):
    return tf.losses.get_total_loss()


@case("Cast", "Sum")
def losses_of_other_dtypes(tf):
    function = tf.losses.compute_weighted_loss
    values = [tf.constant([1, 2], "int32"), tf.constant([1.5, 2], "float64")]
    return [[function(v, w) for w in (1.0, [1, 0])] for v in values]
