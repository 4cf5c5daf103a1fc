"""Estimators whose models are there already: graphs node by node, training curves, metrics."""

import numpy as np

from tests.conformance.registry import Program, case

NUMBERS = np.array([[0.5, 2.0], [-1.0, 3.5], [7.0, 0.0], [1.0, -1.0]], np.float32)
WORDS = [["a"], ["b"], ["b"], ["?"]]
WEIGHTS = [[1.0], [2.0], [0.5], [0.0]]
LABELS = {
    "classes": [[0], [2], [1], [2]],
    "two": [[0], [1], [1], [0]],
    "names": [["no"], ["yes"], ["no"], ["no"]],
    "numbers": [[0.5], [-1.0], [3.0], [2.0]],
    "pairs": [[0.5, 1.0], [-1.0, 2.0], [3.0, 0.0], [2.0, 2.0]],
}


def columns(tf):
    fc = tf.feature_column
    word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
    return fc.numeric_column("x", 2), word, fc.embedding_column(word, 2)


def model(tf, estimator, mode, labels=None, runs=3):
    """What the estimator's function builds, from values that depend on the shapes only."""
    features = {
        "x": tf.constant(NUMBERS),
        "word": tf.constant(WORDS),
        "weight": tf.constant(WEIGHTS),
    }
    tf.train.create_global_step()
    labels = None if mode == "infer" else tf.constant(LABELS[labels])
    spec = estimator.model_fn(features, labels, mode, estimator.config)
    metrics = {key: pair[1] for key, pair in spec.eval_metric_ops.items()}
    setup = [v.initializer for v in tf.global_variables() + tf.local_variables()]
    setup += tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
    for variable in tf.trainable_variables():
        count = variable.shape.num_elements()
        start = np.cos(np.arange(count, dtype=np.float32)).reshape(variable.shape.as_list())
        setup.append(variable.assign(start / 2).op)
    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
    scalars = [s.op.inputs[1] for s in summaries if s.op.type == "ScalarSummary"]
    if mode == "train":  # whether variables are read before they change is not determined
        scalars = [s for s in scalars if not s.op.name.startswith("linear/strided_slice")]
        scalars = [s for s in scalars if "zero_fraction_or_nan" not in s.op.name]
        return Program([spec.loss, spec.train_op, scalars], setup=setup, runs=runs)
    if mode == "eval":
        return Program([spec.loss, metrics], setup=setup, runs=2)
    return Program([spec.predictions, scalars], setup=setup)


def made(tf, kind, *args, **kwargs):
    """An estimator, made where its nodes do not count."""
    with tf.Graph().as_default():
        return getattr(tf.estimator, kind)(*args, **kwargs)


MODES = ["train", "eval", "infer"]


@case("MatMul", "SparseSoftmaxCrossEntropyWithLogits", "ResourceApplyAdagrad", each=MODES)
def deep_classifiers(tf, mode):
    x, _, embedding = columns(tf)
    estimator = made(tf, "DNNClassifier", [3, 2], [x, embedding], n_classes=3)
    return model(tf, estimator, mode, "classes")


@case("Sigmoid", "LookupTableFindV2", each=MODES)
def deep_classifiers_of_names(tf, mode):
    x, _, embedding = columns(tf)
    how = {"weight_column": "weight", "label_vocabulary": ["no", "yes"], "optimizer": "Adam"}
    estimator = made(tf, "DNNClassifier", [2], [embedding, x], **how)
    return model(tf, estimator, mode, "names")


@case("AssignSubVariableOp", "Tanh", each=[("train", True), ("eval", True), ("train", False)])
def deep_regressors(tf, mode, batch_norm):
    """With batch normalization; with weights of each label, and a loss that is a mean."""
    how = {"activation_fn": tf.nn.tanh, "batch_norm": batch_norm, "optimizer": "SGD"}
    if not batch_norm:
        how |= {"loss_reduction": tf.losses.Reduction.SUM_OVER_BATCH_SIZE, "weight_column": "x"}
        how["weight_column"] = tf.feature_column.numeric_column("x", 2, normalizer_fn=tf.square)
    estimator = made(tf, "DNNRegressor", [2], columns(tf)[:1], label_dimension=2, **how)
    return model(tf, estimator, mode, "pairs")


@case("RandomUniform", "SelectV2", random=True)
def deep_classifiers_with_dropout(tf):
    return model(tf, made(tf, "DNNClassifier", [3], columns(tf)[:1], dropout=0.5), "train", "two")


@case("SparseSegmentMean", "SparseApplyAdagrad")
def deep_classifiers_with_shared_tables(tf):
    shared = tf.feature_column.shared_embedding_columns(columns(tf)[1:2], 2)
    return model(tf, made(tf, "DNNClassifier", [2], shared), "train", "two")


@case("DynamicPartition", "ResourceApplyAdagrad")
def deep_classifiers_in_parts(tf):
    how = {"input_layer_partitioner": tf.fixed_size_partitioner(2), "n_classes": 3}
    estimator = made(tf, "DNNClassifier", [2], columns(tf)[2:], **how)
    return model(tf, estimator, "train", "classes")


@case("ResourceApplyFtrl", "ResourceSparseApplyFtrl", "AddN", each=MODES)
def linear_classifiers(tf, mode):
    estimator = made(tf, "LinearClassifier", columns(tf), weight_column="weight")
    return model(tf, estimator, mode, "two")


@case("HistogramSummary", "ResourceApplyGradientDescent", each=["train", "infer"])
def linear_classifiers_of_more_classes(tf, mode):
    how = {"label_vocabulary": ["no", "yes", "?"], "n_classes": 3, "optimizer": "SGD"}
    estimator = made(tf, "LinearClassifier", columns(tf)[:2], sparse_combiner="mean", **how)
    return model(tf, estimator, mode, "names")


@case("SquaredDifference", "ResourceApplyRMSProp", each=MODES)
def linear_regressors(tf, mode):
    how = {"weight_column": "weight", "optimizer": "RMSProp"}
    return model(tf, made(tf, "LinearRegressor", columns(tf)[:2], **how), mode, "numbers")


@case("SparseSegmentMean", "VariableV2")
def linear_regressors_with_shared_tables(tf):
    shared = tf.feature_column.shared_embedding_columns(columns(tf)[1:2], 2)
    return model(tf, made(tf, "LinearRegressor", shared), "train", "numbers")


@case("ResourceApplyAdagrad", "ResourceSparseApplyFtrl", each=MODES)
def combined_classifiers(tf, mode):
    x, word, embedding = columns(tf)
    how = {"dnn_feature_columns": [x, embedding], "dnn_hidden_units": [2], "n_classes": 3}
    estimator = made(tf, "DNNLinearCombinedClassifier", linear_feature_columns=[word, x], **how)
    return model(tf, estimator, mode, "classes")


@case("ResourceApplyFtrl", each=["dnn", "linear"])
def combined_regressors_of_one_part(tf, part):
    x = columns(tf)[0]
    how = {f"{part}_feature_columns": [x], f"{part}_optimizer": "Ftrl", "dnn_hidden_units": [2]}
    return model(tf, made(tf, "DNNLinearCombinedRegressor", **how), "train", "numbers")


@case("ApplyFtrl", "Softmax", each=MODES)
def baseline_classifiers(tf, mode):
    return model(tf, made(tf, "BaselineClassifier", n_classes=3), mode, "classes")


@case("ApplyAdam", each=["train", "eval"])
def baseline_regressors(tf, mode):
    estimator = made(tf, "BaselineRegressor", weight_column="weight", optimizer="Adam")
    return model(tf, estimator, mode, "numbers")


# What is refused ----------------------------------------------------------------------------------


def classifier(tf, labels, n_classes=2, features=None, **how):
    estimator = made(tf, "LinearClassifier", columns(tf)[:1], n_classes=n_classes, **how)
    tf.train.create_global_step()
    features = features or {"x": tf.placeholder_with_default(NUMBERS, [None, 2])}
    if labels is not None:
        labels = tf.placeholder_with_default(labels, [None, len(labels[0])])
    spec = estimator.model_fn(features, labels, "eval", estimator.config)
    return Program(spec.loss, setup=[v.initializer for v in tf.global_variables()])


@case("Identity", error="You must provide a labels Tensor. Given: None.")
def no_labels(tf):
    return classifier(tf, None)


@case("Identity", error="Mismatched label shape. Expected labels dimension=1.  Received 2.")
def labels_that_are_too_wide(tf):
    return classifier(tf, [[0, 1]] * 4)


@case("Assert", error="labels shape must be [D0, D1, ... DN, 1]. Suggested Fix: check your")
def labels_of_another_batch(tf):
    return classifier(tf, [[0], [1]])


@case("Assert", error="Labels must <= n_classes - 1", each=[2, 3])
def labels_that_are_no_classes(tf, n_classes):
    return classifier(tf, [[0], [1], [3], [0]], n_classes)


@case("Identity", error="Labels dtype should be integer. Instead got")
def labels_of_another_type(tf):
    return classifier(tf, LABELS["numbers"], 3)


@case("Identity", error="Labels dtype should be string if there is a vocabulary.")
def labels_that_are_no_names(tf):
    return classifier(tf, LABELS["two"], 3, label_vocabulary=["a", "b", "c"])


@case("Assert", error="weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]")
def weights_of_another_shape(tf):
    column = tf.feature_column.numeric_column("x", 2)
    return classifier(tf, LABELS["two"], weight_column=column)


@case("Identity", error="Weight column must be either a string or _DenseColumn.")
def weights_of_another_kind(tf):
    return classifier(tf, LABELS["two"], weight_column=columns(tf)[1])


@case("Identity", error="features should be a dictionary of `Tensor`s. Given type")
def features_alone(tf):
    return classifier(tf, LABELS["two"], features=[tf.constant(NUMBERS)])


@case("Const")
def arguments_that_are_refused(tf):
    x = columns(tf)[:1]
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    sync = tf.train.SyncReplicasOptimizer(optimizer, 2)
    wrong = {
        "n_classes must be > 2: 1": lambda: tf.estimator.DNNClassifier([2], x, n_classes=1),
        "label_vocabulary should be a list": lambda: tf.estimator.DNNClassifier(
            [2], x, n_classes=3, label_vocabulary="abc"
        ),
        "label_vocabulary should be a ": lambda: tf.estimator.DNNClassifier(
            [2], x, label_vocabulary="ab"
        ),
        "Invalid loss_reduction: none": lambda: tf.estimator.DNNRegressor(
            [2], x, loss_reduction="none"
        ),
        "Invalid label_dimension 0": lambda: tf.estimator.LinearRegressor(x, label_dimension=0),
        "Either linear_feature_columns or dnn": lambda: tf.estimator.DNNLinearCombinedRegressor(),
        "Unsupported optimizer name: adam": lambda: model(
            tf, tf.estimator.LinearRegressor(x, optimizer="adam"), "train", "numbers"
        ),
        "The given object is not an Optimizer": lambda: model(
            tf, tf.estimator.LinearRegressor(x, optimizer=dict), "train", "numbers"
        ),
        "dnn_hidden_units must be defined": lambda: model(
            tf,
            tf.estimator.DNNLinearCombinedRegressor(dnn_feature_columns=x),
            "train",
            "numbers",
        ),
        "SyncReplicasOptimizer does not support multi": lambda: model(
            tf,
            tf.estimator.DNNLinearCombinedRegressor(
                linear_feature_columns=x, linear_optimizer=sync
            ),
            "train",
            "numbers",
        ),
    }
    for message, function in wrong.items():
        with tf.Graph().as_default():
            refused = None
            try:
                function()
            except (TypeError, ValueError) as error:
                refused = str(error)
        assert message in (refused or "not at all"), (message, refused)
    return tf.constant(len(wrong))
