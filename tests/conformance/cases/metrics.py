"""`tf.metrics`: composites; graphs and values as TensorFlow's, name by name, over three batches."""

import numpy as np

from tests.conformance.registry import Program, case

LABELS = [[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
GUESSES = [[0.9, 0.3, 0.4, 0.6], [0.1, 0.8, 0.7, 0.2], [0.55, 0.45, 0.5, 0.05]]
WEIGHTS = [[0.5, 1.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.25, 0.0, 3.0, 1.0]]
SCORES = np.random.RandomState(4).permutation(60).reshape(3, 4, 5).astype(np.float32)
CLASSES = [[[0], [3], [4], [1]], [[2], [2], [0], [4]], [[1], [1], [3], [0]]]
MEANS = ["accuracy", "mean_absolute_error", "mean_squared_error", "root_mean_squared_error"]
COUNTS = ["true_positives", "false_positives", "true_negatives", "false_negatives"]
COUNTS += ["precision", "recall"]


def over_batches(tf, fetches, batches):
    """Run the updates batch by batch, each after the variables were initialised once."""
    setup = [v.initializer for v in tf.local_variables()]
    return Program(fetches, feed=batches, setup=setup)


def streams(tf, build, weighted=False, dtype=None):
    """The update of a metric of labels and guesses that are fed, three batches."""
    labels = tf.placeholder(dtype or tf.float32, [4])
    guesses = tf.placeholder(tf.float32, [4])
    weights = tf.placeholder(tf.float32, [4]) if weighted else None
    _, update = build(labels, guesses, **({"weights": weights} if weighted else {}))
    batches = [
        {labels: a, guesses: b, **({weights: w} if weighted else {})}
        for a, b, w in zip(LABELS, GUESSES, WEIGHTS)
    ]
    return over_batches(tf, update, batches)


@case("AssignAdd", "DivNoNan")
def values_of_metrics(tf):
    """What metrics are after two updates, and that none of them changes when it is looked at."""
    labels, guesses = tf.constant(LABELS[0]), tf.constant(GUESSES[0])
    m = tf.metrics
    found = [m.mean(guesses), m.mean_tensor(guesses), m.accuracy(labels, guesses)]
    found += [m.root_mean_squared_error(labels, guesses), m.precision(labels, guesses > 0.5)]
    found += [m.true_positives(labels, guesses > 0.5), m.auc(labels, guesses, num_thresholds=5)]
    found += [m.recall_at_thresholds(labels, guesses, [0.5]), m.false_negatives(labels, guesses)]
    numbers = tf.constant([0, 1, 1]), tf.constant([0, 2, 1])
    found += [m.mean_iou(*numbers, 3), m.mean_per_class_accuracy(*numbers, 3)]
    k = tf.constant(CLASSES[0], tf.int64), tf.constant(SCORES[0]), 3
    found += [m.recall_at_k(*k), m.precision_at_k(*k), m.average_precision_at_k(*k)]
    values, updates = zip(*found)
    updates = [update.op for update in updates]
    setup = [v.initializer for v in tf.local_variables()]
    return Program(values, setup=[*setup, *updates, *updates], runs=2)


@case("AssignAdd", "DivNoNan", each=MEANS)
def mean_metrics(tf, name):
    return streams(tf, getattr(tf.metrics, name))


@case("AssignAdd", "DivNoNan", each=MEANS)
def weighted_mean_metrics(tf, name):
    return streams(tf, getattr(tf.metrics, name), weighted=True)


@case("AssignAdd", "DivNoNan", each=["mean", "mean_tensor"])
def means_of_values(tf, name):
    values = tf.placeholder(tf.float64, [2, 2])
    function = getattr(tf.metrics, name)
    results = [function(values), function(values, weights=[[2.0], [0.0]], name="weighted")]
    batches = [{values: v} for v in ([[1, 2], [3, 4]], [[5, 6], [7, 8]])]
    return over_batches(tf, [update for _, update in results], batches)


@case("Less", "AssignAdd")
def shares_below(tf):
    values = tf.constant([0.1, 0.5, 0.9, 2.0])
    results = [tf.metrics.percentage_below(values, limit) for limit in (0.5, 1.0)]
    results.append(tf.metrics.percentage_below(values, 0.6, weights=[1.0, 0.0, 1.0, 2.0]))
    return over_batches(tf, [update for _, update in results], [{}, {}])


@case("Mul", "AssignAdd", "Sub")
def mean_cosine_distances(tf):
    a, b = tf.constant([[0.6, 0.8], [1.0, 0.0]]), tf.constant([[1.0, 0.0], [0.0, 1.0]])
    results = [tf.metrics.mean_cosine_distance(a, b, dim=1)]
    results.append(tf.metrics.mean_cosine_distance(a, b, dim=0, weights=[[2.0, 1.0]]))
    return over_batches(tf, [results[0][1], results[1][1]], [{}, {}])


@case("Select", "RealDiv")
def mean_relative_errors(tf):
    a, b = tf.constant([1.0, 4.0, 0.0]), tf.constant([1.5, 3.0, 2.0])
    results = [tf.metrics.mean_relative_error(a, b, normalizer=a)]
    results.append(tf.metrics.mean_relative_error(a, b, [[2.0], [1.0], [4.0]], weights=2.0))
    return over_batches(tf, [update for _, update in results], [{}, {}])


@case("LogicalAnd", "AssignAdd", each=COUNTS)
def counting_metrics(tf, name):
    return streams(tf, lambda a, b, **w: getattr(tf.metrics, name)(a, b > 0.5, **w))


@case("LogicalAnd", "AssignAdd", each=COUNTS)
def weighted_counting_metrics(tf, name):
    build = getattr(tf.metrics, name)
    return streams(tf, lambda a, b, **w: build(a, b > 0.5, **w), weighted=True)


@case("LogicalAnd", "Tile", each=[*COUNTS[:4], "precision", "recall"])
def metrics_at_thresholds(tf, name):
    build = getattr(tf.metrics, f"{name}_at_thresholds")
    return streams(tf, lambda a, b, **w: build(a, b, [0.25, 0.5, 0.75], **w))


@case("Tile", each=["precision_at_thresholds", "true_negatives_at_thresholds"])
def weighted_metrics_at_thresholds(tf, name):
    build = getattr(tf.metrics, name)
    return streams(tf, lambda a, b, **w: build(a, b, [0.25, 0.75], **w), weighted=True)


@case(
    "Tile",
    each=[
        ["ROC", "trapezoidal"],
        ["ROC", "minoring"],
        ["ROC", "majoring"],
        ["PR", "trapezoidal"],
        ["PR", "careful_interpolation"],
        ["PR", "minoring"],
    ],
)
def areas_under_curves(tf, how):
    def build(labels, guesses, **weights):
        return tf.metrics.auc(
            labels, guesses, num_thresholds=7, curve=how[0], summation_method=how[1], **weights
        )

    return streams(tf, build)


@case("Tile")
def areas_at_own_thresholds(tf):
    return streams(
        tf, lambda a, b, **w: tf.metrics.auc(a, b, thresholds=[0.6, 0.2], **w), weighted=True
    )


@case("ArgMin", "Tile", each=[0.0, 0.5, 1.0])
def sensitivities(tf, specificity):
    function = tf.metrics.sensitivity_at_specificity
    return streams(tf, lambda a, b: function(a, b, specificity, num_thresholds=9))


@case("ArgMax", "Cumsum", each=[0.0, 0.5, 1.0])
def specificities(tf, sensitivity):
    function = tf.metrics.specificity_at_sensitivity
    return streams(tf, lambda a, b: function(a, b, sensitivity, num_thresholds=9))


@case("ScatterNd", "AssignAdd", "Select")
def mean_ious(tf):
    labels, guesses = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.int32, [4])
    results = [tf.metrics.mean_iou(labels, guesses, 3)]
    weights = tf.constant([1.0, 0.5, 0.0, 2.0])
    results.append(tf.metrics.mean_iou(labels, guesses, 4, weights=weights, name="w"))
    batches = [
        {labels: [0, 1, 1, 2], guesses: [0, 1, 2, 2]},
        {labels: [0] * 4, guesses: [1, 0] * 2},
    ]
    return over_batches(tf, [update for _, update in results], batches)


@case("ScatterAdd", "Mean")
def mean_accuracies_of_classes(tf):
    labels, guesses = tf.placeholder(tf.int32, [2, 2]), tf.placeholder(tf.int32, [2, 2])
    results = [tf.metrics.mean_per_class_accuracy(labels, guesses, 3)]
    weights = tf.constant([[1.0, 0.5], [0.0, 2.0]])
    results.append(tf.metrics.mean_per_class_accuracy(labels, guesses, 3, weights=weights))
    batches = [
        {labels: [[0, 1], [1, 2]], guesses: [[0, 1], [2, 2]]},
        {labels: [[0, 0], [0, 0]], guesses: [[1, 0], [1, 0]]},
    ]
    return over_batches(tf, [update for _, update in results], batches)


@case("TopKV2", "DenseToDenseSetOperation", each=["recall", "precision", "average_precision"])
def metrics_at_k(tf, name):
    labels, scores = tf.placeholder(tf.int64, [4, 1]), tf.placeholder(tf.float32, [4, 5])
    build = getattr(tf.metrics, f"{name}_at_k")
    results = [build(labels, scores, k=k)[1] for k in (1, 3)]
    weighted = [[1.0], [0.0], [2.0], [0.5]]
    weights = [1.0, 0.0, 2.0, 0.5] if name == "average_precision" else weighted[0][0]
    results.append(build(labels, scores, k=2, weights=weights, name="weighted")[1])
    batches = [{labels: a, scores: b} for a, b in zip(CLASSES, SCORES)]
    return over_batches(tf, results, batches)


# The shape of the labels is known here, so less is computed in the run.
@case("DenseToDenseSetOperation", each=["recall", "precision"], graph="any")
def metrics_at_k_of_one_class(tf, name):
    labels, scores = tf.placeholder(tf.int64, [4, 1]), tf.placeholder(tf.float32, [4, 5])
    build = getattr(tf.metrics, f"{name}_at_k")
    results = [build(labels, scores, k=3, class_id=c)[1] for c in (0, 1)]
    batches = [{labels: a, scores: b} for a, b in zip(CLASSES, SCORES)]
    return over_batches(tf, results, batches)


@case("DenseToSparseSetOperation", each=["recall", "precision", "average_precision"])
def metrics_at_k_of_sparse_labels(tf, name):
    values = tf.constant([0, 3, 4, 1, 2, 7], tf.int64)
    where = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [3, 0]]
    labels = tf.SparseTensor(where, values, [4, 2])
    result = getattr(tf.metrics, f"{name}_at_k")(labels, tf.constant(SCORES[0]), k=3)
    return over_batches(tf, result[1], [{}, {}])


@case("DenseToDenseSetOperation", "ExpandDims")
def metrics_at_top_k(tf):
    labels = tf.constant([1, 0, 2], tf.int64)
    best = tf.constant([[1, 2], [1, 3], [2, 0]], tf.int64)
    results = [
        tf.metrics.recall_at_top_k(labels, best),
        tf.metrics.precision_at_top_k(labels, best),
    ]
    return over_batches(tf, [update for _, update in results], [{}, {}])


@case("AssignAdd", "Squeeze", "ExpandDims")
def metrics_of_one_dimension_more(tf):
    a, b, w = tf.constant(LABELS[0]), tf.constant(GUESSES[0]), tf.constant(WEIGHTS[0])
    column = tf.expand_dims
    results = [
        tf.metrics.mean_absolute_error(column(a, 1), b),
        tf.metrics.mean_absolute_error(a, column(b, 1), column(w, 1)),
        tf.metrics.mean_absolute_error(column(a, 1), column(b, 1), w),
    ]
    return over_batches(tf, [update for _, update in results], [{}])


@case("Assert", "Switch", "Merge")
def metrics_of_unknown_shapes(tf):
    a, b, w = (tf.placeholder(tf.float32) for _ in range(3))
    _, update = tf.metrics.mean_absolute_error(a, b, w)
    batches = [
        {a: LABELS[0], b: GUESSES[0], w: 2.0},
        {a: [[1.0], [0.0]], b: [1.0, 0.5], w: [1.0, 3.0]},
    ]
    return over_batches(tf, update, batches)


@case("AssignAdd")
def metrics_in_collections(tf):
    tf.metrics.mean([1.0, 3.0], metrics_collections=["m"], updates_collections=["u"], name="a")
    tf.metrics.accuracy([1], [2], metrics_collections=["m", "n"], updates_collections=["u"])
    names = [v.op.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)]
    assert names == ["a/total", "a/count", "accuracy/total", "accuracy/count"]
    fetches = [tf.get_collection(key) for key in ("u", "n")]
    return over_batches(tf, fetches, [{}])


@case("Assert", error="predictions must be in [0, 1]")
def an_area_of_numbers_out_of_range(tf):
    update = tf.metrics.auc([1, 0], tf.constant([0.5, 1.5]))[1]
    return over_batches(tf, update, [{}])


@case("AssignAdd", error="Curve must be either ROC or PR")
def an_area_under_no_curve(tf):
    return tf.metrics.auc([1, 0], tf.constant([0.5, 0.5]), curve="LINE")


@case("AssignAdd", error="Invalid summation_method: roughly")
def an_area_summed_in_no_known_way(tf):
    return tf.metrics.auc([1, 0], tf.constant([0.5, 0.5]), summation_method="roughly")


@case("AssignAdd", error="must be in the range [0, 1]")
def a_specificity_out_of_range(tf):
    return tf.metrics.sensitivity_at_specificity([1, 0], tf.constant([0.5, 0.5]), 1.5)


@case("AssignAdd", error="`k` should be >= 1")
def an_average_precision_at_nothing(tf):
    return tf.metrics.average_precision_at_k(tf.constant([[1]], tf.int64), tf.constant([[0.5]]), 0)


@case("AssignAdd", error="are incompatible")
def metrics_of_shapes_that_differ(tf):
    return tf.metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 2, 3]))
