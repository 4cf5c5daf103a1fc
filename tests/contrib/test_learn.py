"""`tf.contrib.learn`: programs of its time, and the columns that they use."""

import numpy as np
import pytest

import tinytf as tf

learn, layers = tf.contrib.learn, tf.contrib.layers
SOURCE = np.random.RandomState(0)
DIGITS = SOURCE.randint(0, 10, 200)
IMAGES = (np.eye(10)[DIGITS].repeat(2, axis=1) + 0.1 * SOURCE.randn(200, 20)).astype(np.float32)
#: A line, y = 2 x + 1.
X = np.linspace(-1.0, 1.0, 20, dtype=np.float32).reshape(-1, 1)
Y = 2 * X[:, 0] + 1


def test_hands_on_machine_learning(tmp_path):
    config = learn.RunConfig(tf_random_seed=42, model_dir=str(tmp_path))
    columns = learn.infer_real_valued_columns_from_input(IMAGES)
    classifier = learn.SKCompat(
        learn.DNNClassifier(
            hidden_units=[30, 10], n_classes=10, feature_columns=columns, config=config
        )
    )
    assert classifier.fit(IMAGES, DIGITS, batch_size=50, steps=150) is classifier
    found = classifier.predict(IMAGES, batch_size=64)
    assert (found["classes"] == DIGITS).mean() > 0.9
    assert found["probabilities"].shape == (200, 10)
    np.testing.assert_array_equal(found["logits"].argmax(1), found["classes"])
    scores = classifier.score(IMAGES, DIGITS, batch_size=200)
    assert sorted(scores) == ["accuracy", "global_step", "loss"]
    picked = found["probabilities"][np.arange(200), DIGITS]
    assert scores["loss"] == pytest.approx(-np.log(picked).mean(), rel=1e-4)
    assert scores["accuracy"] == pytest.approx((found["classes"] == DIGITS).mean())


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """One that is fitted: of tensors, as in the tutorial with flowers."""
    columns = [layers.real_valued_column("", dimension=20)]
    made = learn.DNNClassifier([10], columns, str(tmp_path_factory.mktemp("c")), n_classes=10)
    return made.fit(input_fn=lambda: (tf.constant(IMAGES), tf.constant(DIGITS)), steps=3)


def test_predictions_one_after_the_other_and_in_arrays(classifier):
    one_by_one = list(classifier.predict(IMAGES[:4]))
    np.testing.assert_array_equal(classifier.predict(IMAGES[:4], as_iterable=False), one_by_one)
    assert list(classifier.predict_classes(IMAGES[:4])) == one_by_one
    probable = classifier.predict_proba(input_fn=lambda: tf.constant(IMAGES[:4]))
    np.testing.assert_array_equal([next(probable).argmax() for _ in range(4)], one_by_one)
    [first, *_] = classifier.predict(IMAGES, outputs=["logits", "classes"])
    assert sorted(first) == ["classes", "logits"]


def test_more_metrics(classifier):
    def hits(predictions, targets):
        return tf.metrics.accuracy(targets, predictions)

    metrics = {
        "right": learn.MetricSpec(tf.contrib.metrics.streaming_accuracy, "classes"),
        "named": learn.MetricSpec(hits, learn.PredictionKey.CLASSES),
        ("of", "classes"): lambda a, b: tf.metrics.accuracy(b, a),
    }
    found = classifier.evaluate(IMAGES, DIGITS, metrics=metrics)
    assert found["right"] == found["named"] == found["of"] == found["accuracy"]
    with pytest.raises(ValueError, match="MetricSpec without specified prediction_key"):
        classifier.evaluate(IMAGES, DIGITS, metrics={"right": learn.MetricSpec(hits)})


def test_variables_by_their_old_names(classifier):
    for old, new in [("dnn/logits/biases", "dnn/logits/bias"), ("dnn/logits/kernel",) * 2]:
        value = classifier.get_variable_value(old)
        np.testing.assert_array_equal(value, classifier.get_variable_value(new))
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        classifier.get_variable_value("none")


def test_two_classes_have_their_old_metrics(tmp_path):
    columns = [layers.real_valued_column("x")]
    made = learn.LinearClassifier(columns, str(tmp_path), gradient_clip_norm=5.0)
    found = made.fit({"x": X}, X[:, 0] > 0, steps=20).evaluate({"x": X}, X[:, 0] > 0)
    assert found["labels/actual_label_mean"] == found["accuracy/baseline_label_mean"] == 0.5
    assert found["accuracy"] == found["accuracy/threshold_0.500000_mean"] > 0.9
    assert {"auc", "recall/positive_threshold_0.500000_mean"} < set(found)


@pytest.mark.parametrize(
    "make",
    [
        lambda columns: learn.LinearRegressor(columns, optimizer=tf.train.FtrlOptimizer(1.0)),
        lambda columns: learn.DNNRegressor([10], columns, optimizer="Adam"),
        lambda columns: learn.DNNLinearCombinedRegressor(
            linear_feature_columns=columns, dnn_feature_columns=columns, dnn_hidden_units=[10]
        ),
    ],
    ids=["linear", "deep", "both"],
)
def test_regressors(make, tmp_path):
    made = make(learn.infer_real_valued_columns_from_input_fn(lambda: (tf.constant(X), None)))
    made.fit(X, Y, steps=150)
    assert made.evaluate(X, Y)["loss"] < 0.3
    found = made.predict_scores(X, as_iterable=False)
    assert found.shape == (20,)
    np.testing.assert_array_equal(learn.SKCompat(made).predict(X)["scores"], found)


def test_wide_and_deep(tmp_path):
    colours = np.array(["red", "blue", "red", "green"])
    data = {"colour": colours, "size": np.array([1.0, 2.0, 3.0, 40.0], np.float32)}
    colour = layers.sparse_column_with_keys("colour", ["red", "blue", "green"])
    hashed = layers.sparse_column_with_hash_bucket("colour", 10)
    size = layers.real_valued_column("size")
    sizes = layers.bucketized_column(size, [0.25, 1.0])  # of tenths
    embedded = layers.embedding_column(colour, 2)
    made = learn.DNNLinearCombinedClassifier(
        str(tmp_path),
        label_keys=["no", "yes"],
        linear_feature_columns=[colour, sizes, layers.crossed_column([hashed, sizes], 20)],
        linear_optimizer=tf.train.FtrlOptimizer(1.0),
        dnn_feature_columns=[
            size,
            embedded,
            layers.one_hot_column(colour),
        ],
        dnn_hidden_units=[4],
        config=learn.RunConfig(tf_random_seed=1),
        feature_engineering_fn=lambda x, y: ({**x, "size": x["size"] / 10.0}, y),
    )

    def input_fn():
        features = {name: tf.constant(value) for name, value in data.items()}
        return features, tf.constant(["no", "yes", "yes", "no"])

    made.fit(input_fn=input_fn, steps=50)
    assert made.evaluate(input_fn=input_fn, steps=1)["global_step"] == 50
    found = made.predict(input_fn=lambda: input_fn()[0])
    assert [next(found) for _ in range(4)] == [b"no", b"yes", b"yes", b"no"]


@pytest.mark.parametrize("as_triple", [True, False], ids=["triple", "ModelFnOps"])
def test_a_model_of_ones_own(as_triple, tmp_path):
    def model_fn(x, targets, mode, params):
        w = tf.get_variable("w", initializer=[0.0, 0.0])
        line = {"y": w[0] * x[:, 0] + w[1]}
        loss = train_op = None
        if mode != learn.ModeKeys.INFER:
            loss = tf.losses.mean_squared_error(targets, line["y"])
            step = tf.contrib.framework.get_global_step()
            train_op = layers.optimize_loss(loss, step, params["rate"], "SGD")
        if as_triple:
            return line, loss, train_op
        metrics = (
            {"mae": tf.metrics.mean_absolute_error(targets, line["y"])}
            if loss is not None
            else None
        )
        return learn.ModelFnOps(mode, line, loss, train_op, metrics)

    made = learn.Estimator(model_fn, str(tmp_path), params={"rate": 0.5})
    with pytest.raises(ValueError, match="Couldn't find trained model at"):
        made.evaluate(X, Y)
    made.partial_fit(X, Y)
    made.fit(X, Y, max_steps=60)
    found = made.evaluate(X, Y, batch_size=8)
    assert found["loss"] < 1e-3
    assert ("mae" in found) is not as_triple
    assert found["global_step"] == 60
    np.testing.assert_allclose([each["y"] for each in made.predict(X)], Y, atol=0.05)
    np.testing.assert_allclose(made.get_variable_value("w"), [2.0, 1.0], atol=0.05)


COLUMN = [layers.real_valued_column("")]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m.fit(X, Y, input_fn=lambda: X), ValueError, "both input_fn and x, y"),
        (lambda m: m.fit(), ValueError, "Either x or input_fn must be provided"),
        (lambda m: m.fit(X, Y[:5]), ValueError, r"the same number of rows, not \[5, 20\]"),
        (lambda m: m.fit(tf.constant(1.0)), ValueError, "Inputs cannot be tensors"),
        (lambda m: m.fit(X, Y, steps=1, max_steps=1), ValueError, "both steps and max_steps"),
        (
            lambda m: learn.DNNClassifier([4], COLUMN, enable_centered_bias=True),
            NotImplementedError,
            "enable_centered_bias is not part of tinytf",
        ),
        (lambda m: learn.LinearRegressor(), TypeError, "feature_columns"),
        (lambda m: learn.Estimator(None), ValueError, "model_fn must be a function"),
        (lambda m: layers.real_valued_column("x", None), ValueError, "different lengths"),
        (
            lambda m: layers.sparse_column_with_keys("x", ["a"], combiner="mean"),
            ValueError,
            "sparse_combiner='mean'",
        ),
        (
            lambda m: learn.infer_real_valued_columns_from_input(np.array(["a"])),
            ValueError,
            "features must be integer or floating types, got string",
        ),
        (
            lambda m: learn.infer_real_valued_columns_from_input(np.zeros([2, 3, 4])),
            ValueError,
            "Expected 2-dim shape for feature ''",
        ),
    ],
)
def test_mistakes(call, error, words, tmp_path):
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call(learn.LinearRegressor(COLUMN, str(tmp_path)))


def test_configuration_of_old():
    config = learn.RunConfig(num_cores=2, gpu_memory_fraction=0.5, save_checkpoints_steps=7)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (7, None)
    assert config.session_config.intra_op_parallelism_threads == 2
    assert config.session_config.gpu_options.per_process_gpu_memory_fraction == 0.5
    assert learn.RunConfig(master="grpc://a:1").master == "grpc://a:1"


def test_columns_of_all_kinds(tmp_path):
    (tmp_path / "words").write_text("a\nb\n")
    ids = layers.sparse_column_with_integerized_feature("id", 5)
    words = layers.sparse_column_with_vocabulary_file("word", str(tmp_path / "words"), 1, 2)
    weighted = layers.weighted_sparse_column(words, "weight")
    features = {"id": [[1], [4]], "word": [["b"], ["z"]], "weight": [[0.5], [2.0]]}
    columns = [layers.one_hot_column(each) for each in (ids, weighted)]
    with tf.Graph().as_default(), tf.Session() as sess:
        features = {name: tf.constant(value) for name, value in features.items()}
        found = tf.feature_column.input_layer(features, columns)
        sess.run(tf.tables_initializer())
        assert sess.run(found).tolist() == [
            [0, 1, 0, 0, 0, 0, 0.5, 0],
            [0, 0, 0, 0, 1, 0, 0, 2.0],
        ]
